/* SPDX-License-Identifier: Apache-2.0 */
#include "apiserver/queue_admission.h"

#include "api/pod_group.h"
#include "api/shard_options.h"
#include "apiserver/admission_steps.h"
#include "apiserver/internal.h"
#include "base/limits.h"
#include "base/vec.h"

#define NAMES_SHOWN 3

static bool queue_get(struct admission_attrs *at, str name, struct json *ret)
{
    return object_get_builtin(at->store, at->arena, S(QUEUE_GROUP), S("queues"), S(""), name, ret, NULL);
}

static str parent_of(const struct json *queue)
{
    return json_get_str(json_get(queue, S("spec")), S("parentQueue"));
}

static bool has_mark(const struct json *queue, const char *annotation)
{
    return str_is(json_get_str(json_get(object_meta(queue), S("annotations")), str_of(annotation)), "true");
}

static int invalid(const struct admission_attrs *at, struct err *err, const char *field, str value, const char *text)
{
    return err_set(err, E_INVALID, "Queue." QUEUE_GROUP " \"" STR_FMT "\" is invalid: %s: Invalid value: \"" STR_FMT "\": %s", STR_ARG(at->name), field, STR_ARG(value), text);
}

/* Some names and how many there are in all: "a, b and 3 more". */
struct some {
    struct arena *arena;
    str shown[NAMES_SHOWN];
    size_t n;
};

static void some_add(struct some *s, str name)
{
    if (s->n < NAMES_SHOWN)
        s->shown[s->n] = arena_str(s->arena, name);
    s->n++;
}

static const char *some_text(struct some *s)
{
    struct strbuf b = strbuf_on(s->arena);
    for (size_t i = 0; i < MIN(s->n, (size_t)NAMES_SHOWN); i++)
        strbuf_addf(&b, "%s" STR_FMT, i ? ", " : "", STR_ARG(s->shown[i]));
    if (s->n > NAMES_SHOWN)
        strbuf_addf(&b, " and %zu more", s->n - NAMES_SHOWN);
    return strbuf_cstr(&b);
}

/* --- the tree ------------------------------------------------------------------------------------------------------------------- */

/* Two changes of the tree at once: one is tried again. */
static void lock_tree(struct admission_attrs *at)
{
    CLEANUP(store_kv_unref) struct store_kv *kv = store_get(at->store, S(QUEUE_TREE_KEY));
    admission_add_op(at, (struct store_op){.type = STORE_PUT, .key = S(QUEUE_TREE_KEY), .value = S("1"), .expect = kv ? kv->mod_rev : 0});
}

struct tree_queue {
    str name, parent;
    bool below; /* the queue that is written */
};
struct tree_search {
    VEC(struct tree_queue) queues;
};

static bool tree_collect(void *arg, struct json *obj, const struct store_kv *kv UNUSED)
{
    struct tree_search *s = arg;
    vec_push(&s->queues, (struct tree_queue){object_name(obj), parent_of(obj), false});
    return true;
}

static bool is_below(const struct tree_search *s, str parent)
{
    for (size_t i = 0; i < s->queues.len; i++)
        if (s->queues.p[i].below && str_eq(s->queues.p[i].name, parent))
            return true;
    return false;
}

/* How many levels hang below the queue, itself not counted; it moves with all of them, or they have waited for it. */
static size_t levels_below(struct admission_attrs *at)
{
    struct tree_search s = {0};
    object_each(at->store, at->arena, object_builtin(S(QUEUE_GROUP), S("queues")), S(""), tree_collect, &s);
    size_t levels = 0;
    VEC(size_t) next = {0};
    for (bool more = true; more && levels <= LIMIT_QUEUE_DEPTH; levels += more) {
        more = false;
        vec_clear(&next);
        for (size_t i = 0; i < s.queues.len; i++) {
            const struct tree_queue *q = &s.queues.p[i];
            if (!q->below && !str_eq(q->name, at->name) && q->parent.len && (levels ? is_below(&s, q->parent) : str_eq(q->parent, at->name)))
                vec_push(&next, i);
        }
        for (size_t i = 0; i < next.len; i++)
            s.queues.p[next.p[i]].below = more = true;
    }
    vec_fini(&next);
    vec_fini(&s.queues);
    return levels;
}

