/* The tree of queues: shape, accounts, division; and random trees that change step by step against trees built at once. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "base/limits.h"
#include "sched/policy/share.h"
#include "sched/policy/test_queues.h"

/* --- shape ---------------------------------------------------------------------------------------------------------------------------------- */

TEST(children_may_come_before_their_parents)
{
    struct queues *q = queues_new();
    queue_id leaf = put(q, "a1", "a", D(2), 1, POLICY_UNLIMITED);
    T_OK(queues_get(q, leaf)->is_lost);
    queue_id b = put(q, "b", "", D(4), 3, POLICY_UNLIMITED), a = put(q, "a", "", D(2), 1, POLICY_UNLIMITED);
    T_OK(!queues_get(q, leaf)->is_lost);
    T_EQ_INT(queues_get(q, leaf)->parent, a);
    T_EQ_INT(queues_get(q, leaf)->depth, 1);
    T_OK(queues_get(q, leaf)->is_leaf && !queues_get(q, a)->is_leaf && queues_get(q, b)->is_leaf);
    total(q, 10);
    waits(q, leaf, 10);
    waits(q, b, 10);
    queues_divide(q, 1);
    T_EQ_INT(fair(q, "a"), D(3));
    T_EQ_INT(fair(q, "a1"), D(3));
    T_EQ_INT(fair(q, "b"), D(7));
    queues_free(q);
}

TEST(lost_queues_get_nothing_until_they_hang_somewhere)
{
    struct queues *q = queues_new();
    queue_id own = put(q, "own", "own", D(2), 1, POLICY_UNLIMITED);
    queue_id x = put(q, "x", "z", D(2), 1, POLICY_UNLIMITED), y = put(q, "y", "x", D(2), 1, POLICY_UNLIMITED), z = put(q, "z", "y", D(2), 1, POLICY_UNLIMITED);
    total(q, 10);
    waits(q, y, 4);
    queues_divide(q, 1);
    const queue_id lost[] = {own, x, y, z};
    for (size_t i = 0; i < ARRAY_LEN(lost); i++) {
        T_OK(queues_get(q, lost[i])->is_lost);
        T_EQ_INT(queues_get(q, lost[i])->fair.v[GPU], 0);
    }
    T_EQ_INT(queues_get(q, y)->requested.v[GPU], D(4));
    T_EQ_INT(queues_get(q, x)->requested.v[GPU], 0); /* hangs at nobody */
    put(q, "x", "", D(2), 1, POLICY_UNLIMITED);      /* the circle is open: x, y, z */
    queues_divide(q, 1);
    T_OK(!queues_get(q, z)->is_lost);
    T_EQ_INT(queues_get(q, z)->depth, 2);
    T_EQ_INT(queues_get(q, x)->requested.v[GPU], D(4));
    T_EQ_INT(fair(q, "x"), D(4));
    T_OK(queues_get(q, own)->is_lost);
    queues_free(q);
}

TEST(too_deep_is_lost)
{
    struct queues *q = queues_new();
    char names[POLICY_DEPTH + 2][8] = {""};
    queue_id ids[POLICY_DEPTH + 2];
    for (uint32_t i = 0; i < POLICY_DEPTH + 2; i++) {
        snprintf(names[i], sizeof names[i], "q%u", i);
        ids[i] = put(q, names[i], i ? names[i - 1] : "", 0, 1, POLICY_UNLIMITED);
        T_EQ_INT(queues_get(q, ids[i])->is_lost, i >= POLICY_DEPTH);
    }
    total(q, 4);
    waits(q, ids[POLICY_DEPTH], 3);
    waits(q, ids[POLICY_DEPTH - 1], 1);
    queues_divide(q, 1);
    T_EQ_INT(fair(q, "q0"), D(1));
    T_EQ_INT(fair(q, names[POLICY_DEPTH]), 0);
    queues_delete(q, S("q0")); /* all of them are lost now */
    T_OK(queues_get(q, ids[1])->is_lost);
    put(q, "q1", "", 0, 1, POLICY_UNLIMITED);
    queues_divide(q, 1);
    T_EQ_INT(fair(q, names[POLICY_DEPTH]), D(3));
    queues_free(q);
}

static void expect_list(const struct queues *q, const char *want)
{
    queue_id ids[16];
    STRBUF_AUTO b = STRBUF_HEAP;
    size_t n = queues_list(q, ids, ARRAY_LEN(ids));
    for (size_t i = 0; i < n; i++)
        strbuf_addf(&b, "%s%s" STR_FMT, i ? " " : "", queues_get(q, ids[i])->is_lost ? "?" : "", STR_ARG(queues_get(q, ids[i])->name));
    T_EQ_STR(strbuf_str(&b), want);
}

