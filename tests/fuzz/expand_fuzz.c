/* expand_fuzz.c - packed bytes read in one piece and in small ones say the same, stay within their bound, and end. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/images/expand.h"

#define MOST_BYTES (1u << 20)

struct seen {
    uint64_t hash, bytes;
};

static int see(void *arg, str bytes, struct err *err UNUSED)
{
    struct seen *s = arg;
    BUG_ON(!bytes.len);
    for (size_t i = 0; i < bytes.len; i++) /* pieces do not matter */
        s->hash = (s->hash ^ (unsigned char)bytes.p[i]) * 1099511628211u;
    s->bytes += bytes.len;
    BUG_ON(s->bytes > MOST_BYTES);
    return 0;
}

static int read_all(const uint8_t *data, size_t size, size_t step, struct seen *s)
{
    CLEANUP(expand_free) struct expand *x = expand_new(&(struct expand_opts){.what = "layer", .max_bytes = MOST_BYTES, .sink = see, .arg = s});
    int r = 0;
    for (size_t at = 0; r == 0 && at < size; at += step)
        r = expand_feed(x, str_n((const char *)data + at, MIN(step, size - at)), NULL);
    return r < 0 ? r : expand_finish(x, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct seen whole = {0}, pieces = {0};
    int r = read_all(data, size, size ? size : 1, &whole), q = read_all(data, size, 7, &pieces);
    /* What came out before an error depends on where pieces ended; what is good does not. */
    BUG_ON((r < 0) != (q < 0) || (r == 0 && (whole.hash != pieces.hash || whole.bytes != pieces.bytes)));
    return 0;
}
