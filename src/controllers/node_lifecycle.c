/* node_lifecycle.c - nodes that are silent or not ready: conditions, taints, and their pods' readiness.
 *
 *   lease or status of a node ─► heard_at, by our own clock
 *   one timer, at the earliest time at which some node would have been silent for too long ─► those that are: key
 *   key ─► read the node ─► plan (pure) ─► status ─► taints ─► its pods: Ready False
 *
 * Nodes are compared with the time they were last heard of, and nothing else runs: 20,000 nodes cost a look at each record every few seconds.
 * How many nodes of a zone are driven out, and how fast, is node_lifecycle_plan.h; a node that has to wait for its turn is looked at again then. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "controllers/node_lifecycle.h"

#include "base/log.h"
#include "client/raw.h"
#include "controllers/events.h"

#define COMPONENT "node-controller"

#define GRACE_NS (40 * NSEC_PER_SEC)
#define STATUS_NS (300 * NSEC_PER_SEC) /* a node without a lease reports at least so often */
#define LOOK_MIN_NS (NSEC_PER_SEC / 2)
#define LATE_NS (5 * NSEC_PER_SEC)
#define LEASES "kube-node-lease"

struct lifecycle {
    struct controller *c;
    struct map nodes; /* name -> struct node_record */
    struct map zones; /* key -> struct node_zone */
    struct loop_timer look;
    nsec_t looks_at; /* when it is armed */
    bool all_full; /* no zone has a node that is ready */
    unsigned round;
};

static struct lifecycle *state_of(struct controllers *all)
{
    return controllers_find(all, &controller_node_lifecycle)->state;
}

struct node_record *node_lifecycle_find(struct controllers *all, str name)
{
    struct node_record *n = map_get(&state_of(all)->nodes, name);
    return n && n->exists ? n : NULL;
}

/* --- zones ------------------------------------------------------------------------------------------------------------------- */

/* One node at a time, whatever number waits. */
static void turn(struct loop_timer *t)
{
    struct node_zone *z = container_of(t, struct node_zone, turn);
    struct loop *loop = z->c->opts->loop;
    if (list_empty(&z->waiting) || !z->interval_ns || controllers_stopping(z->c->all))
        return;
    struct node_record *n = container_of(z->waiting.next, struct node_record, wait_link);
    list_del(&n->wait_link);
    n->waiting = false;
    n->granted = true;
    workqueue_add(z->c->queue, str_of(n->name));
    z->next_at = loop_now(loop) + z->interval_ns;
    if (!list_empty(&z->waiting))
        loop_timer_set(loop, t, z->next_at);
}

static void turn_set(struct node_zone *z)
{
    struct loop *loop = z->c->opts->loop;
    nsec_t now = loop_now(loop);
    if (!list_empty(&z->waiting) && z->interval_ns && !z->turn.slot_ && !controllers_stopping(z->c->all))
        loop_timer_set(loop, &z->turn, MAX(z->next_at, now));
}

static void wait_for_turn(struct node_record *n)
{
    if (!n->zone || n->waiting || n->granted)
        return;
    n->waiting = true;
    list_add_tail(&n->zone->waiting, &n->wait_link);
    turn_set(n->zone);
}

static void wait_end(struct node_record *n)
{
    if (n->waiting)
        list_del(&n->wait_link);
    n->waiting = n->granted = false;
}

static struct node_zone *zone_get(struct lifecycle *l, str key)
{
    struct node_zone *z = map_get(&l->zones, key);
    if (!z) {
        z = xnew(struct node_zone);
        z->key = str_dup(key);
        z->interval_ns = zone_interval(&z->count, false);
        z->c = l->c;
        z->turn.fire = turn;
        list_init(&z->waiting);
        map_put(&l->zones, str_of(z->key), z);
    }
    return z;
}

/* Those that wait for their turn, or have had it, are looked at again when the zone's pace changes. */
static void queue_out(struct lifecycle *l, const struct node_zone *z)
{
    map_foreach(e, &l->nodes)
    {
        struct node_record *n = e->value;
        if (n->exists && n->zone == z && !n->counted_ready)
            workqueue_add(l->c->queue, e->key);
    }
}

