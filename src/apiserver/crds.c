/* SPDX-License-Identifier: Apache-2.0 */
#include "apiserver/crds.h"

#include "api/crd.h"
#include "base/civil.h"
#include "base/log.h"
#include "base/vec.h"

#define CLEANUP_FINALIZER "customresourcecleanup.apiextensions.k8s.io"

struct crds {
    struct apiserver *srv;
    pthread_mutex_t lock; /* one reload at a time */
};

struct crds *crds_new(struct apiserver *s)
{
    struct crds *c = xnew(struct crds);
    c->srv = s;
    pthread_mutex_init(&c->lock, NULL);
    return c;
}

void crds_free(struct crds *c)
{
    if (!c)
        return;
    pthread_mutex_destroy(&c->lock);
    free(c);
}

/* --- registry ------------------------------------------------------------------------------------------------------------------ */

struct load {
    struct arena *arena;
    VEC(const struct api_resource *) found;
};

static bool condition_is_true(const struct json *obj, const char *type)
{
    const struct json *list = json_path(obj, "status", "conditions", NULL);
    for (uint32_t i = 0; json_is(list, JSON_ARRAY) && i < list->len; i++)
        if (str_is(json_get_str(&list->items[i], S("type")), type))
            return str_is(json_get_str(&list->items[i], S("status")), "True");
    return false;
}

/* Somebody installs the definitions of KAI, Gödel or co-scheduling: they are kept as objects, and what is built in goes on to be served. */
static bool is_built_in(const struct json *crd)
{
    const struct json *spec = json_get(crd, S("spec")), *names = json_get(spec, S("names"));
    return api_builtin_find(json_get_str(spec, S("group")), json_get_str(names, S("plural")), json_get_str(names, S("kind"))) != NULL;
}

static bool load_one(void *arg, struct json *crd, const struct store_kv *kv UNUSED)
{
    struct load *l = arg;
    const struct api_resource **made;
    size_t n;
    struct err err;
    if (!condition_is_true(crd, "Established") || is_built_in(crd))
        return true;
    if (crd_build(l->arena, crd, &made, &n, &err) < 0) {
        log_error("a CustomResourceDefinition cannot be served", KV("name", STR_FMT, STR_ARG(object_name(crd))), KV("err", "%s", err.msg));
        return true;
    }
    for (size_t i = 0; i < n; i++) {
        /* what would be created now could be missed by the clean-up and come back with the next definition of this name */
        if (object_is_deleting(crd))
            ((struct api_resource *)made[i])->verbs &= (uint16_t)~API_VERB_CREATE;
        vec_push(&l->found, made[i]);
    }
    return true;
}

void crds_reload(struct crds *c)
{
    struct arena arena = ARENA_INIT;
    struct load l = {.arena = &arena};
    pthread_mutex_lock(&c->lock);
    object_each(c->srv->store, &arena, object_builtin(S("apiextensions.k8s.io"), S("customresourcedefinitions")), S(""), load_one, &l);
    registry_publish(&c->srv->registry, arena, l.found.p, l.found.len);
    pthread_mutex_unlock(&c->lock);
    vec_fini(&l.found);
}

/* --- strategy ------------------------------------------------------------------------------------------------------------------- */

struct name_check {
    const struct json *crd;
    str taken; /* sentence about the name that another CRD or kind already has */
    struct arena *arena;
};

static void check_against(struct name_check *c, const struct api_resource *r)
{
    const struct json *names = json_path(c->crd, "spec", "names", NULL);
    str group = json_get_str(json_get(c->crd, S("spec")), S("group"));
    if (c->taken.len || !str_eq(r->group, group) || str_eq(r->crd_uid, object_uid(c->crd)))
        return;
    if (str_eq(r->plural, json_get_str(names, S("plural"))))
        c->taken = arena_fmt(c->arena, "\"" STR_FMT "\" is already in use", STR_ARG(r->plural));
    else if (str_eq(r->kind, json_get_str(names, S("kind"))))
        c->taken = arena_fmt(c->arena, "\"" STR_FMT "\" is already in use", STR_ARG(r->kind));
}

