/* kuscia_deployment.c - KusciaDeployments: reads the service, its programs and what is there of it, and makes, changes or ends what the plan says (kuscia_deployment_plan.h).
 *
 *   new ─► finalizer ─► port numbers in the status ─► files, services, Deployments ─► what is not wanted any more goes ─► the Deployments say how far it is ─► status
 *
 * Every object carries the service's uid in a label: what is there is found by it, in the namespaces that status.allocatedPorts and the spec name.  A party that is taken out of the spec leaves the
 * status when its objects are gone.  Pods are the Deployments' matter: a change of program, files, amounts or input is a change of the pod template, which rolls out.
 * A service that cannot be made (no such program, a name that is taken) is Failed and says why; what runs of it goes on, and it is looked at again when the program, a domain or the service changes. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/validate.h"
#include "base/limits.h"
#include "controllers/kuscia.h"
#include "controllers/kuscia_deployment_plan.h"

#define FINALIZER KUSCIA("deployment-resources")
#define QUIET_NS (200 * NSEC_PER_MSEC)
#define PORTS_KEY "deployment/" /* tasks have the other keys */

/* What is looked for in a namespace. */
static const struct {
    const char *root, *plural;
} kinds[] = {{"/api/v1", "configmaps"}, {"/api/v1", "services"}, {"/apis/apps/v1", "deployments"}};
enum { CONFIGMAPS, SERVICES, DEPLOYMENTS, KINDS };

struct state {
    struct map known; /* key to what it names: "\ndomain\nappimage\n" */
};

struct wanted {
    size_t kind;
    const struct layout_party *party;
    struct json obj;
    str name;
    const struct json *live; /* NULL: there is none */
};

struct run {
    struct json kd;
    const struct json *meta;
    str ns, name, uid;
    struct gather *named; /* AppImages of the parties, their Domains, the initiator's */
    size_t nparties;
    struct layout layout;
    str *spaces; /* namespaces that may have something of it */
    size_t nspaces;
    struct gather *lists; /* KINDS of each */
    struct wanted *wanted;
    size_t nwanted, at;
    struct gather *pods; /* of each party, "" when it needs no look */
    struct json status;
};

static struct state *state_of(struct controller *c)
{
    return c->state;
}

static const struct json *status_of(const struct run *r)
{
    return json_get(&r->kd, S("status"));
}

static const struct json *list_or_none(const struct json *list)
{
    static const struct json none = {.type = JSON_ARRAY};
    return json_is(list, JSON_ARRAY) ? list : &none;
}

static const struct json *parties_of(const struct json *kd)
{
    return list_or_none(json_path(kd, "spec", "parties", NULL));
}

static const struct json *allocated_of(const struct json *kd)
{
    return list_or_none(json_path(kd, "status", "allocatedPorts", NULL));
}

static str ports_key(struct arena *a, str key)
{
    return arena_fmt(a, PORTS_KEY STR_FMT, STR_ARG(key));
}

/* --- what is known of all of them ---------------------------------------------------------------------------------------------------- */

static void forget(struct state *s, str key)
{
    struct map_entry *e = map_find(&s->known, key);
    if (!e)
        return;
    char *name = (char *)e->key.p, *names = e->value;
    map_del(&s->known, key);
    free(name);
    free(names);
}

static void remember(struct state *s, struct arena *a, str key, const struct json *kd)
{
    const struct json *parties = parties_of(kd);
    struct strbuf b = strbuf_on(a);
    strbuf_addf(&b, "\n" STR_FMT "\n", STR_ARG(json_get_str(json_get(kd, S("spec")), S("initiator"))));
    for (uint32_t i = 0; i < parties->len; i++)
        strbuf_addf(&b, STR_FMT "\n" STR_FMT "\n", STR_ARG(json_get_str(&parties->items[i], S("domainID"))), STR_ARG(json_get_str(&parties->items[i], S("appImageRef"))));
    forget(s, key);
    map_put(&s->known, str_of(str_dup(key)), str_dup(strbuf_str(&b)));
}

