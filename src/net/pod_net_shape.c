/* Shares of the network: what every pod wants is kept with its record, one pass compares it with what was done and does the difference.
 *
 *   told nothing yet     left as it is: a process before this one may have shaped it, and the next word about it comes soon
 *   a limit              all of its traffic goes through the devices
 *   a request            what crosses the wire does
 *   neither              the same while some pod has a request: a share of the wire is one only when all who use it are counted; else nothing
 *   touched by others    made anew (shape_watch.h), at the next word about capacity
 *
 * Where requests are more than the node has (an overcommit factor, a capacity that was lowered), each is cut by the same part.
 * Threads: shape_lock is held for a whole pass, and by who frees a record; order: shape_lock before lock. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>

#include "net/pod_net_internal.h"
#include "rt/failpoint.h"

#define TOTAL_UNKNOWN 100000000000ll /* bit/s: nobody said what the node has, so that only limits bind */
#define REFUSED_NS NSEC_PER_SEC      /* a kernel that cannot is left alone for so long: each question may start a program that looks for a module */

enum led { LED_UNKNOWN, LED_NOT, LED_WIRE, LED_ALL };

struct pod_net_share {
    struct shape_share want;
    struct shape_dest dests[SHAPE_DESTS];
    struct ipam_cidr nets[SHAPE_NETS];
    size_t nnets;
    bool stale;                          /* its classes are not as wanted */
    int64_t done[SHAPE_DIRECTIONS];      /* requests in force, cut where they had to be */
    enum led led;
    int link;                            /* number of the one that is led, 0: none was yet */
    int made;                            /* another number whenever its classes or its link began to count anew */
};

static bool has_request(const struct shape_share *s)
{
    return s->request[SHAPE_OUT] || s->request[SHAPE_IN];
}

static int copy_share(const struct shape_share *from, struct pod_net_share *to, struct err *err)
{
    if (from->ndests > SHAPE_DESTS)
        return err_set(err, E_TOO_LARGE, "a pod has bandwidth limits to at most %u destinations", SHAPE_DESTS);
    to->want = *from;
    for (size_t i = 0; i < from->ndests; i++) {
        if (from->dests[i].nnets > SHAPE_NETS - to->nnets)
            return err_set(err, E_TOO_LARGE, "the destinations of a pod's bandwidth limits have at most %u address ranges together", SHAPE_NETS);
        to->dests[i] = (struct shape_dest){from->dests[i].limit, to->nets + to->nnets, from->dests[i].nnets};
        for (size_t k = 0; k < from->dests[i].nnets; k++)
            to->nets[to->nnets++] = from->dests[i].nets[k];
    }
    to->want.dests = to->dests;
    return 0;
}

static bool is_same(const struct pod_net_share *a, const struct pod_net_share *b)
{
    bool same = memcmp(a->want.request, b->want.request, sizeof a->want.request) == 0 && memcmp(a->want.limit, b->want.limit, sizeof a->want.limit) == 0 &&
                a->want.ndests == b->want.ndests && a->nnets == b->nnets;
    for (size_t i = 0; same && i < a->want.ndests; i++)
        same = a->dests[i].limit == b->dests[i].limit && a->dests[i].nnets == b->dests[i].nnets;
    for (size_t i = 0; same && i < a->nnets; i++)
        same = a->nets[i].base == b->nets[i].base && a->nets[i].prefix == b->nets[i].prefix;
    return same;
}

