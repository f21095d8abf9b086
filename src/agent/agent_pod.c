/* agent_pod.c - one pod: what is seen of it goes to pod_plan, what the plan asks for is begun.
 *
 *   something happened ─► agent_pod_kick ─► (end of the loop's turn) seen ─► pod_plan ─► operations, probes, status, a time to look again
 *
 * Everything that changes a pod ends with a kick; the plan decides alone. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/agent_internal.h"
#include "base/civil.h"
#include "base/log.h"

/* --- containers ------------------------------------------------------------------------------------------------------------- */
struct agent_container *agent_pod_container(struct agent_pod *p, str name)
{
    for (size_t i = 0; i < p->containers.len; i++) {
        if (str_eq(p->containers.p[i]->name, name))
            return p->containers.p[i];
    }
    return NULL;
}

static void on_kill_timer(struct loop_timer *t);

/* In the order of the plan: ephemeral containers are the last and the only ones that come later. */
void agent_pod_containers(struct agent_pod *p)
{
    ARENA_AUTO a = ARENA_INIT;
    struct container_seen *all;
    size_t n = pod_seen_containers(&a, &p->tree, &all);
    for (size_t i = 0; i < n; i++) {
        if (agent_pod_container(p, all[i].name))
            continue;
        struct agent_container *c = xcalloc(1, sizeof *c);
        c->pod = p;
        c->texts = ARENA_SMALL(256);
        c->name = arena_str(&p->names, all[i].name);
        c->seen = (struct container_seen){.name = c->name, .kind = all[i].kind};
        c->kill_timer.fire = on_kill_timer;
        vec_push(&p->containers, c);
    }
}

/* Texts of a container are few and change with every run: all that stay are copied to a fresh arena. */
void agent_container_keep_texts(struct agent_container *c)
{
    struct arena fresh = ARENA_SMALL(256);
    str *texts[] = {&c->seen.id,         &c->seen.image,      &c->seen.image_id,    &c->seen.end.reason,     &c->seen.end.message,     &c->seen.end.id,  &c->seen.last.reason,
                    &c->seen.last.message, &c->seen.last.id, &c->seen.waiting_reason, &c->seen.waiting_message, &c->tried};
    for (size_t i = 0; i < ARRAY_LEN(texts); i++)
        *texts[i] = texts[i]->len ? arena_str(&fresh, *texts[i]) : S("");
    arena_fini(&c->texts);
    c->texts = fresh;
}

static void set_runtime_id(struct agent_container *c, str id)
{
    struct agent *g = c->pod->agent;
    if (c->runtime_id.len) {
        map_del(&g->by_container, c->runtime_id);
        free((char *)c->runtime_id.p);
    }
    c->runtime_id = id.len ? str_n(str_dup(id), id.len) : S("");
    if (id.len)
        map_put(&g->by_container, c->runtime_id, c);
}

void agent_container_running(struct agent_container *c, const struct container_status *s, bool adopted)
{
    ARENA_AUTO a = ARENA_INIT;
    struct agent *g = c->pod->agent;
    set_runtime_id(c, s->id);
    c->seen.phase = CONTAINER_PHASE_RUNNING;
    c->seen.starts = s->attempt + 1;
    c->seen.started_at = s->started_at;
    c->seen.id = arena_fmt(&a, "%s://" STR_FMT, c->pod->runtime->ops->name, STR_ARG(s->id));
    c->seen.waiting_reason = c->seen.waiting_message = S("");
    c->seen.startup = c->seen.liveness = c->seen.readiness = PROBE_UNKNOWN;
    c->seen.post_start_pending = false;
    c->seen.stop_grace_s = 0;
    c->seen.is_stale = c->seen.is_replaced = false;
    c->start_failures = 0;
    agent_container_keep_texts(c);
    if (adopted)
        return;
    agent_event(g, c->pod, c, "Normal", "Started", arena_fmt(&a, "Started container " STR_FMT, STR_ARG(c->name)));
}

void agent_pod_probes_stop(struct agent_container *c)
{
    probe_set_stop(TAKE(c->probes));
    if (c->hook)
        hook_cancel(TAKE(c->hook));
}

