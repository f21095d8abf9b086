/* SPDX-License-Identifier: Apache-2.0 */
#include "client/h1_answer.h"

enum phase { PHASE_HEAD, PHASE_BODY, PHASE_DONE };

void h1_answer_reset(struct h1_answer *a, bool is_head)
{
    struct strbuf head = a->head_;
    strbuf_clear(&head);
    a->status = 0;
    a->keep_alive = a->has_length = false;
    a->length = a->left_ = 0;
    a->headers = NULL;
    a->nheaders = 0;
    a->why = NULL;
    a->phase_ = PHASE_HEAD;
    a->no_body_ = is_head;
    a->framing_ = HTTP1_NO_FRAMING;
    a->chunked_ = (struct http1_chunked){0};
    a->head_ = head;
}

void h1_answer_fini(struct h1_answer *a)
{
    strbuf_fini(&a->head_);
}

str h1_answer_header(const struct h1_answer *a, str lower_name)
{
    for (size_t i = 0; i < a->nheaders; i++) {
        if (str_eq(a->headers[i].name, lower_name))
            return a->headers[i].value;
    }
    return S("");
}

bool h1_answer_has_begun(const struct h1_answer *a)
{
    return a->head_.len > 0;
}

static enum h1_answer_step bad(struct h1_answer *a, const char *why)
{
    a->why = why;
    return H1_ANSWER_BAD;
}

/* --- the head ------------------------------------------------------------------------------------------- */

/* A bare LF ends a line, too (RFC 9112, 2.2): what scripts behind small web servers write. */
static str next_line(str *rest)
{
    ptrdiff_t end = str_find_char(*rest, '\n');
    BUG_ON(end < 0); /* the head ends with one */
    str line = str_sub(*rest, 0, (size_t)end);
    *rest = str_from(*rest, (size_t)end + 1);
    return str_has_suffix(line, S("\r")) ? str_sub(line, 0, line.len - 1) : line;
}

/* Length of the head in `text` with the empty line that ends it, looking from `from` on; 0: it has not come yet. */
static size_t head_end(str text, size_t from)
{
    for (ptrdiff_t at; (at = str_find_char(str_from(text, from), '\n')) >= 0;) {
        from += (size_t)at + 1;
        str rest = str_from(text, from);
        if (str_has_prefix(rest, S("\n")))
            return from + 1;
        if (str_has_prefix(rest, S("\r\n")))
            return from + 2;
    }
    return 0;
}

static bool is_line(str s)
{
    return !s.len || (!memchr(s.p, '\r', s.len) && !memchr(s.p, '\n', s.len) && !memchr(s.p, 0, s.len));
}

static void lower_case(str s)
{
    char *p = (char *)(uintptr_t)s.p; /* our own copy */
    for (size_t i = 0; i < s.len; i++)
        p[i] = p[i] >= 'A' && p[i] <= 'Z' ? (char)(p[i] | 32) : p[i];
}

static const char *parse_head(struct h1_answer *a, str head)
{
    str line = next_line(&head);
    uint64_t status;
    if (!str_has_prefix(line, S("HTTP/1.")) || line.len < 12 || line.p[8] != ' ' || !str_to_u64(str_sub(line, 9, 12), &status) ||
        status < 100)
        return "no status line (is it an HTTPS server?)";
    a->status = (int)status;
    a->keep_alive = line.p[7] != '0';
    a->headers = a->table_;
    a->nheaders = 0;
    for (str value, name; (value = next_line(&head)).len;) {
        if (!str_cut(&value, ':', &name) || !http_is_token(name) || !is_line(value))
            return "a header line is malformed";
        if (a->nheaders == LIMIT_HEADER_COUNT)
            return "it has too many headers";
        lower_case(name);
        a->table_[a->nheaders++] = (struct http_header){name, str_trim(value)};
    }
    return NULL;
}

/* Every Content-Length must be the same number. */
static const char *read_length(struct h1_answer *a)
{
    for (size_t i = 0; i < a->nheaders; i++) {
        uint64_t n;
        if (!str_eq(a->headers[i].name, S("content-length")))
            continue;
        if (!str_to_u64(a->headers[i].value, &n))
            return "its Content-Length is no number";
        if (a->has_length && n != a->length)
            return "it has two Content-Lengths";
        a->has_length = true;
        a->length = n;
    }
    return NULL;
}

