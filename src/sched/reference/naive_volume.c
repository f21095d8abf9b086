/* naive_volume.c - the four rules about volumes: conflicts, attach limits, binding, zones. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/reference/naive.h"

static const struct pvc_spec *claim_find(const struct naive *w, str ns, str name, size_t *ret)
{
    for (size_t i = 0; i < w->claims.len; i++)
        if (str_eq(w->claims.p[i].ns, ns) && str_eq(w->claims.p[i].name, name)) {
            *ret = i;
            return &w->claims.p[i];
        }
    return NULL;
}

static int volume_find(const struct naive *w, str name)
{
    for (size_t i = 0; i < w->volumes.len; i++)
        if (str_eq(w->volumes.p[i].name, name))
            return (int)i;
    return -1;
}

static const struct storage_class_spec *class_find(const struct naive *w, str name)
{
    for (size_t i = 0; i < w->classes.len; i++)
        if (str_eq(w->classes.p[i].name, name))
            return &w->classes.p[i];
    return NULL;
}

static bool any_term(const struct spec_node_term *t, size_t nterms, const struct node_spec *n)
{
    for (size_t i = 0; i < nterms; i++)
        if (naive_node_term(&t[i], n))
            return true;
    return false;
}

static bool volume_reaches(const struct pv_spec *v, const struct node_spec *n)
{
    return !v->has_node_affinity || any_term(v->node_affinity, v->nnode_affinity, n);
}

/* --- conflicts -------------------------------------------------------------------------------------------------------------- */
bool naive_disks_conflict(const struct spec_volume *a, const struct spec_volume *b)
{
    if (str_empty(a->disk) || !str_eq(a->disk, b->disk))
        return false;
    return str_has_prefix(a->disk, S("aws-ebs/")) || !(a->read_only && b->read_only);
}

static bool uses_claim(const struct pod_spec *p, str ns, str claim)
{
    for (size_t i = 0; i < p->nvolumes; i++)
        if (str_eq(p->ns, ns) && str_eq(p->volumes[i].claim, claim))
            return true;
    return false;
}

static enum naive_verdict restrictions(const struct naive *w, const struct pod_spec *p, int node)
{
    for (size_t v = 0; v < p->nvolumes; v++) {
        size_t at;
        const struct pvc_spec *claim = claim_find(w, p->ns, p->volumes[v].claim, &at);
        if (!claim && !str_empty(p->volumes[v].claim))
            return NAIVE_UNRESOLVABLE; /* its access modes must be known */
        for (size_t i = 0; i < w->pods.len; i++) {
            const struct naive_pod *x = &w->pods.p[i];
            if (!naive_counts(x) || &x->spec == p)
                continue;
            /* ReadWriteOncePod: nobody else anywhere */
            if (claim && claim->access_modes & 8 && uses_claim(&x->spec, claim->ns, claim->name))
                return NAIVE_REJECTED;
            for (size_t k = 0; k < x->spec.nvolumes; k++)
                if (x->node == node && naive_disks_conflict(&p->volumes[v], &x->spec.volumes[k]))
                    return NAIVE_REJECTED;
        }
    }
    return NAIVE_FITS;
}

/* --- binding ---------------------------------------------------------------------------------------------------------------- */
/* Has a placed pod taken a volume for the claim?  Its use and its node. */
static const struct naive_claim_use *claim_taken(const struct naive *w, size_t claim, int *ret_node)
{
    for (size_t i = 0; i < w->pods.len; i++)
        for (size_t k = 0; k < w->pods.p[i].nuses && naive_counts(&w->pods.p[i]); k++)
            if (w->pods.p[i].uses[k].claim == claim) {
                *ret_node = w->pods.p[i].node;
                return &w->pods.p[i].uses[k];
            }
    return NULL;
}

static bool volume_taken(const struct naive *w, int volume)
{
    for (size_t i = 0; i < w->pods.len; i++)
        for (size_t k = 0; k < w->pods.p[i].nuses && naive_counts(&w->pods.p[i]); k++)
            if (w->pods.p[i].uses[k].volume == volume)
                return true;
    return false;
}

static bool volume_suits(const struct naive *w, const struct pvc_spec *c, int volume, const struct node_spec *n)
{
    const struct pv_spec *v = &w->volumes.p[volume];
    bool free_volume = str_empty(v->claim_name) && !volume_taken(w, volume);
    for (size_t i = 0; i < w->claims.len; i++) /* a claim that says it is bound to it */
        free_volume &= !str_eq(w->claims.p[i].volume, v->name);
    bool mine = !str_empty(v->claim_name) && str_eq(v->claim_name, c->name) && str_eq(v->claim_ns, c->ns);
    if (!free_volume && !mine)
        return false;
    if (!str_eq(v->storage_class, c->storage_class) || v->bytes < c->bytes || (v->access_modes & c->access_modes) != c->access_modes ||
        v->block != c->block)
        return false;
    if (c->has_selector && !naive_selects(&c->selector, v->labels))
        return false;
    return volume_reaches(v, n);
}

