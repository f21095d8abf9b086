/* hpa_plan.c - replicas from metrics. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "controllers/hpa_plan.h"

#include <math.h>

#include "base/map.h"

#define MOST_REPLICAS 1000000000ll

static int64_t ceil_replicas(double v)
{
    return v >= (double)MOST_REPLICAS ? MOST_REPLICAS : v <= 0 ? 0 : (int64_t)ceil(v - 1e-9);
}

static bool is_tolerable(double ratio, struct hpa_tolerance t)
{
    return ratio >= 1.0 - t.down && ratio <= 1.0 + t.up;
}

/* --- which pods count ------------------------------------------------------------------------------------------------------------- */

enum state { COUNTS, UNREADY, MISSING, IGNORED };

/* Is what a cpu sample says true of the pod's work, or of its start? */
static bool is_starting(const struct hpa_pod *p, const struct hpa_sample *s, nsec_t now)
{
    if (!p->has_ready || !p->started)
        return true;
    if (p->started + HPA_CPU_INIT_NS > now) /* young: a whole window since it became ready */
        return !p->ready || s->at < p->ready_changed + s->window;
    return !p->ready && p->started + HPA_READY_DELAY_NS > p->ready_changed; /* it was never ready */
}

static enum state state_of(const struct hpa_pods_input *in, const struct hpa_pod *p, const struct hpa_sample *s)
{
    if (p->ignored)
        return IGNORED;
    if (p->pending)
        return UNREADY;
    if (!s)
        return MISSING;
    return in->is_cpu && is_starting(p, s, in->now) ? UNREADY : COUNTS;
}

struct tally {
    int64_t counts, unready, missing;
    double usage, requests;                 /* of those that count */
    double unready_requests, missing_requests;
};

static struct hpa_proposal failed(str message)
{
    return (struct hpa_proposal){.message = message, .utilization = -1, .average_milli = -1, .value_milli = -1};
}

static void count(const struct hpa_pods_input *in, struct tally *t)
{
    struct map by_pod = MAP_INIT;
    for (size_t i = 0; i < in->nsamples; i++)
        if (in->samples[i].pod.len)
            map_put(&by_pod, in->samples[i].pod, (void *)&in->samples[i]);
    for (size_t i = 0; i < in->npods; i++) {
        const struct hpa_pod *p = &in->pods[i];
        const struct hpa_sample *s = map_get(&by_pod, p->name);
        double request = (double)MAX(p->request_milli, (int64_t)0);
        switch (state_of(in, p, s)) {
        case COUNTS:
            t->counts++;
            t->usage += (double)s->milli;
            t->requests += request;
            break;
        case UNREADY:
            t->unready++;
            t->unready_requests += request;
            break;
        case MISSING:
            t->missing++;
            t->missing_requests += request;
            break;
        case IGNORED:
            break;
        }
    }
    map_fini(&by_pod);
}

static const struct hpa_pod *without_request(const struct hpa_pods_input *in)
{
    for (size_t i = 0; i < in->npods; i++)
        if (!in->pods[i].ignored && in->pods[i].request_milli < 0)
            return &in->pods[i];
    return NULL;
}

/* How far off the target a usage is.  Utilisation is whole percents, as it is shown. */
static double ratio_of(const struct hpa_pods_input *in, double usage, double requests, int64_t n)
{
    if (in->target_utilization)
        return floor(usage * 100 / requests) / (double)in->target_utilization;
    return usage / (double)n / (double)in->target_milli;
}

static int64_t with_the_rest(const struct hpa_pods_input *in, const struct tally *t, double ratio)
{
    bool up_with_unready = t->unready && ratio > 1;
    double usage = t->usage, requests = t->requests;
    int64_t n = t->counts;
    if (t->missing) {
        /* going down they might be busy, going up they might be idle */
        if (ratio < 1)
            usage += in->target_utilization ? t->missing_requests * (double)MAX(in->target_utilization, (int64_t)100) / 100 : (double)(t->missing * in->target_milli);
        requests += t->missing_requests;
        n += t->missing;
    }
    if (up_with_unready) {
        requests += t->unready_requests;
        n += t->unready;
    }
    double again = ratio_of(in, usage, requests, n);
    if (is_tolerable(again, in->tolerance) || (ratio < 1 && again > 1) || (ratio > 1 && again < 1))
        return in->current;
    int64_t replicas = ceil_replicas(again * (double)n);
    return (again < 1 && replicas > in->current) || (again > 1 && replicas < in->current) ? in->current : replicas;
}

