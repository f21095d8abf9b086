/* pod_plan_status.c - the status that belongs to what is seen: container states, phase, conditions, addresses.
 *
 *   container_seen ─► struct shown (waiting, running or terminated) ─► phase ─► conditions
 *
 * The rules are the kubelet's, so that controllers and people find what they know: a crashed container that waits for its back-off is Waiting with
 * its end in lastState; a pod is not Succeeded or Failed before nothing of it runs; what other writers put among the conditions stays. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/pod/pod_plan_internal.h"

#include "base/civil.h"

enum shown_state { SHOWN_WAITING, SHOWN_RUNNING, SHOWN_TERMINATED };

struct shown {
    enum shown_state state;
    str reason, message;              /* WAITING */
    const struct container_end *end;  /* TERMINATED */
    const struct container_end *last; /* of the run before, may be NULL */
    const struct json *kept;          /* of the old status, as it was: the agent knows nothing newer */
    bool ready, started;
};

/* --- making objects: members are known to be new, so nothing is looked up ----------------------------------- */
static struct json object_with(struct arena *a, uint32_t room)
{
    struct json o = json_object();
    o.members = arena_alloc(a, room * sizeof *o.members);
    o.cap = room;
    return o;
}

static void put(struct json *o, str key, struct json value)
{
    BUG_ON(o->len == o->cap);
    o->members[o->len++] = (struct json_member){.key = key, .value = value};
}

static void put_str(struct json *o, str key, str value)
{
    if (value.len)
        put(o, key, json_string(value));
}

static struct json time_of(struct arena *a, nsec_t wall)
{
    char *text = arena_alloc(a, CIVIL_TIME_LEN + 1);
    civil_format(wall, text);
    return json_string(str_n(text, CIVIL_TIME_LEN));
}

static void put_time(struct arena *a, struct json *o, str key, nsec_t wall)
{
    if (wall)
        put(o, key, time_of(a, wall));
}

static struct json wrapped(struct arena *a, str key, struct json value)
{
    struct json o = object_with(a, 1);
    put(&o, key, value);
    return o;
}

/* --- containers ----------------------------------------------------------------------------------------- */
static const struct container_end never_ran = {
    .exit_code = 137, .reason = STR_INIT("ContainerStatusUnknown"), .message = STR_INIT("The container could not be located when the pod was terminated")};

static const str list_names[] = {
    [KIND_INIT] = STR_INIT("initContainerStatuses"),
    [KIND_SIDECAR] = STR_INIT("initContainerStatuses"),
    [KIND_MAIN] = STR_INIT("containerStatuses"),
    [KIND_EPHEMERAL] = STR_INIT("ephemeralContainerStatuses"),
};

static const struct json *old_status(const struct plan *p, const struct container_seen *c)
{
    const struct json *all = json_get(p->old, list_names[c->kind]);
    for (uint32_t i = 0; json_is(all, JSON_ARRAY) && i < all->len; i++)
        if (str_eq(json_get_str(&all->items[i], S("name")), c->name))
            return &all->items[i];
    return NULL;
}

/* The agent was started anew after the pod ended and knows nothing of it any more. */
static bool show_old(const struct plan *p, const struct container_seen *c, struct shown *s)
{
    if (!p->was_terminal || container_is_reached(c))
        return false;
    const struct json *old = old_status(p, c), *end = json_path(old, "state", "terminated", NULL);
    if (!end)
        return false;
    struct container_end *e = arena_new(p->a, struct container_end);
    e->exit_code = (int)json_get_int(end, S("exitCode"), 0);
    *s = (struct shown){.state = SHOWN_TERMINATED, .end = e, .kept = old, .ready = json_get_bool(old, S("ready"), false)};
    return true;
}

/* As Go prints durations of whole seconds. */
static str go_seconds(struct arena *a, nsec_t d)
{
    long long s = d / NSEC_PER_SEC;
    return s < 60 ? arena_fmt(a, "%llds", s) : arena_fmt(a, "%lldm%llds", s / 60, s % 60);
}

