/* bootstrap.c - what every cluster has from its first moment: system namespaces, priority classes, the kubernetes service, queues, RBAC
 * policy.
 *
 * Looks at the store, writes what is missing in one transaction, and adds to existing objects what a newer program wants them to
 * have.  A second transaction writes the rules of aggregated cluster roles, which follow from what the first one stored.  A start
 * that finds everything in place writes nothing.
 * Threads: start-up only; it blocks on the store. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <arpa/inet.h>

#include "api/codec.h"
#include "apiserver/alloc.h"
#include "apiserver/authz_policy.h"
#include "apiserver/bootstrap_policy.h"
#include "apiserver/internal.h"
#include "apiserver/namespace_content.h"
#include "base/civil.h"
#include "base/vec.h"
#include "wire/base64.h"

#define BOOTSTRAP_TRIES 5

struct boot {
    struct apiserver *s;
    struct arena arena;
    VEC(struct store_op) ops;
};

/* Changes the stored object towards the wanted one; false: it is fine as it is. */
typedef bool reconcile_fn(struct arena *a, struct json *live, const struct json *wanted);

/* --- collecting operations ----------------------------------------------------------------------- */

static void boot_put(struct boot *b, const struct api_resource *res, str key, struct json *obj, rev_t expect)
{
    struct store_op op = {.type = STORE_PUT, .key = key, .expect = expect};
    api_complete(&b->arena, res->type, obj);
    op.value = object_encode(&b->arena, res, obj, &op.rev_at);
    vec_push(&b->ops, op);
}

static void stamp_new(struct boot *b, struct json *obj)
{
    struct arena *a = &b->arena;
    char uid[37], now[CIVIL_TIME_LEN + 1];
    object_new_uid(uid);
    civil_format(clock_wall(b->s->clock), now);
    struct json *meta = json_ensure_object(a, obj, S("metadata"));
    json_set(a, meta, S("uid"), json_string(arena_str(a, str_of(uid))));
    json_set(a, meta, S("creationTimestamp"), json_string(arena_str(a, str_of(now))));
}

/* The object must exist: an operation to create it, or to change it when reconcile (may be NULL) finds something missing. */
static void boot_want(struct boot *b, str group, str plural, struct json *obj, reconcile_fn *reconcile)
{
    const struct api_resource *res = object_builtin(group, plural);
    str key = object_key(&b->arena, res, object_ns(obj), object_name(obj));
    CLEANUP(store_kv_unref) struct store_kv *kv = store_get(b->s->store, key);
    if (!kv) {
        stamp_new(b, obj);
        api_default(&b->arena, res, obj);
        boot_put(b, res, key, obj, 0);
        return;
    }
    if (!reconcile)
        return;
    struct json live = object_parse(&b->arena, arena_str(&b->arena, store_kv_value(kv)));
    if (reconcile(&b->arena, &live, obj))
        boot_put(b, res, key, &live, kv->mod_rev);
}

static int boot_commit(struct boot *b, struct err *err)
{
    if (!b->ops.len)
        return 0;
    struct store_txn txn = {.ops = b->ops.p, .nops = b->ops.len};
    int r = store_commit(b->s->store, &txn);
    for (size_t i = 0; i < b->ops.len; i++)
        store_kv_unref(b->ops.p[i].kv);
    vec_clear(&b->ops);
    return r < 0 ? err_set(err, -r, "cannot write the first objects of the cluster: %s", txn.err.msg) : 0;
}

/* --- namespaces, priorities, configuration ------------------------------------------------------- */

static void want_namespaces(struct boot *b)
{
    static const char *const names[] = {"default", "kube-system", "kube-public", "kube-node-lease"};
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        str text = arena_fmt(&b->arena,
                             "{\"metadata\":{\"name\":\"%s\",\"labels\":{\"kubernetes.io/"
                             "metadata.name\":\"%s\"}},\"spec\":{\"finalizers\":[\"kubernetes\"]},"
                             "\"status\":{\"phase\":\"Active\"}}",
                             names[i], names[i]);
        struct json obj = object_parse(&b->arena, text);
        boot_want(b, S(""), S("namespaces"), &obj, NULL);
        struct json sa = namespace_service_account(&b->arena, str_of(names[i]));
        boot_want(b, S(""), S("serviceaccounts"), &sa, NULL);
        struct json ca = namespace_root_ca(&b->arena, str_of(names[i]), str_of(b->s->opts.ca_pem ? b->s->opts.ca_pem : ""));
        boot_want(b, S(""), S("configmaps"), &ca, NULL);
    }
}

