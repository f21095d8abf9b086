/* SPDX-License-Identifier: Apache-2.0 */
#include "api/crd.h"
#include "api/validate_internal.h"
#include "api/validate_regex.h"
#include "api/validate_testing.h"

struct custom_case {
    const char *schema; /* of spec */
    const char *spec, *want;
};

/* A resource of kind W whose spec has the schema. */
static const struct api_resource *resource_of(struct arena *a, const char *schema)
{
    struct json s = testing_json(a, arena_cstr(a, arena_fmt(a, "{'type':'object','properties':{'spec':%s,'status':{'type':'object','properties':{'n':{'type':'integer'}}}}}", schema)));
    struct schema_type *t = NULL;
    struct err err = ERR_NONE;
    T_NO_ERR(crd_schema_build(a, &s, &t, &err), &err);
    struct api_resource *r = arena_new(a, struct api_resource);
    *r = (struct api_resource){.group = S("example.com"), .version = S("v1"), .kind = S("W"), .plural = S("ws"), .flags = API_NAMESPACED | API_CUSTOM, .type = t};
    return r;
}

static struct json object_of(struct arena *a, const char *spec)
{
    return testing_json(a, arena_cstr(a, arena_fmt(a, "{'apiVersion':'example.com/v1','kind':'W','metadata':{'name':'w','namespace':'n'},'spec':%s}", spec)));
}

static void run_custom(const struct custom_case *t)
{
    ARENA_AUTO a = ARENA_INIT;
    struct json obj = object_of(&a, t->spec);
    str got = testing_message(&a, resource_of(&a, t->schema), "", &obj, NULL);
    if (!str_eq(testing_text(&a, arena_cstr(&a, got)), testing_text(&a, t->want)))
        T_FAIL_("%s\n# with %s\n#   gives  " STR_FMT "\n#   wanted %s", t->spec, t->schema, STR_ARG(got), t->want);
}
#define CUSTOM_RUN(cases)                                                                                                         \
    for (size_t i_ = 0; i_ < ARRAY_LEN(cases); i_++)                                                                              \
        run_custom(&(cases)[i_]);
#define PROP(schema) "{'type':'object','properties':{'x':" schema "}}"

TEST(types)
{
    static const struct custom_case cases[] = {
        {PROP("{'type':'integer'}"), "{'x':1}", ""},
        {PROP("{'type':'integer'}"), "{'x':1.0}", ""},
        {PROP("{'type':'integer'}"), "{'x':'a'}", "spec.x: Invalid value: 'string': spec.x in body must be of type integer: 'string'"},
        {PROP("{'type':'integer'}"), "{'x':1.5}", "spec.x: Invalid value: 'number': spec.x in body must be of type integer: 'number'"},
        {PROP("{'type':'string'}"), "{'x':1}", "spec.x: Invalid value: 'integer': spec.x in body must be of type string: 'integer'"},
        {PROP("{'type':'boolean'}"), "{'x':{}}", "spec.x: Invalid value: 'object': spec.x in body must be of type boolean: 'object'"},
        {PROP("{'type':'number'}"), "{'x':1}", ""},
        {PROP("{'type':'string'}"), "{'x':null}", "spec.x: Invalid value: 'null': spec.x in body must be of type string: 'null'"},
        {PROP("{'type':'string','nullable':true}"), "{'x':null}", ""},
        {PROP("{'x-kubernetes-int-or-string':true}"), "{'x':'5%'}", ""},
        {PROP("{'x-kubernetes-int-or-string':true}"), "{'x':5}", ""},
        {PROP("{'x-kubernetes-int-or-string':true}"), "{'x':true}", "spec.x: Invalid value: 'boolean': spec.x in body must be of type integer,string: 'boolean'"},
        {PROP("{'type':'array','items':{'type':'string'}}"), "{'x':['a',1]}", "spec.x[1]: Invalid value: 'integer': spec.x[1] in body must be of type string: 'integer'"},
        {PROP("{'type':'object','additionalProperties':{'type':'string'}}"), "{'x':{'k':1}}",
         "spec.x.k: Invalid value: 'integer': spec.x.k in body must be of type string: 'integer'"},
        {PROP("{'type':'object','x-kubernetes-preserve-unknown-fields':true}"), "{'x':{'any':[1,{'thing':null}]}}", ""},
        {"{'type':'object','required':['x'],'properties':{'x':{'type':'string'}}}", "{}", "spec.x: Required value"},
        {"{'type':'object','required':['x'],'properties':{'x':{'type':'string'}}}", "{'x':''}", ""},
        {PROP("{'type':'object','x-kubernetes-embedded-resource':true,'x-kubernetes-preserve-unknown-fields':true}"), "{'x':{'kind':'Pod'}}",
         "spec.x.apiVersion: Required value: must not be empty"},
    };
    CUSTOM_RUN(cases);
}

