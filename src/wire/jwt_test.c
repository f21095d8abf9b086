/* SPDX-License-Identifier: Apache-2.0 */
#include "wire/jwt.h"

#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>

#include "base/test.h"
#include "wire/base64.h"

/* Takes pkey; PEM of its private or public half, on the arena. */
static str pem_of(struct arena *a, EVP_PKEY *pkey, bool private)
{
    BIO *b = BIO_new(BIO_s_mem());
    BUG_ON(!pkey || !b);
    BUG_ON(private ? !PEM_write_bio_PrivateKey(b, pkey, NULL, NULL, 0, NULL, NULL) : !PEM_write_bio_PUBKEY(b, pkey));
    char *p;
    long n = BIO_get_mem_data(b, &p);
    str pem = arena_str(a, str_n(p, (size_t)n));
    BIO_free(b);
    return pem;
}

static struct jwt_key *key_from(str pem)
{
    struct jwt_key *key = NULL;
    struct err err = ERR_NONE;
    T_NO_ERR(jwt_key_new(pem, &key, &err), &err);
    BUG_ON(!key);
    return key;
}

/* A new key pair: the private key and its public half. */
static void make_keys(EVP_PKEY *pkey, struct jwt_key **ret_private, struct jwt_key **ret_public)
{
    ARENA_AUTO a = ARENA_INIT;
    *ret_private = key_from(pem_of(&a, pkey, true));
    *ret_public = key_from(pem_of(&a, pkey, false));
    EVP_PKEY_free(pkey);
}

static void check_sign_and_verify(EVP_PKEY *pkey, const char *alg)
{
    ARENA_AUTO a = ARENA_INIT;
    struct jwt_key *private CLEANUP(jwt_key_free) = NULL, *public CLEANUP(jwt_key_free) = NULL;
    make_keys(pkey, &private, &public);
    T_OK(jwt_key_can_sign(private) && !jwt_key_can_sign(public));
    T_OK(str_eq(jwt_key_id(private), jwt_key_id(public)));
    T_EQ_INT(jwt_key_id(public).len, 43);
    T_EQ_STR(jwt_key_alg(public), alg);
    struct err err = ERR_NONE;
    str token = STR_NONE;
    T_ERR(jwt_sign(&a, public, S("{}"), &token, &err), E_INTERNAL);
    for (int i = 0; i < 20; i++) { /* ECDSA is random: now and then a number has leading zeros */
        str claims = arena_fmt(&a, "{\"sub\":\"system:serviceaccount:default:x\",\"i\":%d}", i);
        T_NO_ERR(jwt_sign(&a, private, claims, &token, &err), &err);
        struct json got = json_null();
        const struct jwt_key *keys[] = {public};
        T_NO_ERR(jwt_verify(&a, keys, 1, token, &got, &err), &err);
        T_OK(str_eq(json_text(&a, &got), claims));
    }
}

TEST(es256) { check_sign_and_verify(EVP_EC_gen("P-256"), "ES256"); }

TEST(rs256) { check_sign_and_verify(EVP_RSA_gen(2048), "RS256"); }

/* RFC 7515, appendix A.3 */
static const char rfc_key[] = "-----BEGIN PUBLIC KEY-----\n"
                              "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEf83OJ3D2xF1Bg8vub9tLe1gHMzV7\n"
                              "6e8Tus9uPHvRVEXH8UTNG72bfocs3+257rn0s2ldbqkLJK2KRiMohYjlrQ==\n"
                              "-----END PUBLIC KEY-----\n";
static const char rfc_token[] = "eyJhbGciOiJFUzI1NiJ9."
                                "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ."
                                "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q";

TEST(token_of_the_rfc)
{
    ARENA_AUTO a = ARENA_INIT;
    struct jwt_key *key CLEANUP(jwt_key_free) = key_from(str_of(rfc_key));
    const struct jwt_key *keys[] = {key};
    struct json claims = json_null();
    struct err err = ERR_NONE;
    T_NO_ERR(jwt_verify(&a, keys, 1, str_of(rfc_token), &claims, &err), &err);
    T_EQ_STR(json_get_str(&claims, S("iss")), "joe");
    struct json jwks = jwt_jwks(&a, keys, 1);
    T_EQ_STR(json_text(&a, &jwks),
             "{\"keys\":[{\"use\":\"sig\",\"kty\":\"EC\",\"kid\":\"K9G7DESol8MKeqCZHN442AYv5EHeUNoPRoJTRPYC6Cc\",\"crv\":\"P-256\","
             "\"alg\":\"ES256\",\"x\":\"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU\","
             "\"y\":\"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0\"}]}");
}

TEST(every_changed_byte_is_noticed)
{
    ARENA_AUTO a = ARENA_INIT;
    struct jwt_key *key CLEANUP(jwt_key_free) = key_from(str_of(rfc_key));
    const struct jwt_key *keys[] = {key};
    char token[sizeof rfc_token];
    for (size_t i = 0; i < sizeof rfc_token - 1; i++) {
        memcpy(token, rfc_token, sizeof token);
        token[i] = token[i] == 'A' ? 'B' : 'A';
        struct json claims = json_null();
        struct err err = ERR_NONE;
        T_ERR(jwt_verify(&a, keys, 1, str_of(token), &claims, &err), E_UNAUTHORIZED);
        T_EQ_INT(claims.type, JSON_NULL);
    }
}

