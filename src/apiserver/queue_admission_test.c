/* SPDX-License-Identifier: Apache-2.0 */
#include "apiserver/queue_admission.h"

#include "apiserver/authz_testing.h"
#include "base/limits.h"

#define G S(QUEUE_GROUP)

struct world {
    struct testing t;
    struct api_req req;
    struct store_op ops[4];
    size_t nops; /* of the last check */
    struct err err;
};

static void world_init(struct world *w)
{
    *w = (struct world){.req.user.name = STR_INIT("ben")};
    testing_init(&w->t);
    w->req.arena = &w->t.arena;
    w->req.srv = &w->t.srv;
}

static struct json parse(struct world *w, const char *text)
{
    char *json = (char *)arena_cstr(&w->t.arena, str_of(text));
    for (char *c = json; *c; c++)
        *c = *c == '\'' ? '"' : *c;
    return json_literal(&w->t.arena, json);
}

static int check(struct world *w, enum admission_op op, const struct api_resource *res, const char *obj, const char *old)
{
    struct json o = {0}, p = {0};
    w->req.nwarnings = 0;
    w->err = ERR_NONE;
    if (obj)
        o = parse(w, obj);
    if (old)
        p = parse(w, old);
    struct admission_attrs at = {.srv = &w->t.srv, .req = &w->req, .arena = &w->t.arena, .store = w->t.srv.store, .op = op, .res = res, .obj = obj ? &o : NULL, .old = old ? &p : NULL,
                                 .ns = S("n"), .name = object_name(obj ? &o : &p), .ops = w->ops, .ops_room = ARRAY_LEN(w->ops)};
    int r = queues_validate(&at, &w->err);
    w->nops = at.nops;
    return r;
}

static str warning(struct world *w)
{
    return w->req.nwarnings ? w->req.warnings[0] : S("");
}

#define SPEC(parent, gpu) "'spec':{'parentQueue':'" parent "','resources':{'gpu':{'quota':" gpu "}}}"
#define QUEUE(name, parent, gpu) "{'metadata':{'name':'" name "'}," SPEC(parent, gpu) "}"
#define MARKED(name, mark, gpu) "{'metadata':{'name':'" name "','annotations':{'" mark "':'true'}}," SPEC("", gpu) "}"

static void put_queue(struct world *w, const char *text)
{
    testing_put(&w->t, G, S("queues"), text);
}

static int check_queue(struct world *w, const char *obj, const char *old)
{
    return check(w, old ? ADMIT_UPDATE : ADMIT_CREATE, object_builtin(G, S("queues")), obj, old);
}

TEST(parents_do_not_lead_back)
{
    struct world w;
    world_init(&w);
    T_EQ_INT(check_queue(&w, QUEUE("a", "b", "0"), NULL), 0);
    T_EQ_STR(warning(&w), "spec.parentQueue: queue \"b\" does not exist: work in \"a\" waits until it does");
    put_queue(&w, QUEUE("a", "b", "0"));
    put_queue(&w, QUEUE("b", "c", "0"));
    T_EQ_INT(check_queue(&w, QUEUE("c", "", "0"), NULL), 0);
    T_EQ_INT(w.req.nwarnings, 0);
    T_EQ_INT(check_queue(&w, QUEUE("c", "a", "0"), NULL), -E_INVALID);
    T_EQ_STR(str_of(w.err.msg), "Queue.scheduling.run.ai \"c\" is invalid: spec.parentQueue: Invalid value: \"a\": its parents lead back to the queue itself: c > a > b > c");
    /* what changes the tree excludes others that do */
    T_EQ_INT(check_queue(&w, QUEUE("a", "c", "0"), QUEUE("a", "b", "0")), 0);
    T_OK(w.nops == 1 && str_is(w.ops[0].key, QUEUE_TREE_KEY) && w.ops[0].expect == 0);
    T_EQ_INT(check_queue(&w, QUEUE("a", "b", "1"), QUEUE("a", "b", "0")), 0);
    T_EQ_INT(w.nops, 0);
    testing_fini(&w.t);
}

