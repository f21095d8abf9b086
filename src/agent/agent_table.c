/* agent_table.c - the pods of the node by uid, and calls to the API that own their texts. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/agent_internal.h"
#include "base/civil.h"
#include "base/log.h"
#include "client/client.h"

const char *agent_pod_dir(const struct agent *g, struct arena *a, str uid)
{
    return arena_fmt(a, "%s/pods/" STR_FMT, g->opts.dir, STR_ARG(uid)).p;
}

const char *agent_log_dir(const struct agent *g, struct arena *a, const struct agent_pod *p)
{
    return arena_fmt(a, "%s/logs/" STR_FMT "_" STR_FMT "_" STR_FMT, g->opts.dir, STR_ARG(p->ns), STR_ARG(p->name), STR_ARG(p->uid)).p;
}

str agent_pod_path(struct arena *a, const struct agent_pod *p, const char *more)
{
    struct strbuf b = strbuf_on(a);
    strbuf_add_str(&b, S("/api/v1/namespaces"));
    client_path_add(&b, p->ns);
    strbuf_add_str(&b, S("/pods"));
    client_path_add(&b, p->name);
    strbuf_add_str(&b, str_of(more));
    return strbuf_str(&b);
}

void agent_event(struct agent *g, const struct agent_pod *p, const struct agent_container *c, const char *type, const char *reason, str message)
{
    static const char *const lists[] = {[KIND_INIT] = "initContainers", [KIND_SIDECAR] = "initContainers", [KIND_MAIN] = "containers", [KIND_EPHEMERAL] = "ephemeralContainers"};
    ARENA_AUTO a = ARENA_INIT;
    str path = c ? arena_fmt(&a, "spec.%s{" STR_FMT "}", lists[c->seen.kind], STR_ARG(c->name)) : S("");
    events_send(g->events, &(struct event){.kind = "Pod", .ns = p->ns, .name = p->name, .uid = p->uid, .field_path = path, .type = type, .reason = reason, .message = message});
}

void agent_waits_end(struct agent *g)
{
    if (g->stopping && --g->stop_waits == 0 && g->stopped)
        g->stopped(g->stopped_arg);
}

/* --- calls ------------------------------------------------------------------------------------------------------------------ */
static void on_call_done(struct client_call *cc)
{
    struct agent_call *c = cc->owner;
    struct agent *g = c->agent;
    list_del(&c->link);
    g->calls--;
    if (c->done && (c->always || !g->stopping))
        c->done(c);
    free(c);
    agent_waits_end(g);
}

struct agent_call *agent_call(struct agent *g, const char *method, str path, const char *content_type, str body, void (*done)(struct agent_call *c), void *owner)
{
    if (g->stopping)
        return NULL;
    struct agent_call *c = xcalloc(1, sizeof *c + path.len + body.len);
    memcpy(c->text, path.p, path.len);
    if (body.len)
        memcpy(c->text + path.len, body.p, body.len);
    c->agent = g;
    c->done = done;
    c->owner = owner;
    c->call = (struct client_call){.loop = g->loop, .method = str_of(method), .path = str_n(c->text, path.len), .content_type = str_of(content_type), .body = str_n(c->text + path.len, body.len),
                                   .done = on_call_done, .owner = c};
    g->calls++;
    list_add_tail(&g->call_list, &c->link);
    g->transport->call(g->transport, &c->call);
    return c;
}

/* --- the table of pods -------------------------------------------------------------------------------------------------------- */
struct agent_pod *agent_find(struct agent *g, str uid)
{
    return map_get(&g->by_uid, uid);
}

struct agent_pod *agent_find_name(struct agent *g, str ns, str name)
{
    struct agent_pod *found = NULL;
    list_foreach(p, &g->pods, struct agent_pod, link) {
        /* of two with one name the one that is not going is meant */
        if (str_eq(p->ns, ns) && str_eq(p->name, name) && (!found || !p->gone))
            found = p;
    }
    return found;
}

static struct agent_pod *pod_new(struct agent *g, const struct json *pod)
{
    const struct json *meta = json_get(pod, S("metadata"));
    struct agent_pod *p = xcalloc(1, sizeof *p);
    p->agent = g;
    p->runtime = g->runtime;
    p->names = ARENA_SMALL(256);
    p->texts = ARENA_SMALL(256);
    p->uid = arena_str(&p->names, json_get_str(meta, S("uid")));
    p->ns = arena_str(&p->names, json_get_str(meta, S("namespace")));
    p->name = arena_str(&p->names, json_get_str(meta, S("name")));
    p->sync.fn = agent_pod_on_defer;
    p->wake.fire = agent_pod_on_wake;
    p->report_timer.fire = agent_report_fire;
    list_add_tail(&g->pods, &p->link);
    map_put(&g->by_uid, p->uid, p);
    return p;
}

void agent_pod_set_text(struct agent_pod *p, str text)
{
    struct arena fresh = ARENA_INIT;
    struct json tree;
    char *copy = str_dup(text);
    if (json_parse(&fresh, str_n(copy, text.len), NULL, &tree, NULL) < 0) {
        arena_fini(&fresh);
        free(copy);
        return;
    }
    arena_fini(&p->tree_arena);
    free(p->text);
    p->text = copy;
    p->tree = tree;
    p->tree_arena = fresh;
}

