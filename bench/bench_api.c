/* bench_api.c - the API server's figures, each beside its peer or its limit.
 *
 *   build/bench-api --list | --workload NAME[,NAME...] | --json | --seconds N
 * Every workload starts a server of its own (COX=build/cox) in a temporary folder; load generator and server share the machine's cores.  Peers: kube-apiserver 1.26.3 with etcd 3.4.23 on the same kind of
 * machine (2 cores), see bench/README.md. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/vec.h"
#include "bench/lib/h2.h"
#include "bench/lib/load.h"
#include "bench/lib/report.h"
#include "bench/lib/target.h"

#define PODS "/api/v1/namespaces/default/pods"

static int seconds = 5;

/* --- helpers ---------------------------------------------------------------------------------------------------------------- */

static void must(int r, const struct err *err)
{
    if (r < 0) {
        fprintf(stderr, "error: %s\n", err->msg);
        exit(1);
    }
}

static void start(struct target *t)
{
    struct err err;
    must(target_start(t, "", &err), &err);
}

static void finish(struct target *t)
{
    target_stop(t);
    target_remove(t);
}

/* A pod whose stored form is about 1.2 KB: no token volume, a few labels. */
static void pod_body(struct strbuf *b, uint64_t n)
{
    strbuf_addf(b,
                "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"pod-%llu\",\"labels\":{\"app\":\"bench\"}},\"spec\":{\"automountServiceAccountToken\":false,"
                "\"containers\":[{\"name\":\"c\",\"image\":\"registry/app:v1\",\"resources\":{\"requests\":{\"cpu\":\"100m\",\"memory\":\"500Mi\"}}}]}}",
                (unsigned long long)n);
}

/* Creates pods first..first+count-1 over `conns` connections; returns the seconds it took. */
struct creator {
    struct load *load;
    uint64_t first, next, end, done, failed, bytes;
    struct latencies *lat;
    nsec_t stop_at;
};

static bool create_next(void *arg, struct load_conn *c UNUSED, struct strbuf *out)
{
    struct creator *cr = arg;
    if (cr->next >= cr->end || (cr->stop_at && clock_mono(&clock_real) >= cr->stop_at))
        return false;
    STRBUF_AUTO body = STRBUF_HEAP;
    pod_body(&body, cr->next++);
    load_request(out, "POST", S(PODS), strbuf_str(&body));
    return true;
}

static void create_answer(void *arg, struct load_conn *c UNUSED, int status, str body, nsec_t took)
{
    struct creator *cr = arg;
    cr->done++;
    cr->bytes += body.len;
    if (status != 201 && cr->failed++ == 0)
        fprintf(stderr, "create: %d " STR_FMT "\n", status, STR_ARG(str_sub(body, 0, 300)));
    if (cr->lat)
        latency_add(cr->lat, took);
    bool over = cr->first + cr->done >= cr->next && (cr->next >= cr->end || (cr->stop_at && clock_mono(&clock_real) >= cr->stop_at));
    if (over)
        load_stop(cr->load);
}

static double create_pods(const struct target *t, struct creator *cr, size_t conns)
{
    static const struct load_ops ops = {.next = create_next, .answer = create_answer};
    cr->load = load_new(t, &ops, cr);
    load_open(cr->load, conns, conns);
    nsec_t from = clock_mono(&clock_real);
    load_run(cr->load, 0);
    double took = (double)(clock_mono(&clock_real) - from) / 1e9;
    load_free(cr->load);
    return took;
}

static void fill(const struct target *t, uint64_t count)
{
    struct creator cr = {.end = count};
    create_pods(t, &cr, 64);
}

/* The same GET again and again on each connection. */
struct getter {
    struct load *load;
    const char *path;
    uint64_t done, bytes, failed;
    struct latencies lat;
};

static bool get_next(void *arg, struct load_conn *c UNUSED, struct strbuf *out)
{
    load_request(out, "GET", str_of(((struct getter *)arg)->path), S(""));
    return true;
}

