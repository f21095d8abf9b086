/* live_ended.c - pods of groups that have ended: how many of each group did well, how many did not.
 *
 * The engine forgets a pod when it ends.  Here its name stays for as long as its object does: "ns/pod" -> its group and how it ended; and for each group the two sums, which its
 * status tells.  A list after a gap shows everything again; what it did not show is gone.  Beyond LIVE_ENDED pods are not counted. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/live/live_internal.h"

struct ended_group {
    str key; /* "ns/group"; owned */
    struct live_ended_counts n;
};
struct ended_pod {
    str key; /* "ns/pod"; owned */
    struct ended_group *group;
    bool failed;
    uint32_t listing;
};
struct live_ended {
    struct map pods, groups;
};

struct live_ended *live_ended_new(void)
{
    return xnew(struct live_ended);
}

static str key_of(struct arena *a, str ns, str name)
{
    return arena_fmt(a, STR_FMT "/" STR_FMT, STR_ARG(ns), STR_ARG(name));
}

static void count(struct live *l, struct ended_pod *e, int sign)
{
    struct ended_group *g = e->group;
    uint32_t *n = e->failed ? &g->n.failed : &g->n.succeeded;
    *n += (uint32_t)sign;
    if (g->n.failed + g->n.succeeded == 0) {
        map_del(&l->ended_pods->groups, g->key);
        free((char *)g->key.p);
        free(g);
    }
    live_groups_stale(l);
}

static void forget(struct live *l, struct ended_pod *e)
{
    count(l, e, -1);
    map_del(&l->ended_pods->pods, e->key);
    free((char *)e->key.p);
    free(e);
}

void live_ended_pod(struct live *l, str ns, str name, str group, bool failed)
{
    ARENA_AUTO a = ARENA_INIT;
    struct live_ended *x = l->ended_pods;
    str key = key_of(&a, ns, name), group_key = key_of(&a, ns, group);
    struct ended_pod *e = map_get(&x->pods, key);
    if (e && e->failed == failed && str_eq(e->group->key, group_key)) {
        e->listing = l->pod_listing;
        return;
    }
    if (e)
        forget(l, e);
    if (x->pods.len >= LIVE_ENDED)
        return;
    struct ended_group *g = map_get(&x->groups, group_key);
    if (!g) {
        g = xnew(struct ended_group);
        g->key = str_n(str_dup(group_key), group_key.len);
        map_put(&x->groups, g->key, g);
    }
    e = xnew(struct ended_pod);
    *e = (struct ended_pod){.key = str_n(str_dup(key), key.len), .group = g, .failed = failed, .listing = l->pod_listing};
    map_put(&x->pods, e->key, e);
    count(l, e, 1);
}

void live_ended_gone(struct live *l, str ns, str name)
{
    ARENA_AUTO a = ARENA_INIT;
    struct ended_pod *e = l->ended_pods->pods.len ? map_get(&l->ended_pods->pods, key_of(&a, ns, name)) : NULL;
    if (e)
        forget(l, e);
}

void live_ended_sweep(struct live *l)
{
    VEC(struct ended_pod *) gone = {0};
    map_foreach(m, &l->ended_pods->pods) {
        struct ended_pod *e = m->value;
        if (e->listing != l->pod_listing)
            vec_push(&gone, e);
    }
    for (size_t i = 0; i < gone.len; i++)
        forget(l, gone.p[i]);
    vec_fini(&gone);
}

struct live_ended_counts live_ended_of(const struct live *l, str group_key)
{
    const struct ended_group *g = l->ended_pods->groups.len ? map_get(&l->ended_pods->groups, group_key) : NULL;
    return g ? g->n : (struct live_ended_counts){0};
}

void live_ended_free(struct live *l)
{
    struct live_ended *x = l->ended_pods;
    if (!x)
        return;
    map_foreach(m, &x->pods) {
        free((char *)m->key.p);
        free(m->value);
    }
    map_foreach(m, &x->groups) {
        free((char *)m->key.p);
        free(m->value);
    }
    map_fini(&x->pods);
    map_fini(&x->groups);
    free(x);
}
