/* admission_quota.c - ResourceQuota: what a namespace may use.
 *
 * Each quota that covers the object gets its status.used raised in the same transaction as the write, under the condition that the quota did not change meanwhile: two creates can never both take the last
 * unit.  What goes away is counted down in the transaction that removes it.
 * Tracked: pods, requests.cpu, requests.memory, limits.*, requests.<extended>, ephemeral-storage, persistentvolumeclaims, requests.storage (also per storage class), services and their node ports and load
 * balancers, and count/<resource>.<group> of any resource. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/quantity.h"
#include "api/selector.h"
#include "apiserver/admission_steps.h"
#include "apiserver/internal.h"
#include "apiserver/quota.h"

/* What objects use of the names that a quota limits; others do not count, so that they cannot crowd these out. */
struct usage_item {
    str name;
    struct quantity value;
};
struct usage {
    struct arena *arena;     /* for names on the way */
    const struct json *hard; /* spec.hard of the quota; names point into it */
    struct usage_item *items;
    size_t len, room;
};

static struct usage usage_new(struct arena *a, const struct json *hard)
{
    size_t room = json_is(hard, JSON_OBJECT) ? hard->len : 0;
    return (struct usage){.arena = a, .hard = hard, .items = arena_array(a, room, struct usage_item), .room = room};
}

static struct usage_item *usage_find(const struct usage *u, str name)
{
    for (size_t i = 0; i < u->len; i++)
        if (str_eq(u->items[i].name, name))
            return &u->items[i];
    return NULL;
}

static void usage_put(struct usage *u, str name, struct quantity value)
{
    if (u->len < u->room)
        u->items[u->len++] = (struct usage_item){name, value};
}

static void use(struct usage *u, str name, struct quantity value)
{
    struct usage_item *it = usage_find(u, name);
    if (it) {
        quantity_add(&it->value, &value);
        return;
    }
    for (uint32_t i = 0; json_is(u->hard, JSON_OBJECT) && i < u->hard->len; i++)
        if (str_eq(u->hard->members[i].key, name))
            usage_put(u, u->hard->members[i].key, value);
}

static void use_count(struct usage *u, str name, int64_t n)
{
    use(u, name, quantity_from_i64(n));
}

/* --- usage of one object ------------------------------------------------------------------------------------------------------------------------ */

static bool is_terminal(const struct json *pod)
{
    str phase = json_get_str(json_get(pod, S("status")), S("phase"));
    return str_is(phase, "Succeeded") || str_is(phase, "Failed");
}

static bool is_native(str resource)
{
    return str_is(resource, "cpu") || str_is(resource, "memory") || str_is(resource, "ephemeral-storage") || str_has_prefix(resource, S("hugepages-"));
}

/* The names under which a quota can limit a resource of a container; "" for those it cannot. */
static void limit_names(struct arena *a, bool requests, str resource, str ret[2])
{
    bool native = is_native(resource);
    ret[0] = requests || native ? arena_fmt(a, "%s." STR_FMT, requests ? "requests" : "limits", STR_ARG(resource)) : S("");
    ret[1] = requests && native ? resource : S("");
}

/* Sum of the containers, or the largest init container where that is more. */
static void pod_resources(struct usage *u, const struct json *spec, bool requests)
{
    struct usage sum = usage_new(u->arena, u->hard);
    static const str lists[] = {STR_INIT("containers"), STR_INIT("initContainers")};
    str names[2];
    for (size_t l = 0; l < ARRAY_LEN(lists); l++) {
        const struct json *containers = json_get(spec, lists[l]);
        for (uint32_t i = 0; json_is(containers, JSON_ARRAY) && i < containers->len; i++) {
            const struct json *c = &containers->items[i], *list = json_get(json_get(c, S("resources")), requests ? S("requests") : S("limits"));
            bool adds = l == 0 || str_is(json_get_str(c, S("restartPolicy")), "Always");
            for (uint32_t k = 0; json_is(list, JSON_OBJECT) && k < list->len; k++) {
                struct quantity q;
                struct usage_item *it = usage_find(&sum, list->members[k].key);
                limit_names(u->arena, requests, list->members[k].key, names);
                if ((!json_get(u->hard, names[0]) && !json_get(u->hard, names[1])) || !quantity_parse(json_str(&list->members[k].value), &q))
                    continue;
                if (!it)
                    usage_put(&sum, list->members[k].key, q);
                else if (adds)
                    quantity_add(&it->value, &q);
                else if (quantity_cmp(&q, &it->value) > 0)
                    it->value = q;
            }
        }
    }
    for (size_t i = 0; i < sum.len; i++) {
        limit_names(u->arena, requests, sum.items[i].name, names);
        for (size_t n = 0; n < ARRAY_LEN(names); n++)
            use(u, names[n], sum.items[i].value);
    }
}

