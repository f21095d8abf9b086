/* SPDX-License-Identifier: Apache-2.0 */
#include "base/test.h"
#include "sched/engine/explain.h"
#include "sched/engine/explain_nodes.h"

#define GIB (1024ll * 1024 * 1024)

static void must(int r, const struct err *err)
{
    if (r < 0) {
        T_FAIL_("%s", err->msg);
        exit(1);
    }
}

static struct sched *engine(void)
{
    return sched_new(profile_builtin(S("default")), 0);
}

static const struct res_amount small_node[] = {{RES_CPU, 4000}, {RES_MEMORY, 8 * GIB}, {RES_PODS, 110}};
#define SMALL ((struct res_list){small_node, ARRAY_LEN(small_node)})

static void add_node(struct sched *s, struct node_spec n)
{
    struct err err = ERR_NONE;
    if (!n.allocatable.n)
        n.allocatable = SMALL;
    must(sched_node_put(s, &n, NULL, &err), &err);
}

static pod_id add_pod(struct sched *s, struct pod_spec p)
{
    struct err err = ERR_NONE;
    pod_id id;
    if (str_empty(p.ns))
        p.ns = S("default");
    must(sched_pod_put(s, &p, &id, &err), &err);
    return id;
}

static struct res_list cpu_memory(struct arena *a, int64_t cpu, int64_t memory)
{
    struct res_amount *r = arena_array(a, 2, struct res_amount);
    r[0] = (struct res_amount){RES_CPU, cpu};
    r[1] = (struct res_amount){RES_MEMORY, memory};
    return (struct res_list){r, 2};
}

static const struct explain_row *row_of(const struct explanation *x, const char *text)
{
    for (uint32_t i = 0; i < x->nrows; i++)
        if (str_is(x->rows[i].text, text))
            return &x->rows[i];
    T_FAIL_("no row says '%s'; the sentence: " STR_FMT, text, STR_ARG(x->sentence));
    exit(1);
}

static struct explanation *why(struct sched *s, struct arena *a, pod_id p)
{
    return explain_waiting(s, a, sched_unit_of(s, p), 0, NULL);
}

static enum unit_result place(struct sched *s, pod_id p)
{
    struct unit_decision d = UNIT_DECISION_INIT;
    sched_place(s, sched_unit_of(s, p), NSEC_PER_SEC, &d);
    enum unit_result r = d.result;
    unit_decision_fini(&d);
    return r;
}

/* What is lent is counted against what the node says it can lend, and stands in nobody's way. */
TEST(bandwidth_is_lent)
{
    ARENA_AUTO a = ARENA_INIT;
    struct sched *s = engine();
    struct err err = ERR_NONE;
    uint16_t lent;
    must(sched_resource_id(s, S("cox.io/lent-egress-bandwidth"), &lent, &err), &err);
    struct res_amount r[] = {small_node[0], small_node[1], small_node[2], {RES_EGRESS, 1000000000}, {lent, 800000000}};
    add_node(s, (struct node_spec){.name = S("node-1"), .allocatable = {r, 5}});
    const struct res_amount all = {RES_EGRESS, 1000000000}, some = {lent, 500000000}, less = {lent, 300000000}, bit = {lent, 1};
    T_EQ_INT(place(s, add_pod(s, (struct pod_spec){.name = S("borrower"), .requests = {&some, 1}})), UNIT_PLACED);
    T_EQ_INT(place(s, add_pod(s, (struct pod_spec){.name = S("owner"), .requests = {&all, 1}})), UNIT_PLACED); /* a promise does not ask who borrows */
    pod_id more = add_pod(s, (struct pod_spec){.name = S("more"), .requests = {&some, 1}});
    T_EQ_INT(place(s, more), UNIT_REJECTED);
    struct explanation *x = why(s, &a, more);
    T_EQ_STR(x->sentence, "0/1 nodes fit: 1 lacks egress bandwidth to borrow (needs 500 Mbit/s; best free: 300 on node-1); waiting for egress bandwidth to borrow on one node");
    T_EQ_STR(str_of(x->reason), "BandwidthInsufficient");
    T_EQ_STR(x->nearest.text, "200 Mbit/s more egress bandwidth to borrow on node-1");
    T_EQ_INT(place(s, add_pod(s, (struct pod_spec){.name = S("less"), .requests = {&less, 1}})), UNIT_PLACED);
    /* the owner woke up: who is there stays, nobody comes */
    r[4].amount = 100000000;
    add_node(s, (struct node_spec){.name = S("node-1"), .allocatable = {r, 5}});
    T_EQ_INT(sched_pod_find(s, S("default"), S("borrower")) != POD_NONE, 1);
    T_EQ_INT(place(s, add_pod(s, (struct pod_spec){.name = S("bit"), .requests = {&bit, 1}})), UNIT_REJECTED);
    T_NO_ERR(model_check(s, &err), &err);
    sched_free(s);
}