struct hpa_proposal hpa_pods_replicas(struct arena *a, const struct hpa_pods_input *in)
{
    struct tally t = {0};
    const struct hpa_pod *bare = in->target_utilization ? without_request(in) : NULL;
    if (!in->nsamples)
        return failed(S("no metrics of its pods are known"));
    if (bare)
        return failed(arena_fmt(a, "missing request for " STR_FMT " in container " STR_FMT " of Pod " STR_FMT, STR_ARG(in->resource), STR_ARG(bare->without), STR_ARG(bare->name)));
    count(in, &t);
    if (!t.counts)
        return failed(S("did not receive metrics for targeted pods (pods might be unready)"));
    if (in->target_utilization && t.requests <= 0)
        return failed(arena_fmt(a, "its pods request no " STR_FMT, STR_ARG(in->resource)));
    double ratio = ratio_of(in, t.usage, t.requests, t.counts);
    struct hpa_proposal out = {.ok = true, .utilization = -1, .average_milli = (int64_t)(t.usage / (double)t.counts), .value_milli = -1};
    if (in->target_utilization)
        out.utilization = (int64_t)(t.usage * 100 / t.requests);
    bool up_with_unready = t.unready && ratio > 1;
    if (up_with_unready || t.missing)
        out.replicas = with_the_rest(in, &t, ratio);
    else
        out.replicas = is_tolerable(ratio, in->tolerance) ? in->current : ceil_replicas(ratio * (double)t.counts);
    return out;
}

/* --- single values ------------------------------------------------------------------------------------------------------------------- */

int64_t hpa_ready_pods(const struct hpa_pod *pods, size_t n)
{
    int64_t ready = 0;
    for (size_t i = 0; i < n; i++)
        ready += pods[i].has_ready && pods[i].ready && !pods[i].pending;
    return ready;
}

struct hpa_proposal hpa_value_replicas(int64_t current, int64_t value_milli, int64_t target_milli, int64_t ready_pods, struct hpa_tolerance tolerance)
{
    struct hpa_proposal out = {.ok = true, .utilization = -1, .average_milli = -1, .value_milli = value_milli};
    double ratio = (double)value_milli / (double)MAX(target_milli, (int64_t)1);
    if (current == 0)
        out.replicas = ceil_replicas(ratio);
    else
        out.replicas = is_tolerable(ratio, tolerance) ? current : ceil_replicas(ratio * (double)ready_pods);
    return out;
}

struct hpa_proposal hpa_average_replicas(int64_t current, int64_t value_milli, int64_t target_milli, struct hpa_tolerance tolerance)
{
    double ratio = current > 0 ? (double)value_milli / ((double)MAX(target_milli, (int64_t)1) * (double)current) : 2;
    struct hpa_proposal out = {.ok = true, .utilization = -1, .value_milli = -1, .replicas = current};
    if (!is_tolerable(ratio, tolerance) || current == 0)
        out.replicas = ceil_replicas((double)value_milli / (double)MAX(target_milli, (int64_t)1));
    out.average_milli = current > 0 ? (int64_t)ceil((double)value_milli / (double)current) : value_milli;
    return out;
}

/* --- all of them ------------------------------------------------------------------------------------------------------------------------ */

bool hpa_combine(const struct hpa_proposal *p, size_t n, int64_t current, int64_t *ret_replicas, const struct hpa_proposal **ret_failed, ptrdiff_t *ret_best)
{
    int64_t most = -1;
    *ret_failed = NULL;
    *ret_best = -1;
    for (size_t i = 0; i < n; i++) {
        if (!p[i].ok)
            *ret_failed = *ret_failed ? *ret_failed : &p[i];
        else if (p[i].replicas > most) {
            most = p[i].replicas;
            *ret_best = (ptrdiff_t)i;
        }
    }
    if (most < 0 || (*ret_failed && most < current))
        return false;
    *ret_replicas = most;
    return true;
}