static int too_deep(struct admission_attrs *at, str parent, struct err *err)
{
    return invalid(at, err, "spec.parentQueue", parent,
                   arena_cstr(at->arena, arena_fmt(at->arena, "there are more than %d queues above each other, those below this one counted", LIMIT_QUEUE_DEPTH)));
}

static int check_parents(struct admission_attrs *at, struct err *err)
{
    str first = parent_of(at->obj), name = first;
    struct strbuf way = strbuf_on(at->arena);
    strbuf_add_str(&way, at->name);
    size_t below = levels_below(at);
    if (below >= LIMIT_QUEUE_DEPTH)
        return too_deep(at, first, err);
    for (size_t depth = 1; name.len; depth++) {
        struct json up;
        strbuf_addf(&way, " > " STR_FMT, STR_ARG(name));
        if (str_eq(name, at->name))
            return invalid(at, err, "spec.parentQueue", first, arena_cstr(at->arena, arena_fmt(at->arena, "its parents lead back to the queue itself: %s", strbuf_cstr(&way))));
        if (depth + below >= LIMIT_QUEUE_DEPTH)
            return too_deep(at, first, err);
        if (!queue_get(at, name, &up)) {
            api_req_warn(at->req, arena_fmt(at->arena, "spec.parentQueue: queue \"" STR_FMT "\" does not exist: work in \"" STR_FMT "\" waits until it does", STR_ARG(name), STR_ARG(at->name)));
            break;
        }
        name = parent_of(&up);
    }
    return 0;
}

/* --- what is owed ------------------------------------------------------------------------------------------------------------------ */

#define OWED_MAX 64u

struct below {
    str parent;                   /* whose children */
    const struct json *self;      /* the queue being written, in place of what is stored of it */
    str self_name;
    VEC(const struct json *) children; /* specs */
};

static bool collect(void *arg, struct json *obj, const struct store_kv *kv UNUSED)
{
    struct below *b = arg;
    if (!str_eq(object_name(obj), b->self_name) && str_eq(parent_of(obj), b->parent))
        vec_push(&b->children, json_get(obj, S("spec")));
    return true;
}

static double quota_of(const struct json *spec, str resource)
{
    double d;
    const struct json *v = json_get(json_get(json_get(spec, S("resources")), resource), S("quota"));
    return v && json_to_double(v, &d) ? d : 0;
}

struct owed {
    str resource;
    double sum;
    bool unlimited;
};

static struct owed *owed_of(struct owed *all, size_t *n, str resource)
{
    for (size_t i = 0; i < *n; i++)
        if (str_eq(all[i].resource, resource))
            return &all[i];
    if (*n == OWED_MAX)
        return NULL;
    all[*n] = (struct owed){.resource = resource};
    return &all[(*n)++];
}

/* The first resource of which the children are owed more than the parent, as a sentence; NULL when all is well.  Of very many resources the first ones are looked at. */
static const char *too_much(struct arena *a, str parent, const struct json *spec, const struct below *b)
{
    struct owed all[OWED_MAX];
    size_t n = 0;
    for (size_t i = 0; i < b->children.len; i++) {
        const struct json *names = json_get(b->children.p[i], S("resources"));
        for (uint32_t k = 0; json_is(names, JSON_OBJECT) && k < names->len; k++) {
            struct owed *o = owed_of(all, &n, names->members[k].key);
            double q = quota_of(b->children.p[i], names->members[k].key);
            if (o) {
                o->unlimited |= q == -1;
                o->sum += q;
            }
        }
    }
    for (size_t i = 0; i < n; i++) {
        const struct owed *o = &all[i];
        double own = quota_of(spec, o->resource);
        if (own == -1 || (!o->unlimited && o->sum <= own))
            continue;
        if (o->unlimited)
            return arena_cstr(a, arena_fmt(a, "a queue below \"" STR_FMT "\" is owed all the " STR_FMT " that it asks for, and the parent itself %.15g", STR_ARG(parent), STR_ARG(o->resource), own));
        return arena_cstr(a, arena_fmt(a, "the queues below \"" STR_FMT "\" are owed %.15g " STR_FMT " together, and the parent itself %.15g", STR_ARG(parent), o->sum, STR_ARG(o->resource), own));
    }
    return NULL;
}