static void pod_usage(struct usage *u, const struct json *pod)
{
    if (is_terminal(pod))
        return;
    use_count(u, S("pods"), 1);
    pod_resources(u, json_get(pod, S("spec")), true);
    pod_resources(u, json_get(pod, S("spec")), false);
}

static void service_usage(struct usage *u, const struct json *svc)
{
    const struct json *spec = json_get(svc, S("spec")), *ports = json_get(spec, S("ports"));
    str type = json_get_str(spec, S("type"));
    int64_t n = json_is(ports, JSON_ARRAY) ? ports->len : 0;
    use_count(u, S("services"), 1);
    if (str_is(type, "NodePort") || (str_is(type, "LoadBalancer") && json_get_bool(spec, S("allocateLoadBalancerNodePorts"), true)))
        use_count(u, S("services.nodeports"), n);
    if (str_is(type, "LoadBalancer"))
        use_count(u, S("services.loadbalancers"), 1);
}

static void claim_usage(struct usage *u, const struct json *pvc)
{
    struct quantity q;
    str class = json_get_str(json_get(pvc, S("spec")), S("storageClassName"));
    bool has = quantity_parse(json_str(json_path(pvc, "spec", "resources", "requests", "storage", NULL)), &q);
    use_count(u, S("persistentvolumeclaims"), 1);
    if (has)
        use(u, S("requests.storage"), q);
    if (class.len) {
        use_count(u, arena_fmt(u->arena, STR_FMT ".storageclass.storage.k8s.io/persistentvolumeclaims", STR_ARG(class)), 1);
        if (has)
            use(u, arena_fmt(u->arena, STR_FMT ".storageclass.storage.k8s.io/requests.storage", STR_ARG(class)), q);
    }
}

/* What a number of objects uses by being there. */
static void count_usage(struct usage *u, const struct api_resource *r, int64_t n)
{
    static const char *const counted[] = {"configmaps", "secrets", "replicationcontrollers", "resourcequotas"};
    use_count(u, r->group.len ? arena_fmt(u->arena, "count/" STR_FMT "." STR_FMT, STR_ARG(r->plural), STR_ARG(r->group)) : arena_cat(u->arena, S("count/"), r->plural), n);
    for (size_t i = 0; !r->group.len && i < ARRAY_LEN(counted); i++)
        if (str_is(r->plural, counted[i]))
            use_count(u, r->plural, n);
}

static void usage_of(struct usage *u, const struct api_resource *r, const struct json *obj)
{
    count_usage(u, r, 1);
    if (r->group.len)
        return;
    if (str_is(r->plural, "pods"))
        pod_usage(u, obj);
    else if (str_is(r->plural, "services"))
        service_usage(u, obj);
    else if (str_is(r->plural, "persistentvolumeclaims"))
        claim_usage(u, obj);
}

/* --- scopes ---------------------------------------------------------------------------------------------------------------------------------------- */

static bool is_best_effort(const struct json *pod)
{
    const struct json *containers = json_path(pod, "spec", "containers", NULL);
    for (uint32_t i = 0; json_is(containers, JSON_ARRAY) && i < containers->len; i++) {
        const struct json *res = json_get(&containers->items[i], S("resources"));
        const struct json *parts[] = {json_get(res, S("requests")), json_get(res, S("limits"))};
        for (size_t k = 0; k < ARRAY_LEN(parts); k++)
            if (json_get(parts[k], S("cpu")) || json_get(parts[k], S("memory")))
                return false;
    }
    return true;
}

static bool scope_matches(str scope, str op, const struct json *values, const struct json *pod)
{
    bool terminating = json_path(pod, "spec", "activeDeadlineSeconds", NULL) != NULL;
    if (str_is(scope, "Terminating"))
        return terminating;
    if (str_is(scope, "NotTerminating"))
        return !terminating;
    if (str_is(scope, "BestEffort"))
        return is_best_effort(pod);
    if (str_is(scope, "NotBestEffort"))
        return !is_best_effort(pod);
    if (str_is(scope, "PriorityClass")) {
        str class = json_get_str(json_get(pod, S("spec")), S("priorityClassName"));
        bool in = false;
        for (uint32_t i = 0; json_is(values, JSON_ARRAY) && i < values->len; i++)
            in |= str_eq(json_str(&values->items[i]), class);
        return str_is(op, "In") ? in : str_is(op, "NotIn") ? !in : str_is(op, "DoesNotExist") ? !class.len : class.len > 0;
    }
    return false;
}

