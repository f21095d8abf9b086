/* agent_admit.c - the node's own check of a pod: the scheduler may have decided on old news, and a manifest may name a node itself. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/agent_internal.h"
#include "agent/agent_node_status.h"
#include "api/quantity.h"

static int64_t milli_of(const struct json *v)
{
    struct quantity q;
    return v && quantity_parse(json_str(v), &q) ? quantity_to_milli(&q) : 0;
}

static int64_t container_request(const struct json *c, str resource)
{
    const struct json *r = json_get(json_path(c, "resources", "requests", NULL), resource);
    return milli_of(r ? r : json_get(json_path(c, "resources", "limits", NULL), resource));
}

int64_t agent_pod_request(const struct json *pod, str resource)
{
    const struct json *spec = json_get(pod, S("spec")), *mains = json_get(spec, S("containers")), *inits = json_get(spec, S("initContainers"));
    int64_t sum = 0, sidecars = 0, peak = 0;
    for (uint32_t i = 0; json_is(inits, JSON_ARRAY) && i < inits->len; i++) {
        int64_t one = container_request(&inits->items[i], resource);
        if (str_is(json_get_str(&inits->items[i], S("restartPolicy")), "Always"))
            sidecars += one;
        else
            peak = MAX(peak, sidecars + one);
    }
    for (uint32_t i = 0; json_is(mains, JSON_ARRAY) && i < mains->len; i++)
        sum += container_request(&mains->items[i], resource);
    sum = MAX(sum + sidecars, peak);
    return sum + milli_of(json_get(json_get(spec, S("overhead")), resource));
}

bool agent_pod_holds(const struct agent_pod *p)
{
    return p->checked && !p->has_ended && !p->seen.torn_down && !p->seen.fail_reason.len;
}

static bool holds(const struct agent_pod *o, const struct agent_pod *p)
{
    return o != p && agent_pod_holds(o);
}

static bool fits(struct agent_pod *p, str resource, int64_t capacity, int64_t *ret_used, int64_t *ret_want)
{
    *ret_want = agent_pod_request(&p->tree, resource);
    *ret_used = 0;
    list_foreach(o, &p->agent->pods, struct agent_pod, link) {
        if (holds(o, p))
            *ret_used += agent_pod_request(&o->tree, resource);
    }
    return *ret_want == 0 || *ret_used + *ret_want <= capacity;
}

static bool resources_fit(struct agent_pod *p)
{
    ARENA_AUTO a = ARENA_INIT;
    struct json room = agent_allocatable(p->agent, &a);
    int64_t pods = 0, max = milli_of(json_get(&room, S("pods"))) / 1000;
    list_foreach(o, &p->agent->pods, struct agent_pod, link)
        pods += holds(o, p);
    if (pods + 1 > max) {
        agent_pod_fail(p, "OutOfpods", arena_fmt(&a, "Pod was rejected: Node didn't have enough resource: pods, requested: 1, used: %lld, capacity: %lld", (long long)pods, (long long)max), false);
        return false;
    }
    for (uint32_t i = 0; i < room.len; i++) {
        str resource = room.members[i].key;
        int64_t used, want, capacity = milli_of(&room.members[i].value), unit = str_is(resource, "cpu") ? 1 : 1000;
        if (str_is(resource, "pods") || node_bandwidth_is_name(resource) || bandwidth_is_lent(resource) || fits(p, resource, capacity, &used, &want))
            continue;
        const char *reason = arena_fmt(&p->names, "OutOf" STR_FMT, STR_ARG(resource)).p;
        agent_pod_fail(p, reason,
                       arena_fmt(&a, "Pod was rejected: Node didn't have enough resource: " STR_FMT ", requested: %lld, used: %lld, capacity: %lld", STR_ARG(resource), (long long)(want / unit),
                                 (long long)(used / unit), (long long)(capacity / unit)),
                       false);
        return false;
    }
    return true;
}

/* Both ends at once, and by the factor that the scheduler was told. */
static bool bandwidth_fits(struct agent_pod *p)
{
    ARENA_AUTO a = ARENA_INIT;
    const struct agent_pod **all = arena_array(&a, p->agent->by_uid.len, const struct agent_pod *);
    size_t n = 0;
    str message;
    list_foreach(o, &p->agent->pods, struct agent_pod, link) {
        if (holds(o, p) && !o->gone) /* the API gave its share to another already, and shares are cut when they are too many */
            all[n++] = o;
    }
    if (agent_bandwidth_fits(p, all, n, &a, &message))
        return true;
    agent_pod_fail(p, "OutOf" BANDWIDTH_KUSCIA, message, false);
    return false;
}

