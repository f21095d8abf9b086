/* defrag_test.c - defragmentation: who moves where, what it gains, whom it leaves alone, and that it comes to rest. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/engine/place.h"
#include "sched/policy/test_batch.h"

static struct policy_opts opts_of(uint32_t units, uint32_t pods, int runtime_s)
{
    struct policy_opts o = POLICY_OPTS_DEFAULT;
    o.defrag = (struct policy_defrag_opts){.every_ns = NSEC_PER_SEC, .units = units, .pods = pods, .hourly = 100, .min_runtime_ns = runtime_s * NSEC_PER_SEC};
    return o;
}

/* "j n1>n2; k n1>n2", in the order of the plan; on the arena. */
static str moves_text(struct batch_world *w, struct arena *a, const struct policy_moves *m)
{
    struct strbuf b = strbuf_on(a);
    for (size_t i = 0; i < m->list.len; i++) {
        const struct policy_move *x = &m->list.p[i];
        strbuf_addf(&b, "%s" STR_FMT " " STR_FMT ">" STR_FMT, i ? "; " : "", STR_ARG(sched_pod_name(w->s, x->pod)), STR_ARG(sched_node_name(w->s, x->from)), STR_ARG(sched_node_name(w->s, x->to)));
    }
    return strbuf_str(&b);
}

TEST(plans)
{
    static const struct {
        const char *name, *nodes, *queues, *units, *moves;
        uint32_t nnodes, gpus; /* whole afterwards */
    } cases[] = {
        {"one pod keeps a node from being whole", "n1 4; n2 4; n3 4", "a", "j@a 1x1 on=n1 start=10; k@a 2x1 min=1 on=n2,n2 start=10; l@a 1x1 on=n2", "j n1>n2", 2, 8},
        {"the fullest that has room", "n1 4; n2 4; n3 4", "a", "j@a 1x1 on=n1 start=10; k@a 1x2 on=n2 start=10 fixed; l@a 1x3 on=n3 start=10 fixed", "j n1>n3", 1, 6},
        {"fewer pods first", "n1 4; n2 4; n3 8", "a", "j@a 1x1 on=n1; k@a 1x1 on=n1; l@a 1x2 on=n2; m@a 1x4 on=n3 fixed", "l n2>n1", 1, 8},
        {"less work is lost", "n1 4; n2 4; n3 4", "a", "j@a 1x1 on=n1 start=10; k@a 1x1 on=n2 start=100; m@a 1x3 on=n3 fixed", "k n2>n3", 1, 7},
        {"a checkpoint counts", "n1 4; n2 4; n3 4", "a", "j@a 1x1 on=n1 start=10 saved=990; k@a 1x1 on=n2 start=100; m@a 1x3 on=n3 fixed", "j n1>n3", 1, 7},
        {"what a restart costs counts", "n1 4; n2 4; n3 4", "a", "j@a 1x1 on=n1 start=100; k@a 1x1 on=n2 start=100 cost=500; m@a 1x3 on=n3 fixed", "j n1>n3", 1, 7},
        {"no empty node is broken for it", "n1 4; n2 4", "a", "j@a 1x1 on=n1", "", 1, 7},
        {"two halves on one device", "n1 2", "a", "j@a 1x0.5 on=n1; k@a 1x0.5 on=n1; l@a 1x1 on=n1 fixed", "", 0, 0},
        {"halves of two nodes", "n1 1; n2 1", "a", "j@a 1x0.5 on=n1 start=100; k@a 1x0.5 on=n2 start=10", "j n1>n2", 1, 1},
        {"parts of two devices come together", "n1 2; n2 2", "a", "j@a 1x0.5 on=n1 start=100; k@a 1x0.5 on=n2 start=10; l@a 1x1 on=n1 fixed; m@a 1x1 on=n2 fixed", "j n1>n2", 0, 1},
        {"parts that do not fit together", "n1 1; n2 1", "a", "j@a 1x0.6 on=n1; k@a 1x0.6 on=n2", "", 0, 0},
        {"nobody moves who is not preemptible", "n1 4; n2 4", "a q=9", "j@a 1x1 on=n1 fixed; k@a 1x1 on=n2 fixed", "", 0, 6},
        {"nor who started a moment ago", "n1 4; n2 4", "a", "j@a 1x1 on=n1 start=990; k@a 1x1 on=n2 start=990", "", 0, 6},
        {"nor whom its queue protects", "n1 4; n2 4", "a pmin=2000", "j@a 1x1 on=n1 start=10; k@a 1x1 on=n2 start=10", "", 0, 6},
        {"nor a gang", "n1 4; n2 4; n3 4", "a", "j@a 2x1 on=n1,n2; k@a 1x2 on=n3 fixed", "", 0, 8},
        {"but what it can miss", "n1 4; n2 4", "a", "j@a 3x1 min=2 on=n1,n1,n2; k@a 1x1 on=n1 fixed", "j-2 n2>n1", 1, 4},
        {"not all of its surplus at once", "n1 4; n2 4; n3 4", "a", "j@a 3x1 min=2 on=n1,n2,n2; k@a 1x2 on=n1 fixed", "", 1, 7},
        {"all of what is no gang", "n1 4; n2 4", "a", "j@a 2x1 min=1 on=n1,n1; k@a 1x2 on=n2 fixed", "j-0 n1>n2; j-1 n1>n2", 1, 4},
        {"nor who wants one rack", "n1 4 rack=r; n2 4 rack=r", "a", "j@a 1x1 min=1 need=rack on=n1; k@a 1x1 min=1 need=rack on=n2", "", 0, 6},
        {"nor onto a model that its queue may have no more of", "n1 4 model=NVIDIA-A100-SXM4-80GB; n2 4 model=NVIDIA-H100-PCIe", "a H100=0:1; b", "j@a 1x1 on=n1; k@a 1x1 on=n2 fixed; m@b 1x2 on=n2 fixed", "", 0, 4},
        {"onto one that it may", "n1 4 model=NVIDIA-A100-SXM4-80GB; n2 4 model=NVIDIA-H100-PCIe", "a H100=0:2; b", "j@a 1x1 on=n1; k@a 1x1 on=n2 fixed; m@b 1x2 on=n2 fixed", "j n1>n2", 1, 4},
        {"cores count, too", "n1 4 cpu=1000; n2 4 cpu=1000", "a", "j@a 1x1 cpu=600 on=n1; k@a 1x1 cpu=600 on=n2", "", 0, 6},
        {"more pods than may be moved at a time", "n1 8; n2 8", "a", "j@a 1x1 on=n1; k@a 1x1 on=n1; l@a 1x1 on=n1; m@a 1x1 on=n1; n@a 1x1 on=n1; o@a 1x4 on=n2 fixed", "", 0, 7},
        {"large ones choose first", "n1 4; n2 4; n3 4", "a", "j@a 1x1 on=n1; k@a 1x2 on=n1; l@a 1x2 on=n2 fixed; m@a 1x3 on=n3 fixed", "k n1>n2; j n1>n3", 1, 4},
    };
    static struct batch_world w;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        ARENA_AUTO a = ARENA_INIT;
        struct policy_moves m = {0};
        struct policy_opts o = opts_of(4, 4, 60);
        batch_new(&w, cases[i].nodes, cases[i].queues, cases[i].units, &o);
        uint64_t before = batch_digest(&w);
        bool found = policy_defragment(w.p, w.now, 100, NULL, NULL, &m);
        str text = moves_text(&w, &a, &m);
        if (!str_is(text, cases[i].moves) || m.after.nodes != cases[i].nnodes || m.after.gpus != cases[i].gpus || found != (m.list.len > 0))
            T_FAIL_("%s: \"" STR_FMT "\", %u nodes and %u GPUs whole", cases[i].name, STR_ARG(text), m.after.nodes, m.after.gpus);
        T_OK(batch_digest(&w) == before && batch_check(&w));
        vec_fini(&m.list);
        batch_free(&w);
    }
}

