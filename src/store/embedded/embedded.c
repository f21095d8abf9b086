/* SPDX-License-Identifier: Apache-2.0 */
#include "store/embedded/embedded.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "rt/failpoint.h"
#include "store/embedded/internal.h"
#include "store/embedded/recover.h"
#include "store/embedded/snapshot.h"
#include "store/pack.h"

#define SNAPSHOT_BYTES (64u << 20)
#define PACK_ABOVE_BYTES (384u << 20) /* or PACK_ABOVE_SHARE of a small machine's memory; below, nobody lacks it, and reading plain values is cheaper */
#define PACK_ABOVE_SHARE 16
/* A log longer than this, and than a quarter of the live data, is turned into a snapshot when the store is closed: the next start then
 * reads less, and closing does not take longer than that saves. */
#define CLOSE_SNAPSHOT_BYTES (32u << 20)

/* --- reading ------------------------------------------------------------------------------------------------------ */

struct version *embedded_version_take(struct embedded *e)
{
    size_t slot;
    struct version *v = version_ref(version_enter(&e->versions, &slot));
    version_leave(&e->versions, slot);
    return v;
}

static rev_t embedded_revision(struct store *s)
{
    struct embedded *e = embedded_of(s);
    size_t slot;
    rev_t rev = version_enter(&e->versions, &slot)->rev;
    version_leave(&e->versions, slot);
    return rev;
}

static rev_t embedded_compacted_revision(struct store *s)
{
    return atomic_load(&embedded_of(s)->history.compacted);
}

static struct store_kv *embedded_get(struct store *s, str key)
{
    struct embedded *e = embedded_of(s);
    size_t slot;
    struct store_kv *kv = tree_get(version_enter(&e->versions, &slot)->root, key);
    if (kv)
        store_kv_ref(kv);
    version_leave(&e->versions, slot);
    if (!kv || !kv->is_packed)
        return kv;
    struct store_kv *plain = pack_plain(kv);
    store_kv_unref(kv);
    return plain;
}

static int embedded_watch_open(struct store *s, str prefix, rev_t after, void (*wake)(void *arg), void *arg, struct store_watch **ret,
                               struct err *err)
{
    return watch_open(&embedded_of(s)->hub, &embedded_ops, prefix, after, wake, arg, ret, err);
}

/* --- keeping ------------------------------------------------------------------------------------------------------ */

static int embedded_compact(struct store *s, rev_t upto, struct err *err)
{
    rev_t newest = embedded_revision(s);
    if (upto > newest)
        return err_set(err, E_INVALID_ARG, "revision %llu does not exist yet, the newest is %llu", (unsigned long long)upto,
                       (unsigned long long)newest);
    FAILPOINT("store.compact");
    history_compact(&embedded_of(s)->history, upto);
    return 0;
}

static int embedded_snapshot(struct store *s, const char *path, struct err *err)
{
    struct embedded *e = embedded_of(s);
    struct version *v = embedded_version_take(e);
    int r = snapshot_write(AT_FDCWD, path, e->id, v->root, v->rev, true, err);
    version_unref(v);
    return r;
}

static void embedded_stats(struct store *s, struct store_stats *ret)
{
    struct embedded *e = embedded_of(s);
    size_t events, bytes;
    history_count(&e->history, &events, &bytes);
    *ret = (struct store_stats){
        .keys = atomic_load(&e->stats.keys),
        .bytes_live = atomic_load(&e->stats.bytes_live),
        .packed_keys = atomic_load(&e->stats.packed_keys),
        .packed_bytes = atomic_load(&e->stats.packed_bytes),
        .packed_resident_bytes = atomic_load(&e->stats.packed_resident),
        .events_kept = events,
        .bytes_kept = bytes,
        .txns = atomic_load(&e->stats.txns),
        .batches = atomic_load(&e->stats.batches),
        .fsyncs = atomic_load(&e->stats.fsyncs),
        .fsync_ns_total = atomic_load(&e->stats.fsync_ns),
        .wal_bytes = atomic_load(&e->stats.wal_bytes),
        .snapshots = atomic_load(&e->stats.snapshots),
        .failed = atomic_load(&e->stats.failed),
        .no_space = atomic_load(&e->stats.no_space),
    };
}

/* --- closing ------------------------------------------------------------------------------------------------------ */

/* With a record after it, damage to the last change is not taken for a torn end at the next start. */
static void close_log(struct embedded *e)
{
    if (atomic_load(&e->stats.failed))
        return;
    struct err err = ERR_NONE;
    uint64_t close_at = MAX((uint64_t)CLOSE_SNAPSHOT_BYTES, atomic_load(&e->stats.bytes_live) / 4);
    FAILPOINT("store.close.before_marker");
    wal_record_begin(&e->wal);
    int r = wal_append(&e->wal, embedded_revision(&e->store) + 1, 0, &err);
    if (r == 0)
        r = wal_sync(&e->wal, &err);
    if (r == 0 && e->keep.wal_bytes >= close_at) {
        r = wal_segment_begin(&e->wal, e->wal.number + 1, embedded_revision(&e->store), &err);
        if (r == 0)
            r = keeper_snapshot(e, &err);
    }
    if (r < 0)
        log_warn("the store was not closed tidily; nothing is lost, the next start takes longer", KV("error", "%s", err.msg));
    /* Space that was allocated ahead. */
    err_ignore(ftruncate(e->wal.fd, (off_t)e->wal.end), "only space");
}

