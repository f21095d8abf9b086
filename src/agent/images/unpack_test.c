/* unpack_test.c - tars and layers: what is read, what is refused, and that nothing lands outside. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/images/unpack.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "agent/images/images_test_data.h"
#include "agent/images/tar.h"
#include "agent/images/unpack_tree.h"
#include "base/test.h"
#include "rt/file.h"

/* --- tar ------------------------------------------------------------------------------------------------ */

struct seen {
    struct strbuf text;
    struct tar *tar;
    bool ignores;
};

static int see_entry(void *arg, const struct tar_entry *e, struct err *err UNUSED)
{
    struct seen *s = arg;
    if (s->ignores)
        tar_ignore_data(s->tar);
    strbuf_addf(&s->text, "%d:%s>%s %o %u/%u %llu @%lld.%u", e->type, e->name.p, e->link.p, e->mode, e->uid, e->gid, (unsigned long long)e->size, (long long)e->mtime_s, e->mtime_ns);
    for (size_t i = 0; i < e->nxattrs; i++)
        strbuf_addf(&s->text, " %.*s=%.*s", STR_ARG(e->xattrs[i].name), STR_ARG(e->xattrs[i].value));
    strbuf_add_char(&s->text, '[');
    return 0;
}

static int see_data(void *arg, str bytes, struct err *err UNUSED)
{
    struct seen *s = arg;
    strbuf_add_str(&s->text, bytes);
    return 0;
}

static int see_end(void *arg, struct err *err UNUSED)
{
    struct seen *s = arg;
    strbuf_add_str(&s->text, S("]\n"));
    return 0;
}

static const struct tar_ops see_ops = {see_entry, see_data, see_end};

/* In pieces of `step` bytes; the result must not depend on it. */
static int read_tar(str bytes, size_t step, struct seen *s, struct err *err)
{
    CLEANUP(tar_free) struct tar *t = tar_new(&see_ops, s);
    s->tar = t;
    int r = 0;
    for (size_t at = 0; r == 0 && at < bytes.len; at += step)
        r = tar_feed(t, str_sub(bytes, at, at + step), err);
    return r < 0 ? r : tar_finish(t, err);
}

static void expect_tar(const struct strbuf *tar, const char *want)
{
    static const size_t steps[] = {1, 7, 511, 512, 513, 1 << 20};
    for (size_t i = 0; i < ARRAY_LEN(steps); i++) {
        struct seen s = {.text = STRBUF_HEAP};
        struct err err = ERR_NONE;
        T_NO_ERR(read_tar(strbuf_str(tar), steps[i], &s, &err), &err);
        T_EQ_STR(strbuf_str(&s.text), want);
        strbuf_fini(&s.text);
    }
}

TEST(tar_reads_members)
{
    static const struct tar_spec specs[] = {
        {.type = '5', .name = "etc/", .uid = 1, .gid = 2},
        {.type = '0', .name = "etc/a", .data = "hello", .mode = 04755},
        {.type = '0', .name = "empty"},
        {.type = '2', .name = "l", .link = "etc/a"},
        {.type = '1', .name = "h", .link = "etc/a"},
        {.type = '0', .name = "old/"},
    };
    STRBUF_AUTO b = tar_of(specs, ARRAY_LEN(specs));
    expect_tar(&b, "5:etc/> 755 1/2 0 @1600000000.0[]\n0:etc/a> 4755 0/0 5 @1600000000.0[hello]\n0:empty> 644 0/0 0 @1600000000.0[]\n"
                   "2:l>etc/a 644 0/0 0 @1600000000.0[]\n1:h>etc/a 644 0/0 0 @1600000000.0[]\n5:old/> 644 0/0 0 @1600000000.0[]\n");
}

