/* strategy.c - what the server itself decides when objects are written: metadata it owns, status, generation, and the few fields that kinds generate.
 *
 * Kinds with more than the general rules are rows of `hooks`. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/quantity.h"
#include "apiserver/alloc.h"
#include "apiserver/certificates.h"
#include "apiserver/crds.h"
#include "apiserver/namespace_content.h"
#include "apiserver/quota.h"
#include "apiserver/write.h"
#include "base/civil.h"
#include "wire/json_make.h"

struct hooks {
    const char *group, *plural;
    void (*create)(struct write_run *r, struct json *obj);
    void (*update)(struct write_run *r, const struct json *old, struct json *obj);
    void (*remove)(struct write_run *r, const struct json *obj);
};

static bool has_status(const struct api_resource *r)
{
    return api_subresource_find(r, S("status")) != NULL;
}

/* Takes the member from old, or removes it when old has none. */
static void keep_old(struct arena *a, struct json *to, const struct json *old, str key)
{
    const struct json *v = json_get(old, key);
    if (v)
        json_set(a, to, key, *v);
    else
        json_del(to, key);
}

/* --- pods -------------------------------------------------------------------------------------------------------------- */

static bool requests_equal_limits(const struct json *container, bool *any)
{
    const struct json *resources = json_get(container, S("resources"));
    const struct json *req = json_get(resources, S("requests")), *lim = json_get(resources, S("limits"));
    static const str names[] = {STR_INIT("cpu"), STR_INIT("memory")};
    bool equal = true;
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        struct quantity a, b;
        bool has_req = quantity_parse(json_get_str(req, names[i]), &a) && !quantity_is_zero(&a);
        bool has_lim = quantity_parse(json_get_str(lim, names[i]), &b) && !quantity_is_zero(&b);
        *any |= has_req || has_lim;
        equal &= has_lim && (!has_req || quantity_cmp(&a, &b) == 0);
    }
    return equal;
}

static str pod_qos(const struct json *pod)
{
    const struct json *spec = json_get(pod, S("spec"));
    static const str lists[] = {STR_INIT("containers"), STR_INIT("initContainers")};
    bool guaranteed = true, any = false;
    for (size_t l = 0; l < ARRAY_LEN(lists); l++) {
        const struct json *list = json_get(spec, lists[l]);
        for (uint32_t i = 0; json_is(list, JSON_ARRAY) && i < list->len; i++)
            guaranteed &= requests_equal_limits(&list->items[i], &any);
    }
    return !any ? S("BestEffort") : guaranteed ? S("Guaranteed") : S("Burstable");
}

static void pod_create(struct write_run *r, struct json *obj)
{
    struct arena *a = r->q->arena;
    struct json *status = json_set(a, obj, S("status"), json_object());
    json_set(a, status, S("phase"), json_string(S("Pending")));
    json_set(a, status, S("qosClass"), json_string(pod_qos(obj)));
    const struct json *gates = json_path(obj, "spec", "schedulingGates", NULL);
    if (json_is(gates, JSON_ARRAY) && gates->len)
        json_set(a, status, S("conditions"),
                 json_literal(a, "[{\"type\":\"PodScheduled\",\"status\":\"False\",\"reason\":\"SchedulingGated\","
                                 "\"message\":\"Scheduling is blocked due to non-empty scheduling gates\",\"lastProbeTime\":null,\"lastTransitionTime\":null}]"));
}

static void take_ephemeral_containers(struct arena *a, const struct json *from, struct json *spec)
{
    const struct json *added = json_get(from, S("ephemeralContainers"));
    json_set(a, spec, S("ephemeralContainers"), added ? *added : json_array());
}

/* Resources of the containers that both have. */
static void take_resources(struct arena *a, const struct json *from, struct json *spec)
{
    static const str lists[] = {STR_INIT("containers"), STR_INIT("initContainers")}, fields[] = {STR_INIT("resources"), STR_INIT("resizePolicy")};
    for (size_t l = 0; l < ARRAY_LEN(lists); l++) {
        const struct json *wanted = json_get(from, lists[l]);
        struct json *have = json_get(spec, lists[l]);
        for (uint32_t i = 0; json_is(wanted, JSON_ARRAY) && json_is(have, JSON_ARRAY) && i < MIN(wanted->len, have->len); i++)
            for (size_t f = 0; f < ARRAY_LEN(fields); f++)
                if (str_eq(json_get_str(&wanted->items[i], S("name")), json_get_str(&have->items[i], S("name"))))
                    keep_old(a, &have->items[i], &wanted->items[i], fields[f]);
    }
}

