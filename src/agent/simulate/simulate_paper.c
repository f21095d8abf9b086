/* simulate_paper.c - a pod's life on paper: what the node would report next.
 *
 * The node's memory is the status it reported: containers are read back from it, the step is applied, and pod_plan is asked until it wants nothing more; what
 * it asks for has happened at once.  Init containers succeed, probes pass, a pod with run-seconds ends after that time and starts again when its restartPolicy says so. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/pod/pod_plan.h"
#include "agent/simulate/simulate_internal.h"
#include "base/civil.h"

#define RUN_NOTE "coxswain.dev/run-seconds"
#define EXIT_NOTE "coxswain.dev/exit-code"
#define TURNS_MAX 512 /* of plans for one step: a pod with very many init containers */

static str annotation(const struct json *pod, const char *key)
{
    const struct json *notes = json_path(pod, "metadata", "annotations", NULL);
    return json_get_str(notes, str_of(key));
}

nsec_t sim_run_time(const struct simulate *s, const struct json *pod)
{
    double seconds;
    str text = annotation(pod, RUN_NOTE), policy = json_get_str(json_get(pod, S("spec")), S("restartPolicy"));
    if (!text.len && s->opts.run_ns && policy.len && !str_is(policy, "Always"))
        return s->opts.run_ns;
    if (!text.len || !str_to_double(text, &seconds) || !(seconds >= 0) || seconds > 1e9)
        return 0;
    return MAX((nsec_t)(seconds * (double)NSEC_PER_SEC), (nsec_t)1);
}

uint32_t sim_pod_address(uint32_t pod)
{
    return 0x0a400000u + (pod + 1) % 0x400000u;
}

/* --- from the status --------------------------------------------------------------------------------------- */
static nsec_t time_in(const struct json *o, str key)
{
    nsec_t t;
    return civil_parse(json_get_str(o, key), &t) ? t : 0;
}

static const struct json *status_of(const struct json *pod, const struct container_seen *c)
{
    static const str lists[] = {STR_INIT("initContainerStatuses"), STR_INIT("initContainerStatuses"), STR_INIT("containerStatuses"), STR_INIT("ephemeralContainerStatuses")};
    const struct json *all = json_get(json_get(pod, S("status")), lists[c->kind]);
    for (uint32_t i = 0; json_is(all, JSON_ARRAY) && i < all->len; i++)
        if (str_eq(json_get_str(&all->items[i], S("name")), c->name))
            return &all->items[i];
    return NULL;
}

static struct container_end read_end(const struct json *t)
{
    return (struct container_end){.exit_code = (int)json_get_int(t, S("exitCode"), 0),
                                  .reason = json_get_str(t, S("reason")),
                                  .message = json_get_str(t, S("message")),
                                  .id = json_get_str(t, S("containerID")),
                                  .started_at = time_in(t, S("startedAt")),
                                  .finished_at = time_in(t, S("finishedAt"))};
}

static void read_container(const struct json *pod, const struct pod_seen *seen, struct container_seen *c)
{
    const struct json *st = status_of(pod, c), *running = json_path(st, "state", "running", NULL), *ended = json_path(st, "state", "terminated", NULL);
    const struct json *last = json_path(st, "lastState", "terminated", NULL);
    uint32_t restarts = (uint32_t)json_get_int(st, S("restartCount"), 0);
    c->id = json_get_str(st, S("containerID"));
    c->image_id = json_get_str(st, S("imageID"));
    if (!running && !ended && !last)
        return; /* it never ran */
    c->starts = restarts + 1;
    c->quick_exits = restarts + 1;
    c->startup = c->readiness = PROBE_OK;
    if (running) {
        c->phase = CONTAINER_PHASE_RUNNING;
        c->started_at = time_in(running, S("startedAt"));
        c->quick_exits = restarts;
    } else { /* waiting with an end behind it: the back-off */
        c->phase = CONTAINER_PHASE_EXITED;
        c->end = read_end(ended ? ended : last);
        c->exited_at = seen->now - MAX(seen->wall - c->end.finished_at, (nsec_t)0);
        c->started_at = c->end.started_at;
    }
    c->has_last = last && (running || ended);
    if (c->has_last)
        c->last = read_end(last);
}

/* --- steps --------------------------------------------------------------------------------------------------- */
static void container_exits(struct pod_seen *seen, struct container_seen *c, int code)
{
    c->phase = CONTAINER_PHASE_EXITED;
    c->end = (struct container_end){.exit_code = code, .id = c->id, .started_at = c->started_at, .finished_at = seen->wall};
    c->exited_at = seen->now;
    c->quick_exits = pod_quick_exits(c->quick_exits, seen->wall - c->started_at);
}

