/* naive_score.c - the scores, in the arithmetic that kube-scheduler uses: integers, and doubles where it has doubles. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "sched/reference/naive.h"

#define MIB (1024ll * 1024)

/* --- normalising ------------------------------------------------------------------------------------------------------------ */
static void by_largest(const struct naive *w, const bool *fits, int64_t *out, bool reverse)
{
    int64_t largest = 0;
    for (size_t i = 0; i < w->nodes.len; i++)
        if (fits[i])
            largest = MAX(largest, out[i]);
    for (size_t i = 0; i < w->nodes.len; i++) {
        int64_t s = largest ? SCORE_MAX * out[i] / largest : 0;
        out[i] = reverse ? SCORE_MAX - s : s;
    }
}

/* --- resources -------------------------------------------------------------------------------------------------------------- */
static bool is_extended(uint16_t r)
{
    return r != RES_CPU && r != RES_MEMORY && r != RES_STORAGE && r != RES_PODS;
}

/* What scoring takes as requested: containers without a request count a little. */
static int64_t scored_request(const struct pod_spec *p, uint16_t r, bool nonzero)
{
    if (nonzero && r == RES_CPU)
        return p->nonzero_cpu;
    if (nonzero && r == RES_MEMORY)
        return p->nonzero_memory;
    return naive_request(p, r);
}

static int64_t scored_used(const struct naive *w, int node, uint16_t r, bool nonzero)
{
    int64_t sum = 0;
    for (size_t i = 0; i < w->pods.len; i++)
        if (w->pods.p[i].node == node && (naive_counts(&w->pods.p[i]) || w->pods.p[i].state == NAIVE_NOMINATED))
            sum += scored_request(&w->pods.p[i].spec, r, nonzero);
    return sum;
}

static int64_t on_shape(const struct naive_conf *c, int64_t utilization)
{
    for (size_t i = 0; i < c->nshape; i++) {
        const struct fit_shape_point *b = &c->shape[i], *a = b - 1;
        if (utilization > b->utilization)
            continue;
        if (i == 0)
            return b->score;
        return a->score + (b->score - a->score) * (utilization - a->utilization) / (b->utilization - a->utilization);
    }
    return c->shape[c->nshape - 1].score;
}

static int64_t fit_of(const struct naive_conf *c, int64_t requested, int64_t capacity)
{
    if (c->strategy == FIT_LEAST)
        return requested > capacity ? 0 : (capacity - requested) * SCORE_MAX / capacity;
    if (c->strategy == FIT_MOST)
        return MIN(requested, capacity) * SCORE_MAX / capacity;
    return on_shape(c, requested > capacity ? 100 : requested * 100 / capacity);
}

static int64_t fit_score(const struct naive *w, const struct pod_spec *p, int node)
{
    int64_t sum = 0, weights = 0;
    for (size_t i = 0; i < w->conf.nfit; i++) {
        uint16_t r = w->conf.fit[i].id;
        int64_t capacity = naive_capacity(&w->nodes.p[node].spec, r);
        if (capacity == 0 || (is_extended(r) && naive_request(p, r) == 0))
            continue;
        int64_t s = fit_of(&w->conf, scored_used(w, node, r, true) + scored_request(p, r, true), capacity);
        if (w->conf.strategy == FIT_RATIO && s == 0)
            continue; /* kube-scheduler leaves a resource that scores nothing out of the mean */
        sum += s * w->conf.fit[i].weight;
        weights += w->conf.fit[i].weight;
    }
    if (weights == 0)
        return 0;
    return w->conf.strategy == FIT_RATIO ? (int64_t)round((double)sum / (double)weights) : sum / weights;
}

