/* Evaluation: every step turns a set of values into a set of values.  {range} runs the rest of the template, up to its
 * {end}, once for each value:
 *
 *     "{range .items[*]}" "{.name}" "\n" "{end}" "done"
 *      ^ i                                 ^ end_at: where the loop's last run stopped, and i goes on from there */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/jsonpath_node.h"

struct set {
    const struct json **p; /* an entry is NULL where a range had nothing to run over */
    size_t n, cap;
};

struct eval {
    struct arena *arena;
    bool allow_missing;
    size_t budget; /* values that may still be looked at */
    struct err *err;
    /* {range} and {end} seen by the step just evaluated, and how deep in ranges we are */
    int begin_range, in_range, end_range;
    size_t end_at;
    /* Called with the results of each template node. */
    void (*emit)(void *ctx, const struct set *results);
    void *ctx;
};

static int spend(struct eval *e)
{
    if (!e->budget)
        return err_set(e->err, E_TOO_LARGE, "path looks at more than %u values", JSONPATH_MAX_RESULTS);
    e->budget--;
    return 0;
}

static int add(struct eval *e, struct set *s, const struct json *v)
{
    int r = spend(e);
    if (r < 0)
        return r;
    if (s->n == s->cap) {
        size_t cap = s->cap ? s->cap * 2 : 8;
        s->p = arena_grow(e->arena, s->p, s->cap * sizeof *s->p, cap * sizeof *s->p);
        s->cap = cap;
    }
    s->p[s->n++] = v;
    return 0;
}

static int walk(struct eval *e, const struct set *in, const struct jsonpath_node *n, struct set *ret);

/* What Go calls the types of decoded JSON; messages show them. */
static const char *go_type(const struct json *v)
{
    static const char *const names[] = {
        [JSON_NULL] = "<nil>",    [JSON_BOOL] = "bool",           [JSON_NUMBER] = "float64",
        [JSON_STRING] = "string", [JSON_ARRAY] = "[]interface {}", [JSON_OBJECT] = "map[string]interface {}",
    };
    int64_t i;
    return json_is(v, JSON_NUMBER) && json_to_i64(v, &i) ? "int64" : names[v ? v->type : JSON_NULL];
}

static int eval_list(struct eval *e, const struct set *in, const struct jsonpath_node *list, struct set *ret)
{
    struct set cur = *in;
    for (size_t i = 0; i < list->nchildren; i++) {
        struct set next = {0};
        int r = walk(e, &cur, &list->children[i], &next);
        cur = next;
        if (r < 0) {
            *ret = cur; /* an exists filter looks at what there was even when the path failed */
            return r;
        }
    }
    *ret = cur;
    return 0;
}

static int eval_literal(struct eval *e, const struct set *in, const struct jsonpath_node *n, struct set *ret)
{
    /* Text yields itself once; numbers and booleans once for each value. */
    size_t times = n->literal.type == JSON_STRING ? 1 : in->n;
    for (size_t i = 0; i < times; i++) {
        int r = add(e, ret, &n->literal);
        if (r < 0)
            return r;
    }
    return 0;
}

static int eval_field(struct eval *e, const struct set *in, const struct jsonpath_node *n, struct set *ret)
{
    for (size_t i = 0; i < in->n; i++) {
        const struct json *v = json_get(in->p[i], n->name);
        int r = v ? add(e, ret, v) : 0;
        if (r < 0)
            return r;
    }
    if (in->n && !ret->n && !e->allow_missing)
        return err_set(e->err, E_NOT_FOUND, STR_FMT " is not found", STR_ARG(n->name));
    return 0;
}

static int add_children(struct eval *e, struct set *s, const struct json *v)
{
    int r = 0;
    for (uint32_t i = 0; json_is(v, JSON_OBJECT) && i < v->len && r == 0; i++)
        r = add(e, s, &v->members[i].value);
    for (uint32_t i = 0; json_is(v, JSON_ARRAY) && i < v->len && r == 0; i++)
        r = add(e, s, &v->items[i]);
    return r;
}

static int eval_wildcard(struct eval *e, const struct set *in, const struct jsonpath_node *n, struct set *ret)
{
    int r = 0;
    (void)n;
    for (size_t i = 0; i < in->n && r == 0; i++)
        r = add_children(e, ret, in->p[i]);
    return r;
}

