/* An applied configuration over the live object.
 *
 * Associative lists: items that both have go where the configuration orders them among each other, live-only items stay
 * where they are, new items come where the configuration has them, as early as the live items before them allow:
 *     live a b c,  config x c a   ->   b x c a     (c and a change places, so b goes first)
 *     live a b,    config b x     ->   a b x */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/apply_typed.h"
#include "base/map.h"

static bool merge_value(struct arena *a, const struct schema_type *t, const struct json *l, const struct json *r,
                        struct json *ret);

/* --- lists ----------------------------------------------------------------------------------------------- */

/* One list with its items in order and a sorted index of their keys. */
struct keyed {
    struct typed_items items;  /* in list order */
    struct typed_items sorted;
};

static bool keyed_init(struct arena *a, const struct schema_type *t, const struct json *v, struct keyed *ret)
{
    ret->items = typed_items_of(a, t, v);
    if (ret->items.keyless.len)
        return false;
    ret->sorted.len = ret->items.len;
    ret->sorted.p = arena_alloc(a, (ret->items.len + 1) * sizeof *ret->sorted.p);
    if (ret->items.len)
        memcpy(ret->sorted.p, ret->items.p, ret->items.len * sizeof *ret->sorted.p);
    typed_items_sort(&ret->sorted);
    return true;
}

