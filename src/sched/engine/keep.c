/* keep.c - see keep.h.
 *
 * Where: for each pod that the task needs, the node that lacks least, of those that it would fit on if nothing ran there but what other tasks have kept. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/engine/keep.h"

#include "sched/engine/place.h"
#include "sched/engine/preempt.h"
#include "sched/engine/statement.h"
#include "sched/engine/unit.h"

#define EMPTIED_MAX 16u /* nodes that are looked at as if they were empty, for one pod */
#define PODS_MAX 128u    /* that a task needs; for more, every node would be looked at too often */
#define LACKS_LITTLE 1e-3 /* no amount is in the way, but something is: a port, a volume */

static struct keep *find(const struct sched *s, unit_id u)
{
    for (size_t i = 0; i < s->keeps->list.len; i++)
        if (s->keeps->list.p[i].unit == u)
            return &s->keeps->list.p[i];
    return NULL;
}

const struct keep *keep_of(const struct sched *s, unit_id u)
{
    return find(s, u);
}

/* --- where ------------------------------------------------------------------------------------------------------------------------------------------ */
/* What nominated pods will have on the node. */
static int64_t promised(const struct sched *s, node_id n, uint16_t r)
{
    int64_t sum = 0;
    for (pod_id p = s->nodes[n].first_pod; p; p = s->pods[p].next_on_node) {
        const struct pod_class *c = class_of(s, p);
        for (uint32_t i = 0; s->pods[p].state == PS_NOMINATED && i < c->nreq; i++)
            sum += c->req[i].id == r ? c->req[i].amount : 0;
    }
    return sum;
}

/* Could the pod be there one day, and how far is it from that? */
static bool could_be(struct sched *s, const struct pod_class *c, node_id n, double *ret_lacks)
{
    for (uint32_t i = 0; i < c->nreq; i++)
        if (!s->alloc[c->req[i].id] || s->alloc[c->req[i].id][n] < c->req[i].amount)
            return false;
    int by = place_rejected_by(s, c->id, n);
    if (by >= 0 && s->table->plugins[by].plugin->filter_scope == PLUG_STATIC)
        return false;
    *ret_lacks = by < 0 ? 0 : LACKS_LITTLE;
    for (uint32_t i = 0; i < c->nreq; i++) {
        int64_t need = c->req[i].amount, have = view_free(&s->view, n, c->req[i].id);
        if (s->alloc[c->req[i].id][n] - promised(s, n, c->req[i].id) < need)
            return false;
        *ret_lacks += have < need ? (double)(need - have) / (double)need : 0;
    }
    return true;
}

/* Does it fit beside what is kept alone?  Then ret_mask are the devices it will have. */
static bool fits_then(struct sched *s, pod_id p, node_id n, uint16_t *ret_mask)
{
    uint32_t mark = statement_begin(s);
    for (pod_id q = s->nodes[n].first_pod, next; q; q = next) {
        next = s->pods[q].next_on_node;
        if (s->pods[q].state != PS_NOMINATED)
            model_unassign(s, q);
    }
    bool fits = place_fits(s, s->pods[p].class_, n);
    if (fits) {
        model_assign(s, p, n, PS_NOMINATED, 0);
        *ret_mask = s->pods[p].gpu_mask;
    }
    statement_rollback(s, mark);
    return fits;
}

static bool is_in(const node_id *list, size_t len, node_id n)
{
    for (size_t i = 0; i < len; i++)
        if (list[i] == n)
            return true;
    return false;
}

/* The node that lacks least, of equal ones by rank; not one of `tried` unless it lacks nothing. */
static node_id best_node(struct sched *s, pod_id p, const struct keep *k, uint16_t *ret_mask)
{
    const struct pod_class *c = class_of(s, p);
    node_id out[EMPTIED_MAX];
    for (uint32_t nout = 0; nout < EMPTIED_MAX; nout++) {
        node_id best = NODE_NONE;
        double least = 0, lacks;
        bits_foreach(n, s->alive, s->view.words)
        {
            if (is_in(out, nout, n) || !could_be(s, c, n, &lacks) || (lacks > 0 && is_in(k->tried.p, k->tried.len, n)))
                continue;
            if (best == NODE_NONE || lacks < least || (lacks <= least && s->tie[n] < s->tie[best])) {
                best = n;
                least = lacks;
            }
        }
        if (best == NODE_NONE || fits_then(s, p, best, ret_mask))
            return best;
        out[nout] = best;
    }
    return NODE_NONE;
}

