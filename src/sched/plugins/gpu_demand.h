/* gpu_demand.h - what is scarce: prices of GPU models and of rooms for pods with many devices.
 *
 * Most pods can go anywhere; some insist on a model, some need four or eight free devices at once with the cpu for them.  If the others take those
 * places, they are turned away although the cluster has room.  So each place has a price: how much of it the pods to come will need, over how much is left.
 *     demand of a set of models S   = idle share of the cluster * share of the mix that insists on S
 *     price of model m              = 0.4 * (sum over S with m of demand(S) / idle(S)) ^ 2         in milli a milli taken
 *     price of a room for kind k    = 0.07 * demand(k) / (share of nodes that can take it)         in milli a milli of rooms lost
 * The horizon is the filling of the cluster: whatever is idle now will be asked for by the mix.
 * Prices move with every pod; scores are kept in caches, so they are applied only when they have doubled or halved (gpu_demand_reprice says so).
 * Threads: the engine's writer; reading by all. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "sched/plugins/gpu_frag.h"

#define GPU_SETS 64u
#define GPU_ROOMS 24u

struct gpu_set { /* of models that some pods insist on */
    uint64_t models;
    float share; /* of all GPU share that is asked for */
};
struct gpu_room { /* for pods with several devices */
    uint32_t gpus;
    float cpu, inverse; /* milli of the pod; 1 / cpu */
    uint64_t models;
    float share, price;
    int64_t room; /* milli of such pods that fit on all nodes */
};
/* What a node adds to the sums. */
struct gpu_node {
    uint32_t idle;  /* milli */
    uint8_t ngpus;  /* 0: none, or no node */
    uint8_t model;
    uint8_t rooms[GPU_ROOMS]; /* pods that fit */
};
struct gpu_demand {
    struct gpu_set sets[GPU_SETS];
    uint32_t nsets;
    struct gpu_room rooms[GPU_ROOMS];
    uint32_t nrooms;
    float price[GPU_FRAG_MODELS];
    int64_t idle[GPU_FRAG_MODELS], idle_all;
};
/* Sets and rooms of a mix; nothing is counted yet. */
void gpu_demand_init(struct gpu_demand *d, const struct gpu_frag_pod *pods, size_t n, uint32_t nmodels);
/* Takes what the node added so far out of the sums and adds what it has now.  ngpus 0: gone. */
void gpu_demand_node(struct gpu_demand *d, struct gpu_node *node, uint32_t model, uint32_t ngpus, int64_t cpu_milli, const uint16_t *left);
/* Applies prices that moved far, or all with `force`.  Returns the models whose price changed; *ret_rooms: those of rooms did. */
uint64_t gpu_demand_reprice(struct gpu_demand *d, uint32_t nmodels, bool force, bool *ret_rooms);

static inline uint32_t gpu_room_pods(const struct gpu_room *r, uint32_t model, float cpu, uint32_t nfree)
{
    if (nfree < r->gpus || !(r->models >> model & 1) || cpu < r->cpu)
        return 0;
    uint32_t by_gpus = nfree >= 2 * r->gpus ? nfree / r->gpus : 1, by_cpu = (uint32_t)(cpu * r->inverse);
    return MIN(by_gpus, by_cpu);
}
/* What the rooms on a node like this are worth, in milli. */
static inline float gpu_demand_rooms(const struct gpu_demand *d, uint32_t model, float cpu, uint32_t nfree)
{
    float worth = 0;
    if (nfree < 2)
        return 0;
    for (uint32_t i = 0; i < d->nrooms; i++)
        worth += d->rooms[i].price * (float)(gpu_room_pods(&d->rooms[i], model, cpu, nfree) * d->rooms[i].gpus * GPU_MILLI);
    return worth;
}
