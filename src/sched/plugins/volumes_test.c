/* volumes_test.c - the four plugins about volumes: their sentences, and random worlds of events against the rules written as plain loops.
 *
 * The loops read specs that the test keeps beside the engine; only which volume an assumed pod was promised is taken from the engine, and checked to be
 * one that it may have. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "base/clock.h"
#include "base/test.h"
#include "sched/engine/engine.h"
#include "sched/engine/statement.h"
#include "sched/engine/storage.h"
#include "sched/engine/storage_types.h"
#include "sched/plugins/plugins.h"

enum { NODES = 10, VOLUMES = 12, CLAIMS = 10, CLASSES = 3, PODS = 24, DRIVERS = 2 };
static const char *const node_names[NODES] = {"n0", "n1", "n2", "n3", "n4", "n5", "n6", "n7", "n8", "n9"};
static const char *const volume_names[VOLUMES] = {"v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "va", "vb"};
static const char *const claim_names[CLAIMS] = {"c0", "c1", "c2", "c3", "c4", "c5", "c6", "c7", "c8", "c9"};
static const char *const class_names[CLASSES] = {"k0", "k1", "k2"};
static const char *const driver_names[DRIVERS] = {"d0", "d1"};
static const char *const zones[] = {"a", "b", "c"};
static const char *const disks[] = {"gce-pd/x", "aws-ebs/y", "attach/z"};
#define ZONE S("topology.kubernetes.io/zone")
#define BETA_ZONE S("failure-domain.beta.kubernetes.io/zone")

struct twin_node {
    bool there;
    int zone, beta_zone; /* -1: no label */
    int limit[DRIVERS];  /* -1: none */
};
struct twin_volume {
    bool there;
    struct pv_spec spec;
    int affinity; /* 0 none, 1 host, 2 zone, 3 zone in a or value, 4 zone not in, 5 no term at all */
    int value;
    int label_zones, beta; /* bits of zones named by its label; beta: under the old key */
};
struct twin_claim {
    bool there;
    struct pvc_spec spec;
};
struct twin_class {
    bool there;
    struct storage_class_spec spec;
    int only_zone; /* -1: anywhere */
};
struct twin_pod {
    pod_id id;
    char name[16];
    struct spec_volume volumes[2];
    size_t n;
};
struct twin {
    struct sched *s;
    struct rng rng;
    struct twin_node nodes[NODES];
    struct twin_volume volumes[VOLUMES];
    struct twin_claim claims[CLAIMS];
    struct twin_class classes[CLASSES];
    struct twin_pod pods[PODS];
    int serial;
};

static int below(struct twin *t, int n)
{
    return (int)rng_below(&t->rng, (uint64_t)n);
}

/* --- events ------------------------------------------------------------------------------------------------------------------------ */
static void event_node(struct twin *t)
{
    int i = below(t, NODES);
    struct twin_node *n = &t->nodes[i];
    struct err err = ERR_NONE;
    if (n->there && below(t, 4) == 0) {
        sched_node_delete(t->s, str_of(node_names[i]));
        n->there = false;
        return;
    }
    *n = (struct twin_node){true, below(t, 4) - 1, below(t, 6) - 3, {-1, -1}};
    struct spec_label labels[3] = {{S("kubernetes.io/hostname"), str_of(node_names[i])}};
    size_t k = 1, nlimits = 0;
    if (n->zone >= 0)
        labels[k++] = (struct spec_label){ZONE, str_of(zones[n->zone])};
    n->beta_zone = MAX(n->beta_zone, -1);
    if (n->beta_zone >= 0)
        labels[k++] = (struct spec_label){BETA_ZONE, str_of(zones[n->beta_zone])};
    struct spec_volume_limit limits[DRIVERS];
    for (int d = 0; d < DRIVERS; d++)
        if (below(t, 2)) {
            n->limit[d] = below(t, 3);
            limits[nlimits++] = (struct spec_volume_limit){str_of(driver_names[d]), n->limit[d]};
        }
    struct node_spec spec = {.name = str_of(node_names[i]), .labels = {labels, k}, .volume_limits = limits, .nvolume_limits = nlimits};
    T_NO_ERR(sched_node_put(t->s, &spec, NULL, &err), &err);
}

