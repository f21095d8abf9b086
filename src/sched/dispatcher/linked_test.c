/* linked_test.c - tasks that wait for a link between domains: nothing but that link has them tried again, and then as few as there is room for. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/dispatcher/dispatcher_state.h"
#include "sched/engine/links.h"
#include "sched/engine/test_world.h"

#define MBIT 1000000ll

struct world {
    struct sched *s;
    struct dispatcher *d;
    uint32_t tries, placed;
    nsec_t now;
    struct err err;
};

static void route(struct world *w, const char *name, const char *source, const char *destination, int64_t mbit)
{
    T_NO_ERR(sched_route_put(w->s, &(struct route_spec){.ns = S(""), .name = str_of(name), .source = str_of(source), .destination = str_of(destination), .bits = mbit * MBIT}, &w->err), &w->err);
}

static struct world make(void)
{
    struct world w = {.s = world_new("default", 0), .now = NSEC_PER_SEC};
    struct dispatcher_opts opts = DISPATCHER_OPTS_DEFAULT;
    w.d = dispatcher_new(w.s, &opts);
    struct res_amount res[] = {{RES_CPU, 64000}, {RES_MEMORY, 64 * GIB}, {RES_INGRESS, 10000 * MBIT}, {RES_EGRESS, 10000 * MBIT}, {RES_PODS, 1000}};
    T_NO_ERR(sched_node_put(w.s, &(struct node_spec){.name = S("n0"), .allocatable = {res, 5}}, NULL, &w.err), &w.err);
    route(&w, "ab", "alice", "bob", 100);
    route(&w, "ac", "alice", "carol", 100);
    return w;
}

static void done(struct world *w)
{
    T_NO_ERR(dispatcher_check(w->d, &w->err), &w->err);
    dispatcher_free(w->d);
    world_check(w->s);
    sched_free(w->s);
}

static unit_id task(struct world *w, const char *name, const char *other, int64_t mbit)
{
    const char *const parties[] = {"alice", other};
    struct spec_subgroup sub[] = {{.name = S("alice"), .min_member = 1}, {.name = str_of(other), .min_member = 1}};
    unit_id u = UNIT_NONE;
    T_NO_ERR(sched_group_put(w->s, &(struct group_spec){.ns = S(""), .name = str_of(name), .subgroups = sub, .nsubgroups = 2, .min_member = 2, .created_ns = w->now}, &u, &w->err), &w->err);
    for (size_t i = 0; i < 2; i++) {
        struct res_amount req[] = {{RES_CPU, 10}, {RES_INGRESS, mbit * MBIT}, {RES_EGRESS, mbit * MBIT}};
        struct pod_spec p = {.ns = str_of(parties[i]), .name = str_of(name), .group = str_of(name), .group_is_cluster = true, .subgroup = str_of(parties[i]), .created_ns = w->now, .requests = {req, 3}};
        T_NO_ERR(sched_pod_put(w->s, &p, NULL, &w->err), &w->err);
    }
    T_NO_ERR(dispatcher_add(w->d, u, w->now, &w->err), &w->err);
    return u;
}

static void end(struct world *w, const char *name, const char *other)
{
    unit_id u = sched_group_find(w->s, S(""), str_of(name));
    sched_pod_delete(w->s, S("alice"), str_of(name));
    sched_pod_delete(w->s, str_of(other), str_of(name));
    dispatcher_remove(w->d, u);
    sched_group_delete(w->s, S(""), str_of(name));
}

/* Decisions until nobody is ready. */
static uint32_t settle(struct world *w)
{
    struct unit_decision how = UNIT_DECISION_INIT;
    uint32_t before = w->tries;
    unit_id u;
    w->now += NSEC_PER_SEC;
    dispatcher_events(w->d, sched_take_events(w->s), w->now);
    dispatcher_tick(w->d, w->now);
    while ((u = dispatcher_pop(w->d, w->now)) != UNIT_NONE) {
        w->tries++;
        sched_place(w->s, u, w->now, &how);
        w->placed += how.result == UNIT_PLACED;
        dispatcher_done(w->d, u, &how, w->now);
        dispatcher_events(w->d, sched_take_events(w->s), w->now);
    }
    T_NO_ERR(dispatcher_check(w->d, &w->err), &w->err);
    unit_decision_fini(&how);
    return w->tries - before;
}

