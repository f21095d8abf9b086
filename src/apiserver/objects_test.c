/* SPDX-License-Identifier: Apache-2.0 */
#include "apiserver/objects.h"

#include "apiserver/alloc.h"
#include "apiserver/authz_testing.h"

TEST(keys_go_both_ways)
{
    ARENA_AUTO a = ARENA_INIT;
    const struct api_resource *pods = object_builtin(S(""), S("pods")), *deployments = object_builtin(S("apps"), S("deployments"));
    T_EQ_STR(object_key(&a, pods, S("ns"), S("x")), "/r/core/pods/ns/x");
    T_EQ_STR(object_key(&a, pods, S(""), S("")), "/r/core/pods/");
    T_EQ_STR(object_key(&a, pods, S("ns"), S("")), "/r/core/pods/ns/");
    T_EQ_STR(object_key(&a, object_builtin(S(""), S("nodes")), S(""), S("n1")), "/r/core/nodes/n1");
    str group, plural, rest;
    T_OK(object_key_parse(object_key(&a, deployments, S("d"), S("web")), &group, &plural, &rest));
    T_EQ_STR(group, "apps");
    T_EQ_STR(plural, "deployments");
    T_EQ_STR(rest, "d/web");
    T_OK(!object_key_parse(S("/a/ip/10.96.0.1"), &group, &plural, &rest));
}

TEST(encoding_leaves_room_for_the_revision)
{
    ARENA_AUTO a = ARENA_INIT;
    const struct api_resource *maps = object_builtin(S(""), S("configmaps"));
    struct json obj = json_literal(&a, "{\"metadata\":{\"name\":\"x\",\"resourceVersion\":\"1\"},\"data\":{\"a\":\"b\"},\"kind\":\"Other\"}");
    uint32_t rev_at;
    str bytes = object_encode(&a, maps, &obj, &rev_at);
    T_EQ_STR(bytes, "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"\",\"name\":\"x\"},\"data\":{\"a\":\"b\"}}");
    T_EQ_STR(object_with_revision(&a, bytes, rev_at, 77),
             "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"77\",\"name\":\"x\"},\"data\":{\"a\":\"b\"}}");
    str again = object_with_revision(&a, object_with_revision(&a, bytes, rev_at, 77), rev_at, 123456);
    T_OK(str_find(again, S("\"123456\"")) > 0 && str_find(again, S("77")) < 0);
    T_EQ_STR(object_without_revision(&a, again, rev_at), "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"\",\"name\":\"x\"},\"data\":{\"a\":\"b\"}}");
    T_EQ_STR(str_sub(bytes, 1 + object_type_prefix_len(maps), bytes.len), "\"metadata\":{\"resourceVersion\":\"\",\"name\":\"x\"},\"data\":{\"a\":\"b\"}}");
}

TEST(uids_look_like_uids_and_differ)
{
    char a[37], b[37];
    object_new_uid(a);
    object_new_uid(b);
    T_EQ_INT(strlen(a), 36);
    T_OK(a[14] == '4' && strchr("89ab", a[19]) && a[8] == '-' && a[23] == '-');
    T_OK(strcmp(a, b) != 0);
}

TEST(service_ranges)
{
    uint32_t base, count;
    T_OK(alloc_parse_cidr(S("10.96.0.0/16"), &base, &count) && base == 0x0a600000 && count == 65536);
    T_OK(alloc_parse_cidr(S("192.168.1.77/24"), &base, &count) && base == 0xc0a80100 && count == 256);
    T_OK(!alloc_parse_cidr(S("10.96.0.0"), &base, &count));
    T_OK(!alloc_parse_cidr(S("10.96.0.0/33"), &base, &count));
    T_OK(!alloc_parse_cidr(S("x/16"), &base, &count));
}

static bool note(void *arg, struct json *obj, const struct store_kv *kv UNUSED)
{
    strbuf_addf(arg, STR_FMT ";", STR_ARG(object_name(obj)));
    return true;
}

/* An object without the word has no member that is asked for; one with it is read whole. */
TEST(trees_of_those_that_have_the_word)
{
    struct testing t;
    testing_init(&t);
    testing_put(&t, S(""), S("namespaces"), "{'metadata':{'name':'plain','labels':{'team':'a'}},'status':{'phase':'Active'}}");
    testing_put(&t, S(""), S("namespaces"), "{'metadata':{'name':'strict','labels':{'pod-security.kubernetes.io/enforce':'baseline'}},'status':{'phase':'Active'}}");
    testing_put(&t, S(""), S("namespaces"), "{'metadata':{'name':'going','deletionTimestamp':'2027-01-15T08:00:00Z'},'status':{'phase':'Terminating'}}");
    testing_put(&t, S("scheduling.k8s.io"), S("priorityclasses"), "{'metadata':{'name':'a'},'value':1,'globalDefault':true}");
    testing_put(&t, S("scheduling.k8s.io"), S("priorityclasses"), "{'metadata':{'name':'b'},'value':2,'globalDefault':false,'description':'globalDefault: true'}");
    testing_put(&t, S("scheduling.k8s.io"), S("priorityclasses"), "{'metadata':{'name':'c'},'value':3}");
    struct json ns;
    struct store *s = t.srv.store;
    T_OK(object_get_having(s, &t.arena, S(""), S("namespaces"), S(""), S("plain"), "\"deletionTimestamp\"", "\"Terminating\"", &ns) && !ns.len);
    T_OK(object_get_having(s, &t.arena, S(""), S("namespaces"), S(""), S("going"), "\"deletionTimestamp\"", "\"Terminating\"", &ns) && object_is_deleting(&ns));
    T_OK(object_get_having(s, &t.arena, S(""), S("namespaces"), S(""), S("going"), "\"none\"", "\"Terminating\"", &ns) && object_is_deleting(&ns));
    T_OK(object_get_having(s, &t.arena, S(""), S("namespaces"), S(""), S("strict"), "pod-security.kubernetes.io/", NULL, &ns));
    T_EQ_STR(json_get_str(json_get(object_meta(&ns), S("labels")), S("pod-security.kubernetes.io/enforce")), "baseline");
    T_OK(!object_get_having(s, &t.arena, S(""), S("namespaces"), S(""), S("absent"), "x", NULL, &ns));
    struct strbuf b = strbuf_on(&t.arena);
    const struct api_resource *classes = object_builtin(S("scheduling.k8s.io"), S("priorityclasses"));
    object_each_having(s, &t.arena, classes, S(""), "\"globalDefault\":true", note, &b);
    T_EQ_STR(strbuf_str(&b), "a;");
    strbuf_clear(&b);
    object_each(s, &t.arena, classes, S(""), note, &b);
    T_EQ_STR(strbuf_str(&b), "a;b;c;");
    testing_fini(&t);
}

TEST_MAIN(trees_of_those_that_have_the_word, keys_go_both_ways, encoding_leaves_room_for_the_revision, uids_look_like_uids_and_differ, service_ranges)
