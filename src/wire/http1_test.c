/* SPDX-License-Identifier: Apache-2.0 */
#include "wire/http1.h"

#include "base/clock.h"
#include "base/limits.h"
#include "base/test.h"

struct parsed {
    enum http1_result r;
    struct http1_head head;
    struct http1_error error;
    struct http_header headers[LIMIT_HEADER_COUNT];
    char *buf;
};

static struct parsed *parse(str text)
{
    struct parsed *p = xnew(struct parsed);
    struct http1_scan scan = {0};
    p->buf = xmalloc(text.len + 1);
    memcpy(p->buf, text.p, text.len);
    p->r = http1_head_parse(&scan, p->buf, text.len, p->headers, &p->head, &p->error);
    return p;
}
static void parsed_free(struct parsed *p)
{
    free(p->buf);
    free(p);
}

static int status_of(str text)
{
    struct parsed *p = parse(text);
    int status = p->r == HTTP1_BAD ? p->error.status : p->r == HTTP1_DONE ? 0 : -1;
    parsed_free(p);
    return status;
}

TEST(head_is_taken_apart)
{
    struct parsed *p = parse(S("PATCH /api/v1/pods?limit=5&x HTTP/1.1\r\nHost: a.example:6443\r\nACCEPT:\t a/b ,c \r\nContent-Length: 12\r\n\r\nrest"));
    T_EQ_INT(p->r, HTTP1_DONE);
    T_EQ_STR(p->head.method, "PATCH");
    T_EQ_STR(p->head.path, "/api/v1/pods");
    T_EQ_STR(p->head.query, "limit=5&x");
    T_EQ_STR(p->head.host, "a.example:6443");
    T_EQ_INT(p->head.nheaders, 3);
    T_EQ_STR(p->head.headers[1].name, "accept");
    T_EQ_STR(p->head.headers[1].value, "a/b ,c");
    T_EQ_INT(p->head.content_length, 12);
    T_OK(p->head.keep_alive);
    T_EQ_INT(p->head.bytes, strstr(p->buf, "rest") - p->buf);
    parsed_free(p);
}

