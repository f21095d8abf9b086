/* informer.h - one resource followed from now on: a list in pages, then a watch that is resumed as long as the server can.
 *
 *   start ─► list pages ─► synced ─► watch ──ended──► watch again from the last revision
 *              ▲                       │
 *              └──── 410 or ERROR ◄────┘        failures wait 100 ms, doubling to 30 s
 *
 * It keeps no objects: event() gets each one's text, and whoever needs a cache keeps what it needs.  A list that comes again after a gap shows everything again as
 * INFORMER_LISTED between begin() and synced(): what is not among it is gone.
 * Threads: the loop's.
 * Ownership: the transport outlives the informer; an event's text and trees are valid during the callback.
 * Limits: pages of INFORMER_PAGE objects; bookmarks keep the revision young on quiet resources. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "client/transport.h"
#include "wire/json.h"

#define INFORMER_PAGE 500

struct informer;

enum informer_change { INFORMER_LISTED, INFORMER_ADDED, INFORMER_MODIFIED, INFORMER_DELETED };

struct informer_event {
    enum informer_change change;
    str object; /* JSON text; DELETED: the last state */
    struct arena *arena_;
    struct json meta_, tree_;
    bool has_meta_, has_tree_;
};

struct informer_opts {
    struct client_transport *transport;
    struct loop *loop;
    str path;  /* "/api/v1/pods", copied */
    str query; /* "labelSelector=a%3Db" or "", copied */
    void (*begin)(struct informer *inf); /* a list begins; may be NULL */
    void (*event)(struct informer *inf, struct informer_event *ev);
    void (*synced)(struct informer *inf); /* the list is complete; may be NULL */
    void *owner;
};

struct informer *informer_new(const struct informer_opts *opts) MUST_CHECK; /* starts at once */
void *informer_owner(const struct informer *inf);
bool informer_is_synced(const struct informer *inf); /* at least one list is complete */
/* No event comes after this; stopped() runs when the transport has let go, at once or later, and may free the informer. */
void informer_stop(struct informer *inf, void (*stopped)(struct informer *inf));
/* Everything once more, as after a gap. */
void informer_list_again(struct informer *inf);
void informer_free(struct informer *inf); /* after stopped(), or when loop and transport have stopped */

/* Parts of the event's object, parsed when first asked for, without metadata.managedFields; NULL when the text is not an object. */
const struct json *informer_event_meta(struct informer_event *ev);
const struct json *informer_event_object(struct informer_event *ev);
/* Without a tree; "" when absent. */
str informer_event_ns(const struct informer_event *ev);
str informer_event_name(const struct informer_event *ev);
