/* pod_topology_spread.c - pods of a kind spread evenly over zones, hosts or any other topology.
 *
 * Filter (DoNotSchedule): a node needs the key of each constraint (else eviction cannot help), and
 *     pods that match in its domain + (1 when the pod matches itself) - minimum over the domains <= maxSkew
 * where the minimum is 0 when there are fewer domains than minDomains.
 * Score (ScheduleAnyway): round(sum over constraints of pods in the domain * ln(domains + 2) + maxSkew - 1), the domains being those of nodes that
 * fit; normalised to 100 * (max + min - s) / max, so that fewer is better; nodes without all keys get 0.  With the system's default
 * constraints a node that lacks a key is scored by the others.  Doubles are added in kube-scheduler's order, so that rounding agrees.
 * Which pods and nodes count: terms_spread.c. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "sched/engine/terms_types.h"
#include "sched/plugins/plugins.h"
#include "sched/plugins/score_pass.h"

#define IGNORED (-1) /* raw score of a node without all keys */

enum { SKEW, NO_LABEL };
static const char *const reasons[] = {
    [SKEW] = "node(s) didn't match pod topology spread constraints",
    [NO_LABEL] = "node(s) didn't match pod topology spread constraints (missing required label)",
    NULL,
};

static bool has_kind(const struct pod_class *c, bool hard)
{
    for (uint32_t i = 0; i < c->nspread; i++)
        if (c->spread[i].hard == hard)
            return true;
    return false;
}

static bool uses_filter(const struct sched *s, const struct pod_class *c, const void *args)
{
    (void)s;
    (void)args;
    return has_kind(c, true);
}

static bool uses_score(const struct sched *s, const struct pod_class *c, const void *args)
{
    (void)s;
    (void)args;
    return has_kind(c, false);
}

/* --- filter -------------------------------------------------------------------------------------------------------------------------- */
/* Most pods that a domain may hold already; -1: none may take the pod. */
static int64_t most(const struct spread_ref *r, const struct tally *t)
{
    return (int64_t)r->max_skew - r->self + tally_min(t, r->min_domains);
}

static void filter(const struct view *v, const struct pod_class *c, const void *args, uint64_t *fits)
{
    (void)args;
    const struct sched *s = v->s;
    uint32_t words = words_used(v);
    for (uint32_t i = 0; i < c->nspread; i++) {
        const struct spread_ref *r = &c->spread[i];
        if (!r->hard)
            continue;
        const struct tally *t = tally_of(s, r->counter);
        int64_t limit = most(r, t);
        const uint64_t *has = side_of(s, t->topo)->has;
        for (uint32_t w = 0; w < words; w++)
            fits[w] &= limit < 0 ? 0 : has[w];
        if (limit >= 0 && limit < UINT32_MAX)
            tally_drop_over(s, t, (uint32_t)limit, fits);
    }
}

static int rejection(const struct sched *s, const struct pod_class *c, node_id n, const struct spread_ref **ret_by)
{
    for (uint32_t i = 0; i < c->nspread; i++) {
        const struct spread_ref *r = *ret_by = &c->spread[i];
        if (!r->hard)
            continue;
        const struct tally *t = tally_of(s, r->counter);
        if (s->topos[t->topo].domain[n] == 0)
            return NO_LABEL;
        if (tally_at(s, t, n) > most(r, t))
            return SKEW;
    }
    return -1;
}

static bool fits_one(const struct view *v, const struct pod_class *c, const void *args, node_id n)
{
    (void)args;
    const struct spread_ref *by;
    return rejection(v->s, c, n, &by) < 0;
}

static size_t explain(const struct view *v, const struct pod_class *c, const void *args, node_id n, struct plug_reason *ret, size_t max)
{
    (void)args;
    const struct spread_ref *by;
    int code = rejection(v->s, c, n, &by);
    if (code < 0 || max == 0)
        return 0;
    const struct topo *t = &v->s->topos[tally_of(v->s, by->counter)->topo];
    *ret = (struct plug_reason){.code = (uint16_t)code, .unresolvable = code == NO_LABEL, .resource = RES_MAX, .what = {t->key, code == SKEW ? t->value[t->domain[n]] : 0}};
    return 1;
}

/* --- score --------------------------------------------------------------------------------------------------------------------------- */
struct soft { /* a constraint, ready for adding up */
    const struct tally *tally;
    const uint32_t *domain;
    const uint64_t *has;
    double weight, base;
};
struct softs {
    struct soft *p;
    uint32_t n;
    uint64_t *usable;  /* nodes that fit and are not ignored */
    uint64_t *lacking; /* of these, without some key: only with the system's defaults */
};

