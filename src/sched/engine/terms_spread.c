/* terms_spread.c - spread constraints of a class: their tallies, and the scopes of nodes that these count.
 *
 * As kube-scheduler has it: a node counts when it has the topology keys of all constraints of the same kind (hard ones when filtering, soft ones when
 * scoring; with the system's defaults no key is needed), when the pod's node selector and required terms allow it (nodeAffinityPolicy
 * Honor) and when the pod tolerates its taints (nodeTaintsPolicy Honor).  Classes without selectors share one scope for each set of keys.
 * Soft constraints by hostname are counted by node and for every node; an empty selector counts nobody, though the pod matches it. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/engine/select.h"
#include "sched/engine/terms_types.h"
#include "sched/plugins/plugins.h"

#define KEY_HOSTNAME "kubernetes.io/hostname"
#define KEY_ZONE "topology.kubernetes.io/zone"

static const struct spread_default system_defaults[] = {
    {STR_INIT(KEY_HOSTNAME), 3, 0, false, SPREAD_HONOR, SPREAD_IGNORE},
    {STR_INIT(KEY_ZONE), 5, 0, false, SPREAD_HONOR, SPREAD_IGNORE},
};
const struct spread_args spread_args_system = {true, system_defaults, ARRAY_LEN(system_defaults)};

/* --- scopes -------------------------------------------------------------------------------------------------------------------------- */
bool scope_decides(const struct sched *s, const struct scope *x, node_id n)
{
    for (uint32_t i = 0; i < x->ntopos; i++)
        if (s->topos[x->topos[i]].domain[n] == 0)
            return false;
    if (x->honor_affinity && !class_selects_node(s, x->like, n))
        return false;
    const struct node *node = &s->nodes[n];
    for (uint32_t i = 0; i < node->ntaints && x->honor_taints; i++)
        if (node->taints[i].effect != TAINT_PREFER_NO_SCHEDULE && !class_tolerates(x->like, &node->taints[i]))
            return false;
    return true;
}

static void scope_node(const struct sched *s, struct scope *x, node_id n, int sign)
{
    if (sign > 0 ? !scope_decides(s, x, n) : !bit_get(x->ok, n))
        return;
    bit_put(x->ok, n, sign > 0);
    uint32_t d = s->topos[x->topo].domain[n];
    if (d == 0)
        return;
    if (d >= x->cap) {
        uint32_t now = MAX(d + 16, x->cap * 2);
        x->nodes = xrealloc(x->nodes, now * sizeof *x->nodes);
        memset(x->nodes + x->cap, 0, (now - x->cap) * sizeof *x->nodes);
        x->cap = now;
    }
    if (sign > 0)
        x->ndomains += x->nodes[d]++ == 0;
    else
        x->ndomains -= --x->nodes[d] == 0;
}

void scopes_node(struct sched *s, node_id n, int sign)
{
    slots_each(struct scope, x, &s->terms->scopes)
        scope_node(s, x, n, sign);
}

void scopes_grown(struct terms *t, uint32_t words)
{
    slots_each(struct scope, x, &t->scopes)
    {
        x->ok = xrealloc(x->ok, words * sizeof *x->ok);
        memset(x->ok + t->words, 0, (words - t->words) * sizeof *x->ok);
    }
}

static void put_num(struct strbuf *b, int64_t v)
{
    strbuf_add(b, &v, sizeof v);
}

static void put_reqs(struct strbuf *b, const struct req *p, uint32_t n)
{
    put_num(b, n);
    for (uint32_t i = 0; i < n; i++) {
        put_num(b, p[i].key);
        put_num(b, p[i].op);
        put_num(b, p[i].number);
        put_num(b, p[i].nvalues);
        strbuf_add(b, p[i].values, p[i].nvalues * sizeof *p[i].values);
    }
}

