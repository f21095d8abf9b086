/* tls_internal.h - what tls.c and tls_cert.c share: OpenSSL objects from PEM, errors as sentences.
 *
 * Threads: any.  Ownership: the caller frees what comes back. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/x509.h>

#include "base/clock.h"
#include "base/err.h"

DEFINE_CLEANUP(BIO *, BIO_free_all)
DEFINE_CLEANUP(X509 *, X509_free)
DEFINE_CLEANUP(EVP_PKEY *, EVP_PKEY_free)

/* "<what>: <OpenSSL's last reason>"; empties OpenSSL's error queue. */
int tls_err_set(struct err *err, int code, const char *what);
BIO *tls_pem_open(const char *pem) MUST_CHECK;
int tls_cert_parse(const char *pem, const char *what, X509 **ret, struct err *err) MUST_CHECK;
int tls_key_parse(const char *pem, const char *what, EVP_PKEY **ret, struct err *err) MUST_CHECK;
nsec_t tls_time_ns(const ASN1_TIME *t); /* wall time; 0 when it cannot be read */
