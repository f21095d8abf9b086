/* sim_books.c - what is used, waits and lies idle: exact sums over time, samples for the plots, fragmentation.
 *
 * Fragmentation is the share of the free main resource (GPUs, or cpu where there are none) that the workload's usual pods cannot use: for each
 * common shape that wants the resource, the free amounts on nodes where that shape does not fit (and on devices with too little left), weighted by
 * how many pods have the shape.  0: everything free can be used; 1: nothing. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/sim_internal.h"

#include <math.h>

/* --- sums ------------------------------------------------------------------------------------------------------------------------------------------------ */

void sim_books_run(struct sim *sim, const struct sim_run *run, int sign)
{
    const struct pod_class *c = class_of(sim->s, sim->pods.p[run->pod].id);
    for (uint32_t i = 0; i < c->nreq; i++)
        if (c->req[i].id != RES_GPU) {
            sim->used[c->req[i].id] += sign * (double)c->req[i].amount;
            sim->asked[c->req[i].id] = true;
        }
    sim->used[RES_GPU] += sign * (double)run->gpu_milli;
    sim->asked[RES_GPU] |= run->gpu_milli > 0;
    sim->fragmentation_stale = true;
}

static void capacity_again(struct sim *sim)
{
    const struct sched *s = sim->s;
    memset(sim->cap, 0, sizeof sim->cap);
    bits_foreach(n, s->alive, s->view.words)
    {
        for (uint32_t r = 0; r < s->nres; r++)
            if (s->alloc[r] && r != RES_GPU)
                sim->cap[r] += (double)s->alloc[r][n];
        sim->cap[RES_GPU] += (double)s->nodes[n].ngpus * GPU_MILLI;
    }
    sim->cap_stale = false;
}

void sim_books_advance(struct sim *sim, nsec_t to)
{
    double s = (double)(to - sim->now) / 1e9;
    if (to <= sim->now)
        return;
    if (sim->cap_stale)
        capacity_again(sim);
    if (sim->tree)
        sim_queues_advance(sim, to);
    for (uint32_t r = 0; r < RES_MAX; r++) {
        sim->used_s[r] += sim->used[r] * s;
        sim->cap_s[r] += sim->cap[r] * s;
        if (sim->cap[r] > 0)
            sim->peak[r] = fmax(sim->peak[r], sim->used[r] / sim->cap[r]);
    }
    sim->now = to;
}

/* --- fragmentation ------------------------------------------------------------------------------------------------------------------------------------------ */

static bool same_shape(const struct sim_shape *x, const struct res_amount *req, size_t nreq, const struct gpu_request *gpu)
{
    bool same = x->nreq == nreq && x->gpu.kind == gpu->kind && x->gpu.count == gpu->count && x->gpu.milli == gpu->milli && x->gpu.memory_mib == gpu->memory_mib;
    for (size_t i = 0; same && i < nreq; i++)
        same = x->req[i].id == req[i].id && x->req[i].amount == req[i].amount;
    return same;
}

/* Copied: classes go when their last pod does. */
static void add_shape(struct sim *sim, const struct res_amount *req, size_t nreq, const struct gpu_request *gpu, double weight)
{
    for (size_t i = 0; i < sim->nshapes; i++)
        if (same_shape(&sim->shapes[i], req, nreq, gpu)) {
            sim->shapes[i].weight += weight;
            return;
        }
    if (sim->nshapes == SIM_SHAPES)
        return;
    struct res_amount *own = arena_array(&sim->arena, nreq + 1, struct res_amount);
    if (nreq)
        memcpy(own, req, nreq * sizeof *own);
    sim->shapes[sim->nshapes++] = (struct sim_shape){own, nreq, *gpu, weight};
}

static int by_weight(const void *a, const void *b)
{
    const struct sim_shape *x = a, *y = b;
    return x->weight != y->weight ? (x->weight < y->weight ? 1 : -1) : 0;
}

/* Those of the kinds of jobs; of adopted pods the classes that the engine has. */
static void shapes_again(struct sim *sim)
{
    sim->nshapes = 0;
    double *of_kind = xarray(sim->kinds.len + 1, double);
    for (size_t i = 0; i < sim->jobs.len; i++)
        of_kind[sim->jobs.p[i].kind] += sim->jobs.p[i].npods;
    for (size_t i = 0; i < sim->kinds.len; i++)
        if (sim->kinds.p[i].job && of_kind[i] > 0)
            add_shape(sim, sim->kinds.p[i].like.requests.p, sim->kinds.p[i].like.requests.n, &sim->kinds.p[i].like.gpu, of_kind[i]);
    for (class_id c = 1; c < sim->s->nclasses && sim->nshapes < SIM_SHAPES; c++) {
        const struct pod_class *x = sim->s->classes[c];
        bool adopted = sim->kinds.len && !sim->kinds.p[sim->kinds.len - 1].job;
        if (x && x->refs && adopted)
            add_shape(sim, x->req, x->nreq, &x->gpu, x->refs);
    }
    free(of_kind);
    qsort(sim->shapes, sim->nshapes, sizeof *sim->shapes, by_weight);
    sim->shapes_stale = false;
}

