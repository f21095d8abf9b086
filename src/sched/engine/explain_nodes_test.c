/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/engine/explain_nodes.h"

#include "base/test.h"
#include "sched/engine/unit.h"
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

static void group_of(struct world *w, const char *name, int enough, const char *parties)
{
    put(w, arena_fmt(&w->a, "{'apiVersion':'kuscia.secretflow/v1alpha1','kind':'TaskResourceGroup','metadata':{'name':'%s'},'spec':{'minReservedMembers':%d,'initiator':'alice','parties':[%s]}}", name, enough, parties).p);
}

/* Also when nobody tells who failed. */
TEST(some_parties_are_enough)
{
    struct world w = make();
    node(&w, "carol-0", "carol", 100);
    group_of(&w, "t", 2, "{'domainID':'alice','pods':[{'name':'t-0'}]},{'domainID':'bob','pods':[{'name':'t-0'}]},{'domainID':'carol','pods':[{'name':'t-0'}]}");
    pod(&w, "bob", "old", "", "bob-0", 70);
    pod(&w, "carol", "old", "", "carol-0", 70);
    static const char *const ns[] = {"alice", "bob", "carol"};
    for (int i = 0; i < 3; i++)
        pod(&w, ns[i], "t-0", "t", "", 60);
    unit_id u = sched_unit_of(w.s, sched_pod_find(w.s, S("bob"), S("t-0")));
    const struct explanation *why = explain_waiting(w.s, &w.a, u, 0, NULL);
    T_EQ_STR(str_of(why->reason), "BandwidthInsufficient");
    T_OK(str_has_prefix(why->sentence, S("1 of 2 members find room; bob/t-0: 0/4 nodes fit")));
    T_OK(str_find(explain_for(&w.a, w.s, why, u, symbol_find(&w.s->sym, S("carol"))), S("best free: 30 on carol-0")) > 0);
    T_EQ_STR(explain_for(&w.a, w.s, why, u, symbol_find(&w.s->sym, S("alice"))), "waits for party bob, which lacks ingress bandwidth (needs 60 Mbit/s) and egress bandwidth (needs 60 Mbit/s)");
    sched_pod_delete(w.s, S("carol"), S("old"));
    T_EQ_INT(explain_waiting(w.s, &w.a, u, 0, NULL)->result, UNIT_PLACED);
    done(&w);
}

/* It was rejected, room came, and it is asked about before it is tried again: nothing is placed by the question, and nothing twice. */
TEST(room_came_since)
{
    struct world w = make();
    group_of(&w, "t", 1, "{'domainID':'alice','pods':[{'name':'t-0'}]},{'domainID':'bob','pods':[{'name':'t-0'}]}");
    pod(&w, "alice", "old", "", "alice-0", 80);
    pod(&w, "bob", "also", "", "bob-1", 40);
    pod(&w, "bob", "old", "", "bob-0", 80);
    pod(&w, "alice", "t-0", "t", "", 30);
    pod(&w, "bob", "t-0", "t", "", 30);
    unit_id u = sched_unit_of(w.s, sched_pod_find(w.s, S("bob"), S("t-0")));
    struct unit_decision last = UNIT_DECISION_INIT;
    struct err err;
    unit_place(w.s, u, &last);
    T_EQ_INT(last.result, UNIT_REJECTED);
    sched_pod_delete(w.s, S("alice"), S("old"));
    sched_pod_delete(w.s, S("bob"), S("old"));
    T_OK(explain_waiting(w.s, &w.a, u, 0, &last)->sentence.len > 0);
    T_NO_ERR(model_check(w.s, &err), &err);
    unit_decision_fini(&last);
    done(&w);
}

/* Of a domain's pods the one that finds nothing is shown, not the first. */
TEST(the_pod_that_lacks)
{
    struct world w = make();
    group_of(&w, "t", 3, "{'domainID':'alice','pods':[{'name':'t-0'}]},{'domainID':'bob','role':'guest','pods':[{'name':'t-guest-0'}]},{'domainID':'bob','role':'host','pods':[{'name':'t-host-0'}]}");
    pod(&w, "alice", "t-0", "t", "", 10);
    pod(&w, "bob", "t-guest-0", "t", "", 20);
    pod(&w, "bob", "t-host-0", "t", "", 120);
    unit_id u = sched_unit_of(w.s, sched_pod_find(w.s, S("bob"), S("t-host-0")));
    const struct explanation *why = explain_waiting(w.s, &w.a, u, 0, NULL);
    for (int told = 0; told < 2; told++) {
        struct json x = explain_group_json(w.s, &w.a, u, told ? why : explain_choice(w.s, &w.a, sched_pod_find(w.s, S("alice"), S("t-0"))));
        const struct json *bob = &json_get(&x, S("parties"))->items[1];
        T_EQ_STR(json_get_str(bob, S("of")), "t-host-0");
        T_OK(!json_get_bool(&json_get(bob, S("considered"))->items[0], S("fits"), true));
        T_EQ_INT(json_get(bob, S("pods"))->len, 2);
    }
    done(&w);
}

