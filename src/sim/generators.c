/* generators.c - the table of workloads, and the walk that turns a row into events.
 *
 * Sizes and shapes are those of kube-scheduler's benchmark (5,000 nodes of 4 cores, 32 GiB and 110 pods; pods of 100m and 500 MiB) where a row bears
 * its name; rows behind "ours" are what this project measures besides. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "base/limits.h"
#include "sim/generators_internal.h"

#define GIB (1024ll * 1024 * 1024)
#define CHURN_EVERY 700u /* measured pods between two churn steps: about the second that the original waits */

const str gen_driver = STR_INIT("ebs.csi.aws.com"), gen_extended_name = STR_INIT("example.com/device");

static gen_pod_fn *const base_mix[] = {gen_pod_default, gen_pod_affinity, gen_pod_anti_affinity, gen_pod_preferred_affinity, gen_pod_preferred_anti_affinity, NULL};

/* A row without init and measured shapes has plain pods. */
#define SHAPE(...) &(const struct gen_shape){__VA_ARGS__}
#define NODES(...) .nodes = {__VA_ARGS__}
#define INIT(fn) .init = {gen_pod_##fn, false}
#define MEASURED(fn) .measured = {gen_pod_##fn, false}
#define BOTH(fn) INIT(fn), MEASURED(fn)

