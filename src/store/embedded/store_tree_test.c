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

/* Random edits in batches; every published version must stay readable while it is held, and everything must be freed at the end
 * (the leak checker tells). */
static void edit_randomly(uint64_t seed, unsigned put_percent_begin)
{
    struct versions *vs = xnew(struct versions);
    versions_init(vs, NULL, 1);
    struct model *m = xnew(struct model);
    struct rng rng;
    rng_seed(&rng, seed);
    struct version *held[4] = {0};
    struct model *held_model[4] = {0};
    rev_t rev = 1;
    for (int batch = 0; batch < 300; batch++) {
        struct version *cur = atomic_load(&vs->current);
        tree_items retired = {0};
        struct tree_edit e = {.tag = rev + 1, .retired = &retired};
        struct tree_node *root = cur->root;
        struct model before = *m;
        unsigned put_percent = batch < 150 ? put_percent_begin : 100 - put_percent_begin;
        size_t made = 0;
        struct store_kv *fresh[128];
        rev_t old_rev = rev;
        for (uint64_t n = 1 + rng_below(&rng, 100); n > 0; n--) {
            size_t k = rng_below(&rng, KEYS);
            char buf[32];
            struct store_kv *old;
            rev++;
            if (rng_below(&rng, 100) < put_percent) {
                fresh[made] = kv_at(k, rev);
                old = tree_put(&e, &root, fresh[made++]);
                T_EQ_INT(old ? old->mod_rev : 0, m->rev[k]);
                m->rev[k] = rev;
            } else {
                old = tree_del(&e, &root, key_of(k, buf));
                T_EQ_INT(old ? old->mod_rev : 0, m->rev[k]);
                m->rev[k] = 0;
            }
            if (old)
                vec_push(&retired, tree_item_kv(old));
        }
        if (rng_below(&rng, 10) == 0) { /* given up */
            tree_discard(root, e.tag);
            for (size_t i = 0; i < made; i++)
                store_kv_unref(fresh[i]);
            *m = before;
            rev = old_rev;
        } else {
            versions_publish(vs, root, rev, &retired);
        }
        vec_fini(&retired);
        size_t slot = rng_below(&rng, 4);
        if (held[slot]) {
            check_against(held_model[slot], held[slot]->root);
            version_unref(held[slot]);
        } else {
            held_model[slot] = xnew(struct model);
        }
        held[slot] = version_ref(atomic_load(&vs->current));
        *held_model[slot] = *m;
        versions_reclaim(vs);
        if (batch % 16 == 0)
            check_against(m, ((struct version *)atomic_load(&vs->current))->root);
    }
    check_against(m, ((struct version *)atomic_load(&vs->current))->root);
    for (size_t i = 0; i < 4; i++) {
        if (held[i])
            version_unref(held[i]);
        free(held_model[i]);
    }
    T_OK(versions_fini(vs));
    free(vs);
    free(m);
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
