/* certificates_plan.h - what a request for a certificate is, whether it may be approved without a person, and how long it is kept.
 *
 * Threads: pure functions.  Ownership: texts of the request's tree and the arena. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/clock.h"
#include "rt/tls.h"
#include "wire/json.h"

#define CSR_CLIENT "kubernetes.io/kube-apiserver-client"
#define CSR_KUBELET_CLIENT "kubernetes.io/kube-apiserver-client-kubelet"
#define CSR_KUBELET_SERVING "kubernetes.io/kubelet-serving"
#define CSR_APPROVED_KEPT_NS (3600 * NSEC_PER_SEC)      /* approved or denied, then no use for it */
#define CSR_PENDING_KEPT_NS (24 * 3600 * NSEC_PER_SEC)  /* nobody said anything */
#define CSR_PATIENCE_MIN_NS (200 * NSEC_PER_MSEC)
#define CSR_PATIENCE_MAX_NS (300 * NSEC_PER_SEC)
#define CSR_LIFE_NS (365 * 24 * 3600 * NSEC_PER_SEC)    /* of a certificate, when no less is asked for */

enum csr_kind {
    CSR_FOREIGN,          /* a signer that is not ours, or a person decides */
    CSR_NODE_CLIENT,      /* a node's first certificate: approved when the user may create certificatesigningrequests/nodeclient */
    CSR_SELF_NODE_CLIENT, /* a node renews its own: .../selfnodeclient */
    CSR_NODE_SERVING,     /* a node's own serving certificate: approved when the Node has the names, see csr_serving_fits */
};

struct csr_state {
    bool approved, denied, failed, issued;
    str signer, user;
    enum csr_kind kind;
    str node; /* that the certificate is for */
};

/* asked NULL: the text could not be read. */
struct csr_state csr_state_of(const struct json *obj, const struct tls_csr *asked);
bool csr_signer_is_ours(str signer);
/* Does it ask for what its signer gives?  False with a sentence on the arena. */
bool csr_fits_signer(struct arena *a, const struct json *obj, const struct tls_csr *asked, str *ret_why);
/* Are all names of the serving certificate ones that the Node has in its status, or its own name? */
bool csr_serving_fits(const struct tls_csr *asked, str node, const struct json *node_obj);
/* The first name that no node gets without a person's word, though its Node may say it (it is the node that writes it there): names of the API server's own certificate,
 * of services, and with wildcards.  "" none. */
str csr_serving_reserved(struct arena *a, const struct tls_csr *asked, const char *server_cert_pem);
/* A DNS name as others compare it. */
str csr_name_lower(struct arena *a, str name);
/* How long to wait before the Node of a serving request is looked at again: the longer the older it is. */
nsec_t csr_patience(const struct json *obj, nsec_t now);
/* What to put into the certificate.  ca_until: end of the authority's own. */
struct tls_cert_request csr_terms(const struct json *obj, nsec_t now, nsec_t ca_until);
/* Of which domain is a machine that asks for a node's certificate: the one whose token it has, or that it is of already; its group then goes into the certificate.  "" none. */
#define CSR_DOMAIN_GROUP "kuscia:domain:"
str csr_domain(const struct json *obj);
/* When the object may go; cert_until 0: it has no certificate. */
nsec_t csr_kept_until(const struct json *obj, nsec_t cert_until);