const struct gen_workload gen_workloads[] = {
    {"SchedulingBasic", "plain pods", 5000, 1000, 10000, 680, GEN_ALL_PLACED, SHAPE(NODES(0))},
    {"SchedulingBasic50k", "plain pods, many", 5000, 5000, 50000, 790, GEN_ALL_PLACED, SHAPE(NODES(0))},
    {"SchedulingSecrets", "pods with secret volumes, which bind to no node", 5000, 1000, 10000, 790, GEN_ALL_PLACED, SHAPE(NODES(0))},
    {"SchedulingWithMixedChurn", "a node and a hopeless pod come and go meanwhile", 5000, 0, 10000, 710, GEN_ALL_PLACED, SHAPE(NODES(0), .churn = true)},
    {"SchedulingDaemonset", "all pods pinned to one node by name", 15000, 0, 30000, 1100, GEN_ALL_PLACED, SHAPE(NODES(.one_wide = true), MEASURED(pinned))},
    {"SchedulingWhileGated", "10,000 gated pods stand by", 1, 10000, 20000, 910, GEN_ALL_PLACED, SHAPE(NODES(.one_wide = true), INIT(gated), MEASURED(tiny))},
    {"SchedulingGatedPodsWithPodAffinity", "gated pods that carry affinity stand by", 1, 10000, 20000, 750, GEN_ALL_PLACED,
     SHAPE(NODES(.one_wide = true, .zones = 1), INIT(gated_affinity), MEASURED(tiny))},
    {"SchedulingDeletedPodsWithFinalizers", "5,000 pods are being deleted and do not go", 5000, 5000, 5000, 830, GEN_ALL_PLACED, SHAPE(NODES(0), .init_terminates = true)},
    {"SchedulingWithExtendedResource", "pods that ask for a device", 5000, 0, 5000, 180, GEN_ALL_PLACED, SHAPE(NODES(.extended = true), MEASURED(extended))},
    {"MixedSchedulingBasePod", "plain pods among pods with all kinds of affinity", 5000, 2000, 5000, 540, GEN_ALL_PLACED, SHAPE(NODES(.zones = 1), .init_mix = base_mix)},
    {"SchedulingNodeAffinity", "required node affinity to two zones", 5000, 5000, 10000, 540, GEN_ALL_PLACED, SHAPE(NODES(.zones = 2), BOTH(node_affinity))},
    {"SchedulingPodAffinity", "required pod affinity within a zone", 5000, 5000, 5000, 70, GEN_ALL_PLACED, SHAPE(NODES(.zones = 1), BOTH(affinity))},
    {"SchedulingPodAntiAffinity", "required anti-affinity on hosts", 5000, 1000, 2000, 180, GEN_ALL_PLACED, SHAPE(NODES(0), BOTH(anti_affinity))},
    {"SchedulingPodMatchingAntiAffinity", "pods that running ones refuse to stand beside", 5000, 1000, 5000, 540, GEN_ALL_PLACED, SHAPE(NODES(0), INIT(anti_affinity), MEASURED(matching))},
    {"SchedulingPreferredPodAffinity", "preferred affinity on hosts", 5000, 5000, 5000, 160, GEN_ALL_PLACED, SHAPE(NODES(0), BOTH(preferred_affinity))},
    {"SchedulingPreferredPodAntiAffinity", "preferred anti-affinity on hosts", 5000, 5000, 5000, 190, GEN_ALL_PLACED, SHAPE(NODES(0), BOTH(preferred_anti_affinity))},
    {"RequiredPodAffinityWithNSSelector", "required affinity to 50 namespaces by label", 5000, 5000, 2000, 180, GEN_ALL_PLACED,
     SHAPE(NODES(.zones = 1), BOTH(ns_affinity), .init_namespaces = 50, .measured_ns = STR_INIT("measured"))},
    {"RequiredPodAntiAffinityWithNSSelector", "required anti-affinity to 40 namespaces by label", 6000, 4000, 2000, 140, GEN_ALL_PLACED,
     SHAPE(NODES(0), BOTH(ns_anti_affinity), .init_namespaces = 40, .measured_ns = STR_INIT("measured"))},
    {"PreferredPodAffinityWithNSSelector", "preferred affinity to 50 namespaces by label", 5000, 5000, 5000, 190, GEN_ALL_PLACED,
     SHAPE(NODES(0), BOTH(ns_preferred_affinity), .init_namespaces = 50, .measured_ns = STR_INIT("measured"))},
    {"PreferredPodAntiAffinityWithNSSelector", "preferred anti-affinity to 40 namespaces by label", 5000, 4000, 2000, 180, GEN_ALL_PLACED,
     SHAPE(NODES(0), BOTH(ns_preferred_anti_affinity), .init_namespaces = 40, .measured_ns = STR_INIT("measured"))},
    {"TopologySpreading", "hard spread over 3 zones, skew 5", 5000, 5000, 5000, 460, GEN_ALL_PLACED, SHAPE(NODES(.zones = 3), MEASURED(spread_hard))},
    {"PreferredTopologySpreading", "soft spread over 3 zones", 5000, 5000, 5000, 340, GEN_ALL_PLACED, SHAPE(NODES(.zones = 3), MEASURED(spread_soft))},
    {"DefaultTopologySpreading", "pods of a service under the system's default spread", 5000, 5000, 50000, 160, GEN_ALL_PLACED, SHAPE(NODES(.zones = 3), BOTH(service))},
    {"SchedulingWithNodeInclusionPolicy", "spread over hosts that leaves tainted nodes out", 5000, 0, 4000, 270, GEN_ALL_PLACED, SHAPE(NODES(.tainted_every = 5), MEASURED(spread_taints))},
    {"SchedulingInTreePVs", "a bound volume for each pod, as many a node as one likes", 5000, 1000, 2000, 290, GEN_ALL_PLACED, SHAPE(NODES(0), .volumes = true)},
    {"SchedulingMigratedInTreePVs", "in-tree volumes that count under their CSI driver's limit", 5000, 5000, 5000, 100, GEN_ALL_PLACED, SHAPE(NODES(.volumes = 39), .volumes = true)},
    {"SchedulingCSIPVs", "a bound volume for each pod, limits a node", 5000, 5000, 5000, 100, GEN_ALL_PLACED, SHAPE(NODES(.volumes = 39), .volumes = true)},
    {"Unschedulable", "100 hopeless pods stand by", 5000, 100, 10000, 590, GEN_ALL_PLACED, SHAPE(NODES(0), INIT(large_cpu))},
    {"Unschedulable20k", "20,000 hopeless pods stand by", 5000, 20000, 10000, 600, GEN_ALL_PLACED, SHAPE(NODES(0), INIT(large_cpu))},
    {"PreemptionAsync", "full nodes; each pod evicts three of lower priority", 5000, 20000, 5000, 570, GEN_ALL_PLACED, SHAPE(NODES(0), INIT(low), MEASURED(high))},
    {"PreemptionBasic", "the same, small", 500, 2000, 500, 18, GEN_ALL_PLACED, SHAPE(NODES(0), INIT(low), MEASURED(high))},
    {"PreemptionPVs", "the same, and each pod has a volume", 500, 2000, 500, 18, GEN_ALL_PLACED, SHAPE(NODES(.volumes = 39), INIT(low), MEASURED(high), .volumes = true)},
    {"HostPortConflict", "one port, so one pod a node", 20000, 0, 20000, 0, GEN_ALL_PLACED, SHAPE(NODES(0), MEASURED(host_port))},
    {"ResourceSaturation", "each pod fills a node", 20000, 0, 20000, 0, GEN_ALL_PLACED, SHAPE(NODES(0), MEASURED(whole_node))},
    {"Gangs3", "gangs of 3", 5000, 0, 9000, 0, GEN_ALL_PLACED, SHAPE(NODES(0), .group = 3)},
    {"Gangs1000", "gangs of 1,000", 5000, 0, 9000, 0, GEN_ALL_PLACED, SHAPE(NODES(0), .group = 1000)},
    {"TopologyGangs4", "gangs of 4, each within a rack", 5000, 0, 9000, 0, GEN_ALL_PLACED, SHAPE(NODES(.per_rack = 50), .group = 4, .group_required = STR_INIT("rack"))},

    /* ours */
    {"Equal1M", "a million equal pods on larger nodes", 5000, 0, 1000000, 0, GEN_ALL_PLACED, SHAPE(NODES(.cpu = 64, .memory_gib = 256, .pods = 500))},
    {"Equal1M20k", "the same on 20,000 nodes", 20000, 0, 1000000, 0, GEN_ALL_PLACED, SHAPE(NODES(.cpu = 64, .memory_gib = 256, .pods = 500))},
    {"AllDifferent", "no two pods alike: amounts, selectors, taints", 5000, 0, 100000, 0, GEN_ALL_PLACED, SHAPE(NODES(.mixed = true), .measured = {gen_pod_different, true})},
    {"AllDifferent20k", "the same on 20,000 nodes", 20000, 0, 100000, 0, GEN_ALL_PLACED, SHAPE(NODES(.mixed = true), .measured = {gen_pod_different, true})},
    {"PreemptionHopeless", "20,000 full nodes where no eviction helps", 20000, 40000, 1000, 0, GEN_NONE_PLACED,
     SHAPE(NODES(0), .init = {gen_pod_hopeless_base, true}, .init_bound = true, MEASURED(high))},
    {"GangJobs", "4,000 gangs of 4, a quarter with GPUs, on 500 nodes", 500, 0, 16000, 0, GEN_ALL_PLACED,
     SHAPE(NODES(.cpu = 64, .memory_gib = 256, .gpus = 8), .measured = {gen_pod_gpu_job, true}, .group = 4)},
    {"GangHuge", "one gang of 10,000", 20000, 0, 10000, 0, GEN_ALL_PLACED, SHAPE(NODES(0), .group = 10000)},
    {"Running1M", "a million running pods, loaded", 20000, 1000000, 10000, 0, GEN_ALL_PLACED,
     SHAPE(NODES(.cpu = 64, .memory_gib = 256, .pods = 500), .init = {gen_pod_classes20, true}, .init_bound = true)},
    {0},
};

