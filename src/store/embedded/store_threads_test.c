/* Writers, readers and watchers at once; meant for the thread sanitizer as much as for its own checks. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>
#include <semaphore.h>

#include "store/embedded/test_util.h"

#define WRITERS 4
#define READERS 2
#define WATCHERS 3
#define PAIRS 40
#ifdef COX_DEBUG
#define TXNS 400 /* sanitizer builds */
#else
#define TXNS 3000
#endif

struct shared {
    struct store *s;
    _Atomic bool stop;
    _Atomic uint64_t failures;
    _Atomic uint64_t commits;
    _Atomic rev_t newest;
};

static void expect(struct shared *sh, bool ok)
{
    if (!ok)
        atomic_fetch_add(&sh->failures, 1);
}

static str pair_key(char side, size_t i, char buf[32])
{
    return str_n(buf, (size_t)snprintf(buf, 32, "/%c/%03zu", side, i));
}

struct writer_arg {
    struct shared *sh;
    uint64_t seed;
};

/* Each transaction writes both sides of a pair with the same value, or deletes both: readers check that they never differ. */
static void *write_pairs(void *arg)
{
    struct writer_arg *wa = arg;
    struct shared *sh = wa->sh;
    struct rng rng;
    rng_seed(&rng, wa->seed);
    for (int n = 0; n < TXNS; n++) {
        size_t i = rng_below(&rng, PAIRS);
        char left[32], right[32], value[400]; /* the zeros: worth packing */
        str v = str_n(value, (size_t)snprintf(value, sizeof value, "%llu.%0300d", (unsigned long long)wa->seed, n));
        enum store_op_type type = rng_below(&rng, 4) ? STORE_PUT : STORE_DELETE;
        struct store_op ops[] = {
            {type, pair_key('l', i, left), v, 1, STORE_ANY_REV, NULL},
            {type, pair_key('r', i, right), v, 1, STORE_ANY_REV, NULL},
        };
        struct store_txn txn = {.ops = ops, .nops = 2};
        int r = store_commit(sh->s, &txn);
        expect(sh, r == 0);
        if (txn.revision) {
            atomic_fetch_add(&sh->commits, 1);
            expect(sh, store_revision(sh->s) >= txn.revision);
            expect(sh, ops[0].kv && ops[1].kv);
        }
        store_kv_unref(ops[0].kv);
        store_kv_unref(ops[1].kv);
    }
    return NULL;
}

static void check_view(struct shared *sh, rev_t at)
{
    struct store_view *v;
    struct err err = ERR_NONE;
    int r = store_view_open(sh->s, at, &v, &err);
    if (r < 0) {
        expect(sh, r == -E_EXPIRED);
        return;
    }
    size_t left = store_view_count(v, S("/l/"), S("/l0"));
    expect(sh, left == store_view_count(v, S("/r/"), S("/r0")));
    for (size_t i = 0; i < PAIRS; i++) {
        char buf[32];
        CLEANUP(store_kv_unref) struct store_kv *l = store_view_get(v, pair_key('l', i, buf));
        CLEANUP(store_kv_unref) struct store_kv *rr = store_view_get(v, pair_key('r', i, buf));
        expect(sh, !l == !rr);
        if (l && rr)
            expect(sh, l->mod_rev == rr->mod_rev && str_eq(store_kv_value(l), store_kv_value(rr)) &&
                           l->mod_rev <= store_view_revision(v));
    }
    store_view_close(v);
}

static void *read_pairs(void *arg)
{
    struct shared *sh = arg;
    struct rng rng;
    rng_seed(&rng, 7);
    rev_t last = 0;
    while (!atomic_load(&sh->stop)) {
        rev_t now = store_revision(sh->s), oldest = store_compacted_revision(sh->s);
        expect(sh, now >= last);
        last = now;
        check_view(sh, 0);
        if (now > oldest)
            check_view(sh, oldest + rng_below(&rng, now - oldest));
        char buf[32];
        for (int i = 0; i < 20; i++) {
            struct store_kv *kv = store_get(sh->s, pair_key('l', rng_below(&rng, PAIRS), buf));
            if (kv)
                expect(sh, kv->value_len > 2);
            store_kv_unref(kv);
        }
    }
    return NULL;
}

struct watcher {
    struct shared *sh;
    str prefix;
    size_t per_txn;
    sem_t woken;
    uint64_t events;
    rev_t last;
};

static void wake(void *arg)
{
    sem_post(&((struct watcher *)arg)->woken);
}

