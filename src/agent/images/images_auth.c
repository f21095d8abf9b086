/* images_auth.c - which credentials of a docker configuration belong to an image.
 *
 *   {"auths": {"registry.example:5000/team": {"auth": "dXNlcjpwYXNz"}, "*.example": {...}}}     .dockerconfigjson
 *   {"https://registry.example/v1/": {...}}                                                     .dockercfg
 *
 * A key's host may have * in its labels, its path must lead to the image's repository.  The most specific path comes first. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <fnmatch.h>

#include "agent/images/images.h"
#include "agent/images/images_ref.h"
#include "base/vec.h"
#include "wire/base64.h"
#include "wire/json.h"

#define AUTHS_MAX 256

struct found {
    struct image_auth auth;
    size_t path_len;
};

/* "https://host:1/v2/team/" -> "host:1", "team" */
static void split_key(str key, str *ret_host, str *ret_path)
{
    static const str schemes[] = {STR_INIT("https://"), STR_INIT("http://")}, versions[] = {STR_INIT("v1/"), STR_INIT("v2/")};
    for (size_t i = 0; i < ARRAY_LEN(schemes); i++) {
        if (str_has_prefix(key, schemes[i]))
            key = str_from(key, schemes[i].len);
    }
    str_cut(&key, '/', ret_host);
    for (size_t i = 0; i < ARRAY_LEN(versions); i++) {
        if (str_has_prefix(key, versions[i]) || str_eq(key, str_sub(versions[i], 0, 2)))
            key = str_from(key, versions[i].len);
    }
    while (str_has_suffix(key, S("/")))
        key.len--;
    *ret_path = key;
}

static bool is_default_host(str host)
{
    return str_is(host, "docker.io") || str_is(host, "index.docker.io") || str_is(host, "registry-1.docker.io");
}

/* Label by label, so that a * does not reach over a dot; ports are compared as text. */
static bool host_fits(struct arena *a, str pattern, str host)
{
    str p, h;
    if (is_default_host(pattern) && is_default_host(host))
        return true;
    for (bool more_p = true, more_h = true; more_p || more_h;) {
        if (!more_p || !more_h)
            return false;
        more_p = str_cut(&pattern, '.', &p);
        more_h = str_cut(&host, '.', &h);
        if (fnmatch(arena_cstr(a, p), arena_cstr(a, h), 0) != 0)
            return false;
    }
    return true;
}

static bool path_fits(str path, str repo)
{
    return !path.len || str_eq(path, repo) || (str_has_prefix(repo, path) && repo.p[path.len] == '/');
}

static int read_entry(struct arena *a, str key, const struct json *v, struct image_auth *ret, struct err *err)
{
    struct image_auth x = {json_get_str(v, S("username")), json_get_str(v, S("password")), json_get_str(v, S("registrytoken"))};
    str both = json_get_str(v, S("auth")), plain = S("");
    if (both.len) {
        /* Both forms are in use. */
        enum base64_kind kind = both.len % 4 || both.p[both.len - 1] != '=' ? BASE64_STD_RAW : BASE64_STD;
        int r = base64_decode(a, kind, both, &plain, err);
        if (r < 0)
            return err_set(err, E_INVALID_ARG, "the credentials of \"" STR_FMT "\" are not base64", STR_ARG(key));
        while (plain.len && !plain.p[plain.len - 1])
            plain.len--;
        if (!str_cut(&plain, ':', &x.username))
            return err_set(err, E_INVALID_ARG, "the credentials of \"" STR_FMT "\" are not of the form user:password", STR_ARG(key));
        x.password = plain;
    }
    *ret = (struct image_auth){arena_str(a, x.username), arena_str(a, x.password), arena_str(a, x.token)};
    return 0;
}

static int by_path(const void *x, const void *y)
{
    const struct found *l = x, *r = y;
    return l->path_len < r->path_len ? 1 : l->path_len > r->path_len ? -1 : 0;
}

int image_auth_from_config(struct arena *a, str config_json, str ref, struct image_auth **ret, size_t *ret_n, struct err *err)
{
    struct image_name name;
    struct json root;
    if (config_json.len > IMAGES_JSON_BYTES)
        return err_set(err, E_TOO_LARGE, "the registry credentials are larger than %u MiB", IMAGES_JSON_BYTES >> 20);
    int r = image_name_parse(a, ref, &name, err);
    if (r == 0)
        r = json_parse(a, config_json, NULL, &root, err);
    if (r < 0)
        return err_wrap(err, "registry credentials: ");
    const struct json *auths = json_get(&root, S("auths"));
    auths = auths ? auths : &root;
    if (!json_is(auths, JSON_OBJECT))
        return err_set(err, E_INVALID_ARG, "registry credentials: this is no docker configuration");
    struct found *found = arena_array(a, AUTHS_MAX, struct found);
    size_t n = 0;
    for (uint32_t i = 0; i < auths->len && n < AUTHS_MAX; i++) {
        str host, path;
        split_key(auths->members[i].key, &host, &path);
        if (!host_fits(a, host, name.host) || !path_fits(path, name.repo) || !json_is(&auths->members[i].value, JSON_OBJECT))
            continue;
        r = read_entry(a, auths->members[i].key, &auths->members[i].value, &found[n].auth, err);
        if (r < 0)
            return r;
        found[n++].path_len = path.len;
    }
    qsort(found, n, sizeof *found, by_path);
    struct image_auth *all = arena_array(a, *ret_n + n, struct image_auth);
    for (size_t i = 0; i < *ret_n; i++)
        all[i] = (*ret)[i];
    for (size_t i = 0; i < n; i++)
        all[*ret_n + i] = found[i].auth;
    *ret = all;
    *ret_n += n;
    return 0;
}
