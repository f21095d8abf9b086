/* namespace.c - empties a namespace that is being deleted, says on its status what is left, and lets it go when nothing is.
 *
 *   live namespace ─► resources ─► pods: list, delete, list again ─► the same for the others ─► status ─► finalize
 *
 * Pods come first: what runs there may need the rest of the namespace until it has ended.  As long as something remains the key is tried again, and an object that goes in
 * that namespace hurries it. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "base/map.h"
#include "base/vec.h"
#include "controllers/controller.h"

#define HURRY_NS (50 * NSEC_PER_MSEC)
#define FINALIZER "kubernetes"
#define MAX_NAMED_FAILURES 5

struct count {
    str what;
    int64_t n;
};

struct run {
    struct json ns;  /* live, then with the conditions that we found */
    size_t at;       /* resource that is looked at */
    bool others;     /* pods are done */
    bool deleted;    /* the collection of this resource was deleted already */
    struct count *left, *finalizers;
    size_t nleft, nfinalizers;
    struct strbuf failures;
    size_t nfailures;
};

static void next_resource(struct job *j);

static const struct resource *resource_at(struct job *j)
{
    struct run *r = j->state;
    return &job_resources(j)->items[r->at];
}

/* --- what remains ----------------------------------------------------------------------------------------------------------------- */

static void count_add(struct arena *a, struct count **list, size_t *len, str what, int64_t n)
{
    for (size_t i = 0; i < *len; i++) {
        if (str_eq((*list)[i].what, what)) {
            (*list)[i].n += n;
            return;
        }
    }
    *list = arena_grow(a, *list, *len * sizeof **list, (*len + 1) * sizeof **list);
    (*list)[(*len)++] = (struct count){what, n};
}

static int count_cmp(const void *a, const void *b)
{
    return str_cmp(((const struct count *)a)->what, ((const struct count *)b)->what);
}

static str counts_text(struct arena *a, const char *head, struct count *list, size_t len, const char *verb)
{
    struct strbuf b = strbuf_on(a);
    if (len)
        qsort(list, len, sizeof *list, count_cmp);
    strbuf_add_str(&b, str_of(head));
    for (size_t i = 0; i < len; i++)
        strbuf_addf(&b, "%s" STR_FMT " %s %lld resource instances", i ? ", " : "", STR_ARG(list[i].what), verb, (long long)list[i].n);
    return strbuf_str(&b);
}

static void failure_add(struct job *j, str what)
{
    struct run *r = j->state;
    str why = json_get_str(&j->answer, S("message"));
    if (r->nfailures++ < MAX_NAMED_FAILURES)
        strbuf_addf(&r->failures, "%s" STR_FMT ": " STR_FMT, r->failures.len ? ", " : "", STR_ARG(what), STR_ARG(why.len ? why : S("no answer")));
}

static void count_items(struct job *j, const struct json *items)
{
    struct run *r = j->state;
    const struct resource *res = resource_at(j);
    int64_t more = json_get_int(json_get(&j->answer, S("metadata")), S("remainingItemCount"), 0);
    count_add(&j->arena, &r->left, &r->nleft, arena_fmt(&j->arena, STR_FMT "." STR_FMT, STR_ARG(res->plural), STR_ARG(res->group)), (int64_t)items->len + more);
    for (uint32_t i = 0; i < items->len; i++) {
        const struct json *list = json_path(&items->items[i], "metadata", "finalizers", NULL);
        for (uint32_t f = 0; json_is(list, JSON_ARRAY) && f < list->len; f++)
            count_add(&j->arena, &r->finalizers, &r->nfinalizers, json_str(&list->items[f]), 1);
    }
}

/* --- the end ------------------------------------------------------------------------------------------------------------------------ */

static void finalized(struct job *j)
{
    struct map *waiting = j->c->state;
    if (job_ok(j) || job_not_found(j))
        free(map_del(waiting, j->key)); /* the value is the key's own text */
    job_end_status(j);
}

