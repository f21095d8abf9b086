/* Lists the flows, then deletes those that are wrong by the tuple that the kernel itself gave. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "net/conntrack.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netfilter/nfnetlink_conntrack.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "base/vec.h"
#include "net/nl.h"

#define TUPLE_MAX 256 /* bytes; an IPv4 tuple has 52 */

struct victim {
    uint16_t tuple_len;
    bool has_zone;
    unsigned char tuple[TUPLE_MAX], zone[2];
};

struct hunt {
    bool (*wrong)(const void *arg, const struct conntrack_flow *f);
    const void *arg;
    VEC(struct victim) found;
};

/* Fills what a tuple says; false: not IPv4 or cut. */
static bool read_tuple(struct nl_attr tuple, uint32_t *src, uint32_t *dst, uint16_t *dport, uint8_t *protocol)
{
    struct nl_attr t[CTA_TUPLE_MAX + 1], ip[CTA_IP_MAX + 1], proto[CTA_PROTO_MAX + 1];
    if (!tuple.p || !nl_attrs(tuple.p, tuple.len, t, CTA_TUPLE_MAX) || !t[CTA_TUPLE_IP].p || !t[CTA_TUPLE_PROTO].p ||
        !nl_attrs(t[CTA_TUPLE_IP].p, t[CTA_TUPLE_IP].len, ip, CTA_IP_MAX) || !nl_attrs(t[CTA_TUPLE_PROTO].p, t[CTA_TUPLE_PROTO].len, proto, CTA_PROTO_MAX))
        return false;
    if (ip[CTA_IP_V4_SRC].len != 4 || ip[CTA_IP_V4_DST].len != 4 || proto[CTA_PROTO_NUM].len < 1)
        return false;
    *src = ntohl(nl_attr_u32(ip[CTA_IP_V4_SRC], 0));
    *dst = ntohl(nl_attr_u32(ip[CTA_IP_V4_DST], 0));
    *protocol = proto[CTA_PROTO_NUM].p[0];
    struct nl_attr port = proto[CTA_PROTO_DST_PORT];
    *dport = port.len >= 2 ? (uint16_t)(port.p[0] << 8 | port.p[1]) : 0;
    return true;
}

static bool read_attrs(const void *payload, size_t len, struct nl_attr a[CTA_MAX + 1])
{
    struct nfgenmsg h;
    if (len < sizeof h)
        return false;
    memcpy(&h, payload, sizeof h);
    return h.nfgen_family == AF_INET && nl_attrs((const char *)payload + sizeof h, len - sizeof h, a, CTA_MAX);
}

static bool read_flow(const struct nl_attr a[CTA_MAX + 1], struct conntrack_flow *ret)
{
    uint32_t ignored;
    uint16_t port;
    uint8_t protocol;
    struct conntrack_flow f = {0};
    if (!read_tuple(a[CTA_TUPLE_ORIG], &ignored, &f.orig_dst, &f.orig_dport, &f.protocol) ||
        !read_tuple(a[CTA_TUPLE_REPLY], &f.reply_src, &ignored, &port, &protocol))
        return false;
    *ret = f;
    return true;
}

bool conntrack_read(const void *payload, size_t len, struct conntrack_flow *ret)
{
    struct nl_attr a[CTA_MAX + 1];
    return read_attrs(payload, len, a) && read_flow(a, ret);
}

static int look(void *arg, uint16_t type, const void *payload, size_t len)
{
    struct hunt *h = arg;
    struct nl_attr a[CTA_MAX + 1];
    struct conntrack_flow f;
    (void)type;
    if (h->found.len >= CONNTRACK_MAX || !read_attrs(payload, len, a) || !read_flow(a, &f) || f.protocol != IPPROTO_UDP || !h->wrong(h->arg, &f))
        return 0;
    struct nl_attr tuple = a[CTA_TUPLE_ORIG];
    if (tuple.len > TUPLE_MAX)
        return 0;
    struct victim v = {.tuple_len = (uint16_t)tuple.len, .has_zone = a[CTA_ZONE].len == 2};
    memcpy(v.tuple, tuple.p, tuple.len);
    if (v.has_zone)
        memcpy(v.zone, a[CTA_ZONE].p, 2);
    vec_push(&h->found, v);
    return 0;
}

static void start_again(void *arg)
{
    vec_clear(&((struct hunt *)arg)->found);
}

static void begin(struct nl_msg *m, uint16_t what)
{
    nl_begin(m, (uint16_t)(NFNL_SUBSYS_CTNETLINK << 8 | what), 0, &(struct nfgenmsg){.nfgen_family = AF_INET, .version = NFNETLINK_V0}, sizeof(struct nfgenmsg));
}

int conntrack_forget(bool (*wrong)(const void *arg, const struct conntrack_flow *f), const void *arg)
{
    struct nl_sock s = NL_SOCK_INIT;
    struct hunt h = {.wrong = wrong, .arg = arg};
    struct nl_msg m;
    int r = nl_open(&s, NETLINK_NETFILTER), gone = 0;
    if (r < 0)
        return r;
    begin(&m, IPCTNL_MSG_CT_GET);
    r = nl_dump(&s, &m, &(struct nl_dump){.fn = look, .restart = start_again, .arg = &h});
    for (size_t i = 0; r == 0 && i < h.found.len; i++) {
        begin(&m, IPCTNL_MSG_CT_DELETE);
        nl_put(&m, CTA_TUPLE_ORIG | NLA_F_NESTED, h.found.p[i].tuple, h.found.p[i].tuple_len);
        if (h.found.p[i].has_zone)
            nl_put(&m, CTA_ZONE, h.found.p[i].zone, 2);
        int one = nl_call(&s, &m);
        gone += one == 0;
        r = one == -ENOENT ? 0 : one; /* it ended by itself meanwhile */
    }
    vec_fini(&h.found);
    nl_close(&s);
    return r < 0 ? r : gone;
}
