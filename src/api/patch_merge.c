/* JSON merge patch (RFC 7386): objects merge, null deletes, everything else replaces. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/patch.h"
#include "api/patch_edit.h"

static struct json merge(struct arena *a, const struct json *target, const struct json *patch)
{
    if (patch->type != JSON_OBJECT)
        return *patch;
    PATCH_EDIT_AUTO e = patch_edit_begin(a, target, patch->len);
    for (uint32_t i = 0; i < patch->len; i++) {
        const struct json_member *m = &patch->members[i];
        if (m->value.type == JSON_NULL)
            patch_edit_del(&e, m->key);
        else
            patch_edit_set(&e, m->key, merge(a, patch_edit_get(&e, m->key), &m->value));
    }
    return patch_edit_end(&e);
}

int patch_merge(struct arena *a, const struct json *target, const struct json *patch, struct json *ret, struct err *err)
{
    /* The RFC lets any value replace the document; an API object can only be merged with an object. */
    static const char *const go_names[] = {
        [JSON_BOOL] = "bool", [JSON_NUMBER] = "number", [JSON_STRING] = "string", [JSON_ARRAY] = "array",
    };
    if (target->type == JSON_OBJECT && patch->type != JSON_OBJECT) {
        if (patch->type == JSON_NULL)
            return err_set(err, E_PARSE, "Invalid JSON Patch");
        return err_set(err, E_PARSE,
                       "error decoding patch: json: cannot unmarshal %s into Go value of type map[string]interface {}",
                       go_names[patch->type]);
    }
    *ret = merge(a, target, patch);
    return 0;
}
