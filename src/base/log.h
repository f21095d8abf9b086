/* log.h - structured logs: one line per event, text or JSON.
 *
 *     log_info("pod bound", KV("pod", "%s/%s", ns, name), KV("node", "%s", node));
 * text:  2026-11-15T05:00:00.000000Z INFO pod bound pod="default/web" node="n1"
 * json:  {"ts":"...","level":"info","msg":"pod bound","pod":"default/web","node":"n1"}
 * Threads: any; a line is one write(2) and never interleaves.
 * Limits: a line is cut at 4 KiB. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/str.h"

enum log_level { LOG_ERROR, LOG_WARN, LOG_INFO, LOG_DEBUG };

/* Set once before threads start. */
void log_setup(enum log_level level, bool json, int fd);
bool log_level_parse(str s, enum log_level *ret);
bool log_enabled(enum log_level level);

struct log_kv {
    const char *key;
    char value[256];
};
struct log_kv log_kv_make(const char *key, const char *fmt, ...) PRINTF_LIKE(2, 3);
#define KV(key, ...) log_kv_make((key), __VA_ARGS__)
void log_write(enum log_level level, const char *msg, const struct log_kv *kvs, size_t nkvs);

#define log_at_(level, msg, ...)                                                                   \
    do {                                                                                           \
        if (log_enabled(level)) {                                                                  \
            const struct log_kv log_kvs_[] = {{.key = NULL}, ##__VA_ARGS__};                       \
            log_write((level), (msg), log_kvs_ + 1, ARRAY_LEN(log_kvs_) - 1);                      \
        }                                                                                          \
    } while (0)
#define log_error(msg, ...) log_at_(LOG_ERROR, msg, ##__VA_ARGS__)
#define log_warn(msg, ...) log_at_(LOG_WARN, msg, ##__VA_ARGS__)
#define log_info(msg, ...) log_at_(LOG_INFO, msg, ##__VA_ARGS__)
#define log_debug(msg, ...) log_at_(LOG_DEBUG, msg, ##__VA_ARGS__)
