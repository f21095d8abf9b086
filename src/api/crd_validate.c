/* crd_validate.c - whether a CustomResourceDefinition may be written: names, versions, columns, what may not change.
 *
 * Kubernetes keeps what all versions have in common at the top: with one version, or the same schema in all, errors are at
 * spec.validation, spec.subresources and spec.additionalPrinterColumns, else at spec.versions[0].schema and so on. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/crd.h"
#include "api/crd_internal.h"

#define SELECTABLE_MAX 8
#define DEPRECATION_WARNING_MAX 256
#define APPROVED_ANNOTATION "api-approved.kubernetes.io"
#define APPROVED_SEE "see https://github.com/kubernetes/enhancements/pull/1111"

/* --- names -------------------------------------------------------------------------------------------------------- */

static void check_label(struct vctx *c, const struct vpath *p, str value)
{
    v_check(c, p, value, validate_dns1035_label);
}

/* Kinds may have capitals, else they are labels. */
static void check_kind(struct vctx *c, const struct vpath *p, str value)
{
    char low[64];
    for (size_t i = 0; i < MIN(value.len, sizeof low); i++)
        low[i] = value.p[i] >= 'A' && value.p[i] <= 'Z' ? (char)(value.p[i] + 32) : value.p[i];
    const char *sentence = validate_dns1035_label(str_n(low, MIN(value.len, sizeof low)));
    if (sentence)
        v_invalid_str(c, p, value, "may have mixed case, but should otherwise match: %s", sentence);
}

static void check_labels(struct vctx *c, const struct vpath *p, const struct json *list)
{
    v_foreach (item, i, list)
        check_label(c, V_INDEX(p, i), json_str(item));
}

static void check_names(struct vctx *c, const struct vpath *p, const struct json *names)
{
    static const struct {
        const char *key;
        void (*check)(struct vctx *c, const struct vpath *p, str value);
    } single[] = {{"plural", check_label}, {"singular", check_label}, {"kind", check_kind}, {"listKind", check_kind}};
    for (size_t i = 0; i < ARRAY_LEN(single); i++)
        if (!json_get_str(names, str_of(single[i].key)).len)
            v_required(c, V_MEMBER(p, str_of(single[i].key)), V_NO_DETAIL);
    for (size_t i = 0; i < ARRAY_LEN(single); i++) {
        str value = json_get_str(names, str_of(single[i].key));
        if (value.len)
            single[i].check(c, V_MEMBER(p, str_of(single[i].key)), value);
    }
    check_labels(c, V_FIELD(p, "shortNames"), V_GET(names, "shortNames"));
    str kind = V_STR(names, "kind"), list_kind = V_STR(names, "listKind");
    if (kind.len && str_eq(kind, list_kind))
        v_invalid_str(c, V_FIELD(p, "listKind"), list_kind, "kind and listKind may not be the same");
    check_labels(c, V_FIELD(p, "categories"), V_GET(names, "categories"));
}

static void check_group(struct vctx *c, const struct vpath *p, str group)
{
    if (!group.len)
        v_required(c, p, V_NO_DETAIL);
    else if (v_check(c, p, group, validate_dns1123_subdomain) && str_find_char(group, '.') < 0)
        v_invalid_str(c, p, group, "should be a domain with at least one dot");
}

static void check_object_name(struct vctx *c, const struct json *crd, const struct json *spec)
{
    str name = json_get_str(json_get(crd, S("metadata")), S("name"));
    str plural = V_STR(json_get(spec, S("names")), "plural"), group = V_STR(spec, "group");
    bool fits = name.len == plural.len + 1 + group.len && str_has_prefix(name, plural) && name.p[plural.len] == '.' &&
                str_has_suffix(name, group);
    if (!fits)
        v_invalid_str(c, V_FIELD(V_FIELD(NULL, "metadata"), "name"), name, "must be spec.names.plural+\".\"+spec.group");
}

/* --- parts of a version ------------------------------------------------------------------------------------------- */

