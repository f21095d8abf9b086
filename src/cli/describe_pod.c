/* describe_pod.c - containers, volumes and what else a pod or a pod template has. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/quantity.h"
#include "cli/describe.h"
#include "cli/describe_node.h"

/* --- containers ------------------------------------------------------------------------------------------------------------------- */

static const struct json *by_name(const struct json *list, str name)
{
    for (size_t i = 0; json_is(list, JSON_ARRAY) && i < list->len; i++) {
        if (str_eq(json_get_str(&list->items[i], S("name")), name))
            return &list->items[i];
    }
    return NULL;
}

static void add_ports(struct describe *d, const struct json *ports, const char *field, const char *one, const char *many)
{
    struct strbuf b = strbuf_on(d->arena);
    for (size_t i = 0; i < ports->len; i++)
        strbuf_addf(&b, "%s%lld/" STR_FMT, i ? ", " : "", (long long)json_get_int(&ports->items[i], str_of(field), 0),
                    STR_ARG(json_get_str(&ports->items[i], S("protocol"))));
    describe_line(d, 2, "%s:\t%s\n", ports->len > 1 ? many : one, b.len ? strbuf_cstr(&b) : "<none>");
}

static void add_lines(struct describe *d, const char *title, const struct json *words)
{
    if (!words->len)
        return;
    describe_line(d, 2, "%s:\n", title);
    for (size_t i = 0; i < words->len; i++) {
        str rest = json_str(&words->items[i]), line;
        bool more = true;
        while (more) {
            more = str_cut(&rest, '\n', &line);
            describe_line(d, 3, STR_FMT "\n", STR_ARG(line));
        }
    }
}

static void add_terminated(struct describe *d, const struct json *t)
{
    static const struct describe_row rows[] = {
        {"Reason", "reason", ROW_OPTIONAL, 3, NULL, NULL},
        {"Message", "message", ROW_OPTIONAL, 3, NULL, NULL},
        {"Exit Code", "exitCode", ROW_NUMBER, 3, NULL, NULL},
        {"Signal", "signal", ROW_OPTIONAL, 3, NULL, NULL},
        {"Started", "startedAt", ROW_TIME, 3, NULL, NULL},
        {"Finished", "finishedAt", ROW_TIME, 3, NULL, NULL},
        {0},
    };
    struct json saved = d->object;
    d->object = *t;
    describe_rows(d, rows);
    d->object = saved;
}

static void add_state(struct describe *d, const char *title, const struct json *state)
{
    const struct json *running = json_get(state, S("running")), *terminated = json_get(state, S("terminated"));
    str reason = table_text_at(state, S("waiting.reason"));
    if (running) {
        str started = describe_time(d->arena, json_get(running, S("startedAt")));
        describe_line(d, 2, "%s:\tRunning\n", title);
        describe_line(d, 3, "Started:\t" STR_FMT "\n", STR_ARG(started));
    } else if (terminated) {
        describe_line(d, 2, "%s:\tTerminated\n", title);
        add_terminated(d, terminated);
    } else {
        describe_line(d, 2, "%s:\tWaiting\n", title);
        if (reason.len)
            describe_line(d, 3, "Reason:\t" STR_FMT "\n", STR_ARG(reason));
    }
}

static void add_status(struct describe *d, const struct json *status)
{
    add_state(d, "State", json_get(status, S("state")));
    if (describe_value(status, "lastState.terminated"))
        add_state(d, "Last State", json_get(status, S("lastState")));
    describe_line(d, 2, "Ready:\t%s\n", json_get_bool(status, S("ready"), false) ? "True" : "False");
    describe_line(d, 2, "Restart Count:\t%lld\n", (long long)json_get_int(status, S("restartCount"), 0));
}

static void add_quantities(struct describe *d, int level, const char *title, const struct json *list)
{
    if (!json_is(list, JSON_OBJECT) || !list->len)
        return;
    const struct json_member **m = jsonpath_sorted_members(d->arena, list);
    describe_line(d, level, "%s:\n", title);
    for (size_t i = 0; i < list->len; i++)
        describe_line(d, level + 1, STR_FMT ":\t" STR_FMT "\n", STR_ARG(m[i]->key), STR_ARG(json_str(&m[i]->value)));
}

