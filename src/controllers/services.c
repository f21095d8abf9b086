/* SPDX-License-Identifier: Apache-2.0 */
#include "controllers/services.h"

#include "client/raw.h"

#define ZONE_LABEL "topology.kubernetes.io/zone"
#define PASS_SHORT_NS (2 * NSEC_PER_MSEC)
#define PASS_SHARE 10
#define PASS_WAIT_MAX_NS (5 * NSEC_PER_SEC)
#define NODES_DELAY_NS NSEC_PER_SEC /* nodes come in crowds, and every service is looked at for them */
#define EMPTY_DELAY_NS (500 * NSEC_PER_MSEC) /* a headless service is often made a moment before its pods: then its slices are written once, with them, and not twice */

struct services *services_of(struct controller *c)
{
    return controllers_find(c->all, &controller_service_caches)->state;
}

void services_join(struct controller *c, bool pods)
{
    vec_push(&services_of(c)->members, (struct service_member){c, pods});
}

/* --- from events to keys ----------------------------------------------------------------------------------------------------------- */

static void queue(struct services *all, str key, bool for_pods)
{
    nsec_t wait = for_pods && all->pass_ns > PASS_SHORT_NS ? MIN(all->pass_ns * PASS_SHARE, PASS_WAIT_MAX_NS) : 0;
    for (size_t i = 0; all->synced && i < all->members.len; i++) {
        if (for_pods && !all->members.p[i].pods)
            continue;
        if (wait)
            workqueue_add_after(all->members.p[i].c->queue, key, wait);
        else
            workqueue_add(all->members.p[i].c->queue, key);
    }
}

static void on_object(void *arg, const struct object *was, const struct object *now)
{
    queue(arg, now ? now->key : was->key, false);
}

/* --- services by the first pair of their selector, slices by their service: a namespace may have thousands, and a pod is of one or two ----- */

struct found { /* under a text: keys of objects */
    char *under;
    VEC(char *) keys;
};

static void found_free(struct found *x)
{
    for (size_t i = 0; i < x->keys.len; i++)
        free(x->keys.p[i]);
    vec_fini(&x->keys);
    free(x->under);
    free(x);
}

static void index_put(struct map *m, str under, str key, bool add)
{
    struct found *x = map_get(m, under);
    if (!x) {
        x = xnew(struct found);
        x->under = str_dup(under);
        map_put(m, str_of(x->under), x);
    }
    size_t i = 0;
    while (i < x->keys.len && !str_is(key, x->keys.p[i]))
        i++;
    if (add && i == x->keys.len) {
        vec_push(&x->keys, str_dup(key));
    } else if (!add && i < x->keys.len) {
        free(x->keys.p[i]);
        vec_remove_swap(&x->keys, i);
    }
    if (!x->keys.len) {
        map_del(m, under);
        found_free(x);
    }
}

static void index_fini(struct map *m)
{
    map_foreach(e, m)
        found_free(e->value);
    map_fini(m);
}

static str pair_of(struct arena *a, str ns, const struct json_member *m)
{
    return arena_fmt(a, STR_FMT "/" STR_FMT "=" STR_FMT, STR_ARG(ns), STR_ARG(m->key), STR_ARG(json_str(&m->value)));
}

static void index_service(struct services *all, const struct object *o, bool add)
{
    ARENA_AUTO a = ARENA_INIT;
    str spec, text;
    struct json selector;
    if (!o || !raw_member_from(o->text, S("spec"), &spec) || !raw_member(spec, S("selector"), &text) || json_parse(&a, text, NULL, &selector, NULL) < 0)
        return;
    if (selector.type == JSON_OBJECT && selector.len)
        index_put(&all->by_selector, pair_of(&a, o->ns, &selector.members[0]), o->key, add);
}