static bool check_simple_path(struct vctx *c, const struct vpath *p, str path)
{
    if (path.p[0] == '.')
        return true;
    v_invalid_str(c, p, path, "must be a simple json path starting with .");
    return false;
}

static void check_subresources(struct vctx *c, const struct vpath *p, const struct json *subs)
{
    const struct json *scale = V_GET(subs, "scale");
    if (!scale)
        return;
    static const struct {
        const char *key;
        bool required, spec, status;
        const char *sentence;
    } paths[] = {
        {"specReplicasPath", true, true, false, "should be a json path under .spec"},
        {"statusReplicasPath", true, false, true, "should be a json path under .status"},
        {"labelSelectorPath", false, true, true, "should be a json path under either .spec or .status"},
    };
    for (size_t i = 0; i < ARRAY_LEN(paths); i++) {
        str path = json_get_str(scale, str_of(paths[i].key));
        const struct vpath *at = V_MEMBER(V_FIELD(p, "scale"), str_of(paths[i].key));
        if (!path.len) {
            if (paths[i].required)
                v_required(c, at, V_NO_DETAIL);
            continue;
        }
        if (!check_simple_path(c, at, path))
            continue;
        if (!(paths[i].spec && str_has_prefix(path, S(".spec."))) && !(paths[i].status && str_has_prefix(path, S(".status."))))
            v_invalid_str(c, at, path, "%s", paths[i].sentence);
    }
}

static void check_columns(struct vctx *c, const struct vpath *p, const struct json *columns)
{
    static const char *const types = "must be one of boolean,date,integer,number,string";
    static const char *const formats = "must be one of byte,date,date-time,double,float,int32,int64,password";
    v_foreach (col, i, columns) {
        const struct vpath *at = V_INDEX(p, i);
        str type = V_STR(col, "type"), format = V_STR(col, "format"), path = V_STR(col, "jsonPath");
        if (!V_STR(col, "name").len)
            v_required(c, V_FIELD(at, "name"), V_NO_DETAIL);
        if (!type.len)
            v_required(c, V_FIELD(at, "type"), "%s", types);
        else if (!v_in(type, "boolean|date|integer|number|string"))
            v_invalid_str(c, V_FIELD(at, "type"), type, "%s", types);
        if (format.len && !v_in(format, "byte|date|date-time|double|float|int32|int64|password"))
            v_invalid_str(c, V_FIELD(at, "format"), format, "%s", formats);
        if (!path.len)
            v_required(c, V_FIELD(at, "JSONPath"), V_NO_DETAIL);
        else
            check_simple_path(c, V_FIELD(at, "JSONPath"), path);
    }
}

/* The schema a path of names leads to, NULL when it leads nowhere. */
static const struct json *schema_at(const struct json *schema, str path)
{
    str rest = str_from(path, 1), name;
    if (!path.len || path.p[0] != '.' || !rest.len)
        return NULL;
    for (bool more = true; more && schema;) {
        more = str_cut(&rest, '.', &name);
        schema = json_get(json_get(schema, S("properties")), name);
    }
    return schema;
}

static void check_selectable(struct vctx *c, const struct vpath *p, const struct json *list, const struct json *schema)
{
    struct v_map seen;
    v_map_init(&seen, c->e->arena);
    v_foreach (item, i, list) {
        const struct vpath *at = V_FIELD(V_INDEX(p, i), "jsonPath");
        str path = V_STR(item, "jsonPath");
        const struct json *target = schema_at(schema, path);
        if (!path.len) {
            v_required(c, at, V_NO_DETAIL);
            continue;
        }
        if (!target) {
            v_invalid_str(c, at, path, "is an invalid path: does not refer to a valid field");
            continue;
        }
        if (str_is(path, ".metadata") || str_has_prefix(path, S(".metadata.")))
            v_invalid_str(c, at, path, "must not point to fields in metadata");
        if (!v_in(V_STR(target, "type"), "string|boolean|integer"))
            v_invalid_str(c, at, path,
                          "must point to a field of type string, boolean or integer. Enum string fields and strings with formats "
                          "are allowed.");
        if (!v_set_add(&seen, path))
            v_duplicate(c, at, path);
    }
    if (v_len(list) > SELECTABLE_MAX) {
        struct json n = json_int(c->e->arena, (int64_t)list->len);
        v_error(c, FIELD_TOO_MANY, p, &n, "must have at most %d items", SELECTABLE_MAX);
    }
}

