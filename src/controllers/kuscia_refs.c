/* SPDX-License-Identifier: Apache-2.0 */
#include "controllers/kuscia_refs.h"

#include "base/vec.h"

struct object {
    char *name;
    VEC(struct key *) keys;
};
struct key {
    char *name;
    VEC(struct object *) objects;
};

void kuscia_refs_init(struct kuscia_refs *r)
{
    *r = (struct kuscia_refs){0};
}

static void object_free(struct object *o)
{
    vec_fini(&o->keys);
    free(o->name);
    free(o);
}

static void key_free(struct key *k)
{
    vec_fini(&k->objects);
    free(k->name);
    free(k);
}

void kuscia_refs_fini(struct kuscia_refs *r)
{
    map_foreach(e, &r->objects_)
        object_free(e->value);
    map_foreach(e, &r->keys_)
        key_free(e->value);
    map_fini(&r->objects_);
    map_fini(&r->keys_);
}

static void take_out(struct kuscia_refs *r, struct key *k, const struct object *o)
{
    for (size_t i = k->objects.len; i-- > 0;)
        if (k->objects.p[i] == o)
            vec_remove_swap(&k->objects, i);
    if (!k->objects.len) {
        map_del(&r->keys_, str_of(k->name));
        key_free(k);
    }
}

static bool is_same(const struct object *o, const str *keys, size_t n)
{
    bool same = o->keys.len == n;
    for (size_t i = 0; same && i < n; i++)
        same = str_is(keys[i], o->keys.p[i]->name);
    return same;
}

static struct key *key_of(struct kuscia_refs *r, str name)
{
    struct key *k = map_get(&r->keys_, name);
    if (k)
        return k;
    k = xnew(struct key);
    k->name = str_dup(name);
    map_put(&r->keys_, str_of(k->name), k);
    return k;
}

void kuscia_refs_set(struct kuscia_refs *r, str object, const str *keys, size_t n)
{
    struct object *o = map_get(&r->objects_, object);
    if (o && n && is_same(o, keys, n))
        return;
    if (o) {
        map_del(&r->objects_, object);
        for (size_t i = 0; i < o->keys.len; i++)
            take_out(r, o->keys.p[i], o);
        object_free(o);
    }
    if (!n)
        return;
    o = xnew(struct object);
    o->name = str_dup(object);
    map_put(&r->objects_, str_of(o->name), o);
    for (size_t i = 0; i < n; i++) {
        struct key *k = key_of(r, keys[i]);
        if (k->objects.len && k->objects.p[k->objects.len - 1] == o)
            continue; /* said twice */
        vec_push(&k->objects, o);
        vec_push(&o->keys, k);
    }
}

size_t kuscia_refs_of(const struct kuscia_refs *r, struct arena *a, str key, str **ret)
{
    const struct key *k = map_get(&r->keys_, key);
    size_t n = k ? k->objects.len : 0;
    *ret = arena_array(a, n + 1, str);
    for (size_t i = 0; i < n; i++)
        (*ret)[i] = arena_str(a, str_of(k->objects.p[i]->name));
    return n;
}
