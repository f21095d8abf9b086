/* images_layer.c - layers: bytes of a blob in, a folder for overlayfs out.
 *
 *   blob ─► sha256 ─► expand (gzip, zstd) ─► sha256 (diff_id) ─► unpack into .tmp-XXXXXX/fs ─► digests right? ─► info, sync, rename
 *
 * The folder appears under its name complete and checked, or not at all. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <openssl/evp.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/images/expand.h"
#include "agent/images/images_internal.h"
#include "agent/images/unpack.h"
#include "agent/images/unpack_tree.h"
#include "rt/failpoint.h"
#include "rt/file.h"

/* Headers and padding are not counted as files' bytes; without a bound of their own a tar of nothing but headers would never end. */
#define STREAM_BYTES (2 * IMAGES_LAYER_BYTES)

struct layer_in {
    struct images *images;
    char dir[4096]; /* .tmp-XXXXXX, "" once it has its name */
    int dir_fd;     /* holds the flock */
    struct unpack *unpack;
    EVP_MD_CTX *blob_sum, *diff_sum;
    struct expand *expand;
};

/* --- digests ------------------------------------------------------------------------------------------------ */

static EVP_MD_CTX *sum_new(void)
{
    EVP_MD_CTX *c = EVP_MD_CTX_new();
    BUG_ON(!c || EVP_DigestInit_ex(c, EVP_sha256(), NULL) != 1);
    return c;
}

static void sum_add(EVP_MD_CTX *c, str bytes)
{
    BUG_ON(EVP_DigestUpdate(c, bytes.p, bytes.len) != 1);
}

static void sum_text(EVP_MD_CTX *c, char out[IMAGE_DIGEST_LEN + 1])
{
    unsigned char sum[EVP_MAX_MD_SIZE];
    unsigned len = 0;
    BUG_ON(EVP_DigestFinal_ex(c, sum, &len) != 1 || len != 32);
    size_t at = (size_t)snprintf(out, IMAGE_DIGEST_LEN + 1, "sha256:");
    for (unsigned i = 0; i < len; i++)
        at += (size_t)snprintf(out + at, IMAGE_DIGEST_LEN + 1 - at, "%02x", sum[i]);
}

/* --- what is there -------------------------------------------------------------------------------------------- */

void images_layer_name(str diff_id, char out[LAYER_NAME_LEN + 1])
{
    snprintf(out, LAYER_NAME_LEN + 1, STR_FMT, STR_ARG(str_from(diff_id, 7)));
}

bool images_layer_find(const struct images *i, str diff_id, uint64_t *ret_bytes)
{
    char name[LAYER_NAME_LEN + 1], path[4096];
    CLEANUP(free) char *text = NULL;
    images_layer_name(diff_id, name);
    snprintf(path, sizeof path, "%s/layers/%s/info", i->dir, name);
    if (file_read(path, 4096, &text, NULL, NULL) < 0)
        return false;
    str rest = str_of(text), id, bytes;
    str_cut(&rest, '\n', &id);
    str_cut(&rest, '\n', &bytes);
    return str_eq(id, diff_id) && str_to_u64(bytes, ret_bytes);
}

/* --- temporary folders ------------------------------------------------------------------------------------------ */

/* Under the shared lock, so that nobody sweeps it before its own lock is there. */
static int make_temporary(struct images *i, char dir[4096], int *ret_fd, struct err *err)
{
    FD_AUTO lock = -1;
    int r = images_lock(i, LOCK_SH, &lock, err);
    if (r < 0)
        return r;
    snprintf(dir, 4096, "%s/layers/.tmp-XXXXXX", i->dir);
    if (!mkdtemp(dir)) {
        r = err_sys(err, errno, "cannot make a folder in %s/layers", i->dir);
        dir[0] = 0;
        return r;
    }
    int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) < 0)
        r = err_sys(err, errno, "cannot lock %s", dir);
    if (r == 0 && mkdirat(fd, "fs", 0755) < 0)
        r = err_sys(err, errno, "cannot make a folder in %s", dir);
    *ret_fd = fd;
    return r;
}

void images_layers_sweep(struct images *i)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/layers", i->dir);
    FD_AUTO layers = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (layers < 0)
        return;
    ARENA_AUTO a = ARENA_INIT;
    str *names;
    size_t n;
    if (images_folder(path, &a, &names, &n, NULL) < 0)
        return;
    for (size_t k = 0; k < n; k++) {
        if (!str_has_prefix(names[k], S(".tmp-")))
            continue;
        FD_AUTO lock = -1;
        if (images_lock(i, LOCK_EX, &lock, NULL) < 0)
            return;
        FD_AUTO fd = openat(layers, names[k].p, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        bool is_ours = fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0;
        file_close_cleanup(&lock); /* others need not wait for the removal: the folder's own lock says that somebody is at it */
        lock = -1;
        if (is_ours)
            err_ignore(tree_remove(layers, names[k].p, NULL), "the next sweep tries again");
    }
}

uint64_t images_layer_drop(struct images *i, str layer_name)
{
    char from[4096], to[4096];
    uint64_t bytes = 0;
    CLEANUP(free) char *text = NULL;
    snprintf(from, sizeof from, "%s/layers/" STR_FMT "/info", i->dir, STR_ARG(layer_name));
    if (file_read(from, 4096, &text, NULL, NULL) == 0) {
        str rest = str_of(text), line;
        str_cut(&rest, '\n', &line);
        str_cut(&rest, '\n', &line);
        if (!str_to_u64(line, &bytes))
            bytes = 0;
    }
    snprintf(from, sizeof from, "%s/layers/" STR_FMT, i->dir, STR_ARG(layer_name));
    snprintf(to, sizeof to, "%s/layers/.tmp-XXXXXX", i->dir);
    return mkdtemp(to) && rename(from, to) == 0 ? bytes : 0; /* an empty folder may be renamed over */
}

