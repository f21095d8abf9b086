/* openapi_pb.c - the messages of gnostic's openapi.v2 as a table, and how a stream of keys and values becomes them.
 *
 * A key finds its field in the message that is open.  Messages that hold only one thing are wraps: "items" is field 23
 * and inside it field 1.
 *     properties -> Schema.properties = 25 { repeated NamedSchema additional_properties = 1 { name = 1, value = 2 } }
 * Only what a Kubernetes document uses is listed; field numbers are those of OpenAPIv2.proto. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/openapi_emit.h"
#include "wire/protobuf.h"

enum openapi_message {
    M_DOCUMENT,
    M_INFO,
    M_PATHS,
    M_PATH_ITEM,
    M_OPERATION,
    M_PARAMETER_BODY,
    M_PARAMETER_QUERY,
    M_PARAMETER_PATH,
    M_RESPONSES,
    M_RESPONSE,
    M_DEFINITIONS,
    M_SCHEMA,
    M_PROPERTIES,
    M_PARAMETER
};

enum kind {
    K_TEXT,
    K_BOOL,
    K_INT,
    K_DOUBLE,
    K_TEXTS,
    K_MESSAGE, /* object */
    K_REPEAT,  /* array of objects */
    K_ANY,     /* JSON text */
    K_ANYS,
    K_BOOL_OR_MESSAGE, /* additionalProperties */
};

struct field {
    str key;
    uint8_t number;
    uint8_t kind;
    uint8_t message; /* K_MESSAGE, K_REPEAT */
    uint8_t wrap;    /* field inside the wrapping message, 0: none */
};

struct message {
    const struct field *fields;
    uint8_t nfields;
    uint8_t vendor; /* number of vendor_extension */
    uint8_t named;  /* a map: number of the repeated pairs */
    uint8_t named_message, named_wrap;
};

#define KEY(lit) STR_INIT(lit)

