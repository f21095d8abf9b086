/* SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>

#include "apiserver/authz_testing.h"

/* Space-separated groups. */
static struct api_user user_of(struct arena *a, const char *name, const char *groups)
{
    str rest = str_of(groups), *list = arena_array(a, 16, str);
    struct api_user u = {.name = str_of(name), .groups = list};
    while (rest.len)
        str_cut(&rest, ' ', &list[u.ngroups++]);
    return u;
}

/* "verb group/resource[/sub] [ns] [name]" or "verb /path"; "-" for an empty word. */
static struct authz_attrs attrs_of(const struct api_user *u, const char *text)
{
    struct authz_attrs at = {.user = u, .version = S("v1")};
    str rest = str_of(text), what, ns, name;
    str_cut(&rest, ' ', &at.verb);
    str_cut(&rest, ' ', &what);
    str_cut(&rest, ' ', &ns);
    str_cut(&rest, ' ', &name);
    if (what.p[0] == '/') {
        at.path = what;
        return at;
    }
    at.is_resource = true;
    str_cut(&what, '/', &at.group);
    at.group = str_is(at.group, "-") ? S("") : at.group;
    str_cut(&what, '/', &at.resource);
    at.subresource = what;
    at.ns = str_is(ns, "-") ? S("") : ns;
    at.name = name;
    return at;
}

static void put_policy(struct testing *t)
{
    static const struct {
        const char *plural, *text;
    } objects[] = {
        {"clusterroles",
         "{'metadata':{'name':'reader'},'rules':[{'verbs':['get','list'],'apiGroups':[''],'resources':['pods','pods/log']}]}"},
        {"clusterroles", "{'metadata':{'name':'scaler'},'rules':[{'verbs':['*'],'apiGroups':['*'],'resources':['*/scale']}]}"},
        {"clusterroles",
         "{'metadata':{'name':'named'},'rules':[{'verbs':['get','update'],'apiGroups':[''],'resources':['configmaps'],'resourceNames':['a','b']}]}"},
        {"clusterroles", "{'metadata':{'name':'urls'},'rules':[{'verbs':['get'],'nonResourceURLs':['/healthz','/logs/*']}]}"},
        {"clusterroles",
         "{'metadata':{'name':'all'},'rules':[{'verbs':['*'],'apiGroups':['*'],'resources':['*']},{'verbs':['*'],'nonResourceURLs':['*']}]}"},
        {"clusterroles",
         "{'metadata':{'name':'agg'},'aggregationRule':{'clusterRoleSelectors':[{'matchLabels':{'to':'agg'}}]},'rules':[]}"},
        {"clusterroles",
         "{'metadata':{'name':'agg2','labels':{'to':'agg'}},'aggregationRule':{'clusterRoleSelectors':[{'matchExpressions':[{'key':'to','operator':'In',"
         "'values':['agg','agg2']}]}]},'rules':[]}"},
        {"clusterroles",
         "{'metadata':{'name':'part1','labels':{'to':'agg'}},'rules':[{'verbs':['get'],'apiGroups':['apps'],'resources':['deployments']}]}"},
        {"clusterroles",
         "{'metadata':{'name':'part2','labels':{'to':'agg2'}},'rules':[{'verbs':['get'],'apiGroups':['batch'],'resources':['jobs']}]}"},
        {"roles",
         "{'metadata':{'name':'writer','namespace':'dev'},'rules':[{'verbs':['create'],'apiGroups':['apps'],'resources':['deployments']}]}"},
        {"clusterrolebindings",
         "{'metadata':{'name':'b1'},'roleRef':{'kind':'ClusterRole','name':'reader'},'subjects':[{'kind':'User','name':'alice'}]}"},
        {"clusterrolebindings",
         "{'metadata':{'name':'b2'},'roleRef':{'kind':'ClusterRole','name':'scaler'},'subjects':[{'kind':'Group','name':'scalers'}]}"},
        {"clusterrolebindings",
         "{'metadata':{'name':'b3'},'roleRef':{'kind':'ClusterRole','name':'named'},'subjects':[{'kind':'ServiceAccount','name':'bot','namespace':'ci'}]}"},
        {"clusterrolebindings",
         "{'metadata':{'name':'b4'},'roleRef':{'kind':'ClusterRole','name':'urls'},'subjects':[{'kind':'Group','name':'system:unauthenticated'}]}"},
        {"clusterrolebindings",
         "{'metadata':{'name':'b5'},'roleRef':{'kind':'ClusterRole','name':'agg'},'subjects':[{'kind':'User','name':'gus'}]}"},
        {"clusterrolebindings",
         "{'metadata':{'name':'b6'},'roleRef':{'kind':'ClusterRole','name':'nope'},'subjects':[{'kind':'User','name':'lost'},{'kind':'Robot','name':'x'}]}"},
        {"clusterrolebindings",
         "{'metadata':{'name':'b7'},'roleRef':{'kind':'ClusterRole','name':'all'},'subjects':[{'kind':'User','name':'root'}]}"},
        {"rolebindings",
         "{'metadata':{'name':'rb1','namespace':'dev'},'roleRef':{'kind':'Role','name':'writer'},'subjects':[{'kind':'User','name':'alice'},"
         "{'kind':'ServiceAccount','name':'builder'}]}"},
        {"rolebindings",
         "{'metadata':{'name':'rb2','namespace':'prod'},'roleRef':{'kind':'ClusterRole','name':'reader'},'subjects':[{'kind':'Group','name':'ops'}]}"},
    };
    for (size_t i = 0; i < ARRAY_LEN(objects); i++)
        testing_put(t, RBAC, str_of(objects[i].plural), objects[i].text);
}

