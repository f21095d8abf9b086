/* Numbers that follow from a pod's offset k in the node's range:
 *
 *     classes   k << 4        the pod: rate and ceil       u32   table 0x10, bucket k & 255
 *               k << 4 | 1    what is to nowhere special         node (k >> 8) << 8 | 255: the address   -> k << 4 | 1
 *               k << 4 | 2..  one for each destination           node (k >> 8) << 8 | 1..: and a range   -> k << 4 | 2..
 *               k << 4 | 15   the node itself, beside 1:1: of a pod with a limit (of one with SHAPE_DESTS destinations it is the last of them)
 *                                                          u32   table 0x11, the same by the MAC, which ends with the address: IPv6 -> k << 4 | 1
 *
 * Minors 1 (the node) and 2 (pods without a share) are k = 0, the network's own address. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "net/shape.h"

#include <errno.h>
#include <stdlib.h>

#include "net/nl_ops.h"
#include "net/nl_tc.h"

#define NODE_CLASS 1
#define REST_CLASS 2
#define NODE_LEAF 15u                /* of a pod */
#define LEAVES_END 16u
#define TABLE 0x10u
#define TABLE_IPV6 0x11u
#define BUCKETS 256u
#define LAST_NODE 255u
#define QUANTUM_BYTES 60000u        /* one large segment in a turn: what is lent is lent in equal parts */
#define RATE_MIN_BITS 64000         /* of those who asked for nothing: they must not starve, */
#define RATE_MIN_PART 2000          /* and have no more than this part of what all have: a hundred of them are a twentieth, which the system's part covers */
#define RATE_PART_BITS 8            /* of a destination, and of the rest beside it: they share what is the pod's.  What a class has of its own it may send whatever its parent's ceiling says */
#define QUEUE_MIN_BYTES (256u << 10) /* four large segments: with fewer TCP loses more than it should */
#define QUEUE_MAX_BYTES (16u << 20)
#define QUEUE_RATE_PER_S 20         /* a full queue is 50 ms of what is promised, */
#define QUEUE_CEIL_PER_S 50         /* or 20 ms of what may be borrowed: enough to reach it, and no second of waiting when nothing can be */
#define NAME_BYTES 10
#define PASS_NODE 1                 /* filters of a pod's link */
#define LEAD_NODE 2
#define SINK_NODE 3

static const int8_t own_address[] = {[SHAPE_OUT] = NL_TC_SRC, [SHAPE_IN] = NL_TC_DST};
static const int8_t own_mac[] = {[SHAPE_OUT] = NL_TC_MAC_SRC, [SHAPE_IN] = NL_TC_MAC_DST};
static const int8_t other_address[] = {[SHAPE_OUT] = NL_TC_DST, [SHAPE_IN] = NL_TC_SRC};
/* what leaves the pod arrives at the node's end of its link */
static const enum nl_tc_where place_on_link[] = {[SHAPE_OUT] = NL_TC_ON_ARRIVAL, [SHAPE_IN] = NL_TC_ON_DEPARTURE};

static int there_is_fine(int r)
{
    return r == -EEXIST || r == -ENOSPC ? 0 : r; /* the latter where the number of the table is not ours to choose: the kernel finds the filter's number taken */
}

static int absent_is_fine(int r)
{
    return r == -ENOENT || r == -ENODEV || r == -EINVAL ? 0 : r;
}

/* --- devices ------------------------------------------------------------------------------------------------------------------ */
void shape_device_name(const char *bridge, enum shape_direction d, char ret[IFNAMSIZ])
{
    static const char *const ends[] = {[SHAPE_OUT] = "out", [SHAPE_IN] = "in", [SHAPE_SINK] = "no"};
    const char *end = ends[d];
    if (strlen(bridge) <= NAME_BYTES)
        snprintf(ret, IFNAMSIZ, "%s-%s", bridge, end);
    else
        snprintf(ret, IFNAMSIZ, "%.4s%06x-%s", bridge, (unsigned)(str_hash(str_of(bridge)) & 0xffffff), end);
}

