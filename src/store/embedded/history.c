/* SPDX-License-Identifier: Apache-2.0 */
#include "store/embedded/history.h"

void history_init(struct history *h, size_t max_events, size_t max_bytes, rev_t compacted)
{
    memset(h, 0, sizeof *h);
    pthread_mutex_init(&h->lock, NULL);
    h->max_events = max_events;
    h->max_bytes = max_bytes;
    /* Small windows (tests) are kept to more closely than a whole chunk allows. */
    h->chunk_events = MIN(MAX(max_events / 8, (size_t)1), (size_t)HISTORY_CHUNK_EVENTS);
    atomic_store(&h->compacted, compacted);
}

void history_chunk_unref(struct history_chunk *c)
{
    if (!c || atomic_fetch_sub(&c->refs, 1) != 1)
        return;
    store_events_release(c->events, atomic_load(&c->n));
    free(c);
}

static struct history_chunk *chunk_ref(struct history_chunk *c)
{
    atomic_fetch_add(&c->refs, 1);
    return c;
}

static rev_t chunk_last_rev(const struct history_chunk *c)
{
    return c->events[atomic_load(&c->n) - 1].rev;
}

/* Bytes that would be free without the history. */
static size_t event_bytes(const struct store_event *e)
{
    const struct store_kv *gone = e->type == STORE_DELETE ? e->kv : e->prev;
    return sizeof *e + (gone ? store_kv_bytes(gone) : 0);
}

/* The chunk to fill.  Under the lock. */
static struct history_chunk *chunk_open(struct history *h)
{
    struct history_chunk *last = h->chunks.len ? h->chunks.p[h->chunks.len - 1] : NULL;
    if (last && atomic_load(&last->n) < h->chunk_events && last->bytes < HISTORY_CHUNK_BYTES)
        return last;
    last = xmalloc(sizeof *last);
    atomic_init(&last->refs, 1);
    atomic_init(&last->n, 0);
    last->bytes = 0;
    last->number = h->next_number++;
    vec_push(&h->chunks, last);
    return last;
}

void history_add(struct history *h, const struct store_event *events, size_t n)
{
    pthread_mutex_lock(&h->lock);
    for (size_t i = 0; i < n; i++) {
        struct history_chunk *c = chunk_open(h);
        uint32_t at = atomic_load(&c->n);
        size_t bytes = event_bytes(&events[i]);
        c->events[at] = events[i];
        c->bytes += bytes;
        atomic_store(&c->n, at + 1);
        h->events++;
        h->bytes += bytes;
    }
    pthread_mutex_unlock(&h->lock);
    h->since_pin += n;
}

/* --- forgetting --------------------------------------------------------------------------------------- */

/* What was dropped under the lock and is freed after it, because that takes long. */
typedef VEC(struct history_chunk *) chunk_garbage;

static void garbage_free(chunk_garbage *g)
{
    for (size_t i = 0; i < g->len; i++)
        history_chunk_unref(g->p[i]);
    vec_fini(g);
}

static void drop_oldest_chunk(struct history *h, chunk_garbage *g)
{
    struct history_chunk *c = h->chunks.p[0];
    rev_t last = chunk_last_rev(c);
    if (last > atomic_load(&h->compacted))
        atomic_store(&h->compacted, last);
    h->events -= atomic_load(&c->n);
    h->bytes -= c->bytes;
    vec_remove(&h->chunks, 0);
    vec_push(g, c);
}

static void drop_old_pins(struct history *h)
{
    while (h->pins.len && h->pins.p[0]->rev < atomic_load(&h->compacted)) {
        version_unref(h->pins.p[0]);
        vec_remove(&h->pins, 0);
    }
}

