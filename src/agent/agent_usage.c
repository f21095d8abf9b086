/* agent_usage.c - how much the node and its pods use: pushed to the API server (metrics.k8s.io), and shown by the node's own server.
 *
 *   every 15 s, on a pool thread: cgroups of all pods ─► rates against the time before ─► PUT metrics.k8s.io nodes/NAME, and texts for /stats/summary, /metrics/resource */
/* SPDX-License-Identifier: Apache-2.0 */
#include <unistd.h>

#include "agent/agent_internal.h"
#include "base/civil.h"
#include "client/client.h"
#include "rt/file.h"

#define EVERY_NS (15 * NSEC_PER_SEC)
#define UNWANTED_NS (300 * NSEC_PER_SEC)

struct reading {
    char *key; /* "uid/container" */
    uint64_t cpu_ns;
    nsec_t at;
    unsigned round;
};

struct agent_usage {
    struct map readings;
    unsigned round;
    bool busy;
    nsec_t unwanted_until; /* monotonic: the API server has no place for it; another one may come */
    uint64_t node_cpu_ns;
    nsec_t node_at;
    char *summary, *resource; /* the newest documents */
};

struct pod_usage {
    struct runtime *runtime;
    str uid, ns, name;
    struct container_usage *containers;
    size_t n;
    uint64_t disk;
};

struct round {
    struct work_item item;
    struct agent *agent;
    struct arena arena;
    struct pod_usage *pods;
    size_t npods;
    uint64_t node_cpu_ns, node_memory;
    nsec_t at;
};

/* Time that all cores worked. */
static uint64_t machine_cpu_ns(void)
{
    char *text;
    size_t len;
    if (file_read("/proc/stat", 1u << 20, &text, &len, NULL) < 0)
        return 0;
    uint64_t ticks = node_parse_cpu_ticks(str_n(text, len));
    free(text);
    return ticks * (uint64_t)(NSEC_PER_SEC / sysconf(_SC_CLK_TCK));
}

static void run_round(struct work_item *w)
{
    struct round *r = container_of(w, struct round, item);
    struct agent *g = r->agent;
    for (size_t i = 0; i < r->npods; i++) {
        if (r->pods[i].runtime->ops->stats(r->pods[i].runtime, r->pods[i].uid, &r->arena, &r->pods[i].containers, &r->pods[i].n, NULL) < 0)
            r->pods[i].n = 0;
    }
    r->node_cpu_ns = machine_cpu_ns();
    r->at = clock_mono(g->clock);
}

/* --- rates -------------------------------------------------------------------------------------------------------------------- */
/* Cores in billionths, since the reading before; false: this is the first one, or the count began anew with the container. */
static bool rate(struct agent_usage *u, str key, uint64_t cpu_ns, nsec_t at, uint64_t *ret_nano)
{
    struct reading *r = map_get(&u->readings, key);
    bool has = false;
    if (!r) {
        r = xcalloc(1, sizeof *r);
        r->key = str_dup(key);
        map_put(&u->readings, str_n(r->key, key.len), r);
    } else if (at > r->at && cpu_ns >= r->cpu_ns) {
        *ret_nano = (uint64_t)((double)(cpu_ns - r->cpu_ns) * 1e9 / (double)(at - r->at));
        has = true;
    }
    r->cpu_ns = cpu_ns;
    r->at = at;
    r->round = u->round;
    return has;
}

static void forget_old(struct agent_usage *u)
{
    VEC(struct reading *) old = {0};
    map_foreach(e, &u->readings) {
        struct reading *r = e->value;
        if (r->round != u->round)
            vec_push(&old, r);
    }
    for (size_t i = 0; i < old.len; i++) {
        map_del(&u->readings, str_of(old.p[i]->key));
        free(old.p[i]->key);
        free(old.p[i]);
    }
    vec_fini(&old);
}

/* --- documents -------------------------------------------------------------------------------------------------------------------- */
static struct json usage_json(struct arena *a, uint64_t nano, uint64_t memory)
{
    struct json u = json_object();
    json_set(a, &u, S("cpu"), json_string(arena_fmt(a, "%llun", (unsigned long long)nano)));
    json_set(a, &u, S("memory"), json_string(arena_fmt(a, "%lluKi", (unsigned long long)memory / 1024)));
    return u;
}

