/* json_index.h - finds keys of a large object without looking at all members.
 *
 * Open addressing over member numbers; the members stay where they are and are handed to each call, because the
 * parser's scratch array moves while it grows.  The hash is seeded per process, so that a client cannot choose keys
 * that collide.
 * Threads: one at a time.  Ownership: the slots, freed by json_index_fini.  Limits: as struct json, 2^31 members. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "wire/json.h"

/* Objects up to this size are compared member by member: that is faster than hashing. */
#define JSON_INDEX_FROM 32
#define JSON_INDEX_NONE UINT32_MAX

struct json_index {
    uint32_t *slots_; /* member number + 1, 0: free */
    uint32_t mask_;
    uint32_t len_;
};

void json_index_init(struct json_index *ix, size_t expected);
void json_index_fini(struct json_index *ix);
/* Number of the member with that key, or JSON_INDEX_NONE. */
uint32_t json_index_find(const struct json_index *ix, const struct json_member *members, str key);
/* Adds member number `at`; its key must be in members already and in no other member of the index. */
void json_index_add(struct json_index *ix, const struct json_member *members, uint32_t at);