void agent_container_exited(struct agent_container *c, const struct container_status *s, str message)
{
    struct agent *g = c->pod->agent;
    nsec_t now = loop_now(g->loop);
    agent_pod_probes_stop(c);
    loop_timer_stop(g->loop, &c->kill_timer);
    c->kill_at = 0;
    c->seen.phase = CONTAINER_PHASE_EXITED;
    str reason = s->oom_killed ? S("OOMKilled") : s->reason;
    c->seen.end = (struct container_end){.exit_code = s->exit_code, .signal = s->signal, .reason = reason, .message = message.len ? message : s->message, .id = c->seen.id,
                                         .started_at = s->started_at, .finished_at = s->finished_at};
    nsec_t ran = s->finished_at && s->started_at ? s->finished_at - s->started_at : 0;
    c->seen.quick_exits = c->seen.is_replaced ? 0 : pod_quick_exits(c->seen.quick_exits, ran); /* a new image starts at once */
    c->seen.exited_at = now;
    c->seen.post_start_pending = false;
    set_runtime_id(c, S(""));
    agent_gpus_release(c);
    agent_container_keep_texts(c);
}

/* --- probes -------------------------------------------------------------------------------------------------------------------- */
static const char *const probe_names[] = {[PROBE_STARTUP] = "Startup", [PROBE_LIVENESS] = "Liveness", [PROBE_READINESS] = "Readiness"};

void agent_on_probe(void *arg, struct probe_set *set, enum probe_kind kind, enum probe_verdict verdict, bool failed, str message)
{
    struct agent *g = arg;
    struct agent_container *c = probe_set_owner(set);
    enum probe_verdict *place = kind == PROBE_STARTUP ? &c->seen.startup : kind == PROBE_LIVENESS ? &c->seen.liveness : &c->seen.readiness;
    if (failed) {
        ARENA_AUTO a = ARENA_INIT;
        bool has_kind = str_find(message, S(" probe failed")) >= 0;
        str text = has_kind ? message : arena_fmt(&a, "%s probe failed: " STR_FMT, probe_names[kind], STR_ARG(message));
        agent_event(g, c->pod, c, "Warning", "Unhealthy", text);
    }
    if (*place == verdict)
        return;
    *place = verdict;
    agent_pod_kick(c->pod);
}

/* A container that was ready before the agent came stays so until a probe says otherwise. */
static void assume_verdicts(struct agent_container *c)
{
    static const char *const lists[] = {"containerStatuses", "initContainerStatuses"};
    for (size_t l = 0; l < ARRAY_LEN(lists); l++) {
        const struct json *list = json_path(&c->pod->tree, "status", lists[l], NULL);
        for (uint32_t i = 0; json_is(list, JSON_ARRAY) && i < list->len; i++) {
            const struct json *s = &list->items[i];
            if (!str_eq(json_get_str(s, S("name")), c->name) || !str_eq(json_get_str(s, S("containerID")), c->seen.id))
                continue;
            if (json_get_bool(s, S("started"), false))
                probe_set_assume(c->probes, PROBE_STARTUP, PROBE_OK);
            if (json_get_bool(s, S("ready"), false))
                probe_set_assume(c->probes, PROBE_READINESS, PROBE_OK);
        }
    }
    c->seen.startup = probe_set_verdict(c->probes, PROBE_STARTUP);
    c->seen.readiness = probe_set_verdict(c->probes, PROBE_READINESS);
}

static void mind_probes(struct agent_container *c, bool wanted)
{
    struct agent_pod *p = c->pod;
    if (!wanted && c->probes)
        probe_set_stop(TAKE(c->probes));
    if (!wanted || c->probes || !c->runtime_id.len)
        return;
    const struct json *spec = pod_container_spec(&p->tree, c->name);
    if (!json_get(spec, S("startupProbe")) && !json_get(spec, S("livenessProbe")) && !json_get(spec, S("readinessProbe")))
        return;
    str ip = p->seen.pod_ip.len ? p->seen.pod_ip : p->agent->node_ip;
    c->probes = probe_set_start(p->agent->probes, &p->tree, spec, c->runtime_id, ip, c);
    assume_verdicts(c);
}

/* --- kills that last ---------------------------------------------------------------------------------------------------------------- */
static void on_kill_timer(struct loop_timer *t)
{
    struct agent_container *c = container_of(t, struct agent_container, kill_timer);
    if (c->hook)
        hook_cancel(TAKE(c->hook));
    agent_op_kill(c, 0, NULL, S(""));
}

