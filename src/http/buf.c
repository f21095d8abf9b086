/* SPDX-License-Identifier: Apache-2.0 */
#include <stdatomic.h>

#include "http/server.h"

struct http_buf *http_buf_alloc(size_t len)
{
    BUG_ON(len > UINT32_MAX);
    struct http_buf *b = xmalloc(sizeof *b + len);
    atomic_init(&b->refs, 1);
    b->len = (uint32_t)len;
    return b;
}

struct http_buf *http_buf_new(str bytes)
{
    struct http_buf *b = http_buf_alloc(bytes.len);
    if (bytes.len)
        memcpy(b->data, bytes.p, bytes.len);
    return b;
}

struct http_buf *http_buf_ref(struct http_buf *b)
{
    atomic_fetch_add_explicit(&b->refs, 1, memory_order_relaxed);
    return b;
}

void http_buf_unref(struct http_buf *b)
{
    if (!b)
        return;
    uint32_t before = atomic_fetch_sub_explicit(&b->refs, 1, memory_order_acq_rel); /* what other holders read happened before the free */
    BUG_ON(before == 0);
    if (before == 1)
        free(b);
}
