/* SPDX-License-Identifier: Apache-2.0 */
#include "api/validate_testing.h"

#define LABEL_SENTENCE                                                                                                            \
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an "       \
    "alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"

TEST(names)
{
    T_OK(!validate_dns1123_label(S("a-1")));
    T_EQ_STR(str_of(validate_dns1123_label(S("A"))), LABEL_SENTENCE);
    T_EQ_STR(str_of(validate_dns1123_label(S("a.b"))), "must not contain dots");
    T_OK(!validate_dns1123_subdomain(S("a.b-c.1")));
    T_OK(validate_dns1123_subdomain(S("a..b")));
    T_OK(validate_dns1123_subdomain(S("")));
    T_OK(!validate_dns1035_label(S("a1")) && validate_dns1035_label(S("1a")));
    T_EQ_STR(str_of(validate_path_segment(S("a/b"))), "may not contain '/'");
    T_OK(!validate_path_segment(S("system:node")));
    T_OK(!validate_qualified_name(S("example.com/My_name.1")));
    T_EQ_STR(str_of(validate_qualified_name(S("/a"))), "prefix part must be non-empty");
    T_EQ_STR(str_of(validate_qualified_name(S("a/"))), "name part must be non-empty");
    T_OK(validate_qualified_name(S("a/b/c")));
    T_OK(!validate_label_value(S("")) && validate_label_value(S("-a")));
    char long_name[65];
    memset(long_name, 'a', sizeof long_name);
    T_EQ_STR(str_of(validate_label_value(str_n(long_name, 64))), "must be no more than 63 characters");
}

TEST(messages)
{
    ARENA_AUTO a = ARENA_INIT;
    struct field_errors *e = arena_new(&a, struct field_errors);
    e->arena = &a;
    struct json v = json_string(S("a\"b"));
    field_error_add(e, FIELD_REQUIRED, S("spec.x"), NULL, NULL);
    T_EQ_STR(field_errors_message(e), "spec.x: Required value");
    field_error_add(e, FIELD_INVALID, S("spec.y"), &v, "must be %d", 1);
    field_error_add(e, FIELD_INVALID, S("spec.y"), &v, "must be %d", 1);
    T_EQ_STR(field_errors_message(e), "[spec.x: Required value, spec.y: Invalid value: \"a\\\"b\": must be 1]");
    T_EQ_STR(field_error_reason(FIELD_NOT_SUPPORTED), "FieldValueNotSupported");
    for (int i = 0; i < 200; i++)
        field_error_add(e, FIELD_DUPLICATE, S("x"), &v, "%s", "");
    T_EQ_INT(e->len, FIELD_ERRORS_MAX);
}

#define CM "'apiVersion':'v1','kind':'ConfigMap'"
TEST(metadata)
{
    static const struct testing_case cases[] = {
        {"{" CM ",'metadata':{'name':'a','namespace':'n','labels':{'a/b':'c'},'annotations':{'X.y/Z':'anything at all'}}}", NULL, "", NULL},
        {"{" CM ",'metadata':{'namespace':'n'}}", NULL, "metadata.name: Required value: name or generateName is required", NULL},
        {"{" CM ",'metadata':{'name':'a'}}", NULL, "metadata.namespace: Required value", NULL},
        {"{'apiVersion':'v1','kind':'Namespace','metadata':{'name':'a','namespace':'b'}}", NULL,
         "metadata.namespace: Forbidden: not allowed on this type", NULL},
        {"{" CM ",'metadata':{'name':'a','namespace':'n','labels':{'a':'b c'}}}", NULL,
         "metadata.labels: Invalid value: \"b c\": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and "
         "must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is "
         "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')", NULL},
        {"{" CM ",'metadata':{'name':'a','namespace':'n','ownerReferences':[{'apiVersion':'v1','kind':'Pod','name':'p'}]}}", NULL,
         "metadata.ownerReferences.uid: Invalid value: \"\": uid must not be empty", NULL},
        {"{" CM ",'metadata':{'name':'a','namespace':'n','finalizers':['orphan','foregroundDeletion']}}", NULL,
         "metadata.finalizers: Invalid value: [\"orphan\",\"foregroundDeletion\"]: finalizer orphan and foregroundDeletion cannot be both set", NULL},
        {"{" CM ",'metadata':{'name':'b','namespace':'n'}}", "{" CM ",'metadata':{'name':'a','namespace':'n'}}",
         "metadata.name: Invalid value: \"b\": field is immutable", NULL},
        {"{" CM ",'metadata':{'name':'a','namespace':'n','finalizers':['x/z','x/y'],'deletionTimestamp':'2020-01-01T00:00:00Z'}}",
         "{" CM ",'metadata':{'name':'a','namespace':'n','deletionTimestamp':'2020-01-01T00:00:00Z'}}",
         "metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{\"x/y\", \"x/z\"}",
         NULL},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        ARENA_AUTO a = ARENA_INIT;
        const struct api_resource *r;
        struct json old = json_null(), obj = testing_object(&a, cases[i].obj, &r);
        if (cases[i].old)
            old = testing_object(&a, cases[i].old, &r);
        T_EQ_STR(testing_message(&a, r, "", &obj, cases[i].old ? &old : NULL), cases[i].want);
    }
}

TEST(annotations_are_bounded)
{
    ARENA_AUTO a = ARENA_INIT;
    const struct api_resource *r;
    struct json obj = testing_object(&a, "{" CM ",'metadata':{'name':'a','namespace':'n'}}", &r);
    char *big = memset(arena_alloc(&a, 300000), 'x', 300000);
    struct json *notes = json_ensure_object(&a, json_get(&obj, S("metadata")), S("annotations"));
    json_set(&a, notes, S("k"), json_string(str_n(big, 262143)));
    T_EQ_STR(testing_message(&a, r, "", &obj, NULL), "");
    json_set(&a, notes, S("k"), json_string(str_n(big, 262144)));
    T_EQ_STR(testing_message(&a, r, "", &obj, NULL), "metadata.annotations: Too long: may not be more than 262144 bytes");
}

TEST_MAIN(names, messages, metadata, annotations_are_bounded)
