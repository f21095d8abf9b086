/* SPDX-License-Identifier: Apache-2.0 */
#include "controllers/kuscia_deployment_plan.h"

#include "base/arena.h"
#include "base/test.h"
#include "wire/json_make.h"

#define IMAGE "{\"spec\":{\"image\":{\"name\":\"i\",\"tag\":\"t\"},\"configTemplates\":{\"f\":\"{{.SERVING_ID}} {{.INPUT_CONFIG}} {{{.CLUSTER_DEFINE.parties[0].services[0].endpoints[0]}}}\"}," \
              "\"deployTemplates\":[{\"role\":\"host\",\"replicas\":2,\"spec\":{\"restartPolicy\":\"Never\",\"containers\":[{\"name\":\"c\"},{\"name\":\"d\",\"args\":[\"a\"],\"ports\":[{\"name\":\"p\",\"scope\":\"Cluster\"}]}]}}," \
              "{\"spec\":{\"containers\":[{\"name\":\"c\"}]}}]}}"

static struct json service_of(struct arena *a, const char *parties)
{
    struct json p = json_literal(a, parties);
    return json_make(a, "{\"metadata\":{\"name\":\"s\",\"uid\":\"u\",\"annotations\":{}},\"spec\":{\"initiator\":\"alice\",\"inputConfig\":\"in\",\"parties\":%j}}", &p);
}

static int lay(struct arena *a, const struct json *kd, struct layout *l, struct err *err)
{
    struct json *img = arena_new(a, struct json);
    const struct json *images[4] = {img, img, img, img};
    *img = json_literal(a, IMAGE);
    return kuscia_layout_service(a, kd, images, l, err);
}

#define TWO "[{\"domainID\":\"alice\",\"role\":\"host\",\"appImageRef\":\"x\"},{\"domainID\":\"bob\",\"appImageRef\":\"x\",\"serviceNamePrefix\":\"q\",\"template\":{\"replicas\":0}}]"

TEST(layouts)
{
    ARENA_AUTO a = ARENA_INIT;
    struct json kd = service_of(&a, TWO), allocated;
    struct kuscia_ports ports;
    struct layout l;
    struct err err = ERR_NONE;
    T_NO_ERR(lay(&a, &kd, &l, &err), &err);
    T_EQ_INT(l.npods, 2);
    T_EQ_STR(l.parties[0].pods->name, "s-host");
    T_EQ_STR(l.parties[0].pods->config, "s-host-configtemplate");
    T_EQ_STR(l.parties[0].pods->ports[0].service, "s-host-p");
    T_EQ_INT(l.parties[0].replicas, 2);
    T_EQ_STR(l.parties[1].pods->name, "s");
    T_EQ_INT(l.parties[1].replicas, 0);
    kuscia_ports_init(&ports);
    T_OK(!kuscia_layout_ports(&l, NULL));
    T_NO_ERR(kuscia_layout_choose(&a, &l, &ports, &allocated, &err), &err);
    T_EQ_INT(allocated.len, 2); /* bob has no port, and is on the list: his namespace is looked at */
    T_OK(kuscia_layout_ports(&l, &allocated));
    uint32_t number = l.parties[0].pods->ports[0].number;
    T_NO_ERR(kuscia_layout_choose(&a, &l, &ports, &allocated, &err), &err);
    T_EQ_INT(l.parties[0].pods->ports[0].number, number); /* what it has it keeps */
    struct json silly = json_literal(&a, "[{\"domainID\":\"alice\",\"role\":\"host\",\"namedPort\":{\"s-host/p\":80}},{\"domainID\":\"bob\"}]");
    T_OK(!kuscia_layout_ports(&l, &silly)); /* no number of ours */
    kuscia_ports_fini(&ports);
}

