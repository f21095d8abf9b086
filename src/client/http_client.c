/* SPDX-License-Identifier: Apache-2.0 */
/* request -> [idle connection still good? else open] -> write -> head -> body (length, chunked, until close) -> keep or close */
#include "client/http_client.h"

#include "base/limits.h"
#include "client/client_conn.h"
#include "wire/gzip.h"
#include "wire/http1.h"

#define CONNECT_TIMEOUT_NS (10 * NSEC_PER_SEC)
#define SILENCE_TIMEOUT_NS (60 * NSEC_PER_SEC)
#define READ_BYTES (64u << 10)

struct http_client {
    struct client_target target;
    struct client_conn conn;
    char *authorization, *user_agent;
    nsec_t connect_timeout_ns;
    char *in; /* READ_BYTES: what was read and not yet used stands in in[at..end) */
    size_t at, end;
};

/* One request under way. */
struct exchange {
    struct http_client *c;
    const struct http_client_request *req;
    struct arena *arena;
    struct http_client_response *res;
    nsec_t timeout_ns;
    bool heard;  /* a byte of the answer came */
    bool closes; /* the connection cannot be used again */
    enum http1_framing framing;
    uint64_t left;
    struct http1_chunked chunked;
    struct strbuf body;
};

/* --- the client ------------------------------------------------------------------------------------ */

int http_client_new(const struct http_client_opts *o, struct http_client **ret, struct err *err)
{
    struct http_client *c CLEANUP(http_client_free) = xnew(struct http_client);
    c->conn = CLIENT_CONN_CLOSED;
    int r = client_target_parse(&c->target, o->url, err);
    if (r == 0 && c->target.is_tls)
        r = tls_client_new(o->ca_pem, o->cert_pem, o->key_pem, o->insecure, &c->target.tls, err);
    if (r < 0)
        return r;
    if (o->tls_server_name && o->tls_server_name[0]) {
        free(c->target.server_name);
        c->target.server_name = xstrdup(o->tls_server_name);
    }
    c->authorization = o->authorization ? xstrdup(o->authorization) : NULL;
    c->user_agent = xstrdup(o->user_agent ? o->user_agent : "cox");
    c->connect_timeout_ns = o->connect_timeout_ns ? o->connect_timeout_ns : CONNECT_TIMEOUT_NS;
    c->in = xmalloc(READ_BYTES);
    *ret = TAKE(c);
    return 0;
}

void http_client_free(struct http_client *c)
{
    if (!c)
        return;
    client_conn_close(&c->conn);
    client_target_fini(&c->target);
    free(c->authorization);
    free(c->user_agent);
    free(c->in);
    free(c);
}

const char *http_client_server(const struct http_client *c)
{
    return c->target.text;
}

str http_client_header(const struct http_client_response *res, str lower_name)
{
    for (size_t i = 0; i < res->nheaders; i++) {
        if (str_eq(res->headers[i].name, lower_name))
            return res->headers[i].value;
    }
    return S("");
}

/* --- the request ------------------------------------------------------------------------------------- */

static bool is_line(str s)
{
    return !s.len || (!memchr(s.p, '\r', s.len) && !memchr(s.p, '\n', s.len) && !memchr(s.p, 0, s.len));
}

static void add_header(struct strbuf *b, const char *name, str value)
{
    strbuf_addf(b, "%s: " STR_FMT "\r\n", name, STR_ARG(value));
}