TEST(checks_follow_rbac)
{
    static const struct {
        const char *user, *groups, *ask;
        bool allowed;
    } cases[] = {
        {"alice", "", "get -/pods default x", true},
        {"alice", "", "get -/pods", true},
        {"alice", "", "delete -/pods default x", false},
        {"alice", "", "get -/pods/log default x", true},
        {"alice", "", "get -/pods/exec default x", false},
        {"alice", "", "get apps/pods default x", false},
        {"bob", "", "get -/pods default x", false},
        {"bob", "alice", "get -/pods default x", false}, /* a group is no user */
        {"bob", "scalers", "update apps/deployments/scale any x", true},
        {"bob", "scalers", "update apps/deployments any x", false},
        {"bob", "scalers", "update -/replicationcontrollers/scale any x", true},
        {"system:serviceaccount:ci:bot", "", "get -/configmaps any a", true},
        {"system:serviceaccount:ci:bot", "", "update -/configmaps any b", true},
        {"system:serviceaccount:ci:bot", "", "get -/configmaps any c", false},
        {"system:serviceaccount:ci:bot", "", "get -/configmaps any", false}, /* no name: no list by name */
        {"system:serviceaccount:dev:bot", "", "get -/configmaps any a", false},
        {"system:anonymous", "system:unauthenticated", "get /healthz", true},
        {"system:anonymous", "system:unauthenticated", "get /healthz/ping", false},
        {"system:anonymous", "system:unauthenticated", "get /logs/a/b", true},
        {"system:anonymous", "system:unauthenticated", "post /healthz", false},
        {"system:anonymous", "system:unauthenticated", "get /version", false},
        {"alice", "", "create apps/deployments dev", true},
        {"alice", "", "create apps/deployments prod", false},
        {"alice", "", "create apps/deployments", false}, /* a Role does not reach the cluster scope */
        {"system:serviceaccount:dev:builder", "", "create apps/deployments dev", true},
        {"system:serviceaccount:prod:builder", "", "create apps/deployments dev", false},
        {"carl", "ops", "get -/pods prod x", true},
        {"carl", "ops", "get -/pods dev x", false},
        {"carl", "ops", "get -/pods", false},
        {"gus", "", "get apps/deployments any x", true},
        {"gus", "", "get batch/jobs any x", true}, /* through agg2, and the cycle agg -> agg2 -> agg ends */
        {"gus", "", "get -/pods any x", false},
        {"lost", "", "get -/pods any x", false},
        {"x", "", "get -/pods any x", false},
        {"root", "", "deletecollection any.group/things/sub any x", true},
        {"root", "", "get /metrics", true},
        {"nobody", "system:masters", "impersonate -/users - x", true},
    };
    struct testing t;
    testing_init(&t);
    put_policy(&t);
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct api_user u = user_of(&t.arena, cases[i].user, cases[i].groups);
        struct authz_attrs at = attrs_of(&u, cases[i].ask);
        if (authz_check(t.srv.authz, &t.arena, &at, NULL) != cases[i].allowed)
            T_FAIL_("%s (%s) %s: expected %d", cases[i].user, cases[i].groups, cases[i].ask, cases[i].allowed);
    }
    testing_fini(&t);
}

