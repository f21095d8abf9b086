/* SPDX-License-Identifier: Apache-2.0 */
#include "base/test.h"
#include "cli/failure.h"
#include "cli/print.h"

TEST(print_json_is_sorted_and_indented)
{
    ARENA_AUTO a = ARENA_INIT;
    struct json v = json_literal(&a, "{\"b\":[1,{\"c\":null}],\"a\":{},\"d\":[],\"s\":\"<&>\"}");
    struct strbuf b = strbuf_on(&a);
    print_json(&a, &b, &v, "    ");
    T_EQ_STR(
        strbuf_str(&b),
        "{\n    \"a\": {},\n    \"b\": [\n        1,\n        {\n            \"c\": null\n        }\n    ],\n    \"d\": [],\n    \"s\": \"\\u003c\\u0026\\u003e\"\n}\n");
}

TEST(print_names)
{
    ARENA_AUTO a = ARENA_INIT;
    struct json pod = json_literal(&a, "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"web\"}}");
    struct json deploy = json_literal(&a, "{\"apiVersion\":\"apps/v1\",\"kind\":\"Deployment\",\"metadata\":{\"name\":\"web\"}}");
    struct strbuf b = strbuf_on(&a);
    print_name(&b, &pod);
    strbuf_add_char(&b, ' ');
    print_name(&b, &deploy);
    T_EQ_STR(strbuf_str(&b), "pod/web deployment.apps/web");
}

TEST(print_without_managed_fields_keeps_the_rest)
{
    ARENA_AUTO a = ARENA_INIT;
    struct json list = json_literal(
        &a, "{\"kind\":\"List\",\"items\":[{\"kind\":\"Pod\",\"metadata\":{\"managedFields\":[1],\"name\":\"a\"}}]}");
    struct json shown = print_without_managed_fields(&a, &list);
    T_EQ_STR(json_text(&a, &shown), "{\"kind\":\"List\",\"items\":[{\"kind\":\"Pod\",\"metadata\":{\"name\":\"a\"}}]}");
    T_OK(json_path(&json_get(&list, S("items"))->items[0], "metadata", "managedFields", NULL) != NULL);
}

static const char table_text[] =
    "{\"kind\":\"Table\",\"columnDefinitions\":[{\"name\":\"Name\",\"type\":\"string\",\"format\":\"name\",\"priority\":0},{\"name\":\"Count\",\"type\":\"integer\",\"priority\":0},"
    "{\"name\":\"Node\",\"type\":\"string\",\"priority\":1}],\"rows\":["
    "{\"cells\":[\"web\",3,\"n1\"],\"object\":{\"metadata\":{\"name\":\"web\",\"namespace\":\"ns\",\"labels\":{\"b\":\"2\",\"x/a\":\"1\"}}}},"
    "{\"cells\":[\"two\\nlines\",null,\"esc\\u001b\"],\"object\":{\"metadata\":{\"name\":\"x\",\"namespace\":\"ns\"}}}]}";

static void check_table(struct print_table t, const char *want)
{
    ARENA_AUTO a = ARENA_INIT;
    STRBUF_AUTO out = STRBUF_HEAP;
    TABS_AUTO tabs = TABS_TABLE;
    struct json table = json_literal(&a, table_text);
    t.arena = &a;
    print_table(&t, &tabs, &table);
    tabs_flush(&tabs, &out);
    T_EQ_STR(strbuf_str(&out), want);
}

TEST(print_tables)
{
    static const str labels[] = {STR_INIT("x/a")};
    check_table((struct print_table){0}, "NAME     COUNT\nweb      3\ntwo...   \n");
    check_table((struct print_table){.wide = true}, "NAME     COUNT   NODE\nweb      3       n1\ntwo...           esc^[\n");
    check_table((struct print_table){.no_headers = true}, "web      3\ntwo...   \n");
    check_table((struct print_table){.with_namespace = true},
                "NAMESPACE   NAME     COUNT\nns          web      3\nns          two...   \n");
    check_table((struct print_table){.kind_prefix = S("pod")}, "NAME         COUNT\npod/web      3\npod/two...   \n");
    check_table((struct print_table){.show_labels = true},
                "NAME     COUNT   LABELS\nweb      3       b=2,x/a=1\ntwo...           <none>\n");
    check_table((struct print_table){.label_columns = labels, .nlabel_columns = 1},
                "NAME     COUNT   A\nweb      3       1\ntwo...           \n");
    check_table((struct print_table){.event = S("ADDED")},
                "EVENT      NAME     COUNT\nADDED      web      3\nADDED      two...   \n");
}