TEST(list_has_parents_first_and_siblings_by_name)
{
    struct queues *q = queues_new();
    expect_list(q, "");
    put(q, "b", "", 0, 1, POLICY_UNLIMITED);
    put(q, "b2", "b", 0, 1, POLICY_UNLIMITED);
    put(q, "zz", "nobody", 0, 1, POLICY_UNLIMITED);
    struct queue_spec first = spec_of("b1", "b");
    first.priority = 1;
    put_spec(q, first);
    put(q, "a", "", 0, 1, POLICY_UNLIMITED);
    put(q, "aa", "zz", 0, 1, POLICY_UNLIMITED);
    expect_list(q, "a b b1 b2 ?aa ?zz");
    queue_id two[2];
    T_EQ_INT(queues_list(q, two, 2), 6);
    queues_delete(q, S("b"));
    queues_delete(q, S("b"));
    expect_list(q, "a ?aa ?b1 ?b2 ?zz");
    T_EQ_INT(queues_find(q, S("b")), QUEUE_NONE);
    T_OK(!queues_get(q, QUEUE_NONE) && !queues_get(q, 12345));
    queues_free(q);
}

TEST(nonsense_is_refused_and_changes_nothing)
{
    struct queues *q = queues_new();
    struct err err = ERR_NONE;
    struct queue_resource res[POLICY_RES + 1] = {{.id = RES_CPU, .weight = 1}};
    struct queue_spec s = spec_of("", "");
    T_ERR(queues_put(q, &s, NULL, &err), E_INVALID_ARG);
    s = spec_of("a b", "");
    T_ERR(queues_put(q, &s, NULL, &err), E_INVALID_ARG);
    s = spec_of("a", "b\n");
    T_ERR(queues_put(q, &s, NULL, &err), E_INVALID_ARG);
    s = spec_of("a", "");
    s.res = res;
    s.nres = 1;
    res[0].quota = -1;
    T_ERR(queues_put(q, &s, NULL, &err), E_INVALID_ARG);
    res[0] = (struct queue_resource){.id = RES_CPU, .limit = -5};
    T_ERR(queues_put(q, &s, NULL, &err), E_INVALID_ARG);
    res[0] = (struct queue_resource){.id = RES_CPU, .weight = NAN};
    T_ERR(queues_put(q, &s, NULL, &err), E_INVALID_ARG);
    res[0] = (struct queue_resource){.id = RES_MAX};
    T_ERR(queues_put(q, &s, NULL, &err), E_INVALID_ARG);
    res[0] = res[1] = (struct queue_resource){.id = RES_CPU, .weight = 1};
    s.nres = 2;
    T_ERR(queues_put(q, &s, NULL, &err), E_INVALID_ARG);
    for (uint16_t i = 0; i < POLICY_RES; i++)
        res[i] = (struct queue_resource){.id = (uint16_t)(RES_FIRST_EXTENDED + i)};
    s.nres = POLICY_RES; /* and the three that are always there */
    T_ERR(queues_put(q, &s, NULL, &err), E_TOO_LARGE);
    T_EQ_INT(queues_nslots(q), 3);
    T_EQ_INT(queues_find(q, S("a")), QUEUE_NONE);
    s.nres = POLICY_RES - 3;
    T_NO_ERR(queues_put(q, &s, NULL, &err), &err);
    T_EQ_INT(queues_nslots(q), POLICY_RES);
    T_EQ_INT(queues_slot(q, RES_FIRST_EXTENDED + 1), 4);
    T_EQ_INT(queues_slot_resource(q, 4), RES_FIRST_EXTENDED + 1);
    T_EQ_INT(queues_slot(q, RES_STORAGE), -1);
    queues_free(q);
}

TEST(there_is_a_limit_of_queues)
{
    struct queues *q = queues_new();
    struct err err = ERR_NONE;
    char name[16] = "";
    struct queue_spec s = spec_of(name, "");
    for (uint32_t i = 0; i <= LIMIT_POLICY_QUEUES; i++) {
        snprintf(name, sizeof name, "q%u", i);
        s.name = str_of(name);
        s.parent = i ? S("q0") : S("");
        if (i < LIMIT_POLICY_QUEUES)
            T_NO_ERR(queues_put(q, &s, NULL, &err), &err);
        else
            T_ERR(queues_put(q, &s, NULL, &err), E_TOO_LARGE);
    }
    T_EQ_INT(queues_capacity(q), LIMIT_POLICY_QUEUES + 1);
    s.name = S("q7");
    T_NO_ERR(queues_put(q, &s, NULL, &err), &err); /* a change is no new one */
    queues_free(q);
}

