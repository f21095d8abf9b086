/* Random walks: a pod of chance, an executor that is slow, fails and is interrupted by chance, and what must hold at every step.
 *
 *   plan ─► executor takes actions, time goes on, containers exit, probes fail, the pod is deleted or condemned ─► plan ...
 * Held: an init container starts after those before it; a main container after all of them; nothing starts twice or is killed twice; nothing starts after deletion or an end;
 * a phase that is an end is never left and nothing runs in it; the same input gives the same output; a pod that is deleted reaches DELETE. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/pod/pod_plan.h"
#include "base/test.h"

#define MAX_CONTAINERS 12
#define WALL (1700000000ll * NSEC_PER_SEC)

struct walk {
    struct rng rng;
    struct arena a; /* of one step */
    struct arena life;
    struct json pod;
    struct pod_seen seen;
    nsec_t stop_at[MAX_CONTAINERS], start_at[MAX_CONTAINERS], busy_until, mono_started[MAX_CONTAINERS];
    bool setting_up;
    bool ended, deleted, saw_delete;
    str phase;
};

static bool chance(struct walk *w, unsigned percent)
{
    return rng_below(&w->rng, 100) < percent;
}

static void add_containers(struct walk *w, struct strbuf *b, const char *list, char letter, unsigned n, bool sidecars)
{
    strbuf_addf(b, ",\"%s\":[", list);
    for (unsigned i = 0; i < n; i++) {
        strbuf_addf(b, "%s{\"name\":\"%c%u\"", i ? "," : "", letter, i);
        bool sidecar = sidecars && chance(w, 40);
        if (sidecar)
            strbuf_addf(b, ",\"restartPolicy\":\"Always\"");
        if ((sidecar || !sidecars) && chance(w, 30))
            strbuf_addf(b, ",\"startupProbe\":{}");
        if ((sidecar || !sidecars) && chance(w, 30))
            strbuf_addf(b, ",\"readinessProbe\":{},\"livenessProbe\":{\"terminationGracePeriodSeconds\":%u}", (unsigned)rng_below(&w->rng, 9) + 1);
        strbuf_add_char(b, '}');
    }
    strbuf_add_char(b, ']');
}

static void make_walk(struct walk *w, uint64_t seed)
{
    static const char *const policies[] = {"Always", "OnFailure", "Never"};
    *w = (struct walk){.a = ARENA_INIT, .life = ARENA_INIT};
    rng_seed(&w->rng, seed);
    struct strbuf b = strbuf_on(&w->life);
    strbuf_addf(&b, "{\"metadata\":{\"name\":\"p\",\"namespace\":\"n\",\"uid\":\"u\"},\"status\":{\"phase\":\"Pending\"},\"spec\":{\"restartPolicy\":\"%s\",\"terminationGracePeriodSeconds\":%u",
                policies[rng_below(&w->rng, 3)], (unsigned)rng_below(&w->rng, 40));
    if (chance(w, 15))
        strbuf_addf(&b, ",\"activeDeadlineSeconds\":%u", (unsigned)rng_below(&w->rng, 300) + 1);
    add_containers(w, &b, "initContainers", 'i', (unsigned)rng_below(&w->rng, 5), true);
    add_containers(w, &b, "containers", 'm', (unsigned)rng_below(&w->rng, 3) + 1, false);
    add_containers(w, &b, "ephemeralContainers", 'e', chance(w, 10), false);
    strbuf_addf(&b, "}}");
    w->pod = json_literal(&w->life, strbuf_cstr(&b));
    w->seen.now = 1000 * NSEC_PER_SEC;
    w->seen.wall = w->seen.started_at = WALL;
    w->seen.ncontainers = pod_seen_containers(&w->life, &w->pod, &w->seen.containers);
    BUG_ON(w->seen.ncontainers > MAX_CONTAINERS);
}

/* --- the executor ----------------------------------------------------------------------------------------- */
static void container_exits(struct walk *w, size_t i, int code)
{
    struct container_seen *c = &w->seen.containers[i];
    c->phase = CONTAINER_PHASE_EXITED;
    c->end = (struct container_end){.exit_code = code, .started_at = c->started_at, .finished_at = w->seen.wall};
    c->exited_at = w->seen.now;
    c->quick_exits = pod_quick_exits(c->quick_exits, w->seen.now - w->mono_started[i]);
    c->stop_grace_s = 0;
}

