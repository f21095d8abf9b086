/* SPDX-License-Identifier: Apache-2.0 */
#include "apiserver/domain_rights.h"

#include "apiserver/authz_testing.h"

#define G S("kuscia.secretflow")
#define PARTIES "'parties':[{'domainID':'alice'},{'domainID':'bob'}]"
#define JOB(more) "{'metadata':{'name':'j','namespace':'cross-domain'" more "},'spec':{'initiator':'alice','tasks':[{'alias':'a'," PARTIES "}]}"
#define STAGE(stage, by) ",'labels':{'kuscia.secretflow/job-stage':'" stage "','kuscia.secretflow/job-stage-trigger':'" by "'}"
#define ANSWERS(text) ",'status':{'phase':'AwaitingApproval','approveStatus':{" text "}}}"

struct world {
    struct testing t;
    struct api_req req;
    str group;
    struct err err;
};

static void world_init(struct world *w)
{
    static const char *const domains[] = {"alice", "bob", "carol"};
    *w = (struct world){.req.user.name = STR_INIT("u")};
    testing_init(&w->t);
    w->req.arena = &w->t.arena;
    w->req.srv = &w->t.srv;
    w->req.user.groups = &w->group;
    w->req.user.ngroups = 1;
    for (size_t i = 0; i < ARRAY_LEN(domains); i++) { /* as controllers/domains.c makes them */
        const char *d = domains[i];
        struct arena *a = &w->t.arena;
        testing_put(&w->t, G, S("domains"), arena_cstr(a, arena_fmt(a, "{'metadata':{'name':'%s','annotations':{'" DOMAIN_ASK_ANNOTATION "':'%s'}}}", d, i == 1 ? "manual" : "")));
        testing_put(&w->t, RBAC, S("roles"),
                    arena_cstr(a, arena_fmt(a, "{'metadata':{'name':'domain','namespace':'%s'},'rules':[{'apiGroups':['kuscia.secretflow'],'resources':['kusciajobs'],'verbs':['approve','command']}]}", d)));
        testing_put(&w->t, RBAC, S("rolebindings"),
                    arena_cstr(a, arena_fmt(a, "{'metadata':{'name':'domain','namespace':'%s'},'roleRef':{'apiGroup':'rbac.authorization.k8s.io','kind':'Role','name':'domain'},"
                                               "'subjects':[{'apiGroup':'rbac.authorization.k8s.io','kind':'Group','name':'kuscia:domain:%s'}]}", d, d)));
    }
    testing_put(&w->t, RBAC, S("clusterroles"), "{'metadata':{'name':'clerk'},'rules':[{'apiGroups':['kuscia.secretflow'],'resources':['kusciajobs','kusciajobs/status'],'verbs':['create','patch','update']}]}");
    testing_put(&w->t, RBAC, S("clusterrolebindings"), "{'metadata':{'name':'clerks'},'roleRef':{'apiGroup':'rbac.authorization.k8s.io','kind':'ClusterRole','name':'clerk'},"
                                                       "'subjects':[{'apiGroup':'rbac.authorization.k8s.io','kind':'Group','name':'clerks'}]}");
}

static struct json parse(struct world *w, const char *text)
{
    char *json = (char *)arena_cstr(&w->t.arena, str_of(text));
    for (char *c = json; *c; c++)
        *c = *c == '\'' ? '"' : *c;
    return json_literal(&w->t.arena, json);
}

/* old NULL: a create. */
static int write_as(struct world *w, const char *group, const char *old, const char *new)
{
    struct json o = parse(w, new), p = {0};
    w->group = str_of(group);
    w->err = ERR_NONE;
    w->req.target = (struct api_target){.is_resource = true, .verb = old ? S("patch") : S("create"), .group = G, .version = S("v1alpha1"), .resource = S("kusciajobs"), .ns = S(DOMAIN_JOBS_NS), .name = S("j")};
    if (old)
        p = parse(w, old);
    struct admission_attrs at = {.srv = &w->t.srv, .req = &w->req, .arena = &w->t.arena, .store = w->t.srv.store, .op = old ? ADMIT_UPDATE : ADMIT_CREATE,
                                 .res = object_builtin(G, S("kusciajobs")), .obj = &o, .old = old ? &p : NULL, .ns = S(DOMAIN_JOBS_NS), .name = S("j")};
    return domain_rights_validate(&at, &w->err);
}

static bool allowed(struct world *w, const char *user, const char *group, const char *verb, const char *resource, const char *name)
{
    str groups[2] = {str_of(group), S("system:nodes")};
    struct api_user u = {.name = str_of(user), .groups = groups, .ngroups = ARRAY_LEN(groups)};
    struct authz_attrs at = {.user = &u, .is_resource = true, .verb = str_of(verb), .group = G, .version = S("v1alpha1"), .resource = str_of(resource), .ns = S(DOMAIN_JOBS_NS), .name = str_of(name)};
    return authz_check(w->t.srv.authz, &w->t.arena, &at, NULL);
}

