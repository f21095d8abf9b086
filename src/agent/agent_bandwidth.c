/* agent_bandwidth.c - the network as a resource of the node: shares of pods are made and kept, traffic is counted.
 *
 *   a pod is set up     its share is in force before its first container starts (agent_ops.c)
 *   every 5 s           on a pool thread: links that others took away ─► shares of all pods once more (after a restart, a new annotation, another node of a domain; nothing is done
 *                       where nothing is new) ─► counters of all links ─► rates against the time before ─► gauges, /stats/summary
 *
 *                       with lending: use by promises, and by what is no pod's ─► what is free and what can be lent ─► the Node's status, when it changed
 *
 * A rate is bits a second of the pod's link as the kernel counts bytes there: headers of large segments count once. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/agent_internal.h"
#include "agent/agent_node_status.h"
#include "agent/agent_nodes.h"
#include "agent/node/bandwidth_meter.h"
#include "agent/pod/pod_bandwidth.h"
#include "base/civil.h"
#include "base/log.h"

#define EVERY_NS (5 * NSEC_PER_SEC)
#define NEW_NS (30 * NSEC_PER_SEC) /* a pod that has just come has not begun to send: its promise is not lent */
#define DOMAIN_NETS_MAX 200 /* ranges of one domain's nodes; further ones are not limited, which the log says */
#define POD_NETS_MAX 250u /* of all destinations of a pod together; what is beyond is not limited (net/shape.h has room for as many) */

struct reading {
    char *uid; /* of struct agent_counter */
    struct bandwidth_meter meter;
    int64_t busy[BANDWIDTH_ENDS]; /* of a pod: begins with all that it is promised */
    nsec_t busy_at;               /* 0: not yet; at first a time to come, until which it counts in full */
    unsigned round;
};

struct agent_bandwidth {
    struct map readings;
    unsigned round;
    bool busy;
    int64_t outside[BANDWIDTH_ENDS]; /* traffic of the node that is no pod's, as bandwidth_busy has it */
    nsec_t outside_at;
    struct bandwidth_room free[BANDWIDTH_ENDS], lend[BANDWIDTH_ENDS];
    char told[200], links_told[200]; /* what was logged last */
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
    struct agent_links links;
    nsec_t at;
    bool mended;    /* another program had changed what shapes traffic, and it is right again */
    size_t links_mended;
    struct err err, links_err; /* the first */
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
    ret->nnets = agent_domain_nets(g, a, to, false, nets, DOMAIN_NETS_MAX);
}

/* The nodes' own addresses, as far as there is room behind the ranges of all destinations. */
static void add_addresses(const struct agent *g, struct arena *a, str to, size_t left, struct agent_shape_dest *ret)
{
    str *nets = arena_array(a, ret->nnets + DOMAIN_NETS_MAX, str);
    size_t had = ret->nnets, room = had < DOMAIN_NETS_MAX ? DOMAIN_NETS_MAX - had : 0;
    for (size_t i = 0; i < had; i++)
        nets[i] = ret->nets[i];
    ret->nets = nets;
    ret->nnets = had + agent_domain_nets(g, a, to, true, nets + had, MIN(room, left));
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
    size_t left = POD_NETS_MAX;
    for (size_t i = 0; i < b.ndests; i++) {
        dests[i].limit = b.dests[i].limit;
        find_nets(g, a, b.dests[i].to, &dests[i]);
        dests[i].nnets = MIN(dests[i].nnets, left);
        left -= dests[i].nnets;
    }
    for (size_t i = 0; i < b.ndests; i++) {
        size_t had = dests[i].nnets;
        add_addresses(g, a, b.dests[i].to, left, &dests[i]);
        left -= dests[i].nnets - had;
    }
    *ret = s;
    return 0;
}

static double overcommit(const struct agent *g)
{
    return g->bandwidth_overcommit > 0 ? g->bandwidth_overcommit : 1;
}

