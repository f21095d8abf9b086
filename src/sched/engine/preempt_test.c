/* preempt_test.c - victims and nodes chosen by hand-made cases, and against plain loops over the rules on random worlds. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/engine/pdbs.h"
#include "sched/engine/place.h"
#include "sched/engine/preempt_state.h"
#include "sched/engine/statement.h"
#include "sched/engine/test_world.h"

/* --- the naive preemption ------------------------------------------------------------------------------------------------------ */
struct naive {
    node_id node;
    int32_t violations;
    pod_id victims[128];
    size_t n;
};

static nsec_t start_of(const struct sched *s, pod_id p)
{
    return s->pods[p].started_ns ? s->pods[p].started_ns : INT64_MAX;
}

static bool more_important(const struct sched *s, pod_id a, pod_id b)
{
    int32_t pa = class_of(s, a)->priority, pb = class_of(s, b)->priority;
    if (pa != pb)
        return pa > pb;
    if (start_of(s, a) != start_of(s, b))
        return start_of(s, a) < start_of(s, b);
    return a < b;
}

static void sort_pods(const struct sched *s, pod_id *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (size_t k = i + 1; k < n; k++)
            if (more_important(s, p[k], p[i])) {
                pod_id t = p[i];
                p[i] = p[k];
                p[k] = t;
            }
}

/* May eviction cure the first rejection? */
static bool curable(const struct sched *s, class_id c, node_id n)
{
    int by = place_rejected_by(s, c, n);
    if (by < 0)
        return true;
    struct plug_reason why[16];
    const struct profile_plugin *pp = &s->profile->plugins[by];
    size_t nwhy = pp->plugin->explain(&s->view, s->classes[c], pp->args, n, why, 16);
    for (size_t i = 0; i < nwhy; i++)
        if (why[i].unresolvable)
            return false;
    return true;
}

static bool naive_node(struct sched *s, pod_id p, node_id n, struct naive *ret)
{
    class_id c = s->pods[p].class_;
    int32_t priority = s->classes[c]->priority;
    pod_id lower[128], all[128];
    struct pod was[128];
    size_t nlower = 0, nall = 0;
    *ret = (struct naive){.node = n};
    if (!curable(s, c, n))
        return false;
    for (pod_id q = s->nodes[n].first_pod; q; q = s->pods[q].next_on_node)
        all[nall++] = q;
    for (size_t i = 0; i < nall; i++)
        if (class_of(s, all[i])->priority < priority && !class_of(s, all[i])->never_victim && (s->pods[all[i]].state == PS_BOUND || s->pods[all[i]].state == PS_ASSUMED))
            lower[nlower++] = all[i];
    sort_pods(s, lower, nlower);
    size_t nviolating = pdbs_split(s, lower, nlower);
    uint32_t mark = statement_begin(s);
    for (size_t i = 0; i < nall; i++)
        if (s->pods[all[i]].state == PS_TERMINATING || (s->pods[all[i]].state == PS_NOMINATED && class_of(s, all[i])->priority < priority))
            model_unassign(s, all[i]);
    for (size_t i = 0; i < nlower; i++) {
        was[i] = s->pods[lower[i]];
        model_unassign(s, lower[i]);
    }
    bool fits = place_fits(s, c, n);
    for (size_t i = 0; i < nlower && fits; i++) {
        model_assign(s, lower[i], n, was[i].state, was[i].gpu_mask);
        if (place_fits(s, c, n))
            continue;
        model_unassign(s, lower[i]);
        ret->victims[ret->n++] = lower[i];
        ret->violations += i < nviolating;
    }
    statement_rollback(s, mark);
    sort_pods(s, ret->victims, ret->n);
    return fits;
}

static int64_t sum_of(const struct sched *s, const struct naive *x)
{
    int64_t sum = 0;
    for (size_t i = 0; i < x->n; i++)
        sum += (int64_t)class_of(s, x->victims[i])->priority + (1ll << 31);
    return sum;
}

static int64_t highest_of(const struct sched *s, const struct naive *x)
{
    int64_t highest = INT64_MIN;
    for (size_t i = 0; i < x->n; i++)
        highest = MAX(highest, (int64_t)class_of(s, x->victims[i])->priority);
    return highest;
}

static nsec_t earliest_of(const struct sched *s, const struct naive *x)
{
    nsec_t earliest = INT64_MAX;
    for (size_t i = 0; i < x->n; i++)
        if (class_of(s, x->victims[i])->priority == highest_of(s, x))
            earliest = MIN(earliest, start_of(s, x->victims[i]));
    return earliest;
}