TEST(people_see_the_jobs_that_their_domain_takes_part_in)
{
    struct world w;
    world_init(&w);
    testing_put(&w.t, G, S("kusciajobs"), JOB("") "}");
    T_OK(allowed(&w, "ben", "kuscia:domain:bob", "get", "kusciajobs", "j"));
    T_OK(allowed(&w, "ben", "kuscia:domain:bob", "watch", "kusciajobs", "j"));
    T_OK(allowed(&w, "ann", "kuscia:domain:alice", "patch", "kusciajobs", "j"));
    T_OK(!allowed(&w, "ben", "kuscia:domain:bob", "delete", "kusciajobs", "j"));
    T_OK(!allowed(&w, "ben", "kuscia:domain:bob", "list", "kusciajobs", ""));
    T_OK(!allowed(&w, "ben", "kuscia:domain:bob", "get", "kusciajobs", "other"));
    T_OK(!allowed(&w, "ben", "kuscia:domain:bob", "get", "kusciatasks", "j"));
    T_OK(!allowed(&w, "cat", "kuscia:domain:carol", "get", "kusciajobs", "j"));
    T_OK(!allowed(&w, "dan", "kuscia:domain:", "get", "kusciajobs", "j"));
    T_OK(!allowed(&w, "system:node:b1", "kuscia:domain:bob", "get", "kusciajobs", "j")); /* a machine is nobody */
    testing_fini(&w.t);
}

TEST(a_domain_answers_for_itself)
{
    struct world w;
    world_init(&w);
    const char *asked = JOB("") ANSWERS("'alice':'JobAccepted'"), *yes = JOB("") ANSWERS("'alice':'JobAccepted','bob':'JobAccepted'"), *gone = JOB("") ANSWERS("");
    T_EQ_INT(write_as(&w, "kuscia:domain:bob", asked, yes), 0);
    T_EQ_INT(write_as(&w, "kuscia:domain:alice", asked, yes), -E_FORBIDDEN);
    T_EQ_STR(str_of(w.err.msg), "kusciajobs.kuscia.secretflow \"j\" is forbidden: user \"u\" may not answer for domain \"bob\": that takes the verb \"approve\" on kusciajobs.kuscia.secretflow in the namespace \"bob\"");
    T_EQ_INT(write_as(&w, "kuscia:domain:bob", asked, gone), -E_FORBIDDEN); /* alice's answer is not bob's to take away */
    T_EQ_INT(write_as(&w, "clerks", asked, yes), -E_FORBIDDEN);              /* who may write every job does not speak for domains */
    T_EQ_INT(write_as(&w, "system:masters", asked, yes), 0);
    testing_fini(&w.t);
}

TEST(a_domain_commands_in_its_own_name)
{
    struct world w;
    world_init(&w);
    const char *runs = JOB("") "}";
    T_EQ_INT(write_as(&w, "kuscia:domain:bob", runs, JOB(STAGE("Stop", "bob")) "}"), 0);
    T_EQ_INT(write_as(&w, "kuscia:domain:bob", runs, JOB(STAGE("Stop", "alice")) "}"), -E_FORBIDDEN);
    T_EQ_INT(write_as(&w, "kuscia:domain:bob", JOB(STAGE("Start", "alice")) "}", JOB(STAGE("Stop", "alice")) "}"), -E_FORBIDDEN);
    T_EQ_INT(write_as(&w, "kuscia:domain:bob", runs, JOB(",'labels':{'kuscia.secretflow/job-stage':'Stop'}") "}"), -E_FORBIDDEN);
    T_EQ_STR(str_of(w.err.msg), "kusciajobs.kuscia.secretflow \"j\" is forbidden: a command has the name of the domain that gives it, in the label kuscia.secretflow/job-stage-trigger");
    T_EQ_INT(write_as(&w, "clerks", runs, JOB(",'labels':{'kuscia.secretflow/job-stage':'Stop'}") "}"), 0);
    T_EQ_INT(write_as(&w, "clerks", runs, JOB(STAGE("Stop", "bob")) "}"), -E_FORBIDDEN);
    T_EQ_INT(write_as(&w, "clerks", runs, JOB(STAGE("Stop", "carol")) "}"), -E_FORBIDDEN);
    T_EQ_STR(str_of(w.err.msg), "kusciajobs.kuscia.secretflow \"j\" is forbidden: domain \"carol\" does not take part in the job, and commands nothing in it");
    testing_fini(&w.t);
}

TEST(and_changes_nothing_else)
{
    static const char *const changed[] = {
        JOB(",'labels':{'team':'x'}") "}", JOB(",'finalizers':['a/b']") "}", JOB(",'annotations':{'a':'b'}") "}", JOB("") ",'status':{'phase':'Succeeded'}}",
        "{'metadata':{'name':'j','namespace':'cross-domain'},'spec':{'initiator':'bob','tasks':[{'alias':'a'," PARTIES "}]}}",
    };
    struct world w;
    world_init(&w);
    for (size_t i = 0; i < ARRAY_LEN(changed); i++)
        T_EQ_INT(write_as(&w, "kuscia:domain:alice", JOB("") "}", changed[i]), -E_FORBIDDEN);
    T_EQ_INT(write_as(&w, "kuscia:domain:alice", JOB("") "}", JOB(",'resourceVersion':'7','managedFields':[]") "}"), 0);
    T_EQ_INT(write_as(&w, "clerks", JOB("") "}", changed[0]), 0);
    testing_fini(&w.t);
}

