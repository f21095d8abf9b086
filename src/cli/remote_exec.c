/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/remote_exec.h"

#include <errno.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <termios.h>
#include <unistd.h>

#define PIECE_BYTES (16u << 10)
enum { CH_IN, CH_OUT, CH_ERR, CH_STATUS, CH_RESIZE };

/* --- the terminal ---------------------------------------------------------------------------------------------------------- */

/* Global because signal handlers and exit have no argument to find it by. */
static struct termios terminal_before;
static volatile sig_atomic_t terminal_is_raw;

static void terminal_restore(void)
{
    if (terminal_is_raw)
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &terminal_before);
    terminal_is_raw = 0;
}

static void on_deadly_signal(int signo)
{
    terminal_restore();
    signal(signo, SIG_DFL);
    raise(signo);
}

static void terminal_make_raw(void)
{
    static const int deadly[] = {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGSEGV, SIGABRT};
    if (tcgetattr(STDIN_FILENO, &terminal_before) < 0)
        return;
    struct termios raw = terminal_before;
    cfmakeraw(&raw);
    terminal_is_raw = 1;
    atexit(terminal_restore);
    for (size_t i = 0; i < ARRAY_LEN(deadly); i++)
        signal(deadly[i], on_deadly_signal);
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &raw);
}

/* --- one run ------------------------------------------------------------------------------------------------------------------- */

struct run {
    struct session *s;
    const struct remote_exec *x;
    struct loop *loop;
    struct remote *remote;
    struct loop_fd in, winch;
    bool in_watched, in_open, in_waits; /* waits: the connection takes no more for now */
    struct loop_defer pump;             /* input that epoll does not know: files and functions */
    char *piece;
    size_t piece_len;
    struct strbuf status;
    struct failure failure;
    bool failed, is_over;
};

static void stop(struct run *r)
{
    r->is_over = true;
    loop_stop(r->loop);
}

static void give_up(struct run *r, const struct err *err)
{
    if (!r->failed)
        r->failure.err = *err;
    r->failed = true;
    stop(r);
}

/* --- input ------------------------------------------------------------------------------------------------------------------------ */

static void in_end(struct run *r)
{
    if (r->in_watched)
        loop_fd_del(r->loop, &r->in);
    r->in_watched = false;
    if (r->in_open)
        remote_close_channel(r->remote, CH_IN);
    r->in_open = false;
}

/* True: there may be more. */
static bool in_step(struct run *r)
{
    ssize_t n = r->x->read ? r->x->read(r->x->arg, r->piece, PIECE_BYTES) : read(r->x->in_fd, r->piece, PIECE_BYTES);
    if (n < 0 && !r->x->read && (errno == EAGAIN || errno == EINTR))
        return true;
    if (n < 0 && r->x->read) {
        struct err err;
        err_set(&err, E_IO, "cannot read what is to be sent");
        give_up(r, &err);
        return false;
    }
    if (n <= 0) {
        in_end(r);
        return false;
    }
    if (remote_send(r->remote, CH_IN, str_n(r->piece, (size_t)n)))
        return true;
    r->piece_len = (size_t)n;
    r->in_waits = true;
    if (r->in_watched)
        loop_fd_want(r->loop, &r->in, 0);
    return false;
}

static void in_ready(struct loop_fd *f, uint32_t events)
{
    struct run *r = container_of(f, struct run, in);
    if (!r->in_waits) {
        in_step(r);
    } else if (events & (EPOLLHUP | EPOLLERR)) { /* comes whatever is wanted */
        loop_fd_del(r->loop, &r->in);
        r->in_watched = false;
    }
}

static void pump_run(struct loop_defer *d)
{
    struct run *r = container_of(d, struct run, pump);
    for (int i = 0; i < 16 && !r->is_over; i++)
        if (!in_step(r))
            return;
    if (!r->is_over)
        loop_defer(r->loop, &r->pump);
}

static void in_start(struct run *r)
{
    struct err err;
    r->in_open = r->x->read || r->x->in_fd >= 0;
    if (!r->in_open)
        return;
    r->in = (struct loop_fd){.fd = r->x->in_fd, .ready = in_ready};
    r->in_watched = !r->x->read && loop_fd_add(r->loop, &r->in, EPOLLIN, &err) == 0;
    if (!r->in_watched)
        loop_defer(r->loop, &r->pump); /* a file is always readable, and epoll does not take it */
}

static void on_writable(void *owner)
{
    struct run *r = owner;
    if (!r->in_waits || !remote_send(r->remote, CH_IN, str_n(r->piece, r->piece_len)))
        return;
    r->in_waits = false;
    if (r->in_watched)
        loop_fd_want(r->loop, &r->in, EPOLLIN);
    else
        loop_defer(r->loop, &r->pump);
}

/* --- the window ------------------------------------------------------------------------------------------------------------------- */

static void send_size(struct run *r)
{
    struct winsize w;
    char text[64];
    if (ioctl(STDIN_FILENO, TIOCGWINSZ, &w) < 0 || !w.ws_col)
        return;
    int n = snprintf(text, sizeof text, "{\"Width\":%u,\"Height\":%u}\n", w.ws_col, w.ws_row);
    err_ignore(remote_send(r->remote, CH_RESIZE, str_n(text, (size_t)n)), "the next change of size tells it again");
}

