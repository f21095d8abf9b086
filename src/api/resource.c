/* resource.c - small questions to the table of resources. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/resource.h"

#include "base/arena.h"

const struct api_subresource *api_subresource_find(const struct api_resource *r, str name)
{
    for (size_t i = 0; i < r->nsubs; i++) {
        if (str_eq(r->subs[i].name, name))
            return &r->subs[i];
    }
    return NULL;
}

str api_group_version(struct arena *a, str group, str version)
{
    if (str_empty(group))
        return version;
    struct strbuf b = strbuf_on(a);
    strbuf_add_str(&b, group);
    strbuf_add_char(&b, '/');
    strbuf_add_str(&b, version);
    return strbuf_str(&b);
}

const struct api_resource *api_builtin_find(str group, str plural, str kind)
{
    for (size_t i = 0; i < api_builtin_count; i++) {
        const struct api_resource *r = api_builtin_resources[i];
        if (str_eq(r->group, group) && str_eq(r->plural, plural) && str_eq(r->kind, kind))
            return r;
    }
    return NULL;
}
