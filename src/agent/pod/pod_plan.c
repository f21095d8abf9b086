/* pod_plan.c - the pod state machine: facts, then actions.
 *
 *   deleting, failed, was_terminal, finished ──► ending: kill all, sidecars last ─► TEARDOWN ─► DELETE (deleting only)
 *   otherwise ──► SETUP ─► init containers one by one, sidecars beside them ─► main containers ─► restarts
 *
 * A worked example: init "a", sidecar "s", init "b", main "m".  The front is the last init container that was reached.  Behind the front sidecars are
 * only kept alive; at the front it is decided whether to go on: a exits 0 → START s; s is started → START b; b exits 0 → START m.  When "s" dies
 * while "b" runs it is started again, and "b" does not wait for it. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/pod/pod_plan_internal.h"

#include "base/civil.h"

#define DEFAULT_GRACE_S 30
#define MIN_GRACE_S 2 /* what a sidecar gets that had to wait for its turn until the grace period was over */

nsec_t pod_backoff_ns(uint32_t quick_exits)
{
    if (quick_exits < 2)
        return 0;
    nsec_t d = POD_BACKOFF_MIN_NS;
    for (uint32_t i = 2; i < quick_exits && d < POD_BACKOFF_MAX_NS; i++)
        d *= 2;
    return MIN(d, POD_BACKOFF_MAX_NS);
}

uint32_t pod_quick_exits(uint32_t before, nsec_t ran_ns)
{
    if (ran_ns >= POD_BACKOFF_RESET_NS)
        return 1;
    return before < 32 ? before + 1 : before;
}

/* --- containers of the spec ----------------------------------------------------------------------------- */
static const char *const lists[] = {"initContainers", "containers", "ephemeralContainers"};

const struct json *pod_container_spec(const struct json *pod, str name)
{
    const struct json *spec = json_get(pod, S("spec"));
    for (size_t l = 0; l < ARRAY_LEN(lists); l++) {
        const struct json *all = json_get(spec, str_of(lists[l]));
        for (uint32_t i = 0; json_is(all, JSON_ARRAY) && i < all->len; i++)
            if (str_eq(json_get_str(&all->items[i], S("name")), name))
                return &all->items[i];
    }
    return NULL;
}

static enum container_kind kind_of(size_t list, const struct json *container)
{
    if (list == 0)
        return str_is(json_get_str(container, S("restartPolicy")), "Always") ? KIND_SIDECAR : KIND_INIT;
    return list == 1 ? KIND_MAIN : KIND_EPHEMERAL;
}

size_t pod_seen_containers(struct arena *a, const struct json *pod, struct container_seen **ret)
{
    const struct json *spec = json_get(pod, S("spec"));
    size_t n = 0;
    for (size_t l = 0; l < ARRAY_LEN(lists); l++) {
        const struct json *all = json_get(spec, str_of(lists[l]));
        n += json_is(all, JSON_ARRAY) ? all->len : 0;
    }
    struct container_seen *c = arena_array(a, n ? n : 1, struct container_seen);
    size_t at = 0;
    for (size_t l = 0; l < ARRAY_LEN(lists); l++) {
        const struct json *all = json_get(spec, str_of(lists[l]));
        for (uint32_t i = 0; json_is(all, JSON_ARRAY) && i < all->len; i++, at++) {
            c[at].name = json_get_str(&all->items[i], S("name"));
            c[at].kind = kind_of(l, &all->items[i]);
        }
    }
    *ret = c;
    return n;
}

/* Almost always in the spec's order, so that a look-up is a comparison. */
static void find_specs(struct plan *p)
{
    const struct pod_seen *seen = p->seen;
    p->specs = arena_array(p->a, seen->ncontainers ? seen->ncontainers : 1, const struct json *);
    size_t at = 0;
    for (size_t l = 0; l < ARRAY_LEN(lists); l++) {
        const struct json *all = json_get(p->spec, str_of(lists[l]));
        for (uint32_t i = 0; json_is(all, JSON_ARRAY) && i < all->len && at < seen->ncontainers; i++)
            if (str_eq(json_get_str(&all->items[i], S("name")), seen->containers[at].name))
                p->specs[at++] = &all->items[i];
    }
    for (; at < seen->ncontainers; at++)
        p->specs[at] = pod_container_spec(p->pod, seen->containers[at].name);
}