static int check_level(struct admission_attrs *at, str parent, const struct json *queue, bool with_self, struct err *err)
{
    struct below b = {.parent = parent, .self_name = at->name};
    object_each(at->store, at->arena, object_builtin(S(QUEUE_GROUP), S("queues")), S(""), collect, &b);
    if (with_self)
        vec_push(&b.children, json_get(at->obj, S("spec")));
    const char *text = too_much(at->arena, parent, json_get(queue, S("spec")), &b);
    vec_fini(&b.children);
    if (text && has_mark(queue, QUEUE_STRICT))
        return err_set(err, E_INVALID, "Queue." QUEUE_GROUP " \"" STR_FMT "\" is invalid: spec.resources: Forbidden: %s, which has the annotation " QUEUE_STRICT, STR_ARG(at->name), text);
    if (text)
        api_req_warn(at->req, arena_fmt(at->arena, "spec.resources: %s: not all of them can have it at once", text));
    return 0;
}

static int check_quotas(struct admission_attrs *at, struct err *err)
{
    struct json up;
    str parent = parent_of(at->obj);
    if (parent.len && queue_get(at, parent, &up)) {
        int r = check_level(at, parent, &up, true, err);
        if (r < 0)
            return r;
    }
    return at->op == ADMIT_UPDATE ? check_level(at, at->name, at->obj, false, err) : 0;
}

/* What is above the limit cannot be had. */
static void warn_of_limits(struct admission_attrs *at)
{
    const struct json *map = json_path(at->obj, "spec", "resources", NULL);
    for (uint32_t k = 0; json_is(map, JSON_OBJECT) && k < map->len; k++) {
        double quota = quota_of(json_get(at->obj, S("spec")), map->members[k].key), limit;
        const struct json *v = json_get(&map->members[k].value, S("limit"));
        if (v && json_to_double(v, &limit) && limit >= 0 && quota > limit)
            api_req_warn(at->req, arena_fmt(at->arena, "spec.resources[" STR_FMT "]: the queue is owed %.15g, and its limit is %.15g: it never has more than that", STR_ARG(map->members[k].key), quota, limit));
    }
}

/* --- resources ---------------------------------------------------------------------------------------------------------------------- */

struct spoken { /* what all queues speak of */
    str self;
    VEC(str) names;
};

static void speak(struct spoken *s, const struct json *queue)
{
    const struct json *map = json_get(json_get(queue, S("spec")), S("resources"));
    for (uint32_t k = 0; json_is(map, JSON_OBJECT) && k < map->len; k++) {
        str name = str_is(map->members[k].key, "gpu") ? S("nvidia.com/gpu") : map->members[k].key;
        bool known = false;
        for (size_t i = 0; i < s->names.len && !known; i++)
            known = str_eq(s->names.p[i], name);
        if (!known)
            vec_push(&s->names, name);
    }
}

static bool speak_other(void *arg, struct json *obj, const struct store_kv *kv UNUSED)
{
    struct spoken *s = arg;
    if (!str_eq(object_name(obj), s->self))
        speak(s, obj);
    return true;
}

/* The scheduler keeps an account of each for every queue, of so many at most. */
static int check_resources(struct admission_attrs *at, bool *ret_new, struct err *err)
{
    struct spoken s = {.self = at->name};
    static const str always[] = {STR_INIT("cpu"), STR_INIT("memory"), STR_INIT("nvidia.com/gpu")};
    for (size_t i = 0; i < ARRAY_LEN(always); i++)
        vec_push(&s.names, always[i]);
    object_each(at->store, at->arena, object_builtin(S(QUEUE_GROUP), S("queues")), S(""), speak_other, &s);
    size_t before = s.names.len;
    speak(&s, at->obj);
    size_t n = s.names.len;
    str last = s.names.p[n - 1];
    vec_fini(&s.names);
    *ret_new = n > before;
    if (n == before || n <= LIMIT_QUEUE_RESOURCES)
        return 0;
    return err_set(err, E_INVALID,
                   "Queue." QUEUE_GROUP " \"" STR_FMT "\" is invalid: spec.resources[" STR_FMT "]: Forbidden: queues would speak of %zu resources together, and %d are possible, cpu, memory and gpu among them: "
                   "take those out that no queue needs to share",
                   STR_ARG(at->name), STR_ARG(last), n, LIMIT_QUEUE_RESOURCES);
}

