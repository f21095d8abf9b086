/* simulate_internal.h - the parts of the simulator among themselves.
 *
 *   simulate.c: calls and their turn;  simulate_nodes.c: nodes and leases;  simulate_bandwidth.c: what people say of a node's network;
 *   simulate_pods.c: events, timers, what is to be done for a pod;  simulate_paper.c: a pod's next status
 * Threads: the loop's. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "agent/node/node_bandwidth.h"
#include "agent/simulate/simulate.h"
#include "base/map.h"
#include "base/vec.h"
#include "client/informer.h"

/* --- calls ------------------------------------------------------------------------------------------------ */
struct sim_call {
    struct client_call call;
    struct simulate *sim;
    struct sim_call *next; /* of those that are free */
    struct strbuf path, body;
    void (*done)(struct sim_call *c, int status, str response);
    uint32_t who, gen; /* node, or pod and its generation */
    bool is_final;     /* of a pod's status: DELETE follows */
    bool is_end;       /* it says Succeeded or Failed */
};

/* --- nodes ------------------------------------------------------------------------------------------------ */
enum sim_node_state { SIM_NODE_NEW, SIM_NODE_ASKED, SIM_NODE_LEASE, SIM_NODE_READY, SIM_NODE_GONE };

/* To be written into a node's status. */
struct sim_bandwidth {
    uint32_t node;
    bool has; /* else it says nothing of its network */
    int64_t bits[BANDWIDTH_ENDS];
};

/* --- pods ------------------------------------------------------------------------------------------------- */
enum sim_pod_state {
    SIM_POD_NEW,
    SIM_POD_STARTING,  /* a timer runs, or its status is on the way */
    SIM_POD_RUNNING,
    SIM_POD_ENDED,
    SIM_POD_DELETING,
};

#define SIM_UID_MAX 36

struct sim_pod {
    char *key;            /* "ns/name"; NULL: a free place */
    char *text;           /* JSON while it waits for its start; may be NULL */
    uint32_t text_len;
    uint32_t node;        /* index */
    uint32_t gen;         /* of this place: one more for each pod that had it */
    uint32_t timer;       /* number of the timer that counts */
    uint32_t round;       /* of the list it was seen in */
    uint8_t state;        /* enum sim_pod_state */
    bool busy;            /* a call waits or is under way */
    bool dirty;           /* an event came meanwhile that matters: read it again */
    char uid[SIM_UID_MAX + 1];
};

enum sim_job_kind { SIM_JOB_READ, SIM_JOB_STATUS, SIM_JOB_DELETE };

struct sim_job {
    uint32_t pod, gen;
    enum sim_job_kind kind;
    bool is_final, is_end;
    char *body; /* STATUS */
    uint32_t body_len;
};

struct sim_timer {
    nsec_t at;
    uint32_t pod, gen, number;
};

#define SIM_CHUNK 4096u

struct simulate {
    struct simulate_opts opts;
    const char *prefix;
    struct rng rng;
    bool stopped;

    struct sim_call *calls, *free_calls;
    struct loop_defer pump;
    struct arena arena; /* of one event or answer */

    uint8_t *nodes; /* enum sim_node_state */
    uint32_t next_node;
    VEC(uint32_t) again; /* nodes to be asked again */
    struct loop_timer node_timer, lease_timer;
    nsec_t lease_spacing, lease_due;
    int64_t lease_s;
    uint32_t lease_node;

    struct informer *node_informer;
    uint8_t *noted; /* of each node: its annotation counts now */
    VEC(struct sim_bandwidth) bandwidths;
    struct loop_timer bandwidth_timer;

    struct informer *informer;
    struct map by_key; /* "ns/name" -> place + 1 */
    VEC(struct sim_pod *) chunks;
    VEC(uint32_t) free_pods;
    uint32_t npods; /* places that were ever used */
    uint32_t round;
    VEC(struct sim_job) jobs; /* a ring: from jobs_at */
    size_t jobs_at, held_bytes;
    VEC(struct sim_timer) heap;
    struct loop_timer pod_timer;

    struct simulate_stats stats;
};

static inline struct sim_pod *sim_pod(struct simulate *s, uint32_t i)
{
    return &s->chunks.p[i / SIM_CHUNK][i % SIM_CHUNK];
}
bool sim_find_node(const struct simulate *s, str name, uint32_t *ret); /* one of ours */
uint32_t sim_pod_address(uint32_t pod);   /* 10.64.0.0/10 */
uint32_t sim_node_address(uint32_t node); /* 10.0.0.0/10 */
str sim_address_text(struct arena *a, uint32_t address);

/* A free call, NULL when all are under way.  sim_call_start takes it; path and body are filled before. */
struct sim_call *sim_call_take(struct simulate *s);
void sim_call_start(struct sim_call *c, const char *method, const char *content_type, void (*done)(struct sim_call *c, int status, str response));
struct sim_call *sim_call_for_node(struct simulate *s, uint32_t node, const char *folder); /* the same, with the path FOLDER/NAME */
void sim_pump(struct simulate *s); /* at the end of this turn: starts what has its turn */

/* Each starts at most one call; false: nothing to do, or no call free. */
bool sim_nodes_pump(struct simulate *s);
bool sim_leases_pump(struct simulate *s);
bool sim_bandwidth_pump(struct simulate *s);
bool sim_pods_pump(struct simulate *s);

void sim_nodes_start(struct simulate *s);
int sim_pods_start(struct simulate *s, struct err *err) MUST_CHECK;
void sim_pods_free(struct simulate *s);
int sim_bandwidth_start(struct simulate *s, struct err *err) MUST_CHECK;
void sim_bandwidth_free(struct simulate *s);
/* What a node has with that annotation ("": none), from --node-capacity otherwise.  The annotation can be read. */
struct sim_bandwidth sim_bandwidth_of(const struct simulate *s, str note);
/* ,"cox.io/egress-bandwidth":"..." and its like */
void sim_bandwidth_add(struct strbuf *b, const struct sim_bandwidth *x);
void sim_bandwidth_add_nothing(struct strbuf *b); /* ,"cox.io/egress-bandwidth":null and its like: in a merge patch */

/* --- paper ------------------------------------------------------------------------------------------------ */
enum sim_step { SIM_STEP_START, SIM_STEP_END, SIM_STEP_DELETE };

struct sim_paper {
    str body;      /* of the PATCH */
    str phase;     /* that it says */
    bool is_end;   /* Succeeded or Failed */
    nsec_t next_ns; /* from now: ends or starts again by itself; 0: never */
};
/* What the node says next about the pod.  On the arena. */
void sim_paper(struct simulate *s, struct arena *a, const struct json *pod, uint32_t place, uint32_t node, enum sim_step step, struct sim_paper *ret);
/* How long after its start it ends by itself; 0: it does not. */
nsec_t sim_run_time(const struct simulate *s, const struct json *pod);