const struct gen_workload *gen_find(str name)
{
    for (const struct gen_workload *w = gen_workloads; w->name; w++)
        if (str_ieq(name, str_of(w->name)))
            return w;
    return NULL;
}

struct gen_scale gen_scale_of(const struct gen_workload *w)
{
    return (struct gen_scale){w->nodes, w->init, w->measured, 42};
}

/* --- nodes ------------------------------------------------------------------------------------------------------------------------------------ */

/* One of three sizes of node by turns, with a kind of disk; each tenth is dedicated. */
static void mix_node(uint32_t i, struct res_amount *r, struct spec_label *labels, struct node_spec *n)
{
    static const struct spec_taint dedicated = {STR_INIT("dedicated"), STR_INIT("batch"), TAINT_NO_SCHEDULE};
    int64_t times = i % 3 + 1;
    r[0].amount *= times;
    r[1].amount *= times;
    if (i % 4 < 3)
        labels[n->labels.n++] = (struct spec_label){S("disk"), i % 4 ? S("hdd") : S("ssd")};
    if (i % 10 == 9) {
        n->taints = &dedicated;
        n->ntaints = 1;
    }
}

static int make_node(struct gen *g, uint32_t i, str name, struct err *err)
{
    static const struct spec_taint foo = {STR_INIT("foo"), STR_INIT(""), TAINT_NO_SCHEDULE};
    const struct gen_nodes *like = &g->shape->nodes;
    struct spec_label labels[4] = {{GEN_HOST_KEY, name}};
    struct node_spec n = {.name = name, .labels = {labels, 1}};
    struct res_amount r[8] = {{RES_CPU, 1000ll * (like->cpu ? like->cpu : 4)}, {RES_MEMORY, GIB * (like->memory_gib ? like->memory_gib : 32)}, {RES_PODS, like->pods ? like->pods : 110}};
    struct spec_volume_limit limit = {gen_driver, (int32_t)like->volumes};
    size_t nr = 3;
    if (like->one_wide && i == 0)
        r[2].amount = 90000;
    if (like->zones)
        labels[n.labels.n++] = (struct spec_label){GEN_ZONE_KEY, arena_fmt(&g->scratch, "zone-%u", i % like->zones)};
    if (like->per_rack)
        labels[n.labels.n++] = (struct spec_label){S("rack"), arena_fmt(&g->scratch, "rack-%u", i / like->per_rack)};
    if (like->mixed)
        mix_node(i, r, labels, &n);
    if (like->tainted_every && i % like->tainted_every == like->tainted_every - 1) {
        n.taints = &foo;
        n.ntaints = 1;
    }
    if (like->gpus) {
        r[nr++] = (struct res_amount){RES_GPU, like->gpus};
        n.ngpus = like->gpus;
    }
    if (like->extended)
        r[nr++] = (struct res_amount){g->extended, 8};
    if (like->volumes) {
        n.volume_limits = &limit;
        n.nvolume_limits = 1;
    }
    n.allocatable = (struct res_list){r, nr};
    return g->sink->node(g->sink->arg, &n, err);
}

