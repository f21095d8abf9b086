/* The fields of a value, and the fields in which two values differ. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/apply_typed.h"
#include "api/codec_internal.h"
#include "base/map.h"

/* --- zero values --------------------------------------------------------------------------------------- */

/* What a field that is always written has when nobody set it. */
static struct json zero_of(const struct schema_field *f)
{
    return f->flags & SCHEMA_POINTER ? json_null() : codec_zero(f->type);
}

static bool is_always(const struct schema_field *f)
{
    return f && f->flags & SCHEMA_ALWAYS;
}

/* --- all fields of a value ------------------------------------------------------------------------------- */

enum collect_mode {
    COLLECT_CHANGED,    /* everything that appears with the value: the containers too */
    COLLECT_CONFIGURED, /* what a configuration mentions: objects that the schema names only through their members */
};

struct walk {
    struct arena *a;
    enum collect_mode mode;
};

static struct fieldset_node collect(struct walk *w, const struct schema_type *t, const struct json *v, bool named);

static void collect_member(struct walk *w, struct fieldset *s, str key, const struct schema_type *t, const struct json *v,
                           bool named)
{
    struct fieldset_node n = collect(w, t, v, named);
    n.elem = (struct fieldset_elem){.kind = FIELDSET_FIELD, .body = key};
    fieldset_push(w->a, s, n);
}

static void collect_always(struct walk *w, const struct schema_type *t, const struct json *v, struct fieldset *s)
{
    for (uint16_t i = 0; i < t->nfields; i++) {
        const struct schema_field *f = &t->fields[i];
        if (f->flags & SCHEMA_INLINE) {
            collect_always(w, f->type, v, s);
        } else if (is_always(f) && !json_get(v, f->name)) {
            struct json zero = zero_of(f);
            collect_member(w, s, f->name, f->type, &zero, true);
        }
    }
}

static struct fieldset collect_members(struct walk *w, const struct schema_type *t, const struct json *v)
{
    struct fieldset s = FIELDSET_EMPTY;
    if (v->type == JSON_OBJECT) {
        if (v->len) {
            s.nodes = arena_alloc(w->a, v->len * sizeof *s.nodes);
            s.cap = v->len;
        }
        for (uint32_t i = 0; i < v->len; i++) {
            const struct schema_field *f;
            const struct schema_type *below = typed_member(t, v->members[i].key, &f);
            collect_member(w, &s, v->members[i].key, below, &v->members[i].value, f != NULL);
        }
        if (w->mode == COLLECT_CHANGED && t->kind == SCHEMA_OBJECT)
            collect_always(w, t, v, &s);
    }
    fieldset_finish(&s);
    return s;
}

/* Items that occur twice are one field, without those below.  False: the list is one field because of keyless items. */
static bool collect_items(struct walk *w, const struct schema_type *t, const struct json *v, struct fieldset *ret)
{
    struct typed_items items = typed_items_of(w->a, t, v);
    struct fieldset s = FIELDSET_EMPTY;
    if (items.keyless.len && w->mode == COLLECT_CHANGED)
        return false;
    typed_items_sort(&items);
    for (uint32_t i = 0; i < items.len;) {
        uint32_t next = i + 1;
        while (next < items.len && fieldset_elem_cmp(&items.p[i].elem, &items.p[next].elem) == 0)
            next++;
        struct fieldset_node n = {0};
        if (next == i + 1)
            n = collect(w, t->elem, items.p[i].v, false);
        n.elem = items.p[i].elem;
        n.member = true;
        fieldset_push(w->a, &s, n);
        i = next;
    }
    *ret = s;
    return true;
}

/* named: the schema names the field; items and members of maps are not. */
static struct fieldset_node collect(struct walk *w, const struct schema_type *t, const struct json *v, bool named)
{
    struct fieldset_node n = {.member = true};
    enum typed_shape shape = typed_shape(t, v);
    bool granular = shape == TYPED_MAP;
    if (shape == TYPED_MAP)
        n.sub = collect_members(w, t, v);
    else if (shape == TYPED_LIST)
        granular = collect_items(w, t, v, &n.sub);
    if (w->mode == COLLECT_CONFIGURED && granular && named && v->type != JSON_NULL)
        n.member = shape == TYPED_MAP && !v->len;
    return n;
}

struct fieldset typed_fields(struct arena *a, const struct schema_type *t, const struct json *v)
{
    struct walk w = {.a = a, .mode = COLLECT_CONFIGURED};
    return collect(&w, t, v, true).sub;
}

/* --- differences ----------------------------------------------------------------------------------------- */

/* What became of one field. */
struct change {
    bool changed, removed;
    struct typed_diff below;
};

static struct change diff_value(struct arena *a, const struct schema_type *t, const struct json *l, const struct json *r);