static pod_id single(struct world *w, const char *ns, const char *name)
{
    struct res_amount req[] = {{RES_CPU, 10}};
    pod_id p = POD_NONE;
    T_NO_ERR(sched_pod_put(w->s, &(struct pod_spec){.ns = str_of(ns), .name = str_of(name), .requests = {req, 1}, .created_ns = w->now}, &p, &w->err), &w->err);
    T_NO_ERR(dispatcher_add(w->d, sched_unit_of(w->s, p), w->now, &w->err), &w->err);
    return p;
}

TEST(only_its_link_wakes_a_task)
{
    struct world w = make();
    char name[16];
    task(&w, "holds-ab", "bob", 100);
    task(&w, "holds-ac", "carol", 100);
    T_EQ_INT(settle(&w), 2);
    for (int i = 0; i < 20; i++) {
        snprintf(name, sizeof name, "ab%d", i);
        task(&w, name, "bob", 40);
        snprintf(name, sizeof name, "ac%d", i);
        task(&w, name, "carol", 40);
        settle(&w);
    }
    T_EQ_INT(w.placed, 2);
    for (int i = 0; i < 50; i++) { /* others come and go: nobody here is helped */
        single(&w, "alice", "passer-by");
        T_EQ_INT(settle(&w), 1);
        sched_pod_delete(w.s, S("alice"), S("passer-by"));
        T_EQ_INT(settle(&w), 0);
    }
    T_EQ_INT(dispatcher_count(w.d).parked, 40);
    end(&w, "holds-ab", "bob"); /* room for two of those of that link */
    T_EQ_INT(settle(&w), 2);
    T_EQ_INT(w.placed, 2 + 50 + 2);
    route(&w, "ac", "alice", "carol", 150); /* wider, for one */
    T_EQ_INT(settle(&w), 1);
    route(&w, "ac", "alice", "carol", 145); /* narrower */
    T_EQ_INT(settle(&w), 0);
    sched_route_delete(w.s, S(""), S("ac")); /* without an end: all */
    T_EQ_INT(settle(&w), 19);
    T_EQ_INT(w.placed, 2 + 50 + 2 + 1 + 19);
    T_EQ_INT(dispatcher_count(w.d).parked, 18);
    done(&w);
}

/* One that lacks two links waits for the other when the first is there. */
TEST(whoever_lacks_two_links_waits_for_both)
{
    struct world w = make();
    task(&w, "holds-ab", "bob", 100);
    task(&w, "holds-ac", "carol", 100);
    settle(&w);
    struct spec_subgroup sub[] = {{.name = S("alice"), .min_member = 1}, {.name = S("bob"), .min_member = 1}, {.name = S("carol"), .min_member = 1}};
    unit_id u = UNIT_NONE;
    T_NO_ERR(sched_group_put(w.s, &(struct group_spec){.ns = S(""), .name = S("three"), .subgroups = sub, .nsubgroups = 3, .min_member = 3, .created_ns = w.now}, &u, &w.err), &w.err);
    for (size_t i = 0; i < 3; i++) {
        struct res_amount req[] = {{RES_CPU, 10}, {RES_INGRESS, 50 * MBIT}, {RES_EGRESS, 50 * MBIT}};
        T_NO_ERR(sched_pod_put(w.s, &(struct pod_spec){.ns = sub[i].name, .name = S("three"), .group = S("three"), .group_is_cluster = true, .subgroup = sub[i].name, .requests = {req, 3}}, NULL, &w.err),
                 &w.err);
    }
    T_NO_ERR(dispatcher_add(w.d, u, w.now, &w.err), &w.err);
    T_EQ_INT(settle(&w), 1);
    end(&w, "holds-ab", "bob");
    T_EQ_INT(settle(&w), 0);
    T_EQ_INT(dispatcher_where(w.d, u), DISPATCH_PARKED);
    T_NO_ERR(dispatcher_add(w.d, u, w.now, &w.err), &w.err); /* something about it changed: it is tried, whatever was known */
    T_EQ_INT(settle(&w), 1);
    T_EQ_INT(dispatcher_where(w.d, u), DISPATCH_PARKED);
    end(&w, "holds-ac", "carol");
    T_EQ_INT(settle(&w), 1);
    T_EQ_INT(w.placed, 3);
    done(&w);
}

TEST_MAIN(only_its_link_wakes_a_task, whoever_lacks_two_links_waits_for_both)
