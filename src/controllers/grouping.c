/* grouping.c - pods of queues become units: each gets a PodGroup by the kind of what owns it, without anybody writing one.
 *
 *   pod of a scheduler that groups, or with a queue ─► read it ─► read its owners ─► plan (pure) ─► PodGroup made or changed ─► pod says to which it belongs
 *   owner changes ─► one pod of each of its groups again, so that the minimum follows
 *
 * The pod is written last, so it never names a group that is not there.  An owner that cannot be read (403, 404) is tried again for some seconds: it may be a moment too early, and a gang must
 * not fall apart into single pods because of that.  Then the nearest owner that could be read counts as the top.
 *
 * Nothing happens while the server has no PodGroups.  A pod that is none of ours costs a search of its text for two words; one that waits and has an owner also a tree and a look into the workload
 * caches, or, if its owner is of a kind that they do not have, a read of the owner once a minute. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "base/log.h"
#include "client/raw.h"
#include "controllers/events.h"
#include "controllers/grouping_config.h"
#include "controllers/grouping_owners.h"
#include "controllers/grouping_plan.h"

#define COMPONENT "grouping"
#define RESCAN "*" /* key: pods of schedulers that are new to us */
#define OWNER_TRIES 10 /* some 5 s with the queue's delays */
#define PAGE "500"
#define RESTRICTED "scheduling.cox/restricted" /* annotation of a queue that needs the verb `use` */

struct grouping {
    struct controller *c;
    struct arena arena; /* of config */
    struct grouping_config config;
    struct grouping_owners known;
    struct object_cache groups; /* PodGroups: name and spec */
    bool served, configured, listed; /* PodGroups exist; the configuration has been read; PodGroups have been listed */
    uint64_t seen; /* youngest revision of a PodGroup that the watch has shown: answers that are older tell nothing new */
    unsigned round;
};

struct run {
    struct grouping *g;
    str ns, name, path; /* of the pod */
    struct grouping_chain chain;
    struct grouping_ref asked; /* what the last call is about */
    struct grouping_plan plan;
    str group_path;
    bool tried; /* the group was there all the same */
    /* rescan */
    size_t scheduler;
};

static bool is_ready(const struct grouping *g)
{
    return !g->config.off && g->served && g->configured && g->listed && workloads_of(g->c)->synced;
}

static const struct resource podgroups = {.group = STR_INIT(GROUPING_API), .version = STR_INIT(GROUPING_VERSION), .plural = STR_INIT("podgroups"), .namespaced = true};
static const struct resource queues = {.group = STR_INIT(GROUPING_API), .version = STR_INIT("v2"), .plural = STR_INIT("queues")};
static const struct resource pods_resource = {.group = STR_INIT(""), .version = STR_INIT("v1"), .plural = STR_INIT("pods"), .namespaced = true};

/* --- which pods ----------------------------------------------------------------------------------------------------------------------- */

static bool is_scheduler(const struct grouping *g, str name)
{
    for (size_t i = 0; i < g->config.nschedulers; i++)
        if (str_eq(g->config.schedulers[i], name))
            return true;
    return false;
}

static bool asks_itself(const struct grouping *g, const struct json *pod)
{
    const struct json *labels = json_get(json_get(pod, S("metadata")), S("labels"));
    return is_scheduler(g, json_get_str(json_get(pod, S("spec")), S("schedulerName"))) || json_get(labels, S(GROUPING_QUEUE_LABEL));
}

static int cached_kind(str kind)
{
    for (int i = 0; i < WORKLOAD_KINDS; i++)
        if (str_is(kind, workload_types[i].kind))
            return i;
    return -1;
}

/* Might an owner ask for a queue?  Of what the caches have, the text tells; of the rest only reading it. */
static bool owner_may_ask(const struct grouping *g, str kind, str uid)
{
    static const enum workload_kind above[] = {WORKLOAD_DEPLOYMENT, WORKLOAD_CRONJOB};
    const struct workloads *w = workloads_of(g->c);
    int k = cached_kind(kind);
    if (!uid.len || str_is(kind, "DaemonSet") || str_is(kind, "Node"))
        return false;
    const struct object *o = k >= 0 ? object_cache_find_uid(&w->objects[k], uid) : NULL, *parent = NULL;
    if (!o || str_find(o->text, S(GROUPING_QUEUE_LABEL)) >= 0)
        return true;
    if (!o->owner_uid.len)
        return false;
    for (size_t i = 0; i < ARRAY_LEN(above) && !parent; i++)
        parent = object_cache_find_uid(&w->objects[above[i]], o->owner_uid);
    return !parent || parent->owner_uid.len || str_find(parent->text, S(GROUPING_QUEUE_LABEL)) >= 0;
}