TEST(reasons_name_the_binding)
{
    struct testing t;
    testing_init(&t);
    put_policy(&t);
    static const struct {
        const char *user, *groups, *ask, *reason;
    } cases[] = {
        {"alice", "", "get -/pods", "RBAC: allowed by ClusterRoleBinding \"b1\" of ClusterRole \"reader\" to User \"alice\""},
        {"c", "ops", "get -/pods prod", "RBAC: allowed by RoleBinding \"rb2/prod\" of ClusterRole \"reader\" to Group \"ops\""},
        {"system:serviceaccount:dev:builder", "", "create apps/deployments dev",
         "RBAC: allowed by RoleBinding \"rb1/dev\" of Role \"writer\" to ServiceAccount \"builder/dev\""},
        {"lost", "", "get -/pods", "RBAC: clusterrole.rbac.authorization.k8s.io \"nope\" not found"},
        {"bob", "", "get -/pods", ""},
        {"bob", "system:masters", "get -/pods", ""},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct api_user u = user_of(&t.arena, cases[i].user, cases[i].groups);
        struct authz_attrs at = attrs_of(&u, cases[i].ask);
        str reason;
        authz_check(t.srv.authz, &t.arena, &at, &reason);
        T_EQ_STR(reason, cases[i].reason);
    }
    struct api_user u = user_of(&t.arena, "bob", "");
    struct authz_attrs at = attrs_of(&u, "get apps/deployments/scale dev x");
    T_EQ_STR(
        authz_forbidden_message(&t.arena, &at, S("")),
        "deployments.apps \"x\" is forbidden: User \"bob\" cannot get resource \"deployments/scale\" in API group \"apps\" in the namespace \"dev\"");
    at = attrs_of(&u, "get /metrics");
    T_EQ_STR(authz_forbidden_message(&t.arena, &at, S("why")), "forbidden: User \"bob\" cannot get path \"/metrics\": why");
    testing_fini(&t);
}

TEST(changes_are_seen_at_once)
{
    struct testing t;
    testing_init(&t);
    struct api_user u = user_of(&t.arena, "zoe", "");
    struct authz_attrs at = attrs_of(&u, "get -/pods dev x");
    for (int round = 0; round < 50; round++) {
        T_OK(!authz_check(t.srv.authz, &t.arena, &at, NULL));
        testing_put(
            &t, RBAC, S("roles"),
            "{'metadata':{'name':'r','namespace':'dev'},'rules':[{'verbs':['get'],'apiGroups':[''],'resources':['pods']}]}");
        T_OK(!authz_check(t.srv.authz, &t.arena, &at, NULL));
        testing_put(
            &t, RBAC, S("rolebindings"),
            "{'metadata':{'name':'b','namespace':'dev'},'roleRef':{'kind':'Role','name':'r'},'subjects':[{'kind':'User','name':'zoe'}]}");
        T_OK(authz_check(t.srv.authz, &t.arena, &at, NULL));
        testing_put(
            &t, RBAC, S("roles"),
            "{'metadata':{'name':'r','namespace':'dev'},'rules':[{'verbs':['list'],'apiGroups':[''],'resources':['pods']}]}");
        T_OK(!authz_check(t.srv.authz, &t.arena, &at, NULL));
        testing_delete(&t, RBAC, S("roles"), S("dev"), S("r"));
        testing_delete(&t, RBAC, S("rolebindings"), S("dev"), S("b"));
    }
    testing_fini(&t);
}

