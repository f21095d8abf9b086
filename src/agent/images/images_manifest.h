/* images_manifest.h - what registries and archives say about an image, read and checked: indexes, manifests, configurations.
 *
 *   index ─► the manifest for this machine ─► configuration + layers
 *
 * OCI and docker forms alike.  Threads: pure functions.  Ownership: results on the arena, strings may point into the text.
 * Limits: texts of IMAGES_JSON_BYTES, IMAGES_LAYERS layers, MANIFEST_ITEMS manifests of an index, MANIFEST_WORDS arguments or variables. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "agent/images/images.h"

#define MANIFEST_ITEMS 4096
#define MANIFEST_WORDS 10000

#define MEDIA_OCI_INDEX "application/vnd.oci.image.index.v1+json"
#define MEDIA_OCI_MANIFEST "application/vnd.oci.image.manifest.v1+json"
#define MEDIA_DOCKER_LIST "application/vnd.docker.distribution.manifest.list.v2+json"
#define MEDIA_DOCKER_MANIFEST "application/vnd.docker.distribution.manifest.v2+json"

struct image_blob {
    str digest, media_type;
    uint64_t size;
};

struct image_manifest {
    bool is_index;
    struct image_blob chosen; /* of an index: the manifest (or index) for this machine */
    struct image_blob config; /* of a manifest */
    struct image_blob *layers;
    size_t nlayers;
};
/* E_NOT_FOUND: the index has nothing for this machine. */
int image_manifest_parse(struct arena *a, str text, struct image_manifest *ret, struct err *err) MUST_CHECK;

struct image_config {
    str *diff_ids; /* lowest first */
    size_t ndiff_ids;
    const char *const *entrypoint, *const *command, *const *env; /* NULL at the end; may be NULL */
    const char *cwd, *user; /* may be NULL */
    int stop_signal;
};
/* E_INVALID_ARG also when the image is for another kind of machine. */
int image_config_parse(struct arena *a, str text, struct image_config *ret, struct err *err) MUST_CHECK;

struct json;
/* How well an index entry's "platform" fits this machine; 0: not at all. */
int image_platform_fit(const struct json *platform);
const char *image_machine(void); /* "amd64", as images call it */
/* "SIGTERM", "TERM", "15", "SIGRTMIN+3"; 0: none of them. */
int image_signal_parse(str name);
