/* verb_port_forward.c - cox port-forward: ports of this machine lead into a pod.
 *
 *   local connection ─► two SPDY streams (error, data) ─► one connection to the API server ─► the pod */
/* SPDX-License-Identifier: Apache-2.0 */
#include <arpa/inet.h>
#include <errno.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cli/pod_target.h"
#include "cli/remote.h"
#include "cli/resources.h"
#include "cli/verbs.h"
#include "rt/net.h"
#include "wire/spdy.h"

#define PIECE_BYTES (32u << 10)
#define HELD_BYTES (128u << 10) /* for a local program that does not read, before everything waits */

struct listener {
    struct forward *f;
    struct loop_fd io;
    uint16_t local, port;
};

struct link {
    struct forward *f;
    struct list node;
    struct loop_fd io;
    uint32_t error_id, data_id;
    uint16_t port, local;
    struct strbuf out, error;
    size_t out_at;
    char *piece;
    size_t piece_len;
    bool local_eof, remote_eof, error_eof, shut, counted; /* counted: in f->full */
};

struct forward {
    struct session *s;
    struct loop *loop;
    struct remote *remote;
    struct spdy *spdy;
    VEC(struct listener *) listeners;
    struct list links;
    uint32_t next_id;
    uint32_t requests, full;
    struct strbuf frame;
    struct failure failure;
    bool failed;
};

/* --- frames ----------------------------------------------------------------------------------------------------------------- */

static bool send_frame(struct forward *f, size_t limit)
{
    return remote_send_bytes(f->remote, strbuf_str(&f->frame), limit);
}

static void send_control(struct forward *f)
{
    err_ignore(send_frame(f, SIZE_MAX), "control frames are few and small, and taken however much waits");
}

static void send_syn(struct forward *f, uint32_t id, const char *type, uint16_t port, uint32_t request)
{
    char port_text[8], request_text[16];
    snprintf(port_text, sizeof port_text, "%u", port);
    snprintf(request_text, sizeof request_text, "%u", request);
    struct http_header h[] = {{S("streamtype"), str_of(type)}, {S("port"), str_of(port_text)}, {S("requestid"), str_of(request_text)}};
    strbuf_clear(&f->frame);
    spdy_write_syn(f->spdy, &f->frame, id, false, h, ARRAY_LEN(h));
    send_control(f);
}

static void send_fin(struct forward *f, uint32_t id)
{
    strbuf_clear(&f->frame);
    spdy_write_data_head(&f->frame, id, true, 0);
    send_control(f);
}

/* --- links ------------------------------------------------------------------------------------------------------------------- */

static void count_full(struct link *l)
{
    struct forward *f = l->f;
    bool full = l->out.len - l->out_at > HELD_BYTES;
    if (full == l->counted)
        return;
    l->counted = full;
    f->full += full ? 1 : -1u;
    remote_pause(f->remote, f->full > 0);
}

static void link_free(struct link *l)
{
    strbuf_clear(&l->out);
    l->out_at = 0;
    count_full(l);
    loop_fd_del(l->f->loop, &l->io);
    close(l->io.fd);
    list_del(&l->node);
    strbuf_fini(&l->out);
    strbuf_fini(&l->error);
    free(l->piece);
    free(l);
}

static void link_reset(struct link *l)
{
    strbuf_clear(&l->f->frame);
    spdy_write_reset(&l->f->frame, l->data_id, SPDY_CANCEL);
    send_control(l->f);
    link_free(l);
}

static void want(struct link *l)
{
    uint32_t events = (l->out_at < l->out.len ? EPOLLOUT : 0) | (!l->local_eof && !l->piece_len ? EPOLLIN : 0);
    loop_fd_want(l->f->loop, &l->io, events);
}

/* True: it is gone. */
static bool end_if_done(struct link *l)
{
    bool written = l->remote_eof && l->out_at == l->out.len;
    if (written && !l->shut) {
        l->shut = true;
        shutdown(l->io.fd, SHUT_WR);
    }
    if (!written || !(l->local_eof || l->error_eof))
        return false;
    link_free(l);
    return true;
}

static bool link_write(struct link *l)
{
    while (l->out_at < l->out.len) {
        ssize_t n = send(l->io.fd, l->out.p + l->out_at, l->out.len - l->out_at, MSG_NOSIGNAL);
        if (n < 0 && (errno == EAGAIN || errno == EINTR))
            break;
        if (n < 0) {
            link_reset(l);
            return false;
        }
        l->out_at += (size_t)n;
    }
    if (l->out_at == l->out.len) {
        strbuf_clear(&l->out);
        l->out_at = 0;
    }
    count_full(l);
    if (end_if_done(l))
        return false;
    want(l);
    return true;
}

