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

/* The text without metadata.managedFields, which few look at and which is often half of it: the text itself, or a copy in `room`. */
str raw_without_managed_fields(str obj, struct strbuf *room);
/* From the value of metadata to the end of the text, the same way; false: there is none. */
bool raw_metadata_from(str obj, struct strbuf *room, str *ret);

/* All members in one walk. */
struct raw_members {
    str rest_;
};
bool raw_members_begin(str obj, struct raw_members *ret); /* false: no object */
/* The key as it is written, without its quotes. */
bool raw_members_next(struct raw_members *it, str *ret_key, str *ret_value);
/* The same in two steps, so that a value can be walked instead of skipped:
 *     while (raw_members_key(&it, &key)) {
 *         if (str_is(key, "spec") && raw_members_enter(&it, &child)) {
 *             while (raw_members_next(&child, ...)) ...
 *             spec = raw_members_leave(&it, &child);
 *         } else {
 *             value = raw_members_value(&it);
 *         }
 * A child is walked to its end before it is left. */
bool raw_members_key(struct raw_members *it, str *ret_key);
str raw_members_value(struct raw_members *it);
bool raw_members_enter(struct raw_members *it, struct raw_members *ret_child); /* false: no object, nothing has moved */
str raw_members_leave(struct raw_members *it, const struct raw_members *child); /* the object's text */

struct raw_items {
    str rest_;
};
bool raw_items_begin(str array, struct raw_items *ret); /* false: no array */
bool raw_items_next(struct raw_items *it, str *ret);