TEST(targets)
{
    static const struct {
        const char *line, *path, *query, *host;
    } cases[] = {
        {"GET / HTTP/1.1", "/", "", "h"},
        {"GET /a%2Fb?c=d?e HTTP/1.1", "/a%2Fb", "c=d?e", "h"},
        {"GET http://other:1/x?y HTTP/1.1", "/x", "y", "other:1"},
        {"GET https://other HTTP/1.1", "/", "", "other"},
        {"GET http://other?q HTTP/1.1", "/", "q", "other"},
        {"OPTIONS * HTTP/1.1", "*", "", "h"},
        {"GET /\xc3\xa4 HTTP/1.1", "/\xc3\xa4", "", "h"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        char text[256];
        int n = snprintf(text, sizeof text, "%s\r\nhost: h\r\n\r\n", cases[i].line);
        struct parsed *p = parse(str_n(text, (size_t)n));
        T_EQ_INT(p->r, HTTP1_DONE);
        T_EQ_STR(p->head.path, cases[i].path);
        T_EQ_STR(p->head.query, cases[i].query);
        T_EQ_STR(p->head.host, cases[i].host);
        parsed_free(p);
    }
}

TEST(bad_heads_are_refused)
{
    static const struct {
        int status;
        str text;
    } cases[] = {
        {0, STR_INIT("\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n")},
        {400, STR_INIT("\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n")},
        {400, STR_INIT("\x16\x03\x01")},
        {400, STR_INIT("GET / HTTP/1.1\nHost: x\r\n\r\n")},
        {400, STR_INIT("GET / HTTP/1.1\r\nHost: x\n\r\n")},
        {400, STR_INIT("GET / HTTP/1.1\r\nHost: x\r\r\n\r\n")},
        {400, STR_INIT("GET / HTTP/1.1\r\nHost: x\r\nA: b\rc\r\n\r\n")},
        {400, STR_INIT("GET / HTTP/1.1\r\nHost: x\r\nA: b\0c\r\n\r\n")},
        {400, STR_INIT("GET / HTTP/1.1\r\nHost: x\r\nA : b\r\n\r\n")},
        {400, STR_INIT("GET / HTTP/1.1\r\nHost: x\r\nA\r\n\r\n")},
        {400, STR_INIT("GET / HTTP/1.1\r\nHost: x\r\n: b\r\n\r\n")},
        {400, STR_INIT("GET / HTTP/1.1\r\nHost: x\r\nA: b\r\n c\r\n\r\n")},
        {400, STR_INIT("GET / HTTP/1.1\r\n Host: x\r\n\r\n")},
        {400, STR_INIT("GET / HTTP/1.1\r\nH\xc3\xa4: x\r\n\r\n")},
        {400, STR_INIT("GET / HTTP/1.1\r\n\r\n")},
        {0, STR_INIT("GET / HTTP/1.0\r\n\r\n")},
        {0, STR_INIT("GET / HTTP/1.1\r\nHost:\r\n\r\n")},
        {400, STR_INIT("GET / HTTP/1.1\r\nHost: x\r\nHost: x\r\n\r\n")},
        {400, STR_INIT("GET / HTTP/1.1\r\nHost: x y\r\n\r\n")},
        {400, STR_INIT("GET / HTTP/1.1\r\nHost: x/y\r\n\r\n")},
        {400, STR_INIT("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\n")},
        {400, STR_INIT("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1, 1\r\n\r\n")},
        {400, STR_INIT("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: +1\r\n\r\n")},
        {400, STR_INIT("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n")},
        {400, STR_INIT("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 0x1\r\n\r\n")},
        {400, STR_INIT("POST / HTTP/1.1\r\nHost: x\r\nContent-Length:\r\n\r\n")},
        {400, STR_INIT("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9999999999999999999\r\n\r\n")},
        {400, STR_INIT("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n")},
        {400, STR_INIT("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\n")},
        {400, STR_INIT("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n")},
        {501, STR_INIT("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n")},
        {501, STR_INIT("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: xchunked\r\n\r\n")},
        {400, STR_INIT("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: \x0b" "chunked\r\n\r\n")},
        {400, STR_INIT("POST / HTTP/1.0\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")},
        {417, STR_INIT("POST / HTTP/1.1\r\nHost: x\r\nExpect: wonders\r\n\r\n")},
        {505, STR_INIT("GET / HTTP/2.0\r\nHost: x\r\n\r\n")},
        {400, STR_INIT("GET / HTTP/1.1 \r\nHost: x\r\n\r\n")},
        {400, STR_INIT("GET  / HTTP/1.1\r\nHost: x\r\n\r\n")},
        {400, STR_INIT("GET / a HTTP/1.1\r\nHost: x\r\n\r\n")},
        {400, STR_INIT("GET /\r\nHost: x\r\n\r\n")},
        {400, STR_INIT("GET\r\nHost: x\r\n\r\n")},
        {400, STR_INIT("G(T / HTTP/1.1\r\nHost: x\r\n\r\n")},
        {400, STR_INIT("GET /#frag HTTP/1.1\r\nHost: x\r\n\r\n")},
        {400, STR_INIT("GET x HTTP/1.1\r\nHost: x\r\n\r\n")},
        {400, STR_INIT("GET ftp://x/ HTTP/1.1\r\nHost: x\r\n\r\n")},
        {400, STR_INIT("GET http:/// HTTP/1.1\r\nHost: x\r\n\r\n")},
        {400, STR_INIT("CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n")},
        {-1, STR_INIT("GET / HTTP/1.1\r\nHost: x\r\n")},
        {-1, STR_INIT("")},
        {-1, STR_INIT("\r")},
        {-1, STR_INIT("\r\n")},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        int want = cases[i].status, got = status_of(cases[i].text);
        if (got != want)
            T_FAIL_("case %zu '" STR_FMT "': %d, expected %d", i, STR_ARG(cases[i].text), got, want);
    }
}

TEST(limits_hold)
{
    STRBUF_AUTO b = STRBUF_HEAP;
    strbuf_addf(&b, "GET /");
    for (size_t i = 0; i < LIMIT_URL_BYTES; i++)
        strbuf_add_char(&b, 'a');
    strbuf_addf(&b, " HTTP/1.1\r\nHost: x\r\n\r\n");
    T_EQ_INT(status_of(strbuf_str(&b)), 414);
    strbuf_clear(&b);
    strbuf_addf(&b, "GET / HTTP/1.1\r\nHost: x\r\n");
    for (size_t i = 0; i < LIMIT_HEADER_COUNT; i++)
        strbuf_addf(&b, "a: b\r\n");
    strbuf_addf(&b, "\r\n");
    T_EQ_INT(status_of(strbuf_str(&b)), 431);
    strbuf_clear(&b);
    strbuf_addf(&b, "GET / HTTP/1.1\r\nHost: x\r\na: ");
    for (size_t i = 0; i < LIMIT_HEADER_BYTES; i++)
        strbuf_add_char(&b, 'a');
    T_EQ_INT(status_of(strbuf_str(&b)), 431);
    strbuf_addf(&b, "\r\n\r\n");
    T_EQ_INT(status_of(strbuf_str(&b)), 431);
}

TEST(connection_words)
{
    static const struct {
        const char *text;
        bool keep_alive, upgrade;
    } cases[] = {
        {"GET / HTTP/1.1\r\nHost: x\r\n\r\n", true, false},
        {"GET / HTTP/1.1\r\nHost: x\r\nConnection: Close\r\n\r\n", false, false},
        {"GET / HTTP/1.1\r\nHost: x\r\nConnection: te, close\r\n\r\n", false, false},
        {"GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n", true, true},
        {"GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\n\r\n", true, false},
        {"GET / HTTP/1.0\r\n\r\n", false, false},
        {"GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", true, false},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct parsed *p = parse(str_of(cases[i].text));
        T_EQ_INT(p->head.keep_alive, cases[i].keep_alive);
        T_EQ_INT(p->head.wants_upgrade, cases[i].upgrade);
        parsed_free(p);
    }
}

TEST(head_byte_by_byte)
{
    str text = S("\r\nGET /x HTTP/1.1\r\nHost: x\r\nA: b\r\n\r\nGET");
    struct http1_scan scan = {0};
    struct http1_head head;
    struct http1_error e;
    struct http_header headers[LIMIT_HEADER_COUNT];
    char buf[64];
    memcpy(buf, text.p, text.len);
    for (size_t len = 0; len < text.len - 3; len++)
        T_EQ_INT(http1_head_parse(&scan, buf, len, headers, &head, &e), HTTP1_MORE);
    T_EQ_INT(http1_head_parse(&scan, buf, text.len - 3, headers, &head, &e), HTTP1_DONE);
    T_EQ_STR(head.path, "/x");
    T_EQ_INT(head.bytes, text.len - 3);
}

/* Decodes with pieces of `step` bytes; the result ends with '!' when the body was bad, '.' when it was complete. */
static void dechunk(str in, size_t step, struct strbuf *out)
{
    struct http1_chunked d = {0};
    str data;
    size_t used;
    const char *why;
    for (size_t at = 0; at < in.len;) {
        enum http1_result r = http1_chunked_step(&d, str_sub(in, at, at + step), &used, &data, &why);
        if (r == HTTP1_BAD || r == HTTP1_DONE) {
            strbuf_add_char(out, r == HTTP1_BAD ? '!' : '.');
            return;
        }
        if (r == HTTP1_DATA)
            strbuf_add_str(out, data);
        at += used;
    }
}

TEST(chunked_bodies)
{
    static const struct {
        const char *in, *out;
    } cases[] = {
        {"5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n", "hello world."},
        {"A\r\n0123456789\r\n0\r\n\r\n", "0123456789."},
        {"1;ext=\"x\"\r\na\r\n0;e\r\nTrailer: x\r\n\r\n", "a."},
        {"005\r\nhello\r\n0\r\n\r\n", "hello."},
        {"5\r\nhello", "hello"},
        {"5 \r\nhello\r\n0\r\n\r\n", "!"},
        {" 5\r\nhello\r\n0\r\n\r\n", "!"},
        {"0x5\r\nhello\r\n0\r\n\r\n", "!"},
        {"-1\r\n", "!"},
        {"\r\n", "!"},
        {"5\nhello\r\n0\r\n\r\n", "!"},
        {"5\r\nhelloX\r\n0\r\n\r\n", "hello!"},
        {"5\r\nhello\n0\r\n\r\n", "hello!"},
        {"5;a\nb\r\nhello\r\n", "!"},
        {"1;\x01\r\n", "!"},
        {"0\r\nbad header\x02\r\n\r\n", "!"},
        {"0\r\n: x\r\n\r\n", "!"},
        {"0\r\nX", ""},
        {"ffffffffffffffff\r\n", "!"},
        {"10000000000000000\r\n", "!"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        for (size_t step = 1; step < 40; step += 6) {
            STRBUF_AUTO out = STRBUF_HEAP;
            dechunk(str_of(cases[i].in), step, &out);
            T_EQ_STR(strbuf_str(&out), cases[i].out);
        }
    }
}

TEST(chunked_framing_is_bounded)
{
    struct http1_chunked d = {0};
    str data;
    size_t used;
    const char *why = NULL;
    enum http1_result r = http1_chunked_step(&d, S("1;"), &used, &data, &why);
    for (int i = 0; i < 20000 && r != HTTP1_BAD; i++)
        r = http1_chunked_step(&d, S("x"), &used, &data, &why);
    T_EQ_INT(r, HTTP1_BAD);
    T_OK(why);
}

TEST(response_heads)
{
    char out[512];
    const struct http_header headers[] = {{S("warning"), S("299 - \"x\"")}, {S("evil"), S("a\r\nset-cookie: b")}, {S("bad name"), S("x")}};
    struct http1_response_head h = {.status = 404, .framing = HTTP1_LENGTH, .length = 1234567890123, .content_type = S("a/b"), .close = true,
                                    .headers = headers, .nheaders = ARRAY_LEN(headers)};
    T_OK(http1_response_bound(&h) <= sizeof out);
    size_t n = http1_response_write(out, &h);
    T_EQ_STR(str_n(out, n),
             "HTTP/1.1 404 Not Found\r\ncontent-type: a/b\r\ncontent-length: 1234567890123\r\nwarning: 299 - \"x\"\r\nconnection: close\r\n\r\n");
    h = (struct http1_response_head){.status = 200, .framing = HTTP1_CHUNKED, .date = S("Sun, 06 Nov 1994 08:49:37 GMT")};
    n = http1_response_write(out, &h);
    T_EQ_STR(str_n(out, n), "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\ndate: Sun, 06 Nov 1994 08:49:37 GMT\r\n\r\n");
    char date[HTTP1_DATE_LEN + 1];
    http1_date_format(784111777 * NSEC_PER_SEC, date);
    T_EQ_STR(str_of(date), "Sun, 06 Nov 1994 08:49:37 GMT");
    http1_date_format(0, date);
    T_EQ_STR(str_of(date), "Thu, 01 Jan 1970 00:00:00 GMT");
    T_EQ_STR(str_n(out, http1_chunk_head(out, 0)), "0\r\n");
    T_EQ_STR(str_n(out, http1_chunk_head(out, 0xffffffffu)), "ffffffff\r\n");
    T_EQ_STR(str_n(out, http1_chunk_head(out, 0x1a0)), "1a0\r\n");
}

TEST_MAIN(head_is_taken_apart, targets, bad_heads_are_refused, limits_hold, connection_words, head_byte_by_byte, chunked_bodies,
          chunked_framing_is_bounded, response_heads)