static void get_answer(void *arg, struct load_conn *c UNUSED, int status, str body, nsec_t took)
{
    struct getter *g = arg;
    g->done++;
    g->bytes += body.len;
    g->failed += status != 200;
    latency_add(&g->lat, took);
}

static void get_bytes(void *arg, struct load_conn *c UNUSED, str bytes)
{
    ((struct getter *)arg)->bytes += bytes.len;
}

static double get_for(const struct target *t, struct getter *g, size_t conns, bool streamed)
{
    static const struct load_ops whole = {.next = get_next, .answer = get_answer};
    static const struct load_ops pieces = {.next = get_next, .answer = get_answer, .bytes = get_bytes};
    g->load = load_new(t, streamed ? &pieces : &whole, g);
    load_open(g->load, conns, conns);
    load_run(g->load, NSEC_PER_SEC / 2); /* warm up */
    g->done = g->bytes = g->failed = 0;
    latency_clear(&g->lat);
    nsec_t from = clock_mono(&clock_real);
    load_run(g->load, seconds * NSEC_PER_SEC);
    double took = (double)(clock_mono(&clock_real) - from) / 1e9;
    load_free(g->load);
    return took;
}

/* --- workloads ---------------------------------------------------------------------------------------------------------------- */

static void bench_start(void)
{
    double best = 1e9;
    for (int i = 0; i < 5; i++) {
        struct target t;
        start(&t);
        best = MIN(best, (double)t.ready_ns / 1e6);
        finish(&t);
    }
    report("start", "start to /readyz ok, empty folder, best of 5", best, "ms", 4100, 100, REPORT_LESS);
}

static void bench_start_full(void)
{
    struct target t;
    struct err err;
    char dir[256];
    start(&t);
    fill(&t, 100000);
    snprintf(dir, sizeof dir, "%s", t.dir);
    kill(t.pid, SIGKILL); /* the log alone must do */
    target_stop(&t);
    must(target_start(&t, dir, &err), &err);
    report("start-100k", "start to /readyz ok, 100,000 pods, after kill -9", (double)t.ready_ns / 1e6, "ms", 0, 1000, REPORT_LESS);
    target_stop(&t);
    must(target_start(&t, dir, &err), &err);
    report("start-100k", "the same after a clean stop", (double)t.ready_ns / 1e6, "ms", 0, 1000, REPORT_LESS);
    finish(&t);
}

static void bench_idle(void)
{
    struct target t;
    start(&t);
    sleep(3);
    double before = target_cpu_s(&t);
    sleep(20);
    report("idle", "resident memory", (double)target_rss(&t) / 1e6, "MB", 326, 20, REPORT_LESS);
    report("idle", "CPU of one core", (target_cpu_s(&t) - before) / 20 * 100, "%", 1.4, 0.2, REPORT_LESS);
    finish(&t);
}

static void report_gets(const char *name, const char *what, struct target *t, double peer, double limit)
{
    struct getter g = {.path = PODS "/pod-0"};
    double cpu = target_cpu_s(t), took = get_for(t, &g, 32, false);
    report(name, what, (double)g.done / took, "/s", peer, limit, REPORT_MORE);
    report(name, "p99 of it", latency_quantile(&g.lat, 0.99) / 1e6, "ms", 0, 0, REPORT_LESS);
    report(name, "server CPU a request", (target_cpu_s(t) - cpu) / (double)MAX(g.done, (uint64_t)1) * 1e6, "us", 0, 0, REPORT_LESS);
    if (g.failed)
        printf("  %llu answers were not 200\n", (unsigned long long)g.failed);
    latency_fini(&g.lat);
}

static void bench_get(void)
{
    struct target t;
    start(&t);
    fill(&t, 1);
    report_gets("get", "GET of a pod, TLS, HTTP/1.1 keep-alive, 32 connections", &t, 2170, 60000);
    finish(&t);
}

