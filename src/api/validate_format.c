/* validate_format.c - texts of a known form: addresses, dates, mail addresses and the other JSON-schema formats. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <arpa/inet.h>

#include "api/codec_scalar.h"
#include "api/validate_internal.h"
#include "base/civil.h"

/* --- addresses ---------------------------------------------------------------------------------------------------------- */

static bool parse_ipv4(str s, uint8_t ret[4])
{
    for (int i = 0; i < 4; i++) {
        str part;
        int64_t n;
        if (str_cut(&s, '.', &part) != (i < 3))
            return false;
        if (part.len == 0 || part.len > 16 || part.p[0] < '0' || part.p[0] > '9' || !str_to_i64(part, &n) || n > 255)
            return false;
        ret[i] = (uint8_t)n;
    }
    return true;
}

bool v_parse_ip(str s, struct v_address *ret)
{
    *ret = (struct v_address){0};
    if (str_find_char(s, ':') < 0)
        return parse_ipv4(s, ret->bytes);
    char text[INET6_ADDRSTRLEN];
    if (s.len >= sizeof text || memchr(s.p, 0, s.len))
        return false;
    memcpy(text, s.p, s.len);
    text[s.len] = 0;
    if (inet_pton(AF_INET6, text, ret->bytes) != 1)
        return false;
    static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};
    ret->v6 = memcmp(ret->bytes, mapped, 12) != 0;
    if (!ret->v6)
        memmove(ret->bytes, ret->bytes + 12, 4);
    return true;
}

bool v_parse_cidr(str s, struct v_address *ret, unsigned *ret_bits)
{
    str ip;
    int64_t bits;
    bool has_colon = str_find_char(s, ':') >= 0;
    if (!str_cut(&s, '/', &ip) || !v_parse_ip(ip, ret))
        return false;
    if (s.len == 0 || s.len > 4 || s.p[0] < '0' || s.p[0] > '9' || !str_to_i64(s, &bits) || bits > (has_colon ? 128 : 32))
        return false;
    *ret_bits = (unsigned)bits;
    return true;
}

static bool is_ipv4(str s)
{
    struct v_address a;
    return v_parse_ip(s, &a) && str_find_char(s, ':') < 0;
}

static bool is_ipv6(str s)
{
    struct v_address a;
    return v_parse_ip(s, &a) && str_find_char(s, ':') >= 0;
}

static bool is_ip(str s)
{
    struct v_address a;
    return v_parse_ip(s, &a);
}

static bool is_cidr(str s)
{
    struct v_address a;
    unsigned bits;
    return v_parse_cidr(s, &a, &bits);
}

static bool is_hex(char ch)
{
    return (ch >= '0' && ch <= '9') || (ch >= 'a' && ch <= 'f') || (ch >= 'A' && ch <= 'F');
}

static bool is_digit(char ch)
{
    return ch >= '0' && ch <= '9';
}

