/* http_client.h - a blocking HTTP/1.1 client for the CLI and for bootstrap.
 *
 * One connection, kept alive between requests and opened again when the server closed it meanwhile.
 *     http_client_new(&(struct http_client_opts){.url = "https://127.0.0.1:6443", .ca_pem = ca}, &c, err);
 *     http_client_do(c, &(struct http_client_request){.method = S("GET"), .path = S("/version")}, arena, &res, err);
 * Redirects are answers like any other.  Any HTTP status is success here; errors are those of the way there, as sentences for people:
 * "cannot connect to 127.0.0.1:6443: Connection refused; is the server running?".
 * Threads: one at a time.  Ownership: a response lives in the caller's arena.
 * Limits: HTTP_CLIENT_BODY_MAX a collected body, LIMIT_HEADER_BYTES and LIMIT_HEADER_COUNT the head. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/arena.h"
#include "base/clock.h"
#include "base/err.h"
#include "wire/http_types.h"

#define HTTP_CLIENT_BODY_MAX (1u << 30)

struct http_client;

struct http_client_opts {
    const char *url;             /* "https://host:6443/prefix", "http://...", "unix:/path" */
    const char *ca_pem;          /* NULL: the system's roots */
    const char *cert_pem, *key_pem;
    const char *tls_server_name; /* NULL: the URL's host */
    bool insecure;               /* no verification of the server */
    const char *authorization;   /* "Bearer ...", "Basic ..."; NULL: none */
    const char *user_agent;      /* NULL: "cox" */
    nsec_t connect_timeout_ns;   /* 0: 10 s */
};
int http_client_new(const struct http_client_opts *opts, struct http_client **ret, struct err *err) MUST_CHECK;
void http_client_free(struct http_client *c);
DEFINE_CLEANUP(struct http_client *, http_client_free)
const char *http_client_server(const struct http_client *c); /* "127.0.0.1:6443" */

struct http_client_request {
    str method;
    str path; /* with query, percent-encoded; comes behind the URL's prefix */
    const struct http_header *headers;
    size_t nheaders;
    str body;
    nsec_t timeout_ns; /* of silence; 0: 60 s, < 0: for ever */
    size_t max_body;   /* of a collected body; 0: HTTP_CLIENT_BODY_MAX */
    /* A stream (watch, log): pieces of a 2xx body as they come; false ends the request.  NULL: the body is collected. */
    bool (*on_data)(void *arg, str bytes);
    void *arg;
};
struct http_client_response {
    int status;
    const struct http_header *headers; /* names in lower case */
    size_t nheaders;
    str body; /* collected and unzipped; "" of a stream */
};
int http_client_do(struct http_client *c, const struct http_client_request *req, struct arena *a, struct http_client_response *ret,
                   struct err *err) MUST_CHECK;
str http_client_header(const struct http_client_response *res, str lower_name); /* "" when absent */