/* pods/ephemeralcontainers adds debug containers, pods/resize changes resources; neither touches anything else. */
static void pod_update(struct write_run *r, const struct json *old, struct json *obj)
{
    static const struct {
        const char *subresource;
        void (*take)(struct arena *a, const struct json *from, struct json *spec);
    } ways[] = {{"ephemeralcontainers", take_ephemeral_containers}, {"resize", take_resources}};
    struct arena *a = r->q->arena;
    for (size_t i = 0; i < ARRAY_LEN(ways); i++) {
        if (!str_is(r->subresource, ways[i].subresource))
            continue;
        const struct json *managed = json_get(object_meta(obj), S("managedFields"));
        struct json kept = json_copy(a, old);
        ways[i].take(a, json_get(obj, S("spec")), json_ensure_object(a, &kept, S("spec")));
        if (managed)
            json_set(a, object_meta(&kept), S("managedFields"), *managed);
        *obj = kept;
    }
}

/* --- namespaces, volumes ---------------------------------------------------------------------------------------------- */

static void add_object(struct write_run *r, const char *plural, struct json *obj, str created)
{
    const struct api_resource *res = object_builtin(S(""), str_of(plural));
    uint32_t rev_at;
    char uid[37];
    object_new_uid(uid);
    json_set(r->q->arena, object_meta(obj), S("uid"), json_string(arena_str(r->q->arena, str_of(uid))));
    json_set(r->q->arena, object_meta(obj), S("creationTimestamp"), json_string(created));
    str bytes = object_encode(r->q->arena, res, obj, &rev_at);
    write_add_op(r, (struct store_op){.type = STORE_PUT, .key = object_key(r->q->arena, res, object_ns(obj), object_name(obj)), .value = bytes, .rev_at = rev_at,
                                      .expect = STORE_ANY_REV});
}

/* Every namespace has a default service account and the cluster's CA.  They come in the same transaction, so that a pod can be created right after its namespace; a controller puts them back when
 * somebody removes them. */
static void add_namespace_content(struct write_run *r, const struct json *ns)
{
    struct arena *a = r->q->arena;
    str name = object_name(ns), created = json_get_str(object_meta(ns), S("creationTimestamp"));
    struct json sa = namespace_service_account(a, name), cm = namespace_root_ca(a, name, str_of(r->q->srv->opts.ca_pem));
    add_object(r, "serviceaccounts", &sa, created);
    add_object(r, "configmaps", &cm, created);
}

static void namespace_create(struct write_run *r, struct json *obj)
{
    struct arena *a = r->q->arena;
    add_namespace_content(r, obj);
    struct json *spec = json_ensure_object(a, obj, S("spec"));
    struct json *list = json_get(spec, S("finalizers"));
    if (!json_is(list, JSON_ARRAY))
        list = json_set(a, spec, S("finalizers"), json_array());
    if (!object_list_has(spec, S("finalizers"), S("kubernetes")))
        json_push(a, list, json_string(S("kubernetes")));
    json_set(a, obj, S("status"), json_literal(a, "{\"phase\":\"Active\"}"));
}

/* spec.finalizers change only through namespaces/finalize. */
static void namespace_update(struct write_run *r, const struct json *old, struct json *obj)
{
    if (str_is(r->subresource, "finalize"))
        return;
    struct json *spec = json_ensure_object(r->q->arena, obj, S("spec"));
    const struct json *keep = json_path(old, "spec", "finalizers", NULL);
    if (keep)
        json_set(r->q->arena, spec, S("finalizers"), *keep);
    else
        json_del(spec, S("finalizers"));
}

static void volume_create(struct write_run *r, struct json *obj)
{
    json_set(r->q->arena, obj, S("status"), json_literal(r->q->arena, "{\"phase\":\"Pending\"}"));
}

/* --- jobs --------------------------------------------------------------------------------------------------------------- */

