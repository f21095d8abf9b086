/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "base/test.h"
#include "sim/report.h"
#include "sim/whatif.h"
#include "sim/world.h"

struct world {
    struct scenario *sc;
    struct sim *sim;
    const struct sim_result *r;
};

static struct world make(const char *text, const char *setting)
{
    struct world w = {0};
    struct err err = ERR_NONE;
    T_NO_ERR(scenario_parse(str_of(text), S("t.yaml"), &w.sc, &err), &err);
    struct sim_opts opts = {.seed = w.sc->seed, .until = w.sc->until, .grace = w.sc->grace, .setting = sim_setting_find(str_of(setting)), .owed_after = w.sc->owed_after};
    w.sim = sim_new(profile_builtin(S("default")), &opts, &err);
    T_NO_ERR(sim_load(w.sim, w.sc, &err), &err);
    return w;
}

static struct world run(const char *text, const char *setting)
{
    struct world w = make(text, setting);
    struct err err = ERR_NONE;
    T_NO_ERR(sim_run(w.sim, INT64_MAX, &err), &err);
    T_NO_ERR(sim_check(w.sim, &err), &err);
    w.r = sim_result(w.sim);
    return w;
}

static void done(struct world *w)
{
    sim_free(w->sim);
    scenario_free(w->sc);
}

static const struct sim_pod *pod(const struct world *w, const char *name)
{
    for (size_t i = 0; i < w->r->npods; i++)
        if (str_is(w->r->pods[i].name, name))
            return &w->r->pods[i];
    T_FAIL_("there is no pod %s", name);
    return &w->r->pods[0];
}

static int64_t start_s(const struct world *w, const char *name)
{
    nsec_t at = pod(w, name)->first_start;
    return at < 0 ? -1 : at / NSEC_PER_SEC;
}

static const struct sim_queue *queue(const struct world *w, const char *name)
{
    for (size_t i = 0; i < w->r->nqueues; i++)
        if (str_is(w->r->queues[i].name, name))
            return &w->r->queues[i];
    T_FAIL_("there is no queue %s", name);
    return &w->r->queues[0];
}

#define TWO "grace: 10s\nnodes: [{name: node, gpus: 4, cpu: 64}]\nqueues:\n- {name: a, resources: {gpu: {quota: 2}}}\n- {name: b, resources: {gpu: {quota: 2}}}\n"
#define TAKEN TWO "jobs:\n- {name: long, queue: a, count: 2, duration: 1000s, checkpoint: %s, requests: {gpu: 2}}\n- {name: owed, queue: b, arrival: 250s, duration: 100s, requests: {gpu: 2}}\n"

TEST(a_queue_takes_back_what_it_is_owed)
{
    STRBUF_AUTO b = STRBUF_HEAP;
    strbuf_addf(&b, TAKEN "%c", "0s", 0);
    struct world w = run(b.p, "cox");
    T_EQ_INT(start_s(&w, "owed"), 260); /* after the grace */
    T_EQ_INT(w.r->evictions, 1);
    T_EQ_INT(w.r->evictions_by[POLICY_RECLAIM], 1);
    T_EQ_INT(queue(&w, "a")->preemptions, 1);
    T_EQ_INT(queue(&w, "b")->preemptions, 0);
    /* 260 s on 2 GPUs for nothing; it starts again at 360 s and runs its 1,000 s */
    T_OK(fabs(w.r->lost_gpu_s - 520) < 1e-6 && fabs(queue(&w, "a")->lost_gpu_s - 520) < 1e-6);
    T_EQ_INT(w.r->end / NSEC_PER_SEC, 1360);
    T_OK(fabs(queue(&w, "b")->owed_max_s - 10) < 1e-6);
    T_EQ_INT(w.r->violations, 0);
    /* used: a 4 GPUs 260 s, 2 GPUs until 360 s, 4 until 1000 s, 2 until the end */
    T_OK(fabs(queue(&w, "a")->used_s - 1000.0 * (4 * 260 + 2 * 100 + 4 * 640 + 2 * 360)) < 1);
    T_OK(fabs(queue(&w, "b")->used_s - 1000.0 * 2 * 100) < 1);
    T_EQ_INT(queue(&w, "b")->waits.n, 1);
    T_OK(fabs(queue(&w, "b")->waits.mean - 10) < 1e-6);
    done(&w);
}

