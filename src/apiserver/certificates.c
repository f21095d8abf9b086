/* SPDX-License-Identifier: Apache-2.0 */
#include "apiserver/certificates.h"

#include "apiserver/admission_steps.h"
#include "base/civil.h"
#include "rt/tls.h"
#include "wire/base64.h"

static bool is_request(const struct admission_attrs *at)
{
    return admission_is_kind(at, "certificates.k8s.io", "certificatesigningrequests");
}

/* --- who asks -------------------------------------------------------------------------------------- */

static struct json strings_json(struct arena *a, const str *items, size_t n)
{
    struct json list = json_array();
    for (size_t i = 0; i < n; i++)
        json_push(a, &list, json_string(items[i]));
    return list;
}

static void set_or_remove(struct arena *a, struct json *obj, str key, struct json value, bool is_there)
{
    if (is_there)
        json_set(a, obj, key, value);
    else
        json_del(obj, key);
}

static void fill_user(struct admission_attrs *at)
{
    struct arena *a = at->arena;
    const struct api_user *u = &at->req->user;
    struct json *spec = json_ensure_object(a, at->obj, S("spec"));
    json_set(a, spec, S("username"), json_string(u->name));
    set_or_remove(a, spec, S("uid"), json_string(u->uid), u->uid.len);
    set_or_remove(a, spec, S("groups"), strings_json(a, u->groups, u->ngroups), u->ngroups);
    set_or_remove(a, spec, S("extra"), u->extra ? json_copy(a, u->extra) : json_null(), u->extra && u->extra->len);
}

/* --- which conditions a way in may write --------------------------------------------------------------- */

static bool is_decision(const struct json *condition)
{
    str type = json_get_str(condition, S("type"));
    return str_is(type, "Approved") || str_is(type, "Denied");
}

static const struct json *conditions_of(const struct json *obj)
{
    return json_path(obj, "status", "conditions", NULL);
}

static const struct json *condition_find(const struct json *list, str type)
{
    for (uint32_t i = 0; json_is(list, JSON_ARRAY) && i < list->len; i++)
        if (str_eq(json_get_str(&list->items[i], S("type")), type))
            return &list->items[i];
    return NULL;
}

static void stamp(struct arena *a, str now, const struct json *before, struct json *condition)
{
    const struct json *was = condition_find(before, json_get_str(condition, S("type")));
    bool same = was && str_eq(json_get_str(was, S("status")), json_get_str(condition, S("status")));
    if (!json_get_str(condition, S("lastUpdateTime")).len)
        json_set(a, condition, S("lastUpdateTime"), json_string(now));
    if (!json_get_str(condition, S("lastTransitionTime")).len)
        json_set(a, condition, S("lastTransitionTime"), json_string(same && json_get_str(was, S("lastTransitionTime")).len ? json_get_str(was, S("lastTransitionTime")) : now));
}

/* Decisions of one object and the rest of the other; those that come from `given` get their times. */
static struct json conditions_mix(struct arena *a, str now, const struct json *old, const struct json *given, bool decisions_given)
{
    const struct json *before = conditions_of(old), *after = conditions_of(given);
    struct json out = json_array();
    for (int side = 0; side < 2; side++) {
        const struct json *from = side == 0 ? before : after;
        for (uint32_t i = 0; json_is(from, JSON_ARRAY) && i < from->len; i++) {
            bool given_side = side == 1;
            if ((is_decision(&from->items[i]) == decisions_given) != given_side)
                continue;
            struct json c = json_copy(a, &from->items[i]);
            if (given_side)
                stamp(a, now, before, &c);
            json_push(a, &out, c);
        }
    }
    return out;
}

static str now_of(struct arena *a, const struct apiserver *s)
{
    char now[CIVIL_TIME_LEN + 1];
    civil_format(clock_wall(s->clock), now);
    return arena_str(a, str_of(now));
}

static void set_conditions(struct arena *a, struct json *obj, struct json conditions)
{
    struct json *status = json_ensure_object(a, obj, S("status"));
    if (conditions.len)
        json_set(a, status, S("conditions"), conditions);
    else
        json_del(status, S("conditions"));
}

void certificates_update(struct write_run *r, const struct json *old, struct json *obj)
{
    struct arena *a = r->q->arena;
    const struct json *spec = json_get(old, S("spec"));
    struct json given = *obj;
    if (str_is(r->subresource, "approval")) {
        struct json kept = json_copy(a, old), meta = json_copy(a, object_meta(&given));
        set_conditions(a, &kept, conditions_mix(a, now_of(a, r->q->srv), old, &given, true));
        json_set(a, &kept, S("metadata"), meta);
        *obj = kept;
    } else if (spec) {
        json_set(a, obj, S("spec"), *spec);
    }
}

