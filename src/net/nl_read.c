/* Netlink answers as values.  The bytes come from the kernel, and are read as if they did not: every length is checked. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_link.h>
#include <linux/neighbour.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>

#include "net/nl.h"

enum nl_next_result nl_next(const void *bytes, size_t len, size_t *at, struct nl_view *ret)
{
    struct nlmsghdr h;
    if (*at >= len)
        return NL_NEXT_END;
    if (len - *at < sizeof h)
        return NL_NEXT_BAD;
    memcpy(&h, (const char *)bytes + *at, sizeof h);
    if (h.nlmsg_len < sizeof h || h.nlmsg_len > len - *at)
        return NL_NEXT_BAD;
    *ret = (struct nl_view){.type = h.nlmsg_type,
                            .flags = h.nlmsg_flags,
                            .seq = h.nlmsg_seq,
                            .port = h.nlmsg_pid,
                            .payload = (const unsigned char *)bytes + *at + sizeof h,
                            .len = h.nlmsg_len - sizeof h};
    *at += MIN((size_t)NLMSG_ALIGN((size_t)h.nlmsg_len), len - *at);
    return NL_NEXT_MSG;
}

int nl_error_of(const struct nl_view *v)
{
    int32_t code;
    if (v->len < sizeof code)
        return v->type == NLMSG_DONE ? 0 : EBADMSG; /* old kernels end a dump without a code */
    memcpy(&code, v->payload, sizeof code);
    /* a dump's end may carry a positive count; INT32_MIN has no positive twin */
    return code < 0 ? code == INT32_MIN ? EBADMSG : -code : 0;
}

bool nl_attrs(const void *bytes, size_t len, struct nl_attr *ret, uint16_t max)
{
    memset(ret, 0, ((size_t)max + 1) * sizeof *ret);
    const unsigned char *p = bytes;
    while (len >= sizeof(struct nlattr)) {
        struct nlattr a;
        memcpy(&a, p, sizeof a);
        if (a.nla_len < sizeof a || a.nla_len > len)
            return false;
        uint16_t type = a.nla_type & NLA_TYPE_MASK;
        if (type <= max)
            ret[type] = (struct nl_attr){p + sizeof a, a.nla_len - sizeof a};
        size_t step = MIN((size_t)NLA_ALIGN((size_t)a.nla_len), len);
        p += step;
        len -= step;
    }
    return len == 0;
}

uint32_t nl_attr_u32(struct nl_attr a, uint32_t otherwise)
{
    uint32_t v;
    if (!a.p || a.len < sizeof v)
        return otherwise;
    memcpy(&v, a.p, sizeof v);
    return v;
}

void nl_attr_text(struct nl_attr a, char *ret, size_t room)
{
    size_t n = 0;
    while (a.p && n < a.len && n + 1 < room && a.p[n])
        n++;
    if (n)
        memcpy(ret, a.p, n);
    ret[n] = 0;
}

/* A v4 address in host order; 0 when it is none. */
static uint32_t attr_ip(struct nl_attr a)
{
    return a.len == 4 ? ntohl(nl_attr_u32(a, 0)) : 0;
}

static bool attr_mac(struct nl_attr a, uint8_t mac[6])
{
    if (!a.p || a.len != 6)
        return false;
    memcpy(mac, a.p, 6);
    return true;
}

/* Copies the fixed part; attributes follow, aligned. */
static bool split(const void *payload, size_t len, void *header, size_t header_len, struct nl_attr *attrs, uint16_t max)
{
    if (len < header_len)
        return false;
    memcpy(header, payload, header_len);
    size_t skip = MIN((size_t)NLMSG_ALIGN(header_len), len);
    return nl_attrs((const char *)payload + skip, len - skip, attrs, max);
}

