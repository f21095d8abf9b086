/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/discovery.h"

#include "client/client.h"

/* --- reading ---------------------------------------------------------------------------------------------------- */

static const str *strings_of(struct arena *a, const struct json *list, size_t *ret_n)
{
    *ret_n = json_is(list, JSON_ARRAY) ? list->len : 0;
    str *out = arena_array(a, *ret_n + 1, str);
    for (size_t i = 0; i < *ret_n; i++)
        out[i] = json_str(&list->items[i]);
    return out;
}

static str lower(struct arena *a, str s)
{
    char *out = arena_alloc(a, s.len + 1);
    for (size_t i = 0; i < s.len; i++)
        out[i] = s.p[i] >= 'A' && s.p[i] <= 'Z' ? (char)(s.p[i] + 32) : s.p[i];
    out[s.len] = 0;
    return str_n(out, s.len);
}

static bool has_plural(const struct discovery *d, str group, str plural)
{
    for (size_t i = 0; i < d->len; i++) {
        if (str_eq(d->list[i].group, group) && str_eq(d->list[i].plural, plural))
            return true;
    }
    return false;
}

static void add_resource(struct discovery *d, struct arena *a, str group, str version, const struct json *entry)
{
    const struct json *kind = json_get(entry, S("responseKind"));
    struct discovery_resource r = {
        .group = group,
        .version = version,
        .kind = json_get_str(kind, S("kind")),
        .plural = json_get_str(entry, S("resource")),
        .singular = json_get_str(entry, S("singularResource")),
        .is_namespaced = str_is(json_get_str(entry, S("scope")), "Namespaced"),
    };
    r.is_preferred = !has_plural(d, group, r.plural);
    if (!r.singular.len)
        r.singular = lower(a, r.kind);
    r.short_names = strings_of(a, json_get(entry, S("shortNames")), &r.nshort_names);
    r.categories = strings_of(a, json_get(entry, S("categories")), &r.ncategories);
    r.verbs = strings_of(a, json_get(entry, S("verbs")), &r.nverbs);
    if (d->len == d->cap_) {
        size_t cap = d->cap_ ? d->cap_ * 2 : 128;
        d->list = arena_grow(a, d->list, d->cap_ * sizeof *d->list, cap * sizeof *d->list);
        d->cap_ = cap;
    }
    d->list[d->len++] = r;
}

void discovery_add(struct discovery *d, struct arena *a, const struct json *document)
{
    const struct json *groups = json_get(document, S("items"));
    for (size_t g = 0; json_is(groups, JSON_ARRAY) && g < groups->len; g++) {
        const struct json *versions = json_get(&groups->items[g], S("versions"));
        str group = json_str(json_path(&groups->items[g], "metadata", "name", NULL));
        for (size_t v = 0; json_is(versions, JSON_ARRAY) && v < versions->len; v++) {
            const struct json *list = json_get(&versions->items[v], S("resources"));
            str version = json_get_str(&versions->items[v], S("version"));
            for (size_t i = 0; json_is(list, JSON_ARRAY) && i < list->len; i++)
                add_resource(d, a, group, version, &list->items[i]);
        }
    }
}

/* --- finding ----------------------------------------------------------------------------------------------------- */

static bool contains(const str *list, size_t n, str word)
{
    for (size_t i = 0; i < n; i++) {
        if (str_eq(list[i], word))
            return true;
    }
    return false;
}

enum group_match { GROUP_ANY, GROUP_EXACT, GROUP_PREFIX };

/* Full names come before short ones, as a type may be named like another's short name. */
static const struct discovery_resource *search(const struct discovery *d, str word, str version, str group, enum group_match how)
{
    for (int short_names = 0; short_names < 2; short_names++) {
        for (size_t i = 0; i < d->len; i++) {
            const struct discovery_resource *r = &d->list[i];
            bool in_group = how == GROUP_ANY || (how == GROUP_EXACT ? str_eq(r->group, group) : str_has_prefix(r->group, group));
            if (!in_group || (version.len ? !str_eq(r->version, version) : !r->is_preferred))
                continue;
            if (short_names ? contains(r->short_names, r->nshort_names, word)
                            : str_ieq(r->plural, word) || str_ieq(r->singular, word))
                return r;
        }
    }
    return NULL;
}

static const struct discovery_resource *search_in_group(const struct discovery *d, str word, str version, str group)
{
    const struct discovery_resource *r = search(d, word, version, group, GROUP_EXACT);
    return r ? r : search(d, word, version, group, GROUP_PREFIX);
}

const struct discovery_resource *discovery_find(const struct discovery *d, str word)
{
    str rest = word, head, version;
    if (!str_cut(&rest, '.', &head))
        return search(d, word, STR_NONE, STR_NONE, GROUP_ANY);
    str group = rest;
    if (str_cut(&rest, '.', &version)) { /* deployments.v1.apps */
        const struct discovery_resource *r = search_in_group(d, head, version, rest);
        if (r)
            return r;
    }
    const struct discovery_resource *r = search_in_group(d, head, STR_NONE, group);
    return r ? r : search(d, head, group, S(""), GROUP_EXACT); /* pods.v1 */
}

const struct discovery_resource *discovery_find_kind(const struct discovery *d, str api_version, str kind)
{
    str version = api_version, group = S("");
    if (str_find_char(api_version, '/') >= 0)
        str_cut(&version, '/', &group);
    for (size_t i = 0; i < d->len; i++) {
        const struct discovery_resource *r = &d->list[i];
        if (str_eq(r->group, group) && str_eq(r->version, version) && str_eq(r->kind, kind))
            return r;
    }
    return NULL;
}

bool discovery_has_category(const struct discovery_resource *r, str category)
{
    return contains(r->categories, r->ncategories, category);
}

/* --- names and paths ----------------------------------------------------------------------------------------------- */

str discovery_group_version(struct arena *a, const struct discovery_resource *r)
{
    return r->group.len ? arena_fmt(a, STR_FMT "/" STR_FMT, STR_ARG(r->group), STR_ARG(r->version)) : r->version;
}

static str with_group(struct arena *a, str name, str group)
{
    return group.len ? arena_fmt(a, STR_FMT "." STR_FMT, STR_ARG(name), STR_ARG(group)) : name;
}

str discovery_type_name(struct arena *a, const struct discovery_resource *r)
{
    return with_group(a, lower(a, r->kind), r->group);
}

str discovery_group_resource(struct arena *a, const struct discovery_resource *r)
{
    return with_group(a, r->plural, r->group);
}

str discovery_path(struct arena *a, const struct discovery_resource *r, str ns, str name, str sub)
{
    struct strbuf b = strbuf_on(a);
    strbuf_add_str(&b, r->group.len ? S("/apis") : S("/api"));
    if (r->group.len)
        client_path_add(&b, r->group);
    client_path_add(&b, r->version);
    if (ns.len && r->is_namespaced) {
        strbuf_add_str(&b, S("/namespaces"));
        client_path_add(&b, ns);
    }
    client_path_add(&b, r->plural);
    if (name.len)
        client_path_add(&b, name);
    if (sub.len)
        client_path_add(&b, sub);
    return strbuf_str(&b);
}
