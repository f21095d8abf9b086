/* SPDX-License-Identifier: Apache-2.0 */
/*   0                   1                   2                   3
 *   |F|R R R| opcode |M| length 7 | length 16 or 64, when 126 or 127 | mask key, when M | payload
 */
#include "wire/websocket.h"

#include <openssl/evp.h>

enum { ST_HEAD, ST_PAYLOAD, ST_OVER };
#define CLOSE_PROTOCOL 1002
#define CLOSE_NONE 1005
#define CLOSE_UTF8 1007
#define CLOSE_TOO_BIG 1009

static enum websocket_result bad(struct websocket *ws, struct websocket_event *ret, int code, const char *why)
{
    ws->state_ = ST_OVER;
    *ret = (struct websocket_event){.close_code = code, .why = why};
    return WS_BAD;
}

static bool is_control(uint8_t opcode)
{
    return opcode >= WS_CLOSE;
}
static uint8_t frame_opcode(const struct websocket *ws)
{
    return ws->head_[0] & 15;
}
static bool frame_fin(const struct websocket *ws)
{
    return ws->head_[0] & 0x80;
}

static size_t head_size(const struct websocket *ws)
{
    if (ws->head_len_ < 2)
        return 2;
    uint8_t len7 = ws->head_[1] & 127;
    return 2u + (len7 == 126 ? 2u : len7 == 127 ? 8u : 0u) + (ws->head_[1] & 0x80 ? 4u : 0u);
}

static uint64_t big_endian(const uint8_t *p, size_t n)
{
    uint64_t v = 0;
    for (size_t i = 0; i < n; i++)
        v = v << 8 | p[i];
    return v;
}

/* NULL: the length is fine and in left_. */
static const char *head_length(struct websocket *ws)
{
    uint8_t len7 = ws->head_[1] & 127;
    ws->left_ = len7 == 126 ? big_endian(ws->head_ + 2, 2) : len7 == 127 ? big_endian(ws->head_ + 2, 8) : len7;
    if ((len7 == 126 && ws->left_ < 126) || (len7 == 127 && ws->left_ < 65536) || ws->left_ >> 63)
        return "the frame's length is not written in its shortest form";
    return NULL;
}

static const char *head_check(struct websocket *ws)
{
    uint8_t op = frame_opcode(ws);
    if (ws->head_[0] & 0x70)
        return "a reserved bit is set";
    if (((ws->head_[1] & 0x80) != 0) != ws->is_server)
        return ws->is_server ? "a client's frame must be masked" : "a server's frame must not be masked";
    if ((op > WS_BINARY && op < WS_CLOSE) || op > WS_PONG)
        return "the opcode is not known";
    if (is_control(op))
        return !frame_fin(ws) || (ws->head_[1] & 127) > WS_CONTROL_MAX ? "a control frame is fragmented or too long" : NULL;
    if ((op == WS_CONTINUATION) != (ws->message_ != 0))
        return ws->message_ ? "a message begins inside another" : "there is no message to continue";
    return NULL;
}

static enum websocket_result frame_begin(struct websocket *ws, struct websocket_event *ret)
{
    const char *why = head_check(ws);
    if (!why)
        why = head_length(ws);
    if (why)
        return bad(ws, ret, CLOSE_PROTOCOL, why);
    uint8_t op = frame_opcode(ws);
    ws->at_ = 0;
    ws->state_ = ST_PAYLOAD;
    if (is_control(op)) {
        ws->control_len_ = 0;
        return WS_MORE;
    }
    if (op != WS_CONTINUATION) {
        ws->message_ = op;
        ws->size_ = 0;
        ws->utf8_left_ = 0;
    }
    if (ws->max_message && (ws->left_ > ws->max_message || ws->size_ > ws->max_message - ws->left_))
        return bad(ws, ret, CLOSE_TOO_BIG, "the message is too large");
    ws->size_ += ws->left_;
    return WS_MORE;
}

/* --- text must be UTF-8, across pieces ------------------------------------------------------------------ */

static bool utf8_lead(struct websocket *ws, uint8_t c)
{
    if (c < 0x80)
        return true;
    int more = c >= 0xf0 && c < 0xf5 ? 3 : c >= 0xe0 && c < 0xf0 ? 2 : c >= 0xc2 && c < 0xe0 ? 1 : 0;
    static const uint32_t least[] = {0, 0x80, 0x800, 0x10000};
    ws->utf8_left_ = (uint8_t)more;
    ws->utf8_ = c & (0x3fu >> more);
    ws->utf8_min_ = least[more];
    return more > 0;
}

static bool utf8_add(struct websocket *ws, str s)
{
    for (size_t i = 0; i < s.len; i++) {
        uint8_t c = (uint8_t)s.p[i];
        if (!ws->utf8_left_) {
            if (!utf8_lead(ws, c))
                return false;
            continue;
        }
        if ((c & 0xc0) != 0x80)
            return false;
        ws->utf8_ = ws->utf8_ << 6 | (c & 0x3f);
        bool whole = --ws->utf8_left_ == 0;
        if (whole && (ws->utf8_ < ws->utf8_min_ || ws->utf8_ > 0x10ffff || (ws->utf8_ >= 0xd800 && ws->utf8_ < 0xe000)))
            return false;
    }
    return true;
}

/* --- payloads --------------------------------------------------------------------------------------------- */

static bool close_code_ok(int code)
{
    return (code >= 1000 && code <= 1014 && code != 1004 && code != 1005 && code != 1006) || (code >= 3000 && code <= 4999);
}

