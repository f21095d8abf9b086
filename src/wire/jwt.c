/* SPDX-License-Identifier: Apache-2.0 */
#include "wire/jwt.h"

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/sha.h>
#include <openssl/x509.h>

#include "wire/base64.h"

#define PEM_MAX (64u << 10)
#define COORDINATE_BYTES 32 /* of P-256: half of a signature or a public key */
#define RSA_MAX_BYTES 1024  /* 8192 bits */

enum jwt_alg { JWT_ES256, JWT_RS256 };
static const char *const alg_names[] = {"ES256", "RS256"};

struct jwt_key {
    EVP_PKEY *pkey;
    enum jwt_alg alg;
    bool private;
    char id[48]; /* 43 characters */
};

static void bio_free_cleanup(BIO **b)
{
    BIO_free(*b);
}
static void md_ctx_cleanup(EVP_MD_CTX **c)
{
    EVP_MD_CTX_free(*c);
}
static void sig_cleanup(ECDSA_SIG **s)
{
    ECDSA_SIG_free(*s);
}
static void bn_cleanup(BIGNUM **n)
{
    BN_free(*n);
}

/* --- keys ---------------------------------------------------------------------------------------- */

/* A key file with a passphrase is not asked for one on the terminal. */
static int no_passphrase(char *buf, int size, int writing, void *data)
{
    (void)buf, (void)size, (void)writing, (void)data;
    return -1;
}

static EVP_PKEY *read_private(BIO *b)
{
    return PEM_read_bio_PrivateKey(b, NULL, no_passphrase, NULL);
}
static EVP_PKEY *read_public(BIO *b)
{
    return PEM_read_bio_PUBKEY(b, NULL, no_passphrase, NULL);
}
static EVP_PKEY *read_certificate(BIO *b)
{
    X509 *x = PEM_read_bio_X509(b, NULL, no_passphrase, NULL);
    EVP_PKEY *pkey = x ? X509_get_pubkey(x) : NULL;
    X509_free(x);
    return pkey;
}

static EVP_PKEY *read_pem(str pem, bool *ret_private)
{
    EVP_PKEY *(*const readers[])(BIO *) = {read_private, read_public, read_certificate};
    EVP_PKEY *pkey = NULL;
    for (size_t i = 0; !pkey && i < ARRAY_LEN(readers); i++) {
        BIO *b CLEANUP(bio_free) = BIO_new_mem_buf(pem.p, (int)pem.len);
        BUG_ON(!b);
        pkey = readers[i](b);
        *ret_private = readers[i] == read_private;
    }
    ERR_clear_error(); /* the queue belongs to the thread and must not be left to its next user */
    return pkey;
}

static int find_alg(EVP_PKEY *pkey, enum jwt_alg *ret, struct err *err)
{
    char group[64];
    if (EVP_PKEY_get_base_id(pkey) == EVP_PKEY_RSA) {
        if (EVP_PKEY_get_bits(pkey) < 2048 || EVP_PKEY_get_size(pkey) > RSA_MAX_BYTES)
            return err_set(err, E_INVALID_ARG, "RSA key of %d bits: must be 2048 to 8192", EVP_PKEY_get_bits(pkey));
        *ret = JWT_RS256;
        return 0;
    }
    if (EVP_PKEY_get_base_id(pkey) == EVP_PKEY_EC && EVP_PKEY_get_group_name(pkey, group, sizeof group, NULL) &&
        !strcmp(group, "prime256v1")) {
        *ret = JWT_ES256;
        return 0;
    }
    return err_set(err, E_INVALID_ARG, "key is neither RSA nor EC P-256");
}

static void make_id(struct jwt_key *key)
{
    unsigned char *der = NULL, hash[SHA256_DIGEST_LENGTH];
    int len = i2d_PUBKEY(key->pkey, &der);
    BUG_ON(len <= 0);
    SHA256(der, (size_t)len, hash);
    OPENSSL_free(der);
    STRBUF_AUTO b = STRBUF_HEAP;
    base64_write(&b, BASE64_URL_RAW, str_n((const char *)hash, sizeof hash));
    snprintf(key->id, sizeof key->id, "%s", strbuf_cstr(&b));
}

