/* pdbs_test.c - which evictions break a budget, counted in the order of the list. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/engine/pdbs.h"

#include "base/test.h"
#include "sched/engine/engine.h"

static pod_id add_pod(struct sched *s, const char *ns, const char *name, const char *app)
{
    struct spec_label labels[] = {{S("app"), str_of(app)}};
    struct pod_spec p = {.ns = str_of(ns), .name = str_of(name), .labels = {labels, *app ? 1 : 0}};
    struct err err = ERR_NONE;
    pod_id id = POD_NONE;
    T_NO_ERR(sched_pod_put(s, &p, &id, &err), &err);
    return id;
}

static void add_budget(struct sched *s, const char *ns, const char *name, const char *app, int32_t allowed, const char *disrupted)
{
    str value = str_of(app), gone = str_of(disrupted);
    struct spec_requirement r = {S("app"), *app ? OP_IN : OP_EXISTS, &value, *app ? 1 : 0};
    struct pdb_spec b = {.ns = str_of(ns), .name = str_of(name), .selector = {.p = &r, .n = 1}, .disruptions_allowed = allowed, .disrupted = &gone, .ndisrupted = *disrupted ? 1 : 0};
    struct err err = ERR_NONE;
    T_NO_ERR(sched_pdb_put(s, &b, &err), &err);
}

TEST(splits_in_order)
{
    struct sched *s = sched_new(profile_builtin(S("default")), 0);
    pod_id web[4], db = add_pod(s, "ns", "db", "db"), bare = add_pod(s, "ns", "bare", ""), other = add_pod(s, "other", "web", "web");
    for (int i = 0; i < 4; i++)
        web[i] = add_pod(s, "ns", (const char *[]){"w0", "w1", "w2", "w3"}[i], "web");
    pod_id list[] = {web[0], db, web[1], other, web[2], bare, web[3]};
    T_OK(!pdbs_any(s));
    T_EQ_INT(pdbs_split(s, list, ARRAY_LEN(list)), 0);
    add_budget(s, "ns", "b", "web", 2, "");
    T_OK(pdbs_any(s));
    T_EQ_INT(pdbs_split(s, list, ARRAY_LEN(list)), 2);
    const pod_id want[] = {web[2], web[3], web[0], db, web[1], other, bare};
    for (size_t i = 0; i < ARRAY_LEN(want); i++)
        T_EQ_INT(list[i], want[i]);
    /* every question starts anew */
    T_EQ_INT(pdbs_split(s, list, 1), 0);
    T_EQ_INT(pdbs_split(s, list, 1), 0);
    sched_free(s);
}

TEST(budgets_that_cover_nothing)
{
    struct sched *s = sched_new(profile_builtin(S("default")), 0);
    pod_id a = add_pod(s, "ns", "a", "web"), bare = add_pod(s, "ns", "bare", "");
    struct err err = ERR_NONE;
    struct pdb_spec all = {.ns = S("ns"), .name = S("all")}, none = {.ns = S("ns"), .name = S("none"), .selector = {.none = true}};
    T_NO_ERR(sched_pdb_put(s, &all, &err), &err);
    T_NO_ERR(sched_pdb_put(s, &none, &err), &err);
    pod_id list[] = {a, bare};
    T_EQ_INT(pdbs_split(s, list, 2), 0);
    /* counted already */
    add_budget(s, "ns", "b", "web", 0, "a");
    T_EQ_INT(pdbs_split(s, list, 2), 0);
    add_budget(s, "ns", "b", "web", 0, "z");
    T_EQ_INT(pdbs_split(s, list, 2), 1);
    T_EQ_INT(list[0], a);
    /* a budget below zero allows nothing either */
    add_budget(s, "ns", "b", "web", -3, "");
    T_EQ_INT(pdbs_split(s, list, 2), 1);
    sched_free(s);
}

TEST(two_budgets_and_versions)
{
    struct sched *s = sched_new(profile_builtin(S("default")), 0);
    pod_id a = add_pod(s, "ns", "a", "web"), b = add_pod(s, "ns", "b", "web");
    uint64_t v = pdbs_version(s);
    add_budget(s, "ns", "one", "web", 1, "");
    add_budget(s, "ns", "any", "", 5, "");
    T_OK(pdbs_version(s) > v);
    pod_id list[] = {a, b};
    T_EQ_INT(pdbs_split(s, list, 2), 1);
    T_EQ_INT(list[0], b);
    v = pdbs_version(s);
    sched_pdb_delete(s, S("ns"), S("one"));
    T_OK(pdbs_version(s) > v);
    T_EQ_INT(pdbs_split(s, list, 2), 0);
    sched_pdb_delete(s, S("ns"), S("any"));
    sched_pdb_delete(s, S("ns"), S("any"));
    T_OK(!pdbs_any(s));
    struct pdb_spec nameless = {.ns = S("ns")};
    struct err err = ERR_NONE;
    T_ERR(sched_pdb_put(s, &nameless, &err), E_INVALID_ARG);
    sched_free(s);
}

TEST(long_lists)
{
    struct sched *s = sched_new(profile_builtin(S("default")), 0);
    enum { N = 300 };
    pod_id list[N];
    for (int i = 0; i < N; i++) {
        char name[16];
        snprintf(name, sizeof name, "p%d", i);
        list[i] = add_pod(s, "ns", name, i % 3 ? "web" : "db");
    }
    add_budget(s, "ns", "b", "web", 50, "");
    T_EQ_INT(pdbs_split(s, list, N), 150);
    for (int i = 1; i < N; i++)
        T_OK(i == 150 || list[i - 1] < list[i]);
    sched_free(s);
}

TEST_MAIN(splits_in_order, budgets_that_cover_nothing, two_budgets_and_versions, long_lists)
