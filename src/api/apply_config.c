/* Server-side apply: one manager's configuration over the live object.
 *
 *     merged = live + config
 *     pruned = merged - (what the manager applied last time and nobody owns now)
 *     compare(live, pruned) -> changed; changed fields of other managers are conflicts, or are taken from them by force
 *     the manager's entry becomes the fields of config. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/apply.h"

#include "api/apply_internal.h"

#define KUBECTL S("kubectl")
#define BEFORE_FIRST_APPLY S("before-first-apply")
#define LAST_APPLIED S("kubectl.kubernetes.io/last-applied-configuration")
#define ANNOTATIONS_MAX_BYTES (256u << 10) /* of all annotations together, as validation has it */

/* --- conflicts --------------------------------------------------------------------------------------------- */

struct contested {
    const struct managed_entry *entry;
    struct fieldset fields;
};

static int contested_cmp(const void *a, const void *b)
{
    return managed_name_cmp(((const struct contested *)a)->entry, ((const struct contested *)b)->entry);
}

static struct apply_conflicts conflicts_of(struct arena *a, struct contested *list, size_t n)
{
    struct apply_conflicts out = {0};
    size_t cap = 0;
    if (n > 1)
        qsort(list, n, sizeof *list, contested_cmp);
    for (size_t i = 0; i < n; i++) {
        size_t np;
        str name = managed_name(a, list[i].entry), *paths = fieldset_paths(a, &list[i].fields, &np);
        for (size_t k = 0; k < np; k++) {
            if (out.len == cap) {
                size_t grown = cap ? cap * 2 : 8;
                out.items = arena_grow(a, out.items, cap * sizeof *out.items, grown * sizeof *out.items);
                cap = grown;
            }
            out.items[out.len++] = (struct apply_conflict){.manager = name, .path = paths[k]};
        }
    }
    return out;
}

str apply_conflicts_message(struct arena *a, const struct apply_conflicts *c)
{
    struct strbuf b = strbuf_on(a);
    if (c->len == 1) {
        strbuf_addf(&b, "Apply failed with 1 conflict: conflict with " STR_FMT ": " STR_FMT, STR_ARG(c->items[0].manager),
                    STR_ARG(c->items[0].path));
        return strbuf_str(&b);
    }
    strbuf_addf(&b, "Apply failed with %zu conflicts: ", c->len);
    for (size_t i = 0; i < c->len; i++) {
        if (!i || !str_eq(c->items[i - 1].manager, c->items[i].manager))
            strbuf_addf(&b, "%sconflicts with " STR_FMT ":", i ? "\n" : "", STR_ARG(c->items[i].manager));
        strbuf_addf(&b, "\n- " STR_FMT, STR_ARG(c->items[i].path));
    }
    return strbuf_str(&b);
}

/* --- last-applied annotation --------------------------------------------------------------------------------- */

static int member_cmp(const void *a, const void *b)
{
    return str_cmp(((const struct json_member *)a)->key, ((const struct json_member *)b)->key);
}

static void sort_members(struct json *v)
{
    if (v->type == JSON_OBJECT && v->len)
        qsort(v->members, v->len, sizeof *v->members, member_cmp);
    for (uint32_t i = 0; (v->type == JSON_OBJECT || v->type == JSON_ARRAY) && i < v->len; i++)
        sort_members(v->type == JSON_OBJECT ? &v->members[i].value : &v->items[i]);
}

/* As kubectl writes it: members sorted, a newline at the end. */
static str last_applied_text(struct arena *a, const struct json *config)
{
    struct json copy = json_copy(a, config);
    struct json *annotations = json_path(&copy, "metadata", "annotations", NULL);
    if (json_is(annotations, JSON_OBJECT))
        json_del(annotations, LAST_APPLIED);
    sort_members(&copy);
    struct strbuf b = strbuf_on(a);
    json_write(&b, &copy);
    strbuf_add_char(&b, '\n');
    return strbuf_str(&b);
}

/* A kubectl that applies on the server keeps the annotation of client-side apply up to date where there is one. */
static void sync_last_applied(struct arena *a, const struct apply_context *ctx, const struct json *config, struct json *obj)
{
    struct json *annotations = json_path(obj, "metadata", "annotations", NULL);
    if (!str_eq(apply_manager(ctx), KUBECTL) || !json_get_str(annotations, LAST_APPLIED).len)
        return;
    struct json changed = apply_without(a, annotations, LAST_APPLIED);
    str text = last_applied_text(a, config);
    size_t bytes = LAST_APPLIED.len + text.len;
    for (uint32_t i = 0; i < changed.len; i++)
        bytes += changed.members[i].key.len + json_str(&changed.members[i].value).len;
    if (bytes <= ANNOTATIONS_MAX_BYTES)
        json_set(a, &changed, LAST_APPLIED, json_string(text));
    struct json metadata = apply_without(a, json_get(obj, S("metadata")), S("annotations"));
    json_set(a, &metadata, S("annotations"), changed);
    json_set(a, obj, S("metadata"), metadata);
}

