/* validate_pod_update.c - what may change in a pod: by update, and through status, ephemeralcontainers and resize. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/gen/gen.h"
#include "api/validate_internal.h"

#define SPEC &schema_core_v1_PodSpec

/* --- update ---------------------------------------------------------------------------------------------------------------- */

static bool same_containers(const struct json *now, const struct json *before, str key)
{
    const struct json *a = v_get(now, key), *b = v_get(before, key);
    for (size_t i = 0; i < v_len(a); i++) {
        if (!v_same_except(&schema_core_v1_Container, &a->items[i], &b->items[i], "image"))
            return false;
    }
    return true;
}

static void check_deadline(struct vctx *c, const struct vpath *p, const struct json *spec, const struct json *old)
{
    static const struct json none = {.type = JSON_NULL};
    const struct vpath *at = V_FIELD(p, "activeDeadlineSeconds");
    const struct json *now = V_GET(spec, "activeDeadlineSeconds"), *before = V_GET(old, "activeDeadlineSeconds");
    if (!now && before)
        v_invalid(c, at, &none, "must not update from a positive integer to nil value");
    else if (now && before && V_INT(old, "activeDeadlineSeconds") < V_INT(spec, "activeDeadlineSeconds"))
        v_invalid(c, at, now, "must be less than or equal to previous value");
}

/* Everything of a toleration but its time, as one text. */
static str toleration_key(struct vctx *c, const struct json *t)
{
    struct strbuf b = strbuf_on(c->e->arena);
    static const str parts[] = {STR_INIT("key"), STR_INIT("operator"), STR_INIT("value"), STR_INIT("effect")};
    for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
        strbuf_add_str(&b, json_get_str(t, parts[i]));
        strbuf_add_char(&b, '\n'); /* occurs in none of them */
    }
    return strbuf_str(&b);
}

static void check_tolerations(struct vctx *c, const struct vpath *p, const struct json *spec, const struct json *old)
{
    const struct json *now = V_GET(spec, "tolerations"), *before = V_GET(old, "tolerations");
    if (v_same(&schema_core_v1_PodSpec, now, before))
        return;
    struct v_map kept;
    v_map_init(&kept, c->e->arena);
    v_foreach (t, i, now)
        v_set_add(&kept, toleration_key(c, t));
    v_foreach (t, i, before) {
        if (!v_set_has(&kept, toleration_key(c, t)))
            v_forbidden(c, V_FIELD(p, "tolerations"), "existing toleration can not be modified except its tolerationSeconds");
    }
}

static void check_gates(struct vctx *c, const struct vpath *p, const struct json *spec, const struct json *old)
{
    const struct json *gates = V_GET(spec, "schedulingGates");
    struct v_map known;
    v_map_init(&known, c->e->arena);
    v_set_add_list(&known, V_GET(old, "schedulingGates"), S("name"));
    v_foreach (gate, i, gates) {
        str name = V_STR(gate, "name");
        if (!v_set_has(&known, name))
            v_forbidden(c, V_FIELD(V_INDEX(V_FIELD(p, "schedulingGates"), i), "name"),
                        "only deletion is allowed, but found new scheduling gate '" STR_FMT "'", STR_ARG(name));
    }
}

static void check_gated_node_selector(struct vctx *c, const struct vpath *p, const struct json *spec, const struct json *old)
{
    const struct json *now = V_GET(spec, "nodeSelector"), *before = V_GET(old, "nodeSelector");
    struct v_map kept;
    v_map_init(&kept, c->e->arena);
    v_foreach_member (m, now)
        v_map_put(&kept, m->key, &m->value);
    v_foreach_member (m, before) {
        if (!str_eq(json_str(v_map_get(&kept, m->key)), json_str(&m->value)))
            v_invalid(c, V_FIELD(p, "nodeSelector"), now, "only additions to spec.nodeSelector are allowed (no mutations or deletions)");
    }
}

static bool starts_with(const struct json *now, const struct json *before)
{
    if (v_len(now) < v_len(before))
        return false;
    for (size_t i = 0; i < v_len(before); i++) {
        if (!v_same(&schema_core_v1_NodeSelectorRequirement, &now->items[i], &before->items[i]))
            return false;
    }
    return true;
}

