/* SPDX-License-Identifier: Apache-2.0 */
/* A head is read in two passes: http1_head_parse first looks for its end, line by line and remembering how far it came; only a complete head is taken
 * apart.  So nothing has to be kept between two reads but an offset. */
#include "wire/http1.h"

#include "base/limits.h"

enum { C_TOKEN = 1, C_TARGET = 2, C_VALUE = 4, C_HOST = 8 };

/* Classes of bytes.  Targets and values may hold bytes over 0x7f as they are. */
static const uint8_t classes[256] = {
    ['\t'] = C_VALUE,
    [' '] = C_VALUE,
    ['!'] = C_TOKEN | C_TARGET | C_VALUE | C_HOST,
    ['"'] = C_TARGET | C_VALUE,
    ['#'] = C_TOKEN | C_VALUE,
    ['$'] = C_TOKEN | C_TARGET | C_VALUE | C_HOST,
    ['%'] = C_TOKEN | C_TARGET | C_VALUE | C_HOST,
    ['&'] = C_TOKEN | C_TARGET | C_VALUE | C_HOST,
    ['\''] = C_TOKEN | C_TARGET | C_VALUE | C_HOST,
    ['('] = C_TARGET | C_VALUE | C_HOST,
    [')'] = C_TARGET | C_VALUE | C_HOST,
    ['*'] = C_TOKEN | C_TARGET | C_VALUE | C_HOST,
    ['+'] = C_TOKEN | C_TARGET | C_VALUE | C_HOST,
    [','] = C_TARGET | C_VALUE | C_HOST,
    ['-'] = C_TOKEN | C_TARGET | C_VALUE | C_HOST,
    ['.'] = C_TOKEN | C_TARGET | C_VALUE | C_HOST,
    ['/'] = C_TARGET | C_VALUE,
    ['0' ... '9'] = C_TOKEN | C_TARGET | C_VALUE | C_HOST,
    [':'] = C_TARGET | C_VALUE | C_HOST,
    [';'] = C_TARGET | C_VALUE | C_HOST,
    ['<'] = C_TARGET | C_VALUE,
    ['='] = C_TARGET | C_VALUE | C_HOST,
    ['>'] = C_TARGET | C_VALUE,
    ['?'] = C_TARGET | C_VALUE,
    ['@'] = C_TARGET | C_VALUE,
    ['A' ... 'Z'] = C_TOKEN | C_TARGET | C_VALUE | C_HOST,
    ['['] = C_TARGET | C_VALUE | C_HOST,
    ['\\'] = C_TARGET | C_VALUE,
    [']'] = C_TARGET | C_VALUE | C_HOST,
    ['^'] = C_TOKEN | C_TARGET | C_VALUE,
    ['_'] = C_TOKEN | C_TARGET | C_VALUE | C_HOST,
    ['`'] = C_TOKEN | C_TARGET | C_VALUE,
    ['a' ... 'z'] = C_TOKEN | C_TARGET | C_VALUE | C_HOST,
    ['{'] = C_TARGET | C_VALUE,
    ['|'] = C_TOKEN | C_TARGET | C_VALUE,
    ['}'] = C_TARGET | C_VALUE,
    ['~'] = C_TOKEN | C_TARGET | C_VALUE | C_HOST,
    [0x80 ... 0xff] = C_TARGET | C_VALUE,
};

static bool is_all(str s, uint8_t class)
{
    for (size_t i = 0; i < s.len; i++) {
        if (!(classes[(uint8_t)s.p[i]] & class))
            return false;
    }
    return true;
}

static enum http1_result bad(struct http1_error *e, int status, const char *why)
{
    *e = (struct http1_error){status, why};
    return HTTP1_BAD;
}

/* One empty line before a request is forgiven: old clients send one after a body. */
static size_t empty_line_before(const char *buf, size_t len)
{
    return len >= 2 && buf[0] == '\r' && buf[1] == '\n' ? 2 : 0;
}

/* Looks for the empty line that ends the head; refuses what can be refused before it is there. */
static enum http1_result find_end(struct http1_scan *scan, const char *buf, size_t len, size_t *ret_end, struct http1_error *e)
{
    size_t start = empty_line_before(buf, len);
    bool half_line = len == 1 && buf[0] == '\r'; /* of an empty line, perhaps */
    if (len > start && !(classes[(uint8_t)buf[start]] & C_TOKEN) && !half_line)
        return bad(e, 400, "the request line does not begin with a method");
    size_t at = MAX(scan->at, start);
    while (at < len) {
        const char *lf = memchr(buf + at, '\n', len - at);
        if (!lf)
            break;
        size_t i = (size_t)(lf - buf);
        if (i == 0 || buf[i - 1] != '\r')
            return bad(e, 400, "a line of the request head ends without a carriage return");
        if (i >= start + 3 && buf[i - 2] == '\n') {
            *ret_end = i + 1;
            return i + 1 - start > LIMIT_HEADER_BYTES ? bad(e, 431, "the request head is too large") : HTTP1_DONE;
        }
        at = i + 1;
    }
    scan->at = len;
    if (len - start > LIMIT_HEADER_BYTES)
        return bad(e, 431, "the request head is too large");
    return HTTP1_MORE;
}

