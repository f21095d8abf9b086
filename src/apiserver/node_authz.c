/* SPDX-License-Identifier: Apache-2.0 */
#include "apiserver/node_authz.h"

#include "apiserver/node_index.h"
#include "apiserver/objects.h"

#define USER "system:node:"

struct node_authz {
    struct store *store;
    struct node_index *index;
};

struct node_authz *node_authz_new(struct store *store)
{
    struct node_authz *n = xnew(struct node_authz);
    n->store = store;
    n->index = node_index_new(store);
    return n;
}

void node_authz_free(struct node_authz *n)
{
    if (!n)
        return;
    node_index_free(n->index);
    free(n);
}

str node_authz_name(const struct api_user *u)
{
    return str_has_prefix(u->name, S(USER)) && api_user_in_group(u, S("system:nodes")) ? str_from(u->name, sizeof USER - 1) : S("");
}

str node_authz_domain(const struct api_user *u)
{
    static const str group = STR_INIT("kuscia:domain:");
    for (size_t i = 0; i < u->ngroups; i++)
        if (str_has_prefix(u->groups[i], group))
            return str_from(u->groups[i], group.len);
    return S("");
}

/* --- what a question can depend on ------------------------------------------------------------------------------------------------ */

struct question {
    struct node_authz *n;
    struct arena *arena;
    str node;
    const struct authz_attrs *at;
};

typedef bool rule_fn(const struct question *q, str *ret_why);

static bool yes(const struct question *q UNUSED, str *ret_why UNUSED)
{
    return true;
}

static bool own_name(const struct question *q, str *ret_why)
{
    if (str_eq(q->at->name, q->node))
        return true;
    *ret_why = arena_fmt(q->arena, "node '" STR_FMT "' may write only the object of its own name", STR_ARG(q->node));
    return false;
}

/* The name of a new object is not in the URL: admission looks at it. */
static bool own_or_new(const struct question *q, str *ret_why)
{
    return str_is(q->at->verb, "create") || own_name(q, ret_why);
}

static bool own_lease(const struct question *q, str *ret_why)
{
    if (str_is(q->at->ns, "kube-node-lease"))
        return own_or_new(q, ret_why);
    *ret_why = S("a node has its lease in the namespace kube-node-lease");
    return false;
}

static bool load(const struct question *q, str group, str plural, str ns, str name, struct json *ret)
{
    return object_get_builtin(q->n->store, q->arena, group, plural, ns, name, ret, NULL);
}

static bool own_pod(const struct question *q, str *ret_why)
{
    struct json pod;
    if (!q->at->name.len || !load(q, S(""), S("pods"), q->at->ns, q->at->name, &pod))
        return q->at->name.len > 0; /* nothing is there: the answer will say so */
    if (str_eq(json_get_str(json_get(&pod, S("spec")), S("nodeName")), q->node))
        return true;
    *ret_why = arena_fmt(q->arena, "the pod is not on node '" STR_FMT "'", STR_ARG(q->node));
    return false;
}

static bool own_pods(const struct question *q, str *ret_why)
{
    if (str_eq(q->at->field_node, q->node))
        return true;
    *ret_why = arena_fmt(q->arena, "a node can list and watch pods only with the field selector spec.nodeName=" STR_FMT, STR_ARG(q->node));
    return false;
}

static bool referenced(const struct question *q, enum node_ref kind, str *ret_why)
{
    if (q->at->name.len && node_index_has(q->n->index, q->node, kind, q->at->ns, q->at->name))
        return true;
    *ret_why = q->at->name.len ? arena_fmt(q->arena, "no relationship found between node '" STR_FMT "' and this object", STR_ARG(q->node))
                               : S("a node can only ask for single objects that its pods refer to");
    return false;
}

static bool own_secret(const struct question *q, str *ret_why)
{
    return referenced(q, NODE_REF_SECRET, ret_why);
}

static bool own_config(const struct question *q, str *ret_why)
{
    return referenced(q, NODE_REF_CONFIG, ret_why);
}

static bool own_claim(const struct question *q, str *ret_why)
{
    return referenced(q, NODE_REF_CLAIM, ret_why);
}

static bool own_account(const struct question *q, str *ret_why)
{
    return referenced(q, NODE_REF_ACCOUNT, ret_why);
}

static bool is_labelled(const struct question *q, const struct json *obj)
{
    return str_eq(json_get_str(json_get(object_meta(obj), S("labels")), S(NODE_LABEL)), q->node);
}

/* One that a pod of the node has a claim on, or one that lies on the node. */
static bool own_volume(const struct question *q, str *ret_why)
{
    struct json volume;
    if (!q->at->name.len || !load(q, S(""), S("persistentvolumes"), S(""), q->at->name, &volume))
        return q->at->name.len > 0;
    const struct json *claim = json_path(&volume, "spec", "claimRef", NULL);
    if (is_labelled(q, &volume) || node_index_has(q->n->index, q->node, NODE_REF_CLAIM, json_get_str(claim, S("namespace")), json_get_str(claim, S("name"))))
        return true;
    *ret_why = arena_fmt(q->arena, "no relationship found between node '" STR_FMT "' and this object", STR_ARG(q->node));
    return false;
}

static bool labelled_volume(const struct question *q, str *ret_why)
{
    struct json volume;
    if (!q->at->name.len || !load(q, S(""), S("persistentvolumes"), S(""), q->at->name, &volume) || is_labelled(q, &volume))
        return q->at->name.len > 0;
    *ret_why = arena_fmt(q->arena, "the volume does not lie on node '" STR_FMT "'", STR_ARG(q->node));
    return false;
}