/* Topologies and selectors of the group would have to be chosen, too: such groups are left as they are. */
static bool is_plain(const struct unit *u)
{
    for (uint32_t i = 0; i < u->nsubgroups; i++)
        if (u->subgroups[i].required_key)
            return false;
    return u->nrequired_keys == 0 && u->nnode_selector == 0;
}

/* Could its links carry that one day?  beside: together with what is kept for others. */
static bool links_will_do(const struct sched *s, const struct keep *k, bool beside)
{
    for (uint32_t i = 0; i < k->ends.n; i++)
        for (uint32_t j = 0; j < k->ends.n; j++) {
            const struct link_end *a = &k->ends.p[i], *b = &k->ends.p[j];
            const struct link *l = i == j ? NULL : links_find(s, a->ns, b->ns);
            int64_t takes = links_takes(a, b);
            if (l && l->capacity != LINK_ENDLESS && takes > 0 && takes + (beside ? keep_link_bits(s, UNIT_NONE, a->ns, b->ns) : 0) > l->capacity)
                return false;
        }
    return true;
}

/* What it has in place, and these pods besides. */
static void add_up_ends(const struct sched *s, struct keep *k)
{
    const struct unit *u = &s->units[k->unit];
    k->ends.n = 0;
    for (uint32_t i = 0; i < u->ends.n; i++)
        links_end_add(&k->ends, &u->ends.p[i]);
    for (size_t i = 0; i < k->at.len; i++) {
        const struct pod_class *c = class_of(s, k->at.p[i].pod);
        links_end_add(&k->ends, &(struct link_end){s->pods[k->at.p[i].pod].ns, 1, c->amount[RES_EGRESS], c->amount[RES_INGRESS]});
    }
}

/* Its pods are PENDING, and k is not in the list.  Changes nothing but k. */
static bool plan(struct sched *s, struct keep *k)
{
    struct unit_members need = {0};
    bool found = is_plain(&s->units[k->unit]) && unit_could_be(s, k->unit);
    model_tie_ranks(s);
    vec_clear(&k->at);
    if (found)
        sched_next_members(s, k->unit, &need);
    found = found && need.pods.len <= PODS_MAX;
    uint32_t mark = statement_begin(s);
    for (size_t i = 0; i < need.pods.len && found; i++) {
        uint16_t mask = 0;
        pod_id p = need.pods.p[i];
        node_id n = s->pods[p].state == PS_PENDING ? best_node(s, p, k, &mask) : NODE_NONE;
        found = n != NODE_NONE;
        if (!found)
            break;
        model_assign(s, p, n, PS_NOMINATED, mask);
        vec_push(&k->at, (struct placement){p, n, mask, 0});
    }
    statement_rollback(s, mark);
    found = found && need.pods.len > 0;
    vec_fini(&need.pods);
    add_up_ends(s, k);
    return found && links_will_do(s, k, true);
}

static const struct link_end *end_of(const struct link_ends *x, sym_t ns)
{
    for (uint32_t i = 0; i < x->n; i++)
        if (x->p[i].ns == ns)
            return &x->p[i];
    return NULL;
}

static int64_t crossing(const struct link_ends *x, sym_t source, sym_t destination)
{
    const struct link_end *a = end_of(x, source), *b = end_of(x, destination);
    return a && b ? links_takes(a, b) : 0;
}

/* Of the link, what it has not taken yet. */
static int64_t bits_of(const struct sched *s, const struct keep *k, sym_t source, sym_t destination)
{
    int64_t all = crossing(&k->ends, source, destination);
    return all ? MAX(all - crossing(&s->units[k->unit].ends, source, destination), (int64_t)0) : 0;
}

/* --- how it goes --------------------------------------------------------------------------------------------------------------------------------------- */
static bool lacks_on(const struct sched *s, node_id n, const struct pod_class *c, double *ret)
{
    bool lacks = false;
    for (uint32_t i = 0; i < c->nreq; i++) {
        int64_t have = view_free(&s->view, n, c->req[i].id); /* with what is kept in it */
        lacks |= have < 0;
        *ret += have < 0 ? (double)-have / (double)MAX(c->req[i].amount, 1) : 0;
    }
    return lacks;
}

