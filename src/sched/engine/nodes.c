/* nodes.c - node events: a node's cold record is made anew by each update that changes something, its columns are set, and the event bits say
 * what changed so that only units that it may help are woken. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "base/limits.h"
#include "sched/engine/devices.h"
#include "sched/engine/engine.h"
#include "sched/engine/pods.h"
#include "sched/engine/select.h"
#include "sched/engine/statement.h"

#define NODE_MOST (LIMIT_SCHED_AMOUNT - 1)

node_id sched_node_find(const struct sched *s, str name)
{
    void *v = map_get(&s->node_by_name, name);
    return v ? (node_id)((uintptr_t)v - 1) : NODE_NONE;
}

str sched_node_name(const struct sched *s, node_id n)
{
    return n == NODE_NONE ? S("") : symbol_text(&s->sym, s->nodes[n].name);
}

uint32_t sched_node_count(const struct sched *s)
{
    return s->nalive;
}

static int check(const struct sched *s, const struct node_spec *spec, struct err *err)
{
    if (str_empty(spec->name))
        return err_set(err, E_INVALID_ARG, "a node needs a name");
    if (spec->labels.n > LIMIT_SCHED_SPEC_ITEMS || spec->ntaints > LIMIT_SCHED_SPEC_ITEMS || spec->nimages > LIMIT_SCHED_SPEC_ITEMS || spec->nvolume_limits > LIMIT_SCHED_SPEC_ITEMS)
        return err_set(err, E_TOO_LARGE, "node " STR_FMT " has more than %u labels, taints, images or volume limits", STR_ARG(spec->name), LIMIT_SCHED_SPEC_ITEMS);
    if (spec->ngpus > GPU_MAX)
        return err_set(err, E_TOO_LARGE, "node " STR_FMT " has %u GPUs, the scheduler places at most %d a node", STR_ARG(spec->name), spec->ngpus, GPU_MAX);
    if (spec->nnuma > NUMA_MAX)
        return err_set(err, E_TOO_LARGE, "node " STR_FMT " has %zu NUMA zones, the scheduler knows at most %d a node", STR_ARG(spec->name), spec->nnuma, NUMA_MAX);
    for (size_t i = 0; i < spec->allocatable.n; i++) {
        const struct res_amount *r = &spec->allocatable.p[i];
        if (r->id >= s->nres)
            return err_set(err, E_INVALID_ARG, "node " STR_FMT " has a resource with the unknown id %u", STR_ARG(spec->name), r->id);
        if (r->amount < 0)
            return err_set(err, E_INVALID_ARG, "node " STR_FMT " has a negative amount of " STR_FMT, STR_ARG(spec->name), STR_ARG(s->res_name[r->id]));
    }
    return 0;
}

/* --- the cold record ---------------------------------------------------------------------------------------------------------- */
static int image_cmp(const void *a, const void *b)
{
    sym_t x = ((const struct node_image *)a)->name, y = ((const struct node_image *)b)->name;
    return x < y ? -1 : x > y;
}

/* A record on an arena of its own, without name and pods. */
static struct node make_record(struct sched *s, const struct node_spec *spec)
{
    struct node r = {.arena = ARENA_SMALL(512)};
    r.labels = labelset_make(s, &r.arena, spec->labels);
    r.pool = labelset_get(r.labels, s->pool_key, &(bool){false});
    r.taints = arena_array(&r.arena, spec->ntaints, struct node_taint);
    r.ntaints = (uint32_t)spec->ntaints;
    for (size_t i = 0; i < spec->ntaints; i++)
        r.taints[i] = (struct node_taint){symbol(&s->sym, spec->taints[i].key), symbol(&s->sym, spec->taints[i].value), (uint8_t)spec->taints[i].effect};
    r.unschedulable = spec->unschedulable;
    r.bandwidth_overcommit = spec->bandwidth_overcommit;
    r.images = arena_array(&r.arena, spec->nimages, struct node_image);
    r.nimages = (uint32_t)spec->nimages;
    for (size_t i = 0; i < spec->nimages; i++)
        r.images[i] = (struct node_image){symbol(&s->sym, spec->images[i].name), amount_within(spec->images[i].bytes, NODE_MOST)};
    if (r.nimages > 1)
        qsort(r.images, r.nimages, sizeof *r.images, image_cmp);
    r.gpu_model = symbol(&s->sym, spec->gpu_model);
    r.gpus_are_cut = spec->gpus_are_cut || devices_model_is(spec->gpu_model, S("MIG"));
    r.gpu_memory_mib = amount_within(spec->gpu_memory_mib, INT32_MAX - 1);
    r.ngpus = spec->ngpus;
    r.nnuma = (uint32_t)spec->nnuma;
    for (size_t z = 0; z < spec->nnuma; z++)
        r.numa[z] = (struct spec_numa){amount_within(spec->numa[z].cpu_milli, NODE_MOST), amount_within(spec->numa[z].memory_bytes, NODE_MOST), spec->numa[z].gpus & ((1u << spec->ngpus) - 1)};
    r.numa_single = spec->numa_single;
    r.volume_limits = arena_zalloc(&r.arena, spec->nvolume_limits * sizeof *r.volume_limits);
    r.nvolume_limits = (uint32_t)spec->nvolume_limits;
    for (size_t i = 0; i < spec->nvolume_limits; i++) {
        r.volume_limits[i].driver = symbol(&s->sym, spec->volume_limits[i].driver);
        r.volume_limits[i].count = spec->volume_limits[i].count;
    }
    return r;
}

