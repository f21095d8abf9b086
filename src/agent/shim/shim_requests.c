/* shim_requests.c - the shim's socket: one message in, one out with descriptors, later one more with the exit code.
 *
 *   {"op":"exec","argv":[...],"in":true,"out":true,"err":true,"tty":false}   ─► {"code":0,"fds":"ioe"} and descriptors ─► {"exit":N}
 *   {"op":"attach","in":true,...}                                            ─► the same; {"exit":N} when the container ends
 *   {"op":"signal","signo":15}                                               ─► {"code":0}
 *   {"op":"resize","columns":80,"rows":24}                                   on an exec's or attach's connection; no answer
 *
 * "t" in fds: one descriptor for a terminal.  The end of the connection ends an exec: SIGKILL for its process group. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "agent/shim/shim.h"
#include "agent/shim/shim_internal.h"
#include "rt/file.h"

#define STDIN_BYTES (256u << 10) /* typed, not read by the program yet; beyond: the client waits */

int shim_requests_open(struct shim *s, struct err *err)
{
    /* The folder's path may be longer than a socket's name can be. */
    struct sockaddr_un un = {.sun_family = AF_UNIX};
    snprintf(un.sun_path, sizeof un.sun_path, "/proc/self/fd/%d/shim.sock", s->dir_fd);
    unlink(un.sun_path);
    s->listen_fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (s->listen_fd < 0 || fchmod(s->listen_fd, 0600) < 0 || bind(s->listen_fd, (struct sockaddr *)&un, sizeof un) < 0 || listen(s->listen_fd, 16) < 0)
        return err_sys(err, errno, "cannot listen for requests");
    return 0;
}

