/* Lists in strategic merge patches: which elements remain, and in which order.
 *
 * Elements are identified by their merge key, or by themselves when they are scalars.  The order of the result comes
 * from three lists: what the patch says ($setElementOrder, or else its own elements) goes among each other in that
 * order; what only the live list has keeps its order; a live-only element goes before a wanted one when it stands
 * before it in the live list:
 *     live a b c d,  wanted d x b   ->   a c d x b
 * An element that live does not know lets no live one pass before it, which is why an element that is added without
 * $setElementOrder comes first:  live a b, patch x  ->  x a b. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/patch_strategic.h"
#include "base/map.h"

#define NOWHERE SIZE_MAX

struct item {
    str id; /* what identifies it among its list, see id_of */
    struct json v;
    size_t rank;   /* in the order that the patch wants; NOWHERE: live only */
    size_t server; /* in the live list, NOWHERE: not there */
    size_t seq;    /* keeps the sorts stable */
};
struct items {
    struct item *p;
    size_t len;
};

static void map_fini_cleanup(struct map *m)
{
    map_fini(m);
}

/* --- identity ---------------------------------------------------------------------------------- */

static int no_merge_key(struct patch_run *p, const struct json *v, str key)
{
    struct strbuf b = strbuf_on(p->a);
    strbuf_add_str(&b, S("map: "));
    patch_print_go(&b, v);
    strbuf_addf(&b, " does not contain declared merge key: " STR_FMT, STR_ARG(key));
    return err_set(p->err, E_INVALID_ARG, "%s", strbuf_cstr(&b));
}

/* Type and text, so that 1 and "1" differ. */
static str scalar_id(struct patch_run *p, const struct json *v)
{
    if (v->type == JSON_STRING || v->type == JSON_NUMBER)
        return arena_cat(p->a, v->type == JSON_STRING ? S("s") : S("n"), json_str(v));
    return arena_cat(p->a, S("j"), json_text(p->a, v));
}

static int id_of(struct patch_run *p, str merge_key, const struct json *v, str *ret)
{
    if (merge_key.len) {
        const struct json *key = json_get(v, merge_key);
        if (v->type != JSON_OBJECT)
            return err_set(p->err, E_INVALID_ARG, "expected a map[string]interface {}, but received a %s", patch_go_type(v));
        if (!key)
            return no_merge_key(p, v, merge_key);
        v = key;
    }
    *ret = scalar_id(p, v);
    return 0;
}

static int ids_of(struct patch_run *p, str merge_key, const struct json *list, struct items *ret)
{
    struct items out = {.p = arena_array(p->a, list->len, struct item)};
    for (uint32_t i = 0; i < list->len; i++) {
        struct item *it = &out.p[out.len++];
        it->v = list->items[i];
        it->rank = it->server = NOWHERE;
        int r = id_of(p, merge_key, &it->v, &it->id);
        if (r < 0)
            return r;
    }
    *ret = out;
    return 0;
}

/* Position + 1 of the first element with each id. */
static struct map index_items(const struct items *l)
{
    struct map m = MAP_INIT;
    for (size_t i = 0; i < l->len; i++)
        if (!map_has(&m, l->p[i].id))
            map_put(&m, l->p[i].id, (void *)(uintptr_t)(i + 1));
    return m;
}

static size_t lookup(const struct map *m, str id)
{
    uintptr_t at = (uintptr_t)map_get(m, id);
    return at ? at - 1 : NOWHERE;
}

/* All elements of both lists must be scalars, or all must be objects. */
static int check_elements(struct patch_run *p, const struct json *a, const struct json *b, bool *ret_maps)
{
    const struct json *lists[] = {a, b}, *first = NULL;
    for (size_t l = 0; l < ARRAY_LEN(lists); l++) {
        for (uint32_t i = 0; lists[l] && i < lists[l]->len; i++) {
            const struct json *v = &lists[l]->items[i];
            first = first ? first : v;
            if (v->type == JSON_ARRAY)
                return err_set(p->err, E_INVALID, "lists of lists are not supported");
            if (v->type != first->type)
                return err_set(p->err, E_INVALID_ARG, "list element types are not identical: %s and %s",
                               patch_go_type(first), patch_go_type(v));
        }
    }
    *ret_maps = first && first->type == JSON_OBJECT;
    return 0;
}

/* --- order ------------------------------------------------------------------------------------- */

static int by_rank(const void *a, const void *b)
{
    const struct item *x = a, *y = b;
    return x->rank != y->rank ? (x->rank < y->rank ? -1 : 1) : x->seq < y->seq ? -1 : 1;
}

static int by_server(const void *a, const void *b)
{
    const struct item *x = a, *y = b;
    return x->server != y->server ? (x->server < y->server ? -1 : 1) : x->seq < y->seq ? -1 : 1;
}

static bool goes_first(const struct item *live_only, const struct item *wanted)
{
    return live_only->server != NOWHERE && wanted->server != NOWHERE && live_only->server < wanted->server;
}

