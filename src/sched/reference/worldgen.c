/* worldgen.c - random clusters and workloads for tests. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/reference/worldgen.h"

#define MIB (1024ll * 1024)
#define GIB (1024 * MIB)

const str worldgen_namespaces[3] = {STR_INIT("a"), STR_INIT("b"), STR_INIT("c")};
static const str node_keys[] = {STR_INIT("disk"), STR_INIT("topology.kubernetes.io/zone"), STR_INIT("rack"), STR_INIT("gen"),
                                STR_INIT("kubernetes.io/hostname")};
static const str disks[] = {STR_INIT("ssd"), STR_INIT("hdd"), STR_INIT("")};
static const str zones[] = {STR_INIT("z0"), STR_INIT("z1"), STR_INIT("z2")};
static const str racks[] = {STR_INIT("r0"), STR_INIT("r1"), STR_INIT("r2"), STR_INIT("r3"), STR_INIT("r4")};
static const str gens[] = {STR_INIT("1"), STR_INIT("5"), STR_INIT("9"), STR_INIT("-3"), STR_INIT("new")};
static const str apps[] = {STR_INIT("web"), STR_INIT("db"), STR_INIT("cache")};
static const str tiers[] = {STR_INIT("front"), STR_INIT("back")};
static const str taint_keys[] = {STR_INIT("gpu"), STR_INIT("team"), STR_INIT("old")};
static const str taint_values[] = {STR_INIT("only"), STR_INIT("blue"), STR_INIT("")};
static const str image_names[] = {STR_INIT("img/a:1"), STR_INIT("img/b:1"), STR_INIT("img/c:2"), STR_INIT("img/d:3")};
static const int64_t image_bytes[] = {10 * MIB, 300 * MIB, 900 * MIB, 5000 * MIB};
static const str models[] = {STR_INIT("A10"), STR_INIT("V100"), STR_INIT("T4")};
static const str drivers[] = {STR_INIT("csi.one"), STR_INIT("csi.two"), STR_INIT("kubernetes.io/no-provisioner")};
static const str class_names[] = {STR_INIT("fast"), STR_INIT("local"), STR_INIT("now")};
static const str spread_keys[] = {STR_INIT("topology.kubernetes.io/zone"), STR_INIT("rack"), STR_INIT("kubernetes.io/hostname")};

#define PICK(g, table) ((table)[worldgen_below((g), ARRAY_LEN(table))])

void worldgen_init(struct worldgen *g, uint64_t seed, uint32_t features)
{
    *g = (struct worldgen){.features = features, .arena = ARENA_INIT};
    rng_seed(&g->rng, seed);
}

void worldgen_fini(struct worldgen *g)
{
    arena_fini(&g->arena);
}

uint32_t worldgen_below(struct worldgen *g, uint32_t bound)
{
    return (uint32_t)rng_below(&g->rng, bound);
}

bool worldgen_chance(struct worldgen *g, uint32_t percent)
{
    return worldgen_below(g, 100) < percent;
}

static bool wants(struct worldgen *g, uint32_t feature, uint32_t percent)
{
    return g->features & feature && worldgen_chance(g, percent);
}

/* --- labels and selectors --------------------------------------------------------------------------------------------------- */
static str node_value(struct worldgen *g, str key)
{
    if (str_eq(key, node_keys[0]))
        return PICK(g, disks);
    if (str_eq(key, node_keys[1]))
        return PICK(g, zones);
    if (str_eq(key, node_keys[2]))
        return PICK(g, racks);
    if (str_eq(key, node_keys[3]))
        return PICK(g, gens);
    return arena_fmt(&g->arena, "n-%u", worldgen_below(g, MAX(g->nodes, 1u)));
}

static struct spec_requirement requirement(struct worldgen *g, str key, bool numbers, str (*value)(struct worldgen *g, str key))
{
    struct spec_requirement r = {.key = key, .op = (enum spec_op)worldgen_below(g, numbers ? 6 : 4)};
    r.nvalues = r.op == OP_IN || r.op == OP_NOT_IN ? 1 + worldgen_below(g, 2) : r.op >= OP_GT;
    str *values = arena_array(&g->arena, 2, str);
    for (size_t i = 0; i < r.nvalues; i++)
        values[i] = r.op >= OP_GT ? gens[worldgen_below(g, 3)] : value(g, key);
    r.values = values;
    return r;
}

