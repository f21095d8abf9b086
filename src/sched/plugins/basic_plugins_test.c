/* basic_plugins_test.c - the plugins that look at one node and one pod: what they say of worked examples, in which words, and which arguments they take. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "base/test.h"
#include "sched/engine/engine.h"
#include "sched/engine/place.h"
#include "sched/plugins/plugins.h"

#define GIB ((int64_t)1 << 30)
#define MIB ((int64_t)1 << 20)

static struct sched *with_profile(const char *text)
{
    struct sched_profile *p = NULL;
    struct err err = ERR_NONE;
    if (profile_parse(str_of(text), S("p.yaml"), &p, &err) < 0)
        base_bug(__FILE__, __LINE__, __func__, err.msg);
    return sched_new(p, 0);
}

static node_id put_node(struct sched *s, struct node_spec n, int64_t cpu, int64_t memory, int64_t pods)
{
    struct err err = ERR_NONE;
    node_id id = NODE_NONE;
    struct res_amount a[8] = {{RES_CPU, cpu}, {RES_MEMORY, memory}, {RES_PODS, pods}};
    size_t k = 3;
    for (size_t i = 0; i < n.allocatable.n; i++)
        a[k++] = n.allocatable.p[i];
    n.allocatable = (struct res_list){a, k};
    T_NO_ERR(sched_node_put(s, &n, &id, &err), &err);
    return id;
}

static pod_id put_pod(struct sched *s, const char *name, struct pod_spec p, int64_t cpu, int64_t memory)
{
    struct err err = ERR_NONE;
    pod_id id = POD_NONE;
    struct res_amount a[8] = {{RES_CPU, cpu}, {RES_MEMORY, memory}};
    size_t k = 2;
    for (size_t i = 0; i < p.requests.n; i++)
        a[k++] = p.requests.p[i];
    p.ns = S("default");
    p.name = p.uid = str_of(name);
    p.requests = (struct res_list){a, k};
    p.nonzero_cpu = cpu ? cpu : 100;
    p.nonzero_memory = memory ? memory : 200 * MIB;
    T_NO_ERR(sched_pod_put(s, &p, &id, &err), &err);
    return id;
}

static const struct profile_plugin *entry(const struct sched *s, const char *name)
{
    return &s->profile->plugins[profile_index(s->profile, name)];
}

static size_t why(struct sched *s, const char *plugin, pod_id p, node_id n, struct plug_reason *ret)
{
    const struct profile_plugin *pp = entry(s, plugin);
    size_t k = pp->plugin->explain(&s->view, class_of(s, p), pp->args, n, ret, 8);
    T_EQ_INT(k == 0, pp->plugin->fits_one(&s->view, class_of(s, p), pp->args, n));
    return k;
}

static int64_t score(struct sched *s, const char *plugin, pod_id p, node_id n)
{
    const struct profile_plugin *pp = entry(s, plugin);
    return pp->plugin->score_one(&s->view, class_of(s, p), pp->args, n);
}

TEST(fit_names_every_lack_with_amounts)
{
    struct sched *s = with_profile("name: a\n");
    node_id n = put_node(s, (struct node_spec){.name = S("n")}, 4000, 8 * GIB, 1);
    pod_id big = put_pod(s, "big", (struct pod_spec){0}, 5000, 4 * GIB), one = put_pod(s, "one", (struct pod_spec){0}, 3000, 6 * GIB);
    struct plug_reason r[8];
    T_EQ_INT(why(s, "NodeResourcesFit", one, n, r), 0);
    T_EQ_INT(why(s, "NodeResourcesFit", big, n, r), 1);
    T_OK(r[0].resource == RES_CPU && r[0].need == 5000 && r[0].have == 4000 && r[0].unresolvable);
    T_EQ_STR(str_of(plugin_node_resources_fit.reasons[r[0].code]), "Insufficient %s");
    model_assign(s, one, n, PS_ASSUMED, 0);
    T_EQ_INT(why(s, "NodeResourcesFit", big, n, r), 3);
    T_OK(r[0].resource == RES_CPU && r[0].have == 1000 && r[0].unresolvable);
    T_OK(r[1].resource == RES_MEMORY && r[1].need == 4 * GIB && r[1].have == 2 * GIB && !r[1].unresolvable);
    T_OK(r[2].resource == RES_PODS && r[2].need == 1 && r[2].have == 0 && !r[2].unresolvable);
    T_EQ_STR(str_of(plugin_node_resources_fit.reasons[r[2].code]), "Too many pods");
    sched_free(s);
}

TEST(fit_ignores_what_it_is_told_to)
{
    struct sched *s = with_profile("name: a\nplugins: {NodeResourcesFit: {args: {ignoredResources: [example.com/foo], ignoredResourceGroups: [other.io]}}}\n");
    struct err err = ERR_NONE;
    uint16_t foo, bar, baz;
    T_NO_ERR(sched_resource_id(s, S("example.com/foo"), &foo, &err), &err);
    T_NO_ERR(sched_resource_id(s, S("other.io/bar"), &bar, &err), &err);
    T_NO_ERR(sched_resource_id(s, S("example.com/baz"), &baz, &err), &err);
    node_id n = put_node(s, (struct node_spec){.name = S("n")}, 4000, 8 * GIB, 10);
    struct res_amount ignored[] = {{foo, 1}, {bar, 1}}, counted[] = {{baz, 1}};
    pod_id a = put_pod(s, "a", (struct pod_spec){.requests = {ignored, 2}}, 1, 1), b = put_pod(s, "b", (struct pod_spec){.requests = {counted, 1}}, 1, 1);
    struct plug_reason r[8];
    T_EQ_INT(why(s, "NodeResourcesFit", a, n, r), 0);
    T_EQ_INT(why(s, "NodeResourcesFit", b, n, r), 1);
    T_OK(place_fits(s, s->pods[a].class_, n) && !place_fits(s, s->pods[b].class_, n));
    struct place_result q;
    T_OK(place_find(s, s->pods[a].class_, &(struct place_opts){0}, &q) && !place_find(s, s->pods[b].class_, &(struct place_opts){0}, &q));
    sched_free(s);
}

TEST(requests_of_nothing_fit_on_full_nodes)
{
    struct sched *s = with_profile("name: a\n");
    node_id n = put_node(s, (struct node_spec){.name = S("n")}, 1000, GIB, 10);
    pod_id full = put_pod(s, "full", (struct pod_spec){0}, 1000, GIB), none = put_pod(s, "none", (struct pod_spec){.best_effort = true}, 0, 0);
    model_assign(s, full, n, PS_ASSUMED, 0);
    struct place_result q;
    T_OK(place_find(s, s->pods[none].class_, &(struct place_opts){0}, &q));
    T_EQ_INT(q.node, n);
    sched_free(s);
}

TEST(fit_scores)
{
    /* 4 cpu, 32 GiB; a pod of 1 cpu, 4 GiB on 1 cpu, 8 GiB: cpu 50 % and memory 62.5 % are left */
    struct sched *s = with_profile("name: a\n");
    node_id n = put_node(s, (struct node_spec){.name = S("n")}, 4000, 32 * GIB, 110);
    model_assign(s, put_pod(s, "x", (struct pod_spec){0}, 1000, 8 * GIB), n, PS_ASSUMED, 0);
    pod_id p = put_pod(s, "p", (struct pod_spec){0}, 1000, 4 * GIB);
    T_EQ_INT(score(s, "NodeResourcesFit", p, n), (50 + 62) / 2);
    /* shares 0.5 and 0.375 with it: 93.75; 0.25 and 0.25 without: 100 */
    T_EQ_INT(score(s, "NodeResourcesBalancedAllocation", p, n), 50 + (50 + 93 - 100) / 2);
    sched_free(s);
    s = with_profile("name: a\nplugins:\n  NodeResourcesFit: {args: {scoringStrategy: {type: MostAllocated, resources: [{name: cpu, weight: 3}, {name: memory}]}}}\n"
                     "  NodeResourcesBalancedAllocation: {args: {formula: with}}\n");
    n = put_node(s, (struct node_spec){.name = S("n")}, 4000, 32 * GIB, 110);
    model_assign(s, put_pod(s, "x", (struct pod_spec){0}, 1000, 8 * GIB), n, PS_ASSUMED, 0);
    p = put_pod(s, "p", (struct pod_spec){0}, 1000, 4 * GIB);
    T_EQ_INT(score(s, "NodeResourcesFit", p, n), (3 * 50 + 37) / 4);
    T_EQ_INT(score(s, "NodeResourcesBalancedAllocation", p, n), 93);
    sched_free(s);
    /* a curve that falls from 10 at 0 % to 0 at 50 % and rises again to 5: 50 % for cpu scores nothing and is left out */
    s = with_profile("name: a\nplugins:\n  NodeResourcesFit: {args: {scoringStrategy: {type: RequestedToCapacityRatio, requestedToCapacityRatio: {shape: [{utilization: 0, score: 10}, "
                     "{utilization: 50, score: 0}, {utilization: 100, score: 5}]}}}}\n");
    n = put_node(s, (struct node_spec){.name = S("n")}, 4000, 32 * GIB, 110);
    p = put_pod(s, "p", (struct pod_spec){0}, 2000, 4 * GIB);
    T_EQ_INT(score(s, "NodeResourcesFit", p, n), 100 + (0 - 100) * 12 / 50);
    sched_free(s);
}

