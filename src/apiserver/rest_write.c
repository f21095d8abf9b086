/* rest_write.c - create, update, patch and apply: from request bodies to write runs. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/apply.h"
#include "api/patch.h"
#include "apiserver/write.h"
#include "wire/yaml.h"

/* --- bodies -------------------------------------------------------------------------------------------------------- */

static str expected_version(struct api_req *q, const struct api_resource *res)
{
    return api_group_version(q->arena, res->group, res->version);
}

/* The part of "apps/v1" that messages show. */
static str short_version(str api_version)
{
    str group;
    return str_cut(&api_version, '/', &group) ? api_version : group;
}

/* kind and apiVersion of a body must be the URL's; absent ones are filled in. */
static int check_type(struct api_req *q, str want_kind, str want_version, struct json *obj, struct err *err)
{
    if (obj->type != JSON_OBJECT)
        return err_set(err, E_PARSE, "couldn't get version/kind; json parse error: json: cannot unmarshal %s into Go value of type struct",
                       obj->type == JSON_ARRAY ? "array" : obj->type == JSON_STRING ? "string" : "value");
    str kind = json_get_str(obj, S("kind")), version = json_get_str(obj, S("apiVersion"));
    if (version.len && !str_eq(version, want_version))
        return err_set(err, E_PARSE, "the API version in the data (" STR_FMT ") does not match the expected API version (" STR_FMT ")", STR_ARG(version),
                       STR_ARG(want_version));
    if (kind.len && !str_eq(kind, want_kind))
        return err_set(err, E_PARSE, STR_FMT " in version \"" STR_FMT "\" cannot be handled as a " STR_FMT, STR_ARG(kind), STR_ARG(short_version(want_version)),
                       STR_ARG(want_kind));
    json_set(q->arena, obj, S("kind"), json_string(want_kind));
    json_set(q->arena, obj, S("apiVersion"), json_string(want_version));
    return 0;
}

static int wrap_unfit(struct err *err, str kind, str version)
{
    return err_wrap(err, STR_FMT " in version \"" STR_FMT "\" cannot be handled as a " STR_FMT ": ", STR_ARG(kind), STR_ARG(short_version(version)), STR_ARG(kind));
}

/* What fieldValidation makes of unknown and duplicate fields; no kind: the message stays bare. */
static int judge_report(struct api_req *q, str kind, str version, const struct api_field_report *rep, struct err *err)
{
    if (!rep->len || q->validation == API_VALIDATE_IGNORE)
        return 0;
    if (q->validation == API_VALIDATE_WARN) {
        for (size_t i = 0; i < rep->len; i++)
            api_req_warn(q, rep->items[i]);
        return 0;
    }
    struct strbuf b = strbuf_on(q->arena);
    for (size_t i = 0; i < rep->len; i++)
        strbuf_addf(&b, "%s" STR_FMT, i ? ", " : "", STR_ARG(rep->items[i]));
    err_set(err, E_PARSE, "strict decoding error: " STR_FMT, STR_ARG(strbuf_str(&b)));
    return kind.len ? wrap_unfit(err, kind, version) : -E_PARSE;
}

int rest_read_body(struct api_req *q, const struct schema_type *type, str kind, str version, struct json *ret, struct err *err)
{
    enum api_media media;
    struct api_field_report *rep = arena_new(q->arena, struct api_field_report);
    int r = negotiate_body(q, &media, err);
    if (r < 0)
        return r;
    r = api_parse_body(q->arena, media, q->body, type, ret, rep, err);
    if (r < 0)
        return r;
    r = check_type(q, kind, version, ret, err);
    if (r < 0)
        return r;
    r = api_conform(q->arena, type, ret, rep, err);
    if (r < 0)
        return wrap_unfit(err, kind, version);
    return judge_report(q, kind, version, rep, err);
}

/* The namespace and name in the body must not contradict the URL. */
static int check_place(struct write_run *r, struct json *obj, struct err *err)
{
    struct arena *a = r->q->arena;
    struct json *meta = json_ensure_object(a, obj, S("metadata"));
    str ns = json_get_str(meta, S("namespace")), name = json_get_str(meta, S("name"));
    if (api_is_namespaced(r->res)) {
        if (ns.len && !str_eq(ns, r->ns))
            return err_set(err, E_INVALID_ARG, "the namespace of the provided object does not match the namespace sent on the request");
        json_set(a, meta, S("namespace"), json_string(r->ns));
    } else if (ns.len) {
        json_del(meta, S("namespace"));
    }
    if (r->name.len) {
        if (name.len && !str_eq(name, r->name))
            return err_set(err, E_INVALID_ARG, "the name of the object (" STR_FMT ") does not match the name on the URL (" STR_FMT ")", STR_ARG(name), STR_ARG(r->name));
        json_set(a, meta, S("name"), json_string(r->name));
    }
    return 0;
}

