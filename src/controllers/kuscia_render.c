/* SPDX-License-Identifier: Apache-2.0 */
#include "controllers/kuscia_render.h"

#define KEPT "\n" /* [bytes of output, work] of the files before; with a name behind it: what the variable is when it is parsed */

struct render {
    struct arena *a;
    struct json *vars;
    size_t bytes, work;
    unsigned steps; /* taken, over all paths of one hole: an index that is a path again counts, too */
};

static bool is_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

/* Takes a name off the beginning. */
static str take_name(str *s)
{
    size_t n = 0;
    while (n < s->len && is_name(s->p[n]))
        n++;
    str name = str_sub(*s, 0, n);
    *s = str_from(*s, n);
    return name;
}

/* Members of vars move when another one comes. */
static const struct json *at_rest(struct render *r, struct json v)
{
    struct json *out = arena_new(r->a, struct json);
    *out = v;
    return out;
}

/* A text that is JSON with parts stands for them.  It is parsed once where it is a variable (name); within others each time, which is work. */
static const struct json *parts(struct render *r, const struct json *v, str name)
{
    struct json made;
    str text = str_trim(json_str(v));
    if (!json_is(v, JSON_STRING) || !text.len || (text.p[0] != '{' && text.p[0] != '['))
        return v;
    str key = name.len ? arena_cat(r->a, S(KEPT), name) : S("");
    const struct json *kept = name.len ? json_get(r->vars, key) : NULL;
    if (kept && !json_is(kept, JSON_STRING))
        return json_is(kept, JSON_NULL) ? v : at_rest(r, *kept);
    r->work += text.len;
    if (r->work > RENDER_WORK)
        return v;
    v = at_rest(r, *v);
    bool is_json = json_parse(r->a, arena_str(r->a, text), NULL, &made, NULL) >= 0;
    if (name.len)
        json_set(r->a, r->vars, key, is_json ? made : json_null());
    return is_json ? at_rest(r, made) : v;
}

static const struct json *find(struct render *r, str path);

/* What stands between [ and ]: a number, KEY=VALUE, or a path to a number. */
static const struct json *item(struct render *r, const struct json *list, str which)
{
    int64_t i;
    str key, rest = which;
    if (!json_is(list, JSON_ARRAY))
        return NULL;
    if (str_has_prefix(which, S(".")))
        which = json_str(find(r, which));
    else if (str_find_char(which, '=') >= 0) {
        str_cut(&rest, '=', &key);
        for (uint32_t k = 0; k < list->len; k++) {
            r->work += 1 + list->items[k].len;
            const struct json *v = json_get(&list->items[k], str_trim(key));
            if (v && str_eq(json_str(v), str_trim(rest)))
                return &list->items[k];
        }
        return NULL;
    }
    return str_to_i64(str_trim(which), &i) && i >= 0 && i < (int64_t)list->len ? &list->items[i] : NULL;
}

/* ".NAME.a[0].b"; NULL: not there, or no such path.  Brackets nest, as an index may be a path. */
static const struct json *find(struct render *r, str path)
{
    const struct json *v = r->vars;
    bool first = true;
    for (; path.len && r->steps++ < RENDER_STEPS && r->work <= RENDER_WORK; first = false) {
        if (!first) /* a text within is taken apart only where a part of it is wanted */
            v = parts(r, v, S(""));
        if (path.p[0] == '.') {
            path = str_from(path, 1);
            str name = take_name(&path);
            r->work += json_is(v, JSON_OBJECT) ? v->len : 0;
            v = json_get(v, name);
            v = v && first ? parts(r, v, name) : v;
        } else if (path.p[0] == '[') {
            size_t at = 1, depth = 1;
            for (; at < path.len && depth; at++)
                depth += path.p[at] == '[' ? 1 : path.p[at] == ']' ? (size_t)-1 : 0;
            if (depth)
                return NULL;
            v = item(r, v, str_sub(path, 1, at - 1));
            path = str_from(path, at);
        } else {
            return NULL;
        }
        if (!v)
            return NULL;
    }
    return path.len ? NULL : v;
}

