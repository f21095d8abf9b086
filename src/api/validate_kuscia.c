/* validate_kuscia.c - Kuscia's kinds: what can never work is refused where it is written, with the numbers and names that are wrong.
 *
 * What needs other objects (is there such an AppImage? such a domain?) is the controllers' to see: a file brings objects in any order. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/gen/gen.h"
#include "api/validate_internal.h"
#include "base/bandwidth.h"
#include "base/limits.h"

enum { SECONDS_MAX = 365 * 24 * 3600, REPLICAS_MAX = LIMIT_SERVICE_REPLICAS };

/* --- parts that several kinds have -------------------------------------------------------------------------------------------------- */

/* A domain is a namespace, and "master" is what control planes call each other. */
static void check_domain(struct vctx *c, const struct vpath *p, str name)
{
    if (name.len) /* which the schema requires where it must be */
        v_check(c, p, name, validate_dns1123_label);
}

/* --- bandwidth ------------------------------------------------------------------------------------------------------------------------- */

#define BANDWIDTH_PROPOSED "bandwidth" /* bit/s of both ends, among the resources of Kuscia's kinds */
#define BANDWIDTH_LEAST 1000           /* a number without its unit: nobody means 500 bit/s */

static bool is_bandwidth(str name)
{
    return str_is(name, BANDWIDTH_PROPOSED) || bandwidth_is_resource(name);
}

static bool names_bandwidth(const struct json *resources)
{
    static const str lists[] = {STR_INIT("limits"), STR_INIT("requests")};
    for (size_t i = 0; i < ARRAY_LEN(lists); i++)
        v_foreach_member (m, v_get(resources, lists[i]))
            if (is_bandwidth(m->key))
                return true;
    return false;
}

/* An amount of bit/s that is not negative. */
static void check_bits(struct vctx *c, const struct vpath *p, str text, const struct quantity *q)
{
    int64_t n = quantity_to_i64(q);
    struct quantity whole = quantity_from_i64(n);
    if (n == 0)
        v_invalid_str(c, p, text, "is no bandwidth: leave it out where nothing is wanted");
    else if (n < BANDWIDTH_LEAST)
        v_invalid_str(c, p, text, "is less than 1 kbit/s: say the unit, as in 500M");
    else if (n > BANDWIDTH_MAX)
        v_invalid_str(c, p, text, "is more than 1 Pbit/s");
    else if (quantity_cmp(q, &whole) != 0)
        v_invalid_str(c, p, text, "must be a whole number of bit/s");
}

/* Of the names that pods have, what is no whole number or too much is found where all resources are looked at. */
static void check_amount(struct vctx *c, const struct vpath *p, const struct json *list, str name, const struct json *value)
{
    struct quantity q;
    str text = json_str(value);
    if (!is_bandwidth(name) || !quantity_parse(text, &q) || quantity_sign(&q) < 0)
        return;
    int64_t n = quantity_to_i64(&q);
    if (str_is(name, BANDWIDTH_PROPOSED)) {
        check_bits(c, p, text, &q);
        if (v_get(list, S(BANDWIDTH_KUSCIA)))
            v_invalid_str(c, p, text, "is the same as " BANDWIDTH_KUSCIA ", which is given as well: leave one of them out");
    } else if (n == 0) {
        v_invalid_str(c, p, text, "is no bandwidth: leave it out where nothing is wanted");
    } else if (!str_is(name, BANDWIDTH_KUSCIA) && n < BANDWIDTH_LEAST) {
        v_invalid_str(c, p, text, "is less than 1 kbit/s: say the unit, as in 500M");
    }
}

/* True: its resources, or those of its containers. */
static bool resources_ask(const struct json *party)
{
    bool asks = names_bandwidth(V_GET(party, "resources"));
    v_foreach (one, i, V_GET(V_GET(V_GET(party, "template"), "spec"), "containers"))
        asks |= names_bandwidth(V_GET(one, "resources"));
    return asks;
}

