/* no_deadlock_test.c - tasks that each need several domains at once, with room for a few of them: whatever comes, ends and is cancelled in whatever order, no task ever holds a part of what it needs, none that
 * fits waits once things have settled, and all complete.
 *
 *   domains d0..d4, one or two nodes each ── links between some of them ── tasks of 2 or 3 parties, one pod a party, on nodes of its domain
 * What fits is counted here again, from the specs: nothing of the engine's own sums is believed. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/pipeline.h"

#include "sched/engine/links.h"
#include "sched/engine/test_world.h"

#define MBIT 1000000ll
enum { DOMAINS = 5, NODES = 2, TASKS = 60, PARTIES = 3 };

struct task {
    char name[16];
    unit_id unit; /* UNIT_NONE: it is not there */
    size_t n;
    uint8_t domain[PARTIES];
    int64_t cpu[PARTIES], mbit[PARTIES];
    pod_id pod[PARTIES];
};
struct world {
    struct sched *s;
    struct pipeline *p;
    struct rng rng;
    nsec_t now;
    struct task tasks[TASKS];
    size_t begun, done, cancelled, waits;
    int64_t cpu[DOMAINS][NODES], mbit[DOMAINS][NODES], link[DOMAINS][DOMAINS]; /* 0: no node; no end */
    struct err err;
};

static uint64_t below(struct world *w, uint64_t n)
{
    return rng_below(&w->rng, n);
}

static str domain_name(size_t d)
{
    static const str names[DOMAINS] = {STR_INIT("d0"), STR_INIT("d1"), STR_INIT("d2"), STR_INIT("d3"), STR_INIT("d4")};
    return names[d];
}

static void put_node(struct world *w, size_t d, size_t k)
{
    char name[16];
    snprintf(name, sizeof name, "d%zu-%zu", d, k);
    struct spec_label label = {S("domain"), domain_name(d)};
    struct res_amount res[] = {{RES_CPU, w->cpu[d][k]}, {RES_MEMORY, 64 * GIB}, {RES_INGRESS, w->mbit[d][k] * MBIT}, {RES_EGRESS, w->mbit[d][k] * MBIT}, {RES_PODS, 100}};
    T_NO_ERR(sched_node_put(w->s, &(struct node_spec){.name = str_of(name), .labels = {&label, 1}, .allocatable = {res, 5}}, NULL, &w->err), &w->err);
}

static void put_link(struct world *w, size_t a, size_t b)
{
    char name[16];
    snprintf(name, sizeof name, "r%zu-%zu", a, b);
    T_NO_ERR(sched_route_put(w->s, &(struct route_spec){.ns = S(""), .name = str_of(name), .source = domain_name(a), .destination = domain_name(b), .bits = w->link[a][b] * MBIT}, &w->err), &w->err);
}

static void world_begin(struct world *w, uint64_t seed)
{
    struct pipeline_opts opts = {.workers = 1, .dispatch = DISPATCHER_OPTS_DEFAULT};
    struct sched_profile *profile = profile_builtin(S("default"));
    profile->keep_after_ns = 0; /* or somebody who fits waits for one who came before: starvation_test.c */
    *w = (struct world){.s = sched_new(profile, seed), .now = NSEC_PER_SEC};
    rng_seed(&w->rng, seed);
    opts.dispatch.flush_ns = 1000000 * NSEC_PER_SEC; /* nobody is saved by being tried again anyway: events alone must wake who fits */
    w->p = pipeline_new(w->s, &opts, &(struct binder_calls){0}, &w->err);
    T_OK(w->p);
    for (size_t d = 0; d < DOMAINS; d++)
        for (size_t k = 0; k < 1 + below(w, NODES); k++) {
            w->cpu[d][k] = 2000 + (int64_t)below(w, 3) * 1000;
            w->mbit[d][k] = 100 + (int64_t)below(w, 3) * 50;
            put_node(w, d, k);
        }
    for (size_t a = 0; a < DOMAINS; a++)
        for (size_t b = 0; b < DOMAINS; b++)
            if (a != b && below(w, 2)) {
                w->link[a][b] = 100 + (int64_t)below(w, 100);
                put_link(w, a, b);
            }
}

static void world_end(struct world *w)
{
    pipeline_free(w->p);
    sched_free(w->s);
}

/* --- tasks -------------------------------------------------------------------------------------------------------------------------------------- */

