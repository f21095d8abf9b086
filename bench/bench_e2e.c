/* bench_e2e.c - the whole system's figures: pods from the client's request to where they end up.
 *
 *   build/bench-e2e --list | --workload NAME[,NAME...] | --json | --pods N | --nodes N | --connections N
 * Every workload starts a server of its own (COX=build/cox) in a temporary folder.  Clients are processes of their own and share the machine's cores with it:
 *
 *   creator processes ── POST over TLS ──► cox server (API, store, controllers, scheduler) ── watch over TLS ──► this process: when was which pod bound?
 * Peers: kube-apiserver 1.26.3 + etcd 3.4.23 + kube-scheduler 1.26.3, and Gödel on the same API server, on the same kind of machine (2 cores), see bench/README.md. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/vec.h"
#include "bench/lib/creator.h"
#include "bench/lib/report.h"
#include "bench/lib/target.h"

#define PODS "/api/v1/namespaces/default/pods"
#define NODE_CPU 32
#define NODE_MEMORY "256Gi"
#define NODE_PODS 110
#define PEER_KUBERNETES 152.0 /* pods/s, create to bound */
#define PEER_GODEL 45.0
#define PEER_CPU_US 12500.0 /* a pod, of the three programs */

static uint64_t pods = 200000, nodes = 5000;
static uint64_t connections = 256; /* of a creator */

static void must(int r, const struct err *err)
{
    if (r < 0) {
        fprintf(stderr, "error: %s\n", err->msg);
        exit(1);
    }
}

static double seconds_since(nsec_t from)
{
    return (double)(clock_mono(&clock_real) - from) / 1e9;
}

/* --- objects -------------------------------------------------------------------------------------------------------------------------- */

static void pods_path(struct strbuf *b, uint64_t n UNUSED)
{
    strbuf_add_str(b, S(PODS));
}

/* The peers' pod: 100m, 500Mi. */
static void pod_body(struct strbuf *b, uint64_t n)
{
    strbuf_addf(b,
                "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"pod-%llu\",\"labels\":{\"app\":\"bench\"}},\"spec\":{\"automountServiceAccountToken\":false,"
                "\"containers\":[{\"name\":\"c\",\"image\":\"registry/app:v1\",\"resources\":{\"requests\":{\"cpu\":\"100m\",\"memory\":\"500Mi\"}}}]}}",
                (unsigned long long)n);
}

static void nodes_path(struct strbuf *b, uint64_t n UNUSED)
{
    strbuf_add_str(b, S("/api/v1/nodes"));
}

static void node_body(struct strbuf *b, uint64_t n)
{
    strbuf_addf(b, "{\"kind\":\"Node\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"node-%llu\",\"labels\":{\"kubernetes.io/hostname\":\"node-%llu\",\"topology.kubernetes.io/zone\":\"z%llu\"}}}",
                (unsigned long long)n, (unsigned long long)n, (unsigned long long)n % 3);
}

static void node_path(struct strbuf *b, uint64_t n)
{
    strbuf_addf(b, "/api/v1/nodes/node-%llu", (unsigned long long)n);
}

static void node_status_path(struct strbuf *b, uint64_t n)
{
    node_path(b, n);
    strbuf_add_str(b, S("/status"));
}

static void node_status_body(struct strbuf *b, uint64_t n UNUSED)
{
    char amounts[100];
    snprintf(amounts, sizeof amounts, "{\"cpu\":\"%d\",\"memory\":\"%s\",\"pods\":\"%d\"}", NODE_CPU, NODE_MEMORY, NODE_PODS);
    strbuf_addf(b, "{\"status\":{\"capacity\":%s,\"allocatable\":%s,\"conditions\":[{\"type\":\"Ready\",\"status\":\"True\",\"reason\":\"Bench\",\"message\":\"\"}]}}", amounts, amounts);
}

/* Admission marks a new node as not ready; nothing else would take that away here. */
static void node_untaint_body(struct strbuf *b, uint64_t n UNUSED)
{
    strbuf_add_str(b, S("{\"spec\":{\"taints\":null}}"));
}