/* The text within quotation marks, without them. */
static void add_escaped(struct render *r, struct strbuf *out, str text)
{
    struct strbuf b = strbuf_on(r->a);
    json_write_string(&b, text);
    strbuf_add_str(out, str_sub(strbuf_str(&b), 1, b.len - 1));
}

static void add_value(struct strbuf *out, const struct json *v)
{
    if (json_is(v, JSON_STRING))
        strbuf_add_str(out, json_str(v));
    else if (v && v->type != JSON_NULL)
        json_write(out, v);
}

static bool is_plain_name(str s)
{
    str rest = str_from(s, 1);
    return str_has_prefix(s, S(".")) && take_name(&rest).len && !rest.len;
}

/* Takes a hole off the beginning, where {{ is, and writes what it stands for. */
static int fill(struct render *r, str *s, struct strbuf *out, size_t line, struct err *err)
{
    bool raw = str_has_prefix(*s, S("{{{"));
    size_t braces = raw ? 3 : 2;
    ptrdiff_t end = str_find(str_from(*s, braces), raw ? S("}}}") : S("}}"));
    if (end < 0)
        return err_set(err, E_INVALID_ARG, "line %zu: %s is not closed", line, raw ? "{{{" : "{{");
    str inner = str_trim(str_sub(*s, braces, braces + (size_t)end));
    *s = str_from(*s, 2 * braces + (size_t)end);
    r->steps = 0;
    if (raw ? !str_has_prefix(inner, S(".")) : !is_plain_name(inner))
        return err_set(err, E_INVALID_ARG, "line %zu: \"" STR_FMT "\" is not understood: {{.NAME}} is a variable, {{{.NAME.PART}}} a part of one", line, STR_ARG(str_sub(inner, 0, 80)));
    if (raw)
        add_value(out, find(r, inner));
    else
        add_escaped(r, out, json_str(json_get(r->vars, str_from(inner, 1))));
    r->work += r->vars->len;
    return 0;
}

/* What the files before came to. */
static size_t done_before(const struct json *vars, uint32_t which)
{
    const struct json *kept = json_get(vars, S(KEPT));
    int64_t n;
    return json_is(kept, JSON_ARRAY) && which < kept->len && json_to_i64(&kept->items[which], &n) ? (size_t)n : 0;
}

int kuscia_render(struct arena *a, str text, struct json *vars, str *ret, struct err *err)
{
    struct render r = {.a = a, .vars = vars, .bytes = done_before(vars, 0), .work = done_before(vars, 1)};
    struct strbuf out = strbuf_on(a);
    size_t line = 1;
    while (text.len) {
        ptrdiff_t at = str_find(text, S("{{"));
        str before = at < 0 ? text : str_sub(text, 0, (size_t)at);
        for (size_t i = 0; i < before.len; i++)
            line += before.p[i] == '\n';
        strbuf_add_str(&out, before);
        text = str_from(text, before.len);
        int e = text.len ? fill(&r, &text, &out, line, err) : 0;
        if (e < 0)
            return e;
        if (r.bytes + out.len > RENDER_BYTES)
            return err_set(err, E_TOO_LARGE, "line %zu: %s larger than %u bytes", line, r.bytes ? "all files together become" : "the file becomes", RENDER_BYTES);
        if (r.work > RENDER_WORK)
            return err_set(err, E_TOO_LARGE, "line %zu: parts of too large variables are taken too often", line);
    }
    struct json kept = json_array();
    json_push(a, &kept, json_int(a, (int64_t)(r.bytes + out.len)));
    json_push(a, &kept, json_int(a, (int64_t)r.work));
    json_set(a, vars, S(KEPT), kept);
    *ret = strbuf_str(&out);
    return 0;
}
