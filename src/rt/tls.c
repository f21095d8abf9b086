/* SPDX-License-Identifier: Apache-2.0 */
/* Contexts and sessions.  Settings that look arbitrary were measured: heap by idle_session_is_small in tls_test.c, handshake time (0.65 ms a
 * side with client certificates, 0.2 ms without, OpenSSL 3.0) by hand. */
#include "rt/tls.h"

#include <arpa/inet.h>
#include <errno.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <sys/socket.h>

#include "rt/tls_internal.h"

struct tls_server {
    SSL_CTX *ctx;
};
struct tls_client {
    SSL_CTX *ctx;
    bool insecure;
};

struct tls_session {
    SSL *ssl;
    int fd;
    bool is_server;
    bool established;
    struct tls_peer *peer; /* one block with its strings */
    const char *refused;   /* why we ended the handshake ourselves */
    unsigned long error;   /* OpenSSL's, of the last failed call */
    int error_errno;
};

static void ssl_ctx_free_cleanup(SSL_CTX **ctx)
{
    SSL_CTX_free(*ctx);
}

/* --- the socket below ------------------------------------------------------------------------- */

/* OpenSSL's own socket BIO uses write(2), which raises SIGPIPE; this one cannot. */
static int sock_result(BIO *b, ssize_t n, int retry_flag)
{
    BIO_clear_retry_flags(b);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        BIO_set_flags(b, retry_flag | BIO_FLAGS_SHOULD_RETRY);
    return (int)n;
}
static int sock_fd(BIO *b)
{
    return ((struct tls_session *)BIO_get_data(b))->fd;
}
static int sock_read(BIO *b, char *buf, int len)
{
    ssize_t n = recv(sock_fd(b), buf, (size_t)len, 0);
    if (n == 0)
        BIO_set_flags(b, BIO_FLAGS_IN_EOF);
    return sock_result(b, n, BIO_FLAGS_READ);
}
static int sock_write(BIO *b, const char *buf, int len)
{
    return sock_result(b, send(sock_fd(b), buf, (size_t)len, MSG_NOSIGNAL), BIO_FLAGS_WRITE);
}
static long sock_ctrl(BIO *b, int cmd, long arg UNUSED, void *p UNUSED)
{
    if (cmd == BIO_CTRL_EOF)
        return BIO_test_flags(b, BIO_FLAGS_IN_EOF) != 0;
    return cmd == BIO_CTRL_FLUSH || cmd == BIO_CTRL_DUP;
}

static BIO_METHOD *sock_method;
static void sock_method_make(void)
{
    sock_method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "cox socket");
    BUG_ON(!sock_method || !BIO_meth_set_read(sock_method, sock_read) || !BIO_meth_set_write(sock_method, sock_write) ||
           !BIO_meth_set_ctrl(sock_method, sock_ctrl));
}
static CRYPTO_ONCE sock_once = CRYPTO_ONCE_STATIC_INIT;

/* --- contexts ------------------------------------------------------------------------------------ */

