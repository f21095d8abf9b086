/* What the next start makes of files that were cut, damaged or taken away. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <sys/mount.h>

#include "rt/failpoint.h"
#include "store/embedded/format.h"
#include "store/embedded/test_util.h"

static const struct store_embedded_opts fast = {.no_fsync = true};

static void fails_with(const char *dir, int code, const char *part)
{
    struct err err = ERR_NONE;
    struct store *s = NULL;
    int r = store_embedded_open(dir, &fast, &s, &err);
    T_EQ_INT(r, -code);
    if (r == 0)
        store_close(s);
    if (str_find(str_of(err.msg), str_of(part)) < 0)
        T_FAIL_("\"%s\" does not say \"%s\"", err.msg, part);
}

static void failpoint(const char *spec)
{
    struct err err = ERR_NONE;
    T_NO_ERR(failpoint_set(str_of(spec), &err), &err);
}

/* A store as a crash leaves it: a copy taken while it is open. */
static void make_crashed(const char *dir, const char *copy, int nputs)
{
    struct store *s = must_open(dir, &fast);
    for (int i = 0; i < nputs; i++) {
        char key[32];
        snprintf(key, sizeof key, "/k%d", i);
        T_EQ_INT(put(s, key, "some value"), i + 2);
    }
    dir_copy(dir, copy);
    store_close(s);
}

/* Bytes of the log up to the last record. */
static size_t log_end(const char *path)
{
    int fd = open(path, O_RDONLY);
    size_t size = file_size(path);
    char *p = xmalloc(size);
    BUG_ON(read(fd, p, size) != (ssize_t)size);
    close(fd);
    while (size > 0 && p[size - 1] == 0)
        size--;
    free(p);
    return (size + 7) / 8 * 8;
}

TEST(a_log_cut_at_every_byte_of_the_last_record)
{
    const char *dir = T_TMPDIR();
    char copy[80], again[80], path[400];
    snprintf(copy, sizeof copy, "%s-copy", dir);
    snprintf(again, sizeof again, "%s-again", dir);
    make_crashed(dir, copy, 3);
    dir_newest(copy, "wal-", path, sizeof path);
    size_t end = log_end(path), record = 24 + 4 + 13 + 3 + 10;
    size_t begin = end - (record + 7) / 8 * 8;
    for (size_t cut = begin; cut <= end; cut++) {
        dir_copy(copy, again);
        dir_newest(again, "wal-", path, sizeof path);
        file_truncate(path, cut);
        struct store *s = must_open(again, &fast);
        bool whole = cut >= begin + record;
        T_EQ_INT(store_revision(s), whole ? 4 : 3);
        T_EQ_INT(has_key(s, "/k2"), whole);
        T_VALUE(s, "/k1", "some value");
        T_EQ_INT(put(s, "/after", "x"), whole ? 5 : 4);
        store_close(s);
        s = must_open(again, &fast);
        T_VALUE(s, "/after", "x");
        store_close(s);
    }
    dir_remove(dir);
    dir_remove(copy);
    dir_remove(again);
}

TEST(every_flipped_byte_is_noticed)
{
    const char *dir = T_TMPDIR();
    char copy[80], again[80], path[400];
    snprintf(copy, sizeof copy, "%s-copy", dir);
    snprintf(again, sizeof again, "%s-again", dir);
    make_crashed(dir, copy, 4);
    dir_newest(copy, "wal-", path, sizeof path);
    size_t end = log_end(path), last = end - 56;
    file_truncate(path, end + 4096);
    for (size_t at = 0; at < end; at++) {
        dir_copy(copy, again);
        dir_newest(again, "wal-", path, sizeof path);
        file_flip(path, at);
        struct err err = ERR_NONE;
        struct store *s = NULL;
        int r = store_embedded_open(again, &fast, &s, &err);
        if (at < last) { /* header, or a record with a good one after it; padding may change */
            T_OK(r == -E_CORRUPT || store_revision(s) == 5);
            if (r == 0)
                T_VALUE(s, "/k2", "some value");
        } else { /* no good record follows: as if it had never been acknowledged */
            T_EQ_INT(r, 0);
            T_OK(store_revision(s) == 4 || store_revision(s) == 5);
            T_VALUE(s, "/k2", "some value");
        }
        if (r == 0)
            store_close(s);
    }
    dir_remove(dir);
    dir_remove(copy);
    dir_remove(again);
}

