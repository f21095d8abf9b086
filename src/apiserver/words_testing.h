/* words_testing.h - what the steps of admission that warn say of an object, for their tests. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "apiserver/admission.h"
#include "apiserver/authz_testing.h"

static struct json parse(struct arena *a, const char *text)
{
    char *json = (char *)arena_cstr(a, str_of(text));
    for (char *c = json; *c; c++)
        *c = *c == '\'' ? '"' : *c;
    return json_literal(a, json);
}

/* What is warned of, the refusal, or "". */
static str said(int (*step)(struct admission_attrs *at, struct err *err), struct arena *a, const char *group, const char *plural, const char *ns, const char *obj, const char *old)
{
    struct api_req req = {.arena = a};
    struct err err = ERR_NONE;
    struct json is = parse(a, obj), was = {0};
    if (old)
        was = parse(a, old);
    struct admission_attrs at = {.req = &req, .arena = a, .op = old ? ADMIT_UPDATE : ADMIT_CREATE, .res = object_builtin(str_of(group), str_of(plural)), .obj = &is, .old = old ? &was : NULL, .ns = str_of(ns), .name = S("x")};
    if (step(&at, &err) < 0)
        return arena_str(a, str_of(err.msg));
    T_OK(req.nwarnings <= 1);
    return req.nwarnings ? req.warnings[0] : S("");
}