static bool send_piece(struct link *l)
{
    struct forward *f = l->f;
    strbuf_clear(&f->frame);
    spdy_write_data_head(&f->frame, l->data_id, false, (uint32_t)l->piece_len);
    strbuf_add(&f->frame, l->piece, l->piece_len);
    if (!send_frame(f, REMOTE_OUT_BYTES))
        return false;
    l->piece_len = 0;
    return true;
}

static void link_read(struct link *l)
{
    ssize_t n = recv(l->io.fd, l->piece, PIECE_BYTES, 0);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (n < 0) {
        link_reset(l);
        return;
    }
    if (n == 0) {
        l->local_eof = true;
        send_fin(l->f, l->data_id);
        if (!end_if_done(l))
            want(l);
        return;
    }
    l->piece_len = (size_t)n;
    send_piece(l);
    want(l);
}

static void link_ready(struct loop_fd *io, uint32_t events)
{
    struct link *l = container_of(io, struct link, io);
    if ((events & EPOLLOUT) && !link_write(l))
        return;
    if (!l->piece_len && !l->local_eof && (events & (EPOLLIN | EPOLLHUP | EPOLLERR)))
        link_read(l);
    else if (events & (EPOLLHUP | EPOLLERR)) /* comes whatever is wanted */
        link_reset(l);
}

static void accept_ready(struct loop_fd *io, uint32_t events UNUSED)
{
    struct listener *x = container_of(io, struct listener, io);
    struct forward *f = x->f;
    struct err err;
    int fd = net_accept(io->fd);
    if (fd < 0)
        return;
    struct link *l = xnew(struct link);
    l->f = f;
    l->port = x->port;
    l->local = x->local;
    l->io = (struct loop_fd){.fd = fd, .ready = link_ready};
    if (loop_fd_add(f->loop, &l->io, EPOLLIN, &err) < 0) {
        close(fd);
        free(l);
        return;
    }
    printf("Handling connection for %u\n", x->local);
    fflush(stdout);
    l->piece = xmalloc(PIECE_BYTES);
    l->error_id = f->next_id;
    l->data_id = f->next_id + 2;
    f->next_id += 4;
    list_add_tail(&f->links, &l->node);
    send_syn(f, l->error_id, "error", l->port, f->requests);
    send_fin(f, l->error_id);
    send_syn(f, l->data_id, "data", l->port, f->requests++);
}

/* --- the connection ------------------------------------------------------------------------------------------------------------ */

static void fail(struct forward *f, const struct failure *why)
{
    if (!f->failed)
        f->failure = *why;
    f->failed = true;
    loop_stop(f->loop);
}

static struct link *find(struct forward *f, uint32_t id)
{
    list_foreach(l, &f->links, struct link, node)
    {
        if (l->data_id == id || l->error_id == id)
            return l;
    }
    return NULL;
}

static void link_failed(struct link *l)
{
    if (l->error.len)
        fprintf(stderr, "an error occurred forwarding %u -> %u: " STR_FMT "\n", l->local, l->port, STR_ARG(strbuf_str(&l->error)));
    link_free(l);
}

static void on_event(struct forward *f, enum spdy_result k, const struct spdy_event *e)
{
    struct link *l = k == SPDY_GOT_DATA || k == SPDY_GOT_RESET ? find(f, e->stream) : NULL;
    if (k == SPDY_GOT_PING && !(e->ping & 1)) {
        strbuf_clear(&f->frame);
        spdy_write_ping(&f->frame, e->ping);
        send_control(f);
    } else if (k == SPDY_BAD) {
        struct failure why = FAILURE_NONE;
        failure_set(&why, E_UNAVAILABLE, "lost connection to pod: %s", e->why);
        fail(f, &why);
    }
    if (!l)
        return;
    if (e->stream == l->error_id) {
        strbuf_add_str(&l->error, str_sub(e->data, 0, 4096));
        l->error_eof |= e->fin || k == SPDY_GOT_RESET;
        if (l->error_eof && l->error.len)
            link_failed(l);
        else if (l->error_eof)
            end_if_done(l);
        return;
    }
    if (k == SPDY_GOT_RESET) {
        link_failed(l);
        return;
    }
    if (l->out_at > HELD_BYTES) {
        strbuf_splice(&l->out, 0, l->out_at, S(""));
        l->out_at = 0;
    }
    strbuf_add_str(&l->out, e->data);
    l->remote_eof |= e->fin;
    link_write(l);
}

static void on_bytes(void *owner, str bytes)
{
    struct forward *f = owner;
    while (bytes.len && !f->failed) {
        struct spdy_event e;
        size_t used;
        enum spdy_result k = spdy_step(f->spdy, bytes, &used, &e);
        bytes = str_from(bytes, used);
        if (k != SPDY_MORE)
            on_event(f, k, &e);
    }
}

