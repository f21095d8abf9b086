/* SPDX-License-Identifier: Apache-2.0 */
/* A control frame is collected whole in `frame`, since its headers must be unpacked at once; data passes by in pieces.
 *
 *   control:  1|version(15)=3  type(16) | flags(8) length(24) | payload          data:  0|stream(31) | flags(8) length(24) | payload
 *
 * Both compressors are made when they are first used: many connections see one or two header blocks in an hour. */
#include "wire/spdy.h"

#include <zlib.h>

enum { TYPE_SYN = 1, TYPE_REPLY = 2, TYPE_RESET = 3, TYPE_SETTINGS = 4, TYPE_PING = 6, TYPE_GOAWAY = 7, TYPE_HEADERS = 8, TYPE_WINDOW = 9 };
enum { HEAD_BYTES = 8, FLAG_FIN = 1 };
#define ID_MASK 0x7fffffffu

/* What both sides put into zlib before the first header block: the protocol's own table of likely words, each with its length. */
static const char dictionary[] =
    "\0\0\0\007" "options" "\0\0\0\004" "head" "\0\0\0\004" "post" "\0\0\0\003" "put" "\0\0\0\006" "delete"
    "\0\0\0\005" "trace" "\0\0\0\006" "accept" "\0\0\0\016" "accept-charset" "\0\0\0\017" "accept-encoding"
    "\0\0\0\017" "accept-language" "\0\0\0\015" "accept-ranges" "\0\0\0\003" "age" "\0\0\0\005" "allow"
    "\0\0\0\015" "authorization" "\0\0\0\015" "cache-control" "\0\0\0\012" "connection" "\0\0\0\014" "content-base"
    "\0\0\0\020" "content-encoding" "\0\0\0\020" "content-language" "\0\0\0\016" "content-length"
    "\0\0\0\020" "content-location" "\0\0\0\013" "content-md5" "\0\0\0\015" "content-range" "\0\0\0\014" "content-type"
    "\0\0\0\004" "date" "\0\0\0\004" "etag" "\0\0\0\006" "expect" "\0\0\0\007" "expires" "\0\0\0\004" "from"
    "\0\0\0\004" "host" "\0\0\0\010" "if-match" "\0\0\0\021" "if-modified-since" "\0\0\0\015" "if-none-match"
    "\0\0\0\010" "if-range" "\0\0\0\023" "if-unmodified-since" "\0\0\0\015" "last-modified" "\0\0\0\010" "location"
    "\0\0\0\014" "max-forwards" "\0\0\0\006" "pragma" "\0\0\0\022" "proxy-authenticate"
    "\0\0\0\023" "proxy-authorization" "\0\0\0\005" "range" "\0\0\0\007" "referer" "\0\0\0\013" "retry-after"
    "\0\0\0\006" "server" "\0\0\0\002" "te" "\0\0\0\007" "trailer" "\0\0\0\021" "transfer-encoding"
    "\0\0\0\007" "upgrade" "\0\0\0\012" "user-agent" "\0\0\0\004" "vary" "\0\0\0\003" "via" "\0\0\0\007" "warning"
    "\0\0\0\020" "www-authenticate" "\0\0\0\006" "method" "\0\0\0\003" "get" "\0\0\0\006" "status"
    "\0\0\0\006" "200 OK" "\0\0\0\007" "version" "\0\0\0\010" "HTTP/1.1" "\0\0\0\003" "url" "\0\0\0\006" "public"
    "\0\0\0\012" "set-cookie" "\0\0\0\012" "keep-alive" "\0\0\0\006" "origin"
    "100101201202205206300302303304305306307402405406407408409410411412413414415416417502504505203 Non-Authoritative "
    "Information204 No Content301 Moved Permanently400 Bad Request401 Unauthorized403 Forbidden404 Not Found500 Inter"
    "nal Server Error501 Not Implemented503 Service UnavailableJan Feb Mar Apr May Jun Jul Aug Sept Oct Nov Dec 00:00"
    ":00 Mon, Tue, Wed, Thu, Fri, Sat, Sun, GMTchunked,text/html,image/png,image/jpg,image/gif,application/xml,applic"
    "ation/xhtml+xml,text/plain,text/javascript,publicprivatemax-age=gzip,deflate,sdchcharset=utf-8charset=iso-8859-1"
    ",utf-,*,enq=0.";

