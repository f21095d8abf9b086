/* gpu_demand.c - see gpu_demand.h. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/plugins/gpu_demand.h"

#define MODEL_PRICE 0.4f
#define ROOM_PRICE 0.07f
#define PRESSURE_MAX 1.5f  /* more is not dearer: what is gone twice over is gone */
#define MODEL_NOISE 0.01f  /* differences below these change no decision */
#define ROOM_NOISE 0.001f
#define ALIKE 1.1f         /* rooms whose cpu differs less are one */

static void add_set(struct gpu_demand *d, uint64_t models, float share)
{
    uint32_t i = 0;
    while (i < d->nsets && d->sets[i].models != models)
        i++;
    if (i == GPU_SETS)
        return; /* pods are handed in by weight: what is left out comes rarely */
    if (i == d->nsets)
        d->sets[d->nsets++] = (struct gpu_set){.models = models};
    d->sets[i].share += share;
}

static void add_room(struct gpu_demand *d, const struct gpu_frag_pod *p, float share)
{
    float cpu = (float)MAX(p->cpu_milli, (int64_t)1);
    uint32_t i = 0;
    for (; i < d->nrooms; i++) {
        struct gpu_room *r = &d->rooms[i];
        if (r->gpus == p->gpus && r->models == p->models && cpu <= r->cpu * ALIKE && r->cpu <= cpu * ALIKE)
            break;
    }
    if (i == GPU_ROOMS)
        return;
    if (i == d->nrooms)
        d->rooms[d->nrooms++] = (struct gpu_room){.gpus = p->gpus, .cpu = cpu, .models = p->models};
    d->rooms[i].cpu = MAX(d->rooms[i].cpu, cpu);
    d->rooms[i].inverse = 1 / d->rooms[i].cpu;
    d->rooms[i].share += share;
}

void gpu_demand_init(struct gpu_demand *d, const struct gpu_frag_pod *pods, size_t n, uint32_t nmodels)
{
    uint64_t all = nmodels >= 64 ? ~0ull : (1ull << nmodels) - 1;
    double volume = 0;
    *d = (struct gpu_demand){0};
    for (size_t i = 0; i < n; i++)
        volume += pods[i].weight * pods[i].gpus * pods[i].milli;
    for (size_t i = 0; i < n && volume > 0; i++) {
        float share = (float)(pods[i].weight * pods[i].gpus * pods[i].milli / volume);
        if (pods[i].gpus && (pods[i].models & all) != all)
            add_set(d, pods[i].models & all, share);
        if (pods[i].gpus > 1)
            add_room(d, &pods[i], share);
    }
}

void gpu_demand_node(struct gpu_demand *d, struct gpu_node *node, uint32_t model, uint32_t ngpus, int64_t cpu_milli, const uint16_t *left)
{
    struct gpu_node now = {.ngpus = (uint8_t)ngpus, .model = (uint8_t)model};
    uint32_t nfree = 0;
    for (uint32_t i = 0; i < ngpus; i++) {
        now.idle += left[i];
        nfree += left[i] == GPU_MILLI;
    }
    for (uint32_t i = 0; i < d->nrooms; i++) {
        now.rooms[i] = (uint8_t)gpu_room_pods(&d->rooms[i], model, (float)cpu_milli, nfree);
        d->rooms[i].room += ((int64_t)now.rooms[i] - node->rooms[i]) * d->rooms[i].gpus * GPU_MILLI;
    }
    d->idle[node->model] -= node->idle;
    d->idle[model] += now.idle;
    d->idle_all += (int64_t)now.idle - node->idle;
    *node = now;
}

static bool moved(float now, float applied, float noise)
{
    return now > 2 * applied + noise || 2 * now + noise < applied;
}

static float model_price(const struct gpu_demand *d, const float *pressure, uint32_t model)
{
    float sum = 0;
    for (uint32_t i = 0; i < d->nsets; i++)
        if (d->sets[i].models >> model & 1)
            sum += pressure[i];
    sum = MIN(sum, PRESSURE_MAX);
    return MODEL_PRICE * sum * sum;
}

uint64_t gpu_demand_reprice(struct gpu_demand *d, uint32_t nmodels, bool force, bool *ret_rooms)
{
    float pressure[GPU_SETS], rooms[GPU_ROOMS];
    uint64_t changed = 0;
    for (uint32_t i = 0; i < d->nsets; i++) {
        int64_t idle = 1;
        for (uint32_t m = 0; m < nmodels; m++)
            idle += d->sets[i].models >> m & 1 ? d->idle[m] : 0;
        pressure[i] = (float)d->idle_all * d->sets[i].share / (float)idle;
    }
    for (uint32_t m = 0; m < nmodels && (d->nsets || force); m++) {
        float price = model_price(d, pressure, m);
        if (!force && !moved(price, d->price[m], MODEL_NOISE))
            continue;
        d->price[m] = price;
        changed |= 1ull << m;
    }
    *ret_rooms = force;
    for (uint32_t i = 0; i < d->nrooms; i++) {
        rooms[i] = ROOM_PRICE * MIN((float)d->idle_all * d->rooms[i].share / (float)(d->rooms[i].room + 1), PRESSURE_MAX);
        *ret_rooms |= moved(rooms[i], d->rooms[i].price, ROOM_NOISE);
    }
    for (uint32_t i = 0; i < d->nrooms && *ret_rooms; i++)
        d->rooms[i].price = rooms[i];
    return changed;
}