/* --- what others touched ------------------------------------------------------------------------------------------------------ */
/* own: port of the socket of our changes since the last time.  Under shape_lock. */
static void hear(struct pod_net *n, uint32_t own)
{
    struct shape_news news = {0};
    if (n->watch.fd < 0)
        return;
    if (shape_watch_look(&n->watch, &n->tree, own, &news) < 0)
        news.lost = true;
    bool about_links = news.all_links || news.lost || news.nlinks;
    pthread_mutex_lock(&n->lock);
    map_foreach(e, &n->records) {
        if (!about_links) /* as good as always */
            break;
        struct pod_net_share *s = ((struct pod_net_record *)e->value)->share;
        bool mine = news.all_links || news.lost;
        for (size_t i = 0; s && s->link && i < news.nlinks; i++)
            mine |= news.links[i] == s->link;
        if (!mine || !s || s->led == LED_NOT)
            continue;
        s->led = LED_UNKNOWN;
        n->touched = true;
    }
    pthread_mutex_unlock(&n->lock);
    n->tree_broken |= news.devices;
    n->touched |= news.devices || news.lost;
    if (news.devices || news.lost)
        n->tree_open = false;
}

/* --- a pass ------------------------------------------------------------------------------------------------------------------- */
struct pass {
    struct pod_net *net;
    struct nl_sock sock;
    struct pod_net_record **all;
    size_t n;
    bool untold;                        /* some pod's wishes are not known yet */
    bool wanted, guaranteed;
    int64_t sum[SHAPE_DIRECTIONS];
};

static void look(struct pass *p)
{
    struct pod_net *n = p->net;
    pthread_mutex_lock(&n->lock);
    p->all = xarray(n->records.len + 1, struct pod_net_record *);
    map_foreach(e, &n->records)
        p->all[p->n++] = e->value;
    pthread_mutex_unlock(&n->lock);
    for (size_t i = 0; i < p->n; i++) {
        const struct pod_net_share *s = p->all[i]->share;
        p->untold |= !s;
        if (!s || !p->all[i]->claimed)
            continue;
        p->guaranteed |= has_request(&s->want);
        p->wanted |= has_request(&s->want) || shape_is_limited(&s->want);
        for (int d = 0; d < SHAPE_DIRECTIONS; d++)
            p->sum[d] += s->want.request[d];
    }
}

static int refused(struct err *err)
{
    return err_set(err, E_UNAVAILABLE, "bandwidth is not enforced here: this kernel has no ifb device, htb or u32 (modules ifb, sch_htb, cls_u32, act_mirred)");
}

static int open_tree(struct pass *p, struct err *err)
{
    struct pod_net *n = p->net;
    bool is_new = false;
    if (n->tree_open)
        return 0;
    if (clock_mono(n->clock) < n->tree_refused_until)
        return refused(err);
    n->tree.pods = n->pod_cidr;
    n->tree.node = ipam_gateway(&n->ipam);
    for (int d = 0; d < SHAPE_DIRECTIONS; d++)
        n->tree.total[d] = n->tree.total[d] ? n->tree.total[d] : TOTAL_UNKNOWN;
    char alias[NL_ALIAS_MAX];
    pod_net_owner(n, alias);
    int r = -FAILPOINT_ERRNO("net.shape.open");
    if (r == 0 && n->watch.fd < 0)
        r = shape_watch_open(&n->watch);
    if (r == 0 && n->tree_broken)
        r = shape_remove(&p->sock, n->bridge);
    if (r == 0)
        r = shape_open(&p->sock, n->bridge, alias, &n->tree, &is_new);
    if (r == -EOPNOTSUPP) {
        n->tree_refused_until = clock_mono(n->clock) + REFUSED_NS;
        return refused(err);
    }
    uint32_t *ips CLEANUP(free) = xcalloc(p->n + 1, sizeof *ips);
    for (size_t i = 0; i < p->n; i++) {
        ips[i] = p->all[i]->ip;
        if (p->all[i]->share) {
            p->all[i]->share->led = LED_UNKNOWN;
            p->all[i]->share->stale = true;
        }
    }
    if (r == 0)
        r = shape_keep(&p->sock, &n->tree, ips, p->n);
    n->tree_open = r == 0;
    n->tree_broken &= r < 0;
    n->tree_gone = false;
    hear(n, nl_port(&p->sock));
    return r < 0 ? err_sys(err, -r, "cannot set up the devices that shape traffic") : 0;
}

