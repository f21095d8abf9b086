/* live_feed.c - objects of the API to the engine, and what a change of a pod means to dispatcher and binder.
 *
 *   a pod's object says        the engine has it        what happens
 *   no node, ours              not                      put, its unit is told to the dispatcher
 *   no node, ours              waiting                  put; tried again when its class is another now (not for a status of its own)
 *   a node                     assumed there            bound: the bind is confirmed
 *   a node                     waiting, or elsewhere    somebody else was faster: put as it says
 *   ended, or deleted          in any way               the binder is told, then it is deleted
 *   no node, another's         -                        nothing: it takes no room until it has one
 * An object older than the one that was fed last is passed over: answers of GETs may overtake the watch. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "base/civil.h"
#include "sched/engine/object.h"
#include "sched/engine/storage.h"
#include "sched/live/live_internal.h"

#define COMPLAIN_EVERY_NS (10 * NSEC_PER_SEC)
/* A group that misses members is told so after a moment: most come within it. */
#define HELD_SAY_NS (2 * NSEC_PER_SEC)

static void complain(struct live *l, const char *kind, str ns, str name, const struct err *err)
{
    nsec_t now = clock_mono(l->opts.clock);
    l->m.bad_objects++;
    if (l->complained_at && now - l->complained_at < COMPLAIN_EVERY_NS)
        return;
    l->complained_at = now;
    log_warn("cannot use an object", KV("kind", "%s", kind), KV("name", STR_FMT "/" STR_FMT, STR_ARG(ns), STR_ARG(name)), KV("why", "%s", err->msg));
}

int live_name_index(const struct live *l, str scheduler_name)
{
    if (str_empty(scheduler_name))
        scheduler_name = S("default-scheduler");
    for (uint16_t i = 0; i < l->nnames; i++)
        if (str_is(scheduler_name, l->names[i]))
            return i;
    return -1;
}

void live_queue_unit(struct live *l, unit_id u)
{
    struct err err = ERR_NONE;
    if (live_policy_takes(l, u))
        live_policy_unit(l, u);
    if (dispatcher_add(l->d, u, live_now(l), &err) < 0)
        log_error("cannot queue a pod", KV("why", "%s", err.msg));
    if (l->s->units[u].is_group && dispatcher_where(l->d, u) == DISPATCH_HELD)
        live_say_later(l, u, UNIT_INCOMPLETE, POD_NONE, 0, live_now(l) + HELD_SAY_NS);
}

/* --- pods leave ------------------------------------------------------------------------------------------------------------------------------ */
static void forget_wait(struct live *l, pod_id p)
{
    struct live_note *n = live_note(l, p);
    if (n->wait)
        live_say_forget(l, n->wait);
    free(n->wait); /* a bind on its way finds out by itself */
    n->wait = NULL;
}

void live_pod_remove(struct live *l, pod_id p)
{
    struct sched *s = l->s;
    unit_id u = sched_unit_of(s, p);
    const struct unit *unit = &s->units[u];
    binder_pod_gone(l->b, p);
    if (unit->is_group && unit->pods.len == 1 && live_workload_has(l, u))
        live_workload_last(l, u);
    if (!unit->is_group || (unit->pods.len == 1 && !unit->declared))
        dispatcher_remove(l->d, u); /* the unit goes with it */
    forget_wait(l, p);
    struct live_note *n = live_note(l, p);
    *n = (struct live_note){.stamp = n->stamp + 1};
    sched_pod_delete(s, sched_pod_ns(s, p), sched_pod_name(s, p));
}

void live_pods_sweep(struct live *l)
{
    for (pod_id p = 1; p < l->s->npods_slots; p++)
        if (l->s->pods[p].state != PS_FREE && live_note(l, p)->listing != l->pod_listing && !live_reserve_is_placeholder(l, p))
            live_pod_remove(l, p);
    live_ended_sweep(l);
}

