/* queues_usage.c - what queues held in the past, older time counting less.
 *
 *   used'     = used * f + allocated * T * (1 - f)      f = exp(-dt / T)
 *   capacity' = capacity * f + total * T * (1 - f)      usage = used / capacity
 * These are the integrals of what was held and of what there was, exact for amounts that change in steps, and the same however often they are brought up to date:
 * half a step and half a step is a step.  With a half-life and no end T is t = half-life / ln 2.  KAI counts nothing that is older than
 * its sliding window W; that takes a ring of samples for each queue and resource, in memory and in the file, and makes shares jump when an old burst falls out.  Here the window is replaced by the
 * decay whose memory has the same mean age:
 *   T = t - W / (exp(W / t) - 1)      which is t for a wide window, and W / 2 without a half-life
 * A window that begins anew (tumbling) forgets what was before it, and without a half-life adds up plainly: T is infinite.
 * A queue's sum is brought up to date when its account changes; `usage`, which divisions read, once in USAGE_GRAIN_NS for all queues: between, a division goes down
 * changed paths only.
 *
 * File, one record a line; sums are amounts times seconds in the engine's units:
 *     usage 1 <wall time in ns>
 *     capacity <resource> <sum>
 *     queue <name> <resource> <sum> */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "base/limits.h"
#include "sched/policy/queues_state.h"

#define USAGE_GRAIN_NS NSEC_PER_SEC
#define USAGE_MAX 1e6     /* where there was next to no capacity */
#define SUM_MAX 1e36      /* of a sum that is read: 2^60 for longer than the world exists */

/* T in seconds; 0: nothing is forgotten. */
static double memory_s(const struct queues *q)
{
    double t = (double)q->half_life_ns / 1e9 / M_LN2, window = (double)q->window_ns / 1e9;
    if (q->since)
        return q->half_life_ns > 0 ? t : 0;
    if (q->half_life_ns <= 0 || window / t < 1e-4)
        return window / 2;
    return window / t > 50 ? t : t - window / expm1(window / t);
}

static void settle(const struct queues *q, double *sums, const int64_t *amounts, nsec_t since)
{
    if (q->now <= since)
        return;
    double t = memory_s(q), took = (double)(q->now - since) / 1e9, gone = t > 0 ? -expm1(-took / t) : 0;
    for (uint32_t s = 0; s < q->nslots; s++) {
        double amount = (double)MAX(amounts[s], (int64_t)0);
        sums[s] += t > 0 ? gone * (amount * t - sums[s]) : amount * took;
    }
}

void queue_settle(struct queues *q, struct queue *x)
{
    if (!q->has_history || x->used_at == q->now)
        return;
    settle(q, x->used, x->pub.allocated.v, x->used_at);
    x->used_at = q->now; /* also when the clock was put back */
}

void queue_settle_capacity(struct queues *q)
{
    if (!q->has_history)
        return;
    settle(q, q->capacity, q->total.v, q->capacity_at);
    q->capacity_at = q->now;
}

static void settle_all(struct queues *q)
{
    for (size_t id = 1; id < q->list.len; id++)
        queue_settle(q, queue_at(q, (queue_id)id));
    queue_settle_capacity(q);
}

static void publish(struct queues *q)
{
    settle_all(q);
    for (size_t i = 0; i < q->order.len; i++) {
        struct queue *x = queue_at(q, q->order.p[i]);
        uint32_t changed = 0;
        for (uint32_t s = 0; s < q->nslots; s++) {
            double usage = q->has_history && q->capacity[s] > 0 ? fmin(x->used[s] / q->capacity[s], USAGE_MAX) : 0;
            changed |= usage != x->pub.usage[s] ? 1u << s : 0;
            x->pub.usage[s] = usage;
        }
        if (changed && !x->pub.is_lost)
            queue_mark(q, x->up, changed);
    }
    q->is_published = true;
    q->published_at = q->now;
}

static bool any(const double *sums)
{
    for (size_t s = 0; s < POLICY_RES; s++)
        if (sums[s] > 0)
            return true;
    return false;
}

/* From here on time counts; for those whose sums were read, from when they were written. */
static void switch_on(struct queues *q)
{
    q->has_history = true;
    for (size_t id = 1; id < q->list.len; id++) {
        struct queue *x = queue_at(q, (queue_id)id);
        x->used_at = any(x->used) ? x->used_at : q->now;
    }
    q->capacity_at = any(q->capacity) ? q->capacity_at : q->now;
}