/* The smallest that suits, then the smallest name; one that is already meant for the claim before all others. */
static int volume_choose(const struct naive *w, const struct pvc_spec *c, const struct node_spec *n, const struct naive_pod *so_far)
{
    int best = -1;
    for (size_t v = 0; v < w->volumes.len; v++) {
        bool chosen = false;
        for (size_t k = 0; k < so_far->nuses; k++)
            chosen |= so_far->uses[k].volume == (int)v;
        if (chosen || !volume_suits(w, c, (int)v, n))
            continue;
        const struct pv_spec *x = &w->volumes.p[v], *y = best < 0 ? NULL : &w->volumes.p[best];
        if (!str_empty(x->claim_name))
            return (int)v;
        if (!y || x->bytes < y->bytes || (x->bytes == y->bytes && str_cmp(x->name, y->name) < 0))
            best = (int)v;
    }
    return best;
}

static bool may_be_made(const struct naive *w, const struct pvc_spec *c, const struct node_spec *n)
{
    const struct storage_class_spec *sc = class_find(w, c->storage_class);
    return sc && !str_empty(sc->driver) && !str_is(sc->driver, "kubernetes.io/no-provisioner") &&
           (sc->nallowed_topologies == 0 || any_term(sc->allowed_topologies, sc->nallowed_topologies, n));
}

/* Unbound claims of the pod in the order in which they choose: small ones first. */
static size_t unbound_claims(const struct naive *w, const struct pod_spec *p, size_t *ret, size_t max)
{
    size_t n = 0, at;
    for (size_t i = 0; i < p->nvolumes && n < max; i++) {
        const struct pvc_spec *c = claim_find(w, p->ns, p->volumes[i].claim, &at);
        if (!c || !str_empty(c->volume))
            continue;
        size_t k = n++;
        for (; k && w->claims.p[ret[k - 1]].bytes > c->bytes; k--)
            ret[k] = ret[k - 1];
        ret[k] = at;
    }
    return n;
}

static enum naive_verdict binding(const struct naive *w, const struct pod_spec *p, int node, struct naive_pod *uses)
{
    const struct node_spec *n = &w->nodes.p[node].spec;
    for (size_t i = 0; i < p->nvolumes; i++) {
        if (str_empty(p->volumes[i].claim))
            continue;
        size_t at;
        const struct pvc_spec *c = claim_find(w, p->ns, p->volumes[i].claim, &at);
        if (!c || c->deleting)
            return NAIVE_UNRESOLVABLE;
        if (str_empty(c->volume)) {
            const struct storage_class_spec *sc = class_find(w, c->storage_class);
            if (!sc || !sc->wait_for_first_consumer)
                return NAIVE_UNRESOLVABLE; /* somebody else should have bound it */
        } else if (volume_find(w, c->volume) < 0 || !volume_reaches(&w->volumes.p[volume_find(w, c->volume)], n)) {
            return NAIVE_UNRESOLVABLE;
        }
    }
    size_t claims[ARRAY_LEN(uses->uses)], nclaims = unbound_claims(w, p, claims, ARRAY_LEN(claims));
    for (size_t i = 0; i < nclaims; i++) {
        int other_node = -1, volume = -1;
        const struct naive_claim_use *other = claim_taken(w, claims[i], &other_node);
        if (other && (other->volume < 0 ? other_node != node : !volume_reaches(&w->volumes.p[other->volume], n)))
            return NAIVE_UNRESOLVABLE;
        if (other)
            volume = other->volume;
        else if ((volume = volume_choose(w, &w->claims.p[claims[i]], n, uses)) < 0 && !may_be_made(w, &w->claims.p[claims[i]], n))
            return NAIVE_UNRESOLVABLE;
        uses->uses[uses->nuses++] = (struct naive_claim_use){claims[i], volume};
    }
    return NAIVE_FITS;
}

/* --- zones ------------------------------------------------------------------------------------------------------------------ */
static const char *const zone_keys[] = {"topology.kubernetes.io/zone", "topology.kubernetes.io/region", "failure-domain.beta.kubernetes.io/zone",
                                        "failure-domain.beta.kubernetes.io/region"};

/* A volume's label may name several zones: "a__b". */
static bool zone_allows(str zones, str zone)
{
    for (;;) {
        ptrdiff_t cut = str_find(zones, S("__"));
        if (str_eq(cut < 0 ? zones : str_sub(zones, 0, (size_t)cut), zone))
            return true;
        if (cut < 0)
            return false;
        zones = str_from(zones, (size_t)cut + 2);
    }
}