static void show_ended(const struct plan *p, const struct container_seen *c, const struct container_end *end, struct shown *s)
{
    nsec_t backoff = pod_backoff_ns(c->quick_exits);
    if (c->is_replaced && !p->ending && c->kind != KIND_INIT) { /* never told as ended: an API server lets no container of policy Never come back from there */
        *s = (struct shown){.state = SHOWN_WAITING, .reason = S("ContainerCreating"), .last = end};
        return;
    }
    if (p->ending || !backoff || c->phase != CONTAINER_PHASE_EXITED || !container_is_restarted(p, c, end)) {
        *s = (struct shown){.state = SHOWN_TERMINATED, .end = end, .last = c->has_last ? &c->last : NULL};
        return;
    }
    const struct json *meta = json_get(p->pod, S("metadata"));
    str name = json_get_str(meta, S("name")), ns = json_get_str(meta, S("namespace")), uid = json_get_str(meta, S("uid")), wait = go_seconds(p->a, backoff);
    *s = (struct shown){.state = SHOWN_WAITING,
                        .last = end,
                        .reason = S("CrashLoopBackOff"),
                        .message = arena_fmt(p->a, "back-off " STR_FMT " restarting failed container=" STR_FMT " pod=" STR_FMT "_" STR_FMT "(" STR_FMT ")", STR_ARG(wait), STR_ARG(c->name), STR_ARG(name),
                                             STR_ARG(ns), STR_ARG(uid))};
}

static void show_waiting(const struct plan *p, const struct container_seen *c, struct shown *s)
{
    *s = (struct shown){.state = SHOWN_WAITING, .reason = c->waiting_reason, .message = c->waiting_message, .last = c->has_last ? &c->last : NULL};
    if (!s->reason.len)
        s->reason = p->ninit ? S("PodInitializing") : S("ContainerCreating");
    if (c->phase == CONTAINER_PHASE_NONE && !p->seen->has_sandbox && !s->message.len)
        s->message = p->seen->setup_message;
    if (!p->ending || p->alive)
        return;
    /* the pod has ended: it will not be tried again */
    if (s->last)
        *s = (struct shown){.state = SHOWN_TERMINATED, .end = s->last};
    else if (c->kind == KIND_MAIN && p->initialized)
        *s = (struct shown){.state = SHOWN_TERMINATED, .end = &never_ran};
}

static void show(const struct plan *p, size_t i, struct shown *s)
{
    const struct container_seen *c = &p->seen->containers[i];
    if (show_old(p, c, s))
        return;
    const struct container_end *end = container_end_of(c);
    if (end) {
        show_ended(p, c, end, s);
        s->ready = c->kind == KIND_INIT && end->exit_code == 0;
        return;
    }
    if (c->phase != CONTAINER_PHASE_RUNNING && c->phase != CONTAINER_PHASE_STOPPING) {
        show_waiting(p, c, s);
        return;
    }
    *s = (struct shown){.state = SHOWN_RUNNING, .last = c->has_last ? &c->last : NULL};
    s->started = container_is_started(p, i);
    if (s->started && c->kind != KIND_INIT)
        s->ready = c->readiness == PROBE_OK || (c->readiness == PROBE_UNKNOWN && !json_is(json_get(p->specs[i], S("readinessProbe")), JSON_OBJECT));
}

static struct json end_json(struct arena *a, const struct container_end *e)
{
    struct json o = object_with(a, 7);
    put_str(&o, S("containerID"), e->id);
    put(&o, S("exitCode"), json_int(a, e->exit_code));
    put_time(a, &o, S("finishedAt"), e->finished_at);
    put_str(&o, S("message"), e->message);
    put(&o, S("reason"), json_string(e->reason.len ? e->reason : e->exit_code == 0 ? S("Completed") : S("Error")));
    if (e->signal)
        put(&o, S("signal"), json_int(a, e->signal));
    put_time(a, &o, S("startedAt"), e->started_at);
    return wrapped(a, S("terminated"), o);
}

static struct json state_json(struct arena *a, const struct container_seen *c, const struct shown *s)
{
    if (s->state == SHOWN_TERMINATED)
        return end_json(a, s->end);
    struct json o = object_with(a, 2);
    if (s->state == SHOWN_RUNNING) {
        put_time(a, &o, S("startedAt"), c->started_at);
        return wrapped(a, S("running"), o);
    }
    put_str(&o, S("message"), s->message);
    put_str(&o, S("reason"), s->reason);
    return wrapped(a, S("waiting"), o);
}

