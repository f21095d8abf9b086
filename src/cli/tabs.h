/* tabs.h - columns that line up: text with tabs in, padded text out, by the rules of elastic tab stops.
 *
 * A cell is text that a tab ends; what stands behind the last tab of a line is in no column.  Cells of the same column in consecutive lines
 * are a block and get one width, so
 *     "Name:\tweb\nIP:\t10.0.0.1\nPorts\n"   becomes   "Name:  web\nIP:    10.0.0.1\nPorts\n"
 * Threads: one at a time.  Ownership: the struct owns what was added until it is flushed. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/str.h"
#include "base/vec.h"

struct tabs {
    struct strbuf text; /* append to it freely */
    size_t min_width;   /* of a column, padding included */
    size_t padding;
    bool remembers;           /* a flush keeps the widths as least widths of the next one: rows of a watch stay in line */
    VEC(size_t) remembered_;
};

/* What `get` uses, and what `describe` uses. */
#define TABS_TABLE ((struct tabs){.min_width = 6, .padding = 3, .remembers = true})
#define TABS_TEXT ((struct tabs){.min_width = 0, .padding = 2})

void tabs_fini(struct tabs *t);
#define TABS_AUTO __attribute__((cleanup(tabs_fini))) struct tabs
/* Appends the aligned text to out and forgets it. */
void tabs_flush(struct tabs *t, struct strbuf *out);
void tabs_forget_widths(struct tabs *t);
