/* SPDX-License-Identifier: Apache-2.0 */
#include "http/outq.h"

struct outq_batch {
    struct outq_batch *next;
    uint32_t at, count;  /* bufs[at] is the front */
    uint32_t offset;     /* in it */
    struct http_buf *bufs[];
};

static struct outq_batch *batch_add(struct outq *q, size_t count)
{
    struct outq_batch *b = xmalloc(sizeof *b + count * sizeof b->bufs[0]);
    *b = (struct outq_batch){0};
    if (q->last_)
        q->last_->next = b;
    else
        q->first_ = b;
    q->last_ = b;
    return b;
}

/* Empty buffers are left out, so that a front is never empty while the queue has bytes. */
void outq_add(struct outq *q, struct http_buf *const *bufs, size_t nbufs)
{
    size_t bytes = 0;
    for (size_t i = 0; i < nbufs; i++)
        bytes += bufs[i]->len;
    if (!bytes)
        return;
    struct outq_batch *b = batch_add(q, nbufs);
    for (size_t i = 0; i < nbufs; i++) {
        if (bufs[i]->len)
            b->bufs[b->count++] = http_buf_ref(bufs[i]);
    }
    q->bytes += bytes;
}

void outq_add_bytes(struct outq *q, str bytes)
{
    if (!bytes.len)
        return;
    struct outq_batch *b = batch_add(q, 1);
    b->bufs[b->count++] = http_buf_new(bytes);
    q->bytes += bytes.len;
}

str outq_front(const struct outq *q)
{
    const struct outq_batch *b = q->first_;
    if (!b)
        return S("");
    const struct http_buf *buf = b->bufs[b->at];
    return str_n(buf->data + b->offset, buf->len - b->offset);
}

static void batch_pop(struct outq *q)
{
    struct outq_batch *b = q->first_;
    q->first_ = b->next;
    if (!q->first_)
        q->last_ = NULL;
    free(b);
}

void outq_skip(struct outq *q, size_t n)
{
    q->bytes -= n;
    while (n) {
        struct outq_batch *b = q->first_;
        struct http_buf *buf = b->bufs[b->at];
        size_t step = MIN(n, (size_t)(buf->len - b->offset));
        n -= step;
        b->offset += (uint32_t)step;
        if (b->offset < buf->len)
            break;
        http_buf_unref(buf);
        b->offset = 0;
        if (++b->at == b->count)
            batch_pop(q);
    }
}

size_t outq_take(struct outq *q, char *out, size_t max)
{
    size_t n = 0;
    while (n < max && q->bytes) {
        str front = outq_front(q);
        size_t step = MIN(front.len, max - n);
        memcpy(out + n, front.p, step);
        outq_skip(q, step);
        n += step;
    }
    return n;
}

void outq_clear(struct outq *q)
{
    while (q->first_) {
        struct outq_batch *b = q->first_;
        for (uint32_t i = b->at; i < b->count; i++)
            http_buf_unref(b->bufs[i]);
        batch_pop(q);
    }
    q->bytes = 0;
}
