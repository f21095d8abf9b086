/* SPDX-License-Identifier: Apache-2.0 */
/* The other side is our own server half, wire/http2.h: bytes are carried between the two in memory. */
#include "client/h2_client.h"

#include "base/limits.h"
#include "base/test.h"
#include "wire/http2.h"

struct reply {
    struct http2_stream h2;
    str rest;  /* of the answer */
    bool more; /* it does not end yet */
};

struct call {
    struct h2_stream h2;
    struct strbuf body;
    int heads, ends;
    enum h2_end how;
    bool cancel_on_data;
};

struct pair {
    struct http2 *server;
    struct h2_client *client;
    struct strbuf seen; /* what the server was asked for */
    struct reply *last;
    size_t piece; /* bytes carried at once, 0: all */
    bool hold;    /* requests are not answered */
    int closed;
    struct call *resubmit; /* on the next end */
};

/* --- the server ----------------------------------------------------------------------------------------- */

static struct http2_stream *on_open(void *arg)
{
    struct pair *p = arg;
    return &(p->last = xnew(struct reply))->h2;
}
static void on_request(void *arg, struct http2_stream *s)
{
    struct pair *p = arg;
    struct reply *r = container_of(s, struct reply, h2);
    strbuf_addf(&p->seen, STR_FMT " " STR_FMT " " STR_FMT " [%zu]", STR_ARG(s->method), STR_ARG(s->authority), STR_ARG(s->path), s->body.len);
    for (size_t i = 0; i < s->nheaders; i++)
        strbuf_addf(&p->seen, " " STR_FMT "=" STR_FMT, STR_ARG(s->headers[i].name), STR_ARG(s->headers[i].value));
    strbuf_add_str(&p->seen, S("\n"));
    if (p->hold)
        return;
    r->rest = s->body.len ? strbuf_str(&s->body) : S("hello");
    http2_respond(p->server, s, &(struct http2_answer){.status = s->refuse ? s->refuse : 200});
}
static void on_close(void *arg, struct http2_stream *s)
{
    struct pair *p = arg;
    struct reply *r = container_of(s, struct reply, h2);
    p->closed++;
    if (p->last == r)
        p->last = NULL;
    strbuf_fini(&s->body);
    arena_fini(&s->arena);
    free(r);
}
static size_t pull_size(void *arg UNUSED, struct http2_stream *s, size_t max, bool *ret_end)
{
    struct reply *r = container_of(s, struct reply, h2);
    *ret_end = r->rest.len <= max && !r->more;
    return MIN(r->rest.len, max);
}
static void pull(void *arg UNUSED, struct http2_stream *s, char *out, size_t n)
{
    struct reply *r = container_of(s, struct reply, h2);
    memcpy(out, r->rest.p, n);
    r->rest = str_from(r->rest, n);
}
static const struct http2_ops server_ops = {.on_open = on_open, .on_request = on_request, .on_close = on_close, .pull_size = pull_size, .pull = pull};

/* --- the client ----------------------------------------------------------------------------------------- */

static void on_head(void *arg UNUSED, struct h2_stream *s)
{
    container_of(s, struct call, h2)->heads++;
}
static void on_data(void *arg, struct h2_stream *s, str bytes)
{
    struct pair *p = arg;
    struct call *c = container_of(s, struct call, h2);
    strbuf_add_str(&c->body, bytes);
    if (c->cancel_on_data)
        h2_client_cancel(p->client, s);
}
static bool get(struct pair *p, struct call *c, const char *path)
{
    c->h2 = (struct h2_stream){0};
    return h2_client_submit(p->client, &c->h2, &(struct h2_request){.method = S("GET"), .scheme = S("https"), .authority = S("srv"), .path = str_of(path)});
}
static void on_end(void *arg, struct h2_stream *s, enum h2_end end)
{
    struct pair *p = arg;
    struct call *c = container_of(s, struct call, h2);
    c->ends++;
    c->how = end;
    struct call *next = TAKE(p->resubmit);
    if (next)
        T_OK(get(p, next, "/again"));
}
static const struct h2_client_ops client_ops = {.on_head = on_head, .on_data = on_data, .on_end = on_end};

/* Carries bytes both ways until neither has any. */
static void carry(struct pair *p)
{
    struct err err = ERR_NONE;
    static char buf[64 << 10];
    for (bool busy = true; busy;) {
        busy = false;
        for (int dir = 0; dir < 2; dir++) {
            size_t n = dir ? h2_client_send(p->client, buf, p->piece ? p->piece : sizeof buf) : http2_send(p->server, buf, sizeof buf);
            busy |= n > 0;
            for (size_t at = 0; at < n;) {
                size_t some = p->piece ? MIN(p->piece, n - at) : n;
                str bytes = str_n(buf + at, some);
                T_NO_ERR(dir ? http2_recv(p->server, bytes, NSEC_PER_SEC, &err) : h2_client_recv(p->client, bytes, &err), &err);
                at += some;
            }
        }
    }
}

