/* ephemeral_volumes.c - claims for volumes[].ephemeral.volumeClaimTemplate: one for each such volume of a pod, called POD-VOLUME and owned by the pod, so that it goes with it.
 *
 * A claim of that name which is not the pod's is left alone: an Event says so, and the pod waits until it is gone (it is looked for again with growing pauses).
 * Keys: "ns/pod".  Pods without such volumes cost a search in their text. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "controllers/events.h"
#include "controllers/volumes.h"

#define MAX_DELAY_NS (30 * NSEC_PER_SEC) /* between two looks at a name that is taken */
#define COMPONENT "ephemeral_volume"

static const struct resource pods = {.group = STR_INIT(""), .version = STR_INIT("v1"), .plural = STR_INIT("pods"), .namespaced = true};
static const struct resource claims = {.group = STR_INIT(""), .version = STR_INIT("v1"), .plural = STR_INIT("persistentvolumeclaims"), .namespaced = true};

struct run {
    str ns, name;
    struct json pod;
    uint32_t at;     /* the volume whose claim is being seen to */
    str claim;       /* its name */
    bool again;      /* some volume has no claim yet */
};

static void look_at_next(struct job *j);

static str pod_uid(const struct run *r)
{
    return json_get_str(json_get(&r->pod, S("metadata")), S("uid"));
}

static const struct json *volume_of(const struct run *r)
{
    return &json_path(&r->pod, "spec", "volumes", NULL)->items[r->at];
}

static void failed(struct job *j, str why)
{
    struct run *r = j->state;
    struct event_ref ref = event_ref_of(&r->pod, "v1", "Pod");
    controller_event(j->c, COMPONENT, &ref, EVENT_WARNING, "FailedBinding", "ephemeral volume " STR_FMT ": " STR_FMT, STR_ARG(json_get_str(volume_of(r), S("name"))), STR_ARG(why));
    r->again = true;
}

static bool is_owned(const struct json *claim, str uid)
{
    const struct json *refs = json_path(claim, "metadata", "ownerReferences", NULL);
    for (uint32_t i = 0; json_is(refs, JSON_ARRAY) && i < refs->len; i++)
        if (json_get_bool(&refs->items[i], S("controller"), false) && str_eq(json_get_str(&refs->items[i], S("uid")), uid))
            return true;
    return false;
}

static struct json make(struct job *j)
{
    struct run *r = j->state;
    struct arena *a = &j->arena;
    const struct json *template = json_path(volume_of(r), "ephemeral", "volumeClaimTemplate", NULL), *spec = json_get(template, S("spec"));
    struct json claim = json_literal(a, "{\"apiVersion\":\"v1\",\"kind\":\"PersistentVolumeClaim\"}"), refs = json_array();
    struct json ref = json_literal(a, "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"controller\":true,\"blockOwnerDeletion\":true}");
    struct json *meta = json_ensure_object(a, &claim, S("metadata"));
    static const char *const kept[] = {"labels", "annotations"};
    for (size_t i = 0; i < ARRAY_LEN(kept); i++) {
        const struct json *v = json_path(template, "metadata", kept[i], NULL);
        if (v)
            json_set(a, meta, str_of(kept[i]), json_copy(a, v));
    }
    json_set(a, meta, S("name"), json_string(r->claim));
    json_set(a, meta, S("namespace"), json_string(r->ns));
    json_set(a, &ref, S("name"), json_string(r->name));
    json_set(a, &ref, S("uid"), json_string(pod_uid(r)));
    json_push(a, &refs, ref);
    json_set(a, meta, S("ownerReferences"), refs);
    json_set(a, &claim, S("spec"), spec ? json_copy(a, spec) : json_object());
    return claim;
}

/* 409: somebody was faster; the next look says who. */
static void made(struct job *j)
{
    struct run *r = j->state;
    if (j->status == 409 || !j->status)
        r->again = true;
    else if (!job_ok(j))
        failed(j, arena_fmt(&j->arena, "create PVC " STR_FMT ": " STR_FMT, STR_ARG(r->claim), STR_ARG(json_get_str(&j->answer, S("message")))));
    r->at++;
    look_at_next(j);
}