/* --- accounts ------------------------------------------------------------------------------------------------------------------------------- */

TEST(accounts_flow_up)
{
    struct queues *q = queues_new();
    queue_id root = put(q, "r", "", 0, 1, POLICY_UNLIMITED), in = put(q, "i", "r", 0, 1, POLICY_UNLIMITED), leaf = put(q, "l", "i", 0, 1, POLICY_UNLIMITED),
             other = put(q, "o", "r", 0, 1, POLICY_UNLIMITED);
    waits(q, leaf, 3);
    holds(q, leaf, 2);
    holds_fixed(q, other, 1);
    const struct queue_state *r = queues_get(q, root);
    T_EQ_INT(r->requested.v[GPU], D(6));
    T_EQ_INT(r->allocated.v[GPU], D(3));
    T_EQ_INT(r->allocated_fixed.v[GPU], D(1));
    T_EQ_INT(queues_get(q, in)->requested.v[GPU], D(5));
    put(q, "i", "o", 0, 1, POLICY_UNLIMITED); /* moves under o */
    T_EQ_INT(queues_get(q, other)->requested.v[GPU], D(6));
    T_EQ_INT(queues_get(q, root)->requested.v[GPU], D(6));
    put(q, "i", "", 0, 1, POLICY_UNLIMITED);
    T_EQ_INT(queues_get(q, other)->requested.v[GPU], D(1));
    T_EQ_INT(queues_get(q, root)->requested.v[GPU], D(1));
    waits(q, leaf, -3);
    holds(q, leaf, -2);
    T_EQ_INT(queues_get(q, in)->requested.v[GPU], 0);
    queues_clear_accounts(q);
    T_EQ_INT(queues_get(q, root)->requested.v[GPU] + queues_get(q, root)->allocated.v[GPU] + queues_get(q, other)->allocated_fixed.v[GPU], 0);
    waits(q, 999, 1); /* nobody: nothing happens */
    queues_free(q);
}

TEST(a_deleted_queue_keeps_its_units_until_they_end)
{
    struct queues *q = queues_new();
    queue_id root = put(q, "r", "", 0, 1, POLICY_UNLIMITED), in = put(q, "i", "r", 0, 1, POLICY_UNLIMITED), leaf = put(q, "l", "i", D(5), 1, POLICY_UNLIMITED);
    holds(q, leaf, 2);
    queues_delete(q, S("l"));
    T_OK(!queues_get(q, leaf));
    T_EQ_INT(queues_get(q, root)->allocated.v[GPU], D(2));
    queues_delete(q, S("i")); /* gone as well, still between */
    T_EQ_INT(queues_get(q, root)->allocated.v[GPU], D(2));
    T_EQ_INT(put(q, "l", "r", D(5), 1, POLICY_UNLIMITED), leaf); /* again, elsewhere */
    T_EQ_INT(queues_get(q, leaf)->allocated.v[GPU], D(2));
    T_EQ_INT(queues_get(q, root)->allocated.v[GPU], D(2));
    queues_delete(q, S("l"));
    holds(q, leaf, -2);
    T_EQ_INT(queues_get(q, root)->allocated.v[GPU], 0);
    queue_id a = put(q, "n", "r", 0, 1, POLICY_UNLIMITED), b = put(q, "m", "r", 0, 1, POLICY_UNLIMITED);
    T_OK((a == in || a == leaf) && (b == in || b == leaf) && a != b); /* their ids are free */
    T_EQ_INT(queues_get(q, a)->allocated.v[GPU] + queues_get(q, b)->allocated.v[GPU], 0);
    queues_free(q);
}

TEST(demand_without_end_does_not_overflow)
{
    struct queues *q = queues_new();
    queue_id leaf = put(q, "l", "r", D(1), 1, POLICY_UNLIMITED), root = put(q, "r", "", D(1), 1, POLICY_UNLIMITED);
    struct policy_amounts a = {.v = {LIMIT_SCHED_AMOUNT, LIMIT_SCHED_AMOUNT, LIMIT_SCHED_AMOUNT}};
    total(q, 8);
    for (int i = 0; i < 100000; i++)
        queues_add_waiting(q, leaf, &a, 1);
    queues_divide(q, 1);
    T_EQ_INT(queues_get(q, root)->requested.v[GPU], SHARE_AMOUNT_MAX);
    T_EQ_INT(fair(q, "l"), D(8));
    for (int i = 0; i < 100000; i++)
        queues_add_waiting(q, leaf, &a, -1);
    T_EQ_INT(queues_get(q, root)->requested.v[GPU], 0);
    queues_free(q);
}

