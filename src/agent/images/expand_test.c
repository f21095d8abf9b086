/* expand_test.c - packed bytes in pieces of any size come out plain; what is damaged, cut or too large is refused. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/images/expand.h"

#include <zstd.h>

#include "base/test.h"
#include "wire/gzip.h"

#define MANY (1u << 20)

static int collect(void *arg, str bytes, struct err *err UNUSED)
{
    strbuf_add_str(arg, bytes);
    return 0;
}

static int run(str packed, size_t step, uint64_t max_bytes, struct strbuf *out, struct err *err)
{
    CLEANUP(expand_free) struct expand *x = expand_new(&(struct expand_opts){.what = "layer", .max_bytes = max_bytes, .sink = collect, .arg = out});
    int r = 0;
    strbuf_clear(out);
    for (size_t at = 0; r == 0 && at < packed.len; at += step)
        r = expand_feed(x, str_sub(packed, at, MIN(at + step, packed.len)), err);
    return r < 0 ? r : expand_finish(x, err);
}

static void add_zstd(struct strbuf *b, str plain, int window_log)
{
    CLEANUP(free) char *room = xmalloc(ZSTD_compressBound(plain.len));
    ZSTD_CCtx *c = ZSTD_createCCtx();
    if (window_log)
        T_OK(!ZSTD_isError(ZSTD_CCtx_setParameter(c, ZSTD_c_windowLog, window_log)));
    T_OK(!ZSTD_isError(ZSTD_CCtx_setParameter(c, ZSTD_c_checksumFlag, 1)));
    /* As a stream: without the content's size in the header the window says how much memory a reader needs. */
    ZSTD_inBuffer in = {plain.p, plain.len, 0};
    ZSTD_outBuffer out = {room, ZSTD_compressBound(plain.len), 0};
    T_OK(!ZSTD_isError(ZSTD_compressStream2(c, &out, &in, ZSTD_e_flush)));
    T_EQ_INT(ZSTD_compressStream2(c, &out, &in, ZSTD_e_end), 0);
    strbuf_add(b, room, out.pos);
    ZSTD_freeCCtx(c);
}

/* Half of it repeats and half does not, so that pieces fill up in both ways. */
static struct strbuf some_text(size_t len)
{
    struct strbuf b = STRBUF_HEAP;
    uint32_t x = 1;
    while (b.len < len) {
        x = x * 1664525u + 1013904223u;
        strbuf_add_char(&b, b.len < len / 2 ? (char)(x >> 24) : 'a');
    }
    return b;
}

TEST(every_coding_in_any_pieces)
{
    STRBUF_AUTO text = some_text(MANY);
    str plain = strbuf_str(&text), half = str_sub(plain, 0, MANY / 2), rest = str_from(plain, MANY / 2);
    struct strbuf packed[4] = {STRBUF_HEAP, STRBUF_HEAP, STRBUF_HEAP, STRBUF_HEAP};
    strbuf_add_str(&packed[0], plain);
    gzip_compress(&half, 1, &packed[1]); /* two members, and padding */
    gzip_compress(&rest, 1, &packed[1]);
    strbuf_add(&packed[1], "\0\0\0\0\0\0\0", 7);
    add_zstd(&packed[2], half, 0); /* two frames, and one to be skipped */
    strbuf_add(&packed[2], "\x53\x2a\x4d\x18\x03\0\0\0abc", 11);
    add_zstd(&packed[2], rest, 0);
    strbuf_add(&packed[3], "\x50\x2a\x4d\x18\0\0\0\0", 8); /* one to be skipped comes first */
    add_zstd(&packed[3], plain, 0);
    static const size_t steps[] = {1, 3, 4093, 65536, 4 * MANY};
    STRBUF_AUTO out = STRBUF_HEAP;
    struct err err = ERR_NONE;
    for (size_t k = 0; k < ARRAY_LEN(packed); k++) {
        for (size_t s = 0; s < ARRAY_LEN(steps); s++) {
            T_NO_ERR(run(strbuf_str(&packed[k]), steps[s], MANY, &out, &err), &err);
            T_OK(str_eq(strbuf_str(&out), plain));
        }
        T_ERR(run(strbuf_str(&packed[k]), 4093, MANY - 1, &out, &err), E_TOO_LARGE);
        T_OK(out.len < MANY);
        strbuf_fini(&packed[k]);
    }
}