TEST(checkpoints_keep_work)
{
    STRBUF_AUTO b = STRBUF_HEAP;
    strbuf_addf(&b, TAKEN "%c", "100s", 0);
    struct world w = run(b.p, "cox");
    /* evicted at 250 s: 200 s are kept, 60 s lost with the grace; 800 s remain at 360 s */
    T_OK(fabs(w.r->lost_s - 60) < 1e-6 && fabs(w.r->lost_gpu_s - 120) < 1e-6);
    T_EQ_INT(w.r->end / NSEC_PER_SEC, 1160);
    done(&w);
    w = run(TWO "checkpoint: 100s\njobs:\n- {name: gang, queue: a, replicas: 2, duration: 1000s, requests: {gpu: 2}}\n- {name: owed, queue: b, arrival: 250s, duration: 100s, requests: {gpu: 2}}\n", "cox");
    /* a gang goes as a whole, and its work is the gang's: 2 pods lose 60 s each */
    T_OK(fabs(w.r->lost_s - 120) < 1e-6);
    T_EQ_INT(w.r->end / NSEC_PER_SEC, 1160);
    done(&w);
}

TEST(without_reclaim_a_guarantee_is_broken)
{
    STRBUF_AUTO b = STRBUF_HEAP;
    strbuf_addf(&b, "owedAfter: 60s\n" TAKEN "%c", "0s", 0);
    static const char *const settings[] = {"fifo", "fifo-backfill", "queues"};
    for (size_t i = 0; i < ARRAY_LEN(settings); i++) {
        struct world w = run(b.p, settings[i]);
        T_EQ_INT(start_s(&w, "owed"), 1000);
        T_EQ_INT(w.r->violations, 1);
        T_OK(fabs(w.r->owed_max_s - 750) < 1e-6);
        T_EQ_INT(w.r->evictions, 0);
        T_OK(w.r->fairness < 1);
        done(&w);
    }
}

TEST(in_one_line_nobody_overtakes_but_with_backfill)
{
    static const char text[] = TWO "jobs:\n- {name: first, queue: a, duration: 100s, requests: {gpu: 3}}\n- {name: big, queue: b, arrival: 10s, duration: 10s, requests: {gpu: 2}}\n"
                                   "- {name: small, queue: b, arrival: 20s, duration: 10s, requests: {gpu: 1}}\n";
    struct world w = run(text, "fifo");
    T_EQ_INT(start_s(&w, "big"), 100);
    T_EQ_INT(start_s(&w, "small"), 100);
    done(&w);
    w = run(text, "fifo-backfill");
    T_EQ_INT(start_s(&w, "big"), 100);
    T_EQ_INT(start_s(&w, "small"), 20);
    done(&w);
}

TEST(an_elastic_gang_grows_and_gives_its_surplus_first)
{
    struct world w = run("grace: 10s\nnodes: [{name: node, gpus: 4, cpu: 64}]\nqueues:\n- {name: a, resources: {gpu: {quota: 1}}}\n- {name: b, resources: {gpu: {quota: 3}}}\n"
                         "jobs:\n- {name: e, queue: a, replicas: 4, minMember: 1, duration: 500s, requests: {gpu: 1}}\n- {name: owed, queue: b, arrival: 100s, duration: 50s, requests: {gpu: 3}}\n",
                         "cox");
    T_EQ_INT(start_s(&w, "owed"), 110);
    T_EQ_INT(w.r->evictions, 3);
    T_EQ_INT(w.r->end / NSEC_PER_SEC, 500); /* the gang ran all the time */
    done(&w);
}

