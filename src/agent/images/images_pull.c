/* images_pull.c - images out of registries.
 *
 *   mirrors of the host, then the host ─► credentials in order, then none ─► manifest ─► configuration ─► layers that are not here ─► name
 *
 * Everything is checked by digest: a manifest that was asked for by digest, what an index chose, the configuration, layers as they came and as they unpacked. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>

#include "agent/images/images_internal.h"
#include "agent/images/images_registry.h"
#include "rt/file.h"

#define INDEX_DEPTH 4
#define COMMIT_TRIES 10
#define CA_BYTES (1u << 20)
#define ACCEPT MEDIA_OCI_INDEX ", " MEDIA_DOCKER_LIST ", " MEDIA_OCI_MANIFEST ", " MEDIA_DOCKER_MANIFEST

struct source {
    struct images *images;
    struct image_registry *registry;
    const struct image_name *name;
    struct arena *arena;
    struct image_manifest manifest;
    str config;  /* text */
    str digest;  /* of what the name means there */
};

/* --- small texts ------------------------------------------------------------------------------------------- */

static int collect(void *arg, str bytes, struct err *err)
{
    struct strbuf *b = arg;
    if (b->len + bytes.len > IMAGES_JSON_BYTES)
        return err_set(err, E_TOO_LARGE, "the image's manifest or configuration is larger than %u MiB", IMAGES_JSON_BYTES >> 20);
    strbuf_add_str(b, bytes);
    return 0;
}

/* want "": whatever it is. */
static int fetch_text(struct source *s, const char *kind, str reference, str want, str *ret, struct err *err)
{
    char have[IMAGE_DIGEST_LEN + 1];
    struct strbuf b = strbuf_on(s->arena);
    bool is_manifest = strcmp(kind, "manifests") == 0;
    str path = arena_fmt(s->arena, "%s/" STR_FMT, kind, STR_ARG(reference));
    int r = image_registry_get(s->registry, &(struct image_registry_get){.repo = s->name->repo, .path = path, .accept = is_manifest ? ACCEPT : NULL, .image = s->name->text, .feed = collect, .arg = &b}, err);
    if (r < 0)
        return r;
    image_digest_of(strbuf_str(&b), have);
    if (want.len && !str_is(want, have))
        return err_set(err, E_CORRUPT, "the registry was asked for " STR_FMT ", but what came has the digest %s; it may be damaged or false", STR_ARG(want), have);
    *ret = strbuf_str(&b);
    return 0;
}

static int fetch_manifest(struct source *s, struct err *err)
{
    str reference = s->name->digest.len ? s->name->digest : s->name->tag, want = s->name->digest;
    char digest[IMAGE_DIGEST_LEN + 1];
    for (int depth = 0; depth < INDEX_DEPTH; depth++) {
        str text;
        int r = fetch_text(s, "manifests", reference, want, &text, err);
        if (r < 0)
            return r;
        if (depth == 0) {
            image_digest_of(text, digest);
            s->digest = arena_str(s->arena, str_of(digest));
        }
        r = image_manifest_parse(s->arena, text, &s->manifest, err);
        if (r < 0 || !s->manifest.is_index)
            return r;
        reference = want = s->manifest.chosen.digest;
    }
    return err_set(err, E_PARSE, "the image's indexes are nested too deep");
}

/* --- layers -------------------------------------------------------------------------------------------------- */

static int feed_layer(void *arg, str bytes, struct err *err)
{
    return layer_in_feed(arg, bytes, err);
}

static int fetch_layer(void *arg, size_t layer, struct layer_in *in, struct err *err)
{
    struct source *s = arg;
    const struct image_blob *b = &s->manifest.layers[layer];
    str path = arena_cat(s->arena, S("blobs/"), b->digest);
    return image_registry_get(s->registry, &(struct image_registry_get){.repo = s->name->repo, .path = path, .image = s->name->text, .feed = feed_layer, .arg = in}, err);
}

static int install(struct source *s, struct err *err)
{
    struct image_config c;
    int r = image_config_parse(s->arena, s->config, &c, err);
    if (r == 0 && c.ndiff_ids != s->manifest.nlayers)
        r = err_set(err, E_PARSE, "the image's configuration names %zu layers, its manifest %zu", c.ndiff_ids, s->manifest.nlayers);
    str digest = image_name_with_digest(s->arena, s->name, s->digest);
    for (int tries = 0; r == 0; tries++) {
        r = images_install_layers(s->images, &c, &(struct layer_source){fetch_layer, s, s->manifest.layers}, err);
        if (r == 0)
            r = images_commit(s->images, s->name->text, s->config, digest, err);
        if (r != -E_EXPIRED || tries == COMMIT_TRIES)
            break;
        r = 0; /* somebody removed a layer that was there when we looked */
    }
    return r;
}

static int pull_with(struct source *s, const struct image_auth *auth, struct err *err)
{
    image_registry_set_auth(s->registry, auth);
    int r = fetch_manifest(s, err);
    if (r == 0)
        r = fetch_text(s, "blobs", s->manifest.config.digest, s->manifest.config.digest, &s->config, err);
    return r < 0 ? r : install(s, err);
}

/* --- whom to ask ----------------------------------------------------------------------------------------------- */

static bool is_insecure(const struct images *i, str host)
{
    for (size_t k = 0; i->insecure[k]; k++) {
        if (str_is(host, i->insecure[k]))
            return true;
    }
    return false;
}

/* Other credentials, or none, may help. */
static bool is_refusal(int r)
{
    return r == -E_UNAUTHORIZED || r == -E_FORBIDDEN || r == -E_NOT_FOUND;
}