static void event_volume(struct twin *t)
{
    static const char *const label_texts[] = {"", "a", "b", "a__b", "c", "a__c", "b__c", "a__b__c"};
    static const int label_bits[] = {0, 1, 2, 3, 4, 5, 6, 7};
    int i = below(t, VOLUMES), pick = below(t, 4) ? 0 : 1 + below(t, 7);
    struct twin_volume *v = &t->volumes[i];
    struct err err = ERR_NONE;
    if (v->there && below(t, 4) == 0) {
        sched_pv_delete(t->s, str_of(volume_names[i]));
        v->there = false;
        return;
    }
    int claim = below(t, CLAIMS);
    bool reserved = below(t, 5) == 0;
    for (int k = 0; k < VOLUMES; k++) /* one a claim: which of two is taken first nobody says */
        reserved &= k == i || !t->volumes[k].there || !str_is(t->volumes[k].spec.claim_name, claim_names[claim]);
    *v = (struct twin_volume){.there = true, .affinity = below(t, 6), .value = below(t, 3), .label_zones = label_bits[pick], .beta = below(t, 2)};
    if (v->affinity == 1)
        v->value = below(t, NODES);
    str values[2] = {str_of(v->affinity == 1 ? node_names[v->value] : zones[v->value]), S("a")};
    struct spec_requirement r = {v->affinity == 1 ? S("kubernetes.io/hostname") : ZONE, v->affinity == 4 ? OP_NOT_IN : OP_IN, values, v->affinity == 3 ? 2 : 1};
    struct spec_node_term term = {.labels = {.p = &r, .n = 1}};
    struct spec_label label = {v->beta ? BETA_ZONE : ZONE, str_of(label_texts[pick])};
    v->spec = (struct pv_spec){.name = str_of(volume_names[i]), .storage_class = str_of(below(t, 6) ? class_names[below(t, CLASSES)] : ""), .bytes = 1 + below(t, 4),
                               .claim_ns = reserved ? S("ns") : S(""), .claim_name = reserved ? str_of(claim_names[claim]) : S(""), .has_node_affinity = v->affinity != 0,
                               .driver = str_of(below(t, 3) ? driver_names[below(t, DRIVERS)] : ""), .access_modes = (uint8_t)(1 + below(t, 3)), .deleting = below(t, 12) == 0,
                               .unavailable = below(t, 12) == 0};
    struct pv_spec full = v->spec;
    full.labels = (struct spec_labels){&label, v->label_zones ? 1 : 0};
    full.node_affinity = &term;
    full.nnode_affinity = v->affinity && v->affinity != 5;
    T_NO_ERR(sched_pv_put(t->s, &full, &err), &err);
}

static void event_claim(struct twin *t)
{
    int i = below(t, CLAIMS);
    struct twin_claim *c = &t->claims[i];
    struct err err = ERR_NONE;
    if (c->there && below(t, 5) == 0) {
        sched_pvc_delete(t->s, S("ns"), str_of(claim_names[i]));
        c->there = false;
        return;
    }
    bool bound = below(t, 2);
    c->there = true;
    c->spec = (struct pvc_spec){.ns = S("ns"), .name = str_of(claim_names[i]), .storage_class = str_of(below(t, 8) ? class_names[below(t, CLASSES)] : ""),
                                .volume = bound ? str_of(volume_names[below(t, VOLUMES)]) : S(""), .deleting = below(t, 15) == 0, .bytes = 1 + below(t, 3),
                                .access_modes = below(t, 4) ? 1 : 8, .prebound = bound && below(t, 10) == 0, .lost = below(t, 20) == 0,
                                .selected_node = !bound && below(t, 10) == 0 ? str_of(node_names[below(t, NODES)]) : S("")};
    T_NO_ERR(sched_pvc_put(t->s, &c->spec, &err), &err);
}