static void begin_task(struct world *w, size_t i)
{
    struct task *t = &w->tasks[i];
    struct spec_subgroup sub[PARTIES] = {0};
    uint8_t order[DOMAINS] = {0, 1, 2, 3, 4};
    snprintf(t->name, sizeof t->name, "t%zu", i);
    t->n = 2 + below(w, 2);
    for (size_t k = 0; k < t->n; k++) {
        size_t other = k + below(w, DOMAINS - k);
        t->domain[k] = order[other];
        order[other] = order[k];
        t->cpu[k] = 1000 + (int64_t)below(w, 2) * 1000;
        t->mbit[k] = 20 + (int64_t)below(w, 5) * 20;
        sub[k] = (struct spec_subgroup){.name = domain_name(t->domain[k]), .min_member = 1};
    }
    struct group_spec g = {.ns = S(""), .name = str_of(t->name), .subgroups = sub, .nsubgroups = t->n, .min_member = (int32_t)t->n, .created_ns = w->now};
    T_NO_ERR(sched_group_put(w->s, &g, &t->unit, &w->err), &w->err);
    for (size_t k = 0; k < t->n; k++) {
        struct res_amount req[] = {{RES_CPU, t->cpu[k]}, {RES_INGRESS, t->mbit[k] * MBIT}, {RES_EGRESS, t->mbit[k] * MBIT}};
        struct spec_label label = {S("domain"), domain_name(t->domain[k])};
        struct pod_spec p = {.ns = domain_name(t->domain[k]), .name = str_of(t->name), .group = str_of(t->name), .group_is_cluster = true, .subgroup = domain_name(t->domain[k]), .requests = {req, 3},
                             .nonzero_cpu = t->cpu[k], .created_ns = w->now, .phase = POD_PENDING, .node_selector = {&label, 1}};
        T_NO_ERR(sched_pod_put(w->s, &p, &t->pod[k], &w->err), &w->err);
        T_NO_ERR(dispatcher_add(pipeline_dispatcher(w->p), t->unit, w->now, &w->err), &w->err);
    }
    w->begun++;
}

static void drop_task(struct world *w, struct task *t)
{
    dispatcher_remove(pipeline_dispatcher(w->p), t->unit);
    for (size_t k = 0; k < t->n; k++) {
        binder_pod_gone(pipeline_binder(w->p), t->pod[k]);
        sched_pod_delete(w->s, domain_name(t->domain[k]), str_of(t->name));
    }
    sched_group_delete(w->s, S(""), str_of(t->name));
    t->unit = UNIT_NONE;
}

static bool is_placed(const struct world *w, const struct task *t, size_t k)
{
    return w->s->pods[t->pod[k]].state >= PS_ASSUMED;
}

static bool runs(const struct world *w, const struct task *t)
{
    return t->unit && is_placed(w, t, 0);
}

/* --- counting again -------------------------------------------------------------------------------------------------------------------------------- */

struct room {
    int64_t cpu[DOMAINS][NODES], mbit[DOMAINS][NODES], link[DOMAINS][DOMAINS];
};

static int64_t crosses(const struct task *t, size_t a, size_t b)
{
    return MAX(t->mbit[a], t->mbit[b]);
}

static struct room free_room(const struct world *w)
{
    struct room r;
    memcpy(r.cpu, w->cpu, sizeof r.cpu);
    memcpy(r.mbit, w->mbit, sizeof r.mbit);
    memcpy(r.link, w->link, sizeof r.link);
    for (size_t i = 0; i < TASKS; i++) {
        const struct task *t = &w->tasks[i];
        for (size_t k = 0; t->unit && k < t->n; k++) {
            if (!is_placed(w, t, k))
                continue;
            str node = sched_node_name(w->s, w->s->pods[t->pod[k]].node);
            size_t d = (size_t)(node.p[1] - '0'), n = (size_t)(node.p[3] - '0');
            T_EQ_INT(d, t->domain[k]);
            r.cpu[d][n] -= t->cpu[k];
            r.mbit[d][n] -= t->mbit[k];
            for (size_t m = 0; m < t->n; m++)
                if (m != k && is_placed(w, t, m))
                    r.link[d][t->domain[m]] -= crosses(t, k, m);
        }
    }
    return r;
}

static bool fits(const struct world *w, const struct room *r, const struct task *t)
{
    for (size_t k = 0; k < t->n; k++) {
        bool found = false;
        for (size_t n = 0; n < NODES; n++)
            found |= w->cpu[t->domain[k]][n] && r->cpu[t->domain[k]][n] >= t->cpu[k] && r->mbit[t->domain[k]][n] >= t->mbit[k];
        if (!found)
            return false;
        for (size_t m = 0; m < t->n; m++)
            if (m != k && w->link[t->domain[k]][t->domain[m]] && r->link[t->domain[k]][t->domain[m]] < crosses(t, k, m))
                return false;
    }
    return true;
}

