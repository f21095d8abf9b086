/* crd.c - a CustomResourceDefinition into entries of the resource table. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/crd.h"

#include "api/crd_internal.h"
#include "api/gen/gen.h"
#include "api/table.h"

#define SUB_VERBS (API_VERB_GET | API_VERB_PATCH | API_VERB_UPDATE)

static str lower(struct arena *a, str s)
{
    char *p = arena_alloc(a, s.len + 1);
    for (size_t i = 0; i < s.len; i++)
        p[i] = s.p[i] >= 'A' && s.p[i] <= 'Z' ? (char)(s.p[i] + 32) : s.p[i];
    return str_n(p, s.len);
}

static int list_too_long(struct err *err, const char *what)
{
    return err_set(err, E_INVALID, "a CustomResourceDefinition can have at most %d %s", UINT8_MAX, what);
}

static int copy_strings(struct arena *a, const struct json *from, const char *key, const str **ret, uint8_t *ret_n,
                        struct err *err)
{
    const struct json *list = crd_list(from, key);
    if (!list)
        return 0;
    if (list->len > UINT8_MAX)
        return list_too_long(err, key);
    str *copy = arena_array(a, list->len, str);
    for (uint32_t i = 0; i < list->len; i++)
        copy[i] = arena_str(a, json_str(&list->items[i]));
    *ret = copy;
    *ret_n = (uint8_t)list->len;
    return 0;
}

static int build_names(struct arena *a, const struct json *spec, struct api_resource *r, struct err *err)
{
    const struct json *names = json_get(spec, S("names"));
    r->plural = arena_str(a, json_get_str(names, S("plural")));
    r->kind = arena_str(a, json_get_str(names, S("kind")));
    r->singular = arena_str(a, json_get_str(names, S("singular")));
    r->list_kind = arena_str(a, json_get_str(names, S("listKind")));
    if (!r->plural.len || !r->kind.len)
        return err_set(err, E_INVALID, "spec.names needs plural and kind");
    if (!r->singular.len)
        r->singular = lower(a, r->kind);
    if (!r->list_kind.len)
        r->list_kind = arena_cat(a, r->kind, S("List"));
    int rc = copy_strings(a, names, "shortNames", &r->short_names, &r->nshort_names, err);
    return rc < 0 ? rc : copy_strings(a, names, "categories", &r->categories, &r->ncategories, err);
}

static void build_subresources(struct arena *a, const struct json *version, struct api_resource *r)
{
    const struct json *subs = json_get(version, S("subresources"));
    const struct json *status = json_get(subs, S("status")), *scale = json_get(subs, S("scale"));
    struct api_subresource *list = arena_array(a, 2, struct api_subresource);
    if (json_is(status, JSON_OBJECT))
        list[r->nsubs++] = (struct api_subresource){.name = S("status"), .kind = r->kind, .verbs = SUB_VERBS, .type = r->type};
    if (json_is(scale, JSON_OBJECT)) {
        list[r->nsubs++] = (struct api_subresource){.name = S("scale"),
                                                    .kind = S("Scale"),
                                                    .group = S("autoscaling"),
                                                    .version = S("v1"),
                                                    .verbs = SUB_VERBS,
                                                    .type = &schema_autoscaling_v1_Scale};
        r->scale_spec_path = arena_str(a, json_get_str(scale, S("specReplicasPath")));
        r->scale_status_path = arena_str(a, json_get_str(scale, S("statusReplicasPath")));
        r->scale_selector_path = arena_str(a, json_get_str(scale, S("labelSelectorPath")));
    }
    r->subs = list;
}

/* Name, and Age where a version has no columns of its own, are added by table.c. */
static int build_columns(struct arena *a, const struct json *version, struct api_resource *r, struct err *err)
{
    const struct json *list = crd_list(version, "additionalPrinterColumns");
    if (!list)
        return 0;
    if (list->len > UINT8_MAX)
        return list_too_long(err, "columns");
    struct api_column *columns = arena_array(a, list->len, struct api_column);
    for (uint32_t i = 0; i < list->len; i++) {
        const struct json *c = &list->items[i];
        columns[i] = (struct api_column){
            .name = arena_str(a, json_get_str(c, S("name"))),
            .type = arena_str(a, json_get_str(c, S("type"))),
            .format = arena_str(a, json_get_str(c, S("format"))),
            .doc = arena_str(a, json_get_str(c, S("description"))),
            .priority = (int)json_get_int(c, S("priority"), 0),
            .json_path = arena_str(a, json_get_str(c, S("jsonPath"))),
        };
    }
    r->columns = columns;
    r->ncolumns = (uint8_t)list->len;
    int rc = table_compile_columns(a, columns, list->len, err);
    return rc < 0 ? err_set(err, E_INVALID, "a printer column has a malformed jsonPath") : 0;
}