static void switch_off(struct queues *q)
{
    q->has_history = false;
    for (size_t id = 1; id < q->list.len; id++)
        memset(queue_at(q, (queue_id)id)->used, 0, sizeof queue_at(q, 0)->used);
    memset(q->capacity, 0, sizeof q->capacity);
    publish(q);
}

void queues_usage_since(struct queues *q, nsec_t since)
{
    if (q->has_history && (since == 0) != (q->since == 0))
        settle_all(q); /* by the rule that held until now */
    q->since = MAX(since, (nsec_t)0);
    for (size_t id = 1; since > 0 && id < q->list.len; id++) {
        struct queue *x = queue_at(q, (queue_id)id);
        if (x->used_at >= since)
            continue;
        memset(x->used, 0, sizeof x->used);
        x->used_at = since;
    }
    if (since > 0 && q->capacity_at < since) {
        memset(q->capacity, 0, sizeof q->capacity);
        q->capacity_at = since;
        q->is_published = false;
    }
}

void queues_usage_advance(struct queues *q, nsec_t now, nsec_t half_life_ns, nsec_t window_ns)
{
    q->now = MAX(now, (nsec_t)0);
    if (window_ns <= 0) {
        if (q->has_history)
            switch_off(q);
        return;
    }
    if (q->has_history && (half_life_ns != q->half_life_ns || window_ns != q->window_ns)) {
        settle_all(q);
        q->is_published = false;
    }
    q->half_life_ns = half_life_ns;
    q->window_ns = window_ns;
    if (!q->has_history)
        switch_on(q);
    if (!q->is_published || q->now < q->published_at || q->now - q->published_at >= USAGE_GRAIN_NS)
        publish(q);
}

/* --- text -------------------------------------------------------------------------------------------------------------------------------------- */

static void add_record(const struct queues *q, struct strbuf *out, const char *kind, str name, const double *sums)
{
    for (uint32_t s = 0; s < q->nslots; s++)
        if (sums[s] > 0)
            strbuf_addf(out, "%s" STR_FMT " %s %.17g\n", kind, STR_ARG(name), q->slot_name[s], sums[s]);
}

void queues_usage_save(const struct queues *q, struct strbuf *out)
{
    strbuf_addf(out, "usage 1 %lld\n", (long long)q->now);
    double sums[POLICY_RES];
    memcpy(sums, q->capacity, sizeof sums);
    if (q->has_history)
        settle(q, sums, q->total.v, q->capacity_at);
    add_record(q, out, "capacity", S(""), sums);
    for (size_t i = 0; i < q->order.len; i++) {
        const struct queue *x = queue_at(q, q->order.p[i]);
        memcpy(sums, x->used, sizeof sums);
        if (q->has_history)
            settle(q, sums, x->pub.allocated.v, x->used_at);
        add_record(q, out, "queue ", x->pub.name, sums);
    }
}

static int slot_named(const struct queues *q, str name)
{
    for (uint32_t s = 0; s < q->nslots; s++)
        if (str_is(name, q->slot_name[s]))
            return (int)s;
    return -1;
}

/* The rest of a line, "<resource> <sum>". */
static void load_sum(const struct queues *q, str rest, double *sums)
{
    str name;
    double sum;
    if (!str_cut(&rest, ' ', &name) || !str_to_double(rest, &sum) || !(sum >= 0 && sum <= SUM_MAX))
        return;
    int slot = slot_named(q, name);
    if (slot >= 0)
        sums[slot] = sum;
}

static void load_line(struct queues *q, str line, nsec_t at)
{
    str kind, name;
    if (!str_cut(&line, ' ', &kind))
        return;
    if (str_is(kind, "capacity")) {
        load_sum(q, line, q->capacity);
        q->capacity_at = at;
    } else if (str_is(kind, "queue") && str_cut(&line, ' ', &name) && queues_find(q, name)) {
        struct queue *x = queue_at(q, queues_find(q, name));
        load_sum(q, line, x->used);
        x->used_at = at;
    }
}

void queues_usage_load(struct queues *q, str text)
{
    text = str_sub(text, 0, LIMIT_POLICY_USAGE_BYTES);
    str line;
    int64_t at;
    bool more = str_cut(&text, '\n', &line);
    if (!str_has_prefix(line, S("usage 1 ")) || !str_to_i64(str_from(line, strlen("usage 1 ")), &at) || at < 0)
        return;
    while (more) {
        more = str_cut(&text, '\n', &line);
        load_line(q, line, at);
    }
    q->is_published = false;
}
