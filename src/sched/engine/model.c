/* model.c - columns, the journal, and the one way a pod comes onto a node or leaves it.
 *
 * All columns have view.words * 64 entries and grow together (model_grow); entries beyond the nodes in use are zero, so that kernels
 * may run over whole words. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/engine/model.h"

#include "base/err.h"
#include "base/limits.h"
#include "sched/engine/classes.h"
#include "sched/engine/devices.h"
#include "sched/engine/links.h"
#include "sched/engine/place.h"
#include "sched/engine/place_kernel.h"
#include "sched/engine/plugin.h"
#include "sched/engine/ports.h"
#include "sched/engine/preempt.h"
#include "sched/engine/statement.h"
#include "sched/engine/storage.h"
#include "sched/engine/terms.h"

static const struct {
    uint16_t id;
    const char *name;
} fixed_resources[] = {
    {RES_CPU, "cpu"},
    {RES_MEMORY, "memory"},
    {RES_STORAGE, "ephemeral-storage"},
    {RES_PODS, "pods"},
    {RES_INGRESS, "cox.io/ingress-bandwidth"},
    {RES_EGRESS, "cox.io/egress-bandwidth"},
    {RES_GPU, "nvidia.com/gpu"},
};

/* A column that was `old` entries long becomes `now` long, the rest zero.  Columns are aligned to a cache line for the kernels. */
static void column_grow(void *column, size_t size, size_t old, size_t now)
{
    void **p = column;
    size_t bytes = (now * size + 63) & ~(size_t)63;
    void *grown = aligned_alloc(64, bytes);
    BUG_ON(!grown);
    memset(grown, 0, bytes);
    if (*p)
        memcpy(grown, *p, old * size);
    free(*p);
    *p = grown;
}

static void resource_columns(struct sched *s, uint16_t id)
{
    size_t n = (size_t)s->view.words * 64;
    if (!s->alloc[id])
        column_grow(&s->alloc[id], sizeof(int64_t), 0, n);
    if (!s->view.used[id])
        column_grow(&s->view.used[id], sizeof(int64_t), 0, n);
}

int model_resource(struct sched *s, str name, uint16_t *ret_id, struct err *err)
{
    for (uint32_t i = 0; i < s->nres; i++)
        if (str_eq(s->res_name[i], name)) {
            *ret_id = (uint16_t)i;
            return 0;
        }
    if (str_empty(name))
        return err_set(err, E_INVALID_ARG, "a resource needs a name");
    if (s->nres == RES_MAX)
        return err_set(err, E_TOO_LARGE, "resource \"" STR_FMT "\" is one too many: the scheduler counts at most %d", STR_ARG(name), RES_MAX);
    s->res_name[s->nres] = symbol_text(&s->sym, symbol(&s->sym, name));
    *ret_id = (uint16_t)s->nres++;
    resource_columns(s, *ret_id);
    return 0;
}

void model_init(struct sched *s)
{
    s->view.s = s;
    s->view.journal = xarray(JOURNAL_SIZE, struct journal_entry);
    for (size_t i = 0; i < ARRAY_LEN(fixed_resources); i++) {
        s->res_name[fixed_resources[i].id] = str_of(fixed_resources[i].name);
        s->nres++;
    }
    model_grow(s, 64);
}

void model_fini(struct sched *s)
{
    struct view *v = &s->view;
    for (uint32_t i = 0; i < RES_MAX; i++) {
        free(s->alloc[i]);
        free(v->used[i]);
    }
    for (uint32_t i = 0; i < v->words * 64 && v->ports; i++)
        free(v->ports[i].p);
    for (int i = 0; i < 2; i++) {
        free(s->f_alloc[i]);
        free(s->f_inv[i]);
        free(v->f_used[i]);
        free(v->f_nonzero[i]);
    }
    void *columns[] = {v->hot, v->nonzero_cpu, v->nonzero_memory, v->version, v->gpu, v->numa, v->ports, v->journal, s->nodes, s->alive, s->tie};
    for (size_t i = 0; i < ARRAY_LEN(columns); i++)
        free(columns[i]);
    for (uint32_t i = 0; i < s->ntopos; i++) {
        free(s->topos[i].domain);
        free(s->topos[i].value);
        free(s->topos[i].nnodes);
        map_fini(&s->topos[i].by_value);
        vec_fini(&s->topos[i].free_domains);
    }
    free(s->topos);
}