/* --- leaving ------------------------------------------------------------------------------------------------------------------------- */

struct users {
    str queue, mark; /* bytes that every object in the queue has */
    struct arena scratch;
    bool is_pods;
    struct some found;
};

static bool is_in_queue(const struct users *u, const struct json *obj)
{
    if (object_is_deleting(obj))
        return false;
    if (!u->is_pods)
        return str_eq(json_get_str(json_get(obj, S("spec")), S("queue")), u->queue);
    str phase = json_get_str(json_get(obj, S("status")), S("phase"));
    return !str_is(phase, "Succeeded") && !str_is(phase, "Failed") && str_eq(json_get_str(json_get(object_meta(obj), S("labels")), S(QUEUE_LABEL)), u->queue);
}

/* Most objects are ruled out by their bytes: there may be very many. */
static bool look_at(void *arg, const struct store_kv *kv)
{
    struct users *u = arg;
    str bytes = store_kv_value(kv);
    if (str_find(bytes, u->mark) < 0)
        return true;
    arena_reset(&u->scratch);
    struct json obj = object_parse(&u->scratch, arena_str(&u->scratch, bytes));
    if (is_in_queue(u, &obj))
        some_add(&u->found, arena_fmt(&u->scratch, STR_FMT "/" STR_FMT, STR_ARG(object_ns(&obj)), STR_ARG(object_name(&obj))));
    return true;
}

static struct some find_users(struct admission_attrs *at, str group, str plural, const char *key)
{
    struct users u = {.queue = at->name, .is_pods = !group.len, .found.arena = at->arena};
    CLEANUP(store_view_close) struct store_view *view = NULL;
    str prefix = object_key(at->arena, object_builtin(group, plural), S(""), S(""));
    u.mark = arena_fmt(at->arena, "\"%s\":\"" STR_FMT "\"", key, STR_ARG(at->name));
    BUG_ON(store_view_open(at->store, 0, &view, NULL) < 0);
    store_view_range(view, prefix, store_prefix_end(at->arena, prefix), look_at, &u);
    arena_fini(&u.scratch);
    return u.found;
}

struct child_search {
    str parent;
    struct some found;
};

static bool find_child(void *arg, struct json *obj, const struct store_kv *kv UNUSED)
{
    struct child_search *s = arg;
    if (str_eq(parent_of(obj), s->parent))
        some_add(&s->found, object_name(obj));
    return true;
}

static int check_delete(struct admission_attrs *at, struct err *err)
{
    struct child_search s = {.parent = at->name, .found.arena = at->arena};
    object_each(at->store, at->arena, object_builtin(S(QUEUE_GROUP), S("queues")), S(""), find_child, &s);
    if (s.found.n)
        return admission_forbid(at, err, "there are queues below it (%s): delete them first, or give them another parent", some_text(&s.found));
    struct some groups = find_users(at, S(QUEUE_GROUP), S("podgroups"), "queue"), pods = find_users(at, S(""), S("pods"), QUEUE_LABEL);
    if (groups.n)
        return admission_forbid(at, err, "there is work in it (pod groups %s): let it end or delete it first", some_text(&groups));
    if (pods.n)
        return admission_forbid(at, err, "there is work in it (pods %s): let it end or delete it first", some_text(&pods));
    lock_tree(at);
    return 0;
}

