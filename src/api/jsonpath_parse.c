/* JSONPath templates: text with {actions} in it.  The grammar has no precedence to speak of; an action is a row of
 * steps, and what stands in brackets is cut out and parsed as an action of its own. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/jsonpath_node.h"
#include "base/limits.h"

#define END (-1)

struct parser {
    struct arena *arena;
    str in;
    size_t at;
    int depth; /* of bracket texts within bracket texts */
    struct err *err;
};

static struct jsonpath_node *add_node(struct arena *a, struct jsonpath_node *parent, enum jsonpath_node_type type)
{
    if (parent->nchildren == parent->cap_) {
        size_t cap = parent->cap_ ? parent->cap_ * 2 : 4;
        parent->children =
            arena_grow(a, parent->children, parent->cap_ * sizeof *parent->children, cap * sizeof *parent->children);
        parent->cap_ = cap;
    }
    struct jsonpath_node *n = &parent->children[parent->nchildren++];
    *n = (struct jsonpath_node){.type = type};
    return n;
}

static void add_literal(struct parser *p, struct jsonpath_node *list, struct json v)
{
    add_node(p->arena, list, JSONPATH_LITERAL)->literal = v;
}

static int peek(const struct parser *p)
{
    return p->at < p->in.len ? (unsigned char)p->in.p[p->at] : END;
}

static bool at_text(const struct parser *p, const char *s)
{
    return str_has_prefix(str_from(p->in, p->at), str_of(s));
}

static bool is_terminator(int c)
{
    return c == END || strchr(" \t\r\n.,[]$@{}", c) != NULL;
}

static bool is_digit(int c)
{
    return c >= '0' && c <= '9';
}

/* Bytes of letters beyond ASCII count as letters. */
static bool is_word(int c)
{
    return c == '_' || is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c >= 0x80;
}

static int parse_action(struct parser *p, str text, struct jsonpath_node *ret_list);

static int parse_field(struct parser *p, struct jsonpath_node *list)
{
    struct strbuf name = strbuf_on(p->arena);
    size_t start = p->at;
    for (int c; c = peek(p), !is_terminator(c); p->at++) {
        if (c == '\\') { /* the character behind it belongs to the name, whatever it is */
            p->at++;
            if (peek(p) == END)
                break;
        }
        if (peek(p) != '\\')
            strbuf_add_char(&name, p->in.p[p->at]);
    }
    if (str_is(str_sub(p->in, start, p->at), "*"))
        add_node(p->arena, list, JSONPATH_WILDCARD);
    else
        add_node(p->arena, list, JSONPATH_FIELD)->name = strbuf_str(&name);
    return 0;
}

static int parse_recursive(struct parser *p, struct jsonpath_node *list)
{
    if (list->nchildren && list->children[list->nchildren - 1].type == JSONPATH_RECURSIVE)
        return err_set(p->err, E_INVALID_ARG, "invalid multiple recursive descent");
    p->at += 2;
    add_node(p->arena, list, JSONPATH_RECURSIVE);
    return is_word(peek(p)) ? parse_field(p, list) : 0;
}

static int parse_number(struct parser *p, struct jsonpath_node *list)
{
    size_t start = p->at;
    if (peek(p) == '+' || peek(p) == '-')
        p->at++;
    while (peek(p) == '.' || is_digit(peek(p)))
        p->at++;
    str text = str_sub(p->in, start, p->at), digits = text.p[0] == '+' ? str_from(text, 1) : text;
    int64_t i;
    double d;
    if (str_to_i64(digits, &i))
        add_literal(p, list, json_int(p->arena, i));
    else if (str_to_double(digits, &d))
        add_literal(p, list, json_number_text(arena_fmt(p->arena, "%.17g", d)));
    else
        return err_set(p->err, E_INVALID_ARG, "cannot parse number " STR_FMT, STR_ARG(text));
    return 0;
}

static int parse_identifier(struct parser *p, struct jsonpath_node *list)
{
    size_t start = p->at;
    while (!is_terminator(peek(p)))
        p->at++;
    str word = str_sub(p->in, start, p->at);
    if (str_is(word, "true") || str_is(word, "false"))
        add_literal(p, list, json_bool(word.p[0] == 't'));
    else
        add_node(p->arena, list, JSONPATH_IDENTIFIER)->name = word;
    return 0;
}

/* --- quoted strings ------------------------------------------------------------------------------- */

static void add_rune(struct strbuf *b, uint32_t c)
{
    if (c < 0x80) {
        strbuf_add_char(b, (char)c);
        return;
    }
    int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    static const uint8_t lead[] = {0, 0xc0, 0xe0, 0xf0};
    strbuf_add_char(b, (char)(lead[more] | c >> (6 * more)));
    while (more-- > 0)
        strbuf_add_char(b, (char)(0x80 | (c >> (6 * more) & 0x3f)));
}

