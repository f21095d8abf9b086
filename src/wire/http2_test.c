/* SPDX-License-Identifier: Apache-2.0 */
/* The peer is nghttp2's client where it behaves, and hand-made frames where it does not. */
#include "wire/http2.h"

#include <nghttp2/nghttp2.h>

#include "base/limits.h"
#include "base/test.h"

#define PREFACE "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

struct stream {
    struct http2_stream h2;
    const char *answer; /* what is left of it */
    bool more;          /* more may come */
};

struct side {
    struct http2 *h2;
    int requests, opened, closed;
    struct stream *last;
    struct strbuf seen;
    nsec_t now;
    /* client */
    nghttp2_session *client;
    struct strbuf got;
    int got_status, got_streams_closed;
    uint32_t got_goaway, got_reset;
};

static struct http2_stream *on_open(void *arg)
{
    struct side *x = arg;
    x->opened++;
    return &(x->last = xnew(struct stream))->h2;
}
static void on_request(void *arg, struct http2_stream *s)
{
    struct side *x = arg;
    x->requests++;
    strbuf_addf(&x->seen, STR_FMT " " STR_FMT " " STR_FMT " %u ", STR_ARG(s->method), STR_ARG(s->path), STR_ARG(s->authority), s->nheaders);
    strbuf_addf(&x->seen, "%d " STR_FMT "\n", s->refuse, STR_ARG(strbuf_str(&s->body)));
}
static void on_close(void *arg, struct http2_stream *s)
{
    struct side *x = arg;
    x->closed++;
    strbuf_fini(&s->body);
    arena_fini(&s->arena);
    struct stream *st = container_of(s, struct stream, h2);
    if (x->last == st)
        x->last = NULL;
    free(st);
}
static size_t pull_size(void *arg UNUSED, struct http2_stream *s, size_t max, bool *ret_end)
{
    struct stream *st = container_of(s, struct stream, h2);
    size_t left = strlen(st->answer);
    *ret_end = left <= max && !st->more;
    return MIN(left, max);
}
static void pull(void *arg UNUSED, struct http2_stream *s, char *out, size_t n)
{
    struct stream *st = container_of(s, struct stream, h2);
    memcpy(out, st->answer, n);
    st->answer += n;
}
static const struct http2_ops ops = {.on_open = on_open, .on_request = on_request, .on_close = on_close, .pull_size = pull_size, .pull = pull};

static int client_header(nghttp2_session *s UNUSED, const nghttp2_frame *f UNUSED, const uint8_t *name, size_t name_len, const uint8_t *value,
                         size_t value_len, uint8_t flags UNUSED, void *arg)
{
    struct side *x = arg;
    uint64_t v;
    if (str_eq(str_n((const char *)name, name_len), S(":status")) && str_to_u64(str_n((const char *)value, value_len), &v))
        x->got_status = (int)v;
    return 0;
}
static int client_data(nghttp2_session *s UNUSED, uint8_t flags UNUSED, int32_t id UNUSED, const uint8_t *p, size_t n, void *arg)
{
    strbuf_add(&((struct side *)arg)->got, p, n);
    return 0;
}
static int client_frame(nghttp2_session *s UNUSED, const nghttp2_frame *f, void *arg)
{
    struct side *x = arg;
    if (f->hd.type == NGHTTP2_GOAWAY)
        x->got_goaway = f->goaway.error_code + 1;
    if (f->hd.type == NGHTTP2_RST_STREAM)
        x->got_reset = f->rst_stream.error_code + 1;
    return 0;
}
static int client_close(nghttp2_session *s UNUSED, int32_t id UNUSED, uint32_t error UNUSED, void *arg)
{
    ((struct side *)arg)->got_streams_closed++;
    return 0;
}