static SSL_CTX *ctx_new(const SSL_METHOD *method)
{
    BUG_ON(!CRYPTO_THREAD_run_once(&sock_once, sock_method_make));
    SSL_CTX *ctx = SSL_CTX_new(method);
    BUG_ON(!ctx);
    SSL_CTX_set_min_proto_version(ctx, TLS1_2_VERSION);
    SSL_CTX_set_options(ctx, SSL_OP_NO_RENEGOTIATION | SSL_OP_IGNORE_UNEXPECTED_EOF | SSL_OP_NO_COMPRESSION);
    SSL_CTX_clear_mode(ctx, SSL_MODE_AUTO_RETRY);
    SSL_CTX_set_mode(ctx, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                              SSL_MODE_NO_AUTO_CHAIN); /* the peer has the CA: sending it costs both sides */
    SSL_CTX_set_session_cache_mode(ctx, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_read_ahead(ctx, 1); /* a record in one recv, not header and body in two */
    BUG_ON(!SSL_CTX_set1_groups_list(ctx, "X25519:P-256"));
    /* AES-128 first: half the key schedule, and SHA-256 for the handshake */
    BUG_ON(!SSL_CTX_set_ciphersuites(ctx, "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256"));
    BUG_ON(!SSL_CTX_set_cipher_list(ctx, "ECDHE+AESGCM:ECDHE+CHACHA20"));
    return ctx;
}

/* The first certificate is ours, those that follow are its chain. */
static int use_cert(SSL_CTX *ctx, const char *cert_pem, const char *key_pem, struct err *err)
{
    EVP_PKEY *key CLEANUP(EVP_PKEY_free) = NULL;
    int r = tls_key_parse(key_pem, "cannot read the private key", &key, err);
    if (r < 0)
        return r;
    BIO *b CLEANUP(BIO_free_all) = tls_pem_open(cert_pem);
    X509 *cert CLEANUP(X509_free) = PEM_read_bio_X509(b, NULL, NULL, NULL);
    if (!cert || SSL_CTX_use_certificate(ctx, cert) != 1)
        return tls_err_set(err, E_PARSE, "cannot read the certificate");
    if (!X509_check_private_key(cert, key) || SSL_CTX_use_PrivateKey(ctx, key) != 1) {
        ERR_clear_error();
        return err_set(err, E_INVALID_ARG, "the private key does not belong to the certificate");
    }
    X509 *next;
    while ((next = PEM_read_bio_X509(b, NULL, NULL, NULL)))
        BUG_ON(!SSL_CTX_add0_chain_cert(ctx, next));
    ERR_clear_error();
    return 0;
}

static int trust(SSL_CTX *ctx, const char *ca_pem, bool name_them, struct err *err)
{
    BIO *b CLEANUP(BIO_free_all) = tls_pem_open(ca_pem);
    size_t n = 0;
    X509 *ca;
    for (; (ca = PEM_read_bio_X509(b, NULL, NULL, NULL)); n++) {
        bool ok = X509_STORE_add_cert(SSL_CTX_get_cert_store(ctx), ca) && (!name_them || SSL_CTX_add_client_CA(ctx, ca));
        X509_free(ca);
        if (!ok)
            return tls_err_set(err, E_PARSE, "cannot use the CA certificate");
    }
    if (n == 0)
        return tls_err_set(err, E_PARSE, "cannot read the CA certificate");
    ERR_clear_error();
    return 0;
}

/* Server preference: h2, then http/1.1; a client that offers neither gets no ALPN and speaks HTTP/1.1. */
static int choose_alpn(SSL *ssl UNUSED, const unsigned char **out, unsigned char *outlen, const unsigned char *in, unsigned inlen,
                       void *arg UNUSED)
{
    static const unsigned char ours[] = "\x02h2\x08http/1.1";
    unsigned char *chosen;
    if (SSL_select_next_proto(&chosen, outlen, ours, sizeof ours - 1, in, inlen) != OPENSSL_NPN_NEGOTIATED)
        return SSL_TLSEXT_ERR_NOACK;
    *out = chosen;
    return SSL_TLSEXT_ERR_OK;
}

int tls_server_new(const char *cert_pem, const char *key_pem, const char *client_ca_pem, struct tls_server **ret, struct err *err)
{
    __attribute__((cleanup(ssl_ctx_free_cleanup))) SSL_CTX *ctx = ctx_new(TLS_server_method());
    SSL_CTX_set_options(ctx, SSL_OP_CIPHER_SERVER_PREFERENCE | SSL_OP_PRIORITIZE_CHACHA);
    /* No resumption: a ticket costs 170 us at each handshake, a fifth of the whole, and client-go never comes back with one.  So
     * every connection shows its certificate anew. */
    SSL_CTX_set_options(ctx, SSL_OP_NO_TICKET);
    SSL_CTX_set_num_tickets(ctx, 0);
    SSL_CTX_set_alpn_select_cb(ctx, choose_alpn, NULL);
    int r = use_cert(ctx, cert_pem, key_pem, err);
    if (r == 0 && client_ca_pem) {
        r = trust(ctx, client_ca_pem, true, err);
        SSL_CTX_set_verify(ctx, SSL_VERIFY_PEER, NULL);
    }
    if (r < 0)
        return r;
    struct tls_server *s = xnew(struct tls_server);
    s->ctx = TAKE(ctx);
    *ret = s;
    return 0;
}

int tls_server_set_cert(struct tls_server *s, const char *cert_pem, const char *key_pem, struct err *err)
{
    __attribute__((cleanup(ssl_ctx_free_cleanup))) SSL_CTX *probe = ctx_new(TLS_server_method());
    int r = use_cert(probe, cert_pem, key_pem, err); /* a pair that does not fit must not replace one that does */
    if (r < 0)
        return r;
    SSL_CTX_clear_chain_certs(s->ctx);
    return use_cert(s->ctx, cert_pem, key_pem, err);
}

void tls_server_free(struct tls_server *s)
{
    if (!s)
        return;
    SSL_CTX_free(s->ctx);
    free(s);
}

int tls_client_new(const char *ca_pem, const char *cert_pem, const char *key_pem, bool insecure, struct tls_client **ret, struct err *err)
{
    __attribute__((cleanup(ssl_ctx_free_cleanup))) SSL_CTX *ctx = ctx_new(TLS_client_method());
    SSL_CTX_set_options(ctx, SSL_OP_NO_TICKET); /* sessions are not kept, so tickets would be thrown away */
    int r = 0;
    if (!insecure) {
        SSL_CTX_set_verify(ctx, SSL_VERIFY_PEER, NULL);
        if (ca_pem)
            r = trust(ctx, ca_pem, false, err);
        else if (!SSL_CTX_set_default_verify_paths(ctx))
            r = tls_err_set(err, E_IO, "cannot load the system's root certificates");
    }
    if (r == 0 && cert_pem)
        r = use_cert(ctx, cert_pem, key_pem ? key_pem : "", err);
    if (r < 0)
        return r;
    struct tls_client *c = xnew(struct tls_client);
    c->ctx = TAKE(ctx);
    c->insecure = insecure;
    *ret = c;
    return 0;
}

void tls_client_free(struct tls_client *c)
{
    if (!c)
        return;
    SSL_CTX_free(c->ctx);
    free(c);
}

/* --- sessions ------------------------------------------------------------------------------------- */

static struct tls_session *session_new(SSL_CTX *ctx, int fd, bool is_server)
{
    struct tls_session *t = xnew(struct tls_session);
    t->fd = fd;
    t->is_server = is_server;
    t->ssl = SSL_new(ctx);
    BIO *b = BIO_new(sock_method);
    BUG_ON(!t->ssl || !b);
    BIO_set_data(b, t);
    BIO_set_init(b, 1);
    SSL_set_bio(t->ssl, b, b);
    if (is_server)
        SSL_set_accept_state(t->ssl);
    else
        SSL_set_connect_state(t->ssl);
    return t;
}

struct tls_session *tls_accept(struct tls_server *s, int fd)
{
    return session_new(s->ctx, fd, true);
}

/* "h2,http/1.1" as length-prefixed names. */
static void offer_alpn(SSL *ssl, const char *alpn)
{
    unsigned char wire[64];
    size_t len = 0;
    str rest = str_of(alpn), name;
    while (rest.len) {
        str_cut(&rest, ',', &name);
        BUG_ON(len + 1 + name.len > sizeof wire);
        wire[len++] = (unsigned char)name.len;
        memcpy(wire + len, name.p, name.len);
        len += name.len;
    }
    BUG_ON(SSL_set_alpn_protos(ssl, wire, (unsigned)len) != 0);
}

static bool is_ip_address(const char *s)
{
    unsigned char buf[16];
    return inet_pton(AF_INET, s, buf) == 1 || inet_pton(AF_INET6, s, buf) == 1;
}

struct tls_session *tls_connect(struct tls_client *c, int fd, const char *server_name, const char *alpn)
{
    struct tls_session *t = session_new(c->ctx, fd, false);
    bool ip = is_ip_address(server_name);
    if (!ip)
        SSL_set_tlsext_host_name(t->ssl, server_name); /* RFC 6066: no addresses in SNI */
    if (!c->insecure)
        BUG_ON(!(ip ? X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(t->ssl), server_name) : SSL_set1_host(t->ssl, server_name)));
    if (alpn)
        offer_alpn(t->ssl, alpn);
    return t;
}

