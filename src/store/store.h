/* store.h - the contract of the store: ordered keys, one revision clock, transactions, watches.
 *
 * It knows keys and bytes, no kinds.  Two implementations can stand behind it: embedded/ (default) and, later, etcd v3;
 * nothing here asks for more than etcd gives.
 *
 *   revision   one 64-bit counter for the whole store; every committed transaction that changes something gets the next one.
 *              All changes of a transaction share it.  Revision 1 is the empty store.
 *   commit     a transaction is answered only after it is durable.  Transactions are committed in the order of their revisions,
 *              and become visible to readers in that order, all of a transaction at once.
 *   snapshot   a view of the store at one revision; readers never block the writer, nor each other.
 *   window     changes are kept for watches and for views of the past until compaction; before that: E_EXPIRED.
 *   mark       a value may hold the decimal revision of its own commit (Kubernetes' resourceVersion): put.rev_at is the
 *              offset where the store inserts it.  What is read back has it inside.  (etcd: insert on read from mod_revision;
 *              the offset is kept in front of the value.)
 *
 * Threads: all functions may be called from any thread, unless they say otherwise.  Completion and wake-up callbacks run on the
 * store's writer thread and must only post a message and return.
 * Ownership: keys and values are reference-counted and immutable (struct store_kv); whoever is handed one unrefs it.
 * Limits: LIMIT_STORE_KEY_BYTES, LIMIT_OBJECT_BYTES a value, LIMIT_STORE_QUEUE waiting transactions (then E_BUSY). */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stdatomic.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/str.h"

typedef uint64_t rev_t;

struct store;
struct store_view;
struct store_watch;

/* One version of one key.  Immutable. */
struct store_kv {
    _Atomic uint32_t refs;
    uint32_t value_len;
    rev_t create_rev;  /* revision in which the key came to be */
    rev_t mod_rev;     /* revision of this version */
    uint32_t key_len : 31;
    uint32_t is_packed : 1; /* an implementation's own form (pack.h); nobody outside is ever handed one */
    uint32_t rev_at;   /* where the revision stands in the value, 0: none */
    char data[];       /* key, NUL, value, NUL */
};
static inline str store_kv_key(const struct store_kv *kv)
{
    return str_n(kv->data, kv->key_len);
}
static inline str store_kv_value(const struct store_kv *kv)
{
    return str_n(kv->data + kv->key_len + 1, kv->value_len);
}
struct store_kv *store_kv_ref(struct store_kv *kv);
void store_kv_unref(struct store_kv *kv); /* NULL is fine */
DEFINE_CLEANUP(struct store_kv *, store_kv_unref)

/* --- reading ------------------------------------------------------------------------------------ */

rev_t store_revision(struct store *s);           /* newest visible revision */
rev_t store_compacted_revision(struct store *s); /* oldest revision that can still be read, watched from */

/* Newest version of a key; NULL when there is none. */
struct store_kv *store_get(struct store *s, str key) MUST_CHECK;

/* A view at revision `at`, 0 for the newest.  E_EXPIRED before the window, E_TIMEOUT for a revision that does not exist yet. */
int store_view_open(struct store *s, rev_t at, struct store_view **ret, struct err *err) MUST_CHECK;
void store_view_close(struct store_view *v); /* NULL is fine */
DEFINE_CLEANUP(struct store_view *, store_view_close)
rev_t store_view_revision(const struct store_view *v);
/* A reference, NULL when there is none. */
struct store_kv *store_view_get(struct store_view *v, str key) MUST_CHECK;
/* Calls each(kv) for keys in [from, end) in order until it returns false.  end "" means: no end.  kv is borrowed for the call.
 * Returns the number of calls. */
size_t store_view_range(struct store_view *v, str from, str end, bool (*each)(void *arg, const struct store_kv *kv),
                        void *arg);
/* Number of keys in [from, end), without visiting them one by one. */
size_t store_view_count(struct store_view *v, str from, str end);
/* The end that makes [prefix, end) hold exactly the keys with that prefix. */
str store_prefix_end(struct arena *a, str prefix);

/* --- writing ------------------------------------------------------------------------------------ */

enum store_op_type { STORE_PUT, STORE_DELETE };

