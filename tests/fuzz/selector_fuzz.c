/* What parses prints to a text that parses to the same selector; matching never reads out of bounds. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/selector.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const str field_labels[] = {STR_INIT("spec.nodeName"), STR_INIT("spec.hostNetwork"), STR_INIT("involvedObject.name"),
                                   STR_INIT("source")};
static const struct api_resource resources[] = {
    {.kind = STR_INIT("Pod"), .flags = API_NAMESPACED, .field_labels = field_labels, .nfield_labels = ARRAY_LEN(field_labels)},
    {.kind = STR_INIT("Event"), .flags = API_NAMESPACED, .field_labels = field_labels, .nfield_labels = ARRAY_LEN(field_labels)},
    {.kind = STR_INIT("ConfigMap"), .flags = API_NAMESPACED},
};

static void check_labels(struct arena *a, str text, const struct json *labels)
{
    struct selector s, again;
    struct err err = ERR_NONE;
    if (selector_parse_labels(a, text, &s, &err) < 0) {
        BUG_ON(!err.msg[0]);
        return;
    }
    struct strbuf x = strbuf_on(a), y = strbuf_on(a);
    selector_write(&x, &s);
    BUG_ON(selector_parse_labels(a, strbuf_str(&x), &again, &err) < 0);
    selector_write(&y, &again);
    BUG_ON(!str_eq(strbuf_str(&x), strbuf_str(&y)));
    BUG_ON(selector_match_labels(&s, labels) != selector_match_labels(&again, labels));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ARENA_AUTO a = ARENA_INIT;
    str text = str_n((const char *)data, size);
    struct json obj = json_literal(&a, "{\"metadata\":{\"name\":\"a\",\"labels\":{\"a\":\"b\",\"n\":\"5\",\"in\":\"\"}},"
                                       "\"spec\":{\"nodeName\":\"n\"},\"involvedObject\":{\"name\":\"x\"}}");
    check_labels(&a, text, json_path(&obj, "metadata", "labels", NULL));
    for (size_t i = 0; i < ARRAY_LEN(resources); i++) {
        struct selector s;
        str value;
        if (selector_parse_fields(&a, &resources[i], text, &s, NULL) == 0) {
            (void)selector_match_fields(&s, &resources[i], &obj);
            (void)selector_pins(&s, S("metadata.name"), &value);
        }
    }
    return 0;
}
