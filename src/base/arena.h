/* arena.h - memory by lifetime: allocate many, free all at once.
 *
 * One arena per request, reconcile or cycle.  arena_reset keeps the first block for the next use.
 * Threads: one at a time.
 * Ownership: everything allocated dies with reset or fini.
 * Limits: none of its own; allocations are 16-byte aligned and O(1).
 * COX_ARENA_MALLOC=1 in a sanitizer build gives every allocation a malloc of its own, so that ASan sees
 * each overrun; free space is poisoned there otherwise. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/str.h"

struct arena_block;

struct arena {
    char *at_;
    char *end_;
    struct arena_block *blocks_; /* newest first */
    size_t used_;                /* bytes in blocks before the newest */
    size_t first_;               /* size of the first block, 0: the usual */
};

#define ARENA_INIT ((struct arena){0})
/* For things of which there are many and which need little: the first block has this size. */
#define ARENA_SMALL(bytes) ((struct arena){.first_ = (bytes)})
void arena_fini(struct arena *a);
void arena_reset(struct arena *a);
#define ARENA_AUTO __attribute__((cleanup(arena_fini))) struct arena

void *arena_alloc_slow(struct arena *a, size_t size) __attribute__((malloc));

/* Uninitialised bytes. */
static inline void *arena_alloc(struct arena *a, size_t size)
{
    size_t need = (size + 15) & ~(size_t)15;
#ifndef COX_SANITIZE
    if (likely((size_t)(a->end_ - a->at_) >= need && need)) {
        void *p = a->at_;
        a->at_ += need;
        return p;
    }
#endif
    return arena_alloc_slow(a, need ? need : 16);
}
static inline void *arena_zalloc(struct arena *a, size_t size)
{
    return memset(arena_alloc(a, size), 0, size);
}
#define arena_new(a, type) ((type *)arena_zalloc((a), sizeof(type)))
#define arena_array(a, n, type) ((type *)arena_zalloc((a), (n) * sizeof(type)))

/* A larger copy of p; in place when p was the last allocation. */
void *arena_grow(struct arena *a, void *p, size_t old_size, size_t new_size);
str arena_str(struct arena *a, str s); /* copy, NUL-terminated */
const char *arena_cstr(struct arena *a, str s);
str arena_fmt(struct arena *a, const char *fmt, ...) PRINTF_LIKE(2, 3);
str arena_cat(struct arena *a, str x, str y);
size_t arena_bytes(const struct arena *a); /* handed out so far, roughly */
