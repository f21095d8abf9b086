/* node_affinity.c - NodeAffinity: nodeSelector, required and preferred node affinity of the pod, and the profile's addedAffinity on top.
 *
 * Required: the selector, and one of the pod's terms, and one of the added terms.  Preferred: the weights of all matching terms, the pod's and the added
 * ones, as a percentage of the best node's. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/engine/select.h"
#include "sched/plugins/plugins.h"
#include "sched/plugins/resources.h"

enum { POD_MISMATCH, ADDED_MISMATCH };
static const char *const reasons[] = {
    [POD_MISMATCH] = "node(s) didn't match Pod's node affinity/selector",
    [ADDED_MISMATCH] = "node(s) didn't match scheduler-enforced node affinity",
};

struct affinity_args {
    bool has_required;
    struct spec_node_term *required_spec, *preferred_spec;
    uint32_t nrequired, npreferred;
    /* The same over the symbols of the engine that owns the profile; made by state_new. */
    struct node_term *required, *preferred;
};

static bool added_matches(const struct sched *s, const struct affinity_args *a, node_id n)
{
    if (!a->has_required)
        return true;
    for (uint32_t i = 0; i < a->nrequired; i++)
        if (node_term_matches(s, &a->required[i], n))
            return true;
    return false;
}

static bool uses_filter(const struct sched *s, const struct pod_class *c, const void *args)
{
    (void)s;
    return c->nnode_selector || c->has_required || ((const struct affinity_args *)args)->has_required;
}

static bool fits_one(const struct view *v, const struct pod_class *c, const void *args, node_id n)
{
    return added_matches(v->s, args, n) && class_selects_node(v->s, c, n);
}

static void filter(const struct view *v, const struct pod_class *c, const void *args, uint64_t *fits)
{
    bits_foreach(n, fits, v->words)
        if (!fits_one(v, c, args, n))
            bit_clear(fits, n);
}

static size_t explain(const struct view *v, const struct pod_class *c, const void *args, node_id n, struct plug_reason *ret, size_t max)
{
    bool added = added_matches(v->s, args, n);
    if (max == 0 || (added && class_selects_node(v->s, c, n)))
        return 0;
    ret[0] = (struct plug_reason){.code = added ? POD_MISMATCH : ADDED_MISMATCH, .unresolvable = true, .resource = RES_MAX};
    /* the first label of the selector that is not there says most */
    for (uint32_t i = 0; added && i < c->nnode_selector; i++) {
        bool has;
        if (labelset_get(v->s->nodes[n].labels, c->node_selector[i].key, &has) == c->node_selector[i].value && has)
            continue;
        ret[0].what[0] = c->node_selector[i].key;
        ret[0].what[1] = c->node_selector[i].value;
        break;
    }
    return 1;
}

static bool uses_score(const struct sched *s, const struct pod_class *c, const void *args)
{
    (void)s;
    return c->npreferred || ((const struct affinity_args *)args)->npreferred;
}

static int64_t score_one(const struct view *v, const struct pod_class *c, const void *args, node_id n)
{
    const struct affinity_args *a = args;
    int64_t sum = 0;
    for (uint32_t i = 0; i < c->npreferred; i++)
        if (node_term_matches(v->s, &c->preferred[i], n))
            sum += c->preferred[i].weight;
    for (uint32_t i = 0; i < a->npreferred; i++)
        if (node_term_matches(v->s, &a->preferred[i], n))
            sum += a->preferred[i].weight;
    return sum;
}

static void score(const struct view *v, const struct pod_class *c, const void *args, const uint64_t *fits, int64_t *raw)
{
    bits_foreach(n, fits, v->words)
        raw[n] = score_one(v, c, args, n);
}

/* --- keys: added terms are the same for all classes ------------------------------------------------------------------------------------- */
static void key_reqs(struct strbuf *key, const struct req *r, uint32_t n)
{
    strbuf_add(key, &n, sizeof n);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t head[] = {r[i].key, r[i].op, r[i].nvalues};
        strbuf_add(key, head, sizeof head);
        strbuf_add(key, &r[i].number, sizeof r[i].number);
        strbuf_add(key, r[i].values, r[i].nvalues * sizeof *r[i].values);
    }
}

static void key_terms(struct strbuf *key, const struct node_term *t, uint32_t n)
{
    strbuf_add(key, &n, sizeof n);
    for (uint32_t i = 0; i < n; i++) {
        strbuf_add(key, &t[i].weight, sizeof t[i].weight);
        strbuf_add_char(key, t[i].labels.none);
        key_reqs(key, t[i].labels.p, t[i].labels.n);
        key_reqs(key, t[i].fields, t[i].nfields);
    }
}

static void static_key(const struct pod_class *c, bool is_score, struct strbuf *key)
{
    if (is_score) {
        key_terms(key, c->preferred, c->npreferred);
        return;
    }
    strbuf_add(key, &c->nnode_selector, sizeof c->nnode_selector);
    strbuf_add(key, c->node_selector, c->nnode_selector * sizeof *c->node_selector);
    strbuf_add_char(key, c->has_required);
    key_terms(key, c->required, c->nrequired);
}

/* --- arguments ---------------------------------------------------------------------------------------------------------------------------- */
static void *state_new(struct sched *s, const void *args)
{
    struct affinity_args *a = (struct affinity_args *)args;
    struct arena *arena = &((struct sched_profile *)s->profile)->arena; /* the engine's own */
    a->required = arena_array(arena, a->nrequired, struct node_term);
    for (uint32_t i = 0; i < a->nrequired; i++)
        node_term_compile(s, arena, &a->required_spec[i], &a->required[i]);
    a->preferred = arena_array(arena, a->npreferred, struct node_term);
    for (uint32_t i = 0; i < a->npreferred; i++)
        node_term_compile(s, arena, &a->preferred_spec[i], &a->preferred[i]);
    return NULL;
}

