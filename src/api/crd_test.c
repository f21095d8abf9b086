/* SPDX-License-Identifier: Apache-2.0 */
#include "api/crd.h"

#include "api/codec.h"
#include "api/gen/gen.h"
#include "base/test.h"
#include "wire/yaml.h"

#define HEAD                                                                                                                   \
    "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: crontabs.stable.example.com, uid: " \
    "u1}\nspec:\n"                                                                                                             \
    "  group: stable.example.com\n  scope: Namespaced\n"                                                                       \
    "  names: {plural: crontabs, singular: crontab, kind: CronTab, listKind: CronTabList, shortNames: [ct], categories: "      \
    "[all]}\n  versions:\n"
#define VERSION "  - name: v1\n    served: true\n    storage: true\n"
#define SCHEMA "    schema: {openAPIV3Schema: "

static const char *const full = HEAD VERSION
    "    subresources: {status: {}, scale: {specReplicasPath: .spec.replicas, statusReplicasPath: .status.replicas, "
    "labelSelectorPath: .status.sel}}\n"
    "    additionalPrinterColumns:\n"
    "    - {name: Spec, type: string, jsonPath: .spec.cronSpec, description: When}\n"
    "    - {name: First, type: string, jsonPath: '.spec.items[0].name', priority: 1}\n"
    "    selectableFields: [{jsonPath: .spec.image}]\n" SCHEMA
    "{type: object, description: A job by the clock., required: [spec], properties: {\n"
    "      spec: {type: object, required: [cronSpec], properties: {\n"
    "        cronSpec: {type: string, minLength: 2, pattern: '^[a-z*]+$'},\n"
    "        image: {type: string, default: busybox},\n"
    "        replicas: {type: integer, format: int32, minimum: 1, maximum: 10, default: 1},\n"
    "        mode: {type: string, enum: [fast, slow]},\n"
    "        level: {type: integer, enum: [1, 2]},\n"
    "        port: {x-kubernetes-int-or-string: true},\n"
    "        extra: {type: object, x-kubernetes-preserve-unknown-fields: true},\n"
    "        labels: {type: object, additionalProperties: {type: string}},\n"
    "        note: {type: string, nullable: true},\n"
    "        template: {type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true},\n"
    "        items: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [name],\n"
    "          items: {type: object, required: [name], properties: {name: {type: string}, weight: {type: number, default: "
    "1.5}}}}},\n"
    "        anyOf: [{required: [image]}, {required: [port]}]},\n"
    "      status: {type: object, x-kubernetes-map-type: atomic, properties: {replicas: {type: integer}}}}}}\n"
    "  - {name: v1beta1, served: true, storage: false, deprecated: true, schema: {openAPIV3Schema: {type: object, "
    "x-kubernetes-preserve-unknown-fields: true}}}\n"
    "  - {name: v1alpha1, served: false, storage: false, schema: {openAPIV3Schema: {type: object}}}\n";

static struct json parse(struct arena *a, const char *text)
{
    struct json v = json_null();
    struct err err = ERR_NONE;
    T_NO_ERR(yaml_parse(a, str_of(text), NULL, &v, &err), &err);
    return v;
}

static str errors_of(struct arena *a, const struct json *crd, const struct json *old)
{
    struct field_errors *e = arena_new(a, struct field_errors);
    e->arena = a;
    crd_validate(crd, old, e);
    return field_errors_message(e);
}

static str errors_of_text(struct arena *a, const char *text)
{
    struct json crd = parse(a, text);
    return errors_of(a, &crd, NULL);
}

static const struct api_resource *build(struct arena *a, const char *text, size_t which, size_t want)
{
    struct json crd = parse(a, text);
    const struct api_resource **made = NULL;
    size_t n = 0;
    struct err err = ERR_NONE;
    T_NO_ERR(crd_build(a, &crd, &made, &n, &err), &err);
    T_EQ_INT(n, want);
    return made[which];
}

/* --- building ----------------------------------------------------------------------------------------------------- */