static bool naive_better(const struct sched *s, const struct naive *a, const struct naive *b)
{
    if (a->violations != b->violations)
        return a->violations < b->violations;
    if (highest_of(s, a) != highest_of(s, b))
        return highest_of(s, a) < highest_of(s, b);
    if (sum_of(s, a) != sum_of(s, b))
        return sum_of(s, a) < sum_of(s, b);
    if (a->n != b->n)
        return a->n < b->n;
    if (earliest_of(s, a) != earliest_of(s, b))
        return earliest_of(s, a) > earliest_of(s, b);
    return s->tie[a->node] < s->tie[b->node];
}

static bool naive_find(struct sched *s, pod_id p, const uint64_t *within, struct naive *ret)
{
    bool found = false;
    model_tie_ranks(s);
    bits_foreach(n, s->alive, s->view.words)
    {
        struct naive x;
        if ((within && !bit_get(within, n)) || !naive_node(s, p, n, &x))
            continue;
        if (!found || naive_better(s, &x, ret))
            *ret = x;
        found = true;
    }
    return found;
}

/* The naive one asks a twin of the engine: it touches every node, and what is kept of untouched ones is to be tested, too. */
static void compare(struct sched *s, struct sched *twin, pod_id p, const uint64_t *within, struct preempt_candidate *got)
{
    struct naive want = {.node = NODE_NONE};
    bool there = naive_find(twin, p, within, &want);
    T_EQ_INT(preempt_find(s, p, within, got, NULL), there);
    T_EQ_INT(got->node, there ? want.node : NODE_NONE);
    T_EQ_INT(got->victims.len, there ? want.n : 0);
    T_EQ_INT(got->violations, there ? want.violations : 0);
    for (size_t i = 0; i < got->victims.len && i < want.n; i++)
        T_EQ_INT(got->victims.p[i], want.victims[i]);
}

/* The columns hold what the pods say. */
static void check_columns(struct sched *s)
{
    const struct preempt_state *x = s->preempt;
    uint32_t nominated = 0;
    bits_foreach(n, s->alive, s->view.words)
    {
        for (uint32_t l = 0; l <= x->nlevels; l++) {
            const struct preempt_level *level = l < x->nlevels ? &x->levels[l] : &x->leaving;
            for (uint32_t r = 0; r < s->nres; r++) {
                int64_t want = 0;
                for (pod_id p = s->nodes[n].first_pod; p; p = s->pods[p].next_on_node) {
                    bool leaving = s->pods[p].state == PS_TERMINATING;
                    bool counts = l == x->nlevels ? leaving : !leaving && class_of(s, p)->priority == level->priority && (!class_of(s, p)->never_victim || s->pods[p].state == PS_NOMINATED);
                    for (uint32_t i = 0; counts && i < class_of(s, p)->nreq; i++)
                        if (class_of(s, p)->req[i].id == r)
                            want += class_of(s, p)->req[i].amount;
                }
                T_EQ_INT(level->col[r] ? level->col[r][n] : 0, want);
            }
        }
        for (pod_id p = s->nodes[n].first_pod; p; p = s->pods[p].next_on_node)
            nominated += s->pods[p].state == PS_NOMINATED;
    }
    T_EQ_INT(x->nnominated, nominated);
}

/* --- random worlds ------------------------------------------------------------------------------------------------------------------- */
struct mix {
    bool ports, anti, friends, spread, gpus, budgets;
    uint32_t nodes, pods, rounds;
};

static const struct spec_requirement app_a[] = {{.key = STR_INIT("app"), .op = OP_IN, .values = (const str[]){STR_INIT("a")}, .nvalues = 1}};
static const struct spec_pod_term apart_from_a = {.selector = {app_a, 1}, .topology_key = STR_INIT("zone")};

static const struct spec_pod_term near_a = {.selector = {app_a, 1}, .topology_key = STR_INIT("zone")};
static const struct spec_spread even = {.topology_key = STR_INIT("zone"), .max_skew = 1, .hard = true, .selector = {app_a, 1}};
static const int32_t shares[] = {0, 0, 500, 300, GPU_MILLI};

static void put_budget(struct sched *s, struct rng *rng, const char *name)
{
    struct err err = ERR_NONE;
    str app = rng_below(rng, 2) ? S("a") : S("b");
    struct spec_requirement req = {.key = S("app"), .op = OP_IN, .values = &app, .nvalues = 1};
    struct pdb_spec b = {.ns = S("default"), .name = str_of(name), .selector = {&req, 1}, .disruptions_allowed = (int32_t)rng_below(rng, 3)};
    T_NO_ERR(sched_pdb_put(s, &b, &err), &err);
}

