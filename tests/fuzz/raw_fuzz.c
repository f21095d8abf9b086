/* raw_fuzz.c - looking into JSON text without a tree never leaves the text, ends, and agrees with the parser on valid objects. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "client/raw.h"
#include "wire/json.h"

static void check_inside(str whole, str part)
{
    BUG_ON(part.len && (part.p < whole.p || part.p + part.len > whole.p + whole.len));
}

/* Keys that the walk finds as they are written are those without escapes, and the first of equal ones; the parser keeps the last. */
static void check_members(struct arena *a, str text, const struct json *tree)
{
    for (uint32_t i = 0; i < tree->len; i++) {
        str key = tree->members[i].key, found;
        struct json v;
        if (!raw_member(text, key, &found))
            continue;
        BUG_ON(json_parse(a, found, NULL, &v, NULL) < 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ARENA_AUTO a = ARENA_INIT;
    char *copy = xmalloc(size + 1); /* exactly as long as the input, so that a byte too far is seen */
    memcpy(copy, data, size);
    str text = str_n(copy, size), v;
    static const str keys[] = {STR_INIT("metadata"), STR_INIT("a"), STR_INIT("items"), STR_INIT("")};
    for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
        if (raw_member(text, keys[i], &v))
            check_inside(text, v);
        if (raw_member_text(text, keys[i], &v))
            check_inside(text, v);
    }
    STRBUF_AUTO room = STRBUF_HEAP;
    BUG_ON(raw_without_managed_fields(text, &room).len > text.len);
    struct raw_members members;
    str key;
    size_t nmembers = 0;
    for (bool ok = raw_members_begin(text, &members); ok && raw_members_next(&members, &key, &v); nmembers++) {
        check_inside(text, key);
        check_inside(text, v);
        BUG_ON(nmembers > size);
    }
    struct raw_members child;
    size_t nentered = 0;
    for (bool ok = raw_members_begin(text, &members); ok && raw_members_key(&members, &key); nentered++) {
        if (raw_members_enter(&members, &child)) {
            while (raw_members_next(&child, &key, &v))
                check_inside(text, v);
            v = raw_members_leave(&members, &child);
        } else {
            v = raw_members_value(&members);
        }
        check_inside(text, v);
        BUG_ON(nentered > size);
    }
    struct raw_items it;
    struct json tree;
    size_t n = 0;
    for (bool ok = raw_items_begin(text, &it); ok && raw_items_next(&it, &v); n++) {
        check_inside(text, v);
        BUG_ON(n > size);
    }
    if (json_parse(&a, text, NULL, &tree, NULL) == 0) {
        if (tree.type == JSON_OBJECT)
            check_members(&a, text, &tree);
        BUG_ON(tree.type == JSON_OBJECT && nentered != nmembers);
        BUG_ON(tree.type == JSON_OBJECT && tree.len > nmembers); /* equal keys are one in the tree */
        BUG_ON(tree.type == JSON_ARRAY && tree.len != n);
    }
    free(copy);
    return 0;
}
