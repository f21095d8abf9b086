/* The way to the pods of other nodes.
 *
 * vxlan: node B (192.168.1.5) with 10.42.5.0/24 has the tunnel address 10.42.5.0 and a MAC that follows from it; on node A
 *     route  10.42.5.0/24 via 10.42.5.0 dev cox-vx onlink      which packets
 *     arp    10.42.5.0 is 0a:76:0a:2a:05:00                    under which MAC
 *     fdb    0a:76:0a:2a:05:00 is behind 192.168.1.5           to which machine
 * and nothing is learnt, flooded or asked: three entries a peer, each found again by listing the device.
 * routes: 10.42.5.0/24 via 192.168.1.5, for nodes on one segment.
 * What is there is read from the kernel each time; only differences are written. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <linux/neighbour.h>
#include <stdlib.h>

#include "net/pod_net_internal.h"

#define MAC_TUNNEL 0x76

struct peer {
    struct ipam_cidr cidr;
    uint32_t node_ip;
};
struct peers {
    VEC(struct peer) all; /* by cidr.base */
};

void pod_net_mac(uint8_t kind, uint32_t ip, uint8_t mac[6])
{
    mac[0] = 0x0a; /* locally administered */
    mac[1] = kind;
    for (int i = 0; i < 4; i++)
        mac[2 + i] = (uint8_t)(ip >> (24 - 8 * i));
}

void pod_net_tunnel_mac(struct ipam_cidr cidr, uint8_t mac[6])
{
    pod_net_mac(MAC_TUNNEL, cidr.base, mac);
}

static int by_base(const void *a, const void *b)
{
    uint32_t x = ((const struct peer *)a)->cidr.base, y = ((const struct peer *)b)->cidr.base;
    return x < y ? -1 : x > y;
}

static const struct peer *find_peer(const struct peers *p, uint32_t base)
{
    struct peer key = {.cidr = {.base = base}};
    return p->all.len ? bsearch(&key, p->all.p, p->all.len, sizeof key, by_base) : NULL;
}

static const struct peer *find_mac(const struct peers *p, const struct nl_neigh *e)
{
    uint8_t mac[6];
    const struct peer *found = find_peer(p, (uint32_t)e->mac[2] << 24 | (uint32_t)e->mac[3] << 16 | (uint32_t)e->mac[4] << 8 | e->mac[5]);
    if (!found || !e->has_mac)
        return NULL;
    pod_net_tunnel_mac(found->cidr, mac);
    return memcmp(mac, e->mac, 6) == 0 ? found : NULL;
}

/* Ours and doubled CIDRs are left out (the last node that says so has it); bad ones are reported. */
static int read_peers(struct pod_net *n, const struct pod_net_peer *in, size_t count, struct peers *ret, struct err *err)
{
    int result = 0;
    for (size_t i = 0; i < count; i++) {
        struct peer p;
        bool good = ipam_cidr_parse(in[i].pod_cidr, &p.cidr) && ipam_ip_parse(in[i].node_ip, &p.node_ip) && p.cidr.prefix >= 8;
        if (good && (p.cidr.base == n->pod_cidr.base || p.node_ip == n->node_ip))
            continue;
        if (good && ipam_cidr_has(p.cidr, n->pod_cidr.base))
            good = false; /* it would take our own pods' addresses */
        if (good)
            vec_push(&ret->all, p);
        else if (result == 0)
            result = err_set(err, E_INVALID_ARG, "node \"" STR_FMT "\" has no usable address \"" STR_FMT "\" or pod CIDR \"" STR_FMT "\"", STR_ARG(in[i].name),
                             STR_ARG(in[i].node_ip), STR_ARG(in[i].pod_cidr));
    }
    if (ret->all.len)
        qsort(ret->all.p, ret->all.len, sizeof *ret->all.p, by_base);
    size_t keep = 0;
    for (size_t i = 0; i < ret->all.len; i++) {
        if (keep && ret->all.p[keep - 1].cidr.base == ret->all.p[i].cidr.base)
            keep--;
        ret->all.p[keep++] = ret->all.p[i];
    }
    ret->all.len = keep;
    return result;
}

static struct nl_route_spec route_of(const struct pod_net *n, const struct peer *p)
{
    bool tunnel = n->mode == POD_NET_VXLAN;
    return (struct nl_route_spec){.dst = p->cidr.base,
                                  .prefix = p->cidr.prefix,
                                  .gateway = tunnel ? p->cidr.base : p->node_ip,
                                  .oif = tunnel ? n->vxlan_index : 0,
                                  .onlink = tunnel,
                                  .protocol = NL_ROUTE_PROTOCOL};
}

/* The first failure is kept, the rest is done all the same: one bad peer must not cut off the others. */
static void note(int *first, int r)
{
    if (*first == 0)
        *first = r;
}

