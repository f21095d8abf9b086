/* naive.c - the naive scheduler's world and its choice of a node. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/reference/naive.h"

const char *const naive_rule_names[NAIVE_RULES] = {
    [NAIVE_NODE_NAME] = "NodeName",
    [NAIVE_UNSCHEDULABLE] = "NodeUnschedulable",
    [NAIVE_TAINTS] = "TaintToleration",
    [NAIVE_NODE_AFFINITY] = "NodeAffinity",
    [NAIVE_PORTS] = "NodePorts",
    [NAIVE_FIT] = "NodeResourcesFit",
    [NAIVE_VOLUME_RESTRICTIONS] = "VolumeRestrictions",
    [NAIVE_VOLUME_LIMITS] = "NodeVolumeLimits",
    [NAIVE_VOLUME_BINDING] = "VolumeBinding",
    [NAIVE_VOLUME_ZONE] = "VolumeZone",
    [NAIVE_SPREAD] = "PodTopologySpread",
    [NAIVE_POD_AFFINITY] = "InterPodAffinity",
    [NAIVE_BANDWIDTH] = "NodeBandwidth",
    [NAIVE_GPU] = "GpuSharing",
    [NAIVE_NUMA] = "NumaAlignment",
    [NAIVE_BALANCED] = "NodeResourcesBalancedAllocation",
    [NAIVE_IMAGES] = "ImageLocality",
};

struct naive_conf naive_conf_default(void)
{
    struct naive_conf c = {.strategy = FIT_LEAST, .formula = BALANCED_GAIN, .hard_affinity_weight = 1, .default_spread = true, .preempt = false};
    for (int r = 0; r < NAIVE_BALANCED; r++)
        c.filter[r] = true;
    c.weight[NAIVE_TAINTS] = 3;
    c.weight[NAIVE_NODE_AFFINITY] = c.weight[NAIVE_SPREAD] = c.weight[NAIVE_POD_AFFINITY] = 2;
    c.weight[NAIVE_FIT] = c.weight[NAIVE_BALANCED] = c.weight[NAIVE_IMAGES] = 1;
    c.fit[0] = c.balanced[0] = (struct naive_resource){RES_CPU, 1};
    c.fit[1] = c.balanced[1] = (struct naive_resource){RES_MEMORY, 1};
    c.nfit = c.nbalanced = 2;
    return c;
}

void naive_init(struct naive *w, const struct naive_conf *conf, uint64_t seed)
{
    *w = (struct naive){.conf = *conf, .seed = seed};
}

void naive_fini(struct naive *w)
{
    vec_fini(&w->nodes);
    vec_fini(&w->pods);
    vec_fini(&w->namespaces);
    vec_fini(&w->volumes);
    vec_fini(&w->claims);
    vec_fini(&w->classes);
    vec_fini(&w->pdbs);
}

/* --- events ----------------------------------------------------------------------------------------------------------------- */
int naive_node_find(const struct naive *w, str name)
{
    for (size_t i = 0; i < w->nodes.len; i++)
        if (w->nodes.p[i].used && str_eq(w->nodes.p[i].spec.name, name))
            return (int)i;
    return -1;
}

int naive_node_put(struct naive *w, const struct node_spec *spec)
{
    int n = naive_node_find(w, spec->name);
    if (n < 0) {
        n = (int)w->nodes.len;
        vec_push(&w->nodes, (struct naive_node){.used = true});
    }
    w->nodes.p[n].spec = *spec;
    return n;
}

void naive_node_delete(struct naive *w, str name)
{
    int n = naive_node_find(w, name);
    if (n < 0)
        return;
    for (size_t i = 0; i < w->pods.len; i++)
        if (w->pods.p[i].state != NAIVE_FREE && w->pods.p[i].node == n)
            naive_unplace(w, i);
    w->nodes.p[n].used = false;
}

