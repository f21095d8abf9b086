/* balanced_allocation.c - NodeResourcesBalancedAllocation: prefers nodes whose resources would be used in equal shares.
 *
 * b = floor(100 * (1 - standard deviation of the shares)), in doubles, operation by operation as kube-scheduler has it, since a last digit decides what
 * floor gives.  "with" (up to 1.35) is b with the pod; "gain" (from 1.36 on) is 50 + (50 + b with - b without) / 2.
 * Over cpu and memory the engine computes it in a fused pass (place_kernel.h). */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "sched/engine/place_kernel.h"
#include "sched/plugins/plugins.h"
#include "sched/plugins/resources.h"

#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__)
#pragma GCC optimize("-ffp-contract=off")
#endif

/* Pods that ask for nothing of it are all alike to every node. */
static bool uses_score(const struct sched *s, const struct pod_class *c, const void *args)
{
    const struct balanced_args *a = args;
    for (uint32_t i = 0; i < a->nresources; i++)
        for (uint16_t r = 0; r < s->nres; r++)
            if (str_eq(s->res_name[r], a->resources[i].name) && class_request(c, r))
                return true;
    return false;
}

static int32_t balance(const struct view *v, const struct pod_class *c, const struct balanced_args *a, node_id n, bool with)
{
    double share[ARRAY_LEN(a->resources)], total = 0, std = 0;
    uint32_t k = 0;
    for (uint32_t i = 0; i < a->nresources; i++) {
        uint16_t r = a->resources[i].id;
        if (r >= v->s->nres || v->s->alloc[r][n] == 0 || (resource_is_extended(r) && class_request(c, r) == 0))
            continue;
        share[k] = share_of(v->used[r][n] + (with ? class_request(c, r) : 0), v->s->alloc[r][n]);
        total += share[k++];
    }
    if (k == 2)
        return score_balanced(share[0], share[1]);
    if (k > 2) {
        double mean = total / k, sum = 0;
        for (uint32_t i = 0; i < k; i++)
            sum += (share[i] - mean) * (share[i] - mean);
        std = sqrt(sum / k);
    }
    return (int32_t)((1 - std) * SCORE_MAX);
}

static int64_t score_with(const struct view *v, const struct pod_class *c, const struct balanced_args *a, node_id n)
{
    int32_t with = balance(v, c, a, n, true);
    return a->formula == BALANCED_GAIN ? score_gain(with, balance(v, c, a, n, false)) : with;
}

static int64_t score_one(const struct view *v, const struct pod_class *c, const void *args, node_id n)
{
    return score_with(v, c, args, n);
}

static void score(const struct view *v, const struct pod_class *c, const void *args, const uint64_t *fits, int64_t *raw)
{
    bits_foreach(n, fits, v->words)
        raw[n] = score_with(v, c, args, n);
}

/* Ids of resources are the engine's; it owns the profile, so they are kept in the arguments. */
static void *state_new(struct sched *s, const void *args)
{
    struct balanced_args *a = (struct balanced_args *)args;
    for (uint32_t i = 0; i < a->nresources; i++)
        if (model_resource(s, a->resources[i].name, &a->resources[i].id, NULL) < 0)
            a->resources[i].id = RES_MAX;
    return NULL;
}

static int configure(struct arena *a, const struct json *args, const void **ret_args, struct err *err)
{
    static const char *const known[] = {"resources", "formula", NULL};
    struct balanced_args *x = arena_new(a, struct balanced_args);
    struct named_weight named[ARRAY_LEN(x->resources)] = {{S("cpu"), 1}, {S("memory"), 1}};
    x->nresources = 2;
    int r = args_check(args, known, err);
    if (r < 0)
        return r;
    const struct json *list = json_get(args, S("resources"));
    if (list && (r = resources_parse(a, list, "resources", named, &x->nresources, ARRAY_LEN(named), err)) < 0)
        return r;
    for (uint32_t i = 0; i < x->nresources; i++) {
        x->resources[i].name = named[i].name;
        x->resources[i].weight = named[i].weight;
    }
    str formula = json_get_str(args, S("formula"));
    if (!str_empty(formula) && !str_is(formula, "with") && !str_is(formula, "gain"))
        return args_refuse(err, "formula", "must be with or gain");
    x->formula = str_is(formula, "with") ? BALANCED_WITH : BALANCED_GAIN;
    *ret_args = x;
    return 0;
}

const struct sched_plugin plugin_balanced_allocation = {
    .name = "NodeResourcesBalancedAllocation",
    .score_scope = PLUG_LOCAL,
    .default_weight = 1,
    .norm = NORM_NONE,
    .uses_score = uses_score,
    .score = score,
    .score_one = score_one,
    .state_new = state_new,
    .configure = configure,
};
