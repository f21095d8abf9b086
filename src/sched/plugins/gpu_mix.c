/* gpu_mix.c - see gpu_mix.h. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/plugins/gpu_mix.h"

#include "sched/engine/devices.h"
#include "sched/plugins/resources.h"

#define FORGOTTEN 0.25 /* a kind of pod that counts less is dropped */
#define ANY_MODEL UINT64_MAX

/* Before anything is known.  Their cpu is not guessed: it would keep cpu from pods that are there. */
static const struct gpu_frag_pod guess[] = {
    {6, 0, 1, GPU_MILLI, ANY_MODEL}, {2, 0, 1, 500, ANY_MODEL}, {2, 0, 1, 250, ANY_MODEL}, {1, 0, 2, GPU_MILLI, ANY_MODEL}, {1, 0, 4, GPU_MILLI, ANY_MODEL}, {1, 0, 8, GPU_MILLI, ANY_MODEL},
};

uint32_t gpu_models_index(struct gpu_models *m, sym_t model)
{
    for (uint32_t i = 0; i < m->n; i++)
        if (m->sym[i] == model)
            return i;
    if (m->n == GPU_FRAG_MODELS)
        return m->n - 1;
    m->sym[m->n] = model;
    return m->n++;
}

/* Bits of those in the cluster. */
static uint64_t model_bits(const struct sched *s, const struct gpu_models *m, sym_t model)
{
    uint64_t bits = 0;
    for (uint32_t i = 0; i < m->n; i++)
        if (m->sym[i] == model || devices_model_is(symbol_text(&s->sym, m->sym[i]), symbol_text(&s->sym, model)))
            bits |= 1ull << i;
    return bits;
}

/* --- putting together ---------------------------------------------------------------------------------------------------------------------- */
static void add(struct gpu_mix *x, struct gpu_frag_pod p)
{
    if (p.weight <= 0 || p.models == 0)
        return; /* nothing in the cluster can run it */
    if (x->n == x->cap) {
        x->cap = MAX((size_t)64, x->cap * 2);
        x->pods = xrealloc(x->pods, x->cap * sizeof *x->pods);
    }
    x->pods[x->n++] = p;
}

static int by_kind(const void *pa, const void *pb)
{
    const struct gpu_frag_pod *a = pa, *b = pb;
    if (a->gpus != b->gpus)
        return a->gpus < b->gpus ? -1 : 1;
    if (a->milli != b->milli)
        return a->milli < b->milli ? -1 : 1;
    if (a->cpu_milli != b->cpu_milli)
        return a->cpu_milli < b->cpu_milli ? -1 : 1;
    return a->models < b->models ? -1 : a->models > b->models;
}

static int by_weight(const void *pa, const void *pb)
{
    const struct gpu_frag_pod *a = pa, *b = pb;
    if (a->weight != b->weight)
        return a->weight > b->weight ? -1 : 1;
    return by_kind(a, b);
}

/* Equal kinds become one, heaviest first, the lightest beyond the limit go. */
static void merge(struct gpu_mix *x)
{
    size_t n = 0;
    qsort(x->pods, x->n, sizeof *x->pods, by_kind);
    for (size_t i = 0; i < x->n; i++) {
        if (n && by_kind(&x->pods[n - 1], &x->pods[i]) == 0)
            x->pods[n - 1].weight += x->pods[i].weight;
        else
            x->pods[n++] = x->pods[i];
    }
    qsort(x->pods, n, sizeof *x->pods, by_weight);
    x->n = MIN(n, (size_t)GPU_FRAG_PODS);
    x->weight = 0;
    for (size_t i = 0; i < x->n; i++)
        x->weight += x->pods[i].weight;
}

static void add_class(struct gpu_mix *x, const struct sched *s, const struct pod_class *c, const struct gpu_models *models)
{
    struct gpu_frag_pod p = {.weight = c->refs, .cpu_milli = c->amount[RES_CPU], .models = ANY_MODEL};
    if (c->gpu.kind != GPU_NONE) {
        int64_t mean = models->devices ? models->memory_mib / models->devices : 0;
        p.gpus = c->gpu.count;
        p.milli = c->gpu.kind == GPU_WHOLE ? GPU_MILLI : c->gpu.milli;
        if (c->gpu.kind == GPU_MEMORY)
            p.milli = mean > 0 ? (int32_t)MIN(c->gpu.memory_mib * GPU_MILLI / mean + 1, (int64_t)GPU_MILLI) : GPU_MILLI / 2;
        p.models = c->gpu.nmodels ? 0 : ANY_MODEL;
        for (size_t i = 0; i < c->gpu.nmodels; i++)
            p.models |= model_bits(s, models, c->gpu_models[i]);
    }
    add(x, p);
}

static void renew_given(struct gpu_mix *x, const struct sched *s, const struct gpu_packing_args *args, const struct gpu_models *models)
{
    x->n = 0;
    for (size_t i = 0; i < args->npods; i++) {
        const struct gpu_mix_pod *g = &args->pods[i];
        struct gpu_frag_pod p = {g->weight, g->cpu_milli, g->gpus, g->gpu_milli, g->nmodels ? 0 : ANY_MODEL};
        for (size_t k = 0; k < g->nmodels; k++)
            p.models |= model_bits(s, models, symbol_find(&s->sym, g->models[k]));
        add(x, p);
    }
}

