/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/manifests.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/vec.h"
#include "rt/file.h"
#include "wire/yaml.h"

/* --- text to objects ----------------------------------------------------------------------------------------------- */

static void add(struct manifests *m, struct arena *a, struct json object, str source)
{
    if (m->len == m->cap_) {
        size_t cap = m->cap_ ? m->cap_ * 2 : 16;
        m->p = arena_grow(a, m->p, m->cap_ * sizeof *m->p, cap * sizeof *m->p);
        m->cap_ = cap;
    }
    m->p[m->len++] = (struct manifest){object, source};
}

static int check_type(const struct json *doc, str source, struct failure *f)
{
    bool has_version = json_get_str(doc, S("apiVersion")).len, has_kind = json_get_str(doc, S("kind")).len;
    if (has_version && has_kind)
        return 0;
    return failure_set(
        f, E_PARSE,
        "error validating \"" STR_FMT
        "\": error validating data: %s; if you choose to ignore these errors, turn validation off with --validate=false",
        STR_ARG(source),
        has_version ? "kind not set"
        : has_kind  ? "apiVersion not set"
                    : "[apiVersion not set, kind not set]");
}

static int add_document(struct manifests *m, struct arena *a, struct json *doc, str source, struct failure *f)
{
    if (doc->type == JSON_NULL || (doc->type == JSON_OBJECT && !doc->len))
        return 0;
    str kind = json_get_str(doc, S("kind"));
    struct json *items = json_get(doc, S("items"));
    if (!str_has_suffix(kind, S("List")) || !json_is(items, JSON_ARRAY)) {
        int r = check_type(doc, source, f);
        if (r == 0)
            add(m, a, *doc, source);
        return r;
    }
    for (size_t i = 0; i < items->len; i++) {
        struct json *item = &items->items[i];
        if (json_is(item, JSON_OBJECT) && !json_get(item, S("kind")) &&
            kind.len > 4) { /* a PodList's items need not say that they are pods */
            json_set(a, item, S("apiVersion"), json_string(json_get_str(doc, S("apiVersion"))));
            json_set(a, item, S("kind"), json_string(str_sub(kind, 0, kind.len - 4)));
        }
        int r = add_document(m, a, item, source, f);
        if (r < 0)
            return r;
    }
    return 0;
}

/* JSON is told from YAML by its first brace: a JSON stream may hold values one after another, which YAML may not. */
static int parse_json_stream(struct arena *a, str text, str source, struct manifests *ret, struct failure *f)
{
    for (text = str_trim(text); text.len; text = str_trim(text)) {
        struct json doc;
        struct json_parse_opts opts = {.stop_at_end = true};
        int r = json_parse(a, text, &opts, &doc, &f->err);
        if (r == 0)
            r = add_document(ret, a, &doc, source, f);
        if (r < 0)
            return r;
        text = str_from(text, opts.used);
    }
    return 0;
}

int manifests_parse(struct arena *a, str text, str source, struct manifests *ret, struct failure *f)
{
    if (str_has_prefix(str_trim(text), S("{"))) {
        struct manifests before = *ret;
        if (parse_json_stream(a, text, source, ret, f) == 0)
            return 0;
        *ret = before; /* YAML may begin with a brace as well; its error is the better one */
    }
    struct yaml_stream *stream = yaml_stream_new(text);
    struct json doc;
    int r;
    while ((r = yaml_stream_next(stream, a, NULL, &doc, &f->err)) > 0) {
        r = add_document(ret, a, &doc, source, f);
        if (r < 0) {
            yaml_stream_free(stream);
            return r;
        }
    }
    yaml_stream_free(stream);
    if (r < 0)
        return err_wrap(&f->err, "error parsing " STR_FMT ": ", STR_ARG(source));
    return 0;
}

/* --- files ------------------------------------------------------------------------------------------------------------ */

static int read_stdin(struct arena *a, struct manifests *ret, struct failure *f)
{
    struct strbuf b = strbuf_on(a);
    char chunk[65536];
    size_t n;
    while ((n = fread(chunk, 1, sizeof chunk, stdin)) > 0) {
        strbuf_add(&b, chunk, n);
        if (b.len > MANIFEST_MAX)
            return failure_set(f, E_TOO_LARGE, "standard input holds more than %u MiB", MANIFEST_MAX >> 20);
    }
    return manifests_parse(a, strbuf_str(&b), S("STDIN"), ret, f);
}

static int read_file(struct arena *a, const char *path, struct manifests *ret, struct failure *f)
{
    CLEANUP(free) char *text = NULL;
    size_t len;
    int r = file_read(path, MANIFEST_MAX, &text, &len, &f->err);
    return r < 0 ? r : manifests_parse(a, arena_str(a, str_n(text, len)), arena_str(a, str_of(path)), ret, f);
}

static bool is_manifest_name(str name)
{
    return str_has_suffix(name, S(".json")) || str_has_suffix(name, S(".yaml")) || str_has_suffix(name, S(".yml"));
}

static int not_hidden(const struct dirent *e)
{
    return e->d_name[0] != '.';
}

static int read_folder(struct arena *a, const char *path, bool recursive, struct manifests *ret, struct failure *f)
{
    struct dirent **entries;
    int n = scandir(path, &entries, not_hidden, alphasort), r = 0;
    if (n < 0)
        return failure_set(f, E_IO, "the folder \"%s\" cannot be read", path);
    for (int i = 0; i < n; i++) {
        str child = arena_fmt(a, "%s/%s", path, entries[i]->d_name);
        struct stat st;
        if (r == 0 && stat(child.p, &st) == 0) {
            if (S_ISDIR(st.st_mode))
                r = recursive ? read_folder(a, child.p, true, ret, f) : 0;
            else if (is_manifest_name(child))
                r = read_file(a, child.p, ret, f);
        }
        free(entries[i]);
    }
    free(entries);
    return r;
}

static int read_path(struct arena *a, const char *path, bool recursive, struct manifests *ret, struct failure *f)
{
    struct stat st;
    if (strcmp(path, "-") == 0)
        return read_stdin(a, ret, f);
    if (strncmp(path, "http://", 7) == 0 || strncmp(path, "https://", 8) == 0)
        return failure_set(f, E_INVALID_ARG,
                           "cox does not load manifests from the web; fetch %s first and name the file, or pipe it into -f -",
                           path);
    if (stat(path, &st) < 0)
        return failure_set(f, E_NOT_FOUND, "the path \"%s\" does not exist", path);
    if (!S_ISDIR(st.st_mode))
        return read_file(a, path, ret, f);
    size_t before = ret->len;
    int r = read_folder(a, path, recursive, ret, f);
    if (r == 0 && ret->len == before)
        return failure_set(f, E_NOT_FOUND, "error reading [%s]: recognized file extensions are [.json .yaml .yml]", path);
    return r;
}

int manifests_read(struct arena *a, const struct cli_args *args, struct manifests *ret, struct failure *f)
{
    bool recursive = cli_flag(args, "recursive");
    const char *given;
    for (size_t i = 0; (given = cli_list(args, "filename", i)); i++) {
        str rest = str_of(given), one;
        while (rest.len) { /* -f a.yaml,b.yaml */
            str_cut(&rest, ',', &one);
            int r = read_path(a, arena_cstr(a, one), recursive, ret, f);
            if (r < 0)
                return r;
        }
    }
    return 0;
}