/* In any forest of any parents: refused exactly when following the parents comes back, or never ends. */
TEST(circles_agree_with_a_naive_walk)
{
    enum { N = 6 };
    struct world w;
    struct rng rng;
    world_init(&w);
    rng_seed(&rng, 3);
    for (int round = 0; round < 60; round++) {
        int parent[N];
        for (int i = 0; i < N; i++) {
            parent[i] = (int)rng_below(&rng, N + 4) - 4;
            char text[160], up[8] = "";
            if (parent[i] >= 0)
                snprintf(up, sizeof up, "q%d", parent[i]);
            snprintf(text, sizeof text, "{'metadata':{'name':'q%d'},'spec':{'parentQueue':'%s','resources':{}}}", i, up);
            put_queue(&w, text);
        }
        for (int i = 0; i < N; i++) {
            int k = parent[i], steps = 0;
            while (k >= 0 && k != i && steps++ <= N)
                k = parent[k];
            char text[160], up[8] = "";
            if (parent[i] >= 0)
                snprintf(up, sizeof up, "q%d", parent[i]);
            snprintf(text, sizeof text, "{'metadata':{'name':'q%d'},'spec':{'parentQueue':'%s','resources':{}}}", i, up);
            T_EQ_INT(check_queue(&w, text, NULL), k >= 0 ? -E_INVALID : 0);
        }
    }
    testing_fini(&w.t);
}

TEST(children_fit_into_their_parent)
{
    struct world w;
    world_init(&w);
    put_queue(&w, QUEUE("p", "", "8"));
    put_queue(&w, QUEUE("a", "p", "6"));
    T_OK(check_queue(&w, QUEUE("b", "p", "2"), NULL) == 0 && !w.req.nwarnings);
    T_EQ_INT(check_queue(&w, QUEUE("b", "p", "2.5"), NULL), 0);
    T_EQ_STR(warning(&w), "spec.resources: the queues below \"p\" are owed 8.5 gpu together, and the parent itself 8: not all of them can have it at once");
    T_EQ_INT(check_queue(&w, QUEUE("b", "p", "-1"), NULL), 0);
    T_EQ_STR(warning(&w), "spec.resources: a queue below \"p\" is owed all the gpu that it asks for, and the parent itself 8: not all of them can have it at once");
    T_EQ_INT(check_queue(&w, QUEUE("p", "", "5"), QUEUE("p", "", "8")), 0);
    T_EQ_STR(warning(&w), "spec.resources: the queues below \"p\" are owed 6 gpu together, and the parent itself 5: not all of them can have it at once");
    T_OK(check_queue(&w, QUEUE("p", "", "-1"), QUEUE("p", "", "8")) == 0 && !w.req.nwarnings);
    T_OK(check_queue(&w, QUEUE("a", "p", "8"), QUEUE("a", "p", "6")) == 0 && !w.req.nwarnings); /* counted once */
    put_queue(&w, MARKED("p", QUEUE_STRICT, "8"));
    T_EQ_INT(check_queue(&w, QUEUE("b", "p", "3"), NULL), -E_INVALID);
    T_EQ_STR(str_of(w.err.msg), "Queue.scheduling.run.ai \"b\" is invalid: spec.resources: Forbidden: the queues below \"p\" are owed 9 gpu together, and the parent itself 8, which has the annotation "
                                "scheduling.cox/strict-quota");
    testing_fini(&w.t);
}