static int build_selectable(struct arena *a, const struct json *version, struct api_resource *r, struct err *err)
{
    const struct json *list = crd_list(version, "selectableFields");
    if (!list)
        return 0;
    if (list->len > UINT8_MAX)
        return list_too_long(err, "selectable fields");
    str *labels = arena_array(a, list->len, str);
    for (uint32_t i = 0; i < list->len; i++)
        labels[i] = arena_str(a, str_from(json_get_str(&list->items[i], S("jsonPath")), 1));
    r->field_labels = labels;
    r->nfield_labels = (uint8_t)list->len;
    return 0;
}

static void build_deprecation(struct arena *a, const struct json *version, struct api_resource *r)
{
    if (!json_get_bool(version, S("deprecated"), false))
        return;
    r->flags |= API_DEPRECATED;
    r->deprecation_warning = arena_str(a, json_get_str(version, S("deprecationWarning")));
    if (!r->deprecation_warning.len)
        r->deprecation_warning = arena_fmt(a, STR_FMT "/" STR_FMT " " STR_FMT " is deprecated", STR_ARG(r->group),
                                           STR_ARG(r->version), STR_ARG(r->kind));
}

/* What the versions have in common stands in r already. */
static int build_version(struct arena *a, const struct json *version, struct api_resource *r, struct err *err)
{
    const struct json *schema = json_path(version, "schema", "openAPIV3Schema", NULL);
    struct schema_type *type;
    if (!json_is(schema, JSON_OBJECT))
        return err_set(err, E_INVALID, "a version has no schema.openAPIV3Schema");
    int rc = crd_schema_build(a, schema, &type, err);
    if (rc < 0)
        return rc;
    r->version = arena_str(a, json_get_str(version, S("name")));
    type->name = r->kind;
    type->doc = arena_str(a, json_get_str(schema, S("description")));
    r->type = type;
    build_subresources(a, version, r);
    build_deprecation(a, version, r);
    rc = build_columns(a, version, r, err);
    return rc < 0 ? rc : build_selectable(a, version, r, err);
}

static str storage_version(const struct json *versions)
{
    for (uint32_t i = 0; i < versions->len; i++)
        if (json_get_bool(&versions->items[i], S("storage"), false))
            return json_get_str(&versions->items[i], S("name"));
    return S("");
}

static int build_common(struct arena *a, const struct json *crd, const struct json *versions, struct api_resource *r,
                        struct err *err)
{
    const struct json *spec = json_get(crd, S("spec"));
    r->group = r->storage_group = arena_str(a, json_get_str(spec, S("group")));
    r->storage_version = arena_str(a, storage_version(versions));
    r->crd_uid = arena_str(a, json_get_str(json_get(crd, S("metadata")), S("uid")));
    r->name_rule = API_NAME_DNS_SUBDOMAIN;
    r->verbs = API_VERBS_ALL;
    r->flags = API_CUSTOM | API_GENERATION | API_RV_REQUIRED;
    if (str_is(json_get_str(spec, S("scope")), "Namespaced"))
        r->flags |= API_NAMESPACED;
    if (!r->group.len || !r->storage_version.len)
        return err_set(err, E_INVALID, "a CustomResourceDefinition needs a group and a version that is stored");
    return build_names(a, spec, r, err);
}

int crd_build(struct arena *a, const struct json *crd, const struct api_resource ***ret, size_t *ret_n, struct err *err)
{
    const struct json *versions = crd_list(json_get(crd, S("spec")), "versions");
    if (!versions)
        return err_set(err, E_INVALID, "a CustomResourceDefinition needs spec.versions");
    struct api_resource common = {0};
    int rc = build_common(a, crd, versions, &common, err);
    if (rc < 0)
        return rc;
    const struct api_resource **list = arena_array(a, versions->len, const struct api_resource *);
    size_t n = 0;
    for (uint32_t i = 0; i < versions->len; i++) {
        if (!json_get_bool(&versions->items[i], S("served"), false))
            continue;
        struct api_resource *r = arena_new(a, struct api_resource);
        *r = common;
        rc = build_version(a, &versions->items[i], r, err);
        if (rc < 0)
            return rc;
        list[n++] = r;
    }
    *ret = list;
    *ret_n = n;
    return 0;
}