static void close_fd(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

static void client_free(struct shim *s, struct shim_client *c)
{
    if (c->kind == CLIENT_EXEC && c->pid > 0)
        kill(-c->pid, SIGKILL);
    if (c->kind == CLIENT_ATTACH && c->in >= 0 && s->spec.c.stdin_once && s->in >= 0 && s->in != s->out[0])
        close_fd(&s->in);
    if (c->in == c->out[0])
        c->in = -1;
    close_fd(&c->in);
    close_fd(&c->out[0]);
    close_fd(&c->out[1]);
    close_fd(&c->tty);
    close_fd(&c->fd);
    strbuf_fini(&c->pending[0]);
    strbuf_fini(&c->pending[1]);
    *c = (struct shim_client){.fd = -1};
}

/* --- answers ------------------------------------------------------------------------------------------------------------- */

static void answer(struct shim_client *c, int code, const char *msg, const char *letters, const int *fds, size_t nfds)
{
    struct arena a = ARENA_SMALL(2048);
    struct json o = json_object();
    json_set(&a, &o, S("code"), json_int(&a, code));
    json_set(&a, &o, S("message"), json_string(str_is_utf8(str_of(msg)) ? str_of(msg) : S("the program could not be started")));
    json_set(&a, &o, S("fds"), json_string(str_of(letters)));
    shim_send(c->fd, json_text(&a, &o), fds, nfds);
    arena_fini(&a);
}

static void answer_exit(struct shim_client *c, int exit_code)
{
    char text[48];
    snprintf(text, sizeof text, "{\"exit\":%d}", exit_code);
    shim_send(c->fd, str_of(text), NULL, 0);
}

/* The client's descriptors of a new set of pipes, and ours; letters say which there are. */
struct ends {
    int theirs[3], ours[3];
    char letters[4];
};

static int make_ends(const struct json *req, bool wants_in, struct ends *e, struct err *err)
{
    static const char *const keys[] = {"in", "out", "err"};
    *e = (struct ends){.theirs = {-1, -1, -1}, .ours = {-1, -1, -1}};
    for (int i = 0; i < 3; i++) {
        int p[2];
        if (!json_get_bool(req, str_of(keys[i]), false) || (i == 0 && !wants_in))
            continue;
        if (pipe2(p, O_CLOEXEC) < 0)
            return err_sys(err, errno, "cannot make a pipe");
        e->theirs[i] = p[i ? 0 : 1];
        e->ours[i] = p[i ? 1 : 0];
        fcntl(e->theirs[i], F_SETFL, O_NONBLOCK);
        e->letters[strlen(e->letters)] = "ioe"[i];
    }
    return 0;
}

static size_t pack(const int fds[3], int out[3])
{
    size_t n = 0;
    for (int i = 0; i < 3; i++) {
        if (fds[i] >= 0)
            out[n++] = fds[i];
    }
    return n;
}

static void close_all(int fds[3])
{
    for (int i = 0; i < 3; i++)
        close_fd(&fds[i]);
}

/* --- requests -------------------------------------------------------------------------------------------------------------- */

static int start_exec(struct shim *s, struct shim_client *c, const struct json *req, struct arena *a, int *ret_code, struct err *err)
{
    const struct json *words = json_get(req, S("argv"));
    if (!json_is(words, JSON_ARRAY) || !words->len)
        return err_set(err, E_INVALID_ARG, "there is no command to run");
    const char **argv = arena_array(a, words->len + 1, const char *);
    for (size_t i = 0; i < words->len; i++)
        argv[i] = arena_cstr(a, json_str(&words->items[i]));
    bool tty = json_get_bool(req, S("tty"), false);
    struct ends e;
    int r = make_ends(tty ? NULL : req, true, &e, err), master = -1;
    struct shim_child child = {.argv = argv, .enter = s->pid, .io = {.fd = {e.ours[0], e.ours[1], e.ours[2]}, .tty = tty}};
    if (r == 0)
        r = shim_child_start(s, &child, &c->pid, &master, ret_code, err);
    close_all(e.ours);
    if (r == 0) {
        int fds[3];
        size_t n = tty ? 1 : pack(e.theirs, fds);
        if (tty) {
            fcntl(master, F_SETFL, fcntl(master, F_GETFL) | O_NONBLOCK);
            fds[0] = master;
        }
        c->kind = CLIENT_EXEC;
        c->tty = master;
        answer(c, 0, "", tty ? "t" : e.letters, fds, n);
    }
    close_all(e.theirs);
    return r;
}

static int start_attach(struct shim *s, struct shim_client *c, const struct json *req, struct err *err)
{
    c->kind = CLIENT_ATTACH;
    if (s->spec.c.tty) {
        int sv[2];
        if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, sv) < 0)
            return err_sys(err, errno, "cannot make a socket");
        c->out[0] = c->in = sv[0];
        answer(c, 0, "", "t", &sv[1], 1);
        close(sv[1]);
        return 0;
    }
    struct ends e;
    int fds[3], r = make_ends(req, s->in >= 0, &e, err);
    if (r == 0) {
        c->in = e.ours[0];
        c->out[0] = e.ours[1];
        c->out[1] = e.ours[2];
        for (int i = 0; i < 3; i++) {
            if (e.ours[i] >= 0)
                fcntl(e.ours[i], F_SETFL, O_NONBLOCK);
        }
        answer(c, 0, "", e.letters, fds, pack(e.theirs, fds));
    }
    close_all(e.theirs);
    return r;
}

static int send_signal(struct shim *s, struct shim_client *c, const struct json *req, struct err *err)
{
    int64_t signo = json_get_int(req, S("signo"), 0);
    if (signo <= 0 || signo >= NSIG)
        return err_set(err, E_INVALID_ARG, "%lld is no signal", (long long)signo);
    if (!s->has_ended && kill(s->pid, (int)signo) < 0)
        return err_sys(err, errno, "cannot send signal %lld", (long long)signo);
    answer(c, 0, "", "", NULL, 0);
    return 0;
}

static void resize(struct shim *s, struct shim_client *c, const struct json *req)
{
    int fd = c->kind == CLIENT_EXEC ? c->tty : s->spec.c.tty ? s->out[0] : -1;
    struct winsize w = {.ws_col = (unsigned short)json_get_int(req, S("columns"), 80), .ws_row = (unsigned short)json_get_int(req, S("rows"), 24)};
    if (fd >= 0)
        ioctl(fd, TIOCSWINSZ, &w);
}