static bool only_adds(const struct json *now, const struct json *before)
{
    const struct json *old_labels = V_GET(before, "matchExpressions"), *old_fields = V_GET(before, "matchFields");
    const struct json *labels = V_GET(now, "matchExpressions"), *fields = V_GET(now, "matchFields");
    if (v_len(old_labels) + v_len(old_fields) == 0) /* an empty term matches nothing, more terms would widen it */
        return v_len(labels) + v_len(fields) == 0;
    return starts_with(labels, old_labels) && starts_with(fields, old_fields);
}

static const struct json *required_terms(const struct json *affinity)
{
    return V_GET(V_GET(V_GET(affinity, "nodeAffinity"), "requiredDuringSchedulingIgnoredDuringExecution"), "nodeSelectorTerms");
}

static void check_gated_affinity(struct vctx *c, const struct vpath *p, const struct json *spec, const struct json *old)
{
    const struct json *now = required_terms(V_GET(spec, "affinity")), *before = required_terms(V_GET(old, "affinity"));
    const struct vpath *at = V_FIELD(
        V_FIELD(V_FIELD(V_FIELD(p, "affinity"), "nodeAffinity"), "requiredDuringSchedulingIgnoredDuringExecution"), "nodeSelectorTerms");
    if (v_len(before) && v_len(before) != v_len(now)) {
        v_invalid(c, at, now, "no additions/deletions to non-empty NodeSelectorTerms list are allowed");
        return;
    }
    for (size_t i = 0; i < v_len(before); i++) {
        if (!only_adds(&now->items[i], &before->items[i]))
            v_invalid(c, V_INDEX(at, i), &now->items[i], "only additions are allowed (no mutations or deletions)");
    }
}

static bool same_affinity(const struct json *spec, const struct json *old, bool gated)
{
    const struct json *now = V_GET(spec, "affinity"), *before = V_GET(old, "affinity");
    return gated ? v_same_except(&schema_core_v1_Affinity, now, before, "nodeAffinity") : v_same(&schema_core_v1_Affinity, now, before);
}

#define UPDATABLE                                                                                                                          \
    "`spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to "        \
    "existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)"
#define SEPARATELY                                                                                                                         \
    "containers|initContainers|activeDeadlineSeconds|schedulingGates|tolerations|terminationGracePeriodSeconds|nodeSelector|affinity"

/* The first field that differs tells more than a long diff. */
static str changed_field(const struct json *spec, const struct json *old)
{
    v_foreach_member (m, spec) {
        if (!v_in(m->key, "activeDeadlineSeconds|schedulingGates|tolerations") && !v_same_member(SPEC, spec, old, m->key))
            return m->key;
    }
    v_foreach_member (m, old) {
        if (!json_get(spec, m->key) && !v_same_member(SPEC, spec, old, m->key))
            return m->key;
    }
    return S("spec");
}

static void check_spec_update(struct vctx *c, const struct vpath *p, const struct json *spec, const struct json *old)
{
    bool gated = v_len(V_GET(old, "schedulingGates")) > 0;
    int64_t grace = json_get_int(old, S("terminationGracePeriodSeconds"), 0);
    bool grace_repaired = grace < 0 && V_INT(spec, "terminationGracePeriodSeconds") == 1;
    if (gated) {
        check_gated_node_selector(c, p, spec, old);
        check_gated_affinity(c, p, spec, old);
    }
    bool same = v_same_except(SPEC, spec, old, SEPARATELY) && same_containers(spec, old, S("containers")) &&
                same_containers(spec, old, S("initContainers")) &&
                (grace_repaired || v_same_member(SPEC, spec, old, S("terminationGracePeriodSeconds"))) &&
                (gated || v_same_member(SPEC, spec, old, S("nodeSelector"))) && same_affinity(spec, old, gated);
    if (!same)
        v_forbidden(c, p, "pod updates may not change fields other than %s\n  %s: changed", UPDATABLE,
                    arena_cstr(c->e->arena, changed_field(spec, old)));
}

static void check_update(struct vctx *c, const struct vpath *p, const struct json *spec, const struct json *old)
{
    static const str lists[] = {STR_INIT("containers"), STR_INIT("initContainers")};
    for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
        if (v_len(v_get(spec, lists[i])) != v_len(v_get(old, lists[i]))) {
            v_forbidden(c, V_MEMBER(p, lists[i]), "pod updates may not add or remove containers");
            return;
        }
    }
    check_deadline(c, p, spec, old);
    check_tolerations(c, p, spec, old);
    check_gates(c, p, spec, old);
    check_spec_update(c, p, spec, old);
}

/* --- ephemeral containers ----------------------------------------------------------------------------------------------------- */