static void event_class(struct twin *t)
{
    int i = below(t, CLASSES);
    struct twin_class *c = &t->classes[i];
    struct err err = ERR_NONE;
    if (c->there && below(t, 6) == 0) {
        sched_storage_class_delete(t->s, str_of(class_names[i]));
        c->there = false;
        return;
    }
    c->there = true;
    c->only_zone = below(t, 6) - 3;
    str value = str_of(zones[MAX(c->only_zone, 0)]);
    struct spec_requirement r = {ZONE, OP_IN, &value, 1};
    struct spec_node_term term = {.labels = {.p = &r, .n = 1}};
    c->spec = (struct storage_class_spec){.name = str_of(class_names[i]), .driver = below(t, 2) ? S("kubernetes.io/no-provisioner") : S("d0"), .wait_for_first_consumer = below(t, 5) != 0};
    struct storage_class_spec full = c->spec;
    full.allowed_topologies = &term;
    full.nallowed_topologies = c->only_zone >= 0;
    T_NO_ERR(sched_storage_class_put(t->s, &full, &err), &err);
}

static void event_pod(struct twin *t)
{
    int i = below(t, PODS);
    struct twin_pod *p = &t->pods[i];
    struct err err = ERR_NONE;
    if (p->id) {
        sched_pod_delete(t->s, S("ns"), str_of(p->name));
        p->id = POD_NONE;
        return;
    }
    snprintf(p->name, sizeof p->name, "p%d", t->serial++);
    p->n = (size_t)(1 + below(t, 2));
    for (size_t k = 0; k < p->n; k++) {
        int disk = below(t, 3);
        p->volumes[k] = (struct spec_volume){.claim = str_of(claim_names[below(t, CLAIMS)])};
        if (below(t, 4) == 0)
            p->volumes[k] = (struct spec_volume){.disk = str_of(disks[disk]), .driver = str_of(below(t, 2) ? driver_names[disk % DRIVERS] : ""), .read_only = below(t, 2)};
    }
    if (p->n == 2 && str_eq(p->volumes[0].claim, p->volumes[1].claim))
        p->n = 1;
    struct pod_spec spec = {.ns = S("ns"), .name = str_of(p->name), .volumes = p->volumes, .nvolumes = p->n};
    T_NO_ERR(sched_pod_put(t->s, &spec, &p->id, &err), &err);
}

/* --- the rules, plainly ------------------------------------------------------------------------------------------------------------------ */
static int index_of(str name, const char *const *names, int n)
{
    for (int i = 0; i < n; i++)
        if (str_is(name, names[i]))
            return i;
    return -1;
}

static const struct twin_claim *claim_of(const struct twin *t, str name)
{
    int i = index_of(name, claim_names, CLAIMS);
    return i >= 0 && t->claims[i].there ? &t->claims[i] : NULL;
}
static const struct twin_volume *volume_of(const struct twin *t, str name)
{
    int i = index_of(name, volume_names, VOLUMES);
    return i >= 0 && t->volumes[i].there ? &t->volumes[i] : NULL;
}
static const struct twin_class *class_named(const struct twin *t, str name)
{
    int i = index_of(name, class_names, CLASSES);
    return i >= 0 && t->classes[i].there ? &t->classes[i] : NULL;
}
static bool claim_is_waiting(const struct twin *t, const struct twin_claim *c)
{
    const struct twin_class *k = class_named(t, c->spec.storage_class);
    return str_empty(c->spec.volume) && k && k->spec.wait_for_first_consumer;
}

/* What the engine promised the claim's pods. */
static str promised(const struct twin *t, str claim, bool made)
{
    const struct sched *s = t->s;
    const struct claim *c = storage_claim_find(s->storage, symbol_find(&s->sym, S("ns")), symbol_find(&s->sym, claim));
    return !c ? S("") : made ? symbol_text(&s->sym, c->made_on) : c->chosen ? symbol_text(&s->sym, c->chosen->name) : S("");
}

static bool reaches(const struct twin *t, const struct twin_volume *v, int node)
{
    int zone = t->nodes[node].zone;
    switch (v->affinity) {
    case 1:
        return v->value == node;
    case 2:
        return zone == v->value;
    case 3:
        return zone == v->value || zone == 0;
    case 4:
        return zone != v->value;
    case 5:
        return false;
    }
    return true;
}

