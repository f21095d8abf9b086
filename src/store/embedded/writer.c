/* writer.c - the queue and the one thread that changes the store.
 *
 *     take what waits -> evaluate each against the tree being built -> one record, one write, one fdatasync
 *       -> events into the history -> new version published -> watches woken -> done() for each -> old memory freed
 * While the disk works the next batch collects in the queue; the writer never waits for more (tried: docs/decisions/002-store.md).
 * Nothing of a batch is visible before it is durable; a batch that cannot be logged leaves no trace, and its transactions (also those
 * that only failed a comparison against it) are told so. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <sched.h>
#include <time.h>

#include "base/log.h"
#include "base/map.h"
#include "rt/failpoint.h"
#include "store/embedded/internal.h"
#include "store/pack.h"

#define BATCH_BYTES (32u << 20) /* a record is closed by the transaction that makes it this long */
#define IDLE_NS NSEC_PER_SEC    /* how often a sleeping writer looks whether readers have let go of old versions, or a full disk has room */

/* --- submitting ----------------------------------------------------------------------------------------------- */

static int check_op(const struct store_op *op, struct err *err)
{
    if (op->key.len == 0 || op->key.len > LIMIT_STORE_KEY_BYTES)
        return err_set(err, E_INVALID_ARG, "a key has 1 to %d bytes, not %zu", LIMIT_STORE_KEY_BYTES, op->key.len);
    if (op->type == STORE_PUT && op->value.len > LIMIT_OBJECT_BYTES)
        return err_set(err, E_TOO_LARGE, "a value has at most %u bytes, not %zu", LIMIT_OBJECT_BYTES, op->value.len);
    if (op->type == STORE_PUT && op->rev_at > op->value.len)
        return err_set(err, E_INVALID_ARG, "the mark is at %u, the value has %zu bytes", op->rev_at, op->value.len);
    return 0;
}

/* etcd, too, refuses to change a key twice in one transaction: what its version before would be is not clear. */
static int check_distinct(const struct store_txn *txn, struct err *err)
{
    struct map seen = MAP_INIT;
    bool twice = false;
    for (size_t i = 0; txn->nops > 1 && i < txn->nops && !twice; i++)
        twice = map_put(&seen, txn->ops[i].key, &seen) != NULL;
    map_fini(&seen);
    return twice ? err_set(err, E_INVALID_ARG, "a transaction names a key twice") : 0;
}

static int check_txn(struct store_txn *txn)
{
    size_t bytes = 0;
    for (size_t i = 0; i < txn->nops; i++) {
        int r = check_op(&txn->ops[i], &txn->err);
        if (r < 0)
            return r;
        bytes += txn->ops[i].key.len + (txn->ops[i].type == STORE_PUT ? txn->ops[i].value.len : 0) + 16;
    }
    if (bytes > STORE_TXN_BYTES)
        return err_set(&txn->err, E_TOO_LARGE, "a transaction has at most %u bytes, not %zu", STORE_TXN_BYTES, bytes);
    return check_distinct(txn, &txn->err);
}

static void writer_wake(struct embedded *e)
{
    if (!atomic_exchange(&e->asleep, false))
        return;
    pthread_mutex_lock(&e->sleep_lock);
    pthread_cond_signal(&e->sleep_cond);
    pthread_mutex_unlock(&e->sleep_lock);
}

/* The copies are the versions themselves, made here so that many threads share the work: op->kv is the new version with a gap for
 * the revision (DELETE: only the key). */
static void copy_ops(struct embedded *e, struct store_txn *txn)
{
    uint32_t gap = store_rev_digits(atomic_load_explicit(&e->newest, memory_order_relaxed) + 1);
    for (size_t i = 0; i < txn->nops; i++) {
        struct store_op *op = &txn->ops[i];
        op->kv = op->type == STORE_PUT ? store_kv_new(op->key, op->value, op->rev_at, gap) : store_kv_new(op->key, S(""), 0, 0);
    }
}

