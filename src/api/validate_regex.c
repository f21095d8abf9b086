/* validate_regex.c - RE2 syntax to the program of a Thompson automaton.
 *
 * The parser writes instructions as it goes:  a|b  becomes  SPLIT L1 L2; L1: a; JUMP L3; L2: b; L3:
 * Operators that come behind their operand (* + ? {n,m}) move or copy the operand's instructions, whose jumps are relative.
 * Whether a repetition is greedy makes no difference to whether a text matches. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/validate_regex_prog.h"

struct parser {
    struct arena *a;
    str text;
    size_t at;
    struct inst *prog;
    uint32_t len, cap;
    struct class *classes;
    uint32_t nclasses, classes_cap;
    bool fold, dot_all, multi_line;
    unsigned depth;
    struct err *err;
};

static int fail(struct parser *p, const char *what, str where)
{
    return err_set(p->err, E_INVALID, "error parsing regexp: %s: `" STR_FMT "`", what, STR_ARG(where));
}

/* --- classes --------------------------------------------------------------------------------------------------------------- */

#define RUNE_MAX 0x10ffff

static const struct range digits[] = {{'0', '9'}};
static const struct range words[] = {{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}};
static const struct range spaces[] = {{'\t', '\n'}, {'\f', '\r'}, {' ', ' '}};
static const struct range uppers[] = {{'A', 'Z'}}, lowers[] = {{'a', 'z'}};
static const struct range letters[] = {{'A', 'Z'}, {'a', 'z'}};
static const struct range alnums[] = {{'0', '9'}, {'A', 'Z'}, {'a', 'z'}};
static const struct range hexes[] = {{'0', '9'}, {'A', 'F'}, {'a', 'f'}};
static const struct range blanks[] = {{'\t', '\t'}, {' ', ' '}};
static const struct range controls[] = {{0, 0x1f}, {0x7f, 0x7f}};
static const struct range graphs[] = {{'!', '~'}}, prints[] = {{' ', '~'}}, asciis[] = {{0, 0x7f}};
static const struct range puncts[] = {{'!', '/'}, {':', '@'}, {'[', '`'}, {'{', '~'}};
static const struct range posix_spaces[] = {{'\t', '\r'}, {' ', ' '}};
/* Letters outside ASCII are taken as one range: this program has no Unicode tables. */
static const struct range any_letters[] = {{'A', 'Z'},       {'a', 'z'},       {0xaa, 0xaa},     {0xb5, 0xb5},      {0xc0, 0x1fff},
                                           {0x2c00, 0x2dff}, {0x3040, 0xd7ff}, {0xf900, 0xfdff}, {0x10000, 0x1ffff}};

struct named_class {
    const char *name;
    const struct range *ranges;
    size_t n;
};
#define NAMED(name, r)                                                                                                                     \
    {                                                                                                                                      \
        name, r, ARRAY_LEN(r)                                                                                                              \
    }
static const struct named_class perl_classes[] = {NAMED("d", digits), NAMED("w", words), NAMED("s", spaces)};
static const struct named_class posix_classes[] = {
    NAMED("alnum", alnums),       NAMED("alpha", letters), NAMED("ascii", asciis), NAMED("blank", blanks), NAMED("cntrl", controls),
    NAMED("digit", digits),       NAMED("graph", graphs),  NAMED("lower", lowers), NAMED("print", prints), NAMED("punct", puncts),
    NAMED("space", posix_spaces), NAMED("upper", uppers),  NAMED("word", words),   NAMED("xdigit", hexes),
};
static const struct named_class unicode_classes[] = {
    NAMED("L", any_letters), NAMED("Lu", uppers), NAMED("Ll", lowers), NAMED("N", digits),
    NAMED("Nd", digits),     NAMED("P", puncts),  NAMED("Z", blanks),  NAMED("Zs", blanks),
};

static const struct named_class *named_find(const struct named_class *list, size_t n, str name)
{
    for (size_t i = 0; i < n; i++) {
        if (str_is(name, list[i].name))
            return &list[i];
    }
    return NULL;
}

static void class_add(struct parser *p, struct class *c, uint32_t lo, uint32_t hi)
{
    if (c->n == c->cap) {
        size_t cap = c->cap ? c->cap * 2 : 8;
        c->ranges = arena_grow(p->a, c->ranges, c->cap * sizeof *c->ranges, cap * sizeof *c->ranges);
        c->cap = cap;
    }
    c->ranges[c->n++] = (struct range){lo, hi};
}

