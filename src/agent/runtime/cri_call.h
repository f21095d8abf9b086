/* cri_call.h - one call of a CRI runtime: gRPC over HTTP/2 on a Unix socket, request in, answer out.
 *
 * A connection a call: they cost a fraction of a millisecond on a socket of the same machine, and no state is shared between threads.
 * Threads: any, several at once; blocks.  Ownership: the answer is on the arena.
 * Limits: CRI_ANSWER_BYTES an answer; the time-out bounds the whole. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/arena.h"
#include "base/clock.h"
#include "base/err.h"

#define CRI_ANSWER_BYTES (16u << 20)

/* E_NOT_FOUND, E_INVALID_ARG, E_EXISTS, E_TIMEOUT, E_UNAVAILABLE, E_INTERNAL by the status of gRPC, with its sentence. */
struct cri_call {
    const char *socket;
    const char *method; /* "RuntimeService/Version" */
    str request;
    nsec_t timeout_ns;
    int cancel_fd;      /* readable or closed on the other side: the call is given up with E_TIMEOUT; -1: none */
};
int cri_call(const struct cri_call *call, struct arena *a, str *ret, struct err *err) MUST_CHECK;

/* --- messages ---------------------------------------------------------------------------------------------- */
/* The field's last value; "" or 0 when it is absent or the message is damaged. */
str cri_bytes(str message, uint32_t field);
uint64_t cri_number(str message, uint32_t field);
/* One entry of a map<string, string>. */
void cri_add_entry(struct strbuf *b, uint32_t field, str key, str value);
/* Int64Value and UInt64Value: a message of one number, of which zero and absent differ. */
void cri_add_wrapped(struct strbuf *b, uint32_t field, uint64_t value);
str cri_map_get(str message, uint32_t field, str key);