TEST(a_new_resource_is_a_new_slot)
{
    struct queues *q = queues_new();
    queue_id a = put(q, "a", "", 0, 1, POLICY_UNLIMITED);
    struct queue_resource res[] = {{.id = RES_FIRST_EXTENDED, .quota = 5, .weight = 0, .limit = 7, .name = S("example.com/fpga")}};
    struct queue_spec s = spec_of("b", "");
    s.res = res;
    s.nres = 1;
    queue_id b = put_spec(q, s);
    int slot = queues_slot(q, RES_FIRST_EXTENDED);
    T_EQ_INT(slot, 3);
    struct policy_amounts t = {.v = {[3] = 20}}, ask = {.v = {[3] = 18}};
    queues_set_total(q, &t);
    queues_add_waiting(q, a, &ask, 1);
    queues_add_waiting(q, b, &ask, 1);
    queues_divide(q, 1);
    T_EQ_INT(queues_get(q, a)->fair.v[3], 15);
    T_EQ_INT(queues_get(q, b)->fair.v[3], 5);
    T_EQ_INT(queues_get(q, b)->limit.v[3], 7);
    put_spec(q, spec_of("b", "")); /* names it no more: no quota, weight 1, no limit */
    queues_divide(q, 1);
    T_EQ_INT(queues_get(q, a)->fair.v[3], 10);
    queues_free(q);
}

/* --- division over levels ------------------------------------------------------------------------------------------------------------------ */

struct tree_row {
    const char *name, *parent;
    int64_t quota;
    double weight;
    int64_t limit;
    int32_t priority;
    int64_t ask, fair;
};
struct tree_case {
    const char *what;
    double total;
    struct tree_row rows[10];
};
#define U POLICY_UNLIMITED

static const struct tree_case tree_cases[] = {
    {"departments and teams", 12,
     {{"d1", "", D(6), 1, U, 100, 0, D(6)}, {"d2", "", D(6), 1, U, 100, 0, D(6)}, {"t1", "d1", D(2), 1, U, 100, D(9), D(3)},
      {"t2", "d1", D(2), 1, U, 100, D(9), D(3)}, {"t3", "d2", D(5), 1, U, 100, D(9), D(5)}, {"t4", "d2", 0, 2, U, 100, D(9), D(1)}}},
    {"an idle department's part goes to the other", 12,
     {{"d1", "", D(6), 1, U, 100, 0, D(12)}, {"d2", "", D(6), 1, U, 100, 0, 0}, {"t1", "d1", D(6), 1, U, 100, D(20), D(12)},
      {"t2", "d2", D(6), 1, U, 100, 0, 0}}},
    {"three levels", 16,
     {{"a", "", D(8), 1, U, 100, 0, D(8)}, {"b", "", D(8), 1, U, 100, 0, D(8)}, {"a1", "a", D(4), 1, U, 100, 0, D(6)}, {"a2", "a", D(2), 0, U, 100, D(9), D(2)},
      {"a11", "a1", D(3), 1, U, 100, D(9), D(4)}, {"a12", "a1", D(1), 1, U, 100, D(9), D(2)}, {"b1", "b", 0, 1, U, 100, D(9), D(8)}}},
    {"a limit at the leaf", 10, {{"a", "", 0, 1, D(3), 100, D(9), D(3)}, {"b", "", 0, 1, U, 100, D(9), D(7)}}},
    {"limit 0: nothing, even with a quota", 10, {{"a", "", D(5), 1, 0, 100, D(9), 0}, {"b", "", 0, 1, U, 100, D(9), D(9)}}},
    {"a limit below the quota", 10, {{"a", "", D(5), 1, D(2), 100, D(9), D(2)}, {"b", "", 0, 1, U, 100, D(20), D(8)}}},
    {"a limit at the parent", 10,
     {{"p", "", 0, 1, D(4), 100, 0, D(4)}, {"x", "p", 0, 1, U, 100, D(9), D(2)}, {"y", "p", 0, 1, U, 100, D(9), D(2)}, {"b", "", 0, 1, U, 100, D(9), D(6)}}},
    {"what children may not use goes to others", 10,
     {{"p", "", 0, 9, U, 100, 0, D(2)}, {"x", "p", 0, 1, D(1), 100, D(9), D(1)}, {"y", "p", 0, 1, D(1), 100, D(9), D(1)}, {"b", "", 0, 1, U, 100, D(9), D(8)}}},
    {"children deserve more than their parent", 10,
     {{"p", "", D(4), 0, U, 100, 0, D(4)}, {"x", "p", D(6), 1, U, 100, D(6), D(3)}, {"y", "p", D(2), 1, U, 100, D(6), D(1)}, {"b", "", 0, 1, U, 100, D(9), D(6)}}},
    {"a child's quota does not help where the parent's weight is 0", 10,
     {{"p", "", 0, 0, U, 100, 0, 0}, {"x", "p", D(6), 1, U, 100, D(6), 0}, {"b", "", 0, 1, U, 100, D(9), D(9)}}},
    {"priority decides among siblings only", 10,
     {{"p", "", 0, 1, U, 100, 0, D(5)}, {"x", "p", 0, 1, U, 900, D(9), D(5)}, {"y", "p", 0, 1, U, 100, D(9), 0}, {"b", "", 0, 1, U, 100, D(9), D(5)}}},
    {"unlimited quota below a bounded one", 10,
     {{"p", "", D(4), 0, U, 100, 0, D(4)}, {"x", "p", U, 1, U, 100, D(9), D(4)}, {"y", "p", 0, 1, U, 100, D(9), 0}, {"b", "", D(6), 0, U, 100, D(9), D(6)}}},
    {"a fraction in the tree", 3,
     {{"p", "", 0, 1, U, 100, 0, D(1.5)}, {"x", "p", 0, 1, U, 100, D(0.5), D(0.5)}, {"y", "p", 0, 1, U, 100, D(1), D(1)}, {"b", "", 0, 1, U, 100, D(9), D(1.5)}}},
};