static int make_nodes(struct gen *g, struct err *err)
{
    int r = 0;
    if (g->shape->nodes.extended)
        r = g->sink->resource(g->sink->arg, gen_extended_name, &g->extended, err);
    for (uint32_t i = 0; r >= 0 && i < g->scale.nodes; i++) {
        r = make_node(g, i, arena_fmt(&g->scratch, "node-%u", i), err);
        arena_reset(&g->scratch);
    }
    return r;
}

/* --- what stands around pods ------------------------------------------------------------------------------------------------------------------- */

static int make_namespaces(struct gen *g, struct err *err)
{
    static const struct spec_label devops = {STR_INIT("team"), STR_INIT("devops")};
    int r = 0;
    for (uint32_t i = 0; r >= 0 && g->sink->ns && i < g->shape->init_namespaces; i++)
        r = g->sink->ns(g->sink->arg, arena_fmt(&g->arena, "init-%u", i), (struct spec_labels){&devops, 1}, err);
    if (r >= 0 && g->sink->ns && g->shape->init_namespaces)
        r = g->sink->ns(g->sink->arg, g->shape->measured_ns, (struct spec_labels){&devops, 1}, err);
    return r;
}

/* A volume, its claim, and the pod's use of it. */
static int add_volume(struct gen *g, struct pod_spec *p, struct err *err)
{
    str name = arena_fmt(&g->scratch, "vol-%u", g->pods);
    struct pv_spec pv = {.name = name, .bytes = GIB, .claim_ns = p->ns, .claim_name = name, .driver = gen_driver, .access_modes = 1};
    struct pvc_spec pvc = {.ns = p->ns, .name = name, .volume = name, .bytes = GIB, .access_modes = 1};
    struct spec_volume *v = arena_new(&g->scratch, struct spec_volume);
    v->claim = name;
    p->volumes = v;
    p->nvolumes = 1;
    int r = g->sink->pv ? g->sink->pv(g->sink->arg, &pv, err) : 0;
    return r < 0 || !g->sink->pvc ? r : g->sink->pvc(g->sink->arg, &pvc, err);
}

static int add_group(struct gen *g, uint32_t members, struct pod_spec *p, struct err *err)
{
    struct group_spec group = {.ns = p->ns, .name = p->group, .created_ns = p->created_ns};
    group.min_member = (int32_t)(g->shape->min_member ? MIN(g->shape->min_member, members) : members);
    if (g->shape->group_required.len) {
        group.required_keys = &g->shape->group_required;
        group.nrequired_keys = 1;
    }
    return g->sink->group ? g->sink->group(g->sink->arg, &group, err) : 0;
}

/* --- pods ---------------------------------------------------------------------------------------------------------------------------------------- */

struct phase {
    gen_pod_fn *make;
    bool varies, measured;
    uint32_t count;
};

/* What is different for each pod of a phase even when its shape is not. */
static int dress_pod(struct gen *g, const struct phase *ph, uint32_t i, struct pod_spec *p, struct err *err)
{
    const struct gen_shape *sh = g->shape;
    p->name = arena_fmt(&g->scratch, "pod-%u", g->pods);
    p->uid = p->name;
    p->created_ns = g->pods;
    p->ns = ph->measured ? (sh->measured_ns.len ? sh->measured_ns : S("sched-1")) : (sh->init_ns.len ? sh->init_ns : S("sched-0"));
    if (!ph->measured && sh->init_namespaces)
        p->ns = arena_fmt(&g->scratch, "init-%u", i % sh->init_namespaces);
    if (!ph->measured && sh->init_bound && g->scale.nodes) {
        p->node = arena_fmt(&g->scratch, "node-%u", (uint32_t)((uint64_t)i * g->scale.nodes / ph->count));
        p->phase = POD_BOUND;
    }
    int r = sh->volumes ? add_volume(g, p, err) : 0;
    if (r >= 0 && ph->measured && sh->group) {
        p->group = arena_fmt(&g->scratch, "gang-%u", i / sh->group);
        if (i % sh->group == 0)
            r = add_group(g, MIN(sh->group, ph->count - i), p, err);
    }
    return r;
}