static bool take_code(str *s, size_t digits, int base, uint32_t *ret)
{
    uint64_t v = 0;
    if (s->len < digits)
        return false;
    for (size_t i = 0; i < digits; i++) {
        int c = (unsigned char)s->p[i], lower = c | 0x20;
        int d = is_digit(c) ? c - '0' : lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : base;
        if (d >= base)
            return false;
        v = v * (uint64_t)base + (uint64_t)d;
    }
    *s = str_from(*s, digits);
    *ret = (uint32_t)v;
    return v <= (base == 8 ? 255 : 0x10ffff) && !(v >= 0xd800 && v < 0xe000);
}

/* s stands behind a backslash. */
static bool unescape_one(str *s, char quote, struct strbuf *out)
{
    static const char names[] = "abfnrtv\\", values[] = "\a\b\f\n\r\t\v\\";
    char c = s->len ? s->p[0] : 0;
    const char *named = c ? strchr(names, c) : NULL;
    uint32_t code;
    if (named || (c && c == quote)) {
        strbuf_add_char(out, named ? values[named - names] : c);
        *s = str_from(*s, 1);
        return true;
    }
    if (c >= '0' && c <= '7') {
        if (!take_code(s, 3, 8, &code))
            return false;
        strbuf_add_char(out, (char)code);
        return true;
    }
    size_t digits = c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
    if (!digits)
        return false;
    *s = str_from(*s, 1);
    if (!take_code(s, digits, 16, &code))
        return false;
    if (c == 'x')
        strbuf_add_char(out, (char)code);
    else
        add_rune(out, code);
    return true;
}

static int parse_quote(struct parser *p, struct jsonpath_node *list)
{
    size_t start = p->at;
    char quote = p->in.p[p->at++];
    for (int c; c = peek(p), c != quote || p->in.p[p->at - 1] == '\\'; p->at++)
        if (c == END || c == '\n')
            return err_set(p->err, E_INVALID_ARG, "unterminated quoted string");
    p->at++;
    str whole = str_sub(p->in, start, p->at), rest = str_sub(whole, 1, whole.len - 1);
    struct strbuf out = strbuf_on(p->arena);
    while (rest.len) {
        char c = rest.p[0];
        rest = str_from(rest, 1);
        if (c != '\\')
            strbuf_add_char(&out, c);
        else if (!unescape_one(&rest, quote, &out))
            return err_set(p->err, E_INVALID_ARG, "unquote string " STR_FMT " error invalid syntax", STR_ARG(whole));
    }
    add_literal(p, list, json_string(strbuf_str(&out)));
    return 0;
}

/* --- brackets --------------------------------------------------------------------------------------- */

/* One number of [from:to:step]; text is what stands between the colons. */
static int parse_bound(struct parser *p, str text, struct jsonpath_bound *ret)
{
    if (!text.len)
        return 0;
    ret->known = true;
    if (!str_to_i64(text, &ret->value) || ret->value > INT32_MAX || ret->value < INT32_MIN)
        return err_set(p->err, E_INVALID_ARG, "array index " STR_FMT " is not a number", STR_ARG(text));
    return 0;
}

static bool looks_like_slice(str text)
{
    int colons = 0;
    for (size_t i = 0; i < text.len; i++) {
        char c = text.p[i];
        bool first = i == 0 || text.p[i - 1] == ':';
        if (c == ':' ? ++colons > 2 : !is_digit(c) && !(c == '-' && first))
            return false;
    }
    return true;
}

static int parse_slice(struct parser *p, struct jsonpath_node *list, str text)
{
    if (!looks_like_slice(text))
        return err_set(p->err, E_INVALID_ARG, "invalid array index " STR_FMT, STR_ARG(text));
    struct jsonpath_bound b[3] = {0};
    str part;
    int i = 0;
    bool more = true;
    for (; more && i < 3; i++) {
        more = str_cut(&text, ':', &part);
        int r = parse_bound(p, part, &b[i]);
        if (r < 0)
            return r;
    }
    if (i == 1)
        b[1] = (struct jsonpath_bound){.known = true, .derived = true, .value = b[0].value + 1};
    memcpy(add_node(p->arena, list, JSONPATH_ARRAY)->bounds, b, sizeof b);
    return 0;
}

