/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/engine/explain_nodes.h"

#include "sched/engine/explain_text.h"
#include "sched/engine/keep.h"
#include "sched/engine/links.h"
#include "sched/engine/place.h"
#include "sched/engine/statement.h"
#include "sched/plugins/plugins.h"

#define REASONS_MAX 16

static const struct end {
    uint16_t resource;
    const char *total, *free_;
} ends[] = {{RES_EGRESS, "egressBits", "egressFreeBits"}, {RES_INGRESS, "ingressBits", "ingressFreeBits"}};

/* --- nodes -------------------------------------------------------------------------------------------------------------------------------------------- */

struct candidate {
    node_id node;
    bool fits;
    int64_t free_bits; /* of the scarcer end */
    str lacks;
};

/* True: nothing but amounts is in the way, which ret_lacks names. */
static bool lacks_amounts(const struct sched *s, struct arena *a, const struct pod_class *c, uint32_t plugin, node_id n, str *ret_lacks)
{
    const struct profile_plugin *p = &s->table->plugins[plugin];
    struct plug_reason list[REASONS_MAX];
    struct strbuf b = strbuf_on(a);
    size_t k = p->plugin->explain ? p->plugin->explain(&s->view, c, p->args, n, list, REASONS_MAX) : 0;
    for (size_t i = 0; i < k; i++) {
        if (list[i].resource >= RES_MAX)
            return false;
        strbuf_addf(&b, "%s" STR_FMT, b.len ? " and " : "", STR_ARG(explain_more(s, a, list[i].resource, list[i].need - list[i].have)));
    }
    *ret_lacks = strbuf_str(&b);
    return k > 0;
}

static int64_t free_of(const struct sched *s, node_id n, uint16_t r)
{
    return MAX(view_free(&s->view, n, r), (int64_t)0);
}

static bool is_before(const struct sched *s, const struct candidate *a, const struct candidate *b)
{
    if (a->fits != b->fits)
        return a->fits;
    if (a->free_bits != b->free_bits)
        return a->free_bits > b->free_bits;
    return str_cmp(sched_node_name(s, a->node), sched_node_name(s, b->node)) < 0;
}

/* The best of all, in order. */
static void keep(const struct sched *s, struct candidate *list, uint32_t *n, const struct candidate *c)
{
    uint32_t at = *n;
    if (at == EXPLAIN_NODES && !is_before(s, c, &list[at - 1]))
        return;
    at = *n < EXPLAIN_NODES ? (*n)++ : EXPLAIN_NODES - 1;
    for (; at && is_before(s, c, &list[at - 1]); at--)
        list[at] = list[at - 1];
    list[at] = *c;
}

static struct json candidate_json(struct arena *a, const struct sched *s, const struct candidate *c, node_id chosen, bool is_kept)
{
    struct json o = json_object();
    json_set(a, &o, S("node"), json_string(arena_str(a, sched_node_name(s, c->node))));
    json_set(a, &o, S("fits"), json_bool(c->fits));
    if (c->node == chosen)
        json_set(a, &o, is_kept ? S("kept") : S("chosen"), json_bool(true));
    for (size_t e = 0; e < ARRAY_LEN(ends); e++) {
        json_set(a, &o, str_of(ends[e].total), json_int(a, s->alloc[ends[e].resource] ? s->alloc[ends[e].resource][c->node] : 0));
        json_set(a, &o, str_of(ends[e].free_), json_int(a, free_of(s, c->node, ends[e].resource)));
    }
    if (c->lacks.len)
        json_set(a, &o, S("lacks"), json_string(c->lacks));
    return o;
}

