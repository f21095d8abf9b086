/* checker.c - are these placements allowed?
 *
 *   pods ──► templates (pods with the same pointers) ──► per topology key: how many pods of each template in each domain
 * What concerns one node is summed up node by node; what concerns several is checked for each term of each template over the domains. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/reference/checker.h"

#include "base/map.h"
#include "sched/reference/naive.h"

struct on_node {
    uint32_t pod;  /* index + 1 of the first pod, 0: none */
};
struct placed {
    struct pod_spec spec;
    uint32_t node; /* index */
    uint32_t next; /* of the same node, index + 1 */
    uint32_t template_;
    uint16_t gpu_mask;
};
struct template_key { /* pods that agree in these agree in all that is checked across nodes */
    const void *p[10];
    size_t n[10];
};
struct template_ {
    uint32_t pod; /* one of them */
    uint32_t count;
};
struct keyed { /* a topology key: the domain of each node */
    str key;
    uint32_t *domain; /* 0: lacks the label */
    uint32_t ndomains;
};
struct checker {
    struct arena arena;
    struct naive world; /* namespaces, volumes and claims, for the rules that need them */
    VEC(struct node_spec) nodes;
    VEC(struct on_node) on;
    VEC(struct placed) pods;
    VEC(struct template_) templates;
    VEC(struct keyed) keys;
    struct map node_by_name, template_by_key;
    struct map claims, volumes; /* "ns/name" and name -> index + 1 */
};

struct checker *checker_new(void)
{
    struct checker *c = xnew(struct checker);
    struct naive_conf conf = naive_conf_default();
    naive_init(&c->world, &conf, 0);
    return c;
}

void checker_free(struct checker *c)
{
    if (!c)
        return;
    for (size_t i = 0; i < c->keys.len; i++)
        free(c->keys.p[i].domain);
    vec_fini(&c->keys);
    vec_fini(&c->nodes);
    vec_fini(&c->on);
    vec_fini(&c->pods);
    vec_fini(&c->templates);
    map_fini(&c->node_by_name);
    map_fini(&c->template_by_key);
    map_fini(&c->claims);
    map_fini(&c->volumes);
    naive_fini(&c->world);
    arena_fini(&c->arena);
    free(c);
}

static void *index_of(size_t i)
{
    return (void *)(uintptr_t)(i + 1);
}

void checker_node(struct checker *c, const struct node_spec *n)
{
    void *known = map_get(&c->node_by_name, n->name);
    if (known) {
        c->nodes.p[(uintptr_t)known - 1] = *n;
        return;
    }
    map_put(&c->node_by_name, n->name, index_of(c->nodes.len));
    vec_push(&c->nodes, *n);
    vec_push(&c->on, (struct on_node){0});
}

void checker_namespace(struct checker *c, str name, struct spec_labels labels)
{
    naive_namespace_put(&c->world, name, labels);
}

void checker_pv(struct checker *c, const struct pv_spec *v)
{
    map_put(&c->volumes, v->name, index_of(c->world.volumes.len));
    vec_push(&c->world.volumes, *v);
}

void checker_pvc(struct checker *c, const struct pvc_spec *v)
{
    map_put(&c->claims, arena_fmt(&c->arena, STR_FMT "/" STR_FMT, STR_ARG(v->ns), STR_ARG(v->name)), index_of(c->world.claims.len));
    vec_push(&c->world.claims, *v);
}

static uint32_t template_of(struct checker *c, const struct pod_spec *p, uint32_t pod)
{
    struct template_key k = {{p->ns.p, p->labels.p, p->affinity, p->anti_affinity, p->spread, p->node_selector.p, p->required_terms,
                              p->tolerations, NULL, NULL},
                             {p->ns.len, p->labels.n, p->naffinity, p->nanti_affinity, p->nspread, p->node_selector.n, p->nrequired_terms,
                              p->ntolerations, p->has_required, p->phase}};
    str bytes = str_n((const char *)&k, sizeof k);
    void *known = map_get(&c->template_by_key, bytes);
    if (known) {
        c->templates.p[(uintptr_t)known - 1].count++;
        return (uint32_t)((uintptr_t)known - 1);
    }
    map_put(&c->template_by_key, arena_str(&c->arena, bytes), index_of(c->templates.len));
    vec_push(&c->templates, (struct template_){pod, 1});
    return (uint32_t)c->templates.len - 1;
}