static int parse_union(struct parser *p, struct jsonpath_node *list, str text)
{
    struct jsonpath_node *u = add_node(p->arena, list, JSONPATH_UNION);
    for (bool more = true; more;) {
        str part;
        more = str_cut(&text, ',', &part);
        while (part.len && part.p[0] == ' ')
            part = str_from(part, 1);
        while (part.len && part.p[part.len - 1] == ' ')
            part.len--;
        int r = parse_action(p, arena_fmt(p->arena, "[" STR_FMT "]", STR_ARG(part)), add_node(p->arena, u, JSONPATH_LIST));
        if (r < 0)
            return r;
    }
    return 0;
}

static int parse_key(struct parser *p, struct jsonpath_node *list, str key)
{
    struct jsonpath_node steps = {.type = JSONPATH_LIST};
    int r = parse_action(p, arena_fmt(p->arena, "." STR_FMT, STR_ARG(key)), &steps);
    if (r < 0)
        return r;
    for (size_t i = 0; i < steps.nchildren; i++)
        *add_node(p->arena, list, JSONPATH_LITERAL) = steps.children[i];
    return 0;
}

static int parse_array(struct parser *p, struct jsonpath_node *list)
{
    size_t start = ++p->at;
    for (; peek(p) != ']'; p->at++)
        if (peek(p) == END || peek(p) == '\n')
            return err_set(p->err, E_INVALID_ARG, "unterminated array");
    str text = str_sub(p->in, start, p->at++);
    if (str_find_char(text, ',') >= 0)
        return parse_union(p, list, text);
    bool quoted = text.len >= 2 && text.p[0] == '\'' && str_find_char(str_from(text, 1), '\'') == (ptrdiff_t)text.len - 2;
    if (quoted)
        return parse_key(p, list, str_sub(text, 1, text.len - 1));
    return parse_slice(p, list, str_is(text, "*") ? S(":") : text);
}

/* --- filters ---------------------------------------------------------------------------------------- */

/* Where `op` stands outside quotes, or -1. */
static ptrdiff_t find_outside_quotes(str s, const char *op)
{
    char quote = 0;
    for (size_t i = 0; i < s.len; i++) {
        char c = s.p[i];
        if (quote)
            quote = c == quote && s.p[i - 1] != '\\' ? 0 : quote;
        else if (c == '"' || c == '\'')
            quote = c;
        else if (str_has_prefix(str_from(s, i), str_of(op)))
            return (ptrdiff_t)i;
    }
    return -1;
}

static bool is_operator_char(char c)
{
    return c == '!' || c == '<' || c == '>' || c == '=';
}

static int parse_comparison(struct parser *p, struct jsonpath_node *conjunction, str text)
{
    size_t at = 0, end;
    while (at < text.len && !is_operator_char(text.p[at]))
        at++;
    for (end = at; end < text.len && is_operator_char(text.p[end]);)
        end++;
    /* Something must stand on both sides; "=x" or "x==" is read as a path, which then fails. */
    bool compares = at > 0 && end > at && end < text.len;
    struct jsonpath_node c = {.type = JSONPATH_COMPARISON, .name = compares ? str_sub(text, at, end) : S("")};
    int r = parse_action(p, compares ? str_sub(text, 0, at) : text, add_node(p->arena, &c, JSONPATH_LIST));
    if (r == 0 && compares)
        r = parse_action(p, str_from(text, end), add_node(p->arena, &c, JSONPATH_LIST));
    *add_node(p->arena, conjunction, JSONPATH_COMPARISON) = c;
    return r;
}

static int parse_conjunction(struct parser *p, struct jsonpath_node *filter, str text)
{
    struct jsonpath_node all = {.type = JSONPATH_CONJUNCTION};
    for (bool more = true; more;) {
        ptrdiff_t at = find_outside_quotes(text, "&&");
        more = at >= 0;
        int r = parse_comparison(p, &all, more ? str_sub(text, 0, (size_t)at) : text);
        if (r < 0)
            return r;
        text = more ? str_from(text, (size_t)at + 2) : text;
    }
    *add_node(p->arena, filter, JSONPATH_CONJUNCTION) = all;
    return 0;
}

/* The filter's text ends at the first ")" that no quote hides. */
static int parse_filter(struct parser *p, struct jsonpath_node *list)
{
    p->at += 3;
    size_t start = p->at;
    char quote = 0;
    for (int c; c = peek(p), c != ')' || quote; p->at++) {
        if (c == END || c == '\n')
            return err_set(p->err, E_INVALID_ARG, "unterminated filter");
        if (quote)
            quote = c == quote && p->in.p[p->at - 1] != '\\' ? 0 : quote;
        else if (c == '"' || c == '\'')
            quote = (char)c;
    }
    str text = str_sub(p->in, start, p->at++);
    if (peek(p) != ']')
        return err_set(p->err, E_INVALID_ARG, "unclosed array expect ]");
    p->at++;
    struct jsonpath_node filter = {.type = JSONPATH_FILTER};
    for (bool more = true; more;) {
        ptrdiff_t at = find_outside_quotes(text, "||");
        more = at >= 0;
        int r = parse_conjunction(p, &filter, more ? str_sub(text, 0, (size_t)at) : text);
        if (r < 0)
            return r;
        text = more ? str_from(text, (size_t)at + 2) : text;
    }
    *add_node(p->arena, list, JSONPATH_FILTER) = filter;
    return 0;
}