static void make_nodes(const struct target *t)
{
    static const struct {
        const char *method;
        void (*path)(struct strbuf *b, uint64_t n);
        void (*body)(struct strbuf *b, uint64_t n);
    } steps[] = {{"POST", nodes_path, node_body}, {"PATCH", node_status_path, node_status_body}, {"PATCH", node_path, node_untaint_body}};
    struct creator_shared *s = creator_shared_new();
    atomic_store(&s->start, 1);
    for (size_t i = 0; i < ARRAY_LEN(steps); i++) {
        struct creator c = {.shared = s, .end = nodes, .step = 1, .connections = 32, .method = steps[i].method, .path = steps[i].path, .body = steps[i].body};
        creator_run(t, &c);
    }
    munmap(s, sizeof *s);
}

/* --- the watcher --------------------------------------------------------------------------------------------------------------------- */

struct watcher {
    struct load *load;
    bool open;
    uint64_t wanted, seen, twice, wrong;
    uint64_t revision;      /* of the last event */
    uint64_t resumed;
    uint64_t running;       /* that nodes on paper report */
    nsec_t *running_at;     /* NULL: only bound counts, and a pod is told of once */
    nsec_t last_bound;
    nsec_t *bound_at;       /* by number of the pod; 0: not yet */
    uint32_t *on_node;      /* pods, by number of the node */
    struct strbuf line;
};

/* Of those that have a node, from now on: one event a pod. */
static bool watch_next(void *arg, struct load_conn *c UNUSED, struct strbuf *out)
{
    const struct watcher *w = arg;
    char path[200];
    snprintf(path, sizeof path, PODS "?watch=true&fieldSelector=spec.nodeName!%%3D%s", w->revision ? "&resourceVersion=" : "");
    if (w->revision)
        snprintf(path + strlen(path), sizeof path - strlen(path), "%llu", (unsigned long long)w->revision);
    load_request(out, "GET", str_of(path), S(""));
    return true;
}

/* A reader that falls behind loses its watch and goes on where it was, as every client does. */
static void watch_answer(void *arg, struct load_conn *c UNUSED, int status, str body UNUSED, nsec_t took UNUSED)
{
    struct watcher *w = arg;
    w->resumed++;
    if (status == 200 && w->revision)
        return;
    fprintf(stderr, "the watch ended with %d\n", status);
    exit(1);
}

static void watch_opened(void *arg, struct load_conn *c UNUSED)
{
    struct watcher *w = arg;
    w->open = true;
    load_stop(w->load);
}

/* The number behind the text, or UINT64_MAX. */
static uint64_t number_after(str line, str text)
{
    ptrdiff_t at = str_find(line, text);
    uint64_t n = 0;
    if (at < 0)
        return UINT64_MAX;
    for (size_t i = (size_t)at + text.len; i < line.len && line.p[i] >= '0' && line.p[i] <= '9'; i++)
        n = n * 10 + (uint64_t)(line.p[i] - '0');
    return n;
}

static void watch_line(struct watcher *w, str line, nsec_t now)
{
    uint64_t pod = number_after(line, S("\"name\":\"pod-")), node = number_after(line, S("\"nodeName\":\"node-"));
    if (pod >= w->wanted || node >= nodes) {
        if (w->wrong++ == 0)
            fprintf(stderr, "not understood: " STR_FMT "\n", STR_ARG(str_sub(line, 0, 4000)));
        return;
    }
    w->revision = number_after(line, S("\"resourceVersion\":\""));
    bool first = w->bound_at[pod] == 0;
    if (!first && !w->running_at) {
        w->twice++;
        return;
    }
    if (first) {
        w->bound_at[pod] = w->last_bound = now;
        w->on_node[node]++;
        w->seen++;
    }
    if (w->running_at && !w->running_at[pod] && str_find(line, S("\"phase\":\"Running\"")) >= 0) {
        w->running_at[pod] = now;
        w->running++;
    }
    if (w->seen == w->wanted && (!w->running_at || w->running == w->wanted))
        load_stop(w->load);
}