TEST(rules_are_listed_once)
{
    struct testing t;
    testing_init(&t);
    testing_put(
        &t, RBAC, S("clusterroles"),
        "{'metadata':{'name':'c'},'rules':[{'verbs':['get'],'nonResourceURLs':['/x']},{'verbs':['get'],'apiGroups':[''],'resources':['pods']}]}");
    testing_put(
        &t, RBAC, S("clusterrolebindings"),
        "{'metadata':{'name':'c'},'roleRef':{'kind':'ClusterRole','name':'c'},'subjects':[{'kind':'User','name':'u'},{'kind':'Group','name':'g'}]}");
    testing_put(
        &t, RBAC, S("rolebindings"),
        "{'metadata':{'name':'r','namespace':'dev'},'roleRef':{'kind':'ClusterRole','name':'c'},'subjects':[{'kind':'Group','name':'g'}]}");
    struct api_user u = user_of(&t.arena, "u", "g h");
    struct json rules = authz_rules_for(t.srv.authz, &t.arena, &u, S("other"));
    T_EQ_STR(json_text(&t.arena, &rules),
             "{\"resourceRules\":[{\"verbs\":[\"get\"],\"apiGroups\":[\"\"],\"resources\":[\"pods\"]}],"
             "\"nonResourceRules\":[{\"verbs\":[\"get\"],\"nonResourceURLs\":[\"/x\"]}],\"incomplete\":false}");
    rules = authz_rules_for(t.srv.authz, &t.arena, &u, S("dev"));
    T_EQ_INT(json_get(&rules, S("resourceRules"))->len, 2);
    u = user_of(&t.arena, "nobody", "");
    rules = authz_rules_for(t.srv.authz, &t.arena, &u, S("dev"));
    T_EQ_STR(json_text(&t.arena, &rules), "{\"resourceRules\":[],\"nonResourceRules\":[],\"incomplete\":false}");
    testing_fini(&t);
}

static struct json parse_quoted(struct arena *a, const char *text)
{
    char *json = (char *)arena_cstr(a, str_of(text));
    for (char *c = json; *c; c++)
        *c = *c == '\'' ? '"' : *c;
    return json_literal(a, json);
}

TEST(escalation_is_refused)
{
    static const struct {
        const char *rules, *missing; /* missing NULL: allowed */
    } cases[] = {
        {"[]", NULL},
        {"[{'verbs':['get'],'apiGroups':[''],'resources':['pods']}]", NULL},
        {"[{'verbs':['get','list'],'apiGroups':[''],'resources':['pods/log','pods']}]", NULL},
        {"[{'verbs':['get'],'apiGroups':[''],'resources':['pods'],'resourceNames':['x']}]", NULL},
        {"[{'verbs':['create'],'apiGroups':['apps'],'resources':['deployments']}]", NULL},
        {"[{'verbs':['get','watch','delete'],'apiGroups':[''],'resources':['pods']}]",
         "{APIGroups:[\"\"], Resources:[\"pods\"], Verbs:[\"watch\" \"delete\"]}"},
        {"[{'verbs':['get'],'apiGroups':['','apps'],'resources':['secrets']}]",
         "{APIGroups:[\"\"], Resources:[\"secrets\"], Verbs:[\"get\"]}\n{APIGroups:[\"apps\"], Resources:[\"secrets\"], Verbs:[\"get\"]}"},
        {"[{'verbs':['get'],'apiGroups':[''],'resources':['secrets'],'resourceNames':['x']}]",
         "{APIGroups:[\"\"], Resources:[\"secrets\"], ResourceNames:[\"x\"], Verbs:[\"get\"]}"},
        {"[{'verbs':['get'],'nonResourceURLs':['/x/*']}]", "{NonResourceURLs:[\"/x/*\"], Verbs:[\"get\"]}"},
        {"[{'verbs':['*'],'apiGroups':['*'],'resources':['*']}]", "{APIGroups:[\"*\"], Resources:[\"*\"], Verbs:[\"*\"]}"},
    };
    struct testing t;
    testing_init(&t);
    put_policy(&t);
    struct api_user u = user_of(&t.arena, "alice", "system:authenticated g2");
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct err err = ERR_NONE;
        struct json rules = parse_quoted(&t.arena, cases[i].rules);
        int r = authz_check_escalation(t.srv.authz, &t.arena, &u, S("dev"), &rules, &err);
        T_EQ_INT(r, cases[i].missing ? -E_FORBIDDEN : 0);
        if (!cases[i].missing)
            continue;
        str want = arena_fmt(
            &t.arena,
            "user \"alice\" (groups=[\"system:authenticated\" \"g2\"]) is attempting to grant RBAC permissions not currently held:\n%s",
            cases[i].missing);
        T_EQ_STR(str_of(err.msg), want.p);
    }
    struct json wide = json_array();
    struct json rule = parse_quoted(&t.arena, "{'verbs':['get'],'apiGroups':[''],'resources':[]}");
    for (int i = 0; i < 200000; i++)
        json_push(&t.arena, json_get(&rule, S("resources")), json_string(S("pods")));
    json_push(&t.arena, &wide, rule);
    T_EQ_INT(authz_check_escalation(t.srv.authz, &t.arena, &u, S("dev"), &wide, NULL), 0); /* covered by one rule as a whole */
    json_push(&t.arena, json_get(&wide.items[0], S("resources")), json_string(S("secrets")));
    T_EQ_INT(authz_check_escalation(t.srv.authz, &t.arena, &u, S("dev"), &wide, NULL), -E_FORBIDDEN);
    testing_fini(&t);
}