void model_grow(struct sched *s, uint32_t n)
{
    struct view *v = &s->view;
    size_t old = (size_t)v->words * 64;
    if (n <= old)
        return;
    uint32_t words = MAX((n + 63) / 64, v->words * 2);
    size_t now = (size_t)words * 64;
    for (uint32_t i = 0; i < s->nres; i++) {
        column_grow(&s->alloc[i], sizeof(int64_t), old, now);
        column_grow(&v->used[i], sizeof(int64_t), old, now);
    }
    for (int i = 0; i < 2; i++) {
        column_grow(&s->f_alloc[i], sizeof(double), old, now);
        column_grow(&s->f_inv[i], sizeof(double), old, now);
        column_grow(&v->f_used[i], sizeof(double), old, now);
        column_grow(&v->f_nonzero[i], sizeof(double), old, now);
    }
    column_grow(&v->hot, sizeof(struct hot_block), old / HOT_LANES, now / HOT_LANES);
    column_grow(&v->nonzero_cpu, sizeof(int64_t), old, now);
    column_grow(&v->nonzero_memory, sizeof(int64_t), old, now);
    column_grow(&v->version, sizeof(uint32_t), old, now);
    column_grow(&v->gpu, sizeof(struct gpu_state), old, now);
    column_grow(&v->numa, sizeof(struct numa_state), old, now);
    column_grow(&v->ports, sizeof(struct node_ports), old, now);
    column_grow(&s->nodes, sizeof(struct node), old, now);
    column_grow(&s->tie, sizeof(uint32_t), old, now);
    column_grow(&s->alive, sizeof(uint64_t), v->words, words);
    for (uint32_t i = 0; i < s->ntopos; i++)
        column_grow(&s->topos[i].domain, sizeof(uint32_t), old, now);
    v->words = words;
    if (s->terms)
        terms_nodes_grown(s);
    if (s->storage)
        storage_nodes_grown(s);
    if (s->preempt)
        preempt_nodes_grown(s);
}

void model_touch(struct sched *s, node_id n, bool is_static)
{
    struct view *v = &s->view;
    if (is_static)
        hot_node(v, n);
    v->version[n]++;
    v->journal[v->seq++ % JOURNAL_SIZE] = (struct journal_entry){n, is_static};
}

/* --- ties -------------------------------------------------------------------------------------------------------------------- */
uint64_t model_tie_hash(uint64_t seed, str name)
{
    uint64_t x = str_hash(name) ^ (seed * 0x9e3779b97f4a7c15ull);
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ x >> 27) * 0x94d049bb133111ebull;
    return x ^ x >> 31;
}

struct ranked {
    uint64_t hash;
    str name;
    node_id node;
};

static int ranked_cmp(const void *pa, const void *pb)
{
    const struct ranked *a = pa, *b = pb;
    if (a->hash != b->hash)
        return a->hash < b->hash ? -1 : 1;
    return str_cmp(a->name, b->name);
}

void model_tie_ranks(struct sched *s)
{
    if (!s->tie_stale)
        return;
    struct ranked *r = xarray(s->nalive, struct ranked);
    uint32_t n = 0;
    bits_foreach(i, s->alive, s->view.words)
    {
        str name = symbol_text(&s->sym, s->nodes[i].name);
        r[n++] = (struct ranked){s->seed ? model_tie_hash(s->seed, name) : 0, name, i};
    }
    qsort(r, n, sizeof *r, ranked_cmp);
    for (uint32_t i = 0; i < n; i++)
        s->tie[r[i].node] = i;
    free(r);
    s->tie_stale = false;
    s->tie_epoch++;
}

