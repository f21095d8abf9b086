/* SPDX-License-Identifier: Apache-2.0 */
#include "apiserver/node_authz.h"

#include <pthread.h>
#include <sched.h>

#include "apiserver/authz_testing.h"
#include "apiserver/node_index.h"

#define POD(ns, name, node, rest) "{'metadata':{'name':'" name "','namespace':'" ns "','uid':'u'},'spec':{'nodeName':'" node "'" rest "}}"
#define SECRET_VOLUME(name) ",'volumes':[{'name':'v','secret':{'secretName':'" name "'}}]"

static bool has(struct node_index *x, const char *node, enum node_ref kind, const char *ns, const char *name)
{
    return node_index_has(x, str_of(node), kind, str_of(ns), str_of(name));
}

TEST(every_way_to_refer_is_seen)
{
    struct testing t;
    testing_init(&t);
    struct node_index *x = node_index_new(t.srv.store);
    testing_put(&t, S(""), S("pods"),
                POD("a", "p", "n1",
                    ",'serviceAccountName':'sa','imagePullSecrets':[{'name':'pull'}],'volumes':[{'name':'v1','secret':{'secretName':'s1'}},{'name':'v2','configMap':{'name':'c1'}},"
                    "{'name':'v3','projected':{'sources':[{'secret':{'name':'s2'}},{'configMap':{'name':'c2'}}]}},{'name':'v4','persistentVolumeClaim':{'claimName':'claim'}},"
                    "{'name':'v5','ephemeral':{'volumeClaimTemplate':{}}},{'name':'v6','csi':{'nodePublishSecretRef':{'name':'s3'}}},{'name':'v7','rbd':{'secretRef':{'name':'s4'}}}],"
                    "'initContainers':[{'envFrom':[{'secretRef':{'name':'s5'}},{'configMapRef':{'name':'c3'}}]}],"
                    "'containers':[{'env':[{'name':'s9','valueFrom':{'secretKeyRef':{'name':'s6','key':'s8'}}},{'valueFrom':{'configMapKeyRef':{'name':'c4'}}}]}],"
                    "'ephemeralContainers':[{'envFrom':[{'secretRef':{'name':'s7'}}]}]"));
    static const char *const secrets[] = {"pull", "s1", "s2", "s3", "s4", "s5", "s6", "s7"}, *const configs[] = {"c1", "c2", "c3", "c4"};
    for (size_t i = 0; i < ARRAY_LEN(secrets); i++)
        if (!has(x, "n1", NODE_REF_SECRET, "a", secrets[i]))
            T_FAIL_("secret %s", secrets[i]);
    for (size_t i = 0; i < ARRAY_LEN(configs); i++)
        if (!has(x, "n1", NODE_REF_CONFIG, "a", configs[i]))
            T_FAIL_("config %s", configs[i]);
    T_OK(has(x, "n1", NODE_REF_CLAIM, "a", "claim") && has(x, "n1", NODE_REF_CLAIM, "a", "p-v5") && has(x, "n1", NODE_REF_ACCOUNT, "a", "sa"));
    T_OK(!has(x, "n1", NODE_REF_SECRET, "a", "s8") && !has(x, "n1", NODE_REF_SECRET, "a", "s9"));
    T_OK(!has(x, "n2", NODE_REF_SECRET, "a", "s1") && !has(x, "n1", NODE_REF_SECRET, "b", "s1") && !has(x, "n1", NODE_REF_CONFIG, "a", "s1"));
    node_index_free(x);
    testing_fini(&t);
}

