/* SPDX-License-Identifier: Apache-2.0 */
#include "api/codec_testing.h"

/* Conforms `text` to the built-in type its kind names; false and the message in *ret_err on a type error. */
static bool conform(struct arena *a, const char *text, struct json *ret, struct api_field_report *report, struct err *ret_err)
{
    *ret = testing_json(a, text);
    const struct api_resource *r = testing_resource_of(a, ret);
    *ret_err = ERR_NONE;
    return r && api_conform(a, r->type, ret, report, ret_err) == 0;
}

#define POD(spec) "{'kind':'Pod','apiVersion':'v1','spec':" spec "}"
#define CONFIG_MAP(rest) "{'kind':'ConfigMap','apiVersion':'v1'," rest "}"

static void check_kept(const char *text, const char *want)
{
    ARENA_AUTO a = ARENA_INIT;
    struct api_field_report report = {0};
    struct err err;
    struct json v;
    bool ok = conform(&a, text, &v, &report, &err);
    T_OK(ok);
    if (!ok)
        printf("# %s\n", err.msg);
    T_EQ_INT(report.len, 0);
    T_EQ_JSON(&a, &v, want);
}

static void check_error(const char *text, const char *want)
{
    ARENA_AUTO a = ARENA_INIT;
    struct err err;
    struct json v;
    T_OK(!conform(&a, text, &v, NULL, &err));
    T_EQ_INT(err.code, E_PARSE);
    T_EQ_STR(str_of(err.msg), want);
}

static void check_report(const char *text, const char *const *want, size_t n)
{
    ARENA_AUTO a = ARENA_INIT;
    struct api_field_report report = {0};
    struct err err;
    struct json v;
    T_OK(conform(&a, text, &v, &report, &err));
    T_EQ_INT(report.len, n);
    for (size_t i = 0; i < MIN(n, report.len); i++)
        T_EQ_STR(report.items[i], want[i]);
}

#define ROUTE(amount) "{'kind':'ClusterDomainRoute','apiVersion':'kuscia.secretflow/v1alpha1','spec':{'bandwidth':" amount "}}"

TEST(bandwidth_may_go_without_quotes)
{
    check_kept(ROUTE("200000000"), ROUTE("'200000000'"));
    check_kept(ROUTE("1e+09"), ROUTE("'1e+09'"));
    check_kept(ROUTE("-5"), ROUTE("'-5'")); /* validation says what is wrong with it */
    check_kept(ROUTE("0"), ROUTE("'0'"));
    check_kept(ROUTE("'100Mbps'"), ROUTE("'100Mbps'"));
    check_error(ROUTE("true"), "json: cannot unmarshal bool into Go struct field RouteSpec.spec.bandwidth of type string");
}

TEST(zero_values_go_where_go_omits_them)
{
    check_kept(POD("{'hostNetwork':false,'nodeName':'','containers':[],'volumes':[],'nodeSelector':{},'priority':0}"),
               POD("{'containers':[],'priority':0}"));
    /* pointers keep their zero, structs are never empty */
    check_kept(POD("{'automountServiceAccountToken':false,'securityContext':{},'affinity':{'nodeAffinity':{}}}"),
               POD("{'automountServiceAccountToken':false,'securityContext':{},'affinity':{'nodeAffinity':{}}}"));
}

TEST(null_is_absent_for_fields_and_zero_inside)
{
    check_kept("{'kind':'Pod','apiVersion':'v1','metadata':{'name':null,'labels':{'a':null},'finalizers':[null]},'spec':null}",
               "{'kind':'Pod','apiVersion':'v1','metadata':{'labels':{'a':''},'finalizers':['']}}");
    check_kept(POD("{'containers':[null],'overhead':{'cpu':null}}"), POD("{'containers':[{}],'overhead':{'cpu':'0'}}"));
}

TEST(scalars_get_their_canonical_text)
{
    check_kept(POD("{'containers':[{'resources':{'limits':{'cpu':0.5,'memory':'1024Mi','x':' 3 '}}}]}"),
               POD("{'containers':[{'resources':{'limits':{'cpu':'500m','memory':'1Gi','x':'3'}}}]}"));
    check_kept("{'kind':'Pod','apiVersion':'v1','metadata':{'deletionTimestamp':'2024-01-02T03:04:05+01:00'}}",
               "{'kind':'Pod','apiVersion':'v1','metadata':{'deletionTimestamp':'2024-01-02T02:04:05Z'}}");
    check_kept("{'kind':'Lease','apiVersion':'coordination.k8s.io/v1','spec':{'renewTime':'2024-01-02T03:04:05.000006+01:00'}}",
               "{'kind':'Lease','apiVersion':'coordination.k8s.io/v1','spec':{'renewTime':'2024-01-02T02:04:05.000006Z'}}");
    check_kept("{'kind':'Secret','apiVersion':'v1','data':{'a':'YQ=\\n='}}",
               "{'kind':'Secret','apiVersion':'v1','data':{'a':'YQ=='}}");
    check_kept(POD("{'containers':[{'livenessProbe':{'httpGet':{'port':'web'},'tcpSocket':{'port':-0}}}]}"),
               POD("{'containers':[{'livenessProbe':{'httpGet':{'port':'web'},'tcpSocket':{'port':0}}}]}"));
}

