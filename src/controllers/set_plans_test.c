/* Plans of DaemonSets and StatefulSets, and the match of pods and nodes. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "controllers/daemonset_plan.h"
#include "controllers/node_match.h"
#include "controllers/statefulset_claims.h"
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

TEST(daemons_that_fail_wait)
{
    ARENA_AUTO a = ARENA_INIT;
    struct daemon_node nodes[] = {on(&a, "n1", true, "p1 Failed hash=h", NULL), on(&a, "n2", true, "p2 Failed hash=h", NULL), on(&a, "n3", false, "p3 Failed hash=h", NULL)};
    struct daemon_failure f = {0};
    struct daemon_plan p;
    nsec_t now = 5000 * NSEC_PER_SEC;
    nodes[0].failed_waits = nodes[2].failed_waits = true;
    daemonset_plan(&a, nodes, 3, &(struct daemon_opts){.hash = S("h"), .max_unavailable = 1}, &p);
    T_EQ_INT(p.ncreates, 1);
    T_EQ_STR(p.creates[0], "n2");
    T_EQ_INT(p.ndeletes, 2); /* p2, and p3, which should not be there at all */
    T_EQ_INT(daemon_failure_left(&f, now), 0);
    T_EQ_INT(daemon_failure_left(&f, now + NSEC_PER_SEC / 4), NSEC_PER_SEC * 3 / 4);
    T_EQ_INT(daemon_failure_left(&f, now + NSEC_PER_SEC), 0);
    T_EQ_INT(daemon_failure_left(&f, now + NSEC_PER_SEC), 2 * NSEC_PER_SEC);
    T_EQ_INT(daemon_failure_left(&f, 0), 2 * NSEC_PER_SEC); /* the clock was set back */
    for (int i = 0; i < 40; i++)
        T_EQ_INT(daemon_failure_left(&f, now += DAEMON_DELAY_MAX_NS), 0);
    T_EQ_INT(daemon_failure_left(&f, now + NSEC_PER_SEC), DAEMON_DELAY_MAX_NS - NSEC_PER_SEC);
    T_OK(!daemon_failure_is_over(&f, now + DAEMON_DELAY_MAX_NS));
    now += 3 * DAEMON_DELAY_MAX_NS;
    T_OK(daemon_failure_is_over(&f, now));
    T_EQ_INT(daemon_failure_left(&f, now), 0);
    T_EQ_INT(f.delay, DAEMON_DELAY_NS);
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
    o.max_unavailable = MAX(o.max_unavailable, (int64_t)1);
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
    p = stateful(&a, (struct stateful_opts){.replicas = 1, .now = 11 * NSEC_PER_SEC}, PODS("w-0 Failed hash=r created=10"));
    T_EQ_INT(p.ndeletes, 0); /* it ended as soon as it was made */
    T_EQ_INT(p.after, NSEC_PER_SEC);
    p = stateful(&a, (struct stateful_opts){.replicas = 1, .now = 12 * NSEC_PER_SEC}, PODS("w-0 Failed hash=r created=10"));
    T_EQ_INT(p.ndeletes, 1);
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

TEST(stateful_partition_counts_from_the_first)
{
    ARENA_AUTO a = ARENA_INIT;
    struct stateful_opts o = {.replicas = 3, .start = 5, .partition = 2, .current = S("r"), .update = S("u")};
    struct stateful_plan p = stateful(&a, o, PODS("w-5 Running ready=1 hash=r", "w-6 Running ready=1 hash=r", "w-7 Running ready=1 hash=r"));
    T_EQ_INT(p.ndeletes, 1);
    T_EQ_STR(p.deletes[0]->name, "w-7");
    p = stateful(&a, o, PODS("w-5 Running ready=1 hash=r", "w-6 Running ready=1 hash=r", "w-7 Running ready=1 hash=u"));
    T_EQ_INT(p.ndeletes, 0); /* w-5 and w-6 are below it */
    p = stateful(&a, o, PODS("w-5 Running ready=1 hash=r", "w-7 Running ready=1 hash=u"));
    T_OK(!p.creates[0].of_update);
    o.partition = 0;
    p = stateful(&a, o, PODS("w-6 Running ready=1 hash=r", "w-7 Running ready=1 hash=r"));
    T_EQ_INT(p.creates[0].ordinal, 5);
    T_OK(p.creates[0].of_update); /* one that is lost on the way does not come back with the old template */
}

