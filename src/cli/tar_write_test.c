/* SPDX-License-Identifier: Apache-2.0 */
/* What the writer writes, read back by the reader of images. */
#include "cli/tar_write.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/images/tar.h"
#include "base/test.h"

struct seen {
    struct strbuf list, bytes;
};

static int on_entry(void *arg, const struct tar_entry *e, struct err *err UNUSED)
{
    struct seen *s = arg;
    strbuf_addf(&s->list, "%d " STR_FMT " %llu " STR_FMT "\n", e->type, STR_ARG(e->name), (unsigned long long)e->size, STR_ARG(e->link));
    return 0;
}
static int on_data(void *arg, str bytes, struct err *err UNUSED)
{
    struct seen *s = arg;
    strbuf_add_str(&s->bytes, bytes);
    return 0;
}
static int on_end(void *arg UNUSED, struct err *err UNUSED)
{
    return 0;
}
static const struct tar_ops ops = {on_entry, on_data, on_end};

static void put(const char *dir, const char *name, size_t size)
{
    char path[300];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    FILE *f = fopen(path, "w");
    BUG_ON(!f);
    for (size_t i = 0; i < size; i++)
        fputc('a' + (int)(i % 26), f);
    fclose(f);
}

static void pack(const char *path, const char *name, size_t step, struct seen *s)
{
    struct err err = ERR_NONE;
    struct tar_writer *w = NULL;
    struct tar *t = tar_new(&ops, s);
    char *buf = xmalloc(step);
    T_NO_ERR(tar_write_open(path, name, &w, &err), &err);
    size_t total = 0;
    for (ssize_t n; (n = tar_write_read(w, buf, step, &err)) > 0; total += (size_t)n)
        T_NO_ERR(tar_feed(t, str_n(buf, (size_t)n), &err), &err);
    T_EQ_INT(total % TAR_BLOCK, 0);
    T_NO_ERR(tar_finish(t, &err), &err);
    tar_write_close(w);
    tar_free(t);
    free(buf);
}

TEST(a_file_of_any_size)
{
    static const size_t sizes[] = {0, 1, 511, 512, 513, 100000};
    const char *dir = T_TMPDIR();
    char path[100];
    snprintf(path, sizeof path, "%s/f", dir);
    for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
        struct seen s = {0};
        char want[100];
        put(dir, "f", sizes[i]);
        pack(path, "renamed", i % 2 ? 7 : 4096, &s);
        snprintf(want, sizeof want, "0 renamed %zu \n", sizes[i]);
        T_EQ_STR(strbuf_str(&s.list), want);
        T_EQ_INT(s.bytes.len, sizes[i]);
        for (size_t k = 0; k < s.bytes.len; k += 97)
            T_EQ_INT(s.bytes.p[k], 'a' + (int)(k % 26));
        strbuf_fini(&s.list);
        strbuf_fini(&s.bytes);
    }
    unlink(path);
    rmdir(dir);
}

TEST(folders_links_and_long_names)
{
    const char *dir = T_TMPDIR();
    char path[100], name[260], target[200];
    memset(name, 'n', sizeof name);
    snprintf(name + 200, 8, "end");
    memset(target, 't', sizeof target);
    target[150] = 0;
    snprintf(path, sizeof path, "%s/d", dir);
    mkdir(path, 0755);
    put(path, name, 3);
    int d = open(path, O_RDONLY | O_DIRECTORY);
    T_EQ_INT(symlinkat(target, d, "link"), 0);
    T_EQ_INT(mkfifoat(d, "fifo", 0600), 0); /* passed over */
    struct seen s = {0};
    pack(path, "top", 1000, &s);
    char long_line[300], link_line[300];
    snprintf(long_line, sizeof long_line, "0 top/%s 3 \n", name);
    snprintf(link_line, sizeof link_line, "2 top/link 0 %s\n", target);
    T_OK(str_has_prefix(strbuf_str(&s.list), S("5 top")));
    T_OK(str_find(strbuf_str(&s.list), str_of(long_line)) > 0);
    T_OK(str_find(strbuf_str(&s.list), str_of(link_line)) > 0);
    T_OK(str_find(strbuf_str(&s.list), S("fifo")) < 0);
    T_EQ_STR(strbuf_str(&s.bytes), "abc");
    strbuf_fini(&s.list);
    strbuf_fini(&s.bytes);
    unlinkat(d, name, 0);
    unlinkat(d, "link", 0);
    unlinkat(d, "fifo", 0);
    close(d);
    rmdir(path);
    rmdir(dir);
    struct err err;
    struct tar_writer *w;
    T_ERR(tar_write_open("/does/not/exist", "x", &w, &err), E_NOT_FOUND);
}

TEST_MAIN(a_file_of_any_size, folders_links_and_long_names)
