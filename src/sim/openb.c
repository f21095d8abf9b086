/* openb.c - see openb.h: the recipe, on the engine. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/openb.h"

#include "base/clock.h"
#include "base/err.h"
#include "sched/plugins/gpu_packing.h"

#define LOAD_MAX 1.3
#define PODS_PER_NODE 1001
#define TYPICAL 0.95 /* the most frequent kinds of pods that make up so much of the list: what fragmentation is measured with */
#define SPECS_MAX 32 /* models in a gpu_spec */
#define PROGRESS_EVERY 512u
#define MIB (1ll << 20)

const int openb_loads[OPENB_LOADS] = {80, 90, 95, 100, 110, 130};

struct experiment {
    const struct openb_opts *opts;
    struct arena arena;
    struct openb_nodes nodes;
    struct openb_pods pods; /* by name */
    int64_t capacity; /* GPU milli */
    struct gpu_mix_pod *mix; /* kinds of pods, most frequent first */
    size_t nmix, ntypical;
    uint32_t *order; /* arrivals of a seed: indexes of pods */
    size_t norder, cap;
};

static int64_t volume(const struct openb_pod *p)
{
    return (int64_t)p->gpus * p->gpu_milli;
}

/* --- reading ------------------------------------------------------------------------------------------------------------------------------- */
static int by_name(const void *pa, const void *pb)
{
    const struct openb_pod *a = pa, *b = pb;
    return str_cmp(a->name, b->name);
}

/* Kinds: equal cpu, devices, share and models. */
static int by_kind(const void *pa, const void *pb)
{
    const struct openb_pod *a = *(const struct openb_pod *const *)pa, *b = *(const struct openb_pod *const *)pb;
    if (a->cpu_milli != b->cpu_milli)
        return a->cpu_milli < b->cpu_milli ? -1 : 1;
    if (a->gpus != b->gpus)
        return a->gpus < b->gpus ? -1 : 1;
    if (a->gpu_milli != b->gpu_milli)
        return a->gpu_milli < b->gpu_milli ? -1 : 1;
    return str_cmp(a->spec, b->spec);
}

static int by_weight(const void *pa, const void *pb)
{
    const struct gpu_mix_pod *a = pa, *b = pb;
    if (a->weight != b->weight)
        return a->weight > b->weight ? -1 : 1;
    if (a->cpu_milli != b->cpu_milli)
        return a->cpu_milli < b->cpu_milli ? -1 : 1;
    if (a->gpus != b->gpus)
        return a->gpus < b->gpus ? -1 : 1;
    if (a->gpu_milli != b->gpu_milli)
        return a->gpu_milli < b->gpu_milli ? -1 : 1;
    size_t i = 0;
    for (; i < a->nmodels && i < b->nmodels; i++)
        if (str_cmp(a->models[i], b->models[i]))
            return str_cmp(a->models[i], b->models[i]);
    return a->nmodels < b->nmodels ? -1 : a->nmodels > b->nmodels;
}

/* "A|B" as a list; *ret_n of them. */
static const str *split_spec(struct arena *a, str spec, size_t *ret_n)
{
    str part, *list = arena_array(a, SPECS_MAX, str);
    size_t n = 0;
    while (spec.len && n < SPECS_MAX) {
        str_cut(&spec, '|', &part);
        if (part.len)
            list[n++] = part;
    }
    *ret_n = n;
    return list;
}

static void find_kinds(struct experiment *x)
{
    size_t n = x->pods.n;
    const struct openb_pod **sorted = (const struct openb_pod **)arena_array(&x->arena, n + 1, struct openb_pod *);
    for (size_t i = 0; i < n; i++)
        sorted[i] = &x->pods.p[i];
    qsort(sorted, n, sizeof *sorted, by_kind);
    x->mix = arena_array(&x->arena, n + 1, struct gpu_mix_pod);
    for (size_t i = 0; i < n; i++) {
        const struct openb_pod *p = sorted[i];
        if (i == 0 || by_kind(&sorted[i - 1], &sorted[i]) != 0) {
            struct gpu_mix_pod *m = &x->mix[x->nmix++];
            *m = (struct gpu_mix_pod){.cpu_milli = p->cpu_milli, .gpus = p->gpus, .gpu_milli = p->gpu_milli};
            m->models = split_spec(&x->arena, p->spec, &m->nmodels);
        }
        x->mix[x->nmix - 1].weight++;
    }
    qsort(x->mix, x->nmix, sizeof *x->mix, by_weight);
    double sum = 0;
    while (x->ntypical < x->nmix && sum < TYPICAL * (double)n)
        sum += x->mix[x->ntypical++].weight;
}

