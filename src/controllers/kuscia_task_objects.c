/* kuscia_task_objects.c - the objects of a task: TaskResourceGroup, files, pods, services.  Names, labels and annotations are Kuscia's.
 *
 *   TRG task ◄─ owner ── ConfigMap task-0-config, Pod task-0, Service task-0-port      in the namespace of each party: an object of a namespace cannot be owned across namespaces, by a cluster's it can
 * Ports of scope Cluster and Domain have a headless Service each; both are named with their number, as there is no gateway between domains of one control plane. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "controllers/kuscia.h"
#include "controllers/kuscia_bandwidth.h"
#include "controllers/kuscia_render.h"
#include "controllers/kuscia_task_plan.h"

enum { RESERVED_SECONDS = 30, RETRY_SECONDS = 30, PORT_NAME_MAX = 15 };

/* --- the group ------------------------------------------------------------------------------------------------------------------------------------- */

static int64_t seconds(const struct layout *l, const char *key, int64_t otherwise)
{
    int64_t n = json_get_int(json_path(l->task, "spec", "scheduleConfig", NULL), str_of(key), 0);
    return n > 0 ? n : otherwise;
}

struct json kuscia_task_group(struct arena *a, const struct layout *l)
{
    const struct json *notes = json_path(l->task, "metadata", "annotations", NULL), *labels = json_path(l->task, "metadata", "labels", NULL);
    struct json parties = json_array();
    for (size_t i = 0; i < l->nparties; i++) {
        const struct layout_party *p = &l->parties[i];
        struct json pods = json_array();
        for (size_t k = 0; k < p->npods; k++)
            json_push(a, &pods, json_make(a, "{\"name\":%S}", p->pods[k].name));
        struct json party = json_make(a, "{\"domainID\":%S,\"minReservedPods\":%d,\"pods\":%j}", p->domain, (int64_t)p->min_pods, &pods);
        if (p->role.len)
            json_set(a, &party, S("role"), json_string(p->role));
        json_push(a, &parties, party);
    }
    return json_make(a,
                     "{\"apiVersion\":\"" KUSCIA_API "\",\"kind\":\"TaskResourceGroup\",\"metadata\":{\"name\":%S,\"annotations\":{\"" KUSCIA("initiator") "\":%S,\"" KUSCIA("task-id") "\":%S,"
                     "\"" KUSCIA("job-id") "\":%S,\"" KUSCIA("task-alias") "\":%S},\"labels\":{\"" KUSCIA("controller") "\":\"kusciatask\",\"" KUSCIA("task-uid") "\":%S,\"" KUSCIA("job-uid") "\":%S}},"
                     "\"spec\":{\"minReservedMembers\":%d,\"resourceReservedSeconds\":%d,\"lifecycleSeconds\":%d,\"retryIntervalSeconds\":%d,\"initiator\":%S,\"parties\":%j}}",
                     l->name, l->initiator, l->name, json_get_str(notes, S(KUSCIA("job-id"))), json_get_str(notes, S(KUSCIA("task-alias"))), l->uid, json_get_str(labels, S(KUSCIA("job-uid"))),
                     (int64_t)l->min_parties, seconds(l, "resourceReservedSeconds", RESERVED_SECONDS), seconds(l, "lifecycleSeconds", KUSCIA_LIFE_SECONDS), seconds(l, "retryIntervalSeconds", RETRY_SECONDS),
                     l->initiator, &parties);
}

/* --- what programs are told -------------------------------------------------------------------------------------------------------------------------- */

/* All services of a party, each with the address of every pod. */
static struct json services_of(struct arena *a, const struct layout_party *p)
{
    struct json list = json_array();
    for (size_t n = 0; p->npods && n < p->pods[0].nports; n++) {
        struct json endpoints = json_array();
        if (!p->pods[0].ports[n].service.len)
            continue;
        for (size_t k = 0; k < p->npods; k++)
            json_push(a, &endpoints, json_string(arena_fmt(a, STR_FMT "." STR_FMT ".svc:%u", STR_ARG(p->pods[k].ports[n].service), STR_ARG(p->domain), p->pods[k].ports[n].number)));
        json_push(a, &list, json_make(a, "{\"portName\":%S,\"endpoints\":%j}", p->pods[0].ports[n].name, &endpoints));
    }
    return list;
}

