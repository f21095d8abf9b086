/* symbols.h - strings to small numbers and back: names, label keys and values are compared as numbers everywhere in the engine.
 *
 * Threads: one writer; symbol_text may be called by all while nobody interns.
 * Ownership: keeps copies for as long as the table lives.
 * Limits: 2^32 - 1 strings; never forgets (labels and names of a cluster are few; pod names are not interned). */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/arena.h"
#include "sched/engine/types.h"

struct symbols {
    struct arena arena_;
    str *text_;
    uint32_t len_, cap_;
    uint32_t *slots_; /* open addressing, power of two */
    uint32_t nslots_;
};
void symbols_init(struct symbols *t);
void symbols_fini(struct symbols *t);
sym_t symbol(struct symbols *t, str s);            /* interns; "" is 0 */
sym_t symbol_find(const struct symbols *t, str s); /* 0 when never interned */
static inline str symbol_text(const struct symbols *t, sym_t sym)
{
    return t->text_[sym];
}