static void zones_look(struct lifecycle *l)
{
    bool any = false, all_full = true;
    map_foreach(e, &l->zones)
    {
        struct node_zone *z = e->value;
        any |= z->count.total > 0;
        all_full &= !z->count.total || zone_state_of(&z->count) == ZONE_FULL;
    }
    if ((any && all_full) != l->all_full)
        log_info(l->all_full ? "nodes are heard of again, lost ones are driven out" : "no node is ready: nobody is driven out", KV("nodes", "%zu", l->nodes.len));
    l->all_full = any && all_full;
    map_foreach(e, &l->zones)
    {
        struct node_zone *z = e->value;
        nsec_t interval = zone_interval(&z->count, l->all_full);
        if (interval == z->interval_ns)
            continue;
        z->interval_ns = interval;
        z->next_at = MIN(z->next_at, loop_now(l->c->opts->loop) + interval);
        loop_timer_stop(l->c->opts->loop, &z->turn);
        turn_set(z);
        queue_out(l, z);
    }
}

static void count_out(struct node_record *n)
{
    if (!n->zone)
        return;
    n->zone->count.total--;
    n->zone->count.ready -= n->counted_ready;
    n->zone = NULL;
}

static void count_in(struct node_record *n, struct node_zone *z)
{
    n->zone = z;
    n->counted_ready = n->ready == NODE_READY_TRUE && !n->silent;
    if (n->counted_ready)
        wait_end(n);
    z->count.total++;
    z->count.ready += n->counted_ready;
}

/* --- hearing of nodes ----------------------------------------------------------------------------------------------------------- */

/* A lease's own time is honoured, so that nodes which renew slowly are fine; one without a lease speaks by its status. */
static nsec_t patience(const struct lifecycle *l, const struct node_record *n)
{
    nsec_t grace = l->c->opts->node_grace_ns ? l->c->opts->node_grace_ns : GRACE_NS;
    return n->lease_ns ? MAX(grace, n->lease_ns) : grace + STATUS_NS;
}

/* Nodes that never said anything are somebody's plan, not lost. */
static bool is_watched(const struct node_record *n)
{
    return n->exists && !n->silent && (n->lease_ns || n->ready != NODE_READY_NONE);
}

static void look_at(struct lifecycle *l, nsec_t at)
{
    struct loop *loop = l->c->opts->loop;
    if (controllers_stopping(l->c->all))
        return;
    nsec_t earliest = loop_now(loop) + LOOK_MIN_NS;
    l->looks_at = MAX(at, earliest);
    loop_timer_set(loop, &l->look, l->looks_at);
}

static void look(struct loop_timer *t)
{
    struct lifecycle *l = container_of(t, struct lifecycle, look);
    nsec_t now = loop_now(l->c->opts->loop), next = 0, late = now - l->looks_at;
    bool any = false;
    if (late > LATE_NS) { /* it is we who slept, and what nodes said meanwhile is still to be read */
        map_foreach(e, &l->nodes)
        {
            struct node_record *n = e->value;
            n->heard_at += n->heard_at ? late : 0;
        }
        log_warn("nodes get more time: this process stood still", KV("seconds", "%lld", (long long)(late / NSEC_PER_SEC)));
    }
    /* all that are silent first, then the zones: a cut that takes many at once must be seen as one */
    map_foreach(e, &l->nodes)
    {
        struct node_record *n = e->value;
        if (!is_watched(n))
            continue;
        nsec_t at = n->heard_at + patience(l, n);
        if (at > now) {
            next = next ? MIN(next, at) : at;
            continue;
        }
        struct node_zone *z = n->zone;
        count_out(n);
        n->silent = true;
        count_in(n, z);
        any = true;
        workqueue_add(l->c->queue, e->key);
    }
    if (any)
        zones_look(l);
    if (next)
        look_at(l, next);
}

static struct node_record *record_get(struct lifecycle *l, str name)
{
    struct node_record *n = map_get(&l->nodes, name);
    if (!n) {
        n = xnew(struct node_record);
        n->name = str_dup(name);
        map_put(&l->nodes, str_of(n->name), n);
    }
    return n;
}

static void record_drop(struct lifecycle *l, struct node_record *n)
{
    wait_end(n);
    count_out(n);
    map_del(&l->nodes, str_of(n->name));
    free(n->name);
    free(n->uid);
    free(n->drives_out);
    free(n);
}