static str cluster_define(struct arena *a, const struct layout *l, const struct layout_party *self, const struct layout_pod *pod)
{
    struct json parties = json_array();
    for (size_t i = 0; i < l->nparties; i++) {
        struct json services = services_of(a, &l->parties[i]);
        json_push(a, &parties, json_make(a, "{\"name\":%S,\"role\":%S,\"services\":%j}", l->parties[i].domain, l->parties[i].role, &services));
    }
    struct json define = json_make(a, "{\"parties\":%j,\"selfPartyIdx\":%d,\"selfEndpointIdx\":%d}", &parties, (int64_t)(self - l->parties), (int64_t)pod->index);
    return json_text(a, &define);
}

static str allocated_ports(struct arena *a, const struct layout_pod *pod)
{
    struct json list = json_array();
    for (size_t i = 0; i < pod->nports; i++)
        json_push(a, &list, json_make(a, "{\"name\":%S,\"port\":%d,\"scope\":%S,\"protocol\":%S}", pod->ports[i].name, (int64_t)pod->ports[i].number, pod->ports[i].scope, pod->ports[i].protocol));
    struct json ports = json_make(a, "{\"ports\":%j}", &list);
    return json_text(a, &ports);
}

/* As names of variables are written in templates; with '_' for '-' also as those of the environment are. */
static str upper(struct arena *a, str name, char dash)
{
    struct strbuf b = strbuf_on(a);
    for (size_t i = 0; i < name.len; i++) {
        char c = name.p[i];
        strbuf_add_char(&b, c == '-' ? dash : c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c);
    }
    return strbuf_str(&b);
}

static str port_variable(struct arena *a, const struct layout_port *port)
{
    return arena_fmt(a, "KUSCIA_PORT_" STR_FMT "_NUMBER", STR_ARG(upper(a, port->name, '_')));
}

/* By Kuscia's names; a service has others than a task. */
static void add_variables(struct arena *a, const struct layout *l, const struct layout_party *p, const struct layout_pod *pod, struct json *vars)
{
    str input = json_get_str(json_get(l->task, S("spec")), l->lasting ? S("inputConfig") : S("taskInputConfig"));
    json_set(a, vars, S("KUSCIA_DOMAIN_ID"), json_string(p->domain));
    json_set(a, vars, l->lasting ? S("SERVING_ID") : S("TASK_ID"), json_string(l->name));
    json_set(a, vars, l->lasting ? S("INPUT_CONFIG") : S("TASK_INPUT_CONFIG"), json_string(input));
    json_set(a, vars, l->lasting ? S("CLUSTER_DEFINE") : S("TASK_CLUSTER_DEFINE"), json_string(cluster_define(a, l, p, pod)));
    json_set(a, vars, S("ALLOCATED_PORTS"), json_string(allocated_ports(a, pod)));
}

/* What the environment of the containers has, by name in capitals, and of several containers the first's; what the task itself is made of wins. */
static struct json variables(struct arena *a, const struct layout *l, const struct layout_party *p, const struct layout_pod *pod)
{
    struct json vars = json_object();
    for (uint32_t i = 0; i < p->containers.len; i++) {
        const struct json *env = json_get(&p->containers.items[i], S("env"));
        for (uint32_t k = 0; json_is(env, JSON_ARRAY) && k < env->len; k++) {
            str name = upper(a, json_get_str(&env->items[k], S("name")), '-');
            if (!json_get(&vars, name))
                json_set(a, &vars, name, json_string(json_get_str(&env->items[k], S("value"))));
        }
    }
    for (size_t i = 0; i < pod->nports; i++)
        json_set(a, &vars, port_variable(a, &pod->ports[i]), json_string(arena_fmt(a, "%u", pod->ports[i].number)));
    add_variables(a, l, p, pod, &vars);
    return vars;
}

/* --- files --------------------------------------------------------------------------------------------------------------------------------------------------- */

bool kuscia_party_has_files(const struct layout_party *p)
{
    const struct json *files = json_path(p->app, "spec", "configTemplates", NULL);
    return json_is(files, JSON_OBJECT) && files->len;
}