/* --- topology ----------------------------------------------------------------------------------------------------------------- */
sym_t model_topology_value(struct sched *s, const struct topo *t, node_id n, bool *ret_has)
{
    if (t->nparts == 1)
        return labelset_get(s->nodes[n].labels, t->key, ret_has);
    STRBUF_AUTO path = STRBUF_HEAP;
    for (uint32_t i = 0; i < t->nparts; i++) {
        str value = symbol_text(&s->sym, labelset_get(s->nodes[n].labels, t->parts[i], ret_has));
        if (!*ret_has)
            return 0;
        strbuf_addf(&path, "%s" STR_FMT, i ? "/" : "", STR_ARG(value)); /* label values hold no slash */
    }
    return symbol(&s->sym, strbuf_str(&path));
}

static uint32_t topo_domain_of(struct sched *s, struct topo *t, sym_t value)
{
    str text = symbol_text(&s->sym, value);
    void *known = map_get(&t->by_value, text);
    if (known)
        return (uint32_t)(uintptr_t)known;
    uint32_t d;
    if (t->free_domains.len) {
        d = vec_pop(&t->free_domains);
    } else {
        if (t->ndomains == t->cap) {
            t->cap = MAX(16u, t->cap * 2);
            t->value = xrealloc(t->value, t->cap * sizeof *t->value);
            t->nnodes = xrealloc(t->nnodes, t->cap * sizeof *t->nnodes);
        }
        d = t->ndomains++;
    }
    t->value[d] = value;
    t->nnodes[d] = 0;
    map_put(&t->by_value, text, (void *)(uintptr_t)d);
    return d;
}

/* The domain of node n under t, counted in (sign +1) or out (-1).  A domain without nodes has no pods either: its number is used again, so that nodes
 * that come and go under ever new names do not make the tables grow. */
static void topo_node(struct sched *s, struct topo *t, node_id n, int sign)
{
    if (sign < 0) {
        uint32_t d = t->domain[n];
        t->domain[n] = 0;
        if (--t->nnodes[d] == 0 && d != 0) {
            map_del(&t->by_value, symbol_text(&s->sym, t->value[d]));
            vec_push(&t->free_domains, d);
        }
        return;
    }
    bool has;
    sym_t value = model_topology_value(s, t, n, &has);
    t->domain[n] = has ? topo_domain_of(s, t, value) : 0;
    t->nnodes[t->domain[n]]++;
}

uint32_t model_topology(struct sched *s, sym_t key)
{
    for (uint32_t i = 0; i < s->ntopos; i++)
        if (s->topos[i].key == key)
            return i;
    s->topos = xrealloc(s->topos, (s->ntopos + 1) * sizeof *s->topos);
    struct topo *t = &s->topos[s->ntopos];
    *t = (struct topo){.key = key, .by_value = MAP_INIT, .cap = 16};
    t->value = xarray(t->cap, sym_t);
    t->nnodes = xarray(t->cap, uint32_t);
    t->ndomains = 1; /* 0: none */
    str rest = symbol_text(&s->sym, key), part; /* label keys hold no comma */
    while (t->nparts < TOPOLOGY_LEVELS && (rest.len || t->nparts == 0)) {
        str_cut(&rest, ',', &part);
        t->parts[t->nparts++] = symbol(&s->sym, part);
    }
    t->key = t->nparts == 1 ? t->parts[0] : key;
    column_grow(&t->domain, sizeof(uint32_t), 0, (size_t)s->view.words * 64);
    bits_foreach(n, s->alive, s->view.words)
        topo_node(s, t, n, 1);
    return s->ntopos++;
}

static void topos_node(struct sched *s, node_id n, int sign)
{
    for (uint32_t i = 0; i < s->ntopos; i++)
        topo_node(s, &s->topos[i], n, sign);
}

/* --- nodes in and out of the indexes -------------------------------------------------------------------------------------------- */
static void plugins_node(struct sched *s, node_id n, int sign)
{
    for (uint32_t i = 0; i < s->table->nplugins; i++)
        if (s->table->plugins[i].plugin->node_changed)
            s->table->plugins[i].plugin->node_changed(s, s->plugin_state[i], n, sign);
}

void model_node_hide(struct sched *s, node_id n)
{
    plugins_node(s, n, -1);
    storage_node(s, n, -1);
    terms_node(s, n, -1);
    topos_node(s, n, -1);
    bit_clear(s->alive, n);
    s->nalive--;
    model_touch(s, n, true);
    for (struct sched_watch *w = s->watch; w; w = w->next)
        w->node(w->arg, n);
}

