/* SPDX-License-Identifier: Apache-2.0 */
#include "api/pb_decode.h"

#include "api/codec_scalar.h"
#include "base/limits.h"
#include "base/map.h"
#include "wire/base64.h"
#include "wire/protobuf.h"

struct decoder {
    struct arena *a;
    struct err *err;
    unsigned depth;
};

/* One field as it stands on the wire, and what the schema says about it. */
struct pb_value {
    const struct schema_type *type;
    const struct schema_type *in; /* the struct that holds it */
    str name;                     /* for errors */
    const struct protobuf_reader *r;
};

static int decode_object(struct decoder *d, str bytes, const struct schema_type *t, struct json *obj);
static int decode_value(struct decoder *d, const struct pb_value *v, struct json *ret);

static int wrong_wire_type(struct decoder *d, const struct pb_value *v)
{
    return err_set(d->err, E_PARSE, "proto: wrong wireType = %d for field " STR_FMT, (int)v->r->type, STR_ARG(v->name));
}

static int malformed(struct decoder *d, str what)
{
    return err_set(d->err, E_PARSE, "proto: cannot parse " STR_FMT ": unexpected EOF", STR_ARG(what));
}

/* --- scalars --------------------------------------------------------------------------------------- */

static int decode_bool(struct decoder *d, const struct pb_value *v, struct json *ret)
{
    if (v->r->type != PROTOBUF_VARINT)
        return wrong_wire_type(d, v);
    *ret = json_bool(v->r->value != 0);
    return 0;
}

static int64_t to_integer(const struct schema_type *t, uint64_t wire)
{
    return t->kind == SCHEMA_INT64 ? (int64_t)wire : (int32_t)(uint32_t)wire;
}

static int decode_integer(struct decoder *d, const struct pb_value *v, struct json *ret)
{
    if (v->r->type != PROTOBUF_VARINT)
        return wrong_wire_type(d, v);
    *ret = json_int(d->a, to_integer(v->type, v->r->value));
    return 0;
}

static int decode_double(struct decoder *d, const struct pb_value *v, struct json *ret)
{
    if (v->r->type != PROTOBUF_FIXED64)
        return wrong_wire_type(d, v);
    *ret = json_double(d->a, protobuf_double(v->r->value));
    return 0;
}

static int decode_text(struct decoder *d, str bytes, str name, struct json *ret)
{
    bytes = bytes.len ? bytes : S(""); /* an absent field has no address at all */
    if (!str_is_utf8(bytes))
        return err_set(d->err, E_PARSE, "proto: field " STR_FMT " contains invalid UTF-8", STR_ARG(name));
    *ret = json_string(bytes);
    return 0;
}

static int decode_string(struct decoder *d, const struct pb_value *v, struct json *ret)
{
    return decode_text(d, v->r->bytes, v->name, ret);
}

static int decode_bytes(struct decoder *d, const struct pb_value *v, struct json *ret)
{
    *ret = json_string(base64_encode(d->a, BASE64_STD, v->r->bytes.len ? v->r->bytes : S("")));
    return 0;
}

/* --- small messages that are scalars in JSON ---------------------------------------------------------- */

/* The fields 1 to 3 of a small message, the last of each number. */
struct small {
    uint64_t number[4];
    str bytes[4];
    bool has[4];
};

static int read_small(struct decoder *d, const struct pb_value *v, struct small *ret)
{
    struct protobuf_reader r = protobuf_reader(v->r->bytes);
    *ret = (struct small){0};
    while (protobuf_next(&r)) {
        if (r.number > 3)
            continue;
        ret->has[r.number] = true;
        ret->number[r.number] = r.value;
        ret->bytes[r.number] = r.bytes;
    }
    return r.bad ? malformed(d, v->name) : 0;
}

static int decode_time(struct decoder *d, const struct pb_value *v, struct json *ret)
{
    struct small m;
    str text;
    int r = read_small(d, v, &m);
    *ret = json_null();
    if (r < 0 || !v->r->bytes.len)
        return r;
    r = codec_time_from_unix(d->a, (int64_t)m.number[1], (int32_t)(uint32_t)m.number[2], v->type->kind == SCHEMA_MICROTIME, &text,
                             d->err);
    if (r == 0 && text.len)
        *ret = json_string(text);
    return r;
}

static int decode_duration(struct decoder *d, const struct pb_value *v, struct json *ret)
{
    struct small m;
    int r = read_small(d, v, &m);
    if (r == 0)
        *ret = json_string(codec_duration_format(d->a, (int64_t)m.number[1]));
    return r;
}

