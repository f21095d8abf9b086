/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/agent_nodes.h"

#include <arpa/inet.h>

#include "agent/agent_node.h"
#include "agent/agent_node_status.h"
#include "api/validate.h"
#include "base/log.h"
#include "rt/file.h"

#define RENEW_MIN_NS NSEC_PER_SEC /* between two reports when somebody else says another thing */
#define NETWORK_RETRY_NS (2 * NSEC_PER_SEC)
#define CIDR_BYTES 128

#define DOMAIN_LABEL "kuscia.secretflow/namespace"

struct peer {
    char *name, *ip, *cidr, *domain;
    unsigned round; /* of the list that showed it last */
};

/* --- the network: own CIDR, peers ------------------------------------------------------------------------------------------------------------- */
struct net_op {
    struct work_item item;
    struct agent *agent;
    struct arena arena;
    str cidr, ip;
    struct agent_peer *peers;
    size_t npeers;
    str *uids;
    size_t nuids;
    struct node_bandwidth bandwidth; /* the node's, when it began */
    int result;
    struct err err;
};

static struct net_op *net_op_new(struct agent *g, void (*run)(struct work_item *w), void (*done)(struct work_item *w))
{
    struct net_op *o = xcalloc(1, sizeof *o);
    *o = (struct net_op){.item = {.loop = g->loop, .run = run, .done = done}, .agent = g, .arena = ARENA_INIT};
    return o;
}

static void net_op_end(struct net_op *o)
{
    struct agent *g = o->agent;
    g->ops--;
    arena_fini(&o->arena);
    free(o);
    agent_waits_end(g);
}

static void run_peers(struct work_item *w)
{
    struct net_op *o = container_of(w, struct net_op, item);
    const struct agent_network *net = o->agent->opts.network;
    o->result = net->peers(net->arg, o->peers, o->npeers, &o->err);
}

static void send_peers(struct agent *g);

static void end_peers(struct work_item *w)
{
    struct net_op *o = container_of(w, struct net_op, item);
    struct agent *g = o->agent;
    g->peers_busy = false;
    if (o->result < 0) {
        log_warn("cannot connect to the pod networks of other nodes", KV("why", "%s", o->err.msg));
        g->peers_changed = true;
        loop_timer_set(g->loop, &g->network_timer, loop_now(g->loop) + NETWORK_RETRY_NS);
    } else if (g->peers_changed) {
        send_peers(g);
    }
    net_op_end(o);
}

static void send_peers(struct agent *g)
{
    if (g->peers_busy || !g->network_ready || g->stopping || !g->opts.network)
        return;
    struct net_op *o = net_op_new(g, run_peers, end_peers);
    o->peers = arena_array(&o->arena, g->peers.len, struct agent_peer);
    map_foreach(e, &g->peers) {
        const struct peer *p = e->value;
        o->peers[o->npeers++] = (struct agent_peer){arena_str(&o->arena, str_of(p->name)), arena_str(&o->arena, str_of(p->ip)), arena_str(&o->arena, str_of(p->cidr))};
    }
    g->peers_changed = false;
    g->peers_busy = true;
    g->ops++;
    work_submit(g->pool, &o->item);
}

void agent_nodes_tell_peers(struct agent *g)
{
    g->peers_changed = true;
    send_peers(g);
}

static void run_open(struct work_item *w)
{
    struct net_op *o = container_of(w, struct net_op, item);
    const struct agent_network *net = o->agent->opts.network;
    const struct node_bandwidth *b = &o->bandwidth;
    bool mended;
    o->result = net->open(net->arg, o->cidr, o->ip, &o->err);
    if (o->result == 0 && net->capacity)
        o->result = net->capacity(net->arg, b->total[BANDWIDTH_OUT] - b->reserved[BANDWIDTH_OUT], b->total[BANDWIDTH_IN] - b->reserved[BANDWIDTH_IN], &mended, &o->err);
    if (o->result == 0)
        o->result = net->collect(net->arg, o->uids, o->nuids, &o->err);
}

