/* SPDX-License-Identifier: Apache-2.0 */
#include "apiserver/local.h"

#include "apiserver/internal.h"

#define LOCAL_WATCH_BYTES (256u << 20)

struct local_transport {
    struct client_transport client;
    struct apiserver *srv;
    _Atomic uint32_t next_loop;
};

/* --- requests ----------------------------------------------------------------------------------------------------------- */

static const str local_groups[] = {STR_INIT("system:masters"), STR_INIT("system:authenticated")};

static void request_fill(struct api_req *q, struct apiserver *s, struct arena *a, struct loop *loop, str method, str path)
{
    str head;
    str_cut(&path, '?', &head);
    q->srv = s;
    q->arena = a;
    q->loop = loop;
    q->received_ns = clock_mono(s->clock);
    q->method = method;
    q->path = head;
    q->query = path;
    q->accept = S("application/json");
    q->user_agent = S("cox");
    q->user = (struct api_user){.name = S("system:apiserver"), .groups = local_groups, .ngroups = ARRAY_LEN(local_groups)};
}

static struct loop *pick_loop(struct local_transport *t)
{
    uint32_t i = atomic_fetch_add_explicit(&t->next_loop, 1, memory_order_relaxed);
    return t->srv->opts.loops[i % t->srv->opts.nloops];
}

/* --- calls ---------------------------------------------------------------------------------------------------------------- */

struct local_call {
    struct loop_msg msg;
    struct client_call *call;
    struct apiserver *srv;
    struct loop *io;
    struct arena arena;
    struct api_req q;
    struct strbuf response;
    int status;
};

static void call_deliver(struct loop_msg *m)
{
    struct local_call *lc = container_of(m, struct local_call, msg);
    struct client_call *c = lc->call;
    c->status = lc->status;
    c->response = strbuf_str(&lc->response);
    c->done(c);
    strbuf_fini(&lc->response);
    arena_fini(&lc->arena);
    free(lc);
}

static void call_answered(struct local_call *lc)
{
    chain_finish_local(&lc->q);
    lc->msg.fn = call_deliver;
    loop_post(lc->call->loop, &lc->msg);
}

static void call_respond(struct api_req *q, const struct http_response *res)
{
    struct local_call *lc = q->local;
    lc->status = res->status;
    strbuf_add_str(&lc->response, res->body);
    for (size_t i = 0; i < res->nbufs; i++)
        strbuf_add(&lc->response, res->bufs[i]->data, res->bufs[i]->len);
    call_answered(lc);
}

static void call_stream_start(struct api_req *q, const struct http_response *head)
{
    struct local_call *lc = q->local;
    lc->status = q->answered_status = head->status;
}

static bool call_stream_write(struct api_req *q, struct http_buf *buf, size_t limit UNUSED)
{
    struct local_call *lc = q->local;
    strbuf_add(&lc->response, buf->data, buf->len);
    return true;
}

static void call_stream_end(struct api_req *q)
{
    call_answered(q->local);
}

static void call_abort(struct api_req *q)
{
    struct local_call *lc = q->local;
    lc->status = 0;
    call_answered(lc);
}

static const struct api_sink call_sink = {call_respond, call_stream_start, call_stream_write, call_stream_end, call_abort};

static void call_run(struct loop_msg *m)
{
    struct local_call *lc = container_of(m, struct local_call, msg);
    request_fill(&lc->q, lc->srv, &lc->arena, lc->io, lc->call->method, lc->call->path);
    lc->q.local = lc;
    lc->q.sink = &call_sink;
    lc->q.content_type = lc->call->content_type;
    lc->q.body = lc->call->body;
    chain_run(&lc->q);
}

static void local_call(struct client_transport *ct, struct client_call *c)
{
    struct local_transport *t = container_of(ct, struct local_transport, client);
    struct local_call *lc = xnew(struct local_call);
    lc->call = c;
    lc->srv = t->srv;
    lc->io = pick_loop(t);
    lc->msg.fn = call_run;
    loop_post(lc->io, &lc->msg);
}

/* --- watches ------------------------------------------------------------------------------------------------------------- */

struct local_watch {
    struct loop_msg msg;      /* start, then end */
    struct loop_msg stop_msg;
    _Atomic int refs;         /* the stream, and a stop on its way */
    _Atomic size_t untaken;   /* bytes posted and not yet delivered */
    struct client_watch *watch;
    struct apiserver *srv;
    struct loop *io;
    struct arena arena;
    struct api_req q;
    struct api_req *live;     /* io loop: the watcher's request while it runs */
    int status;
};

