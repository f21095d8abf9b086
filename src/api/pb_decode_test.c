/* SPDX-License-Identifier: Apache-2.0 */
#include "api/pb_decode.h"

#include "api/codec_testing.h"
#include "base/limits.h"
#include "wire/protobuf.h"

/* What client-go 0.33 sends for a small pod. */
static const char pod_hex[] = "6b3873000a090a0276311203506f6412ce010a210a016112001a0022002a0032003800420808a5facdac0610005a060a"
                              "01781201791293010a100a0176120b"
                              "12090a0012050a0331476912520a01631201692a003a060a0141120131420f0a0d0a0363707512060a043530306d521f"
                              "0a1312110a001209080110001a0377"
                              "65621a002200100018002000280030006a007200800100880100900100a201001a0028ffffffffffffffffff01320042"
                              "004a00520058006000680072042001"
                              "20028201008a01009a0100c201001a130a001a0022002a0032004a005a0072008801001a002200";

static str from_hex(struct arena *a, const char *hex)
{
    size_t n = strlen(hex) / 2;
    char *p = arena_alloc(a, n + 1);
    for (size_t i = 0; i < n; i++) {
        unsigned v;
        T_EQ_INT(sscanf(hex + 2 * i, "%2x", &v), 1);
        p[i] = (char)v;
    }
    return str_n(p, n);
}

static const struct schema_type *type_of(struct arena *a, const char *group_version, const char *kind)
{
    return testing_resource(a, str_of(group_version), str_of(kind))->type;
}

TEST(a_pod_from_a_real_client)
{
    ARENA_AUTO a = ARENA_INIT;
    struct json v;
    struct err err = ERR_NONE;
    const struct schema_type *t = type_of(&a, "v1", "Pod");
    T_NO_ERR(api_parse_body(&a, API_MEDIA_PROTOBUF, from_hex(&a, pod_hex), t, &v, NULL, &err), &err);
    T_NO_ERR(api_conform(&a, t, &v, NULL, &err), &err);
    api_complete(&a, t, &v);
    T_EQ_JSON(
        &a, &v,
        "{'kind':'Pod','apiVersion':'v1','metadata':{'name':'a','creationTimestamp':'2024-01-02T03:04:05Z','labels':{'x':'y'}},"
        "'spec':{'volumes':[{'name':'v','emptyDir':{'sizeLimit':'1Gi'}}],'containers':[{'name':'c','image':'i','env':[{'name':'"
        "A','value':'1'}],"
        "'resources':{'limits':{'cpu':'500m'}},'livenessProbe':{'httpGet':{'port':'web'}}}],'activeDeadlineSeconds':-1,"
        "'securityContext':{'supplementalGroups':[1,2]}},'status':{}}");
}

/* A message of two fields, text each, as field `number`; an absent one is STR_NONE. */
static void add_pair(struct strbuf *b, uint32_t number, str one, str two)
{
    size_t mark = protobuf_open(b, number);
    if (one.p)
        protobuf_add_str(b, 1, one);
    if (two.p)
        protobuf_add_str(b, 2, two);
    protobuf_close(b, mark);
}

/* A message of two numbers. */
static void add_numbers(struct strbuf *b, uint32_t number, uint64_t one, uint64_t two)
{
    size_t mark = protobuf_open(b, number);
    protobuf_add_varint(b, 1, one);
    protobuf_add_varint(b, 2, two);
    protobuf_close(b, mark);
}

static void check_message(const struct schema_type *t, struct strbuf *b, const char *want)
{
    ARENA_AUTO a = ARENA_INIT;
    struct json v;
    struct err err = ERR_NONE;
    T_NO_ERR(pb_decode_message(&a, strbuf_str(b), t, &v, &err), &err);
    T_EQ_JSON(&a, &v, want);
}

static const struct schema_type numbers = {.kind = SCHEMA_LIST, .elem = &schema_int32};
static const struct schema_type names = {.kind = SCHEMA_LIST, .elem = &schema_string};
static const struct schema_type name_map = {.kind = SCHEMA_MAP, .elem = &names};
static const struct schema_type text_map = {.kind = SCHEMA_MAP, .elem = &schema_string};
static const struct schema_field inner_fields[] = {{.name = STR_INIT("in"), .type = &schema_bool, .pb = 1}};
static const struct schema_type inner = {.kind = SCHEMA_OBJECT, .fields = inner_fields, .nfields = 1};
static const struct schema_field all_fields[] = {
    {.name = STR_INIT("numbers"), .type = &numbers, .pb = 1},
    {.name = STR_INIT("extra"), .type = &name_map, .pb = 2},
    {.name = STR_INIT("texts"), .type = &text_map, .pb = 3},
    {.name = STR_INIT("inline"), .type = &inner, .pb = 4, .flags = SCHEMA_INLINE},
    {.name = STR_INIT("bytes"), .type = &schema_bytes, .pb = 5},
    {.name = STR_INIT("at"), .type = &schema_microtime, .pb = 6},
    {.name = STR_INIT("port"), .type = &schema_int_or_string, .pb = 7},
    {.name = STR_INIT("raw"), .type = &schema_raw_object, .pb = 8},
    {.name = STR_INIT("every"), .type = &schema_duration, .pb = 9},
    {.name = STR_INIT("share"), .type = &schema_double, .pb = 10},
    {.name = STR_INIT("big"), .type = &schema_int64, .pb = 11},
};
static const struct schema_type all = {
    .kind = SCHEMA_OBJECT, .name = STR_INIT("All"), .fields = all_fields, .nfields = ARRAY_LEN(all_fields)};