static struct json stat_json(struct arena *a, str time, uint64_t nano, uint64_t cpu_ns, uint64_t memory)
{
    struct json o = json_object();
    struct json *cpu = json_ensure_object(a, &o, S("cpu"));
    json_set(a, cpu, S("time"), json_string(time));
    json_set(a, cpu, S("usageNanoCores"), json_int(a, (int64_t)nano));
    json_set(a, cpu, S("usageCoreNanoSeconds"), json_int(a, (int64_t)cpu_ns));
    struct json *m = json_ensure_object(a, &o, S("memory"));
    json_set(a, m, S("time"), json_string(time));
    json_set(a, m, S("workingSetBytes"), json_int(a, (int64_t)memory));
    return o;
}

static void add_series(struct strbuf *b, const char *name, const struct pod_usage *p, str container, double value)
{
    strbuf_addf(b, "%s{container=\"" STR_FMT "\",namespace=\"" STR_FMT "\",pod=\"" STR_FMT "\"} %.9g\n", name, STR_ARG(container), STR_ARG(p->ns), STR_ARG(p->name), value);
}

struct documents {
    struct json report_pods, summary_pods;
    struct strbuf cpu, memory;
};

static void describe_pod(struct agent_usage *u, struct round *r, const struct pod_usage *p, str time, struct documents *d)
{
    struct arena *a = &r->arena;
    struct json pod = json_object(), list = json_array(), stats = json_object(), cstats = json_array();
    struct json *meta = json_ensure_object(a, &pod, S("metadata")), *ref = json_ensure_object(a, &stats, S("podRef"));
    json_set(a, meta, S("namespace"), json_string(p->ns));
    json_set(a, meta, S("name"), json_string(p->name));
    json_set(a, ref, S("name"), json_string(p->name));
    json_set(a, ref, S("namespace"), json_string(p->ns));
    json_set(a, ref, S("uid"), json_string(p->uid));
    bool is_known = p->n > 0; /* what each of its containers uses: half a pod, or 0 cores of one that nobody has looked at twice, would mislead autoscalers */
    for (size_t i = 0; i < p->n; i++) {
        const struct container_usage *c = &p->containers[i];
        uint64_t nano = 0;
        is_known &= rate(u, arena_fmt(a, STR_FMT "/" STR_FMT, STR_ARG(p->uid), STR_ARG(c->name)), c->cpu_ns, r->at, &nano);
        struct json one = json_object(), stat = stat_json(a, time, nano, c->cpu_ns, c->memory_bytes);
        json_set(a, &one, S("name"), json_string(c->name));
        json_set(a, &one, S("usage"), usage_json(a, nano, c->memory_bytes));
        json_push(a, &list, one);
        json_set(a, &stat, S("name"), json_string(c->name));
        json_push(a, &cstats, stat);
        add_series(&d->cpu, "container_cpu_usage_seconds_total", p, c->name, (double)c->cpu_ns / 1e9);
        add_series(&d->memory, "container_memory_working_set_bytes", p, c->name, (double)c->memory_bytes);
    }
    json_set(a, &pod, S("containers"), list);
    json_set(a, &stats, S("containers"), cstats);
    agent_bandwidth_summary(r->agent, a, p->uid, time, &stats);
    if (is_known)
        json_push(a, &d->report_pods, pod);
    json_push(a, &d->summary_pods, stats);
}

static void on_pushed(struct agent_call *c)
{
    if (c->call.status == 404 || c->call.status == 405) /* another server's API: it asks the node itself */
        c->agent->usage->unwanted_until = loop_now(c->agent->loop) + UNWANTED_NS;
}

static void push(struct agent *g, struct round *r, str time, uint64_t nano, uint64_t memory, const struct json *pods)
{
    struct arena *a = &r->arena;
    struct json o = json_literal(a, "{\"kind\":\"NodeMetrics\",\"apiVersion\":\"metrics.k8s.io/v1beta1\",\"window\":\"15s\"}");
    json_set(a, json_ensure_object(a, &o, S("metadata")), S("name"), json_string(str_of(g->opts.node_name)));
    json_set(a, &o, S("timestamp"), json_string(time));
    json_set(a, &o, S("usage"), usage_json(a, nano, memory));
    json_set(a, &o, S("pods"), *pods);
    struct strbuf path = strbuf_on(a);
    strbuf_add_str(&path, S("/apis/metrics.k8s.io/v1beta1/nodes"));
    client_path_add(&path, str_of(g->opts.node_name));
    if (loop_now(g->loop) >= g->usage->unwanted_until)
        agent_call(g, "PUT", strbuf_str(&path), "application/json", json_text(a, &o), on_pushed, NULL);
}