static bool wants_main(const struct sim *sim, const struct sim_shape *x)
{
    if (sim->has_gpus)
        return x->gpu.kind != GPU_NONE;
    for (size_t i = 0; i < x->nreq; i++)
        if (x->req[i].id == RES_CPU && x->req[i].amount)
            return true;
    return false;
}

/* Milli of a device like the node's that the shape takes; more than a device has: it cannot there. */
static int32_t device_need(const struct sim_shape *x, const struct node *n)
{
    if (x->gpu.kind != GPU_MEMORY)
        return x->gpu.kind == GPU_FRACTION ? x->gpu.milli : GPU_MILLI;
    return n->gpu_memory_mib ? (int32_t)((x->gpu.memory_mib * GPU_MILLI + n->gpu_memory_mib - 1) / n->gpu_memory_mib) : GPU_MILLI + 1;
}

/* How much of the node's free main resource the shape cannot use. */
static double wasted(const struct sim *sim, const struct sim_shape *x, node_id n, double free_main)
{
    const struct view *v = &sim->s->view;
    for (size_t i = 0; i < x->nreq; i++)
        if (x->req[i].id != RES_GPU && x->req[i].amount > view_free(v, n, x->req[i].id))
            return free_main;
    if (view_free(v, n, RES_PODS) < 1)
        return free_main;
    if (x->gpu.kind == GPU_NONE)
        return 0;
    const struct node *node = &sim->s->nodes[n];
    int32_t need = device_need(x, node);
    uint32_t fit = 0;
    double small = 0;
    for (uint32_t g = 0; g < node->ngpus; g++) {
        int32_t left = GPU_MILLI - MIN((int32_t)v->gpu[n].used_milli[g], GPU_MILLI);
        if (left >= need)
            fit++;
        else
            small += left;
    }
    return fit >= x->gpu.count ? small : free_main;
}

static double free_of(const struct sim *sim, node_id n)
{
    const struct view *v = &sim->s->view;
    double sum = 0;
    if (!sim->has_gpus)
        return (double)MAX(view_free(v, n, RES_CPU), (int64_t)0);
    for (uint32_t g = 0; g < sim->s->nodes[n].ngpus; g++)
        sum += GPU_MILLI - MIN((int32_t)v->gpu[n].used_milli[g], GPU_MILLI);
    return sum;
}

double sim_fragmentation(struct sim *sim)
{
    double total = 0, lost = 0, weight = 0;
    if (sim->shapes_stale)
        shapes_again(sim);
    for (size_t i = 0; i < sim->nshapes; i++)
        weight += wants_main(sim, &sim->shapes[i]) ? sim->shapes[i].weight : 0;
    bits_foreach(n, sim->s->alive, sim->s->view.words)
    {
        double free_main = sim->s->nodes[n].unschedulable ? 0 : free_of(sim, n);
        total += free_main;
        for (size_t i = 0; free_main > 0 && i < sim->nshapes; i++)
            if (wants_main(sim, &sim->shapes[i]))
                lost += sim->shapes[i].weight / weight * wasted(sim, &sim->shapes[i], n, free_main);
    }
    sim->fragmentation_stale = false;
    return total > 0 ? lost / total : 0;
}

/* --- samples ------------------------------------------------------------------------------------------------------------------------------------------------- */

static double node_use(const struct sim *sim, node_id n)
{
    if (sim->has_gpus) {
        double all = (double)sim->s->nodes[n].ngpus * GPU_MILLI;
        return all > 0 ? 1 - free_of(sim, n) / all : 0;
    }
    int64_t all = sim->s->alloc[RES_CPU] ? sim->s->alloc[RES_CPU][n] : 0;
    return all ? 1 - free_of(sim, n) / (double)all : 0;
}

