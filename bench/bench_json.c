/* bench_json - how fast the JSON reader and writer are, beside the C libraries that this machine has.
 *
 *     bench-json [--list] [--workload NAME] [--json] [--seconds N]
 * Peers (jansson, cJSON, yajl) are opened at run time when they are installed, and run in the same process on the same
 * bytes; each figure is the best of several rounds, which is the one least disturbed by others on the machine. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <dlfcn.h>
#include <getopt.h>

#include "base/arena.h"
#include "base/clock.h"
#include "wire/json.h"

#define PODS 1000
#define ROUNDS 5

/* --- data ---------------------------------------------------------------------------------------- */

static void add_env(struct strbuf *b, int pod)
{
    for (int i = 0; i < 11; i++)
        strbuf_addf(b, "%s{\"name\":\"SETTING_%d\",\"value\":\"value-%d-of-pod-%d with a \\\"quoted\\\" word\"}", i ? "," : "", i,
                    i, pod);
}

/* About 3.4 KB, with escapes and a few characters beyond ASCII, as real pods have. */
static void add_pod(struct strbuf *b, int pod)
{
    strbuf_addf(b,
                "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"web-%d\",\"generateName\":\"web-7c5ddbdf54-\","
                "\"namespace\":\"team-%d\",\"uid\":\"5f0c9cf6-3a55-4ac4-9d2c-%012d\",\"resourceVersion\":\"%d\","
                "\"creationTimestamp\":\"2024-05-01T12:00:00Z\",\"labels\":{\"app\":\"web\",\"app.kubernetes.io/name\":\"web\","
                "\"app.kubernetes.io/part-of\":\"shop\",\"pod-template-hash\":\"7c5ddbdf54\",\"tier\":\"frontend\"},"
                "\"annotations\":{\"checksum/config\":\"8f14e45fceea167a5a36dedd4bea2543\",\"note\":\"caf\xc3\xa9 \xe2\x82\xac\","
                "\"kubectl.kubernetes.io/last-applied-configuration\":\"{\\\"apiVersion\\\":\\\"v1\\\",\\\"kind\\\":\\\"Pod\\\","
                "\\\"metadata\\\":{\\\"name\\\":\\\"web\\\"},\\\"spec\\\":{\\\"containers\\\":[]}}\\n\"},"
                "\"ownerReferences\":[{\"apiVersion\":\"apps/v1\",\"kind\":\"ReplicaSet\",\"name\":\"web-7c5ddbdf54\","
                "\"uid\":\"0d1f7c9e-6f0c-4a3e-8c8f-8a9d5b3e2f10\",\"controller\":true,\"blockOwnerDeletion\":true}]},",
                pod, pod % 20, pod, 1000 + pod);
    strbuf_add_str(b, S("\"spec\":{\"containers\":[{\"name\":\"web\",\"image\":\"example.com/shop/web:1.2.3\",\"args\":[\"--port=8080\","
                        "\"--log-level=info\",\"--feature-gates=A=true,B=false\"],\"ports\":[{\"name\":\"http\",\"containerPort\":8080,"
                        "\"protocol\":\"TCP\"}],\"env\":["));
    add_env(b, pod);
    strbuf_add_str(b, S("],\"resources\":{\"limits\":{\"cpu\":\"500m\",\"memory\":\"512Mi\"},\"requests\":{\"cpu\":\"250m\",\"memory\":"
                        "\"256Mi\"}},\"livenessProbe\":{\"httpGet\":{\"path\":\"/healthz\",\"port\":8080,\"scheme\":\"HTTP\"},"
                        "\"initialDelaySeconds\":10,\"timeoutSeconds\":1,\"periodSeconds\":10,\"successThreshold\":1,"
                        "\"failureThreshold\":3},\"volumeMounts\":[{\"name\":\"config\",\"mountPath\":\"/etc/web\"},{\"name\":"
                        "\"kube-api-access-x7k2p\",\"readOnly\":true,\"mountPath\":\"/var/run/secrets/kubernetes.io/serviceaccount\"}],"
                        "\"terminationMessagePath\":\"/dev/termination-log\",\"terminationMessagePolicy\":\"File\","
                        "\"imagePullPolicy\":\"IfNotPresent\"}],\"volumes\":[{\"name\":\"config\",\"configMap\":{\"name\":\"web-config\","
                        "\"defaultMode\":420}}],\"restartPolicy\":\"Always\",\"terminationGracePeriodSeconds\":30,\"dnsPolicy\":"
                        "\"ClusterFirst\",\"serviceAccountName\":\"default\",\"nodeName\":\"node-17\",\"securityContext\":{},"
                        "\"schedulerName\":\"default-scheduler\",\"tolerations\":[{\"key\":\"node.kubernetes.io/not-ready\",\"operator\":"
                        "\"Exists\",\"effect\":\"NoExecute\",\"tolerationSeconds\":300}],\"priority\":0,\"enableServiceLinks\":true},"));
    strbuf_addf(b, "\"status\":{\"phase\":\"Running\",\"conditions\":[{\"type\":\"Ready\",\"status\":\"True\",\"lastProbeTime\":null,"
                   "\"lastTransitionTime\":\"2024-05-01T12:00:09Z\"},{\"type\":\"PodScheduled\",\"status\":\"True\",\"lastProbeTime\":null,"
                   "\"lastTransitionTime\":\"2024-05-01T12:00:01Z\"}],\"hostIP\":\"10.0.0.17\",\"podIP\":\"10.244.%d.%d\",\"startTime\":"
                   "\"2024-05-01T12:00:01Z\",\"containerStatuses\":[{\"name\":\"web\",\"state\":{\"running\":{\"startedAt\":"
                   "\"2024-05-01T12:00:08Z\"}},\"lastState\":{},\"ready\":true,\"restartCount\":0,\"image\":"
                   "\"example.com/shop/web:1.2.3\",\"started\":true}],\"qosClass\":\"Burstable\"}}",
                pod / 250, pod % 250);
}

