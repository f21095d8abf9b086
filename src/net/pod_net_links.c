/* What the node's pods exchange with the nodes of each other domain, counted by nft where packets are forwarded.
 *
 *     table ip cox-links
 *       counter to-bob, from-bob                            bytes; they stay when ranges change
 *       map to, from     10.42.9.0/24 : "to-bob" ...        a look-up for each packet, however many ranges there are
 *       chain count      from the bridge: by where it goes; to the bridge: by where it comes from
 *
 * What leaves a pod comes by here behind its shaper, what comes to one before.  Headers of large segments count once, as on the pods' links.  The table is there as long as
 * something is counted; one that somebody flushed is made again with the next call.
 * Threads: links_lock. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>
#include <stdlib.h>

#include "net/pod_net_internal.h"

struct range {
    struct ipam_cidr net;
    size_t link;
};

/* --- text --------------------------------------------------------------------------------------------------------------------- */
/* Of a domain, which is a namespace: what nft reads as one word. */
static bool name_is_good(str name)
{
    bool good = name.len > 0 && name.len < POD_NET_LINK_NAME;
    for (size_t i = 0; i < name.len; i++)
        good &= (name.p[i] >= 'a' && name.p[i] <= 'z') || (name.p[i] >= '0' && name.p[i] <= '9') || name.p[i] == '-';
    return good;
}

static int by_place(const void *a, const void *b)
{
    const struct range *x = a, *y = b;
    if (x->net.base != y->net.base)
        return x->net.base < y->net.base ? -1 : 1;
    return (int)x->net.prefix - (int)y->net.prefix; /* the wider one first */
}

/* Sorted, and without those that lie in another: nft refuses them, and the wider one has their packets. */
static size_t collect_ranges(const struct pod_net *n, const struct pod_net_link *links, size_t nlinks, struct range *ret)
{
    size_t len = 0, keep = 0;
    for (size_t i = 0; i < nlinks; i++)
        for (size_t k = 0; k < links[i].nnets; k++)
            ret[len++] = (struct range){links[i].nets[k], i};
    if (len)
        qsort(ret, len, sizeof *ret, by_place);
    for (size_t i = 0; i < len; i++)
        if (!ipam_cidr_has(ret[i].net, n->pod_cidr.base) && (!keep || !ipam_cidr_has(ret[keep - 1].net, ret[i].net.base)))
            ret[keep++] = ret[i];
    return keep;
}

static void add_elements(const char *map, const struct pod_net_link *links, const struct range *r, size_t nranges, struct strbuf *b)
{
    for (size_t i = 0; i < nranges; i++) {
        char ip[IPAM_TEXT];
        ipam_ip_text(r[i].net.base, ip);
        strbuf_addf(b, "%s%s/%u : \"%s-" STR_FMT "\"", i ? ", " : "", ip, r[i].net.prefix, map, STR_ARG(links[r[i].link].name));
    }
}

static void add_map(const struct pod_net *n, const char *map, const struct pod_net_link *links, const struct range *r, size_t nranges, struct strbuf *b)
{
    strbuf_addf(b, "add map ip %s %s { type ipv4_addr : counter; flags interval; }\nflush map ip %s %s\n", n->links_table, map, n->links_table, map);
    if (!nranges)
        return;
    strbuf_addf(b, "add element ip %s %s { ", n->links_table, map);
    add_elements(map, links, r, nranges, b);
    strbuf_add_str(b, S(" }\n"));
}

static void add_table(const struct pod_net *n, bool anew, const struct pod_net_link *links, size_t nlinks, const struct range *r, size_t nranges, struct strbuf *b)
{
    const char *t = n->links_table;
    strbuf_addf(b, "add table ip %s\n", t);
    if (anew)
        strbuf_addf(b, "delete table ip %s\nadd table ip %s\n", t, t);
    strbuf_addf(b, "add chain ip %s count { type filter hook forward priority -1; }\nflush chain ip %s count\n", t, t);
    for (size_t i = 0; i < nlinks; i++)
        strbuf_addf(b, "add counter ip %s to-" STR_FMT "\nadd counter ip %s from-" STR_FMT "\n", t, STR_ARG(links[i].name), t, STR_ARG(links[i].name));
    add_map(n, "to", links, r, nranges, b);
    add_map(n, "from", links, r, nranges, b);
    strbuf_addf(b, "add rule ip %s count iifname \"%s\" counter name ip daddr map @to\nadd rule ip %s count oifname \"%s\" counter name ip saddr map @from\n", t, n->bridge, t, n->bridge);
}

