/* validate_error.c - field errors: their texts, their paths, and the helpers that rules add them with. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/codec_scalar.h"
#include "api/validate_internal.h"

struct error_type {
    const char *reason, *text;
    bool shows_value;
};
static const struct error_type error_types[] = {
    [FIELD_REQUIRED] = {"FieldValueRequired", "Required value", false},
    [FIELD_INVALID] = {"FieldValueInvalid", "Invalid value", true},
    [FIELD_NOT_SUPPORTED] = {"FieldValueNotSupported", "Unsupported value", true},
    [FIELD_FORBIDDEN] = {"FieldValueForbidden", "Forbidden", false},
    [FIELD_DUPLICATE] = {"FieldValueDuplicate", "Duplicate value", true},
    [FIELD_TOO_LONG] = {"FieldValueTooLong", "Too long", false},
    [FIELD_TOO_MANY] = {"FieldValueTooMany", "Too many", true},
    [FIELD_TYPE_INVALID] = {"FieldValueTypeInvalid", "Invalid value", true},
    [FIELD_NOT_FOUND] = {"FieldValueNotFound", "Not found", true},
};

str field_error_reason(enum field_error_type type)
{
    return str_of(error_types[type].reason);
}

/* Values of clients can be large, messages should not be. */
#define VALUE_TEXT_MAX 4096

static void add_value(struct field_errors *e, struct strbuf *b, const struct json *value)
{
    str text;
    if (value->type == JSON_STRING)
        text = codec_quote(e->arena, json_str(value));
    else if (value->type == JSON_NULL)
        text = S("\"null\"");
    else
        text = json_text(e->arena, value);
    strbuf_add_str(b, S(": "));
    strbuf_add_str(b, str_sub(text, 0, VALUE_TEXT_MAX));
}

static void add_error(struct field_errors *e, enum field_error_type type, str field, const struct json *value, const char *fmt, va_list ap)
{
    if (e->len == FIELD_ERRORS_MAX)
        return;
    const struct error_type *t = &error_types[type];
    struct strbuf b = strbuf_on(e->arena);
    strbuf_add_str(&b, str_of(t->text));
    if (t->shows_value && value)
        add_value(e, &b, value);
    size_t before = b.len;
    strbuf_add_str(&b, S(": "));
    size_t with_colon = b.len;
    if (fmt)
        strbuf_vaddf(&b, fmt, ap);
    if (b.len == with_colon)
        strbuf_splice(&b, before, with_colon - before, S(""));
    e->items[e->len++] = (struct field_error){type, arena_str(e->arena, field), strbuf_str(&b)};
}

void field_error_add(struct field_errors *e, enum field_error_type type, str field, const struct json *value, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    add_error(e, type, field, value, fmt, ap);
    va_end(ap);
}

static bool is_repeated(const struct field_errors *e, size_t at)
{
    for (size_t i = 0; i < at; i++) {
        if (str_eq(e->items[i].field, e->items[at].field) && str_eq(e->items[i].detail, e->items[at].detail))
            return true;
    }
    return false;
}

str field_errors_message(struct field_errors *e)
{
    struct strbuf b = strbuf_on(e->arena);
    size_t shown = 0;
    for (size_t i = 0; i < e->len; i++) {
        if (is_repeated(e, i))
            continue;
        if (shown++)
            strbuf_add_str(&b, S(", "));
        strbuf_add_str(&b, e->items[i].field);
        strbuf_add_str(&b, S(": "));
        strbuf_add_str(&b, e->items[i].detail);
    }
    if (shown > 1) {
        strbuf_splice(&b, 0, 0, S("["));
        strbuf_add_char(&b, ']');
    }
    return strbuf_str(&b);
}

static void write_path(struct strbuf *b, const struct vpath *p)
{
    if (!p)
        return;
    write_path(b, p->up);
    switch (p->kind) {
    case VPATH_INDEX:
        strbuf_addf(b, "[%zu]", p->index);
        break;
    case VPATH_KEY:
        strbuf_add_char(b, '[');
        strbuf_add_str(b, p->name);
        strbuf_add_char(b, ']');
        break;
    case VPATH_FIELD:
        if (b->len)
            strbuf_add_char(b, '.');
        strbuf_add_str(b, p->name);
        break;
    }
}

static void error_at(struct vctx *c, enum field_error_type type, const struct vpath *p, const struct json *value, const char *fmt,
                     va_list ap)
{
    if (c->quiet)
        c->suppressed++;
    if (c->quiet || c->e->len == FIELD_ERRORS_MAX)
        return;
    struct strbuf b = strbuf_on(c->e->arena);
    write_path(&b, p);
    add_error(c->e, type, b.len ? strbuf_str(&b) : S("<nil>"), value, fmt, ap);
}

void v_error(struct vctx *c, enum field_error_type type, const struct vpath *p, const struct json *value, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    error_at(c, type, p, value, fmt, ap);
    va_end(ap);
}

void v_invalid_int(struct vctx *c, const struct vpath *p, int64_t value, const char *fmt, ...)
{
    struct json v = c->quiet ? json_null() : json_int(c->e->arena, value);
    va_list ap;
    va_start(ap, fmt);
    error_at(c, FIELD_INVALID, p, &v, fmt, ap);
    va_end(ap);
}

void v_duplicate(struct vctx *c, const struct vpath *p, str value)
{
    struct json v = json_string(value);
    v_error(c, FIELD_DUPLICATE, p, &v, V_NO_DETAIL);
}

void v_not_found(struct vctx *c, const struct vpath *p, str value)
{
    struct json v = json_string(value);
    v_error(c, FIELD_NOT_FOUND, p, &v, V_NO_DETAIL);
}

void v_unsupported(struct vctx *c, const struct vpath *p, str value, const char *supported)
{
    struct strbuf b = strbuf_on(c->e->arena);
    str rest = str_of(supported), one;
    for (bool more = true; more;) {
        more = str_cut(&rest, '|', &one);
        if (b.len)
            strbuf_add_str(&b, S(", "));
        strbuf_add_str(&b, codec_quote(c->e->arena, one));
    }
    struct json v = json_string(value);
    v_error(c, FIELD_NOT_SUPPORTED, p, &v, "supported values: %s", strbuf_cstr(&b));
}

void v_too_long(struct vctx *c, const struct vpath *p, int max_bytes)
{
    v_error(c, FIELD_TOO_LONG, p, NULL, "may not be more than %d bytes", max_bytes);
}
