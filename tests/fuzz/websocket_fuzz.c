/* SPDX-License-Identifier: Apache-2.0 */
/* Frames in pieces whose size the first byte gives; what is decoded must not depend on the pieces. */
#include "wire/websocket.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint64_t decode(str in, size_t step, bool is_server)
{
    struct websocket ws = {.is_server = is_server, .max_message = 4096};
    uint64_t hash = 14695981039346656037u, controls = 0;
    char *buf = str_dup(in);
    for (size_t at = 0; at < in.len;) {
        struct websocket_event e = {0};
        size_t used = 0;
        enum websocket_result r = websocket_step(&ws, buf + at, MIN(step, in.len - at), &used, &e);
        BUG_ON(used == 0);
        at += used;
        if (r == WS_BAD) { /* pieces of bad text may have been handed on before; everything else agrees */
            BUG_ON(!e.why || e.close_code < 1000);
            free(buf);
            return e.close_code == 1007 ? 1 : hash + controls + (uint64_t)e.close_code;
        }
        if (r == WS_MORE)
            continue;
        BUG_ON(r != WS_GOT_PIECE && e.payload.len > WS_CONTROL_MAX);
        /* control frames may come between two pieces of a message: count them apart */
        uint64_t *into = r == WS_GOT_PIECE ? &hash : &controls;
        for (size_t i = 0; i < e.payload.len; i++)
            *into = (*into ^ (uint8_t)e.payload.p[i]) * 1099511628211u;
        *into += e.message_end || r != WS_GOT_PIECE;
    }
    free(buf);
    return hash + controls;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2 || size > 8192)
        return 0;
    str in = str_n((const char *)data + 1, size - 1);
    bool is_server = data[0] & 1;
    BUG_ON(decode(in, in.len, is_server) != decode(in, 1 + data[0] / 2 % 32, is_server));
    char accept[WS_ACCEPT_LEN + 1];
    if (websocket_accept(in, accept))
        BUG_ON(strlen(accept) != WS_ACCEPT_LEN);
    return 0;
}
