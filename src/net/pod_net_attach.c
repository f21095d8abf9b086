/* Pods come and go: the record first, then the link, then what is inside the pod's namespace, then the host ports; backwards when it goes.
 * A call that is cut off anywhere leaves what the same call, made again, completes. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "net/conntrack.h"
#include "net/netns.h"
#include "net/pod_net_internal.h"
#include "rt/file.h"

#define MAC_POD 0x70
#define EVERYWHERE 0u /* the default route's destination */

/* --- inside the pod's namespace ----------------------------------------------------------------------------------------------- */
struct inside {
    uint32_t ip, gateway;
    uint8_t prefix;
    bool complete; /* out: eth0 is there, up and has the address */
};

static int open_inside(void *arg)
{
    return nl_open(arg, NETLINK_ROUTE);
}

/* A socket belongs to the namespace it was made in, so only its making needs the helper thread. */
static int socket_inside(int netns_fd, struct nl_sock *ret)
{
    *ret = NL_SOCK_INIT;
    return netns_run(netns_fd, open_inside, ret);
}

static int look_inside(struct nl_sock *s, struct inside *in)
{
    struct nl_link eth0;
    struct nl_addrs addrs = {0};
    int r = nl_link_find(s, "eth0", &eth0);
    if (r == -ENODEV)
        return 0;
    if (r == 0)
        r = nl_addr_list(s, &addrs);
    for (size_t i = 0; r == 0 && i < addrs.all.len; i++)
        in->complete |= addrs.all.p[i].index == eth0.index && addrs.all.p[i].ip == in->ip && (eth0.flags & IFF_UP) && strcmp(eth0.kind, "veth") == 0;
    vec_fini(&addrs.all);
    return r;
}

static int setup_inside(struct nl_sock *s, const struct inside *in)
{
    struct nl_link eth0, lo;
    int r = nl_link_find(s, "lo", &lo);
    if (r == 0)
        r = nl_link_set_up(s, lo.index);
    if (r == 0)
        r = nl_link_find(s, "eth0", &eth0);
    if (r == 0)
        r = nl_addr_put(s, eth0.index, in->ip, in->prefix);
    if (r == 0)
        r = nl_link_set_up(s, eth0.index);
    struct nl_route_spec all = {.dst = EVERYWHERE, .prefix = 0, .gateway = in->gateway, .oif = r == 0 ? eth0.index : 0};
    return r == 0 ? nl_route_put(s, &all) : r;
}

/* --- the link ----------------------------------------------------------------------------------------------------------------- */
static int make_link(struct pod_net *n, struct nl_sock *s, const struct pod_net_record *rec, int netns_fd)
{
    char name[IFNAMSIZ], alias[NL_ALIAS_MAX];
    pod_net_link_name(str_of(rec->uid), name);
    pod_net_alias_make(n, str_of(rec->uid), rec->ip, alias);
    struct nl_veth v = {.name = name, .peer_name = "eth0", .master = n->bridge_index, .peer_netns_fd = netns_fd, .mtu = n->mtu};
    pod_net_mac(MAC_POD, rec->ip, v.peer_mac);
    int r = nl_link_add_veth(s, &v);
    if (r < 0)
        return r;
    struct nl_link l;
    r = nl_link_find(s, name, &l);
    if (r == 0)
        r = nl_link_set_alias(s, l.index, alias);
    return r == 0 ? nl_link_set_hairpin(s, l.index) : r;
}

/* Removes the pod's link, if it is one of ours or half made (a call was cut off before the alias). */
static int remove_link_of(struct pod_net *n, struct nl_sock *s, str uid)
{
    char name[IFNAMSIZ];
    struct nl_link l;
    str owner;
    uint32_t ip;
    pod_net_link_name(uid, name);
    int r = nl_link_find(s, name, &l);
    if (r < 0)
        return r == -ENODEV ? 0 : r;
    bool ours = pod_net_alias_parse(n, l.alias, &owner, &ip) ? str_eq(owner, uid) : l.alias[0] == 0;
    return ours ? nl_link_del(s, l.index) : -EEXIST;
}