/* Two amounts that differ by bits do not read alike. */
TEST(the_last_bits)
{
    struct world w = make();
    static const char *const names[] = {"a", "b", "c"};
    for (int i = 0; i < 3; i++)
        put(&w, arena_fmt(&w.a, "{'apiVersion':'v1','kind':'Pod','metadata':{'namespace':'alice','name':'%s','uid':'%s'},'spec':{'nodeSelector':{'d':'alice'}%s,'containers':[{'name':'c','resources':{'requests':"
                                "{'cox.io/egress-bandwidth':'33333334'}}}]}}", names[i], names[i], i < 2 ? ",'nodeName':'alice-0'" : "").p);
    pod_id p = sched_pod_find(w.s, S("alice"), S("c"));
    const struct explanation *why = explain_waiting(w.s, &w.a, sched_unit_of(w.s, p), 0, NULL);
    T_OK(str_find(why->sentence, S("lacks bandwidth (needs 33,333,334 bit/s; best free: 33,333,332 on alice-0)")) > 0);
    T_EQ_STR(why->nearest.text, "2 bit/s more egress bandwidth on alice-0");
    put(&w, "{'apiVersion':'kuscia.secretflow/v1alpha1','kind':'ClusterDomainRoute','metadata':{'name':'r'},'spec':{'source':'alice','destination':'bob','bandwidth':'19999999'}}");
    group(&w, "t");
    pod(&w, "alice", "t-0", "t", "", 20);
    pod(&w, "bob", "t-0", "t", "", 20);
    why = explain_waiting(w.s, &w.a, sched_unit_of(w.s, sched_pod_find(w.s, S("bob"), S("t-0"))), 0, NULL);
    T_EQ_STR(why->link, "link alice->bob lacks bandwidth (needs 20000000 bit/s; 0 bit/s of 19999999 bit/s taken)");
    done(&w);
}

/* A node that the pod would have, were it not closed, is nearer than one that it does not want. */
TEST(a_cordon_is_nearer_than_another_domain)
{
    struct world w = make();
    put(&w, "{'apiVersion':'v1','kind':'Node','metadata':{'name':'zoe-0','labels':{'d':'zoe'}},'spec':{'unschedulable':true},'status':{'allocatable':{'cpu':'4','pods':'9','kuscia.io/bandwidth':'100'}}}");
    pod(&w, "zoe", "p", "", "", 10);
    T_OK(str_has_prefix(explain_waiting(w.s, &w.a, sched_unit_of(w.s, sched_pod_find(w.s, S("zoe"), S("p"))), 0, NULL)->nearest.text, S("zoe-0 would do but for this: ")));
    done(&w);
}

/* A pod is where it is, whatever the world has become. */
TEST(a_place_that_would_not_be_chosen_now)
{
    struct world w = make();
    pod(&w, "bob", "b", "", "bob-1", 40);
    pod_id p = sched_pod_find(w.s, S("bob"), S("b"));
    const struct explanation *x = explain_choice(w.s, &w.a, p);
    T_EQ_INT(x->result, UNIT_PLACED);
    T_EQ_STR(x->on, "bob-1");
    node(&w, "bob-1", "bob", 20);
    x = explain_choice(w.s, &w.a, p);
    T_OK(str_has_prefix(x->sentence, S("bob/b is on bob-1; placed now it would go to bob-0 with score ")));
    node(&w, "bob-0", "bob", 20);
    x = explain_choice(w.s, &w.a, p);
    T_EQ_INT(x->result, UNIT_PLACED);
    T_EQ_STR(x->sentence, "bob/b is on bob-1; placed now it would find no node");
    struct json j = explain_json(&w.a, w.s, x);
    T_EQ_STR(json_text(&w.a, &j), "{\"result\":\"Placed\",\"unit\":\"bob/b\",\"pod\":\"bob/b\",\"nodes\":3,\"fitting\":0,\"on\":\"bob-1\",\"message\":\"bob/b is on bob-1; placed now it would find no node\"}");
    done(&w);
}

TEST_MAIN(a_cordon_is_nearer_than_another_domain, some_parties_are_enough, room_came_since, the_pod_that_lacks, the_last_bits, a_place_that_would_not_be_chosen_now, nodes_of_a_pod, lists_are_bounded, holders, a_task)
