/* images.h - the images of a node: archives and registries in, unpacked layers and a configuration out.
 *
 *   images_load(archive) ─┐
 *   images_pull(ref)     ─┴─► blobs checked by digest ─► layers unpacked once each ─► images_get: layers, entrypoint, env, user
 *
 * Names are as everywhere: "nginx" is "docker.io/library/nginx:latest".  Built in and never pulled: "cox/host" (this machine's programs, no data) and
 * "cox/web" (the same with a small web server as its command), so that the first pod runs on a machine without any image.
 * Folder: DIR/images/{blobs,layers,refs,holders}; DIR/images/certs/HOST:PORT.crt: the CA of a registry; DIR/images/import: archives put there are loaded when a pod asks for an image that is not known.
 * Threads: every call blocks and may run on several pool threads at once; two pulls of one image are one.
 * Ownership: results are on the arena.  An image that was gotten is not collected until images_release.
 * Limits: IMAGES_LAYER_BYTES a layer unpacked, IMAGES_LAYERS layers, IMAGES_FILES files a layer, manifests and configurations of IMAGES_JSON_BYTES. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "agent/pod/container_spec.h"
#include "base/arena.h"
#include "base/clock.h"
#include "base/err.h"

#define IMAGES_LAYER_BYTES (64ull << 30)
#define IMAGES_LAYERS 127
#define IMAGES_FILES 2000000
#define IMAGES_JSON_BYTES (4u << 20)

struct images;

struct images_opts {
    const char *dir;     /* DIR/images */
    const char *program; /* of this program, the command of cox/web */
    const struct clock *clock;
    const char *const *insecure; /* registries that speak plain HTTP or have certificates of their own, "host:port", NULL at the end; may be NULL */
    const char *const *mirrors;  /* "from=to", NULL at the end; may be NULL */
};

struct image {
    str id;              /* "sha256:..." of the configuration */
    str ref;             /* normalised: "docker.io/library/nginx:1.25" */
    str digest;          /* "docker.io/library/nginx@sha256:...", "" when loaded from an archive without */
    enum root_kind root;
    const char *const *layers; /* folders, lowest first, NULL at the end */
    const char *const *entrypoint, *const *command, *const *env; /* NULL at the end; may be NULL */
    const char *cwd, *user; /* may be NULL */
    int stop_signal;     /* 0: not set */
    uint64_t bytes;      /* unpacked */
    const char *program_target; /* this program (images_opts.program) is bound read-only to this path inside; NULL: it is not needed */
};

struct image_auth {
    str username, password, token; /* all "": none */
};

int images_open(const struct images_opts *o, struct images **ret, struct err *err) MUST_CHECK;
void images_close(struct images *i);
/* "nginx" -> "docker.io/library/nginx:latest".  E_INVALID_ARG: InvalidImageName. */
int image_ref_normalise(struct arena *a, str ref, str *ret, struct err *err) MUST_CHECK;
/* E_NOT_FOUND: not on this node.  Marks it as used by `holder` (a container's id). */
int images_get(struct images *i, str ref, str holder, struct arena *a, struct image *ret, struct err *err) MUST_CHECK;
void images_release(struct images *i, str holder);
/* Holders are kept on disk, so that a restart of the agent frees nothing that runs.  After it has adopted its containers it says who is still there: all others are released. */
void images_keep_holders(struct images *i, const str *holders, size_t n);
/* Fetches it, whatever is here already; auths: tried in order. */
int images_pull(struct images *i, str ref, const struct image_auth *auths, size_t nauths, struct arena *a, struct image *ret, struct err *err) MUST_CHECK;
/* An OCI or docker archive, plain, gzip or zstd.  The names it got, NULL at the end. */
int images_load(struct images *i, const char *path, str as_ref, struct arena *a, const char *const **ret_refs, struct err *err) MUST_CHECK;
/* imagePullSecrets: a .dockerconfigjson or .dockercfg text; those that fit the image's registry are appended. */
int image_auth_from_config(struct arena *a, str config_json, str ref, struct image_auth **ret, size_t *ret_n, struct err *err) MUST_CHECK;

struct image_info {
    str id;
    const str *names; /* refs and digests */
    size_t nnames;
    uint64_t bytes;
    nsec_t last_used; /* wall time */
    bool in_use;
};
int images_list(struct images *i, struct arena *a, struct image_info **ret, size_t *ret_n, struct err *err) MUST_CHECK;
int images_remove(struct images *i, str ref, struct err *err) MUST_CHECK; /* E_CONFLICT: in use */
/* Removes unused images, least recently used first, until want_bytes are free or none is left; those used within min_age_ns stay. */
uint64_t images_collect(struct images *i, uint64_t want_bytes, nsec_t min_age_ns);