static int64_t least_rate(int64_t total)
{
    return MAX(MIN((int64_t)RATE_MIN_BITS, total / RATE_MIN_PART), (int64_t)RATE_PART_BITS);
}

static uint32_t queue_bytes(int64_t rate, int64_t ceil)
{
    int64_t bytes = MAX(rate / 8 / QUEUE_RATE_PER_S, ceil / 8 / QUEUE_CEIL_PER_S);
    return (uint32_t)MIN(MAX(bytes, (int64_t)QUEUE_MIN_BYTES), (int64_t)QUEUE_MAX_BYTES);
}

static int put_node_classes(struct nl_sock *s, const struct shape_tree *t, enum shape_direction d)
{
    int64_t total = MAX(t->total[d], (int64_t)RATE_MIN_BITS), least = least_rate(total);
    struct nl_tc_class node = {.minor = NODE_CLASS, .rate_bits = total, .ceil_bits = total, .quantum_bytes = QUANTUM_BYTES};
    struct nl_tc_class rest = {.minor = REST_CLASS, .parent = NODE_CLASS, .rate_bits = least, .ceil_bits = total, .quantum_bytes = QUANTUM_BYTES};
    int r = nl_tc_class_put(s, t->index[d], &node);
    if (r == 0)
        r = nl_tc_class_put(s, t->index[d], &rest);
    return r == 0 ? nl_tc_queue_put(s, t->index[d], REST_CLASS, queue_bytes(least, total)) : r;
}

static int setup_device(struct nl_sock *s, const struct shape_tree *t, enum shape_direction d)
{
    int r = nl_tc_htb_put(s, t->index[d], REST_CLASS);
    const struct nl_tc_filter to_table[] = {
        {.where = NL_TC_ON_HTB, .handle = NL_TC_FILTER(NL_TC_TABLE_ROOT, 0, 1), .link = TABLE, .hash_at = own_address[d]},
        {.where = NL_TC_ON_HTB, .protocol = NL_TC_IPV6, .handle = NL_TC_FILTER(0, 0, 1), .link = TABLE_IPV6, .hash_at = own_mac[d]},
    };
    for (size_t i = 0; i < ARRAY_LEN(to_table) && r == 0; i++) {
        r = there_is_fine(nl_tc_table_add(s, t->index[d], to_table[i].protocol, to_table[i].link, BUCKETS));
        if (r == 0)
            r = there_is_fine(nl_tc_filter_add(s, t->index[d], &to_table[i]));
    }
    return r;
}

static int find_device(struct nl_sock *s, const char *name, const char *alias, int *ret_index, bool *ret_new)
{
    struct nl_link l;
    int r = nl_link_find(s, name, &l);
    if (r == 0 && strcmp(l.kind, "ifb") != 0)
        return -EEXIST;
    if (r == -ENODEV) {
        r = there_is_fine(nl_link_add_ifb(s, name));
        r = r == 0 ? nl_link_find(s, name, &l) : r;
        *ret_new = true;
    }
    if (r == 0 && strcmp(l.alias, alias) != 0)
        r = nl_link_set_alias(s, l.index, alias);
    if (r == 0 && !(l.flags & IFF_UP))
        r = nl_link_set_up(s, l.index);
    *ret_index = r == 0 ? l.index : 0;
    return r;
}

static int open_devices(struct nl_sock *s, const char *bridge, const char *alias, struct shape_tree *t, bool *ret_new)
{
    for (int d = 0; d < SHAPE_DEVICES; d++) {
        char name[IFNAMSIZ];
        shape_device_name(bridge, d, name);
        int r = find_device(s, name, alias, d == SHAPE_SINK ? &t->sink : &t->index[d], ret_new);
        if (r == 0)
            r = d == SHAPE_SINK ? nl_tc_sink_put(s, t->sink) : setup_device(s, t, d);
        if (r == 0 && d != SHAPE_SINK)
            r = put_node_classes(s, t, d);
        if (r < 0)
            return r == -ENOENT || r == -ENOTSUP ? -EOPNOTSUPP : r; /* ENOENT: no such kind of discipline or filter */
    }
    return 0;
}