/* "200Mbps", "egress=200Mbps,ingress=1G": for each pod of the party. */
static void check_request(struct vctx *c, const struct vpath *here, const struct json *party)
{
    const struct vpath *at = V_FIELD(here, "bandwidthRequest");
    str text = V_STR(party, "bandwidthRequest");
    int64_t bits[BANDWIDTH_ENDS];
    struct err err = ERR_NONE;
    if (!V_GET(party, "bandwidthRequest"))
        return;
    if (bandwidth_parse_ends(text, bits, &err) < 0)
        v_invalid_str(c, at, text, "%s", err.msg);
    else if ((bits[BANDWIDTH_OUT] && bits[BANDWIDTH_OUT] < BANDWIDTH_LEAST) || (bits[BANDWIDTH_IN] && bits[BANDWIDTH_IN] < BANDWIDTH_LEAST))
        v_invalid_str(c, at, text, "is less than 1 kbit/s: say the unit, as in 500Mbps");
    else if (resources_ask(party))
        v_invalid_str(c, at, text, "the party's resources ask for bandwidth, too: leave one of them out");
}

static void check_limits(struct vctx *c, const struct vpath *here, const struct json *party)
{
    const struct json *list = V_GET(party, "bandwidthLimits");
    const struct vpath *at = V_FIELD(here, "bandwidthLimits");
    if (v_len(list) > LIMIT_BANDWIDTH_DESTS)
        v_error(c, FIELD_TOO_MANY, at, NULL, "%zu destinations are given, a pod has limits to at most %d", v_len(list), LIMIT_BANDWIDTH_DESTS);
    v_foreach (limit, i, list)
        if (v_seen_before(list, i, S("destinationID")))
            v_duplicate(c, V_FIELD(V_INDEX(at, i), "destinationID"), V_STR(limit, "destinationID"));
}

/* One domain may take part twice, in two roles; twice in the same role it would have pods of the same names. */
static void check_parties(struct vctx *c, const struct vpath *p, const struct json *of, bool may_be_none)
{
    const struct json *parties = V_GET(of, "parties");
    const struct vpath *at = V_FIELD(p, "parties");
    struct v_map seen;
    v_map_init(&seen, c->e->arena);
    if (!v_len(parties) && !may_be_none)
        v_required(c, at, "at least one domain takes part");
    if (v_len(parties) > LIMIT_SCHED_SUBGROUPS)
        v_error(c, FIELD_TOO_MANY, at, NULL, "%zu parties are given, at most %u take part", v_len(parties), LIMIT_SCHED_SUBGROUPS);
    v_foreach (party, i, parties) {
        str domain = V_STR(party, "domainID"), role = V_STR(party, "role");
        const struct vpath *here = V_INDEX(at, i);
        check_domain(c, V_FIELD(here, "domainID"), domain);
        v_check_member(c, here, party, S("role"), validate_dns1123_label);
        check_request(c, here, party);
        check_limits(c, here, party);
        if (domain.len && !v_map_put(&seen, arena_fmt(c->e->arena, STR_FMT "/" STR_FMT, STR_ARG(domain), STR_ARG(role)), party)) {
            if (role.len)
                v_invalid_str(c, V_FIELD(here, "domainID"), domain, "the domain already takes part in the role \"" STR_FMT "\": give the second one another role", STR_ARG(role));
            else
                v_invalid_str(c, V_FIELD(here, "domainID"), domain, "the domain already takes part: give each of the two a role of its own");
        }
    }
}

