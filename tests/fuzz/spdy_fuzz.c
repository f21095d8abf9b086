/* SPDX-License-Identifier: Apache-2.0 */
/* Frames in pieces whose size the first byte gives; what is decoded must not depend on the pieces. */
#include "wire/spdy.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint64_t mix(uint64_t hash, const void *p, size_t len)
{
    const uint8_t *b = p;
    for (size_t i = 0; i < len; i++)
        hash = (hash ^ b[i]) * 1099511628211u;
    return hash;
}

static uint64_t decode(str in, size_t step)
{
    struct spdy *s = spdy_new();
    uint64_t hash = 14695981039346656037u;
    for (size_t at = 0; at < in.len;) {
        struct spdy_event e;
        size_t used = 0;
        enum spdy_result r = spdy_step(s, str_sub(in, at, at + step), &used, &e);
        BUG_ON(used == 0);
        at += used;
        if (r == SPDY_BAD) {
            BUG_ON(!e.why);
            hash += 7;
            break;
        }
        if (r == SPDY_MORE)
            continue;
        hash = mix(hash, e.data.p, e.data.len);
        if (r != SPDY_GOT_DATA || e.fin)
            hash = mix(hash, &(uint32_t[]){r, e.stream, e.status, e.ping}, 16);
        for (size_t i = 0; i < e.nheaders; i++)
            hash = mix(mix(hash, e.headers[i].name.p, e.headers[i].name.len), e.headers[i].value.p, e.headers[i].value.len);
    }
    spdy_free(s);
    return hash;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2 || size > 65536)
        return 0;
    str in = str_n((const char *)data + 1, size - 1);
    BUG_ON(decode(in, in.len) != decode(in, 1u + data[0] % 64));
    return 0;
}
