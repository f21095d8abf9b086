/* cri_stream.c - exec and attach with a CRI runtime: the connection to its streaming server (SPDY/3.1, v4.channel.k8s.io), seen as a session.
 *
 *   Exec, Attach ─► a URL ─► 101 ─► SYN of each stream ─► REPLY of each ─► data ... ─► a Status on the error stream, the end
 *
 *   session:       in ─►                                          ─► stdin
 *            out, err ◄─  socket pairs ── a thread ── connection  ◄─ stdout, stderr
 *             control ◄►                                          ◄─ error, ─► resize
 *
 * Nothing piles up: output that the session does not read stops the reading of the connection, input that the runtime does not read stops the reading of the session's.
 * A session that is closed closes the connection: the command's input ends then.  The runtime does not end the command itself, and CRI has no call for it. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "agent/runtime/cri_runtime.h"
#include "client/client_conn.h"
#include "client/h1_answer.h"
#include "wire/json.h"
#include "wire/protobuf.h"
#include "wire/spdy.h"

#define OPEN_NS (30 * NSEC_PER_SEC)   /* the streaming server is on the same machine */
#define PIECE_BYTES (32u << 10)
#define UNSENT_BYTES (64u << 10)      /* of input, before no more of it is read */
#define STATUS_BYTES (16u << 10)      /* of the last word; the rest is dropped */
#define CONTROL_BYTES 256

/* Ours are odd; those that are not wanted are left out. */
enum { STREAM_ERROR = 1, STREAM_IN = 3, STREAM_OUT = 5, STREAM_ERR = 7, STREAM_RESIZE = 9 };

struct stream {
    struct client_target target;
    struct client_conn conn;
    struct spdy *spdy;
    int in, out, err, control;  /* our ends, -1: none; of a terminal in and out are one */
    unsigned unanswered;        /* streams whose REPLY has not come: the server drops data before it */
    struct strbuf rx, tx;
    size_t rx_at, tx_at;
    struct strbuf held;         /* output that its reader has not taken yet */
    size_t held_at;
    int held_for;
    struct strbuf status;
    bool ended, given_up, tx_broken;
    bool wants_resize;
    unsigned columns, rows;
};

static void stream_free(struct stream *x)
{
    int fds[] = {x->in == x->out ? -1 : x->in, x->out, x->err, x->control};
    for (size_t i = 0; i < ARRAY_LEN(fds); i++) {
        if (fds[i] >= 0)
            close(fds[i]);
    }
    client_conn_close(&x->conn);
    client_target_fini(&x->target);
    spdy_free(x->spdy);
    strbuf_fini(&x->rx);
    strbuf_fini(&x->tx);
    strbuf_fini(&x->held);
    strbuf_fini(&x->status);
    free(x);
}

/* --- from the runtime ---------------------------------------------------------------------------------------------- */

/* Not yet given to its reader. */
static bool is_holding(const struct stream *x)
{
    return x->held_at < x->held.len;
}

