/* The checker finds each kind of violation, and none in what the engine does. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "base/test.h"
#include "sched/reference/checker.h"
#include "sched/reference/duel.h"

static const struct res_amount amounts[] = {{RES_CPU, 1000}, {RES_PODS, 10}};
static const struct spec_label zone[] = {{STR_INIT("zone"), STR_INIT("z1")}}, zone2[] = {{STR_INIT("zone"), STR_INIT("z2")}},
        web[] = {{STR_INIT("app"), STR_INIT("web")}};
static const str web_value = STR_INIT("web");
static const struct spec_requirement is_web = {STR_INIT("app"), OP_IN, &web_value, 1};

static struct node_spec node(const char *name)
{
    return (struct node_spec){.name = str_of(name), .allocatable = {amounts, 2}, .labels = {zone, 1}};
}
static struct pod_spec pod(const char *name)
{
    return (struct pod_spec){.ns = S("a"), .name = str_of(name)};
}

static void expect(struct checker *c, const char *begins)
{
    struct err err = ERR_NONE;
    int r = checker_verify(c, &err);
    if (!begins)
        T_NO_ERR(r, &err);
    else if (r == 0 || !str_has_prefix(str_of(err.msg), str_of(begins)))
        T_FAIL_("the checker says '%s', expected '%s...'", r ? err.msg : "", begins);
    checker_free(c);
}

/* n-1, n-2 in z1, n-3 in z2 */
static struct checker *three_nodes(void)
{
    struct checker *c = checker_new();
    struct node_spec n1 = node("n-1"), n2 = node("n-2"), n3 = node("n-3");
    n3.labels = (struct spec_labels){zone2, 1};
    checker_node(c, &n1);
    checker_node(c, &n2);
    checker_node(c, &n3);
    return c;
}

TEST(capacity_and_nodes)
{
    const struct res_amount ask = {RES_CPU, 600};
    struct pod_spec p = pod("p"), q = pod("q");
    p.requests = q.requests = (struct res_list){&ask, 1};
    struct checker *c = three_nodes();
    checker_pod(c, &p, S("n-1"), 0);
    checker_pod(c, &q, S("n-2"), 0);
    expect(c, NULL);
    c = three_nodes();
    checker_pod(c, &p, S("n-1"), 0);
    checker_pod(c, &q, S("n-1"), 0);
    expect(c, "node n-1 has 1000 of resource 0, its pods ask for 1200");
    c = three_nodes();
    checker_pod(c, &p, S("n-9"), 0);
    expect(c, "pod a/p is on n-9, which is not there");
    c = three_nodes();
    checker_pod(c, &p, S(""), 0);
    expect(c, NULL);
}

TEST(one_node_rules)
{
    const struct spec_taint only = {S("gpu"), S("only"), TAINT_NO_SCHEDULE};
    const struct spec_label other = {S("zone"), S("z2")};
    const struct spec_port port = {S(""), 'T', 80};
    const struct spec_volume disk = {.disk = S("gce-pd/x")}, claim = {.claim = S("c")};
    struct pod_spec p = pod("p"), q = pod("q");
    struct checker *c = three_nodes();
    struct node_spec n = node("n-1");
    n.taints = &only;
    n.ntaints = 1;
    checker_node(c, &n);
    checker_pod(c, &p, S("n-1"), 0);
    expect(c, "pod a/p is on n-1, whose taint gpu=only:NoSchedule it does not tolerate");
    c = three_nodes();
    n = node("n-1");
    n.unschedulable = true;
    checker_node(c, &n);
    checker_pod(c, &p, S("n-1"), 0);
    expect(c, "pod a/p is on n-1, which is cordoned");
    c = three_nodes();
    p.node_selector = (struct spec_labels){&other, 1};
    checker_pod(c, &p, S("n-1"), 0);
    expect(c, "pod a/p is on n-1, which its node selector or affinity excludes");
    p = pod("p");
    p.ports = q.ports = &port;
    p.nports = q.nports = 1;
    c = three_nodes();
    checker_pod(c, &p, S("n-1"), 0);
    checker_pod(c, &q, S("n-1"), 0);
    expect(c, "pod a/q is on n-1 and has a host port in common with pod a/p there");
    p = pod("p");
    q = pod("q");
    p.volumes = q.volumes = &disk;
    p.nvolumes = q.nvolumes = 1;
    c = three_nodes();
    checker_pod(c, &p, S("n-1"), 0);
    checker_pod(c, &q, S("n-1"), 0);
    expect(c, "pod a/q is on n-1 and shares the disk gce-pd/x with pod a/p there");
    p.volumes = q.volumes = &claim;
    c = three_nodes();
    checker_pvc(c, &(struct pvc_spec){.ns = S("a"), .name = S("c"), .access_modes = 8});
    checker_pod(c, &p, S("n-1"), 0);
    checker_pod(c, &q, S("n-2"), 0);
    expect(c, "claim a/c is for one pod and has several");
    c = three_nodes();
    checker_pod(c, &p, S("n-1"), 0);
    expect(c, "pod a/p is on n-1, its claim c is not there");
}

