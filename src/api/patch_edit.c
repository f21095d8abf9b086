/* SPDX-License-Identifier: Apache-2.0 */
#include "api/patch_edit.h"

static void index_add(struct patch_edit *e, uint32_t at)
{
    map_put(&e->index_, e->obj_.members[at].key, (void *)(uintptr_t)(at + 1));
}

static void index_build(struct patch_edit *e)
{
    e->indexed_ = true;
    for (uint32_t i = 0; i < e->obj_.len; i++)
        index_add(e, i);
}

struct patch_edit patch_edit_begin(struct arena *a, const struct json *original, size_t expected)
{
    struct patch_edit e = {.obj_ = json_object(), .arena_ = a, .index_ = MAP_INIT};
    size_t len = json_is(original, JSON_OBJECT) ? original->len : 0;
    e.obj_.cap = (uint32_t)(len + expected);
    e.obj_.members = e.obj_.cap ? arena_alloc(a, e.obj_.cap * sizeof *e.obj_.members) : NULL;
    if (len)
        memcpy(e.obj_.members, original->members, len * sizeof *e.obj_.members);
    e.obj_.len = (uint32_t)len;
    if (len + expected >= PATCH_EDIT_INDEX_FROM)
        index_build(&e);
    return e;
}

struct json *patch_edit_get(struct patch_edit *e, str key)
{
    if (!e->indexed_)
        return json_get(&e->obj_, key);
    uintptr_t at = (uintptr_t)map_get(&e->index_, key);
    return at ? &e->obj_.members[at - 1].value : NULL;
}

void patch_edit_set(struct patch_edit *e, str key, struct json value)
{
    struct json *v = patch_edit_get(e, key);
    if (v) {
        *v = value;
        return;
    }
    if (e->obj_.len == e->obj_.cap) {
        uint32_t cap = e->obj_.cap ? e->obj_.cap * 2 : 4;
        e->obj_.members = arena_grow(e->arena_, e->obj_.members, e->obj_.len * sizeof *e->obj_.members,
                                     cap * sizeof *e->obj_.members);
        e->obj_.cap = cap;
    }
    e->obj_.members[e->obj_.len++] = (struct json_member){.key = key, .value = value};
    if (e->indexed_)
        index_add(e, e->obj_.len - 1);
    else if (e->obj_.len >= PATCH_EDIT_INDEX_FROM)
        index_build(e);
}

void patch_edit_del(struct patch_edit *e, str key)
{
    if (!e->indexed_) {
        json_del(&e->obj_, key);
        return;
    }
    uintptr_t at = (uintptr_t)map_del(&e->index_, key);
    if (!at)
        return;
    e->obj_.members[at - 1].value.type = PATCH_EDIT_GONE;
    e->deleted_ = true;
}

struct json patch_edit_end(struct patch_edit *e)
{
    if (!e->deleted_)
        return e->obj_;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < e->obj_.len; i++)
        if (e->obj_.members[i].value.type != PATCH_EDIT_GONE)
            e->obj_.members[kept++] = e->obj_.members[i];
    e->obj_.len = kept;
    return e->obj_;
}