int naive_pod_find(const struct naive *w, str ns, str name)
{
    for (size_t i = 0; i < w->pods.len; i++)
        if (w->pods.p[i].state != NAIVE_FREE && str_eq(w->pods.p[i].spec.ns, ns) && str_eq(w->pods.p[i].spec.name, name))
            return (int)i;
    return -1;
}

size_t naive_pod_put(struct naive *w, const struct pod_spec *spec)
{
    int found = naive_pod_find(w, spec->ns, spec->name);
    size_t p = found >= 0 ? (size_t)found : w->pods.len;
    if (found < 0)
        vec_push(&w->pods, (struct naive_pod){.state = NAIVE_PENDING, .node = -1});
    w->pods.p[p].spec = *spec;
    int n = naive_node_find(w, spec->node);
    if (n >= 0 && w->pods.p[p].node != n)
        naive_place(w, p, n, 0);
    if (n >= 0)
        w->pods.p[p].state = spec->phase == POD_TERMINATING ? NAIVE_GOING : NAIVE_ON;
    return p;
}

void naive_pod_delete(struct naive *w, size_t pod)
{
    w->pods.p[pod].state = NAIVE_FREE;
    w->pods.p[pod].node = -1;
}

void naive_unplace(struct naive *w, size_t pod)
{
    struct naive_pod *p = &w->pods.p[pod];
    p->state = NAIVE_PENDING;
    p->node = -1;
    p->gpu_mask = 0;
    p->zones = 0;
    p->nuses = 0;
}

void naive_namespace_put(struct naive *w, str name, struct spec_labels labels)
{
    for (size_t i = 0; i < w->namespaces.len; i++)
        if (str_eq(w->namespaces.p[i].name, name)) {
            w->namespaces.p[i].labels = labels;
            return;
        }
    vec_push(&w->namespaces, (struct naive_namespace){name, labels});
}

void naive_pv_put(struct naive *w, const struct pv_spec *spec)
{
    for (size_t i = 0; i < w->volumes.len; i++)
        if (str_eq(w->volumes.p[i].name, spec->name)) {
            w->volumes.p[i] = *spec;
            return;
        }
    vec_push(&w->volumes, *spec);
}

void naive_pvc_put(struct naive *w, const struct pvc_spec *spec)
{
    for (size_t i = 0; i < w->claims.len; i++)
        if (str_eq(w->claims.p[i].name, spec->name) && str_eq(w->claims.p[i].ns, spec->ns)) {
            w->claims.p[i] = *spec;
            return;
        }
    vec_push(&w->claims, *spec);
}

void naive_class_put(struct naive *w, const struct storage_class_spec *spec)
{
    for (size_t i = 0; i < w->classes.len; i++)
        if (str_eq(w->classes.p[i].name, spec->name)) {
            w->classes.p[i] = *spec;
            return;
        }
    vec_push(&w->classes, *spec);
}

void naive_pdb_put(struct naive *w, const struct pdb_spec *spec)
{
    vec_push(&w->pdbs, *spec);
}

/* --- choosing --------------------------------------------------------------------------------------------------------------- */
/* What is free on a node in one number, a whole device as much as two cpus or 16 GiB; as the best-fit rule compares it. */
static int64_t free_amount(const struct naive *w, int node)
{
    const struct node_spec *n = &w->nodes.p[node].spec;
    int64_t cpu = naive_capacity(n, RES_CPU), memory = naive_capacity(n, RES_MEMORY), gpu[GPU_MAX] = {0}, milli = 0;
    for (size_t i = 0; i < w->pods.len; i++) {
        const struct naive_pod *p = &w->pods.p[i];
        if (p->node != node || p->state < NAIVE_NOMINATED)
            continue;
        cpu -= naive_request(&p->spec, RES_CPU);
        memory -= naive_request(&p->spec, RES_MEMORY);
        for (uint32_t g = 0; g < n->ngpus; g++)
            gpu[g] += p->gpu_mask >> g & 1 ? naive_gpu_milli(&p->spec, n) : 0;
    }
    for (uint32_t g = 0; g < n->ngpus; g++)
        milli += MAX(GPU_MILLI - gpu[g], 0);
    return MIN((8 * MAX(cpu, 0) + 128 * milli + (MAX(memory, 0) >> 20)) / 16, 0xfffff);
}

