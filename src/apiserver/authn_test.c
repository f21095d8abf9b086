/* SPDX-License-Identifier: Apache-2.0 */
#include "apiserver/authn_internal.h"
#include "apiserver/authz_testing.h"
#include "rt/file.h"

#define SECONDS(n) ((n)*NSEC_PER_SEC)

static void put_account(struct testing *t, const char *uid)
{
    testing_put(t, S(""), S("serviceaccounts"),
                arena_fmt(&t->arena, "{'metadata':{'name':'bot','namespace':'ci','uid':'%s'}}", uid).p);
}

static struct json account(struct testing *t)
{
    struct json sa = {0};
    T_OK(object_get_builtin(t->srv.store, &t->arena, S(""), S("serviceaccounts"), S("ci"), S("bot"), &sa, NULL));
    return sa;
}

static void start(struct testing *t)
{
    struct err err;
    char *pem;
    testing_init(t);
    T_NO_ERR(tls_key_make(&pem, &err), &err);
    t->srv.opts.sa_key_pem = pem;
    T_NO_ERR(authn_new(&t->srv.opts, &t->srv.authn, &err), &err);
    free(pem);
    t->srv.opts.sa_key_pem = NULL;
}

static str groups_of(struct arena *a, const struct api_user *u)
{
    struct strbuf b = strbuf_on(a);
    for (size_t i = 0; i < u->ngroups; i++)
        strbuf_addf(&b, "%s" STR_FMT, i ? " " : "", STR_ARG(u->groups[i]));
    return strbuf_str(&b);
}

/* A request with these headers ("name: value", NULL at the end). */
static int request(struct testing *t, const char *const *headers, const struct tls_peer *peer, bool is_unix, struct api_req *q,
                   struct err *err)
{
    static struct http_header list[16];
    static struct http_request http;
    http = (struct http_request){.arena = &t->arena, .headers = list, .peer = peer, .is_unix = is_unix};
    for (; headers && headers[http.nheaders]; http.nheaders++) {
        str rest = str_of(headers[http.nheaders]), name;
        str_cut(&rest, ':', &name);
        list[http.nheaders] = (struct http_header){name, str_trim(rest)};
    }
    *q = (struct api_req){.srv = &t->srv, .arena = &t->arena, .http = &http};
    return authn_request(t->srv.authn, q, err);
}

static int bearer(struct testing *t, str token, struct api_req *q, struct err *err)
{
    const char *headers[] = {arena_fmt(&t->arena, "authorization: Bearer " STR_FMT, STR_ARG(token)).p, NULL};
    return request(t, headers, NULL, false, q, err);
}

TEST(who_without_tokens)
{
    struct testing t;
    struct api_req q;
    struct err err;
    start(&t);
    T_NO_ERR(request(&t, NULL, NULL, false, &q, &err), &err);
    T_EQ_STR(q.user.name, "system:anonymous");
    T_EQ_STR(groups_of(&t.arena, &q.user), "system:unauthenticated");
    T_NO_ERR(request(&t, NULL, NULL, true, &q, &err), &err);
    T_EQ_STR(q.user.name, "kubernetes-admin");
    T_EQ_STR(groups_of(&t.arena, &q.user), "system:masters system:authenticated");
    struct tls_peer peer = {.common_name = S("alice"), .organizations = {S("dev"), S("ops")}, .norganizations = 2};
    T_NO_ERR(request(&t, NULL, &peer, false, &q, &err), &err);
    T_EQ_STR(q.user.name, "alice");
    T_EQ_STR(groups_of(&t.arena, &q.user), "dev ops system:authenticated");
    static const char *const bad[][2] = {{"authorization: Basic YTpi"},
                                         {"authorization: Bearer nonsense"},
                                         {"authorization: Bearer a.b.c"},
                                         {"authorization: Bearer ..."},
                                         {"authorization: Bearer abcdef.0123456789abcdef"}};
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        T_ERR(request(&t, bad[i], NULL, false, &q, &err), E_UNAUTHORIZED);
        T_ERR(request(&t, bad[i], NULL, true, &q, &err), E_UNAUTHORIZED);
    }
    t.srv.authn->anonymous = false;
    T_ERR(request(&t, NULL, NULL, false, &q, &err), E_UNAUTHORIZED);
    testing_fini(&t);
}