TEST(a_slot_that_nobody_names_is_another_ones)
{
    struct queues *q = queues_new();
    struct err err = ERR_NONE;
    struct queue_resource res[POLICY_RES + 1];
    for (uint32_t i = 0; i < ARRAY_LEN(res); i++)
        res[i] = (struct queue_resource){.id = (uint16_t)(RES_FIRST_EXTENDED + i), .quota = 7, .weight = 1, .limit = POLICY_UNLIMITED};
    struct queue_spec a = spec_of("a", ""), b = spec_of("b", "");
    a.res = res;
    a.nres = POLICY_RES - 3;
    queue_id id = put_spec(q, a);
    T_EQ_INT(queues_nslots(q), POLICY_RES);
    b.res = res + POLICY_RES;
    b.nres = 1;
    T_ERR(queues_put(q, &b, NULL, &err), E_TOO_LARGE);
    T_EQ_INT(queues_find(q, S("b")), QUEUE_NONE);
    int slot = queues_slot(q, res[0].id);
    struct policy_amounts held = {.v = {0}};
    held.v[slot] = 3;
    queues_add_allocated(q, id, &held, false, 1);
    a.res = res + 1;
    a.nres--;
    put_spec(q, a); /* nobody names the first one, but somebody holds it */
    T_ERR(queues_put(q, &b, NULL, &err), E_TOO_LARGE);
    queues_add_allocated(q, id, &held, false, -1);
    queue_id other = put_spec(q, b);
    T_EQ_INT(queues_slot(q, res[0].id), -1);
    T_EQ_INT(queues_slot(q, res[POLICY_RES].id), slot);
    T_EQ_INT(queues_get(q, other)->quota.v[slot], 7);
    T_EQ_INT(queues_get(q, id)->quota.v[slot], 0);
    queues_delete(q, S("b")); /* and back */
    a.res = res;
    a.nres++;
    put_spec(q, a);
    T_EQ_INT(queues_slot(q, res[0].id), slot);
    queues_free(q);
}

TEST(division_over_levels)
{
    for (size_t t = 0; t < ARRAY_LEN(tree_cases); t++)
        for (int backwards = 0; backwards < 2; backwards++) {
            const struct tree_case *c = &tree_cases[t];
            struct queues *q = queues_new();
            size_t n = 0;
            while (n < ARRAY_LEN(c->rows) && c->rows[n].name)
                n++;
            for (size_t j = 0; j < n; j++) {
                size_t i = backwards ? n - 1 - j : j;
                struct queue_resource res[] = {{.id = RES_GPU, .quota = c->rows[i].quota, .weight = c->rows[i].weight, .limit = c->rows[i].limit}};
                struct queue_spec s = spec_of(c->rows[i].name, c->rows[i].parent);
                s.res = res;
                s.nres = 1;
                s.priority = c->rows[i].priority;
                s.created_ns = (nsec_t)i;
                queue_id id = put_spec(q, s);
                waits(q, id, (double)c->rows[i].ask / 1000);
            }
            total(q, c->total);
            queues_divide(q, 1);
            for (size_t i = 0; i < n; i++)
                if (fair(q, c->rows[i].name) != c->rows[i].fair)
                    T_FAIL_("%s: %s gets %lld, expected %lld", c->what, c->rows[i].name, (long long)fair(q, c->rows[i].name), (long long)c->rows[i].fair);
            queues_free(q);
        }
}

