/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/lib/load.h"

#include <errno.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/vec.h"
#include "rt/net.h"

#define READ_BYTES (64u << 10)

enum phase { PHASE_HANDSHAKE, PHASE_IDLE, PHASE_SEND, PHASE_HEAD, PHASE_BODY, PHASE_DEAD };

struct load_conn {
    struct load *load;
    struct loop_fd fd;
    struct tls_session *tls;
    enum phase phase;
    size_t index;
    struct strbuf out;
    size_t out_at;
    struct strbuf in;      /* head, then body or the undecoded rest */
    int status;
    bool chunked, in_stream;
    int64_t need;          /* body bytes still to come, or of this chunk; -1: chunk size line */
    struct strbuf body;
    nsec_t sent_at;
};

struct load {
    const struct target *target;
    const struct load_ops *ops;
    void *arg;
    struct tls_client *tls;
    struct loop *loop;
    VEC(struct load_conn *) conns;
    size_t wanted, at_once, handshaking, opened, errors;
    struct loop_timer timer;
    char buffer[READ_BYTES];
};

static void conn_ready(struct loop_fd *f, uint32_t events);

void load_request_as(struct strbuf *out, const char *method, str path, str type, str body)
{
    strbuf_addf(out, "%s " STR_FMT " HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer " TARGET_TOKEN "\r\nUser-Agent: bench\r\nAccept: application/json\r\n", method,
                STR_ARG(path));
    if (body.len)
        strbuf_addf(out, "Content-Type: " STR_FMT "\r\nContent-Length: %zu\r\n", STR_ARG(type), body.len);
    strbuf_add_str(out, S("\r\n"));
    strbuf_add_str(out, body);
}

void load_request(struct strbuf *out, const char *method, str path, str body)
{
    load_request_as(out, method, path, S("application/json"), body);
}

static void timer_stop(struct loop_timer *t)
{
    loop_stop(container_of(t, struct load, timer)->loop);
}

struct load *load_new(const struct target *t, const struct load_ops *ops, void *arg)
{
    struct load *l = xnew(struct load);
    struct err err;
    l->target = t;
    l->ops = ops;
    l->arg = arg;
    l->timer.fire = timer_stop;
    l->loop = loop_new("load", &clock_real, &err);
    BUG_ON(!l->loop || tls_client_new(t->ca_pem, NULL, NULL, false, &l->tls, &err) < 0);
    return l;
}

static void conn_close(struct load_conn *c)
{
    if (c->phase == PHASE_DEAD)
        return;
    if (c->phase == PHASE_HANDSHAKE)
        c->load->handshaking--;
    c->phase = PHASE_DEAD;
    loop_fd_del(c->load->loop, &c->fd);
    tls_session_free(c->tls);
    close(c->fd.fd);
    strbuf_fini(&c->out);
    strbuf_fini(&c->in);
    strbuf_fini(&c->body);
}

void load_free(struct load *l)
{
    for (size_t i = 0; i < l->conns.len; i++) {
        conn_close(l->conns.p[i]);
        free(l->conns.p[i]);
    }
    vec_fini(&l->conns);
    tls_client_free(l->tls);
    loop_free(l->loop);
    free(l);
}

static void conn_fail(struct load_conn *c)
{
    c->load->errors++;
    conn_close(c);
}

/* Opens connections until enough handshakes are in flight. */
static void open_more(struct load *l)
{
    struct net_addr addr = {.host = "127.0.0.1", .port = l->target->port};
    struct err err;
    while (l->conns.len < l->wanted && l->handshaking < l->at_once) {
        int fd;
        if (net_connect_tcp(&addr, 10 * NSEC_PER_SEC, &fd, &err) < 0) {
            fprintf(stderr, "%s\n", err.msg);
            l->wanted = l->conns.len;
            l->errors++;
            return;
        }
        struct load_conn *c = xnew(struct load_conn);
        c->load = l;
        c->index = l->conns.len;
        c->fd.fd = fd;
        c->fd.ready = conn_ready;
        c->tls = tls_connect(l->tls, fd, "127.0.0.1", "http/1.1");
        vec_push(&l->conns, c);
        l->handshaking++;
        BUG_ON(loop_fd_add(l->loop, &c->fd, EPOLLIN | EPOLLOUT, &err) < 0);
    }
}

void load_open(struct load *l, size_t n, size_t at_once)
{
    l->wanted = n;
    l->at_once = at_once;
    open_more(l);
}