static int settle(struct gen *g, struct err *err)
{
    return g->sink->settle ? g->sink->settle(g->sink->arg, err) : 0;
}

/* Every other step a node and a pod that fits nowhere come, then they go. */
static int churn(struct gen *g, uint32_t step, struct err *err)
{
    struct pod_spec p = {.ns = S("churn"), .name = S("churn-pod"), .uid = S("churn-pod"), .created_ns = g->pods, .priority = 10};
    int r = settle(g, err);
    if (r >= 0 && step % 2 == 0) {
        gen_pod_large_cpu(g, 0, &p);
        r = make_node(g, 0, S("churn-node"), err);
        return r < 0 ? r : g->sink->pod(g->sink->arg, &p, 0, err);
    }
    if (r >= 0 && g->sink->pod_delete)
        r = g->sink->pod_delete(g->sink->arg, p.ns, p.name, err);
    return r < 0 || !g->sink->node_delete ? r : g->sink->node_delete(g->sink->arg, S("churn-node"), err);
}

static int make_pods(struct gen *g, const struct phase *ph, struct err *err)
{
    const struct gen_shape *sh = g->shape;
    bool own_look = ph->varies || sh->volumes || (ph->measured ? sh->group > 0 : sh->init_namespaces || sh->init_bound);
    int r = 0;
    for (uint32_t i = 0; r >= 0 && i < ph->count; i++) {
        struct pod_spec p = {0};
        bool churns = ph->measured && sh->churn && i % CHURN_EVERY == 0 && i;
        if (churns)
            r = churn(g, i / CHURN_EVERY - 1, err);
        ph->make(g, i, &p);
        if (r >= 0)
            r = dress_pod(g, ph, i, &p, err);
        if (r >= 0)
            r = g->sink->pod(g->sink->arg, &p, (ph->measured ? GEN_MEASURED : 0u) | (i && !own_look && !churns ? GEN_LIKE_LAST : 0u), err);
        g->pods++;
        arena_reset(&g->scratch);
    }
    return r;
}

static int make_init(struct gen *g, struct err *err)
{
    const struct gen_shape *sh = g->shape;
    struct phase ph = {sh->init.make ? sh->init.make : gen_pod_default, sh->init.varies, false, g->scale.init};
    int r = sh->init_mix ? 0 : make_pods(g, &ph, err);
    for (size_t i = 0; r >= 0 && sh->init_mix && sh->init_mix[i]; i++) {
        ph.make = sh->init_mix[i];
        r = make_pods(g, &ph, err);
    }
    if (r >= 0)
        r = settle(g, err);
    for (uint32_t i = 0; r >= 0 && sh->init_terminates && g->sink->pod_terminate && i < g->scale.init; i++) {
        r = g->sink->pod_terminate(g->sink->arg, S("sched-0"), arena_fmt(&g->scratch, "pod-%u", i), err);
        arena_reset(&g->scratch);
    }
    return r;
}

int gen_run(const struct gen_workload *w, const struct gen_scale *scale, const struct gen_sink *sink, struct err *err)
{
    if (scale->nodes > LIMIT_SCHED_NODES || (uint64_t)scale->init * 5 + scale->measured > LIMIT_SCHED_PODS)
        return err_set(err, E_TOO_LARGE, "%s: at most %u nodes and %u pods", w->name, LIMIT_SCHED_NODES, LIMIT_SCHED_PODS);
    struct gen g = {.w = w, .shape = w->shape_, .scale = *scale, .sink = sink};
    struct phase measured = {g.shape->measured.make ? g.shape->measured.make : gen_pod_default, g.shape->measured.varies, true, scale->measured};
    int r = make_nodes(&g, err);
    if (r >= 0)
        r = make_namespaces(&g, err);
    if (r >= 0)
        r = make_init(&g, err);
    if (r >= 0)
        r = make_pods(&g, &measured, err);
    if (r >= 0)
        r = settle(&g, err);
    arena_fini(&g.arena);
    arena_fini(&g.scratch);
    return r;
}
