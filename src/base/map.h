/* map.h - open-addressing hash map from string to pointer.
 *
 *     struct map m = MAP_INIT;
 *     map_put(&m, key, value);       // keeps the key's pointer: the bytes must outlive the entry
 *     v = map_get(&m, key);          // NULL when absent
 *     map_foreach(e, &m) use(e->key, e->value);
 * Threads: one at a time.
 * Ownership: neither keys nor values; map_fini frees only the table.
 * Limits: grows by doubling at 3/4 load; all operations amortised O(1). */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/str.h"

struct map_entry {
    str key; /* key.p NULL: free slot */
    void *value;
};

struct map {
    struct map_entry *slots_;
    size_t cap_; /* power of two, or 0 */
    size_t len;
};

#define MAP_INIT ((struct map){0})
void map_fini(struct map *m);
void map_clear(struct map *m);
void *map_get(const struct map *m, str key);
bool map_has(const struct map *m, str key);
struct map_entry *map_find(const struct map *m, str key); /* NULL when absent */
/* Adds or replaces; returns the former value or NULL.  On replace the old key pointer is kept. */
void *map_put(struct map *m, str key, void *value);
/* Removes; returns the former value or NULL. */
void *map_del(struct map *m, str key);

struct map_entry *map_next_(const struct map *m, struct map_entry *after);
#define map_foreach(e, m)                                                                          \
    for (struct map_entry *e = map_next_((m), NULL); e; e = map_next_((m), e))