static str pod_value(struct worldgen *g, str key)
{
    return str_is(key, "app") ? PICK(g, apps) : PICK(g, tiers);
}

static struct spec_selector pod_selector(struct worldgen *g)
{
    struct spec_requirement *r = arena_array(&g->arena, 2, struct spec_requirement);
    struct spec_selector s = {.p = r};
    if (worldgen_chance(g, 4))
        s.none = worldgen_chance(g, 50); /* nothing, or everything */
    else if (worldgen_chance(g, 70))
        r[s.n++] = (struct spec_requirement){S("app"), OP_IN, &apps[worldgen_below(g, ARRAY_LEN(apps))], 1};
    else
        for (uint32_t k = 0; k < 2; k++)
            if (k == 0 || worldgen_chance(g, 30))
                r[s.n++] = requirement(g, k ? S("tier") : S("app"), false, pod_value);
    return s;
}

static struct spec_labels labels(struct worldgen *g, const struct spec_label *from, size_t n)
{
    struct spec_label *p = arena_array(&g->arena, n, struct spec_label);
    if (n)
        memcpy(p, from, n * sizeof *p);
    return (struct spec_labels){p, n};
}

struct spec_labels worldgen_namespace_labels(struct worldgen *g)
{
    struct spec_label l = {S("team"), PICK(g, tiers)};
    return labels(g, &l, worldgen_chance(g, 80));
}

struct spec_node_term worldgen_node_term(struct worldgen *g, int32_t weight)
{
    struct spec_requirement *r = arena_array(&g->arena, 2, struct spec_requirement);
    struct spec_node_term t = {.weight = weight};
    t.labels.p = r;
    t.labels.n = worldgen_chance(g, 3) ? 0 : 1 + worldgen_chance(g, 25);
    for (size_t i = 0; i < t.labels.n; i++) {
        str key = PICK(g, node_keys);
        r[i] = requirement(g, key, str_is(key, "gen"), node_value);
    }
    if (wants(g, GEN_DAEMON, 10)) {
        str *name = arena_new(&g->arena, str);
        *name = node_value(g, S(""));
        struct spec_requirement *f = arena_new(&g->arena, struct spec_requirement);
        *f = (struct spec_requirement){S("metadata.name"), worldgen_chance(g, 50) ? OP_IN : OP_NOT_IN, name, 1};
        t.fields = f;
        t.nfields = 1;
    }
    return t;
}

static const struct spec_node_term *node_terms(struct worldgen *g, size_t n)
{
    struct spec_node_term *t = arena_array(&g->arena, n, struct spec_node_term);
    for (size_t i = 0; i < n; i++)
        t[i] = worldgen_node_term(g, 1 + (int32_t)worldgen_below(g, 50));
    return t;
}

/* --- nodes ------------------------------------------------------------------------------------------------------------------ */
static void node_devices(struct worldgen *g, struct node_spec *n)
{
    if (!wants(g, GEN_GPU, 60))
        return;
    n->ngpus = 1u << worldgen_below(g, 4);
    n->gpu_model = PICK(g, models);
    n->gpu_memory_mib = worldgen_chance(g, 85) ? 16384 << worldgen_below(g, 2) : 0;
}

static void node_zones(struct worldgen *g, struct node_spec *n, int64_t cpu, int64_t memory)
{
    if (!wants(g, GEN_NUMA, 70))
        return;
    n->nnuma = 2;
    struct spec_numa *z = arena_array(&g->arena, 2, struct spec_numa);
    for (uint32_t i = 0; i < 2; i++)
        z[i] = (struct spec_numa){cpu / 2, memory / 2, n->ngpus > 1 ? ((1u << n->ngpus / 2) - 1) << (i * n->ngpus / 2) : i == 0 ? n->ngpus : 0};
    n->numa = z;
    n->numa_single = worldgen_chance(g, 40);
}

