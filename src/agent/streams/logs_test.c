/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/streams/logs.h"

#include <unistd.h>

#include "base/test.h"

#define T(n) "2026-01-02T03:04:0" #n ".000000001Z"

static char dir[64], path[96];

static void put(const char *name, const char *mode, const char *text)
{
    char full[200];
    snprintf(full, sizeof full, "%s/%s", dir, name);
    FILE *f = fopen(full, mode);
    BUG_ON(!f);
    fputs(text, f);
    fclose(f);
}

static void setup(void)
{
    snprintf(dir, sizeof dir, "%s", T_TMPDIR());
    snprintf(path, sizeof path, "%s/0.log", dir);
}

static void cleanup(void)
{
    char command[100];
    snprintf(command, sizeof command, "rm -rf %s", dir);
    T_EQ_INT(system(command), 0);
}

static struct log_opts plain(void)
{
    return (struct log_opts){.path = path, .tail = -1, .limit_bytes = -1};
}

static enum log_result drain(struct log_reader *r, struct strbuf *out, size_t max)
{
    struct err err = ERR_NONE;
    enum log_result res;
    while ((res = log_reader_read(r, out, max, &err)) == LOG_MORE)
        ;
    return res;
}

static void expect(struct log_opts o, const char *want)
{
    struct log_reader *r = log_reader_new(&o);
    STRBUF_AUTO out = STRBUF_HEAP;
    drain(r, &out, 16);
    T_EQ_STR(strbuf_str(&out), want);
    log_reader_free(r);
}

static const char four[] = T(1) " stdout F one\n" T(2) " stderr F two\n" T(3) " stdout P thr\n" T(3) " stdout F ee\n" T(4) " stdout F \n";

TEST(filters)
{
    setup();
    put("0.log", "w", four);
    struct log_opts o = plain();
    expect(o, "one\ntwo\nthree\n\n");
    o.timestamps = true;
    expect(o, T(1) " one\n" T(2) " two\n" T(3) " three\n" T(4) " \n");
    o.timestamps = false;
    o.streams = LOG_STDERR;
    expect(o, "two\n");
    o.streams = LOG_STDOUT;
    expect(o, "one\nthree\n\n");
    o.streams = 0;
    o.limit_bytes = 6;
    expect(o, "one\ntw");
    o.limit_bytes = 0;
    expect(o, "");
    o = plain();
    T_OK(log_filter_feed(&(struct log_filter){.left = -1}, S(""), &(struct strbuf){0}));
    o.since = 1767323043ll * NSEC_PER_SEC; /* 03:04:03 */
    expect(o, "three\n\n");
    o.since = 1767323045ll * NSEC_PER_SEC;
    expect(o, "");
    cleanup();
}

TEST(tail)
{
    setup();
    put("0.log", "w", four);
    struct log_opts o = plain();
    static const char *const want[] = {"", "\n", "three\n\n", "two\nthree\n\n", "one\ntwo\nthree\n\n", "one\ntwo\nthree\n\n"};
    for (size_t i = 0; i < ARRAY_LEN(want); i++) {
        o.tail = (int64_t)i;
        expect(o, want[i]);
    }
    o.tail = 1;
    o.streams = LOG_STDERR;
    expect(o, "two\n");
    cleanup();
}

/* Against the simplest model: all lines, the last of them. */
TEST(tail_of_long_files)
{
    setup();
    STRBUF_AUTO all = STRBUF_HEAP;
    size_t starts[3000], n = ARRAY_LEN(starts);
    FILE *f = fopen(path, "w");
    for (size_t i = 0; i < n; i++) {
        starts[i] = all.len;
        size_t len = i * 37 % 211 + (i == 1500 ? 150000 : 0);
        fprintf(f, T(1) " stdout F %zu-", i);
        strbuf_addf(&all, "%zu-", i);
        for (size_t k = 0; k < len; k++) {
            fputc('x', f);
            strbuf_add_char(&all, 'x');
        }
        fputc('\n', f);
        strbuf_add_char(&all, '\n');
    }
    fclose(f);
    for (size_t lines = 1; lines <= n; lines = lines * 3 / 2 + 1) {
        struct log_opts o = plain();
        o.tail = (int64_t)lines;
        struct log_reader *r = log_reader_new(&o);
        STRBUF_AUTO out = STRBUF_HEAP;
        drain(r, &out, 1 << 16);
        T_OK(str_eq(strbuf_str(&out), str_from(strbuf_str(&all), starts[n - lines])));
        log_reader_free(r);
    }
    cleanup();
}

