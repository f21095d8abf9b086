/* agent_bandwidth.c - the network as a resource of the node: shares of pods are made and kept, traffic is counted.
 *
 *   a pod is set up     its share is in force before its first container starts (agent_ops.c)
 *   every 5 s           on a pool thread: shares of all pods once more (after a restart, a new annotation, another node of a domain; nothing is done
 *                       where nothing is new) ─► counters of all links ─► rates against the time before ─► gauges, /stats/summary
 *
 * A rate is bits a second of the pod's link as the kernel counts bytes there: headers of large segments count once. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/agent_internal.h"
#include "agent/node/bandwidth_meter.h"
#include "agent/pod/pod_bandwidth.h"
#include "base/civil.h"
#include "base/log.h"

#define EVERY_NS (5 * NSEC_PER_SEC)
#define DOMAIN_NETS_MAX 200 /* ranges of one domain's nodes; further ones are not limited, which the log says */
#define POD_NETS_MAX 250u /* of all destinations of a pod together; what is beyond is not limited (net/shape.h has room for as many) */

struct reading {
    char *uid; /* of struct agent_counter */
    struct bandwidth_meter meter;
    unsigned round;
};

struct agent_bandwidth {
    struct map readings;
    unsigned round;
    bool busy;
    char told[200]; /* what was logged last */
};

struct shaped {
    str uid;
    struct agent_shape *shape; /* NULL: its object cannot be read, what is in force stays */
};

struct round {
    struct work_item item;
    struct agent *agent;
    struct arena arena;
    struct shaped *pods;
    size_t npods;
    int64_t total[BANDWIDTH_ENDS];
    struct agent_counter *counters;
    size_t ncounters;
    nsec_t at;
    struct err err; /* the first */
};

static const char *const end_name[BANDWIDTH_ENDS] = {[BANDWIDTH_OUT] = "egress", [BANDWIDTH_IN] = "ingress"};

/* --- shares ------------------------------------------------------------------------------------------------------------------- */
/* Ranges of a destination: itself when it is one, else those of the domain's nodes as far as they are known. */
static void find_nets(const struct agent *g, struct arena *a, str to, struct agent_shape_dest *ret)
{
    str *nets;
    if (to.len && to.p[0] >= '0' && to.p[0] <= '9' && str_find_char(to, '.') > 0) {
        nets = arena_array(a, 1, str);
        nets[0] = str_find_char(to, '/') < 0 ? arena_fmt(a, STR_FMT "/32", STR_ARG(to)) : arena_str(a, to);
        ret->nets = nets;
        ret->nnets = 1;
        return;
    }
    nets = arena_array(a, DOMAIN_NETS_MAX, str);
    ret->nets = nets;
    ret->nnets = agent_domain_nets(g, a, to, nets, DOMAIN_NETS_MAX);
}

int agent_bandwidth_shape(const struct agent *g, const struct json *pod, struct arena *a, struct agent_shape **ret, struct err *err)
{
    struct pod_bandwidth b;
    int r = pod_bandwidth_read(pod, &b, err);
    if (r < 0)
        return r;
    struct agent_shape *s = arena_new(a, struct agent_shape);
    struct agent_shape_dest *dests = arena_array(a, b.ndests, struct agent_shape_dest);
    *s = (struct agent_shape){.egress_request = b.request[BANDWIDTH_OUT], .ingress_request = b.request[BANDWIDTH_IN], .egress_limit = b.limit[BANDWIDTH_OUT],
                              .ingress_limit = b.limit[BANDWIDTH_IN], .dests = dests, .ndests = b.ndests};
    for (size_t i = 0, left = POD_NETS_MAX; i < b.ndests; i++) {
        dests[i].limit = b.dests[i].limit;
        find_nets(g, a, b.dests[i].to, &dests[i]);
        dests[i].nnets = MIN(dests[i].nnets, left);
        left -= dests[i].nnets;
    }
    *ret = s;
    return 0;
}