static void set_condition(struct write_run *r, struct json *list, const char *type, bool status, const char *reason, str message)
{
    struct arena *a = r->q->arena;
    struct json c = json_object(), *place = NULL;
    char now[CIVIL_TIME_LEN + 1];
    civil_format(clock_wall(r->q->srv->clock), now);
    for (uint32_t i = 0; i < list->len; i++)
        if (str_is(json_get_str(&list->items[i], S("type")), type))
            place = &list->items[i];
    str text = status ? S("True") : S("False");
    bool same = place && str_eq(json_get_str(place, S("status")), text);
    str since = same ? json_get_str(place, S("lastTransitionTime")) : arena_str(a, str_of(now));
    json_set(a, &c, S("type"), json_string(str_of(type)));
    json_set(a, &c, S("status"), json_string(text));
    json_set(a, &c, S("lastTransitionTime"), json_string(since));
    json_set(a, &c, S("reason"), json_string(str_of(reason)));
    json_set(a, &c, S("message"), json_string(message));
    if (place)
        *place = c;
    else
        json_push(a, list, c);
}

static void set_stored_versions(struct write_run *r, const struct json *spec, struct json *status)
{
    struct arena *a = r->q->arena;
    struct json *stored = json_get(status, S("storedVersions"));
    if (!json_is(stored, JSON_ARRAY))
        stored = json_set(a, status, S("storedVersions"), json_array());
    const struct json *versions = json_get(spec, S("versions"));
    for (uint32_t i = 0; json_is(versions, JSON_ARRAY) && i < versions->len; i++) {
        str name = json_get_str(&versions->items[i], S("name"));
        if (json_get_bool(&versions->items[i], S("storage"), false) && !object_list_has(status, S("storedVersions"), name))
            json_push(a, stored, json_string(name));
    }
}

static void set_status(struct write_run *r, struct json *obj)
{
    struct arena *a = r->q->arena;
    struct name_check check = {.crd = obj, .arena = a};
    bool built_in = is_built_in(obj);
    for (size_t i = 0; !built_in && i < r->q->reg->nresources; i++)
        check_against(&check, r->q->reg->resources[i]);
    bool ok = !check.taken.len;
    struct json *status = json_ensure_object(a, obj, S("status"));
    struct json *conditions = json_get(status, S("conditions"));
    if (!json_is(conditions, JSON_ARRAY))
        conditions = json_set(a, status, S("conditions"), json_array());
    if (built_in)
        set_condition(r, conditions, "NamesAccepted", true, "BuiltIn", S("the resource is built in, and served as such"));
    else
        set_condition(r, conditions, "NamesAccepted", ok, ok ? "NoConflicts" : "NameConflict", ok ? S("no conflicts found") : check.taken);
    conditions = json_get(status, S("conditions"));
    set_condition(r, conditions, "Established", ok, ok ? "InitialNamesAccepted" : "NotAccepted",
                  ok ? S("the initial names have been accepted") : S("not all names are accepted"));
    const struct json *spec = json_get(obj, S("spec")), *names = json_get(spec, S("names"));
    if (names && ok)
        json_set(a, status, S("acceptedNames"), json_copy(a, names));
    set_stored_versions(r, spec, status);
}

/* Rules in CEL are kept and published, and nothing evaluates them yet: whoever writes them should hear it now, not when a bad object gets in. */
static void warn_of_rules(struct write_run *r, const struct json *obj)
{
    if (str_find(json_text(r->q->arena, obj), S("\"x-kubernetes-validations\"")) >= 0)
        api_req_warn(r->q, S("x-kubernetes-validations: the rules are stored, but this server does not evaluate them"));
}

void crd_create(struct write_run *r, struct json *obj)
{
    struct arena *a = r->q->arena;
    if (is_built_in(obj)) { /* no finalizer: it goes alone */
        api_req_warn(r->q, arena_fmt(a, STR_FMT ": this server has the resource built in; the definition is kept and has no effect", STR_ARG(object_name(obj))));
        set_status(r, obj);
        return;
    }
    warn_of_rules(r, obj);
    struct json *meta = object_meta(obj), *finalizers = json_get(meta, S("finalizers"));
    if (!json_is(finalizers, JSON_ARRAY))
        finalizers = json_set(a, meta, S("finalizers"), json_array());
    if (!object_list_has(meta, S("finalizers"), S(CLEANUP_FINALIZER)))
        json_push(a, finalizers, json_string(S(CLEANUP_FINALIZER)));
    set_status(r, obj);
}

void crd_update(struct write_run *r, const struct json *old UNUSED, struct json *obj)
{
    if (!r->subresource.len && !is_built_in(obj))
        warn_of_rules(r, obj);
    struct json *status = json_get(obj, S("status"));
    if (status)
        json_set(r->q->arena, obj, S("status"), json_copy(r->q->arena, status)); /* old's tree is not ours to change */
    set_status(r, obj);
}