static bool is_alpha(char ch)
{
    return (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z');
}

static bool is_mac(str s)
{
    if (s.len != 17 && s.len != 23 && s.len != 14)
        return false;
    if (s.len == 14) { /* 0000.5e00.5301 */
        for (size_t i = 0; i < s.len; i++) {
            if (i % 5 == 4 ? s.p[i] != '.' : !is_hex(s.p[i]))
                return false;
        }
        return true;
    }
    char sep = s.p[2];
    for (size_t i = 0; i < s.len; i++) {
        if (i % 3 == 2 ? s.p[i] != sep : !is_hex(s.p[i]))
            return false;
    }
    return sep == ':' || sep == '-';
}

/* --- times ---------------------------------------------------------------------------------------------------------------- */

static bool is_date_time(str s)
{
    nsec_t at;
    return civil_parse(s, &at);
}

static bool is_date(str s)
{
    char text[32];
    if (s.len != 10)
        return false;
    snprintf(text, sizeof text, "%.10sT00:00:00Z", s.p);
    return is_date_time(str_of(text));
}

static bool is_duration(str s)
{
    ARENA_AUTO a = ARENA_INIT;
    str out;
    struct err err;
    return codec_duration_canonical(&a, s, &out, &err) == 0;
}

/* --- texts ---------------------------------------------------------------------------------------------------------------- */

static bool is_uri(str s)
{
    size_t i = 0;
    if (s.len && s.p[0] == '/') /* an absolute path is a request URI */
        return true;
    while (i < s.len && (is_alpha(s.p[i]) || (i && (is_digit(s.p[i]) || s.p[i] == '+' || s.p[i] == '-' || s.p[i] == '.'))))
        i++;
    if (i == 0 || i == s.len || s.p[i] != ':')
        return false;
    for (; i < s.len; i++) {
        if (s.p[i] == ' ' || (unsigned char)s.p[i] < 0x20 || s.p[i] == 0x7f)
            return false;
    }
    return true;
}

static bool is_host_label(str s)
{
    if (s.len == 0 || s.len > 63 || s.p[0] == '-' || s.p[s.len - 1] == '-')
        return false;
    for (size_t i = 0; i < s.len; i++) {
        if (!is_alpha(s.p[i]) && !is_digit(s.p[i]) && s.p[i] != '-' && !(s.p[i] & 0x80))
            return false;
    }
    return true;
}

static bool is_hostname(str s)
{
    if (s.len == 0 || s.len > 255)
        return false;
    str part;
    for (bool more = true; more;) {
        more = str_cut(&s, '.', &part);
        if (!is_host_label(part))
            return false;
    }
    return true;
}

static bool is_email(str s)
{
    ptrdiff_t at = str_rfind_char(s, '@');
    if (at <= 0 || (size_t)at + 1 == s.len)
        return false;
    for (ptrdiff_t i = 0; i < at; i++) {
        char ch = s.p[i];
        bool dot_is_wrong = ch == '.' && (i == 0 || i + 1 == at || s.p[i - 1] == '.');
        if (dot_is_wrong || (unsigned char)ch <= 0x20 || ch == 0x7f || strchr("()<>[]:;@\\,\"", ch))
            return false;
    }
    return is_hostname(str_from(s, (size_t)at + 1));
}

/* 8-4-4-4-12 hex digits, dashes optional; version 0: any. */
static bool is_uuid_version(str s, char version)
{
    char hex[32];
    size_t n = 0;
    for (size_t i = 0; i < s.len; i++) {
        if (s.p[i] == '-' && (n == 8 || n == 12 || n == 16 || n == 20))
            continue;
        if (n == sizeof hex || !is_hex(s.p[i]))
            return false;
        hex[n++] = s.p[i];
    }
    if (n != sizeof hex || s.len > 36)
        return false;
    return !version || (hex[12] == version && (version == '3' || strchr("89abAB", hex[16])));
}

static bool is_uuid(str s)
{
    return is_uuid_version(s, 0);
}
static bool is_uuid3(str s)
{
    return is_uuid_version(s, '3');
}
static bool is_uuid4(str s)
{
    return is_uuid_version(s, '4');
}
static bool is_uuid5(str s)
{
    return is_uuid_version(s, '5');
}

static bool is_byte(str s)
{
    size_t pad = 0;
    if (s.len == 0 || s.len % 4)
        return false;
    while (pad < 2 && s.p[s.len - 1 - pad] == '=')
        pad++;
    for (size_t i = 0; i < s.len - pad; i++) {
        if (!is_alpha(s.p[i]) && !is_digit(s.p[i]) && s.p[i] != '+' && s.p[i] != '/')
            return false;
    }
    return true;
}

static bool is_hexcolor(str s)
{
    if (s.len && s.p[0] == '#')
        s = str_from(s, 1);
    if (s.len != 3 && s.len != 6)
        return false;
    for (size_t i = 0; i < s.len; i++) {
        if (!is_hex(s.p[i]))
            return false;
    }
    return true;
}

/* Digits with blanks and dashes between them, with the Luhn sum for cards or the ISBN sums. */
static size_t digits_of(str s, char *ret, size_t room)
{
    size_t n = 0;
    for (size_t i = 0; i < s.len; i++) {
        if (s.p[i] == ' ' || s.p[i] == '-')
            continue;
        if (n == room || (!is_digit(s.p[i]) && s.p[i] != 'X'))
            return 0;
        ret[n++] = s.p[i];
    }
    return n;
}

static bool is_isbn10(str s)
{
    char d[10];
    unsigned sum = 0;
    if (digits_of(s, d, sizeof d) != sizeof d)
        return false;
    for (unsigned i = 0; i < 10; i++) {
        if (d[i] == 'X' && i < 9)
            return false;
        sum += (10 - i) * (d[i] == 'X' ? 10u : (unsigned)(d[i] - '0'));
    }
    return sum % 11 == 0;
}

static bool is_isbn13(str s)
{
    char d[13];
    unsigned sum = 0;
    if (digits_of(s, d, sizeof d) != sizeof d)
        return false;
    for (unsigned i = 0; i < 13; i++) {
        if (d[i] == 'X')
            return false;
        sum += (i % 2 ? 3u : 1u) * (unsigned)(d[i] - '0');
    }
    return sum % 10 == 0;
}

static bool is_isbn(str s)
{
    return is_isbn10(s) || is_isbn13(s);
}

static bool is_credit_card(str s)
{
    char d[19];
    unsigned sum = 0;
    size_t n = digits_of(s, d, sizeof d);
    if (n < 13)
        return false;
    for (size_t i = 0; i < n; i++) {
        if (d[i] == 'X')
            return false;
        unsigned v = (unsigned)(d[i] - '0') << ((n - i) % 2 == 0);
        sum += v > 9 ? v - 9 : v;
    }
    return sum % 10 == 0;
}

static bool is_ssn(str s)
{
    if (s.len != 11)
        return false;
    for (size_t i = 0; i < s.len; i++) {
        if (i == 3 || i == 6 ? s.p[i] != '-' && s.p[i] != ' ' : !is_digit(s.p[i]))
            return false;
    }
    return true;
}

static const struct format {
    const char *name;
    bool (*holds)(str s);
} formats[] = {
    {"date-time", is_date_time},
    {"datetime", is_date_time},
    {"date", is_date},
    {"duration", is_duration},
    {"email", is_email},
    {"hostname", is_hostname},
    {"ipv4", is_ipv4},
    {"ipv6", is_ipv6},
    {"ip", is_ip},
    {"cidr", is_cidr},
    {"mac", is_mac},
    {"uri", is_uri},
    {"uuid", is_uuid},
    {"uuid3", is_uuid3},
    {"uuid4", is_uuid4},
    {"uuid5", is_uuid5},
    {"byte", is_byte},
    {"hexcolor", is_hexcolor},
    {"isbn", is_isbn},
    {"isbn10", is_isbn10},
    {"isbn13", is_isbn13},
    {"creditcard", is_credit_card},
    {"ssn", is_ssn},
};

bool v_format_holds(str format, str text)
{
    for (size_t i = 0; i < ARRAY_LEN(formats); i++) {
        if (str_is(format, formats[i].name))
            return formats[i].holds(text);
    }
    return true;
}
