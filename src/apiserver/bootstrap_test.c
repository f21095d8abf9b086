/* SPDX-License-Identifier: Apache-2.0 */
#include "apiserver/authz_policy.h"
#include "apiserver/authz_testing.h"
#include "apiserver/bootstrap_policy.h"

static struct json get(struct testing *t, str group, str plural, str ns, str name)
{
    struct json obj = {0};
    if (!object_get_builtin(t->srv.store, &t->arena, group, plural, ns, name, &obj, NULL))
        T_FAIL_("no " STR_FMT " " STR_FMT, STR_ARG(plural), STR_ARG(name));
    return obj;
}

static size_t count(struct testing *t, str group, str plural)
{
    CLEANUP(store_view_close) struct store_view *view = NULL;
    T_EQ_INT(store_view_open(t->srv.store, 0, &view, NULL), 0);
    str prefix = object_key(&t->arena, object_builtin(group, plural), S(""), S(""));
    return store_view_count(view, prefix, store_prefix_end(&t->arena, prefix));
}

TEST(an_empty_store_gets_everything_once)
{
    struct testing t;
    struct err err;
    testing_init(&t);
    nsec_t start = clock_mono(&clock_real);
    T_NO_ERR(apiserver_bootstrap(&t.srv, &err), &err);
    nsec_t took = clock_mono(&clock_real) - start;
    rev_t rev = store_revision(t.srv.store);
    T_EQ_INT(rev, 3); /* two transactions */
    T_EQ_INT(count(&t, S(""), S("namespaces")), 4);
    T_EQ_INT(count(&t, RBAC, S("clusterroles")), 71);
    T_EQ_INT(count(&t, RBAC, S("clusterrolebindings")), 52);
    T_EQ_INT(count(&t, RBAC, S("roles")), 9);
    T_EQ_INT(count(&t, RBAC, S("rolebindings")), 9);
    start = clock_mono(&clock_real);
    T_NO_ERR(apiserver_bootstrap(&t.srv, &err), &err);
    T_EQ_INT(store_revision(t.srv.store), rev);
    printf("# first %lld us, second %lld us\n", (long long)took / 1000, (long long)(clock_mono(&clock_real) - start) / 1000);
    testing_fini(&t);
}

TEST(objects_are_as_kubernetes_makes_them)
{
    struct testing t;
    struct err err;
    testing_init(&t);
    T_NO_ERR(apiserver_bootstrap(&t.srv, &err), &err);
    struct arena *a = &t.arena;
    struct json ns = get(&t, S(""), S("namespaces"), S(""), S("kube-system"));
    T_EQ_INT(object_uid(&ns).len, 36);
    T_EQ_STR(json_get_str(object_meta(&ns), S("creationTimestamp")), "2027-01-15T08:00:00Z");
    T_EQ_STR(json_text(a, json_get(&ns, S("spec"))), "{\"finalizers\":[\"kubernetes\"]}");
    T_EQ_STR(json_text(a, json_get(&ns, S("status"))), "{\"phase\":\"Active\"}");
    struct json svc = get(&t, S(""), S("services"), S("default"), S("kubernetes"));
    T_EQ_STR(json_get_str(json_get(&svc, S("spec")), S("clusterIP")), "10.96.0.1");
    CLEANUP(store_kv_unref) struct store_kv *ip = store_get(t.srv.store, S("/a/ip/10.96.0.1"));
    T_OK(ip && str_is(store_kv_value(ip), "/r/core/services/default/kubernetes"));
    struct json slice = get(&t, S("discovery.k8s.io"), S("endpointslices"), S("default"), S("kubernetes"));
    T_EQ_STR(json_text(a, json_get(&json_get(&slice, S("endpoints"))->items[0], S("addresses"))), "[\"10.0.0.1\"]");
    struct json cm = get(&t, S(""), S("configmaps"), S("kube-system"), S("extension-apiserver-authentication"));
    T_EQ_STR(json_get_str(json_get(&cm, S("data")), S("client-ca-file")), "CA");
    struct json view = get(&t, RBAC, S("clusterroles"), S(""), S("view")),
                admin = get(&t, RBAC, S("clusterroles"), S(""), S("admin"));
    T_EQ_STR(json_text(a, json_get(object_meta(&view), S("labels"))),
             "{\"kubernetes.io/bootstrapping\":\"rbac-defaults\",\"rbac.authorization.k8s.io/aggregate-to-edit\":\"true\"}");
    T_EQ_INT(json_get(&view, S("rules"))->len, 13 + 5);
    T_EQ_INT(json_get(&admin, S("rules"))->len, 2 + 13 + 3 + 13 + 5); /* its own, edit's, view's */
    struct json binding = get(&t, RBAC, S("clusterrolebindings"), S(""), S("system:controller:job-controller"));
    T_EQ_STR(json_text(a, json_get(&binding, S("subjects"))),
             "[{\"kind\":\"ServiceAccount\",\"name\":\"job-controller\",\"namespace\":\"kube-system\"}]");
    T_EQ_STR(
        json_text(a, json_get(&binding, S("roleRef"))),
        "{\"apiGroup\":\"rbac.authorization.k8s.io\",\"kind\":\"ClusterRole\",\"name\":\"system:controller:job-controller\"}");
    testing_fini(&t);
}

