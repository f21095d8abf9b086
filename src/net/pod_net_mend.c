/* Links that another program took away: somebody restarts the machine's network, or tidies up.  The bridge and the tunnel are made again as at the start, a pod's link that is
 * a port of nothing is put back, and one that is gone is made anew inside the pod, with the address that it had.
 *
 * A record that is busy is left alone: whoever works on it makes its link; who comes while we do waits.  Records are read before links, so that one that is not busy has its link in the list. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "net/pod_net_internal.h"
#include "rt/failpoint.h"
#include "rt/file.h"

struct pod {
    char *uid;
    char link[IFNAMSIZ];
};
struct pods {
    VEC(struct pod) all;
};

static void list_pods(struct pod_net *n, struct pods *ret)
{
    pthread_mutex_lock(&n->lock);
    map_foreach(e, &n->records) {
        const struct pod_net_record *rec = e->value;
        struct pod p = {.uid = NULL};
        if (rec->busy || !rec->claimed || !rec->netns || !rec->netns[0])
            continue;
        p.uid = str_dup(e->key);
        pod_net_link_name(e->key, p.link);
        vec_push(&ret->all, p);
    }
    pthread_mutex_unlock(&n->lock);
}

static const struct nl_link *find_link(const struct nl_links *all, const char *name)
{
    for (size_t i = 0; i < all->all.len; i++)
        if (strcmp(all->all.p[i].name, name) == 0)
            return &all->all.p[i];
    return NULL;
}

static bool is_up(const struct nl_links *all, const char *name, int index)
{
    const struct nl_link *l = find_link(all, name);
    return l && l->index == index && l->flags & IFF_UP;
}

/* Anybody may give a link the name of a pod's. */
static bool is_link_of(const struct pod_net *n, const struct nl_link *l, const char *uid)
{
    str owner;
    uint32_t ip;
    return pod_net_alias_parse(n, l->alias, &owner, &ip) && str_is(owner, uid);
}

static int put_back(struct pod_net *n, struct nl_sock *s, const struct nl_link *l)
{
    int r = nl_link_set_master(s, l->index, n->bridge_index);
    if (r == 0)
        r = nl_link_set_hairpin(s, l->index);
    return r == 0 ? nl_link_set_up(s, l->index) : r;
}

/* 0: it is there; -ENOENT: the pod has left meanwhile, with its namespace. */
static int make_again(struct pod_net *n, const struct pod *p)
{
    pthread_mutex_lock(&n->lock);
    struct pod_net_record *rec = map_get(&n->records, str_of(p->uid));
    bool mine = rec && !rec->busy;
    if (mine)
        rec->mending = true;
    pthread_mutex_unlock(&n->lock);
    if (!mine)
        return -ENOENT;
    FAILPOINT("net.mend.plug");
    FD_AUTO netns = open(rec->netns, O_RDONLY | O_CLOEXEC);
    int r = netns < 0 ? -errno : pod_net_plug(n, rec, netns);
    pthread_mutex_lock(&n->lock);
    rec->mending = false;
    pthread_cond_broadcast(&n->mended);
    pthread_mutex_unlock(&n->lock);
    return r;
}

static int mend_pods(struct pod_net *n, struct nl_sock *s, const struct pods *pods, const struct nl_links *links, size_t *ret_mended, struct err *err)
{
    int first = 0;
    for (size_t i = 0; i < pods->all.len; i++) {
        const struct pod *p = &pods->all.p[i];
        const struct nl_link *l = find_link(links, p->link);
        if (l && l->master == n->bridge_index)
            continue;
        bool foreign = l && !is_link_of(n, l, p->uid);
        int r = foreign ? -EEXIST : l ? put_back(n, s, l) : make_again(n, p);
        *ret_mended += r == 0;
        if (foreign && first == 0)
            first = err_set(err, E_EXISTS, "the link of the pod with uid %s was taken away and cannot be made again: another program has an interface of its name, %s", p->uid, p->link);
        else if (r < 0 && r != -ENOENT && r != -ENODEV && first == 0)
            first = err_sys(err, -r, "the link of the pod with uid %s was taken away and cannot be made again", p->uid);
    }
    return first;
}

int pod_net_mend(struct pod_net *n, size_t *ret_mended, struct err *err)
{
    struct nl_sock s = NL_SOCK_INIT;
    struct nl_links links = {0};
    struct pods pods = {0};
    size_t mended = 0;
    list_pods(n, &pods);
    int r = nl_open(&s, NETLINK_ROUTE);
    if (r == 0)
        r = nl_link_list(&s, &links);
    r = r < 0 ? err_sys(err, -r, "cannot list the network links") : 0;
    if (r == 0 && (!is_up(&links, n->bridge, n->bridge_index) || (n->mode == POD_NET_VXLAN && !is_up(&links, n->vxlan, n->vxlan_index)))) {
        pthread_mutex_lock(&n->peers_lock);
        r = pod_net_setup_links(n, &s, err);
        pthread_mutex_unlock(&n->peers_lock);
        mended += r == 0;
    }
    if (r == 0)
        r = mend_pods(n, &s, &pods, &links, &mended, err);
    nl_close(&s);
    vec_fini(&links.all);
    for (size_t i = 0; i < pods.all.len; i++)
        free(pods.all.p[i].uid);
    vec_fini(&pods.all);
    *ret_mended = mended;
    return r;
}
