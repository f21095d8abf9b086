/* scenario.h - a cluster and a workload as a YAML file: nodes by template, jobs with arrival and duration, things that happen.
 *
 *     name: two-shifts
 *     nodes: [{name: gpu, count: 8, cpu: 64, memory: 512Gi, gpus: 8, zones: 2}]
 *     jobs:
 *     - {name: train, count: 20, arrival: {every: 10m}, duration: {uniform: [1h, 3h]}, replicas: 4, requests: {cpu: 8, gpu: 2}}
 *     events: [{at: 2h, remove: gpu-3}]
 * docs/simulator.md lists every field.  Jobs and templates become the specs of sched/engine/spec.h; a job may also hold a real pod manifest.
 * Threads: one at a time.
 * Ownership: a scenario owns all it points to; specs made from it live on the arena that is handed in and in the scenario.
 * Limits: LIMIT_SIM_TEMPLATES templates, jobs, queues, objects and events each; LIMIT_SCHED_NODES nodes and LIMIT_SCHED_PODS pods in all. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "sched/engine/engine.h"
#include "sim/fields.h"

#define SCENARIO_SPREAD_MAX 8
#define SCENARIO_DOMAIN "kuscia.secretflow/namespace"

struct scenario_amount { /* of a resource that has no field of its own */
    str name;
    int64_t amount;
};
struct scenario_amounts {
    struct scenario_amount *p;
    size_t n;
};
struct scenario_bandwidth {
    int64_t ingress, egress; /* bit/s, 0 none */
};

struct scenario_spread { /* a label whose values go round: rack-0, rack-1 ... */
    str key, prefix;
    uint32_t values;
};
struct scenario_template {
    str name; /* nodes are NAME-0, NAME-1 ... */
    uint32_t count;
    int64_t cpu_milli, memory, storage, pods, gpu_memory;
    uint32_t gpus;
    str gpu_model;
    str domain; /* whose it is: label SCENARIO_DOMAIN; "": nobody's */
    struct scenario_bandwidth bandwidth;
    double overcommit; /* of bandwidth */
    struct scenario_amounts resources;
    struct spec_labels labels;
    struct spec_taint *taints;
    size_t ntaints;
    bool unschedulable;
    struct scenario_spread spread[SCENARIO_SPREAD_MAX];
    size_t nspread;
    uint32_t numa;
    bool numa_single;
};

enum scenario_arrival_kind { ARRIVE_AT, ARRIVE_EVERY, ARRIVE_POISSON, ARRIVE_BURST };
struct scenario_arrival {
    enum scenario_arrival_kind kind;
    nsec_t from, every;
    double per_s; /* POISSON */
    uint32_t size; /* BURST */
};
enum scenario_duration_kind { LAST_FOREVER, LAST_FIXED, LAST_UNIFORM, LAST_EXPONENTIAL };
struct scenario_duration {
    enum scenario_duration_kind kind;
    nsec_t a, b; /* fixed or mean; least and most */
};
struct scenario_term { /* affinity, anti-affinity, spread in short form */
    struct spec_labels match; /* none: the job's own pods */
    str topology;
    int32_t weight; /* 0: required */
    int32_t max_skew, min_domains;
    bool soft;
};
struct scenario_terms {
    struct scenario_term *p;
    size_t n;
};
struct scenario_requests {
    int64_t cpu_milli, memory, storage, gpu_memory;
    uint32_t gpus;
    int64_t gpu_milli; /* gpuFraction: of each device */
    struct scenario_bandwidth bandwidth;
    struct scenario_amounts resources;
};
struct scenario_job {
    str name, ns;
    uint32_t count;
    struct scenario_arrival arrival;
    struct scenario_duration duration;
    uint32_t replicas;
    int32_t min_member; /* -1: all; 0: no gang, every pod for itself */
    int32_t priority;
    str scheduler; /* schedulerName: which of several profiles */
    bool never_preempts;
    str queue; /* "": none */
    enum preemptibility preemptibility;
    nsec_t checkpoint; /* every so often its work is kept; 0: never */
    struct scenario_requests requests;
    struct field_strs gpu_models;
    struct spec_labels labels, node_selector;
    struct spec_toleration *tolerations;
    size_t ntolerations;
    struct scenario_terms affinity, anti_affinity, spread;
    str required_key, preferred_key; /* topology of the gang */
    struct field_strs parties; /* domains: an instance has its replicas in each of them, and starts in all or in none */
    int64_t transfer; /* bytes that each party sends to the others when its duration is over */
    enum numa_policy numa;
    struct field_strs ports;
    struct json pod; /* a manifest instead of all that; JSON_NULL: none */
    str path; /* "jobs[2]" */
};

