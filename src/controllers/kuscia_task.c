/* kuscia_task.c - KusciaTasks: reads the task, its programs and pods, and makes or ends what the plan says (kuscia_task_plan.h).
 *
 *   new ─► finalizer and port numbers, in one write ─► TaskResourceGroup ─► files and services ─► pods ─► status: ResourceCreated ─► the pods say how far it is ─► end: what still runs, files and services go
 *          └──────────────────────────────── kuscia_task_make.h ───────────────────────────────────────────────────────────────────┘                                └─ kuscia_task_clean.h ─┘
 * Everything of a task in other namespaces is owned by its TaskResourceGroup, which has its name: whoever deletes that, deletes all of it.  The finalizer sees to it when the task goes.
 * Pods that have ended stay until then, so that their logs can be read.  Every step can be taken again: names follow from the task alone. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "controllers/kuscia_task_clean.h"
#include "controllers/kuscia_task_make.h"
#include "controllers/kuscia_task_run.h"

struct kuscia_ports *kuscia_task_ports(struct controllers *all)
{
    return &task_run_state(controllers_find(all, &controller_kuscia_task))->ports;
}

/* --- looking ------------------------------------------------------------------------------------------------------------------------------------------------------ */

static bool all_ended(const struct json *const *pods, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!pods[i] || !task_run_is_end(json_get_str(json_get(pods[i], S("status")), S("phase"))))
            return false;
    return true;
}

static void seen_all(struct job *j)
{
    struct task_run *r = j->state;
    struct arena *a = &j->arena;
    if (!job_ok(j)) {
        job_end(j, WORK_RETRY);
        return;
    }
    const struct json **pods = arena_array(a, r->npods + 1, const struct json *);
    for (size_t i = 0; i < r->npods; i++)
        pods[i] = r->pods[i].found && task_run_owns(r, &r->pods[i].obj) ? &r->pods[i].obj : NULL;
    str *lacks = arena_array(a, r->layout.nparties + 1, str);
    for (size_t i = 0; i < r->layout.nparties; i++)
        lacks[i] = kuscia_room_lacks(&task_run_state(j->c)->room, a, r->layout.parties[i].domain);
    bool *lost = arena_array(a, r->npods + 1, bool);
    for (size_t i = 0; i < r->npods; i++)
        lost[i] = pods[i] && kuscia_room_is_lost(&task_run_state(j->c)->room, json_get_str(json_get(pods[i], S("spec")), S("nodeName")));
    struct task_view view = {.lacks = lacks, .lost = lost, .layout = &r->layout, .pods = pods, .group = r->group.found && task_run_owns(r, &r->group.obj) ? &r->group.obj : NULL, .now = task_run_now(j)};
    r->status = kuscia_task_status(a, &view);
    r->group.found = view.group != NULL;
    if (task_run_is_end(json_get_str(&r->status, S("phase"))) && all_ended(pods, r->npods))
        task_clean_up(j); /* nothing that the pods say is lost by it, so that its end and that all is cleaned up are one write */
    else
        task_run_write(j, task_run_ended);
}

static void look_at_pods(struct job *j)
{
    struct task_run *r = j->state;
    if (!job_ok(j)) {
        job_end(j, WORK_RETRY);
        return;
    }
    task_run_want_pods(&j->arena, r, r->layout.npods + 1);
    for (size_t i = 0; i < r->layout.nparties; i++)
        for (size_t k = 0; k < r->layout.parties[i].npods; k++)
            task_run_want_pod(&j->arena, r, r->layout.parties[i].domain, r->layout.parties[i].pods[k].name);
    gather_all(j, r->pods, r->npods, seen_all);
}

static void got_images(struct job *j)
{
    struct task_run *r = j->state;
    struct arena *a = &j->arena;
    struct err err = ERR_NONE;
    if (!job_ok(j)) {
        job_end(j, WORK_RETRY);
        return;
    }
    const struct json **images = arena_array(a, r->nparties + 1, const struct json *);
    for (size_t i = 0; i < r->nparties; i++)
        images[i] = r->images[i].found ? &r->images[i].obj : NULL;
    if (kuscia_layout(a, &r->task, images, &r->layout, &err) < 0) {
        task_run_fail(j, "ValidateFailed", arena_str(a, str_of(err.msg)));
        return;
    }
    bool has_numbers = kuscia_layout_ports(&r->layout, &r->allocated);
    if (task_run_has(r, "ResourceCreated"))
        look_at_pods(j);
    else if (!has_numbers || !object_has_finalizer(&r->task, S(TASK_FINALIZER)))
        task_make_numbers(j);
    else if (!str_is(json_get_str(task_run_status(r), S("reason")), "QuotaExceeded") || !task_run_quota_is_full(j)) /* of one that waits nothing is there that counts */
        task_make_group(j);
}