static const char *choose_framing(struct h1_answer *a)
{
    str coding = h1_answer_header(a, S("transfer-encoding"));
    const char *why = read_length(a);
    if (why)
        return why;
    if (coding.len && !str_ieq(coding, S("chunked")))
        return "its transfer coding is unknown";
    if (str_ieq(h1_answer_header(a, S("connection")), S("close")))
        a->keep_alive = false;
    a->left_ = a->length;
    if (a->no_body_ || a->status == 204 || a->status == 304 || a->status < 200)
        a->framing_ = HTTP1_NO_FRAMING;
    else if (coding.len)
        a->framing_ = HTTP1_CHUNKED;
    else if (a->has_length)
        a->framing_ = HTTP1_LENGTH;
    else
        a->framing_ = HTTP1_UNTIL_CLOSE;
    if (a->framing_ == HTTP1_UNTIL_CLOSE || a->status == 101)
        a->keep_alive = false;
    if (a->framing_ == HTTP1_CHUNKED)
        a->has_length = false;
    return NULL;
}

/* Bytes of `in` that belong to the head; the head is complete when *ret_done. */
static size_t head_take(struct h1_answer *a, str in, bool *ret_done)
{
    size_t had = a->head_.len;
    size_t room = LIMIT_HEADER_BYTES > had ? LIMIT_HEADER_BYTES - had : 0;
    strbuf_add_str(&a->head_, str_sub(in, 0, room));
    size_t whole = head_end(strbuf_str(&a->head_), had > 3 ? had - 3 : 0);
    *ret_done = whole > 0;
    if (!whole)
        return MIN(room, in.len);
    a->head_.len = whole;
    a->head_.p[whole] = 0;
    return whole - had;
}

static enum h1_answer_step head_step(struct h1_answer *a, str in, size_t *ret_used)
{
    bool done;
    *ret_used = head_take(a, in, &done);
    if (!done)
        return a->head_.len >= LIMIT_HEADER_BYTES ? bad(a, "its head is too long") : H1_ANSWER_MORE;
    str head = strbuf_str(&a->head_);
    const char *why = parse_head(a, head);
    if (!why)
        why = choose_framing(a);
    if (why)
        return bad(a, why);
    if (a->status < 200 && a->status != 101) {
        h1_answer_reset(a, a->no_body_);
        return H1_ANSWER_MORE;
    }
    a->phase_ = PHASE_BODY;
    return H1_ANSWER_HEAD;
}

/* --- the body ------------------------------------------------------------------------------------------- */

static enum h1_answer_step done(struct h1_answer *a)
{
    a->phase_ = PHASE_DONE;
    return H1_ANSWER_DONE;
}

static enum h1_answer_step chunked_step(struct h1_answer *a, str in, size_t *ret_used, str *ret_data)
{
    const char *why = NULL;
    switch (http1_chunked_step(&a->chunked_, in, ret_used, ret_data, &why)) {
    case HTTP1_DATA:
        return H1_ANSWER_DATA;
    case HTTP1_DONE:
        return done(a);
    case HTTP1_BAD:
        return bad(a, why);
    case HTTP1_MORE:
        break;
    }
    return H1_ANSWER_MORE;
}

enum h1_answer_step h1_answer_step(struct h1_answer *a, str in, size_t *ret_used, str *ret_data)
{
    *ret_used = 0;
    while (a->phase_ == PHASE_HEAD) {
        size_t used;
        enum h1_answer_step step = head_step(a, str_from(in, *ret_used), &used);
        *ret_used += used;
        if (step != H1_ANSWER_MORE || *ret_used == in.len)
            return step;
    }
    if (a->phase_ == PHASE_DONE)
        return H1_ANSWER_DONE;
    if (a->framing_ == HTTP1_CHUNKED)
        return chunked_step(a, in, ret_used, ret_data);
    if (a->framing_ == HTTP1_NO_FRAMING || (a->framing_ == HTTP1_LENGTH && !a->left_))
        return done(a);
    size_t n = a->framing_ == HTTP1_LENGTH ? (size_t)MIN((uint64_t)in.len, a->left_) : in.len;
    if (!n)
        return H1_ANSWER_MORE;
    a->left_ -= a->framing_ == HTTP1_LENGTH ? n : 0;
    *ret_used = n;
    *ret_data = str_sub(in, 0, n);
    return H1_ANSWER_DATA;
}

enum h1_answer_step h1_answer_eof(struct h1_answer *a)
{
    if (a->phase_ == PHASE_BODY && a->framing_ == HTTP1_UNTIL_CLOSE)
        return done(a);
    return bad(a, h1_answer_has_begun(a) ? "the connection was closed before the answer was complete"
                                         : "the connection was closed without an answer");
}