#define CHANGED(phase, answers) "{'metadata':{'name':'j','namespace':'cross-domain'},'spec':{'initiator':'alice','tasks':[{'alias':'other'," PARTIES "}]},'status':{'phase':'" phase "','approveStatus':{" answers "}}}"
#define AGREED(phase, answers) JOB("") ",'status':{'phase':'" phase "','approveStatus':{" answers "}}}"

/* bob wants to be asked. */
TEST(what_was_agreed_to_stays)
{
    struct world w;
    world_init(&w);
    T_EQ_INT(write_as(&w, "clerks", AGREED("Running", "'bob':'JobAccepted'"), CHANGED("Running", "'bob':'JobAccepted'")), -E_FORBIDDEN);
    T_EQ_INT(write_as(&w, "clerks", AGREED("AwaitingApproval", "'bob':'JobAccepted'"), CHANGED("AwaitingApproval", "'bob':'JobAccepted'")), -E_FORBIDDEN);
    T_EQ_INT(write_as(&w, "clerks", AGREED("AwaitingApproval", "'alice':'JobAccepted'"), CHANGED("AwaitingApproval", "'alice':'JobAccepted'")), 0);
    T_EQ_INT(write_as(&w, "clerks", JOB("") "}", CHANGED("", "")), 0);
    T_EQ_INT(write_as(&w, "system:masters", AGREED("Running", ""), CHANGED("Running", "")), 0);
    /* nor is anybody made an initiator, who is not asked */
    T_EQ_INT(write_as(&w, "clerks", NULL, JOB("") "}"), 0);
    T_EQ_INT(write_as(&w, "clerks", NULL, "{'metadata':{'name':'j'},'spec':{'initiator':'bob','tasks':[]}}"), -E_FORBIDDEN);
    T_EQ_STR(str_of(w.err.msg), "kusciajobs.kuscia.secretflow \"j\" is forbidden: user \"u\" may not make jobs in the name of domain \"bob\": that takes the verb \"approve\" on kusciajobs.kuscia.secretflow in the namespace \"bob\"");
    testing_fini(&w.t);
}

/* Nor does a job run that bob was not asked about, because somebody writes that it does. */
TEST(a_phase_answers_for_nobody)
{
    struct world w;
    world_init(&w);
    static const char *const runs[] = {"Pending", "Running", "Suspended", "Sometime"}, *const ends[] = {"", "initialized", "AwaitingApproval", "Failed", "Cancelled"};
    for (size_t i = 0; i < ARRAY_LEN(runs); i++) {
        const char *is = arena_cstr(&w.t.arena, arena_fmt(&w.t.arena, AGREED("%s", "'alice':'JobAccepted'"), runs[i])), *agreed = arena_cstr(&w.t.arena, arena_fmt(&w.t.arena, AGREED("%s", "'bob':'JobAccepted'"), runs[i]));
        T_EQ_INT(write_as(&w, "clerks", AGREED("AwaitingApproval", "'alice':'JobAccepted'"), is), -E_FORBIDDEN);
        T_EQ_INT(write_as(&w, "clerks", AGREED("Failed", "'alice':'JobAccepted'"), is), -E_FORBIDDEN);
        T_EQ_INT(write_as(&w, "clerks", AGREED("Failed", "'bob':'JobAccepted'"), agreed), 0);
        T_EQ_INT(write_as(&w, "system:masters", AGREED("Failed", "'alice':'JobAccepted'"), is), 0);
    }
    T_EQ_INT(write_as(&w, "clerks", AGREED("AwaitingApproval", ""), AGREED("Running", "")), -E_FORBIDDEN);
    T_EQ_STR(str_of(w.err.msg), "kusciajobs.kuscia.secretflow \"j\" is forbidden: user \"u\" may not start what was not agreed to by domain \"bob\": that takes the verb \"approve\" on kusciajobs.kuscia.secretflow in the namespace \"bob\"");
    for (size_t i = 0; i < ARRAY_LEN(ends); i++)
        T_EQ_INT(write_as(&w, "clerks", AGREED("Pending", ""), arena_cstr(&w.t.arena, arena_fmt(&w.t.arena, AGREED("%s", ""), ends[i]))), 0);
    testing_fini(&w.t);
}

TEST_MAIN(people_see_the_jobs_that_their_domain_takes_part_in, a_domain_answers_for_itself, a_domain_commands_in_its_own_name, and_changes_nothing_else, what_was_agreed_to_stays, a_phase_answers_for_nobody)