static bool same_numa(const struct node *a, const struct node *b)
{
    if (a->nnuma != b->nnuma || a->numa_single != b->numa_single)
        return false;
    for (uint32_t i = 0; i < a->nnuma; i++)
        if (a->numa[i].cpu_milli != b->numa[i].cpu_milli || a->numa[i].memory_bytes != b->numa[i].memory_bytes || a->numa[i].gpus != b->numa[i].gpus)
            return false;
    return true;
}

static bool same_taints(const struct node *a, const struct node *b)
{
    if (a->ntaints != b->ntaints || a->unschedulable != b->unschedulable)
        return false;
    for (uint32_t i = 0; i < a->ntaints; i++)
        if (a->taints[i].key != b->taints[i].key || a->taints[i].value != b->taints[i].value || a->taints[i].effect != b->taints[i].effect)
            return false;
    return true;
}

static bool same_images(const struct node *a, const struct node *b)
{
    if (a->nimages != b->nimages)
        return false;
    for (uint32_t i = 0; i < a->nimages; i++)
        if (a->images[i].name != b->images[i].name || a->images[i].bytes != b->images[i].bytes)
            return false;
    return true;
}

static bool same_limits(const struct node *a, const struct node *b)
{
    return a->nvolume_limits == b->nvolume_limits && (a->nvolume_limits == 0 || memcmp(a->volume_limits, b->volume_limits, a->nvolume_limits * sizeof *a->volume_limits) == 0);
}

/* --- capacity ------------------------------------------------------------------------------------------------------------------- */
static int64_t capacity_of(const struct node_spec *spec, uint16_t id)
{
    int64_t amount = 0;
    for (size_t i = 0; i < spec->allocatable.n; i++)
        if (spec->allocatable.p[i].id == id)
            amount = spec->allocatable.p[i].amount;
    if (id == RES_GPU && spec->ngpus)
        amount = spec->ngpus;
    if ((id == RES_INGRESS || id == RES_EGRESS) && spec->bandwidth_overcommit > 0) {
        double more = (double)amount * spec->bandwidth_overcommit;
        amount = more < (double)LIMIT_SCHED_AMOUNT ? (int64_t)more : LIMIT_SCHED_AMOUNT;
    }
    return amount_within(amount, NODE_MOST);
}

/* Sets the columns; returns the event bits. */
static uint64_t set_capacity(struct sched *s, node_id n, const struct node_spec *spec, bool *ret_changed)
{
    uint64_t events = 0;
    for (uint16_t id = 0; id < s->nres; id++) {
        int64_t now = capacity_of(spec, id);
        if (now == s->alloc[id][n])
            continue;
        *ret_changed = true;
        if (now > s->alloc[id][n])
            events |= EVENT_NODE_ALLOCATABLE;
        s->alloc[id][n] = now;
    }
    for (int i = 0; i < 2; i++) {
        s->f_alloc[i][n] = (double)s->alloc[i == 0 ? RES_CPU : RES_MEMORY][n];
        s->f_inv[i][n] = s->f_alloc[i][n] > 0 ? 1 / s->f_alloc[i][n] : 0;
    }
    return events;
}

static bool capacity_differs(const struct sched *s, node_id n, const struct node_spec *spec)
{
    for (uint16_t id = 0; id < s->nres; id++)
        if (capacity_of(spec, id) != s->alloc[id][n])
            return true;
    return false;
}