static void winch_ready(struct loop_fd *f, uint32_t events UNUSED)
{
    struct run *r = container_of(f, struct run, winch);
    struct signalfd_siginfo info;
    while (read(f->fd, &info, sizeof info) > 0)
        ;
    send_size(r);
}

static void winch_start(struct run *r)
{
    sigset_t set;
    struct err err;
    sigemptyset(&set);
    sigaddset(&set, SIGWINCH);
    sigprocmask(SIG_BLOCK, &set, NULL);
    r->winch = (struct loop_fd){.fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC), .ready = winch_ready};
    if (r->winch.fd >= 0)
        err_ignore(loop_fd_add(r->loop, &r->winch, EPOLLIN, &err), "then the size stays as it is");
    send_size(r);
}

/* --- the connection ---------------------------------------------------------------------------------------------------------------- */

static void on_opened(void *owner)
{
    struct run *r = owner;
    if (r->x->tty) {
        terminal_make_raw();
        winch_start(r);
    }
    in_start(r);
}

static void on_message(void *owner, unsigned channel, str bytes)
{
    struct run *r = owner;
    struct err err = ERR_NONE;
    if (channel == CH_STATUS)
        strbuf_add_str(&r->status, str_sub(bytes, 0, 65536));
    else if ((channel == CH_OUT || channel == CH_ERR) && r->x->write(r->x->arg, (int)channel, bytes, &err) < 0)
        give_up(r, &err);
}

static void on_end(void *owner, const struct failure *f)
{
    struct run *r = owner;
    if (f && !r->failed) {
        r->failed = true;
        r->failure = *f;
    }
    stop(r);
}

static const struct remote_ops ops = {.opened = on_opened, .message = on_message, .writable = on_writable, .end = on_end};

int remote_exec_write_std(void *arg UNUSED, int stream, str bytes, struct err *err)
{
    while (bytes.len) {
        ssize_t n = write(stream, bytes.p, bytes.len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return err_sys(err, errno, "cannot write the output");
        bytes = str_from(bytes, (size_t)n);
    }
    return 0;
}

/* --- how it ended --------------------------------------------------------------------------------------------------------------------- */

static int read_status(struct run *r, int *ret_code, struct failure *f)
{
    struct json v;
    str text = arena_str(&r->s->arena, strbuf_str(&r->status));
    *ret_code = 0;
    if (!text.len)
        return failure_set(f, E_UNAVAILABLE, "the connection ended before the command did");
    if (json_parse(&r->s->arena, text, NULL, &v, NULL) < 0)
        return failure_set(f, E_INTERNAL, STR_FMT, STR_ARG(text)); /* older protocols say it in plain words */
    if (str_is(json_get_str(&v, S("status")), "Success"))
        return 0;
    const struct json *causes = json_path(&v, "details", "causes", NULL);
    int64_t code = 1;
    for (uint32_t i = 0; json_is(causes, JSON_ARRAY) && i < causes->len; i++)
        if (str_is(json_get_str(&causes->items[i], S("reason")), "ExitCode") && str_to_i64(json_get_str(&causes->items[i], S("message")), &code)) {
            *ret_code = (int)code;
            return 0;
        }
    return failure_set(f, E_INTERNAL, STR_FMT, STR_ARG(json_get_str(&v, S("message"))));
}

str remote_exec_query(struct session *s, str container, const char *const *command, bool in, bool out, bool err, bool tty)
{
    struct strbuf b = strbuf_on(&s->arena);
    client_query_add(&b, "container", container);
    for (; command && *command; command++)
        client_query_add(&b, "command", str_of(*command));
    const struct {
        const char *name;
        bool on;
    } flags[] = {{"stdin", in}, {"stdout", out}, {"stderr", err}, {"tty", tty}};
    for (size_t i = 0; i < ARRAY_LEN(flags); i++)
        if (flags[i].on)
            client_query_add(&b, flags[i].name, S("true"));
    return strbuf_str(&b);
}

int remote_exec_run(struct session *s, const struct remote_exec *x, int *ret_code, struct failure *f)
{
    struct https_conf *conf;
    struct run r = {.s = s, .x = x, .winch.fd = -1};
    int res = remote_conf(s, &conf, f);
    if (res < 0)
        return res;
    signal(SIGPIPE, SIG_IGN);
    r.loop = loop_new("exec", &clock_real, &f->err);
    if (!r.loop) {
        https_conf_unref(conf);
        return -f->err.code;
    }
    r.pump.fn = pump_run;
    r.piece = xmalloc(PIECE_BYTES);
    r.remote = remote_open(s, r.loop, conf, REMOTE_CHANNELS, x->path, &ops, &r);
    loop_run(r.loop);
    terminal_restore();
    if (r.in_watched)
        loop_fd_del(r.loop, &r.in);
    if (r.winch.fd >= 0) {
        loop_fd_del(r.loop, &r.winch);
        close(r.winch.fd);
    }
    loop_defer_cancel(r.loop, &r.pump);
    remote_free(r.remote);
    https_conf_unref(conf);
    if (r.failed) {
        *f = r.failure;
        res = -f->err.code;
    } else {
        res = read_status(&r, ret_code, f);
    }
    strbuf_fini(&r.status);
    free(r.piece);
    loop_free(r.loop);
    return res;
}
