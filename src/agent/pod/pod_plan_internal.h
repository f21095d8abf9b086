/* pod_plan_internal.h - what the two halves of pod_plan share: the facts of one call.
 *
 * pod_plan.c finds the facts and decides on actions; pod_plan_status.c writes the status from the same facts.
 * Threads: one call.  Ownership: everything on the call's arena. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "agent/pod/pod_plan.h"

enum restart_policy { RESTART_ALWAYS, RESTART_ON_FAILURE, RESTART_NEVER };

struct plan {
    struct arena *a;
    const struct json *pod, *spec;
    const struct json *old;      /* pod's status, may be NULL */
    str old_phase;
    const struct pod_seen *seen;
    const struct json **specs;   /* [i] is the spec of seen->containers[i], may be NULL */
    enum restart_policy policy;
    nsec_t start_time;           /* wall */
    int64_t grace_s;             /* of every container when the pod ends */
    bool deleting;
    bool was_terminal;           /* reported Succeeded or Failed before: it never runs again */
    bool failed;                 /* the agent's verdict, or the deadline */
    str fail_reason, fail_message;
    bool ending;                 /* deleting, failed, was_terminal or finished: nothing is started any more */
    bool initialized;            /* every init container has succeeded, every sidecar was started once */
    size_t alive;                /* containers that run, or are being started or stopped */
    size_t ninit, nmain;         /* seen->containers: ninit init containers and sidecars, then nmain main ones, then the rest */
    struct pod_plan *ret;
};

static inline bool phase_is_terminal(str phase)
{
    return str_is(phase, "Succeeded") || str_is(phase, "Failed");
}
static inline bool container_is_alive(const struct container_seen *c)
{
    return c->phase == CONTAINER_PHASE_STARTING || c->phase == CONTAINER_PHASE_RUNNING || c->phase == CONTAINER_PHASE_STOPPING;
}
/* It was reached: started, or tried to. */
static inline bool container_is_reached(const struct container_seen *c)
{
    return c->phase != CONTAINER_PHASE_NONE || c->starts > 0;
}
/* In the sandbox that there is now. */
static inline bool container_is_reached_here(const struct container_seen *c)
{
    return container_is_reached(c) && !c->is_stale;
}
/* How the newest run ended; NULL: there was none, or it goes on, or a new one is on its way. */
const struct container_end *container_end_of(const struct container_seen *c);
/* Would policy start it again after that end? */
bool container_is_restarted(const struct plan *p, const struct container_seen *c, const struct container_end *end);
/* Running, its postStart hook done and its startup probe passed. */
bool container_is_started(const struct plan *p, size_t i);

void plan_status(struct plan *p);