static void node_extras(struct worldgen *g, struct node_spec *n)
{
    struct spec_taint *t = arena_array(&g->arena, 3, struct spec_taint);
    for (size_t k = 0; k < ARRAY_LEN(taint_keys); k++)
        if (wants(g, GEN_TAINTS, 25))
            t[n->ntaints++] = (struct spec_taint){taint_keys[k], PICK(g, taint_values), (enum taint_effect)worldgen_below(g, 3)};
    n->taints = t;
    n->unschedulable = wants(g, GEN_UNSCHEDULABLE, 15);
    struct spec_image *im = arena_array(&g->arena, 4, struct spec_image);
    for (size_t k = 0; k < ARRAY_LEN(image_names); k++)
        if (wants(g, GEN_IMAGES, 40))
            im[n->nimages++] = (struct spec_image){image_names[k], image_bytes[k]};
    n->images = im;
    struct spec_volume_limit *l = arena_array(&g->arena, 2, struct spec_volume_limit);
    for (size_t k = 0; k < 2; k++)
        if (wants(g, GEN_VOLUMES, 50))
            l[n->nvolume_limits++] = (struct spec_volume_limit){drivers[k], 1 + (int32_t)worldgen_below(g, 4)};
    n->volume_limits = l;
}

struct node_spec worldgen_node(struct worldgen *g, uint32_t i)
{
    struct node_spec n = {.name = arena_fmt(&g->arena, "n-%u", i)};
    struct spec_label l[5];
    size_t nl = 0;
    for (size_t k = 0; k < ARRAY_LEN(node_keys); k++)
        if (worldgen_chance(g, k == 4 ? 97 : 80))
            l[nl++] = (struct spec_label){node_keys[k], k == 4 ? n.name : node_value(g, node_keys[k])};
    n.labels = labels(g, l, nl);
    int64_t cpu = 1000 * (1 + (int64_t)worldgen_below(g, 8)), memory = GIB * (1 + (int64_t)worldgen_below(g, 16));
    if (worldgen_chance(g, 40)) { /* numbers that divide nothing */
        cpu += worldgen_below(g, 1000);
        memory += worldgen_below(g, 1u << 30);
    }
    struct res_amount *r = arena_array(&g->arena, 8, struct res_amount);
    size_t nr = 0;
    r[nr++] = (struct res_amount){RES_CPU, cpu};
    r[nr++] = (struct res_amount){RES_MEMORY, memory};
    r[nr++] = (struct res_amount){RES_PODS, worldgen_chance(g, 85) ? 110 : 2 + worldgen_below(g, 5)};
    if (g->features & GEN_EXTENDED)
        r[nr++] = (struct res_amount){RES_STORAGE, 10 * GIB};
    if (wants(g, GEN_EXTENDED, 60))
        r[nr++] = (struct res_amount){GEN_FOO, 1 + worldgen_below(g, 6)};
    if (wants(g, GEN_BANDWIDTH, 85)) {
        r[nr++] = (struct res_amount){RES_INGRESS, 1000000000};
        r[nr++] = (struct res_amount){RES_EGRESS, 500000000ll * (1 + worldgen_below(g, 4))};
        n.bandwidth_overcommit = worldgen_chance(g, 30) ? 1.5 : 0;
    }
    node_devices(g, &n);
    if (n.ngpus)
        r[nr++] = (struct res_amount){RES_GPU, n.ngpus};
    n.allocatable = (struct res_list){r, nr};
    node_zones(g, &n, cpu, memory);
    node_extras(g, &n);
    return n;
}