/* --- events of the runtime ------------------------------------------------------------------------------------------------------------ */
/* One that ended before its start has come back from the pool is not known by its id yet: whoever is being started is looked at then. */
static void look_after_starts(struct agent *g)
{
    list_foreach(p, &g->pods, struct agent_pod, link) {
        for (size_t i = 0; i < p->containers.len; i++) {
            struct agent_container *c = p->containers.p[i];
            if (c->op && c->op->kind == OP_START)
                c->exit_wanted = true;
        }
    }
}

void agent_on_runtime_change(void *arg, str id)
{
    struct agent *g = arg;
    struct agent_container *c = map_get(&g->by_container, id);
    if (g->stopping)
        return;
    if (!c)
        look_after_starts(g);
    else if (c->op)
        c->exit_wanted = true;
    else
        agent_op_status(c);
}

/* --- the node's own checks ---------------------------------------------------------------------------------------------------------------- */
void agent_pod_fail(struct agent_pod *p, const char *reason, str message, bool disruption)
{
    if (p->seen.fail_reason.len)
        return;
    p->seen.fail_reason = str_of(reason);
    p->seen.fail_message = arena_str(&p->names, message);
    p->seen.disruption_target = disruption;
    agent_event(p->agent, p, NULL, "Warning", reason, message);
    agent_pod_kick(p);
}

/* --- sync --------------------------------------------------------------------------------------------------------------------------------- */
static void mind_deletion(struct agent_pod *p)
{
    const struct json *meta = json_get(&p->tree, S("metadata"));
    nsec_t now = loop_now(p->agent->loop);
    bool deleting = json_get_str(meta, S("deletionTimestamp")).len > 0;
    if (!deleting && !p->gone)
        return;
    int64_t spec_s = json_get_int(json_get(&p->tree, S("spec")), S("terminationGracePeriodSeconds"), 30);
    int64_t grace_s = deleting ? json_get_int(meta, S("deletionGracePeriodSeconds"), spec_s) : spec_s;
    if (p->gone && !p->is_static)
        grace_s = MIN(grace_s, 1);
    /* a second deletion may be in more of a hurry, never in less */
    p->seen.grace_s = p->seen.deleting_since ? MIN(p->seen.grace_s, grace_s) : grace_s;
    if (!p->seen.deleting_since)
        p->seen.deleting_since = now;
}

static void begin(struct agent_pod *p, const struct pod_action *act)
{
    struct agent_container *c = act->act == POD_ACT_START || act->act == POD_ACT_KILL ? p->containers.p[act->container] : NULL;
    switch (act->act) {
    case POD_ACT_SETUP:
        agent_op_setup(p);
        break;
    case POD_ACT_START:
        agent_op_start(c);
        break;
    case POD_ACT_KILL:
        agent_op_kill(c, act->grace_s, act->reason, act->message);
        break;
    case POD_ACT_TEARDOWN:
        agent_op_teardown(p);
        break;
    case POD_ACT_DELETE:
        if (p->is_forgotten)
            agent_report_delete(p); /* may free it: it is the only action then */
        else
            agent_op_forget(p);
        break;
    }
}

static void show_seen(struct agent_pod *p, struct arena *a)
{
    struct agent *g = p->agent;
    p->seen.now = loop_now(g->loop);
    p->seen.wall = clock_wall(g->clock);
    p->seen.busy = p->op && p->op->kind != OP_REFRESH; /* containers need not wait for a refresh, and tearing down does */
    p->seen.host_ip = g->node_ip;
    p->seen.ncontainers = p->containers.len;
    p->seen.containers = arena_array(a, p->containers.len, struct container_seen);
    for (size_t i = 0; i < p->containers.len; i++)
        p->seen.containers[i] = p->containers.p[i]->seen;
}

/* Nothing runs before the node's network can take pods; a pod on the machine's own network need not wait. */
static bool must_wait_for_network(const struct agent_pod *p)
{
    const struct agent *g = p->agent;
    return g->opts.network && !p->runtime->ops->has_network && !g->network_ready && !json_get_bool(json_get(&p->tree, S("spec")), S("hostNetwork"), false) && !p->seen.has_sandbox &&
           !p->seen.torn_down;
}

/* Files say that the pod was ours; whether it still is, the API knows alone.  What ran when the agent came is looked after, but what did not run is begun only when the API
 * has shown it: after days without power it may have been given up, and run elsewhere by now. */