static struct json container_json(const struct plan *p, size_t i, const struct shown *s)
{
    const struct container_seen *c = &p->seen->containers[i];
    if (s->kept)
        return *s->kept;
    struct arena *a = p->a;
    struct json o = object_with(a, 9);
    put_str(&o, S("containerID"), c->id);
    put(&o, S("image"), json_string(c->image.len ? c->image : json_get_str(p->specs[i], S("image"))));
    put(&o, S("imageID"), json_string(c->image_id));
    put(&o, S("lastState"), s->last ? end_json(a, s->last) : json_object());
    put(&o, S("name"), json_string(c->name));
    put(&o, S("ready"), json_bool(s->ready));
    put(&o, S("restartCount"), json_int(a, c->starts > 1 ? c->starts - 1 : 0));
    put(&o, S("started"), json_bool(s->started));
    put(&o, S("state"), state_json(a, c, s));
    return o;
}

/* --- phase ---------------------------------------------------------------------------------------------- */
struct counts {
    size_t pending_init, pending_sidecars, failed_init;
    size_t running, waiting, stopped, succeeded;
};

static void count(const struct plan *p, size_t i, const struct shown *s, struct counts *n)
{
    enum container_kind kind = p->seen->containers[i].kind;
    bool ran = s->state == SHOWN_WAITING && s->last;
    int code = s->state == SHOWN_TERMINATED ? s->end->exit_code : ran ? s->last->exit_code : 0;
    if (kind == KIND_INIT) {
        n->failed_init += code != 0;
        n->pending_init += s->state == SHOWN_RUNNING || (s->state == SHOWN_WAITING && !ran);
    } else if (kind == KIND_SIDECAR) {
        n->running += s->state == SHOWN_RUNNING;
        n->waiting += s->state == SHOWN_WAITING && !ran;
        n->pending_sidecars += (s->state == SHOWN_RUNNING && !s->started) || (s->state == SHOWN_WAITING && !ran);
    } else if (kind == KIND_MAIN) {
        n->running += s->state == SHOWN_RUNNING;
        n->waiting += s->state == SHOWN_WAITING && !ran;
        n->stopped += s->state == SHOWN_TERMINATED || ran;
        /* one that its probe killed may have exited with 0 and is started again all the same */
        n->succeeded += s->state == SHOWN_TERMINATED && code == 0 && (p->ending || !container_is_restarted(p, &p->seen->containers[i], s->end));
    }
}

static bool any_main_started(const struct plan *p)
{
    for (size_t i = p->ninit; i < p->ninit + p->nmain; i++)
        if (p->seen->containers[i].starts > 0)
            return true;
    return false;
}

static const char *phase_by_containers(const struct plan *p, const struct counts *n, bool over)
{
    if (n->failed_init && p->policy == RESTART_NEVER)
        return "Failed";
    if (n->pending_init || (n->pending_sidecars && !any_main_started(p)) || n->waiting)
        return "Pending";
    if (n->running)
        return "Running";
    if (!n->stopped)
        return "Pending";
    bool good = n->stopped == n->succeeded;
    if (over)
        return good ? "Succeeded" : "Failed";
    if (p->policy == RESTART_ALWAYS)
        return "Running";
    return good ? "Succeeded" : p->policy == RESTART_NEVER ? "Failed" : "Running";
}

/* Sets is_terminal, too.  An end is not told before it is one: whoever sees Failed may count on nothing running any more. */
static str find_phase(struct plan *p, const struct counts *n)
{
    if (p->was_terminal) {
        p->ret->is_terminal = !p->alive;
        return p->old_phase;
    }
    bool over = p->ending && !p->alive;
    str phase = str_of(phase_by_containers(p, n, over));
    if (p->alive && phase_is_terminal(phase))
        phase = p->old_phase.len ? p->old_phase : S("Pending");
    if (!p->ending && phase_is_terminal(phase)) /* a container that is replaced is started again whatever the policy */
        phase = S("Running");
    if (over && (p->failed || !phase_is_terminal(phase)))
        phase = S("Failed");
    p->ret->is_terminal = over;
    return phase;
}

/* --- conditions ----------------------------------------------------------------------------------------- */
/* Those of the agent, in the order in which they are written.  DisruptionTarget is shared with others and only ever set. */
static const str own_conditions[] = {STR_INIT("PodReadyToStartContainers"), STR_INIT("Initialized"), STR_INIT("Ready"), STR_INIT("ContainersReady"), STR_INIT("PodScheduled")};

struct verdict {
    bool good;
    str reason, message;
};

static const struct json *old_condition(const struct plan *p, str type)
{
    const struct json *all = json_get(p->old, S("conditions"));
    for (uint32_t i = 0; json_is(all, JSON_ARRAY) && i < all->len; i++)
        if (str_eq(json_get_str(&all->items[i], S("type")), type))
            return &all->items[i];
    return NULL;
}

