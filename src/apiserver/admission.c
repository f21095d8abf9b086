/* admission.c - the chain in order, and the steps that are a few lines each. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "apiserver/admission.h"

#include "api/quantity.h"
#include "apiserver/admission_steps.h"
#include "apiserver/bandwidth_words.h"
#include "apiserver/certificates.h"
#include "apiserver/domain_rights.h"
#include "apiserver/internal.h"
#include "apiserver/kuscia_words.h"
#include "apiserver/node_authz.h"
#include "apiserver/queue_admission.h"

bool admission_add_op(struct admission_attrs *at, struct store_op op)
{
    if (at->nops >= at->ops_room)
        return false;
    at->ops[at->nops++] = op;
    return true;
}

bool admission_is_kind(const struct admission_attrs *at, const char *group, const char *plural)
{
    return str_is(at->res->plural, plural) && str_is(at->res->group, group);
}

str admission_noted(const struct json *obj, const char *map, const char *key)
{
    return obj ? json_get_str(json_get(object_meta(obj), str_of(map)), str_of(key)) : S("");
}

str admission_list(struct arena *a, const struct json *words)
{
    struct strbuf b = strbuf_on(a);
    for (uint32_t i = 0; i < words->len; i++)
        strbuf_addf(&b, "%s" STR_FMT, i == 0 ? "" : i + 1 == words->len ? " and " : ", ", STR_ARG(json_str(&words->items[i])));
    return strbuf_str(&b);
}

int admission_forbid(const struct admission_attrs *at, struct err *err, const char *fmt, ...)
{
    char text[sizeof err->msg];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    return err_set(err, E_FORBIDDEN, STR_FMT " \"" STR_FMT "\" is forbidden: %s", STR_ARG(api_qualified_resource(at->arena, at->res)), STR_ARG(at->name), text);
}

struct json *admission_new_pod_spec(const struct admission_attrs *at)
{
    if (at->op != ADMIT_CREATE || at->subresource.len || !admission_is_kind(at, "", "pods"))
        return NULL;
    return json_ensure_object(at->arena, at->obj, S("spec"));
}

/* --- NamespaceLifecycle ----------------------------------------------------------------------------------------------------------- */

static bool is_immortal(str ns)
{
    return str_is(ns, "default") || str_is(ns, "kube-system") || str_is(ns, "kube-public");
}

static int namespace_lifecycle(struct admission_attrs *at, struct err *err)
{
    if (at->op == ADMIT_DELETE && admission_is_kind(at, "", "namespaces") && is_immortal(at->name))
        return admission_forbid(at, err, "this namespace may not be deleted");
    if (at->op != ADMIT_CREATE || !api_is_namespaced(at->res))
        return 0;
    struct json ns;
    if (!object_get_having(at->store, at->arena, S(""), S("namespaces"), S(""), at->ns, "\"deletionTimestamp\"", "\"Terminating\"", &ns)) {
        /* the Status is about the namespace, not about what was to be created */
        at->req->res = object_builtin(S(""), S("namespaces"));
        at->req->target.name = at->ns;
        return err_set(err, E_NOT_FOUND, "namespaces \"" STR_FMT "\" not found", STR_ARG(at->ns));
    }
    if (object_is_deleting(&ns) || str_is(json_get_str(json_get(&ns, S("status")), S("phase")), "Terminating"))
        return admission_forbid(at, err, "unable to create new content in namespace " STR_FMT " because it is being terminated", STR_ARG(at->ns));
    return 0;
}

/* --- nodes and storage --------------------------------------------------------------------------------------------------------------- */

/* A new node takes no pods until its status says that it is ready. */
static int taint_new_nodes(struct admission_attrs *at, struct err *err UNUSED)
{
    if (at->op != ADMIT_CREATE || !admission_is_kind(at, "", "nodes"))
        return 0;
    struct json *spec = json_ensure_object(at->arena, at->obj, S("spec")), *taints = json_get(spec, S("taints"));
    if (!json_is(taints, JSON_ARRAY))
        taints = json_set(at->arena, spec, S("taints"), json_array());
    for (uint32_t i = 0; i < taints->len; i++)
        if (str_is(json_get_str(&taints->items[i], S("key")), "node.kubernetes.io/not-ready"))
            return 0;
    json_push(at->arena, taints, json_literal(at->arena, "{\"key\":\"node.kubernetes.io/not-ready\",\"effect\":\"NoSchedule\"}"));
    return 0;
}

struct default_class {
    str name, created;
};

static bool find_default_class(void *arg, struct json *obj, const struct store_kv *kv UNUSED)
{
    struct default_class *d = arg;
    const struct json *notes = json_get(object_meta(obj), S("annotations"));
    static const str marks[] = {STR_INIT("storageclass.kubernetes.io/is-default-class"), STR_INIT("storageclass.beta.kubernetes.io/is-default-class"),
                                STR_INIT("ingressclass.kubernetes.io/is-default-class")};
    for (size_t i = 0; i < ARRAY_LEN(marks); i++) {
        str created = json_get_str(object_meta(obj), S("creationTimestamp"));
        if (str_is(json_get_str(notes, marks[i]), "true") && (!d->name.len || str_cmp(created, d->created) > 0))
            *d = (struct default_class){object_name(obj), created}; /* the newest wins */
    }
    return true;
}

