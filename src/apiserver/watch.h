/* watch.h - from store events to watchers.
 *
 * One hub a loop.  It follows the whole store with one store watch and hands each event to the watchers of that resource; the bytes of an event are made once for all watchers
 * that want the same form, and shared by reference.
 *
 *   store ─► hub (cursor c) ─► topic "apps/deployments" ─► watcher {namespace, name, selectors, form} ─► stream
 *
 * A watch from revision r < c is caught up from the store's window first, in the same turn, so that no event is lost or repeated where the two meet.
 * Threads: a hub and its watchers belong to their loop.
 * Limits: a watcher with more than LIMIT_WATCH_BUFFER_BYTES unsent is ended; it can resume from its last revision. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "apiserver/request.h"

struct watch_hub;

int watch_hub_new(struct apiserver *s, struct loop *loop, struct watch_hub **ret, struct err *err) MUST_CHECK;
void watch_hub_free(struct watch_hub *h); /* its loop has stopped */
struct loop *watch_hub_loop(const struct watch_hub *h);
void watch_hub_drain(struct watch_hub *h); /* on its loop: ends all watchers */
/* The in-process watcher of this request was stopped by its owner, or its HTTP peer went away. */
void watch_gone(struct api_req *q);
