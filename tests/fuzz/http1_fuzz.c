/* SPDX-License-Identifier: Apache-2.0 */
/* A connection's bytes: heads and bodies one after another, arriving in pieces whose size the first byte gives.  What is seen must not depend
 * on the pieces. */
#include "base/limits.h"
#include "wire/http1.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define INPUT_MAX 8192 /* more only makes it slow */

struct seen {
    uint64_t hash;
    size_t used;
};

static void note(struct seen *s, str text)
{
    for (size_t i = 0; i < text.len; i++)
        s->hash = (s->hash ^ (uint8_t)text.p[i]) * 1099511628211u;
}

static bool inside(str s, const char *buf, size_t len)
{
    return (s.p >= buf && s.p + s.len <= buf + len) || s.len <= 1; /* "/" and "" may be constants */
}

/* A body in chunks of input; false when it is bad or not complete. */
static bool read_chunks(str in, size_t step, struct seen *s)
{
    struct http1_chunked d = {0};
    for (size_t at = 0; at < in.len;) {
        size_t used = 0;
        str piece = S("");
        const char *why = NULL;
        enum http1_result r = http1_chunked_step(&d, str_sub(in, at, at + step), &used, &piece, &why);
        if (r == HTTP1_BAD) {
            BUG_ON(!why);
            s->used = SIZE_MAX; /* a step that fails does not say how far it came */
            return false;
        }
        BUG_ON(used == 0 && r != HTTP1_DONE);
        at += used;
        note(s, piece);
        s->used += used;
        if (r == HTTP1_DONE)
            return true;
    }
    return false;
}

static enum http1_result read_head(char *buf, size_t len, size_t step, struct http1_head *head)
{
    static struct http_header headers[LIMIT_HEADER_COUNT];
    struct http1_scan scan = {0};
    struct http1_error error = {0};
    enum http1_result r = HTTP1_MORE;
    for (size_t have = MIN(step, len); r == HTTP1_MORE; have = MIN(have + step, len)) {
        r = http1_head_parse(&scan, buf, have, headers, head, &error);
        if (have == len)
            break;
    }
    BUG_ON(r == HTTP1_BAD && (error.status < 400 || error.status > 599 || !error.why));
    return r;
}

static void head_check(const struct http1_head *h, const char *buf, size_t len)
{
    BUG_ON(h->bytes > len || h->nheaders > LIMIT_HEADER_COUNT || (h->is_chunked && h->has_content_length));
    BUG_ON(!inside(h->method, buf, len) || !inside(h->path, buf, len) || !inside(h->query, buf, len) || !inside(h->host, buf, len));
    for (size_t i = 0; i < h->nheaders; i++) {
        BUG_ON(!inside(h->headers[i].name, buf, len) || !http_is_token(h->headers[i].name));
        BUG_ON(memchr(h->headers[i].value.p, '\n', h->headers[i].value.len));
    }
}

static struct seen read_all(str in, size_t step)
{
    struct seen s = {.hash = 14695981039346656037u};
    char *buf = xmalloc(in.len + 1);
    memcpy(buf, in.p, in.len);
    struct http1_head head;
    while (s.used < in.len && read_head(buf + s.used, in.len - s.used, step, &head) == HTTP1_DONE) {
        head_check(&head, buf + s.used, in.len - s.used);
        note(&s, head.method);
        note(&s, head.path);
        for (size_t i = 0; i < head.nheaders; i++)
            note(&s, head.headers[i].value);
        s.used += head.bytes;
        bool whole = !head.is_chunked || read_chunks(str_n(buf + s.used, in.len - s.used), step, &s);
        if (!whole || head.content_length > in.len - s.used)
            break;
        s.used += head.content_length;
    }
    free(buf);
    return s;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2 || size > INPUT_MAX)
        return 0;
    str in = str_n((const char *)data + 1, size - 1);
    struct seen whole = read_all(in, in.len), pieces = read_all(in, 1 + data[0] % 32);
    BUG_ON(whole.hash != pieces.hash || whole.used != pieces.used);
    return 0;
}
