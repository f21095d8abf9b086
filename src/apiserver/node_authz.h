/* node_authz.h - what the agent of a node may do: users system:node:NAME of the group system:nodes.
 *
 * Rules are a table (node_authz.c): plain ones, those about the node itself, and those about what its pods refer to.  What the table does not allow is left to RBAC.
 * node_restrict is the second half, at admission, where the object is known: a node writes its own Node, Lease and pods, and of them what is its own to say.
 * Threads: any.  Ownership: results on the arena. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "apiserver/admission.h"
#include "apiserver/authz.h"

struct node_authz;
struct node_authz *node_authz_new(struct store *store) MUST_CHECK;
void node_authz_free(struct node_authz *n);

/* "n1" for system:node:n1 in system:nodes, else "". */
str node_authz_name(const struct api_user *u);
/* The domain (an institution) whose token the machine joined with, as its certificate says; "" for one of nobody's. */
#define NODE_DOMAIN_LABEL "kuscia.secretflow/namespace" /* of its Node */
str node_authz_domain(const struct api_user *u);
/* The user is a node.  A machine of a domain that has the name of another's node is refused everything: names are first come, first served, certificates are given before the Node is there.  False with a sentence, why not. */
bool node_authz_check(struct node_authz *n, struct arena *a, str node, const struct authz_attrs *attrs, str *ret_why);
/* The label by which a node finds volumes that are its own, and a list of which is allowed to it. */
#define NODE_LABEL "coxswain.dev/node"

int node_restrict(struct admission_attrs *at, struct err *err);
/* In admit: the Node of a machine of a domain has its label, and from the beginning its taint; no other machine gives itself that label. */
int node_mark_domain(struct admission_attrs *at, struct err *err);
/* A token that a node asks for is for one of its pods. */
int node_restrict_token(struct api_req *q, const struct json *bound_ref, struct err *err);
