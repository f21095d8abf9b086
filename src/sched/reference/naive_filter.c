/* naive_filter.c - the filters, one function each: may this pod be on this node, as the rules read. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/reference/naive.h"

/* --- labels, selectors, tolerations ----------------------------------------------------------------------------------------- */
bool naive_label(struct spec_labels l, str key, str *ret)
{
    for (size_t i = 0; i < l.n; i++)
        if (str_eq(l.p[i].key, key)) {
            *ret = l.p[i].value;
            return true;
        }
    return false;
}

static bool requirement_holds(const struct spec_requirement *r, bool has, str value)
{
    bool in = false;
    int64_t have, want;
    for (size_t i = 0; i < r->nvalues; i++)
        in |= has && str_eq(r->values[i], value);
    switch (r->op) {
    case OP_IN:
        return in;
    case OP_NOT_IN:
        return !in;
    case OP_EXISTS:
        return has;
    case OP_NOT_EXISTS:
        return !has;
    default:
        if (!has || r->nvalues != 1 || !str_to_i64(value, &have) || !str_to_i64(r->values[0], &want))
            return false;
        return r->op == OP_GT ? have > want : have < want;
    }
}

bool naive_selects(const struct spec_selector *s, struct spec_labels labels)
{
    for (size_t i = 0; i < s->n; i++) {
        str value = S("");
        bool has = naive_label(labels, s->p[i].key, &value);
        if (!requirement_holds(&s->p[i], has, value))
            return false;
    }
    return !s->none;
}

bool naive_node_term(const struct spec_node_term *t, const struct node_spec *n)
{
    if (t->labels.n == 0 && t->nfields == 0)
        return false; /* an empty term matches nothing */
    for (size_t i = 0; i < t->nfields; i++)
        if (!requirement_holds(&t->fields[i], true, n->name))
            return false;
    return naive_selects(&t->labels, n->labels);
}

static bool any_node_term(const struct spec_node_term *t, size_t nterms, const struct node_spec *n)
{
    for (size_t i = 0; i < nterms; i++)
        if (naive_node_term(&t[i], n))
            return true;
    return false;
}

bool naive_node_selected(const struct pod_spec *p, const struct node_spec *n)
{
    for (size_t i = 0; i < p->node_selector.n; i++) {
        str value;
        if (!naive_label(n->labels, p->node_selector.p[i].key, &value) || !str_eq(value, p->node_selector.p[i].value))
            return false;
    }
    return !p->has_required || any_node_term(p->required_terms, p->nrequired_terms, n);
}

bool naive_tolerates(const struct pod_spec *p, const struct spec_taint *t)
{
    for (size_t i = 0; i < p->ntolerations; i++) {
        const struct spec_toleration *x = &p->tolerations[i];
        if (x->effect >= 0 && x->effect != (int)t->effect)
            continue;
        if (!str_empty(x->key) && !str_eq(x->key, t->key))
            continue;
        if (x->op == TOLERATE_EXISTS || str_eq(x->value, t->value))
            return true;
    }
    return false;
}

bool naive_no_schedule_taint(const struct pod_spec *p, const struct node_spec *n)
{
    for (size_t i = 0; i < n->ntaints; i++)
        if (n->taints[i].effect != TAINT_PREFER_NO_SCHEDULE && !naive_tolerates(p, &n->taints[i]))
            return true;
    return false;
}

/* --- amounts ---------------------------------------------------------------------------------------------------------------- */
int64_t naive_request(const struct pod_spec *p, uint16_t resource)
{
    int64_t sum = 0;
    for (size_t i = 0; i < p->requests.n; i++)
        if (p->requests.p[i].id == resource)
            sum += p->requests.p[i].amount;
    return resource == RES_PODS ? 1 : sum;
}

int64_t naive_capacity(const struct node_spec *n, uint16_t resource)
{
    int64_t sum = 0;
    for (size_t i = 0; i < n->allocatable.n; i++)
        if (n->allocatable.p[i].id == resource)
            sum += n->allocatable.p[i].amount;
    if (resource == RES_GPU)
        return n->ngpus;
    if ((resource == RES_INGRESS || resource == RES_EGRESS) && n->bandwidth_overcommit > 0)
        return (int64_t)((double)sum * n->bandwidth_overcommit);
    return sum;
}