/* Every event is newer or equal, the version before is the one seen last for that key. */
static void *watch_pairs(void *arg)
{
    struct watcher *w = arg;
    struct store_watch *watch;
    struct err err = ERR_NONE;
    rev_t seen[2][PAIRS] = {{0}};
    if (store_watch_open(w->sh->s, w->prefix, 1, wake, w, &watch, &err) < 0) {
        expect(w->sh, false);
        return NULL;
    }
    rev_t rev = 0;
    for (;;) {
        struct store_event ev[16];
        int n = store_watch_next(watch, ev, 16, &rev);
        expect(w->sh, n >= 0);
        if (n < 0)
            break;
        for (int i = 0; i < n; i++) {
            str key = store_kv_key(ev[i].kv);
            uint64_t k = 0;
            expect(w->sh, str_to_u64(str_from(key, 3), &k) && k < PAIRS);
            rev_t *before = &seen[key.p[1] == 'r'][k];
            expect(w->sh, ev[i].rev >= w->last && (ev[i].prev ? ev[i].prev->mod_rev : 0) == *before);
            *before = ev[i].type == STORE_PUT ? ev[i].rev : 0;
            w->last = ev[i].rev;
        }
        w->events += (uint64_t)n;
        store_events_release(ev, (size_t)n);
        if (n == 0 && atomic_load(&w->sh->stop) && rev >= store_revision(w->sh->s))
            break;
        if (n == 0)
            sem_wait(&w->woken);
    }
    store_watch_close(watch);
    return NULL;
}

static void run_all(const struct store_embedded_opts *opts, size_t nwatchers)
{
    const char *dir = T_TMPDIR();
    struct shared sh = {.s = must_open(dir, opts)};
    static const char *const prefixes[WATCHERS] = {"", "/l/", "/r/"};
    pthread_t writers[WRITERS], readers[READERS], watchers[WATCHERS];
    struct writer_arg wargs[WRITERS];
    struct watcher wd[WATCHERS];
    for (size_t i = 0; i < nwatchers; i++) {
        wd[i] = (struct watcher){.sh = &sh, .prefix = str_of(prefixes[i]), .per_txn = i == 0 ? 2 : 1};
        sem_init(&wd[i].woken, 0, 0);
        pthread_create(&watchers[i], NULL, watch_pairs, &wd[i]);
    }
    for (size_t i = 0; i < READERS; i++)
        pthread_create(&readers[i], NULL, read_pairs, &sh);
    for (size_t i = 0; i < WRITERS; i++) {
        wargs[i] = (struct writer_arg){&sh, i + 1};
        pthread_create(&writers[i], NULL, write_pairs, &wargs[i]);
    }
    for (size_t i = 0; i < WRITERS; i++)
        pthread_join(writers[i], NULL);
    atomic_store(&sh.stop, true);
    for (size_t i = 0; i < READERS; i++)
        pthread_join(readers[i], NULL);
    uint64_t commits = atomic_load(&sh.commits);
    for (size_t i = 0; i < nwatchers; i++) {
        wake(&wd[i]);
        pthread_join(watchers[i], NULL);
        T_EQ_INT(wd[i].events, commits * wd[i].per_txn);
        sem_destroy(&wd[i].woken);
    }
    T_EQ_INT(atomic_load(&sh.failures), 0);
    T_EQ_INT(store_revision(sh.s), commits + 1);
    store_close(sh.s);
    sh.s = must_open(dir, opts);
    T_EQ_INT(store_revision(sh.s), commits + 1);
    check_view(&sh, 0);
    T_EQ_INT(atomic_load(&sh.failures), 0);
    store_close(sh.s);
    dir_remove(dir);
}

TEST(writers_readers_and_watchers)
{
    struct store_embedded_opts opts = {.no_fsync = true, .snapshot_bytes = 500000, .segment_bytes = 1000000};
    run_all(&opts, WATCHERS);
}

/* A watch from the beginning would fall out of so short a window. */
TEST(writers_and_readers_of_packed_values)
{
    struct store_embedded_opts opts = {.no_fsync = true, .snapshot_bytes = 500000, .segment_bytes = 1000000, .history_events = 32, .pack_above = 1};
    run_all(&opts, 0);
}

/* --- closing and a full queue --------------------------------------------------------------------------------------------- */

struct flood {
    struct store_txn txn;
    struct store_op op;
    _Atomic int *answered;
};

static void flood_done(struct store_txn *txn)
{
    struct flood *f = txn->owner;
    store_kv_unref(f->op.kv);
    atomic_fetch_add(f->answered, 1);
}

TEST(a_full_queue_is_busy_and_close_answers_everything)
{
    const char *dir = T_TMPDIR();
    struct store *s = must_open(dir, NULL);
    enum { N = LIMIT_STORE_QUEUE * 2 };
    struct flood *floods = xarray(N, struct flood);
    _Atomic int answered = 0;
    int queued = 0;
    for (int i = 0; i < N; i++) {
        struct flood *f = &floods[i];
        f->op = (struct store_op){STORE_PUT, S("/k"), S("v"), 0, STORE_ANY_REV, NULL};
        f->txn = (struct store_txn){.ops = &f->op, .nops = 1, .done = flood_done, .owner = f};
        f->answered = &answered;
        int r = store_submit(s, &f->txn);
        if (r == 0)
            queued++;
        else
            T_ERR(r, E_BUSY);
    }
    store_close(s);
    T_EQ_INT(answered, queued);
    free(floods);
    s = must_open(dir, NULL);
    T_EQ_INT(store_revision(s), queued + 1);
    store_close(s);
    dir_remove(dir);
}

TEST_MAIN(writers_readers_and_watchers, writers_and_readers_of_packed_values, a_full_queue_is_busy_and_close_answers_everything)