/* --- the request line ------------------------------------------------------------------------------------- */

static bool version_parse(str s, struct http1_head *h, struct http1_error *e)
{
    if (str_eq(s, S("HTTP/1.1")))
        return true;
    if (str_eq(s, S("HTTP/1.0"))) {
        h->is_http10 = true;
        return true;
    }
    bool looks_right = s.len == 8 && str_has_prefix(s, S("HTTP/")) && s.p[6] == '.';
    bad(e, looks_right ? 505 : 400, looks_right ? "only HTTP/1.1 and HTTP/2 are spoken here" : "the request line has no HTTP version");
    return false;
}

/* "http://host:port/path" -> host and "/path". */
static bool absolute_form(str target, struct http1_head *h, str *ret_rest)
{
    ptrdiff_t colon = str_find(target, S("://"));
    if (colon <= 0 || !(str_ieq(str_sub(target, 0, (size_t)colon), S("http")) || str_ieq(str_sub(target, 0, (size_t)colon), S("https"))))
        return false;
    str rest = str_from(target, (size_t)colon + 3);
    size_t end = 0;
    while (end < rest.len && rest.p[end] != '/' && rest.p[end] != '?')
        end++;
    h->host = str_sub(rest, 0, end);
    *ret_rest = str_from(rest, end);
    return h->host.len > 0 && is_all(h->host, C_HOST);
}

static bool target_parse(str target, struct http1_head *h, struct http1_error *e)
{
    if (target.len > LIMIT_URL_BYTES) {
        bad(e, 414, "the request target is too long");
        return false;
    }
    if (!target.len || !is_all(target, C_TARGET)) {
        bad(e, 400, "the request target holds a byte that is not allowed there");
        return false;
    }
    str rest = target;
    bool star = str_eq(target, S("*")) && str_eq(h->method, S("OPTIONS"));
    if (!star && target.p[0] != '/' && !absolute_form(target, h, &rest)) {
        bad(e, 400, "the request target is neither a path nor an http URL");
        return false;
    }
    str_cut(&rest, '?', &h->path);
    h->query = rest;
    if (!h->path.len)
        h->path = S("/");
    if (!h->query.len)
        h->query = S("");
    return true;
}

#define METHOD_MAX 32

static bool request_line_parse(str line, struct http1_head *h, struct http1_error *e)
{
    ptrdiff_t first = str_find_char(line, ' '), last = str_rfind_char(line, ' ');
    if (first <= 0 || first > METHOD_MAX || last <= first || !is_all(str_sub(line, 0, (size_t)first), C_TOKEN)) {
        bad(e, 400, "the request line is not \"method target version\"");
        return false;
    }
    h->method = str_sub(line, 0, (size_t)first);
    return version_parse(str_from(line, (size_t)last + 1), h, e) && target_parse(str_sub(line, (size_t)first + 1, (size_t)last), h, e);
}

/* --- header fields ------------------------------------------------------------------------------------------ */

struct head_state {
    struct http1_head *h;
    struct http1_error *e;
    bool has_host, has_te, has_upgrade, upgrade_asked, close_asked, keep_alive_asked;
};

static bool field_host(struct head_state *s, str value)
{
    if (s->has_host || !is_all(value, C_HOST)) {
        bad(s->e, 400, s->has_host ? "there is more than one Host header" : "the Host header is not a host");
        return false;
    }
    s->has_host = true;
    if (!s->h->host.p) /* the authority of an absolute-form target wins: RFC 9112, 3.2.2 */
        s->h->host = value;
    return true;
}

static bool field_content_length(struct head_state *s, str value)
{
    uint64_t n = 0;
    bool digits = value.len > 0 && value.len <= 18;
    for (size_t i = 0; digits && i < value.len; i++) {
        digits = value.p[i] >= '0' && value.p[i] <= '9';
        n = n * 10 + (uint64_t)(value.p[i] - '0');
    }
    if (!digits || s->h->has_content_length) {
        bad(s->e, 400, digits ? "there is more than one Content-Length header" : "the Content-Length header is not a number");
        return false;
    }
    s->h->has_content_length = true;
    s->h->content_length = n;
    return true;
}

