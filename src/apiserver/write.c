/* SPDX-License-Identifier: Apache-2.0 */
#include "apiserver/write.h"

#include "api/apply.h"
#include "apiserver/crds.h"

static void attempt(struct write_run *r);

struct write_run *write_new(struct api_req *q, const struct api_resource *res, str ns, str name)
{
    struct write_run *r = arena_alloc(q->arena, sizeof *r);
    memset(r, 0, offsetof(struct write_run, ops));
    r->q = q;
    r->res = res;
    r->storage = registry_storage(q->reg, res);
    r->ns = ns;
    r->name = name;
    r->subresource = q->target.subresource;
    r->key = object_key(q->arena, res, ns, name);
    return r;
}

static void release_ops(struct write_run *r)
{
    for (size_t i = 0; i < r->txn.nops; i++) {
        store_kv_unref(r->ops[i].kv);
        r->ops[i].kv = NULL;
    }
    r->txn.nops = 0;
    store_kv_unref(r->live_kv);
    r->live_kv = NULL;
}

static void fail(struct write_run *r, const struct err *err)
{
    release_ops(r);
    if (r->failed)
        r->failed(r, err);
    else if (err->code == E_NOT_FOUND && !err->msg[0])
        api_answer_not_found(r->q);
    else
        api_answer_err(r->q, err);
}

/* --- answers ------------------------------------------------------------------------------------------------------- */

static void answer(struct write_run *r, enum write_outcome outcome, str stored)
{
    /* the bytes may belong to a kv that release_ops lets go */
    str copy = arena_str(r->q->arena, stored);
    release_ops(r);
    if (r->answer)
        r->answer(r, outcome, copy);
    else
        api_answer_object(r->q, outcome == WRITE_CREATED ? 201 : 200, copy);
}

void write_answer_invalid(struct write_run *r, struct field_errors *e)
{
    struct api_req *q = r->q;
    struct api_cause *causes = arena_array(q->arena, e->len, struct api_cause);
    for (size_t i = 0; i < e->len; i++)
        causes[i] = (struct api_cause){field_error_reason(e->items[i].type), e->items[i].detail, e->items[i].field};
    str kind = r->res->kind, group = r->res->group;
    str qualified = group.len ? arena_fmt(q->arena, STR_FMT "." STR_FMT, STR_ARG(kind), STR_ARG(group)) : kind;
    struct api_status_details d = {.name = r->name, .group = group, .kind = kind, .causes = causes, .ncauses = e->len};
    str message = arena_fmt(q->arena, STR_FMT " \"" STR_FMT "\" is invalid: " STR_FMT, STR_ARG(qualified), STR_ARG(r->name), STR_ARG(field_errors_message(e)));
    release_ops(r);
    api_answer_status(q, 422, S("Invalid"), message, &d);
}

/* About the object itself, or about another one that had to change with it (a quota). */
static void answer_conflict(struct write_run *r)
{
    struct err err;
    str what = api_qualified_resource(r->q->arena, r->res), name = r->name, group, place;
    if (r->txn.failed_op && object_key_parse(r->ops[r->txn.failed_op].key, &group, &what, &place))
        name = str_from(place, (size_t)(str_rfind_char(place, '/') + 1));
    err_set(&err, E_CONFLICT,
            "Operation cannot be fulfilled on " STR_FMT " \"" STR_FMT "\": the object has been modified; please apply your changes to the latest version and try again",
            STR_ARG(what), STR_ARG(name));
    fail(r, &err);
}

static void answer_exists(struct write_run *r)
{
    struct err err;
    str what = api_qualified_resource(r->q->arena, r->res);
    err_set(&err, E_EXISTS, STR_FMT " \"" STR_FMT "\" already exists", STR_ARG(what), STR_ARG(r->name));
    r->q->target.name = r->name;
    fail(r, &err);
}

void write_add_op(struct write_run *r, struct store_op op)
{
    if (r->txn.nops < ARRAY_LEN(r->ops))
        r->ops[r->txn.nops++] = op;
    else
        r->overflowed = true;
}

struct admission_attrs write_admission(struct write_run *r, enum admission_op op, struct json *obj, const struct json *old)
{
    struct api_req *q = r->q;
    return (struct admission_attrs){.srv = q->srv, .req = q, .arena = q->arena, .store = q->srv->store, .op = op, .res = r->res, .subresource = r->subresource,
                                    .ns = r->ns, .name = r->name.len ? r->name : object_name(obj ? obj : old), .obj = obj, .old = old,
                                    .ops = r->ops + r->txn.nops, .ops_room = ARRAY_LEN(r->ops) - r->txn.nops};
}

void write_take_ops(struct write_run *r, struct admission_attrs *attrs)
{
    r->txn.nops += attrs->nops;
    attrs->nops = 0;
}

