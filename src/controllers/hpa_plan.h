/* hpa_plan.h - how many replicas a HorizontalPodAutoscaler wants: pure.
 *
 *   pods + samples ─► hpa_pods_replicas ─┐
 *   one value      ─► hpa_value_replicas ├─► the highest of all metrics ─► hpa_normalize: stabilised over windows, held to policies, bounds ─► replicas
 *   value a pod    ─► hpa_average_replicas ┘                                      ▲ history: what was advised and done before
 *
 * Amounts are in thousandths.  The rules are those of Kubernetes: pods without a sample count as idle when it would go up and as fully used when it would go down; pods that are not ready yet
 * count as idle; within the tolerance nothing changes.
 * Threads: pure; a history belongs to its HPA.
 * Ownership: texts are on the arena or static. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/arena.h"
#include "base/clock.h"
#include "base/vec.h"

#define HPA_TOLERANCE 0.1
#define HPA_CPU_INIT_NS (300 * NSEC_PER_SEC)     /* after a start cpu is not to be trusted unless the pod is ready */
#define HPA_READY_DELAY_NS (30 * NSEC_PER_SEC)   /* a pod that was never ready until then is not counted as started */

/* --- one metric --------------------------------------------------------------------------------------------------------------- */
struct hpa_pod {
    str name;
    bool ignored; /* going or failed */
    bool pending;
    bool has_ready, ready;
    nsec_t started, ready_changed; /* 0: not known */
    int64_t request_milli;         /* of the resource, all containers or the one asked for; -1: a container has none */
    str without;                   /* name of that container */
};
struct hpa_sample {
    str pod;
    int64_t milli;
    nsec_t at, window;
};
struct hpa_tolerance {
    double up, down;
};
struct hpa_pods_input {
    int64_t current; /* replicas that are asked for now */
    const struct hpa_pod *pods;
    size_t npods;
    const struct hpa_sample *samples;
    size_t nsamples;
    bool is_cpu;
    str resource;                /* "cpu", for messages; "" another metric */
    int64_t target_utilization;  /* percent of the requests; 0: target_milli counts */
    int64_t target_milli;        /* average of the pods */
    struct hpa_tolerance tolerance;
    nsec_t now;
};
struct hpa_proposal {
    bool ok;
    const char *reason; /* not ok: of the condition, "FailedGetResourceMetric"; set by who knows the kind of metric */
    str message;        /* not ok */
    int64_t replicas;
    int64_t utilization;  /* percent, -1: none */
    int64_t average_milli; /* -1: none */
    int64_t value_milli;   /* -1: none */
};
struct hpa_proposal hpa_pods_replicas(struct arena *a, const struct hpa_pods_input *in);
/* One value against a target: as many times the ready pods as the value is off. */
struct hpa_proposal hpa_value_replicas(int64_t current, int64_t value_milli, int64_t target_milli, int64_t ready_pods, struct hpa_tolerance tolerance);
/* One value shared by the pods: value / target. */
struct hpa_proposal hpa_average_replicas(int64_t current, int64_t value_milli, int64_t target_milli, struct hpa_tolerance tolerance);
int64_t hpa_ready_pods(const struct hpa_pod *pods, size_t n);

/* --- all of them ----------------------------------------------------------------------------------------------------------------- */
/* The highest proposal counts.  One that failed forbids scaling down; all failed: nothing.  *ret_failed: the first that failed, NULL none; *ret_best: whose word it is, -1 nobody's. */
bool hpa_combine(const struct hpa_proposal *p, size_t n, int64_t current, int64_t *ret_replicas, const struct hpa_proposal **ret_failed, ptrdiff_t *ret_best);

/* --- behaviour -------------------------------------------------------------------------------------------------------------------- */
#define HPA_POLICIES 16
enum hpa_select { HPA_MAX, HPA_MIN, HPA_DISABLED };
struct hpa_rules {
    nsec_t window; /* stabilisation */
    enum hpa_select select;
    struct hpa_policy {
        bool percent;
        int64_t value;
        nsec_t period;
    } policies[HPA_POLICIES];
    size_t npolicies;
    double tolerance;
};
struct hpa_rules hpa_rules_default(bool up);

#define HPA_HISTORY 512 /* entries of each kind; the oldest go */
struct hpa_past {
    int64_t n; /* replicas that were advised, or how many more or fewer */
    nsec_t at;
};
struct hpa_history {
    VEC(struct hpa_past) advice, ups, downs;
};
void hpa_history_fini(struct hpa_history *h);

struct hpa_bounds {
    int64_t min, max, current;
};
struct hpa_outcome {
    int64_t replicas;
    bool stabilized;          /* not what the metrics say: earlier advice counts */
    const char *able_reason;  /* of the condition AbleToScale */
    const char *able_message;
    bool limited;
    const char *limit_reason; /* of the condition ScalingLimited */
    const char *limit_message;
};
/* Notes the advice in the history. */
struct hpa_outcome hpa_normalize(struct hpa_history *h, const struct hpa_rules *up, const struct hpa_rules *down, const struct hpa_bounds *b, int64_t desired, nsec_t now);
/* A scale was carried out. */
void hpa_scaled(struct hpa_history *h, int64_t was, int64_t now_replicas, nsec_t now);
