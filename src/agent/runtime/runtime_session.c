/* runtime_session.c - the agent's side of a shim's socket: exec, attach, signals.  Messages: shim_requests.c. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "agent/runtime/runtime_shim.h"
#include "agent/shim/shim.h"
#include "agent/shim/shim_internal.h"
#include "rt/file.h"
#include "rt/net.h"

#define ANSWER_PATIENCE_NS (75 * NSEC_PER_SEC) /* longer than the shim's own patience with its child */

static int connect_shim(const char *dir, int *ret, struct err *err)
{
    FD_AUTO folder = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
    struct sockaddr_un un = {.sun_family = AF_UNIX};
    snprintf(un.sun_path, sizeof un.sun_path, "/proc/self/fd/%d/shim.sock", folder);
    FD_AUTO fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (folder < 0 || fd < 0)
        return err_sys(err, errno, "cannot reach the container");
    if (connect(fd, (struct sockaddr *)&un, sizeof un) < 0)
        return err_set(err, E_NOT_FOUND, "the container is not running");
    *ret = fd;
    fd = -1;
    return 0;
}

/* Sends the request and takes the first answer with its descriptors. */
static int ask(const char *dir, str request, int *ret_fd, int fds[3], char letters[8], struct err *err)
{
    if (request.len > SHIM_MESSAGE_BYTES)
        return err_set(err, E_TOO_LARGE, "the command is longer than %u bytes", SHIM_MESSAGE_BYTES);
    FD_AUTO fd = -1;
    int r = connect_shim(dir, &fd, err);
    if (r < 0)
        return r;
    r = shim_send(fd, request, NULL, 0);
    if (r < 0)
        return err_sys(err, -r, "cannot reach the container");
    char buf[4096];
    size_t nfds = 0;
    if (!net_wait(fd, POLLIN, ANSWER_PATIENCE_NS))
        return err_set(err, E_TIMEOUT, "the container does not answer");
    ssize_t n = shim_recv(fd, buf, sizeof buf, fds, &nfds);
    ARENA_AUTO a = ARENA_SMALL(2048);
    struct json o;
    if (n <= 0 || json_parse(&a, str_n(buf, (size_t)n), NULL, &o, NULL) < 0)
        return err_set(err, E_NOT_FOUND, "the container is not running");
    int code = (int)json_get_int(&o, S("code"), E_IO);
    str which = json_get_str(&o, S("fds"));
    if (code == 0 && which.len == nfds && which.len < 8) {
        snprintf(letters, 8, STR_FMT, STR_ARG(which));
        *ret_fd = fd;
        fd = -1;
        return 0;
    }
    for (size_t i = 0; i < nfds; i++)
        close(fds[i]);
    return err_set(err, code > 0 && code < E_COUNT_ ? code : E_IO, STR_FMT, STR_ARG(json_get_str(&o, S("message"))));
}

int shim_session_signal(const char *dir, int signo, struct err *err)
{
    char request[64], letters[8];
    int fd = -1, fds[3];
    snprintf(request, sizeof request, "{\"op\":\"signal\",\"signo\":%d}", signo);
    int r = ask(dir, str_of(request), &fd, fds, letters, err);
    if (r == 0)
        close(fd);
    return r;
}

static str request_of(struct arena *a, const struct exec_spec *x)
{
    struct json o = json_object(), argv = json_array();
    json_set(a, &o, S("op"), json_string(x->argv ? S("exec") : S("attach")));
    for (size_t i = 0; x->argv && x->argv[i]; i++)
        json_push(a, &argv, json_string(str_of(x->argv[i])));
    json_set(a, &o, S("argv"), argv);
    json_set(a, &o, S("in"), json_bool(x->in));
    json_set(a, &o, S("out"), json_bool(x->out));
    json_set(a, &o, S("err"), json_bool(x->err));
    json_set(a, &o, S("tty"), json_bool(x->tty));
    return json_text(a, &o);
}

int shim_session_exec(struct runtime *rt, str id, const struct exec_spec *x, struct exec_session *ret, struct err *err)
{
    struct shim_runtime *r = container_of(rt, struct shim_runtime, base);
    ARENA_AUTO a = ARENA_SMALL(4096);
    struct shim_entry e;
    int fds[3], control = -1, code = shim_runtime_find(r, id, &a, &e, err);
    char letters[8] = "";
    if (code == 0)
        code = ask(e.dir, request_of(&a, x), &control, fds, letters, err);
    if (code < 0)
        return code;
    *ret = (struct exec_session){.in = -1, .out = -1, .err = -1, .control = control};
    for (size_t i = 0; letters[i]; i++) {
        if (letters[i] == 't') {
            ret->tty = true;
            ret->in = ret->out = fds[i];
        } else {
            *(letters[i] == 'i' ? &ret->in : letters[i] == 'o' ? &ret->out : &ret->err) = fds[i];
        }
    }
    return 0;
}

int shim_session_finish(struct runtime *rt, struct exec_session *x, nsec_t timeout_ns, int *ret_exit_code, struct err *err)
{
    (void)rt;
    char buf[256];
    if (!net_wait(x->control, POLLIN, timeout_ns))
        return err_set(err, E_TIMEOUT, "the command still runs");
    ssize_t n = shim_recv(x->control, buf, sizeof buf, NULL, NULL);
    ARENA_AUTO a = ARENA_SMALL(512);
    struct json o;
    if (n <= 0 || json_parse(&a, str_n(buf, (size_t)n), NULL, &o, NULL) < 0 || !json_get(&o, S("exit")))
        return err_set(err, E_UNAVAILABLE, "the container ended");
    *ret_exit_code = (int)json_get_int(&o, S("exit"), 0);
    return 0;
}

int shim_session_resize(struct runtime *rt, struct exec_session *x, unsigned columns, unsigned rows)
{
    (void)rt;
    char text[96];
    snprintf(text, sizeof text, "{\"op\":\"resize\",\"columns\":%u,\"rows\":%u}", columns, rows);
    return shim_send(x->control, str_of(text), NULL, 0) < 0 ? -E_IO : 0;
}

void shim_session_close(struct runtime *rt, struct exec_session *x)
{
    (void)rt;
    int fds[] = {x->in, x->out == x->in ? -1 : x->out, x->err, x->control};
    for (size_t i = 0; i < ARRAY_LEN(fds); i++) {
        if (fds[i] >= 0)
            close(fds[i]);
    }
    *x = (struct exec_session){.in = -1, .out = -1, .err = -1, .control = -1};
}