/* --- events ------------------------------------------------------------------------------------------------------------------------ */
static node_id add(struct sched *s, const struct node_spec *spec, struct node *record)
{
    node_id n;
    if (s->free_nodes.len) {
        n = vec_pop(&s->free_nodes);
    } else {
        model_grow(s, s->view.nnodes + 1);
        n = s->view.nnodes++;
    }
    record->name = symbol(&s->sym, spec->name);
    s->nodes[n] = *record;
    map_put(&s->node_by_name, symbol_text(&s->sym, record->name), (void *)(uintptr_t)(n + 1));
    bool changed = false;
    set_capacity(s, n, spec, &changed);
    s->tie_stale = true;
    model_node_show(s, n);
    return n;
}

static uint64_t update(struct sched *s, node_id n, const struct node_spec *spec, struct node *record)
{
    struct node *node = &s->nodes[n];
    uint64_t events = 0;
    bool changed = false;
    if (!labelset_equal(node->labels, record->labels))
        events |= EVENT_NODE_LABEL;
    if (!same_taints(node, record))
        events |= EVENT_NODE_TAINT;
    if (!same_images(node, record))
        events |= EVENT_NODE_IMAGES;
    if (node->ngpus != record->ngpus || node->gpu_model != record->gpu_model || node->gpu_memory_mib != record->gpu_memory_mib || !same_numa(node, record) ||
        !same_limits(node, record))
        events |= EVENT_NODE_ALLOCATABLE;
    changed = capacity_differs(s, n, spec);
    if (!events && !changed) {
        arena_fini(&record->arena);
        return 0;
    }
    /* Pods with devices or zones are booked against the old record, and those of a pool by who divides it: they leave and come back. */
    bool rebook = node->pool != record->pool || node->ngpus != record->ngpus || node->gpu_model != record->gpu_model || node->gpu_memory_mib != record->gpu_memory_mib || !same_numa(node, record);
    struct pods_parked parked = {0};
    if (rebook)
        pods_park(s, n, &parked);
    model_node_hide(s, n);
    record->name = node->name;
    record->first_pod = node->first_pod;
    record->npods = node->npods;
    arena_fini(&node->arena);
    *node = *record;
    events |= set_capacity(s, n, spec, &changed);
    model_node_show(s, n);
    if (rebook)
        pods_unpark(s, n, &parked);
    return events;
}

int sched_node_put(struct sched *s, const struct node_spec *spec, node_id *ret_id, struct err *err)
{
    int r = check(s, spec, err);
    if (r < 0)
        return r;
    node_id n = sched_node_find(s, spec->name);
    if (n == NODE_NONE && s->nalive >= LIMIT_SCHED_NODES)
        return err_set(err, E_TOO_LARGE, "node " STR_FMT " is one too many: the scheduler holds at most %u", STR_ARG(spec->name), LIMIT_SCHED_NODES);
    struct node record = make_record(s, spec);
    if (n == NODE_NONE) {
        n = add(s, spec, &record);
        statement_event(s, EVENT_NODE_ADD);
        pods_node_came(s, n);
    } else {
        statement_event(s, update(s, n, spec, &record));
    }
    if (ret_id)
        *ret_id = n;
    return 0;
}

/* Frees a slot that no pod is on and that is hidden already. */
void nodes_drop(struct sched *s, node_id n)
{
    struct node *node = &s->nodes[n];
    map_del(&s->node_by_name, symbol_text(&s->sym, node->name));
    arena_fini(&node->arena);
    *node = (struct node){0};
    for (uint16_t id = 0; id < s->nres; id++)
        s->alloc[id][n] = 0;
    for (int i = 0; i < 2; i++)
        s->f_alloc[i][n] = s->f_inv[i][n] = 0;
    vec_push(&s->free_nodes, n);
    s->tie_stale = true;
}

void sched_node_delete(struct sched *s, str name)
{
    node_id n = sched_node_find(s, name);
    if (n == NODE_NONE)
        return;
    pods_node_went(s, n);
    model_node_hide(s, n);
    nodes_drop(s, n);
    statement_event(s, EVENT_NODE_DELETE);
}

void nodes_fini(struct sched *s)
{
    for (node_id n = 0; n < s->view.nnodes; n++)
        if (s->nodes[n].name)
            arena_fini(&s->nodes[n].arena);
    map_fini(&s->node_by_name);
    vec_fini(&s->free_nodes);
}
