/* preempt_test.c - victims and nodes against plain loops over the rules on random worlds.  Cases made by hand: preempt_cases_test.c. */
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

TEST_MAIN(resources_agree_with_plain_loops, budgets_agree_with_plain_loops, ports_agree_with_plain_loops, anti_affinity_agrees_with_plain_loops, affinity_agrees_with_plain_loops,
          spread_agrees_with_plain_loops, devices_agree_with_plain_loops)