/* A job selects its pods by its own uid unless manualSelector is set. */
static void job_create(struct write_run *r, struct json *obj)
{
    struct arena *a = r->q->arena;
    struct json *spec = json_ensure_object(a, obj, S("spec"));
    if (json_get_bool(spec, S("manualSelector"), false))
        return;
    str uid = object_uid(obj), name = object_name(obj);
    struct json *meta = json_ensure_object(a, json_ensure_object(a, spec, S("template")), S("metadata"));
    struct json *labels = json_ensure_object(a, meta, S("labels"));
    static const struct {
        const char *key;
        bool is_uid;
    } marks[] = {{"batch.kubernetes.io/controller-uid", true}, {"batch.kubernetes.io/job-name", false}, {"controller-uid", true}, {"job-name", false}};
    for (size_t i = 0; i < ARRAY_LEN(marks); i++)
        if (!json_get(labels, str_of(marks[i].key)))
            json_set(a, labels, str_of(marks[i].key), json_string(marks[i].is_uid ? uid : name));
    struct json *own = json_ensure_object(a, json_ensure_object(a, obj, S("metadata")), S("labels"));
    if (!own->len) /* a job without labels has those of its pods */
        *own = json_copy(a, labels);
    struct json *selector = json_ensure_object(a, spec, S("selector"));
    struct json *match = json_ensure_object(a, selector, S("matchLabels"));
    json_set(a, match, S("batch.kubernetes.io/controller-uid"), json_string(uid));
}

/* --- daemon sets -------------------------------------------------------------------------------------------------------- */

#define TEMPLATE_GENERATION "deprecated.daemonset.template.generation"

static void daemon_set_generation(struct write_run *r, struct json *obj, int64_t generation)
{
    struct arena *a = r->q->arena;
    struct json *meta = json_ensure_object(a, obj, S("metadata"));
    struct json *annotations = json_ensure_object(a, meta, S("annotations"));
    json_set(a, annotations, S(TEMPLATE_GENERATION), json_string(arena_fmt(a, "%lld", (long long)generation)));
}

static void daemon_set_create(struct write_run *r, struct json *obj)
{
    daemon_set_generation(r, obj, 1);
}

static void daemon_set_update(struct write_run *r, const struct json *old, struct json *obj)
{
    int64_t generation = 1;
    str_to_i64(json_get_str(json_get(object_meta(old), S("annotations")), S(TEMPLATE_GENERATION)), &generation);
    bool changed = !json_equal(json_path(old, "spec", "template", NULL), json_path(obj, "spec", "template", NULL));
    daemon_set_generation(r, obj, generation + changed);
}

/* --- quotas ----------------------------------------------------------------------------------------------------------------- */

static void quota_create(struct write_run *r, struct json *obj)
{
    quota_recount(r->q->srv->store, r->q->arena, r->q->reg, obj, true);
}

static void quota_update(struct write_run *r, const struct json *old, struct json *obj)
{
    struct arena *a = r->q->arena;
    const struct json *status = json_get(obj, S("status"));
    if (r->subresource.len || json_equal(json_get(old, S("spec")), json_get(obj, S("spec"))))
        return;
    if (status)
        json_set(a, obj, S("status"), json_copy(a, status)); /* old's tree is not ours to change */
    quota_recount(r->q->srv->store, a, r->q->reg, obj, false);
}

/* A status without `used` asks for it to be counted.  Whoever is charged meanwhile changes the quota, so that this write fails and counts again. */
static void quota_update_status(struct write_run *r, struct json *obj)
{
    bool is_quota = str_is(r->res->plural, "resourcequotas") && !r->res->group.len;
    if (!is_quota || json_path(obj, "status", "used", NULL))
        return;
    json_set(r->q->arena, obj, S("status"), json_object()); /* the tree may be old's */
    quota_recount(r->q->srv->store, r->q->arena, r->q->reg, obj, false);
}

/* --- groups of tasks ------------------------------------------------------------------------------------------------------ */

/* TaskResources that have no name yet get one: the group's, and by the party. */
static void name_resources(struct arena *a, struct json *obj)
{
    struct json *parties = json_get(json_get(obj, S("spec")), S("parties"));
    str uid = json_get_str(object_meta(obj), S("uid")), name = json_get_str(object_meta(obj), S("name"));
    for (uint32_t i = 0; json_is(parties, JSON_ARRAY) && i < parties->len; i++) {
        struct json *p = &parties->items[i];
        uint64_t h = str_hash(arena_fmt(a, STR_FMT "/" STR_FMT "/" STR_FMT, STR_ARG(uid), STR_ARG(json_get_str(p, S("domainID"))), STR_ARG(json_get_str(p, S("role")))));
        if (json_is(p, JSON_OBJECT) && !json_get_str(p, S("taskResourceName")).len)
            json_set(a, p, S("taskResourceName"), json_string(arena_fmt(a, STR_FMT "-%012llx", STR_ARG(name), (unsigned long long)(h & 0xffffffffffffull))));
    }
}