static void side_init(struct side *x, uint64_t max_body)
{
    *x = (struct side){.now = NSEC_PER_SEC};
    x->h2 = http2_new(&(struct http2_opts){.ops = &ops, .arg = x, .max_body = max_body});
    nghttp2_session_callbacks *cb;
    nghttp2_session_callbacks_new(&cb);
    nghttp2_session_callbacks_set_on_header_callback(cb, client_header);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(cb, client_data);
    nghttp2_session_callbacks_set_on_frame_recv_callback(cb, client_frame);
    nghttp2_session_callbacks_set_on_stream_close_callback(cb, client_close);
    nghttp2_session_client_new(&x->client, cb, x);
    nghttp2_session_callbacks_del(cb);
    nghttp2_submit_settings(x->client, 0, NULL, 0);
}
static void side_fini(struct side *x)
{
    http2_free(x->h2);
    nghttp2_session_del(x->client);
    strbuf_fini(&x->seen);
    strbuf_fini(&x->got);
    T_EQ_INT(x->opened, x->closed);
}

static char out_buf[64 << 10];

/* Carries bytes both ways until both are quiet. */
static int exchange(struct side *x)
{
    struct err err;
    for (bool moved = true; moved;) {
        moved = false;
        const uint8_t *p;
        ssize_t n;
        while ((n = nghttp2_session_mem_send(x->client, &p)) > 0) {
            moved = true;
            int r = http2_recv(x->h2, str_n((const char *)p, (size_t)n), x->now, &err);
            if (r < 0)
                return r;
        }
        size_t m;
        while ((m = http2_send(x->h2, out_buf, HTTP2_SEND_MIN)) > 0) {
            moved = true;
            T_EQ_INT(nghttp2_session_mem_recv(x->client, (const uint8_t *)out_buf, m), m);
        }
    }
    return 0;
}

static nghttp2_nv nv(const char *name, const char *value)
{
    return (nghttp2_nv){(uint8_t *)(uintptr_t)name, (uint8_t *)(uintptr_t)value, strlen(name), strlen(value), 0};
}

static ssize_t upload(nghttp2_session *s UNUSED, int32_t id UNUSED, uint8_t *buf, size_t max, uint32_t *flags, nghttp2_data_source *src,
                      void *arg UNUSED)
{
    size_t *left = src->ptr;
    size_t n = MIN(*left, max);
    memset(buf, 'u', n);
    *left -= n;
    if (!*left)
        *flags |= NGHTTP2_DATA_FLAG_EOF;
    return (ssize_t)n;
}

static int32_t ask(struct side *x, const char *method, const char *path, size_t *body)
{
    nghttp2_nv nva[] = {nv(":method", method), nv(":scheme", "https"), nv(":path", path), nv(":authority", "h:1"), nv("accept", "a/b")};
    nghttp2_data_provider d = {.source.ptr = body, .read_callback = upload};
    return nghttp2_submit_request(x->client, NULL, nva, ARRAY_LEN(nva), body ? &d : NULL, NULL);
}

TEST(request_and_answer)
{
    struct side x;
    side_init(&x, 0);
    ask(&x, "GET", "/api?x=1", NULL);
    T_EQ_INT(exchange(&x), 0);
    T_EQ_STR(strbuf_str(&x.seen), "GET /api?x=1 h:1 1 0 \n");
    x.last->answer = "hello";
    const struct http_header bad = {S("x-bad"), S("a\r\nb")};
    http2_respond(x.h2, &x.last->h2, &(struct http2_answer){.status = 201, .content_type = S("a/b"), .has_length = true, .length = 5, .headers = &bad, .nheaders = 1});
    T_EQ_INT(exchange(&x), 0);
    T_EQ_INT(x.got_status, 201);
    T_EQ_STR(strbuf_str(&x.got), "hello");
    T_EQ_INT(x.got_streams_closed, 1);
    T_EQ_INT(x.closed, 1);
    side_fini(&x);
}

TEST(large_answers_obey_flow_control)
{
    struct side x;
    side_init(&x, 0);
    char *big = xmalloc(1 << 20);
    memset(big, 'b', 1 << 20);
    big[(1 << 20) - 1] = 0;
    for (int i = 0; i < 3; i++) {
        ask(&x, "GET", "/", NULL);
        T_EQ_INT(exchange(&x), 0);
        x.last->answer = big;
        http2_respond(x.h2, &x.last->h2, &(struct http2_answer){.status = 200});
    }
    T_EQ_INT(exchange(&x), 0);
    T_EQ_INT(x.got.len, 3 * ((1 << 20) - 1));
    free(big);
    side_fini(&x);
}

