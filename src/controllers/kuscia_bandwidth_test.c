/* SPDX-License-Identifier: Apache-2.0 */
#include "controllers/kuscia_bandwidth.h"

#include "base/test.h"
#include "wire/json_make.h"

TEST(one_name_for_pods)
{
    static const struct {
        const char *given, *plain;
    } cases[] = {
        {"{\"requests\":{\"cpu\":\"1\"}}", "{\"requests\":{\"cpu\":\"1\"}}"},
        {"{\"requests\":{\"bandwidth\":\"500Mi\",\"cpu\":\"1\"}}", "{\"requests\":{\"cpu\":\"1\",\"cox.io/egress-bandwidth\":\"524288000\",\"cox.io/ingress-bandwidth\":\"524288000\"}}"},
        {"{\"limits\":{\"bandwidth\":\"1G\",\"cox.io/egress-bandwidth\":\"5M\"}}", "{\"limits\":{\"cox.io/egress-bandwidth\":\"5M\",\"cox.io/ingress-bandwidth\":\"1000000000\"}}"},
        {"{\"requests\":{\"bandwidth\":\"what\"}}", "{\"requests\":{}}"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        ARENA_AUTO a = ARENA_INIT;
        struct json r = json_literal(&a, cases[i].given);
        kuscia_bandwidth_names(&a, &r);
        T_EQ_STR(json_text(&a, &r), cases[i].plain);
    }
}

#define BITS(e, i) "{\"cox.io/egress-bandwidth\":\"" e "\",\"cox.io/ingress-bandwidth\":\"" i "\"}"
TEST(pods)
{
    static const struct {
        const char *containers, *request, *result, *notes;
    } cases[] = {
        /* a party's request is for the pod, whatever its containers say */
        {"[{\"name\":\"a\",\"resources\":{\"requests\":{\"kuscia.io/bandwidth\":\"7\",\"cpu\":\"1\"}}},{\"name\":\"b\",\"resources\":{\"limits\":{\"cox.io/egress-bandwidth\":\"5M\"}}}]", "200Mbps",
         "[{\"name\":\"a\",\"resources\":{\"requests\":{\"cpu\":\"1\",\"cox.io/egress-bandwidth\":\"200000000\",\"cox.io/ingress-bandwidth\":\"200000000\"},\"limits\":" BITS("200000000", "200000000") "}},"
         "{\"name\":\"b\",\"resources\":{\"limits\":{}}}]", "{}"},
        {"[{\"name\":\"a\"}]", "egress=1Gbps", "[{\"name\":\"a\",\"resources\":{\"limits\":{\"cox.io/egress-bandwidth\":\"1000000000\"},\"requests\":{\"cox.io/egress-bandwidth\":\"1000000000\"}}}]", "{}"},
        /* one of the two stands for both */
        {"[{\"name\":\"a\",\"resources\":{\"requests\":{\"kuscia.io/bandwidth\":\"7\"}}}]", "", "[{\"name\":\"a\",\"resources\":{\"requests\":{\"kuscia.io/bandwidth\":\"7\"},\"limits\":{\"kuscia.io/bandwidth\":\"7\"}}}]", "{}"},
        {"[{\"name\":\"a\",\"resources\":{\"limits\":{\"kuscia.io/bandwidth\":\"7\"}}}]", "", "[{\"name\":\"a\",\"resources\":{\"limits\":{\"kuscia.io/bandwidth\":\"7\"},\"requests\":{\"kuscia.io/bandwidth\":\"7\"}}}]", "{}"},
        /* a higher limit is the pod's, of all its containers */
        {"[{\"name\":\"a\",\"resources\":{\"requests\":{\"kuscia.io/bandwidth\":\"7\"},\"limits\":{\"kuscia.io/bandwidth\":\"20\"}}},{\"name\":\"b\",\"resources\":{\"limits\":{\"cox.io/egress-bandwidth\":\"5M\"}}}]", "",
         "[{\"name\":\"a\",\"resources\":{\"requests\":{\"kuscia.io/bandwidth\":\"7\"},\"limits\":{\"kuscia.io/bandwidth\":\"7\"}}},"
         "{\"name\":\"b\",\"resources\":{\"limits\":{\"cox.io/egress-bandwidth\":\"5M\"},\"requests\":{\"cox.io/egress-bandwidth\":\"5M\"}}}]",
         "{\"kubernetes.io/egress-bandwidth\":\"25000000\",\"kubernetes.io/ingress-bandwidth\":\"20000000\"}"},
        {"[]", "200Mbps", "[]", "{}"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        ARENA_AUTO a = ARENA_INIT;
        struct json list = json_literal(&a, cases[i].containers), notes = json_object();
        kuscia_bandwidth_pod(&a, &list, str_of(cases[i].request), &notes);
        T_EQ_STR(json_text(&a, &list), cases[i].result);
        T_EQ_STR(json_text(&a, &notes), cases[i].notes);
    }
}

TEST_MAIN(one_name_for_pods, pods)
