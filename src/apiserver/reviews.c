/* SPDX-License-Identifier: Apache-2.0 */
#include "apiserver/reviews.h"
#include "apiserver/node_authz.h"

#include "api/gen/gen.h"
#include "api/validate.h"
#include "apiserver/internal.h"
#include "base/civil.h"

/* --- shared -------------------------------------------------------------------------------------- */

/* Reads the body as the kind that the path names; false: answered. */
static bool read_body(struct api_req *q, const struct schema_type *type, str kind, str group_version, struct json *ret)
{
    struct err err;
    if (rest_read_body(q, type, kind, group_version, ret, &err) == 0)
        return true;
    api_answer_err(q, &err);
    return false;
}

static bool read_review(struct api_req *q, struct json *ret)
{
    return read_body(q, q->res->type, q->res->kind, api_group_version(q->arena, q->res->group, q->res->version), ret);
}

static void answer_created(struct api_req *q, const struct schema_type *type, struct json *obj)
{
    json_ensure_object(q->arena, obj, S("metadata"));
    api_complete(q->arena, type, obj);
    api_answer_json(q, 201, obj);
}

static void answer_bad(struct api_req *q, const char *why)
{
    api_answer_status(q, 400, S("BadRequest"), str_of(why), &(struct api_status_details){0});
}

static void answer_invalid(struct api_req *q, str kind, str group, str name, struct field_errors *e)
{
    struct api_cause *causes = arena_array(q->arena, e->len, struct api_cause);
    for (size_t i = 0; i < e->len; i++)
        causes[i] = (struct api_cause){field_error_reason(e->items[i].type), e->items[i].detail, e->items[i].field};
    struct api_status_details d = {.name = name, .group = group, .kind = kind, .causes = causes, .ncauses = e->len};
    str why = field_errors_message(e);
    api_answer_status(q, 422, S("Invalid"),
                      arena_fmt(q->arena, STR_FMT "." STR_FMT " \"" STR_FMT "\" is invalid: " STR_FMT, STR_ARG(kind),
                                STR_ARG(group), STR_ARG(name), STR_ARG(why)),
                      &d);
}

static struct field_errors *errors_new(struct api_req *q)
{
    struct field_errors *e = arena_new(q->arena, struct field_errors);
    e->arena = q->arena;
    return e;
}

static struct json strings_json(struct arena *a, const str *items, size_t n)
{
    struct json list = json_array();
    for (size_t i = 0; i < n; i++)
        json_push(a, &list, json_string(items[i]));
    return list;
}

static const str *strings_of(struct arena *a, const struct json *list, size_t *ret_n)
{
    *ret_n = json_is(list, JSON_ARRAY) ? list->len : 0;
    str *items = arena_array(a, *ret_n, str);
    for (size_t i = 0; i < *ret_n; i++)
        items[i] = json_str(&list->items[i]);
    return items;
}

static struct json user_json(struct arena *a, const struct api_user *u)
{
    struct json out = json_object();
    if (u->name.len)
        json_set(a, &out, S("username"), json_string(u->name));
    if (u->uid.len)
        json_set(a, &out, S("uid"), json_string(u->uid));
    if (u->ngroups)
        json_set(a, &out, S("groups"), strings_json(a, u->groups, u->ngroups));
    if (u->extra && u->extra->len)
        json_set(a, &out, S("extra"), *u->extra);
    return out;
}

static struct json time_json(struct arena *a, nsec_t wall)
{
    char text[CIVIL_TIME_LEN + 1];
    civil_format(wall, text);
    return json_string(arena_str(a, str_of(text)));
}

/* --- who ----------------------------------------------------------------------------------------- */

