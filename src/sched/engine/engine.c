/* engine.c - the engine as a whole: its birth and end, the events that other files keep, and the decision for a unit. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/engine/engine.h"

#include "sched/engine/classes.h"
#include "sched/engine/keep.h"
#include "sched/engine/links.h"
#include "sched/engine/pdbs.h"
#include "sched/engine/place.h"
#include "sched/engine/pods.h"
#include "sched/engine/preempt.h"
#include "sched/engine/select.h"
#include "sched/engine/statement.h"
#include "sched/engine/storage.h"
#include "sched/engine/terms.h"
#include "sched/engine/unit.h"

static void plugins_start(struct sched *s)
{
    const struct profile_table *p = s->table;
    s->plugin_state = xarray(p->nplugins + 1, void *);
    for (uint32_t i = 0; i < p->nplugins; i++) {
        const struct sched_plugin *plugin = p->plugins[i].plugin;
        if (plugin->state_new)
            s->plugin_state[i] = plugin->state_new(s, p->plugins[i].args);
        if (plugin->assigned || plugin->unassigned)
            s->hooks[s->nhooks++] = i;
    }
}

struct sched *sched_new(struct sched_profile *profile, uint64_t seed)
{
    struct sched *s = xnew(struct sched);
    s->seed = seed;
    s->profile = profile;
    s->table = xnew(struct profile_table);
    BUG_ON(!profile_table_make(s->table, profile)); /* parsing refuses what is too much */
    symbols_init(&s->sym);
    s->pool_key = symbol(&s->sym, S(POOL_LABEL));
    model_init(s);
    classes_init(s);
    pods_init(s);
    s->terms = terms_new(s);
    s->storage = storage_new(s);
    s->pdbs = pdbs_new();
    s->links = links_new();
    s->keeps = keeps_new();
    s->preempt = preempt_state_new(s);
    s->unit_state = unit_state_new(s);
    plugins_start(s);
    return s;
}

static void namespaces_fini(struct sched *s)
{
    map_foreach(e, &s->namespaces)
    {
        struct ns_info *ns = e->value;
        arena_fini(&ns->arena);
        free(ns);
    }
    map_fini(&s->namespaces);
    map_foreach(e, &s->topologies)
        free(e->value);
    map_fini(&s->topologies);
    map_foreach(e, &s->priority_classes)
        free(e->value);
    map_fini(&s->priority_classes);
}

void sched_free(struct sched *s)
{
    if (!s)
        return;
    statement_fini(s);
    classes_fini(s);
    place_free(s);
    for (uint32_t i = 0; i < s->table->nplugins; i++)
        if (s->table->plugins[i].plugin->state_free)
            s->table->plugins[i].plugin->state_free(s->plugin_state[i]);
    free(s->plugin_state);
    preempt_state_free(s->preempt);
    unit_state_free(s->unit_state);
    pdbs_free(s->pdbs);
    links_free(s->links);
    keeps_free(s->keeps);
    storage_free(s->storage);
    terms_free(s->terms);
    units_fini(s);
    pods_fini(s);
    nodes_fini(s);
    namespaces_fini(s);
    model_fini(s);
    symbols_fini(&s->sym);
    profile_free((struct sched_profile *)s->profile);
    free(s->table);
    free(s);
}

int sched_resource_id(struct sched *s, str name, uint16_t *ret_id, struct err *err)
{
    return model_resource(s, name, ret_id, err);
}
str sched_resource_name(const struct sched *s, uint16_t id)
{
    return id < s->nres ? s->res_name[id] : S("");
}