TEST(taints_and_cordons)
{
    struct sched *s = with_profile("name: a\n");
    struct spec_taint hard[] = {{S("soft"), S("x"), TAINT_PREFER_NO_SCHEDULE}, {S("gpu"), S("only"), TAINT_NO_SCHEDULE}};
    node_id plain = put_node(s, (struct node_spec){.name = S("plain")}, 4000, GIB, 9);
    node_id tainted = put_node(s, (struct node_spec){.name = S("tainted"), .taints = hard, .ntaints = 2}, 4000, GIB, 9);
    node_id cordoned = put_node(s, (struct node_spec){.name = S("cordoned"), .unschedulable = true}, 4000, GIB, 9);
    struct spec_toleration all = {S(""), TOLERATE_EXISTS, S(""), -1}, gpu = {S("gpu"), TOLERATE_EQUAL, S("only"), TAINT_NO_SCHEDULE}, wrong = {S("gpu"), TOLERATE_EQUAL, S("not"), -1},
                           cordon = {S("node.kubernetes.io/unschedulable"), TOLERATE_EXISTS, S(""), TAINT_NO_SCHEDULE};
    pod_id none = put_pod(s, "none", (struct pod_spec){0}, 1, 1), every = put_pod(s, "every", (struct pod_spec){.tolerations = &all, .ntolerations = 1}, 1, 1);
    pod_id some = put_pod(s, "some", (struct pod_spec){.tolerations = &gpu, .ntolerations = 1}, 1, 1), bad = put_pod(s, "bad", (struct pod_spec){.tolerations = &wrong, .ntolerations = 1}, 1, 1);
    pod_id daemon = put_pod(s, "daemon", (struct pod_spec){.tolerations = &cordon, .ntolerations = 1}, 1, 1);
    struct plug_reason r[8];
    T_EQ_INT(why(s, "TaintToleration", none, plain, r), 0);
    T_EQ_INT(why(s, "TaintToleration", none, tainted, r), 1);
    T_OK(r[0].unresolvable);
    T_EQ_STR(symbol_text(&s->sym, r[0].what[0]), "gpu");
    T_EQ_STR(symbol_text(&s->sym, r[0].what[1]), "only");
    T_EQ_INT(why(s, "TaintToleration", every, tainted, r), 0);
    T_EQ_INT(why(s, "TaintToleration", some, tainted, r), 0);
    T_EQ_INT(why(s, "TaintToleration", bad, tainted, r), 1);
    T_EQ_INT(score(s, "TaintToleration", some, tainted), 1);
    T_EQ_INT(score(s, "TaintToleration", every, tainted), 0);
    T_OK(!place_fits(s, s->pods[none].class_, cordoned) && place_fits(s, s->pods[every].class_, cordoned) && place_fits(s, s->pods[daemon].class_, cordoned));
    T_EQ_INT(place_rejected_by(s, s->pods[none].class_, cordoned), profile_index(s->profile, "NodeUnschedulable"));
    /* the soft taint is worth 300 of the total */
    struct place_result q;
    T_OK(place_find(s, s->pods[some].class_, &(struct place_opts){.want_runner_up = true}, &q));
    T_OK(q.node == plain && q.runner_up == tainted && q.score - q.runner_up_score == 300);
    sched_free(s);
}