/* The value and all below it that hold something: full objects, full arrays and texts, but no numbers and booleans. */
static int add_descendants(struct eval *e, struct set *s, const struct json *v)
{
    bool holds = v && v->len && (v->type == JSON_OBJECT || v->type == JSON_ARRAY || v->type == JSON_STRING);
    int r = holds ? add(e, s, v) : 0;
    for (uint32_t i = 0; json_is(v, JSON_OBJECT) && i < v->len && r == 0; i++)
        r = add_descendants(e, s, &v->members[i].value);
    for (uint32_t i = 0; json_is(v, JSON_ARRAY) && i < v->len && r == 0; i++)
        r = add_descendants(e, s, &v->items[i]);
    return r;
}

static int eval_recursive(struct eval *e, const struct set *in, const struct jsonpath_node *n, struct set *ret)
{
    int r = 0;
    (void)n;
    for (size_t i = 0; i < in->n && r == 0; i++)
        r = add_descendants(e, ret, in->p[i]);
    return r;
}

static int out_of_bounds(struct eval *e, int64_t index, uint32_t len)
{
    return err_set(e->err, E_INVALID_ARG, "array index out of bounds: index %lld, length %u", (long long)index, len);
}

/* from and to of the slice of an array with len items; an empty one is from == to. */
static int slice_bounds(struct eval *e, const struct jsonpath_bound b[3], uint32_t len, int64_t *ret_from, int64_t *ret_to)
{
    int64_t from = b[0].known ? b[0].value : 0, to = b[1].known ? b[1].value : len;
    if (from < 0)
        from += len;
    if (to < 0 || (to == 0 && b[1].derived))
        to += len;
    if (from != to) {
        if (from >= len || from < 0)
            return out_of_bounds(e, from, len);
        if (to > len || to < 0)
            return out_of_bounds(e, to - 1, len);
        if (from > to)
            return err_set(e->err, E_INVALID_ARG, "starting index %lld is greater than ending index %lld", (long long)from,
                           (long long)to);
        if (b[2].known && b[2].value <= 0)
            return err_set(e->err, E_INVALID_ARG, "step must be > 0");
    }
    *ret_from = from;
    *ret_to = to;
    return 0;
}

/* kubectl ends at the first array that yields nothing and so loses what later ones hold; this goes on. */
static int eval_array(struct eval *e, const struct set *in, const struct jsonpath_node *n, struct set *ret)
{
    for (size_t i = 0; i < in->n; i++) {
        const struct json *v = in->p[i];
        int64_t from = 0, to = 0;
        if (json_is(v, JSON_NULL))
            continue;
        if (!json_is(v, JSON_ARRAY))
            return err_set(e->err, E_INVALID_ARG, "%s is not array or slice", go_type(v));
        int r = slice_bounds(e, n->bounds, v->len, &from, &to);
        for (; r == 0 && from < to; from += n->bounds[2].known ? n->bounds[2].value : 1)
            r = add(e, ret, &v->items[from]);
        if (r < 0)
            return r;
    }
    return 0;
}

static int eval_union(struct eval *e, const struct set *in, const struct jsonpath_node *n, struct set *ret)
{
    for (size_t i = 0; i < n->nchildren; i++) {
        struct set part = {0};
        int r = eval_list(e, in, &n->children[i], &part);
        for (size_t k = 0; k < part.n && r == 0; k++)
            r = add(e, ret, part.p[k]);
        if (r < 0)
            return r;
    }
    return 0;
}

/* --- filters ---------------------------------------------------------------------------------------- */

/* <0, 0, >0 of two values of one kind.  Booleans are only equal or not; integers and fractions do not compare. */
static int compare(struct eval *e, const struct json *x, const struct json *y, bool order, int *ret)
{
    bool scalar = x && y && x->type != JSON_NULL && y->type != JSON_NULL && x->type < JSON_ARRAY && y->type < JSON_ARRAY;
    if (!scalar || (order && x->type == JSON_BOOL && y->type == JSON_BOOL))
        return err_set(e->err, E_INVALID_ARG, "invalid type for comparison");
    int64_t i = 0, k = 0;
    double d, f;
    bool x_int = json_to_i64(x, &i), y_int = json_to_i64(y, &k);
    if (x->type != y->type || x_int != y_int)
        return err_set(e->err, E_INVALID_ARG, "incompatible types for comparison");
    if (x->type == JSON_STRING)
        *ret = str_cmp(json_str(x), json_str(y));
    else if (x->type == JSON_BOOL)
        *ret = x->b != y->b;
    else if (x_int)
        *ret = (i > k) - (i < k);
    else
        *ret = json_to_double(x, &d) && json_to_double(y, &f) ? (d > f) - (d < f) : 1;
    return 0;
}

