/* SPDX-License-Identifier: Apache-2.0 */
#include "apiserver/reviews.h"

#include "apiserver/authz_testing.h"

/* What was answered last. */
static int answer_status;
static struct json answer;
static struct arena *answer_arena;

static void keep_answer(struct api_req *q UNUSED, const struct http_response *res)
{
    struct err err;
    answer_status = res->status;
    T_NO_ERR(json_parse(answer_arena, arena_str(answer_arena, res->body), NULL, &answer, &err), &err);
}

static const struct api_sink sink = {.respond = keep_answer};

static void start(struct testing *t)
{
    struct err err;
    char *pem;
    testing_init(t);
    T_NO_ERR(tls_key_make(&pem, &err), &err);
    t->srv.opts.sa_key_pem = pem;
    T_NO_ERR(authn_new(&t->srv.opts, &t->srv.authn, &err), &err);
    free(pem);
    answer_arena = &t->arena;
    testing_put(t, RBAC, S("clusterroles"),
                "{'metadata':{'name':'reader'},'rules':[{'verbs':['get'],'apiGroups':[''],'resources':['pods']},"
                "{'verbs':['get'],'nonResourceURLs':['/healthz']}]}");
    testing_put(
        t, RBAC, S("clusterrolebindings"),
        "{'metadata':{'name':'rd'},'roleRef':{'kind':'ClusterRole','name':'reader'},'subjects':[{'kind':'User','name':'alice'}]}");
}

/* POST of body (' for ") to group/resource[/name/sub] in ns. */
static bool post(struct testing *t, str group, str resource, str ns, str name, str sub, const char *body)
{
    static const str groups[] = {STR_INIT("system:authenticated")};
    char *text = (char *)arena_cstr(&t->arena, str_of(body));
    for (char *c = text; *c; c++)
        *c = *c == '\'' ? '"' : *c;
    struct api_req q = {.srv = &t->srv,
                        .arena = &t->arena,
                        .sink = &sink,
                        .method = S("POST"),
                        .content_type = S("application/json"),
                        .body = str_of(text),
                        .user = {.name = S("alice"), .uid = S("7"), .groups = groups, .ngroups = 1}};
    q.target = (struct api_target){.is_resource = true,
                                   .verb = S("create"),
                                   .group = group,
                                   .version = S("v1"),
                                   .resource = resource,
                                   .subresource = sub,
                                   .ns = ns,
                                   .name = name};
    q.res = object_builtin(group, resource);
    answer_status = 0;
    return reviews_serve(&q);
}

static str at(struct testing *t, const char *a, const char *b)
{
    const struct json *v = b ? json_path(&answer, a, b, NULL) : json_path(&answer, a, NULL);
    return v ? json_text(&t->arena, v) : S("");
}

#define AUTHENTICATION S("authentication.k8s.io")
#define AUTHORIZATION S("authorization.k8s.io")

TEST(who_am_i)
{
    struct testing t;
    start(&t);
    T_OK(post(&t, AUTHENTICATION, S("selfsubjectreviews"), S(""), S(""), S(""), "{}"));
    T_EQ_INT(answer_status, 201);
    T_EQ_STR(at(&t, "kind", NULL), "\"SelfSubjectReview\"");
    T_EQ_STR(at(&t, "apiVersion", NULL), "\"authentication.k8s.io/v1\"");
    T_EQ_STR(at(&t, "metadata", "creationTimestamp"), "\"2027-01-15T08:00:00Z\"");
    T_EQ_STR(at(&t, "status", "userInfo"), "{\"username\":\"alice\",\"uid\":\"7\",\"groups\":[\"system:authenticated\"]}");
    T_OK(!post(&t, S(""), S("pods"), S("default"), S(""), S(""), "{}"));
    testing_fini(&t);
}

