/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/pod/pod_bandwidth.h"

#include "base/test.h"

static struct err err;

static int read_pod(struct arena *a, const char *notes, const char *spec, struct pod_bandwidth *ret)
{
    struct strbuf text = strbuf_on(a);
    strbuf_addf(&text, "{'metadata':{'annotations':{%s}},'spec':{%s}}", notes, spec);
    for (size_t i = 0; i < text.len; i++)
        text.p[i] = text.p[i] == '\'' ? '"' : text.p[i];
    struct json pod;
    T_NO_ERR(json_parse(a, strbuf_str(&text), NULL, &pod, &err), &err);
    return pod_bandwidth_read(&pod, ret, &err);
}

TEST(requests_have_two_ends)
{
    ARENA_AUTO a = ARENA_INIT;
    struct pod_bandwidth b;
    T_NO_ERR(read_pod(&a, "", "'containers':[{'name':'c'}]", &b), &err);
    T_EQ_INT(b.request[BANDWIDTH_OUT] + b.request[BANDWIDTH_IN] + b.limit[BANDWIDTH_OUT] + b.limit[BANDWIDTH_IN] + (int64_t)b.ndests, 0);
    T_NO_ERR(read_pod(&a, "", "'containers':[{'resources':{'requests':{'kuscia.io/bandwidth':'100'},'limits':{'kuscia.io/bandwidth':'100'}}},"
                              "{'resources':{'requests':{'kuscia.io/bandwidth':5,'cox.io/egress-bandwidth':'1M'}}}]", &b), &err);
    T_EQ_INT(b.request[BANDWIDTH_OUT], 101000000);
    T_EQ_INT(b.request[BANDWIDTH_IN], 105000000);
    T_EQ_INT(b.limit[BANDWIDTH_OUT], 100000000);
    /* limits stand for requests that are not there; the largest step counts */
    T_NO_ERR(read_pod(&a, "", "'overhead':{'kuscia.io/bandwidth':'1'},'initContainers':[{'resources':{'limits':{'kuscia.io/bandwidth':'30'}}},"
                              "{'restartPolicy':'Always','resources':{'limits':{'kuscia.io/bandwidth':'5'}}}],'containers':[{'resources':{'limits':{'cox.io/ingress-bandwidth':'40M'}}}]", &b), &err);
    T_EQ_INT(b.request[BANDWIDTH_OUT], 31000000);
    T_EQ_INT(b.request[BANDWIDTH_IN], 46000000);
    T_EQ_INT(b.limit[BANDWIDTH_IN], 45000000);
    /* absurd amounts stay within bounds */
    T_NO_ERR(read_pod(&a, "", "'containers':[{'resources':{'requests':{'kuscia.io/bandwidth':'9E'}}},{'resources':{'requests':{'cox.io/egress-bandwidth':'-5'}}}]", &b), &err);
    T_EQ_INT(b.request[BANDWIDTH_OUT], BANDWIDTH_MAX);
}

TEST(what_is_lent_is_not_promised)
{
    ARENA_AUTO a = ARENA_INIT;
    struct pod_bandwidth b;
    T_NO_ERR(read_pod(&a, "", "'containers':[{'resources':{'requests':{'kuscia.io/bandwidth':'100','cox.io/lent-egress-bandwidth':'300M'},"
                              "'limits':{'kuscia.io/bandwidth':'100','cox.io/lent-egress-bandwidth':'300M'}}},{'resources':{'limits':{'cox.io/lent-egress-bandwidth':'50M'}}}]", &b), &err);
    T_EQ_INT(b.request[BANDWIDTH_OUT], 100000000);
    T_EQ_INT(b.lent[BANDWIDTH_OUT], 350000000);
    T_EQ_INT(b.limit[BANDWIDTH_OUT], 450000000);
    T_EQ_INT(b.lent[BANDWIDTH_IN], 0);
    T_EQ_INT(b.limit[BANDWIDTH_IN], 100000000);
    T_NO_ERR(read_pod(&a, "'cox.io/bandwidth-lend':'accept','kubernetes.io/ingress-bandwidth':'1G'",
                      "'containers':[{'resources':{'requests':{'kuscia.io/bandwidth':'100'},'limits':{'kuscia.io/bandwidth':'100'}}}]", &b), &err);
    T_EQ_INT(b.request[BANDWIDTH_OUT] + b.request[BANDWIDTH_IN], 0);
    T_EQ_INT(b.lent[BANDWIDTH_OUT], 100000000);
    T_EQ_INT(b.limit[BANDWIDTH_OUT], 100000000);
    T_EQ_INT(b.limit[BANDWIDTH_IN], 1000000000);
    T_ERR(read_pod(&a, "'cox.io/bandwidth-lend':'perhaps'", "", &b), E_INVALID_ARG);
    T_EQ_STR(str_of(err.msg), "annotation cox.io/bandwidth-lend: \"perhaps\" means nothing, only accept does");
}

TEST(limits_of_annotations)
{
    ARENA_AUTO a = ARENA_INIT;
    struct pod_bandwidth b;
    T_NO_ERR(read_pod(&a, "'kubernetes.io/egress-bandwidth':'10M'", "'containers':[{'resources':{'limits':{'kuscia.io/bandwidth':'3'}}}]", &b), &err);
    T_EQ_INT(b.limit[BANDWIDTH_OUT], 10000000);
    T_EQ_INT(b.limit[BANDWIDTH_IN], 3000000);
    T_EQ_INT(b.request[BANDWIDTH_OUT], 3000000);
    T_ERR(read_pod(&a, "'kubernetes.io/ingress-bandwidth':'0'", "", &b), E_INVALID_ARG);
    T_EQ_STR(str_of(err.msg), "annotation kubernetes.io/ingress-bandwidth: \"0\" is no bandwidth: it is zero; leave it out where nothing is wanted");
}

TEST(limits_to_destinations)
{
    ARENA_AUTO a = ARENA_INIT;
    struct pod_bandwidth b;
    T_NO_ERR(read_pod(&a, "'kuscia.secretflow/bandwidth-limit-bob':'100','cox.io/bandwidth-limits':' carol=20Mbps, 10.9.0.0/16=1G'", "", &b), &err);
    T_EQ_INT(b.ndests, 3);
    T_EQ_STR(b.dests[0].to, "bob");
    T_EQ_INT(b.dests[0].limit, 819200);
    T_EQ_STR(b.dests[1].to, "carol");
    T_EQ_INT(b.dests[1].limit, 20000000);
    T_EQ_STR(b.dests[2].to, "10.9.0.0/16");
    T_ERR(read_pod(&a, "'kuscia.secretflow/bandwidth-limit-bob':'-1'", "", &b), E_INVALID_ARG);
    T_ERR(read_pod(&a, "'kuscia.secretflow/bandwidth-limit-':'1'", "", &b), E_INVALID_ARG);
    T_ERR(read_pod(&a, "'cox.io/bandwidth-limits':'bob'", "", &b), E_INVALID_ARG);
    T_ERR(read_pod(&a, "'cox.io/bandwidth-limits':'bob=slow'", "", &b), E_INVALID_ARG);
    T_ERR(read_pod(&a, "'cox.io/bandwidth-limits':'a=1,b=1,c=1,d=1,e=1,f=1,g=1,h=1,i=1,j=1,k=1,l=1,m=1,n=1,o=1'", "", &b), E_INVALID_ARG);
}

TEST_MAIN(what_is_lent_is_not_promised, requests_have_two_ends, limits_of_annotations, limits_to_destinations)
