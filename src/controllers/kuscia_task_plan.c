/* SPDX-License-Identifier: Apache-2.0 */
#include "controllers/kuscia_task_plan.h"

#include "base/limits.h"
#include "controllers/kuscia.h"
#include "controllers/kuscia_job_plan.h"
#include "controllers/kuscia_render.h"

/* --- the layout ---------------------------------------------------------------------------------------------------------------------------------- */

/* One of the same name is replaced: files are filled in with what the container will see. */
static void add_variables(struct arena *a, struct json *to, const struct json *from)
{
    struct json *list = json_get(to, S("env"));
    if (!json_is(from, JSON_ARRAY) || !from->len)
        return;
    if (!json_is(list, JSON_ARRAY))
        list = json_set(a, to, S("env"), json_array());
    for (uint32_t i = 0; i < from->len; i++) {
        uint32_t at = 0;
        while (at < list->len && !str_eq(json_get_str(&list->items[at], S("name")), json_get_str(&from->items[i], S("name"))))
            at++;
        if (at < list->len)
            list->items[at] = from->items[i];
        else
            json_push(a, list, from->items[i]);
    }
}

static void set_all(struct arena *a, struct json *to, const struct json *from)
{
    for (uint32_t i = 0; json_is(from, JSON_OBJECT) && i < from->len; i++)
        json_set(a, to, from->members[i].key, from->members[i].value);
}

/* The template's container with what the task's says instead: command and arguments together, variables besides, amounts one by one. */
static struct json merge_container(struct arena *a, const struct json *base, const struct json *over)
{
    struct json c = json_copy(a, base);
    const struct json *command = json_get(over, S("command")), *args = json_get(over, S("args")), *resources = json_get(over, S("resources"));
    static const str lists[] = {STR_INIT("limits"), STR_INIT("requests")};
    if (json_get_str(over, S("name")).len)
        json_set(a, &c, S("name"), *json_get(over, S("name")));
    if ((json_is(command, JSON_ARRAY) && command->len) || (json_is(args, JSON_ARRAY) && args->len)) {
        json_set(a, &c, S("command"), command ? *command : json_array());
        json_set(a, &c, S("args"), args ? *args : json_array());
    }
    add_variables(a, &c, json_get(over, S("env")));
    for (size_t i = 0; i < ARRAY_LEN(lists); i++)
        if (json_get(resources, lists[i]))
            set_all(a, json_ensure_object(a, json_ensure_object(a, &c, S("resources")), lists[i]), json_get(resources, lists[i]));
    return c;
}

/* "task-0-port", within what a name may be. */
static str service_name(struct arena *a, str pod, str port)
{
    bool digit = pod.len && pod.p[0] >= '0' && pod.p[0] <= '9';
    str name = arena_fmt(a, "%s" STR_FMT "-" STR_FMT, digit ? "svc-" : "", STR_ARG(pod), STR_ARG(port));
    bool dotted = str_find_char(name, '.') >= 0; /* pods may have dots in their names, and services may not */
    if (name.len <= 63 && !dotted)
        return name;
    str text = arena_fmt(a, "%.*s-%016llx", (int)MIN(name.len, (size_t)46), name.p, (unsigned long long)str_hash(name));
    for (char *c = (char *)text.p; dotted && c < text.p + text.len; c++)
        *c = *c == '.' ? '-' : *c;
    return text;
}

static int lay_ports(struct arena *a, const struct layout_party *p, struct layout_pod *pod, struct err *err)
{
    pod->ports = arena_array(a, LAYOUT_PORTS, struct layout_port);
    for (uint32_t i = 0; i < p->containers.len; i++) {
        const struct json *list = json_get(&p->containers.items[i], S("ports"));
        for (uint32_t k = 0; json_is(list, JSON_ARRAY) && k < list->len; k++) {
            if (pod->nports == LAYOUT_PORTS)
                return err_set(err, E_INVALID_ARG, "a pod of party " STR_FMT " has more than %u ports", STR_ARG(p->domain), LAYOUT_PORTS);
            struct layout_port *port = &pod->ports[pod->nports++];
            str scope = json_get_str(&list->items[k], S("scope")), protocol = json_get_str(&list->items[k], S("protocol"));
            *port = (struct layout_port){.name = json_get_str(&list->items[k], S("name")), .scope = scope.len ? scope : S("Local"), .protocol = protocol.len ? protocol : S("HTTP"), .service = S("")};
            str prefix = json_get_str(p->party, S("serviceNamePrefix"));
            if (!str_is(port->scope, "Local"))
                port->service = service_name(a, prefix.len ? prefix : pod->name, port->name);
        }
    }
    return 0;
}

