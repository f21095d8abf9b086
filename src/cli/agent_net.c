/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/agent_net.h"

#include <arpa/inet.h>
#include <pthread.h>

#include "base/log.h"
#include "net/netns.h"
#include "net/pod_net.h"
#include "rt/file.h"

struct agent_net {
    struct agent_net_opts opts;
    struct agent_network network;
    pthread_rwlock_t lock; /* `net`: read by attach and the like, changed by open */
    struct pod_net *net;
    char cidr[64];
};

static struct pod_net_opts net_opts(const struct agent_net_opts *o, const char *pod_cidr, const char *node_ip)
{
    return (struct pod_net_opts){.bridge = o->bridge, .pod_cidr = pod_cidr, .cluster_cidr = o->cluster_cidr, .mode = o->mode, .node_ip = node_ip, .state_dir = o->state_dir};
}

static int open_net(void *arg, str pod_cidr, str node_ip, struct err *err)
{
    struct agent_net *n = arg;
    ARENA_AUTO a = ARENA_INIT;
    pthread_rwlock_wrlock(&n->lock);
    int r = file_mkdir_all(n->opts.state_dir, 0700, err);
    if (r == 0 && n->net && !str_eq(str_of(n->cidr), pod_cidr))
        pod_net_close(TAKE(n->net));
    struct pod_net_opts o = net_opts(&n->opts, arena_cstr(&a, pod_cidr), arena_cstr(&a, node_ip));
    bool was_closed = !n->net;
    if (r == 0 && !n->net && (r = pod_net_open(&o, &n->net, err)) == 0 && pod_net_degraded(n->net))
        log_warn("the pod network is limited", KV("why", "%s", pod_net_degraded(n->net)));
    if (r == 0 && n->net && was_closed && pod_net_blocked(n->net))
        log_warn("a firewall of this machine may keep pods from each other", KV("why", "%s", pod_net_blocked(n->net)));
    if (r == 0)
        snprintf(n->cidr, sizeof n->cidr, STR_FMT, STR_ARG(pod_cidr));
    pthread_rwlock_unlock(&n->lock);
    return r;
}

/* Host ports of all containers. */
static size_t read_ports(struct arena *a, const struct json *pod, struct pod_net_port **ret)
{
    const struct json *all = json_path(pod, "spec", "containers", NULL);
    size_t n = 0;
    *ret = arena_array(a, POD_NET_PORTS, struct pod_net_port);
    for (uint32_t i = 0; json_is(all, JSON_ARRAY) && i < all->len; i++) {
        const struct json *ports = json_get(&all->items[i], S("ports"));
        for (uint32_t k = 0; json_is(ports, JSON_ARRAY) && k < ports->len && n < POD_NET_PORTS; k++) {
            const struct json *p = &ports->items[k];
            struct in_addr ip = {0};
            struct pod_net_port port = {.host_port = (uint16_t)json_get_int(p, S("hostPort"), 0), .container_port = (uint16_t)json_get_int(p, S("containerPort"), 0)};
            str host = json_get_str(p, S("hostIP"));
            if (!port.host_port || !pod_net_protocol_parse(json_get_str(p, S("protocol")), &port.protocol))
                continue;
            if (host.len && inet_pton(AF_INET, arena_cstr(a, host), &ip) == 1)
                port.host_ip = ntohl(ip.s_addr);
            (*ret)[n++] = port;
        }
    }
    return n;
}

static int attach(void *arg, str uid, const char *netns, const struct json *pod, struct arena *a, str *ret_ip, struct err *err)
{
    struct agent_net *n = arg;
    char ip[IPAM_TEXT];
    int r = netns_create(netns, err);
    if (r < 0 && r != -E_EXISTS)
        return r;
    struct pod_net_attach what = {.uid = uid, .netns_path = netns, .hostname = json_get_str(json_get(pod, S("metadata")), S("name"))};
    struct pod_net_port *ports;
    what.nports = read_ports(a, pod, &ports);
    what.ports = ports;
    pthread_rwlock_rdlock(&n->lock);
    r = n->net ? pod_net_attach(n->net, &what, ip, err) : err_set(err, E_UNAVAILABLE, "the pod network is not set up yet");
    pthread_rwlock_unlock(&n->lock);
    if (r == 0)
        *ret_ip = arena_str(a, str_of(ip));
    return r;
}