/* h2load (Debian's nghttp2-client) is the generator here. */
static double h2load_rate(const struct target *t, const char *path)
{
    char command[512], line[512];
    double rate = 0;
    snprintf(command, sizeof command, "h2load -t1 -c4 -m16 -D %d -H 'Authorization: Bearer " TARGET_TOKEN "' https://127.0.0.1:%u%s 2>&1", seconds, t->port, path);
    FILE *f = popen(command, "re");
    while (f && fgets(line, sizeof line, f)) {
        char *at = strstr(line, ", ");
        str rest = str_of(at ? at + 2 : ""), number;
        if (str_has_prefix(str_of(line), S("finished in")) && str_cut(&rest, ' ', &number))
            str_to_double(number, &rate);
    }
    if (f)
        pclose(f);
    return rate;
}

static void bench_get_h2(void)
{
    struct target t;
    start(&t);
    fill(&t, 1);
    double rate = h2load_rate(&t, PODS "/pod-0");
    if (rate == 0)
        printf("  h2load did not answer; install nghttp2-client\n");
    report("get-h2", "GET of a pod, TLS, HTTP/2, 4 connections x 16 streams", rate, "/s", 1950, 60000, REPORT_MORE);
    finish(&t);
}

static void report_posts(const char *name, struct target *t, uint64_t first)
{
    struct latencies lat = {0};
    struct creator cr = {.first = first, .next = first, .end = UINT64_MAX, .lat = &lat, .stop_at = clock_mono(&clock_real) + seconds * NSEC_PER_SEC};
    double cpu = target_cpu_s(t), took = create_pods(t, &cr, 64);
    report(name, "durable POST of a pod, 64 connections", (double)(cr.done - cr.failed) / took, "/s", 720, 15000, REPORT_MORE);
    report(name, "p99 of it", latency_quantile(&lat, 0.99) / 1e6, "ms", 595, 0, REPORT_LESS);
    report(name, "server CPU a request", (target_cpu_s(t) - cpu) / (double)MAX(cr.done, (uint64_t)1) * 1e6, "us", 4800, 0, REPORT_LESS);
    report(name, "bytes of a stored pod", (double)cr.bytes / (double)MAX(cr.done, (uint64_t)1), "B", 0, 0, REPORT_LESS);
    latency_fini(&lat);
}

static void bench_post(void)
{
    struct target t;
    start(&t);
    report_posts("post", &t, 0);
    finish(&t);
}

static void report_list(const char *name, struct target *t, const char *path, double limit)
{
    struct getter g = {.path = path};
    double took = get_for(t, &g, 2, true);
    report(name, "LIST of 10,000 pods, bytes of body", (double)g.bytes / took / 1e6, "MB/s", 23, limit, REPORT_MORE);
    report(name, "lists", (double)g.done / took, "/s", 0, 0, REPORT_MORE);
    latency_fini(&g.lat);
}

static void bench_list(void)
{
    struct target t;
    start(&t);
    fill(&t, 10000);
    report_list("list", &t, PODS, 1000);
    finish(&t);
}

/* --- watches ------------------------------------------------------------------------------------------------------------------- */

struct fanout {
    struct load *watchers, *writer;
    size_t watching;
    struct latencies lat;
    nsec_t written_at;
    size_t writes, seen;
    bool may_write;
};

static bool watch_next(void *arg UNUSED, struct load_conn *c UNUSED, struct strbuf *out)
{
    load_request(out, "GET", S("/api/v1/namespaces/default/configmaps?watch=true&resourceVersion=0&fieldSelector=metadata.name%3Dfan"), S(""));
    return true;
}

static void watch_answer(void *arg UNUSED, struct load_conn *c UNUSED, int status, str body UNUSED, nsec_t took UNUSED)
{
    fprintf(stderr, "a watch ended with %d\n", status);
}

static void watch_opened(void *arg, struct load_conn *c UNUSED)
{
    ((struct fanout *)arg)->watching++;
}