static uint64_t mix(uint64_t h, str s)
{
    return (h ^ str_hash(s)) * 0x9e3779b97f4a7c15u;
}

/* Of what a plan can depend on; everything else of a pod may change without a run. */
static uint64_t looks_of(const struct json *pod)
{
    const struct json *meta = json_get(pod, S("metadata"));
    struct grouping_ref ref = {.uid = S("")};
    grouping_owner_ref(pod, &ref);
    uint64_t h = mix(0, json_get_str(meta, S("uid")));
    h = mix(h, json_get_str(json_get(meta, S("annotations")), S(GROUPING_NOTE)));
    h = mix(h, json_get_str(json_get(meta, S("labels")), S(GROUPING_SUB_LABEL)));
    h = mix(h, json_get_str(json_get(meta, S("labels")), S(GROUPING_QUEUE_LABEL)));
    h = mix(h, json_get_str(json_get(pod, S("spec")), S("nodeName")));
    return mix(h, ref.uid);
}

static void saw_pod(struct grouping *g, struct arena *a, const struct json *pod, bool gone)
{
    bool asks = !gone && asks_itself(g, pod), maybe = false;
    struct grouping_ref ref;
    if (!asks && !gone && g->served && !json_get(json_get(pod, S("spec")), S("nodeName")))
        maybe = grouping_owner_ref(pod, &ref) && owner_may_ask(g, ref.kind, ref.uid);
    if (!asks && !maybe && !g->known.pods.len)
        return; /* so it is for most */
    const struct json *meta = json_get(pod, S("metadata"));
    str ns = json_get_str(meta, S("namespace")), name = json_get_str(meta, S("name"));
    str key = arena_fmt(a, STR_FMT "/" STR_FMT, STR_ARG(ns), STR_ARG(name));
    struct grouping_pod *p = grouping_pod_find(&g->known, key);
    bool held = p && p->group.len && !gone; /* by an owner's queue: it stays so when it is bound */
    if ((!asks && !maybe && !held) || grouping_leaves(pod)) {
        grouping_pod_drop(&g->known, p);
        return;
    }
    uint64_t looks = looks_of(pod);
    p = p ? p : grouping_pod_get(&g->known, key);
    p->round = g->round;
    p->maybe = maybe;
    if (p->looks == looks)
        return;
    p->looks = looks;
    if (is_ready(g))
        workqueue_add(g->c->queue, key);
}

/* --- a run: the end ---------------------------------------------------------------------------------------------------------------------- */

static void pod_written(struct job *j)
{
    job_end_status(j);
}

static void write_pod(struct job *j)
{
    struct run *r = j->state;
    struct json patch = grouping_pod_patch(&j->arena, &r->plan, &r->chain.objs[0]);
    if (json_is(&patch, JSON_NULL))
        job_end(j, WORK_OK);
    else
        job_call(j, S("PATCH"), r->path, &patch, pod_written);
}

static str said(const struct job *j)
{
    return json_get_str(&j->answer, S("message"));
}

static void refused(struct job *j)
{
    struct run *r = j->state;
    struct event_ref ref = event_ref_of(&r->chain.objs[0], "v1", "Pod");
    if (j->status == 400 || j->status == 403 || j->status == 422)
        controller_event(j->c, COMPONENT, &ref, EVENT_WARNING, "GroupingFailed", "its PodGroup " STR_FMT " was refused: " STR_FMT, STR_ARG(r->plan.name), STR_ARG(said(j)));
    job_end(j, WORK_RETRY);
}

static void group_written(struct job *j)
{
    struct run *r = j->state;
    ARENA_AUTO a = ARENA_INIT;
    if (job_not_found(j)) { /* it went meanwhile: begin anew */
        job_end(j, WORK_RETRY);
        return;
    }
    if (!job_ok(j)) {
        refused(j);
        return;
    }
    uint64_t revision = 0;
    const struct json *meta = json_get(&j->answer, S("metadata"));
    if (str_to_u64(json_get_str(meta, S("resourceVersion")), &revision) && revision > r->g->seen)
        object_cache_saw(&r->g->groups, json_text(&a, &j->answer), meta, false);
    write_pod(j);
}

