/* test_api.h - an API server of a few hundred lines behind client/transport.h, for the tests of live.h: lists, watches, binds, patches, deletes.
 *
 *     struct api f;  api_init(&f);  api_put(&f, "nodes", "", "n1", "\"status\":{...}");  api_live(&f, NULL);  api_run(&f);
 *     T_EQ_STR(api_node_of(&f, "p1"), "n1");
 * Objects are kept as their members' text.  Requests wait until api_run answers them, in order; `refuse` may answer instead.  Everything that changes something is
 * written down in `log`, a line each.
 * Threads: one.  Ownership: the test's. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/test.h"
#include "client/transport.h"
#include "sched/engine/object.h"
#include "sched/live/live.h"
#include "wire/json.h"

struct api_object {
    char resource[80]; /* "pods", "apis/policy/v1/poddisruptionbudgets" */
    char ns[32], name[64], uid[32], node[32];
    char nominated[32];
    char meta[200]; /* further members of metadata, after a comma */
    char *rest; /* members besides kind, metadata and those above */
    char *spec; /* pods: members of spec */
    uint64_t rv;
    bool deleting;
};
struct api {
    struct client_transport t;
    struct clock_fake clock;
    struct loop *loop;
    struct live *l;
    VEC(struct api_object *) objects;
    VEC(struct client_call *) calls;
    VEC(struct client_watch *) watches;
    uint64_t rv, uids;
    struct strbuf log;
    unsigned most_calls; /* waiting at a time */
    /* Answers instead of the server: a status, or 0 to let it. */
    int (*refuse)(struct api *f, const struct client_call *c);
    int refused;
    const char *groups; /* of /apis besides the built-in ones: JSON items, each after a comma */
    struct loop_msg end;
    bool stopped;
};

/* --- objects ------------------------------------------------------------------------------------------------------------------------------------ */
static inline struct api_object *api_find(struct api *f, const char *resource, str ns, str name)
{
    for (size_t i = 0; i < f->objects.len; i++) {
        struct api_object *o = f->objects.p[i];
        if (strcmp(o->resource, resource) == 0 && str_is(ns, o->ns) && str_is(name, o->name))
            return o;
    }
    return NULL;
}

static inline void api_text(const struct api_object *o, struct strbuf *b)
{
    bool is_pod = strcmp(o->resource, "pods") == 0;
    strbuf_addf(b, "{%s\"metadata\":{\"name\":\"%s\",\"namespace\":\"%s\",\"uid\":\"%s\",\"resourceVersion\":\"%llu\",\"creationTimestamp\":\"2026-01-01T00:00:00Z\"",
                is_pod ? "\"kind\":\"Pod\",\"apiVersion\":\"v1\"," : "", o->name, o->ns, o->uid, (unsigned long long)o->rv);
    if (o->deleting)
        strbuf_addf(b, ",\"deletionTimestamp\":\"2026-01-01T00:01:00Z\"");
    strbuf_addf(b, "%s}", o->meta);
    if (is_pod) {
        strbuf_addf(b, ",\"spec\":{%s", o->spec);
        if (o->node[0])
            strbuf_addf(b, ",\"nodeName\":\"%s\"", o->node);
        strbuf_addf(b, "},\"status\":{\"phase\":\"%s\"", o->node[0] ? "Running" : "Pending");
        if (o->nominated[0])
            strbuf_addf(b, ",\"nominatedNodeName\":\"%s\"", o->nominated);
        strbuf_addf(b, "%s}", o->rest);
    } else if (o->rest[0]) {
        strbuf_addf(b, ",%s", o->rest);
    }
    strbuf_addf(b, "}");
}

/* Is this the watch or list of the resource? */
static inline bool api_is_for(str path, const char *resource)
{
    STRBUF_AUTO b = STRBUF_HEAP;
    strbuf_addf(&b, strncmp(resource, "apis/", 5) == 0 ? "/%s?" : "/api/v1/%s?", resource);
    return str_has_prefix(path, strbuf_str(&b));
}