static void looked(struct job *j)
{
    struct run *r = j->state;
    if (job_not_found(j)) {
        struct json claim = make(j);
        job_call(j, S("POST"), resource_path(&j->arena, &claims, r->ns, S("")), &claim, made);
        return;
    }
    if (!job_ok(j))
        r->again = true;
    else if (!is_owned(&j->answer, pod_uid(r)))
        failed(j, arena_fmt(&j->arena, "PVC " STR_FMT "/" STR_FMT " was not created for pod " STR_FMT "/" STR_FMT " (pod is not owner)", STR_ARG(r->ns), STR_ARG(r->claim), STR_ARG(r->ns), STR_ARG(r->name)));
    r->at++;
    look_at_next(j);
}

static void look_at_next(struct job *j)
{
    struct run *r = j->state;
    const struct json *list = json_path(&r->pod, "spec", "volumes", NULL);
    uint32_t n = json_is(list, JSON_ARRAY) ? list->len : 0;
    while (r->at < n && !json_path(&list->items[r->at], "ephemeral", "volumeClaimTemplate", NULL))
        r->at++;
    if (r->at == n) {
        job_end(j, r->again ? WORK_RETRY : WORK_OK);
        return;
    }
    r->claim = arena_fmt(&j->arena, STR_FMT "-" STR_FMT, STR_ARG(r->name), STR_ARG(json_get_str(&list->items[r->at], S("name"))));
    job_call(j, S("GET"), resource_path(&j->arena, &claims, r->ns, r->claim), NULL, looked);
}

static void got_pod(struct job *j)
{
    struct run *r = j->state;
    str phase = json_get_str(json_get(&j->answer, S("status")), S("phase"));
    if (!job_ok(j) || object_deleting(&j->answer) || str_is(phase, "Succeeded") || str_is(phase, "Failed")) {
        job_end_status(j);
        return;
    }
    r->pod = j->answer;
    look_at_next(j);
}

static void reconcile(struct job *j)
{
    struct run *r = j->state = arena_new(&j->arena, struct run);
    controller_key_split(j->key, &r->ns, &r->name);
    job_call(j, S("GET"), resource_path(&j->arena, &pods, r->ns, r->name), NULL, got_pod);
}

/* What failed is tried again by itself, so changes of a pod need not be looked at. */
static void on_pod(struct controller *c, const struct resource *r UNUSED, struct informer_event *ev)
{
    static const char word[] = "\"ephemeral\"";
    if ((ev->change == INFORMER_LISTED || ev->change == INFORMER_ADDED) && memmem(ev->object.p, ev->object.len, word, sizeof word - 1))
        controller_enqueue(c, ev);
}

/* One that somebody deleted before its pod went. */
static void on_claim(struct controller *c, const struct resource *r UNUSED, struct informer_event *ev)
{
    const struct json *refs = ev->change == INFORMER_DELETED ? json_get(informer_event_meta(ev), S("ownerReferences")) : NULL;
    for (uint32_t i = 0; json_is(refs, JSON_ARRAY) && i < refs->len; i++)
        if (str_is(json_get_str(&refs->items[i], S("kind")), "Pod"))
            workqueue_add(c->queue, arena_fmt(ev->arena_, STR_FMT "/" STR_FMT, STR_ARG(informer_event_ns(ev)), STR_ARG(json_get_str(&refs->items[i], S("name")))));
}

const struct controller_type controller_ephemeral_volumes = {
    .name = "ephemeral-volumes",
    .parallel = 4,
    .max_delay_ns = MAX_DELAY_NS,
    .watches = {{.group = "", .plural = "pods", .event = on_pod}, {.group = "", .plural = "persistentvolumeclaims", .event = on_claim}},
    .reconcile = reconcile,
};
