/* gpu_frag.c - see gpu_frag.h: the tables and how a node's waste is read out of them.
 *
 * Axes: what is left of a device in steps of 10 milli (pods rounded up), cpu in steps of a quantum that spans about four mean pods.  Models that the same
 * pods may use share tables; without model constraints there is one set. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/plugins/gpu_frag.h"

#define STEP 10             /* milli */
#define LEFTS (GPU_MILLI / STEP + 1)
#define BUDGETS 97          /* cpu of one device: 0 .. 96 quanta */
#define POOLS 1024          /* cpu of all free devices */
#define SHARE_SLACK 1.3f    /* a device may take a little more than its part: its neighbours will not all need theirs */
#define LEAVES (1.0f / GPU_FRAG_HORIZON)

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3") /* the loops over cpu are made for vectors */
#endif

struct fills {
    float fill[LEFTS][BUDGETS];
    float mean_fill[LEFTS], mean_cpu[LEFTS]; /* with cpu enough */
    float *free; /* [devices + 1][POOLS] */
};
struct gpu_frag {
    float quantum, inverse; /* cpu milli of a step */
    uint32_t devices, nfills;
    struct fills *fills;
    uint8_t of_model[GPU_FRAG_MODELS];
};

/* Single-device pods of one cell of the axes, taken together. */
struct cell {
    uint32_t left, cpu; /* steps, rounded up */
    float p, milli, cpu_milli; /* probability; means */
};

static float quantum_of(const struct gpu_frag_pod *pods, size_t n)
{
    double weight = 0, cpu = 0, most = 1;
    for (size_t i = 0; i < n; i++)
        if (pods[i].gpus == 1) {
            weight += pods[i].weight;
            cpu += pods[i].weight * (double)pods[i].cpu_milli;
            most = MAX(most, (double)pods[i].cpu_milli);
        }
    double mean = weight > 0 ? MAX(cpu / weight, 1.0) : 1000;
    double span = MAX(2 * MIN(most, 6 * mean), 4 * mean);
    return (float)(int64_t)(span / (BUDGETS - 1) + 1);
}

static uint32_t cells_make(const struct gpu_frag *f, const struct gpu_frag_pod *pods, size_t n, uint64_t model, struct cell *ret)
{
    double total = 0;
    uint32_t k = 0;
    for (size_t i = 0; i < n; i++)
        total += pods[i].weight;
    for (size_t i = 0; i < n; i++) {
        if (pods[i].gpus != 1 || !(pods[i].models & model) || pods[i].weight <= 0)
            continue;
        float p = (float)(pods[i].weight / total), cpu = (float)MAX(pods[i].cpu_milli, (int64_t)1);
        float exact = MIN(cpu * f->inverse, (float)POOLS);
        uint32_t left = ((uint32_t)pods[i].milli + STEP - 1) / STEP, steps = (uint32_t)exact + (exact > (float)(uint32_t)exact), c = 0;
        while (c < k && (ret[c].left != left || ret[c].cpu != steps))
            c++;
        if (c == k)
            ret[k++] = (struct cell){.left = left, .cpu = steps};
        ret[c].milli += p * (float)pods[i].milli;
        ret[c].cpu_milli += p * cpu;
        ret[c].p += p;
    }
    for (uint32_t c = 0; c < k; c++) {
        ret[c].milli /= ret[c].p;
        ret[c].cpu_milli /= ret[c].p;
    }
    return k;
}

static void fill_devices(struct fills *t, const struct cell *cells, uint32_t n)
{
    for (uint32_t left = 0; left < LEFTS; left++) {
        float sum[BUDGETS] = {0}, weight[BUDGETS], mean = 0, cpu = 0, all = LEAVES;
        for (uint32_t b = 0; b < BUDGETS; b++)
            weight[b] = LEAVES;
        for (uint32_t i = 0; i < n; i++) {
            const struct cell *c = &cells[i];
            if (c->left > left)
                continue;
            const float *rest = t->fill[left - c->left];
            for (uint32_t b = c->cpu; b < BUDGETS; b++) {
                weight[b] += c->p;
                sum[b] += c->p * (c->milli + rest[b - c->cpu]);
            }
            all += c->p;
            mean += c->p * (c->milli + t->mean_fill[left - c->left]);
            cpu += c->p * (c->cpu_milli + t->mean_cpu[left - c->left]);
        }
        for (uint32_t b = 0; b < BUDGETS; b++)
            t->fill[left][b] = sum[b] / weight[b];
        t->mean_fill[left] = mean / all;
        t->mean_cpu[left] = cpu / all;
    }
}

/* One free device of k is taken by a pod of this cell and completed by others; the other k - 1 go on with the cpu that is left. */
static void fill_free_cell(const struct gpu_frag *f, const struct fills *t, const struct cell *c, const float *fewer, float *sum, float *weight)
{
    uint32_t rest = LEFTS - 1 - c->left;
    float rest_cpu = t->mean_cpu[rest], rest_fill = t->mean_fill[rest], shift = (c->cpu_milli + rest_cpu) * f->inverse;
    uint32_t b = c->cpu, whole = (uint32_t)shift;
    for (; b < POOLS && (float)b < shift; b++) { /* not enough for the rest of the device */
        float part = ((float)b * f->quantum - c->cpu_milli) / rest_cpu;
        sum[b] += c->p * (c->milli + rest_fill * part + fewer[0]);
        weight[b] += c->p;
    }
    float frac = shift - (float)whole;
    for (; b < POOLS; b++) {
        uint32_t at = b - whole; /* b - shift lies between at - 1 and at */
        float low = at ? fewer[at - 1] : fewer[0];
        sum[b] += c->p * (c->milli + rest_fill + fewer[at] + (low - fewer[at]) * frac);
        weight[b] += c->p;
    }
}

