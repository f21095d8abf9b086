/* SPDX-License-Identifier: Apache-2.0 */
#include "controllers/node_ipam_plan.h"

#include "base/clock.h"
#include "base/test.h"

TEST(parts_are_given_out_and_come_back_last)
{
    struct node_cidrs m;
    struct err err;
    uint32_t part;
    char text[20];
    T_NO_ERR(node_cidrs_init(&m, S("10.42.0.0/22"), 24, &err), &err);
    T_EQ_INT(m.parts, 4);
    T_OK(node_cidrs_find(&m, S("10.42.1.0/24"), &part) && part == 1 && node_cidrs_take(&m, part) && !node_cidrs_take(&m, part));
    T_OK(node_cidrs_next(&m, &part) && part == 0);
    node_cidrs_text(&m, part, text);
    T_EQ_STR(str_of(text), "10.42.0.0/24");
    T_OK(node_cidrs_next(&m, &part) && part == 2);
    node_cidrs_give_back(&m, 0);
    T_OK(node_cidrs_next(&m, &part) && part == 3);
    T_OK(node_cidrs_next(&m, &part) && part == 0);
    T_OK(!node_cidrs_next(&m, &part));
    node_cidrs_give_back(&m, 2);
    node_cidrs_give_back(&m, 2);
    T_EQ_INT(m.used, 3);
    T_OK(node_cidrs_next(&m, &part) && part == 2);
    node_cidrs_fini(&m);
}

TEST(other_ranges_are_not_ours)
{
    struct node_cidrs m;
    struct err err;
    uint32_t part;
    T_NO_ERR(node_cidrs_init(&m, S("10.42.0.0/16"), 24, &err), &err);
    static const char *const bad[] = {"10.43.0.0/24", "10.41.255.0/24", "10.42.0.0/25", "10.42.0.0", "x/24", "fd00::/24", "", "10.42.0.0/33"};
    for (size_t i = 0; i < ARRAY_LEN(bad); i++)
        T_OK(!node_cidrs_find(&m, str_of(bad[i]), &part));
    T_OK(node_cidrs_find(&m, S("10.42.255.0/24"), &part) && part == 255);
    node_cidrs_fini(&m);
    static const struct {
        const char *cidr;
        int bits;
    } wrong[] = {{"10.0.0.0/24", 16}, {"x", 24}, {"10.0.0.0/8", 31}, {"10.0.0.0/8", 30}, {"fd00::/48", 64}, {"0.0.0.0/0", 8}};
    for (size_t i = 0; i < ARRAY_LEN(wrong); i++)
        T_ERR(node_cidrs_init(&m, str_of(wrong[i].cidr), wrong[i].bits, &err), E_INVALID_ARG);
}

TEST(many_agree_with_a_naive_model)
{
    struct node_cidrs m;
    struct err err;
    struct rng rng;
    bool taken[64] = {false};
    rng_seed(&rng, 3);
    T_NO_ERR(node_cidrs_init(&m, S("10.0.0.0/18"), 24, &err), &err);
    for (int step = 0; step < 5000; step++) {
        uint32_t part = (uint32_t)rng_below(&rng, 64);
        size_t used = 0;
        for (size_t i = 0; i < 64; i++)
            used += taken[i];
        T_EQ_INT(m.used, used);
        if (rng_below(&rng, 2)) {
            node_cidrs_give_back(&m, part);
            taken[part] = false;
        } else if (node_cidrs_next(&m, &part)) {
            T_OK(!taken[part]);
            taken[part] = true;
        } else {
            T_EQ_INT(used, 64);
        }
    }
    node_cidrs_fini(&m);
}

TEST_MAIN(parts_are_given_out_and_come_back_last, other_ranges_are_not_ours, many_agree_with_a_naive_model)