TEST(queues_in_use_stay)
{
    struct world w;
    world_init(&w);
    const struct api_resource *queues = object_builtin(G, S("queues"));
    put_queue(&w, QUEUE("p", "", "8"));
    T_EQ_INT(check(&w, ADMIT_DELETE, queues, NULL, QUEUE("p", "", "8")), 0);
    put_queue(&w, QUEUE("a", "p", "6"));
    T_EQ_INT(check(&w, ADMIT_DELETE, queues, NULL, QUEUE("p", "", "8")), -E_FORBIDDEN);
    T_EQ_STR(str_of(w.err.msg), "queues.scheduling.run.ai \"p\" is forbidden: there are queues below it (a): delete them first, or give them another parent");
    testing_put(&w.t, S(""), S("pods"), "{'metadata':{'name':'x','namespace':'n','labels':{'kai.scheduler/queue':'aa'}},'status':{'phase':'Running'}}");
    testing_put(&w.t, S(""), S("pods"), "{'metadata':{'name':'y','namespace':'n','labels':{'kai.scheduler/queue':'a'}},'status':{'phase':'Failed'}}");
    testing_put(&w.t, S(""), S("pods"), "{'metadata':{'name':'z','namespace':'n','deletionTimestamp':'t','labels':{'kai.scheduler/queue':'a'}}}");
    testing_put(&w.t, S(""), S("pods"), "{'metadata':{'name':'v','namespace':'n','annotations':{'kai.scheduler/queue':'a'}}}"); /* the bytes, and yet not the label */
    T_EQ_INT(check(&w, ADMIT_DELETE, queues, NULL, QUEUE("a", "p", "6")), 0);
    testing_put(&w.t, S(""), S("pods"), "{'metadata':{'name':'w','namespace':'n','labels':{'kai.scheduler/queue':'a'}},'status':{'phase':'Pending'}}");
    T_EQ_INT(check(&w, ADMIT_DELETE, queues, NULL, QUEUE("a", "p", "6")), -E_FORBIDDEN);
    T_EQ_STR(str_of(w.err.msg), "queues.scheduling.run.ai \"a\" is forbidden: there is work in it (pods n/w): let it end or delete it first");
    testing_put(&w.t, G, S("podgroups"), "{'metadata':{'name':'g','namespace':'n'},'spec':{'queue':'a'}}");
    T_EQ_INT(check(&w, ADMIT_DELETE, queues, NULL, QUEUE("a", "p", "6")), -E_FORBIDDEN);
    T_EQ_STR(str_of(w.err.msg), "queues.scheduling.run.ai \"a\" is forbidden: there is work in it (pod groups n/g): let it end or delete it first");
    testing_fini(&w.t);
}

