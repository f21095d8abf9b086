/* test_util.h - what the tests of the embedded store share. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/test.h"
#include "base/vec.h"
#include "store/embedded/embedded.h"

/* Torn ends and full disks are what these tests make; the warnings about them are noise. */
__attribute__((constructor)) static void quiet_logs(void)
{
    log_setup(LOG_ERROR, false, 2);
}

/* Removes a folder of plain files. */
UNUSED static void dir_remove(const char *path)
{
    DIR *dir = opendir(path);
    if (!dir)
        return;
    for (struct dirent *e; (e = readdir(dir));)
        unlinkat(dirfd(dir), e->d_name, 0);
    closedir(dir);
    rmdir(path);
}

/* Copies a folder of plain files; files are small. */
UNUSED static void dir_copy(const char *from, const char *to)
{
    dir_remove(to);
    BUG_ON(mkdir(to, 0700) < 0);
    DIR *dir = opendir(from);
    BUG_ON(!dir);
    for (struct dirent *e; (e = readdir(dir));) {
        if (e->d_name[0] == '.')
            continue;
        int in = openat(dirfd(dir), e->d_name, O_RDONLY);
        int todir = open(to, O_RDONLY | O_DIRECTORY);
        int out = openat(todir, e->d_name, O_WRONLY | O_CREAT | O_TRUNC, 0600);
        static char buf[1 << 16];
        for (ssize_t n; (n = read(in, buf, sizeof buf)) > 0;)
            BUG_ON(write(out, buf, (size_t)n) != n);
        close(in);
        close(out);
        close(todir);
    }
    closedir(dir);
}

/* The newest file whose name begins with prefix: its path in ret, or false. */
UNUSED static bool dir_newest(const char *path, const char *prefix, char *ret, size_t size)
{
    char best[256] = "";
    DIR *dir = opendir(path);
    BUG_ON(!dir);
    for (struct dirent *e; (e = readdir(dir));) {
        if (strncmp(e->d_name, prefix, strlen(prefix)) == 0 && strcmp(e->d_name, best) > 0)
            snprintf(best, sizeof best, "%s", e->d_name);
    }
    closedir(dir);
    snprintf(ret, size, "%s/%s", path, best);
    return best[0] != 0;
}

UNUSED static size_t file_size(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 ? (size_t)st.st_size : 0;
}

UNUSED static void file_truncate(const char *path, size_t size)
{
    BUG_ON(truncate(path, (off_t)size) < 0);
}

UNUSED static void file_flip(const char *path, size_t at)
{
    int fd = open(path, O_RDWR);
    char c;
    BUG_ON(fd < 0 || pread(fd, &c, 1, (off_t)at) != 1);
    c ^= 0x20;
    BUG_ON(pwrite(fd, &c, 1, (off_t)at) != 1);
    close(fd);
}

UNUSED static struct store *must_open(const char *dir, const struct store_embedded_opts *opts)
{
    struct err err = ERR_NONE;
    struct store *s = NULL;
    if (store_embedded_open(dir, opts, &s, &err) < 0) {
        printf("# %s\n", err.msg);
        fflush(stdout);
        abort();
    }
    return s;
}

/* One operation as a transaction; the result's version is dropped.  Returns the revision or -E_CODE. */
UNUSED static int64_t one_op(struct store *s, struct store_op op)
{
    struct store_txn txn = {.ops = &op, .nops = 1};
    int r = store_commit(s, &txn);
    if (r == 0 || r == -E_CONFLICT)
        store_kv_unref(op.kv);
    return r < 0 ? r : (int64_t)txn.revision;
}

UNUSED static int64_t put(struct store *s, const char *key, const char *value)
{
    return one_op(s, (struct store_op){STORE_PUT, str_of(key), str_of(value), 0, STORE_ANY_REV, NULL});
}

UNUSED static int64_t put_if(struct store *s, const char *key, const char *value, rev_t expect)
{
    return one_op(s, (struct store_op){STORE_PUT, str_of(key), str_of(value), 0, expect, NULL});
}

UNUSED static int64_t del(struct store *s, const char *key, rev_t expect)
{
    return one_op(s, (struct store_op){STORE_DELETE, str_of(key), S(""), 0, expect, NULL});
}

#define T_VALUE(s, key, want)                                                                      \
    do {                                                                                           \
        struct store_kv *t_kv_ = store_get((s), str_of(key));                                      \
        if (!t_kv_)                                                                                \
            T_FAIL_("%s is not there", (key));                                                     \
        else                                                                                       \
            T_EQ_STR(store_kv_value(t_kv_), want);                                                 \
        store_kv_unref(t_kv_);                                                                     \
    } while (0)

UNUSED static bool has_key(struct store *s, const char *key)
{
    struct store_kv *kv = store_get(s, str_of(key));
    store_kv_unref(kv);
    return kv != NULL;
}