static void change_group(struct job *j, const struct json *have)
{
    struct run *r = j->state;
    struct json patch = grouping_group_patch(&j->arena, &r->plan, have);
    if (json_is(&patch, JSON_NULL))
        write_pod(j);
    else
        job_call(j, S("PATCH"), r->group_path, &patch, group_written);
}

static void got_group(struct job *j)
{
    if (job_ok(j))
        change_group(j, &j->answer);
    else
        job_end(j, WORK_RETRY);
}

static void group_made(struct job *j)
{
    struct run *r = j->state;
    if (j->status == 409 && !r->tried) { /* another pod's run was faster */
        r->tried = true;
        job_call(j, S("GET"), r->group_path, NULL, got_group);
        return;
    }
    group_written(j);
}

static void make_group(struct job *j)
{
    struct run *r = j->state;
    job_call(j, S("POST"), resource_path(&j->arena, &podgroups, r->ns, S("")), &r->plan.group, group_made);
}

/* Whoever writes the queue's label is asked by the server whether they may; of a project's label it knows nothing, so a restricted queue cannot be reached by one. */
static void got_queue(struct job *j)
{
    struct run *r = j->state;
    struct event_ref ref = event_ref_of(&r->chain.objs[0], "v1", "Pod");
    if (!job_ok(j) && j->status != 404) {
        job_end(j, WORK_RETRY);
        return;
    }
    if (job_ok(j) && str_is(json_get_str(json_path(&j->answer, "metadata", "annotations", NULL), S(RESTRICTED)), "true")) {
        controller_event(j->c, COMPONENT, &ref, EVENT_WARNING, "QueueRestricted", "queue \"" STR_FMT "\" of its project is restricted: it is in \"" GROUPING_DEFAULT_QUEUE "\"; the label "
                         GROUPING_QUEUE_LABEL " asks for the other", STR_ARG(r->plan.project_queue));
        json_set(&j->arena, json_get(&r->plan.group, S("spec")), S("queue"), json_string(S(GROUPING_DEFAULT_QUEUE)));
    }
    make_group(j);
}

static void write_group(struct job *j)
{
    struct run *r = j->state;
    ARENA_AUTO scratch = ARENA_INIT;
    struct object *o = object_cache_find(&r->g->groups, arena_fmt(&scratch, STR_FMT "/" STR_FMT, STR_ARG(r->ns), STR_ARG(r->plan.name)));
    r->group_path = resource_path(&j->arena, &podgroups, r->ns, r->plan.name);
    if (o) {
        struct json have = object_read(&j->arena, o);
        if (grouping_asks_other_queue(&r->plan, &have) && !json_get_str(json_get(&r->chain.objs[0], S("spec")), S("nodeName")).len)
            job_call(j, S("GET"), r->group_path, NULL, got_group); /* has it started? */
        else
            change_group(j, &have);
        return;
    }
    if (r->plan.project_queue.len)
        job_call(j, S("GET"), resource_path(&j->arena, &queues, S(""), r->plan.project_queue), NULL, got_queue);
    else
        make_group(j);
}

static void plan(struct job *j)
{
    struct run *r = j->state;
    struct grouping_pod *p = grouping_pod_find(&r->g->known, j->key);
    bool ours = asks_itself(r->g, &r->chain.objs[0]) || grouping_has_queue(&r->chain), going = false;
    for (size_t i = 0; i < r->chain.len; i++)
        going |= object_deleting(&r->chain.objs[i]);
    if (p && !ours) /* until an owner says something else */
        grouping_pod_hold(&r->g->known, p, json_get_str(json_get(&r->chain.objs[r->chain.len - 1], S("metadata")), S("uid")), S(""));
    if (!ours || going) { /* what goes takes its pods and groups along */
        job_end(j, WORK_OK);
        return;
    }
    r->plan = grouping_plan_make(&j->arena, &r->g->config.rules, &r->chain);
    if (!p || !r->plan.name.len || grouping_stays(&r->plan, &r->chain.objs[0])) {
        job_end(j, WORK_OK);
        return;
    }
    grouping_pod_hold(&r->g->known, p, r->plan.holder_uid, r->plan.name);
    write_group(j);
}

