/* SPDX-License-Identifier: Apache-2.0 */
#include "base/test.h"
#include "sched/engine/plugin.h"

static int32_t weight_of(const struct sched_profile *p, const char *name)
{
    int i = profile_index(p, name);
    return i < 0 ? -1 : p->plugins[i].weight;
}

static bool filters(const struct sched_profile *p, const char *name)
{
    int i = profile_index(p, name);
    return i >= 0 && p->plugins[i].filters;
}

static struct sched_profile *parse_good(const char *text)
{
    struct err err = ERR_NONE;
    struct sched_profile *p = NULL;
    T_NO_ERR(profile_parse(str_of(text), S("p.yaml"), &p, &err), &err);
    if (!p)
        exit(1);
    return p;
}

static void parse_bad(const char *text, const char *begins)
{
    struct err err = ERR_NONE;
    struct sched_profile *p = NULL;
    T_ERR(profile_parse(str_of(text), S("p.yaml"), &p, &err), E_INVALID_ARG);
    if (!str_has_prefix(str_of(err.msg), str_of(begins)))
        T_FAIL_("the error is\n#   '%s', expected to begin with\n#   '%s'", err.msg, begins);
    T_OK(!p);
    T_ERR(profile_parse(str_of(text), S("p.yaml"), &p, NULL), E_INVALID_ARG);
}

TEST(default_is_kube_schedulers)
{
    static const struct {
        const char *name;
        int32_t weight;
        bool filters;
    } want[] = {{"SchedulingGates", 0, true},   {"NodeName", 0, true},           {"NodeUnschedulable", 0, true},  {"NodePool", 0, true}, {"TaintToleration", 3, true},
                {"NodeAffinity", 2, true},      {"NodePorts", 0, true},          {"NodeResourcesFit", 1, true},   {"VolumeRestrictions", 0, true},
                {"NodeVolumeLimits", 0, true},  {"VolumeBinding", 0, true},      {"VolumeZone", 0, true},         {"PodTopologySpread", 2, true},
                {"InterPodAffinity", 2, true},  {"NodeBandwidth", 0, true},      {"GpuSharing", 0, true},         {"NumaAlignment", 1, true},
                {"NodeResourcesBalancedAllocation", 1, false}, {"ImageLocality", 1, false},
                {"Coscheduling", 0, false},     {"JobLevelAffinity", 0, false},  {"DaemonSet", 0, false},         {"DefaultPreemption", 0, false}};
    struct sched_profile *p = profile_builtin(S("default"));
    T_EQ_STR(p->name, "default");
    T_EQ_INT(p->nplugins, ARRAY_LEN(want));
    T_EQ_INT(p->tie, TIE_SEED);
    T_OK(p->preempt);
    for (size_t i = 0; i < ARRAY_LEN(want); i++) {
        T_EQ_INT(profile_index(p, want[i].name), i);
        T_EQ_INT(weight_of(p, want[i].name), want[i].weight);
        T_EQ_INT(filters(p, want[i].name), want[i].filters);
    }
    T_EQ_INT(profile_index(p, "GpuPacking"), -1);
    profile_free(p);
    T_OK(!profile_builtin(S("no such")));
    profile_free(NULL);
}

TEST(others_differ_as_they_should)
{
    struct sched_profile *b = profile_builtin(S("binpack")), *s = profile_builtin(S("spread")), *g = profile_builtin(S("gpu-packing"));
    T_EQ_INT(weight_of(b, "NodeResourcesFit"), 1);
    T_EQ_INT(weight_of(b, "NodeResourcesBalancedAllocation"), 0);
    T_EQ_INT(weight_of(b, "ImageLocality"), 0);
    T_EQ_INT(weight_of(b, "InterPodAffinity"), 10000);
    const struct fit_args *most = b->plugins[profile_index(b, "NodeResourcesFit")].args, *least = s->plugins[profile_index(s,
            "NodeResourcesFit")].args;
    T_EQ_INT(most->strategy, FIT_MOST);
    T_EQ_INT(most->nresources, 2);
    T_EQ_STR(most->resources[0].name, "nvidia.com/gpu");
    T_EQ_INT(least->strategy, FIT_LEAST);
    T_EQ_INT(weight_of(g, "GpuPacking"), 1000);
    T_EQ_INT(weight_of(g, "NodeResourcesFit"), 0);
    T_OK(filters(g, "NodeResourcesFit") && filters(g, "GpuSharing"));
    T_EQ_INT(g->tie, TIE_BEST_FIT);
    profile_free(b);
    profile_free(s);
    profile_free(g);
}

