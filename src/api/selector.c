/* Label selectors: a lexer with one token of look-ahead, a parser with a function per rule of the grammar
 *
 *     selector    = [ requirement { "," requirement } ]
 *     requirement = [ "!" ] key | key ( "=" | "==" | "!=" | ">" | "<" ) [ value ] | key ( "in" | "notin" ) "(" values ")"
 *
 * and matching against objects of strings.  Field selectors are in selector_fields.c. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/selector.h"

#include "api/codec_scalar.h"
#include "api/selector_build.h"
#include "api/validate.h"
#include "base/limits.h"

enum token { TOKEN_END, TOKEN_ID, TOKEN_IN, TOKEN_NOT_IN, TOKEN_OPEN, TOKEN_CLOSE, TOKEN_COMMA, TOKEN_NOT, TOKEN_EQ, TOKEN_NE,
             TOKEN_GT, TOKEN_LT };

struct parser {
    struct arena *arena;
    str text;
    size_t at;
    enum token token; /* the next one, not yet consumed */
    str literal;
    struct selector_builder out;
    struct err *err;
};

/* Longest first. */
static const struct {
    str text;
    enum token token;
} symbols[] = {
    {STR_INIT("=="), TOKEN_EQ}, {STR_INIT("!="), TOKEN_NE}, {STR_INIT("="), TOKEN_EQ},    {STR_INIT("!"), TOKEN_NOT},
    {STR_INIT("("), TOKEN_OPEN}, {STR_INIT(")"), TOKEN_CLOSE}, {STR_INIT(","), TOKEN_COMMA}, {STR_INIT(">"), TOKEN_GT},
    {STR_INIT("<"), TOKEN_LT},
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static void advance(struct parser *p)
{
    while (p->at < p->text.len && is_blank(p->text.p[p->at]))
        p->at++;
    str rest = str_from(p->text, p->at);
    p->literal = str_sub(rest, 0, 0);
    p->token = TOKEN_END;
    if (!rest.len)
        return;
    for (size_t i = 0; i < ARRAY_LEN(symbols); i++) {
        if (str_has_prefix(rest, symbols[i].text)) {
            p->token = symbols[i].token;
            p->literal = symbols[i].text;
            p->at += p->literal.len;
            return;
        }
    }
    size_t n = 0;
    while (n < rest.len && !is_blank(rest.p[n]) && !memchr("=!(),><", rest.p[n], 7))
        n++;
    p->literal = str_sub(rest, 0, n);
    p->at += n;
    p->token = str_is(p->literal, "in") ? TOKEN_IN : str_is(p->literal, "notin") ? TOKEN_NOT_IN : TOKEN_ID;
}

/* "in" and "notin" are operators only behind a key; elsewhere they are keys and values like any other. */
static bool at_identifier(const struct parser *p)
{
    return p->token == TOKEN_ID || p->token == TOKEN_IN || p->token == TOKEN_NOT_IN;
}

static int unexpected(struct parser *p, const char *expected)
{
    return err_set(p->err, E_INVALID_ARG, "found '" STR_FMT "'%s", STR_ARG(p->literal), expected);
}

/* --- requirements ------------------------------------------------------------------------------- */

struct complaints {
    struct strbuf text;
    size_t count;
};

static void complain(struct complaints *c, str field, str value, const char *detail)
{
    if (c->count++)
        strbuf_add_str(&c->text, S(", "));
    strbuf_add_str(&c->text, field);
    strbuf_add_str(&c->text, S(": Invalid value: "));
    strbuf_add_str(&c->text, codec_quote(c->text.arena, value));
    strbuf_addf(&c->text, ": %s", detail);
}

/* About the values as a whole, which Go prints as a literal. */
static void complain_values(struct complaints *c, const struct selector_term *t, const char *detail)
{
    strbuf_add_str(&c->text, c->count++ ? S(", values: Invalid value: []string") : S("values: Invalid value: []string"));
    for (size_t i = 0; i < t->nvalues; i++) {
        strbuf_add_str(&c->text, i ? S(", ") : S("{"));
        strbuf_add_str(&c->text, codec_quote(c->text.arena, t->values[i]));
    }
    strbuf_addf(&c->text, "%s: %s", t->nvalues ? "}" : "(nil)", detail);
}

static void check_values(struct arena *a, const struct selector_term *t, struct complaints *c)
{
    bool set = t->op == SELECTOR_IN || t->op == SELECTOR_NOT_IN, numeric = t->op == SELECTOR_GT || t->op == SELECTOR_LT;
    bool unary = t->op == SELECTOR_EXISTS || t->op == SELECTOR_NOT_EXISTS;
    int64_t number;
    if (set && !t->nvalues)
        complain_values(c, t, "for 'in', 'notin' operators, values set can't be empty");
    if (unary && t->nvalues)
        complain_values(c, t, "values set must be empty for exists and does not exist");
    for (size_t i = 0; numeric && i < t->nvalues; i++)
        if (!str_to_i64(t->values[i], &number))
            complain(c, arena_fmt(a, "values[%zu]", i), t->values[i], "for 'Gt', 'Lt' operators, the value must be an integer");
    for (size_t i = 0; i < t->nvalues; i++) {
        const char *why = validate_label_value(t->values[i]);
        if (why)
            complain(c, arena_fmt(a, "values[%zu][" STR_FMT "]", i, STR_ARG(t->key)), t->values[i], why);
    }
}

/* The rules of one requirement, reported all together as Kubernetes does. */
static int check_term(struct arena *a, const struct selector_term *t, struct err *err)
{
    struct complaints c = {.text = strbuf_on(a)};
    const char *why = validate_qualified_name(t->key);
    if (why)
        complain(&c, S("key"), t->key, why);
    check_values(a, t, &c);
    if (!c.count)
        return 0;
    const char *text = strbuf_cstr(&c.text);
    return c.count == 1 ? err_set(err, E_INVALID_ARG, "%s", text) : err_set(err, E_INVALID_ARG, "[%s]", text);
}

int selector_builder_add(struct selector_builder *b, struct selector_term t, struct err *err)
{
    if (b->n == LIMIT_SELECTOR_TERMS)
        return err_set(err, E_INVALID_ARG, "selector has more than %d requirements", LIMIT_SELECTOR_TERMS);
    if (b->n == b->cap) {
        size_t cap = b->cap ? b->cap * 2 : 4;
        b->terms = arena_grow(b->arena, b->terms, b->cap * sizeof *b->terms, cap * sizeof *b->terms);
        b->cap = cap;
    }
    b->terms[b->n++] = t;
    return 0;
}

static int add_checked(struct selector_builder *b, struct selector_term t, struct err *err)
{
    int r = check_term(b->arena, &t, err);
    return r < 0 ? r : selector_builder_add(b, t, err);
}

static int by_key(const void *a, const void *b)
{
    const struct selector_term *x = *(const struct selector_term *const *)a, *y = *(const struct selector_term *const *)b;
    int order = str_cmp(x->key, y->key);
    return order ? order : (x > y) - (x < y); /* stable: same keys stay in the order of the text */
}

struct selector selector_builder_finish(struct selector_builder *b)
{
    const struct selector_term **order = arena_array(b->arena, b->n, const struct selector_term *);
    struct selector_term *sorted = arena_array(b->arena, b->n, struct selector_term);
    for (size_t i = 0; i < b->n; i++)
        order[i] = &b->terms[i];
    if (b->n)
        qsort(order, b->n, sizeof *order, by_key);
    for (size_t i = 0; i < b->n; i++)
        sorted[i] = *order[i];
    return (struct selector){.terms = sorted, .nterms = b->n};
}

/* --- parsing ------------------------------------------------------------------------------------ */

struct values {
    str *p;
    size_t n, cap;
};

static void add_value(struct arena *a, struct values *v, str s)
{
    if (v->n == v->cap) {
        size_t cap = v->cap ? v->cap * 2 : 4;
        v->p = arena_grow(a, v->p, v->cap * sizeof *v->p, cap * sizeof *v->p);
        v->cap = cap;
    }
    v->p[v->n++] = arena_str(a, s);
}

static void sort_values(struct values *v)
{
    if (v->n < 2)
        return;
    qsort(v->p, v->n, sizeof *v->p, str_cmp_void);
    size_t kept = 1;
    for (size_t i = 1; i < v->n; i++)
        if (!str_eq(v->p[i], v->p[kept - 1]))
            v->p[kept++] = v->p[i];
    v->n = kept;
}

/* Behind "(": identifiers and commas; an empty place between commas is the empty value. */
static int parse_value_list(struct parser *p, struct values *v)
{
    if (p->token == TOKEN_CLOSE)
        add_value(p->arena, v, S(""));
    else if (!at_identifier(p) && p->token != TOKEN_COMMA)
        return unexpected(p, ", expected: ',', ')' or identifier");
    while (p->token != TOKEN_CLOSE) {
        if (at_identifier(p)) {
            add_value(p->arena, v, p->literal);
            advance(p);
            if (p->token != TOKEN_COMMA && p->token != TOKEN_CLOSE)
                return unexpected(p, ", expected: ',' or ')'");
        } else if (p->token == TOKEN_COMMA) {
            if (!v->n)
                add_value(p->arena, v, S(""));
            advance(p);
            if (p->token == TOKEN_CLOSE || p->token == TOKEN_COMMA)
                add_value(p->arena, v, S(""));
            if (p->token == TOKEN_COMMA)
                advance(p);
        } else {
            return unexpected(p, ", expected: ',', or identifier");
        }
    }
    advance(p);
    sort_values(v);
    return 0;
}

static int parse_operator(struct parser *p, enum selector_op *ret)
{
    static const struct {
        enum token token;
        enum selector_op op;
    } binary[] = {
        {TOKEN_IN, SELECTOR_IN}, {TOKEN_NOT_IN, SELECTOR_NOT_IN}, {TOKEN_EQ, SELECTOR_EQ},
        {TOKEN_NE, SELECTOR_NE}, {TOKEN_GT, SELECTOR_GT},         {TOKEN_LT, SELECTOR_LT},
    };
    for (size_t i = 0; i < ARRAY_LEN(binary); i++) {
        if (binary[i].token == p->token) {
            *ret = binary[i].op;
            advance(p);
            return 0;
        }
    }
    return unexpected(p, ", expected: in, notin, =, ==, !=, gt, lt");
}

static int parse_values(struct parser *p, enum selector_op op, struct values *v)
{
    if (op == SELECTOR_IN || op == SELECTOR_NOT_IN) {
        if (p->token != TOKEN_OPEN)
            return unexpected(p, " expected: '('");
        advance(p);
        return parse_value_list(p, v);
    }
    if (p->token == TOKEN_END || p->token == TOKEN_COMMA) {
        add_value(p->arena, v, S(""));
        return 0;
    }
    if (!at_identifier(p))
        return unexpected(p, ", expected: identifier");
    add_value(p->arena, v, p->literal);
    advance(p);
    return 0;
}

static int parse_requirement(struct parser *p)
{
    struct selector_term t = {.op = SELECTOR_EXISTS};
    if (p->token == TOKEN_NOT) {
        t.op = SELECTOR_NOT_EXISTS;
        advance(p);
    }
    if (!at_identifier(p))
        return unexpected(p, ", expected: identifier");
    t.key = arena_str(p->arena, p->literal);
    const char *why = validate_qualified_name(t.key);
    if (why) {
        struct complaints c = {.text = strbuf_on(p->arena)};
        complain(&c, S("<nil>"), t.key, why);
        return err_set(p->err, E_INVALID_ARG, "%s", strbuf_cstr(&c.text));
    }
    advance(p);
    if (t.op == SELECTOR_EXISTS && p->token != TOKEN_END && p->token != TOKEN_COMMA) {
        struct values v = {0};
        int r = parse_operator(p, &t.op);
        if (r == 0)
            r = parse_values(p, t.op, &v);
        if (r < 0)
            return r;
        t.values = v.p;
        t.nvalues = v.n;
    }
    return add_checked(&p->out, t, p->err);
}

int selector_parse_labels(struct arena *a, str text, struct selector *ret, struct err *err)
{
    if (!str_is_utf8(text)) /* the messages quote it, and they become JSON */
        return err_set(err, E_INVALID_ARG, "selector is not valid UTF-8");
    ptrdiff_t nul = str_find_char(text, 0); /* ends the text, as in Kubernetes' lexer */
    struct parser p = {.arena = a, .text = nul < 0 ? text : str_sub(text, 0, (size_t)nul), .out = {.arena = a}, .err = err};
    advance(&p);
    while (p.token != TOKEN_END) {
        if (!at_identifier(&p) && p.token != TOKEN_NOT)
            return unexpected(&p, ", expected: !, identifier, or 'end of string'");
        if (parse_requirement(&p) < 0)
            return err ? err_wrap(err, "unable to parse requirement: ") : -E_INVALID_ARG;
        if (p.token == TOKEN_END)
            break;
        if (p.token != TOKEN_COMMA)
            return unexpected(&p, ", expected: ',' or 'end of string'");
        advance(&p);
        if (!at_identifier(&p) && p.token != TOKEN_NOT)
            return unexpected(&p, ", expected: identifier after ','");
    }
    *ret = selector_builder_finish(&p.out);
    return 0;
}

static int add_expression(struct selector_builder *b, const struct json *expression, struct err *err)
{
    static const struct {
        str name;
        enum selector_op op;
    } operators[] = {
        {STR_INIT("In"), SELECTOR_IN},
        {STR_INIT("NotIn"), SELECTOR_NOT_IN},
        {STR_INIT("Exists"), SELECTOR_EXISTS},
        {STR_INIT("DoesNotExist"), SELECTOR_NOT_EXISTS},
    };
    struct selector_term t = {.key = arena_str(b->arena, json_get_str(expression, S("key")))};
    str op = json_get_str(expression, S("operator"));
    size_t i = 0;
    while (i < ARRAY_LEN(operators) && !str_eq(operators[i].name, op))
        i++;
    if (i == ARRAY_LEN(operators))
        return err_set(err, E_INVALID_ARG, STR_FMT " is not a valid label selector operator", STR_ARG(codec_quote(b->arena, op)));
    t.op = operators[i].op;
    const struct json *list = json_get(expression, S("values"));
    struct values v = {0};
    for (uint32_t k = 0; json_is(list, JSON_ARRAY) && k < list->len; k++)
        add_value(b->arena, &v, json_str(&list->items[k]));
    sort_values(&v);
    t.values = v.p;
    t.nvalues = v.n;
    return add_checked(b, t, err);
}

int selector_from_label_selector(struct arena *a, const struct json *ls, struct selector *ret, struct err *err)
{
    struct selector_builder b = {.arena = a};
    const struct json *labels = json_get(ls, S("matchLabels")), *expressions = json_get(ls, S("matchExpressions"));
    for (uint32_t i = 0; json_is(labels, JSON_OBJECT) && i < labels->len; i++) {
        str *value = arena_new(a, str);
        *value = arena_str(a, json_str(&labels->members[i].value));
        struct selector_term t = {arena_str(a, labels->members[i].key), SELECTOR_EQ, value, 1};
        int r = add_checked(&b, t, err);
        if (r < 0)
            return r;
    }
    for (uint32_t i = 0; json_is(expressions, JSON_ARRAY) && i < expressions->len; i++) {
        int r = add_expression(&b, &expressions->items[i], err);
        if (r < 0)
            return r;
    }
    *ret = selector_builder_finish(&b);
    ret->nothing = !json_is(ls, JSON_OBJECT);
    return 0;
}

/* --- matching ----------------------------------------------------------------------------------- */

static bool has_value(const struct selector_term *t, str value)
{
    for (size_t i = 0; i < t->nvalues; i++)
        if (str_eq(t->values[i], value))
            return true;
    return false;
}

static bool compare_numbers(const struct selector_term *t, str value)
{
    int64_t have, want;
    if (!str_to_i64(value, &have) || t->nvalues != 1 || !str_to_i64(t->values[0], &want))
        return false;
    return t->op == SELECTOR_GT ? have > want : have < want;
}

bool selector_term_match(const struct selector_term *t, bool present, str value)
{
    switch (t->op) {
    case SELECTOR_EQ:
    case SELECTOR_IN:
        return present && has_value(t, value);
    case SELECTOR_NE:
    case SELECTOR_NOT_IN:
        return !present || !has_value(t, value);
    case SELECTOR_EXISTS:
        return present;
    case SELECTOR_NOT_EXISTS:
        return !present;
    case SELECTOR_GT:
    case SELECTOR_LT:
        return present && compare_numbers(t, value);
    }
    return false;
}

bool selector_match_labels(const struct selector *s, const struct json *labels)
{
    if (s->nothing)
        return false;
    for (size_t i = 0; i < s->nterms; i++) {
        const struct json *v = json_get(labels, s->terms[i].key);
        if (!selector_term_match(&s->terms[i], v != NULL, json_str(v)))
            return false;
    }
    return true;
}

void selector_write(struct strbuf *b, const struct selector *s)
{
    static const char *const before_values[] = {
        [SELECTOR_EQ] = "=", [SELECTOR_NE] = "!=",    [SELECTOR_IN] = " in (",      [SELECTOR_NOT_IN] = " notin (",
        [SELECTOR_GT] = ">", [SELECTOR_LT] = "<", [SELECTOR_EXISTS] = "", [SELECTOR_NOT_EXISTS] = "",
    };
    for (size_t i = 0; i < s->nterms; i++) {
        const struct selector_term *t = &s->terms[i];
        strbuf_add_str(b, i ? S(",") : S(""));
        strbuf_add_str(b, t->op == SELECTOR_NOT_EXISTS ? S("!") : S(""));
        strbuf_add_str(b, t->key);
        strbuf_add_str(b, str_of(before_values[t->op]));
        for (size_t k = 0; k < t->nvalues; k++) {
            strbuf_add_str(b, k ? S(",") : S(""));
            strbuf_add_str(b, t->values[k]);
        }
        strbuf_add_str(b, t->op == SELECTOR_IN || t->op == SELECTOR_NOT_IN ? S(")") : S(""));
    }
}
