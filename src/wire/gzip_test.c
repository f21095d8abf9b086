/* SPDX-License-Identifier: Apache-2.0 */
#include "wire/gzip.h"

#include "base/test.h"

TEST(pieces_come_back)
{
    STRBUF_AUTO text = STRBUF_HEAP;
    for (int i = 0; i < 20000; i++)
        strbuf_addf(&text, "{\"name\":\"pod-%d\",\"uid\":\"%d\"},", i, i * 7919);
    str all = strbuf_str(&text);
    str pieces[] = {str_sub(all, 0, 5), S(""), str_sub(all, 5, 70000), str_from(all, 70000)};
    STRBUF_AUTO small = STRBUF_HEAP;
    gzip_compress(pieces, ARRAY_LEN(pieces), &small);
    T_OK(small.len < all.len / 3);
    STRBUF_AUTO back = STRBUF_HEAP;
    T_OK(gzip_expand(strbuf_str(&small), all.len, &back));
    T_OK(str_eq(strbuf_str(&back), all));
    strbuf_clear(&back);
    T_OK(!gzip_expand(strbuf_str(&small), all.len - 1, &back));
    strbuf_clear(&back);
    T_OK(!gzip_expand(str_sub(strbuf_str(&small), 0, small.len - 9), all.len, &back));
    strbuf_clear(&back);
    T_OK(!gzip_expand(S("not gzip"), 100, &back));
}

TEST(nothing_is_still_a_stream)
{
    STRBUF_AUTO small = STRBUF_HEAP;
    STRBUF_AUTO back = STRBUF_HEAP;
    gzip_compress(NULL, 0, &small);
    T_OK(small.len > 0);
    T_OK(gzip_expand(strbuf_str(&small), 0, &back));
    T_EQ_INT(back.len, 0);
}

TEST(accept_encoding)
{
    T_OK(gzip_is_accepted(S("gzip")));
    T_OK(gzip_is_accepted(S("deflate, GZIP;q=0.5")));
    T_OK(gzip_is_accepted(S("br, *")));
    T_OK(!gzip_is_accepted(S("")));
    T_OK(!gzip_is_accepted(S("identity")));
    T_OK(!gzip_is_accepted(S("gzip;q=0")));
    T_OK(!gzip_is_accepted(S("gzip; q=0.00, deflate")));
    T_OK(!gzip_is_accepted(S("xgzip")));
}

TEST_MAIN(pieces_come_back, nothing_is_still_a_stream, accept_encoding)
