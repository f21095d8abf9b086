/* Random events in random order: what the engine keeps step by step equals what an engine computes that is told only the end, and
 * both decide alike. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "base/test.h"
#include "sched/reference/dump.h"
#include "sched/reference/duel.h"

/* What is true at the end, to be told to the second engine. */
struct record {
    struct naive_conf conf;
    struct worldgen gen;
    struct sched *s;
    VEC(struct node_spec) nodes;
    VEC(struct pod_spec) pods; /* as last told; who is where stands in the engine */
    struct { str name; struct spec_labels labels; bool there; } namespaces[3];
    VEC(struct pv_spec) volumes;
    VEC(struct pvc_spec) claims;
    VEC(struct storage_class_spec) classes;
    nsec_t now;
    uint32_t made;
};

static void must(int r, const struct err *err)
{
    if (r < 0) {
        T_FAIL_("%s", err->msg);
        exit(1);
    }
}

static struct sched *engine_new(const struct naive_conf *conf, uint64_t seed)
{
    struct err err = ERR_NONE;
    uint16_t foo;
    struct sched *s = sched_new(duel_profile(conf), seed);
    must(sched_resource_id(s, S("example.com/foo"), &foo, &err), &err);
    return s;
}

static void record_init(struct record *r, uint64_t seed, uint32_t features)
{
    *r = (struct record){.conf = naive_conf_default(), .now = NSEC_PER_SEC};
    r->conf.preempt = false;
    worldgen_init(&r->gen, seed, features);
    r->gen.nodes = 10;
    r->gen.nclaims = features & GEN_VOLUMES ? 16 : 0;
    r->gen.next_claim = r->gen.nclaims; /* claims that wait would be bound in another order by the second engine */
    r->s = engine_new(&r->conf, seed);
}

static void record_fini(struct record *r)
{
    sched_free(r->s);
    worldgen_fini(&r->gen);
    vec_fini(&r->nodes);
    vec_fini(&r->pods);
    vec_fini(&r->volumes);
    vec_fini(&r->claims);
    vec_fini(&r->classes);
}

/* --- events ----------------------------------------------------------------------------------------------------------------- */
static void node_put(struct record *r)
{
    struct err err = ERR_NONE;
    struct node_spec n = worldgen_node(&r->gen, worldgen_below(&r->gen, r->gen.nodes));
    size_t i = 0;
    while (i < r->nodes.len && !str_eq(r->nodes.p[i].name, n.name))
        i++;
    if (i < r->nodes.len && worldgen_chance(&r->gen, 60)) { /* most updates change one thing */
        struct node_spec one = r->nodes.p[i];
        switch (worldgen_below(&r->gen, 5)) {
        case 0:
            one.labels = n.labels;
            break;
        case 1:
            one.taints = n.taints;
            one.ntaints = n.ntaints;
            break;
        case 2:
            one.allocatable = n.ngpus == one.ngpus ? n.allocatable : one.allocatable;
            break;
        case 3:
            one.images = n.images;
            one.nimages = n.nimages;
            break;
        default:
            one.unschedulable = !one.unschedulable;
        }
        n = one;
    }
    must(sched_node_put(r->s, &n, NULL, &err), &err);
    if (i < r->nodes.len)
        r->nodes.p[i] = n;
    else
        vec_push(&r->nodes, n);
}

static void node_delete(struct record *r)
{
    if (r->nodes.len < 3)
        return;
    size_t i = worldgen_below(&r->gen, (uint32_t)r->nodes.len);
    sched_node_delete(r->s, r->nodes.p[i].name);
    vec_remove(&r->nodes, i);
}

static void pod_new(struct record *r)
{
    struct err err = ERR_NONE;
    struct pod_spec p = worldgen_pod(&r->gen, r->made++);
    must(sched_pod_put(r->s, &p, NULL, &err), &err);
    vec_push(&r->pods, p);
}

static void pod_delete(struct record *r)
{
    if (!r->pods.len)
        return;
    size_t i = worldgen_below(&r->gen, (uint32_t)r->pods.len);
    sched_pod_delete(r->s, r->pods.p[i].ns, r->pods.p[i].name);
    vec_remove(&r->pods, i);
}

