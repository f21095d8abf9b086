/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/config_file.h"

#include "rt/file.h"
#include "wire/yaml.h"

struct reader {
    struct arena *arena;
    const char *path;
    str text;
    struct config_value *values;
    size_t len, line;
    struct err *err;
};

/* What people call them who know the resource and not the option. */
static const struct {
    const char *name, *option;
} others[] = {{"capacity", "node-capacity"}, {"reserved", "node-reserved"}};

static int complain(const struct reader *r, str key, const char *what)
{
    return err_set(r->err, E_INVALID_ARG, "%s:%zu: \"" STR_FMT "\" %s", r->path, yaml_line_of(r->text, key), STR_ARG(key), what);
}

/* nodeName is node-name. */
static const char *option_of(struct arena *a, str key)
{
    struct strbuf b = strbuf_on(a);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (str_is(key, others[i].name))
            return others[i].option;
    for (size_t i = 0; i < key.len; i++) {
        char c = key.p[i];
        bool large = c >= 'A' && c <= 'Z';
        if (large)
            strbuf_add_char(&b, '-');
        strbuf_add_char(&b, large ? (char)(c + 32) : c);
    }
    return arena_cstr(a, strbuf_str(&b));
}

static bool scalar(struct arena *a, const struct json *v, str *ret)
{
    if (json_is(v, JSON_BOOL))
        *ret = v->b ? S("true") : S("false");
    else if (json_is(v, JSON_STRING) || json_is(v, JSON_NUMBER))
        *ret = arena_str(a, str_n(v->s, v->len));
    else
        return false;
    return true;
}

/* "bandwidth" of "bandwidth=10Gi" */
static str name_in(str text)
{
    str name;
    str_cut(&text, '=', &name);
    return name;
}

/* nodeName and node-name are one option, capacity.bandwidth and a bandwidth below capacity one value of it. */
static bool is_there(const struct reader *r, const char *option, str name)
{
    for (size_t i = 0; i < r->len; i++)
        if (strcmp(r->values[i].option, option) == 0 && (!name.len || str_eq(name_in(str_of(r->values[i].text)), name)))
            return true;
    return false;
}

static int add(struct reader *r, const char *option, str text, bool is_list)
{
    if (r->len == CONFIG_FILE_VALUES)
        return err_set(r->err, E_TOO_LARGE, "%s has more than %u values", r->path, CONFIG_FILE_VALUES);
    r->values[r->len++] = (struct config_value){option, arena_cstr(r->arena, text), is_list, r->line};
    return 0;
}

static int read_list(struct reader *r, str key, const char *option, const struct json *v)
{
    int res = 0;
    for (uint32_t i = 0; res == 0 && i < v->len; i++) {
        str text;
        if (!scalar(r->arena, &v->items[i], &text))
            return complain(r, key, "is a list of texts, and one of them is something else");
        res = add(r, option, text, true);
    }
    return res;
}

static int read_map(struct reader *r, str key, const char *option, const struct json *v)
{
    int res = 0;
    for (uint32_t i = 0; res == 0 && i < v->len; i++) {
        str text, name = v->members[i].key;
        if (!scalar(r->arena, &v->members[i].value, &text))
            return complain(r, key, "has texts and numbers, and one of them is something else");
        if (is_there(r, option, name))
            return complain(r, arena_fmt(r->arena, STR_FMT "." STR_FMT, STR_ARG(key), STR_ARG(name)), "is there twice");
        res = add(r, option, arena_fmt(r->arena, STR_FMT "=" STR_FMT, STR_ARG(name), STR_ARG(text)), true);
    }
    return res;
}

static int read_member(struct reader *r, str key, const struct json *v)
{
    str text, rest = key, head;
    r->line = yaml_line_of(r->text, key);
    if (json_is(v, JSON_ARRAY))
        return read_list(r, key, option_of(r->arena, key), v);
    if (json_is(v, JSON_OBJECT))
        return read_map(r, key, option_of(r->arena, key), v);
    if (!scalar(r->arena, v, &text))
        return complain(r, key, "has no value");
    bool is_whole = !str_cut(&rest, '.', &head);
    if (is_there(r, option_of(r->arena, is_whole ? key : head), is_whole ? S("") : rest))
        return complain(r, key, "is there twice");
    if (is_whole)
        return add(r, option_of(r->arena, key), text, false);
    return add(r, option_of(r->arena, head), arena_fmt(r->arena, STR_FMT "=" STR_FMT, STR_ARG(rest), STR_ARG(text)), true);
}

int config_file_read(struct arena *a, const char *path, struct config_value **ret, size_t *ret_len, struct err *err)
{
    char *text CLEANUP(free) = NULL;
    size_t len;
    struct json doc;
    str dups[JSON_MAX_DUPS];
    struct json_parse_opts opts = {.dups = dups};
    int res = file_read(path, CONFIG_FILE_BYTES, &text, &len, err);
    if (res < 0)
        return res;
    struct reader r = {.arena = a, .path = path, .text = arena_str(a, str_n(text, len)), .values = arena_array(a, CONFIG_FILE_VALUES, struct config_value), .err = err};
    if (yaml_parse(a, r.text, &opts, &doc, err) < 0)
        return err_wrap(err, "%s: ", path);
    if (!json_is(&doc, JSON_OBJECT) && !json_is(&doc, JSON_NULL))
        return err_set(err, E_INVALID_ARG, "%s has no names of options with their values", path);
    if (opts.ndups)
        return complain(&r, dups[0], "is there twice");
    for (uint32_t i = 0; res == 0 && json_is(&doc, JSON_OBJECT) && i < doc.len; i++)
        res = read_member(&r, doc.members[i].key, &doc.members[i].value);
    *ret = r.values;
    *ret_len = r.len;
    return res;
}