/* --- random trees -------------------------------------------------------------------------------------------------------------------------- */

#define MODEL_QUEUES 14
struct model_queue {
    bool is_there;
    char name[8], parent[8];
    struct queue_resource res[3];
    int32_t priority;
    nsec_t created;
    struct policy_amounts waiting, held;
    bool fixed;
};
struct model {
    struct model_queue q[MODEL_QUEUES];
    struct policy_amounts total;
};

static struct queue_spec model_spec(const struct model_queue *m)
{
    struct queue_spec s = spec_of(m->name, m->parent);
    s.res = m->res;
    s.nres = 3;
    s.priority = m->priority;
    s.created_ns = m->created;
    return s;
}

static int64_t pick(struct rng *r, uint16_t res)
{
    return res == RES_GPU ? (int64_t)rng_below(r, 9) * (rng_below(r, 3) ? 1000 : 250) : (int64_t)rng_below(r, 100);
}

static void model_pick(struct rng *r, struct model *m, size_t i)
{
    struct model_queue *x = &m->q[i];
    snprintf(x->name, sizeof x->name, "q%zu", i);
    uint64_t p = rng_below(r, MODEL_QUEUES + 4); /* any other may be the parent, even one that is not there or below it */
    if (p < MODEL_QUEUES && rng_below(r, 4))
        p = rng_below(r, i + 1); /* mostly one before it, so that deep trees come about */
    if (p < MODEL_QUEUES && p != i)
        snprintf(x->parent, sizeof x->parent, "q%u", (unsigned)p % MODEL_QUEUES);
    else
        x->parent[0] = 0;
    static const uint16_t ids[] = {RES_CPU, RES_MEMORY, RES_GPU};
    for (size_t s = 0; s < 3; s++)
        x->res[s] = (struct queue_resource){.id = ids[s],
                                            .quota = rng_below(r, 12) == 0 ? POLICY_UNLIMITED : pick(r, ids[s]),
                                            .weight = (double)rng_below(r, 5),
                                            .limit = rng_below(r, 3) ? POLICY_UNLIMITED : 3 * pick(r, ids[s])};
    x->priority = (int32_t)rng_below(r, 3);
    x->created = (nsec_t)rng_below(r, 3);
}

static void model_units(struct queues *q, const struct model_queue *x, int sign)
{
    queue_id id = queues_find(q, str_of(x->name));
    queues_add_waiting(q, id, &x->waiting, sign);
    queues_add_allocated(q, id, &x->held, x->fixed, sign);
}

static void model_put(struct queues *q, struct model_queue *x)
{
    struct queue_spec s = model_spec(x);
    put_spec(q, s);
    if (!x->is_there)
        model_units(q, x, 1);
    x->is_there = true;
}

static void model_step(struct rng *r, struct model *m, struct queues *q)
{
    size_t i = rng_below(r, MODEL_QUEUES);
    struct model_queue *x = &m->q[i];
    uint64_t what = rng_below(r, 10);
    if (what < 3 || !x->is_there) {
        model_pick(r, m, i);
        model_put(q, x);
    } else if (what == 3) {
        queue_id id = queues_find(q, str_of(x->name));
        queues_delete(q, str_of(x->name));
        queues_add_waiting(q, id, &x->waiting, -1); /* its units end afterwards */
        queues_add_allocated(q, id, &x->held, x->fixed, -1);
        x->is_there = false;
    } else if (what == 5) { /* the rules of one resource only */
        struct model_queue other = *x;
        model_pick(r, m, i);
        size_t s = rng_below(r, 3);
        other.res[s] = x->res[s];
        *x = other;
        model_put(q, x);
    } else if (what == 4) {
        for (size_t s = 0; s < 3; s++)
            m->total.v[s] = pick(r, x->res[s].id) * 5;
        queues_set_total(q, &m->total);
    } else {
        model_units(q, x, -1);
        size_t s = rng_below(r, 3);
        x->waiting.v[s] = pick(r, x->res[s].id) * (int64_t)rng_below(r, 3);
        x->held.v[s] = pick(r, x->res[s].id) * (int64_t)rng_below(r, 2);
        model_units(q, x, 1);
    }
}

