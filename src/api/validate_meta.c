/* validate_meta.c - ObjectMeta: names, labels, annotations, owners, finalizers, and what an update may change. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/validate_internal.h"

static v_rule *const name_rules[] = {
    [API_NAME_DNS_SUBDOMAIN] = validate_dns1123_subdomain,
    [API_NAME_DNS_LABEL] = validate_dns1123_label,
    [API_NAME_DNS1035_LABEL] = validate_dns1035_label,
    [API_NAME_PATH_SEGMENT] = validate_path_segment,
};

const char *v_name_sentence(const struct api_resource *r, str name, bool is_prefix)
{
    char masked[320];
    v_rule *rule = name_rules[r->name_rule];
    if (!is_prefix || name.len < 2 || name.p[name.len - 1] != '-' || name.len > sizeof masked || r->name_rule == API_NAME_PATH_SEGMENT)
        return rule(name);
    /* a dash at the end is fine where more follows; the character before it falls with it, as in Kubernetes */
    memcpy(masked, name.p, name.len - 2);
    masked[name.len - 2] = 'a';
    return rule(str_n(masked, name.len - 1));
}

static void check_names(struct vctx *c, const struct vpath *p, const struct json *meta)
{
    str name = V_STR(meta, "name"), prefix = V_STR(meta, "generateName"), ns = V_STR(meta, "namespace");
    const char *sentence = prefix.len ? v_name_sentence(c->res, prefix, true) : NULL;
    if (sentence)
        v_invalid_str(c, V_FIELD(p, "generateName"), prefix, "%s", sentence);
    sentence = name.len ? v_name_sentence(c->res, name, false) : NULL;
    if (name.len == 0)
        v_required(c, V_FIELD(p, "name"), "name or generateName is required");
    else if (sentence)
        v_invalid_str(c, V_FIELD(p, "name"), name, "%s", sentence);
    if (!api_is_namespaced(c->res)) {
        if (ns.len)
            v_forbidden(c, V_FIELD(p, "namespace"), "not allowed on this type");
    } else if (ns.len == 0) {
        v_required(c, V_FIELD(p, "namespace"), V_NO_DETAIL);
    } else {
        v_check(c, V_FIELD(p, "namespace"), ns, validate_dns1123_label);
    }
}

static void check_owner(struct vctx *c, const struct vpath *p, const struct json *ref)
{
    static const struct {
        str key;
        const char *what;
    } needed[] = {{STR_INIT("apiVersion"), "version"}, {STR_INIT("kind"), "kind"}, {STR_INIT("name"), "name"}, {STR_INIT("uid"), "uid"}};
    for (size_t i = 0; i < ARRAY_LEN(needed); i++) {
        if (json_get_str(ref, needed[i].key).len == 0)
            v_invalid_str(c, V_MEMBER(p, needed[i].key), S(""), "%s must not be empty", needed[i].what);
    }
    if (str_is(V_STR(ref, "apiVersion"), "v1") && str_is(V_STR(ref, "kind"), "Event"))
        v_invalid(c, p, ref, "/v1, Kind=Event is disallowed from being an owner");
}

static void check_owners(struct vctx *c, const struct vpath *p, const struct json *owners)
{
    const struct json *first = NULL;
    v_foreach (ref, i, owners) {
        check_owner(c, p, ref);
        if (!V_BOOL(ref, "controller"))
            continue;
        if (first)
            v_invalid(c, p, owners,
                      "Only one reference can have Controller set to true. Found \"true\" in references for " STR_FMT "/" STR_FMT
                      " and " STR_FMT "/" STR_FMT,
                      STR_ARG(V_STR(first, "kind")), STR_ARG(V_STR(first, "name")), STR_ARG(V_STR(ref, "kind")),
                      STR_ARG(V_STR(ref, "name")));
        else
            first = ref;
    }
}

static void check_finalizers(struct vctx *c, const struct vpath *p, const struct json *finalizers)
{
    v_foreach (f, i, finalizers)
        v_check(c, p, json_str(f), validate_qualified_name);
    if (v_str_list_has(finalizers, S("orphan")) && v_str_list_has(finalizers, S("foregroundDeletion")))
        v_invalid(c, p, finalizers, "finalizer orphan and foregroundDeletion cannot be both set");
}