static int refuse(struct embedded *e, struct store_txn *txn, int code, const char *why)
{
    atomic_fetch_sub(&e->waiting, 1);
    return err_set(&txn->err, code, "%s", why);
}

int writer_submit(struct store *s, struct store_txn *txn)
{
    struct embedded *e = embedded_of(s);
    txn->err = ERR_NONE;
    int r = check_txn(txn);
    if (r < 0)
        return r;
    /* Counted before `closing` is read: the writer ends only after closing was set and nothing is counted. */
    uint32_t waiting = atomic_fetch_add(&e->waiting, 1);
    if (atomic_load(&e->closing))
        return refuse(e, txn, E_UNAVAILABLE, "the store is shutting down");
    if (atomic_load(&e->stats.failed))
        return refuse(e, txn, E_UNAVAILABLE, "the store's log failed; nothing can be written until the server is started again");
    if (waiting >= LIMIT_STORE_QUEUE)
        return refuse(e, txn, E_BUSY, "too many writes are waiting");
    copy_ops(e, txn);
    txn->next_ = atomic_load(&e->queue);
    while (!atomic_compare_exchange_weak(&e->queue, &txn->next_, txn))
        ;
    writer_wake(e);
    return 0;
}

/* --- a batch ---------------------------------------------------------------------------------------------------- */

struct batch {
    struct embedded *e;
    struct tree_node *root; /* being built */
    rev_t base, rev;        /* last published revision, last given one */
    struct tree_edit edit;
    tree_items retired;
    VEC(struct store_event) events;
    struct store_txn *first, **last; /* evaluated, to be answered */
    size_t ntxns;
    uint64_t bytes; /* live, after this batch */
    uint64_t packed_keys, packed_bytes, packed_resident; /* the same of those that are packed */
    VEC(struct store_kv *) packed; /* that came into the tree with this batch; the tree's references */
};

static void drop_result(struct store_txn *txn)
{
    for (size_t i = 0; i < txn->nops; i++) {
        store_kv_unref(txn->ops[i].kv);
        txn->ops[i].kv = NULL;
    }
}

/* The operation's key; the caller's bytes may be gone by now. */
static str op_key(const struct store_op *op)
{
    return store_kv_key(op->kv);
}

/* False when an expectation does not hold.  Otherwise *ret_changes counts the operations that change something. */
static bool txn_holds(struct batch *b, struct store_txn *txn, size_t *ret_changes)
{
    size_t changes = 0;
    for (size_t i = 0; i < txn->nops; i++) {
        struct store_op *op = &txn->ops[i];
        struct store_kv *there = tree_get(b->root, op_key(op));
        if (op->expect != STORE_ANY_REV && op->expect != (there ? there->mod_rev : 0)) {
            txn->failed_op = i;
            drop_result(txn);
            op->kv = there ? pack_plain(there) : NULL;
            return false;
        }
        changes += op->type == STORE_PUT || there;
    }
    *ret_changes = changes;
    return true;
}

/* A version leaves the tree, its reference with it. */
static void retire(struct batch *b, struct store_kv *old)
{
    b->bytes -= store_kv_bytes(old);
    if (old->is_packed) {
        b->packed_keys--;
        b->packed_bytes -= store_kv_bytes(old);
        b->packed_resident -= pack_resident_bytes(old);
    }
    vec_push(&b->retired, tree_item_kv(old));
}

static void op_put(struct batch *b, struct store_op *op, rev_t rev)
{
    struct store_kv *kv = op->kv;
    if (op->rev_at)
        kv = store_kv_set_mark(kv, kv->value_len - (uint32_t)op->value.len, rev);
    struct store_kv *old = tree_get(b->root, store_kv_key(kv));
    kv->mod_rev = rev;
    kv->create_rev = old ? old->create_rev : rev;
    atomic_store_explicit(&kv->refs, 3, memory_order_relaxed); /* the result's, the tree's, the event's */
    op->kv = kv;
    b->bytes += store_kv_bytes(kv);
    tree_put(&b->edit, &b->root, kv);
    if (old)
        retire(b, old);
    vec_push(&b->events, (struct store_event){.rev = rev, .type = STORE_PUT, .kv = kv, .prev = old ? pack_plain(old) : NULL});
    wal_record_op(&b->e->wal, STORE_PUT, kv);
}

