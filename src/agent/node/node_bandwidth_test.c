/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/node/node_bandwidth.h"

#include "base/test.h"

#define LIST(...) ((const char *const[]){__VA_ARGS__, NULL})

static struct err err;

TEST(what_a_person_said_wins)
{
    struct node_bandwidth b;
    T_NO_ERR(node_bandwidth(LIST("cpu=3", "bandwidth=10Gi"), NULL, 1000, &b, &err), &err);
    T_EQ_INT(b.total[BANDWIDTH_OUT], 10737418240);
    T_EQ_INT(b.total[BANDWIDTH_IN], 10737418240);
    T_EQ_INT(b.source[BANDWIDTH_IN], NODE_BANDWIDTH_CONFIGURED);
    T_NO_ERR(node_bandwidth(LIST("egress=200Mbps", "bandwidth=1G"), NULL, 0, &b, &err), &err);
    T_EQ_INT(b.total[BANDWIDTH_OUT], 200000000);
    T_EQ_INT(b.total[BANDWIDTH_IN], 1000000000);
    T_NO_ERR(node_bandwidth(LIST("kuscia.io/bandwidth=300", "cox.io/ingress-bandwidth=500M"), NULL, 0, &b, &err), &err);
    T_EQ_INT(b.total[BANDWIDTH_OUT], 300000000);
    T_EQ_INT(b.total[BANDWIDTH_IN], 500000000);
    T_NO_ERR(node_bandwidth(LIST("ingress=5G"), NULL, 2500, &b, &err), &err);
    T_EQ_INT(b.total[BANDWIDTH_OUT], 2500000000);
    T_EQ_INT(b.source[BANDWIDTH_OUT], NODE_BANDWIDTH_CARD);
}

TEST(an_annotation_wins_over_all)
{
    struct node_bandwidth b;
    T_NO_ERR(node_bandwidth_noted(LIST("egress=200Mbps"), NULL, 2500, S("ingress=10G"), &b, &err), &err);
    T_EQ_INT(b.total[BANDWIDTH_OUT], 200000000);
    T_EQ_INT(b.total[BANDWIDTH_IN], 10000000000);
    T_NO_ERR(node_bandwidth_noted(LIST("egress=200Mbps"), NULL, 2500, S("50M"), &b, &err), &err);
    T_EQ_INT(b.total[BANDWIDTH_OUT], 50000000);
    T_EQ_INT(b.reserved[BANDWIDTH_OUT], 5000000);
    T_ERR(node_bandwidth_noted(NULL, NULL, 0, S("fast"), &b, &err), E_INVALID_ARG);
    T_OK(str_has_prefix(str_of(err.msg), S("annotation cox.io/bandwidth-capacity: ")));
    T_ERR(node_bandwidth_noted(NULL, LIST("bandwidth=50M"), 0, S("20M"), &b, &err), E_INVALID_ARG);
    T_EQ_INT(b.total[BANDWIDTH_OUT], 50000000); /* as it was */
}

TEST(drivers_that_know_nothing)
{
    static const int64_t odd[] = {-1, 0, 4294967295, INT64_MAX, INT64_MIN, NODE_SPEED_MAX_MBIT + 1};
    struct node_bandwidth b;
    for (size_t i = 0; i < ARRAY_LEN(odd); i++) {
        T_NO_ERR(node_bandwidth(NULL, NULL, odd[i], &b, &err), &err);
        T_EQ_INT(b.total[BANDWIDTH_OUT], NODE_BANDWIDTH_ASSUMED);
        T_EQ_INT(b.source[BANDWIDTH_OUT], NODE_BANDWIDTH_FALLBACK);
    }
    T_NO_ERR(node_bandwidth(NULL, NULL, 10000, &b, &err), &err);
    T_EQ_INT(b.total[BANDWIDTH_IN], 10000000000);
}

TEST(a_part_is_the_systems)
{
    struct node_bandwidth b;
    T_NO_ERR(node_bandwidth(NULL, NULL, 1000, &b, &err), &err);
    T_EQ_INT(b.reserved[BANDWIDTH_OUT], 10000000);
    T_NO_ERR(node_bandwidth(LIST("bandwidth=20M"), NULL, 0, &b, &err), &err);
    T_EQ_INT(b.reserved[BANDWIDTH_IN], 2000000);
    T_NO_ERR(node_bandwidth(NULL, LIST("kuscia.io/bandwidth=100", "egress=200M"), 1000, &b, &err), &err);
    T_EQ_INT(b.reserved[BANDWIDTH_OUT], 200000000);
    T_EQ_INT(b.reserved[BANDWIDTH_IN], 100000000);
}

TEST(refused)
{
    struct node_bandwidth b;
    T_ERR(node_bandwidth(LIST("bandwidth=fast"), NULL, 0, &b, &err), E_INVALID_ARG);
    T_EQ_STR(str_of(err.msg), "--node-capacity bandwidth: \"fast\" is no bandwidth: it starts with no number");
    T_ERR(node_bandwidth(LIST("kuscia.io/bandwidth=10Gi"), NULL, 0, &b, &err), E_INVALID_ARG);
    T_ERR(node_bandwidth(LIST("kuscia.io/bandwidth=-5"), NULL, 0, &b, &err), E_INVALID_ARG);
    T_ERR(node_bandwidth(LIST("kuscia.io/bandwidth=9223372036854775807"), NULL, 0, &b, &err), E_INVALID_ARG);
    T_ERR(node_bandwidth(LIST("egress=0"), NULL, 0, &b, &err), E_INVALID_ARG);
    T_ERR(node_bandwidth(LIST("bandwidth=50M"), LIST("ingress=50M"), 0, &b, &err), E_INVALID_ARG);
    T_EQ_STR(str_of(err.msg), "the node has 50 Mbit/s of ingress bandwidth and 50 Mbit/s of it are reserved: nothing is left for pods (--node-capacity, --node-reserved, annotation cox.io/bandwidth-capacity)");
}

TEST(counters_that_wrap_or_begin_anew)
{
    uint64_t d = 7;
    T_OK(node_counter_delta(100, 350, 0, &d));
    T_EQ_INT(d, 250);
    T_OK(node_counter_delta(UINT32_MAX - 9, 90, 1000, &d)); /* 32 bits */
    T_EQ_INT(d, 100);
    T_OK(!node_counter_delta(5000000, 90, 1000, &d));      /* the link was made again */
    T_OK(!node_counter_delta(1ull << 40, 90, 1000, &d));
    T_OK(!node_counter_delta(UINT64_MAX, 0, UINT64_MAX, &d));
    T_OK(node_counter_delta(UINT64_MAX - 1, UINT64_MAX, 0, &d));
    T_EQ_INT(d, 1);
}

TEST_MAIN(an_annotation_wins_over_all, counters_that_wrap_or_begin_anew, what_a_person_said_wins, drivers_that_know_nothing, a_part_is_the_systems, refused)