static void push_condition(const struct plan *p, struct json *list, str type, const struct verdict *v)
{
    const struct json *old = old_condition(p, type);
    str status = v->good ? S("True") : S("False"), since = json_get_str(old, S("lastTransitionTime"));
    struct json o = object_with(p->a, 6);
    put(&o, S("lastProbeTime"), json_null());
    bool same = old && str_eq(json_get_str(old, S("status")), status) && since.len;
    put(&o, S("lastTransitionTime"), same ? json_string(since) : time_of(p->a, p->seen->wall));
    put_str(&o, S("message"), v->message);
    put_str(&o, S("reason"), v->reason);
    put(&o, S("status"), json_string(status));
    put(&o, S("type"), json_string(type));
    json_push(p->a, list, o);
}

/* "containers with unready status: [a b]" of those that miss something; "" when none does. */
static str name_missing(const struct plan *p, const struct shown *s, const char *what, bool (*misses)(const struct plan *p, size_t i, const struct shown *s))
{
    struct strbuf b = strbuf_on(p->a);
    for (size_t i = 0; i < p->ninit + p->nmain; i++) {
        if (!misses(p, i, &s[i]))
            continue;
        if (b.len)
            strbuf_add_char(&b, ' ');
        else
            strbuf_addf(&b, "containers with %s status: [", what);
        strbuf_add_str(&b, p->seen->containers[i].name);
    }
    if (b.len)
        strbuf_add_char(&b, ']');
    return strbuf_str(&b);
}

static bool misses_ready(const struct plan *p, size_t i, const struct shown *s)
{
    return p->seen->containers[i].kind != KIND_INIT && !s->ready;
}

static bool misses_init(const struct plan *p, size_t i, const struct shown *s)
{
    enum container_kind kind = p->seen->containers[i].kind;
    return (kind == KIND_INIT && !s->ready) || (kind == KIND_SIDECAR && !s->started);
}

static struct verdict initialized(const struct plan *p, const struct shown *s, str phase)
{
    if (str_is(phase, "Succeeded"))
        return (struct verdict){.good = true, .reason = S("PodCompleted")};
    if (any_main_started(p))
        return (struct verdict){.good = true};
    str message = name_missing(p, s, "incomplete", misses_init);
    if (message.len)
        return (struct verdict){.reason = S("ContainersNotInitialized"), .message = message};
    return (struct verdict){.good = true};
}

static struct verdict containers_ready(const struct plan *p, const struct shown *s, str phase)
{
    if (str_is(phase, "Succeeded"))
        return (struct verdict){.reason = S("PodCompleted")};
    if (str_is(phase, "Failed"))
        return (struct verdict){.reason = S("PodFailed")};
    str message = name_missing(p, s, "unready", misses_ready);
    if (message.len)
        return (struct verdict){.reason = S("ContainersNotReady"), .message = message};
    return (struct verdict){.good = true};
}

static struct verdict pod_ready(const struct plan *p, struct verdict containers)
{
    const struct json *gates = json_get(p->spec, S("readinessGates"));
    if (!containers.good || !json_is(gates, JSON_ARRAY))
        return containers;
    struct strbuf b = strbuf_on(p->a);
    for (uint32_t i = 0; i < gates->len; i++) {
        str type = json_get_str(&gates->items[i], S("conditionType"));
        const struct json *c = old_condition(p, type);
        str status = json_get_str(c, S("status"));
        if (c && str_is(status, "True"))
            continue;
        strbuf_addf(&b, "%s", b.len ? ", " : "");
        if (c)
            strbuf_addf(&b, "the status of pod readiness gate \"" STR_FMT "\" is not \"True\", but " STR_FMT, STR_ARG(type), STR_ARG(status));
        else
            strbuf_addf(&b, "corresponding condition of pod readiness gate \"" STR_FMT "\" does not exist.", STR_ARG(type));
    }
    if (b.len)
        return (struct verdict){.reason = S("ReadinessGatesNotReady"), .message = strbuf_str(&b)};
    return containers;
}

static bool is_own_condition(const struct plan *p, str type)
{
    for (size_t i = 0; i < ARRAY_LEN(own_conditions); i++)
        if (str_eq(own_conditions[i], type))
            return true;
    return p->seen->disruption_target && str_is(type, "DisruptionTarget");
}

