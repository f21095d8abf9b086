/* SPDX-License-Identifier: Apache-2.0 */
#include "base/arena.h"

#ifdef COX_SANITIZE
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(p, n) ((void)(p), (void)(n))
#define ASAN_UNPOISON_MEMORY_REGION(p, n) ((void)(p), (void)(n))
#endif

#define ARENA_FIRST_BLOCK 8192
#define ARENA_MAX_BLOCK (1u << 20)

struct arena_block {
    struct arena_block *next;
    size_t size; /* bytes in data */
    _Alignas(16) char data[];
};

static struct arena_block *block_add(struct arena *a, size_t at_least)
{
    size_t size = a->blocks_ ? MIN(a->blocks_->size * 2, (size_t)ARENA_MAX_BLOCK) : a->first_ ? a->first_ : ARENA_FIRST_BLOCK;
    size = MAX(size, at_least);
    struct arena_block *b = xmalloc(sizeof *b + size);
    b->size = size;
    b->next = a->blocks_;
    if (a->blocks_)
        a->used_ += a->blocks_->size;
    a->blocks_ = b;
    a->at_ = b->data;
    a->end_ = b->data + size;
    ASAN_POISON_MEMORY_REGION(b->data, size);
    return b;
}

void *arena_alloc_slow(struct arena *a, size_t size)
{
    /* under a sanitizer a 16-byte red zone follows every allocation */
#ifdef COX_SANITIZE
    size_t room = size + 16;
#else
    size_t room = size;
#endif
    if ((size_t)(a->end_ - a->at_) < room)
        block_add(a, room);
    void *p = a->at_;
    a->at_ += room;
    ASAN_UNPOISON_MEMORY_REGION(p, size);
    return p;
}

static void blocks_free(struct arena_block *b)
{
    while (b) {
        struct arena_block *next = b->next;
        ASAN_UNPOISON_MEMORY_REGION(b->data, b->size);
        free(b);
        b = next;
    }
}

void arena_fini(struct arena *a)
{
    blocks_free(a->blocks_);
    *a = ARENA_SMALL(a->first_);
}

void arena_reset(struct arena *a)
{
    struct arena_block *b = a->blocks_;
    if (!b)
        return;
    /* keep the oldest (smallest) block: a large request must not leave a large arena behind */
    while (b->next) {
        struct arena_block *next = b->next;
        b->next = NULL;
        blocks_free(b);
        b = next;
    }
    if (b->size > ARENA_FIRST_BLOCK * 8) {
        arena_fini(a);
        return;
    }
    a->blocks_ = b;
    a->used_ = 0;
    a->at_ = b->data;
    a->end_ = b->data + b->size;
    ASAN_POISON_MEMORY_REGION(b->data, b->size);
}

void *arena_grow(struct arena *a, void *p, size_t old_size, size_t new_size)
{
    size_t old_room = (old_size + 15) & ~(size_t)15, new_room = (new_size + 15) & ~(size_t)15;
#ifndef COX_SANITIZE
    if (p && (char *)p + old_room == a->at_ && (size_t)(a->end_ - a->at_) >= new_room - old_room) {
        a->at_ += new_room - old_room;
        return p;
    }
#else
    (void)old_room;
    (void)new_room;
#endif
    void *q = arena_alloc(a, new_size);
    if (old_size)
        memcpy(q, p, old_size);
    return q;
}

const char *arena_cstr(struct arena *a, str s)
{
    char *p = arena_alloc(a, s.len + 1);
    if (s.len)
        memcpy(p, s.p, s.len);
    p[s.len] = 0;
    return p;
}

str arena_str(struct arena *a, str s)
{
    return str_n(arena_cstr(a, s), s.len);
}

str arena_fmt(struct arena *a, const char *fmt, ...)
{
    struct strbuf b = strbuf_on(a);
    va_list ap;
    va_start(ap, fmt);
    strbuf_vaddf(&b, fmt, ap);
    va_end(ap);
    return strbuf_str(&b);
}

str arena_cat(struct arena *a, str x, str y)
{
    char *p = arena_alloc(a, x.len + y.len + 1);
    if (x.len)
        memcpy(p, x.p, x.len);
    if (y.len)
        memcpy(p + x.len, y.p, y.len);
    p[x.len + y.len] = 0;
    return str_n(p, x.len + y.len);
}

size_t arena_bytes(const struct arena *a)
{
    return a->blocks_ ? a->used_ + (size_t)(a->at_ - a->blocks_->data) : 0;
}