/* Nobody misses its slices: there is nobody behind it, and no address that others could have by now. */
static bool can_wait(struct services *all, const struct object *service)
{
    if (!str_is(json_get_str(json_path(object_tree((struct object *)service), "spec", NULL), S("clusterIP")), "None"))
        return false;
    pod_cache_foreach_open(p, pod_cache_open(all->pods, service->ns))
        if (service_selects(object_tree((struct object *)service), p->labels))
            return false;
    return true;
}

static void on_service(void *arg, const struct object *was, const struct object *now)
{
    struct services *all = arg;
    index_service(all, was, false);
    index_service(all, now, true);
    if (was || !can_wait(all, now)) {
        on_object(all, was, now);
        return;
    }
    for (size_t i = 0; all->synced && i < all->members.len; i++)
        if (all->members.p[i].pods)
            workqueue_add_after(all->members.p[i].c->queue, now->key, EMPTY_DELAY_NS);
        else
            workqueue_add(all->members.p[i].c->queue, now->key);
}

/* Those that select pods with these labels. */
static void queue_selecting(struct services *all, str ns, str labels)
{
    ARENA_AUTO a = ARENA_INIT;
    struct json pairs;
    if (!labels.len || json_parse(&a, labels, NULL, &pairs, NULL) < 0 || pairs.type != JSON_OBJECT)
        return;
    for (uint32_t i = 0; i < pairs.len; i++) {
        const struct found *x = map_get(&all->by_selector, pair_of(&a, ns, &pairs.members[i]));
        for (size_t k = 0; x && k < x->keys.len; k++) {
            const struct object *o = object_cache_find(&all->cache[CACHE_SERVICES], str_of(x->keys.p[k]));
            if (o && service_selects(object_tree((struct object *)o), labels))
                queue(all, o->key, true);
        }
    }
}

/* "ns/service" of a slice, "" when it is of none. */
static str service_of(struct arena *a, const struct object *o)
{
    str meta, labels, service = S("");
    if (o && raw_member_from(o->text, S("metadata"), &meta) && raw_member_from(meta, S("labels"), &labels))
        raw_member_text(labels, S(LABEL_SERVICE_NAME), &service);
    return service.len ? arena_fmt(a, STR_FMT "/" STR_FMT, STR_ARG(o->ns), STR_ARG(service)) : S("");
}

static void queue_of_slice(struct services *all, const struct object *o)
{
    ARENA_AUTO a = ARENA_INIT;
    str service = service_of(&a, o);
    if (service.len)
        queue(all, service, false);
}

static void on_slice(void *arg, const struct object *was, const struct object *now)
{
    struct services *all = arg;
    ARENA_AUTO a = ARENA_INIT;
    str before = service_of(&a, was), after = service_of(&a, now);
    if (before.len)
        index_put(&all->by_service, before, was->key, false);
    if (after.len)
        index_put(&all->by_service, after, now->key, true);
    if (!all->synced)
        return;
    if (after.len)
        queue(all, after, false);
    if (before.len)
        queue(all, before, false);
}

static bool looks_same(const struct pod_record *a, const struct pod_record *b)
{
    return str_eq(a->uid, b->uid) && str_eq(a->labels, b->labels) && str_eq(a->addresses, b->addresses) && str_eq(a->node, b->node) && str_eq(a->host, b->host) &&
           a->ready == b->ready && a->deleting == b->deleting && pod_is_finished(a) == pod_is_finished(b);
}

static void on_pod(void *arg, const struct pod_record *was, const struct pod_record *now)
{
    struct services *all = arg;
    const struct pod_record *p = now ? now : was;
    bool has_address = (was && was->addresses.len) || (now && now->addresses.len);
    if (!all->synced || !has_address || (was && now && looks_same(was, now)))
        return;
    queue_selecting(all, p->ns, p->labels);
    if (was && now && !str_eq(was->labels, now->labels))
        queue_selecting(all, p->ns, was->labels);
}

static str zone_of(const struct object *node)
{
    str meta, labels, zone = S("");
    if (node && raw_member(node->text, S("metadata"), &meta) && raw_member(meta, S("labels"), &labels))
        raw_member_text(labels, S(ZONE_LABEL), &zone);
    return zone;
}

