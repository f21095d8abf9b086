/* SPDX-License-Identifier: Apache-2.0 */
#include "base/clock.h"
#include "base/test.h"
#include "store/embedded/crc32c.h"
#include "store/embedded/history.h"

TEST(crc32c_known_values)
{
    T_EQ_INT(crc32c(0, "123456789", 9), 0xe3069283);
    T_EQ_INT(crc32c_tables(0, "123456789", 9), 0xe3069283);
    char bytes[300];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (char)(i * 7);
    for (size_t len = 0; len < sizeof bytes; len++)
        T_EQ_INT(crc32c(crc32c(0, bytes, len / 3), bytes + len / 3, len - len / 3), crc32c_tables(0, bytes, len));
}

/* --- the tree against a sorted array ---------------------------------------------------------------------------------- */

#define KEYS 3000

struct model {
    rev_t rev[KEYS]; /* mod_rev of key i, 0: absent */
};

static str key_of(size_t i, char buf[32])
{
    return str_n(buf, (size_t)snprintf(buf, 32, "/r/%zu/k%05zu", i % 7, i));
}

static struct store_kv *kv_at(size_t i, rev_t rev)
{
    char buf[32];
    struct store_kv *kv = store_kv_new(key_of(i, buf), S("v"), 0, 0);
    kv->mod_rev = kv->create_rev = rev;
    return kv;
}

static void check_against(const struct model *m, const struct tree_node *root)
{
    const char *wrong = tree_validate(root);
    if (wrong)
        T_FAIL_("%s", wrong);
    size_t n = 0;
    for (size_t i = 0; i < KEYS; i++) {
        char buf[32];
        const struct store_kv *kv = tree_get(root, key_of(i, buf));
        T_EQ_INT(kv ? kv->mod_rev : 0, m->rev[i]);
        n += m->rev[i] != 0;
    }
    T_EQ_INT(tree_len(root), n);
}

#define HELD 4

struct bed {
    struct versions vs;
    struct model model;
    struct rng rng;
    rev_t rev;
    struct version *held[HELD];
    struct model held_model[HELD];
};

static const struct tree_node *current_root(struct bed *b)
{
    return ((struct version *)atomic_load(&b->vs.current))->root;
}

/* One batch of random edits, published or, now and then, given up. */
static void edit_batch(struct bed *b, unsigned put_percent)
{
    tree_items retired = {0};
    struct tree_edit e = {.tag = b->rev + 1, .retired = &retired};
    struct tree_node *root = (struct tree_node *)(uintptr_t)current_root(b);
    struct model model_before = b->model;
    rev_t rev_before = b->rev;
    VEC(struct store_kv *) made = {0};
    for (uint64_t n = 1 + rng_below(&b->rng, 100); n > 0; n--) {
        size_t k = rng_below(&b->rng, KEYS);
        char buf[32];
        struct store_kv *old;
        rev_t before = b->model.rev[k];
        b->rev++;
        if (rng_below(&b->rng, 100) < put_percent) {
            vec_push(&made, kv_at(k, b->rev));
            old = tree_put(&e, &root, made.p[made.len - 1]);
            b->model.rev[k] = b->rev;
        } else {
            old = tree_del(&e, &root, key_of(k, buf));
            b->model.rev[k] = 0;
        }
        T_EQ_INT(old ? old->mod_rev : 0, before);
        if (old)
            vec_push(&retired, tree_item_kv(old));
    }
    if (rng_below(&b->rng, 10) > 0) {
        versions_publish(&b->vs, root, b->rev, &retired);
    } else {
        tree_discard(root, e.tag);
        for (size_t i = 0; i < made.len; i++)
            store_kv_unref(made.p[i]);
        b->model = model_before;
        b->rev = rev_before;
    }
    vec_fini(&made);
    vec_fini(&retired);
}

/* Random edits in batches; every published version must stay readable while it is held, and everything must be freed at the end
 * (the leak checker tells). */
static void edit_randomly(uint64_t seed, unsigned put_percent)
{
    struct bed *b = xnew(struct bed);
    versions_init(&b->vs, NULL, 1);
    b->rev = 1;
    rng_seed(&b->rng, seed);
    for (int batch = 0; batch < 300; batch++) {
        edit_batch(b, batch < 150 ? put_percent : 100 - put_percent);
        size_t slot = rng_below(&b->rng, HELD);
        if (b->held[slot]) {
            check_against(&b->held_model[slot], b->held[slot]->root);
            version_unref(b->held[slot]);
        }
        b->held[slot] = version_ref(atomic_load(&b->vs.current));
        b->held_model[slot] = b->model;
        versions_reclaim(&b->vs);
        if (batch % 16 == 0)
            check_against(&b->model, current_root(b));
    }
    check_against(&b->model, current_root(b));
    for (size_t i = 0; i < HELD; i++) {
        if (b->held[i])
            version_unref(b->held[i]);
    }
    T_OK(versions_fini(&b->vs));
    free(b);
}

