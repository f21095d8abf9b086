/* SPDX-License-Identifier: Apache-2.0 */
#include "controllers/kuscia_task_make.h"

#include "controllers/kuscia_task_run.h"

/* A task of this name had a pod or a service of that name, which has not gone yet. */
static void wait_for_room(struct job *j)
{
    struct task_run *r = j->state;
    struct arena *a = &j->arena;
    const struct json *meta = json_get(&j->answer, S("metadata"));
    r->status = task_run_begun(j);
    json_set(a, &r->status, S("message"), json_string(arena_fmt(a, "waits for " STR_FMT "/" STR_FMT " of an earlier task to go", STR_ARG(json_get_str(meta, S("namespace"))), STR_ARG(json_get_str(meta, S("name"))))));
    task_run_write(j, task_run_look_again);
}

static void made_all(struct job *j)
{
    struct task_run *r = j->state;
    struct arena *a = &j->arena;
    if (j->status == 409 && json_get_str(json_get(&j->answer, S("metadata")), S("name")).len) {
        wait_for_room(j);
        return;
    }
    if (!job_ok(j)) {
        task_run_refused(j);
        return;
    }
    struct json services = json_object();
    for (size_t i = 0; i < r->layout.nparties; i++) {
        const struct layout_party *p = &r->layout.parties[i];
        for (size_t k = 0; k < p->npods; k++)
            for (size_t n = 0; n < p->pods[k].nports; n++) {
                const struct layout_port *port = &p->pods[k].ports[n];
                if (port->service.len)
                    json_set(a, &services, arena_fmt(a, STR_FMT "/" STR_FMT, STR_ARG(p->domain), STR_ARG(port->service)),
                             json_make(a, "{\"namespace\":%S,\"serviceName\":%S,\"portName\":%S,\"portNumber\":%d,\"scope\":%S,\"createTime\":%S}", p->domain, port->service, port->name,
                                       (int64_t)port->number, port->scope, task_run_now(j)));
            }
    }
    r->status = task_run_begun(j);
    if (services.len)
        json_set(a, &r->status, S("serviceStatuses"), services);
    kuscia_condition(a, &r->status, "ResourceCreated", true, S(""), S(""), task_run_now(j));
    task_run_write(j, task_run_ended);
}

