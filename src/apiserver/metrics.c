/* metrics.c - request counters and histograms.
 *
 * A series is (verb, resource, subresource, scope, code); a thread writes to a shard of its own under an uncontended lock, the scrape adds the shards up. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "apiserver/metrics.h"

#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include "apiserver/internal.h"
#include "base/version.h"

#define METRICS_SHARDS 8
#define METRICS_MAX_SERIES 4096 /* a shard; further label sets are counted under resource "other" */

/* Upper bounds in seconds, as kube-apiserver's request histogram. */
static const double bounds[] = {0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60};

struct series {
    char *key;                              /* labels as they are printed */
    uint64_t count;                         /* per code */
    uint64_t buckets[ARRAY_LEN(bounds) + 1];
    double sum_s;
    uint64_t bytes;
};

/* The series of a request that looked like this, so that its labels need not be written again. */
#define METRICS_RECENT 64
struct recent {
    const struct api_resource *res;
    const struct api_subresource *sub;
    const char *verb;  /* shown: a constant */
    const char *scope; /* the same */
    int code;
    struct series *series; /* NULL: none */
};

struct shard {
    pthread_mutex_t lock; /* guards the rest; contended only by a scrape */
    struct map map;
    struct recent recent[METRICS_RECENT];
};

struct metrics {
    struct shard shards[METRICS_SHARDS];
    atomic_int inflight_mutating, inflight_readonly, watches;
    atomic_ullong watch_events, rejected;
};

struct metrics *metrics_new(void)
{
    struct metrics *m = xnew(struct metrics);
    for (size_t i = 0; i < METRICS_SHARDS; i++)
        pthread_mutex_init(&m->shards[i].lock, NULL);
    return m;
}

static void shard_clear(struct map *map)
{
    map_foreach(e, map)
    {
        struct series *s = e->value;
        free(s->key);
        free(s);
    }
    map_fini(map);
}

void metrics_free(struct metrics *m)
{
    if (!m)
        return;
    for (size_t i = 0; i < METRICS_SHARDS; i++) {
        shard_clear(&m->shards[i].map);
        pthread_mutex_destroy(&m->shards[i].lock);
    }
    free(m);
}

static struct shard *own_shard(struct metrics *m)
{
    static _Atomic unsigned next;
    static _Thread_local unsigned mine; /* 0: none yet */
    if (!mine)
        mine = atomic_fetch_add(&next, 1) + 1;
    return &m->shards[(mine - 1) % METRICS_SHARDS];
}

static str scope_of(const struct api_req *q)
{
    const struct api_target *t = &q->target;
    if (!t->is_resource)
        return S("");
    return t->name.len ? S("resource") : t->ns.len ? S("namespace") : S("cluster");
}

static struct series *series_for(struct shard *sh, str key)
{
    struct series *s = map_get(&sh->map, key);
    if (s)
        return s;
    if (sh->map.len >= METRICS_MAX_SERIES)
        key = S("verb=\"other\",group=\"\",version=\"\",resource=\"other\",subresource=\"\",scope=\"\",code=\"0\"");
    s = map_get(&sh->map, key);
    if (s)
        return s;
    s = xnew(struct series);
    s->key = str_dup(key);
    map_put(&sh->map, str_of(s->key), s);
    return s;
}

static const char *shown_verb(str verb)
{
    static const struct {
        const char *verb, *shown;
    } rows[] = {{"get", "GET"},       {"list", "LIST"},   {"watch", "WATCH"},   {"create", "POST"},
                {"update", "PUT"},    {"patch", "PATCH"}, {"delete", "DELETE"}, {"deletecollection", "DELETECOLLECTION"},
                {"head", "HEAD"},     {"post", "POST"},   {"put", "PUT"},       {"options", "OPTIONS"}};
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        if (str_is(verb, rows[i].verb))
            return rows[i].shown;
    return "OTHER";
}

/* NULL: its labels do not fit. */
static struct series *series_of(struct shard *sh, const struct api_req *q)
{
    const struct api_target *t = &q->target;
    char key[512];
    /* unknown resources, paths and methods are one series: clients must not be able to make labels */
    bool known = q->res != NULL;
    const char *shown = shown_verb(t->verb);
    str none = S("");
    int n = snprintf(key, sizeof key, "verb=\"%s\",group=\"" STR_FMT "\",version=\"" STR_FMT "\",resource=\"" STR_FMT "\",subresource=\"" STR_FMT "\",scope=\"" STR_FMT "\",code=\"%d\"",
                     known || !t->is_resource ? shown : "GET", STR_ARG(known ? q->res->group : none), STR_ARG(known ? q->res->version : none),
                     STR_ARG(known ? q->res->plural : none), STR_ARG(known && q->sub ? q->sub->name : none), STR_ARG(known ? scope_of(q) : none), q->answered_status);
    return n < 0 || (size_t)n >= sizeof key ? NULL : series_for(sh, str_n(key, (size_t)n));
}