/* --- making it so ------------------------------------------------------------------------------------------------------------- */
static void forget(struct pod_net *n)
{
    for (size_t i = 0; i < n->nlinks; i++)
        free(n->links[i]);
    free(TAKE(n->links));
    n->nlinks = 0;
}

/* Is each that is counted still to be? */
static bool all_stay(const struct pod_net *n, const struct pod_net_link *links, size_t nlinks)
{
    for (size_t i = 0; i < n->nlinks; i++) {
        size_t k = 0;
        while (k < nlinks && !str_eq(links[k].name, str_of(n->links[i])))
            k++;
        if (k == nlinks)
            return false;
    }
    return n->nlinks > 0;
}

static int remove_table(const struct pod_net *n, struct err *err)
{
    STRBUF_AUTO b = STRBUF_HEAP;
    strbuf_addf(&b, "add table ip %s\ndelete table ip %s\n", n->links_table, n->links_table);
    int r = pod_net_nft_run(&b, err);
    return r == -E_NOT_FOUND ? 0 : r; /* without nft there is none */
}

static int put_table(struct pod_net *n, const struct pod_net_link *links, size_t nlinks, struct err *err)
{
    STRBUF_AUTO b = STRBUF_HEAP;
    size_t nets = 0;
    for (size_t i = 0; i < nlinks; i++) {
        nets += links[i].nnets;
        if (!name_is_good(links[i].name))
            return err_set(err, E_INVALID_ARG, "\"" STR_FMT "\" is no name of a domain", STR_ARG(links[i].name));
    }
    if (nlinks > POD_NET_LINKS || nets > POD_NET_LINK_NETS)
        return err_set(err, E_TOO_LARGE, "traffic is counted by at most %u domains with %u address ranges together", POD_NET_LINKS, POD_NET_LINK_NETS);
    struct range *ranges CLEANUP(free) = xarray(nets + 1, struct range);
    bool anew = !all_stay(n, links, nlinks);
    add_table(n, anew, links, nlinks, ranges, collect_ranges(n, links, nlinks, ranges), &b);
    int r = pod_net_nft_run(&b, err);
    if (r < 0)
        return r;
    n->links_made += anew;
    forget(n);
    n->links = xarray(nlinks, char *);
    for (size_t i = 0; i < nlinks; i++)
        n->links[n->nlinks++] = str_dup(links[i].name);
    return 0;
}

int pod_net_links_remove(const struct pod_net *n, struct err *err)
{
    return remove_table(n, err);
}

void pod_net_links_fini(struct pod_net *n)
{
    forget(n);
}

/* --- reading ------------------------------------------------------------------------------------------------------------------ */
struct reading {
    const struct pod_net *net;
    struct pod_net_counter *list; /* one for each that is counted */
    unsigned found, all;
};

static uint64_t attr_u64_be(struct nl_attr a)
{
    uint64_t v = 0;
    for (size_t i = 0; a.p && a.len == sizeof v && i < sizeof v; i++)
        v = v << 8 | a.p[i];
    return v;
}

