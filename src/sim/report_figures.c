/* report_figures.c - the figures of a run as people read them, shared by the table and the page; and the reasons of what waits. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "sched/pipeline.h"
#include "sim/report.h"

str report_duration(struct arena *a, double s)
{
    if (s < 1)
        return s > 0 ? arena_fmt(a, "%.0fms", ceil(s * 1000)) : S("0s");
    if (s < 60)
        return s == floor(s) ? arena_fmt(a, "%.0fs", s) : arena_fmt(a, "%.1fs", s);
    uint64_t t = (uint64_t)llround(s), d = t / 86400, h = t / 3600 % 24, m = t / 60 % 60;
    if (t < 3600)
        return t % 60 ? arena_fmt(a, "%um%02us", (unsigned)m, (unsigned)(t % 60)) : arena_fmt(a, "%um", (unsigned)m);
    if (d == 0)
        return m ? arena_fmt(a, "%uh%02um", (unsigned)h, (unsigned)m) : arena_fmt(a, "%uh", (unsigned)h);
    return h ? arena_fmt(a, "%ud%02uh", (unsigned)d, (unsigned)h) : arena_fmt(a, "%ud", (unsigned)d);
}

str report_count(struct arena *a, uint64_t n)
{
    str digits = arena_fmt(a, "%llu", (unsigned long long)n);
    struct strbuf b = strbuf_on(a);
    for (size_t i = 0; i < digits.len; i++) {
        if (i && (digits.len - i) % 3 == 0)
            strbuf_add_char(&b, ',');
        strbuf_add_char(&b, digits.p[i]);
    }
    return strbuf_str(&b);
}

str report_resource(const struct sched *s, uint16_t res)
{
    static const str names[RES_FIRST_EXTENDED] = {[RES_CPU] = STR_INIT("cpu"),   [RES_MEMORY] = STR_INIT("memory"), [RES_STORAGE] = STR_INIT("storage"), [RES_PODS] = STR_INIT("pods"),
                                                  [RES_INGRESS] = STR_INIT("ingress"), [RES_EGRESS] = STR_INIT("egress"), [RES_GPU] = STR_INIT("gpu")};
    return res < RES_FIRST_EXTENDED ? names[res] : sched_resource_name(s, res);
}

/* A number with a unit that keeps it short. */
static str scaled(struct arena *a, double v, double base, const char *const *units, size_t n)
{
    size_t i = 0;
    while (i + 1 < n && v >= base) {
        v /= base;
        i++;
    }
    return v == floor(v) ? arena_fmt(a, "%.0f%s", v, units[i]) : arena_fmt(a, "%.1f%s", v, units[i]);
}

str report_amount(struct arena *a, const struct sched *s UNUSED, uint16_t res, double amount)
{
    static const char *const bytes[] = {"", "Ki", "Mi", "Gi", "Ti", "Pi"}, *const bits[] = {" bit/s", " kbit/s", " Mbit/s", " Gbit/s", " Tbit/s"}, *const plain[] = {""};
    if (res == RES_MEMORY || res == RES_STORAGE)
        return scaled(a, amount, 1024, bytes, ARRAY_LEN(bytes));
    if (res == RES_INGRESS || res == RES_EGRESS)
        return scaled(a, amount, 1000, bits, ARRAY_LEN(bits));
    return scaled(a, res == RES_CPU || res == RES_GPU ? amount / 1000 : amount, 1e18, plain, 1);
}

/* --- the lines ----------------------------------------------------------------------------------------------------------------------------------------- */

static str percent(struct arena *a, double share)
{
    return arena_fmt(a, "%.1f%%", 100 * share);
}

static uint64_t nodes_at_end(const struct sim_result *r)
{
    uint64_t n = 0;
    for (size_t i = 0; i < r->nnodes; i++)
        n += r->nodes[i].removed < 0;
    return n;
}