static pod_id random_pod(struct sched *s, struct rng *rng, const struct mix *m, uint32_t number, uint32_t node)
{
    static const char *const apps[] = {"a", "b", "c"};
    char name[32], on[32];
    snprintf(name, sizeof name, "p%u", number);
    snprintf(on, sizeof on, "n%u", node);
    return world_pod(s, .name = name, .node = node < m->nodes ? on : NULL, .app = apps[rng_below(rng, 3)], .cpu = 500 * (int64_t)(1 + rng_below(rng, 4)),
                     .priority = (int32_t)rng_below(rng, 5) - 1, .started = (nsec_t)rng_below(rng, 6), .no_victim = rng_below(rng, 12) == 0,
                     .terminating = node < m->nodes && rng_below(rng, 10) == 0, .port = m->ports && rng_below(rng, 4) == 0 ? (uint16_t)(80 + rng_below(rng, 2)) : 0,
                     .anti = m->anti && rng_below(rng, 4) == 0 ? &apart_from_a : NULL, .gpu_milli = m->gpus ? shares[rng_below(rng, ARRAY_LEN(shares))] : 0);
}

static pod_id random_preemptor(struct sched *s, struct rng *rng, const struct mix *m, uint32_t number)
{
    char name[32];
    snprintf(name, sizeof name, "w%u", number);
    uint64_t kind = rng_below(rng, 4);
    return world_pod(s, .name = name, .app = "a", .cpu = kind < 2 ? 2000 : 3500, .priority = kind % 2 ? 2 : 4, .port = m->ports && kind == 3 ? 80 : 0,
                     .anti = m->anti && kind >= 2 ? &apart_from_a : NULL, .affinity = m->friends && kind >= 1 ? &near_a : NULL,
                     .spread = m->spread && kind >= 1 ? &even : NULL, .gpu_milli = m->gpus ? kind == 3 ? GPU_MILLI : kind ? 600 : 0 : 0);
}

static struct sched *random_world(struct rng *rng, uint64_t seed, const struct mix *m)
{
    struct sched *s = world_new("default", seed % 3);
    static const char *const zones[] = {"z0", "z1", "z2"};
    char name[32];
    for (uint32_t i = 0; i < m->nodes; i++) {
        snprintf(name, sizeof name, "n%u", i);
        world_node_with(s, name, 4000, zones[rng_below(rng, 3)], "", m->gpus ? 2 : 0);
    }
    for (uint32_t i = 0; i < m->pods; i++) {
        uint32_t n = (uint32_t)rng_below(rng, m->nodes);
        snprintf(name, sizeof name, "n%u", n);
        if (view_free(&s->view, sched_node_find(s, str_of(name)), RES_CPU) > 0)
            random_pod(s, rng, m, i, n);
    }
    if (m->budgets)
        put_budget(s, rng, "one");
    return s;
}

/* What happens between two preemptors: some that were leaving have left, others end of themselves, budgets change. */
static void random_events(struct sched *s, struct rng *rng, const struct mix *m)
{
    if (m->budgets && rng_below(rng, 4) == 0)
        put_budget(s, rng, rng_below(rng, 2) ? "one" : "two");
    for (pod_id q = 1; q < s->npods_slots; q++)
        if ((s->pods[q].state == PS_TERMINATING && rng_below(rng, 6) == 0) || (s->pods[q].state == PS_BOUND && rng_below(rng, 60) == 0))
            sched_pod_delete(s, S("default"), sched_pod_name(s, q));
}

static void one_preemptor(struct sched *s, struct sched *twin, struct rng *rng, const struct mix *m, uint32_t number)
{
    struct rng again = *rng;
    pod_id p = random_preemptor(s, rng, m, number);
    T_EQ_INT(random_preemptor(twin, &again, m, number), p);
    struct place_result r;
    if (place_find(s, s->pods[p].class_, &(struct place_opts){0}, &r)) {
        for (int i = 0; i < 2; i++) {
            struct sched *x = i ? twin : s;
            model_assign(x, p, r.node, PS_ASSUMED, 0);
            preempt_override(x, p);
        }
        return;
    }
    struct preempt_candidate got = PREEMPT_CANDIDATE_INIT;
    if (rng_below(rng, 3) == 0) {
        uint64_t *within = xarray(s->view.words, uint64_t);
        for (uint32_t w = 0; w < s->view.words; w++)
            within[w] = s->alive[w] & rng_u64(rng);
        compare(s, twin, p, within, &got);
        free(within);
    }
    compare(s, twin, p, NULL, &got);
    if (got.node != NODE_NONE) {
        preempt_apply(s, p, &got, 0);
        preempt_apply(twin, p, &got, 0);
    }
    preempt_candidate_fini(&got);
}

