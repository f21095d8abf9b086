/* probe_grpc.h - a call of grpc.health.v1.Health/Check as bytes in and bytes out.
 *
 * Threads: one at a time.  Ownership: the caller's.  Limits: 4 KiB of an answer. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/str.h"

struct probe_grpc;

struct probe_grpc *probe_grpc_new(str authority, str service) MUST_CHECK;
void probe_grpc_free(struct probe_grpc *g); /* NULL is fine */
void probe_grpc_recv(struct probe_grpc *g, str bytes);
void probe_grpc_send(struct probe_grpc *g, struct strbuf *out); /* appends what is to be sent now */
/* The message lives as long as g. */
bool probe_grpc_is_done(const struct probe_grpc *g, bool *ret_ok, str *ret_message);