static const struct field document_fields[] = {
    {KEY("swagger"), 1, K_TEXT, 0, 0},
    {KEY("info"), 2, K_MESSAGE, M_INFO, 0},
    {KEY("paths"), 8, K_MESSAGE, M_PATHS, 0},
    {KEY("definitions"), 9, K_MESSAGE, M_DEFINITIONS, 0},
};
static const struct field info_fields[] = {
    {KEY("title"), 1, K_TEXT, 0, 0},
    {KEY("version"), 2, K_TEXT, 0, 0},
};
static const struct field path_item_fields[] = {
    {KEY("get"), 2, K_MESSAGE, M_OPERATION, 0},   {KEY("put"), 3, K_MESSAGE, M_OPERATION, 0},
    {KEY("post"), 4, K_MESSAGE, M_OPERATION, 0},  {KEY("delete"), 5, K_MESSAGE, M_OPERATION, 0},
    {KEY("patch"), 8, K_MESSAGE, M_OPERATION, 0}, {KEY("parameters"), 9, K_REPEAT, M_PARAMETER, 0},
};
static const struct field operation_fields[] = {
    {KEY("tags"), 1, K_TEXTS, 0, 0},
    {KEY("description"), 3, K_TEXT, 0, 0},
    {KEY("operationId"), 5, K_TEXT, 0, 0},
    {KEY("produces"), 6, K_TEXTS, 0, 0},
    {KEY("consumes"), 7, K_TEXTS, 0, 0},
    {KEY("parameters"), 8, K_REPEAT, M_PARAMETER, 0},
    {KEY("responses"), 9, K_MESSAGE, M_RESPONSES, 0},
    {KEY("schemes"), 10, K_TEXTS, 0, 0},
    {KEY("deprecated"), 11, K_BOOL, 0, 0},
};
static const struct field parameter_body_fields[] = {
    {KEY("description"), 1, K_TEXT, 0, 0},
    {KEY("name"), 2, K_TEXT, 0, 0},
    {KEY("in"), 3, K_TEXT, 0, 0},
    {KEY("required"), 4, K_BOOL, 0, 0},
    {KEY("schema"), 5, K_MESSAGE, M_SCHEMA, 0},
};
static const struct field parameter_query_fields[] = {
    {KEY("required"), 1, K_BOOL, 0, 0}, {KEY("in"), 2, K_TEXT, 0, 0},   {KEY("description"), 3, K_TEXT, 0, 0},
    {KEY("name"), 4, K_TEXT, 0, 0},     {KEY("type"), 6, K_TEXT, 0, 0}, {KEY("uniqueItems"), 20, K_BOOL, 0, 0},
};
static const struct field parameter_path_fields[] = {
    {KEY("required"), 1, K_BOOL, 0, 0}, {KEY("in"), 2, K_TEXT, 0, 0},   {KEY("description"), 3, K_TEXT, 0, 0},
    {KEY("name"), 4, K_TEXT, 0, 0},     {KEY("type"), 5, K_TEXT, 0, 0}, {KEY("uniqueItems"), 19, K_BOOL, 0, 0},
};
static const struct field response_fields[] = {
    {KEY("description"), 1, K_TEXT, 0, 0},
    {KEY("schema"), 2, K_MESSAGE, M_SCHEMA, 1},
};
static const struct field schema_fields[] = {
    {KEY("$ref"), 1, K_TEXT, 0, 0},
    {KEY("format"), 2, K_TEXT, 0, 0},
    {KEY("title"), 3, K_TEXT, 0, 0},
    {KEY("description"), 4, K_TEXT, 0, 0},
    {KEY("default"), 5, K_ANY, 0, 0},
    {KEY("multipleOf"), 6, K_DOUBLE, 0, 0},
    {KEY("maximum"), 7, K_DOUBLE, 0, 0},
    {KEY("exclusiveMaximum"), 8, K_BOOL, 0, 0},
    {KEY("minimum"), 9, K_DOUBLE, 0, 0},
    {KEY("exclusiveMinimum"), 10, K_BOOL, 0, 0},
    {KEY("maxLength"), 11, K_INT, 0, 0},
    {KEY("minLength"), 12, K_INT, 0, 0},
    {KEY("pattern"), 13, K_TEXT, 0, 0},
    {KEY("maxItems"), 14, K_INT, 0, 0},
    {KEY("minItems"), 15, K_INT, 0, 0},
    {KEY("uniqueItems"), 16, K_BOOL, 0, 0},
    {KEY("maxProperties"), 17, K_INT, 0, 0},
    {KEY("minProperties"), 18, K_INT, 0, 0},
    {KEY("required"), 19, K_TEXTS, 0, 0},
    {KEY("enum"), 20, K_ANYS, 0, 0},
    {KEY("additionalProperties"), 21, K_BOOL_OR_MESSAGE, M_SCHEMA, 1},
    {KEY("type"), 22, K_TEXT, 0, 1},
    {KEY("items"), 23, K_MESSAGE, M_SCHEMA, 1},
    {KEY("properties"), 25, K_MESSAGE, M_PROPERTIES, 0},
    {KEY("example"), 30, K_ANY, 0, 0},
};

#define FIELDS(list) .fields = list, .nfields = ARRAY_LEN(list)
static const struct message messages[] = {
    [M_DOCUMENT] = {FIELDS(document_fields), .vendor = 16},
    [M_INFO] = {FIELDS(info_fields)},
    [M_PATHS] = {.named = 2, .named_message = M_PATH_ITEM},
    [M_PATH_ITEM] = {FIELDS(path_item_fields), .vendor = 10},
    [M_OPERATION] = {FIELDS(operation_fields), .vendor = 13},
    [M_PARAMETER_BODY] = {FIELDS(parameter_body_fields), .vendor = 6},
    [M_PARAMETER_QUERY] = {FIELDS(parameter_query_fields), .vendor = 23},
    [M_PARAMETER_PATH] = {FIELDS(parameter_path_fields), .vendor = 22},
    [M_RESPONSES] = {.named = 1, .named_message = M_RESPONSE, .named_wrap = 1},
    [M_RESPONSE] = {FIELDS(response_fields), .vendor = 5},
    [M_DEFINITIONS] = {.named = 1, .named_message = M_SCHEMA},
    [M_SCHEMA] = {FIELDS(schema_fields), .vendor = 31},
    [M_PROPERTIES] = {.named = 1, .named_message = M_SCHEMA},
};

