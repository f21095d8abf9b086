/* Plans of DaemonSets and StatefulSets, and the match of pods and nodes. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "controllers/daemonset_plan.h"
#include "controllers/node_match.h"
#include "controllers/statefulset_plan.h"
#include "controllers/workload_testing.h"

static struct daemon_node on(struct arena *a, const char *name, bool run, const char *first, const char *second)
{
    struct daemon_node n = {.name = str_of(name), .should_run = run, .should_stay = run, .pods = arena_array(a, 2, struct pod_record *)};
    if (first)
        n.pods[n.npods++] = pod(a, first);
    if (second)
        n.pods[n.npods++] = pod(a, second);
    return n;
}

TEST(daemons_on_each_node)
{
    ARENA_AUTO a = ARENA_INIT;
    struct daemon_node nodes[] = {on(&a, "n1", true, NULL, NULL), on(&a, "n2", true, "p2 Running ready=1 hash=h", "p3 Running hash=h"), on(&a, "n3", false, "p4 Running hash=h", NULL),
                                  on(&a, "n4", true, "p5 Failed hash=h", NULL), on(&a, "n5", true, "p6 Running hash=h deleting", NULL)};
    struct daemon_plan p;
    daemonset_plan(&a, nodes, 5, &(struct daemon_opts){.hash = S("h"), .max_unavailable = 1}, &p);
    T_EQ_INT(p.ncreates, 2); /* n1 and n4; n5 waits for its old pod */
    T_EQ_STR(p.creates[0], "n1");
    T_EQ_INT(p.ndeletes, 3); /* the spare one of n2, the wrong one of n3, the failed one of n4 */
    T_EQ_INT(p.desired, 4);
    T_EQ_INT(p.ready, 1);
}

TEST(daemons_roll)
{
    ARENA_AUTO a = ARENA_INIT;
    struct daemon_node nodes[] = {on(&a, "n1", true, "p1 Running ready=1 hash=o", NULL), on(&a, "n2", true, "p2 Running ready=1 hash=o", NULL), on(&a, "n3", true, "p3 Running hash=o", NULL)};
    struct daemon_plan p;
    struct daemon_opts o = {.hash = S("h"), .max_unavailable = 1};
    daemonset_plan(&a, nodes, 3, &o, &p);
    T_EQ_INT(p.ndeletes, 1); /* p3 serves nobody, and that is one already */
    T_EQ_STR(p.deletes[0]->name, "p3");
    o.max_unavailable = 2;
    daemonset_plan(&a, nodes, 3, &o, &p);
    T_EQ_INT(p.ndeletes, 2);
    o = (struct daemon_opts){.hash = S("h"), .max_surge = 1};
    daemonset_plan(&a, nodes, 2, &o, &p);
    T_EQ_INT(p.ndeletes, 0);
    T_EQ_INT(p.ncreates, 1);
    o.on_delete = true;
    daemonset_plan(&a, nodes, 3, &o, &p);
    T_EQ_INT(p.ndeletes + p.ncreates, 0);
}

TEST(ordinals)
{
    T_EQ_INT(statefulset_ordinal(S("web"), S("web-12")), 12);
    T_EQ_INT(statefulset_ordinal(S("web"), S("web-x")), -1);
    T_EQ_INT(statefulset_ordinal(S("web"), S("web--1")), -1);
    T_EQ_INT(statefulset_ordinal(S("web"), S("other-1")), -1);
    T_EQ_INT(statefulset_ordinal(S("web"), S("web-")), -1);
}

static struct stateful_plan stateful(struct arena *a, struct stateful_opts o, const char *const *texts)
{
    struct pod_record *pods[8];
    struct stateful_plan p;
    size_t n = 0;
    for (; texts[n]; n++)
        pods[n] = pod(a, texts[n]);
    o.name = S("w");
    o.current = o.current.len ? o.current : S("r");
    o.update = o.update.len ? o.update : S("r");
    statefulset_plan(a, pods, n, &o, &p);
    return p;
}
#define PODS(...) ((const char *const[]){__VA_ARGS__, NULL})