static void add_considered(struct sched *s, struct arena *a, pod_id p, struct json *record)
{
    const struct pod_class *c = class_of(s, p);
    struct candidate *list = arena_array(a, EXPLAIN_NODES, struct candidate);
    uint32_t n = 0, all = 0, excluded = 0;
    node_id chosen = pod_on_node(&s->pods[p]) ? s->pods[p].node : NODE_NONE;
    bool is_kept = s->pods[p].state == PS_NOMINATED;
    uint32_t mark = statement_begin(s);
    if (chosen != NODE_NONE)
        model_unassign(s, p);
    bits_foreach(i, s->alive, s->view.words)
    {
        struct candidate x = {.node = i, .free_bits = MIN(free_of(s, i, RES_EGRESS), free_of(s, i, RES_INGRESS))};
        int by = place_rejected_by(s, s->pods[p].class_, i);
        x.fits = by < 0;
        if (by >= 0 && (i != chosen || is_kept) && !lacks_amounts(s, a, c, (uint32_t)by, i, &x.lacks) && i != chosen) {
            excluded++;
            continue;
        }
        all++;
        keep(s, list, &n, &x);
    }
    struct json array = json_array();
    for (uint32_t i = 0; i < n; i++)
        json_push(a, &array, candidate_json(a, s, &list[i], chosen, is_kept));
    statement_rollback(s, mark);
    json_set(a, record, S("considered"), array);
    json_set(a, record, S("excluded"), json_int(a, excluded));
    if (all > n)
        json_set(a, record, S("leftOff"), json_int(a, all - n));
}

/* --- links --------------------------------------------------------------------------------------------------------------------------------------------------- */

static bool has_ns(const struct sched *s, const struct unit *u, sym_t ns)
{
    for (size_t i = 0; i < u->pods.len; i++)
        if (s->pods[u->pods.p[i]].ns == ns)
            return true;
    return false;
}

/* Between those that take part; with ns, those of one of them. */
static void add_links(const struct sched *s, struct arena *a, unit_id u, sym_t ns, struct json *record)
{
    struct link_list all = {0};
    struct json list = json_array();
    links_list(s, &all);
    for (size_t i = 0; i < all.list.len; i++) {
        const struct link *l = all.list.p[i];
        if (!has_ns(s, &s->units[u], l->ends[0]) || !has_ns(s, &s->units[u], l->ends[1]) || (ns && ns != l->ends[0] && ns != l->ends[1]))
            continue;
        struct json o = json_object();
        json_set(a, &o, S("source"), json_string(arena_str(a, symbol_text(&s->sym, l->ends[0]))));
        json_set(a, &o, S("destination"), json_string(arena_str(a, symbol_text(&s->sym, l->ends[1]))));
        json_set(a, &o, S("bits"), json_int(a, l->capacity));
        json_set(a, &o, S("freeBits"), json_int(a, MAX(l->capacity - l->taken - keep_link_bits(s, u, l->ends[0], l->ends[1]), (int64_t)0)));
        json_push(a, &list, o);
    }
    vec_fini(&all.list);
    if (list.len)
        json_set(a, record, S("links"), list);
}

void explain_add_nodes(struct sched *s, struct arena *a, pod_id p, struct json *record)
{
    unit_id u = s->pods[p].unit;
    add_considered(s, a, p, record);
    if (unit_crosses(&s->units[u]))
        add_links(s, a, u, s->pods[p].ns, record);
}

/* --- who holds it ------------------------------------------------------------------------------------------------------------------------------------------------ */

str explain_holders(const struct sched *s, struct arena *a, node_id n, uint16_t resource, pod_id asking)
{
    pod_id best[EXPLAIN_HOLDERS];
    uint32_t nbest = 0, others = 0, more = 0;
    struct strbuf b = strbuf_on(a);
    for (pod_id p = s->nodes[n].first_pod; p; p = s->pods[p].next_on_node) {
        int64_t amount = class_of(s, p)->amount[resource];
        bool is_kept = s->pods[p].state == PS_NOMINATED && keep_of(s, s->pods[p].unit); /* for whom room is kept is told apart from that */
        if (!amount || s->pods[p].unit == s->pods[asking].unit || is_kept)
            continue;
        if (s->pods[p].ns != s->pods[asking].ns) {
            others++;
            continue;
        }
        uint32_t at = nbest;
        for (; at && (amount > class_of(s, best[at - 1])->amount[resource] || (amount == class_of(s, best[at - 1])->amount[resource] && str_cmp(sched_pod_name(s, p), sched_pod_name(s, best[at - 1])) < 0)); at--)
            if (at < EXPLAIN_HOLDERS)
                best[at] = best[at - 1];
        more += nbest == EXPLAIN_HOLDERS;
        if (at < EXPLAIN_HOLDERS)
            best[at] = p;
        nbest = MIN(nbest + 1, EXPLAIN_HOLDERS);
    }
    for (uint32_t i = 0; i < nbest; i++)
        strbuf_addf(&b, "%s" STR_FMT " (" STR_FMT ")", i ? ", " : "held by ", STR_ARG(sched_pod_name(s, best[i])), STR_ARG(explain_amount(a, s, resource, class_of(s, best[i])->amount[resource])));
    if (more)
        strbuf_addf(&b, " and %u more", more);
    if (others)
        strbuf_addf(&b, "%s%u pod%s of others", b.len ? " and " : "held by ", others, others == 1 ? "" : "s");
    return strbuf_str(&b);
}