static int write_head(struct strbuf *b, const struct exchange *x, struct err *err)
{
    const struct http_client_request *q = x->req;
    str auth = str_of(x->c->authorization);
    if (!http_is_token(q->method) || !q->path.len || q->path.p[0] != '/' || !is_line(q->path) || str_find_char(q->path, ' ') >= 0)
        return err_set(err, E_INVALID_ARG, "bad request \"" STR_FMT " " STR_FMT "\"", STR_ARG(q->method), STR_ARG(q->path));
    if (!is_line(auth))
        return err_set(err, E_INVALID_ARG, "the token holds a line break");
    strbuf_addf(b, STR_FMT " %s" STR_FMT " HTTP/1.1\r\n", STR_ARG(q->method), x->c->target.prefix, STR_ARG(q->path));
    add_header(b, "Host", x->c->target.is_unix ? S("localhost") : str_of(x->c->target.text));
    add_header(b, "User-Agent", str_of(x->c->user_agent));
    if (auth.len)
        add_header(b, "Authorization", auth);
    if (!q->on_data && !x->c->target.is_unix)
        add_header(b, "Accept-Encoding", S("gzip"));
    for (size_t i = 0; i < q->nheaders; i++) {
        if (!http_is_token(q->headers[i].name) || !is_line(q->headers[i].value))
            return err_set(err, E_INVALID_ARG, "bad header \"" STR_FMT "\"", STR_ARG(q->headers[i].name));
        strbuf_addf(b, STR_FMT ": " STR_FMT "\r\n", STR_ARG(q->headers[i].name), STR_ARG(q->headers[i].value));
    }
    if (q->body.len || str_is(q->method, "POST") || str_is(q->method, "PUT") || str_is(q->method, "PATCH"))
        strbuf_addf(b, "Content-Length: %zu\r\n", q->body.len);
    strbuf_add_str(b, S("\r\n"));
    return 0;
}

static int send_request(struct exchange *x, struct err *err)
{
    STRBUF_AUTO head = STRBUF_HEAP;
    int r = write_head(&head, x, err);
    if (r < 0)
        return r;
    strbuf_add_str(&head, x->req->body); /* one write, one packet for small bodies */
    return client_conn_write(&x->c->conn, strbuf_str(&head), x->timeout_ns, err);
}

/* --- the answer's head --------------------------------------------------------------------------------- */

static int bad_answer(const struct exchange *x, const char *why, struct err *err)
{
    return err_set(err, E_UNAVAILABLE, "%s did not answer in HTTP: %s", x->c->target.text, why);
}

/* Reads more behind what is there; the buffer is empty or holds a part of a head. */
static int fill(struct exchange *x, size_t *ret_n, struct err *err)
{
    struct http_client *c = x->c;
    if (c->at == c->end)
        c->at = c->end = 0;
    size_t n = 0;
    int r = client_conn_read(&c->conn, c->in + c->end, READ_BYTES - c->end, x->timeout_ns, &n, err);
    if (r < 0)
        return r;
    c->end += n;
    x->heard = x->heard || n > 0;
    *ret_n = n;
    return 0;
}

/* The head as one copy in the arena, with its empty line. */
static int read_head(struct exchange *x, str *ret, struct err *err)
{
    struct http_client *c = x->c;
    for (;;) {
        str have = str_n(c->in + c->at, c->end - c->at);
        ptrdiff_t end = str_find(have, S("\r\n\r\n"));
        if (end >= 0) {
            c->at += (size_t)end + 4;
            *ret = arena_str(x->arena, str_sub(have, 0, (size_t)end + 2));
            return 0;
        }
        memmove(c->in, have.p, have.len);
        c->at = 0;
        c->end = have.len;
        if (have.len == READ_BYTES)
            return bad_answer(x, "its head is too long", err);
        size_t n;
        int r = fill(x, &n, err);
        if (r < 0)
            return r;
        if (n == 0)
            return err_set(err, E_UNAVAILABLE, "%s closed the connection without an answer", c->target.text);
    }
}

static str next_line(str *rest)
{
    ptrdiff_t end = str_find(*rest, S("\r\n"));
    BUG_ON(end < 0); /* read_head ends it with one */
    str line = str_sub(*rest, 0, (size_t)end);
    *rest = str_from(*rest, (size_t)end + 2);
    return line;
}