static void read_images(struct job *j)
{
    struct task_run *r = j->state;
    const struct json *parties = task_run_parties(&r->task);
    r->images = arena_array(&j->arena, r->nparties + 1, struct gather);
    for (size_t i = 0; i < r->nparties; i++)
        r->images[i].path = kuscia_cluster_path(&j->arena, "appimages", json_get_str(&parties->items[i], S("appImageRef")));
    gather_all(j, r->images, r->nparties, got_images);
}

/* The AppImage may be another by now, or gone: what was made is what the group says.  Only when that is gone, too, it is asked once more whose pods there were. */
static void got_group(struct job *j)
{
    struct task_run *r = j->state;
    if (!job_ok(j)) {
        job_end(j, WORK_RETRY);
    } else if (r->group.found && task_run_owns(r, &r->group.obj)) {
        kuscia_layout_group(&j->arena, &r->task, &r->group.obj, &r->layout);
        look_at_pods(j);
    } else {
        read_images(j);
    }
}

/* --- which way ------------------------------------------------------------------------------------------------------------------------------------------------------- */

/* Numbers that were chosen and are not in the status yet; null: none. */
static struct json noted_ports(struct arena *a, const struct json *meta)
{
    str text = json_get_str(json_get(meta, S("annotations")), S(TASK_PORTS_NOTE));
    struct json list;
    return text.len && json_parse(a, text, NULL, &list, NULL) == 0 && list.type == JSON_ARRAY ? list : json_null();
}

static void got_task(struct job *j)
{
    if (job_not_found(j)) {
        task_clean_gone(j);
        return;
    }
    if (!job_ok(j)) {
        job_end_status(j);
        return;
    }
    struct task_run *r = j->state = arena_new(&j->arena, struct task_run);
    r->task = j->answer;
    r->meta = json_get(&r->task, S("metadata"));
    controller_key_split(j->key, &r->ns, &r->name);
    r->nparties = json_is(task_run_parties(&r->task), JSON_ARRAY) ? task_run_parties(&r->task)->len : 0;
    const struct json *allocated = json_get(task_run_status(r), S("allocatedPorts"));
    r->allocated = allocated ? *allocated : noted_ports(&j->arena, r->meta);
    if (object_deleting(&r->task) && object_has_finalizer(&r->task, S(TASK_FINALIZER))) {
        job_call(j, S("GET"), kuscia_cluster_path(&j->arena, "taskresourcegroups", r->name), NULL, task_clean_deleted);
    } else if (object_deleting(&r->task) || json_get_str(task_run_status(r), S("completionTime")).len) {
        job_end(j, WORK_OK);
    } else if (task_run_is_end(json_get_str(task_run_status(r), S("phase")))) { /* somebody stopped it, or it ended before the controller did */
        task_run_group(j, task_clean_ended);
    } else if (task_run_has(r, "ResourceCreated")) {
        task_run_group(j, got_group);
    } else {
        read_images(j);
    }
}

static void reconcile(struct job *j)
{
    str ns, name;
    controller_key_split(j->key, &ns, &name);
    job_call(j, S("GET"), kuscia_path(&j->arena, "kusciatasks", ns, name, ""), NULL, got_task);
}

/* --- events ------------------------------------------------------------------------------------------------------------------------------------------------------------- */

static void on_task(struct controller *c, const struct resource *r UNUSED, struct informer_event *ev)
{
    str ns = informer_event_ns(ev), key = arena_fmt(ev->arena_, STR_FMT "/" STR_FMT, STR_ARG(ns), STR_ARG(informer_event_name(ev)));
    if (!str_is(ns, KUSCIA_NS))
        return;
    if (ev->change == INFORMER_DELETED) {
        kuscia_ports_note(&task_run_state(c)->ports, key, NULL);
    } else {
        struct json noted = noted_ports(ev->arena_, informer_event_meta(ev));
        kuscia_ports_see(&task_run_state(c)->ports, key, json_get(informer_event_object(ev), S("status")), &noted);
    }
    controller_enqueue(c, ev);
}

