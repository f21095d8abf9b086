/* view.c - views: the current version, or a past one made by undoing changes.
 *
 * A past view undoes the events between it and the next newer version that is kept, on a tree of its own that shares all other
 * nodes.  Page after page of one long list asks for the same revision, so the last few past views are kept for a while. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "store/embedded/internal.h"
#include "store/pack.h"

#define PRIVATE_TAG UINT64_MAX /* birth of a past view's own nodes */
#define KEEP_NS (30 * NSEC_PER_SEC)
#define SWEEP_NS NSEC_PER_SEC

struct view {
    struct store_view base;
    _Atomic uint32_t refs;
    rev_t rev;
    const struct tree_node *root;
    struct version *version; /* keeps all shared nodes and their kvs */
    bool is_private;
    VEC(struct store_kv *) kept; /* versions that the undoing brought back */
    nsec_t used_at;              /* under views.lock */
};

static struct view *view_of(const struct store_view *v)
{
    return container_of((struct store_view *)(uintptr_t)v, struct view, base);
}

static struct view *view_new(struct version *v, rev_t rev)
{
    struct view *view = xnew(struct view);
    view->base.ops = &embedded_ops;
    atomic_init(&view->refs, 1);
    view->rev = rev;
    view->root = v->root;
    view->version = v;
    return view;
}

void view_close(struct store_view *base)
{
    struct view *v = view_of(base);
    if (atomic_fetch_sub(&v->refs, 1) != 1)
        return;
    if (v->is_private)
        tree_discard((struct tree_node *)(uintptr_t)v->root, PRIVATE_TAG);
    for (size_t i = 0; i < v->kept.len; i++)
        store_kv_unref(v->kept.p[i]);
    vec_fini(&v->kept);
    version_unref(v->version);
    free(v);
}

/* --- the past --------------------------------------------------------------------------------------------------- */

static void undo(struct view *v, struct tree_edit *edit, struct tree_node **root, const struct store_event *ev)
{
    if (!ev->prev) {
        tree_del(edit, root, store_kv_key(ev->kv));
        return;
    }
    /* The tree's references are counted by the shared versions; this one is counted here. */
    vec_push(&v->kept, store_kv_ref(ev->prev));
    tree_put(edit, root, ev->prev);
}

static struct view *view_make(struct history_span *span, rev_t at)
{
    struct view *v = view_new(version_ref(span->base), at);
    struct tree_edit edit = {.tag = PRIVATE_TAG};
    struct tree_node *root = span->base->root;
    v->is_private = true;
    for (size_t i = span->chunks.len; i > 0; i--) {
        const struct history_chunk *c = span->chunks.p[i - 1];
        for (uint32_t j = atomic_load(&c->n); j > 0; j--) {
            const struct store_event *ev = &c->events[j - 1];
            if (ev->rev > at && ev->rev <= span->base->rev)
                undo(v, &edit, &root, ev);
        }
    }
    v->root = root;
    return v;
}

static struct view *cache_find(struct embedded *e, rev_t at)
{
    struct view *found = NULL;
    pthread_mutex_lock(&e->views.lock);
    for (size_t i = 0; i < VIEW_CACHE && !found; i++) {
        if (e->views.kept[i] && e->views.kept[i]->rev == at)
            found = e->views.kept[i];
    }
    if (found) {
        atomic_fetch_add(&found->refs, 1);
        found->used_at = clock_mono(e->clock);
    }
    pthread_mutex_unlock(&e->views.lock);
    return found;
}

static void cache_add(struct embedded *e, struct view *v)
{
    atomic_fetch_add(&v->refs, 1);
    pthread_mutex_lock(&e->views.lock);
    v->used_at = clock_mono(e->clock);
    struct view *out = e->views.kept[e->views.next];
    e->views.kept[e->views.next] = v;
    e->views.next = (e->views.next + 1) % VIEW_CACHE;
    pthread_mutex_unlock(&e->views.lock);
    if (out)
        view_close(&out->base);
}

void view_cache_sweep(struct embedded *e, bool all)
{
    nsec_t now = clock_mono(e->clock);
    if (!all && now - e->views.swept_at < SWEEP_NS)
        return;
    e->views.swept_at = now;
    rev_t oldest = atomic_load(&e->history.compacted);
    struct view *out[VIEW_CACHE];
    size_t n = 0;
    pthread_mutex_lock(&e->views.lock);
    for (size_t i = 0; i < VIEW_CACHE; i++) {
        struct view *v = e->views.kept[i];
        if (v && (all || v->rev < oldest || now - v->used_at > KEEP_NS)) {
            out[n++] = v;
            e->views.kept[i] = NULL;
        }
    }
    pthread_mutex_unlock(&e->views.lock);
    for (size_t i = 0; i < n; i++)
        view_close(&out[i]->base);
}

static int open_past(struct embedded *e, struct version *current, rev_t at, struct store_view **ret, struct err *err)
{
    rev_t oldest = atomic_load(&e->history.compacted);
    struct view *v = at >= oldest ? cache_find(e, at) : NULL;
    struct history_span span;
    if (!v && !history_span_take(&e->history, at, current, &span))
        return err_set(err, E_EXPIRED, "revision %llu is too old, the oldest that can be read is %llu", (unsigned long long)at,
                       (unsigned long long)atomic_load(&e->history.compacted));
    if (!v) {
        v = view_make(&span, at);
        history_span_release(&span);
        cache_add(e, v);
    }
    *ret = &v->base;
    return 0;
}

/* --- the interface ------------------------------------------------------------------------------------------------ */

int view_open(struct store *s, rev_t at, struct store_view **ret, struct err *err)
{
    struct embedded *e = embedded_of(s);
    struct version *current = embedded_version_take(e);
    if (at == 0 || at == current->rev) {
        *ret = &view_new(current, current->rev)->base;
        return 0;
    }
    int r;
    if (at > current->rev)
        r = err_set(err, E_TIMEOUT, "revision %llu does not exist yet, the newest is %llu", (unsigned long long)at,
                    (unsigned long long)current->rev);
    else
        r = open_past(e, current, at, ret, err);
    version_unref(current);
    return r;
}

rev_t view_revision(const struct store_view *v)
{
    return view_of(v)->rev;
}

struct store_kv *view_get(struct store_view *v, str key)
{
    struct store_kv *kv = tree_get(view_of(v)->root, key);
    return kv ? pack_plain(kv) : NULL;
}

struct range_call {
    bool (*each)(void *arg, const struct store_kv *kv);
    void *arg;
};

static bool each_plain(void *arg, const struct store_kv *kv)
{
    const struct range_call *c = arg;
    if (!kv->is_packed)
        return c->each(c->arg, kv);
    struct store_kv *plain = pack_plain((struct store_kv *)(uintptr_t)kv);
    bool more = c->each(c->arg, plain);
    store_kv_unref(plain);
    return more;
}

size_t view_range(struct store_view *v, str from, str end, bool (*each)(void *arg, const struct store_kv *kv), void *arg)
{
    struct range_call c = {each, arg};
    return tree_range(view_of(v)->root, from, end, each_plain, &c);
}

size_t view_count(struct store_view *v, str from, str end)
{
    const struct tree_node *root = view_of(v)->root;
    size_t before = tree_rank(root, from), upto = end.len ? tree_rank(root, end) : tree_len(root);
    return upto > before ? upto - before : 0;
}