void tls_session_free(struct tls_session *t)
{
    if (!t)
        return;
    SSL_free(t->ssl);
    free(t->peer);
    free(t);
}

static enum tls_io io_result(struct tls_session *t, int ret)
{
    switch (SSL_get_error(t->ssl, ret)) {
    case SSL_ERROR_NONE:
        return TLS_IO_OK;
    case SSL_ERROR_WANT_READ:
        return TLS_IO_WANT_READ;
    case SSL_ERROR_WANT_WRITE:
        return TLS_IO_WANT_WRITE;
    case SSL_ERROR_ZERO_RETURN:
        return TLS_IO_EOF;
    case SSL_ERROR_SYSCALL:
        t->error_errno = errno;
        break;
    default:
        break;
    }
    t->error = ERR_peek_error();
    ERR_clear_error();
    return TLS_IO_ERROR;
}

/* --- the client certificate -------------------------------------------------------------------------- */

struct subject {
    str common_name;
    str organizations[TLS_MAX_GROUPS];
    size_t norganizations, bytes;
};

/* The values point into what ASN1_STRING_to_UTF8 allocated. */
static const char *subject_add(struct subject *s, int nid, str value)
{
    if (memchr(value.p, 0, value.len) || !str_is_utf8(value))
        return "the client certificate's subject is not text";
    if (nid == NID_commonName) {
        OPENSSL_free((char *)(uintptr_t)s->common_name.p); /* the last one counts, as in Go */
        s->common_name = value;
    } else if (s->norganizations == TLS_MAX_GROUPS) {
        return "the client certificate has too many organizations";
    } else {
        s->organizations[s->norganizations++] = value;
    }
    return NULL;
}

