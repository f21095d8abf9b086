/* SPDX-License-Identifier: Apache-2.0 */
#include "wire/json_make.h"

struct json json_make(struct arena *a, const char *text, ...)
{
    struct strbuf b = strbuf_on(a);
    va_list ap;
    va_start(ap, text);
    strbuf_grow(&b, 512); /* most of them fit */
    for (;; text++) {
        const char *hole = strchrnul(text, '%');
        strbuf_add(&b, text, (size_t)(hole - text));
        if (!*hole)
            break;
        text = hole + 1;
        switch (*text) {
        case 's':
            json_write_string(&b, str_of(va_arg(ap, const char *)));
            break;
        case 'S':
            json_write_string(&b, va_arg(ap, str));
            break;
        case 'd':
            strbuf_add_i64(&b, va_arg(ap, int64_t));
            break;
        case 'j':
            json_write(&b, va_arg(ap, const struct json *));
            break;
        default:
            BUG_ON("unknown hole in a JSON text");
        }
    }
    va_end(ap);
    return json_literal(a, strbuf_cstr(&b));
}
