/* SPDX-License-Identifier: Apache-2.0 */
/* Keys and certificates: the half of tls.h that needs no connection. */
#include <arpa/inet.h>
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

static bool fill_name(X509_NAME *name, const struct tls_cert_request *req)
{
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
static int alt_names(const struct tls_cert_request *req, GENERAL_NAMES **ret, struct err *err)
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
    *ret = TAKE(names);
    return 0;
}

static int set_alt_names(X509 *cert, const struct tls_cert_request *req, struct err *err)
{
    GENERAL_NAMES *names CLEANUP(GENERAL_NAMES_free) = NULL;
    int r = alt_names(req, &names, err);
    if (r < 0)
        return r;
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
        !set_time(X509_getm_notAfter(cert), req->not_after) || !fill_name(X509_get_subject_name(cert), req) || !X509_set_pubkey(cert, key) ||
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

int tls_cert_lifetime(const char *cert_pem, nsec_t *ret_not_before, nsec_t *ret_not_after, struct err *err)
{
    X509 *cert CLEANUP(X509_free) = NULL;
    int r = tls_cert_parse(cert_pem, "cannot read the certificate", &cert, err);
    if (r < 0)
        return r;
    *ret_not_before = tls_time_ns(X509_get0_notBefore(cert));
    *ret_not_after = tls_time_ns(X509_get0_notAfter(cert));
    return 0;
}

bool tls_cert_fits(const char *cert_pem, const char *key_pem, const char *ca_cert_pem)
{
    X509 *cert CLEANUP(X509_free) = NULL, *ca CLEANUP(X509_free) = NULL;
    EVP_PKEY *key CLEANUP(EVP_PKEY_free) = NULL;
    bool fits = tls_cert_parse(cert_pem, "", &cert, NULL) == 0 && tls_cert_parse(ca_cert_pem, "", &ca, NULL) == 0 && tls_key_parse(key_pem, "", &key, NULL) == 0 &&
                X509_check_private_key(cert, key) == 1 && X509_verify(cert, X509_get0_pubkey(ca)) == 1;
    ERR_clear_error();
    return fits;
}

bool tls_cert_has_name(const char *cert_pem, const char *name)
{
    X509 *cert CLEANUP(X509_free) = NULL;
    bool has = tls_cert_parse(cert_pem, "", &cert, NULL) == 0 &&
               (X509_check_ip_asc(cert, name, 0) == 1 || X509_check_host(cert, name, strlen(name), X509_CHECK_FLAG_NEVER_CHECK_SUBJECT, NULL) == 1);
    ERR_clear_error();
    return has;
}

static bool pin_of(const X509 *cert, char ret[TLS_PIN_LEN + 1])
{
    unsigned char digest[32], *der = NULL;
    unsigned len = sizeof digest;
    int n = i2d_X509_PUBKEY(X509_get_X509_PUBKEY(cert), &der);
    bool ok = n > 0 && EVP_Digest(der, (size_t)n, digest, &len, EVP_sha256(), NULL);
    OPENSSL_free(der);
    size_t at = (size_t)snprintf(ret, TLS_PIN_LEN + 1, "sha256:");
    for (size_t i = 0; ok && i < sizeof digest; i++)
        at += (size_t)snprintf(ret + at, TLS_PIN_LEN + 1 - at, "%02x", digest[i]);
    return ok;
}

int tls_cert_pin(const char *cert_pem, char ret[TLS_PIN_LEN + 1], struct err *err)
{
    X509 *cert CLEANUP(X509_free) = NULL;
    int r = tls_cert_parse(cert_pem, "cannot read the certificate", &cert, err);
    if (r < 0)
        return r;
    return pin_of(cert, ret) ? 0 : tls_err_set(err, E_PARSE, "cannot read the certificate's public key");
}

int tls_cert_pinned(const char *certs_pem, const char *pin, char **ret_pem, struct err *err)
{
    BIO *b CLEANUP(BIO_free_all) = tls_pem_open(certs_pem);
    char *found = NULL, has[TLS_PIN_LEN + 1];
    for (X509 *cert; !found && (cert = PEM_read_bio_X509(b, NULL, NULL, NULL)); X509_free(cert))
        found = pin_of(cert, has) && str_ieq(str_of(has), str_of(pin)) ? pem_of_cert(cert) : NULL;
    ERR_clear_error();
    if (!found)
        return err_set(err, E_NOT_FOUND, "no certificate has the hash %s", pin);
    *ret_pem = found;
    return 0;
}

/* --- requests ---------------------------------------------------------------------------------------- */

DEFINE_CLEANUP(X509_REQ *, X509_REQ_free)
DEFINE_CLEANUP(X509_NAME *, X509_NAME_free)

static void free_extensions(STACK_OF(X509_EXTENSION) **list)
{
    sk_X509_EXTENSION_pop_free(*list, X509_EXTENSION_free);
}

static int csr_read(const char *pem, X509_REQ **ret, struct err *err)
{
    if (strlen(pem) > TLS_CSR_BYTES)
        return err_set(err, E_TOO_LARGE, "the certificate request is longer than %u bytes", TLS_CSR_BYTES);
    BIO *b CLEANUP(BIO_free_all) = tls_pem_open(pem);
    X509_REQ *csr CLEANUP(X509_REQ_free) = PEM_read_bio_X509_REQ(b, NULL, no_password, NULL);
    if (!csr)
        return tls_err_set(err, E_PARSE, "cannot read the certificate request");
    EVP_PKEY *key = X509_REQ_get0_pubkey(csr);
    if (!key || X509_REQ_verify(csr, key) != 1)
        return tls_err_set(err, E_PARSE, "the signature of the certificate request is wrong");
    *ret = TAKE(csr);
    return 0;
}

/* False for texts that C strings and others would read differently. */
static bool take_text(struct arena *a, const ASN1_STRING *s, str *ret)
{
    unsigned char *utf8 = NULL;
    int n = ASN1_STRING_to_UTF8(&utf8, s);
    if (n < 0)
        return false;
    *ret = arena_str(a, str_n((const char *)utf8, (size_t)n));
    OPENSSL_free(utf8);
    return !memchr(ret->p, 0, ret->len);
}

static str subject_text(struct arena *a, const char *cert_pem, int nid, str prefix)
{
    X509 *cert CLEANUP(X509_free) = NULL;
    str found = S("");
    bool is_read = tls_cert_parse(cert_pem, "", &cert, NULL) == 0;
    const X509_NAME *name = is_read ? X509_get_subject_name(cert) : NULL;
    for (int i = 0; name && !found.len && i < X509_NAME_entry_count(name); i++) {
        X509_NAME_ENTRY *e = X509_NAME_get_entry(name, i);
        str text;
        if (OBJ_obj2nid(X509_NAME_ENTRY_get_object(e)) == nid && take_text(a, X509_NAME_ENTRY_get_data(e), &text) && str_has_prefix(text, prefix))
            found = str_from(text, prefix.len);
    }
    ERR_clear_error();
    return found;
}

str tls_cert_organization(struct arena *a, const char *cert_pem, str prefix)
{
    return subject_text(a, cert_pem, NID_organizationName, prefix);
}

str tls_cert_common_name(struct arena *a, const char *cert_pem)
{
    return subject_text(a, cert_pem, NID_commonName, S(""));
}

static int csr_subject(struct arena *a, const X509_REQ *csr, struct tls_csr *ret, struct err *err)
{
    X509_NAME *name = X509_REQ_get_subject_name(csr);
    const str none = ret->common_name;
    for (int i = 0; i < X509_NAME_entry_count(name); i++) {
        X509_NAME_ENTRY *e = X509_NAME_get_entry(name, i);
        int nid = OBJ_obj2nid(X509_NAME_ENTRY_get_object(e));
        str text;
        if (!take_text(a, X509_NAME_ENTRY_get_data(e), &text))
            return err_set(err, E_PARSE, "the subject of the certificate request is no text");
        /* readers differ about which of two names counts, and who looks for a group must see them all */
        if (nid == NID_commonName && ret->common_name.p != none.p)
            return err_set(err, E_PARSE, "the subject of the certificate request has more than one common name");
        if (nid == NID_organizationName && ret->norganizations == TLS_MAX_GROUPS)
            return err_set(err, E_TOO_LARGE, "the subject of the certificate request has more than %d organizations", TLS_MAX_GROUPS);
        if (nid == NID_commonName)
            ret->common_name = text;
        else if (nid == NID_organizationName)
            ret->organizations[ret->norganizations++] = text;
        else
            ret->has_other_subject = true;
    }
    return 0;
}

static int csr_alt_name(struct arena *a, const GENERAL_NAME *n, struct tls_csr *ret, struct err *err)
{
    int type;
    const ASN1_STRING *value = GENERAL_NAME_get0_value(n, &type);
    if (ret->ndns_names == TLS_CSR_NAMES || ret->nip_addresses == TLS_CSR_NAMES)
        return err_set(err, E_TOO_LARGE, "the certificate request has more than %d names", TLS_CSR_NAMES);
    if (type == GEN_DNS) {
        str text = arena_str(a, str_n((const char *)ASN1_STRING_get0_data(value), (size_t)ASN1_STRING_length(value)));
        if (memchr(text.p, 0, text.len))
            return err_set(err, E_PARSE, "a name of the certificate request is no text");
        ret->dns_names[ret->ndns_names++] = text;
    } else if (type == GEN_IPADD && (ASN1_STRING_length(value) == 4 || ASN1_STRING_length(value) == 16)) {
        char ip[INET6_ADDRSTRLEN];
        inet_ntop(ASN1_STRING_length(value) == 4 ? AF_INET : AF_INET6, ASN1_STRING_get0_data(value), ip, sizeof ip);
        ret->ip_addresses[ret->nip_addresses++] = arena_str(a, str_of(ip));
    } else {
        ret->has_other_names = true;
    }
    return 0;
}

static int csr_alt_names(struct arena *a, const X509_REQ *csr, struct tls_csr *ret, struct err *err)
{
    STACK_OF(X509_EXTENSION) *list __attribute__((cleanup(free_extensions))) = X509_REQ_get_extensions((X509_REQ *)csr);
    GENERAL_NAMES *names CLEANUP(GENERAL_NAMES_free) = list ? X509V3_get_d2i(list, NID_subject_alt_name, NULL, NULL) : NULL;
    int r = 0;
    for (int i = 0; names && i < sk_GENERAL_NAME_num(names) && r == 0; i++)
        r = csr_alt_name(a, sk_GENERAL_NAME_value(names, i), ret, err);
    ERR_clear_error();
    return r;
}

int tls_csr_parse(struct arena *a, const char *csr_pem, struct tls_csr *ret, struct err *err)
{
    X509_REQ *csr CLEANUP(X509_REQ_free) = NULL;
    *ret = (struct tls_csr){.common_name = S("")};
    int r = csr_read(csr_pem, &csr, err);
    if (r == 0)
        r = csr_subject(a, csr, ret, err);
    return r < 0 ? r : csr_alt_names(a, csr, ret, err);
}

static int req_alt_names(X509_REQ *csr, const struct tls_cert_request *req, struct err *err)
{
    GENERAL_NAMES *names CLEANUP(GENERAL_NAMES_free) = NULL;
    STACK_OF(X509_EXTENSION) *list __attribute__((cleanup(free_extensions))) = NULL;
    int r = alt_names(req, &names, err);
    if (r < 0 || sk_GENERAL_NAME_num(names) == 0)
        return r;
    if (X509V3_add1_i2d(&list, NID_subject_alt_name, names, 0, X509V3_ADD_DEFAULT) != 1 || !X509_REQ_add_extensions(csr, list))
        return tls_err_set(err, E_INTERNAL, "cannot add the names to the certificate request");
    return 0;
}

int tls_csr_make(const struct tls_cert_request *req, const char *key_pem, char **ret_csr_pem, struct err *err)
{
    EVP_PKEY *key CLEANUP(EVP_PKEY_free) = NULL;
    X509_REQ *csr CLEANUP(X509_REQ_free) = X509_REQ_new();
    BUG_ON(!csr);
    int r = tls_key_parse(key_pem, "cannot read the key", &key, err);
    if (r < 0)
        return r;
    if (!X509_REQ_set_version(csr, X509_REQ_VERSION_1) || !fill_name(X509_REQ_get_subject_name(csr), req) || !X509_REQ_set_pubkey(csr, key))
        return tls_err_set(err, E_INVALID_ARG, "cannot fill in the certificate request");
    r = req_alt_names(csr, req, err);
    if (r < 0)
        return r;
    BIO *b CLEANUP(BIO_free_all) = BIO_new(BIO_s_mem());
    if (!b || !X509_REQ_sign(csr, key, EVP_sha256()) || !PEM_write_bio_X509_REQ(b, csr))
        return tls_err_set(err, E_INTERNAL, "cannot sign the certificate request");
    *ret_csr_pem = bio_text(b);
    return 0;
}

/* A list of texts for struct tls_cert_request. */
static const char *const *text_list(struct arena *a, const str *list, size_t n)
{
    const char **out = arena_array(a, n + 1, const char *);
    for (size_t i = 0; i < n; i++)
        out[i] = arena_cstr(a, list[i]);
    return out;
}

int tls_csr_sign(const char *csr_pem, const struct tls_cert_request *terms, const char *ca_cert_pem, const char *ca_key_pem, char **ret_cert_pem, struct err *err)
{
    ARENA_AUTO a = ARENA_INIT;
    X509_REQ *csr CLEANUP(X509_REQ_free) = NULL;
    X509 *ca CLEANUP(X509_free) = NULL, *cert CLEANUP(X509_free) = X509_new();
    EVP_PKEY *ca_key CLEANUP(EVP_PKEY_free) = NULL;
    struct tls_csr asked;
    BUG_ON(!cert);
    int r = csr_read(csr_pem, &csr, err);
    if (r < 0 || (r = tls_csr_parse(&a, csr_pem, &asked, err)) < 0 || (r = load_ca(ca_cert_pem, ca_key_pem, &ca, &ca_key, err)) < 0)
        return r;
    /* no extension of the request is copied: what it may ask for are names, and they are made anew */
    struct tls_cert_request req = *terms;
    req.dns_names = text_list(&a, asked.dns_names, asked.ndns_names);
    req.ip_addresses = text_list(&a, asked.ip_addresses, asked.nip_addresses);
    X509_NAME *subject CLEANUP(X509_NAME_free) = X509_NAME_dup(X509_REQ_get_subject_name(csr));
    for (const char *const *o = terms->organizations; subject && o && *o; o++)
        if (!add_name(subject, "O", *o))
            return tls_err_set(err, E_INVALID_ARG, "cannot add an organization to the subject");
    if (!subject || !X509_set_version(cert, X509_VERSION_3) || !set_serial(cert) || !set_time(X509_getm_notBefore(cert), req.not_before) ||
        !set_time(X509_getm_notAfter(cert), req.not_after) || !X509_set_subject_name(cert, subject) ||
        !X509_set_pubkey(cert, X509_REQ_get0_pubkey(csr)) || !X509_set_issuer_name(cert, X509_get_subject_name(ca)) || !set_extensions(cert, ca, &req))
        return tls_err_set(err, E_INVALID_ARG, "cannot fill in the certificate");
    r = set_alt_names(cert, &req, err);
    if (r < 0)
        return r;
    if (!X509_sign(cert, ca_key, EVP_sha256()))
        return tls_err_set(err, E_INTERNAL, "cannot sign the certificate");
    *ret_cert_pem = pem_of_cert(cert);
    return 0;
}