int jwt_key_new(str pem, struct jwt_key **ret, struct err *err)
{
    if (pem.len > PEM_MAX)
        return err_set(err, E_INVALID_ARG, "key file of %zu bytes is too large", pem.len);
    bool private = false;
    EVP_PKEY *pkey = pem.len ? read_pem(pem, &private) : NULL;
    if (!pkey)
        return err_set(err, E_INVALID_ARG, "not a private key, public key or certificate in PEM form");
    enum jwt_alg alg = JWT_ES256;
    int r = find_alg(pkey, &alg, err);
    if (r < 0) {
        EVP_PKEY_free(pkey);
        return r;
    }
    struct jwt_key *key = xnew(struct jwt_key);
    key->pkey = pkey;
    key->alg = alg;
    key->private = private;
    make_id(key);
    *ret = key;
    return 0;
}

void jwt_key_free(struct jwt_key *key)
{
    if (!key)
        return;
    EVP_PKEY_free(key->pkey);
    free(key);
}

bool jwt_key_can_sign(const struct jwt_key *key)
{
    return key->private;
}

str jwt_key_id(const struct jwt_key *key)
{
    return str_of(key->id);
}

str jwt_key_alg(const struct jwt_key *key)
{
    return str_of(alg_names[key->alg]);
}

/* --- JWK ------------------------------------------------------------------------------------------ */

/* A number of the public key as base64url; `bytes` 0: as many as it needs. */
static void add_number(struct arena *a, struct json *jwk, str name, const struct jwt_key *key, const char *param, int bytes)
{
    BIGNUM *n CLEANUP(bn) = NULL;
    BUG_ON(!EVP_PKEY_get_bn_param(key->pkey, param, &n));
    char text[RSA_MAX_BYTES];
    bytes = bytes ? bytes : BN_num_bytes(n);
    BUG_ON(bytes > (int)sizeof text || BN_bn2binpad(n, (unsigned char *)text, bytes) != bytes);
    json_set(a, jwk, name, json_string(base64_encode(a, BASE64_URL_RAW, str_n(text, (size_t)bytes))));
}

struct json jwt_key_jwk(struct arena *a, const struct jwt_key *key)
{
    struct json jwk = json_object();
    bool ec = key->alg == JWT_ES256;
    json_set(a, &jwk, S("use"), json_string(S("sig")));
    json_set(a, &jwk, S("kty"), json_string(ec ? S("EC") : S("RSA")));
    json_set(a, &jwk, S("kid"), json_string(arena_str(a, jwt_key_id(key))));
    if (ec)
        json_set(a, &jwk, S("crv"), json_string(S("P-256")));
    json_set(a, &jwk, S("alg"), json_string(jwt_key_alg(key)));
    if (ec) {
        add_number(a, &jwk, S("x"), key, OSSL_PKEY_PARAM_EC_PUB_X, COORDINATE_BYTES);
        add_number(a, &jwk, S("y"), key, OSSL_PKEY_PARAM_EC_PUB_Y, COORDINATE_BYTES);
    } else {
        add_number(a, &jwk, S("n"), key, OSSL_PKEY_PARAM_RSA_N, 0);
        add_number(a, &jwk, S("e"), key, OSSL_PKEY_PARAM_RSA_E, 0);
    }
    return jwk;
}

struct json jwt_jwks(struct arena *a, const struct jwt_key *const *keys, size_t n)
{
    struct json list = json_array(), jwks = json_object();
    for (size_t i = 0; i < n; i++)
        json_push(a, &list, jwt_key_jwk(a, keys[i]));
    json_set(a, &jwks, S("keys"), list);
    return jwks;
}

/* --- signatures ------------------------------------------------------------------------------------- */

/* OpenSSL's ECDSA signatures are DER; those of JWT are the two numbers one behind the other. */
static bool der_to_raw(const unsigned char *der, size_t len, unsigned char raw[2 * COORDINATE_BYTES])
{
    ECDSA_SIG *sig CLEANUP(sig) = d2i_ECDSA_SIG(NULL, &der, (long)len);
    return sig && BN_bn2binpad(ECDSA_SIG_get0_r(sig), raw, COORDINATE_BYTES) == COORDINATE_BYTES &&
           BN_bn2binpad(ECDSA_SIG_get0_s(sig), raw + COORDINATE_BYTES, COORDINATE_BYTES) == COORDINATE_BYTES;
}

