/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/engine/explain_nodes.h"

#include "base/test.h"
#include "sched/engine/links.h"
#include "sched/engine/object.h"

struct world {
    struct sched *s;
    struct arena a;
};

static void put(struct world *w, const char *text)
{
    struct err err = ERR_NONE;
    struct json obj;
    struct strbuf b = strbuf_on(&w->a);
    for (const char *p = text; *p; p++)
        strbuf_add_char(&b, *p == '\'' ? '"' : *p);
    T_NO_ERR(json_parse(&w->a, strbuf_str(&b), NULL, &obj, &err), &err);
    T_NO_ERR(object_put(w->s, &obj, NULL, &err), &err);
}

static void node(struct world *w, const char *name, const char *domain, int mbit)
{
    put(w, arena_fmt(&w->a, "{'apiVersion':'v1','kind':'Node','metadata':{'name':'%s','labels':{'d':'%s'}},'status':{'allocatable':{'cpu':'4','pods':'9','kuscia.io/bandwidth':'%d'}}}", name, domain, mbit).p);
}

static void pod(struct world *w, const char *ns, const char *name, const char *group, const char *node_, int mbit)
{
    put(w, arena_fmt(&w->a, "{'apiVersion':'v1','kind':'Pod','metadata':{'namespace':'%s','name':'%s','uid':'%s-%s','annotations':{%s%s%s}},'spec':{'nodeSelector':{'d':'%s'}%s%s%s,'containers':[{'name':'c',"
                            "'resources':{'requests':{'kuscia.io/bandwidth':'%d'}}}]}}", ns, name, ns, name, *group ? "'kuscia.secretflow/task-resource-group':'" : "", group, *group ? "'" : "", ns,
                     *node_ ? ",'nodeName':'" : "", node_, *node_ ? "'" : "", mbit).p);
}

static struct world make(void)
{
    struct world w = {.s = sched_new(profile_builtin(S("default")), 0), .a = ARENA_INIT};
    node(&w, "alice-0", "alice", 100);
    node(&w, "bob-0", "bob", 100);
    node(&w, "bob-1", "bob", 50);
    return w;
}

static void done(struct world *w)
{
    sched_free(w->s);
    arena_fini(&w->a);
}

static void group(struct world *w, const char *name)
{
    put(w, arena_fmt(&w->a, "{'apiVersion':'kuscia.secretflow/v1alpha1','kind':'TaskResourceGroup','metadata':{'name':'%s'},'spec':{'minReservedMembers':2,'initiator':'alice','parties':["
                            "{'domainID':'alice','minReservedPods':1,'pods':[{'name':'%s-0'}]},{'domainID':'bob','minReservedPods':1,'pods':[{'name':'%s-0'}]}]}}", name, name, name).p);
}

TEST(nodes_of_a_pod)
{
    struct world w = make();
    pod(&w, "bob", "old", "", "bob-0", 70);
    pod(&w, "bob", "new", "", "", 40);
    struct json x = json_object();
    pod_id p = sched_pod_find(w.s, S("bob"), S("new"));
    explain_add_nodes(w.s, &w.a, p, &x);
    T_EQ_STR(json_text(&w.a, &x), "{\"considered\":[{\"node\":\"bob-1\",\"fits\":true,\"egressBits\":50000000,\"egressFreeBits\":50000000,\"ingressBits\":50000000,\"ingressFreeBits\":50000000},"
                                  "{\"node\":\"bob-0\",\"fits\":false,\"egressBits\":100000000,\"egressFreeBits\":30000000,\"ingressBits\":100000000,\"ingressFreeBits\":30000000,"
                                  "\"lacks\":\"10 Mbit/s more ingress bandwidth and 10 Mbit/s more egress bandwidth\"}],\"excluded\":1}");
    /* one that is in place is asked about as if it were not */
    pod(&w, "bob", "new", "", "bob-1", 40);
    x = json_object();
    explain_add_nodes(w.s, &w.a, sched_pod_find(w.s, S("bob"), S("new")), &x);
    const struct json *first = &json_get(&x, S("considered"))->items[0];
    T_EQ_STR(json_get_str(first, S("node")), "bob-1");
    T_OK(json_get_bool(first, S("chosen"), false));
    T_EQ_INT(json_get_int(first, S("egressFreeBits"), 0), 50000000);
    T_EQ_INT(view_free(&w.s->view, sched_node_find(w.s, S("bob-1")), RES_EGRESS), 10000000);
    done(&w);
}

