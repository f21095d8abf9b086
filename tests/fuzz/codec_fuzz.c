/* The way of a request body: parse, conform, default, complete, convert.  Byte 0 picks the media type and the kind, the rest is
 * the body.
 * Whatever is accepted must be a fixed point: conforming and defaulting it again changes nothing. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/codec.h"
#include "api/gen/gen.h"

/* A custom resource: typed, open, embedded and nullable parts. */
static const struct schema_type strings = {.kind = SCHEMA_LIST, .elem = &schema_string};
static const struct schema_type open_object = {.kind = SCHEMA_OBJECT, .preserve_unknown = true};
static const struct schema_type embedded = {.kind = SCHEMA_OBJECT, .preserve_unknown = true, .embedded = true};
static const struct schema_type number = {.kind = SCHEMA_INT64, .dflt = STR_INIT("7")};
static const struct schema_type numbers = {.kind = SCHEMA_MAP, .elem = &number};
static const struct schema_field spec_fields[] = {
    {.name = STR_INIT("size"), .type = &schema_int64, .flags = SCHEMA_POINTER, .dflt = STR_INIT("3")},
    {.name = STR_INIT("names"), .type = &strings, .flags = SCHEMA_POINTER},
    {.name = STR_INIT("note"), .type = &schema_string, .flags = SCHEMA_POINTER | SCHEMA_NULLABLE},
    {.name = STR_INIT("open"), .type = &open_object, .flags = SCHEMA_POINTER, .dflt = STR_INIT("{\"a\":[1]}")},
    {.name = STR_INIT("template"), .type = &embedded, .flags = SCHEMA_POINTER},
    {.name = STR_INIT("numbers"), .type = &numbers, .flags = SCHEMA_POINTER},
};
static const struct schema_type spec = {.kind = SCHEMA_OBJECT, .fields = spec_fields, .nfields = ARRAY_LEN(spec_fields)};
static const struct schema_field widget_fields[] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string},
    {.name = STR_INIT("kind"), .type = &schema_string},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ObjectMeta},
    {.name = STR_INIT("spec"), .type = &spec},
};
static const struct schema_type widget = {
    .kind = SCHEMA_OBJECT, .fields = widget_fields, .nfields = ARRAY_LEN(widget_fields), .raw = STR_INIT("{}")};

static const struct api_resource resources[] = {
    {.version = STR_INIT("v1"), .kind = STR_INIT("Pod"), .type = &schema_core_v1_Pod},
    {.group = STR_INIT("apps"), .version = STR_INIT("v1"), .kind = STR_INIT("Deployment"), .type = &schema_apps_v1_Deployment},
    {.group = STR_INIT("example.com"), .version = STR_INIT("v1"), .kind = STR_INIT("Widget"), .type = &widget, .flags = API_CUSTOM},
    {.version = STR_INIT("v1"), .kind = STR_INIT("Secret"), .type = &schema_core_v1_Secret},
    {.version = STR_INIT("v1"), .kind = STR_INIT("Service"), .type = &schema_core_v1_Service},
    {.group = STR_INIT("autoscaling"), .version = STR_INIT("v1"), .kind = STR_INIT("HorizontalPodAutoscaler"),
     .type = &schema_autoscaling_v1_HorizontalPodAutoscaler},
    {.group = STR_INIT("autoscaling"), .version = STR_INIT("v2"), .kind = STR_INIT("HorizontalPodAutoscaler"),
     .type = &schema_autoscaling_v2_HorizontalPodAutoscaler},
    {.group = STR_INIT("apiextensions.k8s.io"), .version = STR_INIT("v1"), .kind = STR_INIT("CustomResourceDefinition"),
     .type = &schema_apiextensions_v1_CustomResourceDefinition},
    {.group = STR_INIT("batch"), .version = STR_INIT("v1"), .kind = STR_INIT("CronJob"), .type = &schema_batch_v1_CronJob},
    {.version = STR_INIT("v1"), .kind = STR_INIT("Node"), .type = &schema_core_v1_Node},
    {.version = STR_INIT("v1"), .kind = STR_INIT("LimitRange"), .type = &schema_core_v1_LimitRange},
};

static void check_fixed_point(struct arena *a, const struct api_resource *r, const struct json *v)
{
    struct err err = ERR_NONE;
    struct json again = json_copy(a, v);
    BUG_ON(api_conform(a, r->type, &again, NULL, &err) < 0);
    BUG_ON(!json_equal(v, &again));
}

static void check_conversion(struct arena *a, const struct api_resource *r, const struct json *v)
{
    for (size_t i = 0; i < ARRAY_LEN(resources); i++) {
        struct err err = ERR_NONE;
        struct json out;
        if (&resources[i] != r && str_eq(resources[i].kind, r->kind))
            BUG_ON(api_convert(a, r, &resources[i], v, &out, &err) < 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1)
        return 0;
    ARENA_AUTO a = ARENA_INIT;
    struct err err = ERR_NONE;
    struct json v;
    static struct api_field_report report;
    report.len = 0;
    enum api_media media = (enum api_media)(data[0] % 3);
    const struct api_resource *r = &resources[data[0] / 3 % ARRAY_LEN(resources)];
    str body = arena_str(&a, str_n((const char *)data + 1, size - 1));
    if (api_parse_body(&a, media, body, r->type, &v, &report, &err) < 0 || api_conform(&a, r->type, &v, &report, &err) < 0)
        return 0;
    check_fixed_point(&a, r, &v);
    api_default(&a, r, &v);
    struct json again = json_copy(&a, &v);
    api_default(&a, r, &again);
    BUG_ON(!json_equal(&v, &again));
    check_conversion(&a, r, &v);
    api_complete(&a, r->type, &v);
    json_text(&a, &v);
    return 0;
}