static int read_files(struct experiment *x, struct err *err)
{
    const struct openb_opts *o = x->opts;
    int r = openb_parse_nodes(&x->arena, o->nodes, o->nodes_file, &x->nodes, err);
    if (r >= 0)
        r = openb_parse_pods(&x->arena, o->pods, o->pods_file, &x->pods, err);
    if (r < 0)
        return r;
    int64_t asked = 0;
    for (size_t i = 0; i < x->nodes.n; i++)
        x->capacity += (int64_t)x->nodes.p[i].gpus * GPU_MILLI;
    for (size_t i = 0; i < x->pods.n; i++)
        asked += volume(&x->pods.p[i]);
    if (!x->capacity)
        return err_set(err, E_INVALID, STR_FMT ": no node has a GPU", STR_ARG(o->nodes_file));
    if (!asked)
        return err_set(err, E_INVALID, STR_FMT ": no pod asks for a GPU", STR_ARG(o->pods_file));
    if ((double)x->capacity * LOAD_MAX / (double)asked * (double)x->pods.n > OPENB_PODS_MAX / 2)
        return err_set(err, E_TOO_LARGE, STR_FMT ": pods ask for so little that it takes more than %u of them to fill the cluster", STR_ARG(o->pods_file), OPENB_PODS_MAX / 2);
    qsort(x->pods.p, x->pods.n, sizeof *x->pods.p, by_name);
    find_kinds(x);
    return 0;
}

/* --- one seed -------------------------------------------------------------------------------------------------------------------------------- */
static void push(struct experiment *x, uint32_t pod)
{
    if (x->norder == x->cap) {
        x->cap = MAX((size_t)1024, x->cap * 2);
        x->order = xrealloc(x->order, x->cap * sizeof *x->order);
    }
    x->order[x->norder++] = pod;
}

static void make_order(struct experiment *x, uint64_t seed)
{
    struct rng rng;
    rng_seed(&rng, seed);
    int64_t asked = 0, enough = (int64_t)((double)x->capacity * LOAD_MAX);
    x->norder = 0;
    for (size_t i = 0; i < x->pods.n; i++) {
        push(x, (uint32_t)i);
        asked += volume(&x->pods.p[i]);
    }
    for (size_t i = x->pods.n; i > 1; i--) {
        size_t k = (size_t)rng_below(&rng, i);
        uint32_t swap = x->order[i - 1];
        x->order[i - 1] = x->order[k];
        x->order[k] = swap;
    }
    while (asked < enough && x->norder < OPENB_PODS_MAX) {
        uint32_t pod = (uint32_t)rng_below(&rng, x->pods.n);
        push(x, pod);
        asked += volume(&x->pods.p[pod]);
    }
}

static int put_nodes(struct experiment *x, struct sched *s, struct err *err)
{
    for (size_t i = 0; i < x->nodes.n; i++) {
        const struct openb_node *n = &x->nodes.p[i];
        const struct res_amount amounts[] = {{RES_CPU, n->cpu_milli}, {RES_MEMORY, n->memory_mib * MIB}, {RES_PODS, PODS_PER_NODE}, {RES_GPU, n->gpus}};
        struct node_spec spec = {.name = n->name, .allocatable = {amounts, ARRAY_LEN(amounts)}, .ngpus = n->gpus, .gpu_model = n->model};
        int r = sched_node_put(s, &spec, NULL, err);
        if (r < 0)
            return r;
    }
    return 0;
}

/* The pod as the engine wants it; its lists stand in the arrays that are handed in. */
static struct pod_spec spec_of(const struct openb_pod *p, str name, struct res_amount amounts[3], struct arena *a)
{
    amounts[0] = (struct res_amount){RES_CPU, p->cpu_milli};
    amounts[1] = (struct res_amount){RES_MEMORY, p->memory_mib * MIB};
    amounts[2] = (struct res_amount){RES_GPU, p->gpus};
    bool whole = p->gpus && p->gpu_milli == GPU_MILLI;
    struct pod_spec spec = {.ns = S("openb"), .name = name, .preempt_never = true, .requests = {amounts, whole ? 3 : 2}, .nonzero_cpu = p->cpu_milli, .nonzero_memory = p->memory_mib * MIB};
    if (p->gpus) {
        spec.gpu = (struct gpu_request){.kind = whole ? GPU_WHOLE : GPU_FRACTION, .count = p->gpus, .milli = p->gpu_milli};
        spec.gpu.models = split_spec(a, p->spec, &spec.gpu.nmodels);
    }
    return spec;
}

