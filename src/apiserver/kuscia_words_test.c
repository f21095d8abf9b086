/* SPDX-License-Identifier: Apache-2.0 */
#include "apiserver/kuscia_words.h"

#include "apiserver/authz_testing.h"

#define G "kuscia.secretflow"
#define AMOUNT(list, text) "'resources':{'" list "':{'kuscia.io/bandwidth':'" text "'}}"
#define POD(list, text) "{'spec':{'containers':[{'name':'a'},{'name':'b'," AMOUNT(list, text) "}]}}"
#define NOTED(map, key, value) "{'metadata':{'" map "':{'kuscia.secretflow/" key "':'" value "'}}}"

static struct json parse(struct arena *a, const char *text)
{
    char *json = (char *)arena_cstr(a, str_of(text));
    for (char *c = json; *c; c++)
        *c = *c == '\'' ? '"' : *c;
    return json_literal(a, json);
}

/* What is warned of, the refusal, or "". */
static str said(struct arena *a, const char *group, const char *plural, const char *ns, const char *obj, const char *old)
{
    struct api_req req = {.arena = a};
    struct err err = ERR_NONE;
    struct json is = parse(a, obj), was = {0};
    if (old)
        was = parse(a, old);
    struct admission_attrs at = {.req = &req, .arena = a, .op = old ? ADMIT_UPDATE : ADMIT_CREATE, .res = object_builtin(str_of(group), str_of(plural)), .obj = &is, .old = old ? &was : NULL, .ns = str_of(ns), .name = S("x")};
    if (kuscia_words_validate(&at, &err) < 0)
        return arena_str(a, str_of(err.msg));
    T_OK(req.nwarnings <= 1);
    return req.nwarnings ? req.warnings[0] : S("");
}

TEST(work_where_nobody_looks)
{
    struct arena a = {0};
    T_EQ_STR(said(&a, G, "kusciatasks", "alice", "{}", NULL), "metadata.namespace: nothing will be done for it in the namespace \"alice\": kusciatasks are carried out in \"cross-domain\"");
    T_OK(said(&a, G, "kusciajobs", "default", "{}", NULL).len && said(&a, G, "kusciadeployments", "default", "{}", NULL).len);
    T_EQ_STR(said(&a, G, "kusciajobs", "cross-domain", "{}", NULL), "");
    T_EQ_STR(said(&a, G, "kusciajobs", "default", "{}", "{}"), "");
    T_EQ_STR(said(&a, G, "domaindatas", "alice", "{}", NULL), "");
    T_EQ_STR(said(&a, "batch", "jobs", "alice", "{}", NULL), "");
    arena_fini(&a);
}

TEST(words_without_effect)
{
    struct arena a = {0};
    T_EQ_STR(said(&a, G, "kusciajobs", "cross-domain", NOTED("labels", "job-stage", "stop"), NULL),
             "label kuscia.secretflow/job-stage: \"stop\" has no effect: there are Create, Start, Stop, Suspend, Restart and Cancel");
    T_EQ_STR(said(&a, G, "kusciajobs", "cross-domain", NOTED("labels", "job-stage", "Stop"), NULL), "");
    T_EQ_STR(said(&a, G, "kusciajobs", "cross-domain", NOTED("labels", "job-stage", "stop"), NOTED("labels", "job-stage", "stop")), "");
    T_EQ_STR(said(&a, G, "kusciadeployments", "cross-domain", NOTED("annotations", "affinity-mode", "antiaffinity"), NULL),
             "annotation kuscia.secretflow/affinity-mode: \"antiaffinity\" has no effect: there are none, affinity and anti-affinity");
    T_EQ_STR(said(&a, G, "domains", "", NOTED("annotations", "job-approval", "Manual"), NULL), "annotation kuscia.secretflow/job-approval: \"Manual\" has no effect: there is manual");
    T_EQ_STR(said(&a, G, "kusciajobs", "cross-domain", "{'status':{'approveStatus':{'bob':'yes'}}}", "{}"),
             "KusciaJob.kuscia.secretflow \"x\" is invalid: status.approveStatus[bob]: Unsupported value: \"yes\": supported values: \"JobAccepted\", \"JobRejected\"");
    T_EQ_STR(said(&a, G, "kusciajobs", "cross-domain", "{'status':{'approveStatus':{'bob':'JobRejected','carol':'old'}}}", "{'status':{'approveStatus':{'carol':'old'}}}"), "");
    arena_fini(&a);
}

