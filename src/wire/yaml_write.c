/* A tree to YAML: libyaml's emitter, with the choices of go-yaml v2 for order, quoting and numbers. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <yaml.h>

#include "wire/json_number.h"
#include "wire/yaml.h"
#include "wire/yaml_scalar.h"

/* --- order of keys --------------------------------------------------------------------------------- */

static bool is_digit(str s, size_t i)
{
    return i < s.len && s.p[i] >= '0' && s.p[i] <= '9';
}

/* Letters beyond ASCII count as letters; the few other characters there do not matter for order. */
static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (unsigned char)c >= 0x80;
}

/* The number in s from i on; its end in *ret_end.  Wraps around as Go's int64 does. */
static uint64_t digits_at(str s, size_t i, uint64_t v, size_t *ret_end)
{
    for (; is_digit(s, i); i++)
        v = v * 10 + (uint64_t)(s.p[i] - '0');
    *ret_end = i;
    return v;
}

/* Where a and b differ, at i, and one has a 0: zeros count when a digit other than 0 stands before. */
static uint64_t leading_digit(str a, str b, size_t i)
{
    if (a.p[i] != '0' && b.p[i] != '0')
        return 0;
    for (size_t k = i; k-- > 0 && is_digit(a, k);)
        if (a.p[k] != '0')
            return 1;
    return 0;
}

/* "a2" before "a10", signs before letters. */
static int key_cmp(str a, str b)
{
    size_t i = 0;
    while (i < a.len && i < b.len && a.p[i] == b.p[i])
        i++;
    if (i == a.len || i == b.len)
        return (a.len > b.len) - (a.len < b.len);
    bool a_letter = is_letter(a.p[i]), b_letter = is_letter(b.p[i]);
    if (a_letter && b_letter)
        return (unsigned char)a.p[i] < (unsigned char)b.p[i] ? -1 : 1;
    if (a_letter || b_letter)
        return b_letter ? -1 : 1;
    size_t a_end, b_end;
    uint64_t lead = leading_digit(a, b, i);
    int64_t x = (int64_t)digits_at(a, i, lead, &a_end), y = (int64_t)digits_at(b, i, lead, &b_end);
    if (x != y)
        return x < y ? -1 : 1;
    if (a_end != b_end)
        return a_end < b_end ? -1 : 1;
    return (unsigned char)a.p[i] < (unsigned char)b.p[i] ? -1 : 1;
}

static int member_cmp(const void *x, const void *y)
{
    const struct json_member *a = *(const struct json_member *const *)x, *b = *(const struct json_member *const *)y;
    return key_cmp(a->key, b->key);
}

/* --- values ----------------------------------------------------------------------------------------- */

static int output(void *b, unsigned char *bytes, size_t len)
{
    strbuf_add(b, bytes, len);
    return 1;
}

/* The emitter refuses only events in a wrong order and text that is not UTF-8; callers exclude both. */
static void emit(yaml_emitter_t *e, yaml_event_t *event)
{
    BUG_ON(!yaml_emitter_emit(e, event));
}

static void emit_scalar(yaml_emitter_t *e, str text, yaml_scalar_style_t style)
{
    yaml_event_t event;
    BUG_ON(!yaml_scalar_event_initialize(&event, NULL, NULL, (const yaml_char_t *)text.p, (int)text.len, 1, 1, style));
    emit(e, &event);
}

/* NEL, LS and PS end lines in YAML 1.1; only double quotes carry them unchanged. */
static bool has_odd_break(str text)
{
    return str_find(text, S("\xc2\x85")) >= 0 || str_find(text, S("\xe2\x80\xa8")) >= 0 ||
           str_find(text, S("\xe2\x80\xa9")) >= 0;
}