/* Labels of a service say whose it is: an object of a namespace cannot own those of others. */
static struct json meta_of_service(struct arena *a, const struct layout *l, const struct layout_party *p, str name)
{
    str type = json_get_str(json_path(l->task, "metadata", "labels", NULL), S(KUSCIA("app-type")));
    struct json meta = json_make(a,
                                 "{\"name\":%S,\"labels\":{\"" KUSCIA("controller") "\":\"KusciaDeployment\",\"" KUSCIA("kd-uid") "\":%S,\"" KUSCIA("kd-name") "\":%S,\"" KUSCIA("owner_namespace") "\":\"" KUSCIA_NS
                                 "\",\"" KUSCIA("deployment-name") "\":%S},\"annotations\":{\"" KUSCIA("initiator") "\":%S}}",
                                 name, l->uid, l->name, p->pods->name, l->initiator);
    if (type.len)
        json_set(a, json_get(&meta, S("labels")), S(KUSCIA("app-type")), json_string(type));
    return meta;
}

struct json kuscia_meta(struct arena *a, const struct layout *l, const struct layout_party *p, str name, const struct json *owner)
{
    if (l->lasting)
        return meta_of_service(a, l, p, name);
    const struct json *meta = json_get(owner, S("metadata"));
    return json_make(a,
                     "{\"name\":%S,\"labels\":{\"" KUSCIA("controller") "\":\"kusciatask\",\"" KUSCIA("task-uid") "\":%S},\"annotations\":{\"" KUSCIA("initiator") "\":%S,\"" KUSCIA("task-id") "\":%S},"
                     "\"ownerReferences\":[{\"apiVersion\":\"" KUSCIA_API "\",\"kind\":\"TaskResourceGroup\",\"name\":%S,\"uid\":%S}]}",
                     name, l->uid, l->initiator, l->name, json_get_str(meta, S("name")), json_get_str(meta, S("uid")));
}

struct json kuscia_files(struct arena *a, const struct layout *l, const struct layout_party *p, const struct layout_pod *pod, const struct json *owner, struct err *err)
{
    const struct json *files = json_path(p->app, "spec", "configTemplates", NULL);
    struct json vars = variables(a, l, p, pod), data = json_object(), meta = kuscia_meta(a, l, p, pod->config, owner);
    for (uint32_t i = 0; json_is(files, JSON_OBJECT) && i < files->len; i++) {
        str out;
        struct err why = ERR_NONE;
        if (kuscia_render(a, json_str(&files->members[i].value), &vars, &out, &why) < 0) {
            err_set(err, E_INVALID_ARG, "file \"" STR_FMT "\" of AppImage \"" STR_FMT "\": %s", STR_ARG(files->members[i].key), STR_ARG(json_get_str(p->party, S("appImageRef"))), why.msg);
            return json_null();
        }
        json_set(a, &data, files->members[i].key, json_string(out));
    }
    return json_make(a, "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":%j,\"data\":%j}", &meta, &data);
}

/* --- pods ------------------------------------------------------------------------------------------------------------------------------------------------------ */

static const struct layout_port *find_port(const struct layout_pod *pod, str name)
{
    for (size_t i = 0; i < pod->nports; i++)
        if (str_eq(pod->ports[i].name, name))
            return &pod->ports[i];
    return NULL;
}

/* Probes name ports as people do; the names are longer than Kubernetes' may be, so they get the number. */
static struct json probe_of(struct arena *a, const struct layout_pod *pod, const struct json *probe)
{
    static const str ways[] = {STR_INIT("httpGet"), STR_INIT("tcpSocket"), STR_INIT("grpc")};
    struct json out = json_copy(a, probe);
    for (size_t i = 0; i < ARRAY_LEN(ways); i++) {
        struct json *way = json_get(&out, ways[i]);
        const struct layout_port *port = way ? find_port(pod, json_get_str(way, S("port"))) : NULL;
        if (port)
            json_set(a, way, S("port"), json_int(a, port->number));
    }
    return out;
}

