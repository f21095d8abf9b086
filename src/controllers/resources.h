/* resources.h - which resources the API server has, by its discovery documents.
 *
 * A set is immutable and counted; a refresh makes a new one.  All versions are in it; `preferred` marks the one to list, watch and delete through.
 * Threads: the loop's.
 * Ownership: resources_current borrows; keep a set over a callback with resource_set_ref. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/arena.h"
#include "base/list.h"
#include "client/transport.h"

enum resource_verb { RESOURCE_GET = 1, RESOURCE_LIST = 2, RESOURCE_WATCH = 4, RESOURCE_DELETE = 8, RESOURCE_DELETECOLLECTION = 16, RESOURCE_PATCH = 32 };

struct resource {
    str group, version, kind, plural;
    bool namespaced;
    bool preferred;
    unsigned verbs; /* enum resource_verb */
};

struct resource_set {
    unsigned refs;
    struct arena arena;
    struct resource *items;
    size_t len;
    str failed; /* "a/v1, b/v2": group versions that did not answer; "" none */
};
struct resource_set *resource_set_ref(struct resource_set *s);
void resource_set_unref(struct resource_set *s);
/* The version that is preferred, NULL when there is none. */
const struct resource *resource_find(const struct resource_set *s, str group, str plural);
/* The same by kind. */
const struct resource *resource_find_kind(const struct resource_set *s, str group, str kind);
bool resource_has(const struct resource *r, unsigned verbs); /* all of them */

/* "/apis/apps/v1/namespaces/NS/deployments/NAME"; ns "" : all namespaces or cluster scope, name "" : the collection. */
str resource_path(struct arena *a, const struct resource *r, str ns, str name);
/* One path segment, percent-encoded. */
void resource_path_segment(struct strbuf *b, str text);

struct resources;
struct resources *resources_new(struct client_transport *transport, struct loop *loop) MUST_CHECK;
void resources_free(struct resources *r); /* nothing is under way, or never will be again */
struct resource_set *resources_current(struct resources *r); /* NULL before the first refresh */

/* Asks the server and calls done with a set that is no older than this call; set is NULL when the server did not answer at all. */
struct resources_wait {
    struct list link_;
    void (*done)(struct resources_wait *w, struct resource_set *set);
};
void resources_refresh(struct resources *r, struct resources_wait *w);