TEST(rules)
{
    static const struct custom_case cases[] = {
        {PROP("{'type':'string','enum':['s','m']}"), "{'x':'xl'}", "spec.x: Unsupported value: 'xl': supported values: 's', 'm'"},
        {PROP("{'type':'integer','enum':[1,2]}"), "{'x':3}", "spec.x: Unsupported value: 3: supported values: '1', '2'"},
        {PROP("{'type':'integer','minimum':1}"), "{'x':0}", "spec.x: Invalid value: 0: spec.x in body should be greater than or equal to 1"},
        {PROP("{'type':'integer','minimum':1,'exclusiveMinimum':true}"), "{'x':1}", "spec.x: Invalid value: 1: spec.x in body should be greater than 1"},
        {PROP("{'type':'number','maximum':1.5}"), "{'x':2}", "spec.x: Invalid value: 2: spec.x in body should be less than or equal to 1.5"},
        {PROP("{'type':'integer','multipleOf':3}"), "{'x':4}", "spec.x: Invalid value: 4: spec.x in body should be a multiple of 3"},
        {PROP("{'type':'number','multipleOf':0.01}"), "{'x':4.35}", ""},
        {PROP("{'type':'string','maxLength':2}"), "{'x':'äöü'}", "spec.x: Too long: may not be more than 2 bytes"},
        {PROP("{'type':'string','maxLength':2}"), "{'x':'äö'}", ""},
        {PROP("{'type':'string','minLength':2}"), "{'x':'a'}", "spec.x: Invalid value: 'a': spec.x in body should be at least 2 chars long"},
        {PROP("{'type':'string','pattern':'^[a-z]+$'}"), "{'x':'A'}", "spec.x: Invalid value: 'A': spec.x in body should match '^[a-z]+$'"},
        {PROP("{'type':'array','items':{'type':'integer'},'maxItems':1}"), "{'x':[1,2]}", "spec.x: Too many: 2: must have at most 1 items"},
        {PROP("{'type':'array','items':{'type':'integer'},'minItems':1}"), "{'x':[]}", "spec.x: Invalid value: 0: spec.x in body should have at least 1 items"},
        {PROP("{'type':'object','additionalProperties':{'type':'string'},'maxProperties':1}"), "{'x':{'a':'','b':''}}", "spec.x: Too many: 2: must have at most 1 items"},
        {PROP("{'type':'object','additionalProperties':{'type':'string'},'minProperties':1}"), "{'x':{}}",
         "spec.x: Invalid value: 0: spec.x in body should have at least 1 properties"},
        {PROP("{'type':'string','format':'ipv4'}"), "{'x':'1.2.3'}", "spec.x: Invalid value: '1.2.3': spec.x in body must be of type ipv4: '1.2.3'"},
        {PROP("{'type':'string','format':'date-time'}"), "{'x':'2020-01-02T03:04:05Z'}", ""},
        {PROP("{'type':'string','format':'made-up'}"), "{'x':'anything'}", ""},
        {PROP("{'type':'array','x-kubernetes-list-type':'set','items':{'type':'string'}}"), "{'x':['a','b','a','a']}", "spec.x[2]: Duplicate value: 'a'"},
        {PROP("{'type':'array','x-kubernetes-list-type':'map','x-kubernetes-list-map-keys':['name'],'items':{'type':'object','properties':{'name':{'type':'string'}}}}"),
         "{'x':[{'name':'a'},{'name':'a'}]}", "spec.x[1]: Duplicate value: {'name':'a'}"},
    };
    CUSTOM_RUN(cases);
}

