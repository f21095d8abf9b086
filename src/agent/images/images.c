/* SPDX-License-Identifier: Apache-2.0 */
/* The store itself: open, look up, hold, release.  What the files mean: images_internal.h.  Listing and removal: images_collect.c. */
#include "agent/images/images.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <openssl/sha.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/images/images_internal.h"
#include "rt/failpoint.h"
#include "rt/file.h"
#include "wire/json.h"

/* --- open and close ------------------------------------------------------------------------------------ */

static char **copy_list(const char *const *list)
{
    size_t n = 0;
    while (list && list[n])
        n++;
    char **copy = xarray(n + 1, char *);
    for (size_t i = 0; i < n; i++)
        copy[i] = xstrdup(list[i]);
    return copy;
}

static void free_list(char **list)
{
    for (size_t i = 0; list && list[i]; i++)
        free(list[i]);
    free(list);
}

int images_open(const struct images_opts *o, struct images **ret, struct err *err)
{
    static const char *const folders[] = {"refs", "blobs", "layers", "holders", "import", "certs"};
    char path[4096];
    /* 0700: set-user-id programs of images are nobody's to start from outside. */
    for (size_t k = 0; k < ARRAY_LEN(folders); k++) {
        if (snprintf(path, sizeof path, "%s/%s", o->dir, folders[k]) >= (int)sizeof path - 128)
            return err_set(err, E_INVALID_ARG, "the path of the image folder is too long: %s", o->dir);
        int r = file_mkdir_all(path, 0700, err);
        if (r < 0)
            return r;
    }
    struct images *i = xnew(struct images);
    i->dir = xstrdup(o->dir);
    i->program = o->program ? xstrdup(o->program) : NULL;
    i->clock = o->clock;
    i->insecure = copy_list(o->insecure);
    i->mirrors = copy_list(o->mirrors);
    pthread_mutex_init(&i->mutex, NULL);
    pthread_cond_init(&i->changed, NULL);
    images_layers_sweep(i);
    *ret = i;
    return 0;
}

void images_close(struct images *i)
{
    if (!i)
        return;
    BUG_ON(i->busy.len || i->pulls.len); /* a pull still runs */
    for (size_t k = 0; k < i->imports.len; k++) {
        free(i->imports.p[k].name);
        free(i->imports.p[k].refs);
        free(i->imports.p[k].error);
    }
    vec_fini(&i->imports);
    vec_fini(&i->busy);
    vec_fini(&i->pulls);
    free_list(i->insecure);
    free_list(i->mirrors);
    pthread_mutex_destroy(&i->mutex);
    pthread_cond_destroy(&i->changed);
    free(i->dir);
    free(i->program);
    free(i);
}

/* --- small things ---------------------------------------------------------------------------------------- */

str images_path(const struct images *i, struct arena *a, const char *folder, str name)
{
    return arena_fmt(a, "%s/%s/" STR_FMT, i->dir, folder, STR_ARG(name));
}

void image_digest_of(str bytes, char out[IMAGE_DIGEST_LEN + 1])
{
    unsigned char sum[SHA256_DIGEST_LENGTH];
    SHA256((const unsigned char *)bytes.p, bytes.len, sum);
    size_t at = (size_t)snprintf(out, IMAGE_DIGEST_LEN + 1, "sha256:");
    for (size_t k = 0; k < sizeof sum; k++)
        at += (size_t)snprintf(out + at, IMAGE_DIGEST_LEN + 1 - at, "%02x", sum[k]);
}

void images_hash_name(str text, char out[HASH_NAME_LEN + 1])
{
    char digest[IMAGE_DIGEST_LEN + 1];
    image_digest_of(text, digest);
    snprintf(out, HASH_NAME_LEN + 1, "%s", digest + 7);
}

int images_lock(const struct images *i, int how, int *ret_fd, struct err *err)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/lock", i->dir);
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600), r;
    if (fd < 0)
        return err_sys(err, errno, "cannot open %s", path);
    do
        r = flock(fd, how);
    while (r < 0 && errno == EINTR);
    if (r < 0) {
        r = err_sys(err, errno, "cannot lock %s", path);
        close(fd);
        return r;
    }
    *ret_fd = fd;
    return 0;
}