/* --- pods come and change ----------------------------------------------------------------------------------------------------------------------- */
/* Is the pod of that name the same one, in the same group?  If not, it goes first. */
static pod_id find_same(struct live *l, const struct pod_spec *spec)
{
    struct sched *s = l->s;
    pod_id p = sched_pod_find(s, spec->ns, spec->name);
    if (!p)
        return POD_NONE;
    const struct unit *u = &s->units[s->pods[p].unit];
    str group = u->is_group ? symbol_text(&s->sym, u->name) : S("");
    if (str_eq(group, spec->group) && str_eq(sched_pod_uid(s, p), spec->uid))
        return p;
    live_pod_remove(l, p);
    return POD_NONE;
}

/* It has a node now; it had a place with dispatcher and binder. */
static void settle_assigned(struct live *l, pod_id p, bool was_assumed)
{
    struct live_note *n = live_note(l, p);
    unit_id u = sched_unit_of(l->s, p);
    if (n->wait && was_assumed) {
        live_observe_seconds(&l->m.sli, (double)(live_now(l) - n->wait->seen_at) / 1e9);
        live_observe_count(&l->m.tries, MAX(dispatcher_attempts(l->d, u), 1u));
    }
    forget_wait(l, p);
    if (l->s->units[u].is_group)
        live_queue_unit(l, u); /* it counts for the minimum */
    else if (dispatcher_where(l->d, u) != DISPATCH_ABSENT)
        dispatcher_remove(l->d, u);
}

static void settle_waiting(struct live *l, pod_id p, const struct json *obj, int name, bool try_it)
{
    struct live_note *n = live_note(l, p);
    if (!n->wait) {
        n->wait = xnew(struct live_wait);
        n->wait->name = (uint16_t)name;
        n->wait->seen_at = live_now(l);
        l->m.incoming++;
        try_it = true;
    }
    if (obj)
        live_say_read(n->wait, obj);
    if (try_it)
        live_queue_unit(l, sched_unit_of(l->s, p));
}

/* A gang of which somebody has done its work is not below its minimum by accident.  After a restart those who ended may come before the others. */
static void note_ended(struct live *l, str ns, str group)
{
    ARENA_AUTO a = ARENA_INIT;
    str key = arena_fmt(&a, STR_FMT "/" STR_FMT, STR_ARG(ns), STR_ARG(group));
    if (!map_find(&l->ended, key) && l->ended.len < LIVE_ENDED)
        map_put(&l->ended, str_n(str_dup(key), key.len), l);
    sched_group_ended(l->s, ns, group);
}

static void recall_ended(struct live *l, unit_id u)
{
    const struct unit *unit = &l->s->units[u];
    if (l->ended.len && unit->is_group && !unit->has_ended && map_find(&l->ended, unit->key))
        sched_group_ended(l->s, symbol_text(&l->s->sym, unit->ns), symbol_text(&l->s->sym, unit->name));
}

static void put_spec(struct live *l, struct pod_spec *spec, const struct json *obj, int name, uint64_t rv)
{
    struct sched *s = l->s;
    struct err err = ERR_NONE;
    pod_id p = find_same(l, spec);
    bool is_known = p != POD_NONE, was_assumed = false;
    class_id class_ = CLASS_NONE;
    if (is_known) {
        struct live_note *n = live_note(l, p);
        n->listing = l->pod_listing;
        if (rv && rv < n->rv)
            return;
        class_ = s->pods[p].class_;
        was_assumed = s->pods[p].state == PS_ASSUMED;
        spec->nominated = S(""); /* where it is nominated is our own doing; a restart reads it */
        if (n->evicting && spec->phase == POD_BOUND)
            spec->phase = POD_TERMINATING;
        if (spec->node.len && was_assumed)
            binder_confirmed(l->b, p);
        if (spec->node.len && s->pods[p].state == PS_NOMINATED)
            binder_pod_gone(l->b, p); /* it needs its room no more */
    }
    if (!is_known && !spec->node.len && !spec->nominated.len)
        spec->nominated = live_reserve_for(l, obj);
    if (!spec->node.len && !spec->nominated.len) /* one that waited for its group gives up its node meanwhile */
        spec->nominated = live_move_for(l, obj, !is_known);
    live_shards_dress(l, spec);
    bool held = live_hold_is_due(l, p, spec);
    spec->gates += held;
    int r = sched_pod_put(s, spec, &p, &err);
    if (r < 0) {
        complain(l, "Pod", spec->ns, spec->name, &err);
        if (!spec->node.len)
            live_say_error(l, obj, err.msg);
        return;
    }
    live_workload_unit(l, sched_unit_of(s, p));
    struct live_note *n = live_note(l, p);
    n->listing = l->pod_listing;
    n->rv = rv;
    n->content = 0;
    if (s->pods[p].class_ != class_)
        n->template_ = 0;
    if (spec->node.len)
        settle_assigned(l, p, was_assumed);
    else
        settle_waiting(l, p, obj, name, s->pods[p].class_ != class_);
    if (held)
        live_hold_start(l, p);
    recall_ended(l, sched_unit_of(s, p));
    if (s->units[sched_unit_of(s, p)].queue)
        live_policy_wake(l);
}

