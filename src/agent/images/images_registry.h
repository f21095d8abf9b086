/* images_registry.h - reads from a registry of images over HTTP(S): the distribution API, as far as a pull needs it.
 *
 *   GET /v2/REPO/manifests/TAG ─► 401 + where to get a token ─► token ─► again ─► 200
 *   GET /v2/REPO/blobs/DIGEST  ─► 307 to a blob store ─► its bytes; the credentials stay with the registry
 *
 * Errors are sentences that tell who wrote the pod what to do.
 * Threads: one at a time; blocks.  Ownership: options are copied.
 * Limits: REGISTRY_SILENCE_NS without a byte, REGISTRY_SLOW_BYTES a second on average over more than a minute, REGISTRY_HOPS redirects, answers that are errors of 64 KiB. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "agent/images/images.h"
#include "client/http_client.h"

#define REGISTRY_SILENCE_NS (60 * NSEC_PER_SEC)
#define REGISTRY_SLOW_BYTES 1024
#define REGISTRY_HOPS 5

struct image_registry;

struct image_registry_opts {
    const char *host;   /* "docker.io", "registry.example:5000" */
    const char *prefix; /* before /v2, of a mirror: "" or "/path" */
    const char *ca_pem; /* NULL: the system's roots */
    bool insecure;      /* no verification, and plain HTTP where HTTPS does not work */
    bool plain_http;    /* HTTP only: a mirror that was given so */
    const struct clock *clock;
};

struct image_registry_get {
    str repo;           /* "library/web" */
    str path;           /* "manifests/latest", "blobs/sha256:..." */
    const char *accept; /* NULL: anything */
    str image;          /* for sentences */
    int (*feed)(void *arg, str bytes, struct err *err);
    void *arg;
};

int image_registry_open(const struct image_registry_opts *o, struct image_registry **ret, struct err *err) MUST_CHECK;
void image_registry_close(struct image_registry *r);
DEFINE_CLEANUP(struct image_registry *, image_registry_close)
/* Whom the next requests come from; NULL: nobody. */
void image_registry_set_auth(struct image_registry *r, const struct image_auth *auth);
/* E_NOT_FOUND, E_UNAUTHORIZED and E_FORBIDDEN (other credentials may help), E_BUSY, E_TIMEOUT, E_UNAVAILABLE; errors of feed() come through. */
int image_registry_get(struct image_registry *r, const struct image_registry_get *get, struct err *err) MUST_CHECK;

/* --- for tests and fuzzers -------------------------------------------------------------------------------- */
struct image_registry_challenge {
    bool is_bearer, is_basic;
    str realm, service, scope; /* of a bearer */
};
/* What a WWW-Authenticate header asks for; several challenges may stand in one, a bearer's is preferred. */
void image_registry_challenge_parse(struct arena *a, str header, struct image_registry_challenge *io);
/* "https://host:1/path?q" -> "https://host:1", "/path?q"; false: no such URL. */
bool image_registry_url_split(struct arena *a, str url, str *ret_base, str *ret_path);
