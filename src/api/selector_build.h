/* selector_build.h - what the label and the field half of selector.h share.
 *
 * Threads: one builder belongs to one call.  Ownership: everything lives in the builder's arena.
 * Limits: LIMIT_SELECTOR_TERMS. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "api/selector.h"

struct selector_builder {
    struct arena *arena;
    struct selector_term *terms;
    size_t n, cap;
};
int selector_builder_add(struct selector_builder *b, struct selector_term t, struct err *err) MUST_CHECK;
/* Terms by key; those of one key keep their order. */
struct selector selector_builder_finish(struct selector_builder *b);
/* Whether the term holds for a value that is present or not. */
bool selector_term_match(const struct selector_term *t, bool present, str value);
