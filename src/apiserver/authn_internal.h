/* authn_internal.h - the ways to authenticate, each by itself; private to authn.
 *
 * A way that does not know the token says AUTHN_NOT_MINE, so that the next one is asked. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <pthread.h>

#include "apiserver/authn.h"
#include "wire/jwt.h"

#define AUTHN_NOT_MINE 1

struct authn_static; /* the token file */

/* Tokens whose signature was good a moment ago: a table without chains, a newer token takes the slot of an older one. */
#define AUTHN_VERIFIED_SLOTS 1024
#define AUTHN_VERIFIED_NS (10 * NSEC_PER_SEC) /* checking a signature takes ~80 us: once in this time will do */
struct authn_verified {
    unsigned char digest[32];
    nsec_t until; /* monotonic */
};

struct authn {
    struct store *store;
    const struct clock *clock;
    str issuer, jwks_url;
    bool anonymous;
    const struct jwt_key **keys; /* the first one signs; NULL without service-account tokens */
    size_t nkeys;
    struct authn_static *tokens;   /* NULL: no file */
    pthread_mutex_t verified_lock; /* guards verified */
    struct authn_verified verified[AUTHN_VERIFIED_SLOTS];
};

/* The groups and, unless it is among them, system:authenticated. */
void authn_set_groups(struct arena *a, struct api_user *u, const str *groups, size_t n);

/* 0, AUTHN_NOT_MINE or -E_UNAUTHORIZED with a sentence.  audiences: the ones asked for, never empty; *ret_audiences: those of
 * them that the token is for. */
int authn_sa_token(struct authn *n, struct arena *a, str token, const str *audiences, size_t naudiences, struct api_user *ret,
                   struct json *ret_audiences, struct err *err) MUST_CHECK;
/* 0 or AUTHN_NOT_MINE. */
int authn_static_token(const struct authn_static *t, struct arena *a, str token, struct api_user *ret) MUST_CHECK;
int authn_bootstrap_token(struct authn *n, struct arena *a, str token, struct api_user *ret) MUST_CHECK;

/* A csv file of token,user,uid[,"group1,group2"]. */
int authn_static_new(const char *path, struct authn_static **ret, struct err *err) MUST_CHECK;
int authn_static_parse(str text, const char *path, struct authn_static **ret, struct err *err) MUST_CHECK;
void authn_static_free(struct authn_static *t); /* NULL is fine */

/* Impersonate-* headers of the request.  0 when there are none, or when q->user was replaced. */
int authn_impersonate(struct api_req *q, struct err *err) MUST_CHECK;
