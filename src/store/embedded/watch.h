/* watch.h - watches of the embedded store: cursors over the history, woken by prefix.
 *
 * A watch reads the history at its own pace (next) and copies references out.  When it has seen everything it arms itself.  For
 * each batch the writer looks up which prefixes of the changed keys are watched (a hash look-up per distinct prefix length) and
 * wakes the armed watches there, once.  An armed watch that was not woken has, by that, nothing to see up to the last batch looked
 * at (`matched`), so its cursor jumps there, or to the batch before the one that woke it: a quiet prefix costs no scan and never
 * expires.
 * Threads: open, close, next from any (one at a time for next); publish from the writer.
 * Ownership: the hub lives inside the store; every watch must be closed before the store is. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/list.h"
#include "base/map.h"
#include "store/embedded/history.h"
#include "store/store_ops.h"

struct watch_length {
    size_t len, groups;
};

struct watch_hub {
    struct history *history;
    struct versions *versions;
    _Atomic size_t open;     /* watches, so that the writer need not take the lock for none */
    _Atomic rev_t matched;   /* changes up to this one have woken whom they concern */
    pthread_mutex_t lock;    /* guards what follows; wake() runs under it */
    struct map groups;       /* prefix -> struct watch_group */
    VEC(struct watch_length) lengths; /* distinct prefix lengths */
    uint64_t pass;
};

void watch_hub_init(struct watch_hub *hub, struct history *h, struct versions *vs, rev_t rev);
void watch_hub_fini(struct watch_hub *hub);
/* The events are in the history and their version is published. */
void watch_hub_publish(struct watch_hub *hub, const struct store_event *events, size_t n, rev_t rev);

int watch_open(struct watch_hub *hub, const struct store_ops *ops, str prefix, rev_t after, void (*wake)(void *arg), void *arg,
               struct store_watch **ret, struct err *err) MUST_CHECK;
void watch_close(struct store_watch *w);
int watch_next(struct store_watch *w, struct store_event *events, size_t max, rev_t *ret_rev) MUST_CHECK;
