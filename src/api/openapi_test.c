/* SPDX-License-Identifier: Apache-2.0 */
#include "api/openapi.h"

#include "api/crd.h"
#include "base/map.h"
#include "base/test.h"
#include "wire/protobuf.h"
#include "wire/yaml.h"

#define GROUPS_MAX 64

struct fixture {
    struct openapi_group groups[GROUPS_MAX];
    size_t n;
};

/* All built-in resources by group and version, and a custom one. */
static void add(struct arena *a, struct fixture *f, const struct api_resource *r)
{
    size_t i = 0;
    while (i < f->n && !(str_eq(f->groups[i].group, r->group) && str_eq(f->groups[i].version, r->version)))
        i++;
    struct openapi_group *g = &f->groups[i];
    if (i == f->n)
        f->groups[f->n++] = (struct openapi_group){.group = r->group, .version = r->version};
    const struct api_resource **list = arena_array(a, g->nresources + 1, const struct api_resource *);
    if (g->nresources)
        memcpy(list, g->resources, g->nresources * sizeof *list);
    list[g->nresources++] = r;
    g->resources = list;
}

static const char *const crd_text =
    "metadata: {uid: u}\nspec:\n  group: stable.example.com\n  scope: Namespaced\n  names: {plural: crontabs, kind: CronTab}\n  "
    "versions:\n"
    "  - name: v1\n    served: true\n    storage: true\n    subresources: {status: {}, scale: {specReplicasPath: .spec.r, "
    "statusReplicasPath: .status.r}}\n"
    "    selectableFields: [{jsonPath: .spec.mode}]\n"
    "    schema: {openAPIV3Schema: {type: object, description: A job by the clock., properties: {spec: {type: object, required: "
    "[mode, note], properties: {\n"
    "      mode: {type: string, enum: [fast, slow], default: fast, maxLength: 9},\n"
    "      size: {type: number, minimum: 1.5, exclusiveMinimum: true},\n"
    "      note: {type: string, nullable: true},\n"
    "      port: {x-kubernetes-int-or-string: true},\n"
    "      extra: {type: object, x-kubernetes-preserve-unknown-fields: true, properties: {a: {type: string}}},\n"
    "      template: {type: object, x-kubernetes-embedded-resource: true, properties: {spec: {type: object}}},\n"
    "      labels: {type: object, additionalProperties: {type: string}},\n"
    "      any: {type: object, additionalProperties: true},\n"
    "      items: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [name],\n"
    "        items: {type: object, required: [name], properties: {name: {type: string}}}}},\n"
    "      oneOf: [{required: [mode]}, {required: [port]}],\n"
    "      x-kubernetes-validations: [{rule: self.size > 0, message: too small}]}}}}\n";

static void fill(struct arena *a, struct fixture *f)
{
    struct json crd;
    const struct api_resource **made = NULL;
    size_t n = 0;
    struct err err = ERR_NONE;
    *f = (struct fixture){0};
    for (size_t i = 0; i < api_builtin_count; i++)
        add(a, f, api_builtin_resources[i]);
    T_NO_ERR(yaml_parse(a, str_of(crd_text), NULL, &crd, &err), &err);
    T_NO_ERR(crd_build(a, &crd, &made, &n, &err), &err);
    for (size_t i = 0; i < n; i++)
        add(a, f, made[i]);
}

static const struct openapi_group *group_of(const struct fixture *f, const char *group)
{
    for (size_t i = 0; i < f->n; i++)
        if (str_is(f->groups[i].group, group))
            return &f->groups[i];
    return NULL;
}

static struct json document(struct arena *a, struct fixture *f, const char *v3_group)
{
    struct strbuf b = strbuf_on(a);
    struct json v = json_null();
    struct err err = ERR_NONE;
    fill(a, f);
    if (v3_group)
        openapi_v3_write(&b, group_of(f, v3_group));
    else
        openapi_v2_write_json(&b, f->groups, f->n);
    T_NO_ERR(json_parse(a, strbuf_str(&b), NULL, &v, &err), &err);
    return v;
}