static void op_delete(struct batch *b, struct store_op *op, rev_t rev)
{
    struct store_kv *old = tree_del(&b->edit, &b->root, op_key(op));
    store_kv_unref(op->kv);
    op->kv = NULL;
    if (!old)
        return;
    retire(b, old);
    op->kv = pack_plain(old);
    vec_push(&b->events, (struct store_event){.rev = rev, .type = STORE_DELETE, .kv = store_kv_ref(op->kv), .prev = store_kv_ref(op->kv)});
    wal_record_op(&b->e->wal, STORE_DELETE, old);
}

static void txn_evaluate(struct batch *b, struct store_txn *txn)
{
    size_t changes;
    txn->result = 0;
    txn->revision = 0;
    txn->failed_op = 0;
    if (!txn_holds(b, txn, &changes)) {
        txn->result = err_set(&txn->err, E_CONFLICT, "the key was changed by somebody else");
        return;
    }
    if (changes == 0) {
        drop_result(txn);
        return;
    }
    txn->revision = ++b->rev;
    wal_record_txn(&b->e->wal, changes);
    for (size_t i = 0; i < txn->nops; i++) {
        if (txn->ops[i].type == STORE_PUT)
            op_put(b, &txn->ops[i], txn->revision);
        else
            op_delete(b, &txn->ops[i], txn->revision);
    }
}

/* Exchanges what is offered for its packed form, unless it was changed meanwhile. */
static void batch_pack(struct batch *b)
{
    struct pack_pair pairs[PACK_OFFER];
    size_t n = packer_take(b->e, pairs);
    for (size_t i = 0; i < n; i++) {
        struct store_kv *plain = pairs[i].plain, *packed = pairs[i].packed;
        if (tree_get(b->root, store_kv_key(plain)) == plain) {
            retire(b, tree_put(&b->edit, &b->root, packed));
            b->bytes += store_kv_bytes(packed);
            b->packed_keys++;
            b->packed_bytes += store_kv_bytes(packed);
            b->packed_resident += pack_resident_bytes(packed);
            vec_push(&b->packed, packed);
        } else {
            store_kv_unref(packed);
        }
        store_kv_unref(plain);
    }
}

static void batch_begin(struct batch *b)
{
    struct version *v = atomic_load(&b->e->versions.current);
    b->root = v->root;
    b->base = b->rev = v->rev;
    b->edit = (struct tree_edit){.tag = v->rev + 1, .retired = &b->retired};
    b->bytes = atomic_load(&b->e->stats.bytes_live);
    b->packed_keys = atomic_load(&b->e->stats.packed_keys);
    b->packed_bytes = atomic_load(&b->e->stats.packed_bytes);
    b->packed_resident = atomic_load(&b->e->stats.packed_resident);
    vec_clear(&b->packed);
    b->first = NULL;
    b->last = &b->first;
    b->ntxns = 0;
    wal_record_begin(&b->e->wal);
}

static void batch_add(struct batch *b, struct store_txn *txn)
{
    txn->next_ = NULL;
    txn_evaluate(b, txn);
    *b->last = txn;
    b->last = &txn->next_;
    b->ntxns++;
}

/* done() may free the transaction. */
static void batch_answer(struct batch *b)
{
    FAILPOINT("store.commit.before_done");
    struct embedded *e = b->e;
    atomic_fetch_add(&e->stats.txns, b->ntxns);
    for (struct store_txn *txn = b->first, *next; txn; txn = next) {
        next = txn->next_;
        txn->done(txn);
    }
    atomic_fetch_sub(&e->waiting, (uint32_t)b->ntxns);
}

