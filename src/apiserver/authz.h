/* authz.h - may this user do that: RBAC, compiled from the stored roles and bindings.
 *
 * The compiled form is rebuilt when an RBAC object changed since it was built; checks then are lookups by subject.  Members of
 * system:masters may do everything.
 * Threads: authz_check from any io loop.
 * Ownership: the compiled form is shared and reference-counted inside. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "apiserver/request.h"

struct authz;

struct authz_attrs {
    const struct api_user *user;
    bool is_resource;
    str verb;
    str group, version, resource, subresource, ns, name; /* is_resource */
    str path;                                            /* otherwise */
    bool by_role_only; /* what is allowed for another reason than RBAC to the people of a domain (domain_rights.h) is not */
    str field_node, label_node; /* of a list: the node that its field selector spec.nodeName, its label selector coxswain.dev/node names */
};

struct authz *authz_new(struct store *store) MUST_CHECK;
void authz_free(struct authz *z);
/* *ret_reason (may be NULL), on the arena: why it is allowed, "RBAC: allowed by ClusterRoleBinding \"x\" of ClusterRole \"y\" to
 * Group \"z\"", or which roles of bindings were not found; else "". */
bool authz_check(struct authz *z, struct arena *a, const struct authz_attrs *attrs, str *ret_reason);
/* `pods "x" is forbidden: User "u" cannot get resource "pods" in API group "" in the namespace "n"`, and ": reason" when there is
 * one. */
str authz_forbidden_message(struct arena *a, const struct authz_attrs *attrs, str reason);
/* For SelfSubjectRulesReview: {"resourceRules":[...],"nonResourceRules":[...],"incomplete":false}. */
struct json authz_rules_for(struct authz *z, struct arena *a, const struct api_user *user, str ns);
/* 0, or -E_FORBIDDEN `user "alice" (groups=["g"]) is attempting to grant RBAC permissions not currently held:\n{...}` when the
 * user does not hold these rules in ns. */
int authz_check_escalation(struct authz *z, struct arena *a, const struct api_user *user, str ns, const struct json *rules,
                           struct err *err) MUST_CHECK;
/* The rules a roleRef means in ns (aggregated ones resolved); NULL json when the role does not exist. */
bool authz_resolve_role(struct authz *z, struct arena *a, str ns, str role_kind, str role_name, struct json *ret_rules);
/* What a write of one of the four RBAC resources needs beyond the right to write (others: 0): all rights that a role gives or a
 * binding hands on, or the verb escalate on the role, bind on the role that is referred to.  old NULL: create.  -E_FORBIDDEN with
 * Kubernetes' whole sentence, -E_NOT_FOUND for an unknown role. */
int authz_check_write(struct authz *z, struct arena *a, const struct api_user *user, str plural, str ns, const struct json *obj,
                      const struct json *old, struct err *err) MUST_CHECK;