bool agent_bandwidth_fits(struct agent_pod *p, const struct agent_pod *const *holders, size_t n, struct arena *a, str *ret_message)
{
    struct agent *g = p->agent;
    struct pod_bandwidth mine, other;
    if (pod_bandwidth_read(&p->tree, &mine, NULL) < 0)
        return true; /* its setup says what is wrong */
    for (int e = 0; e < BANDWIDTH_ENDS; e++) {
        double room = (double)(g->bandwidth_node.total[e] - g->bandwidth_node.reserved[e]) * (g->bandwidth_overcommit > 0 ? g->bandwidth_overcommit : 1);
        int64_t used = 0;
        for (size_t i = 0; mine.request[e] && i < n; i++)
            used += pod_bandwidth_read(&holders[i]->tree, &other, NULL) == 0 ? other.request[e] : 0;
        if (!mine.request[e] || (double)used + (double)mine.request[e] <= room)
            continue;
        char want[BANDWIDTH_TEXT], in_use[BANDWIDTH_TEXT], have[BANDWIDTH_TEXT];
        *ret_message = arena_fmt(a, "Pod was rejected: Node didn't have enough resource: %s bandwidth, requested: %s, used: %s, capacity: %s", end_name[e], bandwidth_print(mine.request[e], want),
                                 bandwidth_print(used, in_use), bandwidth_print((int64_t)room, have));
        return false;
    }
    return true;
}

/* Somebody said through the API what the node has.  Shares follow with the next round. */
void agent_bandwidth_noted(struct agent *g, str note)
{
    struct err err = ERR_NONE;
    if (str_eq(note, g->bandwidth_note ? str_of(g->bandwidth_note) : S("")))
        return;
    free(g->bandwidth_note);
    g->bandwidth_note = str_dup(note);
    if (node_bandwidth_noted(g->opts.capacity, g->opts.reserved, g->info.bandwidth_mbps, note, &g->bandwidth_node, &err) < 0)
        log_warn("the node keeps the bandwidth that it had", KV("why", "%s", err.msg));
    else
        agent_node_status_soon(g);
}

/* --- a round ------------------------------------------------------------------------------------------------------------------ */
static void run_round(struct work_item *w)
{
    struct round *r = container_of(w, struct round, item);
    const struct agent_network *net = r->agent->opts.network;
    struct err err = ERR_NONE;
    if (net->capacity(net->arg, r->total[BANDWIDTH_OUT], r->total[BANDWIDTH_IN], &err) < 0)
        r->err = err;
    for (size_t i = 0; i < r->npods; i++) {
        err = ERR_NONE;
        if (r->pods[i].shape && net->shape(net->arg, r->pods[i].uid, r->pods[i].shape, &err) < 0 && err.code != E_NOT_FOUND && !r->err.code)
            r->err = err;
    }
    err = ERR_NONE;
    if (net->counters(net->arg, &r->arena, &r->counters, &r->ncounters, &err) < 0 && !r->err.code)
        r->err = err;
    r->at = clock_mono(r->agent->clock);
}

static void note(struct agent *g, const struct agent_counter *c, nsec_t at)
{
    struct agent_bandwidth *b = g->bandwidth;
    struct reading *r = map_get(&b->readings, c->uid);
    uint64_t now[BANDWIDTH_ENDS] = {[BANDWIDTH_OUT] = c->out_bytes, [BANDWIDTH_IN] = c->in_bytes};
    if (!r) {
        r = xcalloc(1, sizeof *r);
        r->uid = str_dup(c->uid);
        map_put(&b->readings, str_n(r->uid, c->uid.len), r);
    }
    bandwidth_meter_read(&r->meter, c->device, now, at, g->bandwidth_node.total);
    r->round = b->round;
}

static void forget_old(struct agent_bandwidth *b)
{
    VEC(struct reading *) old = {0};
    map_foreach(e, &b->readings) {
        struct reading *r = e->value;
        if (r->round != b->round)
            vec_push(&old, r);
    }
    for (size_t i = 0; i < old.len; i++) {
        map_del(&b->readings, str_of(old.p[i]->uid));
        free(old.p[i]->uid);
        free(old.p[i]);
    }
    vec_fini(&old);
}

static void end_round(struct work_item *w)
{
    struct round *r = container_of(w, struct round, item);
    struct agent *g = r->agent;
    struct agent_bandwidth *b = g->bandwidth;
    g->ops--;
    b->busy = false;
    if (r->err.code && strncmp(b->told, r->err.msg, sizeof b->told - 1) != 0) {
        log_warn("shares of bandwidth are not all in force", KV("why", "%s", r->err.msg));
        snprintf(b->told, sizeof b->told, "%s", r->err.msg);
    } else if (!r->err.code) {
        b->told[0] = 0;
    }
    if (r->ncounters) {
        b->round++;
        for (size_t i = 0; i < r->ncounters; i++)
            if (r->counters[i].device) /* a link that is not there has no rate, and begins anew when it comes back */
                note(g, &r->counters[i], r->at);
        forget_old(b);
    }
    arena_fini(&r->arena);
    free(r);
    agent_waits_end(g);
}