static void serve_token_review(struct api_req *q)
{
    struct arena *a = q->arena;
    struct json review, status = json_object(), audiences;
    if (!read_review(q, &review))
        return;
    const struct json *spec = json_get(&review, S("spec"));
    str token = json_get_str(spec, S("token"));
    if (!token.len) {
        answer_bad(q, "token is required for TokenReview in authentication");
        return;
    }
    size_t n;
    const str *wanted = strings_of(a, json_get(spec, S("audiences")), &n);
    struct api_user user;
    struct err err;
    if (authn_token(q->srv->authn, a, token, wanted, n, &user, &audiences, &err) == 0) {
        json_set(a, &status, S("authenticated"), json_bool(true));
        json_set(a, &status, S("user"), user_json(a, &user));
        json_set(a, &status, S("audiences"), audiences);
    } else {
        bool is_unknown = strcmp(err.msg, "invalid bearer token") == 0;
        str why = is_unknown ? arena_str(a, str_of(err.msg)) : arena_fmt(a, "[invalid bearer token, %s]", err.msg);
        json_set(a, &status, S("error"), json_string(why));
    }
    json_set(a, &review, S("status"), status);
    answer_created(q, q->res->type, &review);
}

static void serve_self_review(struct api_req *q)
{
    struct json review, status = json_object();
    if (!read_review(q, &review))
        return;
    struct json *meta = json_set(q->arena, &review, S("metadata"), json_object());
    json_set(q->arena, meta, S("creationTimestamp"), time_json(q->arena, clock_wall(q->srv->clock)));
    json_set(q->arena, &status, S("userInfo"), user_json(q->arena, &q->user));
    json_set(q->arena, &review, S("status"), status);
    answer_created(q, q->res->type, &review);
}

/* --- may ----------------------------------------------------------------------------------------- */

/* What all three access reviews ask of their spec. */
static void check_spec(const struct json *spec, struct field_errors *e)
{
    const struct json *res = json_get(spec, S("resourceAttributes")), *path = json_get(spec, S("nonResourceAttributes"));
    if (res && path)
        field_error_add(e, FIELD_INVALID, S("spec.nonResourceAttributes"), path,
                        "cannot be specified in combination with resourceAttributes");
    if (!res && !path)
        field_error_add(e, FIELD_INVALID, S("spec.resourceAttributes"), &(struct json){.type = JSON_NULL},
                        "exactly one of nonResourceAttributes or resourceAttributes must be specified");
}

static void check_subject(const struct json *spec, struct field_errors *e)
{
    const struct json *groups = json_get(spec, S("groups"));
    struct json none = json_string(S(""));
    if (!json_get_str(spec, S("user")).len && !(json_is(groups, JSON_ARRAY) && groups->len))
        field_error_add(e, FIELD_INVALID, S("spec.user"), &none, "at least one of user or group must be specified");
}

/* Nothing but managedFields and, where it is given, the namespace. */
static bool meta_is_empty(const struct json *review, bool ns_allowed)
{
    const struct json *meta = object_meta(review);
    for (uint32_t i = 0; json_is(meta, JSON_OBJECT) && i < meta->len; i++) {
        str key = meta->members[i].key;
        if (!str_is(key, "managedFields") && !str_is(key, "creationTimestamp") && !(ns_allowed && str_is(key, "namespace")))
            return false;
    }
    return true;
}

static void check_local(const struct json *review, str ns, struct field_errors *e)
{
    const struct json *spec = json_get(review, S("spec")), *res = json_get(spec, S("resourceAttributes")),
                      *path = json_get(spec, S("nonResourceAttributes"));
    struct json asked = json_string(json_get_str(res, S("namespace")));
    if (!meta_is_empty(review, true))
        field_error_add(e, FIELD_INVALID, S("metadata"), object_meta(review), "must be empty except for namespace");
    if (res && !str_eq(json_str(&asked), ns))
        field_error_add(e, FIELD_INVALID, S("spec.resourceAttributes.namespace"), &asked, "must match metadata.namespace");
    if (path)
        field_error_add(e, FIELD_INVALID, S("spec.nonResourceAttributes"), path, "disallowed on this kind of request");
}