static bool is_busy(const struct images *i, str key)
{
    for (size_t k = 0; k < i->busy.len; k++) {
        if (str_is(key, i->busy.p[k]))
            return true;
    }
    return false;
}

void images_enter(struct images *i, str key)
{
    pthread_mutex_lock(&i->mutex);
    while (is_busy(i, key))
        pthread_cond_wait(&i->changed, &i->mutex);
    vec_push(&i->busy, str_dup(key));
    pthread_mutex_unlock(&i->mutex);
}

void images_leave(struct images *i, str key)
{
    pthread_mutex_lock(&i->mutex);
    for (size_t k = 0; k < i->busy.len; k++) {
        if (str_is(key, i->busy.p[k])) {
            free(i->busy.p[k]);
            vec_remove_swap(&i->busy, k);
            break;
        }
    }
    pthread_cond_broadcast(&i->changed);
    pthread_mutex_unlock(&i->mutex);
}

int images_folder(const char *path, struct arena *a, str **ret, size_t *ret_n, struct err *err)
{
    struct dirent **names;
    int n = scandir(path, &names, NULL, alphasort);
    if (n < 0)
        return err_sys(err, errno, "cannot list %s", path);
    *ret = arena_array(a, (size_t)n, str);
    *ret_n = 0;
    for (int k = 0; k < n; k++) {
        if (strcmp(names[k]->d_name, ".") != 0 && strcmp(names[k]->d_name, "..") != 0)
            (*ret)[(*ret_n)++] = arena_str(a, str_of(names[k]->d_name));
        free(names[k]);
    }
    free(names);
    return 0;
}

void images_touch(const struct images *i, str id)
{
    ARENA_AUTO a = ARENA_INIT;
    nsec_t wall = clock_wall(i->clock);
    struct timespec t[2] = {{.tv_sec = wall / NSEC_PER_SEC, .tv_nsec = wall % NSEC_PER_SEC}};
    t[1] = t[0];
    err_ignore(utimensat(AT_FDCWD, images_path(i, &a, "blobs", str_from(id, 7)).p, t, 0), "the image is collected a little earlier then");
}

/* --- refs and holders -------------------------------------------------------------------------------------- */

static int read_ref(const struct images *i, struct arena *a, str file, struct image_ref *ret, struct err *err)
{
    CLEANUP(free) char *text = NULL;
    size_t len;
    struct json v;
    int r = file_read(images_path(i, a, "refs", file).p, IMAGE_NAME_BYTES * 8, &text, &len, err);
    if (r < 0)
        return r;
    r = json_parse(a, arena_str(a, str_n(text, len)), NULL, &v, err);
    if (r < 0)
        return r;
    *ret = (struct image_ref){file, json_get_str(&v, S("ref")), json_get_str(&v, S("id")), json_get_str(&v, S("digest"))};
    return image_digest_is_valid(ret->id) ? 0 : err_set(err, E_CORRUPT, "the image reference " STR_FMT " is damaged", STR_ARG(file));
}

int images_refs(const struct images *i, struct arena *a, struct image_ref **ret, size_t *ret_n, struct err *err)
{
    str *files;
    size_t n, good = 0;
    int r = images_folder(arena_fmt(a, "%s/refs", i->dir).p, a, &files, &n, err);
    if (r < 0)
        return r;
    struct image_ref *refs = arena_array(a, n, struct image_ref);
    for (size_t k = 0; k < n; k++) {
        /* A file that is being replaced, or none of ours. */
        if (files[k].len == HASH_NAME_LEN && read_ref(i, a, files[k], &refs[good], NULL) == 0)
            good++;
    }
    *ret = refs;
    *ret_n = good;
    return 0;
}

int images_holders(const struct images *i, struct arena *a, struct image_holder **ret, size_t *ret_n, struct err *err)
{
    str *files;
    size_t n, good = 0;
    int r = images_folder(arena_fmt(a, "%s/holders", i->dir).p, a, &files, &n, err);
    if (r < 0)
        return r;
    struct image_holder *holders = arena_array(a, n, struct image_holder);
    for (size_t k = 0; k < n; k++) {
        CLEANUP(free) char *text = NULL;
        if (file_read(images_path(i, a, "holders", files[k]).p, 8192, &text, NULL, NULL) < 0)
            continue;
        str rest = arena_str(a, str_of(text)), id;
        if (str_cut(&rest, '\n', &id) && image_digest_is_valid(id))
            holders[good++] = (struct image_holder){files[k], id, str_trim(rest)};
    }
    *ret = holders;
    *ret_n = good;
    return 0;
}