static void one_world(uint64_t seed, const struct mix *m)
{
    struct rng rng, again;
    rng_seed(&rng, seed);
    again = rng;
    struct sched *s = random_world(&rng, seed, m), *twin = random_world(&again, seed, m);
    for (uint32_t i = 0; i < m->rounds && !test_failures_; i++) {
        one_preemptor(s, twin, &rng, m, i);
        again = rng;
        random_events(s, &rng, m);
        random_events(twin, &again, m);
        check_columns(s);
        world_check(s);
        T_EQ_INT(world_digest(s), world_digest(twin));
        if (test_failures_)
            printf("# seed %llu, preemptor %u\n", (unsigned long long)seed, i);
    }
    sched_free(s);
    sched_free(twin);
}

static void many_worlds(const struct mix *m, uint64_t from, uint32_t n)
{
    for (uint64_t seed = from; seed < from + n && !test_failures_; seed++)
        one_world(seed, m);
}

TEST(resources_agree_with_plain_loops)
{
    many_worlds(&(struct mix){.nodes = 30, .pods = 120, .rounds = 30}, 1, 60);
}
TEST(budgets_agree_with_plain_loops)
{
    many_worlds(&(struct mix){.nodes = 20, .pods = 80, .rounds = 25, .budgets = true}, 1000, 60);
}
TEST(ports_agree_with_plain_loops)
{
    many_worlds(&(struct mix){.nodes = 15, .pods = 60, .rounds = 20, .ports = true, .budgets = true}, 2000, 40);
}
TEST(anti_affinity_agrees_with_plain_loops)
{
    many_worlds(&(struct mix){.nodes = 16, .pods = 60, .rounds = 30, .anti = true, .budgets = true}, 3000, 60);
}

TEST(affinity_agrees_with_plain_loops)
{
    many_worlds(&(struct mix){.nodes = 12, .pods = 40, .rounds = 15, .friends = true, .anti = true}, 4000, 40);
}
TEST(spread_agrees_with_plain_loops)
{
    many_worlds(&(struct mix){.nodes = 12, .pods = 40, .rounds = 15, .spread = true, .budgets = true}, 5000, 40);
}
TEST(devices_agree_with_plain_loops)
{
    many_worlds(&(struct mix){.nodes = 12, .pods = 40, .rounds = 15, .gpus = true, .budgets = true}, 6000, 40);
}

/* --- by hand ------------------------------------------------------------------------------------------------------------------------- */
static void decide(struct sched *s, const char *pod, struct unit_decision *d)
{
    sched_place(s, sched_unit_of(s, sched_pod_find(s, S("default"), str_of(pod))), 0, d);
}

TEST(the_example_in_the_head_of_the_search)
{
    struct sched *s = world_new("default", 0);
    world_node(s, "n1", 4000, "", "");
    world_pod(s, .name = "a", .node = "n1", .cpu = 2000, .priority = 5, .started = 9);
    pod_id b = world_pod(s, .name = "b", .node = "n1", .priority = 3, .started = 8);
    pod_id c = world_pod(s, .name = "c", .node = "n1", .priority = 3, .started = 7);
    pod_id p = world_pod(s, .name = "p", .cpu = 2000, .priority = 6);
    struct preempt_candidate got = PREEMPT_CANDIDATE_INIT;
    T_OK(preempt_find(s, p, NULL, &got, NULL));
    T_EQ_INT(got.victims.len, 2);
    T_EQ_INT(got.victims.p[0], c);
    T_EQ_INT(got.victims.p[1], b);
    preempt_candidate_fini(&got);
    sched_free(s);
}

TEST(victims_leave_and_the_preemptor_gets_its_room)
{
    struct sched *s = world_new("default", 0);
    world_node(s, "n1", 2000, "", "");
    world_node(s, "n2", 2000, "", "");
    world_pod(s, .name = "a", .node = "n1", .cpu = 2000, .priority = 2);
    pod_id b = world_pod(s, .name = "b", .node = "n2", .cpu = 2000, .priority = 1);
    world_pod(s, .name = "p", .cpu = 1500, .priority = 10);
    struct unit_decision d = UNIT_DECISION_INIT;
    decide(s, "p", &d);
    T_EQ_INT(d.result, UNIT_PREEMPTING);
    T_EQ_INT(d.victims.len, 1);
    T_EQ_INT(d.victims.p[0], b);
    T_EQ_STR(world_where(s, "p"), "n2");
    T_EQ_INT(world_state(s, "p"), PS_NOMINATED);
    T_EQ_INT(world_state(s, "b"), PS_TERMINATING);
    /* while b is leaving: nobody else is evicted, the room stays */
    decide(s, "p", &d);
    T_EQ_INT(d.result, UNIT_REJECTED);
    T_OK(d.helped_by & EVENT_POD_FREED);
    T_EQ_INT(world_state(s, "p"), PS_NOMINATED);
    T_EQ_INT(world_state(s, "a"), PS_BOUND);
    /* a smaller one of lower priority does not take it when b has gone */
    sched_pod_delete(s, S("default"), S("b"));
    world_pod(s, .name = "q", .cpu = 1500, .priority = 5, .never = true);
    decide(s, "q", &d);
    T_EQ_INT(d.result, UNIT_REJECTED);
    decide(s, "p", &d);
    T_EQ_INT(d.result, UNIT_PLACED);
    T_EQ_STR(world_where(s, "p"), "n2");
    T_EQ_INT(world_state(s, "p"), PS_ASSUMED);
    check_columns(s);
    world_check(s);
    unit_decision_fini(&d);
    sched_free(s);
}