static void watch_bytes(void *arg, struct load_conn *c UNUSED, str bytes UNUSED)
{
    struct fanout *f = arg;
    if (!f->written_at)
        return;
    f->seen++;
    latency_add(&f->lat, clock_mono(&clock_real) - f->written_at);
}


static bool patch_next(void *arg, struct load_conn *c UNUSED, struct strbuf *out)
{
    struct fanout *f = arg;
    if (!f->may_write)
        return false;
    f->may_write = false;
    STRBUF_AUTO body = STRBUF_HEAP;
    strbuf_addf(&body, "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"fan\"},\"data\":{\"n\":\"%zu\"}}", f->writes++);
    bool first = f->writes == 1;
    load_request(out, first ? "POST" : "PUT", first ? S("/api/v1/namespaces/default/configmaps") : S("/api/v1/namespaces/default/configmaps/fan"), strbuf_str(&body));
    return true;
}

static void patch_answer(void *arg, struct load_conn *c UNUSED, int status, str body, nsec_t took UNUSED)
{
    struct fanout *f = arg;
    if (status >= 300)
        fprintf(stderr, "write: %d " STR_FMT "\n", status, STR_ARG(body));
    load_stop(f->writer);
}

static void write_once(struct fanout *f)
{
    f->may_write = true;
    load_kick(load_conn_at(f->writer, 0));
    load_run(f->writer, 5 * NSEC_PER_SEC);
}

static void bench_fanout(void)
{
    enum { WATCHERS = 1000, WRITES = 100 };
    static const struct load_ops watch_ops = {.next = watch_next, .answer = watch_answer, .bytes = watch_bytes, .opened = watch_opened};
    static const struct load_ops write_ops = {.next = patch_next, .answer = patch_answer};
    struct target t;
    struct fanout f = {0};
    start(&t);
    f.writer = load_new(&t, &write_ops, &f);
    load_open(f.writer, 1, 1);
    load_run(f.writer, NSEC_PER_SEC / 5);
    write_once(&f);
    f.watchers = load_new(&t, &watch_ops, &f);
    load_open(f.watchers, WATCHERS, 8);
    while (f.watching < WATCHERS && !load_errors(f.watchers))
        load_run(f.watchers, NSEC_PER_SEC / 10);
    load_run(f.watchers, NSEC_PER_SEC / 2);
    for (int i = 0; i < WRITES; i++) {
        f.seen = 0;
        f.written_at = clock_mono(&clock_real); /* before the request leaves: the figure holds the write itself */
        write_once(&f);
        for (int k = 0; k < 100 && f.seen < WATCHERS; k++)
            load_run(f.watchers, NSEC_PER_MSEC * 2);
        if (f.seen < WATCHERS)
            printf("  only %zu of %d watchers saw write %d\n", f.seen, WATCHERS, i);
    }
    report("watch-fanout", "write to its event at 1,000 watchers, p50", latency_quantile(&f.lat, 0.5) / 1e6, "ms", 0, 0, REPORT_LESS);
    report("watch-fanout", "the same, p99", latency_quantile(&f.lat, 0.99) / 1e6, "ms", 0, 20, REPORT_LESS);
    latency_fini(&f.lat);
    load_free(f.watchers);
    load_free(f.writer);
    finish(&t);
}

static void bench_idle_watches(void)
{
    static const struct load_ops watch_ops = {.next = watch_next, .answer = watch_answer, .bytes = watch_bytes, .opened = watch_opened};
    struct rlimit lim;
    struct target t;
    struct fanout f = {0};
    start(&t);
    getrlimit(RLIMIT_NOFILE, &lim);
    lim.rlim_cur = lim.rlim_max;
    setrlimit(RLIMIT_NOFILE, &lim);
    size_t count = MIN((size_t)10000, (size_t)lim.rlim_max - 200);
    double before = (double)target_rss(&t);
    f.watchers = load_new(&t, &watch_ops, &f);
    load_open(f.watchers, count, 16);
    while (f.watching < count && !load_errors(f.watchers))
        load_run(f.watchers, NSEC_PER_SEC / 10);
    load_run(f.watchers, 2 * NSEC_PER_SEC);
    report("idle-watches", "watches on TLS connections of their own", (double)f.watching, "", 0, 10000, REPORT_MORE);
    report("idle-watches", "server memory for each", ((double)target_rss(&t) - before) / (double)MAX(f.watching, (size_t)1) / 1024, "KiB", 0, 30, REPORT_LESS);
    load_free(f.watchers);
    finish(&t);
}