TEST(resource_has_what_the_crd_says)
{
    ARENA_AUTO a = ARENA_INIT;
    const struct api_resource *r = build(&a, full, 0, 2);
    T_EQ_STR(r->group, "stable.example.com");
    T_EQ_STR(r->version, "v1");
    T_EQ_STR(r->kind, "CronTab");
    T_EQ_STR(r->list_kind, "CronTabList");
    T_EQ_STR(r->singular, "crontab");
    T_EQ_STR(r->short_names[0], "ct");
    T_EQ_STR(r->categories[0], "all");
    T_EQ_STR(r->crd_uid, "u1");
    T_EQ_STR(r->storage_version, "v1");
    T_EQ_INT(r->flags, API_NAMESPACED | API_CUSTOM | API_GENERATION | API_RV_REQUIRED);
    T_EQ_INT(r->nsubs, 2);
    T_OK(api_subresource_find(r, S("scale"))->type == &schema_autoscaling_v1_Scale);
    T_OK(api_subresource_find(r, S("status"))->type == r->type);
    T_EQ_STR(r->scale_spec_path, ".spec.replicas");
    T_EQ_STR(r->scale_selector_path, ".status.sel");
    T_EQ_INT(r->ncolumns, 2);
    T_OK(r->columns[1].compiled && r->columns[1].priority == 1);
    T_EQ_STR(r->field_labels[0], "spec.image");
}

TEST(versions_share_the_store)
{
    ARENA_AUTO a = ARENA_INIT;
    const struct api_resource *r = build(&a, full, 1, 2);
    T_EQ_STR(r->version, "v1beta1");
    T_EQ_STR(r->storage_version, "v1");
    T_EQ_STR(r->deprecation_warning, "stable.example.com/v1beta1 CronTab is deprecated");
    T_OK(r->flags & API_DEPRECATED && r->type->preserve_unknown && r->nsubs == 0);
}

static const struct schema_type *field(const struct schema_type *t, const char *path)
{
    str rest = str_of(path), name;
    while (rest.len && t) {
        str_cut(&rest, '.', &name);
        const struct schema_field *f = schema_field_find(t, name);
        t = f ? f->type : NULL;
    }
    return t;
}

TEST(schema_becomes_types)
{
    ARENA_AUTO a = ARENA_INIT;
    const struct schema_type *t = build(&a, full, 0, 2)->type;
    T_OK(t->raw.len && field(t, "metadata") == &schema_meta_v1_ObjectMeta);
    static const struct {
        const char *path;
        int kind;
    } kinds[] = {
        {"apiVersion", SCHEMA_STRING},    {"spec", SCHEMA_OBJECT},      {"spec.cronSpec", SCHEMA_STRING},
        {"spec.replicas", SCHEMA_INT32},  {"spec.level", SCHEMA_INT64}, {"spec.port", SCHEMA_INT_OR_STRING},
        {"spec.extra", SCHEMA_OBJECT},    {"spec.labels", SCHEMA_MAP},  {"spec.items", SCHEMA_LIST},
        {"spec.template", SCHEMA_OBJECT}, {"status", SCHEMA_OBJECT},
    };
    for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
        const struct schema_type *f = field(t, kinds[i].path);
        T_OK(f && f->kind == kinds[i].kind);
    }
    const struct schema_type *items = field(t, "spec.items"), *spec = field(t, "spec");
    T_EQ_INT(items->list_type, SCHEMA_LIST_MAP);
    T_EQ_STR(items->keys[0], "name");
    T_OK(field(t, "status")->atomic && field(t, "spec.note")->nullable && field(t, "spec.extra")->preserve_unknown);
    T_OK(field(t, "spec.template.metadata") == &schema_meta_v1_ObjectMeta);
    T_OK(schema_field_find(spec, S("cronSpec"))->flags & SCHEMA_REQUIRED);
    T_EQ_STR(schema_field_find(spec, S("image"))->dflt, "\"busybox\"");
    T_OK(spec->index8 && spec->rules->nany_of == 2 && spec->rules->any_of[0]->is_union_typeless);
    T_EQ_STR(field(t, "spec.level")->rules->enums[1], "2");
    T_OK(schema_field_find(spec, S("nothing")) == NULL);
}