TEST(lists_are_bounded)
{
    struct world w = make();
    for (int i = 0; i < 100; i++)
        node(&w, arena_fmt(&w.a, "many-%02d", i).p, "carol", i + 1);
    pod(&w, "carol", "new", "", "", 40);
    struct json x = json_object();
    explain_add_nodes(w.s, &w.a, sched_pod_find(w.s, S("carol"), S("new")), &x);
    const struct json *list = json_get(&x, S("considered"));
    T_EQ_INT(list->len, EXPLAIN_NODES);
    T_EQ_INT(json_get_int(&x, S("leftOff"), 0), 100 - EXPLAIN_NODES);
    T_EQ_INT(json_get_int(&x, S("excluded"), 0), 3);
    for (uint32_t i = 0; i < list->len; i++)
        T_EQ_STR(json_get_str(&list->items[i], S("node")), arena_fmt(&w.a, "many-%02d", 99 - (int)i).p);
    done(&w);
}

TEST(holders)
{
    struct world w = make();
    static const int amounts[] = {5, 20, 1, 20, 8};
    for (int i = 0; i < 5; i++)
        pod(&w, "bob", arena_fmt(&w.a, "h%d", i).p, "", "bob-0", amounts[i]);
    pod(&w, "alice", "guest", "", "bob-0", 3);
    pod(&w, "bob", "asks", "", "", 60);
    pod(&w, "carol", "other", "", "", 60);
    node_id n = sched_node_find(w.s, S("bob-0"));
    T_EQ_STR(explain_holders(w.s, &w.a, n, RES_EGRESS, sched_pod_find(w.s, S("bob"), S("asks"))), "held by h1 (20 Mbit/s), h3 (20 Mbit/s), h4 (8 Mbit/s) and 2 more and 1 pod of others");
    T_EQ_STR(explain_holders(w.s, &w.a, n, RES_EGRESS, sched_pod_find(w.s, S("carol"), S("other"))), "held by 6 pods of others");
    T_EQ_STR(explain_holders(w.s, &w.a, sched_node_find(w.s, S("bob-1")), RES_EGRESS, sched_pod_find(w.s, S("bob"), S("asks"))), "");
    done(&w);
}

TEST(a_task)
{
    struct world w = make();
    put(&w, "{'apiVersion':'kuscia.secretflow/v1alpha1','kind':'ClusterDomainRoute','metadata':{'name':'r'},'spec':{'source':'alice','destination':'bob','bandwidth':'500Mbps'}}");
    put(&w, "{'apiVersion':'kuscia.secretflow/v1alpha1','kind':'ClusterDomainRoute','metadata':{'name':'q'},'spec':{'source':'alice','destination':'carol','bandwidth':'500Mbps'}}");
    pod(&w, "bob", "old", "", "bob-0", 70);
    group(&w, "t");
    pod(&w, "bob", "t-0", "t", "", 60); /* parties are listed as the group has them, whoever comes first */
    pod(&w, "alice", "t-0", "t", "", 60);
    unit_id u = sched_unit_of(w.s, sched_pod_find(w.s, S("bob"), S("t-0")));
    T_OK(unit_crosses(&w.s->units[u]));
    const struct explanation *why = explain_waiting(w.s, &w.a, u, 0, NULL);
    T_EQ_STR(str_of(why->reason), "BandwidthInsufficient");
    T_EQ_STR(why->holders_on, "bob-1");
    /* who lacks it is told of its nodes, others are told who and how much */
    T_OK(str_eq(explain_for(&w.a, w.s, why, u, symbol_find(&w.s->sym, S("bob"))), why->sentence));
    T_EQ_STR(explain_for(&w.a, w.s, why, u, symbol_find(&w.s->sym, S("alice"))), "waits for party bob, which lacks ingress bandwidth (needs 60 Mbit/s) and egress bandwidth (needs 60 Mbit/s)");
    /* when both lack something each is told what it is */
    pod(&w, "alice", "old", "", "alice-0", 70);
    str told = explain_for(&w.a, w.s, why, u, symbol_find(&w.s->sym, S("alice")));
    T_OK(str_find(told, S("needs 60 Mbit/s; best free: 30 on alice-0")) >= 0 && str_find(told, S("bob")) < 0);
    struct json x = explain_group_json(w.s, &w.a, u, why);
    T_EQ_STR(json_get_str(&x, S("task")), "t");
    T_EQ_INT(json_get(&x, S("parties"))->len, 2);
    T_EQ_STR(json_text(&w.a, json_get(&x, S("links"))), "[{\"source\":\"alice\",\"destination\":\"bob\",\"bits\":500000000,\"freeBits\":500000000}]");
    const struct json *bob = &json_get(&x, S("parties"))->items[1];
    T_EQ_STR(json_get_str(bob, S("domain")), "bob");
    T_EQ_STR(json_text(&w.a, json_get(bob, S("pods"))), "[{\"pod\":\"t-0\",\"egressRequestBits\":60000000,\"ingressRequestBits\":60000000}]");
    T_EQ_INT(json_get(bob, S("considered"))->len, 2);
    done(&w);
}

TEST_MAIN(nodes_of_a_pod, lists_are_bounded, holders, a_task)