static void on_writable(void *owner)
{
    struct forward *f = owner;
    list_foreach_safe(l, &f->links, struct link, node)
    {
        if (l->piece_len && send_piece(l))
            want(l);
    }
}

static void on_end(void *owner, const struct failure *why)
{
    struct failure lost = FAILURE_NONE;
    failure_set(&lost, E_UNAVAILABLE, "lost connection to pod");
    fail(owner, why ? why : &lost);
}

static void on_opened(void *owner)
{
    struct forward *f = owner;
    for (size_t i = 0; i < f->listeners.len; i++) {
        struct listener *x = f->listeners.p[i];
        struct err err;
        char text[NET_ADDR_TEXT];
        net_local_text(x->io.fd, text);
        printf("Forwarding from %s -> %u\n", text, x->port);
        if (loop_fd_add(f->loop, &x->io, EPOLLIN, &err) < 0) {
            struct failure why = {.err = err};
            fail(f, &why);
        }
    }
    fflush(stdout);
}

static const struct remote_ops ops = {.opened = on_opened, .bytes = on_bytes, .writable = on_writable, .end = on_end};

/* --- ports ----------------------------------------------------------------------------------------------------------------------------- */

static int64_t named_port(const struct json *pod, str name)
{
    const struct json *list = json_path(pod, "spec", "containers", NULL);
    for (uint32_t i = 0; json_is(list, JSON_ARRAY) && i < list->len; i++) {
        const struct json *ports = json_get(&list->items[i], S("ports"));
        for (uint32_t k = 0; json_is(ports, JSON_ARRAY) && k < ports->len; k++)
            if (str_eq(json_get_str(&ports->items[k], S("name")), name))
                return json_get_int(&ports->items[k], S("containerPort"), 0);
    }
    return 0;
}

/* A service's port leads to a port of the pod. */
static int64_t pod_port(const struct json *service, const struct json *pod, str text)
{
    const struct json *ports = json_path(service, "spec", "ports", NULL);
    int64_t number = 0;
    for (uint32_t i = 0; service && json_is(ports, JSON_ARRAY) && i < ports->len; i++) {
        const struct json *p = &ports->items[i], *target = json_get(p, S("targetPort"));
        if (!str_eq(json_str(json_get(p, S("port"))), text) && !str_eq(json_get_str(p, S("name")), text))
            continue;
        if (json_is(target, JSON_STRING))
            return named_port(pod, json_str(target));
        return json_to_i64(target, &number) && number ? number : json_get_int(p, S("port"), 0);
    }
    if (str_to_i64(text, &number))
        return service ? 0 : number;
    return named_port(pod, text);
}

static int listen_on(struct forward *f, str address, uint16_t local, uint16_t port, struct failure *why)
{
    bool v6 = str_find_char(address, ':') >= 0;
    struct listener *x = xnew(struct listener);
    x->f = f;
    x->port = port;
    x->io = (struct loop_fd){.fd = -1, .ready = accept_ready};
    str text = arena_fmt(&f->s->arena, v6 ? "[" STR_FMT "]:%u" : STR_FMT ":%u", STR_ARG(address), local);
    int r = net_listen_tcp(text.p, &x->io.fd, &x->local, &why->err);
    if (r < 0) {
        free(x);
        return r;
    }
    vec_push(&f->listeners, x);
    return 0;
}

static int add_port(struct forward *f, const struct json *service, const struct json *pod, const char *word, struct failure *why)
{
    str remote = str_of(word), local;
    bool has_local = str_cut(&remote, ':', &local);
    if (!has_local)
        remote = local;
    int64_t to = pod_port(service, pod, remote), from = to;
    if (has_local && local.len && !str_to_i64(local, &from))
        from = -1;
    if (!has_local && service && !str_to_i64(remote, &from)) /* a service's own number is the local one */
        from = to;
    if (has_local && !local.len)
        from = 0;
    int64_t number;
    str owner = json_get_str(json_get(service ? service : pod, S("metadata")), S("name"));
    if (to == 0 && remote.len && !str_to_i64(remote, &number))
        return failure_set(why, E_INVALID_ARG, "%s '" STR_FMT "' does not have a named port '" STR_FMT "'", service ? "Service" : "Pod", STR_ARG(owner), STR_ARG(remote));
    if (to == 0 && service)
        return failure_set(why, E_INVALID_ARG, "Service " STR_FMT " does not have a service port " STR_FMT, STR_ARG(owner), STR_ARG(remote));
    if (to == 0 && remote.len)
        return failure_set(why, E_INVALID_ARG, "remote port must be > 0");
    if (to <= 0 || to > 65535 || from < 0 || from > 65535)
        return failure_set(why, E_INVALID_ARG, "there is no port \"%s\" to forward: want [LOCAL:]REMOTE, each a number up to 65535 or the name of a port", word);
    const char *given = cli_str_or(f->s->args, "address", "localhost");
    str list = str_of(given), one;
    size_t had = f->listeners.len;
    while (list.len) {
        str_cut(&list, ',', &one);
        if (!str_is(one, "localhost")) {
            struct in6_addr any;
            const char *text = arena_cstr(&f->s->arena, one);
            if (inet_pton(AF_INET, text, &any) != 1 && inet_pton(AF_INET6, text, &any) != 1)
                return failure_set(why, E_INVALID_ARG, "%s is not a valid IP", text);
            int r = listen_on(f, one, (uint16_t)from, (uint16_t)to, why);
            if (r < 0)
                return r;
            continue;
        }
        int r = listen_on(f, S("127.0.0.1"), (uint16_t)from, (uint16_t)to, why);
        struct failure none = FAILURE_NONE; /* a machine without IPv6 */
        if (r == 0)
            err_ignore(listen_on(f, S("::1"), f->listeners.p[f->listeners.len - 1]->local, (uint16_t)to, &none), "one of the two is enough");
        if (r < 0)
            return r;
    }
    return f->listeners.len > had ? 0 : failure_set(why, E_INVALID_ARG, "--address names no address");
}