TEST(queues_that_are_not_there_are_refused)
{
    struct err err = ERR_NONE;
    struct scenario *sc;
    static const struct {
        const char *text, *words;
    } bad[] = {
        {TWO "jobs: [{name: j, queue: c, requests: {gpu: 1}}]\n", "there is no queue \"c\""},
        {TWO "- {name: below, parentQueue: a}\njobs: [{name: j, queue: a, requests: {gpu: 1}}]\n", "without others below it"},
        {"nodes: [{name: node}]\nqueues: [{name: a, resources: {gpu: {quota: many}}}]\n", "t.yaml:2: queues[0]: spec.resources.gpu.quota"},
        {"nodes: [{name: node}]\nobjects: [{apiVersion: v1, kind: Secret, metadata: {name: x}}]\n", "objects[0]: a Secret means nothing here"},
    };
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        err = ERR_NONE;
        T_NO_ERR(scenario_parse(str_of(bad[i].text), S("t.yaml"), &sc, &err), &err);
        struct sim *sim = sim_new(profile_builtin(S("default")), &(struct sim_opts){.seed = 1}, &err);
        T_OK(sim_load(sim, sc, &err) < 0);
        if (str_find(str_of(err.msg), str_of(bad[i].words)) < 0)
            T_FAIL_("\"%s\", expected %s", err.msg, bad[i].words);
        sim_free(sim);
        scenario_free(sc);
    }
}

/* --- random worlds: books, engine and policy agree at every look; the same seed gives the same bytes ------------------------------------------------- */

static void random_scenario(struct strbuf *b, struct rng *rng)
{
    uint32_t nqueues = 2 + (uint32_t)rng_below(rng, 4);
    strbuf_addf(b, "seed: %u\ngrace: %us\nuntil: 2h\nnodes: [{name: node, count: %u, gpus: %u, cpu: 64}]\nqueues:\n- {name: top}\n", (unsigned)rng_below(rng, 1000), (unsigned)rng_below(rng, 30),
                1 + (unsigned)rng_below(rng, 4), 2 + (unsigned)rng_below(rng, 7));
    for (uint32_t i = 0; i < nqueues; i++)
        strbuf_addf(b, "- {name: q%u, parentQueue: top, resources: {gpu: {quota: %u, limit: %d}}}\n", i, (unsigned)rng_below(rng, 8), rng_below(rng, 4) ? -1 : 6);
    strbuf_add_str(b, S("jobs:\n"));
    for (uint32_t i = 0; i < 8; i++) {
        uint32_t replicas = 1 + (uint32_t)rng_below(rng, 3);
        strbuf_addf(b, "- {name: j%u, queue: q%u, count: %u, arrival: {poisson: %u/h}, duration: {exponential: %um}, checkpoint: %um, replicas: %u, minMember: %u, priority: %u, preemptible: %s, requests: {",
                    i, (unsigned)rng_below(rng, nqueues), 1 + (unsigned)rng_below(rng, 12), 1 + (unsigned)rng_below(rng, 60), 1 + (unsigned)rng_below(rng, 60), (unsigned)rng_below(rng, 20), replicas,
                    1 + (unsigned)rng_below(rng, replicas), (unsigned)rng_below(rng, 3) * 10, rng_below(rng, 5) ? "true" : "false");
        strbuf_addf(b, rng_below(rng, 4) ? "gpu: %u}}\n" : "gpuFraction: 0.%u}}\n", 1 + (unsigned)rng_below(rng, 4));
    }
    strbuf_add_str(b, S("- {name: plain, count: 5, arrival: {every: 7m}, duration: 10m, requests: {gpu: 1}}\n"));
}

static void json_of(const char *text, const char *setting, struct strbuf *b)
{
    ARENA_AUTO a = ARENA_INIT;
    struct world w = make(text, setting);
    struct err err = ERR_NONE;
    for (nsec_t at = 0; at <= 7200; at += 97) {
        T_NO_ERR(sim_run(w.sim, at * NSEC_PER_SEC, &err), &err);
        T_NO_ERR(sim_check(w.sim, &err), &err);
    }
    T_NO_ERR(sim_run(w.sim, INT64_MAX, &err), &err);
    struct report_run run = {.title = S("t"), .profile = S("p"), .s = sim_sched(w.sim)};
    report_explain(w.sim, &a, 10, &run);
    run.r = sim_result(w.sim);
    for (size_t i = 0; i < run.r->nqueues; i++) {
        const struct sim_queue *q = &run.r->queues[i];
        T_OK(q->met_s <= q->fair_s + 1 && q->met_s <= q->used_s + 1 && q->owed_max_s <= q->owed_s + 1e-6);
    }
    T_OK(run.r->fairness > 0 && run.r->fairness <= 1 + 1e-9);
    report_json(b, &run, 1);
    done(&w);
}

