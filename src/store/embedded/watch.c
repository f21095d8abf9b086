/* SPDX-License-Identifier: Apache-2.0 */
#include "store/embedded/watch.h"

struct watch_group {
    char *prefix;
    size_t len;
    struct list watches;
    uint64_t pass; /* the last batch that woke this group */
};

/* ARMING: asks to be woken, but may have missed a batch just before; ARMED: has missed none. */
enum arm_state { AWAKE, ARMING, ARMED };

struct watch {
    struct store_watch base;
    struct watch_hub *hub;
    struct watch_group *group;
    struct list link;
    void (*wake)(void *arg);
    void *arg;
    _Atomic int arm; /* enum arm_state; the writer only ever makes it AWAKE */
    _Atomic rev_t quiet_until; /* set when an armed watch is woken: nothing after its cursor and up to here concerns it */
    /* The cursor: everything up to and including `seen` is done with; of the next revision, what stands before chunk->events[at]. */
    rev_t seen;
    struct history_chunk *chunk; /* NULL: to be found again from `seen` */
    uint32_t at;
};

static str group_prefix(const struct watch_group *g)
{
    return str_n(g->prefix, g->len);
}

void watch_hub_init(struct watch_hub *hub, struct history *h, struct versions *vs, rev_t rev)
{
    memset(hub, 0, sizeof *hub);
    hub->history = h;
    hub->versions = vs;
    atomic_store(&hub->matched, rev);
    pthread_mutex_init(&hub->lock, NULL);
}

void watch_hub_fini(struct watch_hub *hub)
{
    BUG_ON(atomic_load(&hub->open) > 0);
    map_fini(&hub->groups);
    vec_fini(&hub->lengths);
    pthread_mutex_destroy(&hub->lock);
}

/* --- groups: watches with the same prefix --------------------------------------------------------------- */

static void lengths_change(struct watch_hub *hub, size_t len, bool add)
{
    size_t i = 0;
    while (i < hub->lengths.len && hub->lengths.p[i].len != len)
        i++;
    if (i == hub->lengths.len)
        vec_push(&hub->lengths, (struct watch_length){.len = len});
    hub->lengths.p[i].groups += add ? 1 : (size_t)-1;
    if (hub->lengths.p[i].groups == 0)
        vec_remove_swap(&hub->lengths, i);
}

static struct watch_group *group_take(struct watch_hub *hub, str prefix)
{
    struct watch_group *g = map_get(&hub->groups, prefix);
    if (!g) {
        g = xnew(struct watch_group);
        g->prefix = str_dup(prefix);
        g->len = prefix.len;
        list_init(&g->watches);
        map_put(&hub->groups, group_prefix(g), g);
        lengths_change(hub, g->len, true);
    }
    return g;
}

static void group_drop_if_empty(struct watch_hub *hub, struct watch_group *g)
{
    if (!list_empty(&g->watches))
        return;
    map_del(&hub->groups, group_prefix(g));
    lengths_change(hub, g->len, false);
    free(g->prefix);
    free(g);
}

static void group_wake(struct watch_group *g, uint64_t pass, rev_t matched)
{
    /* Who arms itself after this has already seen the whole batch. */
    if (g->pass == pass)
        return;
    g->pass = pass;
    list_foreach(w, &g->watches, struct watch, link)
    {
        int arm = atomic_load(&w->arm);
        if (arm == AWAKE)
            continue;
        if (arm == ARMED)
            atomic_store(&w->quiet_until, matched);
        if (atomic_exchange(&w->arm, AWAKE) != AWAKE)
            w->wake(w->arg);
    }
}

void watch_hub_publish(struct watch_hub *hub, const struct store_event *events, size_t n, rev_t rev)
{
    if (atomic_load(&hub->open) > 0) {
        pthread_mutex_lock(&hub->lock);
        hub->pass++;
        rev_t matched = atomic_load(&hub->matched);
        for (size_t i = 0; i < n; i++) {
            str key = store_kv_key(events[i].kv);
            for (size_t j = 0; j < hub->lengths.len; j++) {
                if (hub->lengths.p[j].len > key.len)
                    continue;
                struct watch_group *g = map_get(&hub->groups, str_sub(key, 0, hub->lengths.p[j].len));
                if (g)
                    group_wake(g, hub->pass, matched);
            }
        }
        pthread_mutex_unlock(&hub->lock);
    }
    atomic_store(&hub->matched, rev);
}

/* --- one watch ------------------------------------------------------------------------------------------ */

