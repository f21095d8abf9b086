/* describe_node.c - nodes: what they have and what their pods ask for. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/quantity.h"
#include "cli/describe_node.h"

/* --- sums ------------------------------------------------------------------------------------------------------------------------------ */

static struct quantity *amount(struct amounts *s, struct arena *a, str name)
{
    for (size_t i = 0; i < s->len; i++) {
        if (str_eq(s->list[i].name, name))
            return &s->list[i].value;
    }
    s->list = arena_grow(a, s->list, s->len * sizeof *s->list, (s->len + 1) * sizeof *s->list);
    s->list[s->len] = (struct amount){.name = name};
    return &s->list[s->len++].value;
}

static void add_map(struct amounts *s, struct arena *a, const struct json *map)
{
    struct quantity q;
    for (size_t i = 0; json_is(map, JSON_OBJECT) && i < map->len; i++) {
        if (quantity_parse(json_str(&map->members[i].value), &q))
            quantity_add(amount(s, a, map->members[i].key), &q);
    }
}

static void add_amounts(struct amounts *s, struct arena *a, const struct amounts *other)
{
    for (size_t i = 0; i < other->len; i++)
        quantity_add(amount(s, a, other->list[i].name), &other->list[i].value);
}

static void take_larger(struct amounts *s, struct arena *a, const struct amounts *other)
{
    for (size_t i = 0; i < other->len; i++) {
        struct quantity *q = amount(s, a, other->list[i].name);
        if (quantity_cmp(q, &other->list[i].value) < 0)
            *q = other->list[i].value;
    }
}

/* Containers run together; init containers one after another before them, except sidecars (restartPolicy Always), which stay. */
void node_pod_amounts(struct arena *a, const struct json *pod, const char *which, struct amounts *ret)
{
    struct amounts sidecars = {0}, most = {0};
    const struct json *containers = describe_list(pod, "spec.containers"), *init = describe_list(pod, "spec.initContainers");
    *ret = (struct amounts){0};
    for (size_t i = 0; i < containers->len; i++)
        add_map(ret, a, json_get(json_get(&containers->items[i], S("resources")), str_of(which)));
    for (size_t i = 0; i < init->len; i++) {
        const struct json *map = json_get(json_get(&init->items[i], S("resources")), str_of(which));
        struct amounts now = {0};
        add_map(&now, a, map);
        if (str_is(json_get_str(&init->items[i], S("restartPolicy")), "Always")) {
            add_map(ret, a, map);
            add_map(&sidecars, a, map);
            now = sidecars;
        } else {
            add_amounts(&now, a, &sidecars);
        }
        take_larger(&most, a, &now);
    }
    take_larger(ret, a, &most);
    const struct json *overhead = describe_value(pod, "spec.overhead");
    if (overhead && (strcmp(which, "requests") == 0 || ret->len))
        add_map(ret, a, overhead);
}

struct share {
    str text;
    long long percent;
};

static struct share share_of(struct describe *d, const struct amounts *s, const char *name, const struct json *allocatable)
{
    struct quantity zero = quantity_from_i64(0), all;
    const struct quantity *q = &zero;
    for (size_t i = 0; i < s->len; i++) {
        if (str_is(s->list[i].name, name))
            q = &s->list[i].value;
    }
    struct share share = {.text = quantity_format(d->arena, q)};
    bool is_cpu = strcmp(name, "cpu") == 0;
    if (quantity_parse(json_get_str(allocatable, str_of(name)), &all) && !quantity_is_zero(&all)) {
        double part = is_cpu ? (double)quantity_to_milli(q) : (double)quantity_to_i64(q),
               whole = is_cpu ? (double)quantity_to_milli(&all) : (double)quantity_to_i64(&all);
        share.percent = (long long)(part / whole * 100);
    }
    return share;
}

/* --- sections ---------------------------------------------------------------------------------------------------------------------------- */

static const struct json *allocatable_of(struct describe *d)
{
    const struct json *a = describe_value(&d->object, "status.allocatable");
    return json_is(a, JSON_OBJECT) && a->len ? a : describe_value(&d->object, "status.capacity");
}

static void pod_line(struct describe *d, const struct json *pod, const struct json *allocatable)
{
    struct amounts requests, limits;
    node_pod_amounts(d->arena, pod, "requests", &requests);
    node_pod_amounts(d->arena, pod, "limits", &limits);
    struct share cpu = share_of(d, &requests, "cpu", allocatable), cpu_limit = share_of(d, &limits, "cpu", allocatable),
                 memory = share_of(d, &requests, "memory", allocatable),
                 memory_limit = share_of(d, &limits, "memory", allocatable);
    describe_line(d, 1,
                  STR_FMT "\t" STR_FMT "\t\t" STR_FMT " (%lld%%)\t" STR_FMT " (%lld%%)\t" STR_FMT " (%lld%%)\t" STR_FMT
                          " (%lld%%)\t" STR_FMT "\n",
                  STR_ARG(table_text_at(pod, S("metadata.namespace"))), STR_ARG(table_text_at(pod, S("metadata.name"))),
                  STR_ARG(cpu.text), cpu.percent, STR_ARG(cpu_limit.text), cpu_limit.percent, STR_ARG(memory.text),
                  memory.percent, STR_ARG(memory_limit.text), memory_limit.percent,
                  STR_ARG(print_age(d->arena, describe_value(pod, "metadata.creationTimestamp"))));
}

