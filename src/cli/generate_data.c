/* generate_data.c - what configmaps and secrets are filled with: literals, files, folders, env files. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/generate_data.h"

#include <dirent.h>
#include <errno.h>
#include <sys/stat.h>

#include "rt/file.h"
#include "wire/base64.h"

#define DATA_FILE_MAX (64u << 20)

static bool is_key(str key)
{
    for (size_t i = 0; i < key.len; i++) {
        char c = key.p[i];
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.'))
            return false;
    }
    return key.len && key.len <= 253 && !str_is(key, ".") && !str_has_prefix(key, S(".."));
}

static int add(struct generate_data *d, str key, str bytes, struct failure *f)
{
    if (!is_key(key))
        return failure_set(
            f, E_INVALID_ARG,
            "\"" STR_FMT
            "\" is not a valid key name for a %s: a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. "
            "'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')",
            STR_ARG(key), d->kind);
    if (json_get(&d->data, key) || json_get(&d->binary, key))
        return failure_set(f, E_EXISTS,
                           "cannot add key \"" STR_FMT "\", another key by that name already exists in Data for %s \"%s\"",
                           STR_ARG(key), d->kind, d->name);
    if (d->encodes)
        json_set(d->arena, &d->data, key, json_string(base64_encode(d->arena, BASE64_STD, bytes)));
    else if (str_is_utf8(bytes))
        json_set(d->arena, &d->data, key, json_string(bytes));
    else
        json_set(d->arena, &d->binary, key, json_string(base64_encode(d->arena, BASE64_STD, bytes)));
    return 0;
}

int generate_data_file(struct generate_data *d, str key, const char *path, struct failure *f)
{
    CLEANUP(free) char *text = NULL;
    size_t len;
    int r = file_read(path, DATA_FILE_MAX, &text, &len, &f->err);
    return r < 0 ? r : add(d, key, arena_str(d->arena, str_n(text, len)), f);
}

static int by_name(const struct dirent *e)
{
    return strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
}

static int add_folder(struct generate_data *d, const char *path, struct failure *f)
{
    struct dirent **entries;
    int n = scandir(path, &entries, by_name, alphasort), r = 0;
    if (n < 0)
        return failure_set(f, E_IO, "error listing files in %s: %s", path, strerrordesc_np(errno));
    for (int i = 0; i < n; i++) {
        str child = arena_fmt(d->arena, "%s/%s", path, entries[i]->d_name);
        struct stat st;
        if (r == 0 && stat(child.p, &st) == 0 && S_ISREG(st.st_mode))
            r = generate_data_file(d, arena_str(d->arena, str_of(entries[i]->d_name)), child.p, f);
        free(entries[i]);
    }
    free(entries);
    return r;
}

static int add_path(struct generate_data *d, str source, struct failure *f)
{
    str path = source, key;
    struct stat st;
    bool has_key = str_cut(&path, '=', &key);
    if (!has_key)
        path = source;
    if (has_key && (!key.len || !path.len))
        return failure_set(f, E_INVALID_ARG, "%s for file path \"" STR_FMT "\" missing", key.len ? "file path" : "key name",
                           STR_ARG(source));
    const char *file = arena_cstr(d->arena, path);
    if (stat(file, &st) < 0)
        return failure_set(f, E_NOT_FOUND, "error reading %s: %s", file,
                           errno == ENOENT ? "no such file or directory" : strerrordesc_np(errno));
    if (S_ISDIR(st.st_mode))
        return has_key ? failure_set(f, E_INVALID_ARG, "cannot give a key name for a directory path") : add_folder(d, file, f);
    if (!has_key)
        key = str_from(path, (size_t)(str_rfind_char(path, '/') + 1));
    return generate_data_file(d, key, file, f);
}

static int add_literal(struct generate_data *d, str source, struct failure *f)
{
    str value = source, key;
    if (!str_cut(&value, '=', &key))
        return failure_set(f, E_INVALID_ARG, "invalid literal source " STR_FMT ", expected key=value", STR_ARG(source));
    if (value.len > 1 && (value.p[0] == '"' || value.p[0] == '\'') && value.p[value.len - 1] == value.p[0])
        value = str_sub(value, 1, value.len - 1);
    return add(d, key, value, f);
}

static int add_env_file(struct generate_data *d, const char *path, struct failure *f)
{
    CLEANUP(free) char *text = NULL;
    size_t len;
    int r = file_read(path, DATA_FILE_MAX, &text, &len, &f->err);
    str rest = r < 0 ? STR_NONE : arena_str(d->arena, str_n(text, len)), line;
    while (r == 0 && rest.len) {
        str_cut(&rest, '\n', &line);
        while (line.len && (line.p[0] == ' ' || line.p[0] == '\t'))
            line = str_from(line, 1);
        if (line.len && line.p[line.len - 1] == '\r')
            line = str_sub(line, 0, line.len - 1);
        if (!line.len || line.p[0] == '#')
            continue;
        str value = line, key;
        if (!str_cut(&value, '=', &key)) /* no value: that of the environment */
            value = str_of(getenv(arena_cstr(d->arena, key)));
        r = add(d, key, value, f);
    }
    return r;
}

int generate_data_read(struct generate_data *d, const struct cli_args *args, struct failure *f)
{
    const char *given;
    int r = 0;
    d->data = json_object();
    d->binary = json_object();
    if (cli_list(args, "from-env-file", 0) && (cli_list(args, "from-file", 0) || cli_list(args, "from-literal", 0)))
        return failure_set(f, E_INVALID_ARG, "from-env-file cannot be combined with from-file or from-literal");
    for (size_t i = 0; r == 0 && (given = cli_list(args, "from-file", i)); i++)
        r = add_path(d, str_of(given), f);
    for (size_t i = 0; r == 0 && (given = cli_list(args, "from-literal", i)); i++)
        r = add_literal(d, str_of(given), f);
    for (size_t i = 0; r == 0 && (given = cli_list(args, "from-env-file", i)); i++)
        r = add_env_file(d, given, f);
    return r;
}
