/* SPDX-License-Identifier: Apache-2.0 */
#include "store/embedded/test_util.h"

static const struct store_embedded_opts fast = {.no_fsync = true};

TEST(put_get_delete)
{
    const char *dir = T_TMPDIR();
    struct store *s = must_open(dir, NULL);
    T_EQ_INT(store_revision(s), 1);
    T_EQ_INT(put(s, "/a", "1"), 2);
    T_EQ_INT(put(s, "/b", "2"), 3);
    T_VALUE(s, "/a", "1");
    T_OK(!has_key(s, "/c"));
    T_EQ_INT(put(s, "/a", "3"), 4);
    struct store_kv *kv = store_get(s, S("/a"));
    T_EQ_INT(kv->create_rev, 2);
    T_EQ_INT(kv->mod_rev, 4);
    store_kv_unref(kv);
    T_EQ_INT(del(s, "/a", STORE_ANY_REV), 5);
    T_OK(!has_key(s, "/a"));
    T_EQ_INT(del(s, "/a", STORE_ANY_REV), 0); /* changes nothing, takes no revision */
    T_EQ_INT(store_revision(s), 5);
    store_close(s);
    dir_remove(dir);
}

TEST(expectations)
{
    const char *dir = T_TMPDIR();
    struct store *s = must_open(dir, &fast);
    T_EQ_INT(put_if(s, "/a", "1", 0), 2);
    T_EQ_INT(put_if(s, "/a", "1", 0), -E_CONFLICT);
    T_EQ_INT(put_if(s, "/a", "2", 1), -E_CONFLICT);
    T_EQ_INT(put_if(s, "/a", "2", 2), 3);
    T_EQ_INT(put_if(s, "/b", "2", 2), -E_CONFLICT);
    T_EQ_INT(del(s, "/a", 2), -E_CONFLICT);
    T_EQ_INT(del(s, "/c", 0), 0);
    T_EQ_INT(del(s, "/a", 3), 4);
    T_EQ_INT(del(s, "/a", 3), -E_CONFLICT);
    store_close(s);
    dir_remove(dir);
}

TEST(a_failed_comparison_shows_what_is_there)
{
    const char *dir = T_TMPDIR();
    struct store *s = must_open(dir, &fast);
    put(s, "/a", "old");
    struct store_op ops[] = {
        {STORE_PUT, S("/new"), S("x"), 0, 0, NULL},
        {STORE_PUT, S("/a"), S("y"), 0, 99, NULL},
        {STORE_DELETE, S("/b"), S(""), 0, STORE_ANY_REV, NULL},
    };
    struct store_txn txn = {.ops = ops, .nops = 3};
    T_ERR(store_commit(s, &txn), E_CONFLICT);
    T_EQ_INT(txn.failed_op, 1);
    T_EQ_INT(txn.revision, 0);
    T_OK(!ops[0].kv && !ops[2].kv);
    T_EQ_STR(store_kv_value(ops[1].kv), "old");
    store_kv_unref(ops[1].kv);
    T_OK(!has_key(s, "/new"));
    T_EQ_INT(store_revision(s), 2);
    store_close(s);
    dir_remove(dir);
}

