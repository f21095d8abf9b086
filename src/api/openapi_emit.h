/* openapi_emit.h - one stream of keys and values, written as JSON or as gnostic's OpenAPI v2 messages.
 *
 *     openapi_object(e, S("info"));  openapi_text(e, S("title"), S("x"));  openapi_end(e);
 * A key is given inside objects, STR_NONE inside arrays.  In the protobuf form a table of the messages (openapi_pb.c) says
 * which field a key is, how deep it is wrapped and what lies below; x-... keys and defaults become JSON text, which is
 * YAML.  What the messages have no place for is left out.
 * Threads: one at a time.  Ownership: borrows the buffer.  Limits: OPENAPI_DEPTH open objects and arrays. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/limits.h"
#include "wire/json.h"

/* A CRD's schema is at most LIMIT_JSON_DEPTH deep, and stands a few levels below the document. */
#define OPENAPI_DEPTH (LIMIT_JSON_DEPTH + 16)

enum openapi_param { OPENAPI_PARAM_BODY, OPENAPI_PARAM_QUERY, OPENAPI_PARAM_PATH };

enum openapi_mode {
    OPENAPI_JSON,    /* JSON text */
    OPENAPI_MESSAGE, /* fields of a message */
    OPENAPI_NAMED,   /* repeated pairs of name and value */
    OPENAPI_STRINGS, /* repeated strings */
    OPENAPI_REPEAT,  /* repeated messages */
    OPENAPI_ANYS,    /* repeated JSON texts */
    OPENAPI_SKIP,    /* nothing below has a place */
};

#define OPENAPI_WRAPS 6
struct openapi_frame {
    uint8_t mode;    /* enum openapi_mode */
    uint8_t message; /* enum openapi_message of openapi_pb.c: what this is, or what its elements are */
    uint8_t number;  /* STRINGS, REPEAT, ANYS: the repeated field */
    uint8_t nmarks;
    bool is_array, has_items;
    size_t marks[OPENAPI_WRAPS]; /* messages that are open for this frame */
};

struct openapi_emit {
    struct strbuf *b;
    bool protobuf;
    unsigned depth;
    struct openapi_frame frames[OPENAPI_DEPTH];
};

void openapi_emit_init(struct openapi_emit *e, struct strbuf *b,
                       bool protobuf); /* opens the document; close it with openapi_end */
void openapi_object(struct openapi_emit *e, str key);
void openapi_array(struct openapi_emit *e, str key);
void openapi_param(struct openapi_emit *e, enum openapi_param kind); /* an object in an array of parameters */
void openapi_end(struct openapi_emit *e);
void openapi_text(struct openapi_emit *e, str key, str value);
void openapi_bool(struct openapi_emit *e, str key, bool value);
/* A number, or any value as the text it has in JSON. */
void openapi_raw(struct openapi_emit *e, str key, str json);
void openapi_value(struct openapi_emit *e, str key, const struct json *v);

/* The protobuf form of the above; openapi_pb.c. */
void openapi_pb_open(struct openapi_emit *e, str key, bool is_array, const uint8_t *wraps, size_t nwraps);
void openapi_pb_close(struct openapi_emit *e);
void openapi_pb_scalar(struct openapi_emit *e, str key, const struct json *v);