static inline void api_tell(struct api *f, const struct api_object *o, const char *type)
{
    STRBUF_AUTO b = STRBUF_HEAP;
    strbuf_addf(&b, "{\"type\":\"%s\",\"object\":", type);
    api_text(o, &b);
    strbuf_add_char(&b, '}');
    for (size_t i = 0; i < f->watches.len; i++)
        if (api_is_for(f->watches.p[i]->path, o->resource))
            f->watches.p[i]->event(f->watches.p[i], strbuf_str(&b));
}

static inline struct api_object *api_put(struct api *f, const char *resource, const char *ns, const char *name, const char *rest)
{
    struct api_object *o = api_find(f, resource, str_of(ns), str_of(name));
    bool is_new = !o;
    if (is_new) {
        o = xnew(struct api_object);
        snprintf(o->resource, sizeof o->resource, "%s", resource);
        snprintf(o->ns, sizeof o->ns, "%s", ns);
        snprintf(o->name, sizeof o->name, "%s", name);
        snprintf(o->uid, sizeof o->uid, "u%llu", (unsigned long long)++f->uids);
        vec_push(&f->objects, o);
    }
    free(o->rest);
    o->rest = xstrdup(rest);
    o->rv = ++f->rv;
    if (!(is_new && strcmp(resource, "pods") == 0))
        api_tell(f, o, is_new ? "ADDED" : "MODIFIED");
    return o;
}

static inline void api_remove(struct api *f, const char *resource, const char *ns, const char *name)
{
    for (size_t i = 0; i < f->objects.len; i++) {
        struct api_object *o = f->objects.p[i];
        if (strcmp(o->resource, resource) != 0 || strcmp(o->ns, ns) != 0 || strcmp(o->name, name) != 0)
            continue;
        vec_remove(&f->objects, i);
        o->rv = ++f->rv;
        api_tell(f, o, "DELETED");
        free(o->rest);
        free(o->spec);
        free(o);
        return;
    }
}

static inline void api_node(struct api *f, const char *name, int cpu)
{
    STRBUF_AUTO b = STRBUF_HEAP;
    strbuf_addf(&b, "\"status\":{\"allocatable\":{\"cpu\":\"%d\",\"memory\":\"64Gi\",\"pods\":\"110\"}}", cpu);
    api_put(f, "nodes", "", name, strbuf_cstr(&b));
}

static inline const char *api_spec(struct strbuf *b, int cpu, const char *more)
{
    strbuf_clear(b);
    strbuf_addf(b, "\"containers\":[{\"name\":\"c\",\"image\":\"i\",\"resources\":{\"requests\":{\"cpu\":\"%d\"}}}]%s", cpu, more);
    return strbuf_cstr(b);
}

/* more: further members of spec, ",\"priority\":7". */
static inline struct api_object *api_pod(struct api *f, const char *name, int cpu, const char *node, const char *more)
{
    STRBUF_AUTO b = STRBUF_HEAP;
    struct api_object *o = api_put(f, "pods", "default", name, "");
    o->spec = xstrdup(api_spec(&b, cpu, more));
    snprintf(o->node, sizeof o->node, "%s", node);
    api_tell(f, o, "ADDED");
    return o;
}

/* Somebody put the pod on a node; its event is told by who wants to. */
static inline struct api_object *api_assign(struct api *f, const char *pod, const char *node)
{
    struct api_object *o = api_find(f, "pods", S("default"), str_of(pod));
    BUG_ON(!o);
    snprintf(o->node, sizeof o->node, "%s", node);
    o->rv = ++f->rv;
    return o;
}

static inline str api_node_of(struct api *f, const char *pod)
{
    struct api_object *o = api_find(f, "pods", S("default"), str_of(pod));
    return o ? str_of(o->node) : S("(gone)");
}

/* --- requests ----------------------------------------------------------------------------------------------------------------------------------- */
static inline void api_answer(struct client_call *c, int status, str response)
{
    c->status = status;
    c->response = response;
    c->done(c);
}

