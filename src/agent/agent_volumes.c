/* agent_volumes.c - folders of local-path volumes that were deleted: removed here, then the volume's finalizer.
 *
 *   watch: volumes labelled with this node ─► deleted, with our finalizer, not bound ─► rm -r on a pool thread ─► PATCH without the finalizer
 *
 * Only folders right below VOLUMES/local-path are touched, whatever the object says. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/agent_internal.h"
#include "base/log.h"
#include "client/client.h"
#include "rt/file.h"

#define FINALIZER "coxswain.dev/local-path"
#define NODE_LABEL "coxswain.dev/node"

struct removal {
    struct work_item item;
    struct agent *agent;
    struct arena arena;
    str name, path, patch;
    int result;
    struct err err;
};

/* VOLUMES/local-path/ONE-NAME */
static bool is_ours(const struct agent *g, str path)
{
    ARENA_AUTO a = ARENA_INIT;
    str base = arena_fmt(&a, "%s/local-path/", g->opts.volumes_dir);
    str name = str_has_prefix(path, base) ? str_from(path, base.len) : S("");
    return name.len && str_find_char(name, '/') < 0 && !str_is(name, ".") && !str_is(name, "..");
}

static void run_removal(struct work_item *w)
{
    struct removal *r = container_of(w, struct removal, item);
    r->result = file_remove_all(r->path.p, &r->err);
}

static void end_removal(struct work_item *w)
{
    struct removal *r = container_of(w, struct removal, item);
    struct agent *g = r->agent;
    g->ops--;
    if (r->result < 0) {
        log_warn("a volume's folder cannot be removed", KV("volume", STR_FMT, STR_ARG(r->name)), KV("why", "%s", r->err.msg));
    } else {
        struct strbuf path = strbuf_on(&r->arena);
        strbuf_add_str(&path, S("/api/v1/persistentvolumes"));
        client_path_add(&path, r->name);
        agent_call(g, "PATCH", strbuf_str(&path), "application/merge-patch+json", r->patch, NULL, NULL);
    }
    arena_fini(&r->arena);
    free(r);
    agent_waits_end(g);
}

/* {"metadata":{"resourceVersion":RV,"finalizers":[the others]}}; "": ours is not among them. */
static str patch_without(struct arena *a, const struct json *meta)
{
    const struct json *list = json_get(meta, S("finalizers"));
    struct json rest = json_array(), patch = json_object();
    bool found = false;
    for (uint32_t i = 0; json_is(list, JSON_ARRAY) && i < list->len; i++) {
        bool is_own = str_is(json_str(&list->items[i]), FINALIZER);
        found |= is_own;
        if (!is_own)
            json_push(a, &rest, list->items[i]);
    }
    struct json *m = json_ensure_object(a, &patch, S("metadata"));
    json_set(a, m, S("resourceVersion"), json_string(json_get_str(meta, S("resourceVersion"))));
    json_set(a, m, S("finalizers"), rest);
    return found ? json_text(a, &patch) : S("");
}

static void on_event(struct informer *inf, struct informer_event *ev)
{
    struct agent *g = informer_owner(inf);
    const struct json *v = ev->change == INFORMER_DELETED ? NULL : informer_event_object(ev), *meta = json_get(v, S("metadata"));
    if (!json_get_str(meta, S("deletionTimestamp")).len || str_is(json_get_str(json_get(v, S("status")), S("phase")), "Bound"))
        return;
    ARENA_AUTO a = ARENA_INIT;
    str path = json_get_str(json_path(v, "spec", "hostPath", NULL), S("path")), patch = patch_without(&a, meta);
    if (!patch.len || !is_ours(g, path))
        return;
    struct removal *r = xcalloc(1, sizeof *r);
    *r = (struct removal){.item = {.loop = g->loop, .run = run_removal, .done = end_removal}, .agent = g, .arena = ARENA_INIT};
    r->name = arena_str(&r->arena, json_get_str(meta, S("name")));
    r->path = arena_str(&r->arena, path);
    r->patch = arena_str(&r->arena, patch);
    g->ops++;
    work_submit(g->pool, &r->item);
}

void agent_volumes_start(struct agent *g)
{
    ARENA_AUTO a = ARENA_INIT;
    struct strbuf query = strbuf_on(&a);
    client_query_add(&query, "labelSelector", arena_fmt(&a, NODE_LABEL "=%s", g->opts.node_name));
    g->volume_informer = informer_new(&(struct informer_opts){.transport = g->transport, .loop = g->loop, .path = S("/api/v1/persistentvolumes"), .query = strbuf_str(&query), .event = on_event, .owner = g});
}