/* An object that was not written has the revision of what is there, if any. */
static str with_live_revision(struct write_run *r, str bytes)
{
    struct json v = object_parse(r->q->arena, bytes);
    struct json *meta = object_meta(&v);
    if (r->has_live)
        json_set(r->q->arena, meta, S("resourceVersion"), json_string(arena_fmt(r->q->arena, "%llu", (unsigned long long)r->live_kv->mod_rev)));
    else
        json_del(meta, S("resourceVersion"));
    return json_text(r->q->arena, &v);
}

/* --- commit --------------------------------------------------------------------------------------------------------- */

static bool is_out_of_patience(const struct write_run *r)
{
    return loop_now(r->q->loop) - r->started_ns > WRITE_PATIENCE_NS || (r->attempts >= WRITE_AT_ONCE && arena_bytes(r->q->arena) > WRITE_RETRY_BYTES);
}

static void backoff_over(struct loop_timer *t)
{
    attempt(container_of(t, struct write_run, backoff));
}

static void retry(struct write_run *r)
{
    release_ops(r);
    if (r->attempts < WRITE_AT_ONCE) {
        attempt(r);
        return;
    }
    r->backoff.fire = backoff_over;
    loop_timer_set(r->q->loop, &r->backoff, loop_now(r->q->loop) + (nsec_t)(object_random() % (uint64_t)MIN(r->attempts, 32)) * NSEC_PER_MSEC);
}

static void on_committed(struct loop_msg *m)
{
    struct write_run *r = container_of(m, struct write_run, committed);
    struct store_txn *t = &r->txn;
    atomic_fetch_sub(&r->q->srv->writes_bytes, r->held_bytes);
    if (t->result == 0) {
        if (r->storage == object_builtin(S("apiextensions.k8s.io"), S("customresourcedefinitions")))
            crds_reload(r->q->srv->crds); /* before the answer: its client may use the new kinds at once */
        str stored = r->ops[0].kv ? store_kv_value(r->ops[0].kv) : S("");
        if (r->removes && !r->raw)
            stored = with_live_revision(r, r->ops[0].value); /* an update that ended the object shows what it made of it */
        answer(r, r->removes ? WRITE_DELETED : r->has_live ? WRITE_UPDATED : WRITE_CREATED, stored);
        return;
    }
    if (t->result != -E_CONFLICT) {
        fail(r, &t->err);
        return;
    }
    bool own = t->failed_op == 0;
    bool retry_name = own && r->must_create && r->extra;
    if (own && r->must_create && !retry_name)
        answer_exists(r);
    else if ((own && r->conditional) || is_out_of_patience(r))
        answer_conflict(r);
    else
        retry(r);
}

static void commit_done(struct store_txn *t)
{
    struct write_run *r = t->owner;
    loop_post(r->q->loop, &r->committed);
}

static void submit(struct write_run *r)
{
    r->txn.ops = r->ops;
    r->txn.done = commit_done;
    r->txn.owner = r;
    r->committed.fn = on_committed;
    r->held_bytes = arena_bytes(r->q->arena);
    bool fits = atomic_fetch_add(&r->q->srv->writes_bytes, r->held_bytes) < LIMIT_WRITES_BYTES;
    int res = fits ? store_submit(r->q->srv->store, &r->txn) : -E_BUSY;
    if (res < 0) {
        atomic_fetch_sub(&r->q->srv->writes_bytes, r->held_bytes);
        struct err err;
        err_set(&err, -res, res == -E_BUSY ? "the server has too many writes waiting; try again" : "the store does not accept writes");
        fail(r, &err);
    }
}

/* --- one attempt ------------------------------------------------------------------------------------------------------ */

/* The name of a new object from generateName. */
static str generated_name(struct write_run *r, str prefix)
{
    char tail[6];
    object_random_suffix(tail);
    return arena_fmt(r->q->arena, STR_FMT "%s", STR_ARG(str_sub(prefix, 0, 58)), tail);
}

static void name_new_object(struct write_run *r, struct json *obj)
{
    struct json *meta = json_ensure_object(r->q->arena, obj, S("metadata"));
    str prefix = json_get_str(meta, S("generateName"));
    if (r->name.len || !prefix.len)
        return;
    r->extra = r; /* a name that is taken is drawn again */
    str name = generated_name(r, prefix);
    json_set(r->q->arena, meta, S("name"), json_string(name));
    r->ops[0].key = r->key = object_key(r->q->arena, r->res, r->ns, name);
}

/* Cross-version writes are stored in the storage version. */
static int to_storage(struct write_run *r, const struct json *obj, struct json *ret, struct err *err)
{
    if (r->storage == r->res) {
        *ret = *obj;
        return 0;
    }
    return api_convert(r->q->arena, r->res, r->storage, obj, ret, err);
}