/* After a clean close the last change is followed by a record, so that damage to it is not taken for a torn end. */
TEST(damage_to_the_last_change_of_a_closed_store)
{
    const char *dir = T_TMPDIR();
    char path[400];
    struct store *s = must_open(dir, &fast);
    put(s, "/a", "value");
    store_close(s);
    dir_newest(dir, "wal-", path, sizeof path);
    file_flip(path, FORMAT_HEADER_BYTES + 30);
    fails_with(dir, E_CORRUPT, "cox store check");
    STRBUF_AUTO report = STRBUF_HEAP;
    T_ERR(store_embedded_check(dir, &report, NULL), E_CORRUPT);
    T_OK(str_find(strbuf_str(&report), S("DAMAGED at byte 64")) >= 0);
    dir_remove(dir);
}

TEST(a_snapshot_is_checked_to_the_last_byte)
{
    const char *dir = T_TMPDIR();
    char again[80], path[400];
    snprintf(again, sizeof again, "%s-again", dir);
    struct store *s = must_open(dir, &fast);
    for (int i = 0; i < 5; i++) {
        char key[32];
        snprintf(key, sizeof key, "/k%d", i);
        put(s, key, "value");
    }
    store_close(s);
    struct err err = ERR_NONE;
    T_NO_ERR(store_embedded_compact(dir, &err), &err);
    T_OK(dir_newest(dir, "snap-", path, sizeof path));
    size_t size = file_size(path);
    for (size_t at = 0; at < size; at++) {
        for (int cut = 0; cut < 2; cut++) {
            dir_copy(dir, again);
            dir_newest(again, "snap-", path, sizeof path);
            if (cut)
                file_truncate(path, at);
            else
                file_flip(path, at);
            T_ERR(store_embedded_open(again, &fast, &s, &err), E_CORRUPT);
        }
    }
    s = must_open(dir, &fast);
    T_EQ_INT(store_revision(s), 6);
    T_VALUE(s, "/k4", "value");
    T_EQ_INT(store_compacted_revision(s), 6);
    store_close(s);
    dir_remove(dir);
    dir_remove(again);
}

TEST(missing_files_are_noticed)
{
    const char *dir = T_TMPDIR();
    char path[400];
    struct store_embedded_opts opts = {.no_fsync = true, .segment_bytes = 1000};
    struct store *s = must_open(dir, &opts);
    for (int i = 0; i < 60; i++)
        put(s, "/k", "some value");
    store_close(s);
    T_OK(dir_newest(dir, "wal-0000000000000002", path, sizeof path));
    char hidden[500];
    snprintf(hidden, sizeof hidden, "%s.hidden", path);
    T_EQ_INT(rename(path, hidden), 0);
    fails_with(dir, E_CORRUPT, "begins after revision");
    T_EQ_INT(rename(hidden, path), 0);
    s = must_open(dir, &opts);
    T_EQ_INT(store_revision(s), 61);
    T_EQ_INT(store_compacted_revision(s), 1);
    store_close(s);
    snprintf(path, sizeof path, "%s/wal-0000000000000001.log", dir);
    unlink(path);
    fails_with(dir, E_CORRUPT, "is missing");
    while (dir_newest(dir, "wal-", path, sizeof path))
        unlink(path);
    fails_with(dir, E_CORRUPT, "are gone");
    dir_remove(dir);
}

