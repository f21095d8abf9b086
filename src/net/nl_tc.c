/* The kernel's structures for traffic control, filled in.  Times are in its ticks of 64 ns; rates in bytes a second, beyond 32 bits in attributes of their own. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "net/nl_tc.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/gen_stats.h>
#include <linux/if_ether.h>
#include <linux/pkt_cls.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <linux/tc_act/tc_mirred.h>

#define TICK_NS 64u
#define BURST_MIN_BYTES (32u << 10) /* one large segment must not wait for tokens that never come */
#define BURST_NS 5000000u           /* a timer of a busy machine may be this late, and what was missed must be made up for */

static void begin(struct nl_msg *m, uint16_t type, uint16_t flags, int index, uint32_t handle, uint32_t parent, uint32_t info)
{
    struct tcmsg h = {.tcm_family = AF_UNSPEC, .tcm_ifindex = index, .tcm_handle = handle, .tcm_parent = parent, .tcm_info = info};
    nl_begin(m, type, flags, &h, sizeof h);
}

/* --- disciplines and classes -------------------------------------------------------------------------------------------------- */
int nl_tc_htb_put(struct nl_sock *s, int index, uint16_t default_minor)
{
    struct nl_msg m;
    struct tc_htb_glob g = {.version = 3, .rate2quantum = 10, .defcls = default_minor};
    begin(&m, RTM_NEWQDISC, NLM_F_CREATE | NLM_F_EXCL, index, NL_TC_ROOT, TC_H_ROOT, 0);
    nl_put_str(&m, TCA_KIND, "htb");
    size_t o = nl_nest(&m, TCA_OPTIONS);
    nl_put(&m, TCA_HTB_INIT, &g, sizeof g);
    nl_nest_end(&m, o);
    int r = nl_call(s, &m);
    return r == -EEXIST ? 0 : r;
}

/* The time that the burst of this rate takes, in ticks. */
static uint32_t burst_ticks(uint64_t bytes_per_s)
{
    uint64_t burst = bytes_per_s * BURST_NS / 1000000000u;
    burst = MAX(burst, (uint64_t)BURST_MIN_BYTES);
    unsigned __int128 ns = (unsigned __int128)burst * 1000000000u / bytes_per_s;
    return (uint32_t)MIN(ns / TICK_NS, (unsigned __int128)UINT32_MAX);
}

static struct tc_ratespec rate_of(uint64_t bytes_per_s)
{
    return (struct tc_ratespec){.rate = (uint32_t)MIN(bytes_per_s, (uint64_t)UINT32_MAX), .linklayer = TC_LINKLAYER_ETHERNET};
}

int nl_tc_class_put(struct nl_sock *s, int index, const struct nl_tc_class *c)
{
    struct nl_msg m;
    uint64_t rate = MAX((uint64_t)c->rate_bits / 8, 1u), ceil = MAX((uint64_t)c->ceil_bits / 8, rate);
    struct tc_htb_opt o = {.rate = rate_of(rate), .ceil = rate_of(ceil), .buffer = burst_ticks(rate), .cbuffer = burst_ticks(ceil), .quantum = c->quantum_bytes};
    begin(&m, RTM_NEWTCLASS, NLM_F_CREATE, index, NL_TC_CLASS(c->minor), c->parent ? NL_TC_CLASS(c->parent) : NL_TC_ROOT, 0);
    nl_put_str(&m, TCA_KIND, "htb");
    size_t n = nl_nest(&m, TCA_OPTIONS);
    if (rate >= UINT32_MAX)
        nl_put(&m, TCA_HTB_RATE64, &rate, sizeof rate);
    if (ceil >= UINT32_MAX)
        nl_put(&m, TCA_HTB_CEIL64, &ceil, sizeof ceil);
    nl_put(&m, TCA_HTB_PARMS, &o, sizeof o);
    nl_nest_end(&m, n);
    return nl_call(s, &m);
}

int nl_tc_class_del(struct nl_sock *s, int index, uint16_t minor)
{
    struct nl_msg m;
    begin(&m, RTM_DELTCLASS, 0, index, NL_TC_CLASS(minor), 0, 0);
    return nl_call(s, &m);
}

static int put_fifo(struct nl_sock *s, int index, uint32_t handle, uint32_t parent, uint32_t limit_bytes)
{
    struct nl_msg m;
    struct tc_fifo_qopt o = {.limit = limit_bytes};
    begin(&m, RTM_NEWQDISC, NLM_F_CREATE | NLM_F_REPLACE, index, handle, parent, 0);
    nl_put_str(&m, TCA_KIND, "bfifo");
    nl_put(&m, TCA_OPTIONS, &o, sizeof o);
    return nl_call(s, &m);
}

