/* SPDX-License-Identifier: Apache-2.0 */
#include "client/h1_answer.h"

#include "base/test.h"

/* Feeds `text` in pieces of n bytes: "200[body]" for each answer, "!why" at the end when it is bad. */
static void feed(struct strbuf *out, str text, size_t n, bool is_head, bool eof)
{
    struct h1_answer *a = xnew(struct h1_answer);
    h1_answer_reset(a, is_head);
    bool over = false;
    while (!over) {
        str piece = str_sub(text, 0, n);
        text = str_from(text, piece.len);
        enum h1_answer_step step = H1_ANSWER_MORE;
        do {
            size_t used;
            str data = S("");
            step = h1_answer_step(a, piece, &used, &data);
            piece = str_from(piece, used);
            if (step == H1_ANSWER_HEAD) {
                strbuf_addf(out, "%d[", a->status);
            } else if (step == H1_ANSWER_DATA) {
                strbuf_add_str(out, data);
            } else if (step == H1_ANSWER_DONE) {
                strbuf_addf(out, "]%s", a->keep_alive ? "" : "x");
                over = !a->keep_alive || (!piece.len && !text.len);
                h1_answer_reset(a, is_head);
            } else if (step == H1_ANSWER_BAD) {
                strbuf_addf(out, "!%s", a->why);
                over = true;
            }
        } while (!over && step != H1_ANSWER_MORE);
        if (!over && !text.len) {
            if (eof)
                strbuf_addf(out, "%s", h1_answer_eof(a) == H1_ANSWER_DONE ? "]eof" : a->why);
            over = true;
        }
    }
    h1_answer_fini(a);
    free(a);
}

static void check(const char *text, bool is_head, const char *want)
{
    static const size_t sizes[] = {1, 2, 3, 7, 1000000};
    for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
        STRBUF_AUTO got = STRBUF_HEAP;
        feed(&got, str_of(text), sizes[i], is_head, true);
        T_EQ_STR(strbuf_str(&got), want);
    }
}

TEST(framings)
{
    check("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", false, "200[hello]");
    check("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", false, "200[]");
    check("HTTP/1.1 204 No Content\r\n\r\nHTTP/1.1 404 No\r\ncontent-length: 2\r\nContent-Length: 2\r\n\r\nno", false, "204[]404[no]");
    check("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early\r\nLink: x\r\n\r\nHTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n4;x=y\r\ndefg\r\n0\r\n\r\n",
          false, "201[abcdefg]");
    check("HTTP/1.1 200 OK\r\n\r\nuntil the end", false, "200[until the end]eof");
    check("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 1\r\n\r\nxyz", false, "200[x]x");
    check("HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\nxyz", false, "200[x]x");
    check("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", true, "200[]");
    check("HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\n", false, "101[]x");
}

TEST(a_bare_newline_ends_a_line)
{
    check("HTTP/1.1 200 OK\r\nContent-Type: text/plain\n\nfrom a script", false, "200[from a script]eof");
    check("HTTP/1.1 200 OK\nContent-Length: 2\n\nab", false, "200[ab]");
    check("HTTP/1.1 200 OK\nContent-Length: 2\n\r\n\n\n", false, "200[\n\n]");
    check("HTTP/1.1 204 None\n\nHTTP/1.1 204 None\r\n\r\n", false, "204[]204[]");
    check("HTTP/1.1 200 OK\r\nX: a\rb\r\n\r\n", false, "!a header line is malformed");
    check("\n\n", false, "!no status line (is it an HTTPS server?)");
}

TEST(bad_answers)
{
    check("SSH-2.0-OpenSSH_9\r\n\r\n", false, "!no status line (is it an HTTPS server?)");
    check("HTTP/1.1 2x0 OK\r\n\r\n", false, "!no status line (is it an HTTPS server?)");
    check("HTTP/1.1 200 OK\r\nno colon\r\n\r\n", false, "!a header line is malformed");
    check("HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", false, "!its Content-Length is no number");
    check("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", false, "!it has two Content-Lengths");
    check("HTTP/1.1 200 OK\r\nTransfer-Encoding: br\r\n\r\n", false, "!its transfer coding is unknown");
    check("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel", false, "200[helthe connection was closed before the answer was complete");
    check("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nab", false, "200[abthe connection was closed before the answer was complete");
    check("HTTP/1.1 20", false, "the connection was closed before the answer was complete");
    check("", false, "the connection was closed without an answer");
    STRBUF_AUTO got = STRBUF_HEAP;
    feed(&got, S("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"), 100, false, false);
    T_OK(str_has_prefix(strbuf_str(&got), S("200[!")));
}

TEST(heads_are_bounded)
{
    STRBUF_AUTO text = STRBUF_HEAP;
    STRBUF_AUTO got = STRBUF_HEAP;
    strbuf_add_str(&text, S("HTTP/1.1 200 OK\r\n"));
    for (int i = 0; i < LIMIT_HEADER_COUNT + 1; i++)
        strbuf_addf(&text, "X-%d: y\r\n", i);
    strbuf_add_str(&text, S("\r\n"));
    feed(&got, strbuf_str(&text), 100, false, true);
    T_EQ_STR(strbuf_str(&got), "!it has too many headers");
    strbuf_clear(&text);
    strbuf_clear(&got);
    strbuf_add_str(&text, S("HTTP/1.1 200 OK\r\nX: "));
    for (size_t i = 0; i < LIMIT_HEADER_BYTES; i++)
        strbuf_add_char(&text, 'x');
    feed(&got, strbuf_str(&text), 1000, false, true);
    T_EQ_STR(strbuf_str(&got), "!its head is too long");
}

TEST(headers_are_found)
{
    struct h1_answer *a = xnew(struct h1_answer);
    h1_answer_reset(a, false);
    T_OK(!h1_answer_has_begun(a));
    size_t used;
    str data;
    str text = S("HTTP/1.1 200 OK\r\nX-One:  a b \r\nRETRY-After: 7\r\nContent-Length: 3\r\n\r\nabc");
    T_EQ_INT(h1_answer_step(a, text, &used, &data), H1_ANSWER_HEAD);
    T_OK(h1_answer_has_begun(a));
    T_EQ_INT(used, text.len - 3);
    T_EQ_STR(h1_answer_header(a, S("x-one")), "a b");
    T_EQ_STR(h1_answer_header(a, S("retry-after")), "7");
    T_EQ_STR(h1_answer_header(a, S("x-two")), "");
    T_OK(a->has_length && a->length == 3);
    h1_answer_fini(a);
    free(a);
}

TEST_MAIN(framings, a_bare_newline_ends_a_line, bad_answers, heads_are_bounded, headers_are_found)