TEST(our_form_changes_a_base)
{
    struct sched_profile *p = parse_good("name: mine\nbase: default\nplugins:\n  NodeResourcesFit: {weight: 7, args: {scoringStrategy: {type: MostAllocated}}}\n"
                                         "  ImageLocality: off\n  NodeAffinity: 0\n  NodePorts: {filter: false}\n  GpuPacking: 5\n  DefaultPreemption: off\n"
                                         "ties: best-fit\ngangVictims: whole\nkeepRoomAfterSeconds: 30\n");
    T_EQ_STR(p->name, "mine");
    T_EQ_INT(weight_of(p, "NodeResourcesFit"), 7);
    T_EQ_INT(((const struct fit_args *)p->plugins[profile_index(p, "NodeResourcesFit")].args)->strategy, FIT_MOST);
    T_EQ_INT(profile_index(p, "ImageLocality"), -1);
    T_EQ_INT(weight_of(p, "NodeAffinity"), 0);
    T_OK(filters(p, "NodeAffinity") && !filters(p, "NodePorts"));
    T_EQ_INT(weight_of(p, "GpuPacking"), 5);
    T_OK(profile_index(p, "GpuPacking") < profile_index(p, "Coscheduling"));
    T_EQ_INT(p->tie, TIE_BEST_FIT);
    T_OK(!p->preempt && p->unit_preempt_whole);
    T_EQ_INT(p->keep_after_ns / NSEC_PER_SEC, 30);
    profile_free(p);
    p = parse_good("{}");
    T_EQ_INT(p->keep_after_ns / NSEC_PER_SEC, 60);
    profile_free(p);
    p = parse_good("keepRoomAfterSeconds: 0");
    T_EQ_INT(p->keep_after_ns, 0);
    profile_free(p);
    p = parse_good("base: gpu-packing\nplugins: {ImageLocality: on}\n");
    T_EQ_INT(p->tie, TIE_BEST_FIT);
    T_EQ_STR(p->name, "gpu-packing");
    profile_free(p);
    profile_free(parse_good("{}"));
}

TEST(our_form_refuses_with_file_line_and_field)
{
    parse_bad("nam: x\n", "p.yaml:1: nam: unknown field; there are: name, base, plugins, ties, gangVictims, keepRoomAfterSeconds");
    parse_bad("keepRoomAfterSeconds: -1\n", "p.yaml:1: keepRoomAfterSeconds: must be a whole number of seconds from 0 (never) to 31536000");
    parse_bad("keepRoomAfterSeconds: 5m\n", "p.yaml:1: keepRoomAfterSeconds: must be a whole number of seconds from 0 (never) to 31536000");
    parse_bad("name: x\nbase: foo\n", "p.yaml:2: base: no profile is called \"foo\"; there are: default, binpack, spread, kai-binpack, kai-spread, gpu-packing");
    parse_bad("plugins:\n  NodeName: on\n  NodeNam: on\n",
              "p.yaml:3: plugins.NodeNam: no plugin is called \"NodeNam\"; there are: SchedulingGates, NodeName, ");
    parse_bad("plugins:\n  ImageLocality:\n    weight: -1\n", "p.yaml:3: plugins.ImageLocality.weight: must be a whole number from 0 to 1000000");
    parse_bad("plugins:\n  NodeName:\n    weight: 1\n", "p.yaml:3: plugins.NodeName.weight: NodeName does not score, it can have no weight");
    parse_bad("plugins: {ImageLocality: {filter: true}}\n", "p.yaml:1: plugins.ImageLocality.filter: ImageLocality does not filter");
    parse_bad("plugins:\n  NodeResourcesFit:\n    wait: 1\n",
              "p.yaml:3: plugins.NodeResourcesFit.wait: unknown field; there are: weight, filter, args");
    parse_bad("plugins:\n  NodeResourcesFit:\n    args: 3\n", "p.yaml:3: plugins.NodeResourcesFit.args: must be a mapping, is a number");
    parse_bad("plugins:\n  NodeResourcesFit:\n    args:\n      scoringStrategy:\n        type: Bad\n",
              "p.yaml:5: plugins.NodeResourcesFit.args.scoringStrategy.type: ");
    parse_bad("plugins:\n  NodeResourcesFit: [1]\n", "p.yaml:2: plugins.NodeResourcesFit: must be on, off, a weight or a mapping");
    parse_bad("ties: random\n", "p.yaml:1: ties: must be seed or best-fit");
    parse_bad("plugins: 4\n", "p.yaml:1: plugins: must be a mapping, is a number");
    parse_bad("- a\n", "p.yaml: a profile is a mapping, this is a list");
    parse_bad("a: [\n", "p.yaml: error converting YAML to JSON: yaml: line ");
    parse_bad("name: a\nname: b\n", "p.yaml: line 2: key \"name\" already set in map");
}