TEST(big_objects_are_indexed)
{
    ARENA_AUTO a = ARENA_INIT;
    struct strbuf b = strbuf_on(&a);
    strbuf_add_str(&b, S("{\"type\":\"object\",\"properties\":{"));
    for (int i = 0; i < 1000; i++)
        strbuf_addf(&b, "%s\"p%d\":{\"type\":\"integer\",\"default\":%d}", i ? "," : "", i, i);
    strbuf_add_str(&b, S("},\"required\":[\"p7\",\"other\"]}"));
    struct json s;
    struct err err = ERR_NONE;
    struct schema_type *t = NULL;
    T_NO_ERR(json_parse(&a, strbuf_str(&b), NULL, &s, &err), &err);
    T_NO_ERR(crd_schema_build(&a, &s, &t, &err), &err);
    T_OK(t->index16 && t->nfields == 1004);
    for (int i = 0; i < 1000; i++) {
        const struct schema_field *f = schema_field_find(t, arena_fmt(&a, "p%d", i));
        T_OK(f && str_eq(f->dflt, arena_fmt(&a, "%d", i)) && !(f->flags & SCHEMA_REQUIRED) == (i != 7));
    }
    T_OK(schema_field_find(t, S("other"))->flags & SCHEMA_REQUIRED);
}

TEST(typeless_branches_speak_about_objects_and_lists)
{
    ARENA_AUTO a = ARENA_INIT;
    struct json s = parse(&a, "{type: object, not: {required: [x], items: {maximum: 3}}}");
    struct schema_type *t = NULL;
    struct err err = ERR_NONE;
    T_NO_ERR(crd_schema_build(&a, &s, &t, &err), &err);
    const struct schema_type *barred = t->rules->not_;
    T_OK(barred->kind == SCHEMA_OBJECT && barred->is_union_typeless && barred->rules->nall_of == 1);
    T_OK(barred->rules->all_of[0]->kind == SCHEMA_LIST && barred->rules->all_of[0]->elem->rules->has_max);
    s = parse(&a, "{type: object, properties: {a: {type: wild}}}");
    T_ERR(crd_schema_build(&a, &s, &t, &err), E_INVALID);
}

/* --- objects ------------------------------------------------------------------------------------------------------ */

static str write_object(struct arena *a, const struct api_resource *r, const char *text, struct api_field_report *report)
{
    struct json obj = parse(a, text);
    struct err err = ERR_NONE;
    T_NO_ERR(api_conform(a, r->type, &obj, report, &err), &err);
    api_default(a, r, &obj);
    struct field_errors *e = arena_new(a, struct field_errors);
    e->arena = a;
    api_validate(r, S(""), &obj, NULL, e);
    return e->len ? field_errors_message(e) : json_text(a, json_get(&obj, S("spec")));
}

#define OBJECT "apiVersion: stable.example.com/v1\nkind: CronTab\nmetadata: {name: my, namespace: default, uid: u}\nspec: "

TEST(objects_are_pruned_defaulted_and_kept)
{
    ARENA_AUTO a = ARENA_INIT;
    const struct api_resource *r = build(&a, full, 0, 2);
    struct api_field_report report = {0};
    str spec = write_object(
        &a, r,
        OBJECT "{cronSpec: '**', unk: 1, extra: {a: {b: 0}}, items: [{name: a, odd: 1}], note: null, level: 1, labels: {}}",
        &report);
    T_EQ_STR(spec, "{\"cronSpec\":\"**\",\"extra\":{\"a\":{\"b\":0}},\"items\":[{\"name\":\"a\",\"weight\":1.5}],\"note\":null,"
                   "\"level\":1,\"labels\":{},"
                   "\"image\":\"busybox\",\"replicas\":1}");
    T_EQ_INT(report.len, 2);
    T_EQ_STR(report.items[0], "unknown field \"spec.unk\"");
    T_EQ_STR(report.items[1], "unknown field \"spec.items[0].odd\"");
}

TEST(bad_objects_are_refused)
{
    static const struct {
        const char *spec, *want;
    } cases[] = {
        {"{}", "spec.cronSpec: Required value"},
        {"{cronSpec: 3}", "spec.cronSpec: Invalid value: \"integer\": spec.cronSpec in body must be of type string: \"integer\""},
        {"{cronSpec: A*}", "spec.cronSpec: Invalid value: \"A*\": spec.cronSpec in body should match '^[a-z*]+$'"},
        {"{cronSpec: '**', replicas: 11}",
         "spec.replicas: Invalid value: 11: spec.replicas in body should be less than or equal to 10"},
        {"{cronSpec: '**', mode: odd}", "spec.mode: Unsupported value: \"odd\": supported values: \"fast\", \"slow\""},
        {"{cronSpec: '**', port: [1]}",
         "spec.port: Invalid value: \"array\": spec.port in body must be of type integer,string: \"array\""},
        {"{cronSpec: '**', items: [{name: a}, {name: a}]}", "spec.items[1]: Duplicate value: {\"name\":\"a\"}"},
        {"{cronSpec: '**', labels: {a: 1}}",
         "spec.labels.a: Invalid value: \"integer\": spec.labels.a in body must be of type string: \"integer\""},
    };
    ARENA_AUTO a = ARENA_INIT;
    const struct api_resource *r = build(&a, full, 0, 2);
    for (size_t i = 0; i < ARRAY_LEN(cases); i++)
        T_EQ_STR(write_object(&a, r, arena_cstr(&a, arena_cat(&a, S(OBJECT), str_of(cases[i].spec))), NULL), cases[i].want);
}