static void heard(struct lifecycle *l, struct node_record *n)
{
    n->heard_at = loop_now(l->c->opts->loop);
    if (n->silent) {
        struct node_zone *z = n->zone;
        count_out(n);
        n->silent = false;
        if (z)
            count_in(n, z);
        zones_look(l);
        workqueue_add(l->c->queue, str_of(n->name));
    }
    nsec_t at = n->heard_at + patience(l, n);
    if (is_watched(n) && (!l->look.slot_ || at < l->looks_at))
        look_at(l, at);
}

/* 2,000 of them a second with 20,000 nodes: no tree is made. */
static void on_lease(struct controller *c, const struct resource *r UNUSED, struct informer_event *ev)
{
    struct lifecycle *l = c->state;
    str spec, renewed = S(""), seconds;
    int64_t life = 0;
    if (!str_is(informer_event_ns(ev), LEASES))
        return;
    struct node_record *n = map_get(&l->nodes, informer_event_name(ev));
    if (ev->change == INFORMER_DELETED) {
        if (n)
            n->lease_ns = 0;
        if (n && !n->exists) /* it had a lease and nothing else */
            record_drop(l, n);
        return;
    }
    if (!raw_member_from(ev->object, S("spec"), &spec) || !raw_member_text(spec, S("renewTime"), &renewed))
        return;
    if (!raw_member(spec, S("leaseDurationSeconds"), &seconds) || !str_to_i64(seconds, &life) || life <= 0)
        life = GRACE_NS / NSEC_PER_SEC;
    n = n ? n : record_get(l, informer_event_name(ev)); /* leases may be listed before nodes */
    n->lease_ns = MIN(life, (int64_t)86400) * NSEC_PER_SEC;
    uint64_t beat = str_hash(renewed);
    if (beat != n->heartbeat || !n->heard_at) {
        n->heartbeat = beat;
        heard(l, n);
    }
}

/* --- nodes ------------------------------------------------------------------------------------------------------------------------ */

static uint64_t status_heartbeat(const struct json *node)
{
    const struct json *list = json_path(node, "status", "conditions", NULL);
    uint64_t h = 0;
    for (uint32_t i = 0; json_is(list, JSON_ARRAY) && i < list->len; i++)
        if (!str_is(json_get_str(&list->items[i], S("status")), "Unknown")) /* those may be our own words */
            h = h * 31 + str_hash(json_get_str(&list->items[i], S("lastHeartbeatTime")));
    return h;
}

static char *no_execute_text(struct arena *a, const struct json *node)
{
    const struct json *taints = json_path(node, "spec", "taints", NULL);
    struct json out = json_array();
    for (uint32_t i = 0; json_is(taints, JSON_ARRAY) && i < taints->len; i++)
        if (str_is(json_get_str(&taints->items[i], S("effect")), "NoExecute"))
            json_push(a, &out, taints->items[i]);
    return out.len ? str_dup(json_text(a, &out)) : NULL;
}

/* Its pods may have to go, or may stay after all. */
static void evictions_look(struct lifecycle *l, const struct node_record *n)
{
    struct controller *evict = controllers_find(l->c->all, &controller_taint_eviction);
    pod_cache_foreach_node(p, pod_cache_node(&workloads_of(l->c)->pods, str_of(n->name))) workqueue_add(evict->queue, p->key);
}

static void take_taints(struct lifecycle *l, struct node_record *n, struct arena *a, const struct json *node)
{
    char *fresh = no_execute_text(a, node);
    bool same = (!fresh && !n->drives_out) || (fresh && n->drives_out && strcmp(fresh, n->drives_out) == 0);
    free(n->drives_out);
    n->drives_out = fresh;
    if (!same)
        evictions_look(l, n);
}

static enum node_drive drive_of(const struct node_record *n)
{
    if (!n->zone || !n->zone->interval_ns)
        return NODE_DRIVE_NEVER;
    return n->granted ? NODE_DRIVE_YES : NODE_DRIVE_LATER;
}