TEST(the_sentence_of_the_plan)
{
    ARENA_AUTO a = ARENA_INIT;
    struct sched *s = engine();
    const struct spec_taint only = {S("gpu"), S("only"), TAINT_NO_SCHEDULE};
    for (uint32_t i = 0; i < 5000; i++) {
        struct res_amount *r = arena_array(&a, 4, struct res_amount);
        memcpy(r, small_node, sizeof small_node);
        r[3] = (struct res_amount){RES_EGRESS, 1000000000};
        struct node_spec n = {.name = arena_fmt(&a, "node-%u", i), .allocatable = {r, 4}};
        if (i >= 4800) {
            n.taints = &only;
            n.ntaints = 1;
        }
        add_node(s, n);
        const struct res_amount used = {RES_EGRESS, i == 17 ? 580000000 : 600000000};
        add_pod(s, (struct pod_spec){.name = arena_fmt(&a, "old-%u", i), .node = n.name, .phase = POD_BOUND, .requests = {&used, 1}});
    }
    const struct res_amount ask = {RES_EGRESS, 500000000};
    pod_id p = add_pod(s, (struct pod_spec){.name = S("web-1"), .requests = {&ask, 1}});
    struct unit_decision d = UNIT_DECISION_INIT;
    sched_place(s, sched_unit_of(s, p), NSEC_PER_SEC, &d);
    T_EQ_INT(d.result, UNIT_REJECTED);
    struct explanation *x = explain_waiting(s, &a, sched_unit_of(s, p), 0, &d);
    T_EQ_STR(x->sentence, "0/5000 nodes fit: 4,800 lack bandwidth (needs 500 Mbit/s; best free: 420 on node-17), 200 have taint gpu=only:NoSchedule; "
                          "waiting for bandwidth on any of 4,800 nodes");
    T_EQ_STR(str_of(x->reason), "BandwidthInsufficient");
    T_EQ_STR(x->unit, "default/web-1");
    T_EQ_INT(x->nodes, 5000);
    T_EQ_INT(x->fitting, 0);
    T_EQ_INT(x->nrows, 2);
    T_EQ_INT(x->rows[0].resource, RES_EGRESS);
    T_EQ_INT(x->rows[0].best, 420000000);
    T_EQ_STR(x->rows[1].text, "node(s) had untolerated taint {gpu: only}");
    T_OK(x->rows[1].unresolvable);
    T_OK(x->has_nearest);
    T_EQ_STR(x->nearest.text, "80 Mbit/s more egress bandwidth on node-17");
    T_EQ_INT(x->nearest.lacking, 80000000);
    T_OK(x->waits_for & EVENT_POD_FREED && x->waits_for & EVENT_NODE_ADD && x->waits_for & EVENT_NODE_TAINT);
    x = explain_waiting(s, &a, sched_unit_of(s, p), 1234, &d);
    T_OK(str_has_suffix(x->sentence, S("; number 1,234 in the queue")));
    unit_decision_fini(&d);
    sched_free(s);
}

TEST(resources_count_under_each)
{
    ARENA_AUTO a = ARENA_INIT;
    struct sched *s = engine();
    const struct res_amount full[] = {{RES_CPU, 4000}, {RES_MEMORY, 8 * GIB}, {RES_PODS, 1}};
    add_node(s, (struct node_spec){.name = S("n-1")});
    add_node(s, (struct node_spec){.name = S("n-2")});
    add_node(s, (struct node_spec){.name = S("n-3"), .allocatable = {full, 3}});
    add_pod(s, (struct pod_spec){.name = S("a"), .node = S("n-1"), .phase = POD_BOUND, .requests = cpu_memory(&a, 3500, 6 * GIB)});
    add_pod(s, (struct pod_spec){.name = S("b"), .node = S("n-2"), .phase = POD_BOUND, .requests = cpu_memory(&a, 3200, GIB)});
    add_pod(s, (struct pod_spec){.name = S("c"), .node = S("n-3"), .phase = POD_BOUND});
    struct explanation *x = why(s, &a, add_pod(s, (struct pod_spec){.name = S("p"), .requests = cpu_memory(&a, 1500, 2 * GIB + GIB / 2)}));
    const struct explain_row *cpu = row_of(x, "Insufficient cpu"), *memory = row_of(x, "Insufficient memory"), *pods = row_of(x, "Too many pods");
    T_EQ_INT(cpu->nodes, 2);
    T_EQ_INT(cpu->best, 800);
    T_EQ_STR(cpu->best_node, "n-2");
    T_EQ_INT(memory->nodes, 1);
    T_EQ_INT(memory->need, 2 * GIB + GIB / 2);
    T_EQ_INT(pods->nodes, 1);
    T_EQ_STR(x->sentence,
             "0/3 nodes fit: 2 lack cpu (needs 1500m; best free: 800m on n-2), 1 lacks memory (needs 2.5 GiB; best free: 2 on n-1), 1 has no room for more pods; "
                          "waiting for cpu and memory and room for more pods on any of 2 nodes");
    /* n-2 lacks one thing and least */
    T_EQ_STR(x->nearest.text, "700m more cpu on n-2");
    sched_free(s);
}