static void open_network(struct agent *g);

static void end_open(struct work_item *w)
{
    struct net_op *o = container_of(w, struct net_op, item);
    struct agent *g = o->agent;
    bool is_current = str_eq(o->cidr, g->pod_cidr);
    g->network_busy = false;
    g->network_ready = o->result == 0 && is_current;
    if (o->result == 0 && !is_current) {
        open_network(g); /* the node has got another range meanwhile */
    } else if (o->result < 0) {
        snprintf(g->network_error, sizeof g->network_error, "%s", o->err.msg);
        log_warn("the pod network does not work yet", KV("why", "%s", o->err.msg));
        loop_timer_set(g->loop, &g->network_timer, loop_now(g->loop) + NETWORK_RETRY_NS);
    } else {
        g->network_error[0] = 0;
        send_peers(g);
        list_foreach(p, &g->pods, struct agent_pod, link)
            agent_pod_kick(p);
    }
    agent_node_status_soon(g);
    net_op_end(o);
}

static void open_network(struct agent *g)
{
    if (!g->opts.network || g->network_busy || g->network_ready || !g->pod_cidr.len || g->stopping)
        return;
    struct net_op *o = net_op_new(g, run_open, end_open);
    o->cidr = arena_str(&o->arena, g->pod_cidr);
    o->ip = arena_str(&o->arena, g->node_ip);
    o->bandwidth = g->bandwidth_node;
    o->uids = arena_array(&o->arena, g->by_uid.len, str);
    list_foreach(p, &g->pods, struct agent_pod, link)
        o->uids[o->nuids++] = arena_str(&o->arena, p->uid);
    g->network_busy = true;
    g->ops++;
    work_submit(g->pool, &o->item);
}

static void on_network_timer(struct loop_timer *t)
{
    struct agent *g = container_of(t, struct agent, network_timer);
    open_network(g);
    if (g->peers_changed)
        send_peers(g);
}

/* Somebody else wrote Ready (the node was silent for too long): what was reported does not count any more. */
static void mind_ready(struct agent *g, const struct json *node)
{
    const struct json *list = json_path(node, "status", "conditions", NULL);
    str have = S("");
    for (uint32_t i = 0; json_is(list, JSON_ARRAY) && i < list->len; i++) {
        if (str_is(json_get_str(&list->items[i], S("type")), "Ready"))
            have = json_get_str(&list->items[i], S("status"));
    }
    if (str_is(have, agent_is_ready(g) ? "True" : "False"))
        return;
    if (g->status_busy) { /* whose words came first is not known: once more when the call has ended */
        g->status_again = g->status_void = true;
        return;
    }
    if (!g->status_reported)
        return;
    free(TAKE(g->status_reported));
    nsec_t now = loop_now(g->loop), at = g->status_at + RENEW_MIN_NS;
    loop_timer_set(g->loop, &g->lease_timer, now);
    loop_timer_set(g->loop, &g->status_timer, MAX(now, at));
}

/* DIR/pod-cidr: an agent that starts without a server still knows which addresses its pods may have. */
static void keep_cidr(struct agent *g)
{
    ARENA_AUTO a = ARENA_INIT;
    err_ignore(file_write_atomic(arena_fmt(&a, "%s/pod-cidr", g->opts.dir).p, g->pod_cidr, 0644, NULL), "the server says it again");
}

static void recall_cidr(struct agent *g)
{
    ARENA_AUTO a = ARENA_INIT;
    char *text;
    size_t len;
    if (g->opts.pod_cidr) {
        g->pod_cidr = str_of(g->opts.pod_cidr);
    } else if (file_read(arena_fmt(&a, "%s/pod-cidr", g->opts.dir).p, CIDR_BYTES, &text, &len, NULL) == 0) {
        g->pod_cidr = arena_str(&g->node_arena, str_trim(str_n(text, len)));
        free(text);
    }
}