/* --- actions and text --------------------------------------------------------------------------------- */

static int unrecognized(struct parser *p, int c)
{
    if (c < 0x20 || c == 0x7f)
        return err_set(p->err, E_INVALID_ARG, "unrecognized character in action: U+%04X", c);
    return err_set(p->err, E_INVALID_ARG, "unrecognized character in action: U+%04X '%c'", c, c);
}

static int parse_step(struct parser *p, struct jsonpath_node *list)
{
    if (at_text(p, "[?("))
        return parse_filter(p, list);
    if (at_text(p, ".."))
        return parse_recursive(p, list);
    int c = peek(p);
    if (c == END || c == '\r' || c == '\n')
        return err_set(p->err, E_INVALID_ARG, "unclosed action");
    if (c == '[')
        return parse_array(p, list);
    if (c == '"' || c == '\'')
        return parse_quote(p, list);
    if (c == '+' || c == '-' || is_digit(c))
        return parse_number(p, list);
    if (is_word(c))
        return parse_identifier(p, list);
    p->at++;
    if (c == '.')
        return parse_field(p, list);
    return c == ' ' || c == '@' || c == '$' ? 0 : unrecognized(p, c); /* @ and $ are the current value: nothing to do */
}

/* Up to the closing brace; p->at stands behind the opening one. */
static int parse_inside(struct parser *p, struct jsonpath_node *list)
{
    while (peek(p) != '}') {
        int r = parse_step(p, list);
        if (r < 0)
            return r;
    }
    p->at++;
    return 0;
}

/* The text of a bracket as an action of its own. */
static int parse_action(struct parser *p, str text, struct jsonpath_node *list)
{
    struct jsonpath_node steps = {.type = JSONPATH_LIST};
    struct parser inner = {.arena = p->arena, .in = arena_cat(p->arena, text, S("}")), .depth = p->depth + 1, .err = p->err};
    if (inner.depth > LIMIT_JSON_DEPTH)
        return err_set(p->err, E_INVALID_ARG, "path is nested too deeply");
    int r = parse_inside(&inner, &steps);
    if (r == 0)
        *list = steps;
    return r;
}

static int parse_template(struct parser *p, struct jsonpath_node *root)
{
    while (p->at < p->in.len) {
        size_t start = p->at;
        while (peek(p) != '{' && peek(p) != END)
            p->at++;
        if (p->at > start)
            add_literal(p, root, json_string(str_sub(p->in, start, p->at)));
        if (peek(p) == END)
            break;
        p->at++;
        struct jsonpath_node list = {.type = JSONPATH_LIST};
        int r = parse_inside(p, &list);
        if (r < 0)
            return r;
        *add_node(p->arena, root, JSONPATH_LIST) = list;
    }
    return 0;
}

/* "a.b", ".a.b", "{a.b}" or "{.a.b}" to "{.a.b}". */
static int complete_relaxed(struct arena *a, str text, str *ret, struct err *err)
{
    if (text.len >= 2 && text.p[0] == '{' && text.p[text.len - 1] == '}')
        text = str_sub(text, 1, text.len - 1);
    if (text.len && text.p[0] == '.')
        text = str_from(text, 1);
    if (!text.len || str_find_char(text, '{') >= 0 || str_find_char(text, '}') >= 0)
        return err_set(err, E_INVALID_ARG, "unexpected path string, expected a 'name1.name2' or '.name1.name2' or "
                                           "'{name1.name2}' or '{.name1.name2}'");
    *ret = arena_fmt(a, "{." STR_FMT "}", STR_ARG(text));
    return 0;
}

int jsonpath_compile(struct arena *a, str text, bool relaxed, struct jsonpath **ret, struct err *err)
{
    struct jsonpath *path = arena_new(a, struct jsonpath);
    struct parser p = {.arena = a, .in = text, .err = err};
    int r = relaxed ? complete_relaxed(a, text, &p.in, err) : 0;
    if (r < 0)
        return r;
    p.in = arena_str(a, p.in);
    path->root.type = JSONPATH_LIST;
    r = parse_template(&p, &path->root);
    if (r < 0)
        return r;
    *ret = path;
    return 0;
}
