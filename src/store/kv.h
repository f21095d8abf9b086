/* kv.h - making versions: for implementations of the store, not for its users.
 *
 * Threads: a version that is not published yet belongs to one thread. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "store/store.h"

/* A version with one reference, its bytes copied; mod_rev and create_rev are still to be set.  With rev_at > 0, `gap` bytes are left
 * free in the value at that place for the revision. */
struct store_kv *store_kv_new(str key, str value, uint32_t rev_at, uint32_t gap) MUST_CHECK;
/* Decimal digits of a revision. */
uint32_t store_rev_digits(rev_t rev);
/* Writes the revision into the gap; when the number of digits is not the gap's, the version is allocated anew. */
struct store_kv *store_kv_set_mark(struct store_kv *kv, uint32_t gap, rev_t rev) MUST_CHECK;

static inline size_t store_kv_bytes(const struct store_kv *kv)
{
    return sizeof *kv + kv->key_len + kv->value_len + 2;
}