static void keep_documents(struct agent *g, struct round *r, str time, uint64_t nano, uint64_t memory, struct documents *d)
{
    struct agent_usage *u = g->usage;
    struct arena *a = &r->arena;
    struct json summary = json_object(), node = stat_json(a, time, nano, r->node_cpu_ns, memory);
    json_set(a, &node, S("nodeName"), json_string(str_of(g->opts.node_name)));
    json_set(a, &summary, S("node"), node);
    json_set(a, &summary, S("pods"), d->summary_pods);
    free(u->summary);
    u->summary = str_dup(json_text(a, &summary));
    struct strbuf b = strbuf_on(a);
    strbuf_addf(&b, "# HELP node_cpu_usage_seconds_total CPU time that the machine used.\n# TYPE node_cpu_usage_seconds_total counter\nnode_cpu_usage_seconds_total %.9g\n", (double)r->node_cpu_ns / 1e9);
    strbuf_addf(&b, "# HELP node_memory_working_set_bytes Memory of the machine in use.\n# TYPE node_memory_working_set_bytes gauge\nnode_memory_working_set_bytes %llu\n", (unsigned long long)memory);
    strbuf_add_str(&b, S("# HELP container_cpu_usage_seconds_total CPU time that the container used.\n# TYPE container_cpu_usage_seconds_total counter\n"));
    strbuf_add_str(&b, strbuf_str(&d->cpu));
    strbuf_add_str(&b, S("# HELP container_memory_working_set_bytes Memory of the container in use.\n# TYPE container_memory_working_set_bytes gauge\n"));
    strbuf_add_str(&b, strbuf_str(&d->memory));
    free(u->resource);
    u->resource = str_dup(strbuf_str(&b));
}

static void end_round(struct work_item *w)
{
    struct round *r = container_of(w, struct round, item);
    struct agent *g = r->agent;
    struct agent_usage *u = g->usage;
    g->ops--;
    u->busy = false;
    if (!g->stopping) {
        char now[CIVIL_TIME_LEN + 1];
        civil_format(clock_wall(g->clock), now);
        str time = str_of(now);
        bool has_rate = u->node_at && r->at > u->node_at && r->node_cpu_ns >= u->node_cpu_ns;
        uint64_t nano = has_rate ? (uint64_t)((double)(r->node_cpu_ns - u->node_cpu_ns) * 1e9 / (double)(r->at - u->node_at)) : 0;
        uint64_t memory = (uint64_t)(g->info.memory_bytes - g->info.memory_available_bytes);
        struct documents d = {.report_pods = json_array(), .summary_pods = json_array(), .cpu = strbuf_on(&r->arena), .memory = strbuf_on(&r->arena)};
        u->round++;
        for (size_t i = 0; i < r->npods; i++)
            describe_pod(u, r, &r->pods[i], time, &d);
        forget_old(u);
        u->node_cpu_ns = r->node_cpu_ns;
        u->node_at = r->at;
        keep_documents(g, r, time, nano, memory, &d);
        if (has_rate)
            push(g, r, time, nano, memory, &d.report_pods);
    }
    arena_fini(&r->arena);
    free(r);
    agent_waits_end(g);
}

static bool has_running(const struct agent_pod *p)
{
    for (size_t i = 0; i < p->containers.len; i++)
        if (p->containers.p[i]->seen.phase == CONTAINER_PHASE_RUNNING || p->containers.p[i]->seen.phase == CONTAINER_PHASE_STOPPING)
            return true;
    return false;
}

