/* protect_test.c - one large task of two domains that small ones pass by: when room is kept for it, what is told, and what ends that. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/pipeline.h"

#include "sched/engine/explain.h"
#include "sched/engine/explain_nodes.h"
#include "sched/engine/keep.h"
#include "sched/engine/test_world.h"

#define MBIT 1000000ll
#define BEGIN_S 1000000000ll /* a wall clock */

struct world {
    struct sched *s;
    struct pipeline *p;
    int64_t now;
    uint32_t number;
    struct arena a;
    struct err err;
};

static void node_with(struct world *w, const char *domain, const char *name, int64_t mbit, bool cordoned)
{
    struct spec_label label = {S("domain"), str_of(domain)};
    struct res_amount res[] = {{RES_CPU, 64000}, {RES_MEMORY, 64 * GIB}, {RES_INGRESS, mbit * MBIT}, {RES_EGRESS, mbit * MBIT}, {RES_PODS, 110}};
    T_NO_ERR(sched_node_put(w->s, &(struct node_spec){.name = str_of(name), .labels = {&label, 1}, .allocatable = {res, 5}, .unschedulable = cordoned}, NULL, &w->err), &w->err);
}

static void node(struct world *w, const char *domain, const char *name)
{
    node_with(w, domain, name, 1000, false);
}

static struct world make(void)
{
    struct world w = {.s = world_new("default", 0), .now = BEGIN_S, .a = ARENA_INIT};
    struct pipeline_opts opts = {.workers = 1, .dispatch = DISPATCHER_OPTS_DEFAULT};
    w.p = pipeline_new(w.s, &opts, &(struct binder_calls){0}, &w.err);
    T_OK(w.p);
    return w;
}

static void done(struct world *w)
{
    pipeline_free(w->p);
    sched_free(w->s);
    arena_fini(&w->a);
}

static pod_id pod(struct world *w, const char *ns, const char *name, const char *task, const char *on, int64_t mbit, int32_t priority)
{
    struct res_amount req[] = {{RES_CPU, 10}, {RES_INGRESS, mbit * MBIT}, {RES_EGRESS, mbit * MBIT}};
    struct spec_label label = {S("domain"), str_of(ns)};
    struct pod_spec p = {.ns = str_of(ns), .name = str_of(name), .group = world_str(task), .group_is_cluster = task != NULL, .subgroup = task ? str_of(ns) : S(""), .requests = {req, 3}, .node = world_str(on),
                         .created_ns = w->now * NSEC_PER_SEC, .phase = on ? POD_BOUND : POD_PENDING, .node_selector = {&label, 1}, .priority = priority};
    pod_id id = POD_NONE;
    T_NO_ERR(sched_pod_put(w->s, &p, &id, &w->err), &w->err);
    if (!on)
        T_NO_ERR(dispatcher_add(pipeline_dispatcher(w->p), sched_unit_of(w->s, id), w->now * NSEC_PER_SEC, &w->err), &w->err);
    return id;
}

/* Of alice and bob, one pod each. */
static unit_id task(struct world *w, const char *name, int64_t mbit)
{
    struct spec_subgroup sub[] = {{.name = S("alice"), .min_member = 1}, {.name = S("bob"), .min_member = 1}};
    struct group_spec g = {.ns = S(""), .name = str_of(name), .subgroups = sub, .nsubgroups = 2, .min_member = 2, .created_ns = w->now * NSEC_PER_SEC};
    unit_id u = UNIT_NONE;
    T_NO_ERR(sched_group_put(w->s, &g, &u, &w->err), &w->err);
    pod(w, "alice", name, name, NULL, mbit, 0);
    pod(w, "bob", name, name, NULL, mbit, 0);
    return u;
}

static void gone(struct world *w, const char *ns, const char *name)
{
    pod_id p = sched_pod_find(w->s, str_of(ns), str_of(name));
    T_OK(p);
    binder_pod_gone(pipeline_binder(w->p), p);
    sched_pod_delete(w->s, str_of(ns), str_of(name));
}

static void run(struct world *w, int64_t seconds)
{
    w->now += seconds;
    for (int i = 0; i < 3; i++)
        pipeline_run(w->p, w->now * NSEC_PER_SEC, 0);
    T_NO_ERR(model_check(w->s, &w->err), &w->err);
    T_NO_ERR(dispatcher_check(pipeline_dispatcher(w->p), &w->err), &w->err);
}

