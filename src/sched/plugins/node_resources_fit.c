/* node_resources_fit.c - NodeResourcesFit: is there room for all that the pod requests, and how full does the node get?
 *
 * Scores: LeastAllocated, MostAllocated, or any curve over utilisation (RequestedToCapacityRatio); kube-scheduler's integer arithmetic.
 * The engine computes the first two over cpu and memory in a fused pass of its own (place_kernel.h); what stands here is the rule itself. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/engine/devices.h"
#include "sched/engine/place_kernel.h"
#include "sched/plugins/plugins.h"
#include "sched/plugins/resources.h"

enum { INSUFFICIENT, TOO_MANY_PODS };
static const char *const reasons[] = {[INSUFFICIENT] = "Insufficient %s", [TOO_MANY_PODS] = "Too many pods"};

/* --- filter ------------------------------------------------------------------------------------------------------------------------- */
static void filter(const struct view *v, const struct pod_class *c, const void *args, uint64_t *fits)
{
    for (uint32_t i = 0; i < c->nreq; i++)
        if (fit_checks_resource(v->s, c, args, c->req[i].id))
            kernel_fits(v, c->req[i].id, c->req[i].amount, fits);
}

static bool fits_one(const struct view *v, const struct pod_class *c, const void *args, node_id n)
{
    for (uint32_t i = 0; i < c->nreq; i++)
        if (view_free(v, n, c->req[i].id) < c->req[i].amount && fit_checks_resource(v->s, c, args, c->req[i].id))
            return false;
    return true;
}

static size_t explain(const struct view *v, const struct pod_class *c, const void *args, node_id n, struct plug_reason *ret, size_t max)
{
    size_t found = 0;
    for (uint32_t i = 0; i < c->nreq && found < max; i++) {
        uint16_t r = c->req[i].id;
        int64_t need = c->req[i].amount, have = view_free(v, n, r);
        if (have >= need || !fit_checks_resource(v->s, c, args, r))
            continue;
        int64_t all = v->s->alloc[r] ? v->s->alloc[r][n] : 0;
        ret[found] = (struct plug_reason){.unresolvable = need > all, .resource = r, .need = need, .have = MAX(have, (int64_t)0)};
        ret[found++].code = r == RES_PODS ? TOO_MANY_PODS : INSUFFICIENT;
    }
    return found;
}

/* --- score --------------------------------------------------------------------------------------------------------------------------- */
static int64_t on_shape(const struct fit_args *a, int64_t utilization)
{
    const struct fit_shape_point *p = a->shape;
    if (utilization <= p[0].utilization)
        return p[0].score;
    for (uint32_t i = 1; i < a->nshape; i++)
        if (utilization <= p[i].utilization)
            return p[i - 1].score + (int64_t)(p[i].score - p[i - 1].score) * (utilization - p[i - 1].utilization) / (p[i].utilization - p[i - 1].utilization);
    return p[a->nshape - 1].score;
}

static int64_t counted(const struct view *v, const struct pod_class *c, uint16_t r, node_id n)
{
    if (r == RES_CPU)
        return v->nonzero_cpu[n] + c->nonzero_cpu;
    if (r == RES_MEMORY)
        return v->nonzero_memory[n] + c->nonzero_memory;
    return v->used[r][n] + class_request(c, r);
}

/* A part of a device is no request of the resource; how full a node's devices get counts all the same, in thousandths. */
static int64_t counted_parts(const struct view *v, const struct pod_class *c, node_id n)
{
    int64_t sum = (int64_t)c->gpu.count * MAX(devices_milli(v->s, c, n), 0);
    for (uint32_t i = 0; i < v->s->nodes[n].ngpus; i++)
        sum += MIN(v->gpu[n].used_milli[i], (uint32_t)GPU_MILLI);
    return sum;
}

static int64_t score_one(const struct view *v, const struct pod_class *c, const void *args, node_id n)
{
    const struct fit_args *a = args;
    int64_t sum = 0, weights = 0;
    for (uint32_t i = 0; i < a->nresources; i++) {
        uint16_t r = a->resources[i].id;
        bool parts = r == RES_GPU && class_has_parts(c);
        if (r >= v->s->nres || v->s->alloc[r][n] == 0 || (resource_is_extended(r) && class_request(c, r) == 0 && !parts))
            continue;
        int64_t capacity = v->s->alloc[r][n] * (parts ? GPU_MILLI : 1), used = parts ? counted_parts(v, c, n) : counted(v, c, r, n), x;
        if (a->strategy == FIT_LEAST)
            x = score_least(used, capacity);
        else if (a->strategy == FIT_MOST)
            x = score_most(used, capacity);
        else
            x = on_shape(a, used > capacity ? 100 : used * 100 / capacity);
        if (a->strategy == FIT_RATIO && x == 0)
            continue; /* as kube-scheduler: what scores nothing is left out of the mean */
        sum += x * a->resources[i].weight;
        weights += a->resources[i].weight;
    }
    if (weights == 0)
        return 0;
    return a->strategy == FIT_RATIO ? (2 * sum + weights) / (2 * weights) /* rounded */ : sum / weights;
}

static void score(const struct view *v, const struct pod_class *c, const void *args, const uint64_t *fits, int64_t *raw)
{
    bits_foreach(n, fits, v->words)
        raw[n] = score_one(v, c, args, n);
}

