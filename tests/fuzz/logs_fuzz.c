/* SPDX-License-Identifier: Apache-2.0 */
/* A log in pieces whose size the first byte gives: what comes out must not depend on the pieces, nor exceed the limit. */
#include "agent/streams/logs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void run(uint8_t how, str in, size_t step, struct strbuf *out)
{
    struct log_filter f = {.timestamps = how & 1, .streams = how >> 1 & 3, .since = how & 8 ? 1767323043ll * NSEC_PER_SEC : 0, .left = how & 16 ? 50 : -1};
    for (size_t at = 0; at < in.len; at += step)
        if (!log_filter_feed(&f, str_sub(in, at, at + step), out))
            break;
    BUG_ON((how & 16) && out->len > 50);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2 || size > 65536)
        return 0;
    str in = str_n((const char *)data + 1, size - 1);
    STRBUF_AUTO whole = STRBUF_HEAP;
    STRBUF_AUTO pieces = STRBUF_HEAP;
    run(data[0], in, in.len, &whole);
    run(data[0], in, 1u + data[0] % 61, &pieces);
    BUG_ON(!str_eq(strbuf_str(&whole), strbuf_str(&pieces)));
    return 0;
}
