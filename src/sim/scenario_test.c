/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/scenario.h"

#include "base/test.h"

#define NODE "nodes: [{name: a}]\n"

static struct scenario *parse(const char *text)
{
    struct scenario *sc = NULL;
    struct err err = ERR_NONE;
    T_NO_ERR(scenario_parse(str_of(text), S("s.yaml"), &sc, &err), &err);
    return sc;
}

static void check_error(const char *text, const char *want)
{
    struct scenario *sc = NULL;
    struct err err = ERR_NONE;
    int r = scenario_parse(str_of(text), S("s.yaml"), &sc, &err);
    if (r >= 0)
        T_FAIL_("no error for:\n%s", text);
    else
        T_EQ_STR(str_of(err.msg), want);
    scenario_free(r >= 0 ? sc : NULL);
}

TEST(a_whole_scenario_is_read)
{
    struct scenario *sc = parse("name: x\nseed: 5\nuntil: 1h30m\ngrace: 10s\nsample: 500ms\nprofile: binpack\n"
                                "nodes:\n- {name: a, count: 3, cpu: 2.5, memory: 1Gi, pods: 5, storage: 2G, gpus: 4, gpuModel: T4, gpuMemory: 16Gi, bandwidth: {egress: 10G}, labels: {disk: ssd},\n"
                                "   taints: ['gpu=only:NoSchedule', 'x:NoExecute'], zones: 2, spread: {rack: 3}, numa: {zones: 2, single: true}, resources: {example.com/x: 2}}\n"
                                "jobs:\n- name: j\n  count: 2\n  arrival: {every: 5m, from: 1h}\n  duration: {uniform: [1m, 2m]}\n  replicas: 3\n  minMember: 2\n  priority: -5\n"
                                "  requests: {cpu: 500m, memory: 1Mi, gpuFraction: 0.5, bandwidth: 1M}\n  tolerations: ['gpu=only:NoSchedule', gpu, '*']\n  affinity: zone\n"
                                "  antiAffinity: [{match: {app: db}, topology: host, weight: 3}]\n  spread: {topology: zone, maxSkew: 2, soft: true}\n  topology: {required: rack}\n"
                                "events:\n- {at: 1h, cordon: a-0}\n- {at: 2h, add: {template: a, count: 2}}\n- {at: 3h, delete: [j, j-1]}\n");
    T_EQ_INT(sc->until, 5400 * NSEC_PER_SEC);
    T_EQ_INT(sc->sample, 500 * NSEC_PER_MSEC);
    const struct scenario_template *t = &sc->templates[0];
    T_EQ_INT(t->cpu_milli, 2500);
    T_EQ_INT(t->memory, 1ll << 30);
    T_EQ_INT(t->bandwidth.egress, 10000000000ll);
    T_EQ_INT(t->bandwidth.ingress, 0);
    T_EQ_INT(t->ntaints, 2);
    T_EQ_STR(t->taints[0].value, "only");
    T_EQ_INT(t->taints[1].effect, TAINT_NO_EXECUTE);
    T_EQ_INT(t->nspread, 2);
    T_EQ_INT(t->numa, 2);
    const struct scenario_job *j = &sc->jobs[0];
    T_EQ_INT(j->arrival.kind, ARRIVE_EVERY);
    T_EQ_INT(j->requests.gpu_milli, 500);
    T_EQ_INT(j->requests.gpus, 1);
    T_EQ_INT(j->requests.bandwidth.ingress, 1000000);
    T_EQ_INT(j->priority, -5);
    T_EQ_INT(j->ntolerations, 3);
    T_EQ_INT(j->tolerations[1].op, TOLERATE_EXISTS);
    T_EQ_STR(j->affinity.p[0].topology, "topology.kubernetes.io/zone");
    T_EQ_INT(j->anti_affinity.p[0].weight, 3);
    T_OK(j->spread.p[0].soft);
    T_EQ_STR(j->required_key, "rack");
    T_OK(scenario_is_gang(j));
    T_OK(sc->events[1].add == t);
    T_EQ_INT(sc->events[2].names.n, 2);
    scenario_free(sc);
}

