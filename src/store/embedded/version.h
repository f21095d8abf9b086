/* version.h - the roots that can still be read, and when memory of old ones may go.
 *
 *     oldest ... pinned ... viewed ... current        each with its root, and a dead list: what it was the last to need
 *
 * The writer publishes a version per batch.  Items that fell out of the tree go to the dead list of the version before.  When a
 * version is not read any more, each of its items is either older than the next older version's revision, and is that one's to
 * keep, or is freed.  So an item lives exactly as long as a readable root reaches it, and nothing is counted per node.
 *
 * Readers announce the version they look at in a slot of their own (a hazard pointer): entering is one compare-and-swap on a cache
 * line nobody else writes, and two loads.  Whoever wants to stay longer takes a reference while inside.
 * Threads: enter, leave, unref from any; publish, reclaim, fini from the writer.
 * Limits: 128 readers inside at once; more wait for a slot for the length of a look-up. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "store/embedded/tree.h"

#define VERSION_SLOTS 128

struct version {
    struct tree_node *root;
    rev_t rev;
    _Atomic uint32_t refs; /* views and pins; being current is not counted */
    bool pinned;           /* by the history, for long; writer only */
    struct version *older, *newer;
    tree_items dead;
};

struct versions {
    _Atomic(struct version *) current;
    struct version *oldest; /* writer only */
    struct {
        _Atomic(struct version *) v;
        char pad[64 - sizeof(void *)]; /* a cache line each */
    } slots[VERSION_SLOTS];
};

void versions_init(struct versions *vs, struct tree_node *root, rev_t rev);
/* False, and nothing is freed, when somebody still holds a version. */
bool versions_fini(struct versions *vs);

/* The current version, protected until version_leave(slot). */
struct version *version_enter(struct versions *vs, size_t *ret_slot);
void version_leave(struct versions *vs, size_t slot);
/* Only while inside, or with a reference already held. */
struct version *version_ref(struct version *v);
void version_unref(struct version *v);

/* Takes what is in `retired` and leaves it empty. */
struct version *versions_publish(struct versions *vs, struct tree_node *root, rev_t rev, tree_items *retired);
/* Frees what no readable version needs.  True when some reader still stands in the way, so that it is worth calling again. */
bool versions_reclaim(struct versions *vs);