/* --- facts ---------------------------------------------------------------------------------------------- */
const struct container_end *container_end_of(const struct container_seen *c)
{
    static const struct container_end lost = {
        .exit_code = 137, .reason = STR_INIT("ContainerStatusUnknown"), .message = STR_INIT("The container could not be located when the pod was deleted.  The container used to be Running")};
    if (c->phase == CONTAINER_PHASE_EXITED)
        return &c->end;
    if (c->phase == CONTAINER_PHASE_NONE && c->starts > 0)
        return c->end.finished_at ? &c->end : &lost;
    return NULL;
}

bool container_is_restarted(const struct plan *p, const struct container_seen *c, const struct container_end *end)
{
    bool bad = end->exit_code != 0 || c->startup == PROBE_BAD || c->liveness == PROBE_BAD;
    if (c->is_replaced && c->kind == KIND_MAIN)
        return true;
    switch (c->kind) {
    case KIND_SIDECAR:
        return true;
    case KIND_INIT:
        return end->exit_code != 0 && p->policy != RESTART_NEVER;
    case KIND_MAIN:
        return p->policy == RESTART_ALWAYS || (p->policy == RESTART_ON_FAILURE && bad);
    case KIND_EPHEMERAL:
        break;
    }
    return false;
}

bool container_is_started(const struct plan *p, size_t i)
{
    const struct container_seen *c = &p->seen->containers[i];
    if ((c->phase != CONTAINER_PHASE_RUNNING && c->phase != CONTAINER_PHASE_STOPPING) || c->post_start_pending)
        return false;
    return c->startup == PROBE_OK || !json_is(json_get(p->specs[i], S("startupProbe")), JSON_OBJECT);
}

static bool init_is_done(const struct plan *p, size_t i)
{
    const struct container_seen *c = &p->seen->containers[i];
    const struct container_end *end = container_end_of(c);
    return c->kind == KIND_SIDECAR ? container_is_started(p, i) : end && end->exit_code == 0;
}

/* The last init container that was reached, -1: none.  ninit: main containers were reached, so all init containers are behind us. */
static ptrdiff_t find_front(const struct plan *p)
{
    for (size_t i = 0; i < p->nmain; i++)
        if (container_is_reached_here(&p->seen->containers[p->ninit + i]))
            return (ptrdiff_t)p->ninit;
    for (size_t i = p->ninit; i-- > 0;)
        if (container_is_reached_here(&p->seen->containers[i]))
            return (ptrdiff_t)i;
    return -1;
}

/* Nothing but sidecars and debuggers would go on: the main containers are through, or an init container has failed for good. */
static bool is_finished(const struct plan *p)
{
    for (size_t i = 0; i < p->ninit; i++) {
        const struct container_end *end = container_end_of(&p->seen->containers[i]);
        if (p->seen->containers[i].kind == KIND_INIT && end && end->exit_code != 0 && p->policy == RESTART_NEVER)
            return true;
    }
    for (size_t i = 0; i < p->nmain; i++) {
        const struct container_seen *c = &p->seen->containers[p->ninit + i];
        const struct container_end *end = container_end_of(c);
        if (!end || container_is_restarted(p, c, end))
            return false;
    }
    return p->nmain > 0;
}

static void wake(struct plan *p, nsec_t at)
{
    if (!p->ret->wake_at || at < p->ret->wake_at)
        p->ret->wake_at = at;
}

static void check_deadline(struct plan *p)
{
    int64_t seconds = json_get_int(p->spec, S("activeDeadlineSeconds"), 0);
    if (seconds <= 0 || p->failed || p->was_terminal || seconds > INT64_MAX / NSEC_PER_SEC / 4)
        return;
    nsec_t left = p->start_time + seconds * NSEC_PER_SEC - p->seen->wall;
    if (left > 0) {
        wake(p, p->seen->now + left);
        return;
    }
    p->failed = true;
    p->fail_reason = S("DeadlineExceeded");
    p->fail_message = S("Pod was active on the node longer than the specified deadline");
}