TEST(errors_name_file_line_and_field)
{
    check_error("", "s.yaml:1: nodes: a cluster needs at least one node");
    check_error("name: x\nnodes:\n- name: a\n  cpu: 4x\n", "s.yaml:4: nodes[0].cpu: \"4x\" is no quantity such as 4, 500m or 2.5");
    check_error(NODE "jobs:\n- {name: a}\n- name: b\n  requests:\n    cpu: 1\n    mem: 2\n", "s.yaml:7: jobs[1].requests.mem: there is no such field; known are cpu, memory, storage, gpu, gpuFraction, gpuMemory, bandwidth, resources");
    check_error(NODE "jobs:\n- name: a\n  requets: {cpu: 1}\n", "s.yaml:4: jobs[0].requets: there is no such field; did you mean requests?");
    check_error(NODE "jobs:\n- name: a\n  arrival: {every: 5m,\n    at: 3m}\n", "s.yaml:4: jobs[0].arrival: needs one of at, every, poisson and burst");
    check_error(NODE "jobs:\n- name: a\n  arrival: {poisson: fast}\n", "s.yaml:4: jobs[0].arrival.poisson: must be a rate such as 12/h, 0.5/s or 30/m");
    check_error(NODE "jobs:\n- name: a\n  duration: {uniform: [2h, 1h]}\n", "s.yaml:4: jobs[0].duration.uniform: the second must not be shorter than the first");
    check_error(NODE "jobs:\n- name: a\n  replicas: 2\n  minMember: 3\n", "s.yaml:5: jobs[0].minMember: 3 is more than the 2 replicas");
    check_error(NODE "jobs:\n- name: a\n- name: a\n", "s.yaml:4: jobs[1].name: \"a\" is the name of another job");
    check_error(NODE "events:\n- at: 1h\n  delete: z\n", "s.yaml:4: events[0].delete: there is no job \"z\"");
    check_error(NODE "events:\n- {at: 1h, add: {template: z}}\n", "s.yaml:3: events[0].add.template: there is no template \"z\"");
    check_error(NODE "events:\n- {at: 1h}\n", "s.yaml:3: events[0]: needs one of cordon, uncordon, remove, add and delete");
    check_error("nodes:\n- name: a\n  taints: [x]\n", "s.yaml:3: nodes[0].taints[0]: must end with :NoSchedule, :PreferNoSchedule or :NoExecute");
    check_error("nodes:\n- {name: a, gpus: 17}\n", "s.yaml:2: nodes[0].gpus: 17 is too large, at most 16 can be");
    check_error("nodes:\n- {name: a, gpuModel: A100}\n", "s.yaml:2: nodes[0]: has a kind of GPU but no gpus");
    check_error("nodes:\n- {name: a}\nname: a\nname: b\n", "s.yaml:4: name: is given twice");
    check_error("nodes: [\nname: x\n", "s.yaml:3: did not find expected ',' or ']'");
    check_error("- a\n", "s.yaml:1: must be a map of fields, not a list");
    check_error(NODE "jobs:\n- name: p\n  pod: {spec: {containers: []}}\n  requests: {cpu: 1}\n", "s.yaml:5: jobs[0].requests: belongs into the pod's manifest, which this job has");
    check_error(NODE "until: soon\n", "s.yaml:2: until: \"soon\" is no duration such as 90s, 5m or 1h30m");
    check_error("nodes:\n- {name: a, memory: -1Gi}\n", "s.yaml:2: nodes[0].memory: \"-1Gi\" is negative");
    check_error(NODE "jobs: {}\n", "s.yaml:2: jobs: must be a list");
    check_error("nodes: [{name: a, count: 900000}, {name: b, count: 900000}]\n", "s.yaml:1: nodes: 1800000 nodes are more than the engine takes (1000000)");
}

TEST(durations)
{
    static const struct {
        const char *text;
        int64_t ms;
    } good[] = {{"90", 90000}, {"1h30m", 5400000}, {"250ms", 250}, {"1.5h", 5400000}, {"2d", 172800000}, {"0", 0}};
    static const char *const bad[] = {"", "h", "5x", "-3s", "5 m", "1h30", "..s", "1e9h", "99999999999999999d"};
    nsec_t ns;
    for (size_t i = 0; i < ARRAY_LEN(good); i++) {
        T_OK(fields_duration(str_of(good[i].text), &ns));
        T_EQ_INT(ns, good[i].ms * NSEC_PER_MSEC);
    }
    for (size_t i = 0; i < ARRAY_LEN(bad); i++)
        if (fields_duration(str_of(bad[i]), &ns))
            T_FAIL_("%s is taken for a duration", bad[i]);
}

