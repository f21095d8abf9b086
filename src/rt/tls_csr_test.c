/* SPDX-License-Identifier: Apache-2.0 */
#include "base/test.h"
#include "rt/tls.h"

#define DAY (24 * 3600 * NSEC_PER_SEC)
#define NOW (1700000000 * NSEC_PER_SEC)

static const char *const orgs[] = {"system:nodes", NULL}, *const names[] = {"n1", "n1.example", NULL}, *const ips[] = {"10.0.0.7", "fd00::7", NULL};

struct authority {
    char *cert, *key;
};

static struct authority authority_new(void)
{
    struct authority ca;
    struct err err;
    T_NO_ERR(tls_cert_make(&(struct tls_cert_request){.common_name = "ca", .is_ca = true, .not_before = NOW - DAY, .not_after = NOW + 100 * DAY}, NULL, NULL, &ca.cert, &ca.key, &err), &err);
    return ca;
}

static void authority_free(struct authority *ca)
{
    free(ca->cert);
    free(ca->key);
}

TEST(a_request_says_what_was_put_in)
{
    ARENA_AUTO a = ARENA_INIT;
    CLEANUP(free) char *key = NULL, *csr = NULL;
    struct err err;
    struct tls_csr got;
    T_NO_ERR(tls_key_make(&key, &err), &err);
    T_NO_ERR(tls_csr_make(&(struct tls_cert_request){.common_name = "system:node:n1", .organizations = orgs, .dns_names = names, .ip_addresses = ips}, key, &csr, &err), &err);
    T_NO_ERR(tls_csr_parse(&a, csr, &got, &err), &err);
    T_EQ_STR(got.common_name, "system:node:n1");
    T_EQ_INT(got.norganizations, 1);
    T_EQ_STR(got.organizations[0], "system:nodes");
    T_EQ_INT(got.ndns_names, 2);
    T_EQ_STR(got.dns_names[1], "n1.example");
    T_EQ_INT(got.nip_addresses, 2);
    T_EQ_STR(got.ip_addresses[0], "10.0.0.7");
    T_EQ_STR(got.ip_addresses[1], "fd00::7");
    T_OK(!got.has_other_names && !got.has_other_subject);
}

TEST(a_signed_request_is_a_certificate_of_its_key)
{
    CLEANUP(free) char *key = NULL, *csr = NULL, *cert = NULL, *other = NULL;
    struct authority ca = authority_new(), stranger = authority_new();
    struct err err;
    nsec_t from, until;
    T_NO_ERR(tls_key_make(&key, &err), &err);
    T_NO_ERR(tls_key_make(&other, &err), &err);
    T_NO_ERR(tls_csr_make(&(struct tls_cert_request){.common_name = "x", .dns_names = names}, key, &csr, &err), &err);
    struct tls_cert_request terms = {.for_client = true, .not_before = NOW, .not_after = NOW + 10 * DAY};
    T_NO_ERR(tls_csr_sign(csr, &terms, ca.cert, ca.key, &cert, &err), &err);
    T_OK(tls_cert_fits(cert, key, ca.cert));
    T_OK(!tls_cert_fits(cert, other, ca.cert));
    T_OK(!tls_cert_fits(cert, key, stranger.cert));
    T_OK(!tls_cert_fits("", key, ca.cert));
    T_NO_ERR(tls_cert_lifetime(cert, &from, &until, &err), &err);
    T_EQ_INT(from, NOW);
    T_EQ_INT(until, NOW + 10 * DAY);
    static const char *const groups[] = {"system:nodes", "of:alice", "of:bob", NULL};
    ARENA_AUTO a = ARENA_INIT;
    T_EQ_STR(tls_cert_organization(&a, cert, S("of:")), "");
    free(cert);
    terms.organizations = groups;
    T_NO_ERR(tls_csr_sign(csr, &terms, ca.cert, ca.key, &cert, &err), &err);
    T_EQ_STR(tls_cert_organization(&a, cert, S("of:")), "alice");
    T_EQ_STR(tls_cert_organization(&a, cert, S("nobody:")), "");
    T_EQ_STR(tls_cert_organization(&a, "no certificate", S("of:")), "");
    authority_free(&ca);
    authority_free(&stranger);
}