/* --- apply ------------------------------------------------------------------------------------------------- */

struct apply {
    struct arena *a;
    const struct apply_context *ctx;
    const struct schema_type *type;
    struct json live;   /* without managedFields; {} on create */
    struct json config; /* without the foreign field */
    struct managed managed;
    struct fieldset last; /* what the manager applied last time */
};

static struct fieldset expand(struct apply *p, const struct json *obj)
{
    struct fieldset s = typed_fields(p->a, p->type, obj);
    return typed_with_parents(p->a, p->type, &s);
}

/* What goes from merged: what the manager applied before, unless it or somebody else owns it now, and never more. */
static struct fieldset obsolete(struct apply *p, const struct json *merged, const struct fieldset *own)
{
    struct arena *a = p->a;
    if (fieldset_is_empty(&p->last))
        return FIELDSET_EMPTY;
    struct fieldset owned = *own;
    for (size_t i = 0; i < p->managed.len; i++)
        owned = fieldset_union(a, &owned, &p->managed.items[i].set);
    owned = typed_with_parents(a, p->type, &owned);
    struct fieldset last = typed_with_parents(a, p->type, &p->last), all = expand(p, merged);

    struct json rest = typed_remove(a, p->type, merged, &last, false);
    struct fieldset keep = expand(p, &rest);
    keep = fieldset_union(a, &keep, &owned);
    struct fieldset doomed = fieldset_difference(a, &all, &keep);
    rest = typed_remove(a, p->type, merged, &doomed, false);

    keep = expand(p, &rest);
    doomed = fieldset_difference(a, &all, &keep);
    return fieldset_intersection(a, &doomed, &last);
}

/* The entry of this applier is not in p->managed: it is added at the end. */
static size_t contest(struct apply *p, const struct typed_diff *d, struct contested *ret)
{
    size_t n = 0;
    for (size_t i = 0; i < p->managed.len; i++) {
        struct managed_entry *e = &p->managed.items[i];
        if (fieldset_intersects(&e->set, &d->changed))
            ret[n++] = (struct contested){.entry = e, .fields = fieldset_intersection(p->a, &e->set, &d->changed)};
    }
    return n;
}

/* kubectl moves from client-side to server-side apply: what its annotation says and the live object still has is its own,
 * so taking it from the old entry is no conflict. */
static struct fieldset allowed_by_last_applied(struct apply *p)
{
    struct json last;
    struct err unused;
    str text = json_get_str(json_path(&p->live, "metadata", "annotations", NULL), LAST_APPLIED);
    if (!str_eq(apply_manager(p->ctx), KUBECTL) || !text.len || json_parse(p->a, text, NULL, &last, &unused) < 0 ||
        last.type != JSON_OBJECT || !str_eq(json_get_str(&last, S("apiVersion")), p->ctx->api_version))
        return FIELDSET_EMPTY;
    struct fieldset s = typed_fields(p->a, p->type, &last);
    struct typed_diff d = typed_compare(p->a, p->type, &last, &p->live);
    s = fieldset_difference(p->a, &s, &d.changed);
    return fieldset_difference(p->a, &s, &d.removed);
}

/* Zero, or E_CONFLICT when the changed fields of others may not be taken. */
static int check_conflicts(struct apply *p, const struct typed_diff *d, struct apply_conflicts *ret, struct err *err)
{
    struct contested *list = arena_array(p->a, p->managed.len + 1, struct contested);
    size_t n = p->ctx->force ? 0 : contest(p, d, list), kept = 0;
    struct fieldset allowed = n ? allowed_by_last_applied(p) : FIELDSET_EMPTY;
    for (size_t i = 0; i < n; i++) {
        list[i].fields = fieldset_difference(p->a, &list[i].fields, &allowed);
        if (!fieldset_is_empty(&list[i].fields))
            list[kept++] = list[i];
    }
    if (!kept)
        return 0;
    *ret = conflicts_of(p->a, list, kept);
    return err_set(err, E_CONFLICT, STR_FMT, STR_ARG(apply_conflicts_message(p->a, ret)));
}

/* --- the steps --------------------------------------------------------------------------------------------- */