static int64_t balance(const struct naive *w, const struct pod_spec *p, int node, bool with)
{
    double fraction[4], total = 0, std = 0;
    size_t n = 0;
    for (size_t i = 0; i < w->conf.nbalanced; i++) {
        uint16_t r = w->conf.balanced[i].id;
        int64_t capacity = naive_capacity(&w->nodes.p[node].spec, r);
        if (capacity == 0 || (is_extended(r) && naive_request(p, r) == 0))
            continue;
        int64_t amount = scored_used(w, node, r, false) + (with ? naive_request(p, r) : 0);
        fraction[n] = MIN((double)amount / (double)capacity, 1.0);
        total += fraction[n++];
    }
    if (n == 2) {
        std = fabs((fraction[0] - fraction[1]) / 2);
    } else if (n > 2) {
        double mean = total / (double)n, sum = 0;
        for (size_t i = 0; i < n; i++)
            sum += (fraction[i] - mean) * (fraction[i] - mean);
        std = sqrt(sum / (double)n);
    }
    return (int64_t)((1 - std) * SCORE_MAX);
}

static int64_t balanced_score(const struct naive *w, const struct pod_spec *p, int node)
{
    int64_t with = balance(w, p, node, true);
    if (w->conf.formula == BALANCED_WITH)
        return with;
    return SCORE_MAX / 2 + (SCORE_MAX / 2 + with - balance(w, p, node, false)) / 2;
}

/* --- images ----------------------------------------------------------------------------------------------------------------- */
static const struct spec_image *image_on(const struct node_spec *n, str name)
{
    for (size_t i = 0; i < n->nimages; i++)
        if (str_eq(n->images[i].name, name))
            return &n->images[i];
    return NULL;
}

static int64_t image_score(const struct naive *w, const struct pod_spec *p, int node)
{
    int64_t sum = 0, all = 0, least = 23 * MIB, most = 1000 * MIB * (int64_t)p->nimages;
    for (size_t m = 0; m < w->nodes.len; m++)
        all += w->nodes.p[m].used;
    for (size_t i = 0; i < p->nimages; i++) {
        const struct spec_image *here = image_on(&w->nodes.p[node].spec, p->images[i]);
        int64_t with = 0;
        for (size_t m = 0; here && m < w->nodes.len; m++)
            with += w->nodes.p[m].used && image_on(&w->nodes.p[m].spec, p->images[i]);
        if (here)
            sum += (int64_t)((double)here->bytes * ((double)with / (double)all));
    }
    sum = MIN(MAX(sum, least), most);
    return SCORE_MAX * (sum - least) / (most - least);
}

/* --- node affinity, taints -------------------------------------------------------------------------------------------------- */
static int64_t affinity_score(const struct naive *w, const struct pod_spec *p, int node)
{
    const struct node_spec *n = &w->nodes.p[node].spec;
    int64_t sum = 0;
    for (size_t i = 0; i < p->npreferred_terms; i++)
        sum += naive_node_term(&p->preferred_terms[i], n) ? p->preferred_terms[i].weight : 0;
    for (size_t i = 0; i < w->conf.nadded_preferred; i++)
        sum += naive_node_term(&w->conf.added_preferred[i], n) ? w->conf.added_preferred[i].weight : 0;
    return sum;
}

static int64_t taint_score(const struct naive *w, const struct pod_spec *p, int node)
{
    const struct node_spec *n = &w->nodes.p[node].spec;
    int64_t count = 0;
    for (size_t i = 0; i < n->ntaints; i++)
        count += n->taints[i].effect == TAINT_PREFER_NO_SCHEDULE && !naive_tolerates(p, &n->taints[i]);
    return count;
}

/* --- affinity between pods -------------------------------------------------------------------------------------------------- */
/* What all pods of one node add to another node through one list of terms: owner's terms that the candidate matches. */
static int64_t terms_score(const struct naive *w, const struct spec_pod_term *t, size_t nterms, const struct pod_spec *owner,
                           const struct pod_spec *candidate, int from,
                           int to, int32_t weight /* 0: the terms' own */)
{
    int64_t sum = 0;
    for (size_t i = 0; i < nterms; i++) {
        str x, y;
        if (naive_pod_matches(w, &t[i], owner, candidate) && naive_label(w->nodes.p[from].spec.labels, t[i].topology_key, &x) &&
            naive_label(w->nodes.p[to].spec.labels, t[i].topology_key, &y) && str_eq(x, y))
            sum += weight ? weight : t[i].weight;
    }
    return sum;
}

