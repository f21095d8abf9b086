/* err.h - an error as a value: code, field path, sentence, origin.
 *
 * Fallible functions return 0 or -E_CODE and take `struct err *err` last.  The struct lives on the
 * caller's stack, has a fixed size and never allocates.  err may be NULL: the code alone then tells.
 *     if (!found)
 *         return err_set(err, E_NOT_FOUND, "%s \"%s\" not found", what, name);
 *     ...
 *     r = config_load(path, err);
 *     if (r < 0)
 *         return err_wrap(err, "cannot start: ");
 * Hot "no" answers (a selector does not match) are bools or small enums, not errors.
 * Library code does not log errors; the component's edge logs or answers once. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/err_codes.h"
#include "base/str.h"

struct err {
    int code;         /* enum err_code, 0: none */
    int line;         /* origin, for debug logs */
    const char *file;
    char field[160];  /* field path the error is about, or "" */
    char msg[640];
};

#define ERR_NONE ((struct err){0})

/* Both return -code, so that callers can `return err_set(...)`. */
#define err_set(err, code, ...) err_set_at((err), (code), __FILE__, __LINE__, __VA_ARGS__)
int err_set_at(struct err *err, int code, const char *file, int line, const char *fmt, ...)
    PRINTF_LIKE(5, 6);
/* errno as an error: "<message>: <strerror>"; ENOSPC and EDQUOT become E_NO_SPACE, ENOENT E_NOT_FOUND, else E_IO. */
#define err_sys(err, errnum, ...) err_sys_at((err), (errnum), __FILE__, __LINE__, __VA_ARGS__)
int err_sys_at(struct err *err, int errnum, const char *file, int line, const char *fmt, ...)
    PRINTF_LIKE(5, 6);
/* Puts text before the message and returns -code again. */
int err_wrap(struct err *err, const char *fmt, ...) PRINTF_LIKE(2, 3);
void err_set_field(struct err *err, str field);

const char *err_code_name(int code);   /* "NOT_FOUND" */
int err_http_status(int code);         /* 404; 500 for unknown */
const char *err_reason(int code);      /* "NotFound" */