TEST(volumes)
{
    const struct spec_requirement in_z2 = {S("zone"), OP_IN, &zone2[0].value, 1};
    const struct spec_node_term term = {.labels = {&in_z2, 1, false}};
    const struct spec_volume one = {.claim = S("c")}, two[] = {{.claim = S("c")}, {.claim = S("d")}};
    const struct spec_volume_limit limit = {S("csi"), 1};
    struct pod_spec p = pod("p");
    p.volumes = &one;
    p.nvolumes = 1;
    struct checker *c = three_nodes();
    checker_pv(c, &(struct pv_spec){.name = S("v"), .has_node_affinity = true, .node_affinity = &term, .nnode_affinity = 1});
    checker_pvc(c, &(struct pvc_spec){.ns = S("a"), .name = S("c"), .volume = S("v")});
    checker_pod(c, &p, S("n-1"), 0);
    expect(c, "pod a/p is on n-1, where its volume v cannot be used");
    c = three_nodes();
    struct node_spec n = node("n-1");
    n.volume_limits = &limit;
    n.nvolume_limits = 1;
    checker_node(c, &n);
    checker_pv(c, &(struct pv_spec){.name = S("v"), .driver = S("csi")});
    checker_pv(c, &(struct pv_spec){.name = S("w"), .driver = S("csi")});
    checker_pvc(c, &(struct pvc_spec){.ns = S("a"), .name = S("c"), .volume = S("v")});
    checker_pvc(c, &(struct pvc_spec){.ns = S("a"), .name = S("d"), .volume = S("w")});
    p.volumes = two;
    p.nvolumes = 2;
    checker_pod(c, &p, S("n-1"), 0);
    expect(c, "node n-1 has 2 volumes of csi attached, it allows 1");
}

TEST(peers)
{
    const struct spec_pod_term term = {.selector = {&is_web, 1, false}, .topology_key = S("zone")};
    struct pod_spec p = pod("p"), q = pod("q");
    q.labels = (struct spec_labels){web, 1};
    p.anti_affinity = &term;
    p.nanti_affinity = 1;
    struct checker *c = three_nodes();
    checker_pod(c, &p, S("n-1"), 0);
    checker_pod(c, &q, S("n-3"), 0);
    expect(c, NULL);
    c = three_nodes();
    checker_pod(c, &p, S("n-1"), 0);
    checker_pod(c, &q, S("n-2"), 0);
    expect(c, "pod a/p is on n-1, but its anti-affinity excludes other pods of the same zone");
    p = pod("p");
    p.affinity = &term;
    p.naffinity = 1;
    c = three_nodes();
    checker_pod(c, &p, S("n-1"), 0);
    checker_pod(c, &q, S("n-3"), 0);
    expect(c, "pod a/p is on n-1, but no pod of its affinity is in the same zone");
    c = three_nodes();
    checker_pod(c, &p, S("n-1"), 0);
    checker_pod(c, &q, S("n-2"), 0);
    expect(c, NULL);
    /* the first of its kind may be alone */
    p.labels = (struct spec_labels){web, 1};
    c = three_nodes();
    checker_pod(c, &p, S("n-1"), 0);
    expect(c, NULL);
}