TEST(pods_come_and_go)
{
    struct testing t;
    testing_init(&t);
    struct node_index *x = node_index_new(t.srv.store);
    testing_put(&t, S(""), S("pods"), "{'metadata':{'name':'p','namespace':'a'},'spec':{'volumes':[{'secret':{'secretName':'s'}}]}}");
    T_OK(!has(x, "n1", NODE_REF_SECRET, "a", "s")); /* not bound */
    testing_put(&t, S(""), S("pods"), POD("a", "p", "n1", SECRET_VOLUME("s")));
    T_OK(has(x, "n1", NODE_REF_SECRET, "a", "s"));
    testing_put(&t, S(""), S("pods"), POD("a", "q", "n1", SECRET_VOLUME("s")));
    testing_put(&t, S(""), S("pods"), POD("a", "p", "n1", SECRET_VOLUME("s"))); /* a status counts nothing twice */
    testing_delete(&t, S(""), S("pods"), S("a"), S("p"));
    T_OK(has(x, "n1", NODE_REF_SECRET, "a", "s"));
    testing_delete(&t, S(""), S("pods"), S("a"), S("q"));
    T_OK(!has(x, "n1", NODE_REF_SECRET, "a", "s"));
    T_EQ_INT(node_index_len(x), 0);
    /* a debug container brings what it needs */
    testing_put(&t, S(""), S("pods"), POD("a", "d", "n1", SECRET_VOLUME("s")));
    T_OK(!has(x, "n1", NODE_REF_SECRET, "a", "debug"));
    testing_put(&t, S(""), S("pods"), POD("a", "d", "n1", SECRET_VOLUME("s") ",'ephemeralContainers':[{'envFrom':[{'secretRef':{'name':'debug'}}]}]"));
    T_OK(has(x, "n1", NODE_REF_SECRET, "a", "debug") && has(x, "n1", NODE_REF_SECRET, "a", "s"));
    testing_delete(&t, S(""), S("pods"), S("a"), S("d"));
    T_EQ_INT(node_index_len(x), 0);
    node_index_free(x);
    testing_fini(&t);
}

/* Who is woken before the index is, and asks at once, as a node that has just heard of its pod. */
struct early {
    struct node_index *x;
    atomic_int asked, found;
};

static void ask_early(void *arg)
{
    struct early *e = arg;
    atomic_fetch_add(&e->asked, 1);
    atomic_fetch_add(&e->found, has(e->x, "n1", NODE_REF_CONFIG, "a", "c"));
}

static struct store_watch *arm(struct store *store, struct early *e)
{
    struct store_watch *w;
    struct store_event event;
    rev_t rev;
    T_EQ_INT(store_watch_open(store, S(""), store_revision(store), ask_early, e, &w, NULL), 0);
    T_EQ_INT(store_watch_next(w, &event, 1, &rev), 0);
    return w;
}

TEST(what_was_written_is_known_to_who_hears_of_it_first)
{
    struct testing t;
    testing_init(&t);
    struct early e = {.x = node_index_new(t.srv.store)};
    struct store_watch *before = arm(t.srv.store, &e);
    T_OK(!has(e.x, "n1", NODE_REF_CONFIG, "a", "c"));
    struct store_watch *after = arm(t.srv.store, &e);
    testing_put(&t, S(""), S("pods"), POD("a", "p", "n1", ",'volumes':[{'name':'v','configMap':{'name':'c'}}]"));
    T_OK(has(e.x, "n1", NODE_REF_CONFIG, "a", "c"));
    store_watch_close(before);
    store_watch_close(after);
    T_EQ_INT(atomic_load(&e.asked), 2);
    T_EQ_INT(atomic_load(&e.found), 2);
    node_index_free(e.x);
    testing_fini(&t);
}

TEST(many_agree_with_a_naive_count)
{
    struct testing t;
    struct rng rng;
    bool there[40] = {false};
    testing_init(&t);
    rng_seed(&rng, 7);
    struct node_index *x = node_index_new(t.srv.store);
    for (int step = 0; step < 400; step++) {
        unsigned i = (unsigned)rng_below(&rng, ARRAY_LEN(there));
        char text[300];
        snprintf(text, sizeof text, "{'metadata':{'name':'p%u','namespace':'a'},'spec':{'nodeName':'n%u','volumes':[{'secret':{'secretName':'s%u'}}]}}", i, i % 5, i % 7);
        str name = arena_fmt(&t.arena, "p%u", i);
        if (there[i])
            testing_delete(&t, S(""), S("pods"), S("a"), name);
        else
            testing_put(&t, S(""), S("pods"), text);
        there[i] = !there[i];
        if (step % 5)
            continue;
        for (unsigned node = 0; node < 5; node++)
            for (unsigned s = 0; s < 7; s++) {
                bool want = false;
                for (unsigned k = 0; k < ARRAY_LEN(there); k++)
                    want |= there[k] && k % 5 == node && k % 7 == s;
                if (node_index_has(x, arena_fmt(&t.arena, "n%u", node), NODE_REF_SECRET, S("a"), arena_fmt(&t.arena, "s%u", s)) != want)
                    T_FAIL_("step %d, node %u, secret %u: %d expected", step, node, s, want);
            }
    }
    node_index_free(x);
    testing_fini(&t);
}

/* A store that forgets quickly, and somebody who writes all the time: the index is right when he stops. */
#define MANY 3000
struct writer {
    struct store *store;
    atomic_bool stop;
    _Atomic unsigned written;
};