static bool labelled_volumes(const struct question *q, str *ret_why)
{
    if (str_eq(q->at->label_node, q->node))
        return true;
    *ret_why = arena_fmt(q->arena, "a node can list and watch volumes only with the label selector " NODE_LABEL "=" STR_FMT, STR_ARG(q->node));
    return false;
}

/* Addresses tell who computes with whom: a machine of a domain sees those of its domain, and of namespaces whose pods it runs.  `default` has the API server's. */
static bool own_services(const struct question *q, str *ret_why)
{
    str domain = node_authz_domain(q->at->user), ns = q->at->ns;
    if (!domain.len || str_eq(ns, domain) || str_is(ns, "default") || (ns.len && node_index_has(q->n->index, q->node, NODE_REF_NAMESPACE, ns, NODE_REF_ANY)))
        return true;
    *ret_why = arena_fmt(q->arena, "a machine of domain '" STR_FMT "' sees services and addresses of the namespaces whose pods it runs", STR_ARG(domain));
    return false;
}

static bool own_attachment(const struct question *q, str *ret_why)
{
    struct json obj;
    if (!q->at->name.len || !load(q, S("storage.k8s.io"), S("volumeattachments"), S(""), q->at->name, &obj) ||
        str_eq(json_get_str(json_get(&obj, S("spec")), S("nodeName")), q->node))
        return q->at->name.len > 0;
    *ret_why = arena_fmt(q->arena, "no relationship found between node '" STR_FMT "' and this object", STR_ARG(q->node));
    return false;
}

/* Nobody has the name yet, or the Node is of the domain that the certificate is of. */
static bool is_of_its_domain(const struct question *q, str *ret_why)
{
    struct json node;
    str domain = node_authz_domain(q->at->user);
    if (!domain.len || !load(q, S(""), S("nodes"), S(""), q->node, &node) || str_eq(json_get_str(json_get(object_meta(&node), S("labels")), S(NODE_DOMAIN_LABEL)), domain))
        return true;
    *ret_why = arena_fmt(q->arena, "the certificate is of domain '" STR_FMT "' and node '" STR_FMT "' is not: join under another name", STR_ARG(domain), STR_ARG(q->node));
    return false;
}

/* --- the table ------------------------------------------------------------------------------------------------------------------------ */

#define READ "get|list|watch"
#define WRITE "create|update|patch"

static const struct {
    const char *group, *resource; /* "pods/status" */
    const char *verbs;            /* "get|list" */
    rule_fn *rule;
} rules[] = {
    {"", "services", READ, own_services},
    {"", "endpoints", READ, own_services},
    {"discovery.k8s.io", "endpointslices", READ, own_services},
    {"", "nodes", READ, yes},
    {"", "nodes", WRITE, own_or_new},
    {"", "nodes/status", "get|update|patch", own_name},
    {"", "events", WRITE, yes},
    {"events.k8s.io", "events", WRITE, yes},
    {"", "pods", "list|watch", own_pods},
    {"", "pods", "create", yes}, /* mirror pods: admission */
    {"", "pods", "get|delete", own_pod},
    {"", "pods/status", "get|update|patch", own_pod},
    {"", "pods/eviction", "create", own_pod},
    {"", "secrets", READ, own_secret},
    {"", "configmaps", READ, own_config},
    {"", "persistentvolumeclaims", "get", own_claim},
    {"", "persistentvolumeclaims/status", "get|update|patch", own_claim},
    {"", "persistentvolumes", "get", own_volume},
    {"", "persistentvolumes", "list|watch", labelled_volumes},
    {"", "persistentvolumes", "patch", labelled_volume}, /* its finalizer: admission */
    {"", "serviceaccounts", "get", own_account},
    {"", "serviceaccounts/token", "create", own_account},
    {"certificates.k8s.io", "certificatesigningrequests", "create|" READ, yes},
    {"coordination.k8s.io", "leases", "get|delete|" WRITE, own_lease},
    {"authentication.k8s.io", "tokenreviews", "create", yes},
    {"authorization.k8s.io", "subjectaccessreviews", "create", yes},
    {"authorization.k8s.io", "localsubjectaccessreviews", "create", yes},
    {"storage.k8s.io", "volumeattachments", "get", own_attachment},
    {"storage.k8s.io", "csidrivers", READ, yes},
    {"storage.k8s.io", "storageclasses", READ, yes},
    {"storage.k8s.io", "csinodes", "get|delete|" WRITE, own_or_new},
    {"node.k8s.io", "runtimeclasses", READ, yes},
    {"metrics.k8s.io", "nodes", "get|" WRITE, own_or_new},
};

static bool in_list(str text, const char *list)
{
    str rest = str_of(list), one;
    while (rest.len) {
        str_cut(&rest, '|', &one);
        if (str_eq(one, text))
            return true;
    }
    return false;
}

static bool names_resource(const char *resource, const struct authz_attrs *at)
{
    str name = str_of(resource), plural;
    str_cut(&name, '/', &plural); /* name is the subresource now, or empty */
    return str_eq(plural, at->resource) && str_eq(name, at->subresource);
}

bool node_authz_check(struct node_authz *n, struct arena *a, str node, const struct authz_attrs *at, str *ret_why)
{
    struct question q = {n, a, node, at};
    *ret_why = S("");
    if (!is_of_its_domain(&q, ret_why))
        return false;
    for (size_t i = 0; at->is_resource && i < ARRAY_LEN(rules); i++)
        if (str_is(at->group, rules[i].group) && names_resource(rules[i].resource, at) && in_list(at->verb, rules[i].verbs) && rules[i].rule(&q, ret_why))
            return true;
    return false;
}
