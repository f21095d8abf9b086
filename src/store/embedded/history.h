/* history.h - the changes of the last while: what watches read and views of the past are made from.
 *
 *     chunk [e e e e]  chunk [e e e e]  chunk [e e . .]          oldest to newest; a chunk is filled once and never changed
 *                 pin ----^         pin ----^                    a version kept every few thousand events
 *
 * A reader takes a reference on a chunk and then needs no lock until it comes to the chunk's end.  A view at revision R starts from
 * the nearest newer version (a pin or the current one) and undoes the events between on a tree of its own.
 * Threads: add and pin from the writer; the rest from any.  One lock, held for a look-up or a hand-over only.
 * Limits: the caller's max_events and max_bytes (bytes that only the history keeps alive), kept to by dropping the oldest chunk. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <pthread.h>

#include "store/embedded/version.h"

#define HISTORY_CHUNK_EVENTS 256
#define HISTORY_CHUNK_BYTES (1u << 20)
#define HISTORY_PIN_EVERY 4096 /* events a view of the past undoes at most: some milliseconds */

struct history_chunk {
    _Atomic uint32_t refs;
    _Atomic uint32_t n; /* events that are there; stored by the writer after each is complete */
    uint64_t number;    /* counts up from chunk to chunk */
    size_t bytes;
    struct store_event events[HISTORY_CHUNK_EVENTS];
};

struct history {
    pthread_mutex_t lock;
    VEC(struct history_chunk *) chunks;
    VEC(struct version *) pins;
    size_t max_events, max_bytes, chunk_events;
    size_t events, bytes;    /* under the lock */
    uint64_t next_number;    /* of the next chunk; under the lock */
    size_t since_pin;        /* writer only */
    _Atomic rev_t compacted; /* changes up to and including this one are forgotten */
};

void history_init(struct history *h, size_t max_events, size_t max_bytes, rev_t compacted);
void history_fini(struct history *h);

/* Takes over the references in the events. */
void history_add(struct history *h, const struct store_event *events, size_t n);
/* After a batch: pins its version now and then (NULL, while the log is replayed: there is none), and forgets what is over the
 * limits. */
void history_batch_done(struct history *h, struct version *v);
void history_compact(struct history *h, rev_t upto);
void history_count(struct history *h, size_t *ret_events, size_t *ret_bytes);

/* The first chunk that may hold an event after `after`, with a reference; NULL when there is none yet.  False: the window begins
 * later. */
bool history_find(struct history *h, rev_t after, struct history_chunk **ret);
/* The chunk after this one, the same way. */
bool history_follow(struct history *h, const struct history_chunk *c, struct history_chunk **ret);
void history_chunk_unref(struct history_chunk *c);

/* What a view at `at` is made from: a version at or after `at` (`current`, or a pin), referenced, and the chunks whose events lie
 * between.  False: the window begins later. */
struct history_span {
    struct version *base;
    VEC(struct history_chunk *) chunks;
};
bool history_span_take(struct history *h, rev_t at, struct version *current, struct history_span *ret);
void history_span_release(struct history_span *s);