static void own_node(struct agent *g, const struct json *node)
{
    mind_ready(g, node);
    str uid = json_get_str(json_get(node, S("metadata")), S("uid")), cidr = json_get_str(json_get(node, S("spec")), S("podCIDR"));
    str overcommit = json_get_str(json_path(node, "metadata", "annotations", NULL), S("cox.io/bandwidth-overcommit"));
    agent_bandwidth_noted(g, json_get_str(json_path(node, "metadata", "annotations", NULL), S(BANDWIDTH_CAPACITY)));
    if (!str_to_double(overcommit, &g->bandwidth_overcommit)) /* the scheduler says what is wrong with it */
        g->bandwidth_overcommit = 0;
    bool lending = str_is(json_get_str(json_path(node, "metadata", "annotations", NULL), S(BANDWIDTH_LENDING)), "true");
    g->bandwidth_lent_shown = json_path(node, "status", "allocatable", BANDWIDTH_LENT_EGRESS, NULL) != NULL;
    if (lending != g->bandwidth_lending) {
        g->bandwidth_lending = lending;
        agent_node_status_soon(g);
    }
    str domain = json_get_str(json_path(node, "metadata", "labels", NULL), S(DOMAIN_LABEL));
    if (!str_eq(domain, str_of(g->domain ? g->domain : ""))) {
        free(g->domain);
        g->domain = domain.len ? str_dup(domain) : NULL;
        g->links_stale = true;
    }
    if (!str_eq(uid, g->node_uid))
        g->node_uid = arena_str(&g->node_arena, uid);
    if (cidr.len && !str_eq(cidr, g->pod_cidr)) {
        g->pod_cidr = arena_str(&g->node_arena, cidr);
        g->network_ready = false;
        keep_cidr(g);
    }
    open_network(g);
}

static void peer_free(struct peer *p)
{
    free(p->name);
    free(p->ip);
    free(p->cidr);
    free(p->domain);
    free(p);
}

static void drop_peer(struct agent *g, str name)
{
    struct peer *p = map_del(&g->peers, name);
    if (!p)
        return;
    peer_free(p);
    g->peers_changed = g->links_stale = true;
}

static str internal_ip(const struct json *node)
{
    const struct json *list = json_path(node, "status", "addresses", NULL);
    for (uint32_t i = 0; json_is(list, JSON_ARRAY) && i < list->len; i++) {
        if (str_is(json_get_str(&list->items[i], S("type")), "InternalIP"))
            return json_get_str(&list->items[i], S("address"));
    }
    return S("");
}

static void other_node(struct agent *g, const struct json *node, str name)
{
    str ip = internal_ip(node), cidr = json_get_str(json_get(node, S("spec")), S("podCIDR"));
    str domain = json_get_str(json_path(node, "metadata", "labels", NULL), S(DOMAIN_LABEL));
    struct peer *old = map_get(&g->peers, name);
    if (old && str_eq(str_of(old->ip), ip) && str_eq(str_of(old->cidr), cidr) && str_eq(str_of(old->domain), domain)) {
        old->round = g->peers_round;
        return;
    }
    drop_peer(g, name);
    if (!ip.len || !cidr.len || str_eq(ip, g->node_ip)) /* simulated nodes have no address, several agents of a machine share one */
        return;
    struct peer *p = xcalloc(1, sizeof *p);
    *p = (struct peer){str_dup(name), str_dup(ip), str_dup(cidr), str_dup(domain), g->peers_round};
    map_put(&g->peers, str_of(p->name), p);
    g->peers_changed = g->links_stale = true;
}

size_t agent_domain_nets(const struct agent *g, struct arena *a, str domain, bool of_nodes, str *ret, size_t max)
{
    size_t n = 0;
    map_foreach(e, &g->peers) {
        const struct peer *p = e->value;
        struct in_addr ip;
        bool usable = of_nodes ? inet_pton(AF_INET, p->ip, &ip) == 1 : !strchr(p->cidr, ':');
        if (usable && str_eq(str_of(p->domain), domain) && n < max)
            ret[n++] = of_nodes ? arena_fmt(a, "%s/32", p->ip) : arena_str(a, str_of(p->cidr));
    }
    if (n)
        qsort(ret, n, sizeof *ret, str_cmp_void); /* the same nodes are the same list */
    return n;
}