static void add_list(struct strbuf *b)
{
    strbuf_add_str(b, S("{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"123456\"},\"items\":["));
    for (int i = 0; i < PODS; i++) {
        if (i)
            strbuf_add_char(b, ',');
        add_pod(b, i);
    }
    strbuf_add_str(b, S("]}"));
}

/* --- what is measured: one pass over the text ------------------------------------------------------ */

static struct arena ours_arena;
static struct json ours_tree;
static struct strbuf ours_out;

static void ours_parse(str text)
{
    struct json v;
    struct err err = ERR_NONE;
    arena_reset(&ours_arena);
    BUG_ON(json_parse(&ours_arena, text, NULL, &v, &err) < 0);
}

static void ours_write_prepare(str text)
{
    struct err err = ERR_NONE;
    arena_reset(&ours_arena);
    BUG_ON(json_parse(&ours_arena, text, NULL, &ours_tree, &err) < 0);
}

static void ours_write(str text)
{
    (void)text;
    strbuf_clear(&ours_out);
    json_write(&ours_out, &ours_tree);
}

static struct {
    void *(*loadb)(const char *text, size_t len, size_t flags, void *error);
    char *(*dumps)(const void *value, size_t flags);
    void (*delete)(void *value);
    void *tree;
} jansson;
#define JANSSON_COMPACT 0x20

static void jansson_free(void *value)
{
    size_t *refcount = (size_t *)((char *)value + sizeof(size_t)); /* struct json_t { type; volatile size_t refcount; } */
    if (--*refcount == 0)
        jansson.delete(value);
}
static void jansson_parse(str text)
{
    void *v = jansson.loadb(text.p, text.len, 0, NULL);
    BUG_ON(!v);
    jansson_free(v);
}
static void jansson_write_prepare(str text)
{
    jansson.tree = jansson.loadb(text.p, text.len, 0, NULL);
    BUG_ON(!jansson.tree);
}
static void jansson_write(str text)
{
    (void)text;
    free(jansson.dumps(jansson.tree, JANSSON_COMPACT));
}

static struct {
    void *(*parse)(const char *text, size_t len);
    char *(*print)(const void *value);
    void (*delete)(void *value);
    void *tree;
} cjson;

static void cjson_parse(str text)
{
    void *v = cjson.parse(text.p, text.len);
    BUG_ON(!v);
    cjson.delete(v);
}
static void cjson_write_prepare(str text)
{
    cjson.tree = cjson.parse(text.p, text.len);
    BUG_ON(!cjson.tree);
}
static void cjson_write(str text)
{
    (void)text;
    free(cjson.print(cjson.tree));
}

static struct {
    void *(*parse)(const char *text, char *error, size_t error_size);
    void (*free)(void *value);
} yajl;

static void yajl_parse(str text)
{
    void *v = yajl.parse(text.p, NULL, 0);
    BUG_ON(!v);
    yajl.free(v);
}

/* --- peers ------------------------------------------------------------------------------------------ */

struct symbol {
    const char *name;
    void *into;
};

static bool library_open(const char *file, const struct symbol *symbols, size_t n)
{
    void *lib = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    for (size_t i = 0; lib && i < n; i++) {
        void *p = dlsym(lib, symbols[i].name);
        if (!p)
            return false;
        memcpy(symbols[i].into, &p, sizeof p);
    }
    return lib != NULL;
}

static bool ours_open(void)
{
    return true;
}
static bool jansson_open(void)
{
    const struct symbol symbols[] = {{"json_loadb", &jansson.loadb}, {"json_dumps", &jansson.dumps}, {"json_delete", &jansson.delete}};
    return library_open("libjansson.so.4", symbols, ARRAY_LEN(symbols));
}
static bool cjson_open(void)
{
    const struct symbol symbols[] = {
        {"cJSON_ParseWithLength", &cjson.parse}, {"cJSON_PrintUnformatted", &cjson.print}, {"cJSON_Delete", &cjson.delete}};
    return library_open("libcjson.so.1", symbols, ARRAY_LEN(symbols));
}
static bool yajl_open(void)
{
    const struct symbol symbols[] = {{"yajl_tree_parse", &yajl.parse}, {"yajl_tree_free", &yajl.free}};
    return library_open("libyajl.so.2", symbols, ARRAY_LEN(symbols));
}