static void container_starts(struct walk *w, size_t i)
{
    struct container_seen *c = &w->seen.containers[i];
    if (chance(w, 10)) {
        c->phase = CONTAINER_PHASE_FAILED;
        c->waiting_reason = S("ErrImagePull");
        c->retry_at = w->seen.now + 10 * NSEC_PER_SEC;
        return;
    }
    c->phase = CONTAINER_PHASE_RUNNING;
    c->starts++;
    c->started_at = w->seen.wall;
    w->mono_started[i] = w->seen.now;
    c->startup = c->liveness = c->readiness = PROBE_UNKNOWN;
    c->waiting_reason = STR_NONE;
}

static void check_start(struct walk *w, size_t i)
{
    const struct container_seen *c = &w->seen.containers[i];
    T_OK(!w->ended && !w->deleted);
    T_OK(w->seen.has_sandbox && !w->seen.busy);
    T_OK(c->phase == CONTAINER_PHASE_NONE || c->phase == CONTAINER_PHASE_FAILED || c->phase == CONTAINER_PHASE_EXITED);
    if (c->kind == KIND_EPHEMERAL) {
        T_EQ_INT(c->starts, 0);
        return;
    }
    for (size_t k = 0; k < i; k++) {
        const struct container_seen *before = &w->seen.containers[k];
        if (before->kind == KIND_INIT)
            T_OK(before->phase == CONTAINER_PHASE_EXITED && before->end.exit_code == 0);
        else if (before->kind == KIND_SIDECAR)
            T_OK(before->starts > 0);
    }
}

static void take_action(struct walk *w, const struct pod_action *x)
{
    struct container_seen *c = &w->seen.containers[x->container];
    switch (x->act) {
    case POD_ACT_SETUP:
        T_OK(!w->seen.busy && !w->seen.has_sandbox && !w->ended && !w->deleted);
        w->seen.busy = w->setting_up = true;
        w->busy_until = w->seen.now + (nsec_t)rng_below(&w->rng, 5) * NSEC_PER_SEC;
        break;
    case POD_ACT_START:
        check_start(w, x->container);
        if (c->phase == CONTAINER_PHASE_EXITED) {
            c->last = c->end;
            c->has_last = true;
        }
        c->phase = CONTAINER_PHASE_STARTING;
        w->start_at[x->container] = w->seen.now + (nsec_t)rng_below(&w->rng, 5) * NSEC_PER_SEC;
        break;
    case POD_ACT_KILL:
        T_OK(c->phase == CONTAINER_PHASE_RUNNING || (c->phase == CONTAINER_PHASE_STOPPING && x->grace_s < c->stop_grace_s));
        c->phase = CONTAINER_PHASE_STOPPING;
        c->stop_grace_s = x->grace_s;
        w->stop_at[x->container] = w->seen.now + (nsec_t)rng_below(&w->rng, (uint64_t)x->grace_s + 1) * NSEC_PER_SEC;
        break;
    case POD_ACT_TEARDOWN:
        for (size_t i = 0; i < w->seen.ncontainers; i++)
            T_OK(w->seen.containers[i].phase != CONTAINER_PHASE_RUNNING && w->seen.containers[i].phase != CONTAINER_PHASE_STARTING && w->seen.containers[i].phase != CONTAINER_PHASE_STOPPING);
        T_OK(!w->seen.busy && !w->seen.torn_down);
        w->seen.busy = true;
        w->setting_up = false;
        w->busy_until = w->seen.now + (nsec_t)rng_below(&w->rng, 5) * NSEC_PER_SEC;
        break;
    case POD_ACT_DELETE:
        T_OK(w->deleted && w->seen.torn_down);
        w->saw_delete = true;
        break;
    }
}

static void finish_work(struct walk *w)
{
    if (w->seen.busy && w->seen.now >= w->busy_until) {
        w->seen.busy = false;
        bool fails = w->setting_up && chance(w, 20);
        w->seen.setup_retry_at = fails ? w->seen.now + 10 * NSEC_PER_SEC : 0;
        w->seen.has_sandbox = w->setting_up && !fails;
        w->seen.torn_down = !w->setting_up;
    }
    for (size_t i = 0; i < w->seen.ncontainers; i++) {
        struct container_seen *c = &w->seen.containers[i];
        if (c->phase == CONTAINER_PHASE_STARTING && w->seen.now >= w->start_at[i])
            container_starts(w, i);
        else if (c->phase == CONTAINER_PHASE_STOPPING && w->seen.now >= w->stop_at[i])
            container_exits(w, i, chance(w, 50) ? 143 : 0);
    }
}

