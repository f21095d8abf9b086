/* images_load.c - images out of archives: OCI layouts and what docker saves.
 *
 *   docker:  manifest.json  [{"Config":"HEX.json","RepoTags":["web:1"],"Layers":["0/layer.tar"]}]
 *   OCI:     index.json     {"manifests":[{"digest":...,"annotations":{name}}]} ─► blobs/sha256/HEX ─► configuration, layers
 *
 * Newer docker writes both; its own list is read then, since it names what is really in the file.
 * The import folder: each archive is loaded once, and again when an image of it is asked for that was collected meanwhile. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <sys/stat.h>

#include "agent/images/images_archive.h"
#include "agent/images/images_internal.h"
#include "rt/file.h"
#include "wire/json.h"

#define INDEX_DEPTH 4
#define COMMIT_TRIES 10
#define IMAGES_PER_ARCHIVE 1000

struct load {
    struct images *images;
    struct archive *archive;
    struct arena *arena;
    str as_ref;              /* "" : the archive's own names */
    VEC(const char *) refs;  /* that the images got */
};

/* One image of the archive. */
struct source {
    struct load *load;
    const str *layers; /* names of members */
};

static int feed_layer(void *arg, str bytes, struct err *err)
{
    return layer_in_feed(arg, bytes, err);
}

static int fetch_layer(void *arg, size_t layer, struct layer_in *in, struct err *err)
{
    struct source *s = arg;
    return archive_stream(s->load->archive, s->layers[layer], feed_layer, in, err);
}

/* Layers and configuration; then the names.  digest "": there is none. */
static int install(struct load *l, str config_text, const str *layers, size_t nlayers, const struct image_blob *blobs, const str *names, size_t nnames, str digest, struct err *err)
{
    struct image_config c;
    struct source s = {l, layers};
    int r = image_config_parse(l->arena, config_text, &c, err);
    if (r == 0 && c.ndiff_ids != nlayers)
        r = err_set(err, E_PARSE, "the image's configuration names %zu layers, the archive %zu", c.ndiff_ids, nlayers);
    if (r < 0)
        return r;
    for (size_t k = 0; k < nnames; k++) {
        struct image_name name;
        r = image_name_parse(l->arena, names[k], &name, err);
        str with_digest = r == 0 && digest.len ? image_name_with_digest(l->arena, &name, digest) : S("");
        for (int tries = 0; r == 0; tries++) {
            r = images_install_layers(l->images, &c, &(struct layer_source){fetch_layer, &s, blobs}, err);
            if (r == 0)
                r = images_commit(l->images, name.text, config_text, with_digest, err);
            if (r != -E_EXPIRED || tries == COMMIT_TRIES)
                break;
            r = 0;
        }
        if (r < 0)
            return r;
        vec_push(&l->refs, name.text.p);
    }
    return 0;
}

static int no_name(struct err *err)
{
    return err_set(err, E_INVALID_ARG, "the archive does not say what its image is called; give a name with --name");
}

/* The names an image gets: the one that was asked for, or its own. */
static int choose_names(struct load *l, const str *own, size_t nown, size_t nimages, const str **ret, size_t *ret_n, struct err *err)
{
    if (l->as_ref.len && nimages > 1)
        return err_set(err, E_INVALID_ARG, "the archive has %zu images; a name can be given to one only", nimages);
    *ret = l->as_ref.len ? &l->as_ref : own;
    *ret_n = l->as_ref.len ? 1 : nown;
    return *ret_n ? 0 : no_name(err);
}

/* --- docker ---------------------------------------------------------------------------------------------- */

static str *string_list(struct arena *a, const struct json *v, size_t *ret_n)
{
    size_t n = json_is(v, JSON_ARRAY) ? v->len : 0;
    str *list = arena_array(a, n, str);
    for (size_t k = 0; k < n; k++)
        list[k] = json_str(&v->items[k]);
    *ret_n = n;
    return list;
}

/* The member's name is the digest of its content, in both forms that docker uses. */
static int check_config_name(str member, str text, struct err *err)
{
    char digest[IMAGE_DIGEST_LEN + 1];
    str hex = str_has_suffix(member, S(".json")) ? str_sub(member, 0, member.len - 5) : str_from(member, str_has_prefix(member, S("blobs/sha256/")) ? 13 : 0);
    image_digest_of(text, digest);
    if (hex.len == 64 && !str_is(hex, digest + 7))
        return err_set(err, E_CORRUPT, "the image's configuration is not what its name says: it is damaged");
    return 0;
}