int watch_open(struct watch_hub *hub, const struct store_ops *ops, str prefix, rev_t after, void (*wake)(void *arg), void *arg,
               struct store_watch **ret, struct err *err)
{
    rev_t oldest = atomic_load(&hub->history->compacted);
    if (after < oldest)
        return err_set(err, E_EXPIRED, "revision %llu is too old, changes are kept since %llu", (unsigned long long)after,
                       (unsigned long long)oldest);
    struct watch *w = xnew(struct watch);
    w->base.ops = ops;
    w->hub = hub;
    w->wake = wake;
    w->arg = arg;
    w->seen = after;
    pthread_mutex_lock(&hub->lock);
    w->group = group_take(hub, prefix.p ? prefix : S(""));
    list_add_tail(&w->group->watches, &w->link);
    atomic_fetch_add(&hub->open, 1);
    pthread_mutex_unlock(&hub->lock);
    *ret = &w->base;
    return 0;
}

void watch_close(struct store_watch *base)
{
    struct watch *w = container_of(base, struct watch, base);
    struct watch_hub *hub = w->hub;
    pthread_mutex_lock(&hub->lock);
    list_del(&w->link);
    group_drop_if_empty(hub, w->group);
    atomic_fetch_sub(&hub->open, 1);
    pthread_mutex_unlock(&hub->lock);
    history_chunk_unref(w->chunk);
    free(w);
}

static rev_t visible_rev(struct watch_hub *hub)
{
    size_t slot;
    rev_t rev = version_enter(hub->versions, &slot)->rev;
    version_leave(hub->versions, slot);
    return rev;
}

/* Stands the cursor on an event that is there, or learns that there is none yet (*ret NULL).  -E_EXPIRED: what should come next is
 * gone. */
static int cursor_peek(struct watch *w, const struct store_event **ret)
{
    struct history *h = w->hub->history;
    while (!w->chunk || w->at == atomic_load(&w->chunk->n)) {
        struct history_chunk *next;
        bool inside = w->chunk ? history_follow(h, w->chunk, &next) : history_find(h, w->seen, &next);
        if (!inside)
            return -E_EXPIRED;
        *ret = NULL;
        if (!next)
            return 0;
        if (w->chunk && w->at < atomic_load(&w->chunk->n)) {
            history_chunk_unref(next); /* it was filled up meanwhile: only now that it has a successor is its end the end */
            break;
        }
        history_chunk_unref(w->chunk);
        w->chunk = next;
        w->at = 0;
    }
    *ret = &w->chunk->events[w->at];
    return 0;
}

/* Copies what concerns the watch, up to `visible`.  *ret_all: there is no more. */
static int scan(struct watch *w, rev_t visible, struct store_event *events, size_t max, bool *ret_all)
{
    str prefix = group_prefix(w->group);
    size_t n = 0;
    for (;;) {
        const struct store_event *e;
        int r = cursor_peek(w, &e);
        if (r < 0) {
            store_events_release(events, n);
            return r;
        }
        *ret_all = !e || e->rev > visible;
        if (*ret_all) {
            w->seen = MAX(w->seen, visible);
            return (int)n;
        }
        w->seen = MAX(w->seen, e->rev - 1); /* events of the revision at the cursor may follow, of earlier ones not */
        if (n == max)
            return (int)n;
        if (e->rev > w->seen && str_has_prefix(store_kv_key(e->kv), prefix)) {
            events[n] = *e;
            store_kv_ref(e->kv);
            if (e->prev)
                store_kv_ref(e->prev);
            n++;
        }
        w->at++;
    }
}

/* Moves the cursor over what is known not to concern the watch: up to the batch before the one that woke it, or, when nothing did,
 * up to the last one looked at. */
static void disarm(struct watch *w)
{
    rev_t matched = atomic_load(&w->hub->matched);
    if (atomic_exchange(&w->arm, AWAKE) != ARMED)
        matched = atomic_load(&w->quiet_until);
    if (matched <= w->seen)
        return;
    w->seen = matched;
    history_chunk_unref(w->chunk);
    w->chunk = NULL;
}

int watch_next(struct store_watch *base, struct store_event *events, size_t max, rev_t *ret_rev)
{
    struct watch *w = container_of(base, struct watch, base);
    int n = 0;
    disarm(w);
    for (;;) {
        rev_t visible = visible_rev(w->hub);
        bool all;
        int r = scan(w, visible, events + n, max - (size_t)n, &all);
        if (r < 0) {
            store_events_release(events, (size_t)n);
            return r;
        }
        n += r;
        *ret_rev = w->seen;
        if (!all)
            return n;
        /* Armed first, looked again second: a batch published in between is seen by one side or the other. */
        atomic_store(&w->arm, ARMING);
        if (visible_rev(w->hub) == visible) {
            int arming = ARMING; /* no longer, when the writer was here meanwhile: then wake() has run */
            atomic_compare_exchange_strong(&w->arm, &arming, ARMED);
            return n;
        }
        atomic_store(&w->arm, AWAKE);
    }
}
