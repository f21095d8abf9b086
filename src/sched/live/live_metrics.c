/* live_metrics.c - counters of the live scheduler in Prometheus' text format.  Names and labels are kube-scheduler's, so that its dashboards work. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/engine/keep.h"
#include "sched/engine/links.h"
#include "sched/live/live_internal.h"

/* Seconds, doubling from 0.1 ms; counts, doubling from 1. */
#define SECONDS_FIRST 0.0001
#define COUNT_FIRST 1.0

static void observe(struct live_histogram *h, double first, double v)
{
    uint32_t i = 0;
    double bound = first;
    while (i < LIVE_BUCKETS && v > bound) {
        bound *= 2;
        i++;
    }
    h->count[i]++;
    h->sum += v;
}

void live_observe_seconds(struct live_histogram *h, double seconds)
{
    observe(h, SECONDS_FIRST, seconds);
}
void live_observe_count(struct live_histogram *h, double n)
{
    observe(h, COUNT_FIRST, n);
}

static void head(struct strbuf *b, const char *name, const char *type, const char *help)
{
    strbuf_addf(b, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

/* labels: "a=\"x\"" or "". */
static void histogram(struct strbuf *b, const char *name, const char *labels, const struct live_histogram *h, double first)
{
    uint64_t sum = 0;
    double bound = first;
    const char *comma = labels[0] ? "," : "";
    for (uint32_t i = 0; i < LIVE_BUCKETS; i++, bound *= 2) {
        sum += h->count[i];
        strbuf_addf(b, "%s_bucket{%s%sle=\"%g\"} %llu\n", name, labels, comma, bound, (unsigned long long)sum);
    }
    sum += h->count[LIVE_BUCKETS];
    strbuf_addf(b, "%s_bucket{%s%sle=\"+Inf\"} %llu\n", name, labels, comma, (unsigned long long)sum);
    strbuf_addf(b, labels[0] ? "%s_sum{%s} %.9g\n" : "%s_sum%s %.9g\n", name, labels, h->sum);
    strbuf_addf(b, labels[0] ? "%s_count{%s} %llu\n" : "%s_count%s %llu\n", name, labels, (unsigned long long)sum);
}

static void one(struct strbuf *b, const char *name, const char *type, const char *help, const char *labels, uint64_t v)
{
    head(b, name, type, help);
    strbuf_addf(b, labels[0] ? "%s{%s} %llu\n" : "%s%s %llu\n", name, labels, (unsigned long long)v);
}

/* One alone may serve several names, and need not have its own. */
static str profile_name(const struct live *l, uint32_t profile)
{
    return l->nprofiles > 1 || profile ? l->s->table->profiles[profile]->name : str_of(l->names[0]);
}

/* The operator's; of those of queues, the ones that were used. */
static bool is_shown(const struct live *l, uint32_t profile)
{
    const struct live_attempts *a = &l->m.attempts[profile];
    return profile < l->nprofiles || a->count[LIVE_SCHEDULED] || a->count[LIVE_UNSCHEDULABLE] || a->count[LIVE_ERROR];
}

static void write_attempts(struct live *l, struct strbuf *b)
{
    static const char *const results[] = {"scheduled", "unschedulable", "error"};
    const struct profile_table *t = l->s->table;
    struct live_histogram all = {0};
    char labels[400];
    head(b, "scheduler_schedule_attempts_total", "counter", "Attempts to place a pod, by how they ended.");
    for (uint32_t p = 0; p < t->nprofiles; p++)
        for (size_t i = 0; is_shown(l, p) && i < ARRAY_LEN(results); i++)
            strbuf_addf(b, "scheduler_schedule_attempts_total{profile=\"" STR_FMT "\",result=\"%s\"} %llu\n", STR_ARG(profile_name(l, p)), results[i],
                        (unsigned long long)l->m.attempts[p].count[i]);
    head(b, "scheduler_scheduling_attempt_duration_seconds", "histogram", "Time of a decision.");
    for (uint32_t p = 0; p < t->nprofiles; p++)
        for (size_t i = 0; is_shown(l, p) && i < ARRAY_LEN(results); i++) {
            const struct live_histogram *h = &l->m.attempts[p].duration[i];
            snprintf(labels, sizeof labels, "profile=\"" STR_FMT "\",result=\"%s\"", STR_ARG(profile_name(l, p)), results[i]);
            histogram(b, "scheduler_scheduling_attempt_duration_seconds", labels, h, SECONDS_FIRST);
            for (uint32_t k = 0; k <= LIVE_BUCKETS; k++)
                all.count[k] += h->count[k];
            all.sum += h->sum;
        }
    head(b, "scheduler_scheduling_algorithm_duration_seconds", "histogram", "Time of a decision, however it ended.");
    histogram(b, "scheduler_scheduling_algorithm_duration_seconds", "", &all, SECONDS_FIRST);
    head(b, "scheduler_pod_scheduling_sli_duration_seconds", "histogram", "From the time a pod was first seen until it was bound.");
    histogram(b, "scheduler_pod_scheduling_sli_duration_seconds", "", &l->m.sli, SECONDS_FIRST);
    head(b, "scheduler_e2e_scheduling_duration_seconds", "histogram", "The same under its former name.");
    histogram(b, "scheduler_e2e_scheduling_duration_seconds", "", &l->m.sli, SECONDS_FIRST);
    head(b, "scheduler_pod_scheduling_attempts", "histogram", "Attempts until a pod was bound.");
    histogram(b, "scheduler_pod_scheduling_attempts", "", &l->m.tries, COUNT_FIRST);
    head(b, "scheduler_binding_duration_seconds", "histogram", "From the decision until the API server had it.");
    histogram(b, "scheduler_binding_duration_seconds", "", &l->m.binding, SECONDS_FIRST);
}

static void write_queues(struct live *l, struct strbuf *b)
{
    struct dispatcher_counts c = dispatcher_count(l->d);
    head(b, "scheduler_pending_pods", "gauge", "Pods and groups that wait, by where they wait.");
    strbuf_addf(b, "scheduler_pending_pods{queue=\"active\"} %u\n", c.ready + c.flying);
    strbuf_addf(b, "scheduler_pending_pods{queue=\"backoff\"} %u\n", c.backoff);
    strbuf_addf(b, "scheduler_pending_pods{queue=\"gated\"} %u\n", c.held);
    strbuf_addf(b, "scheduler_pending_pods{queue=\"unschedulable\"} %u\n", c.parked);
    one(b, "scheduler_queue_incoming_pods_total", "counter", "Pods that came to be placed.", "event=\"PodAdd\",queue=\"active\"", l->m.incoming);
    head(b, "scheduler_cache_size", "gauge", "What the scheduler knows of.");
    strbuf_addf(b, "scheduler_cache_size{type=\"assumed_pods\"} %zu\n", outbox_len(l->binds));
    strbuf_addf(b, "scheduler_cache_size{type=\"nodes\"} %u\n", sched_node_count(l->s));
    strbuf_addf(b, "scheduler_cache_size{type=\"pods\"} %u\n", l->s->npods);
}

static void write_own(struct live *l, struct strbuf *b)
{
    head(b, "cox_scheduler_binds_total", "counter", "Binds, by the server's answer.");
    strbuf_addf(b, "cox_scheduler_binds_total{answer=\"ok\"} %llu\n", (unsigned long long)l->m.bind_ok);
    strbuf_addf(b, "cox_scheduler_binds_total{answer=\"refused\"} %llu\n", (unsigned long long)l->m.bind_refused);
    one(b, "cox_scheduler_binds_taken_back_total", "counter", "Decisions that were taken back.", "", l->m.bind_failed);
    one(b, "cox_scheduler_binds_in_flight", "gauge", "Requests that wait for an answer.", "", outbox_flying(l->binds));
    one(b, "cox_scheduler_lists_total", "counter", "Lists that were begun.", "", l->m.lists);
    head(b, "cox_scheduler_pods_recognised_total", "counter", "Events of pods that did not have to be read.");
    strbuf_addf(b, "cox_scheduler_pods_recognised_total{as=\"twin\"} %llu\n", (unsigned long long)l->m.twins);
    strbuf_addf(b, "cox_scheduler_pods_recognised_total{as=\"echo\"} %llu\n", (unsigned long long)l->m.echoes);
    one(b, "cox_scheduler_unreadable_objects_total", "counter", "Objects that could not be understood.", "", l->m.bad_objects);
    one(b, "cox_scheduler_conditions_total", "counter", "Conditions that were written.", "", l->m.conditions);
    one(b, "cox_scheduler_events_total", "counter", "Events that were written.", "", l->m.events_sent);
    one(b, "cox_scheduler_events_dropped_total", "counter", "Events that were not written because there were too many.", "", l->m.events_dropped);
    one(b, "cox_scheduler_engine_bytes", "gauge", "Memory of the engine, roughly.", "", sched_bytes(l->s));
}

static void write_links(struct live *l, struct strbuf *b)
{
    static const struct { const char *name, *help; } gauges[] = {{"link_bandwidth_total_bits", "What a link between two domains can carry, bit/s."},
                                                                 {"link_bandwidth_reserved_bits", "What tasks are promised on it, bit/s."}};
    struct link_list links = {0};
    links_list(l->s, &links);
    for (size_t k = 0; k < ARRAY_LEN(gauges) && links.list.len; k++) {
        head(b, gauges[k].name, "gauge", gauges[k].help);
        for (size_t i = 0; i < links.list.len; i++) {
            const struct link *x = links.list.p[i];
            strbuf_addf(b, "%s{source=\"" STR_FMT "\",destination=\"" STR_FMT "\"} %lld\n", gauges[k].name, STR_ARG(symbol_text(&l->s->sym, x->ends[0])),
                        STR_ARG(symbol_text(&l->s->sym, x->ends[1])), (long long)(k == 0 ? x->capacity : x->taken));
        }
    }
    vec_fini(&links.list);
}

void live_metrics_write(struct live *l, struct strbuf *b)
{
    write_attempts(l, b);
    write_queues(l, b);
    one(b, "scheduler_preemption_attempts_total", "counter", "Attempts to make room by eviction.", "", l->m.preemptions);
    head(b, "scheduler_preemption_victims", "histogram", "Pods evicted by one preemption.");
    histogram(b, "scheduler_preemption_victims", "", &l->m.victims, COUNT_FIRST);
    write_own(l, b);
    one(b, "cox_scheduler_protected_tasks", "gauge", "Tasks of several domains that room is kept for, as they have waited too long.", "", l->s->keeps->list.len);
    write_links(l, b);
    live_policy_metrics(l, b);
}
