/* agent_static.c - static pods: manifests in a folder, run without asking anybody, shown in the API as mirror pods.
 *
 *   file ─► pod with a uid of its own (hash of text and node) ─► runs as any other
 *                                                        └────► mirror pod NAME-NODE in the API: annotations say what it is; it is made again when somebody deletes it
 * The folder is looked at every few seconds, on a pool thread; a changed file is another pod, which begins when the one before it has ended.  A file that cannot be read any more ends no pod: somebody is
 * editing it. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <dirent.h>
#include <errno.h>

#include "agent/agent_internal.h"
#include "api/codec.h"
#include "api/resource.h"
#include "base/log.h"
#include "rt/file.h"
#include "wire/yaml.h"

#define SCAN_NS (5 * NSEC_PER_SEC)
#define MANIFEST_BYTES (1u << 20)
#define FILES_MAX 256
#define PATH_NOTE "coxswain.dev/manifest" /* annotation: the file that the pod is from */

struct agent_static {
    bool busy;           /* the folder is being looked at */
    VEC(char *) refused; /* "path: why", so that each is told once */
};

/* One file of the folder. */
struct found {
    str path;
    struct json pod;
    str uid;
    str why; /* it is none: "" otherwise */
};

struct scan {
    struct work_item item;
    struct agent *agent;
    struct arena arena;
    VEC(struct found) files;
    bool failed; /* the folder cannot be read now */
};

static const struct api_resource *pods_resource(void)
{
    for (size_t i = 0; i < api_builtin_count; i++) {
        if (str_is(api_builtin_resources[i]->plural, "pods") && api_builtin_resources[i]->group.len == 0)
            return api_builtin_resources[i];
    }
    BUG_ON(true);
}

static str uid_of(struct arena *a, const struct agent *g, const char *path, str text)
{
    uint64_t x = str_hash(text), y = str_hash(arena_fmt(a, "%s %s", path, g->opts.node_name)) ^ (x >> 7);
    return arena_fmt(a, "%08x-%04x-5%03x-8%03x-%012llx", (unsigned)(x >> 32), (unsigned)(x >> 16) & 0xffff, (unsigned)x & 0xfff, (unsigned)(y >> 48) & 0xfff,
                     (unsigned long long)(y & 0xffffffffffffull));
}

static int read_manifest(struct agent *g, struct arena *a, const char *path, struct json *ret, struct err *err)
{
    char *raw;
    size_t len;
    int r = file_read(path, MANIFEST_BYTES, &raw, &len, err);
    if (r < 0)
        return r;
    str text = arena_str(a, str_n(raw, len));
    free(raw);
    const struct api_resource *pods = pods_resource();
    if ((r = yaml_parse(a, text, NULL, ret, err)) < 0)
        return r;
    if (!str_is(json_get_str(ret, S("kind")), "Pod"))
        return err_set(err, E_INVALID, "a static pod's manifest must be of kind Pod");
    if ((r = api_conform(a, pods->type, ret, NULL, err)) < 0)
        return r;
    api_default(a, pods, ret);
    struct json *meta = json_ensure_object(a, ret, S("metadata"));
    str name = json_get_str(meta, S("name")), uid = uid_of(a, g, path, text);
    const struct json *mains = json_path(ret, "spec", "containers", NULL);
    if (!name.len || !json_is(mains, JSON_ARRAY) || !mains->len)
        return err_set(err, E_INVALID, "a static pod needs metadata.name and spec.containers");
    json_set(a, meta, S("name"), json_string(arena_fmt(a, STR_FMT "-%s", STR_ARG(name), g->opts.node_name)));
    if (!json_get_str(meta, S("namespace")).len)
        json_set(a, meta, S("namespace"), json_string(S("default")));
    json_set(a, meta, S("uid"), json_string(uid));
    struct json *notes = json_ensure_object(a, meta, S("annotations"));
    json_set(a, notes, S("kubernetes.io/config.hash"), json_string(uid));
    json_set(a, notes, S("kubernetes.io/config.source"), json_string(S("file")));
    json_set(a, notes, S(PATH_NOTE), json_string(arena_str(a, str_of(path))));
    json_set(a, json_ensure_object(a, ret, S("spec")), S("nodeName"), json_string(str_of(g->opts.node_name)));
    return 0;
}

