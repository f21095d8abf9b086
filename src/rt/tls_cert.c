/* SPDX-License-Identifier: Apache-2.0 */
/* Keys and certificates: the half of tls.h that needs no connection. */
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>

#include "base/civil.h"
#include "rt/tls.h"
#include "rt/tls_internal.h"

DEFINE_CLEANUP(BIGNUM *, BN_free)
DEFINE_CLEANUP(GENERAL_NAMES *, GENERAL_NAMES_free)

#define SERIAL_BITS 159 /* RFC 5280: positive and at most 20 bytes */

int tls_err_set(struct err *err, int code, const char *what)
{
    unsigned long e = ERR_peek_last_error();
    char reason[128] = "unknown reason";
    if (e)
        snprintf(reason, sizeof reason, "%s", ERR_reason_error_string(e) ? ERR_reason_error_string(e) : "unknown reason");
    ERR_clear_error();
    return err_set(err, code, "%s: %s", what, reason);
}

BIO *tls_pem_open(const char *pem)
{
    BIO *b = BIO_new_mem_buf(pem, -1);
    BUG_ON(!b);
    return b;
}

void tls_random(void *p, size_t len)
{
    BUG_ON(len > INT32_MAX || RAND_bytes(p, (int)len) != 1);
}

/* --- PEM ----------------------------------------------------------------------------------------- */

static char *bio_text(BIO *b)
{
    char *p;
    long len = BIO_get_mem_data(b, &p);
    BUG_ON(len < 0);
    return str_dup(str_n(p, (size_t)len));
}

static char *pem_of_key(EVP_PKEY *key)
{
    BIO *b CLEANUP(BIO_free_all) = BIO_new(BIO_s_mem());
    BUG_ON(!b || !PEM_write_bio_PrivateKey(b, key, NULL, NULL, 0, NULL, NULL));
    return bio_text(b);
}

static char *pem_of_cert(X509 *cert)
{
    BIO *b CLEANUP(BIO_free_all) = BIO_new(BIO_s_mem());
    BUG_ON(!b || !PEM_write_bio_X509(b, cert));
    return bio_text(b);
}

int tls_cert_parse(const char *pem, const char *what, X509 **ret, struct err *err)
{
    BIO *b CLEANUP(BIO_free_all) = tls_pem_open(pem);
    X509 *cert = PEM_read_bio_X509(b, NULL, NULL, NULL);
    if (!cert)
        return tls_err_set(err, E_PARSE, what);
    *ret = cert;
    return 0;
}

/* An encrypted key must fail, not ask on the terminal. */
static int no_password(char *buf UNUSED, int size UNUSED, int rwflag UNUSED, void *arg UNUSED)
{
    return -1;
}

int tls_key_parse(const char *pem, const char *what, EVP_PKEY **ret, struct err *err)
{
    BIO *b CLEANUP(BIO_free_all) = tls_pem_open(pem);
    EVP_PKEY *key = PEM_read_bio_PrivateKey(b, NULL, no_password, NULL);
    if (!key)
        return tls_err_set(err, E_PARSE, what);
    *ret = key;
    return 0;
}

/* --- making ---------------------------------------------------------------------------------------- */

static int new_key(EVP_PKEY **ret, struct err *err)
{
    EVP_PKEY *key = EVP_EC_gen("P-256");
    if (!key)
        return tls_err_set(err, E_INTERNAL, "cannot make a key");
    *ret = key;
    return 0;
}

int tls_key_make(char **ret_key_pem, struct err *err)
{
    EVP_PKEY *key CLEANUP(EVP_PKEY_free) = NULL;
    int r = new_key(&key, err);
    if (r < 0)
        return r;
    *ret_key_pem = pem_of_key(key);
    return 0;
}

static bool set_serial(X509 *cert)
{
    BIGNUM *n CLEANUP(BN_free) = BN_new();
    return n && BN_rand(n, SERIAL_BITS, BN_RAND_TOP_ONE, BN_RAND_BOTTOM_ANY) && BN_to_ASN1_INTEGER(n, X509_get_serialNumber(cert));
}

static bool set_time(ASN1_TIME *t, nsec_t wall)
{
    return ASN1_TIME_set(t, (time_t)(wall / NSEC_PER_SEC)) != NULL;
}

static bool add_name(X509_NAME *name, const char *type, const char *value)
{
    return X509_NAME_add_entry_by_txt(name, type, MBSTRING_UTF8, (const unsigned char *)value, -1, -1, 0);
}

static bool set_subject(X509 *cert, const struct tls_cert_request *req)
{
    X509_NAME *name = X509_get_subject_name(cert);
    for (const char *const *o = req->organizations; o && *o; o++) {
        if (!add_name(name, "O", *o))
            return false;
    }
    return add_name(name, "CN", req->common_name);
}

static bool add_extension(X509 *cert, X509 *issuer, int nid, const char *value)
{
    X509V3_CTX ctx;
    X509V3_set_ctx_nodb(&ctx);
    X509V3_set_ctx(&ctx, issuer, cert, NULL, NULL, 0);
    X509_EXTENSION *ext = X509V3_EXT_conf_nid(NULL, &ctx, nid, value);
    bool ok = ext && X509_add_ext(cert, ext, -1);
    X509_EXTENSION_free(ext);
    return ok;
}

static bool push_alt_name(GENERAL_NAMES *names, int type, void *value)
{
    GENERAL_NAME *n = GENERAL_NAME_new();
    BUG_ON(!n);
    GENERAL_NAME_set0_value(n, type, value);
    return sk_GENERAL_NAME_push(names, n) > 0;
}

