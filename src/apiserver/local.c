/* SPDX-License-Identifier: Apache-2.0 */
#include "apiserver/local.h"

#include <pthread.h>

#include "apiserver/internal.h"

#define LOCAL_WATCH_BYTES (256u << 20)

/* Finished calls that are kept for the next ones, with the first block of their arena. */
#define SPARE_CALLS 64
#define SPARE_RESPONSE_BYTES (4u << 10)

struct local_call;

struct local_transport {
    struct client_transport client;
    struct apiserver *srv;
    _Atomic uint32_t next_loop;
    pthread_mutex_t lock; /* guards the rest: components have threads of their own */
    struct local_call *spare[SPARE_CALLS];
    size_t nspare;
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

/* Watches of one resource share a loop, and with it the bytes of their events. */
static struct loop *pick_watch_loop(struct local_transport *t, str path)
{
    str resource;
    str_cut(&path, '?', &resource);
    return t->srv->opts.loops[str_hash(resource) % t->srv->opts.nloops];
}

static struct loop *pick_loop(struct local_transport *t)
{
    uint32_t i = atomic_fetch_add_explicit(&t->next_loop, 1, memory_order_relaxed);
    return t->srv->opts.loops[i % t->srv->opts.nloops];
}

/* --- calls ---------------------------------------------------------------------------------------------------------------- */

struct local_call {
    struct loop_msg msg;
    struct local_transport *transport;
    struct client_call *call;
    struct apiserver *srv;
    struct loop *io;
    struct arena arena;
    struct api_req q;
    struct strbuf response;
    int status;
};

static void call_free(struct local_call *lc)
{
    strbuf_fini(&lc->response);
    arena_fini(&lc->arena);
    free(lc);
}

static struct local_call *call_take(struct local_transport *t)
{
    struct local_call *lc = NULL;
    pthread_mutex_lock(&t->lock);
    if (t->nspare)
        lc = t->spare[--t->nspare];
    pthread_mutex_unlock(&t->lock);
    return lc ? lc : xnew(struct local_call);
}

static void call_give_back(struct local_call *lc)
{
    struct local_transport *t = lc->transport;
    struct arena arena = lc->arena;
    struct strbuf response = lc->response;
    arena_reset(&arena);
    strbuf_clear(&response);
    if (response.cap > SPARE_RESPONSE_BYTES)
        strbuf_fini(&response);
    *lc = (struct local_call){.arena = arena, .response = response};
    pthread_mutex_lock(&t->lock);
    if (t->nspare < SPARE_CALLS) {
        t->spare[t->nspare++] = lc;
        lc = NULL;
    }
    pthread_mutex_unlock(&t->lock);
    if (lc)
        call_free(lc);
}

static void call_deliver(struct loop_msg *m)
{
    struct local_call *lc = container_of(m, struct local_call, msg);
    struct client_call *c = lc->call;
    c->status = lc->status;
    c->response = strbuf_str(&lc->response);
    c->done(c);
    call_give_back(lc);
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
    struct local_call *lc = call_take(t);
    lc->transport = t;
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
    struct watch_batch *batch; /* io loop: events of this turn, not posted yet */
    struct loop_defer flush;
    int status;
};

/* Events leave together at the end of the loop's turn: a message and a wake-up for each would cost more than most of them. */
#define BATCH_EVENTS 64
struct watch_batch {
    struct loop_msg msg;
    struct local_watch *lw;
    size_t n;
    struct http_buf *bufs[BATCH_EVENTS];
};

static void watch_unref(struct local_watch *lw)
{
    if (atomic_fetch_sub(&lw->refs, 1) == 1) {
        arena_fini(&lw->arena);
        free(lw);
    }
}

static void deliver_buf(struct local_watch *lw, struct http_buf *buf)
{
    str rest = str_n(buf->data, buf->len), line;
    while (rest.len) {
        str_cut(&rest, '\n', &line);
        if (line.len)
            lw->watch->event(lw->watch, line);
    }
    atomic_fetch_sub(&lw->untaken, buf->len);
    http_buf_unref(buf);
}

static void watch_deliver(struct loop_msg *m)
{
    struct watch_batch *b = container_of(m, struct watch_batch, msg);
    for (size_t i = 0; i < b->n; i++)
        deliver_buf(b->lw, b->bufs[i]);
    free(b);
}

static void watch_flush(struct local_watch *lw)
{
    struct watch_batch *b = TAKE(lw->batch);
    loop_defer_cancel(lw->io, &lw->flush);
    if (b)
        loop_post(lw->watch->loop, &b->msg);
}

static void watch_flush_run(struct loop_defer *d)
{
    watch_flush(container_of(d, struct local_watch, flush));
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
    if (!lw->batch) {
        lw->batch = xmalloc(sizeof *lw->batch);
        lw->batch->msg.fn = watch_deliver;
        lw->batch->lw = lw;
        lw->batch->n = 0;
        lw->flush.fn = watch_flush_run;
        loop_defer(lw->io, &lw->flush);
    }
    lw->batch->bufs[lw->batch->n++] = http_buf_ref(buf);
    if (lw->batch->n == BATCH_EVENTS)
        watch_flush(lw);
    return true;
}

static void watch_finish(struct api_req *q)
{
    struct local_watch *lw = q->local;
    chain_finish_local(q);
    lw->live = NULL;
    watch_flush(lw);
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
    lw->io = pick_watch_loop(t, w->path);
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
    pthread_mutex_init(&t->lock, NULL);
    return t;
}

void local_free(struct local_transport *t)
{
    if (!t)
        return;
    while (t->nspare)
        call_free(t->spare[--t->nspare]);
    pthread_mutex_destroy(&t->lock);
    free(t);
}

struct client_transport *local_client(struct local_transport *t)
{
    return &t->client;
}