static void answer_access(struct api_req *q, struct json *review, const struct api_user *user)
{
    struct arena *a = q->arena;
    const struct json *spec = json_get(review, S("spec")), *res = json_get(spec, S("resourceAttributes")),
                      *path = json_get(spec, S("nonResourceAttributes"));
    const struct json *from = res ? res : path;
    struct authz_attrs attrs = {.user = user,
                                .is_resource = res != NULL,
                                .verb = json_get_str(from, S("verb")),
                                .path = json_get_str(path, S("path")),
                                .group = json_get_str(res, S("group")),
                                .version = json_get_str(res, S("version")),
                                .resource = json_get_str(res, S("resource")),
                                .subresource = json_get_str(res, S("subresource")),
                                .ns = json_get_str(res, S("namespace")),
                                .name = json_get_str(res, S("name"))};
    str reason;
    struct json status = json_object();
    json_set(a, &status, S("allowed"), json_bool(authz_check(q->srv->authz, a, &attrs, &reason)));
    if (reason.len)
        json_set(a, &status, S("reason"), json_string(reason));
    json_set(a, review, S("status"), status);
    answer_created(q, q->res->type, review);
}

static void serve_self_access(struct api_req *q)
{
    struct json review;
    if (!read_review(q, &review))
        return;
    struct field_errors *e = errors_new(q);
    check_spec(json_get(&review, S("spec")), e);
    if (!meta_is_empty(&review, false))
        field_error_add(e, FIELD_INVALID, S("metadata"), object_meta(&review), "must be empty");
    if (e->len)
        answer_invalid(q, q->res->kind, q->res->group, S(""), e);
    else
        answer_access(q, &review, &q->user);
}

static void serve_access(struct api_req *q)
{
    struct json review;
    if (!read_review(q, &review))
        return;
    const struct json *spec = json_get(&review, S("spec"));
    struct field_errors *e = errors_new(q);
    check_spec(spec, e);
    check_subject(spec, e);
    if (!api_is_namespaced(q->res)) {
        if (!meta_is_empty(&review, false))
            field_error_add(e, FIELD_INVALID, S("metadata"), object_meta(&review), "must be empty");
    } else {
        str ns = q->target.ns, given = object_ns(&review);
        if (!ns.len) {
            answer_bad(q, "namespace is required on this type: ");
            return;
        }
        if (given.len && !str_eq(given, ns)) {
            answer_bad(q, "the namespace of the provided object does not match the namespace sent on the request");
            return;
        }
        json_set(q->arena, json_ensure_object(q->arena, &review, S("metadata")), S("namespace"), json_string(ns));
        spec = json_get(&review, S("spec"));
        check_local(&review, ns, e);
    }
    if (e->len) {
        answer_invalid(q, q->res->kind, q->res->group, S(""), e);
        return;
    }
    struct api_user user = {.name = json_get_str(spec, S("user")), .uid = json_get_str(spec, S("uid"))};
    user.groups = strings_of(q->arena, json_get(spec, S("groups")), &user.ngroups);
    answer_access(q, &review, &user);
}

static void serve_self_rules(struct api_req *q)
{
    struct json review;
    if (!read_review(q, &review))
        return;
    str ns = json_get_str(json_get(&review, S("spec")), S("namespace"));
    if (!ns.len) {
        answer_bad(q, "no namespace on request");
        return;
    }
    json_set(q->arena, &review, S("spec"), json_object());
    json_set(q->arena, &review, S("status"), authz_rules_for(q->srv->authz, q->arena, &q->user, ns));
    answer_created(q, q->res->type, &review);
}

/* --- tokens -------------------------------------------------------------------------------------- */

#define TOKEN_MIN_SECONDS 600
#define TOKEN_MAX_SECONDS (1ll << 32)

/* Objects that a token can be bound to. */
static const struct {
    const char *kind;
    str plural;
    bool namespaced;
} bindable[] = {{"Pod", STR_INIT("pods"), true}, {"Secret", STR_INIT("secrets"), true}, {"Node", STR_INIT("nodes"), false}};