/* Idle share of a node that a pod of this kind cannot use: all of it when the pod does not fit at all. */
static int64_t unusable(const struct sched *s, node_id n, const struct gpu_mix_pod *m)
{
    const struct node *node = &s->nodes[n];
    int64_t idle = 0, small = 0;
    uint32_t enough = 0;
    for (uint32_t i = 0; i < node->ngpus; i++) {
        int64_t left = GPU_MILLI - (int64_t)s->view.gpu[n].used_milli[i];
        idle += left;
        enough += left >= m->gpu_milli;
        small += left < m->gpu_milli ? left : 0;
    }
    bool model = m->nmodels == 0;
    for (size_t i = 0; i < m->nmodels; i++)
        model |= str_eq(m->models[i], symbol_text(&s->sym, node->gpu_model));
    return !m->gpus || !model || enough < m->gpus || m->cpu_milli > view_free(&s->view, n, RES_CPU) ? idle : small;
}

static double fragmentation(const struct experiment *x, const struct sched *s)
{
    double sum = 0, weight = 0;
    for (size_t i = 0; i < x->ntypical; i++) {
        int64_t lost = 0;
        bits_foreach(n, s->alive, s->view.words)
            lost += unusable(s, n, &x->mix[i]);
        sum += x->mix[i].weight * (double)lost;
        weight += x->mix[i].weight;
    }
    return weight > 0 ? 100 * sum / weight / (double)x->capacity : 0;
}

/* Sums of the rows at each load. */
struct rows {
    double sum[OPENB_LOADS];
    uint32_t n[OPENB_LOADS];
};

static bool rows_add(struct rows *t, int64_t arrived, int64_t allocated, int64_t capacity)
{
    int load = (int)(100.0 * (double)arrived / (double)capacity + 0.5);
    bool first_full = false;
    for (int i = 0; i < OPENB_LOADS; i++)
        if (load == openb_loads[i]) {
            t->sum[i] += 100.0 * (double)allocated / (double)capacity;
            first_full |= t->n[i]++ == 0 && load == 100;
        }
    return first_full;
}

static int arrivals(struct experiment *x, struct sched *s, struct openb_row *row, struct err *err)
{
    const struct openb_opts *o = x->opts;
    struct unit_decision d = UNIT_DECISION_INIT;
    struct rows t = {0};
    struct arena scratch = ARENA_INIT;
    int64_t arrived = 0, allocated = 0;
    nsec_t spent = 0;
    int r = 0;
    for (size_t i = 0; i < x->norder && r >= 0; i++) {
        const struct openb_pod *p = &x->pods.p[x->order[i]];
        struct res_amount amounts[3];
        pod_id id;
        arena_reset(&scratch);
        struct pod_spec spec = spec_of(p, arena_fmt(&scratch, "%zu", i), amounts, &scratch);
        r = sched_pod_put(s, &spec, &id, err);
        if (r < 0)
            break;
        nsec_t before = o->clock ? clock_mono(o->clock) : 0;
        sched_place(s, sched_unit_of(s, id), 0, &d);
        spent += o->clock ? clock_mono(o->clock) - before : 0;
        arrived += volume(p);
        if (d.result == UNIT_PLACED) {
            allocated += volume(p);
            row->placed++;
        } else {
            sched_pod_delete(s, spec.ns, spec.name);
        }
        if (rows_add(&t, arrived, allocated, x->capacity))
            row->frag_pct = fragmentation(x, s);
        if (o->progress && i % PROGRESS_EVERY == 0)
            o->progress(o->progress_arg, row->seed, (uint32_t)i, (uint32_t)x->norder);
    }
    row->pods = (double)x->norder;
    row->decision_us = x->norder ? (double)spent / 1000 / (double)x->norder : 0;
    for (int i = 0; i < OPENB_LOADS; i++)
        row->gpu_alloc_pct[i] = t.n[i] ? t.sum[i] / t.n[i] : 0;
    arena_fini(&scratch);
    unit_decision_fini(&d);
    return r;
}

static int run_seed(struct experiment *x, uint64_t seed, struct openb_row *row, struct err *err)
{
    const struct openb_opts *o = x->opts;
    struct sched_profile *profile = o->make_profile ? o->make_profile(o->profile_arg) : profile_builtin(S("gpu-packing"));
    if (!o->learn)
        gpu_packing_set_mix(profile, x->mix, x->nmix);
    struct sched *s = sched_new(profile, seed);
    row->seed = seed;
    make_order(x, seed);
    int r = put_nodes(x, s, err);
    if (r >= 0)
        r = arrivals(x, s, row, err);
    sched_free(s);
    return r;
}

