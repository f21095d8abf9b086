/* SPDX-License-Identifier: Apache-2.0 */
#include "rt/tls.h"

#include <malloc.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <sys/socket.h>

#include "base/test.h"

#define HOUR (3600 * NSEC_PER_SEC)

static struct err err;

struct pair {
    char *cert, *key;
};
static void pair_fini(struct pair *p)
{
    free(p->cert);
    free(p->key);
}
static struct pair make(struct tls_cert_request req, const struct pair *ca)
{
    nsec_t now = clock_wall(&clock_real);
    if (!req.not_before)
        req.not_before = now - HOUR;
    if (!req.not_after)
        req.not_after = now + HOUR;
    struct pair p = {0};
    T_NO_ERR(tls_cert_make(&req, ca ? ca->cert : NULL, ca ? ca->key : NULL, &p.cert, &p.key, &err), &err);
    return p;
}

static const char *const localhost_names[] = {"localhost", "a,b.example", NULL};
static const char *const localhost_ips[] = {"127.0.0.1", "::1", NULL};
static const char *const node_groups[] = {"system:nodes", "system:authenticated-nodes", NULL};

/* A server, and a connection to it over a socketpair. */
struct bench {
    struct pair ca, server_pair;
    struct tls_server *server;
};
static void bench_init(struct bench *b)
{
    b->ca = make((struct tls_cert_request){.common_name = "test-ca", .is_ca = true}, NULL);
    b->server_pair = make((struct tls_cert_request){.common_name = "server",
                                                    .dns_names = localhost_names,
                                                    .ip_addresses = localhost_ips,
                                                    .for_server = true},
                          &b->ca);
    T_NO_ERR(tls_server_new(b->server_pair.cert, b->server_pair.key, b->ca.cert, &b->server, &err), &err);
}
static void bench_fini(struct bench *b)
{
    tls_server_free(b->server);
    pair_fini(&b->ca);
    pair_fini(&b->server_pair);
}
static struct tls_client *client_new(const struct bench *b, const struct pair *cert)
{
    struct tls_client *c = NULL;
    T_NO_ERR(tls_client_new(b->ca.cert, cert ? cert->cert : NULL, cert ? cert->key : NULL, false, &c, &err), &err);
    return c;
}

struct wire {
    int fds[2];
    struct tls_session *client, *server;
    enum tls_io client_io, server_io;
};
static void shake(struct wire *w, struct tls_client *c, struct tls_server *s, const char *name, const char *alpn)
{
    T_EQ_INT(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, w->fds), 0);
    w->client = tls_connect(c, w->fds[0], name, alpn);
    w->server = tls_accept(s, w->fds[1]);
    w->client_io = w->server_io = TLS_IO_WANT_READ;
    for (int i = 0; i < 20 && (w->client_io == TLS_IO_WANT_READ || w->server_io == TLS_IO_WANT_READ); i++) {
        if (w->client_io == TLS_IO_WANT_READ)
            w->client_io = tls_handshake(w->client);
        if (w->server_io == TLS_IO_WANT_READ)
            w->server_io = tls_handshake(w->server);
    }
}
static void wire_fini(struct wire *w)
{
    tls_session_free(w->client);
    tls_session_free(w->server);
    close(w->fds[0]);
    close(w->fds[1]);
}

TEST(certificates_have_the_fields_that_clients_check)
{
    struct pair ca = make((struct tls_cert_request){.common_name = "ca", .is_ca = true}, NULL);
    struct pair p = make((struct tls_cert_request){.common_name = "n1",
                                                   .organizations = node_groups,
                                                   .dns_names = localhost_names,
                                                   .ip_addresses = localhost_ips,
                                                   .for_server = true,
                                                   .for_client = true},
                         &ca);
    BIO *b = BIO_new_mem_buf(p.cert, -1), *cb = BIO_new_mem_buf(ca.cert, -1);
    X509 *x = PEM_read_bio_X509(b, NULL, NULL, NULL), *cx = PEM_read_bio_X509(cb, NULL, NULL, NULL);
    T_EQ_INT(X509_get_version(x), X509_VERSION_3);
    T_EQ_INT(X509_check_issued(cx, x), X509_V_OK);
    T_EQ_INT(X509_check_ca(cx), 1);
    T_EQ_INT(X509_check_ca(x), 0);
    T_EQ_INT(X509_get_key_usage(x), KU_DIGITAL_SIGNATURE);
    T_EQ_INT(X509_get_extended_key_usage(x), XKU_SSL_SERVER | XKU_SSL_CLIENT);
    T_OK(X509_get0_subject_key_id(x) && X509_get0_authority_key_id(x));
    T_EQ_INT(ASN1_OCTET_STRING_cmp(X509_get0_authority_key_id(x), X509_get0_subject_key_id(cx)), 0);
    T_EQ_INT(X509_check_host(x, "a,b.example", 0, 0, NULL), 1);
    T_EQ_INT(X509_check_host(x, "b.example", 0, 0, NULL), 0);
    T_EQ_INT(X509_check_ip_asc(x, "::1", 0), 1);
    T_EQ_INT(ASN1_INTEGER_cmp(X509_get0_serialNumber(x), X509_get0_serialNumber(cx)) != 0, 1);
    T_EQ_INT(ASN1_STRING_length(X509_get0_serialNumber(x)), 20);
    char name[128];
    X509_NAME_oneline(X509_get_subject_name(x), name, sizeof name);
    T_EQ_STR(str_of(name), "/O=system:nodes/O=system:authenticated-nodes/CN=n1");
    X509_free(x), X509_free(cx), BIO_free(b), BIO_free(cb);
    pair_fini(&ca), pair_fini(&p);
}

