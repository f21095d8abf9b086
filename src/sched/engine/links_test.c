/* links_test.c - bandwidth between domains: who takes what of which link, when it comes back, and that no link ever carries more than it can. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/engine/links.h"

#include "sched/engine/explain.h"
#include "sched/engine/object.h"
#include "sched/engine/statement.h"
#include "sched/engine/test_world.h"

#define MBIT 1000000ll

static void node(struct sched *s, const char *name)
{
    struct res_amount res[] = {{RES_CPU, 64000}, {RES_MEMORY, 64 * GIB}, {RES_INGRESS, 10000 * MBIT}, {RES_EGRESS, 10000 * MBIT}, {RES_PODS, 1000}};
    struct err err = ERR_NONE;
    T_NO_ERR(sched_node_put(s, &(struct node_spec){.name = str_of(name), .allocatable = {res, 5}}, NULL, &err), &err);
}

static void route_to(struct sched *s, const char *name, const char *source, const char *destination, int64_t mbit)
{
    struct err err = ERR_NONE;
    T_NO_ERR(sched_route_put(s, &(struct route_spec){.ns = S(""), .name = str_of(name), .source = str_of(source), .destination = str_of(destination), .bits = mbit * MBIT}, &err), &err);
}

/* NAME-0 of a task, in the namespace of a party. */
static void party(struct sched *s, const char *task, const char *ns, int64_t egress, int64_t ingress, const char *on, bool leaving)
{
    char name[64];
    snprintf(name, sizeof name, "%s-0", task);
    struct res_amount req[] = {{RES_CPU, 10}, {RES_INGRESS, ingress * MBIT}, {RES_EGRESS, egress * MBIT}};
    struct pod_spec p = {.ns = str_of(ns), .name = str_of(name), .group = str_of(task), .group_is_cluster = true, .subgroup = str_of(ns), .requests = {req, 3}, .node = world_str(on),
                         .phase = leaving ? POD_TERMINATING : on ? POD_BOUND : POD_PENDING};
    struct err err = ERR_NONE;
    T_NO_ERR(sched_pod_put(s, &p, NULL, &err), &err);
}

static unit_id group(struct sched *s, const char *task, const char *const *parties, size_t n, int32_t enough)
{
    struct spec_subgroup sub[8] = {0};
    for (size_t i = 0; i < n; i++)
        sub[i] = (struct spec_subgroup){.name = str_of(parties[i]), .min_member = 1};
    struct group_spec g = {.ns = S(""), .name = str_of(task), .subgroups = sub, .nsubgroups = n, .min_member = enough ? 0 : (int32_t)n, .min_subgroup = enough};
    struct err err = ERR_NONE;
    unit_id u = UNIT_NONE;
    T_NO_ERR(sched_group_put(s, &g, &u, &err), &err);
    return u;
}

static unit_id task(struct sched *s, const char *name, const char *const *parties, size_t n, int64_t mbit)
{
    unit_id u = group(s, name, parties, n, 0);
    for (size_t i = 0; i < n; i++)
        party(s, name, parties[i], mbit, mbit, NULL, false);
    return u;
}

static enum unit_result place(struct sched *s, unit_id u)
{
    struct unit_decision d = UNIT_DECISION_INIT;
    sched_place(s, u, 0, &d);
    enum unit_result r = d.result;
    if (r == UNIT_REJECTED && sched_node_count(s))
        T_OK(d.helped_by & EVENT_POD_FREED);
    unit_decision_fini(&d);
    world_check(s);
    return r;
}

/* Of the link in Mbit/s; -1: it has no end. */
static int64_t taken(const struct sched *s, const char *source, const char *destination)
{
    struct link_list l = {0};
    int64_t found = -1;
    links_list(s, &l);
    for (size_t i = 0; i < l.list.len; i++)
        if (str_is(symbol_text(&s->sym, l.list.p[i]->ends[0]), source) && str_is(symbol_text(&s->sym, l.list.p[i]->ends[1]), destination))
            found = l.list.p[i]->taken / MBIT;
    vec_fini(&l.list);
    return found;
}

