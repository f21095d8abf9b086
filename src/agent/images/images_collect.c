/* images_collect.c - what is on the node, and what may go.
 *
 * An image goes when nobody holds it: its names, its configuration, and those of its layers that no other image has.  Holders keep an image that has lost its names.
 * Layers are moved away under the exclusive lock and removed after it, so that nobody waits for it. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/images/images_internal.h"
#include "base/map.h"
#include "rt/file.h"

#define ORPHAN_AGE_NS (24 * 3600 * NSEC_PER_SEC) /* a layer without an image belongs to a pull that was cut off, or to one that still runs */

struct inventory {
    struct image_ref *refs;
    size_t nrefs;
    struct image_holder *holders;
    size_t nholders;
    struct image_info *infos; /* least recently used first */
    size_t ninfos;
};

/* --- looking -------------------------------------------------------------------------------------------- */

static nsec_t last_used(const struct images *i, struct arena *a, str id)
{
    struct stat st;
    if (stat(images_path(i, a, "blobs", str_from(id, 7)).p, &st) < 0)
        return 0;
    return st.st_mtim.tv_sec * NSEC_PER_SEC + st.st_mtim.tv_nsec;
}

static struct image_info *info_of(struct inventory *v, str id)
{
    for (size_t k = 0; k < v->ninfos; k++) {
        if (str_eq(v->infos[k].id, id))
            return &v->infos[k];
    }
    v->infos[v->ninfos].id = id;
    return &v->infos[v->ninfos++];
}

static void add_name(struct arena *a, struct image_info *info, str name)
{
    for (size_t k = 0; k < info->nnames; k++) {
        if (str_eq(info->names[k], name))
            return;
    }
    str *names = arena_array(a, info->nnames + 1, str);
    for (size_t k = 0; k < info->nnames; k++)
        names[k] = info->names[k];
    names[info->nnames++] = name;
    info->names = names;
}

static uint64_t image_bytes(const struct images *i, struct arena *a, str id)
{
    struct image_config c;
    uint64_t sum = 0, bytes;
    if (images_read_config(i, id, a, NULL, &c, NULL) < 0)
        return 0;
    for (size_t k = 0; k < c.ndiff_ids; k++)
        sum += images_layer_find(i, c.diff_ids[k], &bytes) ? bytes : 0;
    return sum;
}

static int by_use(const void *x, const void *y)
{
    const struct image_info *l = x, *r = y;
    return l->last_used < r->last_used ? -1 : l->last_used > r->last_used ? 1 : str_cmp(l->id, r->id);
}

static int take_inventory(const struct images *i, struct arena *a, struct inventory *v, struct err *err)
{
    *v = (struct inventory){0};
    int r = images_refs(i, a, &v->refs, &v->nrefs, err);
    if (r == 0)
        r = images_holders(i, a, &v->holders, &v->nholders, err);
    if (r < 0)
        return r;
    str *blobs;
    size_t nblobs;
    r = images_folder(arena_fmt(a, "%s/blobs", i->dir).p, a, &blobs, &nblobs, err);
    if (r < 0)
        return r;
    v->infos = arena_array(a, v->nrefs + v->nholders + nblobs, struct image_info);
    for (size_t k = 0; k < v->nrefs; k++) {
        struct image_info *info = info_of(v, v->refs[k].id);
        add_name(a, info, v->refs[k].ref);
        if (v->refs[k].digest.len)
            add_name(a, info, v->refs[k].digest);
    }
    for (size_t k = 0; k < v->nholders; k++)
        info_of(v, v->holders[k].id)->in_use = true;
    /* An image without a name and without a holder: its name means another one now. */
    for (size_t k = 0; k < nblobs; k++) {
        str id = arena_cat(a, S("sha256:"), blobs[k]);
        if (image_digest_is_valid(id))
            info_of(v, id);
    }
    for (size_t k = 0; k < v->ninfos; k++) {
        v->infos[k].last_used = last_used(i, a, v->infos[k].id);
        v->infos[k].bytes = image_bytes(i, a, v->infos[k].id);
    }
    if (v->ninfos)
        qsort(v->infos, v->ninfos, sizeof *v->infos, by_use);
    return 0;
}

int images_list(struct images *i, struct arena *a, struct image_info **ret, size_t *ret_n, struct err *err)
{
    struct inventory v;
    FD_AUTO lock = -1;
    int r = images_lock(i, LOCK_SH, &lock, err);
    if (r == 0)
        r = take_inventory(i, a, &v, err);
    if (r < 0)
        return r;
    *ret = v.infos;
    *ret_n = v.ninfos;
    return 0;
}

/* --- removing, under the exclusive lock ------------------------------------------------------------------- */

static void add_layers(const struct images *i, struct arena *a, str id, struct map *names)
{
    struct image_config c;
    if (images_read_config(i, id, a, NULL, &c, NULL) < 0)
        return;
    for (size_t k = 0; k < c.ndiff_ids; k++) {
        char name[LAYER_NAME_LEN + 1];
        images_layer_name(c.diff_ids[k], name);
        map_put(names, arena_str(a, str_of(name)), names);
    }
}

