/* outbox.h - requests on their way out: in the order they were added, a bounded number at a time, patiently when the server is away.
 *
 *   add ─► queue ─► in flight (at most `window`) ─► done()
 *            ▲            │ no answer, 429, 503, 504
 *            └────────────┘ in its old place; the whole box waits, 50 ms doubling to 5 s, then sends one to see, then all
 * Other answers, good or bad, are the owner's to judge.  An item is asked whether it is still wanted each time before it is sent.
 * Threads: the loop's.
 * Ownership: items belong to their owners from done() on; path and body stay as they are until then.
 * Limits: as many items as owners add (outbox_len tells them). */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/list.h"
#include "client/transport.h"

struct outbox;

/* Status of an item that was not sent: not wanted any more, or the box was stopped. */
#define OUTBOX_DROPPED (-1)

struct outbox_item {
    struct client_call call; /* the owner fills method, path, content_type, body */
    bool (*wanted)(struct outbox_item *it); /* NULL: always */
    /* The answer is in call.status and call.response; OUTBOX_DROPPED: it was not sent. */
    void (*done)(struct outbox_item *it);
    unsigned max_tries; /* 0: until the server answers */
    str order; /* items of one name (not empty) are never in flight together: the server answers one before it sees the next */
    unsigned tries_;
    uint64_t seq_;
    struct list link_; /* queue or flight */
    struct outbox *box_;
};

struct outbox_opts {
    struct client_transport *transport;
    struct loop *loop;
    unsigned window;
    void (*room)(void *arg); /* may be NULL: an item left the box */
    void *arg;
};
struct outbox *outbox_new(const struct outbox_opts *opts) MUST_CHECK;
void outbox_add(struct outbox *o, struct outbox_item *it);
size_t outbox_len(const struct outbox *o);    /* waiting and in flight */
size_t outbox_flying(const struct outbox *o);
bool outbox_is_paused(const struct outbox *o);
/* What waits is dropped; stopped() runs when the last answer has come, at once or later. */
void outbox_stop(struct outbox *o, void (*stopped)(void *arg), void *arg);
/* After stopped(), or when loop and transport have stopped: then each() (may be NULL) gets the items that will never be answered. */
void outbox_free(struct outbox *o, void (*each)(struct outbox_item *it));