TEST(affinity_terms)
{
    struct sched *s = with_profile("name: a\nplugins:\n  NodeAffinity: {args: {addedAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: "
                                   "[{key: pool, operator: In, values: [a, b]}]}]}, preferredDuringSchedulingIgnoredDuringExecution: [{weight: 10, preference: {matchFields: [{key: "
                                   "metadata.name, operator: In, values: [n2]}]}}]}}}\n");
    struct spec_label l1[] = {{S("pool"), S("a")}, {S("cores"), S("16")}}, l2[] = {{S("pool"), S("b")}, {S("cores"), S("64")}}, l3[] = {{S("pool"), S("c")}, {S("cores"), S("64")}};
    node_id n1 = put_node(s, (struct node_spec){.name = S("n1"), .labels = {l1, 2}}, 4000, GIB, 9), n2 = put_node(s, (struct node_spec){.name = S("n2"), .labels = {l2, 2}}, 4000, GIB, 9),
            n3 = put_node(s, (struct node_spec){.name = S("n3"), .labels = {l3, 2}}, 4000, GIB, 9);
    str v32 = S("32");
    struct spec_requirement gt = {S("cores"), OP_GT, &v32, 1};
    struct spec_node_term term = {.labels = {&gt, 1}};
    struct spec_label sel = {S("pool"), S("c")};
    pod_id p = put_pod(s, "p", (struct pod_spec){.required_terms = &term, .nrequired_terms = 1, .has_required = true}, 1, 1);
    pod_id q = put_pod(s, "q", (struct pod_spec){.node_selector = {&sel, 1}}, 1, 1), none = put_pod(s, "none", (struct pod_spec){.has_required = true}, 1, 1);
    struct plug_reason r[8];
    T_EQ_INT(why(s, "NodeAffinity", p, n2, r), 0);
    T_EQ_INT(why(s, "NodeAffinity", p, n1, r), 1);
    T_EQ_STR(str_of(plugin_node_affinity.reasons[r[0].code]), "node(s) didn't match Pod's node affinity/selector");
    T_EQ_INT(why(s, "NodeAffinity", p, n3, r), 1);
    T_EQ_STR(str_of(plugin_node_affinity.reasons[r[0].code]), "node(s) didn't match scheduler-enforced node affinity");
    T_OK(r[0].unresolvable);
    T_EQ_INT(why(s, "NodeAffinity", q, n1, r), 1);
    T_EQ_STR(symbol_text(&s->sym, r[0].what[0]), "pool");
    T_EQ_INT(why(s, "NodeAffinity", none, n2, r), 1); /* terms that are there but empty match nothing */
    T_EQ_INT(score(s, "NodeAffinity", p, n2), 10);
    T_EQ_INT(score(s, "NodeAffinity", p, n1), 0);
    sched_free(s);
}

