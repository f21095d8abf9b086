/* blocked_test.c - tasks of several domains that wait: whoever fits is tried, at once and in order, and few are tried in vain. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/dispatcher/dispatcher_state.h"
#include "sched/engine/test_world.h"

#define MBIT 1000000ll
#define DOMAINS 5u
#define NODES 4u /* of a domain */
#define TASKS 160u
#define NODE_MBIT 1000

struct task {
    uint32_t n, domain[3];
    int32_t mbit;
    unit_id u; /* UNIT_NONE: it is over */
    bool runs;
};
struct world {
    struct sched *s;
    struct dispatcher *d;
    struct rng rng;
    struct task tasks[TASKS];
    uint32_t tries, placed;
    nsec_t now;
};

static void put_node(struct world *w, uint32_t i, const char *domain, int64_t mbit)
{
    char name[24];
    struct err err = ERR_NONE;
    snprintf(name, sizeof name, "n%u", i);
    struct spec_label labels[] = {{S("domain"), str_of(domain)}};
    struct res_amount res[] = {{RES_CPU, 64000}, {RES_MEMORY, 64 * GIB}, {RES_PODS, 110}, {RES_INGRESS, mbit * MBIT}, {RES_EGRESS, mbit * MBIT}};
    T_NO_ERR(sched_node_put(w->s, &(struct node_spec){.name = str_of(name), .labels = {labels, 1}, .allocatable = {res, 5}}, NULL, &err), &err);
}

static void world_init(struct world *w, uint64_t seed)
{
    char domain[8];
    struct dispatcher_opts opts = DISPATCHER_OPTS_DEFAULT;
    *w = (struct world){.s = world_new("default", seed), .now = NSEC_PER_SEC};
    rng_seed(&w->rng, seed);
    w->d = dispatcher_new(w->s, &opts);
    for (uint32_t i = 0; i < DOMAINS * NODES; i++) {
        snprintf(domain, sizeof domain, "d%u", i % DOMAINS);
        put_node(w, i, domain, NODE_MBIT);
    }
}

static void world_fini(struct world *w)
{
    dispatcher_free(w->d);
    sched_free(w->s);
}

static void put_task(struct world *w, uint32_t number, nsec_t created, int32_t enough)
{
    struct task *t = &w->tasks[number];
    char name[16], domain[3][8];
    struct err err = ERR_NONE;
    struct spec_subgroup parts[3] = {0};
    snprintf(name, sizeof name, "t%u", number);
    for (uint32_t i = 0; i < t->n; i++) {
        snprintf(domain[i], sizeof domain[i], "d%u", t->domain[i]);
        parts[i] = (struct spec_subgroup){.name = str_of(domain[i]), .min_member = 1};
    }
    struct group_spec g = {.ns = S(""), .name = str_of(name), .min_member = enough ? 0 : (int32_t)t->n, .min_subgroup = enough, .subgroups = parts, .nsubgroups = t->n, .created_ns = created};
    T_NO_ERR(sched_group_put(w->s, &g, &t->u, &err), &err);
    for (uint32_t i = 0; i < t->n; i++) {
        struct res_amount req[] = {{RES_CPU, 10}, {RES_INGRESS, t->mbit * MBIT}, {RES_EGRESS, t->mbit * MBIT}};
        struct spec_label selector = {S("domain"), str_of(domain[i])};
        struct pod_spec p = {.ns = str_of(domain[i]), .name = str_of(name), .group = str_of(name), .group_is_cluster = true, .subgroup = str_of(domain[i]), .created_ns = created,
                             .requests = {req, 3}, .node_selector = {&selector, 1}};
        T_NO_ERR(sched_pod_put(w->s, &p, NULL, &err), &err);
    }
    T_NO_ERR(dispatcher_add(w->d, t->u, w->now, &err), &err);
}

static void end_task(struct world *w, uint32_t number)
{
    struct task *t = &w->tasks[number];
    char name[16], domain[8];
    snprintf(name, sizeof name, "t%u", number);
    for (uint32_t i = 0; i < t->n; i++) {
        snprintf(domain, sizeof domain, "d%u", t->domain[i]);
        sched_pod_delete(w->s, str_of(domain), str_of(name));
    }
    dispatcher_remove(w->d, t->u);
    sched_group_delete(w->s, S(""), str_of(name));
    t->u = UNIT_NONE;
}

static struct task *task_of(struct world *w, unit_id u)
{
    for (uint32_t i = 0; i < TASKS; i++)
        if (w->tasks[i].u == u)
            return &w->tasks[i];
    T_FAIL_("unit %u is of no task", u);
    exit(1);
}