/* The ranges, or what lies between them; they are in order. */
static void class_add_named(struct parser *p, struct class *c, const struct named_class *named, bool negated)
{
    uint32_t from = 0;
    for (size_t i = 0; i < named->n; i++) {
        struct range r = named->ranges[i];
        if (!negated)
            class_add(p, c, r.lo, r.hi);
        else if (r.lo > from)
            class_add(p, c, from, r.lo - 1);
        from = r.hi + 1;
    }
    if (negated)
        class_add(p, c, from, RUNE_MAX);
}

static int32_t class_keep(struct parser *p, const struct class *c)
{
    if (p->nclasses == p->classes_cap) {
        uint32_t cap = p->classes_cap ? p->classes_cap * 2 : 8;
        p->classes = arena_grow(p->a, p->classes, p->classes_cap * sizeof *c, cap * sizeof *c);
        p->classes_cap = cap;
    }
    p->classes[p->nclasses] = *c;
    return (int32_t)p->nclasses++;
}

/* --- instructions ------------------------------------------------------------------------------------------------------------ */

static int emit(struct parser *p, struct inst in)
{
    if (p->len == REGEX_INSTRUCTIONS_MAX)
        return fail(p, "expression too large", p->text);
    if (p->len == p->cap) {
        uint32_t cap = p->cap ? p->cap * 2 : 32;
        p->prog = arena_grow(p->a, p->prog, p->cap * sizeof in, cap * sizeof in);
        p->cap = cap;
    }
    p->prog[p->len++] = in;
    return 0;
}

/* Room for one instruction before `at`.  Jumps are relative and never cross an operand's edge, so nothing needs repair. */
static int insert(struct parser *p, uint32_t at, struct inst in)
{
    int r = emit(p, in);
    if (r < 0)
        return r;
    memmove(&p->prog[at + 1], &p->prog[at], (p->len - 1 - at) * sizeof in);
    p->prog[at] = in;
    return 0;
}

static int emit_class(struct parser *p, const struct class *c, bool fold)
{
    return emit(p, (struct inst){.op = OP_CLASS, .fold = fold, .x = class_keep(p, c)});
}

/* --- parsing ------------------------------------------------------------------------------------------------------------------- */

static bool more(const struct parser *p)
{
    return p->at < p->text.len;
}

static bool looking_at(const struct parser *p, const char *s)
{
    return str_has_prefix(str_from(p->text, p->at), str_of(s));
}

static bool accept(struct parser *p, const char *s)
{
    if (!looking_at(p, s))
        return false;
    p->at += strlen(s);
    return true;
}

static int hex_value(char ch)
{
    return ch >= '0' && ch <= '9' ? ch - '0' : ch >= 'a' && ch <= 'f' ? ch - 'a' + 10 : ch >= 'A' && ch <= 'F' ? ch - 'A' + 10 : -1;
}

/* Behind "\x": two digits, or any number in braces. */
static int parse_hex(struct parser *p, uint32_t *ret)
{
    bool braces = accept(p, "{");
    uint32_t v = 0;
    int n = 0;
    while (more(p) && hex_value(p->text.p[p->at]) >= 0 && (braces ? n < 6 : n < 2)) {
        v = v * 16 + (uint32_t)hex_value(p->text.p[p->at++]);
        n++;
    }
    if (n == 0 || (!braces && n != 2) || (braces && !accept(p, "}")) || v > RUNE_MAX)
        return fail(p, "invalid escape sequence", p->text);
    *ret = v;
    return 0;
}

/* One escaped character; the backslash is behind us. */
static int parse_escape(struct parser *p, uint32_t *ret)
{
    static const char names[] = "aftnrv", values[] = "\a\f\t\n\r\v";
    if (!more(p))
        return fail(p, "trailing backslash at end of expression", S(""));
    size_t from = p->at;
    uint32_t r = regex_next_rune(p->text, &p->at);
    const char *known = r && r < 0x80 ? strchr(names, (int)r) : NULL;
    if (r == 'x')
        return parse_hex(p, ret);
    if (known)
        r = (uint32_t)values[known - names];
    else if (r >= 0x80 || (regex_is_word(r) && r != '_'))
        return fail(p, "invalid escape sequence", str_sub(p->text, from - 1, p->at));
    *ret = r;
    return 0;
}