static void on_node(void *arg, const struct object *was, const struct object *now)
{
    struct services *all = arg;
    if (!all->synced || str_eq(zone_of(was), zone_of(now)))
        return;
    map_foreach(e, &all->cache[CACHE_SERVICES].objects_)
    {
        for (size_t i = 0; i < all->members.len; i++)
            if (all->members.p[i].pods)
                workqueue_add_after(all->members.p[i].c->queue, e->key, NODES_DELAY_NS);
    }
}

/* --- watches ------------------------------------------------------------------------------------------------------------------------- */

static enum service_cache cache_of(const struct resource *r)
{
    return str_is(r->plural, "services") ? CACHE_SERVICES : str_is(r->plural, "endpoints") ? CACHE_ENDPOINTS : CACHE_SLICES;
}

/* Everything once: also Endpoints and slices whose service went while nobody watched. */
static void check_synced(struct services *all)
{
    bool synced = all->workloads_synced;
    for (int i = 0; i < SERVICE_CACHES; i++)
        synced &= all->cache[i].synced;
    if (!synced || all->synced)
        return;
    all->synced = true;
    map_foreach(e, &all->cache[CACHE_SERVICES].objects_) queue(all, e->key, false);
    map_foreach(e, &all->cache[CACHE_ENDPOINTS].objects_) queue(all, e->key, false);
    map_foreach(e, &all->cache[CACHE_SLICES].objects_) queue_of_slice(all, e->value);
}

static void on_begin(struct controller *c, const struct resource *r)
{
    struct services *all = c->state;
    object_cache_list_begin(&all->cache[cache_of(r)]);
}

static void on_event(struct controller *c, const struct resource *r, struct informer_event *ev)
{
    struct services *all = c->state;
    enum service_cache which = cache_of(r);
    const struct json *meta = informer_event_meta(ev);
    uint64_t revision = 0;
    if (!meta)
        return;
    str_to_u64(json_get_str(meta, S("resourceVersion")), &revision);
    all->seen[which] = MAX(all->seen[which], revision);
    object_cache_saw(&all->cache[which], ev->object, meta, ev->change == INFORMER_DELETED);
}

static void on_listed(struct controller *c, const struct resource *r)
{
    struct services *all = c->state;
    object_cache_list_end(&all->cache[cache_of(r)]);
    check_synced(all);
}

static void on_workloads(struct controller *c)
{
    struct services *all = c->state;
    all->workloads_synced = true;
    check_synced(all);
}

/* --- answers --------------------------------------------------------------------------------------------------------------------------- */

/* What is older than the watch is left out: the watch has shown it, and perhaps its end. */
void services_wrote(struct services *all, enum service_cache which, const struct json *obj)
{
    ARENA_AUTO a = ARENA_INIT;
    const struct json *meta = json_get(obj, S("metadata"));
    uint64_t revision = 0;
    str_to_u64(json_get_str(meta, S("resourceVersion")), &revision);
    if (meta && revision > all->seen[which])
        object_cache_saw(&all->cache[which], json_text(&a, obj), meta, false);
}

void services_absent(struct services *all, enum service_cache which, str key, str uid)
{
    ARENA_AUTO a = ARENA_INIT;
    struct object *o = object_cache_find(&all->cache[which], key);
    if (!o || !str_eq(o->uid, uid))
        return;
    struct json tree = object_read(&a, o);
    object_cache_saw(&all->cache[which], arena_str(&a, o->text), json_get(&tree, S("metadata")), true);
}

/* --- reading --------------------------------------------------------------------------------------------------------------------------- */