static void init(struct pair *p, uint32_t max_streams)
{
    p->server = http2_new(&(struct http2_opts){.ops = &server_ops, .arg = p, .max_streams = max_streams});
    p->client = h2_client_new(&client_ops, p);
    T_EQ_INT(h2_client_room(p->client), 0);
    carry(p);
    T_OK(h2_client_is_settled(p->client));
}
static void fini(struct pair *p)
{
    h2_client_free(p->client);
    http2_free(p->server);
    strbuf_fini(&p->seen);
}

TEST(many_calls_share_a_connection)
{
    static const size_t pieces[] = {0, 1, 13};
    for (size_t i = 0; i < ARRAY_LEN(pieces); i++) {
        struct pair p = {.piece = pieces[i]};
        init(&p, 0);
        struct call a = {0}, b = {0};
        const struct http_header headers[] = {{S("content-type"), S("application/json")}, {S("user-agent"), S("t")}};
        T_OK(h2_client_submit(p.client, &a.h2,
                              &(struct h2_request){.method = S("POST"), .scheme = S("https"), .authority = S("srv:1"), .path = S("/api?x=1"), .headers = headers, .nheaders = 2, .body = S("{}")}));
        T_OK(get(&p, &b, "/b"));
        carry(&p);
        T_EQ_STR(strbuf_str(&p.seen), "GET srv /b [0]\nPOST srv:1 /api?x=1 [2] content-type=application/json user-agent=t\n");
        T_EQ_STR(strbuf_str(&a.body), "{}");
        T_EQ_STR(strbuf_str(&b.body), "hello");
        T_EQ_INT(a.h2.status, 200);
        T_EQ_INT(a.heads, 1);
        T_EQ_INT(a.ends, 1);
        T_EQ_INT(a.how, H2_END_OK);
        T_EQ_INT(b.ends, 1);
        T_EQ_INT(p.closed, 2);
        strbuf_fini(&a.body);
        strbuf_fini(&b.body);
        fini(&p);
    }
}

TEST(large_bodies_pass_flow_control)
{
    struct pair p = {0};
    init(&p, 0);
    STRBUF_AUTO big = STRBUF_HEAP;
    for (uint32_t i = 0; i < 500000; i++)
        strbuf_add_u64(&big, i % 10);
    struct call a = {0};
    T_OK(h2_client_submit(p.client, &a.h2, &(struct h2_request){.method = S("POST"), .scheme = S("https"), .authority = S("s"), .path = S("/"), .body = strbuf_str(&big)}));
    carry(&p);
    T_OK(a.how == H2_END_OK && str_eq(strbuf_str(&a.body), strbuf_str(&big)));
    strbuf_fini(&a.body);
    /* an answer before the end of the request: the rest of the body is not sent, and is not touched any more */
    STRBUF_AUTO huge = STRBUF_HEAP;
    strbuf_grow(&huge, LIMIT_BODY_BYTES * 2);
    memset(huge.p, 'x', LIMIT_BODY_BYTES * 2);
    huge.len = LIMIT_BODY_BYTES * 2;
    struct call b = {0};
    T_OK(h2_client_submit(p.client, &b.h2, &(struct h2_request){.method = S("POST"), .scheme = S("https"), .authority = S("s"), .path = S("/"), .body = strbuf_str(&huge)}));
    carry(&p);
    T_EQ_INT(b.ends, 1);
    T_EQ_INT(b.h2.status, 413);
    T_EQ_INT(b.how, H2_END_OK);
    strbuf_fini(&b.body);
    T_EQ_INT(h2_client_room(p.client), LIMIT_H2_STREAMS);
    fini(&p);
}