static void total_line(struct describe *d, const struct amounts *requests, const struct amounts *limits, const char *name,
                       bool with_percent, const struct json *allocatable)
{
    struct share r = share_of(d, requests, name, allocatable), l = share_of(d, limits, name, allocatable);
    if (with_percent)
        describe_line(d, 1, "%s\t" STR_FMT " (%lld%%)\t" STR_FMT " (%lld%%)\n", name, STR_ARG(r.text), r.percent, STR_ARG(l.text),
                      l.percent);
    else
        describe_line(d, 1, "%s\t" STR_FMT "\t" STR_FMT "\n", name, STR_ARG(r.text), STR_ARG(l.text));
}

static bool is_standard(str name)
{
    return str_is(name, "cpu") || str_is(name, "memory") || str_is(name, "ephemeral-storage") || str_is(name, "pods");
}

static void other_totals(struct describe *d, const struct amounts *requests, const struct amounts *limits,
                         const struct json *allocatable)
{
    const struct json_member **m = json_is(allocatable, JSON_OBJECT) ? jsonpath_sorted_members(d->arena, allocatable) : NULL;
    for (int huge = 1; m && huge >= 0; huge--) {
        for (size_t i = 0; i < allocatable->len; i++) {
            if (!is_standard(m[i]->key) && str_has_prefix(m[i]->key, S("hugepages-")) == (huge == 1))
                total_line(d, requests, limits, arena_cstr(d->arena, m[i]->key), huge == 1, allocatable);
        }
    }
}

static void node_pods(struct describe *d)
{
    const struct json *allocatable = allocatable_of(d);
    str selector =
        arena_fmt(d->arena, "spec.nodeName=" STR_FMT ",status.phase!=Succeeded,status.phase!=Failed", STR_ARG(d->name));
    const struct json *pods = describe_fetch(d, "/api/v1/pods", "fieldSelector", selector.p);
    struct amounts requests = {0}, limits = {0}, one;
    describe_line(d, 0, "Non-terminated Pods:\t(%u in total)\n", pods->len);
    describe_line(d, 1, "Namespace\tName\t\tCPU Requests\tCPU Limits\tMemory Requests\tMemory Limits\t" "Age\n");
    describe_line(d, 1, "---------\t----\t\t------------\t----------\t---------------\t-------------\t---\n");
    for (size_t i = 0; i < pods->len; i++) {
        pod_line(d, &pods->items[i], allocatable);
        node_pod_amounts(d->arena, &pods->items[i], "requests", &one);
        add_amounts(&requests, d->arena, &one);
        node_pod_amounts(d->arena, &pods->items[i], "limits", &one);
        add_amounts(&limits, d->arena, &one);
    }
    describe_line(d, 0, "Allocated resources:\n  (Total limits may be over 100 percent, i.e., overcommitted.)\n");
    describe_line(d, 1, "Resource\tRequests\tLimits\n");
    describe_line(d, 1, "--------\t--------\t------\n");
    total_line(d, &requests, &limits, "cpu", true, allocatable);
    total_line(d, &requests, &limits, "memory", true, allocatable);
    total_line(d, &requests, &limits, "ephemeral-storage", true, allocatable);
    other_totals(d, &requests, &limits, allocatable);
}

static void node_roles(struct describe *d)
{
    const struct json *labels = describe_value(&d->object, "metadata.labels");
    size_t n = 0, all = json_is(labels, JSON_OBJECT) ? labels->len : 0;
    str *roles = arena_array(d->arena, all + 1, str), prefix = S("node-role.kubernetes.io/");
    for (size_t i = 0; i < all; i++) {
        str key = labels->members[i].key, value = json_str(&labels->members[i].value);
        if (str_has_prefix(key, prefix) && key.len > prefix.len)
            roles[n++] = str_from(key, prefix.len);
        else if (str_is(key, "kubernetes.io/role") && value.len)
            roles[n++] = value;
    }
    describe_line(d, 0, "Roles:\t" STR_FMT "\n", STR_ARG(describe_or(table_join_sorted(d->arena, roles, n), "<none>")));
}

static void node_taints(struct describe *d)
{
    const struct json *list = describe_list(&d->object, "spec.taints");
    struct json sorted = describe_sorted(d, list, "key");
    sorted = describe_sorted(d, &sorted, "effect");
    describe_line(d, 0, "Taints:\t%s", sorted.len ? "" : "<none>\n");
    for (size_t i = 0; i < sorted.len; i++) {
        str value = json_get_str(&sorted.items[i], S("value")), effect = json_get_str(&sorted.items[i], S("effect"));
        describe_line(d, 0, "%s" STR_FMT "%s" STR_FMT "%s" STR_FMT "\n", i ? "\t" : "",
                      STR_ARG(json_get_str(&sorted.items[i], S("key"))), value.len ? "=" : "", STR_ARG(value),
                      effect.len ? ":" : "", STR_ARG(effect));
    }
}

