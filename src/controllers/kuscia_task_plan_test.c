/* SPDX-License-Identifier: Apache-2.0 */
#include "controllers/kuscia_task_plan.h"

#include "base/arena.h"
#include "base/test.h"
#include "wire/json_make.h"

#define IMAGE "{\"spec\":{\"image\":{\"name\":\"i\",\"tag\":\"t\"},\"deployTemplates\":[{\"name\":\"x\",\"role\":\"host\",\"replicas\":2,\"spec\":{\"containers\":[{\"name\":\"c\",\"args\":[\"a\"],\"env\":[{\"name\":\"A\",\"value\":\"1\"},{\"name\":\"C\"}]," \
              "\"ports\":[{\"name\":\"p\",\"scope\":\"Cluster\"}]}]}},{\"name\":\"y\",\"spec\":{\"restartPolicy\":\"OnFailure\",\"containers\":[{\"name\":\"d\"}]}}]}}"

static struct layout lay(struct arena *a, const struct json *task, const char *image)
{
    struct json *img = arena_new(a, struct json);
    const struct json *images[8];
    struct layout l;
    struct err err = ERR_NONE;
    *img = json_literal(a, image);
    for (size_t i = 0; i < ARRAY_LEN(images); i++)
        images[i] = img;
    T_NO_ERR(kuscia_layout(a, task, images, &l, &err), &err);
    return l;
}

static struct json task_of(struct arena *a, const char *spec)
{
    struct json s = json_literal(a, spec);
    return json_make(a, "{\"metadata\":{\"name\":\"t\",\"uid\":\"u\"},\"spec\":%j}", &s);
}

TEST(layouts)
{
    ARENA_AUTO a = ARENA_INIT;
    struct json task = task_of(&a, "{\"initiator\":\"alice\",\"parties\":[{\"domainID\":\"alice\",\"appImageRef\":\"x\",\"role\":\"host\",\"template\":{\"spec\":{\"containers\":[{\"command\":[\"go\"],"
                                   "\"env\":[{\"name\":\"B\"},{\"name\":\"A\",\"value\":\"2\"}],\"resources\":{\"requests\":{\"cpu\":\"1\"}}}]}}},{\"domainID\":\"bob\",\"appImageRef\":\"x\",\"role\":\"guest\",\"minReservedPods\":9}]}");
    struct layout l = lay(&a, &task, IMAGE);
    T_EQ_INT(l.nparties, 2);
    T_EQ_INT(l.npods, 3);
    T_EQ_INT(l.min_parties, 2);
    T_EQ_STR(l.parties[0].pods[1].name, "t-host-1");
    T_EQ_STR(l.parties[0].pods[1].ports[0].service, "t-host-1-p");
    T_EQ_STR(l.parties[0].restart_policy, "Never");
    T_EQ_STR(l.parties[1].restart_policy, "OnFailure");
    T_EQ_INT(l.parties[1].min_pods, 1); /* more than it has is all of them */
    const struct json *c = &l.parties[0].containers.items[0];
    T_EQ_STR(json_text(&a, c), "{\"name\":\"c\",\"args\":[],\"env\":[{\"name\":\"A\",\"value\":\"2\"},{\"name\":\"C\"},{\"name\":\"B\"}],\"ports\":[{\"name\":\"p\",\"scope\":\"Cluster\"}],\"command\":[\"go\"],"
                               "\"resources\":{\"requests\":{\"cpu\":\"1\"}}}");
    struct kuscia_ports ports;
    struct json allocated;
    struct err err = ERR_NONE;
    kuscia_ports_init(&ports);
    T_OK(!kuscia_layout_ports(&l, NULL));
    T_NO_ERR(kuscia_layout_choose(&a, &l, &ports, &allocated, &err), &err);
    uint32_t number = l.parties[0].pods[1].ports[0].number;
    struct layout again = lay(&a, &task, IMAGE);
    json_set(&a, json_get(&task, S("metadata")), S("name"), json_string(S("t.1")));
    struct layout dotted = lay(&a, &task, IMAGE);
    T_EQ_STR(dotted.parties[0].pods[1].name, "t.1-host-1");
    T_OK(str_has_prefix(dotted.parties[0].pods[1].ports[0].service, S("t-1-host-1-p-")) && str_find_char(dotted.parties[0].pods[1].ports[0].service, '.') < 0);
    T_OK(!str_eq(dotted.parties[0].pods[1].ports[0].service, dotted.parties[0].pods[0].ports[0].service));
    T_OK(kuscia_layout_ports(&again, &allocated) && again.parties[0].pods[1].ports[0].number == number && number);
    kuscia_ports_fini(&ports);
}

