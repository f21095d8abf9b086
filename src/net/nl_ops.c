/* One function for one netlink message; the order of attributes is the kernel's business, the choice of flags is explained where it is not obvious. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "net/nl_ops.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_addr.h>
#include <linux/if_bridge.h>
#include <linux/if_link.h>
#include <linux/neighbour.h>
#include <linux/rtnetlink.h>
#include <linux/veth.h>
#include <sys/socket.h>

#define SKIP_STATISTICS (1u << 3) /* RTEXT_FILTER_SKIP_STATS: a link's counters are most of its bytes */

static void put_ip(struct nl_msg *m, uint16_t type, uint32_t ip)
{
    nl_put_u32(m, type, htonl(ip));
}

static int absent_is_fine(int r)
{
    return r == -ENODEV || r == -ENOENT || r == -ESRCH || r == -EADDRNOTAVAIL ? 0 : r;
}

/* --- links --------------------------------------------------------------------------------------------------------------------- */
struct found_link {
    struct nl_link link;
    bool found;
};

static void on_link(void *arg, const void *payload, size_t len)
{
    struct found_link *f = arg;
    f->found |= nl_read_link(payload, len, &f->link);
}

int nl_link_find(struct nl_sock *s, const char *name, struct nl_link *ret)
{
    struct nl_msg m;
    nl_begin(&m, RTM_GETLINK, 0, &(struct ifinfomsg){.ifi_family = AF_UNSPEC}, sizeof(struct ifinfomsg));
    nl_put_str(&m, IFLA_IFNAME, name);
    nl_put_u32(&m, IFLA_EXT_MASK, SKIP_STATISTICS);
    struct found_link f = {0};
    int r = nl_ask(s, &m, on_link, &f);
    if (r < 0)
        return r;
    if (!f.found)
        return -ENODEV;
    *ret = f.link;
    return 0;
}

static int collect_link(void *arg, uint16_t type, const void *payload, size_t len)
{
    struct nl_links *l = arg;
    struct nl_link one;
    if (type != RTM_NEWLINK || !nl_read_link(payload, len, &one))
        return 0;
    if (l->all.len == NL_LIST_MAX)
        return -E2BIG;
    vec_push(&l->all, one);
    return 0;
}

static void restart_links(void *arg)
{
    vec_clear(&((struct nl_links *)arg)->all);
}

static int list_links(struct nl_sock *s, uint32_t mask, struct nl_links *ret)
{
    struct nl_msg m;
    nl_begin(&m, RTM_GETLINK, 0, &(struct ifinfomsg){.ifi_family = AF_UNSPEC}, sizeof(struct ifinfomsg));
    nl_put_u32(&m, IFLA_EXT_MASK, mask);
    return nl_dump(s, &m, &(struct nl_dump){.fn = collect_link, .restart = restart_links, .arg = ret});
}

int nl_link_list(struct nl_sock *s, struct nl_links *ret)
{
    return list_links(s, SKIP_STATISTICS, ret);
}

int nl_link_list_counters(struct nl_sock *s, struct nl_links *ret)
{
    return list_links(s, 0, ret);
}

static void begin_new_link(struct nl_msg *m, const char *name, uint32_t mtu, unsigned flags)
{
    struct ifinfomsg h = {.ifi_family = AF_UNSPEC, .ifi_flags = flags, .ifi_change = flags};
    nl_begin(m, RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL, &h, sizeof h);
    nl_put_str(m, IFLA_IFNAME, name);
    if (mtu)
        nl_put_u32(m, IFLA_MTU, mtu);
}

int nl_link_add_bridge(struct nl_sock *s, const char *name, const uint8_t mac[6], uint32_t mtu)
{
    struct nl_msg m;
    begin_new_link(&m, name, mtu, 0);
    /* a bridge without an address of its own takes that of its lowest port and changes it as pods come and go */
    nl_put(&m, IFLA_ADDRESS, mac, 6);
    size_t info = nl_nest(&m, IFLA_LINKINFO);
    nl_put_str(&m, IFLA_INFO_KIND, "bridge");
    nl_nest_end(&m, info);
    return nl_call(s, &m);
}