/* The first item with that key; *ret_twice says whether there are more. */
static const struct typed_item *keyed_find(const struct keyed *k, const struct fieldset_elem *e, bool *ret_twice)
{
    uint32_t lo = 0, hi = k->sorted.len;
    while (lo < hi) {
        uint32_t mid = (lo + hi) / 2;
        if (fieldset_elem_cmp(&k->sorted.p[mid].elem, e) < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    if (lo == k->sorted.len || fieldset_elem_cmp(&k->sorted.p[lo].elem, e) != 0)
        return NULL;
    *ret_twice = lo + 1 < k->sorted.len && fieldset_elem_cmp(&k->sorted.p[lo + 1].elem, e) == 0;
    return &k->sorted.p[lo];
}

static bool keyed_has(const struct keyed *k, const struct fieldset_elem *e)
{
    bool twice;
    return keyed_find(k, e, &twice) != NULL;
}

struct list_merge {
    struct arena *a;
    const struct schema_type *elem;
    struct keyed l, r;
    uint32_t *partner; /* of each config item: position of its live item + 1, 0: none */
    bool *merged;      /* of each config item: it is in out */
    uint32_t *config;  /* of each live item: position of its config item + 1, 0: none */
    uint32_t shared;   /* config item that is the next one with a live partner; r.items.len: none */
    struct json out;
};

static void push_merged(struct list_merge *m, const struct json *l, const struct json *r)
{
    struct json v;
    if (merge_value(m->a, m->elem, l, r, &v))
        json_push(m->a, &m->out, v);
}

static void next_shared(struct list_merge *m, uint32_t from)
{
    m->shared = from;
    while (m->shared < m->r.items.len && !m->partner[m->shared])
        m->shared++;
}

static void take_config(struct list_merge *m, uint32_t j)
{
    const struct typed_item *r = &m->r.items.p[j];
    bool twice = false;
    const struct typed_item *l = m->partner[j] ? keyed_find(&m->l, &r->elem, &twice) : NULL;
    /* duplicates in the live list are replaced by the item, not merged with one of them */
    push_merged(m, l && !twice ? l->v : NULL, r->v);
    m->merged[j] = true;
    if (j == m->shared)
        next_shared(m, j + 1);
}

static void pair_up(struct list_merge *m)
{
    uint32_t nl = m->l.items.len, nr = m->r.items.len;
    m->partner = arena_array(m->a, nr + 1, uint32_t);
    m->merged = arena_array(m->a, nr + 1, bool);
    m->config = arena_array(m->a, nl + 1, uint32_t);
    for (uint32_t j = 0; j < nr; j++)
        m->partner[j] = keyed_has(&m->l, &m->r.items.p[j].elem);
    for (uint32_t i = 0; i < nl; i++) {
        bool twice;
        const struct typed_item *r = keyed_find(&m->r, &m->l.items.p[i].elem, &twice);
        m->config[i] = r ? r->at + 1 : 0;
    }
    next_shared(m, 0);
}

static void merge_items(struct list_merge *m)
{
    uint32_t nl = m->l.items.len, nr = m->r.items.len;
    for (uint32_t i = 0, j = 0; i < nl || j < nr;) {
        uint32_t mine = i < nl ? m->config[i] : 0; /* live item i in the configuration, + 1 */
        if (i < nl && j < nr && mine == j + 1) {
            take_config(m, j++);
            i++;
            continue;
        }
        if (i < nl && j < nr && mine && m->shared < nr && mine != m->shared + 1) {
            i++; /* shared, but another one's turn */
            continue;
        }
        if (i < nl && !mine) {
            push_merged(m, m->l.items.p[i++].v, NULL);
            continue;
        }
        if (i < nl && m->merged[mine - 1])
            i++;
        if (j < nr)
            take_config(m, j++);
    }
}

static bool merge_lists(struct arena *a, const struct schema_type *t, const struct json *l, const struct json *r,
                        struct json *ret)
{
    struct list_merge m = {.a = a, .elem = t->elem, .out = json_array()};
    if (!keyed_init(a, t, l, &m.l) || !keyed_init(a, t, r, &m.r)) {
        *ret = r && r->type != JSON_NULL ? *r : *l;
        return true;
    }
    pair_up(&m);
    merge_items(&m);
    *ret = m.out;
    return m.out.len > 0;
}

/* --- objects --------------------------------------------------------------------------------------------- */

static void map_fini_cleanup(struct map *m)
{
    map_fini(m);
}

static bool merge_maps(struct arena *a, const struct schema_type *t, const struct json *l, const struct json *r, struct json *ret)
{
    static const struct json nothing = {.type = JSON_OBJECT};
    struct json out = json_object(), v;
    const struct schema_field *f;
    l = json_is(l, JSON_OBJECT) ? l : &nothing;
    r = json_is(r, JSON_OBJECT) ? r : &nothing;
    struct map index CLEANUP(map_fini) = MAP_INIT; /* of r, then of l; small objects do without */
    out.members = arena_alloc(a, (l->len + r->len + 1) * sizeof *out.members);
    out.cap = l->len + r->len;
    bool large = l->len + r->len > 64;
    for (uint32_t i = 0; large && i < r->len; i++)
        map_put(&index, r->members[i].key, &r->members[i].value);
    for (uint32_t i = 0; i < l->len; i++) {
        const struct json_member *m = &l->members[i];
        const struct json *other = large ? map_get(&index, m->key) : json_get(r, m->key);
        if (other ? merge_value(a, typed_member(t, m->key, &f), &m->value, other, &v) : (v = m->value, true))
            out.members[out.len++] = (struct json_member){.key = m->key, .value = v};
    }
    map_clear(&index);
    for (uint32_t i = 0; large && i < l->len; i++)
        map_put(&index, l->members[i].key, &l->members[i].value);
    for (uint32_t i = 0; i < r->len; i++) {
        const struct json_member *m = &r->members[i];
        if (large ? map_has(&index, m->key) : json_get(l, m->key) != NULL)
            continue;
        if (merge_value(a, typed_member(t, m->key, &f), NULL, &m->value, &v))
            out.members[out.len++] = (struct json_member){.key = m->key, .value = v};
    }
    *ret = out;
    return out.len > 0;
}

/* At most one of l and r is NULL.  False: nothing remains, the field goes. */
static bool merge_value(struct arena *a, const struct schema_type *t, const struct json *l, const struct json *r,
                        struct json *ret)
{
    const struct json *some = r && r->type != JSON_NULL ? r : l ? l : r;
    enum typed_shape shape = typed_shape(t, some);
    bool empty = (!l || !l->len) && (!r || !r->len);
    if (!r) {
        *ret = *l; /* nothing of the configuration: as it is */
        return true;
    }
    if (shape == TYPED_LEAF || empty || (l && l->type != JSON_NULL && r->type != JSON_NULL && typed_shape(t, l) != shape)) {
        *ret = *r;
        return true;
    }
    return shape == TYPED_MAP ? merge_maps(a, t, l, r, ret) : merge_lists(a, t, l, r, ret);
}

struct json typed_merge(struct arena *a, const struct schema_type *t, const struct json *live, const struct json *config)
{
    struct json out;
    return merge_value(a, t, live, config, &out) ? out : json_object();
}