static void finalize(struct job *j)
{
    struct run *r = j->state;
    struct arena *a = &j->arena;
    struct json *spec = json_ensure_object(a, &r->ns, S("spec")), kept = json_array();
    const struct json *list = json_get(spec, S("finalizers"));
    for (uint32_t i = 0; json_is(list, JSON_ARRAY) && i < list->len; i++)
        if (!str_is(json_str(&list->items[i]), FINALIZER))
            json_push(a, &kept, list->items[i]);
    json_set(a, spec, S("finalizers"), kept);
    job_call(j, S("PUT"), arena_fmt(a, "/api/v1/namespaces/" STR_FMT "/finalize", STR_ARG(j->key)), &r->ns, finalized);
}

static void after_status(struct job *j)
{
    struct run *r = j->state;
    struct map *waiting = j->c->state;
    if (!r->nleft && !r->nfailures && !job_resources(j)->failed.len) {
        finalize(j);
        return;
    }
    if (!map_has(waiting, j->key)) {
        char *key = str_dup(j->key);
        map_put(waiting, str_of(key), key);
    }
    job_end(j, WORK_RETRY);
}

static void status_written(struct job *j)
{
    struct run *r = j->state;
    if (!job_ok(j)) {
        job_end_status(j);
        return;
    }
    r->ns = j->answer;
    after_status(j);
}

static void write_status(struct job *j)
{
    struct run *r = j->state;
    struct arena *a = &j->arena;
    const struct clock *clock = j->c->opts->clock;
    str undiscovered = job_resources(j)->failed;
    const struct {
        const char *type;
        bool is;
        const char *no_reason, *no_message, *yes_reason;
        str yes_message;
    } conditions[] = {
        {"NamespaceDeletionDiscoveryFailure", undiscovered.len > 0, "ResourcesDiscovered", "All resources successfully discovered", "DiscoveryFailed",
         arena_fmt(a, "Discovery failed for some groups: " STR_FMT, STR_ARG(undiscovered))},
        {"NamespaceDeletionGroupVersionParsingFailure", false, "ParsedGroupVersions", "All legacy kube types successfully parsed", "", S("")},
        {"NamespaceDeletionContentFailure", r->nfailures > 0, "ContentDeleted", "All content successfully deleted, may be waiting on finalization", "ContentDeletionFailed",
         arena_fmt(a, "Failed to delete all resource types, %zu remaining: " STR_FMT, r->nfailures, STR_ARG(strbuf_str(&r->failures)))},
        {"NamespaceContentRemaining", r->nleft > 0, "ContentRemoved", "All content successfully removed", "SomeResourcesRemain",
         counts_text(a, "Some resources are remaining: ", r->left, r->nleft, "has")},
        {"NamespaceFinalizersRemaining", r->nfinalizers > 0, "ContentHasNoFinalizers", "All content-preserving finalizers finished", "SomeFinalizersRemain",
         counts_text(a, "Some content in the namespace has finalizers remaining: ", r->finalizers, r->nfinalizers, "in")},
    };
    bool changed = false;
    for (size_t i = 0; i < ARRAY_LEN(conditions); i++) {
        bool is = conditions[i].is;
        changed |= condition_set(a, clock, &r->ns, conditions[i].type, is, str_of(is ? conditions[i].yes_reason : conditions[i].no_reason),
                                 is ? conditions[i].yes_message : str_of(conditions[i].no_message));
    }
    if (changed)
        job_call(j, S("PUT"), arena_fmt(a, "/api/v1/namespaces/" STR_FMT "/status", STR_ARG(j->key)), &r->ns, status_written);
    else
        after_status(j);
}

/* --- one resource ------------------------------------------------------------------------------------------------------------------- */

static void listed(struct job *j);

static void list_resource(struct job *j)
{
    str path = resource_path(&j->arena, resource_at(j), j->key, S(""));
    job_call(j, S("GET"), arena_fmt(&j->arena, STR_FMT "?limit=%d", STR_ARG(path), INFORMER_PAGE), NULL, listed);
}

static void collection_deleted(struct job *j)
{
    struct run *r = j->state;
    r->deleted = true;
    if (!job_ok(j) && j->status != 404)
        failure_add(j, resource_at(j)->plural);
    list_resource(j);
}

static bool all_deleting(const struct json *items)
{
    for (uint32_t i = 0; i < items->len; i++)
        if (!object_deleting(&items->items[i]))
            return false;
    return true;
}

