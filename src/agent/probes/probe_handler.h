/* probe_handler.h - what a probe or a hook does, read from the pod's spec: exec, httpGet, tcpSocket, grpc, sleep.
 *
 * Threads: pure functions.  Ownership: on the arena.
 * Limits: PROBE_HEADERS headers; further ones are left out. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "wire/http_types.h"
#include "wire/json.h"

#define PROBE_HEADERS 64

enum handler_kind { HANDLER_NONE, HANDLER_EXEC, HANDLER_HTTP, HANDLER_TCP, HANDLER_GRPC, HANDLER_SLEEP };

struct probe_handler {
    enum handler_kind kind;
    str problem;             /* it cannot be run: why; "" otherwise */
    const char *const *argv; /* EXEC */
    const char *host;        /* HTTP, TCP, GRPC: an address or a name */
    uint16_t port;
    const char *path;        /* HTTP: begins with '/' */
    bool tls;
    const struct http_header *headers; /* names as they were given */
    size_t nheaders;
    str service;             /* GRPC */
    int64_t sleep_s;
};
/* container: gives named ports their numbers. */
void probe_handler_parse(struct arena *a, const struct json *container, const struct json *handler, str pod_ip, struct probe_handler *ret);
/* "10.0.0.1:80", "[fd00::1]:80" */
str probe_handler_address(struct arena *a, const char *host, uint16_t port);