void checker_pod(struct checker *c, const struct pod_spec *p, str node, uint16_t gpu_mask)
{
    if (str_empty(node))
        return;
    void *n = map_get(&c->node_by_name, node);
    uint32_t pod = (uint32_t)c->pods.len, at = n ? (uint32_t)((uintptr_t)n - 1) : UINT32_MAX;
    vec_push(&c->pods, (struct placed){.spec = *p, .node = at, .gpu_mask = gpu_mask, .template_ = template_of(c, p, pod)});
    c->pods.p[pod].spec.node = node;
    if (n) {
        c->pods.p[pod].next = c->on.p[at].pod;
        c->on.p[at].pod = pod + 1;
    }
}

#define POD_FMT "pod " STR_FMT "/" STR_FMT " is on " STR_FMT
#define POD_ARG(p) STR_ARG((p)->spec.ns), STR_ARG((p)->spec.name), STR_ARG((p)->spec.node)

/* --- one pod on its node ---------------------------------------------------------------------------------------------------- */
static int check_volume(const struct checker *c, const struct placed *p, const struct node_spec *n, const struct spec_volume *v, struct err *err)
{
    char name[600];
    snprintf(name, sizeof name, STR_FMT "/" STR_FMT, STR_ARG(p->spec.ns), STR_ARG(v->claim));
    void *claim = map_get(&c->claims, str_of(name));
    if (!claim)
        return err_set(err, E_CONFLICT, POD_FMT ", its claim " STR_FMT " is not there", POD_ARG(p), STR_ARG(v->claim));
    str bound = c->world.claims.p[(uintptr_t)claim - 1].volume;
    if (str_empty(bound))
        return 0;
    void *volume = map_get(&c->volumes, bound);
    if (!volume)
        return err_set(err, E_CONFLICT, POD_FMT ", its volume " STR_FMT " is not there", POD_ARG(p), STR_ARG(bound));
    const struct pv_spec *pv = &c->world.volumes.p[(uintptr_t)volume - 1];
    bool reaches = !pv->has_node_affinity;
    for (size_t i = 0; i < pv->nnode_affinity; i++)
        reaches |= naive_node_term(&pv->node_affinity[i], n);
    return reaches ? 0 : err_set(err, E_CONFLICT, POD_FMT ", where its volume " STR_FMT " cannot be used", POD_ARG(p), STR_ARG(bound));
}

static int check_pod(const struct checker *c, const struct placed *p, struct err *err)
{
    static const char *const effects[] = {"NoSchedule", "PreferNoSchedule", "NoExecute"};
    const struct spec_taint cordon = {S("node.kubernetes.io/unschedulable"), S(""), TAINT_NO_SCHEDULE};
    if (p->node == UINT32_MAX)
        return err_set(err, E_CONFLICT, POD_FMT ", which is not there", POD_ARG(p));
    const struct node_spec *n = &c->nodes.p[p->node];
    for (size_t i = 0; i < n->ntaints; i++)
        if (n->taints[i].effect != TAINT_PREFER_NO_SCHEDULE && !naive_tolerates(&p->spec, &n->taints[i]))
            return err_set(err, E_CONFLICT, POD_FMT ", whose taint " STR_FMT "=" STR_FMT ":%s it does not tolerate", POD_ARG(p),
                           STR_ARG(n->taints[i].key), STR_ARG(n->taints[i].value),
                           effects[n->taints[i].effect]);
    if (n->unschedulable && !naive_tolerates(&p->spec, &cordon))
        return err_set(err, E_CONFLICT, POD_FMT ", which is cordoned", POD_ARG(p));
    if (!naive_node_selected(&p->spec, n))
        return err_set(err, E_CONFLICT, POD_FMT ", which its node selector or affinity excludes", POD_ARG(p));
    for (size_t i = 0; i < p->spec.nvolumes; i++) {
        int r = str_empty(p->spec.volumes[i].claim) ? 0 : check_volume(c, p, n, &p->spec.volumes[i], err);
        if (r < 0)
            return r;
    }
    enum naive_verdict v;
    if (p->spec.gpu.kind == GPU_NONE || !p->gpu_mask)
        return 0;
    v = naive_gpu_milli(&p->spec, n) < 0 ? NAIVE_REJECTED : NAIVE_FITS;
    if (v != NAIVE_FITS || (uint32_t)__builtin_popcount(p->gpu_mask) != p->spec.gpu.count || p->gpu_mask >> n->ngpus)
        return err_set(err, E_CONFLICT, POD_FMT " with devices %x, which is not what it asked for", POD_ARG(p), p->gpu_mask);
    return 0;
}