TEST(streams_are_bounded_by_the_server)
{
    struct pair p = {.hold = true};
    init(&p, 2);
    T_EQ_INT(h2_client_max_streams(p.client), 2);
    T_EQ_INT(h2_client_room(p.client), 2);
    struct call a = {0}, b = {0}, c = {0};
    T_OK(get(&p, &a, "/a"));
    T_EQ_INT(h2_client_room(p.client), 1);
    T_OK(get(&p, &b, "/b"));
    carry(&p);
    T_EQ_INT(h2_client_room(p.client), 0);
    h2_client_cancel(p.client, &a.h2);
    T_EQ_INT(a.h2.id, 0);
    T_EQ_INT(h2_client_room(p.client), 0); /* until the reset has left */
    carry(&p);
    T_EQ_INT(h2_client_room(p.client), 1);
    T_EQ_INT(p.closed, 1);
    T_OK(get(&p, &c, "/c"));
    h2_client_cancel(p.client, &c.h2); /* before it was ever sent */
    carry(&p);
    T_EQ_INT(h2_client_room(p.client), 1);
    T_EQ_INT(a.ends + b.ends + c.ends, 0);
    T_EQ_STR(strbuf_str(&p.seen), "GET srv /a [0]\nGET srv /b [0]\n");
    fini(&p);
    T_EQ_INT(b.ends, 1);
    T_EQ_INT(b.how, H2_END_RESET);
}

TEST(streams_go_on_after_their_head)
{
    struct pair p = {.hold = true};
    init(&p, 0);
    struct call w = {0};
    T_OK(get(&p, &w, "/watch"));
    carry(&p);
    struct reply *r = p.last;
    r->more = true;
    r->rest = S("one\n");
    http2_respond(p.server, &r->h2, &(struct http2_answer){.status = 200});
    carry(&p);
    T_EQ_STR(strbuf_str(&w.body), "one\n");
    T_EQ_INT(w.ends, 0);
    r->rest = S("two\n");
    http2_resume(p.server, &r->h2);
    h2_client_ping(p.client);
    carry(&p);
    T_EQ_STR(strbuf_str(&w.body), "one\ntwo\n");
    w.cancel_on_data = true;
    r->rest = S("three\n");
    http2_resume(p.server, &r->h2);
    carry(&p);
    T_EQ_STR(strbuf_str(&w.body), "one\ntwo\nthree\n");
    T_EQ_INT(w.ends, 0);
    T_EQ_INT(p.closed, 1);
    strbuf_fini(&w.body);
    fini(&p);
}

TEST(goaway_refuses_what_comes_after)
{
    struct pair p = {.hold = true};
    init(&p, 0);
    struct call a = {0}, b = {0};
    T_OK(get(&p, &a, "/a"));
    carry(&p);
    http2_go_away(p.server);
    char buf[HTTP2_SEND_MIN];
    size_t n = http2_send(p.server, buf, sizeof buf);
    T_OK(get(&p, &b, "/b")); /* crosses the GOAWAY */
    struct err err = ERR_NONE;
    T_NO_ERR(h2_client_recv(p.client, str_n(buf, n), &err), &err);
    T_OK(h2_client_is_leaving(p.client));
    T_EQ_INT(h2_client_room(p.client), 0);
    carry(&p);
    T_EQ_INT(b.ends, 1);
    T_EQ_INT(b.how, H2_END_REFUSED);
    T_EQ_INT(a.ends, 0);
    p.last->rest = S("late");
    http2_respond(p.server, &p.last->h2, &(struct http2_answer){.status = 200});
    carry(&p);
    T_EQ_INT(a.how, H2_END_OK);
    T_EQ_STR(strbuf_str(&a.body), "late");
    strbuf_fini(&a.body);
    fini(&p);
}

TEST(resets_and_rubbish)
{
    struct pair p = {.hold = true};
    init(&p, 0);
    struct call a = {0}, b = {0};
    T_OK(get(&p, &a, "/a"));
    carry(&p);
    p.resubmit = &b;
    http2_reset(p.server, &p.last->h2);
    carry(&p);
    T_EQ_INT(a.ends, 1);
    T_EQ_INT(a.how, H2_END_RESET);
    T_EQ_STR(strbuf_str(&p.seen), "GET srv /a [0]\nGET srv /again [0]\n");
    struct err err = ERR_NONE;
    int r = h2_client_recv(p.client, S("HTTP/1.1 400 Bad Request\r\n\r\n and more of the same, long enough for a frame"), &err);
    char buf[1024];
    size_t sent = h2_client_send(p.client, buf, sizeof buf);
    T_OK(r < 0 || sent > 0); /* an error at once, or a GOAWAY */
    T_OK(h2_client_is_over(p.client));
    T_EQ_INT(h2_client_room(p.client), 0);
    fini(&p);
    T_EQ_INT(b.ends, 1);
    T_EQ_INT(b.how, H2_END_RESET);
}

TEST_MAIN(many_calls_share_a_connection, large_bodies_pass_flow_control, streams_are_bounded_by_the_server, streams_go_on_after_their_head, goaway_refuses_what_comes_after,
          resets_and_rubbish)