TEST(what_cannot_be)
{
    static const struct {
        const char *parties, *message;
    } cases[] = {
        {"[{\"domainID\":\"alice\",\"appImageRef\":\"x\",\"template\":{\"replicas\":1001}}]", "party alice has 1001 pods: a service has at most 1000 in one domain"},
        {"[{\"domainID\":\"alice\",\"appImageRef\":\"x\",\"role\":\"host\",\"serviceNamePrefix\":\"q\"},{\"domainID\":\"alice\",\"appImageRef\":\"x\",\"role\":\"host\",\"serviceNamePrefix\":\"q\"}]",
         "two parties of domain alice have services of the name \"q-p\": give each a serviceNamePrefix of its own"},
        {"[{\"domainID\":\"alice\",\"appImageRef\":\"x\",\"role\":\"a-role-of-more-than-sixty-characters-is-more-than-a-label-can-hold\"}]",
         "the name \"s-a-role-of-more-than-sixty-characters-is-more-than-a-label-can-hold\" of the Deployment is longer than 63 characters: give it, or the role, a shorter one"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        ARENA_AUTO a = ARENA_INIT;
        struct json kd = service_of(&a, cases[i].parties);
        struct layout l;
        struct err err = ERR_NONE;
        T_OK(lay(&a, &kd, &l, &err) < 0);
        T_EQ_STR(str_of(err.msg), cases[i].message);
    }
}

/* Everything that the pods are made of changes the template, nothing else does. */
TEST(what_rolls_out)
{
    ARENA_AUTO a = ARENA_INIT;
    static const struct {
        const char *parties;
        bool rolls;
    } cases[] = {
        {"[{\"domainID\":\"alice\",\"role\":\"host\",\"appImageRef\":\"x\"}]", false},
        {"[{\"domainID\":\"alice\",\"role\":\"host\",\"appImageRef\":\"x\",\"template\":{\"replicas\":7,\"strategy\":{\"type\":\"Recreate\"}}}]", false},
        {"[{\"domainID\":\"alice\",\"role\":\"host\",\"appImageRef\":\"x\",\"template\":{\"spec\":{\"containers\":[{\"name\":\"nobody\",\"args\":[\"z\"]}]}}}]", false},
        {"[{\"domainID\":\"alice\",\"role\":\"host\",\"appImageRef\":\"x\",\"template\":{\"spec\":{\"containers\":[{\"name\":\"d\",\"resources\":{\"limits\":{\"cpu\":\"1\"}}}]}}}]", true},
        {"[{\"domainID\":\"alice\",\"role\":\"host\",\"appImageRef\":\"x\",\"template\":{\"spec\":{\"affinity\":{\"podAffinity\":{}}}}}]", true},
    };
    struct json first = json_null();
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct json kd = service_of(&a, cases[i].parties);
        struct layout l;
        struct err err = ERR_NONE;
        T_NO_ERR(lay(&a, &kd, &l, &err), &err);
        struct json files = kuscia_files(&a, &l, l.parties, l.parties->pods, NULL, &err), d = kuscia_deployment(&a, &l, l.parties, &files);
        const struct json *template = json_path(&d, "spec", "template", NULL);
        T_EQ_STR(json_get_str(json_get(&files, S("data")), S("f")), "s in s-host-p.alice.svc:0");
        T_EQ_STR(json_get_str(json_get(template, S("spec")), S("restartPolicy")), "Always");
        if (!i)
            first = *template;
        T_OK(json_equal(template, &first) == !cases[i].rolls);
        struct json others = json_make(&a, "{\"data\":{\"f\":\"else\"}}"), e = kuscia_deployment(&a, &l, l.parties, &others);
        T_OK(!json_equal(json_path(&e, "spec", "template", NULL), template)); /* other files */
    }
}

TEST(as_made)
{
    ARENA_AUTO a = ARENA_INIT;
    static const struct {
        const char *have;
        bool same;
    } cases[] = {
        {"{\"metadata\":{\"name\":\"n\",\"uid\":\"u\",\"labels\":{\"a\":\"b\",\"c\":\"d\"},\"annotations\":{\"coxswain.dev/made-from\":%S,\"x\":\"y\"}},\"spec\":{\"n\":3,\"l\":[{\"k\":\"v\",\"default\":1}]}}", true},
        {"{\"metadata\":{\"name\":\"n\",\"labels\":{\"a\":\"b\"},\"annotations\":{\"coxswain.dev/made-from\":\"else\",\"x\":%S}},\"spec\":{\"n\":3,\"l\":[{\"k\":\"v\"}]}}", false},
        {"{\"metadata\":{\"name\":\"n\",\"labels\":{\"a\":\"c\"},\"annotations\":{\"coxswain.dev/made-from\":%S}},\"spec\":{\"n\":3,\"l\":[{\"k\":\"v\"}]}}", false},
        {"{\"metadata\":{\"name\":\"n\",\"labels\":{\"a\":\"b\"},\"annotations\":{\"coxswain.dev/made-from\":%S}},\"spec\":{\"n\":4,\"l\":[{\"k\":\"v\"}]}}", false},
        {"{\"metadata\":{\"name\":\"n\",\"labels\":{\"a\":\"b\"},\"annotations\":{\"coxswain.dev/made-from\":%S}},\"spec\":{\"n\":3,\"l\":[{\"k\":\"v\"},{}]}}", false},
        {"{\"metadata\":{\"name\":\"n\",\"labels\":{\"a\":\"b\"},\"annotations\":{\"coxswain.dev/made-from\":%S}},\"spec\":{\"n\":3}}", false},
    };
    struct json want = json_literal(&a, "{\"apiVersion\":\"v1\",\"kind\":\"K\",\"metadata\":{\"name\":\"n\",\"labels\":{\"a\":\"b\"}},\"spec\":{\"n\":3,\"l\":[{\"k\":\"v\",\"empty\":\"\",\"no\":false}]}}");
    kuscia_mark(&a, &want);
    str mark = json_get_str(json_path(&want, "metadata", "annotations", NULL), S("coxswain.dev/made-from"));
    T_EQ_INT(mark.len, 16);
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct json have = json_make(&a, cases[i].have, mark);
        T_OK(kuscia_is_as_made(&want, &have) == cases[i].same);
        struct json put = kuscia_replacement(&a, &want, &have);
        T_OK(kuscia_is_as_made(&want, &put)); /* and what is written is it */
        T_EQ_STR(json_get_str(json_path(&put, "metadata", NULL), S("uid")), i ? "" : "u");
    }
}