/* What was checked on the way in is written as Kuscia writes it: a write less for each task, and somebody who watches sees the first phase from the beginning, as with pods. */
static void group_create(struct write_run *r, struct json *obj)
{
    static const char *const holds[] = {"TaskResourceGroupValidated", "TaskResourceNameGenerated"};
    struct arena *a = r->q->arena;
    str now = json_get_str(object_meta(obj), S("creationTimestamp"));
    struct json conditions = json_array();
    for (size_t i = 0; i < ARRAY_LEN(holds); i++)
        json_push(a, &conditions, json_make(a, "{\"type\":%s,\"status\":\"True\",\"lastTransitionTime\":%S}", holds[i], now));
    name_resources(a, obj);
    json_set(a, obj, S("status"), json_make(a, "{\"phase\":\"Creating\",\"startTime\":%S,\"lastTransitionTime\":%S,\"conditions\":%j}", now, now, &conditions));
}

/* --- the table ---------------------------------------------------------------------------------------------------------- */

static const struct hooks hooks[] = {
    {"", "pods", pod_create, pod_update, NULL},
    {"", "namespaces", namespace_create, namespace_update, NULL},
    {"", "persistentvolumeclaims", volume_create, NULL, NULL},
    {"", "persistentvolumes", volume_create, NULL, NULL},
    {"", "services", alloc_service_create, alloc_service_update, alloc_service_remove},
    {"", "resourcequotas", quota_create, quota_update, NULL},
    {"batch", "jobs", job_create, NULL, NULL},
    {"apps", "daemonsets", daemon_set_create, daemon_set_update, NULL},
    {"apiextensions.k8s.io", "customresourcedefinitions", crd_create, crd_update, NULL},
    {"certificates.k8s.io", "certificatesigningrequests", NULL, certificates_update, NULL},
    {"kuscia.secretflow", "taskresourcegroups", group_create, NULL, NULL},
};

static const struct hooks *hooks_of(const struct api_resource *r)
{
    for (size_t i = 0; i < ARRAY_LEN(hooks); i++)
        if (str_is(r->plural, hooks[i].plural) && str_is(r->group, hooks[i].group))
            return &hooks[i];
    return NULL;
}

void strategy_prepare_create(struct write_run *r, struct json *obj)
{
    struct arena *a = r->q->arena;
    struct json *meta = json_ensure_object(a, obj, S("metadata"));
    static const str owned[] = {STR_INIT("deletionTimestamp"), STR_INIT("deletionGracePeriodSeconds"), STR_INIT("selfLink"), STR_INIT("generation"),
                                STR_INIT("resourceVersion")};
    for (size_t i = 0; i < ARRAY_LEN(owned); i++)
        json_del(meta, owned[i]);
    char uid[37], now[CIVIL_TIME_LEN + 1];
    object_new_uid(uid);
    civil_format(clock_wall(r->q->srv->clock), now);
    json_set(a, meta, S("uid"), json_string(arena_str(a, str_of(uid))));
    json_set(a, meta, S("creationTimestamp"), json_string(arena_str(a, str_of(now))));
    if (r->res->flags & API_GENERATION)
        json_set(a, meta, S("generation"), json_number_text(S("1")));
    /* a node registers with the status it has */
    bool is_node = str_is(r->res->plural, "nodes") && str_empty(r->res->group);
    if (has_status(r->res) && !is_node)
        json_del(obj, S("status"));
    const struct hooks *h = hooks_of(r->res);
    if (h && h->create)
        h->create(r, obj);
}

static void keep_metadata(struct arena *a, const struct json *old, struct json *obj)
{
    static const str owned[] = {STR_INIT("uid"), STR_INIT("creationTimestamp"), STR_INIT("deletionTimestamp"), STR_INIT("deletionGracePeriodSeconds"),
                                STR_INIT("generation"), STR_INIT("generateName"), STR_INIT("selfLink")};
    struct json *meta = json_ensure_object(a, obj, S("metadata"));
    for (size_t i = 0; i < ARRAY_LEN(owned); i++)
        keep_old(a, meta, object_meta(old), owned[i]);
}

