/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/sim.h"

#include <math.h>

#include "base/test.h"
#include "sim/inputs.h"
#include "sim/report.h"
#include "sim/whatif.h"

struct world {
    struct scenario *sc;
    struct sim *sim;
    const struct sim_result *r;
};

static struct world make(const char *text)
{
    struct world w = {0};
    struct err err = ERR_NONE;
    T_NO_ERR(scenario_parse(str_of(text), S("t.yaml"), &w.sc, &err), &err);
    struct sim_opts opts = {.seed = w.sc->seed, .until = w.sc->until, .grace = w.sc->grace, .sample = w.sc->sample};
    w.sim = sim_new(profile_builtin(S("default")), &opts, &err);
    T_NO_ERR(sim_load(w.sim, w.sc, &err), &err);
    return w;
}
static struct world run(const char *text)
{
    struct world w = make(text);
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
    const struct sim_pod *p = pod(w, name);
    return p->first_start < 0 ? -1 : p->first_start / NSEC_PER_SEC;
}

/* No node ever holds more than it has: looked at whenever a run begins, from the list of runs alone. */
static void check_capacity(const struct world *w)
{
    const struct sim_result *r = w->r;
    for (size_t i = 0; i < r->nruns; i++) {
        const struct sim_run *a = &r->runs[i];
        int64_t cpu = 0, memory = 0, gpu = 0, milli[GPU_MAX] = {0};
        for (size_t k = 0; k < r->nruns; k++) {
            const struct sim_run *b = &r->runs[k];
            if (b->node != a->node || b->from > a->from || (b->to >= 0 && b->to <= a->from))
                continue;
            cpu += b->cpu_milli;
            memory += b->memory;
            gpu += b->gpu_milli;
            for (unsigned g = 0; g < GPU_MAX; g++)
                milli[g] += b->gpu_mask >> g & 1 ? b->gpu_milli / __builtin_popcount(b->gpu_mask) : 0;
        }
        const struct sim_node *n = &r->nodes[a->node];
        T_OK(cpu <= n->capacity[SIM_CPU] && memory <= n->capacity[SIM_MEMORY] && gpu <= n->capacity[SIM_GPU]);
        for (unsigned g = 0; g < GPU_MAX; g++)
            T_OK(milli[g] <= GPU_MILLI);
    }
}

TEST(jobs_wait_their_turn)
{
    /* one node of 2 cores; three jobs of 2 cores and 10 s, all at once: at 0, 10 and 20 s; a back-off of 1 s and more moves a start to the end of it */
    struct world w = run("nodes: [{name: a, cpu: 2}]\njobs: [{name: j, count: 3, duration: 10s, requests: {cpu: 2}}]\n");
    T_EQ_INT(start_s(&w, "j-0"), 0);
    T_EQ_INT(start_s(&w, "j-1"), 10);
    T_EQ_INT(start_s(&w, "j-2"), 20);
    T_EQ_INT(w.r->end / NSEC_PER_SEC, 30);
    T_EQ_INT(w.r->done, 3);
    T_OK(fabs(w.r->mean_used[RES_CPU] - 1) < 1e-9);
    T_OK(fabs(w.r->waits.mean - 10) < 1e-9);
    T_EQ_INT(w.r->waits.p50, 10);
    T_EQ_INT(w.r->waits.p99, 20);
    done(&w);
}

TEST(sums_over_time_are_exact)
{
    /* 4 cores: 1 for 100 s from 0, 2 for 50 s from 50 s; until 200 s: (100 + 100) / 800 */
    struct world w = run("until: 200s\nnodes: [{name: a, cpu: 4, memory: 1Gi}]\njobs:\n- {name: x, duration: 100s, requests: {cpu: 1, memory: 512Mi}}\n"
                         "- {name: z, arrival: 50s, duration: 50s, requests: {cpu: 2}}\n");
    T_EQ_INT(w.r->end / NSEC_PER_SEC, 200);
    T_OK(fabs(w.r->mean_used[RES_CPU] - 0.25) < 1e-9);
    T_OK(fabs(w.r->peak_used[RES_CPU] - 0.75) < 1e-9);
    T_OK(fabs(w.r->mean_used[RES_MEMORY] - 0.25) < 1e-9);
    T_OK(fabs(w.r->nodes[0].used_s[SIM_CPU] - 200000) < 1e-6);
    T_OK(w.r->shown[RES_CPU] && w.r->shown[RES_MEMORY] && !w.r->shown[RES_GPU]);
    /* samples: every 200/240 s, and one at the end */
    T_EQ_INT(w.r->samples[w.r->nsamples - 1].at, w.r->end);
    T_OK(w.r->nsamples >= 200 && w.r->nsamples <= SIM_SAMPLES);
    done(&w);
}