static const struct field *field_find(uint8_t message, str key)
{
    const struct message *m = &messages[message];
    for (size_t i = 0; i < m->nfields; i++)
        if (str_eq(m->fields[i].key, key))
            return &m->fields[i];
    return NULL;
}

static struct openapi_frame *push(struct openapi_emit *e, enum openapi_mode mode)
{
    BUG_ON(e->depth == OPENAPI_DEPTH);
    struct openapi_frame *f = &e->frames[e->depth++];
    *f = (struct openapi_frame){.mode = (uint8_t)mode};
    return f;
}

static void mark(struct openapi_emit *e, struct openapi_frame *f, uint8_t number)
{
    f->marks[f->nmarks++] = protobuf_open(e->b, number);
}

static void set_message(struct openapi_frame *f, uint8_t message)
{
    f->message = message;
    f->mode = messages[message].named ? OPENAPI_NAMED : OPENAPI_MESSAGE;
}

/* --- JSON text in messages ---------------------------------------------------------------------------------------- */

/* Any { yaml = 2 }, as field `number`; for vendor extensions inside NamedAny { name = 1, value = 2 }. */
static void mark_any(struct openapi_emit *e, struct openapi_frame *f, uint8_t number, bool named, str name)
{
    mark(e, f, number);
    if (named) {
        protobuf_add_str(e->b, 1, name);
        mark(e, f, 2);
    }
    mark(e, f, 2);
}

static void open_any(struct openapi_emit *e, uint8_t number, bool named, str name, bool is_array)
{
    struct openapi_frame *f = push(e, OPENAPI_JSON);
    f->is_array = is_array;
    mark_any(e, f, number, named, name);
    strbuf_add_char(e->b, is_array ? '[' : '{');
}

static void write_any(struct openapi_emit *e, uint8_t number, bool named, str name, const struct json *v)
{
    struct openapi_frame f = {0};
    mark_any(e, &f, number, named, name);
    json_write(e->b, v);
    while (f.nmarks)
        protobuf_close(e->b, f.marks[--f.nmarks]);
}

static uint8_t vendor_number(uint8_t message, str key)
{
    return str_has_prefix(key, S("x-")) ? messages[message].vendor : 0;
}

/* --- opening and closing ------------------------------------------------------------------------------------------ */

static void open_pair(struct openapi_emit *e, const struct message *m, str key)
{
    struct openapi_frame *f = push(e, OPENAPI_MESSAGE);
    mark(e, f, m->named);
    protobuf_add_str(e->b, 1, key);
    mark(e, f, 2);
    if (m->named_wrap)
        mark(e, f, m->named_wrap);
    set_message(f, m->named_message);
}

static void open_array(struct openapi_emit *e, const struct field *field)
{
    static const uint8_t modes[] = {
        [K_TEXTS] = OPENAPI_STRINGS, [K_REPEAT] = OPENAPI_REPEAT, [K_ANYS] = OPENAPI_ANYS, [K_BOOL_OR_MESSAGE] = 0};
    uint8_t mode = modes[field->kind];
    struct openapi_frame *f = push(e, mode ? mode : OPENAPI_SKIP);
    f->number = field->number;
    f->message = field->message;
    f->is_array = true;
}

static void open_field(struct openapi_emit *e, const struct field *field, bool is_array)
{
    if (field->kind == K_ANY) {
        open_any(e, field->number, false, STR_NONE, is_array);
    } else if (is_array) {
        open_array(e, field);
    } else if (field->kind == K_MESSAGE || field->kind == K_BOOL_OR_MESSAGE) {
        struct openapi_frame *f = push(e, OPENAPI_MESSAGE);
        mark(e, f, field->number);
        if (field->wrap)
            mark(e, f, field->wrap);
        set_message(f, field->message);
    } else {
        push(e, OPENAPI_SKIP);
    }
}