static int decode_quantity(struct decoder *d, const struct pb_value *v, struct json *ret)
{
    struct small m;
    int r = read_small(d, v, &m);
    return r < 0 ? r : decode_text(d, m.bytes[1].len ? m.bytes[1] : S("0"), v->name, ret);
}

static int decode_int_or_string(struct decoder *d, const struct pb_value *v, struct json *ret)
{
    struct small m;
    int r = read_small(d, v, &m);
    if (r < 0)
        return r;
    if (m.number[1] == 1)
        return decode_text(d, m.bytes[3], v->name, ret);
    *ret = json_int(d->a, (int32_t)(uint32_t)m.number[2]);
    return 0;
}

/* RawExtension, FieldsV1 and JSON carry JSON text in field 1. */
static int decode_raw(struct decoder *d, const struct pb_value *v, struct json *ret)
{
    struct small m;
    int r = read_small(d, v, &m);
    *ret = json_null();
    if (r < 0 || !m.bytes[1].len)
        return r;
    if (str_has_prefix(m.bytes[1], S("k8s\0")))
        return err_set(d->err, E_PARSE, "field " STR_FMT " holds a protobuf object where JSON is expected", STR_ARG(v->name));
    return json_parse(d->a, m.bytes[1], NULL, ret, d->err);
}

/* --- JSON schemas of CRDs: "a schema or something else" ------------------------------------------------- */

enum schema_or { SCHEMA_OR_ARRAY, SCHEMA_OR_BOOL, SCHEMA_OR_STRINGS };

static int add_alternative(struct decoder *d, const struct pb_value *v, enum schema_or kind, const struct protobuf_reader *r,
                           struct json *ret)
{
    bool is_schema = r->number == (kind == SCHEMA_OR_BOOL ? 2 : 1);
    if (kind == SCHEMA_OR_BOOL && !is_schema) {
        if (ret->type != JSON_OBJECT)
            *ret = json_bool(r->value != 0);
        return 0;
    }
    if (r->type != PROTOBUF_BYTES)
        return wrong_wire_type(d, v);
    struct json one = json_object();
    int e = kind == SCHEMA_OR_STRINGS && !is_schema ? decode_text(d, r->bytes, v->name, &one)
                                                     : decode_object(d, r->bytes, v->in, &one);
    if (e < 0)
        return e;
    if (is_schema) {
        *ret = one;
        return 0;
    }
    if (ret->type != JSON_ARRAY)
        *ret = json_array();
    json_push(d->a, ret, one);
    return 0;
}

static int decode_any(struct decoder *d, const struct pb_value *v, struct json *ret)
{
    static const char *const names[] = {
        [SCHEMA_OR_ARRAY] = "JSONSchemaPropsOrArray",
        [SCHEMA_OR_BOOL] = "JSONSchemaPropsOrBool",
        [SCHEMA_OR_STRINGS] = "JSONSchemaPropsOrStringArray",
    };
    size_t kind = 0;
    while (kind < ARRAY_LEN(names) && !str_is(v->type->name, names[kind]))
        kind++;
    if (kind == ARRAY_LEN(names))
        return decode_raw(d, v, ret);
    *ret = json_null();
    struct protobuf_reader r = protobuf_reader(v->r->bytes);
    while (protobuf_next(&r)) {
        int e = r.number > 2 ? 0 : add_alternative(d, v, (enum schema_or)kind, &r, ret);
        if (e < 0)
            return e;
    }
    return r.bad ? malformed(d, v->name) : 0;
}

/* --- structs, lists, maps -------------------------------------------------------------------------------- */

static int decode_struct(struct decoder *d, const struct pb_value *v, struct json *ret)
{
    *ret = json_object();
    return decode_object(d, v->r->bytes, v->type, ret);
}

/* Packed numbers are several values in one field. */
static int add_packed(struct decoder *d, const struct pb_value *v, struct json *list)
{
    str rest = v->r->bytes;
    uint64_t wire;
    while (rest.len) {
        if (!protobuf_take_varint(&rest, &wire))
            return malformed(d, v->name);
        json_push(d->a, list, json_int(d->a, to_integer(v->type, wire)));
    }
    return 0;
}

static int add_item(struct decoder *d, const struct pb_value *v, struct json *list)
{
    struct pb_value item = *v;
    item.type = v->type->elem;
    if (v->r->type == PROTOBUF_BYTES && (item.type->kind == SCHEMA_INT32 || item.type->kind == SCHEMA_INT64))
        return add_packed(d, &item, list);
    struct json value;
    int r = decode_value(d, &item, &value);
    if (r == 0)
        json_push(d->a, list, value);
    return r;
}

