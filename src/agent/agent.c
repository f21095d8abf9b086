/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/agent_internal.h"
#include "agent/agent_node.h"
#include "agent/agent_node_status.h"
#include "base/log.h"
#include "client/client.h"
#include "rt/file.h"

#define POOL_THREADS 8
#define PULL_THREADS 3
#define EXEC_THREADS 32
#define RESOLV_CONF_BYTES 65536

/* --- following the pods --------------------------------------------------------------------------------------------------- */
static bool is_mirror(struct informer_event *ev)
{
    return json_path(informer_event_meta(ev), "annotations", "kubernetes.io/config.mirror", NULL) != NULL;
}

static void on_list_begins(struct informer *inf)
{
    struct agent *g = informer_owner(inf);
    list_foreach(p, &g->pods, struct agent_pod, link)
        p->in_api = false;
}

static void on_pod_event(struct informer *inf, struct informer_event *ev)
{
    struct agent *g = informer_owner(inf);
    const struct json *meta = informer_event_meta(ev);
    if (!meta)
        return;
    if (is_mirror(ev)) {
        agent_static_mirror(g, ev->object, ev->change == INFORMER_DELETED);
        return;
    }
    struct agent_pod *p = agent_find(g, json_get_str(meta, S("uid")));
    if (ev->change == INFORMER_DELETED) {
        if (p)
            agent_pod_gone(p);
        return;
    }
    p = agent_put(g, ev->object, false);
    if (!p)
        return;
    p->in_api = true;
    p->is_adopted = false;
    agent_admit(p);
}

/* What the API did not show is gone. */
static void on_pods_synced(struct informer *inf)
{
    struct agent *g = informer_owner(inf);
    bool is_first = !g->pods_synced;
    g->pods_synced = true;
    list_foreach_safe(p, &g->pods, struct agent_pod, link) {
        if (!p->in_api && !p->is_static)
            agent_pod_gone(p);
    }
    agent_static_synced(g);
    if (is_first)
        agent_collect_logs(g);
}

static void follow_pods(struct agent *g)
{
    ARENA_AUTO a = ARENA_INIT;
    struct strbuf query = strbuf_on(&a);
    client_query_add(&query, "fieldSelector", arena_fmt(&a, "spec.nodeName=%s", g->opts.node_name));
    g->pod_informer = informer_new(&(struct informer_opts){.transport = g->transport, .loop = g->loop, .path = S("/api/v1/pods"), .query = strbuf_str(&query), .begin = on_list_begins,
                                                            .event = on_pod_event, .synced = on_pods_synced, .owner = g});
}

/* --- starting ---------------------------------------------------------------------------------------------------------------- */
/* The one that is asked for, or the first that works here. */
int agent_opts_check(const struct agent_opts *opts, struct err *err)
{
    if (opts->runtime && !runtime_find(str_of(opts->runtime)))
        return err_set(err, E_INVALID_ARG, "there is no runtime \"%s\": process, oci and cri are known", opts->runtime);
    struct node_bandwidth bandwidth;
    int r = agent_partitions_check(opts->partitions, err);
    if (r == 0)
        r = node_amounts_check(opts->capacity, "node-capacity", err);
    if (r == 0)
        r = node_amounts_check(opts->reserved, "node-reserved", err);
    if (r == 0)
        r = node_bandwidth(opts->capacity, opts->reserved, 0, &bandwidth, err);
    if (r < 0)
        return r;
    return opts->no_eviction || !opts->eviction_hard ? 0 : agent_evict_check(opts->eviction_hard, err);
}

static int open_runtime(struct agent *g, struct err *err)
{
    ARENA_AUTO a = ARENA_INIT;
    struct runtime_opts o = {.loop = g->loop, .dir = g->opts.dir, .cgroup_root = g->opts.cgroup_root, .program = g->opts.program, .config = g->opts.runtime_config,
                             .on_change = agent_on_runtime_change, .arg = g};
    if (g->opts.runtime) {
        const struct runtime_ops *ops = runtime_find(str_of(g->opts.runtime));
        return ops ? ops->open(&o, &g->runtime, err) : err_set(err, E_INVALID_ARG, "there is no runtime \"%s\": process, oci and cri are known", g->opts.runtime);
    }
    struct strbuf why = strbuf_on(&a);
    for (const struct runtime_ops *const *ops = runtimes; *ops; ops++) {
        if ((*ops)->open(&o, &g->runtime, err) == 0)
            return 0;
        strbuf_addf(&why, "%s%s: %s", why.len ? "; " : "", (*ops)->name, err->msg);
    }
    return err_set(err, E_UNAVAILABLE, "no container runtime works on this machine: %s", strbuf_cstr(&why));
}