static str f_nodes(struct arena *a, const struct report_run *x)
{
    return report_count(a, nodes_at_end(x->r));
}
static str f_jobs(struct arena *a, const struct report_run *x)
{
    uint64_t n = 0;
    for (size_t i = 0; i < x->r->nkinds; i++)
        n += x->r->kinds[i].jobs;
    return report_count(a, n);
}
static str f_pods(struct arena *a, const struct report_run *x)
{
    return report_count(a, x->r->npods);
}
static str f_placed(struct arena *a, const struct report_run *x)
{
    return report_count(a, x->r->started);
}
static str f_pending(struct arena *a, const struct report_run *x)
{
    return report_count(a, x->r->waiting);
}
static str f_running(struct arena *a, const struct report_run *x)
{
    return report_count(a, x->r->running);
}
static str f_done(struct arena *a, const struct report_run *x)
{
    return report_count(a, x->r->done);
}
static str f_dropped(struct arena *a, const struct report_run *x)
{
    return report_count(a, x->r->dropped);
}
static str f_time(struct arena *a, const struct report_run *x)
{
    return report_duration(a, (double)x->r->end / 1e9);
}
static str f_wait50(struct arena *a, const struct report_run *x)
{
    return report_duration(a, x->r->waits.p50);
}
static str f_wait99(struct arena *a, const struct report_run *x)
{
    return report_duration(a, x->r->waits.p99);
}
static str f_wait_mean(struct arena *a, const struct report_run *x)
{
    return report_duration(a, x->r->waits.mean);
}
static str f_wait_max(struct arena *a, const struct report_run *x)
{
    return report_duration(a, x->r->waits.max);
}
static str f_fragmentation(struct arena *a, const struct report_run *x)
{
    return percent(a, x->r->mean_fragmentation);
}
static str f_evictions(struct arena *a, const struct report_run *x)
{
    return report_count(a, x->r->evictions);
}
static str f_lost(struct arena *a, const struct report_run *x)
{
    return report_duration(a, x->r->lost_s);
}
static str f_turnaround(struct arena *a, const struct report_run *x)
{
    return report_duration(a, x->r->turnaround);
}
static str f_transfer(struct arena *a, const struct report_run *x)
{
    return report_duration(a, x->r->transfer_s);
}
static str f_lost_gpu(struct arena *a, const struct report_run *x)
{
    return arena_fmt(a, "%.1f", x->r->lost_gpu_s / 3600);
}
static str f_fairness(struct arena *a, const struct report_run *x)
{
    return arena_fmt(a, "%.3f", x->r->fairness);
}
static str f_met(struct arena *a, const struct report_run *x)
{
    double met = 0, fair = 0;
    for (size_t i = 0; i < x->r->nqueues; i++) {
        met += x->r->queues[i].met_s;
        fair += x->r->queues[i].fair_s;
    }
    return percent(a, fair > 0 ? met / fair : 1);
}
static str f_owed(struct arena *a, const struct report_run *x)
{
    return report_duration(a, x->r->owed_max_s);
}
static str f_violations(struct arena *a, const struct report_run *x)
{
    return report_count(a, x->r->violations);
}
static str f_decisions(struct arena *a, const struct report_run *x)
{
    str n = report_count(a, x->r->decisions);
    if (!x->wall_ns)
        return n;
    return arena_fmt(a, STR_FMT " (" STR_FMT " a second)", STR_ARG(n), STR_ARG(report_count(a, (uint64_t)((double)x->r->decisions * 1e9 / (double)x->wall_ns))));
}

static const struct {
    const char *label;
    str (*value)(struct arena *a, const struct report_run *x);
    bool of_queues, of_transfers; /* only where there are some */
} lines[] = {
    {.label = "simulated time", .value = f_time},
    {.label = "nodes", .value = f_nodes},
    {.label = "jobs", .value = f_jobs},
    {.label = "pods", .value = f_pods},
    {.label = "placed", .value = f_placed},
    {.label = "pending", .value = f_pending},
    {.label = "running", .value = f_running},
    {.label = "done", .value = f_done},
    {.label = "dropped", .value = f_dropped},
    {.label = "waiting, mean", .value = f_wait_mean},
    {.label = "waiting, p50", .value = f_wait50},
    {.label = "waiting, p99", .value = f_wait99},
    {.label = "waiting, max", .value = f_wait_max},
    {.label = NULL},
    {.label = "fragmentation", .value = f_fragmentation},
    {.label = "preemptions", .value = f_evictions},
    {.label = "work lost", .value = f_lost},
    {.label = "transfer, mean", .value = f_transfer, .of_transfers = true},
    {.label = "turnaround, mean", .value = f_turnaround, .of_queues = true, .of_transfers = true},
    {.label = "GPU hours lost", .value = f_lost_gpu, .of_queues = true},
    {.label = "fairness", .value = f_fairness, .of_queues = true},
    {.label = "fair share met", .value = f_met, .of_queues = true},
    {.label = "guarantees broken", .value = f_violations, .of_queues = true},
    {.label = "longest owed", .value = f_owed, .of_queues = true},
    {.label = "decisions", .value = f_decisions},
};