TEST(arrivals_follow_their_law)
{
    struct rng rng;
    rng_seed(&rng, 1);
    struct scenario_arrival every = {.kind = ARRIVE_EVERY, .from = 10, .every = 5}, burst = {.kind = ARRIVE_BURST, .from = 100, .every = 50, .size = 3};
    T_EQ_INT(scenario_arrival_next(&every, 4, 0, &rng), 30);
    T_EQ_INT(scenario_arrival_next(&burst, 2, 0, &rng), 100);
    T_EQ_INT(scenario_arrival_next(&burst, 3, 0, &rng), 150);
    struct scenario_arrival poisson = {.kind = ARRIVE_POISSON, .from = 0, .per_s = 0.1};
    nsec_t at = 0;
    for (uint32_t k = 0; k < 10000; k++) {
        nsec_t next = scenario_arrival_next(&poisson, k, at, &rng);
        T_OK(next >= at);
        at = next;
    }
    /* 10,000 gaps of 10 s: the mean is within 4 % in all but one of 10,000 draws */
    T_OK(at > 96000 * NSEC_PER_SEC && at < 104000 * NSEC_PER_SEC);
    struct scenario_duration uniform = {LAST_UNIFORM, 5, 9}, fixed = {LAST_FIXED, 7, 0}, forever = {LAST_FOREVER, 0, 0};
    bool low = false, high = false;
    for (int i = 0; i < 200; i++) {
        nsec_t d = scenario_duration_draw(&uniform, &rng);
        T_OK(d >= 5 && d <= 9);
        low |= d == 5;
        high |= d == 9;
    }
    T_OK(low && high);
    T_EQ_INT(scenario_duration_draw(&fixed, &rng), 7);
    T_EQ_INT(scenario_duration_draw(&forever, &rng), -1);
}

static str job_error(const char *text, char out[700])
{
    ARENA_AUTO a = ARENA_INIT;
    struct scenario_job j;
    struct err err = ERR_NONE;
    snprintf(out, 700, "%s", scenario_job_parse(&a, str_of(text), S("q"), &j, &err) < 0 ? err.msg : "fine");
    return str_of(out);
}

TEST(a_question_has_many_forms)
{
    static const struct {
        const char *text;
        uint32_t replicas;
        int32_t min;
        bool manifest;
    } good[] = {
        {"gang: {replicas: 8, requests: {gpu: 1}}", 8, -1, false},
        {"job: {replicas: 2, minMember: 1}", 2, 1, false},
        {"replicas: 3\nrequests: {cpu: 1}\n", 3, -1, false},
        {"kind: Pod\nmetadata: {name: p}\nspec: {containers: []}\n", 1, -1, true},
        {"{\"kind\": \"Job\", \"spec\": {\"parallelism\": 4, \"template\": {\"spec\": {}}}}", 4, -1, true},
        {"kind: Deployment\nspec: {replicas: 5, template: {spec: {containers: []}}}\n", 5, 0, true},
    };
    char out[700];
    for (size_t i = 0; i < ARRAY_LEN(good); i++) {
        ARENA_AUTO a = ARENA_INIT;
        struct scenario_job j;
        struct err err = ERR_NONE;
        T_NO_ERR(scenario_job_parse(&a, str_of(good[i].text), S("q"), &j, &err), &err);
        T_EQ_INT(j.replicas, good[i].replicas);
        T_EQ_INT(j.min_member, good[i].min);
        T_EQ_INT(j.pod.type == JSON_OBJECT, good[i].manifest);
    }
    T_EQ_STR(job_error("gang: {replicas: x}", out), "q:1: gang.replicas: \"x\" is no whole number");
    T_EQ_STR(job_error("kind: Service", out), "q:1: kind: \"Service\" is none of Pod, Job, Deployment, ReplicaSet and StatefulSet");
    T_EQ_STR(job_error("5", out), "q:1: must be a job such as {replicas: 8, requests: {cpu: 4}}");
    T_EQ_STR(job_error("gang: {count: 3}", out), "q:1: gang.count: one job is asked about");
}

TEST_MAIN(a_whole_scenario_is_read, errors_name_file_line_and_field, durations, arrivals_follow_their_law, a_question_has_many_forms)