/* --- arguments ----------------------------------------------------------------------------------------------------------------------- */
/* Ids of resources are the engine's; it owns the profile, so they are kept in the arguments. */
static void *state_new(struct sched *s, const void *args)
{
    struct fit_args *a = (struct fit_args *)args;
    for (uint32_t i = 0; i < a->nresources; i++)
        if (model_resource(s, a->resources[i].name, &a->resources[i].id, NULL) < 0)
            a->resources[i].id = RES_MAX; /* no node can have one that does not fit into the table */
    return NULL;
}

static int parse_ignored(struct arena *a, const struct json *list, bool groups, struct fit_args *ret, struct err *err)
{
    const char *field = groups ? "ignoredResourceGroups" : "ignoredResources";
    if (!list)
        return 0;
    if (list->type != JSON_ARRAY)
        return args_refuse(err, field, "must be a list of names");
    for (uint32_t i = 0; i < list->len; i++) {
        str name = json_str(&list->items[i]);
        if (str_empty(name))
            return args_refuse(err, field, "item %u must be a name", i);
        if (groups && str_find_char(name, '/') >= 0)
            return args_refuse(err, field, "\"" STR_FMT "\" must be a domain without a slash", STR_ARG(name));
        if (ret->nignored == ARRAY_LEN(ret->ignored))
            return args_refuse(err, field, "at most %zu names", ARRAY_LEN(ret->ignored));
        ret->ignored[ret->nignored++] = groups ? arena_cat(a, name, S("/")) : arena_str(a, name);
    }
    return 0;
}

static int parse_shape(const struct json *strategy, struct fit_args *ret, struct err *err)
{
    static const char field[] = "scoringStrategy.requestedToCapacityRatio.shape";
    const struct json *shape = json_path(strategy, "requestedToCapacityRatio", "shape", NULL);
    if (!json_is(shape, JSON_ARRAY) || shape->len == 0 || shape->len > ARRAY_LEN(ret->shape))
        return args_refuse(err, field, "must be a list of 1 to %zu points", ARRAY_LEN(ret->shape));
    for (uint32_t i = 0; i < shape->len; i++) {
        int64_t u = json_get_int(&shape->items[i], S("utilization"), -1), x = json_get_int(&shape->items[i], S("score"), -1);
        if (u < 0 || u > 100 || x < 0 || x > 10)
            return args_refuse(err, field, "point %u needs a utilization from 0 to 100 and a score from 0 to 10", i);
        if (i && u <= ret->shape[i - 1].utilization)
            return args_refuse(err, field, "utilizations must rise from point to point");
        ret->shape[i] = (struct fit_shape_point){(int32_t)u, (int32_t)x * 10};
    }
    ret->nshape = shape->len;
    return 0;
}

static int parse_strategy(struct arena *a, const struct json *strategy, struct fit_args *ret, struct err *err)
{
    static const char *const types[] = {[FIT_LEAST] = "LeastAllocated", [FIT_MOST] = "MostAllocated", [FIT_RATIO] = "RequestedToCapacityRatio"};
    str type = json_get_str(strategy, S("type"));
    bool known = str_empty(type);
    for (size_t i = 0; i < ARRAY_LEN(types); i++)
        if (str_is(type, types[i])) {
            ret->strategy = (enum fit_strategy)i;
            known = true;
        }
    if (!known)
        return args_refuse(err, "scoringStrategy.type", "must be LeastAllocated, MostAllocated or RequestedToCapacityRatio");
    const struct json *list = json_get(strategy, S("resources"));
    if (list) {
        struct named_weight named[ARRAY_LEN(ret->resources)];
        int r = resources_parse(a, list, "scoringStrategy.resources", named, &ret->nresources, ARRAY_LEN(named), err);
        if (r < 0)
            return r;
        for (uint32_t i = 0; i < ret->nresources; i++) {
            ret->resources[i].name = named[i].name;
            ret->resources[i].weight = named[i].weight;
        }
    }
    return ret->strategy == FIT_RATIO ? parse_shape(strategy, ret, err) : 0;
}

static int configure(struct arena *a, const struct json *args, const void **ret_args, struct err *err)
{
    static const char *const known[] = {"ignoredResources", "ignoredResourceGroups", "scoringStrategy", NULL};
    struct fit_args *x = arena_new(a, struct fit_args);
    x->nresources = 2;
    x->resources[0].name = S("cpu");
    x->resources[1].name = S("memory");
    x->resources[0].weight = x->resources[1].weight = 1;
    int r = args_check(args, known, err);
    if (r == 0)
        r = parse_ignored(a, json_get(args, S("ignoredResources")), false, x, err);
    if (r == 0)
        r = parse_ignored(a, json_get(args, S("ignoredResourceGroups")), true, x, err);
    const struct json *strategy = json_get(args, S("scoringStrategy"));
    if (r == 0 && strategy)
        r = strategy->type == JSON_OBJECT ? parse_strategy(a, strategy, x, err) : args_refuse(err, "scoringStrategy", "must be a mapping");
    if (r == 0)
        *ret_args = x;
    return r;
}

const struct sched_plugin plugin_node_resources_fit = {
    .name = "NodeResourcesFit",
    .filter_scope = PLUG_LOCAL,
    .score_scope = PLUG_LOCAL,
    .helped_by = EVENT_NODE_ADD | EVENT_NODE_ALLOCATABLE | EVENT_POD_FREED | EVENT_POD_UPDATED,
    .default_weight = 1,
    .norm = NORM_NONE,
    .reasons = reasons,
    .filter = filter,
    .fits_one = fits_one,
    .explain = explain,
    .score = score,
    .score_one = score_one,
    .state_new = state_new,
    .configure = configure,
};
