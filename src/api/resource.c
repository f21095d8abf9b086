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
