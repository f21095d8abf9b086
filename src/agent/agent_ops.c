/* agent_ops.c - what a plan asks for, carried out on pool threads: the way there and back, and the operations of a whole pod.
 *
 *   loop: agent_op_x (copies what is needed) ─► pool: run_x ─► loop: end_x (writes what is seen) ─► agent_pod_kick
 *
 * A pod has one operation of its own under way at most, and so has each container; signals go beside them.  A pod that was let go of stays in memory until the last of them is back.  When the agent is stopping nothing
 * new begins, and what comes back changes nothing: files and the runtime tell the next agent. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <dirent.h>
#include <errno.h>
#include <unistd.h>

#include "agent/agent_internal.h"
#include "base/log.h"
#include "rt/failpoint.h"
#include "rt/file.h"

#define SETUP_RETRY_NS NSEC_PER_SEC
#define TEARDOWN_RETRY_NS (2 * NSEC_PER_SEC)
#define RETRY_MAX_NS (60 * NSEC_PER_SEC)
#define REFRESH_NS (60 * NSEC_PER_SEC)
#define REFRESH_SOON_NS NSEC_PER_SEC

/* --- operations ------------------------------------------------------------------------------------------------------------------- */
static void (*const runs[])(struct op *o);
static void (*const ends[])(struct op *o);

static void on_run(struct work_item *w)
{
    struct op *o = container_of(w, struct op, item);
    runs[o->kind](o);
}

void agent_op_drop(struct op *o)
{
    if (!o)
        return;
    arena_fini(&o->arena);
    free(o);
}

static void on_done(struct work_item *w)
{
    struct op *o = container_of(w, struct op, item);
    struct agent *g = o->agent;
    struct agent_pod *p = o->pod;
    struct agent_container *c = o->container;
    if (!p->is_dead && !g->stopping && o->kind == OP_START && agent_start_goes_on(o))
        return;
    g->ops--;
    p->nops--;
    if (c && c->op == o)
        c->op = NULL;
    else if (p->op == o)
        p->op = NULL;
    if (p->is_dead) {
        agent_op_drop(o);
        agent_pod_release(p);
        agent_waits_end(g);
        return;
    }
    if (!g->stopping)
        ends[o->kind](o);
    agent_op_drop(o);
    agent_pod_kick(p);
    if (c && c->exit_wanted && !c->op && !g->stopping) {
        c->exit_wanted = false;
        if (c->runtime_id.len)
            agent_op_status(c);
    }
    agent_waits_end(g);
}

/* The pod's own go when they are fetched again. */
static void copy_refs(struct op *o, const struct agent_pod *p)
{
    o->refs = arena_array(&o->arena, p->nrefs, struct pod_ref);
    o->nrefs = p->nrefs;
    for (size_t i = 0; i < p->nrefs; i++) {
        struct pod_ref r = p->refs[i];
        r.ns = arena_str(&o->arena, r.ns);
        r.name = arena_str(&o->arena, r.name);
        r.audience = arena_str(&o->arena, r.audience);
        if (r.object) {
            struct json *copy = arena_new(&o->arena, struct json);
            *copy = json_copy(&o->arena, r.object);
            r.object = copy;
        }
        o->refs[i] = r;
    }
}

static struct build_node describe_node(struct op *o)
{
    const struct agent *g = o->agent;
    const struct agent_pod *p = o->pod;
    return (struct build_node){
        .name = str_of(g->opts.node_name),
        .ip = arena_str(&o->arena, g->node_ip),
        .pod_ip = arena_str(&o->arena, p->seen.pod_ip),
        .pod_dir = agent_pod_dir(g, &o->arena, p->uid),
        .log_dir = agent_log_dir(g, &o->arena, p),
        .resolv_conf = g->resolv_conf,
        .cluster_domain = str_of(g->opts.cluster_domain ? g->opts.cluster_domain : ""),
        .cluster_dns = str_of(g->opts.cluster_dns ? g->opts.cluster_dns : ""),
        .api_host = str_of(g->opts.api_host ? g->opts.api_host : ""),
        .api_port = g->opts.api_port ? arena_fmt(&o->arena, "%u", g->opts.api_port) : S(""),
        .memory_bytes = g->info.memory_bytes,
        .cpu_milli = g->info.cpu_milli,
        .disk_bytes = g->info.disk_bytes,
        .is_static_ok = p->is_static,
    };
}

