/* protobuf.h - the protobuf wire format without schemas: walk fields, write fields.
 *
 *     struct protobuf_reader r = protobuf_reader(bytes);
 *     while (protobuf_next(&r))
 *         if (r.number == 2 && r.type == PROTOBUF_BYTES) name = r.bytes;
 *     if (r.bad) return err_set(err, E_PARSE, ...);
 *
 *     size_t mark = protobuf_open(&b, 1);      // nested message as field 1
 *     protobuf_add_str(&b, 2, S("x"));
 *     protobuf_close(&b, mark);
 * Threads: values; no shared state.
 * Ownership: nothing is allocated by reading; r.bytes points into the input.
 * Limits: all lengths are checked against the input; a nested message is read by a reader of its own, so depth is the
 * caller's to bound.  Groups (wire types 3 and 4, long deprecated) are refused. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/str.h"

enum protobuf_type {
    PROTOBUF_VARINT = 0,
    PROTOBUF_FIXED64 = 1,
    PROTOBUF_BYTES = 2, /* string, bytes, nested message, packed numbers */
    PROTOBUF_FIXED32 = 5,
};

struct protobuf_reader {
    uint32_t number;         /* of the field just read, 1 to 2^29-1 */
    enum protobuf_type type;
    uint64_t value;          /* VARINT, FIXED32, FIXED64 */
    str bytes;               /* BYTES */
    bool bad;                /* the input is malformed or cut off */
    str rest_;
};

static inline struct protobuf_reader protobuf_reader(str bytes)
{
    return (struct protobuf_reader){.rest_ = bytes};
}
/* The next field; false at the end and on bad input. */
bool protobuf_next(struct protobuf_reader *r) MUST_CHECK;
/* One varint off the front of *io_bytes (packed numbers); false when malformed. */
bool protobuf_take_varint(str *io_bytes, uint64_t *ret) MUST_CHECK;
/* sint32 and sint64 are zigzag coded; int32 and int64 are the value as two's complement. */
static inline int64_t protobuf_unzigzag(uint64_t v)
{
    return (int64_t)(v >> 1) ^ -(int64_t)(v & 1);
}
static inline uint64_t protobuf_zigzag(int64_t v)
{
    return ((uint64_t)v << 1) ^ (uint64_t)(v >> 63);
}
double protobuf_double(uint64_t value); /* of a FIXED64 field */
float protobuf_float(uint64_t value);   /* of a FIXED32 field */

void protobuf_write_varint(struct strbuf *b, uint64_t v); /* without a field number */
void protobuf_add_varint(struct strbuf *b, uint32_t number, uint64_t v);
void protobuf_add_fixed64(struct strbuf *b, uint32_t number, uint64_t v);
void protobuf_add_fixed32(struct strbuf *b, uint32_t number, uint32_t v);
void protobuf_add_double(struct strbuf *b, uint32_t number, double v);
void protobuf_add_str(struct strbuf *b, uint32_t number, str bytes);
/* What is written between open and close is the content of a length-delimited field. */
size_t protobuf_open(struct strbuf *b, uint32_t number) MUST_CHECK;
void protobuf_close(struct strbuf *b, size_t mark);