TEST(branches)
{
    static const struct custom_case cases[] = {
        {"{'type':'object','properties':{'a':{'type':'string'},'b':{'type':'string'}},'oneOf':[{'required':['a']},{'required':['b']}]}", "{'a':''}", ""},
        {"{'type':'object','properties':{'a':{'type':'string'},'b':{'type':'string'}},'oneOf':[{'required':['a']},{'required':['b']}]}", "{'a':'','b':''}",
         "<nil>: Invalid value: '': 'spec' must validate one and only one schema (oneOf). Found 2 valid alternatives"},
        {"{'type':'object','properties':{'a':{'type':'string'},'b':{'type':'string'}},'oneOf':[{'required':['a']},{'required':['b']}]}", "{}",
         "[<nil>: Invalid value: '': 'spec' must validate one and only one schema (oneOf). Found none valid, spec.a: Required value]"},
        {PROP("{'type':'integer','anyOf':[{'minimum':10},{'maximum':1}]}"), "{'x':5}",
         "[<nil>: Invalid value: '': 'spec.x' must validate at least one schema (anyOf), spec.x: Invalid value: 5: spec.x in body should be greater than or equal to 10]"},
        {PROP("{'type':'integer','anyOf':[{'minimum':10},{'maximum':1}]}"), "{'x':0}", ""},
        {PROP("{'type':'integer','not':{'enum':[3]}}"), "{'x':3}", "<nil>: Invalid value: '': 'spec.x' must not validate the schema (not)"},
        {PROP("{'type':'integer','allOf':[{'minimum':1},{'maximum':3}]}"), "{'x':4}",
         "[spec.x: Invalid value: 4: spec.x in body should be less than or equal to 3, <nil>: Invalid value: '': 'spec.x' must validate all the schemas (allOf)]"},
    };
    CUSTOM_RUN(cases);
}

TEST(unchanged_values_are_not_held_against_the_user)
{
    ARENA_AUTO a = ARENA_INIT;
    const struct api_resource *r = resource_of(&a, "{'type':'object','properties':{'x':{'type':'string','maxLength':1},'y':{'type':'string','maxLength':1}}}");
    struct json old = object_of(&a, "{'x':'long'}"), same = object_of(&a, "{'x':'long','y':'a'}"), other = object_of(&a, "{'x':'longer'}");
    T_EQ_STR(testing_message(&a, r, "", &same, &old), "");
    T_EQ_STR(testing_message(&a, r, "", &other, &old), "spec.x: Too long: may not be more than 1 bytes");
}

TEST(status_is_checked_alone)
{
    ARENA_AUTO a = ARENA_INIT;
    const struct api_resource *r = resource_of(&a, PROP("{'type':'string'}"));
    struct json obj = testing_json(&a, "{'metadata':{'name':'w','namespace':'n'},'spec':{'x':1},'status':{'n':'a'}}");
    struct json old = testing_json(&a, "{'metadata':{'name':'w','namespace':'n'},'spec':{'x':1}}");
    T_EQ_STR(testing_message(&a, r, "status", &obj, &old), "status.n: Invalid value: \"string\": n in body must be of type integer: \"string\"");
}