int nl_link_add_vxlan(struct nl_sock *s, const struct nl_vxlan *v)
{
    struct nl_msg m;
    begin_new_link(&m, v->name, v->mtu, 0);
    nl_put(&m, IFLA_ADDRESS, v->mac, 6);
    size_t info = nl_nest(&m, IFLA_LINKINFO);
    nl_put_str(&m, IFLA_INFO_KIND, "vxlan");
    size_t data = nl_nest(&m, IFLA_INFO_DATA);
    nl_put_u32(&m, IFLA_VXLAN_ID, v->id);
    put_ip(&m, IFLA_VXLAN_LOCAL, v->local);
    nl_put_u16_be(&m, IFLA_VXLAN_PORT, v->port);
    nl_put_u8(&m, IFLA_VXLAN_LEARNING, 0); /* who is where is told by the API, never guessed from packets */
    nl_nest_end(&m, data);
    nl_nest_end(&m, info);
    return nl_call(s, &m);
}

int nl_link_add_ifb(struct nl_sock *s, const char *name)
{
    struct nl_msg m;
    begin_new_link(&m, name, 0, IFF_UP);
    size_t info = nl_nest(&m, IFLA_LINKINFO);
    nl_put_str(&m, IFLA_INFO_KIND, "ifb");
    nl_nest_end(&m, info);
    return nl_call(s, &m);
}

int nl_link_add_veth(struct nl_sock *s, const struct nl_veth *v)
{
    struct nl_msg m;
    begin_new_link(&m, v->name, v->mtu, IFF_UP);
    nl_put_u32(&m, IFLA_MASTER, (uint32_t)v->master);
    size_t info = nl_nest(&m, IFLA_LINKINFO);
    nl_put_str(&m, IFLA_INFO_KIND, "veth");
    size_t data = nl_nest(&m, IFLA_INFO_DATA);
    size_t peer = nl_nest(&m, VETH_INFO_PEER);
    nl_put_raw(&m, &(struct ifinfomsg){.ifi_family = AF_UNSPEC}, sizeof(struct ifinfomsg));
    nl_put_str(&m, IFLA_IFNAME, v->peer_name);
    nl_put(&m, IFLA_ADDRESS, v->peer_mac, 6);
    if (v->mtu)
        nl_put_u32(&m, IFLA_MTU, v->mtu);
    nl_put_u32(&m, IFLA_NET_NS_FD, (uint32_t)v->peer_netns_fd);
    nl_nest_end(&m, peer);
    nl_nest_end(&m, data);
    nl_nest_end(&m, info);
    return nl_call(s, &m);
}

static void begin_set_link(struct nl_msg *m, int index, unsigned flags)
{
    struct ifinfomsg h = {.ifi_family = AF_UNSPEC, .ifi_index = index, .ifi_flags = flags, .ifi_change = flags};
    nl_begin(m, RTM_SETLINK, 0, &h, sizeof h);
}

int nl_link_set_up(struct nl_sock *s, int index)
{
    struct nl_msg m;
    begin_set_link(&m, index, IFF_UP);
    return nl_call(s, &m);
}

int nl_link_set_mtu(struct nl_sock *s, int index, uint32_t mtu)
{
    struct nl_msg m;
    begin_set_link(&m, index, 0);
    nl_put_u32(&m, IFLA_MTU, mtu);
    return nl_call(s, &m);
}

int nl_link_set_mac(struct nl_sock *s, int index, const uint8_t mac[6])
{
    struct nl_msg m;
    begin_set_link(&m, index, 0);
    nl_put(&m, IFLA_ADDRESS, mac, 6);
    return nl_call(s, &m);
}

int nl_link_set_alias(struct nl_sock *s, int index, const char *alias)
{
    struct nl_msg m;
    begin_set_link(&m, index, 0);
    nl_put_str(&m, IFLA_IFALIAS, alias);
    return nl_call(s, &m);
}

int nl_link_set_master(struct nl_sock *s, int index, int master)
{
    struct nl_msg m;
    begin_set_link(&m, index, 0);
    nl_put_u32(&m, IFLA_MASTER, (uint32_t)master);
    return nl_call(s, &m);
}

int nl_link_set_hairpin(struct nl_sock *s, int index)
{
    struct nl_msg m;
    struct ifinfomsg h = {.ifi_family = AF_BRIDGE, .ifi_index = index};
    nl_begin(&m, RTM_SETLINK, 0, &h, sizeof h);
    size_t port = nl_nest(&m, IFLA_PROTINFO);
    nl_put_u8(&m, IFLA_BRPORT_MODE, BRIDGE_MODE_HAIRPIN);
    nl_nest_end(&m, port);
    return nl_call(s, &m);
}

int nl_link_del(struct nl_sock *s, int index)
{
    struct nl_msg m;
    nl_begin(&m, RTM_DELLINK, 0, &(struct ifinfomsg){.ifi_family = AF_UNSPEC, .ifi_index = index}, sizeof(struct ifinfomsg));
    return absent_is_fine(nl_call(s, &m));
}