TEST(room_of_pods_that_are_leaving_needs_no_victim)
{
    struct sched *s = world_new("default", 0);
    world_node(s, "n1", 2000, "", "");
    world_node(s, "n2", 2000, "", "");
    world_pod(s, .name = "a", .node = "n1", .cpu = 2000, .priority = 0);
    world_pod(s, .name = "b", .node = "n2", .cpu = 2000, .priority = 100, .terminating = true);
    world_pod(s, .name = "p", .cpu = 1000, .priority = 10);
    world_pod(s, .name = "q", .cpu = 1000, .priority = 10);
    world_pod(s, .name = "r", .cpu = 1000, .priority = 10);
    struct unit_decision d = UNIT_DECISION_INIT;
    decide(s, "p", &d);
    T_EQ_INT(d.result, UNIT_PREEMPTING);
    T_EQ_INT(d.victims.len, 0);
    T_EQ_STR(world_where(s, "p"), "n2");
    decide(s, "q", &d);
    T_EQ_INT(d.victims.len, 0);
    T_EQ_STR(world_where(s, "q"), "n2");
    /* that room is taken now: the third one has to evict */
    decide(s, "r", &d);
    T_EQ_INT(d.result, UNIT_PREEMPTING);
    T_EQ_INT(d.victims.len, 1);
    T_EQ_STR(world_where(s, "r"), "n1");
    unit_decision_fini(&d);
    sched_free(s);
}

TEST(devices_of_the_victim_are_kept_for_the_preemptor)
{
    struct sched *s = world_new("default", 0);
    node_id n = world_node_with(s, "n1", 8000, "", "", 2);
    world_pod(s, .name = "high", .node = "n1", .priority = 20, .gpu_milli = GPU_MILLI);
    world_pod(s, .name = "low", .node = "n1", .priority = 0, .gpu_milli = 700);
    uint16_t of_low = s->pods[sched_pod_find(s, S("default"), S("low"))].gpu_mask;
    world_pod(s, .name = "p", .priority = 10, .gpu_milli = GPU_MILLI);
    struct unit_decision d = UNIT_DECISION_INIT;
    decide(s, "p", &d);
    T_EQ_INT(d.result, UNIT_PREEMPTING);
    T_EQ_INT(d.victims.len, 1);
    T_EQ_INT(d.placements.p[0].gpu_mask, of_low);
    T_EQ_INT(s->view.gpu[n].used_milli[__builtin_ctz(of_low)], 1700);
    sched_pod_delete(s, S("default"), S("low"));
    decide(s, "p", &d);
    T_EQ_INT(d.result, UNIT_PLACED);
    T_EQ_INT(d.placements.p[0].gpu_mask, of_low);
    T_EQ_INT(s->view.gpu[n].used_milli[__builtin_ctz(of_low)], 1000);
    world_check(s);
    unit_decision_fini(&d);
    sched_free(s);
}

TEST(never_means_never)
{
    struct sched *s = world_new("default", 0);
    world_node(s, "n1", 2000, "", "");
    world_pod(s, .name = "a", .node = "n1", .cpu = 2000, .priority = 0);
    world_pod(s, .name = "p", .priority = 10, .never = true);
    struct unit_decision d = UNIT_DECISION_INIT;
    decide(s, "p", &d);
    T_EQ_INT(d.result, UNIT_REJECTED);
    T_EQ_INT(world_state(s, "a"), PS_BOUND);
    /* and equal priority is not lower */
    world_pod(s, .name = "q", .priority = 0);
    decide(s, "q", &d);
    T_EQ_INT(d.result, UNIT_REJECTED);
    unit_decision_fini(&d);
    sched_free(s);
}

TEST(higher_priority_takes_nominated_room)
{
    struct sched *s = world_new("default", 0);
    world_node(s, "n1", 2000, "", "");
    world_pod(s, .name = "a", .node = "n1", .cpu = 2000, .priority = 0);
    world_pod(s, .name = "p", .cpu = 2000, .priority = 5);
    struct unit_decision d = UNIT_DECISION_INIT;
    decide(s, "p", &d);
    T_EQ_INT(d.result, UNIT_PREEMPTING);
    world_pod(s, .name = "q", .cpu = 2000, .priority = 9);
    decide(s, "q", &d);
    T_EQ_INT(d.result, UNIT_PREEMPTING);
    T_EQ_INT(d.victims.len, 0); /* a is leaving already, p never came */
    T_EQ_STR(world_where(s, "q"), "n1");
    T_EQ_INT(world_state(s, "p"), PS_PENDING);
    check_columns(s);
    unit_decision_fini(&d);
    sched_free(s);
}

