/* bench_store.c - what the store does a second, what a million objects cost, and LMDB beside it.
 *
 *     build/bench-store --list
 *     build/bench-store [--workload NAME]... [--json] [--seconds N] [--keys N] [--dir FOLDER]
 * Every put is durable, unless --no-fsync says otherwise; COX_FAILPOINTS='store.wal.sync=sleep(1)' with it makes a disk that always
 * takes a millisecond.  The LMDB rows hold the same data as etcd lays it out (values appended by revision in one database, key to
 * revision in another), one commit per put or per 64 puts; they are left out where liblmdb.so.0 is not installed. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/vec.h"
#include "rt/failpoint.h"
#include "store/embedded/embedded.h"
#include "store/pack.h"

#define VALUE_BYTES 1200
#define NAMESPACES 100

static struct {
    const char *dir;
    double seconds;
    size_t keys; /* 0: the workload's own */
    bool json, no_fsync;
} opt = {.seconds = 3};

static char value_bytes[VALUE_BYTES];

static double now_s(void)
{
    return (double)clock_mono(&clock_real) / 1e9;
}

static void die(const char *what)
{
    fprintf(stderr, "bench-store: %s\n", what);
    exit(1);
}

/* --- results ------------------------------------------------------------------------------------------------------------ */

struct result {
    struct strbuf fields; /* "\"name\":value,..." */
};

static void result_num(struct result *r, const char *name, double v)
{
    strbuf_addf(&r->fields, "%s\"%s\":%.6g", r->fields.len ? "," : "", name, v);
}

static void result_print(const char *workload, struct result *r)
{
    if (opt.json) {
        printf("{\"bench\":\"store\",\"workload\":\"%s\",%s}\n", workload, strbuf_cstr(&r->fields));
    } else {
        printf("%-14s", workload);
        str left = strbuf_str(&r->fields), field;
        while (left.len) {
            str_cut(&left, ',', &field);
            str name;
            str_cut(&field, ':', &name);
            name = str_sub(name, 1, name.len - 1);
            printf("  " STR_FMT " " STR_FMT, STR_ARG(name), STR_ARG(field));
        }
        printf("\n");
    }
    fflush(stdout);
    strbuf_fini(&r->fields);
}

