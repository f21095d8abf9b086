/* storage_match.c - bound claims against the reach of their volumes; unbound ones against free volumes and what can be made.  See storage_types.h.
 *
 * An unbound claim that waits for its first consumer gets, on a given node, the first of:
 *     the volume that was chosen for it when another of its pods was placed; nothing else then
 *     the volume whose claimRef it is, if the node is within its reach, and no other volume
 *     the smallest free volume of its class that is large enough, has its modes, matches its selector and reaches the node
 *     a new one, if its class makes volumes and allows the node
 * Claims of one pod are served small to large, and no volume twice.  A claim with a selected node gets a new one there and nowhere else. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "base/err.h"
#include "sched/engine/statement.h"
#include "sched/engine/storage_types.h"

#define MATCH_INLINE 16
/* So many free volumes are worth a pass over all nodes by domain instead of one question each. */
#define MATCH_BY_DOMAIN 16

struct match {
    struct claim *claim;
    struct volume *volume; /* NULL: one is made */
};

/* --- ready at all? --------------------------------------------------------------------------------------------------------------- */
static enum storage_state claim_state(const struct claim *c)
{
    if (!c || !c->known)
        return STORAGE_NO_CLAIM;
    if (c->lost)
        return STORAGE_LOST;
    if (c->deleting)
        return STORAGE_DELETING;
    if (claim_is_bound(c))
        return c->volume->known ? STORAGE_OK : STORAGE_NO_VOLUME;
    return claim_waits(c) ? STORAGE_OK : STORAGE_IMMEDIATE;
}

sym_t storage_missing_claim(const struct sched *s, const struct pod_class *c)
{
    for (uint32_t i = 0; i < c->nvolumes; i++) {
        const struct claim *claim = c->volumes[i].claim ? storage_claim_find(s->storage, c->ns, c->volumes[i].claim) : NULL;
        if (c->volumes[i].claim && (!claim || !claim->known))
            return c->volumes[i].claim;
    }
    return 0;
}

enum storage_state storage_ready(const struct sched *s, const struct pod_class *c, sym_t what[2])
{
    for (uint32_t i = 0; i < c->nvolumes; i++) {
        if (!c->volumes[i].claim)
            continue;
        const struct claim *claim = storage_claim_find(s->storage, c->ns, c->volumes[i].claim);
        enum storage_state state = claim_state(claim);
        if (state == STORAGE_OK)
            continue;
        what[0] = c->volumes[i].claim;
        what[1] = claim && claim->volume ? claim->volume->name : 0;
        return state;
    }
    return STORAGE_OK;
}

/* --- which volume suits a claim ----------------------------------------------------------------------------------------------------- */
static bool large_enough(const struct claim *c, const struct volume *v)
{
    return v->known && !v->deleting && v->class_ == c->class_ && v->bytes >= c->bytes && v->block == c->block;
}

static bool suits(const struct sched *s, const struct claim *c, const struct volume *v)
{
    return large_enough(c, v) && (c->access_modes & ~v->access_modes) == 0 && (!c->has_selector || sel_matches(s, &c->selector, v->labels));
}

/* The volume that is reserved for this claim, if it will do. */
static struct volume *own_volume(const struct claim *c)
{
    for (size_t i = 0; i < c->reserved.len; i++)
        if (large_enough(c, c->reserved.p[i]))
            return c->reserved.p[i];
    return NULL;
}

