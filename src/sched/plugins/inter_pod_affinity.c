/* inter_pod_affinity.c - pods that want to be near, or away from, pods with certain labels; and what pods that run already want of new ones.
 *
 * Filter, in kube-scheduler's order:
 *   1. required affinity: in the node's domain of each term's topology there is a pod that matches all terms.  When no such pod is anywhere
 *      and the pod matches its own terms, every node with the labels will do: the first of a group.  Eviction cannot help.
 *   2. required anti-affinity: no pod that matches a term is in the node's domain.
 *   3. required anti-affinity of pods that run: the node is in no domain of one whose term matches this pod.
 * Score: sum of weights of preferred terms by matching pods, and of the terms of running pods that match this one (their required affinity
 * counts hardPodAffinityWeight); normalised by 100 * (s - min) / (max - min) in doubles, cut off, as kube-scheduler does.
 * The tables behind it: terms_types.h. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/engine/terms_types.h"
#include "sched/plugins/plugins.h"
#include "sched/plugins/score_pass.h"

struct affinity_args {
    int32_t hard_weight;
    bool ignore_preferred_of_existing; /* unless the pod has preferred terms itself */
};
static const struct affinity_args default_args = {1, false};

enum { NEAR, AWAY, EXISTING };
static const char *const reasons[] = {
    [NEAR] = "node(s) didn't match pod affinity rules",
    [AWAY] = "node(s) didn't match pod anti-affinity rules",
    [EXISTING] = "node(s) didn't satisfy existing pods anti-affinity rules",
    NULL,
};

static const struct affinity_args *args_of(const void *args)
{
    return args ? args : &default_args;
}

static bool uses_filter(const struct sched *s, const struct pod_class *c, const void *args)
{
    (void)args;
    return terms_concern_filter(s, c);
}

static bool ignores(const struct pod_class *c, const struct affinity_args *a)
{
    return a->ignore_preferred_of_existing && !c->npreferred_affinity && !c->npreferred_anti;
}

static bool uses_score(const struct sched *s, const struct pod_class *c, const void *args)
{
    return !ignores(c, args_of(args)) && terms_concern_score(s, c);
}

/* --- filter -------------------------------------------------------------------------------------------------------------------------- */
/* Nobody matches all of the pod's terms, but it does itself. */
static bool is_first(const struct class_terms *x)
{
    for (uint32_t i = 0; i < x->neverywhere; i++)
        if (x->everywhere[i]->nonzero)
            return false;
    return lset_matches(x->lset, x->all);
}

static void filter_near(const struct sched *s, const struct class_terms *x, uint64_t *fits)
{
    if (x->neverywhere && is_first(x)) {
        for (uint32_t i = 0; i < x->neverywhere; i++) {
            const uint64_t *has = side_of(s, x->everywhere[i]->topo)->has;
            for (uint32_t w = 0, words = words_used(&s->view); w < words; w++)
                fits[w] &= has[w];
        }
        return;
    }
    for (uint32_t i = 0; i < x->neverywhere; i++)
        tally_keep(s, x->everywhere[i], fits);
}

static void filter(const struct view *v, const struct pod_class *c, const void *args, uint64_t *fits)
{
    (void)args;
    const struct sched *s = v->s;
    filter_near(s, c->terms, fits);
    for (uint32_t i = 0; i < c->nanti; i++)
        tally_drop(s, term_of(s, c->anti[i].term)->matched, fits);
    const struct lset *x = c->terms->lset;
    for (size_t i = 0; i < x->matchers.len; i++) {
        const struct matcher *m = x->matchers.p[i];
        for (size_t k = 0; k < m->terms.len && m->carriers[CARRY_ANTI]; k++)
            if (m->terms.p[k]->carried[CARRY_ANTI])
                tally_drop(s, m->terms.p[k]->carried[CARRY_ANTI], fits);
    }
}

static bool near_one(const struct sched *s, const struct class_terms *x, node_id n)
{
    bool met = true;
    for (uint32_t i = 0; i < x->neverywhere; i++) {
        if (s->topos[x->everywhere[i]->topo].domain[n] == 0)
            return false;
        met &= tally_at(s, x->everywhere[i], n) > 0;
    }
    return met || is_first(x);
}

static bool away_one(const struct sched *s, const struct pod_class *c, node_id n)
{
    for (uint32_t i = 0; i < c->nanti; i++)
        if (tally_at(s, term_of(s, c->anti[i].term)->matched, n))
            return false;
    return true;
}

