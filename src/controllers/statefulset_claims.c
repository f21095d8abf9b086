/* SPDX-License-Identifier: Apache-2.0 */
#include "controllers/statefulset_claims.h"

enum claim_owner stateful_claim_owner(const struct json *spec, bool scaled_away)
{
    const struct json *policy = json_get(spec, S("persistentVolumeClaimRetentionPolicy"));
    if (scaled_away && str_is(json_get_str(policy, S("whenScaled")), "Delete"))
        return CLAIM_OF_POD;
    return str_is(json_get_str(policy, S("whenDeleted")), "Delete") ? CLAIM_OF_SET : CLAIM_OF_NOBODY;
}

str stateful_claim_name(struct arena *a, const struct json *template, str pod)
{
    return arena_fmt(a, STR_FMT "-" STR_FMT, STR_ARG(json_get_str(json_get(template, S("metadata")), S("name"))), STR_ARG(pod));
}

size_t stateful_claim_sets(struct arena *a, str ns, str claim, str *out, size_t max)
{
    size_t n = 0, end = claim.len;
    while (end && claim.p[end - 1] >= '0' && claim.p[end - 1] <= '9')
        end--;
    if (end == claim.len || !end || claim.p[end - 1] != '-')
        return 0;
    str name = str_sub(claim, 0, end - 1);
    for (size_t i = name.len; i-- > 1 && n < max;)
        if (name.p[i] == '-' && i + 1 < name.len)
            out[n++] = arena_fmt(a, STR_FMT "/" STR_FMT, STR_ARG(ns), STR_ARG(str_from(name, i + 1)));
    return n;
}

struct json stateful_claim_pod_ref(struct arena *a, str pod, str uid)
{
    struct json ref = json_literal(a, "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"controller\":true,\"blockOwnerDeletion\":true}");
    json_set(a, &ref, S("name"), json_string(pod));
    json_set(a, &ref, S("uid"), json_string(uid));
    return ref;
}

static bool same_uid(const struct json *a, const struct json *b)
{
    return str_eq(json_get_str(a, S("uid")), json_get_str(b, S("uid")));
}

static void add_removal(struct arena *a, struct json *refs, const struct json *ref)
{
    struct json gone = json_object();
    json_set(a, &gone, S("$patch"), json_string(S("delete")));
    json_set(a, &gone, S("uid"), *json_get(ref, S("uid")));
    json_push(a, refs, gone);
}

bool stateful_claim_patch(struct arena *a, const struct json *claim, enum claim_owner owner, const struct json *set_ref, const struct json *pod_ref, struct json *ret_patch)
{
    const struct json *meta = json_get(claim, S("metadata")), *list = json_get(meta, S("ownerReferences"));
    const struct json *wanted = owner == CLAIM_OF_SET ? set_ref : owner == CLAIM_OF_POD ? pod_ref : NULL;
    struct json refs = json_array();
    bool has = false;
    for (uint32_t i = 0; json_is(list, JSON_ARRAY) && i < list->len; i++) {
        const struct json *ref = &list->items[i];
        bool ours = same_uid(ref, set_ref) || same_uid(ref, pod_ref);
        if (!ours && json_get_bool(ref, S("controller"), false))
            return false;
        if (ours && wanted && same_uid(ref, wanted))
            has = true;
        else if (ours)
            add_removal(a, &refs, ref);
    }
    if (wanted && !has)
        json_push(a, &refs, json_copy(a, wanted));
    if (!refs.len)
        return false;
    *ret_patch = json_object();
    struct json *to = json_ensure_object(a, ret_patch, S("metadata"));
    json_set(a, to, S("uid"), json_string(json_get_str(meta, S("uid"))));
    json_set(a, to, S("ownerReferences"), refs);
    return true;
}

bool stateful_claim_is_leaving(const struct json *claim, str pod)
{
    const struct json *meta = json_get(claim, S("metadata")), *list = json_get(meta, S("ownerReferences"));
    if (json_get_str(meta, S("deletionTimestamp")).len)
        return true;
    for (uint32_t i = 0; json_is(list, JSON_ARRAY) && i < list->len; i++)
        if (str_is(json_get_str(&list->items[i], S("kind")), "Pod") && str_eq(json_get_str(&list->items[i], S("name")), pod))
            return true;
    return false;
}