static int bind_pod(struct api_req *q, const struct json *pod, struct json *bound, struct err *err)
{
    struct arena *a = q->arena;
    const struct json *spec = json_get(pod, S("spec"));
    str node_name = json_get_str(spec, S("nodeName"));
    struct json node;
    if (!str_eq(json_get_str(spec, S("serviceAccountName")), q->target.name))
        return err_set(err, E_INVALID_ARG,
                       "cannot bind token for serviceaccount \"" STR_FMT "\" to pod running with different serviceaccount name.",
                       STR_ARG(q->target.name));
    if (!node_name.len)
        return 0;
    json_set(a, bound, S("nodeName"), json_string(node_name));
    if (object_get_builtin(q->srv->store, a, S(""), S("nodes"), S(""), node_name, &node, NULL))
        json_set(a, bound, S("nodeUID"), json_string(object_uid(&node)));
    return 0;
}

/* boundObjectRef to what authn_issue wants: the object must exist, and be the one that was meant. */
static int resolve_bound(struct api_req *q, const struct json *ref, struct json *ret, struct err *err)
{
    struct arena *a = q->arena;
    str kind = json_get_str(ref, S("kind")), version = json_get_str(ref, S("apiVersion")), name = json_get_str(ref, S("name")),
        uid = json_get_str(ref, S("uid"));
    size_t i = 0;
    while (i < ARRAY_LEN(bindable) && !str_is(kind, bindable[i].kind))
        i++;
    if (i == ARRAY_LEN(bindable) || (version.len && !str_is(version, "v1"))) {
        str slash = str_find_char(version, '/') < 0 ? S("/") : S("");
        return err_set(err, E_INVALID_ARG, "cannot bind token to object of type " STR_FMT STR_FMT ", Kind=" STR_FMT,
                       STR_ARG(slash), STR_ARG(version), STR_ARG(kind));
    }
    struct json obj;
    if (!name.len || !object_get_builtin(q->srv->store, a, S(""), bindable[i].plural,
                                         bindable[i].namespaced ? q->target.ns : S(""), name, &obj, NULL))
        return err_set(err, E_NOT_FOUND, STR_FMT " \"" STR_FMT "\" not found", STR_ARG(bindable[i].plural), STR_ARG(name));
    *ret = json_object();
    json_set(a, ret, S("kind"), json_string(kind));
    json_set(a, ret, S("name"), json_string(name));
    json_set(a, ret, S("uid"), json_string(object_uid(&obj)));
    int r = str_is(kind, "Pod") ? bind_pod(q, &obj, ret, err) : 0;
    if (r == 0 && uid.len && !str_eq(uid, object_uid(&obj)))
        return err_set(err, E_CONFLICT,
                       "Operation cannot be fulfilled on " STR_FMT " \"" STR_FMT
                       "\": the UID in the bound object reference (" STR_FMT
                       ") does not match the UID in record. The object might have been deleted and then recreated",
                       STR_ARG(kind), STR_ARG(name), STR_ARG(uid));
    return r;
}

static void check_token_request(struct api_req *q, const struct json *req, int64_t seconds, struct field_errors *e)
{
    static const char *const keys[] = {"name", "namespace"};
    const str wanted[] = {q->target.name, q->target.ns};
    for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
        struct json given = json_string(json_get_str(object_meta(req), str_of(keys[i])));
        if (given.len && !str_eq(json_str(&given), wanted[i]))
            field_error_add(e, FIELD_INVALID, arena_fmt(q->arena, "metadata.%s", keys[i]), &given,
                            "must match the service account %s if specified", keys[i]);
    }
    struct json value = json_int(q->arena, seconds);
    if (seconds < TOKEN_MIN_SECONDS)
        field_error_add(e, FIELD_INVALID, S("spec.expirationSeconds"), &value, "may not specify a duration less than 10 minutes");
    if (seconds > TOKEN_MAX_SECONDS)
        field_error_add(e, FIELD_INVALID, S("spec.expirationSeconds"), &value,
                        "may not specify a duration larger than 2^32 seconds");
}