TEST(rotated_files)
{
    setup();
    put("0.log.2", "w", T(1) " stdout F a\n");
    put("0.log.1", "w", T(2) " stdout F b\n" T(2) " stdout P c\n");
    put("0.log", "w", T(3) " stdout F d\n");
    put("0.log.3.gz", "w", "compressed");
    put("0.logx", "w", T(1) " stdout F other\n");
    struct log_opts o = plain();
    expect(o, "a\nb\ncd\n");
    o.tail = 2;
    expect(o, "b\ncd\n");
    o.tail = 100;
    expect(o, "a\nb\ncd\n");
    cleanup();
    setup();
    put("0.log.20260102-030405", "w", T(1) " stdout F a\n");
    put("0.log.20260102-040000", "w", T(2) " stdout F b\n");
    put("0.log", "w", T(3) " stdout F c\n");
    expect(plain(), "a\nb\nc\n");
    cleanup();
}

static void rotate(const char *from, const char *to)
{
    char a[200], b[200];
    snprintf(a, sizeof a, "%s/%s", dir, from);
    snprintf(b, sizeof b, "%s/%s", dir, to);
    T_EQ_INT(rename(a, b), 0);
}

TEST(follows_across_rotations)
{
    setup();
    put("0.log", "w", T(1) " stdout F one\n" T(1) " stdout F tw");
    struct log_opts o = plain();
    struct log_reader *r = log_reader_new(&o);
    STRBUF_AUTO out = STRBUF_HEAP;
    T_EQ_INT(drain(r, &out, 10), LOG_AT_END);
    T_EQ_STR(strbuf_str(&out), "one\ntw");
    T_OK(!log_reader_has_more(r));
    put("0.log", "a", "o\n");
    T_OK(log_reader_has_more(r));
    put("0.log", "a", T(2) " stdout F late\n");
    rotate("0.log", "0.log.1");
    T_EQ_INT(drain(r, &out, 10), LOG_AT_END); /* there is no new file yet */
    T_EQ_STR(strbuf_str(&out), "one\ntwo\nlate\n");
    T_OK(!log_reader_has_more(r));
    put("0.log", "w", T(3) " stdout F three\n");
    T_OK(log_reader_has_more(r));
    T_EQ_INT(drain(r, &out, 10), LOG_AT_END);
    /* three rotations that nobody saw */
    for (int i = 4; i < 7; i++) {
        char text[64];
        rotate("0.log.1", "0.log.2");
        rotate("0.log", "0.log.1");
        snprintf(text, sizeof text, "2026-01-02T03:04:0%d.000000001Z stdout F n%d\n", i, i);
        put("0.log", "w", text);
        if (i != 4)
            continue;
        T_EQ_INT(drain(r, &out, 10), LOG_AT_END);
    }
    T_EQ_INT(drain(r, &out, 10), LOG_AT_END);
    T_EQ_STR(strbuf_str(&out), "one\ntwo\nlate\nthree\nn4\nn5\nn6\n");
    log_reader_free(r);
    cleanup();
}

TEST(bad_lines_are_left_out)
{
    setup();
    char zeros[300];
    memset(zeros, 'z', sizeof zeros - 1);
    zeros[sizeof zeros - 1] = 0;
    put("0.log", "w", "garbage\n" T(1) " stdout F good\n\n" T(1) " stdout X bad\n" T(1) " stdlog F bad\n" T(1) " stdout F\n");
    put("0.log", "a", zeros);
    put("0.log", "a", "\n" T(2) " stderr F:x last\n");
    expect(plain(), "good\n\nlast\n");
    cleanup();
    setup();
    struct log_opts o = plain();
    struct log_reader *r = log_reader_new(&o);
    struct err err = ERR_NONE;
    STRBUF_AUTO out = STRBUF_HEAP;
    T_EQ_INT(log_reader_read(r, &out, 1, &err), LOG_FAILED);
    T_EQ_INT(err.code, E_NOT_FOUND);
    put("0.log", "w", T(1) " stdout F now\n"); /* a reader that found nothing may be asked again */
    T_EQ_INT(drain(r, &out, 10), LOG_AT_END);
    T_EQ_STR(strbuf_str(&out), "now\n");
    log_reader_free(r);
    cleanup();
}

TEST_MAIN(filters, tail, tail_of_long_files, rotated_files, follows_across_rotations, bad_lines_are_left_out)