TEST(a_gang_starts_whole_and_ends_together)
{
    struct world w = run("nodes: [{name: a, count: 2, cpu: 2}]\njobs:\n- {name: one, duration: 100s, requests: {cpu: 2}}\n"
                         "- {name: gang, arrival: 1s, duration: 60s, replicas: 4, requests: {cpu: 1}}\n- {name: loose, arrival: 300s, duration: 10s, replicas: 6, minMember: 2, requests: {cpu: 1}}\n");
    for (int i = 0; i < 4; i++) {
        char name[16];
        snprintf(name, sizeof name, "gang-%d", i);
        T_EQ_INT(start_s(&w, name), 100);
    }
    /* of six with a minimum of two, four fit; the two others are not needed any more when the gang ends */
    T_EQ_INT(w.r->kinds[2].placed, 4);
    T_EQ_INT(w.r->kinds[2].done, 4);
    T_EQ_INT(w.r->dropped, 2);
    T_EQ_INT(w.r->waiting, 0);
    T_EQ_INT(w.r->end / NSEC_PER_SEC, 310);
    done(&w);
}

TEST(the_evicted_lose_their_work_and_come_again)
{
    struct world w = run("grace: 30s\nnodes: [{name: a, cpu: 4}]\njobs:\n- {name: low, duration: 100s, requests: {cpu: 3}}\n- {name: high, arrival: 40s, duration: 50s, priority: 5, requests: {cpu: 3}}\n");
    T_EQ_INT(start_s(&w, "low"), 0);
    T_EQ_INT(start_s(&w, "high"), 70); /* the room comes with the end of the grace */
    T_EQ_INT(w.r->evictions, 1);
    T_EQ_INT(w.r->runs[0].end, SIM_EVICTED);
    T_EQ_INT(w.r->runs[0].to / NSEC_PER_SEC, 70);
    T_OK(fabs(w.r->lost_s - 70) < 1e-9);
    T_EQ_INT(w.r->runs[2].pod, w.r->runs[0].pod);
    T_EQ_INT(w.r->runs[2].from / NSEC_PER_SEC, 120);
    T_EQ_INT(w.r->done, 2);
    T_EQ_INT(w.r->end / NSEC_PER_SEC, 220);
    check_capacity(&w);
    done(&w);
}

TEST(a_gang_below_its_minimum_stops_whole)
{
    struct world w = run("grace: 10s\nnodes: [{name: a, count: 2, cpu: 4}]\njobs:\n- {name: gang, duration: 1000s, replicas: 2, requests: {cpu: 3}}\n"
                         "- {name: high, arrival: 100s, duration: 50s, priority: 5, requests: {cpu: 3}}\n");
    uint32_t stopped = 0, evicted = 0;
    for (size_t i = 0; i < w.r->nruns; i++) {
        stopped += w.r->runs[i].end == SIM_STOPPED;
        evicted += w.r->runs[i].end == SIM_EVICTED;
    }
    T_EQ_INT(evicted + stopped, 2);
    T_OK(evicted >= 1);
    T_EQ_INT(start_s(&w, "high"), 110);
    T_EQ_INT(w.r->done, 3);
    T_EQ_INT(w.r->end / NSEC_PER_SEC, 160 + 1000);
    check_capacity(&w);
    done(&w);
}

