/* groups.c - units: a pod alone, or the members of a group.  Members may come before their group's object: the group is undeclared until then and
 * places nothing. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "base/limits.h"
#include "sched/engine/engine.h"
#include "sched/engine/keep.h"
#include "sched/engine/pods.h"
#include "sched/engine/select.h"
#include "sched/engine/statement.h"

static unit_id new_unit(struct sched *s)
{
    unit_id u;
    if (s->free_units.len) {
        u = vec_pop(&s->free_units);
    } else {
        if (s->nunits_slots == s->capunits) {
            s->capunits = MAX(256u, s->capunits * 2);
            s->units = xrealloc(s->units, s->capunits * sizeof *s->units);
        }
        if (s->nunits_slots == 0)
            s->units[s->nunits_slots++] = (struct unit){0};
        u = s->nunits_slots++;
    }
    s->units[u] = (struct unit){.used = true, .arena = ARENA_SMALL(256)};
    return u;
}

static void drop(struct sched *s, unit_id u)
{
    struct unit *x = &s->units[u];
    if (x->is_group) {
        keep_forget(s, u);
        map_del(&s->group_by_key, x->key);
        free((char *)x->key.p);
    }
    vec_fini(&x->pods);
    free(x->ends.p);
    arena_fini(&x->arena);
    *x = (struct unit){0};
    vec_push(&s->free_units, u);
}

void units_fini(struct sched *s)
{
    for (unit_id u = 1; u < s->nunits_slots; u++)
        if (s->units[u].used) {
            vec_fini(&s->units[u].pods);
            free(s->units[u].ends.p);
            arena_fini(&s->units[u].arena);
        }
    map_foreach(e, &s->group_by_key)
        free((char *)e->key.p);
    map_fini(&s->group_by_key);
    free(s->units);
    vec_fini(&s->free_units);
}

/* "ns/name" in buf. */
static str key_of(struct strbuf *buf, str ns, str name)
{
    strbuf_clear(buf);
    strbuf_add_str(buf, ns);
    strbuf_add_char(buf, '/');
    strbuf_add_str(buf, name);
    return strbuf_str(buf);
}

unit_id sched_group_find(const struct sched *s, str ns, str name)
{
    STRBUF_AUTO buf = STRBUF_HEAP;
    return (unit_id)(uintptr_t)map_get(&s->group_by_key, key_of(&buf, ns, name));
}

static unit_id group_get(struct sched *s, str ns, str name)
{
    unit_id u = sched_group_find(s, ns, name);
    if (u)
        return u;
    STRBUF_AUTO buf = STRBUF_HEAP;
    char *key = str_dup(key_of(&buf, ns, name));
    u = new_unit(s);
    struct unit *x = &s->units[u];
    x->is_group = true;
    x->ns = symbol(&s->sym, ns);
    x->name = symbol(&s->sym, name);
    x->key = str_of(key);
    map_put(&s->group_by_key, x->key, (void *)(uintptr_t)u);
    return u;
}

unit_id units_of_pod(struct sched *s, str ns, str group, pod_id p)
{
    unit_id u;
    if (str_empty(group)) {
        u = new_unit(s);
        s->units[u].declared = true;
        s->units[u].min_member = 1;
        s->units[u].created_ns = s->pods[p].created_ns;
        s->units[u].priority = s->classes[s->pods[p].class_]->priority;
    } else {
        u = group_get(s, ns, group);
        struct unit *x = &s->units[u];
        if (!x->declared && (x->pods.len == 0 || s->pods[p].created_ns < x->created_ns))
            x->created_ns = s->pods[p].created_ns;
        if (!x->has_priority && (x->pods.len == 0 || s->classes[s->pods[p].class_]->priority > x->priority))
            x->priority = s->classes[s->pods[p].class_]->priority;
    }
    s->pods[p].slot_in_unit = (uint32_t)s->units[u].pods.len;
    vec_push(&s->units[u].pods, p);
    return u;
}

void units_policy(struct sched *s, unit_id u, str queue, str pool, enum preemptibility preemptibility)
{
    struct unit *x = &s->units[u];
    if (!x->is_group || (!x->has_pool && x->pool == 0))
        x->pool = symbol(&s->sym, pool);
    if (!x->is_group || (!x->has_queue && x->queue == 0))
        x->queue = symbol(&s->sym, queue);
    if (!x->is_group || (!x->has_preemptibility && x->preemptibility == PREEMPTIBLE_UNSET))
        x->preemptibility = (uint8_t)preemptibility;
}