static int apply_operator(struct eval *e, str op, const struct json *x, const struct json *y, bool *ret)
{
    static const struct {
        str op;
        bool order, less, equal, greater;
    } operators[] = {
        {STR_INIT("=="), false, false, true, false}, {STR_INIT("!="), false, true, false, true},
        {STR_INIT("<"), true, true, false, false},   {STR_INIT("<="), true, true, true, false},
        {STR_INIT(">"), true, false, false, true},   {STR_INIT(">="), true, false, true, true},
    };
    for (size_t i = 0; i < ARRAY_LEN(operators); i++) {
        if (!str_eq(operators[i].op, op))
            continue;
        int order = 0, r = compare(e, x, y, operators[i].order, &order);
        if (r == 0)
            *ret = order < 0 ? operators[i].less : order ? operators[i].greater : operators[i].equal;
        return r;
    }
    return err_set(e->err, E_INVALID_ARG, "unrecognized filter operator " STR_FMT, STR_ARG(op));
}

static int holds_comparison(struct eval *e, const struct set *item, const struct jsonpath_node *n, bool *ret)
{
    struct set left = {0}, right = {0};
    *ret = false;
    int r = eval_list(e, item, &n->children[0], &left);
    if (!n->name.len) {
        *ret = left.n > 0; /* whether or not the path failed */
        return r == -E_TOO_LARGE ? r : 0;
    }
    if (r < 0 || !left.n)
        return r;
    if (left.n == 1)
        r = eval_list(e, item, &n->children[1], &right);
    if (r < 0 || (left.n == 1 && !right.n))
        return r;
    if (left.n > 1 || right.n > 1)
        return err_set(e->err, E_INVALID_ARG, "can only compare one element at a time");
    return apply_operator(e, n->name, left.p[0], right.p[0], ret);
}

/* All of an "&&" row, or one of an "||" row: both stop at the first that decides. */
static int holds(struct eval *e, const struct set *item, const struct jsonpath_node *n, bool *ret)
{
    if (n->type == JSONPATH_COMPARISON)
        return holds_comparison(e, item, n, ret);
    bool any = n->type == JSONPATH_FILTER;
    *ret = !any;
    for (size_t i = 0; i < n->nchildren && *ret != any; i++) {
        int r = holds(e, item, &n->children[i], ret);
        if (r < 0)
            return r;
    }
    return 0;
}

static int eval_filter(struct eval *e, const struct set *in, const struct jsonpath_node *n, struct set *ret)
{
    for (size_t i = 0; i < in->n; i++) {
        const struct json *v = in->p[i];
        if (!json_is(v, JSON_ARRAY)) {
            struct strbuf b = strbuf_on(e->arena);
            jsonpath_write_go(e->arena, &b, v);
            return err_set(e->err, E_INVALID_ARG, "%s is not array or slice and cannot be filtered", strbuf_cstr(&b));
        }
        for (uint32_t k = 0; k < v->len; k++) {
            const struct json *item = &v->items[k];
            bool pass = false;
            int r = spend(e);
            if (r == 0)
                r = holds(e, &(struct set){&item, 1, 1}, n, &pass);
            if (r == 0 && pass)
                r = add(e, ret, item);
            if (r < 0)
                return r;
        }
    }
    return 0;
}

static int eval_identifier(struct eval *e, const struct set *in, const struct jsonpath_node *n, struct set *ret)
{
    if (str_is(n->name, "range")) {
        e->begin_range++;
        *ret = *in;
        return 0;
    }
    if (!str_is(n->name, "end"))
        return err_set(e->err, E_INVALID_ARG, "unrecognized identifier " STR_FMT, STR_ARG(n->name));
    if (!e->in_range)
        return err_set(e->err, E_INVALID_ARG, "not in range, nothing to end");
    e->end_range++;
    return 0;
}