/* The first page of what is there.  A resource without deletecollection loses one object a round: those are few and small (there is none among the built-in ones). */
static void listed(struct job *j)
{
    struct run *r = j->state;
    const struct resource *res = resource_at(j);
    const struct json *items = json_get(&j->answer, S("items"));
    struct json options = delete_options(&j->arena, S(""), S("Background"));
    if (!job_ok(j) && j->status != 404 && j->status != 405)
        failure_add(j, res->plural);
    bool any = job_ok(j) && json_is(items, JSON_ARRAY) && items->len;
    bool more = json_get_str(json_get(&j->answer, S("metadata")), S("continue")).len > 0;
    if (any && !r->deleted && (more || !all_deleting(items))) {
        str name = resource_has(res, RESOURCE_DELETECOLLECTION) ? S("") : json_get_str(json_get(&items->items[0], S("metadata")), S("name"));
        job_call(j, S("DELETE"), resource_path(&j->arena, res, j->key, name), &options, collection_deleted);
        return;
    }
    if (any)
        count_items(j, items);
    r->at++;
    next_resource(j);
}

static bool is_pods(const struct resource *r)
{
    return !r->group.len && str_is(r->plural, "pods");
}

static void next_resource(struct job *j)
{
    struct run *r = j->state;
    struct resource_set *set = job_resources(j);
    r->deleted = false;
    for (; r->at < set->len; r->at++) {
        const struct resource *res = &set->items[r->at];
        if (res->preferred && res->namespaced && resource_has(res, RESOURCE_DELETE | RESOURCE_LIST) && is_pods(res) == !r->others) {
            list_resource(j);
            return;
        }
    }
    if (!r->others && !r->nleft) {
        r->others = true;
        r->at = 0;
        next_resource(j);
        return;
    }
    write_status(j);
}

/* --- starting -------------------------------------------------------------------------------------------------------------------------- */

static void discovered(struct job *j)
{
    if (job_resources(j))
        next_resource(j);
    else
        job_end(j, WORK_RETRY);
}

static bool has_our_finalizer(const struct json *ns)
{
    const struct json *list = json_path(ns, "spec", "finalizers", NULL);
    for (uint32_t i = 0; json_is(list, JSON_ARRAY) && i < list->len; i++)
        if (str_is(json_str(&list->items[i]), FINALIZER))
            return true;
    return false;
}

static void got_namespace(struct job *j)
{
    if (!job_ok(j) || !object_deleting(&j->answer) || !has_our_finalizer(&j->answer)) {
        job_end_status(j);
        return;
    }
    struct run *r = j->state = arena_new(&j->arena, struct run);
    r->ns = j->answer;
    r->failures = strbuf_on(&j->arena);
    job_discover(j, discovered);
}

static void reconcile(struct job *j)
{
    job_call(j, S("GET"), arena_fmt(&j->arena, "/api/v1/namespaces/" STR_FMT, STR_ARG(j->key)), NULL, got_namespace);
}

static void on_namespace(struct controller *c, const struct resource *r UNUSED, struct informer_event *ev)
{
    if (ev->change != INFORMER_DELETED && json_get(informer_event_meta(ev), S("deletionTimestamp")))
        controller_enqueue(c, ev);
}

static void on_content(struct controller *c, const struct resource *r UNUSED, struct informer_event *ev)
{
    struct map *waiting = c->state;
    if (waiting->len && ev->change == INFORMER_DELETED && map_has(waiting, informer_event_ns(ev)))
        workqueue_add_after(c->queue, informer_event_ns(ev), HURRY_NS);
}

static void init(struct controller *c)
{
    c->state = xnew(struct map);
}

static void fini(struct controller *c)
{
    struct map *waiting = c->state;
    map_foreach(e, waiting) free(e->value);
    map_fini(waiting);
    free(waiting);
}

const struct controller_type controller_namespace = {
    .name = "namespace",
    .parallel = 4,
    .max_delay_ns = 5 * NSEC_PER_SEC,
    .watches = {{.group = "", .plural = "namespaces", .event = on_namespace}, {.group = "", .plural = "*", .event = on_content}},
    .init = init,
    .fini = fini,
    .reconcile = reconcile,
};