void describe_resources(struct describe *d, int level, const struct json *resources)
{
    add_quantities(d, level, "Limits", json_get(resources, S("limits")));
    add_quantities(d, level, "Requests", json_get(resources, S("requests")));
}

static void add_probe(struct describe *d, const char *title, const struct json *p)
{
    const struct json *exec = json_get(p, S("exec")), *http = json_get(p, S("httpGet")), *tcp = json_get(p, S("tcpSocket")),
                      *grpc = json_get(p, S("grpc"));
    struct strbuf b = strbuf_on(d->arena);
    if (!p)
        return;
    if (exec) {
        strbuf_add_str(&b, S("exec "));
        describe_go_list(&b, json_get(exec, S("command")));
    } else if (http) {
        str scheme = table_lower(d->arena, json_get_str(http, S("scheme"))), path = json_get_str(http, S("path"));
        strbuf_addf(&b, "http-get " STR_FMT "%s" STR_FMT ":" STR_FMT STR_FMT, STR_ARG(scheme), scheme.len ? "://" : "//",
                    STR_ARG(json_get_str(http, S("host"))), STR_ARG(json_str(json_get(http, S("port")))), STR_ARG(path));
    } else if (tcp) {
        strbuf_addf(&b, "tcp-socket " STR_FMT ":" STR_FMT, STR_ARG(json_get_str(tcp, S("host"))),
                    STR_ARG(json_str(json_get(tcp, S("port")))));
    } else if (grpc) {
        strbuf_addf(&b, "grpc <pod>:" STR_FMT " " STR_FMT, STR_ARG(json_str(json_get(grpc, S("port")))),
                    STR_ARG(json_get_str(grpc, S("service"))));
    } else {
        strbuf_add_str(&b, S("unknown"));
    }
    describe_line(d, 2, "%s:\t%s delay=%llds timeout=%llds period=%llds #success=%lld #failure=%lld\n", title, strbuf_cstr(&b),
                  (long long)json_get_int(p, S("initialDelaySeconds"), 0), (long long)json_get_int(p, S("timeoutSeconds"), 0),
                  (long long)json_get_int(p, S("periodSeconds"), 0), (long long)json_get_int(p, S("successThreshold"), 0),
                  (long long)json_get_int(p, S("failureThreshold"), 0));
}

static void add_env_from(struct describe *d, const struct json *list)
{
    if (!list->len)
        return;
    describe_line(d, 2, "Environment Variables from:\n");
    for (size_t i = 0; i < list->len; i++) {
        const struct json *map = json_get(&list->items[i], S("configMapRef")),
                          *ref = map ? map : json_get(&list->items[i], S("secretRef"));
        str prefix = json_get_str(&list->items[i], S("prefix"));
        describe_line(d, 3, STR_FMT "\t%s%s" STR_FMT "%s\tOptional: %s\n", STR_ARG(json_get_str(ref, S("name"))),
                      map ? "ConfigMap" : "Secret", prefix.len ? " with prefix '" : "", STR_ARG(prefix), prefix.len ? "'" : "",
                      json_get_bool(ref, S("optional"), false) ? "true" : "false");
    }
}

/* limits.cpu of the container, in whole divisors, rounded up. */
static str resource_value(struct describe *d, const struct json *container, const struct json *ref)
{
    str resource = json_get_str(ref, S("resource")), divisor = json_get_str(ref, S("divisor"));
    struct quantity q, unit;
    str path = arena_fmt(d->arena, "resources." STR_FMT, STR_ARG(resource));
    bool is_cpu = str_has_suffix(resource, S(".cpu"));
    if (!quantity_parse(table_text_at(container, path), &q))
        return str_has_prefix(resource, S("limits.")) ? S("node allocatable") : S("0");
    if (!quantity_parse(divisor, &unit) || quantity_is_zero(&unit))
        unit = quantity_from_i64(1);
    int64_t value = is_cpu ? quantity_to_milli(&q) : quantity_to_i64(&q),
            by = is_cpu ? quantity_to_milli(&unit) : quantity_to_i64(&unit);
    return arena_fmt(d->arena, "%lld", (long long)((value + by - 1) / MAX(by, 1)));
}