static const char *const two[] = {"alice", "bob"}, *const three[] = {"alice", "bob", "carol"};

TEST(a_task_takes_the_link_and_gives_it_back)
{
    struct sched *s = world_new("default", 0);
    ARENA_AUTO a = ARENA_INIT;
    node(s, "n0");
    route_to(s, "alice-bob", "alice", "bob", 100);
    unit_id t1 = task(s, "t1", two, 2, 60), t2 = task(s, "t2", two, 2, 60);
    T_EQ_INT(place(s, t1), UNIT_PLACED);
    T_EQ_INT(taken(s, "alice", "bob"), 60);
    T_EQ_INT(taken(s, "bob", "alice"), -1);
    T_EQ_INT(place(s, t2), UNIT_REJECTED);
    T_EQ_INT(taken(s, "alice", "bob"), 60);
    struct explanation *x = explain_waiting(s, &a, t2, 0, NULL);
    T_EQ_STR(str_of(x->reason), "BandwidthInsufficient");
    T_EQ_STR(x->sentence, "1 of 2 members find room; bob/t2-0: link alice->bob lacks bandwidth (needs 60 Mbit/s; 60 Mbit/s of 100 Mbit/s taken); waiting for bandwidth on the link");
    /* leaving pods hold their place, ended ones do not */
    party(s, "t1", "alice", 60, 60, "n0", true);
    T_EQ_INT(place(s, t2), UNIT_REJECTED);
    sched_take_events(s);
    sched_pod_delete(s, S("alice"), S("t1-0"));
    T_OK(sched_take_events(s) & EVENT_POD_FREED);
    T_EQ_INT(taken(s, "alice", "bob"), 0);
    T_EQ_INT(place(s, t2), UNIT_PLACED);
    sched_free(s);
}

TEST(a_lost_node_gives_its_links_back)
{
    struct sched *s = world_new("default", 0);
    node(s, "n0");
    route_to(s, "alice-bob", "alice", "bob", 100);
    T_EQ_INT(place(s, task(s, "t1", two, 2, 60)), UNIT_PLACED);
    party(s, "t1", "alice", 60, 60, "n0", false);
    sched_node_delete(s, S("n0"));
    T_EQ_INT(taken(s, "alice", "bob"), 0);
    world_check(s);
    sched_free(s);
}

TEST(each_pair_of_three_parties_takes_its_links)
{
    struct sched *s = world_new("default", 0);
    node(s, "n0");
    for (size_t i = 0; i < 3; i++)
        for (size_t k = 0; k < 3; k++) {
            char name[32];
            snprintf(name, sizeof name, "%s-%s", three[i], three[k]);
            if (i != k)
                route_to(s, name, three[i], three[k], 100);
        }
    T_EQ_INT(place(s, task(s, "t1", three, 3, 70)), UNIT_PLACED);
    for (size_t i = 0; i < 3; i++)
        for (size_t k = 0; k < 3; k++)
            T_EQ_INT(taken(s, three[i], three[k]), i == k ? -1 : 70);
    /* two of three are enough: whoever cannot be reached is left out */
    unit_id t2 = group(s, "t2", three, 3, 2);
    party(s, "t2", "alice", 20, 20, NULL, false);
    party(s, "t2", "bob", 50, 50, NULL, false);
    party(s, "t2", "carol", 20, 20, NULL, false);
    T_EQ_INT(place(s, t2), UNIT_PLACED);
    T_EQ_INT(taken(s, "alice", "carol"), 90);
    T_EQ_INT(taken(s, "alice", "bob"), 70);
    sched_free(s);
}

TEST(the_larger_promise_counts)
{
    struct sched *s = world_new("default", 0);
    node(s, "n0");
    route_to(s, "there", "alice", "bob", 100);
    route_to(s, "back", "bob", "alice", 100);
    unit_id t = group(s, "t", two, 2, 0);
    party(s, "t", "alice", 30, 10, NULL, false);
    party(s, "t", "bob", 0, 80, NULL, false);
    T_EQ_INT(place(s, t), UNIT_PLACED);
    T_EQ_INT(taken(s, "alice", "bob"), 80);
    T_EQ_INT(taken(s, "bob", "alice"), 10);
    sched_free(s);
}

