/* model_test.c - events, classes, groups, statements: the state itself, before any plugin decides anything. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "base/test.h"
#include "sched/engine/classes.h"
#include "sched/engine/engine.h"
#include "sched/engine/statement.h"

static struct sched *make(void)
{
    struct sched_profile *p = profile_builtin(S("default"));
    BUG_ON(!p);
    return sched_new(p, 0);
}

static node_id add_node(struct sched *s, const char *name, const char *zone, int64_t cpu)
{
    struct spec_label labels[] = {{S("zone"), str_of(zone)}, {S("kubernetes.io/hostname"), str_of(name)}};
    struct res_amount res[] = {{RES_CPU, cpu}, {RES_MEMORY, 32ll << 30}, {RES_PODS, 110}};
    struct node_spec n = {.name = str_of(name), .labels = {labels, 2}, .allocatable = {res, 3}};
    struct err err = ERR_NONE;
    node_id id;
    T_NO_ERR(sched_node_put(s, &n, &id, &err), &err);
    return id;
}

static struct pod_spec pod_like(const char *name)
{
    static const struct res_amount req[] = {{RES_CPU, 100}, {RES_MEMORY, 500ll << 20}};
    static const struct spec_label labels[] = {{STR_INIT("app"), STR_INIT("web")}};
    return (struct pod_spec){.ns = S("default"), .name = str_of(name), .requests = {req, 2}, .nonzero_cpu = 100, .nonzero_memory = 500ll << 20, .labels = {labels, 1}};
}

static pod_id add_pod(struct sched *s, const char *name, const char *node)
{
    struct pod_spec p = pod_like(name);
    p.node = str_of(node);
    p.phase = *node ? POD_BOUND : POD_PENDING;
    struct err err = ERR_NONE;
    pod_id id = POD_NONE;
    T_NO_ERR(sched_pod_put(s, &p, &id, &err), &err);
    return id;
}

static void check(struct sched *s)
{
    struct err err = ERR_NONE;
    T_NO_ERR(model_check(s, &err), &err);
}

TEST(pods_share_a_class)
{
    struct sched *s = make();
    pod_id a = add_pod(s, "a", ""), b = add_pod(s, "b", "");
    T_EQ_INT(s->pods[a].class_, s->pods[b].class_);
    T_EQ_INT(class_of(s, a)->refs, 2);
    struct pod_spec other = pod_like("c");
    other.priority = 7;
    struct err err = ERR_NONE;
    pod_id c;
    T_NO_ERR(sched_pod_put(s, &other, &c, &err), &err);
    T_OK(s->pods[c].class_ != s->pods[a].class_);
    sched_pod_delete(s, S("default"), S("a"));
    T_EQ_INT(class_of(s, b)->refs, 1);
    T_EQ_INT(sched_pod_find(s, S("default"), S("a")), POD_NONE);
    check(s);
    sched_free(s);
}

TEST(many_classes_are_forgotten)
{
    struct sched *s = make();
    struct err err = ERR_NONE;
    for (int i = 0; i < 20000; i++) {
        struct pod_spec p = pod_like("one");
        p.priority = i;
        T_NO_ERR(sched_pod_put(s, &p, NULL, &err), &err);
    }
    uint32_t alive = 0;
    for (class_id c = 1; c < s->nclasses; c++)
        alive += s->classes[c] != NULL;
    T_OK(alive <= CLASSES_UNUSED_MAX + 1);
    T_EQ_INT(class_of(s, sched_pod_find(s, S("default"), S("one")))->priority, 19999);
    sched_free(s);
}

TEST(bound_pods_use_their_node)
{
    struct sched *s = make();
    node_id n = add_node(s, "n1", "z1", 4000);
    pod_id p = add_pod(s, "a", "n1");
    T_EQ_INT(s->pods[p].state, PS_BOUND);
    T_EQ_INT(s->view.used[RES_CPU][n], 100);
    T_EQ_INT(s->view.used[RES_PODS][n], 1);
    T_EQ_INT(view_free(&s->view, n, RES_CPU), 3900);
    check(s);
    sched_pod_delete(s, S("default"), S("a"));
    T_EQ_INT(s->view.used[RES_CPU][n], 0);
    T_OK(sched_take_events(s) & EVENT_POD_FREED);
    check(s);
    sched_free(s);
}

TEST(a_pod_waits_for_its_node)
{
    struct sched *s = make();
    pod_id p = add_pod(s, "a", "n1");
    T_EQ_INT(s->pods[p].state, PS_ELSEWHERE);
    node_id n = add_node(s, "n1", "z1", 4000);
    T_EQ_INT(s->pods[p].state, PS_BOUND);
    T_EQ_INT(s->pods[p].node, n);
    sched_node_delete(s, S("n1"));
    T_EQ_INT(s->pods[p].state, PS_ELSEWHERE);
    check(s);
    n = add_node(s, "n1", "z2", 8000);
    T_EQ_INT(s->pods[p].node, n);
    check(s);
    sched_free(s);
}

TEST(node_updates_say_what_changed)
{
    struct sched *s = make();
    add_node(s, "n1", "z1", 4000);
    sched_take_events(s);
    uint64_t seq = s->view.seq;
    add_node(s, "n1", "z1", 4000);
    T_EQ_INT(sched_take_events(s), 0);
    T_EQ_INT(s->view.seq, seq); /* a heartbeat touches nothing */
    add_node(s, "n1", "z2", 4000);
    T_EQ_INT(sched_take_events(s), EVENT_NODE_LABEL);
    add_node(s, "n1", "z2", 8000);
    T_EQ_INT(sched_take_events(s), EVENT_NODE_ALLOCATABLE);
    add_node(s, "n1", "z2", 2000);
    T_EQ_INT(sched_take_events(s), 0); /* less room helps nobody */
    T_EQ_INT(s->alloc[RES_CPU][sched_node_find(s, S("n1"))], 2000);
    check(s);
    sched_free(s);
}