TEST(nodes_come_and_go)
{
    struct world w = run("until: 1000s\nnodes: [{name: a, count: 2, cpu: 2}]\njobs:\n- {name: stay, count: 2, requests: {cpu: 2}}\n- {name: late, arrival: 250s, requests: {cpu: 1}}\n"
                         "events:\n- {at: 100s, remove: a-0}\n- {at: 200s, add: {template: a}}\n- {at: 240s, cordon: 'a-*'}\n- {at: 300s, delete: stay-0}\n- {at: 400s, uncordon: 'a-*'}\n");
    T_EQ_INT(w.r->nnodes, 3);
    T_EQ_INT(w.r->nodes[0].removed / NSEC_PER_SEC, 100);
    T_EQ_STR(w.r->nodes[2].name, "a-2");
    uint32_t moved = 0;
    for (size_t i = 0; i < w.r->nruns; i++)
        if (w.r->runs[i].end == SIM_NODE_GONE) {
            T_EQ_INT(w.r->runs[i].to / NSEC_PER_SEC, 100);
            moved = w.r->runs[i].pod;
        }
    T_OK(w.r->runs[2].pod == moved && w.r->runs[2].from / NSEC_PER_SEC == 200);
    /* nothing is placed while all nodes are cordoned, although there is room from 300 s on */
    T_EQ_INT(start_s(&w, "late"), 400);
    T_EQ_INT(w.r->running, 2);
    T_EQ_INT(w.r->dropped, 1);
    done(&w);
}

TEST(a_job_that_was_deleted_never_comes)
{
    struct world w = run("nodes: [{name: a}]\njobs: [{name: j, count: 3, arrival: {every: 10s}, duration: 5s}]\nevents: [{at: 8s, delete: j}]\n");
    T_EQ_INT(w.r->npods, 1);
    T_EQ_INT(w.r->done, 1);
    done(&w);
}

TEST(samples_thin_out)
{
    struct world w = run("nodes: [{name: a, cpu: 1}]\nsample: 1s\njobs: [{name: j, count: 50, arrival: {every: 200s}, duration: 100s, requests: {cpu: 1}}]\n");
    T_OK(w.r->nsamples <= SIM_SAMPLES + 1 && w.r->nsamples > SIM_SAMPLES / 2);
    T_EQ_INT(w.r->interval, 32 * NSEC_PER_SEC);
    for (size_t i = 1; i < w.r->nsamples; i++)
        T_OK(w.r->samples[i].at > w.r->samples[i - 1].at);
    double sum = 0;
    for (size_t i = 0; i < w.r->nsamples; i++)
        sum += w.r->samples[i].used[RES_CPU];
    /* a node that is busy half of the time */
    T_OK(fabs(sum / (double)w.r->nsamples - 0.5) < 0.05);
    done(&w);
}

TEST(fragmentation_is_what_nobody_can_use)
{
    /* 2 nodes of 4 cores, each with 3 used: a pod of 2 cores fits nowhere, one of 1 fits.  Half of the pods want 2, half 1. */
    struct world w = run("until: 10s\nnodes: [{name: a, count: 2, cpu: 4}]\njobs:\n- {name: base, count: 2, requests: {cpu: 3}}\n"
                         "- {name: two, count: 2, arrival: 5s, requests: {cpu: 2}}\n");
    T_OK(fabs(w.r->samples[w.r->nsamples - 1].fragmentation - 1) < 1e-9);
    done(&w);
    w = run("until: 10s\nnodes: [{name: a, count: 2, cpu: 4}]\njobs:\n- {name: base, count: 2, requests: {cpu: 3}}\n- {name: one, count: 2, arrival: 20s, requests: {cpu: 1}}\n");
    T_OK(fabs(w.r->samples[w.r->nsamples - 1].fragmentation - 0.5) < 1e-9);
    done(&w);
}

/* --- by chance ----------------------------------------------------------------------------------------------------------------------------------------- */