/* --- all pods of a node ----------------------------------------------------------------------------------------------------- */
static int check_pairs(const struct checker *c, const struct placed *a, struct err *err)
{
    for (uint32_t i = a->next; i; i = c->pods.p[i - 1].next) {
        const struct placed *b = &c->pods.p[i - 1];
        if (naive_ports_conflict(&a->spec, &b->spec))
            return err_set(err, E_CONFLICT, POD_FMT " and has a host port in common with pod " STR_FMT "/" STR_FMT " there", POD_ARG(a),
                           STR_ARG(b->spec.ns), STR_ARG(b->spec.name));
        for (size_t x = 0; x < a->spec.nvolumes; x++)
            for (size_t y = 0; y < b->spec.nvolumes; y++)
                if (naive_disks_conflict(&a->spec.volumes[x], &b->spec.volumes[y]))
                    return err_set(err, E_CONFLICT, POD_FMT " and shares the disk " STR_FMT " with pod " STR_FMT "/" STR_FMT " there",
                                   POD_ARG(a), STR_ARG(a->spec.volumes[x].disk),
                                   STR_ARG(b->spec.ns), STR_ARG(b->spec.name));
    }
    return 0;
}

static int check_devices(const struct checker *c, uint32_t node, struct err *err)
{
    const struct node_spec *n = &c->nodes.p[node];
    int64_t used[GPU_MAX] = {0};
    for (uint32_t i = c->on.p[node].pod; i; i = c->pods.p[i - 1].next)
        for (uint32_t g = 0; g < GPU_MAX; g++)
            if (c->pods.p[i - 1].gpu_mask >> g & 1)
                used[g] += naive_gpu_milli(&c->pods.p[i - 1].spec, n);
    for (uint32_t g = 0; g < GPU_MAX; g++)
        if (used[g] > GPU_MILLI)
            return err_set(err, E_CONFLICT, "device %u of node " STR_FMT " is given out to %lld of 1000", g, STR_ARG(n->name), (long long)used[g]);
    return 0;
}

static int check_limits(const struct checker *c, uint32_t node, struct err *err)
{
    const struct node_spec *n = &c->nodes.p[node];
    for (size_t l = 0; l < n->nvolume_limits; l++) {
        struct map seen = MAP_INIT;
        for (uint32_t i = c->on.p[node].pod; i; i = c->pods.p[i - 1].next) {
            const struct pod_spec *p = &c->pods.p[i - 1].spec;
            for (size_t k = 0; k < p->nvolumes; k++) {
                char name[600];
                snprintf(name, sizeof name, STR_FMT "/" STR_FMT, STR_ARG(p->ns), STR_ARG(p->volumes[k].claim));
                void *claim = map_get(&c->claims, str_of(name));
                void *volume = claim ? map_get(&c->volumes, c->world.claims.p[(uintptr_t)claim - 1].volume) : NULL;
                if (volume && str_eq(c->world.volumes.p[(uintptr_t)volume - 1].driver, n->volume_limits[l].driver))
                    map_put(&seen, c->world.volumes.p[(uintptr_t)volume - 1].name, index_of(0));
            }
        }
        size_t count = seen.len;
        map_fini(&seen);
        if (count > (size_t)n->volume_limits[l].count)
            return err_set(err, E_CONFLICT, "node " STR_FMT " has %zu volumes of " STR_FMT " attached, it allows %d", STR_ARG(n->name),
                           count, STR_ARG(n->volume_limits[l].driver),
                           n->volume_limits[l].count);
    }
    return 0;
}

static int check_node(const struct checker *c, uint32_t node, struct err *err)
{
    const struct node_spec *n = &c->nodes.p[node];
    int64_t used[RES_MAX] = {0};
    bool asked[RES_MAX] = {false};
    for (uint32_t i = c->on.p[node].pod; i; i = c->pods.p[i - 1].next) {
        const struct placed *p = &c->pods.p[i - 1];
        for (size_t k = 0; k < p->spec.requests.n; k++) {
            used[p->spec.requests.p[k].id] += p->spec.requests.p[k].id == RES_PODS ? 0 : p->spec.requests.p[k].amount;
            asked[p->spec.requests.p[k].id] |= p->spec.requests.p[k].amount > 0;
        }
        used[RES_PODS]++;
        asked[RES_PODS] = true;
        int r = p->spec.nports || p->spec.nvolumes ? check_pairs(c, p, err) : 0;
        if (r < 0)
            return r;
    }
    for (uint16_t r = 0; r < RES_MAX; r++)
        if (asked[r] && used[r] > naive_capacity(n, r))
            return err_set(err, E_CONFLICT, "node " STR_FMT " has %lld of resource %u, its pods ask for %lld", STR_ARG(n->name),
                           (long long)naive_capacity(n, r), r, (long long)used[r]);
    int r = check_devices(c, node, err);
    return r < 0 ? r : check_limits(c, node, err);
}

