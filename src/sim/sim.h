/* sim.h - a cluster in virtual time: jobs come, are placed by the real engine, run, end, are evicted and come again.
 *
 *   heap of what will happen ─► engine events ─► pipeline (1 worker) ─► binds and evictions ─► heap
 *       arrivals, ends, evicted pods that are gone, nodes that come and go
 * Time jumps from one thing to the next; between two of them nothing changes, so averages are exact.
 * Rules of this world:
 * - A pod runs from its bind until its duration is over.  A gang runs from the moment its minimum runs; all members end together.
 * - An evicted pod keeps its room for the grace time, loses its work since its last checkpoint (without checkpoints all of it) and waits again for the rest.  A gang that falls below its
 *   minimum stops as a whole.
 * - Where there are queues, the batch policy (sched/policy) decides about units that name one, under one of sim_settings[]; all others are the dispatcher's.
 * - Jobs of several parties send their data when their time is over, at rates that share what nodes and links have (transfer.h), and end when it is there.
 * - Pods of a node that is removed wait again at once.
 * Threads: one.  The same seed and input give the same result, byte by byte; no clock is read.
 * Ownership: jobs and templates that are handed in must live as long as the simulation.  The result is the simulation's.
 * Limits: LIMIT_SCHED_*; SIM_SAMPLES samples: when they are full every second one goes and the interval doubles. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "sched/engine/engine.h"
#include "sched/policy/policy.h"
#include "sim/scenario.h"

#define SIM_SAMPLES 480
#define SIM_HEAT_ROWS 64
#define SIM_NONE UINT32_MAX
#define SIM_OWED_AFTER (10 * 60 * NSEC_PER_SEC)

/* How units of queues are decided about: rows of sim_settings[] (settings.c), for comparisons. */
struct sim_setting {
    const char *name, *summary;
    bool one_line; /* all units in one queue without quota, in order of arrival; what the queues would have got is counted all the same */
    bool in_order; /* ... and nobody overtakes: the next comes when the one before has started */
    struct policy_opts opts;
};
extern const struct sim_setting sim_settings[]; /* a name of NULL ends it */
extern const struct sim_setting *const sim_setting_default;
const struct sim_setting *sim_setting_find(str name); /* NULL: no such */

struct sim;
struct sim_opts {
    uint64_t seed;
    const struct sim_setting *setting; /* NULL: the default */
    nsec_t owed_after; /* a queue that is owed for longer counts as a broken guarantee; 0: SIM_OWED_AFTER */
    bool ignores_bandwidth; /* pods are placed as if they asked for none, and links had no end; transfers share what there is all the same */
    nsec_t until;  /* 0: until nothing happens any more */
    nsec_t grace;
    nsec_t sample; /* 0: chosen */
    void (*progress)(void *arg, const struct sim *sim); /* now and then, may be NULL */
    void *progress_arg;
};