static double lacks_of(const struct sched *s, const struct keep *k, bool *ret_nodes)
{
    double sum = 0;
    *ret_nodes = false;
    for (size_t i = 0; i < k->at.len; i++)
        *ret_nodes |= lacks_on(s, k->at.p[i].node, class_of(s, k->at.p[i].pod), &sum);
    for (uint32_t i = 0; i < k->ends.n; i++)
        for (uint32_t j = 0; j < k->ends.n; j++) {
            const struct link *l = i == j ? NULL : links_find(s, k->ends.p[i].ns, k->ends.p[j].ns);
            int64_t over = l && l->capacity != LINK_ENDLESS ? l->taken + bits_of(s, k, l->ends[0], l->ends[1]) - l->capacity : 0;
            sum += over > 0 ? (double)over / (double)MAX(l->capacity, (int64_t)1) : 0;
        }
    return sum;
}

/* Are its pods nominated where it was planned, and could they be there? */
static bool is_sound(const struct sched *s, const struct keep *k)
{
    if (!s->units[k->unit].declared || !links_will_do(s, k, false))
        return false;
    for (size_t i = 0; i < k->at.len; i++) {
        const struct placement *x = &k->at.p[i];
        const struct pod *p = &s->pods[x->pod];
        if (p->unit != k->unit || p->state != PS_NOMINATED || p->node != x->node || s->nodes[x->node].unschedulable)
            return false;
        const struct pod_class *c = s->classes[p->class_];
        for (uint32_t r = 0; r < c->nreq; r++)
            if (s->alloc[c->req[r].id][x->node] < promised(s, x->node, c->req[r].id))
                return false;
    }
    return true;
}

/* --- keeping -------------------------------------------------------------------------------------------------------------------------------------------- */
static void links_told(struct sched *s, const struct keep *k)
{
    for (uint32_t i = 0; i < k->ends.n; i++)
        for (uint32_t j = 0; j < k->ends.n; j++)
            if (i != j)
                links_freed(s, k->ends.p[i].ns, k->ends.p[j].ns);
}

static void nominate(struct sched *s, const struct keep *k, bool on)
{
    for (size_t i = 0; i < k->at.len; i++) {
        const struct placement *x = &k->at.p[i];
        const struct pod *p = x->pod < s->npods_slots ? &s->pods[x->pod] : NULL;
        if (on)
            model_assign(s, x->pod, x->node, PS_NOMINATED, x->gpu_mask);
        else if (p && p->unit == k->unit && p->state == PS_NOMINATED && p->node == x->node)
            model_unassign(s, x->pod);
    }
}

static void keep_free(struct keep *k)
{
    vec_fini(&k->at);
    vec_fini(&k->tried);
    free(k->ends.p);
}

bool keep_make(struct sched *s, unit_id u, nsec_t since, nsec_t every, nsec_t now)
{
    bool nodes;
    struct keep k = {.unit = u, .since_ns = since, .every_ns = every, .looked_ns = now};
    BUG_ON(find(s, u));
    if (!plan(s, &k)) {
        keep_free(&k);
        return false;
    }
    nominate(s, &k, true);
    k.lacks = lacks_of(s, &k, &nodes);
    vec_push(&s->keeps->list, k);
    return true;
}

void keep_forget(struct sched *s, unit_id u)
{
    struct keep *k = find(s, u);
    if (!k)
        return;
    links_told(s, k);
    keep_free(k);
    vec_remove(&s->keeps->list, (size_t)(k - s->keeps->list.p));
}

void keep_drop(struct sched *s, unit_id u)
{
    struct keep *k = find(s, u);
    if (!k)
        return;
    nominate(s, k, false);
    keep_forget(s, u);
}