static bool field_transfer_encoding(struct head_state *s, str value)
{
    if (s->has_te || !str_ieq(value, S("chunked"))) {
        bad(s->e, s->has_te ? 400 : 501, s->has_te ? "there is more than one Transfer-Encoding header" : "only the transfer coding \"chunked\" is known");
        return false;
    }
    s->has_te = s->h->is_chunked = true;
    return true;
}

static bool field_connection(struct head_state *s, str value)
{
    str token;
    while (value.len) {
        str_cut(&value, ',', &token);
        token = str_trim(token);
        s->close_asked |= str_ieq(token, S("close"));
        s->keep_alive_asked |= str_ieq(token, S("keep-alive"));
        s->upgrade_asked |= str_ieq(token, S("upgrade"));
    }
    return true;
}

static bool field_expect(struct head_state *s, str value)
{
    if (!str_ieq(value, S("100-continue"))) {
        bad(s->e, 417, "the only expectation known is 100-continue");
        return false;
    }
    s->h->expects_continue = !s->h->is_http10;
    return true;
}

static bool field_upgrade(struct head_state *s, str value)
{
    s->has_upgrade |= value.len > 0;
    return true;
}

static const struct {
    str name;
    bool (*take)(struct head_state *s, str value);
} special_fields[] = {
    {STR_INIT("host"), field_host},
    {STR_INIT("content-length"), field_content_length},
    {STR_INIT("transfer-encoding"), field_transfer_encoding},
    {STR_INIT("connection"), field_connection},
    {STR_INIT("expect"), field_expect},
    {STR_INIT("upgrade"), field_upgrade},
};

static str trim_blanks(const char *p, const char *end)
{
    while (p < end && (*p == ' ' || *p == '\t'))
        p++;
    while (end > p && (end[-1] == ' ' || end[-1] == '\t'))
        end--;
    return str_n(p, (size_t)(end - p));
}

/* One line without its CRLF; the name becomes lower case. */
static bool field_parse(struct head_state *s, char *line, char *end)
{
    char *p = line;
    for (; p < end && (classes[(uint8_t)*p] & C_TOKEN); p++) {
        if (*p >= 'A' && *p <= 'Z')
            *p = (char)(*p | 32);
    }
    if (p == line || p == end || *p != ':') {
        bad(s->e, 400, line < end && (*line == ' ' || *line == '\t') ? "a header line is folded" : "a header line has no valid name");
        return false;
    }
    str value = trim_blanks(p + 1, end);
    if (!is_all(value, C_VALUE)) {
        bad(s->e, 400, "a header value holds a control character");
        return false;
    }
    struct http1_head *h = s->h;
    if (h->nheaders == LIMIT_HEADER_COUNT) {
        bad(s->e, 431, "the request has too many headers");
        return false;
    }
    str name = str_n(line, (size_t)(p - line));
    h->headers[h->nheaders++] = (struct http_header){name, value};
    for (size_t i = 0; i < ARRAY_LEN(special_fields); i++) {
        if (str_eq(special_fields[i].name, name))
            return special_fields[i].take(s, value);
    }
    return true;
}

static enum http1_result head_check(struct head_state *s)
{
    struct http1_head *h = s->h;
    if (!s->has_host && !h->is_http10)
        return bad(s->e, 400, "the Host header is missing");
    if (h->is_chunked && h->has_content_length)
        return bad(s->e, 400, "Content-Length and Transfer-Encoding exclude each other");
    if (h->is_chunked && h->is_http10)
        return bad(s->e, 400, "HTTP/1.0 has no Transfer-Encoding");
    h->keep_alive = h->is_http10 ? s->keep_alive_asked && !s->close_asked : !s->close_asked;
    h->wants_upgrade = s->upgrade_asked && s->has_upgrade && !h->is_http10;
    if (!h->host.p)
        h->host = S("");
    return HTTP1_DONE;
}

enum http1_result http1_head_parse(struct http1_scan *scan, char *buf, size_t len, struct http_header *headers, struct http1_head *ret,
                                   struct http1_error *ret_error)
{
    size_t end = 0;
    enum http1_result r = find_end(scan, buf, len, &end, ret_error);
    if (r != HTTP1_DONE)
        return r;
    *ret = (struct http1_head){.headers = headers, .bytes = end};
    struct head_state s = {.h = ret, .e = ret_error};
    char *line = buf + empty_line_before(buf, len), *stop = buf + end - 2; /* before the empty line */
    for (bool first = true; line < stop; first = false) {
        char *lf = memchr(line, '\n', (size_t)(stop - line)); /* find_end saw a CR before each */
        if (first ? !request_line_parse(str_n(line, (size_t)(lf - 1 - line)), ret, ret_error) : !field_parse(&s, line, lf - 1))
            return HTTP1_BAD;
        line = lf + 1;
    }
    return head_check(&s);
}

