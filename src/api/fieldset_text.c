/* Field sets as FieldsV1 and as paths for people. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/fieldset.h"

static const char kind_letters[] = "fkvi"; /* enum fieldset_kind */

/* --- FieldsV1 to set --------------------------------------------------------------------------------- */

static int member_cmp(const void *a, const void *b)
{
    return str_cmp(((const struct json_member *)a)->key, ((const struct json_member *)b)->key);
}

static int parse_key(struct arena *a, str text, struct fieldset_elem *ret, struct err *err)
{
    struct json v;
    int r = json_parse(a, text, NULL, &v, err);
    if (r < 0 || v.type != JSON_OBJECT)
        return err_set(err, E_INVALID, "key of a list item must be a JSON object: " STR_FMT, STR_ARG(str_sub(text, 0, 200)));
    if (v.len)
        qsort(v.members, v.len, sizeof *v.members, member_cmp);
    str *names = arena_array(a, v.len + 1, str);
    const struct json **values = arena_array(a, v.len + 1, const struct json *);
    for (uint32_t i = 0; i < v.len; i++) {
        names[i] = v.members[i].key;
        values[i] = &v.members[i].value;
    }
    *ret = fieldset_elem_key(a, names, values, v.len);
    return 0;
}

static int parse_value(struct arena *a, str text, struct fieldset_elem *ret, struct err *err)
{
    struct json v;
    int r = json_parse(a, text, NULL, &v, err);
    if (r < 0)
        return err_set(err, E_INVALID, "value of a set item must be JSON: " STR_FMT, STR_ARG(str_sub(text, 0, 200)));
    *ret = fieldset_elem_value(a, &v);
    return 0;
}

static int parse_index(str text, struct fieldset_elem *ret, struct err *err)
{
    int64_t i;
    if (!str_to_i64(text, &i))
        return err_set(err, E_INVALID, "index must be a number: " STR_FMT, STR_ARG(str_sub(text, 0, 200)));
    *ret = (struct fieldset_elem){.kind = FIELDSET_INDEX, .body = text};
    return 0;
}

/* *ret_known false: a kind of a later version. */
static int parse_elem(struct arena *a, str key, struct fieldset_elem *ret, bool *ret_known, struct err *err)
{
    *ret_known = true;
    if (key.len < 2)
        return err_set(err, E_INVALID, "key must be 2 characters long: " STR_FMT, STR_ARG(key));
    if (key.p[1] != ':')
        return err_set(err, E_INVALID, "missing colon: " STR_FMT, STR_ARG(str_sub(key, 0, 200)));
    str body = str_from(key, 2);
    switch (key.p[0]) {
    case 'f':
        *ret = (struct fieldset_elem){.kind = FIELDSET_FIELD, .body = body};
        return 0;
    case 'k':
        return parse_key(a, body, ret, err);
    case 'v':
        return parse_value(a, body, ret, err);
    case 'i':
        return parse_index(body, ret, err);
    default:
        *ret_known = false;
        return 0;
    }
}

/* A path that a client wrote twice, in different spellings. */
static void merge_duplicates(struct arena *a, struct fieldset *s)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < s->len; i++) {
        struct fieldset_node *last = kept ? &s->nodes[kept - 1] : NULL;
        if (last && fieldset_elem_cmp(&last->elem, &s->nodes[i].elem) == 0) {
            last->member |= s->nodes[i].member;
            last->sub = fieldset_union(a, &last->sub, &s->nodes[i].sub);
        } else {
            s->nodes[kept++] = s->nodes[i];
        }
    }
    s->len = kept;
}

/* *ret_self: "." is there, or nothing else is. */
static int from_json(struct arena *a, const struct json *v, struct fieldset *ret, bool *ret_self, struct err *err)
{
    struct fieldset out = FIELDSET_EMPTY;
    bool self = false;
    for (uint32_t i = 0; v->type == JSON_OBJECT && i < v->len; i++) {
        struct fieldset_node n = {0};
        bool known;
        if (str_is(v->members[i].key, ".")) {
            self = true;
            continue;
        }
        int r = parse_elem(a, v->members[i].key, &n.elem, &known, err);
        if (r == 0 && known)
            r = from_json(a, &v->members[i].value, &n.sub, &n.member, err);
        if (r < 0)
            return r;
        if (known)
            fieldset_push(a, &out, n);
    }
    fieldset_finish(&out);
    merge_duplicates(a, &out);
    *ret = out;
    *ret_self = self || !out.len;
    return 0;
}

int fieldset_from_json(struct arena *a, const struct json *v, struct fieldset *ret, struct err *err)
{
    bool self;
    if (v->type != JSON_OBJECT && v->type != JSON_NULL)
        return err_set(err, E_INVALID, "fieldsV1 must be an object");
    return from_json(a, v, ret, &self, err);
}