TEST(nearest_of_several_resources)
{
    ARENA_AUTO a = ARENA_INIT;
    struct sched *s = engine();
    add_node(s, (struct node_spec){.name = S("n-1")});
    struct explanation *x = why(s, &a, add_pod(s, (struct pod_spec){.name = S("p"), .requests = cpu_memory(&a, 5000, 16 * GIB)}));
    T_OK(x->has_nearest);
    T_EQ_INT(x->nearest.resource, RES_MEMORY);
    T_EQ_STR(x->nearest.text, "1 more cpu and 8 GiB more memory on n-1");
    T_OK(row_of(x, "Insufficient cpu")->unresolvable);
    sched_free(s);
}

/* A world in which each plugin rejects a node of its own. */
TEST(kube_schedulers_words)
{
    ARENA_AUTO a = ARENA_INIT;
    struct sched *s = engine();
    const struct spec_label disk = {S("disk"), S("ssd")}, both[] = {{S("disk"), S("ssd")}, {S("zone"), S("z1")}}, app = {S("app"), S("web")};
    const struct spec_port port = {S(""), 'T', 80};
    const struct spec_taint going = {S("node.kubernetes.io/not-ready"), S(""), TAINT_NO_EXECUTE};
    add_node(s, (struct node_spec){.name = S("cordoned"), .unschedulable = true, .labels = {&disk, 1}});
    add_node(s, (struct node_spec){.name = S("tainted"), .taints = &going, .ntaints = 1, .labels = {&disk, 1}});
    add_node(s, (struct node_spec){.name = S("plain")});
    add_node(s, (struct node_spec){.name = S("port"), .labels = {&disk, 1}});
    add_node(s, (struct node_spec){.name = S("no-key"), .labels = {&disk, 1}});
    add_node(s, (struct node_spec){.name = S("anti"), .labels = {both, 2}});
    add_pod(s, (struct pod_spec){.name = S("other"), .node = S("port"), .phase = POD_BOUND, .ports = &port, .nports = 1});
    add_pod(s, (struct pod_spec){.name = S("web"), .node = S("anti"), .phase = POD_BOUND, .labels = {&app, 1}});
    str web = S("web");
    const struct spec_requirement is_web = {S("app"), OP_IN, &web, 1};
    const struct spec_pod_term anti = {.selector = {&is_web, 1, false}, .topology_key = S("zone")};
    const struct spec_spread spread = {.topology_key = S("zone"), .max_skew = 5, .hard = true, .taints_policy = SPREAD_IGNORE,
                                       .selector = {&is_web, 1, false}};
    pod_id p = add_pod(s, (struct pod_spec){.name = S("p"), .node_selector = {&disk, 1}, .ports = &port, .nports = 1,
                                            .anti_affinity = &anti, .nanti_affinity = 1, .spread = &spread, .nspread = 1});
    struct explanation *x = why(s, &a, p);
    static const char *const texts[] = {"node(s) were unschedulable", "node(s) had untolerated taint {node.kubernetes.io/not-ready: }",
                                        "node(s) didn't match Pod's node affinity/selector",
                                        "node(s) didn't have free ports for the requested pod ports", "node(s) didn't match pod topology spread constraints (missing required label)",
                                        "node(s) didn't match pod anti-affinity rules"};
    for (size_t i = 0; i < ARRAY_LEN(texts); i++)
        T_EQ_INT(row_of(x, texts[i])->nodes, 1);
    T_EQ_INT(x->nrows, ARRAY_LEN(texts));
    T_OK(str_find(x->sentence, S("1 has taint node.kubernetes.io/not-ready:NoExecute")) > 0);
    T_OK(str_find(x->sentence, S("1 didn't match Pod's node affinity/selector")) > 0);
    T_OK(str_find(x->sentence, S("; waiting for a new node")) > 0);
    T_OK(!x->has_nearest || x->nearest.resource == RES_MAX);
    sched_free(s);
}