/* --- pods ------------------------------------------------------------------------------------------------------------------- */
static void pod_requests(struct worldgen *g, struct pod_spec *p)
{
    struct res_amount *r = arena_array(&g->arena, 8, struct res_amount);
    size_t n = 0;
    p->best_effort = wants(g, GEN_BEST_EFFORT, 20);
    if (!p->best_effort && worldgen_chance(g, 90))
        r[n++] = (struct res_amount){RES_CPU, worldgen_chance(g, 60) ? 50 * (1 + (int64_t)worldgen_below(g, 30)) : 1 + worldgen_below(g, 1500)};
    if (!p->best_effort && worldgen_chance(g, 90))
        r[n++] = (struct res_amount){RES_MEMORY,
                                     worldgen_chance(g, 60) ? 64 * MIB * (1 + (int64_t)worldgen_below(g, 32)) : 1 + worldgen_below(g, 1u << 31)};
    if (!p->best_effort && wants(g, GEN_EXTENDED, 30))
        r[n++] = (struct res_amount){RES_STORAGE, GIB * (1 + (int64_t)worldgen_below(g, 4))};
    if (!p->best_effort && wants(g, GEN_EXTENDED, 30))
        r[n++] = (struct res_amount){GEN_FOO, 1 + worldgen_below(g, 3)};
    if (wants(g, GEN_BANDWIDTH, 60))
        r[n++] = (struct res_amount){RES_EGRESS, 100000000ll * (1 + worldgen_below(g, 5))};
    if (wants(g, GEN_BANDWIDTH, 40))
        r[n++] = (struct res_amount){RES_INGRESS, 100000000ll * (1 + worldgen_below(g, 5))};
    if (wants(g, GEN_GPU, 60)) {
        static const str wish[] = {STR_INIT("A10"), STR_INIT("V100")};
        p->gpu.kind = (enum gpu_kind)(1 + worldgen_below(g, 3));
        p->gpu.count = worldgen_chance(g, 70) ? 1 : 2;
        p->gpu.milli = 100 * (1 + (int32_t)worldgen_below(g, 10));
        p->gpu.memory_mib = 1000 * (1 + worldgen_below(g, 20));
        p->gpu.models = wish;
        p->gpu.nmodels = worldgen_chance(g, 30) ? 1 + worldgen_below(g, 2) : 0;
        if (p->gpu.kind == GPU_WHOLE)
            r[n++] = (struct res_amount){RES_GPU, p->gpu.count};
    }
    p->requests = (struct res_list){r, n};
    p->nonzero_cpu = p->nonzero_memory = 0;
    for (size_t i = 0; i < n; i++) {
        p->nonzero_cpu += r[i].id == RES_CPU ? r[i].amount : 0;
        p->nonzero_memory += r[i].id == RES_MEMORY ? r[i].amount : 0;
    }
    if (p->nonzero_cpu == 0)
        p->nonzero_cpu = 100;
    if (p->nonzero_memory == 0)
        p->nonzero_memory = 200 * MIB;
}

static void pod_node_rules(struct worldgen *g, struct pod_spec *p)
{
    if (wants(g, GEN_NODE_SELECTOR, 25)) {
        str key = node_keys[worldgen_below(g, 3)];
        struct spec_label l = {key, node_value(g, key)};
        p->node_selector = labels(g, &l, 1);
    }
    if (wants(g, GEN_NODE_SELECTOR, 30)) {
        p->has_required = true;
        p->nrequired_terms = 1 + worldgen_below(g, 2);
        p->required_terms = node_terms(g, p->nrequired_terms);
    }
    if (wants(g, GEN_NODE_PREFERRED, 50)) {
        p->npreferred_terms = 1 + worldgen_below(g, 3);
        p->preferred_terms = node_terms(g, p->npreferred_terms);
    }
    if (wants(g, GEN_DAEMON, 10)) {
        str *name = arena_new(&g->arena, str);
        *name = node_value(g, S(""));
        struct spec_requirement *f = arena_new(&g->arena, struct spec_requirement);
        *f = (struct spec_requirement){S("metadata.name"), OP_IN, name, 1};
        struct spec_node_term *t = arena_new(&g->arena, struct spec_node_term);
        *t = (struct spec_node_term){.fields = f, .nfields = 1};
        p->has_required = p->daemon = true;
        p->required_terms = t;
        p->nrequired_terms = 1;
    }
    struct spec_toleration *t = arena_array(&g->arena, 4, struct spec_toleration);
    for (size_t k = 0; k < ARRAY_LEN(taint_keys); k++)
        if (wants(g, GEN_TAINTS, 40))
            t[p->ntolerations++] = (struct spec_toleration){taint_keys[k], (enum toleration_op)worldgen_below(g, 2), PICK(g, taint_values),
                                                            (int)worldgen_below(g, 4) - 1};
    if (wants(g, GEN_TAINTS | GEN_UNSCHEDULABLE, 10))
        t[p->ntolerations++] = (struct spec_toleration){S(""), TOLERATE_EXISTS, S(""), -1};
    p->tolerations = t;
}

