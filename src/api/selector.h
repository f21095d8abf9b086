/* selector.h - label and field selectors: text or LabelSelector to a compiled form, and matching.
 *
 * Threads: a compiled selector is immutable; matching is pure.
 * Ownership: lives in the arena it was compiled on; strings are copied there.
 * Limits: LIMIT_SELECTOR_TERMS. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "api/resource.h"
#include "wire/json.h"

enum selector_op { SELECTOR_EQ, SELECTOR_NE, SELECTOR_IN, SELECTOR_NOT_IN, SELECTOR_EXISTS, SELECTOR_NOT_EXISTS, SELECTOR_GT, SELECTOR_LT };

struct selector_term {
    str key;             /* label key or field path */
    enum selector_op op;
    const str *values;   /* sorted */
    size_t nvalues;
};
struct selector {
    struct selector_term *terms; /* all must hold; none: everything matches */
    size_t nterms;
    bool nothing;                /* matches nothing (null LabelSelector where that is the meaning) */
};

/* "app=web,tier in (a,b),!x": errors are worded as Kubernetes words them ("unable to parse requirement: ..."). */
int selector_parse_labels(struct arena *a, str text, struct selector *ret, struct err *err) MUST_CHECK;
/* metadata.labels of an object, or any object of strings; NULL: no labels. */
bool selector_match_labels(const struct selector *s, const struct json *labels);
/* A LabelSelector object (matchLabels, matchExpressions).  NULL selects nothing, {} everything. */
int selector_from_label_selector(struct arena *a, const struct json *ls, struct selector *ret, struct err *err) MUST_CHECK;
/* "app=web,tier in (a,b)": canonical text, terms sorted by key as kubectl and the scale subresource show it. */
void selector_write(struct strbuf *b, const struct selector *s);

/* "metadata.name=x,status.phase!=Running" with escapes \\ \, \=.  E_INVALID_ARG 'field label not supported: spec.foo' for labels the resource does not offer. */
int selector_parse_fields(struct arena *a, const struct api_resource *r, str text, struct selector *ret, struct err *err) MUST_CHECK;
/* Reads the fields out of the object; absent ones are "" (booleans "false" where Kubernetes does so). */
bool selector_match_fields(const struct selector *s, const struct api_resource *r, const struct json *obj);
/* For matching without a tree: does the label's value stand at the path of its name and nowhere else, "" when it is absent?  And does a term hold for a value? */
bool selector_field_is_plain(const struct api_resource *r, str label);
bool selector_match_value(const struct selector_term *t, str value);
/* The value when the selector pins metadata.name (or metadata.namespace) by equality, else false: lists become gets. */
bool selector_pins(const struct selector *s, str field, str *ret_value);
