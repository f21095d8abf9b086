/* SPDX-License-Identifier: Apache-2.0 */
/*   request   00 | length | {1: service}          headers content-type: application/grpc, te: trailers
 *   answer    00 | length | {1: status}           status 1: SERVING; trailer grpc-status: 0 */
#include "agent/probes/probe_grpc.h"

#include "agent/probes/probe_net.h"
#include "base/arena.h"
#include "client/h2_client.h"
#include "wire/protobuf.h"

#define ANSWER_BYTES 4096
#define GRPC_UNIMPLEMENTED 12
#define GRPC_NOT_FOUND 5

struct probe_grpc {
    struct arena arena;
    struct h2_client *h2;
    struct h2_stream stream;
    str authority, service;
    struct strbuf request, answer;
    bool submitted, done, ok;
    bool has_status;
    uint64_t status; /* grpc-status */
    str status_message, message;
};

static void end(struct probe_grpc *g, bool ok, str message)
{
    if (g->done)
        return;
    g->done = true;
    g->ok = ok;
    g->message = message;
}

static void on_head(void *arg UNUSED, struct h2_stream *s UNUSED)
{
}

static void on_data(void *arg, struct h2_stream *s UNUSED, str bytes)
{
    struct probe_grpc *g = arg;
    if (g->answer.len + bytes.len > ANSWER_BYTES)
        end(g, false, S("the answer of the health check is too large"));
    else
        strbuf_add_str(&g->answer, bytes);
}

static void on_header(void *arg, struct h2_stream *s UNUSED, str name, str value)
{
    struct probe_grpc *g = arg;
    if (str_eq(name, S("grpc-status")))
        g->has_status = str_to_u64(value, &g->status);
    else if (str_eq(name, S("grpc-message")))
        g->status_message = arena_str(&g->arena, str_sub(value, 0, 300));
}

static void judge_status(struct probe_grpc *g)
{
    if (g->status == GRPC_UNIMPLEMENTED)
        end(g, false, arena_fmt(&g->arena, "this server does not implement the grpc health protocol (grpc.health.v1.Health): " STR_FMT, STR_ARG(g->status_message)));
    else if (g->status == GRPC_NOT_FOUND)
        end(g, false, arena_fmt(&g->arena, "rpc error: code = NotFound desc = " STR_FMT, STR_ARG(g->status_message)));
    else
        end(g, false, arena_fmt(&g->arena, "rpc error: code = %llu desc = " STR_FMT, (unsigned long long)g->status, STR_ARG(g->status_message)));
}

static void judge(struct probe_grpc *g)
{
    static const char *const names[] = {"UNKNOWN", "SERVING", "NOT_SERVING", "SERVICE_UNKNOWN"};
    uint64_t serving = 0;
    str bytes = strbuf_str(&g->answer);
    if (g->has_status && g->status) {
        judge_status(g);
        return;
    }
    if (bytes.len < 5 || bytes.p[0]) { /* a compressed answer was not asked for */
        end(g, false, S("the answer of the health check is malformed"));
        return;
    }
    struct protobuf_reader r = protobuf_reader(str_from(bytes, 5));
    while (protobuf_next(&r)) {
        if (r.number == 1 && r.type == PROTOBUF_VARINT)
            serving = r.value;
    }
    if (!r.bad && serving == 1)
        end(g, true, S(""));
    else
        end(g, false, arena_fmt(&g->arena, "service unhealthy (responded with \"%s\")", !r.bad && serving < ARRAY_LEN(names) ? names[serving] : "?"));
}

static void on_end(void *arg, struct h2_stream *s, enum h2_end how)
{
    struct probe_grpc *g = arg;
    if (how == H2_END_OK && s->status == 200)
        judge(g);
    else if (how == H2_END_OK)
        end(g, false, arena_fmt(&g->arena, "rpc error: code = Unknown desc = unexpected HTTP status code received from server: %d", s->status));
    else
        end(g, false, S("rpc error: code = Unavailable desc = the server reset the stream"));
}

static const struct h2_client_ops ops = {.on_head = on_head, .on_data = on_data, .on_end = on_end, .on_header = on_header};

struct probe_grpc *probe_grpc_new(str authority, str service)
{
    struct probe_grpc *g = xnew(struct probe_grpc);
    g->arena = ARENA_SMALL(1024);
    g->authority = arena_str(&g->arena, authority);
    g->service = arena_str(&g->arena, service);
    g->status_message = S("");
    STRBUF_AUTO message = STRBUF_HEAP;
    if (service.len)
        protobuf_add_str(&message, 1, service);
    const char head[5] = {0, (char)(message.len >> 24), (char)(message.len >> 16), (char)(message.len >> 8), (char)message.len};
    strbuf_add(&g->request, head, sizeof head);
    strbuf_add_str(&g->request, strbuf_str(&message));
    g->h2 = h2_client_new(&ops, g);
    return g;
}

void probe_grpc_free(struct probe_grpc *g)
{
    if (!g)
        return;
    h2_client_free(g->h2);
    strbuf_fini(&g->request);
    strbuf_fini(&g->answer);
    arena_fini(&g->arena);
    free(g);
}

void probe_grpc_recv(struct probe_grpc *g, str bytes)
{
    struct err err = ERR_NONE;
    if (h2_client_recv(g->h2, bytes, &err) < 0)
        end(g, false, arena_fmt(&g->arena, "the server does not speak HTTP/2: %s", err.msg));
}

static void submit(struct probe_grpc *g)
{
    const struct http_header headers[] = {{S("content-type"), S("application/grpc")}, {S("te"), S("trailers")}, {S("user-agent"), S(PROBE_NET_USER_AGENT)}};
    struct h2_request q = {.method = S("POST"), .scheme = S("http"), .authority = g->authority, .path = S("/grpc.health.v1.Health/Check"), .headers = headers, .nheaders = ARRAY_LEN(headers),
                           .body = strbuf_str(&g->request)};
    g->submitted = true;
    if (!h2_client_submit(g->h2, &g->stream, &q))
        end(g, false, S("the request could not be sent"));
}

void probe_grpc_send(struct probe_grpc *g, struct strbuf *out)
{
    char buf[4096];
    if (!g->submitted && h2_client_room(g->h2))
        submit(g);
    for (size_t n; (n = h2_client_send(g->h2, buf, sizeof buf));)
        strbuf_add(out, buf, n);
    if (!g->done && h2_client_is_over(g->h2))
        end(g, false, S("rpc error: code = Unavailable desc = the server closed the connection"));
}

bool probe_grpc_is_done(const struct probe_grpc *g, bool *ret_ok, str *ret_message)
{
    *ret_ok = g->ok;
    *ret_message = g->message;
    return g->done;
}