static void write_pod(struct store *s, const char *name, unsigned secret)
{
    ARENA_AUTO a = ARENA_INIT;
    struct store_op op = {.type = STORE_PUT, .key = arena_fmt(&a, OBJECT_ROOT "core/pods/a/%s", name), .expect = STORE_ANY_REV};
    op.value = arena_fmt(&a, "{\"metadata\":{\"name\":\"%s\",\"namespace\":\"a\"},\"spec\":{\"nodeName\":\"n1\",\"volumes\":[{\"secret\":{\"secretName\":\"s%u\"}}]}}", name, secret);
    struct store_txn txn = {.ops = &op, .nops = 1};
    T_EQ_INT(store_commit(s, &txn), 0);
    store_kv_unref(op.kv);
}

static void *write_on(void *arg)
{
    struct writer *w = arg;
    for (unsigned i = 0; !atomic_load(&w->stop); i++) {
        char name[16];
        snprintf(name, sizeof name, "w%u", i % 500);
        write_pod(w->store, name, i % 500);
        atomic_store(&w->written, i + 1);
    }
    return NULL;
}

TEST(a_window_that_passes_is_no_end)
{
    struct err err;
    struct writer w = {0};
    pthread_t thread;
    T_NO_ERR(store_embedded_open(T_TMPDIR(), &(struct store_embedded_opts){.no_fsync = true, .history_events = 16}, &w.store, &err), &err);
    for (unsigned i = 0; i < MANY; i++) {
        char name[16];
        snprintf(name, sizeof name, "p%u", i);
        write_pod(w.store, name, i);
    }
    struct node_index *x = node_index_new(w.store);
    T_EQ_INT(pthread_create(&thread, NULL, write_on, &w), 0);
    for (unsigned i = 1; i <= 20; i++) {
        while (atomic_load(&w.written) < i * 100)
            sched_yield();
        (void)has(x, "n1", NODE_REF_SECRET, "a", "s1");
    }
    atomic_store(&w.stop, true);
    pthread_join(thread, NULL);
    write_pod(w.store, "late", 1000000);
    T_OK(has(x, "n1", NODE_REF_SECRET, "a", "s1000000"));
    T_OK(has(x, "n1", NODE_REF_SECRET, "a", "s0") && has(x, "n1", NODE_REF_SECRET, "a", "s2999"));
    T_EQ_INT(node_index_len(x), MANY + 2); /* with the namespace */
    node_index_free(x);
    store_close(w.store);
}