TEST(how_far_it_is)
{
    /* alice wants 2, bob none */
    static const struct {
        const char *alice, *pod, *phase, *reason, *message;
    } cases[] = {
        {NULL, NULL, "Progressing", "DeploymentMissing", "waiting: alice-host (its Deployment is not there yet)"},
        {"{}", NULL, "Progressing", "RollingUpdate", "waiting: alice-host (0 of 2 pods are available)"},
        {"{\"observedGeneration\":1,\"replicas\":2,\"updatedReplicas\":2,\"availableReplicas\":2}", NULL, "Available", "", ""},
        {"{\"observedGeneration\":0,\"replicas\":2,\"updatedReplicas\":2,\"availableReplicas\":2}", NULL, "PartialAvailable", "RollingUpdate", "waiting: alice-host (2 of 2 pods are new)"},
        {"{\"observedGeneration\":1,\"replicas\":3,\"updatedReplicas\":1,\"availableReplicas\":2}", NULL, "PartialAvailable", "RollingUpdate", "waiting: alice-host (1 of 2 pods are new)"},
        {"{\"observedGeneration\":1,\"replicas\":2,\"updatedReplicas\":2,\"availableReplicas\":1}", "{\"phase\":\"Pending\",\"conditions\":[{\"type\":\"PodScheduled\",\"status\":\"False\",\"reason\":\"Unschedulable\",\"message\":\"no room\"}]}",
         "PartialAvailable", "Unschedulable", "waiting: alice-host (1 of 2 pods are available: pod x: no room)"},
        {"{\"observedGeneration\":1,\"replicas\":2,\"updatedReplicas\":2}", "{\"phase\":\"Running\",\"conditions\":[{\"type\":\"Ready\",\"status\":\"False\"}]}", "Progressing", "PodNotReady",
         "waiting: alice-host (0 of 2 pods are available: pod x: it is not ready)"},
        {"{\"observedGeneration\":1,\"replicas\":2}", "{\"containerStatuses\":[{\"state\":{\"waiting\":{\"reason\":\"CrashLoopBackOff\",\"message\":\"back-off\"}},\"lastState\":{\"terminated\":{\"exitCode\":3,\"message\":\"no\\n\"}}}]}",
         "Progressing", "CrashLoopBackOff", "waiting: alice-host (0 of 2 pods are available: pod x: back-off; it ended with 3: no)"},
        {"{\"observedGeneration\":1,\"conditions\":[{\"type\":\"ReplicaFailure\",\"status\":\"True\",\"reason\":\"FailedCreate\",\"message\":\"quota\"}]}", NULL, "Progressing", "FailedCreate",
         "waiting: alice-host (0 of 2 pods are available: quota)"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        ARENA_AUTO a = ARENA_INIT;
        struct json kd = service_of(&a, TWO), mine = json_null(), his = json_literal(&a, "{\"metadata\":{\"generation\":1},\"status\":{\"observedGeneration\":1}}"), pods = json_array();
        struct layout l;
        struct err err = ERR_NONE;
        T_NO_ERR(lay(&a, &kd, &l, &err), &err);
        if (cases[i].alice) {
            struct json st = json_literal(&a, cases[i].alice);
            mine = json_make(&a, "{\"metadata\":{\"generation\":1,\"creationTimestamp\":\"then\"},\"status\":%j}", &st);
        }
        if (cases[i].pod) {
            struct json st = json_literal(&a, cases[i].pod);
            json_push(&a, &pods, json_make(&a, "{\"metadata\":{\"name\":\"x\"},\"status\":%j}", &st));
        }
        const struct json *deployments[] = {cases[i].alice ? &mine : NULL, &his}, *seen[] = {&pods, NULL};
        struct deployment_view v = {.layout = &l, .deployments = deployments, .pods = seen};
        struct json st = kuscia_deployment_status(&a, &v);
        T_EQ_STR(json_get_str(&st, S("phase")), cases[i].phase);
        T_EQ_STR(json_get_str(&st, S("reason")), cases[i].reason);
        T_EQ_STR(json_get_str(&st, S("message")), cases[i].message);
        T_EQ_INT(json_get_int(&st, S("availableParties"), -1), strcmp(cases[i].phase, "Progressing") ? 2 : 1);
        T_EQ_STR(json_get_str(json_path(&st, "partyDeploymentStatuses", "bob", "s", NULL), S("phase")), "Available"); /* it has all that it wants */
        json_set(&a, &kd, S("status"), st);
        struct json again = kuscia_deployment_status(&a, &v);
        T_OK(json_equal(&st, &again)); /* the same look says the same */
    }
}

TEST_MAIN(layouts, what_cannot_be, what_rolls_out, as_made, how_far_it_is)
