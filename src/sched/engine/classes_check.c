/* classes_check.c - is a pod's spec within the engine's limits, and does it make sense? */
/* SPDX-License-Identifier: Apache-2.0 */
#include "base/err.h"
#include "base/limits.h"
#include "sched/engine/classes.h"

/* --- lists inside lists: `most` is the longest so far --------------------------------------------------------------------------- */
static size_t more_reqs(size_t most, const struct spec_requirement *p, size_t n)
{
    most = MAX(most, n);
    for (size_t i = 0; i < n; i++)
        most = MAX(most, p[i].nvalues);
    return most;
}

static size_t more_node_terms(size_t most, const struct spec_node_term *p, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        most = more_reqs(most, p[i].labels.p, p[i].labels.n);
        most = more_reqs(most, p[i].fields, p[i].nfields);
    }
    return most;
}

static size_t more_pod_terms(size_t most, const struct spec_pod_term *p, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        most = more_reqs(MAX(most, p[i].nnamespaces), p[i].selector.p, p[i].selector.n);
        most = more_reqs(most, p[i].namespace_selector.p, p[i].namespace_selector.n);
    }
    return most;
}

static size_t longest_inner(const struct pod_spec *p)
{
    size_t most = more_reqs(0, p->default_spread_selector.p, p->default_spread_selector.n);
    most = more_node_terms(most, p->required_terms, p->nrequired_terms);
    most = more_node_terms(most, p->preferred_terms, p->npreferred_terms);
    most = more_pod_terms(most, p->affinity, p->naffinity);
    most = more_pod_terms(most, p->anti_affinity, p->nanti_affinity);
    most = more_pod_terms(most, p->preferred_affinity, p->npreferred_affinity);
    most = more_pod_terms(most, p->preferred_anti_affinity, p->npreferred_anti_affinity);
    for (size_t i = 0; i < p->nspread; i++)
        most = more_reqs(most, p->spread[i].selector.p, p->spread[i].selector.n);
    return most;
}

int classes_check(const struct sched *s, const struct pod_spec *p, struct err *err)
{
    const struct {
        const char *what;
        size_t n;
    } lists[] = {
        {"labels", p->labels.n}, {"tolerations", p->ntolerations}, {"required node terms", p->nrequired_terms}, {"preferred node terms", p->npreferred_terms},
        {"affinity terms", p->naffinity}, {"anti-affinity terms", p->nanti_affinity}, {"preferred affinity terms", p->npreferred_affinity},
        {"preferred anti-affinity terms", p->npreferred_anti_affinity}, {"spread constraints", p->nspread}, {"host ports", p->nports}, {"images", p->nimages},
        {"volumes", p->nvolumes}, {"requests", p->requests.n}, {"node selector labels", p->node_selector.n}, {"GPU models", p->gpu.nmodels},
    };
    for (size_t i = 0; i < ARRAY_LEN(lists); i++)
        if (lists[i].n > LIMIT_SCHED_SPEC_ITEMS)
            return err_set(err, E_TOO_LARGE, "pod " STR_FMT "/" STR_FMT " has %zu %s, more than %u", STR_ARG(p->ns), STR_ARG(p->name), lists[i].n, lists[i].what, LIMIT_SCHED_SPEC_ITEMS);
    size_t inner = longest_inner(p);
    if (inner > LIMIT_SCHED_SPEC_ITEMS)
        return err_set(err, E_TOO_LARGE, "pod " STR_FMT "/" STR_FMT " has a selector with %zu expressions, values or namespaces, more than %u", STR_ARG(p->ns), STR_ARG(p->name), inner,
                       LIMIT_SCHED_SPEC_ITEMS);
    for (size_t i = 0; i < p->requests.n; i++) {
        if (p->requests.p[i].id >= s->nres)
            return err_set(err, E_INVALID_ARG, "pod " STR_FMT "/" STR_FMT " requests a resource with the unknown id %u", STR_ARG(p->ns), STR_ARG(p->name), p->requests.p[i].id);
        if (p->requests.p[i].amount < 0)
            return err_set(err, E_INVALID_ARG, "pod " STR_FMT "/" STR_FMT " requests a negative amount of " STR_FMT, STR_ARG(p->ns), STR_ARG(p->name),
                           STR_ARG(s->res_name[p->requests.p[i].id]));
    }
    if (p->gpu.kind != GPU_NONE && (p->gpu.count == 0 || (p->gpu.kind == GPU_FRACTION && (p->gpu.milli < 1 || p->gpu.milli > GPU_MILLI)) || (p->gpu.kind == GPU_MEMORY && p->gpu.memory_mib < 1)))
        return err_set(err, E_INVALID_ARG, "pod " STR_FMT "/" STR_FMT " requests GPUs in an impossible amount: at least one device, a fraction of 1 to 1000 milli, memory of at least 1 MiB",
                       STR_ARG(p->ns), STR_ARG(p->name));
    return 0;
}