/* Who wrote which field, in metadata.managedFields. */
static void track(struct write_run *r, const struct json *old, struct json *obj)
{
    struct api_req *q = r->q;
    if (r->is_apply || r->no_tracking)
        return;
    struct apply_context ctx = {.type = r->res->type, .api_version = api_group_version(q->arena, r->res->group, r->res->version), .manager = q->field_manager,
                                .subresource = r->subresource, .now = clock_wall(q->srv->clock), .owns_status = !api_subresource_find(r->res, S("status"))};
    apply_track_update(q->arena, &ctx, old, obj);
}

/* Defaults, tracking, admission, preparation, validation.  0, -E_CODE, or WRITE_ANSWERED. */
static int process(struct write_run *r, struct json *obj, struct err *err)
{
    struct api_req *q = r->q;
    struct arena *a = q->arena;
    const struct json *old = r->has_live ? &r->live : NULL;
    if (r->res->flags & API_CUSTOM)
        api_default_schema(a, r->res->type, obj);
    else
        api_default(a, r->res, obj);
    if (!old) {
        name_new_object(r, obj);
        track(r, NULL, obj); /* what admission and the server add to a new object belongs to nobody */
    }
    struct admission_attrs attrs = write_admission(r, old ? ADMIT_UPDATE : ADMIT_CREATE, obj, old);
    int res = admission_admit(&attrs, err);
    if (res < 0)
        return res;
    write_take_ops(r, &attrs);
    if (old) {
        api_complete(a, r->res->type, obj); /* what is stored has its empty fields: compare like with like */
        strategy_prepare_update(r, old, obj);
        track(r, old, obj);
    } else {
        strategy_prepare_create(r, obj);
    }
    api_validate(r->res, r->subresource, obj, old, r->errors);
    if (r->errors->len) {
        if (!r->name.len)
            r->name = object_name(obj);
        write_answer_invalid(r, r->errors);
        return WRITE_ANSWERED;
    }
    attrs = write_admission(r, attrs.op, obj, old); /* strategies may have added operations */
    res = admission_validate(&attrs, err);
    if (res < 0)
        return res;
    write_take_ops(r, &attrs);
    return 0;
}

/* An object that is being deleted goes when its last finalizer goes. */
static bool is_finished(const struct json *obj)
{
    const struct json *meta = object_meta(obj), *finalizers = json_get(meta, S("finalizers"));
    if (!object_is_deleting(obj) || (json_is(finalizers, JSON_ARRAY) && finalizers->len))
        return false;
    const struct json *spec_finalizers = json_path(obj, "spec", "finalizers", NULL);
    bool is_namespace = str_is(json_get_str(obj, S("kind")), "Namespace");
    if (is_namespace && json_is(spec_finalizers, JSON_ARRAY) && spec_finalizers->len)
        return false;
    return json_get_int(meta, S("deletionGracePeriodSeconds"), 0) == 0;
}

static void finish_dry_run(struct write_run *r, str bytes)
{
    answer(r, r->removes ? WRITE_DELETED : r->has_live ? WRITE_UPDATED : WRITE_CREATED, with_live_revision(r, bytes));
}

/* The bytes that are stored, and shown as the last state of what is removed: that of an object that goes as it is are there already. */
static str encoded(struct write_run *r, const struct json *stored, uint32_t *ret_rev_at)
{
    if (!r->goes_as_it_is || r->storage != r->res || (r->res->flags & API_CUSTOM) || !r->live_kv->rev_at)
        return object_encode(r->q->arena, r->storage, stored, ret_rev_at);
    *ret_rev_at = r->live_kv->rev_at;
    return object_without_revision(r->q->arena, store_kv_value(r->live_kv), r->live_kv->rev_at);
}

static void store_object(struct write_run *r, struct json *obj)
{
    struct api_req *q = r->q;
    struct err err;
    struct json stored;
    if (to_storage(r, obj, &stored, &err) < 0) {
        fail(r, &err);
        return;
    }
    r->removes = r->removes || (r->has_live && is_finished(&stored));
    if (!json_depth_fits(&stored, LIMIT_OBJECT_DEPTH)) {
        err_set(&err, E_PARSE, "the object with its managedFields exceeds the max depth of %d", LIMIT_OBJECT_DEPTH);
        fail(r, &err);
        return;
    }
    struct store_op *op = &r->ops[0];
    uint32_t rev_at;
    str bytes = encoded(r, &stored, &rev_at);
    if (bytes.len > LIMIT_OBJECT_BYTES) {
        err_set(&err, E_TOO_LARGE, "the object is %zu bytes long; at most %u can be stored", bytes.len, LIMIT_OBJECT_BYTES);
        fail(r, &err);
        return;
    }
    *op = (struct store_op){.type = r->removes ? STORE_DELETE : STORE_PUT, .key = r->key, .value = bytes, .rev_at = rev_at,
                            .expect = r->has_live ? r->live_kv->mod_rev : 0};
    if (r->removes) {
        if (!r->raw)
            r->txn.nops = 1; /* an update that ends the object: what it was about to take is not taken, what it had is given back */
        strategy_on_remove(r, &r->live);
    }
    if (r->overflowed) {
        err_set(&err, E_TOO_LARGE, "the change needs more than the %d operations that one transaction can hold", WRITE_MAX_OPS);
        fail(r, &err);
    } else if (q->dry_run) {
        finish_dry_run(r, bytes);
    } else {
        submit(r);
    }
}