static void send_some(struct load_conn *c)
{
    while (c->out_at < c->out.len) {
        size_t n;
        enum tls_io io = tls_write(c->tls, c->out.p + c->out_at, c->out.len - c->out_at, &n);
        if (io == TLS_IO_WANT_WRITE || io == TLS_IO_WANT_READ) {
            loop_fd_want(c->load->loop, &c->fd, EPOLLIN | EPOLLOUT);
            return;
        }
        if (io != TLS_IO_OK) {
            conn_fail(c);
            return;
        }
        c->out_at += n;
    }
    c->phase = PHASE_HEAD;
    loop_fd_want(c->load->loop, &c->fd, EPOLLIN);
}

static void start_request(struct load_conn *c)
{
    strbuf_clear(&c->out);
    strbuf_clear(&c->in);
    strbuf_clear(&c->body);
    c->out_at = 0;
    c->in_stream = false;
    if (!c->load->ops->next(c->load->arg, c, &c->out)) {
        c->phase = PHASE_IDLE;
        loop_fd_want(c->load->loop, &c->fd, EPOLLIN);
        return;
    }
    c->phase = PHASE_SEND;
    c->sent_at = clock_mono(&clock_real);
    send_some(c);
}

void load_kick(struct load_conn *c)
{
    if (c->phase == PHASE_IDLE)
        start_request(c);
}

static void body_bytes(struct load_conn *c, str bytes)
{
    if (c->load->ops->bytes)
        c->load->ops->bytes(c->load->arg, c, bytes);
    else
        strbuf_add_str(&c->body, bytes);
}

static void answered(struct load_conn *c)
{
    nsec_t took = clock_mono(&clock_real) - c->sent_at;
    c->load->ops->answer(c->load->arg, c, c->status, strbuf_str(&c->body), took);
    if (c->phase != PHASE_DEAD)
        start_request(c);
}

static bool parse_head(struct load_conn *c)
{
    str all = strbuf_str(&c->in);
    ptrdiff_t end = str_find(all, S("\r\n\r\n"));
    if (end < 0)
        return false;
    str head = str_sub(all, 0, (size_t)end), line;
    int64_t status = 0;
    str_cut(&head, '\n', &line);
    str_to_i64(str_sub(line, 9, 12), &status);
    c->status = (int)status;
    c->need = 0;
    c->chunked = false;
    while (head.len) {
        str_cut(&head, '\n', &line);
        str value = line, name;
        str_cut(&value, ':', &name);
        if (str_ieq(name, S("content-length")))
            str_to_i64(str_trim(value), &c->need);
        else if (str_ieq(name, S("transfer-encoding")))
            c->chunked = true;
    }
    if (c->chunked)
        c->need = -1;
    strbuf_splice(&c->in, 0, (size_t)end + 4, S(""));
    c->phase = PHASE_BODY;
    if (c->chunked && c->load->ops->opened)
        c->load->ops->opened(c->load->arg, c);
    return true;
}

static int64_t parse_hex(str s)
{
    int64_t v = 0;
    for (size_t i = 0; i < s.len; i++) {
        char ch = (char)(s.p[i] | 32);
        int d = ch >= '0' && ch <= '9' ? ch - '0' : ch >= 'a' && ch <= 'f' ? ch - 'a' + 10 : -1;
        if (d < 0)
            break;
        v = v * 16 + d;
    }
    return v;
}

/* Takes what it can of `in`; true: the answer is complete. */
static bool take_body(struct load_conn *c)
{
    size_t at = 0;
    bool complete = false;
    while (!complete) {
        str rest = str_from(strbuf_str(&c->in), at);
        if (c->chunked && c->need < 0) {
            ptrdiff_t end = str_find(rest, S("\r\n"));
            if (end < 0)
                break;
            if (end == 0) { /* the line behind a chunk */
                at += 2;
                continue;
            }
            c->need = parse_hex(str_sub(rest, 0, (size_t)end));
            at += (size_t)end + 2;
            if (c->need == 0) {
                complete = rest.len >= (size_t)end + 4;
                if (!complete)
                    at -= (size_t)end + 2;
                c->need = complete ? 0 : -1;
                at += complete ? 2 : 0;
                if (!complete)
                    break;
            }
            continue;
        }
        size_t n = MIN(rest.len, (size_t)c->need);
        body_bytes(c, str_sub(rest, 0, n));
        at += n;
        c->need -= (int64_t)n;
        if (c->need > 0)
            break;
        complete = !c->chunked;
        c->need = c->chunked ? -1 : 0;
    }
    strbuf_splice(&c->in, 0, at, S(""));
    return complete;
}

