/* SPDX-License-Identifier: Apache-2.0 */
#include "net/shape_watch.h"

#include <errno.h>
#include <linux/rtnetlink.h>

#include "net/nl_ops.h"
#include "rt/failpoint.h"

struct look {
    const struct shape_tree *tree;
    struct shape_news *news;
    uint32_t own;
    bool down; /* some device was not up at some time: also true of one that has just been made */
};

static bool is_device(const struct shape_tree *t, int index)
{
    return index && (index == t->index[SHAPE_OUT] || index == t->index[SHAPE_IN] || index == t->sink);
}

static void on_link(struct look *l, const struct nl_view *v)
{
    struct ifinfomsg h;
    if (v->len < sizeof h)
        return;
    memcpy(&h, v->payload, sizeof h);
    if (!is_device(l->tree, h.ifi_index))
        return;
    l->news->devices |= v->type == RTM_DELLINK;
    l->down |= !(h.ifi_flags & IFF_UP);
}

static bool all_are_up(const struct shape_tree *t)
{
    struct nl_sock s = NL_SOCK_INIT;
    struct nl_links links = {0};
    unsigned up = 0;
    int r = nl_open(&s, NETLINK_ROUTE);
    if (r == 0)
        r = nl_link_list(&s, &links);
    for (size_t i = 0; r == 0 && i < links.all.len; i++)
        up += is_device(t, links.all.p[i].index) && links.all.p[i].flags & IFF_UP;
    vec_fini(&links.all);
    nl_close(&s);
    return up == SHAPE_DEVICES;
}

static void note_link(struct shape_news *n, int index)
{
    size_t i = 0;
    while (i < n->nlinks && n->links[i] != index)
        i++;
    if (i == SHAPE_NEWS_LINKS)
        n->all_links = true;
    else if (i == n->nlinks)
        n->links[n->nlinks++] = index;
}

static void on_traffic_control(struct look *l, const struct nl_view *v)
{
    struct tcmsg h;
    if (v->len < sizeof h)
        return;
    memcpy(&h, v->payload, sizeof h);
    if (is_device(l->tree, h.tcm_ifindex))
        l->news->devices = true;
    else if (v->type == RTM_NEWQDISC || v->type == RTM_DELQDISC || v->type == RTM_DELTFILTER || v->type == RTM_DELCHAIN)
        note_link(l->news, h.tcm_ifindex);
}

static void on_change(void *arg, const struct nl_view *v)
{
    struct look *l = arg;
    if (l->own && v->port == l->own)
        return;
    switch (v->type) {
    case RTM_NEWLINK:
    case RTM_DELLINK:
        on_link(l, v);
        break;
    case RTM_NEWQDISC:
    case RTM_DELQDISC:
    case RTM_NEWTCLASS:
    case RTM_DELTCLASS:
    case RTM_NEWTFILTER:
    case RTM_DELTFILTER:
    case RTM_NEWCHAIN:
    case RTM_DELCHAIN:
        if (v->port) /* without one it is the kernel, which tells that way that we deleted something */
            on_traffic_control(l, v);
        break;
    default:
        break;
    }
}

int shape_watch_open(struct nl_sock *s)
{
    int r = nl_open(s, NETLINK_ROUTE);
    if (r == 0)
        r = nl_join(s, RTNLGRP_LINK);
    if (r == 0)
        r = nl_join(s, RTNLGRP_TC);
    if (r < 0)
        nl_close(s);
    return r;
}

int shape_watch_look(struct nl_sock *s, const struct shape_tree *t, uint32_t own, struct shape_news *ret)
{
    struct look l = {.tree = t, .news = ret, .own = own};
    int r = nl_heard(s, on_change, &l);
    if (r == 0)
        r = -FAILPOINT_ERRNO("net.shape.heard");
    ret->devices |= l.down && !all_are_up(t);
    ret->lost |= r == -ENOBUFS;
    return r == -ENOBUFS ? 0 : r;
}