/* Signs, and fills metadata and status of the request's object. */
static int issue(struct api_req *q, const struct json *account, struct json *req, int64_t seconds, struct err *err)
{
    struct arena *a = q->arena;
    struct json *spec = json_get(req, S("spec")), status = json_object(), bound;
    const struct json *ref = json_get(spec, S("boundObjectRef"));
    bool has_ref = json_is(ref, JSON_OBJECT);
    int r = node_restrict_token(q, ref, err);
    if (r == 0 && has_ref)
        r = resolve_bound(q, ref, &bound, err);
    if (r < 0)
        return r;
    size_t n;
    const str *audiences = strings_of(a, json_get(spec, S("audiences")), &n);
    str token, issuer = authn_issuer(q->srv->authn);
    nsec_t expires;
    r = authn_issue(q->srv->authn, a, account, audiences, n, has_ref ? &bound : NULL, seconds, &token, &expires, err);
    if (r < 0)
        return r;
    if (!n)
        json_set(a, spec, S("audiences"), strings_json(a, &issuer, 1));
    struct json *meta = json_ensure_object(a, req, S("metadata"));
    json_set(a, meta, S("name"), json_string(q->target.name));
    json_set(a, meta, S("namespace"), json_string(q->target.ns));
    json_set(a, meta, S("creationTimestamp"), time_json(a, clock_wall(q->srv->clock)));
    json_set(a, &status, S("token"), json_string(token));
    json_set(a, &status, S("expirationTimestamp"), time_json(a, expires));
    json_set(a, req, S("status"), status);
    return 0;
}

static void serve_token_request(struct api_req *q)
{
    const struct schema_type *type = &schema_authentication_v1_TokenRequest;
    struct json req, account;
    if (!read_body(q, type, S("TokenRequest"), S("authentication.k8s.io/v1"), &req))
        return;
    json_ensure_object(q->arena, &req, S("spec"));
    api_default_schema(q->arena, type, &req);
    if (!object_get(q->srv->store, q->arena, q->res, q->target.ns, q->target.name, &account, NULL)) {
        api_answer_not_found(q);
        return;
    }
    int64_t seconds = json_get_int(json_get(&req, S("spec")), S("expirationSeconds"), 3600);
    struct field_errors *e = errors_new(q);
    check_token_request(q, &req, seconds, e);
    if (e->len) {
        answer_invalid(q, S("TokenRequest"), S("authentication.k8s.io"), S(""), e);
        return;
    }
    struct err err;
    if (issue(q, &account, &req, seconds, &err) < 0)
        api_answer_err(q, &err);
    else
        answer_created(q, type, &req);
}

/* --- the table ----------------------------------------------------------------------------------- */

static const struct {
    const char *group, *resource, *sub;
    void (*serve)(struct api_req *q);
} reviews[] = {
    {"authentication.k8s.io", "tokenreviews", "", serve_token_review},
    {"authentication.k8s.io", "selfsubjectreviews", "", serve_self_review},
    {"authorization.k8s.io", "selfsubjectaccessreviews", "", serve_self_access},
    {"authorization.k8s.io", "subjectaccessreviews", "", serve_access},
    {"authorization.k8s.io", "localsubjectaccessreviews", "", serve_access},
    {"authorization.k8s.io", "selfsubjectrulesreviews", "", serve_self_rules},
    {"", "serviceaccounts", "token", serve_token_request},
};

bool reviews_serve(struct api_req *q)
{
    const struct api_target *t = &q->target;
    for (size_t i = 0; i < ARRAY_LEN(reviews); i++) {
        if (!str_is(t->resource, reviews[i].resource) || !str_is(t->group, reviews[i].group) ||
            !str_is(t->subresource, reviews[i].sub) || !str_is(t->verb, "create"))
            continue;
        /* a review has no name; POST to one is no way to ask */
        if (t->name.len && !t->subresource.len)
            return false;
        reviews[i].serve(q);
        return true;
    }
    return false;
}
