/* Any bytes: fields stay inside the input, and a message that is read to its end can be written again field by field, to bytes that
 * read the same. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "wire/protobuf.h"

#define DEPTH_MAX 16

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool reads_to_end(str bytes)
{
    struct protobuf_reader r = protobuf_reader(bytes);
    while (protobuf_next(&r))
        BUG_ON(r.type == PROTOBUF_BYTES && r.bytes.len &&
               (r.bytes.p < bytes.p || r.bytes.p + r.bytes.len > bytes.p + bytes.len));
    return !r.bad;
}

/* Writes the fields of `bytes`; what looks like a nested message is written through open and close. */
static void rewrite(struct strbuf *b, str bytes, int depth)
{
    struct protobuf_reader r = protobuf_reader(bytes);
    while (protobuf_next(&r)) {
        if (r.type == PROTOBUF_VARINT) {
            protobuf_add_varint(b, r.number, r.value);
        } else if (r.type == PROTOBUF_FIXED64) {
            protobuf_add_fixed64(b, r.number, r.value);
        } else if (r.type == PROTOBUF_FIXED32) {
            protobuf_add_fixed32(b, r.number, (uint32_t)r.value);
        } else if (depth < DEPTH_MAX && reads_to_end(r.bytes)) {
            size_t mark = protobuf_open(b, r.number);
            rewrite(b, r.bytes, depth + 1);
            protobuf_close(b, mark);
        } else {
            protobuf_add_str(b, r.number, r.bytes);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    str bytes = str_n((const char *)data, size);
    if (!reads_to_end(bytes))
        return 0;
    STRBUF_AUTO once = STRBUF_HEAP, twice = STRBUF_HEAP;
    rewrite(&once, bytes, 0);
    rewrite(&twice, strbuf_str(&once), 0);
    BUG_ON(once.len > size || !str_eq(strbuf_str(&once), strbuf_str(&twice)));
    return 0;
}