TEST(formats)
{
    static const struct {
        const char *format, *good, *bad;
    } cases[] = {
        {"date-time", "2020-01-02T03:04:05.678+01:00", "2020-01-02"}, {"date", "2020-02-29", "2021-02-29"}, {"duration", "1h30m", "an hour"},
        {"email", "a.b+c@example.com", "a..b@example.com"}, {"email", "a@b", "a@"}, {"hostname", "a-b.example.com", "-a"}, {"ipv4", "10.0.0.1", "::1"},
        {"ipv6", "2001:db8::1", "10.0.0.1"}, {"ip", "::1", "x"}, {"cidr", "10.0.0.0/8", "10.0.0.0/33"}, {"cidr", "::/128", "10.0.0.0"},
        {"mac", "00:11:22:aa:BB:ff", "00:11:22:aa:BB"}, {"uri", "https://example.com/x?y", "no scheme"}, {"uri", "/path", "://x"},
        {"uuid", "123e4567-e89b-12d3-a456-426614174000", "123e4567"}, {"uuid4", "123e4567-e89b-42d3-a456-426614174000", "123e4567-e89b-12d3-a456-426614174000"},
        {"byte", "AAA=", "AA"}, {"hexcolor", "#fff", "#ggg"}, {"isbn", "978-3-16-148410-0", "978-3-16-148410-1"}, {"isbn10", "0-306-40615-2", "0-306-40615-3"},
        {"creditcard", "4111 1111 1111 1111", "4111 1111 1111 1112"}, {"ssn", "111-22-3333", "111223333"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        if (!v_format_holds(str_of(cases[i].format), str_of(cases[i].good)))
            T_FAIL_("'%s' is no %s", cases[i].good, cases[i].format);
        if (v_format_holds(str_of(cases[i].format), str_of(cases[i].bad)))
            T_FAIL_("'%s' is a %s", cases[i].bad, cases[i].format);
    }
}

/* 1: matches, 0: does not, -1: no valid pattern. */
static int match(const char *pattern, const char *text)
{
    ARENA_AUTO a = ARENA_INIT;
    struct regex *re;
    struct err err;
    if (regex_compile(&a, str_of(pattern), &re, &err) < 0)
        return -1;
    return regex_match(re, str_of(text));
}

TEST(regex)
{
    static const struct {
        const char *pattern, *text;
        int want;
    } cases[] = {
        {"", "x", 1}, {"b", "abc", 1}, {"^b", "abc", 0}, {"c$", "abc", 1}, {"^abc$", "abc", 1}, {"^$", "", 1}, {"^$", "a", 0},
        {"^a*$", "aaa", 1}, {"^a+$", "", 0}, {"^a?b$", "b", 1}, {"^a{2,3}$", "aa", 1}, {"^a{2,3}$", "aaaa", 0}, {"^a{2}$", "aa", 1}, {"^a{2,}$", "aaaaa", 1},
        {"^a{2,}$", "a", 0}, {"^a{0}$", "", 1}, {"^(ab|cd)+$", "abcdab", 1}, {"^(ab|cd)+$", "abc", 0}, {"^(?:a|b|c)$", "c", 1}, {"^(|a)b$", "b", 1},
        {"^[a-z0-9]([-a-z0-9]*[a-z0-9])?$", "my-name", 1}, {"^[a-z0-9]([-a-z0-9]*[a-z0-9])?$", "-x", 0}, {"^[^a-c]+$", "xyz", 1}, {"^[^a-c]+$", "xaz", 0},
        {"^\\d+\\.\\d+$", "1.25", 1}, {"^\\D$", "5", 0}, {"^\\w+$", "a_1", 1}, {"^\\s$", "\t", 1}, {"^[\\w.-]+$", "a.b-c", 1}, {"^[[:alpha:]]+$", "abC", 1},
        {"^[[:^digit:]]$", "1", 0}, {"^[]a]+$", "]a", 1}, {"^[a-]+$", "a-", 1}, {"(?i)^abc$", "aBC", 1}, {"^(?i:a)b$", "Ab", 1}, {"^(?i:a)b$", "AB", 0}, {"(?i)^[a-c]+$", "ABC", 1},
        {"^.$", "ä", 1}, {"^.$", "\n", 0}, {"(?s)^.$", "\n", 1}, {"(?m)^b$", "a\nb\nc", 1}, {"\\bfoo\\b", "a foo b", 1}, {"\\bfoo\\b", "afoob", 0}, {"^\\x41\\x{42}$", "AB", 1},
        {"^\\Qa.b\\E$", "a.b", 1}, {"^\\Qa.b\\E$", "axb", 0}, {"^\\/\\-$", "/-", 1}, {"^a{,2}$", "a{,2}", 1}, {"^a{x}$", "a{x}", 1}, {"^(?P<n>a)$", "a", 1}, {"^a*?b$", "aab", 1},
        {"\\Aab\\z", "ab", 1}, {"^\\pL+$", "aä", 1}, {"^\\p{Lu}$", "a", 0}, {"^(((a)))$", "a", 1}, {"^(a*)*$", "aaaa", 1}, {"^(a|b)*c|d$", "d", 1},
        {"(", "x", -1}, {")", "x", -1}, {"[a", "x", -1}, {"*a", "x", -1}, {"a**", "x", -1}, {"a{3,2}", "x", -1}, {"a{1001}", "x", -1}, {"\\", "x", -1}, {"(?=a)", "x", -1},
        {"\\1", "x", -1}, {"[b-a]", "x", -1}, {"\\pX", "x", -1}, {"(a{1000}){1000}", "x", -1},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        int got = match(cases[i].pattern, cases[i].text);
        if (got != cases[i].want)
            T_FAIL_("`%s` on '%s' gives %d, expected %d", cases[i].pattern, cases[i].text, got, cases[i].want);
    }
}

/* Back-tracking engines take ages here. */
TEST(regex_is_linear)
{
    char text[4001];
    memset(text, 'a', 4000);
    text[4000] = 0;
    T_EQ_INT(match("^(a+)+$", text), 1);
    text[3999] = 'b';
    T_EQ_INT(match("^(a+)+$", text), 0);
    T_EQ_INT(match("^(a|a)*(a|a)*(a|aa)*$", text), 0);
}

TEST_MAIN(types, rules, branches, unchanged_values_are_not_held_against_the_user, status_is_checked_alone, formats, regex, regex_is_linear)
