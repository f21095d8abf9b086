/* daemonset.c - a pod of the template on every node that it fits.
 *
 *   claim ─► revision of the template ─► plan over the nodes ─► deletes, creates ─► status
 *
 * Pods are pinned to their node by required node affinity and go through the scheduler as all pods do. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "controllers/daemonset_plan.h"
#include "controllers/events.h"
#include "controllers/node_match.h"
#include "controllers/revisions.h"

#define BURST 250 /* creates or deletes of one run */

struct run {
    struct workload w; /* first: the claim hands it back */
    struct revisions revisions;
    struct daemon_plan plan;
    struct ops ops;
    bool more;
    nsec_t wait; /* until a pod that ended may be replaced; 0: none waits */
};

/* Daemons stay where others are kept away. */
static const char daemon_tolerations[] =
    "[{\"key\":\"node.kubernetes.io/not-ready\",\"operator\":\"Exists\",\"effect\":\"NoExecute\"},"
    "{\"key\":\"node.kubernetes.io/unreachable\",\"operator\":\"Exists\",\"effect\":\"NoExecute\"},"
    "{\"key\":\"node.kubernetes.io/disk-pressure\",\"operator\":\"Exists\",\"effect\":\"NoSchedule\"},"
    "{\"key\":\"node.kubernetes.io/memory-pressure\",\"operator\":\"Exists\",\"effect\":\"NoSchedule\"},"
    "{\"key\":\"node.kubernetes.io/pid-pressure\",\"operator\":\"Exists\",\"effect\":\"NoSchedule\"},"
    "{\"key\":\"node.kubernetes.io/unschedulable\",\"operator\":\"Exists\",\"effect\":\"NoSchedule\"}]";

static struct json tolerations_of(struct arena *a, const struct json *spec)
{
    const struct json *own = json_get(spec, S("tolerations"));
    struct json all = json_is(own, JSON_ARRAY) ? json_copy(a, own) : json_array(), more = json_literal(a, daemon_tolerations);
    for (uint32_t i = 0; i < more.len; i++)
        json_push(a, &all, more.items[i]);
    if (json_get_bool(spec, S("hostNetwork"), false))
        json_push(a, &all, json_literal(a, "{\"key\":\"node.kubernetes.io/network-unavailable\",\"operator\":\"Exists\",\"effect\":\"NoSchedule\"}"));
    return all;
}

/* --- pods ---------------------------------------------------------------------------------------------------------------------------- */

/* Replaces what the terms say about names: {"matchFields":[{"key":"metadata.name","operator":"In","values":[NODE]}]} in each. */
static void pin(struct arena *a, struct json *spec, str node)
{
    struct json field = json_literal(a, "{\"key\":\"metadata.name\",\"operator\":\"In\",\"values\":[]}"), fields = json_array();
    json_push(a, json_get(&field, S("values")), json_string(node));
    json_push(a, &fields, field);
    struct json *required = json_ensure_object(a, json_ensure_object(a, json_ensure_object(a, spec, S("affinity")), S("nodeAffinity")),
                                               S("requiredDuringSchedulingIgnoredDuringExecution"));
    struct json *terms = json_get(required, S("nodeSelectorTerms"));
    if (!json_is(terms, JSON_ARRAY) || !terms->len) {
        terms = json_set(a, required, S("nodeSelectorTerms"), json_array());
        json_push(a, terms, json_object());
    }
    for (uint32_t i = 0; i < terms->len; i++)
        json_set(a, &terms->items[i], S("matchFields"), json_copy(a, &fields));
}

static struct json make_pod(struct job *j, struct run *r, str node)
{
    struct arena *a = &j->arena;
    struct json pod = workload_pod(a, &r->w, json_get(r->w.spec, S("template")), arena_cat(a, r->w.name, S("-")), true), *spec = json_get(&pod, S("spec"));
    json_set(a, json_ensure_object(a, json_get(&pod, S("metadata")), S("labels")), S(REVISION_LABEL), json_string(r->revisions.hash));
    json_set(a, spec, S("tolerations"), tolerations_of(a, spec));
    pin(a, spec, node);
    return pod;
}

/* --- nodes ------------------------------------------------------------------------------------------------------------------------------ */

struct daemon_nodes {
    struct daemon_node *p;
    size_t n;
    struct map by_name;
};