static void find_facts(struct plan *p)
{
    const struct pod_seen *seen = p->seen;
    str policy = json_get_str(p->spec, S("restartPolicy")), started = json_get_str(p->old, S("startTime"));
    p->policy = str_is(policy, "Never") ? RESTART_NEVER : str_is(policy, "OnFailure") ? RESTART_ON_FAILURE : RESTART_ALWAYS;
    if (!civil_parse(started, &p->start_time))
        p->start_time = seen->started_at ? seen->started_at : seen->wall;
    for (size_t i = 0; i < seen->ncontainers; i++) {
        p->alive += container_is_alive(&seen->containers[i]);
        p->ninit += seen->containers[i].kind <= KIND_SIDECAR;
        p->nmain += seen->containers[i].kind == KIND_MAIN;
    }
    find_specs(p);
    p->old_phase = json_get_str(p->old, S("phase"));
    p->was_terminal = phase_is_terminal(p->old_phase);
    p->deleting = seen->deleting_since != 0;
    p->failed = seen->fail_reason.len > 0;
    p->fail_reason = seen->fail_reason;
    p->fail_message = seen->fail_message;
    p->grace_s = p->deleting || p->failed ? seen->grace_s : json_get_int(p->spec, S("terminationGracePeriodSeconds"), DEFAULT_GRACE_S);
    check_deadline(p);
    p->ending = p->deleting || p->failed || p->was_terminal || is_finished(p);
    ptrdiff_t front = find_front(p);
    p->initialized = front == (ptrdiff_t)p->ninit || (front + 1 == (ptrdiff_t)p->ninit && (front < 0 || init_is_done(p, (size_t)front)));
}

/* --- actions -------------------------------------------------------------------------------------------- */
/* NULL beyond the bound: the next plan, at once, asks for the rest. */
static struct pod_action *act(struct plan *p, enum pod_act what)
{
    struct pod_plan *r = p->ret;
    if (r->nactions == POD_PLAN_ACTIONS) {
        wake(p, p->seen->now);
        return NULL;
    }
    r->actions[r->nactions] = (struct pod_action){.act = what};
    return &r->actions[r->nactions++];
}

static void kill_container(struct plan *p, size_t i, int64_t grace_s, str message)
{
    struct pod_action *k = act(p, POD_ACT_KILL);
    if (!k)
        return;
    k->container = i;
    k->grace_s = MAX(grace_s, (int64_t)0);
    k->reason = "Killing";
    k->message = message;
}

/* Kills it, or hurries a kill that would take longer. */
static void stop_container(struct plan *p, size_t i, int64_t grace_s)
{
    const struct container_seen *c = &p->seen->containers[i];
    if (c->phase == CONTAINER_PHASE_RUNNING || (c->phase == CONTAINER_PHASE_STOPPING && grace_s < c->stop_grace_s))
        kill_container(p, i, grace_s, arena_fmt(p->a, "Stopping container " STR_FMT, STR_ARG(c->name)));
}

static nsec_t last_main_end(const struct plan *p)
{
    nsec_t last = 0;
    for (size_t i = 0; i < p->nmain; i++) {
        const struct container_end *end = container_end_of(&p->seen->containers[p->ninit + i]);
        last = end ? MAX(last, end->finished_at) : last;
    }
    return last;
}

/* Main containers at once; then sidecars from the last to the first, each when those after it are gone or the grace period is over. */
static void stop_all(struct plan *p)
{
    const struct pod_seen *seen = p->seen;
    size_t others = 0;
    for (size_t i = 0; i < seen->ncontainers; i++)
        if (seen->containers[i].kind != KIND_SIDECAR && container_is_alive(&seen->containers[i])) {
            stop_container(p, i, p->grace_s);
            others++;
        }
    nsec_t since = p->deleting ? seen->deleting_since : seen->now;
    nsec_t ended = last_main_end(p);
    if (!p->deleting && !others && ended && ended < seen->wall)
        since = seen->now - (seen->wall - ended);
    int64_t left = p->grace_s - (seen->now - since) / NSEC_PER_SEC;
    bool over = left <= 0;
    left = p->grace_s < MIN_GRACE_S ? p->grace_s : MAX(left, (int64_t)MIN_GRACE_S);
    for (size_t i = p->ninit; i-- > 0;) {
        const struct container_seen *c = &seen->containers[i];
        if (c->kind != KIND_SIDECAR || !container_is_alive(c))
            continue;
        if (others && !over && p->grace_s > 0) {
            wake(p, since + p->grace_s * NSEC_PER_SEC);
            continue;
        }
        /* one that waited gets what is left; one whose turn it is and that is stopping already keeps what it got, unless the whole pod is hurried */
        if (c->phase == CONTAINER_PHASE_RUNNING)
            stop_container(p, i, left);
        else
            stop_container(p, i, p->grace_s);
        others++;
    }
}

static void end_pod(struct plan *p)
{
    const struct pod_seen *seen = p->seen;
    if (p->alive) {
        stop_all(p);
        return;
    }
    if (seen->busy)
        return;
    if (!seen->torn_down)
        act(p, POD_ACT_TEARDOWN);
    else if (p->deleting)
        act(p, POD_ACT_DELETE);
}

