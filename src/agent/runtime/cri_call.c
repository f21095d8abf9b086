/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/runtime/cri_call.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>

#include "client/h2_client.h"
#include "rt/file.h"
#include "rt/net.h"
#include "wire/protobuf.h"

#define PREFIX_BYTES 5 /* a flag for compression and the length */

struct call {
    const char *method;
    int cancel_fd;
    struct h2_client *h2;
    struct h2_stream stream;
    struct strbuf body, answer;
    bool submitted, ended, has_status;
    enum h2_end how;
    uint64_t status;
    struct strbuf message;
};

static void on_head(void *arg UNUSED, struct h2_stream *s UNUSED)
{
}

static void on_data(void *arg, struct h2_stream *s UNUSED, str bytes)
{
    struct call *c = arg;
    if (c->answer.len <= CRI_ANSWER_BYTES) /* what is beyond is noticed at the end */
        strbuf_add_str(&c->answer, bytes);
}

static int hex_of(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* grpc-message is percent-encoded. */
static void decode_message(struct strbuf *out, str s)
{
    strbuf_clear(out);
    for (size_t i = 0; i < s.len && out->len < 500; i++) {
        bool coded = s.p[i] == '%' && i + 2 < s.len && hex_of(s.p[i + 1]) >= 0 && hex_of(s.p[i + 2]) >= 0;
        char c = coded ? (char)(hex_of(s.p[i + 1]) * 16 + hex_of(s.p[i + 2])) : s.p[i];
        strbuf_add_char(out, c == '\n' || c == '\r' ? ' ' : c);
        i += coded ? 2 : 0;
    }
}

static void on_header(void *arg, struct h2_stream *s UNUSED, str name, str value)
{
    struct call *c = arg;
    if (str_eq(name, S("grpc-status")))
        c->has_status = str_to_u64(value, &c->status);
    else if (str_eq(name, S("grpc-message")))
        decode_message(&c->message, value);
}

static void on_end(void *arg, struct h2_stream *s UNUSED, enum h2_end how)
{
    struct call *c = arg;
    c->ended = true;
    c->how = how;
}

static const struct h2_client_ops ops = {.on_head = on_head, .on_data = on_data, .on_end = on_end, .on_header = on_header};

static bool submit(struct call *c)
{
    char path[128];
    const struct http_header headers[] = {{S("content-type"), S("application/grpc")}, {S("te"), S("trailers")}, {S("user-agent"), S("cox")}};
    snprintf(path, sizeof path, "/runtime.v1.%s", c->method);
    c->submitted = true;
    return h2_client_submit(c->h2, &c->stream,
                            &(struct h2_request){.method = S("POST"), .scheme = S("http"), .authority = S("localhost"), .path = str_of(path), .headers = headers, .nheaders = ARRAY_LEN(headers), .body = strbuf_str(&c->body)});
}

static int send_all(int fd, str bytes, nsec_t end, struct err *err)
{
    while (bytes.len) {
        ssize_t n = send(fd, bytes.p, bytes.len, MSG_NOSIGNAL);
        if (n < 0 && errno == EAGAIN && net_wait(fd, POLLOUT, MAX(end - clock_mono(&clock_real), (nsec_t)0)))
            continue;
        if (n < 0 && errno != EINTR)
            return err_sys(err, errno, "cannot write to the container runtime");
        bytes = str_from(bytes, n < 0 ? 0 : (size_t)n);
    }
    return 0;
}

/* False: the time is over, or the caller has gone. */
static bool wait_for_answer(const struct call *c, int fd, nsec_t end)
{
    struct pollfd fds[2] = {{.fd = fd, .events = POLLIN}, {.fd = c->cancel_fd, .events = POLLIN}};
    for (;;) {
        nsec_t left = end - clock_mono(&clock_real);
        if (left <= 0)
            return false;
        int r = poll(fds, 2, (int)MIN(left / NSEC_PER_MSEC + 1, (nsec_t)60000));
        if (r > 0)
            return fds[0].revents && !fds[1].revents;
        if (r < 0 && errno != EINTR)
            return false;
    }
}

static int pump(struct call *c, int fd, nsec_t end, struct err *err)
{
    char buf[32768];
    while (!c->ended) {
        if (!c->submitted && h2_client_room(c->h2) && !submit(c))
            return err_set(err, E_UNAVAILABLE, "the container runtime takes no request");
        for (size_t n; (n = h2_client_send(c->h2, buf, sizeof buf));) {
            int r = send_all(fd, str_n(buf, n), end, err);
            if (r < 0)
                return r;
        }
        if (c->ended)
            break;
        if (!wait_for_answer(c, fd, end))
            return err_set(err, E_TIMEOUT, "%s: no answer from the container runtime in time", c->method);
        ssize_t n = recv(fd, buf, sizeof buf, 0);
        if (n < 0 && (errno == EAGAIN || errno == EINTR))
            continue;
        if (n <= 0)
            return err_set(err, E_UNAVAILABLE, "%s: the container runtime closed the connection", c->method);
        int r = h2_client_recv(c->h2, str_n(buf, (size_t)n), err);
        if (r < 0)
            return err_wrap(err, "%s: ", c->method);
    }
    return 0;
}

static int judge(struct call *c, struct arena *a, str *ret, struct err *err)
{
    static const struct { uint64_t status; int code; } codes[] = {{3, E_INVALID_ARG}, {4, E_TIMEOUT}, {5, E_NOT_FOUND}, {6, E_EXISTS}, {7, E_FORBIDDEN}, {12, E_UNAVAILABLE}, {14, E_UNAVAILABLE}, {16, E_UNAUTHORIZED}};
    if (c->how != H2_END_OK || c->stream.status != 200)
        return err_set(err, E_UNAVAILABLE, "%s: the container runtime broke the call off", c->method);
    if (c->has_status && c->status) {
        int code = E_INTERNAL;
        for (size_t i = 0; i < ARRAY_LEN(codes); i++)
            code = codes[i].status == c->status ? codes[i].code : code;
        return err_set(err, code, "%s", c->message.len ? c->message.p : "the container runtime gave no reason");
    }
    str bytes = strbuf_str(&c->answer);
    if (bytes.len > CRI_ANSWER_BYTES)
        return err_set(err, E_TOO_LARGE, "%s: the answer is larger than %u MiB", c->method, CRI_ANSWER_BYTES >> 20);
    if (bytes.len < PREFIX_BYTES || bytes.p[0])
        return err_set(err, E_UNAVAILABLE, "%s: the answer is malformed", c->method);
    *ret = arena_str(a, str_from(bytes, PREFIX_BYTES));
    return 0;
}

int cri_call(const struct cri_call *call, struct arena *a, str *ret, struct err *err)
{
    struct call c = {.method = call->method, .cancel_fd = call->cancel_fd};
    FD_AUTO fd = -1;
    int r = net_connect_unix(call->socket, &fd, err);
    if (r < 0)
        return err_set(err, E_UNAVAILABLE, "the container runtime does not listen on %s; is it running?", call->socket);
    size_t len = call->request.len;
    const char prefix[PREFIX_BYTES] = {0, (char)(len >> 24), (char)(len >> 16), (char)(len >> 8), (char)len};
    strbuf_add(&c.body, prefix, sizeof prefix);
    strbuf_add_str(&c.body, call->request);
    c.h2 = h2_client_new(&ops, &c);
    r = pump(&c, fd, clock_mono(&clock_real) + call->timeout_ns, err);
    if (r == 0)
        r = judge(&c, a, ret, err);
    h2_client_free(c.h2);
    strbuf_fini(&c.body);
    strbuf_fini(&c.answer);
    strbuf_fini(&c.message);
    return r;
}

/* --- messages ------------------------------------------------------------------------------------------------ */

str cri_bytes(str message, uint32_t field)
{
    struct protobuf_reader r = protobuf_reader(message);
    str found = S("");
    while (protobuf_next(&r)) {
        if (r.number == field && r.type == PROTOBUF_BYTES)
            found = r.bytes;
    }
    return found;
}

uint64_t cri_number(str message, uint32_t field)
{
    struct protobuf_reader r = protobuf_reader(message);
    uint64_t found = 0;
    while (protobuf_next(&r)) {
        if (r.number == field && r.type == PROTOBUF_VARINT)
            found = r.value;
    }
    return found;
}

void cri_add_entry(struct strbuf *b, uint32_t field, str key, str value)
{
    size_t mark = protobuf_open(b, field);
    protobuf_add_str(b, 1, key);
    protobuf_add_str(b, 2, value);
    protobuf_close(b, mark);
}

void cri_add_wrapped(struct strbuf *b, uint32_t field, uint64_t value)
{
    size_t mark = protobuf_open(b, field);
    if (value)
        protobuf_add_varint(b, 1, value);
    protobuf_close(b, mark);
}

str cri_map_get(str message, uint32_t field, str key)
{
    struct protobuf_reader r = protobuf_reader(message);
    while (protobuf_next(&r)) {
        if (r.number == field && r.type == PROTOBUF_BYTES && str_eq(cri_bytes(r.bytes, 1), key))
            return cri_bytes(r.bytes, 2);
    }
    return S("");
}