struct op *agent_op_placeholder(struct agent_pod *p, struct agent_container *c, enum op_kind kind)
{
    struct agent *g = p->agent;
    struct op *o = xcalloc(1, sizeof *o);
    *o = (struct op){.item = {.loop = g->loop, .run = on_run, .done = on_done}, .kind = kind, .agent = g, .pod = p, .container = c, .runtime = p->runtime, .arena = ARENA_INIT};
    return o;
}

struct op *agent_op_new(struct agent_pod *p, struct agent_container *c, enum op_kind kind)
{
    struct op *o = agent_op_placeholder(p, c, kind);
    if (kind != OP_SIGNAL && kind != OP_REMOVE)
        o->node = describe_node(o);
    if (kind != OP_SIGNAL && kind != OP_REMOVE && kind != OP_FORGET)
        o->pod_tree = json_copy(&o->arena, &p->tree);
    if (kind == OP_SETUP || kind == OP_REFRESH || kind == OP_START)
        copy_refs(o, p);
    if (kind == OP_SETUP)
        err_ignore(agent_bandwidth_shape(p->agent, &o->pod_tree, &o->arena, &o->shape, NULL), "setup_with_refs has looked");
    return o;
}

void agent_op_submit(struct op *o)
{
    BUG_ON(o->agent->stopping); /* whoever stops has counted what is under way */
    o->agent->ops++;
    o->pod->nops++;
    work_submit(o->agent->pool, &o->item);
}

void agent_op_again(struct op *o)
{
    o->item.run = on_run;
    work_submit(o->agent->pool, &o->item);
}

/* --- setting up ---------------------------------------------------------------------------------------------------------------------- */
bool agent_op_uses_own_network(const struct op *o)
{
    return o->agent->opts.network && !o->runtime->ops->has_network && !json_get_bool(json_get(&o->pod_tree, S("spec")), S("hostNetwork"), false);
}

const char *agent_op_netns(struct op *o)
{
    return arena_fmt(&o->arena, "%s/netns", o->node.pod_dir).p;
}

static int start_sandbox(struct op *o)
{
    struct sandbox_spec spec;
    struct sandbox_status status = {0};
    int r = sandbox_build(&o->arena, &o->pod_tree, &o->node, &spec, &o->err);
    if (r < 0)
        return r;
    spec.netns = agent_op_uses_own_network(o) ? agent_op_netns(o) : NULL;
    r = o->runtime->ops->sandbox_start(o->runtime, &spec, &o->arena, &status, &o->err);
    if (r == 0 && status.ip.len)
        o->ip = status.ip;
    return r;
}

/* Before the first container runs.  A kernel that cannot is no reason not to run the pod: an Event tells. */
static int shape_pod(struct op *o)
{
    const struct agent_network *net = o->agent->opts.network;
    if (!net->shape || !o->shape)
        return 0;
    int r = net->shape(net->arg, o->pod->uid, o->shape, &o->err);
    if (r == -E_UNAVAILABLE) {
        o->unshaped = arena_cstr(&o->arena, str_of(o->err.msg));
        r = 0;
    }
    return r;
}

/* What it asks for holds for a link of its own. */
static void tell_unshaped(struct op *o)
{
    const struct agent_shape *s = o->shape;
    if (!s || !(s->ndests || s->egress_limit || s->ingress_limit || s->egress_request || s->ingress_request))
        return;
    o->unshaped = o->runtime->ops->has_network ? "the pod has a network of its runtime's, which this node does not shape: it is neither held to its bandwidth limit nor is its request guaranteed"
                                               : "the pod has the machine's own network, which is not shaped: it is neither held to its bandwidth limit nor is its request guaranteed";
}

static void run_setup(struct op *o)
{
    const struct agent_network *net = o->agent->opts.network;
    o->reason = "FailedCreatePodSandBox";
    if ((o->result = file_mkdir_all(o->node.pod_dir, 0755, &o->err)) < 0 || (o->result = agent_checkpoint_pod(o->node.pod_dir, &o->pod_tree, &o->err)) < 0 ||
        (o->result = file_mkdir_all(o->node.log_dir, 0755, &o->err)) < 0)
        return;
    o->ip = o->node.ip;
    if (agent_op_uses_own_network(o) && ((o->result = net->attach(net->arg, o->pod->uid, agent_op_netns(o), &o->pod_tree, &o->arena, &o->ip, &o->err)) < 0 || (o->result = shape_pod(o)) < 0))
        return;
    if (!agent_op_uses_own_network(o))
        tell_unshaped(o);
    o->node.pod_ip = o->ip;
    o->reason = "FailedMount";
    if ((o->result = volumes_setup(&o->pod_tree, o->refs, o->nrefs, &o->node, &o->err)) < 0)
        return;
    o->reason = "FailedCreatePodSandBox";
    if ((o->result = start_sandbox(o)) < 0)
        return;
    o->result = agent_checkpoint_sandbox(o->node.pod_dir, o->ip, o->agent->info.boot_id, o->runtime->ops->name, &o->err);
}