TEST(short_ones_are_plain)
{
    STRBUF_AUTO out = STRBUF_HEAP;
    struct err err = ERR_NONE;
    static const char *const texts[] = {"", "a", "abc", "\x1f\x8b", "\x28\xb5\x2f"};
    for (size_t k = 0; k < ARRAY_LEN(texts); k++) {
        T_NO_ERR(run(str_of(texts[k]), 1, 10, &out, &err), &err);
        T_EQ_STR(strbuf_str(&out), texts[k]);
    }
}

TEST(cut_and_damaged_are_refused)
{
    STRBUF_AUTO text = some_text(10000);
    str plain = strbuf_str(&text);
    STRBUF_AUTO out = STRBUF_HEAP;
    struct err err = ERR_NONE;
    for (int k = 0; k < 2; k++) {
        STRBUF_AUTO packed = STRBUF_HEAP;
        if (k == 0)
            gzip_compress(&plain, 1, &packed);
        else
            add_zstd(&packed, plain, 0);
        size_t len = packed.len;
        for (size_t cut = EXPAND_MAGIC_BYTES; cut < len; cut += 331)
            T_ERR(run(str_sub(strbuf_str(&packed), 0, cut), 100, MANY, &out, &err), E_CORRUPT);
        T_ERR(run(str_sub(strbuf_str(&packed), 0, len - 1), 100, MANY, &out, &err), E_CORRUPT);
        packed.p[len / 2] ^= 0x10; /* the checksum finds it, if nothing else does */
        T_ERR(run(strbuf_str(&packed), 100, MANY, &out, &err), E_CORRUPT);
        packed.p[len / 2] ^= 0x10;
        strbuf_add_str(&packed, S("and something else"));
        T_ERR(run(strbuf_str(&packed), 100, MANY, &out, &err), E_CORRUPT);
    }
}

/* A few bytes that stand for very many, and a few that ask for very much memory. */
TEST(bombs_are_refused)
{
    struct strbuf zeros = STRBUF_HEAP;
    for (unsigned k = 0; k < 64; k++)
        strbuf_add(&zeros, (const char[4096]){0}, 4096);
    STRBUF_AUTO bomb = STRBUF_HEAP;
    for (int k = 0; k < 1000; k++)
        add_zstd(&bomb, strbuf_str(&zeros), 0);
    STRBUF_AUTO out = STRBUF_HEAP;
    struct err err = ERR_NONE;
    T_ERR(run(strbuf_str(&bomb), bomb.len, MANY, &out, &err), E_TOO_LARGE);
    T_OK(out.len <= MANY);
    STRBUF_AUTO wide = STRBUF_HEAP;
    add_zstd(&wide, S("small"), EXPAND_WINDOW_LOG);
    T_NO_ERR(run(strbuf_str(&wide), 3, MANY, &out, &err), &err);
    T_EQ_STR(strbuf_str(&out), "small");
    strbuf_clear(&wide);
    add_zstd(&wide, S("small"), EXPAND_WINDOW_LOG + 1);
    T_ERR(run(strbuf_str(&wide), 3, MANY, &out, &err), E_TOO_LARGE);
    T_OK(strstr(err.msg, "128 MiB") != NULL);
    strbuf_fini(&zeros);
}

TEST(others_are_named)
{
    STRBUF_AUTO out = STRBUF_HEAP;
    struct err err = ERR_NONE;
    T_ERR(run(S("\xfd" "7zXZ..."), 2, 10, &out, &err), E_INVALID_ARG);
    T_OK(strstr(err.msg, "xz") && strstr(err.msg, "zstd"));
    T_ERR(run(S("BZh91AY"), 2, 10, &out, &err), E_INVALID_ARG);
    T_OK(strstr(err.msg, "bzip2") != NULL);
}

TEST_MAIN(every_coding_in_any_pieces, short_ones_are_plain, cut_and_damaged_are_refused, bombs_are_refused, others_are_named)
