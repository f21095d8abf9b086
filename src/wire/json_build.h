/* json_build.h - makes a tree from a stream of values: what the JSON and the YAML reader share; private to wire.
 *
 * While an array or object is open its items lie on a scratch stack; when it closes they are copied to the arena in
 * one piece, so that a tree is made of exact-size arrays.  For {"a":1,"b":[2,3]} at the byte behind 3:
 *
 *     scratch:  [a = 1] [b = ?] | 2 | 3          frames: {object, base 0, at 1} {array, base 80, at 1}
 *
 * The frames also give the path of a key that occurs twice.
 * Threads: one at a time.  Ownership: the scratch memory, freed by json_build_fini.
 * Limits: LIMIT_JSON_DEPTH frames; large objects find their keys by hash. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/limits.h"
#include "wire/json.h"
#include "wire/json_index.h"

#define JSON_BUILD_ON_STACK 8192 /* bytes of scratch that need no malloc: enough for a pod */

struct json_frame {
    size_t base;             /* offset of the first item in scratch */
    uint32_t count;          /* items so far */
    uint32_t at;             /* the item that is being read */
    uint64_t seen;           /* a bit for each key so far: a clear bit proves that a key is new */
    struct json_index index; /* objects of JSON_INDEX_FROM members and more */
    bool object;
};

struct json_build {
    struct arena *arena;
    struct json_parse_opts *opts;
    char *scratch;
    size_t used, room; /* bytes of scratch */
    unsigned depth;
    unsigned dups_seen;
    struct json_frame frames[LIMIT_JSON_DEPTH];
    _Alignas(16) char first[JSON_BUILD_ON_STACK];
};

/* Not zeroed as a whole: it is 16 KiB, and frames are set when they are opened. */
static inline void json_build_init(struct json_build *b, struct arena *a, struct json_parse_opts *opts)
{
    b->arena = a;
    b->opts = opts;
    b->scratch = b->first;
    b->used = 0;
    b->room = sizeof b->first;
    b->depth = 0;
    b->dups_seen = 0;
}
void json_build_fini(struct json_build *b);
void json_build_grow(struct json_build *b);
void json_build_report_dup(struct json_build *b);
bool json_build_find(struct json_build *b, struct json_frame *f, str key, uint32_t *ret_at);

/* Opens an array or object inside the innermost one; NULL: too deep. */
static inline struct json_frame *json_build_open(struct json_build *b, bool object)
{
    if (unlikely(b->depth == LIMIT_JSON_DEPTH))
        return NULL;
    struct json_frame *f = &b->frames[b->depth++];
    f->base = b->used;
    f->count = f->at = 0;
    f->seen = 0;
    f->index.slots_ = NULL;
    f->object = object;
    return f;
}

static inline void *json_build_push(struct json_build *b, size_t size)
{
    if (unlikely(b->room - b->used < size))
        json_build_grow(b);
    void *p = b->scratch + b->used;
    b->used += size;
    return p;
}

static inline struct json_member *json_build_members(const struct json_build *b, const struct json_frame *f)
{
    return (struct json_member *)(void *)(b->scratch + f->base);
}

/* Makes room for the value of `key` in the innermost object f: f->at says where.  False: the key was there, its value
 * will be replaced. */
static inline bool json_build_key(struct json_build *b, struct json_frame *f, str key)
{
    unsigned char last = key.len ? (unsigned char)key.p[key.len - 1] : 0;
    unsigned char first = key.len ? (unsigned char)key.p[0] : 0;
    uint64_t bit = (uint64_t)1 << ((first * 5u + last * 3u + key.len * 7u) & 63);
    if (unlikely(f->seen & bit || f->count >= JSON_INDEX_FROM) && json_build_find(b, f, key, &f->at))
        return false;
    f->seen |= bit;
    struct json_member *m = json_build_push(b, sizeof *m);
    m->key = key;
    f->at = f->count++;
    if (unlikely(f->index.slots_ != NULL))
        json_index_add(&f->index, json_build_members(b, f), f->at);
    return true;
}

/* The value of the key that was given last. */
static inline void json_build_set(struct json_build *b, struct json_frame *f, struct json value)
{
    json_build_members(b, f)[f->at].value = value;
}

/* One more item of the innermost array f; f->at becomes the number of the next. */
static inline void json_build_add(struct json_build *b, struct json_frame *f, struct json value)
{
    *(struct json *)json_build_push(b, sizeof value) = value;
    f->at = ++f->count;
}

/* Closes the innermost frame, f. */
static inline void json_build_close(struct json_build *b, struct json_frame *f, struct json *ret)
{
    size_t bytes = f->count * (f->object ? sizeof(struct json_member) : sizeof(struct json));
    *ret = (struct json){.type = f->object ? JSON_OBJECT : JSON_ARRAY, .len = f->count, .cap = f->count};
    if (f->count)
        ret->items = memcpy(arena_alloc(b->arena, bytes), b->scratch + f->base, bytes);
    if (unlikely(f->index.slots_ != NULL))
        json_index_fini(&f->index);
    b->used = f->base;
    b->depth--;
}