static bool shown_anywhere(const struct report_run *runs, size_t n, uint16_t res)
{
    for (size_t i = 0; i < n; i++)
        if (runs[i].r->shown[res])
            return true;
    return false;
}

size_t report_figures(struct arena *a, const struct report_run *runs, size_t n, struct report_figure **ret)
{
    struct report_figure *f = arena_array(a, ARRAY_LEN(lines) + RES_MAX, struct report_figure);
    size_t k = 0;
    for (size_t i = 0; i < ARRAY_LEN(lines); i++) {
        if ((lines[i].of_queues || lines[i].of_transfers) && !(lines[i].of_queues && runs[0].r->nqueues) && !(lines[i].of_transfers && runs[0].r->transfers))
            continue;
        if (lines[i].label) {
            f[k].label = str_of(lines[i].label);
            for (size_t x = 0; x < n; x++)
                f[k].value[x] = lines[i].value(a, &runs[x]);
            k++;
            continue;
        }
        for (uint16_t res = 0; res < RES_MAX; res++) {
            if (!shown_anywhere(runs, n, res))
                continue;
            f[k].label = arena_fmt(a, STR_FMT " used", STR_ARG(report_resource(runs[0].s, res)));
            for (size_t x = 0; x < n; x++)
                f[k].value[x] = arena_fmt(a, STR_FMT " (peak " STR_FMT ")", STR_ARG(percent(a, runs[x].r->mean_used[res])), STR_ARG(percent(a, runs[x].r->peak_used[res])));
            k++;
        }
    }
    *ret = f;
    return k;
}

/* --- reasons ---------------------------------------------------------------------------------------------------------------------------------------------- */

void report_explain(struct sim *sim, struct arena *a, size_t max, struct report_run *into)
{
    const struct sim_result *r = sim_result(sim);
    struct sched *s = sim_sched(sim);
    struct dispatcher *d = pipeline_dispatcher(sim_pipeline(sim));
    struct report_pending *list = arena_array(a, max + 1, struct report_pending);
    size_t n = 0, left = 0;
    for (size_t i = 0; i < r->njobs; i++) {
        const struct sim_job *j = &r->jobs[i];
        uint32_t waiting = 0, one = SIM_NONE;
        for (uint32_t p = j->first_pod; j->first_pod != SIM_NONE && p < j->first_pod + j->npods; p++)
            if (r->pods[p].state == SIM_WAITING) {
                one = one == SIM_NONE ? p : one;
                waiting++;
            }
        if (!waiting)
            continue;
        if (n == max) {
            left++;
            continue;
        }
        if (r->pods[one].id == POD_NONE) { /* nobody overtakes, and its turn has not come */
            left++;
            continue;
        }
        unit_id u = sched_unit_of(s, r->pods[one].id);
        struct policy_why why = {.verdict = POLICY_NOT_BATCH};
        if (sim_policy(sim))
            policy_why(sim_policy(sim), u, &why);
        struct explanation *e = explain_waiting(s, a, u, why.position ? why.position : dispatcher_position(d, u), NULL);
        str said = why.verdict == POLICY_NOT_BATCH ? S("") : policy_sentence(sim_policy(sim), a, u, &why);
        if (said.len)
            e->sentence = said;
        list[n++] = (struct report_pending){j->name, r->pods[one].arrival, waiting, e};
    }
    into->pending = list;
    into->npending = n;
    into->pending_left_off = left;
}