/* Somebody young comes and goes. */
static void passer_by(struct world *w)
{
    char name[16];
    snprintf(name, sizeof name, "young%u", w->number++);
    pod_id p = pod(w, "carol", name, NULL, NULL, 1, 0);
    run(w, 0);
    T_EQ_INT(w->s->pods[p].state, PS_ASSUMED);
    gone(w, "carol", name);
}

static bool is_on(const struct world *w, const char *ns, const char *name, const char *on, enum pod_state state)
{
    pod_id p = sched_pod_find(w->s, str_of(ns), str_of(name));
    return p && w->s->pods[p].state == state && (state == PS_PENDING || str_is(sched_node_name(w->s, w->s->pods[p].node), on));
}

/* Nodes a0, b0 and c0 of three domains; a0 has 300 of old, the task `large` wants all of a0 and b0. */
static struct world passed_over(unit_id *ret)
{
    struct world w = make();
    node(&w, "alice", "a0");
    node(&w, "bob", "b0");
    node(&w, "carol", "c0");
    pod(&w, "alice", "old", NULL, "a0", 300, 0);
    *ret = task(&w, "large", 1000);
    run(&w, 0);
    T_OK(is_on(&w, "alice", "large", "", PS_PENDING));
    return w;
}

TEST(whoever_is_passed_over_has_room_kept)
{
    unit_id u;
    struct world w = passed_over(&u);
    run(&w, 200);
    T_OK(!keep_of(w.s, u)); /* nobody younger took anything: it would be in vain */
    passer_by(&w);
    run(&w, 0);
    T_OK(keep_of(w.s, u));
    T_OK(is_on(&w, "alice", "large", "a0", PS_NOMINATED) && is_on(&w, "bob", "large", "b0", PS_NOMINATED));
    pod(&w, "alice", "new", NULL, NULL, 100, 0);
    unit_id small = task(&w, "small", 100);
    run(&w, 60);
    T_OK(is_on(&w, "alice", "new", "", PS_PENDING) && is_on(&w, "alice", "small", "", PS_PENDING));
    T_EQ_STR(explain_waiting(w.s, &w.a, small, 0, NULL)->sentence,
             "0 of 2 members find room; alice/small: 0/3 nodes fit: 2 didn't match Pod's node affinity/selector, 1 lacks ingress bandwidth (needs 100 Mbit/s; best free: 0 on a0),"
             " 1 lacks egress bandwidth (needs 100 Mbit/s; best free: 0 on a0); waiting for bandwidth on one node"
             " (on a0 held by old (300 Mbit/s)); room that would do is kept for task large, which waits since 2001-09-09T01:46:40Z");
    T_EQ_STR(explain_waiting(w.s, &w.a, u, 0, NULL)->sentence,
             "1 of 2 members find room; alice/large: 0/3 nodes fit: 2 didn't match Pod's node affinity/selector, 1 lacks ingress bandwidth (needs 1,000 Mbit/s; best free: 700 on a0),"
             " 1 lacks egress bandwidth (needs 1,000 Mbit/s; best free: 700 on a0); waiting for bandwidth on one node"
             " (on a0 held by old (300 Mbit/s)); it has waited for so long that room is kept for it on a0");
    struct json x = explain_group_json(w.s, &w.a, u, explain_waiting(w.s, &w.a, u, 0, NULL));
    T_EQ_STR(json_get_str(&x, S("keptOn")), "a0");
    T_EQ_STR(json_get_str(&json_get(&json_get(&x, S("parties"))->items[0], S("pods"))->items[0], S("keptOn")), "a0");
    const struct json *considered = &json_get(&json_get(&x, S("parties"))->items[0], S("considered"))->items[0];
    T_OK(json_get_bool(considered, S("kept"), false) && !json_get(considered, S("chosen")));
    T_EQ_STR(json_get_str(considered, S("lacks")), "300 Mbit/s more ingress bandwidth and 300 Mbit/s more egress bandwidth");
    gone(&w, "alice", "old");
    run(&w, 1);
    T_OK(is_on(&w, "alice", "large", "a0", PS_ASSUMED) && is_on(&w, "bob", "large", "b0", PS_ASSUMED));
    T_OK(!keep_of(w.s, u));
    done(&w);
}