TEST(certificate_errors_are_sentences)
{
    struct pair ca = make((struct tls_cert_request){.common_name = "ca", .is_ca = true}, NULL);
    struct pair other = make((struct tls_cert_request){.common_name = "other", .is_ca = true}, NULL);
    char *cert, *key;
    const char *const bad_ip[] = {"300.1.1.1", NULL};
    T_ERR(tls_cert_make(&(struct tls_cert_request){.common_name = "x", .ip_addresses = bad_ip}, NULL, NULL, &cert, &key, &err), E_INVALID_ARG);
    T_EQ_STR(str_of(err.msg), "\"300.1.1.1\" is not an IP address");
    T_ERR(tls_cert_make(&(struct tls_cert_request){.common_name = "x"}, ca.cert, other.key, &cert, &key, &err), E_INVALID_ARG);
    T_EQ_STR(str_of(err.msg), "the CA key does not belong to the CA certificate");
    T_ERR(tls_cert_make(&(struct tls_cert_request){.common_name = "x"}, "junk", ca.key, &cert, &key, &err), E_PARSE);
    nsec_t end;
    T_ERR(tls_cert_not_after("junk", &end, &err), E_PARSE);
    T_NO_ERR(tls_cert_not_after(ca.cert, &end, &err), &err);
    T_OK(llabs(end - clock_wall(&clock_real) - HOUR) < 10 * NSEC_PER_SEC);
    struct tls_server *s;
    T_ERR(tls_server_new(ca.cert, other.key, NULL, &s, &err), E_INVALID_ARG);
    T_ERR(tls_server_new(ca.cert, ca.key, "junk", &s, &err), E_PARSE);
    T_ERR(tls_server_new("junk", ca.key, NULL, &s, &err), E_PARSE);
    T_NO_ERR(tls_key_make(&key, &err), &err);
    T_OK(str_has_prefix(str_of(key), S("-----BEGIN PRIVATE KEY-----")));
    free(key);
    pair_fini(&ca), pair_fini(&other);
}

TEST(client_certificate_becomes_user_and_groups)
{
    struct bench b;
    bench_init(&b);
    struct pair cp = make((struct tls_cert_request){.common_name = "system:node:n1", .organizations = node_groups, .for_client = true}, &b.ca);
    struct tls_client *c = client_new(&b, &cp);
    struct wire w;
    shake(&w, c, b.server, "127.0.0.1", "h2,http/1.1");
    T_EQ_INT(w.client_io, TLS_IO_OK);
    T_EQ_INT(w.server_io, TLS_IO_OK);
    const struct tls_peer *p = tls_session_peer(w.server);
    T_OK(p != NULL);
    T_EQ_STR(p->common_name, "system:node:n1");
    T_EQ_INT(p->norganizations, 2);
    T_EQ_STR(p->organizations[0], "system:nodes");
    T_EQ_STR(p->organizations[1], "system:authenticated-nodes");
    T_OK(p->not_after > clock_wall(&clock_real));

    char big[40000], got[sizeof big];
    memset(big, 'x', sizeof big);
    size_t n, sent = 0, seen = 0;
    while (seen < sizeof big) { /* larger than a record and than the socket's buffer */
        if (sent < sizeof big && tls_write(w.client, big + sent, sizeof big - sent, &n) == TLS_IO_OK)
            sent += n;
        while (tls_read(w.server, got + seen, sizeof got - seen, &n) == TLS_IO_OK)
            seen += n;
    }
    T_EQ_INT(memcmp(big, got, sizeof big), 0);
    T_OK(!tls_has_pending(w.server));
    T_EQ_INT(tls_write(w.client, "abcdef", 6, &n), TLS_IO_OK);
    T_EQ_INT(tls_read(w.server, got, 2, &n), TLS_IO_OK);
    T_OK(tls_has_pending(w.server));
    T_EQ_INT(tls_read(w.server, got, 10, &n), TLS_IO_OK);
    T_EQ_INT(n, 4);
    T_EQ_INT(tls_read(w.server, got, 10, &n), TLS_IO_WANT_READ);
    tls_shutdown(w.client);
    T_EQ_INT(tls_read(w.server, got, 10, &n), TLS_IO_EOF);
    wire_fini(&w);
    tls_client_free(c);
    pair_fini(&cp);
    bench_fini(&b);
}

