/* storage.c - the objects of storage: volumes, claims, classes.  See storage.h and, for the picture, storage_types.h. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/engine/storage.h"

#include "base/err.h"
#include "base/limits.h"
#include "sched/engine/select.h"
#include "sched/engine/storage_types.h"

#define NO_PROVISIONER "kubernetes.io/no-provisioner"

struct storage *storage_new(struct sched *s)
{
    struct storage *st = xnew(struct storage);
    st->s = s;
    st->words = s->view.words;
    return st;
}

static void volume_free(struct storage *st, struct volume *v)
{
    reach_unref(&st->reaches, v->affinity);
    reach_unref(&st->reaches, v->zones);
    vec_fini(&v->named_by);
    arena_fini(&v->arena);
    free(v);
}

static void claim_free(struct claim *c)
{
    vec_fini(&c->reserved);
    vec_fini(&c->on.v);
    arena_fini(&c->arena);
    free(c);
}

void storage_free(struct storage *st)
{
    if (!st)
        return;
    map_foreach(e, &st->volumes)
        volume_free(st, e->value);
    map_foreach(e, &st->claims)
        claim_free(e->value);
    map_foreach(e, &st->classes) {
        struct storage_class *c = e->value;
        reach_unref(&st->reaches, c->topologies);
        vec_fini(&c->free);
        free(c);
    }
    map_fini(&st->volumes);
    map_fini(&st->claims);
    map_fini(&st->classes);
    storage_use_free(st);
    reaches_fini(&st->reaches);
    free(st);
}

/* --- finding and making ---------------------------------------------------------------------------------------------------------- */
struct claim *storage_claim_get(struct storage *st, sym_t ns, sym_t name)
{
    struct claim *c = storage_claim_find(st, ns, name);
    if (c)
        return c;
    c = xnew(struct claim);
    c->key = (struct claim_key){ns, name};
    c->arena = ARENA_SMALL(128);
    map_put(&st->claims, KEY_BYTES(c->key), c);
    return c;
}

void storage_claim_drop(struct storage *st, struct claim *c)
{
    if (c->known || c->users || c->reserved.len)
        return;
    map_del(&st->claims, KEY_BYTES(c->key));
    claim_free(c);
}

static struct volume *volume_get(struct storage *st, sym_t name)
{
    struct volume *v = map_get(&st->volumes, KEY_BYTES(name));
    if (v)
        return v;
    v = xnew(struct volume);
    v->name = name;
    v->arena = ARENA_SMALL(128);
    map_put(&st->volumes, KEY_BYTES(v->name), v);
    return v;
}

static void volume_drop(struct storage *st, struct volume *v)
{
    if (v->known || v->named_by.len)
        return;
    map_del(&st->volumes, KEY_BYTES(v->name));
    volume_free(st, v);
}

/* Classes are few and stay, also when only a name. */
static struct storage_class *class_get(struct storage *st, str name)
{
    if (str_empty(name))
        return NULL;
    sym_t sym = symbol(&st->s->sym, name);
    struct storage_class *c = map_get(&st->classes, KEY_BYTES(sym));
    if (c)
        return c;
    c = xnew(struct storage_class);
    c->name = sym;
    map_put(&st->classes, KEY_BYTES(c->name), c);
    return c;
}

/* --- the free lists ------------------------------------------------------------------------------------------------------------------ */
static int volume_cmp(const struct storage *st, const struct volume *a, const struct volume *b)
{
    if (a->bytes != b->bytes)
        return a->bytes < b->bytes ? -1 : 1;
    return str_cmp(symbol_text(&st->s->sym, a->name), symbol_text(&st->s->sym, b->name));
}

