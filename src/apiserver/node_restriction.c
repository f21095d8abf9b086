/* node_restriction.c - what a node may write, as far as the object itself tells. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "apiserver/admission_steps.h"
#include "apiserver/internal.h"
#include "apiserver/node_authz.h"
#include "apiserver/node_index.h"
#include "apiserver/objects.h"

#define MIRROR "kubernetes.io/config.mirror"
#define NAMESPACE_DOMAIN_LABEL "kuscia.secretflow/domain-name" /* controllers/domains.c */
#define FOLDER_FINALIZER "coxswain.dev/local-path" /* of volumes that lie on a node's disk */

/* --- nodes ------------------------------------------------------------------------------------------------------------------------- */

/* Labels of Kubernetes' own names that a node may give itself; others could draw pods to it that belong elsewhere. */
static bool may_label(str key)
{
    static const char *const exact[] = {"kubernetes.io/hostname", "kubernetes.io/os", "kubernetes.io/arch", "beta.kubernetes.io/os", "beta.kubernetes.io/arch",
                                        "topology.kubernetes.io/zone", "topology.kubernetes.io/region", "failure-domain.beta.kubernetes.io/zone",
                                        "failure-domain.beta.kubernetes.io/region", "node.kubernetes.io/instance-type", "beta.kubernetes.io/instance-type",
                                        "node.kubernetes.io/windows-build"};
    static const char *const prefixes[] = {"kubelet.kubernetes.io/", "node.kubernetes.io/"};
    str rest = key, domain;
    if (!str_cut(&rest, '/', &domain))
        return true;
    if (str_is(domain, "node-restriction.kubernetes.io") || str_has_suffix(domain, S(".node-restriction.kubernetes.io")))
        return false;
    bool reserved = str_is(domain, "kubernetes.io") || str_is(domain, "k8s.io") || str_has_suffix(domain, S(".kubernetes.io")) || str_has_suffix(domain, S(".k8s.io"));
    for (size_t i = 0; i < ARRAY_LEN(exact); i++)
        if (str_is(key, exact[i]))
            return true;
    for (size_t i = 0; i < ARRAY_LEN(prefixes); i++)
        if (str_has_prefix(key, str_of(prefixes[i])))
            return true;
    return !reserved;
}

/* A label that is set, changed or taken away and must not be; "" none. */
static str forbidden_label(const struct json *old, const struct json *new)
{
    const struct json *sides[2][2] = {{new, old}, {old, new}};
    for (int s = 0; s < 2; s++)
        for (uint32_t i = 0; json_is(sides[s][0], JSON_OBJECT) && i < sides[s][0]->len; i++) {
            const struct json_member *m = &sides[s][0]->members[i];
            const struct json *other = json_get(sides[s][1], m->key);
            if (!(other && json_equal(other, &m->value)) && !may_label(m->key))
                return m->key;
        }
    return S("");
}

static bool same_list(const struct json *a, const struct json *b)
{
    bool any_a = a && a->len, any_b = b && b->len;
    return any_a == any_b && (!any_a || json_equal(a, b));
}

static bool same_text(const struct admission_attrs *at, const char *of_spec)
{
    return str_eq(json_get_str(json_get(at->old, S("spec")), str_of(of_spec)), json_get_str(json_get(at->obj, S("spec")), str_of(of_spec)));
}

/* --- nodes of domains: the certificate says of which institution a machine is (controllers/certificates.c), and so does its Node, whatever the machine says ------- */

#define DOMAIN_TAINT "kuscia.secretflow/agent"

static void taint(struct arena *a, struct json *node)
{
    struct json *spec = json_ensure_object(a, node, S("spec")), *taints = json_get(spec, S("taints"));
    if (!json_is(taints, JSON_ARRAY))
        taints = json_set(a, spec, S("taints"), json_array());
    for (uint32_t i = 0; i < taints->len; i++)
        if (str_is(json_get_str(&taints->items[i], S("key")), DOMAIN_TAINT))
            return;
    json_push(a, taints, json_literal(a, "{\"key\":\"" DOMAIN_TAINT "\",\"value\":\"v1\",\"effect\":\"NoSchedule\"}"));
}

