/* apiserver.h - the API server: requests in, objects in the store out.
 *
 *   http server ─► route (URL → what is asked of which resource) ─► authn ─► authz ─► rest: decode → default → admit → validate → store
 *                                                                                        │ read: view of the store → bytes
 *   store events ─► watch hub (one per loop) ─► watchers
 *
 * Threads: N io loops; a request lives on the loop of its connection from first to last byte.  Reads are answered in place; writes wait for the store's writer
 * without blocking the loop.  Nothing here blocks.
 * Ownership: the caller keeps store, loops and TLS alive until apiserver_free.
 * Limits: base/limits.h; a request over a limit gets 413, 429, or loses its connection. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/clock.h"
#include "base/err.h"
#include "client/transport.h"
#include "rt/loop.h"
#include "store/store.h"

struct apiserver;

struct apiserver_opts {
    struct store *store;
    const struct clock *clock;
    struct loop **loops;
    size_t nloops;
    const char *data_dir;            /* for keys made on first start */
    const char *advertise_host;      /* "10.0.0.1": endpoints of the kubernetes service, serverAddressByClientCIDRs */
    uint16_t advertise_port;
    const char *service_cidr;        /* "10.96.0.0/16" */
    const char *cluster_domain;      /* "cluster.local" */
    const char *node_port_range;     /* "30000-32767" */
    const char *ca_pem;              /* CA certificate, published as kube-root-ca.crt */
    const char *kubelet_client_cert_pem, *kubelet_client_key_pem; /* how nodes know us: logs, exec ...; NULL: those are refused */
    const char *token_file;          /* static tokens (csv), may be NULL */
    const char *sa_key_pem;          /* private key for service-account tokens */
    const char *const *sa_verify_pems; /* further public or private keys that are still accepted; NULL-terminated, may be NULL */
    const char *sa_issuer;           /* "https://kubernetes.default.svc.cluster.local" */
    const char *audit_path;          /* audit log file, NULL: none */
    nsec_t event_ttl_ns;             /* 0: 1 h */
    bool anonymous;                  /* default true: only what RBAC grants system:unauthenticated */
};

int apiserver_new(const struct apiserver_opts *opts, struct apiserver **ret, struct err *err) MUST_CHECK;
/* Bootstrap objects (namespaces, RBAC, priority classes, the kubernetes service): before the first request; blocks on the store. */
int apiserver_bootstrap(struct apiserver *s, struct err *err) MUST_CHECK;
/* The handler for http_server_opts.handler and .bad_request; arg is the apiserver. */
struct http_request;
void apiserver_handle(void *apiserver, struct http_request *req);
str apiserver_bad_request(void *apiserver, struct arena *a, int status, const char *why);
/* Calls and watches without sockets, as user system:apiserver in group system:masters (controllers of this process). */
struct client_transport *apiserver_transport(struct apiserver *s);
void apiserver_set_ready(struct apiserver *s, bool ready); /* /readyz */
/* Ends all watches with a clean end of stream; new ones are refused with 503. */
void apiserver_drain(struct apiserver *s);
void apiserver_free(struct apiserver *s); /* after the loops stopped */