void model_node_show(struct sched *s, node_id n)
{
    bit_set(s->alive, n);
    s->nalive++;
    topos_node(s, n, 1);
    terms_node(s, n, 1);
    storage_node(s, n, 1);
    plugins_node(s, n, 1);
    model_touch(s, n, true);
    for (struct sched_watch *w = s->watch; w; w = w->next)
        w->node(w->arg, n);
}

/* --- pods onto nodes ------------------------------------------------------------------------------------------------------------ */
static void tell_of_pod(struct sched *s, pod_id id, int sign)
{
    for (struct sched_watch *w = s->watch; w; w = w->next)
        w->pod(w->arg, id, sign);
}

static void link_pod(struct sched *s, pod_id id, node_id n)
{
    struct pod *p = &s->pods[id];
    struct node *node = &s->nodes[n];
    p->node = n;
    p->prev_on_node = POD_NONE;
    p->next_on_node = node->first_pod;
    if (node->first_pod)
        s->pods[node->first_pod].prev_on_node = id;
    node->first_pod = id;
    node->npods++;
}

static void unlink_pod(struct sched *s, pod_id id)
{
    struct pod *p = &s->pods[id];
    struct node *node = &s->nodes[p->node];
    if (p->prev_on_node)
        s->pods[p->prev_on_node].next_on_node = p->next_on_node;
    else
        node->first_pod = p->next_on_node;
    if (p->next_on_node)
        s->pods[p->next_on_node].prev_on_node = p->prev_on_node;
    p->next_on_node = p->prev_on_node = POD_NONE;
    node->npods--;
    p->node = NODE_NONE;
}

void view_use(struct view *v, const struct pod_class *c, node_id n, int sign)
{
    for (uint32_t i = 0; i < c->nreq; i++)
        v->used[c->req[i].id][n] += sign * c->req[i].amount;
    v->nonzero_cpu[n] += sign * c->nonzero_cpu;
    v->nonzero_memory[n] += sign * c->nonzero_memory;
    v->f_used[0][n] = (double)v->used[RES_CPU][n];
    v->f_used[1][n] = (double)v->used[RES_MEMORY][n];
    v->f_nonzero[0][n] = (double)v->nonzero_cpu[n];
    v->f_nonzero[1][n] = (double)v->nonzero_memory[n];
    if (v->hot)
        hot_node(v, n);
}

/* Is the pod counted by affinity and spread? */
static bool counts_for_terms(uint8_t state)
{
    return state >= PS_ASSUMED;
}

static void apply(struct sched *s, pod_id id, node_id n, enum pod_state state, uint16_t gpu_mask)
{
    struct pod *p = &s->pods[id];
    const struct pod_class *c = s->classes[p->class_];
    link_pod(s, id, n);
    p->state = (uint8_t)state;
    view_use(&s->view, c, n, 1);
    if (state == PS_NOMINATED)
        place_nominated(s, id, n, 1);
    if (c->nports)
        ports_take(&s->view, c, n);
    if (c->gpu.kind != GPU_NONE || s->nodes[n].nnuma)
        devices_take(s, id, n, gpu_mask);
    if (c->nvolumes)
        storage_pod(s, id, n, 1);
    if (counts_for_terms(p->state))
        terms_pod(s, id, n, 1, state == PS_TERMINATING);
    preempt_assigned(s, id, n, 1);
    if (unlikely(unit_crosses(&s->units[p->unit])) && state >= PS_ASSUMED)
        links_pod(s, id, 1);
    for (uint32_t i = 0; i < s->nhooks; i++) {
        const struct sched_plugin *plugin = s->table->plugins[s->hooks[i]].plugin;
        if (plugin->assigned)
            plugin->assigned(s, s->plugin_state[s->hooks[i]], id, n);
    }
    if (unlikely(s->watch))
        tell_of_pod(s, id, 1);
    model_touch(s, n, false);
}