/* A list where protobuf has no repeated fields, as a value of a map: a message whose field 1 repeats. */
static int decode_list(struct decoder *d, const struct pb_value *v, struct json *ret)
{
    struct protobuf_reader r = protobuf_reader(v->r->bytes);
    struct pb_value item = *v;
    item.r = &r;
    *ret = json_array();
    while (protobuf_next(&r)) {
        int e = r.number == 1 ? add_item(d, &item, ret) : 0;
        if (e < 0)
            return e;
    }
    return r.bad ? malformed(d, v->name) : 0;
}

/* Entries are appended as they come; unique_keys looks for repeated keys once, at the end. */
static int add_entry(struct decoder *d, const struct pb_value *v, struct json *map)
{
    static const struct protobuf_reader absent = {.type = PROTOBUF_BYTES};
    struct protobuf_reader r = protobuf_reader(v->r->bytes), key = absent, value = absent;
    if (v->type->elem->kind == SCHEMA_BOOL || v->type->elem->kind == SCHEMA_INT32 || v->type->elem->kind == SCHEMA_INT64)
        value.type = PROTOBUF_VARINT;
    while (protobuf_next(&r)) {
        if (r.number == 1)
            key = r;
        else if (r.number == 2)
            value = r;
    }
    if (r.bad)
        return malformed(d, v->name);
    struct pb_value entry = {.type = v->type->elem, .in = v->in, .name = v->name, .r = &value};
    struct json name, decoded;
    int e = decode_text(d, key.bytes, v->name, &name);
    if (e == 0)
        e = decode_value(d, &entry, &decoded);
    if (e < 0)
        return e;
    if (map->len == map->cap) {
        uint32_t cap = map->cap ? map->cap * 2 : 8;
        map->members = arena_grow(d->a, map->members, map->cap * sizeof *map->members, cap * sizeof *map->members);
        map->cap = cap;
    }
    map->members[map->len++] = (struct json_member){.key = json_str(&name), .value = decoded};
    return 0;
}

/* The last entry of a key wins. */
static void unique_keys(struct json *map)
{
    struct map seen = MAP_INIT;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < map->len; i++) {
        uintptr_t at = (uintptr_t)map_get(&seen, map->members[i].key);
        if (at) {
            map->members[at - 1].value = map->members[i].value;
            continue;
        }
        map->members[kept] = map->members[i];
        map_put(&seen, map->members[kept].key, (void *)(uintptr_t)(kept + 1));
        kept++;
    }
    map->len = kept;
    map_fini(&seen);
}

typedef int decode_fn(struct decoder *d, const struct pb_value *v, struct json *ret);
static const struct {
    decode_fn *fn;
    bool is_number; /* else length-delimited */
} decode_by_kind[] = {
    [SCHEMA_ANY] = {decode_any, false},
    [SCHEMA_BOOL] = {decode_bool, true},
    [SCHEMA_INT32] = {decode_integer, true},
    [SCHEMA_INT64] = {decode_integer, true},
    [SCHEMA_DOUBLE] = {decode_double, true},
    [SCHEMA_STRING] = {decode_string, false},
    [SCHEMA_BYTES] = {decode_bytes, false},
    [SCHEMA_TIME] = {decode_time, false},
    [SCHEMA_MICROTIME] = {decode_time, false},
    [SCHEMA_DURATION] = {decode_duration, false},
    [SCHEMA_QUANTITY] = {decode_quantity, false},
    [SCHEMA_INT_OR_STRING] = {decode_int_or_string, false},
    [SCHEMA_OBJECT] = {decode_struct, false},
    [SCHEMA_RAW_OBJECT] = {decode_raw, false},
    [SCHEMA_LIST] = {decode_list, false},
    [SCHEMA_MAP] = {NULL, false}, /* a map is a repeated field, not a value */
};

static int decode_value(struct decoder *d, const struct pb_value *v, struct json *ret)
{
    decode_fn *fn = decode_by_kind[v->type->kind].fn;
    if (!fn || (!decode_by_kind[v->type->kind].is_number && v->r->type != PROTOBUF_BYTES))
        return wrong_wire_type(d, v);
    return fn(d, v, ret);
}