int shape_open(struct nl_sock *s, const char *bridge, const char *alias, struct shape_tree *t, bool *ret_new)
{
    bool is_new = false;
    int r = open_devices(s, bridge, alias, t, &is_new);
    if (r < 0 && r != -EEXIST && shape_remove(s, bridge) == 0) /* somebody gave them other disciplines: what hangs on ours has no place there */
        r = open_devices(s, bridge, alias, t, &is_new);
    *ret_new = is_new;
    return r;
}

int shape_remove(struct nl_sock *s, const char *bridge)
{
    int first = 0;
    for (int d = 0; d < SHAPE_DEVICES; d++) {
        char name[IFNAMSIZ];
        struct nl_link l;
        shape_device_name(bridge, d, name);
        int r = nl_link_find(s, name, &l);
        if (r == 0 && strcmp(l.kind, "ifb") == 0)
            r = nl_link_del(s, l.index);
        first = first || r == -ENODEV ? first : r;
    }
    return first;
}

int shape_total(struct nl_sock *s, const struct shape_tree *t)
{
    int r = 0;
    for (int d = 0; d < SHAPE_DIRECTIONS && r == 0; d++)
        r = put_node_classes(s, t, d);
    return r;
}

/* --- pods --------------------------------------------------------------------------------------------------------------------- */
static bool offset_of(const struct shape_tree *t, uint32_t ip, uint32_t *ret)
{
    uint32_t k = ip - t->pods.base;
    *ret = k;
    return ipam_cidr_has(t->pods, ip) && k > 0 && k < SHAPE_PODS;
}

static uint32_t filter_of(uint32_t k, uint32_t node)
{
    return NL_TC_FILTER(TABLE, k & (BUCKETS - 1), (k >> 8) << 8 | node);
}

static uint32_t filter_ipv6_of(uint32_t k)
{
    return NL_TC_FILTER(TABLE_IPV6, k & (BUCKETS - 1), (k >> 8) << 8 | LAST_NODE);
}

/* Filters to destinations are a row without gaps: it grows and shrinks at its end, so that a call that is cut off leaves none.  Of those that are there the last is looked for by halves. */
static int clear_dest_filters(struct nl_sock *s, int index, uint32_t k)
{
    uint32_t there = 0, gone = LAST_NODE;
    int r = 0;
    while (gone - there > 1 && r == 0) {
        uint32_t middle = there == 0 ? 1 : (there + gone) / 2; /* most pods have none */
        r = nl_tc_filter_find(s, index, NL_TC_ON_HTB, NL_TC_IPV4, filter_of(k, middle));
        *(r == 0 ? &there : &gone) = middle;
        r = absent_is_fine(r);
    }
    for (; there > 0 && r == 0; there--)
        r = absent_is_fine(nl_tc_filter_del(s, index, NL_TC_ON_HTB, NL_TC_IPV4, filter_of(k, there)));
    return r;
}

/* All of them, those behind a gap, too: whoever did this before may have been cut off. */
static int clear_classes(struct nl_sock *s, int index, uint32_t k, uint32_t from, uint32_t end)
{
    int r = 0;
    for (uint32_t i = end; i-- > from && r == 0;)
        r = absent_is_fine(nl_tc_class_del(s, index, (uint16_t)(k << 4 | i)));
    return r;
}

/* promised: to all of the pod.  total: more than this it can never have, whatever its ceiling. */
static int put_leaf(struct nl_sock *s, int index, struct nl_tc_class c, int64_t promised, int64_t total)
{
    c.quantum_bytes = QUANTUM_BYTES;
    int r = nl_tc_class_put(s, index, &c);
    return r == 0 ? nl_tc_queue_put(s, index, c.minor, queue_bytes(MIN(promised, c.ceil_bits), MIN(c.ceil_bits, total))) : r;
}

struct range {
    struct ipam_cidr net;
    int64_t limit;
    uint16_t minor;
};