static int walk(struct eval *e, const struct set *in, const struct jsonpath_node *n, struct set *ret)
{
    static int (*const steps[])(struct eval *, const struct set *, const struct jsonpath_node *, struct set *) = {
        [JSONPATH_LITERAL] = eval_literal,     [JSONPATH_LIST] = eval_list,   [JSONPATH_FIELD] = eval_field,
        [JSONPATH_WILDCARD] = eval_wildcard,   [JSONPATH_RECURSIVE] = eval_recursive,
        [JSONPATH_ARRAY] = eval_array,         [JSONPATH_UNION] = eval_union, [JSONPATH_FILTER] = eval_filter,
        [JSONPATH_IDENTIFIER] = eval_identifier,
    };
    int r = steps[n->type](e, in, n, ret);
    if (r < 0 && n->type != JSONPATH_FIELD && n->type != JSONPATH_LIST)
        *ret = *in; /* a step that fails leaves its input, see the exists filter */
    return r;
}

static void discard(void *ctx, const struct set *results)
{
    (void)ctx;
    (void)results;
}

static int run(struct eval *e, const struct jsonpath_node *root, size_t from, const struct json *data);

/* Runs what follows {range} once for each value; without values once for nothing, only to find the {end}. */
static int run_range(struct eval *e, const struct jsonpath_node *root, size_t from, const struct set *values)
{
    void (*emit)(void *, const struct set *) = e->emit;
    int r = 0;
    e->in_range++;
    if (!values->n) {
        e->emit = discard;
        r = run(e, root, from, NULL);
        e->emit = emit;
    }
    for (size_t i = 0; i < values->n && r == 0; i++)
        r = run(e, root, from, values->p[i]);
    e->in_range--;
    return r;
}

/* Runs the template from node `from` on with data as the current value. */
static int run(struct eval *e, const struct jsonpath_node *root, size_t from, const struct json *data)
{
    for (size_t i = from; i < root->nchildren; i++) {
        struct set results = {0};
        int r = walk(e, &(struct set){&data, 1, 1}, &root->children[i], &results);
        if (r < 0)
            return r;
        if (e->end_range > 0 && e->end_range <= e->in_range) {
            e->end_range--;
            e->end_at = i;
            return 0;
        }
        if (!e->begin_range) {
            e->emit(e->ctx, &results);
            continue;
        }
        e->begin_range--;
        r = run_range(e, root, i + 1, &results);
        if (r < 0)
            return r;
        if (e->end_at > i)
            i = e->end_at;
    }
    return 0;
}

struct print_ctx {
    struct arena *arena;
    struct strbuf *out;
};

static void emit_text(void *ctx, const struct set *results)
{
    struct print_ctx *c = ctx;
    for (size_t i = 0; i < results->n; i++) {
        if (i)
            strbuf_add_char(c->out, ' ');
        jsonpath_write_value(c->arena, c->out, results->p[i]);
    }
}

int jsonpath_print(struct arena *a, const struct jsonpath *p, const struct json *v, bool allow_missing, struct strbuf *out,
                   struct err *err)
{
    struct print_ctx c = {a, out};
    struct eval e = {.arena = a, .allow_missing = allow_missing, .budget = JSONPATH_MAX_RESULTS,
                     .err = err, .emit = emit_text, .ctx = &c};
    size_t len = out->len;
    int r = run(&e, &p->root, 0, v);
    if (r < 0 && out->p) {
        out->len = len; /* nothing is printed when a part fails */
        out->p[len] = 0;
    }
    return r;
}

struct find_ctx {
    struct arena *arena;
    struct set all;
};

static void emit_values(void *ctx, const struct set *results)
{
    struct find_ctx *c = ctx;
    if (!c->all.n) {
        c->all = *results;
        return;
    }
    size_t n = c->all.n + results->n;
    c->all.p = arena_grow(c->arena, c->all.p, c->all.n * sizeof *c->all.p, n * sizeof *c->all.p);
    if (results->n)
        memcpy(c->all.p + c->all.n, results->p, results->n * sizeof *results->p);
    c->all.n = n;
}

int jsonpath_find(struct arena *a, const struct jsonpath *p, const struct json *v, const struct json ***ret, size_t *ret_n,
                  struct err *err)
{
    struct find_ctx c = {.arena = a};
    struct eval e = {.arena = a, .allow_missing = true, .budget = JSONPATH_MAX_RESULTS,
                     .err = err, .emit = emit_values, .ctx = &c};
    int r = run(&e, &p->root, 0, v);
    if (r < 0)
        return r;
    *ret = c.all.p;
    *ret_n = c.all.n;
    return 0;
}
