/* live_usage.c - what queues used in the past, kept in ConfigMaps of kube-system, so that a scheduler that starts again knows it.
 *
 *   a pool whose shard asks for history ─► GET ─► policy_usage_load ─► rounds begin ... every minute, and at the end: PATCH (POST where there is none)
 *   cox-queue-usage             of what is in no pool, its first part     data: usage (lines of policy/queues_usage.c), parts, pool
 *   cox-queue-usage.1           ... its second part: PART_BYTES each, with a first line of its own
 *   cox-queue-usage-a100        the same of node pool a100
 * Time between the last write and a new start is charged by what is held then, so a crash costs what came and went within the last minute.  A part that is older than the others is not wrong: each has its
 * own time.  One request is on its way at a time, for each pool. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/live/live_internal.h"

#define SAVE_EVERY_NS (60 * NSEC_PER_SEC)
#define FIRST_SAVE_NS (5 * NSEC_PER_SEC)
#define RETRY_NS (5 * NSEC_PER_SEC)
#define SHOW_EVERY_NS (10 * NSEC_PER_SEC) /* status of queues while nothing else changes */
#define PART_BYTES (600u << 10)           /* an object has at most 1 MiB */
#define PARTS_MAX 64u
#define NAMESPACE "kube-system"

enum step { STEP_IDLE, STEP_GET, STEP_PATCH, STEP_POST };
struct live_usage {
    struct live *l;
    struct live_pool *pool;
    struct client_call call;
    struct strbuf path, body, text; /* text: all that is to be written, while it is written */
    enum step step;
    unsigned part, nparts;
    size_t from;     /* of the part, in text */
    bool has_asked;  /* the first answer has come: good or bad, rounds go on */
    bool is_loaded;  /* nothing is written before */
    bool is_dying;   /* its pool has gone: freed with the answer */
    nsec_t due;      /* of the next read or write */
    nsec_t shown_at;
    bool complained;
};

static void answered(struct client_call *c);

struct live_usage *live_usage_new(struct live *l, struct live_pool *pool)
{
    struct live_usage *x = xnew(struct live_usage);
    x->l = l;
    x->pool = pool;
    x->call = (struct client_call){.loop = l->opts.loop, .done = answered};
    return x;
}

static void usage_free(struct live_usage *x)
{
    strbuf_fini(&x->path);
    strbuf_fini(&x->body);
    strbuf_fini(&x->text);
    free(x);
}

void live_usage_free(struct live_usage *x)
{
    if (!x)
        return;
    x->is_dying = true;
    if (x->step == STEP_IDLE || x->l->stopping) /* stopped: no answer comes any more */
        usage_free(x);
}

static bool has_history(const struct live_usage *x)
{
    return policy_get_opts(x->pool->p)->window_ns > 0;
}

bool live_usage_is_ready(const struct live_usage *x)
{
    return x->has_asked || !has_history(x);
}

/* --- requests -------------------------------------------------------------------------------------------------------------------------------------- */
static bool is_plain(str name)
{
    bool plain = name.len <= 200;
    for (size_t i = 0; i < name.len; i++)
        plain &= (name.p[i] >= 'a' && name.p[i] <= 'z') || (name.p[i] >= '0' && name.p[i] <= '9') || (name.p[i] == '-' && i && i + 1 < name.len);
    return plain;
}

static void add_name(const struct live_usage *x, struct strbuf *b)
{
    str pool = str_of(x->pool->name);
    strbuf_add_str(b, S("cox-queue-usage"));
    if (x->part)
        strbuf_addf(b, ".%u", x->part);
    if (pool.len && is_plain(pool))
        strbuf_addf(b, "-" STR_FMT, STR_ARG(pool));
    else if (pool.len) /* values of labels need not be names of objects */
        strbuf_addf(b, "-x%016llx", (unsigned long long)str_hash(pool));
}

static void ask(struct live_usage *x, enum step step, const char *method, const char *type)
{
    strbuf_clear(&x->path);
    strbuf_add_str(&x->path, S("/api/v1/namespaces/" NAMESPACE "/configmaps"));
    if (step != STEP_POST) {
        strbuf_add_char(&x->path, '/');
        add_name(x, &x->path);
    }
    x->step = step;
    x->call.method = str_of(method);
    x->call.path = strbuf_str(&x->path);
    x->call.content_type = str_of(type);
    x->call.body = step == STEP_GET ? S("") : strbuf_str(&x->body);
    x->l->opts.transport->call(x->l->opts.transport, &x->call);
}

static void finish(struct live_usage *x, nsec_t due)
{
    x->step = STEP_IDLE;
    x->due = due;
    if (x->l->stopping)
        live_stop_step(x->l);
    else
        live_wake(x->l);
}

static void fail(struct live_usage *x, const char *what)
{
    if (!x->complained && !x->l->stopping)
        log_warn("cannot keep what queues used", KV("what", "%s", what), KV("status", "%d", x->call.status), KV("path", STR_FMT, STR_ARG(x->call.path)));
    x->complained = true;
    finish(x, live_now(x->l) + (x->is_loaded ? SAVE_EVERY_NS : RETRY_NS));
}