TEST(stateful_max_unavailable)
{
    ARENA_AUTO a = ARENA_INIT;
    struct stateful_opts o = {.replicas = 4, .current = S("r"), .update = S("u"), .max_unavailable = 2};
    struct stateful_plan p = stateful(&a, o, PODS("w-0 Running ready=1 hash=r", "w-1 Running ready=1 hash=r", "w-2 Running ready=1 hash=r", "w-3 Running ready=1 hash=r"));
    T_EQ_INT(p.ndeletes, 2);
    T_EQ_STR(p.deletes[0]->name, "w-3");
    T_EQ_STR(p.deletes[1]->name, "w-2");
    o.parallel = true;
    p = stateful(&a, o, PODS("w-0 Running ready=1 hash=r", "w-1 Running ready=1 hash=r", "w-2 Running hash=u", "w-3 Running ready=1 hash=u"));
    T_EQ_INT(p.ndeletes, 1); /* w-2 is one of the two */
    T_EQ_STR(p.deletes[0]->name, "w-1");
    p = stateful(&a, o, PODS("w-0 Running ready=1 hash=r", "w-1 Running hash=r", "w-2 Running hash=u", "w-3 Running ready=1 hash=u"));
    T_EQ_INT(p.ndeletes, 1); /* both are taken, but w-1 serves nobody */
    T_EQ_STR(p.deletes[0]->name, "w-1");
    o.partition = 3;
    p = stateful(&a, o, PODS("w-0 Running ready=1 hash=r", "w-1 Running ready=1 hash=r", "w-2 Running ready=1 hash=r", "w-3 Running ready=1 hash=r"));
    T_EQ_INT(p.ndeletes, 1);
    o.partition = 9;
    p = stateful(&a, o, PODS("w-0 Running ready=1 hash=r", "w-1 Running ready=1 hash=r", "w-2 Running ready=1 hash=r", "w-3 Running ready=1 hash=r"));
    T_EQ_INT(p.ndeletes, 0);
}

TEST(claims_by_name)
{
    ARENA_AUTO a = ARENA_INIT;
    struct json data = tree(&a, "{'metadata':{'name':'data'}}");
    str sets[4];
    T_EQ_STR(stateful_claim_name(&a, &data, S("my-web-3")), "data-my-web-3");
    T_EQ_INT(stateful_claim_sets(&a, S("ns"), S("data-my-web-3"), sets, ARRAY_LEN(sets)), 2);
    T_EQ_STR(sets[0], "ns/web");
    T_EQ_STR(sets[1], "ns/my-web");
    T_EQ_INT(stateful_claim_sets(&a, S("ns"), S("data-my-web-3"), sets, 1), 1);
    T_EQ_INT(stateful_claim_sets(&a, S("ns"), S("data"), sets, ARRAY_LEN(sets)), 0);
    T_EQ_INT(stateful_claim_sets(&a, S("ns"), S("data-3"), sets, ARRAY_LEN(sets)), 0);
    T_EQ_INT(stateful_claim_sets(&a, S("ns"), S("3"), sets, ARRAY_LEN(sets)), 0);
}