static void on_timer(struct loop_timer *t)
{
    struct agent *g = container_of(t, struct agent, usage_timer);
    struct agent_usage *u = g->usage;
    /* the second reading soon after the first: a rate needs two */
    loop_timer_set(g->loop, t, loop_now(g->loop) + (u->round < 2 ? 2 * NSEC_PER_SEC : EVERY_NS));
    if (u->busy)
        return;
    struct round *r = xcalloc(1, sizeof *r);
    *r = (struct round){.item = {.loop = g->loop, .run = run_round, .done = end_round}, .agent = g, .arena = ARENA_INIT};
    r->pods = arena_array(&r->arena, g->by_uid.len, struct pod_usage);
    list_foreach(p, &g->pods, struct agent_pod, link) {
        if (p->seen.has_sandbox && has_running(p))
            r->pods[r->npods++] = (struct pod_usage){.runtime = p->runtime, .uid = arena_str(&r->arena, p->uid), .ns = arena_str(&r->arena, p->ns), .name = arena_str(&r->arena, p->name)};
    }
    u->busy = true;
    g->ops++;
    node_info_refresh(g->opts.dir, &g->info);
    work_submit(g->pool, &r->item);
}

void agent_usage_start(struct agent *g)
{
    g->usage = xcalloc(1, sizeof *g->usage);
    g->usage_timer.fire = on_timer;
    loop_timer_set(g->loop, &g->usage_timer, loop_now(g->loop) + NSEC_PER_SEC);
}

void agent_usage_free(struct agent *g)
{
    struct agent_usage *u = TAKE(g->usage);
    if (!u)
        return;
    map_foreach(e, &u->readings) {
        struct reading *r = e->value;
        free(r->key);
        free(r);
    }
    map_fini(&u->readings);
    free(u->summary);
    free(u->resource);
    free(u);
}

/* --- what the node's server asks ----------------------------------------------------------------------------------------------------- */
static str pods_document(struct agent *g, struct arena *a)
{
    struct strbuf b = strbuf_on(a);
    strbuf_add_str(&b, S("{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"metadata\":{},\"items\":["));
    bool first = true;
    list_foreach(p, &g->pods, struct agent_pod, link) {
        strbuf_add_str(&b, first ? S("") : S(","));
        strbuf_add_str(&b, str_of(p->text));
        first = false;
    }
    strbuf_add_str(&b, S("]}"));
    return strbuf_str(&b);
}

/* What is promised of the node's bandwidth is as of now: whoever has just seen a pod start is to find it there. */
static str summary_document(struct agent *g, struct arena *a)
{
    struct json doc = json_object();
    char now[CIVIL_TIME_LEN + 1];
    if (g->usage && g->usage->summary && json_parse(a, str_of(g->usage->summary), NULL, &doc, NULL) < 0)
        doc = json_object();
    civil_format(clock_wall(g->clock), now);
    agent_bandwidth_summary(g, a, S(""), arena_str(a, str_of(now)), json_ensure_object(a, &doc, S("node")));
    return json_text(a, &doc);
}

bool agent_stream_document(void *arg, str name, struct arena *a, str *ret_type, str *ret_text)
{
    struct agent *g = arg;
    *ret_type = S("application/json");
    if (str_is(name, "pods") || str_is(name, "runningpods")) {
        *ret_text = pods_document(g, a);
        return true;
    }
    if (str_is(name, "stats/summary")) {
        *ret_text = summary_document(g, a);
        return true;
    }
    *ret_type = S("text/plain; version=0.0.4; charset=utf-8");
    if (str_is(name, "metrics/resource") || str_is(name, "metrics/cadvisor")) {
        *ret_text = g->usage && g->usage->resource ? arena_str(a, str_of(g->usage->resource)) : S("");
        return true;
    }
    if (str_is(name, "metrics")) {
        size_t running = 0, containers = 0;
        list_foreach(p, &g->pods, struct agent_pod, link) {
            running += p->seen.has_sandbox;
            for (size_t i = 0; i < p->containers.len; i++)
                containers += p->containers.p[i]->seen.phase == CONTAINER_PHASE_RUNNING;
        }
        struct strbuf b = strbuf_on(a);
        strbuf_addf(&b,
                    "# HELP kubelet_running_pods Pods that have a sandbox.\n# TYPE kubelet_running_pods gauge\nkubelet_running_pods %zu\n"
                    "# HELP kubelet_running_containers Containers that run.\n# TYPE kubelet_running_containers gauge\nkubelet_running_containers{container_state=\"running\"} %zu\n"
                    "# HELP kubelet_node_name The node's name; always 1.\n# TYPE kubelet_node_name gauge\nkubelet_node_name{node=\"%s\"} 1\n",
                    running, containers, g->opts.node_name);
        agent_bandwidth_metrics(g, a, &b);
        *ret_text = strbuf_str(&b);
        return true;
    }
    return false;
}

