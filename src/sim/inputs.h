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

/* timestamp,duration,num_gpus,gpu_time,cluster: each line a job; one that needs more GPUs than a node has is a gang of equal pods. */
struct input_philly_opts {
    uint32_t nodes, gpus_per_node;
    size_t jobs; /* the first so many by time; 0: all */
};
int input_philly(struct sim *sim, struct arena *a, str text, str file, const struct input_philly_opts *opts, struct err *err) MUST_CHECK;

/* The output of `get nodes,pods,... -A -o json`: running pods stay, others wait. */
struct input_shape { /* nodes that are alike */
    str name; /* instance type, or one of them */
    struct node_spec spec;
    uint32_t count;
};
struct input_shapes {
    struct input_shape *p;
    size_t n;
};
int input_dump(struct sim *sim, struct arena *a, str text, str file, struct input_shapes *ret, struct err *err) MUST_CHECK;
