/* SPDX-License-Identifier: Apache-2.0 */
/* Answers of a server, one after another, in pieces whose size the first byte gives.  What is seen must not depend on the pieces. */
#include "client/h1_answer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define INPUT_MAX 8192 /* more only makes it slow */

struct seen {
    uint64_t hash;
    size_t answers;
    bool bad;
};

static void note(struct seen *s, str text)
{
    for (size_t i = 0; i < text.len; i++)
        s->hash = (s->hash ^ (uint8_t)text.p[i]) * 1099511628211u;
}

static void note_head(struct seen *s, const struct h1_answer *a)
{
    BUG_ON(a->status < 101 || a->status > 999 || (a->status < 200 && a->status != 101) || a->nheaders > LIMIT_HEADER_COUNT);
    s->hash = (s->hash ^ (unsigned)a->status) * 1099511628211u;
    for (size_t i = 0; i < a->nheaders; i++) {
        BUG_ON(!http_is_token(a->headers[i].name) || memchr(a->headers[i].value.p, '\n', a->headers[i].value.len));
        note(s, a->headers[i].name);
        note(s, a->headers[i].value);
    }
}

/* One piece; false: no more can come. */
static bool feed(struct h1_answer *a, struct seen *s, str piece, bool is_head)
{
    for (;;) {
        size_t used = 0;
        str part = S("");
        enum h1_answer_step step = h1_answer_step(a, piece, &used, &part);
        BUG_ON(used > piece.len || (step == H1_ANSWER_MORE && used != piece.len));
        BUG_ON(part.len && (part.p < piece.p || part.p + part.len > piece.p + piece.len));
        piece = str_from(piece, used);
        if (step == H1_ANSWER_MORE)
            return true;
        if (step == H1_ANSWER_BAD) {
            BUG_ON(!a->why);
            s->bad = true;
            return false;
        }
        if (step == H1_ANSWER_HEAD)
            note_head(s, a);
        note(s, part);
        if (step == H1_ANSWER_DONE) {
            s->answers++;
            if (!a->keep_alive)
                return false;
            h1_answer_reset(a, is_head);
            if (!piece.len)
                return true;
        }
    }
}

static struct seen read_all(str in, size_t step, bool is_head)
{
    struct seen s = {.hash = 14695981039346656037u};
    struct h1_answer *a = xnew(struct h1_answer);
    h1_answer_reset(a, is_head);
    bool more = true;
    while (in.len && more) {
        str piece = str_sub(in, 0, step);
        in = str_from(in, piece.len);
        more = feed(a, &s, piece, is_head);
    }
    if (more)
        s.answers += h1_answer_eof(a) == H1_ANSWER_DONE;
    h1_answer_fini(a);
    free(a);
    return s;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2 || size > INPUT_MAX)
        return 0;
    str in = str_n((const char *)data + 1, size - 1);
    bool is_head = data[0] & 0x80;
    struct seen whole = read_all(in, in.len, is_head), pieces = read_all(in, 1 + data[0] % 32, is_head);
    BUG_ON(whole.hash != pieces.hash || whole.answers != pieces.answers || whole.bad != pieces.bad);
    return 0;
}