TEST(claims_are_named)
{
    ARENA_AUTO a = ARENA_INIT;
    struct sched *s = engine();
    add_node(s, (struct node_spec){.name = S("n-1")});
    const struct spec_volume v = {.claim = S("data")};
    struct explanation *x = why(s, &a, add_pod(s, (struct pod_spec){.name = S("p"), .volumes = &v, .nvolumes = 1}));
    T_EQ_INT(x->nrows, 1);
    T_EQ_STR(x->rows[0].text, "persistentvolumeclaim \"data\" not found");
    T_OK(str_has_prefix(x->sentence, S("0/1 nodes fit: 1 (persistentvolumeclaim \"data\" not found); waiting for ")));
    T_OK(x->waits_for & EVENT_VOLUME);
    sched_free(s);
}

TEST(a_toleration_may_be_nearest)
{
    ARENA_AUTO a = ARENA_INIT;
    struct sched *s = engine();
    const struct spec_taint only = {S("gpu"), S("only"), TAINT_NO_SCHEDULE};
    add_node(s, (struct node_spec){.name = S("n-1"), .taints = &only, .ntaints = 1});
    struct explanation *x = why(s, &a, add_pod(s, (struct pod_spec){.name = S("p")}));
    T_EQ_STR(x->nearest.text, "a toleration for taint gpu=only:NoSchedule of n-1");
    T_EQ_INT(x->nearest.resource, RES_MAX);
    sched_free(s);
}

TEST(devices_are_told)
{
    ARENA_AUTO a = ARENA_INIT;
    struct sched *s = engine();
    add_node(s, (struct node_spec){.name = S("none")});
    add_node(s, (struct node_spec){.name = S("full"), .ngpus = 1, .gpu_model = S("A10")});
    add_node(s, (struct node_spec){.name = S("other"), .ngpus = 1, .gpu_model = S("T4")});
    const struct gpu_request most = {.kind = GPU_FRACTION, .count = 1, .milli = 700};
    const str a10 = S("A10");
    add_pod(s, (struct pod_spec){.name = S("x"), .node = S("full"), .phase = POD_BOUND, .gpu = most});
    struct gpu_request half = {.kind = GPU_FRACTION, .count = 1, .milli = 500, .models = &a10, .nmodels = 1};
    struct explanation *x = why(s, &a, add_pod(s, (struct pod_spec){.name = S("p"), .gpu = half}));
    T_EQ_INT(row_of(x, "node(s) had no GPU")->nodes, 1);
    T_EQ_INT(row_of(x, "node(s) had GPU model T4")->nodes, 1);
    T_EQ_INT(x->nrows, 3);
    T_OK(str_find(x->sentence, S("1 lacks GPU: ")) > 0);
    T_OK(str_find(x->sentence, S(" (best free: 0 on full)")) > 0);
    sched_free(s);
}

TEST(rows_are_bounded)
{
    ARENA_AUTO a = ARENA_INIT;
    struct sched *s = engine();
    for (uint32_t i = 0; i < 60; i++) {
        struct spec_taint *t = arena_new(&a, struct spec_taint);
        *t = (struct spec_taint){S("k"), arena_fmt(&a, "v%u", i % 40), TAINT_NO_SCHEDULE};
        add_node(s, (struct node_spec){.name = arena_fmt(&a, "n-%u", i), .taints = t, .ntaints = 1});
    }
    struct explanation *x = why(s, &a, add_pod(s, (struct pod_spec){.name = S("p")}));
    uint32_t sum = 0;
    for (uint32_t i = 0; i < x->nrows; i++)
        sum += x->rows[i].nodes;
    T_EQ_INT(x->nrows, EXPLAIN_ROWS);
    T_EQ_INT(sum, 60);
    T_EQ_INT(x->rows[0].nodes, 2);
    T_EQ_STR(x->rows[EXPLAIN_ROWS - 1].text, "node(s) had other reasons");
    sched_free(s);
}