void history_batch_done(struct history *h, struct version *v)
{
    chunk_garbage garbage = {0};
    pthread_mutex_lock(&h->lock);
    if (v && h->since_pin >= HISTORY_PIN_EVERY) {
        h->since_pin = 0;
        v->pinned = true;
        vec_push(&h->pins, version_ref(v));
    }
    while (h->chunks.len > 1 && (h->events > h->max_events || h->bytes > h->max_bytes))
        drop_oldest_chunk(h, &garbage);
    drop_old_pins(h);
    pthread_mutex_unlock(&h->lock);
    garbage_free(&garbage);
}

void history_compact(struct history *h, rev_t upto)
{
    chunk_garbage garbage = {0};
    pthread_mutex_lock(&h->lock);
    if (upto > atomic_load(&h->compacted)) {
        atomic_store(&h->compacted, upto);
        /* The newest chunk may be half full and is left to the writer. */
        while (h->chunks.len > 1 && chunk_last_rev(h->chunks.p[0]) <= upto)
            drop_oldest_chunk(h, &garbage);
        drop_old_pins(h);
    }
    pthread_mutex_unlock(&h->lock);
    garbage_free(&garbage);
}

void history_count(struct history *h, size_t *ret_events, size_t *ret_bytes)
{
    pthread_mutex_lock(&h->lock);
    *ret_events = h->events;
    *ret_bytes = h->bytes;
    pthread_mutex_unlock(&h->lock);
}

void history_fini(struct history *h)
{
    for (size_t i = 0; i < h->chunks.len; i++)
        history_chunk_unref(h->chunks.p[i]);
    for (size_t i = 0; i < h->pins.len; i++)
        version_unref(h->pins.p[i]);
    vec_fini(&h->chunks);
    vec_fini(&h->pins);
    pthread_mutex_destroy(&h->lock);
}

/* --- reading ------------------------------------------------------------------------------------------ */

/* Index of the first chunk whose last event comes after `after`. */
static size_t chunk_after(const struct history *h, rev_t after)
{
    size_t lo = 0, hi = h->chunks.len;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (chunk_last_rev(h->chunks.p[mid]) <= after)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

bool history_find(struct history *h, rev_t after, struct history_chunk **ret)
{
    pthread_mutex_lock(&h->lock);
    bool inside = after >= atomic_load(&h->compacted);
    if (inside) {
        size_t at = chunk_after(h, after);
        *ret = at < h->chunks.len ? chunk_ref(h->chunks.p[at]) : NULL;
    }
    pthread_mutex_unlock(&h->lock);
    return inside;
}

bool history_follow(struct history *h, const struct history_chunk *c, struct history_chunk **ret)
{
    pthread_mutex_lock(&h->lock);
    uint64_t first = h->next_number - h->chunks.len; /* number of the oldest chunk kept */
    bool inside = c->number + 1 >= first;
    if (inside)
        *ret = c->number + 1 < h->next_number ? chunk_ref(h->chunks.p[c->number + 1 - first]) : NULL;
    pthread_mutex_unlock(&h->lock);
    return inside;
}

bool history_span_take(struct history *h, rev_t at, struct version *current, struct history_span *ret)
{
    *ret = (struct history_span){0};
    pthread_mutex_lock(&h->lock);
    bool inside = at >= atomic_load(&h->compacted);
    if (inside) {
        ret->base = current;
        for (size_t i = h->pins.len; i > 0 && h->pins.p[i - 1]->rev >= at; i--)
            ret->base = h->pins.p[i - 1];
        version_ref(ret->base);
        for (size_t i = chunk_after(h, at); i < h->chunks.len && h->chunks.p[i]->events[0].rev <= ret->base->rev; i++)
            vec_push(&ret->chunks, chunk_ref(h->chunks.p[i]));
    }
    pthread_mutex_unlock(&h->lock);
    return inside;
}

void history_span_release(struct history_span *s)
{
    version_unref(s->base);
    for (size_t i = 0; i < s->chunks.len; i++)
        history_chunk_unref(s->chunks.p[i]);
    vec_fini(&s->chunks);
}