static bool existing_one(const struct sched *s, const struct pod_class *c, node_id n)
{
    const struct lset *x = c->terms->lset;
    for (size_t i = 0; i < x->matchers.len; i++) {
        const struct matcher *m = x->matchers.p[i];
        for (size_t k = 0; k < m->terms.len && m->carriers[CARRY_ANTI]; k++)
            if (m->terms.p[k]->carried[CARRY_ANTI] && tally_at(s, m->terms.p[k]->carried[CARRY_ANTI], n))
                return false;
    }
    return true;
}

static bool fits_one(const struct view *v, const struct pod_class *c, const void *args, node_id n)
{
    (void)args;
    return near_one(v->s, c->terms, n) && away_one(v->s, c, n) && existing_one(v->s, c, n);
}

static size_t explain(const struct view *v, const struct pod_class *c, const void *args, node_id n, struct plug_reason *ret, size_t max)
{
    (void)args;
    int code = !near_one(v->s, c->terms, n) ? NEAR : !away_one(v->s, c, n) ? AWAY : !existing_one(v->s, c, n) ? EXISTING : -1;
    if (code < 0 || max == 0)
        return 0;
    *ret = (struct plug_reason){.code = (uint16_t)code, .unresolvable = code == NEAR, .resource = RES_MAX};
    return 1;
}

/* --- score --------------------------------------------------------------------------------------------------------------------------- */
struct weighed {
    const struct tally *tally;
    int64_t weight;
};
typedef VEC(struct weighed) weighed_vec;

static void weigh(weighed_vec *list, const struct tally *t, int64_t weight)
{
    if (t && t->nonzero && weight)
        vec_push(list, (struct weighed){t, weight});
}

static void weigh_all(const struct sched *s, const struct pod_class *c, const struct affinity_args *a, weighed_vec *list)
{
    if (ignores(c, a))
        return;
    for (uint32_t i = 0; i < c->npreferred_affinity; i++)
        weigh(list, term_of(s, c->preferred_affinity[i].term)->matched, c->preferred_affinity[i].weight);
    for (uint32_t i = 0; i < c->npreferred_anti; i++)
        weigh(list, term_of(s, c->preferred_anti[i].term)->matched, -c->preferred_anti[i].weight);
    const struct lset *x = c->terms->lset;
    for (size_t i = 0; i < x->matchers.len; i++)
        for (size_t k = 0; k < x->matchers.p[i]->terms.len; k++) {
            const struct term *t = x->matchers.p[i]->terms.p[k];
            weigh(list, t->carried[CARRY_AFFINITY], a->hard_weight);
            weigh(list, t->carried[CARRY_PREFERRED], 1);
            weigh(list, t->carried[CARRY_PREFERRED_ANTI], -1);
        }
}

/* Sums the dense tallies of one topology by domain, then gives that to the nodes. */
static void add_topology(const struct sched *s, const weighed_vec *list, uint32_t topo, const uint64_t *fits, int64_t *raw, bool is_first_topology)
{
    uint32_t ndomains = s->topos[topo].ndomains;
    int64_t few[SIDE_FEW] = {0}, *by_domain = ndomains <= SIDE_FEW ? few : xarray(ndomains, int64_t);
    for (size_t i = 0; i < list->len; i++) {
        const struct tally *t = list->p[i].tally;
        if (t->topo == topo && t->count)
            pass_weigh(MIN(ndomains, t->cap), t->count, list->p[i].weight, by_domain);
    }
    uint32_t words = words_used(&s->view);
    if (is_first_topology)
        pass_put(fits, words, s->topos[topo].domain, by_domain, raw);
    else
        pass_add(fits, words, s->topos[topo].domain, by_domain, raw);
    if (by_domain != few)
        free(by_domain);
}

static void add_cells(const struct sched *s, const struct weighed *x, const uint64_t *fits, int64_t *raw)
{
    const struct side *side = side_of(s, x->tally->topo);
    for (uint32_t i = 0; i < x->tally->ncells; i++) {
        const struct cell *cell = &x->tally->cells[i];
        if (cell->count)
            for (uint32_t n = side_first(side, cell->domain); n; n = side->next[n - 1])
                if (bit_get(fits, n - 1))
                    raw[n - 1] += x->weight * cell->count;
    }
}

