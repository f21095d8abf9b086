/* SPDX-License-Identifier: Apache-2.0 */
#include "wire/websocket.h"

#include "base/test.h"

static const uint8_t key[4] = {0x37, 0xfa, 0x21, 0x3d};

static void add_frame(struct strbuf *b, int opcode, bool fin, str payload)
{
    char head[WS_HEAD_MAX];
    strbuf_add(b, head, websocket_head(head, (enum websocket_opcode)opcode, fin, payload.len, key));
    size_t at = b->len;
    strbuf_add_str(b, payload);
    websocket_mask(b->p + at, payload.len, key, 0);
}

/* What a decoder fed `step` bytes at a time says, as text: t(hello) b() ping(x) close(1000,why) !1002 */
static void decode(struct websocket *ws, str in, size_t step, struct strbuf *out)
{
    char *copy = str_dup(in);
    bool open = false;
    for (size_t at = 0; at < in.len;) {
        struct websocket_event e;
        size_t used;
        enum websocket_result r = websocket_step(ws, copy + at, MIN(step, in.len - at), &used, &e);
        at += used;
        if (r == WS_MORE)
            continue;
        if (r == WS_BAD) {
            strbuf_addf(out, "!%d", e.close_code);
            break;
        }
        if (r == WS_GOT_PIECE) {
            strbuf_addf(out, "%s" STR_FMT "%s", open ? "" : e.opcode == WS_TEXT ? "t(" : "b(", STR_ARG(e.payload), e.message_end ? ")" : "");
            open = !e.message_end;
        } else if (r == WS_GOT_CLOSE) {
            strbuf_addf(out, "close(%d," STR_FMT ")", e.close_code, STR_ARG(e.payload));
        } else {
            strbuf_addf(out, "%s(" STR_FMT ")", r == WS_GOT_PING ? "ping" : "pong", STR_ARG(e.payload));
        }
    }
    free(copy);
}

static void check(str in, const char *want)
{
    for (size_t step = 1; step < 300; step = step * 3 + 1) {
        struct websocket ws = {.is_server = true, .max_message = 1000};
        STRBUF_AUTO out = STRBUF_HEAP;
        decode(&ws, in, step, &out);
        /* text that turns out bad was handed on in part when it came in parts */
        size_t cut = want[0] == '!' && out.len > strlen(want) ? out.len - strlen(want) : 0;
        T_EQ_STR(str_from(strbuf_str(&out), cut), want);
    }
}