/* \d \W \pL \P{Lu}: 1 when it was one, 0 when not. */
static int parse_class_escape(struct parser *p, struct class *c)
{
    if (!looking_at(p, "\\") || p->at + 1 >= p->text.len)
        return 0;
    char ch = p->text.p[p->at + 1], small = (char)regex_lower((uint32_t)(unsigned char)ch);
    const struct named_class *named = named_find(perl_classes, ARRAY_LEN(perl_classes), str_n(&small, 1));
    if (named) {
        p->at += 2;
        class_add_named(p, c, named, ch != small);
        return 1;
    }
    if (small != 'p')
        return 0;
    size_t from = p->at;
    p->at += 2;
    bool negated = ch == 'P';
    str name = str_sub(p->text, p->at, p->at + 1);
    if (accept(p, "{")) {
        str rest = str_from(p->text, p->at);
        if (!str_cut(&rest, '}', &name))
            return fail(p, "invalid character class range", str_from(p->text, from));
        p->at += name.len + 1;
    } else {
        p->at += name.len;
    }
    named = named_find(unicode_classes, ARRAY_LEN(unicode_classes), name);
    if (!named)
        return fail(p, "invalid character class range", str_sub(p->text, from, p->at));
    class_add_named(p, c, named, negated);
    return 1;
}

static int parse_posix_class(struct parser *p, struct class *c)
{
    if (!looking_at(p, "[:"))
        return 0;
    str rest = str_from(p->text, p->at + 2);
    ptrdiff_t end = str_find(rest, S(":]"));
    if (end < 0)
        return 0;
    str name = str_sub(rest, 0, (size_t)end);
    bool negated = name.len && name.p[0] == '^';
    const struct named_class *named = named_find(posix_classes, ARRAY_LEN(posix_classes), str_from(name, negated));
    if (!named)
        return fail(p, "invalid character class range", str_sub(p->text, p->at, p->at + (size_t)end + 4));
    p->at += (size_t)end + 4;
    class_add_named(p, c, named, negated);
    return 1;
}

static int class_char(struct parser *p, uint32_t *ret)
{
    if (!more(p))
        return fail(p, "missing closing ]", p->text);
    if (accept(p, "\\"))
        return parse_escape(p, ret);
    *ret = regex_next_rune(p->text, &p->at);
    return 0;
}

static int parse_range(struct parser *p, struct class *c)
{
    size_t from = p->at;
    uint32_t lo, hi;
    int r = class_char(p, &lo);
    hi = lo;
    bool is_range = looking_at(p, "-") && p->at + 1 < p->text.len && p->text.p[p->at + 1] != ']';
    if (r == 0 && is_range) {
        p->at++;
        r = class_char(p, &hi);
    }
    if (r == 0 && hi < lo)
        r = fail(p, "invalid character class range", str_sub(p->text, from, p->at));
    if (r == 0)
        class_add(p, c, lo, hi);
    return r;
}

static int parse_class(struct parser *p)
{
    size_t from = p->at;
    struct class c = {0};
    p->at++;
    c.negated = accept(p, "^");
    for (bool first = true; first || !looking_at(p, "]"); first = false) {
        if (!more(p))
            return fail(p, "missing closing ]", str_from(p->text, from));
        int r = parse_posix_class(p, &c);
        if (r == 0)
            r = parse_class_escape(p, &c);
        if (r == 0)
            r = parse_range(p, &c);
        if (r < 0)
            return r;
    }
    p->at++;
    return emit_class(p, &c, p->fold);
}

static int parse_alternatives(struct parser *p);

static bool flag_set(struct parser *p, char flag, bool on)
{
    switch (flag) {
    case 'i':
        p->fold = on;
        return true;
    case 's':
        p->dot_all = on;
        return true;
    case 'm':
        p->multi_line = on;
        return true;
    default:
        return flag == 'U';
    }
}