static size_t free_place(const struct storage *st, const struct volume *v)
{
    size_t lo = 0, hi = v->class_->free.len;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (volume_cmp(st, v->class_->free.p[mid], v) < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

void storage_volume_list(struct storage *st, struct volume *v)
{
    bool is_free = v->known && v->class_ && !v->reserved_for && !v->taken_by && !v->named_by.len && !v->deleting && !v->unavailable;
    if (is_free == v->is_listed)
        return;
    v->is_listed = is_free;
    size_t at = free_place(st, v);
    if (!is_free) {
        vec_remove(&v->class_->free, at);
        return;
    }
    vec_push(&v->class_->free, v);
    memmove(&v->class_->free.p[at + 1], &v->class_->free.p[at], (v->class_->free.len - 1 - at) * sizeof v);
    v->class_->free.p[at] = v;
}

/* --- limits of one object --------------------------------------------------------------------------------------------------------------- */
static int check_selector(const char *kind, str name, const struct spec_selector *sel, struct err *err)
{
    size_t n = sel->n;
    for (size_t i = 0; i < sel->n; i++)
        n += sel->p[i].nvalues;
    if (n > LIMIT_SCHED_SPEC_ITEMS)
        return err_set(err, E_TOO_LARGE, "%s " STR_FMT " has a selector of %zu parts, more than %u", kind, STR_ARG(name), n, LIMIT_SCHED_SPEC_ITEMS);
    return 0;
}

static int check_terms(const char *kind, str name, const struct spec_node_term *terms, size_t n, struct err *err)
{
    if (n > LIMIT_SCHED_SPEC_ITEMS)
        return err_set(err, E_TOO_LARGE, "%s " STR_FMT " has %zu node terms, more than %u", kind, STR_ARG(name), n, LIMIT_SCHED_SPEC_ITEMS);
    for (size_t i = 0; i < n; i++) {
        int r = check_selector(kind, name, &terms[i].labels, err);
        if (r < 0)
            return r;
    }
    return 0;
}

static int check_name(const char *kind, str name, struct err *err)
{
    return str_empty(name) ? err_set(err, E_INVALID_ARG, "a %s needs a name", kind) : 0;
}

/* --- volumes -------------------------------------------------------------------------------------------------------------------------------- */
/* "a__b" is a list; an empty part spoils the label, which is passed over then. */
static bool zone_values(struct sched *s, struct arena *a, str text, struct zone_rule *rule)
{
    size_t n = 1;
    for (str rest = text; str_find(rest, S("__")) >= 0; n++)
        rest = str_from(rest, (size_t)str_find(rest, S("__")) + 2);
    sym_t *values = arena_array(a, n, sym_t);
    for (size_t i = 0; i < n; i++) {
        ptrdiff_t cut = str_find(text, S("__"));
        str part = str_trim(cut < 0 ? text : str_sub(text, 0, (size_t)cut));
        if (str_empty(part))
            return false;
        values[i] = symbol(&s->sym, part);
        text = cut < 0 ? S("") : str_from(text, (size_t)cut + 2);
    }
    rule->values = values;
    rule->nvalues = (uint32_t)n;
    return true;
}

static struct reach *zones_of(struct storage *st, struct spec_labels labels)
{
    struct zone_rule rules[ZONE_KEYS];
    uint32_t n = 0;
    ARENA_AUTO a = ARENA_INIT;
    for (size_t k = 0; k < ZONE_KEYS; k++)
        for (size_t i = 0; i < labels.n; i++)
            if (str_eq(labels.p[i].key, zone_keys[k]) && zone_values(st->s, &a, labels.p[i].value, &rules[n])) {
                rules[n].key = symbol(&st->s->sym, zone_keys[k]);
                /* a beta label of the volume may be met by the node's label of today */
                rules[n++].other = symbol(&st->s->sym, zone_keys[k < 2 ? k + 2 : k]);
            }
    return n ? reach_get_zones(st->s, &st->reaches, rules, n) : NULL;
}

static void set_reserved(struct storage *st, struct volume *v, struct claim *now)
{
    struct claim *was = v->reserved_for;
    if (was == now)
        return;
    v->reserved_for = now;
    if (now)
        vec_push(&now->reserved, v);
    if (!was)
        return;
    for (size_t i = 0; i < was->reserved.len; i++)
        if (was->reserved.p[i] == v) {
            vec_remove(&was->reserved, i);
            break;
        }
    storage_claim_drop(st, was);
}

static void volume_resolve(struct storage *st, struct volume *v)
{
    for (size_t i = 0; i < v->named_by.len; i++)
        storage_claim_resolve(st, v->named_by.p[i]);
}

/* The object is out of the tables that depend on what it says. */
static void volume_unlist(struct storage *st, struct volume *v)
{
    v->known = false;
    storage_volume_list(st, v);
}

int storage_pv_put(struct sched *s, const struct pv_spec *spec, struct err *err)
{
    struct storage *st = s->storage;
    int r = check_name("PersistentVolume", spec->name, err);
    if (r == 0)
        r = check_terms("PersistentVolume", spec->name, spec->node_affinity, spec->nnode_affinity, err);
    if (r == 0 && spec->labels.n > LIMIT_SCHED_SPEC_ITEMS)
        r = err_set(err, E_TOO_LARGE, "PersistentVolume " STR_FMT " has %zu labels, more than %u", STR_ARG(spec->name), spec->labels.n, LIMIT_SCHED_SPEC_ITEMS);
    if (r < 0)
        return r;
    struct volume *v = volume_get(st, symbol(&s->sym, spec->name));
    volume_unlist(st, v);
    struct reach *affinity = v->affinity, *zones = v->zones;
    v->affinity = spec->has_node_affinity ? reach_get(s, &st->reaches, spec->node_affinity, spec->nnode_affinity) : NULL;
    v->zones = zones_of(st, spec->labels);
    reach_unref(&st->reaches, affinity);
    reach_unref(&st->reaches, zones);
    arena_reset(&v->arena);
    v->labels = labelset_make(s, &v->arena, spec->labels);
    v->known = true;
    v->class_ = class_get(st, spec->storage_class);
    v->bytes = spec->bytes;
    v->driver = symbol(&s->sym, spec->driver);
    v->handle = str_empty(spec->handle) ? v->name : symbol(&s->sym, spec->handle);
    v->access_modes = spec->access_modes;
    v->block = spec->block;
    v->deleting = spec->deleting;
    v->unavailable = spec->unavailable;
    set_reserved(st, v, str_empty(spec->claim_name) ? NULL : storage_claim_get(st, symbol(&s->sym, spec->claim_ns), symbol(&s->sym, spec->claim_name)));
    /* somebody else got what we had promised */
    if (v->taken_by && v->reserved_for && v->taken_by != v->reserved_for)
        storage_choice_drop(st, v->taken_by);
    storage_volume_list(st, v);
    volume_resolve(st, v);
    if (v->taken_by)
        storage_claim_resolve(st, v->taken_by);
    return 0;
}

void storage_pv_delete(struct sched *s, str name)
{
    struct storage *st = s->storage;
    sym_t sym = symbol_find(&s->sym, name);
    struct volume *v = map_get(&st->volumes, KEY_BYTES(sym));
    if (!v || !v->known)
        return;
    if (v->taken_by)
        storage_choice_drop(st, v->taken_by);
    volume_unlist(st, v);
    set_reserved(st, v, NULL);
    volume_resolve(st, v);
    volume_drop(st, v);
}

/* --- claims ---------------------------------------------------------------------------------------------------------------------------------- */
static void set_volume(struct storage *st, struct claim *c, struct volume *now)
{
    struct volume *was = c->volume;
    if (was == now)
        return;
    c->volume = now;
    if (now) {
        vec_push(&now->named_by, c);
        storage_volume_list(st, now);
    }
    if (!was)
        return;
    for (size_t i = 0; i < was->named_by.len; i++)
        if (was->named_by.p[i] == c) {
            vec_remove(&was->named_by, i);
            break;
        }
    storage_volume_list(st, was);
    volume_drop(st, was);
}

/* A promise is for claims that wait. */
static void claim_changed(struct storage *st, struct claim *c)
{
    if (!claim_waits(c))
        storage_choice_drop(st, c);
    storage_claim_resolve(st, c);
}

int storage_pvc_put(struct sched *s, const struct pvc_spec *spec, struct err *err)
{
    struct storage *st = s->storage;
    int r = check_name("PersistentVolumeClaim", spec->name, err);
    if (r == 0 && spec->has_selector)
        r = check_selector("PersistentVolumeClaim", spec->name, &spec->selector, err);
    if (r < 0)
        return r;
    struct claim *c = storage_claim_get(st, symbol(&s->sym, spec->ns), symbol(&s->sym, spec->name));
    c->known = true;
    c->deleting = spec->deleting;
    c->lost = spec->lost;
    c->prebound = spec->prebound;
    c->block = spec->block;
    c->access_modes = spec->access_modes;
    c->class_ = class_get(st, spec->storage_class);
    c->selected_node = symbol(&s->sym, spec->selected_node);
    c->bytes = spec->bytes;
    arena_reset(&c->arena);
    c->has_selector = spec->has_selector;
    if (spec->has_selector)
        sel_compile(s, &c->arena, &spec->selector, &c->selector);
    set_volume(st, c, str_empty(spec->volume) ? NULL : volume_get(st, symbol(&s->sym, spec->volume)));
    claim_changed(st, c);
    return 0;
}

void storage_pvc_delete(struct sched *s, str ns, str name)
{
    struct storage *st = s->storage;
    struct claim *c = storage_claim_find(st, symbol_find(&s->sym, ns), symbol_find(&s->sym, name));
    if (!c || !c->known)
        return;
    c->known = false;
    c->access_modes = 0;
    set_volume(st, c, NULL);
    claim_changed(st, c);
    storage_claim_drop(st, c);
}

/* --- classes ----------------------------------------------------------------------------------------------------------------------------------- */
/* Classes change rarely: all claims are looked at. */
static void class_changed(struct storage *st, const struct storage_class *class_)
{
    map_foreach(e, &st->claims) {
        struct claim *c = e->value;
        if (c->class_ == class_)
            claim_changed(st, c);
    }
}

int storage_class_put(struct sched *s, const struct storage_class_spec *spec, struct err *err)
{
    struct storage *st = s->storage;
    int r = check_name("StorageClass", spec->name, err);
    if (r == 0)
        r = check_terms("StorageClass", spec->name, spec->allowed_topologies, spec->nallowed_topologies, err);
    if (r < 0)
        return r;
    struct storage_class *c = class_get(st, spec->name);
    struct reach *was = c->topologies;
    c->topologies = spec->nallowed_topologies ? reach_get(s, &st->reaches, spec->allowed_topologies, spec->nallowed_topologies) : NULL;
    reach_unref(&st->reaches, was);
    c->known = true;
    c->wait = spec->wait_for_first_consumer;
    c->driver = symbol(&s->sym, spec->driver);
    c->provisions = !str_empty(spec->driver) && !str_is(spec->driver, NO_PROVISIONER);
    class_changed(st, c);
    return 0;
}

void storage_class_delete(struct sched *s, str name)
{
    struct storage *st = s->storage;
    sym_t sym = symbol_find(&s->sym, name);
    struct storage_class *c = map_get(&st->classes, KEY_BYTES(sym));
    if (!c)
        return;
    reach_unref(&st->reaches, c->topologies);
    c->topologies = NULL;
    c->known = c->wait = c->provisions = false;
    c->driver = 0;
    class_changed(st, c);
}
