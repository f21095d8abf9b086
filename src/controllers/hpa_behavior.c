/* hpa_behavior.c - how fast replicas may change: windows of earlier advice, policies a period, bounds.
 *
 *   up window 0 s, down window 300 s:  advice of the last five minutes 8, 3, 5, now 2, current 8  ─►  down to the highest of it: 8, so nothing happens yet */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "controllers/hpa_plan.h"

#define DOWN_WINDOW_NS (300 * NSEC_PER_SEC)
#define PERIOD_NS (15 * NSEC_PER_SEC)

struct hpa_rules hpa_rules_default(bool up)
{
    struct hpa_rules r = {.window = up ? 0 : DOWN_WINDOW_NS, .tolerance = HPA_TOLERANCE};
    r.policies[r.npolicies++] = (struct hpa_policy){.percent = true, .value = 100, .period = PERIOD_NS};
    if (up)
        r.policies[r.npolicies++] = (struct hpa_policy){.value = 4, .period = PERIOD_NS};
    return r;
}

void hpa_history_fini(struct hpa_history *h)
{
    vec_fini(&h->advice);
    vec_fini(&h->ups);
    vec_fini(&h->downs);
}

#define note(list, ...)                                                                                                                                        \
    do {                                                                                                                                                        \
        if ((list)->len == HPA_HISTORY)                                                                                                                         \
            vec_remove(list, 0);                                                                                                                                \
        vec_push(list, __VA_ARGS__);                                                                                                                            \
    } while (0)

void hpa_scaled(struct hpa_history *h, int64_t was, int64_t now_replicas, nsec_t now)
{
    if (now_replicas > was)
        note(&h->ups, (struct hpa_past){now_replicas - was, now});
    else if (now_replicas < was)
        note(&h->downs, (struct hpa_past){was - now_replicas, now});
}

/* --- stabilisation --------------------------------------------------------------------------------------------------------------- */

static int64_t stabilize(struct hpa_history *h, const struct hpa_rules *up, const struct hpa_rules *down, int64_t current, int64_t desired, nsec_t now)
{
    int64_t lowest = desired, highest = desired, out = current;
    if (!h->advice.len) /* after a start: as if it had always been so */
        note(&h->advice, (struct hpa_past){current, now});
    for (size_t i = 0; i < h->advice.len; i++) {
        const struct hpa_past *p = &h->advice.p[i];
        if (p->at > now - up->window)
            lowest = MIN(lowest, p->n);
        if (p->at > now - down->window)
            highest = MAX(highest, p->n);
    }
    nsec_t oldest = now - MAX(up->window, down->window);
    while (h->advice.len && h->advice.p[0].at <= oldest)
        vec_remove(&h->advice, 0);
    note(&h->advice, (struct hpa_past){desired, now});
    if (out < lowest)
        out = lowest;
    if (out > highest)
        out = highest;
    return out;
}

/* --- policies ---------------------------------------------------------------------------------------------------------------------- */

static int64_t sum_since(const struct hpa_past *p, size_t n, nsec_t since)
{
    int64_t sum = 0;
    for (size_t i = 0; i < n; i++)
        if (p[i].at > since)
            sum += p[i].n;
    return sum;
}

/* Where the policies let it go from here. */
static int64_t limit(const struct hpa_history *h, const struct hpa_rules *r, bool up, int64_t current, nsec_t now)
{
    if (r->select == HPA_DISABLED || !r->npolicies)
        return current;
    bool wants_high = up == (r->select == HPA_MAX); /* the policy that allows most: up the highest, down the lowest */
    int64_t out = wants_high ? INT64_MIN : INT64_MAX;
    for (size_t i = 0; i < r->npolicies; i++) {
        const struct hpa_policy *p = &r->policies[i];
        nsec_t since = now - p->period;
        int64_t start = current - sum_since(h->ups.p, h->ups.len, since) + sum_since(h->downs.p, h->downs.len, since), to;
        double share = (double)p->value / 100;
        if (up)
            to = p->percent ? (int64_t)ceil((double)start * (1 + share) - 1e-9) : start + p->value;
        else
            to = p->percent ? (int64_t)((double)start * (1 - share) + 1e-9) : start - p->value;
        out = wants_high ? MAX(out, to) : MIN(out, to);
    }
    return up ? MAX(out, current) : MIN(out, current);
}

static void hold(struct hpa_outcome *o, const struct hpa_history *h, const struct hpa_rules *up, const struct hpa_rules *down, const struct hpa_bounds *b, nsec_t now)
{
    if (o->replicas > b->current) {
        int64_t rate = limit(h, up, true, b->current, now), most = MIN(rate, b->max);
        if (o->replicas > most) {
            o->replicas = most;
            o->limited = true;
            o->limit_reason = rate < b->max ? "ScaleUpLimit" : "TooManyReplicas";
            o->limit_message = rate < b->max ? "the desired replica count is increasing faster than the maximum scale rate"
                                             : "the desired replica count is more than the maximum replica count";
        }
    } else if (o->replicas < b->current) {
        int64_t rate = limit(h, down, false, b->current, now), least = MAX(rate, b->min);
        if (o->replicas < least) {
            o->replicas = least;
            o->limited = true;
            o->limit_reason = rate > b->min ? "ScaleDownLimit" : "TooFewReplicas";
            o->limit_message = rate > b->min ? "the desired replica count is decreasing faster than the maximum scale rate"
                                             : "the desired replica count is less than the minimum replica count";
        }
    } else if (o->replicas > b->max || o->replicas < b->min) {
        o->replicas = MAX(MIN(o->replicas, b->max), b->min);
    }
}

struct hpa_outcome hpa_normalize(struct hpa_history *h, const struct hpa_rules *up, const struct hpa_rules *down, const struct hpa_bounds *b, int64_t desired, nsec_t now)
{
    struct hpa_outcome o = {.able_reason = "ReadyForNewScale", .able_message = "recommended size matches current size", .limit_reason = "DesiredWithinRange",
                            .limit_message = "the desired count is within the acceptable range"};
    o.replicas = stabilize(h, up, down, b->current, desired, now);
    if (o.replicas != desired) {
        bool held_up = desired < o.replicas;
        o.stabilized = true;
        o.able_reason = held_up ? "ScaleDownStabilized" : "ScaleUpStabilized";
        o.able_message = held_up ? "recent recommendations were higher than current one, applying the highest recent recommendation"
                                 : "recent recommendations were lower than current one, applying the lowest recent recommendation";
    }
    hold(&o, h, up, down, b, now);
    return o;
}
