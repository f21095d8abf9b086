/* jsonpath.h - kubectl's JSONPath: templates for -o jsonpath, simple paths for printer columns and --for=jsonpath.
 *
 * Supports what k8s.io/client-go/util/jsonpath documents: {.a.b}, [0], [-1], [1:3:2], [*], ['a','b'], ..x, {range}{end},
 * filters [?(@.x=="y")], text, quoted strings, escapes; beyond that && and || in filters.
 * Threads: pure; a compiled path is immutable.
 * Ownership: arena; a compiled path copies its text.
 * Limits: LIMIT_JSON_DEPTH; one evaluation looks at JSONPATH_MAX_RESULTS values over all its steps, then E_TOO_LARGE. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "wire/json.h"

#define JSONPATH_MAX_RESULTS (1u << 20)

struct jsonpath;
/* relaxed: ".a.b" and "a.b" are read as {.a.b} (custom-columns, printer columns). */
int jsonpath_compile(struct arena *a, str text, bool relaxed, struct jsonpath **ret, struct err *err) MUST_CHECK;
/* Appends the printed result.  allow_missing: absent keys print nothing; else E_NOT_FOUND "x is not found". */
int jsonpath_print(struct arena *a, const struct jsonpath *p, const struct json *v, bool allow_missing, struct strbuf *out,
                   struct err *err) MUST_CHECK;
/* All values a single-path expression yields, as pointers into v (arena array); absent keys yield none. */
int jsonpath_find(struct arena *a, const struct jsonpath *p, const struct json *v, const struct json ***ret, size_t *ret_n,
                  struct err *err) MUST_CHECK;

/* One value as -o jsonpath shows it: strings as they are, numbers as Go prints them, objects and arrays as compact JSON with
 * sorted keys. */
void jsonpath_write_value(struct arena *a, struct strbuf *b, const struct json *v);
/* The members of an object in the order of their keys: an arena array of v->len pointers. */
const struct json_member **jsonpath_sorted_members(struct arena *a, const struct json *v);
/* One value as Go's %v shows it, for custom-columns: "map[a:1 b:2]", "[x y]", "<nil>". */
void jsonpath_write_go(struct arena *a, struct strbuf *b, const struct json *v);