static void lower_case(str s)
{
    char *p = (char *)(uintptr_t)s.p; /* our own copy in the arena */
    for (size_t i = 0; i < s.len; i++)
        p[i] = p[i] >= 'A' && p[i] <= 'Z' ? (char)(p[i] | 32) : p[i];
}

static int parse_head(struct exchange *x, str head, struct err *err)
{
    struct http_client_response *res = x->res;
    str line = next_line(&head);
    uint64_t status;
    if (!str_has_prefix(line, S("HTTP/1.")) || line.len < 12 || line.p[8] != ' ' || !str_to_u64(str_sub(line, 9, 12), &status) || status < 100)
        return bad_answer(x, "no status line (is it an HTTPS server?)", err);
    struct http_header *headers = arena_array(x->arena, LIMIT_HEADER_COUNT, struct http_header);
    *res = (struct http_client_response){.status = (int)status, .headers = headers, .body = S("")};
    x->closes = line.p[7] == '0';
    while (head.len) {
        str value = next_line(&head), name;
        if (!str_cut(&value, ':', &name) || !http_is_token(name) || !is_line(value))
            return bad_answer(x, "a header line is malformed", err);
        if (res->nheaders == LIMIT_HEADER_COUNT)
            return bad_answer(x, "it has too many headers", err);
        lower_case(name);
        headers[res->nheaders++] = (struct http_header){name, str_trim(value)};
    }
    return 0;
}

static int choose_framing(struct exchange *x, struct err *err)
{
    str length = http_client_header(x->res, S("content-length"));
    str coding = http_client_header(x->res, S("transfer-encoding"));
    int status = x->res->status;
    if (str_ieq(http_client_header(x->res, S("connection")), S("close")))
        x->closes = true;
    x->framing = HTTP1_UNTIL_CLOSE;
    if (str_is(x->req->method, "HEAD") || status == 204 || status == 304)
        x->framing = HTTP1_NO_FRAMING;
    else if (str_ieq(coding, S("chunked")))
        x->framing = HTTP1_CHUNKED;
    else if (coding.len)
        return bad_answer(x, "its transfer coding is unknown", err);
    else if (length.len && !str_to_u64(length, &x->left))
        return bad_answer(x, "its Content-Length is no number", err);
    else if (length.len)
        x->framing = HTTP1_LENGTH;
    if (x->framing == HTTP1_UNTIL_CLOSE)
        x->closes = true;
    return 0;
}

/* Interim answers (100 Continue, 103) come before the real one. */
static int receive_head(struct exchange *x, struct err *err)
{
    do {
        str head;
        int r = read_head(x, &head, err);
        if (r == 0)
            r = parse_head(x, head, err);
        if (r < 0)
            return r;
    } while (x->res->status < 200 && x->res->status != 101);
    return choose_framing(x, err);
}

/* --- the answer's body ------------------------------------------------------------------------------------ */

/* Takes one piece out of `in`.  DATA: *ret_data; DONE: the body ended; MORE: in is used up. */
static enum http1_result body_step(struct exchange *x, str in, size_t *ret_used, str *ret_data, const char **ret_why)
{
    if (x->framing == HTTP1_CHUNKED)
        return http1_chunked_step(&x->chunked, in, ret_used, ret_data, ret_why);
    size_t n = x->framing == HTTP1_LENGTH ? (size_t)MIN((uint64_t)in.len, x->left) : in.len;
    if (x->framing == HTTP1_NO_FRAMING || (x->framing == HTTP1_LENGTH && !x->left)) {
        *ret_used = 0;
        return HTTP1_DONE;
    }
    x->left -= x->framing == HTTP1_LENGTH ? n : 0;
    *ret_data = str_sub(in, 0, n);
    *ret_used = n;
    return n ? HTTP1_DATA : HTTP1_MORE;
}

static size_t body_max(const struct exchange *x)
{
    return x->req->max_body ? x->req->max_body : HTTP_CLIENT_BODY_MAX;
}

