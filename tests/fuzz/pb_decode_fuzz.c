/* Protobuf messages of any built-in type, which bytes 0 and 1 pick; the rest is the message.  What decodes must be a tree that can
 * be conformed, written and read again. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/codec.h"
#include "api/pb_decode.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2)
        return 0;
    ARENA_AUTO a = ARENA_INIT;
    struct err err = ERR_NONE;
    const struct schema_type *t = api_builtin_types[((size_t)data[0] << 8 | data[1]) % api_builtin_type_count];
    str bytes = arena_str(&a, str_n((const char *)data + 2, size - 2));
    struct json v, back;
    if (t->kind != SCHEMA_OBJECT || pb_decode_message(&a, bytes, t, &v, &err) < 0)
        return 0;
    str text = json_text(&a, &v);
    BUG_ON(json_parse(&a, text, NULL, &back, &err) < 0);
    if (api_conform(&a, t, &v, NULL, &err) < 0)
        return 0;
    api_complete(&a, t, &v);
    return 0;
}