static void add_pod(struct arena *a, struct daemon_node *n, struct pod_record *p)
{
    if ((n->npods & (n->npods - 1)) == 0) /* full: 0, 1, 2, 4, ... */
        n->pods = arena_grow(a, n->pods, n->npods * sizeof *n->pods, (n->npods ? n->npods * 2 : 1) * sizeof *n->pods);
    n->pods[n->npods++] = p;
}

static void gather(struct job *j, struct run *r, struct daemon_nodes *nodes)
{
    struct arena *a = &j->arena;
    struct object_cache *cache = &r->w.all->objects[WORKLOAD_NODE];
    const struct json *spec = json_path(r->w.spec, "template", "spec", NULL);
    struct json tolerations = tolerations_of(a, spec);
    struct list *owned = pod_cache_owned(&r->w.all->pods, r->w.uid);
    size_t npods = 0;
    pod_cache_foreach(q, owned) npods += q != NULL;
    nodes->p = arena_array(a, cache->objects_.len + npods + 1, struct daemon_node); /* pods may be on nodes that are gone */
    object_foreach_namespace(o, object_cache_namespace(cache, S("")))
    {
        const struct json *node = object_tree(o);
        struct daemon_node *n = &nodes->p[nodes->n++];
        bool fits = node_fits(spec, node);
        n->name = arena_str(a, o->name);
        n->should_stay = fits && node_tolerated(&tolerations, node, S("NoExecute"));
        n->should_run = n->should_stay && node_tolerated(&tolerations, node, S("NoSchedule"));
        map_put(&nodes->by_name, n->name, n);
    }
    pod_cache_foreach(p, owned)
    {
        str name = p->node.len ? p->node : p->pinned;
        struct daemon_node *n = map_get(&nodes->by_name, name);
        if (!n) {
            n = &nodes->p[nodes->n++];
            n->name = arena_str(a, name);
            map_put(&nodes->by_name, n->name, n);
        }
        add_pod(a, n, p);
    }
}

/* --- pods that ended ---------------------------------------------------------------------------------------------------------------------- */

static void forget_old(struct map *failures, nsec_t now)
{
    VEC(str) old = {0};
    map_foreach(e, failures)
    {
        if (daemon_failure_is_over(e->value, now))
            vec_push(&old, e->key);
    }
    for (size_t i = 0; i < old.len; i++) {
        free(map_get(failures, old.p[i]));
        map_del(failures, old.p[i]);
        free((char *)old.p[i].p);
    }
    vec_fini(&old);
}

static struct daemon_failure *failure_of(struct job *j, const struct run *r, str node)
{
    struct map *failures = j->c->state;
    str key = arena_fmt(&j->arena, STR_FMT "/" STR_FMT, STR_ARG(r->w.uid), STR_ARG(node));
    struct daemon_failure *f = map_get(failures, key);
    if (f)
        return f;
    forget_old(failures, r->w.now);
    f = xnew(struct daemon_failure);
    map_put(failures, str_of(str_dup(key)), f);
    return f;
}

static void hold_failed(struct job *j, struct run *r, struct daemon_nodes *nodes)
{
    for (size_t i = 0; i < nodes->n; i++) {
        struct daemon_node *n = &nodes->p[i];
        bool ended = false;
        for (size_t k = 0; k < n->npods; k++)
            ended |= pod_is_finished(n->pods[k]) && !pod_is_gone(n->pods[k]);
        nsec_t left = ended && n->should_stay ? daemon_failure_left(failure_of(j, r, n->name), r->w.now) : 0;
        n->failed_waits = left > 0;
        if (left && (!r->wait || left < r->wait))
            r->wait = left;
    }
}

/* --- steps ------------------------------------------------------------------------------------------------------------------------------ */

static void ended(struct job *j)
{
    struct run *r = j->state;
    if ((!job_ok(j) && !job_not_found(j)) || ops_failure(&r->ops))
        job_end(j, WORK_RETRY);
    else if (r->more)
        job_end_after(j, 0);
    else if (r->plan.after)
        job_end_after(j, r->plan.after);
    else
        job_end(j, WORK_OK);
}