/* Of most pods nothing but these bytes is looked at. */
static void on_pod(struct controller *c, const struct resource *r UNUSED, struct informer_event *ev)
{
    if (str_find(ev->object, S(KUSCIA("task-resource-group\""))) < 0 || (ev->change == INFORMER_ADDED && !kuscia_pod_is_told(ev->object)))
        return;
    str task = json_get_str(json_get(informer_event_meta(ev), S("annotations")), S(KUSCIA("task-resource-group")));
    if (task.len)
        workqueue_add(c->queue, arena_fmt(ev->arena_, KUSCIA_NS "/" STR_FMT, STR_ARG(task)));
}

static void on_group(struct controller *c, const struct resource *r UNUSED, struct informer_event *ev)
{
    if (ev->change != INFORMER_ADDED)
        workqueue_add(c->queue, arena_fmt(ev->arena_, KUSCIA_NS "/" STR_FMT, STR_ARG(informer_event_name(ev))));
}

static void on_node(struct controller *c, const struct resource *r UNUSED, struct informer_event *ev)
{
    kuscia_room_node(&task_run_state(c)->room, informer_event_name(ev), ev->change == INFORMER_DELETED ? NULL : informer_event_object(ev));
}

static void on_quota(struct controller *c, const struct resource *r UNUSED, struct informer_event *ev)
{
    kuscia_room_quota(&task_run_state(c)->room, informer_event_ns(ev), informer_event_name(ev), ev->change == INFORMER_DELETED ? NULL : informer_event_object(ev));
}

static void on_route(struct controller *c, const struct resource *r UNUSED, struct informer_event *ev)
{
    str key = arena_fmt(ev->arena_, STR_FMT "/" STR_FMT, STR_ARG(informer_event_ns(ev)), STR_ARG(informer_event_name(ev)));
    kuscia_room_route(&task_run_state(c)->room, key, ev->change == INFORMER_DELETED ? NULL : informer_event_object(ev));
}

static void on_domain(struct controller *c, const struct resource *r UNUSED, struct informer_event *ev)
{
    kuscia_room_domain(&task_run_state(c)->room, informer_event_name(ev), ev->change == INFORMER_DELETED ? NULL : informer_event_object(ev));
}

static void domains_begin(struct controller *c, const struct resource *r UNUSED)
{
    kuscia_room_forget_domains(&task_run_state(c)->room);
}

static void nodes_begin(struct controller *c, const struct resource *r UNUSED)
{
    kuscia_room_forget_nodes(&task_run_state(c)->room);
}

static void quotas_begin(struct controller *c, const struct resource *r UNUSED)
{
    kuscia_room_forget_quotas(&task_run_state(c)->room);
}

static void cluster_routes_begin(struct controller *c, const struct resource *r UNUSED)
{
    kuscia_room_forget_routes(&task_run_state(c)->room, true);
}

static void domain_routes_begin(struct controller *c, const struct resource *r UNUSED)
{
    kuscia_room_forget_routes(&task_run_state(c)->room, false);
}

static void init(struct controller *c)
{
    struct task_state *s = xnew(struct task_state);
    kuscia_ports_init(&s->ports);
    kuscia_room_init(&s->room);
    c->state = s;
}

static void fini(struct controller *c)
{
    kuscia_ports_fini(&task_run_state(c)->ports);
    kuscia_room_fini(&task_run_state(c)->room);
    free(c->state);
}

const struct controller_type controller_kuscia_task = {
    .name = "kuscia-task",
    .parallel = 64, /* each waits for the log most of the time */
    .watches = {{.group = "kuscia.secretflow", .plural = "kusciatasks", .event = on_task},
                {.group = "kuscia.secretflow", .plural = "taskresourcegroups", .event = on_group},
                {.group = "", .plural = "pods", .event = on_pod},
                {.group = "kuscia.secretflow", .plural = "domains", .event = on_domain, .begin = domains_begin},
                {.group = "", .plural = "nodes", .event = on_node, .begin = nodes_begin},
                {.group = "", .plural = "resourcequotas", .event = on_quota, .begin = quotas_begin},
                {.group = "kuscia.secretflow", .plural = "clusterdomainroutes", .event = on_route, .begin = cluster_routes_begin},
                {.group = "kuscia.secretflow", .plural = "domainroutes", .event = on_route, .begin = domain_routes_begin}},
    .init = init,
    .fini = fini,
    .reconcile = reconcile,
};
