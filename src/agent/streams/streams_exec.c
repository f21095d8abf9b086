/* SPDX-License-Identifier: Apache-2.0 */
/* POST or GET /exec and /attach: the streams of a connection joined with the descriptors of a process.
 *
 *   WAITING for the client's streams ─► STARTING (runtime's exec, pool) ─► RUNNING ─► DRAINING (it has ended, its output not) ─► CLOSING (pool) ─► freed
 *
 *   stdin ─► in.buf ─► descriptor             full: the connection is paused until the process reads
 *   stdout, stderr ◄── one piece ◄── descriptor     the client does not read: the descriptor is not read
 *
 * The runtime is called by one work item, one call at a time: start, resize, finish, close. */
#include <errno.h>
#include <fcntl.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "agent/streams/streams_internal.h"
#include "base/log.h"

#define IN_BYTES (64u << 10)
#define RESIZE_BYTES 512
#define DRAIN_NS (250 * NSEC_PER_MSEC) /* of silence after the end: somebody else holds the other end of the pipe */
#define READS_A_TURN 4

enum phase { WAITING, STARTING, RUNNING, DRAINING, CLOSING };
enum call { CALL_NONE, CALL_START, CALL_RESIZE, CALL_FINISH, CALL_CLOSE };

/* Output of the process. */
struct pump {
    struct exec *exec;
    struct loop_fd io; /* -1: none, or at its end */
    struct channel *ch;
    char *piece;       /* read, and refused by the connection */
    size_t piece_len;
    bool watched;
};

struct exec {
    struct stream_session base;
    struct loop *loop;
    struct channels *conn; /* NULL: gone or finished */
    struct arena arena;
    struct runtime *runtime;
    str id;
    struct exec_spec spec;
    struct exec_session x;
    bool is_attach;
    enum phase phase;
    struct work_item work;
    enum call call;     /* under way */
    bool opened;        /* the runtime's session is there, to be closed */
    bool want_resize, ended, exit_known, in_eof, in_broken;
    unsigned columns, rows;
    int exit_code, result;
    struct err err;
    struct channel *chans[CHANNEL_DATA]; /* by type */
    struct pump out, err_out;
    struct loop_fd in;  /* -1: none */
    bool in_is_copy;
    bool in_stays;      /* of one who attaches: the container's input does not end with theirs, and its output still comes */
    struct strbuf in_buf;
    size_t in_at;
    struct loop_fd control;
    char resize[RESIZE_BYTES];
    size_t resize_len;
    nsec_t active;      /* last byte either way */
    struct loop_timer timer;
};

static void step(struct exec *e);

/* --- descriptors ---------------------------------------------------------------------------------------------------- */

static void fd_drop(struct exec *e, struct loop_fd *f)
{
    if (f->fd >= 0)
        loop_fd_del(e->loop, f);
    f->fd = -1;
}

static void in_drop(struct exec *e)
{
    if (e->in.fd < 0)
        return;
    int fd = e->in.fd;
    fd_drop(e, &e->in);
    if (e->in_is_copy) {
        close(fd);
    } else {
        close(e->x.in); /* the process sees the end of its input */
        e->x.in = -1;
    }
}

static bool watch(struct exec *e, struct loop_fd *f, int fd, uint32_t events, void (*ready)(struct loop_fd *f, uint32_t ev))
{
    *f = (struct loop_fd){.fd = fd, .ready = ready};
    if (fd < 0)
        return false;
    int flags = fcntl(fd, F_GETFL);
    fcntl(fd, F_SETFL, flags | O_NONBLOCK);
    if (loop_fd_add(e->loop, f, events, &e->err) == 0)
        return true;
    f->fd = -1;
    return false;
}

/* --- output ------------------------------------------------------------------------------------------------------------ */

static void pump_end(struct pump *p)
{
    fd_drop(p->exec, &p->io);
    if (p->ch && p->exec->conn)
        channel_close(p->ch);
}