/* metadata.labels['x'] of the pod itself; "" in a template. */
static str field_value(struct describe *d, str path)
{
    str map, key;
    ptrdiff_t open = str_find(path, S("['"));
    if (!str_is(json_get_str(&d->object, S("kind")), "Pod"))
        return S("");
    if (open < 0)
        return table_text_at(&d->object, path);
    map = str_sub(path, 0, (size_t)open);
    key = str_sub(path, (size_t)open + 2, path.len - 2);
    return json_get_str(table_walk(&d->object, map), key);
}

static void add_env_reference(struct describe *d, const struct json *container, str name, const struct json *from)
{
    const struct json *field = json_get(from, S("fieldRef")), *resource = json_get(from, S("resourceFieldRef")),
                      *secret = json_get(from, S("secretKeyRef")), *map = json_get(from, S("configMapKeyRef")),
                      *ref = secret ? secret : map;
    if (field) {
        str path = json_get_str(field, S("fieldPath"));
        describe_line(d, 3, STR_FMT ":\t" STR_FMT " (" STR_FMT ":" STR_FMT ")\n", STR_ARG(name), STR_ARG(field_value(d, path)),
                      STR_ARG(json_get_str(field, S("apiVersion"))), STR_ARG(path));
    } else if (resource) {
        str value = resource_value(d, container, resource);
        describe_line(d, 3, STR_FMT ":\t" STR_FMT " (" STR_FMT ")\n", STR_ARG(name), STR_ARG(value),
                      STR_ARG(json_get_str(resource, S("resource"))));
    } else if (ref) {
        describe_line(d, 3, STR_FMT ":\t<set to the key '" STR_FMT "' %s '" STR_FMT "'>\tOptional: %s\n", STR_ARG(name),
                      STR_ARG(json_get_str(ref, S("key"))), secret ? "in secret" : "of config map",
                      STR_ARG(json_get_str(ref, S("name"))), json_get_bool(ref, S("optional"), false) ? "true" : "false");
    }
}

static void add_env(struct describe *d, const struct json *container)
{
    const struct json *list = describe_list(container, "env");
    describe_line(d, 2, "Environment:%s\n", list->len ? "" : "\t<none>");
    for (size_t i = 0; i < list->len; i++) {
        const struct json *from = describe_value(&list->items[i], "valueFrom");
        str name = json_get_str(&list->items[i], S("name")), rest = json_get_str(&list->items[i], S("value")), line;
        if (from) {
            add_env_reference(d, container, name, from);
            continue;
        }
        bool more = str_cut(&rest, '\n', &line);
        describe_line(d, 3, STR_FMT ":\t" STR_FMT "\n", STR_ARG(name), STR_ARG(line));
        while (more) {
            more = str_cut(&rest, '\n', &line);
            describe_line(d, 3, "\t" STR_FMT "\n", STR_ARG(line));
        }
    }
}

static void add_mounts(struct describe *d, const struct json *container)
{
    struct json mounts = describe_sorted(d, describe_list(container, "volumeMounts"), "mountPath");
    struct json devices = describe_sorted(d, describe_list(container, "volumeDevices"), "devicePath");
    describe_line(d, 2, "Mounts:%s\n", mounts.len ? "" : "\t<none>");
    for (size_t i = 0; i < mounts.len; i++) {
        const struct json *m = &mounts.items[i];
        str sub = json_get_str(m, S("subPath"));
        describe_line(d, 3, STR_FMT " from " STR_FMT " (%s%s" STR_FMT "%s)\n", STR_ARG(json_get_str(m, S("mountPath"))),
                      STR_ARG(json_get_str(m, S("name"))), json_get_bool(m, S("readOnly"), false) ? "ro" : "rw",
                      sub.len ? ",path=\"" : "", STR_ARG(sub), sub.len ? "\"" : "");
    }
    if (devices.len)
        describe_line(d, 2, "Devices:%s\n", mounts.len ? "" : "\t<none>");
    for (size_t i = 0; i < devices.len; i++)
        describe_line(d, 3, STR_FMT " from " STR_FMT "\n", STR_ARG(json_get_str(&devices.items[i], S("devicePath"))),
                      STR_ARG(json_get_str(&devices.items[i], S("name"))));
}

