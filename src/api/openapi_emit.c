/* SPDX-License-Identifier: Apache-2.0 */
#include "api/openapi_emit.h"

static struct openapi_frame *top(struct openapi_emit *e)
{
    return &e->frames[e->depth - 1];
}

static bool writes_json(const struct openapi_emit *e)
{
    return e->depth == 0 || e->frames[e->depth - 1].mode == OPENAPI_JSON;
}

/* The comma and the key before a value. */
static void lead(struct openapi_emit *e, str key)
{
    if (!e->depth)
        return;
    struct openapi_frame *f = top(e);
    if (f->has_items)
        strbuf_add_char(e->b, ',');
    f->has_items = true;
    if (f->is_array)
        return;
    json_write_string(e->b, key);
    strbuf_add_char(e->b, ':');
}

static void open_json(struct openapi_emit *e, str key, bool is_array)
{
    BUG_ON(e->depth == OPENAPI_DEPTH);
    lead(e, key);
    strbuf_add_char(e->b, is_array ? '[' : '{');
    e->frames[e->depth++] = (struct openapi_frame){.mode = OPENAPI_JSON, .is_array = is_array};
}

void openapi_emit_init(struct openapi_emit *e, struct strbuf *b, bool protobuf)
{
    e->b = b;
    e->protobuf = protobuf;
    e->depth = 0;
    if (protobuf)
        e->frames[e->depth++] = (struct openapi_frame){.mode = OPENAPI_MESSAGE}; /* message 0 is the document */
    else
        open_json(e, STR_NONE, false);
}

void openapi_object(struct openapi_emit *e, str key)
{
    if (writes_json(e))
        open_json(e, key, false);
    else
        openapi_pb_open(e, key, false, NULL, 0);
}

void openapi_array(struct openapi_emit *e, str key)
{
    if (writes_json(e))
        open_json(e, key, true);
    else
        openapi_pb_open(e, key, true, NULL, 0);
}

void openapi_param(struct openapi_emit *e, enum openapi_param kind)
{
    /* ParametersItem.parameter, Parameter.body_parameter, or .non_body_parameter with the field for its place */
    static const uint8_t body[] = {1, 1}, query[] = {1, 2, 3}, path[] = {1, 2, 4};
    static const struct {
        const uint8_t *wraps;
        size_t n;
    } kinds[] = {
        [OPENAPI_PARAM_BODY] = {body, sizeof body},
        [OPENAPI_PARAM_QUERY] = {query, sizeof query},
        [OPENAPI_PARAM_PATH] = {path, sizeof path},
    };
    if (writes_json(e))
        open_json(e, STR_NONE, false);
    else
        openapi_pb_open(e, STR_NONE, false, kinds[kind].wraps, kinds[kind].n);
}

void openapi_end(struct openapi_emit *e)
{
    BUG_ON(e->depth == 0);
    if (writes_json(e))
        strbuf_add_char(e->b, top(e)->is_array ? ']' : '}');
    openapi_pb_close(e);
    e->depth--;
}

void openapi_text(struct openapi_emit *e, str key, str value)
{
    struct json v = json_string(value);
    openapi_value(e, key, &v);
}

void openapi_bool(struct openapi_emit *e, str key, bool value)
{
    struct json v = json_bool(value);
    openapi_value(e, key, &v);
}

/* A text that is JSON already passes through as a number does: nothing looks into it. */
void openapi_raw(struct openapi_emit *e, str key, str json)
{
    struct json v = json_number_text(json);
    openapi_value(e, key, &v);
}

void openapi_value(struct openapi_emit *e, str key, const struct json *v)
{
    if (v->type == JSON_OBJECT) {
        openapi_object(e, key);
        for (uint32_t i = 0; i < v->len; i++)
            openapi_value(e, v->members[i].key, &v->members[i].value);
        openapi_end(e);
    } else if (v->type == JSON_ARRAY) {
        openapi_array(e, key);
        for (uint32_t i = 0; i < v->len; i++)
            openapi_value(e, STR_NONE, &v->items[i]);
        openapi_end(e);
    } else if (writes_json(e)) {
        lead(e, key);
        json_write(e->b, v);
    } else {
        openapi_pb_scalar(e, key, v);
    }
}