TEST(spread_and_devices)
{
    const struct spec_spread spread = {.topology_key = S("zone"), .max_skew = 1, .hard = true, .taints_policy = SPREAD_IGNORE,
                                       .selector = {&is_web, 1, false}};
    struct pod_spec p = pod("p"), q = pod("q");
    p.labels = (struct spec_labels){web, 1};
    p.spread = &spread;
    p.nspread = 1;
    q = p;
    q.name = S("q");
    struct checker *c = three_nodes();
    checker_pod(c, &p, S("n-1"), 0);
    checker_pod(c, &q, S("n-2"), 0);
    expect(c, "pods like a/p are spread unevenly over zone: from 0 to 2, 1 apart is allowed");
    c = three_nodes();
    checker_pod(c, &p, S("n-1"), 0);
    checker_pod(c, &q, S("n-3"), 0);
    expect(c, NULL);
    struct node_spec n = node("n-1");
    n.ngpus = 2;
    p = pod("p");
    p.gpu = (struct gpu_request){.kind = GPU_FRACTION, .count = 1, .milli = 600};
    q = p;
    q.name = S("q");
    c = three_nodes();
    checker_node(c, &n);
    checker_pod(c, &p, S("n-1"), 1);
    checker_pod(c, &q, S("n-1"), 1);
    expect(c, "device 0 of node n-1 is given out to 1200 of 1000");
    c = three_nodes();
    checker_node(c, &n);
    checker_pod(c, &p, S("n-1"), 3);
    expect(c, "pod a/p is on n-1 with devices 3, which is not what it asked for");
    c = three_nodes();
    checker_node(c, &n);
    checker_pod(c, &p, S("n-1"), 4);
    expect(c, "pod a/p is on n-1 with devices 4, which is not what it asked for");
}

/* What the engine placed in random worlds is allowed. */
TEST(the_engine_violates_nothing)
{
    uint32_t placed = 0;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        struct duel d;
        struct err err = ERR_NONE;
        struct duel_opts o = {.seed = seed, .tie_seed = seed, .features = GEN_ALL & ~(uint32_t)(GEN_VOLUMES | GEN_PRIORITY | GEN_NUMA),
                              .nodes = 12, .conf = naive_conf_default()};
        duel_init(&d, &o);
        struct checker *c = checker_new();
        for (size_t i = 0; i < d.naive.namespaces.len; i++)
            checker_namespace(c, d.naive.namespaces.p[i].name, d.naive.namespaces.p[i].labels);
        for (size_t i = 0; i < d.naive.nodes.len; i++)
            checker_node(c, &d.naive.nodes.p[i].spec);
        for (int i = 0; i < 60; i++) {
            size_t p = duel_pod_new(&d);
            const struct pod_spec *spec = &d.naive.pods.p[p].spec;
            pod_id id = sched_pod_find(d.sched, spec->ns, spec->name);
            struct unit_decision u = UNIT_DECISION_INIT;
            sched_place(d.sched, sched_unit_of(d.sched, id), (nsec_t)i, &u);
            unit_decision_fini(&u);
            checker_pod(c, spec, sched_node_name(d.sched, d.sched->pods[id].node), d.sched->pods[id].gpu_mask);
            placed += d.sched->pods[id].node != NODE_NONE;
        }
        T_NO_ERR(checker_verify(c, &err), &err);
        checker_free(c);
        duel_fini(&d);
    }
    T_OK(placed > 400);
}

TEST_MAIN(capacity_and_nodes, one_node_rules, volumes, peers, spread_and_devices, the_engine_violates_nothing)