static int cmp_u32(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Latencies in units of 0.1 us. */
typedef VEC(uint32_t) latencies;

static void result_latency(struct result *r, latencies *l)
{
    if (l->len == 0)
        return;
    qsort(l->p, l->len, sizeof l->p[0], cmp_u32);
    result_num(r, "p50_us", l->p[l->len / 2] / 10.0);
    result_num(r, "p99_us", l->p[l->len * 99 / 100] / 10.0);
    result_num(r, "max_us", l->p[l->len - 1] / 10.0);
}

static double rss_mib(void)
{
    FILE *f = fopen("/proc/self/statm", "r");
    long total = 0, resident = 0;
    if (!f || fscanf(f, "%ld %ld", &total, &resident) != 2)
        die("no /proc/self/statm");
    fclose(f);
    return (double)resident * (double)sysconf(_SC_PAGESIZE) / 1048576.0;
}

/* --- a store in a folder ------------------------------------------------------------------------------------------------- */

static void folder_remove(const char *path)
{
    DIR *d = opendir(path);
    if (!d)
        return;
    for (struct dirent *e; (e = readdir(d));)
        unlinkat(dirfd(d), e->d_name, 0);
    closedir(d);
    rmdir(path);
}

static const char *folder(void)
{
    static char path[512];
    snprintf(path, sizeof path, "%s/bench-store.%d", opt.dir, (int)getpid());
    return path;
}

static struct store *store_start(void)
{
    struct err err = ERR_NONE;
    struct store *s;
    struct store_embedded_opts opts = {.no_fsync = opt.no_fsync};
    if (store_embedded_open(folder(), &opts, &s, &err) < 0)
        die(err.msg);
    return s;
}

static void store_end(struct store *s)
{
    store_close(s);
    folder_remove(folder());
}

static str key_of(size_t i, char buf[64])
{
    return str_n(buf, (size_t)snprintf(buf, 64, "/registry/pods/namespace-%zu/some-deployment-%08zu", i % NAMESPACES, i));
}

/* --- many transactions in flight from one thread ------------------------------------------------------------------------- */

struct flight {
    struct store_txn txn;
    struct store_op op;
    struct pump *pump;
    struct flight *next_free;
    char key[64];
};

struct pump {
    struct store *s;
    pthread_mutex_t lock;
    pthread_cond_t some;
    struct flight *free_list;
    size_t nfree, wanted; /* the submitter sleeps until so many are free */
    size_t failed;
};

static void flight_done(struct store_txn *txn)
{
    struct flight *f = txn->owner;
    struct pump *p = f->pump;
    store_kv_unref(f->op.kv);
    pthread_mutex_lock(&p->lock);
    p->failed += txn->result < 0;
    f->next_free = p->free_list;
    p->free_list = f;
    if (++p->nfree == p->wanted)
        pthread_cond_signal(&p->some);
    pthread_mutex_unlock(&p->lock);
}

/* All flights that are free, when there are at least so many: an io loop, too, answers many at a time, and waking a thread for each
 * would measure that. */
static struct flight *pump_take(struct pump *p, size_t at_least)
{
    pthread_mutex_lock(&p->lock);
    p->wanted = at_least;
    while (p->nfree < at_least)
        pthread_cond_wait(&p->some, &p->lock);
    struct flight *f = p->free_list;
    p->free_list = NULL;
    p->nfree = p->wanted = 0;
    pthread_mutex_unlock(&p->lock);
    return f;
}

static void pump_send(struct pump *p, struct flight *f, enum store_op_type type, size_t i)
{
    f->op = (struct store_op){type, key_of(i, f->key), str_n(value_bytes, VALUE_BYTES), 300, STORE_ANY_REV, NULL};
    f->txn = (struct store_txn){.ops = &f->op, .nops = 1, .done = flight_done, .owner = f};
    f->pump = p;
    if (store_submit(p->s, &f->txn) < 0)
        die("submit failed");
}

/* Puts or deletes keys [0, n) (n 0: any number, for opt.seconds); returns how many. */
static size_t pump_run(struct store *s, size_t outstanding, enum store_op_type type, size_t n)
{
    struct flight *flights = xarray(outstanding, struct flight);
    struct pump p = {.s = s, .lock = PTHREAD_MUTEX_INITIALIZER, .some = PTHREAD_COND_INITIALIZER, .nfree = outstanding};
    for (size_t i = 0; i < outstanding; i++) {
        flights[i].next_free = p.free_list;
        p.free_list = &flights[i];
    }
    double end = now_s() + opt.seconds;
    size_t sent = 0, unsent = 0;
    while (n ? sent < n : now_s() < end) {
        for (struct flight *f = pump_take(&p, (outstanding + 3) / 4), *next; f; f = next) {
            next = f->next_free;
            if (n && sent == n)
                unsent++;
            else
                pump_send(&p, f, type, sent++);
        }
    }
    pump_take(&p, outstanding - unsent);
    if (p.failed)
        die("writes failed");
    free(flights);
    return sent;
}

/* --- puts ---------------------------------------------------------------------------------------------------------------- */

struct putter {
    pthread_t thread;
    struct store *s;
    size_t first, step;
    double end;
    latencies taken;
    size_t ops;
};

static void *putter_run(void *arg)
{
    struct putter *p = arg;
    char key[64];
    for (size_t i = p->first; now_s() < p->end; i += p->step) {
        struct store_op op = {STORE_PUT, key_of(i, key), str_n(value_bytes, VALUE_BYTES), 300, STORE_ANY_REV, NULL};
        struct store_txn txn = {.ops = &op, .nops = 1};
        nsec_t begin = clock_mono(&clock_real);
        if (store_commit(p->s, &txn) < 0)
            die(txn.err.msg);
        store_kv_unref(op.kv);
        vec_push(&p->taken, (uint32_t)((clock_mono(&clock_real) - begin) / 100));
        p->ops++;
    }
    return NULL;
}

static void result_batches(struct result *r, struct store *s)
{
    struct store_stats st;
    store_stats(s, &st);
    result_num(r, "batch", (double)st.txns / (double)MAX(st.batches, (uint64_t)1));
    result_num(r, "fsync_us", (double)st.fsync_ns_total / 1000.0 / (double)MAX(st.fsyncs, (uint64_t)1));
}

static void put_threads(const char *name, size_t n)
{
    struct store *s = store_start();
    struct putter *p = xarray(n, struct putter);
    double begin = now_s();
    for (size_t i = 0; i < n; i++) {
        p[i].s = s;
        p[i].first = i;
        p[i].step = n;
        p[i].end = begin + opt.seconds;
        pthread_create(&p[i].thread, NULL, putter_run, &p[i]);
    }
    latencies all = {0};
    size_t ops = 0;
    for (size_t i = 0; i < n; i++) {
        pthread_join(p[i].thread, NULL);
        ops += p[i].ops;
        for (size_t j = 0; j < p[i].taken.len; j++)
            vec_push(&all, p[i].taken.p[j]);
        vec_fini(&p[i].taken);
    }
    struct result r = {0};
    result_num(&r, "ops_per_s", (double)ops / (now_s() - begin));
    result_latency(&r, &all);
    result_batches(&r, s);
    vec_fini(&all);
    free(p);
    result_print(name, &r);
    store_end(s);
}

static void bench_put_1(const char *name)
{
    put_threads(name, 1);
}

static void bench_put_64(const char *name)
{
    put_threads(name, 64);
}

static void put_async(const char *name, size_t outstanding)
{
    struct store *s = store_start();
    double begin = now_s();
    size_t ops = pump_run(s, outstanding, STORE_PUT, 0);
    struct result r = {0};
    result_num(&r, "ops_per_s", (double)ops / (now_s() - begin));
    result_batches(&r, s);
    result_print(name, &r);
    store_end(s);
}

static void bench_put_64_async(const char *name)
{
    put_async(name, 64);
}

static void bench_put_1024_async(const char *name)
{
    put_async(name, 1024);
}

/* --- reads --------------------------------------------------------------------------------------------------------------- */

struct getter {
    pthread_t thread;
    struct store *s;
    size_t keys, ops;
    uint64_t seed;
    double end;
};

static void *getter_run(void *arg)
{
    struct getter *g = arg;
    struct rng rng;
    rng_seed(&rng, g->seed);
    char key[64];
    while (g->ops % 256 || now_s() < g->end) {
        struct store_kv *kv = store_get(g->s, key_of(rng_below(&rng, g->keys), key));
        if (!kv)
            die("a key is missing");
        store_kv_unref(kv);
        g->ops++;
    }
    return NULL;
}

static double get_rate(struct store *s, size_t keys, size_t n)
{
    struct getter *g = xarray(n, struct getter);
    double begin = now_s();
    size_t ops = 0;
    for (size_t i = 0; i < n; i++) {
        g[i] = (struct getter){.s = s, .keys = keys, .seed = i + 1, .end = begin + opt.seconds};
        pthread_create(&g[i].thread, NULL, getter_run, &g[i]);
    }
    for (size_t i = 0; i < n; i++) {
        pthread_join(g[i].thread, NULL);
        ops += g[i].ops;
    }
    free(g);
    return (double)ops / (now_s() - begin);
}

static void bench_get(const char *name)
{
    size_t keys = opt.keys ? opt.keys : 100000;
    struct store *s = store_start();
    pump_run(s, 1024, STORE_PUT, keys);
    struct result r = {0};
    result_num(&r, "gets_per_s_1_thread", get_rate(s, keys, 1));
    result_num(&r, "gets_per_s_2_threads", get_rate(s, keys, 2));
    result_num(&r, "gets_per_s_16_threads", get_rate(s, keys, 16));
    struct putter p = {.s = s, .step = 1, .end = now_s() + opt.seconds};
    pthread_create(&p.thread, NULL, putter_run, &p);
    result_num(&r, "gets_per_s_beside_a_writer", get_rate(s, keys, 1));
    pthread_join(p.thread, NULL);
    vec_fini(&p.taken);
    result_num(&r, "its_puts_per_s", (double)p.ops / opt.seconds);
    result_print(name, &r);
    store_end(s);
}

static bool sum_value(void *arg, const struct store_kv *kv)
{
    *(size_t *)arg += kv->value_len;
    return true;
}

static void bench_range(const char *name)
{
    size_t keys = opt.keys ? opt.keys : 100000, bytes = 0, n = 0, counts = 0;
    struct store *s = store_start();
    struct err err = ERR_NONE;
    struct store_view *v;
    pump_run(s, 1024, STORE_PUT, keys);
    double begin = now_s();
    while (now_s() < begin + opt.seconds) {
        if (store_view_open(s, 0, &v, &err) < 0)
            die(err.msg);
        n += store_view_range(v, S(""), S(""), sum_value, &bytes);
        store_view_close(v);
    }
    struct result r = {0};
    result_num(&r, "keys_per_s", (double)n / (now_s() - begin));
    begin = now_s();
    while (now_s() < begin + opt.seconds / 3) {
        if (store_view_open(s, 0, &v, &err) < 0)
            die(err.msg);
        counts += store_view_count(v, S("/registry/pods/namespace-5/"), S("/registry/pods/namespace-50")) > 0;
        store_view_close(v);
    }
    result_num(&r, "view_and_count_per_s", (double)counts / (now_s() - begin));
    /* The past: as far back as the window goes. */
    rev_t oldest = store_compacted_revision(s);
    begin = now_s();
    if (store_view_open(s, oldest + 1, &v, &err) < 0)
        die(err.msg);
    result_num(&r, "oldest_view_ms", (now_s() - begin) * 1000);
    store_view_close(v);
    result_print(name, &r);
    store_end(s);
}

/* --- packing --------------------------------------------------------------------------------------------------------------- */

#define PACKED 2000

/* A running pod with what differs from one to the next: name, uid, node, addresses, times. */
static struct store_kv *running_pod(struct rng *rng, size_t n)
{
    char uid[40], at[32], ip[20], key[64];
    snprintf(uid, sizeof uid, "%08x-%04x-4%03x-a%03x-%012llx", (unsigned)rng_u64(rng), (unsigned)rng_below(rng, 65536), (unsigned)rng_below(rng, 4096), (unsigned)rng_below(rng, 4096),
             (unsigned long long)rng_below(rng, 1ull << 48));
    snprintf(at, sizeof at, "2026-11-18T%02u:%02u:%02uZ", (unsigned)rng_below(rng, 24), (unsigned)rng_below(rng, 60), (unsigned)rng_below(rng, 60));
    snprintf(ip, sizeof ip, "10.%u.%u.%u", (unsigned)rng_below(rng, 256), (unsigned)rng_below(rng, 256), (unsigned)rng_below(rng, 256));
    struct strbuf b = STRBUF_HEAP;
    strbuf_addf(&b, "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"%zu\",\"name\":\"pod-%zu\",\"labels\":{\"app\":\"bench\"},\"namespace\":\"default\",\"uid\":\"%s\",\"creationTimestamp\":\"%s\",\"managedFields\":["
                    "{\"manager\":\"agent\",\"operation\":\"Update\",\"apiVersion\":\"v1\",\"time\":\"%s\",\"fieldsType\":\"FieldsV1\",\"fieldsV1\":{\"f:status\":{\"f:conditions\":{", n * 3, n, uid, at, at);
    static const char *const conditions[] = {"ContainersReady", "Initialized", "PodReadyToStartContainers", "Ready"};
    for (size_t i = 0; i < ARRAY_LEN(conditions); i++)
        strbuf_addf(&b, "%s\"k:{\\\"type\\\":\\\"%s\\\"}\":{\".\":{},\"f:lastProbeTime\":{},\"f:lastTransitionTime\":{},\"f:status\":{},\"f:type\":{}}", i ? "," : "", conditions[i]);
    strbuf_addf(&b, "},\"f:containerStatuses\":{},\"f:hostIP\":{},\"f:phase\":{},\"f:podIPs\":{\"k:{\\\"ip\\\":\\\"%s\\\"}\":{}}}},\"subresource\":\"status\"}]},\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":\"registry/app:v1\",\"resources\":"
                    "{\"requests\":{\"cpu\":\"100m\",\"memory\":\"500Mi\"}},\"imagePullPolicy\":\"IfNotPresent\",\"terminationMessagePath\":\"/dev/termination-log\"}],\"restartPolicy\":\"Always\",\"nodeName\":\"node-%u\"},\"status\":{\"phase\":\"Running\",\"conditions\":[",
                ip, (unsigned)rng_below(rng, 20000));
    for (size_t i = 0; i < ARRAY_LEN(conditions); i++)
        strbuf_addf(&b, "%s{\"lastTransitionTime\":\"%s\",\"status\":\"True\",\"type\":\"%s\",\"lastProbeTime\":null}", i ? "," : "", at, conditions[i]);
    strbuf_addf(&b, "],\"containerStatuses\":[{\"containerID\":\"paper://%s-c-0\",\"image\":\"registry/app:v1\",\"name\":\"c\",\"ready\":true,\"state\":{\"running\":{\"startedAt\":\"%s\"}}}],\"podIP\":\"%s\",\"startTime\":\"%s\"}}", uid, at, ip, at);
    struct store_kv *kv = store_kv_new(str_n(key, (size_t)snprintf(key, sizeof key, "/r/core/pods/default/pod-%zu", n)), strbuf_str(&b), 0, 0);
    strbuf_fini(&b);
    return kv;
}

static void bench_pack(const char *name)
{
    struct store_kv *kvs[PACKED], *packed[PACKED];
    struct rng rng;
    str samples[10];
    size_t plain_bytes = 0, bytes = 0, n = 0;
    rng_seed(&rng, 42);
    for (size_t i = 0; i < PACKED; i++)
        kvs[i] = running_pod(&rng, i);
    for (size_t i = 0; i < ARRAY_LEN(samples); i++)
        samples[i] = store_kv_value(kvs[i * 7]);
    struct pack_dict *d = pack_dict_new(samples, ARRAY_LEN(samples));
    double begin = now_s();
    for (size_t i = 0; i < PACKED; i++) {
        packed[i] = pack_kv(d, kvs[i]);
        if (!packed[i])
            die("a pod is not worth packing");
        plain_bytes += store_kv_bytes(kvs[i]);
        bytes += pack_resident_bytes(packed[i]);
    }
    struct result r = {0};
    result_num(&r, "us_to_pack", (now_s() - begin) / PACKED * 1e6);
    for (begin = now_s(); now_s() < begin + opt.seconds; n++)
        store_kv_unref(pack_plain(packed[n % PACKED]));
    result_num(&r, "us_to_read", (now_s() - begin) / (double)n * 1e6);
    result_num(&r, "bytes_plain", (double)plain_bytes / PACKED);
    result_num(&r, "bytes_packed", (double)bytes / PACKED);
    result_print(name, &r);
    for (size_t i = 0; i < PACKED; i++) {
        store_kv_unref(kvs[i]);
        store_kv_unref(packed[i]);
    }
    pack_dict_unref(d);
}

/* --- watches ------------------------------------------------------------------------------------------------------------- */

struct fan {
    struct store_watch **watches;
    _Atomic bool *ready;
    size_t n;
    sem_t some;
    _Atomic bool stop;
    _Atomic uint64_t events;
};

struct fan_wake {
    struct fan *fan;
    size_t i;
};

static void fan_wake(void *arg)
{
    struct fan_wake *w = arg;
    atomic_store(&w->fan->ready[w->i], true);
    sem_post(&w->fan->some);
}

/* One thread serves all watches, as an io loop would. */
static void *fan_run(void *arg)
{
    struct fan *f = arg;
    struct store_event ev[256];
    rev_t rev;
    while (!atomic_load(&f->stop)) {
        sem_wait(&f->some);
        while (sem_trywait(&f->some) == 0)
            ;
        for (size_t i = 0; i < f->n; i++) {
            if (!atomic_exchange(&f->ready[i], false))
                continue;
            for (int n; (n = store_watch_next(f->watches[i], ev, 256, &rev)) != 0;) {
                if (n < 0)
                    die("a watch expired");
                atomic_fetch_add(&f->events, (uint64_t)n);
                store_events_release(ev, (size_t)n);
            }
        }
    }
    return NULL;
}

static void watch_fan_out(const char *name, size_t n, bool quiet)
{
    struct store *s = store_start();
    struct err err = ERR_NONE;
    struct fan f = {.watches = xarray(n, struct store_watch *), .ready = xcalloc(n, sizeof(_Atomic bool)), .n = n};
    struct fan_wake *wakes = xarray(n, struct fan_wake);
    sem_init(&f.some, 0, 0);
    for (size_t i = 0; i < n; i++) {
        char prefix[64];
        wakes[i] = (struct fan_wake){&f, i};
        snprintf(prefix, sizeof prefix, quiet ? "/registry/pods/quiet-%zu/" : "/registry/pods/", i);
        if (store_watch_open(s, str_of(prefix), 1, fan_wake, &wakes[i], &f.watches[i], &err) < 0)
            die(err.msg);
        fan_wake(&wakes[i]);
    }
    pthread_t thread;
    pthread_create(&thread, NULL, fan_run, &f);
    double begin = now_s();
    size_t puts = pump_run(s, 64, STORE_PUT, 0);
    while (!quiet && atomic_load(&f.events) < puts * n)
        usleep(1000);
    double took = now_s() - begin;
    atomic_store(&f.stop, true);
    sem_post(&f.some);
    pthread_join(thread, NULL);
    struct result r = {0};
    result_num(&r, "watches", (double)n);
    result_num(&r, "puts_per_s", (double)puts / took);
    result_num(&r, "events_per_s", (double)atomic_load(&f.events) / took);
    for (size_t i = 0; i < n; i++)
        store_watch_close(f.watches[i]);
    sem_destroy(&f.some);
    free(wakes);
    free((void *)f.ready);
    free(f.watches);
    result_print(name, &r);
    store_end(s);
}

static void bench_watch(const char *name)
{
    watch_fan_out(name, 100, false);
}

static void bench_watch_quiet(const char *name)
{
    watch_fan_out(name, 10000, true);
}

/* --- a million objects ----------------------------------------------------------------------------------------------------- */

static void load(const char *name, size_t keys)
{
    struct err err = ERR_NONE;
    struct result r = {0};
    malloc_trim(0); /* what workloads before this one left */
    double rss0 = rss_mib(), begin = now_s();
    struct store *s = store_start();
    pump_run(s, 1024, STORE_PUT, keys);
    result_num(&r, "keys", (double)keys);
    result_num(&r, "load_puts_per_s", (double)keys / (now_s() - begin));
    struct store_stats st;
    store_stats(s, &st);
    result_num(&r, "live_mib", (double)st.bytes_live / 1048576.0);
    result_num(&r, "rss_mib", rss_mib() - rss0);
    char path[600];
    snprintf(path, sizeof path, "%s.snap", folder());
    begin = now_s();
    if (store_snapshot(s, path, &err) < 0)
        die(err.msg);
    result_num(&r, "snapshot_s", now_s() - begin);
    unlink(path);
    begin = now_s();
    store_close(s);
    result_num(&r, "close_s", now_s() - begin);
    malloc_trim(0);
    result_num(&r, "rss_closed_mib", rss_mib() - rss0);
    begin = now_s();
    s = store_start();
    result_num(&r, "reopen_s", now_s() - begin);
    result_num(&r, "rss_reopened_mib", rss_mib() - rss0);
    begin = now_s();
    pump_run(s, 1024, STORE_DELETE, keys);
    result_num(&r, "deletes_per_s", (double)keys / (now_s() - begin));
    sleep(1);
    result_num(&r, "rss_deleted_mib", rss_mib() - rss0);
    result_print(name, &r);
    store_end(s);
}

static void bench_load_100k(const char *name)
{
    load(name, opt.keys ? opt.keys : 100000);
}

static void bench_load_1m(const char *name)
{
    load(name, opt.keys ? opt.keys : 1000000);
}

/* --- LMDB ------------------------------------------------------------------------------------------------------------------ */

struct mdb_val {
    size_t size;
    const void *data;
};

/* The few functions needed, as lmdb.h declares them; the library is not needed to build. */
static struct {
    int (*env_create)(void **env);
    int (*env_set_mapsize)(void *env, size_t size);
    int (*env_set_maxdbs)(void *env, unsigned dbs);
    int (*env_open)(void *env, const char *path, unsigned flags, mode_t mode);
    void (*env_close)(void *env);
    int (*txn_begin)(void *env, void *parent, unsigned flags, void **txn);
    int (*txn_commit)(void *txn);
    int (*dbi_open)(void *txn, const char *name, unsigned flags, unsigned *dbi);
    int (*put)(void *txn, unsigned dbi, struct mdb_val *key, struct mdb_val *data, unsigned flags);
} mdb;
#define MDB_CREATE 0x40000
#define MDB_APPEND 0x20000

static bool mdb_load(void)
{
    static const struct {
        const char *name;
        void *to;
    } functions[] = {
        {"mdb_env_create", &mdb.env_create},     {"mdb_env_set_mapsize", &mdb.env_set_mapsize},
        {"mdb_env_set_maxdbs", &mdb.env_set_maxdbs}, {"mdb_env_open", &mdb.env_open},
        {"mdb_env_close", &mdb.env_close},       {"mdb_txn_begin", &mdb.txn_begin},
        {"mdb_txn_commit", &mdb.txn_commit},     {"mdb_dbi_open", &mdb.dbi_open},
        {"mdb_put", &mdb.put},
    };
    void *lib = dlopen("liblmdb.so.0", RTLD_NOW);
    for (size_t i = 0; lib && i < ARRAY_LEN(functions); i++) {
        void *f = dlsym(lib, functions[i].name);
        if (!f)
            return false;
        memcpy(functions[i].to, &f, sizeof f);
    }
    return lib != NULL;
}

static void mdb_ok(int r)
{
    if (r != 0)
        die("LMDB failed");
}

static void lmdb_put(const char *name, size_t per_commit)
{
    if (!mdb_load()) {
        fprintf(stderr, "%s: left out, liblmdb.so.0 is not installed\n", name);
        return;
    }
    void *env, *txn;
    unsigned values, keys;
    if (mkdir(folder(), 0700) < 0)
        die(strerror(errno));
    mdb_ok(mdb.env_create(&env));
    mdb_ok(mdb.env_set_mapsize(env, (size_t)16 << 30));
    mdb_ok(mdb.env_set_maxdbs(env, 2));
    mdb_ok(mdb.env_open(env, folder(), 0, 0600));
    mdb_ok(mdb.txn_begin(env, NULL, 0, &txn));
    mdb_ok(mdb.dbi_open(txn, "values", MDB_CREATE, &values));
    mdb_ok(mdb.dbi_open(txn, "keys", MDB_CREATE, &keys));
    mdb_ok(mdb.txn_commit(txn));
    size_t ops = 0;
    double begin = now_s();
    latencies taken = {0};
    while (now_s() < begin + opt.seconds) {
        nsec_t from = clock_mono(&clock_real);
        mdb_ok(mdb.txn_begin(env, NULL, 0, &txn));
        for (size_t i = 0; i < per_commit; i++, ops++) {
            char key[64];
            uint64_t rev = __builtin_bswap64(ops + 2);
            str k = key_of(ops, key);
            mdb_ok(mdb.put(txn, values, &(struct mdb_val){8, &rev}, &(struct mdb_val){VALUE_BYTES, value_bytes}, MDB_APPEND));
            mdb_ok(mdb.put(txn, keys, &(struct mdb_val){k.len, k.p}, &(struct mdb_val){8, &rev}, 0));
        }
        mdb_ok(mdb.txn_commit(txn));
        vec_push(&taken, (uint32_t)((clock_mono(&clock_real) - from) / 100));
    }
    struct result r = {0};
    result_num(&r, "ops_per_s", (double)ops / (now_s() - begin));
    result_latency(&r, &taken);
    vec_fini(&taken);
    mdb.env_close(env);
    folder_remove(folder());
    result_print(name, &r);
}

static void bench_lmdb_put_1(const char *name)
{
    lmdb_put(name, 1);
}

static void bench_lmdb_put_64(const char *name)
{
    lmdb_put(name, 64);
}

/* --- the program ------------------------------------------------------------------------------------------------------------ */

static const struct workload {
    const char *name, *what;
    void (*run)(const char *name);
    bool by_default;
} workloads[] = {
    {"put-1", "one thread, each put waits for the disk", bench_put_1, true},
    {"lmdb-put-1", "the same with LMDB", bench_lmdb_put_1, true},
    {"put-64", "64 threads, each put waits for the disk", bench_put_64, true},
    {"put-64-async", "one thread, 64 puts in flight", bench_put_64_async, true},
    {"lmdb-put-64", "LMDB, 64 puts a commit", bench_lmdb_put_64, true},
    {"put-1024-async", "one thread, 1024 puts in flight", bench_put_1024_async, true},
    {"get", "gets of 100,000 keys: 1, 2, 16 threads, beside a writer", bench_get, true},
    {"range", "whole lists, counts, the oldest view", bench_range, true},
    {"pack", "running pods compressed against a dictionary, and read again", bench_pack, true},
    {"watch", "100 watches that see every put", bench_watch, true},
    {"watch-quiet", "10,000 watches that see none", bench_watch_quiet, true},
    {"load-100k", "100,000 objects: memory, snapshot, reopening, deleting", bench_load_100k, true},
    {"load-1m", "a million objects: the same; 3 GB of memory and disk", bench_load_1m, false},
};

static bool run_named(const char *name)
{
    bool found = false;
    for (size_t i = 0; i < ARRAY_LEN(workloads); i++) {
        if (name ? strcmp(workloads[i].name, name) == 0 : workloads[i].by_default) {
            workloads[i].run(workloads[i].name);
            found = true;
        }
    }
    return found;
}

static int usage(void)
{
    fprintf(stderr, "usage: bench-store [--list] [--workload NAME]... [--json] [--seconds N] [--keys N] [--dir FOLDER] [--no-fsync]\n");
    return 2;
}

int main(int argc, char **argv)
{
    VEC(const char *) names = {0};
    const char *tmp = getenv("TMPDIR");
    opt.dir = tmp ? tmp : "/tmp";
    memset(value_bytes, 'v', sizeof value_bytes);
    log_setup(LOG_WARN, false, 2);
    for (int i = 1; i < argc; i++) {
        str arg = str_of(argv[i]), next = str_of(i + 1 < argc ? argv[i + 1] : NULL);
        uint64_t n;
        if (str_is(arg, "--list")) {
            for (size_t j = 0; j < ARRAY_LEN(workloads); j++)
                printf("%-16s%s%s\n", workloads[j].name, workloads[j].what, workloads[j].by_default ? "" : " (only by name)");
            return 0;
        }
        if (str_is(arg, "--json") || str_is(arg, "--no-fsync")) {
            opt.json = opt.json || str_is(arg, "--json");
            opt.no_fsync = opt.no_fsync || str_is(arg, "--no-fsync");
            continue;
        }
        i++;
        if (str_is(arg, "--workload") && next.p)
            vec_push(&names, next.p);
        else if (str_is(arg, "--dir") && next.p)
            opt.dir = next.p;
        else if (str_is(arg, "--seconds") && str_to_double(next, &opt.seconds))
            continue;
        else if (str_is(arg, "--keys") && str_to_u64(next, &n))
            opt.keys = n;
        else
            return usage();
    }
    struct err err = ERR_NONE;
    if (failpoint_setup(&err) < 0)
        die(err.msg);
    bool ok = names.len > 0 || run_named(NULL);
    for (size_t i = 0; i < names.len && ok; i++)
        ok = run_named(names.p[i]);
    vec_fini(&names);
    return ok ? 0 : usage();
}
