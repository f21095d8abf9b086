/* validate_rbac.c - roles and their bindings. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/gen/gen.h"
#include "api/validate_internal.h"

#define RBAC_GROUP "rbac.authorization.k8s.io"

void v_policy_rule(struct vctx *c, const struct vpath *p, const struct json *rule)
{
    const struct json *urls = V_GET(rule, "nonResourceURLs"), *groups = V_GET(rule, "apiGroups"), *resources = V_GET(rule, "resources");
    if (v_len(urls)) {
        if (api_is_namespaced(c->res))
            v_invalid(c, V_FIELD(p, "nonResourceURLs"), urls, "namespaced rules cannot apply to non-resource URLs");
        if (v_len(groups) || v_len(resources) || v_len(V_GET(rule, "resourceNames")))
            v_invalid(c, V_FIELD(p, "nonResourceURLs"), urls, "rules cannot apply to both regular resources and non-resource URLs");
        return;
    }
    if (v_len(groups) == 0)
        v_required(c, V_FIELD(p, "apiGroups"), "resource rules must supply at least one api group");
    if (v_len(resources) == 0)
        v_required(c, V_FIELD(p, "resources"), "resource rules must supply at least one resource");
}

void v_cluster_role(struct vctx *c, const struct vpath *p, const struct json *role)
{
    const struct json *aggregation = V_GET(role, "aggregationRule");
    if (aggregation && v_len(V_GET(aggregation, "clusterRoleSelectors")) == 0)
        v_required(c, V_FIELD(V_FIELD(p, "aggregationRule"), "clusterRoleSelectors"),
                   "at least one clusterRoleSelector required if aggregationRule is non-nil");
}

static void check_subject(struct vctx *c, const struct vpath *p, const struct json *subject)
{
    str kind = V_STR(subject, "kind"), group = V_STR(subject, "apiGroup");
    if (str_is(kind, "ServiceAccount")) {
        v_check_member(c, p, subject, S("name"), validate_dns1123_subdomain);
        if (group.len)
            v_unsupported(c, V_FIELD(p, "apiGroup"), group, "");
        if (!api_is_namespaced(c->res) && V_STR(subject, "namespace").len == 0)
            v_required(c, V_FIELD(p, "namespace"), V_NO_DETAIL);
    } else if (v_in(kind, "User|Group")) {
        if (!str_is(group, RBAC_GROUP))
            v_unsupported(c, V_FIELD(p, "apiGroup"), group, RBAC_GROUP);
    } else {
        v_unsupported(c, V_FIELD(p, "kind"), kind, "ServiceAccount|User|Group");
    }
}

void v_role_binding(struct vctx *c, const struct vpath *p, const struct json *binding)
{
    const struct json *ref = V_GET(binding, "roleRef"), *subjects = V_GET(binding, "subjects");
    const struct vpath *at = V_FIELD(p, "roleRef");
    const char *kinds = api_is_namespaced(c->res) ? "Role|ClusterRole" : "ClusterRole";
    static const struct json none = {.type = JSON_OBJECT};
    if (!str_is(V_STR(ref, "apiGroup"), RBAC_GROUP))
        v_unsupported(c, V_FIELD(at, "apiGroup"), V_STR(ref, "apiGroup"), RBAC_GROUP);
    if (!v_in(V_STR(ref, "kind"), kinds))
        v_unsupported(c, V_FIELD(at, "kind"), V_STR(ref, "kind"), kinds);
    v_check_member(c, at, ref, S("name"), validate_path_segment);
    if (!ref)
        v_required(c, V_FIELD(at, "name"), V_NO_DETAIL);
    v_foreach (subject, i, subjects)
        check_subject(c, V_INDEX(V_FIELD(p, "subjects"), i), subject);
    if (c->old && !v_same_member(c->res->type, binding, c->old, S("roleRef")))
        v_invalid(c, at, ref ? ref : &none, "cannot change roleRef");
}