static enum naive_verdict zones(const struct naive *w, const struct pod_spec *p, int node)
{
    const struct node_spec *n = &w->nodes.p[node].spec;
    bool node_has_any = false;
    str have, want;
    for (size_t k = 0; k < ARRAY_LEN(zone_keys); k++)
        node_has_any |= naive_label(n->labels, str_of(zone_keys[k]), &have);
    for (size_t i = 0; i < p->nvolumes; i++) {
        size_t at;
        if (str_empty(p->volumes[i].claim))
            continue;
        const struct pvc_spec *c = claim_find(w, p->ns, p->volumes[i].claim, &at);
        const struct storage_class_spec *sc = c ? class_find(w, c->storage_class) : NULL;
        int v = c ? volume_find(w, c->volume) : -1;
        if (c && str_empty(c->volume) && sc && sc->wait_for_first_consumer)
            continue;
        if (v < 0)
            return NAIVE_UNRESOLVABLE;
        for (size_t k = 0; k < ARRAY_LEN(zone_keys) && node_has_any; k++) {
            if (!naive_label(w->volumes.p[v].labels, str_of(zone_keys[k]), &want))
                continue;
            bool has = naive_label(n->labels, str_of(zone_keys[k]), &have) || (k >= 2 && naive_label(n->labels, str_of(zone_keys[k - 2]), &have));
            if (!has || !zone_allows(want, have))
                return NAIVE_UNRESOLVABLE;
        }
    }
    return NAIVE_FITS;
}

/* --- limits ----------------------------------------------------------------------------------------------------------------- */
struct attachment {
    str driver, kind, name; /* of the volume, the claim or the inline disk; the kind keeps them apart */
};

/* What one volume of a pod attaches; driver "": nothing that is counted. */
static struct attachment attaches(const struct naive *w, const struct pod_spec *p, const struct spec_volume *v)
{
    struct attachment none = {S(""), S(""), S("")};
    size_t at;
    if (str_empty(v->claim))
        return (struct attachment){v->driver, S("disk"), v->disk};
    const struct pvc_spec *c = claim_find(w, p->ns, v->claim, &at);
    if (!c)
        return none;
    int volume = volume_find(w, c->volume), node;
    const struct naive_claim_use *use = str_empty(c->volume) ? claim_taken(w, at, &node) : NULL;
    if (use && use->volume >= 0)
        volume = use->volume;
    if (volume >= 0)
        return (struct attachment){w->volumes.p[volume].driver, S("volume"), w->volumes.p[volume].name};
    const struct storage_class_spec *sc = class_find(w, c->storage_class);
    return sc ? (struct attachment){sc->driver, c->ns, c->name} : none;
}

static bool same_attachment(struct attachment a, struct attachment b)
{
    return str_eq(a.driver, b.driver) && str_eq(a.kind, b.kind) && str_eq(a.name, b.name);
}

static void attachment_add(struct attachment *list, size_t *n, size_t max, struct attachment a, str driver)
{
    if (!str_eq(a.driver, driver))
        return;
    for (size_t i = 0; i < *n; i++)
        if (same_attachment(list[i], a))
            return;
    BUG_ON(*n == max);
    list[(*n)++] = a;
}

static enum naive_verdict limits(const struct naive *w, const struct pod_spec *p, int node)
{
    const struct node_spec *n = &w->nodes.p[node].spec;
    size_t at;
    for (size_t i = 0; i < p->nvolumes; i++)
        if (!str_empty(p->volumes[i].claim) && !claim_find(w, p->ns, p->volumes[i].claim, &at))
            return NAIVE_UNRESOLVABLE;
    for (size_t l = 0; l < n->nvolume_limits; l++) {
        struct attachment list[1024];
        size_t before = 0, after;
        for (size_t i = 0; i < w->pods.len; i++)
            for (size_t k = 0; w->pods.p[i].node == node && naive_holds(&w->pods.p[i], p) && k < w->pods.p[i].spec.nvolumes; k++)
                attachment_add(list, &before, ARRAY_LEN(list), attaches(w, &w->pods.p[i].spec, &w->pods.p[i].spec.volumes[k]),
                               n->volume_limits[l].driver);
        after = before;
        for (size_t k = 0; k < p->nvolumes; k++)
            attachment_add(list, &after, ARRAY_LEN(list), attaches(w, p, &p->volumes[k]), n->volume_limits[l].driver);
        if (after > before && after > (size_t)n->volume_limits[l].count)
            return NAIVE_REJECTED;
    }
    return NAIVE_FITS;
}

enum naive_verdict naive_volumes(const struct naive *w, size_t pod, int node, enum naive_rule rule, struct naive_pod *ret_uses)
{
    const struct pod_spec *p = &w->pods.p[pod].spec;
    if (p->nvolumes == 0)
        return NAIVE_FITS;
    if (rule == NAIVE_VOLUME_RESTRICTIONS)
        return restrictions(w, p, node);
    if (rule == NAIVE_VOLUME_LIMITS)
        return limits(w, p, node);
    if (rule == NAIVE_VOLUME_ZONE)
        return zones(w, p, node);
    struct naive_pod uses = {.nuses = 0};
    enum naive_verdict v = binding(w, p, node, &uses);
    if (ret_uses) {
        memcpy(ret_uses->uses, uses.uses, sizeof uses.uses);
        ret_uses->nuses = v == NAIVE_FITS ? uses.nuses : 0;
    }
    return v;
}