TEST(tar_reads_extended_headers)
{
    static const struct tar_spec specs[] = {
        {.type = '0', .name = "cut", .data = "x",
         .pax = "20 path=a/long/name\n16 uid=70000000\n25 mtime=1600000001.2500\n31 SCHILY.xattr.user.key=value\n"},
        {.type = '0', .name = "next", .data = "y", .pax = "15 mtime=-1.25\n"},
    };
    STRBUF_AUTO b = STRBUF_HEAP;
    tar_add_header(&b, 'g', "pax", NULL, 18, NULL);
    tar_add_data(&b, S("18 comment=1234567"));
    for (size_t i = 0; i < ARRAY_LEN(specs); i++)
        tar_add(&b, &specs[i]);
    tar_add_header(&b, 'L', "././@LongLink", NULL, 9, NULL);
    tar_add_data(&b, str_n("long/name\0", 9));
    tar_add_header(&b, 'K', "././@LongLink", NULL, 9, NULL);
    tar_add_data(&b, str_n("long/link\0", 9));
    tar_add(&b, &(struct tar_spec){.type = '2', .name = "lo", .link = "li"});
    tar_end(&b);
    expect_tar(&b, "0:a/long/name> 644 70000000/0 1 @1600000001.250000000 user.key=value[x]\n0:next> 644 0/0 1 @-2.750000000[y]\n2:long/name>long/link 644 0/0 0 @1600000000.0[]\n");
}

TEST(tar_skips_what_nobody_wants)
{
    static const struct tar_spec specs[] = {{.type = '0', .name = "a", .data = "0123456789"}, {.type = '0', .name = "b", .data = "x"}};
    STRBUF_AUTO b = tar_of(specs, 2);
    struct seen s = {.text = STRBUF_HEAP, .ignores = true};
    CLEANUP(tar_free) struct tar *t = tar_new(&see_ops, &s);
    s.tar = t;
    struct err err = ERR_NONE;
    size_t fed = 0;
    while (tar_offset(t) < b.len) {
        tar_skip(t, tar_skippable(t));
        size_t at = tar_offset(t);
        T_NO_ERR(tar_feed(t, str_sub(strbuf_str(&b), at, at + 64), &err), &err);
        fed += 64;
    }
    T_NO_ERR(tar_finish(t, &err), &err);
    T_EQ_STR(strbuf_str(&s.text), "0:a> 644 0/0 10 @1600000000.0[]\n0:b> 644 0/0 1 @1600000000.0[]\n");
    T_OK(fed <= b.len + 64);
    strbuf_fini(&s.text);
}

TEST(tar_refuses_damage)
{
    static const struct tar_spec good = {.type = '0', .name = "a", .data = "hello"};
    static const char *const bad_pax[] = {"5 a\n", "x", "9999 path=a\n", "10 path=a", "13 uid=-1234\n", "11 size=x1\n", "24 GNU.sparse.major=1234\n", "12 mtime=x1\n"};
    struct seen s = {.text = STRBUF_HEAP};
    struct err err = ERR_NONE;
    STRBUF_AUTO b = tar_of(&good, 1);
    for (size_t at = 0; at < 1024; at += 511) { /* cut off: in the header, in the data */
        if (at)
            T_ERR(read_tar(str_sub(strbuf_str(&b), 0, at), 100, &s, &err), E_PARSE);
    }
    b.p[3] = 'X';
    T_ERR(read_tar(strbuf_str(&b), 100, &s, &err), E_PARSE);
    for (size_t i = 0; i < ARRAY_LEN(bad_pax); i++) {
        STRBUF_AUTO p = tar_of(&(struct tar_spec){.type = '0', .name = "a", .pax = bad_pax[i]}, 1);
        T_OK(read_tar(strbuf_str(&p), 100, &s, &err) < 0);
    }
    STRBUF_AUTO sparse = tar_of(&(struct tar_spec){.type = 'S', .name = "a"}, 1);
    T_ERR(read_tar(strbuf_str(&sparse), 100, &s, &err), E_INVALID_ARG);
    STRBUF_AUTO strange = tar_of(&(struct tar_spec){.type = 'Q', .name = "a"}, 1);
    T_ERR(read_tar(strbuf_str(&strange), 100, &s, &err), E_PARSE);
    T_ERR(read_tar(S("this is no tar, but it is a text that is longer than one block ............................................................................"
                     ".............................................................................................................................................."
                     ".............................................................................................................................................."
                     ".............................................................................................................................................."),
                   512, &s, &err), E_PARSE);
    strbuf_fini(&s.text);
}

