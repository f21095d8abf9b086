/* Any text: documents that are read can be written as YAML and JSON and read back with the same meaning. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "base/arena.h"
#include "wire/yaml.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ARENA_AUTO a = ARENA_INIT;
    str dups[JSON_MAX_DUPS];
    struct json_parse_opts opts = {.dups = dups};
    struct err err = ERR_NONE;
    struct json v, back;
    struct yaml_stream *s = yaml_stream_new(str_n((const char *)data, size));
    int r = 1;
    for (int documents = 0; documents < 8 && r > 0; documents++) {
        r = yaml_stream_next(s, &a, &opts, &v, &err);
        if (r <= 0)
            break;
        struct strbuf b = strbuf_on(&a);
        yaml_write(&b, &v);
        if (yaml_parse(&a, strbuf_str(&b), NULL, &back, &err) < 0 || !json_equal(&v, &back))
            base_bug(__FILE__, __LINE__, __func__, strbuf_cstr(&b));
        BUG_ON(json_parse(&a, json_text(&a, &v), NULL, &back, &err) < 0 || !json_equal(&v, &back));
    }
    BUG_ON(r < 0 && !err.msg[0]);
    yaml_stream_free(s);
    return 0;
}