static void score(const struct view *v, const struct pod_class *c, const void *args, const uint64_t *fits, int64_t *raw)
{
    const struct sched *s = v->s;
    weighed_vec list = {0};
    weigh_all(s, c, args_of(args), &list);
    bool begun = false;
    for (size_t i = 0; i < list.len; i++) {
        const struct tally *t = list.p[i].tally;
        bool first = t->count != NULL;
        for (size_t k = 0; k < i && first; k++)
            first = list.p[k].tally->topo != t->topo || !list.p[k].tally->count;
        if (first) {
            add_topology(s, &list, t->topo, fits, raw, !begun);
            begun = true;
        }
    }
    if (!begun)
        pass_fill(fits, words_used(v), 0, raw);
    for (size_t i = 0; i < list.len; i++)
        if (!list.p[i].tally->count)
            add_cells(s, &list.p[i], fits, raw);
    vec_fini(&list);
}

static int64_t score_one(const struct view *v, const struct pod_class *c, const void *args, node_id n)
{
    weighed_vec list = {0};
    weigh_all(v->s, c, args_of(args), &list);
    int64_t sum = 0;
    for (size_t i = 0; i < list.len; i++)
        sum += list.p[i].weight * tally_at(v->s, list.p[i].tally, n);
    vec_fini(&list);
    return sum;
}

static inline int64_t normal(int64_t above, double range)
{
    return (int64_t)(SCORE_MAX * ((double)above / range));
}

static void normalize(const struct view *v, const struct pod_class *c, const void *args, const uint64_t *fits, int64_t *raw)
{
    (void)c;
    (void)args;
    uint32_t words = words_used(v);
    int64_t min, max, table[SCORE_TABLE + 1];
    if (!pass_range(fits, words, raw, INT64_MIN, &min, &max))
        return;
    double range = (double)(max - min);
    if (max == min) {
        pass_fill(fits, words, 0, raw);
    } else if (max - min < SCORE_TABLE) {
        table[0] = 0;
        for (int64_t i = 0; i <= max - min; i++)
            table[i + 1] = normal(i, range);
        pass_map(fits, words, raw, min, table);
    } else {
        struct pass_scale scale = {.base = min, .skip = INT64_MIN, .times = 1, .by = range, .then = SCORE_MAX};
        pass_scale(fits, words, &scale, raw);
    }
}

/* --- arguments ----------------------------------------------------------------------------------------------------------------------- */
static int bad_field(struct err *err, str field, const char *what)
{
    int r = err_set(err, E_INVALID_ARG, "%s", what);
    err_set_field(err, field);
    return r;
}

static int configure(struct arena *a, const struct json *args, const void **ret_args, struct err *err)
{
    struct affinity_args *x = arena_new(a, struct affinity_args);
    *x = default_args;
    *ret_args = x;
    if (!args)
        return 0;
    if (args->type != JSON_OBJECT)
        return err_set(err, E_INVALID_ARG, "must be a mapping");
    for (uint32_t i = 0; i < args->len; i++) {
        str key = args->members[i].key;
        const struct json *v = &args->members[i].value;
        int64_t weight;
        if (str_is(key, "apiVersion") || str_is(key, "kind")) {
            continue;
        } else if (str_is(key, "hardPodAffinityWeight")) {
            if (!json_to_i64(v, &weight) || weight < 0 || weight > 100)
                return bad_field(err, key, "must be a whole number from 0 to 100");
            x->hard_weight = (int32_t)weight;
        } else if (str_is(key, "ignorePreferredTermsOfExistingPods")) {
            if (v->type != JSON_BOOL)
                return bad_field(err, key, "must be true or false");
            x->ignore_preferred_of_existing = v->b;
        } else {
            return bad_field(err, key, "is not an argument of InterPodAffinity; it takes hardPodAffinityWeight and ignorePreferredTermsOfExistingPods");
        }
    }
    return 0;
}

const struct sched_plugin plugin_inter_pod_affinity = {
    .name = "InterPodAffinity",
    .filter_scope = PLUG_CROSS,
    .score_scope = PLUG_CROSS,
    .helped_by = EVENT_POD_ASSIGNED | EVENT_POD_FREED | EVENT_POD_LABEL | EVENT_NODE_ADD | EVENT_NODE_LABEL | EVENT_NAMESPACE,
    .default_weight = 2,
    .norm = NORM_CUSTOM,
    .reasons = reasons,
    .uses_filter = uses_filter,
    .uses_score = uses_score,
    .filter = filter,
    .fits_one = fits_one,
    .explain = explain,
    .score = score,
    .score_one = score_one,
    .normalize = normalize,
    .configure = configure,
};
