/* Netlink messages as bytes, and what is made of foreign ones. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "net/nl.h"

#include <errno.h>
#include <linux/if_link.h>
#include <linux/neighbour.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "base/test.h"

TEST(a_message_as_bytes)
{
    struct nl_msg m;
    struct ifinfomsg h = {.ifi_family = AF_UNSPEC, .ifi_index = 7};
    nl_begin(&m, RTM_NEWLINK, NLM_F_CREATE, &h, sizeof h);
    T_EQ_INT(m.len, 32);
    nl_put_str(&m, IFLA_IFNAME, "cox0");
    nl_put_u8(&m, IFLA_LINKMODE, 1);
    size_t nest = nl_nest(&m, IFLA_LINKINFO);
    nl_put_str(&m, IFLA_INFO_KIND, "bridge");
    nl_nest_end(&m, nest);
    T_OK(!m.too_long);
    static const unsigned char want[] = {
        9,  0, IFLA_IFNAME, 0, 'c', 'o', 'x', '0', 0, 0, 0, 0,                      /* 4 + 5, padded to 12 */
        5,  0, IFLA_LINKMODE, 0, 1, 0, 0, 0,                                        /* 4 + 1, padded to 8 */
        16, 0, IFLA_LINKINFO, 0x80, 11, 0, IFLA_INFO_KIND, 0, 'b', 'r', 'i', 'd', 'g', 'e', 0, 0,
    };
    T_EQ_INT(m.len, 32 + sizeof want);
    T_OK(memcmp(m.bytes + 32, want, sizeof want) == 0);
    T_EQ_INT(m.bytes[4] | m.bytes[5] << 8, RTM_NEWLINK);
    T_EQ_INT(m.bytes[6] | m.bytes[7] << 8, NLM_F_REQUEST | NLM_F_CREATE);
}

TEST(a_long_message_is_not_sent)
{
    struct nl_msg m;
    char big[NL_MSG_BYTES];
    memset(big, 'x', sizeof big);
    nl_begin(&m, RTM_NEWLINK, 0, &(struct ifinfomsg){0}, sizeof(struct ifinfomsg));
    nl_put(&m, IFLA_IFALIAS, big, sizeof big);
    T_OK(m.too_long);
    struct nl_sock s = {.fd = -1};
    T_EQ_INT(nl_call(&s, &m), -EMSGSIZE);
    /* and one that fits to the byte is */
    nl_begin(&m, RTM_NEWLINK, 0, &(struct ifinfomsg){0}, sizeof(struct ifinfomsg));
    nl_put(&m, IFLA_IFALIAS, big, NL_MSG_BYTES - 32 - 4);
    T_OK(!m.too_long);
    T_EQ_INT(m.len, NL_MSG_BYTES);
    nl_put_raw(&m, big, 1);
    T_OK(m.too_long);
}

/* A message that we build can be read by what reads the kernel's. */
static const void *payload_of(struct nl_msg *m, size_t *ret_len)
{
    *ret_len = m->len - sizeof(struct nlmsghdr);
    return m->bytes + sizeof(struct nlmsghdr);
}

