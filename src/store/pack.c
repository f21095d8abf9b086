/* SPDX-License-Identifier: Apache-2.0 */
#include "store/pack.h"

#include <pthread.h>
#include <zstd.h>

#define LEVEL 1 /* 3 takes twice the time for 5 % less */

struct pack_dict {
    _Atomic uint32_t refs;
    ZSTD_CDict *cdict; /* NULL once sealed */
    ZSTD_CCtx *cctx;
    ZSTD_DDict *ddict;
    char *scratch; /* room for the compressed form of the largest value */
};

/* Behind the key of a packed version. */
struct pack_tail {
    struct pack_dict *dict;
    uint32_t len;
} __attribute__((packed));

/* --- dictionaries -------------------------------------------------------------------------------------------- */

struct pack_dict *pack_dict_new(const str *samples, size_t n)
{
    struct pack_dict *d = xnew(struct pack_dict);
    char *text = xmalloc(PACK_DICT_BYTES);
    size_t at = PACK_DICT_BYTES;
    for (size_t i = n; i > 0 && at > 0; i--) { /* from the end: matches that are near cost fewer bits */
        size_t len = MIN(samples[i - 1].len, at);
        at -= len;
        memcpy(text + at, samples[i - 1].p + samples[i - 1].len - len, len);
    }
    atomic_init(&d->refs, 1);
    d->cdict = ZSTD_createCDict(text + at, PACK_DICT_BYTES - at, LEVEL);
    d->ddict = ZSTD_createDDict(text + at, PACK_DICT_BYTES - at);
    d->cctx = ZSTD_createCCtx();
    d->scratch = xmalloc(ZSTD_compressBound(PACK_MAX_BYTES));
    BUG_ON(!d->cdict || !d->ddict || !d->cctx);
    ZSTD_CCtx_refCDict(d->cctx, d->cdict);
    ZSTD_CCtx_setParameter(d->cctx, ZSTD_c_contentSizeFlag, 0);
    ZSTD_CCtx_setParameter(d->cctx, ZSTD_c_dictIDFlag, 0);
    free(text);
    return d;
}

void pack_dict_seal(struct pack_dict *d)
{
    ZSTD_freeCCtx(TAKE(d->cctx));
    ZSTD_freeCDict(TAKE(d->cdict));
    free(TAKE(d->scratch));
}

void pack_dict_unref(struct pack_dict *d)
{
    if (!d || atomic_fetch_sub_explicit(&d->refs, 1, memory_order_acq_rel) != 1)
        return;
    pack_dict_seal(d);
    ZSTD_freeDDict(d->ddict);
    free(d);
}

/* --- versions -------------------------------------------------------------------------------------------------- */

static struct pack_tail *tail_of(const struct store_kv *kv)
{
    return (struct pack_tail *)(uintptr_t)(kv->data + kv->key_len + 1);
}

struct store_kv *pack_kv(struct pack_dict *d, const struct store_kv *kv)
{
    str key = store_kv_key(kv), value = store_kv_value(kv);
    if (value.len < PACK_MIN_BYTES || value.len > PACK_MAX_BYTES)
        return NULL;
    size_t len = ZSTD_compress2(d->cctx, d->scratch, ZSTD_compressBound(PACK_MAX_BYTES), value.p, value.len);
    if (ZSTD_isError(len) || len + sizeof(struct pack_tail) > value.len / 2)
        return NULL;
    struct store_kv *packed = xmalloc(sizeof *packed + key.len + 1 + sizeof(struct pack_tail) + len);
    *packed = (struct store_kv){.refs = 1, .value_len = kv->value_len, .create_rev = kv->create_rev, .mod_rev = kv->mod_rev, .key_len = kv->key_len, .is_packed = true, .rev_at = kv->rev_at};
    memcpy(packed->data, key.p, key.len);
    packed->data[key.len] = 0;
    struct pack_tail tail = {.dict = d, .len = (uint32_t)len};
    memcpy(tail_of(packed), &tail, sizeof tail);
    memcpy((char *)tail_of(packed) + sizeof tail, d->scratch, len);
    atomic_fetch_add_explicit(&d->refs, 1, memory_order_relaxed);
    return packed;
}

/* A thread's own, until it ends. */
static pthread_key_t context_key;
static pthread_once_t context_once = PTHREAD_ONCE_INIT;

static void context_free(void *p)
{
    ZSTD_freeDCtx(p);
}

static void context_key_make(void)
{
    int r = pthread_key_create(&context_key, context_free);
    BUG_ON(r != 0);
}

static ZSTD_DCtx *context(void)
{
    pthread_once(&context_once, context_key_make);
    ZSTD_DCtx *c = pthread_getspecific(context_key);
    if (!c) {
        c = ZSTD_createDCtx();
        BUG_ON(!c || pthread_setspecific(context_key, c) != 0);
    }
    return c;
}

struct store_kv *pack_plain(struct store_kv *kv)
{
    if (!kv->is_packed)
        return store_kv_ref(kv);
    struct pack_tail tail;
    memcpy(&tail, tail_of(kv), sizeof tail);
    struct store_kv *plain = xmalloc(sizeof *plain + kv->key_len + kv->value_len + 2);
    *plain = (struct store_kv){.refs = 1, .value_len = kv->value_len, .create_rev = kv->create_rev, .mod_rev = kv->mod_rev, .key_len = kv->key_len, .rev_at = kv->rev_at};
    memcpy(plain->data, kv->data, kv->key_len + 1);
    char *value = plain->data + kv->key_len + 1;
    size_t len = ZSTD_decompress_usingDDict(context(), value, kv->value_len, (const char *)tail_of(kv) + sizeof tail, tail.len, tail.dict->ddict);
    BUG_ON(len != kv->value_len); /* made by pack_kv and never left this process */
    value[len] = 0;
    return plain;
}

size_t pack_resident_bytes(const struct store_kv *kv)
{
    if (!kv->is_packed)
        return store_kv_bytes(kv);
    struct pack_tail tail;
    memcpy(&tail, tail_of(kv), sizeof tail);
    return sizeof *kv + kv->key_len + 1 + sizeof tail + tail.len;
}

void pack_free(struct store_kv *kv)
{
    struct pack_tail tail;
    memcpy(&tail, tail_of(kv), sizeof tail);
    pack_dict_unref(tail.dict);
    free(kv);
}
