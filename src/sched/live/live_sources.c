/* live_sources.c - what the scheduler follows: one informer for each kind, in two waves.
 *
 *   nodes, namespaces, volumes, claims, classes, budgets, priorities ─► all listed ─► pods and groups ─► all listed ─► decisions begin
 * Nodes come first because a pod whose node is unknown is kept in a list that every new node searches.  A kind that the server does not have (discovery says
 * so) is not waited for; one that it has and does not hand out is waited for PATIENCE_NS.  Discovery is asked again from time to time: PodGroups are custom resources, which
 * come and go.
 * A list after a gap shows everything again; what the former lists had and this one has not is gone.  Each source keeps the names of its objects for that; pods have their
 * notes. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/live/live_internal.h"

#define PATIENCE_NS (10 * NSEC_PER_SEC)
#define RETRY_NS NSEC_PER_SEC

static const struct source_type {
    const char *group;
    const char *version; /* NULL: the one that the server prefers */
    const char *plural, *kind;
    enum live_kind what;
    bool second; /* wave */
    bool is_custom; /* a server that has the group need not have it */
} types[] = {
    {"", "v1", "nodes", "Node", KIND_NODE, false, false},
    {"", "v1", "namespaces", "Namespace", KIND_NAMESPACE, false, false},
    {"", "v1", "persistentvolumes", "PersistentVolume", KIND_PV, false, false},
    {"", "v1", "persistentvolumeclaims", "PersistentVolumeClaim", KIND_PVC, false, false},
    {"storage.k8s.io", "v1", "storageclasses", "StorageClass", KIND_STORAGE_CLASS, false, false},
    {"storage.k8s.io", "v1", "csinodes", "CSINode", KIND_CSINODE, false, false},
    {"policy", "v1", "poddisruptionbudgets", "PodDisruptionBudget", KIND_PDB, false, false},
    {"scheduling.k8s.io", "v1", "priorityclasses", "PriorityClass", KIND_PRIORITY_CLASS, false, false},
    {"scheduling.run.ai", "v2", "queues", "Queue", KIND_QUEUE, false, true},
    {"kai.scheduler", "v1", "schedulingshards", "SchedulingShard", KIND_SHARD, false, true},
    {"kai.scheduler", "v1alpha1", "topologies", "Topology", KIND_TOPOLOGY, false, true},
    {"scheduling.k8s.io", "v1alpha1", "workloads", "Workload", KIND_WORKLOAD, false, true},
    {"scheduling.godel.kubewharf.io", NULL, "reservations", "Reservation", KIND_RESERVATION, false, true},
    {"scheduling.godel.kubewharf.io", NULL, "movements", "Movement", KIND_MOVEMENT, false, true},
    {"kuscia.secretflow", NULL, "clusterdomainroutes", "ClusterDomainRoute", KIND_ROUTE, false, true},
    {"kuscia.secretflow", NULL, "domainroutes", "DomainRoute", KIND_ROUTE, false, true},
    {"", "v1", "pods", "Pod", KIND_POD, true, false},
    {"scheduling.run.ai", "v2alpha2", "podgroups", "PodGroup", KIND_GROUP, true, true}, /* what is preferred there has queues only */
    {"scheduling.godel.kubewharf.io", NULL, "podgroups", "PodGroup", KIND_GROUP, true, true},
    {"scheduling.x-k8s.io", NULL, "podgroups", "PodGroup", KIND_GROUP, true, true},
    {"scheduling.sigs.k8s.io", NULL, "podgroups", "PodGroup", KIND_GROUP, true, true},
    {"scheduling.volcano.sh", NULL, "podgroups", "PodGroup", KIND_GROUP, true, true},
    {"kuscia.secretflow", NULL, "taskresourcegroups", "TaskResourceGroup", KIND_GROUP, true, true},
};

struct source {
    const struct source_type *type;
    struct live_sources *all;
    struct informer *inf;   /* NULL: not followed */
    char version[64];       /* in use, or to be looked at */
    char api_version[192];
    bool is_served;         /* discovery says so; core is always */
    bool to_check;          /* the group is there: is the resource? */
    uint32_t listing;
    struct map names;       /* "ns/name" -> listing; keys are ours; not for pods */
};
struct live_sources {
    struct live *l;
    struct source list[ARRAY_LEN(types)];
    struct client_call call; /* discovery */
    struct strbuf path; /* of the call */
    struct strbuf key;  /* scratch */
    bool calling, discovered, second, told, impatient, stopping;
    size_t checking; /* index in list */
    struct loop_timer timer, patience;
    VEC(struct informer *) ending; /* asked to stop */
    unsigned stopping_informers;
    struct arena arena;
};

static void look_whether_synced(struct live_sources *x);

