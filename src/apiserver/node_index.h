/* node_index.h - which secrets, configuration, claims and service accounts the pods of a node refer to: one look-up a question.
 *
 *   (node, kind, namespace, name) ─► how many pods of the node refer to it          counted, by a keyed hash of 64 bits
 *   store watch of pods ─► a pod got its node: +1 each   a bound pod went: -1 each   status and the rest: nothing
 *
 * Nothing is done before the first question, so a cluster whose nodes never ask pays nothing.  A question first takes in what has happened since the last one, so an agent that
 * has just seen its pod finds its secret.
 * Threads: any.
 * Limits: 16 bytes and a little for each distinct reference; the first question reads all pods once (some 5 us a bound pod), and so does one after the store's window has
 * passed without any. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "store/store.h"
#include "wire/json.h"

enum node_ref { NODE_REF_SECRET = 's', NODE_REF_CONFIG = 'c', NODE_REF_CLAIM = 'v', NODE_REF_ACCOUNT = 'a', NODE_REF_NAMESPACE = 'n' };
#define NODE_REF_ANY S("*") /* the name with NODE_REF_NAMESPACE: the node has some pod of the namespace */

struct node_index;
struct node_index *node_index_new(struct store *store) MUST_CHECK;
void node_index_free(struct node_index *x);
bool node_index_has(struct node_index *x, str node, enum node_ref kind, str ns, str name);
size_t node_index_len(struct node_index *x); /* distinct references, for tests */

/* Every reference of a pod, in no order; some may come twice. */
void node_refs_each(struct arena *a, const struct json *pod, void (*each)(void *arg, enum node_ref kind, str name), void *arg);