static int load_docker_image(struct load *l, const struct json *entry, size_t nimages, struct err *err)
{
    size_t nown, nlayers, nnames = 0;
    str config = json_get_str(entry, S("Config")), text;
    const str *own = string_list(l->arena, json_get(entry, S("RepoTags")), &nown), *names = NULL;
    const str *layers = string_list(l->arena, json_get(entry, S("Layers")), &nlayers);
    int r = choose_names(l, own, nown, nimages, &names, &nnames, err);
    if (r == 0)
        r = archive_read(l->archive, config, IMAGES_JSON_BYTES, l->arena, &text, err);
    if (r == 0)
        r = check_config_name(config, text, err);
    return r < 0 ? r : install(l, text, layers, nlayers, NULL, names, nnames, S(""), err);
}

static int load_docker(struct load *l, struct err *err)
{
    str text;
    struct json root;
    int r = archive_read(l->archive, S("manifest.json"), IMAGES_JSON_BYTES, l->arena, &text, err);
    if (r == 0)
        r = json_parse(l->arena, text, NULL, &root, err);
    if (r < 0)
        return err_wrap(err, "manifest.json: ");
    if (root.type != JSON_ARRAY || !root.len || root.len > IMAGES_PER_ARCHIVE)
        return err_set(err, E_PARSE, "manifest.json lists no images, or too many");
    for (uint32_t k = 0; r == 0 && k < root.len; k++)
        r = load_docker_image(l, &root.items[k], root.len, err);
    return r;
}

/* --- OCI --------------------------------------------------------------------------------------------------- */

static str blob_member(struct arena *a, str digest)
{
    return arena_cat(a, S("blobs/sha256/"), str_from(digest, 7));
}

static int read_blob(struct load *l, str digest, str *ret, struct err *err)
{
    char have[IMAGE_DIGEST_LEN + 1];
    if (!image_digest_is_valid(digest))
        return err_set(err, E_INVALID_ARG, "the archive names a part with the digest \"" STR_FMT "\"; only sha256 is known here", STR_ARG(str_sub(digest, 0, 80)));
    int r = archive_read(l->archive, blob_member(l->arena, digest), IMAGES_JSON_BYTES, l->arena, ret, err);
    if (r < 0)
        return r;
    image_digest_of(*ret, have);
    return str_is(digest, have) ? 0 : err_set(err, E_CORRUPT, "a part of the archive should have the digest " STR_FMT ", but has %s", STR_ARG(digest), have);
}

static int read_manifest(struct load *l, str digest, struct image_manifest *ret, struct err *err)
{
    for (int depth = 0; depth < INDEX_DEPTH; depth++) {
        str text;
        int r = read_blob(l, digest, &text, err);
        if (r == 0)
            r = image_manifest_parse(l->arena, text, ret, err);
        if (r < 0 || !ret->is_index)
            return r;
        digest = ret->chosen.digest;
    }
    return err_set(err, E_PARSE, "the archive's indexes are nested too deep");
}

static int load_oci_image(struct load *l, const struct json *entry, size_t nimages, struct err *err)
{
    const struct json *notes = json_get(entry, S("annotations"));
    str own = json_get_str(notes, S("io.containerd.image.name")), digest = json_get_str(entry, S("digest")), config;
    const str *names = NULL;
    size_t nnames = 0;
    struct image_manifest m;
    /* The other annotation holds a whole name or only a tag, which is no name. */
    str other = json_get_str(notes, S("org.opencontainers.image.ref.name"));
    if (!own.len && (str_find_char(other, '/') >= 0 || str_find_char(other, ':') >= 0))
        own = other;
    int r = choose_names(l, &own, own.len > 0, nimages, &names, &nnames, err);
    if (r == 0)
        r = read_manifest(l, digest, &m, err);
    if (r == 0)
        r = read_blob(l, m.config.digest, &config, err);
    if (r < 0)
        return r;
    str *layers = arena_array(l->arena, m.nlayers, str);
    for (size_t k = 0; k < m.nlayers; k++)
        layers[k] = blob_member(l->arena, m.layers[k].digest);
    return install(l, config, layers, m.nlayers, m.layers, names, nnames, digest, err);
}

static int load_oci(struct load *l, struct err *err)
{
    str text;
    struct json root;
    int r = archive_read(l->archive, S("index.json"), IMAGES_JSON_BYTES, l->arena, &text, err);
    if (r == 0)
        r = json_parse(l->arena, text, NULL, &root, err);
    if (r < 0)
        return err_wrap(err, "index.json: ");
    const struct json *items = json_get(&root, S("manifests"));
    if (!json_is(items, JSON_ARRAY) || !items->len || items->len > IMAGES_PER_ARCHIVE)
        return err_set(err, E_PARSE, "index.json lists no images, or too many");
    size_t fitting = 0;
    for (uint32_t k = 0; k < items->len; k++) {
        const struct json *platform = json_get(&items->items[k], S("platform"));
        if (!platform || image_platform_fit(platform))
            items->items[fitting++] = items->items[k];
    }
    if (!fitting)
        return err_set(err, E_INVALID_ARG, "the archive has no image for linux/%s, which this node is", image_machine());
    for (size_t k = 0; r == 0 && k < fitting; k++)
        r = load_oci_image(l, &items->items[k], fitting, err);
    return r;
}

