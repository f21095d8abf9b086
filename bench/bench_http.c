/* SPDX-License-Identifier: Apache-2.0 */
/* bench-http - the HTTP server alone: a fixed 1.2 KB answer, long lists and idle watches, over TLS.
 *
 *     bench-http --list                    the workloads
 *     bench-http --workload get-h1 [--json] [--seconds 5] [--loops 2]
 *     bench-http --serve [--port 0]        only the server; prints the commands that drive it
 * The server runs in a process of its own; the load comes from wrk and h2load on the same cores, idle watches from a client in here. */
#include <errno.h>
#include <getopt.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/log.h"
#include "http/server.h"
#include "rt/net.h"
#include "rt/thread.h"

#define ITEM_BYTES 1200
#define LIST_ITEMS 17000 /* 20 MB */
#define MAX_LOOPS 16

static struct http_buf *item;
static struct http_buf **list_bufs;

static void handle(void *arg UNUSED, struct http_request *req)
{
    struct http_response res = {.status = 200, .content_type = S("application/json")};
    if (str_eq(req->path, S("/list"))) {
        res.bufs = list_bufs;
        res.nbufs = LIST_ITEMS;
    } else if (str_eq(req->path, S("/watch"))) {
        req->on_gone = http_abort;
        http_stream_start(req, &res);
        http_request_shrink(req);
        return;
    } else {
        res.body = str_n(item->data, item->len);
    }
    http_respond(req, &res);
}

static struct http_buf *item_make(void)
{
    struct http_buf *b = http_buf_alloc(ITEM_BYTES);
    memset(b->data, 'x', ITEM_BYTES);
    int n = snprintf(b->data, ITEM_BYTES, "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"p\"},\"data\":\"");
    b->data[n] = 'x';
    memcpy(b->data + ITEM_BYTES - 2, "\"}", 2);
    return b;
}

/* --- the server ------------------------------------------------------------------------------------------------ */

static int cert_make(struct tls_server **ret, struct err *err)
{
    static const char *const names[] = {"localhost", NULL}, *const ips[] = {"127.0.0.1", NULL};
    nsec_t now = clock_wall(&clock_real);
    struct tls_cert_request req = {.common_name = "bench", .dns_names = names, .ip_addresses = ips, .is_ca = true, .for_server = true,
                                   .not_before = now - 3600 * NSEC_PER_SEC, .not_after = now + 86400 * NSEC_PER_SEC};
    char *cert CLEANUP(free) = NULL;
    char *key CLEANUP(free) = NULL;
    int r = tls_cert_make(&req, NULL, NULL, &cert, &key, err);
    return r < 0 ? r : tls_server_new(cert, key, NULL, ret, err);
}

static void run_loop(void *arg)
{
    loop_run(arg);
}

static int serve(int nloops, uint16_t port, int port_fd)
{
    struct err err;
    struct loop *loops[MAX_LOOPS];
    struct thread threads[MAX_LOOPS];
    struct tls_server *tls;
    struct http_server *server;
    signal(SIGPIPE, SIG_IGN);
    net_fd_limit_raise(65536);
    item = item_make();
    list_bufs = xarray(LIST_ITEMS, struct http_buf *);
    for (int i = 0; i < LIST_ITEMS; i++)
        list_bufs[i] = item_make();
    int r = cert_make(&tls, &err);
    for (int i = 0; r == 0 && i < nloops; i++) {
        loops[i] = loop_new("io", &clock_real, &err);
        r = loops[i] ? 0 : -err.code;
    }
    struct http_server_opts opts = {.name = "bench", .loops = loops, .nloops = (size_t)nloops, .tls = tls, .handler = handle, .max_streams = 16384,
                                    .max_connections = 65536};
    char addr[32];
    snprintf(addr, sizeof addr, "127.0.0.1:%u", port);
    if (r == 0)
        r = http_server_new(&opts, &server, &err);
    if (r == 0)
        r = http_server_listen_tls(server, addr, &port, &err);
    for (int i = 1; r == 0 && i < nloops; i++)
        r = thread_start(&threads[i], "io", run_loop, loops[i], &err);
    if (r < 0) {
        fprintf(stderr, "bench-http: %s\n", err.msg);
        return 1;
    }
    if (port_fd >= 0 && write(port_fd, &port, sizeof port) != sizeof port)
        return 1;
    if (port_fd < 0) {
        printf("wrk -t1 -c64 -d5 https://127.0.0.1:%u/\nh2load -t1 -c8 -m32 -D5 https://127.0.0.1:%u/\n", port, port);
        fflush(stdout);
    }
    loop_run(loops[0]);
    return 0;
}