str kuscia_config_name(struct arena *a, str pod)
{
    return arena_fmt(a, STR_FMT "-config", STR_ARG(pod));
}

static int lay_pods(struct arena *a, struct layout *l, struct layout_party *p, struct err *err)
{
    int64_t replicas = json_get_int(json_get(p->party, S("template")), S("replicas"), json_get_int(p->template_, S("replicas"), 1)), min = json_get_int(p->party, S("minReservedPods"), 0);
    if (replicas < 1 || l->npods + (size_t)replicas > LAYOUT_PODS)
        return err_set(err, E_INVALID_ARG, "party " STR_FMT " has %lld pods: it takes at least one, and a task at most %u", STR_ARG(p->domain), (long long)replicas, LAYOUT_PODS);
    p->npods = (size_t)replicas;
    p->min_pods = min > 0 && min <= replicas ? (size_t)min : p->npods;
    p->pods = arena_array(a, p->npods, struct layout_pod);
    for (size_t i = 0; i < p->npods; i++) {
        struct layout_pod *pod = &p->pods[i];
        const char *dash = p->role.len ? "-" : "";
        *pod = (struct layout_pod){.name = arena_fmt(a, STR_FMT "%s" STR_FMT "-%zu", STR_ARG(l->name), dash, STR_ARG(p->role), i),
                                   .identity = arena_fmt(a, STR_FMT "%s" STR_FMT "-%zu", STR_ARG(l->uid), dash, STR_ARG(p->role), i), .index = (uint32_t)i};
        pod->config = kuscia_config_name(a, pod->name);
        if (pod->identity.len > 63) /* a label's value */
            pod->identity = str_from(pod->identity, pod->identity.len - 63);
        int r = lay_ports(a, p, pod, err);
        if (r < 0)
            return r;
    }
    l->npods += p->npods;
    return 0;
}

/* All pods of a service are made of one: a Deployment has its name, and so has a label. */
static int lay_service(struct arena *a, struct layout *l, struct layout_party *p, struct err *err)
{
    p->replicas = json_get_int(json_get(p->party, S("template")), S("replicas"), json_get_int(p->template_, S("replicas"), 1));
    if (p->replicas > LIMIT_SERVICE_REPLICAS)
        return err_set(err, E_INVALID_ARG, "party " STR_FMT " has %lld pods: a service has at most %d in one domain", STR_ARG(p->domain), (long long)p->replicas, LIMIT_SERVICE_REPLICAS);
    p->pods = arena_new(a, struct layout_pod);
    p->pods->name = p->pods->identity = p->role.len ? arena_fmt(a, STR_FMT "-" STR_FMT, STR_ARG(l->name), STR_ARG(p->role)) : l->name;
    if (p->pods->name.len > 63)
        return err_set(err, E_INVALID_ARG, "the name \"" STR_FMT "\" of the Deployment is longer than 63 characters: give it, or the role, a shorter one", STR_ARG(p->pods->name));
    p->pods->config = arena_fmt(a, STR_FMT "-configtemplate", STR_ARG(p->pods->name));
    p->npods = 1;
    l->npods++;
    int r = lay_ports(a, p, p->pods, err);
    for (const struct layout_party *q = l->parties; q < p && r == 0; q++)
        for (size_t i = 0; str_eq(q->domain, p->domain) && i < q->pods->nports; i++)
            for (size_t k = 0; k < p->pods->nports && r == 0; k++)
                if (p->pods->ports[k].service.len && str_eq(p->pods->ports[k].service, q->pods->ports[i].service))
                    r = err_set(err, E_INVALID_ARG, "two parties of domain " STR_FMT " have services of the name \"" STR_FMT "\": give each a serviceNamePrefix of its own", STR_ARG(p->domain),
                                STR_ARG(q->pods->ports[i].service));
    return r;
}