/* --- set to FieldsV1 --------------------------------------------------------------------------------- */

static str elem_text(struct arena *a, const struct fieldset_elem *e)
{
    char *p = arena_alloc(a, e->body.len + 2);
    p[0] = kind_letters[e->kind];
    p[1] = ':';
    memcpy(p + 2, e->body.p, e->body.len);
    return str_n(p, e->body.len + 2);
}

static struct json to_json(struct arena *a, const struct fieldset *s, bool self)
{
    struct json out = json_object();
    self = self && s->len;
    out.cap = s->len + self;
    if (!out.cap)
        return out;
    out.members = arena_alloc(a, out.cap * sizeof *out.members);
    if (self)
        out.members[out.len++] = (struct json_member){.key = S("."), .value = json_object()};
    for (uint32_t i = 0; i < s->len; i++) {
        const struct fieldset_node *n = &s->nodes[i];
        struct json_member *m = &out.members[out.len++];
        m->key = elem_text(a, &n->elem);
        m->value = to_json(a, &n->sub, n->member);
    }
    return out;
}

struct json fieldset_to_json(struct arena *a, const struct fieldset *s)
{
    return to_json(a, s, false);
}

/* --- paths ------------------------------------------------------------------------------------------- */

/* As Go quotes a string with %q. */
static void quote(struct strbuf *b, str s)
{
    static const char named[] = "a\ab\bf\fn\nr\rt\tv\v";
    strbuf_add_char(b, '"');
    for (size_t i = 0; i < s.len; i++) {
        unsigned char c = (unsigned char)s.p[i];
        const char *n = NULL;
        for (size_t k = 1; k < sizeof named; k += 2)
            n = named[k] == (char)c ? &named[k - 1] : n;
        if (c == '"' || c == '\\')
            strbuf_addf(b, "\\%c", c);
        else if (n)
            strbuf_addf(b, "\\%c", *n);
        else if (c < 0x20 || c == 0x7f)
            strbuf_addf(b, "\\x%02x", c);
        else
            strbuf_add_char(b, (char)c);
    }
    strbuf_add_char(b, '"');
}

static void print_scalar(struct arena *a, struct strbuf *b, const struct json *v)
{
    if (v->type == JSON_STRING)
        quote(b, json_str(v));
    else
        strbuf_add_str(b, json_text(a, v));
}

static void print_elem(struct arena *a, struct strbuf *b, const struct fieldset_elem *e)
{
    struct json v;
    struct err unused;
    if (e->kind == FIELDSET_FIELD) {
        strbuf_addf(b, "." STR_FMT, STR_ARG(e->body));
        return;
    }
    strbuf_add_char(b, '[');
    if (e->kind == FIELDSET_INDEX) {
        strbuf_add_str(b, e->body);
    } else if (json_parse(a, e->body, NULL, &v, &unused) == 0) {
        if (e->kind == FIELDSET_VALUE) {
            strbuf_add_char(b, '=');
            print_scalar(a, b, &v);
        }
        for (uint32_t i = 0; e->kind == FIELDSET_KEY && i < v.len; i++) {
            strbuf_addf(b, "%s" STR_FMT "=", i ? "," : "", STR_ARG(v.members[i].key));
            print_scalar(a, b, &v.members[i].value);
        }
    }
    strbuf_add_char(b, ']');
}

struct paths {
    struct arena *a;
    struct strbuf prefix;
    str *items;
    size_t len, cap;
};

static void paths_add(struct paths *p)
{
    if (p->len == p->cap) {
        size_t cap = p->cap ? p->cap * 2 : 8;
        p->items = arena_grow(p->a, p->items, p->cap * sizeof *p->items, cap * sizeof *p->items);
        p->cap = cap;
    }
    p->items[p->len++] = arena_str(p->a, strbuf_str(&p->prefix));
}

static void collect_paths(struct paths *p, const struct fieldset *s)
{
    size_t base = p->prefix.len;
    for (int below = 0; below <= 1; below++) {
        for (uint32_t i = 0; i < s->len; i++) {
            const struct fieldset_node *n = &s->nodes[i];
            if (below ? !n->sub.len : !n->member)
                continue;
            print_elem(p->a, &p->prefix, &n->elem);
            if (below)
                collect_paths(p, &n->sub);
            else
                paths_add(p);
            p->prefix.len = base;
        }
    }
}

str *fieldset_paths(struct arena *a, const struct fieldset *s, size_t *ret_n)
{
    STRBUF_AUTO prefix = STRBUF_HEAP;
    struct paths p = {.a = a, .prefix = prefix};
    collect_paths(&p, s);
    prefix = p.prefix;
    *ret_n = p.len;
    return p.items;
}