static struct agent_container *pick_container(struct agent_pod *p, str name, struct arena *a, struct err *err)
{
    if (str_is(name, "*") && p->containers.len) /* port-forward: any leads to the pod's network */
        return p->containers.p[0];
    if (name.len) {
        struct agent_container *c = agent_pod_container(p, name);
        if (!c)
            err_set(err, E_NOT_FOUND, "container " STR_FMT " is not valid for pod " STR_FMT, STR_ARG(name), STR_ARG(p->name));
        return c;
    }
    str preferred = json_get_str(json_path(&p->tree, "metadata", "annotations", NULL), S("kubectl.kubernetes.io/default-container"));
    struct agent_container *only = preferred.len ? agent_pod_container(p, preferred) : NULL;
    struct strbuf names = strbuf_on(a);
    size_t mains = 0;
    for (size_t i = 0; i < p->containers.len && !only; i++) {
        if (p->containers.p[i]->seen.kind != KIND_MAIN)
            continue;
        strbuf_addf(&names, "%s" STR_FMT, mains++ ? " " : "", STR_ARG(p->containers.p[i]->name));
    }
    for (size_t i = 0; i < p->containers.len && !only && mains == 1; i++)
        only = p->containers.p[i]->seen.kind == KIND_MAIN ? p->containers.p[i] : NULL;
    if (!only)
        err_set(err, E_INVALID_ARG, "a container name must be specified for pod " STR_FMT ", choose one of: [%s]", STR_ARG(p->name), strbuf_cstr(&names));
    return only;
}

/* The container in the status that was planned last; NULL: there is none yet. */
static const struct json *status_of(const struct agent_pod *p, const struct agent_container *c, struct arena *a)
{
    static const char *const lists[] = {"containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses"};
    struct json *status = arena_new(a, struct json);
    if (!p->checkpoint || json_parse(a, str_of(p->checkpoint), NULL, status, NULL) < 0)
        return NULL;
    for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
        const struct json *list = json_get(status, str_of(lists[i]));
        for (uint32_t k = 0; json_is(list, JSON_ARRAY) && k < list->len; k++)
            if (str_eq(json_get_str(&list->items[k], S("name")), c->name))
                return &list->items[k];
    }
    return NULL;
}

int agent_stream_find(void *arg, str ns, str pod, str container, struct arena *a, struct stream_target *ret, struct err *err)
{
    struct agent *g = arg;
    struct agent_pod *p = agent_find_name(g, ns, pod);
    if (!p)
        return err_set(err, E_NOT_FOUND, "pod \"" STR_FMT "\" is not on this node", STR_ARG(pod));
    struct agent_container *c = pick_container(p, container, a, err);
    if (!c)
        return -err->code;
    const char *logs = agent_log_dir(g, a, p);
    bool running = c->seen.phase == CONTAINER_PHASE_RUNNING || c->seen.phase == CONTAINER_PHASE_STOPPING;
    const struct json *spec = pod_container_spec(&p->tree, c->name);
    const struct json *waiting = running ? NULL : json_path(status_of(p, c, a), "state", "waiting", NULL);
    /* runs that ended, in the status' eyes: one that waits has its newest in lastState, one that is shown as ended has it in state */
    uint32_t newest = c->seen.starts ? c->seen.starts - 1 : 0, ended = waiting ? c->seen.starts : newest;
    *ret = (struct stream_target){
        .runtime = p->runtime,
        .container_id = running ? arena_str(a, c->runtime_id) : S(""),
        .log_path = c->seen.starts ? arena_fmt(a, "%s/" STR_FMT "/%u.log", logs, STR_ARG(c->name), newest) : S(""),
        .previous_log_path = ended ? arena_fmt(a, "%s/" STR_FMT "/%u.log", logs, STR_ARG(c->name), ended - 1) : S(""),
        .waiting_reason = json_get_str(waiting, S("reason")),
        .pod_uid = arena_str(a, p->uid),
        .tty = json_get_bool(spec, S("tty"), false),
        .stdin_open = json_get_bool(spec, S("stdin"), false),
        .stdin_once = json_get_bool(spec, S("stdinOnce"), false),
        .running = running,
    };
    return 0;
}