static void check(struct world *w, uint64_t seed, bool shrunk)
{
    struct room r = free_room(w);
    for (size_t a = 0; a < DOMAINS && !shrunk; a++) {
        for (size_t n = 0; n < NODES; n++)
            T_OK(r.cpu[a][n] >= 0 && r.mbit[a][n] >= 0);
        for (size_t b = 0; b < DOMAINS; b++)
            T_OK(!w->link[a][b] || r.link[a][b] >= 0);
    }
    for (size_t i = 0; i < TASKS && !test_failures_; i++) {
        const struct task *t = &w->tasks[i];
        size_t placed = 0;
        for (size_t k = 0; t->unit && k < t->n; k++)
            placed += is_placed(w, t, k);
        if (placed && placed < t->n)
            T_FAIL_("seed %llu: task %s holds %zu of its %zu parts", (unsigned long long)seed, t->name, placed, t->n);
        w->waits += t->unit && !placed;
        if (t->unit && !placed && fits(w, &r, t))
            T_FAIL_("seed %llu: task %s fits and waits", (unsigned long long)seed, t->name);
    }
    struct err err = ERR_NONE;
    T_NO_ERR(model_check(w->s, &err), &err);
}

/* Until nobody is placed any more; back-offs pass. */
static void settle(struct world *w)
{
    for (int i = 0; i < 8; i++) {
        pipeline_run(w->p, w->now, 0);
        for (size_t k = 0; k < TASKS; k++)
            for (size_t m = 0; w->tasks[k].unit && m < w->tasks[k].n; m++)
                if (w->s->pods[w->tasks[k].pod[m]].state == PS_ASSUMED) {
                    binder_confirmed(pipeline_binder(w->p), w->tasks[k].pod[m]);
                    model_set_state(w->s, w->tasks[k].pod[m], PS_BOUND);
                }
        w->now += 20 * NSEC_PER_SEC;
        dispatcher_tick(pipeline_dispatcher(w->p), w->now);
    }
}

static void end_some(struct world *w, uint64_t one_in)
{
    for (size_t i = 0; i < TASKS; i++)
        if (runs(w, &w->tasks[i]) && below(w, one_in) == 0) {
            drop_task(w, &w->tasks[i]);
            w->done++;
        }
}

static void live(struct world *w, uint64_t seed)
{
    for (int step = 0; step < 400 && w->done + w->cancelled < TASKS && !test_failures_; step++) {
        for (size_t n = below(w, 6); n && w->begun < TASKS; n--)
            begin_task(w, w->begun);
        settle(w);
        check(w, seed, false);
        size_t i = below(w, TASKS);
        if (w->tasks[i].unit && below(w, 4) == 0) {
            drop_task(w, &w->tasks[i]);
            w->cancelled++;
        }
        if (below(w, 10) == 0 && w->begun < TASKS) { /* a node has less than is promised for a while: what runs stays */
            size_t d = below(w, DOMAINS);
            int64_t was = w->cpu[d][0];
            w->cpu[d][0] = 500;
            put_node(w, d, 0);
            settle(w);
            check(w, seed, true);
            w->cpu[d][0] = was;
            put_node(w, d, 0);
        }
        end_some(w, 3);
    }
    T_EQ_INT(w->done + w->cancelled, TASKS);
    T_OK(w->waits > TASKS); /* it was tight */
}

TEST(random_tasks_of_several_domains)
{
    for (uint64_t seed = 1; seed <= 40 && !test_failures_; seed++) {
        struct world *w = xnew(struct world);
        world_begin(w, seed);
        live(w, seed);
        for (size_t a = 0; a < DOMAINS; a++) { /* nothing is left of any of them */
            struct room r = free_room(w);
            for (size_t n = 0; n < NODES; n++)
                T_OK(r.cpu[a][n] == w->cpu[a][n]);
        }
        struct link_list links = {0};
        links_list(w->s, &links);
        for (size_t i = 0; i < links.list.len; i++)
            T_EQ_INT(links.list.p[i]->taken, 0);
        vec_fini(&links.list);
        world_end(w);
        free(w);
    }
}

TEST_MAIN(random_tasks_of_several_domains)