/* Same as what is there: nothing to write, the revision stays. */
static bool is_unchanged(struct write_run *r, struct json *obj)
{
    if (!r->has_live || r->removes)
        return false;
    json_set(r->q->arena, object_meta(obj), S("resourceVersion"), json_string(json_get_str(object_meta(&r->live), S("resourceVersion"))));
    return json_equal(obj, &r->live) && !is_finished(obj);
}

static bool read_live(struct write_run *r)
{
    struct api_req *q = r->q;
    r->has_live = false;
    if (r->must_create)
        return true;
    r->live_kv = store_get(q->srv->store, r->key);
    if (!r->live_kv)
        return r->may_create;
    struct json stored = object_parse(q->arena, store_kv_value(r->live_kv));
    struct err err;
    if (r->storage == r->res && !(r->res->flags & API_CUSTOM))
        r->live = stored;
    else if (api_convert(q->arena, r->storage, r->res, &stored, &r->live, &err) < 0)
        r->live = stored;
    if (r->res->flags & API_CUSTOM)
        api_default_schema(q->arena, r->res->type, &r->live);
    r->has_live = true;
    return true;
}

/* A PUT or an apply that finds nothing is a create, and who may update may not create by that. */
static int may_create(struct write_run *r, struct err *err)
{
    struct api_req *q = r->q;
    struct authz_attrs attrs = chain_attrs(q);
    attrs.verb = S("create");
    str reason;
    if (!(r->res->verbs & API_VERB_CREATE))
        return err_set(err, E_METHOD, "create not allowed while custom resource definition is terminating");
    if (authz_check(q->srv->authz, q->arena, &attrs, &reason))
        return 0;
    str text = authz_forbidden_message(q->arena, &attrs, reason);
    return err_set(err, E_FORBIDDEN, STR_FMT, STR_ARG(text));
}

/* True: the change was made on the bytes and is on its way. */
static bool attempt_splice(struct write_run *r)
{
    str bytes;
    uint32_t rev_at;
    if (!r->splice || r->q->dry_run || !(r->live_kv = store_get(r->q->srv->store, r->key)))
        return false;
    if (!r->splice(r, r->live_kv, &bytes, &rev_at) || bytes.len > LIMIT_OBJECT_BYTES) {
        store_kv_unref(TAKE(r->live_kv));
        return false;
    }
    r->has_live = true;
    r->ops[0] = (struct store_op){.type = STORE_PUT, .key = r->key, .value = bytes, .rev_at = rev_at, .expect = r->live_kv->mod_rev};
    submit(r);
    return true;
}

static void attempt(struct write_run *r)
{
    r->attempts++;
    r->txn = (struct store_txn){.nops = 1};
    r->ops[0] = (struct store_op){.key = r->key};
    r->removes = r->goes_as_it_is = r->overflowed = false;
    r->errors = arena_new(r->q->arena, struct field_errors);
    r->errors->arena = r->q->arena;
    struct err err = ERR_NONE;
    if (attempt_splice(r))
        return;
    if (!read_live(r)) {
        err_set(&err, E_NOT_FOUND, "%s", "");
        fail(r, &err);
        return;
    }
    int res = r->has_live || r->must_create ? 0 : may_create(r, &err);
    if (res == 0)
        res = r->build(r, r->has_live ? &r->live : NULL, &r->obj, &err);
    if (res == 0 && !r->raw)
        res = process(r, &r->obj, &err);
    if (res == WRITE_ANSWERED)
        return;
    if (res < 0) {
        fail(r, &err);
        return;
    }
    if (!r->raw)
        api_complete(r->q->arena, r->res->type, &r->obj);
    if (is_unchanged(r, &r->obj))
        answer(r, WRITE_UNCHANGED, store_kv_value(r->live_kv));
    else
        store_object(r, &r->obj);
}

void write_start(struct write_run *r)
{
    r->started_ns = loop_now(r->q->loop);
    attempt(r);
}