static struct json env_of(struct arena *a, const struct layout *l, const struct layout_party *p, const struct layout_pod *pod, const struct json *container)
{
    struct json env = json_array();
    const struct json *own = json_get(container, S("env"));
    if (l->lasting) { /* its programs read all of it here, too */
        struct json vars = json_object();
        add_variables(a, l, p, pod, &vars);
        for (uint32_t i = 0; i < vars.len; i++)
            json_push(a, &env, json_make(a, "{\"name\":%S,\"value\":%S}", vars.members[i].key, json_str(&vars.members[i].value)));
    } else {
        json_push(a, &env, json_make(a, "{\"name\":\"TASK_ID\",\"value\":%S}", l->name));
        json_push(a, &env, json_make(a, "{\"name\":\"KUSCIA_DOMAIN_ID\",\"value\":%S}", p->domain));
    }
    for (size_t i = 0; i < pod->nports; i++)
        json_push(a, &env, json_make(a, "{\"name\":%S,\"value\":%S}", port_variable(a, &pod->ports[i]), arena_fmt(a, "%u", pod->ports[i].number)));
    for (uint32_t i = 0; json_is(own, JSON_ARRAY) && i < own->len; i++)
        json_push(a, &env, own->items[i]);
    return env;
}

static struct json resources_of(struct arena *a, const struct json *container)
{
    const struct json *given = json_get(container, S("resources"));
    struct json r = given ? json_copy(a, given) : json_object();
    kuscia_bandwidth_names(a, &r);
    return r;
}

static void copy(struct arena *a, struct json *to, const struct json *from, const char *key)
{
    if (json_get(from, str_of(key)))
        json_set(a, to, str_of(key), *json_get(from, str_of(key)));
}

static struct json container_of_pod(struct arena *a, const struct layout *l, const struct layout_party *p, const struct layout_pod *pod, const struct json *from)
{
    static const char *const as_they_are[] = {"command", "args", "workingDir", "envFrom"}, *const probes[] = {"livenessProbe", "readinessProbe", "startupProbe"};
    const struct json *mounts = json_get(from, S("configVolumeMounts")), *ports = json_get(from, S("ports"));
    str pull = json_get_str(from, S("imagePullPolicy"));
    struct json env = env_of(a, l, p, pod, from), resources = resources_of(a, from), list = json_array(), volumes = json_array();
    struct json c = json_make(a, "{\"name\":%S,\"image\":%S,\"imagePullPolicy\":%S,\"env\":%j,\"resources\":%j,\"terminationMessagePolicy\":\"FallbackToLogsOnError\"}", json_get_str(from, S("name")), p->image,
                              pull.len ? pull : S("IfNotPresent"), &env, &resources);
    for (size_t i = 0; i < ARRAY_LEN(as_they_are); i++)
        copy(a, &c, from, as_they_are[i]);
    for (size_t i = 0; i < ARRAY_LEN(probes); i++)
        if (json_get(from, str_of(probes[i])))
            json_set(a, &c, str_of(probes[i]), probe_of(a, pod, json_get(from, str_of(probes[i]))));
    if (json_get_bool(json_get(from, S("securityContext")), S("privileged"), false))
        json_set(a, &c, S("securityContext"), json_literal(a, "{\"privileged\":true}"));
    for (uint32_t i = 0; json_is(ports, JSON_ARRAY) && i < ports->len; i++) {
        const struct layout_port *port = find_port(pod, json_get_str(&ports->items[i], S("name")));
        struct json made = json_make(a, "{\"containerPort\":%d,\"protocol\":\"TCP\"}", (int64_t)port->number);
        if (port->name.len <= PORT_NAME_MAX)
            json_set(a, &made, S("name"), json_string(port->name));
        json_push(a, &list, made);
    }
    for (uint32_t i = 0; json_is(mounts, JSON_ARRAY) && i < mounts->len; i++)
        json_push(a, &volumes, json_make(a, "{\"name\":\"config-template\",\"mountPath\":%S,\"subPath\":%S}", json_get_str(&mounts->items[i], S("mountPath")), json_get_str(&mounts->items[i], S("subPath"))));
    if (list.len)
        json_set(a, &c, S("ports"), list);
    if (volumes.len)
        json_set(a, &c, S("volumeMounts"), volumes);
    return c;
}

