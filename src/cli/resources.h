/* resources.h - what a command works on: TYPE NAME..., TYPE/NAME..., TYPE -l ..., or the objects of files, as REST targets.
 *
 *     pods,svc          every pod, every service           (lists; name is "")
 *     pod a b           two pods
 *     pod/a deploy/b    objects of several types
 *     all               a category
 * Threads: main only.  Ownership: targets are in the session's arena. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "cli/manifests.h"
#include "cli/session.h"

struct target {
    const struct discovery_resource *res;
    str ns;   /* "" cluster scope, or all namespaces */
    str name; /* "": the collection */
    struct json object;  /* read from the server or from a file; null when neither has happened */
    str source;          /* file it came from, "" */
};
struct targets {
    struct target *p;
    size_t len, cap_;
    bool is_single; /* exactly one object was named */
    bool is_lists;  /* the targets are collections */
};

struct resource_query {
    const char *const *words;
    size_t nwords;
    bool lists_alone;     /* a type without a name means all of it (get, describe); else that is an error */
    bool select_all;      /* --all */
    bool all_namespaces;  /* -A */
    const char *labels;   /* -l, NULL: none */
    const char *fields;   /* --field-selector */
};
/* The usual options of a verb: words, -l, --field-selector, --all, -A. */
struct resource_query resource_query_of(const struct cli_args *a, size_t first_word);

/* Objects of -f when given, else what the words mean.  Nothing is fetched yet. */
int resources_select(struct session *s, const struct resource_query *q, struct targets *ret, struct failure *f) MUST_CHECK;
/* Reads every object: lists become their items.  What cannot be read is noted in the session and left out. */
int resources_fetch(struct session *s, const struct resource_query *q, const struct targets *sel, struct targets *ret, struct failure *f) MUST_CHECK;
/* Select and fetch. */
int resources_find(struct session *s, const struct resource_query *q, struct targets *ret, struct failure *f) MUST_CHECK;

void targets_add(struct session *s, struct targets *t, struct target one);
/* Kind and namespace of an object from a file; sets its namespace when it has none. */
int target_of_object(struct session *s, struct json *object, str source, struct target *ret, struct failure *f) MUST_CHECK;
/* One type, by any of its names. */
int resource_type_find(struct session *s, str word, const struct discovery_resource **ret, struct failure *f) MUST_CHECK;
str target_path(struct session *s, const struct target *t, str sub);

/* What a list that failed is told as: "Unable to find ... that match label selector ...". */
int resources_list_failed(struct session *s, const struct resource_query *q, const struct target *t, struct failure *f);
/* All pages of a list, as one list object.  query: what to send besides limit and continue. */
int resources_list(struct session *s, str path, str query, str accept, int64_t chunk, struct json *ret, struct failure *f) MUST_CHECK;
