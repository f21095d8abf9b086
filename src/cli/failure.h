/* failure.h - why a command did not work, worded as users of kubectl know it.
 *
 *     Error from server (NotFound): pods "web" not found
 *     The Deployment "web" is invalid: spec.replicas: Invalid value: -1: ...
 *     The connection to the server 127.0.0.1:6443 was refused - did you specify the right host or port?
 *     error: the server doesn't have a resource type "foo"
 * Threads: main only.  Ownership: a failure that came from the server points into the arena of the answer. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/err.h"
#include "wire/json.h"

struct failure {
    struct err err;       /* code and, unless the server spoke, the sentence */
    bool from_server;
    struct json status;   /* what the server said */
    str message;          /* of a Status, with what failure_wrap put before it */
};
#define FAILURE_NONE ((struct failure){0})

/* "error: ..." */
#define failure_set(f, code, ...) ((f)->from_server = false, err_set(&(f)->err, (code), __VA_ARGS__))
/* Puts a text before the message; returns -code. */
int failure_wrap(struct failure *f, struct arena *a, const char *fmt, ...) PRINTF_LIKE(3, 4);
str failure_reason(const struct failure *f); /* "NotFound"; "" when the server did not speak */

/* On stderr as the only failure of a command; returns 1, the exit status. */
int failure_report(const struct failure *f);
/* As one of several: a line without "error: ". */
void failure_report_line(const struct failure *f);
/* The line's text. */
void failure_write(struct strbuf *b, const struct failure *f);
