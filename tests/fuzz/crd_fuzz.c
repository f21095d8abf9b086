/* A CustomResourceDefinition as YAML, then objects of it as further documents.
 * Nothing may crash, whatever the CRD is.  One that is accepted can be built; its documents are well formed; and an object that
 * went through pruning and defaulting is a fixed point of both. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/codec.h"
#include "api/crd.h"
#include "api/gen/gen.h"
#include "api/openapi.h"
#include "wire/protobuf.h"
#include "wire/yaml.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define INPUT_MAX 16384 /* more only makes it slow */

static bool is_accepted(struct arena *a, const struct json *crd)
{
    struct field_errors *e = arena_new(a, struct field_errors);
    e->arena = a;
    crd_validate(crd, NULL, e);
    size_t found = e->len;
    if (found)
        BUG_ON(field_errors_message(e).len == 0);
    e->len = 0;
    crd_validate(crd, crd, e);
    return found == 0;
}

static void check_json(struct arena *a, str text)
{
    struct json v;
    BUG_ON(json_parse(a, text, NULL, &v, NULL) < 0);
}

static void check_documents(struct arena *a, const struct api_resource *const *list, size_t n)
{
    struct openapi_group g = {.group = list[0]->group, .version = list[0]->version, .resources = list, .nresources = n};
    struct strbuf v3 = strbuf_on(a), v2 = strbuf_on(a), pb = strbuf_on(a);
    openapi_v3_write(&v3, &g);
    check_json(a, strbuf_str(&v3));
    openapi_v2_write_json(&v2, &g, 1);
    check_json(a, strbuf_str(&v2));
    openapi_v2_write_protobuf(&pb, &g, 1);
    struct protobuf_reader r = protobuf_reader(strbuf_str(&pb));
    while (protobuf_next(&r))
        ;
    BUG_ON(r.bad);
}

static void check_object(struct arena *a, const struct api_resource *r, struct json obj)
{
    struct api_field_report report = {0};
    struct err err = ERR_NONE;
    if (api_conform(a, r->type, &obj, &report, &err) < 0)
        return;
    api_default(a, r, &obj);
    struct json again = json_copy(a, &obj);
    api_default(a, r, &again);
    BUG_ON(!json_equal(&obj, &again));
    struct field_errors *e = arena_new(a, struct field_errors);
    e->arena = a;
    api_validate(r, S(""), &obj, NULL, e);
    api_validate(r, S("status"), &obj, &obj, e);
}

static void check_crd(struct arena *a, const struct json *crd, struct yaml_stream *objects)
{
    const struct api_resource **made = NULL;
    size_t n = 0;
    struct err err = ERR_NONE;
    bool accepted = is_accepted(a, crd);
    bool built = crd_build(a, crd, &made, &n, &err) == 0;
    BUG_ON(accepted && !built);
    if (!built || n == 0)
        return;
    check_documents(a, made, n);
    struct json obj;
    for (int i = 0; i < 4 && yaml_stream_next(objects, a, NULL, &obj, &err) > 0; i++)
        for (size_t k = 0; k < n && k < 4; k++)
            check_object(a, made[k], json_copy(a, &obj));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ARENA_AUTO a = ARENA_INIT;
    struct err err = ERR_NONE;
    struct json crd;
    if (size > INPUT_MAX)
        return 0;
    struct yaml_stream *s = yaml_stream_new(str_n((const char *)data, size));
    if (yaml_stream_next(s, &a, NULL, &crd, &err) > 0) {
        check_crd(&a, &crd, s);
        struct json typed = json_copy(&a, &crd);
        if (api_conform(&a, &schema_apiextensions_v1_CustomResourceDefinition, &typed, NULL, &err) == 0)
            check_crd(&a, &typed, s);
    }
    yaml_stream_free(s);
    return 0;
}
