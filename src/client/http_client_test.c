/* SPDX-License-Identifier: Apache-2.0 */
#include "client/http_client.h"

#include "client/client_conn.h"
#include "client/test_server.h"
#include "wire/gzip.h"

static struct err err;

#define REPLY(...) {.bytes = STR_INIT(__VA_ARGS__)}

static struct http_client *client_to(const struct test_server *s)
{
    struct http_client *c = NULL;
    T_NO_ERR(http_client_new(&(struct http_client_opts){.url = s->url, .authorization = "Bearer t0k"}, &c, &err), &err);
    return c;
}
static int get(struct http_client *c, const char *path, struct arena *a, struct http_client_response *res)
{
    return http_client_do(c, &(struct http_client_request){.method = S("GET"), .path = str_of(path)}, a, res, &err);
}

TEST(one_connection_carries_many_requests)
{
    static const struct test_reply script[] = {
        REPLY("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX-One: a b \r\n\r\nhello"),
        {.bytes = STR_INIT("HTTP/1.1 100 Continue\r\n\r\n"
                           "HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n4;x=y\r\ndefg\r\n0\r\n\r\n"),
         .split = 7},
        REPLY("HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\nno"),
        REPLY("HTTP/1.1 204 No Content\r\n\r\n"),
        REPLY("HTTP/1.1 301 Moved\r\nLocation: /else\r\nContent-Length: 0\r\n\r\n"),
        REPLY("HTTP/1.0 200 OK\r\n\r\n"),
    };
    struct test_server s = {0};
    test_server_start(&s, script, ARRAY_LEN(script));
    struct http_client *c = client_to(&s);
    ARENA_AUTO a = ARENA_INIT;
    struct http_client_response res;
    T_NO_ERR(get(c, "/one?x=1", &a, &res), &err);
    T_EQ_INT(res.status, 200);
    T_EQ_STR(res.body, "hello");
    T_EQ_STR(http_client_header(&res, S("x-one")), "a b");
    T_EQ_STR(http_client_header(&res, S("x-two")), "");
    struct http_header headers[] = {{S("Content-Type"), S("application/json")}};
    T_NO_ERR(http_client_do(c,
                            &(struct http_client_request){
                                .method = S("POST"), .path = S("/two"), .headers = headers, .nheaders = 1, .body = S("{\"a\":1}")},
                            &a, &res, &err),
             &err);
    T_EQ_INT(res.status, 201);
    T_EQ_STR(res.body, "abcdefg");
    T_NO_ERR(get(c, "/three", &a, &res), &err);
    T_EQ_INT(res.status, 404);
    T_EQ_STR(res.body, "no");
    T_NO_ERR(get(c, "/four", &a, &res), &err);
    T_EQ_INT(res.status, 204);
    T_NO_ERR(get(c, "/five", &a, &res), &err);
    T_EQ_INT(res.status, 301);
    T_NO_ERR(http_client_do(c, &(struct http_client_request){.method = S("HEAD"), .path = S("/six")}, &a, &res, &err), &err);
    http_client_free(c);
    test_server_stop(&s);
    T_EQ_INT(s.nconnections, 1);
    char want[400];
    snprintf(want, sizeof want,
             "GET /one?x=1 HTTP/1.1\r\nHost: 127.0.0.1:%u\r\nUser-Agent: cox\r\nAuthorization: Bearer t0k\r\nAccept-Encoding: gzip\r\n\r\n", s.port);
    T_EQ_STR(str_of(s.requests[0]), want);
    T_OK(str_has_suffix(str_of(s.requests[1]), S("Content-Type: application/json\r\nContent-Length: 7\r\n\r\n{\"a\":1}")));
    test_server_fini(&s);
}

TEST(closed_idle_connection_is_opened_again)
{
    static const struct test_reply script[] = {
        {.bytes = STR_INIT("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n1"), .close = true}, /* without saying so */
        REPLY("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nConnection: close\r\n\r\n2"),
        {.bytes = STR_INIT("HTTP/1.1 200 OK\r\n\r\nuntil the end"), .close = true},
    };
    struct test_server s = {0};
    test_server_start(&s, script, ARRAY_LEN(script));
    struct http_client *c = client_to(&s);
    ARENA_AUTO a = ARENA_INIT;
    struct http_client_response res;
    T_NO_ERR(get(c, "/1", &a, &res), &err);
    T_NO_ERR(get(c, "/2", &a, &res), &err);
    T_EQ_STR(res.body, "2");
    http_client_free(c);
    c = client_to(&s);
    /* the script's thread still waits on the second connection, which we closed: it accepts anew */
    T_NO_ERR(get(c, "/3", &a, &res), &err);
    T_EQ_STR(res.body, "until the end");
    http_client_free(c);
    test_server_stop(&s);
    T_EQ_INT(s.nconnections, 3);
    test_server_fini(&s);
}

