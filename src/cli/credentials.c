/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/credentials.h"

#include <stdio.h>
#include <unistd.h>

#include "base/vec.h"
#include "rt/file.h"

#define RECORD_MAX_BYTES (1u << 20)

struct record {
    str path, previous, made;
};
struct records {
    VEC(struct record) list;
    struct arena arena;
};

static str record_file(struct records *r, const char *data_dir)
{
    return arena_fmt(&r->arena, "%s/kubeconfigs", data_dir);
}

/* A file that is not there holds nothing. */
static void records_read(struct records *r, const char *data_dir)
{
    CLEANUP(free) char *text = NULL;
    size_t len;
    struct err ignored = ERR_NONE;
    if (file_read(record_file(r, data_dir).p, RECORD_MAX_BYTES, &text, &len, &ignored) < 0)
        return;
    for (str rest = arena_str(&r->arena, str_n(text, len)), line; rest.len;) {
        struct record one;
        str_cut(&rest, '\n', &line);
        if (str_cut(&line, '\t', &one.path) && str_cut(&line, '\t', &one.previous)) {
            one.made = line;
            vec_push(&r->list, one);
        }
    }
}

static int records_save(struct records *r, const char *data_dir, struct err *err)
{
    STRBUF_AUTO text = STRBUF_HEAP;
    for (size_t i = 0; i < r->list.len; i++) {
        const struct record *one = &r->list.p[i];
        strbuf_addf(&text, STR_FMT "\t" STR_FMT "\t" STR_FMT "\n", STR_ARG(one->path), STR_ARG(one->previous), STR_ARG(one->made));
    }
    return file_write_atomic(record_file(r, data_dir).p, strbuf_str(&text), 0600, err);
}

static void records_fini(struct records *r)
{
    vec_fini(&r->list);
    arena_fini(&r->arena);
}

static struct record *find(struct records *r, str path)
{
    for (size_t i = 0; i < r->list.len; i++) {
        if (str_eq(r->list.p[i].path, path))
            return &r->list.p[i];
    }
    return NULL;
}

static str absolute(struct arena *a, const char *path)
{
    char here[4096];
    return path[0] == '/' || !getcwd(here, sizeof here) ? arena_str(a, str_of(path)) : arena_fmt(a, "%s/%s", here, path);
}

/* Before the merge: what the way back needs.  A context of this cluster's own is no way back, as when it was current at the last start. */
static int remember(const char *data_dir, const char *path, struct kubeconfig *k, const struct kubeconfig_cluster *c, struct err *err)
{
    struct records r = {.arena = ARENA_INIT};
    CLEANUP(free) char *folder = file_dirname(path);
    str current = kubeconfig_current_context(k), own = kubeconfig_cluster_name(k, c), at = absolute(&r.arena, path);
    bool is_own = own.len && str_eq(json_get_str(kubeconfig_find(k, KUBECONFIG_CONTEXTS, current), S("cluster")), own);
    records_read(&r, data_dir);
    struct record *known = find(&r, at);
    if (!known) {
        vec_push(&r.list, (struct record){at, is_own ? S("") : current, file_exists(path) ? S("-") : file_exists(folder) ? S("file") : S("folder")});
    } else if (!is_own) {
        known->previous = current;
    }
    int result = records_save(&r, data_dir, err);
    records_fini(&r);
    return result;
}

int credentials_write(const char *data_dir, const char *path, const struct kubeconfig_cluster *c, struct arena *a, const char **ret_name, struct err *err)
{
    CLEANUP(kubeconfig_free) struct kubeconfig *k = NULL;
    const char *name;
    int r = kubeconfig_load(&(struct kubeconfig_paths){.file = path, .may_be_new = true}, &k, err);
    if (r < 0 || (r = remember(data_dir, path, k, c, err)) < 0 || (r = kubeconfig_merge(k, c, &name, err)) < 0 || (r = kubeconfig_save(k, err)) < 0)
        return r;
    *ret_name = arena_str(a, str_of(name)).p;
    return 0;
}

/* --- the way back --------------------------------------------------------------------------------------------------------------- */

static bool is_empty(struct kubeconfig *k)
{
    const str *names;
    return !kubeconfig_names(k, KUBECONFIG_CLUSTERS, &names) && !kubeconfig_names(k, KUBECONFIG_CONTEXTS, &names) && !kubeconfig_names(k, KUBECONFIG_USERS, &names);
}

static int forget_in(const struct record *one, const struct kubeconfig_cluster *c, struct err *err)
{
    CLEANUP(kubeconfig_free) struct kubeconfig *k = NULL;
    if (!file_exists(one->path.p))
        return 0;
    int r = kubeconfig_load(&(struct kubeconfig_paths){.file = one->path.p}, &k, err);
    if (r < 0)
        return r;
    kubeconfig_forget(k, c, one->previous);
    if (str_is(one->made, "-") || !is_empty(k))
        return kubeconfig_save(k, err);
    unlink(one->path.p);
    CLEANUP(free) char *folder = file_dirname(one->path.p);
    if (str_is(one->made, "folder"))
        rmdir(folder); /* stays when kubectl keeps its cache there */
    return 0;
}

void credentials_forget(const char *data_dir)
{
    struct records r = {.arena = ARENA_INIT};
    CLEANUP(free) char *ca = NULL;
    struct err err = ERR_NONE;
    records_read(&r, data_dir);
    if (r.list.len && file_read(arena_fmt(&r.arena, "%s/pki/ca.crt", data_dir).p, 64u << 10, &ca, NULL, &err) < 0)
        fprintf(stderr, "warning: the cluster's entries stay in kubeconfig files: %s\n", err.msg);
    for (size_t i = 0; ca && i < r.list.len; i++) {
        struct record one = r.list.p[i];
        one.path = arena_str(&r.arena, one.path);
        if (forget_in(&one, &(struct kubeconfig_cluster){.ca_pem = ca}, &err) < 0)
            fprintf(stderr, "warning: the cluster's entries stay in " STR_FMT ": %s\n", STR_ARG(one.path), err.msg);
    }
    if (ca)
        unlink(record_file(&r, data_dir).p);
    records_fini(&r);
}