static int close_tree(struct pass *p)
{
    struct pod_net *n = p->net;
    int r = shape_remove(&p->sock, n->bridge);
    nl_close(&n->watch);
    n->tree_open = n->tree_broken = n->touched = false;
    n->tree_gone = r == 0;
    return r;
}

static int lead(struct pass *p, struct pod_net_record *rec, enum led want)
{
    char name[IFNAMSIZ];
    struct nl_link l;
    pod_net_link_name(str_of(rec->uid), name);
    int r = nl_link_find(&p->sock, name, &l);
    if (r == -ENODEV)
        return 0; /* it has just left */
    if (r == 0)
        r = want == LED_NOT ? shape_release(&p->sock, l.index) : shape_lead(&p->sock, &p->net->tree, l.index, rec->ip, want == LED_ALL);
    if (r == 0) {
        rec->share->led = want;
        rec->share->link = l.index;
    }
    return r;
}

/* Classes before the link is led to them; the other way round when it goes. */
static int fit(struct pass *p, struct pod_net_record *rec)
{
    struct pod_net *n = p->net;
    struct pod_net_share *s = rec->share;
    struct shape_share cut = s->want;
    enum led want = shape_is_limited(&s->want) ? LED_ALL : p->guaranteed ? LED_WIRE : LED_NOT;
    bool classes = shape_is_limited(&s->want) || has_request(&s->want);
    int r = 0, link = s->link;
    bool anew = false;
    s->led = rec->link_is_new ? LED_NOT : s->led;
    rec->link_is_new = false;
    for (int d = 0; d < SHAPE_DIRECTIONS; d++) {
        if (p->sum[d] > n->tree.total[d] && n->tree.total[d])
            cut.request[d] = (int64_t)((__int128)cut.request[d] * n->tree.total[d] / p->sum[d]);
        s->stale |= cut.request[d] != s->done[d];
    }
    if (!n->tree_open && want == LED_NOT && s->led == LED_NOT)
        s->stale = false;
    if (classes && s->stale)
        r = shape_put(&p->sock, &n->tree, rec->ip, &cut, &anew);
    if (r == 0 && s->led != want)
        r = lead(p, rec, want);
    if (anew || s->link != link)
        s->made = ++n->shares_made;
    if (r == 0 && !classes && s->stale && n->tree_open)
        r = shape_del(&p->sock, &n->tree, rec->ip);
    if (r == 0) {
        s->stale = false;
        memcpy(s->done, cut.request, sizeof s->done);
    }
    return r;
}

static int complain(const struct pod_net_record *rec, int r, struct err *err)
{
    if (r == -E2BIG)
        return err_set(err, E_TOO_LARGE, "only the first %u addresses of a node's pod range can have shares of bandwidth, and %s is not among them", SHAPE_PODS, rec->uid);
    return err_sys(err, -r, "cannot shape the traffic of the pod with uid %s", rec->uid);
}

/* Under shape_lock.  Gives back what is wrong with all; with that one pod; or when none is named, with the first.  Each pod is asked for by itself, so nothing stays unsaid. */
static int pass_over(struct pod_net *n, const struct pod_net_record *mine, struct err *err)
{
    struct pass p = {.net = n, .sock = NL_SOCK_INIT};
    int r = nl_open(&p.sock, NETLINK_ROUTE);
    if (r < 0)
        return err_sys(err, -r, "cannot talk to the kernel about networks");
    look(&p);
    hear(n, 0);
    n->touched = false;
    int all = p.wanted ? open_tree(&p, err) : 0, first = all;
    for (size_t i = 0; i < p.n && all == 0; i++) {
        struct pod_net_record *rec = p.all[i];
        if (!rec->share || !rec->claimed)
            continue;
        r = fit(&p, rec);
        hear(n, nl_port(&p.sock)); /* one at a time: the watch holds no hundred pods' changes */
        if (r < 0 && (mine ? rec == mine : first == 0))
            first = complain(rec, r, err);
    }
    if (first == 0 && !p.wanted && !p.untold && !n->tree_gone)
        err_ignore(close_tree(&p), "idle devices cost nothing; the next pass tries again");
    nl_close(&p.sock);
    free(p.all);
    n->touched |= first < 0 && n->tree_broken; /* until it is right again */
    return first;
}

