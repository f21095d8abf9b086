/* explain.c - why a unit waits, why a pod is where it is.
 *
 * Each node is asked twice: for the first filter that rejects it, which makes the rows, and for everything that is wrong with it, which finds
 * the nearest miss: the node that lacks least.  All of it is cold; nothing is kept between calls. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/engine/explain.h"

#include "base/civil.h"
#include "sched/engine/explain_gang.h"
#include "sched/engine/explain_nodes.h"
#include "sched/engine/explain_text.h"
#include "sched/engine/keep.h"
#include "sched/engine/links.h"
#include "sched/engine/place.h"
#include "sched/engine/preempt.h"
#include "sched/engine/statement.h"
#include "sched/engine/unit.h"
#include "sched/plugins/plugins.h"

#define REASONS_MAX 16
#define KEPT_NODES 4u
#define VIRTUAL_NS (365 * 24 * 3600 * NSEC_PER_SEC) /* a clock that shows less began at 0 */
#define GROUPS_MAX 512 /* distinct reasons that are told apart before the rest is summed up */

/* --- rows ------------------------------------------------------------------------------------------------------------------- */
struct group { /* nodes with the same reason */
    uint32_t plugin; /* index in the table, PLUG_MAX: the unit's own nodes */
    struct plug_reason reason;
    bool shows_what; /* the reason's sentence names what it is about */
    uint32_t nodes, hopeful;
    int64_t best;
    node_id best_node, first_node;
};
struct rows {
    struct sched *s;
    struct group list[GROUPS_MAX];
    uint32_t n, others;
};

static const char *template_of(const struct sched *s, uint32_t plugin, const struct plug_reason *r)
{
    if (plugin >= s->table->nplugins)
        return "node(s) were not among the nodes of the group";
    const struct sched_plugin *p = s->table->plugins[plugin].plugin;
    return p->reasons ? p->reasons[r->code] : p->name;
}

static void rows_add(struct rows *x, uint32_t plugin, const struct plug_reason *r, node_id n)
{
    bool shows_what = strstr(template_of(x->s, plugin, r), "%s") != NULL;
    for (uint32_t i = 0; i < x->n; i++) {
        struct group *g = &x->list[i];
        if (g->plugin != plugin || g->reason.code != r->code || g->reason.resource != r->resource ||
            (shows_what && (g->reason.what[0] != r->what[0] || g->reason.what[1] != r->what[1])))
            continue;
        g->nodes++;
        g->hopeful += !r->unresolvable;
        g->reason.unresolvable &= r->unresolvable;
        if (r->have > g->best) {
            g->best = r->have;
            g->best_node = n;
        }
        return;
    }
    if (x->n == GROUPS_MAX)
        x->others++;
    else
        x->list[x->n++] = (struct group){.plugin = plugin, .reason = *r, .shows_what = shows_what, .nodes = 1, .hopeful = !r->unresolvable, .best = r->have,
                                         .best_node = n, .first_node = n};
}

/* Reasons of one filter on one node; at least one, since it says no. */
static size_t reasons_of(const struct sched *s, const struct pod_class *c, uint32_t plugin, node_id n, struct plug_reason *ret)
{
    const struct profile_plugin *p = &s->table->plugins[plugin];
    size_t found = p->plugin->explain ? p->plugin->explain(&s->view, c, p->args, n, ret, REASONS_MAX) : 0;
    if (found == 0)
        ret[found++] = (struct plug_reason){.resource = RES_MAX};
    return found;
}

static int by_nodes(const void *pa, const void *pb)
{
    const struct group *a = pa, *b = pb;
    if (a->nodes != b->nodes)
        return a->nodes > b->nodes ? -1 : 1;
    if (a->plugin != b->plugin)
        return a->plugin < b->plugin ? -1 : 1;
    if (a->reason.code != b->reason.code)
        return a->reason.code < b->reason.code ? -1 : 1;
    return a->first_node < b->first_node ? -1 : a->first_node > b->first_node;
}

