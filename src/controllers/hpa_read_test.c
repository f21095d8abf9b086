/* SPDX-License-Identifier: Apache-2.0 */
#include "controllers/hpa_read.h"

#include "controllers/workload_testing.h"

TEST(windows)
{
    static const struct {
        const char *text;
        int64_t ms;
    } rows[] = {{"15s", 15000}, {"1m0s", 60000}, {"1m30s", 90000}, {"10.5s", 10500}, {"250ms", 250}, {"1h", 3600000}, {"", -1}, {"soon", -1}, {"15", -1}, {"s", -1}, {"99999h", -1}};
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        T_EQ_INT(hpa_read_window(str_of(rows[i].text), -1 * NSEC_PER_MSEC) / NSEC_PER_MSEC, rows[i].ms);
}

TEST(rules)
{
    ARENA_AUTO a = ARENA_INIT;
    struct json b = tree(&a, "{'scaleUp':{'stabilizationWindowSeconds':30,'selectPolicy':'Min','tolerance':'50m','policies':[{'type':'Pods','value':3,'periodSeconds':60},"
                             "{'type':'Percent','value':20,'periodSeconds':30}]},'scaleDown':{'selectPolicy':'Disabled'}}");
    struct hpa_rules up = hpa_read_rules(&b, true), down = hpa_read_rules(&b, false), none = hpa_read_rules(NULL, false);
    T_EQ_INT(up.window, 30 * NSEC_PER_SEC);
    T_EQ_INT(up.select, HPA_MIN);
    T_EQ_INT(up.npolicies, 2);
    T_OK(!up.policies[0].percent && up.policies[0].value == 3 && up.policies[1].percent && up.policies[1].period == 30 * NSEC_PER_SEC);
    T_OK(up.tolerance > 0.0499 && up.tolerance < 0.0501);
    T_EQ_INT(down.select, HPA_DISABLED);
    T_EQ_INT(down.window, 300 * NSEC_PER_SEC);
    T_EQ_INT(none.npolicies, 1);
    T_EQ_INT(none.select, HPA_MAX);
}

TEST(pods)
{
    ARENA_AUTO a = ARENA_INIT;
    struct json list = tree(&a, "[{'metadata':{'name':'a'},'spec':{'containers':[{'name':'x','resources':{'requests':{'cpu':'100m'}}},{'name':'y','resources':{'requests':{'cpu':'1'}}}],"
                                "'initContainers':[{'name':'once'},{'name':'side','restartPolicy':'Always','resources':{'requests':{'cpu':'10m'}}}]},"
                                "'status':{'phase':'Running','startTime':'2026-01-02T03:00:00Z','conditions':[{'type':'Ready','status':'True','lastTransitionTime':'2026-01-02T03:00:10Z'}]}},"
                                "{'metadata':{'name':'b','deletionTimestamp':'2026-01-02T03:00:00Z'},'spec':{'containers':[{'name':'x'}]},'status':{'phase':'Pending'}}]");
    struct hpa_pod *p;
    T_EQ_INT(hpa_read_pods(&a, &list, S("cpu"), S(""), &p), 2);
    T_EQ_INT(p[0].request_milli, 1110);
    T_OK(p[0].ready && p[0].has_ready && !p[0].pending && !p[0].ignored && p[0].started < p[0].ready_changed);
    T_OK(p[1].ignored && p[1].pending && !p[1].has_ready);
    T_EQ_INT(p[1].request_milli, -1);
    T_EQ_STR(p[1].without, "x");
    hpa_read_pods(&a, &list, S("cpu"), S("y"), &p);
    T_EQ_INT(p[0].request_milli, 1000);
    T_EQ_INT(hpa_read_pods(&a, NULL, S("cpu"), S(""), &p), 0);
}

TEST(samples)
{
    ARENA_AUTO a = ARENA_INIT;
    struct json usage = tree(&a, "[{'metadata':{'name':'a'},'timestamp':'2026-01-02T03:00:00Z','window':'15s','containers':[{'name':'x','usage':{'cpu':'250000000n','memory':'1Ki'}},"
                                 "{'name':'y','usage':{'cpu':'1','memory':'1Ki'}}]},{'metadata':{'name':'b'},'containers':[{'name':'x','usage':{'memory':'1Ki'}}]},"
                                 "{'metadata':{'name':'c'},'containers':[]}]");
    struct hpa_sample *s;
    T_EQ_INT(hpa_read_usage(&a, &usage, S("cpu"), S(""), &s), 1); /* of the others it is not known */
    T_EQ_INT(s[0].milli, 1250);
    T_EQ_INT(s[0].window, 15 * NSEC_PER_SEC);
    T_EQ_INT(hpa_read_usage(&a, &usage, S("memory"), S("x"), &s), 2);
    T_EQ_INT(s[1].milli, 1024000);
    struct json values = tree(&a, "[{'describedObject':{'name':'a'},'value':'1500m'},{'describedObject':{'name':'b'},'value':'2'},{'describedObject':{'name':'c'},'value':'?'}]");
    T_EQ_INT(hpa_read_values(&a, &values, &s), 2);
    T_EQ_INT(s[0].milli, 1500);
    T_EQ_INT(hpa_read_sum(&values), 3500);
    T_EQ_INT(hpa_read_sum(NULL), 0);
}

TEST(names_and_status)
{
    ARENA_AUTO a = ARENA_INIT;
    struct json m = tree(&a, "{'type':'Resource','resource':{'name':'cpu','target':{'type':'Utilization','averageUtilization':50}}}");
    struct hpa_proposal p = {.ok = true, .utilization = 70, .average_milli = 250, .value_milli = -1};
    struct json st = hpa_metric_status(&a, &m, &p);
    T_EQ_STR(hpa_metric_name(&a, &m), "cpu resource utilization (percentage of request)");
    T_EQ_STR(json_text(&a, &st), "{\"type\":\"Resource\",\"resource\":{\"name\":\"cpu\",\"current\":{\"averageValue\":\"250m\",\"averageUtilization\":70}}}");
    m = tree(&a, "{'type':'External','external':{'metric':{'name':'q'},'target':{'type':'Value','value':'5'}}}");
    p = (struct hpa_proposal){.ok = true, .utilization = -1, .average_milli = -1, .value_milli = 7000};
    st = hpa_metric_status(&a, &m, &p);
    T_EQ_STR(json_text(&a, &st), "{\"type\":\"External\",\"external\":{\"metric\":{\"name\":\"q\"},\"current\":{\"value\":\"7\"}}}");
    T_EQ_STR(hpa_metric_name(&a, &m), "external metric q");
    m = tree(&a, "{'type':'Object','object':{'metric':{'name':'q'},'describedObject':{'kind':'Service'}}}");
    T_EQ_STR(hpa_metric_name(&a, &m), "Service metric q");
}

TEST_MAIN(windows, rules, pods, samples, names_and_status)