TEST(random_worlds_with_queues_keep_their_books)
{
    struct rng rng;
    rng_seed(&rng, 77);
    for (int i = 0; i < 60 && !test_failures_; i++) {
        STRBUF_AUTO text = STRBUF_HEAP;
        random_scenario(&text, &rng);
        strbuf_add_char(&text, '\0');
        const char *setting = sim_settings[i % 6].name;
        STRBUF_AUTO one = STRBUF_HEAP, two = STRBUF_HEAP;
        json_of(text.p, setting, &one);
        json_of(text.p, setting, &two);
        T_OK(one.len == two.len && memcmp(one.p, two.p, one.len) == 0);
        if (test_failures_)
            fprintf(stderr, "setting %s:\n%s\n", setting, text.p);
    }
}

/* --- traces and questions ------------------------------------------------------------------------------------------------------------------------------- */

TEST(virtual_clusters_are_queues)
{
    ARENA_AUTO a = ARENA_INIT;
    struct err err = ERR_NONE;
    static const char text[] = "timestamp,duration,num_gpus,gpu_time,cluster\n2017-10-09 00:00:00,300.0,1,300.0,big\n2017-10-09 00:00:00,50.0,2,100.0,small\n2017-10-09 00:00:10,0.0,1,0.0,tiny\n";
    struct sim *sim = sim_new(profile_builtin(S("default")), &(struct sim_opts){.seed = 1}, &err);
    struct input_philly_opts how = {.nodes = 2, .gpus_per_node = 4, .queues = true};
    T_NO_ERR(input_philly(sim, &a, str_of(text), S("t.csv"), &how, &err), &err);
    T_NO_ERR(sim_run(sim, INT64_MAX, &err), &err);
    const struct sim_result *r = sim_result(sim);
    T_EQ_INT(r->nqueues, 3);
    T_EQ_INT(r->queues[0].quota, 5000); /* 8 GPUs: 6 and 2 by time, one of the largest for the one who has none */
    T_EQ_INT(r->queues[1].quota, 2000);
    T_EQ_INT(r->queues[2].quota, 1000);
    T_EQ_INT(r->done, 3);
    sim_free(sim);
    sim = sim_new(profile_builtin(S("default")), &(struct sim_opts){.seed = 1}, &err);
    T_OK(input_philly(sim, &a, S("timestamp,duration,num_gpus,gpu_time,cluster\n2017-10-09 00:00:00,300.0,1,300.0,\n"), S("t.csv"), &how, &err) < 0);
    T_OK(str_find(str_of(err.msg), S("t.csv:2: cluster")) >= 0);
    sim_free(sim);
}

TEST(a_job_of_a_queue_is_asked_about_by_the_rules_of_queues)
{
    ARENA_AUTO a = ARENA_INIT;
    struct err err = ERR_NONE;
    struct input_shapes shapes;
    struct scenario_job job;
    struct whatif_answer x;
    struct world w = make(TWO "jobs:\n- {name: long, queue: a, count: 2, duration: 1000s, requests: {gpu: 2}}\n", "cox");
    T_NO_ERR(sim_run(w.sim, 50 * NSEC_PER_SEC, &err), &err);
    T_NO_ERR(whatif_shapes(w.sim, &a, w.sc, &shapes, &err), &err);
    T_NO_ERR(scenario_job_parse(&a, S("gang: {queue: b, requests: {gpu: 2}}"), S("q"), &job, &err), &err);
    T_NO_ERR(whatif_ask(w.sim, &a, &job, &shapes, true, &x, &err), &err);
    T_OK(!x.fits_now && x.can_evict && x.nvictims == 1 && x.starts && x.start == 60 * NSEC_PER_SEC);
    T_EQ_INT(x.needs[0].count, 1);
    T_EQ_INT(x.position, 1);
    T_NO_ERR(sim_check(w.sim, &err), &err);
    done(&w);
}

static struct sched_profile *usual(void *arg UNUSED)
{
    return profile_builtin(S("default"));
}

static struct world_answer ask_world(struct arena *a, const char *cluster, const char *changes)
{
    struct err err = ERR_NONE;
    struct input_items c, q;
    struct world_answer x = {0};
    struct world_opts opts = {.make_profile = usual, .sim = {.grace = 30 * NSEC_PER_SEC}};
    T_NO_ERR(input_items(a, str_of(cluster), S("c.yaml"), &c, &err), &err);
    T_NO_ERR(input_items(a, str_of(changes), S("q.yaml"), &q, &err), &err);
    T_NO_ERR(world_ask(a, &c, &q, &opts, &x, &err), &err);
    return x;
}

