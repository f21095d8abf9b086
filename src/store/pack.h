/* pack.h - versions that take little memory: the value compressed against others like it.
 *
 *     plain    refs .. key NUL value NUL                     what readers see, always
 *     packed   refs .. key NUL pack_tail, compressed bytes   only inside an implementation's index
 * Objects of one kind are much alike, so a dictionary of a few of them leaves of another little but its uid, times and addresses: a running
 * pod of 3.4 KB becomes about 300 bytes.  Numbers: docs/decisions/013-packed-values.md.
 *
 *   samples of a family ─► pack_dict_new ─► pack_kv (one thread) ─► index ─► pack_plain (any thread) ─► reader
 * Threads: a pack_dict compresses on one thread at a time; pack_plain and the counting of references on any.
 * Ownership: a packed version holds a reference on its dictionary.  store_kv_unref frees both kinds.
 * Limits: values of PACK_MIN_BYTES to PACK_MAX_BYTES; a dictionary of PACK_DICT_BYTES. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "store/kv.h"

#define PACK_MIN_BYTES 256u
#define PACK_MAX_BYTES (256u << 10) /* large ones are few, and their readers would wait */
#define PACK_DICT_BYTES (32u << 10)

struct pack_dict;

/* From the texts of samples, the most typical last; what is more than PACK_DICT_BYTES is left out from the front.  One reference. */
struct pack_dict *pack_dict_new(const str *samples, size_t n);
void pack_dict_unref(struct pack_dict *d); /* NULL is fine */
/* No more pack_kv with it: gives back what only compressing needs. */
void pack_dict_seal(struct pack_dict *d);

/* The same version, packed; NULL when it would save less than half. */
struct store_kv *pack_kv(struct pack_dict *d, const struct store_kv *kv) MUST_CHECK;
/* The version as readers see it: a reference on itself, or a plain copy. */
struct store_kv *pack_plain(struct store_kv *kv) MUST_CHECK;
/* Bytes it takes in memory. */
size_t pack_resident_bytes(const struct store_kv *kv);
/* The rest of store_kv_unref for a packed one. */
void pack_free(struct store_kv *kv);
