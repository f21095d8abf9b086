/* SPDX-License-Identifier: Apache-2.0 */
#include "http/server.h"

str http_header_get(const struct http_request *req, str lower_name)
{
    for (size_t i = 0; i < req->nheaders; i++) {
        if (str_eq(req->headers[i].name, lower_name))
            return req->headers[i].value;
    }
    return S("");
}

static int hex(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    char lower = (char)(c | 32);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

static bool needs_decoding(str s, bool plus_is_space)
{
    return (s.len && memchr(s.p, '%', s.len)) || (plus_is_space && s.len && memchr(s.p, '+', s.len));
}

bool http_unescape(struct arena *a, str s, bool plus_is_space, str *ret)
{
    if (!needs_decoding(s, plus_is_space)) {
        *ret = s;
        return true;
    }
    char *out = arena_alloc(a, s.len + 1);
    size_t n = 0;
    for (size_t i = 0; i < s.len; i++) {
        char c = s.p[i];
        if (c == '%') {
            int high = i + 2 < s.len ? hex(s.p[i + 1]) : -1, low = high >= 0 ? hex(s.p[i + 2]) : -1;
            if (low < 0)
                return false;
            c = (char)(high << 4 | low);
            i += 2;
        } else if (c == '+' && plus_is_space) {
            c = ' ';
        }
        out[n++] = c;
    }
    out[n] = 0;
    *ret = str_n(out, n);
    return true;
}

bool http_query_get_nth(struct http_request *req, str name, size_t idx, str *ret)
{
    str rest = req->query, item, key, value;
    while (rest.len) {
        str_cut(&rest, '&', &item);
        str_cut(&item, '=', &key);
        if (!http_unescape(req->arena, key, true, &key) || !str_eq(key, name))
            continue;
        if (!http_unescape(req->arena, item, true, &value) || idx-- > 0)
            continue;
        *ret = value;
        return true;
    }
    return false;
}

bool http_query_get(struct http_request *req, str name, str *ret)
{
    return http_query_get_nth(req, name, 0, ret);
}