/* --- objects --------------------------------------------------------------------------------------------------------------------------------- */
static void note_name(struct source *s, struct informer_event *ev)
{
    struct strbuf *b = &s->all->key;
    if (s->type->what == KIND_POD)
        return; /* notes */
    strbuf_clear(b);
    strbuf_add_str(b, informer_event_ns(ev));
    strbuf_add_char(b, '/');
    strbuf_add_str(b, informer_event_name(ev));
    struct map_entry *e = map_find(&s->names, strbuf_str(b));
    if (ev->change == INFORMER_DELETED) {
        char *key = e ? (char *)e->key.p : NULL;
        map_del(&s->names, strbuf_str(b));
        free(key);
    } else if (e) {
        e->value = (void *)(uintptr_t)s->listing;
    } else {
        str key = strbuf_str(b);
        map_put(&s->names, str_n(str_dup(key), key.len), (void *)(uintptr_t)s->listing);
    }
}

/* Items of a list need not say what they are. */
static void say_kind(struct source *s, struct arena *a, struct json *obj)
{
    if (!json_get(obj, S("kind")))
        json_set(a, obj, S("kind"), json_string(str_of(s->type->kind)));
    if (!json_get(obj, S("apiVersion")))
        json_set(a, obj, S("apiVersion"), json_string(str_of(s->api_version)));
}

static void on_event(struct informer *inf, struct informer_event *ev)
{
    struct source *s = informer_owner(inf);
    struct live *l = s->all->l;
    bool may_be_twin = s->type->what == KIND_POD && !live_reserves_any(l) && !live_moves_any(l); /* those look at each pod */
    note_name(s, ev);
    live_policy_charge(l);
    if (ev->change == INFORMER_DELETED) {
        if (s->type->what == KIND_POD && str_find(ev->object, S("godel.bytedance.com/reservation\"")) >= 0 && informer_event_object(ev))
            live_reserve_leaving(l, informer_event_object(ev)); /* deleted at once */
        live_feed_delete(l, s->type->what, informer_event_ns(ev), informer_event_name(ev));
    } else if (!may_be_twin || !live_twin_take(l, ev->object)) {
        const struct json *tree = informer_event_object(ev);
        if (!tree)
            return;
        struct json obj = *tree; /* a handle of our own: what is added stays with us */
        arena_reset(&s->all->arena);
        say_kind(s, &s->all->arena, &obj);
        if (!live_feed_put(l, s->type->what, &s->all->arena, &obj))
            return;
        if (may_be_twin)
            live_twin_learn(l);
    }
    live_wake(l);
}

static void on_begin(struct informer *inf)
{
    struct source *s = informer_owner(inf);
    s->listing++;
    if (s->type->what == KIND_POD)
        s->all->l->pod_listing++;
    s->all->l->m.lists++;
}

static void delete_key(struct source *s, str key)
{
    str name = key, ns;
    str_cut(&name, '/', &ns);
    live_feed_delete(s->all->l, s->type->what, ns, name);
}

/* Of the names those that the last list had not; of all lists: everything. */
static void sweep(struct source *s, bool all)
{
    VEC(str) gone = {0};
    map_foreach(e, &s->names) {
        if (all || (uint32_t)(uintptr_t)e->value != s->listing)
            vec_push(&gone, e->key);
    }
    for (size_t i = 0; i < gone.len; i++) {
        map_del(&s->names, gone.p[i]);
        delete_key(s, gone.p[i]);
        free((char *)gone.p[i].p);
    }
    vec_fini(&gone);
}

static void on_synced(struct informer *inf)
{
    struct source *s = informer_owner(inf);
    if (s->type->what == KIND_POD)
        live_pods_sweep(s->all->l);
    else
        sweep(s, false);
    live_wake(s->all->l);
    look_whether_synced(s->all);
}

/* --- starting and ending one ------------------------------------------------------------------------------------------------------------------- */
static void start(struct source *s)
{
    struct live_sources *x = s->all;
    ARENA_AUTO a = ARENA_INIT;
    const struct source_type *t = s->type;
    if (s->inf || x->stopping)
        return;
    snprintf(s->api_version, sizeof s->api_version, "%s%s%s", t->group, t->group[0] ? "/" : "", s->version);
    str path = arena_fmt(&a, "/%s/%s/%s", t->group[0] ? "apis" : "api", s->api_version, t->plural);
    s->inf = informer_new(&(struct informer_opts){.transport = x->l->opts.transport, .loop = x->l->opts.loop, .path = path, .query = S(""), .begin = on_begin, .event = on_event,
                                                  .synced = on_synced, .owner = s});
    if (t->what == KIND_QUEUE)
        live_policy_start(x->l);
}