/* --- reading ----------------------------------------------------------------------------------------------------------------------------------------- */
static void take_part(struct live_usage *x)
{
    ARENA_AUTO a = ARENA_INIT;
    struct json obj;
    uint64_t parts = 1;
    bool ok = x->call.status == 200 && json_parse(&a, x->call.response, NULL, &obj, NULL) == 0;
    const struct json *data = ok ? json_get(&obj, S("data")) : NULL;
    if (ok && has_history(x))
        policy_usage_load(x->pool->p, json_get_str(data, S("usage")));
    if (ok && x->part == 0 && str_to_u64(json_get_str(data, S("parts")), &parts))
        x->nparts = (unsigned)MIN(parts, (uint64_t)PARTS_MAX);
    if (ok && ++x->part < x->nparts && !x->l->stopping) {
        ask(x, STEP_GET, "GET", "");
        return;
    }
    x->has_asked = true;
    x->is_loaded = ok || x->call.status == 404 || x->call.status == 403;
    if (x->is_loaded)
        finish(x, live_now(x->l) + FIRST_SAVE_NS);
    else
        fail(x, "reading");
}

/* --- writing ----------------------------------------------------------------------------------------------------------------------------------------- */
/* The end of the part that begins at `from`, after a whole line. */
static size_t part_end(str text, size_t from)
{
    if (text.len - from <= PART_BYTES)
        return text.len;
    size_t end = from + PART_BYTES;
    while (end > from && text.p[end - 1] != '\n')
        end--;
    return end > from ? end : text.len;
}

static unsigned count_parts(str text)
{
    unsigned n = 1;
    for (size_t at = part_end(text, 0); at < text.len; at = part_end(text, at))
        n++;
    return n;
}

/* Each part has the first line, which says when it was. */
static void write_part(struct live_usage *x)
{
    str text = strbuf_str(&x->text), first;
    size_t end = part_end(text, x->from);
    str rest = text;
    str_cut(&rest, '\n', &first);
    STRBUF_AUTO part = STRBUF_HEAP;
    if (x->from)
        strbuf_addf(&part, STR_FMT "\n", STR_ARG(first));
    strbuf_add_str(&part, str_sub(text, x->from, end));
    strbuf_clear(&x->body);
    strbuf_add_str(&x->body, S("{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\""));
    add_name(x, &x->body);
    strbuf_addf(&x->body, "\"},\"data\":{\"parts\":\"%u\",\"pool\":", x->nparts);
    json_write_string(&x->body, str_of(x->pool->name));
    strbuf_add_str(&x->body, S(",\"usage\":"));
    json_write_string(&x->body, strbuf_str(&part));
    strbuf_add_str(&x->body, S("}}"));
    ask(x, STEP_PATCH, "PATCH", "application/merge-patch+json");
}

static void save(struct live_usage *x)
{
    strbuf_clear(&x->text);
    policy_usage_save(x->pool->p, live_now(x->l), &x->text);
    x->part = 0;
    x->from = 0;
    x->nparts = MIN(count_parts(strbuf_str(&x->text)), PARTS_MAX);
    write_part(x);
}

static void part_written(struct live_usage *x)
{
    bool ok = x->call.status >= 200 && x->call.status < 300;
    if (x->step == STEP_PATCH && x->call.status == 404) {
        ask(x, STEP_POST, "POST", "application/json");
        return;
    }
    if (!ok) {
        fail(x, "writing");
        return;
    }
    x->complained = false;
    x->from = part_end(strbuf_str(&x->text), x->from);
    if (++x->part < x->nparts && x->from < x->text.len)
        write_part(x);
    else
        finish(x, live_now(x->l) + SAVE_EVERY_NS);
}

static void answered(struct client_call *c)
{
    struct live_usage *x = container_of(c, struct live_usage, call);
    if (x->is_dying)
        usage_free(x);
    else if (x->step == STEP_GET)
        take_part(x);
    else
        part_written(x);
}

/* --- turns --------------------------------------------------------------------------------------------------------------------------------------------- */
static nsec_t turn(struct live_usage *x, nsec_t now)
{
    if (!has_history(x)) {
        x->has_asked = x->is_loaded = false; /* switched on again, it reads what there is */
        x->due = 0;
        return INT64_MAX;
    }
    if (now - x->shown_at >= SHOW_EVERY_NS || now < x->shown_at) {
        x->shown_at = now;
        live_policy_charge(x->l);
        live_policy_stale(x->l);
    }
    if (x->step == STEP_IDLE && now >= x->due) {
        x->part = 0;
        x->nparts = 1;
        if (x->is_loaded)
            save(x);
        else
            ask(x, STEP_GET, "GET", "");
    }
    return MIN(x->shown_at + SHOW_EVERY_NS, x->step == STEP_IDLE ? x->due : INT64_MAX);
}

nsec_t live_usage_turn(struct live *l, nsec_t now)
{
    struct live_pool *const *pools;
    size_t n = live_policy_pools(l, &pools);
    nsec_t next = INT64_MAX;
    for (size_t i = 0; live_policy_is_on(l) && i < n; i++) {
        nsec_t due = turn(pools[i]->usage, now);
        next = MIN(next, due);
    }
    return next;
}

void live_usage_stop(struct live *l)
{
    struct live_pool *const *pools;
    size_t n = live_policy_pools(l, &pools);
    for (size_t i = 0; i < n; i++) {
        struct live_usage *x = pools[i]->usage;
        bool busy = x->step != STEP_IDLE, writes = !busy && has_history(x) && x->is_loaded && l->leading && l->synced;
        l->stop_waits += busy || writes;
        if (writes)
            save(x);
    }
    live_stop_step(l);
}