TEST(a_transaction_shares_one_revision)
{
    const char *dir = T_TMPDIR();
    struct store *s = must_open(dir, &fast);
    put(s, "/c", "gone");
    struct store_op ops[] = {
        {STORE_PUT, S("/a"), S("{\"rv\":\"\"}"), 7, 0, NULL},
        {STORE_PUT, S("/b"), S("x"), 1, STORE_ANY_REV, NULL},
        {STORE_DELETE, S("/c"), S(""), 0, 2, NULL},
        {STORE_DELETE, S("/absent"), S(""), 0, STORE_ANY_REV, NULL},
    };
    struct store_txn txn = {.ops = ops, .nops = 4};
    T_EQ_INT(store_commit(s, &txn), 0);
    T_EQ_INT(txn.revision, 3);
    T_EQ_STR(store_kv_value(ops[0].kv), "{\"rv\":\"3\"}");
    T_EQ_STR(store_kv_value(ops[1].kv), "x3");
    T_EQ_STR(store_kv_value(ops[2].kv), "gone");
    T_OK(!ops[3].kv);
    T_EQ_INT(ops[0].kv->mod_rev, 3);
    T_EQ_INT(ops[0].kv->rev_at, 7);
    for (size_t i = 0; i < 3; i++)
        store_kv_unref(ops[i].kv);
    T_VALUE(s, "/a", "{\"rv\":\"3\"}");
    store_close(s);
    /* The mark survives a restart. */
    s = must_open(dir, &fast);
    T_VALUE(s, "/a", "{\"rv\":\"3\"}");
    struct store_kv *kv = store_get(s, S("/a"));
    T_EQ_INT(kv->rev_at, 7);
    store_kv_unref(kv);
    store_close(s);
    dir_remove(dir);
}

TEST(bounds_are_kept)
{
    const char *dir = T_TMPDIR();
    struct store *s = must_open(dir, &fast);
    char *big = xmalloc(LIMIT_OBJECT_BYTES + 1);
    memset(big, 'x', LIMIT_OBJECT_BYTES + 1);
    T_EQ_INT(one_op(s, (struct store_op){STORE_PUT, S(""), S("v"), 0, 0, NULL}), -E_INVALID_ARG);
    T_EQ_INT(one_op(s, (struct store_op){STORE_PUT, str_n(big, LIMIT_STORE_KEY_BYTES + 1), S("v"), 0, 0, NULL}), -E_INVALID_ARG);
    T_EQ_INT(one_op(s, (struct store_op){STORE_PUT, S("k"), str_n(big, LIMIT_OBJECT_BYTES + 1), 0, 0, NULL}), -E_TOO_LARGE);
    T_EQ_INT(one_op(s, (struct store_op){STORE_PUT, S("k"), S("v"), 2, 0, NULL}), -E_INVALID_ARG);
    struct store_op twice[] = {{STORE_PUT, S("k"), S("1"), 0, 0, NULL}, {STORE_DELETE, S("k"), S(""), 0, 0, NULL}};
    struct store_txn txn = {.ops = twice, .nops = 2};
    T_ERR(store_commit(s, &txn), E_INVALID_ARG);
    T_EQ_INT(one_op(s, (struct store_op){STORE_PUT, str_n(big, LIMIT_STORE_KEY_BYTES), str_n(big, LIMIT_OBJECT_BYTES), 0, 0, NULL}), 2);
    free(big);
    store_close(s);
    s = must_open(dir, &fast);
    T_EQ_INT(store_revision(s), 2);
    struct store_stats st;
    store_stats(s, &st);
    T_EQ_INT(st.keys, 1);
    store_close(s);
    dir_remove(dir);
}

TEST(prefix_end)
{
    ARENA_AUTO a = ARENA_INIT;
    T_EQ_STR(store_prefix_end(&a, S("/a/")), "/a0");
    T_EQ_STR(store_prefix_end(&a, S("a\xff")), "b");
    T_EQ_STR(store_prefix_end(&a, S("\xff\xff")), "");
    T_EQ_STR(store_prefix_end(&a, S("")), "");
}

static bool append_key(void *arg, const struct store_kv *kv)
{
    strbuf_add_str(arg, store_kv_key(kv));
    strbuf_add_char(arg, ' ');
    return true;
}