/* --- what happened ------------------------------------------------------------------------------------------------------------------------- */
enum sim_state { SIM_ABSENT, SIM_WAITING, SIM_RUNNING, SIM_LEAVING, SIM_DONE, SIM_DROPPED /* deleted, evicted for good, or its gang ended without it */ };
enum sim_end { SIM_STILL, SIM_ENDED, SIM_EVICTED, SIM_NODE_GONE, SIM_STOPPED /* its gang fell below the minimum */, SIM_DELETED };
struct sim_run { /* a pod on a node */
    uint32_t pod, node;
    nsec_t from, to; /* to: -1 while it runs */
    uint16_t gpu_mask;
    uint8_t end; /* enum sim_end */
    int32_t gpu_milli; /* of all its devices */
    int64_t cpu_milli, memory;
};
struct sim_pod {
    uint32_t job; /* instance */
    str name;
    str ns, origin; /* of an adopted one: as it was called at first */
    nsec_t arrival, first_start; /* -1: never */
    pod_id id; /* POD_NONE: the engine does not have it (yet) */
    queue_id queue; /* in the books, QUEUE_NONE */
    nsec_t saved, kept_until; /* work that checkpoints kept; until when the run that ends now was saved */
    uint32_t run; /* the current one, SIM_NONE */
    uint32_t evictions;
    uint32_t serial; /* rises when what the heap says about it is void */
    uint8_t state; /* enum sim_state */
};
struct sim_job { /* an instance */
    uint32_t kind;
    str name;
    nsec_t arrival, duration; /* -1: forever */
    nsec_t start;             /* when its minimum ran first, -1 */
    nsec_t since, saved;      /* a gang: it counts down since; work that checkpoints kept */
    uint32_t first_pod, npods, running, nstarted; /* nstarted: pods that ever ran */
    uint32_t serial;
    nsec_t moving_since; /* its data, -1: not now */
    bool started; /* counts down now */
    bool is_over;
};
struct sim_kind {
    str name;
    const struct scenario_job *job; /* NULL: adopted pods */
    struct spec_labels *of_party; /* node selectors, by party */
    struct pod_spec like;
    int32_t min_member; /* 0: no gang */
    bool gone_is_gone;  /* evicted pods do not come again */
    queue_id queue;     /* in the books, QUEUE_NONE */
    uint32_t jobs, pods, placed, waiting, done;
    uint32_t waiting_gangs; /* that do not run with their minimum */
};
struct sim_node {
    str name;
    node_id id; /* NODE_NONE: gone */
    const struct scenario_template *template;
    uint32_t number; /* of its template */
    uint32_t egress, ingress; /* pipes of transfers plus 1; 0: without end */
    nsec_t added, removed; /* -1: still there */
    int64_t capacity[3];   /* SIM_CPU, SIM_MEMORY, SIM_GPU (milli) */
    double used_s[3];      /* amount times seconds */
};
enum { SIM_CPU, SIM_MEMORY, SIM_GPU };

struct sim_sample {
    nsec_t at;
    uint32_t waiting, running, nodes;
    double fragmentation; /* 0..1 */
    float used[RES_MAX];  /* share of the capacity, by resource */
    uint8_t heat[SIM_HEAT_ROWS]; /* use of the main resource by groups of nodes, 0..100; 255: none there */
};
struct sim_waits {
    size_t n;
    double mean, p50, p90, p99, max; /* seconds from arrival to the first start */
};
struct sim_queue { /* a leaf; amounts are of the main resource, GPUs and cpu in thousandths */
    str name;
    queue_id id;
    int64_t quota; /* POLICY_UNLIMITED */
    uint32_t pods, started, waiting, done; /* pods; waiting: at the end */
    struct sim_waits waits;
    double waited_max_s;     /* also of those that wait still */
    double used_s, fair_s, met_s; /* over time: held, come to by the division, and of that held; amount times seconds */
    uint64_t preemptions;    /* pods that were evicted */
    double lost_s, lost_gpu_s; /* pod and GPU seconds of work thrown away */
    double owed_s, owed_max_s; /* seconds, and the longest at a stretch, in which a unit that stays within the quota waited while another queue was above its own */
    uint32_t violations;     /* stretches longer than owed_after */
    nsec_t owed_since_;      /* -1: it is not */
    VEC(double) all_waits_;
};
struct sim_queue_sample {
    float used, fair;
};
struct sim_result {
    nsec_t end;
    struct sim_kind *kinds;
    struct sim_job *jobs;
    struct sim_pod *pods;
    struct sim_run *runs;
    struct sim_node *nodes;
    struct sim_sample *samples;
    size_t nkinds, njobs, npods, nruns, nnodes, nsamples;
    uint32_t nodes_a_row; /* of the heat map */
    nsec_t interval;
    bool has_gpus; /* the main resource is the GPU, else cpu */
    double mean_used[RES_MAX], peak_used[RES_MAX]; /* shares over the whole time; GPUs in milli */
    double capacity[RES_MAX]; /* at the end */
    bool shown[RES_MAX];      /* worth a line: somebody asks for it */
    double mean_fragmentation;
    uint64_t decisions, placed, evictions; /* placed: binds, a pod that came again counts again */
    uint32_t started, waiting, running, done, dropped; /* pods: that ever ran; at the end */
    const double *waits_s; /* sorted, waits.n of them */
    double lost_s; /* pod seconds of work that evictions threw away */
    struct sim_waits waits;
    struct sim_queue *queues; /* leaves, by name; none: nqueues 0 */
    size_t nqueues;
    const struct sim_queue_sample *queue_samples; /* [nsamples][nqueues] */
    const struct sim_setting *setting;
    double fairness;   /* mean over time of Jain's index over used/fair of the queues that come to something; 1: all have the same part of their share */
    double turnaround; /* mean seconds from arrival to the end, of pods that ended */
    uint64_t transfers; /* that are through */
    double transfer_s;  /* mean seconds of one */
    double lost_gpu_s;
    uint32_t violations;
    double owed_max_s;
    uint64_t evictions_by[POLICY_ACTIONS]; /* of the policy; [POLICY_ALLOCATE]: of the dispatcher's preemption */
};

