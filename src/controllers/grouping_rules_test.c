/* SPDX-License-Identifier: Apache-2.0 */
#include "controllers/grouping_rules.h"

#include "controllers/workload_testing.h"

TEST(rules_are_found)
{
    static const struct grouping_rule own[] = {{.api = STR_INIT("apps/v1"), .kind = STR_INIT("Deployment"), .priority = STR_INIT("mine")},
                                               {.api = STR_INIT("example.com"), .kind = STR_INIT("Any"), .priority = STR_INIT("any")}};
    static const struct grouping_rules rules = {own, ARRAY_LEN(own)};
    T_EQ_STR(grouping_rule_find(NULL, S("apps/v1"), S("Deployment"))->priority, "inference");
    T_EQ_STR(grouping_rule_find(&rules, S("apps/v1"), S("Deployment"))->priority, "mine");
    T_EQ_STR(grouping_rule_find(&rules, S("apps/v2"), S("Deployment"))->priority, "inference"); /* of one version only */
    T_EQ_STR(grouping_rule_find(&rules, S("example.com/v7"), S("Any"))->priority, "any");
    T_EQ_STR(grouping_rule_find(&rules, S("example.com/v7"), S("Other"))->priority, "train");
    T_EQ_STR(grouping_rule_find(&rules, S("v1"), S("Pod"))->kind, "Pod");
    T_EQ_STR(grouping_rule_find(&rules, S("x/v1"), S("Pod"))->kind, "");
    T_OK(grouping_rule_find(NULL, S("apps/v1"), S("DaemonSet"))->leave);
    T_OK(grouping_rule_find(NULL, S("argoproj.io/v1alpha1"), S("Workflow"))->skip);
}

/* A row that another one hides would never be used; one that is skipped or left says nothing else. */
TEST(the_table_is_sound)
{
    for (size_t i = 0; i < grouping_table_len; i++) {
        const struct grouping_rule *r = &grouping_table[i];
        ARENA_AUTO a = ARENA_INIT;
        str version = r->api.len ? arena_fmt(&a, STR_FMT "/v1", STR_ARG(r->api)) : S("v1");
        if (grouping_rule_find(NULL, version, r->kind) != r)
            T_FAIL_(STR_FMT " is hidden", STR_ARG(r->kind));
        if ((r->skip || r->leave) == (r->priority.len > 0))
            T_FAIL_(STR_FMT " has a class and no group, or the other way round", STR_ARG(r->kind));
        T_OK((r->formula == GROUPING_ROLES) == (r->roles.len > 0));
        T_OK((r->by == GROUPING_BY_LABEL) == (r->label.len > 0));
    }
}

TEST(amounts)
{
    static const struct {
        struct grouping_amount amount;
        int64_t want; /* -1: nothing */
    } rows[] = {
        {{.fixed = 0}, -1},
        {{.fixed = 7}, 7},
        {{.fixed = 1ll << 40}, GROUPING_MEMBERS_MAX},
        {{.paths = {STR_INIT("spec.n")}}, 3},
        {{.paths = {STR_INIT("{.spec.n}")}}, 3},
        {{.paths = {STR_INIT(".spec.text")}}, 12},
        {{.paths = {STR_INIT("spec.list[*].n")}}, 6},
        {{.paths = {STR_INIT("spec.missing"), STR_INIT("spec.word"), STR_INIT("spec.n")}}, 3},
        {{.paths = {STR_INIT("spec.negative")}}, -1},
        {{.paths = {STR_INIT("spec.huge")}}, GROUPING_MEMBERS_MAX},
        {{.paths = {STR_INIT("spec.list[")}}, -1},
        {{.paths = {STR_INIT("metadata.annotations['a\\.b/c-d']")}}, 4},
        {{.paths = {STR_INIT("spec.zero")}}, 0},
    };
    ARENA_AUTO a = ARENA_INIT;
    struct json obj = tree(&a, "{'metadata':{'annotations':{'a.b/c-d':'4'}},'spec':{'n':3,'zero':0,'text':'12','word':'x','negative':-3,'huge':1000000000000,'list':[{'n':1},{'n':2},{},{'n':3}]}}");
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        int64_t n = -1;
        bool found = grouping_amount_read(&a, &rows[i].amount, &obj, &n);
        if (n != rows[i].want || found != (n >= 0))
            T_FAIL_("row %zu gave %lld", i, (long long)n);
    }
}

TEST_MAIN(rules_are_found, the_table_is_sound, amounts)