/* --- loading ------------------------------------------------------------------------------------------------- */

int images_load(struct images *i, const char *path, str as_ref, struct arena *a, const char *const **ret_refs, struct err *err)
{
    struct archive *f CLEANUP(archive_close) = NULL;
    struct load l = {.images = i, .arena = a, .as_ref = as_ref};
    struct image_name name;
    int r = as_ref.len ? image_name_parse(a, as_ref, &name, err) : 0;
    if (r == 0 && as_ref.len && name.digest.len)
        r = err_set(err, E_INVALID_ARG, "an image cannot be given a name with a digest");
    if (r == 0)
        r = archive_open(path, i->dir, &f, err);
    if (r < 0)
        return r;
    l.archive = f;
    if (archive_has(f, S("manifest.json")))
        r = load_docker(&l, err);
    else if (archive_has(f, S("index.json")))
        r = load_oci(&l, err);
    else
        r = err_set(err, E_INVALID_ARG, "this is no archive of images: it has neither manifest.json nor index.json (docker save and OCI layouts in a tar are read)");
    if (r < 0) {
        vec_fini(&l.refs);
        return err_wrap(err, "%s: ", path);
    }
    const char **refs = arena_array(a, l.refs.len + 1, const char *);
    for (size_t k = 0; k < l.refs.len; k++)
        refs[k] = l.refs.p[k];
    vec_fini(&l.refs);
    *ret_refs = refs;
    return 0;
}

/* --- the import folder ------------------------------------------------------------------------------------------ */

static bool same_file(const struct imported *m, const struct stat *st)
{
    return m->ino == st->st_ino && m->size == (uint64_t)st->st_size && m->mtime_s == st->st_mtim.tv_sec && m->mtime_ns == st->st_mtim.tv_nsec;
}

static struct imported *find_import(struct images *i, str name)
{
    for (size_t k = 0; k < i->imports.len; k++) {
        if (str_is(name, i->imports.p[k].name))
            return &i->imports.p[k];
    }
    if (i->imports.len == IMPORT_FILES)
        return NULL;
    vec_push(&i->imports, (struct imported){.name = str_dup(name)});
    return &i->imports.p[i->imports.len - 1];
}

static bool has_line(const char *lines, str line)
{
    str rest = str_of(lines), one;
    while (rest.len) {
        str_cut(&rest, '\n', &one);
        if (str_eq(one, line))
            return true;
    }
    return false;
}

static void import_file(struct images *i, struct imported *m, const char *path, const struct stat *st)
{
    ARENA_AUTO a = ARENA_INIT;
    const char *const *refs;
    struct err err = ERR_NONE;
    STRBUF_AUTO lines = STRBUF_HEAP;
    int r = images_load(i, path, S(""), &a, &refs, &err);
    for (size_t k = 0; r == 0 && refs[k]; k++)
        strbuf_addf(&lines, "%s\n", refs[k]);
    free(m->refs);
    free(m->error);
    m->refs = xstrdup(strbuf_cstr(&lines));
    m->error = r < 0 ? xstrdup(err.msg) : NULL;
    m->ino = r == -E_NO_SPACE || r == -E_IO ? 0 : st->st_ino; /* a full disk is no fault of the file: the next time it is tried again */
    m->size = (uint64_t)st->st_size;
    m->mtime_s = st->st_mtim.tv_sec;
    m->mtime_ns = st->st_mtim.tv_nsec;
}

void images_import(struct images *i, str wanted, struct arena *a, str *ret_why)
{
    str *files;
    size_t n = 0;
    *ret_why = S("");
    images_enter(i, S("import"));
    if (images_folder(arena_fmt(a, "%s/import", i->dir).p, a, &files, &n, NULL) < 0)
        n = 0;
    for (size_t k = 0; k < n; k++) {
        struct stat st;
        str path = images_path(i, a, "import", files[k]);
        if (files[k].p[0] == '.' || stat(path.p, &st) < 0 || !S_ISREG(st.st_mode))
            continue;
        struct imported *m = find_import(i, files[k]);
        if (!m)
            continue;
        if (!m->refs || !same_file(m, &st) || has_line(m->refs, wanted))
            import_file(i, m, path.p, &st);
        if (m->error)
            *ret_why = arena_fmt(a, "the archive in the import folder could not be loaded: %s", m->error);
    }
    images_leave(i, S("import"));
}