/* The kernel asks filters in the order of their numbers, and the first that fits decides: the narrower range, of the same range the lower limit. */
static int by_width(const void *a, const void *b)
{
    const struct range *x = a, *y = b;
    if (x->net.prefix != y->net.prefix)
        return (int)y->net.prefix - (int)x->net.prefix;
    if (x->limit != y->limit)
        return x->limit < y->limit ? -1 : 1;
    return x->net.base == y->net.base ? (int)x->minor - (int)y->minor : x->net.base < y->net.base ? -1 : 1;
}

static int put_ranges(struct nl_sock *s, enum shape_direction d, int index, uint32_t k, uint32_t ip, struct range *ranges, uint32_t n)
{
    int r = 0;
    if (n)
        qsort(ranges, n, sizeof *ranges, by_width);
    for (uint32_t i = 0; i < n && r == 0; i++) {
        struct nl_tc_filter f = {.where = NL_TC_ON_HTB, .handle = filter_of(k, i + 1), .minor = ranges[i].minor, .nmatch = 2,
                                 .match = {{own_address[d], ip, UINT32_MAX}, {other_address[d], ranges[i].net.base, ipam_mask(ranges[i].net.prefix)}}};
        r = nl_tc_filter_add(s, index, &f);
    }
    return r;
}

static bool has_node_leaf(const struct shape_tree *t, const struct shape_share *share)
{
    return t->node && shape_is_limited(share) && share->ndests < SHAPE_DESTS;
}

/* The last leaf is the node's, beside the pod, or a destination's, below it; the kernel never gives a class another parent.  One that stays what it is keeps its queue and its bytes. */
static int clear_last_leaf(struct nl_sock *s, const struct shape_tree *t, int index, uint32_t k, const struct shape_share *share, bool *lost)
{
    uint16_t minor = (uint16_t)(k << 4 | NODE_LEAF);
    struct nl_tc_counted there;
    int r = nl_tc_class_find(s, index, minor, &there);
    if (r == 0 && !(there.is_top ? has_node_leaf(t, share) : share->ndests == SHAPE_DESTS)) {
        r = nl_tc_class_del(s, index, minor);
        *lost |= r == 0 && there.is_top;
    }
    return absent_is_fine(r);
}

static int put_dests(struct nl_sock *s, const struct shape_tree *t, enum shape_direction d, uint32_t k, uint32_t ip, const struct shape_share *share, int64_t ceil)
{
    struct range ranges[SHAPE_NETS + 1];
    int index = t->index[d], r = 0;
    uint32_t n = 0;
    for (size_t i = 0; i < share->ndests && r == 0; i++) {
        const struct shape_dest *to = &share->dests[i];
        uint16_t minor = (uint16_t)(k << 4 | (i + 2));
        r = put_leaf(s, index, (struct nl_tc_class){minor, (uint16_t)(k << 4), .rate_bits = RATE_PART_BITS, .ceil_bits = MIN(ceil, to->limit)}, 0, t->total[d]);
        for (size_t j = 0; j < to->nnets; j++)
            ranges[n++] = (struct range){to->nets[j], to->limit, minor};
    }
    if (r == 0 && has_node_leaf(t, share)) {
        uint16_t minor = (uint16_t)(k << 4 | NODE_LEAF);
        ranges[n++] = (struct range){{t->node, 32}, ceil, minor};
        r = put_leaf(s, index, (struct nl_tc_class){minor, .rate_bits = ceil, .ceil_bits = ceil}, ceil, t->total[d]);
    }
    return r == 0 ? put_ranges(s, d, index, k, ip, ranges, n) : r;
}

static int put_pod_class(struct nl_sock *s, int index, const struct nl_tc_class *c, bool *made)
{
    struct nl_tc_counted before;
    int was = nl_tc_class_find(s, index, c->minor, &before), r = nl_tc_class_put(s, index, c);
    *made |= r == 0 && was < 0;
    return r;
}

