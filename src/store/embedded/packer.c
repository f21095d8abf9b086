/* packer.c - the thread that compresses what nobody has changed for a while, when the values take much memory.
 *
 *   packer: a round over the current version, key by key ─► plain, older than the window ─► pack_kv ─► an offer of up to PACK_OFFER pairs
 *   writer: with its next batch, for each pair whose plain version is still the key's: the packed one into the tree, the plain one retired
 * It is no change: no revision, no event, nothing in the log.  With a batch of real changes, because a version of its own for the same
 * revision would be one more thing for readers of the past to tell apart; a store that nobody writes to has no reason to hurry.
 *
 * A dictionary serves a family of keys, those with the same first three parts ("/r/core/pods/...").  It is made of values met in the
 * round, and made anew when it has become a poor one: what was Pending then is Running now. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "base/map.h"
#include "store/embedded/internal.h"
#include "store/pack.h"

#define ROUND_STEP 4096      /* keys looked at with one version held */
#define SAMPLES 10
#define SAMPLE_EVERY 7       /* neighbours are likely to be of one owner: not only those */
#define POOR_SHARE 0.25      /* of the plain bytes: a dictionary that leaves more is tried anew ... */
#define POOR_AFTER 4096      /* ... after so many values */
#define REST_SHARE 8         /* a round ends this part below the limit */
#define REST_MIN_NS NSEC_PER_MSEC
#define REST_MAX_NS (60 * NSEC_PER_SEC) /* between rounds that find little */
#define LITTLE_SHARE 16      /* of the plain bytes */
#define FAMILIES 64          /* keys of further ones stay plain */

struct family {
    struct pack_dict *dict; /* NULL: too few values seen */
    struct store_kv *samples[SAMPLES];
    size_t nsamples, skipped;
    uint64_t plain, packed, values; /* bytes and number since the dictionary was made */
};

struct round {
    struct embedded *e;
    struct map families;     /* prefix -> struct family */
    VEC(char) from;          /* key where the next step begins */
    VEC(struct store_kv *) found;
    size_t seen;
    uint64_t gained;         /* plain bytes that were packed */
    bool more;
    rev_t window;            /* what changed since is still hot */
};

uint64_t packer_plain_bytes(struct embedded *e)
{
    uint64_t live = atomic_load(&e->stats.bytes_live), packed = atomic_load(&e->stats.packed_bytes);
    return live > packed ? live - packed : 0;
}

/* --- families -------------------------------------------------------------------------------------------------------- */

static str family_name(str key)
{
    size_t slashes = 0, i = 0;
    for (; i < key.len && slashes < 4; i++)
        slashes += key.p[i] == '/';
    return str_sub(key, 0, i);
}

static struct family *family_of(struct round *r, str key)
{
    str name = family_name(key);
    struct family *f = map_get(&r->families, name);
    if (!f && r->families.len < FAMILIES) {
        f = xnew(struct family);
        char *own = str_dup(name); /* as long as the packer runs */
        map_put(&r->families, str_n(own, name.len), f);
    }
    return f;
}

static void samples_drop(struct family *f)
{
    for (size_t i = 0; i < f->nsamples; i++)
        store_kv_unref(f->samples[i]);
    f->nsamples = f->skipped = 0;
}

static void dict_make(struct family *f)
{
    str texts[SAMPLES];
    for (size_t i = 0; i < f->nsamples; i++)
        texts[i] = store_kv_value(f->samples[i]);
    if (f->dict) {
        pack_dict_seal(f->dict);
        pack_dict_unref(f->dict);
    }
    f->dict = pack_dict_new(texts, f->nsamples);
    f->plain = f->packed = f->values = 0;
    samples_drop(f);
}

/* Collects what the next dictionary is made of. */
static void sample(struct family *f, struct store_kv *kv)
{
    if (f->skipped++ % SAMPLE_EVERY)
        return;
    f->samples[f->nsamples++] = store_kv_ref(kv);
    if (f->nsamples == SAMPLES)
        dict_make(f);
}

/* After a round: families with few values have met all they have. */
static void dicts_complete(struct round *r)
{
    map_foreach(it, &r->families) {
        struct family *f = it->value;
        if (!f->dict && f->nsamples)
            dict_make(f);
    }
}

static bool wants_samples(const struct family *f)
{
    return !f->dict || (f->values >= POOR_AFTER && (double)f->packed > POOR_SHARE * (double)f->plain);
}

static struct store_kv *pack_one(struct round *r, struct store_kv *kv)
{
    struct family *f = family_of(r, store_kv_key(kv));
    if (!f || kv->value_len < PACK_MIN_BYTES || kv->value_len > PACK_MAX_BYTES)
        return NULL;
    if (wants_samples(f))
        sample(f, kv);
    struct store_kv *packed = f->dict ? pack_kv(f->dict, kv) : NULL;
    if (f->dict) {
        f->values++;
        f->plain += store_kv_bytes(kv);
        f->packed += packed ? pack_resident_bytes(packed) : store_kv_bytes(kv);
    }
    return packed;
}

static void families_free(struct round *r)
{
    map_foreach(it, &r->families) {
        struct family *f = it->value;
        samples_drop(f);
        pack_dict_unref(f->dict);
        free(f);
        free((char *)(uintptr_t)it->key.p);
    }
    map_fini(&r->families);
}

/* --- a round --------------------------------------------------------------------------------------------------------------- */

