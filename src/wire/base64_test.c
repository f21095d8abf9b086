/* SPDX-License-Identifier: Apache-2.0 */
#include "wire/base64.h"

#include "base/test.h"

TEST(known_texts)
{
    static const struct {
        str bytes;
        const char *want[4]; /* by enum base64_kind */
    } cases[] = {
        {STR_INIT(""), {"", "", "", ""}},
        {STR_INIT("f"), {"Zg==", "Zg", "Zg==", "Zg"}},
        {STR_INIT("fo"), {"Zm8=", "Zm8", "Zm8=", "Zm8"}},
        {STR_INIT("foo"), {"Zm9v", "Zm9v", "Zm9v", "Zm9v"}},
        {STR_INIT("foobar"), {"Zm9vYmFy", "Zm9vYmFy", "Zm9vYmFy", "Zm9vYmFy"}},
        {STR_INIT("\xfb\xff\xfe"), {"+//+", "+//+", "-__-", "-__-"}},
        {STR_INIT("\0\0"), {"AAA=", "AAA", "AAA=", "AAA"}},
        {STR_INIT("\xff"), {"/w==", "/w", "_w==", "_w"}},
    };
    ARENA_AUTO a = ARENA_INIT;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        for (enum base64_kind kind = BASE64_STD; kind <= BASE64_URL_RAW; kind++) {
            T_EQ_STR(base64_encode(&a, kind, cases[i].bytes), cases[i].want[kind]);
            str back = STR_NONE;
            struct err err = ERR_NONE;
            T_NO_ERR(base64_decode(&a, kind, str_of(cases[i].want[kind]), &back, &err), &err);
            T_OK(str_eq(back, cases[i].bytes));
        }
    }
}

TEST(strict)
{
    static const struct {
        enum base64_kind kind;
        const char *text, *want;
    } cases[] = {
        {BASE64_STD, "Zg", "illegal base64 data at input byte 2"},
        {BASE64_STD, "Zg=", "illegal base64 data at input byte 3"},
        {BASE64_STD, "Zg===", "illegal base64 data at input byte 5"},
        {BASE64_STD, "====", "illegal base64 data at input byte 0"},
        {BASE64_STD, "Zm9v====", "illegal base64 data at input byte 4"},
        {BASE64_STD, "Zm=v", "illegal base64 data at input byte 2"},
        {BASE64_STD, "Z===", "illegal base64 data at input byte 1"},
        {BASE64_STD, "Zm9\n", "illegal base64 data at input byte 3"},
        {BASE64_STD, "Zm 9", "illegal base64 data at input byte 2"},
        {BASE64_STD, "-__-", "illegal base64 data at input byte 0"},
        {BASE64_URL, "+//+", "illegal base64 data at input byte 0"},
        {BASE64_STD, "Zh==", "illegal base64 data at input byte 1"},
        {BASE64_STD, "Zm9=", "illegal base64 data at input byte 2"},
        {BASE64_URL_RAW, "Z", "illegal base64 data at input byte 1"},
        {BASE64_URL_RAW, "Zg==", "illegal base64 data at input byte 2"},
        {BASE64_URL_RAW, "Zh", "illegal base64 data at input byte 1"},
        {BASE64_URL_RAW, "Zm9v\x80", "illegal base64 data at input byte 5"},
    };
    ARENA_AUTO a = ARENA_INIT;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        str back = STR_NONE;
        struct err err = ERR_NONE;
        T_ERR(base64_decode(&a, cases[i].kind, str_of(cases[i].text), &back, &err), E_PARSE);
        T_EQ_STR(str_of(err.msg), cases[i].want);
        T_OK(back.p == NULL);
    }
}

TEST(every_length_round_trips)
{
    ARENA_AUTO a = ARENA_INIT;
    char bytes[300];
    for (size_t n = 0; n <= sizeof bytes; n++) {
        for (size_t i = 0; i < n; i++)
            bytes[i] = (char)(i * 151 + n * 7);
        for (enum base64_kind kind = BASE64_STD; kind <= BASE64_URL_RAW; kind++) {
            str back = STR_NONE;
            struct err err = ERR_NONE;
            T_NO_ERR(base64_decode(&a, kind, base64_encode(&a, kind, str_n(bytes, n)), &back, &err), &err);
            T_OK(str_eq(back, str_n(bytes, n)));
        }
    }
}

TEST_MAIN(known_texts, strict, every_length_round_trips)