static void scope_key(struct strbuf *b, const struct scope *x, const struct pod_class *c)
{
    strbuf_clear(b);
    put_num(b, x->topo);
    put_num(b, x->ntopos);
    strbuf_add(b, x->topos, x->ntopos * sizeof *x->topos);
    put_num(b, x->honor_affinity | x->honor_taints << 1);
    if (x->honor_affinity) {
        put_num(b, c->nnode_selector);
        strbuf_add(b, c->node_selector, c->nnode_selector * sizeof *c->node_selector);
        put_num(b, c->has_required);
        put_num(b, c->nrequired);
        for (uint32_t i = 0; i < c->nrequired; i++) {
            put_num(b, c->required[i].labels.none);
            put_reqs(b, c->required[i].labels.p, c->required[i].labels.n);
            put_reqs(b, c->required[i].fields, c->required[i].nfields);
        }
    }
    for (uint32_t i = 0; i < c->ntolerations && x->honor_taints; i++) {
        put_num(b, c->tolerations[i].key);
        put_num(b, c->tolerations[i].value);
        put_num(b, c->tolerations[i].op * 16 + c->tolerations[i].effect + 1);
    }
}

/* A copy of what the scope asks of the class, which may go before it. */
static struct pod_class *like_make(struct sched *s, struct arena *a, const struct pod_class *c, const struct pod_spec *spec)
{
    struct pod_class *like = arena_new(a, struct pod_class);
    struct labelset selector = labelset_make(s, a, spec->node_selector);
    like->node_selector = (struct label *)selector.p;
    like->nnode_selector = selector.n;
    like->has_required = c->has_required;
    like->nrequired = c->nrequired;
    like->required = arena_array(a, c->nrequired, struct node_term);
    for (uint32_t i = 0; i < c->nrequired; i++)
        node_term_compile(s, a, &spec->required_terms[i], &like->required[i]);
    like->ntolerations = c->ntolerations;
    like->tolerations = arena_array(a, c->ntolerations, struct spec_toleration_sym);
    if (c->ntolerations)
        memcpy(like->tolerations, c->tolerations, c->ntolerations * sizeof *c->tolerations);
    return like;
}

static struct scope *scope_ref(struct sched *s, const struct scope *want, const struct pod_class *c, const struct pod_spec *spec)
{
    struct terms *t = s->terms;
    scope_key(&t->scratch, want, c);
    struct scope *x = map_get(&t->scope_by_key, strbuf_str(&t->scratch));
    if (x) {
        x->refs++;
        return x;
    }
    x = xnew(struct scope);
    *x = (struct scope){.refs = 1, .topo = want->topo, .honor_affinity = want->honor_affinity, .honor_taints = want->honor_taints, .arena = ARENA_SMALL(512)};
    x->key = arena_str(&x->arena, strbuf_str(&t->scratch));
    x->ntopos = want->ntopos;
    x->topos = arena_array(&x->arena, want->ntopos, uint32_t);
    if (want->ntopos)
        memcpy(x->topos, want->topos, want->ntopos * sizeof *x->topos);
    if (x->honor_affinity || x->honor_taints)
        x->like = like_make(s, &x->arena, c, spec);
    x->ok = xarray(t->words, uint64_t);
    x->id = slots_put(&t->scopes, x);
    map_put(&t->scope_by_key, x->key, x);
    bits_foreach(n, t->in_play, t->words)
        scope_node(s, x, n, 1);
    return x;
}

void scope_unref(struct terms *t, struct scope *x)
{
    if (!x || --x->refs)
        return;
    map_del(&t->scope_by_key, x->key);
    slots_remove(&t->scopes, x->id);
    free(x->ok);
    free(x->nodes);
    arena_fini(&x->arena);
    free(x);
}

/* --- constraints --------------------------------------------------------------------------------------------------------------------- */
/* Of the class's profile; NULL: it has none. */
static const struct profile_plugin *entry_of(const struct sched *s, const struct pod_class *c)
{
    int i = profile_table_index(s->table, c->profile, &plugin_pod_topology_spread);
    return i < 0 ? NULL : &s->table->plugins[i];
}

static const struct spread_args *args_of(const struct sched *s, const struct pod_class *c)
{
    const struct profile_plugin *pp = entry_of(s, c);
    return pp && pp->args ? pp->args : &spread_args_system;
}

static bool has_defaults(const struct spread_args *args, const struct pod_spec *spec)
{
    return spec->nspread == 0 && spec->default_spread_owned && spec->default_spread_selector.n && !spec->default_spread_selector.none && args->n;
}