/* --- layers ------------------------------------------------------------------------------------------------- */

struct place {
    char dir[128], outside[160], root[160];
};

static struct place place_new(void)
{
    struct place p;
    snprintf(p.dir, sizeof p.dir, "%s", T_TMPDIR());
    snprintf(p.root, sizeof p.root, "%s/root", p.dir);
    snprintf(p.outside, sizeof p.outside, "%s/outside", p.dir);
    BUG_ON(mkdir(p.root, 0755) < 0 || mkdir(p.outside, 0755) < 0);
    return p;
}

static void place_end(struct place *p)
{
    struct err err = ERR_NONE;
    T_OK(rmdir(p->outside) == 0); /* nothing came there */
    T_NO_ERR(tree_remove(AT_FDCWD, p->dir, &err), &err);
}

static int unpack_specs(const struct place *p, const struct tar_spec *specs, size_t n, struct unpack_opts limits, struct err *err)
{
    STRBUF_AUTO b = tar_of(specs, n);
    struct unpack *u CLEANUP(unpack_free) = NULL;
    uint64_t bytes, files;
    limits.dir = p->root;
    limits.max_bytes = limits.max_bytes ? limits.max_bytes : 1 << 20;
    limits.max_files = limits.max_files ? limits.max_files : 1000;
    int r = unpack_new(&limits, &u, err);
    for (size_t at = 0; r == 0 && at < b.len; at += 700)
        r = unpack_feed(u, str_sub(strbuf_str(&b), at, at + 700), err);
    return r < 0 ? r : unpack_finish(u, &bytes, &files, err);
}

static const char *at(const struct place *p, const char *name)
{
    static char path[512];
    snprintf(path, sizeof path, "%s/%s", p->root, name);
    return path;
}

static bool has_text(const struct place *p, const char *name, const char *want)
{
    CLEANUP(free) char *text = NULL;
    return file_read(at(p, name), 1000, &text, NULL, NULL) == 0 && strcmp(text, want) == 0;
}

static struct stat look(const struct place *p, const char *name)
{
    struct stat st = {0};
    if (lstat(at(p, name), &st) < 0)
        T_FAIL_("%s is not there", name);
    return st;
}

static bool is_whiteout(const struct place *p, const char *name)
{
    struct stat st = look(p, name);
    return S_ISCHR(st.st_mode) && st.st_rdev == makedev(0, 0);
}

static bool is_opaque(const struct place *p, const char *name)
{
    char value[8];
    return getxattr(at(p, name), geteuid() == 0 ? "trusted.overlay.opaque" : "user.overlay.opaque", value, sizeof value) == 1 && value[0] == 'y';
}

TEST(unpack_makes_everything)
{
    struct place p = place_new();
    struct err err = ERR_NONE;
    bool root = geteuid() == 0;
    static const struct tar_spec specs[] = {
        {.type = '5', .name = "./", .mode = 0711},
        {.type = '5', .name = "./etc/", .mode = 0750, .uid = 3, .gid = 4},
        {.type = '0', .name = "./etc/a", .data = "hello", .mode = 0640, .uid = 5, .gid = 6},
        {.type = '0', .name = "bin/su", .data = "x", .mode = 04755},
        {.type = '2', .name = "etc/l", .link = "a"},
        {.type = '1', .name = "etc/h", .link = "./etc/a"},
        {.type = '6', .name = "fifo", .mode = 0600},
        {.type = '3', .name = "null", .major = 1, .minor = 3, .mode = 0666},
        {.type = '0', .name = "etc/x", .data = "y", .pax = "35 SCHILY.xattr.user.overlay.key=v\n27 SCHILY.xattr.user.k=val\n"},
    };
    T_NO_ERR(unpack_specs(&p, specs, ARRAY_LEN(specs), (struct unpack_opts){0}, &err), &err);
    T_OK(has_text(&p, "etc/a", "hello"));
    T_OK(has_text(&p, "etc/h", "hello"));
    T_EQ_INT(look(&p, ".").st_mode & 07777, 0711);
    T_EQ_INT(look(&p, "etc").st_mode & 07777, 0750);
    T_EQ_INT(look(&p, "etc").st_mtim.tv_sec, 1600000000);
    T_EQ_INT(look(&p, "etc/a").st_mode & 07777, 0640);
    T_EQ_INT(look(&p, "etc/a").st_mtim.tv_sec, 1600000000);
    T_EQ_INT(look(&p, "etc/a").st_nlink, 2);
    T_EQ_INT(look(&p, "bin/su").st_mode & 07777, 04755);
    T_EQ_INT(look(&p, "bin").st_mode & 07777, 0755);
    T_OK(S_ISLNK(look(&p, "etc/l").st_mode));
    T_OK(S_ISFIFO(look(&p, "fifo").st_mode));
    if (root) {
        T_EQ_INT(look(&p, "etc").st_uid, 3);
        T_EQ_INT(look(&p, "etc/a").st_uid, 5);
        T_EQ_INT(look(&p, "etc/a").st_gid, 6);
        T_EQ_INT(look(&p, "null").st_rdev, makedev(1, 3));
    }
    char value[16];
    T_EQ_INT(getxattr(at(&p, "etc/x"), "user.overlay.key", value, sizeof value), -1);
    place_end(&p);
}