static void push_change(struct arena *a, struct typed_diff *d, struct fieldset_elem elem, const struct change *c)
{
    fieldset_push(a, &d->changed, (struct fieldset_node){.elem = elem, .member = c->changed, .sub = c->below.changed});
    fieldset_push(a, &d->removed, (struct fieldset_node){.elem = elem, .member = c->removed, .sub = c->below.removed});
}

static struct fieldset_node collect_changed(struct arena *a, const struct schema_type *t, const struct json *v)
{
    struct walk w = {.a = a, .mode = COLLECT_CHANGED};
    return collect(&w, t, v, false);
}

/* One side is absent. */
static struct change diff_one_sided(struct arena *a, const struct schema_type *t, const struct json *l, const struct json *r)
{
    struct fieldset_node n = collect_changed(a, t, l ? l : r);
    struct change c = {.changed = !l, .removed = l != NULL};
    *(l ? &c.below.removed : &c.below.changed) = n.sub;
    return c;
}

static bool leaf_equal(const struct schema_type *t, const struct json *l, const struct json *r);

/* All of r's members are in l, counting what is always written. */
static bool members_equal(const struct schema_type *t, const struct json *l, const struct json *r)
{
    for (uint32_t i = 0; i < r->len; i++) {
        const struct schema_field *f;
        const struct schema_type *below = typed_member(t, r->members[i].key, &f);
        const struct json *other = json_get(l, r->members[i].key);
        struct json zero;
        if (!other && is_always(f)) {
            zero = zero_of(f);
            other = &zero;
        }
        if (!other || !leaf_equal(below, other, &r->members[i].value))
            return false;
    }
    return true;
}

/* Values that are one field: one of them may have been completed and the other not. */
static bool leaf_equal(const struct schema_type *t, const struct json *l, const struct json *r)
{
    if (json_equal(l, r))
        return true;
    if (l->type != r->type || !(t->kind == SCHEMA_LIST || t->kind == SCHEMA_OBJECT || t->kind == SCHEMA_MAP))
        return false;
    if (l->type == JSON_OBJECT)
        return members_equal(t, l, r) && members_equal(t, r, l);
    if (l->type != JSON_ARRAY || l->len != r->len || !t->elem)
        return false;
    for (uint32_t i = 0; i < l->len; i++)
        if (!leaf_equal(t->elem, &l->items[i], &r->items[i]))
            return false;
    return true;
}

static struct change diff_leaf(const struct schema_type *t, const struct json *l, const struct json *r)
{
    return (struct change){.changed = !leaf_equal(t, l, r)};
}

static void diff_member(struct arena *a, const struct schema_type *t, str key, const struct json *l, const struct json *r,
                        struct typed_diff *d)
{
    const struct schema_field *f;
    const struct schema_type *below = typed_member(t, key, &f);
    struct json zero;
    if ((!l || !r) && is_always(f)) {
        zero = zero_of(f);
        *(l ? &r : &l) = &zero;
    }
    struct change c = l && r ? diff_value(a, below, l, r) : diff_one_sided(a, below, l, r);
    push_change(a, d, (struct fieldset_elem){.kind = FIELDSET_FIELD, .body = key}, &c);
}

/* Looks members up in an object, by index when it is large. */
struct finder {
    const struct json *obj;
    struct map index;
};
#define FINDER_INDEX_FROM 48

static void finder_fini_cleanup(struct finder *f)
{
    map_fini(&f->index);
}

static struct finder finder_of(const struct json *obj)
{
    struct finder f = {.obj = json_is(obj, JSON_OBJECT) ? obj : NULL, .index = MAP_INIT};
    for (uint32_t i = 0; f.obj && obj->len >= FINDER_INDEX_FROM && i < obj->len; i++)
        map_put(&f.index, obj->members[i].key, &obj->members[i].value);
    return f;
}

static const struct json *finder_get(const struct finder *f, str key, uint32_t guess)
{
    if (!f->obj)
        return NULL;
    if (guess < f->obj->len && str_eq(f->obj->members[guess].key, key))
        return &f->obj->members[guess].value;
    return f->index.len ? map_get(&f->index, key) : json_get(f->obj, key);
}

/* Equal without looking far: scalars, empty containers, and the shared parts of a patched object. */
static bool same(const struct json *l, const struct json *r)
{
    if (l->type != r->type || l->len != r->len)
        return false;
    if (l->type == JSON_NULL || l->type == JSON_BOOL)
        return l->b == r->b;
    return !l->len || l->s == r->s || (l->type == JSON_STRING && memcmp(l->s, r->s, l->len) == 0);
}