/* --- what may be written ------------------------------------------------------------------------------------------ */

TEST(good_crds_are_accepted)
{
    ARENA_AUTO a = ARENA_INIT;
    T_EQ_STR(errors_of_text(&a, full), "");
    T_EQ_STR(errors_of_text(&a, HEAD VERSION SCHEMA "{type: object, x-kubernetes-preserve-unknown-fields: true}}\n"), "");
    T_EQ_STR(errors_of_text(
                 &a, HEAD VERSION SCHEMA
                 "{type: object, properties: {metadata: {type: object, properties: {name: {type: string, maxLength: 3}}},"
                 "p: {x-kubernetes-int-or-string: true, anyOf: [{type: integer}, {type: string}]},"
                 "q: {type: object, properties: {r: {type: string}}, x-kubernetes-validations: [{rule: self.r != ''}]}}}}\n"),
             "");
}

#define ROOT "spec.validation.openAPIV3Schema"

TEST(bad_schemas_are_refused)
{
    static const struct {
        const char *schema, *want;
    } cases[] = {
        {"{}", ROOT ".type: Required value: must not be empty at the root"},
        {"{type: array, items: {type: string}}", ROOT ".type: Invalid value: \"array\": must be object at the root"},
        {"{type: object, properties: {a: {}}}",
         ROOT ".properties[a].type: Required value: must not be empty for specified object fields"},
        {"{type: object, properties: {a: {type: array}}}", ROOT ".properties[a].items: Required value: must be specified"},
        {"{type: object, properties: {a: {type: array, items: {}}}}",
         ROOT ".properties[a].items.type: Required value: must not be empty for specified array items"},
        {"{type: object, properties: {a: {type: wild}}}",
         ROOT ".properties[a].type: Unsupported value: \"wild\": supported values: \"array\", \"boolean\", \"integer\", "
              "\"number\", \"object\", \"string\""},
        {"{type: object, additionalProperties: {type: string}}",
         ROOT ".additionalProperties: Forbidden: must not be used at the root"},
        {"{type: object, properties: {a: {type: object, properties: {b: {type: string}}, additionalProperties: {type: string}}}}",
         ROOT ".properties[a].additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive"},
        {"{type: object, properties: {a: {$ref: '#/x'}}}", ROOT ".properties[a].$ref: Forbidden: $ref is not supported"},
        {"{type: object, nullable: true}", ROOT ".nullable: Forbidden: nullable cannot be true at the root"},
        {"{type: object, properties: {metadata: {type: object, properties: {labels: {type: object}}}}}",
         ROOT ".properties[metadata]: Forbidden: must not specify anything other than name and generateName, but metadata is "
              "implicitly specified"},
        {"{type: object, properties: {kind: {type: string, default: X}}}",
         ROOT ".properties[kind].default: Forbidden: must not be set in top-level kind"},
        {"{type: object, properties: {a: {type: integer, default: x}}}",
         ROOT ".properties[a].default: Invalid value: \"string\": " ROOT
              ".properties[a].default in body must be of type integer: \"string\""},
        {"{type: object, properties: {a: {type: object, properties: {b: {type: string}}, default: {c: 1}}}}",
         ROOT ".properties[a].default: Invalid value: {\"c\":1}: must not have unknown fields"},
        {"{type: object, properties: {a: {type: string, anyOf: [{type: string}]}}}",
         ROOT ".properties[a].anyOf[0].type: Forbidden: must be empty to be structural"},
        {"{type: object, anyOf: [{properties: {z: {minimum: 1}}}]}",
         ROOT ".properties[z]: Required value: because it is defined in " ROOT ".anyOf[0].properties[z]"},
        {"{type: object, properties: {a: {type: array, x-kubernetes-list-type: map, items: {type: object, properties: {id: "
         "{type: string}}}}}}",
         ROOT ".properties[a].x-kubernetes-list-map-keys: Required value: must not be empty if x-kubernetes-list-type is map"},
        {"{type: object, properties: {a: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [id], items: "
         "{type: object, properties: {id: "
         "{type: string}}}}}}",
         ROOT ".properties[a].items.properties[id].default: Required value: this property is in x-kubernetes-list-map-keys, so "
              "it must have a default or be "
              "a required property"},
        {"{type: object, properties: {a: {type: array, x-kubernetes-list-type: bag, items: {type: string}}}}", ROOT
         ".properties[a].x-kubernetes-list-type: Unsupported value: \"bag\": supported values: \"atomic\", \"set\", \"map\""},
        {"{type: object, properties: {a: {type: array, uniqueItems: true, items: {type: string}}}}",
         ROOT ".properties[a].uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes "
              "quadratic"},
        {"{type: object, properties: {a: {type: string, x-kubernetes-embedded-resource: true}}}",
         "[" ROOT
         ".properties[a].type: Invalid value: \"string\": must be object if x-kubernetes-embedded-resource is true, " ROOT
         ".properties[a].properties: Required value: must not be empty if x-kubernetes-embedded-resource is true without "
         "x-kubernetes-preserve-unknown-fields]"},
        {"{type: object, x-kubernetes-preserve-unknown-fields: false}",
         ROOT ".x-kubernetes-preserve-unknown-fields: Invalid value: false: must be true or undefined"},
        {"{type: object, x-kubernetes-validations: [{message: x}]}",
         ROOT ".x-kubernetes-validations[0].rule: Required value: rule is not specified"},
    };
    ARENA_AUTO a = ARENA_INIT;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        str text = arena_fmt(&a, HEAD VERSION SCHEMA "%s}\n", cases[i].schema);
        T_EQ_STR(errors_of_text(&a, arena_cstr(&a, text)), cases[i].want);
    }
}