static void add_container(struct describe *d, const struct json *c, const struct json *status, const char *space)
{
    str seccomp = table_text_at(c, S("securityContext.seccompProfile.type"));
    describe_line(d, 1, "%s" STR_FMT ":\n", space[0] ? " " : "", STR_ARG(json_get_str(c, S("name"))));
    if (status)
        describe_line(d, 2, "Container ID:\t" STR_FMT "\n", STR_ARG(json_get_str(status, S("containerID"))));
    describe_line(d, 2, "Image:\t" STR_FMT "\n", STR_ARG(json_get_str(c, S("image"))));
    if (status)
        describe_line(d, 2, "Image ID:\t" STR_FMT "\n", STR_ARG(json_get_str(status, S("imageID"))));
    add_ports(d, describe_list(c, "ports"), "containerPort", "Port", "Ports");
    add_ports(d, describe_list(c, "ports"), "hostPort", "Host Port", "Host Ports");
    if (seccomp.len)
        describe_line(d, 2, "SeccompProfile:\t" STR_FMT "\n", STR_ARG(seccomp));
    add_lines(d, "Command", describe_list(c, "command"));
    add_lines(d, "Args", describe_list(c, "args"));
    if (status)
        add_status(d, status);
    describe_resources(d, 2, json_get(c, S("resources")));
    add_probe(d, "Liveness", json_get(c, S("livenessProbe")));
    add_probe(d, "Readiness", json_get(c, S("readinessProbe")));
    add_probe(d, "Startup", json_get(c, S("startupProbe")));
    add_env_from(d, describe_list(c, "envFrom"));
    add_env(d, c);
    add_mounts(d, c);
}

void describe_containers(struct describe *d, const char *title, const struct json *containers, const struct json *statuses,
                         const char *space)
{
    describe_line(d, 0, "%s%s:%s\n", space, title, containers->len ? "" : " <none>");
    for (size_t i = 0; i < containers->len; i++)
        add_container(d, &containers->items[i], by_name(statuses, json_get_str(&containers->items[i], S("name"))), space);
}

/* --- tolerations, spread ---------------------------------------------------------------------------------------------------------- */

void describe_tolerations(struct describe *d, const char *title, const struct json *list)
{
    struct json sorted = describe_sorted(d, list, "key");
    describe_line(d, 0, "%s:\t%s", title, sorted.len ? "" : "<none>\n");
    for (size_t i = 0; i < sorted.len; i++) {
        const struct json *t = &sorted.items[i], *seconds = json_get(t, S("tolerationSeconds"));
        str key = json_get_str(t, S("key")), value = json_get_str(t, S("value")), effect = json_get_str(t, S("effect"));
        bool exists = str_is(json_get_str(t, S("operator")), "Exists") && !value.len;
        describe_line(d, 0, "%s" STR_FMT "%s" STR_FMT "%s" STR_FMT "%s%s", i ? "\t" : "", STR_ARG(key), value.len ? "=" : "",
                      STR_ARG(value), effect.len ? ":" : "", STR_ARG(effect), exists && (key.len || effect.len) ? " " : "",
                      exists ? "op=Exists" : "");
        if (seconds)
            describe_line(d, 0, " for " STR_FMT "s", STR_ARG(json_str(seconds)));
        describe_line(d, 0, "\n");
    }
}

void describe_spread(struct describe *d, const struct json *list, const char *space)
{
    struct json sorted = describe_sorted(d, list, "topologyKey");
    if (!sorted.len)
        return;
    describe_line(d, 0, "%sTopology Spread Constraints:\t", space);
    for (size_t i = 0; i < sorted.len; i++) {
        const struct json *t = &sorted.items[i], *selector = json_get(t, S("labelSelector"));
        describe_line(d, 0, "%s%s" STR_FMT ":" STR_FMT " when max skew " STR_FMT " is exceeded", i ? space : "", i ? "\t" : "",
                      STR_ARG(json_get_str(t, S("topologyKey"))), STR_ARG(json_get_str(t, S("whenUnsatisfiable"))),
                      STR_ARG(json_str(json_get(t, S("maxSkew")))));
        if (selector)
            describe_line(d, 0, " for selector " STR_FMT, STR_ARG(describe_or(describe_selector(d->arena, selector), "<none>")));
        describe_line(d, 0, "\n");
    }
}

