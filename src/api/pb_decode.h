/* pb_decode.h - Kubernetes protobuf messages to the tree that their JSON would give.
 *
 * Field numbers and types come from the schema tables; unknown numbers are skipped, as a client newer than us may send them.
 * The result is not canonical yet: api_conform drops the zero values that the encoder always writes.
 *
 *     "k8s\0" | runtime.Unknown { 1: TypeMeta { 1: apiVersion, 2: kind }, 2: raw message, 3: contentEncoding, 4: contentType }
 *
 * Threads: pure functions.
 * Ownership: the tree lives in the arena; strings may point into the bytes.
 * Limits: LIMIT_JSON_DEPTH nested messages; work is linear in the input. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "api/schema.h"
#include "wire/json.h"

/* A whole body; kind and apiVersion of the envelope become members.  E_PARSE. */
int pb_decode_envelope(struct arena *a, str body, const struct schema_type *type, struct json *ret, struct err *err) MUST_CHECK;
/* One message without envelope. */
int pb_decode_message(struct arena *a, str bytes, const struct schema_type *type, struct json *ret, struct err *err) MUST_CHECK;
