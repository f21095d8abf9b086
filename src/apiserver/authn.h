/* authn.h - who asks: client certificate, bearer token, Unix socket, or nobody.
 *
 * Tokens: service-account JWTs (own keys, rotation by accepting several), static tokens from a file, bootstrap tokens (Secrets in
 * kube-system).
 * Threads: authn_request from any io loop.  Ownership: results live in the request's arena. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "apiserver/request.h"

struct authn;

int authn_new(const struct apiserver_opts *opts, struct authn **ret, struct err *err) MUST_CHECK;
void authn_free(struct authn *n);
/* Fills q->user, and q->impersonator when the user asks to be seen as another and may.  -E_UNAUTHORIZED for credentials that are
 * given and wrong; without any the user is system:anonymous.  -E_FORBIDDEN for impersonation that is not allowed. */
int authn_request(struct authn *n, struct api_req *q, struct err *err) MUST_CHECK;
/* TokenReview: authenticates a token as such; audiences may be empty (the API server's own).  *ret_audiences (may be NULL): the
 * list of those it is good for. */
int authn_token(struct authn *n, struct arena *a, str token, const str *audiences, size_t naudiences, struct api_user *ret,
                struct json *ret_audiences, struct err *err) MUST_CHECK;
/* TokenRequest: signs a service-account token.  bound: {kind,name,uid} or NULL; a Pod's may also have nodeName and nodeUID.
 * Without audiences it is for the API server.  *ret_expires: what the client is told; a pod's automatic token (3607 s) is good
 * for longer, so that clients that never read it again are found first. */
int authn_issue(struct authn *n, struct arena *a, const struct json *service_account, const str *audiences, size_t naudiences,
                const struct json *bound, int64_t expiration_s, str *ret_token, nsec_t *ret_expires, struct err *err) MUST_CHECK;
str authn_issuer(const struct authn *n);                   /* also the API server's own audience */
str authn_jwks(struct authn *n, struct arena *a);          /* /openid/v1/jwks */
str authn_openid_config(struct authn *n, struct arena *a); /* /.well-known/openid-configuration */