static void on_timer(struct loop_timer *t)
{
    struct agent *g = container_of(t, struct agent, bandwidth_timer);
    struct agent_bandwidth *b = g->bandwidth;
    loop_timer_set(g->loop, t, loop_now(g->loop) + EVERY_NS);
    if (b->busy || !g->network_ready || g->stopping)
        return;
    struct round *r = xcalloc(1, sizeof *r);
    *r = (struct round){.item = {.loop = g->loop, .run = run_round, .done = end_round}, .agent = g, .arena = ARENA_INIT};
    r->pods = arena_array(&r->arena, g->by_uid.len, struct shaped);
    list_foreach(p, &g->pods, struct agent_pod, link) {
        if (!p->seen.has_sandbox || p->seen.torn_down || p->op || p->runtime->ops->has_network || json_get_bool(json_get(&p->tree, S("spec")), S("hostNetwork"), false))
            continue;
        struct shaped *s = &r->pods[r->npods++];
        *s = (struct shaped){.uid = arena_str(&r->arena, p->uid)};
        struct err err = ERR_NONE;
        if (agent_bandwidth_shape(g, &p->tree, &r->arena, &s->shape, &err) < 0 && !r->err.code)
            r->err = err;
    }
    for (int e = 0; e < BANDWIDTH_ENDS; e++)
        r->total[e] = g->bandwidth_node.total[e] - g->bandwidth_node.reserved[e];
    b->busy = true;
    g->ops++;
    work_submit(g->pool, &r->item);
}

void agent_bandwidth_start(struct agent *g)
{
    if (!g->opts.network || !g->opts.network->shape)
        return;
    g->bandwidth = xcalloc(1, sizeof *g->bandwidth);
    g->bandwidth_timer.fire = on_timer;
    loop_timer_set(g->loop, &g->bandwidth_timer, loop_now(g->loop) + NSEC_PER_SEC);
}

void agent_bandwidth_free(struct agent *g)
{
    struct agent_bandwidth *b = TAKE(g->bandwidth);
    free(TAKE(g->bandwidth_note));
    if (!b)
        return;
    map_foreach(e, &b->readings) {
        struct reading *r = e->value;
        free(r->uid);
        free(r);
    }
    map_fini(&b->readings);
    free(b);
}

/* --- what the node's server shows --------------------------------------------------------------------------------------------- */
static const struct reading *reading_of(const struct agent *g, str uid)
{
    return g->bandwidth ? map_get(&g->bandwidth->readings, uid) : NULL;
}

static void sum_requests(struct agent *g, int64_t ret[BANDWIDTH_ENDS])
{
    memset(ret, 0, sizeof(int64_t) * BANDWIDTH_ENDS);
    list_foreach(p, &g->pods, struct agent_pod, link) {
        struct pod_bandwidth b;
        if (!p->checked || p->seen.torn_down || p->seen.fail_reason.len || pod_bandwidth_read(&p->tree, &b, NULL) < 0)
            continue;
        for (int e = 0; e < BANDWIDTH_ENDS; e++)
            ret[e] += b.request[e];
    }
}

/* Kubelet's "network" of a node or pod, and for the node what it has: an extension that others pass over. */
void agent_bandwidth_summary(struct agent *g, struct arena *a, str uid, str time, struct json *stats)
{
    const struct reading *r = reading_of(g, uid);
    struct json *n = r ? json_ensure_object(a, stats, S("network")) : NULL;
    if (n) {
        json_set(a, n, S("time"), json_string(time));
        json_set(a, n, S("rxBytes"), json_int(a, (int64_t)r->meter.bytes[BANDWIDTH_IN]));
        json_set(a, n, S("txBytes"), json_int(a, (int64_t)r->meter.bytes[BANDWIDTH_OUT]));
    }
    struct json *b = r || !uid.len ? json_ensure_object(a, stats, S("bandwidth")) : NULL;
    int64_t requested[BANDWIDTH_ENDS];
    if (b && !uid.len)
        sum_requests(g, requested);
    for (int e = 0; b && e < BANDWIDTH_ENDS; e++) {
        struct json *one = json_ensure_object(a, b, str_of(end_name[e]));
        if (!uid.len) {
            json_set(a, one, S("totalBits"), json_int(a, g->bandwidth_node.total[e]));
            json_set(a, one, S("systemBits"), json_int(a, g->bandwidth_node.reserved[e]));
            json_set(a, one, S("requestedBits"), json_int(a, requested[e]));
        }
        if (r && r->meter.has_rate)
            json_set(a, one, S("usedBits"), json_int(a, r->meter.used[e]));
    }
}