static void random_scenario(struct strbuf *b, struct rng *rng)
{
    strbuf_addf(b, "seed: %u\ngrace: %us\nnodes:\n", (unsigned)rng_below(rng, 1000), (unsigned)rng_below(rng, 40));
    strbuf_addf(b, "- {name: a, count: %u, cpu: 8, memory: 16Gi, zones: 2}\n", (unsigned)rng_below(rng, 4) + 1);
    strbuf_addf(b, "- {name: g, count: %u, cpu: 16, memory: 64Gi, gpus: 4, gpuMemory: 16Gi, taints: ['gpu:PreferNoSchedule'], zones: 2}\njobs:\n", (unsigned)rng_below(rng, 4) + 1);
    static const char *const arrivals[] = {"0s", "{every: 17s}", "{poisson: 5/m}", "{burst: {size: 3, every: 1m}, from: 30s}"};
    static const char *const durations[] = {"90s", "{uniform: [10s, 300s]}", "{exponential: 2m}"};
    static const char *const wants[] = {"cpu: 1", "cpu: 3, memory: 5Gi", "cpu: 2, gpu: 1", "gpuFraction: 0.3", "cpu: 4, gpu: 2", "cpu: 1, gpuMemory: 6Gi", "memory: 9Gi"};
    static const char *const extras[] = {"", ", spread: {topology: zone, maxSkew: 2}", ", antiAffinity: host", ", affinity: zone", ", topology: {required: zone}", ", neverPreempts: true"};
    for (unsigned j = 0; j < 5; j++) {
        unsigned replicas = (unsigned)rng_below(rng, 4) + 1;
        strbuf_addf(b, "- {name: j%u, count: %u, arrival: %s, duration: %s, replicas: %u, minMember: %u, priority: %u, requests: {%s}%s}\n", j, (unsigned)rng_below(rng, 12) + 1,
                    arrivals[rng_below(rng, ARRAY_LEN(arrivals))], durations[rng_below(rng, ARRAY_LEN(durations))], replicas, (unsigned)rng_below(rng, replicas + 1), (unsigned)rng_below(rng, 3),
                    wants[rng_below(rng, ARRAY_LEN(wants))], extras[rng_below(rng, ARRAY_LEN(extras))]);
    }
    strbuf_add_str(b, S("events:\n- {at: 100s, cordon: a-0}\n- {at: 150s, remove: g-0}\n- {at: 200s, add: {template: g, count: 2}}\n- {at: 250s, uncordon: a-0}\n- {at: 260s, delete: j3}\n"));
}

static void json_of(struct world *w, struct strbuf *b)
{
    ARENA_AUTO a = ARENA_INIT;
    struct report_run x = {.title = S("t"), .profile = S("default"), .seed = w->sc->seed, .s = sim_sched(w->sim)};
    report_explain(w->sim, &a, 20, &x);
    x.r = sim_result(w->sim);
    report_json(b, &x, 1);
}

TEST(random_worlds_keep_their_books)
{
    struct rng rng;
    for (unsigned seed = 1; seed <= 40; seed++) {
        STRBUF_AUTO text = STRBUF_HEAP;
        STRBUF_AUTO first = STRBUF_HEAP;
        STRBUF_AUTO second = STRBUF_HEAP;
        struct err err = ERR_NONE;
        rng_seed(&rng, seed);
        random_scenario(&text, &rng);
        struct world w = make(strbuf_cstr(&text));
        for (nsec_t at = 0; at <= 400; at += 25) {
            T_NO_ERR(sim_run(w.sim, at * NSEC_PER_SEC, &err), &err);
            T_NO_ERR(sim_check(w.sim, &err), &err);
        }
        T_NO_ERR(sim_run(w.sim, INT64_MAX, &err), &err);
        T_NO_ERR(sim_check(w.sim, &err), &err);
        w.r = sim_result(w.sim);
        check_capacity(&w);
        T_EQ_INT(w.r->waiting + w.r->running + w.r->done + w.r->dropped, w.r->npods);
        done(&w);
        /* in one go or in steps, now or again: the same */
        for (int i = 0; i < 2; i++) {
            w = run(strbuf_cstr(&text));
            json_of(&w, i ? &second : &first);
            done(&w);
        }
        T_OK(str_eq(strbuf_str(&first), strbuf_str(&second)));
        if (test_failures_) {
            T_FAIL_("seed %u:\n%s", seed, strbuf_cstr(&text));
            return;
        }
    }
}

/* --- other inputs -------------------------------------------------------------------------------------------------------------------------------------------- */

TEST(every_workload_runs_small)
{
    for (const struct gen_workload *w = gen_workloads; w->name; w++) {
        /* as full as its own scale makes the nodes, or emptier */
        uint32_t nodes = MIN(w->nodes, 200u);
        struct gen_scale scale = {nodes, (uint32_t)((uint64_t)w->init * nodes / w->nodes), (uint32_t)MIN((uint64_t)w->measured * nodes / w->nodes, 4000ull), 1};
        struct sim_opts opts = {.seed = 1};
        struct err err = ERR_NONE;
        struct sim *sim = sim_new(profile_builtin(S("default")), &opts, &err);
        T_NO_ERR(input_generator(sim, w, &scale, &err), &err);
        T_NO_ERR(sim_check(sim, &err), &err);
        const struct sim_result *r = sim_result(sim);
        const struct sim_kind *measured = &r->kinds[r->nkinds - 1];
        T_EQ_STR(measured->name, "measured");
        T_EQ_INT(measured->pods, scale.measured);
        T_EQ_INT(measured->placed, w->outcome == GEN_ALL_PLACED ? scale.measured : 0);
        if (test_failures_)
            T_FAIL_("in %s", w->name);
        sim_free(sim);
    }
}