static void watch_bytes(void *arg, struct load_conn *c UNUSED, str bytes)
{
    struct watcher *w = arg;
    nsec_t now = clock_mono(&clock_real);
    const char *end;
    while ((end = memchr(bytes.p, '\n', bytes.len))) {
        str line = str_n(bytes.p, (size_t)(end - bytes.p));
        bytes = str_from(bytes, line.len + 1);
        if (w->line.len) {
            strbuf_add_str(&w->line, line);
            line = strbuf_str(&w->line);
        }
        watch_line(w, line, now);
        strbuf_clear(&w->line);
    }
    strbuf_add_str(&w->line, bytes);
}

static void watcher_open(struct watcher *w, const struct target *t, uint64_t wanted)
{
    static const struct load_ops ops = {.next = watch_next, .answer = watch_answer, .bytes = watch_bytes, .opened = watch_opened};
    *w = (struct watcher){.wanted = wanted, .bound_at = xarray(wanted, nsec_t), .on_node = xarray(nodes, uint32_t)};
    w->load = load_new(t, &ops, w);
    load_open(w->load, 1, 1);
    load_run(w->load, 10 * NSEC_PER_SEC);
    if (!w->open) {
        fprintf(stderr, "error: the watch was not opened\n");
        exit(1);
    }
}

/* Until all are bound, or nothing has come for 30 s. */
static void watcher_run(struct watcher *w)
{
    uint64_t before, wanted = w->running_at ? 2 * w->wanted : w->wanted;
    do {
        before = w->seen + w->running;
        load_run(w->load, 30 * NSEC_PER_SEC);
    } while (w->seen + w->running < wanted && w->seen + w->running > before);
    uint32_t most = 0;
    for (uint64_t i = 0; i < nodes; i++)
        most = MAX(most, w->on_node[i]);
    if (w->seen < w->wanted || w->twice || w->wrong || (most > NODE_PODS && !w->running_at))
        printf("  WRONG: %llu of %llu pods were bound, %llu told twice, %llu not understood, %u on one node\n", (unsigned long long)w->seen, (unsigned long long)w->wanted,
               (unsigned long long)w->twice, (unsigned long long)w->wrong, most);
}

static void watcher_close(struct watcher *w)
{
    load_free(w->load);
    free(w->bound_at);
    free(w->running_at);
    free(w->on_node);
    strbuf_fini(&w->line);
}

/* --- create to bound ------------------------------------------------------------------------------------------------------------------ */

struct outcome {
    double took_s, server_cpu_s, clients_cpu_s, syncs, sync_s;
    nsec_t start;
};

static double children_cpu_s(void)
{
    struct rusage own, children;
    getrusage(RUSAGE_SELF, &own);
    getrusage(RUSAGE_CHILDREN, &children);
    struct timeval all[] = {own.ru_utime, own.ru_stime, children.ru_utime, children.ru_stime};
    double sum = 0;
    for (size_t i = 0; i < ARRAY_LEN(all); i++)
        sum += (double)all[i].tv_sec + (double)all[i].tv_usec / 1e6;
    return sum;
}

static void create_bound(struct target *t, struct watcher *w, uint64_t count, double rate, bool until_running, struct outcome *ret)
{
    struct creator_shared *s = creator_shared_new();
    pid_t pids[CREATORS];
    struct creator like = {.end = count, .interval = rate > 0 ? (nsec_t)(1e9 / rate) : 0, .connections = connections, .method = "POST", .path = pods_path,
                           .body = pod_body};
    watcher_open(w, t, count);
    w->running_at = until_running ? xarray(count, nsec_t) : NULL;
    double clients = children_cpu_s();
    creators_start(t, &like, s, pids);
    double cpu = target_cpu_s(t), syncs = load_get_metric(t, "cox_store_fsyncs_total"), sync_s = load_get_metric(t, "cox_store_fsync_seconds_total");
    ret->start = clock_mono(&clock_real) + 10 * NSEC_PER_MSEC;
    atomic_store(&s->start, ret->start);
    watcher_run(w);
    ret->took_s = seconds_since(ret->start);
    ret->server_cpu_s = target_cpu_s(t) - cpu;
    ret->syncs = load_get_metric(t, "cox_store_fsyncs_total") - syncs;
    ret->sync_s = load_get_metric(t, "cox_store_fsync_seconds_total") - sync_s;
    creators_end(pids);
    ret->clients_cpu_s = children_cpu_s() - clients;
    if (atomic_load(&s->failed))
        printf("  WRONG: %llu requests failed\n", (unsigned long long)atomic_load(&s->failed));
    munmap(s, sizeof *s);
}