static void read_linkinfo(struct nl_attr info, struct nl_link *ret)
{
    struct nl_attr a[IFLA_INFO_MAX + 1], d[IFLA_VXLAN_PORT + 1];
    if (!info.p || !nl_attrs(info.p, info.len, a, IFLA_INFO_MAX))
        return;
    nl_attr_text(a[IFLA_INFO_KIND], ret->kind, sizeof ret->kind);
    struct nl_attr data = a[IFLA_INFO_DATA];
    if (strcmp(ret->kind, "vxlan") != 0 || !data.p || !nl_attrs(data.p, data.len, d, IFLA_VXLAN_PORT))
        return;
    ret->vxlan_id = nl_attr_u32(d[IFLA_VXLAN_ID], 0);
    ret->vxlan_local = attr_ip(d[IFLA_VXLAN_LOCAL]);
    if (d[IFLA_VXLAN_PORT].len >= 2)
        ret->vxlan_port = (uint16_t)(d[IFLA_VXLAN_PORT].p[0] << 8 | d[IFLA_VXLAN_PORT].p[1]);
}

bool nl_read_link(const void *payload, size_t len, struct nl_link *ret)
{
    struct ifinfomsg h;
    struct nl_attr a[IFLA_MAX + 1];
    *ret = (struct nl_link){0};
    if (!split(payload, len, &h, sizeof h, a, IFLA_MAX))
        return false;
    ret->index = h.ifi_index;
    ret->flags = h.ifi_flags;
    ret->master = (int)nl_attr_u32(a[IFLA_MASTER], 0);
    ret->mtu = nl_attr_u32(a[IFLA_MTU], 0);
    struct rtnl_link_stats64 counters = {0};
    if (a[IFLA_STATS64].p) /* older kernels have fewer of them: the first ones are the same */
        memcpy(&counters, a[IFLA_STATS64].p, MIN(a[IFLA_STATS64].len, sizeof counters));
    ret->rx_bytes = counters.rx_bytes;
    ret->tx_bytes = counters.tx_bytes;
    nl_attr_text(a[IFLA_IFNAME], ret->name, sizeof ret->name);
    nl_attr_text(a[IFLA_IFALIAS], ret->alias, sizeof ret->alias);
    ret->has_mac = attr_mac(a[IFLA_ADDRESS], ret->mac);
    read_linkinfo(a[IFLA_LINKINFO], ret);
    return true;
}

bool nl_read_addr(const void *payload, size_t len, struct nl_addr *ret)
{
    struct ifaddrmsg h;
    struct nl_attr a[IFA_MAX + 1];
    if (!split(payload, len, &h, sizeof h, a, IFA_MAX) || h.ifa_family != AF_INET || h.ifa_prefixlen > 32)
        return false;
    /* IFA_LOCAL is ours; IFA_ADDRESS is the peer's on point-to-point links and the same elsewhere */
    *ret = (struct nl_addr){.index = (int)h.ifa_index, .ip = attr_ip(a[a[IFA_LOCAL].p ? IFA_LOCAL : IFA_ADDRESS]), .prefix = h.ifa_prefixlen};
    return true;
}

bool nl_read_route(const void *payload, size_t len, struct nl_route *ret)
{
    struct rtmsg h;
    struct nl_attr a[RTA_MAX + 1];
    if (!split(payload, len, &h, sizeof h, a, RTA_MAX) || h.rtm_family != AF_INET || h.rtm_dst_len > 32)
        return false;
    *ret = (struct nl_route){.dst = attr_ip(a[RTA_DST]),
                             .gateway = attr_ip(a[RTA_GATEWAY]),
                             .prefix = h.rtm_dst_len,
                             .protocol = h.rtm_protocol,
                             .type = h.rtm_type,
                             .scope = h.rtm_scope,
                             .table = nl_attr_u32(a[RTA_TABLE], h.rtm_table),
                             .oif = (int)nl_attr_u32(a[RTA_OIF], 0)};
    return true;
}

bool nl_read_neigh(const void *payload, size_t len, struct nl_neigh *ret)
{
    struct ndmsg h;
    struct nl_attr a[NDA_MAX + 1];
    if (!split(payload, len, &h, sizeof h, a, NDA_MAX) || (h.ndm_family != AF_INET && h.ndm_family != AF_BRIDGE))
        return false;
    *ret = (struct nl_neigh){.family = h.ndm_family,
                             .flags = h.ndm_flags,
                             .state = h.ndm_state,
                             .index = h.ndm_ifindex,
                             .master = (int)nl_attr_u32(a[NDA_MASTER], 0),
                             .dst = attr_ip(a[NDA_DST])};
    ret->has_mac = attr_mac(a[NDA_LLADDR], ret->mac);
    return true;
}