/* How fast it may send to others: the agent reads it from the pod, Kuscia's gateway from the service. */
static void add_limits(struct arena *a, const struct layout_party *p, struct json *annotations)
{
    const struct json *list = json_get(p->party, S("bandwidthLimits"));
    for (uint32_t i = 0; json_is(list, JSON_ARRAY) && i < list->len; i++)
        json_set(a, annotations, arena_fmt(a, KUSCIA("bandwidth-limit-") STR_FMT, STR_ARG(json_get_str(&list->items[i], S("destinationID")))),
                 json_string(arena_fmt(a, "%lld", (long long)json_get_int(&list->items[i], S("limitKBps"), 0))));
}

static void add_metrics(struct arena *a, const struct layout_pod *pod, const struct json *container, struct json *annotations)
{
    const struct json *probe = json_get(container, S("metricProbe"));
    const struct layout_port *port = find_port(pod, json_get_str(probe, S("port")));
    if (!port)
        return;
    json_set(a, annotations, S(KUSCIA("metric_path")), json_string(json_get_str(probe, S("path"))));
    json_set(a, annotations, S(KUSCIA("metric_port")), json_string(arena_fmt(a, "%u", port->number)));
    json_set(a, annotations, S(KUSCIA("should_be_scraped")), json_string(S("true")));
}

/* What the party says itself, else its place in the task's list. */
static str bandwidth_request(const struct layout *l, const struct layout_party *p)
{
    const struct json *list = json_path(l->task, "spec", "bandwidthRequest", NULL);
    size_t at = json_is(list, JSON_ARRAY) && list->len > 1 ? (size_t)(p - l->parties) : 0;
    if (json_get(p->party, S("bandwidthRequest")) || !json_is(list, JSON_ARRAY) || at >= list->len)
        return json_get_str(p->party, S("bandwidthRequest"));
    return json_str(&list->items[at]);
}

struct json kuscia_pod_amounts(struct arena *a, const struct layout *l, const struct layout_party *p, struct json *notes)
{
    struct json containers = json_array();
    for (uint32_t i = 0; i < p->containers.len; i++) {
        struct json one = json_object();
        json_set(a, &one, S("resources"), resources_of(a, &p->containers.items[i]));
        json_push(a, &containers, one);
    }
    kuscia_bandwidth_pod(a, &containers, bandwidth_request(l, p), notes);
    kuscia_bandwidth_lend(a, l->task, notes);
    return containers;
}

struct json kuscia_pod_spec(struct arena *a, const struct layout *l, const struct layout_party *p, const struct layout_pod *pod, struct json *meta)
{
    struct json containers = json_array(), *labels = json_get(meta, S("labels")), *notes = json_get(meta, S("annotations"));
    const struct json *affinity = json_path(p->template_, "spec", "affinity", NULL);
    str id = json_get_str(json_path(p->app, "spec", "image", NULL), S("id"));
    json_set(a, labels, S(KUSCIA("communication-role-server")), json_string(S("true")));
    json_set(a, labels, S(KUSCIA("communication-role-client")), json_string(S("true")));
    json_set(a, labels, S(KUSCIA("pod-role")), json_string(p->role));
    if (id.len)
        json_set(a, notes, S(KUSCIA("image-id")), json_string(id));
    add_limits(a, p, notes);
    for (uint32_t i = 0; i < p->containers.len; i++) {
        json_push(a, &containers, container_of_pod(a, l, p, pod, &p->containers.items[i]));
        add_metrics(a, pod, &p->containers.items[i], notes);
    }
    kuscia_bandwidth_pod(a, &containers, bandwidth_request(l, p), notes);
    kuscia_bandwidth_lend(a, l->task, notes);
    struct json spec = json_make(a,
                                 "{\"restartPolicy\":%S,\"schedulerName\":\"kuscia-scheduler\",\"automountServiceAccountToken\":false,\"nodeSelector\":{\"" KUSCIA_NODE_LABEL "\":%S},"
                                 "\"tolerations\":[{\"key\":\"" KUSCIA_TAINT "\",\"operator\":\"Exists\",\"effect\":\"NoSchedule\"}],\"containers\":%j}",
                                 l->lasting ? S("Always") : p->restart_policy, p->domain, &containers);
    if (json_is(affinity, JSON_OBJECT) && affinity->len)
        json_set(a, &spec, S("affinity"), *affinity);
    if (kuscia_party_has_files(p))
        json_set(a, &spec, S("volumes"), json_make(a, "[{\"name\":\"config-template\",\"configMap\":{\"name\":%S}}]", pod->config));
    return spec;
}