static int detach(void *arg, str uid, const char *netns, struct err *err)
{
    struct agent_net *n = arg;
    pthread_rwlock_rdlock(&n->lock);
    int r = n->net ? pod_net_detach(n->net, uid, err) : 0;
    pthread_rwlock_unlock(&n->lock);
    return r < 0 ? r : netns_remove(netns, err);
}

static int collect(void *arg, const str *uids, size_t len, struct err *err)
{
    struct agent_net *n = arg;
    size_t removed;
    pthread_rwlock_rdlock(&n->lock);
    int r = n->net ? pod_net_gc(n->net, uids, len, &removed, err) : 0;
    pthread_rwlock_unlock(&n->lock);
    return r;
}

static int peers(void *arg, const struct agent_peer *all, size_t len, struct err *err)
{
    struct agent_net *n = arg;
    struct pod_net_peer *p = xcalloc(len + 1, sizeof *p);
    for (size_t i = 0; i < len; i++)
        p[i] = (struct pod_net_peer){.name = all[i].name, .node_ip = all[i].ip, .pod_cidr = all[i].pod_cidr};
    pthread_rwlock_rdlock(&n->lock);
    int r = n->net ? pod_net_peers(n->net, p, len, err) : 0;
    pthread_rwlock_unlock(&n->lock);
    free(p);
    return r;
}

static int mend(void *arg, size_t *ret_mended, struct err *err)
{
    struct agent_net *n = arg;
    pthread_rwlock_rdlock(&n->lock);
    *ret_mended = 0;
    int r = n->net ? pod_net_mend(n->net, ret_mended, err) : 0;
    pthread_rwlock_unlock(&n->lock);
    return r;
}

/* --- shares of bandwidth -------------------------------------------------------------------------------------------------------- */
static int capacity(void *arg, int64_t egress, int64_t ingress, bool *ret_mended, struct err *err)
{
    struct agent_net *n = arg;
    pthread_rwlock_rdlock(&n->lock);
    *ret_mended = false;
    int r = n->net ? pod_net_capacity(n->net, egress, ingress, ret_mended, err) : 0;
    pthread_rwlock_unlock(&n->lock);
    return r;
}

/* Ranges that cannot be read are refused: a limit that holds for part of a destination is none. */
static int read_dests(struct arena *a, const struct agent_shape *s, struct shape_dest *ret, struct err *err)
{
    for (size_t i = 0; i < s->ndests; i++) {
        struct ipam_cidr *nets = arena_array(a, s->dests[i].nnets, struct ipam_cidr);
        ret[i] = (struct shape_dest){.limit = s->dests[i].limit, .nets = nets, .nnets = s->dests[i].nnets};
        for (size_t k = 0; k < s->dests[i].nnets; k++)
            if (!ipam_cidr_parse(s->dests[i].nets[k], &nets[k]))
                return err_set(err, E_INVALID_ARG, "the destination \"" STR_FMT "\" of a bandwidth limit is no IPv4 range such as 10.42.3.0/24", STR_ARG(s->dests[i].nets[k]));
    }
    return 0;
}

static int shape(void *arg, str uid, const struct agent_shape *s, struct err *err)
{
    struct agent_net *n = arg;
    ARENA_AUTO a = ARENA_INIT;
    struct shape_dest *dests = arena_array(&a, s->ndests, struct shape_dest);
    int r = read_dests(&a, s, dests, err);
    if (r < 0)
        return r;
    struct shape_share share = {.request = {[SHAPE_OUT] = s->egress_request, [SHAPE_IN] = s->ingress_request}, .limit = {[SHAPE_OUT] = s->egress_limit, [SHAPE_IN] = s->ingress_limit},
                                .dests = dests, .ndests = s->ndests};
    pthread_rwlock_rdlock(&n->lock);
    r = n->net ? pod_net_shape(n->net, uid, &share, err) : err_set(err, E_UNAVAILABLE, "the pod network is not set up yet");
    pthread_rwlock_unlock(&n->lock);
    return r;
}