static inline double part_of(const struct soft *x, uint32_t count)
{
    return (double)count * x->weight + x->base;
}

/* Half away from zero, of numbers that are not negative. */
static inline int64_t round_half_up(double x)
{
    int64_t whole = (int64_t)x;
    return whole + (x - (double)whole >= 0.5);
}

static bool is_dense(const struct soft *x)
{
    return x->tally->count != NULL;
}

static int64_t exact(const struct softs *s, node_id n)
{
    double sum = 0;
    for (uint32_t i = 0; i < s->n; i++) {
        const struct soft *x = &s->p[i];
        if (x->domain[n])
            sum += part_of(x, tally_get(x->tally, x->tally->by_node ? n : x->domain[n]));
    }
    return round_half_up(sum);
}

static struct softs softs_make(const struct sched *s, struct arena *a, const struct pod_class *c, bool all_keys, const uint64_t *fits)
{
    uint32_t words = words_used(&s->view);
    struct softs ret = {.p = arena_array(a, c->nspread, struct soft), .usable = arena_array(a, s->view.words, uint64_t), .lacking = arena_array(a, s->view.words, uint64_t)};
    memcpy(ret.usable, fits, words * sizeof *fits);
    for (uint32_t i = 0; i < c->nspread; i++) {
        const struct tally *t = tally_of(s, c->spread[i].counter);
        if (c->spread[i].hard)
            continue;
        struct soft *x = &ret.p[ret.n++];
        *x = (struct soft){.tally = t, .domain = s->topos[t->topo].domain, .has = side_of(s, t->topo)->has, .base = (double)(c->spread[i].max_skew - 1)};
        for (uint32_t w = 0; w < words; w++) {
            ret.lacking[w] |= ret.usable[w] & ~x->has[w];
            ret.usable[w] &= all_keys ? x->has[w] : UINT64_MAX;
        }
    }
    for (uint32_t w = 0; w < words; w++)
        ret.lacking[w] &= ret.usable[w];
    for (uint32_t i = 0; i < ret.n; i++) {
        struct soft *x = &ret.p[i];
        uint32_t size = x->tally->by_node ? bits_count(ret.usable, words) : side_domains(s, x->tally->topo, ret.usable);
        x->weight = log((double)size + 2);
    }
    return ret;
}

/* One dense table at most: its domains decide, the sums are made for each of them once. */
static void score_by_domain(const struct sched *s, struct arena *a, const struct softs *x, const struct soft *by, const uint64_t *fits, int64_t *raw)
{
    uint32_t ndomains = by ? s->topos[by->tally->topo].ndomains : 1;
    int64_t *table = arena_alloc(a, ndomains * sizeof *table);
    for (uint32_t d = 0; d < ndomains; d++) {
        double sum = 0;
        for (uint32_t i = 0; i < x->n; i++)
            sum += part_of(&x->p[i], &x->p[i] == by ? tally_get(by->tally, d) : 0);
        table[d] = round_half_up(sum);
    }
    if (by)
        pass_put(fits, words_used(&s->view), by->domain, table, raw);
    else
        pass_fill(fits, words_used(&s->view), table[0], raw);
}

static void score_by_node(const struct sched *s, struct arena *a, const struct softs *x, const uint64_t *fits, int64_t *raw)
{
    struct pass_part *parts = arena_array(a, x->n, struct pass_part);
    for (uint32_t i = 0; i < x->n; i++) {
        const struct soft *y = &x->p[i];
        parts[i] = (struct pass_part){.domain = y->domain, .weight = y->weight, .base = y->base};
        if (!is_dense(y))
            continue;
        if (y->tally->by_node) {
            parts[i].count = y->tally->count;
            continue;
        }
        uint32_t ndomains = s->topos[y->tally->topo].ndomains;
        double *table = arena_alloc(a, ndomains * sizeof *table);
        for (uint32_t d = 0; d < ndomains; d++)
            table[d] = part_of(y, tally_get(y->tally, d));
        parts[i].table = table;
    }
    pass_sum(fits, words_used(&s->view), parts, x->n, raw);
}