/* Nothing of the batch has been seen by anyone. */
static void batch_give_up(struct batch *b, const struct err *err)
{
    tree_discard(b->root, b->edit.tag);
    for (size_t i = 0; i < b->events.len; i++) {
        if (b->events.p[i].type == STORE_PUT)
            store_kv_unref(b->events.p[i].kv); /* the tree's */
    }
    store_events_release(b->events.p, b->events.len);
    for (size_t i = 0; i < b->packed.len; i++)
        store_kv_unref(b->packed.p[i]);
    vec_clear(&b->packed);
    vec_clear(&b->events);
    vec_clear(&b->retired);
    for (struct store_txn *txn = b->first; txn; txn = txn->next_) {
        drop_result(txn);
        txn->revision = 0;
        txn->err = *err;
        txn->result = -err->code;
    }
}

static int batch_log(struct batch *b, struct err *err)
{
    struct embedded *e = b->e;
    int r = wal_append(&e->wal, b->base + 1, (uint32_t)(b->rev - b->base), err);
    if (r < 0)
        return r;
    nsec_t begin = clock_mono(e->clock);
    r = wal_sync(&e->wal, err);
    atomic_fetch_add(&e->stats.fsyncs, e->wal.sync);
    atomic_fetch_add(&e->stats.fsync_ns, (uint64_t)(clock_mono(e->clock) - begin));
    atomic_fetch_add(&e->stats.wal_bytes, e->wal.record.len);
    return r;
}

static void batch_publish(struct batch *b)
{
    struct embedded *e = b->e;
    FAILPOINT("store.commit.before_publish");
    /* History first: whoever sees the version may want to undo it. */
    history_add(&e->history, b->events.p, b->events.len);
    struct version *v = versions_publish(&e->versions, b->root, b->rev, &b->retired);
    atomic_store_explicit(&e->newest, b->rev, memory_order_relaxed);
    atomic_store(&e->stats.bytes_live, b->bytes);
    atomic_store(&e->stats.packed_keys, b->packed_keys);
    atomic_store(&e->stats.packed_bytes, b->packed_bytes);
    atomic_store(&e->stats.packed_resident, b->packed_resident);
    atomic_store(&e->stats.keys, tree_len(b->root));
    atomic_fetch_add(&e->stats.batches, 1);
    FAILPOINT("store.commit.before_wake");
    watch_hub_publish(&e->hub, b->events.p, b->events.len, b->rev);
    batch_answer(b);
    FAILPOINT("store.commit.after_done");
    vec_clear(&b->events); /* their references are the history's now */
    history_batch_done(&e->history, v);
}

static void fail(struct embedded *e, const struct err *err)
{
    log_error("the store accepts no more writes until the server is started again", KV("error", "%s", err->msg));
    atomic_store(&e->stats.failed, true);
}

static void batch_commit(struct batch *b)
{
    struct embedded *e = b->e;
    if (b->events.len == 0) {
        batch_answer(b);
        return;
    }
    struct err err = ERR_NONE;
    int r = batch_log(b, &err);
    bool full = r == -E_NO_SPACE;
    if (full != atomic_exchange(&e->stats.no_space, full) && full)
        log_warn("the disk is full: writes fail until there is room", KV("error", "%s", err.msg));
    if (r < 0) {
        /* A log whose write or sync failed is not asked again: the system may have dropped the pages it could not write. */
        if (!full)
            fail(e, &err);
        batch_give_up(b, &err);
        batch_answer(b);
        return;
    }
    uint64_t logged = e->wal.record.len;
    batch_publish(b);
    bool failed = false;
    keeper_batch_done(e, logged, &failed);
    packer_batch_done(e);
    if (failed)
        atomic_store(&e->stats.failed, true);
}

/* --- the thread -------------------------------------------------------------------------------------------------- */

struct pending {
    struct store_txn *first, **last;
    size_t n;
};

/* Moves what was submitted to the end of the list, oldest first. */
static void pending_take(struct embedded *e, struct pending *p)
{
    struct store_txn *newest = atomic_exchange(&e->queue, NULL), *oldest = NULL, *end = newest;
    for (struct store_txn *next; newest; newest = next) {
        next = newest->next_;
        newest->next_ = oldest;
        oldest = newest;
        p->n++;
    }
    if (oldest) {
        *p->last = oldest;
        p->last = &end->next_;
    }
}

