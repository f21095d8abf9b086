/* SPDX-License-Identifier: Apache-2.0 */
#include "base/test.h"
#include "cli/manifests.h"

static struct manifests parse(struct arena *a, const char *text, struct failure *f)
{
    struct manifests m = {0};
    int r = manifests_parse(a, str_of(text), S("x.yaml"), &m, f);
    if (r < 0)
        m.len = 999;
    return m;
}

static str name_of(const struct manifests *m, size_t i)
{
    return json_str(json_path(&m->p[i].object, "metadata", "name", NULL));
}

TEST(manifests_documents)
{
    ARENA_AUTO a = ARENA_INIT;
    struct failure f = FAILURE_NONE;
    struct manifests m = parse(
        &a,
        "# comment\n---\napiVersion: v1\nkind: Pod\nmetadata: {name: a}\n---\n---\napiVersion: v1\nkind: Pod\nmetadata: {name: b}\n...\n",
        &f);
    T_EQ_INT(m.len, 2);
    T_EQ_STR(name_of(&m, 0), "a");
    T_EQ_STR(name_of(&m, 1), "b");
    T_EQ_STR(m.p[1].source, "x.yaml");
}

TEST(manifests_json_streams)
{
    ARENA_AUTO a = ARENA_INIT;
    struct failure f = FAILURE_NONE;
    struct manifests m = parse(
        &a,
        " {\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"a\"}}\n{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"b\"}}",
        &f);
    T_EQ_INT(m.len, 2);
    m = parse(&a, "{apiVersion: v1, kind: Pod, metadata: {name: flow}}", &f);
    T_EQ_INT(m.len, 1);
    T_EQ_STR(name_of(&m, 0), "flow");
}

TEST(manifests_lists_are_flattened)
{
    ARENA_AUTO a = ARENA_INIT;
    struct failure f = FAILURE_NONE;
    struct manifests m = parse(
        &a,
        "kind: List\napiVersion: v1\nitems:\n- apiVersion: v1\n  kind: Pod\n  metadata: {name: a}\n- kind: List\n  items: [{apiVersion: v1, kind: Pod, metadata: {name: b}}]\n",
        &f);
    T_EQ_INT(m.len, 2);
    m = parse(&a, "kind: PodList\napiVersion: v1\nitems:\n- metadata: {name: a}\n", &f);
    T_EQ_INT(m.len, 1);
    T_EQ_STR(json_get_str(&m.p[0].object, S("kind")), "Pod");
    T_EQ_STR(json_get_str(&m.p[0].object, S("apiVersion")), "v1");
}

TEST(manifests_failures)
{
    ARENA_AUTO a = ARENA_INIT;
    struct failure f = FAILURE_NONE;
    T_EQ_INT(parse(&a, "metadata: {name: a}\n", &f).len, 999);
    T_EQ_STR(
        str_of(f.err.msg),
        "error validating \"x.yaml\": error validating data: [apiVersion not set, kind not set]; if you choose to ignore these errors, turn validation off with --validate=false");
    T_EQ_INT(parse(&a, "kind: [\n", &f).len, 999);
    T_OK(strstr(f.err.msg, "error parsing x.yaml: error converting YAML to JSON: yaml:") != NULL);
    T_EQ_INT(parse(&a, "", &f).len, 0);
    T_EQ_INT(parse(&a, "---\n# nothing\n", &f).len, 0);
}

TEST_MAIN(manifests_documents, manifests_json_streams, manifests_lists_are_flattened, manifests_failures)