/* Brings merged into order; `wanted` ranks ids, `server` knows the live positions. */
static struct json order_items(struct patch_run *p, struct items *merged, const struct map *wanted, const struct map *server)
{
    struct item *ranked = arena_array(p->a, merged->len + 1, struct item);
    struct item *rest = arena_array(p->a, merged->len + 1, struct item);
    size_t nranked = 0, nrest = 0;
    for (size_t i = 0; i < merged->len; i++) {
        struct item *it = &merged->p[i];
        it->rank = lookup(wanted, it->id);
        it->server = lookup(server, it->id);
        it->seq = i;
        if (it->rank != NOWHERE)
            ranked[nranked++] = *it;
        else
            rest[nrest++] = *it;
    }
    qsort(ranked, nranked, sizeof *ranked, by_rank);
    qsort(rest, nrest, sizeof *rest, by_server);
    struct json out = {.type = JSON_ARRAY, .cap = (uint32_t)merged->len};
    out.items = arena_alloc(p->a, (merged->len + 1) * sizeof *out.items);
    for (size_t i = 0, j = 0; i < nrest || j < nranked;) {
        bool live = i < nrest && (j == nranked || goes_first(&rest[i], &ranked[j]));
        out.items[out.len++] = live ? rest[i++].v : ranked[j++].v;
    }
    return out;
}

/* --- scalars ----------------------------------------------------------------------------------- */

static int merge_scalars(struct patch_run *p, const struct json *original, const struct json *patch, struct json *ret)
{
    struct items live, wanted, all;
    int r = ids_of(p, S(""), original, &live);
    if (r == 0)
        r = ids_of(p, S(""), patch, &wanted);
    if (r < 0)
        return r;
    struct map in_live CLEANUP(map_fini) = index_items(&live), in_patch CLEANUP(map_fini) = index_items(&wanted);
    all.p = arena_array(p->a, live.len + wanted.len, struct item);
    all.len = 0;
    for (size_t i = 0; i < live.len; i++)
        if (lookup(&in_live, live.p[i].id) == i)
            all.p[all.len++] = live.p[i];
    for (size_t i = 0; i < wanted.len; i++)
        if (lookup(&in_patch, wanted.p[i].id) == i && lookup(&in_live, wanted.p[i].id) == NOWHERE)
            all.p[all.len++] = wanted.p[i];
    *ret = order_items(p, &all, &in_patch, &in_live);
    return 0;
}

int patch_list_delete(struct patch_run *p, const struct json *original, const struct json *doomed, struct json *ret)
{
    bool maps;
    struct items live, out;
    int r = check_elements(p, original, doomed, &maps);
    if (r == 0 && maps)
        return err_set(p->err, E_INVALID_ARG, "invalid patch format of primitive list");
    if (r == 0)
        r = ids_of(p, S(""), original, &live);
    if (r == 0)
        r = ids_of(p, S(""), doomed, &out);
    if (r < 0)
        return r;
    struct map gone CLEANUP(map_fini) = index_items(&out);
    *ret = json_array();
    for (size_t i = 0; i < live.len; i++)
        if (lookup(&gone, live.p[i].id) == NOWHERE)
            json_push(p->a, ret, live.p[i].v);
    return 0;
}

/* --- objects ----------------------------------------------------------------------------------- */

/* Sorts the patch's elements out: plain ones, keys to delete, and whether the list is replaced. */
static int split_patch(struct patch_run *p, const struct patch_list *l, const struct json *patch, struct json *ret_plain,
                       struct map *doomed, bool *ret_replace)
{
    *ret_plain = json_array();
    *ret_replace = false;
    for (uint32_t i = 0; i < patch->len; i++) {
        const struct json *v = &patch->items[i], *directive = json_get(v, PATCH_DIRECTIVE);
        str what = json_str(directive);
        if (!directive || str_is(what, "merge")) {
            json_push(p->a, ret_plain, *v);
        } else if (str_is(what, "delete")) {
            str id;
            int r = id_of(p, l->merge_key, v, &id);
            if (r < 0)
                return r;
            map_put(doomed, id, (void *)(uintptr_t)1);
        } else if (str_is(what, "replace")) {
            *ret_replace = true;
        } else {
            struct strbuf b = strbuf_on(p->a);
            patch_print_go(&b, v);
            return err_set(p->err, E_INVALID_ARG, "unknown patch type: " STR_FMT " in map: %s", STR_ARG(what), strbuf_cstr(&b));
        }
    }
    return 0;
}

/* Merges each plain element of the patch into the live element of the same key, or appends it. */
static int merge_plain(struct patch_run *p, const struct patch_list *l, struct items *all, struct map *at,
                       const struct items *plain)
{
    for (size_t i = 0; i < plain->len; i++) {
        const struct item *it = &plain->p[i];
        size_t pos = lookup(at, it->id);
        if (pos != NOWHERE) {
            int r = patch_strategic_map(p, l->elem, &all->p[pos].v, &it->v, &all->p[pos].v);
            if (r < 0)
                return r;
            continue;
        }
        struct item *added = &all->p[all->len];
        *added = *it;
        if (patch_strategic_clean(p, &it->v, &added->v))
            map_put(at, it->id, (void *)(uintptr_t)(++all->len));
    }
    return 0;
}

