/* keeper.c - the background thread: snapshots, old files, memory given back.
 *
 * When the log since the last snapshot is longer than the live data (and than snapshot_bytes), the writer begins a new segment and
 * asks for a snapshot.  Any version from then on holds all that the older segments hold, so they go once it is on disk.  The sum of
 * log and snapshot stays near twice the live data, and each live byte is written about once more. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <malloc.h>
#include <unistd.h>

#include "base/log.h"
#include "rt/failpoint.h"
#include "store/embedded/internal.h"
#include "store/embedded/snapshot.h"

#define TRIM_BYTES (32u << 20) /* what is held in memory shrank by this: worth walking the heap for */
#define ROTATE_AGAIN_BYTES (1u << 20) /* logged until a new segment is tried again after there was no room for one */

int keeper_snapshot(struct embedded *e, struct err *err)
{
    struct version *v = embedded_version_take(e);
    rev_t rev = v->rev, before = e->keep.snap_rev;
    char name[FORMAT_NAME_BYTES];
    format_snap_name(rev, name);
    int r = rev == before ? 0 : snapshot_write(e->dirfd, name, e->id, v->root, rev, !e->opts.no_fsync, err);
    version_unref(v);
    if (r < 0)
        return r;
    e->keep.snap_rev = rev;
    FAILPOINT("store.snap.before_delete");
    if (before && before != rev) {
        format_snap_name(before, name);
        if (unlinkat(e->dirfd, name, 0) < 0 && errno != ENOENT)
            log_warn("an old snapshot cannot be deleted", KV("file", "%s", name), KV("error", "%s", strerror(errno)));
    }
    wal_forget(&e->wal, rev);
    FAILPOINT("store.snap.after_delete");
    atomic_fetch_add(&e->stats.snapshots, 1);
    return 0;
}

static void *keeper_run(void *arg)
{
    struct embedded *e = arg;
    pthread_mutex_lock(&e->keep.lock);
    while (!e->keep.quit) {
        bool snapshot = e->keep.snapshot, trim = e->keep.trim;
        e->keep.snapshot = e->keep.trim = false;
        if (!snapshot && !trim) {
            pthread_cond_wait(&e->keep.cond, &e->keep.lock);
            continue;
        }
        pthread_mutex_unlock(&e->keep.lock);
        struct err err = ERR_NONE;
        if (snapshot && keeper_snapshot(e, &err) < 0)
            log_warn("no snapshot could be written; the log grows until the next try", KV("error", "%s", err.msg));
        if (snapshot)
            atomic_store(&e->keep.busy, false);
        if (trim)
            malloc_trim(0);
        pthread_mutex_lock(&e->keep.lock);
    }
    pthread_mutex_unlock(&e->keep.lock);
    return NULL;
}

static void wish(struct embedded *e, bool *what)
{
    pthread_mutex_lock(&e->keep.lock);
    *what = true;
    pthread_cond_signal(&e->keep.cond);
    pthread_mutex_unlock(&e->keep.lock);
}

/* Begins a segment; without room for one the log goes on in the old.  True: the log can not be trusted any more. */
static bool rotate(struct embedded *e, rev_t rev)
{
    struct err err = ERR_NONE;
    int r = wal_segment_begin(&e->wal, e->wal.number + 1, rev, &err);
    e->wal.segment_bytes = r == 0 ? e->opts.segment_bytes : e->wal.end + ROTATE_AGAIN_BYTES;
    if (r == 0)
        return false;
    log_warn("no new log file could be begun", KV("error", "%s", err.msg));
    return r != -E_NO_SPACE;
}

void keeper_batch_done(struct embedded *e, uint64_t logged, bool *ret_failed)
{
    uint64_t live = atomic_load(&e->stats.bytes_live);
    e->keep.wal_bytes += logged;
    bool snapshot = e->keep.wal_bytes >= MAX(e->opts.snapshot_bytes, live) && !atomic_load(&e->keep.busy);
    if (snapshot || e->wal.end >= e->wal.segment_bytes)
        *ret_failed = rotate(e, atomic_load(&e->newest));
    if (snapshot && !*ret_failed) {
        e->keep.wal_bytes = 0;
        atomic_store(&e->keep.busy, true);
        wish(e, &e->keep.snapshot);
    }
    size_t events, kept;
    history_count(&e->history, &events, &kept);
    e->keep.held_peak = MAX(e->keep.held_peak, live + kept);
    if (e->keep.held_peak - live - kept >= TRIM_BYTES) {
        e->keep.held_peak = live + kept;
        wish(e, &e->keep.trim);
    }
}

int keeper_start(struct embedded *e, struct err *err)
{
    pthread_mutex_init(&e->keep.lock, NULL);
    pthread_cond_init(&e->keep.cond, NULL);
    int r = pthread_create(&e->keep.thread, NULL, keeper_run, e);
    if (r)
        return err_sys(err, r, "cannot start the store's keeper");
    pthread_setname_np(e->keep.thread, "store-keeper");
    return 0;
}

void keeper_stop(struct embedded *e)
{
    wish(e, &e->keep.quit);
    pthread_join(e->keep.thread, NULL);
    pthread_cond_destroy(&e->keep.cond);
    pthread_mutex_destroy(&e->keep.lock);
}