bool agent_bandwidth_fits(struct agent_pod *p, const struct agent_pod *const *holders, size_t n, struct arena *a, str *ret_message)
{
    struct agent *g = p->agent;
    struct pod_bandwidth mine, other;
    if (pod_bandwidth_read(&p->tree, &mine, NULL) < 0)
        return true; /* its setup says what is wrong */
    for (int e = 0; e < BANDWIDTH_ENDS; e++) {
        double room = (double)(g->bandwidth_node.total[e] - g->bandwidth_node.reserved[e]) * overcommit(g);
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

/* Shares follow with the next round. */
static bool size_up(struct agent *g)
{
    struct err err = ERR_NONE;
    bool good = node_bandwidth_noted(g->opts.capacity, g->opts.reserved, g->info.bandwidth_mbps, str_of(g->bandwidth_note ? g->bandwidth_note : ""), &g->bandwidth_node, &err) == 0;
    if (!good)
        log_warn("the node keeps the bandwidth that it had", KV("why", "%s", err.msg));
    return good;
}

/* Somebody said through the API what the node has. */
void agent_bandwidth_noted(struct agent *g, str note)
{
    if (str_eq(note, g->bandwidth_note ? str_of(g->bandwidth_note) : S("")))
        return;
    free(g->bandwidth_note);
    g->bandwidth_note = str_dup(note);
    if (size_up(g))
        agent_node_status_soon(g);
}

void agent_bandwidth_card(struct agent *g)
{
    node_info_refresh_speed(&g->info);
    if (g->bandwidth_card == g->info.bandwidth_mbps)
        return;
    g->bandwidth_card = g->info.bandwidth_mbps;
    size_up(g);
}

/* --- a round ------------------------------------------------------------------------------------------------------------------ */
static void run_round(struct work_item *w)
{
    struct round *r = container_of(w, struct round, item);
    const struct agent_network *net = r->agent->opts.network;
    struct err err = ERR_NONE;
    if (net->mend && net->mend(net->arg, &r->links_mended, &err) < 0)
        r->links_err = err;
    err = ERR_NONE;
    if (net->capacity(net->arg, r->total[BANDWIDTH_OUT], r->total[BANDWIDTH_IN], &r->mended, &err) < 0)
        r->err = err;
    for (size_t i = 0; i < r->npods; i++) {
        err = ERR_NONE;
        if (r->pods[i].shape && net->shape(net->arg, r->pods[i].uid, r->pods[i].shape, &err) < 0 && err.code != E_NOT_FOUND && !r->err.code)
            r->err = err;
    }
    err = ERR_NONE;
    if (net->counters(net->arg, &r->arena, &r->counters, &r->ncounters, &err) < 0 && !r->err.code)
        r->err = err;
    agent_links_run(r->agent, &r->links, &r->arena);
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

static struct reading *reading_of(const struct agent *g, str uid)
{
    return g->bandwidth ? map_get(&g->bandwidth->readings, uid) : NULL;
}

static bool has_own_link(const struct agent_pod *p)
{
    return !p->runtime->ops->has_network && !json_get_bool(json_get(&p->tree, S("spec")), S("hostNetwork"), false);
}

/* What the pod counts for among those that may lend; what it borrows itself is not its own. */
static int64_t in_use(struct reading *r, const struct pod_bandwidth *want, int e, nsec_t at)
{
    r->busy[e] = r->busy_at ? bandwidth_busy(r->busy[e], r->meter.used[e], at - r->busy_at) : want->request[e];
    return want->lent[e] ? MIN(r->busy[e], want->request[e]) : r->busy[e];
}

/* ret_taken: by pods.  ret_apart: promised to pods whose traffic is the node's own. */
static void sum_use(struct agent *g, nsec_t at, int64_t ret_taken[BANDWIDTH_ENDS], int64_t ret_apart[BANDWIDTH_ENDS])
{
    list_foreach(p, &g->pods, struct agent_pod, link) {
        struct pod_bandwidth want;
        struct reading *r = reading_of(g, p->uid);
        if (!agent_pod_holds(p) || pod_bandwidth_read(&p->tree, &want, NULL) < 0)
            continue;
        for (int e = 0; e < BANDWIDTH_ENDS; e++) {
            if (r)
                ret_taken[e] += in_use(r, &want, e, at);
            else if (has_own_link(p))
                ret_taken[e] += want.request[e];
            else
                ret_apart[e] += want.request[e];
        }
        if (r)
            r->busy_at = r->busy_at ? MAX(r->busy_at, at) : at + NEW_NS;
    }
}

/* The bridge counts large segments once with one header, the card every frame: so much of what pods exchange is not somebody else's. */
#define FRAMING(bits) ((bits) + (bits) / 10)

static void measure(struct agent *g, nsec_t at)
{
    struct agent_bandwidth *b = g->bandwidth;
    const struct reading *node = reading_of(g, S("")), *pods = reading_of(g, S("*"));
    int64_t taken[BANDWIDTH_ENDS] = {0}, apart[BANDWIDTH_ENDS] = {0};
    bool changed = false;
    if (g->bandwidth_lending)
        sum_use(g, at, taken, apart);
    for (int e = 0; e < BANDWIDTH_ENDS; e++) {
        int64_t all = g->bandwidth_node.total[e] - g->bandwidth_node.reserved[e], used = node ? node->meter.used[e] - (pods ? FRAMING(pods->meter.used[e]) : 0) : 0;
        b->outside[e] = bandwidth_busy(b->outside[e], MAX(used, (int64_t)0), at - b->outside_at);
        int64_t excess = MAX(b->outside[e] - g->bandwidth_node.reserved[e] - apart[e], (int64_t)0);
        if (!g->bandwidth_lending) {
            b->free[e] = b->lend[e] = (struct bandwidth_room){0};
            continue;
        }
        changed |= bandwidth_room_note(&b->free[e], all, excess, at);
        changed |= bandwidth_room_note(&b->lend[e], all, excess + taken[e], at);
    }
    b->outside_at = at;
    if (changed)
        agent_node_status_soon(g);
}

void agent_bandwidth_room(const struct agent *g, int64_t ret_free[BANDWIDTH_ENDS], int64_t ret_lend[BANDWIDTH_ENDS])
{
    const struct agent_bandwidth *b = g->bandwidth;
    for (int e = 0; e < BANDWIDTH_ENDS; e++) {
        int64_t all = g->bandwidth_node.total[e] - g->bandwidth_node.reserved[e];
        ret_free[e] = b && b->free[e].has ? MIN(b->free[e].shown, all) : all; /* a capacity that was lowered counts at once */
        ret_lend[e] = b && b->lend[e].has ? MIN(b->lend[e].shown, all) : 0;
    }
}

static void node_event(struct agent *g, const char *type, const char *reason, const char *message)
{
    events_send(g->events, &(struct event){.kind = "Node", .name = str_of(g->opts.node_name), .uid = str_of(g->opts.node_name), .type = type, .reason = reason, .message = str_of(message)});
}

static void tell_links(struct agent *g, const struct round *r)
{
    struct agent_bandwidth *b = g->bandwidth;
    if (r->links_err.code && strncmp(b->links_told, r->links_err.msg, sizeof b->links_told - 1) != 0) {
        log_warn("links of the pod network are missing", KV("why", "%s", r->links_err.msg));
        node_event(g, "Warning", "NetworkBroken", r->links_err.msg);
    }
    snprintf(b->links_told, sizeof b->links_told, "%s", r->links_err.code ? r->links_err.msg : "");
    if (!r->links_mended)
        return;
    log_warn("another program took away links of the pod network; they are there again", KV("links", "%zu", r->links_mended));
    node_event(g, "Warning", "NetworkRepaired", "another program took away links of the pod network (the bridge, the tunnel or pods' own); they are there again");
    agent_nodes_tell_peers(g);
}

/* What is not in force, once until something else is; and the end of it. */
static void tell(struct agent *g, const struct round *r)
{
    struct agent_bandwidth *b = g->bandwidth;
    if (r->mended) {
        log_warn("another program changed what shapes the pods' traffic; it is right again");
        node_event(g, "Warning", "BandwidthRepaired", "another program changed what shapes the pods' traffic; it is right again");
    }
    if (r->err.code && strncmp(b->told, r->err.msg, sizeof b->told - 1) != 0) {
        log_warn("shares of bandwidth are not all in force", KV("why", "%s", r->err.msg));
        node_event(g, "Warning", "BandwidthNotEnforced", r->err.msg);
        snprintf(b->told, sizeof b->told, "%s", r->err.msg);
    } else if (!r->err.code && b->told[0]) {
        node_event(g, "Normal", "BandwidthEnforced", "all shares of bandwidth are in force again");
        b->told[0] = 0;
    }
}

static void end_round(struct work_item *w)
{
    struct round *r = container_of(w, struct round, item);
    struct agent *g = r->agent;
    struct agent_bandwidth *b = g->bandwidth;
    g->ops--;
    b->busy = false;
    tell_links(g, r);
    tell(g, r);
    agent_links_end(g, &r->links);
    if (r->ncounters) {
        b->round++;
        for (size_t i = 0; i < r->ncounters; i++)
            if (r->counters[i].device) /* a link that is not there has no rate, and begins anew when it comes back */
                note(g, &r->counters[i], r->at);
        for (size_t i = 0; i < r->links.ncounters; i++)
            note(g, &r->links.counters[i], r->at);
        forget_old(b);
        measure(g, r->at);
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
        if (!p->seen.has_sandbox || p->seen.torn_down || p->op || !has_own_link(p))
            continue;
        struct shaped *s = &r->pods[r->npods++];
        *s = (struct shaped){.uid = arena_str(&r->arena, p->uid)};
        struct err err = ERR_NONE;
        if (agent_bandwidth_shape(g, &p->tree, &r->arena, &s->shape, &err) < 0 && !r->err.code)
            r->err = err;
    }
    for (int e = 0; e < BANDWIDTH_ENDS; e++)
        r->total[e] = g->bandwidth_node.total[e] - g->bandwidth_node.reserved[e];
    agent_links_begin(g, &r->links, &r->arena);
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
static void sum_requests(struct agent *g, int64_t ret[BANDWIDTH_ENDS], int64_t ret_lent[BANDWIDTH_ENDS])
{
    memset(ret, 0, sizeof(int64_t) * BANDWIDTH_ENDS);
    memset(ret_lent, 0, sizeof(int64_t) * BANDWIDTH_ENDS);
    list_foreach(p, &g->pods, struct agent_pod, link) {
        struct pod_bandwidth b;
        if (!agent_pod_holds(p) || pod_bandwidth_read(&p->tree, &b, NULL) < 0)
            continue;
        for (int e = 0; e < BANDWIDTH_ENDS; e++) {
            ret[e] += b.request[e];
            ret_lent[e] += b.lent[e];
        }
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
    int64_t requested[BANDWIDTH_ENDS], lent[BANDWIDTH_ENDS], left[BANDWIDTH_ENDS], lend[BANDWIDTH_ENDS];
    if (b && !uid.len)
        sum_requests(g, requested, lent);
    agent_bandwidth_room(g, left, lend);
    for (int e = 0; b && e < BANDWIDTH_ENDS; e++) {
        struct json *one = json_ensure_object(a, b, str_of(end_name[e]));
        if (!uid.len) {
            json_set(a, one, S("totalBits"), json_int(a, g->bandwidth_node.total[e]));
            json_set(a, one, S("systemBits"), json_int(a, g->bandwidth_node.reserved[e]));
            json_set(a, one, S("requestedBits"), json_int(a, requested[e]));
            json_set(a, one, S("lentBits"), json_int(a, lent[e]));
            if (g->bandwidth_lending)
                json_set(a, one, S("lendableBits"), json_int(a, lend[e]));
            if (r && r->meter.has_rate)
                json_set(a, one, S("outsideBits"), json_int(a, g->bandwidth->outside[e]));
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

/* One family has to stand together: texts that grow beside each other. */
static void pod_gauges(struct agent *g, struct arena *a, struct strbuf *out)
{
    struct strbuf requests = strbuf_on(a), lent = strbuf_on(a), limits = strbuf_on(a), used = strbuf_on(a);
    gauge(&requests, "pod_bandwidth_request_bits", "Bandwidth that the pod is promised, bit/s.");
    gauge(&lent, "pod_bandwidth_lent_bits", "Bandwidth that the pod borrows, bit/s.");
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
            if (b.lent[e])
                strbuf_addf(&lent, "pod_bandwidth_lent_bits" STR_FMT " %lld\n", STR_ARG(labels), (long long)b.lent[e]);
            if (b.limit[e] && g->bandwidth && has_own_link(p))
                strbuf_addf(&limits, "pod_bandwidth_limit_bits" STR_FMT " %lld\n", STR_ARG(labels), (long long)b.limit[e]);
            if (r && r->meter.has_rate)
                strbuf_addf(&used, "pod_bandwidth_used_bits" STR_FMT " %lld\n", STR_ARG(labels), (long long)r->meter.used[e]);
        }
    }
    strbuf_add_str(out, strbuf_str(&requests));
    strbuf_add_str(out, strbuf_str(&lent));
    strbuf_add_str(out, strbuf_str(&limits));
    strbuf_add_str(out, strbuf_str(&used));
}

static bool link_used(const struct agent *g, str reading, int64_t ret[BANDWIDTH_ENDS])
{
    const struct reading *r = reading_of(g, reading);
    if (r && r->meter.has_rate)
        memcpy(ret, r->meter.used, sizeof r->meter.used);
    return r && r->meter.has_rate;
}

void agent_bandwidth_metrics(struct agent *g, struct arena *a, struct strbuf *out)
{
    int64_t requested[BANDWIDTH_ENDS], lent[BANDWIDTH_ENDS], left[BANDWIDTH_ENDS], lend[BANDWIDTH_ENDS];
    const struct reading *r = reading_of(g, S(""));
    sum_requests(g, requested, lent);
    agent_bandwidth_room(g, left, lend);
    for (int e = 0; e < BANDWIDTH_ENDS; e++)
        left[e] = MAX((int64_t)((double)left[e] * overcommit(g)) - requested[e], (int64_t)0);
    node_gauge(g, out, "node_bandwidth_total_bits", "Bandwidth that the node has, bit/s.", g->bandwidth_node.total);
    node_gauge(g, out, "node_bandwidth_system_bits", "Bandwidth that is kept for the system, bit/s.", g->bandwidth_node.reserved);
    node_gauge(g, out, "node_bandwidth_reserved_bits", "Bandwidth that pods were promised, bit/s.", requested);
    node_gauge(g, out, "node_bandwidth_available_bits", "Bandwidth that new pods can be promised, bit/s.", left);
    node_gauge(g, out, "node_bandwidth_lent_bits", "Bandwidth that pods borrow, bit/s.", lent);
    if (g->bandwidth_lending)
        node_gauge(g, out, "node_bandwidth_lendable_bits", "Bandwidth that can be lent by what was measured, bit/s.", lend);
    if (r && r->meter.has_rate) {
        node_gauge(g, out, "node_bandwidth_used_bits", "Traffic of the node in the last seconds, bit/s.", r->meter.used);
        node_gauge(g, out, "node_bandwidth_outside_bits", "Traffic of the node that is not that of its pods, smoothed, bit/s.", g->bandwidth->outside);
    }
    pod_gauges(g, a, out);
    if (g->bandwidth)
        agent_links_metrics(g, out, link_used, &g->bandwidth->readings);
}