static void settle(struct world *w)
{
    struct unit_decision how = UNIT_DECISION_INIT;
    struct err err = ERR_NONE;
    unit_id u;
    dispatcher_events(w->d, sched_take_events(w->s), w->now);
    dispatcher_tick(w->d, w->now);
    while ((u = dispatcher_pop(w->d, w->now)) != UNIT_NONE) {
        sched_place(w->s, u, w->now, &how);
        w->tries++;
        if (how.result == UNIT_PLACED) {
            task_of(w, u)->runs = true;
            w->placed++;
        }
        dispatcher_done(w->d, u, &how, w->now);
        dispatcher_events(w->d, sched_take_events(w->s), w->now);
    }
    T_NO_ERR(dispatcher_check(w->d, &err), &err);
    unit_decision_fini(&how);
}

/* What is left on the best node of the domain, counted by hand. */
static int64_t most_free(const struct world *w, uint32_t domain)
{
    int64_t most = 0;
    for (uint32_t i = domain; i < DOMAINS * NODES; i += DOMAINS) {
        char name[24];
        snprintf(name, sizeof name, "n%u", i);
        node_id n = sched_node_find(w->s, str_of(name));
        most = MAX(most, w->s->alloc[RES_EGRESS][n] - w->s->view.used[RES_EGRESS][n]);
    }
    return most / MBIT;
}

/* Nobody waits for whom there is room; its parties are in different domains, so each of them decides for itself. */
static void nobody_is_forgotten(const struct world *w)
{
    for (uint32_t i = 0; i < TASKS && !test_failures_; i++) {
        const struct task *t = &w->tasks[i];
        bool fits = t->u != UNIT_NONE && !t->runs;
        for (uint32_t p = 0; p < t->n && fits; p++)
            fits = most_free(w, t->domain[p]) >= t->mbit;
        if (fits)
            T_FAIL_("there is room for task %u, which waits", i);
    }
}

static void random_task(struct world *w, struct task *t)
{
    static const int32_t sizes[] = {100, 200, 250, 400, 500, 1000};
    *t = (struct task){.n = 2 + (uint32_t)rng_below(&w->rng, 2), .mbit = sizes[rng_below(&w->rng, ARRAY_LEN(sizes))]};
    t->domain[0] = (uint32_t)rng_below(&w->rng, DOMAINS);
    t->domain[1] = (t->domain[0] + 1 + (uint32_t)rng_below(&w->rng, 2)) % DOMAINS;
    t->domain[2] = (t->domain[0] + 3 + (uint32_t)rng_below(&w->rng, 2)) % DOMAINS;
}

static void random_world(uint64_t seed)
{
    struct world w;
    world_init(&w, seed);
    for (uint32_t i = 0; i < TASKS; i++) {
        random_task(&w, &w.tasks[i]);
        put_task(&w, i, i, 0);
    }
    settle(&w);
    nobody_is_forgotten(&w);
    uint32_t over = 0, ends = 0;
    while (over < TASKS && !test_failures_) {
        uint32_t i = (uint32_t)rng_below(&w.rng, TASKS), what = (uint32_t)rng_below(&w.rng, 20);
        struct task *t = &w.tasks[i];
        w.now += NSEC_PER_SEC;
        if (what == 0) { /* a node that loses and gets back what it has */
            char domain[8];
            snprintf(domain, sizeof domain, "d%u", i % (DOMAINS * NODES) % DOMAINS);
            put_node(&w, i % (DOMAINS * NODES), domain, rng_below(&w.rng, 2) ? NODE_MBIT : 400);
        } else if (what == 1 && t->u != UNIT_NONE && !t->runs && rng_below(&w.rng, 4) == 0) { /* given up */
            end_task(&w, i);
            over++;
        } else if (t->u != UNIT_NONE && t->runs) {
            end_task(&w, i);
            over++;
            ends++;
        } else {
            continue;
        }
        settle(&w);
        nobody_is_forgotten(&w);
        for (uint32_t k = 0; over > TASKS / 2 && k < DOMAINS * NODES; k++) { /* in the end all can run */
            char domain[8];
            snprintf(domain, sizeof domain, "d%u", k % DOMAINS);
            put_node(&w, k, domain, NODE_MBIT);
        }
    }
    T_OK(ends > TASKS / 2);
    /* the first of each, those that are placed, and now and then one that finds out that a class is used up */
    T_OK(w.tries < 8 * TASKS);
    world_fini(&w);
}

TEST(whoever_fits_is_placed_at_once)
{
    for (uint64_t seed = 1; seed <= 10 && !test_failures_; seed++)
        random_world(seed);
}

static unit_id pop_only(struct world *w)
{
    unit_id u = dispatcher_pop(w->d, w->now);
    dispatcher_remove(w->d, u);
    return u;
}