#define DICTIONARY_BYTES (sizeof dictionary - 1)

struct spdy {
    uint8_t head[HEAD_BYTES];
    uint8_t head_len;
    bool is_bad, in_data, fin;
    bool has_inflate, has_deflate;
    uint32_t data_stream, left; /* of the data frame under way */
    struct strbuf frame;        /* payload of the control frame under way */
    z_stream inflate, deflate;
    char *text; /* headers unpacked, SPDY_HEADER_BYTES */
    struct http_header headers[SPDY_HEADERS];
    size_t nheaders;
};

struct spdy *spdy_new(void)
{
    return xnew(struct spdy);
}

void spdy_free(struct spdy *s)
{
    if (!s)
        return;
    if (s->has_inflate)
        inflateEnd(&s->inflate);
    if (s->has_deflate)
        deflateEnd(&s->deflate);
    strbuf_fini(&s->frame);
    free(s->text);
    free(s);
}

str spdy_header(const struct spdy_event *e, str lower_name)
{
    for (size_t i = 0; i < e->nheaders; i++)
        if (str_eq(e->headers[i].name, lower_name))
            return e->headers[i].value;
    return S("");
}

static uint32_t be32(const void *p)
{
    const uint8_t *b = p;
    return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

/* --- reading ------------------------------------------------------------------------------------------------- */

static enum spdy_result bad(struct spdy *s, struct spdy_event *ret, const char *why)
{
    s->is_bad = true;
    ret->why = why;
    return SPDY_BAD;
}

/* Unpacks a block into s->text; returns its length, or SPDY_HEADER_BYTES + 1 when it is broken or too large. */
static size_t unpack(struct spdy *s, str block)
{
    z_stream *z = &s->inflate;
    if (!s->has_inflate) {
        BUG_ON(inflateInit(z) != Z_OK);
        s->has_inflate = true;
        s->text = xmalloc(SPDY_HEADER_BYTES);
    }
    z->next_in = (Bytef *)(uintptr_t)block.p;
    z->avail_in = (uInt)block.len;
    z->next_out = (Bytef *)s->text;
    z->avail_out = SPDY_HEADER_BYTES;
    while (z->avail_in) {
        int r = inflate(z, Z_SYNC_FLUSH);
        if (r == Z_NEED_DICT)
            r = inflateSetDictionary(z, (const Bytef *)dictionary, DICTIONARY_BYTES);
        if (r != Z_OK || !z->avail_out)
            return SPDY_HEADER_BYTES + 1;
    }
    return SPDY_HEADER_BYTES - z->avail_out;
}

static bool take_u32(str *in, uint32_t *ret)
{
    if (in->len < 4)
        return false;
    *ret = be32(in->p);
    *in = str_from(*in, 4);
    return true;
}

static bool take_text(str *in, str *ret)
{
    uint32_t len;
    if (!take_u32(in, &len) || len > in->len)
        return false;
    *ret = str_sub(*in, 0, len);
    *in = str_from(*in, len);
    return true;
}

static bool parse_headers(struct spdy *s, str in)
{
    uint32_t count;
    s->nheaders = 0;
    if (!take_u32(&in, &count) || count > SPDY_HEADERS)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        struct http_header *h = &s->headers[i];
        if (!take_text(&in, &h->name) || !take_text(&in, &h->value) || !h->name.len)
            return false;
        for (size_t k = 0; k < h->name.len; k++) { /* names are lower case; Go's are as the program wrote them */
            char *c = s->text + (h->name.p - s->text) + k;
            *c = *c >= 'A' && *c <= 'Z' ? (char)(*c + 32) : *c;
        }
    }
    s->nheaders = count;
    return true;
}