/* --- all seeds ---------------------------------------------------------------------------------------------------------------------------------- */
static struct openb_row mean_of(const struct openb_row *rows, size_t n)
{
    struct openb_row m = {0};
    for (size_t i = 0; i < n; i++) {
        for (int k = 0; k < OPENB_LOADS; k++)
            m.gpu_alloc_pct[k] += rows[i].gpu_alloc_pct[k] / (double)n;
        m.frag_pct += rows[i].frag_pct / (double)n;
        m.pods += rows[i].pods / (double)n;
        m.placed += rows[i].placed / (double)n;
        m.decision_us += rows[i].decision_us / (double)n;
    }
    return m;
}

int openb_run(const struct openb_opts *opts, struct openb_result *ret, struct err *err)
{
    if (opts->seed_to < opts->seed_from || opts->seed_to - opts->seed_from >= 10000)
        return err_set(err, E_INVALID_ARG, "seeds must be a range of at most 10,000, as 42-51");
    struct experiment x = {.opts = opts, .arena = ARENA_INIT};
    struct openb_result out = {.nrows = (size_t)(opts->seed_to - opts->seed_from + 1)};
    out.rows = xarray(out.nrows, struct openb_row);
    int r = read_files(&x, err);
    for (size_t i = 0; i < out.nrows && r >= 0; i++)
        r = run_seed(&x, opts->seed_from + i, &out.rows[i], err);
    if (r >= 0) {
        out.mean = mean_of(out.rows, out.nrows);
        out.nodes = x.nodes.n;
        out.pods = x.pods.n;
        out.gpus = x.capacity / GPU_MILLI;
        *ret = out;
    } else {
        openb_result_fini(&out);
    }
    free(x.order);
    arena_fini(&x.arena);
    return r;
}

void openb_result_fini(struct openb_result *r)
{
    free(r->rows);
    *r = (struct openb_result){0};
}

/* --- output ------------------------------------------------------------------------------------------------------------------------------------------ */
static void write_row(struct strbuf *b, const struct openb_row *r)
{
    strbuf_addf(b, "\"gpu_alloc_pct\":{");
    for (int i = 0; i < OPENB_LOADS; i++)
        strbuf_addf(b, "%s\"%d\":%.3f", i ? "," : "", openb_loads[i], r->gpu_alloc_pct[i]);
    strbuf_addf(b, "},\"frag_pct\":%.3f,\"pods\":%.1f,\"placed\":%.1f,\"decision_us\":%.2f}", r->frag_pct, r->pods, r->placed, r->decision_us);
}

void openb_write_json(struct strbuf *b, const struct openb_result *r)
{
    strbuf_addf(b, "{\"nodes\":%zu,\"gpus\":%lld,\"pods\":%zu,\"seeds\":[", r->nodes, (long long)r->gpus, r->pods);
    for (size_t i = 0; i < r->nrows; i++) {
        strbuf_addf(b, "%s{\"seed\":%llu,", i ? "," : "", (unsigned long long)r->rows[i].seed);
        write_row(b, &r->rows[i]);
    }
    strbuf_addf(b, "],\"mean\":{");
    write_row(b, &r->mean);
    strbuf_addf(b, "}\n");
}

void openb_write_text(struct strbuf *b, const struct openb_result *r)
{
    strbuf_addf(b, "%zu nodes, %lld GPUs, %zu pods in the list\n\nGPU allocation (%%) at arrived load of\n%6s", r->nodes, (long long)r->gpus, r->pods, "seed");
    for (int i = 0; i < OPENB_LOADS; i++)
        strbuf_addf(b, "%8d%%", openb_loads[i]);
    strbuf_addf(b, "%12s%10s%10s%13s\n", "frag at 100", "pods", "placed", "us/decision");
    for (size_t i = 0; i <= r->nrows; i++) {
        const struct openb_row *row = i < r->nrows ? &r->rows[i] : &r->mean;
        if (i < r->nrows)
            strbuf_addf(b, "%6llu", (unsigned long long)row->seed);
        else
            strbuf_addf(b, "%6s", "mean");
        for (int k = 0; k < OPENB_LOADS; k++)
            strbuf_addf(b, "%9.2f", row->gpu_alloc_pct[k]);
        strbuf_addf(b, "%12.2f%10.0f%10.0f%13.2f\n", row->frag_pct, row->pods, row->placed, row->decision_us);
    }
}