TEST(topologies_follow_labels)
{
    struct sched *s = make();
    node_id a = add_node(s, "a", "z1", 1000), b = add_node(s, "b", "z2", 1000);
    uint32_t t = model_topology(s, symbol(&s->sym, S("zone")));
    node_id c = add_node(s, "c", "z1", 1000);
    const struct topo *topo = &s->topos[t];
    T_EQ_INT(topo->domain[a], topo->domain[c]);
    T_OK(topo->domain[a] != topo->domain[b]);
    T_EQ_INT(topo->nnodes[topo->domain[a]], 2);
    add_node(s, "c", "z2", 1000);
    T_EQ_INT(s->topos[t].domain[c], s->topos[t].domain[b]);
    sched_node_delete(s, S("b"));
    check(s);
    sched_free(s);
}

TEST(statements_are_taken_back)
{
    struct sched *s = make();
    node_id a = add_node(s, "a", "z1", 1000), b = add_node(s, "b", "z2", 1000);
    pod_id p = add_pod(s, "p", "a"), q = add_pod(s, "q", "");
    sched_take_events(s);
    uint32_t outer = statement_begin(s);
    model_unassign(s, p);
    model_assign(s, q, a, PS_ASSUMED, 0);
    uint32_t inner = statement_begin(s);
    model_assign(s, p, b, PS_NOMINATED, 0);
    struct node_spec more = {.name = S("new")};
    struct err err = ERR_NONE;
    T_NO_ERR(statement_add_nodes(s, &more, 3, &err), &err);
    T_EQ_INT(sched_node_count(s), 5);
    statement_rollback(s, inner);
    T_EQ_INT(sched_node_count(s), 2);
    T_EQ_INT(s->pods[p].state, PS_PENDING);
    T_EQ_INT(s->pods[q].state, PS_ASSUMED);
    statement_remove_node(s, a);
    T_EQ_INT(s->pods[q].state, PS_PENDING);
    T_EQ_INT(sched_node_count(s), 1);
    check(s);
    statement_rollback(s, outer);
    T_EQ_INT(s->pods[p].state, PS_BOUND);
    T_EQ_INT(s->pods[p].node, a);
    T_EQ_INT(s->pods[q].state, PS_PENDING);
    T_EQ_INT(sched_take_events(s), 0);
    check(s);
    uint32_t mark = statement_begin(s);
    model_set_state(s, p, PS_TERMINATING);
    statement_commit(s, mark);
    T_EQ_INT(s->pods[p].state, PS_TERMINATING);
    T_OK(sched_take_events(s) & EVENT_POD_FREED);
    sched_free(s);
}