/* Parties in the order of their domains: of two tasks that both meet full quotas, the one that is further gets on. */
static void by_domain(const struct layout *l, size_t *order)
{
    for (size_t i = 0; i < l->nparties; i++) {
        size_t at = i;
        for (; at && str_cmp(l->parties[order[at - 1]].domain, l->parties[i].domain) > 0; at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
}

static bool quota_counts(const struct task_run *r, const struct task_state *s)
{
    for (size_t i = 0; i < r->layout.nparties; i++)
        if (kuscia_room_has_quota(&s->room, r->layout.parties[i].domain))
            return true;
    return false;
}

/* All at once, but where a quota counts them: there in the order of domains, so that one of two tasks gets on. */
static void make_pods(struct job *j)
{
    struct task_run *r = j->state;
    if (!job_ok(j))
        made_all(j);
    else if (quota_counts(r, task_run_state(j->c)))
        ensure_all(j, r->made_then, r->nthen, made_all);
    else
        ensure_together(j, r->made_then, r->nthen, made_all);
}

static void add_pod(struct job *j, const struct layout_party *p, const struct layout_pod *pod, const struct json *owner)
{
    struct task_run *r = j->state;
    struct arena *a = &j->arena;
    r->made_then[r->nthen++] = (struct ensure){core_path(a, "pods", p->domain, S("")), pod->name, kuscia_task_pod(a, &r->layout, p, pod, owner), NULL};
    for (size_t m = 0; m < pod->nports; m++)
        if (pod->ports[m].service.len)
            r->made_first[r->nfirst++] =
                (struct ensure){core_path(a, "services", p->domain, S("")), pod->ports[m].service, kuscia_service(a, &r->layout, p, pod, &pod->ports[m], owner), NULL};
}

/* What a pod reads, and the names under which others find it, before the pod. */
static void make_objects(struct job *j)
{
    struct task_run *r = j->state;
    struct arena *a = &j->arena;
    const struct layout *l = &r->layout;
    struct err err = ERR_NONE;
    if (!job_ok(j)) {
        task_run_refused(j);
        return;
    }
    const struct json owner = j->answer;
    if (!str_eq(json_get_str(json_path(&owner, "metadata", "labels", NULL), S(KUSCIA("task-uid"))), l->uid)) { /* a task of this name that is still going */
        job_end(j, WORK_RETRY);
        return;
    }
    if (str_is(json_get_str(json_get(&owner, S("status")), S("phase")), "Failed")) {
        task_run_fail(j, "TaskResourceGroupPhaseFailed", S("the pods could not be made in time"));
        return;
    }
    r->made_first = arena_array(a, l->npods * (1 + LAYOUT_PORTS) + 1, struct ensure);
    r->made_then = arena_array(a, l->npods + 1, struct ensure);
    size_t *order = arena_array(a, l->nparties + 1, size_t);
    by_domain(l, order);
    for (size_t i = 0; i < l->nparties; i++) {
        const struct layout_party *p = &l->parties[order[i]];
        for (size_t k = 0; k < p->npods; k++) {
            const struct layout_pod *pod = &p->pods[k];
            if (kuscia_party_has_files(p)) {
                struct json config = kuscia_files(a, l, p, pod, &owner, &err);
                if (config.type == JSON_NULL) {
                    task_run_fail(j, "ConfigInvalid", arena_str(a, str_of(err.msg)));
                    return;
                }
                r->made_first[r->nfirst++] = (struct ensure){core_path(a, "configmaps", p->domain, S("")), pod->config, config, NULL};
            }
            add_pod(j, p, pod, &owner);
        }
    }
    ensure_together(j, r->made_first, r->nfirst, make_pods);
}

static void made_group(struct job *j)
{
    const struct task_run *r = j->state;
    if (j->status == 409)
        job_call(j, S("GET"), kuscia_cluster_path(&j->arena, "taskresourcegroups", r->name), NULL, make_objects);
    else
        make_objects(j);
}

void task_make_group(struct job *j)
{
    struct task_run *r = j->state;
    struct json group = kuscia_task_group(&j->arena, &r->layout);
    job_call(j, S("POST"), kuscia_cluster_path(&j->arena, "taskresourcegroups", S("")), &group, made_group);
}

/* --- the numbers before ------------------------------------------------------------------------------------------------------------------------------------ */

/* The task as it is with its numbers; the rest follows at once. */
static void numbered(struct job *j)
{
    struct task_run *r = j->state;
    if (!job_ok(j) || !object_has_finalizer(&j->answer, S(TASK_FINALIZER))) {
        task_run_ended(j);
        return;
    }
    r->task = j->answer;
    r->meta = json_get(&r->task, S("metadata"));
    task_make_group(j);
}

void task_make_numbers(struct job *j)
{
    struct task_run *r = j->state;
    struct arena *a = &j->arena;
    struct err err = ERR_NONE;
    if (!controllers_synced(j->c->all)) { /* what others have is not known yet */
        job_end_after(j, 100 * NSEC_PER_MSEC);
        return;
    }
    str never = kuscia_room_never(&task_run_state(j->c)->room, a, &r->layout);
    if (never.len) {
        task_run_fail(j, "Unsatisfiable", never);
        return;
    }
    if (task_run_quota_is_full(j))
        return;
    kuscia_ports_note(&task_run_state(j->c)->ports, j->key, NULL); /* a try before this one that nobody heard of */
    if (kuscia_layout_choose(a, &r->layout, &task_run_state(j->c)->ports, &r->allocated, &err) < 0) {
        task_run_wait_for_ports(j, arena_str(a, str_of(err.msg)));
        return;
    }
    kuscia_ports_note(&task_run_state(j->c)->ports, j->key, &r->allocated); /* the watch will say the same a moment later */
    struct json patch = object_has_finalizer(&r->task, S(TASK_FINALIZER)) ? patch_of(a, &r->task) : finalizer_addition(a, &r->task, S(TASK_FINALIZER));
    json_set(a, json_ensure_object(a, json_get(&patch, S("metadata")), S("annotations")), S(TASK_PORTS_NOTE), json_string(json_text(a, &r->allocated)));
    job_call(j, S("PATCH"), kuscia_path(a, "kusciatasks", r->ns, r->name, ""), &patch, numbered);
}