/* --- mirrors ----------------------------------------------------------------------------------------------------------------- */
static void on_mirror_made(struct agent_call *c)
{
    struct agent_pod *p = agent_find(c->agent, str_of(c->owner));
    if (p)
        p->mirror_busy = false; /* made: the watch shows it; not made: the next scan tries again */
    free(c->owner);
}

static void create_mirror(struct agent *g, struct agent_pod *p)
{
    ARENA_AUTO a = ARENA_INIT;
    if (!g->pods_synced || !g->node_uid.len || p->gone || p->in_api || p->mirror_busy || g->stopping)
        return;
    struct json pod = json_copy(&a, &p->tree);
    struct json *meta = json_get(&pod, S("metadata"));
    json_del(meta, S("uid"));
    json_del(&pod, S("status"));
    json_set(&a, json_get(meta, S("annotations")), S("kubernetes.io/config.mirror"), json_string(p->uid));
    struct json owner = json_literal(&a, "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"controller\":true}"), owners = json_array();
    json_set(&a, &owner, S("name"), json_string(str_of(g->opts.node_name)));
    json_set(&a, &owner, S("uid"), json_string(g->node_uid));
    json_push(&a, &owners, owner);
    json_set(&a, meta, S("ownerReferences"), owners);
    str path = agent_pod_path(&a, p, "");
    path = str_sub(path, 0, (size_t)str_rfind_char(path, '/'));
    p->mirror_busy = true;
    agent_call(g, "POST", path, "application/json", json_text(&a, &pod), on_mirror_made, str_dup(p->uid))->always = true;
}

static void delete_mirror(struct agent *g, str ns, str name, str uid)
{
    ARENA_AUTO a = ARENA_INIT;
    struct agent_pod as_pod = {.ns = ns, .name = name};
    str body = arena_fmt(&a, "{\"apiVersion\":\"v1\",\"kind\":\"DeleteOptions\",\"gracePeriodSeconds\":0,\"preconditions\":{\"uid\":\"" STR_FMT "\"}}", STR_ARG(uid));
    agent_call(g, "DELETE", agent_pod_path(&a, &as_pod, ""), "application/json", body, NULL, NULL);
}

static void create_mirrors(struct agent *g)
{
    list_foreach(p, &g->pods, struct agent_pod, link) {
        if (p->is_static)
            create_mirror(g, p);
    }
}

void agent_static_mirror(struct agent *g, str pod, bool deleted)
{
    ARENA_AUTO a = ARENA_INIT;
    struct json mirror;
    if (json_parse(&a, pod, NULL, &mirror, NULL) < 0)
        return;
    const struct json *meta = json_get(&mirror, S("metadata"));
    str ns = json_get_str(meta, S("namespace")), name = json_get_str(meta, S("name")), uid = json_get_str(meta, S("uid"));
    struct agent_pod *p = agent_find(g, json_get_str(json_get(meta, S("annotations")), S("kubernetes.io/config.mirror")));
    if (p && (!p->is_static || !str_eq(p->ns, ns) || !str_eq(p->name, name)))
        p = NULL; /* somebody else's words */
    bool is_known = p && p->mirror_uid && str_is(uid, p->mirror_uid);
    if (deleted && is_known) {
        p->in_api = false;
        free(TAKE(p->mirror_uid));
    }
    if (deleted) {
        create_mirrors(g); /* this one again, or the one that waited for the name */
    } else if (!p || json_get_str(meta, S("deletionTimestamp")).len) {
        delete_mirror(g, ns, name, uid);
    } else {
        if (!is_known) { /* a new mirror knows nothing yet */
            free(p->mirror_uid);
            p->mirror_uid = str_dup(uid);
            free(TAKE(p->reported));
        }
        p->in_api = true;
        agent_pod_kick(p);
    }
}

void agent_static_synced(struct agent *g)
{
    create_mirrors(g);
}

/* --- the folder ------------------------------------------------------------------------------------------------------------------ */
static void refuse(struct agent_static *s, str path, str why)
{
    ARENA_AUTO a = ARENA_INIT;
    str line = arena_fmt(&a, STR_FMT ": " STR_FMT, STR_ARG(path), STR_ARG(why));
    for (size_t i = 0; i < s->refused.len; i++) {
        if (str_eq(str_of(s->refused.p[i]), line))
            return;
    }
    log_warn("a static pod is not run", KV("file", STR_FMT, STR_ARG(path)), KV("why", STR_FMT, STR_ARG(why)));
    if (s->refused.len < FILES_MAX)
        vec_push(&s->refused, str_dup(line));
}

