/* Cells of pods.  Ready, Status and Restarts come out of one pass over the container states, as in kubectl:
 * init containers first; the ordinary ones count only when none of those holds the pod up. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/table_cells.h"

static bool is_sidecar(const struct json *spec, str name)
{
    const struct json *list = table_list_at(spec, S("initContainers"));
    for (uint32_t i = 0; i < list->len; i++)
        if (str_eq(json_get_str(&list->items[i], S("name")), name))
            return str_is(json_get_str(&list->items[i], S("restartPolicy")), "Always");
    return false;
}

static int64_t count_containers(const struct json *spec)
{
    int64_t n = table_list_at(spec, S("containers"))->len;
    const struct json *inits = table_list_at(spec, S("initContainers"));
    for (uint32_t i = 0; i < inits->len; i++)
        n += str_is(json_get_str(&inits->items[i], S("restartPolicy")), "Always");
    return n;
}

/* Restarts and the time of the last one. */
struct tally {
    int64_t restarts;
    nsec_t last;
};

static void add_restarts(struct tally *t, const struct json *status)
{
    t->restarts += json_get_int(status, S("restartCount"), 0);
    nsec_t finished = table_time(table_walk(status, S("lastState.terminated.finishedAt")));
    t->last = MAX(t->last, finished);
}

/* "Completed", else "Signal:9" or "ExitCode:1". */
static str termination(struct arena *a, const struct json *terminated)
{
    str reason = json_get_str(terminated, S("reason"));
    if (reason.len)
        return reason;
    int64_t signal = json_get_int(terminated, S("signal"), 0);
    if (signal)
        return arena_fmt(a, "Signal:%lld", (long long)signal);
    return arena_fmt(a, "ExitCode:%lld", (long long)json_get_int(terminated, S("exitCode"), 0));
}

/* Why this init container holds the pod up. */
static str init_status(struct table_cell *c, const struct json *state, uint32_t index)
{
    const struct json *terminated = json_get(state, S("terminated"));
    str waiting = table_text_at(state, S("waiting.reason"));
    if (terminated)
        return arena_cat(c->arena, S("Init:"), termination(c->arena, terminated));
    if (waiting.len && !str_is(waiting, "PodInitializing"))
        return arena_cat(c->arena, S("Init:"), waiting);
    return arena_fmt(c->arena, "Init:%u/%u", index, table_list_at(c->pod.spec, S("initContainers"))->len);
}

/* True when an init container holds the pod up; *sidecars tallies those that keep running. */
static bool scan_init(struct table_cell *c, struct tally *all, struct tally *sidecars)
{
    const struct json *list = table_list_at(c->pod.status, S("initContainerStatuses"));
    for (uint32_t i = 0; i < list->len; i++) {
        const struct json *status = &list->items[i], *state = json_get(status, S("state"));
        const struct json *terminated = json_get(state, S("terminated"));
        bool sidecar = is_sidecar(c->pod.spec, json_get_str(status, S("name")));
        add_restarts(all, status);
        if (sidecar)
            add_restarts(sidecars, status);
        if (terminated && json_get_int(terminated, S("exitCode"), 0) == 0)
            continue;
        if (sidecar && json_get_bool(status, S("started"), false)) {
            c->pod.ready += json_get_bool(status, S("ready"), false);
            continue;
        }
        c->pod.text = init_status(c, state, i);
        return true;
    }
    return false;
}

static bool is_true(const struct json *condition)
{
    return str_is(json_get_str(condition, S("status")), "True");
}

static void scan_containers(struct table_cell *c, struct tally *t)
{
    const struct json *list = table_list_at(c->pod.status, S("containerStatuses"));
    bool running = false;
    for (uint32_t i = list->len; i-- > 0;) {
        const struct json *status = &list->items[i], *state = json_get(status, S("state"));
        const struct json *terminated = json_get(state, S("terminated"));
        str waiting = table_text_at(state, S("waiting.reason"));
        add_restarts(t, status);
        if (waiting.len) {
            c->pod.text = waiting;
        } else if (terminated) {
            c->pod.text = termination(c->arena, terminated);
        } else if (json_get_bool(status, S("ready"), false) && json_get(state, S("running"))) {
            running = true;
            c->pod.ready++;
        }
    }
    if (running && str_is(c->pod.text, "Completed")) {
        const struct json *ready = table_condition(json_get(c->pod.status, S("conditions")), S("Ready"));
        c->pod.text = is_true(ready) ? S("Running") : S("NotReady");
    }
}

static void summarize(struct table_cell *c)
{
    const struct json *spec = json_get(c->obj, S("spec")), *status = json_get(c->obj, S("status"));
    const struct json *conditions = json_get(status, S("conditions"));
    str phase = json_get_str(status, S("phase")), reason = json_get_str(status, S("reason"));
    struct tally all = {0}, kept = {0};
    c->pod = (struct table_pod_summary){
        .made = true, .spec = spec, .status = status, .total = count_containers(spec), .text = reason.len ? reason : phase};
    if (str_is(json_get_str(table_condition(conditions, S("PodScheduled")), S("reason")), "SchedulingGated"))
        c->pod.text = S("SchedulingGated");
    bool held_up = scan_init(c, &all, &kept);
    if (!held_up || is_true(table_condition(conditions, S("Initialized")))) {
        scan_containers(c, &kept);
        all = kept;
    }
    if (table_is_deleted(c->obj)) {
        if (str_is(reason, "NodeLost"))
            c->pod.text = S("Unknown");
        else if (!str_is(phase, "Succeeded") && !str_is(phase, "Failed"))
            c->pod.text = S("Terminating");
    }
    c->pod.restarts = all.restarts;
    c->pod.last_restart = all.last;
}

static const struct table_pod_summary *summary(struct table_cell *c)
{
    if (!c->pod.made)
        summarize(c);
    return &c->pod;
}

void table_pod_ready(struct table_cell *c)
{
    const struct table_pod_summary *s = summary(c);
    table_put_text(c, arena_fmt(c->arena, "%lld/%lld", (long long)s->ready, (long long)s->total));
}

void table_pod_status(struct table_cell *c)
{
    table_put_text(c, summary(c)->text);
}

void table_pod_restarts(struct table_cell *c)
{
    const struct table_pod_summary *s = summary(c);
    str since = s->restarts ? table_since(c, s->last_restart, S("")) : S("");
    table_put_text(c, since.len ? arena_fmt(c->arena, "%lld (" STR_FMT " ago)", (long long)s->restarts, STR_ARG(since))
                                : arena_fmt(c->arena, "%lld", (long long)s->restarts));
}

void table_pod_ip(struct table_cell *c)
{
    const struct json *status = summary(c)->status, *ips = table_list_at(status, S("podIPs"));
    str ip = ips->len ? json_get_str(&ips->items[0], S("ip")) : json_get_str(status, S("podIP"));
    table_put_text(c, ip.len ? ip : S("<none>"));
}

void table_pod_readiness_gates(struct table_cell *c)
{
    const struct table_pod_summary *s = summary(c);
    const struct json *gates = table_list_at(s->spec, S("readinessGates")), *conditions = json_get(s->status, S("conditions"));
    uint32_t met = 0;
    for (uint32_t i = 0; i < gates->len; i++)
        met += is_true(table_condition(conditions, json_get_str(&gates->items[i], S("conditionType"))));
    table_put_text(c, gates->len ? arena_fmt(c->arena, "%u/%u", met, gates->len) : S("<none>"));
}
