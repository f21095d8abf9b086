/* raw.h - looks into JSON text without making a tree: members of an object, items of an array.
 *
 * For answers of an API server, which are valid JSON already: a watcher of a million objects wants one name or one mark out of most of them.  Text that is not JSON gives
 * "not found" or wrong places inside the text, never a read outside of it.  Keys are compared as they are written (no escapes).
 * Threads: pure functions.  Ownership: results point into the text.  Limits: none; O(bytes skipped). */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/str.h"

/* Text of the member's value; `obj` may go on behind the object. */
bool raw_member(str obj, str key, str *ret);
/* The same for a string value, without its quotes; false also when it has escapes (names, uids and revisions never do). */
bool raw_member_text(str obj, str key, str *ret);
/* From the member's value to the end of the text: cheaper, since the value's end is not looked for. */
bool raw_member_from(str obj, str key, str *ret);

struct raw_items {
    str rest_;
};
bool raw_items_begin(str array, struct raw_items *ret); /* false: no array */
bool raw_items_next(struct raw_items *it, str *ret);