int pod_net_shape(struct pod_net *n, str uid, const struct shape_share *share, struct err *err)
{
    struct pod_net_share *fresh = xcalloc(1, sizeof *fresh);
    int r = copy_share(share, fresh, err);
    if (r < 0) {
        free(fresh);
        return r;
    }
    pthread_mutex_lock(&n->shape_lock);
    pthread_mutex_lock(&n->lock);
    struct pod_net_record *rec = map_get(&n->records, uid);
    pthread_mutex_unlock(&n->lock);
    if (!rec) {
        r = err_set(err, E_NOT_FOUND, "the pod with uid " STR_FMT " is not attached", STR_ARG(uid));
    } else if (rec->share && is_same(rec->share, fresh) && !rec->share->stale && rec->share->led != LED_UNKNOWN && !rec->link_is_new) {
        r = 0;
    } else {
        fresh->led = rec->share ? rec->share->led : LED_UNKNOWN;
        fresh->link = rec->share ? rec->share->link : 0;
        fresh->made = rec->share ? rec->share->made : 0;
        fresh->stale = true;
        free(rec->share);
        rec->share = TAKE(fresh);
        r = pass_over(n, rec, err);
    }
    pthread_mutex_unlock(&n->shape_lock);
    free(fresh);
    return r;
}

/* Ceilings of pods without a limit are the node's: all are looked at. */
static int fit_total(struct pod_net *n, struct err *err)
{
    struct nl_sock s = NL_SOCK_INIT;
    int r = nl_open(&s, NETLINK_ROUTE);
    if (r == 0)
        r = shape_total(&s, &n->tree);
    hear(n, nl_port(&s));
    nl_close(&s);
    n->tree_open = false;
    n->touched |= r < 0;
    return r < 0 ? err_sys(err, -r, "cannot set what pods have together") : pass_over(n, NULL, err);
}

int pod_net_capacity(struct pod_net *n, int64_t egress_bits, int64_t ingress_bits, bool *ret_mended, struct err *err)
{
    int64_t total[] = {[SHAPE_OUT] = egress_bits > 0 ? egress_bits : TOTAL_UNKNOWN, [SHAPE_IN] = ingress_bits > 0 ? ingress_bits : TOTAL_UNKNOWN};
    int r = 0;
    pthread_mutex_lock(&n->shape_lock);
    hear(n, 0);
    bool touched = n->touched, changed = memcmp(total, n->tree.total, sizeof total) != 0;
    memcpy(n->tree.total, total, sizeof total);
    if (touched)
        r = pass_over(n, NULL, err);
    else if (changed && n->tree_open)
        r = fit_total(n, err);
    pthread_mutex_unlock(&n->shape_lock);
    *ret_mended = touched && r == 0;
    return r;
}

/* The link takes its filters along; the classes stay behind. */
void pod_net_shape_drop(struct pod_net *n, struct pod_net_record *rec)
{
    pthread_mutex_lock(&n->shape_lock);
    bool may_have = !rec->share || shape_is_limited(&rec->share->want) || has_request(&rec->share->want); /* of one that nobody spoke of, from a process before this one */
    struct nl_sock s = NL_SOCK_INIT;
    if (n->tree_open && may_have && nl_open(&s, NETLINK_ROUTE) == 0)
        err_ignore(shape_del(&s, &n->tree, rec->ip), "the next one to get this address, or the next start, makes it right");
    hear(n, nl_port(&s));
    nl_close(&s);
    free(TAKE(rec->share));
    pthread_mutex_unlock(&n->shape_lock);
}