int node_mark_domain(struct admission_attrs *at, struct err *err)
{
    str node = node_authz_name(&at->req->user), domain = node_authz_domain(&at->req->user);
    if (!node.len || !admission_is_kind(at, "", "nodes") || !at->obj) /* a write of the status brings labels, too */
        return 0;
    struct json *labels = json_ensure_object(at->arena, json_get(at->obj, S("metadata")), S("labels"));
    str says = json_get_str(labels, S(NODE_DOMAIN_LABEL)), was = json_get_str(json_get(object_meta(at->old), S("labels")), S(NODE_DOMAIN_LABEL));
    if (says.len && !str_eq(says, domain) && !str_eq(says, was))
        return domain.len ? admission_forbid(at, err, "node \"" STR_FMT "\" is of domain \"" STR_FMT "\", not of \"" STR_FMT "\"", STR_ARG(node), STR_ARG(domain), STR_ARG(says))
                          : admission_forbid(at, err, "node \"" STR_FMT "\" did not join with a token of domain \"" STR_FMT "\": the domain's status shows one", STR_ARG(node), STR_ARG(says));
    if (domain.len && at->op != ADMIT_CREATE && !str_eq(was, domain))
        return admission_forbid(at, err, "node \"" STR_FMT "\" was there before, and not as one of domain \"" STR_FMT "\": a machine joins a domain under a name that nobody has", STR_ARG(node), STR_ARG(domain));
    if (domain.len)
        json_set(at->arena, labels, S(NODE_DOMAIN_LABEL), json_string(domain));
    if (domain.len && at->op == ADMIT_CREATE)
        taint(at->arena, at->obj);
    return 0;
}

static int restrict_node(struct admission_attrs *at, str node, struct err *err)
{
    if (!str_eq(at->name, node))
        return admission_forbid(at, err, "node \"" STR_FMT "\" is not allowed to modify node \"" STR_FMT "\"", STR_ARG(node), STR_ARG(at->name));
    if (at->op == ADMIT_DELETE)
        return admission_forbid(at, err, "node \"" STR_FMT "\" is not allowed to delete itself", STR_ARG(node));
    str bad = forbidden_label(json_get(object_meta(at->old), S("labels")), json_get(object_meta(at->obj), S("labels")));
    if (bad.len)
        return admission_forbid(at, err, "node \"" STR_FMT "\" is not allowed to set or change the label " STR_FMT, STR_ARG(node), STR_ARG(bad));
    if (at->op == ADMIT_UPDATE && !same_list(json_path(at->old, "spec", "taints", NULL), json_path(at->obj, "spec", "taints", NULL)))
        return admission_forbid(at, err, "node \"" STR_FMT "\" is not allowed to modify taints", STR_ARG(node));
    /* the collector deletes it with its owner, and what comes back has no taints */
    if (!same_list(json_get(object_meta(at->old), S("ownerReferences")), json_get(object_meta(at->obj), S("ownerReferences"))))
        return admission_forbid(at, err, "node \"" STR_FMT "\" is not allowed to modify ownerReferences", STR_ARG(node));
    /* the other nodes send there what is for these addresses, whoever's they are */
    if (!same_text(at, "podCIDR") || !same_list(json_path(at->old, "spec", "podCIDRs", NULL), json_path(at->obj, "spec", "podCIDRs", NULL)))
        return admission_forbid(at, err, "node \"" STR_FMT "\" is not allowed to choose its pod CIDR", STR_ARG(node));
    return 0;
}

/* Its own, and those that are no institution's.  In another one's a pod of its making would be an address of that one's services. */
static int restrict_namespace(struct admission_attrs *at, str node, struct err *err)
{
    struct json ns;
    str domain = node_authz_domain(&at->req->user);
    if (!domain.len || str_eq(at->ns, domain) || !object_get_builtin(at->srv->store, at->arena, S(""), S("namespaces"), S(""), at->ns, &ns, NULL) ||
        !json_get_str(json_get(object_meta(&ns), S("labels")), S(NAMESPACE_DOMAIN_LABEL)).len)
        return 0;
    return admission_forbid(at, err, "node \"" STR_FMT "\" is of domain \"" STR_FMT "\", and namespace \"" STR_FMT "\" is another one's", STR_ARG(node), STR_ARG(domain), STR_ARG(at->ns));
}

/* --- pods ---------------------------------------------------------------------------------------------------------------------------- */

static void note_reference(void *arg, enum node_ref kind UNUSED, str name)
{
    *(bool *)arg |= name.len > 0;
}