/* True: go on reading. */
static bool pump_read(struct pump *p)
{
    struct exec *e = p->exec;
    ssize_t n = read(p->io.fd, p->piece, CHANNELS_WRITE_MAX);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return false;
    if (n <= 0) { /* a terminal whose other side closed says EIO */
        pump_end(p);
        step(e);
        return false;
    }
    e->active = loop_now(e->loop);
    if (!e->conn || !p->ch)
        return true; /* nobody asked: thrown away, so that the process can go on */
    if (channel_write(p->ch, str_n(p->piece, (size_t)n)))
        return true;
    p->piece_len = (size_t)n;
    loop_fd_want(e->loop, &p->io, 0);
    return false;
}

static void pump_ready(struct loop_fd *f, uint32_t events UNUSED)
{
    struct pump *p = container_of(f, struct pump, io);
    if (p->piece_len) { /* a hang-up comes whatever is wanted: look again when the client reads */
        loop_fd_del(p->exec->loop, f);
        p->watched = false;
        return;
    }
    for (int i = 0; i < READS_A_TURN && p->io.fd >= 0 && pump_read(p); i++)
        ;
}

static void pump_go_on(struct pump *p)
{
    struct exec *e = p->exec;
    if (p->io.fd < 0 || !p->piece_len || !channel_write(p->ch, str_n(p->piece, p->piece_len)))
        return;
    p->piece_len = 0;
    if (p->watched) {
        loop_fd_want(e->loop, &p->io, EPOLLIN);
    } else {
        p->watched = true;
        if (loop_fd_add(e->loop, &p->io, EPOLLIN, &e->err) < 0)
            p->io.fd = -1;
    }
}

static void pump_start(struct exec *e, struct pump *p, int fd, struct channel *ch)
{
    p->exec = e;
    p->ch = ch;
    p->watched = watch(e, &p->io, fd, EPOLLIN, pump_ready);
    if (p->watched)
        p->piece = xmalloc(CHANNELS_WRITE_MAX);
    else if (ch)
        channel_close(ch);
}

static void pump_drop(struct exec *e, struct pump *p)
{
    if (p->watched)
        fd_drop(e, &p->io);
    p->io.fd = -1;
    p->watched = false;
}

/* --- input --------------------------------------------------------------------------------------------------------------- */

static void in_flush(struct exec *e)
{
    while (e->in.fd >= 0 && e->in_at < e->in_buf.len) {
        ssize_t n = write(e->in.fd, e->in_buf.p + e->in_at, e->in_buf.len - e->in_at);
        if (n < 0 && (errno == EAGAIN || errno == EINTR)) {
            loop_fd_want(e->loop, &e->in, EPOLLOUT);
            return;
        }
        if (n < 0) { /* it does not read any more */
            e->in_broken = true;
            in_drop(e);
            break;
        }
        e->in_at += (size_t)n;
    }
    strbuf_clear(&e->in_buf);
    e->in_at = 0;
    if (e->conn)
        channels_pause(e->conn, false);
    if (e->in.fd < 0)
        return;
    loop_fd_want(e->loop, &e->in, 0);
    if (e->in_eof && !e->x.tty && !e->in_stays) /* a terminal has no half */
        in_drop(e);
}

static void in_ready(struct loop_fd *f, uint32_t events)
{
    struct exec *e = container_of(f, struct exec, in);
    if (e->in_buf.len)
        in_flush(e);
    else if (events & (EPOLLERR | EPOLLHUP)) { /* nobody will read what may come */
        e->in_broken = true;
        in_drop(e);
    }
}

static void in_add(struct exec *e, str bytes)
{
    if (e->in_broken || (e->phase >= RUNNING && e->in.fd < 0))
        return;
    if (e->in_at > IN_BYTES) { /* a process that reads slowly but always would let the part behind it grow */
        strbuf_splice(&e->in_buf, 0, e->in_at, S(""));
        e->in_at = 0;
    }
    strbuf_add_str(&e->in_buf, bytes);
    if (e->phase == RUNNING && e->in_buf.len == bytes.len)
        in_flush(e);
    if (e->in_buf.len - e->in_at > IN_BYTES && e->conn)
        channels_pause(e->conn, true);
}