/* --- bytes ------------------------------------------------------------------------------------------------------- */

static int take_plain(void *arg, str bytes, struct err *err)
{
    struct layer_in *l = arg;
    sum_add(l->diff_sum, bytes);
    return unpack_feed(l->unpack, bytes, err);
}

int layer_in_new(struct images *i, struct layer_in **ret, struct err *err)
{
    struct layer_in *l CLEANUP(layer_in_free) = xnew(struct layer_in);
    char fs[4096 + 4];
    l->images = i;
    l->dir_fd = -1;
    l->blob_sum = sum_new();
    l->diff_sum = sum_new();
    l->expand = expand_new(&(struct expand_opts){.what = "layer", .max_bytes = STREAM_BYTES, .sink = take_plain, .arg = l});
    int r = make_temporary(i, l->dir, &l->dir_fd, err);
    snprintf(fs, sizeof fs, "%s/fs", l->dir);
    if (r == 0)
        r = unpack_new(&(struct unpack_opts){.dir = fs, .max_bytes = IMAGES_LAYER_BYTES, .max_files = IMAGES_FILES}, &l->unpack, err);
    if (r == 0)
        *ret = TAKE(l);
    return r;
}

void layer_in_free(struct layer_in *l)
{
    if (!l)
        return;
    unpack_free(l->unpack);
    if (l->dir[0])
        err_ignore(tree_remove(AT_FDCWD, l->dir, NULL), "a sweep removes what is left");
    if (l->dir_fd >= 0)
        close(l->dir_fd);
    expand_free(l->expand);
    EVP_MD_CTX_free(l->blob_sum);
    EVP_MD_CTX_free(l->diff_sum);
    free(l);
}

int layer_in_feed(struct layer_in *l, str bytes, struct err *err)
{
    sum_add(l->blob_sum, bytes);
    return expand_feed(l->expand, bytes, err);
}

/* --- the end -------------------------------------------------------------------------------------------------------- */

static int check_sums(struct layer_in *l, str blob_digest, str diff_id, struct err *err)
{
    char blob[IMAGE_DIGEST_LEN + 1], diff[IMAGE_DIGEST_LEN + 1];
    sum_text(l->blob_sum, blob);
    sum_text(l->diff_sum, diff);
    if (blob_digest.len && !str_is(blob_digest, blob))
        return err_set(err, E_CORRUPT, "a layer should have the digest " STR_FMT ", but what came has %s", STR_ARG(blob_digest), blob);
    if (!str_is(diff_id, diff))
        return err_set(err, E_CORRUPT, "a layer should unpack to " STR_FMT ", but it is %s", STR_ARG(diff_id), diff);
    return 0;
}

static int write_info(struct layer_in *l, str diff_id, struct err *err)
{
    uint64_t bytes, files;
    int r = unpack_finish(l->unpack, &bytes, &files, err);
    if (r < 0)
        return r;
    char text[256];
    int n = snprintf(text, sizeof text, STR_FMT "\n%llu\n%llu\n", STR_ARG(diff_id), (unsigned long long)bytes, (unsigned long long)files);
    FD_AUTO fd = openat(l->dir_fd, "info", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0 || write(fd, text, (size_t)n) != n)
        return err_sys(err, errno, "cannot write %s/info", l->dir);
    /* One flush for all the files instead of one each; a power cut then finds the whole layer or none. */
    if (syncfs(l->dir_fd) < 0)
        return err_sys(err, errno, "cannot write %s to disk", l->dir);
    return 0;
}

static int give_name(struct layer_in *l, str diff_id, struct err *err)
{
    char name[LAYER_NAME_LEN + 1], path[4096];
    uint64_t bytes;
    images_layer_name(diff_id, name);
    snprintf(path, sizeof path, "%s/layers/%s", l->images->dir, name);
    if (renameat2(AT_FDCWD, l->dir, AT_FDCWD, path, RENAME_NOREPLACE) == 0) {
        l->dir[0] = 0;
        return 0;
    }
    if (errno == EEXIST && images_layer_find(l->images, diff_id, &bytes))
        return 0; /* another process was faster; ours goes */
    return err_sys(err, errno, "cannot give the layer its name %s", path);
}

int layer_in_commit(struct layer_in *l, str blob_digest, str diff_id, struct err *err)
{
    int r = expand_finish(l->expand, err);
    if (r == 0)
        r = check_sums(l, blob_digest, diff_id, err);
    if (r == 0)
        r = write_info(l, diff_id, err);
    FAILPOINT("images.layer.before_rename");
    return r < 0 ? r : give_name(l, diff_id, err);
}

/* --- all of an image --------------------------------------------------------------------------------------------------- */

static int install_layer(struct images *i, const struct layer_source *source, size_t k, str diff_id, struct err *err)
{
    struct layer_in *in CLEANUP(layer_in_free) = NULL;
    int r = layer_in_new(i, &in, err);
    if (r == 0)
        r = source->fetch(source->arg, k, in, err);
    if (r == 0)
        r = layer_in_commit(in, source->blobs ? source->blobs[k].digest : S(""), diff_id, err);
    return r;
}

int images_install_layers(struct images *i, const struct image_config *c, const struct layer_source *source, struct err *err)
{
    uint64_t bytes;
    int r = 0;
    for (size_t k = 0; r == 0 && k < c->ndiff_ids; k++) {
        str id = c->diff_ids[k];
        if (images_layer_find(i, id, &bytes))
            continue;
        images_enter(i, id); /* another image may be bringing the same layer */
        if (!images_layer_find(i, id, &bytes))
            r = install_layer(i, source, k, id, err);
        images_leave(i, id);
    }
    return r;
}