TEST(print_table_headers_come_once)
{
    ARENA_AUTO a = ARENA_INIT;
    TABS_AUTO tabs = TABS_TABLE;
    struct json table = json_literal(&a, table_text), bare = json_literal(&a, "{\"rows\":[{\"cells\":[\"z\",1,\"n\"]}]}"),
                empty = json_literal(&a, "{\"rows\":[]}");
    struct print_table t = {.arena = &a};
    print_table(&t, &tabs, &empty);
    T_EQ_INT(tabs.text.len, 0);
    print_table(&t, &tabs, &table);
    strbuf_clear(&tabs.text);
    print_table(&t, &tabs, &table);
    T_OK(!strstr(tabs.text.p, "NAME"));
    strbuf_clear(&tabs.text);
    print_table(&t, &tabs, &bare); /* watch events have no columns */
    T_EQ_STR(strbuf_str(&tabs.text), "z\t1\n");
}

static void check_sort(const char *list, const char *path, const char *want)
{
    ARENA_AUTO a = ARENA_INIT;
    struct json v = json_literal(&a, list);
    struct failure f = FAILURE_NONE;
    T_NO_ERR(print_sort(&a, &v, S(""), path, &f), &f.err);
    T_EQ_STR(json_text(&a, &v), want);
}

TEST(print_sort_orders)
{
    check_sort("[{\"a\":10},{\"a\":9},{\"b\":1},{\"a\":9,\"z\":1}]", ".a", "[{\"b\":1},{\"a\":9},{\"a\":9,\"z\":1},{\"a\":10}]");
    check_sort("[{\"a\":\"1Gi\"},{\"a\":\"100Mi\"}]", "{.a}", "[{\"a\":\"100Mi\"},{\"a\":\"1Gi\"}]");
    check_sort("[{\"a\":\"b\"},{\"a\":\"a\"}]", "a", "[{\"a\":\"a\"},{\"a\":\"b\"}]");
    ARENA_AUTO a = ARENA_INIT;
    struct json v = json_literal(&a, "[{\"a\":1}]");
    struct failure f = FAILURE_NONE;
    T_ERR(print_sort(&a, &v, S(""), ".x.y", &f), E_NOT_FOUND);
    T_EQ_STR(str_of(f.err.msg), "couldn't find any field with path \"{.x.y}\" in the list of objects");
}

TEST(failure_words)
{
    ARENA_AUTO a = ARENA_INIT;
    STRBUF_AUTO b = STRBUF_HEAP;
    struct failure f = {
        .from_server = true, .status = json_literal(&a, "{\"reason\":\"NotFound\"}"), .message = S("pods \"x\" not found")};
    f.err.code = E_NOT_FOUND;
    failure_wrap(&f, &a, "error when deleting \"%s\": ", "f.yaml");
    failure_write(&b, &f);
    T_EQ_STR(strbuf_str(&b), "Error from server (NotFound): error when deleting \"f.yaml\": pods \"x\" not found");
    strbuf_clear(&b);
    f = FAILURE_NONE;
    err_set(&f.err, E_UNAVAILABLE, "cannot connect to 127.0.0.1:1: Connection refused; is the server running?");
    failure_write(&b, &f);
    T_EQ_STR(strbuf_str(&b), "The connection to the server 127.0.0.1:1 was refused - did you specify the right host or port?");
}

TEST_MAIN(print_json_is_sorted_and_indented, print_names, print_without_managed_fields_keeps_the_rest, print_tables,
          print_table_headers_come_once, print_sort_orders, failure_words)