/* Elsewhere, keeping its place in the order. */
static bool move(struct sched *s, struct keep *k)
{
    size_t at = (size_t)(k - s->keeps->list.p);
    double none = 0;
    for (size_t i = 0; i < k->at.len; i++)
        if (lacks_on(s, k->at.p[i].node, class_of(s, k->at.p[i].pod), &none) && !is_in(k->tried.p, k->tried.len, k->at.p[i].node))
            vec_push(&k->tried, k->at.p[i].node);
    struct keep now = *k;
    nominate(s, &now, false);
    links_told(s, &now);
    vec_remove(&s->keeps->list, at); /* what it has kept is not in its own way */
    if (!plan(s, &now)) {
        keep_free(&now);
        return false;
    }
    nominate(s, &now, true);
    vec_push(&s->keeps->list, now);
    for (size_t i = s->keeps->list.len; --i > at;) {
        struct keep other = s->keeps->list.p[i];
        s->keeps->list.p[i] = s->keeps->list.p[i - 1];
        s->keeps->list.p[i - 1] = other;
    }
    return true;
}

enum keep_state keep_look(struct sched *s, unit_id u, nsec_t now, nsec_t *ret_next)
{
    struct keep *k = find(s, u);
    bool nodes;
    *ret_next = now;
    if (!k || !is_sound(s, k))
        return KEEP_LOST;
    *ret_next = k->looked_ns + k->every_ns;
    if (now < *ret_next)
        return KEEP_GOOD;
    double lacks = lacks_of(s, k, &nodes);
    bool good = lacks < k->lacks;
    if (!good && (!nodes || !move(s, k)))
        return KEEP_HOPELESS;
    k = find(s, u);
    k->lacks = lacks_of(s, k, &nodes);
    k->looked_ns = now;
    *ret_next = now + k->every_ns;
    return KEEP_GOOD;
}

bool keep_has_room(const struct sched *s, class_id c, const node_id *nodes, size_t n)
{
    double none = 0;
    for (size_t i = 0; i < s->keeps->list.len; i++)
        for (size_t k = 0; k < s->keeps->list.p[i].at.len; k++) {
            const struct placement *x = &s->keeps->list.p[i].at.p[k];
            if (s->pods[x->pod].class_ == c && s->pods[x->pod].state == PS_NOMINATED && (!nodes || is_in(nodes, n, x->node)) && !lacks_on(s, x->node, s->classes[c], &none))
                return true;
        }
    return false;
}

/* --- others ----------------------------------------------------------------------------------------------------------------------------------------------- */
/* UNIT_NONE counts all. */
static bool counts(const struct sched *s, const struct keep *k, unit_id asking)
{
    return asking == UNIT_NONE || s->units[k->unit].priority >= s->units[asking].priority;
}

int64_t keep_link_bits(const struct sched *s, unit_id asking, sym_t source, sym_t destination)
{
    int64_t sum = 0;
    for (size_t i = 0; i < s->keeps->list.len && (asking == UNIT_NONE || s->keeps->list.p[i].unit != asking); i++) /* those after it do not count */
        sum += counts(s, &s->keeps->list.p[i], asking) ? bits_of(s, &s->keeps->list.p[i], source, destination) : 0;
    return sum;
}

const struct keep *keep_on_link(const struct sched *s, unit_id asking, sym_t source, sym_t destination)
{
    for (size_t i = 0; i < s->keeps->list.len && s->keeps->list.p[i].unit != asking; i++)
        if (counts(s, &s->keeps->list.p[i], asking) && bits_of(s, &s->keeps->list.p[i], source, destination) > 0)
            return &s->keeps->list.p[i];
    return NULL;
}

const struct keep *keep_before(struct sched *s, pod_id p)
{
    const struct keep *found = NULL;
    for (size_t i = 0; i < s->keeps->list.len && !found; i++) {
        const struct keep *k = &s->keeps->list.p[i];
        if (k->unit == s->pods[p].unit)
            continue;
        uint32_t mark = statement_begin(s);
        nominate(s, k, false);
        for (size_t n = 0; n < k->at.len && !found; n++)
            found = node_is_alive(s, k->at.p[n].node) && place_fits(s, s->pods[p].class_, k->at.p[n].node) ? k : NULL;
        statement_rollback(s, mark);
    }
    return found;
}

struct keeps *keeps_new(void)
{
    return xnew(struct keeps);
}

void keeps_free(struct keeps *x)
{
    if (!x)
        return;
    for (size_t i = 0; i < x->list.len; i++)
        keep_free(&x->list.p[i]);
    vec_fini(&x->list);
    free(x);
}
