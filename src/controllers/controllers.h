/* controllers.h - all controllers of this process behind one start and one stop.
 *
 * Each is a row of the registry table in controllers.c: a name, what it watches, and a reconcile function for one key.  They are level-triggered: what they do follows from what the API says now, so they
 * can be killed at any moment and start again.
 * Threads: all run on one loop of their own; they reach the API through the transport alone.
 * Ownership: the caller keeps transport and loop alive until controllers_free. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/clock.h"
#include "client/transport.h"

struct controllers;

struct controllers_opts {
    struct client_transport *transport;
    struct loop *loop;
    const struct clock *clock;
    const char *root_ca_pem;  /* kube-root-ca.crt of each namespace */
    nsec_t event_ttl_ns;      /* 0: 1 h */
    nsec_t kuscia_job_ttl_ns; /* how long KusciaJobs are kept that have ended; 0: 30 days */
    nsec_t pod_gc_quarantine_ns; /* how long a node is gone until its pods are; 0: 40 s */
    size_t finished_pods;     /* of which the rest is deleted; 0: 12500 */
    nsec_t hpa_period_ns;     /* between two looks at metrics; 0: 15 s */
    const char *root_ca_key_pem; /* signs certificates; NULL: none are signed */
    const char *server_cert_pem; /* the API server's own: what is named there no node gets a certificate for by itself; NULL */
    const char *cluster_cidr; /* addresses of pods, a part for each node; NULL or "": nodes get none */
    int node_cidr_bits;       /* 0: 24 */
    nsec_t node_grace_ns;     /* of silence until a node counts as lost; 0: 40 s */
};

/* On the loop's thread or before it runs. */
struct controllers *controllers_new(const struct controllers_opts *opts) MUST_CHECK;
/* On the loop's thread: ends watches; done() runs when the last one ended. */
void controllers_stop(struct controllers *c, void (*done)(void *arg), void *arg);
void controllers_free(struct controllers *c); /* after done(), or after the loop and the API server have stopped */