static int write_holder(const struct images *i, str id, str holder, struct arena *a, struct err *err)
{
    char name[HASH_NAME_LEN + 1];
    images_hash_name(holder, name);
    str path = images_path(i, a, "holders", str_of(name)), text = arena_fmt(a, STR_FMT "\n" STR_FMT "\n", STR_ARG(id), STR_ARG(holder));
    FD_AUTO fd = open(path.p, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    /* Not synced: after a power cut there is no container either. */
    if (fd < 0 || write(fd, text.p, text.len) != (ssize_t)text.len)
        return err_sys(err, errno, "cannot write %s", path.p);
    return 0;
}

static void drop_holder(struct images *i, str file, str id)
{
    ARENA_AUTO a = ARENA_INIT;
    if (unlink(images_path(i, &a, "holders", file).p) == 0 && id.len)
        images_touch(i, id);
}

void images_release(struct images *i, str holder)
{
    ARENA_AUTO a = ARENA_INIT;
    char name[HASH_NAME_LEN + 1];
    CLEANUP(free) char *text = NULL;
    images_hash_name(holder, name);
    if (file_read(images_path(i, &a, "holders", str_of(name)).p, 8192, &text, NULL, NULL) < 0)
        return;
    str rest = str_of(text), id;
    str_cut(&rest, '\n', &id);
    drop_holder(i, str_of(name), image_digest_is_valid(id) ? id : S(""));
}

void images_keep_holders(struct images *i, const str *holders, size_t n)
{
    ARENA_AUTO a = ARENA_INIT;
    struct image_holder *have;
    size_t nhave;
    if (images_holders(i, &a, &have, &nhave, NULL) < 0)
        return;
    for (size_t k = 0; k < nhave; k++) {
        bool keep = false;
        for (size_t j = 0; j < n && !keep; j++)
            keep = str_eq(have[k].holder, holders[j]);
        if (!keep)
            drop_holder(i, have[k].file, have[k].id);
    }
}

/* --- images ----------------------------------------------------------------------------------------------------- */

int images_read_config(const struct images *i, str id, struct arena *a, str *ret_text, struct image_config *ret, struct err *err)
{
    CLEANUP(free) char *text = NULL;
    char digest[IMAGE_DIGEST_LEN + 1];
    size_t len;
    int r = file_read(images_path(i, a, "blobs", str_from(id, 7)).p, IMAGES_JSON_BYTES, &text, &len, err);
    if (r < 0)
        return r;
    image_digest_of(str_n(text, len), digest);
    if (!str_is(id, digest))
        return err_set(err, E_CORRUPT, "the configuration of image " STR_FMT " is damaged on this node; remove the image and pull or load it again", STR_ARG(id));
    str copy = arena_str(a, str_n(text, len));
    if (ret_text)
        *ret_text = copy;
    return image_config_parse(a, copy, ret, err);
}

/* Where one layer comes twice only the upper one counts: it covers the lower, and overlayfs refuses to take a folder twice. */
static bool comes_again(const struct image_config *c, size_t at)
{
    for (size_t k = at + 1; k < c->ndiff_ids; k++) {
        if (str_eq(c->diff_ids[k], c->diff_ids[at]))
            return true;
    }
    return false;
}

static int fill_image(const struct images *i, const struct image_ref *ref, struct arena *a, struct image *ret, struct err *err)
{
    struct image_config c;
    int r = images_read_config(i, ref->id, a, NULL, &c, err);
    if (r < 0)
        return r;
    struct image m = {.id = ref->id, .ref = ref->ref, .digest = ref->digest, .root = ROOT_LAYERS, .entrypoint = c.entrypoint, .command = c.command, .env = c.env, .cwd = c.cwd, .user = c.user,
                      .stop_signal = c.stop_signal};
    const char **layers = arena_array(a, c.ndiff_ids + 1, const char *);
    size_t n = 0;
    for (size_t k = 0; k < c.ndiff_ids; k++) {
        char name[LAYER_NAME_LEN + 1];
        uint64_t bytes;
        if (!images_layer_find(i, c.diff_ids[k], &bytes))
            return err_set(err, E_NOT_FOUND, "a layer of image " STR_FMT " is not on this node any more", STR_ARG(ref->ref));
        if (comes_again(&c, k))
            continue;
        images_layer_name(c.diff_ids[k], name);
        layers[n++] = arena_fmt(a, "%s/layers/%s/fs", i->dir, name).p;
        m.bytes += bytes;
    }
    m.layers = layers;
    *ret = m;
    return 0;
}

/* By name; a digest is also found under any name of its repository. */
static int find_ref(const struct images *i, const struct image_name *name, struct arena *a, struct image_ref *ret, struct err *err)
{
    char file[HASH_NAME_LEN + 1];
    images_hash_name(name->text, file);
    int r = read_ref(i, a, arena_str(a, str_of(file)), ret, err);
    if (r != -E_NOT_FOUND)
        return r;
    struct image_ref *refs;
    size_t n = 0;
    if (name->digest.len && images_refs(i, a, &refs, &n, err) < 0)
        return err_wrap(err, "cannot look for the image: ");
    for (size_t k = 0; k < n; k++) {
        if (str_eq(refs[k].digest, name->text)) {
            *ret = refs[k];
            return 0;
        }
    }
    return err_set(err, E_NOT_FOUND, "image \"" STR_FMT "\" is not on this node", STR_ARG(name->text));
}

int images_find(struct images *i, const struct image_name *name, str holder, struct arena *a, struct image *ret, struct err *err)
{
    struct image_ref ref;
    FD_AUTO lock = -1;
    if (images_builtin(i, name, a, ret))
        return 0;
    int r = images_lock(i, LOCK_SH, &lock, err);
    if (r == 0)
        r = find_ref(i, name, a, &ref, err);
    if (r == 0)
        r = fill_image(i, &ref, a, ret, err);
    if (r == 0 && holder.len)
        r = write_holder(i, ref.id, holder, a, err);
    if (r < 0)
        return r;
    ret->ref = name->text;
    images_touch(i, ref.id);
    return 0;
}

int images_get(struct images *i, str ref, str holder, struct arena *a, struct image *ret, struct err *err)
{
    struct image_name name;
    int r = image_name_parse(a, ref, &name, err);
    if (r < 0)
        return r;
    r = images_find(i, &name, holder, a, ret, err);
    if (r != -E_NOT_FOUND)
        return r;
    str why;
    images_import(i, name.text, a, &why);
    r = images_find(i, &name, holder, a, ret, err);
    return r == -E_NOT_FOUND && why.len ? err_set(err, E_NOT_FOUND, "image \"" STR_FMT "\" is not on this node, and " STR_FMT, STR_ARG(name.text), STR_ARG(why)) : r;
}

static int check_layers(const struct images *i, str config_text, struct arena *a, struct err *err)
{
    struct image_config c;
    uint64_t bytes;
    int r = image_config_parse(a, config_text, &c, err);
    for (size_t k = 0; r == 0 && k < c.ndiff_ids; k++) {
        if (!images_layer_find(i, c.diff_ids[k], &bytes))
            r = err_set(err, E_EXPIRED, "a layer of the image was removed while the others were still being unpacked");
    }
    return r;
}

int images_commit(struct images *i, str ref, str config_text, str digest, struct err *err)
{
    ARENA_AUTO a = ARENA_INIT;
    char id[IMAGE_DIGEST_LEN + 1], file[HASH_NAME_LEN + 1];
    struct json v = json_object();
    FD_AUTO lock = -1;
    int r = images_lock(i, LOCK_EX, &lock, err);
    if (r == 0)
        r = check_layers(i, config_text, &a, err);
    if (r < 0)
        return r;
    image_digest_of(config_text, id);
    images_hash_name(ref, file);
    json_set(&a, &v, S("ref"), json_string(ref));
    json_set(&a, &v, S("id"), json_string(str_of(id)));
    json_set(&a, &v, S("digest"), json_string(digest));
    r = file_write_atomic(images_path(i, &a, "blobs", str_of(id + 7)).p, config_text, 0600, err);
    FAILPOINT("images.commit.before_ref");
    if (r == 0)
        r = file_write_atomic(images_path(i, &a, "refs", str_of(file)).p, json_text(&a, &v), 0600, err);
    if (r == 0)
        images_touch(i, str_of(id));
    return r;
}