static int put_direction(struct nl_sock *s, const struct shape_tree *t, enum shape_direction d, uint32_t k, uint32_t ip, const struct shape_share *share, bool *anew)
{
    int index = t->index[d];
    /* A limit above what the node has is that of somebody who does not know the node: traffic inside of it may use it. */
    int64_t ceil = share->limit[d] ? share->limit[d] : MAX(t->total[d], (int64_t)RATE_MIN_BITS), rate = MAX(MIN(share->request[d], ceil), MIN(least_rate(t->total[d]), ceil));
    struct nl_tc_class pod = {.minor = (uint16_t)(k << 4), .parent = NODE_CLASS, .rate_bits = rate, .ceil_bits = ceil, .quantum_bytes = QUANTUM_BYTES};
    struct nl_tc_filter whole = {.where = NL_TC_ON_HTB, .handle = filter_of(k, LAST_NODE), .minor = (uint16_t)(k << 4 | 1), .nmatch = 1, .match = {{own_address[d], ip, UINT32_MAX}}};
    /* the network gives pods no IPv6 addresses, but every link has one of its own */
    struct nl_tc_filter ipv6 = {.where = NL_TC_ON_HTB, .protocol = NL_TC_IPV6, .handle = filter_ipv6_of(k), .minor = (uint16_t)(k << 4 | 1), .nmatch = 1, .match = {{own_mac[d], ip, UINT32_MAX}}};
    int r = clear_dest_filters(s, index, k);
    if (r == 0)
        r = put_pod_class(s, index, &pod, anew);
    if (r == 0)
        r = put_leaf(s, index, (struct nl_tc_class){(uint16_t)(k << 4 | 1), (uint16_t)(k << 4), .rate_bits = share->ndests ? RATE_PART_BITS : rate, .ceil_bits = ceil}, rate, t->total[d]);
    if (r == 0)
        r = clear_last_leaf(s, t, index, k, share, anew);
    if (r == 0)
        r = put_dests(s, t, d, k, ip, share, ceil);
    if (r == 0)
        r = clear_classes(s, index, k, (uint32_t)share->ndests + 2, NODE_LEAF);
    if (r == 0)
        r = there_is_fine(nl_tc_filter_add(s, index, &whole));
    return r == 0 ? there_is_fine(nl_tc_filter_add(s, index, &ipv6)) : r;
}

int shape_put(struct nl_sock *s, const struct shape_tree *t, uint32_t ip, const struct shape_share *share, bool *ret_anew)
{
    uint32_t k;
    size_t nets = 0;
    *ret_anew = false;
    for (size_t i = 0; i < share->ndests; i++)
        nets += share->dests[i].nnets;
    if (!offset_of(t, ip, &k) || share->ndests > SHAPE_DESTS || nets > SHAPE_NETS)
        return -E2BIG;
    int r = 0;
    for (int d = 0; d < SHAPE_DIRECTIONS && r == 0; d++) {
        bool anew = false;
        r = put_direction(s, t, d, k, ip, share, &anew);
        *ret_anew |= anew && d == SHAPE_OUT; /* the direction that is counted */
    }
    return r;
}

static int del_offset(struct nl_sock *s, int index, uint32_t k)
{
    int r = clear_dest_filters(s, index, k);
    if (r == 0)
        r = absent_is_fine(nl_tc_filter_del(s, index, NL_TC_ON_HTB, NL_TC_IPV4, filter_of(k, LAST_NODE)));
    if (r == 0)
        r = absent_is_fine(nl_tc_filter_del(s, index, NL_TC_ON_HTB, NL_TC_IPV6, filter_ipv6_of(k)));
    if (r == 0)
        r = clear_classes(s, index, k, 1, LEAVES_END);
    return r == 0 ? absent_is_fine(nl_tc_class_del(s, index, (uint16_t)(k << 4))) : r;
}

int shape_del(struct nl_sock *s, const struct shape_tree *t, uint32_t ip)
{
    uint32_t k;
    int r = 0;
    if (!offset_of(t, ip, &k))
        return 0;
    for (int d = 0; d < SHAPE_DIRECTIONS && r == 0; d++)
        r = del_offset(s, t->index[d], k);
    return r;
}

