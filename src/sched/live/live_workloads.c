/* live_workloads.c - gangs as Kubernetes has them: Workload of scheduling.k8s.io, and spec.workloadRef of pods.
 *
 *   Workload w: podGroups [{workers, gang 4}, {driver, basic}]      what each group asks for
 *   pods with workloadRef {w, workers, "0"}                         unit "w/workers/0": a gang of 4; another key is another gang
 *   pods with workloadRef {w, driver}                               unit "w/driver": one by one
 * A unit of the engine is declared when both are there, whichever comes first: until then its pods wait.  It goes with its last pod: keys may be new ones each time.
 * What a Workload says never changes (the server sees to it); another one of the same name is read anew. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/live/live_internal.h"

struct group_rule {
    char *name;
    int32_t min_member; /* 0: one by one */
};
struct live_workload { /* that exists, or that pods speak of */
    str key;           /* "ns/name"; owned */
    bool exists;
    nsec_t created_ns;
    VEC(struct group_rule) groups;
    struct map units; /* names of units that pods made: "w/workers/0"; keys are ours */
};

static void rules_clear(struct live_workload *w)
{
    for (size_t i = 0; i < w->groups.len; i++)
        free(w->groups.p[i].name);
    vec_clear(&w->groups);
}

static void workload_free(struct live_workload *w)
{
    rules_clear(w);
    vec_fini(&w->groups);
    map_foreach(e, &w->units)
        free((char *)e->key.p);
    map_fini(&w->units);
    free((char *)w->key.p);
    free(w);
}

void live_workloads_free(struct live *l)
{
    map_foreach(e, &l->workloads)
        workload_free(e->value);
    map_fini(&l->workloads);
}

static struct live_workload *workload_get(struct live *l, str ns, str name, bool make)
{
    ARENA_AUTO a = ARENA_INIT;
    str key = arena_fmt(&a, STR_FMT "/" STR_FMT, STR_ARG(ns), STR_ARG(name));
    struct live_workload *w = map_get(&l->workloads, key);
    if (w || !make)
        return w;
    w = xnew(struct live_workload);
    w->key = str_n(str_dup(key), key.len);
    w->units = MAP_INIT;
    map_put(&l->workloads, w->key, w);
    return w;
}

static void drop_if_idle(struct live *l, struct live_workload *w)
{
    if (w->exists || w->units.len)
        return;
    map_del(&l->workloads, w->key);
    workload_free(w);
}

/* --- units ------------------------------------------------------------------------------------------------------------------------------------ */
bool live_workload_has(const struct live *l, unit_id u)
{
    const struct unit *x = &l->s->units[u];
    return x->is_group && str_find_char(symbol_text(&l->s->sym, x->name), '/') >= 0;
}

/* Tells the engine what the Workload says of one of its units, if it does. */
static void declare(struct live *l, const struct live_workload *w, str unit)
{
    str rest = unit, ns = w->key, name, group;
    struct err err = ERR_NONE;
    unit_id u;
    str_cut(&ns, '/', &name);
    ns = name;
    str_cut(&rest, '/', &name);
    str_cut(&rest, '/', &group);
    for (size_t i = 0; i < w->groups.len; i++) {
        if (!str_is(group, w->groups.p[i].name))
            continue;
        struct group_spec g = {.ns = ns, .name = unit, .min_member = MAX(w->groups.p[i].min_member, 1), .created_ns = w->created_ns};
        if (sched_group_put(l->s, &g, &u, &err) < 0)
            log_warn("cannot use a group of a Workload", KV("workload", STR_FMT, STR_ARG(w->key)), KV("group", STR_FMT, STR_ARG(unit)), KV("why", "%s", err.msg));
        else
            live_queue_unit(l, u);
        return;
    }
}

void live_workload_unit(struct live *l, unit_id u)
{
    const struct unit *x = &l->s->units[u];
    if (likely(!x->is_group) || x->declared || !live_workload_has(l, u))
        return;
    str unit = symbol_text(&l->s->sym, x->name), rest = unit, name;
    str_cut(&rest, '/', &name);
    struct live_workload *w = workload_get(l, symbol_text(&l->s->sym, x->ns), name, true);
    if (!map_find(&w->units, unit))
        map_put(&w->units, str_n(str_dup(unit), unit.len), w);
    if (w->exists)
        declare(l, w, unit);
}

void live_workload_last(struct live *l, unit_id u)
{
    const struct unit *x = &l->s->units[u];
    str unit = symbol_text(&l->s->sym, x->name), rest = unit, name, ns = symbol_text(&l->s->sym, x->ns);
    str_cut(&rest, '/', &name);
    struct live_workload *w = workload_get(l, ns, name, false);
    struct map_entry *e = w ? map_find(&w->units, unit) : NULL;
    char *key = e ? (char *)e->key.p : NULL;
    if (e)
        map_del(&w->units, unit);
    free(key);
    if (w)
        drop_if_idle(l, w);
    sched_group_delete(l->s, ns, unit); /* it goes with its pod now */
}

/* --- objects ------------------------------------------------------------------------------------------------------------------------------------ */
void live_workload_put(struct live *l, const struct json *obj, nsec_t created_ns)
{
    const struct json *meta = json_get(obj, S("metadata")), *list = json_path(obj, "spec", "podGroups", NULL);
    struct live_workload *w = workload_get(l, json_get_str(meta, S("namespace")), json_get_str(meta, S("name")), true);
    rules_clear(w);
    w->exists = true;
    w->created_ns = created_ns;
    for (uint32_t i = 0; json_is(list, JSON_ARRAY) && i < list->len && i < LIVE_WORKLOAD_GROUPS; i++) {
        const struct json *gang = json_path(&list->items[i], "policy", "gang", NULL);
        int64_t n = json_get_int(gang, S("minCount"), 0);
        vec_push(&w->groups, (struct group_rule){str_dup(json_get_str(&list->items[i], S("name"))), (int32_t)MIN(MAX(n, 0), (int64_t)INT32_MAX)});
    }
    map_foreach(e, &w->units)
        declare(l, w, e->key);
}

void live_workload_delete(struct live *l, str ns, str name)
{
    struct live_workload *w = workload_get(l, ns, name, false);
    if (!w)
        return;
    w->exists = false;
    rules_clear(w);
    map_foreach(e, &w->units) {
        unit_id u = sched_group_find(l->s, ns, e->key);
        sched_group_delete(l->s, ns, e->key);
        if (u && l->s->units[u].used)
            live_queue_unit(l, u);
    }
    drop_if_idle(l, w);
}