TEST(bad_specs_are_refused)
{
#define GOOD_SCHEMA SCHEMA "{type: object}}\n"
    static const struct {
        const char *text, *want;
    } cases[] = {
        {HEAD "  - {name: v1, served: true, storage: true}\n",
         "spec.versions[0].schema.openAPIV3Schema: Required value: schemas are required"},
        {HEAD VERSION GOOD_SCHEMA "    additionalPrinterColumns: [{name: x, type: odd, jsonPath: spec.x}]\n",
         "[spec.additionalPrinterColumns[0].type: Invalid value: \"odd\": must be one of boolean,date,integer,number,string, "
         "spec.additionalPrinterColumns[0].JSONPath: Invalid value: \"spec.x\": must be a simple json path starting with .]"},
        {HEAD VERSION GOOD_SCHEMA "    subresources: {scale: {specReplicasPath: .status.x}}\n",
         "[spec.subresources.scale.specReplicasPath: Invalid value: \".status.x\": should be a json path under .spec, "
         "spec.subresources.scale.statusReplicasPath: Required value]"},
        {HEAD VERSION GOOD_SCHEMA "    selectableFields: [{jsonPath: .spec.x}]\n",
         "spec.selectableFields[0].jsonPath: Invalid value: \".spec.x\": is an invalid path: does not refer to a valid field"},
        {HEAD VERSION GOOD_SCHEMA "    deprecationWarning: old\n",
         "spec.versions[0].deprecationWarning: Invalid value: \"old\": can only be set for deprecated versions"},
        {HEAD VERSION GOOD_SCHEMA "  conversion: {strategy: Webhook}\n",
         "spec.conversion.strategy: Invalid value: \"Webhook\": conversion webhooks are not served yet; with None the versions "
         "may differ in apiVersion only"},
        {HEAD VERSION GOOD_SCHEMA "  preserveUnknownFields: true\n",
         "spec.preserveUnknownFields: Invalid value: true: cannot set to true, set x-kubernetes-preserve-unknown-fields to true "
         "in spec.versions[*].schema "
         "instead"},
        {"metadata: {name: a.b}\nspec: {group: stable.example.com, scope: Odd, names: {plural: crontabs, kind: CronTab, "
         "singular: crontab, listKind: CronTab},\n"
         "  versions: [{name: V1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]}\n",
         "[metadata.name: Invalid value: \"a.b\": must be spec.names.plural+\".\"+spec.group, spec.scope: Unsupported value: "
         "\"Odd\": supported values: "
         "\"Cluster\", \"Namespaced\", spec.versions[0].name: Invalid value: \"V1\": a DNS-1035 label must consist of lower case "
         "alphanumeric characters or "
         "'-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex "
         "used for validation is "
         "'[a-z]([-a-z0-9]*[a-z0-9])?'), spec.names.listKind: Invalid value: \"CronTab\": kind and listKind may not be the "
         "same]"},
        {"metadata: {name: as.x.k8s.io}\nspec: {group: x.k8s.io, scope: Cluster, names: {plural: as, kind: A, singular: a, "
         "listKind: AList},\n"
         "  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]}\n",
         "metadata.annotations[api-approved.kubernetes.io]: Required value: protected groups must have approval annotation "
         "\"api-approved.kubernetes.io\", "
         "see https://github.com/kubernetes/enhancements/pull/1111"},
    };
    ARENA_AUTO a = ARENA_INIT;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++)
        T_EQ_STR(errors_of_text(&a, cases[i].text), cases[i].want);
    str none =
        errors_of_text(&a, HEAD "  - {name: v1, served: true, storage: false, schema: {openAPIV3Schema: {type: object}}}\n");
    T_OK(str_has_suffix(none, S("must have exactly one version marked as storage version")));
    T_OK(errors_of_text(&a, "{}").len > 0 && errors_of_text(&a, "spec: []").len > 0);
}