/* Often ones whose hundredths are not whole in binary: 29 of 100 is 28 in kube-scheduler's arithmetic. */
static int32_t term_weight(struct worldgen *g)
{
    static const int32_t some[] = {29, 57, 58, 100, 50, 100, 71, 1};
    return worldgen_chance(g, 70) ? PICK(g, some) : 1 + (int32_t)worldgen_below(g, 100);
}

static const struct spec_pod_term *pod_terms(struct worldgen *g, size_t n)
{
    struct spec_pod_term *t = arena_array(&g->arena, n, struct spec_pod_term);
    for (size_t i = 0; i < n; i++) {
        t[i] = (struct spec_pod_term){.selector = pod_selector(g), .topology_key = PICK(g, spread_keys), .weight = term_weight(g)};
        if (worldgen_chance(g, 20)) {
            t[i].namespaces = &worldgen_namespaces[worldgen_below(g, 2)];
            t[i].nnamespaces = 1 + worldgen_below(g, 2);
        }
        if (worldgen_chance(g, 25)) {
            struct spec_requirement *r = arena_new(&g->arena, struct spec_requirement);
            *r = (struct spec_requirement){S("team"), OP_IN, &tiers[worldgen_below(g, 2)], 1};
            t[i].has_namespace_selector = true;
            t[i].namespace_selector = (struct spec_selector){r, worldgen_chance(g, 70), false};
        }
    }
    return t;
}

static void pod_peers(struct worldgen *g, struct pod_spec *p)
{
    if (wants(g, GEN_POD_REQUIRED, 20))
        p->affinity = pod_terms(g, p->naffinity = 1 + worldgen_chance(g, 30));
    if (wants(g, GEN_POD_REQUIRED, 20))
        p->anti_affinity = pod_terms(g, p->nanti_affinity = 1 + worldgen_chance(g, 30));
    if (wants(g, GEN_POD_PREFERRED, 25))
        p->preferred_affinity = pod_terms(g, p->npreferred_affinity = 1 + worldgen_below(g, 2));
    if (wants(g, GEN_POD_PREFERRED, 25))
        p->preferred_anti_affinity = pod_terms(g, p->npreferred_anti_affinity = 1 + worldgen_below(g, 2));
    struct spec_spread *s = arena_array(&g->arena, 4, struct spec_spread);
    for (int hard = 0; hard < 2; hard++)
        for (size_t k = 0; k < ARRAY_LEN(spread_keys) && p->nspread < 4; k++)
            if (wants(g, hard ? GEN_SPREAD_HARD : GEN_SPREAD_SOFT, 25))
                s[p->nspread++] = (struct spec_spread){.topology_key = spread_keys[k], .max_skew = 1 + (int32_t)worldgen_below(g, 3),
                                                       .min_domains = hard && worldgen_chance(g, 30) ? 1 + (int32_t)worldgen_below(g, 4) : 0,
                                                       .hard = hard,
                                                       .affinity_policy = (enum spread_policy)worldgen_chance(g, 30),
                                                       .taints_policy = (enum spread_policy)!worldgen_chance(g, 30), .selector = pod_selector(g)};
    p->spread = s;
    if (wants(g, GEN_SPREAD_DEFAULT, 60)) {
        struct spec_requirement *r = arena_new(&g->arena, struct spec_requirement);
        *r = (struct spec_requirement){S("app"), OP_IN, &p->labels.p[0].value, 1};
        p->default_spread_owned = p->labels.n > 0;
        p->default_spread_selector = (struct spec_selector){r, 1, false};
    }
}

