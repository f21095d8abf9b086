/* tls.h - TLS on non-blocking sockets with OpenSSL, certificates and keys.
 *
 * Threads: a tls_server or tls_client context is shared, a session belongs to one loop.
 * Ownership: tls_peer lives as long as its session.
 * Limits: TLS 1.2 and 1.3 only; buffers are released while a session is idle (SSL_MODE_RELEASE_BUFFERS). */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/arena.h"
#include "base/clock.h"
#include "base/err.h"

struct tls_server;
struct tls_client;
struct tls_session;

/* The verified client certificate: user = CN, groups = O. */
#define TLS_MAX_GROUPS 16
struct tls_peer {
    str common_name;
    str organizations[TLS_MAX_GROUPS];
    size_t norganizations;
    nsec_t not_after; /* wall time */
};

/* --- keys and certificates (PEM), all ECDSA P-256 ---------------------------------------------------- */
struct tls_cert_request {
    const char *common_name;
    const char *const *organizations; /* NULL-terminated, may be NULL */
    const char *const *dns_names;     /* NULL-terminated, may be NULL */
    const char *const *ip_addresses;  /* NULL-terminated, may be NULL */
    bool is_ca, for_server, for_client;
    nsec_t not_before, not_after; /* wall time */
};
/* A new key and a certificate signed by the CA (ca_* NULL: self-signed).  PEM texts on the heap. */
int tls_cert_make(const struct tls_cert_request *req, const char *ca_cert_pem, const char *ca_key_pem, char **ret_cert_pem,
                  char **ret_key_pem, struct err *err) MUST_CHECK;
/* When a PEM certificate ends. */
int tls_cert_not_after(const char *cert_pem, nsec_t *ret, struct err *err) MUST_CHECK;
/* The same with its beginning. */
int tls_cert_lifetime(const char *cert_pem, nsec_t *ret_not_before, nsec_t *ret_not_after, struct err *err) MUST_CHECK;
/* Is it signed by this CA, and does the key belong to it? */
bool tls_cert_fits(const char *cert_pem, const char *key_pem, const char *ca_cert_pem);
/* Is it good for a server of that DNS name or address? */
bool tls_cert_has_name(const char *cert_pem, const char *name);
/* What follows the prefix in the first organization that begins so; "": none does.  On the arena. */
str tls_cert_organization(struct arena *a, const char *cert_pem, str prefix);
str tls_cert_common_name(struct arena *a, const char *cert_pem); /* "": there is none */
/* "sha256:<64 hex digits>" of the certificate's public key (SubjectPublicKeyInfo): what a CA is pinned by. */
#define TLS_PIN_LEN 71
int tls_cert_pin(const char *cert_pem, char ret[TLS_PIN_LEN + 1], struct err *err) MUST_CHECK;
/* The certificate of that pin among those in the text, alone: whoever trusts the whole text also trusts what somebody put beside it.  -E_NOT_FOUND. */
int tls_cert_pinned(const char *certs_pem, const char *pin, char **ret_pem, struct err *err) MUST_CHECK;
int tls_key_make(char **ret_key_pem, struct err *err) MUST_CHECK; /* EC P-256, for service-account tokens */
void tls_random(void *p, size_t len);                            /* for secrets and uids */

/* --- requests for certificates (PKCS#10) ---------------------------------------------------------------- */
#define TLS_CSR_BYTES (32u << 10)
#define TLS_CSR_NAMES 64
/* What a request asks for; its signature is good.  Texts on the arena, without NUL bytes in them. */
struct tls_csr {
    str common_name;
    str organizations[TLS_MAX_GROUPS], dns_names[TLS_CSR_NAMES], ip_addresses[TLS_CSR_NAMES];
    size_t norganizations, ndns_names, nip_addresses;
    bool has_other_names;   /* e-mail addresses, URIs and the like among the alternative names */
    bool has_other_subject; /* parts of the subject besides O and CN */
};
/* A request for key_pem's certificate: names, organizations; the times and is_ca are the signer's matter. */
int tls_csr_make(const struct tls_cert_request *req, const char *key_pem, char **ret_csr_pem, struct err *err) MUST_CHECK;
int tls_csr_parse(struct arena *a, const char *csr_pem, struct tls_csr *ret, struct err *err) MUST_CHECK;
/* A certificate with the request's key and subject, and its DNS names and addresses; all else is from terms (for_*, times, organizations besides the request's). */
int tls_csr_sign(const char *csr_pem, const struct tls_cert_request *terms, const char *ca_cert_pem, const char *ca_key_pem, char **ret_cert_pem,
                 struct err *err) MUST_CHECK;

/* --- contexts -------------------------------------------------------------------------------------------- */
/* client_ca_pem: asks for a client certificate, verifies it when given (bad one: handshake fails), lets clients without one in. */
int tls_server_new(const char *cert_pem, const char *key_pem, const char *client_ca_pem, struct tls_server **ret,
                   struct err *err) MUST_CHECK;
/* A renewed certificate for sessions from now on; by the only thread that accepts on it. */
int tls_server_set_cert(struct tls_server *s, const char *cert_pem, const char *key_pem, struct err *err) MUST_CHECK;
void tls_server_free(struct tls_server *s);
/* ca_pem NULL: system roots; cert and key may be NULL.  insecure: no verification. */
int tls_client_new(const char *ca_pem, const char *cert_pem, const char *key_pem, bool insecure, struct tls_client **ret,
                   struct err *err) MUST_CHECK;
void tls_client_free(struct tls_client *c);

/* --- sessions --------------------------------------------------------------------------------------------- */
enum tls_io { TLS_IO_OK, TLS_IO_WANT_READ, TLS_IO_WANT_WRITE, TLS_IO_EOF, TLS_IO_ERROR };

struct tls_session *tls_accept(struct tls_server *s, int fd) MUST_CHECK;
/* server_name: SNI and what the certificate must hold (DNS name or IP address). alpn: "h2,http/1.1" or "http/1.1". */
struct tls_session *tls_connect(struct tls_client *c, int fd, const char *server_name, const char *alpn) MUST_CHECK;
void tls_session_free(struct tls_session *t);
enum tls_io tls_handshake(struct tls_session *t);
enum tls_io tls_read(struct tls_session *t, void *buf, size_t len, size_t *ret_n);
enum tls_io tls_write(struct tls_session *t, const void *buf, size_t len, size_t *ret_n);
/* Bytes already taken from the socket wait inside: read again before polling. */
bool tls_has_pending(const struct tls_session *t);
void tls_shutdown(struct tls_session *t);           /* sends close_notify, does not wait */
bool tls_is_h2(const struct tls_session *t);        /* what ALPN chose */
const struct tls_peer *tls_session_peer(struct tls_session *t); /* NULL: no client certificate */
const char *tls_last_error(struct tls_session *t);  /* sentence for logs after TLS_IO_ERROR */