/* --- a run: owners ------------------------------------------------------------------------------------------------------------------------ */

static void walk(struct job *j);

/* The version that the reference names, else the preferred one. */
static const struct resource *resource_of(struct resource_set *set, const struct grouping_ref *ref)
{
    str group = grouping_api_group(ref->api_version), version = group.len ? str_from(ref->api_version, group.len + 1) : ref->api_version;
    for (size_t i = 0; set && i < set->len; i++)
        if (str_eq(set->items[i].kind, ref->kind) && str_eq(set->items[i].group, group) && str_eq(set->items[i].version, version))
            return &set->items[i];
    return set ? resource_find_kind(set, group, ref->kind) : NULL;
}

/* Objects out of lists do not say what they are. */
static void add_owner(struct job *j, struct json obj)
{
    struct run *r = j->state;
    if (!json_get_str(&obj, S("kind")).len) {
        json_set(&j->arena, &obj, S("apiVersion"), json_string(r->asked.api_version));
        json_set(&j->arena, &obj, S("kind"), json_string(r->asked.kind));
    }
    if (r->asked.uid.len)
        r->chain.objs[r->chain.len++] = obj;
    else
        r->chain.companion = obj;
}

/* Tries again for a while; then what is known so far has to do. */
static void cannot_read(struct job *j)
{
    struct run *r = j->state;
    if (j->work->failures < OWNER_TRIES) {
        job_end(j, WORK_RETRY);
        return;
    }
    log_info("an owner of a pod cannot be read: its pods are grouped without it", KV("pod", STR_FMT, STR_ARG(j->key)), KV("kind", STR_FMT, STR_ARG(r->asked.kind)),
             KV("owner", STR_FMT, STR_ARG(r->asked.name)), KV("status", "%d", j->status));
    plan(j);
}

static void got_owner(struct job *j)
{
    struct run *r = j->state;
    str uid = json_get_str(json_get(&j->answer, S("metadata")), S("uid"));
    if (j->status == 403 || j->status == 404 || (job_ok(j) && r->asked.uid.len && !str_eq(uid, r->asked.uid))) {
        cannot_read(j);
        return;
    }
    if (!job_ok(j)) {
        job_end(j, WORK_RETRY);
        return;
    }
    struct json obj = j->answer;
    json_del(&obj, S("status"));
    ARENA_AUTO scratch = ARENA_INIT;
    grouping_owner_keep(&r->g->known, uid, json_text(&scratch, &obj), clock_mono(j->c->opts->clock));
    add_owner(j, obj);
    if (r->asked.uid.len)
        walk(j);
    else
        plan(j);
}

static void ask(struct job *j)
{
    struct run *r = j->state;
    const struct resource *res = resource_of(resources_current(controllers_resources(j->c->all)), &r->asked);
    if (!res) {
        j->status = 404;
        controllers_rediscover(j->c->all);
        cannot_read(j);
        return;
    }
    job_call(j, S("GET"), resource_path(&j->arena, res, r->ns, r->asked.name), NULL, got_owner);
}

static bool find_owner(struct job *j, const struct grouping_ref *ref, struct json *ret)
{
    struct run *r = j->state;
    struct workloads *w = workloads_of(j->c);
    int kind = cached_kind(ref->kind);
    struct object *o = kind >= 0 ? object_cache_find_uid(&w->objects[kind], ref->uid) : NULL;
    str text;
    if (o) {
        *ret = object_read(&j->arena, o);
        return true;
    }
    return grouping_owner_text(&r->g->known, ref->uid, clock_mono(j->c->opts->clock), &text) && json_parse(&j->arena, arena_str(&j->arena, text), NULL, ret, NULL) == 0;
}

static void walk(struct job *j)
{
    struct run *r = j->state;
    struct grouping_ref ref;
    struct json obj;
    while (r->chain.len <= GROUPING_DEPTH && grouping_owner_ref(&r->chain.objs[r->chain.len - 1], &ref)) {
        if (grouping_rule_find(&r->g->config.rules, ref.api_version, ref.kind)->leave) {
            job_end(j, WORK_OK);
            return;
        }
        r->asked = ref;
        if (!find_owner(j, &ref, &obj)) {
            ask(j);
            return;
        }
        add_owner(j, obj);
    }
    if (grouping_companion(&r->g->config.rules, &r->chain, &ref)) {
        r->asked = ref;
        ask(j);
        return;
    }
    plan(j);
}

