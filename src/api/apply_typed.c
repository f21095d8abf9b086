/* Shapes of values, list items and their keys, and the operations that need no second value. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/apply_typed.h"

#define KEYS_MAX 16 /* list-map-keys of one list; CRDs with more are refused elsewhere, more are ignored here */

enum typed_shape typed_shape(const struct schema_type *t, const struct json *v)
{
    int type = v ? v->type : JSON_NULL;
    switch (t->kind) {
    case SCHEMA_OBJECT:
    case SCHEMA_MAP:
        return !t->atomic && (type == JSON_OBJECT || type == JSON_NULL) ? TYPED_MAP : TYPED_LEAF;
    case SCHEMA_LIST:
        return t->list_type != SCHEMA_LIST_ATOMIC && t->elem && (type == JSON_ARRAY || type == JSON_NULL) ? TYPED_LIST
                                                                                                          : TYPED_LEAF;
    case SCHEMA_ANY:
    case SCHEMA_RAW_OBJECT:
        return type == JSON_OBJECT ? TYPED_MAP : TYPED_LEAF;
    default:
        return TYPED_LEAF;
    }
}

/* The schema of a custom resource does not have to tell what metadata is. */
static const struct schema_field custom_metadata = {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ObjectMeta};

const struct schema_type *typed_member(const struct schema_type *t, str key, const struct schema_field **ret_field)
{
    bool custom = (t->raw.len || t->embedded) && str_is(key, "metadata");
    *ret_field = custom ? &custom_metadata : t->kind == SCHEMA_OBJECT ? schema_field_find(t, key) : NULL;
    if (*ret_field)
        return (*ret_field)->type;
    return t->kind == SCHEMA_MAP && t->elem ? t->elem : &schema_any;
}

/* --- list items -------------------------------------------------------------------------------------- */

static int str_order(const void *a, const void *b)
{
    return str_cmp(*(const str *)a, *(const str *)b);
}

/* The value of a key field: what the item says, else the schema's default. */
static const struct json *key_value(struct arena *a, const struct schema_type *elem, const struct json *item, str key)
{
    const struct json *v = json_get(item, key);
    if (v)
        return v;
    const struct schema_field *f = elem->kind == SCHEMA_OBJECT ? schema_field_find(elem, key) : NULL;
    struct err unused;
    struct json *dflt = arena_new(a, struct json);
    if (!f || !f->dflt.len || json_parse(a, f->dflt, NULL, dflt, &unused) < 0)
        return NULL;
    return dflt;
}

static bool key_elem(struct arena *a, const struct schema_type *t, const struct json *item, struct fieldset_elem *ret,
                     str *ret_why)
{
    str names[KEYS_MAX];
    const struct json *values[KEYS_MAX];
    size_t n = MIN((size_t)t->nkeys, (size_t)KEYS_MAX);
    if (item->type != JSON_OBJECT) {
        *ret_why = item->type == JSON_NULL ? S("associative list with keys may not have a null element")
                                           : S("associative list with keys may not have non-map elements");
        return false;
    }
    memcpy(names, t->keys, n * sizeof *names);
    if (n > 1)
        qsort(names, n, sizeof *names, str_order);
    for (size_t i = 0; i < n; i++) {
        values[i] = key_value(a, t->elem, item, names[i]);
        if (!values[i] || values[i]->type == JSON_OBJECT || values[i]->type == JSON_ARRAY) {
            *ret_why = arena_fmt(a,
                                 "associative list with keys has an element that omits key field \"" STR_FMT
                                 "\" (and doesn't have default value)",
                                 STR_ARG(names[i]));
            return false;
        }
    }
    *ret = fieldset_elem_key(a, names, values, n);
    return true;
}

static bool set_elem(struct arena *a, const struct json *item, struct fieldset_elem *ret, str *ret_why)
{
    static const char *const why[] = {
        [JSON_OBJECT] = "associative list without keys has an element that's a map type",
        [JSON_ARRAY] = "not supported: associative list with lists as elements",
        [JSON_NULL] = "associative list without keys has an element that's an explicit null",
    };
    if (item->type == JSON_OBJECT || item->type == JSON_ARRAY || item->type == JSON_NULL) {
        *ret_why = str_of(why[item->type]);
        return false;
    }
    *ret = fieldset_elem_value(a, item);
    return true;
}

