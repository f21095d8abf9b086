/* storage_use.c - what pods on nodes use: claims, attachments against the nodes' limits, inline disks.  See storage_types.h. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "base/err.h"
#include "base/limits.h"
#include "sched/engine/statement.h"
#include "sched/engine/storage_types.h"

/* --- uses by node ----------------------------------------------------------------------------------------------------------------------- */
static size_t uses_place(const struct uses *t, node_id n)
{
    size_t lo = 0, hi = t->v.len;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (t->v.p[mid].node < n)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

uint32_t uses_get(const struct uses *t, node_id n)
{
    size_t at = uses_place(t, n);
    return at < t->v.len && t->v.p[at].node == n ? t->v.p[at].n : 0;
}

uint32_t uses_add(struct uses *t, node_id n, int by)
{
    size_t at = uses_place(t, n);
    if (at == t->v.len || t->v.p[at].node != n) {
        BUG_ON(by < 0);
        vec_push(&t->v, (struct uses_entry){0});
        memmove(&t->v.p[at + 1], &t->v.p[at], (t->v.len - 1 - at) * sizeof *t->v.p);
        t->v.p[at] = (struct uses_entry){n, 0};
    }
    uint32_t now = t->v.p[at].n += (uint32_t)by;
    if (now == 0)
        vec_remove(&t->v, at);
    return now;
}

/* --- attachments --------------------------------------------------------------------------------------------------------------------- */
static struct limited_driver *driver_find(const struct storage *st, sym_t name)
{
    for (size_t i = 0; i < st->drivers.len; i++)
        if (st->drivers.p[i]->name == name)
            return st->drivers.p[i];
    return NULL;
}

static struct attach *attach_get(struct storage *st, struct attach_key key)
{
    struct attach *x = map_get(&st->attaches, KEY_BYTES(key));
    if (x)
        return x;
    x = xnew(struct attach);
    x->key = key;
    x->limited = driver_find(st, key.driver);
    map_put(&st->attaches, KEY_BYTES(x->key), x);
    return x;
}

static void attach_drop(struct storage *st, struct attach *x)
{
    if (x->claims || x->on.v.len)
        return;
    map_del(&st->attaches, KEY_BYTES(x->key));
    vec_fini(&x->on.v);
    free(x);
}

static void attach_add(struct attach *x, node_id n, int by)
{
    uint32_t now = uses_add(&x->on, n, by);
    if (!x->limited)
        return;
    if (by > 0 && now == (uint32_t)by)
        x->limited->count[n]++;
    else if (by < 0 && now == 0)
        x->limited->count[n]--;
}

/* What the claim is attached as: its volume, bound or chosen, or, before there is one, the claim itself under its class's driver. */
static bool attach_key_of(const struct claim *c, struct attach_key *ret)
{
    if (!c->known)
        return false;
    if (c->chosen)
        *ret = (struct attach_key){c->chosen->driver, ATTACH_VOLUME, c->chosen->handle, 0};
    else if (c->volume && c->volume->known)
        *ret = (struct attach_key){c->volume->driver, ATTACH_VOLUME, c->volume->handle, 0};
    else if (c->class_ && c->class_->known)
        *ret = (struct attach_key){c->class_->driver, ATTACH_CLAIM, c->key.ns, c->key.name};
    else
        return false;
    return ret->driver != 0;
}

static void attach_claim(struct attach *x, const struct claim *c, int sign)
{
    for (size_t i = 0; i < c->on.v.len; i++)
        attach_add(x, c->on.v.p[i].node, sign * (int)c->on.v.p[i].n);
}

void storage_claim_resolve(struct storage *st, struct claim *c)
{
    struct attach_key key;
    struct attach *now = attach_key_of(c, &key) ? attach_get(st, key) : NULL, *was = c->attach;
    if (now == was)
        return;
    c->attach = now;
    if (now) {
        now->claims++;
        attach_claim(now, c, 1);
    }
    if (was) {
        was->claims--;
        attach_claim(was, c, -1);
        attach_drop(st, was);
    }
}

/* --- drivers and limits ------------------------------------------------------------------------------------------------------------------ */
static struct limited_driver *driver_get(struct storage *st, sym_t name)
{
    struct limited_driver *d = driver_find(st, name);
    if (d)
        return d;
    d = xnew(struct limited_driver);
    d->name = name;
    d->count = xarray((size_t)st->words * 64, int32_t);
    d->limit = xarray((size_t)st->words * 64, int32_t);
    vec_push(&st->drivers, d);
    /* attachments made while nobody limited the driver */
    map_foreach(e, &st->attaches) {
        struct attach *x = e->value;
        if (x->key.driver != name)
            continue;
        x->limited = d;
        for (size_t i = 0; i < x->on.v.len; i++)
            d->count[x->on.v.p[i].node]++;
    }
    return d;
}

static void set_limit(struct storage *st, node_id n, sym_t driver, int32_t count)
{
    driver_get(st, driver)->limit[n] = MAX(count, 0) + 1;
}

static void load_limits(struct storage *st, node_id n, bool shown)
{
    for (size_t i = 0; i < st->drivers.len; i++)
        st->drivers.p[i]->limit[n] = 0;
    if (!shown)
        return;
    const struct node *node = &st->s->nodes[n];
    for (uint32_t i = 0; i < node->nvolume_limits; i++)
        set_limit(st, n, node->volume_limits[i].driver, node->volume_limits[i].count);
    const struct node_limits *own = map_get(&st->limits, KEY_BYTES(node->name));
    for (uint32_t i = 0; own && i < own->n; i++)
        set_limit(st, n, own->p[i].driver, own->p[i].count);
}

int storage_limits_put(struct sched *s, str node, const struct spec_volume_limit *limits, size_t n, struct err *err)
{
    struct storage *st = s->storage;
    if (n > LIMIT_SCHED_SPEC_ITEMS)
        return err_set(err, E_TOO_LARGE, "node " STR_FMT " has %zu volume limits, more than %u", STR_ARG(node), n, LIMIT_SCHED_SPEC_ITEMS);
    sym_t name = symbol(&s->sym, node);
    struct node_limits *was = map_get(&st->limits, KEY_BYTES(name));
    if (was)
        map_del(&st->limits, KEY_BYTES(was->node));
    free(was);
    if (n) {
        struct node_limits *x = xmalloc(sizeof *x + n * sizeof x->p[0]);
        *x = (struct node_limits){.node = name, .n = (uint32_t)n};
        for (size_t i = 0; i < n; i++) {
            x->p[i].driver = symbol(&s->sym, limits[i].driver);
            x->p[i].count = limits[i].count;
        }
        map_put(&st->limits, KEY_BYTES(x->node), x);
    }
    uintptr_t found = (uintptr_t)map_get(&s->node_by_name, node);
    if (found && node_is_alive(s, (node_id)(found - 1))) {
        load_limits(st, (node_id)(found - 1), true);
        model_touch(s, (node_id)(found - 1), false);
    }
    statement_event(s, EVENT_VOLUME);
    return 0;
}

void storage_node(struct sched *s, node_id n, int sign)
{
    reaches_node(s, &s->storage->reaches, n, sign);
    load_limits(s->storage, n, sign > 0);
}

void storage_nodes_grown(struct sched *s)
{
    struct storage *st = s->storage;
    size_t old = (size_t)st->words * 64, now = (size_t)s->view.words * 64;
    reaches_grown(s, &st->reaches, st->words);
    for (size_t i = 0; i < st->drivers.len; i++) {
        struct limited_driver *d = st->drivers.p[i];
        d->count = xrealloc(d->count, now * sizeof *d->count);
        d->limit = xrealloc(d->limit, now * sizeof *d->limit);
        memset(d->count + old, 0, (now - old) * sizeof *d->count);
        memset(d->limit + old, 0, (now - old) * sizeof *d->limit);
    }
    st->words = s->view.words;
}

void storage_use_free(struct storage *st)
{
    map_foreach(e, &st->attaches) {
        struct attach *x = e->value;
        vec_fini(&x->on.v);
        free(x);
    }
    map_foreach(e, &st->disks) {
        struct disk *d = e->value;
        vec_fini(&d->all.v);
        vec_fini(&d->writers.v);
        free(d);
    }
    map_foreach(e, &st->limits)
        free(e->value);
    storage_memos_drop(st);
    for (size_t i = 0; i < st->drivers.len; i++) {
        free(st->drivers.p[i]->count);
        free(st->drivers.p[i]->limit);
        free(st->drivers.p[i]);
    }
    vec_fini(&st->drivers);
    map_fini(&st->attaches);
    map_fini(&st->disks);
    map_fini(&st->limits);
    map_fini(&st->memos);
}

/* --- pods ------------------------------------------------------------------------------------------------------------------------------------ */
static void use_disk(struct storage *st, const struct pod_volume *v, node_id n, int sign)
{
    struct disk *d = map_get(&st->disks, KEY_BYTES(v->disk));
    if (!d) {
        d = xnew(struct disk);
        d->id = v->disk;
        d->shareable = !str_has_prefix(symbol_text(&st->s->sym, v->disk), S("aws-ebs/"));
        map_put(&st->disks, KEY_BYTES(d->id), d);
    }
    uses_add(&d->all, n, sign);
    if (!v->read_only)
        uses_add(&d->writers, n, sign);
    if (d->all.v.len)
        return;
    map_del(&st->disks, KEY_BYTES(d->id));
    vec_fini(&d->all.v);
    vec_fini(&d->writers.v);
    free(d);
}

/* Known by name for the node's limit alone: pods share it freely. */
static bool is_shared_disk(const struct storage *st, sym_t disk)
{
    return !disk || str_has_prefix(symbol_text(&st->s->sym, disk), S("attach/"));
}

static void use_inline(struct storage *st, const struct pod_volume *v, node_id n, int sign)
{
    if (!is_shared_disk(st, v->disk))
        use_disk(st, v, n, sign);
    if (!v->driver)
        return;
    struct attach *x = attach_get(st, (struct attach_key){v->driver, ATTACH_DISK, v->disk, 0});
    attach_add(x, n, sign);
    attach_drop(st, x);
}

/* --- what was promised, for rollbacks -------------------------------------------------------------------------------------------------------- */
void storage_memos_drop(struct storage *st)
{
    if (st->memos.len == 0)
        return;
    map_foreach(e, &st->memos)
        free(e->value);
    map_clear(&st->memos);
}

static void memo_put(struct storage *st, uint32_t place, const struct claim *c)
{
    struct memo_key key = {place, c->key};
    struct memo *m = map_get(&st->memos, KEY_BYTES(key));
    if (!m) {
        m = xnew(struct memo);
        m->key = key;
        map_put(&st->memos, KEY_BYTES(m->key), m);
    }
    *m = (struct memo){key, c->chosen ? c->chosen->name : 0, c->made_on, c->promised_to, c->users_before};
}

void storage_choice_drop(struct storage *st, struct claim *c)
{
    struct volume *v = c->chosen;
    c->chosen = NULL;
    c->made_on = 0;
    c->promised_to = POD_NONE;
    if (!v)
        return;
    v->taken_by = NULL;
    storage_volume_list(st, v);
    storage_claim_resolve(st, c);
}

static void use_claim(struct storage *st, pod_id p, struct claim *c, node_id n, int sign)
{
    uses_add(&c->on, n, sign);
    c->users += (uint32_t)sign;
    if (c->attach)
        attach_add(c->attach, n, sign);
    if (sign > 0)
        return;
    if (c->users == 0 || (c->promised_to == p && c->users <= c->users_before))
        storage_choice_drop(st, c);
    else if (c->promised_to == p)
        c->promised_to = POD_NONE; /* it is the others' now */
    storage_claim_drop(st, c);
}

static void memos_put(struct storage *st, const struct pod_class *class_, uint32_t place)
{
    for (uint32_t i = 0; i < class_->nvolumes; i++) {
        const struct claim *c = class_->volumes[i].claim ? storage_claim_find(st, class_->ns, class_->volumes[i].claim) : NULL;
        if (c && claim_waits(c))
            memo_put(st, place, c);
    }
}

void storage_pod(struct sched *s, pod_id p, node_id n, int sign)
{
    struct storage *st = s->storage;
    const struct pod_class *c = class_of(s, p);
    bool claims = false;
    uint32_t place;
    if (!statement_is_open(s))
        storage_memos_drop(st);
    else if (sign < 0 && statement_departure(s, &place))
        memos_put(st, c, place);
    for (uint32_t i = 0; i < c->nvolumes; i++) {
        const struct pod_volume *v = &c->volumes[i];
        if (!v->claim) {
            use_inline(st, v, n, sign);
            continue;
        }
        use_claim(st, p, storage_claim_get(st, c->ns, v->claim), n, sign);
        claims = true;
    }
    if (claims && sign > 0)
        storage_choose(st, p, c, n);
}

/* --- limits as a filter ------------------------------------------------------------------------------------------------------------------------ */
#define WANTS_INLINE 32
struct want { /* an attachment a pod of the class would make */
    struct attach_key key;
    const struct attach *attach; /* NULL: nobody has it */
    struct limited_driver *limited;
};

static size_t collect_wants(const struct storage *st, const struct pod_class *c, struct want *ret)
{
    size_t n = 0;
    for (uint32_t i = 0; st->drivers.len && i < c->nvolumes; i++) {
        const struct pod_volume *v = &c->volumes[i];
        struct want w = {0};
        if (v->claim) {
            const struct claim *claim = storage_claim_find(st, c->ns, v->claim);
            if (!claim || !attach_key_of(claim, &w.key))
                continue;
            w.attach = claim->attach;
        } else {
            w.key = (struct attach_key){v->driver, ATTACH_DISK, v->disk, 0};
            w.attach = map_get(&st->attaches, KEY_BYTES(w.key));
        }
        w.limited = driver_find(st, w.key.driver);
        bool seen = !w.limited;
        for (size_t j = 0; j < n && !seen; j++)
            seen = memcmp(&ret[j].key, &w.key, sizeof w.key) == 0;
        if (!seen)
            ret[n++] = w;
    }
    return n;
}

/* How many of them a node would have to attach anew under driver d. */
static int32_t new_on(const struct want *w, size_t n, const struct limited_driver *d, node_id node)
{
    int32_t count = 0;
    for (size_t i = 0; i < n; i++)
        count += w[i].limited == d && !(w[i].attach && uses_get(&w[i].attach->on, node));
    return count;
}

static void limit_driver(const struct sched *s, const struct want *w, size_t n, const struct limited_driver *d, uint64_t *fits)
{
    int32_t most = 0;
    for (size_t i = 0; i < n; i++)
        most += w[i].limited == d;
    for (uint32_t word = 0; word < s->view.words; word++) {
        const int32_t *limit = d->limit + word * 64, *count = d->count + word * 64;
        uint8_t full[64];
        for (uint32_t i = 0; i < 64; i++)
            full[i] = (limit[i] != 0) & (count[i] + most >= limit[i]);
        for (uint64_t bits = bytes_to_bits(full) & fits[word]; bits; bits &= bits - 1) {
            node_id node = word * 64 + (uint32_t)__builtin_ctzll(bits);
            int32_t need = new_on(w, n, d, node);
            if (need && d->count[node] + need >= d->limit[node])
                bit_clear(fits, node);
        }
    }
}

void storage_limit_filter(const struct sched *s, const struct pod_class *c, uint64_t *fits)
{
    struct want few[WANTS_INLINE], *w = c->nvolumes > WANTS_INLINE ? xarray(c->nvolumes, struct want) : few;
    size_t n = collect_wants(s->storage, c, w);
    for (size_t i = 0; i < n; i++) {
        bool first = true;
        for (size_t j = 0; j < i && first; j++)
            first = w[j].limited != w[i].limited;
        if (first)
            limit_driver(s, w, n, w[i].limited, fits);
    }
    if (w != few)
        free(w);
}

bool storage_limit_fits(const struct sched *s, const struct pod_class *c, node_id node, sym_t *ret_driver, int64_t *ret_need, int64_t *ret_have)
{
    struct want few[WANTS_INLINE], *w = c->nvolumes > WANTS_INLINE ? xarray(c->nvolumes, struct want) : few;
    size_t n = collect_wants(s->storage, c, w);
    bool fits = true;
    for (size_t i = 0; i < n && fits; i++) {
        const struct limited_driver *d = w[i].limited;
        int32_t need = new_on(w, n, d, node);
        fits = !d->limit[node] || !need || d->count[node] + need < d->limit[node];
        if (!fits && ret_driver) {
            *ret_driver = d->name;
            *ret_need = need;
            *ret_have = MAX(d->limit[node] - 1 - d->count[node], 0);
        }
    }
    if (w != few)
        free(w);
    return fits;
}

/* --- exclusive use ------------------------------------------------------------------------------------------------------------------------------ */
sym_t storage_exclusive_claim(const struct sched *s, const struct pod_class *c)
{
    for (uint32_t i = 0; i < c->nvolumes; i++) {
        const struct claim *claim = c->volumes[i].claim ? storage_claim_find(s->storage, c->ns, c->volumes[i].claim) : NULL;
        if (claim && claim->access_modes & 8 && claim->users)
            return claim->key.name;
    }
    return 0;
}

/* Who on a node excludes this use of the disk: everybody, or those that write when it is only read. */
static const struct uses *disk_rivals(const struct sched *s, const struct pod_volume *v)
{
    const struct disk *d = v->disk ? map_get(&s->storage->disks, KEY_BYTES(v->disk)) : NULL;
    return !d ? NULL : v->read_only && d->shareable ? &d->writers : &d->all;
}

void storage_disk_filter(const struct sched *s, const struct pod_class *c, uint64_t *fits)
{
    for (uint32_t i = 0; i < c->nvolumes; i++) {
        const struct uses *rivals = disk_rivals(s, &c->volumes[i]);
        for (size_t j = 0; rivals && j < rivals->v.len; j++)
            bit_clear(fits, rivals->v.p[j].node);
    }
}

bool storage_disk_fits(const struct sched *s, const struct pod_class *c, node_id n, sym_t *ret_disk)
{
    for (uint32_t i = 0; i < c->nvolumes; i++) {
        const struct uses *rivals = disk_rivals(s, &c->volumes[i]);
        if (!rivals || !uses_get(rivals, n))
            continue;
        if (ret_disk)
            *ret_disk = c->volumes[i].disk;
        return false;
    }
    return true;
}