static bool can_be_made(const struct twin *t, const struct twin_claim *c, int node)
{
    const struct twin_class *k = class_named(t, c->spec.storage_class);
    return str_is(k->spec.driver, "d0") && (k->only_zone < 0 || k->only_zone == t->nodes[node].zone);
}

static bool is_free(const struct twin *t, const struct twin_volume *v)
{
    bool free_volume = str_empty(v->spec.claim_name) && !v->spec.deleting && !v->spec.unavailable;
    for (int i = 0; i < CLAIMS; i++) {
        free_volume &= !t->claims[i].there || !str_eq(t->claims[i].spec.volume, v->spec.name);
        free_volume &= !str_eq(promised(t, str_of(claim_names[i]), false), v->spec.name);
    }
    return free_volume;
}

static bool naive_match(const struct twin *t, const struct twin_claim *c, int node, const struct twin_volume **taken)
{
    const struct twin_volume *best = NULL;
    str only = c->spec.selected_node.len ? c->spec.selected_node : promised(t, c->spec.name, true), chosen = promised(t, c->spec.name, false);
    if (only.len)
        return str_is(only, node_names[node]) && can_be_made(t, c, node);
    if (chosen.len)
        return reaches(t, volume_of(t, chosen), node);
    for (int i = 0; i < VOLUMES; i++) {
        const struct twin_volume *v = &t->volumes[i];
        if (!v->there || !str_eq(v->spec.storage_class, c->spec.storage_class) || v->spec.bytes < c->spec.bytes || v->spec.deleting)
            continue;
        if (str_eq(v->spec.claim_name, c->spec.name))
            return reaches(t, v, node) || can_be_made(t, c, node);
        if (v == *taken || !is_free(t, v) || (c->spec.access_modes & ~v->spec.access_modes) || !reaches(t, v, node))
            continue;
        if (!best || v->spec.bytes < best->spec.bytes)
            best = v;
    }
    *taken = best;
    return best || can_be_made(t, c, node);
}

static bool naive_binding(const struct twin *t, const struct twin_pod *p, int node)
{
    const struct twin_claim *wait[2];
    size_t nwait = 0;
    for (size_t i = 0; i < p->n; i++) {
        const struct twin_claim *c = claim_of(t, p->volumes[i].claim);
        if (str_empty(p->volumes[i].claim))
            continue;
        if (!c || c->spec.lost || c->spec.deleting)
            return false;
        if (c->spec.volume.len && !c->spec.prebound) {
            const struct twin_volume *v = volume_of(t, c->spec.volume);
            if (!v || !reaches(t, v, node))
                return false;
        } else if (!claim_is_waiting(t, c)) {
            return false;
        } else {
            wait[nwait++] = c;
        }
    }
    const struct twin_volume *taken = NULL;
    bool swap = nwait == 2 && wait[1]->spec.bytes < wait[0]->spec.bytes;
    for (size_t i = 0; i < nwait; i++)
        if (!naive_match(t, wait[swap ? nwait - 1 - i : i], node, &taken))
            return false;
    return true;
}

static bool naive_zone(const struct twin *t, const struct twin_pod *p, int node)
{
    const struct twin_node *n = &t->nodes[node];
    for (size_t i = 0; i < p->n; i++) {
        const struct twin_claim *c = claim_of(t, p->volumes[i].claim);
        if (str_empty(p->volumes[i].claim))
            continue;
        if (c && claim_is_waiting(t, c))
            continue;
        const struct twin_volume *v = c ? volume_of(t, c->spec.volume) : NULL;
        if (!v)
            return false;
        if (!v->label_zones || (n->zone < 0 && n->beta_zone < 0))
            continue;
        int zone = v->beta && n->beta_zone >= 0 ? n->beta_zone : n->zone;
        if (zone < 0 || !(v->label_zones >> zone & 1))
            return false;
    }
    return true;
}