TEST(a_later_format_and_another_stores_files_are_refused)
{
    const char *dir = T_TMPDIR();
    char other[80], path[400], path2[400];
    snprintf(other, sizeof other, "%s-other", dir);
    store_close(must_open(dir, &fast));
    store_close(must_open(other, &fast));
    dir_newest(dir, "wal-", path, sizeof path);
    int fd = open(path, O_RDWR);
    T_EQ_INT(pwrite(fd, "\x02", 1, 8), 1);
    fails_with(dir, E_CORRUPT, "later version");
    T_EQ_INT(pwrite(fd, "\x01", 1, 8), 1);
    close(fd);
    store_close(must_open(dir, &fast));
    dir_newest(other, "wal-", path, sizeof path);
    snprintf(path2, sizeof path2, "%s/wal-0000000000000002.log", dir);
    T_EQ_INT(rename(path, path2), 0);
    fails_with(dir, E_CORRUPT, "another store");
    dir_remove(dir);
    dir_remove(other);
}

TEST(two_processes_do_not_share_a_store)
{
    const char *dir = T_TMPDIR();
    struct store *s = must_open(dir, &fast);
    char part[64];
    snprintf(part, sizeof part, "in use by process %d", (int)getpid());
    fails_with(dir, E_BUSY, part);
    struct err err = ERR_NONE;
    STRBUF_AUTO report = STRBUF_HEAP;
    T_ERR(store_embedded_check(dir, &report, &err), E_BUSY);
    store_close(s);
    T_NO_ERR(store_embedded_check(dir, &report, &err), &err);
    dir_remove(dir);
}

TEST(snapshot_and_restore)
{
    const char *dir = T_TMPDIR();
    char saved[80], copy[80];
    snprintf(saved, sizeof saved, "%s-saved.snap", dir);
    snprintf(copy, sizeof copy, "%s-copy", dir);
    struct err err = ERR_NONE;
    struct store *s = must_open(dir, &fast);
    put(s, "/a", "1");
    put(s, "/b", "2");
    T_NO_ERR(store_snapshot(s, saved, &err), &err);
    put(s, "/c", "3");
    store_close(s);
    T_ERR(store_embedded_restore(saved, dir, &err), E_EXISTS);
    T_NO_ERR(store_embedded_restore(saved, copy, &err), &err);
    s = must_open(copy, &fast);
    T_EQ_INT(store_revision(s), 3);
    T_VALUE(s, "/b", "2");
    T_OK(!has_key(s, "/c"));
    T_EQ_INT(put(s, "/d", "4"), 4);
    store_close(s);
    s = must_open(copy, &fast);
    T_VALUE(s, "/d", "4");
    store_close(s);
    T_ERR(store_embedded_restore("/nonexistent", copy, &err), E_EXISTS);
    unlink(saved);
    dir_remove(dir);
    dir_remove(copy);
}

/* --- the disk ------------------------------------------------------------------------------------------------------------ */

TEST(a_full_disk_fails_writes_and_nothing_else)
{
    static const char *const where[] = {"store.wal.write=1*error(ENOSPC)", "store.wal.grow=1*error(ENOSPC)",
                                        "store.wal.split_write=1*error(1);store.wal.mid_write=1*error(ENOSPC)"};
    for (size_t i = 0; i < ARRAY_LEN(where); i++) {
        const char *dir = T_TMPDIR();
        struct store *s = must_open(dir, NULL);
        struct store_stats st;
        put(s, "/a", "1");
        failpoint(where[i]);
        T_EQ_INT(put(s, "/a", "2"), -E_NO_SPACE);
        store_stats(s, &st);
        T_OK(st.no_space && !st.failed);
        T_VALUE(s, "/a", "1");
        T_EQ_INT(store_revision(s), 2);
        T_EQ_INT(put_if(s, "/a", "3", 2), 3);
        store_stats(s, &st);
        T_OK(!st.no_space);
        failpoint("");
        store_close(s);
        s = must_open(dir, NULL);
        T_VALUE(s, "/a", "3");
        store_close(s);
        dir_remove(dir);
    }
}

