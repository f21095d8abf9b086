/* inputs.h - clusters and workloads from elsewhere than a scenario file: generators, the Philly trace, a dump of a live cluster.
 *
 * Threads: one at a time.  Ownership: texts are borrowed until the simulation ends; what is made of them is on the arena.
 * Limits: those of the engine; a malformed line is an error with file and line. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "sim/generators.h"
#include "sim/sim.h"

/* Runs the stream through: when it returns all is decided. */
int input_generator(struct sim *sim, const struct gen_workload *w, const struct gen_scale *scale, struct err *err) MUST_CHECK;

/* timestamp,duration,num_gpus,gpu_time,cluster: each line a job; one that needs more GPUs than a node has is a gang of equal pods.
 * With queues, a virtual cluster is a queue: its quota is its part of all GPU time, as that part of the cluster's GPUs (whole ones, the largest remainders first, at least 1). */
struct input_philly_opts {
    uint32_t nodes, gpus_per_node;
    size_t jobs; /* the first so many by time; 0: all */
    bool queues;
    nsec_t checkpoint; /* 0: jobs never save their work */
};
#define INPUT_PHILLY_QUEUES 256u
int input_philly(struct sim *sim, struct arena *a, str text, str file, const struct input_philly_opts *opts, struct err *err) MUST_CHECK;

/* The output of `get nodes,pods,queues,... -A -o json`: running pods stay, others wait; one that declares how long it may run (activeDeadlineSeconds) ends then. */
struct input_shape { /* nodes that are alike */
    str name; /* instance type, or one of them */
    struct node_spec spec;
    uint32_t count;
};
struct input_shapes {
    struct input_shape *p;
    size_t n;
    bool has_ends; /* some pod declares how long it runs */
};
struct input_items {
    struct json *p;
    size_t n;
};
/* The objects of a text: YAML documents or JSON, Lists item by item. */
int input_items(struct arena *a, str text, str file, struct input_items *ret, struct err *err) MUST_CHECK;
int input_objects(struct sim *sim, struct arena *a, const struct input_items *items, struct input_shapes *ret, struct err *err) MUST_CHECK;
int input_dump(struct sim *sim, struct arena *a, str text, str file, struct input_shapes *ret, struct err *err) MUST_CHECK;