bool naive_holds(const struct naive_pod *p, const struct pod_spec *for_pod)
{
    if (&p->spec == for_pod)
        return false;
    return naive_counts(p) || (p->state == NAIVE_NOMINATED && p->spec.priority >= for_pod->priority);
}

static int64_t used(const struct naive *w, const struct pod_spec *for_pod, int node, uint16_t resource)
{
    int64_t sum = 0;
    for (size_t i = 0; i < w->pods.len; i++)
        if (w->pods.p[i].node == node && naive_holds(&w->pods.p[i], for_pod))
            sum += naive_request(&w->pods.p[i].spec, resource);
    return sum;
}

static enum naive_verdict has_room(const struct naive *w, const struct pod_spec *p, int node, uint16_t resource)
{
    int64_t need = naive_request(p, resource), all = naive_capacity(&w->nodes.p[node].spec, resource);
    if (need == 0 || need <= all - used(w, p, node, resource))
        return NAIVE_FITS;
    return need > all ? NAIVE_UNRESOLVABLE : NAIVE_REJECTED;
}

static enum naive_verdict worst(enum naive_verdict a, enum naive_verdict b)
{
    return a > b ? a : b;
}

/* --- one filter after another ----------------------------------------------------------------------------------------------- */
static enum naive_verdict node_name(const struct naive *w, const struct pod_spec *p, int node)
{
    return str_empty(p->node) || str_eq(p->node, w->nodes.p[node].spec.name) ? NAIVE_FITS : NAIVE_UNRESOLVABLE;
}

static enum naive_verdict unschedulable(const struct naive *w, const struct pod_spec *p, int node)
{
    const struct spec_taint cordon = {S("node.kubernetes.io/unschedulable"), S(""), TAINT_NO_SCHEDULE};
    return !w->nodes.p[node].spec.unschedulable || naive_tolerates(p, &cordon) ? NAIVE_FITS : NAIVE_UNRESOLVABLE;
}

static enum naive_verdict taints(const struct naive *w, const struct pod_spec *p, int node)
{
    return naive_no_schedule_taint(p, &w->nodes.p[node].spec) ? NAIVE_UNRESOLVABLE : NAIVE_FITS;
}

static enum naive_verdict node_affinity(const struct naive *w, const struct pod_spec *p, int node)
{
    const struct node_spec *n = &w->nodes.p[node].spec;
    bool added = w->conf.nadded_required == 0 || any_node_term(w->conf.added_required, w->conf.nadded_required, n);
    return added && naive_node_selected(p, n) ? NAIVE_FITS : NAIVE_UNRESOLVABLE;
}

static bool all_addresses(str ip)
{
    return str_empty(ip) || str_is(ip, "0.0.0.0");
}

bool naive_ports_conflict(const struct pod_spec *a, const struct pod_spec *b)
{
    for (size_t i = 0; i < a->nports; i++)
        for (size_t k = 0; k < b->nports; k++) {
            const struct spec_port *x = &a->ports[i], *y = &b->ports[k];
            if (x->port == y->port && x->protocol == y->protocol && (all_addresses(x->ip) || all_addresses(y->ip) || str_eq(x->ip, y->ip)))
                return true;
        }
    return false;
}

static enum naive_verdict ports(const struct naive *w, const struct pod_spec *p, int node)
{
    for (size_t i = 0; i < w->pods.len; i++)
        if (w->pods.p[i].node == node && naive_holds(&w->pods.p[i], p) && naive_ports_conflict(p, &w->pods.p[i].spec))
            return NAIVE_REJECTED;
    return NAIVE_FITS;
}