static inline void api_list(struct api *f, struct client_call *c)
{
    STRBUF_AUTO b = STRBUF_HEAP;
    const char *comma = "";
    strbuf_addf(&b, "{\"metadata\":{\"resourceVersion\":\"%llu\"},\"items\":[", (unsigned long long)f->rv);
    for (size_t i = 0; i < f->objects.len; i++) {
        if (!api_is_for(c->path, f->objects.p[i]->resource))
            continue;
        strbuf_addf(&b, "%s", comma);
        comma = ",";
        api_text(f->objects.p[i], &b);
    }
    strbuf_addf(&b, "]}");
    api_answer(c, 200, strbuf_str(&b));
}

static inline void api_discover(struct api *f, struct client_call *c)
{
    STRBUF_AUTO b = STRBUF_HEAP;
    static const char *const built_in[] = {"storage.k8s.io", "policy", "scheduling.k8s.io"};
    strbuf_addf(&b, "{\"groups\":[{\"name\":\"none\"}");
    for (size_t i = 0; i < ARRAY_LEN(built_in); i++)
        strbuf_addf(&b, ",{\"name\":\"%s\",\"versions\":[{\"version\":\"v1\"}],\"preferredVersion\":{\"version\":\"v1\"}}", built_in[i]);
    strbuf_addf(&b, "%s]}", f->groups ? f->groups : "");
    api_answer(c, 200, strbuf_str(&b));
}

/* The object that a path names; *ret_sub: "binding", "status" or "". */
static inline struct api_object *api_target(struct api *f, str path, str *ret_sub)
{
    str rest = str_from(path, 8), ns = S(""), resource, name, group = S(""), version = S("");
    if (str_has_prefix(path, S("/apis/"))) {
        rest = str_from(path, 6);
        str_cut(&rest, '/', &group);
        str_cut(&rest, '/', &version);
    }
    if (str_has_prefix(rest, S("namespaces/"))) {
        rest = str_from(rest, 11);
        str_cut(&rest, '/', &ns);
    }
    str_cut(&rest, '/', &resource);
    str_cut(&rest, '/', &name);
    *ret_sub = rest;
    char text[80];
    snprintf(text, sizeof text, "%s" STR_FMT "%s" STR_FMT "%s" STR_FMT, group.len ? "apis/" : "", STR_ARG(group), group.len ? "/" : "", STR_ARG(version), group.len ? "/" : "", STR_ARG(resource));
    return api_find(f, text, ns, name);
}

static inline void api_bind(struct api *f, struct client_call *c, struct api_object *o, const struct json *body)
{
    str node = json_get_str(json_get(body, S("target")), S("name")), uid = json_get_str(json_get(body, S("metadata")), S("uid"));
    if (o->node[0] || o->deleting || !str_is(uid, o->uid)) {
        strbuf_addf(&f->log, "conflict %s\n", o->name);
        api_answer(c, 409, S("{\"kind\":\"Status\"}"));
        return;
    }
    snprintf(o->node, sizeof o->node, STR_FMT, STR_ARG(node));
    o->rv = ++f->rv;
    strbuf_addf(&f->log, "bind %s %s\n", o->name, o->node);
    api_tell(f, o, "MODIFIED");
    api_answer(c, 201, S("{\"kind\":\"Status\"}"));
}

static inline void api_delete(struct api *f, struct client_call *c, struct api_object *o, const struct json *body)
{
    if (!str_is(json_get_str(json_get(body, S("preconditions")), S("uid")), o->uid)) {
        api_answer(c, 409, S("{}"));
        return;
    }
    strbuf_addf(&f->log, "delete %s\n", o->name);
    o->deleting = true;
    o->rv = ++f->rv;
    api_tell(f, o, "MODIFIED");
    api_answer(c, 200, S("{}"));
}

