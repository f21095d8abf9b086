/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/images/images_manifest.h"

#include <signal.h>
#include <sys/utsname.h>

#include "agent/images/images_ref.h"
#include "wire/json.h"

static int bad(struct err *err, const char *why)
{
    return err_set(err, E_PARSE, "the image's description is damaged: %s", why);
}

/* --- this machine ------------------------------------------------------------------------------------- */

const char *image_machine(void)
{
    static const struct { const char *kernel, *image; } names[] = {
        {"x86_64", "amd64"}, {"aarch64", "arm64"}, {"i686", "386"}, {"i386", "386"}, {"armv7l", "arm"}, {"armv6l", "arm"}, {"ppc64le", "ppc64le"}, {"s390x", "s390x"}, {"riscv64", "riscv64"},
    };
    struct utsname u;
    if (uname(&u) < 0)
        return "unknown";
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        if (strcmp(names[i].kernel, u.machine) == 0)
            return names[i].image;
    }
    return "unknown";
}

/* Variants: without one fits everybody, v8 of arm64 and v7 of arm are the usual, and v1 of amd64 runs everywhere. */
int image_platform_fit(const struct json *p)
{
    str os = json_get_str(p, S("os")), arch = json_get_str(p, S("architecture")), variant = json_get_str(p, S("variant"));
    if (!str_is(os, "linux") || !str_is(arch, image_machine()))
        return 0;
    if (!variant.len || (str_is(arch, "arm64") && str_is(variant, "v8")) || (str_is(arch, "amd64") && str_is(variant, "v1")))
        return 3;
    if (str_is(arch, "arm"))
        return str_is(variant, "v7") ? 3 : str_is(variant, "v6") ? 2 : str_is(variant, "v5") ? 1 : 0;
    return 0;
}

/* --- indexes and manifests -------------------------------------------------------------------------------- */

static int parse_blob(const struct json *v, struct image_blob *ret, struct err *err)
{
    int64_t size = json_get_int(v, S("size"), -1);
    struct image_blob b = {json_get_str(v, S("digest")), json_get_str(v, S("mediaType")), (uint64_t)size};
    if (!json_is(v, JSON_OBJECT) || size < 0)
        return bad(err, "it names a part without its size");
    if (!image_digest_is_valid(b.digest))
        return err_set(err, E_INVALID_ARG, "the image has a part with the digest \"" STR_FMT "\"; only sha256 is known here", STR_ARG(str_sub(b.digest, 0, 80)));
    *ret = b;
    return 0;
}

/* Attestations and signatures are in indexes, too, as "unknown/unknown". */
static void list_platforms(struct strbuf *b, const struct json *items)
{
    for (uint32_t i = 0; i < items->len && b->len < 300; i++) {
        const struct json *p = json_get(&items->items[i], S("platform"));
        str os = json_get_str(p, S("os")), arch = json_get_str(p, S("architecture"));
        if (os.len && !str_is(os, "unknown"))
            strbuf_addf(b, "%s" STR_FMT "/" STR_FMT, b->len ? ", " : "", STR_ARG(str_sub(os, 0, 32)), STR_ARG(str_sub(arch, 0, 32)));
    }
}

static int parse_index(struct arena *a, const struct json *items, struct image_manifest *ret, struct err *err)
{
    const struct json *best = NULL;
    int best_fit = 0;
    if (items->len > MANIFEST_ITEMS)
        return err_set(err, E_TOO_LARGE, "the image's index has more than %d entries", MANIFEST_ITEMS);
    for (uint32_t i = 0; i < items->len; i++) {
        const struct json *platform = json_get(&items->items[i], S("platform"));
        int fit = platform ? image_platform_fit(platform) : items->len == 1 ? 1 : 0;
        if (fit > best_fit) {
            best = &items->items[i];
            best_fit = fit;
        }
    }
    if (!best) {
        struct strbuf have = strbuf_on(a);
        list_platforms(&have, items);
        return err_set(err, E_NOT_FOUND, "the image has nothing for linux/%s, which this node is; it has %s", image_machine(), have.len ? have.p : "nothing at all");
    }
    *ret = (struct image_manifest){.is_index = true};
    return parse_blob(best, &ret->chosen, err);
}

static int parse_image(struct arena *a, const struct json *root, struct image_manifest *ret, struct err *err)
{
    const struct json *layers = json_get(root, S("layers"));
    struct image_manifest m = {0};
    if (!json_is(layers, JSON_ARRAY))
        return bad(err, "it has no layers");
    if (layers->len > IMAGES_LAYERS)
        return err_set(err, E_TOO_LARGE, "the image has %u layers; at most %d can be stacked", layers->len, IMAGES_LAYERS);
    int r = parse_blob(json_get(root, S("config")), &m.config, err);
    m.layers = arena_array(a, layers->len, struct image_blob);
    for (; r == 0 && m.nlayers < layers->len; m.nlayers++)
        r = parse_blob(&layers->items[m.nlayers], &m.layers[m.nlayers], err);
    if (r == 0)
        *ret = m;
    return r;
}

