/* Opening, closing and removing the pod network of a node.  Open compares what the kernel has with what it should have, step by step; each
 * step is right whether the thing is absent, half made or complete. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "net/pod_net.h"

#include <errno.h>
#include <unistd.h>

#include "net/pod_net_internal.h"
#include "rt/file.h"

#define MAC_BRIDGE 0x62
#define REUSE_DELAY_NS (60 * NSEC_PER_SEC)
#define MTU_MIN 576
#define MTU_MAX 65535

/* --- options ------------------------------------------------------------------------------------------------------------------ */
static bool copy_name(const char *in, const char *otherwise, char *ret, size_t room)
{
    str s = str_of(in && in[0] ? in : otherwise);
    if (s.len >= room)
        return false;
    for (size_t i = 0; i < s.len; i++) {
        char c = s.p[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        /* these go into nft's text: what it reads as one word */
        if (!letter && (i == 0 || !((c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.')))
            return false;
    }
    memcpy(ret, s.p, s.len);
    ret[s.len] = 0;
    return true;
}

static int resolve_mode(struct pod_net *n, const char *mode, struct err *err)
{
    static const char *const names[] = {[POD_NET_VXLAN] = "vxlan", [POD_NET_ROUTES] = "routes", [POD_NET_NONE] = "none"};
    if (!mode || !mode[0])
        mode = "vxlan";
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        if (strcmp(mode, names[i]) == 0) {
            n->mode = (enum pod_net_mode)i;
            return 0;
        }
    }
    return err_set(err, E_INVALID_ARG, "a pod network has mode vxlan, routes or none, not \"%s\"", mode);
}

/* A bridge with another name has rules of its own, too. */
static bool copy_table(const struct pod_net_opts *o, struct pod_net *n)
{
    char usual[sizeof n->table];
    const char *name = strcmp(n->bridge, "cox0") == 0 ? "cox" : n->bridge;
    snprintf(usual, sizeof usual, "%s-pods", name);
    snprintf(n->links_table, sizeof n->links_table, "%s-links", name);
    return copy_name(o->table, usual, n->table, sizeof n->table);
}

int pod_net_resolve(struct pod_net *n, const struct pod_net_opts *o, bool for_removal, struct err *err)
{
    *n = (struct pod_net){.clock = o->clock ? o->clock : &clock_real, .watch = NL_SOCK_INIT};
    pthread_mutex_init(&n->lock, NULL);
    pthread_cond_init(&n->mended, NULL);
    pthread_mutex_init(&n->nft_lock, NULL);
    pthread_mutex_init(&n->peers_lock, NULL);
    pthread_mutex_init(&n->shape_lock, NULL);
    pthread_mutex_init(&n->links_lock, NULL);
    n->state_dir = xstrdup(o->state_dir ? o->state_dir : "");
    if (!copy_name(o->bridge, "cox0", n->bridge, sizeof n->bridge) || !copy_name(o->vxlan, "cox-vx", n->vxlan, sizeof n->vxlan) ||
        !copy_table(o, n))
        return err_set(err, E_INVALID_ARG, "names of links and tables have letters, digits, '-', '_' and '.', and links at most 15 of them");
    if (n->state_dir[0] != '/')
        return err_set(err, E_INVALID_ARG, "a pod network needs a folder of its own, as a path from the root");
    if (for_removal)
        return 0;
    if (!ipam_cidr_parse(str_of(o->pod_cidr), &n->pod_cidr))
        return err_set(err, E_INVALID_ARG, "\"%s\" is no pod CIDR such as 10.42.3.0/24", o->pod_cidr ? o->pod_cidr : "");
    n->cluster_cidr = n->pod_cidr;
    if (o->cluster_cidr && !ipam_cidr_parse(str_of(o->cluster_cidr), &n->cluster_cidr))
        return err_set(err, E_INVALID_ARG, "\"%s\" is no cluster CIDR such as 10.42.0.0/16", o->cluster_cidr);
    int r = resolve_mode(n, o->mode, err);
    if (r < 0)
        return r;
    if (o->node_ip && o->node_ip[0] && !ipam_ip_parse(str_of(o->node_ip), &n->node_ip))
        return err_set(err, E_INVALID_ARG, "\"%s\" is no IPv4 address of this node", o->node_ip);
    if (n->mode == POD_NET_VXLAN && !n->node_ip)
        return err_set(err, E_INVALID_ARG, "a pod network of mode vxlan needs the node's address");
    if (o->mtu && (o->mtu < MTU_MIN || o->mtu > MTU_MAX))
        return err_set(err, E_INVALID_ARG, "an MTU of %u is not between %d and %d", o->mtu, MTU_MIN, MTU_MAX);
    n->mtu = o->mtu;
    return ipam_init(&n->ipam, n->pod_cidr, o->reuse_delay_ns ? o->reuse_delay_ns : REUSE_DELAY_NS, err);
}

void pod_net_fini(struct pod_net *n)
{
    map_foreach(e, &n->records) pod_net_record_free(e->value);
    map_fini(&n->records);
    ipam_fini(&n->ipam);
    nl_close(&n->watch);
    pod_net_links_fini(n);
    free(n->state_dir);
    pthread_cond_destroy(&n->mended);
    pthread_mutex_destroy(&n->lock);
    pthread_mutex_destroy(&n->nft_lock);
    pthread_mutex_destroy(&n->peers_lock);
    pthread_mutex_destroy(&n->shape_lock);
    pthread_mutex_destroy(&n->links_lock);
}

/* --- whose it is ---------------------------------------------------------------------------------------------------------------- */
/* Bridge and tunnel say so in their alias: two clusters on one machine must not take each other's for their own.  What belongs to a folder that is gone belongs to nobody. */
#define OWNER "cox of "

void pod_net_owner(const struct pod_net *n, char ret[NL_ALIAS_MAX])
{
    if (strlen(n->state_dir) + sizeof OWNER <= NL_ALIAS_MAX)
        snprintf(ret, NL_ALIAS_MAX, OWNER "%s", n->state_dir);
    else
        snprintf(ret, NL_ALIAS_MAX, OWNER "%016llx", (unsigned long long)str_hash(str_of(n->state_dir)));
}

static const char *other_owner(const struct pod_net *n, const struct nl_link *l)
{
    char ours[NL_ALIAS_MAX];
    const char *dir = l->alias + sizeof OWNER - 1;
    pod_net_owner(n, ours);
    if (strncmp(l->alias, OWNER, sizeof OWNER - 1) != 0 || strcmp(l->alias, ours) == 0)
        return NULL;
    return dir[0] != '/' || file_exists(dir) ? dir : NULL;
}

static int own(const struct pod_net *n, struct nl_sock *s, const struct nl_link *l)
{
    char ours[NL_ALIAS_MAX];
    pod_net_owner(n, ours);
    return strcmp(l->alias, ours) == 0 ? 0 : nl_link_set_alias(s, l->index, ours);
}

/* --- what must exist ---------------------------------------------------------------------------------------------------------- */
static int find_mtu(struct pod_net *n, struct nl_sock *s, const struct nl_addrs *addrs)
{
    struct nl_links links = {0};
    int r = nl_link_list(s, &links);
    uint32_t outer = 1500;
    for (size_t i = 0; i < addrs->all.len && n->node_ip; i++) {
        for (size_t k = 0; addrs->all.p[i].ip == n->node_ip && k < links.all.len; k++) {
            /* loopback's 65536 is no figure for what goes to other machines */
            if (links.all.p[k].index == addrs->all.p[i].index && !(links.all.p[k].flags & IFF_LOOPBACK))
                outer = links.all.p[k].mtu;
        }
    }
    vec_fini(&links.all);
    n->mtu = outer - (n->mode == POD_NET_VXLAN && outer > MTU_MIN + POD_NET_VXLAN_OVERHEAD ? POD_NET_VXLAN_OVERHEAD : 0);
    return r;
}

/* Exactly this IPv4 address on the link. */
static int only_address(struct nl_sock *s, const struct nl_addrs *addrs, int index, uint32_t ip, uint8_t prefix)
{
    bool there = false;
    int r = 0;
    for (size_t i = 0; r == 0 && i < addrs->all.len; i++) {
        const struct nl_addr *a = &addrs->all.p[i];
        if (a->index != index)
            continue;
        if (a->ip == ip && a->prefix == prefix)
            there = true;
        else
            r = nl_addr_del(s, index, a->ip, a->prefix);
    }
    return r == 0 && !there ? nl_addr_put(s, index, ip, prefix) : r;
}

static int match_link(struct nl_sock *s, const struct nl_link *l, const uint8_t mac[6], uint32_t mtu)
{
    int r = 0;
    if (!l->has_mac || memcmp(l->mac, mac, 6) != 0)
        r = nl_link_set_mac(s, l->index, mac);
    if (r == 0 && l->mtu != mtu)
        r = nl_link_set_mtu(s, l->index, mtu);
    return r == 0 && !(l->flags & IFF_UP) ? nl_link_set_up(s, l->index) : r;
}

static int ensure_bridge(struct pod_net *n, struct nl_sock *s, const struct nl_addrs *addrs, struct err *err)
{
    struct nl_link l;
    uint8_t mac[6];
    pod_net_mac(MAC_BRIDGE, ipam_gateway(&n->ipam), mac);
    int r = nl_link_find(s, n->bridge, &l);
    if (r == 0 && strcmp(l.kind, "bridge") != 0)
        return err_set(err, E_EXISTS, "the link %s exists and is no bridge", n->bridge);
    if (r == 0 && other_owner(n, &l))
        return err_set(err, E_EXISTS, "the bridge %s is that of another cluster on this machine (%s): choose another name with --pod-bridge, and another --cluster-cidr", n->bridge, other_owner(n, &l));
    if (r == -ENODEV) {
        r = nl_link_add_bridge(s, n->bridge, mac, n->mtu);
        r = r == 0 || r == -EEXIST ? nl_link_find(s, n->bridge, &l) : r;
    }
    if (r == 0) {
        n->bridge_index = l.index;
        r = only_address(s, addrs, l.index, ipam_gateway(&n->ipam), n->pod_cidr.prefix);
    }
    if (r == 0)
        r = match_link(s, &l, mac, n->mtu);
    if (r == 0)
        r = own(n, s, &l);
    return r < 0 ? err_sys(err, -r, "cannot set up the bridge %s", n->bridge) : 0;
}

static int remove_link(const struct pod_net *n, struct nl_sock *s, const char *name, const char *kind)
{
    struct nl_link l;
    int r = nl_link_find(s, name, &l);
    if (r == 0 && strcmp(l.kind, kind) == 0 && !other_owner(n, &l))
        return nl_link_del(s, l.index);
    return r == -ENODEV ? 0 : r;
}

static bool bridge_is_theirs(const struct pod_net *n, struct nl_sock *s)
{
    struct nl_link l;
    return nl_link_find(s, n->bridge, &l) == 0 && other_owner(n, &l);
}

static int ensure_vxlan(struct pod_net *n, struct nl_sock *s, const struct nl_addrs *addrs, struct err *err)
{
    struct nl_vxlan v = {.name = n->vxlan, .id = POD_NET_VNI, .local = n->node_ip, .mtu = n->mtu, .port = POD_NET_VXLAN_PORT};
    pod_net_tunnel_mac(n->pod_cidr, v.mac);
    struct nl_link l;
    int r = nl_link_find(s, n->vxlan, &l);
    if (r == 0 && strcmp(l.kind, "vxlan") != 0)
        return err_set(err, E_EXISTS, "the link %s exists and is no vxlan device", n->vxlan);
    if (r == 0 && other_owner(n, &l))
        return err_set(err, E_EXISTS, "the tunnel %s is that of another cluster on this machine (%s), and there can be one only: give this one --pod-network-mode routes or none", n->vxlan,
                       other_owner(n, &l));
    if (r == 0 && (l.vxlan_id != v.id || l.vxlan_local != v.local || l.vxlan_port != v.port)) {
        r = nl_link_del(s, l.index); /* these cannot be changed, and the peers are told again anyway */
        r = r == 0 ? -ENODEV : r;
    }
    if (r == -ENODEV) {
        r = nl_link_add_vxlan(s, &v);
        r = r == 0 || r == -EEXIST ? nl_link_find(s, n->vxlan, &l) : r;
    }
    if (r == 0) {
        n->vxlan_index = l.index;
        r = only_address(s, addrs, l.index, n->pod_cidr.base, 32);
    }
    if (r == 0)
        r = match_link(s, &l, v.mac, n->mtu);
    if (r == 0)
        r = own(n, s, &l);
    return r < 0 ? err_sys(err, -r, "cannot set up the tunnel %s", n->vxlan) : 0;
}

/* A setting of the bridge; a kernel without IPv6 has none of its. */
static void set_device(const struct pod_net *n, const char *family, const char *name, const char *value)
{
    STRBUF_AUTO path = STRBUF_HEAP;
    strbuf_addf(&path, "/proc/sys/net/%s/conf/%s/%s", family, n->bridge, name);
    FILE *f = fopen(path.p, "we");
    if (f) {
        fputs(value, f);
        fclose(f);
    }
}

static int ensure_sysctls(struct pod_net *n, struct err *err)
{
    int r = pod_net_sysctl_set(n, "net/ipv4/ip_forward", "1", err);
    if (r < 0)
        return r;
    /* of our own device, which takes the setting along when it goes: nothing to remember.  Where it cannot be set, host ports work from
     * everywhere but this machine's 127.0.0.1. */
    set_device(n, "ipv4", "route_localnet", "1");
    /* A pod that announces itself as a router, or sends others somewhere else, must not be believed by the machine. */
    set_device(n, "ipv6", "accept_ra", "0");
    set_device(n, "ipv6", "accept_redirects", "0");
    set_device(n, "ipv4", "accept_redirects", "0");
    return 0;
}

static int make_links(struct pod_net *n, struct nl_sock *s, struct nl_addrs *addrs, struct err *err)
{
    int r = nl_addr_list(s, addrs);
    if (r == 0 && !n->mtu)
        r = find_mtu(n, s, addrs);
    if (r < 0)
        return err_sys(err, -r, "cannot read the links of this machine");
    r = ensure_bridge(n, s, addrs, err);
    if (r < 0 || n->mode == POD_NET_VXLAN)
        return r < 0 ? r : ensure_vxlan(n, s, addrs, err);
    r = remove_link(n, s, n->vxlan, "vxlan");
    if (r < 0)
        return err_sys(err, -r, "cannot remove the tunnel %s", n->vxlan);
    return n->mode == POD_NET_NONE ? pod_net_routes_clear(s, err) : 0;
}

int pod_net_setup_links(struct pod_net *n, struct nl_sock *s, struct err *err)
{
    struct nl_addrs addrs = {0};
    int r = make_links(n, s, &addrs, err);
    vec_fini(&addrs.all);
    return r == 0 ? ensure_sysctls(n, err) : r;
}

static int setup(struct pod_net *n, struct nl_sock *s, struct err *err)
{
    int r = file_mkdir_all(n->state_dir, 0700, err);
    if (r == 0)
        r = pod_net_setup_links(n, s, err);
    return r < 0 ? r : pod_net_load(n, s, err);
}

int pod_net_open(const struct pod_net_opts *opts, struct pod_net **ret, struct err *err)
{
    struct pod_net *n = xnew(struct pod_net);
    struct nl_sock s = NL_SOCK_INIT;
    int r = pod_net_resolve(n, opts, false, err);
    if (r == 0) {
        r = nl_open(&s, NETLINK_ROUTE);
        r = r < 0 ? err_sys(err, -r, "cannot talk to the kernel about networks") : setup(n, &s, err);
    }
    nl_close(&s);
    if (r < 0) {
        pod_net_close(n);
        return r;
    }
    struct err nft = ERR_NONE;
    if (pod_net_nft_setup(n, &nft) < 0)
        snprintf(n->degraded, sizeof n->degraded, "%s", nft.msg);
    struct err firewall = ERR_NONE;
    if (pod_net_forward_allow(n, &firewall) < 0)
        snprintf(n->blocked, sizeof n->blocked, "%s", firewall.msg);
    *ret = n;
    return 0;
}

void pod_net_close(struct pod_net *n)
{
    pod_net_fini(n);
    free(n);
}

const char *pod_net_degraded(const struct pod_net *n)
{
    return n->degraded[0] ? n->degraded : NULL;
}

const char *pod_net_blocked(const struct pod_net *n)
{
    return n->blocked[0] ? n->blocked : NULL;
}

uint32_t pod_net_mtu(const struct pod_net *n)
{
    return n->mtu;
}

void pod_net_gateway(const struct pod_net *n, char ret[IPAM_TEXT])
{
    ipam_ip_text(ipam_gateway(&n->ipam), ret);
}

/* --- removal ------------------------------------------------------------------------------------------------------------------ */
static int remove_links(struct pod_net *n, struct nl_sock *s)
{
    struct nl_links links = {0};
    int r = nl_link_list(s, &links);
    for (size_t i = 0; r == 0 && i < links.all.len; i++) {
        str uid;
        uint32_t ip;
        if (pod_net_alias_parse(n, links.all.p[i].alias, &uid, &ip))
            r = nl_link_del(s, links.all.p[i].index);
    }
    vec_fini(&links.all);
    if (r == 0)
        r = shape_remove(s, n->bridge);
    if (r == 0)
        r = remove_link(n, s, n->vxlan, "vxlan");
    return r == 0 ? remove_link(n, s, n->bridge, "bridge") : r;
}

int pod_net_remove(const struct pod_net_opts *opts, struct err *err)
{
    struct pod_net n;
    struct nl_sock s = NL_SOCK_INIT;
    bool theirs = false;
    int r = pod_net_resolve(&n, opts, true, err);
    if (r == 0) {
        r = nl_open(&s, NETLINK_ROUTE);
        theirs = r == 0 && bridge_is_theirs(&n, &s); /* then nothing here was ever ours */
        if (r == 0 && !theirs)
            r = remove_links(&n, &s);
        if (r < 0)
            err_sys(err, -r, "cannot remove the links of the pod network");
        else if (!theirs)
            r = pod_net_routes_clear(&s, err);
    }
    nl_close(&s);
    if (r == 0 && !theirs)
        r = pod_net_nft_remove(&n, err);
    if (r == 0 && !theirs)
        r = pod_net_links_remove(&n, err);
    if (r == 0 && !theirs)
        pod_net_forward_forget(&n);
    if (r == 0 && !theirs) {
        pod_net_sysctl_restore(&n);
        pod_net_files_remove(&n);
    }
    pod_net_fini(&n);
    return r;
}