/* --- across nodes ----------------------------------------------------------------------------------------------------------- */
static const struct keyed *key_of(struct checker *c, str key)
{
    for (size_t i = 0; i < c->keys.len; i++)
        if (str_eq(c->keys.p[i].key, key))
            return &c->keys.p[i];
    struct keyed k = {.key = key, .domain = xarray(c->nodes.len + 1, uint32_t), .ndomains = 1};
    struct map values = MAP_INIT;
    for (size_t n = 0; n < c->nodes.len; n++) {
        str value;
        if (!naive_label(c->nodes.p[n].labels, key, &value))
            continue;
        if (str_empty(value))
            value = S("\n"); /* a value like any other; the map wants a pointer that is not NULL */
        void *known = map_get(&values, value);
        k.domain[n] = known ? (uint32_t)(uintptr_t)known : k.ndomains++;
        if (!known)
            map_put(&values, value, (void *)(uintptr_t)k.domain[n]);
    }
    map_fini(&values);
    vec_push(&c->keys, k);
    return &c->keys.p[c->keys.len - 1];
}

/* Pods in each domain whose template is wanted (and that are not going, when `staying`), on nodes that are `eligible` (NULL: all). */
static uint32_t *count_domains(const struct checker *c, const struct keyed *k, const bool *wanted, bool staying, const bool *eligible)
{
    uint32_t *count = xarray(k->ndomains, uint32_t);
    for (size_t i = 0; i < c->pods.len; i++) {
        const struct placed *p = &c->pods.p[i];
        if (wanted[p->template_] && !(staying && p->spec.phase == POD_TERMINATING) && (!eligible || eligible[p->node]))
            count[k->domain[p->node]]++;
    }
    return count;
}

/* Anti-affinity: nobody else in the pod's domain matches.  Affinity: somebody, perhaps the pod itself, matches all terms there. */
static int check_terms(struct checker *c, uint32_t template_, bool anti, struct err *err)
{
    const struct placed *one = &c->pods.p[c->templates.p[template_].pod];
    const struct spec_pod_term *terms = anti ? one->spec.anti_affinity : one->spec.affinity;
    size_t nterms = anti ? one->spec.nanti_affinity : one->spec.naffinity;
    bool *wanted = xarray(c->templates.len + 1, bool);
    int r = 0;
    for (size_t t = 0; t < nterms && r == 0; t++) {
        const struct keyed *k = key_of(c, terms[t].topology_key);
        for (size_t i = 0; i < c->templates.len; i++) {
            const struct pod_spec *q = &c->pods.p[c->templates.p[i].pod].spec;
            wanted[i] = true;
            for (size_t x = anti ? t : 0; x < (anti ? t + 1 : nterms); x++)
                wanted[i] &= naive_pod_matches(&c->world, &terms[x], &one->spec, q);
        }
        uint32_t *count = count_domains(c, k, wanted, false, NULL), self = wanted[template_];
        for (size_t i = 0; i < c->pods.len && r == 0; i++) {
            const struct placed *p = &c->pods.p[i];
            uint32_t d = p->template_ == template_ ? k->domain[p->node] : 0;
            if (anti && d && count[d] > self)
                r = err_set(err, E_CONFLICT, POD_FMT ", but its anti-affinity excludes other pods of the same " STR_FMT, POD_ARG(p), STR_ARG(k->key));
            if (!anti && p->template_ == template_ && (!d || !count[d]))
                r = err_set(err, E_CONFLICT, POD_FMT ", but no pod of its affinity is in the same " STR_FMT, POD_ARG(p), STR_ARG(k->key));
        }
        free(count);
    }
    free(wanted);
    return r;
}

static bool same_selector(const struct spec_selector *a, const struct spec_selector *b)
{
    if (a->n != b->n || a->none != b->none)
        return false;
    for (size_t i = 0; i < a->n; i++) {
        const struct spec_requirement *x = &a->p[i], *y = &b->p[i];
        if (!str_eq(x->key, y->key) || x->op != y->op || x->nvalues != y->nvalues)
            return false;
        for (size_t v = 0; v < x->nvalues; v++)
            if (!str_eq(x->values[v], y->values[v]))
                return false;
    }
    return true;
}