void units_times(struct sched *s, unit_id u, nsec_t runtime_ns, nsec_t protect_ns)
{
    struct unit *x = &s->units[u];
    if (!x->has_runtime)
        x->runtime_ns = x->is_group ? MAX(x->runtime_ns, runtime_ns) : runtime_ns;
    x->protect_ns = x->is_group ? MAX(x->protect_ns, protect_ns) : protect_ns;
}

void units_changed(struct sched *s, unit_id u)
{
    for (struct sched_watch *w = s->watch; w; w = w->next)
        w->unit(w->arg, u);
}

/* No member is above x->priority; is one still there? */
static void priority_fell(const struct sched *s, struct unit *x)
{
    int32_t highest = INT32_MIN;
    for (size_t i = 0; i < x->pods.len && highest < x->priority; i++)
        highest = MAX(highest, class_of(s, x->pods.p[i])->priority);
    if (x->pods.len)
        x->priority = highest;
}

void units_priority_changed(struct sched *s, pod_id p)
{
    struct unit *x = &s->units[s->pods[p].unit];
    if (x->has_priority)
        return;
    x->priority = MAX(x->priority, class_of(s, p)->priority);
    priority_fell(s, x);
}

void units_leave(struct sched *s, pod_id p)
{
    unit_id u = s->pods[p].unit;
    struct unit *x = &s->units[u];
    uint32_t at = s->pods[p].slot_in_unit;
    BUG_ON(x->pods.p[at] != p);
    vec_remove_swap(&x->pods, at);
    if (at < x->pods.len)
        s->pods[x->pods.p[at]].slot_in_unit = at;
    units_changed(s, u);
    if (x->pods.len == 0 && !(x->is_group && x->declared))
        drop(s, u);
    else if (!x->has_priority && class_of(s, p)->priority == x->priority)
        priority_fell(s, x);
}

/* --- the group's object -------------------------------------------------------------------------------------------------------------- */
static uint16_t subgroup_index(const struct group_spec *g, str name)
{
    for (size_t i = 0; i < g->nsubgroups; i++)
        if (str_eq(g->subgroups[i].name, name))
            return (uint16_t)i;
    return 0xffff;
}

static int check_subgroup(const struct group_spec *g, size_t i, struct err *err)
{
    const struct spec_subgroup *x = &g->subgroups[i];
    if (str_empty(x->name))
        return err_set(err, E_INVALID_ARG, "sub-group %zu of group " STR_FMT "/" STR_FMT " needs a name", i, STR_ARG(g->ns), STR_ARG(g->name));
    if (subgroup_index(g, x->name) != i)
        return err_set(err, E_INVALID_ARG, "group " STR_FMT "/" STR_FMT " has two sub-groups " STR_FMT, STR_ARG(g->ns), STR_ARG(g->name), STR_ARG(x->name));
    if (x->min_member < 0 || x->min_subgroup < SUBGROUPS_NONE)
        return err_set(err, E_INVALID_ARG, "sub-group " STR_FMT " of group " STR_FMT "/" STR_FMT " has a negative minimum", STR_ARG(x->name), STR_ARG(g->ns), STR_ARG(g->name));
    if (x->parent.len && subgroup_index(g, x->parent) == 0xffff)
        return err_set(err, E_INVALID_ARG, "sub-group " STR_FMT " of group " STR_FMT "/" STR_FMT " names the parent " STR_FMT ", which is not there", STR_ARG(x->name), STR_ARG(g->ns),
                       STR_ARG(g->name), STR_ARG(x->parent));
    return 0;
}

static int check_subgroups(const struct group_spec *g, struct err *err)
{
    uint16_t parent[LIMIT_SCHED_SUBGROUPS];
    for (size_t i = 0; i < g->nsubgroups; i++) {
        int r = check_subgroup(g, i, err);
        if (r < 0)
            return r;
        parent[i] = str_empty(g->subgroups[i].parent) ? 0xffff : subgroup_index(g, g->subgroups[i].parent);
    }
    for (size_t i = 0; i < g->nsubgroups; i++) {
        /* up to the group: a step more than there are sub-groups is a circle */
        size_t steps = 0;
        for (uint16_t at = (uint16_t)i; at != 0xffff && steps <= g->nsubgroups; at = parent[at])
            steps++;
        if (steps > g->nsubgroups)
            return err_set(err, E_INVALID_ARG, "sub-group " STR_FMT " of group " STR_FMT "/" STR_FMT " is its own ancestor", STR_ARG(g->subgroups[i].name), STR_ARG(g->ns), STR_ARG(g->name));
    }
    return 0;
}