/* Bandwidth is a resource like others where its own rule is off. */
static enum naive_verdict fit(const struct naive *w, const struct pod_spec *p, int node)
{
    enum naive_verdict v = NAIVE_FITS;
    for (uint16_t r = 0; r < RES_MAX; r++)
        if (!w->conf.filter[NAIVE_BANDWIDTH] || (r != RES_INGRESS && r != RES_EGRESS))
            v = worst(v, has_room(w, p, node, r));
    return v;
}

static enum naive_verdict bandwidth(const struct naive *w, const struct pod_spec *p, int node)
{
    return worst(has_room(w, p, node, RES_INGRESS), has_room(w, p, node, RES_EGRESS));
}

/* --- topology spread -------------------------------------------------------------------------------------------------------- */
static bool has_hard_keys(const struct pod_spec *p, const struct node_spec *n)
{
    str value;
    for (size_t i = 0; i < p->nspread; i++)
        if (p->spread[i].hard && !naive_label(n->labels, p->spread[i].topology_key, &value))
            return false;
    return true;
}

static bool spread_eligible(const struct pod_spec *p, const struct spec_spread *c, const struct node_spec *n)
{
    return (c->affinity_policy == SPREAD_IGNORE || naive_node_selected(p, n)) &&
            (c->taints_policy == SPREAD_IGNORE || !naive_no_schedule_taint(p, n));
}

/* Matching pods on one node: of the same namespace, not being deleted.  kube-scheduler counts none for a selector without requirements. */
static int matching_pods(const struct naive *w, const struct pod_spec *p, const struct spec_selector *s, int node)
{
    int count = 0;
    for (size_t i = 0; i < w->pods.len && (s->n || s->none); i++) {
        const struct naive_pod *x = &w->pods.p[i];
        count += x->node == node && x->state == NAIVE_ON && &x->spec != p && str_eq(x->spec.ns, p->ns) && naive_selects(s, x->spec.labels);
    }
    return count;
}

/* Matching pods on the eligible nodes of the domain with this value; -1: no eligible node has it. */
static int domain_count(const struct naive *w, const struct pod_spec *p, const struct spec_spread *c, str value)
{
    int count = -1;
    for (size_t m = 0; m < w->nodes.len; m++) {
        const struct node_spec *n = &w->nodes.p[m].spec;
        str v;
        if (!w->nodes.p[m].used || !has_hard_keys(p, n) || !spread_eligible(p, c, n) || !naive_label(n->labels, c->topology_key, &v) ||
            !str_eq(v, value))
            continue;
        count = MAX(count, 0) + matching_pods(w, p, &c->selector, (int)m);
    }
    return count;
}

static enum naive_verdict spread_one(const struct naive *w, const struct pod_spec *p, const struct spec_spread *c, int node)
{
    str here, value;
    if (!naive_label(w->nodes.p[node].spec.labels, c->topology_key, &here))
        return NAIVE_UNRESOLVABLE;
    int least = INT32_MAX, domains = 0;
    for (size_t m = 0; m < w->nodes.len; m++) {
        if (!w->nodes.p[m].used || !naive_label(w->nodes.p[m].spec.labels, c->topology_key, &value))
            continue;
        bool seen = false; /* each value once: at its first eligible node */
        for (size_t k = 0; k < m && !seen; k++) {
            str v;
            seen = w->nodes.p[k].used && naive_label(w->nodes.p[k].spec.labels, c->topology_key, &v) && str_eq(v, value);
        }
        int count = seen ? -1 : domain_count(w, p, c, value);
        if (count >= 0) {
            domains++;
            least = MIN(least, count);
        }
    }
    if (domains < MAX(c->min_domains, 1))
        least = 0;
    int self = naive_selects(&c->selector, p->labels);
    return MAX(domain_count(w, p, c, here), 0) + self - least > c->max_skew ? NAIVE_REJECTED : NAIVE_FITS;
}

static enum naive_verdict spread(const struct naive *w, const struct pod_spec *p, int node)
{
    for (size_t i = 0; i < p->nspread; i++) {
        enum naive_verdict v = p->spread[i].hard ? spread_one(w, p, &p->spread[i], node) : NAIVE_FITS;
        if (v != NAIVE_FITS)
            return v;
    }
    return NAIVE_FITS;
}