TEST(a_link_is_read)
{
    struct nl_msg m;
    struct ifinfomsg h = {.ifi_family = AF_UNSPEC, .ifi_index = 7, .ifi_flags = IFF_UP};
    nl_begin(&m, RTM_NEWLINK, 0, &h, sizeof h);
    nl_put_str(&m, IFLA_IFNAME, "cox-vx");
    nl_put_u32(&m, IFLA_MTU, 1450);
    nl_put_u32(&m, IFLA_MASTER, 3);
    nl_put(&m, IFLA_ADDRESS, "\x0a\x76\x0a\x2a\x03\x00", 6);
    nl_put_str(&m, IFLA_IFALIAS, "cox/cox0/u/10.42.3.7");
    size_t info = nl_nest(&m, IFLA_LINKINFO);
    nl_put_str(&m, IFLA_INFO_KIND, "vxlan");
    size_t data = nl_nest(&m, IFLA_INFO_DATA);
    nl_put_u32(&m, IFLA_VXLAN_ID, 1);
    nl_put(&m, IFLA_VXLAN_LOCAL, "\xc0\xa8\x01\x05", 4);
    nl_put_u16_be(&m, IFLA_VXLAN_PORT, 8472);
    nl_nest_end(&m, data);
    nl_nest_end(&m, info);
    size_t len;
    const void *p = payload_of(&m, &len);
    struct nl_link l;
    T_OK(nl_read_link(p, len, &l));
    T_EQ_INT(l.index, 7);
    T_EQ_INT(l.master, 3);
    T_EQ_INT(l.mtu, 1450);
    T_EQ_INT(l.flags, IFF_UP);
    T_EQ_STR(str_of(l.name), "cox-vx");
    T_EQ_STR(str_of(l.alias), "cox/cox0/u/10.42.3.7");
    T_EQ_STR(str_of(l.kind), "vxlan");
    T_OK(l.has_mac && l.mac[5] == 0 && l.mac[1] == 0x76);
    T_EQ_INT(l.vxlan_id, 1);
    T_EQ_INT(l.vxlan_local, 0xc0a80105);
    T_EQ_INT(l.vxlan_port, 8472);
    /* cut anywhere it is refused or read without the missing part, never beyond its end */
    for (size_t n = 0; n < len; n++) {
        unsigned char *exact = xmalloc(n ? n : 1);
        memcpy(exact, p, n);
        (void)nl_read_link(exact, n, &l);
        free(exact);
    }
}

TEST(names_without_an_end)
{
    struct nl_msg m;
    nl_begin(&m, RTM_NEWLINK, 0, &(struct ifinfomsg){0}, sizeof(struct ifinfomsg));
    nl_put(&m, IFLA_IFNAME, "abcdefghijklmnopqrstuvwxyz", 26);
    nl_put(&m, IFLA_MTU, "\x01", 1);      /* too short for a number */
    nl_put(&m, IFLA_ADDRESS, "\x01", 1); /* too short for a MAC */
    size_t len;
    const void *p = payload_of(&m, &len);
    struct nl_link l;
    T_OK(nl_read_link(p, len, &l));
    T_EQ_STR(str_of(l.name), "abcdefghijklmno");
    T_EQ_INT(l.mtu, 0);
    T_OK(!l.has_mac);
}

TEST(routes_neighbours_addresses)
{
    struct nl_msg m;
    size_t len;
    nl_begin(&m, RTM_NEWROUTE, 0, &(struct rtmsg){.rtm_family = AF_INET, .rtm_dst_len = 24, .rtm_table = 254, .rtm_protocol = 99}, sizeof(struct rtmsg));
    nl_put(&m, RTA_DST, "\x0a\x2a\x05\x00", 4);
    nl_put(&m, RTA_GATEWAY, "\xc0\xa8\x01\x05", 4);
    nl_put_u32(&m, RTA_OIF, 4);
    const void *p = payload_of(&m, &len);
    struct nl_route r;
    T_OK(nl_read_route(p, len, &r));
    T_EQ_INT(r.dst, 0x0a2a0500);
    T_EQ_INT(r.gateway, 0xc0a80105);
    T_EQ_INT(r.prefix, 24);
    T_EQ_INT(r.protocol, 99);
    T_EQ_INT(r.table, 254);
    T_EQ_INT(r.oif, 4);
    ((unsigned char *)m.bytes)[16] = AF_INET6;
    T_OK(!nl_read_route(p, len, &r));

    nl_begin(&m, RTM_NEWNEIGH, 0, &(struct ndmsg){.ndm_family = AF_BRIDGE, .ndm_ifindex = 4, .ndm_state = NUD_PERMANENT}, sizeof(struct ndmsg));
    nl_put(&m, NDA_LLADDR, "\x0a\x76\x0a\x2a\x05\x00", 6);
    nl_put(&m, NDA_DST, "\xc0\xa8\x01\x05", 4);
    p = payload_of(&m, &len);
    struct nl_neigh e;
    T_OK(nl_read_neigh(p, len, &e));
    T_EQ_INT(e.dst, 0xc0a80105);
    T_EQ_INT(e.index, 4);
    T_OK(e.has_mac);

    nl_begin(&m, RTM_NEWADDR, 0, &(struct ifaddrmsg){.ifa_family = AF_INET, .ifa_prefixlen = 24, .ifa_index = 2}, sizeof(struct ifaddrmsg));
    nl_put(&m, IFA_ADDRESS, "\x0a\x2a\x05\x02", 4);
    nl_put(&m, IFA_LOCAL, "\x0a\x2a\x05\x01", 4);
    p = payload_of(&m, &len);
    struct nl_addr a;
    T_OK(nl_read_addr(p, len, &a));
    T_EQ_INT(a.ip, 0x0a2a0501);
    T_EQ_INT(a.prefix, 24);
}