static int parse_reqs(struct arena *a, const struct json *list, const char *field, const struct spec_requirement **ret, size_t *ret_n, struct err *err)
{
    static const char *const ops[] = {
        [OP_IN] = "In", [OP_NOT_IN] = "NotIn", [OP_EXISTS] = "Exists", [OP_NOT_EXISTS] = "DoesNotExist", [OP_GT] = "Gt", [OP_LT] = "Lt",
    };
    if (!list)
        return 0;
    if (list->type != JSON_ARRAY)
        return args_refuse(err, field, "expressions are a list");
    struct spec_requirement *r = arena_array(a, list->len, struct spec_requirement);
    for (uint32_t i = 0; i < list->len; i++) {
        const struct json *item = &list->items[i], *values = json_get(item, S("values"));
        str op = json_get_str(item, S("operator"));
        size_t k = 0;
        while (k < ARRAY_LEN(ops) && !str_is(op, ops[k]))
            k++;
        r[i].key = arena_str(a, json_get_str(item, S("key")));
        if (str_empty(r[i].key) || k == ARRAY_LEN(ops) || (values && values->type != JSON_ARRAY))
            return args_refuse(err, field, "expression %u needs a key, an operator (In, NotIn, Exists, DoesNotExist, Gt, Lt) and a list of values", i);
        r[i].op = (enum spec_op)k;
        r[i].nvalues = values ? values->len : 0;
        str *v = arena_array(a, r[i].nvalues, str);
        for (size_t j = 0; j < r[i].nvalues; j++)
            v[j] = arena_str(a, json_str(&values->items[j]));
        r[i].values = v;
    }
    *ret = r;
    *ret_n = list->len;
    return 0;
}

static int parse_term(struct arena *a, const struct json *term, const char *field, struct spec_node_term *ret, struct err *err)
{
    if (!json_is(term, JSON_OBJECT))
        return args_refuse(err, field, "a term is a mapping");
    int r = parse_reqs(a, json_get(term, S("matchExpressions")), field, &ret->labels.p, &ret->labels.n, err);
    return r < 0 ? r : parse_reqs(a, json_get(term, S("matchFields")), field, &ret->fields, &ret->nfields, err);
}

static int parse_added(struct arena *a, const struct json *added, struct affinity_args *ret, struct err *err)
{
    static const char required_field[] = "addedAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms";
    static const char preferred_field[] = "addedAffinity.preferredDuringSchedulingIgnoredDuringExecution";
    const struct json *required = json_get(added, S("requiredDuringSchedulingIgnoredDuringExecution"));
    const struct json *preferred = json_get(added, S("preferredDuringSchedulingIgnoredDuringExecution"));
    if (required) {
        const struct json *terms = json_get(required, S("nodeSelectorTerms"));
        if (!json_is(terms, JSON_ARRAY) || terms->len == 0)
            return args_refuse(err, required_field, "must be a list of at least one term");
        ret->has_required = true;
        ret->required_spec = arena_array(a, terms->len, struct spec_node_term);
        for (; ret->nrequired < terms->len; ret->nrequired++) {
            int r = parse_term(a, &terms->items[ret->nrequired], required_field, &ret->required_spec[ret->nrequired], err);
            if (r < 0)
                return r;
        }
    }
    if (preferred) {
        if (preferred->type != JSON_ARRAY)
            return args_refuse(err, preferred_field, "must be a list");
        ret->preferred_spec = arena_array(a, preferred->len, struct spec_node_term);
        for (; ret->npreferred < preferred->len; ret->npreferred++) {
            const struct json *item = &preferred->items[ret->npreferred];
            struct spec_node_term *t = &ret->preferred_spec[ret->npreferred];
            int64_t weight = json_get_int(item, S("weight"), 0);
            if (weight < 1 || weight > 100)
                return args_refuse(err, preferred_field, "the weight of term %u must be from 1 to 100", ret->npreferred);
            t->weight = (int32_t)weight;
            int r = parse_term(a, json_get(item, S("preference")), preferred_field, t, err);
            if (r < 0)
                return r;
        }
    }
    return 0;
}

static int configure(struct arena *a, const struct json *args, const void **ret_args, struct err *err)
{
    static const char *const known[] = {"addedAffinity", NULL};
    struct affinity_args *x = arena_new(a, struct affinity_args);
    int r = args_check(args, known, err);
    const struct json *added = json_get(args, S("addedAffinity"));
    if (r == 0 && added && added->type != JSON_NULL)
        r = parse_added(a, added, x, err);
    if (r == 0)
        *ret_args = x;
    return r;
}

const struct sched_plugin plugin_node_affinity = {
    .name = "NodeAffinity",
    .filter_scope = PLUG_STATIC,
    .score_scope = PLUG_STATIC,
    .helped_by = EVENT_NODE_ADD | EVENT_NODE_LABEL | EVENT_POD_UPDATED,
    .default_weight = 2,
    .norm = NORM_MAX,
    .reasons = reasons,
    .uses_filter = uses_filter,
    .uses_score = uses_score,
    .filter = filter,
    .fits_one = fits_one,
    .explain = explain,
    .score = score,
    .score_one = score_one,
    .static_key = static_key,
    .state_new = state_new,
    .configure = configure,
};