/* 0: go on, 1: the caller has had enough. */
static int deliver(struct exchange *x, str data, struct err *err)
{
    if (x->req->on_data && x->res->status / 100 == 2)
        return x->req->on_data(x->req->arg, data) ? 0 : 1;
    size_t max = body_max(x);
    if (x->body.len + data.len > max)
        return err_set(err, E_TOO_LARGE, "the answer of %s is larger than %zu KiB", x->c->target.text, max >> 10);
    strbuf_add_str(&x->body, data);
    return 0;
}

static int more_body(struct exchange *x, bool *ret_ended, struct err *err)
{
    size_t n;
    int r = fill(x, &n, err);
    if (r < 0)
        return r;
    if (n == 0 && x->framing != HTTP1_UNTIL_CLOSE)
        return err_set(err, E_UNAVAILABLE, "%s closed the connection before the answer was complete", x->c->target.text);
    *ret_ended = n == 0;
    return 0;
}

static int receive_body(struct exchange *x, struct err *err)
{
    struct http_client *c = x->c;
    for (bool ended = false; !ended;) {
        size_t used = 0;
        str data = STR_NONE;
        const char *why;
        enum http1_result step = body_step(x, str_n(c->in + c->at, c->end - c->at), &used, &data, &why);
        if (step == HTTP1_BAD)
            return bad_answer(x, why, err);
        c->at += used;
        int r = 0;
        if (step == HTTP1_DATA)
            r = deliver(x, data, err);
        else if (step == HTTP1_MORE)
            r = more_body(x, &ended, err);
        else
            ended = true;
        if (r < 0)
            return r;
        if (r > 0) {
            x->closes = true; /* what is still to come would stand before the next answer */
            return 0;
        }
    }
    return 0;
}

static int finish_body(struct exchange *x, struct err *err)
{
    if (!str_ieq(http_client_header(x->res, S("content-encoding")), S("gzip"))) {
        x->res->body = strbuf_str(&x->body);
        return 0;
    }
    struct strbuf plain = strbuf_on(x->arena);
    if (!gzip_expand(strbuf_str(&x->body), body_max(x), &plain))
        return bad_answer(x, "the compressed body is damaged", err);
    x->res->body = strbuf_str(&plain);
    return 0;
}

/* --- together ------------------------------------------------------------------------------------------------ */

static int attempt(struct exchange *x, struct err *err)
{
    int r = send_request(x, err);
    if (r == 0)
        r = receive_head(x, err);
    if (r == 0)
        r = receive_body(x, err);
    if (r == 0)
        r = finish_body(x, err);
    if (r < 0 || x->closes)
        client_conn_close(&x->c->conn);
    return r;
}

static int open_conn(struct http_client *c, struct err *err)
{
    c->at = c->end = 0;
    return client_conn_open(&c->conn, &c->target, c->connect_timeout_ns, err);
}

int http_client_do(struct http_client *c, const struct http_client_request *req, struct arena *a, struct http_client_response *ret,
                   struct err *err)
{
    struct http_client_response res = {0};
    struct exchange x = {.c = c, .req = req, .arena = a, .res = &res, .body = strbuf_on(a)};
    x.timeout_ns = req->timeout_ns ? req->timeout_ns : SILENCE_TIMEOUT_NS;
    if (c->conn.fd >= 0 && (c->at != c->end || client_conn_is_stale(&c->conn)))
        client_conn_close(&c->conn);
    bool reused = c->conn.fd >= 0;
    int r = reused ? 0 : open_conn(c, err);
    if (r == 0)
        r = attempt(&x, err);
    /* The server may close an idle connection just as we write: what changes nothing is worth a second try. */
    bool safe = str_is(req->method, "GET") || str_is(req->method, "HEAD");
    if (r == -E_UNAVAILABLE && reused && safe && !x.heard) {
        r = open_conn(c, err);
        if (r == 0)
            r = attempt(&x, err);
    }
    if (r == 0)
        *ret = res;
    return r;
}