/* {"Width":80,"Height":24}, one behind the other; the newest counts. */
static void resize_add(struct exec *e, str bytes)
{
    while (bytes.len) {
        str some = str_sub(bytes, 0, RESIZE_BYTES - e->resize_len);
        memcpy(e->resize + e->resize_len, some.p, some.len);
        e->resize_len += some.len;
        bytes = str_from(bytes, some.len);
        str rest = str_n(e->resize, e->resize_len);
        for (ptrdiff_t end; (end = str_find_char(rest, '}')) >= 0; rest = str_from(rest, (size_t)end + 1)) {
            ARENA_AUTO a = ARENA_INIT;
            struct json v;
            if (json_parse(&a, str_trim(str_sub(rest, 0, (size_t)end + 1)), NULL, &v, NULL) < 0)
                continue;
            int64_t w = json_get_int(&v, S("Width"), 0), h = json_get_int(&v, S("Height"), 0);
            if (w > 0 && w < 65536 && h > 0 && h < 65536) {
                e->columns = (unsigned)w;
                e->rows = (unsigned)h;
                e->want_resize = true;
            }
        }
        memmove(e->resize, rest.p, rest.len);
        e->resize_len = rest.len == RESIZE_BYTES ? 0 : rest.len;
    }
    step(e);
}

/* --- what the runtime is asked ------------------------------------------------------------------------------------------------ */

static void work_run(struct work_item *w)
{
    struct exec *e = container_of(w, struct exec, work);
    const struct runtime_ops *ops = e->runtime->ops;
    switch (e->call) {
    case CALL_START:
        e->result = ops->exec(e->runtime, e->id, &e->spec, &e->x, &e->err);
        break;
    case CALL_RESIZE:
        e->result = ops->exec_resize(e->runtime, &e->x, e->columns, e->rows);
        break;
    case CALL_FINISH:
        e->result = ops->exec_finish(e->runtime, &e->x, 0, &e->exit_code, &e->err);
        break;
    default:
        ops->exec_close(e->runtime, &e->x);
    }
}

static void call(struct exec *e, enum call what)
{
    e->call = what;
    work_submit(e->base.streams->o.pool, &e->work);
}

static void control_ready(struct loop_fd *f, uint32_t events UNUSED)
{
    struct exec *e = container_of(f, struct exec, control);
    fd_drop(e, &e->control);
    e->ended = true;
    step(e);
}

static void begin_pumping(struct exec *e)
{
    e->opened = true;
    e->phase = RUNNING;
    e->active = loop_now(e->loop);
    pump_start(e, &e->out, e->x.out, e->chans[CHANNEL_STDOUT]);
    pump_start(e, &e->err_out, e->x.err, e->chans[CHANNEL_STDERR]);
    int in = e->x.in;
    e->in_is_copy = in >= 0 && (in == e->x.out || e->x.tty);
    if (e->in_is_copy)
        in = fcntl(in, F_DUPFD_CLOEXEC, 3); /* one descriptor both ways, and epoll takes it once */
    if (!watch(e, &e->in, in, 0, in_ready) && e->in_is_copy && in >= 0)
        close(in);
    watch(e, &e->control, e->x.control, EPOLLIN, control_ready);
    if (e->in_buf.len || e->in_eof)
        in_flush(e);
}

/* --- how it ended -------------------------------------------------------------------------------------------------------------- */

static void write_error(struct exec *e, str text)
{
    if (e->chans[CHANNEL_ERROR] && e->conn)
        channel_write_last(e->chans[CHANNEL_ERROR], text);
}