TEST(kube_configuration_is_read)
{
    struct sched_profile *p = parse_good("apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nparallelism: 16\nprofiles:\n"
                                         "- schedulerName: my-sched\n  plugins:\n    score:\n      disabled:\n      - name: ImageLocality\n"
                                         "      enabled:\n      - name: NodeResourcesFit\n        weight: 9\n      - name: PodTopologySpread\n"
                                         "    filter:\n      disabled:\n      - name: NodePorts\n    postFilter:\n      disabled: [{name: '*'}]\n"
                                         "  pluginConfig:\n  - args:\n      scoringStrategy: {type: MostAllocated}\n    name: NodeResourcesFit\n"
                                         "  - {name: VolumeBinding, args: {bindTimeoutSeconds: 600}}\n");
    T_EQ_STR(p->name, "my-sched");
    T_EQ_INT(weight_of(p, "ImageLocality"), 0);
    T_EQ_INT(weight_of(p, "NodeResourcesFit"), 9);
    T_EQ_INT(weight_of(p, "PodTopologySpread"), 1); /* no weight is 1 there */
    T_EQ_INT(weight_of(p, "TaintToleration"), 3);
    T_OK(!filters(p, "NodePorts") && filters(p, "NodeName"));
    T_OK(!p->preempt);
    T_EQ_INT(((const struct fit_args *)p->plugins[profile_index(p, "NodeResourcesFit")].args)->strategy, FIT_MOST);
    profile_free(p);
    /* nothing but what is named; ours stay */
    p = parse_good("kind: KubeSchedulerConfiguration\nprofiles:\n- plugins:\n    multiPoint:\n      disabled: [{name: '*'}]\n"
                   "      enabled: [{name: NodeResourcesFit, weight: 4}, {name: PrioritySort}, {name: DefaultBinder}, {name: NodeName}]\n");
    T_EQ_STR(p->name, "default-scheduler");
    T_EQ_INT(weight_of(p, "NodeResourcesFit"), 4);
    T_OK(filters(p, "NodeResourcesFit") && filters(p, "NodeName") && filters(p, "GpuSharing"));
    T_EQ_INT(profile_index(p, "TaintToleration"), -1);
    T_OK(profile_index(p, "NodeResourcesFit") < profile_index(p, "NodeName"));
    T_OK(profile_index(p, "Coscheduling") >= 0 && !p->preempt);
    profile_free(p);
    /* off at every point, on at one */
    p = parse_good("kind: KubeSchedulerConfiguration\nprofiles:\n- plugins:\n    multiPoint:\n      disabled: [{name: NodeAffinity}]\n"
                   "    filter:\n      enabled: [{name: NodeAffinity}]\n");
    T_EQ_INT(weight_of(p, "NodeAffinity"), 0);
    T_OK(filters(p, "NodeAffinity"));
    profile_free(p);
}

TEST(kube_configuration_is_refused_with_field)
{
    parse_bad("kind: Pod\n", "p.yaml:1: kind: must be KubeSchedulerConfiguration");
    parse_bad("kind: KubeSchedulerConfiguration\nprofile: []\n", "p.yaml:2: profile: unknown field");
    parse_bad("kind: KubeSchedulerConfiguration\nextenders: [{urlPrefix: x}]\n", "p.yaml:2: extenders: extenders are not supported");
    parse_bad("kind: KubeSchedulerConfiguration\nprofiles:\n- plugins:\n    score:\n      enabled:\n      - name: Foo\n",
              "p.yaml:6: profiles[0].plugins.score.enabled[0].name: no plugin is called \"Foo\"; there are: ");
    parse_bad("kind: KubeSchedulerConfiguration\nprofiles:\n- plugins:\n    scor: {}\n",
              "p.yaml:4: profiles[0].plugins.scor: unknown field; there are: multiPoint, filter, ");
    parse_bad("kind: KubeSchedulerConfiguration\nprofiles:\n- plugins:\n    score:\n      enabled:\n      - {name: ImageLocality, weight: x}\n",
              "p.yaml:6: profiles[0].plugins.score.enabled[0].weight: must be a whole number");
    parse_bad("kind: KubeSchedulerConfiguration\nprofiles:\n- pluginConfig:\n  - name: NodeResourcesFit\n    args:\n      scoringStrategy:\n        type: Bad\n",
              "p.yaml:7: profiles[0].pluginConfig[0].args.scoringStrategy.type: ");
}