static void heat(struct sim *sim, uint8_t row[SIM_HEAT_ROWS])
{
    double sum[SIM_HEAT_ROWS] = {0};
    uint32_t count[SIM_HEAT_ROWS] = {0};
    if (!sim->nodes_a_row)
        sim->nodes_a_row = MAX((uint32_t)((sim->nodes.len + SIM_HEAT_ROWS - 1) / SIM_HEAT_ROWS), 1u);
    for (size_t i = 0; i < sim->nodes.len; i++) {
        const struct sim_node *n = &sim->nodes.p[i];
        size_t at = MIN(i / sim->nodes_a_row, (size_t)SIM_HEAT_ROWS - 1);
        if (n->id == NODE_NONE || (sim->has_gpus && !n->capacity[SIM_GPU]))
            continue;
        sum[at] += node_use(sim, n->id);
        count[at]++;
    }
    for (size_t i = 0; i < SIM_HEAT_ROWS; i++)
        row[i] = count[i] ? (uint8_t)lround(100 * fmin(fmax(sum[i] / count[i], 0), 1)) : 255;
}

static void take_sample(struct sim *sim, nsec_t at)
{
    struct sim_sample x = {.at = at, .waiting = sim->waiting, .running = sim->running, .nodes = sched_node_count(sim->s)};
    if (sim->cap_stale)
        capacity_again(sim);
    bool same = !sim->fragmentation_stale && sim->samples.len;
    if (!same)
        sim->fragmentation = sim_fragmentation(sim);
    x.fragmentation = sim->fragmentation;
    for (uint32_t r = 0; r < RES_MAX; r++)
        x.used[r] = sim->cap[r] > 0 ? (float)(sim->used[r] / sim->cap[r]) : 0;
    if (same)
        memcpy(x.heat, sim->samples.p[sim->samples.len - 1].heat, sizeof x.heat);
    else
        heat(sim, x.heat);
    vec_push(&sim->samples, x);
    if (sim->tree)
        sim_queues_sample(sim);
}

/* Every second one goes, the others lie twice as far apart. */
static void thin_out(struct sim *sim)
{
    size_t n = 0, row = sim->queues.len;
    for (size_t i = 0; i < sim->samples.len; i += 2, n++) {
        sim->samples.p[n] = sim->samples.p[i];
        if (row)
            memmove(sim->queue_samples.p + n * row, sim->queue_samples.p + i * row, row * sizeof *sim->queue_samples.p);
    }
    sim->samples.len = n;
    sim->queue_samples.len = n * row;
    sim->interval *= 2;
    sim->next_sample = sim->samples.p[n - 1].at + sim->interval;
}

void sim_books_sample(struct sim *sim, nsec_t upto)
{
    while (sim->next_sample < upto) {
        take_sample(sim, sim->next_sample);
        sim->next_sample += sim->interval;
        if (sim->samples.len >= SIM_SAMPLES)
            thin_out(sim);
    }
}

/* --- the result ------------------------------------------------------------------------------------------------------------------------------------------------ */

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The smallest value that at least this share does not exceed. */
static double percentile(const double *sorted, size_t n, double share)
{
    size_t at = (size_t)ceil(share * (double)n);
    return n ? sorted[at ? at - 1 : 0] : 0;
}

struct sim_waits sim_waits_of(double *waits, size_t n)
{
    struct sim_waits w = {.n = n};
    double sum = 0;
    if (n)
        qsort(waits, n, sizeof *waits, by_value);
    for (size_t i = 0; i < n; i++)
        sum += waits[i];
    if (n)
        w.mean = sum / (double)n;
    w.p50 = percentile(waits, n, 0.5);
    w.p90 = percentile(waits, n, 0.9);
    w.p99 = percentile(waits, n, 0.99);
    w.max = percentile(waits, n, 1);
    return w;
}

static void nodes_again(struct sim *sim)
{
    for (size_t i = 0; i < sim->nodes.len; i++)
        memset(sim->nodes.p[i].used_s, 0, sizeof sim->nodes.p[i].used_s);
    for (size_t i = 0; i < sim->runs.len; i++) {
        const struct sim_run *run = &sim->runs.p[i];
        double s = sim->now == 0 ? 1 /* a dump in which nothing happens: what is there now */ : (double)((run->to < 0 ? sim->now : run->to) - run->from) / 1e9;
        double *to = sim->nodes.p[run->node].used_s;
        to[SIM_CPU] += s * (double)run->cpu_milli;
        to[SIM_MEMORY] += s * (double)run->memory;
        to[SIM_GPU] += s * run->gpu_milli;
    }
}