TEST(account_tokens_live_with_what_they_are_bound_to)
{
    struct testing t;
    struct api_req q;
    struct err err;
    str token, pod_token;
    nsec_t expires;
    start(&t);
    put_account(&t, "u1");
    struct json sa = account(&t);
    T_NO_ERR(authn_issue(t.srv.authn, &t.arena, &sa, NULL, 0, NULL, 3600, &token, &expires, &err), &err);
    T_EQ_INT(expires, t.clock.wall + SECONDS(3600));
    T_NO_ERR(bearer(&t, token, &q, &err), &err);
    T_EQ_STR(q.user.name, "system:serviceaccount:ci:bot");
    T_EQ_STR(q.user.uid, "u1");
    T_EQ_STR(groups_of(&t.arena, &q.user), "system:serviceaccounts system:serviceaccounts:ci system:authenticated");
    T_OK(str_has_prefix(json_str(&json_get(q.user.extra, S("authentication.kubernetes.io/credential-id"))->items[0]), S("JTI=")));

    testing_put(&t, S(""), S("pods"), "{'metadata':{'name':'p','namespace':'ci','uid':'pod1'}}");
    struct json bound =
        json_literal(&t.arena, "{\"kind\":\"Pod\",\"name\":\"p\",\"uid\":\"pod1\",\"nodeName\":\"n1\",\"nodeUID\":\"nu\"}");
    T_NO_ERR(authn_issue(t.srv.authn, &t.arena, &sa, NULL, 0, &bound, 3600, &pod_token, &expires, &err), &err);
    T_NO_ERR(bearer(&t, pod_token, &q, &err), &err);
    T_EQ_STR(json_text(&t.arena, json_get(q.user.extra, S("authentication.kubernetes.io/pod-uid"))), "[\"pod1\"]");
    T_EQ_STR(json_text(&t.arena, json_get(q.user.extra, S("authentication.kubernetes.io/node-name"))), "[\"n1\"]");
    testing_put(&t, S(""), S("pods"), "{'metadata':{'name':'p','namespace':'ci','uid':'pod2'}}");
    T_ERR(bearer(&t, pod_token, &q, &err), E_UNAUTHORIZED);
    T_EQ_STR(str_of(err.msg), "pod UID (pod2) does not match service account pod ref claim (pod1)");
    testing_delete(&t, S(""), S("pods"), S("ci"), S("p"));
    T_ERR(bearer(&t, pod_token, &q, &err), E_UNAUTHORIZED);
    T_EQ_STR(str_of(err.msg), "service account token has been invalidated");

    /* the account made anew is another one; without any it is over */
    put_account(&t, "u2");
    T_ERR(bearer(&t, token, &q, &err), E_UNAUTHORIZED);
    testing_delete(&t, S(""), S("serviceaccounts"), S("ci"), S("bot"));
    T_ERR(bearer(&t, token, &q, &err), E_UNAUTHORIZED);
    put_account(&t, "u1");
    T_NO_ERR(bearer(&t, token, &q, &err), &err);
    clock_fake_advance(&t.clock, SECONDS(3659));
    T_NO_ERR(bearer(&t, token, &q, &err), &err); /* within the leeway */
    clock_fake_advance(&t.clock, SECONDS(2));
    T_ERR(bearer(&t, token, &q, &err), E_UNAUTHORIZED);
    T_EQ_STR(str_of(err.msg), "service account token has expired");
    testing_fini(&t);
}