/* "node(s) had untolerated taint {%s: %s}" with its names filled in; what a resource is short of is the resource. */
static str fill_template(const struct sched *s, struct arena *a, const char *template_, const struct plug_reason *r)
{
    struct strbuf b = strbuf_on(a);
    size_t next = 0;
    for (const char *p = template_; *p; p++) {
        if (p[0] != '%' || p[1] != 's') {
            strbuf_add_char(&b, *p);
            continue;
        }
        if (r->resource != RES_MAX && next == 0 && !r->what[0])
            strbuf_add_str(&b, s->res_name[r->resource]);
        else if (next < ARRAY_LEN(r->what))
            strbuf_add_str(&b, symbol_text(&s->sym, r->what[next]));
        next++;
        p++;
    }
    return strbuf_str(&b);
}

/* The same for the sentence, after the number of nodes. */
static str say_row(const struct sched *s, struct arena *a, const struct group *g, const struct explain_row *row, bool one_bandwidth)
{
    if (g->plugin < s->table->nplugins && s->table->plugins[g->plugin].plugin == &plugin_taint_toleration)
        return arena_fmt(a, "%s taint " STR_FMT, row->nodes == 1 ? "has" : "have", STR_ARG(explain_taint(s, a, g->first_node, g->reason.what)));
    if (row->resource < RES_MAX && g->reason.what[0] && str_has_prefix(row->text, S("Insufficient "))) /* devices: the text says of what kind */
        return arena_fmt(a, "%s " STR_FMT " (best free: %lld on " STR_FMT ")", row->nodes == 1 ? "lacks" : "lack", STR_ARG(str_from(row->text, 13)),
                         (long long)row->best, STR_ARG(row->best_node));
    if (row->resource < RES_MAX)
        return explain_lack(s, a, row, one_bandwidth);
    if (row->nodes == 1 && str_has_prefix(row->text, S("node(s) were ")))
        return arena_fmt(a, "was " STR_FMT, STR_ARG(str_from(row->text, 13)));
    if (str_has_prefix(row->text, S("node(s) ")))
        return str_from(row->text, 8);
    return arena_fmt(a, "(" STR_FMT ")", STR_ARG(row->text));
}

static bool is_bandwidth(uint16_t resource)
{
    return resource == RES_INGRESS || resource == RES_EGRESS;
}

/* The amount that most of the nodes lack that are excluded by nothing else; sorted. */
static const struct group *scarce(const struct rows *x)
{
    for (uint32_t i = 0; i < x->n; i++)
        if (x->list[i].reason.resource < RES_MAX)
            return &x->list[i];
    return NULL;
}

static void rows_write(struct rows *x, struct arena *a, struct explanation *out)
{
    struct sched *s = x->s;
    if (x->n)
        qsort(x->list, x->n, sizeof x->list[0], by_nodes);
    out->rows = arena_array(a, EXPLAIN_ROWS, struct explain_row);
    uint32_t directions = 0;
    for (uint32_t i = 0; i < x->n; i++)
        directions += is_bandwidth(x->list[i].reason.resource);
    for (uint32_t i = 0; i < x->n; i++) {
        const struct group *g = &x->list[i];
        if (out->nrows == EXPLAIN_ROWS - 1 && x->n > EXPLAIN_ROWS) {
            x->others += g->nodes;
            continue;
        }
        struct explain_row *row = &out->rows[out->nrows++];
        *row = (struct explain_row){.plugin = g->plugin < s->table->nplugins ? s->table->plugins[g->plugin].plugin->name : "JobLevelAffinity",
                                    .text = fill_template(s, a, template_of(s, g->plugin, &g->reason), &g->reason),
                                    .nodes = g->nodes, .resource = g->reason.resource, .unresolvable = g->reason.unresolvable,
                                    .hopeful = g->hopeful};
        if (g->reason.resource != RES_MAX) {
            row->need = g->reason.need;
            row->best = g->best;
            row->best_node = arena_str(a, sched_node_name(s, g->best_node));
        }
        row->say = say_row(s, a, g, row, directions == 1);
    }
    const struct group *most = scarce(x);
    out->reason = most && (is_bandwidth(most->reason.resource) || explain_is_lent(s, most->reason.resource)) ? "BandwidthInsufficient" : NULL;
    if (x->others && out->nrows < EXPLAIN_ROWS)
        out->rows[out->nrows++] = (struct explain_row){.plugin = "", .text = S("node(s) had other reasons"), .say = S("had other reasons"),
                                                       .nodes = x->others, .resource = RES_MAX};
}