TEST(views_of_now_and_of_the_past)
{
    const char *dir = T_TMPDIR();
    struct store *s = must_open(dir, &fast);
    struct err err = ERR_NONE;
    put(s, "/a", "1"); /* 2 */
    put(s, "/b", "1"); /* 3 */
    put(s, "/c", "1"); /* 4 */
    put(s, "/b", "2"); /* 5 */
    del(s, "/a", STORE_ANY_REV); /* 6 */
    struct store_view *v;
    T_NO_ERR(store_view_open(s, 0, &v, &err), &err);
    put(s, "/d", "1"); /* 7: not in the view */
    T_EQ_INT(store_view_revision(v), 6);
    STRBUF_AUTO keys = STRBUF_HEAP;
    T_EQ_INT(store_view_range(v, S(""), S(""), append_key, &keys), 2);
    T_EQ_STR(strbuf_str(&keys), "/b /c ");
    T_EQ_INT(store_view_count(v, S("/b"), S("/c")), 1);
    T_EQ_INT(store_view_count(v, S("/c"), S("/b")), 0);
    T_OK(!store_view_get(v, S("/d")));
    store_view_close(v);
    T_NO_ERR(store_view_open(s, 4, &v, &err), &err);
    strbuf_clear(&keys);
    store_view_range(v, S(""), S(""), append_key, &keys);
    T_EQ_STR(strbuf_str(&keys), "/a /b /c ");
    struct store_kv *kv = store_view_get(v, S("/b"));
    T_EQ_STR(store_kv_value(kv), "1");
    store_kv_unref(kv);
    T_EQ_INT(store_view_count(v, S(""), S("")), 3);
    store_view_close(v);
    T_NO_ERR(store_view_open(s, 1, &v, &err), &err);
    T_EQ_INT(store_view_count(v, S(""), S("")), 0);
    store_view_close(v);
    T_ERR(store_view_open(s, 8, &v, &err), E_TIMEOUT);
    T_ERR(store_compact(s, 9, &err), E_INVALID_ARG);
    T_NO_ERR(store_compact(s, 5, &err), &err);
    T_EQ_INT(store_compacted_revision(s), 5);
    T_ERR(store_view_open(s, 4, &v, &err), E_EXPIRED);
    T_NO_ERR(store_view_open(s, 5, &v, &err), &err);
    T_EQ_INT(store_view_count(v, S(""), S("")), 3);
    store_view_close(v);
    store_close(s);
    dir_remove(dir);
}

static _Atomic int ignored_wakes;

static void count_wake(void *arg)
{
    atomic_fetch_add((_Atomic int *)arg, 1);
}

TEST(watch_sees_its_prefix_and_sleeps_otherwise)
{
    const char *dir = T_TMPDIR();
    struct store *s = must_open(dir, &fast);
    struct err err = ERR_NONE;
    _Atomic int wakes = 0;
    struct store_watch *w;
    struct store_event ev[4];
    rev_t rev;
    put(s, "/x/0", "before");
    T_NO_ERR(store_watch_open(s, S("/x/"), 1, count_wake, &wakes, &w, &err), &err);
    T_EQ_INT(store_watch_next(w, ev, 4, &rev), 1);
    T_EQ_STR(store_kv_value(ev[0].kv), "before");
    T_OK(!ev[0].prev);
    T_EQ_INT(rev, 2);
    store_events_release(ev, 1);
    T_EQ_INT(store_watch_next(w, ev, 4, &rev), 0);
    put(s, "/y/0", "1"); /* 3: another prefix */
    T_EQ_INT(wakes, 0);
    put(s, "/x/0", "after"); /* 4 */
    T_EQ_INT(wakes, 1);
    put(s, "/x/1", "more"); /* 5: no second wake before next() */
    T_EQ_INT(wakes, 1);
    del(s, "/x/0", STORE_ANY_REV); /* 6 */
    T_EQ_INT(store_watch_next(w, ev, 2, &rev), 2);
    T_EQ_INT(rev, 5);
    T_EQ_INT(ev[0].rev, 4);
    T_EQ_STR(store_kv_value(ev[0].prev), "before");
    store_events_release(ev, 2);
    T_EQ_INT(store_watch_next(w, ev, 4, &rev), 1);
    T_EQ_INT(ev[0].type, STORE_DELETE);
    T_EQ_INT(ev[0].rev, 6);
    T_EQ_INT(ev[0].kv->mod_rev, 4);
    T_EQ_INT(rev, 6);
    store_events_release(ev, 1);
    T_EQ_INT(store_watch_next(w, ev, 4, &rev), 0);
    store_watch_close(w);
    put(s, "/x/2", "nobody");
    T_EQ_INT(wakes, 1);
    store_close(s);
    dir_remove(dir);
}