static void check_schedule(struct vctx *c, const struct vpath *p, const struct json *of, size_t parties)
{
    static const str seconds[] = {STR_INIT("resourceReservedSeconds"), STR_INIT("lifecycleSeconds"), STR_INIT("retryIntervalSeconds")};
    int64_t members = V_INT(of, "minReservedMembers");
    for (size_t i = 0; i < ARRAY_LEN(seconds); i++) {
        int64_t n = json_get_int(of, seconds[i], 0);
        if (n < 0 || n > SECONDS_MAX)
            v_invalid_int(c, V_MEMBER(p, seconds[i]), n, "must be a number of seconds from 0 to %d", SECONDS_MAX);
    }
    if (members > 0 && (size_t)members > parties)
        v_invalid_int(c, V_FIELD(p, "minReservedMembers"), members, "only %zu parties take part", parties);
}

void v_kuscia_bandwidth_limit(struct vctx *c, const struct vpath *p, const struct json *limit)
{
    int64_t rate = V_INT(limit, "limitKBps");
    check_domain(c, V_FIELD(p, "destinationID"), V_STR(limit, "destinationID"));
    if (rate < 1)
        v_invalid_int(c, V_FIELD(p, "limitKBps"), rate, "must be at least 1 KiB a second; leave the entry out for no limit");
    else if (!bandwidth_of_kbps(rate))
        v_invalid_int(c, V_FIELD(p, "limitKBps"), rate, "is more than 1 Pbit/s; leave the entry out for no limit");
}

/* As in containers, but what is counted in whole pieces (kuscia.io/bandwidth) may be given as a request alone: the pod gets both. */
void v_kuscia_resources(struct vctx *c, const struct vpath *p, const struct json *resources)
{
    static const str lists[] = {STR_INIT("limits"), STR_INIT("requests")};
    const struct json *limits = V_GET(resources, "limits");
    for (size_t i = 0; i < ARRAY_LEN(lists); i++)
        v_foreach_member (m, v_get(resources, lists[i])) {
            const struct vpath *at = V_KEY(V_MEMBER(p, lists[i]), m->key);
            if (!str_is(m->key, BANDWIDTH_PROPOSED))
                v_resource_name(c, at, m->key);
            v_resource_quantity(c, at, m->key, &m->value);
            check_amount(c, at, v_get(resources, lists[i]), m->key, &m->value);
        }
    v_foreach_member (m, V_GET(resources, "requests")) {
        struct quantity want, most;
        if (v_quantity(V_GET(resources, "requests"), m->key, &want) && v_quantity(limits, m->key, &most) && quantity_cmp(&want, &most) > 0)
            v_invalid(c, V_KEY(V_FIELD(p, "requests"), m->key), &m->value, "must be less than or equal to the limit of " STR_FMT, STR_ARG(json_str(json_get(limits, m->key))));
    }
}

/* --- domains ---------------------------------------------------------------------------------------------------------------------------- */

void v_kuscia_domain(struct vctx *c, const struct vpath *p, const struct json *domain)
{
    const struct vpath *at = V_FIELD(V_FIELD(p, "metadata"), "name");
    str name = V_STR(V_GET(domain, "metadata"), "name"), role = V_STR(V_GET(domain, "spec"), "role");
    if (!c->old && (str_is(name, "master") || str_is(name, "cross-domain") || str_has_prefix(name, S("kube-")) || str_is(name, "default")))
        v_invalid_str(c, at, name, "a domain is a namespace of its own, and this name has another meaning");
    else if (!c->old)
        check_domain(c, at, name);
    if (role.len && !str_is(role, "partner") && !str_eq(role, V_STR(V_GET(c->old, "spec"), "role")))
        v_unsupported(c, V_FIELD(V_FIELD(p, "spec"), "role"), role, "|partner");
}

/* --- programs ----------------------------------------------------------------------------------------------------------------------------- */