static void start(struct target *t)
{
    struct err err;
    must(target_start_with(t, "", "--scheduler=true", &err), &err);
    make_nodes(t);
    sleep(2); /* until everybody has heard of the nodes */
}

static void finish(struct target *t)
{
    target_stop(t);
    target_remove(t);
}

/* What the disk did meanwhile: on a shared machine it decides more than anything else. */
static void report_syncs(const char *name, const struct outcome *o)
{
    report(name, "syncs of the log", o->syncs / o->took_s, "/s", 0, 0, REPORT_MORE);
    report(name, "mean time of one", o->sync_s / MAX(o->syncs, 1.0) * 1e3, "ms", 0, 0, REPORT_LESS);
}

static void bench_create_bound(void)
{
    struct target t;
    struct watcher w;
    struct outcome o;
    start(&t);
    create_bound(&t, &w, pods, 0, false, &o);
    double n = (double)pods;
    report("create-bound", "pods created and bound, sustained", n / o.took_s, "/s", PEER_KUBERNETES, 15000, REPORT_MORE);
    report("create-bound", "the same; peer: Gödel", n / o.took_s, "/s", PEER_GODEL, 0, REPORT_MORE);
    report("create-bound", "server CPU a pod", o.server_cpu_s / n * 1e6, "us", PEER_CPU_US, 0, REPORT_LESS);
    report("create-bound", "clients' CPU a pod", o.clients_cpu_s / n * 1e6, "us", 0, 0, REPORT_LESS);
    report_syncs("create-bound", &o);
    report("create-bound", "server memory with them", (double)target_rss(&t) / 1e6, "MB", 0, 0, REPORT_LESS);
    watcher_close(&w);
    finish(&t);
}

/* The longest latency of each tenth of a second, for those who look for its cause. */
static void print_slices(const struct watcher *w, const struct outcome *o, double rate, uint64_t count)
{
    nsec_t worst = 0;
    uint64_t step = (uint64_t)(rate / 10);
    for (uint64_t i = 0; i < count; i++) {
        worst = MAX(worst, w->bound_at[i] - (o->start + (nsec_t)i * (nsec_t)(1e9 / rate)));
        if (i % step == step - 1) {
            printf(" %lld", (long long)(worst / NSEC_PER_MSEC));
            worst = 0;
        }
    }
    printf("\n");
}

/* Open loop: pod n is due at start + n / rate, and its latency counts from then, whether its request could leave or not. */
static void bench_latency(void)
{
    const double rate = 7500;
    struct target t;
    struct watcher w;
    struct outcome o;
    struct latencies lat = {0};
    uint64_t count = MIN(pods, (uint64_t)rate * 15);
    start(&t);
    create_bound(&t, &w, count, rate, false, &o);
    for (uint64_t i = 0; i < count; i++)
        if (w.bound_at[i])
            latency_add(&lat, w.bound_at[i] - (o.start + (nsec_t)i * (nsec_t)(1e9 / rate)));
    if (getenv("BENCH_SLICES"))
        print_slices(&w, &o, rate, count);
    report("bound-latency", "create to bound at 7,500 pods/s, p50", latency_quantile(&lat, 0.5) / 1e6, "ms", 0, 0, REPORT_LESS);
    report("bound-latency", "the same, p99", latency_quantile(&lat, 0.99) / 1e6, "ms", 0, 50, REPORT_LESS);
    report("bound-latency", "the same, p99.9", latency_quantile(&lat, 0.999) / 1e6, "ms", 0, 0, REPORT_LESS);
    report("bound-latency", "rate that was held", (double)count / o.took_s, "/s", 0, 0, REPORT_MORE);
    report("bound-latency", "server CPU a pod", o.server_cpu_s / (double)count * 1e6, "us", PEER_CPU_US, 0, REPORT_LESS);
    report_syncs("bound-latency", &o);
    latency_fini(&lat);
    watcher_close(&w);
    finish(&t);
}

/* --- nodes on paper -------------------------------------------------------------------------------------------------------------------- */