/* --- addresses ----------------------------------------------------------------------------------------------------------------- */
static int collect_addr(void *arg, uint16_t type, const void *payload, size_t len)
{
    struct nl_addrs *l = arg;
    struct nl_addr one;
    if (type != RTM_NEWADDR || !nl_read_addr(payload, len, &one))
        return 0;
    if (l->all.len == NL_LIST_MAX)
        return -E2BIG;
    vec_push(&l->all, one);
    return 0;
}

static void restart_addrs(void *arg)
{
    vec_clear(&((struct nl_addrs *)arg)->all);
}

int nl_addr_list(struct nl_sock *s, struct nl_addrs *ret)
{
    struct nl_msg m;
    nl_begin(&m, RTM_GETADDR, 0, &(struct ifaddrmsg){.ifa_family = AF_INET}, sizeof(struct ifaddrmsg));
    return nl_dump(s, &m, &(struct nl_dump){.fn = collect_addr, .restart = restart_addrs, .arg = ret});
}

static void begin_addr(struct nl_msg *m, uint16_t type, uint16_t flags, int index, uint32_t ip, uint8_t prefix)
{
    struct ifaddrmsg h = {.ifa_family = AF_INET, .ifa_prefixlen = prefix, .ifa_index = (uint32_t)index};
    nl_begin(m, type, flags, &h, sizeof h);
    put_ip(m, IFA_LOCAL, ip);
    put_ip(m, IFA_ADDRESS, ip);
}

int nl_addr_put(struct nl_sock *s, int index, uint32_t ip, uint8_t prefix)
{
    struct nl_msg m;
    begin_addr(&m, RTM_NEWADDR, NLM_F_CREATE | NLM_F_REPLACE, index, ip, prefix);
    if (prefix < 31)
        put_ip(&m, IFA_BROADCAST, ip | (uint32_t)((1ull << (32 - prefix)) - 1));
    return nl_call(s, &m);
}

int nl_addr_del(struct nl_sock *s, int index, uint32_t ip, uint8_t prefix)
{
    struct nl_msg m;
    begin_addr(&m, RTM_DELADDR, 0, index, ip, prefix);
    return absent_is_fine(nl_call(s, &m));
}

/* --- routes -------------------------------------------------------------------------------------------------------------------- */
static void begin_route(struct nl_msg *m, uint16_t type, uint16_t flags, const struct nl_route_spec *r)
{
    struct rtmsg h = {.rtm_family = AF_INET,
                      .rtm_dst_len = r->prefix,
                      .rtm_table = RT_TABLE_MAIN,
                      .rtm_protocol = r->protocol ? r->protocol : RTPROT_BOOT,
                      .rtm_scope = RT_SCOPE_UNIVERSE,
                      .rtm_type = RTN_UNICAST,
                      .rtm_flags = r->onlink ? RTNH_F_ONLINK : 0};
    nl_begin(m, type, flags, &h, sizeof h);
    if (r->prefix)
        put_ip(m, RTA_DST, r->dst);
    if (r->gateway)
        put_ip(m, RTA_GATEWAY, r->gateway);
    if (r->oif)
        nl_put_u32(m, RTA_OIF, (uint32_t)r->oif);
}

int nl_route_put(struct nl_sock *s, const struct nl_route_spec *r)
{
    struct nl_msg m;
    begin_route(&m, RTM_NEWROUTE, NLM_F_CREATE | NLM_F_REPLACE, r);
    return nl_call(s, &m);
}

int nl_route_del(struct nl_sock *s, const struct nl_route_spec *r)
{
    struct nl_msg m;
    begin_route(&m, RTM_DELROUTE, 0, r);
    return absent_is_fine(nl_call(s, &m));
}

static int collect_route(void *arg, uint16_t type, const void *payload, size_t len)
{
    struct nl_routes *l = arg;
    struct nl_route one;
    if (type != RTM_NEWROUTE || !nl_read_route(payload, len, &one) || one.table != RT_TABLE_MAIN)
        return 0;
    if (l->all.len == NL_LIST_MAX)
        return -E2BIG;
    vec_push(&l->all, one);
    return 0;
}

static void restart_routes(void *arg)
{
    vec_clear(&((struct nl_routes *)arg)->all);
}

