/* tree.h - the index: a copy-on-write B+tree from key to version.
 *
 *            inner  [ child | sep child | sep child ]      a separator is the shortest string that tells two neighbours apart
 *                      |          |          |             count[i]: keys below child i, so that ranks cost O(log n)
 *                    leaf       leaf       leaf            [ kv kv kv ... ] in key order
 *
 * A root never changes once it is shared.  An edit copies the nodes on the way to a leaf (once: nodes born under the edit's own tag
 * are changed in place) and gives a new root; what the old root alone still needs is handed to edit.retired as items.  An item
 * (node, separator or version) knows its birth, so whoever keeps old roots knows from which of them it can be reached (version.h).
 * Threads: a shared root may be read by all; an edit belongs to one thread.
 * Ownership: the tree holds one reference on each version.  tree_put takes the caller's; what tree_put and tree_del hand back is the
 * tree's former reference, to be retired or dropped.
 * Limits: keys up to LIMIT_STORE_KEY_BYTES; get, put, del and rank cost O(log n). */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/vec.h"
#include "store/kv.h"

struct tree_node; /* NULL: the empty tree */

/* A pointer with its kind in the low bits. */
typedef uintptr_t tree_item;
typedef VEC(tree_item) tree_items;

struct tree_edit {
    uint64_t tag;        /* birth of the nodes this edit makes; larger than that of every node in the shared tree */
    tree_items *retired; /* NULL: whoever owns the shared tree keeps what falls out */
};

struct store_kv *tree_get(const struct tree_node *root, str key); /* borrowed */
size_t tree_len(const struct tree_node *root);
size_t tree_rank(const struct tree_node *root, str key); /* number of keys before this one */
size_t tree_range(const struct tree_node *root, str from, str end, bool (*each)(void *arg, const struct store_kv *kv), void *arg);

/* Adds or replaces; returns the version that stood there, or NULL. */
struct store_kv *tree_put(struct tree_edit *e, struct tree_node **root, struct store_kv *kv);
/* Removes; NULL when there is no such key. */
struct store_kv *tree_del(struct tree_edit *e, struct tree_node **root, str key);
/* A tree of n versions in strictly ascending key order. */
struct tree_node *tree_build(uint64_t tag, struct store_kv **kvs, size_t n);

/* Frees what was born under this tag: an edit is given up, or a private tree is closed.  Versions are not touched. */
void tree_discard(struct tree_node *root, uint64_t tag);
/* Frees every node and drops the reference on every version. */
void tree_free(struct tree_node *root);

tree_item tree_item_kv(struct store_kv *kv);
uint64_t tree_item_birth(tree_item item); /* tag of the edit; for a version its mod_rev */
void tree_item_free(tree_item item);

/* Checks order, counts, separators and levels; for tests.  NULL, or what is wrong. */
const char *tree_validate(const struct tree_node *root);
