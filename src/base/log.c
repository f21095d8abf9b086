/* SPDX-License-Identifier: Apache-2.0 */
#include "base/log.h"

#include <unistd.h>

#include "base/civil.h"

#define LOG_LINE_BYTES 4096

static struct {
    enum log_level level;
    bool json;
    int fd;
} setup = {LOG_INFO, false, STDERR_FILENO};

static const char *const level_text[] = {"ERROR", "WARN", "INFO", "DEBUG"};
static const char *const level_json[] = {"error", "warn", "info", "debug"};

void log_setup(enum log_level level, bool json, int fd)
{
    setup.level = level;
    setup.json = json;
    setup.fd = fd;
}

bool log_level_parse(str s, enum log_level *ret)
{
    for (size_t i = 0; i < ARRAY_LEN(level_json); i++) {
        if (str_is(s, level_json[i])) {
            *ret = (enum log_level)i;
            return true;
        }
    }
    return false;
}

bool log_enabled(enum log_level level)
{
    return level <= setup.level;
}

struct log_kv log_kv_make(const char *key, const char *fmt, ...)
{
    struct log_kv kv = {.key = key};
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(kv.value, sizeof kv.value, fmt, ap);
    va_end(ap);
    return kv;
}

/* JSON escapes serve the text form as well: one line stays one line. */
static void add_quoted(struct strbuf *b, const char *s)
{
    strbuf_add_char(b, '"');
    for (; *s; s++) {
        unsigned char c = (unsigned char)*s;
        if (c == '"' || c == '\\')
            strbuf_addf(b, "\\%c", c);
        else if (c < 0x20)
            strbuf_addf(b, "\\u%04x", c);
        else
            strbuf_add_char(b, (char)c);
    }
    strbuf_add_char(b, '"');
}

void log_write(enum log_level level, const char *msg, const struct log_kv *kvs, size_t nkvs)
{
    char ts[CIVIL_MICRO_LEN + 1];
    civil_format_micro(clock_wall(&clock_real), ts);
    STRBUF_AUTO b = STRBUF_HEAP;
    if (setup.json) {
        strbuf_addf(&b, "{\"ts\":\"%s\",\"level\":\"%s\",\"msg\":", ts, level_json[level]);
        add_quoted(&b, msg);
    } else {
        strbuf_addf(&b, "%s %s %s", ts, level_text[level], msg);
    }
    for (size_t i = 0; i < nkvs && b.len < LOG_LINE_BYTES; i++) {
        strbuf_addf(&b, setup.json ? ",\"%s\":" : " %s=", kvs[i].key);
        add_quoted(&b, kvs[i].value);
    }
    strbuf_add_str(&b, setup.json ? S("}\n") : S("\n"));
    ssize_t n = write(setup.fd, b.p, b.len);
    (void)n; /* a log that cannot be written has nowhere to complain */
}