/* The names that are new, sorted, as Go prints a list of texts. */
static void check_no_new_finalizers(struct vctx *c, const struct vpath *p, const struct json *now, const struct json *before)
{
    struct v_map known;
    v_map_init(&known, c->e->arena);
    v_foreach (f, i, before)
        v_set_add(&known, json_str(f));
    str *names = arena_array(c->e->arena, v_len(now) + 1, str);
    size_t n = 0;
    v_foreach (f, i, now) {
        if (v_set_add(&known, json_str(f)))
            names[n++] = json_str(f);
    }
    if (n == 0)
        return;
    qsort(names, n, sizeof *names, str_cmp_void);
    struct strbuf b = strbuf_on(c->e->arena);
    for (size_t i = 0; i < n; i++)
        strbuf_addf(&b, "%s\"" STR_FMT "\"", i ? ", " : "", STR_ARG(names[i]));
    v_forbidden(c, p, "no new finalizers can be added if the object is being deleted, found new finalizers []string{%s}", strbuf_cstr(&b));
}

/* What the entries say about themselves; their field sets were read, and written anew, when changes were tracked. */
static void check_managed_fields(struct vctx *c, const struct vpath *p, const struct json *managed)
{
    v_foreach (entry, i, managed) {
        const struct vpath *at = V_INDEX(p, i);
        str operation = V_STR(entry, "operation"), type = V_STR(entry, "fieldsType");
        if (!v_in(operation, "Apply|Update"))
            v_invalid_str(c, V_FIELD(at, "operation"), operation, "must be `Apply` or `Update`");
        if (type.len && !str_is(type, "FieldsV1"))
            v_invalid_str(c, V_FIELD(at, "fieldsType"), type, "must be `FieldsV1`");
        if (V_STR(entry, "manager").len > 128)
            v_too_long(c, V_FIELD(at, "manager"), 128);
        if (V_STR(entry, "subresource").len > 256)
            v_too_long(c, V_FIELD(at, "subresource"), 256);
    }
}

static void check_meta_update(struct vctx *c, const struct vpath *p, const struct json *meta, const struct json *old)
{
    static const str fixed[] = {STR_INIT("name"), STR_INIT("namespace")};
    if (V_GET(old, "deletionTimestamp"))
        check_no_new_finalizers(c, V_FIELD(p, "finalizers"), V_GET(meta, "finalizers"), V_GET(old, "finalizers"));
    for (size_t i = 0; i < ARRAY_LEN(fixed); i++) {
        str now = json_get_str(meta, fixed[i]), before = json_get_str(old, fixed[i]);
        if (!str_eq(now, before))
            v_invalid_str(c, V_MEMBER(p, fixed[i]), now, V_IMMUTABLE);
    }
    int64_t generation = V_INT(meta, "generation");
    if (generation < V_INT(old, "generation"))
        v_invalid_int(c, V_FIELD(p, "generation"), generation, "must not be decremented");
}

void v_meta(struct vctx *c)
{
    const struct vpath *p = V_FIELD(NULL, "metadata");
    const struct json *meta = json_get(c->obj, S("metadata")), *old = json_get(c->old, S("metadata"));
    /* names do not change, so old objects with names that would be refused today stay writable */
    if (c->old)
        check_meta_update(c, p, meta, old);
    else
        check_names(c, p, meta);
    v_nonnegative(c, p, meta, S("generation"));
    v_labels(c, V_FIELD(p, "labels"), V_GET(meta, "labels"));
    v_annotations(c, V_FIELD(p, "annotations"), V_GET(meta, "annotations"));
    check_owners(c, V_FIELD(p, "ownerReferences"), V_GET(meta, "ownerReferences"));
    check_finalizers(c, V_FIELD(p, "finalizers"), V_GET(meta, "finalizers"));
    check_managed_fields(c, V_FIELD(p, "managedFields"), V_GET(meta, "managedFields"));
}