/* An owner that is not the node would have its controller count a pod that it never made. */
static bool is_owned_by_node(struct admission_attrs *at, str node)
{
    const struct json *refs = json_get(object_meta(at->obj), S("ownerReferences"));
    struct json live;
    if (!json_is(refs, JSON_ARRAY) || !refs->len)
        return true;
    const struct json *ref = &refs->items[0];
    return refs->len == 1 && str_is(json_get_str(ref, S("apiVersion")), "v1") && str_is(json_get_str(ref, S("kind")), "Node") && str_eq(json_get_str(ref, S("name")), node) &&
           object_get_builtin(at->srv->store, at->arena, S(""), S("nodes"), S(""), node, &live, NULL) && str_eq(json_get_str(ref, S("uid")), object_uid(&live));
}

static int restrict_new_pod(struct admission_attrs *at, str node, struct err *err)
{
    bool refers = false;
    if (!json_get(json_get(object_meta(at->obj), S("annotations")), S(MIRROR)))
        return admission_forbid(at, err, "pod does not have \"" MIRROR "\" annotation, node \"" STR_FMT "\" can only create mirror pods", STR_ARG(node));
    if (!str_eq(json_get_str(json_get(at->obj, S("spec")), S("nodeName")), node))
        return admission_forbid(at, err, "node \"" STR_FMT "\" can only create pods with spec.nodeName set to itself", STR_ARG(node));
    if (!is_owned_by_node(at, node))
        return admission_forbid(at, err, "node \"" STR_FMT "\" can only create pods with an owner reference set to itself", STR_ARG(node));
    node_refs_each(at->arena, at->obj, note_reference, &refers);
    if (refers)
        return admission_forbid(at, err, "node \"" STR_FMT "\" can not create pods that reference service accounts, secrets, configmaps or claims", STR_ARG(node));
    return restrict_namespace(at, node, err);
}

static int restrict_pod(struct admission_attrs *at, str node, struct err *err)
{
    if (at->op == ADMIT_CREATE && !at->subresource.len)
        return restrict_new_pod(at, node, err);
    if (!at->old)
        return 0; /* an eviction: the authorizer saw the pod */
    if (!str_eq(json_get_str(json_get(at->old, S("spec")), S("nodeName")), node))
        return admission_forbid(at, err, "node \"" STR_FMT "\" can only change pods with spec.nodeName set to itself", STR_ARG(node));
    if (at->op == ADMIT_UPDATE && !str_is(at->subresource, "status"))
        return admission_forbid(at, err, "node \"" STR_FMT "\" can only update the status of its pods", STR_ARG(node));
    if (at->op == ADMIT_UPDATE && !same_list(json_get(object_meta(at->old), S("labels")), json_get(object_meta(at->obj), S("labels"))))
        return admission_forbid(at, err, "node \"" STR_FMT "\" cannot update labels through pod status", STR_ARG(node));
    return 0;
}

/* --- the rest -------------------------------------------------------------------------------------------------------------------------- */

static int restrict_named(struct admission_attrs *at, str node, struct err *err)
{
    if (str_eq(at->name, node))
        return 0;
    return admission_forbid(at, err, "node \"" STR_FMT "\" can only write the object with its own name", STR_ARG(node));
}

static bool has_text(const struct json *list, str text)
{
    for (uint32_t i = 0; json_is(list, JSON_ARRAY) && i < list->len; i++)
        if (str_eq(json_str(&list->items[i]), text))
            return true;
    return false;
}

/* None came, and none but the node's own went. */
static bool finalizers_fit(const struct json *before, const struct json *after)
{
    for (uint32_t i = 0; json_is(after, JSON_ARRAY) && i < after->len; i++)
        if (!has_text(before, json_str(&after->items[i])))
            return false;
    for (uint32_t i = 0; json_is(before, JSON_ARRAY) && i < before->len; i++)
        if (!has_text(after, json_str(&before->items[i])) && !str_is(json_str(&before->items[i]), FOLDER_FINALIZER))
            return false;
    return true;
}

static void drop_all(struct json *from, const str *keys, size_t n)
{
    for (size_t i = 0; from && i < n; i++)
        json_del(from, keys[i]);
}