static void pod_decide(struct record *r)
{
    if (!r->pods.len)
        return;
    const struct pod_spec *p = &r->pods.p[worldgen_below(&r->gen, (uint32_t)r->pods.len)];
    struct unit_decision d = UNIT_DECISION_INIT;
    sched_place(r->s, sched_unit_of(r->s, sched_pod_find(r->s, p->ns, p->name)), r->now += NSEC_PER_SEC, &d);
    unit_decision_fini(&d);
}

/* Somebody says where a pod is: where we thought, or somewhere else, by force; or that it is going; or it changes. */
static void pod_told(struct record *r)
{
    if (!r->pods.len || !r->nodes.len)
        return;
    struct err err = ERR_NONE;
    struct pod_spec *p = &r->pods.p[worldgen_below(&r->gen, (uint32_t)r->pods.len)];
    pod_id id = sched_pod_find(r->s, p->ns, p->name);
    if (worldgen_chance(&r->gen, 15)) { /* its labels change */
        struct pod_spec other = worldgen_pod(&r->gen, 0);
        p->labels = other.labels;
    } else if (r->s->pods[id].state == PS_ASSUMED && worldgen_chance(&r->gen, 70)) {
        p->node = sched_node_name(r->s, r->s->pods[id].node);
        p->phase = POD_BOUND;
        for (size_t i = 0; i < r->nodes.len; i++) /* the name that lives as long as we */
            if (str_eq(r->nodes.p[i].name, p->node))
                p->node = r->nodes.p[i].name;
    } else if (p->phase == POD_BOUND) {
        p->phase = POD_TERMINATING;
    } else if (p->phase == POD_PENDING && p->gpu.kind == GPU_NONE && worldgen_chance(&r->gen, 30)) {
        p->node = worldgen_chance(&r->gen, 85) ? r->nodes.p[worldgen_below(&r->gen, (uint32_t)r->nodes.len)].name : S("n-unknown");
        p->phase = POD_BOUND;
    }
    if (p->phase != POD_PENDING)
        p->started_ns = r->now;
    must(sched_pod_put(r->s, p, NULL, &err), &err);
}

static void pod_forget(struct record *r)
{
    if (!r->pods.len)
        return;
    const struct pod_spec *p = &r->pods.p[worldgen_below(&r->gen, (uint32_t)r->pods.len)];
    pod_id id = sched_pod_find(r->s, p->ns, p->name);
    if (r->s->pods[id].state == PS_ASSUMED)
        sched_forget(r->s, id);
}

static void namespace_put(struct record *r)
{
    uint32_t i = worldgen_below(&r->gen, 3);
    r->namespaces[i].name = worldgen_namespaces[i];
    r->namespaces[i].labels = worldgen_namespace_labels(&r->gen);
    r->namespaces[i].there = worldgen_chance(&r->gen, 85);
    if (r->namespaces[i].there)
        sched_namespace_put(r->s, r->namespaces[i].name, r->namespaces[i].labels);
    else
        sched_namespace_delete(r->s, r->namespaces[i].name);
}

#define REPLACE_OR_PUSH(list, spec, equal)             \
    do {                                               \
        size_t at_ = 0;                                \
        while (at_ < (list)->len && !(equal))          \
            at_++;                                     \
        if (at_ < (list)->len)                         \
            (list)->p[at_] = (spec);                   \
        else                                           \
            vec_push(list, spec);                      \
    } while (0)

