/* client.h - a thin, blocking Kubernetes client for the CLI: one call, one parsed answer or one error.
 *
 *     client_new(&resolved, &c, err);
 *     client_do(c, &(struct client_request){.method = S("GET"), .path = S("/api/v1/nodes")}, arena, &res, err);  -> res.json
 * An answer of 400 and above is an error: the server's Status gives code and message ("pods \"web\" not found", E_NOT_FOUND), and *ret is
 * filled as well, so that the caller can look at Status.details or at a body that is no Status.
 * Threads: one at a time.  Ownership: answers live in the caller's arena.
 * Limits: those of http_client.h; a watch event has at most CLIENT_EVENT_MAX bytes. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "client/http_client.h"
#include "client/kubeconfig.h"
#include "wire/json.h"

#define CLIENT_EVENT_MAX (8u << 20) /* two objects of the stored maximum, with room for escapes */

struct client;

int client_new(const struct kubeconfig_resolved *r, const char *user_agent, struct client **ret, struct err *err) MUST_CHECK;
/* Over a Unix socket or any URL, without credentials. */
int client_new_url(const char *url, const char *user_agent, struct client **ret, struct err *err) MUST_CHECK;
void client_free(struct client *c);
DEFINE_CLEANUP(struct client *, client_free)
const char *client_server(const struct client *c);     /* "127.0.0.1:6443" */
const char *client_namespace(const struct client *c);  /* "default" unless the kubeconfig says otherwise */

/* Builds a query string: percent-encodes values and puts '&' between. */
void client_query_add(struct strbuf *b, const char *name, str value);
/* One path segment, percent-encoded. */
void client_path_add(struct strbuf *b, str segment);

struct client_request {
    str method;
    str path;         /* "/api/v1/namespaces/default/pods", percent-encoded */
    str query;        /* "limit=500&labelSelector=a%3Db"; "" for none */
    str content_type; /* of body; "" for application/json */
    str accept;       /* "" for application/json */
    str body;
    nsec_t timeout_ns; /* of silence, as http_client.h; 0 for streams and watches: for ever */
};
struct client_response {
    int status;
    str content_type;
    str body;
    struct json json; /* when the content type is JSON, else null */
    str warnings[8];  /* texts of Warning headers */
    size_t nwarnings;
};
int client_do(struct client *c, const struct client_request *req, struct arena *a, struct client_response *ret, struct err *err) MUST_CHECK;

/* Bytes as they come (pod logs); on_data returns false to end. */
int client_stream(struct client *c, const struct client_request *req, bool (*on_data)(void *arg, str bytes), void *arg,
                  struct err *err) MUST_CHECK;

/* Watch: the request's query must hold watch=true.  on_event gets ADDED, MODIFIED, DELETED and BOOKMARK, with an object that lives until it
 * returns; false ends the watch.  0: the caller or the server ended it; E_EXPIRED and others: what an ERROR event or the answer said. */
int client_watch_run(struct client *c, const struct client_request *req, bool (*on_event)(void *arg, str type, struct json *object, struct arena *a),
                     void *arg, struct err *err) MUST_CHECK;