/* --- events kept elsewhere ------------------------------------------------------------------------------------------------------- */
void sched_namespace_put(struct sched *s, str name, struct spec_labels labels)
{
    sym_t sym = symbol(&s->sym, name);
    struct ns_info *ns = map_get(&s->namespaces, name);
    bool is_new = !ns;
    if (is_new) {
        ns = xnew(struct ns_info);
        ns->name = sym;
        ns->arena = ARENA_SMALL(256);
        map_put(&s->namespaces, symbol_text(&s->sym, sym), ns);
    }
    struct arena fresh = ARENA_SMALL(256);
    struct labelset now = labelset_make(s, &fresh, labels);
    if (labelset_equal(now, ns->labels) && !is_new) {
        arena_fini(&fresh);
        return;
    }
    arena_fini(&ns->arena);
    ns->arena = fresh;
    ns->labels = now;
    terms_namespace(s, sym);
    statement_event(s, EVENT_NAMESPACE);
}

void sched_namespace_delete(struct sched *s, str name)
{
    struct ns_info *ns = map_del(&s->namespaces, name);
    if (!ns)
        return;
    sym_t sym = ns->name;
    arena_fini(&ns->arena);
    free(ns);
    terms_namespace(s, sym);
    statement_event(s, EVENT_NAMESPACE);
}

int sched_topology_put(struct sched *s, str name, const str *labels, const str *aliases, size_t n, struct err *err)
{
    if (n == 0 || n > TOPOLOGY_LEVELS)
        return err_set(err, E_INVALID_ARG, "topology " STR_FMT " has %zu levels: 1 to %u are possible", STR_ARG(name), n, TOPOLOGY_LEVELS);
    struct topology_levels *t = map_get(&s->topologies, name);
    if (!t) {
        t = xnew(struct topology_levels);
        map_put(&s->topologies, symbol_text(&s->sym, symbol(&s->sym, name)), t);
    }
    t->n = (uint32_t)n;
    for (size_t i = 0; i < n; i++) {
        t->label[i] = symbol(&s->sym, labels[i]);
        t->alias[i] = symbol(&s->sym, aliases ? aliases[i] : S(""));
    }
    statement_event(s, EVENT_GROUP);
    return 0;
}

void sched_topology_delete(struct sched *s, str name)
{
    free(map_del(&s->topologies, name));
}

str sched_topology_key(const struct sched *s, struct arena *a, str name, str level)
{
    const struct topology_levels *t = map_get(&s->topologies, name);
    struct strbuf key = strbuf_on(a);
    for (uint32_t i = 0; t && i < t->n; i++) {
        str label = symbol_text(&s->sym, t->label[i]);
        strbuf_addf(&key, "%s" STR_FMT, i ? "," : "", STR_ARG(label));
        if (level.len && (str_eq(label, level) || str_eq(symbol_text(&s->sym, t->alias[i]), level)))
            return strbuf_str(&key);
    }
    return level;
}

void sched_priority_class_put(struct sched *s, str name, int32_t value, bool never, bool is_default)
{
    struct priority_class *c = map_get(&s->priority_classes, name);
    if (!c) {
        c = xnew(struct priority_class);
        map_put(&s->priority_classes, symbol_text(&s->sym, symbol(&s->sym, name)), c);
    }
    *c = (struct priority_class){value, never, is_default};
    statement_event(s, EVENT_PRIORITY);
}

void sched_priority_class_delete(struct sched *s, str name)
{
    free(map_del(&s->priority_classes, name));
    statement_event(s, EVENT_PRIORITY);
}

const struct priority_class *sched_priority_class_find(const struct sched *s, str name)
{
    static const struct priority_class node_critical = {.value = 2000001000}, cluster_critical = {.value = 2000000000};
    if (str_is(name, "system-node-critical"))
        return &node_critical;
    if (str_is(name, "system-cluster-critical"))
        return &cluster_critical;
    if (name.len)
        return map_get(&s->priority_classes, name);
    /* of several defaults the lowest counts, as admission has it */
    const struct priority_class *found = NULL;
    map_foreach(e, &s->priority_classes)
    {
        const struct priority_class *c = e->value;
        if (c->is_default && (!found || c->value < found->value))
            found = c;
    }
    return found;
}