static void emit_string(yaml_emitter_t *e, str text)
{
    STRBUF_AUTO utf8 = STRBUF_HEAP;
    if (!str_is_utf8(text)) {
        yaml_add_utf8(&utf8, text);
        text = strbuf_str(&utf8);
    }
    yaml_scalar_style_t style = YAML_DOUBLE_QUOTED_SCALAR_STYLE;
    if (has_odd_break(text))
        style = YAML_DOUBLE_QUOTED_SCALAR_STYLE;
    else if (str_find_char(text, '\n') >= 0)
        style = YAML_LITERAL_SCALAR_STYLE;
    else if (yaml_plain_is_string(text))
        style = YAML_PLAIN_SCALAR_STYLE;
    emit_scalar(e, text.len ? text : S(""), style);
}

/* Integers stay as they are; other numbers get the text of Go's 'g' format. */
static void emit_number(yaml_emitter_t *e, str text)
{
    STRBUF_AUTO b = STRBUF_HEAP;
    struct yaml_plain p = yaml_plain_resolve(text);
    if (p.kind == YAML_FLOAT) {
        json_digits_write_g(&b, json_digits_of(p.d, false));
        text = strbuf_str(&b);
    } else if (p.kind == YAML_INT && !p.magnitude) {
        text = S("0"); /* -0 */
    }
    emit_scalar(e, text, YAML_PLAIN_SCALAR_STYLE);
}

static void emit_value(yaml_emitter_t *e, const struct json *v);

static void emit_object(yaml_emitter_t *e, const struct json *v)
{
    yaml_event_t event;
    BUG_ON(!yaml_mapping_start_event_initialize(&event, NULL, NULL, 1, YAML_BLOCK_MAPPING_STYLE));
    emit(e, &event);
    const struct json_member **sorted CLEANUP(free) = xarray(v->len, const struct json_member *);
    for (uint32_t i = 0; i < v->len; i++)
        sorted[i] = &v->members[i];
    qsort(sorted, v->len, sizeof *sorted, member_cmp);
    for (uint32_t i = 0; i < v->len; i++) {
        emit_string(e, sorted[i]->key);
        emit_value(e, &sorted[i]->value);
    }
    BUG_ON(!yaml_mapping_end_event_initialize(&event));
    emit(e, &event);
}

static void emit_array(yaml_emitter_t *e, const struct json *v)
{
    yaml_event_t event;
    BUG_ON(!yaml_sequence_start_event_initialize(&event, NULL, NULL, 1, YAML_BLOCK_SEQUENCE_STYLE));
    emit(e, &event);
    for (uint32_t i = 0; i < v->len; i++)
        emit_value(e, &v->items[i]);
    BUG_ON(!yaml_sequence_end_event_initialize(&event));
    emit(e, &event);
}

static void emit_value(yaml_emitter_t *e, const struct json *v)
{
    switch (v->type) {
    case JSON_OBJECT:
        emit_object(e, v);
        break;
    case JSON_ARRAY:
        emit_array(e, v);
        break;
    case JSON_STRING:
        emit_string(e, json_str(v));
        break;
    case JSON_NUMBER:
        emit_number(e, json_str(v));
        break;
    case JSON_BOOL:
        emit_scalar(e, v->b ? S("true") : S("false"), YAML_PLAIN_SCALAR_STYLE);
        break;
    default:
        emit_scalar(e, S("null"), YAML_PLAIN_SCALAR_STYLE);
    }
}

void yaml_write(struct strbuf *b, const struct json *v)
{
    yaml_emitter_t e;
    yaml_event_t event;
    BUG_ON(!yaml_emitter_initialize(&e));
    yaml_emitter_set_output(&e, output, b);
    yaml_emitter_set_unicode(&e, 1);
    BUG_ON(!yaml_stream_start_event_initialize(&event, YAML_UTF8_ENCODING));
    emit(&e, &event);
    BUG_ON(!yaml_document_start_event_initialize(&event, NULL, NULL, NULL, 1));
    emit(&e, &event);
    emit_value(&e, v);
    e.open_ended = 0; /* no "..." behind a scalar */
    BUG_ON(!yaml_document_end_event_initialize(&event, 1));
    emit(&e, &event);
    e.open_ended = 0;
    BUG_ON(!yaml_stream_end_event_initialize(&event));
    emit(&e, &event);
    yaml_emitter_delete(&e);
}