static void report(struct exec *e)
{
    STRBUF_AUTO b = STRBUF_HEAP;
    bool as_status = channels_version(e->conn) >= 4;
    if (e->result < 0 && !(e->is_attach && e->opened)) { /* a container that ends is no failure of whoever was attached to it */
        STRBUF_AUTO why = STRBUF_HEAP;
        strbuf_addf(&why, "error %s container: %s", e->is_attach ? "attaching to" : "executing command in", e->err.msg);
        if (as_status) {
            strbuf_add_str(&b, S("{\"metadata\":{},\"status\":\"Failure\",\"message\":"));
            STRBUF_AUTO message = STRBUF_HEAP;
            strbuf_addf(&message, "Internal error occurred: %s", strbuf_cstr(&why));
            json_write_string(&b, strbuf_str(&message));
            strbuf_add_str(&b, S(",\"reason\":\"InternalError\",\"details\":{\"causes\":[{\"message\":"));
            json_write_string(&b, strbuf_str(&why));
            strbuf_add_str(&b, S("}]},\"code\":500}"));
        } else {
            strbuf_add_str(&b, strbuf_str(&why));
        }
    } else if (e->exit_code && !e->is_attach) {
        strbuf_addf(&b,
                    as_status ? "{\"metadata\":{},\"status\":\"Failure\",\"message\":\"command terminated with non-zero exit code: %d\",\"reason\":\"NonZeroExitCode\","
                                "\"details\":{\"causes\":[{\"reason\":\"ExitCode\",\"message\":\"%d\"}]}}"
                              : "command terminated with non-zero exit code: %d",
                    e->exit_code, e->exit_code);
    } else if (as_status) {
        strbuf_add_str(&b, S("{\"metadata\":{},\"status\":\"Success\"}"));
    }
    if (b.len)
        write_error(e, strbuf_str(&b));
}

static void finish_connection(struct exec *e)
{
    if (!e->conn)
        return;
    report(e);
    static const enum channel_type order[] = {CHANNEL_STDOUT, CHANNEL_STDERR, CHANNEL_ERROR};
    for (size_t i = 0; i < ARRAY_LEN(order); i++)
        if (e->chans[order[i]])
            channel_close(e->chans[order[i]]);
    channels_finish(TAKE(e->conn));
}

static void exec_free(struct exec *e)
{
    loop_timer_stop(e->loop, &e->timer);
    streams_session_del(&e->base);
    strbuf_fini(&e->in_buf);
    free(e->out.piece);
    free(e->err_out.piece);
    arena_fini(&e->arena);
    free(e);
}

/* No more of the descriptors; the runtime closes them and ends what still runs. */
static void close_down(struct exec *e)
{
    e->phase = CLOSING;
    loop_timer_stop(e->loop, &e->timer);
    pump_drop(e, &e->out);
    pump_drop(e, &e->err_out);
    in_drop(e);
    fd_drop(e, &e->control);
    finish_connection(e);
    if (e->call)
        return; /* comes back here through step */
    if (e->opened) {
        e->opened = false;
        call(e, CALL_CLOSE);
    } else {
        exec_free(e);
    }
}

static void timer_at(struct exec *e, nsec_t in_ns)
{
    loop_timer_set(e->loop, &e->timer, loop_now(e->loop) + in_ns);
}

static void timer_fire(struct loop_timer *t)
{
    struct exec *e = container_of(t, struct exec, timer);
    nsec_t patience = e->phase == WAITING ? STREAMS_SETUP_NS : e->phase == DRAINING ? DRAIN_NS : STREAMS_IDLE_NS;
    bool blocked = e->phase == DRAINING && (e->out.piece_len || e->err_out.piece_len);
    nsec_t idle = loop_now(e->loop) - e->active;
    if (blocked || idle < patience) {
        timer_at(e, blocked ? patience : patience - idle);
    } else if (e->phase == DRAINING) {
        close_down(e);
    } else { /* nobody came, or nothing was said for hours */
        if (e->conn)
            channels_finish(TAKE(e->conn));
        close_down(e);
    }
}

