/* resources.h - what NodeResourcesFit, NodeBandwidth and BalancedAllocation share, and what the engine's fused passes must know of them.
 *
 * Threads: pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "sched/engine/plugin.h"

/* Requests of the other resources count in scores only when the pod has any. */
static inline bool resource_is_extended(uint16_t r)
{
    return r != RES_CPU && r != RES_MEMORY && r != RES_STORAGE && r != RES_PODS;
}
static inline bool resource_is_bandwidth(uint16_t r)
{
    return r == RES_INGRESS || r == RES_EGRESS;
}
int64_t class_request(const struct pod_class *c, uint16_t r);
/* Parts of devices: they take room of RES_GPU, and request none. */
static inline bool class_has_parts(const struct pod_class *c)
{
    return c->gpu.kind == GPU_FRACTION || c->gpu.kind == GPU_MEMORY;
}
/* Does NodeResourcesFit check this resource?  Not when it is told to ignore it, nor bandwidth where NodeBandwidth filters. */
bool fit_checks_resource(const struct sched *s, const struct pod_class *c, const struct fit_args *a, uint16_t r);
/* The resources list of a plugin's arguments: [{name, weight}], at most max; `field` is its path for errors. */
struct named_weight {
    str name;
    int32_t weight;
};
int resources_parse(struct arena *a, const struct json *list, const char *field, struct named_weight *ret, uint32_t *ret_n, uint32_t max, struct err *err) MUST_CHECK;
/* An error about one field of a plugin's arguments. */
int args_refuse(struct err *err, const char *field, const char *fmt, ...) PRINTF_LIKE(3, 4);
/* E_INVALID_ARG when args is not NULL or an object with these keys only (NULL at the end). */
int args_check(const struct json *args, const char *const *known, struct err *err) MUST_CHECK;
