/* naive_numa.c - NUMA zones: which pods are bound to zones on a node, and whether there is one (or several, for one that wants them alone). */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/reference/naive.h"

enum rule { FREE, PREFERS, ONE, ALONE };

/* Who asks is bound wherever it goes; who is guaranteed, on nodes with zones, and strictly where the node refuses to let it span several. */
static enum rule rule_of(const struct pod_spec *p, const struct node_spec *n)
{
    if (p->numa == NUMA_EXCLUSIVE)
        return ALONE;
    if (p->numa == NUMA_REQUIRE_ONE)
        return ONE;
    if (n->nnuma == 0 || (p->numa == NUMA_NONE && !p->guaranteed))
        return FREE;
    return p->guaranteed && n->numa_single ? ONE : PREFERS;
}

/* A pod on several zones takes an equal part of each, the lowest also what does not divide. */
static int64_t part_of(const struct naive_pod *x, uint16_t resource, uint32_t zone)
{
    int64_t zones = __builtin_popcount(x->zones), amount = naive_request(&x->spec, resource);
    if (!(x->zones >> zone & 1))
        return 0;
    return amount / zones + ((uint32_t)__builtin_ctz(x->zones) == zone ? amount % zones : 0);
}

struct zone {
    int64_t cpu, memory; /* left */
    bool alone;          /* somebody has it alone */
    bool touched;
};

static struct zone zone_state(const struct naive *w, const struct pod_spec *p, int node, uint32_t zone)
{
    const struct spec_numa *z = &w->nodes.p[node].spec.numa[zone];
    struct zone s = {.cpu = z->cpu_milli, .memory = z->memory_bytes};
    for (size_t i = 0; i < w->pods.len; i++) {
        const struct naive_pod *x = &w->pods.p[i];
        if (x->node != node || !naive_holds(x, p))
            continue;
        int64_t cpu = part_of(x, RES_CPU, zone), memory = part_of(x, RES_MEMORY, zone);
        s.cpu -= cpu;
        s.memory -= memory;
        s.alone |= x->spec.numa == NUMA_EXCLUSIVE && x->zones >> zone & 1;
        s.touched |= cpu || memory || (x->gpu_mask & z->gpus);
    }
    s.touched |= s.alone;
    return s;
}

static bool device_has_room(const struct naive *w, const struct pod_spec *p, int node, uint32_t device)
{
    const struct node_spec *n = &w->nodes.p[node].spec;
    int64_t milli = naive_gpu_milli(p, n), used = 0;
    for (size_t i = 0; i < w->pods.len; i++)
        if (w->pods.p[i].node == node && naive_holds(&w->pods.p[i], p) && w->pods.p[i].gpu_mask >> device & 1)
            used += naive_gpu_milli(&w->pods.p[i].spec, n);
    return device < n->ngpus && milli >= 0 && used + milli <= GPU_MILLI;
}

static bool fits_one_zone(const struct naive *w, const struct pod_spec *p, int node, uint32_t zone)
{
    struct zone s = zone_state(w, p, node, zone);
    uint32_t devices = 0;
    for (uint32_t d = 0; d < GPU_MAX; d++)
        devices += w->nodes.p[node].spec.numa[zone].gpus >> d & 1 && device_has_room(w, p, node, d);
    return !s.alone && s.cpu >= naive_request(p, RES_CPU) && s.memory >= naive_request(p, RES_MEMORY) &&
            (p->gpu.kind == GPU_NONE || devices >= p->gpu.count);
}

/* All zones that nobody has touched, taken together: if they do not hold it, fewer do not either. */
static bool fits_alone(const struct naive *w, const struct pod_spec *p, int node)
{
    const struct node_spec *n = &w->nodes.p[node].spec;
    int64_t cpu = 0, memory = 0, zones = 0;
    uint32_t devices = 0;
    for (uint32_t z = 0; z < n->nnuma; z++) {
        if (zone_state(w, p, node, z).touched)
            continue;
        zones++;
        cpu += n->numa[z].cpu_milli;
        memory += n->numa[z].memory_bytes;
        devices += (uint32_t)__builtin_popcount(n->numa[z].gpus);
    }
    return zones && cpu >= naive_request(p, RES_CPU) && memory >= naive_request(p, RES_MEMORY) &&
            (p->gpu.kind == GPU_NONE || devices >= p->gpu.count);
}

enum naive_verdict naive_numa(const struct naive *w, const struct pod_spec *p, int node)
{
    const struct node_spec *n = &w->nodes.p[node].spec;
    enum rule rule = rule_of(p, n);
    if (rule == FREE || rule == PREFERS || (rule == ALONE && fits_alone(w, p, node)))
        return NAIVE_FITS;
    for (uint32_t z = 0; z < n->nnuma && rule == ONE; z++)
        if (fits_one_zone(w, p, node, z))
            return NAIVE_FITS;
    return NAIVE_REJECTED;
}

bool naive_zones_allowed(const struct naive *w, size_t pod, int node, uint8_t zones, uint16_t gpu_mask)
{
    const struct pod_spec *p = &w->pods.p[pod].spec;
    const struct node_spec *n = &w->nodes.p[node].spec;
    enum rule rule = rule_of(p, n);
    if (n->nnuma == 0 || rule == FREE)
        return zones == 0;
    uint32_t devices = 0;
    int64_t cpu = 0, memory = 0;
    bool untouched = true, one = __builtin_popcount(zones) == 1 && fits_one_zone(w, p, node, (uint32_t)__builtin_ctz(zones));
    for (uint32_t z = 0; z < n->nnuma; z++)
        if (zones >> z & 1) {
            devices |= n->numa[z].gpus;
            cpu += n->numa[z].cpu_milli;
            memory += n->numa[z].memory_bytes;
            untouched &= !zone_state(w, p, node, z).touched;
        }
    if (rule == ONE)
        return one && !(gpu_mask & ~devices);
    if (rule == ALONE)
        return zones && untouched && cpu >= naive_request(p, RES_CPU) && memory >= naive_request(p, RES_MEMORY) && !(gpu_mask & ~devices);
    bool could = false;
    for (uint32_t z = 0; z < n->nnuma; z++)
        could |= fits_one_zone(w, p, node, z);
    return could ? one && !(gpu_mask & ~devices) : zones != 0;
}