/* The DER form of a raw signature; its length, or 0.  out has room for 80 bytes: 72 are the most. */
static size_t raw_to_der(str raw, unsigned char *out)
{
    if (raw.len != 2 * COORDINATE_BYTES)
        return 0;
    ECDSA_SIG *sig CLEANUP(sig) = ECDSA_SIG_new();
    BUG_ON(!sig);
    const unsigned char *p = (const unsigned char *)raw.p;
    BIGNUM *r = BN_bin2bn(p, COORDINATE_BYTES, NULL), *s = BN_bin2bn(p + COORDINATE_BYTES, COORDINATE_BYTES, NULL);
    BUG_ON(!r || !s || !ECDSA_SIG_set0(sig, r, s));
    int len = i2d_ECDSA_SIG(sig, &out);
    return len > 0 ? (size_t)len : 0;
}

bool jwt_key_verify(const struct jwt_key *key, str signed_text, str signature)
{
    unsigned char der[80];
    if (key->alg == JWT_ES256)
        signature = str_n((const char *)der, raw_to_der(signature, der));
    EVP_MD_CTX *ctx CLEANUP(md_ctx) = EVP_MD_CTX_new();
    BUG_ON(!ctx);
    bool good = signature.len && EVP_DigestVerifyInit(ctx, NULL, EVP_sha256(), NULL, key->pkey) == 1 &&
                EVP_DigestVerify(ctx, (const unsigned char *)signature.p, signature.len,
                                 (const unsigned char *)signed_text.p, signed_text.len) == 1;
    if (!good)
        ERR_clear_error();
    return good;
}

int jwt_sign(struct arena *a, const struct jwt_key *key, str claims, str *ret_token, struct err *err)
{
    if (!key->private)
        return err_set(err, E_INTERNAL, "key %s is public and cannot sign", key->id);
    struct strbuf token = strbuf_on(a);
    base64_write(&token, BASE64_URL_RAW, arena_fmt(a, "{\"alg\":\"%s\",\"kid\":\"%s\"}", alg_names[key->alg], key->id));
    strbuf_add_char(&token, '.');
    base64_write(&token, BASE64_URL_RAW, claims);

    unsigned char signature[RSA_MAX_BYTES], raw[2 * COORDINATE_BYTES];
    size_t len = sizeof signature;
    EVP_MD_CTX *ctx CLEANUP(md_ctx) = EVP_MD_CTX_new();
    BUG_ON(!ctx);
    if (EVP_DigestSignInit(ctx, NULL, EVP_sha256(), NULL, key->pkey) != 1 ||
        EVP_DigestSign(ctx, signature, &len, (const unsigned char *)token.p, token.len) != 1) {
        ERR_clear_error();
        return err_set(err, E_INTERNAL, "cannot sign token with key %s", key->id);
    }
    str bytes = str_n((const char *)signature, len);
    if (key->alg == JWT_ES256) {
        BUG_ON(!der_to_raw(signature, len, raw));
        bytes = str_n((const char *)raw, sizeof raw);
    }
    strbuf_add_char(&token, '.');
    base64_write(&token, BASE64_URL_RAW, bytes);
    *ret_token = strbuf_str(&token);
    return 0;
}

/* --- verifying ---------------------------------------------------------------------------------------- */

static int refuse(struct err *err, const char *why)
{
    return err_set(err, E_UNAUTHORIZED, "invalid token: %s", why);
}

/* A dot-separated part that is base64url of a JSON object. */
static int part_object(struct arena *a, str part, struct json *ret, struct err *err)
{
    str text;
    struct err ignored;
    if (base64_decode(a, BASE64_URL_RAW, part, &text, &ignored) < 0 || json_parse(a, text, NULL, ret, &ignored) < 0 ||
        ret->type != JSON_OBJECT)
        return refuse(err, "malformed");
    return 0;
}