static void write_status(struct job *j)
{
    struct run *r = j->state;
    struct arena *a = &j->arena;
    const struct json *old = json_get(&r->w.obj, S("status"));
    struct json st = old ? json_copy(a, old) : json_object();
    workload_pod_events(j, &r->w, &r->ops);
    const struct daemon_plan *p = &r->plan;
    json_set(a, &st, S("currentNumberScheduled"), json_int(a, p->current));
    json_set(a, &st, S("numberMisscheduled"), json_int(a, p->misscheduled));
    json_set(a, &st, S("desiredNumberScheduled"), json_int(a, p->desired));
    json_set(a, &st, S("numberReady"), json_int(a, p->ready));
    status_int(a, &st, "updatedNumberScheduled", p->updated);
    status_int(a, &st, "numberAvailable", p->available);
    status_int(a, &st, "numberUnavailable", p->desired - p->available);
    status_int(a, &st, "observedGeneration", json_get_int(r->w.meta, S("generation"), 0));
    workload_status(j, &r->w, &st, ended);
}

static void got_revision(struct job *j, struct revisions *revisions UNUSED)
{
    struct run *r = j->state;
    struct arena *a = &j->arena;
    const struct json *strategy = json_get(r->w.spec, S("updateStrategy")), *rolling = json_get(strategy, S("rollingUpdate"));
    struct daemon_nodes nodes = {0};
    gather(j, r, &nodes);
    int64_t wanted = 0;
    for (size_t i = 0; i < nodes.n; i++)
        wanted += nodes.p[i].should_run;
    struct daemon_opts o = {.hash = r->revisions.hash, .now = r->w.now, .min_ready = workload_seconds(r->w.spec, S("minReadySeconds")),
                            .on_delete = str_is(json_get_str(strategy, S("type")), "OnDelete"),
                            .max_surge = int_or_percent(json_get(rolling, S("maxSurge")), wanted, true, 0),
                            .max_unavailable = int_or_percent(json_get(rolling, S("maxUnavailable")), wanted, true, 1)};
    hold_failed(j, r, &nodes);
    daemonset_plan(a, nodes.p, nodes.n, &o, &r->plan);
    if (r->wait && (!r->plan.after || r->wait < r->plan.after))
        r->plan.after = r->wait;
    map_fini(&nodes.by_name);
    r->more = r->plan.ncreates > BURST || r->plan.ndeletes > BURST;
    if (!object_deleting(&r->w.obj)) {
        for (size_t i = 0; i < MIN(r->plan.ndeletes, (size_t)BURST); i++)
            ops_add_delete(a, &r->ops, r->plan.deletes[i]);
        for (size_t i = 0; i < MIN(r->plan.ncreates, (size_t)BURST); i++)
            ops_add_create(a, &r->ops, &r->w, make_pod(j, r, r->plan.creates[i]));
        revisions_trim(j, &r->w, &r->revisions, &r->ops);
    }
    ops_run(j, &r->ops, write_status);
}

static void claimed(struct job *j)
{
    struct run *r = j->state;
    if (object_deleting(&r->w.obj))
        job_end(j, WORK_OK);
    else
        revisions_sync(j, &r->w, &r->revisions, got_revision);
}

static void reconcile(struct job *j)
{
    struct run *r = arena_new(&j->arena, struct run);
    if (workload_begin(j, &r->w, WORKLOAD_DAEMONSET))
        workload_claim(j, &r->w, claimed);
}

static void on_node(void *arg, const struct object *was UNUSED, const struct object *now UNUSED)
{
    struct controller *c = arg;
    if (workloads_of(c)->synced)
        workloads_queue_all(c, WORKLOAD_DAEMONSET);
}

static void on_revision(void *arg, const struct object *was, const struct object *now)
{
    struct controller *c = arg;
    struct workloads *all = workloads_of(c);
    struct object *owner = object_cache_find_uid(&all->objects[WORKLOAD_DAEMONSET], now ? now->owner_uid : was->owner_uid);
    if (all->synced && owner)
        workqueue_add(c->queue, owner->key);
}

static void init(struct controller *c)
{
    struct workloads *all = workloads_of(c);
    c->state = xnew(struct map); /* "uid/node" -> struct daemon_failure; a restart forgets them, which costs one pod a node */
    workloads_join(c, WORKLOAD_DAEMONSET);
    object_cache_subscribe(&all->objects[WORKLOAD_NODE], on_node, c);
    object_cache_subscribe(&all->objects[WORKLOAD_REVISION], on_revision, c);
}

static void fini(struct controller *c)
{
    struct map *failures = c->state;
    map_foreach(e, failures)
    {
        free(e->value);
        free((char *)e->key.p);
    }
    map_fini(failures);
    free(failures);
}

const struct controller_type controller_daemonset = {.name = "daemonset", .parallel = 8, .init = init, .fini = fini, .reconcile = reconcile};