static void pod_demands(struct worldgen *g, struct pod_spec *p)
{
    static const str ips[] = {STR_INIT(""), STR_INIT("0.0.0.0"), STR_INIT("10.0.0.1"), STR_INIT("10.0.0.2")};
    struct spec_port *ports = arena_array(&g->arena, 2, struct spec_port);
    for (uint32_t k = 0; k < 2; k++)
        if (wants(g, GEN_PORTS, 35))
            ports[p->nports++] = (struct spec_port){PICK(g, ips), worldgen_chance(g, 70) ? 'T' : 'U', (uint16_t)(8080 + worldgen_below(g, 3))};
    p->ports = ports;
    str *images = arena_array(&g->arena, 3, str);
    for (uint32_t k = 0; k < 3; k++)
        if (wants(g, GEN_IMAGES, 60))
            images[p->nimages++] = PICK(g, image_names);
    p->images = images;
    if (wants(g, GEN_NUMA, 40)) {
        p->numa = (enum numa_policy)worldgen_below(g, 4);
        p->guaranteed = worldgen_chance(g, 60);
    }
    if (wants(g, GEN_PRIORITY, 70))
        p->priority = 10 * (int32_t)worldgen_below(g, 4);
    p->preempt_never = wants(g, GEN_PRIORITY, 10);
    p->can_be_victim_never = wants(g, GEN_PRIORITY, 5);
}

static struct pod_spec make_pod(struct worldgen *g)
{
    struct pod_spec p = {.phase = POD_PENDING, .ns = PICK(g, worldgen_namespaces)};
    struct spec_label l[2] = {{S("app"), PICK(g, apps)}, {S("tier"), PICK(g, tiers)}};
    p.labels = labels(g, l, worldgen_chance(g, 90) ? 1 + worldgen_chance(g, 60) : 0);
    pod_requests(g, &p);
    pod_node_rules(g, &p);
    pod_peers(g, &p);
    pod_demands(g, &p);
    return p;
}

/* Claims are of one pod's namespace: the pod moves there. */
static void pod_volumes(struct worldgen *g, struct pod_spec *p)
{
    static const str inline_disks[] = {STR_INIT("gce-pd/one"), STR_INIT("aws-ebs/two"), STR_INIT("iscsi/three")};
    struct spec_volume *v = arena_array(&g->arena, 3, struct spec_volume);
    p->nvolumes = 0;
    if (worldgen_chance(g, 30))
        v[p->nvolumes++] = (struct spec_volume){.disk = PICK(g, inline_disks), .driver = worldgen_chance(g, 50) ? drivers[0] : S(""),
                                                .read_only = worldgen_chance(g, 60)};
    /* the first half of the claims is bound and may be shared, the rest waits and belongs to one pod each */
    uint32_t shared = g->nclaims / 2;
    if (shared && worldgen_chance(g, 50)) {
        uint32_t c = worldgen_below(g, shared);
        v[p->nvolumes++].claim = arena_fmt(&g->arena, "c-%u", c);
        p->ns = worldgen_namespaces[c % 3];
    } else {
        for (uint32_t k = 0; k < 2; k++)
            if (shared + g->next_claim < g->nclaims && worldgen_chance(g, 60)) {
                uint32_t c = shared + g->next_claim++;
                v[p->nvolumes++].claim = arena_fmt(&g->arena, "c-%u", c);
                p->ns = S("a");
            }
    }
    if (p->nvolumes < 3 && worldgen_chance(g, 2))
        v[p->nvolumes++].claim = S("missing");
    p->volumes = v;
}

static struct pod_spec replica(struct worldgen *g)
{
    uint32_t t = worldgen_below(g, ARRAY_LEN(g->templates));
    if (worldgen_chance(g, 25))
        return make_pod(g);
    if (t >= g->ntemplates) {
        t = g->ntemplates++;
        g->templates[t] = make_pod(g);
    }
    return g->templates[t];
}

