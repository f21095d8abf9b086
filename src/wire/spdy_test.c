/* SPDX-License-Identifier: Apache-2.0 */
#include "wire/spdy.h"

#include "base/test.h"

static str feed(struct spdy *s, str in, enum spdy_result want, struct spdy_event *e)
{
    size_t used;
    enum spdy_result r = spdy_step(s, in, &used, e);
    T_EQ_INT(r, want);
    return str_from(in, used);
}

TEST(headers_go_through_one_compressor)
{
    struct spdy *a = spdy_new(), *b = spdy_new();
    struct strbuf out = STRBUF_HEAP;
    struct spdy_event e;
    for (uint32_t id = 1; id < 40; id += 2) {
        strbuf_clear(&out);
        char value[16];
        snprintf(value, sizeof value, "n-%u", id);
        struct http_header h[] = {{S("streamtype"), S("data")}, {S("requestid"), str_of(value)}};
        spdy_write_syn(a, &out, id, id % 3 == 0, h, 2);
        str rest = feed(b, strbuf_str(&out), SPDY_GOT_SYN, &e);
        T_EQ_INT(rest.len, 0);
        T_EQ_INT(e.stream, id);
        T_EQ_INT(e.fin, id % 3 == 0);
        T_EQ_INT(e.nheaders, 2);
        T_EQ_STR(spdy_header(&e, S("streamtype")), "data");
        T_EQ_STR(spdy_header(&e, S("requestid")), value);
        T_EQ_STR(spdy_header(&e, S("other")), "");
    }
    strbuf_clear(&out);
    spdy_write_reply(a, &out, 7, NULL, 0);
    feed(b, strbuf_str(&out), SPDY_GOT_REPLY, &e);
    T_EQ_INT(e.stream, 7);
    T_EQ_INT(e.nheaders, 0);
    strbuf_fini(&out);
    spdy_free(a);
    spdy_free(b);
}

TEST(first_block_names_the_dictionary)
{
    struct spdy *a = spdy_new();
    struct strbuf out = STRBUF_HEAP;
    spdy_write_reply(a, &out, 1, NULL, 0);
    T_EQ_INT((unsigned char)out.p[12] & 0x0f, 8);
    T_EQ_INT((unsigned char)out.p[13] & 0x20, 0x20); /* a dictionary is used */
    T_OK(memcmp(out.p + 14, "\xe3\xc6\xa7\xc2", 4) == 0); /* the protocol's */
    strbuf_fini(&out);
    spdy_free(a);
}

TEST(names_are_lowered)
{
    struct spdy *a = spdy_new(), *b = spdy_new();
    struct strbuf out = STRBUF_HEAP;
    struct spdy_event e;
    spdy_write_syn(a, &out, 1, false, &(struct http_header){S("Streamtype"), S("Error")}, 1);
    feed(b, strbuf_str(&out), SPDY_GOT_SYN, &e);
    T_EQ_STR(spdy_header(&e, S("streamtype")), "Error");
    strbuf_fini(&out);
    spdy_free(a);
    spdy_free(b);
}

TEST(data_in_pieces)
{
    struct spdy *b = spdy_new();
    struct strbuf out = STRBUF_HEAP, got = STRBUF_HEAP;
    struct spdy_event e;
    spdy_write_data_head(&out, 3, true, 11);
    strbuf_add_str(&out, S("hello world"));
    spdy_write_data_head(&out, 5, true, 0);
    int fins = 0;
    str in = strbuf_str(&out);
    for (size_t i = 0; i < in.len; i++) {
        size_t used;
        enum spdy_result r = spdy_step(b, str_sub(in, i, i + 1), &used, &e);
        T_EQ_INT(used, 1);
        if (r == SPDY_GOT_DATA) {
            strbuf_add_str(&got, e.data);
            fins += e.fin;
            T_EQ_INT(e.stream, e.data.len ? 3 : 5);
        } else {
            T_EQ_INT(r, SPDY_MORE);
        }
    }
    T_EQ_STR(strbuf_str(&got), "hello world");
    T_EQ_INT(fins, 2);
    strbuf_fini(&out);
    strbuf_fini(&got);
    spdy_free(b);
}

TEST(control_frames)
{
    struct spdy *b = spdy_new();
    struct strbuf out = STRBUF_HEAP;
    struct spdy_event e;
    spdy_write_ping(&out, 42);
    spdy_write_reset(&out, 9, SPDY_CANCEL);
    spdy_write_goaway(&out, 11);
    strbuf_add(&out, "\x80\x03\0\4\0\0\0\4\0\0\0\0", 12);            /* SETTINGS without entries */
    strbuf_add(&out, "\x80\x03\0\x09\0\0\0\x08\0\0\0\1\0\0\x10\0", 16); /* WINDOW_UPDATE */
    str in = strbuf_str(&out);
    in = feed(b, in, SPDY_GOT_PING, &e);
    T_EQ_INT(e.ping, 42);
    in = feed(b, in, SPDY_GOT_RESET, &e);
    T_EQ_INT(e.stream, 9);
    T_EQ_INT(e.status, SPDY_CANCEL);
    in = feed(b, in, SPDY_GOT_GOAWAY, &e);
    T_EQ_INT(e.stream, 11);
    in = feed(b, in, SPDY_GOT_OTHER, &e);
    in = feed(b, in, SPDY_GOT_OTHER, &e);
    T_EQ_INT(in.len, 0);
    strbuf_fini(&out);
    spdy_free(b);
}

TEST(broken_frames)
{
    static const struct {
        const char *bytes;
        size_t len;
    } cases[] = {
        {"\x80\x02\0\6\0\0\0\4\0\0\0\1", 12},           /* version 2 */
        {"\x80\x03\0\1\0\xff\0\0", 8},                  /* a header block of 16 MB */
        {"\x80\x03\0\1\0\0\0\4\0\0\0\1", 12},           /* SYN without its fields */
        {"\x80\x03\0\2\0\0\0\x08\0\0\0\1zzzz", 16},     /* no zlib */
        {"\x80\x03\0\6\0\0\0\2\0\1", 10},               /* a short ping */
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct spdy *b = spdy_new();
        struct spdy_event e;
        feed(b, str_n(cases[i].bytes, cases[i].len), SPDY_BAD, &e);
        T_OK(e.why != NULL);
        feed(b, S("more"), SPDY_BAD, &e);
        spdy_free(b);
    }
}

/* A few hundred bytes that unpack to megabytes. */
TEST(header_bomb)
{
    struct spdy *a = spdy_new(), *b = spdy_new();
    struct strbuf out = STRBUF_HEAP, zeros = STRBUF_HEAP;
    struct spdy_event e;
    strbuf_grow(&zeros, SPDY_HEADER_BYTES);
    memset(zeros.p, 'a', SPDY_HEADER_BYTES);
    zeros.len = SPDY_HEADER_BYTES;
    spdy_write_syn(a, &out, 1, false, &(struct http_header){S("x"), strbuf_str(&zeros)}, 1);
    T_OK(out.len < 2000);
    feed(b, strbuf_str(&out), SPDY_BAD, &e);
    strbuf_fini(&out);
    strbuf_fini(&zeros);
    spdy_free(a);
    spdy_free(b);
}

TEST_MAIN(headers_go_through_one_compressor, first_block_names_the_dictionary, names_are_lowered, data_in_pieces, control_frames, broken_frames, header_bomb)
