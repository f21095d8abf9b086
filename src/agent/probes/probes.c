/* SPDX-License-Identifier: Apache-2.0 */
/* A probe's life, which is Kubernetes' own:
 *
 *   container runs ─► (startup probe: OK) ─► initialDelaySeconds since it runs ─► try ─► result ─► periodSeconds ─► try ...
 *                           └─ BAD: on hold, the container will be killed          └─ threshold results in a row: the verdict changes
 *
 * A liveness or startup verdict that went bad puts the probe on hold: there is nothing to be learnt from a container that is being killed. */
#include "agent/probes/probes.h"

#include "agent/probes/probe_run.h"

/* A program that was started this moment does not listen yet; asked at once it would be called unready for a whole period. */
#define FIRST_NS (100 * NSEC_PER_MSEC)
#define SPREAD_NS (200 * NSEC_PER_MSEC)

struct probe {
    struct probe_set *set;
    enum probe_kind kind;
    bool exists, on_hold, started;
    struct probe_handler handler;
    nsec_t delay_ns, period_ns, timeout_ns;
    uint32_t success, failure; /* thresholds */
    enum probe_verdict verdict, last;
    uint32_t in_a_row;         /* results like last */
    nsec_t tried_at;
    struct loop_timer timer;
    struct probe_run *run;
};

struct probe_set {
    struct probes *p;
    struct arena arena;
    str container_id;
    void *owner;
    nsec_t since; /* monotonic: the container runs */
    struct probe probes[3];
};

struct probes *probes_new(const struct probes_opts *o)
{
    struct probes *p = xnew(struct probes);
    p->o = *o;
    return p;
}

void probes_free(struct probes *p)
{
    if (!p)
        return;
    BUG_ON(p->users);
    tls_client_free(p->tls);
    free(p);
}

/* --- tries -------------------------------------------------------------------------------------------------- */

static bool startup_is_over(const struct probe_set *s)
{
    return !s->probes[PROBE_STARTUP].exists || s->probes[PROBE_STARTUP].verdict == PROBE_OK;
}

static void schedule(struct probe *b, nsec_t at)
{
    loop_timer_set(b->set->p->o.loop, &b->timer, at);
}

/* Those that waited for the startup probe, or have none to wait for. */
static void start_waiting(struct probe_set *s, nsec_t spread)
{
    nsec_t now = loop_now(s->p->o.loop);
    for (size_t i = 0; i < ARRAY_LEN(s->probes); i++) {
        struct probe *b = &s->probes[i];
        if (!b->exists || b->started || (b->kind != PROBE_STARTUP && !startup_is_over(s)))
            continue;
        b->started = true;
        schedule(b, MAX(now, s->since + b->delay_ns) + spread);
    }
}

/* True: the verdict is another one now. */
static bool count(struct probe *b, bool ok)
{
    enum probe_verdict result = ok ? PROBE_OK : PROBE_BAD;
    b->in_a_row = b->last == result ? b->in_a_row + 1 : 1;
    b->last = result;
    if (b->in_a_row < (ok ? b->success : b->failure) || b->verdict == result)
        return false;
    b->verdict = result;
    return true;
}

static void on_result(void *arg, bool ok, str message)
{
    static const char *const names[] = {[PROBE_STARTUP] = "Startup", [PROBE_LIVENESS] = "Liveness", [PROBE_READINESS] = "Readiness"};
    struct probe *b = arg;
    struct probe_set *s = b->set;
    struct probes *p = s->p;
    STRBUF_AUTO text = STRBUF_HEAP;
    b->run = NULL;
    bool changed = count(b, ok);
    if (b->verdict == PROBE_BAD && b->kind != PROBE_READINESS)
        b->on_hold = true;
    bool startup_passed = b->kind == PROBE_STARTUP && b->verdict == PROBE_OK;
    if (startup_passed)
        start_waiting(s, 0);
    else if (!b->on_hold)
        schedule(b, MAX(b->tried_at + b->period_ns, loop_now(p->o.loop)));
    if (!ok)
        strbuf_addf(&text, "%s probe failed: " STR_FMT, names[b->kind], STR_ARG(message));
    /* Last: it may stop the set. */
    if (changed || !ok)
        p->o.result(p->o.arg, s, b->kind, b->verdict, !ok, strbuf_str(&text));
}