static str compact(struct arena *a, const char *header, const char *claims, const char *signature)
{
    return arena_fmt(a, STR_FMT "." STR_FMT "." STR_FMT, STR_ARG(base64_encode(a, BASE64_URL_RAW, str_of(header))),
                     STR_ARG(base64_encode(a, BASE64_URL_RAW, str_of(claims))),
                     STR_ARG(base64_encode(a, BASE64_URL_RAW, str_of(signature))));
}

TEST(bad_tokens_are_refused)
{
    ARENA_AUTO a = ARENA_INIT;
    struct jwt_key *key CLEANUP(jwt_key_free) = key_from(str_of(rfc_key));
    const struct jwt_key *keys[] = {key};
    char *longest CLEANUP(free) = xcalloc(1, JWT_TOKEN_MAX + 2);
    memset(longest, 'a', JWT_TOKEN_MAX + 1);
    const struct {
        str token;
        const char *want;
    } cases[] = {
        {S(""), "invalid token: malformed"},
        {S("a"), "invalid token: malformed"},
        {S("."), "invalid token: malformed"},
        {S(".."), "invalid token: malformed"},
        {S("..."), "invalid token: malformed"},
        {S("e30.e30"), "invalid token: malformed"},
        {S("e30.e30.x.y"), "invalid token: malformed"},
        {S("e30=.e30.AA"), "invalid token: malformed"},
        {S("W10.e30.AA"), "invalid token: malformed"}, /* [] */
        {S("e30.e30.AA"), "invalid token: signature algorithm is not supported"},
        {compact(&a, "{\"alg\":\"none\"}", "{}", ""), "invalid token: signature algorithm is not supported"},
        {compact(&a, "{\"alg\":\"HS256\"}", "{}", "x"), "invalid token: signature algorithm is not supported"},
        {compact(&a, "{\"alg\":\"es256\"}", "{}", "x"), "invalid token: signature algorithm is not supported"},
        {compact(&a, "{\"alg\":\"ES256\"}", "{}", ""), "invalid token: signature does not match"},
        {compact(&a, "{\"alg\":\"ES256\"}", "{}", "x"), "invalid token: signature does not match"},
        {compact(&a, "{\"alg\":\"RS256\"}", "{}", "x"), "invalid token: no key for it"},
        {compact(&a, "{\"alg\":\"ES256\",\"kid\":\"x\"}", "{}", "x"), "invalid token: no key for it"},
        {compact(&a, "{\"alg\":\"ES256\",\"crit\":[\"b64\"]}", "{}", "x"),
         "invalid token: critical header extensions are not supported"},
        {str_n(longest, JWT_TOKEN_MAX + 1), "invalid token: too long"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct json claims = json_null();
        struct err err = ERR_NONE;
        T_ERR(jwt_verify(&a, keys, 1, cases[i].token, &claims, &err), E_UNAUTHORIZED);
        T_EQ_STR(str_of(err.msg), cases[i].want);
    }
}

TEST(key_id_chooses_the_key)
{
    ARENA_AUTO a = ARENA_INIT;
    struct jwt_key *one CLEANUP(jwt_key_free) = NULL, *one_public CLEANUP(jwt_key_free) = NULL;
    struct jwt_key *two CLEANUP(jwt_key_free) = NULL, *two_public CLEANUP(jwt_key_free) = NULL;
    make_keys(EVP_EC_gen("P-256"), &one, &one_public);
    make_keys(EVP_EC_gen("P-256"), &two, &two_public);
    struct err err = ERR_NONE;
    str token = STR_NONE;
    struct json claims;
    T_NO_ERR(jwt_sign(&a, two, S("{\"a\":1}"), &token, &err), &err);
    const struct jwt_key *both[] = {one_public, two_public}, *other[] = {one_public};
    T_NO_ERR(jwt_verify(&a, both, 2, token, &claims, &err), &err);
    T_ERR(jwt_verify(&a, other, 1, token, &claims, &err), E_UNAUTHORIZED);
    T_EQ_STR(str_of(err.msg), "invalid token: no key for it");
    T_ERR(jwt_verify(&a, NULL, 0, token, &claims, &err), E_UNAUTHORIZED);
    /* signed text that is no object */
    T_NO_ERR(jwt_sign(&a, two, S("[1]"), &token, &err), &err);
    T_ERR(jwt_verify(&a, both, 2, token, &claims, &err), E_UNAUTHORIZED);
    T_EQ_STR(str_of(err.msg), "invalid token: malformed");
}

TEST(bad_keys_are_refused)
{
    ARENA_AUTO a = ARENA_INIT;
    EVP_PKEY *p384 = EVP_EC_gen("P-384"), *small = EVP_RSA_gen(1024), *ed = EVP_PKEY_Q_keygen(NULL, NULL, "ED25519");
    const struct {
        str pem;
        const char *want;
    } cases[] = {
        {S(""), "not a private key, public key or certificate in PEM form"},
        {S("hello"), "not a private key, public key or certificate in PEM form"},
        {pem_of(&a, p384, false), "key is neither RSA nor EC P-256"},
        {pem_of(&a, small, true), "RSA key of 1024 bits: must be 2048 to 8192"},
        {pem_of(&a, ed, false), "key is neither RSA nor EC P-256"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct jwt_key *key = NULL;
        struct err err = ERR_NONE;
        T_ERR(jwt_key_new(cases[i].pem, &key, &err), E_INVALID_ARG);
        T_EQ_STR(str_of(err.msg), cases[i].want);
        T_OK(key == NULL);
    }
    EVP_PKEY_free(p384);
    EVP_PKEY_free(small);
    EVP_PKEY_free(ed);
}

TEST(rsa_jwk)
{
    ARENA_AUTO a = ARENA_INIT;
    struct jwt_key *private CLEANUP(jwt_key_free) = NULL, *public CLEANUP(jwt_key_free) = NULL;
    make_keys(EVP_RSA_gen(2048), &private, &public);
    struct json jwk = jwt_key_jwk(&a, public);
    T_EQ_STR(json_get_str(&jwk, S("kty")), "RSA");
    T_EQ_STR(json_get_str(&jwk, S("alg")), "RS256");
    T_EQ_STR(json_get_str(&jwk, S("e")), "AQAB");
    T_EQ_INT(json_get_str(&jwk, S("n")).len, 342);
}

TEST(claims)
{
    static const struct {
        const char *claims, *want; /* NULL: good */
    } cases[] = {
        {"{\"iss\":\"i\",\"aud\":\"a\",\"exp\":1001}", NULL},
        {"{\"iss\":\"i\",\"aud\":[\"x\",\"b\"],\"exp\":1e9,\"nbf\":1000}", NULL},
        {"{\"iss\":\"i\",\"aud\":\"a\",\"exp\":1000}", "invalid token: it has expired"},
        {"{\"iss\":\"i\",\"aud\":\"a\",\"exp\":1000.5}", NULL},
        {"{\"iss\":\"i\",\"aud\":\"a\",\"exp\":-1}", "invalid token: it has expired"},
        {"{\"iss\":\"i\",\"aud\":\"a\",\"exp\":\"2000\"}", "invalid token: exp or nbf is not a number"},
        {"{\"iss\":\"i\",\"aud\":\"a\"}", "invalid token: it has no expiry"},
        {"{\"iss\":\"i\",\"aud\":\"a\",\"exp\":null}", "invalid token: it has no expiry"},
        {"{\"iss\":\"i\",\"aud\":\"a\",\"exp\":2000,\"nbf\":1001}", "invalid token: it is not valid yet"},
        {"{\"iss\":\"j\",\"aud\":\"a\",\"exp\":2000}", "invalid token: issuer is another one"},
        {"{\"aud\":\"a\",\"exp\":2000}", "invalid token: issuer is another one"},
        {"{\"iss\":\"i\",\"aud\":\"c\",\"exp\":2000}", "invalid token: it is for another audience"},
        {"{\"iss\":\"i\",\"aud\":[],\"exp\":2000}", "invalid token: it is for another audience"},
        {"{\"iss\":\"i\",\"aud\":[1],\"exp\":2000}", "invalid token: it is for another audience"},
        {"{\"iss\":\"i\",\"exp\":2000}", "invalid token: it is for another audience"},
    };
    static const str audiences[] = {STR_INIT("a"), STR_INIT("b")};
    struct jwt_expect expect = {.issuer = S("i"), .audiences = audiences, .naudiences = 2, .must_expire = true};
    ARENA_AUTO a = ARENA_INIT;
    struct err err = ERR_NONE;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct json claims = json_literal(&a, cases[i].claims);
        if (!cases[i].want) {
            T_NO_ERR(jwt_check_claims(&claims, &expect, 1000 * NSEC_PER_SEC, &err), &err);
            continue;
        }
        T_ERR(jwt_check_claims(&claims, &expect, 1000 * NSEC_PER_SEC, &err), E_UNAUTHORIZED);
        T_EQ_STR(str_of(err.msg), cases[i].want);
    }
    struct json late = json_literal(&a, "{\"exp\":950,\"nbf\":1050}"), none = json_literal(&a, "{}");
    struct jwt_expect any = {.leeway = 60 * NSEC_PER_SEC};
    T_NO_ERR(jwt_check_claims(&late, &any, 1000 * NSEC_PER_SEC, &err), &err);
    T_NO_ERR(jwt_check_claims(&none, &any, 1000 * NSEC_PER_SEC, &err), &err);
    T_ERR(jwt_check_claims(&late, &any, 1010 * NSEC_PER_SEC, &err), E_UNAUTHORIZED);
}

TEST_MAIN(es256, rs256, token_of_the_rfc, every_changed_byte_is_noticed, bad_tokens_are_refused, key_id_chooses_the_key,
          bad_keys_are_refused, rsa_jwk, claims)