TEST(writes_of_roles_and_bindings_are_judged)
{
    static const struct {
        const char *user, *plural, *ns, *obj, *error;
    } cases[] = {
        {"alice", "configmaps", "dev", "{'metadata':{'name':'x'}}", NULL},
        {"alice", "roles", "dev", "{'metadata':{'name':'x'},'rules':[{'verbs':['get'],'apiGroups':[''],'resources':['pods']}]}",
         NULL},
        {"alice", "roles", "dev", "{'metadata':{'name':'x'},'rules':[{'verbs':['get'],'apiGroups':[''],'resources':['nodes']}]}",
         "roles.rbac.authorization.k8s.io \"x\" is forbidden: user \"alice\" (groups=[\"g\"]) is attempting to grant RBAC permissions not currently held:\n"
         "{APIGroups:[\"\"], Resources:[\"nodes\"], Verbs:[\"get\"]}"},
        {"alice", "rolebindings", "dev", "{'metadata':{'name':'x'},'roleRef':{'kind':'ClusterRole','name':'reader'}}", NULL},
        {"alice", "rolebindings", "dev", "{'metadata':{'name':'x'},'roleRef':{'kind':'Role','name':'writer'}}", NULL},
        {"alice", "rolebindings", "dev", "{'metadata':{'name':'x'},'roleRef':{'kind':'ClusterRole','name':'nope'}}",
         "clusterroles.rbac.authorization.k8s.io \"nope\" not found"},
        {"alice", "clusterrolebindings", "", "{'metadata':{'name':'x'},'roleRef':{'kind':'ClusterRole','name':'named'}}",
         "clusterrolebindings.rbac.authorization.k8s.io \"x\" is forbidden: user \"alice\" (groups=[\"g\"]) is attempting to grant RBAC permissions not currently held:\n"
         "{APIGroups:[\"\"], Resources:[\"configmaps\"], ResourceNames:[\"a\"], Verbs:[\"get\" \"update\"]}\n"
         "{APIGroups:[\"\"], Resources:[\"configmaps\"], ResourceNames:[\"b\"], Verbs:[\"get\" \"update\"]}"},
        {"binder", "clusterrolebindings", "", "{'metadata':{'name':'x'},'roleRef':{'kind':'ClusterRole','name':'named'}}", NULL},
        {"climber", "clusterroles", "", "{'metadata':{'name':'x'},'rules':[{'verbs':['*'],'apiGroups':['*'],'resources':['*']}]}",
         NULL},
        {"alice", "clusterroles", "", "{'metadata':{'name':'x'},'aggregationRule':{'clusterRoleSelectors':[{}]}}",
         "clusterroles.rbac.authorization.k8s.io \"x\" is forbidden: must have cluster-admin privileges to use the aggregationRule"},
        {"root", "clusterroles", "", "{'metadata':{'name':'x'},'aggregationRule':{'clusterRoleSelectors':[{}]}}", NULL},
    };
    struct testing t;
    testing_init(&t);
    put_policy(&t);
    testing_put(
        &t, RBAC, S("clusterroles"),
        "{'metadata':{'name':'lift'},'rules':[{'verbs':['bind'],'apiGroups':['rbac.authorization.k8s.io'],'resources':['clusterroles'],"
        "'resourceNames':['named']}]}");
    testing_put(
        &t, RBAC, S("clusterroles"),
        "{'metadata':{'name':'climb'},'rules':[{'verbs':['escalate'],'apiGroups':['rbac.authorization.k8s.io'],'resources':['clusterroles']}]}");
    testing_put(
        &t, RBAC, S("clusterrolebindings"),
        "{'metadata':{'name':'l'},'roleRef':{'kind':'ClusterRole','name':'lift'},'subjects':[{'kind':'User','name':'binder'}]}");
    testing_put(
        &t, RBAC, S("clusterrolebindings"),
        "{'metadata':{'name':'m'},'roleRef':{'kind':'ClusterRole','name':'climb'},'subjects':[{'kind':'User','name':'climber'}]}");
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct err err = ERR_NONE;
        struct api_user u = user_of(&t.arena, cases[i].user, "g");
        struct json obj = parse_quoted(&t.arena, cases[i].obj);
        int r = authz_check_write(t.srv.authz, &t.arena, &u, str_of(cases[i].plural), str_of(cases[i].ns), &obj, NULL, &err);
        T_EQ_INT(r < 0, cases[i].error != NULL);
        T_EQ_STR(str_of(err.msg), cases[i].error ? cases[i].error : "");
    }
    testing_fini(&t);
}

