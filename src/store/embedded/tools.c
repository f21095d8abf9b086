/* tools.c - what is done to a store that nobody has open: check, compact, restore. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <sys/random.h>
#include <unistd.h>

#include "store/embedded/internal.h"
#include "store/embedded/recover.h"
#include "store/embedded/snapshot.h"

typedef unsigned long long ull;

static void close_fd(int fd)
{
    if (fd >= 0)
        close(fd);
}

/* --- check -------------------------------------------------------------------------------------------------------- */

struct segment_facts {
    rev_t first, last;
};

static int note_record(void *arg, const struct wal_record *r, struct err *err)
{
    (void)err;
    struct segment_facts *f = arg;
    if (f->first == 0)
        f->first = r->first_rev;
    f->last = r->first_rev + r->ntxns - 1;
    return 0;
}

static void report_scan(struct strbuf *report, const struct wal_scan *s, const struct segment_facts *f, size_t size)
{
    strbuf_addf(report, "%llu records, %llu transactions", (ull)s->records, (ull)s->txns);
    if (s->txns)
        strbuf_addf(report, ", revisions %llu to %llu", (ull)f->first, (ull)f->last);
    if (s->tail == WAL_TAIL_CLEAN)
        strbuf_add_str(report, S(", good\n"));
    else if (s->tail == WAL_TAIL_TORN)
        strbuf_addf(report, ", then %llu bytes that are no record\n", (ull)(size - s->end));
    else
        strbuf_addf(report, ", DAMAGED at byte %llu, good records go on at byte %llu\n", (ull)s->end, (ull)s->next_good);
}

static void check_segment(int dirfd, uint64_t number, struct strbuf *report)
{
    char name[FORMAT_NAME_BYTES];
    struct err err = ERR_NONE;
    format_wal_name(number, name);
    strbuf_addf(report, "%s: ", name);
    str bytes;
    if (recover_slurp(dirfd, name, &bytes, &err) < 0) {
        strbuf_addf(report, "%s\n", err.msg);
        return;
    }
    struct format_header h;
    struct wal_scan s;
    struct segment_facts facts = {0};
    if (format_header_decode(bytes, FORMAT_WAL_MAGIC, name, &h, &err) < 0 || wal_scan(bytes, &h, note_record, &facts, &s, &err) < 0)
        strbuf_addf(report, "%s\n", err.msg);
    else
        report_scan(report, &s, &facts, bytes.len);
    free((void *)(uintptr_t)bytes.p);
}

static void check_snapshot(int dirfd, rev_t rev, struct strbuf *report)
{
    char name[FORMAT_NAME_BYTES];
    struct err err = ERR_NONE;
    struct recovered rec = {0};
    struct tree_node *root = NULL;
    format_snap_name(rev, name);
    if (recover_snapshot(dirfd, rev, &root, &rec, &err) < 0)
        strbuf_addf(report, "%s: %s\n", name, err.msg);
    else
        strbuf_addf(report, "%s: revision %llu, %zu keys, %llu bytes, good\n", name, (ull)rev, tree_len(root), (ull)rec.bytes);
    tree_free(root);
}

static int check_folder(int dirfd, struct strbuf *report, struct err *err)
{
    struct recover_files files;
    int r = recover_list(dirfd, &files, err);
    if (r < 0)
        return r;
    for (size_t i = 0; i < files.snaps.len; i++)
        check_snapshot(dirfd, files.snaps.p[i], report);
    for (size_t i = 0; i < files.segments.len; i++)
        check_segment(dirfd, files.segments.p[i], report);
    recover_files_fini(&files);
    struct recovered rec;
    r = recover_read(dirfd, NULL, &rec, err);
    if (r < 0) {
        strbuf_addf(report, "The store can not be opened: %s\n", err ? err->msg : "damaged");
        return r;
    }
    if (rec.fresh)
        strbuf_add_str(report, S("There is no store here yet.\n"));
    else
        strbuf_addf(report, "The store is good: revision %llu, %zu keys, %llu bytes.\n", (ull)rec.rev, tree_len(rec.root),
                    (ull)rec.bytes);
    if (rec.torn_bytes)
        strbuf_addf(report, "The last %llu bytes of the log were never acknowledged; the next start cuts them off.\n",
                    (ull)rec.torn_bytes);
    tree_free(rec.root);
    recovered_fini(&rec);
    return 0;
}

int store_embedded_check(const char *dir, struct strbuf *report, struct err *err)
{
    int dirfd = -1, lockfd = -1;
    int r = embedded_folder_open(dir, false, &dirfd, err);
    if (r == 0)
        r = embedded_lock_folder(dir, dirfd, &lockfd, err);
    if (r == 0)
        r = check_folder(dirfd, report, err);
    close_fd(lockfd);
    close_fd(dirfd);
    return r;
}

/* --- compact, restore ------------------------------------------------------------------------------------------------ */

int store_embedded_compact(const char *dir, struct err *err)
{
    int dirfd = -1;
    int r = embedded_folder_open(dir, false, &dirfd, err);
    if (r < 0)
        return r;
    close_fd(dirfd);
    struct store *s;
    r = store_embedded_open(dir, NULL, &s, err);
    if (r < 0)
        return r;
    struct embedded *e = embedded_of(s);
    /* Nobody writes: the log may be turned to a new segment from here. */
    r = wal_segment_begin(&e->wal, e->wal.number + 1, store_revision(s), err);
    if (r == 0)
        r = keeper_snapshot(e, err);
    store_close(s);
    return r;
}

static int restore_into(int dirfd, const char *snapshot_path, struct err *err)
{
    struct recover_files files;
    int r = recover_list(dirfd, &files, err);
    if (r < 0)
        return r;
    bool taken = files.has_id || files.snaps.len || files.segments.len;
    recover_files_fini(&files);
    if (taken)
        return err_set(err, E_EXISTS, "there is a store in that folder already; restore into an empty one");
    int fd = open(snapshot_path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return err_sys(err, errno, "cannot open %s", snapshot_path);
    struct snapshot snap;
    r = snapshot_read(fd, snapshot_path, RECOVER_TAG, &snap, err);
    close_fd(fd);
    if (r < 0)
        return r;
    char name[FORMAT_NAME_BYTES];
    uint8_t id[FORMAT_ID_BYTES];
    format_snap_name(snap.rev, name);
    /* A new id: log files of the store it was taken from do not fit this one any more. */
    if (getrandom(id, sizeof id, 0) != sizeof id)
        r = err_sys(err, errno, "no random bytes for the store's id");
    if (r == 0)
        r = snapshot_write(dirfd, name, id, snap.root, snap.rev, true, err);
    tree_free(snap.root);
    return r;
}

int store_embedded_restore(const char *snapshot_path, const char *new_dir, struct err *err)
{
    int dirfd = -1, lockfd = -1;
    int r = embedded_folder_open(new_dir, true, &dirfd, err);
    if (r == 0)
        r = embedded_lock_folder(new_dir, dirfd, &lockfd, err);
    if (r == 0)
        r = restore_into(dirfd, snapshot_path, err);
    close_fd(lockfd);
    close_fd(dirfd);
    return r;
}