/* The same at once, queues in another order. */
static struct queues *model_build(struct rng *r, const struct model *m)
{
    struct queues *q = queues_new();
    size_t at = rng_below(r, MODEL_QUEUES), step = 2 * rng_below(r, 3) + 1; /* 1, 3, 5: odd and not 7, so all of 14 are met */
    queues_set_total(q, &m->total);
    for (size_t n = 0; n < MODEL_QUEUES; n++, at = (at + step) % MODEL_QUEUES) {
        struct model_queue x = m->q[at];
        x.is_there = false;
        if (m->q[at].is_there)
            model_put(q, &x);
    }
    return q;
}

static void copy_past(const struct queues *from, struct queues *to)
{
    STRBUF_AUTO text = STRBUF_HEAP;
    queues_usage_save(from, &text);
    queues_usage_load(to, strbuf_str(&text));
}

static int64_t naive_want(const struct queues *q, const struct model *m, queue_id id, size_t s)
{
    const struct queue_state *x = queues_get(q, id);
    int64_t want = 0;
    for (size_t i = 0; i < MODEL_QUEUES; i++) {
        const struct model_queue *y = &m->q[i];
        if (y->is_there && str_is(x->name, y->name))
            want += y->waiting.v[s] + y->held.v[s];
        else if (y->is_there && str_is(x->name, y->parent))
            want += naive_want(q, m, queues_find(q, str_of(y->name)), s);
    }
    return MIN(want, x->limit.v[s]);
}

static int claim_order(const struct queue_state *a, const struct queue_state *b)
{
    if (a->priority != b->priority)
        return a->priority > b->priority ? -1 : 1;
    return a->created_ns != b->created_ns ? (a->created_ns < b->created_ns ? -1 : 1) : str_cmp(a->name, b->name);
}

/* Divides one level by hand and compares; checks sums and bounds. */
static void check_level(const struct queues *q, const struct model *m, queue_id parent, int64_t pool, size_t s)
{
    const struct queue_state *kids[MODEL_QUEUES];
    struct share_claim c[MODEL_QUEUES] = {0};
    uint64_t scratch[MODEL_QUEUES];
    size_t n = 0;
    int64_t given = 0, asked = 0;
    for (size_t i = 0; i < MODEL_QUEUES; i++) {
        const struct queue_state *x = queues_get(q, queues_find(q, str_of(m->q[i].name)));
        if (!m->q[i].is_there || x->is_lost || x->parent != parent)
            continue;
        size_t at = n++;
        for (; at && claim_order(kids[at - 1], x) > 0; at--)
            kids[at] = kids[at - 1];
        kids[at] = x;
    }
    for (size_t i = 0; i < n; i++)
        c[i] = (struct share_claim){.want = naive_want(q, m, kids[i]->id, s), .quota = kids[i]->quota.v[s], .weight = kids[i]->weight[s],
                                    .usage = kids[i]->usage[s], .priority = kids[i]->priority};
    share_divide(pool, s == GPU ? 1000 : 1, 1, c, n, scratch);
    for (size_t i = 0; i < n; i++) {
        T_EQ_INT(kids[i]->fair.v[s], c[i].fair);
        T_OK(kids[i]->fair.v[s] <= kids[i]->limit.v[s] && kids[i]->fair.v[s] <= kids[i]->requested.v[s]);
        given += kids[i]->fair.v[s];
        asked += kids[i]->requested.v[s];
        check_level(q, m, kids[i]->id, kids[i]->fair.v[s], s);
    }
    T_OK(given <= pool);
    if (parent && n)
        T_OK(queues_get(q, parent)->requested.v[s] >= asked);
}

static void check_same(const struct queues *a, const struct queues *b, const struct model *m)
{
    for (size_t i = 0; i < MODEL_QUEUES; i++) {
        const struct queue_state *x = queues_get(a, queues_find(a, str_of(m->q[i].name))), *y = queues_get(b, queues_find(b, str_of(m->q[i].name)));
        T_EQ_INT(x != NULL, m->q[i].is_there);
        T_EQ_INT(y != NULL, m->q[i].is_there);
        if (!x || !y)
            continue;
        T_EQ_INT(x->is_lost, y->is_lost);
        T_EQ_INT(x->is_leaf, y->is_leaf);
        T_EQ_INT(x->depth, y->depth);
        for (size_t s = 0; s < 3; s++) {
            T_EQ_INT(x->fair.v[s], y->fair.v[s]);
            T_OK(x->usage[s] == y->usage[s]);
            T_EQ_INT(x->requested.v[s], y->requested.v[s]);
            T_EQ_INT(x->allocated.v[s], y->allocated.v[s]);
            T_EQ_INT(x->allocated_fixed.v[s], y->allocated_fixed.v[s]);
        }
    }
}