TEST(philly_lines_become_gangs)
{
    static const char text[] = "timestamp,duration,num_gpus,gpu_time,cluster\n2017-10-09 00:00:10,100.0,16,1600,a\n2017-10-09 00:00:00,50,1,50,a\n2017-10-09 00:00:20,5,8,40,b\n";
    ARENA_AUTO a = ARENA_INIT;
    struct sim_opts opts = {.seed = 1};
    struct err err = ERR_NONE;
    struct sim *sim = sim_new(profile_builtin(S("default")), &opts, &err);
    struct input_philly_opts how = {.nodes = 2, .gpus_per_node = 8};
    T_NO_ERR(input_philly(sim, &a, str_of(text), S("p.csv"), &how, &err), &err);
    T_NO_ERR(sim_run(sim, INT64_MAX, &err), &err);
    const struct sim_result *r = sim_result(sim);
    T_EQ_INT(r->npods, 4);
    T_EQ_INT(r->done, 4);
    /* the job of 16 GPUs waits for the one that runs till 50 s; that of 8 finds a free node at 20 s */
    T_EQ_INT(r->jobs[1].npods, 2);
    T_EQ_INT(r->jobs[1].start / NSEC_PER_SEC, 50);
    T_EQ_INT(r->jobs[2].start / NSEC_PER_SEC, 20);
    sim_free(sim);
    static const struct {
        const char *text, *want;
    } bad[] = {{"a,b\n", "p.csv:1: the columns must be timestamp,duration,num_gpus,..."},
               {"timestamp,duration,num_gpus\nx,1,1\n", "p.csv:2: timestamp: not a time such as 2017-10-09 07:01:55: \"x\""},
               {"timestamp,duration,num_gpus\n\n2017-10-09 00:00:10,-1,1\n", "p.csv:3: duration: not a number of seconds: \"-1\""},
               {"timestamp,duration,num_gpus\n2017-10-09 00:00:10,1,\n", "p.csv:2: num_gpus: not a whole number from 1 to 4096: \"\""},
               {"timestamp,duration,num_gpus\n2017-10-09 00:00:10,1,1.5\n", "p.csv:2: num_gpus: not a whole number from 1 to 4096: \"1.5\""},
               {"timestamp,duration,num_gpus\n1017-10-09 00:00:10,1,1\n", "p.csv:2: timestamp: not a time such as 2017-10-09 07:01:55: \"1017-10-09 00:00:10\""}};
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        sim = sim_new(profile_builtin(S("default")), &opts, &err);
        T_ERR(input_philly(sim, &a, str_of(bad[i].text), S("p.csv"), &how, &err), E_INVALID);
        T_EQ_STR(str_of(err.msg), bad[i].want);
        sim_free(sim);
    }
}

#define DUMP                                                                                                                                               \
    "{\"kind\":\"List\",\"items\":["                                                                                                                       \
    "{\"kind\":\"Node\",\"metadata\":{\"name\":\"n1\",\"labels\":{\"node.kubernetes.io/instance-type\":\"m5\",\"kubernetes.io/hostname\":\"n1\"}},"         \
    "\"status\":{\"allocatable\":{\"cpu\":\"4\",\"memory\":\"8Gi\",\"pods\":\"110\"}}},"                                                                   \
    "{\"kind\":\"Node\",\"metadata\":{\"name\":\"n2\",\"labels\":{\"node.kubernetes.io/instance-type\":\"m5\",\"kubernetes.io/hostname\":\"n2\"}},"         \
    "\"status\":{\"allocatable\":{\"cpu\":\"4\",\"memory\":\"8Gi\",\"pods\":\"110\"}}},"                                                                   \
    "{\"kind\":\"Pod\",\"metadata\":{\"name\":\"web\",\"namespace\":\"default\"},\"spec\":{\"nodeName\":\"n1\",\"containers\":[{\"name\":\"c\",\"resources\":{\"requests\":{\"cpu\":\"3\"}}}]},\"status\":{\"phase\":\"Running\"}},"   \
    "{\"kind\":\"Pod\",\"metadata\":{\"name\":\"waits\",\"namespace\":\"default\"},\"spec\":{\"containers\":[{\"name\":\"c\",\"resources\":{\"requests\":{\"cpu\":\"2\"}}}]},\"status\":{\"phase\":\"Pending\"}},"                      \
    "{\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"x\"}}]}"