void live_feed_twin(struct live *l, pod_id p, uint16_t name, uint64_t rv)
{
    live_workload_unit(l, sched_unit_of(l->s, p));
    struct live_note *n = live_note(l, p);
    n->listing = l->pod_listing;
    n->rv = rv;
    settle_waiting(l, p, NULL, name, true);
}

void live_feed_confirm(struct live *l, pod_id p, uint64_t rv)
{
    struct live_note *n = live_note(l, p);
    n->listing = l->pod_listing;
    n->rv = rv;
    binder_confirmed(l->b, p);
    sched_pod_confirm(l->s, p);
    settle_assigned(l, p, true);
}

static void put_pod(struct live *l, struct arena *a, const struct json *obj)
{
    const struct json *spec = json_get(obj, S("spec")), *meta = json_get(obj, S("metadata"));
    str node = json_get_str(spec, S("nodeName")), ns = json_get_str(meta, S("namespace")), pod_name = json_get_str(meta, S("name"));
    int name = live_name_index(l, json_get_str(spec, S("schedulerName")));
    struct err err = ERR_NONE;
    struct pod_spec p;
    bool gone;
    uint64_t rv = 0;
    str_to_u64(json_get_str(meta, S("resourceVersion")), &rv);
    if (!node.len && name < 0)
        return;
    if (object_pod(l->s, a, obj, &p, &gone, &err) < 0) {
        complain(l, "Pod", ns, pod_name, &err);
        pod_id known = sched_pod_find(l->s, ns, pod_name);
        if (known)
            live_note(l, known)->listing = l->pod_listing; /* as it was */
        else if (!node.len)
            live_say_error(l, obj, err.msg);
        return;
    }
    if (p.phase == POD_TERMINATING)
        live_reserve_leaving(l, obj);
    if (!gone) {
        put_spec(l, &p, obj, name, rv);
        if (node.len) {
            live_reserve_bound(l, ns, pod_name);
            live_move_bound(l, obj);
        }
        return;
    }
    live_reserve_gone(l, ns, pod_name);
    live_move_gone(l, p.uid);
    if (p.group.len && str_is(json_get_str(json_get(obj, S("status")), S("phase")), "Succeeded"))
        note_ended(l, p.group_is_cluster ? S("") : p.ns, p.group);
    str phase = json_get_str(json_get(obj, S("status")), S("phase"));
    bool failed = str_is(phase, "Failed");
    if (p.group.len && live_policy_is_on(l) && (failed || str_is(phase, "Succeeded")))
        live_ended_pod(l, ns, pod_name, p.group, failed);
    pod_id known = sched_pod_find(l->s, ns, pod_name);
    if (known)
        live_pod_remove(l, known);
}

void live_feed_answer(struct live *l, str text)
{
    ARENA_AUTO a = ARENA_INIT;
    struct json obj;
    struct err err;
    if (json_parse(&a, text, NULL, &obj, &err) == 0 && json_is(&obj, JSON_OBJECT) && str_is(json_get_str(&obj, S("kind")), "Pod"))
        put_pod(l, &a, &obj);
}