/* --- references --------------------------------------------------------------------------------------------------- */

static size_t check_refs(const struct json *v, str prefix, const struct json *defs)
{
    size_t n = 0;
    for (uint32_t i = 0; v->type == JSON_ARRAY && i < v->len; i++)
        n += check_refs(&v->items[i], prefix, defs);
    for (uint32_t i = 0; v->type == JSON_OBJECT && i < v->len; i++) {
        const struct json_member *m = &v->members[i];
        n += check_refs(&m->value, prefix, defs);
        /* a property may be called $ref: JSONSchemaProps has one */
        if (!str_is(m->key, "$ref") || m->value.type != JSON_STRING)
            continue;
        str target = json_str(&m->value);
        if (!str_has_prefix(target, prefix) || !json_get(defs, str_from(target, prefix.len)))
            T_FAIL_("a reference leads nowhere: " STR_FMT, STR_ARG(target));
        n++;
    }
    return n;
}

TEST(every_reference_is_defined)
{
    ARENA_AUTO a = ARENA_INIT;
    struct fixture f;
    struct json v2 = document(&a, &f, NULL);
    T_OK(check_refs(&v2, S("#/definitions/"), json_get(&v2, S("definitions"))) > 1000);
    for (size_t i = 0; i < f.n; i++) {
        struct json v3 = document(&a, &f, arena_cstr(&a, f.groups[i].group));
        T_OK(check_refs(&v3, S("#/components/schemas/"), json_path(&v3, "components", "schemas", NULL)) > 10);
    }
}

/* --- pieces ------------------------------------------------------------------------------------------------------- */

static str piece(struct arena *a, const struct json *v)
{
    return v ? json_text(a, v) : S("(absent)");
}

TEST(v3_schemas_look_like_kubernetes)
{
    ARENA_AUTO a = ARENA_INIT;
    struct fixture f;
    struct json v = document(&a, &f, "");
    const struct json *defs = json_path(&v, "components", "schemas", NULL);
    const struct json *pod = json_get(defs, S("io.k8s.api.core.v1.Pod")),
                      *spec = json_path(defs, "io.k8s.api.core.v1.PodSpec", "properties", NULL);
    T_EQ_STR(piece(&a, json_get(pod, S("x-kubernetes-group-version-kind"))),
             "[{\"group\":\"\",\"kind\":\"Pod\",\"version\":\"v1\"}]");
    const struct json *containers = json_get(spec, S("containers"));
    T_EQ_STR(json_get_str(containers, S("type")), "array");
    T_EQ_STR(json_get_str(containers, S("x-kubernetes-patch-merge-key")), "name");
    T_EQ_STR(json_get_str(containers, S("x-kubernetes-patch-strategy")), "merge");
    T_EQ_STR(json_get_str(containers, S("x-kubernetes-list-type")), "map");
    T_EQ_STR(piece(&a, json_get(containers, S("x-kubernetes-list-map-keys"))), "[\"name\"]");
    T_EQ_STR(piece(&a, json_get(containers, S("items"))), "{\"$ref\":\"#/components/schemas/io.k8s.api.core.v1.Container\"}");
    T_EQ_STR(piece(&a, json_path(defs, "io.k8s.api.core.v1.PodSpec", "required", NULL)), "[\"containers\"]");
    T_EQ_STR(json_get_str(json_get(spec, S("volumes")), S("x-kubernetes-patch-strategy")), "merge,retainKeys");
    const struct json *affinity = json_path(spec, "affinity", "allOf", NULL);
    T_EQ_STR(piece(&a, affinity), "[{\"$ref\":\"#/components/schemas/io.k8s.api.core.v1.Affinity\"}]");
    T_OK(json_path(defs, "io.k8s.api.core.v1.Volume", "properties", "configMap", NULL) !=
         NULL); /* of the embedded VolumeSource */
    T_EQ_STR(piece(&a, json_path(defs, "io.k8s.apimachinery.pkg.util.intstr.IntOrString", "oneOf", NULL)),
             "[{\"type\":\"integer\"},{\"type\":\"string\"}]");
    T_EQ_STR(json_get_str(json_get(defs, S("io.k8s.apimachinery.pkg.apis.meta.v1.Time")), S("format")), "date-time");
    T_EQ_STR(piece(&a, json_path(defs, "io.k8s.api.core.v1.PodList", "properties", "items", "items", NULL)),
             "{\"$ref\":\"#/components/schemas/io.k8s.api.core.v1.Pod\"}");
}