TEST(a_large_transaction_comes_in_parts)
{
    const char *dir = T_TMPDIR();
    struct store *s = must_open(dir, &fast);
    struct err err = ERR_NONE;
    struct store_op ops[700];
    char keys[700][16];
    for (size_t i = 0; i < 700; i++) {
        str key = str_n(keys[i], (size_t)snprintf(keys[i], 16, "/k%03zu", i));
        ops[i] = (struct store_op){STORE_PUT, key, S("v"), 0, 0, NULL};
    }
    struct store_txn txn = {.ops = ops, .nops = 700};
    T_EQ_INT(store_commit(s, &txn), 0);
    for (size_t i = 0; i < 700; i++)
        store_kv_unref(ops[i].kv);
    put(s, "/z", "1");
    struct store_watch *w;
    T_NO_ERR(store_watch_open(s, S(""), 1, count_wake, &ignored_wakes, &w, &err), &err);
    struct store_event ev[128];
    size_t total = 0;
    rev_t rev = 0;
    for (int n; (n = store_watch_next(w, ev, 100, &rev)) > 0;) {
        total += (size_t)n;
        T_EQ_INT(rev, total < 700 ? 1 : total == 700 ? 2 : 3);
        store_events_release(ev, (size_t)n);
    }
    T_EQ_INT(total, 701);
    store_watch_close(w);
    store_close(s);
    dir_remove(dir);
}

/* The writer answers first and moves the window of kept events after: a commit more, and what came before has been seen to. */
static rev_t settled_window(struct store *s)
{
    struct store_txn nothing = {0};
    err_ignore(store_commit(s, &nothing), "an empty transaction only waits its turn");
    return store_compacted_revision(s);
}

TEST(the_window_moves_and_quiet_watches_stay)
{
    const char *dir = T_TMPDIR();
    struct store_embedded_opts opts = {.no_fsync = true, .history_events = 64};
    struct store *s = must_open(dir, &opts);
    struct err err = ERR_NONE;
    struct store_watch *quiet, *slow, *late;
    struct store_event ev[8];
    rev_t rev;
    T_NO_ERR(store_watch_open(s, S("/quiet/"), 1, count_wake, &ignored_wakes, &quiet, &err), &err);
    T_NO_ERR(store_watch_open(s, S("/busy/"), 1, count_wake, &ignored_wakes, &slow, &err), &err);
    T_EQ_INT(store_watch_next(quiet, ev, 8, &rev), 0);
    T_EQ_INT(store_watch_next(slow, ev, 8, &rev), 0);
    for (int i = 0; i < 500; i++)
        put(s, "/busy/k", "v");
    T_OK(settled_window(s) > 400);
    struct store_stats st;
    store_stats(s, &st);
    T_OK(st.events_kept <= 64 && st.events_kept >= 40);
    T_EQ_INT(store_watch_next(quiet, ev, 8, &rev), 0);
    T_EQ_INT(rev, 501);
    T_ERR(store_watch_next(slow, ev, 8, &rev), E_EXPIRED);
    T_ERR(store_watch_open(s, S(""), 400, count_wake, &ignored_wakes, &late, &err), E_EXPIRED);
    put(s, "/quiet/k", "v");
    T_EQ_INT(store_watch_next(quiet, ev, 8, &rev), 1);
    store_events_release(ev, 1);
    /* The same when nobody asked during the long silence. */
    T_EQ_INT(store_watch_next(quiet, ev, 8, &rev), 0);
    for (int i = 0; i < 500; i++)
        put(s, "/busy/k", "v");
    put(s, "/quiet/k", "w");
    put(s, "/busy/k", "v");
    T_EQ_INT(store_watch_next(quiet, ev, 8, &rev), 1);
    T_EQ_STR(store_kv_value(ev[0].kv), "w");
    T_EQ_INT(rev, 1004);
    store_events_release(ev, 1);
    store_watch_close(quiet);
    store_watch_close(slow);
    store_close(s);
    dir_remove(dir);
}