TEST(megabits_taken_twice)
{
    static const struct {
        const char *group, *plural, *obj, *where;
    } places[] = {
        {"", "pods", POD("requests", "100M"), "spec.containers[1].resources.requests"},
        {"apps", "deployments", "{'spec':{'template':" POD("limits", "100M") "}}", "spec.template.spec.containers[1].resources.limits"},
        {G, "appimages", "{'spec':{'deployTemplates':[" POD("limits", "100M") "]}}", "spec.deployTemplates[0].spec.containers[1].resources.limits"},
        {G, "kusciatasks", "{'spec':{'parties':[{'template':" POD("requests", "100M") "}]}}", "spec.parties[0].template.spec.containers[1].resources.requests"},
        {G, "kusciadeployments", "{'spec':{'parties':[{},{'template':" POD("requests", "100M") "}]}}", "spec.parties[1].template.spec.containers[1].resources.requests"},
        {G, "kusciajobs", "{'spec':{'tasks':[{'parties':[{" AMOUNT("requests", "100M") "}]}]}}", "spec.tasks[0].parties[0].resources.requests"},
    };
    struct arena a = {0};
    for (size_t i = 0; i < ARRAY_LEN(places); i++)
        T_EQ_STR(said(&a, places[i].group, places[i].plural, "cross-domain", places[i].obj, NULL),
                 arena_cstr(&a, arena_fmt(&a, "%s[kuscia.io/bandwidth]: \"100M\" is 100 Tbit/s: the number counts Mbit/s, and 100 Mbit/s are \"100\"", places[i].where)));
    T_EQ_STR(said(&a, "", "pods", "n", POD("requests", "10k"), NULL), ""); /* as 10000 comes back */
    T_EQ_STR(said(&a, "", "pods", "n", POD("requests", "999999"), NULL), "");
    T_OK(said(&a, "", "pods", "n", POD("requests", "1e30"), NULL).len);
    T_EQ_STR(said(&a, "", "pods", "n", POD("requests", "100M"), POD("requests", "100M")), "");
    T_EQ_STR(said(&a, "", "nodes", "", POD("requests", "100M"), NULL), "");
    arena_fini(&a);
}

#define POLICY(port) "{'spec':{'deployTemplates':[{},{'networkPolicy':{'ingresses':[{'from':{'roles':['a']},'ports':[{'port':'" port "'}]}]},'spec':{'containers':[{'ports':[{'name':'grpc'}]}]}}]}}"

TEST(policies_for_nothing)
{
    struct arena a = {0};
    T_EQ_STR(said(&a, G, "appimages", "", POLICY("grpcc"), NULL), "spec.deployTemplates[1].networkPolicy.ingresses[0].ports[0].port: \"grpcc\" has no effect: no container of the template has a port of this name");
    T_EQ_STR(said(&a, G, "appimages", "", POLICY("grpc"), NULL), "");
    T_EQ_STR(said(&a, G, "appimages", "", POLICY("grpcc"), POLICY("grpcc")), "");
    arena_fini(&a);
}

#define TO(domain) "{'parties':[{'domainID':'alice','bandwidthLimits':[{'destinationID':'bob','limitKBps':1},{'destinationID':'" domain "','limitKBps':1}]},{'domainID':'bob'}]}"

TEST(limits_to_nobody)
{
    struct arena a = {0};
    T_EQ_STR(said(&a, G, "kusciatasks", "cross-domain", "{'spec':" TO("boob") "}", NULL), "spec.parties[0].bandwidthLimits[1].destinationID: domain \"boob\" takes no part in the task");
    T_EQ_STR(said(&a, G, "kusciajobs", "cross-domain", "{'spec':{'tasks':[{}," TO("boob") "]}}", NULL), "spec.tasks[1].parties[0].bandwidthLimits[1].destinationID: domain \"boob\" takes no part in the task");
    T_EQ_STR(said(&a, G, "kusciatasks", "cross-domain", "{'spec':" TO("bob") "}", NULL), "");
    T_EQ_STR(said(&a, G, "kusciatasks", "cross-domain", "{'spec':" TO("boob") "}", "{'spec':" TO("boob") "}"), "");
    T_EQ_STR(said(&a, G, "kusciatasks", "cross-domain", "{'spec':{'parties':{'x':1}}}", NULL), "");
    arena_fini(&a);
}

#define NAMED(name) "{'spec':{'containers':[{'name':'a','resources':{'limits':{'" name "':'100'}}}]}}"

TEST(resources_that_are_none)
{
    struct arena a = {0};
    T_EQ_STR(said(&a, "", "pods", "n", NAMED("kuscia.io/bandwith"), NULL), "spec.containers[0].resources.limits[kuscia.io/bandwith]: there is no such resource: kuscia.io/bandwidth, cox.io/egress-bandwidth, "
                                                                            "cox.io/ingress-bandwidth, cox.io/lent-egress-bandwidth and cox.io/lent-ingress-bandwidth are known");
    T_OK(said(&a, "", "pods", "n", NAMED("cox.io/bandwidth"), NULL).len);
    T_EQ_STR(said(&a, "", "pods", "n", NAMED("cox.io/lent-egress-bandwidth"), NULL), "");
    T_EQ_STR(said(&a, "", "pods", "n", NAMED("example.com/bandwith"), NULL), "");
    T_EQ_STR(said(&a, "", "pods", "n", NAMED("kuscia.io/bandwith"), NAMED("kuscia.io/bandwith")), "");
    arena_fini(&a);
}

