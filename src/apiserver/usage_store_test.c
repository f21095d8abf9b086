/* SPDX-License-Identifier: Apache-2.0 */
#include "apiserver/usage_store.h"

#include "base/test.h"

#define NOW (1767322800 * NSEC_PER_SEC) /* 2026-01-02T03:00:00Z */

static struct json report(struct arena *a, const char *text)
{
    char *copy = (char *)arena_cstr(a, str_of(text));
    for (char *p = copy; *p; p++)
        if (*p == '\'')
            *p = '"';
    return json_literal(a, copy);
}

static void put(struct usage_store *u, const char *node, const char *text, nsec_t now)
{
    ARENA_AUTO a = ARENA_INIT;
    struct err err = ERR_NONE;
    struct json r = report(&a, text);
    T_NO_ERR(usage_put_node(u, str_of(node), &r, now, &err), &err);
}

static const char n1[] = "{'timestamp':'2026-01-02T02:59:50Z','window':'10s','usage':{'cpu':'1500m','memory':'2Gi'},'pods':["
                         "{'metadata':{'namespace':'a','name':'p'},'containers':[{'name':'x','usage':{'cpu':'250m','memory':'1000'}},{'name':'y','usage':{'cpu':'0','memory':'1Mi'}}]},"
                         "{'metadata':{'namespace':'ab','name':'q'},'containers':[]}]}";

TEST(reports)
{
    ARENA_AUTO a = ARENA_INIT;
    struct usage_store *u = usage_store_new();
    struct json v;
    put(u, "n1", n1, NOW);
    T_OK(usage_get_node(u, &a, S("n1"), NOW, &v));
    T_EQ_STR(json_text(&a, &v), "{\"timestamp\":\"2026-01-02T02:59:50Z\",\"window\":\"10s\",\"usage\":{\"cpu\":\"1500000000n\",\"memory\":\"2097152Ki\"}}");
    T_OK(usage_get_pod(u, &a, S("a"), S("p"), S("n1"), NOW, &v));
    T_EQ_STR(json_text(&a, json_get(&v, S("containers"))),
             "[{\"name\":\"x\",\"usage\":{\"cpu\":\"250000000n\",\"memory\":\"1000\"}},{\"name\":\"y\",\"usage\":{\"cpu\":\"0\",\"memory\":\"1024Ki\"}}]");
    T_OK(!usage_get_pod(u, &a, S("a"), S("q"), S("n1"), NOW, &v));
    T_OK(!usage_get_node(u, &a, S("n2"), NOW, &v));
    T_EQ_INT(usage_pods(u, &a, S(""), NOW).len, 2);
    T_EQ_INT(usage_pods(u, &a, S("a"), NOW).len, 1);
    T_EQ_INT(usage_nodes(u, &a, NOW).len, 1);
    usage_store_free(u);
}

TEST(a_new_report_replaces_the_old_one)
{
    ARENA_AUTO a = ARENA_INIT;
    struct usage_store *u = usage_store_new();
    struct json v;
    put(u, "n1", n1, NOW);
    /* the pod is on another node now, whose report comes first */
    put(u, "n2", "{'usage':{'cpu':'1'},'pods':[{'metadata':{'namespace':'a','name':'p'},'containers':[{'name':'z','usage':{'cpu':'3'}}]}]}", NOW + 1);
    T_OK(usage_get_pod(u, &a, S("a"), S("p"), S("n1"), NOW + 1, &v) && json_get(&v, S("containers"))->len == 2); /* neither speaks for the other */
    T_OK(usage_get_pod(u, &a, S("a"), S("p"), S("n2"), NOW + 1, &v) && json_get(&v, S("containers"))->len == 1);
    T_OK(!usage_get_pod(u, &a, S("a"), S("p"), S(""), NOW + 1, &v));
    T_EQ_INT(usage_pods(u, &a, S(""), NOW + 1).len, 2);
    put(u, "n1", "{'usage':{'cpu':'1'},'pods':[]}", NOW + 2);
    T_OK(usage_get_pod(u, &a, S("a"), S("p"), S("n2"), NOW + 2, &v));
    T_EQ_STR(json_text(&a, json_get(&v, S("containers"))), "[{\"name\":\"z\",\"usage\":{\"cpu\":\"3000000000n\"}}]");
    T_OK(!usage_get_pod(u, &a, S("ab"), S("q"), S("n1"), NOW + 2, &v));
    put(u, "n2", "{'usage':{}}", NOW + 3);
    T_EQ_INT(usage_pods(u, &a, S(""), NOW + 3).len, 0);
    T_EQ_INT(usage_nodes(u, &a, NOW + 3).len, 2);
    usage_store_free(u);
}