/* Also of a store that was opened half. */
static void embedded_free(struct embedded *e)
{
    wal_fini(&e->wal);
    if (e->dirfd >= 0)
        close(e->dirfd);
    if (e->lockfd >= 0)
        close(e->lockfd);
    pthread_mutex_destroy(&e->views.lock);
    free(e);
}

static void unload(struct embedded *e)
{
    view_cache_sweep(e, true);
    history_fini(&e->history);
    watch_hub_fini(&e->hub);
    /* Memory that a forgotten view still reads is left to it. */
    if (!versions_fini(&e->versions))
        log_error("the store was closed before all its views");
}

static void embedded_close(struct store *s)
{
    struct embedded *e = embedded_of(s);
    writer_stop(e);
    packer_stop(e);
    keeper_stop(e);
    close_log(e);
    unload(e);
    embedded_free(e);
}

/* --- opening ------------------------------------------------------------------------------------------------------ */

int embedded_folder_open(const char *dir, bool make, int *ret_fd, struct err *err)
{
    if (make && mkdir(dir, 0700) < 0 && errno != EEXIST)
        return err_sys(err, errno, "cannot make the store's folder %s", dir);
    int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return err_sys(err, errno, "cannot open the store's folder %s", dir);
    *ret_fd = fd;
    return 0;
}

int embedded_lock_folder(const char *dir, int dirfd, int *ret_fd, struct err *err)
{
    int fd = openat(dirfd, FORMAT_LOCK_NAME, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0)
        return err_sys(err, errno, "cannot make the lock file in %s", dir);
    char pid[32] = "";
    if (flock(fd, LOCK_EX | LOCK_NB) < 0) {
        size_t len = 0;
        if (format_read_all(fd, pid, sizeof pid - 1, 0, &len) != 0 || len == 0)
            snprintf(pid, sizeof pid, "unknown");
        close(fd);
        str text = str_trim(str_of(pid));
        return err_set(err, E_BUSY, "the store in %s is in use by process " STR_FMT "; stop that one first", dir, STR_ARG(text));
    }
    int len = snprintf(pid, sizeof pid, "%ld\n", (long)getpid());
    /* The pid is for the sentence above; the lock holds without it, also on a full disk. */
    if (ftruncate(fd, 0) == 0)
        err_ignore(format_write_all(fd, pid, (size_t)len, 0), "for people only");
    *ret_fd = fd;
    return 0;
}