int pod_net_plug(struct pod_net *n, struct pod_net_record *rec, int netns_fd)
{
    struct nl_sock outer = NL_SOCK_INIT, inner = NL_SOCK_INIT;
    struct inside in = {.ip = rec->ip, .gateway = ipam_gateway(&n->ipam), .prefix = n->pod_cidr.prefix};
    char name[IFNAMSIZ];
    struct nl_link l;
    pod_net_link_name(str_of(rec->uid), name);
    int r = nl_open(&outer, NETLINK_ROUTE);
    if (r == 0)
        r = socket_inside(netns_fd, &inner);
    bool there = r == 0 && nl_link_find(&outer, name, &l) == 0;
    if (there)
        r = look_inside(&inner, &in);
    if (r == 0 && in.complete && !rec->claimed)
        goto out; /* the node's CIDR has changed since: what the pod has goes on working, and no route of the new one fits in */
    if (r == 0 && !rec->claimed)
        r = -EADDRNOTAVAIL;
    if (r == 0 && !in.complete) {
        r = remove_link_of(n, &outer, str_of(rec->uid));
        if (r == 0)
            r = make_link(n, &outer, rec, netns_fd);
        pthread_mutex_lock(&n->shape_lock);
        rec->link_is_new = true;
        pthread_mutex_unlock(&n->shape_lock);
    }
    if (r == 0)
        r = setup_inside(&inner, &in);
    if (r < 0 && outer.fd >= 0 && r != -EEXIST)
        err_ignore(remove_link_of(n, &outer, str_of(rec->uid)), "the failure that led here is the one to report");
out:
    nl_close(&outer);
    nl_close(&inner);
    return r;
}

/* --- host ports --------------------------------------------------------------------------------------------------------------- */
/* Flows that were opened before the rules changed: past the pod (nobody translated them), or to a pod that has left. */
static bool flow_is_wrong(const void *arg, const struct conntrack_flow *f)
{
    const struct pod_net_record *rec = arg;
    if (f->reply_src != f->orig_dst && f->reply_src != rec->ip)
        return false;
    for (size_t i = 0; i < rec->nports; i++) {
        const struct pod_net_port *p = &rec->ports[i];
        if (p->protocol == POD_NET_UDP && p->host_port == f->orig_dport && (!p->host_ip || p->host_ip == f->orig_dst))
            return true;
    }
    return false;
}

static void forget_flows(const struct pod_net_record *rec, size_t nports)
{
    struct pod_net_record changed = {.ip = rec->ip, .ports = rec->ports, .nports = nports};
    for (size_t i = 0; i < nports; i++) {
        if (rec->ports[i].protocol == POD_NET_UDP) {
            err_ignore(conntrack_forget(flow_is_wrong, &changed), "without conntrack there is nothing to forget; else a flow's own time-out ends it");
            return;
        }
    }
}

/* --- attach ------------------------------------------------------------------------------------------------------------------- */
static bool same_port(const struct pod_net_port *a, const struct pod_net_port *b)
{
    return a->host_port == b->host_port && a->protocol == b->protocol && (a->host_ip == b->host_ip || !a->host_ip || !b->host_ip);
}

/* Under lock. */
static int check_ports(struct pod_net *n, const struct pod_net_attach *a, struct err *err)
{
    map_foreach(e, &n->records)
    {
        const struct pod_net_record *other = e->value;
        for (size_t i = 0; i < other->nports && !str_eq(a->uid, e->key); i++) {
            for (size_t k = 0; k < a->nports; k++) {
                if (same_port(&other->ports[i], &a->ports[k]))
                    return err_set(err, E_EXISTS, "host port %u is in use by the pod with uid %s", a->ports[k].host_port, other->uid);
            }
        }
    }
    return 0;
}

/* Under lock.  What we mend ourselves is no conflict that anybody should hear of. */
static struct pod_net_record *find_mended(struct pod_net *n, str uid)
{
    struct pod_net_record *rec;
    while ((rec = map_get(&n->records, uid)) && rec->mending)
        pthread_cond_wait(&n->mended, &n->lock);
    return rec;
}

/* The record with its address, marked busy. */
static int enter(struct pod_net *n, const struct pod_net_attach *a, struct pod_net_record **ret, bool *ret_new, bool *ret_had_ports, struct err *err)
{
    struct pod_net_record *rec = find_mended(n, a->uid);
    *ret_had_ports = rec && rec->nports;
    if (rec && rec->busy)
        return err_set(err, E_BUSY, "the network of the pod with uid %s is being changed", rec->uid);
    int r = check_ports(n, a, err);
    *ret_new = !rec;
    if (r == 0 && !rec) {
        uint32_t ip;
        if (n->records.len >= POD_NET_PODS)
            return err_set(err, E_TOO_LARGE, "a pod network has at most %u pods", POD_NET_PODS);
        r = ipam_take(&n->ipam, clock_wall(n->clock), &ip, err);
        if (r < 0)
            return r;
        rec = pod_net_record_new(a->uid, ip);
        rec->claimed = true;
        map_put(&n->records, str_of(rec->uid), rec);
    }
    if (r < 0)
        return r;
    rec->busy = true;
    free(rec->ports);
    free(rec->netns);
    free(rec->hostname);
    rec->ports = xarray(a->nports + 1, struct pod_net_port);
    if (a->nports)
        memcpy(rec->ports, a->ports, a->nports * sizeof *a->ports);
    rec->nports = a->nports;
    rec->netns = xstrdup(a->netns_path);
    rec->hostname = str_dup(a->hostname);
    *ret = rec;
    return 0;
}

