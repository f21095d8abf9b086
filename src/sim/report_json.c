/* report_json.c - everything about a run, for programs.  Times are seconds, shares 0 to 1, amounts in the engine's units (cpu and GPUs in milli,
 * memory in bytes, bandwidth in bit/s).  Written at once, without a tree: a run may have a million pods. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "sim/report.h"

static const char *const ends[] = {[SIM_STILL] = "running",      [SIM_ENDED] = "done",     [SIM_EVICTED] = "evicted", [SIM_NODE_GONE] = "node removed",
                                   [SIM_STOPPED] = "gang stopped", [SIM_DELETED] = "deleted"};
static const char *const states[] = {[SIM_ABSENT] = "absent", [SIM_WAITING] = "pending", [SIM_RUNNING] = "running", [SIM_LEAVING] = "leaving", [SIM_DONE] = "done", [SIM_DROPPED] = "dropped"};

/* --- values ---------------------------------------------------------------------------------------------------------------------------------------------- */

static void comma(struct strbuf *b)
{
    if (b->len && b->p[b->len - 1] != '{' && b->p[b->len - 1] != '[' && b->p[b->len - 1] != ':')
        strbuf_add_char(b, ',');
}
static void key(struct strbuf *b, const char *name)
{
    comma(b);
    strbuf_addf(b, "\"%s\":", name);
}
/* Without digits that say nothing: 1.5, 3. */
static void number(struct strbuf *b, double v, int digits)
{
    char text[64];
    int n = snprintf(text, sizeof text, "%.*f", digits, isfinite(v) ? v : 0.0);
    while (digits && n > 1 && text[n - 1] == '0')
        n--;
    if (n > 1 && text[n - 1] == '.')
        n--;
    strbuf_add_str(b, strcmp(text, "-0") ? str_n(text, (size_t)n) : S("0"));
}
static void seconds(struct strbuf *b, nsec_t ns)
{
    strbuf_addf(b, "%lld", (long long)(ns / NSEC_PER_SEC));
    int64_t rest = ns % NSEC_PER_SEC;
    if (!rest)
        return;
    char text[16];
    int n = snprintf(text, sizeof text, ".%09lld", (long long)rest);
    while (text[n - 1] == '0')
        n--;
    strbuf_add(b, text, (size_t)n);
}
static void k_text(struct strbuf *b, const char *name, str v)
{
    key(b, name);
    json_write_string(b, v);
}
static void k_count(struct strbuf *b, const char *name, uint64_t v)
{
    key(b, name);
    strbuf_add_u64(b, v);
}
static void k_share(struct strbuf *b, const char *name, double v)
{
    key(b, name);
    number(b, v, 6);
}
/* -1 is null: never, or not yet. */
static void k_time(struct strbuf *b, const char *name, nsec_t ns)
{
    key(b, name);
    if (ns < 0)
        strbuf_add_str(b, S("null"));
    else
        seconds(b, ns);
}

/* --- parts ----------------------------------------------------------------------------------------------------------------------------------------------- */

static void write_used(struct strbuf *b, const struct report_run *x)
{
    key(b, "used");
    strbuf_add_char(b, '{');
    for (uint16_t res = 0; res < RES_MAX; res++) {
        if (!x->r->shown[res])
            continue;
        comma(b);
        json_write_string(b, report_resource(x->s, res));
        strbuf_add_str(b, S(":{"));
        k_share(b, "mean", x->r->mean_used[res]);
        k_share(b, "peak", x->r->peak_used[res]);
        key(b, "capacity");
        number(b, x->r->capacity[res], 0);
        strbuf_add_char(b, '}');
    }
    strbuf_add_char(b, '}');
}

static void write_waits(struct strbuf *b, const struct sim_waits *w)
{
    key(b, "waiting");
    strbuf_add_char(b, '{');
    k_count(b, "pods", w->n);
    k_share(b, "mean", w->mean);
    k_share(b, "p50", w->p50);
    k_share(b, "p90", w->p90);
    k_share(b, "p99", w->p99);
    k_share(b, "max", w->max);
    strbuf_add_char(b, '}');
}