TEST(tree_equals_a_sorted_array)
{
    edit_randomly(1, 80);
    edit_randomly(2, 95);
    edit_randomly(3, 50);
}

TEST(tree_empties_and_fills_again)
{
    struct tree_edit e = {.tag = 1};
    struct tree_node *root = NULL;
    for (int round = 0; round < 2; round++) {
        for (size_t i = 0; i < KEYS; i++)
            T_OK(!tree_put(&e, &root, kv_at(i, 1)));
        T_EQ_INT(tree_len(root), KEYS);
        for (size_t i = 0; i < KEYS; i++) {
            char buf[32];
            store_kv_unref(tree_del(&e, &root, key_of((i * 7 + 3) % KEYS, buf)));
            if (i % 500 == 0 && tree_validate(root))
                T_FAIL_("%s", tree_validate(root));
        }
        T_OK(root == NULL);
    }
}

/* --- ranges ----------------------------------------------------------------------------------------------------------- */

struct seen {
    size_t n, stop_after;
    rev_t last;
    bool ordered;
};

static bool see(void *arg, const struct store_kv *kv)
{
    struct seen *s = arg;
    if (kv->mod_rev <= s->last)
        s->ordered = false;
    s->last = kv->mod_rev;
    return ++s->n != s->stop_after;
}

TEST(tree_build_range_and_rank)
{
    for (size_t n = 1; n < 6000; n = n * 3 + 1) {
        struct store_kv **kvs = xarray(n, struct store_kv *);
        char buf[32];
        for (size_t i = 0; i < n; i++) {
            kvs[i] = store_kv_new(str_n(buf, (size_t)snprintf(buf, sizeof buf, "k%06zu", i)), S(""), 0, 0);
            kvs[i]->mod_rev = i + 1;
        }
        struct tree_node *root = tree_build(1, kvs, n);
        T_OK(!tree_validate(root));
        for (size_t from = 0; from <= n; from += n / 7 + 1) {
            for (size_t end = 0; end <= n + 1; end += n / 5 + 1) {
                char b2[32];
                str f = str_n(buf, (size_t)snprintf(buf, sizeof buf, "k%06zu", from));
                str t = str_n(b2, (size_t)snprintf(b2, sizeof b2, "k%06zu", end));
                struct seen s = {.ordered = true, .last = from};
                size_t want = MIN(end, n) > from ? MIN(end, n) - from : 0;
                T_EQ_INT(tree_range(root, f, t, see, &s), want);
                T_EQ_INT(s.n, want);
                T_OK(s.ordered);
                T_EQ_INT(tree_rank(root, f), MIN(from, n));
            }
        }
        struct seen all = {.ordered = true};
        T_EQ_INT(tree_range(root, STR_NONE, STR_NONE, see, &all), n);
        struct seen some = {.stop_after = 1};
        T_EQ_INT(tree_range(root, S(""), S(""), see, &some), 1);
        tree_free(root);
        free(kvs);
    }
}

TEST(mark_is_inserted_whatever_its_length)
{
    for (uint32_t gap = 1; gap < 8; gap++) {
        struct store_kv *kv = store_kv_new(S("k"), S("rv=;"), 3, gap);
        kv = store_kv_set_mark(kv, gap, 12345);
        T_EQ_STR(store_kv_value(kv), "rv=12345;");
        T_EQ_STR(store_kv_key(kv), "k");
        T_EQ_INT(kv->rev_at, 3);
        T_EQ_INT(kv->data[kv->key_len + 1 + kv->value_len], 0);
        store_kv_unref(kv);
    }
    T_EQ_INT(store_rev_digits(9), 1);
    T_EQ_INT(store_rev_digits(10), 2);
    T_EQ_INT(store_rev_digits(UINT64_MAX), 20);
}

TEST_MAIN(crc32c_known_values, tree_equals_a_sorted_array, tree_empties_and_fills_again, tree_build_range_and_rank,
          mark_is_inserted_whatever_its_length)