/* *server: what counts as the live order for $setElementOrder.  Where elements were deleted, the first added ones have
 * taken their places at the end, as in Kubernetes, so live elements may go before those. */
static int merge_maps(struct patch_run *p, const struct patch_list *l, const struct json *original, const struct json *patch,
                      struct json *ret, struct items *ret_server)
{
    struct map doomed CLEANUP(map_fini) = MAP_INIT;
    struct json plain_list;
    struct items live, plain, all;
    bool replace;
    if (!l->merge_key.len)
        return err_set(p->err, E_INVALID_ARG, "cannot merge lists without merge key for struct");
    int r = split_patch(p, l, patch, &plain_list, &doomed, &replace);
    if (r == 0)
        r = ids_of(p, l->merge_key, &plain_list, &plain);
    if (r == 0)
        r = ids_of(p, l->merge_key, original, &live);
    if (r < 0)
        return r;
    if (replace) {
        patch_strategic_clean(p, &plain_list, ret);
        *ret_server = live;
        return 0;
    }
    all = (struct items){.p = arena_array(p->a, live.len + plain.len, struct item)};
    for (size_t i = 0; i < live.len; i++)
        if (!map_has(&doomed, live.p[i].id))
            all.p[all.len++] = live.p[i];
    struct map server CLEANUP(map_fini) = index_items(&all), at CLEANUP(map_fini) = index_items(&all),
               wanted CLEANUP(map_fini) = index_items(&plain);
    r = merge_plain(p, l, &all, &at, &plain);
    if (r < 0)
        return r;
    *ret = order_items(p, &all, &wanted, &server);
    *ret_server = (struct items){.p = all.p, .len = MIN(all.len, live.len)};
    return 0;
}

static int merge_list(struct patch_run *p, const struct patch_list *l, const struct json *original, const struct json *patch,
                      struct json *ret, struct items *ret_server)
{
    bool maps;
    if (!l->merge) {
        patch_strategic_clean(p, patch, ret);
        return ids_of(p, l->merge_key, original, ret_server);
    }
    int r = check_elements(p, original, patch, &maps);
    if (r < 0)
        return r;
    if (maps)
        return merge_maps(p, l, original, patch, ret, ret_server);
    r = merge_scalars(p, original, patch, ret);
    return r < 0 ? r : ids_of(p, S(""), original, ret_server);
}

int patch_list_merge(struct patch_run *p, const struct patch_list *l, const struct json *original, const struct json *patch,
                     struct json *ret)
{
    struct items server;
    return merge_list(p, l, original, patch, ret, &server);
}

/* --- $setElementOrder -------------------------------------------------------------------------- */

/* The elements of the patch must appear in the order list, in the same order. */
static int check_order(struct patch_run *p, const struct patch_list *l, const struct json *patch, const struct items *order)
{
    size_t at = 0;
    for (uint32_t i = 0; patch && order->len && i < patch->len; i++) {
        const struct json *v = &patch->items[i];
        str id;
        if (json_get(v, PATCH_DIRECTIVE))
            continue;
        int r = id_of(p, l->merge_key, v, &id);
        if (r < 0)
            return r;
        while (at < order->len && !str_eq(order->p[at].id, id))
            at++;
        if (at++ == order->len) {
            struct strbuf b = strbuf_on(p->a);
            strbuf_add_str(&b, S("The order in patch list:\n"));
            patch_print_go(&b, patch);
            strbuf_add_str(&b, S("\n doesn't match $setElementOrder list:\n["));
            for (size_t k = 0; k < order->len && b.len < 600; k++) {
                strbuf_add_str(&b, k ? S(" ") : S(""));
                patch_print_go(&b, &order->p[k].v);
            }
            strbuf_add_str(&b, S("]\n"));
            return err_set(p->err, E_INVALID_ARG, "%s", strbuf_cstr(&b));
        }
    }
    return 0;
}

int patch_list_merge_ordered(struct patch_run *p, const struct patch_list *l, const struct json *original,
                             const struct json *patch, const struct json *order, struct json *ret)
{
    struct items wanted, merged_items, live = {0};
    struct json merged;
    int r = ids_of(p, l->merge_key, order, &wanted);
    if (r == 0)
        r = check_order(p, l, patch, &wanted);
    if (r < 0)
        return r;
    if (original && patch) {
        r = merge_list(p, l, original, patch, &merged, &live);
    } else if (original) {
        merged = *original;
        r = ids_of(p, l->merge_key, original, &live);
    } else {
        patch_strategic_clean(p, patch, &merged);
    }
    if (r == 0)
        r = ids_of(p, l->merge_key, &merged, &merged_items);
    if (r < 0)
        return r;
    struct map in_order CLEANUP(map_fini) = index_items(&wanted), server CLEANUP(map_fini) = index_items(&live);
    *ret = order_items(p, &merged_items, &in_order, &server);
    return 0;
}