int nl_route_list(struct nl_sock *s, uint8_t protocol, struct nl_routes *ret)
{
    struct nl_msg m;
    struct rtmsg h = {.rtm_family = AF_INET, .rtm_table = RT_TABLE_MAIN, .rtm_protocol = protocol};
    nl_begin(&m, RTM_GETROUTE, 0, &h, sizeof h);
    int r = nl_dump(s, &m, &(struct nl_dump){.fn = collect_route, .restart = restart_routes, .arg = ret});
    /* kernels before 4.20 do not filter */
    for (size_t i = 0; r == 0 && protocol && i < ret->all.len;) {
        if (ret->all.p[i].protocol != protocol)
            vec_remove_swap(&ret->all, i);
        else
            i++;
    }
    return r;
}

/* --- neighbours ---------------------------------------------------------------------------------------------------------------- */
static void begin_neigh(struct nl_msg *m, uint16_t type, uint16_t flags, const struct ndmsg *h, const uint8_t *mac, uint32_t ip)
{
    nl_begin(m, type, flags, h, sizeof *h);
    if (ip)
        put_ip(m, NDA_DST, ip);
    if (mac)
        nl_put(m, NDA_LLADDR, mac, 6);
}

static struct ndmsg arp_header(int index)
{
    return (struct ndmsg){.ndm_family = AF_INET, .ndm_ifindex = index, .ndm_state = NUD_PERMANENT, .ndm_type = RTN_UNICAST};
}

/* NTF_SELF: the entry is the vxlan device's own, not one of a bridge that it may be a port of. */
static struct ndmsg fdb_header(int index)
{
    return (struct ndmsg){.ndm_family = AF_BRIDGE, .ndm_ifindex = index, .ndm_state = NUD_PERMANENT | NUD_NOARP, .ndm_flags = NTF_SELF};
}

int nl_arp_put(struct nl_sock *s, int index, uint32_t ip, const uint8_t mac[6])
{
    struct nl_msg m;
    struct ndmsg h = arp_header(index);
    begin_neigh(&m, RTM_NEWNEIGH, NLM_F_CREATE | NLM_F_REPLACE, &h, mac, ip);
    return nl_call(s, &m);
}

int nl_arp_del(struct nl_sock *s, int index, uint32_t ip)
{
    struct nl_msg m;
    struct ndmsg h = arp_header(index);
    begin_neigh(&m, RTM_DELNEIGH, 0, &h, NULL, ip);
    return absent_is_fine(nl_call(s, &m));
}

int nl_fdb_put(struct nl_sock *s, int index, const uint8_t mac[6], uint32_t machine_ip)
{
    struct nl_msg m;
    struct ndmsg h = fdb_header(index);
    begin_neigh(&m, RTM_NEWNEIGH, NLM_F_CREATE | NLM_F_REPLACE, &h, mac, machine_ip);
    return nl_call(s, &m);
}

int nl_fdb_del(struct nl_sock *s, int index, const uint8_t mac[6], uint32_t machine_ip)
{
    struct nl_msg m;
    struct ndmsg h = fdb_header(index);
    begin_neigh(&m, RTM_DELNEIGH, 0, &h, mac, machine_ip);
    return absent_is_fine(nl_call(s, &m));
}

struct neigh_want {
    struct nl_neighs *into;
    int index;
};

static int collect_neigh(void *arg, uint16_t type, const void *payload, size_t len)
{
    struct neigh_want *w = arg;
    struct nl_neigh one;
    if (type != RTM_NEWNEIGH || !nl_read_neigh(payload, len, &one) || one.index != w->index)
        return 0;
    if (w->into->all.len == NL_LIST_MAX)
        return -E2BIG;
    vec_push(&w->into->all, one);
    return 0;
}

static void restart_neighs(void *arg)
{
    vec_clear(&((struct neigh_want *)arg)->into->all);
}

static int list_neighs(struct nl_sock *s, uint8_t family, int index, struct nl_neighs *ret)
{
    struct nl_msg m;
    /* the two families filter by device in different places; without the filter the answer is only longer */
    nl_begin(&m, RTM_GETNEIGH, 0, &(struct ndmsg){.ndm_family = family, .ndm_ifindex = family == AF_BRIDGE ? index : 0}, sizeof(struct ndmsg));
    if (family == AF_INET)
        nl_put_u32(&m, NDA_IFINDEX, (uint32_t)index);
    struct neigh_want w = {.into = ret, .index = index};
    return nl_dump(s, &m, &(struct nl_dump){.fn = collect_neigh, .restart = restart_neighs, .arg = &w});
}

int nl_arp_list(struct nl_sock *s, int index, struct nl_neighs *ret)
{
    return list_neighs(s, AF_INET, index, ret);
}

int nl_fdb_list(struct nl_sock *s, int index, struct nl_neighs *ret)
{
    return list_neighs(s, AF_BRIDGE, index, ret);
}