/* What the party says instead of a container of the template: a task's by place, a service's by name. */
static const struct json *instead_of(const struct layout *l, const struct json *list, uint32_t place, str name)
{
    if (!json_is(list, JSON_ARRAY))
        return NULL;
    for (uint32_t i = 0; l->lasting && i < list->len; i++)
        if (str_eq(json_get_str(&list->items[i], S("name")), name))
            return &list->items[i];
    return !l->lasting && place < list->len ? &list->items[place] : NULL;
}

static int lay_party(struct arena *a, struct layout *l, struct layout_party *p, const struct json *party, const struct json *app, struct err *err)
{
    const struct json *image = json_path(app, "spec", "image", NULL), *over = json_path(party, "template", "spec", "containers", NULL);
    *p = (struct layout_party){.domain = json_get_str(party, S("domainID")), .role = json_get_str(party, S("role")), .party = party, .app = app, .containers = json_array()};
    if (!app)
        return err_set(err, E_NOT_FOUND, "there is no AppImage \"" STR_FMT "\", which party " STR_FMT " runs", STR_ARG(json_get_str(party, S("appImageRef"))), STR_ARG(p->domain));
    p->template_ = kuscia_template(app, p->role);
    if (!p->template_)
        return err_set(err, E_NOT_FOUND, "AppImage \"" STR_FMT "\" has no template for the role \"" STR_FMT "\" of party " STR_FMT, STR_ARG(json_get_str(party, S("appImageRef"))), STR_ARG(p->role),
                       STR_ARG(p->domain));
    p->image = arena_fmt(a, STR_FMT ":" STR_FMT, STR_ARG(json_get_str(image, S("name"))), STR_ARG(json_get_str(image, S("tag"))));
    const struct json *containers = json_path(p->template_, "spec", "containers", NULL);
    for (uint32_t i = 0; json_is(containers, JSON_ARRAY) && i < containers->len; i++)
        json_push(a, &p->containers, merge_container(a, &containers->items[i], instead_of(l, over, i, json_get_str(&containers->items[i], S("name")))));
    const str policies[] = {json_get_str(json_path(party, "template", "spec", NULL), S("restartPolicy")), json_get_str(json_get(party, S("template")), S("restartPolicy")),
                            json_get_str(json_get(p->template_, S("spec")), S("restartPolicy")), S("Never")};
    for (size_t i = 0; i < ARRAY_LEN(policies) && !p->restart_policy.len; i++)
        p->restart_policy = policies[i];
    return l->lasting ? lay_service(a, l, p, err) : lay_pods(a, l, p, err);
}

static int lay(struct arena *a, bool lasting, const struct json *task, const struct json *const *images, struct layout *ret, struct err *err)
{
    const struct json *meta = json_get(task, S("metadata")), *spec = json_get(task, S("spec")), *parties = json_get(spec, S("parties"));
    struct layout l = {.task = task, .lasting = lasting, .name = json_get_str(meta, S("name")), .uid = json_get_str(meta, S("uid")), .initiator = json_get_str(spec, S("initiator"))};
    l.nparties = json_is(parties, JSON_ARRAY) ? MIN(parties->len, LIMIT_SCHED_SUBGROUPS) : 0;
    l.parties = arena_array(a, l.nparties + 1, struct layout_party);
    for (size_t i = 0; i < l.nparties; i++) {
        int r = lay_party(a, &l, &l.parties[i], &parties->items[i], images[i], err);
        if (r < 0)
            return r;
    }
    int64_t min = json_get_int(json_get(spec, S("scheduleConfig")), S("minReservedMembers"), 0);
    l.min_parties = min > 0 && (size_t)min <= l.nparties ? (size_t)min : l.nparties;
    *ret = l;
    return 0;
}

int kuscia_layout(struct arena *a, const struct json *task, const struct json *const *images, struct layout *ret, struct err *err)
{
    return lay(a, false, task, images, ret, err);
}

int kuscia_layout_service(struct arena *a, const struct json *deployment, const struct json *const *images, struct layout *ret, struct err *err)
{
    return lay(a, true, deployment, images, ret, err);
}

