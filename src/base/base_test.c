/* SPDX-License-Identifier: Apache-2.0 */
#include "base/arena.h"
#include "base/civil.h"
#include "base/log.h"
#include "base/map.h"
#include "base/test.h"
#include "base/vec.h"

TEST(str_numbers)
{
    int64_t i;
    T_OK(str_to_i64(S("-9223372036854775808"), &i) && i == INT64_MIN);
    T_OK(!str_to_i64(S("9223372036854775808"), &i));
    T_OK(!str_to_i64(S(""), &i));
    T_OK(!str_to_i64(S("1x"), &i));
    bool b;
    T_OK(str_to_bool(S("True"), &b) && b);
    T_OK(!str_to_bool(S("yes"), &b));
}

TEST(str_cut_walks_a_list)
{
    str s = S("a,b,,c"), head;
    int n = 0;
    bool more = true;
    while (more) {
        more = str_cut(&s, ',', &head);
        n++;
    }
    T_EQ_INT(n, 4);
    T_EQ_STR(head, "c");
}

TEST(utf8_is_checked)
{
    T_OK(str_is_utf8(S("gr\xc3\xbc\xc3\x9f \xf0\x9f\x9a\xa3")));
    T_OK(!str_is_utf8(S("\xc0\x80")));
    T_OK(!str_is_utf8(S("\xed\xa0\x80")));
    T_OK(!str_is_utf8(S("\xf4\x90\x80\x80")));
    T_OK(!str_is_utf8(S("abc\xc3")));
}

TEST(strbuf_splices)
{
    ARENA_AUTO a = ARENA_INIT;
    struct strbuf b = strbuf_on(&a);
    strbuf_addf(&b, "rev=%s;", "");
    strbuf_splice(&b, 4, 0, S("12345678901234567890"));
    T_EQ_STR(strbuf_str(&b), "rev=12345678901234567890;");
    strbuf_splice(&b, 4, 20, S("7"));
    T_EQ_STR(strbuf_str(&b), "rev=7;");
}

/* What libc prints, whichever way it is made; the text before it stays, and both kinds of memory grow. */
#define FORMATS_AS_LIBC(...)                                                                                            \
    do {                                                                                                                \
        char want_[512];                                                                                                \
        int n_ = snprintf(want_, sizeof want_, __VA_ARGS__);                                                            \
        ARENA_AUTO a_ = ARENA_INIT;                                                                                     \
        STRBUF_AUTO on_heap_ = STRBUF_HEAP;                                                                             \
        struct strbuf on_arena_ = strbuf_on(&a_);                                                                       \
        strbuf_addf(&on_heap_, __VA_ARGS__);                                                                            \
        strbuf_add_str(&on_arena_, S("before "));                                                                       \
        strbuf_addf(&on_arena_, __VA_ARGS__);                                                                           \
        T_OK(str_eq(strbuf_str(&on_heap_), str_n(want_, (size_t)n_)));                                                  \
        T_OK(str_eq(str_from(strbuf_str(&on_arena_), 7), str_n(want_, (size_t)n_)));                                    \
        T_EQ_STR(arena_fmt(&a_, __VA_ARGS__), want_);                                                                   \
    } while (0)

TEST(formats_are_those_of_libc)
{
    static const char long_text[] = "a text that is longer than what a buffer begins with, so that it grows while it is written, and more than once";
    static const char ends_early[] = "ends\0here";
    static const char *volatile none;
    static const char no_nul[4] = {'a', 'b', 'c', 'd'};
    FORMATS_AS_LIBC("plain");
    FORMATS_AS_LIBC("%s", "");
    FORMATS_AS_LIBC("%s/%s", long_text, long_text);
    FORMATS_AS_LIBC("<%.*s>", 4, no_nul);
    FORMATS_AS_LIBC("<%.*s|%.*s|%.*s>", 9, ends_early, 0, none, -1, "all of it");
    FORMATS_AS_LIBC("%d %d %d", 0, INT32_MIN, INT32_MAX);
    FORMATS_AS_LIBC("%u %u", 0u, UINT32_MAX);
    FORMATS_AS_LIBC("%ld %lld %zd", (long)INT64_MIN, (long long)INT64_MAX, (ssize_t)-1);
    FORMATS_AS_LIBC("%lu %llu %zu", (unsigned long)UINT64_MAX, 18446744073709551615ull, (size_t)12);
    FORMATS_AS_LIBC("%c%c%%", 'x', '\n');
    FORMATS_AS_LIBC("%s %02d %s", "first", 7, long_text); /* the second is libc's, and so is all */
    FORMATS_AS_LIBC("%s=%.3f %x %5s|%-5s| %#llx", "x", 1.5, 255u, "r", "l", 255ull);
    FORMATS_AS_LIBC("%hhd %hu %td", 3, 4u, (ptrdiff_t)5);
}

