/* node_proxy.h - what is served by somebody else: pods/log, exec, attach, portforward by the pod's node; pods/proxy, services/proxy, nodes/proxy by whom they name.
 *
 *   client ─► authn, authz ─► which node or address? ─► TLS with the API server's client certificate ─► the request, then bytes both ways
 *
 * Upgrades are passed on as they are: which protocol is spoken is between client and node.  Nothing is kept but what one side has not taken yet, and then the other side is not read.
 * Threads: a request's own loop.
 * Limits: LIMIT_NODE_STREAMS at once, LIMIT_NODE_STREAMS_PER_USER of one user (429); NODE_PROXY_BUFFER unsent bytes a direction; 4 hours without a byte. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "apiserver/apiserver.h"
#include "apiserver/request.h"

#define NODE_PROXY_BUFFER (256u << 10)

struct node_proxy;

int node_proxy_new(const struct apiserver_opts *o, struct node_proxy **ret, struct err *err) MUST_CHECK;
void node_proxy_free(struct node_proxy *p); /* NULL is fine */
/* Is the request one of them?  They last, so they hold no write slot, and what they answer with is not ours to negotiate. */
bool node_proxy_serves(const struct api_req *q);
void node_proxy_serve(struct api_req *q);
/* A place for a stream of this user, to be given back by its slot; false: there is none left.  They last for hours: whoever takes them all takes logs and shells from everybody. */
bool node_proxy_enter(struct node_proxy *p, const struct api_user *u, uint8_t *ret_slot);
void node_proxy_leave(struct node_proxy *p, uint8_t slot);

/* --- node_proxy_target.c: where to, and what is asked there; pure but for reading the store ----------------------------------- */
struct node_request {
    str url;        /* "https://10.0.0.1:10250" */
    str path;       /* with query */
    bool is_node;   /* the node's server: our certificate, its own checked by the cluster's CA; else whoever it is */
    bool is_proxy;  /* passed on as it is, answer and all */
    bool wants_upgrade;
    str prefix;     /* of our own path, put before redirects of a proxied server */
};
/* False: answered already. */
bool node_request_make(struct api_req *q, struct node_request *ret);
/* "https:web:8443" -> its parts; false when it is none. */
bool node_proxy_name_parse(str text, str *ret_scheme, str *ret_name, str *ret_port);