static void check_roots_hold_all(const struct queues *q, const struct model *m)
{
    for (size_t s = 0; s < 3; s++) {
        int64_t roots = 0, units = 0;
        for (size_t i = 0; i < MODEL_QUEUES; i++) {
            const struct queue_state *x = queues_get(q, queues_find(q, str_of(m->q[i].name)));
            if (!x || x->is_lost)
                continue;
            roots += x->parent ? 0 : x->requested.v[s];
            units += m->q[i].waiting.v[s] + m->q[i].held.v[s];
        }
        T_EQ_INT(roots, units);
    }
}

TEST(random_trees_step_by_step_are_as_built_at_once)
{
    for (uint64_t seed = 1; seed <= 150 && !test_failures_; seed++) {
        struct rng r;
        rng_seed(&r, seed);
        struct model m = {0};
        for (size_t i = 0; i < MODEL_QUEUES; i++)
            model_pick(&r, &m, i);
        struct queues *q = queues_new();
        nsec_t now = 1000 * SEC, half_life = seed % 2 ? 300 * SEC : 0, window = seed % 3 ? 3000 * SEC : 0;
        queues_usage_advance(q, now, half_life, window);
        for (int step = 0; step < 120 && !test_failures_; step++) {
            model_step(&r, &m, q);
            if (rng_below(&r, 3) == 0)
                continue; /* several changes, one division */
            now += (nsec_t)(1 + rng_below(&r, 100)) * SEC;
            queues_usage_advance(q, now, half_life, window);
            queues_divide(q, 1);
            struct queues *fresh = model_build(&r, &m);
            copy_past(q, fresh);
            queues_usage_advance(fresh, now, half_life, window);
            queues_divide(fresh, 1);
            check_same(q, fresh, &m);
            for (size_t s = 0; s < 3; s++)
                check_level(q, &m, QUEUE_NONE, m.total.v[s], s);
            check_roots_hold_all(q, &m);
            queues_free(fresh);
            if (test_failures_)
                printf("# seed %llu step %d\n", (unsigned long long)seed, step);
        }
        queues_free(q);
    }
}

TEST(unlimited_trees_divide_all_there_is)
{
    for (uint64_t seed = 1; seed <= 300 && !test_failures_; seed++) {
        struct rng r;
        rng_seed(&r, seed);
        struct queues *q = queues_new();
        char names[20][8];
        queue_id ids[20];
        int64_t asked = 0, given = 0;
        for (size_t i = 0; i < 20; i++) {
            snprintf(names[i], sizeof names[i], "q%zu", i);
            ids[i] = put(q, names[i], i < 4 ? "" : names[rng_below(&r, i)], 0, 1 + (double)rng_below(&r, 5), POLICY_UNLIMITED);
        }
        int64_t devices = (int64_t)rng_below(&r, 60);
        total(q, (double)devices);
        for (size_t i = 0; i < 20; i++)
            if (queues_get(q, ids[i])->is_leaf) {
                double ask = (double)rng_below(&r, 24) / 2;
                waits(q, ids[i], ask);
                asked += D(ask);
            }
        queues_divide(q, 1);
        for (size_t i = 0; i < 20; i++)
            given += queues_get(q, ids[i])->is_leaf ? queues_get(q, ids[i])->fair.v[GPU] : 0;
        T_EQ_INT(given, MIN(devices * 1000, asked));
        queues_free(q);
    }
}

TEST_MAIN(children_may_come_before_their_parents, lost_queues_get_nothing_until_they_hang_somewhere, too_deep_is_lost,
          list_has_parents_first_and_siblings_by_name, nonsense_is_refused_and_changes_nothing, there_is_a_limit_of_queues,
          accounts_flow_up, a_deleted_queue_keeps_its_units_until_they_end, demand_without_end_does_not_overflow,
          a_new_resource_is_a_new_slot, a_slot_that_nobody_names_is_another_ones, division_over_levels, random_trees_step_by_step_are_as_built_at_once,
          unlimited_trees_divide_all_there_is)