TEST(updates_of_roles_are_judged)
{
    static const struct {
        const char *old, *obj;
        bool allowed;
    } cases[] = {
        /* alice may not read nodes */
        {"{'metadata':{'name':'x'},'rules':[{'verbs':['get'],'apiGroups':[''],'resources':['nodes']}]}",
         "{'metadata':{'name':'x','finalizers':['f']},'rules':[{'verbs':['get'],'apiGroups':[''],'resources':['nodes']}]}", true},
        {"{'metadata':{'name':'x'},'rules':[{'verbs':['get'],'apiGroups':[''],'resources':['nodes']}]}",
         "{'metadata':{'name':'x','labels':{'a':'b'}},'rules':[{'verbs':['get'],'apiGroups':[''],'resources':['nodes']}]}",
         false},
        {"{'metadata':{'name':'x'},'rules':[{'verbs':['get'],'apiGroups':[''],'resources':['nodes']}]}",
         "{'metadata':{'name':'x'},'rules':[]}", true},
        /* an aggregation rule gathers what others have */
        {"{'metadata':{'name':'x'},'rules':[]}",
         "{'metadata':{'name':'x'},'aggregationRule':{'clusterRoleSelectors':[{}]},'rules':[]}", false},
        {"{'metadata':{'name':'x'},'aggregationRule':{'clusterRoleSelectors':[{}]},'rules':[]}",
         "{'metadata':{'name':'x'},'rules':[]}", false},
    };
    struct testing t;
    testing_init(&t);
    put_policy(&t);
    struct api_user u = user_of(&t.arena, "alice", "");
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct json old = parse_quoted(&t.arena, cases[i].old), obj = parse_quoted(&t.arena, cases[i].obj);
        if ((authz_check_write(t.srv.authz, &t.arena, &u, S("clusterroles"), S(""), &obj, &old, NULL) == 0) != cases[i].allowed)
            T_FAIL_("case %zu", i);
    }
    testing_fini(&t);
}

struct checker {
    pthread_t thread;
    struct authz *authz;
    atomic_bool *stop;
    size_t allowed, denied;
};