static const char *subject_read(X509 *cert, struct subject *s)
{
    X509_NAME *name = X509_get_subject_name(cert);
    for (int i = 0; i < X509_NAME_entry_count(name); i++) {
        X509_NAME_ENTRY *e = X509_NAME_get_entry(name, i);
        int nid = OBJ_obj2nid(X509_NAME_ENTRY_get_object(e));
        if (nid != NID_commonName && nid != NID_organizationName)
            continue;
        unsigned char *p;
        int len = ASN1_STRING_to_UTF8(&p, X509_NAME_ENTRY_get_data(e));
        const char *why = len < 0 ? "the client certificate's subject is not text" : subject_add(s, nid, str_n((char *)p, (size_t)len));
        if (why) {
            if (len >= 0)
                OPENSSL_free(p);
            return why;
        }
    }
    return NULL;
}

static void subject_fini(struct subject *s)
{
    OPENSSL_free((char *)(uintptr_t)s->common_name.p);
    for (size_t i = 0; i < s->norganizations; i++)
        OPENSSL_free((char *)(uintptr_t)s->organizations[i].p);
}

static str append(char **at, str s)
{
    memcpy(*at, s.p, s.len);
    str copy = {*at, s.len};
    *at += s.len;
    return copy;
}

static struct tls_peer *peer_make(const struct subject *s, nsec_t not_after)
{
    size_t bytes = s->common_name.len;
    for (size_t i = 0; i < s->norganizations; i++)
        bytes += s->organizations[i].len;
    struct tls_peer *p = xcalloc(1, sizeof *p + bytes);
    char *at = (char *)(p + 1);
    p->common_name = s->common_name.len ? append(&at, s->common_name) : S("");
    for (size_t i = 0; i < s->norganizations; i++)
        p->organizations[i] = append(&at, s->organizations[i]);
    p->norganizations = s->norganizations;
    p->not_after = not_after;
    return p;
}

/* A certificate of 105 bytes: version 1, empty names, an Ed25519 key of zeros (the smallest kind once decoded). */
static const unsigned char tiny_cert[] = {
    0x30, 0x67,                                                                              /* Certificate */
    0x30, 0x5a,                                                                              /*   TBSCertificate */
    0x02, 0x01, 0x01,                                                                        /*     serialNumber 1 */
    0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70,                                                /*     signature: Ed25519 */
    0x30, 0x00,                                                                              /*     issuer */
    0x30, 0x1e,                                                                              /*     validity */
    0x17, 0x0d, '7', '0', '0', '1', '0', '1', '0', '0', '0', '0', '0', '0', 'Z',             /*       notBefore */
    0x17, 0x0d, '7', '0', '0', '1', '0', '1', '0', '0', '0', '0', '0', '0', 'Z',             /*       notAfter */
    0x30, 0x00,                                                                              /*     subject */
    0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00,                  /*     subjectPublicKeyInfo */
    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0, 0, 0, 0,      /*       the key */
    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0, 0, 0, 0,      /**/
    0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70,                                                /*   signatureAlgorithm */
    0x03, 0x02, 0x00, 0x00,                                                                  /*   signatureValue */
};

