/* Any text compiles or is refused with a sentence; what compiles prints the same twice and stays within its budget. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/jsonpath.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void run(struct arena *a, str text, bool relaxed, const struct json *doc)
{
    struct jsonpath *p;
    struct err err = ERR_NONE;
    if (jsonpath_compile(a, text, relaxed, &p, &err) < 0) {
        BUG_ON(!err.msg[0]);
        return;
    }
    struct strbuf x = strbuf_on(a), y = strbuf_on(a);
    int r = jsonpath_print(a, p, doc, true, &x, &err);
    BUG_ON(r != jsonpath_print(a, p, doc, true, &y, NULL) || !str_eq(strbuf_str(&x), strbuf_str(&y)));
    const struct json **found;
    size_t n;
    BUG_ON(jsonpath_find(a, p, doc, &found, &n, NULL) != r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ARENA_AUTO a = ARENA_INIT;
    str text = str_n((const char *)data, size);
    struct json doc = json_literal(&a, "{\"a\":[{\"n\":1,\"s\":\"x\",\"b\":true},{\"n\":2.5,\"s\":\"y\"},null],\"o\":{\"a\":{\"a\":{}}},\"e\":[]}");
    run(&a, text, false, &doc);
    run(&a, text, true, &doc);
    return 0;
}
