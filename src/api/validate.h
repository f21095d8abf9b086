/* validate.h - is an object acceptable: schema rules and the kinds' own rules, with Kubernetes' field errors.
 *
 * Threads: pure functions.  Ownership: errors live in the arena.  Limits: FIELD_ERRORS_MAX errors are collected. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "api/resource.h"
#include "wire/json.h"

enum field_error_type {
    FIELD_REQUIRED,      /* FieldValueRequired:     "Required value" */
    FIELD_INVALID,       /* FieldValueInvalid:      "Invalid value: <value>: detail" */
    FIELD_NOT_SUPPORTED, /* FieldValueNotSupported: "Unsupported value: <value>: supported values: \"a\", \"b\"" */
    FIELD_FORBIDDEN,     /* FieldValueForbidden:    "Forbidden: detail" */
    FIELD_DUPLICATE,     /* FieldValueDuplicate:    "Duplicate value: <value>" */
    FIELD_TOO_LONG,      /* FieldValueTooLong */
    FIELD_TOO_MANY,      /* FieldValueTooMany */
    FIELD_TYPE_INVALID,  /* FieldValueTypeInvalid */
    FIELD_NOT_FOUND,     /* FieldValueNotFound:     "Not found: <value>" */
};

struct field_error {
    enum field_error_type type;
    str field;  /* "spec.containers[0].image" */
    str detail; /* what stands behind "field: ", e.g. "Required value" or "Invalid value: \"x\": must be ..." */
};

#define FIELD_ERRORS_MAX 128
struct field_errors {
    struct arena *arena;
    struct field_error items[FIELD_ERRORS_MAX];
    size_t len;
};
/* value NULL: none shown. */
void field_error_add(struct field_errors *e, enum field_error_type type, str field, const struct json *value, const char *fmt, ...) PRINTF_LIKE(5, 6);
str field_error_reason(enum field_error_type type); /* "FieldValueRequired" */
/* "spec.containers: Required value" for one, "[a, b]" for several: what follows `Pod "x" is invalid: `. */
str field_errors_message(struct field_errors *e);

/* Whole object.  old NULL: create; else update.  subresource "" or "status", "scale", "ephemeralcontainers" ...
 * Objects of built-in kinds have been through api_conform, so that their types are those of the schema. */
void api_validate(const struct api_resource *r, str subresource, const struct json *obj, const struct json *old, struct field_errors *e);

/* Names and the like, also used by others; return NULL when fine, else the sentence Kubernetes gives. */
const char *validate_dns1123_label(str s);
const char *validate_dns1123_subdomain(str s);
const char *validate_dns1035_label(str s);
const char *validate_path_segment(str s);
const char *validate_qualified_name(str s); /* label keys, finalizers */
const char *validate_annotation_key(str s); /* the same, in letters of any size */
#define ANNOTATIONS_MAX_BYTES (256 << 10)   /* keys and values of one object */
const char *validate_label_value(str s);