static void remove_unfinished(int dirfd)
{
    int fd = openat(dirfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    if (!dir)
        return;
    for (struct dirent *d; (d = readdir(dir));) {
        if (str_has_suffix(str_of(d->d_name), S(".tmp")))
            unlinkat(dirfd, d->d_name, 0);
    }
    closedir(dir);
}

static int write_id(struct embedded *e, struct err *err)
{
    STRBUF_AUTO text = STRBUF_HEAP;
    strbuf_add_str(&text, S("coxswain store 1\n"));
    for (size_t i = 0; i < FORMAT_ID_BYTES; i++)
        strbuf_addf(&text, "%02x", e->id[i]);
    strbuf_add_char(&text, '\n');
    int fd = openat(e->dirfd, FORMAT_ID_NAME, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0)
        return err_sys(err, errno, "cannot make %s", FORMAT_ID_NAME);
    int r = format_write_all(fd, text.p, text.len, 0);
    if (r == 0 && !e->opts.no_fsync && fsync(fd) < 0)
        r = errno;
    close(fd);
    if (r == 0 && !e->opts.no_fsync)
        r = format_sync_folder(e->dirfd, FORMAT_ID_NAME);
    return r ? err_sys(err, r, "cannot write %s", FORMAT_ID_NAME) : 0;
}

/* The log goes on where recovery stopped reading, or in a new segment. */
static int open_log(struct embedded *e, struct recovered *r, struct err *err)
{
    wal_init(&e->wal, e->dirfd, e->id, !e->opts.no_fsync);
    e->wal.segment_bytes = e->opts.segment_bytes;
    for (size_t i = 0; i < r->segments.len; i++)
        vec_push(&e->wal.segments, r->segments.p[i]);
    uint64_t last = r->segments.len ? r->segments.p[r->segments.len - 1].number : 0;
    int result;
    if (last == 0 || r->last_rev < r->rev)
        result = wal_segment_begin(&e->wal, last + 1, r->rev, err);
    else
        result = wal_segment_continue(&e->wal, last, r->last_end, err);
    if (result == 0 && r->torn_bytes)
        log_warn("the log ended in the middle of a write that was never acknowledged; it was cut off there",
                 KV("revision", "%llu", (unsigned long long)r->rev), KV("bytes", "%llu", (unsigned long long)r->torn_bytes));
    if (result == 0 && r->snap_rev)
        wal_forget(&e->wal, r->snap_rev);
    return result;
}

static void remove_old_snapshots(struct embedded *e)
{
    struct recover_files files;
    if (recover_list(e->dirfd, &files, NULL) < 0)
        return;
    for (size_t i = 0; i < files.snaps.len; i++) {
        char name[FORMAT_NAME_BYTES];
        format_snap_name(files.snaps.p[i], name);
        if (files.snaps.p[i] < e->keep.snap_rev)
            unlinkat(e->dirfd, name, 0);
    }
    recover_files_fini(&files);
}

/* From files to a store without threads. */
static int load(struct embedded *e, struct err *err)
{
    struct recovered rec;
    history_init(&e->history, e->opts.history_events, e->opts.history_bytes, 1);
    int r = recover_read(e->dirfd, &e->history, &rec, err);
    if (r < 0) {
        history_fini(&e->history);
        return r;
    }
    bool whole_id = getrandom(e->id, sizeof e->id, 0) == sizeof e->id; /* for a new store */
    if (!rec.fresh)
        memcpy(e->id, rec.id, sizeof e->id);
    else if (!whole_id)
        r = err_sys(err, errno, "no random bytes for the store's id");
    versions_init(&e->versions, rec.root, rec.rev);
    watch_hub_init(&e->hub, &e->history, &e->versions, rec.rev);
    remove_unfinished(e->dirfd);
    if (r == 0)
        r = open_log(e, &rec, err);
    if (r == 0)
        r = write_id(e, err);
    e->keep.snap_rev = rec.snap_rev;
    e->keep.wal_bytes = rec.wal_bytes;
    atomic_store(&e->newest, rec.rev);
    atomic_store(&e->stats.keys, tree_len(rec.root));
    atomic_store(&e->stats.bytes_live, rec.bytes);
    recovered_fini(&rec);
    if (r == 0)
        remove_old_snapshots(e);
    else
        unload(e);
    return r;
}

static uint64_t pack_above_default(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    uint64_t memory = pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size : UINT64_MAX;
    return MIN((uint64_t)PACK_ABOVE_BYTES, memory / PACK_ABOVE_SHARE);
}

static struct embedded *embedded_new(const struct store_embedded_opts *opts)
{
    struct embedded *e = xnew(struct embedded);
    e->store.ops = &embedded_ops;
    e->dirfd = e->lockfd = e->wal.fd = -1;
    if (opts)
        e->opts = *opts;
    struct store_embedded_opts *o = &e->opts;
    o->history_events = o->history_events ? o->history_events : LIMIT_STORE_HISTORY;
    o->history_bytes = o->history_bytes ? o->history_bytes : LIMIT_STORE_HISTORY_BYTES;
    o->snapshot_bytes = o->snapshot_bytes ? o->snapshot_bytes : SNAPSHOT_BYTES;
    o->segment_bytes = o->segment_bytes ? o->segment_bytes : WAL_SEGMENT_BYTES;
    o->pack_above = o->pack_above ? o->pack_above : pack_above_default();
    e->clock = o->clock ? o->clock : &clock_real;
    pthread_mutex_init(&e->views.lock, NULL);
    return e;
}

static int start(struct embedded *e, struct err *err)
{
    int r = keeper_start(e, err);
    if (r < 0)
        return r;
    r = packer_start(e, err);
    if (r == 0 && (r = writer_start(e, err)) < 0)
        packer_stop(e);
    if (r < 0)
        keeper_stop(e);
    return r;
}

int store_embedded_open(const char *dir, const struct store_embedded_opts *opts, struct store **ret, struct err *err)
{
    struct embedded *e = embedded_new(opts);
    int r = embedded_folder_open(dir, true, &e->dirfd, err);
    if (r == 0)
        r = embedded_lock_folder(dir, e->dirfd, &e->lockfd, err);
    if (r == 0 && (r = load(e, err)) < 0)
        err_wrap(err, "the store in %s cannot be opened: ", dir);
    if (r == 0 && (r = start(e, err)) < 0)
        unload(e);
    if (r < 0) {
        embedded_free(e);
        return r;
    }
    *ret = &e->store;
    return 0;
}

const struct store_ops embedded_ops = {
    .revision = embedded_revision,
    .compacted_revision = embedded_compacted_revision,
    .get = embedded_get,
    .view_open = view_open,
    .view_close = view_close,
    .view_revision = view_revision,
    .view_get = view_get,
    .view_range = view_range,
    .view_count = view_count,
    .submit = writer_submit,
    .watch_open = embedded_watch_open,
    .watch_close = watch_close,
    .watch_next = watch_next,
    .compact = embedded_compact,
    .snapshot = embedded_snapshot,
    .stats = embedded_stats,
    .close = embedded_close,
};