static inline void api_patch(struct api *f, struct client_call *c, struct api_object *o, const struct json *body)
{
    const struct json *nominated = json_path(body, "status", "nominatedNodeName", NULL), *list = json_path(body, "status", "conditions", NULL);
    STRBUF_AUTO text = STRBUF_HEAP;
    if (nominated)
        snprintf(o->nominated, sizeof o->nominated, STR_FMT, STR_ARG(json_str(nominated)));
    if (nominated)
        strbuf_addf(&f->log, "nominate %s %s\n", o->name, o->nominated);
    if (list) {
        const struct json *one = &list->items[0];
        strbuf_addf(&f->log, "condition %s " STR_FMT " " STR_FMT ": " STR_FMT "\n", o->name, STR_ARG(json_get_str(one, S("type"))), STR_ARG(json_get_str(one, S("reason"))),
                    STR_ARG(json_get_str(one, S("message"))));
        strbuf_addf(&text, ",\"conditions\":");
        json_write(&text, list);
        if (strcmp(o->resource, "pods") == 0) { /* of others the rest is their spec */
            free(o->rest);
            o->rest = xstrdup(strbuf_cstr(&text));
        }
    }
    if (!nominated && !list)
        strbuf_addf(&f->log, "patch %s %s " STR_FMT "\n", o->resource, o->name, STR_ARG(c->body));
    o->rv = ++f->rv;
    api_tell(f, o, "MODIFIED");
    api_answer(c, 200, S("{}"));
}

/* A ConfigMap of kube-system is made, or its data replaced. */
static inline void api_map(struct api *f, struct client_call *c, struct json *body)
{
    ARENA_AUTO a = ARENA_INIT;
    STRBUF_AUTO b = STRBUF_HEAP;
    str name = json_get_str(json_get(body, S("metadata")), S("name"));
    strbuf_addf(&b, "\"data\":");
    json_write(&b, json_get(body, S("data")));
    strbuf_addf(&f->log, "map " STR_FMT "\n", STR_ARG(name));
    api_put(f, "configmaps", "kube-system", arena_cstr(&a, name), strbuf_cstr(&b));
    api_answer(c, 200, S("{}"));
}

static inline void api_change(struct api *f, struct client_call *c)
{
    ARENA_AUTO a = ARENA_INIT;
    struct json body = json_null();
    struct err err = ERR_NONE;
    str sub;
    if (c->body.len)
        T_NO_ERR(json_parse(&a, c->body, NULL, &body, &err), &err);
    if (str_has_prefix(c->path, S("/apis/events.k8s.io/"))) {
        strbuf_addf(&f->log, "event " STR_FMT " " STR_FMT "\n", STR_ARG(json_get_str(json_get(&body, S("regarding")), S("name"))), STR_ARG(json_get_str(&body, S("reason"))));
        api_answer(c, 201, S("{}"));
        return;
    }
    struct api_object *o = api_target(f, c->path, &sub);
    STRBUF_AUTO b = STRBUF_HEAP;
    if (str_is(c->path, "/api/v1/namespaces/kube-system/configmaps") || (o && strcmp(o->resource, "configmaps") == 0 && str_is(c->method, "PATCH"))) {
        api_map(f, c, &body);
    } else if (!o) {
        api_answer(c, 404, S("{}"));
    } else if (str_is(c->method, "GET")) {
        api_text(o, &b);
        api_answer(c, 200, strbuf_str(&b));
    } else if (str_is(sub, "binding")) {
        api_bind(f, c, o, &body);
    } else if (str_is(c->method, "DELETE")) {
        api_delete(f, c, o, &body);
    } else {
        api_patch(f, c, o, &body);
    }
}

static inline void api_serve(struct api *f, struct client_call *c)
{
    int status = f->refuse ? f->refuse(f, c) : 0;
    bool is_list = str_is(c->method, "GET") && str_find(c->path, S("?limit=")) >= 0;
    if (status) {
        f->refused++;
        api_answer(c, status < 0 ? 0 : status, S("{}"));
    } else if (is_list) {
        api_list(f, c);
    } else if (str_is(c->path, "/apis")) {
        api_discover(f, c);
    } else if (str_is(c->method, "GET") && str_has_prefix(c->path, S("/apis/"))) {
        api_answer(c, 200, S("{\"resources\":[{\"name\":\"podgroups\"},{\"name\":\"queues\"},{\"name\":\"schedulingshards\"}]}"));
    } else {
        api_change(f, c);
    }
}

/* --- the transport --------------------------------------------------------------------------------------------------------------------------------- */
static inline void api_call(struct client_transport *t, struct client_call *c)
{
    struct api *f = container_of(t, struct api, t);
    vec_push(&f->calls, c);
    f->most_calls = MAX(f->most_calls, (unsigned)f->calls.len);
}