TEST(a_link_that_becomes_narrower_keeps_what_runs)
{
    struct sched *s = world_new("default", 0);
    ARENA_AUTO a = ARENA_INIT;
    node(s, "n0");
    unit_id t0 = task(s, "t0", two, 2, 60), t1 = task(s, "t1", two, 2, 10);
    T_EQ_INT(place(s, t0), UNIT_PLACED); /* no route yet: without end, and counted all the same */
    route_to(s, "alice-bob", "alice", "bob", 100);
    T_EQ_INT(taken(s, "alice", "bob"), 60);
    route_to(s, "narrow", "alice", "bob", 50); /* of two routes the narrower one counts */
    T_EQ_INT(place(s, t1), UNIT_REJECTED);
    T_EQ_INT(unit_count(s, t0).placed, 2);
    route_to(s, "narrow", "alice", "bob", 5);
    T_OK(str_find(explain_waiting(s, &a, t1, 0, NULL)->sentence, S("a wider link: it can never carry that")) >= 0);
    sched_take_events(s);
    sched_route_delete(s, S(""), S("narrow"));
    T_OK(sched_take_events(s) & EVENT_LINK);
    T_EQ_INT(place(s, t1), UNIT_PLACED);
    T_EQ_INT(taken(s, "alice", "bob"), 70);
    sched_route_delete(s, S(""), S("alice-bob"));
    T_EQ_INT(taken(s, "alice", "bob"), -1);
    world_check(s);
    sched_free(s);
}

TEST(routes_are_read_as_kuscia_has_them)
{
    struct sched *s = world_new("default", 0);
    ARENA_AUTO a = ARENA_INIT;
    struct err err = ERR_NONE;
    struct json obj;
    bool known;
    T_NO_ERR(json_parse(&a, S("{\"kind\":\"ClusterDomainRoute\",\"apiVersion\":\"kuscia.secretflow/v1alpha1\",\"metadata\":{\"name\":\"r\"},"
                              "\"spec\":{\"source\":\"alice\",\"destination\":\"bob\",\"bandwidth\":\"100Mbps\"}}"), NULL, &obj, &err), &err);
    T_NO_ERR(object_put(s, &obj, &known, &err), &err);
    T_OK(known);
    T_EQ_INT(taken(s, "alice", "bob"), 0);
    sched_route_delete(s, S(""), S("r")); /* the kind has no namespace, and none is made up */
    T_EQ_INT(taken(s, "alice", "bob"), -1);
    T_NO_ERR(object_put(s, &obj, &known, &err), &err);
    T_NO_ERR(json_parse(&a, S("{\"kind\":\"ClusterDomainRoute\",\"apiVersion\":\"kuscia.secretflow/v1alpha1\",\"metadata\":{\"name\":\"r\"},"
                              "\"spec\":{\"source\":\"alice\",\"destination\":\"bob\",\"bandwidth\":\"much\"}}"), NULL, &obj, &err), &err);
    T_OK(object_put(s, &obj, &known, &err) < 0);
    T_OK(strstr(err.msg, "bandwidth"));
    T_NO_ERR(json_parse(&a, S("{\"kind\":\"DomainRoute\",\"apiVersion\":\"kuscia.secretflow/v1alpha1\",\"metadata\":{\"name\":\"r\",\"namespace\":\"alice\"},"
                              "\"spec\":{\"source\":\"alice\",\"destination\":\"bob\",\"bandwidth\":\"80M\"}}"), NULL, &obj, &err), &err);
    T_NO_ERR(object_put(s, &obj, &known, &err), &err);
    T_EQ_INT(taken(s, "alice", "bob"), 0);
    sched_route_delete(s, S("alice"), S("r"));
    T_EQ_INT(taken(s, "alice", "bob"), -1);
    sched_free(s);
}

/* --- random tasks ------------------------------------------------------------------------------------------------------------------------------ */
static uint64_t below(uint64_t *state, uint64_t n)
{
    *state = *state * 6364136223846793005ull + 1442695040888963407ull;
    return (*state >> 33) % n;
}