TEST(what_is_old_is_gone)
{
    ARENA_AUTO a = ARENA_INIT;
    struct usage_store *u = usage_store_new();
    struct json v;
    put(u, "n1", n1, NOW);
    T_OK(usage_get_node(u, &a, S("n1"), NOW + USAGE_AGE_NS - 1, &v));
    T_OK(!usage_get_node(u, &a, S("n1"), NOW + USAGE_AGE_NS, &v));
    T_OK(!usage_get_pod(u, &a, S("a"), S("p"), S("n1"), NOW + USAGE_AGE_NS, &v));
    T_EQ_INT(usage_pods(u, &a, S(""), NOW + USAGE_AGE_NS).len, 0);
    put(u, "n2", n1, NOW + USAGE_AGE_NS); /* sweeps */
    T_EQ_INT(usage_nodes(u, &a, NOW).len, 1);
    usage_store_free(u);
}

TEST(bad_reports)
{
    ARENA_AUTO a = ARENA_INIT;
    struct usage_store *u = usage_store_new();
    struct err err = ERR_NONE;
    struct json r = report(&a, "{'pods':[{'metadata':{'name':'p'},'containers':[]}]}"), many = report(&a, "{'pods':[]}"), v;
    T_ERR(usage_put_node(u, S("n"), &r, NOW, &err), E_INVALID);
    struct json *list = json_get(&many, S("pods"));
    for (size_t i = 0; i <= USAGE_PODS_MAX; i++)
        json_push(&a, list, json_object());
    T_ERR(usage_put_node(u, S("n"), &many, NOW, &err), E_INVALID);
    put(u, "n", "{'usage':{'cpu':'1e30','memory':'1e-900'},'window':'a text that is much too long to be a duration of anything'}", NOW);
    T_OK(usage_get_node(u, &a, S("n"), NOW, &v));
    T_EQ_STR(json_get_str(json_get(&v, S("usage")), S("cpu")), "9223372036854775807n");
    T_EQ_STR(json_get_str(&v, S("window")), "15s");
    usage_store_free(u);
}

TEST(values)
{
    ARENA_AUTO a = ARENA_INIT;
    struct usage_store *u = usage_store_new();
    struct err err = ERR_NONE;
    struct json one = report(&a, "[{'value':'1'}]"), two = report(&a, "[{'value':'2'},{'value':'3'}]"), none = json_array();
    T_NO_ERR(usage_put_values(u, S("custom/d/pods/a/hits"), &one, NOW, &err), &err);
    T_NO_ERR(usage_put_values(u, S("custom/d/pods/b/hits"), &two, NOW, &err), &err);
    T_NO_ERR(usage_put_values(u, S("custom/d/pods/b/misses"), &two, NOW, &err), &err);
    struct json got = usage_get_values(u, &a, S("custom/d/pods/"), S("/hits"), NOW);
    T_EQ_INT(got.len, 3);
    got = usage_get_values(u, &a, S("custom/d/pods/a/hits"), S(""), NOW);
    T_EQ_STR(json_text(&a, &got), "[{\"value\":\"1\"}]");
    T_NO_ERR(usage_put_values(u, S("custom/d/pods/a/hits"), &none, NOW, &err), &err);
    T_EQ_INT(usage_get_values(u, &a, S("custom/d/pods/"), S("/hits"), NOW).len, 2);
    T_EQ_INT(usage_get_values(u, &a, S("custom/d/pods/"), S("/hits"), NOW + USAGE_AGE_NS).len, 0);
    usage_drop_values(u, S("custom/d/pods/"), S("/hits"));
    T_EQ_INT(usage_get_values(u, &a, S("custom/d/pods/"), S("/hits"), NOW).len, 0);
    T_EQ_INT(usage_get_values(u, &a, S("custom/d/pods/"), S("/misses"), NOW).len, 2);
    usage_store_free(u);
}

TEST(values_are_bounded)
{
    ARENA_AUTO a = ARENA_INIT;
    struct usage_store *u = usage_store_new();
    struct err err = ERR_NONE;
    struct json one = report(&a, "[{'value':'1'}]");
    for (size_t i = 0; i < USAGE_SERIES_MAX; i++)
        T_NO_ERR(usage_put_values(u, arena_fmt(&a, "external/d/m%zu", i), &one, NOW, &err), &err);
    T_ERR(usage_put_values(u, S("external/d/more"), &one, NOW, &err), E_BUSY);
    T_NO_ERR(usage_put_values(u, S("external/d/m7"), &one, NOW, &err), &err); /* one that is there may change */
    T_NO_ERR(usage_put_values(u, S("external/d/more"), &one, NOW + USAGE_AGE_NS, &err), &err);
    T_EQ_INT(usage_get_values(u, &a, S("external/d/m1"), S(""), NOW + USAGE_AGE_NS).len, 0);
    usage_store_free(u);
}

TEST_MAIN(reports, a_new_report_replaces_the_old_one, what_is_old_is_gone, bad_reports, values, values_are_bounded)