/* The attachment of one volume: "driver/what"; "": none that counts. */
static void attachment(const struct twin *t, const struct spec_volume *v, char ret[48])
{
    const struct twin_claim *c = claim_of(t, v->claim);
    ret[0] = 0;
    if (str_empty(v->claim)) {
        if (v->driver.len)
            snprintf(ret, 48, STR_FMT "/disk/" STR_FMT, STR_ARG(v->driver), STR_ARG(v->disk));
        return;
    }
    if (!c)
        return;
    str chosen = promised(t, v->claim, false);
    const struct twin_volume *pv = volume_of(t, chosen.len ? chosen : c->spec.volume);
    const struct twin_class *k = class_named(t, c->spec.storage_class);
    if (pv && pv->spec.driver.len)
        snprintf(ret, 48, STR_FMT "/volume/" STR_FMT, STR_ARG(pv->spec.driver), STR_ARG(pv->spec.name));
    else if (!pv && k)
        snprintf(ret, 48, STR_FMT "/claim/" STR_FMT, STR_ARG(k->spec.driver), STR_ARG(c->spec.name));
}

static size_t attachments_add(const struct twin *t, const struct twin_pod *p, const char *driver, char list[][48], size_t n)
{
    for (size_t i = 0; i < p->n; i++) {
        attachment(t, &p->volumes[i], list[n]);
        bool seen = !str_has_prefix(str_of(list[n]), str_of(driver));
        for (size_t j = 0; j < n && !seen; j++)
            seen = strcmp(list[j], list[n]) == 0;
        n += !seen;
    }
    return n;
}

static bool on_node(const struct twin *t, const struct twin_pod *p, int node)
{
    return p->id && pod_on_node(&t->s->pods[p->id]) && (node < 0 || t->s->pods[p->id].node == sched_node_find(t->s, str_of(node_names[node])));
}

static bool naive_missing(const struct twin *t, const struct twin_pod *p)
{
    for (size_t i = 0; i < p->n; i++)
        if (p->volumes[i].claim.len && !claim_of(t, p->volumes[i].claim))
            return true;
    return false;
}

static bool naive_limits(const struct twin *t, const struct twin_pod *p, int node)
{
    for (int d = 0; d < DRIVERS; d++) {
        char list[PODS * 2 + 4][48];
        size_t before = 0;
        for (int i = 0; i < PODS; i++)
            if (on_node(t, &t->pods[i], node))
                before = attachments_add(t, &t->pods[i], driver_names[d], list, before);
        size_t after = attachments_add(t, p, driver_names[d], list, before);
        if (t->nodes[node].limit[d] >= 0 && after > before && after > (size_t)t->nodes[node].limit[d])
            return false;
    }
    return !naive_missing(t, p);
}

static bool conflict(const struct spec_volume *a, const struct spec_volume *b)
{
    if (str_empty(a->disk) || !str_eq(a->disk, b->disk) || str_has_prefix(a->disk, S("attach/")))
        return false;
    return str_has_prefix(a->disk, S("aws-ebs/")) || !(a->read_only && b->read_only);
}

static bool naive_restrictions(const struct twin *t, const struct twin_pod *p, int node)
{
    for (int i = 0; i < PODS; i++)
        for (size_t k = 0; k < t->pods[i].n && on_node(t, &t->pods[i], -1); k++)
            for (size_t j = 0; j < p->n; j++) {
                const struct twin_claim *c = claim_of(t, p->volumes[j].claim);
                if (c && c->spec.access_modes & 8 && str_eq(t->pods[i].volumes[k].claim, p->volumes[j].claim))
                    return false;
                if (on_node(t, &t->pods[i], node) && conflict(&p->volumes[j], &t->pods[i].volumes[k]))
                    return false;
            }
    return !naive_missing(t, p);
}

/* --- comparing ----------------------------------------------------------------------------------------------------------------------------- */
static const struct {
    const struct sched_plugin *plugin;
    bool (*naive)(const struct twin *t, const struct twin_pod *p, int node);
    size_t reasons;
} rules[] = {
    {&plugin_volume_binding, naive_binding, 7},
    {&plugin_volume_zone, naive_zone, 2},
    {&plugin_node_volume_limits, naive_limits, 2},
    {&plugin_volume_restrictions, naive_restrictions, 3},
};