static int validate_queue(struct admission_attrs *at, struct err *err)
{
    if (at->op == ADMIT_DELETE)
        return check_delete(at, err);
    if (at->subresource.len)
        return 0;
    bool moved = at->op == ADMIT_CREATE || !str_eq(parent_of(at->obj), parent_of(at->old));
    int r = moved ? check_parents(at, err) : 0;
    if (r < 0)
        return r;
    const struct json *was = at->old ? json_get(at->old, S("spec")) : NULL, *is = json_get(at->obj, S("spec"));
    bool fresh = false;
    if (!was || !is || !json_equal(was, is))
        r = check_resources(at, &fresh, err);
    if (r < 0)
        return r;
    if (moved || fresh)
        lock_tree(at);
    bool strict = at->old && has_mark(at->obj, QUEUE_STRICT) && !has_mark(at->old, QUEUE_STRICT);
    if (was && is && !strict && json_equal(was, is))
        return 0;
    warn_of_limits(at);
    return check_quotas(at, err);
}

/* --- work ---------------------------------------------------------------------------------------------------------------------------- */

/* The queues that an object names, each once. */
struct named {
    struct arena *arena;
    str *names;
    size_t n, room;
};

static bool is_named(const struct named *x, str name)
{
    for (size_t i = 0; i < x->n; i++)
        if (str_eq(x->names[i], name))
            return true;
    return false;
}

static void name_add(struct named *x, str name)
{
    if (!name.len || is_named(x, name))
        return;
    if (x->n == x->room) {
        size_t room = x->room ? 2 * x->room : 4;
        x->names = arena_grow(x->arena, x->names, x->room * sizeof *x->names, room * sizeof *x->names);
        x->room = room;
    }
    x->names[x->n++] = name;
}

/* Labels of pods to be stand at many depths: a template, that of a Job of a CronJob, those of the roles of a training job, a driver's.  What an operator makes of them is not asked about again. */
static void name_all(struct named *x, const struct json *v)
{
    for (uint32_t i = 0; json_is(v, JSON_ARRAY) && i < v->len; i++)
        name_all(x, &v->items[i]);
    for (uint32_t i = 0; json_is(v, JSON_OBJECT) && i < v->len; i++) {
        if (str_is(v->members[i].key, "labels"))
            name_add(x, json_get_str(&v->members[i].value, S(QUEUE_LABEL)));
        name_all(x, &v->members[i].value);
    }
}

/* Who joins a group works in its queue. */
static str group_queue(const struct admission_attrs *at, const struct json *obj)
{
    str name = pod_group_name(obj);
    struct json group;
    if (!name.len || !object_get_builtin(at->store, at->arena, S(QUEUE_GROUP), S("podgroups"), at->ns, name, &group, NULL))
        return S("");
    return json_get_str(json_get(&group, S("spec")), S("queue"));
}

static struct named queues_of(const struct admission_attrs *at, const struct json *obj)
{
    struct named x = {.arena = at->arena};
    const struct json *spec = json_get(obj, S("spec"));
    name_add(&x, json_get_str(json_get(object_meta(obj), S("labels")), S(QUEUE_LABEL)));
    if (admission_is_kind(at, "", "pods"))
        name_add(&x, group_queue(at, obj));
    else if (!at->subresource.len)
        name_all(&x, spec);
    if (admission_is_kind(at, QUEUE_GROUP, "podgroups"))
        name_add(&x, json_get_str(spec, S("queue")));
    return x;
}

static bool may_use(struct admission_attrs *at, str name)
{
    /* also by a RoleBinding in the namespace of the work: that is how a team gets its queue */
    struct authz_attrs attrs = {.user = &at->req->user, .is_resource = true, .verb = S("use"), .group = S(QUEUE_GROUP), .version = S("v2"), .resource = S("queues"), .ns = at->ns, .name = name};
    return authz_check(at->srv->authz, at->arena, &attrs, NULL);
}

static int check_use(struct admission_attrs *at, str name, struct err *err)
{
    struct json queue;
    if (!queue_get(at, name, &queue)) {
        api_req_warn(at->req, arena_fmt(at->arena, "queue \"" STR_FMT "\" does not exist: the work waits until it does", STR_ARG(name)));
        return 0;
    }
    if (has_mark(&queue, QUEUE_RESTRICTED) && !may_use(at, name))
        return admission_forbid(at, err, "queue \"" STR_FMT "\" is restricted, and user \"" STR_FMT "\" does not have the verb \"use\" on queues." QUEUE_GROUP " \"" STR_FMT "\"", STR_ARG(name),
                                STR_ARG(at->req->user.name), STR_ARG(name));
    const struct json *children = json_path(&queue, "status", "childQueues", NULL);
    if (json_is(children, JSON_ARRAY) && children->len)
        api_req_warn(at->req, arena_fmt(at->arena, "queue \"" STR_FMT "\" has queues below it: only those at the end of the tree take work", STR_ARG(name)));
    return 0;
}