int shape_keep(struct nl_sock *s, const struct shape_tree *t, const uint32_t *ips, size_t n)
{
    bool *keep CLEANUP(free) = xcalloc(SHAPE_PODS, sizeof *keep);
    int r = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t k;
        if (offset_of(t, ips[i], &k))
            keep[k] = true;
    }
    keep[0] = true;
    for (int d = 0; d < SHAPE_DIRECTIONS && r == 0; d++) {
        struct nl_tc_classes all = {0};
        r = nl_tc_class_list(s, t->index[d], &all);
        for (size_t i = 0; i < all.len && r == 0; i++) {
            uint32_t k = all.p[i].minor >> 4;
            if (keep[k])
                continue;
            r = del_offset(s, t->index[d], k); /* its other classes come by again and are gone then, which is fine */
        }
        free(all.p);
    }
    return r;
}

int shape_passed(struct nl_sock *s, const struct shape_tree *t, const uint32_t *ips, size_t n, uint64_t *ret)
{
    uint64_t *bytes CLEANUP(free) = xcalloc(SHAPE_PODS, sizeof *bytes);
    struct nl_tc_classes all = {0};
    int r = nl_tc_class_list(s, t->index[SHAPE_OUT], &all);
    for (size_t i = 0; i < all.len && r == 0; i++) {
        const struct nl_tc_counted *c = &all.p[i];
        if ((c->minor & 15) == 0 || (c->is_top && (c->minor & 15) == NODE_LEAF)) /* the pod has the sum of its leaves, and beside it stands the node */
            bytes[c->minor >> 4] += c->bytes;
    }
    free(all.p);
    for (size_t i = 0; i < n && r == 0; i++) {
        uint32_t k;
        ret[i] = offset_of(t, ips[i], &k) ? bytes[k] : 0;
    }
    return r;
}

/* --- links -------------------------------------------------------------------------------------------------------------------- */
/* What leaves the pod must be its own, what comes to it is whatever the network brings.  A tagged frame would pass by in both directions, and who gets one takes the packet in it
 * as its own when the tag is of no VLAN. */
static int lead_direction(struct nl_sock *s, const struct shape_tree *t, enum shape_direction d, int link, uint32_t ip, bool all)
{
    struct nl_tc_filter own = {.where = place_on_link[d], .handle = NL_TC_FILTER(0, 0, LEAD_NODE), .redirect = t->index[d]}, own6 = own, pass;
    struct nl_tc_filter sink = {.where = place_on_link[d], .handle = NL_TC_FILTER(0, 0, SINK_NODE), .redirect = t->sink};
    if (d == SHAPE_OUT) {
        own.nmatch = own6.nmatch = 1;
        own.match[0] = (struct nl_tc_match){own_address[d], ip, UINT32_MAX};
        own6.match[0] = (struct nl_tc_match){own_mac[d], ip, UINT32_MAX};
    }
    pass = own;
    pass.handle = NL_TC_FILTER(0, 0, PASS_NODE);
    pass.redirect = 0;
    pass.match[pass.nmatch++] = (struct nl_tc_match){other_address[d], t->pods.base, ipam_mask(t->pods.prefix)};
    own6.protocol = NL_TC_IPV6;
    int r = all ? 0 : nl_tc_filter_add(s, link, &pass);
    if (r == 0)
        r = nl_tc_filter_add(s, link, &own);
    if (r == 0)
        r = nl_tc_filter_add(s, link, &own6);
    for (enum nl_tc_protocol p = d == SHAPE_OUT ? NL_TC_IPV4 : NL_TC_TAGGED; p <= NL_TC_TAGGED_TWICE && r == 0; p++) {
        sink.protocol = p;
        r = nl_tc_filter_add(s, link, &sink);
    }
    return r;
}

int shape_lead(struct nl_sock *s, const struct shape_tree *t, int link, uint32_t ip, bool all)
{
    int r = absent_is_fine(nl_tc_clsact_del(s, link)); /* all filters at once; between here and the end packets pass unshaped */
    if (r == 0)
        r = nl_tc_clsact_add(s, link);
    for (int d = 0; d < SHAPE_DIRECTIONS && r == 0; d++)
        r = lead_direction(s, t, d, link, ip, all);
    return r;
}

int shape_release(struct nl_sock *s, int link)
{
    return absent_is_fine(nl_tc_clsact_del(s, link));
}