void kuscia_layout_group(struct arena *a, const struct json *task, const struct json *group, struct layout *ret)
{
    const struct json *meta = json_get(task, S("metadata")), *spec = json_get(group, S("spec")), *parties = json_get(spec, S("parties"));
    struct layout l = {.task = task, .name = json_get_str(meta, S("name")), .uid = json_get_str(meta, S("uid")), .initiator = json_get_str(spec, S("initiator"))};
    l.nparties = json_is(parties, JSON_ARRAY) ? MIN(parties->len, LIMIT_SCHED_SUBGROUPS) : 0;
    l.parties = arena_array(a, l.nparties + 1, struct layout_party);
    for (size_t i = 0; i < l.nparties; i++) {
        const struct json *from = &parties->items[i], *pods = json_get(from, S("pods"));
        struct layout_party *p = &l.parties[i];
        *p = (struct layout_party){.domain = json_get_str(from, S("domainID")), .role = json_get_str(from, S("role")), .party = from};
        p->npods = json_is(pods, JSON_ARRAY) ? MIN(pods->len, LAYOUT_PODS - l.npods) : 0;
        p->pods = arena_array(a, p->npods + 1, struct layout_pod);
        for (size_t k = 0; k < p->npods; k++)
            p->pods[k] = (struct layout_pod){.name = json_get_str(&pods->items[k], S("name")), .index = (uint32_t)k};
        p->min_pods = (size_t)MAX(json_get_int(from, S("minReservedPods"), (int64_t)p->npods), 0);
        l.npods += p->npods;
    }
    int64_t min = json_get_int(spec, S("minReservedMembers"), 0);
    l.min_parties = min > 0 && (size_t)min <= l.nparties ? (size_t)min : l.nparties;
    *ret = l;
}

/* --- port numbers --------------------------------------------------------------------------------------------------------------------------------------- */

static str port_key(struct arena *a, const struct layout_pod *pod, const struct layout_port *port)
{
    return arena_fmt(a, STR_FMT "/" STR_FMT, STR_ARG(pod->name), STR_ARG(port->name));
}

static const struct json *of_party(const struct json *list, const struct layout_party *p)
{
    for (uint32_t i = 0; json_is(list, JSON_ARRAY) && i < list->len; i++)
        if (str_eq(json_get_str(&list->items[i], S("domainID")), p->domain) && str_eq(json_get_str(&list->items[i], S("role")), p->role))
            return &list->items[i];
    return NULL;
}

bool kuscia_layout_ports(struct layout *l, const struct json *allocated)
{
    ARENA_AUTO a = ARENA_INIT;
    bool all = true;
    for (size_t i = 0; i < l->nparties; i++) {
        const struct layout_party *p = &l->parties[i];
        const struct json *known = of_party(allocated, p), *named = json_get(known, S("namedPort"));
        all &= known != NULL;
        for (size_t k = 0; k < p->npods; k++)
            for (size_t n = 0; n < p->pods[k].nports; n++) {
                int64_t number = json_get_int(named, port_key(&a, &p->pods[k], &p->pods[k].ports[n]), 0);
                p->pods[k].ports[n].number = number >= PORTS_FIRST && number < PORTS_FIRST + PORTS_COUNT ? (uint32_t)number : 0;
                all &= p->pods[k].ports[n].number > 0;
            }
    }
    return all;
}

int kuscia_layout_choose(struct arena *a, struct layout *l, const struct kuscia_ports *ports, struct json *ret, struct err *err)
{
    uint32_t *given = arena_array(a, (size_t)LAYOUT_PODS * LAYOUT_PORTS, uint32_t); /* of this task; of other domains, too: it does no harm */
    size_t n = 0;
    *ret = json_array();
    for (size_t i = 0; i < l->nparties; i++) {
        struct layout_party *p = &l->parties[i];
        struct json named = json_object();
        for (size_t k = 0; k < p->npods; k++)
            for (size_t m = 0; m < p->pods[k].nports; m++) {
                struct layout_port *port = &p->pods[k].ports[m];
                if (!port->number)
                    port->number = kuscia_ports_find(ports, p->domain, str_hash(l->uid) + n, given, n);
                if (!port->number)
                    return err_set(err, E_UNAVAILABLE, "domain " STR_FMT " has no free port number: all %u are in use", STR_ARG(p->domain), PORTS_COUNT);
                given[n++] = port->number;
                json_set(a, &named, port_key(a, &p->pods[k], port), json_int(a, port->number));
            }
        struct json party = json_make(a, "{\"domainID\":%S,\"namedPort\":%j}", p->domain, &named);
        if (p->role.len)
            json_set(a, &party, S("role"), json_string(p->role));
        json_push(a, ret, party);
    }
    return 0;
}