static int64_t pod_affinity_score(const struct naive *w, const struct pod_spec *p, int node)
{
    int64_t sum = 0;
    for (size_t i = 0; i < w->pods.len; i++) {
        const struct naive_pod *x = &w->pods.p[i];
        const struct pod_spec *q = &x->spec;
        if (!naive_counts(x) || q == p)
            continue;
        sum += terms_score(w, p->preferred_affinity, p->npreferred_affinity, p, q, x->node, node, 0);
        sum -= terms_score(w, p->preferred_anti_affinity, p->npreferred_anti_affinity, p, q, x->node, node, 0);
        sum += terms_score(w, q->preferred_affinity, q->npreferred_affinity, q, p, x->node, node, 0);
        sum -= terms_score(w, q->preferred_anti_affinity, q->npreferred_anti_affinity, q, p, x->node, node, 0);
        if (w->conf.hard_affinity_weight)
            sum += terms_score(w, q->affinity, q->naffinity, q, p, x->node, node, w->conf.hard_affinity_weight);
    }
    return sum;
}

static void pod_affinity_normalize(const struct naive *w, const bool *fits, int64_t *out)
{
    int64_t most = INT64_MIN, least = INT64_MAX;
    for (size_t i = 0; i < w->nodes.len; i++)
        if (fits[i]) {
            most = MAX(most, out[i]);
            least = MIN(least, out[i]);
        }
    for (size_t i = 0; i < w->nodes.len; i++)
        if (fits[i])
            out[i] = most > least ? (int64_t)(SCORE_MAX * ((double)(out[i] - least) / (double)(most - least))) : 0;
}

/* --- topology spread -------------------------------------------------------------------------------------------------------- */
struct soft {
    struct spec_spread list[8];
    size_t n;
    bool all_keys; /* nodes that lack a key are left out; not so for the system's defaults */
};

static struct soft soft_constraints(const struct naive *w, const struct pod_spec *p)
{
    struct soft s = {.all_keys = true};
    for (size_t i = 0; i < p->nspread && s.n < ARRAY_LEN(s.list); i++)
        if (!p->spread[i].hard)
            s.list[s.n++] = p->spread[i];
    if (p->nspread == 0 && w->conf.default_spread && p->default_spread_owned) {
        s.list[0] = (struct spec_spread){S("kubernetes.io/hostname"), 3, 0, false, SPREAD_HONOR, SPREAD_IGNORE, p->default_spread_selector};
        s.list[1] = (struct spec_spread){S("topology.kubernetes.io/zone"), 5, 0, false, SPREAD_HONOR, SPREAD_IGNORE, p->default_spread_selector};
        s.n = 2;
        s.all_keys = false;
    }
    return s;
}

static bool left_out(const struct soft *s, const struct node_spec *n)
{
    str value;
    for (size_t i = 0; i < s->n && s->all_keys; i++)
        if (!naive_label(n->labels, s->list[i].topology_key, &value))
            return true;
    return false;
}

static int64_t count_on(const struct naive *w, const struct pod_spec *p, const struct spec_selector *sel, int node)
{
    int64_t count = 0;
    for (size_t i = 0; i < w->pods.len && (sel->n || sel->none); i++) {
        const struct naive_pod *x = &w->pods.p[i];
        count += x->node == node && x->state == NAIVE_ON && &x->spec != p && str_eq(x->spec.ns, p->ns) && naive_selects(sel, x->spec.labels);
    }
    return count;
}

static str value_of(const struct node_spec *n, str key)
{
    str value = S("");
    naive_label(n->labels, key, &value);
    return value;
}

/* Distinct values of the key among the nodes that are scored. */
static int64_t values_scored(const struct naive *w, const struct soft *s, const struct spec_spread *c, const bool *fits)
{
    int64_t count = 0;
    bool by_node = str_is(c->topology_key, "kubernetes.io/hostname");
    for (size_t i = 0; i < w->nodes.len; i++) {
        if (!fits[i] || left_out(s, &w->nodes.p[i].spec))
            continue;
        bool seen = false;
        for (size_t k = 0; k < i && !seen && !by_node; k++)
            seen = fits[k] && !left_out(s, &w->nodes.p[k].spec) &&
                   str_eq(value_of(&w->nodes.p[k].spec, c->topology_key), value_of(&w->nodes.p[i].spec, c->topology_key));
        count += !seen;
    }
    return count;
}

