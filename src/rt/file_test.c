/* SPDX-License-Identifier: Apache-2.0 */
#include "rt/file.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/test.h"

static struct err err;

TEST(write_then_read)
{
    const char *dir = T_TMPDIR();
    char path[128];
    snprintf(path, sizeof path, "%s/config", dir);
    char *text = NULL;
    size_t len;
    T_ERR(file_read(path, 100, &text, &len, &err), E_NOT_FOUND);
    T_OK(!file_exists(path));
    T_NO_ERR(file_write_atomic(path, S("first"), 0644, &err), &err);
    T_NO_ERR(file_write_atomic(path, str_n("a\0b", 3), 0600, &err), &err);
    T_OK(file_exists(path));
    struct stat st;
    T_EQ_INT(stat(path, &st), 0);
    T_EQ_INT(st.st_mode & 07777, 0600);
    T_NO_ERR(file_read(path, 3, &text, &len, &err), &err);
    T_EQ_INT(len, 3);
    T_EQ_INT(memcmp(text, "a\0b", 4), 0);
    free(text);
    text = NULL;
    T_ERR(file_read(path, 2, &text, &len, &err), E_TOO_LARGE);
    T_OK(text == NULL);
    T_ERR(file_read(dir, 100, &text, &len, &err), E_IO);
    DIR *d = opendir(dir);
    int entries = 0;
    while (readdir(d))
        entries++;
    closedir(d);
    T_EQ_INT(entries, 3); /* ., .. and the file: nothing temporary stays */
    unlink(path), rmdir(dir);
}

TEST(failed_write_leaves_the_old_file)
{
    const char *dir = T_TMPDIR();
    char path[128], below[160];
    snprintf(path, sizeof path, "%s/config", dir);
    snprintf(below, sizeof below, "%s/x", path);
    T_NO_ERR(file_write_atomic(path, S("old"), 0600, &err), &err);
    T_OK(file_write_atomic(below, S("new"), 0600, &err) < 0);
    T_EQ_INT(mkdir(below, 0700), -1);
    char *text;
    T_NO_ERR(file_read(path, 10, &text, NULL, &err), &err);
    T_EQ_STR(str_of(text), "old");
    free(text);
    unlink(path), rmdir(dir);
}

TEST(folders_are_made_with_their_parents)
{
    const char *dir = T_TMPDIR();
    char deep[128], file[160];
    snprintf(deep, sizeof deep, "%s/a/b/c", dir);
    T_NO_ERR(file_mkdir_all(deep, 0700, &err), &err);
    T_NO_ERR(file_mkdir_all(deep, 0700, &err), &err);
    snprintf(file, sizeof file, "%s/f", deep);
    T_NO_ERR(file_write_atomic(file, S(""), 0600, &err), &err);
    T_ERR(file_mkdir_all(file, 0700, &err), E_EXISTS);
    static const char *const names[][2] = {{"/a/b", "/a"}, {"/a", "/"}, {"a", "."}, {"a/", "."}, {"/", "/"}, {"a/b/", "a"}};
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        char *got = file_dirname(names[i][0]);
        T_EQ_STR(str_of(got), names[i][1]);
        free(got);
    }
    unlink(file);
    for (size_t n = strlen(deep); n > strlen(dir); n = strlen(deep)) {
        rmdir(deep);
        *strrchr(deep, '/') = 0;
    }
    rmdir(dir);
}

/* A folder in a folder in a folder ..., with a file in each; returns nothing open. */
static void make_deep(const char *dir, unsigned depth)
{
    int at = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (unsigned i = 0; i < depth; i++) {
        T_EQ_INT(mkdirat(at, "in", 0700), 0);
        int next = openat(at, "in", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        close(at);
        at = next;
        int file = openat(at, ".removing-1", O_WRONLY | O_CREAT | O_CLOEXEC, 0600); /* a name that the removal itself uses */
        T_OK(at >= 0 && file >= 0);
        close(file);
    }
    close(at);
}

TEST(trees_go_however_deep_they_are)
{
    const char *dir = T_TMPDIR();
    char tree[128], other[128], link[160];
    snprintf(tree, sizeof tree, "%s/tree", dir);
    snprintf(other, sizeof other, "%s/other", dir);
    snprintf(link, sizeof link, "%s/tree/link", dir);
    T_NO_ERR(file_remove_all(tree, &err), &err); /* absent */
    for (unsigned depth = 0; depth <= 5000; depth = depth ? depth * 5 : 40) {
        T_NO_ERR(file_mkdir_all(tree, 0700, &err), &err);
        T_NO_ERR(file_write_atomic(other, S("stays"), 0600, &err), &err);
        T_EQ_INT(symlink(dir, link), 0);
        make_deep(tree, depth);
        T_NO_ERR(file_remove_all(tree, &err), &err);
        T_OK(!file_exists(tree));
        T_OK(file_exists(other)); /* links are not followed */
    }
    T_EQ_INT(symlink(dir, tree), 0);
    T_NO_ERR(file_remove_all(tree, &err), &err); /* nor is the path itself */
    T_OK(file_exists(other) && !file_exists(tree));
    T_NO_ERR(file_remove_all(other, &err), &err); /* a file */
    T_EQ_INT(rmdir(dir), 0);
}

TEST(a_folder_is_emptied)
{
    const char *dir = T_TMPDIR();
    char path[160];
    snprintf(path, sizeof path, "%s/top", dir);
    T_NO_ERR(file_remove_inside(path, &err), &err); /* absent */
    T_NO_ERR(file_mkdir_all(path, 0700, &err), &err);
    make_deep(path, 200);
    T_NO_ERR(file_remove_inside(path, &err), &err);
    T_EQ_INT(rmdir(path), 0); /* it is there, and empty */
}

TEST(what_cannot_be_removed_is_told)
{
    const char *dir = T_TMPDIR();
    char path[160];
    snprintf(path, sizeof path, "%s/file", dir);
    T_NO_ERR(file_write_atomic(path, S(""), 0600, &err), &err);
    snprintf(path, sizeof path, "%s/file/below", dir);
    T_OK(file_remove_all(path, &err) < 0);
    T_NO_ERR(file_remove_all(dir, &err), &err);
}

TEST_MAIN(write_then_read, failed_write_leaves_the_old_file, folders_are_made_with_their_parents, trees_go_however_deep_they_are, a_folder_is_emptied, what_cannot_be_removed_is_told)