static void take_off(struct sched *s, pod_id id)
{
    struct pod *p = &s->pods[id];
    const struct pod_class *c = s->classes[p->class_];
    node_id n = p->node;
    if (unlikely(s->watch))
        tell_of_pod(s, id, -1);
    for (uint32_t i = 0; i < s->nhooks; i++) {
        const struct sched_plugin *plugin = s->table->plugins[s->hooks[i]].plugin;
        if (plugin->unassigned)
            plugin->unassigned(s, s->plugin_state[s->hooks[i]], id, n);
    }
    if (unlikely(unit_crosses(&s->units[p->unit])) && p->state >= PS_ASSUMED)
        links_pod(s, id, -1);
    preempt_assigned(s, id, n, -1);
    if (counts_for_terms(p->state))
        terms_pod(s, id, n, -1, p->state == PS_TERMINATING);
    if (c->nvolumes)
        storage_pod(s, id, n, -1);
    if (c->gpu.kind != GPU_NONE || s->nodes[n].nnuma)
        devices_give(s, id, n);
    if (c->nports)
        ports_give(&s->view, c, n);
    view_use(&s->view, c, n, -1);
    if (p->state == PS_NOMINATED)
        place_nominated(s, id, n, -1);
    unlink_pod(s, id);
    p->state = PS_PENDING;
    model_touch(s, n, false);
}

void model_assign(struct sched *s, pod_id id, node_id n, enum pod_state state, uint16_t gpu_mask)
{
    BUG_ON(pod_on_node(&s->pods[id]) || !node_is_alive(s, n) || state < PS_NOMINATED);
    if (statement_is_open(s))
        statement_log(s, UNDO_ASSIGN, id, n, state, 0, 0, s->pods[id].started_ns);
    s->nassigned++;
    apply(s, id, n, state, gpu_mask);
    statement_event(s, EVENT_POD_ASSIGNED);
}

void model_unassign(struct sched *s, pod_id id)
{
    struct pod *p = &s->pods[id];
    BUG_ON(!pod_on_node(p));
    if (statement_is_open(s))
        statement_log(s, UNDO_UNASSIGN, id, p->node, p->state, p->gpu_mask, p->numa_zones, p->started_ns);
    take_off(s, id);
    statement_event(s, EVENT_POD_FREED);
}

void model_set_state(struct sched *s, pod_id id, enum pod_state state)
{
    struct pod *p = &s->pods[id];
    BUG_ON(!pod_on_node(p) || state < PS_NOMINATED);
    if (p->state == state)
        return;
    if (statement_is_open(s))
        statement_log(s, UNDO_STATE, id, p->node, p->state, 0, 0, p->started_ns);
    bool was = counts_for_terms(p->state), was_going = p->state == PS_TERMINATING;
    bool is = counts_for_terms((uint8_t)state), is_going = state == PS_TERMINATING;
    if (p->state == PS_NOMINATED || state == PS_NOMINATED)
        place_nominated(s, id, p->node, state == PS_NOMINATED ? 1 : -1);
    if (unlikely(s->watch))
        tell_of_pod(s, id, -1);
    preempt_assigned(s, id, p->node, -1);
    if (was && (!is || was_going != is_going))
        terms_pod(s, id, p->node, -1, was_going);
    if (unlikely(unit_crosses(&s->units[p->unit])) && (p->state >= PS_ASSUMED) != (state >= PS_ASSUMED))
        links_pod(s, id, state >= PS_ASSUMED ? 1 : -1);
    p->state = (uint8_t)state;
    if (is && (!was || was_going != is_going))
        terms_pod(s, id, p->node, 1, is_going);
    preempt_assigned(s, id, p->node, 1);
    if (unlikely(s->watch))
        tell_of_pod(s, id, 1);
    model_touch(s, p->node, false);
    statement_event(s, is_going ? EVENT_POD_FREED : EVENT_POD_ASSIGNED);
}

/* Without log and events: what a rollback does. */
void model_undo_assign(struct sched *s, pod_id id)
{
    s->imagining = true;
    take_off(s, id);
    s->imagining = false;
}
void model_redo_assign(struct sched *s, pod_id id, node_id n, enum pod_state state, uint16_t gpu_mask, uint8_t numa_zones)
{
    s->pods[id].numa_zones = numa_zones;
    s->imagining = true;
    apply(s, id, n, state, gpu_mask);
    s->imagining = false;
}