#define TASKS 40
#define DOMAINS 5
static const char *const domains[DOMAINS] = {"d0", "d1", "d2", "d3", "d4"};

static void no_link_is_over(const struct sched *s, const int64_t *before)
{
    struct link_list l = {0};
    links_list(s, &l);
    for (size_t i = 0; i < l.list.len; i++)
        T_OK(l.list.p[i]->taken <= MAX(l.list.p[i]->capacity, before[l.list.p[i]->ends[0] % 64 * 64 + l.list.p[i]->ends[1] % 64]));
    vec_fini(&l.list);
}

static void remember(const struct sched *s, int64_t *ret)
{
    struct link_list l = {0};
    memset(ret, 0, 64 * 64 * sizeof *ret);
    links_list(s, &l);
    for (size_t i = 0; i < l.list.len; i++)
        ret[l.list.p[i]->ends[0] % 64 * 64 + l.list.p[i]->ends[1] % 64] = l.list.p[i]->taken;
    vec_fini(&l.list);
}

static void end_task(struct sched *s, const char *name)
{
    char pod[64];
    snprintf(pod, sizeof pod, "%s-0", name);
    for (size_t i = 0; i < DOMAINS; i++)
        sched_pod_delete(s, str_of(domains[i]), str_of(pod));
    sched_group_delete(s, S(""), str_of(name));
}

TEST(random_tasks_never_pass_a_link)
{
    for (uint64_t seed = 1; seed <= 12; seed++) {
        uint64_t r = seed;
        struct sched *s = world_new("default", 0);
        int64_t *before = xarray(64 * 64, int64_t);
        for (unsigned step = 0; step < 400; step++) {
            char name[32], route[32];
            snprintf(name, sizeof name, "t%u", (unsigned)below(&r, TASKS));
            size_t a = below(&r, DOMAINS), b = (a + 1 + below(&r, DOMAINS - 1)) % DOMAINS;
            snprintf(route, sizeof route, "r%zu-%zu-%u", a, b, (unsigned)below(&r, 2));
            remember(s, before);
            switch (below(&r, 8)) {
            case 0:
                route_to(s, route, domains[a], domains[b], (int64_t)(50 + below(&r, 200)));
                break;
            case 1:
                sched_route_delete(s, S(""), str_of(route));
                break;
            case 2:
                end_task(s, name);
                break;
            case 3:
                snprintf(route, sizeof route, "n%u", (unsigned)below(&r, 3));
                if (sched_node_find(s, str_of(route)) == NODE_NONE)
                    node(s, route);
                else
                    sched_node_delete(s, str_of(route));
                break;
            default:
                if (!sched_group_find(s, S(""), str_of(name))) {
                    const char *of[3] = {domains[a], domains[b], domains[(a + b) % DOMAINS]};
                    size_t n = of[2] == of[0] || of[2] == of[1] ? 2 : 2 + below(&r, 2);
                    task(s, name, of, n, (int64_t)below(&r, 120));
                }
                unit_id u = sched_group_find(s, S(""), str_of(name));
                uint32_t mark = statement_begin(s);
                bool back = below(&r, 4) == 0;
                place(s, u);
                if (back)
                    statement_rollback(s, mark);
                else
                    statement_commit(s, mark);
                no_link_is_over(s, before); /* a route that came or became narrower may be below what is taken: placing must not add to that */
            }
            world_check(s);
        }
        for (unsigned i = 0; i < TASKS; i++) {
            char name[32];
            snprintf(name, sizeof name, "t%u", i);
            end_task(s, name);
        }
        remember(s, before);
        for (size_t i = 0; i < 64 * 64; i++)
            T_EQ_INT(before[i], 0);
        free(before);
        sched_free(s);
    }
}

TEST_MAIN(a_task_takes_the_link_and_gives_it_back, a_lost_node_gives_its_links_back, each_pair_of_three_parties_takes_its_links, the_larger_promise_counts,
          a_link_that_becomes_narrower_keeps_what_runs, routes_are_read_as_kuscia_has_them, random_tasks_never_pass_a_link)