static void setup_failed(struct agent_pod *p, const char *reason, str message)
{
    struct agent *g = p->agent;
    nsec_t wait = SETUP_RETRY_NS << MIN(p->setup_failures, 6u);
    p->setup_failures++;
    p->seen.setup_retry_at = loop_now(g->loop) + MIN(wait, RETRY_MAX_NS);
    p->seen.setup_reason = str_of(reason);
    arena_reset(&p->texts);
    p->seen.setup_message = arena_str(&p->texts, message);
    agent_event(g, p, NULL, "Warning", reason, message);
}

static void end_setup(struct op *o)
{
    struct agent_pod *p = o->pod;
    if (o->result < 0) {
        p->refs_at = 0; /* what was missing may be there next time */
        setup_failed(p, o->reason, str_of(o->err.msg));
        return;
    }
    if (o->unshaped)
        agent_event(o->agent, p, NULL, "Warning", "BandwidthNotEnforced", str_of(o->unshaped));
    p->setup_failures = 0;
    p->seen.setup_retry_at = 0;
    p->seen.setup_message = S("");
    p->seen.has_sandbox = true;
    p->seen.torn_down = false;
    p->pod_ip_text = arena_str(&p->names, o->ip);
    p->seen.pod_ip = p->pod_ip_text;
    agent_refresh_later(p);
}

/* By the pod's RuntimeClass; false: the failure is told. */
static bool choose_runtime(struct agent_pod *p)
{
    str name = json_get_str(json_get(&p->tree, S("spec")), S("runtimeClassName"));
    const struct pod_ref *class = name.len ? pod_ref_find(p->refs, p->nrefs, REF_RUNTIMECLASS, name) : NULL;
    struct err err = ERR_NONE;
    if (name.len && (!class || !class->object))
        err_set(&err, E_NOT_FOUND, "RuntimeClass \"" STR_FMT "\" not found", STR_ARG(name));
    else if (agent_runtime(p->agent, name.len ? json_get_str(class->object, S("handler")) : S(""), &p->runtime, &err) == 0)
        return true;
    p->refs_at = 0;
    setup_failed(p, "FailedCreatePodSandBox", str_of(err.msg));
    return false;
}

/* The objects are here: the placeholder becomes the operation. */
static void go_on_with_refs(struct agent_pod *p)
{
    enum op_kind kind = p->op->kind;
    agent_op_drop(TAKE(p->op));
    p->op = agent_op_new(p, NULL, kind);
    agent_op_submit(p->op);
}

/* What it says of bandwidth can be read; false: the failure is told. */
static bool bandwidth_is_readable(struct agent_pod *p)
{
    ARENA_AUTO a = ARENA_INIT;
    struct agent_shape *shape;
    struct err err = ERR_NONE;
    if (agent_bandwidth_shape(p->agent, &p->tree, &a, &shape, &err) == 0)
        return true;
    setup_failed(p, "FailedCreatePodSandBox", str_of(err.msg));
    return false;
}

static void setup_with_refs(struct agent_pod *p, int result, const struct err *err, void *arg UNUSED)
{
    bool is_ending = p->seen.deleting_since || p->gone || p->seen.fail_reason.len;
    if (result == 0 && !is_ending && choose_runtime(p) && bandwidth_is_readable(p)) {
        go_on_with_refs(p);
        return;
    }
    agent_op_drop(TAKE(p->op));
    if (result < 0)
        setup_failed(p, "FailedMount", str_of(err->msg));
    agent_pod_kick(p);
}

void agent_op_setup(struct agent_pod *p)
{
    if (p->op)
        return;
    p->op = agent_op_placeholder(p, NULL, OP_SETUP);
    agent_refs_fetch(p, setup_with_refs, NULL);
}

/* --- refreshing: objects that volumes show may have changed ---------------------------------------------------------------------------- */
static void run_refresh(struct op *o)
{
    o->result = volumes_setup(&o->pod_tree, o->refs, o->nrefs, &o->node, &o->err);
}