/* --- writing --------------------------------------------------------------------------------------------------------------------------------------- */

static void ended(struct job *j)
{
    job_end_status(j);
}

static void write_status(struct job *j, void (*next)(struct job *j))
{
    struct run *r = j->state;
    struct arena *a = &j->arena;
    if (status_of(r) && json_equal(status_of(r), &r->status)) {
        j->status = 200;
        next(j);
        return;
    }
    json_set(a, &r->status, S("lastReconcileTime"), json_string(now_text(a, j->c->opts->clock)));
    struct json obj = r->kd;
    json_set(a, &obj, S("status"), r->status);
    job_call(j, S("PUT"), kuscia_path(a, "kusciadeployments", r->ns, r->name, "/status"), &obj, next);
}

static struct json status_so_far(struct arena *a, const struct run *r)
{
    struct json st = status_of(r) ? json_copy(a, status_of(r)) : json_object();
    json_set(a, &st, S("totalParties"), json_int(a, (int64_t)r->nparties));
    return st;
}

static void fail_then(struct job *j, const char *reason, str message, void (*next)(struct job *j))
{
    struct run *r = j->state;
    r->status = status_so_far(&j->arena, r);
    kuscia_deployment_phase(&j->arena, &r->status, S("Failed"), str_of(reason), message);
    write_status(j, next);
}

static void fail(struct job *j, const char *reason, str message)
{
    fail_then(j, reason, message, ended);
}

static void retried(struct job *j)
{
    job_end(j, WORK_RETRY);
}

/* Something else is in the way: it may go, and nobody would say so. */
static void fail_and_retry(struct job *j, const char *reason, str message)
{
    fail_then(j, reason, message, retried);
}

/* --- how far it is ----------------------------------------------------------------------------------------------------------------------------------- */

static const struct json *live_deployment(const struct run *r, const struct layout_party *p)
{
    for (size_t i = 0; i < r->nwanted; i++)
        if (r->wanted[i].kind == DEPLOYMENTS && r->wanted[i].party == p)
            return r->wanted[i].live;
    return NULL;
}

static void seen_pods(struct job *j)
{
    struct run *r = j->state;
    struct arena *a = &j->arena;
    const struct json **deployments = arena_array(a, r->nparties + 1, const struct json *), **pods = arena_array(a, r->nparties + 1, const struct json *);
    size_t n = 0;
    if (!job_ok(j)) {
        job_end(j, WORK_RETRY);
        return;
    }
    struct json allocated = json_array();
    const struct json *was = allocated_of(&r->kd);
    for (size_t i = 0; i < r->nparties; i++) {
        const struct layout_party *p = &r->layout.parties[i];
        deployments[i] = live_deployment(r, p);
        if (kuscia_party_is_short(p, deployments[i]))
            pods[i] = json_get(&r->pods[n++].obj, S("items"));
        for (uint32_t k = 0; k < was->len; k++)
            if (str_eq(json_get_str(&was->items[k], S("domainID")), p->domain) && str_eq(json_get_str(&was->items[k], S("role")), p->role))
                json_push(a, &allocated, was->items[k]);
    }
    struct deployment_view view = {.layout = &r->layout, .deployments = deployments, .pods = pods};
    r->status = kuscia_deployment_status(a, &view);
    json_set(a, &r->status, S("allocatedPorts"), allocated); /* parties that left had their objects deleted just now */
    write_status(j, ended);
}

static str collection_path(struct arena *a, const char *root, const char *plural, str ns)
{
    struct strbuf b = strbuf_on(a);
    strbuf_addf(&b, "%s/namespaces/", root);
    resource_path_segment(&b, ns);
    strbuf_addf(&b, "/%s", plural);
    return strbuf_str(&b);
}