static int prepare(struct forward *f, struct json *ret_pod, struct failure *why)
{
    const struct cli_args *a = f->s->args;
    struct json service;
    bool is_service = false;
    if (a->npositional < 2)
        return session_usage(f->s, why, "TYPE/NAME and list of ports are required for port-forward");
    const char *word = a->positional[0];
    int r = pod_target_find(f->s, word, ret_pod, why);
    if (r)
        return r;
    str type = str_of(word), head;
    if (str_cut(&type, '/', &head)) {
        const struct discovery_resource *res;
        r = resource_type_find(f->s, head, &res, why);
        is_service = r == 0 && str_is(res->singular, "service");
    }
    if (is_service) {
        struct resource_query q = {.words = &word, .nwords = 1};
        struct targets found;
        r = resources_find(f->s, &q, &found, why);
        if (r == 0 && found.len)
            service = found.p[0].object;
        is_service = r == 0 && found.len;
    }
    str phase = json_get_str(json_get(ret_pod, S("status")), S("phase"));
    if (!str_is(phase, "Running"))
        return failure_set(why, E_INVALID_ARG, "unable to forward port because pod is not running. Current status=" STR_FMT, STR_ARG(phase));
    for (size_t i = 1; r == 0 && i < a->npositional; i++)
        r = add_port(f, is_service ? &service : NULL, ret_pod, a->positional[i], why);
    return r;
}

static int forward(struct session *s, struct failure *why)
{
    struct forward f = {.s = s, .next_id = 1};
    struct json pod;
    struct https_conf *conf = NULL;
    list_init(&f.links);
    signal(SIGPIPE, SIG_IGN);
    int r = prepare(&f, &pod, why);
    if (r == 0)
        r = remote_conf(s, &conf, why);
    f.loop = r == 0 ? loop_new("forward", &clock_real, &why->err) : NULL;
    if (f.loop) {
        f.spdy = spdy_new();
        f.remote = remote_open(s, f.loop, conf, REMOTE_SPDY, pod_target_path(s, &pod, "portforward"), &ops, &f);
        loop_run(f.loop);
        while (!list_empty(&f.links))
            link_free(list_first(&f.links, struct link, node));
        remote_free(f.remote);
        spdy_free(f.spdy);
        *why = f.failure;
        r = f.failed ? -why->err.code : 0;
    }
    for (size_t i = 0; i < f.listeners.len; i++) {
        close(f.listeners.p[i]->io.fd);
        free(f.listeners.p[i]);
    }
    vec_fini(&f.listeners);
    strbuf_fini(&f.frame);
    if (conf)
        https_conf_unref(conf);
    loop_free(f.loop);
    return r;
}

static int run_forward(struct cli_args *a)
{
    return session_run(a, forward);
}

static const struct cli_option options[] = {
    {"address", 0, CLI_STRING, "ADDRESS,...", "localhost", "Addresses of this machine to listen on.", NULL},
    POD_TARGET_OPTION_TIMEOUT,
    {0},
};

const struct cli_verb verb_port_forward = {
    .name = "port-forward",
    .summary = "Reach ports of a pod from this machine.",
    .usage = "(POD | TYPE/NAME) [LOCAL:]REMOTE ...",
    .help = "Runs until it is interrupted. LOCAL may be left out (the same number) or empty (any free port).",
    .examples = "  cox port-forward web-1 8080:80\n  cox port-forward svc/web :http --address 0.0.0.0",
    .options = options,
    .run = run_forward,
    .is_client = true,
};