/* --- several institutions -------------------------------------------------------------------------------------------------------------------------------------------- */

static str ns_of(str pod)
{
    str ns;
    return str_cut(&pod, '/', &ns) ? ns : S("");
}

/* One of its pods that waits; POD_NONE: there is none. */
static pod_id waiting_of(const struct sched *s, unit_id u, sym_t ns)
{
    const struct unit *unit = &s->units[u];
    for (size_t i = 0; i < unit->pods.len; i++) {
        const struct pod *p = &s->pods[unit->pods.p[i]];
        if (p->ns == ns && (p->state == PS_PENDING || p->state == PS_NOMINATED) && !class_of(s, unit->pods.p[i])->gates)
            return unit->pods.p[i];
    }
    return POD_NONE;
}

str explain_for(struct arena *a, struct sched *s, const struct explanation *x, unit_id u, sym_t ns)
{
    str failed = ns_of(x->pod);
    if (!unit_crosses(&s->units[u]) || !failed.len || str_eq(failed, symbol_text(&s->sym, ns)) || (x->result != UNIT_REJECTED && x->result != UNIT_PREEMPTING) || (!x->nrows && !x->link.len))
        return x->sentence;
    pod_id own = waiting_of(s, u, ns);
    const struct explanation *mine = own != POD_NONE ? explain_alone(s, a, own) : NULL;
    if (mine)
        return mine->sentence; /* it lacks something itself */
    if (x->link.len)
        return arena_fmt(a, "waits for party " STR_FMT ": " STR_FMT, STR_ARG(failed), STR_ARG(x->link));
    struct strbuf b = strbuf_on(a);
    strbuf_addf(&b, "waits for party " STR_FMT ", which", STR_ARG(failed));
    size_t at = b.len;
    for (uint32_t i = 0; i < x->nrows; i++)
        if (x->rows[i].resource < RES_MAX)
            strbuf_addf(&b, "%s " STR_FMT, b.len > at ? " and" : " lacks", STR_ARG(explain_needs(s, a, &x->rows[i])));
    if (b.len == at)
        strbuf_add_str(&b, S(" has no node that will do"));
    return strbuf_str(&b);
}

struct members {
    pod_id *p;
    size_t len;
};

static int by_party(const void *a, const void *b, void *arg)
{
    const struct sched *s = arg;
    const struct pod *x = &s->pods[*(const pod_id *)a], *y = &s->pods[*(const pod_id *)b];
    if (x->subgroup != y->subgroup)
        return x->subgroup < y->subgroup ? -1 : 1;
    if (x->ns != y->ns)
        return x->ns < y->ns ? -1 : 1;
    return str_cmp(sched_pod_name(s, *(const pod_id *)a), sched_pod_name(s, *(const pod_id *)b));
}

/* The unit's pods as its group names the parties, whoever came first. */
static struct members members_of(const struct sched *s, struct arena *a, const struct unit *u)
{
    struct members m = {.p = arena_array(a, u->pods.len, pod_id), .len = u->pods.len};
    if (m.len)
        memcpy(m.p, u->pods.p, m.len * sizeof *m.p);
    qsort_r(m.p, m.len, sizeof *m.p, by_party, (void *)s);
    return m;
}

#define SHOWN_LOOKS 16u /* classes of a party that are looked at on all nodes */