static int decode_field(struct decoder *d, const struct schema_field *f, const struct pb_value *v, struct json *obj)
{
    if (f->flags & SCHEMA_INLINE)
        return v->r->type == PROTOBUF_BYTES ? decode_object(d, v->r->bytes, f->type, obj) : wrong_wire_type(d, v);
    struct json *have = json_get(obj, f->name);
    if (f->type->kind == SCHEMA_LIST) {
        if (!have)
            have = json_set(d->a, obj, f->name, json_array());
        return add_item(d, v, have);
    }
    if (f->type->kind == SCHEMA_MAP) {
        if (!have)
            have = json_set(d->a, obj, f->name, json_object());
        return v->r->type == PROTOBUF_BYTES ? add_entry(d, v, have) : wrong_wire_type(d, v);
    }
    /* A field that comes twice is replaced.  Protobuf would merge structs, but no encoder splits them, and merging made the work
     * quadratic in hostile input. */
    struct json value = json_null();
    int r = decode_value(d, v, &value);
    if (r == 0)
        json_set(d->a, obj, f->name, value);
    return r;
}

static int decode_object(struct decoder *d, str bytes, const struct schema_type *t, struct json *obj)
{
    if (++d->depth > LIMIT_JSON_DEPTH)
        return err_set(d->err, E_PARSE, "exceeded max depth");
    struct protobuf_reader r = protobuf_reader(bytes);
    while (protobuf_next(&r)) {
        const struct schema_field *f = schema_field_by_pb(t, r.number);
        if (!f)
            continue;
        struct pb_value v = {.type = f->type, .in = t, .name = f->name, .r = &r};
        int e = decode_field(d, f, &v, obj);
        if (e < 0)
            return e;
    }
    if (r.bad)
        return malformed(d, t->name);
    for (size_t i = 0; i < t->nfields; i++) {
        struct json *map = t->fields[i].type->kind == SCHEMA_MAP ? json_get(obj, t->fields[i].name) : NULL;
        if (map)
            unique_keys(map);
    }
    d->depth--;
    return 0;
}

/* --- whole messages ---------------------------------------------------------------------------------------- */

/* The tree is stored as JSON, which has to be read again: lists and raw JSON nest deeper than the messages that hold them. */
static int decode_root(struct decoder *d, str bytes, const struct schema_type *type, struct json *ret)
{
    int r = decode_object(d, bytes, type, ret);
    if (r == 0 && !json_depth_fits(ret, LIMIT_JSON_DEPTH))
        return err_set(d->err, E_PARSE, "exceeded max depth");
    return r;
}

int pb_decode_message(struct arena *a, str bytes, const struct schema_type *type, struct json *ret, struct err *err)
{
    struct decoder d = {.a = a, .err = err};
    *ret = json_object();
    return decode_root(&d, bytes, type, ret);
}

static int decode_type_meta(struct decoder *d, str bytes, struct json *obj)
{
    static const char *const names[] = {NULL, "apiVersion", "kind"};
    struct protobuf_reader r = protobuf_reader(bytes);
    while (protobuf_next(&r)) {
        if (r.number > 2 || !r.bytes.len)
            continue;
        struct json text;
        int e = decode_text(d, r.bytes, str_of(names[r.number]), &text);
        if (e < 0)
            return e;
        json_set(d->a, obj, str_of(names[r.number]), text);
    }
    return r.bad ? malformed(d, S("TypeMeta")) : 0;
}

int pb_decode_envelope(struct arena *a, str body, const struct schema_type *type, struct json *ret, struct err *err)
{
    static const str magic = STR_INIT("k8s\0");
    struct decoder d = {.a = a, .err = err};
    if (!body.len)
        return err_set(err, E_PARSE, "empty data");
    if (!str_has_prefix(body, magic))
        return err_set(err, E_PARSE, "provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]");
    if (body.len == magic.len)
        return err_set(err, E_PARSE, "empty body");
    struct protobuf_reader r = protobuf_reader(str_from(body, magic.len));
    str raw = S(""), meta = S("");
    while (protobuf_next(&r)) {
        if (r.number == 1)
            meta = r.bytes;
        else if (r.number == 2)
            raw = r.bytes;
        else if (r.number == 3 && r.bytes.len)
            return err_set(err, E_PARSE, "content encoding " STR_FMT " is not supported", STR_ARG(codec_quote(a, r.bytes)));
    }
    if (r.bad)
        return malformed(&d, S("Unknown"));
    *ret = json_object();
    int e = decode_type_meta(&d, meta, ret);
    return e < 0 ? e : decode_root(&d, raw, type, ret);
}
