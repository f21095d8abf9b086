/* Any text: what is accepted has valid UTF-8 in its strings, survives writing and reading in both layouts, and equals its copy. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "base/arena.h"
#include "wire/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_strings(const struct json *v)
{
    if (v->type == JSON_STRING)
        BUG_ON(!str_is_utf8(json_str(v)));
    for (uint32_t i = 0; v->type == JSON_ARRAY && i < v->len; i++)
        check_strings(&v->items[i]);
    for (uint32_t i = 0; v->type == JSON_OBJECT && i < v->len; i++) {
        BUG_ON(!str_is_utf8(v->members[i].key) || json_get(v, v->members[i].key) != &v->members[i].value);
        check_strings(&v->members[i].value);
    }
}

static void check_value(struct arena *a, const struct json *v)
{
    struct json back;
    struct err err = ERR_NONE;
    check_strings(v);
    str text = json_text(a, v);
    BUG_ON(json_parse(a, text, NULL, &back, &err) < 0 || !str_eq(json_text(a, &back), text) || !json_equal(v, &back));
    struct strbuf pretty = strbuf_on(a);
    json_write_pretty(&pretty, v);
    BUG_ON(json_parse(a, strbuf_str(&pretty), NULL, &back, &err) < 0 || !str_eq(json_text(a, &back), text));
    struct json copy = json_copy(a, v);
    BUG_ON(!json_equal(&copy, v) || !str_eq(json_text(a, &copy), text));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ARENA_AUTO a = ARENA_INIT;
    str rest = str_n((const char *)data, size), dups[JSON_MAX_DUPS];
    struct err err = ERR_NONE;
    struct json v, whole;
    bool one = json_parse(&a, rest, NULL, &whole, &err) == 0;
    for (int values = 0; values < 16 && rest.len; values++) {
        struct json_parse_opts opts = {.dups = dups, .stop_at_end = true};
        if (json_parse(&a, rest, &opts, &v, &err) < 0) {
            BUG_ON(!err.msg[0]);
            break;
        }
        BUG_ON(!opts.used || opts.used > rest.len || opts.ndups > JSON_MAX_DUPS);
        BUG_ON(one && !json_equal(&v, &whole));
        check_value(&a, &v);
        rest = str_from(rest, opts.used);
    }
    return 0;
}