/* Behind "(?": flags, a name, or nothing.  *ret_scoped false: "(?i)", which lasts to the end of the group around it. */
static int parse_group_head(struct parser *p, bool *ret_scoped)
{
    size_t from = p->at;
    *ret_scoped = true;
    if (accept(p, "P<") || accept(p, "<")) {
        str rest = str_from(p->text, p->at), name;
        if (!str_cut(&rest, '>', &name) || name.len == 0)
            return fail(p, "invalid named capture", str_from(p->text, from));
        p->at += name.len + 1;
        return 0;
    }
    for (bool on = true; more(p);) {
        char ch = p->text.p[p->at++];
        if (ch == ':')
            return 0;
        if (ch == ')') {
            *ret_scoped = false;
            return 0;
        }
        if (ch == '-' && on)
            on = false;
        else if (!flag_set(p, ch, on))
            break;
    }
    return fail(p, "invalid or unsupported Perl syntax", str_sub(p->text, from - 2, p->at));
}

static int parse_group(struct parser *p)
{
    bool fold = p->fold, dot_all = p->dot_all, multi_line = p->multi_line, scoped = true;
    p->at++;
    int r = accept(p, "?") ? parse_group_head(p, &scoped) : 0;
    if (r < 0 || !scoped)
        return r;
    if (++p->depth > REGEX_DEPTH_MAX)
        return fail(p, "expression nests too deeply", p->text);
    r = parse_alternatives(p);
    p->depth--;
    if (r < 0)
        return r;
    if (!accept(p, ")"))
        return fail(p, "missing closing )", p->text);
    p->fold = fold;
    p->dot_all = dot_all;
    p->multi_line = multi_line;
    return 0;
}

static int emit_rune(struct parser *p, uint32_t r)
{
    return emit(p, (struct inst){.op = OP_RUNE, .fold = p->fold, .x = (int32_t)(p->fold ? regex_lower(r) : r)});
}

/* \Q...\E: everything in between stands for itself. */
static int parse_quoted(struct parser *p)
{
    while (more(p) && !looking_at(p, "\\E")) {
        int r = emit_rune(p, regex_next_rune(p->text, &p->at));
        if (r < 0)
            return r;
    }
    accept(p, "\\E");
    return 0;
}

static int parse_backslash(struct parser *p)
{
    static const struct {
        const char *text;
        enum assertion what;
    } assertions[] = {{"\\A", AT_TEXT_START}, {"\\z", AT_TEXT_END}, {"\\b", AT_WORD}, {"\\B", AT_NOT_WORD}};
    for (size_t i = 0; i < ARRAY_LEN(assertions); i++) {
        if (accept(p, assertions[i].text))
            return emit(p, (struct inst){.op = OP_ASSERT, .x = assertions[i].what});
    }
    if (accept(p, "\\Q"))
        return parse_quoted(p);
    struct class c = {0};
    int r = parse_class_escape(p, &c);
    if (r)
        return r < 0 ? r : emit_class(p, &c, false);
    uint32_t rune;
    p->at++;
    r = parse_escape(p, &rune);
    return r < 0 ? r : emit_rune(p, rune);
}

static int parse_atom(struct parser *p)
{
    switch (p->text.p[p->at]) {
    case '(':
        return parse_group(p);
    case '[':
        return parse_class(p);
    case '\\':
        return parse_backslash(p);
    case '.':
        p->at++;
        return emit(p, (struct inst){.op = p->dot_all ? OP_ANY : OP_ANY_NOT_NL});
    case '^':
        p->at++;
        return emit(p, (struct inst){.op = OP_ASSERT, .x = p->multi_line ? AT_LINE_START : AT_TEXT_START});
    case '$':
        p->at++;
        return emit(p, (struct inst){.op = OP_ASSERT, .x = p->multi_line ? AT_LINE_END : AT_TEXT_END});
    case '*':
    case '+':
    case '?':
        return fail(p, "missing argument to repetition operator", str_sub(p->text, p->at, p->at + 1));
    default:
        return emit_rune(p, regex_next_rune(p->text, &p->at));
    }
}

#define REPEAT_MAX 1000

/* "{2,5}": 1 when it is one, 0 when the brace stands for itself. */
static int parse_counts(struct parser *p, int64_t *ret_min, int64_t *ret_max)
{
    str rest = str_from(p->text, p->at), inside, low;
    if (!looking_at(p, "{"))
        return 0;
    rest = str_from(rest, 1);
    if (!str_cut(&rest, '}', &inside))
        return 0;
    size_t used = inside.len + 2;
    str high = inside;
    bool comma = str_cut(&high, ',', &low);
    bool digits_only = low.len > 0 && low.len < 6 && high.len < 6;
    for (size_t i = 0; i < inside.len; i++)
        digits_only &= inside.p[i] == ',' || (inside.p[i] >= '0' && inside.p[i] <= '9');
    if (!digits_only || !str_to_i64(low, ret_min) || (high.len && !str_to_i64(high, ret_max)))
        return 0;
    if (!comma)
        *ret_max = *ret_min;
    else if (high.len == 0)
        *ret_max = -1;
    if (*ret_min > REPEAT_MAX || *ret_max > REPEAT_MAX || (*ret_max >= 0 && *ret_max < *ret_min))
        return fail(p, "invalid repeat count", str_sub(p->text, p->at, p->at + used));
    p->at += used;
    return 1;
}