/* What did not fit is held.  A reader that is gone takes everything. */
static size_t give(int fd, str bytes)
{
    size_t taken = 0;
    while (taken < bytes.len) {
        ssize_t n = send(fd, bytes.p + taken, bytes.len - taken, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return errno == EAGAIN ? taken : bytes.len;
        taken += (size_t)n;
    }
    return taken;
}

static void give_held(struct stream *x)
{
    x->held_at += give(x->held_for, str_n(x->held.p + x->held_at, x->held.len - x->held_at));
}

static void output(struct stream *x, int fd, str bytes)
{
    if (fd < 0)
        return;
    strbuf_clear(&x->held);
    x->held_at = 0;
    x->held_for = fd;
    strbuf_add_str(&x->held, str_from(bytes, give(fd, bytes)));
}

static void drop_input(struct stream *x)
{
    if (x->in >= 0 && x->in != x->out)
        close(x->in);
    x->in = -1;
}

static void on_data(struct stream *x, const struct spdy_event *e)
{
    switch (e->stream) {
    case STREAM_OUT:
        output(x, x->out, e->data);
        break;
    case STREAM_ERR:
        output(x, x->err, e->data);
        break;
    case STREAM_ERROR:
        strbuf_add_str(&x->status, str_sub(e->data, 0, STATUS_BYTES - x->status.len));
        x->ended = e->fin;
        break;
    default:
        break;
    }
}

static void on_event(struct stream *x, enum spdy_result what, const struct spdy_event *e)
{
    switch (what) {
    case SPDY_GOT_REPLY:
        x->unanswered -= x->unanswered > 0;
        break;
    case SPDY_GOT_DATA:
        on_data(x, e);
        break;
    case SPDY_GOT_RESET:
        if (e->stream == STREAM_IN)
            drop_input(x);
        x->ended = e->stream == STREAM_ERROR;
        break;
    case SPDY_GOT_PING:
        if (e->ping % 2 == 0) /* the server's own */
            spdy_write_ping(&x->tx, e->ping);
        break;
    case SPDY_BAD:
        x->ended = true;
        break;
    default:
        break;
    }
}

/* What was read, until it is used up or its reader does not take it. */
static void take_received(struct stream *x)
{
    while (!x->ended && !is_holding(x) && x->rx_at < x->rx.len) {
        struct spdy_event e = {0};
        size_t used;
        enum spdy_result what = spdy_step(x->spdy, str_n(x->rx.p + x->rx_at, x->rx.len - x->rx_at), &used, &e);
        x->rx_at += used;
        on_event(x, what, &e);
    }
}

/* Only when everything before it has been taken: then its end is the end. */
static void receive(struct stream *x)
{
    strbuf_clear(&x->rx);
    x->rx_at = 0;
    char buf[PIECE_BYTES];
    ssize_t n = recv(x->conn.fd, buf, sizeof buf, 0);
    if (n > 0)
        strbuf_add(&x->rx, buf, (size_t)n);
    else if (n == 0 || (errno != EAGAIN && errno != EINTR))
        x->ended = true;
}

/* --- to the runtime -------------------------------------------------------------------------------------------------- */

static size_t unsent(const struct stream *x)
{
    return x->tx.len - x->tx_at;
}

static void transmit(struct stream *x)
{
    while (unsent(x)) {
        ssize_t n = send(x->conn.fd, x->tx.p + x->tx_at, unsent(x), MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno == EAGAIN)
            return;
        if (n < 0) { /* reading tells why */
            x->tx_broken = true;
            drop_input(x);
            break;
        }
        x->tx_at += (size_t)n;
    }
    strbuf_clear(&x->tx);
    x->tx_at = 0;
}

static void add_data(struct stream *x, uint32_t stream, bool fin, str bytes)
{
    if (x->tx_at > UNSENT_BYTES) { /* a server that reads slowly but always would let the part behind it grow */
        strbuf_splice(&x->tx, 0, x->tx_at, S(""));
        x->tx_at = 0;
    }
    spdy_write_data_head(&x->tx, stream, fin, (uint32_t)bytes.len);
    strbuf_add_str(&x->tx, bytes);
}

static void read_input(struct stream *x)
{
    char buf[PIECE_BYTES];
    ssize_t n = recv(x->in, buf, sizeof buf, MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    add_data(x, STREAM_IN, n <= 0, str_n(buf, n > 0 ? (size_t)n : 0));
    if (n <= 0)
        drop_input(x);
}

/* "COLUMNS ROWS\n", one behind the other; the newest counts. */
static void read_control(struct stream *x)
{
    char buf[CONTROL_BYTES];
    ssize_t n = recv(x->control, buf, sizeof buf, MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (n <= 0) {
        x->ended = x->given_up = true;
        return;
    }
    str rest = str_n(buf, (size_t)n), line, columns;
    while (rest.len) {
        uint64_t w, h;
        str_cut(&rest, '\n', &line);
        str_cut(&line, ' ', &columns);
        if (!str_to_u64(columns, &w) || !str_to_u64(line, &h) || w > UINT16_MAX || h > UINT16_MAX)
            continue;
        x->columns = (unsigned)w;
        x->rows = (unsigned)h;
        x->wants_resize = true;
    }
}

static void send_resize(struct stream *x)
{
    char text[64];
    int n = snprintf(text, sizeof text, "{\"Width\":%u,\"Height\":%u}", x->columns, x->rows);
    x->wants_resize = false;
    add_data(x, STREAM_RESIZE, false, str_n(text, (size_t)n));
}

/* --- the thread --------------------------------------------------------------------------------------------------------- */

static void pump_once(struct stream *x)
{
    bool has_room = !x->unanswered && !x->tx_broken && unsent(x) < UNSENT_BYTES;
    if (x->wants_resize && has_room)
        send_resize(x);
    short events = (short)((is_holding(x) ? 0 : POLLIN) | (unsent(x) ? POLLOUT : 0));
    struct pollfd fds[] = {
        {.fd = events ? x->conn.fd : -1, .events = events}, /* a hang-up would come whatever is wanted */
        {.fd = x->control, .events = POLLIN},
        {.fd = has_room ? x->in : -1, .events = POLLIN},
        {.fd = is_holding(x) ? x->held_for : -1, .events = POLLOUT},
    };
    if (poll(fds, ARRAY_LEN(fds), -1) < 0)
        return;
    if (fds[1].revents)
        read_control(x);
    if (fds[2].revents)
        read_input(x);
    if (fds[3].revents)
        give_held(x);
    if (unsent(x))
        transmit(x);
    if ((events & POLLIN) && fds[0].revents & (POLLIN | POLLHUP | POLLERR))
        receive(x);
}

/* A Status of Kubernetes: the exit code, or the sentence without what the server and we say around it. */
static int read_status(str text, int *ret_code, struct err *err)
{
    static const str around[] = {STR_INIT("Internal error occurred: "), STR_INIT("error executing command in container: "), STR_INIT("error attaching to container: ")};
    ARENA_AUTO a = ARENA_INIT;
    struct json v;
    if (json_parse(&a, str_trim(text), NULL, &v, NULL) < 0)
        return err_set(err, E_UNAVAILABLE, "the container runtime broke the session off");
    *ret_code = 0;
    if (str_is(json_get_str(&v, S("status")), "Success"))
        return 0;
    const struct json *causes = json_path(&v, "details", "causes", NULL);
    for (uint32_t i = 0; json_is(causes, JSON_ARRAY) && i < causes->len; i++) {
        int64_t code;
        if (str_is(json_get_str(&causes->items[i], S("reason")), "ExitCode") && str_to_i64(json_get_str(&causes->items[i], S("message")), &code)) {
            *ret_code = (int)code;
            return 0;
        }
    }
    str why = json_get_str(&v, S("message"));
    for (size_t i = 0; i < ARRAY_LEN(around); i++) {
        if (str_has_prefix(why, around[i]))
            why = str_from(why, around[i].len);
    }
    return err_set(err, E_INTERNAL, STR_FMT, STR_ARG(why.len ? why : S("the container runtime gave no reason")));
}

static void run_stream(void *arg)
{
    struct stream *x = arg;
    for (take_received(x); !x->ended; take_received(x)) /* some may have come with the answer */
        pump_once(x);
    if (!x->given_up) {
        struct err err = ERR_NONE;
        int exit_code = 0, code = read_status(strbuf_str(&x->status), &exit_code, &err);
        cri_exec_tell(x->control, code, exit_code, &err);
    }
    stream_free(x);
}

/* --- opening -------------------------------------------------------------------------------------------------------------- */

static int ask_url(const struct cri *r, str id, const struct exec_spec *s, struct arena *a, const char **ret, struct err *err)
{
    struct strbuf b = strbuf_on(a);
    str answer;
    uint32_t field = 2;
    protobuf_add_str(&b, 1, id);
    for (size_t i = 0; s->argv && s->argv[i]; i++)
        protobuf_add_str(&b, 2, str_of(s->argv[i]));
    /* ExecRequest: 3 tty, 4 stdin, 5 stdout, 6 stderr; AttachRequest: 2 stdin, 3 tty, 4 stdout, 5 stderr */
    const bool exec[] = {s->tty, s->in, s->out, s->err && !s->tty}, attach[] = {s->in, s->tty, s->out, s->err && !s->tty};
    for (size_t i = 0; i < ARRAY_LEN(exec); i++)
        protobuf_add_varint(&b, field + (s->argv ? 1 : 0) + (uint32_t)i, s->argv ? exec[i] : attach[i]);
    int code = cri_do(r, s->argv ? "RuntimeService/Exec" : "RuntimeService/Attach", strbuf_str(&b), CRI_CALL_NS, a, &answer, err);
    if (code == 0)
        *ret = arena_cstr(a, cri_bytes(answer, 1));
    return code;
}

/* Until the answer's head is complete; what follows it is the first of SPDY. */
static int read_answer(struct stream *x, struct h1_answer *answer, struct err *err)
{
    char buf[4096];
    size_t n, used;
    str data;
    for (;;) {
        int r = client_conn_read(&x->conn, buf, sizeof buf, OPEN_NS, &n, err);
        if (r < 0)
            return r;
        enum h1_answer_step s = n ? h1_answer_step(answer, str_n(buf, n), &used, &data) : H1_ANSWER_BAD;
        if (s == H1_ANSWER_MORE)
            continue;
        if (s != H1_ANSWER_HEAD)
            return err_set(err, E_UNAVAILABLE, "the container runtime's streaming server at %s did not answer in HTTP", x->target.text);
        if (answer->status != 101)
            return err_set(err, E_UNAVAILABLE, "the container runtime's streaming server at %s answered %d", x->target.text, answer->status);
        strbuf_add(&x->rx, buf + used, n - used);
        return 0;
    }
}

static int connect_to(struct stream *x, const char *url, struct err *err)
{
    STRBUF_AUTO b = STRBUF_HEAP;
    struct h1_answer *answer = NULL;
    int r = client_target_parse(&x->target, url, err);
    if (r == 0 && (x->target.is_tls || x->target.is_unix))
        return err_set(err, E_UNAVAILABLE, "the container runtime's streaming server is at %s, and only plain HTTP on this machine is supported", url);
    if (r == 0)
        r = client_conn_open(&x->conn, &x->target, OPEN_NS, err);
    if (r < 0)
        return r;
    strbuf_addf(&b, "POST %s HTTP/1.1\r\nHost: %s\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\nX-Stream-Protocol-Version: v4.channel.k8s.io\r\nContent-Length: 0\r\n\r\n", x->target.prefix, x->target.text);
    r = client_conn_write(&x->conn, strbuf_str(&b), OPEN_NS, err);
    if (r < 0)
        return r;
    answer = xnew(struct h1_answer); /* its table of headers is large */
    h1_answer_reset(answer, false);
    r = read_answer(x, answer, err);
    h1_answer_fini(answer);
    free(answer);
    return r;
}

static void open_streams(struct stream *x, const struct exec_spec *s)
{
    const struct {
        uint32_t id;
        str type;
        bool wanted;
    } all[] = {{STREAM_ERROR, S("error"), true}, {STREAM_IN, S("stdin"), s->in}, {STREAM_OUT, S("stdout"), s->out}, {STREAM_ERR, S("stderr"), s->err && !s->tty}, {STREAM_RESIZE, S("resize"), s->tty}};
    x->spdy = spdy_new();
    for (size_t i = 0; i < ARRAY_LEN(all); i++) {
        if (!all[i].wanted)
            continue;
        spdy_write_syn(x->spdy, &x->tx, all[i].id, false, &(struct http_header){S("streamtype"), all[i].type}, 1);
        x->unanswered++;
    }
}

static bool make_pairs(struct stream *x, const struct exec_spec *s, struct exec_session *ret)
{
    bool ok = cri_exec_pair(true, &ret->control, &x->control);
    ret->tty = s->tty;
    if (s->tty) {
        ok = cri_exec_pair(true, &ret->out, &x->out) && ok;
        ret->in = s->in ? ret->out : -1;
        x->in = s->in ? x->out : -1;
        return ok;
    }
    ok = cri_exec_pair(s->in, &ret->in, &x->in) && ok;
    ok = cri_exec_pair(s->out, &ret->out, &x->out) && ok;
    return cri_exec_pair(s->err, &ret->err, &x->err) && ok;
}

int cri_stream_open(struct cri *r, str id, const struct exec_spec *s, struct exec_session *ret, struct err *err)
{
    ARENA_AUTO a = ARENA_INIT;
    const char *url = "";
    int code = ask_url(r, id, s, &a, &url, err);
    if (code < 0)
        return code;
    struct exec_session session = {.in = -1, .out = -1, .err = -1, .control = -1};
    struct stream *x = xnew(struct stream);
    *x = (struct stream){.conn = CLIENT_CONN_CLOSED, .in = -1, .out = -1, .err = -1, .control = -1};
    code = connect_to(x, url, err);
    if (code == 0) {
        open_streams(x, s);
        int failure = make_pairs(x, s, &session) ? thread_detached("cri-stream", run_stream, x) : EMFILE;
        if (failure)
            code = err_sys(err, failure, "cannot open a session with the container");
    }
    if (code < 0) {
        stream_free(x);
        cri_exec_close(&r->base, &session);
        return code;
    }
    *ret = session;
    return 0;
}