/* --- affinity between pods -------------------------------------------------------------------------------------------------- */
bool naive_pod_matches(const struct naive *w, const struct spec_pod_term *t, const struct pod_spec *owner, const struct pod_spec *candidate)
{
    bool in_namespace = t->nnamespaces == 0 && !t->has_namespace_selector && str_eq(owner->ns, candidate->ns);
    for (size_t i = 0; i < t->nnamespaces; i++)
        in_namespace |= str_eq(t->namespaces[i], candidate->ns);
    if (!in_namespace && t->has_namespace_selector) {
        struct spec_labels labels = {NULL, 0};
        for (size_t i = 0; i < w->namespaces.len; i++)
            if (str_eq(w->namespaces.p[i].name, candidate->ns))
                labels = w->namespaces.p[i].labels;
        in_namespace = naive_selects(&t->namespace_selector, labels);
    }
    return in_namespace && naive_selects(&t->selector, candidate->labels);
}

static bool same_domain(const struct naive *w, str key, int a, int b)
{
    str x, y;
    return naive_label(w->nodes.p[a].spec.labels, key, &x) && naive_label(w->nodes.p[b].spec.labels, key, &y) && str_eq(x, y);
}

static bool matches_all_affinity(const struct naive *w, const struct pod_spec *p, const struct pod_spec *candidate)
{
    for (size_t i = 0; i < p->naffinity; i++)
        if (!naive_pod_matches(w, &p->affinity[i], p, candidate))
            return false;
    return true;
}

/* For each term its domain must hold a pod that matches all terms; if there is no such pod anywhere, one that matches itself may be the first. */
static bool affinity_holds(const struct naive *w, const struct pod_spec *p, int node)
{
    bool any = false, all_terms = true;
    str value;
    for (size_t t = 0; t < p->naffinity; t++) {
        bool here = false;
        if (!naive_label(w->nodes.p[node].spec.labels, p->affinity[t].topology_key, &value))
            return false;
        for (size_t i = 0; i < w->pods.len; i++) {
            const struct naive_pod *x = &w->pods.p[i];
            if (!naive_counts(x) || &x->spec == p || !matches_all_affinity(w, p, &x->spec))
                continue;
            any |= naive_label(w->nodes.p[x->node].spec.labels, p->affinity[t].topology_key, &value);
            here |= same_domain(w, p->affinity[t].topology_key, node, x->node);
        }
        all_terms &= here;
    }
    return all_terms || (!any && matches_all_affinity(w, p, p));
}

static enum naive_verdict pod_affinity(const struct naive *w, const struct pod_spec *p, int node)
{
    if (p->naffinity && !affinity_holds(w, p, node))
        return NAIVE_UNRESOLVABLE;
    for (size_t i = 0; i < w->pods.len; i++) {
        const struct naive_pod *x = &w->pods.p[i];
        if (!naive_counts(x) || &x->spec == p)
            continue;
        for (size_t t = 0; t < p->nanti_affinity; t++)
            if (naive_pod_matches(w, &p->anti_affinity[t], p, &x->spec) && same_domain(w, p->anti_affinity[t].topology_key, node, x->node))
                return NAIVE_REJECTED;
        for (size_t t = 0; t < x->spec.nanti_affinity; t++)
            if (naive_pod_matches(w, &x->spec.anti_affinity[t], &x->spec, p) && same_domain(w, x->spec.anti_affinity[t].topology_key, node, x->node))
                return NAIVE_REJECTED;
    }
    return NAIVE_FITS;
}

/* --- devices ---------------------------------------------------------------------------------------------------------------- */
int32_t naive_gpu_milli(const struct pod_spec *p, const struct node_spec *n)
{
    bool model = p->gpu.nmodels == 0;
    for (size_t i = 0; i < p->gpu.nmodels; i++)
        model |= str_eq(p->gpu.models[i], n->gpu_model);
    if (!model)
        return -1;
    if (p->gpu.kind == GPU_WHOLE)
        return GPU_MILLI;
    if (p->gpu.kind == GPU_FRACTION)
        return p->gpu.milli;
    if (n->gpu_memory_mib <= 0 || p->gpu.memory_mib > n->gpu_memory_mib)
        return -1;
    return (int32_t)((p->gpu.memory_mib * GPU_MILLI + n->gpu_memory_mib - 1) / n->gpu_memory_mib);
}