static void want_priority_classes(struct boot *b)
{
    static const char *const classes[] = {
        "{\"metadata\":{\"name\":\"system-cluster-critical\",\"generation\":1},\"value\":2000000000,\"preemptionPolicy\":"
        "\"PreemptLowerPriority\","
        "\"description\":\"For pods that the cluster cannot do without, on whichever node they run.\"}",
        "{\"metadata\":{\"name\":\"system-node-critical\",\"generation\":1},\"value\":2000001000,\"preemptionPolicy\":"
        "\"PreemptLowerPriority\","
        "\"description\":\"For pods that their node cannot do without.\"}",
        /* KAI's: from 100 on, work is not taken away and stays within its queue's quota */
        "{\"metadata\":{\"name\":\"train\",\"generation\":1},\"value\":50,\"preemptionPolicy\":\"PreemptLowerPriority\","
        "\"description\":\"For training and other work that can go over quota and be taken away.\"}",
        "{\"metadata\":{\"name\":\"build-preemptible\",\"generation\":1},\"value\":75,\"preemptionPolicy\":\"PreemptLowerPriority\","
        "\"description\":\"For interactive work that can be taken away.\"}",
        "{\"metadata\":{\"name\":\"build\",\"generation\":1},\"value\":100,\"preemptionPolicy\":\"PreemptLowerPriority\","
        "\"description\":\"For interactive work within its queue's quota.\"}",
        "{\"metadata\":{\"name\":\"inference\",\"generation\":1},\"value\":125,\"preemptionPolicy\":\"PreemptLowerPriority\","
        "\"description\":\"For models that answer requests, within their queue's quota.\"}",
    };
    for (size_t i = 0; i < ARRAY_LEN(classes); i++) {
        struct json obj = json_literal(&b->arena, classes[i]);
        boot_want(b, S("scheduling.k8s.io"), S("priorityclasses"), &obj, NULL);
    }
}

static bool take_field(struct arena *a, struct json *live, const struct json *wanted, str key)
{
    const struct json *value = json_get(wanted, key), *now = json_get(live, key);
    if (!value || (now && json_equal(now, value)))
        return false;
    json_set(a, live, key, *value);
    return true;
}

static bool reconcile_ca(struct arena *a, struct json *live, const struct json *wanted)
{
    return take_field(a, json_ensure_object(a, live, S("data")), json_get(wanted, S("data")), S("client-ca-file"));
}

/* What extension API servers read to verify clients as we do. */
static void want_client_ca(struct boot *b)
{
    if (!b->s->opts.ca_pem)
        return;
    struct json obj =
        json_literal(&b->arena, "{\"metadata\":{\"name\":\"extension-apiserver-authentication\",\"namespace\":\"kube-system\"}}");
    json_set(&b->arena, json_ensure_object(&b->arena, &obj, S("data")), S("client-ca-file"),
             json_string(str_of(b->s->opts.ca_pem)));
    boot_want(b, S(""), S("configmaps"), &obj, reconcile_ca);
}

/* --- the kubernetes service ---------------------------------------------------------------------- */

static bool reconcile_service(struct arena *a, struct json *live, const struct json *wanted)
{
    const struct json *ports = json_path(wanted, "spec", "ports", NULL), *now = json_path(live, "spec", "ports", NULL);
    if (json_is(now, JSON_ARRAY) && now->len == 1 &&
        json_get_int(&now->items[0], S("targetPort"), 0) == json_get_int(&ports->items[0], S("targetPort"), 0))
        return false;
    json_set(a, json_ensure_object(a, live, S("spec")), S("ports"), *ports);
    return true;
}

/* Subsets of Endpoints; endpoints and ports of an EndpointSlice: we are where we are now. */
static bool reconcile_endpoints(struct arena *a, struct json *live, const struct json *wanted)
{
    bool changed = take_field(a, live, wanted, S("subsets"));
    changed |= take_field(a, live, wanted, S("endpoints"));
    changed |= take_field(a, live, wanted, S("ports"));
    return changed;
}

static void reserve_address(struct boot *b, str key)
{
    str owner = object_key(&b->arena, object_builtin(S(""), S("services")), S("default"), S("kubernetes"));
    CLEANUP(store_kv_unref) struct store_kv *taken = store_get(b->s->store, key);
    if (!taken)
        vec_push(&b->ops, (struct store_op){.type = STORE_PUT, .key = key, .value = owner, .expect = 0});
}