static void hand_over(struct arena *a, const struct pod_net_counter *list, size_t len, struct agent_counter **ret, size_t *ret_len)
{
    *ret = arena_array(a, len, struct agent_counter);
    *ret_len = len;
    for (size_t i = 0; i < len; i++)
        (*ret)[i] = (struct agent_counter){.uid = arena_str(a, str_of(list[i].uid)), .device = list[i].device, .out_bytes = list[i].out_bytes, .in_bytes = list[i].in_bytes};
}

static int counters(void *arg, struct arena *a, struct agent_counter **ret, size_t *ret_len, struct err *err)
{
    struct agent_net *n = arg;
    struct pod_net_counter *list CLEANUP(free) = NULL;
    size_t len = 0;
    pthread_rwlock_rdlock(&n->lock);
    int r = n->net ? pod_net_counters(n->net, &list, &len, err) : 0;
    pthread_rwlock_unlock(&n->lock);
    hand_over(a, list, len, ret, ret_len);
    return r;
}

/* --- what passes between domains ------------------------------------------------------------------------------------------------ */
/* A range that cannot be read is left out: its packets are not counted. */
static int links(void *arg, const struct agent_link *all, size_t len, struct err *err)
{
    struct agent_net *n = arg;
    ARENA_AUTO a = ARENA_INIT;
    struct pod_net_link *list = arena_array(&a, len, struct pod_net_link);
    for (size_t i = 0; i < len; i++) {
        struct ipam_cidr *nets = arena_array(&a, all[i].nnets, struct ipam_cidr);
        list[i] = (struct pod_net_link){.name = all[i].domain, .nets = nets};
        for (size_t k = 0; k < all[i].nnets; k++)
            list[i].nnets += ipam_cidr_parse(all[i].nets[k], &nets[list[i].nnets]);
    }
    pthread_rwlock_rdlock(&n->lock);
    int r = n->net ? pod_net_links(n->net, list, len, err) : 0;
    pthread_rwlock_unlock(&n->lock);
    return r;
}

static int link_counters(void *arg, struct arena *a, struct agent_counter **ret, size_t *ret_len, struct err *err)
{
    struct agent_net *n = arg;
    struct pod_net_counter *list CLEANUP(free) = NULL;
    size_t len = 0;
    pthread_rwlock_rdlock(&n->lock);
    int r = n->net ? pod_net_link_counters(n->net, &list, &len, err) : 0;
    pthread_rwlock_unlock(&n->lock);
    hand_over(a, list, len, ret, ret_len);
    return r;
}

struct agent_net *agent_net_new(const struct agent_net_opts *o)
{
    struct agent_net *n = xcalloc(1, sizeof *n);
    n->opts = *o;
    pthread_rwlock_init(&n->lock, NULL);
    n->network = (struct agent_network){.arg = n, .open = open_net, .attach = attach, .detach = detach, .collect = collect, .peers = peers,
                                          .mend = mend, .capacity = capacity, .shape = shape, .counters = counters,
                                          .links = links, .link_counters = link_counters};
    return n;
}

const struct agent_network *agent_net_network(const struct agent_net *n)
{
    return &n->network;
}

void agent_net_free(struct agent_net *n)
{
    if (!n)
        return;
    if (n->net)
        pod_net_close(n->net);
    pthread_rwlock_destroy(&n->lock);
    free(n);
}

int agent_net_remove(const struct agent_net_opts *o, struct err *err)
{
    struct pod_net_opts all = net_opts(o, NULL, NULL);
    return pod_net_remove(&all, err);
}
