/* SPDX-License-Identifier: Apache-2.0 */
/* Frames after a correct preface, in pieces whose size the first byte gives (its high bit: no preface).  Each request is answered at once, in a
 * stream, later, or reset, by turns; every stream that was opened must be closed in the end. */
#include "base/limits.h"
#include "wire/http2.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct conn {
    struct http2 *h2;
    struct list waiting;
    int opened, closed, turn;
};
struct stream {
    struct http2_stream s;
    struct list link;
    size_t left;
    bool more;
};

static struct http2_stream *on_open(void *arg)
{
    struct conn *c = arg;
    struct stream *st = xnew(struct stream);
    list_init(&st->link);
    c->opened++;
    return &st->s;
}
static void on_request(void *arg, struct http2_stream *s)
{
    struct conn *c = arg;
    struct stream *st = container_of(s, struct stream, s);
    BUG_ON(!s->refuse && (!s->path.len || !s->method.len || s->nheaders > LIMIT_HEADER_COUNT || s->body.len > 1000));
    list_add_tail(&c->waiting, &st->link);
}
static void on_close(void *arg, struct http2_stream *s)
{
    struct conn *c = arg;
    struct stream *st = container_of(s, struct stream, s);
    c->closed++;
    list_del(&st->link);
    arena_fini(&s->arena);
    strbuf_fini(&s->body);
    free(st);
}
static size_t pull_size(void *arg UNUSED, struct http2_stream *s, size_t max, bool *ret_end)
{
    struct stream *st = container_of(s, struct stream, s);
    size_t n = MIN(max, st->left);
    *ret_end = !st->more && n == st->left;
    return n;
}
static void pull(void *arg UNUSED, struct http2_stream *s, char *out, size_t n)
{
    memset(out, 'x', n);
    container_of(s, struct stream, s)->left -= n;
}

static void answer(struct conn *c, struct stream *st)
{
    static const struct http_header header = {STR_INIT("x-h"), STR_INIT("v")};
    int how = c->turn++ % 4;
    st->left = how == 1 ? 100000 : 10;
    st->more = how == 2;
    if (how == 3)
        http2_reset(c->h2, &st->s);
    else
        http2_respond(c->h2, &st->s, &(struct http2_answer){.status = 200, .headers = &header, .nheaders = 1, .no_body = c->turn % 7 == 0});
    http2_resume(c->h2, &st->s);
}

static void work(struct conn *c)
{
    static char out[HTTP2_SEND_MIN];
    while (!list_empty(&c->waiting)) {
        struct stream *st = list_first(&c->waiting, struct stream, link);
        list_del(&st->link);
        answer(c, st);
    }
    while (http2_send(c->h2, out, sizeof out))
        ;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct http2_ops ops = {.on_open = on_open, .on_request = on_request, .on_close = on_close, .pull_size = pull_size, .pull = pull};
    static const char preface[] = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0";
    if (size < 2 || size > 65536)
        return 0;
    struct conn c = {0};
    list_init(&c.waiting);
    c.h2 = http2_new(&(struct http2_opts){.ops = &ops, .arg = &c, .max_streams = 16, .max_body = 1000});
    struct err err;
    int r = data[0] & 0x80 ? 0 : http2_recv(c.h2, str_n(preface, sizeof preface), 0, &err);
    size_t step = 1 + (data[0] & 0x7f) * 8u;
    for (size_t at = 1; r == 0 && at < size && !http2_is_over(c.h2); at += step) {
        r = http2_recv(c.h2, str_sub(str_n((const char *)data, size), at, at + step), (nsec_t)at * NSEC_PER_MSEC, &err);
        work(&c);
    }
    http2_free(c.h2);
    BUG_ON(c.opened != c.closed);
    return 0;
}