static int want_service(struct boot *b, struct err *err)
{
    const struct apiserver_opts *o = &b->s->opts;
    uint32_t base, count;
    if (!alloc_parse_cidr(str_of(o->service_cidr), &base, &count))
        return err_set(err, E_INVALID_ARG, "service range \"%s\" is not an IPv4 network such as 10.96.0.0/16",
                       o->service_cidr ? o->service_cidr : "");
    struct in_addr first = {htonl(base + 1)};
    char ip[INET_ADDRSTRLEN];
    inet_ntop(AF_INET, &first, ip, sizeof ip);
    struct json obj = object_parse(
        &b->arena,
        arena_fmt(
            &b->arena,
            "{\"metadata\":{\"name\":\"kubernetes\",\"namespace\":\"default\",\"labels\":{\"component\":\"apiserver\","
            "\"provider\":\"kubernetes\"}},"
            "\"spec\":{\"ports\":[{\"name\":\"https\",\"protocol\":\"TCP\",\"port\":443,\"targetPort\":%u}],\"clusterIP\":\"%s\","
            "\"clusterIPs\":[\"%s\"],"
            "\"type\":\"ClusterIP\",\"sessionAffinity\":\"None\",\"ipFamilies\":[\"IPv4\"],\"ipFamilyPolicy\":\"SingleStack\","
            "\"internalTrafficPolicy\":\"Cluster\"},\"status\":{\"loadBalancer\":{}}}",
            o->advertise_port, ip, ip));
    boot_want(b, S(""), S("services"), &obj, reconcile_service);
    reserve_address(b, arena_fmt(&b->arena, "/a/ip/%s", ip));
    return 0;
}

static void want_endpoints(struct boot *b)
{
    const struct apiserver_opts *o = &b->s->opts;
    const char *host = o->advertise_host ? o->advertise_host : "";
    unsigned char addr[16];
    bool is_v4 = inet_pton(AF_INET, host, addr) == 1, is_v6 = inet_pton(AF_INET6, host, addr) == 1;
    if (!is_v4 && !is_v6) /* a name: endpoints hold addresses only */
        return;
    struct json endpoints = object_parse(
        &b->arena,
        arena_fmt(
            &b->arena,
            "{\"metadata\":{\"name\":\"kubernetes\",\"namespace\":\"default\",\"labels\":{\"endpointslice.kubernetes.io/"
            "skip-mirror\":\"true\"}},"
            "\"subsets\":[{\"addresses\":[{\"ip\":\"%s\"}],\"ports\":[{\"name\":\"https\",\"port\":%u,\"protocol\":\"TCP\"}]}]}",
            host, o->advertise_port));
    struct json slice = object_parse(
        &b->arena, arena_fmt(&b->arena,
                             "{\"metadata\":{\"name\":\"kubernetes\",\"namespace\":\"default\",\"labels\":{\"kubernetes.io/"
                             "service-name\":\"kubernetes\"}},"
                             "\"addressType\":\"%s\",\"endpoints\":[{\"addresses\":[\"%s\"],\"conditions\":{\"ready\":true}}],"
                             "\"ports\":[{\"name\":\"https\",\"port\":%u,\"protocol\":\"TCP\"}]}",
                             is_v4 ? "IPv4" : "IPv6", host, o->advertise_port));
    boot_want(b, S(""), S("endpoints"), &endpoints, reconcile_endpoints);
    boot_want(b, S("discovery.k8s.io"), S("endpointslices"), &slice, reconcile_endpoints);
}

/* --- what a new node needs ------------------------------------------------------------------------ */

static bool reconcile_cluster_info(struct arena *a, struct json *live, const struct json *wanted)
{
    return take_field(a, json_ensure_object(a, live, S("data")), json_get(wanted, S("data")), S("kubeconfig"));
}

/* A kubeconfig without a user: where we are and who signed our certificate.  Everybody may read it; a node that joins checks the
 * authority by its hash. */
static void want_cluster_info(struct boot *b)
{
    const struct apiserver_opts *o = &b->s->opts;
    struct arena *a = &b->arena;
    if (!o->ca_pem || !o->advertise_host)
        return;
    bool is_v6 = strchr(o->advertise_host, ':') != NULL;
    str kubeconfig = arena_fmt(a,
                               "apiVersion: v1\nkind: Config\nclusters:\n- name: \"\"\n  cluster:\n    certificate-authority-data: " STR_FMT
                               "\n    server: https://%s%s%s:%u\ncontexts: []\ncurrent-context: \"\"\npreferences: {}\nusers: []\n",
                               STR_ARG(base64_encode(a, BASE64_STD, str_of(o->ca_pem))), is_v6 ? "[" : "", o->advertise_host, is_v6 ? "]" : "",
                               o->advertise_port);
    struct json obj = json_literal(a, "{\"metadata\":{\"name\":\"cluster-info\",\"namespace\":\"kube-public\"}}");
    json_set(a, json_ensure_object(a, &obj, S("data")), S("kubeconfig"), json_string(kubeconfig));
    boot_want(b, S(""), S("configmaps"), &obj, reconcile_cluster_info);
}