static enum spdy_result with_headers(struct spdy *s, size_t at, enum spdy_result kind, struct spdy_event *ret)
{
    str payload = strbuf_str(&s->frame);
    if (payload.len < at)
        return bad(s, ret, "a control frame is too short");
    size_t len = unpack(s, str_from(payload, at));
    if (len > SPDY_HEADER_BYTES || !parse_headers(s, str_n(s->text, len)))
        return bad(s, ret, "a header block is broken or too large");
    ret->stream = be32(payload.p) & ID_MASK;
    ret->fin = s->head[4] & FLAG_FIN;
    ret->headers = s->headers;
    ret->nheaders = s->nheaders;
    return kind;
}

static enum spdy_result plain_control(struct spdy *s, unsigned type, struct spdy_event *ret)
{
    str payload = strbuf_str(&s->frame);
    size_t want = type == TYPE_PING ? 4 : 8;
    if (payload.len < want)
        return bad(s, ret, "a control frame is too short");
    uint32_t first = be32(payload.p);
    if (type == TYPE_PING) {
        ret->ping = first;
        return SPDY_GOT_PING;
    }
    ret->stream = first & ID_MASK;
    ret->status = be32(payload.p + 4);
    return type == TYPE_RESET ? SPDY_GOT_RESET : SPDY_GOT_GOAWAY;
}

static enum spdy_result control_done(struct spdy *s, struct spdy_event *ret)
{
    unsigned type = (unsigned)s->head[2] << 8 | s->head[3];
    s->head_len = 0;
    switch (type) {
    case TYPE_SYN:
        return with_headers(s, 10, SPDY_GOT_SYN, ret);
    case TYPE_REPLY:
        return with_headers(s, 4, SPDY_GOT_REPLY, ret);
    case TYPE_HEADERS: /* nobody asks for them, but the compressor's state goes on */
        return with_headers(s, 4, SPDY_GOT_OTHER, ret);
    case TYPE_RESET:
    case TYPE_PING:
    case TYPE_GOAWAY:
        return plain_control(s, type, ret);
    default:
        return SPDY_GOT_OTHER;
    }
}

/* The head is complete: what follows? */
static enum spdy_result head_done(struct spdy *s, struct spdy_event *ret)
{
    uint32_t first = be32(s->head);
    s->left = be32(s->head + 4) & SPDY_DATA_MAX;
    s->in_data = !(first >> 31);
    strbuf_clear(&s->frame);
    if (s->in_data) {
        s->data_stream = first;
        s->fin = s->head[4] & FLAG_FIN;
        if (s->left)
            return SPDY_MORE;
        s->head_len = 0;
        ret->stream = s->data_stream;
        ret->fin = s->fin;
        ret->data = S("");
        return SPDY_GOT_DATA;
    }
    if ((first >> 16 & 0x7fff) != 3)
        return bad(s, ret, "a frame of another version than SPDY/3");
    if (s->left > SPDY_BLOCK_BYTES)
        return bad(s, ret, "a control frame is too large");
    return s->left ? SPDY_MORE : control_done(s, ret);
}

static enum spdy_result payload_step(struct spdy *s, str in, size_t *used, struct spdy_event *ret)
{
    str piece = str_sub(in, 0, s->left);
    *used += piece.len;
    s->left -= (uint32_t)piece.len;
    if (!s->in_data) {
        strbuf_add_str(&s->frame, piece);
        return s->left ? SPDY_MORE : control_done(s, ret);
    }
    if (!s->left)
        s->head_len = 0;
    ret->stream = s->data_stream;
    ret->data = piece;
    ret->fin = !s->left && s->fin;
    return SPDY_GOT_DATA;
}

enum spdy_result spdy_step(struct spdy *s, str in, size_t *ret_used, struct spdy_event *ret)
{
    *ret = (struct spdy_event){0};
    *ret_used = 0;
    if (s->is_bad) {
        *ret_used = in.len;
        return bad(s, ret, "the connection is broken");
    }
    while (*ret_used < in.len) {
        str rest = str_from(in, *ret_used);
        if (s->head_len == HEAD_BYTES) {
            enum spdy_result r = payload_step(s, rest, ret_used, ret);
            if (r != SPDY_MORE)
                return r;
            continue;
        }
        size_t n = MIN(rest.len, (size_t)(HEAD_BYTES - s->head_len));
        memcpy(s->head + s->head_len, rest.p, n);
        s->head_len += (uint8_t)n;
        *ret_used += n;
        enum spdy_result r = s->head_len == HEAD_BYTES ? head_done(s, ret) : SPDY_MORE;
        if (r != SPDY_MORE)
            return r;
    }
    return SPDY_MORE;
}