int agent_runtime(struct agent *g, str handler, struct runtime **ret, struct err *err)
{
    static const char *const other_names[][2] = {{"runc", "oci"}, {"crun", "oci"}, {"containerd", "cri"}};
    for (size_t i = 0; i < ARRAY_LEN(other_names); i++) {
        if (str_is(handler, other_names[i][0]))
            handler = str_of(other_names[i][1]);
    }
    *ret = g->runtime;
    if (!handler.len || str_is(handler, g->runtime->ops->name))
        return 0;
    const struct runtime_ops *ops = runtime_find(handler);
    if (!ops)
        return err_set(err, E_INVALID_ARG, "no runtime for the handler \"" STR_FMT "\": process, oci and cri are known", STR_ARG(handler));
    size_t i = 0;
    for (; g->others[i]; i++) {
        if (g->others[i]->ops == ops) {
            *ret = g->others[i];
            return 0;
        }
    }
    struct runtime_opts o = {.loop = g->loop, .dir = g->opts.dir, .cgroup_root = g->opts.cgroup_root, .program = g->opts.program, .on_change = agent_on_runtime_change, .arg = g};
    int r = ops->open(&o, &g->others[i], err);
    if (r == 0)
        *ret = g->others[i];
    return r;
}

static int open_parts(struct agent *g, struct err *err)
{
    const struct agent_opts *o = &g->opts;
    ARENA_AUTO a = ARENA_INIT;
    int r = file_mkdir_all(o->dir, 0711, err);
    if (r < 0)
        return r;
    if (file_read("/etc/resolv.conf", RESOLV_CONF_BYTES, &g->resolv_conf, NULL, NULL) < 0)
        g->resolv_conf = xstrdup("");
    node_info_read(&g->info_arena, o->dir, &g->info);
    g->bandwidth_card = g->info.bandwidth_mbps;
    if (node_bandwidth(o->capacity, o->reserved, g->info.bandwidth_mbps, &g->bandwidth_node, NULL) < 0) /* who starts an agent checks; a card may be slower than what is reserved */
        err_ignore(node_bandwidth(NULL, NULL, 0, &g->bandwidth_node, NULL), "what is assumed is always more than what is reserved");
    g->node_ip = o->node_ip ? str_of(o->node_ip) : g->info.address;
    g->pool = work_pool_new("agent-work", POOL_THREADS);
    g->pull_pool = work_pool_new("agent-pull", PULL_THREADS);
    g->exec_pool = work_pool_new("agent-exec", EXEC_THREADS);
    g->events = events_new(&(struct events_opts){.transport = g->transport, .loop = g->loop, .clock = g->clock, .component = "kubelet", .host = o->node_name});
    g->probes = probes_new(&(struct probes_opts){.loop = g->loop, .exec = agent_probe_exec, .result = agent_on_probe, .arg = g});
    struct images_opts io = {.dir = arena_fmt(&a, "%s/images", o->dir).p, .program = o->program, .clock = g->clock, .insecure = o->insecure_registries, .mirrors = o->registry_mirrors};
    if ((r = images_open(&io, &g->images, err)) < 0 || (r = open_runtime(g, err)) < 0)
        return r;
    if (!o->listen)
        return 0;
    struct streams_opts so = {.loop = g->loop, .pool = g->pool, .listen = o->listen, .cert_pem = o->cert_pem, .key_pem = o->key_pem, .client_ca_pem = o->ca_pem, .find = agent_stream_find,
                              .document = agent_stream_document, .arg = g};
    r = streams_new(&so, &g->port, &g->streams, err);
    return r < 0 ? err_wrap(err, "the agent has no address to answer the server at (does another one run here? --agent-listen says which it takes): ") : 0;
}

int agent_new(const struct agent_opts *opts, struct agent **ret, struct err *err)
{
    struct agent *g = xcalloc(1, sizeof *g);
    g->opts = *opts;
    if (!g->opts.cgroup_root)
        g->opts.cgroup_root = "cox";
    if (!g->opts.volumes_dir)
        g->opts.volumes_dir = "/var/lib/cox/volumes";
    g->transport = opts->transport;
    g->loop = opts->loop;
    g->clock = opts->clock;
    list_init(&g->pods);
    list_init(&g->call_list);
    int r = open_parts(g, err);
    if (r == 0)
        r = agent_adopt(g, err);
    if (r < 0) {
        agent_free(g);
        return r;
    }
    log_info("agent", KV("node", "%s", opts->node_name), KV("runtime", "%s", g->runtime->ops->version(g->runtime)), KV("address", STR_FMT, STR_ARG(g->node_ip)), KV("port", "%u", g->port));
    agent_node_start(g);
    follow_pods(g);
    agent_static_start(g);
    agent_volumes_start(g);
    agent_evict_start(g);
    agent_usage_start(g);
    agent_bandwidth_start(g);
    *ret = g;
    return 0;
}