TEST(unpack_keeps_capabilities)
{
    struct place p = place_new();
    struct err err = ERR_NONE;
    /* version 2, cap_net_raw: bytes that are no text, so the record is put together here */
    static const char cap[20] = {1, 0, 0, 2, 0, 0x20, 0, 0};
    STRBUF_AUTO pax = STRBUF_HEAP;
    strbuf_add_str(&pax, S("57 SCHILY.xattr.security.capability="));
    strbuf_add(&pax, cap, 20);
    strbuf_add_char(&pax, '\n');
    T_EQ_INT(pax.len, 57);
    STRBUF_AUTO b = STRBUF_HEAP;
    tar_add_header(&b, 'x', "pax", NULL, pax.len, NULL);
    tar_add_data(&b, strbuf_str(&pax));
    tar_add(&b, &(struct tar_spec){.type = '0', .name = "ping", .data = "x", .mode = 0755, .uid = 7});
    tar_end(&b);
    struct unpack *u CLEANUP(unpack_free) = NULL;
    uint64_t bytes, files;
    T_NO_ERR(unpack_new(&(struct unpack_opts){p.root, 1000, 1000}, &u, &err), &err);
    T_NO_ERR(unpack_feed(u, strbuf_str(&b), &err), &err);
    T_NO_ERR(unpack_finish(u, &bytes, &files, &err), &err);
    T_EQ_INT(bytes, 1);
    char have[64];
    if (geteuid() == 0)
        T_EQ_INT(getxattr(at(&p, "ping"), "security.capability", have, sizeof have), 20);
    place_end(&p);
}

TEST(unpack_turns_whiteouts_into_overlays)
{
    struct place p = place_new();
    struct err err = ERR_NONE;
    static const struct tar_spec specs[] = {
        {.type = '0', .name = "etc/.wh.gone"},
        {.type = '0', .name = "var/.wh..wh..opq"},
        {.type = '0', .name = "var/new", .data = "n"},
        {.type = '0', .name = ".wh.first"},          /* hidden below, and new here: a folder */
        {.type = '5', .name = "first"},
        {.type = '0', .name = "first/a", .data = "1"},
        {.type = '5', .name = "second"},             /* the other way round */
        {.type = '0', .name = ".wh.second"},
        {.type = '0', .name = ".wh.third"},          /* a file in place of what was hidden */
        {.type = '0', .name = "third", .data = "3"},
        {.type = '0', .name = ".wh.fourth"},         /* used as a folder without being named */
        {.type = '0', .name = "fourth/a", .data = "4"},
        {.type = '0', .name = ".wh..wh.plnk", .data = "aufs' own"},
    };
    T_NO_ERR(unpack_specs(&p, specs, ARRAY_LEN(specs), (struct unpack_opts){0}, &err), &err);
    T_OK(is_whiteout(&p, "etc/gone"));
    T_OK(is_opaque(&p, "var"));
    T_OK(!is_opaque(&p, "etc"));
    T_OK(has_text(&p, "var/new", "n"));
    T_OK(is_opaque(&p, "first") && has_text(&p, "first/a", "1"));
    T_OK(is_opaque(&p, "second"));
    T_OK(has_text(&p, "third", "3"));
    T_OK(is_opaque(&p, "fourth") && has_text(&p, "fourth/a", "4"));
    struct stat st;
    T_OK(lstat(at(&p, ".wh..wh.plnk"), &st) < 0);
    place_end(&p);
}