TEST(may_i)
{
    static const struct {
        const char *resource, *ns, *body;
        int status;
        const char *want; /* status of the review, or the message of the failure */
    } cases[] = {
        {"selfsubjectaccessreviews", "", "{'spec':{'resourceAttributes':{'verb':'get','resource':'pods','namespace':'x'}}}", 201,
         "{\"allowed\":true,\"reason\":\"RBAC: allowed by ClusterRoleBinding \\\"rd\\\" of ClusterRole \\\"reader\\\" to User \\\"alice\\\"\"}"},
        {"selfsubjectaccessreviews", "",
         "{'metadata':{'creationTimestamp':null},'spec':{'resourceAttributes':{'verb':'delete','resource':'pods'}}}", 201,
         "{\"allowed\":false}"},
        {"selfsubjectaccessreviews", "", "{'spec':{'nonResourceAttributes':{'verb':'get','path':'/metrics'}}}", 201,
         "{\"allowed\":false}"},
        {"selfsubjectaccessreviews", "", "{'spec':{}}", 422,
         "SelfSubjectAccessReview.authorization.k8s.io \"\" is invalid: spec.resourceAttributes: Invalid value: \"null\": exactly one of nonResourceAttributes or "
         "resourceAttributes must be specified"},
        {"selfsubjectaccessreviews", "", "{'metadata':{'name':'x'},'spec':{'nonResourceAttributes':{'verb':'get','path':'/'}}}",
         422, NULL},
        {"subjectaccessreviews", "", "{'spec':{'user':'alice','resourceAttributes':{'verb':'get','resource':'pods'}}}", 201,
         "{\"allowed\":true,\"reason\":\"RBAC: allowed by ClusterRoleBinding \\\"rd\\\" of ClusterRole \\\"reader\\\" to User \\\"alice\\\"\"}"},
        {"subjectaccessreviews", "",
         "{'spec':{'user':'bob','groups':['system:masters'],'resourceAttributes':{'verb':'get','resource':'pods'}}}", 201,
         "{\"allowed\":true}"},
        {"subjectaccessreviews", "", "{'spec':{'user':'bob','nonResourceAttributes':{'verb':'get','path':'/healthz'}}}", 201,
         "{\"allowed\":false}"},
        {"subjectaccessreviews", "", "{'spec':{'resourceAttributes':{'verb':'get','resource':'pods'}}}", 422,
         "SubjectAccessReview.authorization.k8s.io \"\" is invalid: spec.user: Invalid value: \"\": at least one of user or group must be specified"},
        {"localsubjectaccessreviews", "dev",
         "{'spec':{'user':'alice','resourceAttributes':{'verb':'get','resource':'pods','namespace':'dev'}}}", 201, NULL},
        {"localsubjectaccessreviews", "dev",
         "{'spec':{'user':'alice','resourceAttributes':{'verb':'get','resource':'pods','namespace':'prod'}}}", 422,
         "LocalSubjectAccessReview.authorization.k8s.io \"\" is invalid: spec.resourceAttributes.namespace: Invalid value: \"prod\": must match metadata.namespace"},
        {"localsubjectaccessreviews", "dev",
         "{'metadata':{'namespace':'x'},'spec':{'user':'alice','resourceAttributes':{'verb':'get','resource':'pods','namespace':'dev'}}}",
         400, "the namespace of the provided object does not match the namespace sent on the request"},
        {"selfsubjectrulesreviews", "", "{'spec':{'namespace':'dev'}}", 201,
         "{\"resourceRules\":[{\"verbs\":[\"get\"],\"apiGroups\":[\"\"],\"resources\":[\"pods\"]}],\"nonResourceRules\":[{\"verbs\":[\"get\"],\"nonResourceURLs\":[\"/healthz\"]}],"
         "\"incomplete\":false}"},
        {"selfsubjectrulesreviews", "", "{'spec':{}}", 400, "no namespace on request"},
        {"selfsubjectrulesreviews", "", "{'spec'", 400, NULL},
    };
    struct testing t;
    start(&t);
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        T_OK(post(&t, AUTHORIZATION, str_of(cases[i].resource), str_of(cases[i].ns), S(""), S(""), cases[i].body));
        if (answer_status != cases[i].status)
            T_FAIL_("case %zu: %d " STR_FMT, i, answer_status, STR_ARG(json_text(&t.arena, &answer)));
        if (!cases[i].want)
            continue;
        str got = cases[i].status == 201 ? at(&t, "status", NULL) : json_get_str(&answer, S("message"));
        T_EQ_STR(got, cases[i].want);
    }
    testing_fini(&t);
}

