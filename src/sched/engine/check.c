/* check.c - model_check: everything that is kept incrementally, computed again from the pods and compared.  For tests. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "base/err.h"
#include "sched/engine/model.h"
#include "sched/engine/devices.h"
#include "sched/engine/engine.h"
#include "sched/engine/links.h"
#include "sched/engine/preempt.h"
#include "sched/engine/storage.h"
#include "sched/engine/terms.h"

static int check_node(const struct sched *s, node_id n, struct err *err)
{
    int64_t used[RES_MAX] = {0}, nonzero_cpu = 0, nonzero_memory = 0;
    uint32_t npods = 0, nports = 0;
    for (pod_id p = s->nodes[n].first_pod; p; p = s->pods[p].next_on_node) {
        const struct pod_class *c = class_of(s, p);
        if (s->pods[p].node != n || !pod_on_node(&s->pods[p]))
            return err_set(err, E_INTERNAL, "pod " STR_FMT " is in the list of a node that it is not on", STR_ARG(sched_pod_name(s, p)));
        for (uint32_t i = 0; i < c->nreq; i++)
            used[c->req[i].id] += c->req[i].amount;
        nonzero_cpu += c->nonzero_cpu;
        nonzero_memory += c->nonzero_memory;
        nports += c->nports;
        npods++;
    }
    const struct view *v = &s->view;
    for (uint16_t r = 0; r < s->nres; r++)
        if (used[r] != v->used[r][n])
            return err_set(err, E_INTERNAL, "node " STR_FMT " counts %lld of " STR_FMT " as used, its pods use %lld", STR_ARG(sched_node_name(s, n)), (long long)v->used[r][n],
                           STR_ARG(s->res_name[r]), (long long)used[r]);
    if (nonzero_cpu != v->nonzero_cpu[n] || nonzero_memory != v->nonzero_memory[n] || (double)used[RES_CPU] != v->f_used[0][n] || (double)used[RES_MEMORY] != v->f_used[1][n] ||
        (double)nonzero_cpu != v->f_nonzero[0][n] || (double)nonzero_memory != v->f_nonzero[1][n])
        return err_set(err, E_INTERNAL, "node " STR_FMT ": the columns of scoring differ from its pods", STR_ARG(sched_node_name(s, n)));
    uint32_t held = 0;
    for (uint32_t i = 0; i < v->ports[n].n; i++)
        held += v->ports[n].p[i].count;
    if (held != nports || npods != s->nodes[n].npods)
        return err_set(err, E_INTERNAL, "node " STR_FMT ": %u ports and %u pods are counted, %u and %u are there", STR_ARG(sched_node_name(s, n)), held, s->nodes[n].npods, nports, npods);
    return 0;
}

static int check_topologies(const struct sched *s, struct err *err)
{
    for (uint32_t i = 0; i < s->ntopos; i++) {
        const struct topo *t = &s->topos[i];
        uint32_t *seen = xarray(t->ndomains, uint32_t);
        bool bad = false;
        bits_foreach(n, s->alive, s->view.words)
        {
            bool has;
            /* interning what is interned already changes nothing */
            sym_t value = model_topology_value((struct sched *)s, t, n, &has);
            bad |= has ? t->domain[n] == 0 || t->value[t->domain[n]] != value : t->domain[n] != 0;
            seen[t->domain[n]]++;
        }
        bad |= memcmp(seen, t->nnodes, t->ndomains * sizeof *seen) != 0;
        free(seen);
        if (bad)
            return err_set(err, E_INTERNAL, "the domains of " STR_FMT " differ from the nodes' labels", STR_ARG(symbol_text(&s->sym, t->key)));
    }
    return 0;
}

static int check_pods(const struct sched *s, struct err *err)
{
    uint32_t npods = 0;
    for (pod_id p = 1; p < s->npods_slots; p++) {
        const struct pod *pod = &s->pods[p];
        if (pod->state == PS_FREE)
            continue;
        npods++;
        if (pod_on_node(pod) != (pod->node != NODE_NONE))
            return err_set(err, E_INTERNAL, "pod " STR_FMT " has a node that does not go with its state", STR_ARG(sched_pod_name(s, p)));
        const struct unit *u = &s->units[pod->unit];
        if (!u->used || pod->slot_in_unit >= u->pods.len || u->pods.p[pod->slot_in_unit] != p)
            return err_set(err, E_INTERNAL, "pod " STR_FMT " is not in its unit", STR_ARG(sched_pod_name(s, p)));
    }
    return npods == s->npods ? 0 : err_set(err, E_INTERNAL, "%u pods are counted, %u are there", s->npods, npods);
}

int model_check(const struct sched *s, struct err *err)
{
    bits_foreach(n, s->alive, s->view.words)
    {
        int r = check_node(s, n, err);
        if (r < 0)
            return r;
    }
    int (*const checks[])(const struct sched *, struct err *) = {check_pods, check_topologies, terms_check, storage_check, devices_check, preempt_check, links_check};
    for (size_t i = 0; i < ARRAY_LEN(checks); i++) {
        int r = checks[i](s, err);
        if (r < 0)
            return r;
    }
    return 0;
}
