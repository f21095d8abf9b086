/* SPDX-License-Identifier: Apache-2.0 */
/* GET /containerLogs: the disk is read on the pool, one piece at a time; the next piece is read when the client has taken most of the one before.
 *
 *   read (pool) ─► write ─► read ...            at the end: done, or with follow=true look again after FOLLOW_NS until the container has ended */
#include "agent/streams/logs.h"
#include "agent/streams/streams_internal.h"
#include "base/civil.h"

#define PIECE_BYTES (64u << 10)
#define UNSENT_BYTES (256u << 10)
#define FOLLOW_NS (100 * NSEC_PER_MSEC)
#define ASK_EVERY 5 /* looks, between questions whether the container still runs */

struct log_session {
    struct stream_session base;
    struct http_request *req;
    struct work_item work;
    bool working, started, ending;
    bool follow;
    bool ended; /* the container: what the next read finds is all there is */
    unsigned looks;
    char *ns, *pod, *container, *id;
    struct log_reader *reader;
    struct strbuf piece; /* read and not yet written */
    enum log_result result;
    struct err err;
    struct loop_timer timer;
};

static void go_on(struct log_session *l);

static void finish(struct log_session *l)
{
    struct http_request *req = l->req;
    loop_timer_stop(req->loop, &l->timer);
    req->on_gone = req->on_writable = NULL;
    if (l->started)
        http_stream_end(req);
    else if (req->gone)
        http_abort(req);
    else
        streams_answer_err(req, &l->err);
    streams_session_del(&l->base);
    log_reader_free(l->reader);
    strbuf_fini(&l->piece);
    free(l->ns);
    free(l->pod);
    free(l->container);
    free(l->id);
    free(l);
}

static void end(struct log_session *l)
{
    l->ending = true;
    if (!l->working)
        finish(l);
}

static void on_gone(struct http_request *req)
{
    end(req->user);
}

static void on_stop(struct stream_session *s)
{
    end(container_of(s, struct log_session, base));
}

/* --- reading ---------------------------------------------------------------------------------------------------------- */

static void work_run(struct work_item *w)
{
    struct log_session *l = container_of(w, struct log_session, work);
    l->result = log_reader_read(l->reader, &l->piece, PIECE_BYTES, &l->err);
}

static void read_more(struct log_session *l)
{
    l->working = true;
    work_submit(l->base.streams->o.pool, &l->work);
}

static bool write_piece(struct log_session *l)
{
    if (!l->piece.len)
        return true;
    struct http_buf *b = http_buf_new(strbuf_str(&l->piece));
    bool taken = http_stream_write(l->req, b, UNSENT_BYTES);
    http_buf_unref(b);
    if (taken)
        strbuf_clear(&l->piece);
    return taken; /* else on_writable goes on */
}

static void start_stream(struct log_session *l)
{
    if (l->started)
        return;
    l->started = true;
    l->req->patient = true;
    http_stream_start(l->req, &(struct http_response){.status = 200, .content_type = S("text/plain")});
}

static void work_done(struct work_item *w)
{
    struct log_session *l = container_of(w, struct log_session, work);
    l->working = false;
    if (l->ending || (l->result == LOG_FAILED && !l->started && !(l->follow && l->err.code == E_NOT_FOUND))) {
        finish(l);
        return;
    }
    start_stream(l);
    go_on(l);
}

/* --- following ------------------------------------------------------------------------------------------------------------ */

static bool still_runs(struct log_session *l)
{
    const struct streams_opts *o = &l->base.streams->o;
    ARENA_AUTO a = ARENA_INIT;
    struct stream_target t = {0};
    struct err err;
    return o->find(o->arg, str_of(l->ns), str_of(l->pod), str_of(l->container), &a, &t, &err) == 0 && t.running && str_is(t.container_id, l->id);
}

static void look(struct loop_timer *timer)
{
    struct log_session *l = container_of(timer, struct log_session, timer);
    if (l->looks++ % ASK_EVERY == 0 && !l->ended && !still_runs(l)) {
        l->ended = true; /* one more read: its last words */
        read_more(l);
    } else if (l->result == LOG_FAILED || log_reader_has_more(l->reader)) {
        read_more(l);
    } else {
        loop_timer_set(l->req->loop, &l->timer, loop_now(l->req->loop) + FOLLOW_NS);
    }
}

/* A piece was read: write it, and what then? */
static void go_on(struct log_session *l)
{
    if (!write_piece(l))
        return;
    bool may_come = l->result == LOG_AT_END || l->result == LOG_FAILED;
    if (l->result == LOG_MORE)
        read_more(l);
    else if (may_come && l->follow && !l->ended)
        loop_timer_set(l->req->loop, &l->timer, loop_now(l->req->loop) + FOLLOW_NS);
    else
        finish(l);
}

