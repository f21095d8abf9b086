/* join.h - how a machine becomes a node: the cluster's CA checked by its hash, a client certificate for a token, a serving certificate, and their renewal.
 *
 *   cluster-info, not verified ─► CA ─► is its hash the one we were told? ─► token, now over verified TLS ─► CertificateSigningRequest ─► certificate ─► kubeconfig
 *   DIR/agent/kubeconfig      server, CA, the node's certificate and key         all files 0600, replaced as a whole
 *             serving.pem     certificate and key in one text
 *             *.pending       name of a request under way and its key: a join that is killed goes on where it was
 * Threads: every function blocks: before loops run, or on a work thread.  One at a time for each folder.
 * Ownership: nothing is kept.
 * Limits: asks a server that cannot be reached again for five seconds, waits at most timeout_ns for somebody to approve; *stop (may be NULL) ends a wait within a second. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stdatomic.h>

#include "base/clock.h"
#include "base/err.h"

struct join_opts {
    const char *dir;       /* the data directory */
    const char *node_name;
    const struct clock *clock;
    nsec_t timeout_ns;     /* 0: 10 min */
    const atomic_bool *stop;
    void (*waits)(const char *request); /* called once, after some seconds without an approval; NULL */
    /* join_node */
    const char *url;     /* "https://host:6443": also what the kubeconfig will have */
    const char *token;   /* "abcdef.0123456789abcdef" */
    const char *ca_hash; /* "sha256:<hex>" of the CA's public key */
    const char *domain;  /* whose the certificate must be, of Kuscia's institutions: another's is refused, and not kept; NULL: anybody's */
    const char *ca_pem;  /* instead of asking and checking: a CA that is known; NULL */
    /* join_serving, join_renew */
    const char *const *dns_names, *const *addresses; /* of the serving certificate, NULL-terminated, may be NULL */
    bool renew_now; /* whatever their age */
};

/* Is there a kubeconfig of this node whose certificate is still good? */
bool join_is_done(const struct join_opts *o);
/* Makes DIR/agent/kubeconfig.  Does nothing when join_is_done, but looks at the node's name and the domain. */
int join_node(const struct join_opts *o, struct err *err) MUST_CHECK;
/* Makes DIR/agent/serving.pem unless a good one for the names is there.  The request is approved once the Node has the addresses in its status, so it may
 * be asked for before, but waits. */
int join_serving(const struct join_opts *o, struct err *err) MUST_CHECK;
/* Renews what has lived for 70 to 80 % of its time (where in between is the node's own, so that nodes that joined together do not come together).
 * *ret_client, *ret_serving: made anew, so read the file again.  Call it every few minutes. */
int join_renew(const struct join_opts *o, bool *ret_client, bool *ret_serving, struct err *err) MUST_CHECK;
/* Has a certificate of that life to be renewed now? */
bool join_is_due(const char *node_name, nsec_t not_before, nsec_t not_after, nsec_t now);
/* "DIR/agent/NAME" */
void join_path(const char *dir, const char *name, char out[4096]);