#define BIG_POD(name, created, more) "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"" name "\",\"namespace\":\"d\",\"creationTimestamp\":\"2026-01-01T00:0" created ":00Z\"" more "}"
#define BIG_SPEC ",\"containers\":[{\"name\":\"c\",\"resources\":{\"requests\":{\"cpu\":\"4\"}}}]}"
#define ONE_NODE(name) "{\"kind\":\"Node\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"" name "\"},\"status\":{\"allocatable\":{\"cpu\":\"4\",\"memory\":\"8Gi\",\"pods\":\"9\"}}},"
static const struct sim_result *dumped(struct arena *a, str text, struct sim **ret)
{
    struct sim_opts opts = {.seed = 0, .grace = NSEC_PER_SEC};
    struct err err = ERR_NONE;
    struct input_shapes shapes;
    *ret = sim_new(profile_builtin(S("default")), &opts, &err);
    T_NO_ERR(input_dump(*ret, a, text, S("d.json"), &shapes, &err), &err);
    T_NO_ERR(sim_run(*ret, INT64_MAX, &err), &err);
    T_NO_ERR(sim_check(*ret, &err), &err);
    return sim_result(*ret);
}

/* One that is being deleted goes, nothing comes in its place, and then there is room; those created first wait first. */
TEST(deleted_pods_of_a_dump_go)
{
    ARENA_AUTO a = ARENA_INIT;
    struct sim *sim;
    const struct sim_result *r = dumped(&a, S("{\"kind\":\"List\",\"items\":[" ONE_NODE("n1") BIG_POD("going", "1", ",\"deletionTimestamp\":\"2026-01-01T00:09:00Z\"},\"spec\":{\"nodeName\":\"n1\"" BIG_SPEC) ","
                                            BIG_POD("a", "3", "},\"spec\":{\"priority\":0" BIG_SPEC) "," BIG_POD("b", "2", "},\"spec\":{\"priority\":0" BIG_SPEC) ","
                                            BIG_POD("lost", "2", "},\"spec\":{\"nodeName\":\"elsewhere\"" BIG_SPEC) "]}"), &sim);
    T_EQ_INT(r->npods, 3); /* of what is on unknown nodes nothing is told */
    for (size_t i = 0; i < r->npods; i++)
        T_EQ_INT(r->pods[i].state, str_is(r->pods[i].name, "going") ? SIM_DROPPED : str_is(r->pods[i].name, "b") ? SIM_RUNNING : SIM_WAITING);
    sim_free(sim);
}

/* What ails a node now does not ail a new one of its kind. */
TEST(new_nodes_are_healthy)
{
    ARENA_AUTO a = ARENA_INIT;
    struct sim_opts opts = {.seed = 0, .grace = NSEC_PER_SEC};
    struct err err = ERR_NONE;
    struct input_shapes shapes;
    struct scenario_job job;
    struct whatif_answer x;
    struct sim *sim = sim_new(profile_builtin(S("default")), &opts, &err);
    T_NO_ERR(input_dump(sim, &a, S("kind: Node\napiVersion: v1\nmetadata: {name: n1}\nspec: {taints: [{key: node.kubernetes.io/not-ready, effect: NoSchedule}]}\n"
                                   "status: {allocatable: {cpu: 4, memory: 8Gi, pods: 9}}\n"), S("d.yaml"), &shapes, &err), &err);
    T_NO_ERR(scenario_job_parse(&a, S("gang: {replicas: 3, requests: {cpu: 2}}"), S("q"), &job, &err), &err);
    T_NO_ERR(whatif_ask(sim, &a, &job, &shapes, false, &x, &err), &err);
    T_OK(!x.fits_now);
    T_EQ_INT(x.needs[0].count, 2);
    sim_free(sim);
}

