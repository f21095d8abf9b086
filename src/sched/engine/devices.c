/* devices.c - see devices.h.
 *
 * A node with two zones and four devices, after a fractional pod (470 milli) and a guaranteed one with a whole device:
 *
 *     zone 0   cpu 16000 used 0       devices 0 [470   ] 1 [      ]      least_used 0, ntaken 2
 *     zone 1   cpu 16000 used 8000    devices 2 [1000  ] 3 [      ]
 *
 * The next guaranteed pod with a device goes to zone 1: of the zones that fit, the one with the fewest free devices, then the least cpu left, so that
 * zone 0 stays whole for a pod that needs all of it. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/engine/devices.h"

#include "base/err.h"
#include "sched/engine/engine.h"
#include "sched/plugins/gpu_packing.h"

/* --- what a class takes ---------------------------------------------------------------------------------------------------------------- */
const str devices_model_labels[] = {STR_INIT("nvidia.com/gpu.product"), STR_INIT("gpu.nvidia.com/model"), STR_INIT("amd.com/gpu.product-name")};
const size_t devices_nmodel_labels = ARRAY_LEN(devices_model_labels);

static bool is_between_words(char c)
{
    return c == '-' || c == '_' || c == ' ' || c == '.';
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

bool devices_model_is(str product, str model)
{
    if (!model.len)
        return false;
    for (size_t at = 0; at + model.len <= product.len; at++) {
        size_t n = 0, end = at + model.len;
        if (at && !is_between_words(product.p[at - 1]))
            continue;
        while (n < model.len && lower(product.p[at + n]) == lower(model.p[n]))
            n++;
        if (n == model.len && (end == product.len || is_between_words(product.p[end])))
            return true;
    }
    return false;
}

bool devices_model_fits(const struct sched *s, const struct pod_class *c, node_id n)
{
    sym_t product = s->nodes[n].gpu_model;
    for (size_t i = 0; i < c->gpu.nmodels; i++)
        if (c->gpu_models[i] == product || devices_model_is(symbol_text(&s->sym, product), symbol_text(&s->sym, c->gpu_models[i])))
            return true;
    return c->gpu.nmodels == 0;
}

int32_t devices_milli(const struct sched *s, const struct pod_class *c, node_id n)
{
    const struct node *node = &s->nodes[n];
    if (c->gpu.nmodels && !devices_model_fits(s, c, n))
        return -1;
    switch (c->gpu.kind) {
    case GPU_NONE:
        return 0;
    case GPU_WHOLE:
        return GPU_MILLI;
    case GPU_FRACTION:
        return node->gpus_are_cut ? -1 : c->gpu.milli;
    case GPU_MEMORY:
        break;
    }
    if (node->gpus_are_cut)
        return -1;
    if (c->gpu.memory_mib > node->gpu_memory_mib)
        return -1;
    return (int32_t)((c->gpu.memory_mib * GPU_MILLI + node->gpu_memory_mib - 1) / node->gpu_memory_mib);
}

uint16_t devices_room(const struct view *v, node_id n, int32_t milli)
{
    const struct gpu_state *g = &v->gpu[n];
    uint16_t mask = 0;
    for (uint32_t i = 0; i < v->s->nodes[n].ngpus; i++)
        mask |= (uint16_t)((g->used_milli[i] + (uint32_t)milli <= GPU_MILLI) << i);
    return mask;
}

bool devices_fit(const struct view *v, const struct pod_class *c, node_id n)
{
    if (c->gpu.kind == GPU_NONE)
        return true;
    const struct gpu_state *g = &v->gpu[n];
    uint32_t least = c->gpu.kind == GPU_WHOLE ? GPU_MILLI : c->gpu.kind == GPU_FRACTION ? (uint32_t)c->gpu.milli : 1;
    if (g->least_used + least > GPU_MILLI)
        return false; /* most nodes of a full cluster end here, without a look at the node's record */
    uint32_t ngpus = v->s->nodes[n].ngpus;
    int32_t milli = c->gpu.count <= ngpus ? devices_milli(v->s, c, n) : -1;
    if (milli < 0)
        return false;
    if (milli == GPU_MILLI)
        return ngpus - MIN(g->ntaken, ngpus) >= c->gpu.count;
    if (c->gpu.count == 1)
        return g->least_used + (uint32_t)milli <= GPU_MILLI;
    return (uint32_t)__builtin_popcount(devices_room(v, n, milli)) >= c->gpu.count;
}

/* --- zones --------------------------------------------------------------------------------------------------------------------------------- */
enum numa_rule devices_numa_rule(const struct sched *s, const struct pod_class *c, node_id n)
{
    const struct node *node = &s->nodes[n];
    if (c->numa == NUMA_EXCLUSIVE)
        return NUMA_RULE_EXCLUSIVE;
    if (c->numa == NUMA_REQUIRE_ONE)
        return NUMA_RULE_ONE;
    if (!node->nnuma || (c->numa == NUMA_NONE && !c->guaranteed))
        return NUMA_RULE_NONE;
    return c->guaranteed && node->numa_single ? NUMA_RULE_ONE : NUMA_RULE_PREFER;
}

static bool zone_fits(const struct view *v, const struct pod_class *c, node_id n, uint32_t z, uint16_t room)
{
    const struct spec_numa *zone = &v->s->nodes[n].numa[z];
    const struct numa_state *used = &v->numa[n];
    return !(used->exclusive >> z & 1) && zone->cpu_milli - used->used_cpu[z] >= c->amount[RES_CPU] && zone->memory_bytes - used->used_memory[z] >= c->amount[RES_MEMORY] &&
           (c->gpu.kind == GPU_NONE || (uint32_t)__builtin_popcount(room & zone->gpus) >= c->gpu.count);
}

/* The tightest zone that fits: fewest devices with room, then least cpu left, then the lowest number; -1: none. */
static int one_zone(const struct view *v, const struct pod_class *c, node_id n, uint16_t room)
{
    const struct node *node = &v->s->nodes[n];
    int best = -1, best_devices = 0;
    int64_t best_cpu = 0;
    for (uint32_t z = 0; z < node->nnuma; z++) {
        if (!zone_fits(v, c, n, z, room))
            continue;
        int devices = c->gpu.kind == GPU_NONE ? 0 : __builtin_popcount(room & node->numa[z].gpus);
        int64_t cpu = node->numa[z].cpu_milli - v->numa[n].used_cpu[z];
        if (best >= 0 && (devices > best_devices || (devices == best_devices && cpu >= best_cpu)))
            continue;
        best = (int)z;
        best_devices = devices;
        best_cpu = cpu;
    }
    return best;
}

/* Zones with nothing on them, as bits. */
static uint32_t empty_zones(const struct view *v, node_id n)
{
    const struct node *node = &v->s->nodes[n];
    uint32_t empty = 0;
    for (uint32_t z = 0; z < node->nnuma; z++) {
        bool taken = v->numa[n].used_cpu[z] || v->numa[n].used_memory[z] || (v->numa[n].exclusive >> z & 1);
        for (uint32_t i = 0; i < node->ngpus; i++)
            taken |= (node->numa[z].gpus >> i & 1) && v->gpu[n].used_milli[i];
        empty |= (uint32_t)!taken << z;
    }
    return empty;
}

/* The fewest whole zones that hold it; of these the least cpu, then the lowest numbers.  At most 255 sets: NUMA_MAX is 8. */
static uint8_t own_zones(const struct view *v, const struct pod_class *c, node_id n)
{
    const struct node *node = &v->s->nodes[n];
    uint32_t empty = empty_zones(v, n), best = 0;
    int64_t best_cpu = 0;
    for (uint32_t set = empty; set; set = (set - 1) & empty) {
        int64_t cpu = 0, memory = 0;
        uint32_t devices = 0;
        for (uint32_t z = 0; z < node->nnuma; z++)
            if (set >> z & 1) {
                cpu += node->numa[z].cpu_milli;
                memory += node->numa[z].memory_bytes;
                devices |= node->numa[z].gpus;
            }
        uint32_t have = (uint32_t)__builtin_popcount(devices & ((1u << node->ngpus) - 1));
        if (cpu < c->amount[RES_CPU] || memory < c->amount[RES_MEMORY] || (c->gpu.kind != GPU_NONE && have < c->gpu.count))
            continue;
        int order = best ? __builtin_popcount(set) - __builtin_popcount(best) : -1;
        if (order > 0 || (order == 0 && cpu > best_cpu)) /* sets come in falling order: an equal one has lower numbers */
            continue;
        best = set;
        best_cpu = cpu;
    }
    return (uint8_t)best;
}

uint8_t devices_numa_zones(const struct view *v, const struct pod_class *c, node_id n)
{
    enum numa_rule rule = devices_numa_rule(v->s, c, n);
    const struct node *node = &v->s->nodes[n];
    if (rule == NUMA_RULE_NONE || !node->nnuma)
        return 0;
    if (rule == NUMA_RULE_EXCLUSIVE)
        return own_zones(v, c, n);
    int32_t milli = devices_milli(v->s, c, n);
    int z = one_zone(v, c, n, milli > 0 ? devices_room(v, n, milli) : 0);
    if (z >= 0)
        return (uint8_t)(1u << z);
    if (rule == NUMA_RULE_ONE)
        return 0;
    uint8_t shared = (uint8_t)(((1u << node->nnuma) - 1) & ~(uint32_t)v->numa[n].exclusive);
    return shared ? shared : (uint8_t)((1u << node->nnuma) - 1);
}

bool devices_numa_fit(const struct view *v, const struct pod_class *c, node_id n)
{
    enum numa_rule rule = devices_numa_rule(v->s, c, n);
    return rule <= NUMA_RULE_PREFER || devices_numa_zones(v, c, n) != 0;
}

/* --- choosing devices ------------------------------------------------------------------------------------------------------------------------ */
/* The fullest of `allowed`, then the lowest number. */
static uint16_t fullest(const struct gpu_state *g, uint16_t allowed, uint32_t count)
{
    uint16_t mask = 0;
    for (uint32_t k = 0; k < count && (allowed & ~mask); k++) {
        uint32_t best = GPU_MAX;
        for (uint32_t i = 0; i < GPU_MAX; i++)
            if ((allowed & ~mask) >> i & 1 && (best == GPU_MAX || g->used_milli[i] > g->used_milli[best]))
                best = i;
        mask |= (uint16_t)(1u << best);
    }
    return mask;
}

/* The emptiest of `allowed`, then the lowest number. */
static uint16_t emptiest_of(const struct gpu_state *g, uint16_t allowed, uint32_t count)
{
    uint16_t mask = 0;
    for (uint32_t k = 0; k < count && (allowed & ~mask); k++) {
        uint32_t best = GPU_MAX;
        for (uint32_t i = 0; i < GPU_MAX; i++)
            if ((allowed & ~mask) >> i & 1 && (best == GPU_MAX || g->used_milli[i] < g->used_milli[best]))
                best = i;
        mask |= (uint16_t)(1u << best);
    }
    return mask;
}

/* For a pod that is there whether it fits or not: the emptiest. */
static uint16_t emptiest(const struct gpu_state *g, uint32_t ngpus, uint16_t mask, uint32_t count)
{
    while ((uint32_t)__builtin_popcount(mask) < MIN(count, ngpus)) {
        uint32_t best = GPU_MAX;
        for (uint32_t i = 0; i < ngpus; i++)
            if (!(mask >> i & 1) && (best == GPU_MAX || g->used_milli[i] < g->used_milli[best]))
                best = i;
        mask |= (uint16_t)(1u << best);
    }
    return mask;
}

static uint16_t zones_devices(const struct node *node, uint8_t zones)
{
    uint32_t devices = 0;
    for (uint32_t z = 0; z < node->nnuma; z++)
        if (zones >> z & 1)
            devices |= node->numa[z].gpus;
    return (uint16_t)devices;
}

static uint16_t choose(const struct sched *s, const struct pod_class *c, node_id n, uint8_t zones)
{
    const struct gpu_state *g = &s->view.gpu[n];
    int32_t milli = devices_milli(s, c, n);
    uint16_t room = milli >= 0 ? devices_room(&s->view, n, milli) : 0, mask;
    if (zones && (uint32_t)__builtin_popcount(room & zones_devices(&s->nodes[n], zones)) >= c->gpu.count)
        room &= zones_devices(&s->nodes[n], zones);
    if ((uint32_t)__builtin_popcount(room) < c->gpu.count)
        return emptiest(g, s->nodes[n].ngpus, room, c->gpu.count);
    if (profile_of(s, c)->spread_devices)
        return emptiest_of(g, room, c->gpu.count);
    mask = gpu_packing_choose(s, c, n, room, c->gpu.count, milli);
    return mask ? mask : fullest(g, room, c->gpu.count);
}

/* --- the books ---------------------------------------------------------------------------------------------------------------------------------- */
static void sum_up(struct gpu_state *g, uint32_t ngpus)
{
    g->ntaken = 0;
    g->least_used = ngpus ? UINT32_MAX : 0;
    for (uint32_t i = 0; i < ngpus; i++) {
        g->ntaken += g->used_milli[i] > 0;
        g->least_used = MIN(g->least_used, g->used_milli[i]);
    }
}

/* A pod that was put there by force and never fits takes the whole device. */
static void book_devices(struct gpu_state *g, const struct sched *s, const struct pod_class *c, node_id n, uint16_t mask, int sign)
{
    int32_t milli = devices_milli(s, c, n);
    uint32_t each = milli < 0 ? GPU_MILLI : (uint32_t)milli, mib = c->gpu.kind == GPU_MEMORY ? (uint32_t)c->gpu.memory_mib : 0;
    for (uint32_t i = 0; i < GPU_MAX; i++)
        if (mask >> i & 1) {
            g->used_milli[i] += sign > 0 ? each : 0u - each;
            g->used_mib[i] += sign > 0 ? mib : 0u - mib;
        }
    sum_up(g, s->nodes[n].ngpus);
}

/* Amounts that do not divide evenly: the lowest zone has the rest. */
static void book_zones(struct numa_state *u, const struct pod_class *c, uint8_t zones, int sign)
{
    int k = __builtin_popcount(zones);
    bool first = true;
    for (uint32_t z = 0; z < NUMA_MAX; z++) {
        if (!(zones >> z & 1))
            continue;
        u->used_cpu[z] += sign * (c->amount[RES_CPU] / k + (first ? c->amount[RES_CPU] % k : 0));
        u->used_memory[z] += sign * (c->amount[RES_MEMORY] / k + (first ? c->amount[RES_MEMORY] % k : 0));
        first = false;
    }
}

/* Devices and zones that pods of lower priority are only nominated for: kept for them, but not from this one. */
static bool book_nominated(struct sched *s, pod_id id, node_id n, int sign)
{
    struct numa_state *u = &s->view.numa[n];
    bool any = false;
    for (pod_id q = s->nodes[n].first_pod; q; q = s->pods[q].next_on_node) {
        const struct pod *p = &s->pods[q];
        const struct pod_class *c = class_of(s, q);
        if (q == id || p->state != PS_NOMINATED || c->priority >= class_of(s, id)->priority || (!p->gpu_mask && !p->numa_zones))
            continue;
        any = true;
        if (p->gpu_mask)
            book_devices(&s->view.gpu[n], s, c, n, p->gpu_mask, sign);
        if (p->numa_zones)
            book_zones(u, c, p->numa_zones, sign);
        if (c->numa == NUMA_EXCLUSIVE)
            u->exclusive = (uint8_t)(sign > 0 ? u->exclusive | p->numa_zones : u->exclusive & ~p->numa_zones);
    }
    return any;
}

static void choose_both(const struct sched *s, struct pod *p, const struct pod_class *c, node_id n, uint8_t zones, uint16_t mask)
{
    p->numa_zones = zones ? zones : devices_numa_zones(&s->view, c, n);
    p->gpu_mask = c->gpu.kind == GPU_NONE ? 0 : mask ? mask : choose(s, c, n, p->numa_zones);
}

void devices_take(struct sched *s, pod_id id, node_id n, uint16_t given_mask)
{
    struct pod *p = &s->pods[id];
    const struct pod_class *c = class_of(s, id);
    struct numa_state *u = &s->view.numa[n];
    uint8_t given_zones = p->numa_zones;
    bool tight = (!given_mask && !devices_fit(&s->view, c, n)) || (!given_zones && !devices_numa_fit(&s->view, c, n));
    bool out = tight && book_nominated(s, id, n, -1);
    choose_both(s, p, c, n, given_zones, given_mask);
    if (out)
        book_nominated(s, id, n, 1);
    if (p->gpu_mask)
        book_devices(&s->view.gpu[n], s, c, n, p->gpu_mask, 1);
    if (p->numa_zones) {
        book_zones(u, c, p->numa_zones, 1);
        if (c->numa == NUMA_EXCLUSIVE)
            u->exclusive |= p->numa_zones;
    }
}

void devices_give(struct sched *s, pod_id id, node_id n)
{
    struct pod *p = &s->pods[id];
    const struct pod_class *c = class_of(s, id);
    struct numa_state *u = &s->view.numa[n];
    uint8_t zones = p->numa_zones;
    if (p->gpu_mask)
        book_devices(&s->view.gpu[n], s, c, n, p->gpu_mask, -1);
    p->gpu_mask = 0;
    p->numa_zones = 0;
    if (!zones)
        return;
    book_zones(u, c, zones, -1);
    if (c->numa != NUMA_EXCLUSIVE)
        return;
    u->exclusive &= (uint8_t)~zones;
    for (pod_id q = s->nodes[n].first_pod; q; q = s->pods[q].next_on_node) /* somebody was put into the same zone by force */
        if (q != id && class_of(s, q)->numa == NUMA_EXCLUSIVE)
            u->exclusive |= s->pods[q].numa_zones;
}

/* --- for tests ------------------------------------------------------------------------------------------------------------------------------------- */
int devices_check(const struct sched *s, struct err *err)
{
    bits_foreach(n, s->alive, s->view.words)
    {
        struct gpu_state g = {0};
        struct numa_state u = {0};
        for (pod_id p = s->nodes[n].first_pod; p; p = s->pods[p].next_on_node) {
            const struct pod_class *c = class_of(s, p);
            if (s->pods[p].gpu_mask)
                book_devices(&g, s, c, n, s->pods[p].gpu_mask, 1);
            if (s->pods[p].numa_zones)
                book_zones(&u, c, s->pods[p].numa_zones, 1);
            if (c->numa == NUMA_EXCLUSIVE)
                u.exclusive |= s->pods[p].numa_zones;
        }
        sum_up(&g, s->nodes[n].ngpus);
        if (memcmp(&g, &s->view.gpu[n], sizeof g) != 0)
            return err_set(err, E_INTERNAL, "node " STR_FMT ": the books of its devices differ from its pods", STR_ARG(sched_node_name(s, n)));
        const struct numa_state *have = &s->view.numa[n];
        if (memcmp(u.used_cpu, have->used_cpu, sizeof u.used_cpu) != 0 || memcmp(u.used_memory, have->used_memory, sizeof u.used_memory) != 0 || u.exclusive != have->exclusive)
            return err_set(err, E_INTERNAL, "node " STR_FMT ": the books of its zones differ from its pods", STR_ARG(sched_node_name(s, n)));
    }
    return 0;
}
