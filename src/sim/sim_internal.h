/* sim_internal.h - the simulation's state, shared by its files. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "sched/pipeline.h"
#include "sim/sim.h"
#include "sim/transfer.h"

/* What the heap holds; of those at the same time the smaller kind goes first: what leaves makes room for what comes. */
enum sim_event_kind { EV_POD_END, EV_JOB_END, EV_MOVED, EV_GONE, EV_HAPPEN, EV_ARRIVE };
struct sim_event {
    nsec_t at;
    uint64_t seq;
    uint32_t which, serial; /* void when the pod's or job's serial is another by then */
    uint8_t kind;
};
struct sim_action { /* what the pipeline or the policy asked for, in order */
    pod_id pod;
    node_id node; /* NODE_NONE: evict */
    uint8_t policy; /* evict: enum policy_action, POLICY_ALLOCATE: the dispatcher's preemption */
};
struct sim_shape { /* what a common pod of the workload asks for, for fragmentation */
    const struct res_amount *req; /* RES_PODS excluded */
    size_t nreq;
    struct gpu_request gpu;
    double weight;
};
#define SIM_SHAPES 24
struct sim_link {
    str from, to;
    int64_t bits;
    uint32_t pipe;
};

struct sim {
    struct sim_opts opts;
    struct sched *s;
    struct pipeline *p;
    struct policy *policy; /* NULL: no queues */
    struct policy_decisions decisions;
    nsec_t policy_again;
    uint64_t policy_decided;
    struct arena arena; /* names, specs */
    nsec_t now, last_arrival;
    nsec_t epoch; /* the engine's time at 0 */
    VEC(struct sim_event) heap;
    uint64_t seq;
    VEC(struct sim_action) actions;
    VEC(struct sim_kind) kinds;
    VEC(struct sim_job) jobs;
    VEC(struct sim_pod) pods;
    VEC(uint8_t) leaving_as; /* by pod: enum sim_end, while SIM_LEAVING */
    VEC(struct sim_run) runs;
    VEC(struct sim_node) nodes;
    VEC(struct scenario_event) events;
    uint32_t *pod_of, *node_of; /* by the engine's ids: index + 1 */
    size_t npod_of, nnode_of;
    struct transfers *moves; /* of jobs */
    VEC(struct sim_link) links;
    uint32_t moves_serial; /* of the heap's word about the next that is through */
    bool moves_stale;
    uint64_t moved;
    double moved_s;
    struct map template_numbers; /* template name -> next number + 1 */

    /* books */
    double used[RES_MAX], cap[RES_MAX], used_s[RES_MAX], cap_s[RES_MAX], peak[RES_MAX]; /* RES_GPU in milli of devices */
    bool asked[RES_MAX], cap_stale, has_gpus;
    uint32_t waiting, running;
    uint64_t evictions, evictions_by[POLICY_ACTIONS];
    double lost_s, lost_gpu_s;
    double turnaround_s;
    uint64_t ended;
    VEC(double) waits;
    VEC(uint32_t) line; /* in_order: jobs that came, those from line_at on are not in the engine yet */
    size_t line_at;
    /* books of queues (sim_queues.c): a tree of their own, whatever the policy is told */
    struct queues *tree;
    VEC(struct sim_queue) queues;
    VEC(struct sim_queue_sample) queue_samples;
    uint32_t *queue_of; /* by queue_id: index in queues plus 1 */
    size_t nqueue_of;
    double jain_s, jain_over_s;
    struct sim_shape shapes[SIM_SHAPES];
    size_t nshapes;
    bool shapes_stale;
    double fragmentation; /* as last computed */
    bool fragmentation_stale;
    VEC(struct sim_sample) samples;
    nsec_t interval, next_sample;
    uint32_t nodes_a_row;
    struct sim_result result;
};

/* sim_life.c: pods and jobs come, start, end */
int sim_arrive(struct sim *sim, uint32_t job, struct err *err) MUST_CHECK;
int sim_pod_gone(struct sim *sim, uint32_t pod, struct err *err) MUST_CHECK;
void sim_pod_end(struct sim *sim, uint32_t pod);
void sim_job_end(struct sim *sim, uint32_t job, enum sim_end why);
int sim_happen(struct sim *sim, const struct scenario_event *e, struct err *err) MUST_CHECK;
void sim_started(struct sim *sim, uint32_t pod, node_id n);
void sim_deleted(struct sim *sim, uint32_t pod); /* somebody deleted it: it goes when its grace is over, and nothing comes in its place */
void sim_evicted(struct sim *sim, uint32_t pod);
uint32_t sim_pod_of(const struct sim *sim, pod_id id); /* SIM_NONE */
void sim_map_pod(struct sim *sim, pod_id id, uint32_t pod);
uint32_t sim_node_index(const struct sim *sim, node_id id); /* SIM_NONE */
/* sim_loop.c */
void sim_push(struct sim *sim, nsec_t at, enum sim_event_kind kind, uint32_t which, uint32_t serial);
/* sim_moves.c: data between the parties of a job */
void sim_moves_node(struct sim *sim, struct sim_node *n);
int sim_moves_link(struct sim *sim, const struct scenario_link *l, struct err *err) MUST_CHECK;
void sim_moves_kind(struct sim *sim, struct sim_kind *k);
void sim_moves_pod(const struct sim_kind *k, uint32_t number, struct pod_spec *spec); /* what is a party's own */
bool sim_moves_begin(struct sim *sim, uint32_t job); /* false: it has nothing to send */
void sim_moves_stop(struct sim *sim, uint32_t job);
void sim_moves_through(struct sim *sim);
void sim_moves_plan(struct sim *sim); /* when the next is through; after all that happens at a time */
/* sim_queues.c */
int sim_queues_kind(struct sim *sim, struct sim_kind *k, struct err *err) MUST_CHECK; /* its queue in the books, and what the engine is told of it */
void sim_queues_pod(struct sim *sim, uint32_t pod); /* its queue in the books is found */
void sim_queues_adopted(struct sim *sim, uint32_t pod); /* it ran already */
void sim_queues_waits(struct sim *sim, uint32_t pod, int sign);
void sim_queues_holds(struct sim *sim, uint32_t pod, const struct sim_run *run, int sign);
void sim_queues_advance(struct sim *sim, nsec_t to);
void sim_queues_sample(struct sim *sim);
void sim_queues_result(struct sim *sim, struct sim_result *r);
struct sim_queue *sim_queue_of(struct sim *sim, queue_id id); /* NULL: none */
bool sim_policy_round(struct sim *sim); /* true: something was decided */
int sim_queues_check(struct sim *sim, struct err *err) MUST_CHECK;
void sim_queues_fini(struct sim *sim);
/* sim_life.c: in_order: whoever may, goes into the engine; true: somebody did */
int sim_line_admit(struct sim *sim, bool *ret_any, struct err *err) MUST_CHECK;
/* sim_books.c */
struct sim_waits sim_waits_of(double *waits, size_t n); /* sorts them */
void sim_books_run(struct sim *sim, const struct sim_run *run, int sign);
void sim_books_advance(struct sim *sim, nsec_t to); /* time goes on, nothing changes meanwhile */
void sim_books_sample(struct sim *sim, nsec_t before); /* samples that lie before */
double sim_fragmentation(struct sim *sim);