struct sim *sim_new(struct sched_profile *profile /* taken */, const struct sim_opts *opts, struct err *err);
void sim_free(struct sim *sim);
struct sched *sim_sched(struct sim *sim);
nsec_t sim_now(const struct sim *sim);
nsec_t sim_last_arrival(const struct sim *sim);
struct pipeline *sim_pipeline(struct sim *sim);
uint32_t sim_waiting(const struct sim *sim);
uint32_t sim_running(const struct sim *sim);

/* --- building -------------------------------------------------------------------------------------------------------------------------------- */
/* Queues come before pods and jobs that name them. */
int sim_add_queue(struct sim *sim, const struct queue_spec *spec, struct err *err) MUST_CHECK;
struct policy *sim_policy(struct sim *sim); /* NULL: there are no queues */
int sim_add_nodes(struct sim *sim, const struct scenario_template *t, uint32_t count, struct err *err) MUST_CHECK;
/* A kind of job; instances of it are added one by one. */
int sim_add_kind(struct sim *sim, const struct scenario_job *job, uint32_t *ret_kind, struct err *err) MUST_CHECK;
/* At a time from now on.  replicas 0: the kind's. */
uint32_t sim_add_job(struct sim *sim, uint32_t kind, str name, nsec_t arrival, nsec_t duration, uint32_t replicas);
void sim_add_event(struct sim *sim, const struct scenario_event *e);
/* All of a scenario. */
int sim_load(struct sim *sim, const struct scenario *sc, struct err *err) MUST_CHECK;
/* Takes in what stands in the engine already (a dump, a generator's stream): nodes and pods that are new since the last call, under the name of one
 * kind of job.  Pods on nodes run for ever; the others wait. */
int sim_adopt(struct sim *sim, str kind, bool gone_is_gone, struct err *err) MUST_CHECK;

/* The engine's time at the simulation's 0: objects of a live cluster have times of the world. */
void sim_set_epoch(struct sim *sim, nsec_t epoch);
nsec_t sim_engine_now(const struct sim *sim);
/* An adopted pod runs so long at most, since it started (the engine's time; 0: it starts now).  False: there is none of that name. */
bool sim_set_runtime(struct sim *sim, str ns, str name, nsec_t started, nsec_t most);

/* A pod or node goes, without a word of the scenario's; nothing happens when there is none of that name. */
void sim_delete_pod(struct sim *sim, str ns, str name);
int sim_delete_node(struct sim *sim, str name, struct err *err) MUST_CHECK;
/* It is being deleted but stays. */
void sim_terminate_pod(struct sim *sim, str ns, str name);

/* --- running ----------------------------------------------------------------------------------------------------------------------------------- */
/* Decides all that waits, at the time it is now. */
int sim_settle(struct sim *sim, struct err *err) MUST_CHECK;
/* Until the time (INT64_MAX: to the end); can be called again with a later one. */
int sim_run(struct sim *sim, nsec_t until, struct err *err) MUST_CHECK;
/* Until an instance runs with its minimum; false: it never does. */
int sim_run_until_started(struct sim *sim, uint32_t job, bool *ret_started, struct err *err) MUST_CHECK;
/* Counts up to now; pointers are good until the simulation goes on. */
const struct sim_result *sim_result(struct sim *sim);
/* The engine's state is sound and the books agree with it.  For tests. */
int sim_check(struct sim *sim, struct err *err) MUST_CHECK;