/* --- against a naive store ---------------------------------------------------------------------------------------------- */

#define MODEL_KEYS 60
#define MODEL_REVS 1500

/* state[r][k]: mod revision of key k at revision r, 0: absent. */
static uint16_t state[MODEL_REVS + 8][MODEL_KEYS];

/* Long enough to be packed; where the 7 is, the store writes the revision. */
#define MODEL_VALUE                                                                                                                                   \
    "va{\"kind\":\"Pod\",\"spec\":{\"containers\":[{\"name\":\"main\",\"image\":\"registry/app\"}],\"restartPolicy\":\"Always\",\"dnsPolicy\":\"ClusterFirst\"}," \
    "\"status\":{\"phase\":\"Running\",\"conditions\":[{\"type\":\"Ready\",\"status\":\"True\"},{\"type\":\"Initialized\",\"status\":\"True\"}],\"hostIP\":\"10.0.0.1\"}}"

static void model_check_value(const struct store_kv *kv)
{
    char want[600];
    snprintf(want, sizeof want, "va%llu%s", (unsigned long long)kv->mod_rev, &MODEL_VALUE[2]);
    T_EQ_STR(store_kv_value(kv), want);
}

static str model_key(size_t k, char buf[32])
{
    return str_n(buf, (size_t)snprintf(buf, 32, "/%c/key-%02zu", "ab"[k % 2], k));
}

static void model_check_view(struct store *s, rev_t at)
{
    struct store_view *v;
    struct err err = ERR_NONE;
    T_NO_ERR(store_view_open(s, at, &v, &err), &err);
    size_t n = 0;
    for (size_t k = 0; k < MODEL_KEYS; k++) {
        char buf[32];
        CLEANUP(store_kv_unref) struct store_kv *kv = store_view_get(v, model_key(k, buf));
        T_EQ_INT(kv ? kv->mod_rev : 0, state[at][k]);
        if (kv)
            model_check_value(kv);
        n += kv != NULL && k % 2 == 0;
    }
    T_EQ_INT(store_view_count(v, S("/a/"), S("/a0")), n);
    STRBUF_AUTO keys = STRBUF_HEAP;
    T_EQ_INT(store_view_range(v, S("/a/"), S("/a0"), append_key, &keys), n);
    store_view_close(v);
}

/* One random transaction on the store and the model; returns the newest revision. */
static rev_t model_step(struct store *s, struct rng *rng, rev_t rev)
{
    struct store_op ops[4];
    char keys[4][32];
    size_t n = 1 + rng_below(rng, 4), first = rng_below(rng, MODEL_KEYS);
    uint16_t next[MODEL_KEYS];
    memcpy(next, state[rev], sizeof next);
    bool holds = true, changes = false;
    for (size_t i = 0; i < n; i++) {
        size_t k = (first + i * 7) % MODEL_KEYS;
        rev_t there = state[rev][k], expect = STORE_ANY_REV;
        if (rng_below(rng, 3) == 0)
            expect = rng_below(rng, 8) ? there : rng_below(rng, rev + 1);
        bool deletes = rng_below(rng, 3) == 0;
        ops[i] = (struct store_op){deletes ? STORE_DELETE : STORE_PUT, model_key(k, keys[i]), S(MODEL_VALUE), 2, expect, NULL};
        holds = holds && (expect == STORE_ANY_REV || expect == there);
        changes = changes || !deletes || there;
        next[k] = deletes ? 0 : (uint16_t)(rev + 1);
    }
    struct store_txn txn = {.ops = ops, .nops = n};
    int r = store_commit(s, &txn);
    T_EQ_INT(r, holds ? 0 : -E_CONFLICT);
    T_EQ_INT(txn.revision, holds && changes ? rev + 1 : 0);
    for (size_t i = 0; i < n; i++)
        store_kv_unref(ops[i].kv);
    if (txn.revision == 0)
        return rev;
    memcpy(state[rev + 1], next, sizeof next);
    return rev + 1;
}