TEST(the_table_allows_what_agents_need)
{
    static const struct {
        const char *verb, *group, *resource, *sub, *ns, *name, *field, *label;
        bool allowed;
    } cases[] = {
        {"list", "", "services", "", "", "", "", "", true},
        {"get", "", "nodes", "", "", "n2", "", "", true},
        {"create", "", "nodes", "", "", "", "", "", true},
        {"patch", "", "nodes", "", "", "n1", "", "", true},
        {"patch", "", "nodes", "", "", "n2", "", "", false},
        {"patch", "", "nodes", "status", "", "n1", "", "", true},
        {"patch", "", "nodes", "status", "", "n2", "", "", false},
        {"delete", "", "nodes", "", "", "n1", "", "", false},
        {"list", "", "pods", "", "", "", "n1", "", true},
        {"watch", "", "pods", "", "", "", "n1", "", true},
        {"list", "", "pods", "", "", "", "", "", false},
        {"list", "", "pods", "", "", "", "n2", "", false},
        {"get", "", "pods", "", "a", "mine", "", "", true},
        {"get", "", "pods", "", "a", "other", "", "", false},
        {"get", "", "pods", "", "a", "absent", "", "", true},
        {"delete", "", "pods", "", "a", "mine", "", "", true},
        {"delete", "", "pods", "", "a", "other", "", "", false},
        {"deletecollection", "", "pods", "", "a", "", "", "", false},
        {"patch", "", "pods", "status", "a", "mine", "", "", true},
        {"patch", "", "pods", "status", "a", "other", "", "", false},
        {"update", "", "pods", "", "a", "mine", "", "", false},
        {"create", "", "pods", "eviction", "a", "mine", "", "", true},
        {"create", "", "pods", "exec", "a", "mine", "", "", false},
        {"get", "", "secrets", "", "a", "s1", "", "", true},
        {"watch", "", "secrets", "", "a", "s1", "", "", true},
        {"list", "", "secrets", "", "a", "", "", "", false},
        {"get", "", "secrets", "", "a", "s2", "", "", false},
        {"update", "", "secrets", "", "a", "s1", "", "", false},
        {"get", "", "persistentvolumeclaims", "", "a", "c1", "", "", true},
        {"get", "", "persistentvolumeclaims", "", "a", "c2", "", "", false},
        {"get", "", "persistentvolumes", "", "", "pv1", "", "", true},
        {"get", "", "persistentvolumes", "", "", "pv2", "", "", false},
        {"get", "", "persistentvolumes", "", "", "local", "", "", true},
        {"patch", "", "persistentvolumes", "", "", "local", "", "", true},
        {"patch", "", "persistentvolumes", "", "", "pv1", "", "", false},
        {"list", "", "persistentvolumes", "", "", "", "", "n1", true},
        {"list", "", "persistentvolumes", "", "", "", "", "n2", false},
        {"create", "", "serviceaccounts", "token", "a", "sa", "", "", true},
        {"create", "", "serviceaccounts", "token", "b", "sa", "", "", false},
        {"update", "coordination.k8s.io", "leases", "", "kube-node-lease", "n1", "", "", true},
        {"update", "coordination.k8s.io", "leases", "", "kube-node-lease", "n2", "", "", false},
        {"update", "coordination.k8s.io", "leases", "", "kube-system", "n1", "", "", false},
        {"create", "coordination.k8s.io", "leases", "", "kube-node-lease", "", "", "", true},
        {"create", "certificates.k8s.io", "certificatesigningrequests", "", "", "", "", "", true},
        {"update", "certificates.k8s.io", "certificatesigningrequests", "approval", "", "x", "", "", false},
        {"update", "metrics.k8s.io", "nodes", "", "", "n1", "", "", true},
        {"update", "metrics.k8s.io", "nodes", "", "", "n2", "", "", false},
        {"create", "", "events", "", "a", "", "", "", true},
        {"list", "", "events", "", "a", "", "", "", false},
        {"get", "apps", "deployments", "", "a", "x", "", "", false},
    };
    struct testing t;
    testing_init(&t);
    testing_put(&t, S(""), S("pods"), POD("a", "mine", "n1", ",'serviceAccountName':'sa','volumes':[{'secret':{'secretName':'s1'}},{'persistentVolumeClaim':{'claimName':'c1'}}]"));
    testing_put(&t, S(""), S("pods"), POD("a", "other", "n2", SECRET_VOLUME("s2")));
    testing_put(&t, S(""), S("persistentvolumes"), "{'metadata':{'name':'pv1'},'spec':{'claimRef':{'namespace':'a','name':'c1'}}}");
    testing_put(&t, S(""), S("persistentvolumes"), "{'metadata':{'name':'pv2'},'spec':{'claimRef':{'namespace':'a','name':'c2'}}}");
    testing_put(&t, S(""), S("persistentvolumes"), "{'metadata':{'name':'local','labels':{'coxswain.dev/node':'n1'}},'spec':{}}");
    str groups[] = {S("system:nodes"), S("system:authenticated")};
    struct api_user node = {.name = S("system:node:n1"), .groups = groups, .ngroups = 2}, impostor = {.name = S("system:node:n1"), .groups = groups + 1, .ngroups = 1};
    T_EQ_STR(node_authz_name(&node), "n1");
    T_EQ_STR(node_authz_name(&impostor), "");
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct authz_attrs at = {.user = &node, .is_resource = true, .verb = str_of(cases[i].verb), .group = str_of(cases[i].group), .version = S("v1"), .resource = str_of(cases[i].resource),
                                 .subresource = str_of(cases[i].sub), .ns = str_of(cases[i].ns), .name = str_of(cases[i].name), .field_node = str_of(cases[i].field),
                                 .label_node = str_of(cases[i].label)};
        if (authz_check(t.srv.authz, &t.arena, &at, NULL) != cases[i].allowed)
            T_FAIL_("case %zu: %s %s/%s %s", i, cases[i].verb, cases[i].resource, cases[i].sub, cases[i].name);
        at.user = &impostor;
        if (authz_check(t.srv.authz, &t.arena, &at, NULL))
            T_FAIL_("case %zu: without the group", i);
    }
    testing_fini(&t);
}

TEST_MAIN(every_way_to_refer_is_seen, pods_come_and_go, what_was_written_is_known_to_who_hears_of_it_first, many_agree_with_a_naive_count, a_window_that_passes_is_no_end, the_table_allows_what_agents_need)
