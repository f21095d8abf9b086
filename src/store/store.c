/* SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>

#include "base/arena.h"
#include "store/pack.h"
#include "store/store_ops.h"

/* --- versions ------------------------------------------------------------------------------------- */

struct store_kv *store_kv_ref(struct store_kv *kv)
{
    atomic_fetch_add_explicit(&kv->refs, 1, memory_order_relaxed);
    return kv;
}

void store_kv_unref(struct store_kv *kv)
{
    if (!kv || atomic_fetch_sub_explicit(&kv->refs, 1, memory_order_acq_rel) != 1)
        return;
    if (kv->is_packed)
        pack_free(kv);
    else
        free(kv);
}

uint32_t store_rev_digits(rev_t rev)
{
    uint32_t n = 1;
    for (; rev >= 10; rev /= 10)
        n++;
    return n;
}

struct store_kv *store_kv_new(str key, str value, uint32_t rev_at, uint32_t gap)
{
    if (rev_at == 0)
        gap = 0;
    struct store_kv *kv = xmalloc(sizeof *kv + key.len + value.len + gap + 2);
    *kv = (struct store_kv){.refs = 1, .key_len = (uint32_t)key.len, .value_len = (uint32_t)value.len + gap, .rev_at = rev_at};
    if (key.len)
        memcpy(kv->data, key.p, key.len);
    kv->data[key.len] = 0;
    char *v = kv->data + key.len + 1;
    if (rev_at)
        memcpy(v, value.p, rev_at);
    if (value.len > rev_at)
        memcpy(v + rev_at + gap, value.p + rev_at, value.len - rev_at);
    v[kv->value_len] = 0;
    return kv;
}

struct store_kv *store_kv_set_mark(struct store_kv *kv, uint32_t gap, rev_t rev)
{
    uint32_t digits = store_rev_digits(rev);
    if (digits != gap) {
        str value = store_kv_value(kv);
        struct store_kv *other = store_kv_new(store_kv_key(kv), str_sub(value, 0, kv->rev_at), kv->rev_at,
                                              digits + (uint32_t)(value.len - gap - kv->rev_at));
        memcpy(other->data + kv->key_len + 1 + kv->rev_at + digits, value.p + kv->rev_at + gap, value.len - gap - kv->rev_at);
        store_kv_unref(kv);
        kv = other;
    }
    char *at = kv->data + kv->key_len + 1 + kv->rev_at;
    for (uint32_t i = digits; i > 0; i--, rev /= 10)
        at[i - 1] = (char)('0' + rev % 10);
    return kv;
}

void store_events_release(struct store_event *events, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        store_kv_unref(events[i].kv);
        store_kv_unref(events[i].prev);
    }
}

str store_prefix_end(struct arena *a, str prefix)
{
    size_t len = prefix.len;
    while (len > 0 && (unsigned char)prefix.p[len - 1] == 0xff)
        len--;
    if (len == 0)
        return S("");
    char *end = arena_alloc(a, len);
    memcpy(end, prefix.p, len);
    end[len - 1]++;
    return str_n(end, len);
}

/* --- waiting for a commit --------------------------------------------------------------------------- */

struct waiter {
    pthread_mutex_t lock;
    pthread_cond_t cond;
    bool done;
};

static void waiter_done(struct store_txn *txn)
{
    struct waiter *w = txn->owner;
    pthread_mutex_lock(&w->lock);
    w->done = true;
    pthread_cond_signal(&w->cond);
    pthread_mutex_unlock(&w->lock);
}

int store_commit(struct store *s, struct store_txn *txn)
{
    struct waiter w = {.lock = PTHREAD_MUTEX_INITIALIZER, .cond = PTHREAD_COND_INITIALIZER};
    txn->done = waiter_done;
    txn->owner = &w;
    int r = store_submit(s, txn);
    if (r < 0)
        return r;
    pthread_mutex_lock(&w.lock);
    while (!w.done)
        pthread_cond_wait(&w.cond, &w.lock);
    pthread_mutex_unlock(&w.lock);
    pthread_cond_destroy(&w.cond);
    pthread_mutex_destroy(&w.lock);
    return txn->result;
}

/* --- calls through the vtable ------------------------------------------------------------------------- */

rev_t store_revision(struct store *s)
{
    return s->ops->revision(s);
}

rev_t store_compacted_revision(struct store *s)
{
    return s->ops->compacted_revision(s);
}

struct store_kv *store_get(struct store *s, str key)
{
    return s->ops->get(s, key);
}

int store_view_open(struct store *s, rev_t at, struct store_view **ret, struct err *err)
{
    return s->ops->view_open(s, at, ret, err);
}

void store_view_close(struct store_view *v)
{
    if (v)
        v->ops->view_close(v);
}

rev_t store_view_revision(const struct store_view *v)
{
    return v->ops->view_revision(v);
}

struct store_kv *store_view_get(struct store_view *v, str key)
{
    return v->ops->view_get(v, key);
}

size_t store_view_range(struct store_view *v, str from, str end, bool (*each)(void *arg, const struct store_kv *kv), void *arg)
{
    return v->ops->view_range(v, from, end, each, arg);
}

size_t store_view_count(struct store_view *v, str from, str end)
{
    return v->ops->view_count(v, from, end);
}

int store_submit(struct store *s, struct store_txn *txn)
{
    return s->ops->submit(s, txn);
}

int store_watch_open(struct store *s, str prefix, rev_t after, void (*wake)(void *arg), void *arg, struct store_watch **ret,
                     struct err *err)
{
    return s->ops->watch_open(s, prefix, after, wake, arg, ret, err);
}

void store_watch_close(struct store_watch *w)
{
    if (w)
        w->ops->watch_close(w);
}

int store_watch_next(struct store_watch *w, struct store_event *events, size_t max, rev_t *ret_rev)
{
    return w->ops->watch_next(w, events, max, ret_rev);
}

int store_compact(struct store *s, rev_t upto, struct err *err)
{
    return s->ops->compact(s, upto, err);
}

int store_snapshot(struct store *s, const char *path, struct err *err)
{
    return s->ops->snapshot(s, path, err);
}

void store_stats(struct store *s, struct store_stats *ret)
{
    s->ops->stats(s, ret);
}

void store_close(struct store *s)
{
    if (s)
        s->ops->close(s);
}