/* --- writing ------------------------------------------------------------------------------------------------- */

static void put_u32(struct strbuf *b, uint32_t v)
{
    char p[4] = {(char)(v >> 24), (char)(v >> 16), (char)(v >> 8), (char)v};
    strbuf_add(b, p, sizeof p);
}

static void put_control(struct strbuf *b, unsigned type, unsigned flags, size_t len)
{
    put_u32(b, 0x80030000u | type);
    put_u32(b, (uint32_t)flags << 24 | (uint32_t)len);
}

static void pack(struct spdy *s, struct strbuf *b, const struct http_header *headers, size_t nheaders)
{
    STRBUF_AUTO plain = STRBUF_HEAP;
    put_u32(&plain, (uint32_t)nheaders);
    for (size_t i = 0; i < nheaders; i++) {
        put_u32(&plain, (uint32_t)headers[i].name.len);
        strbuf_add_str(&plain, headers[i].name);
        put_u32(&plain, (uint32_t)headers[i].value.len);
        strbuf_add_str(&plain, headers[i].value);
    }
    z_stream *z = &s->deflate;
    if (!s->has_deflate) { /* the smallest window: a connection may last for hours and sends few headers */
        BUG_ON(deflateInit2(z, 6, Z_DEFLATED, 11, 1, Z_DEFAULT_STRATEGY) != Z_OK);
        BUG_ON(deflateSetDictionary(z, (const Bytef *)dictionary, DICTIONARY_BYTES) != Z_OK);
        s->has_deflate = true;
    }
    z->next_in = (Bytef *)plain.p;
    z->avail_in = (uInt)plain.len;
    do {
        strbuf_grow(b, 256);
        z->next_out = (Bytef *)b->p + b->len;
        z->avail_out = 256;
        BUG_ON(deflate(z, Z_SYNC_FLUSH) == Z_STREAM_ERROR);
        b->len += 256 - z->avail_out;
        b->p[b->len] = 0;
    } while (!z->avail_out);
}

/* The block's length is known only when it is written. */
static void put_length(struct strbuf *b, size_t start)
{
    size_t len = b->len - start - HEAD_BYTES;
    b->p[start + 5] = (char)(len >> 16);
    b->p[start + 6] = (char)(len >> 8);
    b->p[start + 7] = (char)len;
}

void spdy_write_syn(struct spdy *s, struct strbuf *b, uint32_t stream, bool fin, const struct http_header *headers, size_t nheaders)
{
    size_t start = b->len;
    put_control(b, TYPE_SYN, fin ? FLAG_FIN : 0, 0);
    put_u32(b, stream);
    put_u32(b, 0);
    strbuf_add(b, "\0\0", 2);
    pack(s, b, headers, nheaders);
    put_length(b, start);
}

void spdy_write_reply(struct spdy *s, struct strbuf *b, uint32_t stream, const struct http_header *headers, size_t nheaders)
{
    size_t start = b->len;
    put_control(b, TYPE_REPLY, 0, 0);
    put_u32(b, stream);
    pack(s, b, headers, nheaders);
    put_length(b, start);
}

void spdy_write_data_head(struct strbuf *b, uint32_t stream, bool fin, uint32_t len)
{
    put_u32(b, stream & ID_MASK);
    put_u32(b, (fin ? (uint32_t)FLAG_FIN << 24 : 0) | len);
}

void spdy_write_reset(struct strbuf *b, uint32_t stream, enum spdy_status status)
{
    put_control(b, TYPE_RESET, 0, 8);
    put_u32(b, stream);
    put_u32(b, status);
}

void spdy_write_ping(struct strbuf *b, uint32_t id)
{
    put_control(b, TYPE_PING, 0, 4);
    put_u32(b, id);
}

void spdy_write_goaway(struct strbuf *b, uint32_t last_stream)
{
    put_control(b, TYPE_GOAWAY, 0, 8);
    put_u32(b, last_stream);
    put_u32(b, 0);
}