/* After records have gone: those that are left may have the wire to themselves now, and devices of a process before this one are nobody's. */
void pod_net_shape_settle(struct pod_net *n)
{
    struct err err = ERR_NONE;
    pthread_mutex_lock(&n->shape_lock);
    if (n->tree_open || !n->tree_gone)
        err_ignore(pass_over(n, NULL, &err), "the next word about any pod makes the pass again");
    pthread_mutex_unlock(&n->shape_lock);
}

/* --- counting ----------------------------------------------------------------------------------------------------------------- */
/* The link of a pod counts what it sends before its limit drops some of it: of those with a limit the classes say what passed. */
static void count_passed(struct pod_net *n, struct nl_sock *s, struct pod_net_counter *list, const uint32_t *ips, size_t len)
{
    uint64_t *passed CLEANUP(free) = xcalloc(len + 1, sizeof *passed);
    pthread_mutex_lock(&n->shape_lock);
    int r = n->tree_open ? shape_passed(s, &n->tree, ips, len, passed) : -ENODEV;
    pthread_mutex_lock(&n->lock);
    for (size_t i = 0; i < len && r == 0; i++) {
        const struct pod_net_record *rec = map_get(&n->records, str_of(list[i].uid));
        if (!rec || rec->ip != ips[i] || !rec->share || rec->share->led != LED_ALL)
            continue;
        list[i].out_bytes = passed[i];
        list[i].device = -rec->share->made;
    }
    pthread_mutex_unlock(&n->lock);
    pthread_mutex_unlock(&n->shape_lock);
}

int pod_net_counters(struct pod_net *n, struct pod_net_counter **ret, size_t *ret_len, struct err *err)
{
    struct nl_sock s = NL_SOCK_INIT;
    struct nl_links links = {0};
    struct nl_addrs addrs = {0};
    int r = nl_open(&s, NETLINK_ROUTE);
    if (r == 0)
        r = nl_link_list_counters(&s, &links);
    if (r == 0 && n->node_ip)
        r = nl_addr_list(&s, &addrs);
    struct pod_net_counter *list = xarray(links.all.len + 2, struct pod_net_counter);
    uint32_t *ips CLEANUP(free) = xcalloc(links.all.len + 2, sizeof *ips);
    size_t len = 2;
    list[0] = (struct pod_net_counter){0};
    list[1] = (struct pod_net_counter){.uid = "*"};
    for (size_t i = 0; r == 0 && i < links.all.len; i++) {
        const struct nl_link *l = &links.all.p[i];
        str uid;
        uint32_t ip;
        for (size_t k = 0; k < addrs.all.len; k++)
            if (addrs.all.p[k].ip == n->node_ip && addrs.all.p[k].index == l->index)
                list[0] = (struct pod_net_counter){.device = l->index, .out_bytes = l->tx_bytes, .in_bytes = l->rx_bytes};
        if (strcmp(l->name, n->bridge) == 0)
            list[1] = (struct pod_net_counter){.uid = "*", .device = l->index, .out_bytes = l->rx_bytes, .in_bytes = l->tx_bytes};
        if (!pod_net_alias_parse(n, l->alias, &uid, &ip) || uid.len > POD_NET_UID_MAX)
            continue;
        /* what the node's end receives is what the pod sent */
        struct pod_net_counter *c = &list[len];
        ips[len++] = ip;
        *c = (struct pod_net_counter){.device = l->index, .out_bytes = l->rx_bytes, .in_bytes = l->tx_bytes};
        memcpy(c->uid, uid.p, uid.len);
        c->uid[uid.len] = 0;
    }
    vec_fini(&links.all);
    vec_fini(&addrs.all);
    if (r == 0 && len > 2)
        count_passed(n, &s, list + 2, ips + 2, len - 2);
    nl_close(&s);
    if (r < 0) {
        free(list);
        return err_sys(err, -r, "cannot read the counters of the pods' links");
    }
    *ret = list;
    *ret_len = len;
    return 0;
}