static void end_refresh(struct op *o)
{
    if (o->result < 0)
        agent_event(o->agent, o->pod, NULL, "Warning", "FailedMount", str_of(o->err.msg));
    agent_refresh_later(o->pod);
}

static void refresh_with_refs(struct agent_pod *p, int result, const struct err *err UNUSED, void *arg UNUSED)
{
    if (result == 0) {
        go_on_with_refs(p);
        return;
    }
    agent_op_drop(TAKE(p->op)); /* the server is away: what is there stays */
    agent_refresh_later(p);
    agent_pod_kick(p);
}

static void on_refresh_timer(struct loop_timer *t)
{
    struct agent_pod *p = container_of(t, struct agent_pod, refresh);
    if (p->agent->stopping || !p->seen.has_sandbox || p->seen.deleting_since || p->seen.fail_reason.len)
        return;
    if (p->op) {
        loop_timer_set(p->agent->loop, t, loop_now(p->agent->loop) + REFRESH_NS / 10);
        return;
    }
    p->op = agent_op_placeholder(p, NULL, OP_REFRESH);
    agent_refs_fetch(p, refresh_with_refs, NULL);
}

/* Volumes with something in them that may change: objects, tokens, the pod's own labels. */
static bool has_changing_volume(const struct json *pod)
{
    static const char *const kinds[] = {"configMap", "secret", "projected", "downwardAPI"};
    const struct json *list = json_path(pod, "spec", "volumes", NULL);
    for (uint32_t i = 0; json_is(list, JSON_ARRAY) && i < list->len; i++) {
        for (size_t k = 0; k < ARRAY_LEN(kinds); k++) {
            if (json_get(&list->items[i], str_of(kinds[k])))
                return true;
        }
    }
    return false;
}

static void refresh_at(struct agent_pod *p, nsec_t wait)
{
    p->refresh.fire = on_refresh_timer;
    if (!p->agent->stopping && has_changing_volume(&p->tree))
        loop_timer_set(p->agent->loop, &p->refresh, loop_now(p->agent->loop) + wait);
}

/* Pods do not ask all at once: the uid spreads them. */
void agent_refresh_later(struct agent_pod *p)
{
    refresh_at(p, REFRESH_NS * 3 / 4 + (nsec_t)(str_hash(p->uid) % (uint64_t)(REFRESH_NS / 2)));
}

void agent_refresh_soon(struct agent_pod *p)
{
    refresh_at(p, REFRESH_SOON_NS + (nsec_t)(str_hash(p->uid) % (uint64_t)(4 * NSEC_PER_SEC)));
}

/* --- tearing down ------------------------------------------------------------------------------------------------------------------------------ */
/* All but what tells the next agent how the pod ended, should the API not know yet.  setup.json is the last: without it there is nothing to tear down. */
static int remove_but_texts(const char *pod_dir, struct err *err)
{
    static const char *const kept[] = {".", "..", "pod.json", "status.json", "setup.json"};
    ARENA_AUTO a = ARENA_INIT;
    DIR *d = opendir(pod_dir);
    int r = !d && errno != ENOENT ? err_sys(err, errno, "cannot read %s", pod_dir) : 0;
    for (struct dirent *e; d && r == 0 && (e = readdir(d));) {
        bool is_kept = false;
        for (size_t i = 0; i < ARRAY_LEN(kept); i++)
            is_kept |= strcmp(e->d_name, kept[i]) == 0;
        if (!is_kept)
            r = file_remove_all(arena_fmt(&a, "%s/%s", pod_dir, e->d_name).p, err);
    }
    if (d)
        closedir(d);
    return r < 0 ? r : file_remove_all(arena_fmt(&a, "%s/setup.json", pod_dir).p, err);
}

static void run_teardown(struct op *o)
{
    struct agent *g = o->agent;
    const struct agent_network *net = g->opts.network;
    FAILPOINT("agent.teardown");
    for (size_t i = 0; i < o->ncontainers; i++) {
        if ((o->result = o->runtime->ops->container_remove(o->runtime, o->containers[i], &o->err)) < 0)
            return;
    }
    if ((o->result = o->runtime->ops->sandbox_remove(o->runtime, o->pod->uid, &o->err)) < 0)
        return;
    if (net && !o->runtime->ops->has_network && (o->result = net->detach(net->arg, o->pod->uid, agent_op_netns(o), &o->err)) < 0)
        return;
    if ((o->result = volumes_remove(o->node.pod_dir, &o->err)) < 0)
        return;
    for (size_t i = 0; i < o->nholders; i++)
        images_release(g->images, o->holders[i]);
    o->result = o->keep_files ? remove_but_texts(o->node.pod_dir, &o->err) : file_remove_all(o->node.pod_dir, &o->err);
    if (o->result == 0 && !o->keep_files)
        o->result = file_remove_all(o->node.log_dir, &o->err);
}