TEST(it_is_given_back_when_the_task_goes)
{
    unit_id u;
    struct world w = passed_over(&u);
    run(&w, 200);
    passer_by(&w);
    run(&w, 0);
    T_OK(keep_of(w.s, u));
    task(&w, "small", 100);
    run(&w, 1);
    T_OK(is_on(&w, "bob", "small", "", PS_PENDING));
    dispatcher_remove(pipeline_dispatcher(w.p), u);
    gone(&w, "alice", "large");
    gone(&w, "bob", "large");
    sched_group_delete(w.s, S(""), S("large"));
    run(&w, 1);
    T_OK(is_on(&w, "alice", "small", "a0", PS_ASSUMED) && is_on(&w, "bob", "small", "b0", PS_ASSUMED));
    done(&w);
}

/* Its object alone goes: what is left of it can never be placed. */
TEST(a_task_without_its_group_keeps_nothing)
{
    unit_id u;
    struct world w = passed_over(&u);
    run(&w, 200);
    passer_by(&w);
    run(&w, 0);
    T_OK(keep_of(w.s, u));
    sched_group_delete(w.s, S(""), S("large"));
    run(&w, 2);
    T_OK(!keep_of(w.s, u));
    run(&w, 500);
    T_OK(!keep_of(w.s, u) && is_on(&w, "alice", "large", "", PS_PENDING));
    done(&w);
}

/* A plan is a look at every node for each pod. */
TEST(nothing_is_kept_for_very_many_pods)
{
    for (uint32_t pods = 128; pods <= 129; pods++) {
        struct world w = make();
        char name[16];
        node(&w, "alice", "a0");
        node(&w, "alice", "a1");
        node(&w, "bob", "b0");
        node(&w, "carol", "c0");
        pod(&w, "alice", "old", NULL, "a0", 900, 0);
        pod(&w, "alice", "older", NULL, "a1", 900, 0);
        struct spec_subgroup sub[] = {{.name = S("alice"), .min_member = (int32_t)pods - 1}, {.name = S("bob"), .min_member = 1}};
        struct group_spec g = {.ns = S(""), .name = S("many"), .subgroups = sub, .nsubgroups = 2, .min_member = (int32_t)pods, .created_ns = w.now * NSEC_PER_SEC};
        unit_id u = UNIT_NONE;
        T_NO_ERR(sched_group_put(w.s, &g, &u, &w.err), &w.err);
        for (uint32_t i = 0; i < pods; i++) {
            snprintf(name, sizeof name, "many%u", i);
            pod(&w, i ? "alice" : "bob", name, "many", NULL, 5, 0);
        }
        run(&w, 0);
        run(&w, 200);
        passer_by(&w);
        run(&w, 0);
        T_EQ_INT(keep_of(w.s, u) != NULL, pods == 128);
        done(&w);
    }
}

TEST(higher_priority_goes_first)
{
    unit_id u;
    struct world w = passed_over(&u);
    run(&w, 200);
    passer_by(&w);
    run(&w, 0);
    pod(&w, "bob", "urgent", NULL, NULL, 100, 5);
    run(&w, 0);
    T_OK(is_on(&w, "bob", "urgent", "b0", PS_ASSUMED));
    run(&w, 2); /* its room was taken by right: it is kept again, beside that */
    T_OK(keep_of(w.s, u) && is_on(&w, "bob", "large", "b0", PS_NOMINATED));
    done(&w);
}

TEST(a_node_that_goes_is_no_room)
{
    unit_id u;
    struct world w = passed_over(&u);
    node(&w, "alice", "a1");
    pod(&w, "alice", "older", NULL, "a1", 500, 0);
    run(&w, 200);
    passer_by(&w);
    run(&w, 0);
    T_OK(is_on(&w, "alice", "large", "a0", PS_NOMINATED)); /* it lacks less there */
    node_with(&w, "alice", "a0", 1000, true);
    run(&w, 1);
    run(&w, 1);
    T_OK(is_on(&w, "alice", "large", "a1", PS_NOMINATED));
    node_with(&w, "alice", "a1", 900, false); /* too small now */
    run(&w, 2);
    T_OK(!keep_of(w.s, u) && is_on(&w, "alice", "large", "", PS_PENDING) && is_on(&w, "bob", "large", "", PS_PENDING));
    node_with(&w, "alice", "a1", 1000, false);
    run(&w, 300);
    T_OK(is_on(&w, "alice", "large", "a1", PS_NOMINATED));
    sched_node_delete(w.s, S("a1"));
    run(&w, 2);
    T_OK(!keep_of(w.s, u));
    done(&w);
}