/* START now, or a wake-up when a failed start or a crash has to wait. */
static void start_container(struct plan *p, size_t i)
{
    const struct container_seen *c = &p->seen->containers[i];
    nsec_t due = p->seen->now;
    if (c->phase == CONTAINER_PHASE_FAILED)
        due = c->retry_at;
    else if (c->phase == CONTAINER_PHASE_EXITED)
        due = c->exited_at + pod_backoff_ns(c->quick_exits);
    if (due > p->seen->now) {
        wake(p, due);
        return;
    }
    struct pod_action *start = act(p, POD_ACT_START);
    if (start)
        start->container = i;
}

static void kill_unhealthy(struct plan *p, size_t i, const char *probe, const char *what)
{
    const struct container_seen *c = &p->seen->containers[i];
    int64_t grace = json_get_int(p->spec, S("terminationGracePeriodSeconds"), DEFAULT_GRACE_S);
    grace = json_get_int(json_get(p->specs[i], str_of(probe)), S("terminationGracePeriodSeconds"), grace);
    bool again = c->kind == KIND_SIDECAR || p->policy != RESTART_NEVER;
    kill_container(p, i, grace, arena_fmt(p->a, "Container " STR_FMT " failed %s probe%s", STR_ARG(c->name), what, again ? ", will be restarted" : ""));
}

/* Restarts it, kills it when a probe says so.  Never starts one for the first time. */
static void keep_container(struct plan *p, size_t i)
{
    const struct container_seen *c = &p->seen->containers[i];
    const struct container_end *end = container_end_of(c);
    if (c->phase == CONTAINER_PHASE_FAILED || (end && container_is_restarted(p, c, end)))
        start_container(p, i);
    else if (c->phase == CONTAINER_PHASE_RUNNING && c->is_replaced && (c->kind == KIND_MAIN || c->kind == KIND_SIDECAR))
        kill_container(p, i, json_get_int(p->spec, S("terminationGracePeriodSeconds"), DEFAULT_GRACE_S),
                       arena_fmt(p->a, "Container " STR_FMT " definition changed, will be restarted", STR_ARG(c->name)));
    else if (c->phase == CONTAINER_PHASE_RUNNING && c->startup == PROBE_BAD)
        kill_unhealthy(p, i, "startupProbe", "startup");
    else if (c->phase == CONTAINER_PHASE_RUNNING && c->liveness == PROBE_BAD)
        kill_unhealthy(p, i, "livenessProbe", "liveness");
}

static void run_pod(struct plan *p)
{
    const struct pod_seen *seen = p->seen;
    if (seen->busy)
        return;
    if (!seen->has_sandbox) {
        if (seen->setup_retry_at > seen->now)
            wake(p, seen->setup_retry_at);
        else
            act(p, POD_ACT_SETUP);
        return;
    }
    ptrdiff_t front = find_front(p);
    for (size_t i = 0; i < p->ninit && (ptrdiff_t)i <= front; i++)
        if (seen->containers[i].kind == KIND_SIDECAR || (ptrdiff_t)i == front)
            keep_container(p, i);
    if (!p->initialized && (front < 0 || init_is_done(p, (size_t)front)))
        start_container(p, (size_t)(front + 1));
    for (size_t i = p->ninit; i < seen->ncontainers; i++) {
        if (container_is_reached_here(&seen->containers[i]))
            keep_container(p, i);
        else if (seen->containers[i].kind == KIND_EPHEMERAL || p->initialized)
            start_container(p, i); /* debuggers do not wait for init containers: they may be about them */
    }
}

void pod_plan(struct arena *a, const struct json *pod, const struct pod_seen *seen, struct pod_plan *ret)
{
    struct plan p = {.a = a, .pod = pod, .spec = json_get(pod, S("spec")), .old = json_get(pod, S("status")), .seen = seen, .ret = ret};
    ret->nactions = 0;
    ret->wake_at = 0;
    ret->is_terminal = false;
    ret->probe = arena_array(a, seen->ncontainers ? seen->ncontainers : 1, bool);
    find_facts(&p);
    if (p.ending)
        end_pod(&p);
    else
        run_pod(&p);
    for (size_t i = 0; i < seen->ncontainers; i++) {
        const struct container_seen *c = &seen->containers[i];
        ret->probe[i] = !c->post_start_pending && (c->phase == CONTAINER_PHASE_RUNNING || c->phase == CONTAINER_PHASE_STOPPING);
    }
    plan_status(&p);
}