static int sync_routes(struct pod_net *n, struct nl_sock *s, const struct peers *want)
{
    struct nl_routes have = {0};
    int first = nl_route_list(s, NL_ROUTE_PROTOCOL, &have);
    bool *there CLEANUP(free) = xarray(want->all.len + 1, bool);
    for (size_t i = 0; first == 0 && i < have.all.len; i++) {
        const struct nl_route *h = &have.all.p[i];
        const struct peer *p = find_peer(want, h->dst);
        struct nl_route_spec spec = p ? route_of(n, p) : (struct nl_route_spec){0};
        if (p && h->prefix == spec.prefix && h->gateway == spec.gateway && (!spec.oif || h->oif == spec.oif))
            there[p - want->all.p] = true;
    }
    /* wanted ones first (one message replaces a route that leads elsewhere), so that no packet finds none */
    for (size_t i = 0; i < want->all.len; i++) {
        struct nl_route_spec spec = route_of(n, &want->all.p[i]);
        if (!there[i])
            note(&first, nl_route_put(s, &spec));
    }
    for (size_t i = 0; i < have.all.len; i++) {
        const struct nl_route *h = &have.all.p[i];
        const struct peer *p = find_peer(want, h->dst);
        if (!p || p->cidr.prefix != h->prefix)
            note(&first, nl_route_del(s, &(struct nl_route_spec){.dst = h->dst, .prefix = h->prefix, .protocol = NL_ROUTE_PROTOCOL}));
    }
    vec_fini(&have.all);
    return first;
}

static int sync_arp(struct pod_net *n, struct nl_sock *s, const struct peers *want)
{
    struct nl_neighs have = {0};
    int first = nl_arp_list(s, n->vxlan_index, &have);
    bool *there CLEANUP(free) = xarray(want->all.len + 1, bool);
    for (size_t i = 0; first == 0 && i < have.all.len; i++) {
        const struct nl_neigh *h = &have.all.p[i];
        const struct peer *p = find_peer(want, h->dst);
        if (p && h->state == NUD_PERMANENT && find_mac(want, h) == p)
            there[p - want->all.p] = true;
        else if (!p && h->state == NUD_PERMANENT)
            note(&first, nl_arp_del(s, n->vxlan_index, h->dst));
    }
    for (size_t i = 0; i < want->all.len; i++) {
        uint8_t mac[6];
        pod_net_tunnel_mac(want->all.p[i].cidr, mac);
        if (!there[i])
            note(&first, nl_arp_put(s, n->vxlan_index, want->all.p[i].cidr.base, mac));
    }
    vec_fini(&have.all);
    return first;
}

static int sync_fdb(struct pod_net *n, struct nl_sock *s, const struct peers *want)
{
    struct nl_neighs have = {0};
    int first = nl_fdb_list(s, n->vxlan_index, &have);
    bool *there CLEANUP(free) = xarray(want->all.len + 1, bool);
    for (size_t i = 0; first == 0 && i < have.all.len; i++) {
        const struct nl_neigh *h = &have.all.p[i];
        const struct peer *p = find_mac(want, h);
        if (p && h->dst == p->node_ip)
            there[p - want->all.p] = true;
        else if (!p && h->has_mac && h->dst)
            note(&first, nl_fdb_del(s, n->vxlan_index, h->mac, h->dst));
    }
    for (size_t i = 0; i < want->all.len; i++) {
        uint8_t mac[6];
        pod_net_tunnel_mac(want->all.p[i].cidr, mac);
        if (!there[i])
            note(&first, nl_fdb_put(s, n->vxlan_index, mac, want->all.p[i].node_ip));
    }
    vec_fini(&have.all);
    return first;
}

int pod_net_peers(struct pod_net *n, const struct pod_net_peer *in, size_t count, struct err *err)
{
    if (count > POD_NET_PEERS)
        return err_set(err, E_TOO_LARGE, "%zu nodes are more than the %u that a pod network reaches", count, POD_NET_PEERS);
    if (n->mode == POD_NET_NONE)
        return 0;
    struct peers want = {0};
    struct nl_sock s = NL_SOCK_INIT;
    pthread_mutex_lock(&n->peers_lock);
    int result = read_peers(n, in, count, &want, err);
    int r = nl_open(&s, NETLINK_ROUTE);
    if (r == 0 && n->mode == POD_NET_VXLAN) {
        /* from the machine inwards: a route must not exist before its tunnel does */
        r = sync_fdb(n, &s, &want);
        note(&r, sync_arp(n, &s, &want));
    }
    if (s.fd >= 0)
        note(&r, sync_routes(n, &s, &want));
    nl_close(&s);
    pthread_mutex_unlock(&n->peers_lock);
    vec_fini(&want.all);
    return r < 0 && result == 0 ? err_sys(err, -r, "cannot set up the way to other nodes' pods") : result;
}

int pod_net_routes_clear(struct nl_sock *s, struct err *err)
{
    struct nl_routes have = {0};
    int r = nl_route_list(s, NL_ROUTE_PROTOCOL, &have);
    for (size_t i = 0; r == 0 && i < have.all.len; i++)
        r = nl_route_del(s, &(struct nl_route_spec){.dst = have.all.p[i].dst, .prefix = have.all.p[i].prefix, .protocol = NL_ROUTE_PROTOCOL});
    vec_fini(&have.all);
    return r < 0 ? err_sys(err, -r, "cannot remove the routes to other nodes' pods") : 0;
}
