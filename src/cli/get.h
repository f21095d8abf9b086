/* get.h - what `cox get` shares with its watch. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "cli/print.h"
#include "cli/resources.h"

struct get {
    struct session *s;
    struct resource_query query;
    struct printer *printer;
    const char *sort_by; /* NULL: as the server orders */
    int64_t chunk;
    bool ignore_not_found;
    str subresource;
    const str *label_columns;
    size_t nlabel_columns;
};

/* The object or the list, as JSON or as a Table. */
int get_target(struct get *g, const struct target *t, bool as_table, struct json *ret, struct failure *f) MUST_CHECK;
void get_table_options(struct get *g, const struct target *t, bool with_kind, struct print_table *ret);
/* Shows what is there and then changes until it is interrupted. */
int get_watch(struct get *g, const struct targets *sel, bool is_table, struct failure *f) MUST_CHECK;