static enum websocket_result close_end(struct websocket *ws, struct websocket_event *ret)
{
    str payload = str_n(ws->control_, ws->control_len_);
    int code = payload.len >= 2 ? (int)big_endian((const uint8_t *)payload.p, 2) : CLOSE_NONE;
    if (payload.len == 1 || (payload.len && !close_code_ok(code)))
        return bad(ws, ret, CLOSE_PROTOCOL, "the close code is not valid");
    str reason = str_from(payload, 2);
    if (!str_is_utf8(reason))
        return bad(ws, ret, CLOSE_UTF8, "the close reason is not UTF-8");
    ws->state_ = ST_OVER;
    *ret = (struct websocket_event){.opcode = WS_CLOSE, .payload = reason, .close_code = code};
    return WS_GOT_CLOSE;
}

static enum websocket_result control_piece(struct websocket *ws, str piece, struct websocket_event *ret)
{
    memcpy(ws->control_ + ws->control_len_, piece.p, piece.len);
    ws->control_len_ = (uint8_t)(ws->control_len_ + piece.len);
    if (ws->left_)
        return WS_MORE;
    ws->state_ = ST_HEAD;
    ws->head_len_ = 0;
    uint8_t op = frame_opcode(ws);
    if (op == WS_CLOSE)
        return close_end(ws, ret);
    *ret = (struct websocket_event){.opcode = op, .payload = str_n(ws->control_, ws->control_len_)};
    return op == WS_PING ? WS_GOT_PING : WS_GOT_PONG;
}

static enum websocket_result data_piece(struct websocket *ws, str piece, struct websocket_event *ret)
{
    bool end = !ws->left_ && frame_fin(ws);
    if (ws->message_ == WS_TEXT && (!utf8_add(ws, piece) || (end && ws->utf8_left_)))
        return bad(ws, ret, CLOSE_UTF8, "a text message is not UTF-8");
    *ret = (struct websocket_event){.opcode = ws->message_, .payload = piece, .message_end = end};
    if (!ws->left_) {
        ws->state_ = ST_HEAD;
        ws->head_len_ = 0;
    }
    if (end)
        ws->message_ = 0;
    return piece.len || end ? WS_GOT_PIECE : WS_MORE;
}

static enum websocket_result payload_step(struct websocket *ws, char *buf, size_t len, size_t *used, struct websocket_event *ret)
{
    size_t n = (size_t)MIN((uint64_t)len, ws->left_);
    if (ws->is_server)
        websocket_mask(buf, n, ws->head_ + head_size(ws) - 4, ws->at_);
    ws->at_ += n;
    ws->left_ -= n;
    *used += n;
    str piece = str_n(buf, n);
    return is_control(frame_opcode(ws)) ? control_piece(ws, piece, ret) : data_piece(ws, piece, ret);
}

enum websocket_result websocket_step(struct websocket *ws, char *buf, size_t len, size_t *ret_used, struct websocket_event *ret)
{
    size_t used = 0;
    enum websocket_result r = WS_MORE;
    while (r == WS_MORE && ws->state_ == ST_HEAD && used < len) {
        ws->head_[ws->head_len_++] = (uint8_t)buf[used++];
        if (ws->head_len_ >= 2 && ws->head_len_ == head_size(ws))
            r = frame_begin(ws, ret);
    }
    /* a frame without payload is complete with its head */
    if (r == WS_MORE && ws->state_ == ST_PAYLOAD && (used < len || !ws->left_))
        r = payload_step(ws, buf + used, len - used, &used, ret);
    if (ws->state_ == ST_OVER && r == WS_MORE)
        used = len;
    *ret_used = used;
    return r;
}

void websocket_mask(char *p, size_t len, const uint8_t mask[4], uint64_t at)
{
    for (size_t i = 0; i < len; i++)
        p[i] = (char)((uint8_t)p[i] ^ mask[(at + i) & 3]);
}

/* --- writing -------------------------------------------------------------------------------------------------- */

size_t websocket_head(char out[WS_HEAD_MAX], enum websocket_opcode opcode, bool fin, uint64_t len, const uint8_t mask[4])
{
    size_t n = 2, bytes = len < 126 ? 0 : len < 65536 ? 2 : 8;
    out[0] = (char)((fin ? 0x80 : 0) | opcode);
    out[1] = (char)((mask ? 0x80 : 0) | (bytes == 0 ? (int)len : bytes == 2 ? 126 : 127));
    while (bytes)
        out[n++] = (char)(len >> (8 * --bytes));
    if (mask) {
        memcpy(out + n, mask, 4);
        n += 4;
    }
    return n;
}

size_t websocket_close_payload(char out[WS_CONTROL_MAX], int code, str reason)
{
    reason = str_sub(reason, 0, WS_CONTROL_MAX - 2);
    while (reason.len && !str_is_utf8(reason)) /* a character was cut */
        reason.len--;
    out[0] = (char)(code >> 8);
    out[1] = (char)code;
    memcpy(out + 2, reason.p, reason.len);
    return reason.len + 2;
}

bool websocket_accept(str key, char out[WS_ACCEPT_LEN + 1])
{
    static const char guid[] = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"; /* RFC 6455, 1.3 */
    unsigned char raw[18], digest[EVP_MAX_MD_SIZE];
    char text[24 + sizeof guid];
    unsigned digest_len;
    if (key.len != 24 || !str_has_suffix(key, S("==")) || EVP_DecodeBlock(raw, (const unsigned char *)key.p, 24) != 18)
        return false;
    memcpy(text, key.p, 24);
    memcpy(text + 24, guid, sizeof guid - 1);
    if (!EVP_Digest(text, 24 + sizeof guid - 1, digest, &digest_len, EVP_sha1(), NULL))
        return false;
    EVP_EncodeBlock((unsigned char *)out, digest, (int)digest_len);
    return true;
}
