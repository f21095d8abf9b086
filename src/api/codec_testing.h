/* codec_testing.h - what the codec's tests share: JSON written with single quotes, built-in resources by name. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "api/codec.h"
#include "base/test.h"

/* Text with ' for ". */
static inline str testing_text(struct arena *a, const char *text)
{
    str s = arena_str(a, str_of(text));
    for (size_t i = 0; i < s.len; i++)
        if (s.p[i] == '\'')
            ((char *)(uintptr_t)s.p)[i] = '"';
    return s;
}

static inline struct json testing_json(struct arena *a, const char *text)
{
    struct json v = json_null();
    struct err err = ERR_NONE;
    T_NO_ERR(json_parse(a, testing_text(a, text), NULL, &v, &err), &err);
    return v;
}

/* kind "Pod", group_version "v1". */
static inline const struct api_resource *testing_resource(struct arena *a, str group_version, str kind)
{
    for (size_t i = 0; i < api_builtin_count; i++) {
        const struct api_resource *r = api_builtin_resources[i];
        if (str_eq(r->kind, kind) && str_eq(api_group_version(a, r->group, r->version), group_version))
            return r;
    }
    T_FAIL_("no resource " STR_FMT " in " STR_FMT, STR_ARG(kind), STR_ARG(group_version));
    return NULL;
}
static inline const struct api_resource *testing_resource_of(struct arena *a, const struct json *obj)
{
    return testing_resource(a, json_get_str(obj, S("apiVersion")), json_get_str(obj, S("kind")));
}

/* v equals the tree of `want`; prints both otherwise. */
#define T_EQ_JSON(a, v, want)                                                                                                  \
    do {                                                                                                                       \
        struct json t_want_ = testing_json(a, want);                                                                           \
        if (!json_equal(v, &t_want_))                                                                                          \
            T_FAIL_("is\n#   " STR_FMT "\n# expected\n#   " STR_FMT, STR_ARG(json_text(a, v)),                                 \
                    STR_ARG(json_text(a, &t_want_)));                                                                          \
    } while (0)