static int validate_work(struct admission_attrs *at, struct err *err)
{
    struct named now = queues_of(at, at->obj), was = {0};
    if (now.n && at->old)
        was = queues_of(at, at->old);
    for (size_t i = 0; i < now.n; i++) {
        int r = is_named(&was, now.names[i]) ? 0 : check_use(at, now.names[i], err);
        if (r < 0)
            return r;
    }
    return 0;
}

/* --- words that nobody understands ----------------------------------------------------------------------------------------------------- */

static void warn_of_class(struct admission_attrs *at, const char *where, str name)
{
    if (!object_get_builtin(at->store, at->arena, S("scheduling.k8s.io"), S("priorityclasses"), S(""), name, &(struct json){0}, NULL))
        api_req_warn(at->req, arena_fmt(at->arena, "%s: PriorityClass \"" STR_FMT "\" does not exist: the work does not have its priority until it does", where, STR_ARG(name)));
}

static void warn_of_topology(struct admission_attrs *at, const char *where, str name)
{
    if (!object_get_builtin(at->store, at->arena, S("kai.scheduler"), S("topologies"), S(""), name, &(struct json){0}, NULL))
        api_req_warn(at->req, arena_fmt(at->arena, "%s: Topology \"" STR_FMT "\" does not exist: levels are taken for labels of nodes until it does", where, STR_ARG(name)));
}

/* What a key of labels or annotations says now, "" when it said so before. */
static str news(const struct json *meta, const struct json *old, const char *map, const char *key)
{
    str is = json_get_str(json_get(meta, str_of(map)), str_of(key));
    return str_eq(is, json_get_str(json_get(old, str_of(map)), str_of(key))) ? S("") : is;
}

/* Grouping passes over what it does not understand, and then work is evicted, or not a gang, that its people think safe. */
static void warn_of_words(struct admission_attrs *at, const struct json *meta, const struct json *old, bool is_queued)
{
    str kind = news(meta, old, "labels", "kai.scheduler/preemptibility"), class_ = news(meta, old, "labels", "priorityClassName");
    str min = news(meta, old, "annotations", "kai.scheduler/batch-min-member"), tree = news(meta, old, "annotations", "kai.scheduler/topology");
    if (kind.len && !str_is(kind, "preemptible") && !str_is(kind, "non-preemptible") && !str_is(kind, "semi-preemptible"))
        api_req_warn(at->req, arena_fmt(at->arena, "label kai.scheduler/preemptibility: \"" STR_FMT "\" has no effect: there are preemptible, non-preemptible and semi-preemptible", STR_ARG(kind)));
    if (class_.len && is_queued)
        warn_of_class(at, "label priorityClassName", class_);
    int64_t n;
    if (min.len && (!str_to_i64(min, &n) || n < 1))
        api_req_warn(at->req, arena_fmt(at->arena, "annotation kai.scheduler/batch-min-member: \"" STR_FMT "\" has no effect: must be a whole number from 1 on", STR_ARG(min)));
    if (tree.len)
        warn_of_topology(at, "annotation kai.scheduler/topology", tree);
}

static void warn_of_work(struct admission_attrs *at)
{
    static const char *const paths[][5] = {{"metadata"}, {"spec", "template", "metadata"}, {"spec", "jobTemplate", "metadata"}, {"spec", "jobTemplate", "spec", "template", "metadata"}};
    bool is_queued = queues_of(at, at->obj).n > 0;
    for (size_t i = 0; i < ARRAY_LEN(paths); i++) {
        const char *const *p = paths[i];
        const struct json *meta = json_path(at->obj, p[0], p[1], p[2], p[3], p[4], NULL), *old = at->old ? json_path(at->old, p[0], p[1], p[2], p[3], p[4], NULL) : NULL;
        if (meta)
            warn_of_words(at, meta, old, is_queued);
    }
}