static str or_default(str value, str usual)
{
    return value.len ? value : usual;
}

/* Two ports are the same place when one of them is on every address. */
static bool is_same_address(str x, str y)
{
    return !x.len || !y.len || str_is(x, "0.0.0.0") || str_is(y, "0.0.0.0") || str_eq(x, y);
}

static bool uses_port(const struct json *pod, const struct json *wanted)
{
    int64_t port = json_get_int(wanted, S("hostPort"), 0);
    str protocol = or_default(json_get_str(wanted, S("protocol")), S("TCP")), address = json_get_str(wanted, S("hostIP"));
    const struct json *mains = json_path(pod, "spec", "containers", NULL);
    for (uint32_t i = 0; json_is(mains, JSON_ARRAY) && i < mains->len; i++) {
        const struct json *ports = json_get(&mains->items[i], S("ports"));
        for (uint32_t k = 0; json_is(ports, JSON_ARRAY) && k < ports->len; k++) {
            const struct json *p = &ports->items[k];
            if (json_get_int(p, S("hostPort"), 0) == port && str_eq(or_default(json_get_str(p, S("protocol")), S("TCP")), protocol) && is_same_address(json_get_str(p, S("hostIP")), address))
                return true;
        }
    }
    return false;
}

static bool ports_fit(struct agent_pod *p)
{
    const struct json *mains = json_path(&p->tree, "spec", "containers", NULL);
    for (uint32_t i = 0; json_is(mains, JSON_ARRAY) && i < mains->len; i++) {
        const struct json *ports = json_get(&mains->items[i], S("ports"));
        for (uint32_t k = 0; json_is(ports, JSON_ARRAY) && k < ports->len; k++) {
            if (json_get_int(&ports->items[k], S("hostPort"), 0) <= 0)
                continue;
            list_foreach(o, &p->agent->pods, struct agent_pod, link) {
                if (!holds(o, p) || !uses_port(&o->tree, &ports->items[k]))
                    continue;
                agent_pod_fail(p, "NodePorts", S("Pod was rejected: Predicate NodePorts failed: node(s) didn't have free ports for the requested pod ports"), false);
                return false;
            }
        }
    }
    return true;
}

/* The node would refuse it again and again. */
static bool sysctls_are_allowed(struct agent_pod *p)
{
    ARENA_AUTO a = ARENA_INIT;
    const char *const *all;
    struct err err = ERR_NONE;
    if (pod_sysctls(&a, &p->tree, &all, &err) == 0)
        return true;
    agent_pod_fail(p, "SysctlForbidden", str_of(err.msg), false);
    return false;
}

static bool wants_profile(const struct json *of)
{
    return str_is(json_get_str(json_path(of, "securityContext", "appArmorProfile", NULL), S("type")), "Localhost");
}

/* What this node cannot give must not be passed over: whoever asks for it relies on it. */
static bool isolation_is_possible(struct agent_pod *p)
{
    static const char *const lists[] = {"initContainers", "containers"};
    const struct json *spec = json_get(&p->tree, S("spec"));
    bool profile = wants_profile(spec);
    if (!json_get_bool(spec, S("hostUsers"), true)) {
        agent_pod_fail(p, "UserNamespacesNotSupported", S("Pod was rejected: hostUsers is false, and this node cannot run pods in user namespaces of their own"), false);
        return false;
    }
    for (size_t l = 0; l < ARRAY_LEN(lists); l++) {
        const struct json *all = json_get(spec, str_of(lists[l]));
        for (uint32_t i = 0; json_is(all, JSON_ARRAY) && i < all->len; i++)
            profile |= wants_profile(&all->items[i]);
    }
    if (profile)
        agent_pod_fail(p, "AppArmor", S("Pod was rejected: Cannot enforce AppArmor: this node has no AppArmor profiles of its own"), false);
    return !profile;
}

void agent_admit(struct agent_pod *p)
{
    if (p->checked || p->seen.fail_reason.len)
        return;
    /* a pod that ran before is there: its place was granted then */
    bool ran = p->seen.has_sandbox || json_get(json_get(&p->tree, S("status")), S("containerStatuses"));
    if (ran || (sysctls_are_allowed(p) && isolation_is_possible(p) && resources_fit(p) && bandwidth_fits(p) && ports_fit(p)))
        p->checked = true;
    else
        p->seen.torn_down = true; /* nothing was made */
}