static bool has_param(const struct json *operation, const char *name)
{
    const struct json *list = json_get(operation, S("parameters"));
    for (uint32_t i = 0; json_is(list, JSON_ARRAY) && i < list->len; i++)
        if (str_is(json_get_str(&list->items[i], S("name")), name))
            return str_is(json_get_str(&list->items[i], S("in")), "query");
    return false;
}

TEST(operations_say_what_they_take)
{
    ARENA_AUTO a = ARENA_INIT;
    struct fixture f;
    struct json docs[] = {document(&a, &f, "apps"), document(&a, &f, NULL)};
    for (size_t i = 0; i < ARRAY_LEN(docs); i++) {
        const struct json *paths = json_get(&docs[i], S("paths"));
        const struct json *item = json_get(paths, S("/apis/apps/v1/namespaces/{namespace}/deployments/{name}")),
                          *patch = json_get(item, S("patch"));
        T_OK(has_param(patch, "dryRun") && has_param(patch, "fieldValidation") && has_param(patch, "fieldManager") &&
             has_param(patch, "force"));
        T_EQ_STR(json_get_str(patch, S("x-kubernetes-action")), "patch");
        T_EQ_STR(json_get_str(patch, S("operationId")), "patchAppsV1NamespacedDeployment");
        T_EQ_STR(piece(&a, json_get(patch, S("x-kubernetes-group-version-kind"))),
                 "{\"group\":\"apps\",\"kind\":\"Deployment\",\"version\":\"v1\"}");
        const struct json *all = json_get(paths, S("/apis/apps/v1/deployments"));
        T_OK(json_get(all, S("get")) && !json_get(all, S("post")) && has_param(json_get(all, S("get")), "labelSelector"));
        const struct json *scale = json_path(paths, "/apis/apps/v1/namespaces/{namespace}/deployments/{name}/scale", "put", NULL);
        T_EQ_STR(piece(&a, json_get(scale, S("x-kubernetes-group-version-kind"))),
                 "{\"group\":\"autoscaling\",\"kind\":\"Scale\",\"version\":\"v1\"}");
        T_OK(!json_get(item, S("post")) && json_get(item, S("delete")));
    }
    const struct json *core = json_path(&docs[1], "paths", "/api/v1/namespaces/{namespace}/pods/{name}/exec", "post", NULL);
    T_EQ_STR(json_get_str(core, S("x-kubernetes-action")), "connect");
    T_EQ_STR(json_get_str(core, S("operationId")), "connectCoreV1PostNamespacedPodExec");
}