TEST(preemption_is_told)
{
    ARENA_AUTO a = ARENA_INIT;
    struct sched *s = engine();
    add_node(s, (struct node_spec){.name = S("n-1")});
    for (int i = 0; i < 3; i++)
        add_pod(s, (struct pod_spec){.name = arena_fmt(&a, "low-%d", i), .node = S("n-1"), .phase = POD_BOUND, .priority = 1,
                                     .requests = cpu_memory(&a, 1200, GIB)});
    pod_id high = add_pod(s, (struct pod_spec){.name = S("high"), .priority = 10, .requests = cpu_memory(&a, 2500, GIB)});
    T_EQ_STR(why(s, &a, high)->preemption, "could evict 2 pods on n-1");
    pod_id never = add_pod(s, (struct pod_spec){.name = S("never"), .priority = 10, .preempt_never = true, .requests = cpu_memory(&a, 2500, GIB)});
    T_EQ_STR(why(s, &a, never)->preemption, "not tried: preemptionPolicy is Never");
    pod_id low = add_pod(s, (struct pod_spec){.name = S("low"), .priority = 1, .requests = cpu_memory(&a, 2500, GIB)});
    struct explanation *x = why(s, &a, low);
    T_EQ_STR(x->preemption, "No preemption victims found: evicting every pod of lower priority makes too little room on 1 node");
    T_OK(str_find(x->sentence, S("preemption")) < 0);
    struct unit_decision d = UNIT_DECISION_INIT;
    sched_place(s, sched_unit_of(s, high), NSEC_PER_SEC, &d);
    T_EQ_INT(d.result, UNIT_PREEMPTING);
    x = explain_waiting(s, &a, sched_unit_of(s, high), 0, &d);
    T_EQ_INT(x->result, UNIT_PREEMPTING);
    T_EQ_STR(x->preemption, "evicts 2 pods on n-1");
    T_OK(str_has_suffix(x->sentence, S("; preemption evicts 2 pods on n-1; waiting for its victims to go")));
    unit_decision_fini(&d);
    sched_free(s);
}

/* Pods that leave of their own accord are enough for a gang: it evicts nobody, and is told what it lacks until they are gone. */
TEST(room_that_is_leaving)
{
    ARENA_AUTO a = ARENA_INIT;
    struct sched *s = engine();
    struct err err = ERR_NONE;
    unit_id u;
    add_node(s, (struct node_spec){.name = S("n-1")});
    add_node(s, (struct node_spec){.name = S("n-2")});
    for (int i = 1; i <= 2; i++)
        add_pod(s, (struct pod_spec){.name = arena_fmt(&a, "old-%d", i), .node = arena_fmt(&a, "n-%d", i), .phase = POD_TERMINATING, .priority = 1, .requests = cpu_memory(&a, i == 1 ? 3000 : 100, GIB)});
    must(sched_group_put(s, &(struct group_spec){.ns = S("default"), .name = S("job"), .min_member = 2}, &u, &err), &err);
    add_pod(s, (struct pod_spec){.name = S("m-0"), .group = S("job"), .requests = cpu_memory(&a, 2500, GIB)});
    add_pod(s, (struct pod_spec){.name = S("m-1"), .group = S("job"), .requests = cpu_memory(&a, 2500, GIB)});
    struct unit_decision d = UNIT_DECISION_INIT;
    sched_place(s, u, NSEC_PER_SEC, &d);
    T_EQ_INT(d.result, UNIT_PREEMPTING);
    T_EQ_INT(d.victims.len, 0);
    struct explanation *x = explain_waiting(s, &a, u, 0, &d);
    T_EQ_STR(x->preemption, "");
    T_EQ_STR(x->sentence, "1 of 2 members find room; default/m-1: 0/2 nodes fit: 2 lack cpu (needs 2500m; best free: 1400m on n-2); waiting for cpu on any of 2 nodes; pods that are leaving make enough room");
    T_NO_ERR(model_check(s, &err), &err);
    pod_id late = add_pod(s, (struct pod_spec){.name = S("late"), .requests = cpu_memory(&a, 2500, GIB)});
    T_EQ_INT(place(s, late), UNIT_REJECTED);
    T_EQ_STR(explain_holders(s, &a, sched_node_find(s, S("n-1")), RES_CPU, late), "held by old-1 (3), m-1 (2500m)"); /* who is to have it next is named, too */
    unit_decision_fini(&d);
    sched_free(s);
}