/* Quotas with scopes count pods only, and only those that are in all of them. */
static bool quota_covers(const struct json *quota, const struct api_resource *r, const struct json *obj)
{
    const struct json *scopes = json_path(quota, "spec", "scopes", NULL), *exprs = json_path(quota, "spec", "scopeSelector", "matchExpressions", NULL);
    bool scoped = (json_is(scopes, JSON_ARRAY) && scopes->len) || (json_is(exprs, JSON_ARRAY) && exprs->len);
    if (!scoped)
        return true;
    if (r->group.len || !str_is(r->plural, "pods"))
        return false;
    for (uint32_t i = 0; json_is(scopes, JSON_ARRAY) && i < scopes->len; i++)
        if (!scope_matches(json_str(&scopes->items[i]), S("Exists"), NULL, obj))
            return false;
    for (uint32_t i = 0; json_is(exprs, JSON_ARRAY) && i < exprs->len; i++) {
        const struct json *e = &exprs->items[i];
        if (!scope_matches(json_get_str(e, S("scopeName")), json_get_str(e, S("operator")), json_get(e, S("values")), obj))
            return false;
    }
    return true;
}

/* --- one quota ------------------------------------------------------------------------------------------------------------------------------------- */

struct quota_run {
    struct admission_attrs *at;
    const struct json *now, *before; /* the object as it will be, as it was; NULL: none */
    struct err *err;
    int result;
};

static struct quantity used_of(const struct usage *u, str name)
{
    const struct usage_item *it = usage_find(u, name);
    return it ? it->value : quantity_from_i64(0);
}

static void say(struct strbuf *b, str name, str value)
{
    strbuf_addf(b, "%s" STR_FMT "=" STR_FMT, b->len ? "," : "", STR_ARG(name), STR_ARG(value));
}

/* A quota on cpu or memory wants every pod to say how much it needs. */
static bool must_specify(struct quota_run *q, const struct json *hard, const struct usage *now, str quota_name)
{
    if (!q->now || q->before || !admission_is_kind(q->at, "", "pods"))
        return true;
    struct strbuf missing = strbuf_on(q->at->arena);
    static const str needed[] = {STR_INIT("cpu"),          STR_INIT("limits.cpu"),   STR_INIT("limits.memory"),
                                 STR_INIT("memory"),       STR_INIT("requests.cpu"), STR_INIT("requests.memory")};
    for (size_t i = 0; i < ARRAY_LEN(needed); i++) {
        if (json_get(hard, needed[i]) && !usage_find(now, needed[i]))
            strbuf_addf(&missing, "%s" STR_FMT, missing.len ? "," : "", STR_ARG(needed[i]));
    }
    if (!missing.len)
        return true;
    q->result = admission_forbid(q->at, q->err, "failed quota: " STR_FMT ": must specify " STR_FMT, STR_ARG(quota_name), STR_ARG(strbuf_str(&missing)));
    return false;
}

static bool charge(void *arg, struct json *quota, const struct store_kv *kv)
{
    struct quota_run *q = arg;
    struct arena *a = q->at->arena;
    const struct json *hard = json_path(quota, "spec", "hard", NULL);
    struct usage now = usage_new(a, hard), before = usage_new(a, hard);
    bool covered = q->now && quota_covers(quota, q->at->res, q->now);
    if (covered)
        usage_of(&now, q->at->res, q->now);
    if (q->before && quota_covers(quota, q->at->res, q->before))
        usage_of(&before, q->at->res, q->before);
    if (covered && !must_specify(q, hard, &now, object_name(quota)))
        return false;
    if (!now.len && !before.len)
        return true;
    struct json *status = json_ensure_object(a, quota, S("status"));
    json_set(a, status, S("hard"), hard ? json_copy(a, hard) : json_object());
    struct json *used = json_ensure_object(a, status, S("used"));
    struct strbuf asked = strbuf_on(a), have = strbuf_on(a), limited = strbuf_on(a);
    bool changed = false;
    for (uint32_t i = 0; json_is(hard, JSON_OBJECT) && i < hard->len; i++) {
        str name = hard->members[i].key;
        struct quantity delta = used_of(&now, name), old = used_of(&before, name), total, limit;
        quantity_sub(&delta, &old);
        if (!quantity_parse(json_get_str(used, name), &total))
            total = quantity_from_i64(0);
        struct quantity sum = total;
        quantity_add(&sum, &delta);
        if (quantity_sign(&sum) < 0)
            sum = quantity_from_i64(0);
        if (quantity_sign(&delta) > 0 && quantity_parse(json_str(&hard->members[i].value), &limit) && quantity_cmp(&sum, &limit) > 0) {
            say(&asked, name, quantity_format(a, &delta));
            say(&have, name, quantity_format(a, &total));
            say(&limited, name, quantity_format(a, &limit));
        }
        changed |= quantity_sign(&delta) != 0 || !json_get(used, name);
        json_set(a, used, name, json_string(quantity_format(a, &sum)));
    }
    if (asked.len) {
        q->result = admission_forbid(q->at, q->err, "exceeded quota: " STR_FMT ", requested: " STR_FMT ", used: " STR_FMT ", limited: " STR_FMT, STR_ARG(object_name(quota)),
                                     STR_ARG(strbuf_str(&asked)), STR_ARG(strbuf_str(&have)), STR_ARG(strbuf_str(&limited)));
        return false;
    }
    if (!changed || q->at->req->dry_run)
        return true;
    const struct api_resource *quotas = object_builtin(S(""), S("resourcequotas"));
    uint32_t rev_at;
    str bytes = object_encode(a, quotas, quota, &rev_at);
    if (!admission_add_op(q->at, (struct store_op){.type = STORE_PUT, .key = arena_str(a, store_kv_key(kv)), .value = bytes, .rev_at = rev_at, .expect = kv->mod_rev}))
        q->result = err_set(q->err, E_INTERNAL, "more resource quotas apply than one transaction can hold");
    return q->result == 0;
}