static void *check_until_stopped(void *arg)
{
    struct checker *c = arg;
    struct api_user u = {.name = S("zoe")};
    struct authz_attrs may = attrs_of(&u, "get -/pods dev x"), may_not = attrs_of(&u, "get -/secrets dev x");
    while (!atomic_load(c->stop)) {
        ARENA_AUTO a = ARENA_INIT;
        size_t *count = authz_check(c->authz, &a, &may, NULL) ? &c->allowed : &c->denied;
        (*count)++;
        T_OK(!authz_check(c->authz, &a, &may_not, NULL));
    }
    return NULL;
}

TEST(threads_check_while_the_policy_changes)
{
    struct testing t;
    testing_init(&t);
    testing_put(&t, RBAC, S("roles"),
                "{'metadata':{'name':'r','namespace':'dev'},'rules':[{'verbs':['get'],'apiGroups':[''],'resources':['pods']}]}");
    struct checker checkers[3];
    atomic_bool stop = false;
    for (size_t i = 0; i < ARRAY_LEN(checkers); i++) {
        checkers[i] = (struct checker){.authz = t.srv.authz, .stop = &stop};
        T_EQ_INT(pthread_create(&checkers[i].thread, NULL, check_until_stopped, &checkers[i]), 0);
    }
    struct api_user u = {.name = S("zoe")};
    struct authz_attrs at = attrs_of(&u, "get -/pods dev x");
    for (int i = 0; i < 100; i++) {
        testing_put(
            &t, RBAC, S("rolebindings"),
            "{'metadata':{'name':'b','namespace':'dev'},'roleRef':{'kind':'Role','name':'r'},'subjects':[{'kind':'User','name':'zoe'}]}");
        T_OK(authz_check(t.srv.authz, &t.arena, &at, NULL)); /* whoever builds the policy: what was committed holds now */
        testing_delete(&t, RBAC, S("rolebindings"), S("dev"), S("b"));
        T_OK(!authz_check(t.srv.authz, &t.arena, &at, NULL));
    }
    atomic_store(&stop, true);
    for (size_t i = 0; i < ARRAY_LEN(checkers); i++)
        pthread_join(checkers[i].thread, NULL);
    testing_fini(&t);
}

TEST(a_check_is_cheap)
{
    struct testing t;
    testing_init(&t);
    put_policy(&t);
    for (int i = 0; i < 2000; i++)
        testing_put(
            &t, RBAC, S("rolebindings"),
            arena_fmt(
                &t.arena,
                "{'metadata':{'name':'b%d','namespace':'n%d'},'roleRef':{'kind':'ClusterRole','name':'reader'},'subjects':[{'kind':'User','name':'u%d'}]}",
                i, i % 50, i % 300)
                .p);
    struct api_user u = user_of(&t.arena, "alice", "system:authenticated g2 g3");
    struct authz_attrs at = attrs_of(&u, "create apps/deployments dev x");
    nsec_t start = clock_mono(&clock_real);
    T_OK(authz_check(t.srv.authz, &t.arena, &at, NULL));
    nsec_t built = clock_mono(&clock_real);
    for (int i = 0; i < 100000; i++)
        T_OK(authz_check(t.srv.authz, &t.arena, &at, NULL));
    nsec_t checked = clock_mono(&clock_real);
    testing_put(&t, RBAC, S("rolebindings"),
                "{'metadata':{'name':'b1','namespace':'n1'},'roleRef':{'kind':'ClusterRole','name':'reader'},'subjects':[]}");
    nsec_t again = clock_mono(&clock_real);
    T_OK(authz_check(t.srv.authz, &t.arena, &at, NULL));
    printf("# first build of 2000 bindings %lld us, a check %lld ns, rebuild after one change %lld us\n",
           (long long)(built - start) / 1000, (long long)(checked - built) / 100000,
           (long long)(clock_mono(&clock_real) - again) / 1000);
    testing_fini(&t);
}

TEST_MAIN(checks_follow_rbac, reasons_name_the_binding, changes_are_seen_at_once, rules_are_listed_once, escalation_is_refused,
          writes_of_roles_and_bindings_are_judged, updates_of_roles_are_judged, threads_check_while_the_policy_changes,
          a_check_is_cheap)