#define LIMIT(text) "{'spec':{'containers':[{'name':'a','resources':{'limits':{'cox.io/egress-bandwidth':'" text "'}}}]}}"
#define WITH(key, text) "{'metadata':{'annotations':{'" key "':'" text "'}}}"

TEST(numbers_without_a_unit)
{
    struct arena a = {0};
    T_EQ_STR(said(&a, "", "pods", "n", LIMIT("100"), NULL), "spec.containers[0].resources.limits[cox.io/egress-bandwidth]: \"100\" is 100 bit/s: say the unit, as in 100M");
    T_EQ_STR(said(&a, "", "pods", "n", LIMIT("1k"), NULL), "");
    T_EQ_STR(said(&a, "", "pods", "n", LIMIT("100"), LIMIT("100")), "");
    T_EQ_STR(said(&a, "", "pods", "n", WITH("kubernetes.io/ingress-bandwidth", "10"), NULL), "annotation kubernetes.io/ingress-bandwidth: \"10\" is 10 bit/s: say the unit, as in 100M");
    T_EQ_STR(said(&a, "", "nodes", "", WITH("cox.io/bandwidth-capacity", "1000"), "{}"), "annotation cox.io/bandwidth-capacity: \"1000\" is 1 kbit/s: say the unit, as in 100M");
    T_EQ_STR(said(&a, "", "nodes", "", WITH("cox.io/bandwidth-capacity", "egress=1Gbps,ingress=2"), "{}"), "annotation cox.io/bandwidth-capacity: \"egress=1Gbps,ingress=2\" is 2 bit/s: say the unit, as in 100M");
    T_EQ_STR(said(&a, "", "nodes", "", WITH("cox.io/bandwidth-capacity", "egress=1Gbps"), "{}"), "");
    T_EQ_STR(said(&a, G, "clusterdomainroutes", "", "{'spec':{'bandwidth':'100'}}", NULL), "spec.bandwidth: \"100\" is 100 bit/s: say the unit, as in 100M");
    T_EQ_STR(said(&a, G, "domainroutes", "alice", "{'spec':{'bandwidth':'100'}}", "{'spec':{'bandwidth':'100M'}}"), "spec.bandwidth: \"100\" is 100 bit/s: say the unit, as in 100M");
    T_EQ_STR(said(&a, G, "clusterdomainroutes", "", "{'spec':{'bandwidth':'100'}}", "{'spec':{'bandwidth':'100'}}"), "");
    T_EQ_STR(said(&a, G, "clusterdomainroutes", "", "{'spec':{'bandwidth':'100M'}}", NULL), "");
    T_EQ_STR(said(&a, G, "clusterdomainroutes", "", "{'spec':{}}", NULL), "");
    T_EQ_STR(said(&a, G, "kusciatasks", "cross-domain", WITH("cox.io/bandwidth-lend", "yes"), NULL), "annotation cox.io/bandwidth-lend: \"yes\" has no effect: there is accept");
    arena_fini(&a);
}

TEST(annotations_that_are_none)
{
    struct arena a = {0};
    T_EQ_STR(said(&a, "", "nodes", "", WITH("cox.io/bandwidth-capcity", "1G"), "{}"), "annotation cox.io/bandwidth-capcity has no effect on nodes: there are cox.io/bandwidth-capacity, cox.io/bandwidth-overcommit and cox.io/bandwidth-lending");
    T_EQ_STR(said(&a, "", "nodes", "", WITH("cox.io/bandwidth-capcity", "1G"), WITH("cox.io/bandwidth-capcity", "2G")), "");
    T_EQ_STR(said(&a, "", "nodes", "", WITH("cox.io/bandwidth-overcommit", "1.5"), "{}"), "");
    T_OK(said(&a, "", "pods", "n", WITH("cox.io/bandwidth-lending", "true"), NULL).len);
    T_OK(said(&a, "", "pods", "n", WITH("kubernetes.io/egress-bandwith", "1G"), NULL).len);
    T_OK(said(&a, G, "kusciajobs", "cross-domain", WITH("cox.io/bandwidth-limits", "bob=1G"), NULL).len);
    T_EQ_STR(said(&a, "", "pods", "n", WITH("kuscia.secretflow/bandwidth-limit-bob", "100"), NULL), "");
    T_EQ_STR(said(&a, "", "pods", "n", WITH("kubernetes.io/ingress.class", "x"), NULL), "");
    T_EQ_STR(said(&a, "", "services", "n", WITH("cox.io/bandwidth-capacity", "1G"), NULL), "");
    arena_fini(&a);
}

TEST_MAIN(work_where_nobody_looks, words_without_effect, megabits_taken_twice, policies_for_nothing, limits_to_nobody, resources_that_are_none, numbers_without_a_unit, annotations_that_are_none)