TEST(groups_gather_their_members)
{
    struct sched *s = make();
    struct pod_spec p = pod_like("w-0");
    p.group = S("job");
    p.subgroup = S("workers");
    struct err err = ERR_NONE;
    pod_id id;
    T_NO_ERR(sched_pod_put(s, &p, &id, &err), &err);
    unit_id u = sched_unit_of(s, id);
    T_OK(s->units[u].is_group && !s->units[u].declared);
    struct spec_subgroup subs[] = {{.name = S("workers"), .min_member = 1}};
    struct group_spec g = {.ns = S("default"), .name = S("job"), .min_member = 1, .subgroups = subs, .nsubgroups = 1};
    unit_id same;
    T_NO_ERR(sched_group_put(s, &g, &same, &err), &err);
    T_EQ_INT(u, same);
    T_EQ_INT(s->pods[id].subgroup, 0);
    subs[0].parent = S("nobody");
    T_ERR(sched_group_put(s, &g, NULL, &err), E_INVALID_ARG);
    subs[0].parent = S("workers");
    T_ERR(sched_group_put(s, &g, NULL, &err), E_INVALID_ARG);
    sched_pod_delete(s, S("default"), S("w-0"));
    T_OK(sched_group_find(s, S("default"), S("job")));
    sched_group_delete(s, S("default"), S("job"));
    T_OK(!sched_group_find(s, S("default"), S("job")));
    sched_free(s);
}

TEST(refused_specs_change_nothing)
{
    struct sched *s = make();
    struct err err = ERR_NONE;
    struct res_amount bad[] = {{RES_CPU, -1}};
    struct pod_spec p = pod_like("x");
    p.requests = (struct res_list){bad, 1};
    T_ERR(sched_pod_put(s, &p, NULL, &err), E_INVALID_ARG);
    T_EQ_STR(str_of(err.msg), "pod default/x requests a negative amount of cpu");
    bad[0] = (struct res_amount){47, 1};
    T_ERR(sched_pod_put(s, &p, NULL, &err), E_INVALID_ARG);
    struct node_spec n = {.name = S("n"), .ngpus = 17};
    T_ERR(sched_node_put(s, &n, NULL, &err), E_TOO_LARGE);
    T_EQ_INT(s->npods, 0);
    T_EQ_INT(sched_node_count(s), 0);
    for (int i = 0; i < RES_MAX - RES_FIRST_EXTENDED; i++) {
        char name[32];
        uint16_t id;
        snprintf(name, sizeof name, "example.com/r%d", i);
        T_NO_ERR(sched_resource_id(s, str_of(name), &id, &err), &err);
        T_EQ_INT(id, RES_FIRST_EXTENDED + i);
    }
    uint16_t id;
    T_ERR(sched_resource_id(s, S("example.com/more"), &id, &err), E_TOO_LARGE);
    sched_free(s);
}

TEST(ties_follow_the_seed)
{
    struct sched *s = make();
    node_id b = add_node(s, "b", "z", 1), a = add_node(s, "a", "z", 1), c = add_node(s, "c", "z", 1);
    model_tie_ranks(s);
    T_OK(s->tie[a] == 0 && s->tie[b] == 1 && s->tie[c] == 2);
    s->seed = 5;
    s->tie_stale = true;
    model_tie_ranks(s);
    bool in_order = model_tie_hash(5, S("a")) < model_tie_hash(5, S("b"));
    T_EQ_INT(s->tie[a] < s->tie[b], in_order);
    sched_free(s);
}

/* Random puts and deletes keep every sum right, also while columns grow and slots are used again. */
TEST(random_events_keep_the_books)
{
    struct sched *s = make();
    struct rng r;
    rng_seed(&r, 11);
    for (int i = 0; i < 4000; i++) {
        char node[16], pod[16], zone[8];
        snprintf(node, sizeof node, "n%d", (int)rng_below(&r, 200));
        snprintf(pod, sizeof pod, "p%d", (int)rng_below(&r, 400));
        snprintf(zone, sizeof zone, "z%d", (int)rng_below(&r, 3));
        switch (rng_below(&r, 5)) {
        case 0:
            add_node(s, node, zone, 4000);
            break;
        case 1:
            if (rng_below(&r, 3) == 0)
                sched_node_delete(s, str_of(node));
            break;
        case 2:
            sched_pod_delete(s, S("default"), str_of(pod));
            break;
        default:
            add_pod(s, pod, rng_below(&r, 4) ? node : "");
        }
        if (i % 100 == 0)
            check(s);
    }
    check(s);
    sched_free(s);
}

TEST_MAIN(pods_share_a_class, many_classes_are_forgotten, bound_pods_use_their_node, a_pod_waits_for_its_node, node_updates_say_what_changed, topologies_follow_labels,
          statements_are_taken_back, groups_gather_their_members, refused_specs_change_nothing, ties_follow_the_seed, random_events_keep_the_books)