struct pod_spec worldgen_pod(struct worldgen *g, uint32_t i)
{
    struct pod_spec p;
    if (g->row_left) {
        g->row_left--;
        p = g->last;
    } else {
        p = replica(g);
        g->last = p;
        if (worldgen_chance(g, 12))
            g->row_left = worldgen_below(g, 12);
        if (wants(g, GEN_VOLUMES, 60))
            pod_volumes(g, &p);
    }
    p.name = arena_fmt(&g->arena, "p-%u", i);
    p.uid = arena_fmt(&g->arena, "u-%u", i);
    p.created_ns = (nsec_t)i;
    return p;
}

/* --- storage ---------------------------------------------------------------------------------------------------------------- */
struct storage_class_spec worldgen_class(struct worldgen *g, uint32_t i)
{
    struct storage_class_spec c = {.name = class_names[i], .driver = drivers[i == 1 ? 2 : i == 2], .wait_for_first_consumer = i != 2};
    if (i == 0 && worldgen_chance(g, 50)) {
        struct spec_requirement *r = arena_new(&g->arena, struct spec_requirement);
        *r = (struct spec_requirement){S("topology.kubernetes.io/zone"), OP_IN, zones, 2};
        struct spec_node_term *t = arena_new(&g->arena, struct spec_node_term);
        t->labels = (struct spec_selector){r, 1, false};
        c.allowed_topologies = t;
        c.nallowed_topologies = 1;
    }
    return c;
}

struct pv_spec worldgen_pv(struct worldgen *g, uint32_t i)
{
    struct pv_spec v = {.name = arena_fmt(&g->arena, "v-%u", i), .bytes = GIB * (1 + (int64_t)worldgen_below(g, 4)),
                        .driver = drivers[worldgen_below(g, 2)]};
    v.storage_class = class_names[worldgen_below(g, 2)];
    v.access_modes = worldgen_chance(g, 70) ? 1 : 7;
    v.block = worldgen_chance(g, 10);
    if (worldgen_chance(g, 50)) {
        struct spec_label l = {S("topology.kubernetes.io/zone"), worldgen_chance(g, 30) ? S("z0__z2") : PICK(g, zones)};
        v.labels = labels(g, &l, 1);
    }
    if (worldgen_chance(g, 60)) {
        struct spec_requirement *r = arena_new(&g->arena, struct spec_requirement);
        *r = worldgen_chance(g, 50) ? (struct spec_requirement){S("topology.kubernetes.io/zone"), OP_IN, &zones[worldgen_below(g, 2)], 2}
                                    : (struct spec_requirement){S("rack"), OP_IN, &racks[worldgen_below(g, 3)], 2};
        struct spec_node_term *t = arena_new(&g->arena, struct spec_node_term);
        t->labels = (struct spec_selector){r, 1, false};
        v.node_affinity = t;
        v.nnode_affinity = 1;
        v.has_node_affinity = true;
    }
    return v;
}

/* Claims 0 .. half: bound to the volume of their number; the rest waits. */
struct pvc_spec worldgen_pvc(struct worldgen *g, uint32_t i)
{
    struct pvc_spec c = {.name = arena_fmt(&g->arena, "c-%u", i), .bytes = GIB * (1 + (int64_t)worldgen_below(g, 4)), .access_modes = 1};
    c.storage_class = class_names[worldgen_below(g, 2)];
    if (i < g->nclaims / 2) {
        c.ns = worldgen_namespaces[i % 3];
        c.volume = arena_fmt(&g->arena, "v-%u", i);
        if (worldgen_chance(g, 15))
            c.access_modes = 8;
        return c;
    }
    c.ns = S("a");
    c.block = worldgen_chance(g, 10);
    if (worldgen_chance(g, 5))
        c.storage_class = class_names[2];
    c.deleting = worldgen_chance(g, 3);
    return c;
}

struct pdb_spec worldgen_pdb(struct worldgen *g, uint32_t i)
{
    return (struct pdb_spec){.ns = PICK(g, worldgen_namespaces), .name = arena_fmt(&g->arena, "b-%u", i), .selector = pod_selector(g),
                             .disruptions_allowed = (int32_t)worldgen_below(g, 3)};
}