/* --- create ---------------------------------------------------------------------------------------------------------- */

static int build_create(struct write_run *r, const struct json *live UNUSED, struct json *ret, struct err *err UNUSED)
{
    /* later attempts must not see what admission did to the first */
    *ret = json_copy_shape(r->q->arena, &r->body);
    return 0;
}

void rest_create(struct api_req *q)
{
    struct err err;
    if (api_is_namespaced(q->res) && !q->target.ns.len) {
        api_answer_status(q, 400, S("BadRequest"), S("an empty namespace may not be set during creation"), &(struct api_status_details){0});
        return;
    }
    struct write_run *r = write_new(q, q->res, api_is_namespaced(q->res) ? q->target.ns : S(""), S(""));
    r->build = build_create;
    r->must_create = true;
    if (rest_read_body(q, q->res->type, q->res->kind, expected_version(q, q->res), &r->body, &err) < 0 || check_place(r, &r->body, &err) < 0) {
        api_answer_err(q, &err);
        return;
    }
    const struct json *meta = object_meta(&r->body);
    r->name = json_get_str(meta, S("name"));
    if (json_get_str(meta, S("resourceVersion")).len) {
        err_set(&err, E_INVALID_ARG, "resourceVersion should not be set on objects to be created");
        api_answer_err(q, &err);
        return;
    }
    if (r->name.len)
        r->key = object_key(q->arena, q->res, r->ns, r->name);
    q->target.name = r->name;
    write_start(r);
}

/* --- update ---------------------------------------------------------------------------------------------------------- */

/* uid and resourceVersion that the client gave must be the live object's. */
static int check_preconditions(struct write_run *r, const struct json *live, struct json *obj, bool rv_needed, struct err *err)
{
    str what = api_qualified_resource(r->q->arena, r->res);
    struct json *meta = object_meta(obj);
    str uid = json_get_str(meta, S("uid")), live_uid = object_uid(live);
    if (uid.len && !str_eq(uid, live_uid))
        return err_set(err, E_CONFLICT, "Operation cannot be fulfilled on " STR_FMT " \"" STR_FMT "\": Precondition failed: UID in precondition: " STR_FMT
                                        ", UID in object meta: " STR_FMT, STR_ARG(what), STR_ARG(r->name), STR_ARG(uid), STR_ARG(live_uid));
    str rv = json_get_str(meta, S("resourceVersion")), live_rv = json_get_str(object_meta(live), S("resourceVersion"));
    if (!rv.len || str_is(rv, "0")) {
        if (!rv_needed)
            return 0;
        struct field_errors *e = arena_new(r->q->arena, struct field_errors);
        e->arena = r->q->arena;
        struct json zero = json_number_text(S("0"));
        field_error_add(e, FIELD_INVALID, S("metadata.resourceVersion"), &zero, "must be specified for an update");
        write_answer_invalid(r, e);
        return WRITE_ANSWERED;
    }
    if (!str_eq(rv, live_rv))
        return err_set(err, E_CONFLICT,
                       "Operation cannot be fulfilled on " STR_FMT " \"" STR_FMT
                       "\": the object has been modified; please apply your changes to the latest version and try again",
                       STR_ARG(what), STR_ARG(r->name));
    return 0;
}

static int build_update(struct write_run *r, const struct json *live, struct json *ret, struct err *err)
{
    *ret = json_copy_shape(r->q->arena, &r->body);
    if (!live) {
        json_del(object_meta(ret), S("resourceVersion"));
        return 0;
    }
    r->conditional = json_get_str(object_meta(ret), S("resourceVersion")).len > 0;
    return check_preconditions(r, live, ret, r->res->flags & API_RV_REQUIRED, err);
}

void rest_update(struct api_req *q)
{
    struct err err;
    struct write_run *r = write_new(q, q->res, q->target.ns, q->target.name);
    r->build = build_update;
    r->may_create = (q->res->flags & API_PUT_CREATES) && !q->sub;
    if (rest_read_body(q, q->res->type, q->res->kind, expected_version(q, q->res), &r->body, &err) < 0 || check_place(r, &r->body, &err) < 0) {
        api_answer_err(q, &err);
        return;
    }
    write_start(r);
}

/* --- patch ---------------------------------------------------------------------------------------------------------- */

static int apply_patch(struct write_run *r, const struct json *live, struct json *ret, struct err *err)
{
    struct arena *a = r->q->arena;
    if (str_is(r->patch_type, "application/json-patch+json"))
        return patch_json(a, live, &r->body, ret, err);
    if (str_is(r->patch_type, "application/merge-patch+json"))
        return patch_merge(a, live, &r->body, ret, err);
    return patch_strategic(a, r->res->type, live, &r->body, ret, err);
}