static int by_domain(const void *a, const void *b)
{
    const struct peer *const *x = a, *const *y = b;
    int r = strcmp((*x)->domain, (*y)->domain);
    return r ? r : strcmp((*x)->name, (*y)->name);
}

size_t agent_domain_links(const struct agent *g, struct arena *a, struct agent_link **ret)
{
    const struct peer **all = arena_array(a, g->peers.len, const struct peer *);
    size_t npeers = 0, n = 0;
    map_foreach(e, &g->peers) {
        const struct peer *p = e->value;
        /* whatever a label may hold: a domain is a namespace */
        if (g->domain && strcmp(p->domain, g->domain) != 0 && !validate_dns1123_label(str_of(p->domain)))
            all[npeers++] = p;
    }
    *ret = NULL;
    if (!npeers)
        return 0;
    qsort(all, npeers, sizeof *all, by_domain);
    struct agent_link *links = arena_array(a, g->peers.len, struct agent_link);
    str *nets = arena_array(a, 2 * g->peers.len, str);
    for (size_t i = 0; i < npeers; i++, nets += 2) {
        if (!i || strcmp(all[i]->domain, all[i - 1]->domain) != 0)
            links[n++] = (struct agent_link){.domain = arena_str(a, str_of(all[i]->domain)), .nets = nets};
        nets[0] = arena_str(a, str_of(all[i]->cidr));
        nets[1] = arena_fmt(a, "%s/32", all[i]->ip);
        links[n - 1].nnets += 2;
    }
    *ret = links;
    return n;
}

static void on_node_event(struct informer *inf, struct informer_event *ev)
{
    struct agent *g = informer_owner(inf);
    str name = informer_event_name(ev);
    bool is_own = str_is(name, g->opts.node_name);
    if (ev->change == INFORMER_DELETED) {
        if (is_own) {
            g->registered = false;
            agent_node_register_later(g);
        } else {
            drop_peer(g, name);
        }
    } else {
        const struct json *node = informer_event_object(ev);
        if (node && is_own)
            own_node(g, node);
        else if (node && g->opts.network)
            other_node(g, node, name);
    }
    if (g->peers_changed && informer_is_synced(inf))
        send_peers(g);
}

static void on_nodes_begin(struct informer *inf)
{
    struct agent *g = informer_owner(inf);
    g->peers_round++;
}

/* Nodes that the list did not show went while nobody watched. */
static void on_nodes_synced(struct informer *inf)
{
    struct agent *g = informer_owner(inf);
    VEC(struct peer *) old = {0};
    map_foreach(e, &g->peers) {
        struct peer *p = e->value;
        if (p->round != g->peers_round)
            vec_push(&old, p);
    }
    for (size_t i = 0; i < old.len; i++) {
        map_del(&g->peers, str_of(old.p[i]->name));
        peer_free(old.p[i]);
        g->peers_changed = g->links_stale = true;
    }
    vec_fini(&old);
    if (g->peers_changed)
        send_peers(g);
}

void agent_nodes_start(struct agent *g)
{
    g->network_timer.fire = on_network_timer;
    recall_cidr(g);
    open_network(g);
    g->node_informer = informer_new(&(struct informer_opts){.transport = g->transport, .loop = g->loop, .path = S("/api/v1/nodes"), .begin = on_nodes_begin, .event = on_node_event, .synced = on_nodes_synced, .owner = g});
}

void agent_nodes_free(struct agent *g)
{
    map_foreach(e, &g->peers)
        peer_free(e->value);
    map_fini(&g->peers);
    free(TAKE(g->domain));
}