/* --- how far it is ------------------------------------------------------------------------------------------------------------------------------------------ */

enum pod_state { POD_WAITS, POD_RUNS, POD_GOOD, POD_BAD };

/* A container that will never run: the pod need not be waited for. */
static bool is_hopeless(const struct json *pod)
{
    static const char *const reasons[] = {"CrashLoopBackOff", "InvalidImageName", "CreateContainerError", "CreateContainerConfigError", "ErrImageNeverPull", "RunContainerError"};
    const struct json *list = json_path(pod, "status", "containerStatuses", NULL);
    for (uint32_t i = 0; json_is(list, JSON_ARRAY) && i < list->len; i++) {
        str reason = json_get_str(json_path(&list->items[i], "state", "waiting", NULL), S("reason"));
        for (size_t k = 0; k < ARRAY_LEN(reasons); k++)
            if (str_is(reason, reasons[k]))
                return true;
    }
    return false;
}

/* Whoever deleted it does not want its work any more.  On a node that is lost it stays like this for good: to wait for its end would be to wait forever. */
static bool is_leaving(const struct json *pod)
{
    return json_get_str(json_get(pod, S("metadata")), S("deletionTimestamp")).len > 0;
}

static enum pod_state state_of(const struct json *pod)
{
    str phase = json_get_str(json_get(pod, S("status")), S("phase"));
    if (str_is(phase, "Succeeded"))
        return POD_GOOD;
    if (!pod || str_is(phase, "Failed") || is_leaving(pod) || is_hopeless(pod))
        return POD_BAD;
    return str_is(phase, "Running") ? POD_RUNS : POD_WAITS;
}

static const struct json *pod_condition(const struct json *pod, const char *type)
{
    const struct json *list = json_path(pod, "status", "conditions", NULL);
    for (uint32_t i = 0; json_is(list, JSON_ARRAY) && i < list->len; i++)
        if (str_is(json_get_str(&list->items[i], S("type")), type))
            return &list->items[i];
    return NULL;
}

str kuscia_pod_message(const struct json *pod, str *ret_reason, str *ret_log)
{
    const struct json *scheduled = pod_condition(pod, "PodScheduled"), *list = json_path(pod, "status", "containerStatuses", NULL);
    str message = json_get_str(json_get(pod, S("status")), S("message"));
    *ret_reason = json_get_str(json_get(pod, S("status")), S("reason"));
    *ret_log = S("");
    if (is_leaving(pod) && !message.len)
        message = S("it was deleted before it ended");
    if (str_is(json_get_str(scheduled, S("status")), "False")) {
        *ret_reason = json_get_str(scheduled, S("reason"));
        return json_get_str(scheduled, S("message"));
    }
    for (uint32_t i = 0; json_is(list, JSON_ARRAY) && i < list->len; i++) {
        const struct json *ended = json_path(&list->items[i], "state", "terminated", NULL), *waits = json_path(&list->items[i], "state", "waiting", NULL);
        if (ended && json_get_int(ended, S("exitCode"), 0)) {
            *ret_reason = json_get_str(ended, S("reason"));
            *ret_log = json_get_str(ended, S("message"));
        } else if (waits && !message.len) {
            *ret_reason = json_get_str(waits, S("reason"));
            message = json_get_str(waits, S("message"));
        }
    }
    return message;
}

static void set_text(struct arena *a, struct json *to, const char *key, str text)
{
    if (text.len)
        json_set(a, to, str_of(key), json_string(text));
}