int certificates_admit(struct admission_attrs *at, struct err *err UNUSED)
{
    if (!is_request(at))
        return 0;
    if (at->op == ADMIT_CREATE)
        fill_user(at);
    if (at->op == ADMIT_UPDATE && str_is(at->subresource, "status"))
        set_conditions(at->arena, at->obj, conditions_mix(at->arena, now_of(at->arena, at->srv), at->old, at->obj, false));
    return 0;
}

/* --- who may -------------------------------------------------------------------------------------------- */

static bool may(struct admission_attrs *at, str verb, str name)
{
    struct authz_attrs attrs = {.user = &at->req->user, .is_resource = true, .verb = verb, .group = S("certificates.k8s.io"), .version = S("*"), .resource = S("signers"), .name = name};
    return authz_check(at->srv->authz, at->arena, &attrs, NULL);
}

static int check_signer(struct admission_attrs *at, str verb, struct err *err)
{
    str signer = json_get_str(json_get(at->old, S("spec")), S("signerName")), rest = signer, domain;
    str_cut(&rest, '/', &domain);
    if (may(at, verb, signer) || may(at, verb, arena_cat(at->arena, domain, S("/*"))))
        return 0;
    return admission_forbid(at, err, "user not permitted to " STR_FMT " requests with signerName \"" STR_FMT "\"", STR_ARG(verb), STR_ARG(signer));
}

/* The request must be one, and a client certificate of the cluster's administrators is nobody's to ask for. */
static int check_text(struct admission_attrs *at, struct err *err)
{
    const struct json *spec = json_get(at->obj, S("spec"));
    struct tls_csr asked;
    str pem;
    struct err why = ERR_NONE;
    if (base64_decode(at->arena, BASE64_STD, json_get_str(spec, S("request")), &pem, &why) < 0 || tls_csr_parse(at->arena, arena_cstr(at->arena, pem), &asked, &why) < 0)
        return err_set(err, E_INVALID, "CertificateSigningRequest.certificates.k8s.io \"" STR_FMT "\" is invalid: spec.request: Invalid value: %s", STR_ARG(at->name), why.msg);
    for (size_t i = 0; i < asked.norganizations && str_is(json_get_str(spec, S("signerName")), "kubernetes.io/kube-apiserver-client"); i++)
        if (str_is(asked.organizations[i], "system:masters"))
            return admission_forbid(at, err, "use of kubernetes.io/kube-apiserver-client signer with system:masters group is not allowed");
    return 0;
}

/* What was decided or signed stays so: others have acted on it. */
static int check_kept(struct admission_attrs *at, struct err *err)
{
    static const str types[] = {STR_INIT("Approved"), STR_INIT("Denied"), STR_INIT("Failed")};
    for (size_t i = 0; i < ARRAY_LEN(types); i++)
        if (condition_find(conditions_of(at->old), types[i]) && !condition_find(conditions_of(at->obj), types[i]))
            return err_set(err, E_INVALID, "CertificateSigningRequest.certificates.k8s.io \"" STR_FMT "\" is invalid: status.conditions: Forbidden: updates may not remove a condition of type \"" STR_FMT "\"",
                           STR_ARG(at->name), STR_ARG(types[i]));
    str was = json_get_str(json_get(at->old, S("status")), S("certificate")), now = json_get_str(json_get(at->obj, S("status")), S("certificate"));
    if (was.len && !str_eq(was, now))
        return err_set(err, E_INVALID, "CertificateSigningRequest.certificates.k8s.io \"" STR_FMT "\" is invalid: status.certificate: Forbidden: updates may not modify existing certificate content",
                       STR_ARG(at->name));
    return 0;
}

static bool same_conditions(const struct json *x, const struct json *y)
{
    const struct json *a = conditions_of(x), *b = conditions_of(y);
    bool any_a = a && a->len, any_b = b && b->len;
    return any_a == any_b && (!any_a || json_equal(a, b));
}

int certificates_validate(struct admission_attrs *at, struct err *err)
{
    if (!is_request(at) || at->op == ADMIT_DELETE)
        return 0;
    if (at->op == ADMIT_CREATE)
        return check_text(at, err);
    int r = check_kept(at, err);
    if (r < 0)
        return r;
    if (str_is(at->subresource, "approval"))
        return check_signer(at, S("approve"), err);
    bool signs = str_is(at->subresource, "status") &&
                 (!str_eq(json_get_str(json_get(at->old, S("status")), S("certificate")), json_get_str(json_get(at->obj, S("status")), S("certificate"))) ||
                  !same_conditions(at->old, at->obj)); /* to say that it failed is the signer's, too */
    return signs ? check_signer(at, S("sign"), err) : 0;
}