/* --- numbers of the server's process -------------------------------------------------------------------------------- */

static double proc_cpu_seconds(pid_t pid)
{
    char path[64], text[1024];
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *f = fopen(path, "r");
    if (!f)
        return 0;
    size_t n = fread(text, 1, sizeof text - 1, f);
    fclose(f);
    text[n] = 0;
    const char *p = strrchr(text, ')');
    unsigned long user = 0, sys = 0;
    if (!p || sscanf(p + 2, "%*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user, &sys) != 2)
        return 0;
    return (double)(user + sys) / (double)sysconf(_SC_CLK_TCK);
}

static double proc_rss_bytes(pid_t pid)
{
    char path[64];
    unsigned long pages = 0;
    snprintf(path, sizeof path, "/proc/%d/statm", (int)pid);
    FILE *f = fopen(path, "r");
    if (!f)
        return 0;
    if (fscanf(f, "%*u %lu", &pages) != 1)
        pages = 0;
    fclose(f);
    return (double)pages * (double)sysconf(_SC_PAGESIZE);
}

/* --- workloads --------------------------------------------------------------------------------------------------------- */

struct result {
    double rate, cpu_us, mb_s, bytes_each;
    char latency[64];
};

/* Reads what the load generator prints: "Requests/sec: 1234" of wrk, "finished in 5.00s, 1234.56 req/s" of h2load. */
static void parse_line(const char *line, struct result *r)
{
    double v;
    const char *p;
    if (sscanf(line, "Requests/sec: %lf", &v) == 1)
        r->rate = v;
    if (strncmp(line, "finished in", 11) == 0 && (p = strchr(line, ',')) && sscanf(p, ", %lf req/s", &v) == 1)
        r->rate = v;
    if ((p = strstr(line, "99%")) && sscanf(p, "99%% %63s", r->latency) != 1)
        r->latency[0] = 0;
}

static int drive(const char *command, pid_t server, struct result *r)
{
    double before = proc_cpu_seconds(server);
    FILE *f = popen(command, "r");
    if (!f)
        return -1;
    char line[512];
    while (fgets(line, sizeof line, f))
        parse_line(line, r);
    int status = pclose(f);
    r->cpu_us = proc_cpu_seconds(server) - before;
    return status == 0 && r->rate > 0 ? 0 : -1;
}

struct workload {
    const char *name, *what, *path;
    const char *tool; /* printf: seconds, port */
    double bytes;     /* of one answer's body */
    int watches, connections;
    bool h2;
};

static const struct workload workloads[] = {
    {.name = "get-h1", .what = "GET 1.2 KB, HTTP/1.1 keep-alive, 64 connections", .bytes = ITEM_BYTES,
     .tool = "wrk -t1 -c64 -d%d --latency https://127.0.0.1:%u/ 2>&1"},
    {.name = "get-h2", .what = "GET 1.2 KB, HTTP/2, 8 connections with 32 streams", .bytes = ITEM_BYTES,
     .tool = "h2load -t1 -c8 -m32 -D%d https://127.0.0.1:%u/ 2>&1"},
    {.name = "list-h1", .what = "GET 20 MB in 17,000 pieces, HTTP/1.1, 2 connections", .bytes = (double)ITEM_BYTES * LIST_ITEMS,
     .tool = "wrk -t1 -c2 -d%d --latency --timeout 30 https://127.0.0.1:%u/list 2>&1"},
    {.name = "list-h2", .what = "GET 20 MB in 17,000 pieces, HTTP/2, 2 connections", .bytes = (double)ITEM_BYTES * LIST_ITEMS,
     .tool = "h2load -t1 -c2 -m1 -w24 -W24 -D%d https://127.0.0.1:%u/list 2>&1"},
    {.name = "watch-h1", .what = "1,000 idle watches, a TLS connection each: bytes of server memory each", .watches = 1, .connections = 1000},
    {.name = "watch-h2", .what = "10,000 idle watches on 4 HTTP/2 connections: bytes of server memory each", .watches = 2500, .connections = 4, .h2 = true},
};

/* Frames by hand: a GET of /watch whose header block uses the static table only. */
static size_t h2_watch_request(char *out, uint32_t id)
{
    static const char block[] = "\x82\x87\x04\x06/watch\x41\x01h";
    const size_t len = sizeof block - 1;
    const char head[9] = {0, 0, (char)len, 1, 5, (char)(id >> 24), (char)(id >> 16), (char)(id >> 8), (char)id};
    memcpy(out, head, 9);
    memcpy(out + 9, block, len);
    return 9 + len;
}

static int tls_send_all(struct tls_session *t, int fd, str bytes)
{
    while (bytes.len) {
        size_t n;
        enum tls_io io = tls_write(t, bytes.p, bytes.len, &n);
        if (io == TLS_IO_OK)
            bytes = str_from(bytes, n);
        else if (io == TLS_IO_WANT_WRITE || io == TLS_IO_WANT_READ)
            net_wait(fd, io == TLS_IO_WANT_WRITE ? POLLOUT : POLLIN, NSEC_PER_SEC);
        else
            return -1;
    }
    return 0;
}

/* Reads until nothing came for a while. */
static void tls_drain(struct tls_session *t, int fd, nsec_t quiet)
{
    char buf[16384];
    size_t n;
    while (tls_read(t, buf, sizeof buf, &n) == TLS_IO_OK || net_wait(fd, POLLIN, quiet))
        ;
}

static struct tls_session *watch_connect(struct tls_client *client, uint16_t port, bool h2, int *ret_fd)
{
    struct err err;
    struct net_addr addr = {.host = "127.0.0.1", .port = port};
    int fd;
    if (net_connect_tcp(&addr, 5 * NSEC_PER_SEC, &fd, &err) < 0)
        return NULL;
    struct tls_session *t = tls_connect(client, fd, "localhost", h2 ? "h2" : "http/1.1");
    enum tls_io io;
    while ((io = tls_handshake(t)) == TLS_IO_WANT_READ || io == TLS_IO_WANT_WRITE)
        net_wait(fd, io == TLS_IO_WANT_WRITE ? POLLOUT : POLLIN, NSEC_PER_SEC);
    *ret_fd = fd;
    return io == TLS_IO_OK ? t : NULL;
}

static int watch_open(struct tls_client *client, uint16_t port, const struct workload *w)
{
    int fd;
    struct tls_session *t = watch_connect(client, port, w->h2, &fd);
    if (!t)
        return -1;
    STRBUF_AUTO out = STRBUF_HEAP;
    if (!w->h2) {
        strbuf_addf(&out, "GET /watch HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer 0123456789012345678901234567890123456789\r\n\r\n");
    } else {
        strbuf_add(&out, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0", 33);
        for (int i = 0; i < w->watches; i++) {
            char frame[64];
            strbuf_add(&out, frame, h2_watch_request(frame, 1 + 2 * (uint32_t)i));
        }
    }
    if (tls_send_all(t, fd, strbuf_str(&out)) < 0)
        return -1;
    tls_drain(t, fd, w->h2 ? 300 * NSEC_PER_MSEC : 0);
    return 0; /* connections stay open until the process ends */
}

static int watch_run(const struct workload *w, uint16_t port, pid_t server, struct result *r)
{
    struct err err;
    struct tls_client *client;
    net_fd_limit_raise(65536);
    if (tls_client_new(NULL, NULL, NULL, true, &client, &err) < 0)
        return -1;
    struct workload warm = *w; /* code and pools are paid for before the measurement */
    warm.watches = 1;
    for (int i = 0; i < 8; i++) {
        if (watch_open(client, port, &warm) < 0)
            return -1;
    }
    double before = proc_rss_bytes(server);
    for (int i = 0; i < w->connections; i++) {
        if (watch_open(client, port, w) < 0)
            return -1;
    }
    usleep(300000);
    r->bytes_each = (proc_rss_bytes(server) - before) / (double)(w->connections * w->watches);
    return 0;
}

static void report(const struct workload *w, const struct result *r, int seconds, bool json)
{
    double requests = r->rate * seconds, mb_s = r->rate * w->bytes / 1e6;
    double cpu_us = requests > 0 ? r->cpu_us / requests * 1e6 : 0;
    if (json && w->watches)
        printf("{\"workload\":\"%s\",\"bytes_each\":%.0f}\n", w->name, r->bytes_each);
    else if (json)
        printf("{\"workload\":\"%s\",\"requests_per_s\":%.0f,\"body_mb_per_s\":%.1f,\"server_cpu_us\":%.2f,\"p99\":\"%s\"}\n", w->name, r->rate, mb_s,
               cpu_us, r->latency);
    else if (w->watches)
        printf("%-9s %8.0f bytes each\n", w->name, r->bytes_each);
    else
        printf("%-9s %8.0f req/s  %7.1f MB/s  server CPU %8.2f us/req  p99 %s\n", w->name, r->rate, mb_s, cpu_us, r->latency);
}

static int run(const struct workload *w, int seconds, int nloops, bool json)
{
    int pipe_fds[2];
    uint16_t port = 0;
    if (pipe(pipe_fds) < 0)
        return 1;
    pid_t server = fork();
    if (server == 0)
        _exit(serve(nloops, 0, pipe_fds[1]));
    close(pipe_fds[1]);
    bool up = read(pipe_fds[0], &port, sizeof port) == sizeof port;
    struct result r = {0};
    int failed = -1;
    if (up && w->watches) {
        failed = watch_run(w, port, server, &r);
    } else if (up) {
        char command[256];
        snprintf(command, sizeof command, w->tool, seconds, port);
        failed = drive(command, server, &r);
    }
    kill(server, SIGKILL);
    waitpid(server, NULL, 0);
    if (failed)
        fprintf(stderr, "bench-http: %s failed (wrk and h2load must be installed)\n", w->name);
    else
        report(w, &r, seconds, json);
    return failed != 0;
}

static int run_named(const char *name, int seconds, int nloops, bool json)
{
    int failed = 0, found = 0;
    for (size_t i = 0; i < ARRAY_LEN(workloads); i++) {
        if (strcmp(name, "all") != 0 && strcmp(name, workloads[i].name) != 0)
            continue;
        found++;
        failed |= run(&workloads[i], seconds, nloops, json);
    }
    if (!found)
        fprintf(stderr, "bench-http: no workload \"%s\"; --list shows them\n", name);
    return failed || !found;
}

int main(int argc, char **argv)
{
    static const struct option options[] = {{"list", 0, NULL, 'l'}, {"workload", 1, NULL, 'w'}, {"json", 0, NULL, 'j'}, {"serve", 0, NULL, 's'},
                                            {"port", 1, NULL, 'p'}, {"seconds", 1, NULL, 'd'},  {"loops", 1, NULL, 'n'}, {0}};
    const char *workload = "all";
    bool json = false, only_serve = false;
    uint64_t port = 0, seconds = 5, nloops = 2;
    for (int o; (o = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        bool ok = true;
        if (o == 'l') {
            for (size_t i = 0; i < ARRAY_LEN(workloads); i++)
                printf("%-9s %s\n", workloads[i].name, workloads[i].what);
            return 0;
        }
        if (o == 'w')
            workload = optarg;
        json |= o == 'j';
        only_serve |= o == 's';
        if (o == 'p')
            ok = str_to_u64(str_of(optarg), &port) && port < 65536;
        if (o == 'd')
            ok = str_to_u64(str_of(optarg), &seconds) && seconds > 0;
        if (o == 'n')
            ok = str_to_u64(str_of(optarg), &nloops) && nloops > 0 && nloops <= MAX_LOOPS;
        if (!ok || o == '?')
            return 2;
    }
    return only_serve ? serve((int)nloops, (uint16_t)port, -1) : run_named(workload, (int)seconds, (int)nloops, json);
}