/* was: of this pod before, or NULL. */
static struct json pod_status(struct arena *a, const struct layout_party *p, const struct layout_pod *pod, const struct json *live, const struct json *was)
{
    const struct json *scheduled = pod_condition(live, "PodScheduled"), *ready = pod_condition(live, "Ready");
    str reason, log, message = kuscia_pod_message(live, &reason, &log), phase = json_get_str(json_get(live, S("status")), S("phase"));
    struct json st = json_make(a, "{\"podName\":%S,\"namespace\":%S,\"podPhase\":%S}", pod->name, p->domain, live ? phase : S("Failed"));
    set_text(a, &st, "nodeName", json_get_str(json_get(live, S("spec")), S("nodeName")));
    set_text(a, &st, "message", live ? message : S("the pod is gone"));
    set_text(a, &st, "reason", reason);
    set_text(a, &st, "terminationLog", log);
    set_text(a, &st, "createTime", json_get_str(json_get(live, S("metadata")), S("creationTimestamp")));
    if (str_is(json_get_str(scheduled, S("status")), "True"))
        set_text(a, &st, "scheduleTime", json_get_str(scheduled, S("lastTransitionTime")));
    set_text(a, &st, "startTime", json_get_str(json_get(live, S("status")), S("startTime")));
    set_text(a, &st, "readyTime", str_is(json_get_str(ready, S("status")), "True") ? json_get_str(ready, S("lastTransitionTime")) : json_get_str(was, S("readyTime")));
    return st;
}

bool kuscia_condition(struct arena *a, struct json *status, const char *type, bool holds, str reason, str message, str now)
{
    struct json *list = json_get(status, S("conditions")), *place = NULL;
    if (!json_is(list, JSON_ARRAY))
        list = json_set(a, status, S("conditions"), json_array());
    for (uint32_t i = 0; i < list->len; i++)
        if (str_is(json_get_str(&list->items[i], S("type")), type))
            place = &list->items[i];
    str text = holds ? S("True") : S("False");
    if (place && str_eq(json_get_str(place, S("status")), text) && str_eq(json_get_str(place, S("reason")), reason))
        return false;
    struct json c = json_make(a, "{\"type\":%s,\"status\":%S,\"lastTransitionTime\":%S}", type, text, now);
    set_text(a, &c, "reason", reason);
    set_text(a, &c, "message", message);
    if (place)
        *place = c;
    else
        json_push(a, list, c);
    return true;
}

/* A party in its words: where it stands, and when it does not, why. */
static struct json party_status(struct arena *a, const struct layout_party *p, const struct json *const *pods, const bool *lost, str lacks)
{
    size_t count[4] = {0};
    str why = S(""), reason, log;
    for (size_t i = 0; i < p->npods; i++) {
        enum pod_state s = state_of(pods[i]);
        count[s]++;
        str said = pods[i] ? kuscia_pod_message(pods[i], &reason, &log) : S("the pod is gone");
        if (!why.len && s == POD_RUNS && lost && lost[i])
            why = arena_fmt(a, "pod " STR_FMT ": node " STR_FMT " is not ready; the pod fails when its toleration of that is over", STR_ARG(p->pods[i].name), STR_ARG(json_get_str(json_get(pods[i], S("spec")), S("nodeName"))));
        if (!why.len && (s == POD_BAD || s == POD_WAITS)) {
            str more = said.len ? said : str_trim(log).len ? str_trim(log) : reason; /* a program's last words end with their line */
            why = s == POD_BAD && more.len ? arena_fmt(a, "pod " STR_FMT ": " STR_FMT, STR_ARG(p->pods[i].name), STR_ARG(more)) : more;
        }
    }
    const char *phase = p->npods - count[POD_BAD] < p->min_pods ? "Failed" : count[POD_GOOD] >= p->min_pods ? "Succeeded" : count[POD_RUNS] || count[POD_GOOD] ? "Running" : "Pending";
    struct json st = json_make(a, "{\"domainID\":%S,\"phase\":%s}", p->domain, phase);
    set_text(a, &st, "role", p->role);
    if (strcmp(phase, "Pending") == 0 && lacks.len)
        set_text(a, &st, "message", lacks);
    else if (strcmp(phase, "Succeeded") != 0)
        set_text(a, &st, "message", why);
    return st;
}