/* What the passes left out: occupied domains of tables with cells, nodes without some key, ignored ones. */
static void score_rest(const struct sched *s, const struct softs *x, const uint64_t *fits, int64_t *raw)
{
    for (uint32_t i = 0; i < x->n; i++) {
        const struct tally *t = x->p[i].tally;
        const struct side *side = side_of(s, t->topo);
        for (uint32_t k = 0; k < t->ncells; k++) {
            if (t->cells[k].count == 0)
                continue;
            uint32_t d = t->cells[k].domain;
            for (uint32_t n = t->by_node ? d + 1 : side_first(side, d); n; n = t->by_node ? 0 : side->next[n - 1])
                if (bit_get(x->usable, n - 1))
                    raw[n - 1] = exact(x, n - 1);
        }
    }
    for (uint32_t w = 0, words = words_used(&s->view); w < words; w++) {
        for (uint64_t bits = x->lacking[w]; bits; bits &= bits - 1) {
            node_id n = w * 64 + (uint32_t)__builtin_ctzll(bits);
            raw[n] = exact(x, n);
        }
        for (uint64_t bits = fits[w] & ~x->usable[w]; bits; bits &= bits - 1)
            raw[w * 64 + (uint32_t)__builtin_ctzll(bits)] = IGNORED;
    }
}

static void score(const struct view *v, const struct pod_class *c, const void *args, const uint64_t *fits, int64_t *raw)
{
    const struct sched *s = v->s;
    const struct spread_args *a = args ? args : &spread_args_system;
    ARENA_AUTO arena = ARENA_INIT;
    struct softs x = softs_make(s, &arena, c, !(c->spread_is_default && a->system), fits);
    const struct soft *by = NULL;
    uint32_t ndense = 0;
    bool by_node = false;
    for (uint32_t i = 0; i < x.n; i++)
        if (is_dense(&x.p[i])) {
            by = &x.p[i];
            ndense++;
            by_node |= by->tally->by_node;
        }
    if (ndense <= 1 && !by_node)
        score_by_domain(s, &arena, &x, by, fits, raw);
    else
        score_by_node(s, &arena, &x, fits, raw);
    score_rest(s, &x, fits, raw);
}

/* Whole numbers below 2^51, so that the quotient of doubles, rounded down, is exact. */
static inline int64_t normal(int64_t v, int64_t min, int64_t max)
{
    return max == 0 ? SCORE_MAX : (int64_t)((double)(SCORE_MAX * (max + min - v)) / (double)max);
}

static void normalize(const struct view *v, const struct pod_class *c, const void *args, const uint64_t *fits, int64_t *raw)
{
    (void)c;
    (void)args;
    uint32_t words = words_used(v);
    int64_t min, max, table[SCORE_TABLE + 1];
    if (!pass_range(fits, words, raw, 0, &min, &max)) {
        pass_fill(fits, words, 0, raw); /* all ignored */
    } else if (max - min < SCORE_TABLE) {
        table[0] = 0;
        for (int64_t i = min; i <= max; i++)
            table[i - min + 1] = normal(i, min, max);
        pass_map(fits, words, raw, min, table);
    } else {
        struct pass_scale scale = {.base = max + min, .skip = IGNORED, .down = true, .times = SCORE_MAX, .by = (double)max, .then = 1};
        pass_scale(fits, words, &scale, raw);
    }
}

/* --- arguments ----------------------------------------------------------------------------------------------------------------------- */
static int bad_field(struct err *err, struct arena *a, int64_t at, str field, const char *what)
{
    int r = err_set(err, E_INVALID_ARG, "%s", what);
    err_set_field(err, at < 0 ? field : field.len ? arena_fmt(a, "defaultConstraints[%lld]." STR_FMT, (long long)at, STR_ARG(field)) : arena_fmt(a, "defaultConstraints[%lld]", (long long)at));
    return r;
}

static bool read_policy(const struct json *v, enum spread_policy *ret)
{
    if (!str_is(json_str(v), "Honor") && !str_is(json_str(v), "Ignore"))
        return false;
    *ret = str_is(json_str(v), "Honor") ? SPREAD_HONOR : SPREAD_IGNORE;
    return true;
}