static void on_message(struct shim *s, struct shim_client *c, str text)
{
    ARENA_AUTO a = ARENA_SMALL(4096);
    struct json req;
    struct err err = ERR_NONE;
    int code = 128, r = json_parse(&a, text, NULL, &req, &err);
    str op = r < 0 ? STR_NONE : json_get_str(&req, S("op"));
    if (r == 0 && str_is(op, "resize")) {
        resize(s, c, &req);
        return;
    }
    if (r == 0 && c->kind != CLIENT_NEW)
        r = err_set(&err, E_INVALID_ARG, "a connection serves one request");
    else if (r == 0 && str_is(op, "exec"))
        r = start_exec(s, c, &req, &a, &code, &err);
    else if (r == 0 && str_is(op, "attach"))
        r = start_attach(s, c, &req, &err);
    else if (r == 0 && str_is(op, "signal"))
        r = send_signal(s, c, &req, &err);
    else if (r == 0)
        r = err_set(&err, E_INVALID_ARG, "unknown request");
    if (r < 0) {
        answer(c, err.code, err.msg, "", NULL, 0);
        client_free(s, c);
    }
}

/* --- bytes of attached clients ------------------------------------------------------------------------------------------------ */

static void flush_client(struct shim_client *c, unsigned i)
{
    while (c->out[i] >= 0 && c->pending[i].len) {
        ssize_t n = write(c->out[i], c->pending[i].p, c->pending[i].len);
        if (n < 0 && errno == EAGAIN)
            return;
        if (n <= 0) { /* it reads no more */
            if (c->out[i] == c->in)
                c->in = -1;
            close_fd(&c->out[i]);
            strbuf_clear(&c->pending[i]);
            return;
        }
        strbuf_splice(&c->pending[i], 0, (size_t)n, STR_NONE);
    }
}

void shim_requests_output(struct shim *s, unsigned stream, str bytes)
{
    for (size_t i = 0; i < SHIM_CLIENTS; i++) {
        struct shim_client *c = &s->clients[i];
        if (c->fd < 0 || c->kind != CLIENT_ATTACH || c->out[stream] < 0)
            continue;
        strbuf_add_str(&c->pending[stream], bytes);
        flush_client(c, stream);
        if (c->pending[stream].len > SHIM_CLIENT_PENDING)
            client_free(s, c);
    }
}

/* What the client typed goes to the program; a terminal's end of input is none for the program. */
static void read_input(struct shim *s, struct shim_client *c)
{
    char buf[4096];
    ssize_t n = read(c->in, buf, sizeof buf);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (n > 0) {
        if (s->in >= 0 && !s->in_pending.len) {
            ssize_t done = write(s->in, buf, (size_t)n);
            done = MAX(done, (ssize_t)(done < 0 && errno != EAGAIN ? n : 0));
            strbuf_add(&s->in_pending, buf + done, (size_t)(n - done));
        } else if (s->in >= 0) {
            strbuf_add(&s->in_pending, buf, (size_t)n);
        }
        return;
    }
    if (c->in == c->out[0]) {
        close_fd(&c->out[0]);
        c->in = -1;
        return;
    }
    close_fd(&c->in);
    if (s->spec.c.stdin_once && !s->spec.c.tty)
        close_fd(&s->in);
}

/* --- loop ------------------------------------------------------------------------------------------------------------------------ */