/* Has anything but metadata and, where it is written on its own, status changed? */
static bool spec_changed(const struct api_resource *r, const struct json *old, const struct json *obj)
{
    const str outside[] = {S("metadata"), S("kind"), S("apiVersion"), has_status(r) ? S("status") : S("metadata")};
    const struct json *sides[2][2] = {{old, obj}, {obj, old}};
    for (int s = 0; s < 2; s++) {
        for (uint32_t i = 0; i < sides[s][0]->len; i++) {
            const struct json_member *m = &sides[s][0]->members[i];
            bool skip = false;
            for (size_t k = 0; k < ARRAY_LEN(outside); k++)
                skip |= str_eq(m->key, outside[k]);
            if (skip)
                continue;
            const struct json *other = json_get(sides[s][1], m->key);
            if (!other || !json_equal(&m->value, other))
                return true;
        }
    }
    return false;
}

static bool annotations_changed(const struct json *old, const struct json *obj)
{
    const struct json *a = json_get(object_meta(old), S("annotations")), *b = json_get(object_meta(obj), S("annotations"));
    bool any_a = a && a->len, any_b = b && b->len;
    return any_a != any_b || (any_a && !json_equal(a, b));
}

/* A deployment's controller also looks at annotations: they are a new generation, too. */
static bool is_new_generation(const struct api_resource *r, const struct json *old, const struct json *obj)
{
    bool deployment = str_is(r->plural, "deployments") && str_is(r->group, "apps");
    return spec_changed(r, old, obj) || (deployment && annotations_changed(old, obj));
}

/* Writes to /status change status.  Those of built-in kinds may change labels and annotations, too, but for the fields of `kept`; those of custom resources nothing else. */
static void keep_all_but_status(struct write_run *r, const struct json *old, struct json *obj)
{
    static const struct {
        const char *group, *plural;
        str field; /* of metadata */
    } kept[] = {{"apps", "deployments", STR_INIT("labels")}, {"", "pods", STR_INIT("ownerReferences")}};
    struct arena *a = r->q->arena;
    struct json given = *obj;
    const struct json *status = json_get(&given, S("status")), *managed = json_get(object_meta(&given), S("managedFields"));
    *obj = json_copy_members(a, old); /* what it has is as complete as it was stored: nothing is filled into the rest of it */
    if (status)
        json_set(a, obj, S("status"), *status);
    else
        json_del(obj, S("status"));
    if (!(r->res->flags & API_CUSTOM)) {
        json_set(a, obj, S("metadata"), *object_meta(&given));
        keep_metadata(a, old, obj);
        for (size_t i = 0; i < ARRAY_LEN(kept); i++)
            if (str_is(r->res->plural, kept[i].plural) && str_is(r->res->group, kept[i].group))
                keep_old(a, object_meta(obj), object_meta(old), kept[i].field);
    } else if (managed) {
        *object_meta(obj) = json_copy_members(a, object_meta(old));
        json_set(a, object_meta(obj), S("managedFields"), *managed);
    }
}

void strategy_prepare_update(struct write_run *r, const struct json *old, struct json *obj)
{
    struct arena *a = r->q->arena;
    if (str_is(r->subresource, "status")) {
        keep_all_but_status(r, old, obj);
        quota_update_status(r, obj);
        return;
    }
    keep_metadata(a, old, obj);
    if (has_status(r->res) && !str_is(r->subresource, "approval")) /* an approval is a condition of the status */
        keep_old(a, obj, old, S("status"));
    const struct hooks *h = hooks_of(r->res);
    if (h && h->update)
        h->update(r, old, obj);
    if ((r->res->flags & API_GENERATION) && is_new_generation(r->res, old, obj)) {
        int64_t generation = json_get_int(object_meta(old), S("generation"), 0);
        json_set(a, object_meta(obj), S("generation"), json_int(a, generation + 1));
    }
}

void strategy_on_remove(struct write_run *r, const struct json *obj)
{
    const struct hooks *h = hooks_of(r->res);
    if (h && h->remove)
        h->remove(r, obj);
    struct admission_attrs attrs = write_admission(r, ADMIT_DELETE, NULL, obj);
    quota_on_remove(&attrs, obj);
    write_take_ops(r, &attrs);
}
