/* Who owns which field: metadata.managedFields through creates, updates and patches.
 *
 * compare(live, obj) -> changed, removed.  Every entry loses both; the writer's entry gains `changed`. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/apply.h"

#include "api/apply_internal.h"
#include "base/civil.h"

#define MANAGER_MAX_CHARS 128
#define SUBRESOURCE_MAX_BYTES 256

/* --- fields that nobody owns ------------------------------------------------------------------------------- */

#define FIELD(text) {.elem = {.kind = FIELDSET_FIELD, .body = STR_INIT(text)}, .member = true}
static struct fieldset_node system_metadata[] = {
    FIELD("clusterName"), FIELD("creationTimestamp"), FIELD("generation"), FIELD("managedFields"), FIELD("name"),
    FIELD("namespace"),   FIELD("resourceVersion"),   FIELD("selfLink"),   FIELD("uid"),
};
static struct fieldset_node system_root[] = {
    FIELD("apiVersion"),
    FIELD("kind"),
    {.elem = {.kind = FIELDSET_FIELD, .body = STR_INIT("metadata")},
     .member = true,
     .sub = {.nodes = system_metadata, .len = ARRAY_LEN(system_metadata)}},
};
const struct fieldset apply_system_fields = {.nodes = system_root, .len = ARRAY_LEN(system_root)};

/* The top-level field that the endpoint does not write, "" when it writes all. */
static str foreign_field(const struct apply_context *ctx)
{
    if (str_is(ctx->subresource, "status"))
        return S("spec");
    return ctx->owns_status ? S("") : S("status");
}

struct json apply_without(struct arena *a, const struct json *obj, str key)
{
    struct json out = json_object();
    uint32_t len = json_is(obj, JSON_OBJECT) ? obj->len : 0;
    out.cap = len + 1;
    out.members = arena_alloc(a, out.cap * sizeof *out.members);
    for (uint32_t i = 0; i < len; i++)
        if (!str_eq(obj->members[i].key, key))
            out.members[out.len++] = obj->members[i];
    return out;
}

const struct json *apply_managed_fields(const struct json *obj)
{
    return json_get(json_get(obj, S("metadata")), S("managedFields"));
}

struct json apply_bare(struct arena *a, const struct json *obj)
{
    struct json out = apply_without(a, obj, STR_NONE);
    struct json *metadata = json_get(&out, S("metadata"));
    if (json_is(metadata, JSON_OBJECT))
        *metadata = apply_without(a, metadata, S("managedFields"));
    return out;
}

struct json apply_view(struct arena *a, const struct apply_context *ctx, const struct json *obj)
{
    struct json out = apply_bare(a, obj);
    json_del(&out, foreign_field(ctx));
    return out;
}

void apply_set_managed(struct arena *a, struct json *obj, struct json list)
{
    struct json *metadata = json_ensure_object(a, obj, S("metadata"));
    if (metadata->type != JSON_OBJECT)
        return; /* not an object yet that validation would let pass */
    if (list.type == JSON_NULL)
        json_del(metadata, S("managedFields"));
    else
        json_set(a, metadata, S("managedFields"), list);
}

str apply_now(struct arena *a, const struct apply_context *ctx)
{
    char text[CIVIL_TIME_LEN + 1];
    civil_format(ctx->now, text);
    return arena_str(a, str_n(text, CIVIL_TIME_LEN));
}

str apply_manager(const struct apply_context *ctx)
{
    return ctx->manager.len ? ctx->manager : S("unknown");
}

/* --- update ------------------------------------------------------------------------------------------------ */

/* The client writes [] or [{}] to clear. */
static bool is_reset(const struct json *list)
{
    return json_is(list, JSON_ARRAY) &&
           (!list->len || (list->len == 1 && list->items[0].type == JSON_OBJECT && !list->items[0].len));
}

/* Ownership before the write: as stored, unless the client sent another list that can be read. */
static const struct json *basis(struct arena *a, const struct apply_context *ctx, const struct json *live, const struct json *obj,
                                struct managed *ret)
{
    const struct json *sent = ctx->subresource.len ? NULL : apply_managed_fields(obj), *kept = apply_managed_fields(live);
    *ret = (struct managed){0};
    if (is_reset(sent))
        return NULL;
    if (json_is(sent, JSON_ARRAY) && (!json_is(kept, JSON_ARRAY) || !json_equal(sent, kept)) &&
        managed_decode(a, sent, ret, NULL) == 0 && ret->len)
        return sent;
    *ret = (struct managed){0};
    return json_is(kept, JSON_ARRAY) && kept->len ? kept : NULL;
}

void apply_lose(struct arena *a, struct managed_entry *e, const struct fieldset *fields)
{
    if (fieldset_intersects(&e->set, fields))
        managed_set_fields(e, fieldset_difference(a, &e->set, fields));
}