static int on_counter(void *arg, uint16_t type, const void *payload, size_t len)
{
    struct reading *r = arg;
    struct nl_attr a[NFTA_OBJ_MAX + 1], c[NFTA_COUNTER_MAX + 1];
    char table[sizeof r->net->links_table], name[POD_NET_LINK_NAME + 8];
    if (type != (NFNL_SUBSYS_NFTABLES << 8 | NFT_MSG_NEWOBJ) || len < sizeof(struct nfgenmsg) || !nl_attrs((const char *)payload + sizeof(struct nfgenmsg), len - sizeof(struct nfgenmsg), a, NFTA_OBJ_MAX) ||
        !a[NFTA_OBJ_DATA].p || !nl_attrs(a[NFTA_OBJ_DATA].p, a[NFTA_OBJ_DATA].len, c, NFTA_COUNTER_MAX))
        return 0;
    nl_attr_text(a[NFTA_OBJ_TABLE], table, sizeof table);
    nl_attr_text(a[NFTA_OBJ_NAME], name, sizeof name);
    str domain = str_of(name), way = STR_NONE;
    r->all++;
    if (strcmp(table, r->net->links_table) != 0 || !str_cut(&domain, '-', &way))
        return 0;
    for (size_t i = 0; i < r->net->nlinks; i++) {
        if (!str_eq(domain, str_of(r->list[i].uid)))
            continue;
        *(str_is(way, "to") ? &r->list[i].out_bytes : &r->list[i].in_bytes) = attr_u64_be(c[NFTA_COUNTER_BYTES]);
        r->found++;
    }
    return 0;
}

static void read_again(void *arg)
{
    struct reading *r = arg;
    r->found = r->all = 0;
}

static int dump(struct reading *r)
{
    struct nl_sock s = NL_SOCK_INIT;
    struct nl_msg m;
    int res = nl_open(&s, NETLINK_NETFILTER);
    nl_begin(&m, NFNL_SUBSYS_NFTABLES << 8 | NFT_MSG_GETOBJ, 0, &(struct nfgenmsg){.nfgen_family = AF_INET, .version = NFNETLINK_V0}, sizeof(struct nfgenmsg));
    nl_put_str(&m, NFTA_OBJ_TABLE, r->net->links_table);
    nl_put_u32(&m, NFTA_OBJ_TYPE, htonl(NFT_OBJECT_COUNTER));
    if (res == 0)
        res = nl_dump(&s, &m, &(struct nl_dump){.fn = on_counter, .restart = read_again, .arg = r});
    nl_close(&s);
    return res == -ENOENT ? 0 : res; /* no such table */
}

/* Also one that a process before this one left. */
static bool is_there(const struct pod_net *n)
{
    struct reading r = {.net = n, .list = xcalloc(n->nlinks + 1, sizeof *r.list)};
    int res = dump(&r);
    free(r.list);
    return res < 0 || r.all > 0;
}

int pod_net_links(struct pod_net *n, const struct pod_net_link *links, size_t nlinks, struct err *err)
{
    int r = 0;
    pthread_mutex_lock(&n->links_lock);
    if (nlinks)
        r = put_table(n, links, nlinks, err);
    else if (!n->links_gone && is_there(n) && (r = remove_table(n, err)) == 0)
        forget(n);
    if (r == 0)
        n->links_gone = !nlinks;
    pthread_mutex_unlock(&n->links_lock);
    return r;
}

int pod_net_link_counters(struct pod_net *n, struct pod_net_counter **ret, size_t *ret_len, struct err *err)
{
    int r = 0;
    pthread_mutex_lock(&n->links_lock);
    struct reading read = {.net = n, .list = xcalloc(n->nlinks + 1, sizeof *read.list)};
    for (size_t i = 0; i < n->nlinks; i++) {
        read.list[i].device = n->links_made;
        snprintf(read.list[i].uid, sizeof read.list[i].uid, "%s", n->links[i]);
    }
    if (n->nlinks)
        r = dump(&read);
    bool whole = r == 0 && read.found == 2 * n->nlinks;
    size_t len = n->nlinks;
    if (!whole)
        forget(n);
    pthread_mutex_unlock(&n->links_lock);
    if (r == 0 && whole) {
        *ret = read.list;
        *ret_len = len;
        return 0;
    }
    free(read.list);
    return r < 0 ? err_sys(err, -r, "cannot read what passes between domains") : err_set(err, E_NOT_FOUND, "the table %s was removed by another program", n->links_table);
}