TEST(unpack_replaces)
{
    struct place p = place_new();
    struct err err = ERR_NONE;
    static const struct tar_spec specs[] = {
        {.type = '0', .name = "a", .data = "1"}, {.type = '0', .name = "a", .data = "2"},
        {.type = '5', .name = "d"}, {.type = '0', .name = "d/x/y", .data = "1"}, {.type = '0', .name = "d", .data = "now a file"},
        {.type = '0', .name = "f", .data = "1"}, {.type = '5', .name = "f"}, {.type = '0', .name = "f/in", .data = "in"},
        {.type = '0', .name = "h", .data = "h"}, {.type = '1', .name = "h", .link = "h"},
    };
    T_NO_ERR(unpack_specs(&p, specs, ARRAY_LEN(specs), (struct unpack_opts){0}, &err), &err);
    T_OK(has_text(&p, "a", "2"));
    T_OK(has_text(&p, "d", "now a file"));
    T_OK(has_text(&p, "f/in", "in"));
    T_OK(has_text(&p, "h", "h"));
    place_end(&p);
}

/* Links inside the layer lead as they will in the container. */
TEST(unpack_follows_links_inside)
{
    struct place p = place_new();
    struct err err = ERR_NONE;
    static const struct tar_spec specs[] = {
        {.type = '5', .name = "usr/lib"}, {.type = '2', .name = "lib", .link = "usr/lib"}, {.type = '0', .name = "lib/a", .data = "1"},
        {.type = '2', .name = "abs", .link = "/usr/lib"}, {.type = '0', .name = "abs/b", .data = "2"},
        {.type = '2', .name = "up", .link = "../../../../usr"}, {.type = '0', .name = "up/lib/c", .data = "3"},
        {.type = '1', .name = "hard", .link = "lib/a"},
    };
    T_NO_ERR(unpack_specs(&p, specs, ARRAY_LEN(specs), (struct unpack_opts){0}, &err), &err);
    T_OK(has_text(&p, "usr/lib/a", "1") && has_text(&p, "usr/lib/b", "2") && has_text(&p, "usr/lib/c", "3") && has_text(&p, "hard", "1"));
    place_end(&p);
}

/* Every way out that archives have tried. */
TEST(unpack_stays_inside)
{
    struct err err = ERR_NONE;
    static struct tar_spec outside_link = {.type = '2', .name = "out"};
    const struct { struct tar_spec specs[3]; size_t n; bool refused; } cases[] = {
        {{{.type = '0', .name = "../outside/x", .data = "x"}}, 1, true},
        {{{.type = '0', .name = "a/../../outside/x", .data = "x"}}, 1, true},
        {{{.type = '5', .name = ".."}}, 1, true},
        {{{.type = '1', .name = "h", .link = "../outside"}}, 1, true},
        {{{.type = '1', .name = "h", .link = "/etc/passwd"}}, 1, true},
        {{{.type = '2', .name = "out", .link = "../outside"}, {.type = '0', .name = "out/x", .data = "x"}}, 2, true},
        {{outside_link, {.type = '0', .name = "out/x", .data = "x"}}, 2, true},
        {{outside_link, {.type = '0', .name = "out/.wh.x"}}, 2, true},
        {{outside_link, {.type = '5', .name = "out/x"}}, 2, true},
        {{outside_link, {.type = '0', .name = "out", .data = "x"}}, 2, false},
        {{outside_link, {.type = '5', .name = "out"}, {.type = '0', .name = "out/x", .data = "x"}}, 3, false},
        {{{.type = '2', .name = "l", .link = "../outside/x"}, {.type = '0', .name = "l", .data = "x"}}, 2, false},
        {{{.type = '2', .name = "proc", .link = "/proc/self/root"}, {.type = '0', .name = "proc/tmp/x", .data = "x"}}, 2, true},
        {{{.type = '0', .name = ".wh..."}}, 1, true},
        {{{.type = '0', .name = ".wh.."}}, 1, true},
        {{{.type = '0', .name = ".wh."}}, 1, true},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct place p = place_new();
        struct tar_spec specs[3];
        memcpy(specs, cases[i].specs, sizeof specs);
        for (size_t k = 0; k < cases[i].n; k++) {
            if (strcmp(specs[k].name, "out") == 0 && specs[k].type == '2' && !specs[k].link)
                specs[k].link = p.outside; /* an absolute link to the real folder */
        }
        int r = unpack_specs(&p, specs, cases[i].n, (struct unpack_opts){0}, &err);
        if (cases[i].refused && r == 0)
            T_FAIL_("case %zu was not refused", i);
        if (!cases[i].refused && r < 0)
            T_FAIL_("case %zu was refused: %s", i, err.msg);
        place_end(&p); /* fails when something is outside */
    }
}