TEST(forged_tokens_are_refused)
{
    struct testing t, other;
    struct api_req q;
    struct err err;
    str token, foreign;
    nsec_t expires;
    start(&t);
    start(&other);
    put_account(&t, "u1");
    struct json sa = account(&t);
    T_NO_ERR(authn_issue(t.srv.authn, &t.arena, &sa, NULL, 0, NULL, 3600, &token, &expires, &err), &err);
    T_NO_ERR(authn_issue(other.srv.authn, &other.arena, &sa, NULL, 0, NULL, 3600, &foreign, &expires, &err), &err);
    T_NO_ERR(bearer(&t, token, &q, &err), &err);
    T_ERR(bearer(&t, foreign, &q, &err), E_UNAUTHORIZED);
    /* each byte of the token changed, one at a time: a good token in the cache must not lend its signature */
    for (size_t i = 0; i < token.len; i++) {
        char *copy = (char *)arena_cstr(&t.arena, token);
        copy[i] = copy[i] == 'A' ? 'B' : 'A';
        T_ERR(bearer(&t, str_of(copy), &q, &err), E_UNAUTHORIZED);
    }
    /* {"alg":"none"} */
    str claims, rest = token, header;
    str_cut(&rest, '.', &header);
    str_cut(&rest, '.', &claims);
    T_ERR(bearer(&t, arena_fmt(&t.arena, "eyJhbGciOiJub25lIn0." STR_FMT ".", STR_ARG(claims)), &q, &err), E_UNAUTHORIZED);
    testing_fini(&t);
    testing_fini(&other);
}

TEST(audiences_and_the_automatic_token)
{
    struct testing t;
    struct api_user user;
    struct json good_for;
    struct err err;
    str token, audiences[] = {S("vault"), S("db")}, asked[] = {S("db"), S("web")};
    nsec_t expires;
    start(&t);
    put_account(&t, "u1");
    struct json sa = account(&t);
    T_NO_ERR(authn_issue(t.srv.authn, &t.arena, &sa, audiences, 2, NULL, 3600, &token, &expires, &err), &err);
    T_ERR(authn_token(t.srv.authn, &t.arena, token, NULL, 0, &user, &good_for, &err), E_UNAUTHORIZED);
    T_EQ_STR(str_of(err.msg), "token audiences [\"vault\",\"db\"] is invalid for the target audiences [\"https://issuer.test\"]");
    T_NO_ERR(authn_token(t.srv.authn, &t.arena, token, asked, 2, &user, &good_for, &err), &err);
    T_EQ_STR(json_text(&t.arena, &good_for), "[\"db\"]");
    /* a pod's automatic token: the client is told an hour, the server accepts it for a year */
    testing_put(&t, S(""), S("pods"), "{'metadata':{'name':'p','namespace':'ci','uid':'pod1'}}");
    struct json bound = json_literal(&t.arena, "{\"kind\":\"Pod\",\"name\":\"p\",\"uid\":\"pod1\"}");
    T_NO_ERR(authn_issue(t.srv.authn, &t.arena, &sa, NULL, 0, &bound, 3607, &token, &expires, &err), &err);
    T_EQ_INT(expires, t.clock.wall + SECONDS(3607));
    clock_fake_advance(&t.clock, SECONDS(300ll * 24 * 3600));
    T_NO_ERR(authn_token(t.srv.authn, &t.arena, token, NULL, 0, &user, NULL, &err), &err);
    clock_fake_advance(&t.clock, SECONDS(66ll * 24 * 3600));
    T_ERR(authn_token(t.srv.authn, &t.arena, token, NULL, 0, &user, NULL, &err), E_UNAUTHORIZED);
    T_OK(str_find(authn_jwks(t.srv.authn, &t.arena), S("\"ES256\"")) > 0);
    T_EQ_STR(
        authn_openid_config(t.srv.authn, &t.arena),
        "{\"response_types_supported\":[\"id_token\"],\"subject_types_supported\":[\"public\"],\"issuer\":\"https://issuer.test\","
        "\"jwks_uri\":\"https://10.0.0.1:6443/openid/v1/jwks\",\"id_token_signing_alg_values_supported\":[\"ES256\"]}");
    testing_fini(&t);
}