static bool not_j(void *arg, unit_id u)
{
    struct batch_world *w = arg;
    return u != sched_unit_of(w->s, sched_pod_find(w->s, S("x"), S("j")));
}

TEST(who_calls_may_know_better)
{
    static struct batch_world w;
    ARENA_AUTO a = ARENA_INIT;
    struct policy_moves m = {0};
    struct policy_opts o = opts_of(4, 4, 60);
    batch_new(&w, "n1 4; n2 4; n3 4", "a", "j@a 1x1 on=n1 start=100; k@a 1x1 on=n2 start=10; m@a 1x3 on=n3 fixed", &o);
    T_OK(policy_defragment(w.p, w.now, 100, not_j, &w, &m));
    T_EQ_STR(moves_text(&w, &a, &m), "k n2>n3");
    T_OK(!policy_defragment(w.p, w.now, 0, NULL, NULL, &m)); /* nothing is left of the hour */
    T_EQ_INT(m.list.len, 0);
    /* somebody leaves: wait */
    model_set_state(w.s, sched_pod_find(w.s, S("x"), S("m")), PS_TERMINATING);
    T_OK(!policy_defragment(w.p, w.now, 100, NULL, NULL, &m));
    vec_fini(&m.list);
    batch_free(&w);
}

TEST(budgets_are_not_broken)
{
    static struct batch_world w;
    struct policy_moves m = {0};
    struct policy_opts o = opts_of(4, 4, 60);
    struct err err = ERR_NONE;
    batch_new(&w, "n1 4; n2 4", "a", "k@a 1x3 on=n2 fixed", &o);
    struct res_amount req[] = {{RES_CPU, 100}, {RES_GPU, 1}};
    struct spec_label label = {S("app"), S("one")};
    struct pod_spec j = {.ns = S("x"), .name = S("j"), .uid = S("j"), .queue = S("a"), .node = S("n1"), .phase = POD_BOUND, .priority = 50, .started_ns = NSEC_PER_SEC,
                         .labels = {&label, 1}, .requests = {req, 2}, .gpu = {.kind = GPU_WHOLE, .count = 1}};
    T_NO_ERR(sched_pod_put(w.s, &j, NULL, &err), &err);
    str value = S("one");
    struct spec_requirement one = {S("app"), OP_IN, &value, 1};
    struct pdb_spec b = {.ns = S("x"), .name = S("all"), .selector = {.p = &one, .n = 1}, .disruptions_allowed = 0};
    T_NO_ERR(sched_pdb_put(w.s, &b, &err), &err);
    T_OK(!policy_defragment(w.p, w.now, 100, NULL, NULL, &m));
    b.disruptions_allowed = 1;
    T_NO_ERR(sched_pdb_put(w.s, &b, &err), &err);
    T_OK(policy_defragment(w.p, w.now, 100, NULL, NULL, &m));
    vec_fini(&m.list);
    batch_free(&w);
}