/* Of the party's pods one that waits stands for all: the one that found nothing, or one that no node takes. */
static pod_id shown_of(struct sched *s, const struct members *m, sym_t ns, str failed)
{
    pod_id waits = POD_NONE, placed = POD_NONE;
    for (size_t i = 0; i < m->len; i++) {
        pod_id p = m->p[i];
        str of, name = failed;
        if (s->pods[p].ns != ns)
            continue;
        if (s->pods[p].state >= PS_ASSUMED)
            placed = placed ? placed : p;
        else if (str_cut(&name, '/', &of) && str_eq(of, symbol_text(&s->sym, ns)) && str_eq(name, sched_pod_name(s, p)))
            return p;
        else
            waits = waits ? waits : p;
    }
    class_id fits = waits ? s->pods[waits].class_ : 0;
    bool asked = false;
    for (size_t i = 0, looks = 0; waits && i < m->len && looks < SHOWN_LOOKS; i++) {
        const struct pod *p = &s->pods[m->p[i]];
        struct place_result r;
        if (p->ns != ns || p->state != PS_PENDING || (asked && p->class_ == fits))
            continue;
        if (!place_find(s, p->class_, &(struct place_opts){0}, &r))
            return m->p[i];
        fits = p->class_;
        asked = true;
        looks++;
    }
    return waits ? waits : placed;
}

static struct json party_json(struct sched *s, struct arena *a, const struct members *m, sym_t ns, str failed)
{
    struct json o = json_object(), pods = json_array();
    pod_id shown = shown_of(s, m, ns, failed);
    json_set(a, &o, S("domain"), json_string(arena_str(a, symbol_text(&s->sym, ns))));
    for (size_t i = 0; i < m->len; i++) {
        pod_id p = m->p[i];
        if (s->pods[p].ns != ns)
            continue;
        bool placed = s->pods[p].state >= PS_ASSUMED;
        if (pods.len >= EXPLAIN_NODES)
            continue;
        struct json one = json_object();
        json_set(a, &one, S("pod"), json_string(arena_str(a, sched_pod_name(s, p))));
        if (placed)
            json_set(a, &one, S("node"), json_string(arena_str(a, sched_node_name(s, s->pods[p].node))));
        else if (s->pods[p].state == PS_NOMINATED)
            json_set(a, &one, S("keptOn"), json_string(arena_str(a, sched_node_name(s, s->pods[p].node))));
        for (size_t e = 0; e < ARRAY_LEN(ends); e++)
            if (class_of(s, p)->amount[ends[e].resource])
                json_set(a, &one, str_of(e ? "ingressRequestBits" : "egressRequestBits"), json_int(a, class_of(s, p)->amount[ends[e].resource]));
        json_push(a, &pods, one);
    }
    json_set(a, &o, S("pods"), pods);
    if (shown != POD_NONE) {
        json_set(a, &o, S("of"), json_string(arena_str(a, sched_pod_name(s, shown))));
        add_considered(s, a, shown, &o);
    }
    return o;
}

struct json explain_group_json(struct sched *s, struct arena *a, unit_id u, const struct explanation *why)
{
    const struct unit *unit = &s->units[u];
    const struct members members = members_of(s, a, unit);
    struct json o = why ? explain_json(a, s, why) : json_object(), parties = json_array();
    sym_t seen[EXPLAIN_PARTIES];
    uint32_t n = 0, left_off = 0;
    json_set(a, &o, S("task"), json_string(arena_str(a, symbol_text(&s->sym, unit->name))));
    if (!why) {
        json_set(a, &o, S("result"), json_string(S("Placed")));
        json_set(a, &o, S("message"), json_string(S("every pod that must have a node has one")));
    }
    for (size_t i = 0; i < members.len; i++) {
        sym_t ns = s->pods[members.p[i]].ns;
        uint32_t k = 0;
        while (k < n && seen[k] != ns)
            k++;
        if (k < n)
            continue;
        if (n == EXPLAIN_PARTIES) {
            left_off++;
            continue;
        }
        seen[n++] = ns;
        json_push(a, &parties, party_json(s, a, &members, ns, why ? why->pod : S("")));
    }
    json_set(a, &o, S("parties"), parties);
    if (left_off)
        json_set(a, &o, S("podsLeftOff"), json_int(a, left_off));
    if (unit_crosses(unit))
        add_links(s, a, u, 0, &o);
    return o;
}