static void check_deprecation(struct vctx *c, const struct vpath *p, const struct json *version)
{
    const struct json *warning = V_GET(version, "deprecationWarning");
    const struct vpath *at = V_FIELD(p, "deprecationWarning");
    str text = json_str(warning);
    if (!warning)
        return;
    if (!V_BOOL(version, "deprecated")) {
        v_invalid(c, at, warning, "can only be set for deprecated versions");
        return;
    }
    if (text.len > DEPRECATION_WARNING_MAX)
        v_invalid(c, at, warning, "must be <= %d characters long", DEPRECATION_WARNING_MAX);
    if (!text.len)
        v_invalid(c, at, warning, "must not be an empty string");
    for (size_t i = 0; i < text.len; i++)
        if ((uint8_t)text.p[i] < ' ' || text.p[i] == 0x7f) {
            v_invalid(c, at, warning, "must only contain printable UTF-8 characters; non-printable character found at index %zu",
                      i);
            break;
        }
}

/* --- versions ----------------------------------------------------------------------------------------------------- */

/* What a version has and all of them may have in common. */
enum part { PART_SCHEMA, PART_SUBRESOURCES, PART_COLUMNS, PART_SELECTABLE, PARTS };
static const struct {
    str key, common; /* in a version, at the top */
} parts[PARTS] = {
    [PART_SCHEMA] = {STR_INIT("schema"), STR_INIT("validation")},
    [PART_SUBRESOURCES] = {STR_INIT("subresources"), STR_INIT("subresources")},
    [PART_COLUMNS] = {STR_INIT("additionalPrinterColumns"), STR_INIT("additionalPrinterColumns")},
    [PART_SELECTABLE] = {STR_INIT("selectableFields"), STR_INIT("selectableFields")},
};

struct versions {
    const struct json *list;
    const struct vpath *spec;
    bool common[PARTS];
};

static bool is_common(const struct json *versions, str key)
{
    static const struct json none = {.type = JSON_NULL};
    const struct json *first = versions->len ? v_get(&versions->items[0], key) : NULL;
    v_foreach (v, i, versions) {
        const struct json *own = v_get(v, key);
        if (!json_equal(own ? own : &none, first ? first : &none))
            return false;
    }
    return true;
}

/* Where errors about a part of version i stand; false: they have been reported for the first. */
static bool part_place(struct vpath *ret, const struct versions *all, const struct vpath *version, size_t i, enum part part)
{
    bool common = all->common[part];
    *ret = (struct vpath){
        .up = common ? all->spec : version, .name = common ? parts[part].common : parts[part].key, .kind = VPATH_FIELD};
    return !common || i == 0;
}

static void check_version(struct vctx *c, const struct versions *all, const struct json *version, size_t i)
{
    const struct vpath *at = V_INDEX(V_FIELD(all->spec, "versions"), i);
    const struct json *schema = json_path(version, "schema", "openAPIV3Schema", NULL), *subs = V_GET(version, "subresources");
    struct vpath part;
    check_label(c, V_FIELD(at, "name"), V_STR(version, "name"));
    check_deprecation(c, at, version);
    if (!json_is(schema, JSON_OBJECT))
        v_required(c, V_FIELD(V_FIELD(at, "schema"), "openAPIV3Schema"), "schemas are required");
    else if (part_place(&part, all, at, i, PART_SCHEMA))
        crd_structural_validate(c, V_FIELD(&part, "openAPIV3Schema"), schema, V_GET(subs, "status"));
    if (part_place(&part, all, at, i, PART_SUBRESOURCES))
        check_subresources(c, &part, subs);
    if (part_place(&part, all, at, i, PART_COLUMNS))
        check_columns(c, &part, V_GET(version, "additionalPrinterColumns"));
    if (part_place(&part, all, at, i, PART_SELECTABLE))
        check_selectable(c, &part, V_GET(version, "selectableFields"), schema);
}

