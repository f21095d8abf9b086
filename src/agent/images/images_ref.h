/* images_ref.h - names of images taken apart: "web:1" is host docker.io, repository library/web, tag 1.
 *
 * Threads: pure functions.  Ownership: parts point into the normalised text on the arena.
 * Limits: IMAGE_NAME_BYTES a name. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/arena.h"
#include "base/err.h"

#define IMAGE_NAME_BYTES 512
#define IMAGE_DIGEST_LEN 71 /* "sha256:" and 64 digits */
#define IMAGE_DEFAULT_HOST "docker.io"

struct image_name {
    str text;   /* "docker.io/library/web:1", "host:5000/a/b@sha256:..." */
    str host;   /* "docker.io" */
    str repo;   /* "library/web" */
    str tag;    /* "" with a digest */
    str digest; /* "sha256:...", "" without */
};
/* E_INVALID_ARG: InvalidImageName. */
int image_name_parse(struct arena *a, str ref, struct image_name *ret, struct err *err) MUST_CHECK;
bool image_digest_is_valid(str digest); /* sha256 with lower-case digits */
/* "docker.io/library/web@sha256:..." */
str image_name_with_digest(struct arena *a, const struct image_name *n, str digest);
