/* yaml_scalar.h - what an unquoted YAML scalar means, by the rules of go-yaml v2; private to wire/yaml*.c.
 *
 * Threads: pure functions.  Ownership: results live in the arena or point into the text. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "wire/json.h"

enum yaml_kind {
    YAML_STR,
    YAML_NULL,
    YAML_BOOL,
    YAML_INT,
    YAML_FLOAT,
    YAML_TIME,  /* read as a string, but a string that looks like it is quoted when written */
    YAML_MERGE, /* the tag of << */
    YAML_BINARY,
    YAML_OTHER, /* a tag that is none of these: the text is a string */
};

struct yaml_plain {
    enum yaml_kind kind;
    bool b;             /* BOOL */
    bool negative;      /* INT */
    uint64_t magnitude; /* INT */
    double d;           /* FLOAT, perhaps infinite or NaN */
};

struct yaml_plain yaml_plain_resolve(str text);
/* A scalar with its tag ("tag:yaml.org,2002:int" or STR_NONE); implicit: plain, so that its type follows from its text.
 * E_PARSE with go-yaml's sentence, without any prefix. */
int yaml_scalar_value(struct arena *a, str tag, bool implicit, str text, struct json *ret, struct err *err) MUST_CHECK;
/* The integer of an INT as decimal text. */
str yaml_plain_int(struct arena *a, const struct yaml_plain *p);
/* Whether a string may stand unquoted as far as its type goes. */
bool yaml_plain_is_string(str text);
/* Appends bytes with those that are not UTF-8 replaced by U+FFFD, as Go's encoder replaces them. */
void yaml_add_utf8(struct strbuf *b, str bytes);