static void bench_idle_h2(void)
{
    struct target t;
    start(&t);
    double before = (double)target_rss(&t);
    struct h2_load *l = h2_open(&t, 5, 2000, "/api/v1/namespaces/default/configmaps?watch=true&resourceVersion=0&fieldSelector=metadata.name%3Dnone");
    size_t open = h2_run(l, 60 * NSEC_PER_SEC);
    sleep(1);
    report("idle-h2", "watches multiplexed on 5 HTTP/2 connections", (double)open, "", 0, 10000, REPORT_MORE);
    report("idle-h2", "server memory for each", ((double)target_rss(&t) - before) / (double)MAX(open, (size_t)1) / 1024, "KiB", 0, 4, REPORT_LESS);
    h2_free(l);
    finish(&t);
}

/* --- a million ------------------------------------------------------------------------------------------------------------------- */

static void bench_million(void)
{
    struct target t;
    struct err err;
    char dir[256];
    start(&t);
    struct creator cr = {.end = 1000000};
    double took = create_pods(&t, &cr, 64);
    report("million", "1,000,000 pods created", 1e6 / took, "/s", 720, 15000, REPORT_MORE);
    report("million", "server memory", (double)target_rss(&t) / 1e9, "GB", 0, 2.5, REPORT_LESS);
    report("million", "bytes of a stored pod", (double)cr.bytes / (double)MAX(cr.done, (uint64_t)1), "B", 0, 0, REPORT_LESS);
    report_gets("million", "GET of a pod among them", &t, 2170, 30000);
    report_posts("million", &t, 1000000);
    report_list("million", &t, PODS "?limit=10000", 500); /* within a factor of two of the small store */
    snprintf(dir, sizeof dir, "%s", t.dir);
    target_stop(&t);
    must(target_start(&t, dir, &err), &err);
    report("million", "start to /readyz ok with them", (double)t.ready_ns / 1e6, "ms", 0, 0, REPORT_LESS);
    report("million", "server memory after the start", (double)target_rss(&t) / 1e9, "GB", 0, 2.5, REPORT_LESS);
    finish(&t);
}

static const struct report_workload workloads[] = {
    {"start", "time to ready on an empty folder", bench_start},
    {"start-100k", "time to ready with 100,000 pods", bench_start_full},
    {"idle", "memory and CPU of an idle server", bench_idle},
    {"get", "GET of one pod over HTTP/1.1", bench_get},
    {"get-h2", "GET of one pod over HTTP/2", bench_get_h2},
    {"post", "durable POST of pods", bench_post},
    {"list", "LIST of 10,000 pods", bench_list},
    {"watch-fanout", "one write, 1,000 watchers", bench_fanout},
    {"idle-watches", "memory of 10,000 idle watches on own TLS connections", bench_idle_watches},
    {"idle-h2", "memory of 10,000 idle watches on 5 HTTP/2 connections", bench_idle_h2},
    {"million", "everything again with 1,000,000 pods", bench_million},
    {0},
};

int main(int argc, char **argv)
{
    signal(SIGPIPE, SIG_IGN);
    for (int i = 1; i + 1 < argc; i++) {
        int64_t n;
        if (strcmp(argv[i], "--seconds") == 0 && str_to_i64(str_of(argv[i + 1]), &n))
            seconds = (int)n;
    }
    return report_main(argc, argv, workloads);
}