static void check_versions(struct vctx *c, const struct vpath *spec, const struct json *versions)
{
    static const struct json none = {.type = JSON_ARRAY};
    const struct vpath *at = V_FIELD(spec, "versions");
    struct versions all = {.list = json_is(versions, JSON_ARRAY) ? versions : &none, .spec = spec};
    struct v_map seen;
    bool unique = true;
    size_t stored = 0;
    v_map_init(&seen, c->e->arena);
    for (size_t i = 0; i < PARTS; i++)
        all.common[i] = is_common(all.list, parts[i].key);
    v_foreach (version, i, all.list) {
        check_version(c, &all, version, i);
        stored += V_BOOL(version, "storage");
        unique &= v_set_add(&seen, V_STR(version, "name"));
    }
    if (!unique)
        v_invalid(c, at, all.list, "must contain unique version names");
    if (stored != 1)
        v_invalid(c, at, all.list, "must have exactly one version marked as storage version");
}

static void check_conversion(struct vctx *c, const struct vpath *p, const struct json *conversion)
{
    str strategy = V_STR(conversion, "strategy");
    const struct vpath *at = V_FIELD(p, "strategy");
    if (!conversion)
        return;
    if (!strategy.len)
        v_required(c, at, V_NO_DETAIL);
    else if (str_is(strategy, "Webhook"))
        v_invalid_str(c, at, strategy,
                      "conversion webhooks are not served yet; with None the versions may differ in apiVersion only");
    else if (!str_is(strategy, "None"))
        v_unsupported(c, at, strategy, "None|Webhook");
    else if (V_GET(conversion, "webhook"))
        v_forbidden(c, V_FIELD(p, "webhookClientConfig"), "should not be set when strategy is not set to Webhook");
}

static void check_spec(struct vctx *c, const struct vpath *p, const struct json *spec)
{
    str scope = V_STR(spec, "scope");
    check_group(c, V_FIELD(p, "group"), V_STR(spec, "group"));
    if (!scope.len)
        v_required(c, V_FIELD(p, "scope"), V_NO_DETAIL);
    else if (!v_in(scope, "Cluster|Namespaced"))
        v_unsupported(c, V_FIELD(p, "scope"), scope, "Cluster|Namespaced");
    check_versions(c, p, V_GET(spec, "versions"));
    check_names(c, V_FIELD(p, "names"), V_GET(spec, "names"));
    check_conversion(c, V_FIELD(p, "conversion"), V_GET(spec, "conversion"));
    if (V_BOOL(spec, "preserveUnknownFields"))
        v_invalid(c, V_FIELD(p, "preserveUnknownFields"), json_get(spec, S("preserveUnknownFields")),
                  "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead");
}

/* --- protected groups --------------------------------------------------------------------------------------------- */

enum approval { APPROVAL_MISSING, APPROVAL_GIVEN, APPROVAL_INVALID };

static str approval_text(const struct json *crd)
{
    return json_str(json_path(crd, "metadata", "annotations", APPROVED_ANNOTATION, NULL));
}

static enum approval approval_of(const struct json *crd)
{
    str text = approval_text(crd);
    ptrdiff_t scheme = str_find(text, S("://"));
    if (!text.len)
        return APPROVAL_MISSING;
    return str_has_prefix(text, S("unapproved")) || (scheme > 0 && (size_t)scheme + 3 < text.len) ? APPROVAL_GIVEN
                                                                                                  : APPROVAL_INVALID;
}

static bool is_protected(str group)
{
    return str_is(group, "k8s.io") || str_is(group, "kubernetes.io") || str_has_suffix(group, S(".k8s.io")) ||
           str_has_suffix(group, S(".kubernetes.io"));
}