static void got_pod(struct job *j)
{
    struct run *r = j->state;
    if (job_not_found(j) || (job_ok(j) && grouping_leaves(&j->answer))) {
        grouping_pod_drop(&r->g->known, grouping_pod_find(&r->g->known, j->key));
        job_end(j, WORK_OK);
        return;
    }
    if (!job_ok(j)) {
        job_end(j, WORK_RETRY);
        return;
    }
    r->chain.objs[0] = j->answer;
    r->chain.len = 1;
    r->chain.companion = json_null();
    walk(j);
}

/* --- pods of schedulers that are new ----------------------------------------------------------------------------------------------------- */

static void rescanned(struct job *j);

static void rescan_next(struct job *j, str token)
{
    struct run *r = j->state;
    struct strbuf path = strbuf_on(&j->arena);
    if (r->scheduler >= r->g->config.nschedulers) {
        job_end(j, WORK_OK);
        return;
    }
    strbuf_addf(&path, "/api/v1/pods?limit=" PAGE "&fieldSelector=spec.schedulerName%%3D" STR_FMT, STR_ARG(r->g->config.schedulers[r->scheduler]));
    if (token.len) {
        strbuf_add_str(&path, S("&continue="));
        resource_path_segment(&path, token);
    }
    job_call(j, S("GET"), strbuf_str(&path), NULL, rescanned);
}

static void rescanned(struct job *j)
{
    struct run *r = j->state;
    const struct json *items = json_get(&j->answer, S("items"));
    if (!job_ok(j)) {
        job_end(j, WORK_RETRY);
        return;
    }
    for (uint32_t i = 0; json_is(items, JSON_ARRAY) && i < items->len; i++)
        saw_pod(r->g, &j->arena, &items->items[i], false);
    str token = json_get_str(json_get(&j->answer, S("metadata")), S("continue"));
    r->scheduler += !token.len;
    rescan_next(j, token);
}

static void reconcile(struct job *j)
{
    struct grouping *g = j->c->state;
    struct run *r = j->state = arena_new(&j->arena, struct run);
    r->g = g;
    if (str_is(j->key, RESCAN)) {
        rescan_next(j, S(""));
        return;
    }
    if (!is_ready(g) || !grouping_pod_find(&g->known, j->key)) {
        job_end(j, WORK_OK);
        return;
    }
    controller_key_split(j->key, &r->ns, &r->name);
    r->path = resource_path(&j->arena, &pods_resource, r->ns, r->name);
    job_call(j, S("GET"), r->path, NULL, got_pod);
}

/* --- watches -------------------------------------------------------------------------------------------------------------------------------- */

/* All pods that we look after; those whose owner had not been seen when they were get a second look at it. */
static void queue_all(struct controller *c)
{
    struct grouping *g = c->state;
    VEC(struct grouping_pod *) strangers = {0};
    if (!is_ready(g))
        return;
    map_foreach(e, &g->known.pods)
    {
        struct grouping_pod *p = e->value;
        const struct pod_record *record = p->maybe ? pod_cache_find(&workloads_of(c)->pods, p->key) : NULL;
        if (p->maybe && !p->holder && (!record || !owner_may_ask(g, record->owner_kind, record->owner_uid)))
            vec_push(&strangers, p);
        else
            workqueue_add(c->queue, p->key);
    }
    for (size_t i = 0; i < strangers.len; i++)
        grouping_pod_drop(&g->known, strangers.p[i]);
    vec_fini(&strangers);
}

static bool same_schedulers(const struct grouping_config *a, const struct grouping_config *b)
{
    bool same = a->nschedulers == b->nschedulers;
    for (size_t i = 0; same && i < a->nschedulers; i++)
        same = str_eq(a->schedulers[i], b->schedulers[i]);
    return same;
}