/* --- the world ---------------------------------------------------------------------------------------------- */
static void something_happens(struct walk *w)
{
    for (size_t i = 0; i < w->seen.ncontainers; i++) {
        struct container_seen *c = &w->seen.containers[i];
        if (c->phase != CONTAINER_PHASE_RUNNING)
            continue;
        if (chance(w, c->kind == KIND_INIT ? 40 : 5))
            container_exits(w, i, chance(w, 60) ? 0 : 1);
        else if (chance(w, 40))
            c->startup = c->readiness = PROBE_OK;
        else if (chance(w, 5))
            c->liveness = PROBE_BAD;
        else if (chance(w, 3))
            c->startup = PROBE_BAD;
        else if (chance(w, 5))
            c->readiness = PROBE_BAD;
    }
    if (!w->deleted && chance(w, 1)) {
        w->deleted = true;
        w->seen.deleting_since = w->seen.now;
        w->seen.grace_s = (int64_t)rng_below(&w->rng, 40);
    } else if (w->deleted && chance(w, 2)) {
        w->seen.grace_s = 0;
    } else if (!w->seen.fail_reason.len && chance(w, 1)) {
        w->seen.fail_reason = S("Evicted");
        w->seen.disruption_target = true;
        w->seen.grace_s = w->deleted ? w->seen.grace_s : 5;
    }
}

static void check_status(struct walk *w, const struct pod_plan *p)
{
    str phase = json_get_str(&p->status, S("phase"));
    bool end = str_is(phase, "Succeeded") || str_is(phase, "Failed");
    if (w->ended)
        T_OK(str_eq(phase, w->phase));
    T_OK(end == p->is_terminal);
    for (size_t i = 0; end && i < w->seen.ncontainers; i++)
        T_OK(w->seen.containers[i].phase != CONTAINER_PHASE_RUNNING && w->seen.containers[i].phase != CONTAINER_PHASE_STARTING && w->seen.containers[i].phase != CONTAINER_PHASE_STOPPING);
    w->ended |= end;
    /* what was reported is what the next plan reads */
    struct json status = json_copy(&w->life, &p->status);
    json_set(&w->life, &w->pod, S("status"), status);
    w->phase = json_get_str(json_get(&w->pod, S("status")), S("phase"));
}

static void step(struct walk *w)
{
    struct pod_plan p, again;
    arena_reset(&w->a);
    pod_plan(&w->a, &w->pod, &w->seen, &p);
    pod_plan(&w->a, &w->pod, &w->seen, &again);
    T_OK(p.nactions == again.nactions && p.wake_at == again.wake_at && json_equal(&p.status, &again.status));
    for (size_t i = 0; i < p.nactions && i < again.nactions; i++)
        T_OK(p.actions[i].act == again.actions[i].act && p.actions[i].container == again.actions[i].container);
    T_OK(!p.wake_at || p.wake_at > w->seen.now);
    check_status(w, &p);
    for (size_t i = 0; i < p.nactions; i++)
        take_action(w, &p.actions[i]);
    nsec_t by = (nsec_t)(rng_below(&w->rng, 4) + 1) * NSEC_PER_SEC;
    w->seen.now += by;
    w->seen.wall += by;
    finish_work(w);
    something_happens(w);
}

static void walk(uint64_t seed)
{
    struct walk w;
    make_walk(&w, seed);
    int steps = 0;
    for (; steps < 120 && !w.saw_delete && !test_failures_; steps++)
        step(&w);
    if (!w.deleted) {
        w.deleted = true;
        w.seen.deleting_since = w.seen.now;
        w.seen.grace_s = 30;
    }
    for (; steps < 400 && !w.saw_delete && !test_failures_; steps++)
        step(&w);
    T_OK(w.saw_delete);
    if (test_failures_)
        printf("# seed %llu, step %d, " STR_FMT "\n", (unsigned long long)seed, steps, STR_ARG(json_text(&w.life, &w.pod)));
    arena_fini(&w.a);
    arena_fini(&w.life);
}

TEST(walks)
{
    for (uint64_t seed = 1; seed <= 1500 && !test_failures_; seed++)
        walk(seed);
}

TEST_MAIN(walks)