/* Random worlds: every plan gains, keeps to its budget and fits; carried out one after the other they end, and what is whole never shrinks. */
TEST(it_gains_keeps_its_budget_and_comes_to_rest)
{
    static struct batch_world w;
    uint32_t plans = 0, most = 0;
    for (uint32_t seed = 1; seed <= 150; seed++) {
        struct rng r;
        rng_seed(&r, seed);
        char nodes[512] = "", units[4096] = "";
        uint32_t nnodes = 3 + (uint32_t)rng_below(&r, 6), ngpus = 0;
        for (uint32_t i = 0; i < nnodes; i++) {
            uint32_t gpus = 2u << rng_below(&r, 3);
            snprintf(nodes + strlen(nodes), sizeof nodes - strlen(nodes), "n%u %u;", i, gpus);
            ngpus += gpus;
        }
        struct policy_opts o = opts_of(1 + (uint32_t)rng_below(&r, 4), 1 + (uint32_t)rng_below(&r, 5), 0);
        static const char *const sizes[] = {"1", "1", "2", "0.5", "0.25"};
        for (uint32_t i = 0; i < 4 + rng_below(&r, 20); i++)
            snprintf(units + strlen(units), sizeof units - strlen(units), "j%u@a 1x%s%s;", i, sizes[rng_below(&r, 5)], rng_below(&r, 8) == 0 ? " soft" : "");
        /* they spread as they come, one turn each, and some end */
        batch_new(&w, nodes, "a", units, &o);
        batch_turn(&w);
        for (uint32_t i = 0; i < w.npods; i++)
            if (rng_below(&r, 3) == 0)
                sched_pod_delete(w.s, S("x"), str_of(w.pods[i].name));
        w.now += 100 * NSEC_PER_SEC;
        struct policy_moves m = {0};
        uint32_t n = 0;
        while (policy_defragment(w.p, w.now, 100, NULL, NULL, &m)) {
            struct policy_whole before, after;
            policy_whole(w.p, &before);
            T_OK(m.list.len > 0 && m.list.len <= o.defrag.pods && m.units <= o.defrag.units);
            for (size_t i = 0; i < m.list.len; i++)
                model_unassign(w.s, m.list.p[i].pod);
            for (size_t i = 0; i < m.list.len; i++) {
                T_OK(place_fits(w.s, w.s->pods[m.list.p[i].pod].class_, m.list.p[i].to));
                model_assign(w.s, m.list.p[i].pod, m.list.p[i].to, PS_BOUND, 0);
            }
            policy_whole(w.p, &after);
            T_OK(after.nodes == m.after.nodes && after.gpus == m.after.gpus);
            T_OK(after.nodes >= before.nodes && after.gpus >= before.gpus && after.nodes + after.gpus > before.nodes + before.gpus);
            if (++n > nnodes + ngpus) {
                T_FAIL_("seed %u does not come to rest", seed);
                break;
            }
            w.now += NSEC_PER_SEC;
        }
        batch_check(&w);
        T_OK(!policy_defragment(w.p, w.now, 100, NULL, NULL, &m));
        plans += n;
        most = MAX(most, n);
        vec_fini(&m.list);
        batch_free(&w);
    }
    printf("# %u plans, at most %u for a world\n", plans, most);
    T_OK(plans > 50);
}

TEST_MAIN(plans, who_calls_may_know_better, budgets_are_not_broken, it_gains_keeps_its_budget_and_comes_to_rest)
