/* SPDX-License-Identifier: Apache-2.0 */
#include "client/object_cache.h"

#include "base/groups.h"

static str controller_uid(const struct json *meta)
{
    const struct json *list = json_get(meta, S("ownerReferences"));
    for (uint32_t i = 0; json_is(list, JSON_ARRAY) && i < list->len; i++)
        if (json_get_bool(&list->items[i], S("controller"), false))
            return json_get_str(&list->items[i], S("uid"));
    return S("");
}

static void object_free(struct object *o)
{
    if (!o)
        return;
    arena_fini(&o->arena_);
    free(o);
}

static struct object *object_new(struct object_cache *c, str text, const struct json *meta)
{
    struct object *o = xnew(struct object);
    struct arena *a = &o->arena_;
    *a = ARENA_SMALL(1024);
    str ns = json_get_str(meta, S("namespace")), name = json_get_str(meta, S("name"));
    o->key = ns.len ? arena_fmt(a, STR_FMT "/" STR_FMT, STR_ARG(ns), STR_ARG(name)) : arena_str(a, name);
    o->ns = str_sub(o->key, 0, ns.len);
    o->name = str_from(o->key, o->key.len - name.len);
    o->uid = arena_str(a, json_get_str(meta, S("uid")));
    o->owner_uid = arena_str(a, controller_uid(meta));
    o->text = c->keep ? c->keep(a, text) : arena_str(a, text);
    o->seek = true;
    return o;
}

static void tell(struct object_cache *c, const struct object *was, const struct object *now)
{
    for (size_t i = 0; i < c->subscribers_.len; i++)
        c->subscribers_.p[i].changed(c->subscribers_.p[i].arg, was, now);
}

static void link_in(struct object_cache *c, struct object *o)
{
    map_put(&c->objects_, o->key, o);
    if (o->uid.len)
        map_put(&c->uids_, o->uid, o);
    list_add_tail(groups_get(&c->namespaces_, o->ns), &o->ns_link_);
    list_init(&o->owner_link_);
    if (o->owner_uid.len)
        list_add_tail(groups_get(&c->owners_, o->owner_uid), &o->owner_link_);
}

static void link_out(struct object_cache *c, struct object *o)
{
    map_del(&c->objects_, o->key);
    map_del(&c->uids_, o->uid);
    list_del(&o->ns_link_);
    list_del(&o->owner_link_);
    groups_prune(&c->namespaces_, o->ns);
    groups_prune(&c->owners_, o->owner_uid);
}

static void drop(struct object_cache *c, struct object *o)
{
    link_out(c, o);
    tell(c, o, NULL);
    object_free(o);
}

void object_cache_saw(struct object_cache *c, str text, const struct json *meta, bool deleted)
{
    struct object *o = object_new(c, text, meta);
    struct object *was = map_get(&c->objects_, o->key);
    o->round_ = c->round_;
    if (deleted || !o->name.len || !o->text.len) {
        if (was)
            drop(c, was);
        object_free(o);
        return;
    }
    if (was && str_eq(was->text, o->text)) { /* what is kept is the same */
        was->round_ = c->round_;
        object_free(o);
        return;
    }
    if (was) {
        o->seek = was->seek || !str_eq(was->uid, o->uid);
        link_out(c, was);
    }
    link_in(c, o);
    tell(c, was, o);
    object_free(was);
}

void object_cache_list_begin(struct object_cache *c)
{
    c->round_++;
}

void object_cache_list_end(struct object_cache *c)
{
    VEC(struct object *) gone = {0};
    c->synced = true;
    map_foreach(e, &c->objects_)
    {
        struct object *o = e->value;
        if (o->round_ != c->round_)
            vec_push(&gone, o);
    }
    for (size_t i = 0; i < gone.len; i++)
        drop(c, gone.p[i]);
    vec_fini(&gone);
}

void object_cache_init(struct object_cache *c)
{
    *c = (struct object_cache){.round_ = 1};
}

void object_cache_fini(struct object_cache *c)
{
    map_foreach(e, &c->objects_) object_free(e->value);
    map_fini(&c->objects_);
    map_fini(&c->uids_);
    groups_fini(&c->namespaces_);
    groups_fini(&c->owners_);
    vec_fini(&c->subscribers_);
}

void object_cache_subscribe(struct object_cache *c, object_changed_fn *changed, void *arg)
{
    vec_push(&c->subscribers_, (struct object_subscriber){changed, arg});
}

struct object *object_cache_find(const struct object_cache *c, str key)
{
    return map_get(&c->objects_, key);
}

struct object *object_cache_find_uid(const struct object_cache *c, str uid)
{
    return map_get(&c->uids_, uid);
}

const struct json *object_tree(struct object *o)
{
    if (!o->has_tree_ && json_parse(&o->arena_, o->text, NULL, &o->tree_, NULL) < 0)
        o->tree_ = json_null();
    o->has_tree_ = true;
    return &o->tree_;
}

struct json object_read(struct arena *a, const struct object *o)
{
    struct json tree;
    return json_parse(a, arena_str(a, o->text), NULL, &tree, NULL) == 0 ? tree : json_null();
}

struct list *object_cache_owned(const struct object_cache *c, str owner_uid)
{
    return groups_find(&c->owners_, owner_uid);
}

struct list *object_cache_namespace(const struct object_cache *c, str ns)
{
    return groups_find(&c->namespaces_, ns);
}
