/* SPDX-License-Identifier: Apache-2.0 */
#include "wire/base64.h"

static const char alphabets[2][65] = {
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_",
};

static bool is_url(enum base64_kind kind)
{
    return kind == BASE64_URL || kind == BASE64_URL_RAW;
}

static bool is_padded(enum base64_kind kind)
{
    return kind == BASE64_STD || kind == BASE64_URL;
}

void base64_write(struct strbuf *b, enum base64_kind kind, str bytes)
{
    const char *alphabet = alphabets[is_url(kind)];
    const unsigned char *p = (const unsigned char *)bytes.p;
    size_t left = bytes.len;
    strbuf_grow(b, (bytes.len + 2) / 3 * 4);
    char *out = b->p + b->len;
    for (; left >= 3; p += 3, left -= 3) {
        uint32_t v = (uint32_t)p[0] << 16 | (uint32_t)p[1] << 8 | p[2];
        *out++ = alphabet[v >> 18];
        *out++ = alphabet[v >> 12 & 63];
        *out++ = alphabet[v >> 6 & 63];
        *out++ = alphabet[v & 63];
    }
    if (left) {
        uint32_t v = (uint32_t)p[0] << 16 | (left > 1 ? (uint32_t)p[1] << 8 : 0);
        *out++ = alphabet[v >> 18];
        *out++ = alphabet[v >> 12 & 63];
        if (left > 1)
            *out++ = alphabet[v >> 6 & 63];
        for (size_t i = left; is_padded(kind) && i < 3; i++)
            *out++ = '=';
    }
    b->len = (size_t)(out - b->p);
    *out = 0;
}

str base64_encode(struct arena *a, enum base64_kind kind, str bytes)
{
    struct strbuf b = strbuf_on(a);
    base64_write(&b, kind, bytes);
    return strbuf_str(&b);
}

static int digit_value(char c, bool url)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (c >= '0' && c <= '9')
        return c - '0' + 52;
    if (c == (url ? '-' : '+'))
        return 62;
    return c == (url ? '_' : '/') ? 63 : -1;
}

static int illegal(struct err *err, size_t at)
{
    return err_set(err, E_PARSE, "illegal base64 data at input byte %zu", at);
}

int base64_decode(struct arena *a, enum base64_kind kind, str text, str *ret, struct err *err)
{
    size_t digits = text.len;
    if (is_padded(kind)) {
        while (digits && text.len - digits < 2 && text.p[digits - 1] == '=')
            digits--;
        if (text.len % 4)
            return illegal(err, text.len);
    }
    if (digits % 4 == 1 || (is_padded(kind) && text.len - digits != (4 - digits % 4) % 4))
        return illegal(err, digits);
    char *bytes = arena_alloc(a, text.len / 4 * 3 + 4), *out = bytes;
    bool url = is_url(kind);
    uint32_t v = 0;
    for (size_t i = 0; i < digits; i++) {
        int d = digit_value(text.p[i], url);
        if (d < 0)
            return illegal(err, i);
        v = v << 6 | (uint32_t)d;
        if (i % 4 == 3) {
            *out++ = (char)(v >> 16);
            *out++ = (char)(v >> 8);
            *out++ = (char)v;
            v = 0;
        }
    }
    size_t rest = digits % 4; /* 2 digits are a byte and 4 spare bits, 3 are two bytes and 2 spare bits */
    if (rest && v & (rest == 2 ? 0xfu : 0x3u))
        return illegal(err, digits - 1);
    if (rest == 2) {
        *out++ = (char)(v >> 4);
    } else if (rest == 3) {
        *out++ = (char)(v >> 10);
        *out++ = (char)(v >> 2);
    }
    *out = 0;
    *ret = str_n(bytes, (size_t)(out - bytes));
    return 0;
}