TEST(type_errors_read_like_gos)
{
#define UNMARSHAL "json: cannot unmarshal "
    check_error("{'kind':'Pod','apiVersion':'v1','metadata':{'labels':{'a':1}}}",
                UNMARSHAL "number into Go struct field ObjectMeta.metadata.labels of type string");
    check_error("{'kind':'Deployment','apiVersion':'apps/v1','spec':{'replicas':'3'}}",
                UNMARSHAL "string into Go struct field DeploymentSpec.spec.replicas of type int32");
    check_error("{'kind':'Deployment','apiVersion':'apps/v1','spec':{'replicas':1.5}}",
                UNMARSHAL "number 1.5 into Go struct field DeploymentSpec.spec.replicas of type int32");
    check_error("{'kind':'Deployment','apiVersion':'apps/v1','spec':{'replicas':2147483648}}",
                UNMARSHAL "number 2147483648 into Go struct field DeploymentSpec.spec.replicas of type int32");
    check_error(POD("{'containers':{}}"),
                UNMARSHAL "object into Go struct field PodSpec.spec.containers of type []v1.Container");
    check_error(POD("'x'"), UNMARSHAL "string into Go struct field Pod.spec of type v1.PodSpec");
    check_error(POD("{'containers':[{'image':[]}]}"),
                UNMARSHAL "array into Go struct field Container.spec.containers.image of type string");
    check_error(POD("{'containers':[{'resources':{'limits':5}}]}"), UNMARSHAL
                "number into Go struct field ResourceRequirements.spec.containers.resources.limits of type v1.ResourceList");
    check_error("{'kind':'Service','apiVersion':'v1','spec':{'ports':[{'targetPort':true}]}}",
                UNMARSHAL "bool into Go struct field ServicePort.spec.ports.targetPort of type int32");
    check_error("{'kind':'Pod','apiVersion':'v1','metadata':{'creationTimestamp':5}}",
                UNMARSHAL "number into Go struct field ObjectMeta.metadata.creationTimestamp of type string");
    check_error(CONFIG_MAP("'data':[]"), UNMARSHAL "array into Go struct field ConfigMap.data of type map[string]string");
    check_error("{'kind':'Secret','apiVersion':'v1','data':{'a':'!'}}", "illegal base64 data at input byte 0");
    /* the first of several, unless a scalar's own parser ends the decoding */
    check_error(POD("{'nodeName':1,'hostname':2}"),
                UNMARSHAL "number into Go struct field PodSpec.spec.nodeName of type string");
    check_error(POD("{'nodeName':1,'overhead':{'cpu':'x'}}"),
                "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
}

TEST(kind_and_version_are_looked_at_first)
{
    ARENA_AUTO a = ARENA_INIT;
    struct err err = ERR_NONE;
    const struct api_resource *pods = testing_resource(&a, S("v1"), S("Pod"));
    struct json v = testing_json(&a, "{'kind':5}");
    T_ERR(api_conform(&a, pods->type, &v, NULL, &err), E_PARSE);
    T_EQ_STR(str_of(err.msg),
             "couldn't get version/kind; json parse error: " UNMARSHAL "number into Go struct field .kind of type string");
    v = json_array();
    T_ERR(api_conform(&a, pods->type, &v, NULL, &err), E_PARSE);
    T_OK(str_has_prefix(str_of(err.msg),
                        S("couldn't get version/kind; json parse error: " UNMARSHAL "array into Go value of type struct")));
    v = json_null();
    T_NO_ERR(api_conform(&a, pods->type, &v, NULL, &err), &err);
    T_EQ_INT(v.type, JSON_OBJECT);
}

TEST(unknown_fields_are_reported_once_and_dropped)
{
    static const char *const want[] = {"unknown field \"spec.foo\"", "unknown field \"spec.containers[1].bar\"",
                                       "unknown field \"spec.containers[1].env[0].Name\"", "unknown field \"top\""};
    check_report(
        "{'kind':'Pod','apiVersion':'v1','spec':{'foo':{'x':1},'containers':[{},{'bar':1,'env':[{'Name':'a'}]}]},'top':null}",
        want, ARRAY_LEN(want));
    static const char *const quoted[] = {"unknown field \"a\\\"b\""};
    check_report(CONFIG_MAP("'a\\\"b':1"), quoted, 1);
    check_report(CONFIG_MAP("'data':{'any.thing':'x'}"), NULL, 0);
}

TEST(report_is_bounded)
{
    ARENA_AUTO a = ARENA_INIT;
    struct json v = testing_json(&a, CONFIG_MAP("'data':{}"));
    for (int i = 0; i < 200; i++)
        json_set(&a, &v, arena_fmt(&a, "f%d", i), json_bool(true));
    struct api_field_report report = {0};
    struct err err = ERR_NONE;
    T_NO_ERR(api_conform(&a, testing_resource_of(&a, &v)->type, &v, &report, &err), &err);
    T_EQ_INT(report.len, API_REPORT_MAX);
    T_EQ_INT(v.len, 2);
}

TEST(conform_is_idempotent)
{
    ARENA_AUTO a = ARENA_INIT;
    struct err err;
    struct json once;
    T_OK(conform(&a, POD("{'containers':[{'name':'a','resources':{'limits':{'cpu':0.1}},'ports':[{'containerPort':0}]}]}"),
                 &once, NULL, &err));
    struct json twice = json_copy(&a, &once);
    T_NO_ERR(api_conform(&a, testing_resource_of(&a, &twice)->type, &twice, NULL, &err), &err);
    T_OK(json_equal(&once, &twice));
}

TEST(complete_adds_what_go_always_writes)
{
    ARENA_AUTO a = ARENA_INIT;
    struct json v = testing_json(&a, "{'kind':'Deployment','apiVersion':'apps/v1','metadata':{'name':'x'},'spec':{}}");
    api_complete(&a, testing_resource_of(&a, &v)->type, &v);
    T_EQ_JSON(
        &a, &v,
        "{'kind':'Deployment','apiVersion':'apps/v1','metadata':{'name':'x','creationTimestamp':null},'spec':{'selector':null,"
        "'template':{'metadata':{'creationTimestamp':null},'spec':{'containers':null}},'strategy':{}},'status':{}}");
}

TEST(bodies_are_parsed_by_media_type)
{
    ARENA_AUTO a = ARENA_INIT;
    struct api_field_report report = {0};
    struct err err = ERR_NONE;
    struct json v;
    T_NO_ERR(api_parse_body(&a, API_MEDIA_JSON, S("{\"data\":{\"a\":\"1\",\"a\":\"2\"}}"), NULL, &v, &report, &err), &err);
    T_EQ_JSON(&a, &v, "{'data':{'a':'2'}}");
    T_EQ_INT(report.len, 1);
    T_EQ_STR(report.items[0], "duplicate field \"data.a\"");
    T_NO_ERR(api_parse_body(&a, API_MEDIA_YAML, S("a: 1\nb: [x]\n---\nc: 2\n"), NULL, &v, &report, &err), &err);
    T_EQ_JSON(&a, &v, "{'a':1,'b':['x']}");
    report.len = 0;
    T_NO_ERR(api_parse_body(&a, API_MEDIA_YAML, S("a: 1\nb:\n  c: 1\n  c: 2\na:\n  x: 1\n"), NULL, &v, &report, &err), &err);
    T_EQ_INT(report.len, 1);
    T_EQ_STR(report.items[0],
             "yaml: unmarshal errors:\n  line 4: key \"c\" already set in map\n  line 6: key \"a\" already set in map");
    T_ERR(api_parse_body(&a, API_MEDIA_JSON, S("{"), NULL, &v, &report, &err), E_PARSE);
    T_EQ_STR(str_of(err.msg), "couldn't get version/kind; json parse error: unexpected end of JSON input");
    T_ERR(api_parse_body(&a, API_MEDIA_PROTOBUF, S("{}"), testing_resource(&a, S("v1"), S("Pod"))->type, &v, &report, &err),
          E_PARSE);
    T_EQ_STR(str_of(err.msg), "provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]");
}

/* --- custom resources: a schema as the CRD code makes it ------------------------------------------------------- */

static const struct schema_type list_of_strings = {.kind = SCHEMA_LIST, .elem = &schema_string};
static const struct schema_type open_object = {.kind = SCHEMA_OBJECT, .preserve_unknown = true};
static const struct schema_type embedded_object = {.kind = SCHEMA_OBJECT, .preserve_unknown = true, .embedded = true};
static const struct schema_type item_type = {.kind = SCHEMA_STRING, .dflt = STR_INIT("\"d\"")};
static const struct schema_type list_with_default = {.kind = SCHEMA_LIST, .elem = &item_type};
static const struct schema_field spec_fields[] = {
    {.name = STR_INIT("size"), .type = &schema_int64, .flags = SCHEMA_POINTER, .dflt = STR_INIT("3")},
    {.name = STR_INIT("names"), .type = &list_of_strings, .flags = SCHEMA_POINTER},
    {.name = STR_INIT("note"), .type = &schema_string, .flags = SCHEMA_POINTER | SCHEMA_NULLABLE},
    {.name = STR_INIT("open"), .type = &open_object, .flags = SCHEMA_POINTER},
    {.name = STR_INIT("template"), .type = &embedded_object, .flags = SCHEMA_POINTER},
    {.name = STR_INIT("items"), .type = &list_with_default, .flags = SCHEMA_POINTER},
};
static const struct schema_type spec_type = {.kind = SCHEMA_OBJECT, .fields = spec_fields, .nfields = ARRAY_LEN(spec_fields)};
static const struct schema_field custom_fields[] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string},
    {.name = STR_INIT("kind"), .type = &schema_string},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ObjectMeta},
    {.name = STR_INIT("spec"), .type = &spec_type},
};
static const struct schema_type custom_type = {
    .kind = SCHEMA_OBJECT, .fields = custom_fields, .nfields = ARRAY_LEN(custom_fields), .raw = STR_INIT("{}")};