bool agent_is_name(str name)
{
    for (size_t i = 0; i < name.len; i++) {
        char c = name.p[i];
        if (!(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') && !(c >= '0' && c <= '9') && c != '-' && c != '_' && c != '.')
            return false;
    }
    return name.len && name.len <= 253 && name.p[0] != '.';
}

static bool is_ended(const struct json *pod)
{
    str phase = json_get_str(json_get(pod, S("status")), S("phase"));
    return str_is(phase, "Succeeded") || str_is(phase, "Failed");
}

/* True: the API's word about a pod that ended, or of one that is unknown here and need not be run. */
static bool put_ended(struct agent_pod *p, bool is_new)
{
    if (!is_new || !is_ended(&p->tree))
        return false;
    p->seen.torn_down = true;
    p->checked = true;
    return true;
}

/* What the files and the volumes of a pod that runs must follow. */
static void compare(struct agent_pod *p, const struct json *fresh)
{
    static const char *const shown[] = {"labels", "annotations"};
    const struct json *before = json_get(&p->tree, S("metadata")), *now = json_get(fresh, S("metadata"));
    if (!p->seen.has_sandbox)
        return;
    for (size_t i = 0; i < ARRAY_LEN(shown); i++) {
        const struct json *a = json_get(before, str_of(shown[i])), *b = json_get(now, str_of(shown[i]));
        if (!a != !b || (a && !json_equal(a, b))) {
            agent_refresh_soon(p);
            break;
        }
    }
    const struct json *a = json_get(&p->tree, S("spec")), *b = json_get(fresh, S("spec"));
    p->is_changed |= a && b && !json_equal(a, b);
}

/* The text is from before what was reported last, or may be. */
static bool is_behind(struct agent_pod *p)
{
    uint64_t rv;
    if (str_to_u64(json_get_str(json_get(&p->tree, S("metadata")), S("resourceVersion")), &rv))
        p->event_rv = rv;
    return p->reporting || p->unreported || (p->event_rv && p->event_rv < p->reported_rv);
}

struct agent_pod *agent_put(struct agent *g, str text, bool is_static)
{
    ARENA_AUTO a = ARENA_INIT;
    struct json pod;
    if (json_parse(&a, text, NULL, &pod, NULL) < 0)
        return NULL;
    const struct json *meta = json_get(&pod, S("metadata"));
    str uid = json_get_str(meta, S("uid"));
    if (!agent_is_name(uid) || !agent_is_name(json_get_str(meta, S("namespace"))) || !agent_is_name(json_get_str(meta, S("name")))) {
        log_warn("a pod whose names cannot be those of folders is not run", KV("uid", STR_FMT, STR_ARG(uid)), KV("pod", STR_FMT, STR_ARG(json_get_str(meta, S("name")))));
        return NULL;
    }
    struct agent_pod *p = agent_find(g, uid);
    bool is_new = p == NULL;
    if (is_new && g->by_uid.len >= AGENT_PODS_MAX) {
        log_warn("too many pods on this node", KV("pod", STR_FMT, STR_ARG(json_get_str(json_get(&pod, S("metadata")), S("name")))));
        return NULL;
    }
    if (!p)
        p = pod_new(g, &pod);
    else
        compare(p, &pod);
    agent_pod_set_text(p, text);
    if (is_behind(p))
        agent_report_settle(p);
    p->is_static = is_static;
    agent_pod_containers(p);
    if (!p->seen.started_at) {
        nsec_t t;
        p->seen.started_at = civil_parse(json_get_str(json_get(&p->tree, S("status")), S("startTime")), &t) ? t : clock_wall(g->clock);
    }
    if (!put_ended(p, is_new) && is_new)
        agent_recall(p, json_get(&p->tree, S("status")), true);
    if (p->is_changed) {
        p->is_changed = false;
        agent_checkpoint_changed(p);
    }
    agent_pod_kick(p);
    return p;
}

void agent_pod_gone(struct agent_pod *p)
{
    p->in_api = false;
    if (p->is_static)
        return;
    p->gone = true;
    for (size_t i = 0; i < p->containers.len; i++) {
        struct agent_container *c = p->containers.p[i];
        if (c->kill_at)
            loop_timer_set(p->agent->loop, &c->kill_timer, MIN(c->kill_at, loop_now(p->agent->loop) + NSEC_PER_SEC));
    }
    if (p->wants_delete && !p->reporting) /* a deletion that is tried again need not be any more */
        loop_timer_set(p->agent->loop, &p->report_timer, loop_now(p->agent->loop));
    agent_pod_kick(p);
}

static void container_free(struct agent_container *c)
{
    arena_fini(&c->texts);
    if (c->runtime_id.len)
        free((char *)c->runtime_id.p);
    free(c->remove_id);
    free(c);
}

void agent_pod_release(struct agent_pod *p)
{
    if (p->nops)
        return;
    for (size_t i = 0; i < p->containers.len; i++)
        container_free(p->containers.p[i]);
    vec_fini(&p->containers);
    arena_fini(&p->tree_arena);
    arena_fini(&p->refs_arena);
    arena_fini(&p->texts);
    arena_fini(&p->names);
    free(p->text);
    free(p->checkpoint);
    free(p->reported);
    free(p->unreported);
    free(p->mirror_uid);
    free(p);
}

void agent_pod_free(struct agent_pod *p)
{
    struct agent *g = p->agent;
    for (size_t i = 0; i < p->containers.len; i++) {
        struct agent_container *c = p->containers.p[i];
        agent_pod_probes_stop(c);
        loop_timer_stop(g->loop, &c->kill_timer);
        if (c->runtime_id.len)
            map_del(&g->by_container, c->runtime_id);
    }
    loop_timer_stop(g->loop, &p->wake);
    loop_timer_stop(g->loop, &p->refresh);
    loop_timer_stop(g->loop, &p->report_timer);
    loop_defer_cancel(g->loop, &p->sync);
    map_del(&g->by_uid, p->uid);
    list_del(&p->link);
    p->is_dead = true;
    if (p->is_static)
        agent_static_soon(g);
    agent_pod_release(p);
}