TEST(ports)
{
    struct sched *s = with_profile("name: a\n");
    node_id n = put_node(s, (struct node_spec){.name = S("n")}, 4000, GIB, 9);
    struct spec_port any = {S("0.0.0.0"), 'T', 80}, ip = {S("10.0.0.1"), 'T', 80}, udp = {S(""), 'U', 80}, other = {S("10.0.0.2"), 'T', 81};
    pod_id a = put_pod(s, "a", (struct pod_spec){.ports = &ip, .nports = 1}, 1, 1), b = put_pod(s, "b", (struct pod_spec){.ports = &any, .nports = 1}, 1, 1);
    pod_id c = put_pod(s, "c", (struct pod_spec){.ports = &udp, .nports = 1}, 1, 1), d = put_pod(s, "d", (struct pod_spec){.ports = &other, .nports = 1}, 1, 1);
    model_assign(s, a, n, PS_ASSUMED, 0);
    struct plug_reason r[8];
    T_EQ_INT(why(s, "NodePorts", b, n, r), 1);
    T_OK(!r[0].unresolvable && r[0].need == 80);
    T_EQ_INT(why(s, "NodePorts", c, n, r), 0);
    T_EQ_INT(why(s, "NodePorts", d, n, r), 0);
    model_unassign(s, a);
    T_EQ_INT(why(s, "NodePorts", b, n, r), 0);
    sched_free(s);
}

