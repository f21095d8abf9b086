/* SPDX-License-Identifier: Apache-2.0 */
#include "client/kubeconfig.h"

#include <stdlib.h>

#include "client/kubeconfig_internal.h"
#include "rt/file.h"
#include "wire/base64.h"
#include "wire/yaml.h"

const struct kubeconfig_section_info kubeconfig_sections[3] = {
    [KUBECONFIG_CLUSTERS] = {STR_INIT("clusters"), STR_INIT("cluster")},
    [KUBECONFIG_USERS] = {STR_INIT("users"), STR_INIT("user")},
    [KUBECONFIG_CONTEXTS] = {STR_INIT("contexts"), STR_INIT("context")},
};

/* --- loading ---------------------------------------------------------------------------------------- */

static struct json new_tree(struct arena *a)
{
    return json_literal(a, "{\"apiVersion\":\"v1\",\"kind\":\"Config\",\"preferences\":{},\"clusters\":[],\"users\":[],\"contexts\":[],"
                           "\"current-context\":\"\"}");
}

static int shape_section(struct arena *a, struct json *tree, const struct kubeconfig_section_info *s, struct err *err)
{
    struct json *list = json_get(tree, s->list);
    if (!list || list->type == JSON_NULL)
        list = json_set(a, tree, s->list, json_array());
    if (list->type != JSON_ARRAY)
        return err_set(err, E_PARSE, "\"" STR_FMT "\" is not a list", STR_ARG(s->list));
    for (size_t i = 0; i < list->len; i++) {
        struct json *entry = &list->items[i];
        if (!json_is(entry, JSON_OBJECT) || !json_is(json_get(entry, S("name")), JSON_STRING))
            return err_set(err, E_PARSE, "an entry of \"" STR_FMT "\" has no name", STR_ARG(s->list));
        if (!json_is(json_ensure_object(a, entry, s->inner), JSON_OBJECT))
            return err_set(err, E_PARSE, "\"" STR_FMT "\" of \"" STR_FMT "\" is not an object", STR_ARG(s->inner),
                           STR_ARG(json_get_str(entry, S("name"))));
    }
    return 0;
}

static int parse_file(struct kubeconfig *k, struct kubeconfig_file *f, str text, struct err *err)
{
    int r = yaml_parse(&k->arena, text, NULL, &f->tree, err);
    if (r == 0 && f->tree.type == JSON_NULL)
        f->tree = new_tree(&k->arena);
    if (r == 0 && f->tree.type != JSON_OBJECT)
        r = err_set(err, E_PARSE, "it is not an object");
    for (size_t i = 0; r == 0 && i < ARRAY_LEN(kubeconfig_sections); i++)
        r = shape_section(&k->arena, &f->tree, &kubeconfig_sections[i], err);
    return r < 0 ? err_wrap(err, "error loading config file \"%s\": ", f->path) : 0;
}

static int load_file(struct kubeconfig *k, str path, bool must_exist, struct err *err)
{
    struct kubeconfig_file f = {.path = arena_cstr(&k->arena, path), .tree = new_tree(&k->arena)};
    char *text CLEANUP(free) = NULL;
    size_t len;
    struct err read_err = ERR_NONE;
    int r = file_read(f.path, KUBECONFIG_FILE_MAX, &text, &len, &read_err);
    if (r < 0 && (r != -E_NOT_FOUND || must_exist)) {
        if (err)
            *err = read_err;
        return r;
    }
    f.exists = r == 0;
    if (f.exists) {
        r = parse_file(k, &f, str_n(text, len), err);
        if (r < 0)
            return r;
    }
    vec_push(&k->files, f);
    return 0;
}

static int load_env(struct kubeconfig *k, str env, struct err *err)
{
    while (env.len) {
        str path;
        str_cut(&env, ':', &path);
        int r = path.len ? load_file(k, path, false, err) : 0;
        if (r < 0)
            return r;
    }
    if (!k->files.len)
        return 0;
    k->default_file = k->files.len - 1;
    for (size_t i = k->files.len; i-- > 0;)
        k->default_file = k->files.p[i].exists ? i : k->default_file;
    return 0;
}

int kubeconfig_load(const struct kubeconfig_paths *paths, struct kubeconfig **ret, struct err *err)
{
    struct kubeconfig *k CLEANUP(kubeconfig_free) = xnew(struct kubeconfig);
    int r = 0;
    if (paths->file && paths->file[0])
        r = load_file(k, str_of(paths->file), !paths->may_be_new, err);
    else
        r = load_env(k, str_of(paths->env), err);
    if (r == 0 && !k->files.len)
        r = load_file(k, arena_fmt(&k->arena, "%s/.kube/config", paths->home ? paths->home : ""), false, err);
    if (r < 0)
        return r;
    *ret = TAKE(k);
    return 0;
}