TEST(claims_have_owners)
{
    ARENA_AUTO a = ARENA_INIT;
    static const struct {
        const char *policy;
        bool scaled_away;
        enum claim_owner owner;
    } policies[] = {
        {"{}", false, CLAIM_OF_NOBODY},
        {"{'persistentVolumeClaimRetentionPolicy':{'whenDeleted':'Retain','whenScaled':'Retain'}}", true, CLAIM_OF_NOBODY},
        {"{'persistentVolumeClaimRetentionPolicy':{'whenDeleted':'Delete','whenScaled':'Retain'}}", false, CLAIM_OF_SET},
        {"{'persistentVolumeClaimRetentionPolicy':{'whenDeleted':'Delete','whenScaled':'Retain'}}", true, CLAIM_OF_SET},
        {"{'persistentVolumeClaimRetentionPolicy':{'whenDeleted':'Retain','whenScaled':'Delete'}}", false, CLAIM_OF_NOBODY},
        {"{'persistentVolumeClaimRetentionPolicy':{'whenDeleted':'Retain','whenScaled':'Delete'}}", true, CLAIM_OF_POD},
        {"{'persistentVolumeClaimRetentionPolicy':{'whenDeleted':'Delete','whenScaled':'Delete'}}", false, CLAIM_OF_SET},
        {"{'persistentVolumeClaimRetentionPolicy':{'whenDeleted':'Delete','whenScaled':'Delete'}}", true, CLAIM_OF_POD},
    };
    for (size_t i = 0; i < ARRAY_LEN(policies); i++) {
        struct json spec = tree(&a, policies[i].policy);
        if (stateful_claim_owner(&spec, policies[i].scaled_away) != policies[i].owner)
            T_FAIL_("%s", policies[i].policy);
    }
    struct json set = tree(&a, "{'kind':'StatefulSet','name':'w','uid':'s'}"), pod = stateful_claim_pod_ref(&a, S("w-1"), S("p")), patch;
    static const struct {
        const char *refs;
        enum claim_owner owner;
        const char *patch; /* of the references; NULL: none */
    } changes[] = {
        {"[]", CLAIM_OF_NOBODY, NULL},
        {"[]", CLAIM_OF_SET, "[{'kind':'StatefulSet','name':'w','uid':'s'}]"},
        {"[{'uid':'s','controller':true}]", CLAIM_OF_SET, NULL},
        {"[{'uid':'s','controller':true}]", CLAIM_OF_NOBODY, "[{'$patch':'delete','uid':'s'}]"},
        {"[{'uid':'s','controller':true}]", CLAIM_OF_POD,
         "[{'$patch':'delete','uid':'s'},{'apiVersion':'v1','kind':'Pod','controller':true,'blockOwnerDeletion':true,'name':'w-1','uid':'p'}]"},
        {"[{'uid':'other'},{'uid':'p','controller':true}]", CLAIM_OF_NOBODY, "[{'$patch':'delete','uid':'p'}]"},
        {"[{'uid':'other','controller':true}]", CLAIM_OF_SET, NULL}, /* not ours */
    };
    for (size_t i = 0; i < ARRAY_LEN(changes); i++) {
        struct json claim = tree(&a, "{'metadata':{'uid':'c'}}"), refs = tree(&a, changes[i].refs);
        json_set(&a, json_get(&claim, S("metadata")), S("ownerReferences"), refs);
        bool differs = stateful_claim_patch(&a, &claim, changes[i].owner, &set, &pod, &patch);
        struct json want = tree(&a, changes[i].patch ? changes[i].patch : "[]");
        if (differs != (changes[i].patch != NULL) || (differs && !json_equal(json_path(&patch, "metadata", "ownerReferences", NULL), &want)))
            T_FAIL_("%s", changes[i].refs);
    }
    struct json going = tree(&a, "{'metadata':{'deletionTimestamp':'2026-01-01T00:00:00Z'}}"), stale = tree(&a, "{'metadata':{'deletionTimestamp':null,'ownerReferences':[{'kind':'Pod','name':'w-1','uid':'x'}]}}");
    T_OK(stateful_claim_is_leaving(&going, S("w-1")));
    T_OK(stateful_claim_is_leaving(&stale, S("w-1")));
    T_OK(!stateful_claim_is_leaving(&stale, S("w-2")));
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

TEST_MAIN(daemons_on_each_node, daemons_roll, daemons_that_fail_wait, ordinals, stateful_in_order, stateful_rolls_downwards, stateful_partition_counts_from_the_first, stateful_max_unavailable, claims_by_name, claims_have_owners, nodes_match)