/* 422 without a name: it is the patch that is wrong, not the object. */
static int refuse_patch(struct write_run *r, str message, const struct api_cause *cause)
{
    CLEANUP(store_kv_unref) UNUSED struct store_kv *kv = TAKE(r->live_kv); /* the answer frees r */
    api_answer_status(r->q, 422, S("Invalid"), message, &(struct api_status_details){.causes = cause, .ncauses = cause ? 1 : 0});
    return WRITE_ANSWERED;
}

/* The patched object does not fit its type. */
static int refuse_patched(struct write_run *r, const struct err *err)
{
    struct arena *a = r->q->arena;
    struct json shown = json_string(str_sub(r->q->body, 0, 200));
    str text = json_text(a, &shown);
    struct api_cause cause = {S("FieldValueInvalid"), arena_fmt(a, "Invalid value: " STR_FMT ": %s", STR_ARG(text), err->msg), S("patch")};
    return refuse_patch(r, arena_fmt(a, " \"\" is invalid: patch: " STR_FMT, STR_ARG(cause.message)), &cause);
}

static int build_patch(struct write_run *r, const struct json *live, struct json *ret, struct err *err)
{
    struct api_req *q = r->q;
    struct api_field_report *rep = arena_new(q->arena, struct api_field_report);
    int res = apply_patch(r, live, ret, err);
    if (res < 0)
        return res == -E_INVALID ? refuse_patch(r, arena_str(q->arena, str_of(err->msg)), NULL) : res;
    str version = expected_version(q, r->res);
    *ret = json_copy_shape(q->arena, ret); /* patches share parts with the live object and with the body, which the next attempt needs */
    res = check_type(q, r->res->kind, version, ret, err);
    if (res < 0)
        return res;
    res = api_conform(q->arena, r->res->type, ret, rep, err);
    if (res == 0)
        res = judge_report(q, S(""), version, rep, err);
    if (res < 0)
        return refuse_patched(r, err);
    str rv = json_get_str(object_meta(ret), S("resourceVersion"));
    r->conditional = rv.len && !str_eq(rv, json_get_str(object_meta(live), S("resourceVersion")));
    res = check_place(r, ret, err);
    return res < 0 ? res : check_preconditions(r, live, ret, false, err);
}

static int build_apply(struct write_run *r, const struct json *live, struct json *ret, struct err *err)
{
    struct api_req *q = r->q;
    struct json config = json_copy(q->arena, &r->body);
    str rv = json_get_str(object_meta(&config), S("resourceVersion"));
    str uid = json_get_str(object_meta(&config), S("uid"));
    str what = api_qualified_resource(q->arena, r->res);
    if (!live && uid.len)
        return err_set(err, E_CONFLICT, "Operation cannot be fulfilled on " STR_FMT " \"" STR_FMT "\": uid mismatch: the provided object specified uid " STR_FMT
                                        ", and no existing object was found", STR_ARG(what), STR_ARG(r->name), STR_ARG(uid));
    if (live) {
        r->conditional = rv.len > 0;
        int res = check_preconditions(r, live, &config, false, err);
        if (res)
            return res;
    }
    struct apply_context ctx = {.type = r->res->type, .api_version = expected_version(q, r->res), .manager = q->field_manager, .subresource = r->subresource,
                                .now = clock_wall(q->srv->clock), .force = q->force, .dry_run = q->dry_run, .owns_status = !api_subresource_find(r->res, S("status"))};
    struct apply_conflicts conflicts = {0};
    bool changed;
    int res = apply_merge(q->arena, &ctx, live, &config, ret, &changed, &conflicts, err);
    if (res == -E_CONFLICT && conflicts.len) {
        struct api_cause *causes = arena_array(q->arena, conflicts.len, struct api_cause);
        for (size_t i = 0; i < conflicts.len; i++)
            causes[i] = (struct api_cause){S("FieldManagerConflict"), arena_fmt(q->arena, "conflict with " STR_FMT, STR_ARG(conflicts.items[i].manager)), conflicts.items[i].path};
        struct api_status_details d = {.causes = causes, .ncauses = conflicts.len};
        CLEANUP(store_kv_unref) UNUSED struct store_kv *kv = TAKE(r->live_kv); /* the answer frees r, and names what stands in kv */
        api_answer_status(q, 409, S("Conflict"), apply_conflicts_message(q->arena, &conflicts), &d);
        return WRITE_ANSWERED;
    }
    if (res < 0)
        return res;
    *ret = json_copy(q->arena, ret);
    if (!live)
        json_del(object_meta(ret), S("resourceVersion"));
    return api_conform(q->arena, r->res->type, ret, NULL, err);
}