/* "alice, bob (why); carol (another reason)": parties of a gang wait for the same reason, which is said once. */
static str named(struct arena *a, const struct json *parties, const char *phase)
{
    struct strbuf b = strbuf_on(a);
    str last = S("");
    for (uint32_t i = 0; i < parties->len; i++) {
        const struct json *p = &parties->items[i];
        str message = json_get_str(p, S("message")), role = json_get_str(p, S("role"));
        if (!str_is(json_get_str(p, S("phase")), phase))
            continue;
        if (b.len && last.len && !str_eq(last, message))
            strbuf_addf(&b, " (" STR_FMT "); ", STR_ARG(last));
        else if (b.len)
            strbuf_add_str(&b, S(", "));
        strbuf_addf(&b, STR_FMT "%s" STR_FMT, STR_ARG(json_get_str(p, S("domainID"))), role.len ? "-" : "", STR_ARG(role));
        last = message;
    }
    if (last.len)
        strbuf_addf(&b, " (" STR_FMT ")", STR_ARG(last));
    return strbuf_str(&b);
}

static void set_phase(struct arena *a, struct json *st, const char *phase, const char *reason, str message)
{
    json_set(a, st, S("phase"), json_string(str_of(phase)));
    json_del(st, S("reason"));
    json_del(st, S("message"));
    set_text(a, st, "reason", str_of(reason));
    set_text(a, st, "message", message);
}

/* One that somebody else failed has no reason of ours. */
static str group_failure(struct arena *a, const struct json *group, str waiting)
{
    const struct json *list = json_path(group, "status", "conditions", NULL);
    str why = S("");
    for (uint32_t i = 0; json_is(list, JSON_ARRAY) && i < list->len && !why.len; i++)
        if (str_is(json_get_str(&list->items[i], S("type")), "TaskResourceGroupExpired") || str_is(json_get_str(&list->items[i], S("type")), "TaskResourceGroupFailed"))
            why = json_get_str(&list->items[i], S("reason"));
    return arena_fmt(a, STR_FMT "%s" STR_FMT, STR_ARG(why.len ? why : S("the TaskResourceGroup failed")), waiting.len ? "; waiting: " : "", STR_ARG(waiting));
}

/* In one word, where there is one: what a pod that waits lacks. */
static const char *waiting_reason(const struct task_view *v)
{
    static const char *const words[] = {"BandwidthInsufficient", "Unschedulable"}; /* the first that any pod has */
    for (size_t k = 0; k < ARRAY_LEN(words); k++)
        for (size_t i = 0; i < v->layout->npods; i++) {
            const struct json *scheduled = pod_condition(v->pods[i], "PodScheduled");
            if (str_is(json_get_str(scheduled, S("status")), "False") && str_is(json_get_str(scheduled, S("reason")), words[k]))
                return words[k];
        }
    return "";
}

/* What a party that runs says: its node is lost. */
static str trouble(struct arena *a, const struct json *parties)
{
    for (uint32_t i = 0; i < parties->len; i++) {
        str message = json_get_str(&parties->items[i], S("message"));
        if (str_is(json_get_str(&parties->items[i], S("phase")), "Running") && message.len)
            return arena_fmt(a, "party " STR_FMT ": " STR_FMT, STR_ARG(json_get_str(&parties->items[i], S("domainID"))), STR_ARG(message));
    }
    return S("");
}

static bool is_end(str phase)
{
    return str_is(phase, "Succeeded") || str_is(phase, "Failed");
}

/* What a party said when it waited is what it lacked. */
static void end_party(struct arena *a, struct json *party, bool succeeded)
{
    str said = json_get_str(party, S("message"));
    if (!json_is(party, JSON_OBJECT) || is_end(json_get_str(party, S("phase"))))
        return;
    json_set(a, party, S("phase"), json_string(S("Failed")));
    json_set(a, party, S("message"), json_string(succeeded  ? S(KUSCIA_ENDED ": enough other parties had succeeded")
                                                 : said.len ? arena_fmt(a, KUSCIA_ENDED " (" STR_FMT ")", STR_ARG(said))
                                                            : S(KUSCIA_ENDED)));
}