#define MILLION_NODES 20000
#define MILLION_PODS 1000000

static const char *program(void)
{
    return getenv("COX") ? getenv("COX") : "build/cox";
}

static pid_t simulate(const struct target *t, uint64_t count)
{
    char kubeconfig[300], number[24];
    snprintf(kubeconfig, sizeof kubeconfig, "%s/kubeconfig", t->dir);
    snprintf(number, sizeof number, "%llu", (unsigned long long)count);
    pid_t pid = fork();
    if (pid == 0) {
        int null = open("/dev/null", O_WRONLY);
        dup2(null, 1);
        execl(program(), "cox", "agent", "--kubeconfig", kubeconfig, "--simulate", number, "--simulate-prefix", "node-", "--log-level", "error", (char *)NULL);
        _exit(127);
    }
    return pid;
}

static void wait_for_nodes(const struct target *t, uint64_t count)
{
    char command[600];
    uint64_t ready = 0;
    snprintf(command, sizeof command, "%s get nodes --kubeconfig %s/kubeconfig --no-headers 2>/dev/null | grep -c ' Ready '", program(), t->dir);
    for (int i = 0; i < 120 && ready < count; i++) {
        char line[32] = "";
        FILE *f = popen(command, "r");
        if (f && fgets(line, sizeof line, f))
            str_to_u64(str_trim(str_of(line)), &ready);
        if (f)
            pclose(f);
        if (ready < count)
            sleep(1);
    }
    if (ready < count) {
        fprintf(stderr, "error: %llu of %llu simulated nodes are ready\n", (unsigned long long)ready, (unsigned long long)count);
        exit(1);
    }
}

/* Everything at once: created by clients, bound by the scheduler, reported Running by the program that plays the nodes. */
static void bench_million(void)
{
    struct target t;
    struct watcher w;
    struct outcome o;
    struct err err;
    uint64_t count = pods == 200000 ? MILLION_PODS : pods;
    nodes = nodes == 5000 ? MILLION_NODES : nodes;
    must(target_start_with(&t, "", "--scheduler=true", &err), &err);
    nsec_t began = clock_mono(&clock_real);
    pid_t sim = simulate(&t, nodes);
    wait_for_nodes(&t, nodes);
    report("million", "simulated nodes registered and ready", seconds_since(began), "s", 0, 0, REPORT_LESS);
    sleep(2);
    create_bound(&t, &w, count, 0, true, &o);
    double n = (double)count;
    report("million", "pods created and bound", n / ((double)(w.last_bound - o.start) / 1e9), "/s", PEER_KUBERNETES, 5000, REPORT_MORE);
    report("million", "and reported Running", (double)w.running / o.took_s, "/s", 0, 5000, REPORT_MORE);
    report("million", "the whole", o.took_s, "s", 0, 0, REPORT_LESS);
    report("million", "server CPU a pod", o.server_cpu_s / n * 1e6, "us", 0, 0, REPORT_LESS);
    report("million", "server memory", (double)target_rss(&t) / 1e9, "GB", 0, 3, REPORT_LESS);
    kill(sim, SIGTERM);
    waitpid(sim, NULL, 0);
    watcher_close(&w);
    finish(&t);
}

static const struct report_workload workloads[] = {
    {"million", "1,000,000 pods on 20,000 simulated nodes: created, bound, Running", bench_million},
    {"create-bound", "200,000 pods on 5,000 nodes, as fast as they go", bench_create_bound},
    {"bound-latency", "time from create to bound at half that load", bench_latency},
    {0},
};

static void read_number(int argc, char **argv, const char *name, uint64_t *ret)
{
    for (int i = 1; i + 1 < argc; i++) {
        uint64_t n;
        if (strcmp(argv[i], name) == 0 && str_to_u64(str_of(argv[i + 1]), &n) && n)
            *ret = n;
    }
}

int main(int argc, char **argv)
{
    signal(SIGPIPE, SIG_IGN);
    read_number(argc, argv, "--pods", &pods);
    read_number(argc, argv, "--nodes", &nodes);
    read_number(argc, argv, "--connections", &connections);
    return report_main(argc, argv, workloads);
}