static void on_stopped(struct informer *inf)
{
    struct live_sources *x = ((struct source *)informer_owner(inf))->all;
    for (size_t i = 0; i < x->ending.len; i++)
        if (x->ending.p[i] == inf) {
            vec_remove_swap(&x->ending, i);
            break;
        }
    informer_free(inf);
    if (--x->stopping_informers == 0 && x->stopping && !x->calling)
        live_stop_step(x->l);
}

static void end(struct source *s)
{
    if (!s->inf)
        return;
    s->all->stopping_informers++;
    vec_push(&s->all->ending, s->inf);
    informer_stop(TAKE(s->inf), on_stopped);
}

/* The server does not have it any more. */
static void drop(struct source *s)
{
    if (!s->inf)
        return;
    log_info("no longer served", KV("resource", "%s.%s", s->type->plural, s->type->group));
    end(s);
    sweep(s, true);
    live_wake(s->all->l);
}

/* --- discovery ------------------------------------------------------------------------------------------------------------------------------------ */
static void ask(struct live_sources *x)
{
    x->calling = true;
    x->call.path = strbuf_str(&x->path);
    x->l->opts.transport->call(x->l->opts.transport, &x->call);
}

static void start_wave(struct live_sources *x)
{
    for (size_t i = 0; i < ARRAY_LEN(x->list); i++)
        if (x->list[i].is_served && (x->second || !x->list[i].type->second))
            start(&x->list[i]);
}

static void groups_done(struct live_sources *x)
{
    x->discovered = true;
    start_wave(x);
    loop_timer_set(x->l->opts.loop, &x->timer, loop_now(x->l->opts.loop) + LIVE_DISCOVER_NS);
    look_whether_synced(x);
}

/* Asks for the resources of the next group that may have PodGroups. */
static void check_next(struct live_sources *x)
{
    for (; x->checking < ARRAY_LEN(x->list); x->checking++) {
        struct source *s = &x->list[x->checking];
        if (!s->to_check)
            continue;
        strbuf_clear(&x->path);
        strbuf_addf(&x->path, "/apis/%s/%s", s->type->group, s->version);
        ask(x);
        return;
    }
    groups_done(x);
}

static bool has_resource(const struct json *list, const char *plural)
{
    const struct json *resources = json_get(list, S("resources"));
    for (size_t i = 0; json_is(resources, JSON_ARRAY) && i < resources->len; i++)
        if (str_is(json_get_str(&resources->items[i], S("name")), plural))
            return true;
    return false;
}

static void checked(struct live_sources *x, const struct json *answer)
{
    struct source *s = &x->list[x->checking++];
    s->to_check = false;
    s->is_served = has_resource(answer, s->type->plural);
    if (!s->is_served)
        drop(s);
}

/* Of the group's entry in /apis: is the version there, or which is preferred? */
static bool pick_version(const struct json *group, const struct source_type *t, char version[64])
{
    if (!t->version) {
        str v = json_get_str(json_get(group, S("preferredVersion")), S("version"));
        snprintf(version, 64, STR_FMT, STR_ARG(v));
        return v.len > 0 && v.len < 64;
    }
    const struct json *versions = json_get(group, S("versions"));
    snprintf(version, 64, "%s", t->version);
    for (size_t i = 0; json_is(versions, JSON_ARRAY) && i < versions->len; i++)
        if (str_is(json_get_str(&versions->items[i], S("version")), t->version))
            return true;
    return false;
}

static void read_group(struct source *s, const struct json *groups)
{
    char version[64] = "";
    bool found = false;
    for (size_t i = 0; i < groups->len && !found; i++)
        found = str_is(json_get_str(&groups->items[i], S("name")), s->type->group) && pick_version(&groups->items[i], s->type, version);
    bool moved = found && s->inf && strcmp(version, s->version) != 0;
    if (!found || moved)
        drop(s);
    if (!found) {
        s->is_served = false;
        return;
    }
    snprintf(s->version, sizeof s->version, "%s", version);
    if (s->type->is_custom)
        s->to_check = true;
    else
        s->is_served = true;
}

static void call_done(struct client_call *c)
{
    struct live_sources *x = container_of(c, struct live_sources, call);
    struct json answer = json_null();
    ARENA_AUTO a = ARENA_INIT;
    struct err err;
    x->calling = false;
    if (x->stopping) {
        if (!x->stopping_informers)
            live_stop_step(x->l);
        return;
    }
    bool ok = c->status == 200 && json_parse(&a, c->response, NULL, &answer, &err) == 0;
    const struct json *groups = json_get(&answer, S("groups"));
    bool is_list = x->checking == SIZE_MAX;
    if (!ok && !(c->status == 404 && !is_list)) {
        loop_timer_set(x->l->opts.loop, &x->timer, loop_now(x->l->opts.loop) + RETRY_NS);
        return;
    }
    if (!is_list) {
        checked(x, &answer);
    } else {
        static const struct json none = {.type = JSON_ARRAY};
        for (size_t i = 0; i < ARRAY_LEN(x->list); i++)
            if (x->list[i].type->group[0])
                read_group(&x->list[i], json_is(groups, JSON_ARRAY) ? groups : &none);
        x->checking = 0;
    }
    check_next(x);
}