/* Names of containers and ports are once in a pod: services and configuration know ports by name alone. */
void v_kuscia_pod_spec(struct vctx *c, const struct vpath *p, const struct json *spec)
{
    const struct json *containers = V_GET(spec, "containers");
    const struct vpath *at = V_FIELD(p, "containers");
    struct v_map ports;
    v_map_init(&ports, c->e->arena);
    v_foreach (one, i, containers) {
        const struct vpath *here = V_INDEX(at, i), *ports_at = V_FIELD(here, "ports");
        str name = V_STR(one, "name"), probe = V_STR(V_GET(one, "metricProbe"), "port");
        if (name.len && v_seen_before(containers, i, S("name")))
            v_duplicate(c, V_FIELD(here, "name"), name);
        else
            v_check_member(c, here, one, S("name"), validate_dns1123_label);
        v_foreach (port, k, V_GET(one, "ports")) {
            str port_name = V_STR(port, "name");
            if (port_name.len && !v_map_put(&ports, port_name, port))
                v_duplicate(c, V_FIELD(V_INDEX(ports_at, k), "name"), port_name);
            else
                v_check_member(c, V_INDEX(ports_at, k), port, S("name"), validate_dns1123_label);
            if (V_GET(port, "port") && V_INT(port, "port"))
                v_port(c, V_FIELD(V_INDEX(ports_at, k), "port"), V_INT(port, "port"));
        }
        str pull = V_STR(one, "imagePullPolicy");
        if (pull.len && !str_is(pull, "Always") && !str_is(pull, "IfNotPresent") && !str_is(pull, "Never"))
            v_unsupported(c, V_FIELD(here, "imagePullPolicy"), pull, "Always|IfNotPresent|Never");
        if (probe.len && !v_map_get(&ports, probe))
            v_invalid_str(c, V_FIELD(V_FIELD(here, "metricProbe"), "port"), probe, "no port of the pod has this name");
    }
}

static void check_config_mounts(struct vctx *c, const struct vpath *at, const struct json *containers, const struct json *files)
{
    v_foreach (one, i, containers) {
        const struct vpath *here = V_FIELD(V_INDEX(at, i), "configVolumeMounts");
        v_foreach (mount, k, V_GET(one, "configVolumeMounts")) {
            str file = V_STR(mount, "subPath"), path = V_STR(mount, "mountPath");
            if (file.len && !v_get(files, file))
                v_invalid_str(c, V_FIELD(V_INDEX(here, k), "subPath"), file, "no file of spec.configTemplates has this name");
            if (path.len && !str_has_prefix(path, S("/")))
                v_invalid_str(c, V_FIELD(V_INDEX(here, k), "mountPath"), path, "must be an absolute path");
            else if (path.len && v_seen_before(V_GET(one, "configVolumeMounts"), k, S("mountPath")))
                v_duplicate(c, V_FIELD(V_INDEX(here, k), "mountPath"), path);
        }
    }
}

/* The roles of all templates: "a,b" is for both.  Two templates for one role would leave it to chance. */
static void check_roles(struct vctx *c, const struct vpath *p, const struct json *template, struct v_map *roles)
{
    str rest = V_STR(template, "role"), role;
    const struct vpath *at = V_FIELD(p, "role");
    if (!rest.len && !v_map_put(roles, S(""), template))
        v_invalid_str(c, at, S(""), "another template is already for parties without a template of their own");
    while (rest.len) {
        str_cut(&rest, ',', &role);
        role = str_trim(role);
        if (!v_map_put(roles, role, template))
            v_invalid_str(c, at, role, "another template is already for this role");
        else if (role.len)
            v_check(c, at, role, validate_dns1123_label);
    }
}