TEST(static_tokens)
{
    struct testing t;
    struct api_req q;
    struct err err;
    testing_init(&t);
    const char *path = arena_fmt(&t.arena, "%s/tokens.csv", t.dir).p;
    T_NO_ERR(file_write_atomic(path, S("abc,alice,1,\"dev,ops\"\r\n\ndef,bob,2\n\"q\"\"x\",\"c,d\",3,\n"), 0600, &err), &err);
    t.srv.opts.token_file = path;
    T_NO_ERR(authn_new(&t.srv.opts, &t.srv.authn, &err), &err);
    static const struct {
        const char *token, *user, *groups;
    } cases[] = {{"abc", "alice", "dev ops system:authenticated"},
                 {"def", "bob", "system:authenticated"},
                 {"q\"x", "c,d", "system:authenticated"}};
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        T_NO_ERR(bearer(&t, str_of(cases[i].token), &q, &err), &err);
        T_EQ_STR(q.user.name, cases[i].user);
        T_EQ_STR(groups_of(&t.arena, &q.user), cases[i].groups);
    }
    T_ERR(bearer(&t, S("abd"), &q, &err), E_UNAUTHORIZED);
    T_ERR(bearer(&t, S("ab"), &q, &err), E_UNAUTHORIZED);
    struct authn_static *set;
    static const char *const bad[] = {"a,b", "a", "\"a,b,c", "\"a\"x,b,c", ",b,c", "a\"b,c,d"};
    for (size_t i = 0; i < ARRAY_LEN(bad); i++)
        T_ERR(authn_static_parse(str_of(bad[i]), "f", &set, &err), E_PARSE);
    testing_fini(&t);
}

TEST(bootstrap_tokens)
{
    /* token-id abcdef, token-secret 0123456789abcdef, true, 2027-01-15T08:00:10Z, system:bootstrappers:b,system:bootstrappers:a
     */
#define BASE "'token-id':'YWJjZGVm','token-secret':'MDEyMzQ1Njc4OWFiY2RlZg=='"
#define USAGE ",'usage-bootstrap-authentication':'dHJ1ZQ=='"
    static const struct {
        const char *type, *data, *groups; /* groups NULL: refused */
    } cases[] = {
        {"bootstrap.kubernetes.io/token", BASE USAGE, "system:bootstrappers system:authenticated"},
        {"bootstrap.kubernetes.io/token", BASE, NULL},
        {"Opaque", BASE USAGE, NULL},
        {"bootstrap.kubernetes.io/token", BASE USAGE ",'expiration':'MjAyNy0wMS0xNVQwODowMDoxMFo='",
         "system:bootstrappers system:authenticated"},
        {"bootstrap.kubernetes.io/token", BASE USAGE ",'expiration':'MjAyNi0wMS0xNVQwODowMDoxMFo='", NULL},
        {"bootstrap.kubernetes.io/token", BASE USAGE ",'expiration':'c29vbg=='", NULL},
        {"bootstrap.kubernetes.io/token",
         BASE USAGE ",'auth-extra-groups':'c3lzdGVtOmJvb3RzdHJhcHBlcnM6YixzeXN0ZW06Ym9vdHN0cmFwcGVyczph'",
         "system:bootstrappers system:bootstrappers:a system:bootstrappers:b system:authenticated"},
        {"bootstrap.kubernetes.io/token", BASE USAGE ",'auth-extra-groups':'c3lzdGVtOm1hc3RlcnM='", NULL},
        {"bootstrap.kubernetes.io/token", "'token-id':'YWJjZGVn','token-secret':'MDEyMzQ1Njc4OWFiY2RlZg=='" USAGE, NULL},
    };
    struct testing t;
    struct api_req q;
    struct err err;
    start(&t);
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        testing_put(&t, S(""), S("secrets"),
                    arena_fmt(&t.arena,
                              "{'metadata':{'name':'bootstrap-token-abcdef','namespace':'kube-system'},'type':'%s','data':{%s}}",
                              cases[i].type, cases[i].data)
                        .p);
        int r = bearer(&t, S("abcdef.0123456789abcdef"), &q, &err);
        T_EQ_INT(r, cases[i].groups ? 0 : -E_UNAUTHORIZED);
        if (!cases[i].groups)
            continue;
        T_EQ_STR(q.user.name, "system:bootstrap:abcdef");
        T_EQ_STR(groups_of(&t.arena, &q.user), cases[i].groups);
        T_ERR(bearer(&t, S("abcdef.0123456789abcdee"), &q, &err), E_UNAUTHORIZED);
    }
    testing_fini(&t);
}