TEST(images)
{
    struct sched *s = with_profile("name: a\n");
    struct spec_image big = {S("big:1"), 600 * MIB}, small = {S("small:1"), 10 * MIB};
    node_id n1 = put_node(s, (struct node_spec){.name = S("n1"), .images = &big, .nimages = 1}, 4000, GIB, 9);
    put_node(s, (struct node_spec){.name = S("n2"), .images = &small, .nimages = 1}, 4000, GIB, 9);
    str images[] = {S("big:1"), S("small:1")};
    pod_id p = put_pod(s, "p", (struct pod_spec){.images = images, .nimages = 2}, 1, 1), q = put_pod(s, "q", (struct pod_spec){.images = images, .nimages = 1}, 1, 1);
    /* one of two nodes has it: 300 MiB of 23 to 2000 and of 23 to 1000 */
    T_EQ_INT(score(s, "ImageLocality", p, n1), 100 * (300 - 23) / (2000 - 23));
    T_EQ_INT(score(s, "ImageLocality", q, n1), 100 * (300 - 23) / (1000 - 23));
    struct place_result r;
    T_OK(place_find(s, s->pods[q].class_, &(struct place_opts){0}, &r));
    T_EQ_INT(r.node, n1);
    int32_t first = r.score;
    /* a third node without it: a third of 600 MiB; the score of n1 changes although n1 did not */
    put_node(s, (struct node_spec){.name = S("n3")}, 4000, GIB, 9);
    T_EQ_INT(score(s, "ImageLocality", q, n1), 100 * (200 - 23) / (1000 - 23));
    T_OK(place_find(s, s->pods[q].class_, &(struct place_opts){0}, &r));
    T_EQ_INT(first - r.score, 28 - 18);
    sched_node_delete(s, S("n3"));
    sched_node_delete(s, S("n2"));
    T_EQ_INT(score(s, "ImageLocality", q, n1), 100 * (600 - 23) / (1000 - 23));
    sched_free(s);
}

TEST(bandwidth)
{
    struct sched *s = with_profile("name: a\nplugins: {NodeBandwidth: {weight: 1}}\n");
    struct res_amount have[] = {{RES_INGRESS, 1000}, {RES_EGRESS, 500}}, want[] = {{RES_INGRESS, 400}, {RES_EGRESS, 300}};
    node_id n = put_node(s, (struct node_spec){.name = S("n"), .allocatable = {have, 2}, .bandwidth_overcommit = 2}, 4000, GIB, 9);
    pod_id p = put_pod(s, "p", (struct pod_spec){.requests = {want, 2}}, 1, 1), q = put_pod(s, "q", (struct pod_spec){.requests = {want, 2}}, 1, 1);
    pod_id x = put_pod(s, "x", (struct pod_spec){.requests = {want, 2}}, 1, 1), t = put_pod(s, "t", (struct pod_spec){.requests = {want, 2}}, 1, 1);
    pod_id y = put_pod(s, "y", (struct pod_spec){0}, 1, 1);
    T_EQ_INT(score(s, "NodeBandwidth", p, n), (80 + 70) / 2);
    model_assign(s, p, n, PS_ASSUMED, 0);
    model_assign(s, q, n, PS_ASSUMED, 0);
    model_assign(s, x, n, PS_ASSUMED, 0);
    struct plug_reason r[8];
    T_EQ_INT(why(s, "NodeBandwidth", t, n, r), 1);
    T_OK(r[0].resource == RES_EGRESS && r[0].need == 300 && r[0].have == 100 && !r[0].unresolvable);
    T_EQ_STR(str_of(plugin_node_bandwidth.reasons[r[0].code]), "insufficient egress bandwidth");
    T_EQ_INT(why(s, "NodeResourcesFit", t, n, r), 0); /* not twice */
    T_OK(!place_fits(s, s->pods[t].class_, n) && place_fits(s, s->pods[y].class_, n));
    sched_free(s);
    s = with_profile("name: a\nplugins: {NodeBandwidth: off}\n");
    n = put_node(s, (struct node_spec){.name = S("n"), .allocatable = {have, 2}}, 4000, GIB, 9);
    struct res_amount much[] = {{RES_INGRESS, 2000}};
    p = put_pod(s, "p", (struct pod_spec){.requests = {much, 1}}, 1, 1);
    T_EQ_INT(why(s, "NodeResourcesFit", p, n, r), 1); /* somebody has to count it */
    sched_free(s);
}