/* Names, configuration and layers of one image; those that are gone already are marked by an empty id.  Returns the bytes of the layers that went. */
static uint64_t remove_image(struct images *i, struct arena *a, struct inventory *v, struct image_info *gone)
{
    struct map mine = MAP_INIT, others = MAP_INIT;
    uint64_t bytes = 0;
    add_layers(i, a, gone->id, &mine);
    for (size_t k = 0; k < v->ninfos; k++) {
        if (&v->infos[k] != gone && v->infos[k].id.len)
            add_layers(i, a, v->infos[k].id, &others);
    }
    for (size_t k = 0; k < v->nrefs; k++) {
        if (str_eq(v->refs[k].id, gone->id))
            unlink(images_path(i, a, "refs", v->refs[k].file).p);
    }
    unlink(images_path(i, a, "blobs", str_from(gone->id, 7)).p);
    map_foreach(e, &mine) {
        if (!map_has(&others, e->key))
            bytes += images_layer_drop(i, e->key);
    }
    map_fini(&mine);
    map_fini(&others);
    gone->id = S("");
    return bytes;
}

/* Layers and configurations that no image has, since a pull or a removal was cut off. */
static uint64_t remove_orphans(struct images *i, struct arena *a, const struct inventory *v)
{
    struct map used = MAP_INIT;
    str *names;
    size_t n;
    uint64_t bytes = 0;
    for (size_t k = 0; k < v->ninfos; k++) {
        if (v->infos[k].id.len)
            add_layers(i, a, v->infos[k].id, &used);
    }
    if (images_folder(arena_fmt(a, "%s/layers", i->dir).p, a, &names, &n, NULL) < 0)
        n = 0;
    for (size_t k = 0; k < n; k++) {
        struct stat st;
        if (names[k].len != LAYER_NAME_LEN || map_has(&used, names[k]) || stat(images_path(i, a, "layers", names[k]).p, &st) < 0)
            continue;
        if (clock_wall(i->clock) - st.st_mtim.tv_sec * NSEC_PER_SEC >= ORPHAN_AGE_NS)
            bytes += images_layer_drop(i, names[k]);
    }
    map_fini(&used);
    return bytes;
}

static struct image_info *find_info(struct inventory *v, str id)
{
    for (size_t k = 0; k < v->ninfos; k++) {
        if (str_eq(v->infos[k].id, id))
            return &v->infos[k];
    }
    return NULL;
}

static int in_use(struct err *err, str what, const struct inventory *v, str id)
{
    for (size_t k = 0; k < v->nholders; k++) {
        if (str_eq(v->holders[k].id, id))
            return err_set(err, E_CONFLICT, "image \"" STR_FMT "\" is in use by container " STR_FMT, STR_ARG(what), STR_ARG(v->holders[k].holder));
    }
    return err_set(err, E_CONFLICT, "image \"" STR_FMT "\" is in use", STR_ARG(what));
}

/* One name goes; the image with it when that was its last. */
static int remove_name(struct images *i, struct arena *a, struct inventory *v, const struct image_name *name, struct err *err)
{
    const struct image_ref *found = NULL;
    size_t names = 0;
    for (size_t k = 0; k < v->nrefs && !found; k++) {
        if (str_eq(v->refs[k].ref, name->text) || (name->digest.len && str_eq(v->refs[k].digest, name->text)))
            found = &v->refs[k];
    }
    if (!found)
        return err_set(err, E_NOT_FOUND, "image \"" STR_FMT "\" is not on this node", STR_ARG(name->text));
    for (size_t k = 0; k < v->nrefs; k++)
        names += str_eq(v->refs[k].id, found->id);
    struct image_info *info = find_info(v, found->id);
    if (names > 1) {
        unlink(images_path(i, a, "refs", found->file).p);
        return 0;
    }
    if (info->in_use)
        return in_use(err, name->text, v, found->id);
    remove_image(i, a, v, info);
    return 0;
}

int images_remove(struct images *i, str ref, struct err *err)
{
    ARENA_AUTO a = ARENA_INIT;
    struct inventory v;
    struct image_name name;
    bool by_id = image_digest_is_valid(ref);
    FD_AUTO lock = -1;
    int r = by_id ? 0 : image_name_parse(&a, ref, &name, err);
    if (r == 0)
        r = images_lock(i, LOCK_EX, &lock, err);
    if (r == 0)
        r = take_inventory(i, &a, &v, err);
    if (r < 0)
        return r;
    struct image_info *info = by_id ? find_info(&v, ref) : NULL;
    if (!by_id)
        r = remove_name(i, &a, &v, &name, err);
    else if (!info)
        r = err_set(err, E_NOT_FOUND, "image \"" STR_FMT "\" is not on this node", STR_ARG(ref));
    else if (info->in_use)
        r = in_use(err, ref, &v, ref);
    else
        remove_image(i, &a, &v, info);
    file_close_cleanup(&lock);
    lock = -1;
    if (r == 0)
        images_layers_sweep(i);
    return r;
}

uint64_t images_collect(struct images *i, uint64_t want_bytes, nsec_t min_age_ns)
{
    ARENA_AUTO a = ARENA_INIT;
    struct inventory v;
    uint64_t bytes = 0;
    FD_AUTO lock = -1;
    if (images_lock(i, LOCK_EX, &lock, NULL) < 0 || take_inventory(i, &a, &v, NULL) < 0)
        return 0;
    nsec_t now = clock_wall(i->clock);
    for (size_t k = 0; k < v.ninfos && bytes < want_bytes; k++) {
        if (!v.infos[k].in_use && now - v.infos[k].last_used >= min_age_ns)
            bytes += remove_image(i, &a, &v, &v.infos[k]);
    }
    bytes += remove_orphans(i, &a, &v);
    file_close_cleanup(&lock);
    lock = -1;
    images_layers_sweep(i);
    return bytes;
}