TEST(the_policy_lets_in_whom_it_should)
{
    static const struct {
        const char *user, *group, *verb, *res_group, *resource, *ns, *name, *path;
        bool allowed;
    } cases[] = {
        {"u", "system:authenticated", "get", NULL, NULL, "", "", "/apis/apps/v1", true},
        {"u", "system:authenticated", "create", "authorization.k8s.io", "selfsubjectaccessreviews", "", "", "", true},
        {"u", "system:authenticated", "get", "", "pods", "default", "x", "", false},
        {"u", "system:unauthenticated", "get", NULL, NULL, "", "", "/version", true},
        {"u", "system:unauthenticated", "get", NULL, NULL, "", "", "/api", false},
        {"system:kube-scheduler", "", "create", "coordination.k8s.io", "leases", "kube-system", "", "", true},
        {"system:kube-scheduler", "", "update", "coordination.k8s.io", "leases", "kube-system", "kube-scheduler", "", true},
        {"system:kube-scheduler", "", "update", "coordination.k8s.io", "leases", "default", "other", "", false},
        {"system:serviceaccount:kube-system:job-controller", "", "create", "", "pods", "any", "", "", true},
        {"system:serviceaccount:default:job-controller", "", "create", "", "pods", "any", "", "", false},
        {"n", "system:nodes", "get", "", "secrets", "any", "x", "", false},
    };
    struct testing t;
    struct err err;
    testing_init(&t);
    T_NO_ERR(apiserver_bootstrap(&t.srv, &err), &err);
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        str group = str_of(cases[i].group);
        struct api_user u = {.name = str_of(cases[i].user), .groups = &group, .ngroups = 1};
        struct authz_attrs at = {.user = &u,
                                 .is_resource = cases[i].resource != NULL,
                                 .verb = str_of(cases[i].verb),
                                 .group = str_of(cases[i].res_group),
                                 .resource = str_of(cases[i].resource),
                                 .ns = str_of(cases[i].ns),
                                 .name = str_of(cases[i].name),
                                 .path = str_of(cases[i].path)};
        if (authz_check(t.srv.authz, &t.arena, &at, NULL) != cases[i].allowed)
            T_FAIL_("case %zu", i);
    }
    testing_fini(&t);
}