TEST(stateful_in_order)
{
    ARENA_AUTO a = ARENA_INIT;
    struct stateful_plan p = stateful(&a, (struct stateful_opts){.replicas = 3}, PODS("w-0 Running ready=1 hash=r"));
    T_EQ_INT(p.ncreates, 1);
    T_EQ_INT(p.creates[0].ordinal, 1);
    p = stateful(&a, (struct stateful_opts){.replicas = 3}, PODS("w-0 Running hash=r"));
    T_EQ_INT(p.ncreates, 0); /* not ready */
    p = stateful(&a, (struct stateful_opts){.replicas = 3, .parallel = true}, PODS("w-0 Running hash=r"));
    T_EQ_INT(p.ncreates, 2);
    p = stateful(&a, (struct stateful_opts){.replicas = 1}, PODS("w-0 Running ready=1 hash=r", "w-2 Running ready=1 hash=r", "w-10 Running ready=1 hash=r"));
    T_EQ_INT(p.ndeletes, 1);
    T_EQ_STR(p.deletes[0]->name, "w-10");
    p = stateful(&a, (struct stateful_opts){.replicas = 1}, PODS("w-0 Failed hash=r"));
    T_EQ_INT(p.ndeletes, 1);
    T_EQ_INT(p.ncreates, 0); /* the name is not free yet */
}

TEST(stateful_rolls_downwards)
{
    ARENA_AUTO a = ARENA_INIT;
    struct stateful_opts o = {.replicas = 3, .current = S("r"), .update = S("u")};
    struct stateful_plan p = stateful(&a, o, PODS("w-0 Running ready=1 hash=r", "w-1 Running ready=1 hash=r", "w-2 Running ready=1 hash=r"));
    T_EQ_INT(p.ndeletes, 1);
    T_EQ_STR(p.deletes[0]->name, "w-2");
    p = stateful(&a, o, PODS("w-0 Running ready=1 hash=r", "w-1 Running ready=1 hash=r", "w-2 Running hash=u"));
    T_EQ_INT(p.ndeletes, 0);
    o.partition = 2;
    p = stateful(&a, o, PODS("w-0 Running ready=1 hash=r", "w-1 Running ready=1 hash=r", "w-2 Running ready=1 hash=u"));
    T_EQ_INT(p.ndeletes, 0);
    T_OK(!p.complete);
    p = stateful(&a, o, PODS("w-1 Running ready=1 hash=r", "w-2 Running ready=1 hash=u"));
    T_EQ_INT(p.ncreates, 1);
    T_OK(!p.creates[0].of_update);
    o.partition = 0;
    p = stateful(&a, o, PODS("w-0 Running ready=1 hash=u", "w-1 Running ready=1 hash=u", "w-2 Running ready=1 hash=u"));
    T_OK(p.complete);
}

TEST(nodes_match)
{
    ARENA_AUTO a = ARENA_INIT;
    struct json node = tree(&a, "{'metadata':{'name':'n1','labels':{'zone':'a','cores':'8'}},'spec':{'taints':[{'key':'gpu','value':'yes','effect':'NoSchedule'}]}}");
    static const struct {
        const char *spec;
        bool fits;
    } cases[] = {
        {"{}", true},
        {"{'nodeName':'n2'}", false},
        {"{'nodeSelector':{'zone':'a'}}", true},
        {"{'nodeSelector':{'zone':'b'}}", false},
        {"{'affinity':{'nodeAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':{'nodeSelectorTerms':[{'matchExpressions':[{'key':'cores','operator':'Gt','values':['4']}]}]}}}}", true},
        {"{'affinity':{'nodeAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':{'nodeSelectorTerms':[{'matchExpressions':[{'key':'zone','operator':'NotIn','values':['a']}]},"
         "{'matchFields':[{'key':'metadata.name','operator':'In','values':['n1']}]}]}}}}", true},
        {"{'affinity':{'nodeAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':{'nodeSelectorTerms':[{}]}}}}", false},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct json spec = tree(&a, cases[i].spec);
        if (node_fits(&spec, &node) != cases[i].fits)
            T_FAIL_("%s", cases[i].spec);
    }
    struct json none = tree(&a, "[]"), exists = tree(&a, "[{'key':'gpu','operator':'Exists'}]"), other = tree(&a, "[{'key':'gpu','value':'no','effect':'NoSchedule'}]"), all = tree(&a, "[{'operator':'Exists'}]");
    T_OK(!node_tolerated(&none, &node, S("NoSchedule")));
    T_OK(node_tolerated(&none, &node, S("NoExecute")));
    T_OK(node_tolerated(&exists, &node, S("NoSchedule")));
    T_OK(!node_tolerated(&other, &node, S("NoSchedule")));
    T_OK(node_tolerated(&all, &node, S("NoSchedule")));
}

TEST_MAIN(daemons_on_each_node, daemons_roll, ordinals, stateful_in_order, stateful_rolls_downwards, nodes_match)