static void check_ephemeral_update(struct vctx *c, const struct vpath *p, const struct json *spec, const struct json *old)
{
    const struct json *now = V_GET(spec, "ephemeralContainers"), *before = V_GET(old, "ephemeralContainers");
    const struct vpath *at = V_FIELD(p, "ephemeralContainers");
    struct v_map by_name;
    v_map_init(&by_name, c->e->arena);
    v_foreach (ctr, i, now)
        v_map_put(&by_name, V_STR(ctr, "name"), ctr);
    v_foreach (ctr, i, before) {
        const struct json *kept = v_map_get(&by_name, V_STR(ctr, "name"));
        if (!kept)
            v_forbidden(c, at, "existing ephemeral containers \"" STR_FMT "\" may not be removed\n", STR_ARG(V_STR(ctr, "name")));
        else if (!v_same(&schema_core_v1_EphemeralContainer, kept, ctr))
            v_forbidden(c, at, "existing ephemeral containers \"" STR_FMT "\" may not be changed\n", STR_ARG(V_STR(ctr, "name")));
    }
}

/* --- resize --------------------------------------------------------------------------------------------------------------------- */

static bool removes_any(const struct json *now, const struct json *before)
{
    struct v_map kept;
    ARENA_AUTO a = ARENA_INIT;
    v_map_init(&kept, &a);
    v_foreach_member (m, now)
        v_set_add(&kept, m->key);
    v_foreach_member (m, before) {
        if (!v_set_has(&kept, m->key))
            return true;
    }
    return false;
}

static bool restarts_for_memory(const struct json *ctr)
{
    const struct json *policies = V_GET(ctr, "resizePolicy");
    v_foreach (policy, i, policies) {
        if (str_is(V_STR(policy, "resourceName"), "memory"))
            return str_is(V_STR(policy, "restartPolicy"), "RestartContainer");
    }
    return false;
}

static void check_resources_resize(struct vctx *c, const struct vpath *p, const struct json *ctr, const struct json *old)
{
    const struct json *now = V_GET(ctr, "resources"), *before = V_GET(old, "resources");
    const struct vpath *at = V_FIELD(p, "resources");
    struct quantity limit, old_limit;
    if (removes_any(V_GET(now, "requests"), V_GET(before, "requests")))
        v_forbidden(c, V_FIELD(at, "requests"), "resource requests cannot be removed");
    if (removes_any(V_GET(now, "limits"), V_GET(before, "limits")))
        v_forbidden(c, V_FIELD(at, "limits"), "resource limits cannot be removed");
    if (restarts_for_memory(ctr) || !v_quantity(V_GET(now, "limits"), S("memory"), &limit))
        return;
    const struct vpath *memory = V_KEY(V_FIELD(at, "limits"), S("memory"));
    if (!v_quantity(V_GET(before, "limits"), S("memory"), &old_limit))
        v_forbidden(c, memory, "memory limits cannot be added unless resizePolicy is RestartContainer");
    else if (quantity_cmp(&limit, &old_limit) < 0)
        v_forbidden(c, memory, "memory limits cannot be decreased unless resizePolicy is RestartContainer");
}

static bool same_but_cpu_memory(const struct json *ctr, const struct json *old)
{
    const struct schema_type *list = schema_field_find(&schema_core_v1_ResourceRequirements, S("limits"))->type;
    const struct json *now = V_GET(ctr, "resources"), *before = V_GET(old, "resources");
    return v_same_except(&schema_core_v1_Container, ctr, old, "resources") &&
           v_same_except(list, V_GET(now, "limits"), V_GET(before, "limits"), "cpu|memory") &&
           v_same_except(list, V_GET(now, "requests"), V_GET(before, "requests"), "cpu|memory");
}

static void resize_containers(struct vctx *c, const struct vpath *p, const struct json *spec, const struct json *old, str key)
{
    const struct json *now = v_get(spec, key), *before = v_get(old, key);
    const struct vpath *at = V_MEMBER(p, key);
    bool init = str_is(key, "initContainers");
    if (v_len(now) != v_len(before)) {
        v_forbidden(c, at, STR_FMT " may not be added or removed on resize", STR_ARG(key));
        return;
    }
    v_foreach (ctr, i, now) {
        const struct json *was = &before->items[i];
        bool sidecar = str_is(V_STR(ctr, "restartPolicy"), "Always");
        if (!str_eq(V_STR(ctr, "name"), V_STR(was, "name")))
            v_forbidden(c, V_FIELD(V_INDEX(at, i), "name"), STR_FMT " may not be renamed or reordered on resize", STR_ARG(key));
        else if (init && !sidecar && !v_same(&schema_core_v1_Container, ctr, was))
            v_forbidden(c, p, "resources for non-sidecar init containers are immutable");
        else if ((!init || sidecar) && !same_but_cpu_memory(ctr, was))
            v_forbidden(c, p, "only cpu and memory resources %sare mutable", init ? "for sidecar containers " : "");
        if (!init || sidecar)
            check_resources_resize(c, V_INDEX(at, i), ctr, was);
    }
}