static void accept_clients(struct shim *s)
{
    for (;;) {
        int fd = accept4(s->listen_fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (fd < 0)
            return;
        size_t i = 0;
        while (i < SHIM_CLIENTS && s->clients[i].fd >= 0)
            i++;
        if (i == SHIM_CLIENTS)
            close(fd);
        else
            s->clients[i] = (struct shim_client){.fd = fd, .tty = -1, .in = -1, .out = {-1, -1}};
    }
}

static void read_request(struct shim *s, struct shim_client *c)
{
    char *buf CLEANUP(free) = xmalloc(SHIM_MESSAGE_BYTES);
    ssize_t n = shim_recv(c->fd, buf, SHIM_MESSAGE_BYTES, NULL, NULL);
    if (n == -EAGAIN || n == -EINTR)
        return;
    if (n <= 0)
        client_free(s, c);
    else
        on_message(s, c, str_n(buf, (size_t)n));
}

/* Four for each client: its connection, its input, its two outputs; the listener last. */
size_t shim_requests_poll(struct shim *s, struct pollfd *fds)
{
    size_t n = 0;
    fds[n++] = (struct pollfd){.fd = s->listen_fd, .events = POLLIN};
    for (size_t i = 0; i < SHIM_CLIENTS; i++) {
        const struct shim_client *c = &s->clients[i];
        bool used = c->fd >= 0;
        if (!used)
            continue;
        fds[n++] = (struct pollfd){.fd = c->fd, .events = POLLIN};
        if (c->kind != CLIENT_ATTACH)
            continue;
        fds[n++] = (struct pollfd){.fd = s->in_pending.len < STDIN_BYTES ? c->in : -1, .events = POLLIN};
        for (int k = 0; k < 2; k++)
            fds[n++] = (struct pollfd){.fd = c->pending[k].len ? c->out[k] : -1, .events = POLLOUT};
    }
    return n;
}

static struct shim_client *client_of(struct shim *s, int fd)
{
    for (size_t i = 0; i < SHIM_CLIENTS && fd >= 0; i++) {
        if (s->clients[i].fd == fd)
            return &s->clients[i];
    }
    return NULL;
}

void shim_requests_run(struct shim *s, const struct pollfd *fds, size_t n)
{
    struct shim_client *c = NULL; /* the one whose rows these are; a row of a client that went meanwhile finds none */
    for (size_t i = 1; i < n; i++) {
        if (fds[i].fd >= 0 && client_of(s, fds[i].fd)) {
            c = client_of(s, fds[i].fd);
            if (fds[i].revents)
                read_request(s, c);
            continue;
        }
        if (!c || c->fd < 0 || fds[i].fd < 0 || !fds[i].revents)
            continue;
        if (fds[i].events & POLLIN && fds[i].fd == c->in)
            read_input(s, c);
        for (unsigned k = 0; k < 2 && fds[i].events & POLLOUT; k++) {
            if (fds[i].fd == c->out[k])
                flush_client(c, k);
        }
    }
    if (n && fds[0].revents)
        accept_clients(s);
}

void shim_requests_reaped(struct shim *s, pid_t pid, int status)
{
    for (size_t i = 0; i < SHIM_CLIENTS; i++) {
        struct shim_client *c = &s->clients[i];
        if (c->fd < 0 || c->kind != CLIENT_EXEC || c->pid != pid)
            continue;
        c->pid = 0;
        answer_exit(c, shim_exit_code(status));
        client_free(s, c);
    }
}

void shim_requests_close(struct shim *s, int exit_code)
{
    if (s->listen_fd >= 0)
        close(s->listen_fd);
    s->listen_fd = -1;
    for (size_t i = 0; i < SHIM_CLIENTS; i++) {
        struct shim_client *c = &s->clients[i];
        if (c->fd < 0)
            continue;
        if (c->kind == CLIENT_ATTACH)
            answer_exit(c, exit_code);
        if (!c->pending[0].len && !c->pending[1].len)
            client_free(s, c);
    }
}

bool shim_requests_are_idle(const struct shim *s)
{
    for (size_t i = 0; i < SHIM_CLIENTS; i++) {
        const struct shim_client *c = &s->clients[i];
        if (c->fd >= 0 && ((c->out[0] >= 0 && c->pending[0].len) || (c->out[1] >= 0 && c->pending[1].len)))
            return false;
    }
    return true;
}
