/* SPDX-License-Identifier: Apache-2.0 */
#include "wire/protobuf.h"

#define NUMBER_MAX ((1u << 29) - 1)

/* --- reading --------------------------------------------------------------------------------- */

bool protobuf_take_varint(str *io_bytes, uint64_t *ret)
{
    uint64_t v = 0;
    for (unsigned i = 0; i < 10 && i < io_bytes->len; i++) {
        unsigned char c = (unsigned char)io_bytes->p[i];
        if (i == 9 && c > 1) /* the tenth byte holds the topmost bit alone */
            return false;
        v |= (uint64_t)(c & 0x7f) << (7 * i);
        if (!(c & 0x80)) {
            *io_bytes = str_from(*io_bytes, i + 1);
            *ret = v;
            return true;
        }
    }
    return false;
}

static bool take_fixed(str *io_bytes, unsigned size, uint64_t *ret)
{
    if (io_bytes->len < size)
        return false;
    uint64_t v = 0;
    for (unsigned i = 0; i < size; i++)
        v |= (uint64_t)(unsigned char)io_bytes->p[i] << (8 * i);
    *io_bytes = str_from(*io_bytes, size);
    *ret = v;
    return true;
}

static bool take_payload(struct protobuf_reader *r)
{
    uint64_t len;
    switch (r->type) {
    case PROTOBUF_VARINT:
        return protobuf_take_varint(&r->rest_, &r->value);
    case PROTOBUF_FIXED64:
        return take_fixed(&r->rest_, 8, &r->value);
    case PROTOBUF_FIXED32:
        return take_fixed(&r->rest_, 4, &r->value);
    case PROTOBUF_BYTES:
        if (!protobuf_take_varint(&r->rest_, &len) || len > r->rest_.len)
            return false;
        r->bytes = str_sub(r->rest_, 0, (size_t)len);
        r->rest_ = str_from(r->rest_, (size_t)len);
        return true;
    default:
        return false;
    }
}

bool protobuf_next(struct protobuf_reader *r)
{
    if (r->bad || !r->rest_.len)
        return false;
    uint64_t tag;
    r->value = 0;
    r->bytes = STR_NONE;
    if (!protobuf_take_varint(&r->rest_, &tag) || tag >> 3 == 0 || tag >> 3 > NUMBER_MAX) {
        r->bad = true;
        return false;
    }
    r->number = (uint32_t)(tag >> 3);
    r->type = (enum protobuf_type)(tag & 7);
    r->bad = !take_payload(r);
    return !r->bad;
}

double protobuf_double(uint64_t value)
{
    double d;
    memcpy(&d, &value, sizeof d);
    return d;
}

float protobuf_float(uint64_t value)
{
    uint32_t bits = (uint32_t)value;
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

/* --- writing --------------------------------------------------------------------------------- */

static unsigned varint_put(char out[10], uint64_t v)
{
    unsigned n = 0;
    for (; v >= 0x80; v >>= 7)
        out[n++] = (char)(v | 0x80);
    out[n++] = (char)v;
    return n;
}

void protobuf_write_varint(struct strbuf *b, uint64_t v)
{
    char bytes[10];
    strbuf_add(b, bytes, varint_put(bytes, v));
}

static void write_tag(struct strbuf *b, uint32_t number, enum protobuf_type type)
{
    DEBUG_ON(!number || number > NUMBER_MAX);
    protobuf_write_varint(b, (uint64_t)number << 3 | type);
}

static void write_fixed(struct strbuf *b, uint64_t v, unsigned size)
{
    char bytes[8];
    for (unsigned i = 0; i < size; i++)
        bytes[i] = (char)(v >> (8 * i));
    strbuf_add(b, bytes, size);
}

void protobuf_add_varint(struct strbuf *b, uint32_t number, uint64_t v)
{
    write_tag(b, number, PROTOBUF_VARINT);
    protobuf_write_varint(b, v);
}

void protobuf_add_fixed64(struct strbuf *b, uint32_t number, uint64_t v)
{
    write_tag(b, number, PROTOBUF_FIXED64);
    write_fixed(b, v, 8);
}

void protobuf_add_fixed32(struct strbuf *b, uint32_t number, uint32_t v)
{
    write_tag(b, number, PROTOBUF_FIXED32);
    write_fixed(b, v, 4);
}

void protobuf_add_double(struct strbuf *b, uint32_t number, double v)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    protobuf_add_fixed64(b, number, bits);
}

void protobuf_add_str(struct strbuf *b, uint32_t number, str bytes)
{
    write_tag(b, number, PROTOBUF_BYTES);
    protobuf_write_varint(b, bytes.len);
    strbuf_add_str(b, bytes);
}

/* One byte is kept for the length, enough for most messages; close moves the content when it needs more. */
size_t protobuf_open(struct strbuf *b, uint32_t number)
{
    write_tag(b, number, PROTOBUF_BYTES);
    strbuf_add_char(b, 0);
    return b->len;
}

void protobuf_close(struct strbuf *b, size_t mark)
{
    char bytes[10];
    unsigned n = varint_put(bytes, b->len - mark);
    strbuf_splice(b, mark - 1, 1, str_n(bytes, n));
}