static void take_node(struct lifecycle *l, struct arena *a, const struct json *node)
{
    const struct json *meta = json_get(node, S("metadata"));
    struct node_record *n = record_get(l, json_get_str(meta, S("name")));
    str uid = json_get_str(meta, S("uid"));
    if (!n->exists || !n->uid || !str_is(uid, n->uid)) { /* another one of the same name begins anew */
        free(n->uid);
        n->uid = str_dup(uid);
        n->silent = false;
        n->heard_at = 0;
    }
    n->exists = true;
    n->round = l->round;
    uint64_t beat = status_heartbeat(node);
    bool spoke = beat && beat != n->status_beat; /* a status is a sign of life beside the lease: who reports is not silent */
    if (beat)
        n->status_beat = beat;
    count_out(n);
    n->ready = node_ready_of(node);
    count_in(n, zone_get(l, zone_key_of(a, node)));
    if (spoke || !n->heard_at)
        heard(l, n);
    zones_look(l);
    take_taints(l, n, a, node);
    struct node_plan p = node_plan_make(a, node, n->silent, drive_of(n), S(""));
    if (p.wants_drive)
        wait_for_turn(n);
    if (p.write_status || p.write_taints)
        workqueue_add(l->c->queue, str_of(n->name));
}

static void on_node(struct controller *c, const struct resource *r UNUSED, struct informer_event *ev)
{
    struct lifecycle *l = c->state;
    if (ev->change == INFORMER_DELETED) {
        struct node_record *n = map_get(&l->nodes, informer_event_name(ev));
        if (n)
            record_drop(l, n);
        zones_look(l);
        return;
    }
    const struct json *node = informer_event_object(ev);
    if (node)
        take_node(l, ev->arena_, node);
}

static void on_nodes_begin(struct controller *c, const struct resource *r UNUSED)
{
    struct lifecycle *l = c->state;
    l->round++;
}

/* What a new list does not show is gone. */
static void on_nodes_synced(struct controller *c, const struct resource *r UNUSED)
{
    struct lifecycle *l = c->state;
    VEC(struct node_record *) gone = {0};
    map_foreach(e, &l->nodes)
    {
        struct node_record *n = e->value;
        if (n->exists && n->round != l->round)
            vec_push(&gone, n);
    }
    for (size_t i = 0; i < gone.len; i++)
        record_drop(l, gone.p[i]);
    vec_fini(&gone);
    zones_look(l);
}

/* --- one node --------------------------------------------------------------------------------------------------------------------- */

struct run {
    struct json node;
    struct node_plan plan;
    struct ops ops;
};

static str path_of(struct job *j, const char *sub)
{
    struct strbuf b = strbuf_on(&j->arena);
    strbuf_add_str(&b, S("/api/v1/nodes/"));
    resource_path_segment(&b, j->key);
    strbuf_addf(&b, "%s", sub);
    return strbuf_str(&b);
}

static void finish(struct job *j)
{
    struct run *r = j->state;
    for (size_t i = 0; i < r->ops.len; i++) {
        struct event_ref ref = event_ref_of(&r->ops.p[i].answer, "v1", "Pod");
        if (r->ops.p[i].status == 200)
            controller_event(j->c, COMPONENT, &ref, EVENT_WARNING, "NodeNotReady", "Node is not ready");
    }
    job_end(j, ops_failure(&r->ops) ? WORK_RETRY : WORK_OK);
}

/* Nobody answers for what runs there: services stop sending to it. */
static void mark_pods(struct job *j)
{
    struct run *r = j->state;
    struct arena *a = &j->arena;
    if (node_ready_of(&r->node) == NODE_READY_UNKNOWN) {
        pod_cache_foreach_node(p, pod_cache_node(&workloads_of(j->c)->pods, j->key))
        {
            if (!p->ready)
                continue;
            struct json patch = json_literal(a, "{\"metadata\":{},\"status\":{\"conditions\":[{\"type\":\"Ready\",\"status\":\"False\",\"reason\":\"NodeNotReady\"}]}}");
            json_set(a, json_get(&patch, S("metadata")), S("uid"), json_string(arena_str(a, p->uid)));
            json_set(a, &json_path(&patch, "status", "conditions", NULL)->items[0], S("lastTransitionTime"), json_string(now_text(a, j->c->opts->clock)));
            ops_add(a, &r->ops, (struct op){.type = OP_POD_PATCH, .method = S("PATCH"), .content_type = S("application/strategic-merge-patch+json"), .body = patch,
                                            .key = arena_str(a, p->key), .uid = arena_str(a, p->uid),
                                            .path = arena_fmt(a, "/api/v1/namespaces/" STR_FMT "/pods/" STR_FMT "/status", STR_ARG(p->ns), STR_ARG(p->name))});
        }
    }
    ops_run(j, &r->ops, finish);
}