static int read_constraint(struct arena *a, const struct json *v, int64_t at, struct spread_default *ret, struct err *err)
{
    *ret = (struct spread_default){.affinity_policy = SPREAD_HONOR, .taints_policy = SPREAD_IGNORE};
    bool has_when = false;
    for (uint32_t i = 0; json_is(v, JSON_OBJECT) && i < v->len; i++) {
        str key = v->members[i].key;
        const struct json *x = &v->members[i].value;
        int64_t number;
        if (str_is(key, "topologyKey")) {
            ret->key = arena_str(a, json_str(x));
        } else if (str_is(key, "maxSkew") || str_is(key, "minDomains")) {
            if (!json_to_i64(x, &number) || number < 1 || number > INT32_MAX)
                return bad_field(err, a, at, key, "must be a whole number of at least 1");
            *(str_is(key, "maxSkew") ? &ret->max_skew : &ret->min_domains) = (int32_t)number;
        } else if (str_is(key, "whenUnsatisfiable")) {
            has_when = str_is(json_str(x), "DoNotSchedule") || str_is(json_str(x), "ScheduleAnyway");
            ret->hard = str_is(json_str(x), "DoNotSchedule");
        } else if (str_is(key, "nodeAffinityPolicy") || str_is(key, "nodeTaintsPolicy")) {
            if (!read_policy(x, str_is(key, "nodeAffinityPolicy") ? &ret->affinity_policy : &ret->taints_policy))
                return bad_field(err, a, at, key, "must be Honor or Ignore");
        } else if (str_is(key, "labelSelector")) {
            return bad_field(err, a, at, key, "must not be set: the selector is that of the pod's owners");
        } else {
            return bad_field(err, a, at, key, "is not a field of a default constraint");
        }
    }
    if (!json_is(v, JSON_OBJECT))
        return bad_field(err, a, at, S(""), "must be a mapping");
    if (str_empty(ret->key))
        return bad_field(err, a, at, S("topologyKey"), "must be a label key");
    if (ret->max_skew < 1)
        return bad_field(err, a, at, S("maxSkew"), "must be a whole number of at least 1");
    return has_when ? 0 : bad_field(err, a, at, S("whenUnsatisfiable"), "must be DoNotSchedule or ScheduleAnyway");
}

static int read_constraints(struct arena *a, const struct json *v, struct spread_args *ret, struct err *err)
{
    if (v->type != JSON_ARRAY)
        return bad_field(err, a, -1, S("defaultConstraints"), "must be a list");
    struct spread_default *p = arena_array(a, v->len, struct spread_default);
    for (uint32_t i = 0; i < v->len; i++) {
        int r = read_constraint(a, &v->items[i], i, &p[i], err);
        if (r < 0)
            return r;
        for (uint32_t k = 0; k < i; k++)
            if (p[k].hard == p[i].hard && str_eq(p[k].key, p[i].key))
                return bad_field(err, a, i, S(""), "repeats the key and whenUnsatisfiable of an earlier one");
    }
    ret->p = p;
    ret->n = v->len;
    return 0;
}

static int configure(struct arena *a, const struct json *args, const void **ret_args, struct err *err)
{
    *ret_args = &spread_args_system;
    if (!args)
        return 0;
    if (args->type != JSON_OBJECT)
        return err_set(err, E_INVALID_ARG, "must be a mapping");
    struct spread_args *x = arena_new(a, struct spread_args);
    bool is_list = false;
    for (uint32_t i = 0; i < args->len; i++) {
        str key = args->members[i].key;
        const struct json *v = &args->members[i].value;
        if (str_is(key, "apiVersion") || str_is(key, "kind")) {
            continue;
        } else if (str_is(key, "defaultingType")) {
            is_list = str_is(json_str(v), "List");
            if (!is_list && !str_is(json_str(v), "System"))
                return bad_field(err, a, -1, key, "must be System or List");
        } else if (str_is(key, "defaultConstraints")) {
            int r = read_constraints(a, v, x, err);
            if (r < 0)
                return r;
        } else {
            return bad_field(err, a, -1, key, "is not an argument of PodTopologySpread; it takes defaultingType and defaultConstraints");
        }
    }
    if (!is_list && x->n)
        return bad_field(err, a, -1, S("defaultConstraints"), "must be empty unless defaultingType is List");
    if (is_list)
        *ret_args = x;
    return 0;
}

const struct sched_plugin plugin_pod_topology_spread = {
    .name = "PodTopologySpread",
    .filter_scope = PLUG_CROSS,
    .score_scope = PLUG_CROSS,
    .helped_by = EVENT_POD_ASSIGNED | EVENT_POD_FREED | EVENT_POD_LABEL | EVENT_NODE_ADD | EVENT_NODE_DELETE | EVENT_NODE_LABEL | EVENT_NODE_TAINT |
                 EVENT_POD_UPDATED /* a toleration more makes more nodes count */,
    .default_weight = 2,
    .norm = NORM_CUSTOM,
    .reasons = reasons,
    .uses_filter = uses_filter,
    .uses_score = uses_score,
    .filter = filter,
    .fits_one = fits_one,
    .explain = explain,
    .score = score, /* no score_one: the weights depend on all nodes that fit */
    .normalize = normalize,
    .configure = configure,
};
