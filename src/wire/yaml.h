/* yaml.h - YAML text to the same tree as JSON and back.
 *
 * Reading types plain scalars as sigs.k8s.io/yaml does (YAML 1.1: yes/no/on/off/y/n are booleans, 0x/0o/0b/0 integers with
 * underscores, times stay strings) and turns other keys than strings into strings.  Anchors, aliases and "<<" are expanded; the
 * tree shares no nodes.
 * A key that occurs twice is reported through json_parse_opts as in json.h and the last one wins.
 * Writing gives what `kubectl -o yaml` gives: keys sorted, block style, lists at the column of their key.
 * Threads: one at a time per stream.
 * Ownership: trees live in the arena and do not point into the text; a stream borrows the text until it is freed.
 * Limits: depth LIMIT_JSON_DEPTH; LIMIT_YAML_EVENTS nodes a document after expansion. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "wire/json.h"

/* The first document; null when there is none.  opts may be NULL; only its dups are used.
 * E_PARSE: "error converting YAML to JSON: yaml: line 3: did not find expected key". */
int yaml_parse(struct arena *a, str text, struct json_parse_opts *opts, struct json *ret, struct err *err) MUST_CHECK;

/* Document after document:
 *     struct yaml_stream *s = yaml_stream_new(text);
 *     while ((r = yaml_stream_next(s, a, NULL, &doc, &err)) > 0) use(&doc);
 *     yaml_stream_free(s);          // r < 0: error; nothing can be read after one
 * A document without content ("---" followed by "---") is null. */
struct yaml_stream;
struct yaml_stream *yaml_stream_new(str text);
void yaml_stream_free(struct yaml_stream *s);
/* 1: *ret is set; 0: no more documents; <0: error. */
int yaml_stream_next(struct yaml_stream *s, struct arena *a, struct json_parse_opts *opts, struct json *ret,
                     struct err *err) MUST_CHECK;

/* The line, from 1, at which the value of a path ("jobs[2].requests.cpu") of the first document stands; of its nearest parent when there is no such
 * value.  For messages: it reads the text again. */
size_t yaml_line_of(str text, str path);
/* The line of the first syntax error, 0 when there is none. */
size_t yaml_error_line(str text);

/* Ends with a newline. */
void yaml_write(struct strbuf *b, const struct json *v);
