/* SPDX-License-Identifier: Apache-2.0 */
#include "base/civil.h"
#include "wire/http1.h"

static char *put(char *at, str s)
{
    memcpy(at, s.p, s.len);
    return at + s.len;
}

static char *put_u64(char *at, uint64_t v)
{
    char digits[20];
    size_t n = 0;
    do {
        digits[n++] = (char)('0' + v % 10);
        v /= 10;
    } while (v);
    while (n)
        *at++ = digits[--n];
    return at;
}

/* A value that would break out of its line is a bug of the caller or an attack through data it passed on. */
static bool is_clean(str s)
{
    for (size_t i = 0; i < s.len; i++) {
        if (s.p[i] == '\r' || s.p[i] == '\n' || s.p[i] == 0)
            return false;
    }
    return true;
}

static char *put_header(char *at, str name, str value)
{
    if (!is_clean(value) || !http_is_token(name))
        return at;
    at = put(at, name);
    at = put(at, S(": "));
    at = put(at, value);
    return put(at, S("\r\n"));
}

size_t http1_response_bound(const struct http1_response_head *h)
{
    /* status line 64, content-length 40, transfer-encoding 28, connection 20, content-type 16, date 40 */
    size_t n = 256 + h->content_type.len;
    for (size_t i = 0; i < h->nheaders; i++)
        n += h->headers[i].name.len + h->headers[i].value.len + 4;
    return n;
}

static char *put_status_line(char *at, int status)
{
    if (status == 200)
        return put(at, S("HTTP/1.1 200 OK\r\n"));
    at = put(at, S("HTTP/1.1 "));
    at = put_u64(at, (uint64_t)status);
    at = put(at, S(" "));
    at = put(at, http_status_text(status));
    return put(at, S("\r\n"));
}

size_t http1_response_write(char *out, const struct http1_response_head *h)
{
    char *at = put_status_line(out, h->status);
    if (h->content_type.len && is_clean(h->content_type)) {
        at = put(at, S("content-type: "));
        at = put(at, h->content_type);
        at = put(at, S("\r\n"));
    }
    if (h->framing == HTTP1_LENGTH) {
        at = put(at, S("content-length: "));
        at = put_u64(at, h->length);
        at = put(at, S("\r\n"));
    } else if (h->framing == HTTP1_CHUNKED) {
        at = put(at, S("transfer-encoding: chunked\r\n"));
    }
    if (h->date.len == HTTP1_DATE_LEN) {
        at = put(at, S("date: "));
        at = put(at, h->date);
        at = put(at, S("\r\n"));
    }
    for (size_t i = 0; i < h->nheaders; i++)
        at = put_header(at, h->headers[i].name, h->headers[i].value);
    if (h->close)
        at = put(at, S("connection: close\r\n"));
    at = put(at, S("\r\n"));
    return (size_t)(at - out);
}

void http1_date_format(int64_t wall_ns, char out[HTTP1_DATE_LEN + 1])
{
    static const char days[7][4] = {"Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"}; /* 1970-01-01 was a Thursday */
    static const char months[12][4] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    int64_t day = wall_ns / (86400 * NSEC_PER_SEC);
    struct civil c = civil_from_ns(wall_ns);
    char text[64];
    snprintf(text, sizeof text, "%s, %02d %s %04d %02d:%02d:%02d GMT", days[((day % 7) + 7) % 7], c.day, months[c.month - 1], c.year, c.hour, c.minute,
             c.second);
    memcpy(out, text, HTTP1_DATE_LEN);
    out[HTTP1_DATE_LEN] = 0;
}