static void end_pod(struct arena *a, struct json *pod)
{
    if (!json_is(pod, JSON_OBJECT) || is_end(json_get_str(pod, S("podPhase"))))
        return;
    json_set(a, pod, S("podPhase"), json_string(S("Failed")));
    if (!json_get_str(pod, S("message")).len)
        json_set(a, pod, S("message"), json_string(S(KUSCIA_ENDED)));
}

void kuscia_task_end(struct arena *a, struct json *status, str now)
{
    bool succeeded = str_is(json_get_str(status, S("phase")), "Succeeded");
    struct json *parties = json_get(status, S("partyTaskStatus")), *pods = json_get(status, S("podStatuses"));
    for (uint32_t i = 0; json_is(parties, JSON_ARRAY) && i < parties->len; i++)
        end_party(a, &parties->items[i], succeeded);
    for (uint32_t i = 0; json_is(pods, JSON_OBJECT) && i < pods->len; i++)
        end_pod(a, &pods->members[i].value);
    kuscia_condition(a, status, "Success", succeeded, S(""), S(""), now);
}

static void decide(struct arena *a, const struct task_view *v, struct json *st, const struct json *parties)
{
    size_t good = 0, bad = 0, runs = 0, n = parties->len, min = v->layout->min_parties;
    for (uint32_t i = 0; i < parties->len; i++) {
        str phase = json_get_str(&parties->items[i], S("phase"));
        good += str_is(phase, "Succeeded");
        bad += str_is(phase, "Failed");
        runs += str_is(phase, "Running");
    }
    str waiting = named(a, parties, "Pending");
    if (!v->group)
        set_phase(a, st, "Failed", "TaskResourceGroupGone", S("the TaskResourceGroup was deleted"));
    else if (n - bad < min)
        set_phase(a, st, "Failed", "PartyFailed", arena_fmt(a, "%zu of %zu parties are left and %zu are needed; failed: " STR_FMT, n - bad, n, min, STR_ARG(named(a, parties, "Failed"))));
    else if (good >= min)
        set_phase(a, st, "Succeeded", "", S(""));
    else if (str_is(json_get_str(json_get(v->group, S("status")), S("phase")), "Failed"))
        set_phase(a, st, "Failed", "TaskResourceGroupPhaseFailed", group_failure(a, v->group, waiting));
    else if (runs || good)
        set_phase(a, st, "Running", waiting_reason(v), waiting.len ? arena_fmt(a, "waiting: " STR_FMT, STR_ARG(waiting)) : trouble(a, parties));
    else
        set_phase(a, st, "Pending", waiting_reason(v), waiting.len ? arena_fmt(a, "waiting: " STR_FMT, STR_ARG(waiting)) : S(""));
}

struct json kuscia_task_status(struct arena *a, const struct task_view *v)
{
    const struct json *was = json_get(v->layout->task, S("status"));
    struct json st = was ? json_copy(a, was) : json_object(), parties = json_array(), pods = json_object();
    size_t at = 0;
    for (size_t i = 0; i < v->layout->nparties; i++) {
        const struct layout_party *p = &v->layout->parties[i];
        json_push(a, &parties, party_status(a, p, v->pods + at, v->lost ? v->lost + at : NULL, v->lacks ? v->lacks[i] : S("")));
        for (size_t k = 0; k < p->npods; k++, at++) {
            str key = arena_fmt(a, STR_FMT "/" STR_FMT, STR_ARG(p->domain), STR_ARG(p->pods[k].name));
            json_set(a, &pods, key, pod_status(a, p, &p->pods[k], v->pods[at], json_get(json_get(was, S("podStatuses")), key)));
        }
    }
    json_set(a, &st, S("podStatuses"), pods);
    decide(a, v, &st, &parties);
    str phase = json_get_str(&st, S("phase"));
    json_set(a, &st, S("partyTaskStatus"), parties);
    if (str_is(phase, "Running"))
        kuscia_condition(a, &st, "Running", true, S(""), S(""), v->now);
    else if (is_end(phase))
        kuscia_task_end(a, &st, v->now);
    return st;
}