static int default_storage_class(struct admission_attrs *at, struct err *err UNUSED)
{
    if (at->op != ADMIT_CREATE || !admission_is_kind(at, "", "persistentvolumeclaims"))
        return 0;
    struct json *spec = json_ensure_object(at->arena, at->obj, S("spec"));
    const struct json *notes = json_get(object_meta(at->obj), S("annotations"));
    if (json_get(spec, S("storageClassName")) || json_get(notes, S("volume.beta.kubernetes.io/storage-class")))
        return 0;
    struct default_class d = {0};
    object_each(at->store, at->arena, object_builtin(S("storage.k8s.io"), S("storageclasses")), S(""), find_default_class, &d);
    if (d.name.len)
        json_set(at->arena, spec, S("storageClassName"), json_string(d.name));
    return 0;
}

static int default_ingress_class(struct admission_attrs *at, struct err *err UNUSED)
{
    if (at->op != ADMIT_CREATE || !admission_is_kind(at, "networking.k8s.io", "ingresses"))
        return 0;
    struct json *spec = json_ensure_object(at->arena, at->obj, S("spec"));
    const struct json *notes = json_get(object_meta(at->obj), S("annotations"));
    if (json_get(spec, S("ingressClassName")) || json_get(notes, S("kubernetes.io/ingress.class")))
        return 0;
    struct default_class d = {0};
    object_each(at->store, at->arena, object_builtin(S("networking.k8s.io"), S("ingressclasses")), S(""), find_default_class, &d);
    if (d.name.len)
        json_set(at->arena, spec, S("ingressClassName"), json_string(d.name));
    return 0;
}

/* Volumes and claims stay until nobody uses them. */
static int protect_storage(struct admission_attrs *at, struct err *err UNUSED)
{
    static const struct {
        const char *plural, *finalizer;
    } kinds[] = {{"persistentvolumeclaims", "kubernetes.io/pvc-protection"}, {"persistentvolumes", "kubernetes.io/pv-protection"}};
    for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
        if (at->op != ADMIT_CREATE || !admission_is_kind(at, "", kinds[i].plural))
            continue;
        struct json *meta = json_ensure_object(at->arena, at->obj, S("metadata")), *list = json_get(meta, S("finalizers"));
        if (!json_is(list, JSON_ARRAY))
            list = json_set(at->arena, meta, S("finalizers"), json_array());
        if (!object_list_has(meta, S("finalizers"), str_of(kinds[i].finalizer)))
            json_push(at->arena, list, json_string(str_of(kinds[i].finalizer)));
    }
    return 0;
}

/* A claim may grow only when its class says that it can. */
static int validate_volume_resize(struct admission_attrs *at, struct err *err)
{
    if (at->op != ADMIT_UPDATE || at->subresource.len || !admission_is_kind(at, "", "persistentvolumeclaims"))
        return 0;
    struct quantity old, new;
    bool both = quantity_parse(json_str(json_path(at->old, "spec", "resources", "requests", "storage", NULL)), &old) &&
                quantity_parse(json_str(json_path(at->obj, "spec", "resources", "requests", "storage", NULL)), &new);
    if (!both || quantity_cmp(&new, &old) <= 0)
        return 0;
    struct json class;
    str name = json_get_str(json_get(at->obj, S("spec")), S("storageClassName"));
    if (name.len && object_get_builtin(at->store, at->arena, S("storage.k8s.io"), S("storageclasses"), S(""), name, &class, NULL) &&
        json_get_bool(&class, S("allowVolumeExpansion"), false))
        return 0;
    return admission_forbid(at, err, "only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize");
}

/* --- RBAC: nobody grants what they do not have ------------------------------------------------------------------------------------------ */

static int validate_escalation(struct admission_attrs *at, struct err *err)
{
    if (at->op == ADMIT_DELETE || !str_is(at->res->group, "rbac.authorization.k8s.io"))
        return 0;
    return authz_check_write(at->srv->authz, at->arena, &at->req->user, at->res->plural, at->ns, at->obj, at->old, err);
}

/* --- the chain --------------------------------------------------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    int (*admit)(struct admission_attrs *at, struct err *err);
    int (*validate)(struct admission_attrs *at, struct err *err);
} steps[] = {
    {"NamespaceLifecycle", namespace_lifecycle, NULL},
    {"LimitRanger", admit_limit_ranger, validate_limit_ranger},
    {"ServiceAccount", admit_service_account, NULL},
    {"TaintNodesByCondition", taint_new_nodes, NULL},
    {"NodeRestriction", node_mark_domain, node_restrict},
    {"PodSecurity", NULL, validate_pod_security},
    {"Priority", admit_priority, NULL},
    {"DefaultTolerationSeconds", admit_default_tolerations, NULL},
    {"DefaultStorageClass", default_storage_class, NULL},
    {"StorageObjectInUseProtection", protect_storage, NULL},
    {"PersistentVolumeClaimResize", NULL, validate_volume_resize},
    {"RuntimeClass", admit_runtime_class, NULL},
    {"DefaultIngressClass", default_ingress_class, NULL},
    {"CertificateRequests", certificates_admit, certificates_validate},
    {"Queues", NULL, queues_validate},
    {"KusciaWords", NULL, kuscia_words_validate},
    {"BandwidthWords", NULL, bandwidth_words_validate},
    {"DomainRights", NULL, domain_rights_validate},
    {"RBACEscalation", NULL, validate_escalation},
    {"ResourceQuota", NULL, validate_resource_quota},
};

int admission_admit(struct admission_attrs *at, struct err *err)
{
    for (size_t i = 0; i < ARRAY_LEN(steps); i++) {
        int r = steps[i].admit ? steps[i].admit(at, err) : 0;
        if (r < 0)
            return r;
    }
    return 0;
}

int admission_validate(struct admission_attrs *at, struct err *err)
{
    for (size_t i = 0; i < ARRAY_LEN(steps); i++) {
        int r = steps[i].validate ? steps[i].validate(at, err) : 0;
        if (r < 0)
            return r;
    }
    return 0;
}