static int pull_from(struct images *i, const struct image_name *name, struct image_registry_opts *o, const struct image_auth *auths, size_t nauths, struct arena *a, struct err *err)
{
    struct image_registry *registry CLEANUP(image_registry_close) = NULL;
    CLEANUP(free) char *ca = NULL;
    struct err first = ERR_NONE, *e = err;
    str ca_path = arena_fmt(a, "%s/certs/%s.crt", i->dir, o->host);
    int r = file_read(ca_path.p, CA_BYTES, &ca, NULL, err), told = 0;
    if (r < 0 && r != -E_NOT_FOUND)
        return r;
    o->ca_pem = ca;
    o->insecure = o->insecure || is_insecure(i, str_of(o->host));
    o->clock = i->clock;
    r = image_registry_open(o, &registry, err);
    struct source s = {.images = i, .registry = registry, .name = name, .arena = a};
    for (size_t k = 0; r == 0 && k <= nauths; k++) {
        int result = pull_with(&s, k < nauths ? &auths[k] : NULL, e);
        if (!is_refusal(result))
            return result;
        if (!told && e) { /* what the first credentials were told is what their owner should hear */
            first = *e;
            told = result;
        }
    }
    if (r == 0 && err)
        *err = first;
    return r < 0 ? r : told ? told : -E_UNAUTHORIZED;
}

/* "docker.io=https://mirror.example:5000/prefix" */
static bool mirror_parse(struct arena *a, const char *text, str host, struct image_registry_opts *ret)
{
    str to = str_of(text), from;
    if (!str_cut(&to, '=', &from) || !str_eq(from, host))
        return false;
    *ret = (struct image_registry_opts){.plain_http = str_has_prefix(to, S("http://"))};
    ptrdiff_t scheme = str_find(to, S("://"));
    to = scheme >= 0 ? str_from(to, (size_t)scheme + 3) : to;
    str authority;
    str_cut(&to, '/', &authority);
    while (str_has_suffix(to, S("/")))
        to.len--;
    ret->host = arena_cstr(a, authority);
    ret->prefix = to.len ? arena_fmt(a, "/" STR_FMT, STR_ARG(to)).p : "";
    return authority.len > 0;
}

static int pull(struct images *i, const struct image_name *name, const struct image_auth *auths, size_t nauths, struct arena *a, struct err *err)
{
    struct image_registry_opts o;
    struct err of_mirror = ERR_NONE;
    for (size_t k = 0; i->mirrors[k]; k++) {
        /* The credentials are for the registry itself. */
        if (mirror_parse(a, i->mirrors[k], name->host, &o) && pull_from(i, name, &o, NULL, 0, a, &of_mirror) == 0)
            return 0;
    }
    o = (struct image_registry_opts){.host = arena_cstr(a, name->host)};
    int r = pull_from(i, name, &o, auths, nauths, a, err);
    if (r < 0 && of_mirror.code && err) {
        struct err both = *err;
        err_set(err, both.code, "%.*s; its mirror: %.*s", 400, both.msg, 200, of_mirror.msg);
    }
    return r;
}

/* --- one pull for all ------------------------------------------------------------------------------------------- */

static struct pull *find_pull(struct images *i, str ref)
{
    for (size_t k = 0; k < i->pulls.len; k++) {
        if (str_eq(i->pulls.p[k]->ref, ref))
            return i->pulls.p[k];
    }
    return NULL;
}

/* Under the mutex.  What somebody else's pull came to. */
static int wait_for_pull(struct images *i, struct pull *p, struct err *err)
{
    p->waiters++;
    while (!p->done)
        pthread_cond_wait(&i->changed, &i->mutex);
    int r = p->result;
    if (r < 0 && err)
        *err = p->err;
    if (--p->waiters == 0)
        free(p);
    return r;
}

static void end_pull(struct images *i, struct pull *p, int result)
{
    pthread_mutex_lock(&i->mutex);
    for (size_t k = 0; k < i->pulls.len; k++) {
        if (i->pulls.p[k] == p) {
            vec_remove_swap(&i->pulls, k);
            break;
        }
    }
    p->done = true;
    p->result = result;
    if (!p->waiters)
        free(p);
    pthread_cond_broadcast(&i->changed);
    pthread_mutex_unlock(&i->mutex);
}

static int pull_once(struct images *i, const struct image_name *name, const struct image_auth *auths, size_t nauths, struct arena *a, struct err *err)
{
    pthread_mutex_lock(&i->mutex);
    for (struct pull *other; (other = find_pull(i, name->text));) {
        int r = wait_for_pull(i, other, err);
        /* They may have had other credentials. */
        if (r == 0 || !is_refusal(r) || !nauths) {
            pthread_mutex_unlock(&i->mutex);
            return r;
        }
    }
    struct pull *p = xnew(struct pull);
    p->ref = name->text; /* on our arena, and out of the list before we return */
    vec_push(&i->pulls, p);
    pthread_mutex_unlock(&i->mutex);
    int r = pull(i, name, auths, nauths, a, &p->err);
    if (r < 0 && err)
        *err = p->err;
    end_pull(i, p, r);
    return r;
}

int images_pull(struct images *i, str ref, const struct image_auth *auths, size_t nauths, struct arena *a, struct image *ret, struct err *err)
{
    struct image_name name;
    int r = image_name_parse(a, ref, &name, err);
    if (r < 0)
        return r;
    if (images_builtin(i, &name, a, ret))
        return 0;
    r = pull_once(i, &name, auths, nauths, a, err);
    char *advice = r < 0 && err ? strstr(err->msg, "; is the server running?") : NULL; /* about a cluster's, not a registry */
    if (advice)
        *advice = 0;
    return r < 0 ? r : images_find(i, &name, S(""), a, ret, err);
}