/* --- the pod ---------------------------------------------------------------------------------------------------------------------------- */

void describe_controlled_by(struct describe *d)
{
    const struct json *owners = describe_list(&d->object, "metadata.ownerReferences");
    for (size_t i = 0; i < owners->len; i++) {
        if (json_get_bool(&owners->items[i], S("controller"), false))
            describe_line(d, 0, "Controlled By:\t" STR_FMT "/" STR_FMT "\n", STR_ARG(json_get_str(&owners->items[i], S("kind"))),
                          STR_ARG(json_get_str(&owners->items[i], S("name"))));
    }
}

static void pod_node(struct describe *d)
{
    str node = describe_text(d, "spec.nodeName");
    if (node.len)
        describe_line(d, 0, "Node:\t" STR_FMT "/" STR_FMT "\n", STR_ARG(node), STR_ARG(describe_text(d, "status.hostIP")));
    else
        describe_line(d, 0, "Node:\t<none>\n");
}

static void pod_status(struct describe *d)
{
    str phase = describe_text(d, "status.phase");
    const struct json *deleted = describe_value(&d->object, "metadata.deletionTimestamp");
    if (deleted && !str_is(phase, "Failed") && !str_is(phase, "Succeeded")) {
        describe_line(d, 0, "Status:\tTerminating (lasts " STR_FMT ")\n", STR_ARG(print_age(d->arena, deleted)));
        describe_line(d, 0, "Termination Grace Period:\t" STR_FMT "s\n",
                      STR_ARG(describe_text(d, "metadata.deletionGracePeriodSeconds")));
    } else {
        describe_line(d, 0, "Status:\t" STR_FMT "\n", STR_ARG(phase));
    }
}

static void pod_ips(struct describe *d)
{
    const struct json *ips = describe_list(&d->object, "status.podIPs");
    describe_line(d, 0, "IPs:%s\n", ips->len ? "" : "\t<none>");
    for (size_t i = 0; i < ips->len; i++)
        describe_line(d, 1, "IP:\t" STR_FMT "\n", STR_ARG(json_get_str(&ips->items[i], S("ip"))));
}

static void pod_containers(struct describe *d)
{
    static const struct {
        const char *title, *containers, *statuses;
        bool always;
    } groups[] = {{"Init Containers", "spec.initContainers", "status.initContainerStatuses", false},
                  {"Containers", "spec.containers", "status.containerStatuses", true},
                  {"Ephemeral Containers", "spec.ephemeralContainers", "status.ephemeralContainerStatuses", false}};
    if (describe_value(&d->object, "spec.resources")) {
        describe_line(d, 0, "Resources:\n");
        describe_resources(d, 1, describe_value(&d->object, "spec.resources"));
    }
    for (size_t i = 0; i < ARRAY_LEN(groups); i++) {
        const struct json *list = describe_list(&d->object, groups[i].containers);
        if (list->len || groups[i].always)
            describe_containers(d, groups[i].title, list, describe_list(&d->object, groups[i].statuses), "");
    }
}

static void pod_conditions(struct describe *d)
{
    const struct json *gates = describe_list(&d->object, "spec.readinessGates"),
                      *conditions = describe_list(&d->object, "status.conditions");
    if (gates->len)
        describe_line(d, 0, "Readiness Gates:\n  Type\tStatus\n");
    for (size_t i = 0; i < gates->len; i++) {
        str type = json_get_str(&gates->items[i], S("conditionType"));
        describe_line(d, 1, STR_FMT " \t" STR_FMT " \n", STR_ARG(type),
                      STR_ARG(describe_or(json_get_str(table_condition(conditions, type), S("status")), "<none>")));
    }
    if (conditions->len)
        describe_line(d, 0, "Conditions:\n  Type\tStatus\n");
    for (size_t i = 0; i < conditions->len; i++)
        describe_line(d, 1, STR_FMT " \t" STR_FMT " \n", STR_ARG(json_get_str(&conditions->items[i], S("type"))),
                      STR_ARG(json_get_str(&conditions->items[i], S("status"))));
}