TEST(a_restart_adds_what_is_missing_and_keeps_the_rest)
{
    struct testing t;
    struct err err;
    testing_init(&t);
    T_NO_ERR(apiserver_bootstrap(&t.srv, &err), &err);
    testing_put(&t, RBAC, S("clusterroles"),
                "{'metadata':{'name':'system:kube-dns'},'rules':[{'verbs':['get'],'apiGroups':['own'],'resources':['own']}]}");
    testing_put(
        &t, RBAC, S("clusterroles"),
        "{'metadata':{'name':'system:node','annotations':{'rbac.authorization.kubernetes.io/autoupdate':'false'}},'rules':[]}");
    testing_put(&t, RBAC, S("clusterroles"),
                "{'metadata':{'name':'mine','labels':{'rbac.authorization.k8s.io/aggregate-to-view':'true'}},"
                "'rules':[{'verbs':['get'],'apiGroups':['mine.io'],'resources':['things']}]}");
    testing_put(&t, RBAC, S("clusterrolebindings"),
                "{'metadata':{'name':'system:discovery'},'roleRef':{'kind':'ClusterRole','name':'system:discovery'},"
                "'subjects':[{'kind':'User','name':'own'}]}");
    testing_delete(&t, S(""), S("namespaces"), S(""), S("kube-public"));
    t.srv.opts.advertise_host = "10.0.0.2";
    t.srv.opts.advertise_port = 7443;
    T_NO_ERR(apiserver_bootstrap(&t.srv, &err), &err);
    struct json dns = get(&t, RBAC, S("clusterroles"), S(""), S("system:kube-dns")),
                node = get(&t, RBAC, S("clusterroles"), S(""), S("system:node"));
    T_EQ_STR(json_text(&t.arena, json_get(&dns, S("rules"))),
             "[{\"verbs\":[\"get\"],\"apiGroups\":[\"own\"],\"resources\":[\"own\"]},"
             "{\"verbs\":[\"list\",\"watch\"],\"apiGroups\":[\"\"],\"resources\":[\"endpoints\",\"services\"]}]");
    T_EQ_STR(json_get_str(json_get(object_meta(&dns), S("labels")), S("kubernetes.io/bootstrapping")), "rbac-defaults");
    T_EQ_INT(json_get(&node, S("rules"))->len, 0);
    struct json view = get(&t, RBAC, S("clusterroles"), S(""), S("view")),
                discovery = get(&t, RBAC, S("clusterrolebindings"), S(""), S("system:discovery"));
    T_EQ_INT(json_get(&view, S("rules"))->len, 14 + 5);
    T_EQ_INT(json_get(&discovery, S("subjects"))->len, 2);
    struct json endpoints = get(&t, S(""), S("endpoints"), S("default"), S("kubernetes")),
                svc = get(&t, S(""), S("services"), S("default"), S("kubernetes"));
    T_EQ_STR(json_text(&t.arena, json_get(&endpoints, S("subsets"))),
             "[{\"addresses\":[{\"ip\":\"10.0.0.2\"}],\"ports\":[{\"name\":\"https\",\"port\":7443,\"protocol\":\"TCP\"}]}]");
    T_EQ_INT(json_get_int(&json_path(&svc, "spec", "ports", NULL)->items[0], S("targetPort"), 0), 7443);
    get(&t, S(""), S("namespaces"), S(""), S("kube-public"));
    rev_t rev = store_revision(t.srv.store);
    T_NO_ERR(apiserver_bootstrap(&t.srv, &err), &err);
    T_EQ_INT(store_revision(t.srv.store), rev);
    testing_fini(&t);
}

TEST(bad_options_are_named)
{
    struct testing t;
    struct err err;
    testing_init(&t);
    t.srv.opts.service_cidr = "nonsense";
    T_ERR(apiserver_bootstrap(&t.srv, &err), E_INVALID_ARG);
    T_OK(str_find(str_of(err.msg), S("nonsense")) > 0);
    testing_fini(&t);
}

TEST_MAIN(an_empty_store_gets_everything_once, objects_are_as_kubernetes_makes_them, the_policy_lets_in_whom_it_should,
          a_restart_adds_what_is_missing_and_keeps_the_rest, bad_options_are_named)