int nl_tc_queue_put(struct nl_sock *s, int index, uint16_t minor, uint32_t limit_bytes)
{
    return put_fifo(s, index, (uint32_t)minor << 16, NL_TC_CLASS(minor), limit_bytes);
}

int nl_tc_sink_put(struct nl_sock *s, int index)
{
    return put_fifo(s, index, NL_TC_ROOT, TC_H_ROOT, 1); /* no packet is that small */
}

static uint64_t bytes_of(struct nl_attr stats)
{
    struct nl_attr a[TCA_STATS_MAX + 1];
    struct gnet_stats_basic b = {0};
    if (stats.p && nl_attrs(stats.p, stats.len, a, TCA_STATS_MAX) && a[TCA_STATS_BASIC].p)
        memcpy(&b, a[TCA_STATS_BASIC].p, MIN(a[TCA_STATS_BASIC].len, sizeof b));
    return b.bytes;
}

static bool read_class(const void *payload, size_t len, struct nl_tc_counted *ret)
{
    struct tcmsg h;
    struct nl_attr a[TCA_MAX + 1];
    if (len < sizeof h)
        return false;
    memcpy(&h, payload, sizeof h);
    if (h.tcm_handle >> 16 != NL_TC_ROOT >> 16)
        return false;
    (void)nl_attrs((const char *)payload + NLMSG_ALIGN(sizeof h), len - MIN(len, (size_t)NLMSG_ALIGN(sizeof h)), a, TCA_MAX);
    *ret = (struct nl_tc_counted){(uint16_t)h.tcm_handle, h.tcm_parent == TC_H_ROOT, bytes_of(a[TCA_STATS2])};
    return true;
}

static int collect_class(void *arg, uint16_t type, const void *payload, size_t len)
{
    struct nl_tc_classes *l = arg;
    struct nl_tc_counted c;
    if (type != RTM_NEWTCLASS || l->len > UINT16_MAX || !read_class(payload, len, &c))
        return 0;
    if ((l->len & (l->len + 1)) == 0) /* full at 2^n - 1 */
        l->p = xrealloc(l->p, ((l->len + 1) * 2) * sizeof *l->p);
    l->p[l->len++] = c;
    return 0;
}

static void restart_classes(void *arg)
{
    ((struct nl_tc_classes *)arg)->len = 0;
}

int nl_tc_class_list(struct nl_sock *s, int index, struct nl_tc_classes *ret)
{
    struct nl_msg m;
    begin(&m, RTM_GETTCLASS, 0, index, 0, 0, 0);
    return nl_dump(s, &m, &(struct nl_dump){.fn = collect_class, .restart = restart_classes, .arg = ret});
}

static void take_class(void *arg, const void *payload, size_t len)
{
    (void)read_class(payload, len, arg);
}

int nl_tc_class_find(struct nl_sock *s, int index, uint16_t minor, struct nl_tc_counted *ret)
{
    struct nl_msg m;
    *ret = (struct nl_tc_counted){0};
    begin(&m, RTM_GETTCLASS, NLM_F_ECHO, index, NL_TC_CLASS(minor), 0, 0); /* without the flag only those who watch are told what was found */
    int r = nl_ask(s, &m, take_class, ret);
    return r == 0 && ret->minor != minor ? -EBADMSG : r;
}

/* --- clsact ------------------------------------------------------------------------------------------------------------------- */
int nl_tc_clsact_add(struct nl_sock *s, int index)
{
    struct nl_msg m;
    begin(&m, RTM_NEWQDISC, NLM_F_CREATE | NLM_F_EXCL, index, TC_H_MAKE(TC_H_CLSACT, 0), TC_H_CLSACT, 0);
    nl_put_str(&m, TCA_KIND, "clsact");
    return nl_call(s, &m);
}

int nl_tc_clsact_del(struct nl_sock *s, int index)
{
    struct nl_msg m;
    /* without its kind: an "ingress", which only has room for half of ours, has the same place */
    begin(&m, RTM_DELQDISC, 0, index, TC_H_MAKE(TC_H_CLSACT, 0), TC_H_CLSACT, 0);
    int r = nl_call(s, &m);
    return r == -EINVAL ? -ENOENT : r; /* what the kernel says where there is none */
}