TEST(rfc_examples)
{
    check(S("\x81\x85\x37\xfa\x21\x3d\x7f\x9f\x4d\x51\x58"), "t(Hello)");
    struct websocket client = {.is_server = false};
    STRBUF_AUTO out = STRBUF_HEAP;
    decode(&client, S("\x81\x05\x48\x65\x6c\x6c\x6f"), 100, &out);
    decode(&client, S("\x01\x03\x48\x65\x6c\x80\x02\x6c\x6f"), 100, &out);
    T_EQ_STR(strbuf_str(&out), "t(Hello)t(Hello)");
    char accept[WS_ACCEPT_LEN + 1];
    T_OK(websocket_accept(S("dGhlIHNhbXBsZSBub25jZQ=="), accept));
    T_EQ_STR(str_of(accept), "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
    T_OK(!websocket_accept(S("dGhlIHNhbXBsZSBub25jZQ="), accept));
    T_OK(!websocket_accept(S("dGhlIHNhb!BsZSBub25jZQ=="), accept));
    T_OK(!websocket_accept(S(""), accept));
}

TEST(fragments_and_control_frames)
{
    STRBUF_AUTO b = STRBUF_HEAP;
    add_frame(&b, WS_TEXT, false, S("a\xc3"));
    add_frame(&b, WS_PING, true, S("p"));
    add_frame(&b, WS_CONTINUATION, false, S(""));
    add_frame(&b, WS_CONTINUATION, true, S("\xa4z"));
    add_frame(&b, WS_BINARY, true, S(""));
    add_frame(&b, WS_PONG, true, S(""));
    char payload[WS_CONTROL_MAX];
    add_frame(&b, WS_CLOSE, true, str_n(payload, websocket_close_payload(payload, 1000, S("bye"))));
    add_frame(&b, WS_TEXT, true, S("after the end"));
    for (size_t step = 1; step < 300; step = step * 3 + 1) {
        struct websocket ws = {.is_server = true, .max_message = 1000};
        STRBUF_AUTO out = STRBUF_HEAP;
        decode(&ws, strbuf_str(&b), step, &out);
        T_OK(str_has_suffix(strbuf_str(&out), S("b()pong()close(1000,bye)")));
        T_OK(str_find(strbuf_str(&out), S("ping(p)")) > 0);
    }
}

TEST(bad_frames)
{
    check(S("\x81\x05Hello"), "!1002");                         /* not masked */
    check(S("\xc1\x80\1\2\3\4"), "!1002");                      /* reserved bit */
    check(S("\x83\x80\1\2\3\4"), "!1002");                      /* opcode 3 */
    check(S("\x8b\x80\1\2\3\4"), "!1002");                      /* opcode 11 */
    check(S("\x09\x80\1\2\3\4"), "!1002");                      /* fragmented ping */
    check(S("\x89\xfe\x00\x80\1\2\3\4"), "!1002");              /* ping of 128 bytes */
    check(S("\x80\x80\1\2\3\4"), "!1002");                      /* nothing to continue */
    check(S("\x01\x80\1\2\3\4\x01\x80\1\2\3\4"), "!1002");      /* text inside text */
    check(S("\x82\xfe\x00\x05\1\2\3\4"), "!1002");              /* 5 in 16 bits */
    check(S("\x82\xff\0\0\0\0\0\0\x01\0\1\2\3\4"), "!1002");    /* 256 in 64 bits */
    check(S("\x82\xff\x80\0\0\0\0\0\0\0\1\2\3\4"), "!1002");    /* sign bit */
    check(S("\x82\xfe\x04\x00\1\2\3\4"), "!1009");              /* 1024 > 1000 */
    check(S("\x88\x81\0\0\0\0\1"), "!1002");                    /* close with one byte */
    check(S("\x88\x82\0\0\0\0\x03\xed"), "!1002");              /* close 1005 */
    check(S("\x88\x83\0\0\0\0\x03\xe8\xff"), "!1007");          /* reason not UTF-8 */
    check(S("\x88\x80\0\0\0\0"), "close(1005,)");
    check(S("\x81\x82\0\0\0\0\xc0\x80"), "!1007");              /* overlong */
    check(S("\x81\x83\0\0\0\0\xed\xa0\x80"), "!1007");          /* surrogate, found at its last byte */
    check(S("\x81\x81\0\0\0\0\xc3"), "!1007");                  /* cut character */
}

TEST(message_limit_counts_fragments)
{
    STRBUF_AUTO b = STRBUF_HEAP;
    char text[600];
    memset(text, 'x', sizeof text);
    add_frame(&b, WS_BINARY, false, str_n(text, 600));
    add_frame(&b, WS_CONTINUATION, true, str_n(text, 401));
    struct websocket ws = {.is_server = true, .max_message = 1000};
    STRBUF_AUTO out = STRBUF_HEAP;
    decode(&ws, strbuf_str(&b), 4096, &out);
    T_OK(str_has_suffix(strbuf_str(&out), S("!1009")));
}

TEST(heads)
{
    char out[WS_HEAD_MAX];
    T_EQ_INT(websocket_head(out, WS_BINARY, true, 125, NULL), 2);
    T_EQ_INT(websocket_head(out, WS_BINARY, true, 126, NULL), 4);
    T_EQ_INT(websocket_head(out, WS_BINARY, true, 65535, key), 8);
    T_EQ_INT(websocket_head(out, WS_BINARY, true, 65536, key), 14);
    T_OK(memcmp(out, "\x82\xff\0\0\0\0\0\1\0\0", 10) == 0);
    char payload[WS_CONTROL_MAX], reason[130];
    memset(reason, 'a', sizeof reason);
    memcpy(reason + 122, "\xc3\xa4", 2);
    T_EQ_INT(websocket_close_payload(payload, 1011, str_n(reason, sizeof reason)), 124); /* the cut character is left out */
}

TEST_MAIN(rfc_examples, fragments_and_control_frames, bad_frames, message_limit_counts_fragments, heads)