static void storage_put(struct record *r)
{
    struct err err = ERR_NONE;
    if (!(r->gen.features & GEN_VOLUMES))
        return;
    uint32_t what = worldgen_below(&r->gen, 10);
    if (what < 1) {
        struct storage_class_spec c = worldgen_class(&r->gen, worldgen_below(&r->gen, GEN_CLASSES));
        must(sched_storage_class_put(r->s, &c, &err), &err);
        REPLACE_OR_PUSH(&r->classes, c, str_eq(r->classes.p[at_].name, c.name));
    } else if (what < 5) {
        uint32_t i = worldgen_below(&r->gen, 16);
        struct pv_spec v = worldgen_pv(&r->gen, i);
        if (i < r->gen.nclaims / 2) {
            v.claim_ns = worldgen_namespaces[i % 3];
            v.claim_name = arena_fmt(&r->gen.arena, "c-%u", i);
        }
        must(sched_pv_put(r->s, &v, &err), &err);
        REPLACE_OR_PUSH(&r->volumes, v, str_eq(r->volumes.p[at_].name, v.name));
    } else if (what < 8) {
        struct pvc_spec c = worldgen_pvc(&r->gen, worldgen_below(&r->gen, r->gen.nclaims / 2));
        must(sched_pvc_put(r->s, &c, &err), &err);
        REPLACE_OR_PUSH(&r->claims, c, str_eq(r->claims.p[at_].name, c.name) && str_eq(r->claims.p[at_].ns, c.ns));
    } else if (what < 9 && r->volumes.len) {
        size_t i = worldgen_below(&r->gen, (uint32_t)r->volumes.len);
        sched_pv_delete(r->s, r->volumes.p[i].name);
        vec_remove(&r->volumes, i);
    } else if (r->claims.len) {
        size_t i = worldgen_below(&r->gen, (uint32_t)r->claims.len);
        sched_pvc_delete(r->s, r->claims.p[i].ns, r->claims.p[i].name);
        vec_remove(&r->claims, i);
    }
}

static const struct {
    uint32_t share;
    void (*event)(struct record *r);
} events[] = {{10, node_put}, {2, node_delete}, {25, pod_new}, {8, pod_delete}, {30, pod_decide}, {12, pod_told}, {3, pod_forget},
              {4, namespace_put}, {6, storage_put}};

static void random_event(struct record *r)
{
    uint32_t x = worldgen_below(&r->gen, 100), i = 0;
    for (; x >= events[i].share; i++)
        x -= events[i].share;
    events[i].event(r);
}

/* --- the second engine ------------------------------------------------------------------------------------------------------ */
static struct sched *rebuild(struct record *r, uint64_t seed)
{
    struct err err = ERR_NONE;
    struct sched *s = engine_new(&r->conf, seed);
    for (size_t i = r->nodes.len; i-- > 0;) /* another order */
        must(sched_node_put(s, &r->nodes.p[i], NULL, &err), &err);
    for (size_t i = 0; i < r->pods.len; i++) {
        struct pod_spec p = r->pods.p[i];
        const struct pod *was = &r->s->pods[sched_pod_find(r->s, p.ns, p.name)];
        uint8_t ids[GPU_MAX];
        uint32_t n = 0;
        if (was->state >= PS_ASSUMED) {
            p.node = sched_node_name(r->s, was->node);
            if (p.phase == POD_PENDING)
                p.phase = POD_BOUND;
        }
        if (was->state >= PS_ASSUMED || was->state == PS_ELSEWHERE) { /* devices are known in life, too */
            for (uint8_t g = 0; g < GPU_MAX; g++)
                if (was->gpu_mask >> g & 1)
                    ids[n++] = g;
            p.gpu_ids = n ? ids : NULL;
        }
        must(sched_pod_put(s, &p, NULL, &err), &err);
    }
    for (size_t i = 0; i < 3; i++)
        if (r->namespaces[i].there)
            sched_namespace_put(s, r->namespaces[i].name, r->namespaces[i].labels);
    for (size_t i = 0; i < r->claims.len; i++)
        must(sched_pvc_put(s, &r->claims.p[i], &err), &err);
    for (size_t i = 0; i < r->volumes.len; i++)
        must(sched_pv_put(s, &r->volumes.p[i], &err), &err);
    for (size_t i = 0; i < r->classes.len; i++)
        must(sched_storage_class_put(s, &r->classes.p[i], &err), &err);
    return s;
}

