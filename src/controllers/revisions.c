/* SPDX-License-Identifier: Apache-2.0 */
#include "controllers/revisions.h"

static str path_of(struct arena *a, const struct workload *w, str name)
{
    return arena_fmt(a, "/apis/apps/v1/namespaces/" STR_FMT "/controllerrevisions%s" STR_FMT, STR_ARG(w->ns), name.len ? "/" : "", STR_ARG(name));
}

static struct list *owned(const struct workload *w)
{
    return object_cache_owned(&w->all->objects[WORKLOAD_REVISION], w->uid);
}

/* A patch that puts the template back, whatever is there. */
static struct json data_of(struct arena *a, const struct workload *w)
{
    struct json data = json_object(), template = json_copy(a, json_get(w->spec, S("template")));
    json_set(a, &template, S("$patch"), json_string(S("replace")));
    json_set(a, json_ensure_object(a, &data, S("spec")), S("template"), template);
    return data;
}

static void finished(struct job *j)
{
    struct revisions **place = j->state, *r = *place;
    j->state = r->w_;
    if (ops_failure(&r->ops_))
        job_end(j, WORK_RETRY); /* 409: the cache does not show it yet */
    else
        r->next_(j, r);
}

static void add_create(struct job *j, struct workload *w, struct revisions *r, int64_t number, const struct json *data)
{
    struct arena *a = &j->arena;
    struct json obj = json_literal(a, "{\"apiVersion\":\"apps/v1\",\"kind\":\"ControllerRevision\"}"), refs = json_array(), *meta = json_ensure_object(a, &obj, S("metadata"));
    const struct json *labels = json_path(w->spec, "selector", "matchLabels", NULL);
    json_set(a, meta, S("name"), json_string(r->name));
    json_set(a, meta, S("namespace"), json_string(w->ns));
    json_set(a, meta, S("labels"), labels ? json_copy(a, labels) : json_object());
    json_set(a, json_get(meta, S("labels")), S(REVISION_LABEL), json_string(r->hash));
    json_push(a, &refs, workload_owner_ref(a, w));
    json_set(a, meta, S("ownerReferences"), refs);
    json_set(a, &obj, S("data"), *data);
    json_set(a, &obj, S("revision"), json_int(a, number));
    ops_add(a, &r->ops_, (struct op){.type = OP_OTHER, .method = S("POST"), .path = path_of(a, w, S("")), .body = obj});
}

void revisions_sync(struct job *j, struct workload *w, struct revisions *r, void (*next)(struct job *j, struct revisions *r))
{
    struct arena *a = &j->arena;
    struct json data = data_of(a, w);
    struct object *found = NULL;
    int64_t max = 0, number = 0;
    *r = (struct revisions){.next_ = next, .w_ = w};
    object_foreach_owned(o, owned(w))
    {
        int64_t n = json_get_int(object_tree(o), S("revision"), 0);
        max = MAX(max, n);
        if (json_equal(json_get(object_tree(o), S("data")), &data) && n >= number) {
            found = o;
            number = n;
        }
    }
    if (found) {
        r->name = arena_str(a, found->name);
        r->hash = arena_str(a, json_get_str(json_path(object_tree(found), "metadata", "labels", NULL), S(REVISION_LABEL)));
        if (number < max) { /* back to an older template: it is the newest again */
            struct json tree = object_read(a, found), patch = patch_of(a, &tree);
            json_set(a, &patch, S("revision"), json_int(a, max + 1));
            ops_add(a, &r->ops_, (struct op){.type = OP_OTHER, .method = S("PATCH"), .path = path_of(a, w, r->name), .body = patch});
        }
    } else {
        r->hash = hash_name(a, arena_cat(a, w->uid, json_text(a, &data)), 0);
        r->name = arena_fmt(a, STR_FMT "-" STR_FMT, STR_ARG(w->name), STR_ARG(r->hash));
        add_create(j, w, r, max + 1, &data);
    }
    struct revisions **place = arena_new(a, struct revisions *);
    *place = r;
    j->state = place;
    ops_run(j, &r->ops_, finished);
}

static bool in_use(const struct workload *w, const struct object *o, str hash)
{
    ARENA_AUTO a = ARENA_INIT;
    pod_cache_foreach(p, pod_cache_owned(&w->all->pods, w->uid))
    {
        struct json labels = pod_labels(p, &a);
        str has = json_get_str(&labels, S(REVISION_LABEL));
        if (str_eq(has, hash) || str_eq(has, o->name))
            return true;
    }
    return false;
}

void revisions_trim(struct job *j, const struct workload *w, const struct revisions *r, struct ops *ops)
{
    struct arena *a = &j->arena;
    int64_t limit = json_get_int(w->spec, S("revisionHistoryLimit"), 10), old = 0;
    object_foreach_owned(q, owned(w)) old += !str_eq(q->name, r->name);
    if (old <= limit)
        return;
    /* one a run: the oldest that nobody uses; its event brings the next run */
    struct object *oldest = NULL;
    object_foreach_owned(o, owned(w))
    {
        str hash = json_get_str(json_path(object_tree(o), "metadata", "labels", NULL), S(REVISION_LABEL));
        if (str_eq(o->name, r->name) || in_use(w, o, hash))
            continue;
        if (!oldest || json_get_int(object_tree(o), S("revision"), 0) < json_get_int(object_tree(oldest), S("revision"), 0))
            oldest = o;
    }
    if (oldest)
        ops_add(a, ops, (struct op){.type = OP_DELETE, .method = S("DELETE"), .path = path_of(a, w, oldest->name), .body = delete_options(a, arena_str(a, oldest->uid), S("Background"))});
}

struct json revisions_template(struct arena *a, const struct workload *w, str name)
{
    object_foreach_owned(o, owned(w))
    {
        if (!str_eq(o->name, name))
            continue;
        struct json tree = object_read(a, o), *template = json_path(&tree, "data", "spec", "template", NULL);
        if (!template)
            break;
        json_del(template, S("$patch"));
        return *template;
    }
    return json_null();
}