static void check_approval(struct vctx *c, str group)
{
    enum approval state = approval_of(c->obj);
    if (!is_protected(group) || state == APPROVAL_GIVEN || (c->old && approval_of(c->old) == state))
        return;
    const struct vpath *at = V_KEY(V_FIELD(V_FIELD(NULL, "metadata"), "annotations"), S(APPROVED_ANNOTATION));
    str text = approval_text(c->obj);
    if (state == APPROVAL_MISSING)
        v_required(c, at, "protected groups must have approval annotation \"" APPROVED_ANNOTATION "\", " APPROVED_SEE);
    else
        v_invalid_str(c, at, text,
                      "protected groups must have approval annotation \"" APPROVED_ANNOTATION
                      "\" with either a URL or a reason starting with \"unapproved\", " APPROVED_SEE);
}

/* --- updates ------------------------------------------------------------------------------------------------------ */

static void check_unchanged(struct vctx *c, const struct vpath *p, const struct json *now, const struct json *before,
                            const char *key)
{
    str value = json_get_str(now, str_of(key));
    if (!str_eq(value, json_get_str(before, str_of(key))))
        v_invalid_str(c, V_MEMBER(p, str_of(key)), value, V_IMMUTABLE);
}

static bool is_established(const struct json *crd)
{
    const struct json *list = json_path(crd, "status", "conditions", NULL);
    v_foreach (condition, i, list)
        if (str_is(V_STR(condition, "type"), "Established"))
            return str_is(V_STR(condition, "status"), "True");
    return false;
}

static void check_update(struct vctx *c, const struct vpath *p, const struct json *spec)
{
    const struct json *old = json_get(c->old, S("spec")), *names = json_get(spec, S("names")),
                      *old_names = json_get(old, S("names"));
    if (is_established(c->old)) {
        check_unchanged(c, p, spec, old, "scope");
        check_unchanged(c, V_FIELD(p, "names"), names, old_names, "kind");
    }
    check_unchanged(c, p, spec, old, "group");
    check_unchanged(c, V_FIELD(p, "names"), names, old_names, "plural");
}

/* Objects may lie in the store in any version that was ever the storage version. */
static void check_stored_versions(struct vctx *c, const struct json *spec)
{
    const struct json *stored = json_path(c->obj, "status", "storedVersions", NULL), *versions = V_GET(spec, "versions");
    struct v_map names;
    v_map_init(&names, c->e->arena);
    v_foreach (version, k, versions)
        v_set_add(&names, V_STR(version, "name"));
    v_foreach (name, i, stored) {
        str text = json_str(name);
        if (!v_set_has(&names, text))
            v_invalid(c, V_INDEX(V_FIELD(V_FIELD(NULL, "status"), "storedVersions"), i), name,
                      "missing from spec.versions; " STR_FMT
                      " was previously a storage version, and must remain in spec.versions until a storage "
                      "migration ensures no data remains persisted in " STR_FMT " and removes " STR_FMT
                      " from status.storedVersions",
                      STR_ARG(text), STR_ARG(text), STR_ARG(text));
    }
}

str crd_path_text(struct vctx *c, const struct vpath *p)
{
    size_t before = c->e->len;
    v_required(c, p, V_NO_DETAIL); /* paths are printed when an error is added: this one is taken off again */
    return c->e->len == before ? S("") : c->e->items[--c->e->len].field;
}

void crd_validate(const struct json *crd, const struct json *old, struct field_errors *e)
{
    struct vctx c = {.obj = crd, .old = old, .e = e};
    const struct vpath *p = V_FIELD(NULL, "spec");
    const struct json *spec = json_get(crd, S("spec"));
    size_t before = e->len;
    if (!old)
        check_object_name(&c, crd, spec);
    check_spec(&c, p, spec);
    check_stored_versions(&c, spec);
    check_approval(&c, V_STR(spec, "group"));
    if (old)
        check_update(&c, p, spec);
    if (e->len != before)
        return;
    /* the tables have bounds of their own */
    const struct api_resource **made;
    size_t n;
    struct err err = ERR_NONE;
    if (crd_build(e->arena, crd, &made, &n, &err) < 0)
        v_forbidden(&c, p, "%s", err.msg);
}