static void compare_decisions(struct record *r, struct sched *b, uint64_t seed)
{
    for (size_t i = 0; i < r->pods.len && !test_failures_; i++) {
        const struct pod_spec *p = &r->pods.p[i];
        struct unit_decision x = UNIT_DECISION_INIT, y = UNIT_DECISION_INIT;
        r->now += NSEC_PER_SEC;
        sched_place(r->s, sched_unit_of(r->s, sched_pod_find(r->s, p->ns, p->name)), r->now, &x);
        sched_place(b, sched_unit_of(b, sched_pod_find(b, p->ns, p->name)), r->now, &y);
        bool same = x.result == y.result && x.placements.len == y.placements.len && x.rejected_by == y.rejected_by;
        if (same && x.placements.len)
            same = str_eq(sched_node_name(r->s, x.placements.p[0].node), sched_node_name(b, y.placements.p[0].node)) &&
                    x.placements.p[0].score == y.placements.p[0].score &&
                   x.placements.p[0].gpu_mask == y.placements.p[0].gpu_mask;
        if (!same) {
            STRBUF_AUTO text = STRBUF_HEAP;
            duel_describe_pod(&text, p);
            T_FAIL_("world %llu: %s: step by step %d " STR_FMT " %d by %llx, from scratch %d " STR_FMT " %d by %llx",
                    (unsigned long long)seed, strbuf_cstr(&text), x.result,
                    STR_ARG(x.placements.len ? sched_node_name(r->s, x.placements.p[0].node) : S("-")),
                    x.placements.len ? x.placements.p[0].score : 0, (unsigned long long)x.rejected_by, y.result,
                    STR_ARG(y.placements.len ? sched_node_name(b, y.placements.p[0].node) : S("-")),
                    y.placements.len ? y.placements.p[0].score : 0, (unsigned long long)y.rejected_by);
        }
        unit_decision_fini(&x);
        unit_decision_fini(&y);
    }
}

static void worlds(uint32_t features, uint64_t count, uint32_t steps)
{
    uint32_t placed = 0;
    for (uint64_t seed = 1; seed <= count && !test_failures_; seed++) {
        struct record r;
        struct err err = ERR_NONE;
        record_init(&r, seed, features);
        for (uint32_t i = 0; i < steps; i++) {
            random_event(&r);
            if (i % 40 == 39)
                T_NO_ERR(dump_check(r.s, &err), &err);
        }
        T_NO_ERR(dump_check(r.s, &err), &err);
        struct sched *b = rebuild(&r, seed);
        T_NO_ERR(dump_check(b, &err), &err);
        STRBUF_AUTO one = STRBUF_HEAP;
        STRBUF_AUTO two = STRBUF_HEAP;
        int flags = DUMP_ASSUMED_IS_BOUND | DUMP_NO_ZONES;
        dump_state(&one, r.s, flags);
        dump_state(&two, b, flags);
        str other, line = dump_difference(strbuf_str(&one), strbuf_str(&two), &other);
        if (!str_empty(line))
            T_FAIL_("world %llu:\n# step by step " STR_FMT "\n# from scratch " STR_FMT, (unsigned long long)seed, STR_ARG(line), STR_ARG(other));
        compare_decisions(&r, b, seed);
        T_NO_ERR(dump_check(r.s, &err), &err);
        for (pod_id p = 1; p < r.s->npods_slots; p++)
            placed += r.s->pods[p].state >= PS_ASSUMED;
        sched_free(b);
        record_fini(&r);
    }
    T_OK(placed > count);
}

TEST(resources_and_nodes)
{
    worlds(GEN_EXTENDED | GEN_TAINTS | GEN_UNSCHEDULABLE | GEN_PORTS | GEN_BANDWIDTH, 150, 250);
}
TEST(labels_and_images)
{
    worlds(GEN_NODE_SELECTOR | GEN_NODE_PREFERRED | GEN_IMAGES | GEN_DAEMON | GEN_TAINTS, 150, 250);
}
TEST(affinity_and_spread)
{
    worlds(GEN_POD_REQUIRED | GEN_POD_PREFERRED | GEN_SPREAD_HARD | GEN_SPREAD_SOFT | GEN_SPREAD_DEFAULT | GEN_TAINTS, 150, 250);
}
TEST(volumes)
{
    worlds(GEN_VOLUMES | GEN_TAINTS, 150, 250);
}
TEST(devices)
{
    worlds(GEN_GPU | GEN_EXTENDED, 150, 250);
}
TEST(everything)
{
    worlds(GEN_ALL & ~(uint32_t)GEN_NUMA, 150, 300);
}

TEST_MAIN(resources_and_nodes, labels_and_images, affinity_and_spread, volumes, devices, everything)