static void configure(struct grouping *g, const struct json *configmap)
{
    struct arena arena = ARENA_INIT;
    struct grouping_config config;
    struct json copy = configmap ? json_copy(&arena, configmap) : json_null();
    grouping_config_read(&arena, &copy, &config);
    bool same = same_schedulers(&config, &g->config), flipped = config.off != g->config.off;
    arena_fini(&g->arena);
    g->arena = arena;
    g->config = config;
    struct event_ref ref = event_ref_of(&copy, "v1", "ConfigMap");
    for (size_t i = 0; i < config.ncomplaints; i++) {
        log_warn("a grouping rule is left out", KV("why", STR_FMT, STR_ARG(config.complaints[i])));
        controller_event(g->c, COMPONENT, &ref, EVENT_WARNING, "BadGroupingRule", STR_FMT, STR_ARG(config.complaints[i]));
    }
    if (flipped)
        log_info(config.off ? "grouping of pods is switched off" : "grouping of pods is switched on");
    if (!same)
        workqueue_add(g->c->queue, S(RESCAN));
    queue_all(g->c);
}

/* spec, labels, annotations, whether it goes: status changes all the time. */
static uint64_t owner_hash(str object, str meta)
{
    uint64_t h = 1;
    str v;
    h = mix(h, raw_member(object, S("spec"), &v) ? v : S(""));
    h = mix(h, raw_member(meta, S("labels"), &v) ? v : S(""));
    h = mix(h, raw_member(meta, S("deletionTimestamp"), &v) ? v : S(""));
    return mix(h, raw_member(meta, S("annotations"), &v) ? v : S("")) | 1;
}

static void saw_owner(struct grouping *g, struct informer_event *ev)
{
    str meta, uid;
    if (!g->known.owners.len || !raw_member(ev->object, S("metadata"), &meta) || !raw_member_text(meta, S("uid"), &uid) || !map_has(&g->known.owners, uid))
        return;
    struct grouping_owner *o = grouping_owner_saw(&g->known, uid, ev->change == INFORMER_DELETED ? 0 : owner_hash(ev->object, meta));
    struct map groups = MAP_INIT; /* a pod speaks for its group */
    for (struct list *at = o ? o->pods.next : NULL; at && at != &o->pods; at = at->next) {
        struct grouping_pod *p = container_of(at, struct grouping_pod, link);
        if ((!p->group.len || !map_put(&groups, p->group, p)) && is_ready(g))
            workqueue_add(g->c->queue, p->key);
    }
    map_fini(&groups);
}

static bool is_resource(const struct resource *r, const char *group, const char *plural)
{
    return str_is(r->plural, plural) && str_is(r->group, group);
}

/* Most pods have nothing to do with queues, and their text says so: no tree is made of them.  In doubt, yes: saw_pod decides. */
static bool may_concern(struct grouping *g, struct informer_event *ev)
{
    str text = ev->object, spec, node;
    if (str_find(text, S(GROUPING_QUEUE_LABEL)) >= 0)
        return true;
    for (size_t i = 0; i < g->config.nschedulers; i++)
        if (str_find(text, g->config.schedulers[i]) >= 0)
            return true;
    if (g->known.pods.len && grouping_pod_find(&g->known, arena_fmt(ev->arena_, STR_FMT "/" STR_FMT, STR_ARG(informer_event_ns(ev)), STR_ARG(informer_event_name(ev)))))
        return true;
    return g->served && str_find(text, S("\"ownerReferences\"")) >= 0 && !(raw_member(text, S("spec"), &spec) && raw_member(spec, S("nodeName"), &node));
}

static void on_event(struct controller *c, const struct resource *r, struct informer_event *ev)
{
    struct grouping *g = c->state;
    bool gone = ev->change == INFORMER_DELETED;
    if (is_resource(r, "", "pods")) {
        const struct json *pod = may_concern(g, ev) ? informer_event_object(ev) : NULL;
        if (pod)
            saw_pod(g, ev->arena_, pod, gone);
        return;
    }
    if (is_resource(r, GROUPING_API, "podgroups")) {
        const struct json *meta = informer_event_meta(ev);
        uint64_t revision = 0;
        if (!meta)
            return;
        str_to_u64(json_get_str(meta, S("resourceVersion")), &revision);
        g->seen = MAX(g->seen, revision);
        object_cache_saw(&g->groups, ev->object, meta, gone);
        return;
    }
    if (is_resource(r, "", "configmaps") && str_is(informer_event_name(ev), GROUPING_CONFIG_NAME) && str_is(informer_event_ns(ev), GROUPING_CONFIG_NS))
        configure(g, gone ? NULL : informer_event_object(ev));
    saw_owner(g, ev);
}