/* An element of an array of parameters: the last wrap says which message it is. */
static void open_element(struct openapi_emit *e, uint8_t number, const uint8_t *wraps, size_t nwraps)
{
    struct openapi_frame *f = push(e, OPENAPI_MESSAGE);
    mark(e, f, number);
    for (size_t i = 0; i < nwraps; i++)
        mark(e, f, wraps[i]);
    set_message(f, nwraps == 2 ? M_PARAMETER_BODY : wraps[2] == 3 ? M_PARAMETER_QUERY : M_PARAMETER_PATH);
}

void openapi_pb_open(struct openapi_emit *e, str key, bool is_array, const uint8_t *wraps, size_t nwraps)
{
    const struct openapi_frame *f = &e->frames[e->depth - 1];
    uint8_t number = f->number, vendor;
    const struct field *field;
    switch ((enum openapi_mode)f->mode) {
    case OPENAPI_NAMED:
        open_pair(e, &messages[f->message], key);
        return;
    case OPENAPI_REPEAT:
        if (nwraps)
            open_element(e, number, wraps, nwraps);
        else
            push(e, OPENAPI_SKIP);
        return;
    case OPENAPI_ANYS:
        open_any(e, number, false, STR_NONE, is_array);
        return;
    case OPENAPI_MESSAGE:
        field = field_find(f->message, key);
        vendor = vendor_number(f->message, key);
        if (field)
            open_field(e, field, is_array);
        else if (vendor)
            open_any(e, vendor, true, key, is_array);
        else
            push(e, OPENAPI_SKIP);
        return;
    default:
        push(e, OPENAPI_SKIP);
    }
}

void openapi_pb_close(struct openapi_emit *e)
{
    struct openapi_frame *f = &e->frames[e->depth - 1];
    while (f->nmarks)
        protobuf_close(e->b, f->marks[--f->nmarks]);
}

/* --- scalars ------------------------------------------------------------------------------------------------------ */

static void write_wrapped_text(struct openapi_emit *e, const struct field *field, str text)
{
    if (!field->wrap) {
        protobuf_add_str(e->b, field->number, text);
        return;
    }
    size_t at = protobuf_open(e->b, field->number);
    protobuf_add_str(e->b, field->wrap, text);
    protobuf_close(e->b, at);
}

static void write_field(struct openapi_emit *e, const struct field *field, const struct json *v)
{
    int64_t i;
    double d;
    if (field->kind == K_ANY) {
        write_any(e, field->number, false, STR_NONE, v);
    } else if (field->kind == K_TEXT && v->type == JSON_STRING) {
        write_wrapped_text(e, field, json_str(v));
    } else if (field->kind == K_BOOL && v->type == JSON_BOOL) {
        protobuf_add_varint(e->b, field->number, v->b);
    } else if (field->kind == K_INT && json_to_i64(v, &i)) {
        protobuf_add_varint(e->b, field->number, (uint64_t)i);
    } else if (field->kind == K_DOUBLE && json_to_double(v, &d)) {
        protobuf_add_double(e->b, field->number, d);
    } else if (field->kind == K_BOOL_OR_MESSAGE && v->type == JSON_BOOL) {
        size_t at = protobuf_open(e->b, field->number);
        protobuf_add_varint(e->b, 2, v->b);
        protobuf_close(e->b, at);
    }
}

void openapi_pb_scalar(struct openapi_emit *e, str key, const struct json *v)
{
    const struct openapi_frame *f = &e->frames[e->depth - 1];
    const struct field *field = f->mode == OPENAPI_MESSAGE ? field_find(f->message, key) : NULL;
    if (f->mode == OPENAPI_STRINGS && v->type == JSON_STRING)
        protobuf_add_str(e->b, f->number, json_str(v));
    else if (f->mode == OPENAPI_ANYS)
        write_any(e, f->number, false, STR_NONE, v);
    else if (field)
        write_field(e, field, v);
    else if (f->mode == OPENAPI_MESSAGE && vendor_number(f->message, key))
        write_any(e, vendor_number(f->message, key), true, key, v);
}