static bool carries(const struct pod_spec *p, const struct spec_spread *s)
{
    for (size_t i = 0; i < p->nspread; i++)
        if (p->spread[i].hard && str_eq(p->spread[i].topology_key, s->topology_key) && p->spread[i].max_skew <= s->max_skew &&
            same_selector(&p->spread[i].selector, &s->selector))
            return true;
    return false;
}

static int check_spread(struct checker *c, uint32_t template_, const struct spec_spread *s, struct err *err)
{
    const struct placed *one = &c->pods.p[c->templates.p[template_].pod];
    const struct keyed *k = key_of(c, s->topology_key);
    bool *wanted = xarray(c->templates.len + 1, bool), *eligible = xarray(c->nodes.len + 1, bool),
            all_carry = naive_selects(&s->selector, one->spec.labels) && s->selector.n;
    uint32_t *nodes = xarray(k->ndomains, uint32_t), least = UINT32_MAX, most = 0, domains = 0;
    for (size_t i = 0; i < c->templates.len; i++) {
        const struct pod_spec *q = &c->pods.p[c->templates.p[i].pod].spec;
        wanted[i] = str_eq(q->ns, one->spec.ns) && naive_selects(&s->selector, q->labels);
        all_carry &= !wanted[i] || carries(q, s);
    }
    for (size_t n = 0; n < c->nodes.len; n++) {
        const struct node_spec *spec = &c->nodes.p[n];
        str value;
        eligible[n] = k->domain[n] && (s->affinity_policy == SPREAD_IGNORE || naive_node_selected(&one->spec, spec)) &&
                (s->taints_policy == SPREAD_IGNORE || !naive_no_schedule_taint(&one->spec, spec));
        for (size_t i = 0; i < one->spec.nspread; i++)
            eligible[n] &= !one->spec.spread[i].hard || naive_label(spec->labels, one->spec.spread[i].topology_key, &value);
        nodes[k->domain[n]] += eligible[n];
    }
    uint32_t *count = count_domains(c, k, wanted, true, eligible);
    for (uint32_t d = 1; d < k->ndomains; d++) {
        if (!nodes[d])
            continue;
        domains++;
        least = MIN(least, count[d]);
        most = MAX(most, count[d]);
    }
    if (domains < (uint32_t)MAX(s->min_domains, 1))
        least = 0;
    int r = 0;
    if (all_carry && most > least && most - least > (uint32_t)s->max_skew)
        r = err_set(err, E_CONFLICT, "pods like " STR_FMT "/" STR_FMT " are spread unevenly over " STR_FMT ": from %u to %u, %d apart is allowed",
                    STR_ARG(one->spec.ns), STR_ARG(one->spec.name),
                    STR_ARG(s->topology_key), least, most, s->max_skew);
    free(count);
    free(nodes);
    free(eligible);
    free(wanted);
    return r;
}

static int check_claims(const struct checker *c, struct err *err)
{
    struct map users = MAP_INIT;
    int r = 0;
    for (size_t i = 0; i < c->pods.len && r == 0; i++) {
        const struct pod_spec *p = &c->pods.p[i].spec;
        for (size_t k = 0; k < p->nvolumes && r == 0; k++) {
            char name[600];
            snprintf(name, sizeof name, STR_FMT "/" STR_FMT, STR_ARG(p->ns), STR_ARG(p->volumes[k].claim));
            struct map_entry *claim = str_empty(p->volumes[k].claim) ? NULL : map_find(&c->claims, str_of(name));
            if (!claim || !(c->world.claims.p[(uintptr_t)claim->value - 1].access_modes & 8))
                continue;
            if (map_put(&users, claim->key, index_of(i)))
                r = err_set(err, E_CONFLICT, "claim " STR_FMT " is for one pod and has several", STR_ARG(claim->key));
        }
    }
    map_fini(&users);
    return r;
}

int checker_verify(struct checker *c, struct err *err)
{
    int r = 0;
    for (size_t i = 0; i < c->pods.len && r == 0; i++)
        r = check_pod(c, &c->pods.p[i], err);
    for (uint32_t n = 0; n < c->nodes.len && r == 0; n++)
        r = check_node(c, n, err);
    for (uint32_t t = 0; t < c->templates.len && r == 0; t++) {
        const struct pod_spec one = c->pods.p[c->templates.p[t].pod].spec;
        r = check_terms(c, t, true, err);
        if (r == 0)
            r = check_terms(c, t, false, err);
        for (size_t i = 0; i < one.nspread && r == 0; i++)
            if (one.spread[i].hard)
                r = check_spread(c, t, &one.spread[i], err);
    }
    return r < 0 ? r : check_claims(c, err);
}