static str of_deployment(struct arena *a, const char *root, const char *plural, str ns, str uid)
{
    return arena_fmt(a, STR_FMT "?labelSelector=kuscia.secretflow%%2Fkd-uid%%3D" STR_FMT, STR_ARG(collection_path(a, root, plural, ns)), STR_ARG(uid));
}

static void look_at_pods(struct job *j)
{
    struct run *r = j->state;
    struct arena *a = &j->arena;
    size_t n = 0;
    if (!job_ok(j)) {
        job_end(j, WORK_RETRY);
        return;
    }
    r->pods = arena_array(a, r->nparties + 1, struct gather);
    for (size_t i = 0; i < r->nparties; i++) {
        const struct layout_party *p = &r->layout.parties[i];
        if (kuscia_party_is_short(p, live_deployment(r, p)))
            r->pods[n++].path = arena_fmt(a, STR_FMT "%%2Ckuscia.secretflow%%2Fdeployment-name%%3D" STR_FMT, STR_ARG(of_deployment(a, "/api/v1", "pods", p->domain, r->uid)), STR_ARG(p->pods->name));
    }
    gather_all(j, r->pods, n, seen_pods);
}

/* --- what is not wanted any more ------------------------------------------------------------------------------------------------------------------------ */

static bool is_wanted(const struct run *r, size_t kind, str ns, str name)
{
    for (size_t i = 0; i < r->nwanted; i++)
        if (r->wanted[i].kind == kind && str_eq(r->wanted[i].party->domain, ns) && str_eq(r->wanted[i].name, name))
            return true;
    return false;
}

static str object_path(struct arena *a, size_t kind, str ns, str name)
{
    struct strbuf b = strbuf_on(a);
    strbuf_add_str(&b, collection_path(a, kinds[kind].root, kinds[kind].plural, ns));
    if (name.len) {
        strbuf_add_char(&b, '/');
        resource_path_segment(&b, name);
    }
    return strbuf_str(&b);
}

static const struct json *items_of(const struct run *r, size_t space, size_t kind)
{
    return list_or_none(json_get(&r->lists[space * KINDS + kind].obj, S("items")));
}

static void prune(struct job *j)
{
    struct run *r = j->state;
    struct arena *a = &j->arena;
    size_t n = 0, most = 0;
    for (size_t i = 0; i < r->nspaces * KINDS; i++)
        most += items_of(r, i / KINDS, i % KINDS)->len;
    struct step *steps = arena_array(a, most + 1, struct step);
    for (size_t i = 0; i < r->nspaces * KINDS; i++) {
        const struct json *items = items_of(r, i / KINDS, i % KINDS);
        str ns = r->spaces[i / KINDS];
        for (uint32_t k = 0; k < items->len; k++) {
            const struct json *meta = json_get(&items->items[k], S("metadata"));
            str name = json_get_str(meta, S("name"));
            if (!is_wanted(r, i % KINDS, ns, name) && !object_deleting(&items->items[k]))
                steps[n++] = (struct step){S("DELETE"), object_path(a, i % KINDS, ns, name), delete_options(a, json_get_str(meta, S("uid")), i % KINDS == DEPLOYMENTS ? S("Background") : S(""))};
        }
    }
    steps_all(j, steps, n, look_at_pods);
}

/* --- making and changing it ------------------------------------------------------------------------------------------------------------------------------- */

static void apply_next(struct job *j);

