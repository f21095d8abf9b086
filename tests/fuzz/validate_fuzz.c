/* validate_fuzz.c - objects against the rules of their kind, and patterns against texts.
 *
 * Input: "kind\n" + JSON is created and updated from itself; "crd\n" + schema + "\n" + JSON is a custom resource;
 * "regex\n" + pattern + "\n" + text is compiled and matched.  Errors must stay within their bounds. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/codec.h"
#include "api/crd.h"
#include "api/validate_regex.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(struct arena *a, const struct api_resource *r, const struct json *obj)
{
    static const char *const subs[] = {"", "status", "resize", "ephemeralcontainers"};
    for (size_t i = 0; i < ARRAY_LEN(subs); i++) {
        for (int update = 0; update < 2; update++) {
            struct field_errors *e = arena_new(a, struct field_errors);
            e->arena = a;
            api_validate(r, str_of(subs[i]), obj, update ? obj : NULL, e);
            BUG_ON(e->len > FIELD_ERRORS_MAX);
            str message = field_errors_message(e);
            BUG_ON((message.len == 0) != (e->len == 0));
        }
    }
}

static void fuzz_builtin(struct arena *a, str kind, str text)
{
    struct json obj;
    for (size_t i = 0; i < api_builtin_count; i++) {
        const struct api_resource *r = api_builtin_resources[i];
        if (!str_eq(r->kind, kind))
            continue;
        if (json_parse(a, text, NULL, &obj, NULL) < 0 || obj.type != JSON_OBJECT)
            return;
        if (api_conform(a, r->type, &obj, NULL, NULL) < 0)
            continue;
        check(a, r, &obj);
        api_default(a, r, &obj);
        check(a, r, &obj);
    }
}

static void fuzz_custom(struct arena *a, str schema_text, str text)
{
    struct json schema, obj;
    struct schema_type *t;
    if (json_parse(a, schema_text, NULL, &schema, NULL) < 0 || crd_schema_build(a, &schema, &t, NULL) < 0)
        return;
    if (json_parse(a, text, NULL, &obj, NULL) < 0 || obj.type != JSON_OBJECT)
        return;
    struct api_resource r = {.group = S("example.com"), .version = S("v1"), .kind = S("W"), .plural = S("ws"), .flags = API_CUSTOM, .type = t,
                             .scale_spec_path = S(".spec.replicas")};
    check(a, &r, &obj);
}

static void fuzz_regex(struct arena *a, str pattern, str text)
{
    struct regex *re;
    if (regex_compile(a, pattern, &re, NULL) < 0)
        return;
    bool first = regex_match(re, text);
    BUG_ON(regex_match(re, text) != first);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ARENA_AUTO a = ARENA_INIT;
    str rest = str_n((const char *)data, size), kind, first;
    if (!str_cut(&rest, '\n', &kind))
        return 0;
    if (str_is(kind, "crd")) {
        str_cut(&rest, '\n', &first);
        fuzz_custom(&a, first, rest);
    } else if (str_is(kind, "regex")) {
        str_cut(&rest, '\n', &first);
        fuzz_regex(&a, first, rest);
    } else {
        fuzz_builtin(&a, kind, rest);
    }
    return 0;
}