static void shares(struct sim *sim, struct sim_result *r)
{
    for (uint32_t i = 0; i < RES_MAX; i++) {
        double now = sim->cap[i] > 0 ? sim->used[i] / sim->cap[i] : 0;
        r->capacity[i] = sim->cap[i];
        r->mean_used[i] = sim->cap_s[i] > 0 ? sim->used_s[i] / sim->cap_s[i] : now;
        r->peak_used[i] = fmax(sim->peak[i], now);
        r->shown[i] = sim->asked[i] && i != RES_PODS && (sim->cap[i] > 0 || sim->cap_s[i] > 0);
    }
    double sum = 0;
    for (size_t i = 0; i < sim->samples.len; i++)
        sum += sim->samples.p[i].fragmentation;
    r->mean_fragmentation = sim->samples.len ? sum / (double)sim->samples.len : 0;
}

const struct sim_result *sim_result(struct sim *sim)
{
    struct sim_result *r = &sim->result;
    if (sim->cap_stale)
        capacity_again(sim);
    if (!sim->samples.len || sim->samples.p[sim->samples.len - 1].at < sim->now)
        take_sample(sim, sim->now);
    nodes_again(sim);
    *r = (struct sim_result){.end = sim->now,
                             .kinds = sim->kinds.p,
                             .jobs = sim->jobs.p,
                             .pods = sim->pods.p,
                             .runs = sim->runs.p,
                             .nodes = sim->nodes.p,
                             .samples = sim->samples.p,
                             .waits_s = sim->waits.p,
                             .nkinds = sim->kinds.len,
                             .njobs = sim->jobs.len,
                             .npods = sim->pods.len,
                             .nruns = sim->runs.len,
                             .nnodes = sim->nodes.len,
                             .nsamples = sim->samples.len,
                             .nodes_a_row = sim->nodes_a_row,
                             .interval = sim->interval,
                             .has_gpus = sim->has_gpus,
                             .decisions = pipeline_count(sim->p).decided + sim->policy_decided,
                             .lost_gpu_s = sim->lost_gpu_s,
                             .transfers = sim->moved,
                             .transfer_s = sim->moved ? sim->moved_s / (double)sim->moved : 0,
                             .turnaround = sim->ended ? sim->turnaround_s / (double)sim->ended : 0,
                             .placed = sim->runs.len,
                             .evictions = sim->evictions,
                             .waiting = sim->waiting,
                             .running = sim->running,
                             .lost_s = sim->lost_s};
    for (size_t i = 0; i < sim->pods.len; i++) {
        r->done += sim->pods.p[i].state == SIM_DONE;
        r->dropped += sim->pods.p[i].state == SIM_DROPPED;
        r->started += sim->pods.p[i].first_start >= 0;
    }
    shares(sim, r);
    r->waits = sim_waits_of(sim->waits.p, sim->waits.len);
    if (sim->tree)
        sim_queues_result(sim, r);
    return r;
}

/* --- the check ------------------------------------------------------------------------------------------------------------------------------------------------- */

int sim_check(struct sim *sim, struct err *err)
{
    int r = model_check(sim->s, err);
    if (r < 0)
        return r;
    double used[RES_MAX] = {0};
    uint32_t running = 0;
    const struct view *v = &sim->s->view;
    bits_foreach(n, sim->s->alive, v->words)
    {
        for (pod_id p = sim->s->nodes[n].first_pod; p; p = sim->s->pods[p].next_on_node) {
            if (sim->s->pods[p].state == PS_NOMINATED)
                continue;
            const struct pod_class *c = class_of(sim->s, p);
            uint32_t pod = sim_pod_of(sim, p);
            if (pod == SIM_NONE || sim->pods.p[pod].run == SIM_NONE || sim->runs.p[sim->pods.p[pod].run].node != sim_node_index(sim, n))
                return err_set(err, E_INTERNAL, "pod " STR_FMT " is on a node that the simulation does not know of", STR_ARG(sched_pod_name(sim->s, p)));
            for (uint32_t i = 0; i < c->nreq; i++)
                used[c->req[i].id] += (double)c->req[i].amount;
            running++;
        }
    }
    if (running != sim->running)
        return err_set(err, E_INTERNAL, "%u pods run, the books say %u", running, sim->running);
    for (uint32_t i = 0; i < RES_MAX; i++)
        if (i != RES_GPU && used[i] != sim->used[i])
            return err_set(err, E_INTERNAL, STR_FMT ": %.0f is used, the books say %.0f", STR_ARG(sched_resource_name(sim->s, (uint16_t)i)), used[i], sim->used[i]);
    return sim->tree ? sim_queues_check(sim, err) : 0;
}
