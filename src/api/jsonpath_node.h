/* jsonpath_node.h - the compiled form, shared by the parser and the evaluator.
 *
 * A template is a list of TEXT and LIST nodes; a LIST holds the steps of one {action}.
 * Threads: immutable once compiled.  Ownership: the arena given to jsonpath_compile. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "api/jsonpath.h"

enum jsonpath_node_type {
    JSONPATH_LITERAL,     /* text, quoted text, number, true, false: the value replaces what came in */
    JSONPATH_LIST,        /* children one after another */
    JSONPATH_FIELD,       /* .name */
    JSONPATH_WILDCARD,    /* .* */
    JSONPATH_RECURSIVE,   /* .. */
    JSONPATH_ARRAY,       /* [from:to:step] */
    JSONPATH_UNION,       /* [a,b]: children are LISTs */
    JSONPATH_FILTER,      /* [?(...)]: children are CONJUNCTIONs, one must hold */
    JSONPATH_CONJUNCTION, /* children are COMPARISONs, all must hold */
    JSONPATH_COMPARISON,  /* children: left LIST, and right LIST unless op is "" (exists) */
    JSONPATH_IDENTIFIER,  /* range, end; others fail when evaluated */
};

struct jsonpath_bound {
    bool known;
    bool derived; /* [2] is read as [2:3] */
    int64_t value;
};

struct jsonpath_node {
    enum jsonpath_node_type type;
    str name;            /* FIELD, IDENTIFIER; COMPARISON: the operator */
    struct json literal; /* LITERAL */
    struct jsonpath_bound bounds[3];
    struct jsonpath_node *children;
    size_t nchildren, cap_;
};

struct jsonpath {
    struct jsonpath_node root;
};
