/* SPDX-License-Identifier: Apache-2.0 */
#include "api/quantity.h"

#include "base/clock.h"
#include "base/test.h"

static struct quantity parsed(const char *text)
{
    struct quantity q = {0};
    if (!quantity_parse(str_of(text), &q))
        T_FAIL_("'%s' is not a quantity", text);
    return q;
}

/* What the API server answers for each text. */
static const struct {
    const char *text, *canonical;
} canonical_cases[] = {
    {"0", "0"}, {"0Ki", "0"}, {"0e5", "0"}, {"-0", "0"}, {"000.000", "0"}, {".", "0"}, {"-", "0"}, {"Ki", "0"},
    {"1", "1"}, {"1.5", "1500m"}, {"1000m", "1"}, {"1500m", "1500m"}, {"0.1", "100m"}, {"0.1m", "100u"},
    {"0.0001", "100u"}, {"100000k", "100M"}, {"1000000", "1M"}, {"1024", "1024"}, {"12345", "12345"},
    {"1k", "1k"}, {"1M", "1M"}, {"1G", "1G"}, {"1T", "1T"}, {"1P", "1P"}, {"1E", "1E"}, {"1000E", "1000E"},
    {"1e3", "1e3"}, {"1E3", "1E3"}, {"1e4", "10e3"}, {"1.5e3", "1500"}, {"1e-3", "1e-3"}, {"100e-1", "10"},
    {"1e0", "1e0"}, {"10e2", "1e3"}, {"1e21", "1e21"}, {"1e100", "10e99"},
    {"1Ki", "1Ki"}, {"1024Mi", "1Gi"}, {"1024Ki", "1Mi"}, {"0.5Gi", "512Mi"}, {"1.5Gi", "1536Mi"},
    {"1.5Ki", "1536"}, {"0.5Ki", "512"}, {"1.1Ki", "1126400m"}, {"0.0001Ki", "102400u"}, {"1536Ki", "1536Ki"},
    {"1Pi", "1Pi"}, {"1Ei", "1Ei"}, {"7Ei", "7Ei"}, {"8Ei", "9223372036854775807"}, {"-8Ei", "-9223372036854775807"},
    {"99999999999999999999999999999Ki", "9223372036854775807"}, {"2048Pi", "2Ei"},
    {"-1", "-1"}, {"-1.5", "-1500m"}, {"-1024Mi", "-1Gi"}, {"-0.5Gi", "-512Mi"},
    {"1n", "1n"}, {"0.1n", "1n"}, {"-0.1n", "-1n"}, {"1.0000000001", "1000000001n"}, {"1e-20", "1e-9"},
    {"0.00000000000000000000000000000000000000000000000001Ei", "1n"},
    {"0.00000000000000000000000001Ei", "12n"},
    {"1.500", "1.500"}, {"+5", "+5"}, {"01Ki", "01Ki"}, {"1.000", "1"}, {"0.500", "500m"}, {"1.234", "1.234"},
    {"1.Gi", "1.Gi"}, {"+1.5", "1500m"}, {"9223372036854775808", "9223372036854775808"},
    {"100000000000000000000000000000000000000000", "100000000000000000000000E"},
};

TEST(canonical_text)
{
    ARENA_AUTO a = ARENA_INIT;
    for (size_t i = 0; i < ARRAY_LEN(canonical_cases); i++) {
        struct quantity q = parsed(canonical_cases[i].text);
        str text = quantity_format(&a, &q);
        if (!str_is(text, canonical_cases[i].canonical))
            T_FAIL_("'%s' is '" STR_FMT "', expected '%s'", canonical_cases[i].text, STR_ARG(text),
                    canonical_cases[i].canonical);
    }
}

TEST(refused_texts)
{
    static const char *const bad[] = {
        "", " ", "1 ", " 1", "a", "1a", "1K", "1ki", "1mi", "1i", "1e", "1e+", "1e-", "1ee3", "1e3.5", "1.2.3", "--1",
        "+-1", "1-5", "1Kie3", "1KiB", "0x10", "1,5", "1e99999999999999999999", "1e4294967296", "Pi", ".e-10", "inf",
        "123456789012345678901234567890123456789",
    };
    struct quantity q;
    for (size_t i = 0; i < ARRAY_LEN(bad); i++)
        if (quantity_parse(str_of(bad[i]), &q))
            T_FAIL_("'%s' was taken", bad[i]);
}

TEST(integers_and_millis)
{
    static const struct {
        const char *text;
        int64_t value, milli;
    } cases[] = {
        {"0", 0, 0}, {"1", 1, 1000}, {"100m", 1, 100}, {"1500m", 2, 1500}, {"1n", 1, 1}, {"-1500m", -2, -1500},
        {"-1n", -1, -1}, {"1Gi", 1 << 30, 1000ll << 30}, {"1e3", 1000, 1000000}, {"8Ei", INT64_MAX, INT64_MAX},
        {"1e30", INT64_MAX, INT64_MAX}, {"-1e30", -INT64_MAX, -INT64_MAX}, {"1.0001", 2, 1001},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct quantity q = parsed(cases[i].text);
        T_EQ_INT(quantity_to_i64(&q), cases[i].value);
        T_EQ_INT(quantity_to_milli(&q), cases[i].milli);
    }
}