TEST(every_kind_of_value)
{
    STRBUF_AUTO b = STRBUF_HEAP;
    protobuf_add_str(&b, 1, S("\x01\xac\x02")); /* packed 1, 300 */
    protobuf_add_varint(&b, 1, (uint64_t)-5);
    add_pair(&b, 2, S("k"), S("\x0a\x01x\x0a\x01y")); /* the value is a message whose field 1 repeats */
    add_pair(&b, 3, S("a"), S("1"));
    add_pair(&b, 3, S("b"), STR_NONE);
    add_pair(&b, 3, S("a"), S("2"));
    add_numbers(&b, 4, 1, 0);
    protobuf_add_str(&b, 5, S("\xff\x00"));
    add_numbers(&b, 6, 1, 2000);
    protobuf_add_str(&b, 7, S("\x08\x01\x10\x09\x1a\x03web"));
    add_pair(&b, 8, S("{\"any\":[1]}"), STR_NONE);
    add_numbers(&b, 9, 90000000000, 0);
    protobuf_add_double(&b, 10, 0.5);
    protobuf_add_varint(&b, 11, (uint64_t)INT64_MIN);
    protobuf_add_str(&b, 99, S("from the future"));
    check_message(&all, &b,
                  "{'numbers':[1,300,-5],'extra':{'k':['x','y']},'texts':{'a':'2','b':''},'in':true,'bytes':'/wA=',"
                  "'at':'1970-01-01T00:00:01.000002Z','port':'web','raw':{'any':[1]},'every':'1m30s','share':0.5,"
                  "'big':-9223372036854775808}");
}

TEST(schemas_of_crds)
{
    STRBUF_AUTO b = STRBUF_HEAP;
    const struct schema_type *t = NULL;
    for (size_t i = 0; i < api_builtin_type_count; i++)
        if (str_is(api_builtin_types[i]->name, "JSONSchemaProps"))
            t = api_builtin_types[i];
    T_OK(t);
    if (!t)
        return;
    size_t mark = protobuf_open(&b, schema_field_find(t, S("items"))->pb), schema_mark = protobuf_open(&b, 1);
    protobuf_add_str(&b, schema_field_find(t, S("type"))->pb, S("string"));
    protobuf_close(&b, schema_mark);
    protobuf_close(&b, mark);
    protobuf_add_str(&b, schema_field_find(t, S("additionalProperties"))->pb, S("\x08\x01"));
    add_pair(&b, schema_field_find(t, S("default"))->pb, S("[1]"), STR_NONE);
    check_message(t, &b, "{'items':{'type':'string'},'additionalProperties':true,'default':[1]}");
}

static void check_refused(const struct schema_type *t, str bytes, const char *want)
{
    ARENA_AUTO a = ARENA_INIT;
    struct json v;
    struct err err = ERR_NONE;
    T_ERR(pb_decode_message(&a, bytes, t, &v, &err), E_PARSE);
    T_EQ_STR(str_of(err.msg), want);
}

static const struct schema_type self;
static const struct schema_field self_field = {.name = STR_INIT("s"), .type = &self, .pb = 1};
static const struct schema_type self = {.kind = SCHEMA_OBJECT, .fields = &self_field, .nfields = 1};

TEST(bad_messages_are_refused)
{
    check_refused(&all,
                  S("\x2a\x05"
                    "ab"),
                  "proto: cannot parse All: unexpected EOF");
    check_refused(&all, S("\x28\x01"), "proto: wrong wireType = 0 for field bytes");
    check_refused(&all, S("\x1a\x03\x0a\x01\xff"), "proto: field texts contains invalid UTF-8");
    check_refused(&all, S("\x42\x03\x0a\x01{"), "unexpected end of JSON input");
    check_refused(&all, S("\x0a\x01\xff"), "proto: cannot parse numbers: unexpected EOF");
    STRBUF_AUTO deep = STRBUF_HEAP;
    for (int i = 0; i < 2 * LIMIT_JSON_DEPTH; i++) {
        STRBUF_AUTO outer = STRBUF_HEAP;
        protobuf_add_str(&outer, 1, strbuf_str(&deep));
        strbuf_clear(&deep);
        strbuf_add_str(&deep, strbuf_str(&outer));
    }
    check_refused(&self, strbuf_str(&deep), "exceeded max depth");
}

TEST(envelopes_are_checked)
{
    static const struct {
        str body;
        const char *want;
    } cases[] = {
        {STR_INIT(""), "empty data"},
        {STR_INIT("k8s\0"), "empty body"},
        {STR_INIT("k8s"), "provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]"},
        {STR_INIT("k8s\0\x0a\x7f"), "proto: cannot parse Unknown: unexpected EOF"},
        {STR_INIT("k8s\0\x1a\x04gzip"), "content encoding \"gzip\" is not supported"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        ARENA_AUTO a = ARENA_INIT;
        struct json v;
        struct err err = ERR_NONE;
        T_ERR(pb_decode_envelope(&a, cases[i].body, &all, &v, &err), E_PARSE);
        T_EQ_STR(str_of(err.msg), cases[i].want);
    }
}

/* Many map entries with one key must not cost their square. */
TEST(many_entries_take_linear_time)
{
    ARENA_AUTO a = ARENA_INIT;
    STRBUF_AUTO b = STRBUF_HEAP;
    for (int i = 0; i < 200000; i++)
        add_pair(&b, 3, arena_fmt(&a, "%d", i % 100000), STR_NONE);
    struct json v;
    struct err err = ERR_NONE;
    T_NO_ERR(pb_decode_message(&a, strbuf_str(&b), &all, &v, &err), &err);
    T_EQ_INT(json_get(&v, S("texts"))->len, 100000);
}

TEST_MAIN(a_pod_from_a_real_client, every_kind_of_value, schemas_of_crds, bad_messages_are_refused, envelopes_are_checked,
          many_entries_take_linear_time)