int validate_resource_quota(struct admission_attrs *at, struct err *err)
{
    if (!api_is_namespaced(at->res) || at->op == ADMIT_DELETE)
        return 0;
    bool is_quota = admission_is_kind(at, "", "resourcequotas");
    bool counts = !at->subresource.len || str_is(at->subresource, "status") || str_is(at->subresource, "resize");
    if (at->op == ADMIT_UPDATE && (is_quota || !counts))
        return 0;
    struct quota_run q = {.at = at, .now = at->obj, .before = at->old, .err = err};
    object_each(at->store, at->arena, object_builtin(S(""), S("resourcequotas")), at->ns, charge, &q);
    return q.result;
}

/* --- removal and recount ------------------------------------------------------------------------------------------------------------------------------ */

void quota_on_remove(struct admission_attrs *at, const struct json *obj)
{
    struct err err;
    struct quota_run q = {.at = at, .before = obj, .err = &err};
    if (api_is_namespaced(at->res))
        object_each(at->store, at->arena, object_builtin(S(""), S("resourcequotas")), at->ns, charge, &q);
}

struct recount {
    const struct json *quota;
    const struct api_resource *res;
    struct usage usage;
    struct arena scratch; /* per object */
};

static bool count_object(void *arg, const struct store_kv *kv)
{
    struct recount *c = arg;
    struct json obj = object_parse(&c->scratch, store_kv_value(kv));
    if (quota_covers(c->quota, c->res, &obj))
        usage_of(&c->usage, c->res, &obj);
    arena_reset(&c->scratch);
    return true;
}

/* Does it take more than the number of objects to know what they use? */
static bool needs_objects(const struct api_resource *r)
{
    return !r->group.len && (str_is(r->plural, "pods") || str_is(r->plural, "services") || str_is(r->plural, "persistentvolumeclaims"));
}

static void recount_resource(struct recount *c, struct arena *a, struct store_view *view)
{
    str prefix = object_key(a, c->res, object_ns(c->quota), S("")), end = store_prefix_end(a, prefix);
    if (needs_objects(c->res)) {
        store_view_range(view, prefix, end, count_object, c);
    } else if (quota_covers(c->quota, c->res, NULL)) {
        count_usage(&c->usage, c->res, (int64_t)store_view_count(view, prefix, end));
        arena_reset(&c->scratch);
    }
}

void quota_recount(struct store *store, struct arena *a, const struct registry_snapshot *reg, struct json *quota, bool is_new)
{
    CLEANUP(store_view_close) struct store_view *view = NULL;
    BUG_ON(store_view_open(store, 0, &view, NULL) < 0);
    const struct json *hard = json_path(quota, "spec", "hard", NULL);
    struct recount c = {.quota = quota, .usage = usage_new(a, hard)};
    c.usage.arena = &c.scratch;
    for (size_t i = 0; i < reg->nresources; i++) {
        c.res = reg->resources[i];
        if (api_is_namespaced(c.res) && registry_storage(reg, c.res) == c.res && !(c.res->flags & API_CREATE_ONLY))
            recount_resource(&c, a, view);
    }
    const struct api_resource *own = object_builtin(S(""), S("resourcequotas"));
    if (is_new && quota_covers(quota, own, quota))
        usage_of(&c.usage, own, quota); /* it counts itself, and is not stored yet */
    arena_fini(&c.scratch);
    struct json *status = json_ensure_object(a, quota, S("status"));
    json_set(a, status, S("hard"), hard ? json_copy(a, hard) : json_object());
    struct json *used = json_set(a, status, S("used"), json_object());
    for (uint32_t i = 0; json_is(hard, JSON_OBJECT) && i < hard->len; i++) {
        struct quantity q = used_of(&c.usage, hard->members[i].key);
        json_set(a, used, hard->members[i].key, json_string(quantity_format(a, &q)));
    }
}