TEST(what_cannot_be_laid_out)
{
    static const struct {
        const char *spec, *message;
    } cases[] = {
        {"{\"parties\":[{\"domainID\":\"alice\",\"appImageRef\":\"none\"}]}", "there is no AppImage \"none\", which party alice runs"},
        {"{\"parties\":[{\"domainID\":\"alice\",\"appImageRef\":\"roles\",\"role\":\"third\"}]}", "AppImage \"roles\" has no template for the role \"third\" of party alice"},
        {"{\"parties\":[{\"domainID\":\"alice\",\"appImageRef\":\"any\",\"template\":{\"replicas\":300}}]}", "party alice has 300 pods: it takes at least one, and a task at most 256"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        ARENA_AUTO a = ARENA_INIT;
        struct json task = task_of(&a, cases[i].spec), roles = json_literal(&a, "{\"spec\":{\"deployTemplates\":[{\"role\":\"host\"}]}}"), any = json_literal(&a, IMAGE);
        const struct json *images[] = {i == 0 ? NULL : i == 1 ? &roles : &any};
        struct layout l;
        struct err err = ERR_NONE;
        T_OK(kuscia_layout(&a, &task, images, &l, &err) < 0);
        T_EQ_STR(str_of(err.msg), cases[i].message);
    }
}

/* Pods by letter: - none, w waits, r runs, n runs on a node that is lost, g succeeded, b failed, m the same with last words, c will never run, l and L are being deleted, running and succeeded. */
static struct json pod(struct arena *a, char c)
{
    static const char *const phases[] = {"Pending", "Running", "Succeeded", "Failed", "Pending", "Running", "Succeeded", "Running", "Failed"};
    struct json p = json_make(a, "{\"status\":{\"phase\":%s}}", phases[strchr("wrgbclLnm", c) - "wrgbclLnm"]);
    if (c == 'n')
        json_set(a, &p, S("spec"), json_literal(a, "{\"nodeName\":\"a-1\"}"));
    if (c == 'c')
        json_set(a, json_get(&p, S("status")), S("containerStatuses"), json_literal(a, "[{\"state\":{\"waiting\":{\"reason\":\"InvalidImageName\",\"message\":\"no\"}}}]"));
    if (c == 'l' || c == 'L')
        json_set(a, json_ensure_object(a, &p, S("metadata")), S("deletionTimestamp"), json_string(S("2026-01-01T00:00:00Z")));
    if (c == 'w')
        json_set(a, json_get(&p, S("status")), S("conditions"), json_literal(a, "[{\"type\":\"PodScheduled\",\"status\":\"False\",\"reason\":\"Unschedulable\",\"message\":\"no room\"}]"));
    return p;
}

TEST(how_far_it_is)
{
    /* two parties of two pods each, of which min_pods must succeed, and min_parties parties */
    static const struct {
        const char *pods;
        size_t min_pods, min_parties;
        const char *group, *phase, *message, *parties; /* first letters of their phases */
    } cases[] = {
        {"wwww", 2, 2, "Reserving", "Pending", "waiting: alice, bob (no room)", "PP"},
        {"rwww", 2, 2, "Reserving", "Running", "waiting: bob (no room)", "RP"},
        {"rrrr", 2, 2, "Reserved", "Running", "", "RR"},
        {"rnrr", 2, 2, "Reserved", "Running", "party alice: pod t-a-1: node a-1 is not ready; the pod fails when its toleration of that is over", "RR"},
        {"ggrr", 2, 2, "Reserved", "Running", "", "SR"},
        {"gggg", 2, 2, "Reserved", "Succeeded", "", "SS"},
        {"ggrr", 2, 1, "Reserved", "Succeeded", "", "SF"},
        {"ggwr", 2, 1, "Reserved", "Succeeded", "", "SF"},
        {"grbg", 1, 2, "Reserved", "Succeeded", "", "SS"},
        {"bgrr", 2, 2, "Reserved", "Failed", "1 of 2 parties are left and 2 are needed; failed: alice (pod t-a-0: Error)", "FF"},
        {"bgrr", 2, 1, "Reserved", "Running", "", "FR"},
        {"mgrr", 2, 2, "Reserved", "Failed", "1 of 2 parties are left and 2 are needed; failed: alice (pod t-a-0: there is no table\nof that name)", "FF"},
        {"crrr", 2, 2, "Reserved", "Failed", "1 of 2 parties are left and 2 are needed; failed: alice (pod t-a-0: no)", "FF"},
        {"-rrr", 2, 2, "Reserved", "Failed", "1 of 2 parties are left and 2 are needed; failed: alice (pod t-a-0: the pod is gone)", "FF"},
        {"lrrr", 2, 2, "Reserved", "Failed", "1 of 2 parties are left and 2 are needed; failed: alice (pod t-a-0: it was deleted before it ended)", "FF"},
        {"LLgg", 2, 2, "Reserved", "Succeeded", "", "SS"},
        {"wwww", 2, 2, "Failed", "Failed", "its time is over; waiting: alice, bob (no room)", "FF"},
        {"rrrr", 2, 2, "Failed", "Failed", "its time is over", "FF"},
        {"grgg", 2, 2, NULL, "Failed", "the TaskResourceGroup was deleted", "FS"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        ARENA_AUTO a = ARENA_INIT;
        struct json task = task_of(&a, "{}"), group = json_null(), pods[4];
        const struct json *seen[4];
        bool lost[4];
        struct layout_pod of[2][2] = {{{.name = S("t-a-0")}, {.name = S("t-a-1")}}, {{.name = S("t-b-0")}, {.name = S("t-b-1")}}};
        struct layout_party parties[] = {{.domain = S("alice"), .pods = of[0], .npods = 2, .min_pods = cases[i].min_pods}, {.domain = S("bob"), .pods = of[1], .npods = 2, .min_pods = cases[i].min_pods}};
        struct layout l = {.task = &task, .parties = parties, .nparties = 2, .npods = 4, .min_parties = cases[i].min_parties};
        for (size_t k = 0; k < 4; k++) {
            if (cases[i].pods[k] != '-')
                pods[k] = pod(&a, cases[i].pods[k]);
            if (cases[i].pods[k] == 'b')
                json_set(&a, json_get(&pods[k], S("status")), S("containerStatuses"), json_literal(&a, "[{\"state\":{\"terminated\":{\"exitCode\":1,\"reason\":\"Error\"}}}]"));
            if (cases[i].pods[k] == 'm')
                json_set(&a, json_get(&pods[k], S("status")), S("containerStatuses"), json_literal(&a, "[{\"state\":{\"terminated\":{\"exitCode\":1,\"message\":\"there is no table\\nof that name\\n\"}}}]"));
            seen[k] = cases[i].pods[k] == '-' ? NULL : &pods[k];
            lost[k] = cases[i].pods[k] == 'n';
        }
        if (cases[i].group)
            group = json_make(&a, "{\"status\":{\"phase\":%s,\"conditions\":[{\"type\":\"TaskResourceGroupExpired\",\"status\":\"True\",\"reason\":\"its time is over\"}]}}", cases[i].group);
        struct task_view v = {.layout = &l, .pods = seen, .lost = lost, .group = cases[i].group ? &group : NULL, .now = S("2026-01-01T00:00:00Z")};
        struct json st = kuscia_task_status(&a, &v);
        T_EQ_STR(json_get_str(&st, S("phase")), cases[i].phase);
        T_EQ_STR(json_get_str(&st, S("message")), cases[i].message);
        T_EQ_INT(json_get(&st, S("podStatuses"))->len, 4);
        for (size_t k = 0; k < 2; k++)
            T_EQ_INT(*json_get_str(&json_get(&st, S("partyTaskStatus"))->items[k], S("phase")).p, cases[i].parties[k]);
        bool over = *cases[i].phase == 'S' || *cases[i].phase == 'F';
        for (uint32_t k = 0; over && k < 4; k++) {
            str now = json_get_str(&json_get(&st, S("podStatuses"))->members[k].value, S("podPhase"));
            T_OK(str_is(now, "Succeeded") || str_is(now, "Failed")); /* no pod runs in a task that is over */
        }
        if (strchr(cases[i].pods, 'w') && *cases[i].phase != 'S' && *cases[i].phase != 'F')
            T_EQ_STR(json_get_str(&st, S("reason")), "Unschedulable");
        json_set(&a, &task, S("status"), st);
        struct json again = kuscia_task_status(&a, &v);
        T_OK(json_equal(&st, &again)); /* the same look says the same */
    }
}

/* Somebody else ended it: its job, or a person. */
TEST(ended_by_others)
{
    ARENA_AUTO a = ARENA_INIT;
    struct json st = json_literal(&a, "{\"phase\":\"Failed\",\"partyTaskStatus\":[{\"domainID\":\"alice\",\"phase\":\"Succeeded\"},{\"domainID\":\"bob\",\"phase\":\"Running\"},"
                                      "{\"domainID\":\"carol\",\"phase\":\"Pending\",\"message\":\"lacks cpu\"},{\"domainID\":\"dora\",\"phase\":\"Failed\",\"message\":\"boom\"}],"
                                      "\"podStatuses\":{\"bob/t-0\":{\"podPhase\":\"Running\"},\"carol/t-0\":{\"podPhase\":\"Pending\",\"message\":\"lacks cpu\"},\"alice/t-0\":{\"podPhase\":\"Succeeded\"}}}");
    kuscia_task_end(&a, &st, S("2026-01-01T00:00:00Z"));
    T_EQ_STR(json_text(&a, &st),
             "{\"phase\":\"Failed\",\"partyTaskStatus\":[{\"domainID\":\"alice\",\"phase\":\"Succeeded\"},{\"domainID\":\"bob\",\"phase\":\"Failed\",\"message\":\"ended with the task\"},"
             "{\"domainID\":\"carol\",\"phase\":\"Failed\",\"message\":\"ended with the task (lacks cpu)\"},{\"domainID\":\"dora\",\"phase\":\"Failed\",\"message\":\"boom\"}],"
             "\"podStatuses\":{\"bob/t-0\":{\"podPhase\":\"Failed\",\"message\":\"ended with the task\"},\"carol/t-0\":{\"podPhase\":\"Failed\",\"message\":\"lacks cpu\"},\"alice/t-0\":{\"podPhase\":\"Succeeded\"}},"
             "\"conditions\":[{\"type\":\"Success\",\"status\":\"False\",\"lastTransitionTime\":\"2026-01-01T00:00:00Z\"}]}");
    struct json again = json_copy(&a, &st);
    kuscia_task_end(&a, &again, S("2026-01-02T00:00:00Z"));
    T_OK(json_equal(&st, &again));
    struct json bare = json_literal(&a, "{\"phase\":\"Failed\",\"partyTaskStatus\":[null],\"podStatuses\":{\"x\":null}}");
    kuscia_task_end(&a, &bare, S("2026-01-01T00:00:00Z")); /* whatever others wrote there */
}

TEST(the_group_is_enough)
{
    ARENA_AUTO a = ARENA_INIT;
    struct json task = task_of(&a, "{\"initiator\":\"alice\",\"scheduleConfig\":{\"minReservedMembers\":1},\"parties\":[{\"domainID\":\"alice\",\"appImageRef\":\"x\",\"role\":\"host\",\"minReservedPods\":1},"
                                   "{\"domainID\":\"bob\",\"appImageRef\":\"x\"}]}");
    struct layout made = lay(&a, &task, IMAGE), l;
    struct json group = kuscia_task_group(&a, &made);
    kuscia_layout_group(&a, &task, &group, &l);
    T_EQ_INT(l.nparties, made.nparties);
    T_EQ_INT(l.npods, made.npods);
    T_EQ_INT(l.min_parties, 1);
    for (size_t i = 0; i < l.nparties; i++) {
        T_OK(str_eq(l.parties[i].domain, made.parties[i].domain) && str_eq(l.parties[i].role, made.parties[i].role));
        T_EQ_INT(l.parties[i].min_pods, made.parties[i].min_pods);
        T_EQ_INT(l.parties[i].npods, made.parties[i].npods);
        for (size_t k = 0; k < l.parties[i].npods; k++)
            T_OK(str_eq(l.parties[i].pods[k].name, made.parties[i].pods[k].name));
    }
    struct json nonsense = json_literal(&a, "{\"spec\":{\"parties\":[{\"minReservedPods\":-3},{\"pods\":\"x\"}]}}");
    kuscia_layout_group(&a, &task, &nonsense, &l);
    T_EQ_INT(l.nparties, 2);
    T_EQ_INT(l.npods, 0);
    T_EQ_INT(l.parties[0].min_pods, 0);
}

TEST_MAIN(layouts, what_cannot_be_laid_out, how_far_it_is, ended_by_others, the_group_is_enough)