#define NODE(name) "---\n{apiVersion: v1, kind: Node, metadata: {name: " name "}, status: {allocatable: {cpu: '16', pods: '110', nvidia.com/gpu: '4'}}}\n"
#define QUEUE(name, quota) "---\n{apiVersion: scheduling.run.ai/v2, kind: Queue, metadata: {name: " name "}, spec: {resources: {gpu: {quota: " quota "}}}}\n"
#define POD(name, queue, more, gpus)                                                                                                                                        \
    "---\n{apiVersion: v1, kind: Pod, metadata: {name: " name ", creationTimestamp: '2026-01-01T00:00:00Z', labels: {kai.scheduler/queue: " queue "}}, spec: {" more                  \
    "containers: [{name: c, resources: {requests: {nvidia.com/gpu: " gpus "}}}]}, status: {phase: Running, startTime: '2026-01-01T00:00:00Z'}}\n"
#define CLUSTER NODE("n1") NODE("n2") QUEUE("a", "4") QUEUE("b", "4") POD("b1", "b", "nodeName: n1, activeDeadlineSeconds: 600, ", "4") POD("b2", "b", "nodeName: n2, ", "4")

TEST(a_world_with_changes_is_compared)
{
    ARENA_AUTO a = ARENA_INIT;
    STRBUF_AUTO b = STRBUF_HEAP;
    struct world_answer x = ask_world(&a, CLUSTER, POD("x", "a", "", "2") POD("z", "a", "", "2"));
    T_EQ_INT(x.work.n, 2);
    T_OK(x.work.p[0].start == WORLD_AFTER_EVICTION && x.work.p[0].at == 30 * NSEC_PER_SEC);
    T_EQ_INT(x.evicted.n, 1);
    x = ask_world(&a, CLUSTER, QUEUE("a", "0, overQuotaWeight: 0") POD("x", "a", "", "2"));
    T_OK(x.work.n == 1 && x.work.p[0].start == WORLD_AFTER_RUN_TIMES && x.work.p[0].at == 600 * NSEC_PER_SEC);
    T_OK(x.evicted.n == 0 && x.nchanges == 1);
    x = ask_world(&a, CLUSTER, "---\n{apiVersion: v1, kind: Node, metadata: {name: n1}, spec: {unschedulable: true}}\n" NODE("n3"));
    T_OK(x.evicted.n == 1 && str_is(x.evicted.p[0].name, "b1") && x.evicted.p[0].again && str_is(x.evicted.p[0].node, "n1"));
    x = ask_world(&a, CLUSTER, NODE("n3") POD("x", "a", "", "4"));
    T_OK(x.work.p[0].start == WORLD_NOW && str_is(x.work.p[0].node, "n3") && x.evicted.n == 0);
    x = ask_world(&a, CLUSTER, "---\n{apiVersion: batch/v1, kind: Job, metadata: {name: big, labels: {kai.scheduler/queue: a}}, spec: {parallelism: 3, template: {spec: {containers: [{name: c, "
                               "resources: {requests: {nvidia.com/gpu: 4}}}]}}}}\n" NODE("n0"));
    T_EQ_INT(x.work.n, 3);
    world_text(&b, &x);
    T_OK(str_find(strbuf_str(&b), S("default/big-0: ")) >= 0);
    strbuf_clear(&b);
    world_json(&b, &x);
    T_OK(str_find(strbuf_str(&b), S("\"work\":[{\"namespace\":\"default\",\"name\":\"big-0\",\"queue\":\"a\"")) >= 0);
}

TEST_MAIN(a_queue_takes_back_what_it_is_owed, checkpoints_keep_work, without_reclaim_a_guarantee_is_broken, in_one_line_nobody_overtakes_but_with_backfill,
          an_elastic_gang_grows_and_gives_its_surplus_first, queues_that_are_not_there_are_refused, random_worlds_with_queues_keep_their_books, virtual_clusters_are_queues,
          a_job_of_a_queue_is_asked_about_by_the_rules_of_queues, a_world_with_changes_is_compared)