static void write_queue_summary(struct strbuf *b, const struct sim_result *r)
{
    static const char *const names[POLICY_ACTIONS] = {"dispatcher", "consolidate", "reclaim", "preempt", "staleGangs", "runTimeLimits"};
    k_share(b, "turnaround", r->turnaround);
    k_share(b, "lostGpuHours", r->lost_gpu_s / 3600);
    k_share(b, "fairness", r->fairness);
    k_share(b, "longestOwed", r->owed_max_s);
    k_count(b, "guaranteesBroken", r->violations);
    key(b, "preemptionsBy");
    strbuf_add_char(b, '{');
    for (size_t i = 0; i < POLICY_ACTIONS; i++)
        k_count(b, names[i], r->evictions_by[i]);
    strbuf_add_char(b, '}');
}

static void write_summary(struct strbuf *b, const struct report_run *x)
{
    const struct sim_result *r = x->r;
    uint64_t nodes = 0, jobs = 0;
    for (size_t i = 0; i < r->nnodes; i++)
        nodes += r->nodes[i].removed < 0;
    for (size_t i = 0; i < r->nkinds; i++)
        jobs += r->kinds[i].jobs;
    key(b, "summary");
    strbuf_add_char(b, '{');
    k_count(b, "nodes", nodes);
    k_count(b, "jobs", jobs);
    k_count(b, "pods", r->npods);
    k_count(b, "placed", r->started);
    k_count(b, "pending", r->waiting);
    k_count(b, "running", r->running);
    k_count(b, "done", r->done);
    k_count(b, "dropped", r->dropped);
    k_count(b, "preemptions", r->evictions);
    k_count(b, "binds", r->placed);
    k_count(b, "decisions", r->decisions);
    k_share(b, "lostPodSeconds", r->lost_s);
    k_share(b, "fragmentation", r->mean_fragmentation);
    write_waits(b, &r->waits);
    write_used(b, x);
    if (r->transfers) {
        k_count(b, "transfers", r->transfers);
        k_share(b, "transfer", r->transfer_s);
    }
    if (r->transfers && !r->nqueues)
        k_share(b, "turnaround", r->turnaround);
    if (r->nqueues)
        write_queue_summary(b, r);
    if (x->wall_ns) {
        k_share(b, "wallSeconds", (double)x->wall_ns / 1e9);
        k_share(b, "decisionsPerSecond", (double)r->decisions * 1e9 / (double)x->wall_ns);
    }
    strbuf_add_char(b, '}');
}

static void write_queue_series(struct strbuf *b, const struct sim_result *r, size_t i)
{
    static const char *const names[] = {"used", "fairShare"};
    for (int k = 0; k < 2; k++) {
        key(b, names[k]);
        strbuf_add_char(b, '[');
        for (size_t n = 0; n < r->nsamples; n++) {
            const struct sim_queue_sample *x = &r->queue_samples[n * r->nqueues + i];
            comma(b);
            number(b, k ? x->fair : x->used, 0);
        }
        strbuf_add_char(b, ']');
    }
}

static void write_queues(struct strbuf *b, const struct report_run *x)
{
    const struct sim_result *r = x->r;
    double end_s = MAX((double)r->end / 1e9, 1e-9);
    k_text(b, "policy", str_of(r->setting->name));
    key(b, "queues");
    strbuf_add_char(b, '[');
    for (size_t i = 0; i < r->nqueues; i++) {
        const struct sim_queue *q = &r->queues[i];
        comma(b);
        strbuf_add_char(b, '{');
        k_text(b, "name", q->name);
        key(b, "quota");
        if (q->quota == POLICY_UNLIMITED)
            strbuf_add_str(b, S("null"));
        else
            strbuf_addf(b, "%lld", (long long)q->quota);
        k_count(b, "pods", q->pods);
        k_count(b, "placed", q->started);
        k_count(b, "pending", q->waiting);
        k_count(b, "done", q->done);
        write_waits(b, &q->waits);
        k_share(b, "longestWait", q->waited_max_s);
        k_share(b, "meanUsed", q->used_s / end_s);
        k_share(b, "meanFairShare", q->fair_s / end_s);
        k_share(b, "fairShareMet", q->fair_s > 0 ? q->met_s / q->fair_s : 1);
        k_count(b, "preemptions", q->preemptions);
        k_share(b, "lostPodSeconds", q->lost_s);
        k_share(b, "lostGpuHours", q->lost_gpu_s / 3600);
        k_share(b, "owedSeconds", q->owed_s);
        k_share(b, "longestOwed", q->owed_max_s);
        k_count(b, "guaranteesBroken", q->violations);
        key(b, "series");
        strbuf_add_char(b, '{');
        write_queue_series(b, r, i);
        strbuf_add_str(b, S("}}"));
    }
    strbuf_add_char(b, ']');
}

