/* store_ops.h - the vtable an implementation of the store fills.
 *
 * store.c checks nothing and calls through; views and watches begin with the struct below, so that it finds the way back. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "store/store.h"

struct store_view {
    const struct store_ops *ops;
};
struct store_watch {
    const struct store_ops *ops;
};

struct store_ops {
    rev_t (*revision)(struct store *s);
    rev_t (*compacted_revision)(struct store *s);
    struct store_kv *(*get)(struct store *s, str key);

    int (*view_open)(struct store *s, rev_t at, struct store_view **ret, struct err *err);
    void (*view_close)(struct store_view *v);
    rev_t (*view_revision)(const struct store_view *v);
    struct store_kv *(*view_get)(struct store_view *v, str key);
    size_t (*view_range)(struct store_view *v, str from, str end, bool (*each)(void *arg, const struct store_kv *kv), void *arg);
    size_t (*view_count)(struct store_view *v, str from, str end);

    int (*submit)(struct store *s, struct store_txn *txn);

    int (*watch_open)(struct store *s, str prefix, rev_t after, void (*wake)(void *arg), void *arg, struct store_watch **ret,
                      struct err *err);
    void (*watch_close)(struct store_watch *w);
    int (*watch_next)(struct store_watch *w, struct store_event *events, size_t max, rev_t *ret_rev);

    int (*compact)(struct store *s, rev_t upto, struct err *err);
    int (*snapshot)(struct store *s, const char *path, struct err *err);
    void (*stats)(struct store *s, struct store_stats *ret);
    void (*close)(struct store *s);
};