struct scenario_link { /* what goes from one domain to another */
    str from, to;
    int64_t bits;
};

enum scenario_event_kind { HAPPEN_NONE, HAPPEN_CORDON, HAPPEN_UNCORDON, HAPPEN_REMOVE, HAPPEN_ADD, HAPPEN_DELETE };
struct scenario_event {
    enum scenario_event_kind kind;
    nsec_t at;
    struct field_strs names; /* of nodes ("gpu-*" for all that begin so) or jobs */
    str template;            /* ADD */
    const struct scenario_template *add;
    uint32_t count;
    const struct scenario *of; /* where it stands, for what is found out when it happens */
    uint32_t number;
};

struct scenario {
    struct arena arena;
    str file, text;
    str name;
    uint64_t seed;
    str profile; /* "" default; a builtin's name or a file */
    nsec_t until; /* 0: until nothing happens any more */
    nsec_t grace; /* how long an evicted pod takes to go */
    nsec_t sample; /* 0: chosen */
    struct scenario_template *templates;
    size_t ntemplates;
    struct scenario_job *jobs;
    size_t njobs;
    struct scenario_event *events;
    size_t nevents;
    struct json *queues, *objects; /* Queue objects; manifests of others that stand in the cluster at the beginning */
    size_t nqueues, nobjects;
    struct scenario_link *links;
    size_t nlinks;
    bool ignores_bandwidth;
    str policy;    /* name of a setting, "": the default */
    nsec_t checkpoint; /* of jobs that say nothing */
    nsec_t owed_after; /* 0: chosen */
};

/* "FILE:LINE: field: ": how messages begin, also those about what only shows later. */
str scenario_where(const struct scenario *sc, struct arena *a, str path);
/* Messages begin with that. */
int scenario_parse(str text, str file, struct scenario **ret, struct err *err) MUST_CHECK;
void scenario_free(struct scenario *sc);
/* A job alone, as --what-if takes it: a job in the scenario's form, {gang: job}, or the manifest of a Pod, Job, Deployment, ReplicaSet or StatefulSet.
 * On the arena; text and file must live as long. */
int scenario_job_parse(struct arena *a, str text, str file, struct scenario_job *ret, struct err *err) MUST_CHECK;
const struct scenario_template *scenario_template_find(const struct scenario *sc, str name);

/* Node i of a template; the spec is on the arena. */
int scenario_node(const struct scenario_template *t, uint32_t i, struct sched *s, struct arena *a, struct node_spec *ret, struct err *err) MUST_CHECK;
/* What every pod of the job is like; identity but ns and labels is left to the caller. */
int scenario_pod(const struct scenario_job *j, struct sched *s, struct arena *a, struct pod_spec *ret, struct err *err) MUST_CHECK;
/* Is each instance of the job a gang? */
static inline bool scenario_is_gang(const struct scenario_job *j)
{
    return j->parties.n || (j->min_member != 0 && (j->replicas > 1 || j->required_key.len || j->preferred_key.len));
}
/* Pods of an instance. */
static inline uint32_t scenario_pods(const struct scenario_job *j)
{
    return j->replicas * (j->parties.n ? (uint32_t)j->parties.n : 1);
}
/* Instance k of the job, in order: when it comes (k and the one before), how long it lasts (-1: forever). */
nsec_t scenario_arrival_next(const struct scenario_arrival *a, uint32_t k, nsec_t before, struct rng *rng);
nsec_t scenario_duration_draw(const struct scenario_duration *d, struct rng *rng);

/* --- between the files of this module -------------------------------------------------------------------------------------------------------- */
int scenario_read_template(struct fields *f, const struct json *v, str path, struct scenario_template *t) MUST_CHECK;
int scenario_read_job(struct fields *f, const struct json *v, str path, struct scenario_job *j) MUST_CHECK;
int scenario_read_bandwidth(struct fields *f, const struct json *v, str path, void *into) MUST_CHECK;
int scenario_read_amounts(struct fields *f, const struct json *v, str path, void *into) MUST_CHECK;
/* "zone", "host", "region" for the well-known keys, others as they are. */
str scenario_topology_key(str word);
/* "key=value:NoSchedule" */
bool scenario_effect(str word, int *ret);