TEST(comparison)
{
    /* Ascending; equal ones stand in one string, separated by blanks. */
    static const char *const order[] = {
        "-1e40 -10e39", "-1Gi -1024Mi", "-1", "-1m", "0 0Ki 0e9", "1n", "1u 1000n", "1m", "999m", "1 1000m 1e0",
        "1001m", "1k 1e3 1000", "1Ki 1024", "1M", "1Mi", "1G", "1Gi", "1E", "1Ei", "1e40 10e39",
    };
    for (size_t i = 0; i < ARRAY_LEN(order); i++) {
        for (size_t j = 0; j < ARRAY_LEN(order); j++) {
            str rest_i = str_of(order[i]), x;
            while (str_cut(&rest_i, ' ', &x), x.len) {
                str rest_j = str_of(order[j]), y;
                while (str_cut(&rest_j, ' ', &y), y.len) {
                    struct quantity p, q;
                    T_OK(quantity_parse(x, &p) && quantity_parse(y, &q));
                    T_EQ_INT(quantity_cmp(&p, &q), (i > j) - (i < j));
                }
            }
        }
    }
}

TEST(sums_keep_the_first_format)
{
    static const struct {
        const char *x, *y, *sum, *difference;
    } cases[] = {
        {"1", "500m", "1500m", "500m"},      {"1Gi", "1Gi", "2Gi", "0"},      {"0", "1Gi", "1Gi", "-1Gi"},
        {"1Gi", "1", "1073741825", "1073741823"}, {"1G", "1Mi", "1001048576", "998951424"},
        {"1e3", "1", "1001", "999"},         {"100m", "200m", "300m", "-100m"}, {"1e40", "1n", "10e39", "10e39"},
        {"5Ei", "5Ei", "10Ei", "0"},         {"1n", "1e40", "10000000000000000000000E", "-10000000000000000000000E"},
    };
    ARENA_AUTO a = ARENA_INIT;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct quantity x = parsed(cases[i].x), y = parsed(cases[i].y), z = x;
        quantity_add(&x, &y);
        T_EQ_STR(quantity_format(&a, &x), cases[i].sum);
        quantity_sub(&z, &y);
        T_EQ_STR(quantity_format(&a, &z), cases[i].difference);
    }
}

/* A number of nanos is written in a random form and must come back as the same number. */
TEST(model_every_form_of_a_number_is_equal)
{
    static const struct {
        const char *suffix;
        int exponent;
    } forms[] = {{"n", -9}, {"u", -6}, {"m", -3}, {"", 0}, {"k", 3}, {"M", 6}, {"e-4", -4}, {"E2", 2}, {"e7", 7}};
    struct rng r;
    rng_seed(&r, 11);
    ARENA_AUTO a = ARENA_INIT;
    for (int i = 0; i < 3000; i++) {
        int64_t nano = (int64_t)(rng_u64(&r) >> (1 + rng_below(&r, 60)));
        struct quantity want = {.mantissa = nano, .exp10 = -9}, again;
        size_t f = (size_t)rng_below(&r, ARRAY_LEN(forms));
        /* The point stands `places` digits from the right. */
        int places = forms[f].exponent + 9;
        str digits = arena_fmt(&a, "%030lld", (long long)nano);
        str text = arena_fmt(&a, STR_FMT "." STR_FMT "%s", STR_ARG(str_sub(digits, 0, digits.len - (size_t)places)),
                             STR_ARG(str_from(digits, digits.len - (size_t)places)), forms[f].suffix);
        struct quantity q = parsed(arena_cstr(&a, text));
        T_EQ_INT(quantity_cmp(&q, &want), 0);
        str canonical = quantity_format(&a, &q);
        T_OK(quantity_parse(canonical, &again) && quantity_cmp(&again, &want) == 0);
        T_OK(str_eq(quantity_format(&a, &again), canonical));
        T_EQ_INT(quantity_to_i64(&q), nano / 1000000000 + (nano % 1000000000 != 0));
        arena_reset(&a);
    }
}

TEST(from_numbers)
{
    ARENA_AUTO a = ARENA_INIT;
    struct quantity q = quantity_from_i64(5000), m = quantity_from_milli(250);
    T_EQ_STR(quantity_format(&a, &q), "5k");
    T_EQ_STR(quantity_format(&a, &m), "250m");
    T_OK(!quantity_is_zero(&q) && quantity_sign(&q) == 1);
}

TEST_MAIN(canonical_text, refused_texts, integers_and_millis, comparison, sums_keep_the_first_format,
          model_every_form_of_a_number_is_equal, from_numbers)