void gpu_mix_renew(struct gpu_mix *x, const struct sched *s, const struct gpu_packing_args *args, const struct gpu_models *models)
{
    if (args->given) {
        renew_given(x, s, args, models);
    } else {
        size_t kept = 0;
        for (size_t i = 0; i < x->n; i++) {
            x->pods[i].weight /= 2;
            if (x->pods[i].weight >= FORGOTTEN)
                x->pods[kept++] = x->pods[i];
        }
        x->n = kept;
        for (size_t i = 0; i < ARRAY_LEN(guess) && x->weight == 0; i++)
            add(x, guess[i]);
        for (uint32_t i = 1; i < s->nclasses; i++)
            if (s->classes[i] && s->classes[i]->refs)
                add_class(x, s, s->classes[i], models);
    }
    if (x->n)
        merge(x);
}

void gpu_mix_fini(struct gpu_mix *x)
{
    free(x->pods);
    *x = (struct gpu_mix){0};
}

/* --- arguments --------------------------------------------------------------------------------------------------------------------------------- */
static int parse_models(struct arena *a, const struct json *list, uint32_t at, struct gpu_mix_pod *ret, struct err *err)
{
    if (!list)
        return 0;
    if (list->type != JSON_ARRAY)
        return args_refuse(err, "typicalPods", "models of item %u must be a list of names", at);
    str *models = arena_array(a, list->len + 1, str);
    for (uint32_t i = 0; i < list->len; i++) {
        models[i] = arena_str(a, json_str(&list->items[i]));
        if (str_empty(models[i]))
            return args_refuse(err, "typicalPods", "models of item %u must be a list of names", at);
    }
    ret->models = models;
    ret->nmodels = list->len;
    return 0;
}

static int parse_pod(struct arena *a, const struct json *v, uint32_t at, struct gpu_mix_pod *ret, struct err *err)
{
    static const char *const known[] = {"cpuMilli", "gpus", "gpuMilli", "models", "weight"};
    if (v->type != JSON_OBJECT)
        return args_refuse(err, "typicalPods", "item %u must be a mapping", at);
    for (uint32_t i = 0; i < v->len; i++) {
        bool ok = false;
        for (size_t k = 0; k < ARRAY_LEN(known); k++)
            ok |= str_is(v->members[i].key, known[k]);
        if (!ok)
            return args_refuse(err, "typicalPods", "item %u: unknown field \"" STR_FMT "\"; there are: cpuMilli, gpus, gpuMilli, models, weight", at, STR_ARG(v->members[i].key));
    }
    int64_t cpu = json_get_int(v, S("cpuMilli"), 0), gpus = json_get_int(v, S("gpus"), 0), milli = json_get_int(v, S("gpuMilli"), GPU_MILLI), weight = json_get_int(v, S("weight"), 1);
    if (cpu < 0 || cpu > 1000000000)
        return args_refuse(err, "typicalPods", "cpuMilli of item %u must be from 0 to 1000000000", at);
    if (gpus < 0 || gpus > GPU_MAX)
        return args_refuse(err, "typicalPods", "gpus of item %u must be from 0 to %d", at, GPU_MAX);
    if (milli < 1 || milli > GPU_MILLI)
        return args_refuse(err, "typicalPods", "gpuMilli of item %u must be from 1 to %d", at, GPU_MILLI);
    if (weight < 1 || weight > 1000000000)
        return args_refuse(err, "typicalPods", "weight of item %u must be from 1 to 1000000000", at);
    *ret = (struct gpu_mix_pod){.weight = (double)weight, .cpu_milli = cpu, .gpus = (uint32_t)gpus, .gpu_milli = (int32_t)milli};
    return parse_models(a, json_get(v, S("models")), at, ret, err);
}

int gpu_packing_configure(struct arena *a, const struct json *args, const void **ret_args, struct err *err)
{
    static const char *const known[] = {"typicalPods", NULL};
    struct gpu_packing_args *x = arena_new(a, struct gpu_packing_args);
    int r = args_check(args, known, err);
    if (r < 0)
        return r;
    const struct json *list = json_get(args, S("typicalPods"));
    if (list) {
        if (list->type != JSON_ARRAY || list->len == 0 || list->len > GPU_FRAG_PODS)
            return args_refuse(err, "typicalPods", "must be a list of 1 to %u kinds of pods", GPU_FRAG_PODS);
        struct gpu_mix_pod *pods = arena_array(a, list->len, struct gpu_mix_pod);
        for (uint32_t i = 0; i < list->len && r == 0; i++)
            r = parse_pod(a, &list->items[i], i, &pods[i], err);
        x->pods = pods;
        x->npods = list->len;
        x->given = true;
    }
    if (r == 0)
        *ret_args = x;
    return r;
}

bool gpu_packing_has_mix(const struct sched_profile *p)
{
    int at = profile_index(p, "GpuPacking");
    return at >= 0 && ((const struct gpu_packing_args *)p->plugins[at].args)->given;
}

static void set_mix(struct sched_profile *p, struct profile_plugin *e, const struct gpu_mix_pod *pods, size_t n)
{
    struct gpu_packing_args *x = arena_new(&p->arena, struct gpu_packing_args);
    struct gpu_mix_pod *copy = arena_array(&p->arena, n + 1, struct gpu_mix_pod);
    x->given = true;
    x->npods = n;
    for (size_t i = 0; i < n; i++) {
        str *models = arena_array(&p->arena, pods[i].nmodels + 1, str);
        copy[i] = pods[i];
        for (size_t k = 0; k < pods[i].nmodels; k++)
            models[k] = arena_str(&p->arena, pods[i].models[k]);
        copy[i].models = models;
    }
    x->pods = copy;
    e->args = x; /* texts that were equal stay equal: all get the same */
}

void gpu_packing_set_mix(struct sched_profile *p, const struct gpu_mix_pod *pods, size_t n)
{
    for (; p; p = p->next) {
        int at = profile_index(p, "GpuPacking");
        if (at >= 0 && !gpu_packing_has_mix(p))
            set_mix(p, &p->plugins[at], pods, n);
    }
}