static struct store_txn *pending_pop(struct pending *p)
{
    struct store_txn *txn = p->first;
    p->first = txn->next_;
    if (!p->first)
        p->last = &p->first;
    p->n--;
    return txn;
}

static void sleep_until_work(struct embedded *e, bool idle_work)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until); /* a sleep of the thread, not a time of the store: the real clock */
    until.tv_sec += (time_t)(IDLE_NS / NSEC_PER_SEC);
    pthread_mutex_lock(&e->sleep_lock);
    atomic_store(&e->asleep, true);
    while (!atomic_load(&e->queue) && !atomic_load(&e->closing) && atomic_load(&e->asleep)) {
        if (!idle_work)
            pthread_cond_wait(&e->sleep_cond, &e->sleep_lock);
        else if (pthread_cond_timedwait(&e->sleep_cond, &e->sleep_lock, &until) == ETIMEDOUT)
            break;
    }
    atomic_store(&e->asleep, false);
    pthread_mutex_unlock(&e->sleep_lock);
}

static void batch_run(struct batch *b, struct pending *p)
{
    struct embedded *e = b->e;
    batch_begin(b);
    if (atomic_load(&e->stats.failed)) {
        struct err err = ERR_NONE;
        err_set(&err, E_UNAVAILABLE, "the store's log failed; nothing can be written until the server is started again");
        while (p->n)
            batch_add(b, pending_pop(p));
        batch_give_up(b, &err);
        batch_answer(b);
        return;
    }
    while (p->n && b->ntxns < LIMIT_STORE_BATCH && e->wal.record.len < BATCH_BYTES)
        batch_add(b, pending_pop(p));
    if (b->events.len)
        batch_pack(b);
    batch_commit(b);
}

/* Who asks whether the store is ready may be keeping the writes away that would find out. */
static void look_for_room(struct embedded *e)
{
    if (wal_has_room(&e->wal)) {
        atomic_store(&e->stats.no_space, false);
        log_info("the disk has room again: writes go on");
    }
}

static void *writer_run(void *arg)
{
    struct embedded *e = arg;
    struct batch b = {.e = e};
    struct pending p = {.last = &p.first};
    bool garbage = false;
    for (;;) {
        pending_take(e, &p);
        if (p.n) {
            batch_run(&b, &p);
        } else if (atomic_load(&e->closing) && atomic_load(&e->waiting) == 0) {
            break;
        } else if (!atomic_load(&e->closing)) {
            sleep_until_work(e, garbage || atomic_load(&e->stats.no_space));
            if (atomic_load(&e->stats.no_space) && !atomic_load(&e->queue))
                look_for_room(e);
        } else {
            sched_yield(); /* somebody is between counting itself and queueing */
        }
        view_cache_sweep(e, false);
        garbage = versions_reclaim(&e->versions);
    }
    vec_fini(&b.events);
    vec_fini(&b.retired);
    vec_fini(&b.packed);
    return NULL;
}

int writer_start(struct embedded *e, struct err *err)
{
    pthread_condattr_t attr;
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&e->sleep_cond, &attr);
    pthread_condattr_destroy(&attr);
    pthread_mutex_init(&e->sleep_lock, NULL);
    int r = pthread_create(&e->writer, NULL, writer_run, e);
    if (r)
        return err_sys(err, r, "cannot start the store's writer");
    pthread_setname_np(e->writer, "store-writer");
    return 0;
}

void writer_stop(struct embedded *e)
{
    atomic_store(&e->closing, true);
    pthread_mutex_lock(&e->sleep_lock);
    pthread_cond_signal(&e->sleep_cond);
    pthread_mutex_unlock(&e->sleep_lock);
    pthread_join(e->writer, NULL);
    pthread_cond_destroy(&e->sleep_cond);
    pthread_mutex_destroy(&e->sleep_lock);
}
