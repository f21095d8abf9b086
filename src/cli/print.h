/* print.h - what comes out: -o yaml, json, name, jsonpath, custom-columns; server-side tables; "pod/web created".
 *
 * Threads: main only.  Ownership: a printer lives in the arena; output is appended to a strbuf that the caller writes. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "api/jsonpath.h"
#include "cli/cli.h"
#include "cli/discovery.h"
#include "cli/failure.h"
#include "cli/tabs.h"

enum print_format {
    PRINT_DEFAULT, /* a table, or a line about what was done */
    PRINT_WIDE,
    PRINT_JSON,
    PRINT_YAML,
    PRINT_NAME,
    PRINT_JSONPATH,
    PRINT_JSONPATH_AS_JSON,
    PRINT_COLUMNS,
};

struct print_column {
    str header;
    struct jsonpath *path;
};
struct printer {
    struct arena *arena;
    enum print_format format;
    struct jsonpath *path; /* JSONPATH */
    str path_text;
    bool strict_path;      /* absent keys are errors */
    struct print_column *columns;
    size_t ncolumns;
    bool no_headers, shows_managed_fields;
    size_t printed;     /* objects so far: YAML documents need a separator */
    struct tabs tabs_;  /* of custom columns */
};

/* Options of verbs that print objects. */
#define PRINT_OPTIONS_RESULT                                                                                                                 \
    {"output", 'o', CLI_STRING, "FORMAT", "", "json, yaml, name, jsonpath=TEMPLATE, jsonpath-as-json=TEMPLATE or jsonpath-file=FILE.", NULL}, \
        {"show-managed-fields", 0, CLI_FLAG, NULL, "", "Keep managedFields in JSON and YAML.", NULL}

enum print_allow { PRINT_ALLOW_RESULT, PRINT_ALLOW_GET };
/* From --output and its friends.  Unknown formats get kubectl's sentence. */
int printer_new(struct arena *a, const struct cli_args *args, enum print_allow allow, struct printer **ret, struct failure *f) MUST_CHECK;
/* One object, or a list: columns and names are printed for each item. */
int printer_object(struct printer *p, struct strbuf *out, const struct json *obj, struct failure *f) MUST_CHECK;
/* Custom columns come out when all rows are known. */
void printer_end(struct printer *p, struct strbuf *out);
/* After a change: the object in the format asked for, or "deployment.apps/web created (dry run)". */
int printer_result(struct printer *p, const struct discovery_resource *res, const struct json *obj, const char *done, struct failure *f) MUST_CHECK;

/* 4 blanks, keys sorted: what -o json shows. */
void print_json(struct arena *a, struct strbuf *b, const struct json *v, const char *indent);
/* "deployment.apps/web" */
void print_name(struct strbuf *b, const struct json *obj);
/* The object without managedFields; others are shared. */
struct json print_without_managed_fields(struct arena *a, const struct json *obj);
bool print_is_list(const struct json *obj);
/* Control bytes that would reach the terminal become visible. */
void print_escaped(struct strbuf *b, str s);
/* The same of what stands in a row of a table and may be anybody's words: also what would end the cell or the row. */
void print_cell(struct strbuf *b, str s);
/* "a=1,b=2", sorted; "<none>" when there are none. */
void print_labels(struct arena *a, struct strbuf *b, const struct json *labels);
/* "5m" since an RFC 3339 time, "<unknown>" when there is none. */
str print_age(struct arena *a, const struct json *time);
/* Of stdout, in characters; 0: it is no terminal. */
uint32_t print_terminal_width(void);
/* stdout is a terminal that shows colours, and nobody said NO_COLOR. */
bool print_has_colours(void);
/* Writes to stdout and empties the buffer. */
void print_flush(struct strbuf *b);

/* --- tables ------------------------------------------------------------------------------------------------------- */
struct print_table {
    struct arena *arena;   /* keeps the columns */
    struct arena *scratch; /* of the rows being printed; NULL: arena */
    bool wide, no_headers, show_labels, with_namespace;
    str kind_prefix;        /* "pod": names become pod/x; "" not */
    const str *label_columns;
    size_t nlabel_columns;
    str event;              /* "ADDED": a column for --output-watch-events; "" none */
    struct json columns_;   /* of the last table, for watches */
    bool has_columns_, printed_headers_;
};
/* Adds the rows of a meta.k8s.io/v1 Table, with headers unless the same ones were printed before. */
void print_table(struct print_table *t, struct tabs *out, const struct json *table);

/* --- sorting -------------------------------------------------------------------------------------------------------- */
/* Orders an array by a JSONPath of its elements (of a Table: rows, whose "object" is meant), as --sort-by. */
int print_sort(struct arena *a, struct json *list, str inner, const char *path, struct failure *f) MUST_CHECK;