/* The key's version must be what the caller saw: mod_rev, or 0 for "does not exist".  STORE_ANY_REV: no condition. */
#define STORE_ANY_REV UINT64_MAX
struct store_op {
    enum store_op_type type;
    str key;
    str value;       /* PUT */
    uint32_t rev_at; /* PUT: insert the decimal revision here, 0: nowhere */
    rev_t expect;    /* mod_rev, 0 or STORE_ANY_REV */
    /* Filled in the result: */
    struct store_kv *kv;   /* PUT: the new version.  DELETE: the last version.  A failed compare: what is there, or NULL.
                              A reference the caller unrefs. */
};
/* A transaction: either every op's expectation holds and all are applied under one revision, or nothing changes.  Bytes are copied
 * by store_submit. */
struct store_txn {
    struct store_op *ops;
    size_t nops;
    /* result, valid in done() */
    int result;       /* 0, -E_CONFLICT (some expectation failed), -E_BUSY, -E_NO_SPACE, -E_IO, -E_UNAVAILABLE */
    rev_t revision;   /* of the commit; 0 when nothing changed (deletes of absent keys only) */
    size_t failed_op; /* E_CONFLICT: index of the first op that failed */
    struct err err;
    void (*done)(struct store_txn *txn); /* on the writer thread */
    void *owner;
    struct store_txn *next_;
};
/* Queues the transaction; the struct and its ops array stay with the caller until done() runs.  Returns -E_BUSY or -E_UNAVAILABLE at
 * once, without calling done(), when the queue is full or the store is shutting down or has failed; -E_INVALID_ARG or -E_TOO_LARGE
 * for a limit that is broken or a key named twice. */
int store_submit(struct store *s, struct store_txn *txn) MUST_CHECK;
/* The same and waits: for start-up, tools and tests; never on an io thread. */
int store_commit(struct store *s, struct store_txn *txn) MUST_CHECK;

/* --- watching ------------------------------------------------------------------------------------- */

struct store_event {
    rev_t rev;
    enum store_op_type type;
    struct store_kv *kv;   /* PUT: new version; DELETE: the last version (its mod_rev is older than rev) */
    struct store_kv *prev; /* version before, NULL for a create */
};

/* Watches keys with `prefix` ("" all) from after revision `after`.  wake(arg) runs on the writer thread each time new events may be
 * there after next() had none.  E_EXPIRED when `after` is before the window. */
int store_watch_open(struct store *s, str prefix, rev_t after, void (*wake)(void *arg), void *arg, struct store_watch **ret,
                     struct err *err) MUST_CHECK;
void store_watch_close(struct store_watch *w); /* after it returns, wake() does not run any more */
/* Up to max events in revision order, none left out, none twice; holds a reference on kv and prev of each (store_events_release).
 * Returns the number, or -E_EXPIRED when the watcher fell behind the window: close it and list again.
 * One thread at a time per watch.  *ret_rev is the revision up to which the watcher has now seen everything (for bookmarks). */
int store_watch_next(struct store_watch *w, struct store_event *events, size_t max, rev_t *ret_rev) MUST_CHECK;
void store_events_release(struct store_event *events, size_t n);

/* --- keeping ---------------------------------------------------------------------------------------- */

/* Forgets changes up to and including `upto`; views and watches from before are E_EXPIRED.  Runs by itself, too (limits.h). */
int store_compact(struct store *s, rev_t upto, struct err *err) MUST_CHECK;
/* Writes the newest state to a file of its own that store_embedded_restore can read. */
int store_snapshot(struct store *s, const char *path, struct err *err) MUST_CHECK;
void store_close(struct store *s); /* waits for queued transactions */

struct store_stats {
    uint64_t keys, bytes_live, events_kept, bytes_kept;
    uint64_t packed_keys, packed_bytes, packed_resident_bytes; /* that are kept compressed: how many, their bytes, what those take */
    uint64_t txns, batches, fsyncs, fsync_ns_total, wal_bytes, snapshots;
    bool failed;      /* a write or fsync failed: nothing is acknowledged any more */
    bool no_space;    /* disk full: writes fail with E_NO_SPACE and are retried when space returns */
};
void store_stats(struct store *s, struct store_stats *ret);

/* The vtable an implementation fills; the functions above call through it. */
struct store_ops;
struct store {
    const struct store_ops *ops;
};