static void read_some(struct load_conn *c)
{
    struct load *l = c->load;
    for (;;) {
        size_t n;
        enum tls_io io = tls_read(c->tls, l->buffer, sizeof l->buffer, &n);
        if (io == TLS_IO_WANT_READ || io == TLS_IO_WANT_WRITE)
            return;
        if (io != TLS_IO_OK) {
            conn_fail(c);
            return;
        }
        strbuf_add(&c->in, l->buffer, n);
        if (c->phase == PHASE_HEAD && !parse_head(c))
            continue;
        if (c->phase == PHASE_BODY && take_body(c)) {
            answered(c);
            if (c->phase == PHASE_DEAD)
                return;
        }
    }
}

static void shake(struct load_conn *c)
{
    enum tls_io io = tls_handshake(c->tls);
    if (io == TLS_IO_WANT_READ || io == TLS_IO_WANT_WRITE) {
        loop_fd_want(c->load->loop, &c->fd, io == TLS_IO_WANT_READ ? EPOLLIN : EPOLLOUT);
        return;
    }
    struct load *l = c->load;
    if (io != TLS_IO_OK) {
        fprintf(stderr, "handshake: %s\n", tls_last_error(c->tls));
        conn_fail(c);
    } else {
        l->handshaking--;
        l->opened++;
        start_request(c);
    }
    open_more(l);
}

static void conn_ready(struct loop_fd *f, uint32_t events)
{
    struct load_conn *c = container_of(f, struct load_conn, fd);
    if (c->phase == PHASE_HANDSHAKE) {
        shake(c);
        return;
    }
    if (c->phase == PHASE_SEND && (events & EPOLLOUT))
        send_some(c);
    if (c->phase != PHASE_DEAD && (events & (EPOLLIN | EPOLLERR | EPOLLHUP)))
        read_some(c);
}

void load_run(struct load *l, nsec_t for_ns)
{
    if (for_ns > 0)
        loop_timer_set(l->loop, &l->timer, clock_mono(&clock_real) + for_ns);
    loop_run(l->loop);
    loop_timer_stop(l->loop, &l->timer);
}

void load_stop(struct load *l)
{
    loop_stop(l->loop);
}

size_t load_conn_index(const struct load_conn *c)
{
    return c->index;
}

struct load_conn *load_conn_at(struct load *l, size_t i)
{
    return l->conns.p[i];
}

struct loop *load_loop(struct load *l)
{
    return l->loop;
}

size_t load_errors(const struct load *l)
{
    return l->errors;
}

size_t load_opened(const struct load *l)
{
    return l->opened;
}

struct one_get {
    const char *path;
    bool sent;
    int status;
    struct strbuf *body; /* NULL: not wanted */
    struct load *load;
};

static bool one_next(void *arg, struct load_conn *c UNUSED, struct strbuf *out)
{
    struct one_get *g = arg;
    if (g->sent)
        return false;
    g->sent = true;
    load_request(out, "GET", str_of(g->path), S(""));
    return true;
}

static void one_answer(void *arg, struct load_conn *c UNUSED, int status, str body, nsec_t took UNUSED)
{
    struct one_get *g = arg;
    g->status = status;
    if (g->body)
        strbuf_add_str(g->body, body);
    load_stop(g->load);
}

int load_get(const struct target *t, const char *path, struct strbuf *body)
{
    static const struct load_ops ops = {.next = one_next, .answer = one_answer};
    struct one_get g = {.path = path, .body = body};
    struct net_addr addr = {.host = "127.0.0.1", .port = t->port};
    int fd;
    if (net_connect_tcp(&addr, NSEC_PER_SEC, &fd, NULL) < 0)
        return 0;
    close(fd);
    g.load = load_new(t, &ops, &g);
    load_open(g.load, 1, 1);
    load_run(g.load, 5 * NSEC_PER_SEC);
    load_free(g.load);
    return g.status;
}

int load_get_status(const struct target *t, const char *path)
{
    return load_get(t, path, NULL);
}

double load_get_metric(const struct target *t, const char *name)
{
    STRBUF_AUTO body = STRBUF_HEAP;
    double value = 0;
    str rest, line, key;
    if (load_get(t, "/metrics", &body) != 200)
        return 0;
    for (rest = strbuf_str(&body); rest.len;) {
        str_cut(&rest, '\n', &line);
        str_cut(&line, ' ', &key);
        if (str_is(key, name))
            str_to_double(line, &value);
    }
    return value;
}