TEST(the_order_of_the_criteria)
{
    struct sched *s = world_new("default", 0);
    struct err err = ERR_NONE;
    for (int i = 1; i <= 5; i++) {
        char name[8];
        snprintf(name, sizeof name, "n%d", i);
        world_node(s, name, 2000, "", "");
    }
    str app = S("guarded");
    struct spec_requirement req = {.key = S("app"), .op = OP_IN, .values = &app, .nvalues = 1};
    struct pdb_spec budget = {.ns = S("default"), .name = S("b"), .selector = {&req, 1}, .disruptions_allowed = 0};
    T_NO_ERR(sched_pdb_put(s, &budget, &err), &err);
    world_pod(s, .name = "guarded", .node = "n1", .cpu = 2000, .priority = 1, .app = "guarded", .started = 9);
    world_pod(s, .name = "high", .node = "n2", .cpu = 2000, .priority = 4, .started = 9);
    world_pod(s, .name = "x1", .node = "n3", .cpu = 1000, .priority = 3, .started = 9);
    world_pod(s, .name = "x2", .node = "n3", .cpu = 1000, .priority = 3, .started = 9);
    world_pod(s, .name = "old", .node = "n4", .cpu = 2000, .priority = 3, .started = 2);
    world_pod(s, .name = "young", .node = "n5", .cpu = 2000, .priority = 3, .started = 5);
    /* latest start, then earlier start, then two victims, then the high one, then the budget */
    static const char *const want[] = {"n5", "n4", "n3", "n2", "n1"};
    struct unit_decision d = UNIT_DECISION_INIT;
    for (int i = 0; i < 5; i++) {
        char name[8];
        snprintf(name, sizeof name, "p%d", i);
        world_pod(s, .name = name, .cpu = 2000, .priority = 10);
        decide(s, name, &d);
        T_EQ_INT(d.result, UNIT_PREEMPTING);
        T_EQ_STR(world_where(s, name), want[i]);
    }
    world_pod(s, .name = "last", .cpu = 2000, .priority = 10);
    decide(s, "last", &d);
    T_EQ_INT(d.result, UNIT_REJECTED);
    unit_decision_fini(&d);
    sched_free(s);
}

TEST(nodes_are_counted_by_why_they_are_no_candidates)
{
    struct sched *s = world_new("default", 0);
    world_node(s, "small", 1000, "", "");
    world_node(s, "full", 4000, "", "");
    world_node(s, "good", 4000, "", "");
    struct spec_taint taint = {S("only"), S("gpu"), TAINT_NO_SCHEDULE};
    struct res_amount res[] = {{RES_CPU, 4000}, {RES_MEMORY, 64 * GIB}, {RES_PODS, 110}};
    struct node_spec n = {.name = S("tainted"), .taints = &taint, .ntaints = 1, .allocatable = {res, 3}};
    struct err err = ERR_NONE;
    T_NO_ERR(sched_node_put(s, &n, NULL, &err), &err);
    world_pod(s, .name = "a", .node = "full", .cpu = 4000, .priority = 50);
    world_pod(s, .name = "b", .node = "good", .cpu = 4000, .priority = 1);
    pod_id p = world_pod(s, .name = "p", .cpu = 3000, .priority = 10);
    struct preempt_candidate got = PREEMPT_CANDIDATE_INIT;
    struct preempt_counts counts;
    T_OK(preempt_find(s, p, NULL, &got, &counts));
    T_EQ_INT(counts.unresolvable, 1);
    T_EQ_INT(counts.hopeless, 2);
    T_EQ_INT(counts.searched, 1);
    T_EQ_STR(sched_node_name(s, got.node), "good");
    preempt_candidate_fini(&got);
    sched_free(s);
}