/* Whatever happened: is there something to ask of the runtime, and has it ended? */
static void step(struct exec *e)
{
    if (e->call)
        return;
    if (e->phase == CLOSING) {
        close_down(e);
    } else if (e->phase == RUNNING && e->ended && !e->exit_known) {
        call(e, CALL_FINISH);
    } else if ((e->phase == RUNNING || e->phase == DRAINING) && e->exit_known) {
        bool drained = e->out.io.fd < 0 && e->err_out.io.fd < 0;
        if (drained) {
            close_down(e);
        } else if (e->phase == RUNNING) {
            e->phase = DRAINING;
            e->active = loop_now(e->loop);
            timer_at(e, DRAIN_NS);
        }
    } else if (e->phase == RUNNING && e->want_resize) {
        e->want_resize = false;
        call(e, CALL_RESIZE);
    }
}

static void work_done(struct work_item *w)
{
    struct exec *e = container_of(w, struct exec, work);
    enum call was = e->call;
    e->call = CALL_NONE;
    if (was == CALL_CLOSE) {
        exec_free(e);
        return;
    }
    if (was == CALL_START && e->result == 0 && e->phase == STARTING)
        begin_pumping(e);
    else if (was == CALL_START && e->result == 0)
        e->opened = true; /* the client went meanwhile */
    else if (was == CALL_START)
        e->phase = CLOSING;
    else if (was == CALL_FINISH)
        e->exit_known = true;
    else
        e->result = 0; /* a terminal that cannot be resized is no failure */
    if (e->phase == RUNNING)
        timer_at(e, STREAMS_IDLE_NS);
    step(e);
}

/* --- the connection ----------------------------------------------------------------------------------------------------------------- */

static bool has_all_streams(const struct exec *e)
{
    const struct exec_spec *s = &e->spec;
    struct channel *const *c = e->chans;
    return c[CHANNEL_ERROR] && (!s->in || c[CHANNEL_STDIN]) && (!s->out || c[CHANNEL_STDOUT]) && (!s->err || c[CHANNEL_STDERR]) &&
           (!s->tty || c[CHANNEL_RESIZE] || channels_version(e->conn) < 3);
}

static void begin(struct exec *e)
{
    e->phase = STARTING;
    loop_timer_stop(e->loop, &e->timer);
    call(e, CALL_START);
}

static void on_opened(void *owner, struct channel *ch)
{
    struct exec *e = owner;
    if (ch->type >= CHANNEL_DATA || e->chans[ch->type]) {
        channel_release(ch);
        return;
    }
    e->chans[ch->type] = ch; /* one more than needed stays silent until the end */
    if (e->phase == WAITING && has_all_streams(e))
        begin(e);
}

static void on_data(void *owner, struct channel *ch, str bytes)
{
    struct exec *e = owner;
    e->active = loop_now(e->loop);
    if (ch->type == CHANNEL_STDIN)
        in_add(e, bytes);
    else if (ch->type == CHANNEL_RESIZE)
        resize_add(e, bytes);
}

static void on_eof(void *owner, struct channel *ch)
{
    struct exec *e = owner;
    if (ch->type != CHANNEL_STDIN)
        return;
    e->in_eof = true;
    if (e->phase == RUNNING && !e->in_buf.len)
        in_flush(e);
}

static void on_writable(void *owner)
{
    struct exec *e = owner;
    if (e->phase != RUNNING && e->phase != DRAINING)
        return;
    pump_go_on(&e->out);
    pump_go_on(&e->err_out);
}

static void on_gone(void *owner)
{
    struct exec *e = owner;
    e->conn = NULL;
    close_down(e);
}

static const struct channels_ops ops = {on_opened, on_data, on_eof, on_writable, on_gone};

static void on_stop(struct stream_session *s)
{
    struct exec *e = container_of(s, struct exec, base);
    if (e->conn)
        channels_finish(TAKE(e->conn));
    if (e->phase != CLOSING)
        close_down(e);
}