TEST(client_without_certificate_is_let_in_and_alpn_is_the_servers_choice)
{
    struct bench b;
    bench_init(&b);
    struct tls_client *c = client_new(&b, NULL);
    static const struct {
        const char *offer;
        bool h2;
    } cases[] = {{"h2,http/1.1", true}, {"http/1.1,h2", true}, {"http/1.1", false}, {"spdy/3", false}, {NULL, false}};
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct wire w;
        shake(&w, c, b.server, "localhost", cases[i].offer);
        T_EQ_INT(w.client_io, TLS_IO_OK);
        T_EQ_INT(w.server_io, TLS_IO_OK);
        T_OK(tls_session_peer(w.server) == NULL);
        T_EQ_INT(tls_is_h2(w.server), cases[i].h2);
        T_EQ_INT(tls_is_h2(w.client), cases[i].h2);
        wire_fini(&w);
    }
    tls_client_free(c);
    bench_fini(&b);
}

static void expect_server_refuses(struct bench *b, const struct pair *cp, const char *why)
{
    struct tls_client *c = client_new(b, cp);
    struct wire w;
    shake(&w, c, b->server, "localhost", "http/1.1");
    T_EQ_INT(w.server_io, TLS_IO_ERROR);
    T_EQ_STR(str_of(tls_last_error(w.server)), why);
    T_OK(tls_session_peer(w.server) == NULL);
    char buf[8];
    size_t n;
    T_EQ_INT(tls_read(w.client, buf, sizeof buf, &n), TLS_IO_ERROR);
    wire_fini(&w);
    tls_client_free(c);
}

TEST(bad_client_certificates_fail_the_handshake)
{
    struct bench b;
    bench_init(&b);
    nsec_t now = clock_wall(&clock_real);
    struct pair other_ca = make((struct tls_cert_request){.common_name = "test-ca", .is_ca = true}, NULL);
    struct pair stranger = make((struct tls_cert_request){.common_name = "root", .for_client = true}, &other_ca);
    struct pair expired = make(
        (struct tls_cert_request){.common_name = "old", .for_client = true, .not_before = now - 2 * HOUR, .not_after = now - HOUR}, &b.ca);
    struct pair server_only = make((struct tls_cert_request){.common_name = "srv", .for_server = true}, &b.ca);
    expect_server_refuses(&b, &stranger, "the client's certificate is not valid: unable to get local issuer certificate");
    expect_server_refuses(&b, &expired, "the client's certificate is not valid: certificate has expired");
    expect_server_refuses(&b, &server_only, "the client's certificate is not valid: unsuitable certificate purpose");
    char many[TLS_MAX_GROUPS + 1][8];
    const char *groups[TLS_MAX_GROUPS + 2] = {0};
    for (int i = 0; i <= TLS_MAX_GROUPS; i++) {
        snprintf(many[i], sizeof many[i], "g%d", i);
        groups[i] = many[i];
    }
    struct pair crowd = make((struct tls_cert_request){.common_name = "x", .organizations = groups, .for_client = true}, &b.ca);
    struct tls_client *c = client_new(&b, &crowd);
    struct wire w;
    shake(&w, c, b.server, "localhost", "http/1.1");
    T_EQ_INT(w.server_io, TLS_IO_ERROR);
    T_EQ_STR(str_of(tls_last_error(w.server)), "the client certificate has too many organizations");
    wire_fini(&w);
    tls_client_free(c);
    pair_fini(&other_ca), pair_fini(&stranger), pair_fini(&expired), pair_fini(&server_only), pair_fini(&crowd);
    bench_fini(&b);
}