/* Volumes on the disk of the node where the pod is: the controllers make them. */
static void want_storage_class(struct boot *b)
{
    struct json obj = json_literal(&b->arena, "{\"metadata\":{\"name\":\"local-path\",\"annotations\":{\"storageclass.kubernetes.io/is-default-class\":\"true\"}},"
                                              "\"provisioner\":\"coxswain.dev/local-path\",\"reclaimPolicy\":\"Delete\",\"volumeBindingMode\":\"WaitForFirstConsumer\"}");
    boot_want(b, S("storage.k8s.io"), S("storageclasses"), &obj, NULL);
}

/* Work that names no queue goes to the second; nothing is owed to it, and all that is free is shared. */
static void want_queues(struct boot *b)
{
    static const char *const queues[][2] = {{"default-parent-queue", ""}, {"default-queue", "\"parentQueue\":\"default-parent-queue\","}};
    for (size_t i = 0; i < ARRAY_LEN(queues); i++) {
        static const char share[] = "{\"quota\":0,\"overQuotaWeight\":1,\"limit\":-1}";
        struct json obj = object_parse(&b->arena, arena_fmt(&b->arena, "{\"metadata\":{\"name\":\"%s\",\"generation\":1},\"spec\":{%s\"resources\":{\"cpu\":%s,\"gpu\":%s,\"memory\":%s}}}",
                                                            queues[i][0], queues[i][1], share, share, share));
        boot_want(b, S("scheduling.run.ai"), S("queues"), &obj, NULL);
    }
}

/* --- RBAC ---------------------------------------------------------------------------------------- */

static int want_rbac_object(void *arg, str plural, struct json *obj)
{
    boot_want(arg, S(AUTHZ_GROUP), plural, obj, bootstrap_rbac_reconcile);
    return 0;
}

struct aggregate {
    struct boot *boot;
    const struct authz_policy *policy;
};

/* The stored rules of an aggregated role are what clients see; checks do not depend on them. */
static bool want_aggregated(void *arg, struct json *role, const struct store_kv *kv)
{
    struct aggregate *g = arg;
    struct arena *a = &g->boot->arena;
    if (!json_get(role, S("aggregationRule")))
        return true;
    const struct authz_rule_set *rules = authz_policy_role(g->policy, a, S(""), S("ClusterRole"), object_name(role));
    struct json resolved = rules ? authz_rules_json(a, rules) : json_array();
    const struct json *now = json_get(role, S("rules"));
    if (rules && !(now && json_equal(now, &resolved))) {
        json_set(a, role, S("rules"), resolved);
        boot_put(g->boot, object_builtin(S(AUTHZ_GROUP), S("clusterroles")), arena_str(a, store_kv_key(kv)), role, kv->mod_rev);
    }
    return true;
}

static int write_aggregated(struct boot *b, struct err *err)
{
    CLEANUP(authz_policy_unref) struct authz_policy *policy = authz_policy_build(b->s->store, NULL);
    struct aggregate g = {b, policy};
    object_each(b->s->store, &b->arena, object_builtin(S(AUTHZ_GROUP), S("clusterroles")), S(""), want_aggregated, &g);
    return boot_commit(b, err);
}

/* --- all of it ----------------------------------------------------------------------------------- */

static int boot_once(struct boot *b, struct err *err)
{
    want_namespaces(b);
    want_priority_classes(b);
    want_client_ca(b);
    want_endpoints(b);
    want_cluster_info(b);
    want_storage_class(b);
    want_queues(b);
    int r = want_service(b, err);
    if (r == 0)
        r = bootstrap_rbac_each(&b->arena, str_of(bootstrap_policy), want_rbac_object, b);
    if (r == 0)
        r = boot_commit(b, err);
    return r < 0 ? r : write_aggregated(b, err);
}

int apiserver_bootstrap(struct apiserver *s, struct err *err)
{
    int r = -E_CONFLICT;
    /* another server on the same store may be faster with one of the objects: look again */
    for (int i = 0; i < BOOTSTRAP_TRIES && r == -E_CONFLICT; i++) {
        struct boot b = {.s = s};
        r = boot_once(&b, err);
        vec_fini(&b.ops);
        arena_fini(&b.arena);
    }
    return r;
}