struct watch_bytes {
    struct loop_msg msg;
    struct local_watch *lw;
    struct http_buf *buf;
};

static void watch_unref(struct local_watch *lw)
{
    if (atomic_fetch_sub(&lw->refs, 1) == 1) {
        arena_fini(&lw->arena);
        free(lw);
    }
}

static void watch_deliver(struct loop_msg *m)
{
    struct watch_bytes *b = container_of(m, struct watch_bytes, msg);
    str rest = str_n(b->buf->data, b->buf->len), line;
    while (rest.len) {
        str_cut(&rest, '\n', &line);
        if (line.len)
            b->lw->watch->event(b->lw->watch, line);
    }
    atomic_fetch_sub(&b->lw->untaken, b->buf->len);
    http_buf_unref(b->buf);
    free(b);
}

static void watch_deliver_end(struct loop_msg *m)
{
    struct local_watch *lw = container_of(m, struct local_watch, msg);
    struct client_watch *w = lw->watch;
    w->transport_ = NULL;
    w->ended(w, lw->status);
    watch_unref(lw);
}

static bool watch_stream_write(struct api_req *q, struct http_buf *buf, size_t limit)
{
    struct local_watch *lw = q->local;
    if (limit != SIZE_MAX && atomic_load(&lw->untaken) > LOCAL_WATCH_BYTES)
        return false;
    atomic_fetch_add(&lw->untaken, buf->len);
    struct watch_bytes *b = xnew(struct watch_bytes);
    *b = (struct watch_bytes){.msg = {.fn = watch_deliver}, .lw = lw, .buf = http_buf_ref(buf)};
    loop_post(lw->watch->loop, &b->msg);
    return true;
}

static void watch_finish(struct api_req *q)
{
    struct local_watch *lw = q->local;
    chain_finish_local(q);
    lw->live = NULL;
    lw->msg.fn = watch_deliver_end;
    loop_post(lw->watch->loop, &lw->msg);
}

static void watch_respond(struct api_req *q, const struct http_response *res)
{
    struct local_watch *lw = q->local;
    lw->status = res->status;
    if (res->status == 200 && res->body.len) { /* an expired revision is one ERROR event */
        struct http_buf *buf = http_buf_new(res->body);
        watch_stream_write(q, buf, SIZE_MAX);
        http_buf_unref(buf);
    }
    watch_finish(q);
}

static void watch_stream_start(struct api_req *q, const struct http_response *head)
{
    struct local_watch *lw = q->local;
    lw->status = q->answered_status = head->status;
    lw->live = q;
}

static const struct api_sink watch_sink = {watch_respond, watch_stream_start, watch_stream_write, watch_finish, watch_finish};

static void watch_run(struct loop_msg *m)
{
    struct local_watch *lw = container_of(m, struct local_watch, msg);
    request_fill(&lw->q, lw->srv, &lw->arena, lw->io, S("GET"), lw->watch->path);
    lw->q.local = lw;
    lw->q.sink = &watch_sink;
    chain_run(&lw->q);
}

static void local_watch(struct client_transport *ct, struct client_watch *w)
{
    struct local_transport *t = container_of(ct, struct local_transport, client);
    struct local_watch *lw = xnew(struct local_watch);
    lw->refs = 1;
    lw->watch = w;
    lw->srv = t->srv;
    lw->io = pick_loop(t);
    lw->msg.fn = watch_run;
    w->transport_ = lw;
    loop_post(lw->io, &lw->msg);
}

static void watch_stop_run(struct loop_msg *m)
{
    struct local_watch *lw = container_of(m, struct local_watch, stop_msg);
    if (lw->live)
        watch_gone(lw->live);
    watch_unref(lw);
}

static void local_watch_stop(struct client_transport *ct UNUSED, struct client_watch *w)
{
    struct local_watch *lw = w->transport_;
    if (!lw || lw->stop_msg.fn)
        return;
    atomic_fetch_add(&lw->refs, 1);
    lw->stop_msg.fn = watch_stop_run;
    loop_post(lw->io, &lw->stop_msg);
}

struct local_transport *local_new(struct apiserver *s)
{
    struct local_transport *t = xnew(struct local_transport);
    t->client = (struct client_transport){local_call, local_watch, local_watch_stop};
    t->srv = s;
    return t;
}

void local_free(struct local_transport *t)
{
    free(t);
}

struct client_transport *local_client(struct local_transport *t)
{
    return &t->client;
}