static void write_jobs(struct strbuf *b, const struct sim_result *r)
{
    key(b, "jobs");
    strbuf_add_char(b, '[');
    for (size_t i = 0; i < r->nkinds; i++) {
        const struct sim_kind *k = &r->kinds[i];
        comma(b);
        strbuf_add_char(b, '{');
        k_text(b, "name", k->name);
        k_count(b, "count", k->jobs);
        k_count(b, "pods", k->pods);
        k_count(b, "placed", k->placed);
        k_count(b, "pending", k->waiting);
        k_count(b, "done", k->done);
        strbuf_add_char(b, '}');
    }
    strbuf_add_char(b, ']');
}

static void write_node(struct strbuf *b, const struct sim_result *r, const struct sim_node *n)
{
    static const char *const names[] = {[SIM_CPU] = "cpu", [SIM_MEMORY] = "memory", [SIM_GPU] = "gpu"};
    double s = r->end == 0 ? 1 /* see nodes_again */ : (double)((n->removed < 0 ? r->end : n->removed) - n->added) / 1e9;
    comma(b);
    strbuf_add_char(b, '{');
    k_text(b, "name", n->name);
    if (n->template)
        k_text(b, "template", n->template->name);
    k_time(b, "added", n->added);
    k_time(b, "removed", n->removed);
    key(b, "capacity");
    strbuf_add_char(b, '{');
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        k_count(b, names[i], (uint64_t)n->capacity[i]);
    strbuf_add_char(b, '}');
    key(b, "used");
    strbuf_add_char(b, '{');
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        k_share(b, names[i], s > 0 && n->capacity[i] ? n->used_s[i] / s / (double)n->capacity[i] : 0);
    strbuf_add_str(b, S("}}"));
}

/* Fragmentation, and the share in use of each resource. */
static void write_shares(struct strbuf *b, const struct report_run *x)
{
    const struct sim_result *r = x->r;
    key(b, "fragmentation");
    strbuf_add_char(b, '[');
    for (size_t i = 0; i < r->nsamples; i++) {
        comma(b);
        number(b, r->samples[i].fragmentation, 6);
    }
    strbuf_add_char(b, ']');
    key(b, "used");
    strbuf_add_char(b, '{');
    for (uint16_t res = 0; res < RES_MAX; res++) {
        if (!r->shown[res])
            continue;
        comma(b);
        json_write_string(b, report_resource(x->s, res));
        strbuf_add_str(b, S(":["));
        for (size_t i = 0; i < r->nsamples; i++) {
            comma(b);
            number(b, r->samples[i].used[res], 6);
        }
        strbuf_add_char(b, ']');
    }
    strbuf_add_char(b, '}');
}

static void write_series(struct strbuf *b, const struct report_run *x)
{
    const struct sim_result *r = x->r;
    key(b, "series");
    strbuf_add_char(b, '{');
    k_time(b, "interval", r->interval);
    key(b, "time");
    strbuf_add_char(b, '[');
    for (size_t i = 0; i < r->nsamples; i++) {
        comma(b);
        seconds(b, r->samples[i].at);
    }
    strbuf_add_char(b, ']');
    static const struct {
        const char *name;
        size_t offset;
    } counts[] = {{"waiting", offsetof(struct sim_sample, waiting)}, {"running", offsetof(struct sim_sample, running)}, {"nodes", offsetof(struct sim_sample, nodes)}};
    for (size_t c = 0; c < ARRAY_LEN(counts); c++) {
        key(b, counts[c].name);
        strbuf_add_char(b, '[');
        for (size_t i = 0; i < r->nsamples; i++) {
            comma(b);
            strbuf_add_u64(b, *(const uint32_t *)(const void *)((const char *)&r->samples[i] + counts[c].offset));
        }
        strbuf_add_char(b, ']');
    }
    write_shares(b, x);
    strbuf_add_char(b, '}');
}