TEST(custom_resources_publish_their_schema)
{
    ARENA_AUTO a = ARENA_INIT;
    struct fixture f;
    struct json v3 = document(&a, &f, "stable.example.com");
    const struct json *def = json_path(&v3, "components", "schemas", "com.example.stable.v1.CronTab", NULL),
                      *props = json_path(def, "properties", "spec", "properties", NULL);
    T_EQ_STR(json_get_str(def, S("description")), "A job by the clock.");
    T_EQ_STR(piece(&a, json_get(def, S("x-kubernetes-group-version-kind"))),
             "[{\"group\":\"stable.example.com\",\"kind\":\"CronTab\",\"version\":\"v1\"}]");
    T_EQ_STR(piece(&a, json_get(def, S("x-kubernetes-selectable-fields"))), "[{\"fieldPath\":\"spec.mode\"}]");
    T_EQ_STR(piece(&a, json_path(def, "properties", "metadata", "allOf", NULL)),
             "[{\"$ref\":\"#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta\"}]");
    T_OK(json_path(def, "properties", "spec", "oneOf", NULL) && json_path(props, "note", "nullable", NULL) &&
         json_path(props, "port", "anyOf", NULL));
    T_EQ_STR(piece(&a, json_get(json_get(props, S("template")), S("required"))), "[\"kind\",\"apiVersion\"]");
    T_OK(json_path(&v3, "components", "schemas", "com.example.stable.v1.CronTabList", "properties", "items", NULL) != NULL);
    T_OK(json_path(&v3, "paths", "/apis/stable.example.com/v1/namespaces/{namespace}/crontabs/{name}/scale", "get", NULL) !=
         NULL);
}

TEST(version_2_leaves_out_what_it_cannot_say)
{
    ARENA_AUTO a = ARENA_INIT;
    struct fixture f;
    struct json v2 = document(&a, &f, NULL);
    const struct json *spec = json_path(&v2, "definitions", "com.example.stable.v1.CronTab", "properties", "spec", NULL),
                      *props = json_get(spec, S("properties"));
    T_OK(!json_get(spec, S("oneOf")) && json_get(spec, S("x-kubernetes-validations")));
    T_EQ_STR(piece(&a, json_get(spec, S("required"))), "[\"mode\"]");
    T_EQ_STR(piece(&a, json_get(props, S("note"))), "{}");
    T_EQ_STR(piece(&a, json_get(props, S("extra"))), "{\"x-kubernetes-preserve-unknown-fields\":true}");
    T_EQ_STR(piece(&a, json_path(&v2, "definitions", "io.k8s.apimachinery.pkg.util.intstr.IntOrString", "format", NULL)),
             "\"int-or-string\"");
}

/* --- protobuf ----------------------------------------------------------------------------------------------------- */

/* The first length-delimited field `number` whose own field 1 is `name` ("": any); its content. */
static str pb_find(str bytes, uint32_t number, const char *name)
{
    struct protobuf_reader r = protobuf_reader(bytes);
    while (protobuf_next(&r)) {
        if (r.number != number || r.type != PROTOBUF_BYTES)
            continue;
        struct protobuf_reader first = protobuf_reader(r.bytes);
        if (!*name || (protobuf_next(&first) && first.number == 1 && str_is(first.bytes, name)))
            return r.bytes;
    }
    return S("");
}

/* Content of the value of a pair. */
static str pb_value(str bytes, uint32_t number, const char *name)
{
    return pb_find(pb_find(bytes, number, name), 2, "");
}

static bool pb_is_well_formed(str bytes)
{
    struct protobuf_reader r = protobuf_reader(bytes);
    while (protobuf_next(&r))
        ;
    return !r.bad;
}

static str pb_write(struct arena *a)
{
    struct fixture f;
    struct strbuf b = strbuf_on(a);
    fill(a, &f);
    openapi_v2_write_protobuf(&b, f.groups, f.n);
    return strbuf_str(&b);
}

TEST(protobuf_has_the_same_definitions)
{
    ARENA_AUTO a = ARENA_INIT;
    str doc = pb_write(&a), defs = pb_find(doc, 9, "");
    T_EQ_STR(pb_find(doc, 1, ""), "2.0");
    T_OK(pb_is_well_formed(doc) && pb_is_well_formed(defs));
    struct fixture f;
    struct json v2 = document(&a, &f, NULL);
    const struct json *want = json_get(&v2, S("definitions"));
    struct protobuf_reader r = protobuf_reader(defs);
    size_t n = 0;
    for (; protobuf_next(&r); n++) {
        struct protobuf_reader pair = protobuf_reader(r.bytes);
        T_OK(protobuf_next(&pair) && json_get(want, pair.bytes));
    }
    T_EQ_INT(n, want->len);
}

