/* validate_testing.h - tables of objects and the errors they must give. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "api/codec_testing.h"
#include "api/validate.h"

/* obj and old are JSON with ' for ".  old NULL: create.  want: what field_errors_message gives, "" for none. */
struct testing_case {
    const char *obj, *old, *want;
    const char *sub;
};

static inline struct json testing_object(struct arena *a, const char *text, const struct api_resource **ret)
{
    struct json obj = testing_json(a, text);
    struct err err = ERR_NONE;
    const struct api_resource *r = testing_resource_of(a, &obj);
    T_NO_ERR(api_conform(a, r->type, &obj, NULL, &err), &err);
    api_default(a, r, &obj);
    *ret = r;
    return obj;
}

static inline str testing_message(struct arena *a, const struct api_resource *r, const char *sub, const struct json *obj,
                                  const struct json *old)
{
    struct field_errors *e = arena_new(a, struct field_errors);
    e->arena = a;
    api_validate(r, str_of(sub ? sub : ""), obj, old, e);
    return field_errors_message(e);
}

static inline void testing_run(const struct testing_case *t)
{
    ARENA_AUTO a = ARENA_INIT;
    const struct api_resource *r;
    struct json old = json_null(), obj = testing_object(&a, t->obj, &r);
    if (t->old) {
        old = testing_object(&a, t->old, &r);
        api_complete(&a, r->type, &old);
    }
    str got = testing_message(&a, r, t->sub, &obj, t->old ? &old : NULL);
    /* both kinds of quotes occur in messages, and are taken as one here */
    if (!str_eq(testing_text(&a, arena_cstr(&a, got)), testing_text(&a, t->want)))
        T_FAIL_("%s\n#   gives  " STR_FMT "\n#   wanted %s", t->obj, STR_ARG(got), t->want);
}

#define TESTING_RUN(cases)                                                                                                                 \
    for (size_t testing_i_ = 0; testing_i_ < ARRAY_LEN(cases); testing_i_++)                                                               \
        testing_run(&(cases)[testing_i_]);