TEST(versions_that_differ_have_errors_of_their_own)
{
    ARENA_AUTO a = ARENA_INIT;
    T_EQ_STR(errors_of_text(&a, HEAD VERSION SCHEMA
                            "{type: object}}\n  - {name: v2, served: true, storage: false, schema: {openAPIV3Schema: {}}}\n"),
             "spec.versions[1].schema.openAPIV3Schema.type: Required value: must not be empty at the root");
    T_EQ_STR(errors_of_text(&a, HEAD VERSION SCHEMA
                            "{}}\n  - {name: v2, served: true, storage: false, schema: {openAPIV3Schema: {}}}\n"),
             ROOT ".type: Required value: must not be empty at the root");
}

TEST(names_and_stored_versions_stay)
{
    ARENA_AUTO a = ARENA_INIT;
    struct json old =
        parse(&a, HEAD VERSION GOOD_SCHEMA "status: {storedVersions: [v1], conditions: [{type: Established, status: 'True'}]}\n");
    struct json crd = json_copy(&a, &old);
    T_EQ_STR(errors_of(&a, &crd, &old), "");
    json_set(&a, json_get(&crd, S("spec")), S("scope"), json_string(S("Cluster")));
    T_EQ_STR(errors_of(&a, &crd, &old), "spec.scope: Invalid value: \"Cluster\": field is immutable");
    crd = json_copy(&a, &old);
    json_set(&a, &json_path(&crd, "spec", "versions", NULL)->items[0], S("name"), json_string(S("v2")));
    str text = errors_of(&a, &crd, &old);
    T_OK(str_has_prefix(
        text,
        S("status.storedVersions[0]: Invalid value: \"v1\": missing from spec.versions; v1 was previously a storage version")));
}

TEST(huge_schemas_are_bounded)
{
    ARENA_AUTO a = ARENA_INIT;
    struct strbuf b = strbuf_on(&a);
    strbuf_add_str(&b, S(HEAD VERSION SCHEMA "{type: object, properties: {"));
    for (int i = 0; i < 5000; i++)
        strbuf_addf(&b, "p%d: {type: string}, ", i);
    strbuf_add_str(&b, S("}}}\n"));
    T_EQ_STR(errors_of_text(&a, strbuf_cstr(&b)), ROOT ": Forbidden: an object can have at most 4096 properties");
}

TEST_MAIN(resource_has_what_the_crd_says, versions_share_the_store, schema_becomes_types, big_objects_are_indexed,
          typeless_branches_speak_about_objects_and_lists, objects_are_pruned_defaulted_and_kept, bad_objects_are_refused,
          good_crds_are_accepted, bad_schemas_are_refused, bad_specs_are_refused, versions_that_differ_have_errors_of_their_own,
          names_and_stored_versions_stay, huge_schemas_are_bounded)