TEST(protobuf_schemas_use_gnostics_numbers)
{
    ARENA_AUTO a = ARENA_INIT;
    str defs = pb_find(pb_write(&a), 9, ""), tab = pb_value(defs, 1, "com.example.stable.v1.CronTab");
    T_EQ_STR(pb_find(tab, 4, ""), "A job by the clock.");
    T_EQ_STR(pb_find(pb_find(tab, 22, ""), 1, ""), "object");
    T_EQ_STR(pb_find(pb_value(tab, 31, "x-kubernetes-group-version-kind"), 2, ""),
             "[{\"group\":\"stable.example.com\",\"kind\":\"CronTab\",\"version\":\"v1\"}]");
    str spec = pb_value(pb_find(tab, 25, ""), 1, "spec"), props = pb_find(spec, 25, ""), mode = pb_value(props, 1, "mode");
    T_EQ_STR(pb_find(spec, 19, ""), "mode");
    T_EQ_STR(pb_find(pb_find(mode, 5, ""), 2, ""), "\"fast\"");
    T_EQ_STR(pb_find(pb_find(mode, 20, ""), 2, ""), "\"fast\"");
    str labels = pb_value(props, 1, "labels"), any = pb_value(props, 1, "any"), items = pb_value(props, 1, "items");
    T_EQ_STR(pb_find(pb_find(pb_find(pb_find(labels, 21, ""), 1, ""), 22, ""), 1, ""), "string");
    struct protobuf_reader r = protobuf_reader(pb_find(any, 21, ""));
    T_OK(protobuf_next(&r) && r.number == 2 && r.value == 1);
    T_EQ_STR(pb_find(pb_find(pb_find(items, 23, ""), 1, ""), 19, ""), "name");
    T_EQ_STR(pb_find(pb_value(items, 31, "x-kubernetes-list-map-keys"), 2, ""), "[\"name\"]");
}

TEST(protobuf_paths_have_their_parameters)
{
    ARENA_AUTO a = ARENA_INIT;
    str paths = pb_find(pb_write(&a), 8, ""), item = pb_value(paths, 2, "/api/v1/namespaces/{namespace}/pods/{name}"),
        patch = pb_find(item, 8, "");
    T_EQ_STR(pb_find(pb_value(patch, 13, "x-kubernetes-group-version-kind"), 2, ""),
             "{\"group\":\"\",\"kind\":\"Pod\",\"version\":\"v1\"}");
    bool dry_run = false, body = false;
    struct protobuf_reader r = protobuf_reader(patch);
    while (protobuf_next(&r)) {
        if (r.number != 8)
            continue;
        str param = pb_find(r.bytes, 1, "");
        dry_run |= str_is(pb_find(pb_find(pb_find(param, 2, ""), 3, ""), 4, ""), "dryRun");
        body |= str_is(pb_find(pb_find(param, 1, ""), 2, ""), "body");
    }
    T_OK(dry_run && body);
    T_EQ_STR(pb_find(pb_find(pb_find(pb_find(pb_value(pb_find(patch, 9, ""), 1, "200"), 1, ""), 2, ""), 1, ""), 1, ""),
             "#/definitions/io.k8s.api.core.v1.Pod");
}

TEST_MAIN(every_reference_is_defined, v3_schemas_look_like_kubernetes, operations_say_what_they_take,
          custom_resources_publish_their_schema, version_2_leaves_out_what_it_cannot_say, protobuf_has_the_same_definitions,
          protobuf_schemas_use_gnostics_numbers, protobuf_paths_have_their_parameters)