static void applied(struct job *j)
{
    struct run *r = j->state;
    struct arena *a = &j->arena;
    struct wanted *w = &r->wanted[r->at];
    bool is_taken = j->status == 409 && !w->live;
    if (is_taken) {
        fail_and_retry(j, "NameTaken",
                       arena_fmt(a, "domain " STR_FMT " already has %s \"" STR_FMT "\", which is not this service's: delete it, or give the service another name or serviceNamePrefix", STR_ARG(w->party->domain),
                                 w->kind == CONFIGMAPS ? "a ConfigMap" : w->kind == SERVICES ? "a Service" : "a Deployment", STR_ARG(w->name)));
    } else if (j->status >= 400 && j->status < 500 && j->status != 409 && j->status != 429) {
        fail_and_retry(j, "CreateResourceFailed", arena_fmt(a, "party " STR_FMT ": " STR_FMT, STR_ARG(w->party->domain), STR_ARG(json_get_str(&j->answer, S("message")))));
    } else if (!job_ok(j)) {
        job_end(j, WORK_RETRY);
    } else {
        struct json *now = arena_new(a, struct json);
        *now = j->answer;
        w->live = now;
        r->at++;
        apply_next(j);
    }
}

static void apply_next(struct job *j)
{
    struct run *r = j->state;
    struct arena *a = &j->arena;
    while (r->at < r->nwanted && r->wanted[r->at].live && kuscia_is_as_made(&r->wanted[r->at].obj, r->wanted[r->at].live))
        r->at++;
    if (r->at == r->nwanted) {
        prune(j);
        return;
    }
    const struct wanted *w = &r->wanted[r->at];
    if (w->live && object_deleting(w->live)) { /* it is on its way, and comes again */
        job_end(j, WORK_RETRY);
    } else if (w->live) {
        struct json obj = kuscia_replacement(a, &w->obj, w->live);
        job_call(j, S("PUT"), object_path(a, w->kind, w->party->domain, w->name), &obj, applied);
    } else {
        job_call(j, S("POST"), object_path(a, w->kind, w->party->domain, S("")), &w->obj, applied);
    }
}

static void want(struct job *j, size_t kind, const struct layout_party *p, str name, struct json obj)
{
    struct run *r = j->state;
    struct wanted *w = &r->wanted[r->nwanted++];
    kuscia_mark(&j->arena, &obj);
    *w = (struct wanted){.kind = kind, .party = p, .obj = obj, .name = name};
    for (size_t i = 0; i < r->nspaces; i++) {
        const struct json *items = items_of(r, i, kind);
        for (uint32_t k = 0; str_eq(r->spaces[i], p->domain) && k < items->len; k++)
            if (str_eq(json_get_str(json_get(&items->items[k], S("metadata")), S("name")), name))
                w->live = &items->items[k];
    }
}

/* Files before services before pods. */
static void make_objects(struct job *j)
{
    struct run *r = j->state;
    struct arena *a = &j->arena;
    struct err err = ERR_NONE;
    if (!job_ok(j)) {
        job_end(j, WORK_RETRY);
        return;
    }
    r->wanted = arena_array(a, r->nparties * (2 + LAYOUT_PORTS) + 1, struct wanted);
    for (size_t i = 0; i < r->nparties; i++) {
        const struct layout_party *p = &r->layout.parties[i];
        struct json files = json_null();
        if (kuscia_party_has_files(p)) {
            files = kuscia_files(a, &r->layout, p, p->pods, NULL, &err);
            if (files.type == JSON_NULL) {
                fail(j, "ConfigInvalid", arena_str(a, str_of(err.msg)));
                return;
            }
            want(j, CONFIGMAPS, p, p->pods->config, files);
        }
        for (size_t k = 0; k < p->pods->nports; k++)
            if (p->pods->ports[k].service.len)
                want(j, SERVICES, p, p->pods->ports[k].service, kuscia_service(a, &r->layout, p, p->pods, &p->pods->ports[k], NULL));
        want(j, DEPLOYMENTS, p, p->pods->name, kuscia_deployment(a, &r->layout, p, files.type == JSON_NULL ? NULL : &files));
    }
    apply_next(j);
}

/* --- where it may be ------------------------------------------------------------------------------------------------------------------------------------------ */