TEST(large_ones_of_one_age_go_first)
{
    struct world w;
    world_init(&w, 1);
    static const struct {
        nsec_t created;
        int32_t mbit;
        uint32_t n, place;
    } tasks[] = {{70, 1000, 3, 4}, {10, 100, 2, 2}, {20, 400, 2, 1}, {59, 400, 3, 0}, {61, 0, 2, 3}, {119, 100, 2, 5}};
    unit_id order[ARRAY_LEN(tasks)];
    for (uint32_t i = 0; i < ARRAY_LEN(tasks); i++) {
        w.tasks[i] = (struct task){.n = tasks[i].n, .domain = {0, 1, 2}, .mbit = tasks[i].mbit};
        put_task(&w, i, tasks[i].created * NSEC_PER_SEC, 0);
        order[tasks[i].place] = w.tasks[i].u;
    }
    /* who asks for no bandwidth stands by its time; 3 * 2 Gbit/s stand at 1/7 of their minute */
    for (uint32_t i = 0; i < ARRAY_LEN(tasks); i++)
        T_EQ_INT(pop_only(&w), order[i]);
    world_fini(&w);
}

/* Two of three parties are enough: no single class decides, and nobody is passed over. */
TEST(groups_that_can_do_without_are_tried)
{
    struct world w;
    world_init(&w, 1);
    for (uint32_t i = 0; i < 2 * NODES; i++) { /* domains 0 and 1 are full, then 3 and 4 */
        w.tasks[i] = (struct task){.n = 2, .domain = {i < NODES ? 0 : 3, i < NODES ? 1 : 4}, .mbit = 1000};
        put_task(&w, i, 0, 0);
    }
    settle(&w);
    T_EQ_INT(w.placed, 2 * NODES);
    struct task *any = &w.tasks[20];
    *any = (struct task){.n = 3, .domain = {0, 1, 2}, .mbit = 1000};
    put_task(&w, 20, 0, 2);
    settle(&w);
    T_OK(!any->runs);
    end_task(&w, 0); /* room at 0 and 1 */
    w.now += 60 * NSEC_PER_SEC;
    settle(&w);
    T_OK(any->runs);
    world_fini(&w);
}

/* A try that the clock brings is a real one: whatever was missed is found. */
TEST(from_time_to_time_all_are_tried)
{
    struct world w;
    world_init(&w, 1);
    for (uint32_t i = 0; i < NODES + 3; i++) {
        w.tasks[i] = (struct task){.n = 2, .domain = {0, 1}, .mbit = 1000};
        put_task(&w, i, 0, 0);
    }
    settle(&w);
    T_EQ_INT(w.placed, NODES);
    uint32_t tries = w.tries;
    w.now += DISPATCHER_OPTS_DEFAULT.flush_ns + 1;
    settle(&w);
    T_OK(w.tries > tries && w.tries <= tries + 3);
    T_EQ_INT(dispatcher_count(w.d).parked, 3);
    world_fini(&w);
}

static void try_next(struct world *w, struct unit_decision *how)
{
    unit_id u = dispatcher_pop(w->d, w->now);
    T_OK(u);
    sched_place(w->s, u, w->now, how);
    dispatcher_done(w->d, u, how, w->now);
    dispatcher_events(w->d, sched_take_events(w->s), w->now);
}

/* One decision after the other is made in the same struct: what a task waits for is no business of the pod that is tried next. */
TEST(a_rejection_says_nothing_of_the_next)
{
    struct world w;
    struct unit_decision how = UNIT_DECISION_INIT;
    struct spec_label label = {S("disk"), S("fast")};
    struct err err = ERR_NONE;
    pod_id p = POD_NONE;
    world_init(&w, 1);
    w.tasks[0] = (struct task){.n = 2, .domain = {0, 1}, .mbit = 2 * NODE_MBIT};
    put_task(&w, 0, 0, 0);
    T_NO_ERR(sched_pod_put(w.s, &(struct pod_spec){.ns = S("default"), .name = S("picky"), .node_selector = {&label, 1}, .created_ns = 120 * NSEC_PER_SEC}, &p, &err), &err);
    T_NO_ERR(dispatcher_add(w.d, sched_unit_of(w.s, p), w.now, &err), &err);
    try_next(&w, &how);
    T_OK(how.result == UNIT_REJECTED && how.waits_for);
    try_next(&w, &how);
    T_OK(how.result == UNIT_REJECTED && !how.waits_for);
    struct res_amount res[] = {{RES_CPU, 64000}, {RES_MEMORY, 64 * GIB}, {RES_PODS, 110}};
    T_NO_ERR(sched_node_put(w.s, &(struct node_spec){.name = S("n99"), .labels = {&label, 1}, .allocatable = {res, 3}}, NULL, &err), &err);
    w.now += 60 * NSEC_PER_SEC;
    dispatcher_events(w.d, sched_take_events(w.s), w.now);
    try_next(&w, &how); /* its label is what the pod waits for */
    T_EQ_INT(w.s->pods[p].state, PS_ASSUMED);
    unit_decision_fini(&how);
    world_fini(&w);
}

TEST_MAIN(whoever_fits_is_placed_at_once, large_ones_of_one_age_go_first, groups_that_can_do_without_are_tried, from_time_to_time_all_are_tried, a_rejection_says_nothing_of_the_next)