/* --- filters ------------------------------------------------------------------------------------------------------------------ */
static void begin_filter(struct nl_msg *m, uint16_t type, uint16_t flags, int index, enum nl_tc_where where, enum nl_tc_protocol protocol, uint32_t handle)
{
    static const uint32_t parents[] = {
        [NL_TC_ON_HTB] = NL_TC_ROOT,
        [NL_TC_ON_ARRIVAL] = TC_H_MAKE(TC_H_CLSACT, TC_H_MIN_INGRESS),
        [NL_TC_ON_DEPARTURE] = TC_H_MAKE(TC_H_CLSACT, TC_H_MIN_EGRESS),
    };
    static const uint16_t types[] = {[NL_TC_IPV4] = ETH_P_IP, [NL_TC_IPV6] = ETH_P_IPV6, [NL_TC_TAGGED] = ETH_P_8021Q, [NL_TC_TAGGED_TWICE] = ETH_P_8021AD};
    begin(m, type, flags, index, handle, parents[where], (uint32_t)(protocol + 1) << 16 | htons(types[protocol])); /* one priority for each protocol */
    nl_put_str(m, TCA_KIND, "u32");
}

static void put_redirect(struct nl_msg *m, int to)
{
    struct tc_mirred p = {.action = TC_ACT_STOLEN, .eaction = TCA_EGRESS_REDIR, .ifindex = (uint32_t)to};
    size_t all = nl_nest(m, TCA_U32_ACT), one = nl_nest(m, 1);
    nl_put_str(m, TCA_ACT_KIND, "mirred");
    size_t o = nl_nest(m, TCA_ACT_OPTIONS);
    nl_put(m, TCA_MIRRED_PARMS, &p, sizeof p);
    nl_nest_end(m, o);
    nl_nest_end(m, one);
    nl_nest_end(m, all);
}

int nl_tc_filter_add(struct nl_sock *s, int index, const struct nl_tc_filter *f)
{
    struct nl_msg m;
    union {
        struct tc_u32_sel sel;
        char bytes[sizeof(struct tc_u32_sel) + 2 * sizeof(struct tc_u32_key)]; /* of its keys, which stand behind it */
    } sel = {.bytes = {0}};
    sel.sel.flags = f->link ? 0 : TC_U32_TERMINAL;
    sel.sel.nkeys = (unsigned char)MAX(f->nmatch, (size_t)1);
    sel.sel.keys[0].off = NL_TC_SRC; /* without a match: a mask of nothing, which every packet has */
    for (size_t i = 0; i < f->nmatch; i++)
        sel.sel.keys[i] = (struct tc_u32_key){.mask = htonl(f->match[i].mask), .val = htonl(f->match[i].ip & f->match[i].mask), .off = f->match[i].at};
    if (f->link) {
        sel.sel.hmask = htonl(0xff);
        sel.sel.hoff = f->hash_at;
    }
    begin_filter(&m, RTM_NEWTFILTER, NLM_F_CREATE | NLM_F_EXCL, index, f->where, f->protocol, f->handle);
    size_t o = nl_nest(&m, TCA_OPTIONS);
    if (!f->link)
        nl_put_u32(&m, TCA_U32_CLASSID, NL_TC_CLASS(f->minor ? f->minor : 1));
    if (f->handle & ~0xfffu)
        nl_put_u32(&m, TCA_U32_HASH, f->handle & ~0xfffu);
    if (f->link)
        nl_put_u32(&m, TCA_U32_LINK, f->link << 20);
    nl_put(&m, TCA_U32_SEL, &sel, sizeof sel.sel + sel.sel.nkeys * sizeof sel.sel.keys[0]);
    if (f->redirect)
        put_redirect(&m, f->redirect);
    nl_nest_end(&m, o);
    return nl_call(s, &m);
}

int nl_tc_filter_del(struct nl_sock *s, int index, enum nl_tc_where where, enum nl_tc_protocol protocol, uint32_t handle)
{
    struct nl_msg m;
    begin_filter(&m, RTM_DELTFILTER, 0, index, where, protocol, handle);
    return nl_call(s, &m);
}

static void look_away(void *arg, const void *payload, size_t len)
{
    (void)arg;
    (void)payload;
    (void)len;
}

int nl_tc_filter_find(struct nl_sock *s, int index, enum nl_tc_where where, enum nl_tc_protocol protocol, uint32_t handle)
{
    struct nl_msg m;
    begin_filter(&m, RTM_GETTFILTER, 0, index, where, protocol, handle);
    return nl_ask(s, &m, look_away, NULL);
}

int nl_tc_table_add(struct nl_sock *s, int index, enum nl_tc_protocol protocol, uint32_t table, uint32_t buckets)
{
    struct nl_msg m;
    begin_filter(&m, RTM_NEWTFILTER, NLM_F_CREATE | NLM_F_EXCL, index, NL_TC_ON_HTB, protocol, table << 20);
    size_t o = nl_nest(&m, TCA_OPTIONS);
    nl_put_u32(&m, TCA_U32_DIVISOR, buckets);
    nl_nest_end(&m, o);
    return nl_call(s, &m);
}