static int check(const struct sched *s, const struct group_spec *g, struct err *err)
{
    if (str_empty(g->name))
        return err_set(err, E_INVALID_ARG, "a group needs a name");
    if (g->min_member < 0 || (uint32_t)g->min_member > LIMIT_SCHED_GROUP)
        return err_set(err, E_INVALID_ARG, "group " STR_FMT "/" STR_FMT " wants at least %d members: 0 to %u are possible", STR_ARG(g->ns), STR_ARG(g->name), g->min_member, LIMIT_SCHED_GROUP);
    if (g->min_subgroup < SUBGROUPS_NONE)
        return err_set(err, E_INVALID_ARG, "group " STR_FMT "/" STR_FMT " wants at least %d sub-groups", STR_ARG(g->ns), STR_ARG(g->name), g->min_subgroup);
    if (g->nsubgroups > LIMIT_SCHED_SUBGROUPS)
        return err_set(err, E_TOO_LARGE, "group " STR_FMT "/" STR_FMT " has %zu sub-groups, more than %u", STR_ARG(g->ns), STR_ARG(g->name), g->nsubgroups, LIMIT_SCHED_SUBGROUPS);
    if (g->nrequired_keys > LIMIT_SCHED_TOPOLOGY_KEYS || g->npreferred_keys > LIMIT_SCHED_TOPOLOGY_KEYS || g->nsort_rules > LIMIT_SCHED_TOPOLOGY_KEYS)
        return err_set(err, E_TOO_LARGE, "group " STR_FMT "/" STR_FMT " has more than %u required keys, preferred keys or sort rules", STR_ARG(g->ns), STR_ARG(g->name), LIMIT_SCHED_TOPOLOGY_KEYS);
    if (g->node_selector.n > LIMIT_SCHED_SPEC_ITEMS)
        return err_set(err, E_TOO_LARGE, "group " STR_FMT "/" STR_FMT " selects nodes by more than %u labels", STR_ARG(g->ns), STR_ARG(g->name), LIMIT_SCHED_SPEC_ITEMS);
    for (size_t i = 0; i < g->nsort_rules; i++)
        if (g->sort_rules[i].resource >= s->nres)
            return err_set(err, E_INVALID_ARG, "group " STR_FMT "/" STR_FMT " sorts by a resource with the unknown id %u", STR_ARG(g->ns), STR_ARG(g->name), g->sort_rules[i].resource);
    return check_subgroups(g, err);
}

static sym_t *keys(struct sched *s, struct arena *a, const str *p, size_t n)
{
    sym_t *out = arena_array(a, n, sym_t);
    for (size_t i = 0; i < n; i++)
        out[i] = symbol(&s->sym, p[i]);
    return out;
}

/* A preferred level of a tree that cannot be had gives way to the next wider one: "zone,row,rack" stands for zone, row and rack, widest first, without those that are
 * required anyway. */
static uint32_t levels(struct sched *s, str key, str required, sym_t *ret)
{
    uint32_t n = 0;
    for (size_t i = 1; i <= key.len; i++) {
        str level = {key.p, i};
        if ((i == key.len || key.p[i] == ',') && !(str_has_prefix(required, level) && (required.len == i || required.p[i] == ',')))
            ret[n++] = symbol(&s->sym, level);
    }
    return n;
}

static sym_t *preferred(struct sched *s, struct arena *a, const str *p, size_t n, str required, uint32_t *ret_n)
{
    size_t most = 0;
    for (size_t i = 0; i < n; i++) {
        most++;
        for (size_t k = 0; k < p[i].len; k++)
            most += p[i].p[k] == ',';
    }
    sym_t *out = arena_array(a, most, sym_t);
    *ret_n = 0;
    for (size_t i = 0; i < n; i++)
        *ret_n += levels(s, p[i], required, out + *ret_n);
    return out;
}

