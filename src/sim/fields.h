/* fields.h - YAML for people to structs, by tables, with messages that name file, line and field.
 *
 *     static const struct field node_fields[] = {FIELD("cpu", MILLI, offsetof(struct tmpl, cpu_milli), .min = 1), ... {0}};
 *     r = fields_read(&f, json, S("nodes[0]"), node_fields, &tmpl);
 *     "lab.yaml:7: nodes[0].cpu: \"4x\" is no quantity such as 4, 500m or 2.5"
 * Threads: one at a time.  Ownership: what is read lives on the arena.
 * Limits: LIMIT_SCHED_SPEC_ITEMS entries of a list or map, numbers by the table. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "sched/engine/spec.h"
#include "wire/json.h"

struct fields {
    struct arena *arena;
    str file, text; /* for messages */
    struct err *err;
};

enum field_type {
    FIELD_STR,      /* str; a number is taken as its text */
    FIELD_BOOL,     /* bool */
    FIELD_COUNT,    /* uint32_t, min..max */
    FIELD_INT,      /* int32_t */
    FIELD_SEED,     /* uint64_t */
    FIELD_MILLI,    /* int64_t: a quantity in thousandths */
    FIELD_WHOLE,    /* int64_t: a quantity in whole units: bytes, bit/s */
    FIELD_DURATION, /* nsec_t: 90s, 1h30m, 0.5h; a bare number means seconds */
    FIELD_FLOAT,    /* double, not negative */
    FIELD_LABELS,   /* struct spec_labels: a map of scalars */
    FIELD_STRS,     /* struct field_strs: a list of scalars, or one */
    FIELD_OWN,      /* by a function */
};
struct field_strs {
    str *p;
    size_t n;
};
struct field {
    const char *name;
    enum field_type type;
    size_t offset;
    int64_t min, max; /* numbers and durations; max 0: what the type holds */
    int (*own)(struct fields *f, const struct json *v, str path, void *into);
};

/* A row: FIELD("cpu", MILLI, offsetof(struct tmpl, cpu_milli), .min = 1) */
#define FIELD(name_, type_, offset_, ...) {.name = (name_), .type = FIELD_##type_, .offset = (offset_), ##__VA_ARGS__}

/* Members of obj into the struct; members that the table does not have are refused.  A null obj leaves everything as it is. */
int fields_read(struct fields *f, const struct json *obj, str path, const struct field *table, void *into) MUST_CHECK;
/* One value, as a row of a table would read it. */
int fields_value(struct fields *f, const struct json *v, str path, const struct field *how, void *into) MUST_CHECK;
/* "FILE:LINE: PATH: sentence", -E_INVALID. */
int fields_fail(struct fields *f, str path, const char *fmt, ...) PRINTF_LIKE(3, 4) MUST_CHECK;
/* The first document of a text; messages have line and, for a key that occurs twice, its path. */
int fields_parse(struct fields *f, struct json *ret) MUST_CHECK;
str fields_at(struct fields *f, str path, const char *name); /* "path.name" on the arena */
str fields_nth(struct fields *f, str path, size_t i);        /* "path[i]" */
/* "1h30m", "250ms", "90" (seconds), "1.5h". */
bool fields_duration(str s, nsec_t *ret);