/* --- the nearest miss ------------------------------------------------------------------------------------------------------- */
struct miss {
    node_id node; /* NODE_NONE: none yet */
    uint32_t plugin;
    struct plug_reason reasons[REASONS_MAX];
    size_t n;
    double cost; /* sum of what is lacking of each resource over what is needed */
    uint32_t same; /* nodes with this one reason, when it is no resource */
};

/* Everything that is wrong with the node. */
static size_t all_reasons(const struct sched *s, const struct pod_class *c, node_id n, struct plug_reason *ret, uint32_t *ret_plugin)
{
    size_t found = 0;
    for (uint32_t i = 0; i < s->table->nplugins && found < REASONS_MAX; i++) {
        const struct profile_plugin *p = &s->table->plugins[i];
        struct plug_reason some[REASONS_MAX];
        if (!p->filters || !(c->uses_filter >> i & 1) || !p->plugin->fits_one || p->plugin->fits_one(&s->view, c, p->args, n))
            continue;
        size_t k = reasons_of(s, c, i, n, some);
        *ret_plugin = i;
        for (size_t j = 0; j < k && found < REASONS_MAX; j++)
            ret[found++] = some[j];
    }
    return found;
}

static double cost_of(const struct plug_reason *r, size_t n)
{
    double cost = 0;
    for (size_t i = 0; i < n; i++)
        cost += r[i].resource == RES_MAX ? 1e9 : (double)(r[i].need - r[i].have) / (double)MAX(r[i].need, 1);
    return cost;
}

/* Resources before everything else, then one reason before several; equal ones by name. */
static void miss_consider(const struct sched *s, const struct pod_class *c, node_id n, struct miss *best)
{
    struct miss m = {.node = n};
    m.n = all_reasons(s, c, n, m.reasons, &m.plugin);
    if (m.n == 0)
        return;
    m.cost = cost_of(m.reasons, m.n);
    if (s->table->plugins[m.plugin].plugin == &plugin_node_affinity) /* one that the pod does not want is farther than one that does not take it now */
        m.cost += 1;
    if (best->node == NODE_NONE || m.cost < best->cost || (m.cost <= best->cost && s->tie[n] < s->tie[best->node]))
        *best = m;
}

static bool lacks_less(const struct plug_reason *a, const struct plug_reason *b, bool is_first)
{
    int64_t x = a->need - a->have, y = b->need - b->have;
    return x < y || (x == y && !is_first);
}

static str change_text(const struct sched *s, struct arena *a, const struct miss *m)
{
    struct strbuf b = strbuf_on(a);
    str node = sched_node_name(s, m->node);
    if (m->reasons[0].resource == RES_MAX) {
        struct plug_reason r = m->reasons[0];
        if (s->table->plugins[m->plugin].plugin == &plugin_taint_toleration)
            strbuf_addf(&b, "a toleration for taint " STR_FMT " of " STR_FMT, STR_ARG(explain_taint(s, a, m->node, r.what)), STR_ARG(node));
        else
            strbuf_addf(&b, STR_FMT " would do but for this: " STR_FMT, STR_ARG(node),
                        STR_ARG(fill_template(s, a, template_of(s, m->plugin, &r), &r)));
        return strbuf_str(&b);
    }
    for (size_t i = 0; i < m->n; i++) {
        const struct plug_reason *r = &m->reasons[i];
        size_t other = 0; /* two plugins may lack the same: the larger amount is told, once */
        while (other < m->n && (other == i || m->reasons[other].resource != r->resource || lacks_less(&m->reasons[other], r, other < i)))
            other++;
        if (other == m->n)
            strbuf_addf(&b, "%s" STR_FMT, b.len ? " and " : "", STR_ARG(explain_more(s, a, r->resource, r->need - r->have)));
    }
    strbuf_addf(&b, " on " STR_FMT, STR_ARG(node));
    return strbuf_str(&b);
}

