/* json.h - JSON text to a tree and back.
 *
 * The tree is plain data on an arena: arrays of values, arrays of members in the order of the text, numbers
 * kept as their text (int64 and "1.0" stay exact).  It may be changed freely; copying a struct json copies
 * a handle, not the children.
 * Strict: RFC 8259, UTF-8 checked, depth at most LIMIT_JSON_DEPTH, nothing after the value.  A key that
 * occurs twice is reported through json_parse_opts and the last one wins, as Kubernetes does.
 * Threads: one at a time per tree; a tree that nobody changes may be read by all.
 * Ownership: the tree lives in the arena; strings without escapes point into the text, so the text must
 * outlive the tree.
 * Limits: json.len and json.cap are 32 bits; texts over 1 GiB are refused. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/arena.h"
#include "base/err.h"

enum json_type {
    JSON_NULL,
    JSON_BOOL,
    JSON_NUMBER, /* s: the number's text, valid JSON grammar */
    JSON_STRING, /* s: unescaped bytes, valid UTF-8 */
    JSON_ARRAY,
    JSON_OBJECT,
};

struct json_member;

struct json {
    uint8_t type; /* enum json_type */
    bool b;       /* JSON_BOOL */
    uint32_t len; /* bytes of s, number of items or members */
    uint32_t cap; /* room in items or members */
    union {
        const char *s;
        struct json *items;
        struct json_member *members;
    };
};

struct json_member {
    str key;
    struct json value;
};

/* Paths ("data.a", "spec.containers[0].name") of duplicate keys, at most JSON_MAX_DUPS. */
#define JSON_MAX_DUPS 32
struct json_parse_opts {
    str *dups; /* array of JSON_MAX_DUPS, or NULL */
    size_t ndups;
    bool dup_lines;   /* YAML only: dups are `line 9: key "a" already set in map`, what clients see of go-yaml */
    bool stop_at_end; /* several values one after another: stop behind the first, see json_parse_opts.used */
    size_t used;      /* bytes of text consumed */
};

int json_parse(struct arena *a, str text, struct json_parse_opts *opts, struct json *ret,
               struct err *err) MUST_CHECK;

/* --- making ---------------------------------------------------------------------------------- */
static inline struct json json_null(void)
{
    return (struct json){.type = JSON_NULL};
}
static inline struct json json_bool(bool b)
{
    return (struct json){.type = JSON_BOOL, .b = b};
}
static inline struct json json_string(str s) /* borrows s */
{
    return (struct json){.type = JSON_STRING, .len = (uint32_t)s.len, .s = s.p};
}
static inline struct json json_number_text(str s) /* borrows s, which must be JSON number grammar */
{
    return (struct json){.type = JSON_NUMBER, .len = (uint32_t)s.len, .s = s.p};
}
static inline struct json json_object(void)
{
    return (struct json){.type = JSON_OBJECT};
}
static inline struct json json_array(void)
{
    return (struct json){.type = JSON_ARRAY};
}
struct json json_int(struct arena *a, int64_t v);
struct json json_double(struct arena *a, double v); /* shortest text that reads back the same */
/* Parses a literal the program itself wrote; BUG on bad text. */
struct json json_literal(struct arena *a, const char *text);
struct json json_copy(struct arena *a, const struct json *v); /* deep, strings too */
struct json json_copy_shape(struct arena *a, const struct json *v); /* deep, but keys, strings and numbers are the bytes of v's */
struct json json_copy_members(struct arena *a, const struct json *v); /* an object with members of its own, whose values are v's: it may be told other values, these must not be changed */

/* --- reading --------------------------------------------------------------------------------- */
static inline str json_str(const struct json *v) /* text of a string or number, else "" */
{
    return v && (v->type == JSON_STRING || v->type == JSON_NUMBER) ? str_n(v->s, v->len) : S("");
}
static inline bool json_is(const struct json *v, enum json_type t)
{
    return v && v->type == t;
}
/* Member of an object, NULL when absent or when v is NULL or no object. */
struct json *json_get(const struct json *v, str key);
/* json_path(v, "metadata", "labels", NULL): NULL when any step is missing.  Keys are C strings. */
struct json *json_path(const struct json *v, ...) __attribute__((sentinel));
/* The same with the string, integer or bool at the end, or a default. */
str json_get_str(const struct json *v, str key);                    /* "" when absent or no string */
bool json_get_bool(const struct json *v, str key, bool otherwise);
int64_t json_get_int(const struct json *v, str key, int64_t otherwise);
bool json_to_i64(const struct json *v, int64_t *ret);   /* integers without fraction or exponent */
bool json_to_double(const struct json *v, double *ret);

/* Are arrays and objects nested at most `max` deep?  A scalar is 0 deep. */
bool json_depth_fits(const struct json *v, unsigned max);
/* Deep equality; objects regardless of member order, numbers by value.  NULL is what is not there: equal to itself, and to nothing that is, null included. */
bool json_equal(const struct json *a, const struct json *b);

/* --- changing (the arena is the tree's own or one that lives as long) --------------------------- */
/* Sets or adds; returns the value's place.  Places move when a later add grows the object. */
struct json *json_set(struct arena *a, struct json *obj, str key, struct json value);
/* The member, created as an empty object when absent or null. */
struct json *json_ensure_object(struct arena *a, struct json *obj, str key);
bool json_del(struct json *obj, str key); /* keeps the order of the others */
struct json *json_push(struct arena *a, struct json *arr, struct json value);
struct json *json_insert(struct arena *a, struct json *arr, size_t at, struct json value);
void json_remove(struct json *arr, size_t at);

/* --- writing --------------------------------------------------------------------------------- */
void json_write(struct strbuf *b, const struct json *v);
void json_write_pretty(struct strbuf *b, const struct json *v); /* 2 blanks, as ?pretty=true */
void json_write_string(struct strbuf *b, str s);                /* quoted; <, > and & as Go escapes them (\u003c) */
str json_text(struct arena *a, const struct json *v);