int image_manifest_parse(struct arena *a, str text, struct image_manifest *ret, struct err *err)
{
    struct json root;
    if (text.len > IMAGES_JSON_BYTES)
        return err_set(err, E_TOO_LARGE, "the image's manifest is larger than %u MiB", IMAGES_JSON_BYTES >> 20);
    int r = json_parse(a, text, NULL, &root, err);
    if (r < 0)
        return err_wrap(err, "the image's manifest is no JSON: ");
    const struct json *items = json_get(&root, S("manifests"));
    if (json_get_int(&root, S("schemaVersion"), 0) == 1)
        return err_set(err, E_INVALID_ARG, "the image is in docker's first format, which is not supported; push it again with a current tool");
    if (json_is(items, JSON_ARRAY))
        return parse_index(a, items, ret, err);
    return parse_image(a, &root, ret, err);
}

/* --- configurations ------------------------------------------------------------------------------------------ */

/* An array of strings as C strings; absent or null: NULL. */
static int parse_words(struct arena *a, const struct json *v, const char *const **ret, struct err *err)
{
    *ret = NULL;
    if (!v || v->type == JSON_NULL)
        return 0;
    if (v->type != JSON_ARRAY || v->len > MANIFEST_WORDS)
        return bad(err, "arguments or variables are no list, or too many");
    const char **words = arena_array(a, v->len + 1, const char *);
    for (uint32_t i = 0; i < v->len; i++) {
        str s = json_str(&v->items[i]);
        if (v->items[i].type != JSON_STRING || memchr(s.p, 0, s.len))
            return bad(err, "an argument or variable is no text");
        words[i] = arena_cstr(a, s);
    }
    *ret = words;
    return 0;
}

static int parse_diff_ids(struct arena *a, const struct json *root, struct image_config *c, struct err *err)
{
    const struct json *ids = json_path(root, "rootfs", "diff_ids", NULL);
    if (!json_is(ids, JSON_ARRAY))
        return bad(err, "its configuration names no layers");
    if (ids->len > IMAGES_LAYERS)
        return err_set(err, E_TOO_LARGE, "the image has %u layers; at most %d can be stacked", ids->len, IMAGES_LAYERS);
    c->diff_ids = arena_array(a, ids->len, str);
    for (; c->ndiff_ids < ids->len; c->ndiff_ids++) {
        str id = json_str(&ids->items[c->ndiff_ids]);
        if (!image_digest_is_valid(id))
            return bad(err, "its configuration names a layer without a sha256 digest");
        c->diff_ids[c->ndiff_ids] = id;
    }
    return 0;
}

static int check_machine(const struct json *root, struct err *err)
{
    str os = json_get_str(root, S("os")), arch = json_get_str(root, S("architecture"));
    if ((os.len && !str_is(os, "linux")) || (arch.len && !str_is(arch, image_machine())))
        return err_set(err, E_INVALID_ARG, "the image is for " STR_FMT "/" STR_FMT ", this node is linux/%s", STR_ARG(str_sub(os, 0, 32)), STR_ARG(str_sub(arch, 0, 32)), image_machine());
    return 0;
}

int image_signal_parse(str name)
{
    uint64_t n;
    if (str_to_u64(name, &n))
        return n >= 1 && n <= (uint64_t)SIGRTMAX ? (int)n : 0;
    if (str_has_prefix(name, S("SIG")))
        name = str_from(name, 3);
    if (str_has_prefix(name, S("RTMIN+")) && str_to_u64(str_from(name, 6), &n))
        return n <= (uint64_t)(SIGRTMAX - SIGRTMIN) ? SIGRTMIN + (int)n : 0;
    for (int s = 1; s < 32; s++) {
        const char *known = sigabbrev_np(s);
        if (known && str_is(name, known))
            return s;
    }
    return str_is(name, "RTMIN") ? SIGRTMIN : 0;
}

static const char *text_or_null(struct arena *a, str s)
{
    return s.len && !memchr(s.p, 0, s.len) ? arena_cstr(a, s) : NULL;
}

int image_config_parse(struct arena *a, str text, struct image_config *ret, struct err *err)
{
    struct json root;
    struct image_config c = {0};
    if (text.len > IMAGES_JSON_BYTES)
        return err_set(err, E_TOO_LARGE, "the image's configuration is larger than %u MiB", IMAGES_JSON_BYTES >> 20);
    int r = json_parse(a, text, NULL, &root, err);
    if (r < 0)
        return err_wrap(err, "the image's configuration is no JSON: ");
    const struct json *config = json_get(&root, S("config"));
    r = check_machine(&root, err);
    if (r == 0)
        r = parse_diff_ids(a, &root, &c, err);
    if (r == 0)
        r = parse_words(a, json_get(config, S("Entrypoint")), &c.entrypoint, err);
    if (r == 0)
        r = parse_words(a, json_get(config, S("Cmd")), &c.command, err);
    if (r == 0)
        r = parse_words(a, json_get(config, S("Env")), &c.env, err);
    if (r < 0)
        return r;
    c.cwd = text_or_null(a, json_get_str(config, S("WorkingDir")));
    c.user = text_or_null(a, json_get_str(config, S("User")));
    c.stop_signal = image_signal_parse(json_get_str(config, S("StopSignal")));
    *ret = c;
    return 0;
}
