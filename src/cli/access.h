/* access.h - RBAC rules as lines of a table: one resource (and name) or one URL each, with all verbs on it.
 *
 *     {resources: [pods], verbs: [get]} and {resources: [pods, secrets], verbs: [list]}   ->   pods [get list], secrets [list]
 * Threads: main only.  Ownership: strings point into the rules; the list itself is freed by access_fini. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/vec.h"
#include "wire/json.h"

struct access {
    str resource, group, name, url;
    struct json verbs;
    str sort_key;
};
struct access_list {
    struct arena *arena;
    VEC(struct access) p;
};
void access_fini(struct access_list *l);
/* Rules as roles, SelfSubjectRulesReviews and their resource and URL halves have them; NULL: none. */
void access_add_rules(struct access_list *l, const struct json *rules);
/* "pods\t[]\t[]\t[get list]", a line each, in kubectl's order. */
void access_write(struct access_list *l, struct strbuf *b, const char *indent);
/* "[get list]" */
void access_write_words(struct strbuf *b, const struct json *words);
