/* SPDX-License-Identifier: Apache-2.0 */
#include "api/fieldset.h"

/* --- order of elements ------------------------------------------------------------------------------- */

static bool is_number_byte(char c)
{
    return (c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E';
}

static str number_at(str s, size_t from)
{
    size_t to = from;
    while (to < s.len && is_number_byte(s.p[to]))
        to++;
    return str_sub(s, from, to);
}

static int number_cmp(str a, str b)
{
    int64_t x, y;
    if (str_to_i64(a, &x) && str_to_i64(b, &y))
        return x < y ? -1 : x > y;
    double p = 0, q = 0;
    if (!str_to_double(a, &p) || !str_to_double(b, &q) || p == q)
        return str_cmp(a, b);
    return p < q ? -1 : 1;
}

/* Numbers, strings, booleans, null: the order of values of different type. */
static int token_class(str s, size_t at)
{
    char c = at < s.len ? s.p[at] : 0;
    return (c >= '0' && c <= '9') || c == '-' ? 0 : c == '"' ? 1 : c == 't' || c == 'f' ? 2 : 3;
}

/* Compares two canonical JSON texts by the first token in which they differ.  Names come before values and are sorted,
 * so this is the order of the lists of (name, value). */
static int json_text_cmp(str a, str b)
{
    bool quoted = false, escaped = false;
    size_t token = 0, i = 0;
    for (; i < a.len && i < b.len && a.p[i] == b.p[i]; i++) {
        char c = a.p[i];
        if (escaped || (quoted && c == '\\'))
            escaped = !escaped;
        else if (c == '"')
            quoted = !quoted, token = quoted ? i : i + 1;
        else if (!quoted && (c == ':' || c == ',' || c == '{'))
            token = i + 1;
    }
    bool a_ends = i >= a.len || a.p[i] == (quoted ? '"' : '}'), b_ends = i >= b.len || b.p[i] == (quoted ? '"' : '}');
    if (!quoted) {
        int x = token_class(a, token), y = token_class(b, token);
        int c = x != y ? x - y : x == 0 ? number_cmp(number_at(a, token), number_at(b, token)) : 0;
        if (c)
            return c;
    }
    if (a_ends != b_ends)
        return a_ends ? -1 : 1;
    return str_cmp(str_from(a, i), str_from(b, i));
}

int fieldset_elem_cmp(const struct fieldset_elem *a, const struct fieldset_elem *b)
{
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    if (a->kind == FIELDSET_FIELD) {
        /* mostly decided by the first byte, and called for every field of every write */
        if (a->body.len && b->body.len && a->body.p[0] != b->body.p[0])
            return (unsigned char)a->body.p[0] < (unsigned char)b->body.p[0] ? -1 : 1;
        return str_cmp(a->body, b->body);
    }
    if (str_eq(a->body, b->body))
        return 0;
    return a->kind == FIELDSET_INDEX ? number_cmp(a->body, b->body) : json_text_cmp(a->body, b->body);
}

const struct fieldset_node *fieldset_find(const struct fieldset *s, const struct fieldset_elem *e)
{
    uint32_t lo = 0, hi = s->len;
    while (lo < hi) {
        uint32_t mid = (lo + hi) / 2;
        int c = fieldset_elem_cmp(&s->nodes[mid].elem, e);
        if (c == 0)
            return &s->nodes[mid];
        if (c < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    return NULL;
}

/* --- making ---------------------------------------------------------------------------------------- */

static void reserve(struct arena *a, struct fieldset *s, uint32_t cap)
{
    if (s->cap >= cap)
        return;
    s->nodes = arena_grow(a, s->nodes, s->len * sizeof *s->nodes, cap * sizeof *s->nodes);
    s->cap = cap;
}

void fieldset_push(struct arena *a, struct fieldset *s, struct fieldset_node node)
{
    if (!node.member && !node.sub.len)
        return;
    if (s->len == s->cap)
        reserve(a, s, s->cap ? s->cap * 2 : 4);
    s->nodes[s->len++] = node;
}

static int node_cmp(const void *a, const void *b)
{
    return fieldset_elem_cmp(&((const struct fieldset_node *)a)->elem, &((const struct fieldset_node *)b)->elem);
}

void fieldset_finish(struct fieldset *s)
{
    if (s->len > 24) {
        qsort(s->nodes, s->len, sizeof *s->nodes, node_cmp);
        return;
    }
    for (uint32_t i = 1; i < s->len; i++) {
        if (node_cmp(&s->nodes[i - 1], &s->nodes[i]) < 0)
            continue;
        struct fieldset_node moved = s->nodes[i];
        uint32_t to = i;
        for (; to > 0 && node_cmp(&s->nodes[to - 1], &moved) > 0; to--)
            s->nodes[to] = s->nodes[to - 1];
        s->nodes[to] = moved;
    }
}

/* Numbers get one spelling; integers have one already. */
static void write_scalar(struct arena *a, struct strbuf *b, const struct json *v)
{
    double d;
    str text = json_str(v);
    bool plain = v->type != JSON_NUMBER || number_at(text, 0).len != text.len ||
                 (str_find_char(text, '.') < 0 && str_find_char(text, 'e') < 0 && str_find_char(text, 'E') < 0);
    if (!plain && json_to_double(v, &d)) {
        struct json canonical = json_double(a, d);
        strbuf_add_str(b, json_str(&canonical));
        return;
    }
    json_write(b, v);
}

struct fieldset_elem fieldset_elem_value(struct arena *a, const struct json *scalar)
{
    struct strbuf b = strbuf_on(a);
    write_scalar(a, &b, scalar);
    return (struct fieldset_elem){.kind = FIELDSET_VALUE, .body = strbuf_str(&b)};
}

struct fieldset_elem fieldset_elem_key(struct arena *a, const str *names, const struct json *const *values, size_t n)
{
    struct strbuf b = strbuf_on(a);
    strbuf_grow(&b, 64);
    strbuf_add_char(&b, '{');
    for (size_t i = 0; i < n; i++) {
        if (i)
            strbuf_add_char(&b, ',');
        json_write_string(&b, names[i]);
        strbuf_add_char(&b, ':');
        write_scalar(a, &b, values[i]);
    }
    strbuf_add_char(&b, '}');
    return (struct fieldset_elem){.kind = FIELDSET_KEY, .body = strbuf_str(&b)};
}

/* --- operations ------------------------------------------------------------------------------------ */

enum op { UNION, INTERSECTION, DIFFERENCE, DIFFERENCE_DEEP };

static const struct op_rule {
    bool keep_x, keep_y; /* nodes that only x, only y has */
} rules[] = {
    [UNION] = {true, true},
    [INTERSECTION] = {false, false},
    [DIFFERENCE] = {true, false},
    [DIFFERENCE_DEEP] = {true, false},
};

static struct fieldset combine(struct arena *a, const struct fieldset *x, const struct fieldset *y, enum op op);

static struct fieldset_node combine_node(struct arena *a, const struct fieldset_node *x, const struct fieldset_node *y,
                                         enum op op)
{
    struct fieldset_node n = {.elem = x->elem};
    if (op == DIFFERENCE_DEEP && y->member)
        return n;
    n.sub = combine(a, &x->sub, &y->sub, op);
    n.member = op == UNION ? x->member || y->member : op == INTERSECTION ? x->member && y->member : x->member && !y->member;
    return n;
}

static struct fieldset combine(struct arena *a, const struct fieldset *x, const struct fieldset *y, enum op op)
{
    const struct op_rule *rule = &rules[op];
    if (!y->len || !x->len)
        return !y->len ? (rule->keep_x ? *x : FIELDSET_EMPTY) : (rule->keep_y ? *y : FIELDSET_EMPTY);
    struct fieldset out = FIELDSET_EMPTY;
    reserve(a, &out, (rule->keep_x ? x->len : 0) + (rule->keep_y ? y->len : 0) + (op == INTERSECTION ? MIN(x->len, y->len) : 0));
    for (uint32_t i = 0, j = 0; i < x->len || j < y->len;) {
        int c = i == x->len ? 1 : j == y->len ? -1 : fieldset_elem_cmp(&x->nodes[i].elem, &y->nodes[j].elem);
        if (c == 0) {
            fieldset_push(a, &out, combine_node(a, &x->nodes[i], &y->nodes[j], op));
        } else if (c < 0 ? rule->keep_x : rule->keep_y) {
            fieldset_push(a, &out, c < 0 ? x->nodes[i] : y->nodes[j]);
        }
        i += c <= 0;
        j += c >= 0;
    }
    return out;
}

struct fieldset fieldset_union(struct arena *a, const struct fieldset *x, const struct fieldset *y)
{
    return combine(a, x, y, UNION);
}
struct fieldset fieldset_intersection(struct arena *a, const struct fieldset *x, const struct fieldset *y)
{
    return combine(a, x, y, INTERSECTION);
}
struct fieldset fieldset_difference(struct arena *a, const struct fieldset *x, const struct fieldset *y)
{
    return combine(a, x, y, DIFFERENCE);
}
struct fieldset fieldset_difference_deep(struct arena *a, const struct fieldset *x, const struct fieldset *y)
{
    return combine(a, x, y, DIFFERENCE_DEEP);
}

struct fieldset fieldset_leaves(struct arena *a, const struct fieldset *x)
{
    struct fieldset out = FIELDSET_EMPTY;
    for (uint32_t i = 0; i < x->len; i++) {
        struct fieldset_node n = x->nodes[i];
        n.member = n.member && !n.sub.len;
        n.sub = fieldset_leaves(a, &n.sub);
        fieldset_push(a, &out, n);
    }
    return out;
}

bool fieldset_intersects(const struct fieldset *x, const struct fieldset *y)
{
    for (uint32_t i = 0, j = 0; i < x->len && j < y->len;) {
        const struct fieldset_node *p = &x->nodes[i], *q = &y->nodes[j];
        int c = fieldset_elem_cmp(&p->elem, &q->elem);
        if (c == 0 && ((p->member && q->member) || fieldset_intersects(&p->sub, &q->sub)))
            return true;
        i += c <= 0;
        j += c >= 0;
    }
    return false;
}

bool fieldset_equal(const struct fieldset *x, const struct fieldset *y)
{
    if (x->len != y->len)
        return false;
    if (x->nodes == y->nodes)
        return true;
    for (uint32_t i = 0; i < x->len; i++) {
        const struct fieldset_node *p = &x->nodes[i], *q = &y->nodes[i];
        if (p->member != q->member || fieldset_elem_cmp(&p->elem, &q->elem) != 0 || !fieldset_equal(&p->sub, &q->sub))
            return false;
    }
    return true;
}

bool fieldset_contains(const struct fieldset *x, const struct fieldset *y)
{
    for (uint32_t i = 0; i < y->len; i++) {
        const struct fieldset_node *q = &y->nodes[i], *p = fieldset_find(x, &q->elem);
        if (!p || (q->member && !p->member) || !fieldset_contains(&p->sub, &q->sub))
            return false;
    }
    return true;
}