TEST(custom_resources_are_pruned_not_typed)
{
    ARENA_AUTO a = ARENA_INIT;
    struct api_field_report report = {0};
    struct err err = ERR_NONE;
    struct json v = testing_json(
        &a, "{'kind':'W','apiVersion':'g/v1','metadata':{'name':'x','labels':{},'foo':1},'spec':{'size':0,'names':[],"
            "'note':null,'open':{'any':[null]},'extra':1,'template':{'kind':'Pod','metadata':{'uid':'','x':1},'z':0},'items':"
            "null}}");
    T_NO_ERR(api_conform(&a, &custom_type, &v, &report, &err), &err);
    T_EQ_JSON(&a, &v,
              "{'kind':'W','apiVersion':'g/v1','metadata':{'name':'x'},'spec':{'size':0,'names':[],"
              "'note':null,'open':{'any':[null]},'template':{'kind':'Pod','metadata':{},'z':0}}}");
    T_EQ_INT(report.len, 3);
    T_EQ_STR(report.items[0], "unknown field \"metadata.foo\"");
    T_EQ_STR(report.items[1], "unknown field \"spec.extra\"");
    T_EQ_STR(report.items[2], "unknown field \"spec.template.metadata.x\"");
    /* wrong types are for validation to find */
    v = testing_json(&a, "{'spec':{'size':'big','names':{'a':1}}}");
    T_NO_ERR(api_conform(&a, &custom_type, &v, NULL, &err), &err);
    T_EQ_JSON(&a, &v, "{'spec':{'size':'big','names':{'a':1}}}");
    v = testing_json(&a, "{'metadata':{'labels':{'a':1}}}");
    T_ERR(api_conform(&a, &custom_type, &v, NULL, &err), E_PARSE);
    T_EQ_STR(str_of(err.msg), UNMARSHAL "number into Go struct field ObjectMeta.labels of type string");
    v = testing_json(&a, "{'spec':{'template':{'kind':5}}}");
    T_ERR(api_conform(&a, &custom_type, &v, NULL, &err), E_PARSE);
    T_EQ_STR(str_of(err.msg), "spec.template.kind: Invalid value: 5: must be a string");
}

