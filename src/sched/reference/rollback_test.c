/* Random statements, nested, committed and rolled back: afterwards every column is as it was, and an engine that was disturbed in
 * this way decides like one that was not. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "base/test.h"
#include "sched/engine/place.h"
#include "sched/engine/statement.h"
#include "sched/reference/dump.h"
#include "sched/reference/duel.h"

struct world {
    struct duel_opts o;
    struct worldgen gen;
    struct sched *s;
    VEC(struct pod_spec) pods;
};

static void must(int r, const struct err *err)
{
    if (r < 0) {
        T_FAIL_("%s", err->msg);
        exit(1);
    }
}

/* A cluster with pods on it, of which some wait. */
static void world_init(struct world *w, uint64_t seed, uint32_t features, uint32_t nodes, uint32_t pods)
{
    struct err err = ERR_NONE;
    uint16_t foo;
    struct naive_conf conf = naive_conf_default();
    worldgen_init(&w->gen, seed, features);
    w->gen.nodes = nodes;
    w->pods.p = NULL;
    w->pods.len = w->pods.cap = 0;
    w->s = sched_new(duel_profile(&conf), seed);
    must(sched_resource_id(w->s, S("example.com/foo"), &foo, &err), &err);
    for (size_t i = 0; i < ARRAY_LEN(worldgen_namespaces); i++)
        sched_namespace_put(w->s, worldgen_namespaces[i], worldgen_namespace_labels(&w->gen));
    if (features & GEN_VOLUMES) {
        w->gen.nclaims = 20;
        for (uint32_t i = 0; i < GEN_CLASSES; i++) {
            struct storage_class_spec c = worldgen_class(&w->gen, i);
            must(sched_storage_class_put(w->s, &c, &err), &err);
        }
        for (uint32_t i = 0; i < 20; i++) {
            struct pv_spec v = worldgen_pv(&w->gen, i);
            must(sched_pv_put(w->s, &v, &err), &err);
        }
        for (uint32_t i = 0; i < 20; i++) {
            struct pvc_spec c = worldgen_pvc(&w->gen, i);
            must(sched_pvc_put(w->s, &c, &err), &err);
        }
    }
    for (uint32_t i = 0; i < nodes; i++) {
        struct node_spec n = worldgen_node(&w->gen, i);
        must(sched_node_put(w->s, &n, NULL, &err), &err);
    }
    for (uint32_t i = 0; i < pods; i++) {
        struct unit_decision d = UNIT_DECISION_INIT;
        struct pod_spec p = worldgen_pod(&w->gen, i);
        pod_id id;
        must(sched_pod_put(w->s, &p, &id, &err), &err);
        vec_push(&w->pods, p);
        if (i % 3)
            sched_place(w->s, sched_unit_of(w->s, id), (nsec_t)i * NSEC_PER_SEC, &d);
        unit_decision_fini(&d);
    }
}

static void world_fini(struct world *w)
{
    sched_free(w->s);
    worldgen_fini(&w->gen);
    vec_fini(&w->pods);
}

static pod_id random_pod(struct world *w)
{
    const struct pod_spec *p = &w->pods.p[worldgen_below(&w->gen, (uint32_t)w->pods.len)];
    return sched_pod_find(w->s, p->ns, p->name);
}

static node_id random_node(struct world *w)
{
    for (;;) {
        node_id n = worldgen_below(&w->gen, w->s->view.nnodes);
        if (node_is_alive(w->s, n))
            return n;
    }
}

static void change_something(struct world *w)
{
    struct sched *s = w->s;
    struct err err = ERR_NONE;
    pod_id p = random_pod(w);
    uint32_t what = worldgen_below(&w->gen, 100);
    if (what < 55) {
        if (pod_on_node(&s->pods[p])) {
            model_unassign(s, p);
        } else if (s->pods[p].state == PS_PENDING) {
            node_id n = random_node(w);
            if (place_fits(s, s->pods[p].class_, n))
                model_assign(s, p, n, worldgen_chance(&w->gen, 30) ? PS_NOMINATED : PS_ASSUMED, 0);
        }
    } else if (what < 80) {
        if (pod_on_node(&s->pods[p]))
            model_set_state(s, p, (enum pod_state)(PS_NOMINATED + worldgen_below(&w->gen, 4)));
    } else if (what < 90) {
        struct node_spec n = worldgen_node(&w->gen, 1000 + worldgen_below(&w->gen, 3));
        must(statement_add_nodes(s, &n, 1 + worldgen_below(&w->gen, 3), &err), &err);
    } else if (s->nalive > 2) {
        statement_remove_node(s, random_node(w));
    }
}

/* Changes inside nested statements; each inner one is committed or rolled back. */
static void disturb(struct world *w, int depth)
{
    uint32_t steps = 1 + worldgen_below(&w->gen, 6);
    for (uint32_t i = 0; i < steps; i++) {
        if (depth < 3 && worldgen_chance(&w->gen, 30)) {
            uint32_t mark = statement_begin(w->s);
            disturb(w, depth + 1);
            if (worldgen_chance(&w->gen, 50))
                statement_rollback(w->s, mark);
            else
                statement_commit(w->s, mark);
        } else {
            change_something(w);
        }
    }
}

static bool same_text(const char *what, uint64_t seed, struct strbuf *before, struct strbuf *after)
{
    str other, line = dump_difference(strbuf_str(before), strbuf_str(after), &other);
    if (str_empty(line))
        return true;
    T_FAIL_("%s, world %llu:\n# was " STR_FMT "\n# is  " STR_FMT, what, (unsigned long long)seed, STR_ARG(line), STR_ARG(other));
    return false;
}

