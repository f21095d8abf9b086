/* images_internal.h - what the files of the image store share; private to images_*.c.
 *
 *   DIR/lock               flock: shared to look, exclusive to change refs or to remove; held for moments, never while bytes come
 *   DIR/refs/HASH          {"ref":"docker.io/library/web:1","id":"sha256:...","digest":"docker.io/library/web@sha256:..."}
 *   DIR/blobs/HEX          configurations by digest; their mtime is when the image was used last
 *   DIR/layers/NAME/fs     an unpacked layer; NAME: the first digits of its diff_id, since overlayfs' mount option is short
 *   DIR/layers/NAME/info   diff_id, bytes and files, one a line: without it there is no layer
 *   DIR/layers/.tmp-*      being unpacked or removed, by who holds its flock; without an owner it is swept
 *   DIR/holders/HASH       id and container's name, one a line
 *   DIR/import             archives to load when an unknown image is asked for
 *   DIR/certs/HOST.crt     CA of a registry, PEM
 * Threads: any, also of several processes: everything shared is in files under the lock, or under `mutex`. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <pthread.h>

#include "agent/images/images.h"
#include "agent/images/images_manifest.h"
#include "agent/images/images_ref.h"
#include "base/vec.h"

#define LAYER_NAME_LEN 24
#define HASH_NAME_LEN 32
#define IMPORT_FILES 256 /* in the import folder; those beyond are not looked at */

struct imported {
    char *name; /* file */
    uint64_t ino, size;
    int64_t mtime_s, mtime_ns;
    char *refs;  /* what it held, a line each; "" after a failure */
    char *error; /* NULL: it was loaded */
};

/* A pull that runs: those who ask for the same name meanwhile wait for it. */
struct pull {
    str ref;
    bool done;
    int result;
    struct err err;
    unsigned waiters;
};

struct images {
    char *dir, *program;
    const struct clock *clock;
    char **insecure, **mirrors; /* NULL at the end */
    pthread_mutex_t mutex;      /* guards busy and pulls */
    pthread_cond_t changed;
    VEC(char *) busy;           /* keys that somebody works on */
    VEC(struct pull *) pulls;
    VEC(struct imported) imports; /* of who entered "import" */
};

/* --- images.c ------------------------------------------------------------------------------------------- */
str images_path(const struct images *i, struct arena *a, const char *folder, str name); /* "DIR/folder/name" */
void images_hash_name(str text, char out[HASH_NAME_LEN + 1]);
void image_digest_of(str bytes, char out[IMAGE_DIGEST_LEN + 1]);
/* LOCK_SH or LOCK_EX; a descriptor whose closing unlocks. */
int images_lock(const struct images *i, int how, int *ret_fd, struct err *err) MUST_CHECK;
/* One thread of this process at a time works on a key. */
void images_enter(struct images *i, str key);
void images_leave(struct images *i, str key);
/* All layers are there: the name now means this image.  E_EXPIRED: a layer was removed meanwhile, try again. */
int images_commit(struct images *i, str ref, str config_text, str digest, struct err *err) MUST_CHECK;
/* What is known of a normalised name, without asking anybody.  holder "": nobody. */
int images_find(struct images *i, const struct image_name *name, str holder, struct arena *a, struct image *ret, struct err *err) MUST_CHECK;
int images_read_config(const struct images *i, str id, struct arena *a, str *ret_text, struct image_config *ret, struct err *err) MUST_CHECK;

struct image_ref {
    str file, ref, id, digest;
};
int images_refs(const struct images *i, struct arena *a, struct image_ref **ret, size_t *ret_n, struct err *err) MUST_CHECK;
struct image_holder {
    str file, id, holder;
};
int images_holders(const struct images *i, struct arena *a, struct image_holder **ret, size_t *ret_n, struct err *err) MUST_CHECK;
/* Names in a folder, sorted, without . and .. */
int images_folder(const char *path, struct arena *a, str **ret, size_t *ret_n, struct err *err) MUST_CHECK;
void images_touch(const struct images *i, str id);

/* --- images_builtin.c ------------------------------------------------------------------------------------- */
bool images_builtin(const struct images *i, const struct image_name *name, struct arena *a, struct image *ret);

/* --- images_layer.c --------------------------------------------------------------------------------------- */
void images_layer_name(str diff_id, char out[LAYER_NAME_LEN + 1]);
bool images_layer_find(const struct images *i, str diff_id, uint64_t *ret_bytes);
/* Bytes of a blob as they come, plain, gzip or zstd. */
struct layer_in;
int layer_in_new(struct images *i, struct layer_in **ret, struct err *err) MUST_CHECK;
void layer_in_free(struct layer_in *l); /* without a commit nothing is left of it */
DEFINE_CLEANUP(struct layer_in *, layer_in_free)
int layer_in_feed(struct layer_in *l, str bytes, struct err *err) MUST_CHECK;
/* blob_digest "": not known.  E_CORRUPT: the bytes are not those that were promised. */
int layer_in_commit(struct layer_in *l, str blob_digest, str diff_id, struct err *err) MUST_CHECK;
/* Where layers come from: an archive, a registry. */
struct layer_source {
    int (*fetch)(void *arg, size_t layer, struct layer_in *in, struct err *err); /* feeds all of its bytes */
    void *arg;
    const struct image_blob *blobs; /* one a layer; NULL: their digests are not known */
};
/* Those layers of the configuration that are not there yet. */
int images_install_layers(struct images *i, const struct image_config *c, const struct layer_source *source, struct err *err) MUST_CHECK;
/* Moves the layer away under the exclusive lock; images_layers_sweep then removes it.  Returns its bytes. */
uint64_t images_layer_drop(struct images *i, str layer_name);
/* Removes what nobody owns: cut-off unpackings, dropped layers. */
void images_layers_sweep(struct images *i);

/* --- images_load.c ---------------------------------------------------------------------------------------- */
/* Loads what is in the import folder and not known yet; *ret_why: a sentence about what failed, "" none. */
void images_import(struct images *i, str wanted, struct arena *a, str *ret_why);
