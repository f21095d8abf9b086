/* rest_delete.c - delete and deletecollection: preconditions, propagation marks, grace, finalizers.
 *
 * An object goes at once when nothing holds it.  Otherwise it is marked (deletionTimestamp) and goes with its last finalizer: `orphan` and `foregroundDeletion` are put there for the garbage
 * collector by the propagation policy, pods wait for their node. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "apiserver/write.h"
#include "api/gen/gen.h"
#include "base/civil.h"
#include "base/vec.h"

#define GRACE_MAX_S ((int64_t)100 * 365 * 86400) /* a time that can still be written as a date */

struct delete_opts {
    bool has_grace;
    int64_t grace;
    str propagation; /* "", Background, Foreground, Orphan */
    str uid, rv;     /* preconditions */
};

/* --- options ---------------------------------------------------------------------------------------------------------- */

static bool refuse(struct api_req *q, const char *field, str detail)
{
    struct api_cause cause = {S("FieldValueInvalid"), detail, str_of(field)};
    struct api_status_details d = {.group = S("meta.k8s.io"), .kind = S("DeleteOptions"), .causes = &cause, .ncauses = 1};
    api_answer_status(q, 422, S("Invalid"), arena_fmt(q->arena, "DeleteOptions.meta.k8s.io \"\" is invalid: %s: " STR_FMT, field, STR_ARG(detail)), &d);
    return false;
}

static bool from_body(struct api_req *q, struct delete_opts *o, bool *ret_orphan_given, bool *ret_orphan)
{
    if (!str_trim(q->body).len)
        return true;
    enum api_media media;
    struct json body;
    struct err err;
    struct api_field_report rep = {.len = 0};
    if (negotiate_body(q, &media, &err) < 0 || api_parse_body(q->arena, media, q->body, &schema_meta_v1_DeleteOptions, &body, &rep, &err) < 0 ||
        api_conform(q->arena, &schema_meta_v1_DeleteOptions, &body, NULL, &err) < 0) {
        api_answer_err(q, &err);
        return false;
    }
    *o = *(struct delete_opts *)rest_delete_opts_from(q, &body);
    const struct json *v = json_get(&body, S("orphanDependents"));
    *ret_orphan_given = v != NULL;
    *ret_orphan = v && v->b;
    v = json_get(&body, S("dryRun"));
    for (uint32_t i = 0; json_is(v, JSON_ARRAY) && i < v->len; i++) {
        if (!str_is(json_str(&v->items[i]), "All"))
            return refuse(q, "dryRun", S("Unsupported value: supported values: \"All\""));
    }
    return true;
}

/* Body and query say the same things; the body counts when both do. */
static bool parse_opts(struct api_req *q, struct delete_opts *o)
{
    *o = (struct delete_opts){0};
    bool orphan_given = false, orphan = false;
    if (!from_body(q, o, &orphan_given, &orphan))
        return false;
    str v;
    if (!o->has_grace && api_query(q, S("gracePeriodSeconds"), &v) && v.len)
        o->has_grace = str_to_i64(v, &o->grace);
    if (!o->propagation.len)
        o->propagation = api_query_str(q, S("propagationPolicy"));
    if (!orphan_given && api_query(q, S("orphanDependents"), &v)) {
        orphan_given = true;
        orphan = api_query_bool(q, S("orphanDependents"));
    }
    if (o->propagation.len && orphan_given)
        return refuse(q, "propagationPolicy", S("Invalid value: orphanDependents and deletionPropagation cannot be both set"));
    if (orphan_given)
        o->propagation = orphan ? S("Orphan") : S("Background");
    if (o->propagation.len && !str_is(o->propagation, "Orphan") && !str_is(o->propagation, "Foreground") && !str_is(o->propagation, "Background"))
        return refuse(q, "propagationPolicy",
                      arena_fmt(q->arena, "Unsupported value: \"" STR_FMT "\": supported values: \"Foreground\", \"Background\", \"Orphan\"", STR_ARG(o->propagation)));
    if (!o->propagation.len && (q->res->flags & API_ORPHAN_DEFAULT))
        o->propagation = S("Orphan");
    return true;
}

/* --- marking ------------------------------------------------------------------------------------------------------------ */