struct typed_items typed_items_of(struct arena *a, const struct schema_type *t, const struct json *v)
{
    struct typed_items out = {0};
    uint32_t len = json_is(v, JSON_ARRAY) ? v->len : 0;
    bool keyed = t->list_type == SCHEMA_LIST_MAP && t->nkeys;
    if (len)
        out.p = arena_alloc(a, len * sizeof *out.p);
    for (uint32_t i = 0; i < len; i++) {
        struct typed_item *it = &out.p[out.len];
        str why;
        it->v = &v->items[i];
        it->at = i;
        if (keyed ? key_elem(a, t, it->v, &it->elem, &why) : set_elem(a, it->v, &it->elem, &why)) {
            out.len++;
        } else if (!out.keyless.len) {
            out.keyless = why;
            out.keyless_at = i;
        }
    }
    return out;
}

static int item_cmp(const void *a, const void *b)
{
    const struct typed_item *x = a, *y = b;
    int c = fieldset_elem_cmp(&x->elem, &y->elem);
    return c ? c : x->at < y->at ? -1 : 1;
}

void typed_items_sort(struct typed_items *items)
{
    if (items->len > 1)
        qsort(items->p, items->len, sizeof *items->p, item_cmp);
}

/* --- checking ---------------------------------------------------------------------------------------- */

struct check {
    struct arena *a;
    struct strbuf path;
    struct err *err;
};

static int check_value(struct check *c, const struct schema_type *t, const struct json *v);

static int check_list(struct check *c, const struct schema_type *t, const struct json *v)
{
    struct typed_items items = typed_items_of(c->a, t, v);
    if (items.keyless.len)
        return err_set(c->err, E_INVALID_ARG, STR_FMT ": element %u: " STR_FMT, STR_ARG(strbuf_str(&c->path)), items.keyless_at,
                       STR_ARG(items.keyless));
    typed_items_sort(&items);
    for (uint32_t i = 0; i < items.len; i++) {
        struct fieldset_node n = {.elem = items.p[i].elem, .member = true};
        struct fieldset one = {.nodes = &n, .len = 1};
        bool twice = i && fieldset_elem_cmp(&items.p[i - 1].elem, &items.p[i].elem) == 0;
        if (!twice && typed_shape(t->elem, items.p[i].v) == TYPED_LEAF)
            continue;
        size_t np, base = c->path.len;
        str *paths = fieldset_paths(c->a, &one, &np);
        if (twice)
            return err_set(c->err, E_INVALID_ARG, STR_FMT ": duplicate entries for key " STR_FMT, STR_ARG(strbuf_str(&c->path)),
                           STR_ARG(paths[0]));
        strbuf_add_str(&c->path, paths[0]);
        int r = check_value(c, t->elem, items.p[i].v);
        if (r < 0)
            return r;
        c->path.len = base;
    }
    return 0;
}

static int check_value(struct check *c, const struct schema_type *t, const struct json *v)
{
    enum typed_shape shape = typed_shape(t, v);
    if (shape == TYPED_LIST)
        return check_list(c, t, v);
    if (shape != TYPED_MAP || v->type != JSON_OBJECT)
        return 0;
    for (uint32_t i = 0; i < v->len; i++) {
        const struct schema_field *f;
        const struct schema_type *below = typed_member(t, v->members[i].key, &f);
        size_t base = c->path.len;
        strbuf_addf(&c->path, "." STR_FMT, STR_ARG(v->members[i].key));
        int r = check_value(c, below, &v->members[i].value);
        if (r < 0)
            return r;
        c->path.len = base;
    }
    return 0;
}

int typed_check(struct arena *a, const struct schema_type *t, const struct json *v, struct err *err)
{
    struct check c = {.a = a, .path = strbuf_on(a), .err = err};
    return check_value(&c, t, v);
}

/* --- removing ---------------------------------------------------------------------------------------- */