static void end_teardown(struct op *o)
{
    struct agent_pod *p = o->pod;
    struct agent *g = o->agent;
    if (o->result < 0) {
        nsec_t wait = TEARDOWN_RETRY_NS << MIN(p->teardown_failures, 5u);
        log_warn("cannot remove a pod yet", KV("pod", STR_FMT "/" STR_FMT, STR_ARG(p->ns), STR_ARG(p->name)), KV("why", "%s", o->err.msg));
        p->teardown_failures++;
        p->teardown_at = loop_now(g->loop) + MIN(wait, RETRY_MAX_NS);
        return;
    }
    p->teardown_at = 0;
    p->teardown_failures = 0;
    p->seen.has_sandbox = false;
    p->seen.torn_down = true;
    p->is_forgotten = !o->keep_files;
    loop_timer_stop(g->loop, &p->refresh);
    for (size_t i = 0; i < p->containers.len; i++)
        free(TAKE(p->containers.p[i]->remove_id)); /* went with the rest */
}

void agent_op_teardown(struct agent_pod *p)
{
    struct agent *g = p->agent;
    if (p->op) /* a refresh: its end is followed by another plan */
        return;
    if (p->teardown_at > loop_now(g->loop)) {
        loop_timer_set(g->loop, &p->wake, p->teardown_at);
        return;
    }
    for (size_t i = 0; i < p->containers.len; i++) {
        if (p->containers.p[i]->op) /* the removal of one that ended */
            return;
    }
    struct op *o = agent_op_new(p, NULL, OP_TEARDOWN);
    o->containers = arena_array(&o->arena, p->containers.len * 2, str);
    o->holders = arena_array(&o->arena, p->containers.len, str);
    for (size_t i = 0; i < p->containers.len; i++) {
        struct agent_container *c = p->containers.p[i];
        agent_pod_probes_stop(c);
        if (c->runtime_id.len)
            o->containers[o->ncontainers++] = arena_str(&o->arena, c->runtime_id);
        if (c->remove_id)
            o->containers[o->ncontainers++] = arena_str(&o->arena, str_of(c->remove_id));
        o->holders[o->nholders++] = arena_fmt(&o->arena, STR_FMT "/" STR_FMT, STR_ARG(p->uid), STR_ARG(c->name));
    }
    o->keep_files = !p->seen.deleting_since;
    p->op = o;
    agent_op_submit(o);
}

/* --- forgetting: what was kept of a pod that ended, when it is deleted at last --------------------------------------------------------------- */
static void run_forget(struct op *o)
{
    o->result = file_remove_all(o->node.pod_dir, &o->err);
    if (o->result == 0)
        o->result = file_remove_all(o->node.log_dir, &o->err);
}

static void end_forget(struct op *o)
{
    if (o->result < 0) /* nobody needs it, and the next agent tries again */
        log_warn("logs of a pod stay behind", KV("pod", STR_FMT "/" STR_FMT, STR_ARG(o->pod->ns), STR_ARG(o->pod->name)), KV("why", "%s", o->err.msg));
    o->pod->is_forgotten = true;
}

void agent_op_forget(struct agent_pod *p)
{
    if (p->op)
        return;
    p->op = agent_op_new(p, NULL, OP_FORGET);
    agent_op_submit(p->op);
}

static void (*const runs[])(struct op *o) = {[OP_SETUP] = run_setup,          [OP_TEARDOWN] = run_teardown,  [OP_FORGET] = run_forget,      [OP_REFRESH] = run_refresh,
                                             [OP_START] = agent_op_run_start,    [OP_SIGNAL] = agent_op_run_signal, [OP_STATUS] = agent_op_run_status, [OP_REMOVE] = agent_op_run_remove};
static void (*const ends[])(struct op *o) = {[OP_SETUP] = end_setup,          [OP_TEARDOWN] = end_teardown,  [OP_FORGET] = end_forget,      [OP_REFRESH] = end_refresh,
                                             [OP_START] = agent_op_end_start,    [OP_SIGNAL] = agent_op_end_signal, [OP_STATUS] = agent_op_end_status, [OP_REMOVE] = agent_op_end_remove};