static void fill(struct sched *s, struct unit *x, const struct group_spec *g)
{
    arena_fini(&x->arena);
    x->arena = ARENA_SMALL(256);
    struct arena *a = &x->arena;
    x->declared = true;
    x->min_member = g->min_member;
    x->min_subgroup = g->min_subgroup;
    x->created_ns = g->created_ns;
    x->timeout_ns = g->timeout_ns;
    x->has_priority = g->has_priority;
    if (g->has_priority)
        x->priority = g->priority;
    if (g->queue.len || x->has_queue)
        x->queue = symbol(&s->sym, g->queue);
    x->has_queue = g->queue.len != 0;
    if (g->pool.len || x->has_pool)
        x->pool = symbol(&s->sym, g->pool);
    x->has_pool = g->pool.len != 0;
    if (g->preemptibility != PREEMPTIBLE_UNSET || x->has_preemptibility)
        x->preemptibility = (uint8_t)g->preemptibility;
    x->has_preemptibility = g->preemptibility != PREEMPTIBLE_UNSET;
    if (g->runtime_ns || x->has_runtime)
        x->runtime_ns = g->runtime_ns;
    x->has_runtime = g->runtime_ns != 0;
    x->max_tries = g->max_tries;
    x->delay_ns = g->delay_ns;
    x->stale_grace_ns = g->stale_grace_ns;
    x->nsubgroups = (uint32_t)g->nsubgroups;
    x->subgroups = arena_array(a, g->nsubgroups, struct subgroup);
    for (size_t i = 0; i < g->nsubgroups; i++) {
        const struct spec_subgroup *from = &g->subgroups[i];
        x->subgroups[i] = (struct subgroup){.name = symbol(&s->sym, from->name), .parent = subgroup_index(g, from->parent), .min_member = from->min_member, .min_subgroup = from->min_subgroup,
                                            .required_key = symbol(&s->sym, from->required_key)};
        x->subgroups[i].preferred_keys = preferred(s, a, &from->preferred_key, 1, from->required_key, &x->subgroups[i].npreferred_keys);
    }
    x->required_keys = keys(s, a, g->required_keys, g->nrequired_keys);
    x->nrequired_keys = (uint32_t)g->nrequired_keys;
    x->preferred_keys = preferred(s, a, g->preferred_keys, g->npreferred_keys, g->nrequired_keys ? g->required_keys[0] : S(""), &x->npreferred_keys);
    x->nsort_rules = (uint32_t)g->nsort_rules;
    x->sort_rules = arena_array(a, g->nsort_rules, struct spec_sort_rule);
    if (g->nsort_rules)
        memcpy(x->sort_rules, g->sort_rules, g->nsort_rules * sizeof *g->sort_rules);
    struct labelset selector = labelset_make(s, a, g->node_selector);
    x->node_selector = (struct label *)selector.p;
    x->nnode_selector = selector.n;
}

int sched_group_put(struct sched *s, const struct group_spec *g, unit_id *ret_id, struct err *err)
{
    int r = check(s, g, err);
    if (r < 0)
        return r;
    unit_id u = group_get(s, g->ns, g->name);
    struct unit *x = &s->units[u];
    fill(s, x, g);
    for (size_t i = 0; i < x->pods.len; i++) {
        struct pod *p = &s->pods[x->pods.p[i]];
        p->subgroup = 0xffff;
        for (uint32_t j = 0; p->subgroup_name && j < x->nsubgroups; j++)
            if (x->subgroups[j].name == p->subgroup_name)
                p->subgroup = (uint16_t)j;
        if (!x->has_priority)
            x->priority = i == 0 ? class_of(s, x->pods.p[i])->priority : MAX(x->priority, class_of(s, x->pods.p[i])->priority);
    }
    units_changed(s, u);
    statement_event(s, EVENT_GROUP);
    if (ret_id)
        *ret_id = u;
    return 0;
}

void sched_group_delete(struct sched *s, str ns, str name)
{
    unit_id u = sched_group_find(s, ns, name);
    if (!u)
        return;
    s->units[u].declared = false;
    units_changed(s, u);
    if (s->units[u].pods.len == 0)
        drop(s, u);
}

bool sched_group_ended(struct sched *s, str ns, str name)
{
    unit_id u = sched_group_find(s, ns, name);
    if (!u)
        return false;
    s->units[u].has_ended = true;
    units_changed(s, u);
    return true;
}