/* Of two equal victims the one that started later goes. */
TEST(pods_of_a_dump_keep_their_start)
{
    ARENA_AUTO a = ARENA_INIT;
    struct sim *sim;
    const struct sim_result *r = dumped(&a, S("{\"kind\":\"List\",\"items\":[" ONE_NODE("n1") ONE_NODE("n2")
        BIG_POD("old", "1", "},\"status\":{\"phase\":\"Running\",\"startTime\":\"2026-01-01T00:01:00Z\"},\"spec\":{\"nodeName\":\"n1\"" BIG_SPEC) ","
        BIG_POD("new", "1", "},\"status\":{\"phase\":\"Running\",\"startTime\":\"2026-01-01T00:02:00Z\"},\"spec\":{\"nodeName\":\"n2\"" BIG_SPEC) ","
        BIG_POD("high", "2", "},\"spec\":{\"priority\":9" BIG_SPEC) "]}"), &sim);
    for (size_t i = 0; i < r->npods; i++)
        T_EQ_INT(r->pods[i].evictions, str_has_prefix(r->pods[i].name, S("new")) ? 1 : 0);
    sim_free(sim);
}

TEST(a_dump_is_taken_over)
{
    ARENA_AUTO a = ARENA_INIT;
    struct sim_opts opts = {.seed = 0, .grace = NSEC_PER_SEC};
    struct err err = ERR_NONE;
    struct sim *sim = sim_new(profile_builtin(S("default")), &opts, &err);
    struct input_shapes shapes;
    T_NO_ERR(input_dump(sim, &a, S(DUMP), S("d.json"), &shapes, &err), &err);
    T_NO_ERR(sim_run(sim, INT64_MAX, &err), &err);
    T_NO_ERR(sim_check(sim, &err), &err);
    const struct sim_result *r = sim_result(sim);
    T_EQ_INT(r->npods, 2);
    T_EQ_INT(r->running, 2);
    T_EQ_INT(shapes.n, 1);
    T_EQ_STR(shapes.p[0].name, "m5");
    T_EQ_INT(shapes.p[0].count, 2);
    for (size_t i = 0; i < r->nruns; i++)
        T_EQ_STR(r->nodes[r->runs[i].node].name, str_is(r->pods[r->runs[i].pod].name, "web") ? "n1" : "n2");

    struct scenario_job gang;
    struct whatif_answer x;
    T_NO_ERR(scenario_job_parse(&a, S("gang: {replicas: 3, requests: {cpu: 2}}"), S("q"), &gang, &err), &err);
    T_NO_ERR(whatif_ask(sim, &a, &gang, &shapes, false, &x, &err), &err);
    T_OK(!x.fits_now && !x.start_known);
    T_EQ_INT(x.nneeds, 1);
    T_EQ_INT(x.needs[0].count, 1); /* one fits beside what waits now, two on a new node */
    T_OK(x.can_evict_at_top && !x.can_evict);
    T_NO_ERR(sim_check(sim, &err), &err);
    sim_free(sim);
}

/* --- what if -------------------------------------------------------------------------------------------------------------------------------------------------- */

static struct whatif_answer ask(struct world *w, struct arena *a, nsec_t at_s, const char *question)
{
    struct err err = ERR_NONE;
    struct whatif_answer x = {0};
    struct input_shapes shapes;
    struct scenario_job *gang = arena_new(a, struct scenario_job);
    T_NO_ERR(scenario_job_parse(a, str_of(question), S("q"), gang, &err), &err);
    T_NO_ERR(sim_run(w->sim, at_s * NSEC_PER_SEC, &err), &err);
    T_NO_ERR(whatif_shapes(w->sim, a, w->sc, &shapes, &err), &err);
    T_NO_ERR(whatif_ask(w->sim, a, gang, &shapes, true, &x, &err), &err);
    T_NO_ERR(sim_check(w->sim, &err), &err);
    return x;
}

#define BUSY "grace: 10s\nnodes: [{name: a, count: 2, cpu: 4}, {name: tiny, cpu: 1}]\njobs:\n- {name: low, count: 2, duration: 100s, requests: {cpu: 3}}\n"