static void miss_write(const struct sched *s, struct arena *a, const struct miss *m, struct explanation *out)
{
    if (m->node == NODE_NONE || (m->n > 1 && m->cost >= 1e9))
        return; /* several things that are no amounts: no change of one thing helps */
    size_t most = 0;
    for (size_t i = 1; i < m->n; i++)
        if (cost_of(&m->reasons[i], 1) > cost_of(&m->reasons[most], 1))
            most = i;
    const struct plug_reason *r = &m->reasons[most];
    out->has_nearest = true;
    out->nearest = (struct explain_change){.node = arena_str(a, sched_node_name(s, m->node)), .resource = r->resource, .text = change_text(s, a, m)};
    if (r->resource != RES_MAX)
        out->nearest.lacking = r->need - r->have;
}

/* --- preemption ------------------------------------------------------------------------------------------------------------- */
static void no_victims_write(struct arena *a, struct strbuf *b, const struct preempt_counts *n)
{
    uint32_t too_little = n->hopeless + n->searched;
    strbuf_add_str(b, S("No preemption victims found"));
    if (too_little)
        strbuf_addf(b, ": evicting every pod of lower priority makes too little room on %s %s", explain_count(a, too_little), too_little == 1 ? "node" : "nodes");
    if (n->unresolvable)
        strbuf_addf(b, "%s eviction cannot help on %s %s", too_little ? ", and" : ":", explain_count(a, n->unresolvable), n->unresolvable == 1 ? "node" : "nodes");
}

static str preemption_text(struct sched *s, struct arena *a, pod_id p, bool is_single, const struct unit_decision *last)
{
    struct strbuf b = strbuf_on(a);
    if (!profile_of(s, class_of(s, p))->preempt)
        return S("");
    if (last && last->result == UNIT_PREEMPTING) {
        str node = last->placements.len ? sched_node_name(s, last->placements.p[0].node) : S("");
        if (!last->victims.len)
            return S(""); /* pods that leave of their own accord are enough */
        strbuf_addf(&b, "evicts %s %s", explain_count(a, last->victims.len), last->victims.len == 1 ? "pod" : "pods");
        if (last->placements.len == 1)
            strbuf_addf(&b, " on " STR_FMT, STR_ARG(node));
        return strbuf_str(&b);
    }
    if (class_of(s, p)->preempt_never)
        return S("not tried: preemptionPolicy is Never");
    if (!is_single)
        return S("");
    struct preempt_candidate c = PREEMPT_CANDIDATE_INIT;
    struct preempt_counts n = {0};
    if (!preempt_is_eligible(s, p))
        strbuf_addf(&b, "waits for pods that are leaving the node it is nominated to");
    else if (preempt_find(s, p, NULL, &c, &n) && c.victims.len)
        strbuf_addf(&b, "could evict %s %s on " STR_FMT, explain_count(a, c.victims.len), c.victims.len == 1 ? "pod" : "pods",
                    STR_ARG(sched_node_name(s, c.node)));
    else
        no_victims_write(a, &b, &n);
    preempt_candidate_fini(&c);
    return strbuf_str(&b);
}

/* --- room that is kept ------------------------------------------------------------------------------------------------------ */
/* A task of which no part is in the pod's domain is not named to those there. */
static str kept_for_text(const struct sched *s, struct arena *a, const struct keep *k, pod_id p)
{
    const struct unit *u = &s->units[k->unit];
    char since[CIVIL_TIME_LEN + 24];
    bool known = false;
    for (size_t i = 0; i < u->pods.len; i++)
        known |= s->pods[u->pods.p[i]].ns == s->pods[p].ns;
    if (k->since_ns < VIRTUAL_NS)
        civil_human_duration(k->since_ns, since);
    else
        civil_format(k->since_ns, since);
    return known ? arena_fmt(a, "kept for task " STR_FMT ", which waits since %s", STR_ARG(symbol_text(&s->sym, u->name)), since)
                 : arena_fmt(a, "kept for a task of others, which waits since %s", since);
}

