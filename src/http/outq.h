/* outq.h - bytes on their way out: shared buffers, one after another, none copied until they are written.
 *
 * Threads: one at a time.  Ownership: a queue holds a reference on each buffer until its last byte was taken.
 * Limits: none of its own; `bytes` lets callers bound it.  Adding n buffers is one allocation. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "http/server.h"

struct outq_batch;
struct outq {
    struct outq_batch *first_, *last_;
    size_t bytes; /* not yet taken */
};

void outq_add(struct outq *q, struct http_buf *const *bufs, size_t nbufs); /* takes references */
void outq_add_bytes(struct outq *q, str bytes);                            /* copies */
/* The bytes that lie together at the front; empty when the queue is. */
str outq_front(const struct outq *q);
void outq_skip(struct outq *q, size_t n);
/* Moves up to max bytes to out; returns how many. */
size_t outq_take(struct outq *q, char *out, size_t max);
void outq_clear(struct outq *q);