TEST(gangs_gates_and_nothing)
{
    ARENA_AUTO a = ARENA_INIT;
    struct sched *s = engine();
    struct err err = ERR_NONE;
    unit_id u;
    add_node(s, (struct node_spec){.name = S("n-1")});
    must(sched_group_put(s, &(struct group_spec){.ns = S("default"), .name = S("job"), .min_member = 3}, &u, &err), &err);
    add_pod(s, (struct pod_spec){.name = S("m-0"), .group = S("job"), .requests = cpu_memory(&a, 3000, GIB)});
    struct explanation *x = explain_waiting(s, &a, u, 0, NULL);
    T_EQ_INT(x->result, UNIT_INCOMPLETE);
    T_EQ_STR(x->sentence, "1 of at least 3 members created; waiting for 2 more");
    T_OK(x->waits_for == EVENT_GROUP);
    add_pod(s, (struct pod_spec){.name = S("m-1"), .group = S("job"), .requests = cpu_memory(&a, 3000, GIB)});
    pod_id last = add_pod(s, (struct pod_spec){.name = S("m-2"), .group = S("job"), .requests = cpu_memory(&a, 5000, GIB)});
    struct unit_decision d = UNIT_DECISION_INIT;
    sched_place(s, u, NSEC_PER_SEC, &d);
    T_EQ_INT(d.result, UNIT_REJECTED);
    x = explain_waiting(s, &a, u, 0, &d);
    T_EQ_STR(x->unit, "default/job");
    T_EQ_INT(x->created, 3);
    T_EQ_INT(x->min_member, 3);
    T_EQ_STR(x->pod, "default/m-2"); /* the others have room */
    T_OK(str_has_prefix(x->sentence, S("1 of 3 members find room; default/m-2: 0/1 nodes fit: 1 lacks cpu (needs 5; best free: 1 on n-1)")));
    (void)last;
    unit_decision_fini(&d);
    pod_id gated = add_pod(s, (struct pod_spec){.name = S("gated"), .gates = 1});
    x = why(s, &a, gated);
    T_EQ_INT(x->result, UNIT_GATED);
    T_EQ_STR(x->sentence, "held by scheduling gates; waiting for them to be removed");
    pod_id bound = add_pod(s, (struct pod_spec){.name = S("bound"), .node = S("n-1"), .phase = POD_BOUND});
    T_EQ_STR(why(s, &a, bound)->sentence, "no pod of it is waiting");
    pod_id fits = add_pod(s, (struct pod_spec){.name = S("fits")});
    T_EQ_STR(explain_waiting(s, &a, sched_unit_of(s, fits), 2, NULL)->sentence, "1/1 nodes fit now; number 2 in the queue");
    sched_free(s);
}

static unit_id gang(struct sched *s, struct arena *a, const char *name, uint32_t members, int64_t cpu, const char *key)
{
    struct err err = ERR_NONE;
    unit_id u;
    str keys[1] = {str_of(key ? key : "")};
    must(sched_group_put(s, &(struct group_spec){.ns = S("default"), .name = str_of(name), .min_member = (int32_t)members, .required_keys = keys, .nrequired_keys = key != NULL}, &u, &err), &err);
    for (uint32_t i = 0; i < members; i++)
        add_pod(s, (struct pod_spec){.name = arena_fmt(a, "%s-%u", name, i), .group = str_of(name), .requests = cpu_memory(a, cpu, GIB)});
    return u;
}

/* Nobody waits for room on a node that would be too small if it were empty. */
TEST(too_small_nodes_are_not_waited_for)
{
    ARENA_AUTO a = ARENA_INIT;
    struct sched *s = engine();
    add_node(s, (struct node_spec){.name = S("n-1")});
    add_node(s, (struct node_spec){.name = S("n-2")});
    pod_id p = add_pod(s, (struct pod_spec){.name = S("huge"), .requests = cpu_memory(&a, 5000, GIB)});
    struct explanation *x = why(s, &a, p);
    T_EQ_STR(x->sentence, "0/2 nodes fit: 2 lack cpu (needs 5; best free: 4 on n-1); waiting for a new node, a node that grows or a change of the pod itself");
    T_OK(x->rows[0].unresolvable && x->rows[0].hopeful == 0);
    add_node(s, (struct node_spec){.name = S("n-3"), .allocatable = cpu_memory(&a, 8000, 64 * GIB)});
    add_pod(s, (struct pod_spec){.name = S("there"), .node = S("n-3"), .phase = POD_BOUND, .requests = cpu_memory(&a, 4000, GIB)});
    x = why(s, &a, p);
    T_OK(strstr(arena_cstr(&a, x->sentence), "waiting for cpu on one node") != NULL);
    sched_free(s);
}