/* --- groups -------------------------------------------------------------------------------------------------------------------------------------- */
/* What other objects make of it: its class, and the topologies that its levels are of. */
static uint64_t group_meaning(const struct group_spec *g)
{
    uint64_t h = g->has_priority ? (uint64_t)g->priority : UINT64_MAX;
    for (size_t i = 0; i < g->nrequired_keys + g->npreferred_keys; i++)
        h = h * 31 + str_hash(i < g->nrequired_keys ? g->required_keys[i] : g->preferred_keys[i - g->nrequired_keys]);
    for (size_t i = 0; i < g->nsubgroups; i++)
        h = (h * 31 + str_hash(g->subgroups[i].required_key)) * 31 + str_hash(g->subgroups[i].preferred_key);
    return h;
}

static bool put_group(struct live *l, struct arena *a, const struct json *obj)
{
    struct group_spec g;
    struct err err = ERR_NONE;
    unit_id u;
    const struct json *meta = json_get(obj, S("metadata"));
    if (object_group(l->s, a, obj, &g, &err) < 0) {
        complain(l, "PodGroup", json_get_str(meta, S("namespace")), json_get_str(meta, S("name")), &err);
        return true;
    }
    void *class_ = map_get(&l->classes, json_get_str(json_get(obj, S("spec")), S("priorityClassName")));
    if (class_) {
        g.has_priority = true;
        g.priority = (int32_t)((int64_t)(intptr_t)class_ - LIVE_CLASS_BIAS);
    }
    live_phase_put(l, obj);
    if (!live_groups_put(l, obj, group_meaning(&g)))
        return false; /* of a status of its own, most often */
    if (sched_group_put(l->s, &g, &u, &err) < 0)
        complain(l, "PodGroup", g.ns, g.name, &err);
    else
        live_queue_unit(l, u);
    u = sched_group_find(l->s, g.ns, g.name);
    if (u)
        live_shards_look(l, u);
    return true;
}

static void forget_ended(struct live *l, str ns, str name)
{
    ARENA_AUTO a = ARENA_INIT;
    str key = arena_fmt(&a, STR_FMT "/" STR_FMT, STR_ARG(ns), STR_ARG(name));
    struct map_entry *e = map_find(&l->ended, key);
    char *text = e ? (char *)e->key.p : NULL;
    map_del(&l->ended, key);
    free(text);
}

static void delete_group(struct live *l, str ns, str name)
{
    unit_id u = sched_group_find(l->s, ns, name);
    forget_ended(l, ns, name);
    if (u && !l->s->units[u].pods.len)
        dispatcher_remove(l->d, u);
    sched_group_delete(l->s, ns, name);
    live_groups_delete(l, ns, name);
    live_phase_delete(l, ns, name);
}

/* A class of priorities; its value never changes. */
static void put_class(struct live *l, const struct json *obj)
{
    str name = json_get_str(json_get(obj, S("metadata")), S("name"));
    int64_t value = json_get_int(obj, S("value"), 0);
    struct map_entry *e = map_find(&l->classes, name);
    if (e)
        e->value = (void *)(intptr_t)(value + LIVE_CLASS_BIAS);
    else
        map_put(&l->classes, str_n(str_dup(name), name.len), (void *)(intptr_t)(value + LIVE_CLASS_BIAS));
}

static void delete_class(struct live *l, str name)
{
    struct map_entry *e = map_find(&l->classes, name);
    char *key = e ? (char *)e->key.p : NULL;
    map_del(&l->classes, name);
    free(key);
}

/* --- everything ------------------------------------------------------------------------------------------------------------------------------------ */
static void put_other(struct live *l, const struct json *obj)
{
    struct err err = ERR_NONE;
    const struct json *meta = json_get(obj, S("metadata"));
    if (object_put(l->s, obj, NULL, &err) < 0)
        complain(l, "Object", json_get_str(meta, S("namespace")), json_get_str(meta, S("name")), &err);
}

