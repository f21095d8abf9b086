/* SPDX-License-Identifier: Apache-2.0 */
#include "base/err.h"

#include <errno.h>

static const struct {
    const char *name;
    int http;
    const char *reason;
} codes[E_COUNT_] = {
    [E_NONE] = {"NONE", 200, ""},
#define X(n, h, r) [E_##n] = {#n, h, r},
    ERR_CODES(X)
#undef X
};

static void vset(struct err *err, int code, const char *file, int line, const char *fmt, va_list ap)
{
    if (!err)
        return;
    *err = (struct err){.code = code, .file = file, .line = line};
    vsnprintf(err->msg, sizeof err->msg, fmt, ap);
}

int err_set_at(struct err *err, int code, const char *file, int line, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    vset(err, code, file, line, fmt, ap);
    va_end(ap);
    return -code;
}

int err_sys_at(struct err *err, int errnum, const char *file, int line, const char *fmt, ...)
{
    int code = errnum == ENOSPC || errnum == EDQUOT ? E_NO_SPACE : errnum == ENOENT ? E_NOT_FOUND : E_IO;
    va_list ap;
    va_start(ap, fmt);
    vset(err, code, file, line, fmt, ap);
    va_end(ap);
    if (err) {
        char buf[128];
        size_t n = strlen(err->msg);
        snprintf(err->msg + n, sizeof err->msg - n, ": %s", strerror_r(errnum, buf, sizeof buf));
    }
    return -code;
}

int err_wrap(struct err *err, const char *fmt, ...)
{
    if (!err)
        return -E_INTERNAL;
    char before[sizeof err->msg], all[sizeof err->msg];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(before, sizeof before, fmt, ap);
    va_end(ap);
    int n = snprintf(all, sizeof all, "%s", before);
    if (n >= 0 && (size_t)n < sizeof all)
        snprintf(all + n, sizeof all - (size_t)n, "%s", err->msg);
    memcpy(err->msg, all, sizeof all);
    return -err->code;
}

void err_set_field(struct err *err, str field)
{
    if (err)
        snprintf(err->field, sizeof err->field, STR_FMT, STR_ARG(field));
}

static int known(int code)
{
    return code > 0 && code < E_COUNT_ ? code : E_INTERNAL;
}

const char *err_code_name(int code)
{
    return codes[known(code)].name;
}

int err_http_status(int code)
{
    return codes[known(code)].http;
}

const char *err_reason(int code)
{
    return codes[known(code)].reason;
}