/* What runs on a0 never ends: it waits at a1 then, and when nothing ends there either it does not hold others up for ever. */
TEST(in_vain_is_not_for_ever)
{
    unit_id u;
    struct world w = passed_over(&u);
    node(&w, "alice", "a1");
    pod(&w, "alice", "older", NULL, "a1", 500, 0);
    run(&w, 200);
    passer_by(&w);
    run(&w, 0);
    T_OK(is_on(&w, "alice", "large", "a0", PS_NOMINATED));
    run(&w, 301);
    T_OK(is_on(&w, "alice", "large", "a1", PS_NOMINATED));
    task(&w, "small", 100);
    run(&w, 200);
    T_OK(is_on(&w, "bob", "small", "", PS_PENDING));
    run(&w, 101);
    T_OK(!keep_of(w.s, u));
    T_OK(is_on(&w, "bob", "small", "b0", PS_ASSUMED));
    gone(&w, "bob", "small");
    gone(&w, "alice", "small");
    run(&w, 300); /* it is tried again */
    T_OK(keep_of(w.s, u));
    gone(&w, "alice", "older");
    run(&w, 1);
    T_OK(is_on(&w, "alice", "large", "a1", PS_ASSUMED));
    done(&w);
}

static void route(struct world *w, int64_t mbit)
{
    T_NO_ERR(sched_route_put(w->s, &(struct route_spec){.ns = S(""), .name = S("r"), .source = S("alice"), .destination = S("bob"), .bits = mbit * MBIT}, &w->err), &w->err);
}

TEST(a_link_is_kept_too)
{
    struct world w = make();
    for (int i = 0; i < 3; i++) {
        node(&w, "alice", (const char *[]){"a0", "a1", "a2"}[i]);
        node(&w, "bob", (const char *[]){"b0", "b1", "b2"}[i]);
    }
    node(&w, "carol", "c0");
    route(&w, 100);
    task(&w, "first", 30);
    run(&w, 0);
    unit_id u = task(&w, "large", 90);
    run(&w, 0);
    run(&w, 200);
    passer_by(&w);
    run(&w, 0);
    T_OK(keep_of(w.s, u));
    unit_id small = task(&w, "small", 20);
    run(&w, 0);
    T_OK(is_on(&w, "alice", "small", "", PS_PENDING));
    T_EQ_STR(explain_waiting(w.s, &w.a, small, 0, NULL)->sentence,
             "1 of 2 members find room; bob/small: link alice->bob lacks bandwidth (needs 20 Mbit/s; 30 Mbit/s of 100 Mbit/s taken, 90 Mbit/s kept); waiting for bandwidth on the link;"
             " a part of it is kept for task large, which waits since 2001-09-09T01:46:40Z");
    route(&w, 80); /* it can never carry that */
    run(&w, 2);
    T_OK(!keep_of(w.s, u));
    T_OK(is_on(&w, "alice", "small", "a0", PS_ASSUMED) || is_on(&w, "alice", "small", "a1", PS_ASSUMED) || is_on(&w, "alice", "small", "a2", PS_ASSUMED));
    route(&w, 200);
    run(&w, 0);
    T_OK(is_on(&w, "alice", "large", "a0", PS_ASSUMED) || is_on(&w, "alice", "large", "a1", PS_ASSUMED) || is_on(&w, "alice", "large", "a2", PS_ASSUMED));
    done(&w);
}

TEST_MAIN(whoever_is_passed_over_has_room_kept, it_is_given_back_when_the_task_goes, a_task_without_its_group_keeps_nothing, nothing_is_kept_for_very_many_pods, higher_priority_goes_first, a_node_that_goes_is_no_room, in_vain_is_not_for_ever, a_link_is_kept_too)