/* x{min,max} from the operand at `from`: min copies, then an endless one, or nested optional ones. */
static int repeat(struct parser *p, uint32_t from, int64_t min, int64_t max)
{
    uint32_t n = p->len - from;
    if (n == 0) /* nothing, however often */
        return 0;
    struct inst *once = arena_array(p->a, n + 1, struct inst);
    memcpy(once, &p->prog[from], n * sizeof *once);
    p->len = from;
    int64_t copies = max < 0 ? min + 1 : max;
    if ((uint64_t)copies * (n + 2) > REGEX_INSTRUCTIONS_MAX)
        return fail(p, "invalid repeat count", p->text);
    int r = 0;
    for (int64_t i = 0; i < copies && r == 0; i++) {
        bool endless = max < 0 && i == min, optional = i >= min;
        if (optional) /* over this copy, and over the rest, which cannot match more */
            r = emit(p, (struct inst){.op = OP_SPLIT, .x = 1, .y = (int32_t)n + 1 + endless});
        for (uint32_t k = 0; k < n && r == 0; k++)
            r = emit(p, once[k]);
        if (endless && r == 0)
            r = emit(p, (struct inst){.op = OP_JUMP, .x = -(int32_t)n - 1});
    }
    return r;
}

static int parse_repeated(struct parser *p)
{
    uint32_t from = p->len;
    int r = parse_atom(p);
    for (bool again = false; r == 0 && more(p); again = true) {
        int64_t min = 0, max = -1;
        size_t at = p->at;
        bool is_operator = accept(p, "*") || accept(p, "+") || accept(p, "?");
        if (is_operator) {
            min = p->text.p[at] == '+';
            max = p->text.p[at] == '?' ? 1 : -1;
        } else {
            r = parse_counts(p, &min, &max);
            if (r <= 0)
                return r;
        }
        if (again)
            return fail(p, "invalid nested repetition operator", str_sub(p->text, at - 1, p->at));
        accept(p, "?"); /* lazy */
        r = repeat(p, from, min, max);
    }
    return r;
}

static int parse_sequence(struct parser *p)
{
    while (more(p) && !looking_at(p, "|") && !looking_at(p, ")")) {
        int r = parse_repeated(p);
        if (r < 0)
            return r;
    }
    return 0;
}

static int parse_alternatives(struct parser *p)
{
    uint32_t from = p->len;
    int r = parse_sequence(p);
    while (r == 0 && accept(p, "|")) {
        uint32_t left = p->len - from;
        r = insert(p, from, (struct inst){.op = OP_SPLIT, .x = 1, .y = (int32_t)left + 2});
        uint32_t jump = p->len;
        if (r == 0)
            r = emit(p, (struct inst){.op = OP_JUMP});
        if (r == 0)
            r = parse_sequence(p);
        if (r == 0)
            p->prog[jump].x = (int32_t)(p->len - jump);
    }
    return r;
}

int regex_compile(struct arena *a, str pattern, struct regex **ret, struct err *err)
{
    struct parser p = {.a = a, .text = arena_str(a, pattern), .err = err};
    int r = parse_alternatives(&p);
    if (r == 0 && more(&p))
        r = fail(&p, "unexpected )", p.text);
    if (r == 0)
        r = emit(&p, (struct inst){.op = OP_MATCH});
    if (r < 0)
        return r;
    struct regex *re = arena_new(a, struct regex);
    *re = (struct regex){.prog = p.prog, .len = p.len, .classes = p.classes};
    re->mark = arena_array(a, re->len, uint32_t);
    re->stack = arena_array(a, re->len * 2 + 2, uint32_t);
    for (int i = 0; i < 2; i++)
        re->lists[i] = arena_array(a, re->len, uint32_t);
    *ret = re;
    return 0;
}
