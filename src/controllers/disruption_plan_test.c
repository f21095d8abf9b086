/* SPDX-License-Identifier: Apache-2.0 */
#include "controllers/disruption_plan.h"

#include "controllers/workload_testing.h"

#define NOW (1767322800 * NSEC_PER_SEC) /* 2026-01-02T03:00:00Z */

struct row {
    const char *spec;
    int pods, ready;
    int64_t scale;
    int64_t expected, desired, allowed;
};

static struct pod_record **make(struct arena *a, int n, int ready)
{
    struct pod_record **pods = arena_array(a, (size_t)n + 1, struct pod_record *);
    for (int i = 0; i < n; i++)
        pods[i] = pod(a, arena_cstr(a, arena_fmt(a, "p%d Running%s", i, i < ready ? " ready=1" : "")));
    return pods;
}

static struct json budget(struct arena *a, const char *spec, const char *status)
{
    return tree(a, arena_cstr(a, arena_fmt(a, "{'metadata':{'generation':3},'spec':%s,'status':%s}", spec, status)));
}

static int64_t field(const struct disruption *d, const char *name)
{
    return json_get_int(&d->status, str_of(name), -1);
}

TEST(counts)
{
    static const struct row rows[] = {
        {"{'minAvailable':2}", 3, 3, 0, 3, 2, 1},          {"{'minAvailable':2}", 3, 2, 0, 3, 2, 0},         {"{'minAvailable':5}", 3, 3, 0, 3, 5, 0},
        {"{'minAvailable':0}", 3, 1, 0, 3, 0, 1},          {"{'minAvailable':'50%'}", 5, 5, 5, 5, 3, 2},     {"{'minAvailable':'50%'}", 2, 2, 5, 5, 3, 0},
        {"{'minAvailable':'100%'}", 4, 4, 4, 4, 4, 0},     {"{'minAvailable':'0%'}", 4, 4, 4, 4, 0, 4},      {"{'maxUnavailable':1}", 3, 3, 3, 3, 2, 1},
        {"{'maxUnavailable':1}", 3, 2, 3, 3, 2, 0},        {"{'maxUnavailable':'30%'}", 7, 7, 7, 7, 4, 3},   {"{'maxUnavailable':'100%'}", 3, 1, 3, 3, 0, 1},
        {"{'maxUnavailable':9}", 3, 3, 3, 3, 0, 3},        {"{'maxUnavailable':0}", 3, 3, 3, 3, 3, 0},       {"{'maxUnavailable':1}", 0, 0, 0, 0, 0, 0},
        {"{'maxUnavailable':1}", 1, 1, 10, 10, 9, 0},      {"{}", 2, 2, 0, 2, 1, 1},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        ARENA_AUTO a = ARENA_INIT;
        struct json pdb = budget(&a, rows[i].spec, "{}");
        struct pod_record **pods = make(&a, rows[i].pods, rows[i].ready);
        struct disruption d = disruption_plan_make(&a, &pdb, pods, (size_t)rows[i].pods, rows[i].scale, S(""), NOW);
        T_EQ_INT(field(&d, "expectedPods"), rows[i].expected);
        T_EQ_INT(field(&d, "desiredHealthy"), rows[i].desired);
        T_EQ_INT(field(&d, "disruptionsAllowed"), rows[i].allowed);
        T_EQ_INT(field(&d, "currentHealthy"), rows[i].ready);
        T_EQ_INT(field(&d, "observedGeneration"), 3);
        struct json *c = &json_get(&d.status, S("conditions"))->items[0];
        T_EQ_STR(json_get_str(c, S("status")), rows[i].allowed ? "True" : "False");
        T_EQ_STR(json_get_str(c, S("reason")), rows[i].allowed ? "SufficientPods" : "InsufficientPods");
        if (test_failures_)
            printf("# row %zu: %s\n", i, rows[i].spec);
    }
}

TEST(evictions_under_way)
{
    ARENA_AUTO a = ARENA_INIT;
    struct json pdb = budget(&a, "{'minAvailable':1}",
                             "{'disruptedPods':{'p0':'2026-01-02T02:59:30Z','p1':'2026-01-02T02:57:00Z','p2':'2026-01-02T02:59:50Z','gone':'2026-01-02T02:59:59Z'}}");
    struct pod_record **pods = make(&a, 4, 4);
    pods[2]->deleting = true;
    struct disruption d = disruption_plan_make(&a, &pdb, pods, 4, 0, S(""), NOW);
    /* p0 waits, p1's eviction did not happen, p2 is going, the last is gone */
    T_EQ_STR(json_text(&a, json_get(&d.status, S("disruptedPods"))), "{\"p0\":\"2026-01-02T02:59:30Z\"}");
    T_EQ_INT(field(&d, "currentHealthy"), 2);
    T_EQ_INT(field(&d, "disruptionsAllowed"), 1);
    T_EQ_INT(d.next, 90 * NSEC_PER_SEC);
    json_set(&a, &pdb, S("status"), d.status);
    d = disruption_plan_make(&a, &pdb, pods, 4, 0, S(""), NOW + 100 * NSEC_PER_SEC);
    T_OK(!json_get(&d.status, S("disruptedPods")));
    T_EQ_INT(d.next, 0);
}

TEST(trouble_stops_evictions)
{
    ARENA_AUTO a = ARENA_INIT;
    struct json pdb = budget(&a, "{'maxUnavailable':1}", "{'disruptionsAllowed':2,'currentHealthy':3}");
    struct disruption d = disruption_plan_make(&a, &pdb, make(&a, 3, 3), 3, 0, S("no scale"), NOW);
    T_EQ_INT(field(&d, "disruptionsAllowed"), 0);
    T_EQ_INT(field(&d, "currentHealthy"), 3);
    struct json *c = &json_get(&d.status, S("conditions"))->items[0];
    T_EQ_STR(json_get_str(c, S("reason")), "SyncFailed");
    T_EQ_STR(json_get_str(c, S("message")), "no scale");
}

TEST(nothing_changes_twice)
{
    ARENA_AUTO a = ARENA_INIT;
    struct json pdb = budget(&a, "{'minAvailable':'50%'}", "{}");
    struct pod_record **pods = make(&a, 3, 3);
    T_OK(disruption_needs_scale(&pdb));
    struct disruption d = disruption_plan_make(&a, &pdb, pods, 3, 3, S(""), NOW);
    json_set(&a, &pdb, S("status"), d.status);
    struct disruption e = disruption_plan_make(&a, &pdb, pods, 3, 3, S(""), NOW + 1000 * NSEC_PER_SEC);
    T_OK(json_equal(&d.status, &e.status));
}

TEST_MAIN(counts, evictions_under_way, trouble_stops_evictions, nothing_changes_twice)
