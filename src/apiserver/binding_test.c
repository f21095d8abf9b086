/* SPDX-License-Identifier: Apache-2.0 */
#include "apiserver/binding.h"

#include "api/selector.h"
#include "api/validate.h"
#include "apiserver/authz_testing.h"

#define NOW S("2027-01-15T08:00:00Z")

/* What the change on the tree would store, without the revision. */
static str by_tree(struct arena *a, str stored, str node)
{
    const struct api_resource *pods = object_builtin(S(""), S("pods"));
    struct json obj = object_parse(a, arena_str(a, stored)), list = json_array(), c = json_object();
    uint32_t rev_at;
    json_set(a, json_ensure_object(a, &obj, S("spec")), S("nodeName"), json_string(node));
    json_set(a, &c, S("type"), json_string(S("PodScheduled")));
    json_set(a, &c, S("status"), json_string(S("True")));
    json_set(a, &c, S("lastProbeTime"), json_null());
    json_set(a, &c, S("lastTransitionTime"), json_string(NOW));
    json_push(a, &list, c);
    json_set(a, json_ensure_object(a, &obj, S("status")), S("conditions"), list);
    return object_encode(a, pods, &obj, &rev_at);
}

static struct store_kv *stored(struct testing *t, const char *text)
{
    testing_put(t, S(""), S("pods"), text);
    struct store_kv *kv = store_get(t->srv.store, object_key(&t->arena, object_builtin(S(""), S("pods")), S("default"), S("p")));
    BUG_ON(!kv);
    return kv;
}

TEST(bytes_are_those_of_the_tree)
{
    static const char *const pods[] = {
        "{'metadata':{'name':'p','namespace':'default','uid':'u1'},'spec':{'containers':[{'name':'c'}]},'status':{'phase':'Pending'}}",
        "{'metadata':{'name':'p','namespace':'default','uid':'u1','labels':{'nodeName':'x','a':'}'},'annotations':{'conditions':'[]','j':'{\\u0022nodeName\\u0022:1}'},"
        "'managedFields':[{'manager':'m','fieldsV1':{'f:spec':{'f:nodeName':{}}}}]},"
        "'spec':{'containers':[{'name':'c','env':[{'name':'nodeName','value':'y'}]}],'tolerations':[]},'status':{'phase':'Pending','qosClass':'BestEffort'}}",
        "{'metadata':{'uid':'u1','name':'p','namespace':'default'},'spec':{'a':{'nodeName':1,'schedulingGates':2}},'status':{'x':{'conditions':[]}},'more':{'spec':1}}",
    };
    static const char *const nodes[] = {"n1", "a-very-long-name.of.a.node.example", "q\"uote"};
    struct testing t;
    testing_init(&t);
    for (size_t i = 0; i < ARRAY_LEN(pods); i++)
        for (size_t k = 0; k < ARRAY_LEN(nodes); k++) {
            struct store_kv *kv = stored(&t, pods[i]);
            str bytes;
            uint32_t rev_at;
            T_OK(binding_splice(&t.arena, kv, S("u1"), str_of(nodes[k]), NOW, &bytes, &rev_at));
            T_OK(str_eq(bytes, by_tree(&t.arena, store_kv_value(kv), str_of(nodes[k]))));
            T_EQ_INT(rev_at, kv->rev_at);
            T_OK(binding_splice(&t.arena, kv, S(""), str_of(nodes[k]), NOW, &bytes, &rev_at));
            store_kv_unref(kv);
        }
    testing_fini(&t);
}

