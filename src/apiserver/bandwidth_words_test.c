/* SPDX-License-Identifier: Apache-2.0 */
#include "apiserver/bandwidth_words.h"

#include "apiserver/words_testing.h"

#define G "kuscia.secretflow"
#define AMOUNT(list, text) "'resources':{'" list "':{'kuscia.io/bandwidth':'" text "'}}"
#define POD(list, text) "{'spec':{'containers':[{'name':'a'},{'name':'b'," AMOUNT(list, text) "}]}}"

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
        T_EQ_STR(said(bandwidth_words_validate, &a, places[i].group, places[i].plural, "cross-domain", places[i].obj, NULL),
                 arena_cstr(&a, arena_fmt(&a, "%s[kuscia.io/bandwidth]: \"100M\" is 100 Tbit/s: the number counts Mbit/s, and 100 Mbit/s are \"100\"", places[i].where)));
    T_EQ_STR(said(bandwidth_words_validate, &a, "", "pods", "n", POD("requests", "10k"), NULL), ""); /* as 10000 comes back */
    T_EQ_STR(said(bandwidth_words_validate, &a, "", "pods", "n", POD("requests", "999999"), NULL), "");
    T_OK(said(bandwidth_words_validate, &a, "", "pods", "n", POD("requests", "1e30"), NULL).len);
    T_EQ_STR(said(bandwidth_words_validate, &a, "", "pods", "n", POD("requests", "100M"), POD("requests", "100M")), "");
    T_EQ_STR(said(bandwidth_words_validate, &a, "", "nodes", "", POD("requests", "100M"), NULL), "");
    arena_fini(&a);
}

#define NAMED(name) "{'spec':{'containers':[{'name':'a','resources':{'limits':{'" name "':'100'}}}]}}"

TEST(resources_that_are_none)
{
    struct arena a = {0};
    T_EQ_STR(said(bandwidth_words_validate, &a, "", "pods", "n", NAMED("kuscia.io/bandwith"), NULL), "spec.containers[0].resources.limits[kuscia.io/bandwith]: there is no such resource: kuscia.io/bandwidth, cox.io/egress-bandwidth, "
                                                                            "cox.io/ingress-bandwidth, cox.io/lent-egress-bandwidth and cox.io/lent-ingress-bandwidth are known");
    T_OK(said(bandwidth_words_validate, &a, "", "pods", "n", NAMED("cox.io/bandwidth"), NULL).len);
    T_EQ_STR(said(bandwidth_words_validate, &a, "", "pods", "n", NAMED("cox.io/lent-egress-bandwidth"), NULL), "");
    T_EQ_STR(said(bandwidth_words_validate, &a, "", "pods", "n", NAMED("example.com/bandwith"), NULL), "");
    T_EQ_STR(said(bandwidth_words_validate, &a, "", "pods", "n", NAMED("kuscia.io/bandwith"), NAMED("kuscia.io/bandwith")), "");
    arena_fini(&a);
}

#define LIMIT(text) "{'spec':{'containers':[{'name':'a','resources':{'limits':{'cox.io/egress-bandwidth':'" text "'}}}]}}"
#define WITH(key, text) "{'metadata':{'annotations':{'" key "':'" text "'}}}"