static void finalizer_set(struct arena *a, struct json *meta, str name, bool wanted)
{
    struct json *list = json_get(meta, S("finalizers"));
    for (uint32_t i = 0; json_is(list, JSON_ARRAY) && i < list->len; i++) {
        if (!str_eq(json_str(&list->items[i]), name))
            continue;
        if (!wanted)
            json_remove(list, i);
        return;
    }
    if (!wanted)
        return;
    if (!json_is(list, JSON_ARRAY))
        list = json_set(a, meta, S("finalizers"), json_array());
    json_push(a, list, json_string(name));
}

static int64_t pod_grace(const struct json *pod, const struct delete_opts *o)
{
    str phase = json_get_str(json_get(pod, S("status")), S("phase"));
    const struct json *spec = json_get(pod, S("spec"));
    if (!json_get_str(spec, S("nodeName")).len || str_is(phase, "Succeeded") || str_is(phase, "Failed"))
        return 0;
    int64_t grace = o->has_grace ? o->grace : json_get_int(spec, S("terminationGracePeriodSeconds"), 30);
    return grace < 0 ? 1 : MIN(grace, GRACE_MAX_S);
}

/* deletionTimestamp = now + grace; a second, shorter request moves it forward, a longer one does nothing. */
static void mark(struct write_run *r, struct json *meta, int64_t grace)
{
    struct arena *a = r->q->arena;
    nsec_t now = clock_wall(r->q->srv->clock), at = now + grace * NSEC_PER_SEC, before;
    str old = json_get_str(meta, S("deletionTimestamp"));
    int64_t old_grace = json_get_int(meta, S("deletionGracePeriodSeconds"), 0);
    if (old.len) {
        if (grace >= old_grace)
            return;
        if (civil_parse(old, &before))
            at = MIN(before, before - (old_grace - grace) * NSEC_PER_SEC);
    } else if (r->res->flags & API_GENERATION) {
        int64_t generation = json_get_int(meta, S("generation"), 0);
        if (generation > 0)
            json_set(a, meta, S("generation"), json_int(a, generation + 1));
    }
    char text[CIVIL_TIME_LEN + 1];
    civil_format(at, text);
    json_set(a, meta, S("deletionTimestamp"), json_string(arena_str(a, str_of(text))));
    json_set(a, meta, S("deletionGracePeriodSeconds"), json_int(a, grace));
}

static int check_preconditions(struct write_run *r, const struct delete_opts *o, const struct json *live, struct err *err)
{
    str what = api_qualified_resource(r->q->arena, r->res), uid = object_uid(live), rv = json_get_str(object_meta(live), S("resourceVersion"));
    const char *fmt = "Operation cannot be fulfilled on " STR_FMT " \"" STR_FMT "\": Precondition failed: %s in precondition: " STR_FMT ", %s in object meta: " STR_FMT;
    if (o->uid.len && !str_eq(o->uid, uid))
        return err_set(err, E_CONFLICT, fmt, STR_ARG(what), STR_ARG(r->name), "UID", STR_ARG(o->uid), "UID", STR_ARG(uid));
    if (o->rv.len && !str_eq(o->rv, rv))
        return err_set(err, E_CONFLICT, fmt, STR_ARG(what), STR_ARG(r->name), "ResourceVersion", STR_ARG(o->rv), "ResourceVersion", STR_ARG(rv));
    return 0;
}

int rest_build_delete(struct write_run *r, const struct json *live, struct json *ret, struct err *err)
{
    const struct delete_opts *o = r->extra;
    struct arena *a = r->q->arena;
    int res = check_preconditions(r, o, live, err);
    if (res < 0)
        return res;
    r->conditional = o->rv.len > 0;
    struct admission_attrs attrs = write_admission(r, ADMIT_DELETE, NULL, live);
    if ((res = admission_admit(&attrs, err)) < 0 || (res = admission_validate(&attrs, err)) < 0)
        return res;
    write_take_ops(r, &attrs);
    *ret = json_copy_shape(a, live);
    struct json *meta = object_meta(ret);
    if (o->propagation.len) {
        finalizer_set(a, meta, S("orphan"), str_is(o->propagation, "Orphan"));
        finalizer_set(a, meta, S("foregroundDeletion"), str_is(o->propagation, "Foreground"));
    }
    const struct json *finalizers = json_get(meta, S("finalizers"));
    bool is_pod = !r->res->group.len && str_is(r->res->plural, "pods");
    bool is_namespace = !r->res->group.len && str_is(r->res->plural, "namespaces");
    int64_t grace = is_pod ? pod_grace(ret, o) : 0;
    const struct json *spec_finalizers = json_path(ret, "spec", "finalizers", NULL);
    bool held = (json_is(finalizers, JSON_ARRAY) && finalizers->len) || grace > 0 ||
                (is_namespace && json_is(spec_finalizers, JSON_ARRAY) && spec_finalizers->len);
    if (!held) {
        r->removes = true;
        r->goes_as_it_is = !finalizers;
        return 0;
    }
    mark(r, meta, grace);
    if (is_namespace) {
        struct json *status = json_ensure_object(a, ret, S("status"));
        json_set(a, status, S("phase"), json_string(S("Terminating")));
    }
    return 0;
}