static int check_config(struct arena *a, const struct apply_context *ctx, const struct json *config, struct err *err)
{
    const struct json *fields = apply_managed_fields(config), *metadata = json_get(config, S("metadata"));
    str version = json_get_str(config, S("apiVersion")), namespace = json_get_str(metadata, S("namespace"));
    if (fields && fields->type != JSON_NULL)
        return err_set(err, E_INVALID_ARG, "metadata.managedFields must be nil");
    if (version.len && !str_eq(version, ctx->api_version))
        return err_set(err, E_INVALID_ARG,
                       "Incorrect version specified in apply patch. Specified patch version: " STR_FMT ", expected: " STR_FMT,
                       STR_ARG(version), STR_ARG(ctx->api_version));
    int r = typed_check(a, ctx->type, config, err);
    if (r < 0)
        return err_wrap(err, "failed to create typed patch object (" STR_FMT "/" STR_FMT "; " STR_FMT ", Kind=" STR_FMT "): ",
                        STR_ARG(namespace), STR_ARG(json_get_str(metadata, S("name"))), STR_ARG(ctx->api_version),
                        STR_ARG(json_get_str(config, S("kind"))));
    return 0;
}

/* The owners before; an object that was never tracked belongs to "before-first-apply". */
static int load_managed(struct apply *p, const struct json *live, struct err *err)
{
    int r = managed_decode(p->a, apply_managed_fields(live), &p->managed, err);
    if (r < 0)
        return err_wrap(err, "failed to decode managed fields: ");
    if (live && !p->managed.len)
        apply_track_all(p->a, p->ctx, &p->managed, live, BEFORE_FIRST_APPLY);
    apply_reconcile(p->a, p->ctx, &p->managed);
    return 0;
}

/* Takes the applier's own entry out of the list. */
static struct managed_entry take_own(struct apply *p)
{
    struct managed_entry own = {.manager = apply_manager(p->ctx), .applied = true, .subresource = p->ctx->subresource};
    struct managed_entry *e = managed_find(&p->managed, own.manager, true, S(""), own.subresource);
    if (e) {
        own = *e;
        p->last = e->set;
        *e = p->managed.items[--p->managed.len];
    }
    own.api_version = p->ctx->api_version;
    return own;
}

static bool same_managed(const struct json *x, const struct json *y)
{
    const struct json *p = apply_managed_fields(x), *q = apply_managed_fields(y);
    return p && q ? json_equal(p, q) : p == q;
}

/* Takes the changed fields from the others and gives the applier its own. */
static void move_ownership(struct apply *p, const struct typed_diff *d, struct managed_entry own, const struct fieldset *fields)
{
    for (size_t i = 0; i < p->managed.len; i++) {
        apply_lose(p->a, &p->managed.items[i], &d->changed);
        apply_lose(p->a, &p->managed.items[i], &d->removed);
    }
    managed_set_fields(&own, fieldset_difference(p->a, fields, &apply_system_fields));
    managed_add(p->a, &p->managed, own);
    managed_drop_empty(&p->managed);
}

/* What the apply does to fields that others may own.  A container that is emptied is not removed itself: who applied it as
 * a whole goes on owning it. */
static struct typed_diff changes(struct apply *p, const struct json *merged, const struct fieldset *gone)
{
    if (!p->managed.len)
        return (struct typed_diff){0};
    struct json emptied = typed_remove(p->a, p->type, merged, gone, false);
    struct json before = apply_view(p->a, p->ctx, &p->live), after = apply_view(p->a, p->ctx, &emptied);
    return typed_compare(p->a, p->type, &before, &after);
}

int apply_merge(struct arena *a, const struct apply_context *ctx, const struct json *live, const struct json *config,
                struct json *ret, bool *ret_changed, struct apply_conflicts *ret_conflicts, struct err *err)
{
    struct apply p = {.a = a, .ctx = ctx, .type = ctx->type, .live = json_object()};
    int r = check_config(a, ctx, config, err);
    if (r == 0)
        r = load_managed(&p, live, err);
    if (r < 0)
        return r;
    if (live)
        p.live = apply_bare(a, live);
    p.config = apply_view(a, ctx, config);
    struct managed_entry own = take_own(&p);
    struct fieldset fields = typed_fields(a, p.type, &p.config);
    struct json merged = typed_merge(a, p.type, &p.live, &p.config);
    struct fieldset gone = obsolete(&p, &merged, &fields);
    struct json obj = typed_remove(a, p.type, &merged, &gone, true);
    if (!fieldset_is_empty(&gone)) /* a container that lost everything stays if the configuration has it empty */
        obj = typed_merge(a, p.type, &obj, &p.config);
    struct typed_diff d = changes(&p, &merged, &gone);
    r = check_conflicts(&p, &d, ret_conflicts, err);
    if (r < 0)
        return r;
    bool changed = !live || !json_equal(&p.live, &obj);
    if (changed)
        own.time = apply_now(a, ctx);
    move_ownership(&p, &d, own, &fields);
    struct json out = apply_bare(a, &obj);
    sync_last_applied(a, ctx, config, &out);
    changed = changed || !json_equal(&p.live, &out);
    apply_set_managed(a, &out, managed_encode(a, &p.managed));
    *ret = out;
    *ret_changed = changed || !same_managed(live, ret);
    return 0;
}
