/* runtime.c - the table of runtimes, and what is the same for all of them. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/runtime/runtime.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

#define STOP_LOOK_MS 200

const struct runtime_ops *const runtimes[] = {&runtime_process, &runtime_oci, &runtime_cri, NULL};

const struct runtime_ops *runtime_find(str name)
{
    for (size_t i = 0; runtimes[i]; i++) {
        if (str_is(name, runtimes[i]->name))
            return runtimes[i];
    }
    return NULL;
}

/* Reads what is there; false: its end. */
static bool take_output(int fd, struct strbuf *b)
{
    char buf[4096];
    for (;;) {
        ssize_t n = read(fd, buf, sizeof buf);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return errno == EAGAIN;
        if (n == 0)
            return false;
        size_t room = RUNTIME_OUTPUT_BYTES - MIN(b->len, (size_t)RUNTIME_OUTPUT_BYTES);
        strbuf_add(b, buf, MIN((size_t)n, room)); /* the rest is read and dropped: the command must not wait for us */
    }
}

/* Until the command has ended.  False: the time is over. */
static bool collect(struct exec_session *x, nsec_t end, const atomic_bool *stop, struct strbuf *b)
{
    bool open_out = x->out >= 0, open_err = x->err >= 0;
    for (;;) {
        struct pollfd fds[3] = {{.fd = x->control, .events = POLLIN}, {.fd = open_out ? x->out : -1, .events = POLLIN}, {.fd = open_err ? x->err : -1, .events = POLLIN}};
        nsec_t left = end - clock_mono(&clock_real);
        if ((end && left <= 0) || (stop && atomic_load_explicit(stop, memory_order_relaxed)))
            return false;
        int longest = stop ? STOP_LOOK_MS : 60000, r = poll(fds, 3, end ? (int)MIN(left / NSEC_PER_MSEC + 1, (nsec_t)longest) : longest);
        if (r < 0 && errno != EINTR)
            return false;
        if (fds[1].revents)
            open_out = take_output(x->out, b);
        if (fds[2].revents)
            open_err = take_output(x->err, b);
        if (r > 0 && fds[0].revents) {
            /* Its children may hold the pipes open for ever: only what is in them now belongs to it. */
            if (open_out)
                take_output(x->out, b);
            if (open_err)
                take_output(x->err, b);
            return true;
        }
    }
}

int runtime_exec_until(struct runtime *r, str id, const char *const *argv, nsec_t timeout_ns, const atomic_bool *stop, struct arena *a, str *ret_output, int *ret_exit_code, struct err *err)
{
    struct exec_session x = {.in = -1, .out = -1, .err = -1, .control = -1};
    int code = r->ops->exec(r, id, &(struct exec_spec){.argv = argv, .out = true, .err = true, .to_its_end = true}, &x, err);
    if (code < 0)
        return code;
    STRBUF_AUTO out = STRBUF_HEAP;
    int exit_code = 0;
    if (collect(&x, timeout_ns > 0 ? clock_mono(&clock_real) + timeout_ns : 0, stop, &out))
        code = r->ops->exec_finish(r, &x, 0, &exit_code, err);
    else
        code = err_set(err, E_TIMEOUT, "command timed out");
    r->ops->exec_close(r, &x);
    if (code == 0 || code == -E_TIMEOUT)
        *ret_output = arena_str(a, strbuf_str(&out));
    if (code == 0)
        *ret_exit_code = exit_code;
    return code;
}

int runtime_exec_sync(struct runtime *r, str id, const char *const *argv, nsec_t timeout_ns, struct arena *a, str *ret_output, int *ret_exit_code, struct err *err)
{
    return runtime_exec_until(r, id, argv, timeout_ns, NULL, a, ret_output, ret_exit_code, err);
}