TEST(what_is_kept_of_a_class_gives_way_to_changes)
{
    struct sched *s = world_new("default", 0);
    struct err err = ERR_NONE;
    world_node(s, "n1", 2000, "z1", "");
    world_node(s, "n2", 2000, "z2", "");
    world_node(s, "n3", 1000, "z2", "");
    world_pod(s, .name = "x", .node = "n1", .cpu = 2000, .priority = 1, .app = "x", .started = 5);
    world_pod(s, .name = "y", .node = "n2", .cpu = 2000, .priority = 1, .app = "y", .started = 9);
    pod_id p = world_pod(s, .name = "p", .cpu = 2000, .priority = 10);
    pod_id q = world_pod(s, .name = "q", .cpu = 2000, .priority = 10, .anti = &apart_from_a);
    struct preempt_candidate got = PREEMPT_CANDIDATE_INIT;
    T_OK(preempt_find(s, p, NULL, &got, NULL) && got.node == sched_node_find(s, S("n2")));
    T_OK(preempt_find(s, q, NULL, &got, NULL) && got.node == sched_node_find(s, S("n2")));
    /* a budget for what runs on n2 */
    str app = S("y");
    struct spec_requirement req = {.key = S("app"), .op = OP_IN, .values = &app, .nvalues = 1};
    struct pdb_spec budget = {.ns = S("default"), .name = S("b"), .selector = {&req, 1}, .disruptions_allowed = 0};
    T_NO_ERR(sched_pdb_put(s, &budget, &err), &err);
    T_OK(preempt_find(s, p, NULL, &got, NULL) && got.node == sched_node_find(s, S("n1")));
    sched_pdb_delete(s, S("default"), S("b"));
    T_OK(preempt_find(s, p, NULL, &got, NULL) && got.node == sched_node_find(s, S("n2")));
    /* q's foe comes to n3: n2 is in the same zone */
    world_pod(s, .name = "foe", .node = "n3", .app = "a", .priority = 20);
    T_OK(preempt_find(s, q, NULL, &got, NULL) && got.node == sched_node_find(s, S("n1")));
    T_OK(preempt_find(s, p, NULL, &got, NULL) && got.node == sched_node_find(s, S("n2")));
    /* n2 is cordoned */
    struct res_amount res[] = {{RES_CPU, 2000}, {RES_MEMORY, 64 * GIB}, {RES_PODS, 110}};
    struct node_spec n2 = {.name = S("n2"), .unschedulable = true, .allocatable = {res, 3}};
    T_NO_ERR(sched_node_put(s, &n2, NULL, &err), &err);
    T_OK(preempt_find(s, p, NULL, &got, NULL) && got.node == sched_node_find(s, S("n1")));
    preempt_candidate_fini(&got);
    sched_free(s);
}

TEST(who_may_not_evict_finds_nothing)
{
    struct sched *s = world_new("default", 0);
    world_node(s, "n1", 2000, "", "");
    world_node(s, "n2", 2000, "", "");
    world_pod(s, .name = "a", .node = "n1", .cpu = 1000, .priority = 1);
    world_pod(s, .name = "going", .node = "n1", .cpu = 1000, .priority = 1, .terminating = true);
    world_pod(s, .name = "b", .node = "n2", .cpu = 2000, .priority = 1);
    pod_id p = world_pod(s, .name = "p", .cpu = 2000, .priority = 10, .nominated = "n1");
    pod_id never = world_pod(s, .name = "q", .cpu = 2000, .priority = 10, .never = true);
    struct preempt_candidate got = PREEMPT_CANDIDATE_INIT;
    uint64_t before = world_digest(s);
    T_OK(!preempt_find(s, never, NULL, &got, NULL));
    T_OK(!preempt_find(s, p, NULL, &got, NULL));
    sched_pod_delete(s, S("default"), S("going"));
    T_OK(world_digest(s) != before);
    before = world_digest(s);
    T_OK(preempt_find(s, p, NULL, &got, NULL)); /* though its own room is kept on n1 */
    T_EQ_INT(world_digest(s), before);
    check_columns(s);
    preempt_candidate_fini(&got);
    sched_free(s);
}

/* --- gangs ----------------------------------------------------------------------------------------------------------------------------- */
static void fill_nodes(struct sched *s, int nodes, int32_t priority)
{
    for (int i = 0; i < nodes; i++) {
        char name[16], pod[16];
        snprintf(name, sizeof name, "n%d", i);
        world_node(s, name, 2000, "", "");
        for (int k = 0; k < 2; k++) {
            snprintf(pod, sizeof pod, "low%d-%d", i, k);
            world_pod(s, .name = pod, .node = name, .priority = priority, .started = 1 + i * 2 + k);
        }
    }
}