void v_kuscia_app_image_spec(struct vctx *c, const struct vpath *p, const struct json *spec)
{
    const struct json *templates = V_GET(spec, "deployTemplates");
    const struct vpath *at = V_FIELD(p, "deployTemplates");
    struct v_map roles;
    v_map_init(&roles, c->e->arena);
    v_foreach_member (file, V_GET(spec, "configTemplates"))
        v_check(c, V_KEY(V_FIELD(p, "configTemplates"), file->key), file->key, validate_config_key);
    if (!V_GET(spec, "image"))
        v_required(c, V_FIELD(p, "image"), "name and tag of what the parties run");
    if (!v_len(templates))
        v_required(c, at, "at least one template says what a role starts");
    v_foreach (template, i, templates) {
        const struct vpath *here = V_INDEX(at, i), *containers_at = V_FIELD(V_FIELD(here, "spec"), "containers");
        const struct json *containers = V_GET(V_GET(template, "spec"), "containers");
        check_roles(c, here, template, &roles);
        if (!v_len(containers))
            v_required(c, containers_at, "a pod has at least one container");
        check_config_mounts(c, containers_at, containers, V_GET(spec, "configTemplates"));
    }
}

/* --- jobs: the graph of dependencies --------------------------------------------------------------------------------------------------------- */

struct node {
    const struct json *task;
    enum { NEW, OPEN, DONE } state;
};

struct graph {
    struct vctx *c;
    struct v_map by_alias;
    struct node *nodes;
    struct strbuf circle; /* "a > b > a", found on the way back */
    size_t circle_from;   /* node that closes it, while it is being written */
    bool writing;
};

/* Depth first; at most as deep as there are tasks (128).  True: there is a circle below. */
static bool find_circle(struct graph *g, size_t at)
{
    struct node *n = &g->nodes[at];
    n->state = OPEN;
    v_foreach (dep, i, V_GET(n->task, "dependencies")) {
        const struct node *next = v_map_get(&g->by_alias, json_str(dep));
        if (!next || next->state == DONE)
            continue;
        size_t to = (size_t)(next - g->nodes);
        if (next->state == OPEN) {
            strbuf_addf(&g->circle, STR_FMT " > " STR_FMT, STR_ARG(V_STR(n->task, "alias")), STR_ARG(V_STR(next->task, "alias")));
            g->circle_from = to;
            g->writing = to != at;
            return true;
        }
        if (find_circle(g, to)) {
            if (g->writing) {
                str rest = arena_str(g->c->e->arena, strbuf_str(&g->circle));
                g->circle.len = 0;
                strbuf_addf(&g->circle, STR_FMT " > " STR_FMT, STR_ARG(V_STR(n->task, "alias")), STR_ARG(rest));
                g->writing = at != g->circle_from;
            }
            return true;
        }
    }
    n->state = DONE;
    return false;
}

static void check_dependencies(struct graph *g, const struct vpath *at, const struct json *tasks)
{
    v_foreach (task, i, tasks) {
        const struct json *list = V_GET(task, "dependencies");
        const struct vpath *here = V_FIELD(V_INDEX(at, i), "dependencies");
        v_foreach (dep, k, list) {
            if (!v_map_get(&g->by_alias, json_str(dep)))
                v_invalid_str(g->c, V_INDEX(here, k), json_str(dep), "no task of the job has this alias");
            else if (v_seen_before(list, k, S("")))
                v_duplicate(g->c, V_INDEX(here, k), json_str(dep));
        }
    }
    for (size_t i = 0; i < v_len(tasks); i++)
        if (g->nodes[i].state == NEW && find_circle(g, i)) {
            v_invalid_str(g->c, V_FIELD(V_INDEX(at, i), "dependencies"), V_STR(g->nodes[i].task, "alias"), "these tasks wait for each other, so that none of them could start: " STR_FMT,
                          STR_ARG(strbuf_str(&g->circle)));
            return;
        }
}

static void check_task(struct vctx *c, const struct vpath *here, const struct json *task)
{
    str id = V_STR(task, "taskID"), image = V_STR(task, "appImage");
    if (id.len)
        v_check(c, V_FIELD(here, "taskID"), id, validate_dns1123_label);
    if (image.len)
        v_check(c, V_FIELD(here, "appImage"), image, validate_dns1123_subdomain);
    check_parties(c, here, task, false);
    check_schedule(c, V_FIELD(here, "scheduleConfig"), V_GET(task, "scheduleConfig"), v_len(V_GET(task, "parties")));
}

