/* world.h - what if objects of a cluster were different: queues and nodes that are changed, added or drained, work that comes.
 *
 *   cluster ───────────► simulation A ─┐
 *   cluster + changes ─► simulation B ─┴─► work of the changes: when and where it starts; of all others: who starts, goes or waits only because of them
 * Changes are manifests: a Queue or Node that is there is merged with (what is not said stays, null removes), others are added; a Node that becomes unschedulable is drained, its pods come
 * again elsewhere; Pods and PodGroups come as they are; a Job, Deployment, ReplicaSet or StatefulSet becomes its pods (those of a Job start together).
 * Both run until nothing happens any more: pods that declare how long they may run end then, all others never.
 * Threads: one.  Ownership: the answer is on the arena. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "sim/inputs.h"

enum world_start { WORLD_NOW, WORLD_AFTER_EVICTION, WORLD_AFTER_RUN_TIMES, WORLD_WAITS, WORLD_STARTS };
struct world_pod {
    str ns, name, queue, node; /* node: where it is, or was before it had to go; "" nowhere */
    enum world_start start;    /* of work */
    nsec_t at;
    str why;                   /* WAITS */
    bool again;                /* of evicted: it runs again in the end */
};
struct world_pods {
    struct world_pod *p;
    size_t n;
};
struct world_answer {
    str *changes; /* "Queue a changed", "Node n1 drained" */
    size_t nchanges;
    struct world_pods work, evicted, start, stay; /* stay: would have run without the changes, and waits with them */
    bool has_ends;
};
struct world_opts {
    struct sched_profile *(*make_profile)(void *arg); /* taken; asked for twice */
    void *arg;
    struct sim_opts sim;
};
int world_ask(struct arena *a, const struct input_items *cluster, const struct input_items *changes, const struct world_opts *opts, struct world_answer *ret, struct err *err) MUST_CHECK;
/* Does this text speak of more than one job, so that it is a question to the world? */
bool world_is_question(const struct input_items *changes);
void world_text(struct strbuf *b, const struct world_answer *x);
void world_json(struct strbuf *b, const struct world_answer *x);