/* A status may hold anybody's words: what no namespace can be called has nothing of the service. */
static void add_space(struct run *r, str ns)
{
    for (size_t i = 0; i < r->nspaces; i++)
        if (str_eq(r->spaces[i], ns))
            return;
    if (!validate_dns1123_label(ns))
        r->spaces[r->nspaces++] = ns;
}

static void find_spaces(struct job *j)
{
    struct run *r = j->state;
    const struct json *parties = parties_of(&r->kd), *allocated = allocated_of(&r->kd);
    r->spaces = arena_array(&j->arena, parties->len + allocated->len + 1, str);
    for (uint32_t i = 0; i < parties->len; i++)
        add_space(r, json_get_str(&parties->items[i], S("domainID")));
    for (uint32_t i = 0; i < allocated->len; i++)
        add_space(r, json_get_str(&allocated->items[i], S("domainID")));
}

static void look(struct job *j)
{
    struct run *r = j->state;
    r->lists = arena_array(&j->arena, r->nspaces * KINDS + 1, struct gather);
    for (size_t i = 0; i < r->nspaces * KINDS; i++)
        r->lists[i].path = of_deployment(&j->arena, kinds[i % KINDS].root, kinds[i % KINDS].plural, r->spaces[i / KINDS], r->uid);
    gather_all(j, r->lists, r->nspaces * KINDS, make_objects);
}

/* --- numbers ----------------------------------------------------------------------------------------------------------------------------------------------------- */

static void choose_ports(struct job *j)
{
    struct run *r = j->state;
    struct arena *a = &j->arena;
    struct kuscia_ports *ports = kuscia_task_ports(j->c->all);
    const struct json *was = allocated_of(&r->kd);
    struct err err = ERR_NONE;
    struct json allocated;
    if (!controllers_synced(j->c->all)) { /* what others have is not known yet */
        job_end_after(j, 100 * NSEC_PER_MSEC);
        return;
    }
    if (kuscia_layout_choose(a, &r->layout, ports, &allocated, &err) < 0) {
        fail_and_retry(j, "PortsExhausted", arena_str(a, str_of(err.msg)));
        return;
    }
    for (uint32_t i = 0; i < was->len; i++) { /* of parties that left: their objects are still there */
        bool stays = false;
        for (size_t k = 0; k < r->nparties; k++)
            stays |= str_eq(json_get_str(&was->items[i], S("domainID")), r->layout.parties[k].domain) && str_eq(json_get_str(&was->items[i], S("role")), r->layout.parties[k].role);
        if (!stays)
            json_push(a, &allocated, was->items[i]);
    }
    kuscia_ports_note(ports, ports_key(a, j->key), &allocated); /* the watch will say the same a moment later */
    r->status = status_so_far(a, r);
    json_set(a, &r->status, S("allocatedPorts"), allocated);
    if (!json_get_str(&r->status, S("phase")).len)
        json_set(a, &r->status, S("phase"), json_string(S("Progressing")));
    write_status(j, ended);
}

/* --- what it names --------------------------------------------------------------------------------------------------------------------------------------------------- */

/* A sentence about a domain that is not there, or another control plane's; "" all is well. */
static str missing(struct job *j)
{
    struct run *r = j->state;
    for (size_t i = 0; i <= r->nparties; i++) {
        const struct gather *g = &r->named[r->nparties + i];
        str name = i < r->nparties ? json_get_str(&parties_of(&r->kd)->items[i], S("domainID")) : json_get_str(json_get(&r->kd, S("spec")), S("initiator"));
        if (!g->found)
            return arena_fmt(&j->arena, "there is no domain \"" STR_FMT "\", which %s", STR_ARG(name), i < r->nparties ? "takes part" : "wants the service");
        if (str_is(json_get_str(json_get(&g->obj, S("spec")), S("role")), "partner"))
            return arena_fmt(&j->arena, "domain \"" STR_FMT "\" is a partner of another control plane, and services across control planes are not run yet", STR_ARG(name));
    }
    return S("");
}