enum { TASKS_MAX = 128 }; /* maxItems in api/kuscia_v1alpha1.api; kuscia_job_plan.h keeps no more; beyond it the graph is not looked at */

void v_kuscia_job_spec(struct vctx *c, const struct vpath *p, const struct json *spec)
{
    const struct json *tasks = V_GET(spec, "tasks");
    const struct vpath *at = V_FIELD(p, "tasks");
    struct graph g = {.c = c, .circle = strbuf_on(c->e->arena)};
    struct v_map ids;
    check_domain(c, V_FIELD(p, "initiator"), V_STR(spec, "initiator"));
    if (v_len(tasks) > TASKS_MAX)
        return; /* the schema says so */
    v_map_init(&g.by_alias, c->e->arena);
    v_map_init(&ids, c->e->arena);
    g.nodes = arena_array(c->e->arena, v_len(tasks) + 1, struct node);
    v_foreach (task, i, tasks) {
        str alias = V_STR(task, "alias"), id = V_STR(task, "taskID");
        const struct vpath *here = V_INDEX(at, i);
        g.nodes[i] = (struct node){.task = task};
        if (alias.len && !v_map_put(&g.by_alias, alias, &g.nodes[i]))
            v_duplicate(c, V_FIELD(here, "alias"), alias);
        if (id.len && !v_map_put(&ids, id, task))
            v_duplicate(c, V_FIELD(here, "taskID"), id);
        check_task(c, here, task);
    }
    check_dependencies(&g, at, tasks);
}

/* --- tasks, their room, services ---------------------------------------------------------------------------------------------------------------- */

/* The list of a task, as it was proposed to Kuscia: bit/s for each party in their order, or one for all. */
static void check_requests(struct vctx *c, const struct vpath *p, const struct json *spec)
{
    const struct json *list = V_GET(spec, "bandwidthRequest"), *parties = V_GET(spec, "parties");
    const struct vpath *at = V_FIELD(p, "bandwidthRequest");
    if (v_len(list) > 1 && v_len(list) != v_len(parties))
        v_invalid_int(c, at, (int64_t)v_len(list), "amounts for %zu parties: give one for each, in their order, or one for all", v_len(parties));
    v_foreach (amount, i, list) {
        struct quantity q;
        if (!quantity_parse(json_str(amount), &q))
            continue;
        if (quantity_sign(&q) < 0)
            v_invalid_str(c, V_INDEX(at, i), json_str(amount), "must be greater than or equal to 0");
        else if (quantity_sign(&q) > 0 || v_len(list) == 1)
            check_bits(c, V_INDEX(at, i), json_str(amount), &q);
    }
    v_foreach (party, i, parties)
        if (v_len(list) && (V_GET(party, "bandwidthRequest") || resources_ask(party)))
            v_forbidden(c, at, "the party " STR_FMT " asks for bandwidth itself: leave one of them out", STR_ARG(V_STR(party, "domainID")));
}

void v_kuscia_task_spec(struct vctx *c, const struct vpath *p, const struct json *spec)
{
    check_requests(c, p, spec);
    check_domain(c, V_FIELD(p, "initiator"), V_STR(spec, "initiator"));
    check_parties(c, p, spec, false);
    check_schedule(c, V_FIELD(p, "scheduleConfig"), V_GET(spec, "scheduleConfig"), v_len(V_GET(spec, "parties")));
    v_foreach (party, i, V_GET(spec, "parties")) {
        const struct json *replicas = V_GET(V_GET(party, "template"), "replicas");
        int64_t min = V_INT(party, "minReservedPods"), n = V_INT(V_GET(party, "template"), "replicas");
        const struct vpath *here = V_INDEX(V_FIELD(p, "parties"), i);
        v_check_member(c, here, party, S("appImageRef"), validate_dns1123_subdomain);
        if (replicas && n >= 0 && min > n)
            v_invalid_int(c, V_FIELD(here, "minReservedPods"), min, "the party has only %lld pods", (long long)n);
    }
}