void kubeconfig_free(struct kubeconfig *k)
{
    if (!k)
        return;
    vec_fini(&k->files);
    arena_fini(&k->arena);
    free(k);
}

/* --- reading ----------------------------------------------------------------------------------------- */

bool kubeconfig_place_find(const struct kubeconfig *k, enum kubeconfig_section s, str name, struct kubeconfig_place *ret)
{
    for (size_t i = 0; i < k->files.len; i++) {
        struct json *list = json_get(&k->files.p[i].tree, kubeconfig_sections[s].list);
        for (size_t j = 0; j < list->len; j++) {
            if (!str_eq(json_get_str(&list->items[j], S("name")), name))
                continue;
            *ret = (struct kubeconfig_place){&k->files.p[i], list, j, json_get(&list->items[j], kubeconfig_sections[s].inner)};
            return true;
        }
    }
    return false;
}

const struct json *kubeconfig_find(const struct kubeconfig *k, enum kubeconfig_section s, str name)
{
    struct kubeconfig_place p;
    return kubeconfig_place_find(k, s, name, &p) ? p.inner : NULL;
}

str kubeconfig_current_context(const struct kubeconfig *k)
{
    for (size_t i = 0; i < k->files.len; i++) {
        str name = json_get_str(&k->files.p[i].tree, S("current-context"));
        if (name.len)
            return name;
    }
    return S("");
}

size_t kubeconfig_names(struct kubeconfig *k, enum kubeconfig_section s, const str **ret)
{
    VEC(str) names = {0};
    for (size_t i = 0; i < k->files.len; i++) {
        const struct json *list = json_get(&k->files.p[i].tree, kubeconfig_sections[s].list);
        for (size_t j = 0; j < list->len; j++)
            vec_push(&names, json_get_str(&list->items[j], S("name")));
    }
    if (names.len)
        qsort(names.p, names.len, sizeof *names.p, str_cmp_void);
    size_t n = 0;
    str *copy = arena_array(&k->arena, names.len, str);
    for (size_t i = 0; i < names.len; i++) {
        if (!n || !str_eq(copy[n - 1], names.p[i]))
            copy[n++] = names.p[i];
    }
    vec_fini(&names);
    *ret = copy;
    return n;
}

const char *kubeconfig_default_file(const struct kubeconfig *k)
{
    return k->files.p[k->default_file].path;
}

const char *kubeconfig_path_of(struct kubeconfig *k, const struct kubeconfig_file *f, str path)
{
    if (!path.len || path.p[0] == '/')
        return arena_cstr(&k->arena, path);
    char *folder CLEANUP(free) = file_dirname(f->path);
    return arena_fmt(&k->arena, "%s/" STR_FMT, folder, STR_ARG(path)).p;
}

int kubeconfig_read_data(struct kubeconfig *k, const struct kubeconfig_place *p, str field, const char **ret, struct err *err)
{
    str data = json_get_str(p->inner, arena_cat(&k->arena, field, S("-data")));
    str path = json_get_str(p->inner, field), text;
    if (data.len) {
        int r = base64_decode(&k->arena, BASE64_STD, data, &text, err);
        if (r < 0)
            return err_wrap(err, STR_FMT "-data in %s: ", STR_ARG(field), p->file->path);
        *ret = arena_cstr(&k->arena, text);
        return 0;
    }
    if (!path.len) {
        *ret = "";
        return 0;
    }
    char *pem CLEANUP(free) = NULL;
    int r = file_read(kubeconfig_path_of(k, p->file, path), KUBECONFIG_FILE_MAX, &pem, NULL, err);
    if (r < 0)
        return err_wrap(err, STR_FMT " in %s: ", STR_ARG(field), p->file->path);
    *ret = arena_cstr(&k->arena, str_of(pem));
    return 0;
}

/* --- saving -------------------------------------------------------------------------------------------- */

static int save_file(struct kubeconfig_file *f, struct err *err)
{
    char *folder CLEANUP(free) = file_dirname(f->path);
    int r = file_mkdir_all(folder, 0700, err);
    if (r < 0)
        return r;
    /* Through a symbolic link to where the file really is: the rename would replace the link. */
    char *real CLEANUP(free) = realpath(f->path, NULL);
    STRBUF_AUTO text = STRBUF_HEAP;
    yaml_write(&text, &f->tree);
    r = file_write_atomic(real ? real : f->path, strbuf_str(&text), 0600, err);
    if (r < 0)
        return r;
    f->exists = true;
    f->dirty = false;
    return 0;
}

int kubeconfig_save(struct kubeconfig *k, struct err *err)
{
    for (size_t i = 0; i < k->files.len; i++) {
        int r = k->files.p[i].dirty ? save_file(&k->files.p[i], err) : 0;
        if (r < 0)
            return r;
    }
    return 0;
}