TEST(impersonation)
{
    static const struct {
        const char *headers[5], *user, *groups, *error; /* error: of the request, then user is not looked at */
    } cases[] = {
        {{"impersonate-user: bob"}, "bob", "system:authenticated", NULL},
        {{"impersonate-user: bob", "impersonate-group: dev", "impersonate-group: ops"},
         "bob",
         "dev ops system:authenticated",
         NULL},
        {{"impersonate-user: bob", "impersonate-group: system:unauthenticated"}, "bob", "system:unauthenticated", NULL},
        {{"impersonate-user: system:anonymous"}, "system:anonymous", "system:unauthenticated", NULL},
        {{"impersonate-user: system:serviceaccount:ci:bot"},
         "system:serviceaccount:ci:bot",
         "system:serviceaccounts system:serviceaccounts:ci system:authenticated",
         NULL},
        {{"impersonate-user: eve"},
         NULL,
         NULL,
         "users \"eve\" is forbidden: User \"alice\" cannot impersonate resource \"users\" in API group \"\" at the cluster scope"},
        {{"impersonate-user: bob", "impersonate-group: system:masters"},
         NULL,
         NULL,
         "groups \"system:masters\" is forbidden: User \"alice\" cannot impersonate resource \"groups\" in API group \"\" at the cluster scope"},
        {{"impersonate-user: system:serviceaccount:kube-system:bot"},
         NULL,
         NULL,
         "serviceaccounts \"bot\" is forbidden: User \"alice\" cannot impersonate resource \"serviceaccounts\" in API group \"\" in the namespace \"kube-system\""},
        {{"impersonate-user: bob", "impersonate-extra-scopes: view", "impersonate-extra-scopes: edit", "impersonate-uid: 7"},
         "bob",
         "system:authenticated",
         NULL},
        {{"impersonate-user: bob", "impersonate-extra-other%2fkey: x"},
         NULL,
         NULL,
         "userextras.authentication.k8s.io \"x\" is forbidden: User \"alice\" cannot impersonate resource \"userextras/other/key\" in API group \"authentication.k8s.io\" at the "
         "cluster scope"},
        {{"impersonate-group: dev"}, NULL, NULL, "requested a group, uid or extra without impersonating a user"},
        {{"impersonate-user:"}, "alice", "system:authenticated", NULL},
    };
    struct testing t;
    start(&t);
    testing_put(
        &t, RBAC, S("clusterroles"),
        "{'metadata':{'name':'imp'},'rules':[{'verbs':['impersonate'],'apiGroups':[''],'resources':['users'],'resourceNames':['bob','system:anonymous']},"
        "{'verbs':['impersonate'],'apiGroups':[''],'resources':['groups'],'resourceNames':['dev','ops','system:unauthenticated']},"
        "{'verbs':['impersonate'],'apiGroups':['authentication.k8s.io'],'resources':['userextras/scopes','uids']}]}");
    testing_put(
        &t, RBAC, S("clusterrolebindings"),
        "{'metadata':{'name':'imp'},'roleRef':{'kind':'ClusterRole','name':'imp'},'subjects':[{'kind':'User','name':'alice'}]}");
    testing_put(
        &t, RBAC, S("roles"),
        "{'metadata':{'name':'imp','namespace':'ci'},'rules':[{'verbs':['impersonate'],'apiGroups':[''],'resources':['serviceaccounts']}]}");
    testing_put(
        &t, RBAC, S("rolebindings"),
        "{'metadata':{'name':'imp','namespace':'ci'},'roleRef':{'kind':'Role','name':'imp'},'subjects':[{'kind':'User','name':'alice'}]}");
    struct tls_peer alice = {.common_name = S("alice")};
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct api_req q;
        struct err err = ERR_NONE;
        int r = request(&t, cases[i].headers, &alice, false, &q, &err);
        T_EQ_STR(str_of(err.msg), cases[i].error ? cases[i].error : "");
        if (r < 0 || cases[i].error)
            continue;
        T_EQ_STR(q.user.name, cases[i].user);
        T_EQ_STR(groups_of(&t.arena, &q.user), cases[i].groups);
        T_EQ_STR(q.impersonator.name, strcmp(cases[i].user, "alice") == 0 ? "" : "alice");
        if (q.user.extra)
            T_EQ_STR(json_text(&t.arena, q.user.extra), "{\"scopes\":[\"view\",\"edit\"]}");
    }
    testing_fini(&t);
}

TEST_MAIN(who_without_tokens, account_tokens_live_with_what_they_are_bound_to, forged_tokens_are_refused,
          audiences_and_the_automatic_token, static_tokens, bootstrap_tokens, impersonation)