static void write_placement(struct strbuf *b, const struct sim_result *r, const struct sim_run *run)
{
    const struct sim_pod *p = &r->pods[run->pod];
    comma(b);
    strbuf_add_char(b, '{');
    k_text(b, "pod", p->name);
    k_text(b, "node", r->nodes[run->node].name);
    k_time(b, "from", run->from);
    k_time(b, "to", run->to);
    k_text(b, "end", str_of(ends[run->end]));
    k_count(b, "cpu", (uint64_t)run->cpu_milli);
    k_count(b, "memory", (uint64_t)run->memory);
    if (run->gpu_milli) {
        k_count(b, "gpu", (uint64_t)run->gpu_milli);
        key(b, "devices");
        strbuf_add_char(b, '[');
        for (unsigned g = 0; g < GPU_MAX; g++)
            if (run->gpu_mask >> g & 1) {
                comma(b);
                strbuf_add_u64(b, g);
            }
        strbuf_add_char(b, ']');
    }
    strbuf_add_char(b, '}');
}

static void write_pod(struct strbuf *b, const struct sim_result *r, const struct sim_pod *p)
{
    comma(b);
    strbuf_add_char(b, '{');
    k_text(b, "name", p->name);
    k_text(b, "job", r->jobs[p->job].name);
    k_text(b, "kind", r->kinds[r->jobs[p->job].kind].name);
    k_text(b, "state", str_of(states[p->state]));
    k_time(b, "arrival", p->arrival);
    k_time(b, "start", p->first_start);
    if (p->evictions)
        k_count(b, "preemptions", p->evictions);
    strbuf_add_char(b, '}');
}

static void write_pending(struct strbuf *b, struct arena *a, const struct report_run *x)
{
    key(b, "pending");
    strbuf_add_char(b, '[');
    for (size_t i = 0; i < x->npending; i++) {
        struct json why = explain_json(a, x->s, x->pending[i].why);
        comma(b);
        strbuf_add_char(b, '{');
        k_text(b, "job", x->pending[i].name);
        k_count(b, "pods", x->pending[i].pods);
        k_time(b, "since", x->pending[i].since);
        k_text(b, "sentence", x->pending[i].why->sentence);
        key(b, "why");
        json_write(b, &why);
        strbuf_add_char(b, '}');
    }
    strbuf_add_char(b, ']');
    if (x->pending_left_off)
        k_count(b, "pendingNotExplained", x->pending_left_off);
}

static void write_run(struct strbuf *b, const struct report_run *x)
{
    ARENA_AUTO a = ARENA_INIT;
    const struct sim_result *r = x->r;
    strbuf_add_char(b, '{');
    k_text(b, "scenario", x->title);
    k_text(b, "profile", x->profile);
    k_count(b, "seed", x->seed);
    k_time(b, "end", r->end);
    write_summary(b, x);
    if (r->nqueues)
        write_queues(b, x);
    write_jobs(b, r);
    write_pending(b, &a, x);
    write_series(b, x);
    key(b, "nodes");
    strbuf_add_char(b, '[');
    for (size_t i = 0; i < r->nnodes; i++)
        write_node(b, r, &r->nodes[i]);
    strbuf_add_char(b, ']');
    key(b, "pods");
    strbuf_add_char(b, '[');
    for (size_t i = 0; i < r->npods; i++)
        write_pod(b, r, &r->pods[i]);
    strbuf_add_char(b, ']');
    key(b, "placements");
    strbuf_add_char(b, '[');
    for (size_t i = 0; i < r->nruns; i++)
        write_placement(b, r, &r->runs[i]);
    strbuf_add_str(b, S("]}"));
}

void report_json(struct strbuf *b, const struct report_run *runs, size_t n)
{
    if (n > 1)
        strbuf_add_str(b, S("{\"runs\":["));
    for (size_t i = 0; i < n; i++) {
        comma(b);
        write_run(b, &runs[i]);
    }
    if (n > 1)
        strbuf_add_str(b, S("]}"));
    strbuf_add_char(b, '\n');
}