uint16_t agent_port(const struct agent *g)
{
    return g->port;
}

int agent_set_cert(struct agent *g, const char *cert_pem, const char *key_pem, struct err *err)
{
    int r = g->streams ? streams_set_cert(g->streams, cert_pem, key_pem, err) : 0;
    if (r == 0 && g->cert_wanted_until) {
        g->cert_wanted_until = 0;
        agent_node_status_soon(g);
    }
    return r;
}

/* --- stopping ------------------------------------------------------------------------------------------------------------------- */
static void one_less(void *arg)
{
    agent_waits_end(arg);
}

static void on_informer_stopped(struct informer *inf)
{
    agent_waits_end(informer_owner(inf));
}

/* Everything under way is counted once here; each of them ends by agent_waits_end. */
void agent_stop(struct agent *g, void (*stopped)(void *arg), void *arg)
{
    g->stopping = true;
    atomic_store(&g->exec_stop, true);
    g->stopped = stopped;
    g->stopped_arg = arg;
    g->stop_waits = 1 + g->ops + g->calls + 3 + 1 + (g->streams ? 1 : 0);
    agent_node_stop(g);
    list_foreach(p, &g->pods, struct agent_pod, link) {
        loop_timer_stop(g->loop, &p->wake);
        loop_timer_stop(g->loop, &p->refresh);
        loop_timer_stop(g->loop, &p->report_timer);
        for (size_t i = 0; i < p->containers.len; i++) {
            loop_timer_stop(g->loop, &p->containers.p[i]->kill_timer);
            agent_pod_probes_stop(p->containers.p[i]);
        }
    }
    informer_stop(g->pod_informer, on_informer_stopped);
    informer_stop(g->node_informer, on_informer_stopped);
    informer_stop(g->volume_informer, on_informer_stopped);
    events_stop(g->events, one_less, g);
    if (g->streams)
        streams_stop(g->streams, one_less, g);
    agent_waits_end(g);
}

void agent_free(struct agent *g)
{
    if (!g)
        return;
    atomic_store(&g->exec_stop, true);
    work_pool_free(g->exec_pool);
    work_pool_free(g->pull_pool);
    work_pool_free(g->pool); /* what runs may still use the rest */
    agent_node_free(g);
    list_foreach_safe(p, &g->pods, struct agent_pod, link) {
        /* what waited for objects, or did not come back before the loop ended */
        agent_op_drop(TAKE(p->op));
        for (size_t i = 0; i < p->containers.len; i++)
            agent_op_drop(TAKE(p->containers.p[i]->op));
        p->nops = 0;
        agent_pod_free(p);
    }
    list_foreach_safe(c, &g->call_list, struct agent_call, link)
        free(c);
    agent_static_free(g);
    agent_evict_free(g);
    agent_usage_free(g);
    agent_bandwidth_free(g);
    informer_free(g->pod_informer);
    informer_free(g->node_informer);
    informer_free(g->volume_informer);
    streams_free(g->streams);
    if (g->probes)
        probes_free(g->probes);
    events_free(g->events);
    for (size_t i = 0; g->others[i]; i++)
        g->others[i]->ops->close(g->others[i]);
    if (g->runtime)
        g->runtime->ops->close(g->runtime);
    images_close(g->images);
    map_fini(&g->by_uid);
    map_fini(&g->by_container);
    arena_fini(&g->texts);
    arena_fini(&g->info_arena);
    arena_fini(&g->node_arena);
    free(g->resolv_conf);
    free(g);
}

const char *agent_own_address(struct arena *a)
{
    return arena_cstr(a, node_address(a));
}

/* --- cleaning up after an agent ---------------------------------------------------------------------------------------------------- */
int agent_cleanup(const char *dir, const char *program, const char *cgroup_root, const struct agent_network *network, nsec_t grace_ns, struct err *err)
{
    struct loop *loop = loop_new("cleanup", &clock_real, err);
    if (!loop)
        return -err->code;
    int r = 0;
    for (const struct runtime_ops *const *ops = runtimes; *ops && r == 0; ops++) {
        struct err why = ERR_NONE;
        struct runtime *rt = NULL;
        if ((*ops)->has_images || (*ops)->open(&(struct runtime_opts){.loop = loop, .dir = dir, .cgroup_root = cgroup_root ? cgroup_root : "cox", .program = program}, &rt, &why) < 0)
            continue;
        r = agent_cleanup_pods(dir, rt, network, grace_ns, err);
        rt->ops->close(rt);
    }
    loop_free(loop);
    return r;
}
