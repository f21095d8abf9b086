/* volume_protection.c - a claim that is being deleted stays while a pod uses it, a volume while a claim is bound to it.
 *
 * Keys: "ns/claim" or "volume".  Claims that wait are remembered by namespace, so that a pod that ends or goes hurries them; other pods cost nothing. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "base/map.h"
#include "controllers/controller.h"

#define CLAIM_FINALIZER "kubernetes.io/pvc-protection"
#define VOLUME_FINALIZER "kubernetes.io/pv-protection"

static const struct resource claims = {.group = STR_INIT(""), .version = STR_INIT("v1"), .plural = STR_INIT("persistentvolumeclaims"), .namespaced = true};
static const struct resource volumes = {.group = STR_INIT(""), .version = STR_INIT("v1"), .plural = STR_INIT("persistentvolumes")};

struct run {
    str ns, name, path;
    struct json obj;
};

static void waiting_set(struct job *j, bool waits)
{
    struct map *waiting = j->c->state;
    if (waits && !map_has(waiting, j->key)) {
        char *key = str_dup(j->key);
        map_put(waiting, str_of(key), key);
    } else if (!waits) {
        free(map_del(waiting, j->key));
    }
}

static void ended(struct job *j)
{
    job_end_status(j);
}

static void release(struct job *j, str finalizer)
{
    struct run *r = j->state;
    waiting_set(j, false);
    struct json patch = finalizer_removal(&j->arena, &r->obj, finalizer);
    job_call(j, S("PATCH"), r->path, &patch, ended);
}

/* Pods that are on no node yet do not hold a claim: nothing will start them with a claim that goes. */
static bool pod_uses(struct arena *a, const struct json *pod, str claim)
{
    const struct json *spec = json_get(pod, S("spec")), *list = json_get(spec, S("volumes"));
    str pod_name = json_get_str(json_get(pod, S("metadata")), S("name"));
    if (!json_get_str(spec, S("nodeName")).len)
        return false;
    for (uint32_t i = 0; json_is(list, JSON_ARRAY) && i < list->len; i++) {
        const struct json *v = &list->items[i];
        str own = json_get(v, S("ephemeral")) ? arena_fmt(a, STR_FMT "-" STR_FMT, STR_ARG(pod_name), STR_ARG(json_get_str(v, S("name")))) : S("");
        if (str_eq(json_get_str(json_get(v, S("persistentVolumeClaim")), S("claimName")), claim) || (own.len && str_eq(own, claim)))
            return true;
    }
    return false;
}

static void got_pods(struct job *j)
{
    struct run *r = j->state;
    const struct json *items = json_get(&j->answer, S("items"));
    if (!job_ok(j)) {
        job_end(j, WORK_RETRY);
        return;
    }
    for (uint32_t i = 0; json_is(items, JSON_ARRAY) && i < items->len; i++) {
        if (pod_uses(&j->arena, &items->items[i], r->name)) {
            job_end(j, WORK_OK); /* a pod event brings it back */
            return;
        }
    }
    release(j, S(CLAIM_FINALIZER));
}

static void got_claim(struct job *j)
{
    struct run *r = j->state;
    bool held = job_ok(j) && object_deleting(&j->answer) && object_has_finalizer(&j->answer, S(CLAIM_FINALIZER));
    waiting_set(j, held); /* before the pods are read: one that ends meanwhile must not be missed */
    if (!held) {
        job_end_status(j);
        return;
    }
    r->obj = j->answer;
    job_call(j, S("GET"), arena_fmt(&j->arena, "/api/v1/namespaces/" STR_FMT "/pods", STR_ARG(r->ns)), NULL, got_pods);
}

static void got_volume(struct job *j)
{
    struct run *r = j->state;
    if (!job_ok(j) || !object_deleting(&j->answer) || !object_has_finalizer(&j->answer, S(VOLUME_FINALIZER)) ||
        str_is(json_get_str(json_get(&j->answer, S("status")), S("phase")), "Bound")) {
        job_end_status(j);
        return;
    }
    r->obj = j->answer;
    release(j, S(VOLUME_FINALIZER));
}

static void reconcile(struct job *j)
{
    struct run *r = j->state = arena_new(&j->arena, struct run);
    controller_key_split(j->key, &r->ns, &r->name);
    r->path = resource_path(&j->arena, r->ns.len ? &claims : &volumes, r->ns, r->name);
    job_call(j, S("GET"), r->path, NULL, r->ns.len ? got_claim : got_volume);
}

static void on_storage(struct controller *c, const struct resource *r UNUSED, struct informer_event *ev)
{
    if (ev->change != INFORMER_DELETED && json_get(informer_event_meta(ev), S("deletionTimestamp")))
        controller_enqueue(c, ev);
}

static void on_pod(struct controller *c, const struct resource *r UNUSED, struct informer_event *ev)
{
    struct map *waiting = c->state;
    if (!waiting->len || ev->change == INFORMER_ADDED)
        return;
    str ns = informer_event_ns(ev), key_ns, key_name;
    map_foreach(e, waiting)
    {
        controller_key_split(e->key, &key_ns, &key_name);
        if (str_eq(key_ns, ns))
            workqueue_add(c->queue, e->key);
    }
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

const struct controller_type controller_volume_protection = {
    .name = "volume-protection",
    .parallel = 4,
    .watches = {{.group = "", .plural = "persistentvolumeclaims", .event = on_storage},
                {.group = "", .plural = "persistentvolumes", .event = on_storage},
                {.group = "", .plural = "pods", .event = on_pod}},
    .init = init,
    .fini = fini,
    .reconcile = reconcile,
};