static struct change diff_maps(struct arena *a, const struct schema_type *t, const struct json *l, const struct json *r)
{
    struct change c = {0};
    uint32_t shared = 0, llen = l->type == JSON_OBJECT ? l->len : 0, rlen = r->type == JSON_OBJECT ? r->len : 0;
    struct finder fl CLEANUP(finder_fini) = finder_of(l);
    for (uint32_t i = 0; i < rlen; i++) {
        const struct json_member *m = &r->members[i];
        const struct json *other = finder_get(&fl, m->key, i);
        shared += other != NULL;
        if (!other || !same(other, &m->value))
            diff_member(a, t, m->key, other, &m->value, &c.below);
    }
    if (shared < llen) {
        struct finder fr CLEANUP(finder_fini) = finder_of(r);
        for (uint32_t i = 0; i < llen; i++)
            if (!finder_get(&fr, l->members[i].key, i))
                diff_member(a, t, l->members[i].key, &l->members[i].value, NULL, &c.below);
    }
    fieldset_finish(&c.below.changed);
    fieldset_finish(&c.below.removed);
    return c;
}

/* Items with the same key, nl on the left and nr on the right; more than one are a duplicate. */
static struct change diff_group(struct arena *a, const struct schema_type *elem, const struct typed_item *l, uint32_t nl,
                                const struct typed_item *r, uint32_t nr)
{
    struct change c = {0};
    if (nl <= 1 && nr <= 1)
        return nl && nr ? diff_value(a, elem, l->v, r->v) : diff_one_sided(a, elem, nl ? l->v : NULL, nr ? r->v : NULL);
    if (nl >= 2 && nr >= 2) {
        c.changed = nl != nr;
        for (uint32_t i = 0; i < nl && !c.changed; i++)
            c.changed = !leaf_equal(elem, l[i].v, r[i].v);
        return c;
    }
    /* the fields of the single item begin or cease to count; the duplicate itself does the opposite */
    if (nl >= 2 && nr)
        c = diff_one_sided(a, elem, NULL, r->v);
    if (nr >= 2 && nl)
        c = diff_one_sided(a, elem, l->v, NULL);
    *(nl >= 2 ? &c.removed : &c.changed) = true;
    return c;
}

static uint32_t group_len(const struct typed_items *items, uint32_t at, const struct fieldset_elem *e)
{
    uint32_t n = 0;
    while (at + n < items->len && fieldset_elem_cmp(&items->p[at + n].elem, e) == 0)
        n++;
    return n;
}

static struct change diff_lists(struct arena *a, const struct schema_type *t, const struct json *l, const struct json *r)
{
    struct change c = {0};
    if (json_equal(l, r))
        return c;
    struct typed_items li = typed_items_of(a, t, l), ri = typed_items_of(a, t, r);
    if (li.keyless.len || ri.keyless.len)
        return diff_leaf(t, l, r);
    typed_items_sort(&li);
    typed_items_sort(&ri);
    for (uint32_t i = 0, j = 0; i < li.len || j < ri.len;) {
        int order = i == li.len ? 1 : j == ri.len ? -1 : fieldset_elem_cmp(&li.p[i].elem, &ri.p[j].elem);
        struct fieldset_elem elem = order <= 0 ? li.p[i].elem : ri.p[j].elem;
        uint32_t nl = order <= 0 ? group_len(&li, i, &elem) : 0, nr = order >= 0 ? group_len(&ri, j, &elem) : 0;
        struct change below = diff_group(a, t->elem, nl ? &li.p[i] : NULL, nl, nr ? &ri.p[j] : NULL, nr);
        push_change(a, &c.below, elem, &below);
        i += nl;
        j += nr;
    }
    return c;
}

/* One is granular and the other is not, which only untyped values do: what was below goes, what is below comes. */
static struct change diff_shapes(struct arena *a, const struct schema_type *t, const struct json *l, const struct json *r)
{
    struct change c = diff_leaf(t, l, r);
    if (typed_shape(t, l) != TYPED_LEAF)
        c.below.removed = collect_changed(a, t, l).sub;
    if (typed_shape(t, r) != TYPED_LEAF)
        c.below.changed = collect_changed(a, t, r).sub;
    return c;
}

static struct change diff_value(struct arena *a, const struct schema_type *t, const struct json *l, const struct json *r)
{
    enum typed_shape shape = typed_shape(t, r->type == JSON_NULL ? l : r);
    if (same(l, r))
        return (struct change){0};
    if (l->type != JSON_NULL && r->type != JSON_NULL && typed_shape(t, l) != shape)
        return diff_shapes(a, t, l, r);
    /* two empty containers differ as a whole, if one of them is null */
    if (shape == TYPED_LEAF || (!l->len && !r->len))
        return diff_leaf(t, l, r);
    return shape == TYPED_MAP ? diff_maps(a, t, l, r) : diff_lists(a, t, l, r);
}

struct typed_diff typed_compare(struct arena *a, const struct schema_type *t, const struct json *lhs, const struct json *rhs)
{
    static const struct json nothing = {.type = JSON_OBJECT};
    return diff_value(a, t, lhs ? lhs : &nothing, rhs).below;
}