/* OpenSSL keeps the peer's decoded certificate for the life of the session and has no call to let go of it: about 6 of 20 KiB, and
 * as much again for each further one that the client sent.  Nobody asks for them again, so another certificate is decoded into the
 * same objects, a use that d2i_X509(3) describes.  The objects belong to this session alone; those of the trust store do not, and
 * are not in this chain. */
static void shrink_cert(X509 *cert)
{
    const unsigned char *der = tiny_cert;
    BUG_ON(!d2i_X509(&cert, &der, sizeof tiny_cert));
}

static void shrink_peer_certs(SSL *ssl, X509 *leaf)
{
    shrink_cert(leaf);
    STACK_OF(X509) *chain = SSL_get_peer_cert_chain(ssl);
    for (int i = 0; i < sk_X509_num(chain); i++)
        shrink_cert(sk_X509_value(chain, i));
}

static enum tls_io keep_peer(struct tls_session *t)
{
    X509 *cert = SSL_get0_peer_certificate(t->ssl);
    if (!cert || SSL_get_verify_result(t->ssl) != X509_V_OK)
        return TLS_IO_OK;
    struct subject s = {0};
    t->refused = subject_read(cert, &s);
    if (!t->refused)
        t->peer = peer_make(&s, tls_time_ns(X509_get0_notAfter(cert)));
    subject_fini(&s);
    shrink_peer_certs(t->ssl, cert);
    ERR_clear_error();
    return t->refused ? TLS_IO_ERROR : TLS_IO_OK;
}

enum tls_io tls_handshake(struct tls_session *t)
{
    if (t->established)
        return TLS_IO_OK;
    ERR_clear_error();
    errno = 0;
    enum tls_io io = io_result(t, SSL_do_handshake(t->ssl));
    if (io == TLS_IO_OK && t->is_server)
        io = keep_peer(t);
    t->established = io == TLS_IO_OK;
    return io;
}

enum tls_io tls_read(struct tls_session *t, void *buf, size_t len, size_t *ret_n)
{
    ERR_clear_error();
    errno = 0;
    return io_result(t, SSL_read_ex(t->ssl, buf, len, ret_n));
}

enum tls_io tls_write(struct tls_session *t, const void *buf, size_t len, size_t *ret_n)
{
    ERR_clear_error();
    errno = 0;
    return io_result(t, SSL_write_ex(t->ssl, buf, len, ret_n));
}

bool tls_has_pending(const struct tls_session *t)
{
    return SSL_has_pending(t->ssl);
}

void tls_shutdown(struct tls_session *t)
{
    if (!t->established || t->error)
        return;
    SSL_shutdown(t->ssl);
    ERR_clear_error();
}

bool tls_is_h2(const struct tls_session *t)
{
    const unsigned char *name;
    unsigned len;
    SSL_get0_alpn_selected(t->ssl, &name, &len);
    return len == 2 && memcmp(name, "h2", 2) == 0;
}

const struct tls_peer *tls_session_peer(struct tls_session *t)
{
    return t->peer;
}

const char *tls_last_error(struct tls_session *t)
{
    static _Thread_local char text[256];
    long verify = SSL_get_verify_result(t->ssl);
    const char *reason = t->error ? ERR_reason_error_string(t->error) : NULL;
    if (t->refused)
        return t->refused;
    if (ERR_GET_REASON(t->error) == SSL_R_CERTIFICATE_VERIFY_FAILED && verify != X509_V_OK)
        snprintf(text, sizeof text, "the %s certificate is not valid: %s", t->is_server ? "client's" : "server's",
                 X509_verify_cert_error_string(verify));
    else if (reason)
        snprintf(text, sizeof text, "%s", reason);
    else if (t->error_errno)
        snprintf(text, sizeof text, "%s", strerrordesc_np(t->error_errno));
    else
        snprintf(text, sizeof text, "the peer closed the connection");
    return text;
}