TEST(stream_is_parked_and_resumed)
{
    struct side x;
    side_init(&x, 0);
    ask(&x, "GET", "/watch", NULL);
    T_EQ_INT(exchange(&x), 0);
    struct stream *s = x.last;
    s->answer = "";
    s->more = true;
    http2_respond(x.h2, &s->h2, &(struct http2_answer){.status = 200});
    T_EQ_INT(exchange(&x), 0);
    T_EQ_INT(x.got_status, 200);
    s->answer = "event";
    http2_resume(x.h2, &s->h2);
    http2_resume(x.h2, &s->h2);
    T_EQ_INT(exchange(&x), 0);
    T_EQ_STR(strbuf_str(&x.got), "event");
    T_EQ_INT(x.closed, 0);
    s->more = false;
    http2_resume(x.h2, &s->h2);
    T_EQ_INT(exchange(&x), 0);
    T_EQ_INT(x.closed, 1);
    side_fini(&x);
}

TEST(bodies_are_collected_and_bounded)
{
    struct side x;
    side_init(&x, 1000);
    size_t n = 1000;
    ask(&x, "POST", "/a", &n);
    T_EQ_INT(exchange(&x), 0);
    T_EQ_INT(x.last->h2.body.len, 1000);
    T_EQ_INT(x.last->h2.refuse, 0);
    n = 500000;
    ask(&x, "POST", "/b", &n);
    T_EQ_INT(exchange(&x), 0);
    T_EQ_INT(x.requests, 2);
    T_EQ_INT(x.last->h2.refuse, 413);
    x.last->answer = "too much";
    http2_respond(x.h2, &x.last->h2, &(struct http2_answer){.status = 413});
    T_EQ_INT(exchange(&x), 0);
    T_EQ_INT(x.got_status, 413);
    side_fini(&x);
}

TEST(limits_of_heads)
{
    struct side x;
    side_init(&x, 0);
    char *path = xmalloc(LIMIT_URL_BYTES + 3);
    memset(path, '/', LIMIT_URL_BYTES + 2);
    path[LIMIT_URL_BYTES + 2] = 0;
    ask(&x, "GET", path, NULL);
    T_EQ_INT(exchange(&x), 0);
    T_EQ_INT(x.last->h2.refuse, 414);
    nghttp2_nv nva[LIMIT_HEADER_COUNT + 5] = {nv(":method", "GET"), nv(":scheme", "https"), nv(":path", "/"), nv(":authority", "h")};
    for (size_t i = 4; i < ARRAY_LEN(nva); i++)
        nva[i] = nv("a", "b");
    nghttp2_submit_request(x.client, NULL, nva, ARRAY_LEN(nva), NULL, NULL);
    T_EQ_INT(exchange(&x), 0);
    T_EQ_INT(x.last->h2.refuse, 431);
    nva[4] = nv("content-length", "9999999");
    nva[0] = nv(":method", "POST");
    nghttp2_data_provider d = {.source.ptr = &(size_t){9999999}, .read_callback = upload};
    nghttp2_submit_request(x.client, NULL, nva, 5, &d, NULL);
    T_EQ_INT(exchange(&x), 0);
    T_EQ_INT(x.last->h2.refuse, 413);
    free(path);
    side_fini(&x);
}

static void frame_add(struct strbuf *b, int type, int flags, uint32_t id, str payload)
{
    char head[9] = {(char)(payload.len >> 16), (char)(payload.len >> 8), (char)payload.len, (char)type, (char)flags,
                    (char)(id >> 24), (char)(id >> 16), (char)(id >> 8), (char)id};
    strbuf_add(b, head, 9);
    strbuf_add_str(b, payload);
}

/* Feeds frames made by `make` until the server complains or n are through. */
static int flood(int n, int per_sec, void (*make)(struct strbuf *b, int i))
{
    struct side x;
    side_init(&x, 0);
    struct err err;
    STRBUF_AUTO b = STRBUF_HEAP;
    strbuf_addf(&b, PREFACE);
    frame_add(&b, 4, 0, 0, S(""));
    int r = http2_recv(x.h2, strbuf_str(&b), x.now, &err);
    for (int i = 0; r == 0 && i < n; i++) {
        strbuf_clear(&b);
        make(&b, i);
        x.now += NSEC_PER_SEC / per_sec;
        r = http2_recv(x.h2, strbuf_str(&b), x.now, &err);
        while (http2_send(x.h2, out_buf, sizeof out_buf))
            ;
    }
    side_fini(&x);
    return r;
}