void *rest_delete_opts_from(struct api_req *q, const struct json *options)
{
    struct delete_opts *o = arena_new(q->arena, struct delete_opts);
    const struct json *grace = json_get(options, S("gracePeriodSeconds")), *pre = json_get(options, S("preconditions"));
    o->has_grace = grace && json_to_i64(grace, &o->grace);
    o->propagation = json_get_str(options, S("propagationPolicy"));
    o->uid = json_get_str(pre, S("uid"));
    o->rv = json_get_str(pre, S("resourceVersion"));
    const struct json *dry = json_get(options, S("dryRun"));
    q->dry_run = q->dry_run || (json_is(dry, JSON_ARRAY) && dry->len);
    return o;
}

static void answer_delete(struct write_run *r, enum write_outcome outcome, str stored)
{
    struct api_req *q = r->q;
    /* pods and other objects with an own grace are shown, the rest is confirmed */
    bool show = outcome != WRITE_DELETED || (!r->res->group.len && (str_is(r->res->plural, "pods") || str_is(r->res->plural, "services") ||
                                                                    str_is(r->res->plural, "persistentvolumeclaims") || str_is(r->res->plural, "persistentvolumes")));
    if (show && stored.len) {
        api_answer_object(q, 200, stored);
        return;
    }
    struct json v = object_parse(q->arena, stored.len ? stored : S("{}"));
    api_answer_success(q, &(struct api_status_details){.name = r->name, .group = r->res->group, .kind = r->res->plural, .uid = object_uid(&v)});
}

void rest_delete(struct api_req *q)
{
    struct delete_opts *o = arena_new(q->arena, struct delete_opts);
    if (!parse_opts(q, o))
        return;
    struct write_run *r = write_new(q, q->res, api_is_namespaced(q->res) ? q->target.ns : S(""), q->target.name);
    r->extra = o;
    r->raw = true;
    r->build = rest_build_delete;
    r->answer = answer_delete;
    write_start(r);
}

/* --- deletecollection -------------------------------------------------------------------------------------------------- */

/* Several write runs at a time over the names found; each answers into the collection instead of the client. */
#define COLLECTION_IN_FLIGHT 64
#define COLLECTION_ANSWER_BYTES (8u << 20)

struct collection_run {
    struct api_req *q;
    struct delete_opts opts;
    struct list_opts list;
    VEC(str) places; /* "ns/name" or "name" */
    size_t next, in_flight;
    struct arena scratch; /* per object, while they are chosen */
    struct strbuf items;  /* of the answer, at most COLLECTION_ANSWER_BYTES: whoever deletes a million objects does not want to read them */
    struct err err; /* the first failure */
    bool starting;  /* inside collection_more: runs that end at once must not start others themselves */
};

static void collection_more(struct collection_run *c);

static bool collect(void *arg, const struct store_kv *kv)
{
    struct collection_run *c = arg;
    str group, plural, place;
    bool wanted = object_key_parse(store_kv_key(kv), &group, &plural, &place);
    int by_text = wanted && (c->list.labels || c->list.fields) ? list_matches_text(&c->list, c->q->res, store_kv_value(kv)) : wanted;
    if (by_text < 0) {
        struct json obj = object_parse(&c->scratch, store_kv_value(kv));
        by_text = list_matches(&c->list, c->q->res, &obj);
        arena_reset(&c->scratch);
    }
    wanted = by_text > 0;
    if (wanted)
        vec_push(&c->places, arena_str(c->q->arena, place));
    return !c->list.limit || (int64_t)c->places.len < c->list.limit;
}