static void got_named(struct job *j)
{
    struct run *r = j->state;
    struct arena *a = &j->arena;
    struct err err = ERR_NONE;
    if (!job_ok(j)) {
        job_end(j, WORK_RETRY);
        return;
    }
    const struct json **images = arena_array(a, r->nparties + 1, const struct json *);
    for (size_t i = 0; i < r->nparties; i++)
        images[i] = r->named[i].found ? &r->named[i].obj : NULL;
    str lacking = missing(j);
    if (lacking.len)
        fail(j, "ValidateFailed", lacking);
    else if (kuscia_layout_service(a, &r->kd, images, &r->layout, &err) < 0)
        fail(j, "ValidateFailed", arena_str(a, str_of(err.msg)));
    else if (!kuscia_layout_ports(&r->layout, allocated_of(&r->kd)))
        choose_ports(j);
    else
        look(j);
}

static void read_named(struct job *j)
{
    struct run *r = j->state;
    struct arena *a = &j->arena;
    const struct json *parties = parties_of(&r->kd);
    r->named = arena_array(a, 2 * r->nparties + 1, struct gather);
    for (size_t i = 0; i < r->nparties; i++) {
        r->named[i].path = kuscia_cluster_path(a, "appimages", json_get_str(&parties->items[i], S("appImageRef")));
        r->named[r->nparties + i].path = kuscia_cluster_path(a, "domains", json_get_str(&parties->items[i], S("domainID")));
    }
    r->named[2 * r->nparties].path = kuscia_cluster_path(a, "domains", json_get_str(json_get(&r->kd, S("spec")), S("initiator")));
    gather_all(j, r->named, 2 * r->nparties + 1, got_named);
}

/* --- life ---------------------------------------------------------------------------------------------------------------------------------------------------------------- */

static void all_gone(struct job *j)
{
    struct run *r = j->state;
    if (!job_ok(j)) {
        job_end(j, WORK_RETRY);
        return;
    }
    struct json patch = finalizer_removal(&j->arena, &r->kd, S(FINALIZER));
    job_call(j, S("PATCH"), kuscia_path(&j->arena, "kusciadeployments", r->ns, r->name, ""), &patch, ended);
}

static void end_all(struct job *j)
{
    struct run *r = j->state;
    struct step *steps = arena_array(&j->arena, r->nspaces * KINDS + 1, struct step);
    for (size_t i = 0; i < r->nspaces * KINDS; i++) /* Deployments first */
        steps[i] = (struct step){S("DELETE"), of_deployment(&j->arena, kinds[KINDS - 1 - i % KINDS].root, kinds[KINDS - 1 - i % KINDS].plural, r->spaces[i / KINDS], r->uid), json_null()};
    steps_all(j, steps, r->nspaces * KINDS, all_gone);
}

static void got_kd(struct job *j)
{
    struct arena *a = &j->arena;
    if (!job_ok(j)) {
        if (job_not_found(j)) {
            kuscia_ports_note(kuscia_task_ports(j->c->all), ports_key(a, j->key), NULL);
            forget(state_of(j->c), j->key);
        }
        job_end_status(j);
        return;
    }
    struct run *r = j->state = arena_new(a, struct run);
    r->kd = j->answer;
    r->meta = json_get(&r->kd, S("metadata"));
    r->uid = json_get_str(r->meta, S("uid"));
    r->nparties = MIN(parties_of(&r->kd)->len, LIMIT_SCHED_SUBGROUPS);
    controller_key_split(j->key, &r->ns, &r->name);
    find_spaces(j);
    bool bound = object_has_finalizer(&r->kd, S(FINALIZER));
    if (object_deleting(&r->kd) && bound) {
        end_all(j);
    } else if (object_deleting(&r->kd)) {
        job_end(j, WORK_OK);
    } else if (!bound) {
        struct json patch = finalizer_addition(a, &r->kd, S(FINALIZER));
        job_call(j, S("PATCH"), kuscia_path(a, "kusciadeployments", r->ns, r->name, ""), &patch, ended); /* and again with its event */
    } else {
        read_named(j);
    }
}

