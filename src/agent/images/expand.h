/* expand.h - bytes as they were packed in, plain bytes out: gzip, zstd or neither, told by the first four bytes.
 *
 *   expand_feed(bytes) ─► [ gzip members | zstd frames | as they are ] ─► sink(bytes) ...     expand_finish: was that all of it?
 *
 * Several members or frames one after another are one stream; frames that readers shall skip (zstd:chunked has them) are skipped.
 * Threads: one at a time.  Ownership: the sink borrows its bytes.
 * Limits: what comes out has max_bytes at most, whatever goes in; the memory for it is bounded by EXPAND_WINDOW_LOG, zstd's own default for readers. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/err.h"

#define EXPAND_MAGIC_BYTES 4
#define EXPAND_WINDOW_LOG 27 /* 128 MiB, what `zstd --ultra -22` writes; `--long=28` and above is refused */

enum expand_coding { EXPAND_UNKNOWN, EXPAND_PLAIN, EXPAND_GZIP, EXPAND_ZSTD, EXPAND_XZ, EXPAND_BZIP2 };

struct expand_opts {
    const char *what; /* for sentences: "layer", "archive"; a constant */
    uint64_t max_bytes;
    int (*sink)(void *arg, str bytes, struct err *err);
    void *arg;
};

struct expand;

/* What bytes with this beginning are; fewer than EXPAND_MAGIC_BYTES of them are plain. */
enum expand_coding expand_coding_of(str first);

struct expand *expand_new(const struct expand_opts *opts) MUST_CHECK;
void expand_free(struct expand *x);
DEFINE_CLEANUP(struct expand *, expand_free)
/* Errors of the sink come through; after an error nothing more may be fed.
 * E_CORRUPT: damaged; E_TOO_LARGE: more than max_bytes, or a window beyond the limit; E_INVALID_ARG: packed in a way that cannot be read here. */
int expand_feed(struct expand *x, str bytes, struct err *err) MUST_CHECK;
/* All bytes were fed.  E_CORRUPT: it ends in the middle. */
int expand_finish(struct expand *x, struct err *err) MUST_CHECK;
