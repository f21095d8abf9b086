/* cache.h - objects of one resource by namespace and name, kept up to date; indexes by namespace, owner and label.
 *
 *   informer: begin, LISTED ..., synced     ─┐                      ┌─► event(ADDED | MODIFIED | DELETED, before, now)
 *             ADDED, MODIFIED, DELETED      ─┴─► compare, replace ──┴─► synced()
 *
 * Each real change is reported once, whatever way it was learnt: a list that comes again reports what differs, and what is not in
 * it any more as DELETED; an object that was deleted and made again in a gap (another uid) as DELETED and ADDED.  event() runs
 * after the cache has changed.
 * Two ways to fill it: with a transport it has an informer of its own; without, its owner passes on what a shared informer says
 * (cache_begin, cache_apply, cache_synced).
 * Threads: the loop's; an object may be held and read anywhere as long as it is referenced.
 * Ownership: objects are immutable and counted; a look-up borrows until the next event, cache_object_ref keeps.
 * Limits: memory is the objects' text, less managedFields, and about 300 bytes each; look-ups O(1). */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "client/informer.h"

#define CACHE_LABELS 8

struct cache;

struct cache_object {
    str ns, name, uid, revision;
    str controller;          /* uid of the owner with controller: true; "" when none */
    str text;                /* JSON */
    const struct json *tree; /* when opts.parse, else NULL */
    _Atomic uint32_t refs_;
    uint32_t generation_; /* of the list that showed it last */
    uint32_t nmembers_;
    struct cache_member_ *members_; /* places in the indexes */
    struct arena arena_;            /* of the tree */
    str key_;                       /* "ns/name" */
};
const struct cache_object *cache_object_ref(const struct cache_object *o);
void cache_object_unref(const struct cache_object *o); /* NULL is fine */
/* The label's value; false when it has none. */
bool cache_object_label(const struct cache_object *o, str key, str *ret);

enum cache_change { CACHE_ADDED, CACHE_MODIFIED, CACHE_DELETED };

struct cache_opts {
    struct client_transport *transport; /* NULL: fed by the owner, and loop, path and query are not used */
    struct loop *loop;
    str path, query; /* as informer.h; copied */
    bool parse;      /* keeps trees beside the text */
    bool keep_managed_fields;
    bool by_namespace, by_owner; /* by_owner: every ownerReference's uid */
    str by_label[CACHE_LABELS];  /* keys whose values are indexed, up to the first empty one; not copied */
    /* before: NULL when ADDED; now: NULL when DELETED.  May be NULL. */
    void (*event)(struct cache *c, enum cache_change change, const struct cache_object *before, const struct cache_object *now);
    void (*synced)(struct cache *c); /* a list is complete, the first one or another; may be NULL */
    void *owner;
};

struct cache *cache_new(const struct cache_opts *opts) MUST_CHECK;
void *cache_owner(const struct cache *c);
bool cache_is_synced(const struct cache *c); /* at least one list is complete: what is not here did not exist a moment ago */
/* No event comes after this; stopped() as informer_stop; at once when the owner feeds it. */
void cache_stop(struct cache *c, void (*stopped)(struct cache *c));
void cache_free(struct cache *c); /* as informer_free */

/* --- feeding -------------------------------------------------------------------------------------------- */
void cache_begin(struct cache *c);
void cache_apply(struct cache *c, const struct informer_event *ev);
void cache_synced(struct cache *c);

/* --- looking up ----------------------------------------------------------------------------------------- */
const struct cache_object *cache_find(const struct cache *c, str ns, str name); /* NULL when absent */
const struct cache_object *cache_find_key(const struct cache *c, str key);      /* "ns/name", "name" */
size_t cache_len(const struct cache *c);
size_t cache_bytes(const struct cache *c); /* of text */

/* In no order; good until the cache changes. */
struct cache_iter {
    const struct cache *cache_;
    struct map_entry *entry_;
    const struct list *head_, *at_;
    bool begun_;
};
void cache_iter_all(const struct cache *c, struct cache_iter *ret);
void cache_iter_ns(const struct cache *c, str ns, struct cache_iter *ret);      /* opts.by_namespace */
void cache_iter_owner(const struct cache *c, str uid, struct cache_iter *ret);  /* opts.by_owner */
void cache_iter_label(const struct cache *c, str key, str value, struct cache_iter *ret); /* a key of opts.by_label */
const struct cache_object *cache_iter_next(struct cache_iter *it);              /* NULL at the end */
