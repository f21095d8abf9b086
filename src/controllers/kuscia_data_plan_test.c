/* SPDX-License-Identifier: Apache-2.0 */
#include "controllers/kuscia_data_plan.h"

#include "base/arena.h"
#include "base/civil.h"
#include "base/test.h"
#include "wire/json_make.h"

TEST(the_text_that_is_signed)
{
    static const struct {
        const char *spec, *text;
    } cases[] = {
        {"{\"grantDomain\":\"bob\",\"author\":\"alice\",\"signature\":\"x\",\"domainDataID\":\"d\"}", "{\"author\":\"alice\",\"domainDataID\":\"d\",\"grantDomain\":\"bob\"}"},
        {"{\"author\":\"a\",\"domainDataID\":\"d\",\"grantDomain\":\"b\",\"limit\":{}}", "{\"author\":\"a\",\"domainDataID\":\"d\",\"grantDomain\":\"b\",\"limit\":{}}"},
        {"{\"author\":\"a\",\"domainDataID\":\"d\",\"grantDomain\":\"b\",\"description\":{\"z\":\"<1>\",\"a\":\"2\"},\"limit\":{\"components\":[],\"inputConfig\":\"\",\"useCount\":0,\"initiator\":\"c\",\"grantMode\":[\"file\"],"
         "\"expirationTime\":\"2030-01-01T08:00:00+08:00\"}}",
         "{\"author\":\"a\",\"domainDataID\":\"d\",\"grantDomain\":\"b\",\"limit\":{\"expirationTime\":\"2030-01-01T00:00:00Z\",\"grantMode\":[\"file\"],\"initiator\":\"c\"},"
         "\"description\":{\"a\":\"2\",\"z\":\"\\u003c1\\u003e\"}}"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        ARENA_AUTO a = ARENA_INIT;
        struct json spec = json_literal(&a, cases[i].spec);
        T_EQ_STR(kuscia_grant_signed_text(&a, &spec), cases[i].text);
    }
}

TEST(whether_it_holds)
{
    static const struct {
        const char *limit;
        int uses, uses_of_copy;
        const char *message;
        int64_t left_s;
    } cases[] = {
        {"{}", 9, 9, NULL, 0},
        {"{\"expirationTime\":\"2026-01-01T00:00:10Z\"}", 0, 0, NULL, 10},
        {"{\"expirationTime\":\"2026-01-01T00:00:00Z\"}", 0, 0, "it was good until 2026-01-01T00:00:00Z", 0},
        {"{\"useCount\":3}", 1, 1, NULL, 0},
        {"{\"useCount\":3}", 1, 2, "it was good for 3 uses, and was used 3 times", 0},
        {"{\"useCount\":1,\"expirationTime\":\"2025-01-01T00:00:00Z\"}", 1, 0, "it was good until 2025-01-01T00:00:00Z", 0},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        ARENA_AUTO a = ARENA_INIT;
        struct json limit = json_literal(&a, cases[i].limit), list[2] = {json_array(), json_array()};
        for (int k = 0; k < cases[i].uses; k++)
            json_push(&a, &list[0], json_object());
        for (int k = 0; k < cases[i].uses_of_copy; k++)
            json_push(&a, &list[1], json_object());
        struct json grant = json_make(&a, "{\"spec\":{\"author\":\"alice\",\"limit\":%j},\"status\":{\"use_records\":%j}}", &limit, &list[0]), copy = json_make(&a, "{\"status\":{\"use_records\":%j}}", &list[1]);
        struct grant_view v = {.grant = &grant, .copy = &copy};
        struct grant_verdict verdict;
        T_OK(civil_parse(S("2026-01-01T00:00:00Z"), &v.now));
        kuscia_grant_judge(&a, &v, &verdict);
        T_OK(verdict.holds == !cases[i].message);
        T_EQ_STR(verdict.message, cases[i].message ? cases[i].message : "");
        T_EQ_INT(verdict.left_ns, cases[i].left_s * NSEC_PER_SEC);
    }
}

TEST(a_signature_that_cannot_be_checked)
{
    static const struct {
        const char *author, *message;
    } cases[] = {
        {"{}", "it is signed, and Domain \"alice\" has no certificate (spec.cert) to check that with"},
        {"{\"spec\":{\"cert\":\"%%\"}}", "it is signed, and the certificate of Domain \"alice\" cannot be read: illegal base64 data"},
        {"{\"spec\":{\"cert\":\"bm90aGluZw==\"}}", "it is signed, and the certificate of Domain \"alice\" cannot be read: "},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        ARENA_AUTO a = ARENA_INIT;
        struct json grant = json_literal(&a, "{\"spec\":{\"author\":\"alice\",\"signature\":\"AAAA\"}}"), author = json_literal(&a, cases[i].author);
        struct grant_view v = {.grant = &grant, .author = &author};
        struct grant_verdict verdict;
        kuscia_grant_judge(&a, &v, &verdict);
        T_OK(!verdict.holds);
        T_EQ_STR(str_sub(verdict.message, 0, strlen(cases[i].message)), cases[i].message);
    }
}

TEST(copies)
{
    ARENA_AUTO a = ARENA_INIT;
    struct json data = json_literal(&a, "{\"metadata\":{\"name\":\"d\",\"namespace\":\"alice\",\"uid\":\"u\"},\"spec\":{\"name\":\"n\",\"vendor\":\"manual\"}}");
    struct json copy = kuscia_data_copy(&a, &data);
    T_EQ_STR(kuscia_copied_from(&copy), "alice");
    T_EQ_STR(kuscia_copied_from(&data), "");
    T_EQ_STR(json_get_str(json_get(&copy, S("spec")), S("vendor")), "grant");
    T_EQ_STR(json_get_str(json_get(&data, S("spec")), S("vendor")), "manual"); /* the author's stays */
    T_EQ_STR(json_get_str(json_get(&copy, S("metadata")), S("uid")), "");
}

TEST_MAIN(the_text_that_is_signed, whether_it_holds, a_signature_that_cannot_be_checked, copies)
