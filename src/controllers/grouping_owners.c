/* SPDX-License-Identifier: Apache-2.0 */
#include "controllers/grouping_owners.h"

#include "base/arena.h"
#include "base/groups.h"

void grouping_owners_init(struct grouping_owners *o)
{
    *o = (struct grouping_owners){.pods = MAP_INIT, .owners = MAP_INIT};
    list_init(&o->texts_);
}

/* --- owners -------------------------------------------------------------------------------------------------------------------------- */

static struct grouping_owner *owner_get(struct grouping_owners *o, str uid)
{
    struct grouping_owner *w = map_get(&o->owners, uid);
    if (w)
        return w;
    w = xnew(struct grouping_owner);
    w->uid = str_n(str_dup(uid), uid.len);
    list_init(&w->pods);
    list_init(&w->text_link_);
    map_put(&o->owners, w->uid, w);
    return w;
}

static void drop_text(struct grouping_owners *o, struct grouping_owner *w)
{
    if (!w->text)
        return;
    free(TAKE(w->text));
    list_del(&w->text_link_);
    o->ntexts_--;
}

/* When nothing needs it any more. */
static void prune(struct grouping_owners *o, struct grouping_owner *w)
{
    if (w->text || !list_empty(&w->pods))
        return;
    map_del(&o->owners, w->uid);
    free((char *)w->uid.p);
    free(w);
}

bool grouping_owner_text(const struct grouping_owners *o, str uid, nsec_t now, str *ret)
{
    const struct grouping_owner *w = map_get(&o->owners, uid);
    if (!w || !w->text || now - w->read_ns > GROUPING_TEXT_NS)
        return false;
    *ret = str_n(w->text, w->text_len);
    return true;
}

void grouping_owner_keep(struct grouping_owners *o, str uid, str text, nsec_t now)
{
    struct grouping_owner *w = owner_get(o, uid);
    drop_text(o, w);
    w->text = str_dup(text);
    w->text_len = text.len;
    w->read_ns = now;
    list_add_tail(&o->texts_, &w->text_link_);
    if (++o->ntexts_ <= GROUPING_TEXTS)
        return;
    struct grouping_owner *oldest = list_first(&o->texts_, struct grouping_owner, text_link_);
    drop_text(o, oldest);
    prune(o, oldest);
}

struct grouping_owner *grouping_owner_saw(struct grouping_owners *o, str uid, uint64_t hash)
{
    struct grouping_owner *w = map_get(&o->owners, uid);
    if (!w || (hash && w->seen == hash))
        return NULL;
    w->seen = hash;
    drop_text(o, w);
    if (hash && !list_empty(&w->pods))
        return w;
    prune(o, w);
    return NULL;
}

/* --- pods ------------------------------------------------------------------------------------------------------------------------------ */

struct grouping_pod *grouping_pod_find(const struct grouping_owners *o, str key)
{
    return map_get(&o->pods, key);
}

struct grouping_pod *grouping_pod_get(struct grouping_owners *o, str key)
{
    struct grouping_pod *p = map_get(&o->pods, key);
    if (p)
        return p;
    p = xnew(struct grouping_pod);
    p->key = str_n(str_dup(key), key.len);
    p->group = S("");
    list_init(&p->link);
    list_init(&p->group_link_);
    map_put(&o->pods, p->key, p);
    return p;
}

/* Groups and pods of one namespace: "ns/group" of "ns/pod". */
static str group_key(struct arena *a, const struct grouping_pod *p)
{
    str rest = p->key, ns;
    str_cut(&rest, '/', &ns);
    return arena_fmt(a, STR_FMT "/" STR_FMT, STR_ARG(ns), STR_ARG(p->group));
}

static void let_go(struct grouping_owners *o, struct grouping_pod *p)
{
    ARENA_AUTO a = ARENA_INIT;
    list_del(&p->link);
    list_del(&p->group_link_);
    if (p->group.len)
        groups_prune(&o->groups_, group_key(&a, p));
    if (p->holder)
        prune(o, TAKE(p->holder));
    if (p->group.len)
        free((char *)p->group.p);
    p->group = S("");
}

void grouping_pod_hold(struct grouping_owners *o, struct grouping_pod *p, str holder_uid, str group)
{
    if (p->holder && str_eq(p->holder->uid, holder_uid) && str_eq(p->group, group))
        return;
    str name = group.len ? str_n(str_dup(group), group.len) : S(""); /* may be the pod's own */
    let_go(o, p);
    struct grouping_owner *w = owner_get(o, holder_uid);
    p->holder = w;
    p->group = name;
    list_add_tail(&w->pods, &p->link);
    ARENA_AUTO a = ARENA_INIT;
    if (name.len)
        list_add_tail(groups_get(&o->groups_, group_key(&a, p)), &p->group_link_);
}

struct grouping_pod *grouping_pod_in(const struct grouping_owners *o, str key)
{
    struct list *l = groups_find(&o->groups_, key);
    return l && !list_empty(l) ? list_first(l, struct grouping_pod, group_link_) : NULL;
}

void grouping_pod_drop(struct grouping_owners *o, struct grouping_pod *p)
{
    if (!p)
        return;
    let_go(o, p);
    map_del(&o->pods, p->key);
    free((char *)p->key.p);
    free(p);
}

void grouping_owners_fini(struct grouping_owners *o)
{
    map_foreach(e, &o->pods)
    {
        struct grouping_pod *p = e->value;
        if (p->group.len)
            free((char *)p->group.p);
        free((char *)p->key.p);
        free(p);
    }
    map_foreach(e, &o->owners)
    {
        struct grouping_owner *w = e->value;
        free(w->text);
        free((char *)w->uid.p);
        free(w);
    }
    groups_fini(&o->groups_);
    map_fini(&o->pods);
    map_fini(&o->owners);
}
