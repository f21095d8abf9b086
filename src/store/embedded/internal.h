/* internal.h - the state of an open embedded store, for the files of this folder.
 *
 *     embedded.c  opening, closing, the vtable       writer.c  queue and group commit
 *     view.c      views, also of the past            keeper.c  snapshots in the background, memory given back
 *     packer.c    compresses what is cold, when the values take much memory
 * Threads: each field says whose it is; without a word it is fixed while the store is open.
 * Locks, in the order they may be taken: views.lock, history.lock; hub.lock; wal.lock; the rest alone. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <pthread.h>

#include "store/embedded/embedded.h"
#include "store/embedded/history.h"
#include "store/embedded/wal.h"
#include "store/embedded/watch.h"

#define VIEW_CACHE 8
#define PACK_OFFER 128 /* versions that a batch exchanges for packed ones at most */

struct pack_pair {
    struct store_kv *plain, *packed; /* a reference on each */
};

struct view;

struct embedded {
    struct store store;
    struct store_embedded_opts opts;
    const struct clock *clock;
    int dirfd, lockfd;
    uint8_t id[FORMAT_ID_BYTES];

    struct versions versions;
    struct history history;
    struct watch_hub hub;
    struct wal wal; /* writer */

    /* Submitted transactions, newest first; the writer takes them all at once. */
    _Atomic(struct store_txn *) queue;
    _Atomic uint32_t waiting; /* submitted and not answered */
    _Atomic rev_t newest;     /* for a guess at the next revision's length */
    _Atomic bool closing;
    pthread_t writer;
    pthread_mutex_t sleep_lock; /* only for the writer to sleep and to be woken */
    pthread_cond_t sleep_cond;
    _Atomic bool asleep;

    struct {
        pthread_mutex_t lock;
        struct view *kept[VIEW_CACHE];
        size_t next;
        nsec_t swept_at; /* writer */
    } views;

    struct {
        pthread_t thread;
        pthread_mutex_t lock; /* guards the three wishes */
        pthread_cond_t cond;
        bool snapshot, trim, quit;
        _Atomic bool busy;        /* a snapshot is wanted or being written */
        uint64_t wal_bytes;       /* logged since the last snapshot was begun; writer */
        uint64_t held_peak;       /* most bytes of live data and history since memory was given back; writer */
        rev_t snap_rev;           /* newest snapshot file, 0: none; keeper, or who holds the store alone */
    } keep;

    struct {
        pthread_t thread;
        pthread_mutex_t lock; /* guards wanted, quit, offered and the pairs */
        pthread_cond_t cond;
        bool wanted, quit, offered;
        struct pack_pair pairs[PACK_OFFER];
        size_t npairs;
        _Atomic bool is_offered;  /* the same as offered, for a look without the lock */
        _Atomic nsec_t next_at;   /* monotonic: no round before */
    } pack;

    struct {
        _Atomic uint64_t packed_keys, packed_bytes, packed_resident; /* of the current version */
        _Atomic uint64_t keys, bytes_live, txns, batches, fsyncs, fsync_ns, wal_bytes, snapshots;
        _Atomic bool failed, no_space;
    } stats;
};

static inline struct embedded *embedded_of(struct store *s)
{
    return container_of(s, struct embedded, store);
}

extern const struct store_ops embedded_ops;

/* writer.c */
int writer_start(struct embedded *e, struct err *err) MUST_CHECK;
void writer_stop(struct embedded *e); /* answers everything that waits */
int writer_submit(struct store *s, struct store_txn *txn);

/* view.c */
int view_open(struct store *s, rev_t at, struct store_view **ret, struct err *err);
void view_close(struct store_view *v);
rev_t view_revision(const struct store_view *v);
struct store_kv *view_get(struct store_view *v, str key);
size_t view_range(struct store_view *v, str from, str end, bool (*each)(void *arg, const struct store_kv *kv), void *arg);
size_t view_count(struct store_view *v, str from, str end);
/* Lets go of past views that nobody asked for lately, or that fell out of the window.  all: of every one. */
void view_cache_sweep(struct embedded *e, bool all);

/* keeper.c */
int keeper_start(struct embedded *e, struct err *err) MUST_CHECK;
void keeper_stop(struct embedded *e);
/* Writer, after a batch of so many logged bytes. */
void keeper_batch_done(struct embedded *e, uint64_t logged, bool *ret_failed);
/* Writes a snapshot of the current version into the folder and deletes what it makes superfluous. */
int keeper_snapshot(struct embedded *e, struct err *err) MUST_CHECK;

/* packer.c */
int packer_start(struct embedded *e, struct err *err) MUST_CHECK;
void packer_stop(struct embedded *e); /* after the writer's end */
uint64_t packer_plain_bytes(struct embedded *e); /* of values that are not packed */
/* Writer: asks for a round when it is time. */
void packer_batch_done(struct embedded *e);
/* Writer: what is offered, with its references; 0: nothing. */
size_t packer_take(struct embedded *e, struct pack_pair pairs[PACK_OFFER]);

/* embedded.c */
struct version *embedded_version_take(struct embedded *e); /* the current one, referenced */
int embedded_lock_folder(const char *dir, int dirfd, int *ret_fd, struct err *err) MUST_CHECK;
int embedded_folder_open(const char *dir, bool make, int *ret_fd, struct err *err) MUST_CHECK;