static void on_begin(struct controller *c, const struct resource *r)
{
    struct grouping *g = c->state;
    if (is_resource(r, "", "pods"))
        g->round++;
    else if (is_resource(r, GROUPING_API, "podgroups"))
        object_cache_list_begin(&g->groups);
}

/* Pods that the list did not show are gone. */
static void drop_unseen(struct grouping *g)
{
    VEC(struct grouping_pod *) gone = {0};
    map_foreach(e, &g->known.pods)
    {
        struct grouping_pod *p = e->value;
        if (p->round != g->round)
            vec_push(&gone, p);
    }
    for (size_t i = 0; i < gone.len; i++)
        grouping_pod_drop(&g->known, gone.p[i]);
    vec_fini(&gone);
}

static void on_synced(struct controller *c, const struct resource *r)
{
    struct grouping *g = c->state;
    bool was = is_ready(g);
    if (is_resource(r, "", "pods"))
        drop_unseen(g);
    else if (is_resource(r, "", "configmaps"))
        g->configured = true;
    else if (is_resource(r, GROUPING_API, "podgroups")) {
        object_cache_list_end(&g->groups);
        g->listed = true;
    }
    if (!was)
        queue_all(c);
}

static void on_gone(struct controller *c, const struct resource *r)
{
    struct grouping *g = c->state;
    if (!is_resource(r, GROUPING_API, "podgroups"))
        return;
    g->listed = false;
    object_cache_list_begin(&g->groups); /* an empty list: nothing is left */
    object_cache_list_end(&g->groups);
}

static void resources_changed(struct controller *c, struct resource_set *set)
{
    struct grouping *g = c->state;
    bool served = false;
    for (size_t i = 0; i < set->len && !served; i++)
        served = is_resource(&set->items[i], GROUPING_API, "podgroups") && str_is(set->items[i].version, GROUPING_VERSION);
    if (!set->failed.len || served)
        g->served = served;
}

/* Somebody deleted or changed a group that pods are in. */
static void on_group(void *arg, const struct object *was, const struct object *now)
{
    struct controller *c = arg;
    struct grouping *g = c->state;
    if (!was || !is_ready(g) || (now && str_eq(was->text, now->text)))
        return;
    struct grouping_pod *p = grouping_pod_in(&g->known, was->key);
    if (p)
        workqueue_add(c->queue, p->key);
}

/* Name, uid and spec: status is written often and concerns nobody here. */
static str keep_group(struct arena *a, str text)
{
    struct strbuf b = strbuf_on(a);
    str meta, uid, spec, notes, asked = S("");
    if (!raw_member(text, S("metadata"), &meta) || !raw_member_text(meta, S("uid"), &uid))
        return S("");
    if (!raw_member(text, S("spec"), &spec))
        spec = S("{}");
    if (raw_member(meta, S("annotations"), &notes) && !raw_member_text(notes, S(GROUPING_ASKED_NOTE), &asked))
        asked = S("");
    strbuf_addf(&b, "{\"metadata\":{\"uid\":\"" STR_FMT "\",\"annotations\":{\"" GROUPING_ASKED_NOTE "\":\"" STR_FMT "\"}},\"spec\":" STR_FMT "}", STR_ARG(uid), STR_ARG(asked), STR_ARG(spec));
    return strbuf_str(&b);
}

static void init(struct controller *c)
{
    struct grouping *g = c->state = xnew(struct grouping);
    g->c = c;
    grouping_owners_init(&g->known);
    object_cache_init(&g->groups);
    g->groups.keep = keep_group;
    object_cache_subscribe(&g->groups, on_group, c);
    grouping_config_read(&g->arena, NULL, &g->config);
    workloads_on_synced(c, queue_all);
}

static void fini(struct controller *c)
{
    struct grouping *g = c->state;
    object_cache_fini(&g->groups);
    grouping_owners_fini(&g->known);
    arena_fini(&g->arena);
    free(g);
}

const struct controller_type controller_grouping = {
    .name = COMPONENT,
    .parallel = 64, /* a gang waits for its last pod; the store writes what comes together at once */
    .watches = {{.group = "", .plural = "*", .begin = on_begin, .event = on_event, .synced = on_synced, .gone = on_gone}},
    .init = init,
    .fini = fini,
    .reconcile = reconcile,
    .resources_changed = resources_changed,
};