struct json kuscia_task_pod(struct arena *a, const struct layout *l, const struct layout_party *p, const struct layout_pod *pod, const struct json *owner)
{
    struct json meta = kuscia_meta(a, l, p, pod->name, owner), spec = kuscia_pod_spec(a, l, p, pod, &meta), *labels = json_get(&meta, S("labels"));
    json_set(a, labels, S(KUSCIA("pod-identity")), json_string(pod->identity));
    json_set(a, labels, S(KUSCIA("task-resource-group-uid")), json_string(json_get_str(json_get(owner, S("metadata")), S("uid"))));
    json_set(a, json_get(&meta, S("annotations")), S(KUSCIA("task-resource-group")), json_string(l->name));
    json_set(a, json_get(&meta, S("annotations")), S(KUSCIA("task-resource")), json_string(kuscia_resource_name(a, owner, p->domain, p->role)));
    return json_make(a, "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":%j,\"spec\":%j}", &meta, &spec);
}

/* --- services ----------------------------------------------------------------------------------------------------------------------------------------------------- */

static bool role_may(const struct layout_party *p, str port, str role)
{
    const struct json *list = json_path(p->template_, "networkPolicy", "ingresses", NULL);
    if (!json_is(list, JSON_ARRAY))
        return true;
    for (uint32_t i = 0; i < list->len; i++) {
        const struct json *ports = json_get(&list->items[i], S("ports")), *roles = json_path(&list->items[i], "from", "roles", NULL);
        bool names = false, may = false;
        for (uint32_t k = 0; json_is(ports, JSON_ARRAY) && k < ports->len; k++)
            names |= str_eq(json_get_str(&ports->items[k], S("port")), port);
        for (uint32_t k = 0; json_is(roles, JSON_ARRAY) && k < roles->len; k++)
            may |= str_eq(json_str(&roles->items[k]), role);
        if (names && may)
            return true;
    }
    return false;
}

/* Domains whose parties may call the port, each once. */
static str access_domains(struct arena *a, const struct layout *l, const struct layout_party *p, str port)
{
    struct strbuf b = strbuf_on(a);
    for (size_t i = 0; i < l->nparties; i++) {
        bool seen = false;
        for (size_t k = 0; k < i; k++)
            seen |= str_eq(l->parties[k].domain, l->parties[i].domain) && role_may(p, port, l->parties[k].role);
        if (!seen && role_may(p, port, l->parties[i].role))
            strbuf_addf(&b, "%s" STR_FMT, b.len ? "," : "", STR_ARG(l->parties[i].domain));
    }
    return strbuf_str(&b);
}

struct json kuscia_service(struct arena *a, const struct layout *l, const struct layout_party *p, const struct layout_pod *pod, const struct layout_port *port, const struct json *owner)
{
    struct json meta = kuscia_meta(a, l, p, port->service, owner), *labels = json_get(&meta, S("labels")), *notes = json_get(&meta, S("annotations"));
    struct json unready = json_bool(!l->lasting); /* a service sends nobody to pods that come or go */
    bool cluster = str_is(port->scope, "Cluster");
    json_set(a, labels, S(KUSCIA("port-name")), json_string(port->name));
    json_set(a, labels, S(KUSCIA("port-scope")), json_string(port->scope));
    if (cluster)
        json_set(a, labels, S(KUSCIA("loadbalancer")), json_string(S("domainroute")));
    json_set(a, notes, S(KUSCIA("protocol")), json_string(port->protocol));
    if (cluster)
        json_set(a, notes, S(KUSCIA("access-domain")), json_string(access_domains(a, l, p, port->name)));
    add_limits(a, p, notes);
    return json_make(a,
                     "{\"apiVersion\":\"v1\",\"kind\":\"Service\",\"metadata\":%j,\"spec\":{\"clusterIP\":\"None\",\"publishNotReadyAddresses\":%j,\"selector\":{%S:%S},"
                     "\"ports\":[{\"name\":%S,\"port\":%d,\"protocol\":\"TCP\",\"targetPort\":%d}]}}",
                     &meta, &unready, l->lasting ? S(KUSCIA("deployment-name")) : S(KUSCIA("pod-identity")), pod->identity, port->name, (int64_t)port->number, (int64_t)port->number);
}