TEST(what_is_no_request_is_refused)
{
    ARENA_AUTO a = ARENA_INIT;
    CLEANUP(free) char *key = NULL, *csr = NULL, *long_text = NULL;
    struct authority ca = authority_new();
    struct tls_csr got;
    struct err err;
    T_NO_ERR(tls_key_make(&key, &err), &err);
    T_NO_ERR(tls_csr_make(&(struct tls_cert_request){.common_name = "x"}, key, &csr, &err), &err);
    const char *bad[] = {"", "x", "-----BEGIN CERTIFICATE REQUEST-----\nAAAA\n-----END CERTIFICATE REQUEST-----\n", ca.cert, key};
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        T_ERR(tls_csr_parse(&a, bad[i], &got, &err), E_PARSE);
        T_OK(err.msg[0]);
    }
    /* a byte in the middle of the base64: the signature, or the structure, is wrong */
    size_t mid = strlen(csr) / 2;
    csr[mid] = csr[mid] == 'A' ? 'B' : 'A';
    T_OK(tls_csr_parse(&a, csr, &got, &err) < 0);
    long_text = xmalloc(TLS_CSR_BYTES + 2);
    memset(long_text, 'x', TLS_CSR_BYTES + 1);
    long_text[TLS_CSR_BYTES + 1] = 0;
    T_ERR(tls_csr_parse(&a, long_text, &got, &err), E_TOO_LARGE);
    authority_free(&ca);
}

TEST(a_pin_is_of_the_key_alone)
{
    struct authority ca = authority_new(), other = authority_new();
    CLEANUP(free) char *csr = NULL, *renewed = NULL;
    char pin[TLS_PIN_LEN + 1], again[TLS_PIN_LEN + 1];
    struct err err;
    T_NO_ERR(tls_cert_pin(ca.cert, pin, &err), &err);
    T_EQ_INT(strlen(pin), TLS_PIN_LEN);
    T_OK(str_has_prefix(str_of(pin), S("sha256:")));
    T_NO_ERR(tls_csr_make(&(struct tls_cert_request){.common_name = "ca"}, ca.key, &csr, &err), &err);
    T_NO_ERR(tls_csr_sign(csr, &(struct tls_cert_request){.is_ca = true, .not_before = NOW, .not_after = NOW + DAY}, ca.cert, ca.key, &renewed, &err), &err);
    T_NO_ERR(tls_cert_pin(renewed, again, &err), &err);
    T_EQ_STR(str_of(again), pin);
    T_NO_ERR(tls_cert_pin(other.cert, again, &err), &err);
    T_OK(strcmp(pin, again) != 0);
    authority_free(&ca);
    authority_free(&other);
}

TEST(a_pin_vouches_for_one_certificate)
{
    struct authority ca = authority_new(), stranger = authority_new();
    ARENA_AUTO a = ARENA_INIT;
    CLEANUP(free) char *first = NULL, *second = NULL, *none = NULL;
    char pin[TLS_PIN_LEN + 1];
    struct err err;
    T_NO_ERR(tls_cert_pin(ca.cert, pin, &err), &err);
    T_NO_ERR(tls_cert_pinned(arena_fmt(&a, "%s%s", ca.cert, stranger.cert).p, pin, &first, &err), &err);
    T_NO_ERR(tls_cert_pinned(arena_fmt(&a, "some words\n%s%s", stranger.cert, ca.cert).p, pin, &second, &err), &err);
    T_EQ_STR(str_of(first), ca.cert);
    T_EQ_STR(str_of(second), ca.cert);
    T_ERR(tls_cert_pinned(stranger.cert, pin, &none, &err), E_NOT_FOUND);
    T_ERR(tls_cert_pinned("", pin, &none, &err), E_NOT_FOUND);
    authority_free(&ca);
    authority_free(&stranger);
}

TEST_MAIN(a_request_says_what_was_put_in, a_signed_request_is_a_certificate_of_its_key, what_is_no_request_is_refused, a_pin_is_of_the_key_alone,
          a_pin_vouches_for_one_certificate)
