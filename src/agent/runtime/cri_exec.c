/* cri_exec.c - sessions with containers of a CRI runtime.
 *
 *   for whoever talks with the container: the runtime's streaming server, cri_stream.c
 *   for whoever waits for the end (probes, hooks): ExecSync on a thread of its own, which the runtime kills when the call is given up
 *
 *   session:  out, err, control ◄── socket pairs ──► thread: ExecSync ─► its output ─► its exit code */
/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "agent/runtime/cri_runtime.h"
#include "rt/net.h"
#include "rt/thread.h"
#include "wire/protobuf.h"

#define EXEC_NS (24 * 3600 * NSEC_PER_SEC) /* whoever asked for it closes the session when it takes too long */

struct run {
    char *socket;
    struct strbuf request;
    int out, err, control;
};

static void send_all(int fd, str bytes)
{
    while (fd >= 0 && bytes.len) {
        ssize_t n = send(fd, bytes.p, bytes.len, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return; /* the session was closed */
        bytes = str_from(bytes, (size_t)n);
    }
}

/* "3\n", or "-CODE why\n". */
void cri_exec_tell(int control, int code, int exit_code, const struct err *err)
{
    STRBUF_AUTO b = STRBUF_HEAP;
    if (code == 0)
        strbuf_addf(&b, "%d\n", exit_code);
    else
        strbuf_addf(&b, "-%d %s\n", -code, err->msg);
    send_all(control, strbuf_str(&b));
}

static void run_exec(void *arg)
{
    struct run *x = arg;
    ARENA_AUTO a = ARENA_INIT;
    struct err err = ERR_NONE;
    str answer;
    int r = cri_call(&(struct cri_call){x->socket, "RuntimeService/ExecSync", strbuf_str(&x->request), EXEC_NS, x->control}, &a, &answer, &err);
    if (r == 0) {
        send_all(x->out, cri_bytes(answer, 1));
        send_all(x->err, cri_bytes(answer, 2));
    }
    cri_exec_tell(x->control, r, r == 0 ? (int)(int32_t)cri_number(answer, 3) : 0, &err);
    int fds[] = {x->out, x->err, x->control};
    for (size_t i = 0; i < ARRAY_LEN(fds); i++) {
        if (fds[i] >= 0)
            close(fds[i]);
    }
    free(x->socket);
    strbuf_fini(&x->request);
    free(x);
}

bool cri_exec_pair(bool wanted, int *ours, int *theirs)
{
    int pair[2];
    *ours = *theirs = -1;
    if (!wanted)
        return true;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
        return false;
    *ours = pair[0];
    *theirs = pair[1];
    return fcntl(pair[0], F_SETFL, O_NONBLOCK) == 0;
}

static int exec_to_its_end(struct cri *r, str id, const struct exec_spec *s, struct exec_session *ret, struct err *err)
{
    struct exec_session x = {.in = -1, .out = -1, .err = -1, .control = -1};
    struct run *run = xnew(struct run);
    bool ok = cri_exec_pair(s->out, &x.out, &run->out);
    ok = cri_exec_pair(s->err, &x.err, &run->err) && ok;
    ok = cri_exec_pair(true, &x.control, &run->control) && ok;
    run->socket = xstrdup(r->socket);
    protobuf_add_str(&run->request, 1, id);
    for (size_t i = 0; s->argv[i]; i++)
        protobuf_add_str(&run->request, 2, str_of(s->argv[i]));
    int code = ok ? thread_detached("cri-exec", run_exec, run) : EMFILE;
    if (code == 0) {
        *ret = x;
        return 0;
    }
    int theirs[] = {run->out, run->err, run->control};
    for (size_t i = 0; i < ARRAY_LEN(theirs); i++) {
        if (theirs[i] >= 0)
            close(theirs[i]);
    }
    cri_exec_close(&r->base, &x);
    free(run->socket);
    strbuf_fini(&run->request);
    free(run);
    return err_sys(err, code, "cannot start a command in the container");
}

int cri_exec(struct runtime *base, str id, const struct exec_spec *s, struct exec_session *ret, struct err *err)
{
    struct cri *r = container_of(base, struct cri, base);
    return s->to_its_end ? exec_to_its_end(r, id, s, ret, err) : cri_stream_open(r, id, s, ret, err);
}

int cri_exec_finish(struct runtime *r UNUSED, struct exec_session *x, nsec_t timeout_ns, int *ret_exit_code, struct err *err)
{
    char buf[1024];
    if (!net_wait(x->control, POLLIN, timeout_ns))
        return err_set(err, E_TIMEOUT, "the command still runs");
    ssize_t n = recv(x->control, buf, sizeof buf, MSG_DONTWAIT);
    str line = str_trim(str_n(buf, n > 0 ? (size_t)n : 0)), number;
    int64_t code;
    str_cut(&line, ' ', &number);
    if (!str_to_i64(number, &code))
        return err_set(err, E_UNAVAILABLE, "the command was lost");
    if (code < 0)
        return err_set(err, (int)-code, STR_FMT, STR_ARG(line));
    *ret_exit_code = (int)code;
    return 0;
}

int cri_exec_resize(struct runtime *r UNUSED, struct exec_session *x, unsigned columns, unsigned rows)
{
    char text[32];
    int n = snprintf(text, sizeof text, "%u %u\n", columns, rows);
    if (!x->tty)
        return 0;
    return send(x->control, text, (size_t)n, MSG_NOSIGNAL | MSG_DONTWAIT) == n ? 0 : -E_IO;
}

void cri_exec_close(struct runtime *r UNUSED, struct exec_session *x)
{
    int fds[] = {x->in, x->out == x->in ? -1 : x->out, x->err, x->control};
    for (size_t i = 0; i < ARRAY_LEN(fds); i++) {
        if (fds[i] >= 0)
            close(fds[i]);
    }
    *x = (struct exec_session){.in = -1, .out = -1, .err = -1, .control = -1};
}