/* Each member alone would fit; all together they do not. */
TEST(a_gang_says_how_far_it_comes)
{
    ARENA_AUTO a = ARENA_INIT;
    struct sched *s = engine();
    struct spec_label r1 = {S("rack"), S("r1")}, r2 = {S("rack"), S("r2")};
    add_node(s, (struct node_spec){.name = S("n-1"), .labels = {&r1, 1}});
    add_node(s, (struct node_spec){.name = S("n-2"), .labels = {&r2, 1}});
    add_node(s, (struct node_spec){.name = S("n-3"), .labels = {&r2, 1}});
    struct explanation *x = explain_waiting(s, &a, gang(s, &a, "all", 4, 3000, NULL), 0, NULL);
    T_EQ_INT(x->result, UNIT_REJECTED);
    T_EQ_INT(x->room, 3);
    T_EQ_INT(x->need, 4);
    T_OK(str_has_prefix(x->sentence, S("3 of 4 members find room; default/all-3: 0/3 nodes fit: 3 lack cpu (needs 3; best free: 1 on n-1)")));
    T_OK(x->has_nearest);
    x = explain_waiting(s, &a, gang(s, &a, "rack", 3, 3000, "rack"), 0, NULL);
    T_OK(str_has_prefix(x->sentence, S("2 of 3 members find room in one rack (best: r2); default/rack-2: 0/3 nodes fit: 2 lack cpu")));
    x = explain_waiting(s, &a, gang(s, &a, "spine", 3, 1000, "spine"), 0, NULL);
    T_OK(str_has_prefix(x->sentence, S("0 of 3 members find room in one spine (no node has this label); ")));
    T_OK(!x->has_nearest);
    x = explain_waiting(s, &a, gang(s, &a, "good", 2, 3000, "rack"), 0, NULL);
    T_EQ_INT(x->result, UNIT_PLACED);
    sched_free(s);
}

TEST(a_choice_shows_both_scores)
{
    ARENA_AUTO a = ARENA_INIT;
    struct sched *s = engine();
    for (int i = 0; i < 3; i++)
        add_node(s, (struct node_spec){.name = arena_fmt(&a, "n-%d", i)});
    add_pod(s, (struct pod_spec){.name = S("x"), .node = S("n-0"), .phase = POD_BOUND, .requests = cpu_memory(&a, 3000, 6 * GIB),
                                 .nonzero_cpu = 3000, .nonzero_memory = 6 * GIB});
    add_pod(s, (struct pod_spec){.name = S("y"), .node = S("n-1"), .phase = POD_BOUND, .requests = cpu_memory(&a, 1000, 2 * GIB),
                                 .nonzero_cpu = 1000, .nonzero_memory = 2 * GIB});
    pod_id p = add_pod(s, (struct pod_spec){.name = S("p"), .requests = cpu_memory(&a, 500, GIB), .nonzero_cpu = 500, .nonzero_memory = GIB});
    struct explanation *x = explain_choice(s, &a, p);
    T_EQ_STR(x->node, "n-2");
    T_EQ_STR(x->runner_up, "n-1");
    int32_t chosen = 0, other = 0;
    for (uint32_t i = 0; i < x->nscores; i++) {
        chosen += x->scores[i].chosen;
        other += x->scores[i].runner_up;
    }
    T_EQ_INT(chosen, x->score);
    T_EQ_INT(other, x->runner_up_score);
    T_OK(x->score > x->runner_up_score);
    T_OK(str_has_prefix(x->sentence, S("default/p goes to n-2 with score ")));
    T_OK(str_find(x->sentence, S(": NodeResourcesFit says 87 against 62")) > 0);
    /* also after it was placed */
    struct unit_decision d = UNIT_DECISION_INIT;
    sched_place(s, sched_unit_of(s, p), NSEC_PER_SEC, &d);
    struct explanation *after = explain_choice(s, &a, p);
    T_EQ_STR(after->node, "n-2");
    T_EQ_INT(after->score, x->score);
    T_EQ_INT(s->pods[p].state, PS_ASSUMED);
    unit_decision_fini(&d);
    /* one node alone */
    sched_node_delete(s, S("n-0"));
    sched_node_delete(s, S("n-1"));
    x = explain_choice(s, &a, add_pod(s, (struct pod_spec){.name = S("q")}));
    T_OK(str_has_suffix(x->sentence, S(", the only node that fits")));
    sched_free(s);
}

TEST(amounts_for_people)
{
    ARENA_AUTO a = ARENA_INIT;
    struct sched *s = engine();
    struct err err = ERR_NONE;
    uint16_t foo;
    must(sched_resource_id(s, S("example.com/foo"), &foo, &err), &err);
    const struct {
        uint16_t resource;
        int64_t amount;
        const char *text;
    } rows[] = {{RES_CPU, 1500, "1500m"},
                {RES_CPU, 2000, "2"},
                {RES_CPU, 1234000, "1,234"},
                {RES_MEMORY, 2 * GIB + GIB / 2, "2.5 GiB"},
                {RES_MEMORY, 500 * 1024 * 1024, "500 MiB"},
                {RES_MEMORY, 1023, "1,023 B"},
                {RES_STORAGE, 1536, "1.5 KiB"},
                {RES_MEMORY, 5000 * GIB, "4.88 TiB"},
                {RES_CPU, 998400, "998.4"},
                {RES_CPU, 9984, "9984m"},
                {RES_CPU, 12345, "12345m"},
                {RES_EGRESS, 500000000, "500 Mbit/s"},
                {RES_INGRESS, 12500000000, "12,500 Mbit/s"},
                {RES_EGRESS, 1250000, "1.25 Mbit/s"},
                {RES_PODS, 1, "1 pod"},
                {RES_PODS, 0, "0 pods"},
                {RES_GPU, 3, "3 nvidia.com/gpu"},
                {foo, 1200, "1,200 example.com/foo"}};
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        T_EQ_STR(explain_amount(&a, s, rows[i].resource, rows[i].amount), rows[i].text);
    sched_free(s);
}