static void expect_client_refuses(struct tls_client *c, struct tls_server *s, const char *name, const char *why)
{
    struct wire w;
    shake(&w, c, s, name, "http/1.1");
    T_EQ_INT(w.client_io, TLS_IO_ERROR);
    T_EQ_STR(str_of(tls_last_error(w.client)), why);
    T_EQ_INT(w.server_io, TLS_IO_ERROR);
    wire_fini(&w);
}

TEST(client_checks_the_server)
{
    struct bench b;
    bench_init(&b);
    nsec_t now = clock_wall(&clock_real);
    struct tls_client *c = client_new(&b, NULL), *careless = NULL, *elsewhere = NULL;
    expect_client_refuses(c, b.server, "other.example", "the server's certificate is not valid: hostname mismatch");
    expect_client_refuses(c, b.server, "10.0.0.1", "the server's certificate is not valid: IP address mismatch");
    struct pair old = make((struct tls_cert_request){.common_name = "old",
                                                     .dns_names = localhost_names,
                                                     .for_server = true,
                                                     .not_before = now - 2 * HOUR,
                                                     .not_after = now - HOUR},
                           &b.ca);
    struct tls_server *old_server = NULL;
    T_NO_ERR(tls_server_new(old.cert, old.key, NULL, &old_server, &err), &err);
    expect_client_refuses(c, old_server, "localhost", "the server's certificate is not valid: certificate has expired");
    struct pair other = make((struct tls_cert_request){.common_name = "other", .is_ca = true}, NULL);
    T_NO_ERR(tls_client_new(other.cert, NULL, NULL, false, &elsewhere, &err), &err);
    expect_client_refuses(elsewhere, b.server, "localhost", "the server's certificate is not valid: unable to get local issuer certificate");
    T_NO_ERR(tls_client_new(NULL, NULL, NULL, true, &careless, &err), &err);
    struct wire w;
    shake(&w, careless, old_server, "other.example", "http/1.1");
    T_EQ_INT(w.client_io, TLS_IO_OK);
    wire_fini(&w);
    tls_client_free(c), tls_client_free(careless), tls_client_free(elsewhere);
    tls_server_free(old_server);
    pair_fini(&old), pair_fini(&other);
    bench_fini(&b);
}

TEST(peer_that_goes_away_or_talks_nonsense_is_an_error_not_a_signal)
{
    struct bench b;
    bench_init(&b);
    int fds[2];
    T_EQ_INT(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds), 0);
    struct tls_session *s = tls_accept(b.server, fds[1]);
    T_EQ_INT(tls_handshake(s), TLS_IO_WANT_READ);
    T_EQ_INT(write(fds[0], "GET / HTTP/1.1\r\n\r\n", 18), 18);
    T_EQ_INT(tls_handshake(s), TLS_IO_ERROR);
    T_EQ_STR(str_of(tls_last_error(s)), "http request");
    tls_session_free(s);
    s = tls_accept(b.server, fds[1]);
    close(fds[0]);
    enum tls_io io = tls_handshake(s);
    T_OK(io == TLS_IO_EOF || io == TLS_IO_ERROR);
    tls_shutdown(s);
    tls_session_free(s);
    close(fds[1]);

    struct tls_client *c = client_new(&b, NULL);
    struct wire w;
    shake(&w, c, b.server, "localhost", NULL);
    tls_session_free(w.client);
    close(w.fds[0]);
    char big[70000] = {0};
    size_t n;
    T_EQ_INT(tls_write(w.server, big, sizeof big, &n), TLS_IO_ERROR); /* EPIPE, without SIGPIPE */
    T_EQ_STR(str_of(tls_last_error(w.server)), "Broken pipe");
    tls_shutdown(w.server);
    tls_session_free(w.server);
    close(w.fds[1]);
    tls_client_free(c);
    bench_fini(&b);
}