struct token_parts {
    struct json header;
    str claims;      /* still base64url */
    str signed_text; /* header.claims */
    str signature;
};

static int split_token(struct arena *a, str token, struct token_parts *ret, struct err *err)
{
    if (token.len > JWT_TOKEN_MAX)
        return refuse(err, "too long");
    str rest = token, header, claims, signature;
    if (!str_cut(&rest, '.', &header) || !str_cut(&rest, '.', &claims) || str_cut(&rest, '.', &signature))
        return refuse(err, "malformed");
    int r = part_object(a, header, &ret->header, err);
    if (r < 0)
        return r;
    struct err ignored;
    if (base64_decode(a, BASE64_URL_RAW, signature, &ret->signature, &ignored) < 0)
        return refuse(err, "malformed");
    if (json_get(&ret->header, S("crit")))
        return refuse(err, "critical header extensions are not supported");
    ret->claims = claims;
    ret->signed_text = str_sub(token, 0, header.len + 1 + claims.len);
    return 0;
}

int jwt_verify(struct arena *a, const struct jwt_key *const *keys, size_t n, str token, struct json *ret_claims,
               struct err *err)
{
    struct token_parts t;
    int r = split_token(a, token, &t, err);
    if (r < 0)
        return r;
    str alg = json_get_str(&t.header, S("alg")), kid = json_get_str(&t.header, S("kid"));
    if (!str_is(alg, alg_names[JWT_ES256]) && !str_is(alg, alg_names[JWT_RS256]))
        return refuse(err, "signature algorithm is not supported");
    bool verified = false, tried = false;
    for (size_t i = 0; !verified && i < n; i++) {
        if (!str_eq(alg, jwt_key_alg(keys[i])) || (kid.len && !str_eq(kid, jwt_key_id(keys[i]))))
            continue;
        tried = true;
        verified = jwt_key_verify(keys[i], t.signed_text, t.signature);
    }
    if (!verified)
        return refuse(err, tried ? "signature does not match" : "no key for it");
    struct json claims;
    r = part_object(a, t.claims, &claims, err);
    if (r < 0)
        return r;
    *ret_claims = claims;
    return 0;
}

/* --- claims --------------------------------------------------------------------------------------------- */

/* A NumericDate in seconds, false when absent; *ret_bad when it is no number. */
static bool claim_time(const struct json *claims, str name, double *ret, bool *ret_bad)
{
    const struct json *v = json_get(claims, name);
    if (!v || v->type == JSON_NULL)
        return false;
    if (!json_to_double(v, ret))
        *ret_bad = true;
    return !*ret_bad;
}

bool jwt_has_audience(const struct json *claims, str audience)
{
    const struct json *aud = json_get(claims, S("aud"));
    if (json_is(aud, JSON_STRING))
        return str_eq(json_str(aud), audience);
    for (uint32_t i = 0; json_is(aud, JSON_ARRAY) && i < aud->len; i++)
        if (aud->items[i].type == JSON_STRING && str_eq(json_str(&aud->items[i]), audience))
            return true;
    return false;
}

int jwt_check_claims(const struct json *claims, const struct jwt_expect *expect, nsec_t now, struct err *err)
{
    double at = (double)now / NSEC_PER_SEC, leeway = (double)expect->leeway / NSEC_PER_SEC, exp = 0, nbf = 0;
    bool bad = false, has_exp = claim_time(claims, S("exp"), &exp, &bad), has_nbf = claim_time(claims, S("nbf"), &nbf, &bad);
    if (bad)
        return refuse(err, "exp or nbf is not a number");
    if (!has_exp && expect->must_expire)
        return refuse(err, "it has no expiry");
    if (has_exp && at - leeway >= exp)
        return refuse(err, "it has expired");
    if (has_nbf && at + leeway < nbf)
        return refuse(err, "it is not valid yet");
    if (expect->issuer.len && !str_eq(json_get_str(claims, S("iss")), expect->issuer))
        return refuse(err, "issuer is another one");
    for (size_t i = 0; i < expect->naudiences; i++)
        if (jwt_has_audience(claims, expect->audiences[i]))
            return 0;
    return expect->naudiences ? refuse(err, "it is for another audience") : 0;
}