static void check_resize(struct vctx *c, const struct vpath *p, const struct json *spec, const struct json *old)
{
    if (str_is(V_STR(V_GET(old, "os"), "name"), "windows")) {
        v_forbidden(c, NULL, "windows pods cannot be resized");
        return;
    }
    size_t before = c->e->len;
    resize_containers(c, p, spec, old, S("containers"));
    resize_containers(c, p, spec, old, S("initContainers"));
    if (c->e->len == before && !v_same_except(SPEC, spec, old, "containers|initContainers"))
        v_forbidden(c, p, "only cpu and memory resources are mutable");
}

void v_pod_update(struct vctx *c)
{
    static const struct {
        const char *sub;
        void (*check)(struct vctx *c, const struct vpath *p, const struct json *spec, const struct json *old);
    } checks[] = {{"", check_update}, {"ephemeralcontainers", check_ephemeral_update}, {"resize", check_resize}};
    for (size_t i = 0; i < ARRAY_LEN(checks); i++) {
        if (str_is(c->sub, checks[i].sub))
            checks[i].check(c, V_FIELD(NULL, "spec"), V_GET(c->obj, "spec"), V_GET(c->old, "spec"));
    }
}

/* --- status ----------------------------------------------------------------------------------------------------------------------- */

static void check_ips(struct vctx *c, const struct vpath *p, const struct json *ips)
{
    v_foreach (ip, i, ips)
        v_ip(c, V_INDEX(p, i), V_STR(ip, "ip"));
    if (v_len(ips) > 2)
        v_invalid(c, p, ips, "may specify no more than one IP for each IP family");
}

/* A container that ended for good does not come back. */
static void check_states(struct vctx *c, const struct vpath *p, const struct json *now, const struct json *before, str restart_policy)
{
    struct v_map by_name;
    if (str_is(restart_policy, "Always"))
        return;
    v_map_init(&by_name, c->e->arena);
    v_foreach (status, i, now)
        v_map_put(&by_name, V_STR(status, "name"), status);
    v_foreach (status, i, before) {
        const struct json *ended = V_GET(V_GET(status, "state"), "terminated"), *after = v_map_get(&by_name, V_STR(status, "name"));
        if (!ended || !after || (V_INT(ended, "exitCode") != 0 && str_is(restart_policy, "OnFailure")))
            continue;
        if (!V_GET(V_GET(after, "state"), "terminated"))
            v_forbidden(c, V_FIELD(V_INDEX(p, i), "state"), "may not be transitioned to non-terminated state");
    }
}

void v_pod_status(struct vctx *c, const struct vpath *p, const struct json *status)
{
    const struct json *old = V_GET(c->old, "status"), *conditions = V_GET(status, "conditions");
    v_foreach (condition, i, conditions) {
        if (!v_in(V_STR(condition, "type"), "PodScheduled|Ready|Initialized"))
            v_check(c, V_FIELD(V_INDEX(V_FIELD(p, "conditions"), i), "Type"), V_STR(condition, "type"), validate_qualified_name);
    }
    v_check_member(c, p, status, S("nominatedNodeName"), validate_dns1123_subdomain);
    if (!str_eq(V_STR(status, "qosClass"), V_STR(old, "qosClass")) && V_STR(old, "qosClass").len)
        v_invalid_str(c, V_FIELD(p, "qosClass"), V_STR(status, "qosClass"), V_IMMUTABLE);
    check_states(c, V_FIELD(p, "containerStatuses"), V_GET(status, "containerStatuses"), V_GET(old, "containerStatuses"),
                 V_STR(V_GET(c->old, "spec"), "restartPolicy"));
    check_ips(c, V_FIELD(p, "podIPs"), V_GET(status, "podIPs"));
    check_ips(c, V_FIELD(p, "hostIPs"), V_GET(status, "hostIPs"));
}