TEST(unpack_has_bounds)
{
    struct place p = place_new();
    struct err err = ERR_NONE;
    static const struct tar_spec specs[] = {{.type = '0', .name = "a", .data = "12345"}, {.type = '0', .name = "b", .data = "12345"}, {.type = '5', .name = "c"}};
    T_ERR(unpack_specs(&p, specs, 3, (struct unpack_opts){.max_bytes = 9}, &err), E_TOO_LARGE);
    T_ERR(unpack_specs(&p, specs, 3, (struct unpack_opts){.max_files = 2}, &err), E_TOO_LARGE);
    T_NO_ERR(unpack_specs(&p, specs, 3, (struct unpack_opts){.max_bytes = 10, .max_files = 3}, &err), &err);
    /* A name of one part and the longest a tar can have. */
    STRBUF_AUTO pax = STRBUF_HEAP;
    strbuf_add_str(&pax, S("4106 path="));
    for (int i = 0; i < 4095; i++)
        strbuf_add_char(&pax, 'n');
    strbuf_add_char(&pax, '\n');
    T_OK(unpack_specs(&p, &(struct tar_spec){.type = '0', .name = "x", .pax = strbuf_cstr(&pax)}, 1, (struct unpack_opts){0}, &err) < 0);
    T_OK(unpack_specs(&p, &(struct tar_spec){.type = '1', .name = "x", .link = "y"}, 1, (struct unpack_opts){0}, &err) < 0);
    place_end(&p);
}

TEST(tree_removal_is_deep_and_stays_inside)
{
    struct place p = place_new();
    struct err err = ERR_NONE;
    FD_AUTO top = open(p.root, O_RDONLY | O_DIRECTORY);
    int fd = dup(top);
    for (int i = 0; i < 3000; i++) { /* deeper than descriptors or paths go */
        mkdirat(fd, "d", 0755);
        int next = openat(fd, "d", O_RDONLY | O_DIRECTORY);
        close(openat(fd, "f", O_CREAT | O_WRONLY, 0600));
        close(fd);
        fd = next;
    }
    close(fd);
    T_OK(symlinkat(p.outside, top, "link") == 0);
    char keep[200];
    snprintf(keep, sizeof keep, "%s/keep", p.outside);
    close(open(keep, O_CREAT | O_WRONLY, 0600));
    T_NO_ERR(tree_remove(AT_FDCWD, p.root, &err), &err);
    T_OK(access(p.root, F_OK) < 0);
    T_OK(unlink(keep) == 0);
    T_NO_ERR(tree_remove(AT_FDCWD, p.root, &err), &err); /* not there any more */
    place_end(&p);
}

TEST_MAIN(tar_reads_members, tar_reads_extended_headers, tar_skips_what_nobody_wants, tar_refuses_damage, unpack_makes_everything, unpack_keeps_capabilities, unpack_turns_whiteouts_into_overlays,
          unpack_replaces, unpack_follows_links_inside, unpack_stays_inside, unpack_has_bounds, tree_removal_is_deep_and_stays_inside)