static int64_t soft_count(const struct naive *w, const struct pod_spec *p, const struct soft *s, const struct spec_spread *c, int node)
{
    if (str_is(c->topology_key, "kubernetes.io/hostname"))
        return count_on(w, p, &c->selector, node);
    int64_t count = 0;
    str here = value_of(&w->nodes.p[node].spec, c->topology_key);
    for (size_t m = 0; m < w->nodes.len; m++) {
        const struct node_spec *n = &w->nodes.p[m].spec;
        if (!w->nodes.p[m].used || left_out(s, n) || !str_eq(value_of(n, c->topology_key), here))
            continue;
        if ((c->affinity_policy == SPREAD_HONOR && !naive_node_selected(p, n)) || (c->taints_policy == SPREAD_HONOR && naive_no_schedule_taint(p, n)))
            continue;
        count += count_on(w, p, &c->selector, (int)m);
    }
    return count;
}

static bool spread_score(const struct naive *w, const struct pod_spec *p, const bool *fits, int64_t *out)
{
    struct soft s = soft_constraints(w, p);
    int64_t most = 0, least = INT64_MAX;
    str value;
    if (s.n == 0)
        return false;
    for (size_t i = 0; i < w->nodes.len; i++) {
        if (!fits[i] || left_out(&s, &w->nodes.p[i].spec))
            continue;
        double sum = 0;
        for (size_t c = 0; c < s.n; c++)
            if (naive_label(w->nodes.p[i].spec.labels, s.list[c].topology_key, &value))
                sum += (double)soft_count(w, p, &s, &s.list[c], (int)i) * log((double)(values_scored(w, &s, &s.list[c], fits) + 2)) +
                       (double)(s.list[c].max_skew - 1);
        out[i] = (int64_t)round(sum);
        most = MAX(most, out[i]);
        least = MIN(least, out[i]);
    }
    for (size_t i = 0; i < w->nodes.len; i++) {
        if (!fits[i] || left_out(&s, &w->nodes.p[i].spec))
            out[i] = 0;
        else
            out[i] = most ? SCORE_MAX * (most + least - out[i]) / most : SCORE_MAX;
    }
    return true;
}

bool naive_score(const struct naive *w, size_t pod, enum naive_rule rule, const bool *fits, int64_t *out)
{
    const struct pod_spec *p = &w->pods.p[pod].spec;
    static int64_t (*const scores[NAIVE_RULES])(const struct naive *w, const struct pod_spec *p, int node) = {
        [NAIVE_FIT] = fit_score,       [NAIVE_BALANCED] = balanced_score,         [NAIVE_IMAGES] = image_score,
        [NAIVE_NODE_AFFINITY] = affinity_score,
        [NAIVE_TAINTS] = taint_score,  [NAIVE_POD_AFFINITY] = pod_affinity_score,
    };
    if (rule == NAIVE_SPREAD)
        return spread_score(w, p, fits, out);
    int64_t asked = 0;
    for (size_t i = 0; i < w->conf.nbalanced; i++)
        asked += naive_request(p, w->conf.balanced[i].id);
    if (!scores[rule] || (rule == NAIVE_BALANCED && asked == 0) || (rule == NAIVE_IMAGES && p->nimages == 0))
        return false;
    for (size_t i = 0; i < w->nodes.len; i++)
        out[i] = fits[i] ? scores[rule](w, p, (int)i) : 0;
    if (rule == NAIVE_NODE_AFFINITY || rule == NAIVE_TAINTS)
        by_largest(w, fits, out, rule == NAIVE_TAINTS);
    if (rule == NAIVE_POD_AFFINITY)
        pod_affinity_normalize(w, fits, out);
    return true;
}