static void pod_volumes(struct describe *d)
{
    describe_volumes(d, describe_list(&d->object, "spec.volumes"), "");
}

/* A pod that the server has not seen yet has no class: none of its containers asks for anything, or we say what most have. */
static void pod_qos(struct describe *d)
{
    str class = describe_text(d, "status.qosClass");
    describe_line(d, 0, "QoS Class:\t" STR_FMT "\n", STR_ARG(describe_or(class, "BestEffort")));
}

static void pod_placing(struct describe *d)
{
    describe_map(d, "", "Node-Selectors", describe_value(&d->object, "spec.nodeSelector"));
    describe_tolerations(d, "Tolerations", describe_list(&d->object, "spec.tolerations"));
    describe_spread(d, describe_list(&d->object, "spec.topologySpreadConstraints"), "");
}

static const struct describe_row pod_rows[] = {
    ROWS_NAME,
    ROWS_NAMESPACE,
    {.label = "Priority", .path = "spec.priority", .kind = ROW_OPTIONAL},
    {.label = "Priority Class Name", .path = "spec.priorityClassName", .kind = ROW_OPTIONAL},
    {.label = "Runtime Class Name", .path = "spec.runtimeClassName", .kind = ROW_OPTIONAL},
    {.label = "Service Account", .path = "spec.serviceAccountName", .kind = ROW_OPTIONAL},
    {.fn = pod_node},
    {.label = "Start Time", .path = "status.startTime", .kind = ROW_TIME_OPTIONAL},
    ROWS_MARKS,
    {.fn = pod_status},
    {.label = "Reason", .path = "status.reason", .kind = ROW_OPTIONAL},
    {.label = "Message", .path = "status.message", .kind = ROW_OPTIONAL},
    {.label = "SeccompProfile", .path = "spec.securityContext.seccompProfile.type", .kind = ROW_OPTIONAL},
    {.label = "LocalhostProfile", .path = "spec.securityContext.seccompProfile.localhostProfile", .kind = ROW_OPTIONAL},
    {.label = "IP", .path = "status.podIP"},
    {.fn = pod_ips},
    {.fn = describe_controlled_by},
    {.label = "NominatedNodeName", .path = "status.nominatedNodeName", .kind = ROW_OPTIONAL},
    {.fn = pod_containers},
    {.fn = pod_conditions},
    {.fn = pod_volumes},
    {.fn = pod_qos},
    {.fn = pod_placing},
    ROWS_EVENTS,
    {0},
};

void describe_pod_template(struct describe *d, const struct json *template)
{
    const struct json *spec = json_get(template, S("spec")), *annotations = describe_value(template, "metadata.annotations");
    str account = table_text_at(spec, S("serviceAccountName")), priority = table_text_at(spec, S("priorityClassName"));
    static const struct describe_row marks[] = {
        {.label = "  Annotations", .path = "metadata.annotations", .kind = ROW_ANNOTATIONS}, {0}};
    describe_line(d, 0, "Pod Template:\n");
    describe_map(d, "", "  Labels", describe_value(template, "metadata.labels"));
    if (json_is(annotations, JSON_OBJECT) && annotations->len) {
        struct json saved = d->object;
        d->object = *template;
        describe_rows(d, marks);
        d->object = saved;
    }
    if (account.len)
        describe_line(d, 1, "Service Account:\t" STR_FMT "\n", STR_ARG(account));
    if (describe_list(spec, "initContainers")->len)
        describe_containers(d, "Init Containers", describe_list(spec, "initContainers"), NULL, "  ");
    describe_containers(d, "Containers", describe_list(spec, "containers"), NULL, "  ");
    describe_volumes(d, describe_list(spec, "volumes"), "  ");
    describe_spread(d, describe_list(spec, "topologySpreadConstraints"), "  ");
    if (priority.len)
        describe_line(d, 1, "Priority Class Name:\t" STR_FMT "\n", STR_ARG(priority));
    describe_map(d, "", "  Node-Selectors", describe_value(spec, "nodeSelector"));
    describe_tolerations(d, "  Tolerations", describe_list(spec, "tolerations"));
}

const struct describe_kind describe_core_kinds[] = {{"", "Pod", pod_rows}, {"", "Node", describe_node_rows}, {0}};