static const struct engine {
    const char *name;
    bool (*open)(void);
    void (*parse)(str text);
    void (*write_prepare)(str text);
    void (*write)(str text); /* NULL: has no writer */
} engines[] = {
    {"cox", ours_open, ours_parse, ours_write_prepare, ours_write},
    {"jansson", jansson_open, jansson_parse, jansson_write_prepare, jansson_write},
    {"cjson", cjson_open, cjson_parse, cjson_write_prepare, cjson_write},
    {"yajl", yajl_open, yajl_parse, NULL, NULL},
};

static const struct workload {
    const char *name, *what;
    bool list, write;
} workloads[] = {
    {"parse-pod", "text of one pod to a tree", false, false},
    {"parse-list", "text of a list of 1000 pods to a tree", true, false},
    {"write-list", "tree of 1000 pods to text", true, true},
};

/* --- measuring --------------------------------------------------------------------------------------- */

/* Best MB/s of ROUNDS rounds that last `seconds` together. */
static double measure(void (*pass)(str), str text, double seconds)
{
    double best = 0;
    for (int round = 0; round < ROUNDS; round++) {
        nsec_t start = clock_mono(&clock_real), now = start;
        nsec_t until = start + (nsec_t)(seconds * 1e9 / ROUNDS);
        size_t passes = 0;
        while (now < until) {
            for (size_t i = 0; i < 1 + (64u << 10) / text.len; i++, passes++)
                pass(text);
            now = clock_mono(&clock_real);
        }
        best = MAX(best, (double)text.len * (double)passes / 1e6 / ((double)(now - start) / 1e9));
    }
    return best;
}

struct options {
    const char *workload;
    bool json;
    double seconds;
};

static void run(const struct workload *w, const struct options *o, bool first)
{
    STRBUF_AUTO text = STRBUF_HEAP;
    if (w->list)
        add_list(&text);
    else
        add_pod(&text, 42);
    str bytes = str_n(strbuf_cstr(&text), text.len);
    double own = 0;
    if (o->json)
        printf("%s  {\"workload\": \"%s\", \"bytes\": %zu, \"mb_per_s\": {", first ? "" : ",\n", w->name, bytes.len);
    else
        printf("%s: %s, %zu bytes\n", w->name, w->what, bytes.len);
    for (size_t i = 0; i < ARRAY_LEN(engines); i++) {
        const struct engine *e = &engines[i];
        if ((w->write && !e->write) || !e->open())
            continue;
        if (w->write)
            e->write_prepare(bytes);
        double speed = measure(w->write ? e->write : e->parse, bytes, o->seconds);
        own = i ? own : speed;
        if (o->json)
            printf("%s\"%s\": %.1f", i ? ", " : "", e->name, speed);
        else if (i)
            printf("  %-8s %8.0f MB/s   cox is %.1f times as fast\n", e->name, speed, own / speed);
        else
            printf("  %-8s %8.0f MB/s\n", e->name, speed);
        fflush(stdout);
    }
    if (o->json)
        printf("}}");
}

static int usage(const char *program)
{
    fprintf(stderr, "usage: %s [--list] [--workload NAME] [--json] [--seconds N]\n", program);
    return 2;
}

int main(int argc, char **argv)
{
    static const struct option longs[] = {{"list", no_argument, NULL, 'l'},
                                          {"workload", required_argument, NULL, 'w'},
                                          {"json", no_argument, NULL, 'j'},
                                          {"seconds", required_argument, NULL, 's'},
                                          {0}};
    struct options o = {.seconds = 1};
    for (int c; (c = getopt_long(argc, argv, "", longs, NULL)) != -1;) {
        if (c == 'l') {
            for (size_t i = 0; i < ARRAY_LEN(workloads); i++)
                printf("%-12s %s\n", workloads[i].name, workloads[i].what);
            return 0;
        } else if (c == 'w') {
            o.workload = optarg;
        } else if (c == 'j') {
            o.json = true;
        } else if (c != 's' || !str_to_double(str_of(optarg), &o.seconds) || o.seconds <= 0) {
            return usage(argv[0]);
        }
    }
    size_t ran = 0;
    if (o.json)
        printf("[\n");
    for (size_t i = 0; i < ARRAY_LEN(workloads); i++)
        if (!o.workload || !strcmp(o.workload, workloads[i].name))
            run(&workloads[i], &o, ran++ == 0);
    if (o.json)
        printf("\n]\n");
    arena_fini(&ours_arena);
    strbuf_fini(&ours_out);
    return ran ? 0 : usage(argv[0]);
}