static void fill_free(const struct gpu_frag *f, struct fills *t, const struct cell *cells, uint32_t n)
{
    float *sum = xarray(POOLS, float), *weight = xarray(POOLS, float);
    for (uint32_t k = 1; k <= f->devices; k++) {
        float *now = t->free + (size_t)k * POOLS;
        for (uint32_t b = 0; b < POOLS; b++) {
            sum[b] = 0;
            weight[b] = LEAVES;
        }
        for (uint32_t i = 0; i < n; i++)
            fill_free_cell(f, t, &cells[i], now - POOLS, sum, weight);
        for (uint32_t b = 0; b < POOLS; b++)
            now[b] = sum[b] / weight[b];
    }
    free(sum);
    free(weight);
}

/* Which pods may use it, as a hash: models that answer alike share tables. */
static uint64_t model_hash(const struct gpu_frag_pod *pods, size_t n, uint32_t model)
{
    uint64_t h = 0;
    for (size_t i = 0; i < n; i++)
        if (pods[i].gpus == 1)
            h = (h ^ (pods[i].models >> model & 1)) * 0x9e3779b97f4a7c15ull + i;
    return h;
}

struct gpu_frag *gpu_frag_new(const struct gpu_frag_pod *pods, size_t n, uint32_t nmodels, uint32_t devices)
{
    struct gpu_frag *f = xnew(struct gpu_frag);
    struct cell *cells = xarray(n + 1, struct cell);
    uint64_t hash[GPU_FRAG_MODELS];
    nmodels = MIN(MAX(nmodels, 1u), GPU_FRAG_MODELS);
    f->devices = MIN(MAX(devices, 1u), (uint32_t)GPU_MAX);
    f->quantum = quantum_of(pods, n);
    f->inverse = 1 / f->quantum;
    f->fills = xarray(nmodels, struct fills);
    for (uint32_t m = 0; m < nmodels; m++) {
        uint32_t like = 0;
        hash[m] = model_hash(pods, n, m);
        while (like < m && hash[like] != hash[m])
            like++;
        if (like < m) {
            f->of_model[m] = f->of_model[like];
            continue;
        }
        struct fills *t = &f->fills[f->nfills];
        uint32_t k = cells_make(f, pods, n, 1ull << m, cells);
        t->free = xarray((size_t)(f->devices + 1) * POOLS, float);
        fill_devices(t, cells, k);
        fill_free(f, t, cells, k);
        f->of_model[m] = (uint8_t)f->nfills++;
    }
    free(cells);
    return f;
}

void gpu_frag_free(struct gpu_frag *f)
{
    if (!f)
        return;
    for (uint32_t i = 0; i < f->nfills; i++)
        free(f->fills[i].free);
    free(f->fills);
    free(f);
}

/* --- reading ------------------------------------------------------------------------------------------------------------------------------ */
static inline float between(const float *row, uint32_t len, float at)
{
    if (at >= (float)(len - 1))
        return row[len - 1];
    uint32_t i = (uint32_t)at;
    return row[i] + (at - (float)i) * (row[i + 1] - row[i]);
}

float gpu_frag_waste(const struct gpu_frag *f, uint32_t model, int64_t cpu_milli, const uint16_t *left, uint32_t n)
{
    const struct fills *t = &f->fills[f->of_model[model]];
    float cpu = (float)MAX(cpu_milli, (int64_t)0), part_cpu = 0;
    uint32_t idle = 0, nfree = 0, at[GPU_MAX], nparts = 0;
    for (uint32_t i = 0; i < n; i++) {
        idle += left[i];
        if (left[i] == GPU_MILLI) {
            nfree++;
        } else if (left[i] >= STEP) {
            at[nparts] = left[i] / STEP;
            part_cpu += t->mean_cpu[at[nparts++]];
        }
    }
    nfree = MIN(nfree, f->devices);
    float free_cpu = (float)nfree * t->mean_cpu[LEFTS - 1], all_cpu = part_cpu + free_cpu;
    if (all_cpu <= 0)
        return (float)idle;
    float enough = MIN(cpu / all_cpu, 1.0f), fill = 0;
    if (nfree)
        fill = between(t->free + (size_t)nfree * POOLS, POOLS, (cpu - part_cpu * enough) * f->inverse);
    if (part_cpu > 0) {
        float each = (cpu - free_cpu * enough) / part_cpu * SHARE_SLACK;
        for (uint32_t i = 0; i < nparts; i++)
            fill += between(t->fill[at[i]], BUDGETS, MIN(each * t->mean_cpu[at[i]], cpu) * f->inverse);
    }
    return (float)idle - fill;
}
