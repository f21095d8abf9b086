/* jwt.h - signed JSON web tokens: ES256 and RS256, keys parsed once.
 *
 * Only these two algorithms exist here, and each key has exactly one: "none" and mixing them up cannot be asked for.
 * Threads: a key does not change after jwt_key_new and may be used by all.
 * Ownership: a key is freed by jwt_key_free; claims and texts live in the arena.
 * Limits: tokens over JWT_TOKEN_MAX bytes are refused; RSA keys have 2048 to 8192 bits, EC keys are on P-256. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/clock.h"
#include "wire/json.h"

#define JWT_TOKEN_MAX (16u << 10)

struct jwt_key;

/* From PEM: a private key (signs and verifies), a public key or a certificate (verifies). */
int jwt_key_new(str pem, struct jwt_key **ret, struct err *err) MUST_CHECK;
void jwt_key_free(struct jwt_key *key);
DEFINE_CLEANUP(struct jwt_key *, jwt_key_free)
bool jwt_key_can_sign(const struct jwt_key *key);
/* base64url of the SHA-256 of the public key's DER, as Kubernetes names keys. */
str jwt_key_id(const struct jwt_key *key);
str jwt_key_alg(const struct jwt_key *key); /* "ES256" or "RS256" */

/* A signature as tokens have it, of any text: RSA PKCS#1 v1.5, or the two numbers of ECDSA, over its SHA-256. */
bool jwt_key_verify(const struct jwt_key *key, str signed_text, str signature);

/* The public part for a JWKS document: {"use":"sig","kty":"EC","kid":...,"crv":"P-256","alg":"ES256","x":...,"y":...}. */
struct json jwt_key_jwk(struct arena *a, const struct jwt_key *key);
/* {"keys":[...]} */
struct json jwt_jwks(struct arena *a, const struct jwt_key *const *keys, size_t n);

/* claims: JSON text; the token is header.claims.signature. */
int jwt_sign(struct arena *a, const struct jwt_key *key, str claims, str *ret_token, struct err *err) MUST_CHECK;
/* Checks the signature only.  A token with a key id is tried with the keys of that id, one without with all keys of its
 * algorithm.  E_UNAUTHORIZED says why it was refused; *ret_claims is an object. */
int jwt_verify(struct arena *a, const struct jwt_key *const *keys, size_t n, str token, struct json *ret_claims,
               struct err *err) MUST_CHECK;

struct jwt_expect {
    str issuer;           /* empty: any */
    const str *audiences; /* the token must be for one of them */
    size_t naudiences;    /* 0: any */
    nsec_t leeway;        /* clocks may differ by this much */
    bool must_expire;     /* refuse tokens without exp */
};
/* exp, nbf, iss and aud at wall time `now`; E_UNAUTHORIZED with a sentence. */
int jwt_check_claims(const struct json *claims, const struct jwt_expect *expect, nsec_t now, struct err *err) MUST_CHECK;
/* Whether aud, a string or a list of them, holds the audience. */
bool jwt_has_audience(const struct json *claims, str audience);