TEST(kube_configuration_may_have_several)
{
    struct sched_profile *p = parse_good("kind: KubeSchedulerConfiguration\nprofiles:\n- schedulerName: tight\n  pluginConfig:\n  - name: NodeResourcesFit\n"
                                         "    args: {scoringStrategy: {type: MostAllocated}}\n- schedulerName: wide\n  plugins:\n    score:\n"
                                         "      enabled: [{name: NodeResourcesFit, weight: 9}]\n    postFilter: {disabled: [{name: '*'}]}\n- schedulerName: default-scheduler\n");
    struct sched_profile *q = p->next, *last = q->next;
    T_EQ_STR(p->name, "tight");
    T_EQ_STR(q->name, "wide");
    T_EQ_STR(last->name, "default-scheduler");
    T_OK(!last->next);
    /* nothing of one is in the next */
    T_EQ_INT(((const struct fit_args *)p->plugins[profile_index(p, "NodeResourcesFit")].args)->strategy, FIT_MOST);
    T_EQ_INT(((const struct fit_args *)q->plugins[profile_index(q, "NodeResourcesFit")].args)->strategy, FIT_LEAST);
    T_EQ_INT(((const struct fit_args *)last->plugins[profile_index(last, "NodeResourcesFit")].args)->strategy, FIT_LEAST);
    T_EQ_INT(weight_of(p, "NodeResourcesFit"), 1);
    T_EQ_INT(weight_of(q, "NodeResourcesFit"), 9);
    T_EQ_INT(weight_of(last, "NodeResourcesFit"), 1);
    T_OK(p->preempt && !q->preempt && last->preempt);
    profile_free(p);
    /* the order of the queue written out, by all of them */
    p = parse_good("kind: KubeSchedulerConfiguration\nprofiles:\n- schedulerName: a\n  plugins: {queueSort: {enabled: [{name: PrioritySort}]}}\n"
                   "- schedulerName: b\n  plugins: {queueSort: {enabled: [{name: PrioritySort}], disabled: []}}\n");
    T_OK(p->next);
    profile_free(p);
}

TEST(several_are_refused_with_field)
{
    STRBUF_AUTO b = STRBUF_HEAP;
    parse_bad("kind: KubeSchedulerConfiguration\nprofiles:\n- schedulerName: a\n- schedulerName: b\n- schedulerName: a\n",
              "p.yaml:5: profiles[2].schedulerName: \"a\" is the name of profiles[0], too");
    parse_bad("kind: KubeSchedulerConfiguration\nprofiles: [{}, {}]\n", "p.yaml:2: profiles[0]: needs a schedulerName, since there are 2 profiles");
    parse_bad("kind: KubeSchedulerConfiguration\nprofiles:\n- schedulerName: a\n- plugins: {}\n", "p.yaml:4: profiles[1]: needs a schedulerName, since there are 2 profiles");
    parse_bad("kind: KubeSchedulerConfiguration\nprofiles:\n- schedulerName: a\n- schedulerName: b\n  plugins:\n    queueSort:\n      enabled: [{name: PrioritySort}]\n",
              "p.yaml:6: profiles[1].plugins.queueSort: must be the same in all profiles");
    parse_bad("kind: KubeSchedulerConfiguration\nprofiles:\n- schedulerName: a\n- schedulerName: b\n  plugins:\n    score:\n      enabled:\n      - name: Foo\n",
              "p.yaml:8: profiles[1].plugins.score.enabled[0].name: no plugin is called \"Foo\"; there are: ");
    parse_bad("kind: KubeSchedulerConfiguration\nprofiles:\n- schedulerName: a\n- 7\n", "p.yaml:4: profiles[1]: must be a mapping, is a number");
    parse_bad("kind: KubeSchedulerConfiguration\nprofiles:\n- schedulerName: a\n- schedulerName: b\n  pluginConfig:\n  - name: NodeResourcesFit\n    args:\n"
              "      scoringStrategy:\n        type: Bad\n", "p.yaml:9: profiles[1].pluginConfig[0].args.scoringStrategy.type: ");
    strbuf_addf(&b, "kind: KubeSchedulerConfiguration\nprofiles:\n");
    for (int i = 0; i < PROFILES_MAX; i++)
        strbuf_addf(&b, "- schedulerName: s%d\n", i);
    profile_free(parse_good(strbuf_cstr(&b)));
    strbuf_addf(&b, "- schedulerName: more\n");
    parse_bad(strbuf_cstr(&b), "p.yaml:2: profiles: has 33 profiles, at most 32 can be");
    strbuf_clear(&b);
    strbuf_addf(&b, "kind: KubeSchedulerConfiguration\nprofiles:\n");
    for (int i = 0; i < PROFILES_MAX; i++)
        strbuf_addf(&b, "- {schedulerName: s%d, plugins: {score: {enabled: [{name: NodeResourcesFit, weight: %d}, {name: NodeAffinity, weight: %d}]}}}\n", i, i + 2, i + 2);
    parse_bad(strbuf_cstr(&b), "p.yaml:2: profiles: differ in too much: ");
}

TEST_MAIN(default_is_kube_schedulers, others_differ_as_they_should, our_form_changes_a_base, our_form_refuses_with_file_line_and_field,
          kube_configuration_is_read, kube_configuration_is_refused_with_field, kube_configuration_may_have_several, several_are_refused_with_field)