/* Equal scores: the fullest where the profile says so; then the smallest rank: by name when the seed is 0, else by a hash of seed and name. */
static bool ranks_before(const struct naive *w, int a, int b)
{
    int64_t free_a = w->conf.best_fit ? free_amount(w, a) : 0, free_b = w->conf.best_fit ? free_amount(w, b) : 0;
    if (free_a != free_b)
        return free_a < free_b;
    str x = w->nodes.p[a].spec.name, y = w->nodes.p[b].spec.name;
    uint64_t hx = w->seed ? model_tie_hash(w->seed, x) : 0, hy = w->seed ? model_tie_hash(w->seed, y) : 0;
    return hx != hy ? hx < hy : str_cmp(x, y) < 0;
}

struct evaluation {
    bool *fits;
    int64_t *parts[NAIVE_RULES]; /* weighted, by node */
};

static struct evaluation evaluate(const struct naive *w, size_t pod, struct naive_choice *c)
{
    size_t n = w->nodes.len;
    struct evaluation e = {.fits = xarray(n + 1, bool)};
    for (size_t i = 0; i < n; i++) {
        if (!w->nodes.p[i].used)
            continue;
        enum naive_verdict verdict;
        enum naive_rule by = naive_check(w, pod, (int)i, &verdict);
        e.fits[i] = by == NAIVE_RULES;
        if (e.fits[i])
            c->fitting++;
        else
            c->rejected[by]++;
    }
    for (int r = 0; r < NAIVE_RULES; r++) {
        e.parts[r] = xarray(n + 1, int64_t);
        bool scores = w->conf.weight[r] && naive_score(w, pod, (enum naive_rule)r, e.fits, e.parts[r]);
        for (size_t i = 0; i < n; i++)
            e.parts[r][i] = scores ? e.parts[r][i] * w->conf.weight[r] : 0;
    }
    return e;
}

static void evaluation_fini(struct evaluation *e)
{
    free(e->fits);
    for (int r = 0; r < NAIVE_RULES; r++)
        free(e->parts[r]);
}

struct naive_choice naive_choose(const struct naive *w, size_t pod)
{
    struct naive_choice c = {.node = -1};
    struct evaluation e = evaluate(w, pod, &c);
    for (size_t i = 0; i < w->nodes.len; i++) {
        if (!e.fits[i])
            continue;
        int64_t total = 0;
        for (int r = 0; r < NAIVE_RULES; r++)
            total += e.parts[r][i];
        if (c.node < 0 || total > c.total || (total == c.total && ranks_before(w, (int)i, c.node))) {
            c.node = (int)i;
            c.total = total;
        }
    }
    for (int r = 0; r < NAIVE_RULES && c.node >= 0; r++)
        c.parts[r] = e.parts[r][c.node];
    evaluation_fini(&e);
    return c;
}

bool naive_parts(const struct naive *w, size_t pod, int node, int64_t parts[NAIVE_RULES])
{
    struct naive_choice c = {.node = -1};
    struct evaluation e = evaluate(w, pod, &c);
    bool fits = e.fits[node];
    for (int r = 0; r < NAIVE_RULES; r++)
        parts[r] = fits ? e.parts[r][node] : 0;
    evaluation_fini(&e);
    return fits;
}

void naive_place(struct naive *w, size_t pod, int node, uint16_t gpu_mask)
{
    struct naive_pod *p = &w->pods.p[pod];
    p->nuses = 0;
    if (gpu_mask == 0)
        gpu_mask = naive_devices(w, pod, node);
    naive_volumes(w, pod, node, NAIVE_VOLUME_BINDING, p);
    p->gpu_mask = gpu_mask;
    p->node = node;
    p->state = NAIVE_ON;
}
