/* generators.h - synthetic clusters and workloads by name: the shapes of kube-scheduler's own benchmark and a few of ours, as a stream of events.
 *
 *     const struct gen_workload *w = gen_find(S("SchedulingPodAffinity"));
 *     struct gen_scale scale = gen_scale_of(w);      // change .nodes, .measured ... at will
 *     gen_run(w, &scale, &sink, &err);               // calls sink.node, sink.pod ... in order
 * What the simulator shows and what the benchmark measures come from the same stream.  A stream looks like
 *     node* (ns, pv, pvc ...)* pod*(not measured) settle pod*(GEN_MEASURED, with settles between where the cluster churns) settle
 * settle means: decide all that waits now, before what comes next.
 * Threads: pure.
 * Ownership: specs are borrowed for the call they are handed to.  A sink that answers < 0 ends the run with its error.
 * Limits: LIMIT_SCHED_NODES and LIMIT_SCHED_PODS. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/err.h"
#include "sched/engine/spec.h"

enum gen_flag {
    GEN_MEASURED = 1,  /* the pods a benchmark counts; the others are there before it starts */
    GEN_LIKE_LAST = 2, /* differs from the pod before only in its name: a sink may clone that one */
};
struct gen_sink { /* entries that are NULL are passed over, except resource, node and pod */
    void *arg;
    int (*resource)(void *arg, str name, uint16_t *ret_id, struct err *err); /* id of an extended resource, as sched_resource_id */
    int (*node)(void *arg, const struct node_spec *spec, struct err *err);
    int (*pod)(void *arg, const struct pod_spec *spec, unsigned flags, struct err *err);
    int (*group)(void *arg, const struct group_spec *spec, struct err *err); /* before its members */
    int (*ns)(void *arg, str name, struct spec_labels labels, struct err *err);
    int (*storage_class)(void *arg, const struct storage_class_spec *spec, struct err *err);
    int (*pv)(void *arg, const struct pv_spec *spec, struct err *err);
    int (*pvc)(void *arg, const struct pvc_spec *spec, struct err *err);
    int (*node_delete)(void *arg, str name, struct err *err);
    int (*pod_delete)(void *arg, str ns, str name, struct err *err);
    int (*pod_terminate)(void *arg, str ns, str name, struct err *err); /* being deleted, still on its node */
    int (*settle)(void *arg, struct err *err);
};

struct gen_scale {
    uint32_t nodes, init, measured; /* pods */
    uint64_t seed;
};
enum gen_outcome {
    GEN_ALL_PLACED,  /* at the workload's own scale every measured pod finds a node */
    GEN_NONE_PLACED, /* and here none: the measure is how fast that is known */
};
struct gen_shape; /* private */
struct gen_workload {
    const char *name;
    const char *summary;
    uint32_t nodes, init, measured;
    uint32_t kube_per_s; /* pods/s that kube-scheduler 1.37 must reach on it, 0: no such figure */
    enum gen_outcome outcome;
    const struct gen_shape *shape_;
};
extern const struct gen_workload gen_workloads[]; /* a name of NULL ends it */
const struct gen_workload *gen_find(str name);     /* without regard to case; NULL: no such workload */
struct gen_scale gen_scale_of(const struct gen_workload *w);
int gen_run(const struct gen_workload *w, const struct gen_scale *scale, const struct gen_sink *sink, struct err *err) MUST_CHECK;