static void put_queue(struct live *l, struct arena *a, const struct json *obj)
{
    struct err err = ERR_NONE;
    if (live_policy_put(l, a, obj, &err) < 0)
        complain(l, "Queue", S(""), json_get_str(json_get(obj, S("metadata")), S("name")), &err);
}

static nsec_t created_at(const struct json *meta)
{
    nsec_t t = 0;
    return civil_parse(json_get_str(meta, S("creationTimestamp")), &t) ? t : 0;
}

static void put_shard(struct live *l, struct arena *a, const struct json *obj)
{
    struct err err = ERR_NONE;
    if (live_shards_put(l, a, obj, &err) < 0)
        complain(l, "SchedulingShard", S(""), json_get_str(json_get(obj, S("metadata")), S("name")), &err);
}

bool live_feed_put(struct live *l, enum live_kind kind, struct arena *a, struct json *obj)
{
    const struct json *meta = json_get(obj, S("metadata"));
    switch (kind) {
    case KIND_POD:
        put_pod(l, a, obj);
        break;
    case KIND_GROUP:
        return put_group(l, a, obj);
    case KIND_PRIORITY_CLASS:
        live_twins_clear(l);
        put_class(l, obj);
        break;
    case KIND_QUEUE:
        put_queue(l, a, obj);
        break;
    case KIND_WORKLOAD:
        live_workload_put(l, obj, created_at(meta));
        break;
    case KIND_RESERVATION:
        live_reserve_put(l, obj);
        break;
    case KIND_MOVEMENT:
        live_move_put(l, obj);
        break;
    case KIND_SHARD:
        put_shard(l, a, obj);
        break;
    case KIND_TOPOLOGY:
        put_other(l, obj);
        live_shards_topology(l);
        break;
    case KIND_PVC:
        put_other(l, obj);
        live_binds_claims_changed(l, json_get_str(meta, S("namespace")), json_get_str(meta, S("name")));
        break;
    default:
        put_other(l, obj);
    }
    return true;
}

void live_feed_delete(struct live *l, enum live_kind kind, str ns, str name)
{
    struct sched *s = l->s;
    pod_id p;
    switch (kind) {
    case KIND_NODE:
        sched_node_delete(s, name); /* binds to it that wait are not sent, see live_bind.c */
        break;
    case KIND_POD:
        if ((p = sched_pod_find(s, ns, name))) {
            live_move_gone(l, sched_pod_uid(s, p));
            live_pod_remove(l, p);
        }
        live_reserve_gone(l, ns, name);
        live_ended_gone(l, ns, name);
        break;
    case KIND_NAMESPACE:
        sched_namespace_delete(s, name);
        break;
    case KIND_PV:
        sched_pv_delete(s, name);
        break;
    case KIND_PVC:
        sched_pvc_delete(s, ns, name);
        live_binds_claims_changed(l, ns, name);
        break;
    case KIND_STORAGE_CLASS:
        sched_storage_class_delete(s, name);
        break;
    case KIND_CSINODE:
        err_ignore(storage_limits_put(s, name, NULL, 0, NULL), "no limits are never too many");
        break;
    case KIND_PDB:
        sched_pdb_delete(s, ns, name);
        break;
    case KIND_PRIORITY_CLASS:
        live_twins_clear(l);
        delete_class(l, name);
        break;
    case KIND_QUEUE:
        live_policy_delete(l, name);
        break;
    case KIND_RESERVATION:
        live_reserve_delete(l, ns, name);
        break;
    case KIND_MOVEMENT:
        live_move_delete(l, name);
        break;
    case KIND_SHARD:
        live_shards_delete(l, name);
        break;
    case KIND_TOPOLOGY:
        sched_topology_delete(s, name);
        live_shards_topology(l);
        break;
    case KIND_ROUTE:
        sched_route_delete(s, ns, name);
        break;
    case KIND_WORKLOAD:
        live_workload_delete(l, ns, name);
        break;
    case KIND_GROUP:
        delete_group(l, ns, name);
    }
}