/* The record goes, with its file; its address rests when it was ever used. */
static void leave(struct pod_net *n, struct pod_net_record *rec, bool rest)
{
    pod_net_record_drop(n, rec, rest);
    pod_net_shape_drop(n, rec);
    pthread_mutex_lock(&n->shape_lock); /* a pass over all records may be looking at it */
    pthread_mutex_lock(&n->lock);
    map_del(&n->records, str_of(rec->uid));
    if (rec->claimed)
        ipam_release(&n->ipam, rec->ip, rest ? clock_wall(n->clock) : 0);
    pthread_mutex_unlock(&n->lock);
    pthread_mutex_unlock(&n->shape_lock);
    pod_net_record_free(rec);
    pod_net_shape_settle(n);
}

static int do_attach(struct pod_net *n, struct pod_net_record *rec, bool had_ports, struct err *err)
{
    FD_AUTO netns = open(rec->netns, O_RDONLY | O_CLOEXEC);
    if (netns < 0)
        return err_sys(err, errno, "cannot open the network namespace %s", rec->netns);
    int r = pod_net_record_save(n, rec, err);
    if (r < 0)
        return r;
    pod_net_rest_end(n, rec->ip);
    r = pod_net_plug(n, rec, netns);
    if (r < 0)
        return err_sys(err, -r, "cannot connect the network namespace %s", rec->netns);
    r = rec->nports || had_ports ? pod_net_nft_ports(n, err) : 0;
    if (r == 0)
        forget_flows(rec, rec->nports);
    return r;
}

int pod_net_attach(struct pod_net *n, const struct pod_net_attach *a, char ret_ip[IPAM_TEXT], struct err *err)
{
    if (!pod_net_uid_ok(a->uid) || !a->netns_path)
        return err_set(err, E_INVALID_ARG, "a pod needs a uid of letters, digits, '-', '_' and '.', and a network namespace");
    if (a->nports > POD_NET_PORTS)
        return err_set(err, E_TOO_LARGE, "a pod has at most %u host ports", POD_NET_PORTS);
    if (a->nports && n->degraded[0])
        return err_set(err, E_UNAVAILABLE, "host ports do not work here: %s", n->degraded);
    struct pod_net_record *rec = NULL;
    bool is_new = false, had_ports = false;
    pthread_mutex_lock(&n->lock);
    int r = enter(n, a, &rec, &is_new, &had_ports, err);
    pthread_mutex_unlock(&n->lock);
    if (r < 0)
        return r;
    r = do_attach(n, rec, had_ports, err);
    if (r < 0 && is_new) {
        struct nl_sock s = NL_SOCK_INIT;
        if (nl_open(&s, NETLINK_ROUTE) == 0)
            err_ignore(remove_link_of(n, &s, a->uid), "the failure that led here is the one to report");
        nl_close(&s);
        leave(n, rec, false);
        return r;
    }
    uint32_t ip = rec->ip;
    pthread_mutex_lock(&n->lock);
    rec->busy = false;
    pthread_mutex_unlock(&n->lock);
    if (r == 0)
        ipam_ip_text(ip, ret_ip);
    return r;
}

/* --- detach ------------------------------------------------------------------------------------------------------------------- */
static int unplug(struct pod_net *n, str uid, struct err *err)
{
    struct nl_sock s = NL_SOCK_INIT;
    int r = nl_open(&s, NETLINK_ROUTE);
    if (r == 0)
        r = remove_link_of(n, &s, uid);
    nl_close(&s);
    return r < 0 ? err_sys(err, -r, "cannot remove the link of the pod with uid " STR_FMT, STR_ARG(uid)) : 0;
}

