/* sim_moves_test.c - jobs of several parties: where they run, how long their data takes, and what becomes of it when something happens meanwhile. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "base/test.h"
#include "sim/sim.h"

#define NODES                                                                                                                                                           \
    "nodes:\n"                                                                                                                                                           \
    "- {name: a, domain: alice, cpu: 8, bandwidth: 100M}\n"                                                                                                              \
    "- {name: b, domain: bob, cpu: 8, bandwidth: 100M}\n"

struct world {
    struct scenario *sc;
    struct sim *sim;
    const struct sim_result *r;
};

static struct world run_as(const char *text, bool ignored)
{
    struct world w = {0};
    struct err err = ERR_NONE;
    T_NO_ERR(scenario_parse(str_of(text), S("t.yaml"), &w.sc, &err), &err);
    struct sim_opts opts = {.seed = w.sc->seed, .grace = w.sc->grace, .ignores_bandwidth = ignored};
    w.sim = sim_new(profile_builtin(S("default")), &opts, &err);
    T_NO_ERR(sim_load(w.sim, w.sc, &err), &err);
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

/* When the job's pods ended, in milliseconds; all at the same time. */
static int64_t end_ms(const struct world *w, const char *job)
{
    int64_t at = -1;
    for (size_t i = 0; i < w->r->nruns; i++) {
        const struct sim_run *run = &w->r->runs[i];
        if (!str_is(w->r->jobs[w->r->pods[run->pod].job].name, job) || run->end != SIM_ENDED)
            continue;
        T_OK(at < 0 || at == run->to / NSEC_PER_MSEC);
        at = run->to / NSEC_PER_MSEC;
    }
    return at;
}

static int64_t start_ms(const struct world *w, const char *job)
{
    for (size_t i = 0; i < w->r->njobs; i++)
        if (str_is(w->r->jobs[i].name, job))
            return w->r->jobs[i].start < 0 ? -1 : w->r->jobs[i].start / NSEC_PER_MSEC;
    return -2;
}

/* 125 MB are 10 s at 100 Mbit/s. */
TEST(run_time_is_work_and_transfer)
{
    struct world w = run_as(NODES "jobs: [{name: j, parties: [alice, bob], duration: 5s, transfer: 125M, requests: {cpu: 1, bandwidth: 50M}}]\n", false);
    T_EQ_INT(end_ms(&w, "j"), 15000);
    T_EQ_INT(w.r->transfers, 1);
    T_OK(w.r->transfer_s == 10);
    for (size_t i = 0; i < w.r->nruns; i++) /* a pod in each domain */
        T_OK(str_is(w.r->nodes[w.r->runs[i].node].name, i ? "b-0" : "a-0") || str_is(w.r->nodes[w.r->runs[i].node].name, i ? "a-0" : "b-0"));
    done(&w);
}

static const char two[] = NODES "jobs: [{name: j, count: 2, parties: [alice, bob], transfer: 125M, requests: {cpu: 1, bandwidth: 100M}}]\n";

/* One after the other, each at full speed; or both at half speed, so that the first is through as late as the second. */
TEST(scheduled_they_wait_ignored_they_share)
{
    struct world w = run_as(two, false);
    T_EQ_INT(end_ms(&w, "j-0"), 10000);
    T_EQ_INT(start_ms(&w, "j-1"), 10000);
    T_EQ_INT(end_ms(&w, "j-1"), 20000);
    done(&w);
    w = run_as(two, true);
    T_EQ_INT(start_ms(&w, "j-1"), 0);
    T_EQ_INT(end_ms(&w, "j-0"), 20000);
    T_EQ_INT(end_ms(&w, "j-1"), 20000);
    T_OK(w.r->mean_used[RES_EGRESS] == 0);
    done(&w);
}

/* Each of three sends half to either: 50 of 100 Mbit/s on a link; one of 20 holds all of them to 40. */
TEST(links_hold_back)
{
    static const char text[] = NODES "- {name: c, domain: carol, cpu: 8, bandwidth: 100M}\nlinks: [{from: alice, to: carol, bandwidth: 20M}]\n"
                                     "jobs: [{name: j, parties: [alice, bob, carol], transfer: 125M, requests: {cpu: 1, bandwidth: 20M}}]\n";
    struct world w = run_as(text, false);
    T_EQ_INT(end_ms(&w, "j"), 25000);
    done(&w);
}

/* The link that is too narrow for what is asked keeps it waiting, unless nobody looks at bandwidth. */
TEST(narrow_links_are_waited_for)
{
    static const char text[] = NODES "links: [{from: bob, to: alice, bandwidth: 100M}, {from: bob, to: alice, bandwidth: 60M}]\n"
                                     "jobs: [{name: j, count: 2, parties: [alice, bob], transfer: 75M, requests: {cpu: 1, bandwidth: 40M}}]\n";
    struct world w = run_as(text, false);
    T_EQ_INT(end_ms(&w, "j-0"), 10000);
    T_EQ_INT(start_ms(&w, "j-1"), 10000);
    done(&w);
    w = run_as(text, true);
    T_EQ_INT(start_ms(&w, "j-1"), 0);
    T_EQ_INT(end_ms(&w, "j-1"), 20000);
    done(&w);
}

/* More data than there is time for: the simulation ends, and it is still on its way. */
TEST(a_transfer_without_end)
{
    struct world w = run_as(NODES "jobs: [{name: j, parties: [alice, bob], transfer: 8E}, {name: k, parties: [alice, bob], transfer: 125M}]\n", false);
    T_EQ_INT(end_ms(&w, "k"), 20000);
    T_EQ_INT(w.r->end, 20 * NSEC_PER_SEC);
    T_EQ_INT(w.r->running, 2);
    done(&w);
}