TEST(map_matches_a_naive_model)
{
    struct map m = MAP_INIT;
    static char keys[500][8];
    bool in[500] = {false};
    struct rng r;
    rng_seed(&r, 1);
    for (int i = 0; i < 500; i++)
        snprintf(keys[i], sizeof keys[i], "k%d", i);
    for (int step = 0; step < 20000; step++) {
        size_t k = rng_below(&r, 500);
        if (rng_below(&r, 2)) {
            T_OK((map_put(&m, str_of(keys[k]), keys[k]) != NULL) == in[k]);
            in[k] = true;
        } else {
            T_OK((map_del(&m, str_of(keys[k])) != NULL) == in[k]);
            in[k] = false;
        }
    }
    size_t n = 0;
    for (int i = 0; i < 500; i++) {
        T_OK(map_has(&m, str_of(keys[i])) == in[i]);
        n += in[i];
    }
    T_EQ_INT(m.len, n);
    map_foreach(e, &m) T_OK(e->value == e->key.p);
    map_fini(&m);
}

TEST(civil_round_trips)
{
    char out[CIVIL_MICRO_LEN + 1];
    nsec_t t;
    T_OK(civil_parse(S("2024-02-29T23:59:59.123456789+02:00"), &t));
    civil_format_micro(t, out);
    T_EQ_STR(str_of(out), "2024-02-29T21:59:59.123456Z");
    civil_format(0, out);
    T_EQ_STR(str_of(out), "1970-01-01T00:00:00Z");
    T_OK(!civil_parse(S("2023-02-29T00:00:00Z"), &t));
    /* beyond what nanoseconds can say: far away, in the right direction */
    T_OK(civil_parse(S("0001-01-01T00:00:00+99:59"), &t) && t < -9000000000ll * NSEC_PER_SEC);
    T_OK(civil_parse(S("9999-12-31T23:59:59.999999999-99:59"), &t) && t > 9000000000ll * NSEC_PER_SEC);
    T_OK(!civil_parse(S("2023-01-01T00:00:00"), &t));
}

TEST(human_durations_look_like_kubectl)
{
    static const struct {
        int64_t seconds;
        const char *want;
    } cases[] = {{0, "0s"},       {119, "119s"},   {120, "2m"},      {125, "2m5s"},   {3600, "60m"},       {3 * 3600 + 60, "3h1m"},
                 {86400, "24h"},  {49 * 3600, "2d1h"}, {9 * 86400, "9d"}, {-5, "<invalid>"}, {800 * 86400ll, "2y70d"}};
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        char out[24];
        civil_human_duration(cases[i].seconds * NSEC_PER_SEC, out);
        T_EQ_STR(str_of(out), cases[i].want);
    }
}

TEST(arena_keeps_what_it_gave)
{
    ARENA_AUTO a = ARENA_INIT;
    VEC(char *) all = {0};
    for (int i = 0; i < 3000; i++) {
        char *p = arena_alloc(&a, (size_t)i % 97 + 1);
        memset(p, i & 0xff, (size_t)i % 97 + 1);
        vec_push(&all, p);
    }
    for (int i = 0; i < 3000; i++)
        T_EQ_INT((unsigned char)all.p[i][i % 97], i & 0xff);
    arena_reset(&a);
    T_EQ_INT(arena_bytes(&a), 0);
    vec_fini(&all);
}

TEST(errors_wrap_and_map_to_http)
{
    struct err err = ERR_NONE;
    T_EQ_INT(err_set(&err, E_NOT_FOUND, "pods \"%s\" not found", "x"), -E_NOT_FOUND);
    T_EQ_INT(err_wrap(&err, "cannot bind: "), -E_NOT_FOUND);
    T_EQ_STR(str_of(err.msg), "cannot bind: pods \"x\" not found");
    T_EQ_INT(err_http_status(err.code), 404);
    T_EQ_STR(str_of(err_reason(err.code)), "NotFound");
}

TEST_MAIN(str_numbers, str_cut_walks_a_list, utf8_is_checked, strbuf_splices, formats_are_those_of_libc, map_matches_a_naive_model, civil_round_trips,
          human_durations_look_like_kubectl, arena_keeps_what_it_gave, errors_wrap_and_map_to_http)