static bool must_ask_first(const struct agent_pod *p)
{
    return p->is_adopted && !p->ran_on && !p->is_static;
}

/* The spec may have another image than the one that runs, or than the one that could not be pulled. */
static void mind_images(struct agent_pod *p)
{
    for (size_t i = 0; i < p->containers.len; i++) {
        struct agent_container *c = p->containers.p[i];
        str image = json_get_str(pod_container_spec(&p->tree, c->name), S("image"));
        if (c->seen.phase == CONTAINER_PHASE_RUNNING && c->seen.image.len && image.len && !str_eq(c->seen.image, image))
            c->seen.is_replaced = true;
        if (c->seen.phase != CONTAINER_PHASE_FAILED || !c->image_failed || str_eq(c->tried, image))
            continue;
        c->seen.retry_at = 0;
        c->start_failures = 0;
    }
}

static void remove_ended(struct agent_pod *p)
{
    for (size_t i = 0; i < p->containers.len; i++) {
        struct agent_container *c = p->containers.p[i];
        if (c->remove_id && !c->op)
            agent_op_remove(c);
    }
}

static void tell_backoff(struct agent_pod *p, const struct json *status)
{
    ARENA_AUTO a = ARENA_INIT;
    for (size_t i = 0; i < p->containers.len; i++) {
        struct agent_container *c = p->containers.p[i];
        if (c->seen.phase != CONTAINER_PHASE_EXITED || c->backoff_told == c->seen.starts || !pod_backoff_ns(c->seen.quick_exits))
            continue;
        const struct json *list = json_get(status, c->seen.kind == KIND_MAIN ? S("containerStatuses") : S("initContainerStatuses"));
        for (uint32_t k = 0; json_is(list, JSON_ARRAY) && k < list->len; k++) {
            bool waits = str_is(json_get_str(json_path(&list->items[k], "state", "waiting", NULL), S("reason")), "CrashLoopBackOff");
            if (!waits || !str_eq(json_get_str(&list->items[k], S("name")), c->name))
                continue;
            c->backoff_told = c->seen.starts;
            agent_event(p->agent, p, c, "Warning", "BackOff",
                        arena_fmt(&a, "Back-off restarting failed container " STR_FMT " in pod " STR_FMT "_" STR_FMT "(" STR_FMT ")", STR_ARG(c->name), STR_ARG(p->name), STR_ARG(p->ns), STR_ARG(p->uid)));
        }
    }
}

static void sync(struct agent_pod *p)
{
    struct agent *g = p->agent;
    ARENA_AUTO a = ARENA_INIT;
    if (g->stopping || p->deleting_in_api)
        return;
    mind_deletion(p);
    if ((must_wait_for_network(p) || must_ask_first(p)) && !p->seen.deleting_since)
        return;
    mind_images(p);
    for (size_t i = 0; i < p->containers.len; i++) { /* before the plan: one that was ready before the agent came is not unready for a moment */
        struct agent_container *c = p->containers.p[i];
        if (c->seen.phase == CONTAINER_PHASE_RUNNING && !c->seen.post_start_pending)
            mind_probes(c, true);
    }
    show_seen(p, &a);
    struct pod_plan plan = {0};
    pod_plan(&a, &p->tree, &p->seen, &plan);
    for (size_t i = 0; i < p->containers.len; i++)
        mind_probes(p->containers.p[i], plan.probe[i]);
    p->has_ended = plan.is_terminal;
    agent_report(p, &plan.status);
    remove_ended(p); /* their ends are in a file now */
    tell_backoff(p, &plan.status);
    if (p->says_new)
        agent_report_settle(p); /* the status that was planned lies in the old tree and is not touched any more */
    if (plan.wake_at)
        loop_timer_set(g->loop, &p->wake, plan.wake_at);
    else
        loop_timer_stop(g->loop, &p->wake);
    for (size_t i = 0; i < plan.nactions; i++)
        begin(p, &plan.actions[i]);
}

void agent_pod_on_defer(struct loop_defer *d)
{
    sync(container_of(d, struct agent_pod, sync));
}

void agent_pod_on_wake(struct loop_timer *t)
{
    sync(container_of(t, struct agent_pod, wake));
}

void agent_pod_kick(struct agent_pod *p)
{
    if (!p->agent->stopping)
        loop_defer(p->agent->loop, &p->sync);
}
