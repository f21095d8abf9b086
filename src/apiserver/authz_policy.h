/* authz_policy.h - all roles and bindings of the store at one moment, compiled for look-ups by subject; private to authz.
 *
 *   key of the index:  'u' ns NUL user      -> grants of a RoleBinding in ns to the user (service accounts are users here)
 *                      'g' "" NUL group     -> grants of ClusterRoleBindings to the group
 *   grant              (binding, subject, rules of the role it refers to), a list per key
 *
 * A stored object is parsed once: the next policy takes over what did not change, so that a change costs one parse and a new
 * index.
 * Aggregated ClusterRoles are resolved here: their rules are those of all roles that their selectors reach, also through other
 * aggregated ones.
 * Threads: immutable once built, except its reference count.
 * Ownership: reference-counted; everything that is found in a policy lives as long as it does. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "apiserver/authz_rules.h"
#include "base/map.h"
#include "store/store.h"

#define AUTHZ_GROUP "rbac.authorization.k8s.io"
#define AUTHZ_PREFIX "/r/" AUTHZ_GROUP "/"

struct authz_subject {
    str kind, name, ns;
};
struct authz_binding {
    str name, ns; /* ns "": ClusterRoleBinding */
    str role_kind, role_name;
    const struct authz_subject *subjects;
    size_t nsubjects;
};
struct authz_grant {
    const struct authz_binding *binding;
    const struct authz_subject *subject;
    const struct authz_rule_set *rules; /* NULL: there is no such role */
    struct authz_grant *next;
};

struct authz_policy {
    _Atomic uint32_t refs;
    struct arena arena;
    struct map items;  /* store key -> struct authz_item *, a reference each */
    struct map roles;  /* "ns/name", "/name" for cluster roles -> struct authz_role_entry * */
    struct map grants; /* index key -> struct authz_grant * */
};

/* old: the policy before, whose parsed objects are used again, or NULL. */
struct authz_policy *authz_policy_build(struct store *s, const struct authz_policy *old) MUST_CHECK;
struct authz_policy *authz_policy_ref(struct authz_policy *p);
void authz_policy_unref(struct authz_policy *p); /* NULL is fine */
DEFINE_CLEANUP(struct authz_policy *, authz_policy_unref)

/* Grants to a user (type 'u') or group ('g') in ns, "" for those of ClusterRoleBindings; NULL when there are none. */
const struct authz_grant *authz_policy_find(const struct authz_policy *p, struct arena *a, char type, str ns, str name);
/* The rules of a role; NULL when there is none.  role_kind "Role" or "ClusterRole". */
const struct authz_rule_set *authz_policy_role(const struct authz_policy *p, struct arena *a, str ns, str role_kind,
                                               str role_name);