static bool look(void *arg, const struct store_kv *kv)
{
    struct round *r = arg;
    if (r->seen++ >= ROUND_STEP || r->found.len == PACK_OFFER) {
        str key = store_kv_key(kv);
        vec_clear(&r->from);
        vec_reserve(&r->from, key.len);
        memcpy(r->from.p, key.p, key.len);
        r->from.len = key.len;
        r->more = true;
        return false;
    }
    if (!kv->is_packed && kv->mod_rev <= r->window && kv->value_len >= PACK_MIN_BYTES)
        vec_push(&r->found, store_kv_ref((struct store_kv *)(uintptr_t)kv));
    return true;
}

/* Waits until the writer has taken the last offer.  False: the store closes. */
static bool offer_wait(struct embedded *e)
{
    pthread_mutex_lock(&e->pack.lock);
    while (e->pack.offered && !e->pack.quit)
        pthread_cond_wait(&e->pack.cond, &e->pack.lock);
    bool quit = e->pack.quit;
    pthread_mutex_unlock(&e->pack.lock);
    return !quit;
}

static void offer(struct round *r)
{
    struct embedded *e = r->e;
    size_t n = 0;
    for (size_t i = 0; i < r->found.len; i++) {
        struct store_kv *packed = pack_one(r, r->found.p[i]);
        if (packed) {
            e->pack.pairs[n++] = (struct pack_pair){r->found.p[i], packed};
            r->gained += store_kv_bytes(packed);
        } else {
            store_kv_unref(r->found.p[i]);
        }
    }
    vec_clear(&r->found);
    pthread_mutex_lock(&e->pack.lock);
    e->pack.npairs = n;
    e->pack.offered = n > 0;
    atomic_store(&e->pack.is_offered, n > 0);
    pthread_mutex_unlock(&e->pack.lock);
}

/* The key space once, from where the last round ended, or until enough is packed. */
static void round_run(struct round *r)
{
    struct embedded *e = r->e;
    size_t left = atomic_load(&e->stats.keys);
    while (left && packer_plain_bytes(e) > e->opts.pack_above - e->opts.pack_above / REST_SHARE && offer_wait(e)) {
        struct version *v = embedded_version_take(e);
        r->window = atomic_load(&e->history.compacted);
        r->seen = 0;
        r->more = false;
        tree_range(v->root, str_n(r->from.p, r->from.len), S(""), look, r);
        version_unref(v);
        left -= MIN(left, MAX(r->seen, (size_t)1));
        if (!r->more)
            vec_clear(&r->from);
        offer(r);
    }
}

static void *packer_run(void *arg)
{
    struct embedded *e = arg;
    struct round r = {.e = e, .families = MAP_INIT};
    nsec_t rest = REST_MIN_NS;
    for (;;) {
        pthread_mutex_lock(&e->pack.lock);
        while (!e->pack.wanted && !e->pack.quit)
            pthread_cond_wait(&e->pack.cond, &e->pack.lock);
        bool quit = e->pack.quit;
        pthread_mutex_unlock(&e->pack.lock);
        if (quit)
            break;
        r.gained = 0;
        round_run(&r);
        dicts_complete(&r);
        bool found_little = r.gained < packer_plain_bytes(e) / LITTLE_SHARE;
        rest = found_little ? MIN(rest * 2, REST_MAX_NS) : REST_MIN_NS;
        pthread_mutex_lock(&e->pack.lock);
        e->pack.wanted = false;
        pthread_mutex_unlock(&e->pack.lock);
        atomic_store(&e->pack.next_at, clock_mono(e->clock) + rest);
    }
    families_free(&r);
    vec_fini(&r.from);
    vec_fini(&r.found);
    return NULL;
}

/* --- the writer's side ---------------------------------------------------------------------------------------------------------- */

void packer_batch_done(struct embedded *e)
{
    if (packer_plain_bytes(e) <= e->opts.pack_above || clock_mono(e->clock) < atomic_load(&e->pack.next_at))
        return;
    atomic_store(&e->pack.next_at, INT64_MAX); /* until the round is over */
    pthread_mutex_lock(&e->pack.lock);
    e->pack.wanted = true;
    pthread_cond_broadcast(&e->pack.cond);
    pthread_mutex_unlock(&e->pack.lock);
}

size_t packer_take(struct embedded *e, struct pack_pair pairs[PACK_OFFER])
{
    if (!atomic_load(&e->pack.is_offered))
        return 0;
    pthread_mutex_lock(&e->pack.lock);
    size_t n = e->pack.offered ? e->pack.npairs : 0;
    memcpy(pairs, e->pack.pairs, n * sizeof *pairs);
    e->pack.offered = false;
    atomic_store(&e->pack.is_offered, false);
    pthread_cond_broadcast(&e->pack.cond);
    pthread_mutex_unlock(&e->pack.lock);
    return n;
}

int packer_start(struct embedded *e, struct err *err)
{
    pthread_mutex_init(&e->pack.lock, NULL);
    pthread_cond_init(&e->pack.cond, NULL);
    int r = pthread_create(&e->pack.thread, NULL, packer_run, e);
    if (r)
        return err_sys(err, r, "cannot start the store's packer");
    pthread_setname_np(e->pack.thread, "store-packer");
    return 0;
}

void packer_stop(struct embedded *e)
{
    pthread_mutex_lock(&e->pack.lock);
    e->pack.quit = true;
    pthread_cond_broadcast(&e->pack.cond);
    pthread_mutex_unlock(&e->pack.lock);
    pthread_join(e->pack.thread, NULL);
    for (size_t i = 0; e->pack.offered && i < e->pack.npairs; i++) {
        store_kv_unref(e->pack.pairs[i].plain);
        store_kv_unref(e->pack.pairs[i].packed);
    }
    pthread_cond_destroy(&e->pack.cond);
    pthread_mutex_destroy(&e->pack.lock);
}