static bool compare_one(struct twin *t, const struct twin_pod *p, size_t rule, const uint64_t *bits, int node)
{
    const struct sched_plugin *plugin = rules[rule].plugin;
    const struct pod_class *c = class_of(t->s, p->id);
    node_id n = sched_node_find(t->s, str_of(node_names[node]));
    bool want = rules[rule].naive(t, p, node), uses = plugin->uses_filter(t->s, c, NULL);
    bool one = !uses || plugin->fits_one(&t->s->view, c, NULL, n), all = !uses || bit_get(bits, n);
    struct plug_reason why[4];
    size_t nwhy = uses ? plugin->explain(&t->s->view, c, NULL, n, why, ARRAY_LEN(why)) : 0;
    if (want != one || want != all || want != (nwhy == 0)) {
        T_FAIL_("%s: pod %s on %s: rule says %d, fits_one %d, filter %d, %zu reasons", plugin->name, p->name, node_names[node], want, one, all, nwhy);
        return false;
    }
    for (size_t i = 0; i < nwhy; i++)
        T_OK(why[i].code < rules[rule].reasons);
    return true;
}

static bool compare(struct twin *t)
{
    struct sched *s = t->s;
    uint64_t *bits = xarray(s->view.words, uint64_t);
    bool same = true;
    for (int i = 0; i < PODS && same; i++) {
        if (!t->pods[i].id || pod_on_node(&s->pods[t->pods[i].id]))
            continue;
        for (size_t k = 0; k < ARRAY_LEN(rules) && same; k++) {
            memcpy(bits, s->alive, s->view.words * sizeof *bits);
            rules[k].plugin->filter(&s->view, class_of(s, t->pods[i].id), NULL, bits);
            for (int n = 0; n < NODES && same; n++)
                if (t->nodes[n].there)
                    same = compare_one(t, &t->pods[i], k, bits, n);
        }
    }
    free(bits);
    return same;
}

/* Every promise is kept: the volume suits the claim and is nobody else's. */
static void check_promises(struct twin *t)
{
    for (int i = 0; i < CLAIMS; i++) {
        str v = promised(t, str_of(claim_names[i]), false);
        for (int j = 0; j < i && v.len; j++)
            T_OK(!str_eq(v, promised(t, str_of(claim_names[j]), false)));
        T_OK(!v.len || volume_of(t, v));
    }
    struct err err = ERR_NONE;
    T_NO_ERR(storage_check(t->s, &err), &err);
}

static void event_place(struct twin *t)
{
    struct twin_pod *p = &t->pods[below(t, PODS)];
    int node = below(t, NODES);
    if (!p->id)
        return;
    if (pod_on_node(&t->s->pods[p->id])) {
        model_unassign(t->s, p->id);
        return;
    }
    bool fits = t->nodes[node].there;
    for (size_t k = 0; k < ARRAY_LEN(rules) && fits; k++)
        fits = rules[k].naive(t, p, node);
    /* now and then by force, as a bound pod's event does */
    if (fits || (t->nodes[node].there && below(t, 8) == 0))
        model_assign(t->s, p->id, sched_node_find(t->s, str_of(node_names[node])), PS_ASSUMED, 0);
}

/* A statement of many moves, taken back: all promises are as before. */
static void event_rollback(struct twin *t)
{
    str chosen[CLAIMS], made[CLAIMS];
    for (int i = 0; i < CLAIMS; i++) {
        chosen[i] = promised(t, str_of(claim_names[i]), false);
        made[i] = promised(t, str_of(claim_names[i]), true);
    }
    uint32_t mark = statement_begin(t->s);
    for (int i = below(t, 20); i > 0; i--)
        event_place(t);
    uint32_t inner = statement_begin(t->s);
    for (int i = below(t, 10); i > 0; i--)
        event_place(t);
    if (below(t, 2))
        statement_rollback(t->s, inner);
    else
        statement_commit(t->s, inner);
    statement_rollback(t->s, mark);
    for (int i = 0; i < CLAIMS; i++) {
        T_OK(str_eq(chosen[i], promised(t, str_of(claim_names[i]), false)));
        T_OK(str_eq(made[i], promised(t, str_of(claim_names[i]), true)));
    }
}