static void rollbacks(uint32_t features, uint64_t worlds)
{
    for (uint64_t seed = 1; seed <= worlds && !test_failures_; seed++) {
        struct world w;
        world_init(&w, seed, features, 3 + (uint32_t)seed % 9, 30);
        for (int round = 0; round < 8 && !test_failures_; round++) {
            STRBUF_AUTO before = STRBUF_HEAP;
            STRBUF_AUTO after = STRBUF_HEAP;
            struct err err = ERR_NONE;
            uint64_t events = w.s->events;
            dump_state(&before, w.s, DUMP_SLOTS);
            uint32_t mark = statement_begin(w.s);
            disturb(&w, 0);
            T_NO_ERR(dump_check(w.s, &err), &err);
            statement_rollback(w.s, mark);
            T_OK(!statement_is_open(w.s));
            T_OK(w.s->events == events);
            dump_state(&after, w.s, DUMP_SLOTS);
            same_text("rollback", seed, &before, &after);
            T_NO_ERR(dump_check(w.s, &err), &err);
        }
        world_fini(&w);
    }
}

TEST(plain_worlds_are_restored)
{
    rollbacks(GEN_EXTENDED | GEN_PORTS | GEN_PRIORITY, 150);
}
TEST(devices_are_restored)
{
    rollbacks(GEN_GPU | GEN_NUMA, 150);
}
TEST(counters_are_restored)
{
    rollbacks(GEN_POD_REQUIRED | GEN_POD_PREFERRED | GEN_SPREAD_HARD | GEN_SPREAD_SOFT | GEN_SPREAD_DEFAULT, 150);
}
TEST(volumes_are_restored)
{
    rollbacks(GEN_VOLUMES | GEN_BANDWIDTH, 150);
}
TEST(everything_is_restored)
{
    rollbacks(GEN_ALL, 150);
}

/* Two engines see the same; one also imagines things between its decisions. */
TEST(imagining_changes_no_decision)
{
    for (uint64_t seed = 1; seed <= 100 && !test_failures_; seed++) {
        struct world a, b;
        uint32_t features = seed % 2 ? GEN_ALL : GEN_TAINTS | GEN_EXTENDED | GEN_IMAGES | GEN_GPU;
        world_init(&a, seed, features, 8, 20);
        world_init(&b, seed, features, 8, 20);
        struct worldgen more;
        worldgen_init(&more, seed * 77, features & ~(uint32_t)GEN_VOLUMES);
        more.nodes = 8;
        for (uint32_t i = 100; i < 130 && !test_failures_; i++) {
            struct err err = ERR_NONE;
            struct pod_spec p = worldgen_pod(&more, i);
            struct unit_decision da = UNIT_DECISION_INIT, db = UNIT_DECISION_INIT;
            pod_id ia, ib;
            must(sched_pod_put(a.s, &p, &ia, &err), &err);
            must(sched_pod_put(b.s, &p, &ib, &err), &err);
            uint32_t mark = statement_begin(a.s);
            disturb(&a, 0);
            statement_rollback(a.s, mark);
            sched_place(a.s, sched_unit_of(a.s, ia), (nsec_t)i * NSEC_PER_SEC, &da);
            sched_place(b.s, sched_unit_of(b.s, ib), (nsec_t)i * NSEC_PER_SEC, &db);
            T_EQ_INT(da.result, db.result);
            T_EQ_INT(da.placements.len, db.placements.len);
            if (da.placements.len && db.placements.len) {
                str x = sched_node_name(a.s, da.placements.p[0].node), y = sched_node_name(b.s, db.placements.p[0].node);
                if (!str_eq(x, y) || da.placements.p[0].score != db.placements.p[0].score ||
                    da.placements.p[0].gpu_mask != db.placements.p[0].gpu_mask)
                    T_FAIL_("world %llu, pod %u: " STR_FMT " with %d after imagining, " STR_FMT " with %d without",
                            (unsigned long long)seed, i, STR_ARG(x), da.placements.p[0].score, STR_ARG(y), db.placements.p[0].score);
            }
            unit_decision_fini(&da);
            unit_decision_fini(&db);
        }
        worldgen_fini(&more);
        world_fini(&a);
        world_fini(&b);
    }
}

/* A committed statement stays. */
TEST(commits_stay)
{
    struct world w;
    world_init(&w, 5, GEN_EXTENDED, 6, 20);
    for (int i = 0; i < 20; i++) {
        STRBUF_AUTO before = STRBUF_HEAP;
        STRBUF_AUTO after = STRBUF_HEAP;
        struct err err = ERR_NONE;
        uint32_t mark = statement_begin(w.s);
        for (int k = 0; k < 5; k++) {
            pod_id p = random_pod(&w);
            if (pod_on_node(&w.s->pods[p]))
                model_unassign(w.s, p);
            else if (w.s->pods[p].state == PS_PENDING)
                model_assign(w.s, p, random_node(&w), PS_ASSUMED, 0);
        }
        dump_state(&before, w.s, DUMP_SLOTS);
        statement_commit(w.s, mark);
        dump_state(&after, w.s, DUMP_SLOTS);
        same_text("commit", 5, &before, &after);
        T_NO_ERR(dump_check(w.s, &err), &err);
    }
    world_fini(&w);
}

TEST_MAIN(plain_worlds_are_restored, devices_are_restored, counters_are_restored, volumes_are_restored, everything_is_restored,
          imagining_changes_no_decision, commits_stay)