/* Replays a watch's events over the model's state: none left out, none twice, each with the right version before. */
static void model_check_watch(struct store *s, rev_t after, rev_t newest)
{
    struct store_watch *w;
    struct err err = ERR_NONE;
    struct store_event ev[16];
    uint16_t at[MODEL_KEYS];
    rev_t rev = after, last = after;
    memcpy(at, state[after], sizeof at);
    T_NO_ERR(store_watch_open(s, S(""), after, count_wake, &ignored_wakes, &w, &err), &err);
    for (int n; (n = store_watch_next(w, ev, 16, &rev)) > 0; store_events_release(ev, (size_t)n)) {
        for (int i = 0; i < n; i++) {
            T_OK(ev[i].rev >= last && ev[i].rev > after);
            if (ev[i].rev > last)
                T_OK(memcmp(at, state[last], sizeof at) == 0);
            last = ev[i].rev;
            uint64_t k = 0;
            str_to_u64(str_from(store_kv_key(ev[i].kv), 7), &k);
            T_EQ_INT(ev[i].prev ? ev[i].prev->mod_rev : 0, at[k]);
            if (ev[i].prev)
                model_check_value(ev[i].prev);
            at[k] = ev[i].type == STORE_PUT ? (uint16_t)ev[i].rev : 0;
        }
    }
    T_EQ_INT(rev, newest);
    T_OK(memcmp(at, state[newest], sizeof at) == 0);
    store_watch_close(w);
}

/* Most keys that were packed at one time. */
static uint64_t model_run(const struct store_embedded_opts *opts)
{
    const char *dir = T_TMPDIR();
    struct store *s = must_open(dir, opts);
    uint64_t most = 0;
    struct rng rng;
    rng_seed(&rng, 42);
    rev_t rev = 1;
    while (rev < MODEL_REVS) {
        rev = model_step(s, &rng, rev);
        if (rng_below(&rng, 20) == 0) {
            rev_t oldest = settled_window(s);
            model_check_view(s, oldest + rng_below(&rng, rev - oldest + 1));
            model_check_watch(s, oldest + rng_below(&rng, rev - oldest + 1), rev);
        }
        if (rng_below(&rng, 100) == 0) {
            store_close(s);
            s = must_open(dir, opts);
            T_EQ_INT(store_revision(s), rev);
            model_check_view(s, rev);
        }
        struct store_stats st;
        store_stats(s, &st);
        most = MAX(most, st.packed_keys);
        T_OK(st.packed_keys <= st.keys && st.packed_bytes <= st.bytes_live && st.packed_resident_bytes <= st.packed_bytes / 2);
        T_OK(!st.failed);
    }
    store_close(s);
    struct err err = ERR_NONE;
    STRBUF_AUTO report = STRBUF_HEAP;
    T_NO_ERR(store_embedded_check(dir, &report, &err), &err);
    dir_remove(dir);
    return most;
}

TEST(random_transactions_against_a_naive_store)
{
    struct store_embedded_opts opts = {.no_fsync = true, .history_events = 1000, .snapshot_bytes = 200000, .segment_bytes = 80000};
    T_EQ_INT(model_run(&opts), 0);
}

/* The same when what is older than a few changes is packed all the time. */
TEST(random_transactions_on_packed_values)
{
    struct store_embedded_opts opts = {.no_fsync = true, .history_events = 16, .snapshot_bytes = 200000, .segment_bytes = 80000, .pack_above = 1};
    T_OK(model_run(&opts) > 0);
}