TEST(gzip_is_unpacked)
{
    STRBUF_AUTO zipped = STRBUF_HEAP;
    STRBUF_AUTO reply = STRBUF_HEAP;
    str text = S("aaaaaaaaaabbbbbbbbbbaaaaaaaaaa");
    gzip_compress(&text, 1, &zipped);
    strbuf_addf(&reply, "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: %zu\r\n\r\n", zipped.len);
    strbuf_add_str(&reply, strbuf_str(&zipped));
    struct test_reply script[] = {{.bytes = strbuf_str(&reply)}, REPLY("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\nxyz")};
    struct test_server s = {0};
    test_server_start(&s, script, ARRAY_LEN(script));
    struct http_client *c = client_to(&s);
    ARENA_AUTO a = ARENA_INIT;
    struct http_client_response res;
    T_NO_ERR(get(c, "/", &a, &res), &err);
    T_EQ_STR(res.body, "aaaaaaaaaabbbbbbbbbbaaaaaaaaaa");
    T_ERR(get(c, "/", &a, &res), E_UNAVAILABLE);
    T_OK(str_find(str_of(err.msg), S("the compressed body is damaged")) >= 0);
    http_client_free(c);
    test_server_stop(&s);
    test_server_fini(&s);
}

struct collected {
    struct strbuf text;
    int pieces, stop_after;
};
static bool collect(void *arg, str bytes)
{
    struct collected *k = arg;
    strbuf_add_str(&k->text, bytes);
    return ++k->pieces != k->stop_after;
}

TEST(stream_ends_when_the_caller_or_the_server_does)
{
    static const struct test_reply script[] = {
        {.bytes = STR_INIT("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\na\n\r\n2\r\nb\n\r\n2\r\nc\n\r\n"), .split = 50, .close = true},
        REPLY("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\na\n\r\n0\r\n\r\n"),
        REPLY("HTTP/1.1 403 Forbidden\r\nContent-Length: 4\r\n\r\nnope"),
    };
    struct test_server s = {0};
    test_server_start(&s, script, ARRAY_LEN(script));
    struct http_client *c = client_to(&s);
    ARENA_AUTO a = ARENA_INIT;
    struct http_client_response res;
    struct collected k = {.stop_after = 2};
    struct http_client_request req = {.method = S("GET"), .path = S("/watch"), .on_data = collect, .arg = &k};
    T_NO_ERR(http_client_do(c, &req, &a, &res, &err), &err);
    T_EQ_STR(strbuf_str(&k.text), "a\nb\n");
    T_NO_ERR(http_client_do(c, &req, &a, &res, &err), &err);
    T_EQ_STR(strbuf_str(&k.text), "a\nb\na\n");
    T_EQ_STR(res.body, "");
    T_NO_ERR(http_client_do(c, &req, &a, &res, &err), &err); /* an error's body is collected, not streamed */
    T_EQ_INT(res.status, 403);
    T_EQ_STR(res.body, "nope");
    T_EQ_INT(k.pieces, 3);
    strbuf_fini(&k.text);
    http_client_free(c);
    test_server_stop(&s);
    T_OK(str_find(str_of(s.requests[0]), S("Accept-Encoding")) < 0);
    test_server_fini(&s);
}