/* ":method: GET, :scheme: https, :path: /, :authority: h" from the static table */
#define GET_HEAD "\x82\x87\x84\x41\x01h"

static void make_reset(struct strbuf *b, int i)
{
    uint32_t id = 1 + 2 * (uint32_t)i;
    frame_add(b, 1, 5, id, S(GET_HEAD));
    frame_add(b, 3, 0, id, S("\0\0\0\x08"));
}
static void make_ping(struct strbuf *b, int i UNUSED)
{
    frame_add(b, 6, 0, 0, S("12345678"));
}
static void make_settings(struct strbuf *b, int i UNUSED)
{
    frame_add(b, 4, 0, 0, S("\0\x04\0\x01\0\0"));
}
static void make_priority(struct strbuf *b, int i UNUSED)
{
    frame_add(b, 2, 0, 3, S("\0\0\0\0\x10"));
}
static void make_empty_data(struct strbuf *b, int i)
{
    if (i == 0)
        frame_add(b, 1, 4, 1, S(GET_HEAD));
    frame_add(b, 0, 0, 1, S(""));
}
/* a stream error that we answer with a reset: the window overflows */
static void make_us_reset(struct strbuf *b, int i)
{
    uint32_t id = 1 + 2 * (uint32_t)i;
    frame_add(b, 1, 4, id, S(GET_HEAD));
    frame_add(b, 8, 0, id, S("\x7f\xff\xff\xff"));
}

TEST(floods_end_the_connection)
{
    T_ERR(flood(5000, 10000, make_reset), E_BUSY);
    T_ERR(flood(5000, 10000, make_ping), E_BUSY);
    T_ERR(flood(5000, 10000, make_settings), E_BUSY);
    T_ERR(flood(5000, 10000, make_priority), E_BUSY);
    T_ERR(flood(5000, 10000, make_empty_data), E_BUSY);
    T_ERR(flood(5000, 10000, make_us_reset), E_BUSY);
    /* at a rate that real clients have it goes on */
    T_EQ_INT(flood(2000, 100, make_reset), 0);
    T_EQ_INT(flood(2000, 100, make_ping), 0);
}

TEST(garbage_is_an_error)
{
    struct side x;
    side_init(&x, 0);
    struct err err;
    T_ERR(http2_recv(x.h2, S("GET / HTTP/1.1\r\nHost: x\r\n\r\n"), 0, &err), E_PARSE);
    side_fini(&x);
}

TEST(go_away_lets_streams_end)
{
    struct side x;
    side_init(&x, 0);
    ask(&x, "GET", "/a", NULL);
    T_EQ_INT(exchange(&x), 0);
    http2_go_away(x.h2);
    T_EQ_INT(exchange(&x), 0);
    T_EQ_INT(x.got_goaway, NGHTTP2_NO_ERROR + 1);
    T_OK(!http2_is_over(x.h2));
    x.last->answer = "end";
    http2_respond(x.h2, &x.last->h2, &(struct http2_answer){.status = 200});
    T_EQ_INT(exchange(&x), 0);
    T_EQ_STR(strbuf_str(&x.got), "end");
    T_OK(http2_is_over(x.h2));
    side_fini(&x);
}

TEST(abort_resets_the_stream)
{
    struct side x;
    side_init(&x, 0);
    ask(&x, "GET", "/a", NULL);
    T_EQ_INT(exchange(&x), 0);
    http2_reset(x.h2, &x.last->h2);
    T_EQ_INT(exchange(&x), 0);
    T_EQ_INT(x.got_reset, NGHTTP2_INTERNAL_ERROR + 1);
    T_EQ_INT(x.closed, 1);
    side_fini(&x);
}

TEST_MAIN(request_and_answer, large_answers_obey_flow_control, stream_is_parked_and_resumed, bodies_are_collected_and_bounded, limits_of_heads,
          floods_end_the_connection, garbage_is_an_error, go_away_lets_streams_end, abort_resets_the_stream)