/* An applied configuration must be what the schema says, whatever fieldValidation asks for: its fields become owned. */
static int refuse_undeclared(struct write_run *r, const struct api_field_report *rep, struct err *err)
{
    struct arena *a = r->q->arena;
    struct strbuf b = strbuf_on(a);
    size_t n = 0;
    for (size_t i = 0; i < rep->len; i++) {
        str item = rep->items[i], head = S("unknown field \"");
        if (!str_has_prefix(item, head))
            continue;
        str path = str_sub(item, head.len, item.len - 1);
        strbuf_addf(&b, "%s." STR_FMT ": field not declared in schema", n++ ? "\n  " : "", STR_ARG(path));
    }
    if (!n)
        return 0;
    const struct api_resource *res = r->res;
    return err_set(err, E_PARSE, "failed to create typed patch object (" STR_FMT "%s" STR_FMT "; " STR_FMT "/" STR_FMT ", Kind=" STR_FMT "): %s" STR_FMT, STR_ARG(r->ns),
                   r->ns.len ? "/" : "", STR_ARG(r->name), STR_ARG(res->group), STR_ARG(res->version), STR_ARG(res->kind), n > 1 ? "errors:\n  " : "",
                   STR_ARG(strbuf_str(&b)));
}

static int read_apply_body(struct write_run *r, struct err *err)
{
    struct api_req *q = r->q;
    if (!api_query_str(q, S("fieldManager")).len) {
        struct api_cause cause = {S("FieldValueRequired"), S("Required value: is required for apply patch"), S("fieldManager")};
        struct api_status_details d = {.group = S("meta.k8s.io"), .kind = S("PatchOptions"), .causes = &cause, .ncauses = 1};
        api_answer_status(q, 422, S("Invalid"), S("PatchOptions.meta.k8s.io \"\" is invalid: fieldManager: Required value: is required for apply patch"), &d);
        return WRITE_ANSWERED;
    }
    struct api_field_report *rep = arena_new(q->arena, struct api_field_report);
    str kind = r->res->kind, version = expected_version(q, r->res);
    int res = api_parse_body(q->arena, API_MEDIA_YAML, q->body, r->res->type, &r->body, rep, err);
    if (res < 0)
        return err_wrap(err, "error decoding YAML: ");
    if (!json_get_str(&r->body, S("kind")).len || !json_get_str(&r->body, S("apiVersion")).len)
        return err_set(err, E_INVALID_ARG, "Object 'Kind' is missing in the applied configuration: apiVersion and kind must be set");
    const struct json *managed = json_get(object_meta(&r->body), S("managedFields"));
    if (managed && managed->type == JSON_ARRAY && managed->len)
        return err_set(err, E_INVALID_ARG, "metadata.managedFields must be nil");
    if ((res = check_type(q, kind, version, &r->body, err)) < 0 || (res = api_conform(q->arena, r->res->type, &r->body, rep, err)) < 0 ||
        (res = refuse_undeclared(r, rep, err)) < 0 || (res = judge_report(q, kind, version, rep, err)) < 0)
        return res;
    return check_place(r, &r->body, err);
}

static int read_patch_body(struct write_run *r, struct err *err)
{
    struct json_parse_opts opts = {0};
    int res = json_parse(r->q->arena, r->q->body, &opts, &r->body, err);
    return res < 0 ? err_wrap(err, "error decoding patch: ") : 0;
}

void rest_patch(struct api_req *q)
{
    str type = q->content_type, media;
    str_cut(&type, ';', &media);
    media = str_trim(media);
    struct err err;
    struct write_run *r = write_new(q, q->res, q->target.ns, q->target.name);
    r->patch_type = media;
    bool strategic = str_is(media, "application/strategic-merge-patch+json");
    bool classic = strategic || str_is(media, "application/json-patch+json") || str_is(media, "application/merge-patch+json");
    r->is_apply = str_is(media, "application/apply-patch+yaml");
    if ((!classic && !r->is_apply) || (strategic && (q->res->flags & API_CUSTOM))) {
        err_set(&err, E_MEDIA_TYPE, "the body of the request was in an unknown format - accepted media types include: application/json-patch+json, "
                                    "application/merge-patch+json, %sapplication/apply-patch+yaml",
                q->res->flags & API_CUSTOM ? "" : "application/strategic-merge-patch+json, ");
        api_answer_err(q, &err);
        return;
    }
    r->may_create = r->is_apply && !q->sub;
    r->build = r->is_apply ? build_apply : build_patch;
    int res = r->is_apply ? read_apply_body(r, &err) : read_patch_body(r, &err);
    if (res < 0)
        api_answer_err(q, &err);
    else if (res == 0)
        write_start(r);
}