static int64_t device_used(const struct naive *w, const struct pod_spec *for_pod, int node, uint32_t device)
{
    int64_t sum = 0;
    for (size_t i = 0; i < w->pods.len; i++) {
        const struct naive_pod *x = &w->pods.p[i];
        if (x->node == node && naive_holds(x, for_pod) && x->gpu_mask >> device & 1)
            sum += naive_gpu_milli(&x->spec, &w->nodes.p[node].spec);
    }
    return sum;
}

uint16_t naive_devices(const struct naive *w, size_t pod, int node)
{
    const struct pod_spec *p = &w->pods.p[pod].spec;
    const struct node_spec *n = &w->nodes.p[node].spec;
    if (p->gpu.kind == GPU_NONE)
        return 0;
    int32_t milli = naive_gpu_milli(p, n);
    uint16_t mask = 0;
    for (uint32_t k = 0; k < p->gpu.count; k++) {
        int best = -1;
        int64_t best_used = -1;
        for (uint32_t d = 0; d < n->ngpus; d++) {
            int64_t u = device_used(w, p, node, d);
            if (!(mask >> d & 1) && milli >= 0 && u + milli <= GPU_MILLI && u > best_used) {
                best = (int)d;
                best_used = u;
            }
        }
        if (best < 0)
            return 0;
        mask |= (uint16_t)(1u << best);
    }
    return mask;
}

static enum naive_verdict gpu(const struct naive *w, const struct pod_spec *p, int node)
{
    const struct node_spec *n = &w->nodes.p[node].spec;
    if (p->gpu.kind == GPU_NONE)
        return NAIVE_FITS;
    if (naive_gpu_milli(p, n) < 0 || p->gpu.count > n->ngpus)
        return NAIVE_UNRESOLVABLE;
    for (size_t i = 0; i < w->pods.len; i++)
        if (&w->pods.p[i].spec == p)
            return naive_devices(w, i, node) ? NAIVE_FITS : NAIVE_REJECTED;
    return NAIVE_REJECTED;
}

static enum naive_verdict (*const filters[NAIVE_RULES])(const struct naive *w, const struct pod_spec *p, int node) = {
    [NAIVE_NODE_NAME] = node_name, [NAIVE_UNSCHEDULABLE] = unschedulable, [NAIVE_TAINTS] = taints,       [NAIVE_NODE_AFFINITY] = node_affinity,
    [NAIVE_PORTS] = ports,         [NAIVE_FIT] = fit,                     [NAIVE_SPREAD] = spread,       [NAIVE_POD_AFFINITY] = pod_affinity,
    [NAIVE_BANDWIDTH] = bandwidth, [NAIVE_GPU] = gpu,                     [NAIVE_NUMA] = naive_numa,
};

enum naive_rule naive_check(const struct naive *w, size_t pod, int node, enum naive_verdict *ret)
{
    for (int r = 0; r < NAIVE_RULES; r++) {
        if (!w->conf.filter[r])
            continue;
        enum naive_verdict v = NAIVE_FITS;
        if (filters[r])
            v = filters[r](w, &w->pods.p[pod].spec, node);
        else if (r == NAIVE_VOLUME_RESTRICTIONS || r == NAIVE_VOLUME_LIMITS || r == NAIVE_VOLUME_BINDING || r == NAIVE_VOLUME_ZONE)
            v = naive_volumes(w, pod, node, (enum naive_rule)r, NULL);
        if (v != NAIVE_FITS) {
            *ret = v;
            return (enum naive_rule)r;
        }
    }
    *ret = NAIVE_FITS;
    return NAIVE_RULES;
}