static inline void api_watch(struct client_transport *t, struct client_watch *w)
{
    vec_push(&container_of(t, struct api, t)->watches, w);
}

static inline void api_end_watches(struct api *f, const char *resource, int status)
{
    for (size_t i = f->watches.len; i-- > 0;) {
        struct client_watch *w = f->watches.p[i];
        if (resource && !api_is_for(w->path, resource))
            continue;
        vec_remove(&f->watches, i);
        w->ended(w, status);
    }
}

static inline void api_watch_stop(struct client_transport *t, struct client_watch *w)
{
    struct api *f = container_of(t, struct api, t);
    for (size_t i = 0; i < f->watches.len; i++)
        if (f->watches.p[i] == w) {
            vec_remove(&f->watches, i);
            w->ended(w, 200);
            return;
        }
}

static inline void api_stop_loop(struct loop_msg *m)
{
    loop_stop(container_of(m, struct api, end)->loop);
}

/* One turn of the loop. */
static inline void api_turn(struct api *f)
{
    f->end.fn = api_stop_loop;
    loop_post(f->loop, &f->end);
    loop_run(f->loop);
}

/* Until nobody wants anything at this time. */
static inline void api_run(struct api *f)
{
    for (int i = 0, quiet = 0; quiet < 4 && i < 10000; i++) {
        quiet = f->calls.len ? 0 : quiet + 1;
        while (f->calls.len) {
            struct client_call *c = f->calls.p[0];
            vec_remove(&f->calls, 0);
            api_serve(f, c);
        }
        api_turn(f);
    }
}

static inline void api_pass(struct api *f, nsec_t time)
{
    for (nsec_t left = time; left > 0; left -= 100 * NSEC_PER_MSEC) {
        clock_fake_advance(&f->clock, MIN(left, (nsec_t)100 * NSEC_PER_MSEC));
        api_run(f);
    }
}

/* --- life -------------------------------------------------------------------------------------------------------------------------------------------- */
static inline void api_init(struct api *f)
{
    struct err err = ERR_NONE;
    *f = (struct api){0};
    clock_fake_init(&f->clock, 1767225600ll * NSEC_PER_SEC); /* 2026-01-01 */
    f->loop = loop_new("test", &f->clock.clock, &err);
    f->t = (struct client_transport){api_call, api_watch, api_watch_stop};
}

static inline void api_live(struct api *f, const struct live_opts *more)
{
    struct err err = ERR_NONE;
    struct live_opts o = more ? *more : (struct live_opts){0};
    o.transport = &f->t;
    o.loop = f->loop;
    o.clock = &f->clock.clock;
    if (!o.profile)
        o.profile = profile_builtin(S("default"));
    f->l = live_new(&o, &err);
    T_OK(f->l != NULL);
    api_run(f);
}

static inline void api_on_stopped(void *arg)
{
    ((struct api *)arg)->stopped = true;
}

static inline void api_fini(struct api *f)
{
    if (f->l) {
        struct err err = ERR_NONE;
        T_NO_ERR(model_check(live_sched(f->l), &err), &err);
        T_NO_ERR(dispatcher_check(pipeline_dispatcher(live_pipeline(f->l)), &err), &err);
        live_stop(f->l, api_on_stopped, f);
        api_run(f);
        T_OK(f->stopped);
        live_free(f->l);
    }
    T_EQ_INT(f->calls.len, 0);
    T_EQ_INT(f->watches.len, 0);
    loop_free(f->loop);
    while (f->objects.len) {
        struct api_object *o = vec_pop(&f->objects);
        free(o->rest);
        free(o->spec);
        free(o);
    }
    vec_fini(&f->objects);
    vec_fini(&f->calls);
    vec_fini(&f->watches);
    strbuf_fini(&f->log);
}

static inline size_t api_count(struct api *f, const char *part)
{
    size_t n = 0;
    str rest = strbuf_str(&f->log), want = str_of(part);
    for (ptrdiff_t at; (at = str_find(rest, want)) >= 0; rest = str_from(rest, (size_t)at + want.len))
        n++;
    return n;
}