/* `changed` now belongs to the updater. */
static void gain(struct arena *a, const struct apply_context *ctx, struct managed *m, str manager, const struct fieldset *changed)
{
    struct fieldset own = fieldset_difference(a, changed, &apply_system_fields);
    if (fieldset_is_empty(&own))
        return;
    struct managed_entry *e = managed_find(m, manager, false, ctx->api_version, ctx->subresource);
    if (!e)
        e = managed_add(
            a, m, (struct managed_entry){.manager = manager, .api_version = ctx->api_version, .subresource = ctx->subresource});
    managed_set_fields(e, fieldset_union(a, &own, &e->set));
    e->time = apply_now(a, ctx);
}

void apply_reconcile(struct arena *a, const struct apply_context *ctx, struct managed *m)
{
    for (size_t i = 0; i < m->len; i++) {
        struct fieldset set = typed_reconcile(a, ctx->type, &m->items[i].set);
        if (!fieldset_equal(&set, &m->items[i].set))
            managed_set_fields(&m->items[i], set);
    }
}

/* Everybody loses what changed, the writer gains it. */
static void transfer(struct arena *a, const struct apply_context *ctx, struct managed *m, const struct typed_diff *d, str manager)
{
    apply_reconcile(a, ctx, m);
    for (size_t i = 0; i < m->len; i++) {
        apply_lose(a, &m->items[i], &d->changed);
        apply_lose(a, &m->items[i], &d->removed);
    }
    managed_drop_empty(m);
    gain(a, ctx, m, manager, &d->changed);
    managed_cap(a, m);
}

void apply_track_all(struct arena *a, const struct apply_context *ctx, struct managed *m, const struct json *obj, str manager)
{
    struct json after = apply_view(a, ctx, obj);
    struct typed_diff d = typed_compare(a, ctx->type, NULL, &after);
    transfer(a, ctx, m, &d, manager);
}

void apply_track_update(struct arena *a, const struct apply_context *ctx, const struct json *live, struct json *obj)
{
    struct managed m;
    const struct json *list = basis(a, ctx, live, obj, &m);
    *obj = apply_bare(a, obj); /* a patched object may share its metadata with live */
    if (!list && live)
        return;
    struct json before, after = apply_without(a, obj, foreign_field(ctx));
    if (live)
        before = apply_view(a, ctx, live);
    struct typed_diff d = typed_compare(a, ctx->type, live ? &before : NULL, &after);
    bool same = fieldset_is_empty(&d.changed) && fieldset_is_empty(&d.removed);
    if (same && list && !m.len) {
        apply_set_managed(a, obj, *list);
        return;
    }
    /* what is stored was checked when it came in; should it not be readable all the same, ownership starts anew */
    if (list && !m.len && managed_decode(a, list, &m, NULL) < 0)
        m = (struct managed){0};
    if (!same)
        transfer(a, ctx, &m, &d, apply_manager(ctx));
    apply_set_managed(a, obj, managed_encode(a, &m));
}

/* --- validation -------------------------------------------------------------------------------------------- */

static int validate_entry(struct arena *a, const struct json *v, uint32_t i, struct err *err)
{
    str operation = json_get_str(v, S("operation")), type = json_get_str(v, S("fieldsType"));
    str manager = json_get_str(v, S("manager"));
    if (!str_is(operation, "Apply") && !str_is(operation, "Update"))
        return err_set(err, E_INVALID,
                       "metadata.managedFields[%u].operation: Invalid value: \"" STR_FMT "\": must be `Apply` or `Update`", i,
                       STR_ARG(operation));
    if (type.len && !str_is(type, "FieldsV1"))
        return err_set(err, E_INVALID,
                       "metadata.managedFields[%u].fieldsType: Invalid value: \"" STR_FMT "\": must be `FieldsV1`", i,
                       STR_ARG(type));
    if (manager.len > MANAGER_MAX_CHARS)
        return err_set(err, E_INVALID, "metadata.managedFields[%u].manager: Too long: may not be more than %d bytes", i,
                       MANAGER_MAX_CHARS);
    if (json_get_str(v, S("subresource")).len > SUBRESOURCE_MAX_BYTES)
        return err_set(err, E_INVALID, "metadata.managedFields[%u].subresource: Too long: may not be more than %d bytes", i,
                       SUBRESOURCE_MAX_BYTES);
    const struct json *fields = json_get(v, S("fieldsV1"));
    struct fieldset unused;
    struct err why = ERR_NONE;
    if (fields && fieldset_from_json(a, fields, &unused, &why) < 0)
        return err_set(err, E_INVALID, "metadata.managedFields[%u].fieldsV1: %s", i, why.msg);
    return 0;
}

int apply_validate_managed_fields(const struct json *managed_fields, struct err *err)
{
    ARENA_AUTO a = ARENA_INIT;
    if (!managed_fields || managed_fields->type == JSON_NULL || is_reset(managed_fields))
        return 0;
    if (managed_fields->type != JSON_ARRAY)
        return err_set(err, E_INVALID, "metadata.managedFields: must be a list");
    for (uint32_t i = 0; i < managed_fields->len; i++) {
        int r = validate_entry(&a, &managed_fields->items[i], i, err);
        if (r < 0)
            return r;
    }
    return 0;
}