size_t spread_count(const struct sched *s, const struct pod_class *c, const struct pod_spec *spec)
{
    const struct spread_args *args = args_of(s, c);
    return has_defaults(args, spec) ? args->n : spec->nspread;
}

static const struct spec_spread *defaults_of(const struct spread_args *args, struct arena *a, const struct pod_spec *spec)
{
    struct spec_spread *p = arena_array(a, args->n, struct spec_spread);
    for (uint32_t i = 0; i < args->n; i++) {
        const struct spread_default *d = &args->p[i];
        p[i] = (struct spec_spread){d->key, d->max_skew, d->min_domains, d->hard, d->affinity_policy, d->taints_policy, spec->default_spread_selector};
    }
    return p;
}

/* Topologies of all constraints of a kind, ascending, none twice. */
static uint32_t *keys_of(struct sched *s, struct arena *a, const struct spec_spread *p, size_t n, bool hard, uint32_t *ret_n)
{
    uint32_t *topos = arena_array(a, n, uint32_t), len = 0;
    for (size_t i = 0; i < n; i++) {
        if (p[i].hard != hard)
            continue;
        uint32_t topo = model_topology(s, symbol(&s->sym, p[i].topology_key)), at = 0;
        while (at < len && topos[at] < topo)
            at++;
        if (at < len && topos[at] == topo)
            continue;
        memmove(&topos[at + 1], &topos[at], (len - at) * sizeof *topos);
        topos[at] = topo;
        len++;
    }
    *ret_n = len;
    return topos;
}

static struct spread_ref constraint_make(struct sched *s, struct pod_class *c, const struct pod_spec *spec, const struct spec_spread *from, struct scope *want)
{
    bool counts_none = from->selector.n == 0;
    struct spec_pod_term term = {.selector = from->selector};
    term.selector.none |= counts_none;
    struct matcher *m = matcher_ref(s, &term, 1, c->ns);
    want->topo = model_topology(s, symbol(&s->sym, from->topology_key));
    want->honor_affinity = from->affinity_policy == SPREAD_HONOR && (c->nnode_selector || c->has_required);
    want->honor_taints = from->taints_policy == SPREAD_HONOR;
    bool by_node = !from->hard && str_is(from->topology_key, KEY_HOSTNAME);
    struct scope *scope = by_node ? NULL : scope_ref(s, want, c, spec);
    struct tally *t = tally_ref(s, TALLY_SPREAD, m, want->topo, scope, by_node);
    if (from->hard)
        tally_keep_min(t);
    bool self = counts_none ? !from->selector.none : matcher_decides(s, m, c->ns, c->labels);
    matcher_unref(s, m);
    return (struct spread_ref){t->id, from->max_skew, MAX(from->min_domains, 1), from->hard, self};
}

void spread_compile(struct sched *s, struct pod_class *c, const struct pod_spec *spec)
{
    const struct profile_plugin *own = entry_of(s, c);
    const struct spread_args *args = args_of(s, c);
    size_t n = spread_count(s, c, spec);
    if (n == 0 || !own || (!own->filters && !own->weight))
        return;
    ARENA_AUTO scratch = ARENA_SMALL(1024);
    c->spread_is_default = has_defaults(args, spec);
    const struct spec_spread *from = c->spread_is_default ? defaults_of(args, &scratch, spec) : spec->spread;
    struct scope hard = {0}, soft = {0};
    hard.topos = keys_of(s, &scratch, from, n, true, &hard.ntopos);
    soft.topos = keys_of(s, &scratch, from, n, false, &soft.ntopos);
    if (c->spread_is_default && args->system)
        soft.ntopos = 0;
    c->spread = arena_array(&c->arena, n, struct spread_ref);
    for (size_t i = 0; i < n; i++)
        if (from[i].hard ? own->filters : own->weight > 0)
            c->spread[c->nspread++] = constraint_make(s, c, spec, &from[i], from[i].hard ? &hard : &soft);
}

void spread_release(struct sched *s, struct pod_class *c)
{
    for (uint32_t i = 0; i < c->nspread; i++)
        tally_unref(s, tally_of(s, c->spread[i].counter));
    c->nspread = 0;
}
