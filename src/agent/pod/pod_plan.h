/* pod_plan.h - what to do next for one pod: a pure function from (what it should be, what is seen) to actions and a status.
 *
 *   pod (JSON), pod_seen ─► pod_plan ─► actions: set up, start, kill, tear down, delete
 *                                  └─► status to report, and when to look again
 *
 * It knows init containers, sidecars, restart policies and back-off, grace periods, probes' verdicts, deadlines, deletion.  It does nothing itself: the agent carries actions out and shows what became of them
 * in pod_seen; a simulated node does the same on paper.  Asked twice with the same input it answers the same: an action that is under way must be seen as such (busy, CONTAINER_PHASE_STARTING, ...), then it is not asked for
 * again.
 * Threads: any; no state.  Ownership: results on the arena; inputs are borrowed.
 * Limits: POD_PLAN_ACTIONS actions at once; a pod with more containers gets the rest with the next plan. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/clock.h"
#include "wire/json.h"

#define POD_PLAN_ACTIONS 64
#define POD_BACKOFF_MIN_NS (10 * NSEC_PER_SEC)
#define POD_BACKOFF_MAX_NS (300 * NSEC_PER_SEC)
#define POD_BACKOFF_RESET_NS (600 * NSEC_PER_SEC) /* a container that ran this long starts from the beginning */

enum container_kind { KIND_INIT, KIND_SIDECAR, KIND_MAIN, KIND_EPHEMERAL }; /* KIND_SIDECAR: an init container with restartPolicy Always */

enum container_phase {
    CONTAINER_PHASE_NONE,     /* never started, or gone */
    CONTAINER_PHASE_STARTING, /* the agent is at it: image, volumes, create, start */
    CONTAINER_PHASE_FAILED,   /* starting did not work: waiting_reason says why; again at retry_at */
    CONTAINER_PHASE_RUNNING,
    CONTAINER_PHASE_STOPPING, /* a kill is under way */
    CONTAINER_PHASE_EXITED,
};

enum probe_verdict { PROBE_UNKNOWN, PROBE_OK, PROBE_BAD };

struct container_end {
    int exit_code, signal;
    str reason, message, id; /* reason "" : Completed or Error by exit code */
    nsec_t started_at, finished_at; /* wall */
};

struct container_seen {
    str name;
    enum container_kind kind;
    enum container_phase phase;
    uint32_t starts;    /* how often it was started: restartCount is starts - 1 */
    str id;             /* "process://..." */
    str image, image_id;
    nsec_t started_at;  /* wall */
    struct container_end end;  /* phase EXITED: how the newest run ended */
    struct container_end last; /* the run before; has_last.  When a new start begins, end becomes last */
    bool has_last;
    str waiting_reason, waiting_message; /* STARTING and FAILED: "ContainerCreating", "ErrImagePull" ... */
    nsec_t retry_at;    /* FAILED: monotonic */
    nsec_t exited_at;   /* EXITED: monotonic, for the back-off */
    uint32_t quick_exits; /* the exponent of the back-off: pod_quick_exits() at each exit */
    int64_t stop_grace_s; /* STOPPING: of the kill under way, so that a shorter one is asked for again; 0: not known, or at once */
    /* verdicts; PROBE_UNKNOWN without the probe or before its first result.  They stay until the next start: one that was killed by its probe is restarted whatever its exit code */
    enum probe_verdict startup, liveness, readiness;
    bool post_start_pending; /* the hook has not worked: it is running, or has failed, or was cut short by a kill; not ready, not started */
    bool is_replaced;   /* RUNNING and after, until the next start: the spec has another image by now; it is started again whatever the policy */
    bool is_stale;      /* until the next start: its runs were in a sandbox that is gone (the machine was restarted); init containers come first again */
};

struct pod_seen {
    nsec_t now;       /* monotonic */
    nsec_t wall;
    bool busy;        /* setting up or tearing down is under way */
    bool has_sandbox; /* volumes, network and sandbox are there */
    nsec_t setup_retry_at;       /* setting up failed: again then; 0: not failed */
    str setup_reason, setup_message;
    bool torn_down;   /* nothing of it is left on the node, but its status */
    str pod_ip, host_ip;         /* "" : none yet */
    nsec_t started_at;           /* wall: when the agent first saw it (status.startTime) */
    nsec_t deleting_since;       /* monotonic: when the agent first saw deletionTimestamp; 0: it has none */
    int64_t grace_s;             /* of the deletion, or of an eviction */
    /* The agent's own verdict: "Evicted", "OutOfcpu", "NodeAffinity", "DeadlineExceeded" ...: the pod ends as Failed. */
    str fail_reason, fail_message;
    bool disruption_target;      /* condition DisruptionTarget (eviction by node pressure) */
    struct container_seen *containers; /* init containers and sidecars in order, then main, then ephemeral */
    size_t ncontainers;
};

enum pod_act {
    POD_ACT_SETUP,     /* volumes, network, sandbox */
    POD_ACT_START,     /* containers[container]: image, config, create, start, postStart */
    POD_ACT_KILL,      /* preStop, signal, after grace_s SIGKILL */
    POD_ACT_TEARDOWN,  /* remove containers, sandbox, network, volumes; keep logs and the last status */
    POD_ACT_DELETE,    /* report the last status, then DELETE with grace 0 in the API and forget the pod */
};

struct pod_action {
    enum pod_act act;
    size_t container;   /* of START and KILL */
    int64_t grace_s;    /* of KILL */
    const char *reason; /* of KILL, for the Event: "Killing", "Unhealthy" ... */
    str message;
};

struct pod_plan {
    struct pod_action actions[POD_PLAN_ACTIONS];
    size_t nactions;
    struct json status;   /* the whole of status that the agent owns */
    nsec_t wake_at;       /* monotonic: look again then, 0: only when something changes */
    bool *probe;          /* containers[i]: its probes should be running now, also while it is being stopped: readiness counts to the end (startup first: the prober knows) */
    bool is_terminal;     /* phase Succeeded or Failed, and nothing runs any more */
};

/* pod: as the API has it (its status is what was reported last: transition times are kept from it).  Containers that are not in seen->containers are added by the agent before (pod_seen_containers). */
void pod_plan(struct arena *a, const struct json *pod, const struct pod_seen *seen, struct pod_plan *ret);
/* The containers of the spec in the order of pod_seen.containers, all CONTAINER_PHASE_NONE; also when ephemeral ones were added later. */
size_t pod_seen_containers(struct arena *a, const struct json *pod, struct container_seen **ret);
/* The container's part of the spec. */
const struct json *pod_container_spec(const struct json *pod, str name);
/* Back-off after quick_exits exits in a row: the first restart comes at once, then 10 s, 20 s ... */
nsec_t pod_backoff_ns(uint32_t quick_exits);
/* quick_exits after one more run of this length: one that ran long counts as the first. */
uint32_t pod_quick_exits(uint32_t before, nsec_t ran_ns);