TEST(a_gang_evicts_for_all_or_for_none)
{
    struct sched *s = world_new("default", 0);
    fill_nodes(s, 3, 0);
    unit_id u = world_group(s, .name = S("g"), .min_member = 4);
    world_members(s, "g", "g", 4, 1500, NULL, 10);
    struct unit_decision d = UNIT_DECISION_INIT;
    uint64_t before = world_digest(s);
    sched_place(s, u, 0, &d);
    T_EQ_INT(d.result, UNIT_REJECTED); /* three nodes hold three of them */
    T_EQ_INT(world_digest(s), before);
    fill_nodes(s, 4, 0);
    sched_place(s, u, 0, &d);
    T_EQ_INT(d.result, UNIT_PREEMPTING);
    T_EQ_INT(d.placements.len, 4);
    T_EQ_INT(d.victims.len, 8);
    for (size_t i = 0; i < d.placements.len; i++)
        T_EQ_INT(s->pods[d.placements.p[i].pod].state, PS_NOMINATED);
    check_columns(s);
    world_check(s);
    /* asked again while the victims leave, it waits; when they have gone, it runs */
    sched_place(s, u, 0, &d);
    T_EQ_INT(d.result, UNIT_REJECTED);
    T_OK(d.helped_by & EVENT_POD_FREED);
    for (pod_id q = 1; q < s->npods_slots; q++)
        if (s->pods[q].state == PS_TERMINATING)
            sched_pod_delete(s, S("default"), sched_pod_name(s, q));
    sched_place(s, u, 0, &d);
    T_EQ_INT(d.result, UNIT_PLACED);
    T_EQ_INT(d.placements.len, 4);
    unit_decision_fini(&d);
    sched_free(s);
}

TEST(room_made_by_one_member_serves_the_next)
{
    struct sched *s = world_new("default", 0);
    world_node(s, "n1", 4000, "", "");
    world_pod(s, .name = "big", .node = "n1", .cpu = 4000, .priority = 0);
    unit_id u = world_group(s, .name = S("g"), .min_member = 3);
    world_members(s, "g", "g", 5, 1000, NULL, 10);
    struct unit_decision d = UNIT_DECISION_INIT;
    sched_place(s, u, 0, &d);
    T_EQ_INT(d.result, UNIT_PREEMPTING);
    T_EQ_INT(d.victims.len, 1);
    T_EQ_INT(d.placements.len, 4); /* one of the surplus fits, nobody is evicted for the other */
    unit_decision_fini(&d);
    sched_free(s);
}

TEST(members_of_different_priorities_keep_their_rooms)
{
    struct sched *s = world_new("default", 0);
    world_node(s, "n1", 2000, "", "");
    world_pod(s, .name = "big", .node = "n1", .cpu = 2000, .priority = 0);
    unit_id u = world_group(s, .name = S("g"), .min_member = 2);
    world_members(s, "g", "low", 1, 1000, NULL, 5);
    world_members(s, "g", "high", 1, 900, NULL, 9);
    struct unit_decision d = UNIT_DECISION_INIT;
    sched_place(s, u, 0, &d);
    T_EQ_INT(d.result, UNIT_PREEMPTING);
    T_EQ_INT(world_state(s, "low0"), PS_NOMINATED);
    T_EQ_INT(world_state(s, "high0"), PS_NOMINATED);
    unit_decision_fini(&d);
    sched_free(s);
}

TEST(a_broken_gang_goes_as_a_whole_when_told_so)
{
    for (int whole = 0; whole < 2; whole++) {
        struct sched_profile *profile = profile_builtin(S("default"));
        profile->unit_preempt_whole = whole;
        struct sched *s = sched_new(profile, 0);
        world_node(s, "n1", 1000, "", "");
        world_node(s, "n2", 1000, "", "");
        unit_id victim = world_group(s, .name = S("v"), .min_member = 2);
        world_pod(s, .name = "v1", .node = "n1", .group = "v");
        world_pod(s, .name = "v2", .node = "n2", .group = "v");
        T_EQ_INT(unit_count(s, victim).placed, 2);
        world_pod(s, .name = "p", .priority = 10);
        struct unit_decision d = UNIT_DECISION_INIT;
        decide(s, "p", &d);
        T_EQ_INT(d.result, UNIT_PREEMPTING);
        T_EQ_INT(d.victims.len, whole ? 2 : 1);
        unit_decision_fini(&d);
        sched_free(s);
    }
}

TEST_MAIN(resources_agree_with_plain_loops, budgets_agree_with_plain_loops, ports_agree_with_plain_loops, anti_affinity_agrees_with_plain_loops, affinity_agrees_with_plain_loops,
          spread_agrees_with_plain_loops, devices_agree_with_plain_loops,
          the_example_in_the_head_of_the_search, victims_leave_and_the_preemptor_gets_its_room, room_of_pods_that_are_leaving_needs_no_victim,
          devices_of_the_victim_are_kept_for_the_preemptor, never_means_never,
          higher_priority_takes_nominated_room, the_order_of_the_criteria, nodes_are_counted_by_why_they_are_no_candidates, what_is_kept_of_a_class_gives_way_to_changes,
          who_may_not_evict_finds_nothing, members_of_different_priorities_keep_their_rooms, a_gang_evicts_for_all_or_for_none,
          room_made_by_one_member_serves_the_next, a_broken_gang_goes_as_a_whole_when_told_so)