TEST(numbers_without_a_unit)
{
    struct arena a = {0};
    T_EQ_STR(said(bandwidth_words_validate, &a, "", "pods", "n", LIMIT("100"), NULL), "spec.containers[0].resources.limits[cox.io/egress-bandwidth]: \"100\" is 100 bit/s: say the unit, as in 100M");
    T_EQ_STR(said(bandwidth_words_validate, &a, "", "pods", "n", LIMIT("1k"), NULL), "");
    T_EQ_STR(said(bandwidth_words_validate, &a, "", "pods", "n", LIMIT("100"), LIMIT("100")), "");
    T_EQ_STR(said(bandwidth_words_validate, &a, "", "pods", "n", WITH("kubernetes.io/ingress-bandwidth", "10"), NULL), "annotation kubernetes.io/ingress-bandwidth: \"10\" is 10 bit/s: say the unit, as in 100M");
    T_EQ_STR(said(bandwidth_words_validate, &a, "", "nodes", "", WITH("cox.io/bandwidth-capacity", "1000"), "{}"), "annotation cox.io/bandwidth-capacity: \"1000\" is 1 kbit/s: say the unit, as in 100M");
    T_EQ_STR(said(bandwidth_words_validate, &a, "", "nodes", "", WITH("cox.io/bandwidth-capacity", "egress=1Gbps,ingress=2"), "{}"), "annotation cox.io/bandwidth-capacity: \"egress=1Gbps,ingress=2\" is 2 bit/s: say the unit, as in 100M");
    T_EQ_STR(said(bandwidth_words_validate, &a, "", "nodes", "", WITH("cox.io/bandwidth-capacity", "egress=1Gbps"), "{}"), "");
    T_EQ_STR(said(bandwidth_words_validate, &a, G, "clusterdomainroutes", "", "{'spec':{'bandwidth':'100'}}", NULL), "spec.bandwidth: \"100\" is 100 bit/s: say the unit, as in 100M");
    T_EQ_STR(said(bandwidth_words_validate, &a, G, "domainroutes", "alice", "{'spec':{'bandwidth':'100'}}", "{'spec':{'bandwidth':'100M'}}"), "spec.bandwidth: \"100\" is 100 bit/s: say the unit, as in 100M");
    T_EQ_STR(said(bandwidth_words_validate, &a, G, "clusterdomainroutes", "", "{'spec':{'bandwidth':'100'}}", "{'spec':{'bandwidth':'100'}}"), "");
    T_EQ_STR(said(bandwidth_words_validate, &a, G, "clusterdomainroutes", "", "{'spec':{'bandwidth':'100M'}}", NULL), "");
    T_EQ_STR(said(bandwidth_words_validate, &a, G, "clusterdomainroutes", "", "{'spec':{}}", NULL), "");
    arena_fini(&a);
}

TEST(annotations_that_are_none)
{
    struct arena a = {0};
    T_EQ_STR(said(bandwidth_words_validate, &a, "", "nodes", "", WITH("cox.io/bandwidth-capcity", "1G"), "{}"), "annotation cox.io/bandwidth-capcity has no effect on nodes: there are cox.io/bandwidth-capacity, cox.io/bandwidth-overcommit and cox.io/bandwidth-lending");
    T_EQ_STR(said(bandwidth_words_validate, &a, "", "nodes", "", WITH("cox.io/bandwidth-capcity", "1G"), WITH("cox.io/bandwidth-capcity", "2G")), "");
    T_EQ_STR(said(bandwidth_words_validate, &a, "", "nodes", "", WITH("cox.io/bandwidth-overcommit", "1.5"), "{}"), "");
    T_OK(said(bandwidth_words_validate, &a, "", "pods", "n", WITH("cox.io/bandwidth-lending", "true"), NULL).len);
    T_OK(said(bandwidth_words_validate, &a, "", "pods", "n", WITH("kubernetes.io/egress-bandwith", "1G"), NULL).len);
    T_OK(said(bandwidth_words_validate, &a, G, "kusciajobs", "cross-domain", WITH("cox.io/bandwidth-limits", "bob=1G"), NULL).len);
    T_EQ_STR(said(bandwidth_words_validate, &a, "", "pods", "n", WITH("kuscia.secretflow/bandwidth-limit-bob", "100"), NULL), "");
    T_EQ_STR(said(bandwidth_words_validate, &a, "", "pods", "n", WITH("kubernetes.io/ingress.class", "x"), NULL), "");
    T_EQ_STR(said(bandwidth_words_validate, &a, "", "services", "n", WITH("cox.io/bandwidth-capacity", "1G"), NULL), "");
    arena_fini(&a);
}

TEST_MAIN(megabits_taken_twice, resources_that_are_none, numbers_without_a_unit, annotations_that_are_none)