/* A node that goes in the middle of it: all is sent again.  Nobody is left behind who holds back others. */
TEST(a_stopped_transfer_begins_anew)
{
    static const char text[] = NODES "- {name: b2, domain: bob, cpu: 8, bandwidth: 100M}\ngrace: 1s\n"
                                     "jobs: [{name: j, count: 2, parties: [alice, bob], transfer: 125M, requests: {cpu: 1, bandwidth: 50M}}]\n"
                                     "events: [{at: 10s, remove: 'b-*'}]\n";
    struct world w = run_as(text, false);
    T_EQ_INT(w.r->transfers, 2);
    T_EQ_INT(w.r->waiting, 0);
    /* one goes on, faster while it is alone; the other comes again when its pod at alice's has gone, and has 10 s of data at the very least */
    T_OK(MIN(end_ms(&w, "j-0"), end_ms(&w, "j-1")) < 20000 && MAX(end_ms(&w, "j-0"), end_ms(&w, "j-1")) >= 21000);
    done(&w);
    static const char gone[] = NODES "jobs: [{name: j, count: 2, parties: [alice, bob], transfer: 125M, requests: {cpu: 1, bandwidth: 50M}}]\nevents: [{at: 10s, delete: j-0}]\n";
    w = run_as(gone, false);
    T_EQ_INT(w.r->transfers, 1);
    T_EQ_INT(end_ms(&w, "j-1"), 15000); /* half at 50, then the rest at 100 */
    T_EQ_INT(w.r->end, 15 * NSEC_PER_SEC); /* and not when it would have been, had nothing happened */
    done(&w);
}

/* It has worked for 10 s, saved what it did every 3 s, and sent for 5 s when a node goes: 1 s of work is done again, and all is sent again. */
TEST(what_was_sent_is_no_work)
{
    static const char text[] = NODES "- {name: b2, domain: bob, cpu: 8, bandwidth: 100M}\ngrace: 1s\n"
                                     "jobs: [{name: j, parties: [alice, bob], duration: 10s, checkpoint: 3s, transfer: 125M, requests: {cpu: 1, bandwidth: 50M}}]\n"
                                     "events: [{at: 15s, remove: 'b-*'}]\n";
    struct world w = run_as(text, false);
    T_EQ_INT(w.r->transfers, 1);
    T_EQ_INT(end_ms(&w, "j") - 16000, 11000); /* its pod at alice's goes after a second of grace */
    T_OK(w.r->lost_s == 6 + 7);
    done(&w);
}

/* A node may promise twice what it has; more goes through it for that neither as a template nor as an object. */
TEST(what_is_promised_twice_is_there_once)
{
#define OBJECT(name, domain)                                                                                                                                           \
    "- {apiVersion: v1, kind: Node, metadata: {name: " name ", labels: {kuscia.secretflow/namespace: " domain "}, annotations: {cox.io/bandwidth-overcommit: '2'}}, "   \
    "status: {allocatable: {cpu: '8', memory: 8Gi, pods: '10', cox.io/egress-bandwidth: 100M, cox.io/ingress-bandwidth: 100M}}}\n"
    static const char *const texts[] = {"nodes:\n- {name: a, domain: alice, cpu: 8, bandwidth: 100M, bandwidthOvercommit: 2}\n- {name: b, domain: bob, cpu: 8, bandwidth: 100M, bandwidthOvercommit: 2}\n",
                                        "objects:\n" OBJECT("a", "alice") OBJECT("b", "bob")};
    for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
        STRBUF_AUTO text = STRBUF_HEAP;
        strbuf_addf(&text, "%sjobs: [{name: j, parties: [alice, bob], transfer: 125M, requests: {cpu: 1, bandwidth: 150M}}]\n", texts[i]);
        struct world w = run_as(strbuf_cstr(&text), false);
        T_EQ_INT(end_ms(&w, "j"), 10000);
        done(&w);
    }
}

TEST(mistakes_are_told)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"jobs: [{name: j, parties: [alice], requests: {cpu: 1}}]", "jobs[0].parties: must name from 2 to"},
        {"jobs: [{name: j, parties: [alice, alice]}]", "names \"alice\" twice"},
        {"jobs: [{name: j, parties: [alice, dave]}]", "no template has the domain \"dave\""},
        {"jobs: [{name: j, transfer: 5G}]", "transfer: needs parties"},
        {"jobs: [{name: j, parties: [alice, bob], minMember: 1}]", "minMember: means nothing for a job with parties"},
        {"links: [{from: alice, to: alice, bandwidth: 1G}]", "links[0]: must be a link"},
        {"links: [{from: alice, to: dave, bandwidth: 1G}]", "links[0].to: no template has the domain \"dave\""},
        {"bandwidth: maybe", "must be scheduled or ignored"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct scenario *sc = NULL;
        struct err err = ERR_NONE;
        char text[512];
        snprintf(text, sizeof text, NODES "%s\n", cases[i].text);
        T_OK(scenario_parse(str_of(text), S("t.yaml"), &sc, &err) < 0);
        if (!strstr(err.msg, cases[i].message))
            T_FAIL_("\"%s\" is not in \"%s\"", cases[i].message, err.msg);
    }
}

TEST_MAIN(run_time_is_work_and_transfer, scheduled_they_wait_ignored_they_share, links_hold_back, narrow_links_are_waited_for, a_transfer_without_end, a_stopped_transfer_begins_anew, what_was_sent_is_no_work, what_is_promised_twice_is_there_once, mistakes_are_told)