static struct json conditions(const struct plan *p, const struct shown *s, str phase)
{
    struct json list = json_array();
    const struct json *old = json_get(p->old, S("conditions")), *scheduled = old_condition(p, S("PodScheduled"));
    for (uint32_t i = 0; json_is(old, JSON_ARRAY) && i < old->len; i++)
        if (!is_own_condition(p, json_get_str(&old->items[i], S("type"))))
            json_push(p->a, &list, old->items[i]);
    if (p->seen->disruption_target)
        push_condition(p, &list, S("DisruptionTarget"), &(struct verdict){.good = true, .reason = S("TerminationByKubelet"), .message = p->fail_message});
    struct verdict sandbox = {.good = p->seen->has_sandbox && !p->seen->torn_down}, init = initialized(p, s, phase), containers = containers_ready(p, s, phase), ready = pod_ready(p, containers);
    push_condition(p, &list, S("PodReadyToStartContainers"), &sandbox);
    push_condition(p, &list, S("Initialized"), &init);
    push_condition(p, &list, S("Ready"), &ready);
    push_condition(p, &list, S("ContainersReady"), &containers);
    if (scheduled)
        json_push(p->a, &list, *scheduled);
    else
        push_condition(p, &list, S("PodScheduled"), &(struct verdict){.good = true});
    return list;
}

/* --- all of it ------------------------------------------------------------------------------------------- */
static void put_addresses(const struct plan *p, struct json *o)
{
    struct arena *a = p->a;
    str host = p->seen->host_ip, ip = p->seen->pod_ip;
    if (!ip.len && json_get_bool(p->spec, S("hostNetwork"), false) && p->seen->has_sandbox)
        ip = host;
    if (!ip.len && p->ending) /* for those who want to know where it ran */
        ip = json_get_str(p->old, S("podIP"));
    const struct {
        str one, all, value;
    } rows[] = {{S("hostIP"), S("hostIPs"), host}, {S("podIP"), S("podIPs"), ip}};
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        if (!rows[i].value.len)
            continue;
        struct json list = json_array();
        json_push(a, &list, wrapped(a, S("ip"), json_string(rows[i].value)));
        put(o, rows[i].one, json_string(rows[i].value));
        put(o, rows[i].all, list);
    }
}

/* Turned away before anything was done for it: there is nothing to say about its containers. */
static bool is_rejected(const struct plan *p)
{
    if (!p->failed || p->seen->has_sandbox || json_get(p->old, S("containerStatuses")))
        return false;
    for (size_t i = 0; i < p->seen->ncontainers; i++)
        if (container_is_reached(&p->seen->containers[i]))
            return false;
    return true;
}

static void put_containers(const struct plan *p, const struct shown *s, struct json *o)
{
    struct json lists[KIND_EPHEMERAL + 1] = {json_array(), json_array(), json_array(), json_array()};
    for (size_t i = 0; i < p->seen->ncontainers; i++) {
        enum container_kind kind = p->seen->containers[i].kind;
        json_push(p->a, &lists[kind == KIND_SIDECAR ? KIND_INIT : kind], container_json(p, i, &s[i]));
    }
    static const enum container_kind order[] = {KIND_MAIN, KIND_EPHEMERAL, KIND_INIT};
    for (size_t i = 0; i < ARRAY_LEN(order); i++)
        if (lists[order[i]].len)
            put(o, list_names[order[i]], lists[order[i]]);
}

void plan_status(struct plan *p)
{
    struct arena *a = p->a;
    size_t n = p->seen->ncontainers;
    struct shown *s = arena_array(a, n ? n : 1, struct shown);
    struct counts counts = {0};
    for (size_t i = 0; i < n; i++) {
        show(p, i, &s[i]);
        count(p, i, &s[i], &counts);
    }
    str phase = find_phase(p, &counts), reason = STR_NONE, message = STR_NONE;
    if (p->failed && str_is(phase, "Failed") && !p->was_terminal) {
        reason = p->fail_reason;
        message = p->fail_message;
    } else if (str_eq(phase, p->old_phase)) {
        reason = json_get_str(p->old, S("reason"));
        message = json_get_str(p->old, S("message"));
    }
    struct json o = object_with(a, 16);
    put(&o, S("conditions"), conditions(p, s, phase));
    if (!is_rejected(p))
        put_containers(p, s, &o);
    put_addresses(p, &o);
    put_str(&o, S("message"), message);
    put(&o, S("phase"), json_string(phase));
    put_str(&o, S("qosClass"), json_get_str(p->old, S("qosClass")));
    put_str(&o, S("reason"), reason);
    put(&o, S("startTime"), time_of(a, p->start_time));
    p->ret->status = o;
}