/* --- chunked bodies --------------------------------------------------------------------------------------- */
/*   size[;extension] CRLF data CRLF ... 0 CRLF [trailer CRLF]... CRLF */

enum { CH_SIZE, CH_EXT, CH_SIZE_LF, CH_DATA, CH_DATA_CR, CH_DATA_LF, CH_TRAILER_START, CH_TRAILER, CH_TRAILER_LF, CH_END_LF, CH_DONE, CH_BAD };

/* Beyond this a body is mostly framing (1-byte chunks need 5 for 1), which nobody sends in good faith. */
#define CHUNK_OVERHEAD_FREE 16384
#define CHUNK_OVERHEAD_PER_BYTE 8

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    char lower = (char)(c | 32);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

static const char *chunk_size_byte(struct http1_chunked *d, char c)
{
    int digit = hex_digit(c);
    if (digit >= 0) {
        if (++d->digits_ > 15)
            return "a chunk size is too large";
        d->left = d->left * 16 + (uint64_t)digit;
        return NULL;
    }
    if (!d->digits_ || (c != '\r' && c != ';'))
        return "a chunk size is not a hexadecimal number";
    d->state_ = c == ';' ? CH_EXT : CH_SIZE_LF;
    return NULL;
}

/* Text that is skipped: an extension or a trailer line. */
static const char *chunk_text_byte(struct http1_chunked *d, char c, uint8_t after_cr)
{
    if (c == '\r')
        d->state_ = after_cr;
    else if (!(classes[(uint8_t)c] & C_VALUE))
        return "a chunk extension or trailer holds a control character";
    return NULL;
}

static const char *chunk_need(struct http1_chunked *d, char c, char want, uint8_t next)
{
    if (c != want)
        return "a chunk does not end with CR LF";
    d->state_ = next;
    return NULL;
}

static const char *chunk_trailer_start(struct http1_chunked *d, char c)
{
    if (c == '\r') {
        d->state_ = CH_END_LF;
        return NULL;
    }
    d->state_ = CH_TRAILER;
    return classes[(uint8_t)c] & C_TOKEN ? NULL : "a trailer line has no valid name";
}

/* One byte of framing; NULL: fine. */
static const char *chunk_byte(struct http1_chunked *d, char c)
{
    d->overhead++;
    if (d->overhead > CHUNK_OVERHEAD_FREE + CHUNK_OVERHEAD_PER_BYTE * d->data)
        return "the chunked body is mostly framing";
    switch (d->state_) {
    case CH_SIZE:
        return chunk_size_byte(d, c);
    case CH_EXT:
        return chunk_text_byte(d, c, CH_SIZE_LF);
    case CH_SIZE_LF:
        return chunk_need(d, c, '\n', d->left ? CH_DATA : CH_TRAILER_START);
    case CH_DATA_CR:
        return chunk_need(d, c, '\r', CH_DATA_LF);
    case CH_DATA_LF:
        d->digits_ = 0;
        return chunk_need(d, c, '\n', CH_SIZE);
    case CH_TRAILER_START:
        return chunk_trailer_start(d, c);
    case CH_TRAILER:
        return chunk_text_byte(d, c, CH_TRAILER_LF);
    case CH_TRAILER_LF:
        return chunk_need(d, c, '\n', CH_TRAILER_START);
    case CH_END_LF:
        return chunk_need(d, c, '\n', CH_DONE);
    default:
        return "the chunked body is over";
    }
}

enum http1_result http1_chunked_step(struct http1_chunked *d, str in, size_t *ret_used, str *ret_data, const char **ret_why)
{
    size_t at = 0;
    for (; at < in.len && d->state_ != CH_DONE && d->state_ != CH_DATA; at++) {
        const char *why = chunk_byte(d, in.p[at]);
        if (why) {
            d->state_ = CH_BAD;
            *ret_why = why;
            return HTTP1_BAD;
        }
    }
    *ret_used = at;
    if (d->state_ == CH_DONE)
        return HTTP1_DONE;
    if (d->state_ != CH_DATA || at == in.len)
        return HTTP1_MORE;
    size_t n = (size_t)MIN((uint64_t)(in.len - at), d->left);
    *ret_data = str_n(in.p + at, n);
    *ret_used = at + n;
    d->left -= n;
    d->data += n;
    if (!d->left)
        d->state_ = CH_DATA_CR;
    return HTTP1_DATA;
}

size_t http1_chunk_head(char out[HTTP1_CHUNK_HEAD_MAX], uint32_t len)
{
    static const char hex[] = "0123456789abcdef";
    size_t n = 0;
    for (int shift = 28; shift >= 0; shift -= 4) {
        uint32_t digit = (len >> shift) & 15;
        if (digit || n || shift == 0)
            out[n++] = hex[digit];
    }
    out[n++] = '\r';
    out[n++] = '\n';
    return n;
}