TEST(what_needs_a_look_is_left_alone)
{
    static const char *const pods[] = {
        "{'metadata':{'name':'p','namespace':'default','uid':'u2'},'spec':{'containers':[]},'status':{'phase':'Pending'}}",
        "{'metadata':{'name':'p','namespace':'default'},'spec':{'containers':[]},'status':{'phase':'Pending'}}",
        "{'metadata':{'name':'p','namespace':'default','uid':'u1','deletionTimestamp':'2027-01-15T08:00:00Z'},'spec':{'containers':[]},'status':{'phase':'Pending'}}",
        "{'metadata':{'name':'p','namespace':'default','uid':'u1'},'spec':{'containers':[],'nodeName':'n0'},'status':{'phase':'Pending'}}",
        "{'metadata':{'name':'p','namespace':'default','uid':'u1'},'spec':{'containers':[],'schedulingGates':[{'name':'g'}]},'status':{'phase':'Pending'}}",
        "{'metadata':{'name':'p','namespace':'default','uid':'u1'},'spec':{'containers':[]},'status':{'phase':'Pending','conditions':[]}}",
        "{'metadata':{'name':'p','namespace':'default','uid':'u1'},'spec':{'containers':[]},'status':{}}",
        "{'metadata':{'name':'p','namespace':'default','uid':'u1'},'spec':{'containers':[]}}",
        "{'metadata':{'name':'p','namespace':'default','uid':'u1'},'spec':{},'status':{'phase':'Pending'}}",
    };
    struct testing t;
    testing_init(&t);
    for (size_t i = 0; i < ARRAY_LEN(pods); i++) {
        struct store_kv *kv = stored(&t, pods[i]);
        str bytes;
        uint32_t rev_at;
        T_OK(!binding_splice(&t.arena, kv, S("u1"), S("n1"), NOW, &bytes, &rev_at));
        store_kv_unref(kv);
    }
    testing_fini(&t);
}

static int annotate(struct arena *a, struct json *pod, const char *notes, struct err *err)
{
    struct json n;
    BUG_ON(json_parse(a, arena_str(a, str_of(notes)), NULL, &n, err) < 0);
    return binding_annotate(a, pod, &n, err);
}

TEST(annotations_go_to_the_pod)
{
    ARENA_AUTO a = ARENA_INIT;
    struct err err = ERR_NONE;
    struct json pod = object_parse(&a, S("{\"metadata\":{\"name\":\"p\"}}")), nothing = json_null();
    T_NO_ERR(binding_annotate(&a, &pod, NULL, &err), &err);
    T_NO_ERR(binding_annotate(&a, &pod, &nothing, &err), &err);
    T_NO_ERR(annotate(&a, &pod, "{}", &err), &err);
    T_OK(!json_get(object_meta(&pod), S("annotations")));
    T_NO_ERR(annotate(&a, &pod, "{\"cox.io/gpu-ids\":\"0,3\",\"mine\":\"old\"}", &err), &err);
    T_NO_ERR(annotate(&a, &pod, "{\"mine\":\"new\",\"Example.COM/x\":\"\"}", &err), &err);
    const struct json *all = json_get(object_meta(&pod), S("annotations"));
    T_EQ_INT(all->len, 3);
    T_EQ_STR(json_get_str(all, S("cox.io/gpu-ids")), "0,3");
    T_EQ_STR(json_get_str(all, S("mine")), "new");
    static const char *const bad[] = {"{\"two words\":\"x\"}", "{\"\":\"x\"}", "{\"a/b/c\":\"x\"}", "{\"n\":1}", "{\"n\":null}", "{\"n\":{}}"};
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        T_EQ_INT(annotate(&a, &pod, bad[i], &err), -E_INVALID);
        T_OK(str_has_prefix(str_of(err.msg), S("Binding \"p\" is invalid: metadata.annotations: Invalid value: ")));
    }
    /* what the pod has counts, too */
    char *long_text = xcalloc(1, ANNOTATIONS_MAX_BYTES + 1);
    memset(long_text, 'x', ANNOTATIONS_MAX_BYTES);
    struct json most = json_object();
    json_set(&a, &most, S("most"), json_string(str_n(long_text, ANNOTATIONS_MAX_BYTES - 4)));
    T_EQ_INT(binding_annotate(&a, &pod, &most, &err), -E_INVALID);
    T_EQ_STR(str_of(err.msg), "Binding \"p\" is invalid: metadata.annotations: Too long: may not be more than 262144 bytes");
    pod = object_parse(&a, S("{\"metadata\":{\"name\":\"p\"}}"));
    T_NO_ERR(binding_annotate(&a, &pod, &most, &err), &err);
    free(long_text);
}