#define LABELLED(rest) "{'metadata':{'name':'x','namespace':'n'" rest "}"
#define IN(queue) "'labels':{'kai.scheduler/queue':'" queue "'}"
TEST(restricted_queues_need_the_verb)
{
    struct world w;
    world_init(&w);
    const struct api_resource *pods = object_builtin(S(""), S("pods")), *groups = object_builtin(G, S("podgroups")), *jobs = object_builtin(S("batch"), S("jobs")),
                              *crons = object_builtin(S("batch"), S("cronjobs"));
    static const char *const refused = "queue \"gold\" is restricted, and user \"ben\" does not have the verb \"use\" on queues.scheduling.run.ai \"gold\"";
    put_queue(&w, MARKED("gold", QUEUE_RESTRICTED, "1"));
    put_queue(&w, QUEUE("free", "", "1"));
    testing_put(&w.t, G, S("podgroups"), "{'metadata':{'name':'g','namespace':'n'},'spec':{'queue':'gold'}}");
    struct {
        const struct api_resource *res;
        const char *obj;
    } cases[] = {{pods, LABELLED("," IN("gold") "}")},
                 {groups, LABELLED("},'spec':{'queue':'gold'}")},
                 {jobs, LABELLED("," IN("gold") "}")},
                 {jobs, LABELLED("},'spec':{'template':{'metadata':{" IN("gold") "}}}")},
                 /* all ways into the group of somebody who may */
                 {pods, LABELLED(",'annotations':{'pod-group-name':'g'}}")},
                 {pods, LABELLED(",'annotations':{'kai.scheduler/pod-group-name':'g'}}")},
                 {pods, LABELLED(",'annotations':{'godel.bytedance.com/pod-group-name':'g'}}")},
                 {pods, LABELLED(",'labels':{'godel.bytedance.com/pod-group-name':'g'}}")},
                 {pods, LABELLED(",'labels':{'scheduling.x-k8s.io/pod-group':'g'}}")},
                 {pods, LABELLED(",'labels':{'pod-group.scheduling.sigs.k8s.io':'g'}}")},
                 {pods, LABELLED(",'labels':{'pod-group.scheduling.sigs.k8s.io/name':'g'}}")},
                 {pods, LABELLED(",'annotations':{'scheduling.k8s.io/group-name':'g'}}")},
                 {pods, LABELLED("},'spec':{'schedulingGroup':{'podGroupName':'g'}}")},
                 /* templates of operators, which have the verb themselves */
                 {jobs, LABELLED("},'spec':{'replicatedJobs':[{'name':'a'},{'template':{'spec':{'template':{'metadata':{" IN("gold") "}}}}}]}")},
                 {jobs, LABELLED("},'spec':{'pytorchReplicaSpecs':{'Worker':{'template':{'metadata':{" IN("gold") "}}}}}")},
                 {jobs, LABELLED("},'spec':{'driver':{" IN("gold") "}}")},
                 {crons, LABELLED("},'spec':{'jobTemplate':{'metadata':{" IN("gold") "}}}")},
                 {crons, LABELLED("},'spec':{'jobTemplate':{'spec':{'template':{'metadata':{" IN("gold") "}}}}}")}};
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        T_EQ_INT(check(&w, ADMIT_CREATE, cases[i].res, cases[i].obj, NULL), -E_FORBIDDEN);
        T_OK(str_find(str_of(w.err.msg), str_of(refused)) > 0);
        T_EQ_INT(check(&w, ADMIT_UPDATE, cases[i].res, cases[i].obj, cases[i].obj), 0); /* it is in already */
        T_EQ_INT(check(&w, ADMIT_DELETE, cases[i].res, NULL, cases[i].obj), 0);
    }
    T_OK(check(&w, ADMIT_CREATE, pods, LABELLED("," IN("free") "}"), NULL) == 0 && !w.req.nwarnings);
    T_OK(check(&w, ADMIT_CREATE, pods, LABELLED("}"), NULL) == 0 && !w.req.nwarnings);
    T_EQ_INT(check(&w, ADMIT_UPDATE, pods, LABELLED(",'labels':{'scheduling.x-k8s.io/pod-group':'g'}}"), LABELLED("}")), -E_FORBIDDEN); /* nor later */
    T_EQ_INT(check(&w, ADMIT_CREATE, pods, LABELLED(",'annotations':{'pod-group-name':'g'}},'spec':{'workloadRef':{'name':'w','podGroup':'g'}}"), NULL), 0); /* another one counts */
    T_EQ_INT(check(&w, ADMIT_CREATE, pods, LABELLED("," IN("none") "}"), NULL), 0);
    T_EQ_STR(warning(&w), "queue \"none\" does not exist: the work waits until it does");
    testing_put(&w.t, RBAC, S("clusterroles"), "{'metadata':{'name':'r'},'rules':[{'apiGroups':['scheduling.run.ai'],'resources':['queues'],'resourceNames':['gold'],'verbs':['use']}]}");
    testing_put(&w.t, RBAC, S("rolebindings"),
                "{'metadata':{'name':'b','namespace':'n'},'roleRef':{'apiGroup':'rbac.authorization.k8s.io','kind':'ClusterRole','name':'r'},'subjects':[{'kind':'User','name':'ben'}]}");
    for (size_t i = 0; i < ARRAY_LEN(cases); i++)
        T_EQ_INT(check(&w, ADMIT_CREATE, cases[i].res, cases[i].obj, NULL), 0);
    testing_fini(&w.t);
}