static struct json remove_items(struct arena *a, const struct schema_type *t, const struct json *v, const struct fieldset *fields,
                                bool drop_empty)
{
    struct typed_items items = typed_items_of(a, t, v);
    struct json out = json_array();
    for (uint32_t at = 0, i = 0; at < v->len; at++) {
        struct json item = v->items[at];
        if (i < items.len && items.p[i].at == at) { /* without a key it cannot be owned and stays */
            const struct fieldset_node *n = fieldset_find(fields, &items.p[i++].elem);
            if (n && n->member)
                continue;
            if (n)
                item = typed_remove(a, t->elem, &v->items[at], &n->sub, drop_empty);
        }
        if (drop_empty && item.type == JSON_NULL && v->items[at].type != JSON_NULL)
            continue;
        json_push(a, &out, item);
    }
    return out.len ? out : json_null();
}

static struct json remove_members(struct arena *a, const struct schema_type *t, const struct json *v,
                                  const struct fieldset *fields, bool drop_empty)
{
    struct json out = json_object();
    for (uint32_t i = 0; i < v->len; i++) {
        const struct json_member *m = &v->members[i];
        const struct schema_field *f;
        struct fieldset_elem elem = {.kind = FIELDSET_FIELD, .body = m->key};
        const struct fieldset_node *n = fieldset_find(fields, &elem);
        if (n && n->member)
            continue;
        struct json value = n ? typed_remove(a, typed_member(t, m->key, &f), &m->value, &n->sub, drop_empty) : m->value;
        if (drop_empty && value.type == JSON_NULL && m->value.type != JSON_NULL)
            continue;
        if (!out.members) {
            out.members = arena_alloc(a, v->len * sizeof *out.members);
            out.cap = v->len;
        }
        out.members[out.len++] = (struct json_member){.key = m->key, .value = value};
    }
    return out.len ? out : json_null();
}

struct json typed_remove(struct arena *a, const struct schema_type *t, const struct json *v, const struct fieldset *fields,
                         bool drop_empty)
{
    enum typed_shape shape = typed_shape(t, v);
    if (fieldset_is_empty(fields))
        return *v;
    if (shape == TYPED_MAP && v->type == JSON_OBJECT)
        return remove_members(a, t, v, fields, drop_empty);
    if (shape == TYPED_LIST && v->type == JSON_ARRAY)
        return remove_items(a, t, v, fields, drop_empty);
    /* fields below something atomic: from before the schema changed; the whole goes */
    return v->type == JSON_OBJECT || v->type == JSON_ARRAY ? json_null() : *v;
}

/* --- sets and the schema ------------------------------------------------------------------------------- */

/* Type of what a path element leads to. */
static const struct schema_type *elem_type(const struct schema_type *t, const struct fieldset_elem *e, bool *ret_named)
{
    const struct schema_field *f = NULL;
    const struct schema_type *below = &schema_any;
    if (e->kind == FIELDSET_FIELD)
        below = typed_member(t, e->body, &f);
    else if (t->kind == SCHEMA_LIST && t->elem)
        below = t->elem;
    *ret_named = f != NULL;
    return below;
}

struct fieldset typed_with_parents(struct arena *a, const struct schema_type *t, const struct fieldset *s)
{
    struct fieldset out = FIELDSET_EMPTY;
    for (uint32_t i = 0; i < s->len; i++) {
        struct fieldset_node n = s->nodes[i];
        bool named;
        const struct schema_type *below = elem_type(t, &n.elem, &named);
        if (n.sub.len) {
            n.member |= named;
            n.sub = typed_with_parents(a, below, &n.sub);
        }
        fieldset_push(a, &out, n);
    }
    return out;
}

static bool is_atomic(const struct schema_type *t)
{
    return t->kind == SCHEMA_LIST ? t->list_type == SCHEMA_LIST_ATOMIC
                                  : (t->kind == SCHEMA_OBJECT || t->kind == SCHEMA_MAP) && t->atomic;
}

struct fieldset typed_reconcile(struct arena *a, const struct schema_type *t, const struct fieldset *s)
{
    struct fieldset out = FIELDSET_EMPTY;
    for (uint32_t i = 0; i < s->len; i++) {
        struct fieldset_node n = s->nodes[i];
        bool named;
        if (n.sub.len) {
            const struct schema_type *below = elem_type(t, &n.elem, &named);
            bool whole = is_atomic(below);
            n.member |= whole;
            n.sub = whole ? FIELDSET_EMPTY : typed_reconcile(a, below, &n.sub);
        }
        fieldset_push(a, &out, n);
    }
    return out;
}
