/* codec.h - bytes to objects: decode, check against the schema, default, and back.
 *
 * The way of a request body:  api_parse_body (JSON, YAML or protobuf to a tree)  ->  api_conform (types checked, unknown fields dropped and
 * reported, zero values dropped, quantities and times in canonical form)  ->  api_default  ->  ... admission, validation ...  ->
 * api_complete (fields that are always written)  ->  json_write.
 * Threads: pure functions on the caller's arena.
 * Ownership: results live in the arena; strings may point into the body, which must live as long.
 * Limits: LIMIT_BODY_BYTES is checked by the caller; depth LIMIT_JSON_DEPTH. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "api/resource.h"
#include "wire/json.h"

enum api_media { API_MEDIA_JSON, API_MEDIA_YAML, API_MEDIA_PROTOBUF };

/* What field validation has to say: "unknown field \"spec.foo\"", "duplicate field \"data.a\"". */
#define API_REPORT_MAX 64
struct api_field_report {
    str items[API_REPORT_MAX];
    size_t len;
};

/* JSON, YAML (first document) or the protobuf envelope ("k8s\0" + runtime.Unknown) to a tree.  type: what the protobuf message is; for JSON and YAML
 * unused.  The tree of a protobuf body holds kind and apiVersion from the envelope.  E_PARSE with a sentence like Kubernetes' on bad input. */
int api_parse_body(struct arena *a, enum api_media media, str body, const struct schema_type *type, struct json *ret,
                   struct api_field_report *report, struct err *err) MUST_CHECK;

/* Makes obj what a typed decoder would give: wrong JSON types are E_PARSE ("json: cannot unmarshal string into Go struct field PodSpec.spec.replicas of type int32"
 * as Kubernetes words it), unknown fields go to the report and are dropped unless preserve_unknown, nulls are dropped (except SCHEMA_NULLABLE), zero values without
 * SCHEMA_POINTER are dropped, Quantity, Time, MicroTime and bytes get their canonical text.  report may be NULL.
 * A type with `raw` is a custom resource's root: it is pruned by its structural schema, wrong types outside metadata are left for validation to find, and zero
 * values and empty lists stay. */
int api_conform(struct arena *a, const struct schema_type *type, struct json *obj, struct api_field_report *report,
                struct err *err) MUST_CHECK;

/* Defaults of the schema and the computed ones of the kind (imagePullPolicy, requests from limits, service ports ...), for objects that are written.
 * Idempotent: default(default(x)) == default(x). */
void api_default(struct arena *a, const struct api_resource *r, struct json *obj);
/* Only the schema's own defaults (custom resources, also on read). */
void api_default_schema(struct arena *a, const struct schema_type *type, struct json *obj);
/* Adds SCHEMA_ALWAYS fields that are absent ("status":{}, "resources":{}, template "creationTimestamp":null). */
void api_complete(struct arena *a, const struct schema_type *type, struct json *obj);

/* Between served versions of one storage (autoscaling v1 and v2, core and events.k8s.io events): a new tree of version `to`.  A plain rewrite of
 * apiVersion when the schemas are the same.  from and to have the same storage_group and plural. */
int api_convert(struct arena *a, const struct api_resource *from, const struct api_resource *to, const struct json *obj,
                struct json *ret, struct err *err) MUST_CHECK;