/* First free volume that is large enough. */
static size_t first_free(const struct claim *c)
{
    size_t lo = 0, hi = c->class_->free.len;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (c->class_->free.p[mid]->bytes < c->bytes)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

static sym_t node_of_claim(const struct claim *c)
{
    return c->selected_node ? c->selected_node : c->made_on;
}

static bool can_make(const struct sched *s, const struct claim *c, node_id n)
{
    return c->class_->provisions && reach_has(s, c->class_->topologies, n);
}

/* --- one node -------------------------------------------------------------------------------------------------------------------------- */
static bool is_taken(const struct match *m, size_t n, const struct volume *v)
{
    for (size_t i = 0; i < n; i++)
        if (m[i].volume == v)
            return true;
    return false;
}

static struct volume *find_free(const struct sched *s, const struct match *m, size_t i, node_id n)
{
    const struct claim *c = m[i].claim;
    for (size_t j = first_free(c); j < c->class_->free.len; j++) {
        struct volume *v = c->class_->free.p[j];
        if (reach_has(s, v->affinity, n) && suits(s, c, v) && !is_taken(m, i, v))
            return v;
    }
    return NULL;
}

static bool match_claim(const struct sched *s, struct match *m, size_t i, node_id n)
{
    const struct claim *c = m[i].claim;
    sym_t only = node_of_claim(c);
    m[i].volume = NULL;
    if (only)
        return only == s->nodes[n].name && can_make(s, c, n);
    if (c->chosen) {
        m[i].volume = c->chosen;
        return reach_has(s, c->chosen->affinity, n);
    }
    struct volume *own = own_volume(c);
    if (!own)
        m[i].volume = find_free(s, m, i, n);
    else if (reach_has(s, own->affinity, n) && !is_taken(m, i, own))
        m[i].volume = own;
    return m[i].volume || can_make(s, c, n);
}

static bool match_node(const struct sched *s, struct match *m, size_t k, node_id n)
{
    for (size_t i = 0; i < k; i++)
        if (!match_claim(s, m, i, n))
            return false;
    return true;
}

/* The class's unbound claims, each once, small ones first; m has room for all volumes. */
static size_t collect(const struct sched *s, const struct pod_class *c, struct match *m)
{
    size_t k = 0;
    for (uint32_t i = 0; i < c->nvolumes; i++) {
        struct claim *claim = c->volumes[i].claim ? storage_claim_find(s->storage, c->ns, c->volumes[i].claim) : NULL;
        if (!claim || !claim_waits(claim))
            continue;
        size_t at = k;
        bool seen = false;
        for (size_t j = 0; j < k && !seen; j++)
            seen = m[j].claim == claim;
        if (seen)
            continue;
        for (; at > 0 && m[at - 1].claim->bytes > claim->bytes; at--)
            m[at] = m[at - 1];
        m[at] = (struct match){claim, NULL};
        k++;
    }
    return k;
}

static struct match *match_room(const struct pod_class *c, struct match *few)
{
    return c->nvolumes > MATCH_INLINE ? xarray(c->nvolumes, struct match) : few;
}

bool storage_match_fits(const struct sched *s, const struct pod_class *c, node_id n)
{
    struct match few[MATCH_INLINE], *m = match_room(c, few);
    bool fits = match_node(s, m, collect(s, c, m), n);
    if (m != few)
        free(m);
    return fits;
}

bool storage_affinity_fits(const struct sched *s, const struct pod_class *c, node_id n)
{
    for (uint32_t i = 0; i < c->nvolumes; i++) {
        const struct claim *claim = c->volumes[i].claim ? storage_claim_find(s->storage, c->ns, c->volumes[i].claim) : NULL;
        if (claim && claim_is_bound(claim) && !reach_has(s, claim->volume->affinity, n))
            return false;
    }
    return true;
}

/* --- all nodes ----------------------------------------------------------------------------------------------------------------------------- */
/* Nodes where one of the free volumes will do. */
static void or_free(const struct sched *s, const struct claim *c, uint64_t *nodes)
{
    size_t from = first_free(c), n = c->class_->free.len;
    struct reach_union u = {0};
    for (size_t j = from; j < n; j++) {
        struct volume *v = c->class_->free.p[j];
        if (!suits(s, c, v))
            continue;
        if (n - from >= MATCH_BY_DOMAIN && v->affinity)
            reach_union_add(s, &u, v->affinity, nodes);
        else
            reach_or(s, v->affinity, nodes);
        if (!v->affinity)
            break; /* everywhere */
    }
    reach_union_end(s, &u, nodes);
}

static void and_claim(const struct sched *s, const struct claim *c, uint64_t *fits, uint64_t *scratch)
{
    sym_t only = node_of_claim(c);
    uint32_t words = s->view.words;
    if (only) {
        uintptr_t found = (uintptr_t)map_get(&s->node_by_name, symbol_text(&s->sym, only));
        node_id n = (node_id)(found - 1);
        bool keep = found && bit_get(fits, n) && can_make(s, c, n);
        memset(fits, 0, words * sizeof *fits);
        if (keep)
            bit_set(fits, n);
        return;
    }
    if (c->chosen) {
        reach_and(s, c->chosen->affinity, fits);
        return;
    }
    if (c->class_->provisions && !c->class_->topologies)
        return;
    memset(scratch, 0, words * sizeof *scratch);
    const struct volume *own = own_volume(c);
    if (own)
        reach_or(s, own->affinity, scratch);
    else
        or_free(s, c, scratch);
    if (c->class_->provisions)
        reach_or(s, c->class_->topologies, scratch);
    for (uint32_t w = 0; w < words; w++)
        fits[w] &= scratch[w];
}

/* Two claims of one class may want the same volume: then each node has to be tried with all of them. */
static bool compete(const struct match *m, size_t k)
{
    for (size_t i = 0; i < k; i++)
        for (size_t j = 0; j < i; j++)
            if (m[i].claim->class_ == m[j].claim->class_)
                return true;
    return false;
}

void storage_bind_filter(const struct sched *s, const struct pod_class *c, uint64_t *fits)
{
    sym_t what[2];
    if (storage_ready(s, c, what) != STORAGE_OK) {
        memset(fits, 0, s->view.words * sizeof *fits);
        return;
    }
    for (uint32_t i = 0; i < c->nvolumes; i++) {
        const struct claim *claim = c->volumes[i].claim ? storage_claim_find(s->storage, c->ns, c->volumes[i].claim) : NULL;
        if (claim && claim_is_bound(claim))
            reach_and(s, claim->volume->affinity, fits);
    }
    struct match few[MATCH_INLINE], *m = match_room(c, few);
    size_t k = collect(s, c, m);
    uint64_t *scratch = k ? xarray(s->view.words, uint64_t) : NULL;
    for (size_t i = 0; i < k; i++)
        and_claim(s, m[i].claim, fits, scratch);
    if (compete(m, k))
        bits_foreach(n, fits, s->view.words)
            if (!match_node(s, m, k, n))
                bit_clear(fits, n);
    free(scratch);
    if (m != few)
        free(m);
}

/* --- zones ------------------------------------------------------------------------------------------------------------------------------------ */
static const struct reach *zones_of(const struct sched *s, const struct pod_class *c, uint32_t i)
{
    const struct claim *claim = c->volumes[i].claim ? storage_claim_find(s->storage, c->ns, c->volumes[i].claim) : NULL;
    return claim && claim->volume ? claim->volume->zones : NULL;
}

sym_t storage_zone_unknown(const struct sched *s, const struct pod_class *c)
{
    for (uint32_t i = 0; i < c->nvolumes; i++) {
        if (!c->volumes[i].claim)
            continue;
        const struct claim *claim = storage_claim_find(s->storage, c->ns, c->volumes[i].claim);
        if (!claim || !claim->known || (claim->volume ? !claim->volume->known : !claim_waits(claim)))
            return c->volumes[i].claim;
    }
    return 0;
}

void storage_zone_filter(const struct sched *s, const struct pod_class *c, uint64_t *fits)
{
    if (storage_zone_unknown(s, c))
        memset(fits, 0, s->view.words * sizeof *fits);
    for (uint32_t i = 0; i < c->nvolumes; i++)
        reach_and(s, zones_of(s, c, i), fits);
}

bool storage_zone_fits(const struct sched *s, const struct pod_class *c, node_id n)
{
    for (uint32_t i = 0; i < c->nvolumes; i++)
        if (!reach_has(s, zones_of(s, c, i), n))
            return false;
    return !storage_zone_unknown(s, c);
}

/* --- choosing ------------------------------------------------------------------------------------------------------------------------------------ */
static void promise(struct storage *st, struct claim *c, struct volume *v, pod_id p, uint32_t users_before)
{
    c->promised_to = p;
    c->users_before = users_before;
    if (!v || c->chosen == v)
        return;
    c->chosen = v;
    v->taken_by = c;
    storage_volume_list(st, v);
    storage_claim_resolve(st, c);
}

/* A departure is undone: what was promised then is given back as it was, also nothing. */
static bool recall(struct storage *st, struct claim *c)
{
    uint32_t place;
    if (st->memos.len == 0 || !statement_departure(st->s, &place))
        return false;
    struct memo_key key = {place, c->key};
    struct memo *memo = map_get(&st->memos, KEY_BYTES(key));
    if (!memo)
        return false;
    struct volume *v = memo->volume ? map_get(&st->volumes, KEY_BYTES(memo->volume)) : NULL;
    BUG_ON(memo->volume && (!v || (v->taken_by && v->taken_by != c)));
    c->made_on = memo->made_on;
    promise(st, c, v, memo->promised_to, memo->users_before);
    return true;
}

void storage_choose(struct storage *st, pod_id p, const struct pod_class *class_, node_id n)
{
    struct match few[MATCH_INLINE], *m = match_room(class_, few);
    size_t k = collect(st->s, class_, m);
    for (size_t i = 0; i < k; i++) {
        struct claim *c = m[i].claim;
        if (recall(st, c) || c->chosen || node_of_claim(c)) {
            m[i].volume = c->chosen; /* an earlier choice stands */
            continue;
        }
        /* A pod that was put here by force may have found nothing: then nothing is promised. */
        if (!match_claim(st->s, m, i, n) || (m[i].volume && !m[i].volume->is_listed))
            continue;
        if (!m[i].volume)
            c->made_on = st->s->nodes[n].name;
        promise(st, c, m[i].volume, p, c->users - 1);
    }
    if (m != few)
        free(m);
}

/* --- checking ------------------------------------------------------------------------------------------------------------------------------------ */
static int check_uses(const struct sched *s, struct err *err)
{
    const struct storage *st = s->storage;
    uint64_t users = 0, mentions = 0;
    for (pod_id p = 1; p < s->npods_slots; p++) {
        if (s->pods[p].state == PS_FREE || !pod_on_node(&s->pods[p]))
            continue;
        const struct pod_class *c = class_of(s, p);
        for (uint32_t i = 0; i < c->nvolumes; i++) {
            if (!c->volumes[i].claim)
                continue;
            const struct claim *claim = storage_claim_find(st, c->ns, c->volumes[i].claim);
            mentions++;
            if (!claim || !uses_get(&claim->on, s->pods[p].node))
                return err_set(err, E_INTERNAL, "storage: a claim does not know of its pod %s", s->pods[p].name);
        }
    }
    map_foreach(e, &st->claims) {
        const struct claim *c = e->value;
        uint64_t sum = 0;
        for (size_t i = 0; i < c->on.v.len; i++)
            sum += c->on.v.p[i].n;
        users += sum;
        if (sum != c->users || (!c->users && (c->chosen || c->made_on)) || (c->chosen && (c->chosen->taken_by != c || c->chosen->is_listed)))
            return err_set(err, E_INTERNAL, "storage: claim " STR_FMT " counts its pods or its choice wrongly", STR_ARG(symbol_text(&s->sym, c->key.name)));
    }
    return users == mentions ? 0 : err_set(err, E_INTERNAL, "storage: claims count %llu uses, pods %llu", (unsigned long long)users, (unsigned long long)mentions);
}

static int check_drivers(const struct sched *s, struct err *err)
{
    const struct storage *st = s->storage;
    for (size_t i = 0; i < st->drivers.len; i++) {
        const struct limited_driver *d = st->drivers.p[i];
        int32_t *count = xarray((size_t)st->words * 64, int32_t);
        map_foreach(e, &st->attaches) {
            const struct attach *x = e->value;
            for (size_t j = 0; x->key.driver == d->name && j < x->on.v.len; j++)
                count[x->on.v.p[j].node]++;
        }
        bool same = memcmp(count, d->count, (size_t)st->words * 64 * sizeof *count) == 0;
        free(count);
        if (!same)
            return err_set(err, E_INTERNAL, "storage: attachments of driver " STR_FMT " are counted wrongly", STR_ARG(symbol_text(&s->sym, d->name)));
    }
    return 0;
}

int storage_check(const struct sched *s, struct err *err)
{
    int r = check_uses(s, err);
    if (r == 0)
        r = check_drivers(s, err);
    return r < 0 ? r : reaches_check(s, &s->storage->reaches, err);
}
