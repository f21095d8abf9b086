/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/node/node_amounts.h"

#include "base/test.h"

#define KNOWN "there is no such resource: bandwidth, egress, ingress, cpu, memory, ephemeral-storage, pods and hugepages-SIZE are known, and others by whose they are, as example.com/widgets"

TEST(names_and_amounts)
{
    static const struct {
        const char *text, *want; /* NULL: it is good */
    } rows[] = {
        {"cpu=500m", NULL},
        {"memory=16Gi", NULL},
        {"pods=0", NULL},
        {"hugepages-2Mi=1Gi", NULL},
        {"nvidia.com/gpu=8", NULL},
        {"cox.io/lent-egress-bandwidth=100M", NULL},
        {"bandwidth=fast", NULL}, /* node_bandwidth says what is wrong with it */
        {"bandwith=10Gi", "--node-capacity bandwith: " KNOWN},
        {"kuscia.io/bandwith=10", "--node-capacity kuscia.io/bandwith: " KNOWN},
        {"Cpu=4", "--node-capacity Cpu: " KNOWN},
        {"/gpu=1", "--node-capacity /gpu: " KNOWN},
        {"nvidia.com/=1", "--node-capacity nvidia.com/: " KNOWN},
        {"bandwidth", "--node-capacity \"bandwidth\": write it as NAME=AMOUNT, as bandwidth=10Gi"},
        {"=5", "--node-capacity \"=5\": write it as NAME=AMOUNT, as bandwidth=10Gi"},
        {"cpu=lots", "--node-capacity cpu: \"lots\" is no amount: write it as 4, 500m or 16Gi"},
        {"cpu=", "--node-capacity cpu: \"\" is no amount: write it as 4, 500m or 16Gi"},
        {"memory=-1Gi", "--node-capacity memory: \"-1Gi\" is no amount: write it as 4, 500m or 16Gi"},
    };
    struct err err = ERR_NONE;
    T_EQ_INT(node_amounts_check(NULL, "node-capacity", &err), 0);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        const char *const list[] = {"cpu=1", rows[i].text, NULL};
        T_EQ_INT(node_amounts_check(list, "node-capacity", &err), rows[i].want ? -E_INVALID_ARG : 0);
        if (rows[i].want)
            T_EQ_STR(str_of(err.msg), rows[i].want);
    }
}

TEST_MAIN(names_and_amounts)
