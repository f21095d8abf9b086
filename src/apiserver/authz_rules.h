/* authz_rules.h - RBAC rules by themselves: what one allows, what one covers, how one is shown; private to authz.
 *
 * Threads: pure functions.  Ownership: lists borrow their strings from what they were made of. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "apiserver/authz.h"
#include "wire/json.h"

struct authz_list {
    const str *items;
    size_t len;
};

enum authz_list_id { AUTHZ_VERBS, AUTHZ_GROUPS, AUTHZ_RESOURCES, AUTHZ_NAMES, AUTHZ_URLS, AUTHZ_LISTS };

/* In the order in which Kubernetes writes the fields. */
struct authz_rule {
    struct authz_list lists[AUTHZ_LISTS];
};
struct authz_rule_set {
    const struct authz_rule *items;
    size_t len;
};

str authz_list_key(enum authz_list_id id); /* "verbs", "apiGroups" ... */
bool authz_list_has(const struct authz_list *l, str value);
bool authz_rule_equal(const struct authz_rule *a, const struct authz_rule *b);
/* Does the rule grant what is asked? */
bool authz_rule_allows(const struct authz_rule *r, const struct authz_attrs *attrs);
/* A `rules` array as lists on the arena; what is no list of strings counts as empty. */
struct authz_rule_set authz_rules_parse(struct arena *a, const struct json *rules);
/* {"verbs":[...],"apiGroups":[...],...} without the empty lists. */
struct json authz_rule_json(struct arena *a, const struct authz_rule *r);
struct json authz_rules_json(struct arena *a, const struct authz_rule_set *rules);

/* The rights in `wanted` that `held` does not cover, as Kubernetes lists them: one {APIGroups:[""], Resources:["pods"],
 * Verbs:["get"]} a line.  "" when all are covered.  After AUTHZ_MAX_RIGHTS single rights (a rule of 10 resources and 8 verbs
 * means 80) a rule is reported as a whole unless one held rule covers it. */
#define AUTHZ_MAX_RIGHTS 10000
str authz_rules_missing(struct arena *a, const struct authz_rule_set *held, const struct authz_rule_set *wanted);