static void container_starts(struct arena *a, const struct json *pod, struct pod_seen *seen, struct container_seen *c)
{
    if (c->phase == CONTAINER_PHASE_EXITED) {
        c->last = c->end;
        c->has_last = true;
    }
    c->id = arena_fmt(a, "paper://" STR_FMT "-" STR_FMT "-%u", STR_ARG(json_get_str(json_get(pod, S("metadata")), S("uid"))), STR_ARG(c->name), c->starts);
    c->phase = CONTAINER_PHASE_RUNNING;
    c->starts++;
    c->started_at = seen->wall;
    c->startup = c->readiness = PROBE_OK;
    c->liveness = PROBE_UNKNOWN;
    if (c->kind == KIND_INIT)
        container_exits(seen, c, 0);
}

static void carry_out(struct arena *a, const struct json *pod, struct pod_seen *seen, const struct pod_action *x)
{
    struct container_seen *c = &seen->containers[x->container];
    switch (x->act) {
    case POD_ACT_SETUP:
        seen->has_sandbox = true;
        break;
    case POD_ACT_START:
        container_starts(a, pod, seen, c);
        break;
    case POD_ACT_KILL:
        container_exits(seen, c, 143);
        break;
    case POD_ACT_TEARDOWN:
        seen->torn_down = true;
        break;
    case POD_ACT_DELETE:
        break;
    }
}

static void run_ends(const struct simulate *s, const struct json *pod, struct pod_seen *seen)
{
    int64_t code = 0;
    nsec_t run = sim_run_time(s, pod);
    if (!str_to_i64(annotation(pod, EXIT_NOTE), &code) || code < 0 || code > 255)
        code = 0;
    for (size_t i = 0; i < seen->ncontainers; i++)
        if (seen->containers[i].kind == KIND_MAIN && seen->containers[i].phase == CONTAINER_PHASE_RUNNING && seen->containers[i].started_at + run <= seen->wall)
            container_exits(seen, &seen->containers[i], (int)code);
}

/* The rest of its run when it runs, else when the plan wants to look again. */
static nsec_t next_time(const struct simulate *s, const struct json *pod, const struct pod_seen *seen, const struct pod_plan *plan)
{
    nsec_t run = sim_run_time(s, pod), next = plan->wake_at ? MAX(plan->wake_at - seen->now, (nsec_t)1) : 0;
    for (size_t i = 0; run && i < seen->ncontainers; i++) {
        const struct container_seen *c = &seen->containers[i];
        if (c->kind != KIND_MAIN || c->phase != CONTAINER_PHASE_RUNNING)
            continue;
        nsec_t left = MAX(c->started_at + run - seen->wall, (nsec_t)1);
        next = next ? MIN(next, left) : left;
    }
    return next;
}

void sim_paper(struct simulate *s, struct arena *a, const struct json *pod, uint32_t place, uint32_t node, enum sim_step step, struct sim_paper *ret)
{
    const struct json *status = json_get(pod, S("status"));
    struct pod_seen seen = {.now = clock_mono(s->opts.clock), .wall = clock_wall(s->opts.clock), .host_ip = sim_address_text(a, sim_node_address(node + s->opts.first)), .pod_ip = json_get_str(status, S("podIP"))};
    struct pod_plan plan;
    seen.ncontainers = pod_seen_containers(a, pod, &seen.containers);
    for (size_t i = 0; json_get(status, S("containerStatuses")) && i < seen.ncontainers; i++)
        read_container(pod, &seen, &seen.containers[i]);
    seen.started_at = seen.wall;
    seen.has_sandbox = true;
    if (!seen.pod_ip.len && !json_get_bool(json_get(pod, S("spec")), S("hostNetwork"), false))
        seen.pod_ip = sim_address_text(a, sim_pod_address(place));
    if (step == SIM_STEP_DELETE)
        seen.deleting_since = seen.now ? seen.now : 1;
    else if (step == SIM_STEP_END)
        run_ends(s, pod, &seen);
    for (int turn = 0; turn < TURNS_MAX; turn++) {
        pod_plan(a, pod, &seen, &plan);
        bool moved = false;
        for (size_t i = 0; i < plan.nactions; i++) {
            moved |= plan.actions[i].act != POD_ACT_DELETE;
            carry_out(a, pod, &seen, &plan.actions[i]);
        }
        if (!moved)
            break;
    }
    struct strbuf b = strbuf_on(a);
    strbuf_grow(&b, 2048);
    strbuf_addf(&b, "{\"metadata\":{\"uid\":\"" STR_FMT "\"},\"status\":", STR_ARG(json_get_str(json_get(pod, S("metadata")), S("uid"))));
    json_write(&b, &plan.status);
    strbuf_add_char(&b, '}');
    *ret = (struct sim_paper){.body = strbuf_str(&b), .phase = json_get_str(&plan.status, S("phase")), .is_end = plan.is_terminal, .next_ns = plan.is_terminal ? 0 : next_time(s, pod, &seen, &plan)};
}