/* The same of a group itself. */
static void warn_of_group(struct admission_attrs *at)
{
    const struct json *spec = json_get(at->obj, S("spec")), *was = at->old ? json_get(at->old, S("spec")) : NULL;
    str class_ = json_get_str(spec, S("priorityClassName")), tree = json_get_str(json_get(spec, S("topologyConstraint")), S("topology"));
    if (class_.len && !str_eq(class_, json_get_str(was, S("priorityClassName"))))
        warn_of_class(at, "spec.priorityClassName", class_);
    if (tree.len && !str_eq(tree, json_get_str(json_get(was, S("topologyConstraint")), S("topology"))))
        warn_of_topology(at, "spec.topologyConstraint.topology", tree);
}

/* A sub-group that has sub-groups has no pods of its own to be counted. */
static void warn_of_members(struct admission_attrs *at)
{
    const struct json *list = json_path(at->obj, "spec", "subGroups", NULL);
    for (uint32_t i = 0; json_is(list, JSON_ARRAY) && i < list->len; i++) {
        str name = json_get_str(&list->items[i], S("name"));
        if (json_get_int(&list->items[i], S("minMember"), 0) <= 0)
            continue;
        for (uint32_t k = 0; k < list->len; k++)
            if (str_eq(json_get_str(&list->items[k], S("parent")), name)) {
                api_req_warn(at->req, arena_fmt(at->arena, "spec.subGroups[%u].minMember: has no effect: \"" STR_FMT "\" has sub-groups, and they hold the pods", i, STR_ARG(name)));
                break;
            }
    }
}

/* --- shards ------------------------------------------------------------------------------------------------------------------------ */

struct same_pool {
    str self, pool, other; /* other: the one that has it already */
};

static bool find_same_pool(void *arg, struct json *obj, const struct store_kv *kv UNUSED)
{
    struct same_pool *x = arg;
    if (!str_eq(object_name(obj), x->self) && str_eq(json_get_str(json_get(obj, S("spec")), S("partitionLabelValue")), x->pool))
        x->other = object_name(obj);
    return x->other.len == 0;
}

/* What is wrong was refused before (api/validate_scheduling.c). */
static void warn_of_shard(struct admission_attrs *at)
{
    struct shard_options options;
    struct shard_notes notes;
    shard_options_read(at->arena, json_get(at->obj, S("spec")), &options, &notes);
    for (size_t i = 0; i < notes.n; i++)
        if (!notes.list[i].is_error)
            api_req_warn(at->req, arena_fmt(at->arena, "spec." STR_FMT ": " STR_FMT, STR_ARG(notes.list[i].path), STR_ARG(notes.list[i].text)));
    struct same_pool same = {.self = at->name, .pool = options.pool};
    object_each(at->store, at->arena, object_builtin(S("kai.scheduler"), S("schedulingshards")), S(""), find_same_pool, &same);
    if (same.other.len)
        api_req_warn(at->req, arena_fmt(at->arena, "spec.partitionLabelValue: SchedulingShard \"" STR_FMT "\" is for the same node pool; the first by name counts", STR_ARG(same.other)));
}

int queues_validate(struct admission_attrs *at, struct err *err)
{
    if (admission_is_kind(at, QUEUE_GROUP, "queues"))
        return validate_queue(at, err);
    if (at->op != ADMIT_DELETE && !at->subresource.len && admission_is_kind(at, "kai.scheduler", "schedulingshards"))
        warn_of_shard(at);
    if (at->op == ADMIT_DELETE || !api_is_namespaced(at->res))
        return 0;
    bool is_group = admission_is_kind(at, QUEUE_GROUP, "podgroups");
    if (!at->subresource.len && is_group) {
        warn_of_members(at);
        warn_of_group(at);
    }
    int r = validate_work(at, err);
    if (r >= 0 && !at->subresource.len && !is_group)
        warn_of_work(at);
    return r;
}