/* Built-in resources live as long as the program; others are looked up by their labels. */
static struct series *series_recent(struct shard *sh, const struct api_req *q)
{
    const char *verb = shown_verb(q->target.verb);
    if (!q->res || (q->res->flags & API_CUSTOM))
        return series_of(sh, q);
    const char *scope = scope_of(q).p;
    uintptr_t mixed = (uintptr_t)q->res / 64 + (uintptr_t)q->sub / 8 + (uintptr_t)verb * 3 + (uintptr_t)scope * 7 + (uintptr_t)q->answered_status;
    struct recent *r = &sh->recent[mixed % METRICS_RECENT];
    if (!r->series || r->res != q->res || r->sub != q->sub || r->verb != verb || r->scope != scope || r->code != q->answered_status)
        *r = (struct recent){q->res, q->sub, verb, scope, q->answered_status, series_of(sh, q)};
    return r->series;
}

void metrics_request(struct metrics *m, const struct api_req *q, nsec_t duration_ns)
{
    double seconds = (double)duration_ns / (double)NSEC_PER_SEC;
    size_t b = 0;
    while (b < ARRAY_LEN(bounds) && seconds > bounds[b])
        b++;
    struct shard *sh = own_shard(m);
    pthread_mutex_lock(&sh->lock);
    struct series *s = series_recent(sh, q);
    if (s) {
        s->count++;
        s->buckets[b]++;
        s->sum_s += seconds;
        s->bytes += q->answered_bytes;
    }
    pthread_mutex_unlock(&sh->lock);
}

void metrics_watch_started(struct metrics *m, int delta)
{
    atomic_fetch_add(&m->watches, delta);
}

void metrics_watch_events(struct metrics *m, uint64_t events)
{
    atomic_fetch_add(&m->watch_events, events);
}

void metrics_inflight(struct metrics *m, bool mutating, int delta)
{
    atomic_fetch_add(mutating ? &m->inflight_mutating : &m->inflight_readonly, delta);
}

void metrics_rejected(struct metrics *m)
{
    atomic_fetch_add(&m->rejected, 1);
}

/* --- writing ---------------------------------------------------------------------------------------------------------------- */

static void add_up(struct metrics *m, struct map *total)
{
    for (size_t i = 0; i < METRICS_SHARDS; i++) {
        struct shard *sh = &m->shards[i];
        pthread_mutex_lock(&sh->lock);
        map_foreach(e, &sh->map)
        {
            const struct series *from = e->value;
            struct series *to = map_get(total, e->key);
            if (!to) {
                to = xnew(struct series);
                to->key = xstrdup(from->key);
                map_put(total, str_of(to->key), to);
            }
            to->count += from->count;
            to->sum_s += from->sum_s;
            to->bytes += from->bytes;
            for (size_t b = 0; b <= ARRAY_LEN(bounds); b++)
                to->buckets[b] += from->buckets[b];
        }
        pthread_mutex_unlock(&sh->lock);
    }
}

