/* SPDX-License-Identifier: Apache-2.0 */
#include "base/clock.h"
#include "base/test.h"
#include "store/pack.h"

static struct store_kv *object(size_t i, size_t more)
{
    char key[64];
    struct strbuf b = STRBUF_HEAP;
    strbuf_addf(&b, "{\"kind\":\"Pod\",\"metadata\":{\"resourceVersion\":\"\",\"name\":\"pod-%zu\",\"uid\":\"%08zx-0000\"},\"spec\":{\"nodeName\":\"node-%zu\",\"restartPolicy\":\"Always\",", i, i * 2654435761u, i % 7);
    strbuf_addf(&b, "\"containers\":[{\"name\":\"main\",\"image\":\"registry/app:v1\",\"terminationMessagePath\":\"/dev/termination-log\",\"imagePullPolicy\":\"IfNotPresent\"}]},\"status\":{\"phase\":\"Running\"");
    for (size_t k = 0; k < more; k++)
        strbuf_addf(&b, ",\"field-%zu\":%zu", k * k + i, k * 7919 + i);
    strbuf_addf(&b, "}}");
    struct store_kv *kv = store_kv_new(str_n(key, (size_t)snprintf(key, sizeof key, "/r/core/pods/default/pod-%zu", i)), strbuf_str(&b), 49, 5);
    kv = store_kv_set_mark(kv, 5, 10000 + i);
    kv->mod_rev = 10000 + i;
    kv->create_rev = i + 1;
    strbuf_fini(&b);
    return kv;
}

static struct pack_dict *dict_of(size_t n)
{
    struct store_kv *kvs[16];
    str texts[16] = {0};
    for (size_t i = 0; i < n; i++) {
        kvs[i] = object(1000 + i, 0);
        texts[i] = store_kv_value(kvs[i]);
    }
    struct pack_dict *d = pack_dict_new(texts, n);
    for (size_t i = 0; i < n; i++)
        store_kv_unref(kvs[i]);
    return d;
}

TEST(what_is_packed_comes_back_whole)
{
    struct pack_dict *d = dict_of(10);
    struct store_kv *packed[300];
    size_t plain_bytes = 0, bytes = 0;
    for (size_t i = 0; i < 300; i++) {
        struct store_kv *kv = object(i, i % 40);
        packed[i] = pack_kv(d, kv);
        T_OK(packed[i] && packed[i]->is_packed && packed[i]->mod_rev == kv->mod_rev);
        T_EQ_INT(store_kv_bytes(packed[i]), store_kv_bytes(kv)); /* of the value, whatever its form */
        plain_bytes += store_kv_bytes(kv);
        bytes += pack_resident_bytes(packed[i]);
        store_kv_unref(kv);
    }
    T_OK(bytes < plain_bytes / 2);
    pack_dict_seal(d);
    pack_dict_unref(d); /* the versions keep it */
    for (size_t i = 0; i < 300; i++) {
        struct store_kv *want = object(i, i % 40), *kv = pack_plain(packed[i]);
        T_OK(!kv->is_packed && kv->mod_rev == want->mod_rev && kv->create_rev == want->create_rev && kv->rev_at == want->rev_at);
        T_OK(str_eq(store_kv_key(kv), store_kv_key(want)));
        T_OK(str_eq(store_kv_value(kv), store_kv_value(want)) && kv->data[kv->key_len + 1 + kv->value_len] == 0);
        store_kv_unref(want);
        store_kv_unref(kv);
        store_kv_unref(packed[i]);
    }
}

TEST(what_gains_little_stays_plain)
{
    struct pack_dict *d = dict_of(3);
    struct rng rng;
    rng_seed(&rng, 3);
    static char noise[PACK_MAX_BYTES + 1];
    for (size_t i = 0; i < sizeof noise; i++)
        noise[i] = (char)rng_below(&rng, 256);
    const struct {
        size_t len;
    } cases[] = {{0}, {PACK_MIN_BYTES - 1}, {PACK_MIN_BYTES}, {5000}, {PACK_MAX_BYTES}, {PACK_MAX_BYTES + 1}};
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct store_kv *kv = store_kv_new(S("/k"), str_n(noise, cases[i].len), 0, 0);
        T_OK(!pack_kv(d, kv));
        struct store_kv *same = pack_plain(kv);
        T_OK(same == kv);
        store_kv_unref(same);
        store_kv_unref(kv);
    }
    memset(noise, 'a', sizeof noise);
    struct store_kv *large = store_kv_new(S("/k"), str_n(noise, PACK_MAX_BYTES), 0, 0), *packed = pack_kv(d, large);
    T_OK(packed && pack_resident_bytes(packed) < 1000);
    struct store_kv *back = pack_plain(packed);
    T_OK(str_eq(store_kv_value(back), store_kv_value(large)));
    store_kv_unref(back);
    store_kv_unref(packed);
    store_kv_unref(large);
    pack_dict_unref(d);
}

/* Longer than a dictionary takes: the end of it counts. */
TEST(many_and_long_samples)
{
    struct store_kv *kv = object(1, 400);
    str samples[12];
    for (size_t i = 0; i < ARRAY_LEN(samples); i++)
        samples[i] = store_kv_value(kv);
    struct pack_dict *d = pack_dict_new(samples, ARRAY_LEN(samples));
    struct store_kv *other = object(1, 401), *packed = pack_kv(d, other);
    T_OK(packed && pack_resident_bytes(packed) < 400);
    struct store_kv *back = pack_plain(packed);
    T_OK(str_eq(store_kv_value(back), store_kv_value(other)));
    store_kv_unref(back);
    store_kv_unref(packed);
    store_kv_unref(other);
    store_kv_unref(kv);
    pack_dict_unref(d);
}

TEST_MAIN(what_is_packed_comes_back_whole, what_gains_little_stays_plain, many_and_long_samples)