static void collection_finish(struct collection_run *c)
{
    struct api_req *q = c->q;
    vec_fini(&c->places);
    if (c->err.code) {
        api_answer_err(q, &c->err);
        return;
    }
    struct strbuf b = strbuf_on(q->arena);
    strbuf_addf(&b, "{\"kind\":\"" STR_FMT "\",\"apiVersion\":\"" STR_FMT "\",\"metadata\":{\"resourceVersion\":\"%llu\"},\"items\":[" STR_FMT "]}", STR_ARG(q->res->list_kind),
                STR_ARG(api_group_version(q->arena, q->res->group, q->res->version)), (unsigned long long)store_revision(q->srv->store), STR_ARG(strbuf_str(&c->items)));
    api_answer_text(q, 200, strbuf_str(&b));
}

/* One object of the collection: a copy of the request with an arena of its own, so that a million of them do not add up. */
struct member {
    struct api_req q;
    struct arena arena;
    struct collection_run *collection;
};

static void member_done(struct write_run *r)
{
    struct member *m = container_of(r->q, struct member, q);
    struct collection_run *c = m->collection;
    struct arena arena = m->arena; /* holds m itself */
    arena_fini(&arena);
    c->in_flight--;
    if (!c->starting)
        collection_more(c);
}

static void answer_member(struct write_run *r, enum write_outcome outcome UNUSED, str stored)
{
    struct collection_run *c = container_of(r->q, struct member, q)->collection;
    if (stored.len && c->items.len < COLLECTION_ANSWER_BYTES)
        strbuf_addf(&c->items, "%s" STR_FMT, c->items.len ? "," : "", STR_ARG(output_item(r->q, r->q->arena, stored, true)));
    member_done(r);
}

static void fail_member(struct write_run *r, const struct err *err)
{
    struct collection_run *c = container_of(r->q, struct member, q)->collection;
    if (err->code != E_NOT_FOUND && !c->err.code) /* gone meanwhile is what was wanted */
        c->err = *err;
    member_done(r);
}

static struct write_run *member_new(struct collection_run *c, str ns, str name)
{
    struct arena arena = ARENA_INIT;
    struct member *m = arena_new(&arena, struct member);
    m->q = *c->q;
    m->collection = c;
    m->arena = arena;
    m->q.arena = &m->arena;
    struct write_run *r = write_new(&m->q, c->q->res, ns, name);
    r->extra = &c->opts;
    r->raw = true;
    r->build = rest_build_delete;
    r->answer = answer_member;
    r->failed = fail_member;
    return r;
}

static void collection_more(struct collection_run *c)
{
    struct api_req *q = c->q;
    c->starting = true;
    while (c->in_flight < COLLECTION_IN_FLIGHT && c->next < c->places.len && !c->err.code) {
        str place = c->places.p[c->next++], ns = S("");
        if (api_is_namespaced(q->res))
            str_cut(&place, '/', &ns);
        c->in_flight++;
        write_start(member_new(c, ns, place));
    }
    c->starting = false;
    if (!c->in_flight)
        collection_finish(c);
}

void rest_delete_collection(struct api_req *q)
{
    struct collection_run *c = arena_new(q->arena, struct collection_run);
    c->q = q;
    c->items = strbuf_on(q->arena);
    if (!parse_opts(q, &c->opts) || !list_opts_parse(q, &c->list))
        return;
    CLEANUP(store_view_close) struct store_view *view = NULL;
    struct err err;
    if (store_view_open(q->srv->store, 0, &view, &err) < 0) {
        api_answer_err(q, &err);
        return;
    }
    str prefix = object_key(q->arena, q->res, c->list.ns, S(""));
    if (c->list.name_pin.len && c->list.ns.len + !api_is_namespaced(q->res) > 0) {
        CLEANUP(store_kv_unref) struct store_kv *kv = store_view_get(view, object_key(q->arena, q->res, c->list.ns, c->list.name_pin));
        if (kv)
            collect(c, kv);
    } else {
        store_view_range(view, prefix, store_prefix_end(q->arena, prefix), collect, c);
    }
    arena_fini(&c->scratch);
    collection_more(c);
}
