/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/units.h"

#include "base/test.h"

static struct json parsed(struct arena *a, const char *text)
{
    struct json v = json_null();
    struct err err = ERR_NONE;
    T_NO_ERR(json_parse(a, str_of(text), NULL, &v, &err), &err);
    return v;
}

TEST(the_minimum_is_what_must_run_together)
{
    static const struct {
        const char *spec;
        int64_t min;
    } cases[] = {
        {"{}", 1},
        {"{\"minMember\":4}", 4},
        {"{\"minMember\":9,\"subGroups\":[{\"name\":\"a\",\"minMember\":2},{\"name\":\"b\"}]}", 3},
        {"{\"subGroups\":[{\"name\":\"top\",\"minMember\":7},{\"name\":\"a\",\"parent\":\"top\",\"minMember\":2},{\"name\":\"b\",\"parent\":\"top\",\"minMember\":0}]}", 2},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        ARENA_AUTO a = ARENA_INIT;
        struct json spec = parsed(&a, cases[i].spec);
        T_EQ_INT(unit_min(&spec), cases[i].min);
    }
}

TEST(pods_count_by_what_they_are)
{
    static const char *const pods[] = {
        "{\"metadata\":{},\"spec\":{},\"status\":{\"phase\":\"Pending\"}}",
        "{\"metadata\":{},\"spec\":{\"nodeName\":\"n\"},\"status\":{\"phase\":\"Pending\"}}",
        "{\"metadata\":{},\"spec\":{\"nodeName\":\"n\"},\"status\":{\"phase\":\"Running\"}}",
        "{\"metadata\":{\"deletionTimestamp\":\"2026-01-01T00:00:00Z\"},\"spec\":{\"nodeName\":\"n\"},\"status\":{\"phase\":\"Running\"}}",
        "{\"metadata\":{},\"spec\":{\"nodeName\":\"n\"},\"status\":{\"phase\":\"Succeeded\"}}",
        "{\"metadata\":{},\"spec\":{\"nodeName\":\"n\"},\"status\":{\"phase\":\"Failed\"}}",
    };
    struct unit_counts_view n = {0};
    for (size_t i = 0; i < ARRAY_LEN(pods); i++) {
        ARENA_AUTO a = ARENA_INIT;
        struct json pod = parsed(&a, pods[i]);
        unit_count_pod(&n, &pod);
    }
    T_EQ_INT(n.total, 6);
    T_EQ_INT(n.waiting, 1);
    T_EQ_INT(n.placed, 2);
    T_EQ_INT(n.running, 1);
    T_EQ_INT(n.leaving, 1);
    T_EQ_INT(n.succeeded, 1);
    T_EQ_INT(n.failed, 1);
}

TEST(a_state_follows_from_the_pods)
{
    static const struct {
        struct unit_counts_view n;
        const char *state;
    } cases[] = {
        {{0}, "Empty"},
        {{.waiting = 2}, "Incomplete"},
        {{.waiting = 3}, "Pending"},
        {{.waiting = 1, .succeeded = 2}, "Pending"}, /* most of it is done already */
        {{.waiting = 1, .placed = 2}, "Starting"},
        {{.waiting = 1, .placed = 2, .running = 1}, "Running"},
        {{.leaving = 3}, "Leaving"},
        {{.succeeded = 3}, "Succeeded"},
        {{.succeeded = 2, .failed = 1}, "Failed"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++)
        T_EQ_STR(str_of(unit_state(&cases[i].n, 3)), cases[i].state);
}

TEST_MAIN(the_minimum_is_what_must_run_together, pods_count_by_what_they_are, a_state_follows_from_the_pods)