TEST(a_failed_write_or_sync_ends_writing)
{
    static const char *const where[] = {"store.wal.write=1*error(EIO)", "store.wal.sync=1*error(EIO)"};
    for (size_t i = 0; i < ARRAY_LEN(where); i++) {
        const char *dir = T_TMPDIR();
        struct store *s = must_open(dir, NULL);
        struct store_stats st;
        put(s, "/a", "1");
        failpoint(where[i]);
        T_EQ_INT(put(s, "/a", "2"), -E_IO);
        T_EQ_INT(put(s, "/a", "3"), -E_UNAVAILABLE);
        store_stats(s, &st);
        T_OK(st.failed);
        T_VALUE(s, "/a", "1"); /* reads go on */
        failpoint("");
        T_EQ_INT(put(s, "/a", "4"), -E_UNAVAILABLE);
        store_close(s);
        s = must_open(dir, NULL);
        T_OK(store_revision(s) == 2 || store_revision(s) == 3); /* the unanswered one may be there */
        store_close(s);
        dir_remove(dir);
    }
}

TEST(a_failed_snapshot_is_tried_again)
{
    const char *dir = T_TMPDIR();
    char path[400];
    struct store_embedded_opts opts = {.no_fsync = true, .snapshot_bytes = 4000, .segment_bytes = 1000};
    struct store *s = must_open(dir, &opts);
    failpoint("store.snap.write=3*error(ENOSPC)");
    struct store_stats st = {0};
    for (int i = 0; i < 5000 && st.snapshots == 0; i++) {
        T_OK(put(s, "/k", "some value") > 0);
        store_stats(s, &st);
    }
    T_OK(st.snapshots > 0);
    T_OK(!st.failed);
    failpoint("");
    rev_t rev = store_revision(s);
    store_close(s);
    T_OK(dir_newest(dir, "snap-", path, sizeof path));
    s = must_open(dir, &opts);
    T_EQ_INT(store_revision(s), rev);
    store_close(s);
    dir_remove(dir);
}

/* A real full disk, where mounting one is allowed. */
TEST(a_small_disk_fills_and_empties)
{
    const char *dir = T_TMPDIR();
    if (mount("none", dir, "tmpfs", 0, "size=2m") < 0) {
        printf("# skipped: no tmpfs can be mounted: %s\n", strerror(errno));
        rmdir(dir);
        return;
    }
    char store_dir[80], ballast[80];
    snprintf(store_dir, sizeof store_dir, "%s/store", dir);
    snprintf(ballast, sizeof ballast, "%s/ballast", dir);
    int fd = open(ballast, O_RDWR | O_CREAT, 0600);
    T_EQ_INT(posix_fallocate(fd, 0, 1 << 20), 0);
    close(fd);
    struct store_embedded_opts opts = {0};
    struct store *s = must_open(store_dir, &opts);
    char *value = xcalloc(1, 10001);
    memset(value, 'x', 10000);
    int64_t r = 0;
    int stored = 0;
    for (; stored < 1000 && r >= 0; stored++) {
        char key[32];
        snprintf(key, sizeof key, "/k%d", stored);
        r = put(s, key, value);
    }
    stored--;
    T_EQ_INT(r, -E_NO_SPACE);
    T_OK(stored > 20);
    T_EQ_INT(store_revision(s), stored + 1);
    T_EQ_INT(put(s, "/again", value), -E_NO_SPACE);
    T_OK(has_key(s, "/k0"));
    unlink(ballast);
    T_EQ_INT(put(s, "/again", value), stored + 2);
    store_close(s);
    s = must_open(store_dir, &opts);
    T_EQ_INT(store_revision(s), stored + 2);
    T_OK(has_key(s, "/again"));
    store_close(s);
    free(value);
    T_EQ_INT(umount(dir), 0);
    rmdir(dir);
}

TEST_MAIN(a_log_cut_at_every_byte_of_the_last_record, every_flipped_byte_is_noticed, damage_to_the_last_change_of_a_closed_store,
          a_snapshot_is_checked_to_the_last_byte, missing_files_are_noticed, a_later_format_and_another_stores_files_are_refused,
          two_processes_do_not_share_a_store, snapshot_and_restore, a_full_disk_fails_writes_and_nothing_else,
          a_failed_write_or_sync_ends_writing, a_failed_snapshot_is_tried_again, a_small_disk_fills_and_empties)