static str kept_on_text(const struct sched *s, struct arena *a, unit_id u, pod_id p)
{
    const struct keep *k = keep_of(s, u);
    struct strbuf b = strbuf_on(a);
    uint32_t n = 0;
    for (size_t i = 0; k && i < k->at.len && n < KEPT_NODES; i++) {
        bool again = s->pods[k->at.p[i].pod].ns != s->pods[p].ns;
        for (size_t j = 0; j < i && !again; j++)
            again = k->at.p[j].node == k->at.p[i].node;
        if (!again)
            strbuf_addf(&b, "%s" STR_FMT, n++ ? ", " : "", STR_ARG(sched_node_name(s, k->at.p[i].node)));
    }
    return k && !n ? S("other domains' nodes") : strbuf_str(&b);
}

/* --- waiting ---------------------------------------------------------------------------------------------------------------- */
static pod_id pod_to_explain(const struct sched *s, unit_id u, const struct unit_decision *last)
{
    const struct unit *unit = &s->units[u];
    if (last && last->failed_pod && s->pods[last->failed_pod].state != PS_FREE && s->pods[last->failed_pod].unit == u)
        return last->failed_pod;
    for (size_t i = 0; i < unit->pods.len; i++) {
        const struct pod *p = &s->pods[unit->pods.p[i]];
        if ((p->state == PS_PENDING || p->state == PS_NOMINATED) && !s->classes[p->class_]->gates)
            return unit->pods.p[i];
    }
    for (size_t i = 0; i < unit->pods.len; i++)
        if (s->pods[unit->pods.p[i]].state == PS_PENDING)
            return unit->pods.p[i];
    return POD_NONE;
}

static str pod_name(const struct sched *s, struct arena *a, pod_id p)
{
    return arena_fmt(a, STR_FMT "/" STR_FMT, STR_ARG(sched_pod_ns(s, p)), STR_ARG(sched_pod_name(s, p)));
}

/* What stands in the way before any node is looked at. */
static enum unit_result result_of(const struct sched *s, unit_id u, const struct unit_decision *last)
{
    const struct unit *unit = &s->units[u];
    struct unit_counts n = unit_count(s, u);
    if (last)
        return last->result;
    if (n.gated && !n.waiting)
        return UNIT_GATED;
    if (unit->is_group && (!unit->declared || n.created < (uint32_t)MAX(unit->min_member, 0)))
        return UNIT_INCOMPLETE;
    return n.waiting ? UNIT_REJECTED : UNIT_NOTHING;
}

/* Nodes that the unit as a whole may use. */
static uint64_t *located_nodes(struct sched *s, struct arena *a, unit_id u)
{
    uint64_t *within = arena_array(a, s->view.words, uint64_t);
    memcpy(within, s->alive, s->view.words * sizeof *within);
    for (uint64_t m = s->table->of[unit_profile(s, u)]; m; m &= m - 1) {
        const struct profile_plugin *pp = &s->table->plugins[__builtin_ctzll(m)];
        if (pp->plugin->locate)
            pp->plugin->locate(s, u, pp->args, within);
    }
    return within;
}

static void look_at_nodes(struct sched *s, struct arena *a, pod_id p, const uint64_t *within, struct explanation *out)
{
    const struct pod_class *c = class_of(s, p);
    uint32_t words = s->view.words;
    struct rows *rows = xnew(struct rows);
    struct miss miss = {.node = NODE_NONE};
    rows->s = s;
    model_tie_ranks(s);
    bits_foreach(n, s->alive, words)
    {
        out->nodes++;
        if (!bit_get(within, n)) {
            rows_add(rows, PLUG_MAX, &(struct plug_reason){.unresolvable = true, .resource = RES_MAX}, n);
            continue;
        }
        int by = place_rejected_by(s, s->pods[p].class_, n);
        if (by < 0) {
            out->fitting++;
            continue;
        }
        struct plug_reason reasons[REASONS_MAX];
        size_t k = reasons_of(s, c, (uint32_t)by, n, reasons);
        for (size_t i = 0; i < k; i++)
            rows_add(rows, (uint32_t)by, &reasons[i], n);
        out->waits_for |= s->table->plugins[by].plugin->helped_by;
        miss_consider(s, c, n, &miss);
    }
    rows_write(rows, a, out);
    const struct group *most = scarce(rows);
    if (out->reason && is_bandwidth(most->reason.resource) && most->hopeful) { /* what is borrowed is held by nobody */
        out->holders_on = arena_str(a, sched_node_name(s, most->best_node));
        out->holders = explain_holders(s, a, most->best_node, most->reason.resource, p);
    }
    /* a gang that lacks more than one member is not helped by what one of them lacks */
    if (out->fitting == 0 && out->need <= out->room + 1)
        miss_write(s, a, &miss, out);
    const struct keep *k = out->fitting == 0 ? keep_before(s, p) : NULL;
    if (k)
        out->kept_for = kept_for_text(s, a, k, p);
    free(rows);
}

