/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/print.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include "rt/file.h"
#include "wire/yaml.h"

#define TEMPLATE_MAX (1u << 20)

/* --- which format ------------------------------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    enum print_format format;
    bool takes_template; /* NAME=TEMPLATE */
    bool is_file;        /* the template is a file */
    bool get_only;
} formats[] = {
    {"json", PRINT_JSON, false, false, false},
    {"yaml", PRINT_YAML, false, false, false},
    {"name", PRINT_NAME, false, false, false},
    {"wide", PRINT_WIDE, false, false, true},
    {"jsonpath", PRINT_JSONPATH, true, false, false},
    {"jsonpath-file", PRINT_JSONPATH, true, true, false},
    {"jsonpath-as-json", PRINT_JSONPATH_AS_JSON, true, false, false},
    {"custom-columns", PRINT_COLUMNS, true, false, true},
    {"custom-columns-file", PRINT_COLUMNS, true, true, true},
};

static int unknown_format(str output, enum print_allow allow, struct failure *f)
{
    return failure_set(f, E_INVALID_ARG,
                       "unable to match a printer suitable for the output format \"" STR_FMT "\", allowed formats are: %s",
                       STR_ARG(output),
                       allow == PRINT_ALLOW_GET
                           ? "custom-columns,custom-columns-file,json,jsonpath,jsonpath-as-json,jsonpath-file,name,wide,yaml"
                           : "json,jsonpath,jsonpath-as-json,jsonpath-file,name,yaml");
}

static str word_of(str *rest)
{
    *rest = str_trim(*rest);
    size_t n = 0;
    while (n < rest->len && rest->p[n] != ' ' && rest->p[n] != '\t')
        n++;
    str word = str_sub(*rest, 0, n);
    *rest = str_from(*rest, n);
    return word;
}

static int add_column(struct printer *p, size_t cap, str header, str path, struct failure *f)
{
    BUG_ON(p->ncolumns >= cap);
    struct print_column *c = &p->columns[p->ncolumns++];
    c->header = header;
    return jsonpath_compile(p->arena, path, true, &c->path, &f->err);
}

/* Two lines of words: headers and paths. */
static int columns_from_file(struct printer *p, str text, struct failure *f)
{
    str headers, paths;
    str_cut(&text, '\n', &headers);
    str_cut(&text, '\n', &paths);
    size_t cap = headers.len / 2 + 2;
    p->columns = arena_array(p->arena, cap, struct print_column);
    for (headers = str_trim(headers), paths = str_trim(paths); headers.len && paths.len;
         headers = str_trim(headers), paths = str_trim(paths)) {
        str header = word_of(&headers);
        int r = add_column(p, cap, header, word_of(&paths), f);
        if (r < 0)
            return r;
    }
    if (headers.len || paths.len)
        return failure_set(f, E_INVALID_ARG, "the numbers of headers and field specifications don't match");
    return 0;
}

static int columns_from_spec(struct printer *p, str spec, struct failure *f)
{
    size_t cap = spec.len / 2 + 2;
    if (!spec.len)
        return failure_set(f, E_INVALID_ARG, "custom-columns format specified but no custom columns given");
    p->columns = arena_array(p->arena, cap, struct print_column);
    while (spec.len) {
        str part, header;
        str_cut(&spec, ',', &part);
        str path = part;
        if (!str_cut(&path, ':', &header))
            return failure_set(f, E_INVALID_ARG,
                               "unexpected custom-columns spec: " STR_FMT ", expected <header>:<json-path-expr>", STR_ARG(part));
        int r = add_column(p, cap, header, path, f);
        if (r < 0)
            return r;
    }
    return 0;
}

static int take_template(struct printer *p, str text, bool is_file, struct failure *f)
{
    if (is_file) {
        CLEANUP(free) char *content = NULL;
        size_t len;
        int r = file_read(arena_cstr(p->arena, text), TEMPLATE_MAX, &content, &len, &f->err);
        if (r < 0)
            return r;
        text = arena_str(p->arena, str_n(content, len));
    }
    if (p->format == PRINT_COLUMNS)
        return is_file ? columns_from_file(p, text, f) : columns_from_spec(p, text, f);
    if (!text.len)
        return failure_set(f, E_INVALID_ARG, "template format specified but no template given");
    p->path_text = text;
    int r = jsonpath_compile(p->arena, text, false, &p->path, &f->err);
    return r < 0 ? err_wrap(&f->err, "error parsing jsonpath " STR_FMT ", ", STR_ARG(text)) : 0;
}

int printer_new(struct arena *a, const struct cli_args *args, enum print_allow allow, struct printer **ret, struct failure *f)
{
    struct printer *p = arena_new(a, struct printer);
    str output = str_of(cli_str(args, "output")), rest = output, name;
    bool has_template = str_cut(&rest, '=', &name);
    p->arena = a;
    p->no_headers = cli_flag(args, "no-headers");
    p->shows_managed_fields = cli_flag(args, "show-managed-fields");
    p->strict_path = cli_given(args, "allow-missing-template-keys") && !cli_flag(args, "allow-missing-template-keys");
    p->tabs_ = TABS_TABLE;
    *ret = p;
    if (!output.len)
        return 0;
    for (size_t i = 0; i < ARRAY_LEN(formats); i++) {
        if (!str_is(name, formats[i].name) || (has_template && !formats[i].takes_template) ||
            (formats[i].get_only && allow != PRINT_ALLOW_GET))
            continue;
        p->format = formats[i].format;
        return formats[i].takes_template ? take_template(p, rest, formats[i].is_file, f) : 0;
    }
    return unknown_format(output, allow, f);
}