TEST(failures_are_sentences)
{
    static const struct {
        struct test_reply reply;
        int code;
        const char *says;
    } cases[] = {
        {{.bytes = STR_INIT(""), .close = true}, E_UNAVAILABLE, "closed the connection without an answer"},
        {{.bytes = STR_INIT("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"), .close = true}, E_UNAVAILABLE, "before the answer was complete"},
        {{.bytes = STR_INIT("SSH-2.0-OpenSSH\r\n\r\n"), .close = true}, E_UNAVAILABLE, "did not answer in HTTP: no status line"},
        {{.bytes = STR_INIT("HTTP/1.1 200 OK\r\nbad header\r\n\r\n"), .close = true}, E_UNAVAILABLE, "a header line is malformed"},
        {{.bytes = STR_INIT("HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n"), .close = true}, E_UNAVAILABLE, "its Content-Length is no number"},
        {{.bytes = STR_INIT("HTTP/1.1 200 OK\r\nTransfer-Encoding: br\r\n\r\n"), .close = true}, E_UNAVAILABLE, "its transfer coding is unknown"},
        {{.bytes = STR_INIT("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"), .close = true}, E_UNAVAILABLE, "hexadecimal"},
        {{.bytes = STR_INIT(""), .delay_ms = 1500, .close = true}, E_TIMEOUT, "within 50 ms"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct test_server s = {0};
        test_server_start(&s, &cases[i].reply, 1);
        struct http_client *c = client_to(&s);
        ARENA_AUTO a = ARENA_INIT;
        struct http_client_response res;
        struct http_client_request req = {.method = S("GET"), .path = S("/"), .timeout_ns = cases[i].code == E_TIMEOUT ? 50 * NSEC_PER_MSEC : 0};
        T_ERR(http_client_do(c, &req, &a, &res, &err), cases[i].code);
        if (str_find(str_of(err.msg), str_of(cases[i].says)) < 0)
            T_FAIL_("case %zu says: %s", i, err.msg);
        http_client_free(c);
        test_server_stop(&s);
        test_server_fini(&s);
    }
}

TEST(nobody_listens)
{
    int fd;
    uint16_t port;
    T_NO_ERR(net_listen_tcp("127.0.0.1:0", &fd, &port, &err), &err);
    close(fd);
    char url[64], want[128];
    snprintf(url, sizeof url, "https://127.0.0.1:%u", port);
    struct http_client *c;
    ARENA_AUTO a = ARENA_INIT;
    struct http_client_response res;
    T_NO_ERR(http_client_new(&(struct http_client_opts){.url = url, .insecure = true}, &c, &err), &err);
    T_ERR(get(c, "/", &a, &res), E_UNAVAILABLE);
    snprintf(want, sizeof want, "cannot connect to 127.0.0.1:%u: Connection refused; is the server running?", port);
    T_EQ_STR(str_of(err.msg), want);
    http_client_free(c);
    T_ERR(http_client_new(&(struct http_client_opts){.url = "ftp://x"}, &c, &err), E_INVALID_ARG);
    T_ERR(http_client_new(&(struct http_client_opts){.url = "https://"}, &c, &err), E_INVALID_ARG);
    T_ERR(http_client_new(&(struct http_client_opts){.url = "https://user@host"}, &c, &err), E_INVALID_ARG);
    T_ERR(http_client_new(&(struct http_client_opts){.url = "https://host:99999"}, &c, &err), E_INVALID_ARG);
}

TEST(hostile_requests_are_refused)
{
    struct http_client *c;
    ARENA_AUTO a = ARENA_INIT;
    struct http_client_response res;
    static const struct test_reply none[] = {REPLY("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")};
    struct test_server s = {0};
    test_server_start(&s, none, 1);
    c = client_to(&s);
    T_ERR(get(c, "/a b", &a, &res), E_INVALID_ARG);
    T_ERR(get(c, "/a\r\nX: y", &a, &res), E_INVALID_ARG);
    T_ERR(get(c, "a", &a, &res), E_INVALID_ARG);
    struct http_header bad[] = {{S("X"), S("a\nb")}};
    T_ERR(http_client_do(c, &(struct http_client_request){.method = S("GET"), .path = S("/"), .headers = bad, .nheaders = 1}, &a, &res, &err),
          E_INVALID_ARG);
    http_client_free(c);
    test_server_stop(&s);
    test_server_fini(&s);
}

TEST(unix_socket)
{
    static const struct test_reply script[] = {REPLY("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")};
    const char *dir = T_TMPDIR();
    char path[100];
    snprintf(path, sizeof path, "%s/api", dir);
    struct test_server s = {.unix_path = path};
    test_server_start(&s, script, 1);
    struct http_client *c = client_to(&s);
    ARENA_AUTO a = ARENA_INIT;
    struct http_client_response res;
    T_NO_ERR(get(c, "/", &a, &res), &err);
    T_EQ_STR(res.body, "ok");
    T_EQ_STR(str_of(http_client_server(c)), path);
    http_client_free(c);
    test_server_stop(&s);
    T_OK(str_find(str_of(s.requests[0]), S("Host: localhost\r\n")) > 0);
    test_server_fini(&s);
    unlink(path), rmdir(dir);
}

TEST(tls_with_client_certificate_and_server_name)
{
    nsec_t now = clock_wall(&clock_real);
    char *ca, *ca_key, *cert, *key, *client_cert, *client_key;
    const char *const names[] = {"api.example", NULL};
    struct tls_cert_request q = {.common_name = "ca", .is_ca = true, .not_before = now - NSEC_PER_SEC, .not_after = now + 3600 * NSEC_PER_SEC};
    T_NO_ERR(tls_cert_make(&q, NULL, NULL, &ca, &ca_key, &err), &err);
    q = (struct tls_cert_request){
        .common_name = "s", .dns_names = names, .for_server = true, .not_before = q.not_before, .not_after = q.not_after};
    T_NO_ERR(tls_cert_make(&q, ca, ca_key, &cert, &key, &err), &err);
    q = (struct tls_cert_request){.common_name = "admin", .for_client = true, .not_before = q.not_before, .not_after = q.not_after};
    T_NO_ERR(tls_cert_make(&q, ca, ca_key, &client_cert, &client_key, &err), &err);
    static const struct test_reply script[] = {
        REPLY("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"),
        {.bytes = STR_INIT("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n0\r\n\r\n"), .split = 3},
    };
    struct test_server s = {0};
    T_NO_ERR(tls_server_new(cert, key, ca, &s.tls, &err), &err);
    test_server_start(&s, script, ARRAY_LEN(script));
    struct http_client_opts o = {.url = s.url, .ca_pem = ca, .cert_pem = client_cert, .key_pem = client_key};
    struct http_client *c;
    ARENA_AUTO a = ARENA_INIT;
    struct http_client_response res;
    T_NO_ERR(http_client_new(&o, &c, &err), &err);
    T_ERR(get(c, "/", &a, &res), E_UNAVAILABLE);
    T_OK(str_has_suffix(str_of(err.msg), S("the server's certificate is not valid: IP address mismatch")));
    http_client_free(c);
    o.tls_server_name = "api.example";
    T_NO_ERR(http_client_new(&o, &c, &err), &err);
    T_NO_ERR(get(c, "/", &a, &res), &err);
    T_EQ_STR(res.body, "ok");
    T_NO_ERR(get(c, "/", &a, &res), &err);
    T_EQ_STR(res.body, "abcde");
    http_client_free(c);
    test_server_stop(&s);
    T_EQ_INT(s.nconnections, 2);
    test_server_fini(&s);
    tls_server_free(s.tls);
    free(ca), free(ca_key), free(cert), free(key), free(client_cert), free(client_key);
}

TEST(urls)
{
    static const struct {
        const char *url, *text, *prefix, *name;
        int port;
    } cases[] = {
        {"https://10.0.0.1:6443", "10.0.0.1:6443", "", "10.0.0.1", 6443},
        {"https://rancher.example/k8s/clusters/c-1/", "rancher.example", "/k8s/clusters/c-1", "rancher.example", 443},
        {"http://[::1]:8080/", "[::1]:8080", "", "::1", 8080},
        {"http://x", "x", "", "x", 80},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct client_target t;
        T_NO_ERR(client_target_parse(&t, cases[i].url, &err), &err);
        T_EQ_STR(str_of(t.text), cases[i].text);
        T_EQ_STR(str_of(t.prefix), cases[i].prefix);
        T_EQ_STR(str_of(t.server_name), cases[i].name);
        T_EQ_INT(t.addr.port, cases[i].port);
        client_target_fini(&t);
    }
}

TEST_MAIN(one_connection_carries_many_requests, closed_idle_connection_is_opened_again, gzip_is_unpacked,
          stream_ends_when_the_caller_or_the_server_does, failures_are_sentences, nobody_listens, hostile_requests_are_refused, unix_socket,
          tls_with_client_certificate_and_server_name, urls)