static void on_writable(struct http_request *req)
{
    struct log_session *l = req->user;
    if (!l->working && l->piece.len)
        go_on(l);
}

/* --- options ------------------------------------------------------------------------------------------------------------------ */

static int number_of(struct http_request *req, const char *name, int64_t *ret, struct err *err)
{
    str v;
    if (!http_query_get(req, str_of(name), &v) || !v.len)
        return 0;
    if (!str_to_i64(v, ret) || *ret < 0)
        return err_set(err, E_INVALID_ARG, "invalid log options: %s must be a number that is not negative, not \"" STR_FMT "\"", name, STR_ARG(v));
    return 0;
}

static int options_of(struct streams *s, struct http_request *req, struct log_opts *o, struct err *err)
{
    int64_t seconds = -1;
    str v;
    *o = (struct log_opts){.tail = -1, .limit_bytes = -1, .timestamps = streams_query_bool(req, S("timestamps"))};
    int r = number_of(req, "tailLines", &o->tail, err);
    if (r == 0)
        r = number_of(req, "limitBytes", &o->limit_bytes, err);
    if (r == 0)
        r = number_of(req, "sinceSeconds", &seconds, err);
    if (r < 0)
        return r;
    if (seconds >= 0)
        o->since = clock_wall(loop_clock(s->o.loop)) - MIN(seconds, (int64_t)(INT64_MAX / NSEC_PER_SEC / 2)) * NSEC_PER_SEC;
    else if (http_query_get(req, S("sinceTime"), &v) && v.len && !civil_parse(v, &o->since))
        return err_set(err, E_INVALID_ARG, "invalid log options: sinceTime \"" STR_FMT "\" is no RFC 3339 time", STR_ARG(v));
    if (http_query_get(req, S("stream"), &v) && v.len && !str_ieq(v, S("All"))) {
        o->streams = str_ieq(v, S("Stdout")) ? LOG_STDOUT : str_ieq(v, S("Stderr")) ? LOG_STDERR : 0;
        if (!o->streams)
            return err_set(err, E_INVALID_ARG, "invalid log options: stream must be All, Stdout or Stderr, not \"" STR_FMT "\"", STR_ARG(v));
    }
    return 0;
}

/* Kubernetes' words. */
static const char *waiting_text(str reason, struct arena *a)
{
    if (str_is(reason, "ErrImagePull"))
        return "image can't be pulled";
    if (str_is(reason, "ImagePullBackOff"))
        return "trying and failing to pull image";
    return reason.len ? arena_cstr(a, reason) : "ContainerCreating";
}

static int target_of(struct streams *s, struct http_request *req, const struct stream_path *p, struct stream_target *t, struct log_opts *o, struct err *err)
{
    bool previous = streams_query_bool(req, S("previous"));
    int r = s->o.find(s->o.arg, p->ns, p->pod, p->container, req->arena, t, err);
    if (r < 0)
        return r;
    str path = previous ? t->previous_log_path : t->log_path;
    if (!path.len && previous)
        return err_set(err, E_INVALID_ARG, "previous terminated container \"" STR_FMT "\" in pod \"" STR_FMT "\" not found", STR_ARG(p->container), STR_ARG(p->pod));
    if (!path.len)
        return err_set(err, E_INVALID_ARG, "container \"" STR_FMT "\" in pod \"" STR_FMT "\" is waiting to start: %s", STR_ARG(p->container), STR_ARG(p->pod),
                       waiting_text(t->waiting_reason, req->arena));
    o->path = arena_cstr(req->arena, path);
    return 0;
}

void streams_serve_log(struct streams *s, struct http_request *req, const struct stream_path *p)
{
    struct err err = ERR_NONE;
    struct log_opts o;
    struct stream_target t = {0};
    if (options_of(s, req, &o, &err) < 0 || target_of(s, req, p, &t, &o, &err) < 0) {
        streams_answer_err(req, &err);
        return;
    }
    struct log_session *l = xnew(struct log_session);
    if (!streams_session_add(s, &l->base, req, on_stop)) {
        free(l);
        return;
    }
    l->req = req;
    l->follow = streams_query_bool(req, S("follow")) && !streams_query_bool(req, S("previous"));
    l->ns = str_dup(p->ns);
    l->pod = str_dup(p->pod);
    l->container = str_dup(p->container);
    l->id = str_dup(t.container_id);
    l->ended = l->follow && !t.running;
    l->reader = log_reader_new(&o);
    l->work = (struct work_item){.loop = s->o.loop, .run = work_run, .done = work_done};
    l->timer.fire = look;
    req->user = l;
    req->on_gone = on_gone;
    req->on_writable = on_writable;
    read_more(l);
}