/* Fields looked up in the text select what fields looked up in the tree select. */
TEST(fields_in_text_and_tree)
{
    static const char *const pods[] = {
        "{'metadata':{'name':'p','namespace':'default'},'spec':{'nodeName':'n1','restartPolicy':'Always'},'status':{'phase':'Pending'}}",
        "{'metadata':{'name':'p','namespace':'default'},'spec':{'containers':[{'nodeName':'n1'}],'schedulerName':'s'},'status':{'phase':'Running'}}",
        "{'metadata':{'name':'p','namespace':'default'},'spec':{'nodeName':'','hostNetwork':true}}",
        "{'metadata':{'name':'p','namespace':'default'},'spec':{'nodeName':null},'status':{'phase':'Run\\u006eing'}}",
        "{'metadata':{'name':'p','namespace':'default'},'spec':'odd','status':{'nominatedNodeName':'n1'}}",
        "{'metadata':{'name':'p','namespace':'default'}}",
    };
    static const char *const selectors[] = {"spec.nodeName=n1", "spec.nodeName!=", "spec.nodeName=", "spec.nodeName=n2", "status.phase=Running,spec.nodeName=n1", "status.phase!=Running",
                                            "metadata.name=p", "metadata.namespace!=default", "spec.hostNetwork=true", "spec.schedulerName=s,spec.restartPolicy=", "status.nominatedNodeName=n1"};
    const struct api_resource *res = object_builtin(S(""), S("pods"));
    struct testing t;
    size_t told = 0;
    testing_init(&t);
    for (size_t i = 0; i < ARRAY_LEN(pods); i++)
        for (size_t k = 0; k < ARRAY_LEN(selectors); k++) {
            struct store_kv *kv = stored(&t, pods[i]);
            struct selector s;
            struct err err;
            T_NO_ERR(selector_parse_fields(&t.arena, res, str_of(selectors[k]), &s, &err), &err);
            struct list_opts o = {.fields = &s};
            struct json obj = object_parse(&t.arena, store_kv_value(kv));
            int by_text = list_matches_text(&o, res, store_kv_value(kv));
            T_OK(by_text < 0 || by_text == list_matches(&o, res, &obj));
            told += by_text >= 0;
            store_kv_unref(kv);
        }
    T_OK(told > ARRAY_LEN(pods) * ARRAY_LEN(selectors) * 3 / 4);
    testing_fini(&t);
}

/* Labels that are looked for in the text never leave out what the tree has, and the text alone decides most of what does not match. */
TEST(labels_in_text_and_tree)
{
    static const char *const pods[] = {
        "{'metadata':{'name':'p','namespace':'default','labels':{'app':'web','tier':''}}}",
        "{'metadata':{'name':'p','namespace':'default','labels':{'app':'webs'},'annotations':{'app':'web'}}}",
        "{'metadata':{'name':'p','namespace':'default','labels':{'a.b/app':'web'}}}",
        "{'metadata':{'name':'p','namespace':'default'}}",
    };
    static const char *const selectors[] = {"app=web", "app=web,tier=", "tier=", "app!=web", "app in (web)", "app in (web,webs)", "!app", "a.b/app=web", "app=", "app=nothing,tier"};
    const struct api_resource *res = object_builtin(S(""), S("pods"));
    struct testing t;
    size_t told = 0, missed = 0;
    testing_init(&t);
    for (size_t i = 0; i < ARRAY_LEN(pods); i++)
        for (size_t k = 0; k < ARRAY_LEN(selectors); k++) {
            struct store_kv *kv = stored(&t, pods[i]);
            struct selector s;
            struct err err;
            T_NO_ERR(selector_parse_labels(&t.arena, str_of(selectors[k]), &s, &err), &err);
            struct list_opts o = {.labels = &s};
            struct json obj = object_parse(&t.arena, store_kv_value(kv));
            int by_text = list_matches_text(&o, res, store_kv_value(kv));
            T_OK(by_text < 0 || by_text == list_matches(&o, res, &obj));
            told += by_text >= 0;
            missed += by_text < 0 && !list_matches(&o, res, &obj) && selectors[k][3] == '=';
            store_kv_unref(kv);
        }
    T_OK(told > 10);
    T_OK(missed <= 2);
    testing_fini(&t);
}

TEST_MAIN(bytes_are_those_of_the_tree, what_needs_a_look_is_left_alone, annotations_go_to_the_pod, fields_in_text_and_tree, labels_in_text_and_tree)