TEST(words_that_nobody_understands_are_a_warning)
{
    struct world w;
    world_init(&w);
    const struct api_resource *pods = object_builtin(S(""), S("pods")), *groups = object_builtin(G, S("podgroups")), *jobs = object_builtin(S("batch"), S("jobs")),
                              *crons = object_builtin(S("batch"), S("cronjobs")), *queues = object_builtin(G, S("queues"));
    put_queue(&w, QUEUE("free", "", "1"));
    testing_put(&w.t, S("scheduling.k8s.io"), S("priorityclasses"), "{'metadata':{'name':'build'},'value':100}");
    testing_put(&w.t, S("kai.scheduler"), S("topologies"), "{'metadata':{'name':'hall'}}");
#define LABELS(more) "'labels':{'kai.scheduler/queue':'free'," more "}"
    struct {
        const struct api_resource *res;
        const char *obj, *warning; /* "": none */
    } cases[] = {
        {pods, LABELLED("," LABELS("'kai.scheduler/preemptibility':'never'") "}"),
         "label kai.scheduler/preemptibility: \"never\" has no effect: there are preemptible, non-preemptible and semi-preemptible"},
        {jobs, LABELLED("},'spec':{'template':{'metadata':{" LABELS("'kai.scheduler/preemptibility':'Preemptible'") "}}}"),
         "label kai.scheduler/preemptibility: \"Preemptible\" has no effect: there are preemptible, non-preemptible and semi-preemptible"},
        {pods, LABELLED("," LABELS("'kai.scheduler/preemptibility':'semi-preemptible','priorityClassName':'build'") "}"), ""},
        {pods, LABELLED("," LABELS("'priorityClassName':'biuld'") "}"), "label priorityClassName: PriorityClass \"biuld\" does not exist: the work does not have its priority until it does"},
        {pods, LABELLED(",'labels':{'priorityClassName':'biuld'}}"), ""}, /* in no queue: anybody's label */
        {crons, LABELLED("},'spec':{'jobTemplate':{'metadata':{'annotations':{'kai.scheduler/batch-min-member':'four'}}}}"),
         "annotation kai.scheduler/batch-min-member: \"four\" has no effect: must be a whole number from 1 on"},
        {jobs, LABELLED(",'annotations':{'kai.scheduler/batch-min-member':'0'}}"), "annotation kai.scheduler/batch-min-member: \"0\" has no effect: must be a whole number from 1 on"},
        {jobs, LABELLED(",'annotations':{'kai.scheduler/batch-min-member':'4','kai.scheduler/topology':'hall'}}"), ""},
        {jobs, LABELLED(",'annotations':{'kai.scheduler/topology':'hal'}}"), "annotation kai.scheduler/topology: Topology \"hal\" does not exist: levels are taken for labels of nodes until it does"},
        {groups, LABELLED("},'spec':{'priorityClassName':'biuld'}"), "spec.priorityClassName: PriorityClass \"biuld\" does not exist: the work does not have its priority until it does"},
        {groups, LABELLED("},'spec':{'topologyConstraint':{'topology':'hal'}}"),
         "spec.topologyConstraint.topology: Topology \"hal\" does not exist: levels are taken for labels of nodes until it does"},
        {groups, LABELLED("},'spec':{'priorityClassName':'build','topologyConstraint':{'topology':'hall'}}"), ""},
        {queues, "{'metadata':{'name':'x'},'spec':{'resources':{'gpu':{'quota':4,'limit':2}}}}", "spec.resources[gpu]: the queue is owed 4, and its limit is 2: it never has more than that"},
        {queues, "{'metadata':{'name':'x'},'spec':{'resources':{'gpu':{'quota':4,'limit':-1},'cpu':{'quota':-1,'limit':2},'memory':{'quota':2,'limit':2}}}}", ""},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        T_EQ_INT(check(&w, ADMIT_CREATE, cases[i].res, cases[i].obj, NULL), 0);
        T_EQ_STR(warning(&w), cases[i].warning);
        T_EQ_INT(w.req.nwarnings, *cases[i].warning != 0);
        T_EQ_INT(check(&w, ADMIT_UPDATE, cases[i].res, cases[i].obj, cases[i].obj), 0); /* said once */
        T_EQ_INT(w.req.nwarnings, 0);
    }
    testing_fini(&w.t);
}

TEST_MAIN(parents_do_not_lead_back, circles_agree_with_a_naive_walk, children_fit_into_their_parent, queues_in_use_stay, restricted_queues_need_the_verb, words_that_nobody_understands_are_a_warning)
