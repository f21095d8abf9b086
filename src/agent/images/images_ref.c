/* SPDX-License-Identifier: Apache-2.0 */
/*   [host[:port]/]part/part...[:tag][@sha256:digits]
 *
 * The first part is a host when it has a dot or a port, or is "localhost". */
#include "agent/images/images_ref.h"

#include "agent/images/images.h"

#define TAG_BYTES 128
#define REPO_BYTES 255

static bool is_lower(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

static bool is_word(char c)
{
    return is_lower(c) || (c >= 'A' && c <= 'Z') || c == '_';
}

bool image_digest_is_valid(str d)
{
    if (d.len != IMAGE_DIGEST_LEN || !str_has_prefix(d, S("sha256:")))
        return false;
    for (size_t i = 7; i < d.len; i++) {
        if (!((d.p[i] >= '0' && d.p[i] <= '9') || (d.p[i] >= 'a' && d.p[i] <= 'f')))
            return false;
    }
    return true;
}

static int invalid(struct err *err, str ref, const char *why)
{
    return err_set(err, E_INVALID_ARG, "\"" STR_FMT "\" is no image name: %s", STR_ARG(str_sub(ref, 0, 200)), why);
}

/* Letters and digits, between them one '.', one or two '_', or some '-'. */
static bool is_part(str part)
{
    if (!part.len || !is_lower(part.p[0]) || !is_lower(part.p[part.len - 1]))
        return false;
    for (size_t i = 1; i < part.len; i++) {
        char c = part.p[i], before = part.p[i - 1];
        if (is_lower(c))
            continue;
        bool doubles = before == '-' || (before == '_' && (i < 2 || part.p[i - 2] != '_'));
        if ((c != '.' && c != '_' && c != '-') || (!is_lower(before) && !(before == c && doubles)))
            return false;
    }
    return true;
}

static const char *check_repo(str repo)
{
    str rest = repo, part;
    if (!repo.len)
        return "it names no image";
    if (repo.len > REPO_BYTES)
        return "it is too long";
    for (size_t i = 0; i < repo.len; i++) {
        if (repo.p[i] >= 'A' && repo.p[i] <= 'Z')
            return "names of images are in lower case";
    }
    for (bool more = true; more;) {
        more = str_cut(&rest, '/', &part);
        if (!is_part(part))
            return "parts of a name are letters and digits with single dots, dashes and underscores between them";
    }
    return NULL;
}

static const char *check_host(str host)
{
    str name = host, port = S("");
    ptrdiff_t colon = str_rfind_char(host, ':');
    uint64_t n;
    if (colon >= 0 && str_rfind_char(host, ']') < colon) {
        name = str_sub(host, 0, (size_t)colon);
        port = str_from(host, (size_t)colon + 1);
        if (!str_to_u64(port, &n) || n < 1 || n > 65535)
            return "the registry's port is no number from 1 to 65535";
    }
    bool is_v6 = name.len > 2 && name.p[0] == '[' && name.p[name.len - 1] == ']';
    for (size_t i = is_v6; i + is_v6 < name.len; i++) {
        if (!is_word(name.p[i]) && name.p[i] != '.' && name.p[i] != '-' && !(is_v6 && name.p[i] == ':'))
            return "the registry's name has characters that host names do not have";
    }
    return name.len ? NULL : "the registry has no name";
}

static const char *check_tag(str tag)
{
    if (!tag.len || tag.len > TAG_BYTES || !is_word(tag.p[0]))
        return "a tag has 1 to 128 letters, digits, dots, dashes and underscores";
    for (size_t i = 1; i < tag.len; i++) {
        if (!is_word(tag.p[i]) && tag.p[i] != '.' && tag.p[i] != '-')
            return "a tag has 1 to 128 letters, digits, dots, dashes and underscores";
    }
    return NULL;
}

static bool is_host(str first)
{
    return str_is(first, "localhost") || str_find_char(first, '.') >= 0 || str_find_char(first, ':') >= 0;
}

/* host and repo out of what stands before tag and digest. */
static void split_host(struct arena *a, str name, struct image_name *n)
{
    str rest = name, first;
    bool has_slash = str_cut(&rest, '/', &first);
    if (has_slash && is_host(first)) {
        n->host = str_is(first, "index.docker.io") ? S(IMAGE_DEFAULT_HOST) : first;
        n->repo = rest;
    } else {
        n->host = S(IMAGE_DEFAULT_HOST);
        n->repo = name;
    }
    if (str_is(n->host, IMAGE_DEFAULT_HOST) && n->repo.len && str_find_char(n->repo, '/') < 0)
        n->repo = arena_cat(a, S("library/"), n->repo);
}

int image_name_parse(struct arena *a, str ref, struct image_name *ret, struct err *err)
{
    struct image_name n = {.tag = S(""), .digest = S("")};
    str name = ref;
    if (!ref.len)
        return err_set(err, E_INVALID_ARG, "the name of the image is empty");
    if (ref.len > IMAGE_NAME_BYTES)
        return invalid(err, ref, "it is too long");
    if (str_find(ref, S("://")) >= 0)
        return invalid(err, ref, "it has a scheme; write only the registry's host");
    ptrdiff_t at = str_find_char(name, '@');
    if (at >= 0) {
        n.digest = str_from(name, (size_t)at + 1);
        name = str_sub(name, 0, (size_t)at);
        if (!image_digest_is_valid(n.digest))
            return invalid(err, ref, "behind the @ stands sha256: and 64 hexadecimal digits in lower case");
    }
    ptrdiff_t colon = str_rfind_char(name, ':');
    bool has_tag = colon > str_rfind_char(name, '/');
    if (has_tag) {
        n.tag = str_from(name, (size_t)colon + 1);
        name = str_sub(name, 0, (size_t)colon);
    }
    split_host(a, name, &n);
    const char *why = check_repo(n.repo);
    why = why ? why : check_host(n.host);
    why = why || !has_tag ? why : check_tag(n.tag);
    if (why)
        return invalid(err, ref, why);
    if (n.digest.len)
        n.tag = S(""); /* the digest says all */
    else if (!has_tag)
        n.tag = S("latest");
    str mark = n.digest.len ? S("@") : S(":"), last = n.digest.len ? n.digest : n.tag;
    n.text = arena_fmt(a, STR_FMT "/" STR_FMT STR_FMT STR_FMT, STR_ARG(n.host), STR_ARG(n.repo), STR_ARG(mark), STR_ARG(last));
    n.host = str_sub(n.text, 0, n.host.len);
    n.repo = str_sub(n.text, n.host.len + 1, n.host.len + 1 + n.repo.len);
    *(n.digest.len ? &n.digest : &n.tag) = str_from(n.text, n.text.len - last.len);
    *ret = n;
    return 0;
}

str image_name_with_digest(struct arena *a, const struct image_name *n, str digest)
{
    return arena_fmt(a, STR_FMT "/" STR_FMT "@" STR_FMT, STR_ARG(n->host), STR_ARG(n->repo), STR_ARG(digest));
}

int image_ref_normalise(struct arena *a, str ref, str *ret, struct err *err)
{
    struct image_name n;
    int r = image_name_parse(a, ref, &n, err);
    if (r == 0)
        *ret = n.text;
    return r;
}