/* A client's last flight and its first request, cut in two at every place: a server that has been handed all of it asks for no more. */
static void shake_in_two(struct bench *b, struct tls_client *c, size_t cut, size_t *ret_len)
{
    int near[2], far[2];
    char flight[16384], got[64];
    T_EQ_INT(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, near), 0);
    T_EQ_INT(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, far), 0);
    struct tls_session *client = tls_connect(c, near[0], "localhost", "http/1.1"), *server = tls_accept(b->server, far[1]);
    T_EQ_INT(tls_handshake(client), TLS_IO_WANT_READ);
    ssize_t n = recv(near[1], flight, sizeof flight, 0);
    T_EQ_INT(send(far[0], flight, (size_t)n, 0), n);
    T_EQ_INT(tls_handshake(server), TLS_IO_WANT_READ);
    n = recv(far[0], flight, sizeof flight, 0);
    T_EQ_INT(send(near[1], flight, (size_t)n, 0), n);
    T_EQ_INT(tls_handshake(client), TLS_IO_OK);
    size_t sent = 0, read = 0;
    T_EQ_INT(tls_write(client, "request", 7, &sent), TLS_IO_OK);
    n = recv(near[1], flight, sizeof flight, 0);
    *ret_len = (size_t)n;
    size_t first = MIN(cut, (size_t)n);
    enum tls_io io = TLS_IO_WANT_READ;
    if (first) {
        T_EQ_INT(send(far[0], flight, first, 0), (ssize_t)first);
        io = tls_handshake(server);
    }
    if (first < (size_t)n)
        T_EQ_INT(send(far[0], flight + first, (size_t)n - first, 0), n - (ssize_t)first);
    if (io == TLS_IO_WANT_READ && first < (size_t)n)
        io = tls_handshake(server);
    T_EQ_INT(io, TLS_IO_OK);
    T_EQ_INT(tls_read(server, got, sizeof got, &read), TLS_IO_OK);
    T_EQ_STR(str_n(got, read), "request");
    tls_session_free(client), tls_session_free(server);
    close(near[0]), close(near[1]), close(far[0]), close(far[1]);
}

TEST(handshake_takes_what_has_come_however_it_was_cut)
{
    struct bench b;
    bench_init(&b);
    struct pair cp = make((struct tls_cert_request){.common_name = "n", .for_client = true}, &b.ca);
    const struct pair *certs[] = {NULL, &cp};
    for (size_t i = 0; i < ARRAY_LEN(certs); i++) {
        struct tls_client *c = client_new(&b, certs[i]);
        size_t len = 1;
        for (size_t cut = 0; cut <= len; cut += len > 200 && cut > 100 && cut + 120 < len ? 7 : 1)
            shake_in_two(&b, c, cut, &len);
        tls_client_free(c);
    }
    pair_fini(&cp);
    bench_fini(&b);
}

/* OpenSSL 3.0 keeps 23 KiB for a session with a client certificate after SSL_MODE_RELEASE_BUFFERS; tls.c brings it to 16. */
TEST(idle_session_is_small)
{
#if defined COX_SANITIZE || defined __SANITIZE_THREAD__
    printf("# skipped: the sanitizer's allocator does not count\n");
#else
    enum { N = 50, WARM_UP = 5 };
    struct bench b;
    bench_init(&b);
    struct pair cp = make((struct tls_cert_request){.common_name = "system:node:n1", .organizations = node_groups, .for_client = true}, &b.ca);
    struct tls_client *c = client_new(&b, &cp);
    static struct wire wires[N + WARM_UP];
    for (int i = 0; i < N + WARM_UP; i++) {
        shake(&wires[i], c, b.server, "localhost", "h2,http/1.1");
        char buf[16];
        size_t n;
        T_EQ_INT(tls_write(wires[i].client, "x", 1, &n), TLS_IO_OK);
        T_EQ_INT(tls_read(wires[i].server, buf, sizeof buf, &n), TLS_IO_OK);
        T_EQ_INT(tls_write(wires[i].server, "y", 1, &n), TLS_IO_OK);
        T_EQ_INT(tls_read(wires[i].server, buf, sizeof buf, &n), TLS_IO_WANT_READ);
    }
    size_t before = mallinfo2().uordblks;
    for (int i = WARM_UP; i < N + WARM_UP; i++) {
        tls_session_free(wires[i].server);
        wires[i].server = NULL;
    }
    size_t each = (before - mallinfo2().uordblks) / N;
    printf("# %zu bytes of heap for an idle session with a client certificate\n", each);
    T_OK(each < 18 * 1024);
    for (int i = 0; i < N + WARM_UP; i++)
        wire_fini(&wires[i]);
    tls_client_free(c);
    pair_fini(&cp);
    bench_fini(&b);
#endif
}

TEST_MAIN(certificates_have_the_fields_that_clients_check, certificate_errors_are_sentences, client_certificate_becomes_user_and_groups,
          client_without_certificate_is_let_in_and_alpn_is_the_servers_choice, bad_client_certificates_fail_the_handshake,
          client_checks_the_server, peer_that_goes_away_or_talks_nonsense_is_an_error_not_a_signal, handshake_takes_what_has_come_however_it_was_cut, idle_session_is_small)