static void on_timer(struct loop_timer *t)
{
    struct probe *b = container_of(t, struct probe, timer);
    struct probe_set *s = b->set;
    BUG_ON(b->run);
    b->tried_at = loop_now(s->p->o.loop);
    b->run = probe_run_start(s->p, &b->handler, s->container_id, b->timeout_ns, on_result, b);
}

/* --- sets ------------------------------------------------------------------------------------------------------ */

static nsec_t seconds(const struct json *v, str key, int64_t otherwise, int64_t least)
{
    int64_t s = json_get_int(v, key, otherwise);
    return MIN(MAX(s, least), (int64_t)INT32_MAX) * NSEC_PER_SEC;
}

static uint32_t threshold(const struct json *v, str key, int64_t otherwise)
{
    return (uint32_t)MIN(MAX(json_get_int(v, key, otherwise), (int64_t)1), (int64_t)INT32_MAX);
}

static void probe_init(struct probe_set *s, enum probe_kind kind, const struct json *container, str key, str pod_ip)
{
    struct probe *b = &s->probes[kind];
    const struct json *v = json_get(container, key);
    *b = (struct probe){.set = s, .kind = kind, .timer.fire = on_timer};
    if (!json_is(v, JSON_OBJECT))
        return;
    b->exists = true;
    probe_handler_parse(&s->arena, container, v, pod_ip, &b->handler);
    b->delay_ns = seconds(v, S("initialDelaySeconds"), 0, 0);
    b->period_ns = seconds(v, S("periodSeconds"), 10, 1);
    b->timeout_ns = seconds(v, S("timeoutSeconds"), 1, 1);
    b->success = threshold(v, S("successThreshold"), 1);
    b->failure = threshold(v, S("failureThreshold"), 3);
}

struct probe_set *probe_set_start(struct probes *p, const struct json *pod UNUSED, const struct json *container, str container_id, str pod_ip, void *owner)
{
    struct probe_set *s = xnew(struct probe_set);
    *s = (struct probe_set){.p = p, .arena = ARENA_SMALL(1024), .owner = owner, .since = loop_now(p->o.loop)};
    s->container_id = arena_str(&s->arena, container_id);
    probe_init(s, PROBE_STARTUP, container, S("startupProbe"), pod_ip);
    probe_init(s, PROBE_LIVENESS, container, S("livenessProbe"), pod_ip);
    probe_init(s, PROBE_READINESS, container, S("readinessProbe"), pod_ip);
    p->users++;
    start_waiting(s, FIRST_NS + (nsec_t)(str_hash(container_id) % SPREAD_NS));
    return s;
}

void probe_set_stop(struct probe_set *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < ARRAY_LEN(s->probes); i++) {
        probe_run_cancel(s->probes[i].run);
        loop_timer_stop(s->p->o.loop, &s->probes[i].timer);
    }
    s->p->users--;
    arena_fini(&s->arena);
    free(s);
}

void *probe_set_owner(const struct probe_set *s)
{
    return s->owner;
}

enum probe_verdict probe_set_verdict(const struct probe_set *s, enum probe_kind kind)
{
    return s->probes[kind].verdict;
}

void probe_set_assume(struct probe_set *s, enum probe_kind kind, enum probe_verdict verdict)
{
    struct probe *b = &s->probes[kind];
    if (!b->exists)
        return;
    b->verdict = b->last = verdict;
    b->in_a_row = verdict == PROBE_OK ? b->success : 0;
    if (kind != PROBE_STARTUP || verdict != PROBE_OK)
        return;
    loop_timer_stop(s->p->o.loop, &b->timer);
    probe_run_cancel(TAKE(b->run));
    start_waiting(s, FIRST_NS + (nsec_t)(str_hash(s->container_id) % SPREAD_NS));
}