TEST(custom_defaults_replace_forbidden_nulls)
{
    ARENA_AUTO a = ARENA_INIT;
    struct json v = testing_json(&a, "{'spec':{'size':null,'items':['a',null]}}");
    api_default_schema(&a, &custom_type, &v);
    T_EQ_JSON(&a, &v, "{'spec':{'size':3,'items':['a','d']}}");
    v = testing_json(&a, "{'spec':{}}");
    api_default_schema(&a, &custom_type, &v);
    T_EQ_JSON(&a, &v, "{'spec':{'size':3}}");
    v = testing_json(&a, "{}");
    api_default_schema(&a, &custom_type, &v);
    T_EQ_JSON(&a, &v, "{}");
    api_complete(&a, &custom_type, &v);
    T_EQ_JSON(&a, &v, "{}");
}

TEST_MAIN(bandwidth_may_go_without_quotes, zero_values_go_where_go_omits_them, null_is_absent_for_fields_and_zero_inside, scalars_get_their_canonical_text,
          type_errors_read_like_gos, kind_and_version_are_looked_at_first, unknown_fields_are_reported_once_and_dropped,
          report_is_bounded, conform_is_idempotent, complete_adds_what_go_always_writes, bodies_are_parsed_by_media_type,
          custom_resources_are_pruned_not_typed, custom_defaults_replace_forbidden_nulls)