static bool is_manifest(const char *name)
{
    str s = str_of(name);
    return name[0] != '.' && (str_has_suffix(s, S(".yaml")) || str_has_suffix(s, S(".yml")) || str_has_suffix(s, S(".json")));
}

static void run_scan(struct work_item *w)
{
    struct scan *s = container_of(w, struct scan, item);
    struct agent *g = s->agent;
    DIR *d = g->opts.static_dir ? opendir(g->opts.static_dir) : NULL;
    s->failed = g->opts.static_dir && !d && errno != ENOENT;
    for (struct dirent *e; d && (e = readdir(d)) && s->files.len < FILES_MAX;) {
        struct err err = ERR_NONE;
        struct found f = {.path = arena_fmt(&s->arena, "%s/%s", g->opts.static_dir, e->d_name)};
        if (!is_manifest(e->d_name))
            continue;
        if (read_manifest(g, &s->arena, f.path.p, &f.pod, &err) < 0)
            f.why = arena_str(&s->arena, str_of(err.msg));
        else
            f.uid = json_get_str(json_get(&f.pod, S("metadata")), S("uid"));
        vec_push(&s->files, f);
    }
    if (d)
        closedir(d);
}

/* The pod's file is there as it was, or cannot be read at the moment. */
static bool is_kept(const struct scan *s, const struct agent_pod *p)
{
    str path = json_str(json_path(&p->tree, "metadata", "annotations", PATH_NOTE, NULL));
    for (size_t i = 0; i < s->files.len; i++) {
        const struct found *f = &s->files.p[i];
        if (str_eq(f->uid, p->uid) || (f->why.len && path.len && str_eq(f->path, path)))
            return true;
    }
    return false;
}

static void put_file(struct agent *g, struct found *f)
{
    ARENA_AUTO a = ARENA_INIT;
    if (f->why.len) {
        refuse(g->statics, f->path, f->why);
        return;
    }
    const struct json *meta = json_get(&f->pod, S("metadata"));
    struct agent_pod *other = agent_find(g, f->uid) ? NULL : agent_find_name(g, json_get_str(meta, S("namespace")), json_get_str(meta, S("name")));
    if (other && !other->gone)
        refuse(g->statics, f->path, S("another pod has its name"));
    if (other || agent_find(g, f->uid)) /* the one before it must end first */
        return;
    struct agent_pod *p = agent_put(g, json_text(&a, &f->pod), true);
    if (p)
        agent_admit(p);
}

static void end_scan(struct work_item *w)
{
    struct scan *s = container_of(w, struct scan, item);
    struct agent *g = s->agent;
    g->ops--;
    g->statics->busy = false;
    if (!g->stopping && !s->failed) {
        list_foreach(p, &g->pods, struct agent_pod, link) {
            if (!p->is_static || p->gone || is_kept(s, p))
                continue;
            p->gone = true; /* its mirror goes with it */
            agent_pod_kick(p);
        }
        for (size_t i = 0; i < s->files.len; i++)
            put_file(g, &s->files.p[i]);
        create_mirrors(g);
    }
    arena_fini(&s->arena);
    vec_fini(&s->files);
    free(s);
    agent_waits_end(g);
}

static void on_timer(struct loop_timer *t)
{
    struct agent *g = container_of(t, struct agent, static_timer);
    if (g->opts.static_dir)
        loop_timer_set(g->loop, t, loop_now(g->loop) + SCAN_NS);
    if (g->statics->busy)
        return;
    struct scan *s = xcalloc(1, sizeof *s);
    s->item = (struct work_item){.loop = g->loop, .run = run_scan, .done = end_scan};
    s->agent = g;
    g->statics->busy = true;
    g->ops++;
    work_submit(g->pool, &s->item);
}

void agent_static_start(struct agent *g)
{
    g->statics = xcalloc(1, sizeof *g->statics);
    g->static_timer.fire = on_timer;
    on_timer(&g->static_timer); /* also without a folder: pods of one that is not followed any more go */
}

void agent_static_soon(struct agent *g)
{
    if (g->statics && g->opts.static_dir && !g->stopping)
        loop_timer_set(g->loop, &g->static_timer, loop_now(g->loop));
}

void agent_static_free(struct agent *g)
{
    struct agent_static *s = g->statics;
    if (!s)
        return;
    for (size_t i = 0; i < s->refused.len; i++)
        free(s->refused.p[i]);
    vec_fini(&s->refused);
    free(s);
}