TEST(random_worlds)
{
    static void (*const events[])(struct twin *) = {event_node, event_volume, event_volume, event_claim, event_class, event_pod, event_pod, event_place, event_place, event_place, event_rollback};
    for (uint64_t seed = 1; seed <= 20 && !test_failures_; seed++) {
        struct twin *t = xnew(struct twin);
        t->s = sched_new(profile_builtin(S("default")), 0);
        rng_seed(&t->rng, seed);
        for (int step = 0; step < 600 && !test_failures_; step++) {
            events[below(t, step < 40 ? 7 : (int)ARRAY_LEN(events))](t);
            if (step > 40 && step % 4 == 0) {
                check_promises(t);
                if (!compare(t))
                    printf("# seed %llu, step %d\n", (unsigned long long)seed, step);
            }
        }
        sched_free(t->s);
        free(t);
    }
}

/* --- sentences ----------------------------------------------------------------------------------------------------------------------------- */
TEST(reasons_are_told)
{
    struct twin *t = xnew(struct twin);
    struct err err = ERR_NONE;
    t->s = sched_new(profile_builtin(S("default")), 0);
    struct spec_label zone = {ZONE, S("a")};
    struct spec_volume_limit limit = {S("d0"), 0};
    struct node_spec node = {.name = S("n0"), .labels = {&zone, 1}, .volume_limits = &limit, .nvolume_limits = 1};
    T_NO_ERR(sched_node_put(t->s, &node, NULL, &err), &err);
    struct spec_volume v = {.claim = S("c0")};
    struct pod_spec pod = {.ns = S("ns"), .name = S("p"), .volumes = &v, .nvolumes = 1};
    pod_id id;
    T_NO_ERR(sched_pod_put(t->s, &pod, &id, &err), &err);
    struct plug_reason why;
    T_EQ_INT(plugin_volume_binding.explain(&t->s->view, class_of(t->s, id), NULL, 0, &why, 1), 1);
    T_EQ_STR(str_of(plugin_volume_binding.reasons[why.code]), "persistentvolumeclaim \"%s\" not found");
    T_EQ_STR(symbol_text(&t->s->sym, why.what[0]), "c0");
    T_OK(why.unresolvable);
    struct spec_label wrong = {ZONE, S("b")};
    struct pv_spec pv = {.name = S("v"), .driver = S("d0"), .labels = {&wrong, 1}, .has_node_affinity = true};
    struct pvc_spec pvc = {.ns = S("ns"), .name = S("c0"), .volume = S("v")};
    T_NO_ERR(sched_pv_put(t->s, &pv, &err), &err);
    T_NO_ERR(sched_pvc_put(t->s, &pvc, &err), &err);
    T_EQ_INT(plugin_volume_binding.explain(&t->s->view, class_of(t->s, id), NULL, 0, &why, 1), 1);
    T_EQ_STR(str_of(plugin_volume_binding.reasons[why.code]), "node(s) didn't match PersistentVolume's node affinity");
    T_EQ_INT(plugin_volume_zone.explain(&t->s->view, class_of(t->s, id), NULL, 0, &why, 1), 1);
    T_EQ_STR(str_of(plugin_volume_zone.reasons[why.code]), "node(s) had no available volume zone");
    T_EQ_INT(plugin_node_volume_limits.explain(&t->s->view, class_of(t->s, id), NULL, 0, &why, 1), 1);
    T_EQ_STR(str_of(plugin_node_volume_limits.reasons[why.code]), "node(s) exceed max volume count");
    T_OK(!why.unresolvable);
    T_EQ_INT(why.need, 1);
    T_EQ_INT(why.have, 0);
    pvc.access_modes = 8;
    T_NO_ERR(sched_pvc_put(t->s, &pvc, &err), &err);
    model_assign(t->s, id, 0, PS_BOUND, 0);
    T_EQ_INT(plugin_volume_restrictions.explain(&t->s->view, class_of(t->s, id), NULL, 0, &why, 1), 1);
    T_OK(str_has_prefix(str_of(plugin_volume_restrictions.reasons[why.code]), S("node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod")));
    sched_free(t->s);
    free(t);
}

TEST_MAIN(random_worlds, reasons_are_told)