/* What it waits for is a link: nodes are not what is missing. */
static bool look_at_link(struct sched *s, struct arena *a, pod_id p, struct explanation *out)
{
    struct link_lack lack;
    if (profile_table_index(s->table, unit_profile(s, s->pods[p].unit), &plugin_node_bandwidth) < 0 || !links_lack(s, p, &lack))
        return false;
    out->nodes = s->nalive;
    out->link = link_lack_text(a, &lack);
    const struct keep *k = lack.kept ? keep_on_link(s, s->pods[p].unit, symbol_find(&s->sym, lack.source), symbol_find(&s->sym, lack.destination)) : NULL;
    if (k)
        out->kept_for = kept_for_text(s, a, k, p);
    out->reason = "BandwidthInsufficient";
    out->waits_for |= EVENT_LINK | (lack.asked <= lack.capacity ? EVENT_POD_FREED : 0);
    return true;
}

/* The first member that finds nothing is looked at with the others in their places. */
static void look_at_gang(struct sched *s, struct arena *a, unit_id u, pod_id *p, struct explanation *out)
{
    struct gang_try try_;
    const uint64_t *located = located_nodes(s, a, u);
    uint32_t mark = statement_begin(s);
    for (size_t i = 0; i < s->units[u].pods.len; i++) /* what is kept for one is not in another's way */
        if (s->pods[s->units[u].pods.p[i]].state == PS_NOMINATED)
            model_unassign(s, s->units[u].pods.p[i]);
    explain_gang_try(s, a, u, located, &try_);
    out->room = try_.room;
    out->need = try_.need;
    out->whose = try_.whose;
    out->where = try_.where;
    *p = try_.failed != POD_NONE ? try_.failed : *p;
    if (try_.failed == POD_NONE || !look_at_link(s, a, *p, out))
        look_at_nodes(s, a, *p, try_.failed != POD_NONE ? try_.within : located, out);
    statement_rollback(s, mark);
    out->pod = pod_name(s, a, *p);
}

/* What would be decided about a group that nobody has an answer for. */
static enum unit_result dry_run(struct sched *s, unit_id u)
{
    struct unit_decision d = UNIT_DECISION_INIT;
    uint32_t mark = statement_begin(s);
    unit_place(s, u, &d);
    statement_rollback(s, mark);
    enum unit_result result = d.result;
    unit_decision_fini(&d);
    return result;
}

struct explanation *explain_waiting(struct sched *s, struct arena *a, unit_id u, int64_t queue_position, const struct unit_decision *last)
{
    struct explanation *x = arena_new(a, struct explanation);
    const struct unit *unit = &s->units[u];
    struct unit_counts n = unit_count(s, u);
    pod_id p = pod_to_explain(s, u, last);
    x->result = result_of(s, u, last);
    x->queue_position = queue_position;
    x->created = n.created;
    x->placed = n.placed;
    x->min_member = unit->is_group ? (uint32_t)MAX(unit->min_member, 0) : 0;
    x->declared = unit->declared;
    x->unit = unit->is_group ? arena_fmt(a, STR_FMT "/" STR_FMT, STR_ARG(symbol_text(&s->sym, unit->ns)),
                                         STR_ARG(symbol_text(&s->sym, unit->name))) : S("");
    if (p != POD_NONE)
        x->pod = pod_name(s, a, p);
    if (!unit->is_group)
        x->unit = x->pod;
    if (p != POD_NONE && (x->result == UNIT_REJECTED || x->result == UNIT_PREEMPTING)) {
        x->waits_for = EVENT_NODE_ADD;
        bool fits = unit->is_group && !last && dry_run(s, u) == UNIT_PLACED;
        bool leaving = x->result == UNIT_PREEMPTING && last && !last->victims.len; /* nobody is evicted: what it lacks is what is on its way out */
        if (unit->is_group && (x->result == UNIT_REJECTED || leaving) && !fits && (n.placed < x->min_member || !unit_holds_without(s, u, NULL, 0)))
            look_at_gang(s, a, u, &p, x);
        else if (!look_at_link(s, a, p, x))
            look_at_nodes(s, a, p, located_nodes(s, a, u), x);
        if (x->result == UNIT_REJECTED && !last && (unit->is_group ? fits : x->fitting > 0))
            x->result = UNIT_PLACED; /* it would be, if it were its turn */
        else
            x->preemption = preemption_text(s, a, p, !unit->is_group, last);
        if (last)
            x->waits_for |= last->helped_by;
        if (x->result == UNIT_REJECTED)
            x->kept_on = kept_on_text(s, a, u, p);
    } else if (x->result == UNIT_GATED) {
        x->waits_for = EVENT_POD_UPDATED;
    } else if (x->result == UNIT_INCOMPLETE) {
        x->waits_for = EVENT_GROUP;
    }
    if (x->result == UNIT_PREEMPTING)
        x->waits_for |= EVENT_POD_FREED;
    x->sentence = explain_sentence(a, s, x);
    return x;
}