static void node_lease(struct describe *d)
{
    struct failure f = FAILURE_NONE;
    struct json lease = json_null();
    str path = arena_fmt(d->arena, "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/" STR_FMT, STR_ARG(d->name));
    if (!d->s || session_get(d->s, path, S(""), &lease, &f) < 0) {
        describe_line(d, 0, "Lease:\tFailed to get lease: " STR_FMT "\n", STR_ARG(f.from_server ? f.message : str_of(f.err.msg)));
        return;
    }
    describe_line(d, 0, "Lease:\n");
    describe_line(d, 1, "HolderIdentity:\t" STR_FMT "\n",
                  STR_ARG(describe_or(table_text_at(&lease, S("spec.holderIdentity")), "<unset>")));
    describe_line(d, 1, "AcquireTime:\t" STR_FMT "\n",
                  STR_ARG(describe_time(d->arena, describe_value(&lease, "spec.acquireTime"))));
    describe_line(d, 1, "RenewTime:\t" STR_FMT "\n", STR_ARG(describe_time(d->arena, describe_value(&lease, "spec.renewTime"))));
}

static void node_conditions(struct describe *d)
{
    static const struct describe_column columns[] = {{"Type", "type", false, " "},
                                                     {"Status", "status", false, " "},
                                                     {"LastHeartbeatTime", "lastHeartbeatTime", true, " "},
                                                     {"LastTransitionTime", "lastTransitionTime", true, " "},
                                                     {"Reason", "reason", false, " "},
                                                     {"Message", "message", false, ""}};
    const struct json *list = describe_list(&d->object, "status.conditions"),
                      *addresses = describe_list(&d->object, "status.addresses");
    if (list->len) {
        describe_line(d, 0, "Conditions:\n");
        describe_table(d, 1, list, columns, ARRAY_LEN(columns));
    }
    describe_line(d, 0, "Addresses:\n");
    for (size_t i = 0; i < addresses->len; i++)
        describe_line(d, 1, STR_FMT ":\t" STR_FMT "\n", STR_ARG(json_get_str(&addresses->items[i], S("type"))),
                      STR_ARG(json_get_str(&addresses->items[i], S("address"))));
}

static void node_sizes(struct describe *d)
{
    static const struct {
        const char *title, *path;
    } maps[] = {{"Capacity", "status.capacity"}, {"Allocatable", "status.allocatable"}};
    for (size_t k = 0; k < ARRAY_LEN(maps); k++) {
        const struct json *map = describe_value(&d->object, maps[k].path);
        if (!json_is(map, JSON_OBJECT) || !map->len)
            continue;
        const struct json_member **m = jsonpath_sorted_members(d->arena, map);
        describe_line(d, 0, "%s:\n", maps[k].title);
        for (size_t i = 0; i < map->len; i++)
            describe_line(d, 1, STR_FMT ":\t" STR_FMT "\n", STR_ARG(m[i]->key), STR_ARG(json_str(&m[i]->value)));
    }
}

const struct describe_row describe_node_rows[] = {
    ROWS_NAME,
    {.fn = node_roles},
    ROWS_MARKS,
    ROWS_CREATED,
    {.fn = node_taints},
    {.label = "Unschedulable", .path = "spec.unschedulable", .kind = ROW_FLAG},
    {.fn = node_lease},
    {.fn = node_conditions},
    {.fn = node_sizes},
    {.label = "System Info", .kind = ROW_HEAD},
    {.label = "Machine ID", .path = "status.nodeInfo.machineID", .level = 1},
    {.label = "System UUID", .path = "status.nodeInfo.systemUUID", .level = 1},
    {.label = "Boot ID", .path = "status.nodeInfo.bootID", .level = 1},
    {.label = "Kernel Version", .path = "status.nodeInfo.kernelVersion", .level = 1},
    {.label = "OS Image", .path = "status.nodeInfo.osImage", .level = 1},
    {.label = "Operating System", .path = "status.nodeInfo.operatingSystem", .level = 1},
    {.label = "Architecture", .path = "status.nodeInfo.architecture", .level = 1},
    {.label = "Container Runtime Version", .path = "status.nodeInfo.containerRuntimeVersion", .level = 1},
    {.label = "Kubelet Version", .path = "status.nodeInfo.kubeletVersion", .level = 1},
    {.label = "Kube-Proxy Version", .path = "status.nodeInfo.kubeProxyVersion", .level = 1},
    {.label = "PodCIDR", .path = "spec.podCIDR", .kind = ROW_OPTIONAL},
    {.label = "PodCIDRs", .path = "spec.podCIDRs", .kind = ROW_LIST_OPTIONAL},
    {.label = "ProviderID", .path = "spec.providerID", .kind = ROW_OPTIONAL},
    {.fn = node_pods},
    ROWS_EVENTS,
    {0},
};