static void reconcile(struct job *j)
{
    str ns, name;
    controller_key_split(j->key, &ns, &name);
    job_call(j, S("GET"), kuscia_path(&j->arena, "kusciadeployments", ns, name, ""), NULL, got_kd);
}

/* --- events ----------------------------------------------------------------------------------------------------------------------------------------------------------------- */

static void on_kd(struct controller *c, const struct resource *r UNUSED, struct informer_event *ev)
{
    const struct json *kd = informer_event_object(ev), *allocated = json_path(kd, "status", "allocatedPorts", NULL);
    str ns = informer_event_ns(ev), key = arena_fmt(ev->arena_, STR_FMT "/" STR_FMT, STR_ARG(ns), STR_ARG(informer_event_name(ev)));
    bool gone = ev->change == INFORMER_DELETED;
    if (!str_is(ns, KUSCIA_NS))
        return;
    if (gone || allocated) /* one without numbers may be of before they were chosen: they stay noted */
        kuscia_ports_note(kuscia_task_ports(c->all), ports_key(ev->arena_, key), gone ? NULL : allocated);
    if (gone)
        forget(state_of(c), key);
    else
        remember(state_of(c), ev->arena_, key, kd);
    controller_enqueue(c, ev);
}

/* Of most objects nothing but these bytes is looked at. */
static void on_part(struct controller *c, const struct resource *r, struct informer_event *ev)
{
    if (str_find(ev->object, S(KUSCIA("kd-name\""))) < 0)
        return;
    str name = json_get_str(json_get(informer_event_meta(ev), S("labels")), S(KUSCIA("kd-name"))), key = arena_fmt(ev->arena_, KUSCIA_NS "/" STR_FMT, STR_ARG(name));
    if (name.len && str_is(r->plural, "pods")) /* many come together, and only the words of the status depend on them */
        workqueue_add_after(c->queue, key, QUIET_NS);
    else if (name.len)
        workqueue_add(c->queue, key);
}

/* A program or a domain: whoever names it looks again. */
static void on_named(struct controller *c, const struct resource *r UNUSED, struct informer_event *ev)
{
    str line = arena_fmt(ev->arena_, "\n" STR_FMT "\n", STR_ARG(informer_event_name(ev)));
    map_foreach(e, &state_of(c)->known)
        if (str_find(str_of(e->value), line) >= 0)
            workqueue_add(c->queue, e->key);
}

/* Its nodes report every minute: only whether there is such a domain counts. */
static void on_domain(struct controller *c, const struct resource *r, struct informer_event *ev)
{
    if (ev->change != INFORMER_MODIFIED)
        on_named(c, r, ev);
}

static void init(struct controller *c)
{
    c->state = xnew(struct state);
}

static void fini(struct controller *c)
{
    struct state *s = state_of(c);
    map_foreach(e, &s->known) {
        free((char *)e->key.p);
        free(e->value);
    }
    map_fini(&s->known);
    free(s);
}

const struct controller_type controller_kuscia_deployment = {
    .name = "kuscia-deployment",
    .parallel = 8,
    .watches = {{.group = "kuscia.secretflow", .plural = "kusciadeployments", .event = on_kd},
                {.group = "kuscia.secretflow", .plural = "appimages", .event = on_named},
                {.group = "kuscia.secretflow", .plural = "domains", .event = on_domain},
                {.group = "apps", .plural = "deployments", .event = on_part},
                {.group = "", .plural = "services", .event = on_part},
                {.group = "", .plural = "configmaps", .event = on_part},
                {.group = "", .plural = "pods", .event = on_part}},
    .init = init,
    .fini = fini,
    .reconcile = reconcile,
};