TEST(what_fits_is_said_to_fit)
{
    ARENA_AUTO a = ARENA_INIT;
    struct world w = make(BUSY);
    struct whatif_answer x = ask(&w, &a, 20, "gang: {replicas: 3, requests: {cpu: 1}}");
    T_OK(x.fits_now && x.starts && x.start == 20 * NSEC_PER_SEC);
    T_EQ_INT(x.nplaces, 3);
    T_EQ_INT(x.nvictims, 0);
    done(&w);
}

TEST(what_does_not_fit_is_explained)
{
    ARENA_AUTO a = ARENA_INIT;
    struct world w = make(BUSY);
    struct whatif_answer x = ask(&w, &a, 20, "gang: {replicas: 5, requests: {cpu: 2}}");
    T_OK(!x.fits_now && x.why.len > 0);
    T_OK(x.start_known && !x.starts); /* five of 2 cores never fit on two nodes of 4 */
    T_OK(!x.can_evict && !x.can_evict_at_top);
    T_EQ_INT(x.needs[0].count, 3); /* two a node, and nothing fits beside what runs */
    T_EQ_INT(x.needs[1].count, 0); /* no number of tiny ones */
    done(&w);
    w = make(BUSY);
    x = ask(&w, &a, 20, "gang: {replicas: 4, requests: {cpu: 2}}");
    T_OK(x.starts && x.start == 100 * NSEC_PER_SEC);
    T_OK(!x.can_evict && x.can_evict_at_top && x.nvictims == 2);
    T_EQ_INT(x.needs[0].count, 2);
    done(&w);
    w = make(BUSY);
    x = ask(&w, &a, 20, "gang: {replicas: 4, priority: 9, requests: {cpu: 2}}");
    T_OK(x.can_evict && x.nvictims == 2);
    T_OK(x.starts && x.start == 30 * NSEC_PER_SEC);
    STRBUF_AUTO b = STRBUF_HEAP;
    whatif_text(&b, &x);
    T_OK(str_find(strbuf_str(&b), S("starts         at 30s, after waiting 10s\n")) >= 0);
    T_OK(str_find(strbuf_str(&b), S("low-0 on a-")) >= 0);
    T_OK(str_find(strbuf_str(&b), S("nodes needed   2 more like a\n")) >= 0);
    done(&w);
}

TEST(asking_changes_nothing)
{
    /* the same run with and without the question before it, but for the gang itself, which wants what nobody has */
    ARENA_AUTO a = ARENA_INIT;
    struct world w = make(BUSY), plain = run(BUSY);
    struct whatif_answer x = ask(&w, &a, 20, "gang: {replicas: 2, requests: {cpu: 9}}");
    T_OK(!x.starts);
    w.r = sim_result(w.sim);
    T_EQ_INT(w.r->nnodes, plain.r->nnodes);
    T_EQ_INT(w.r->end, plain.r->end);
    for (size_t i = 0; i < plain.r->nruns; i++)
        T_OK(w.r->runs[i].from == plain.r->runs[i].from && w.r->runs[i].to == plain.r->runs[i].to && w.r->runs[i].node == plain.r->runs[i].node);
    done(&w);
    done(&plain);
}

/* 250 years and 250 years are more than nanoseconds can count: what ends after all time never ends. */
TEST(an_end_beyond_all_time_never_comes)
{
    struct world w = run("nodes: [{name: a, cpu: 4}]\njobs:\n- {name: late, arrival: 91000d, duration: 91000d, requests: {cpu: 1}}\n");
    T_EQ_INT(w.r->npods, 1);
    T_EQ_INT(start_s(&w, "late"), 91000ll * 86400);
    T_EQ_INT(w.r->done, 0);
    T_EQ_INT(w.r->running, 1);
    done(&w);
}

TEST_MAIN(an_end_beyond_all_time_never_comes, jobs_wait_their_turn, sums_over_time_are_exact, a_gang_starts_whole_and_ends_together, the_evicted_lose_their_work_and_come_again, a_gang_below_its_minimum_stops_whole,
          nodes_come_and_go, a_job_that_was_deleted_never_comes, samples_thin_out, fragmentation_is_what_nobody_can_use, random_worlds_keep_their_books, every_workload_runs_small,
          philly_lines_become_gangs, a_dump_is_taken_over, deleted_pods_of_a_dump_go, new_nodes_are_healthy, pods_of_a_dump_keep_their_start, what_fits_is_said_to_fit, what_does_not_fit_is_explained, asking_changes_nothing)