/* Built by hand, because the text form would let a name with a comma in it become two. */
static int set_alt_names(X509 *cert, const struct tls_cert_request *req, struct err *err)
{
    GENERAL_NAMES *names CLEANUP(GENERAL_NAMES_free) = sk_GENERAL_NAME_new_null();
    BUG_ON(!names);
    for (const char *const *d = req->dns_names; d && *d; d++) {
        ASN1_IA5STRING *s = ASN1_IA5STRING_new();
        BUG_ON(!s || !ASN1_STRING_set(s, *d, -1) || !push_alt_name(names, GEN_DNS, s));
    }
    for (const char *const *ip = req->ip_addresses; ip && *ip; ip++) {
        ASN1_OCTET_STRING *s = a2i_IPADDRESS(*ip);
        if (!s) {
            ERR_clear_error();
            return err_set(err, E_INVALID_ARG, "\"%s\" is not an IP address", *ip);
        }
        BUG_ON(!push_alt_name(names, GEN_IPADD, s));
    }
    if (sk_GENERAL_NAME_num(names) > 0 && X509_add1_ext_i2d(cert, NID_subject_alt_name, names, 0, X509V3_ADD_DEFAULT) != 1)
        return tls_err_set(err, E_INTERNAL, "cannot add the certificate's names");
    return 0;
}

static const char *extended_usage(const struct tls_cert_request *req)
{
    if (req->for_server && req->for_client)
        return "serverAuth,clientAuth";
    return req->for_server ? "serverAuth" : req->for_client ? "clientAuth" : NULL;
}

static bool set_extensions(X509 *cert, X509 *issuer, const struct tls_cert_request *req)
{
    const char *eku = extended_usage(req);
    return add_extension(cert, issuer, NID_basic_constraints, req->is_ca ? "critical,CA:TRUE" : "critical,CA:FALSE") &&
           add_extension(cert, issuer, NID_key_usage, req->is_ca ? "critical,digitalSignature,keyCertSign,cRLSign" : "critical,digitalSignature") &&
           (!eku || add_extension(cert, issuer, NID_ext_key_usage, eku)) &&
           add_extension(cert, issuer, NID_subject_key_identifier, "hash") &&
           add_extension(cert, issuer, NID_authority_key_identifier, "keyid");
}

static int load_ca(const char *cert_pem, const char *key_pem, X509 **ret_cert, EVP_PKEY **ret_key, struct err *err)
{
    X509 *cert CLEANUP(X509_free) = NULL;
    EVP_PKEY *key CLEANUP(EVP_PKEY_free) = NULL;
    int r = tls_cert_parse(cert_pem, "cannot read the CA certificate", &cert, err);
    if (r == 0)
        r = tls_key_parse(key_pem, "cannot read the CA key", &key, err);
    if (r < 0)
        return r;
    if (!X509_check_private_key(cert, key)) {
        ERR_clear_error();
        return err_set(err, E_INVALID_ARG, "the CA key does not belong to the CA certificate");
    }
    *ret_cert = TAKE(cert);
    *ret_key = TAKE(key);
    return 0;
}

int tls_cert_make(const struct tls_cert_request *req, const char *ca_cert_pem, const char *ca_key_pem, char **ret_cert_pem,
                  char **ret_key_pem, struct err *err)
{
    X509 *ca CLEANUP(X509_free) = NULL;
    EVP_PKEY *ca_key CLEANUP(EVP_PKEY_free) = NULL, *key CLEANUP(EVP_PKEY_free) = NULL;
    X509 *cert CLEANUP(X509_free) = X509_new();
    BUG_ON(!cert);
    int r = ca_cert_pem ? load_ca(ca_cert_pem, ca_key_pem, &ca, &ca_key, err) : 0;
    if (r == 0)
        r = new_key(&key, err);
    if (r < 0)
        return r;
    if (!X509_set_version(cert, X509_VERSION_3) || !set_serial(cert) || !set_time(X509_getm_notBefore(cert), req->not_before) ||
        !set_time(X509_getm_notAfter(cert), req->not_after) || !set_subject(cert, req) || !X509_set_pubkey(cert, key) ||
        !X509_set_issuer_name(cert, X509_get_subject_name(ca ? ca : cert)) || !set_extensions(cert, ca ? ca : cert, req))
        return tls_err_set(err, E_INVALID_ARG, "cannot fill in the certificate");
    r = set_alt_names(cert, req, err);
    if (r < 0)
        return r;
    if (!X509_sign(cert, ca_key ? ca_key : key, EVP_sha256()))
        return tls_err_set(err, E_INTERNAL, "cannot sign the certificate");
    *ret_cert_pem = pem_of_cert(cert);
    *ret_key_pem = pem_of_key(key);
    return 0;
}

nsec_t tls_time_ns(const ASN1_TIME *t)
{
    struct tm tm;
    if (!ASN1_TIME_to_tm(t, &tm))
        return 0;
    return civil_to_ns(&(struct civil){tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec, 0});
}

int tls_cert_not_after(const char *cert_pem, nsec_t *ret, struct err *err)
{
    X509 *cert CLEANUP(X509_free) = NULL;
    int r = tls_cert_parse(cert_pem, "cannot read the certificate", &cert, err);
    if (r < 0)
        return r;
    *ret = tls_time_ns(X509_get0_notAfter(cert));
    return 0;
}