struct endpoint_pod *services_pods(struct job *j, const struct json *service, size_t *ret_n)
{
    struct workloads *w = workloads_of(j->c);
    struct list *list = pod_cache_open(&w->pods, json_get_str(json_get(service, S("metadata")), S("namespace")));
    struct services *all = services_of(j->c);
    nsec_t began = clock_mono(j->c->opts->clock);
    VEC(struct endpoint_pod) found = {0};
    pod_cache_foreach_open(p, list)
    {
        if (!service_selects(service, p->labels))
            continue;
        vec_push(&found, (struct endpoint_pod){p, zone_of(p->node.len ? object_cache_find(&w->objects[WORKLOAD_NODE], p->node) : NULL)});
    }
    struct endpoint_pod *out = arena_array(&j->arena, found.len + 1, struct endpoint_pod);
    if (found.len)
        memcpy(out, found.p, found.len * sizeof *out);
    *ret_n = found.len;
    vec_fini(&found);
    all->pass_ns = MAX(clock_mono(j->c->opts->clock) - began, all->pass_ns - all->pass_ns / 8);
    return out;
}

static int by_name(const void *va, const void *vb)
{
    const struct object *a = *(struct object *const *)va, *b = *(struct object *const *)vb;
    return str_cmp(a->name, b->name);
}

struct json *services_slices(struct job *j, str ns, str service, const char *manager, size_t *ret_n)
{
    struct services *all = services_of(j->c);
    VEC(struct object *) found = {0};
    const struct found *of = map_get(&all->by_service, arena_fmt(&j->arena, STR_FMT "/" STR_FMT, STR_ARG(ns), STR_ARG(service)));
    for (size_t i = 0; of && i < of->keys.len; i++) {
        struct object *o = object_cache_find(&all->cache[CACHE_SLICES], str_of(of->keys.p[i]));
        if (!o)
            continue;
        const struct json *labels = json_path(object_tree(o), "metadata", "labels", NULL);
        if (str_eq(json_get_str(labels, S(LABEL_SERVICE_NAME)), service) && str_is(json_get_str(labels, S(LABEL_SLICE_MANAGER)), manager))
            vec_push(&found, o);
    }
    if (found.len)
        qsort(found.p, found.len, sizeof *found.p, by_name);
    struct json *out = arena_array(&j->arena, found.len + 1, struct json);
    for (size_t i = 0; i < found.len; i++)
        out[i] = object_read(&j->arena, found.p[i]);
    *ret_n = found.len;
    vec_fini(&found);
    return out;
}

/* --- life -------------------------------------------------------------------------------------------------------------------------------- */

static void init(struct controller *c)
{
    struct services *all = c->state = xnew(struct services);
    struct workloads *w = workloads_of(c);
    for (int i = 0; i < SERVICE_CACHES; i++)
        object_cache_init(&all->cache[i]);
    object_cache_subscribe(&all->cache[CACHE_SERVICES], on_service, all);
    object_cache_subscribe(&all->cache[CACHE_ENDPOINTS], on_object, all);
    object_cache_subscribe(&all->cache[CACHE_SLICES], on_slice, all);
    pod_cache_subscribe(&w->pods, on_pod, all);
    all->pods = &w->pods;
    object_cache_subscribe(&w->objects[WORKLOAD_NODE], on_node, all);
    workloads_on_synced(c, on_workloads);
}

static void fini(struct controller *c)
{
    struct services *all = c->state;
    for (int i = 0; i < SERVICE_CACHES; i++)
        object_cache_fini(&all->cache[i]);
    index_fini(&all->by_selector);
    index_fini(&all->by_service);
    vec_fini(&all->members);
    free(all);
}

static void nothing(struct job *j)
{
    job_end(j, WORK_OK);
}

#define WATCH(g, p) {.group = g, .plural = p, .begin = on_begin, .event = on_event, .synced = on_listed}

const struct controller_type controller_service_caches = {
    .name = "service-caches",
    .parallel = 1,
    .watches = {WATCH("", "services"), WATCH("", "endpoints"), WATCH("discovery.k8s.io", "endpointslices")},
    .init = init,
    .fini = fini,
    .reconcile = nothing,
};