TEST(json_says_the_same)
{
    ARENA_AUTO a = ARENA_INIT;
    struct sched *s = engine();
    add_node(s, (struct node_spec){.name = S("n-1")});
    pod_id p = add_pod(s, (struct pod_spec){.name = S("p"), .requests = cpu_memory(&a, 5000, GIB)});
    struct explanation *x = explain_waiting(s, &a, sched_unit_of(s, p), 7, NULL);
    struct json j = explain_json(&a, s, x), back;
    struct err err = ERR_NONE;
    T_NO_ERR(json_parse(&a, json_text(&a, &j), NULL, &back, &err), &err);
    T_EQ_STR(json_get_str(&back, S("result")), "Rejected");
    T_EQ_STR(json_get_str(&back, S("unit")), "default/p");
    T_EQ_INT(json_get_int(&back, S("nodes"), -1), 1);
    T_EQ_INT(json_get_int(&back, S("queuePosition"), -1), 7);
    T_OK(str_eq(json_get_str(&back, S("message")), x->sentence));
    const struct json *rows = json_get(&back, S("reasons"));
    T_EQ_INT(rows->len, 1);
    T_EQ_STR(json_get_str(&rows->items[0], S("plugin")), "NodeResourcesFit");
    T_EQ_STR(json_get_str(&rows->items[0], S("resource")), "cpu");
    T_EQ_INT(json_get_int(&rows->items[0], S("need"), -1), 5000);
    T_EQ_STR(json_get_str(json_get(&back, S("nearest")), S("text")), "1 more cpu on n-1");
    pod_id q = add_pod(s, (struct pod_spec){.name = S("q")});
    x = explain_choice(s, &a, q);
    j = explain_json(&a, s, x);
    T_EQ_STR(json_get_str(&j, S("node")), "n-1");
    T_EQ_STR(json_get_str(&j, S("result")), "Placed");
    T_OK(json_get(&j, S("scores"))->len >= 5);
    sched_free(s);
}

/* NodeResourcesFit and GpuSharing both lack the device: it is one. */
TEST(a_resource_is_lacked_once)
{
    ARENA_AUTO a = ARENA_INIT;
    struct sched *s = engine();
    struct res_amount has[] = {{RES_CPU, 8000}, {RES_MEMORY, 8 * GIB}, {RES_PODS, 10}, {RES_GPU, 1}}, wants[] = {{RES_GPU, 2}};
    add_node(s, (struct node_spec){.name = S("n-1"), .allocatable = {has, 4}, .ngpus = 1});
    pod_id p = add_pod(s, (struct pod_spec){.name = S("p"), .requests = {wants, 1}, .gpu = {.kind = GPU_WHOLE, .count = 2}});
    T_EQ_STR(why(s, &a, p)->nearest.text, "1 more nvidia.com/gpu on n-1");
    sched_free(s);
}

TEST(levels_of_a_tree_have_names)
{
    ARENA_AUTO a = ARENA_INIT;
    struct sched *s = engine();
    struct spec_label labels[] = {{S("zone"), S("z1")}, {S("rack"), S("r2")}};
    add_node(s, (struct node_spec){.name = S("n-1"), .labels = {labels, 2}});
    unit_id u = gang(s, &a, "job", 3, 3000, "zone,rack");
    struct unit_decision d = UNIT_DECISION_INIT;
    sched_place(s, u, NSEC_PER_SEC, &d);
    struct explanation *x = explain_waiting(s, &a, u, 0, &d);
    T_OK(str_find(x->sentence, S(" in one rack (best: z1/r2)")) >= 0);
    unit_decision_fini(&d);
    sched_free(s);
}

TEST_MAIN(bandwidth_is_lent, a_resource_is_lacked_once, levels_of_a_tree_have_names, the_sentence_of_the_plan, resources_count_under_each, nearest_of_several_resources, kube_schedulers_words, claims_are_named,
          a_toleration_may_be_nearest, devices_are_told, rows_are_bounded,
          preemption_is_told, room_that_is_leaving, gangs_gates_and_nothing, too_small_nodes_are_not_waited_for, a_gang_says_how_far_it_comes, a_choice_shows_both_scores, amounts_for_people, json_says_the_same)