static void discover(struct loop_timer *t)
{
    struct live_sources *x = container_of(t, struct live_sources, timer);
    x->checking = SIZE_MAX;
    strbuf_clear(&x->path);
    strbuf_addf(&x->path, "/apis");
    ask(x);
}

/* --- is everything there? --------------------------------------------------------------------------------------------------------------------------- */
static const struct source *missing(const struct live_sources *x, bool second)
{
    for (size_t i = 0; i < ARRAY_LEN(x->list); i++)
        if (x->list[i].type->second == second && x->list[i].is_served && !(x->list[i].inf && informer_is_synced(x->list[i].inf)))
            return &x->list[i];
    return NULL;
}

static bool has_listed(const struct live_sources *x, enum live_kind what)
{
    for (size_t i = 0; i < ARRAY_LEN(x->list); i++)
        if (x->list[i].type->what == what)
            return x->list[i].inf && informer_is_synced(x->list[i].inf);
    return false;
}

/* What must be there is; the rest has a while to come. */
static bool wave_is_over(struct live_sources *x, bool second)
{
    struct loop *loop = x->l->opts.loop;
    const struct source *waits = missing(x, second);
    if (!has_listed(x, second ? KIND_POD : KIND_NODE))
        return false;
    if (x->discovered && !waits) {
        loop_timer_stop(loop, &x->patience);
    } else if (!x->impatient) {
        if (!x->patience.slot_)
            loop_timer_set(loop, &x->patience, loop_now(loop) + PATIENCE_NS);
        return false;
    } else {
        log_warn("goes on without a list", KV("of", "%s", waits ? waits->type->plural : "API groups"));
    }
    x->impatient = false;
    return true;
}

static void look_whether_synced(struct live_sources *x)
{
    if (x->stopping || x->told)
        return;
    if (!x->second) {
        if (!wave_is_over(x, false))
            return;
        x->second = true;
        start_wave(x);
    }
    if (wave_is_over(x, true)) {
        x->told = true;
        live_sources_synced(x->l);
    }
}

static void lose_patience(struct loop_timer *t)
{
    struct live_sources *x = container_of(t, struct live_sources, patience);
    x->impatient = true;
    look_whether_synced(x);
}

void live_sources_again(struct live *l, enum live_kind kind)
{
    struct live_sources *x = l->sources;
    for (size_t i = 0; i < ARRAY_LEN(x->list); i++)
        if (x->list[i].type->what == kind && x->list[i].inf)
            informer_list_again(x->list[i].inf);
}

/* --- life -------------------------------------------------------------------------------------------------------------------------------------------- */
struct live_sources *live_sources_new(struct live *l)
{
    struct live_sources *x = xnew(struct live_sources);
    x->l = l;
    for (size_t i = 0; i < ARRAY_LEN(types); i++) {
        struct source *s = &x->list[i];
        s->type = &types[i];
        s->all = x;
        s->is_served = !types[i].group[0];
        snprintf(s->version, sizeof s->version, "%s", types[i].version ? types[i].version : "");
    }
    x->call = (struct client_call){.loop = l->opts.loop, .method = S("GET"), .done = call_done};
    x->timer.fire = discover;
    x->patience.fire = lose_patience;
    start_wave(x);
    discover(&x->timer);
    return x;
}

void live_sources_stop(struct live_sources *x)
{
    x->stopping = true;
    loop_timer_stop(x->l->opts.loop, &x->timer);
    loop_timer_stop(x->l->opts.loop, &x->patience);
    x->stopping_informers++; /* those that stop at once must not look like the last one */
    for (size_t i = 0; i < ARRAY_LEN(x->list); i++)
        end(&x->list[i]);
    if (--x->stopping_informers == 0 && !x->calling)
        live_stop_step(x->l);
}

void live_sources_free(struct live_sources *x)
{
    if (!x)
        return;
    loop_timer_stop(x->l->opts.loop, &x->timer);
    loop_timer_stop(x->l->opts.loop, &x->patience);
    for (size_t i = 0; i < ARRAY_LEN(x->list); i++) {
        informer_free(x->list[i].inf);
        map_foreach(e, &x->list[i].names)
            free((char *)e->key.p);
        map_fini(&x->list[i].names);
    }
    for (size_t i = 0; i < x->ending.len; i++)
        informer_free(x->ending.p[i]);
    vec_fini(&x->ending);
    strbuf_fini(&x->path);
    strbuf_fini(&x->key);
    arena_fini(&x->arena);
    free(x);
}