/* It takes its own finalizer away when it has removed the folder; nothing else. */
static int restrict_volume(struct admission_attrs *at, str node, struct err *err)
{
    static const str changing[] = {STR_INIT("finalizers"), STR_INIT("managedFields"), STR_INIT("resourceVersion")};
    if (at->op != ADMIT_UPDATE || at->subresource.len)
        return admission_forbid(at, err, "node \"" STR_FMT "\" can only remove finalizers of volumes", STR_ARG(node));
    if (!str_eq(json_get_str(json_get(object_meta(at->old), S("labels")), S(NODE_LABEL)), node)) /* it may not have been there when the authorizer looked */
        return admission_forbid(at, err, "node \"" STR_FMT "\" can only change volumes that lie on it", STR_ARG(node));
    if (!finalizers_fit(json_get(object_meta(at->old), S("finalizers")), json_get(object_meta(at->obj), S("finalizers"))))
        return admission_forbid(at, err, "node \"" STR_FMT "\" can only remove the finalizer " FOLDER_FINALIZER " of volumes", STR_ARG(node));
    struct json before = json_copy(at->arena, at->old), after = json_copy(at->arena, at->obj);
    drop_all(object_meta(&before), changing, ARRAY_LEN(changing));
    drop_all(object_meta(&after), changing, ARRAY_LEN(changing));
    if (!json_equal(&before, &after))
        return admission_forbid(at, err, "node \"" STR_FMT "\" can only remove finalizers of volumes", STR_ARG(node));
    return 0;
}

/* How large it has become, which only its node sees; not whom it belongs to, and not what keeps it from being deleted. */
static int restrict_claim(struct admission_attrs *at, str node, struct err *err)
{
    static const str of_meta[] = {STR_INIT("managedFields"), STR_INIT("resourceVersion")};
    static const str of_status[] = {STR_INIT("capacity"), STR_INIT("conditions"), STR_INIT("allocatedResources"), STR_INIT("allocatedResourceStatuses")};
    if (at->op != ADMIT_UPDATE || !str_is(at->subresource, "status"))
        return admission_forbid(at, err, "node \"" STR_FMT "\" can only update the status of claims", STR_ARG(node));
    struct json copies[2] = {json_copy(at->arena, at->old), json_copy(at->arena, at->obj)};
    for (size_t i = 0; i < ARRAY_LEN(copies); i++) {
        drop_all(object_meta(&copies[i]), of_meta, ARRAY_LEN(of_meta));
        drop_all(json_get(&copies[i], S("status")), of_status, ARRAY_LEN(of_status));
    }
    if (!json_equal(&copies[0], &copies[1]))
        return admission_forbid(at, err, "node \"" STR_FMT "\" is not allowed to update fields other than status.capacity and status.conditions of claims", STR_ARG(node));
    return 0;
}

static const struct {
    const char *group, *plural;
    int (*check)(struct admission_attrs *at, str node, struct err *err);
} kinds[] = {
    {"", "nodes", restrict_node},
    {"", "pods", restrict_pod},
    {"", "persistentvolumes", restrict_volume},
    {"", "persistentvolumeclaims", restrict_claim},
    {"coordination.k8s.io", "leases", restrict_named},
    {"storage.k8s.io", "csinodes", restrict_named},
    {"", "events", restrict_namespace},
    {"events.k8s.io", "events", restrict_namespace},
};

int node_restrict(struct admission_attrs *at, struct err *err)
{
    str node = node_authz_name(&at->req->user);
    for (size_t i = 0; node.len && i < ARRAY_LEN(kinds); i++)
        if (admission_is_kind(at, kinds[i].group, kinds[i].plural))
            return kinds[i].check(at, node, err);
    return 0;
}

int node_restrict_token(struct api_req *q, const struct json *ref, struct err *err)
{
    struct json pod;
    str node = node_authz_name(&q->user), name = json_get_str(ref, S("name"));
    if (!node.len)
        return 0;
    if (!str_is(json_get_str(ref, S("kind")), "Pod") || !name.len || !json_get_str(ref, S("uid")).len)
        return err_set(err, E_FORBIDDEN, "node \"" STR_FMT "\" can only get tokens that are bound to a pod, by name and uid", STR_ARG(node));
    if (object_get_builtin(q->srv->store, q->arena, S(""), S("pods"), q->target.ns, name, &pod, NULL) &&
        !str_eq(json_get_str(json_get(&pod, S("spec")), S("nodeName")), node))
        return err_set(err, E_FORBIDDEN, "node \"" STR_FMT "\" can only get tokens for pods that are on it", STR_ARG(node));
    return 0;
}