void v_kuscia_group_spec(struct vctx *c, const struct vpath *p, const struct json *spec)
{
    size_t parties = v_len(V_GET(spec, "parties")) + v_len(V_GET(spec, "outOfControlledParties"));
    struct v_map resources;
    check_domain(c, V_FIELD(p, "initiator"), V_STR(spec, "initiator"));
    check_parties(c, p, spec, true);
    check_schedule(c, p, spec, parties);
    v_map_init(&resources, c->e->arena);
    v_foreach (party, i, V_GET(spec, "parties")) {
        int64_t min = V_INT(party, "minReservedPods");
        size_t pods = v_len(V_GET(party, "pods"));
        str resource = V_STR(party, "taskResourceName");
        const struct vpath *here = V_INDEX(V_FIELD(p, "parties"), i);
        if (resource.len && !v_map_put(&resources, arena_fmt(c->e->arena, STR_FMT "/" STR_FMT, STR_ARG(V_STR(party, "domainID")), STR_ARG(resource)), party))
            v_duplicate(c, V_FIELD(here, "taskResourceName"), resource);
        else
            v_check_member(c, here, party, S("taskResourceName"), validate_dns1123_subdomain);
        if (pods && min > (int64_t)pods)
            v_invalid_int(c, V_FIELD(here, "minReservedPods"), min, "the party has only %zu pods", pods);
    }
}

void v_kuscia_deployment_spec(struct vctx *c, const struct vpath *p, const struct json *spec)
{
    check_domain(c, V_FIELD(p, "initiator"), V_STR(spec, "initiator"));
    check_parties(c, p, spec, false);
    v_foreach (party, i, V_GET(spec, "parties")) {
        const struct vpath *here = V_INDEX(V_FIELD(p, "parties"), i);
        int64_t replicas = V_INT(V_GET(party, "template"), "replicas");
        v_check_member(c, here, party, S("appImageRef"), validate_dns1123_subdomain);
        v_check_member(c, here, party, S("serviceNamePrefix"), validate_dns1123_label);
        if (replicas > REPLICAS_MAX)
            v_invalid_int(c, V_FIELD(V_FIELD(here, "template"), "replicas"), replicas, "a service has at most %d pods in one domain", REPLICAS_MAX);
    }
}

/* --- ways between domains -------------------------------------------------------------------------------------------------------------------------- */

void v_kuscia_route_spec(struct vctx *c, const struct vpath *p, const struct json *spec)
{
    str source = V_STR(spec, "source"), destination = V_STR(spec, "destination");
    const struct json *transit = V_GET(spec, "transit");
    check_domain(c, V_FIELD(p, "source"), source);
    check_domain(c, V_FIELD(p, "destination"), destination);
    if (source.len && str_eq(source, destination))
        v_invalid_str(c, V_FIELD(p, "destination"), destination, "a way leads to another domain");
    if (str_is(V_STR(transit, "transitMethod"), "THIRD-DOMAIN") && !V_STR(V_GET(transit, "domain"), "domainID").len)
        v_required(c, V_FIELD(V_FIELD(V_FIELD(p, "transit"), "domain"), "domainID"), "the domain that the detour goes through");
    v_foreach (port, i, V_GET(V_GET(spec, "endpoint"), "ports"))
        if (!V_GET(port, "port"))
            v_required(c, V_FIELD(V_INDEX(V_FIELD(V_FIELD(p, "endpoint"), "ports"), i), "port"), "the number of the port");
    str bandwidth = V_STR(spec, "bandwidth");
    int64_t bits;
    struct err err = {0};
    if (bandwidth.len && bandwidth_parse(bandwidth, &bits, &err) < 0)
        v_invalid_str(c, V_FIELD(p, "bandwidth"), bandwidth, "%s", err.msg);
}