int pod_net_detach(struct pod_net *n, str uid, struct err *err)
{
    if (!pod_net_uid_ok(uid))
        return err_set(err, E_INVALID_ARG, "a pod's uid has letters, digits, '-', '_' and '.'");
    pthread_mutex_lock(&n->lock);
    struct pod_net_record *rec = find_mended(n, uid);
    bool busy = rec && rec->busy;
    size_t had_ports = rec && !busy ? rec->nports : 0;
    if (rec && !busy) {
        rec->busy = true;
        rec->nports = 0; /* its host ports are free from here on; an error below leaves them so */
    }
    pthread_mutex_unlock(&n->lock);
    if (busy)
        return err_set(err, E_BUSY, "the network of the pod with uid " STR_FMT " is being changed", STR_ARG(uid));
    int r = had_ports && !n->degraded[0] ? pod_net_nft_ports(n, err) : 0;
    if (r == 0)
        r = unplug(n, uid, err);
    if (r == 0 && rec) {
        forget_flows(rec, had_ports);
        leave(n, rec, true);
    } else if (rec) {
        pthread_mutex_lock(&n->lock);
        rec->busy = false;
        pthread_mutex_unlock(&n->lock);
    }
    return r;
}

/* --- looking ------------------------------------------------------------------------------------------------------------------ */
bool pod_net_find(struct pod_net *n, str uid, char ret_ip[IPAM_TEXT])
{
    pthread_mutex_lock(&n->lock);
    const struct pod_net_record *rec = map_get(&n->records, uid);
    bool found = rec && !rec->busy;
    if (found)
        ipam_ip_text(rec->ip, ret_ip);
    pthread_mutex_unlock(&n->lock);
    return found;
}

static int by_uid(const void *a, const void *b)
{
    return strcmp(((const struct pod_net_pod *)a)->uid, ((const struct pod_net_pod *)b)->uid);
}

void pod_net_list(struct pod_net *n, struct pod_net_pod **ret, size_t *ret_len)
{
    pthread_mutex_lock(&n->lock);
    struct pod_net_pod *list = xarray(n->records.len + 1, struct pod_net_pod);
    size_t len = 0;
    map_foreach(e, &n->records)
    {
        const struct pod_net_record *rec = e->value;
        if (rec->busy)
            continue;
        memcpy(list[len].uid, rec->uid, sizeof rec->uid);
        ipam_ip_text(rec->ip, list[len++].ip);
    }
    pthread_mutex_unlock(&n->lock);
    qsort(list, len, sizeof *list, by_uid);
    *ret = list;
    *ret_len = len;
}

/* Ports of our bridge that look like a pod's link and have no alias: an attach was cut off between two messages. */
static int remove_half_made(struct pod_net *n, size_t *removed)
{
    struct nl_sock s = NL_SOCK_INIT;
    struct nl_links links = {0};
    int r = nl_open(&s, NETLINK_ROUTE);
    if (r == 0)
        r = nl_link_list(&s, &links);
    for (size_t i = 0; r == 0 && i < links.all.len; i++) {
        const struct nl_link *l = &links.all.p[i];
        if (l->master != n->bridge_index || l->alias[0] || strncmp(l->name, "cx", 2) != 0 || strcmp(l->kind, "veth") != 0)
            continue;
        bool known = false;
        pthread_mutex_lock(&n->lock); /* one that is being attached just now has a record */
        map_foreach(e, &n->records)
        {
            char name[IFNAMSIZ];
            pod_net_link_name(e->key, name);
            known |= strcmp(name, l->name) == 0;
        }
        pthread_mutex_unlock(&n->lock);
        if (!known) {
            r = nl_link_del(&s, l->index);
            *removed += r == 0;
        }
    }
    vec_fini(&links.all);
    nl_close(&s);
    return r;
}

int pod_net_gc(struct pod_net *n, const str *live, size_t nlive, size_t *ret_removed, struct err *err)
{
    struct map alive = MAP_INIT;
    for (size_t i = 0; i < nlive; i++)
        map_put(&alive, live[i], (void *)&live[i]);
    struct pod_net_pod *pods CLEANUP(free) = NULL;
    size_t len, removed = 0;
    int first = 0;
    pod_net_list(n, &pods, &len);
    for (size_t i = 0; i < len; i++) {
        if (map_has(&alive, str_of(pods[i].uid)))
            continue;
        struct err one = ERR_NONE;
        int r = pod_net_detach(n, str_of(pods[i].uid), &one);
        removed += r == 0;
        if (r < 0 && first == 0) {
            first = r;
            if (err)
                *err = one;
        }
    }
    map_fini(&alive);
    pod_net_shape_settle(n);
    int r = remove_half_made(n, &removed);
    if (ret_removed)
        *ret_removed = removed;
    return r < 0 && first == 0 ? err_sys(err, -r, "cannot remove links that belong to no pod") : first;
}