int sched_pv_put(struct sched *s, const struct pv_spec *spec, struct err *err)
{
    int r = storage_pv_put(s, spec, err);
    if (r == 0)
        statement_event(s, EVENT_VOLUME);
    return r;
}
int sched_pvc_put(struct sched *s, const struct pvc_spec *spec, struct err *err)
{
    int r = storage_pvc_put(s, spec, err);
    if (r == 0)
        statement_event(s, EVENT_VOLUME);
    return r;
}
int sched_storage_class_put(struct sched *s, const struct storage_class_spec *spec, struct err *err)
{
    int r = storage_class_put(s, spec, err);
    if (r == 0)
        statement_event(s, EVENT_VOLUME);
    return r;
}
void sched_pv_delete(struct sched *s, str name)
{
    storage_pv_delete(s, name);
    statement_event(s, EVENT_VOLUME);
}
void sched_pvc_delete(struct sched *s, str ns, str name)
{
    storage_pvc_delete(s, ns, name);
    statement_event(s, EVENT_VOLUME);
}
void sched_storage_class_delete(struct sched *s, str name)
{
    storage_class_delete(s, name);
    statement_event(s, EVENT_VOLUME);
}
int sched_pdb_put(struct sched *s, const struct pdb_spec *spec, struct err *err)
{
    int r = pdbs_put(s, spec, err);
    if (r == 0)
        statement_event(s, EVENT_PDB);
    return r;
}
void sched_pdb_delete(struct sched *s, str ns, str name)
{
    pdbs_delete(s, ns, name);
    statement_event(s, EVENT_PDB);
}

uint64_t sched_take_events(struct sched *s)
{
    uint64_t events = s->events;
    s->events = 0;
    return events;
}

/* --- decisions --------------------------------------------------------------------------------------------------------------------- */
void unit_decision_fini(struct unit_decision *d)
{
    vec_fini(&d->placements);
    vec_fini(&d->victims);
}

void sched_place(struct sched *s, unit_id u, nsec_t now, struct unit_decision *d)
{
    s->now_ns = now;
    vec_clear(&d->placements);
    vec_clear(&d->victims);
    d->rejected_by = 0;
    d->helped_by = 0;
    d->failed_pod = POD_NONE;
    d->waits_for = 0;
    d->waits_link[0] = d->waits_link[1] = 0;
    unit_place(s, u, d);
}

void sched_place_next(struct sched *s, unit_id u, nsec_t now, bool probe, struct unit_decision *d)
{
    s->batch = probe ? BATCH_PROBE : BATCH_PLACE;
    s->batch_within = NULL;
    for (const struct sched_watch *w = s->watch; w && !s->batch_within; w = w->next)
        s->batch_within = w->within ? w->within(w->arg, u) : NULL;
    sched_place(s, u, now, d);
    s->batch_within = NULL;
    s->batch = BATCH_OFF;
}

void sched_forget(struct sched *s, pod_id p)
{
    if (s->pods[p].state == PS_ASSUMED || s->pods[p].state == PS_NOMINATED)
        model_unassign(s, p);
}

bool sched_assume(struct sched *s, pod_id p, node_id n)
{
    const struct pod *pod = &s->pods[p];
    uint32_t mark = statement_begin(s);
    if (pod->state == PS_NOMINATED)
        model_unassign(s, p);
    if (pod->state != PS_PENDING || !node_is_alive(s, n) || !place_fits(s, pod->class_, n) || links_lack(s, p, NULL)) {
        statement_rollback(s, mark);
        return false;
    }
    model_assign(s, p, n, PS_ASSUMED, 0);
    statement_commit(s, mark);
    return true;
}

size_t sched_bytes(const struct sched *s)
{
    size_t nodes = (size_t)s->view.words * 64;
    size_t per_node = sizeof(struct node) + sizeof(struct gpu_state) + sizeof(struct numa_state) + sizeof(struct node_ports) + s->nres * 16 + 96;
    size_t pods = s->cappods * sizeof(struct pod) + s->capunits * sizeof(struct unit);
    return nodes * per_node + pods + s->npods * 72ul + s->nclasses * 2048ul;
}