/* --- printing --------------------------------------------------------------------------------------------------------------- */

static int write_column(struct printer *p, const struct print_column *c, const struct json *obj, struct failure *f)
{
    const struct json **hits;
    size_t n;
    int r = jsonpath_find(p->arena, c->path, obj, &hits, &n, &f->err);
    if (r < 0)
        return r;
    if (!n)
        strbuf_add_str(&p->tabs_.text, S("<none>"));
    for (size_t i = 0; i < n; i++) {
        struct strbuf b = strbuf_on(p->arena);
        jsonpath_write_go(p->arena, &b, hits[i]);
        if (i)
            strbuf_add_char(&p->tabs_.text, ',');
        print_escaped(&p->tabs_.text, strbuf_str(&b));
    }
    return 0;
}

static int print_columns(struct printer *p, const struct json *obj, struct failure *f)
{
    struct strbuf *b = &p->tabs_.text;
    for (size_t i = 0; !p->printed && !p->no_headers && i < p->ncolumns; i++)
        strbuf_addf(b, STR_FMT "%s", STR_ARG(p->columns[i].header), i + 1 < p->ncolumns ? "\t" : "\n");
    p->printed++;
    const struct json *items = print_is_list(obj) ? json_get(obj, S("items")) : NULL;
    for (size_t n = 0; n < (items ? items->len : 1); n++) {
        for (size_t i = 0; i < p->ncolumns; i++) {
            if (i)
                strbuf_add_char(b, '\t');
            int r = write_column(p, &p->columns[i], items ? &items->items[n] : obj, f);
            if (r < 0)
                return r;
        }
        strbuf_add_char(b, '\n');
    }
    return 0;
}

static void print_names(struct strbuf *out, const struct json *obj)
{
    const struct json *items = print_is_list(obj) ? json_get(obj, S("items")) : NULL;
    if (!items) {
        print_name(out, obj);
        strbuf_add_char(out, '\n');
    }
    for (size_t i = 0; items && i < items->len; i++)
        print_names(out, &items->items[i]);
}

static int print_as_json(struct printer *p, struct strbuf *out, const struct json *obj, struct failure *f)
{
    const struct json **hits;
    size_t n;
    int r = jsonpath_find(p->arena, p->path, obj, &hits, &n, &f->err);
    if (r < 0)
        return r;
    struct json list = json_array();
    for (size_t i = 0; i < n; i++)
        json_push(p->arena, &list, *hits[i]);
    print_json(p->arena, out, &list, "    ");
    return 0;
}

int printer_object(struct printer *p, struct strbuf *out, const struct json *obj, struct failure *f)
{
    struct json shown = p->shows_managed_fields ? *obj : print_without_managed_fields(p->arena, obj);
    int r;
    switch (p->format) {
    case PRINT_COLUMNS:
        return print_columns(p, obj, f);
    case PRINT_JSON:
        print_json(p->arena, out, &shown, "    ");
        break;
    case PRINT_YAML:
        if (p->printed)
            strbuf_add_str(out, S("---\n"));
        yaml_write(out, &shown);
        break;
    case PRINT_JSONPATH:
        r = jsonpath_print(p->arena, p->path, obj, !p->strict_path, out, &f->err);
        if (r < 0)
            return err_wrap(&f->err,
                            "error executing jsonpath \"" STR_FMT "\": Error executing template: ", STR_ARG(p->path_text));
        break;
    case PRINT_JSONPATH_AS_JSON:
        return print_as_json(p, out, obj, f);
    default:
        print_names(out, obj);
    }
    p->printed++;
    return 0;
}

void printer_end(struct printer *p, struct strbuf *out)
{
    tabs_flush(&p->tabs_, out);
    tabs_fini(&p->tabs_);
}

int printer_result(struct printer *p, const struct discovery_resource *res, const struct json *obj, const char *done,
                   struct failure *f)
{
    STRBUF_AUTO out = STRBUF_HEAP;
    if (p->format == PRINT_DEFAULT) {
        str type = discovery_type_name(p->arena, res), name = json_str(json_path(obj, "metadata", "name", NULL));
        printf(STR_FMT "/" STR_FMT " %s\n", STR_ARG(type), STR_ARG(name), done);
        return 0;
    }
    int r = printer_object(p, &out, obj, f);
    print_flush(&out);
    return r;
}

uint32_t print_terminal_width(void)
{
    struct winsize w;
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) == 0 ? w.ws_col : 0;
}

bool print_has_colours(void)
{
    const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
    return isatty(STDOUT_FILENO) && !(no && *no) && term && strcmp(term, "dumb") != 0;
}