static void head(struct strbuf *b, const char *name, const char *type, const char *help)
{
    strbuf_addf(b, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void one(struct strbuf *b, const char *name, const char *type, const char *help, double value)
{
    head(b, name, type, help);
    strbuf_addf(b, "%s %.17g\n", name, value);
}

/* Histograms do not carry the code. */
static str without_code(const struct series *s)
{
    str key = str_of(s->key);
    ptrdiff_t at = str_rfind_char(key, ',');
    return str_sub(key, 0, (size_t)at);
}

static void merge_codes(struct map *total, struct map *merged)
{
    map_foreach(e, total)
    {
        const struct series *s = e->value;
        str key = without_code(s);
        struct series *to = map_get(merged, key);
        if (!to) {
            to = xnew(struct series);
            to->key = str_dup(key);
            map_put(merged, str_of(to->key), to);
        }
        to->count += s->count;
        to->sum_s += s->sum_s;
        for (size_t i = 0; i <= ARRAY_LEN(bounds); i++)
            to->buckets[i] += s->buckets[i];
    }
}

static void write_histogram(struct strbuf *b, struct map *merged, const char *name, const char *help)
{
    head(b, name, "histogram", help);
    map_foreach(e, merged)
    {
        const struct series *s = e->value;
        uint64_t so_far = 0;
        for (size_t i = 0; i < ARRAY_LEN(bounds); i++) {
            so_far += s->buckets[i];
            strbuf_addf(b, "%s_bucket{%s,le=\"%g\"} %llu\n", name, s->key, bounds[i], (unsigned long long)so_far);
        }
        strbuf_addf(b, "%s_bucket{%s,le=\"+Inf\"} %llu\n", name, s->key, (unsigned long long)s->count);
        strbuf_addf(b, "%s_sum{%s} %.9g\n%s_count{%s} %llu\n", name, s->key, s->sum_s, name, s->key, (unsigned long long)s->count);
    }
}

static void write_requests(struct metrics *m, struct strbuf *b)
{
    struct map total = MAP_INIT, merged = MAP_INIT;
    add_up(m, &total);
    head(b, "apiserver_request_total", "counter", "Requests answered, by verb, resource, scope and code.");
    map_foreach(e, &total)
    {
        const struct series *s = e->value;
        strbuf_addf(b, "apiserver_request_total{%s,dry_run=\"\"} %llu\n", s->key, (unsigned long long)s->count);
    }
    merge_codes(&total, &merged);
    write_histogram(b, &merged, "apiserver_request_duration_seconds", "Time from the request's arrival to its answer.");
    write_histogram(b, &merged, "apiserver_request_sli_duration_seconds", "The same; nothing here waits for webhooks.");
    shard_clear(&merged);
    shard_clear(&total);
}

static void write_objects(struct apiserver *s, struct strbuf *b)
{
    ARENA_AUTO a = ARENA_INIT;
    CLEANUP(registry_unref) struct registry_snapshot *reg = registry_current(&s->registry);
    CLEANUP(store_view_close) struct store_view *view = NULL;
    if (store_view_open(s->store, 0, &view, NULL) < 0)
        return;
    head(b, "apiserver_storage_objects", "gauge", "Objects stored, by resource.");
    map_foreach(e, &reg->by_store)
    {
        const struct api_resource *r = e->value;
        if (r->flags & API_CREATE_ONLY)
            continue;
        str prefix = object_key(&a, r, S(""), S(""));
        strbuf_addf(b, "apiserver_storage_objects{resource=\"" STR_FMT "\"} %zu\n", STR_ARG(api_qualified_resource(&a, r)),
                    store_view_count(view, prefix, store_prefix_end(&a, prefix)));
    }
}

static void write_store(struct apiserver *s, struct strbuf *b)
{
    struct store_stats st;
    store_stats(s->store, &st);
    one(b, "cox_store_keys", "gauge", "Keys in the store.", (double)st.keys);
    one(b, "cox_store_live_bytes", "gauge", "Bytes of the newest versions.", (double)st.bytes_live);
    one(b, "cox_store_packed_keys", "gauge", "Keys whose value is kept compressed.", (double)st.packed_keys);
    one(b, "cox_store_packed_bytes", "gauge", "Bytes of those values.", (double)st.packed_bytes);
    one(b, "cox_store_packed_resident_bytes", "gauge", "What they take in memory.", (double)st.packed_resident_bytes);
    one(b, "cox_store_history_events", "gauge", "Changes kept for watches and past lists.", (double)st.events_kept);
    one(b, "cox_store_transactions_total", "counter", "Transactions committed.", (double)st.txns);
    one(b, "cox_store_batches_total", "counter", "Group commits.", (double)st.batches);
    one(b, "cox_store_fsyncs_total", "counter", "Syncs to disk.", (double)st.fsyncs);
    one(b, "cox_store_fsync_seconds_total", "counter", "Time spent in them.", (double)st.fsync_ns_total / (double)NSEC_PER_SEC);
    one(b, "cox_store_wal_bytes", "gauge", "Size of the write-ahead log.", (double)st.wal_bytes);
}

static void write_process(struct apiserver *s, struct strbuf *b)
{
    struct rusage ru;
    getrusage(RUSAGE_SELF, &ru);
    double cpu = (double)(ru.ru_utime.tv_sec + ru.ru_stime.tv_sec) + (double)(ru.ru_utime.tv_usec + ru.ru_stime.tv_usec) / 1e6;
    one(b, "process_cpu_seconds_total", "counter", "CPU time used.", cpu);
    one(b, "process_start_time_seconds", "gauge", "When the process started.", (double)s->started_wall / (double)NSEC_PER_SEC);
    FILE *f = fopen("/proc/self/statm", "re");
    long size, resident;
    if (f && fscanf(f, "%ld %ld", &size, &resident) == 2) {
        one(b, "process_virtual_memory_bytes", "gauge", "Virtual memory.", (double)size * (double)sysconf(_SC_PAGESIZE));
        one(b, "process_resident_memory_bytes", "gauge", "Resident memory.", (double)resident * (double)sysconf(_SC_PAGESIZE));
    }
    if (f)
        fclose(f);
}

void metrics_write(struct metrics *m, struct apiserver *s, struct strbuf *b)
{
    write_requests(m, b);
    head(b, "apiserver_current_inflight_requests", "gauge", "Requests being worked on.");
    strbuf_addf(b, "apiserver_current_inflight_requests{request_kind=\"mutating\"} %d\n", atomic_load(&m->inflight_mutating));
    strbuf_addf(b, "apiserver_current_inflight_requests{request_kind=\"readOnly\"} %d\n", atomic_load(&m->inflight_readonly));
    one(b, "apiserver_longrunning_requests", "gauge", "Open watches.", atomic_load(&m->watches));
    one(b, "apiserver_watch_events_total", "counter", "Events sent to watchers.", (double)atomic_load(&m->watch_events));
    one(b, "apiserver_rejected_requests_total", "counter", "Requests answered with 429.", (double)atomic_load(&m->rejected));
    write_objects(s, b);
    write_store(s, b);
    write_process(s, b);
    head(b, "kubernetes_build_info", "gauge", "Version of this program.");
    strbuf_addf(b, "kubernetes_build_info{major=\"%d\",minor=\"%d\",git_version=\"%s\"} 1\n", COX_KUBE_MAJOR, COX_KUBE_MINOR, cox_version());
}
