/* image_fuzz.c - names, manifests, configurations, credentials and challenges of images: any bytes are read or refused, and what is normal stays so.
 *
 * The first byte picks the reader. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/images/images.h"
#include "agent/images/images_manifest.h"
#include "agent/images/images_ref.h"
#include "agent/images/images_registry.h"

static void fuzz_name(struct arena *a, str text)
{
    struct image_name n, again;
    if (image_name_parse(a, text, &n, NULL) < 0)
        return;
    BUG_ON(image_name_parse(a, n.text, &again, NULL) < 0 || !str_eq(n.text, again.text));
    BUG_ON(!n.host.len || !n.repo.len || (n.tag.len > 0) == (n.digest.len > 0) || (n.digest.len && !image_digest_is_valid(n.digest)));
}

static void fuzz_challenge(struct arena *a, str text)
{
    struct image_registry_challenge c = {0};
    str base, path;
    image_registry_challenge_parse(a, text, &c);
    if (image_registry_url_split(a, text, &base, &path))
        BUG_ON(!base.len || path.p[0] != '/' || base.len + path.len > text.len + 1);
}

static void fuzz_auth(struct arena *a, str text)
{
    struct image_auth *auths = NULL;
    size_t n = 0;
    err_ignore(image_auth_from_config(a, text, S("r.example:5000/team/web"), &auths, &n, NULL), "both are fine");
}

static void fuzz_manifest(struct arena *a, str text)
{
    struct image_manifest m;
    if (image_manifest_parse(a, text, &m, NULL) < 0)
        return;
    BUG_ON(m.is_index ? !image_digest_is_valid(m.chosen.digest) : !image_digest_is_valid(m.config.digest) || m.nlayers > IMAGES_LAYERS);
    for (size_t i = 0; !m.is_index && i < m.nlayers; i++)
        BUG_ON(!image_digest_is_valid(m.layers[i].digest));
}

static void fuzz_config(struct arena *a, str text)
{
    struct image_config c;
    if (image_config_parse(a, text, &c, NULL) < 0)
        return;
    for (size_t i = 0; i < c.ndiff_ids; i++)
        BUG_ON(!image_digest_is_valid(c.diff_ids[i]));
    size_t bytes = 0;
    for (size_t i = 0; c.env && c.env[i]; i++)
        bytes += strlen(c.env[i]);
    BUG_ON(bytes > text.len);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static void (*const readers[])(struct arena *a, str text) = {fuzz_name, fuzz_challenge, fuzz_auth, fuzz_manifest, fuzz_config};
    ARENA_AUTO a = ARENA_INIT;
    if (size)
        readers[data[0] % ARRAY_LEN(readers)](&a, str_n((const char *)data + 1, size - 1));
    return 0;
}