/* A round goes over all keys; what is changed meanwhile is left alone. */
TEST(cold_values_are_packed)
{
    const char *dir = T_TMPDIR();
    struct store_embedded_opts opts = {.no_fsync = true, .history_events = 64, .pack_above = 1000};
    struct store *s = must_open(dir, &opts);
    struct store_stats st;
    char key[40];
    for (int i = 0; i < 3000; i++) {
        snprintf(key, sizeof key, "/r/core/pods/default/pod-%d", i);
        T_OK(one_op(s, (struct store_op){STORE_PUT, str_of(key), S(MODEL_VALUE), 2, STORE_ANY_REV, NULL}) > 0);
    }
    for (int i = 0; i < 100000; i++) { /* writes of something else give it its turns */
        put(s, "/r/core/leases/x", "y");
        store_stats(s, &st);
        if (st.packed_keys >= 2900)
            break;
    }
    T_OK(st.packed_keys >= 2900);
    T_OK(st.packed_resident_bytes < st.packed_bytes / 3);
    for (int i = 0; i < 3000; i++) {
        snprintf(key, sizeof key, "/r/core/pods/default/pod-%d", i);
        struct store_kv *kv = store_get(s, str_of(key));
        T_OK(kv && !kv->is_packed && kv->mod_rev == (rev_t)i + 2);
        model_check_value(kv);
        store_kv_unref(kv);
    }
    /* what was packed counts until it goes */
    uint64_t before = st.packed_keys;
    T_OK(put(s, "/r/core/pods/default/pod-0", "short") > 0);
    T_OK(del(s, "/r/core/pods/default/pod-1", 3) > 0);
    T_ERR(put_if(s, "/r/core/pods/default/pod-2", "x", 3), E_CONFLICT);
    store_stats(s, &st);
    T_OK(st.packed_keys <= before + 128);
    store_close(s);
    s = must_open(dir, &opts);
    T_VALUE(s, "/r/core/pods/default/pod-0", "short");
    T_OK(!has_key(s, "/r/core/pods/default/pod-1"));
    store_close(s);
    dir_remove(dir);
}

/* Long enough for pinned versions. */
TEST(past_views_over_many_changes)
{
    const char *dir = T_TMPDIR();
    struct store *s = must_open(dir, &fast);
    struct store_view *v;
    struct err err = ERR_NONE;
    for (int i = 0; i < 12000; i++) {
        char key[32], value[32];
        snprintf(key, sizeof key, "/k/%d", i % 500);
        snprintf(value, sizeof value, "%d", i);
        T_EQ_INT(put(s, key, value), i + 2);
    }
    for (rev_t at = 502; at < 12000; at += 997) {
        T_NO_ERR(store_view_open(s, at, &v, &err), &err);
        T_EQ_INT(store_view_count(v, S(""), S("")), 500);
        for (int k = 0; k < 500; k += 49) {
            char key[32];
            snprintf(key, sizeof key, "/k/%d", k);
            rev_t want = (at - 2 - (rev_t)k) / 500 * 500 + (rev_t)k + 2;
            CLEANUP(store_kv_unref) struct store_kv *kv = store_view_get(v, str_of(key));
            T_EQ_INT(kv->mod_rev, want);
        }
        store_view_close(v);
    }
    store_close(s);
    dir_remove(dir);
}

TEST_MAIN(put_get_delete, expectations, a_failed_comparison_shows_what_is_there, a_transaction_shares_one_revision, bounds_are_kept,
          prefix_end, views_of_now_and_of_the_past, watch_sees_its_prefix_and_sleeps_otherwise, a_large_transaction_comes_in_parts,
          the_window_moves_and_quiet_watches_stay, random_transactions_against_a_naive_store, random_transactions_on_packed_values, cold_values_are_packed,
          past_views_over_many_changes)