static void wrote_taints(struct job *j)
{
    struct lifecycle *l = j->c->state;
    struct run *r = j->state;
    struct node_record *n = map_get(&l->nodes, j->key);
    if (!job_ok(j)) {
        job_end_status(j);
        return;
    }
    if (r->plan.drives && n)
        n->granted = false; /* it had its turn */
    if (r->plan.lost) {
        struct event_ref ref = event_ref_of(&r->node, "v1", "Node");
        controller_event(j->c, COMPONENT, &ref, EVENT_NORMAL, "NodeNotReady", "Node " STR_FMT " status is now: NodeNotReady", STR_ARG(j->key));
    }
    mark_pods(j);
}

static void write_taints(struct job *j)
{
    struct run *r = j->state;
    struct json patch = patch_of(&j->arena, &r->node);
    if (!r->plan.write_taints) {
        mark_pods(j);
        return;
    }
    json_set(&j->arena, json_ensure_object(&j->arena, &patch, S("spec")), S("taints"), r->plan.taints.len ? r->plan.taints : json_null());
    job_call(j, S("PATCH"), path_of(j, ""), &patch, wrote_taints);
}

static void wrote_status(struct job *j)
{
    struct run *r = j->state;
    if (!job_ok(j)) {
        job_end_status(j);
        return;
    }
    r->node = j->answer; /* with its new revision */
    write_taints(j);
}

static void got_node(struct job *j)
{
    struct lifecycle *l = j->c->state;
    struct run *r = j->state;
    struct node_record *n = map_get(&l->nodes, j->key);
    if (!job_ok(j) || !n || !n->exists || !str_is(json_get_str(json_get(&j->answer, S("metadata")), S("uid")), n->uid)) {
        job_end_status(j);
        return;
    }
    r->node = j->answer;
    r->plan = node_plan_make(&j->arena, &r->node, n->silent, drive_of(n), now_text(&j->arena, j->c->opts->clock));
    if (r->plan.wants_drive)
        wait_for_turn(n);
    if (!r->plan.write_status) {
        write_taints(j);
        return;
    }
    log_warn("a node is silent", KV("node", "%s", n->name));
    struct json patch = patch_of(&j->arena, &r->node);
    json_set(&j->arena, json_ensure_object(&j->arena, &patch, S("status")), S("conditions"), r->plan.conditions);
    job_call(j, S("PATCH"), path_of(j, "/status"), &patch, wrote_status);
}

static void reconcile(struct job *j)
{
    j->state = arena_new(&j->arena, struct run);
    job_call(j, S("GET"), path_of(j, ""), NULL, got_node);
}

static void init(struct controller *c)
{
    struct lifecycle *l = c->state = xnew(struct lifecycle);
    l->c = c;
    l->look.fire = look;
}

static void fini(struct controller *c)
{
    struct lifecycle *l = c->state;
    loop_timer_stop(c->opts->loop, &l->look);
    map_foreach(e, &l->nodes)
    {
        struct node_record *n = e->value;
        free(n->name);
        free(n->uid);
        free(n->drives_out);
        free(n);
    }
    map_foreach(e, &l->zones)
    {
        struct node_zone *z = e->value;
        loop_timer_stop(c->opts->loop, &z->turn);
        free(z->key);
        free(z);
    }
    map_fini(&l->nodes);
    map_fini(&l->zones);
    free(l);
}

const struct controller_type controller_node_lifecycle = {
    .name = "node-lifecycle",
    .parallel = 8,
    .watches = {{.group = "", .plural = "nodes", .event = on_node, .begin = on_nodes_begin, .synced = on_nodes_synced},
                {.group = "coordination.k8s.io", .plural = "leases", .event = on_lease}},
    .init = init,
    .fini = fini,
    .reconcile = reconcile,
};
