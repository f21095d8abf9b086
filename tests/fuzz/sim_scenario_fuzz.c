/* Any text as a scenario and as a question: an error has file and line, what is read makes nodes and pods that the engine takes or refuses with a sentence. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/sim.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_message(const struct err *err)
{
    str msg = str_of(err->msg), file;
    BUG_ON(!str_has_prefix(msg, S("f.yaml:")));
    str_cut(&msg, ':', &file);
    BUG_ON(!msg.len || msg.p[0] < '1' || msg.p[0] > '9');
}

static void use(const struct scenario *sc)
{
    ARENA_AUTO a = ARENA_INIT;
    struct sched *s = sched_new(profile_builtin(S("default")), 1);
    struct rng rng;
    rng_seed(&rng, 1);
    for (size_t i = 0; i < sc->ntemplates && i < 8; i++) {
        struct node_spec n;
        struct err err = ERR_NONE;
        if (scenario_node(&sc->templates[i], 0, s, &a, &n, &err) < 0 || sched_node_put(s, &n, NULL, &err) < 0)
            BUG_ON(!err.msg[0]);
    }
    for (size_t i = 0; i < sc->njobs && i < 8; i++) {
        struct pod_spec p;
        struct err err = ERR_NONE;
        nsec_t at = scenario_arrival_next(&sc->jobs[i].arrival, 0, 0, &rng);
        BUG_ON(at < 0 || scenario_duration_draw(&sc->jobs[i].duration, &rng) < -1);
        int r = scenario_pod(&sc->jobs[i], s, &a, &p, &err);
        p.name = p.uid = S("p");
        if (r < 0 || sched_pod_put(s, &p, NULL, &err) < 0)
            BUG_ON(!err.msg[0]);
        sched_pod_delete(s, p.ns, S("p"));
    }
    sched_free(s);
}

/* Queues and objects alone: jobs could ask for a long run. */
static void use_queues(const struct scenario *sc)
{
    struct scenario only = *sc;
    struct err err = ERR_NONE;
    struct sim *sim = sim_new(profile_builtin(S("default")), &(struct sim_opts){.seed = 1}, &err);
    only.ntemplates = only.njobs = only.nevents = 0;
    if (sim_load(sim, &only, &err) < 0 || sim_settle(sim, &err) < 0)
        BUG_ON(!err.msg[0]);
    sim_free(sim);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ARENA_AUTO a = ARENA_INIT;
    str text = str_n((const char *)data, size);
    struct scenario *sc = NULL;
    struct scenario_job job;
    struct err err = ERR_NONE;
    if (scenario_parse(text, S("f.yaml"), &sc, &err) < 0) {
        check_message(&err);
    } else {
        use(sc);
        use_queues(sc);
        scenario_free(sc);
    }
    err = ERR_NONE;
    if (scenario_job_parse(&a, text, S("f.yaml"), &job, &err) < 0)
        check_message(&err);
    return 0;
}