/* A websocket has its channels from the start. */
static void add_channels(struct exec *e)
{
    const struct {
        enum channel_type type;
        bool wanted;
    } all[] = {{CHANNEL_STDIN, e->spec.in}, {CHANNEL_STDOUT, e->spec.out}, {CHANNEL_STDERR, e->spec.err}, {CHANNEL_ERROR, true}, {CHANNEL_RESIZE, e->spec.tty}};
    for (size_t i = 0; i < ARRAY_LEN(all); i++)
        if (all[i].wanted)
            e->chans[all[i].type] = channels_add(e->conn, (uint32_t)i, all[i].type);
    struct channel *first = e->spec.out ? e->chans[CHANNEL_STDOUT] : e->spec.err ? e->chans[CHANNEL_STDERR] : e->chans[CHANNEL_ERROR];
    if (channels_version(e->conn) < 5) /* how older clients see that the connection stands */
        err_ignore(channel_write(first, S("")), "the first write of a connection fits");
}

/* --- requests --------------------------------------------------------------------------------------------------------------------- */

static int spec_of(struct exec *e, struct http_request *req, bool tty, struct err *err)
{
    str word;
    size_t n = 0;
    e->spec = (struct exec_spec){.in = streams_query_bool(req, S("input")), .out = streams_query_bool(req, S("output")), .err = streams_query_bool(req, S("error")), .tty = tty};
    if (tty)
        e->spec.err = false;
    if (!e->spec.in && !e->spec.out && !e->spec.err)
        return err_set(err, E_INVALID_ARG, "you must specify at least 1 of stdin, stdout, stderr");
    if (e->is_attach)
        return 0;
    while (http_query_get_nth(req, S("command"), n, &word))
        n++;
    if (!n)
        return err_set(err, E_INVALID_ARG, "you must specify a command to run");
    const char **argv = arena_array(&e->arena, n + 1, const char *);
    for (size_t i = 0; i < n && http_query_get_nth(req, S("command"), i, &word); i++)
        argv[i] = arena_cstr(&e->arena, word);
    e->spec.argv = argv;
    return 0;
}

static int prepare(struct exec *e, struct streams *s, struct http_request *req, const struct stream_path *p, struct err *err)
{
    struct stream_target t = {0};
    int r = s->o.find(s->o.arg, p->ns, p->pod, p->container, req->arena, &t, err);
    if (r < 0)
        return r;
    if (!t.running || !t.container_id.len)
        return err_set(err, E_NOT_FOUND, "container not found (\"" STR_FMT "\"): it does not run", STR_ARG(p->container));
    e->runtime = t.runtime;
    e->id = arena_str(&e->arena, t.container_id);
    r = spec_of(e, req, e->is_attach ? t.tty : streams_query_bool(req, S("tty")), err);
    if (r == 0 && e->is_attach && e->spec.in && !t.stdin_open)
        e->spec.in = false;
    e->in_stays = e->is_attach && !t.stdin_once;
    return r == 0 ? channels_accept(req, CHANNELS_EXEC, &ops, e, &e->conn, err) : r;
}

static void serve(struct streams *s, struct http_request *req, const struct stream_path *p, bool is_attach)
{
    struct err err = ERR_NONE;
    struct exec *e = xnew(struct exec);
    e->is_attach = is_attach;
    e->loop = s->o.loop;
    e->x = (struct exec_session){-1, -1, -1, -1, false};
    e->in.fd = e->out.io.fd = e->err_out.io.fd = e->control.fd = -1;
    e->out.exec = e->err_out.exec = e;
    if (!streams_session_add(s, &e->base, req, on_stop)) {
        free(e);
        return;
    }
    e->work = (struct work_item){.loop = e->loop, .run = work_run, .done = work_done};
    e->timer.fire = timer_fire;
    e->active = loop_now(e->loop);
    if (prepare(e, s, req, p, &err) < 0) {
        exec_free(e);
        streams_answer_err(req, &err);
        return;
    }
    if (channels_is_websocket(e->conn)) {
        add_channels(e);
        begin(e);
    } else {
        timer_at(e, STREAMS_SETUP_NS);
    }
}

void streams_serve_exec(struct streams *s, struct http_request *req, const struct stream_path *p)
{
    serve(s, req, p, false);
}

void streams_serve_attach(struct streams *s, struct http_request *req, const struct stream_path *p)
{
    serve(s, req, p, true);
}