static void gauge(struct strbuf *b, const char *name, const char *help)
{
    strbuf_addf(b, "# HELP %s %s\n# TYPE %s gauge\n", name, help, name);
}

static void node_gauge(struct agent *g, struct strbuf *b, const char *name, const char *help, const int64_t v[BANDWIDTH_ENDS])
{
    gauge(b, name, help);
    for (int e = 0; e < BANDWIDTH_ENDS; e++)
        strbuf_addf(b, "%s{node=\"%s\",direction=\"%s\"} %lld\n", name, g->opts.node_name, end_name[e], (long long)v[e]);
}

/* One family has to stand together: three texts that grow beside each other. */
static void pod_gauges(struct agent *g, struct arena *a, struct strbuf *out)
{
    struct strbuf requests = strbuf_on(a), limits = strbuf_on(a), used = strbuf_on(a);
    gauge(&requests, "pod_bandwidth_request_bits", "Bandwidth that the pod is promised, bit/s.");
    gauge(&limits, "pod_bandwidth_limit_bits", "Bandwidth that the pod cannot pass, bit/s.");
    gauge(&used, "pod_bandwidth_used_bits", "Bandwidth that the pod used in the last seconds, bit/s.");
    list_foreach(p, &g->pods, struct agent_pod, link) {
        struct pod_bandwidth b = {0};
        const struct reading *r = reading_of(g, p->uid);
        if (!p->seen.has_sandbox || pod_bandwidth_read(&p->tree, &b, NULL) < 0)
            continue;
        for (int e = 0; e < BANDWIDTH_ENDS; e++) {
            str labels = arena_fmt(a, "{namespace=\"" STR_FMT "\",pod=\"" STR_FMT "\",node=\"%s\",direction=\"%s\"}", STR_ARG(p->ns), STR_ARG(p->name), g->opts.node_name, end_name[e]);
            if (b.request[e])
                strbuf_addf(&requests, "pod_bandwidth_request_bits" STR_FMT " %lld\n", STR_ARG(labels), (long long)b.request[e]);
            if (b.limit[e])
                strbuf_addf(&limits, "pod_bandwidth_limit_bits" STR_FMT " %lld\n", STR_ARG(labels), (long long)b.limit[e]);
            if (r && r->meter.has_rate)
                strbuf_addf(&used, "pod_bandwidth_used_bits" STR_FMT " %lld\n", STR_ARG(labels), (long long)r->meter.used[e]);
        }
    }
    strbuf_add_str(out, strbuf_str(&requests));
    strbuf_add_str(out, strbuf_str(&limits));
    strbuf_add_str(out, strbuf_str(&used));
}

void agent_bandwidth_metrics(struct agent *g, struct arena *a, struct strbuf *out)
{
    int64_t requested[BANDWIDTH_ENDS], left[BANDWIDTH_ENDS];
    const struct reading *r = reading_of(g, S(""));
    sum_requests(g, requested);
    for (int e = 0; e < BANDWIDTH_ENDS; e++)
        left[e] = MAX(g->bandwidth_node.total[e] - g->bandwidth_node.reserved[e] - requested[e], (int64_t)0);
    node_gauge(g, out, "node_bandwidth_total_bits", "Bandwidth that the node has, bit/s.", g->bandwidth_node.total);
    node_gauge(g, out, "node_bandwidth_system_bits", "Bandwidth that is kept for the system, bit/s.", g->bandwidth_node.reserved);
    node_gauge(g, out, "node_bandwidth_reserved_bits", "Bandwidth that pods were promised, bit/s.", requested);
    node_gauge(g, out, "node_bandwidth_available_bits", "Bandwidth that new pods can be promised, bit/s.", left);
    if (r && r->meter.has_rate)
        node_gauge(g, out, "node_bandwidth_used_bits", "Traffic of the node in the last seconds, bit/s.", r->meter.used);
    pod_gauges(g, a, out);
}