TEST(datagrams_are_walked)
{
    _Alignas(4) unsigned char d[64] = {0};
    struct nlmsghdr h = {.nlmsg_len = 20, .nlmsg_type = NLMSG_ERROR, .nlmsg_seq = 5};
    int32_t code = -ENOENT;
    memcpy(d, &h, sizeof h);
    memcpy(d + 16, &code, sizeof code);
    h.nlmsg_len = 17; /* not aligned: the next begins at the next multiple of four, or not at all */
    memcpy(d + 20, &h, sizeof h);
    struct nl_view v;
    size_t at = 0;
    T_EQ_INT(nl_next(d, 37, &at, &v), NL_NEXT_MSG);
    T_EQ_INT(nl_error_of(&v), ENOENT);
    T_EQ_INT(v.seq, 5);
    T_EQ_INT(nl_next(d, 37, &at, &v), NL_NEXT_MSG);
    T_EQ_INT(v.len, 1);
    T_EQ_INT(nl_error_of(&v), EBADMSG);
    T_EQ_INT(nl_next(d, 37, &at, &v), NL_NEXT_END);
    at = 0;
    T_EQ_INT(nl_next(d, 19, &at, &v), NL_NEXT_BAD);
    h.nlmsg_len = 15;
    memcpy(d, &h, sizeof h);
    at = 0;
    T_EQ_INT(nl_next(d, 64, &at, &v), NL_NEXT_BAD);
    code = INT32_MIN;
    struct nl_view odd = {.type = NLMSG_ERROR, .payload = (unsigned char *)&code, .len = 4};
    T_EQ_INT(nl_error_of(&odd), EBADMSG);
    odd = (struct nl_view){.type = NLMSG_DONE};
    T_EQ_INT(nl_error_of(&odd), 0);
}

TEST(random_bytes_are_survived)
{
    struct rng rng;
    rng_seed(&rng, 4);
    for (int i = 0; i < 20000; i++) {
        size_t len = rng_below(&rng, 120);
        unsigned char *p = xmalloc(len ? len : 1);
        for (size_t k = 0; k < len; k++)
            p[k] = (unsigned char)(rng_below(&rng, 3) ? rng_below(&rng, 20) : rng_u64(&rng));
        struct nl_link l;
        struct nl_addr a;
        struct nl_route r;
        struct nl_neigh e;
        (void)nl_read_link(p, len, &l);
        (void)nl_read_addr(p, len, &a);
        (void)nl_read_route(p, len, &r);
        (void)nl_read_neigh(p, len, &e);
        free(p);
    }
}

TEST_MAIN(a_message_as_bytes, a_long_message_is_not_sent, a_link_is_read, names_without_an_end, routes_neighbours_addresses, datagrams_are_walked,
          random_bytes_are_survived)