struct explanation *explain_alone(struct sched *s, struct arena *a, pod_id p)
{
    struct explanation *x = arena_new(a, struct explanation);
    x->result = UNIT_REJECTED;
    x->pod = x->unit = pod_name(s, a, p);
    x->waits_for = EVENT_NODE_ADD;
    uint32_t mark = statement_begin(s);
    if (pod_on_node(&s->pods[p])) /* room that is kept for it is not in its way */
        model_unassign(s, p);
    look_at_nodes(s, a, p, located_nodes(s, a, s->pods[p].unit), x);
    statement_rollback(s, mark);
    x->sentence = explain_sentence(a, s, x);
    return x->fitting ? NULL : x;
}

/* --- a choice --------------------------------------------------------------------------------------------------------------- */
static void choice_write(struct sched *s, struct arena *a, pod_id p, struct explanation *x)
{
    struct place_result r = {.node = NODE_NONE, .runner_up = NODE_NONE};
    struct place_opts opts = {.want_runner_up = true};
    int32_t chosen[PLUG_MAX] = {0}, other[PLUG_MAX] = {0};
    if (!place_find(s, s->pods[p].class_, &opts, &r) || r.node == NODE_NONE)
        return;
    x->node = arena_str(a, sched_node_name(s, r.node));
    x->score = r.score;
    x->fitting = MAX(r.nfeasible, 1u);
    place_score_parts(s, s->pods[p].class_, r.node, chosen);
    if (r.runner_up != NODE_NONE) {
        x->runner_up = arena_str(a, sched_node_name(s, r.runner_up));
        x->runner_up_score = r.runner_up_score;
        place_score_parts(s, s->pods[p].class_, r.runner_up, other);
    }
    x->scores = arena_array(a, s->table->nplugins, struct explain_score);
    uint64_t own = s->table->of[class_of(s, p)->profile];
    for (uint32_t i = 0; i < s->table->nplugins; i++)
        if (own >> i & 1 && s->table->plugins[i].weight)
            x->scores[x->nscores++] = (struct explain_score){s->table->plugins[i].plugin->name, chosen[i], other[i]};
}

struct explanation *explain_choice(struct sched *s, struct arena *a, pod_id p)
{
    struct explanation *x = arena_new(a, struct explanation);
    x->unit = x->pod = pod_name(s, a, p);
    x->nodes = s->nalive;
    if (s->pods[p].state >= PS_ASSUMED)
        x->on = arena_str(a, sched_node_name(s, s->pods[p].node));
    /* one that is there already is taken off for the asking */
    uint32_t mark = statement_begin(s);
    if (pod_on_node(&s->pods[p]))
        model_unassign(s, p);
    choice_write(s, a, p, x);
    statement_rollback(s, mark);
    x->result = str_empty(x->node) && str_empty(x->on) ? UNIT_REJECTED : UNIT_PLACED;
    x->sentence = explain_sentence(a, s, x);
    return x;
}