TEST(gates)
{
    struct sched *s = with_profile("name: a\n");
    node_id n = put_node(s, (struct node_spec){.name = S("n")}, 4000, GIB, 9);
    pod_id p = put_pod(s, "p", (struct pod_spec){.gates = 2}, 1, 1);
    struct place_result q;
    T_OK(!place_fits(s, s->pods[p].class_, n) && !place_find(s, s->pods[p].class_, &(struct place_opts){0}, &q));
    uint32_t counts[PLUG_MAX];
    T_EQ_INT(place_rejections(s, s->pods[p].class_, NULL, counts), 1ull << profile_index(s->profile, "SchedulingGates"));
    sched_free(s);
}

/* Room kept for a nominated pod is free to those above it, and to nobody else. */
TEST(nominated_room)
{
    struct sched *s = with_profile("name: a\n");
    node_id n = put_node(s, (struct node_spec){.name = S("n")}, 1000, GIB, 9);
    struct spec_port port = {S(""), 'T', 80};
    pod_id kept = put_pod(s, "kept", (struct pod_spec){.priority = 5, .ports = &port, .nports = 1}, 900, 1), low = put_pod(s, "low", (struct pod_spec){.priority = 5}, 500, 1);
    pod_id high = put_pod(s, "high", (struct pod_spec){.priority = 6, .ports = &port, .nports = 1}, 500, 1);
    model_assign(s, kept, n, PS_NOMINATED, 0);
    struct place_result q;
    for (int i = 0; i < 8; i++) { /* by scan first, warm then */
        T_OK(!place_find(s, s->pods[low].class_, &(struct place_opts){0}, &q) && !place_fits(s, s->pods[low].class_, n));
        T_OK(place_find(s, s->pods[high].class_, &(struct place_opts){0}, &q) && place_fits(s, s->pods[high].class_, n));
        T_OK(place_find(s, s->pods[low].class_, &(struct place_opts){.ignore_nominated = true}, &q));
    }
    model_set_state(s, kept, PS_ASSUMED);
    T_OK(!place_find(s, s->pods[high].class_, &(struct place_opts){0}, &q));
    struct err err = ERR_NONE;
    T_NO_ERR(model_check(s, &err), &err);
    sched_free(s);
}

TEST(bad_arguments)
{
    static const struct {
        const char *text, *says;
    } rows[] = {
        {"NodeResourcesFit: {args: {scoringStrategy: {type: Least}}}", "scoringStrategy.type"},
        {"NodeResourcesFit: {args: {scoringStrategy: {resources: [{name: cpu, weight: 0}]}}}", "from 1 to 100"},
        {"NodeResourcesFit: {args: {scoringStrategy: {resources: [{name: cpu}, {name: cpu}]}}}", "twice"},
        {"NodeResourcesFit: {args: {scoringStrategy: {type: RequestedToCapacityRatio}}}", "shape"},
        {"NodeResourcesFit: {args: {ignoredResourceGroups: [a/b]}}", "ignoredResourceGroups"},
        {"NodeResourcesFit: {args: {what: 1}}", "what"},
        {"NodeResourcesBalancedAllocation: {args: {formula: old}}", "formula"},
        {"NodeBandwidth: {args: {scoringStrategy: {type: Most}}}", "scoringStrategy.type"},
        {"NodeAffinity: {args: {addedAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: []}}}}", "at least one term"},
        {"NodeAffinity: {args: {addedAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 0, preference: {}}]}}}", "weight"},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct err err = ERR_NONE;
        struct sched_profile *p = NULL;
        char text[512];
        snprintf(text, sizeof text, "name: a\nplugins: {%s}\n", rows[i].text);
        T_ERR(profile_parse(str_of(text), S("p.yaml"), &p, &err), E_INVALID_ARG);
        if (str_find(str_of(err.msg), str_of(rows[i].says)) < 0)
            T_FAIL_("'%s' does not mention %s", err.msg, rows[i].says);
    }
}

TEST_MAIN(fit_names_every_lack_with_amounts, fit_ignores_what_it_is_told_to, requests_of_nothing_fit_on_full_nodes, fit_scores, taints_and_cordons, affinity_terms, ports, images,
          bandwidth, gates, nominated_room, bad_arguments)