TEST(tokens_are_made_and_reviewed)
{
    struct testing t;
    start(&t);
    testing_put(&t, S(""), S("serviceaccounts"), "{'metadata':{'name':'bot','namespace':'ci','uid':'u1'}}");
    testing_put(&t, S(""), S("pods"),
                "{'metadata':{'name':'p','namespace':'ci','uid':'p1'},'spec':{'serviceAccountName':'bot','nodeName':'n1'}}");
    testing_put(&t, S(""), S("pods"),
                "{'metadata':{'name':'other','namespace':'ci','uid':'p2'},'spec':{'serviceAccountName':'default'}}");
    static const struct {
        const char *account, *body;
        int status;
        const char *message;
    } cases[] = {
        {"bot", "{'spec':{}}", 201, ""},
        {"bot", "{'spec':{'boundObjectRef':{'kind':'Pod','apiVersion':'v1','name':'p','uid':'p1'},'expirationSeconds':3607}}",
         201, ""},
        {"nobody", "{'spec':{}}", 404, "serviceaccounts \"nobody\" not found"},
        {"bot", "{'spec':{'expirationSeconds':599}}", 422,
         "TokenRequest.authentication.k8s.io \"\" is invalid: spec.expirationSeconds: Invalid value: 599: may not specify a duration less than 10 minutes"},
        {"bot", "{'spec':{'expirationSeconds':4294967297}}", 422, NULL},
        {"bot", "{'metadata':{'name':'x'},'spec':{}}", 422, NULL},
        {"bot", "{'spec':{'boundObjectRef':{'kind':'Pod','name':'gone'}}}", 404, "pods \"gone\" not found"},
        {"bot", "{'spec':{'boundObjectRef':{'kind':'Pod','name':'other'}}}", 400,
         "cannot bind token for serviceaccount \"bot\" to pod running with different serviceaccount name."},
        {"bot", "{'spec':{'boundObjectRef':{'kind':'Pod','name':'p','uid':'old'}}}", 409, NULL},
        {"bot", "{'spec':{'boundObjectRef':{'kind':'ConfigMap','apiVersion':'v1','name':'p'}}}", 400,
         "cannot bind token to object of type /v1, Kind=ConfigMap"},
    };
    str token = S("");
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        T_OK(post(&t, S(""), S("serviceaccounts"), S("ci"), str_of(cases[i].account), S("token"), cases[i].body));
        if (answer_status != cases[i].status)
            T_FAIL_("case %zu: %d " STR_FMT, i, answer_status, STR_ARG(json_text(&t.arena, &answer)));
        if (cases[i].message)
            T_EQ_STR(json_get_str(&answer, S("message")), cases[i].message);
        if (answer_status == 201)
            token = json_get_str(json_get(&answer, S("status")), S("token"));
        if (i == 0) {
            T_EQ_STR(at(&t, "spec", "audiences"), "[\"https://issuer.test\"]");
            T_EQ_STR(at(&t, "spec", "expirationSeconds"), "3600");
            T_EQ_STR(at(&t, "status", "expirationTimestamp"), "\"2027-01-15T09:00:00Z\"");
            T_EQ_STR(at(&t, "metadata", "namespace"), "\"ci\"");
        }
    }
    T_OK(post(&t, AUTHENTICATION, S("tokenreviews"), S(""), S(""), S(""),
              arena_fmt(&t.arena, "{'spec':{'token':'" STR_FMT "'}}", STR_ARG(token)).p));
    T_EQ_INT(answer_status, 201);
    T_EQ_STR(at(&t, "status", "authenticated"), "true");
    T_EQ_STR(at(&t, "status", "audiences"), "[\"https://issuer.test\"]");
    T_EQ_STR(json_get_str(json_path(&answer, "status", "user", NULL), S("username")), "system:serviceaccount:ci:bot");
    T_EQ_STR(json_text(&t.arena, json_get(json_path(&answer, "status", "user", "extra", NULL),
                                          S("authentication.kubernetes.io/node-name"))),
             "[\"n1\"]");
    T_OK(post(&t, AUTHENTICATION, S("tokenreviews"), S(""), S(""), S(""), "{'spec':{'token':'x'}}"));
    T_EQ_STR(at(&t, "status", NULL), "{\"error\":\"invalid bearer token\",\"user\":{}}");
    T_OK(post(&t, AUTHENTICATION, S("tokenreviews"), S(""), S(""), S(""), "{'spec':{}}"));
    T_EQ_INT(answer_status, 400);
    testing_fini(&t);
}

TEST_MAIN(who_am_i, may_i, tokens_are_made_and_reviewed)
