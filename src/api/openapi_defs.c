/* openapi_defs.c - which types a document has to define: those of its resources and all that they refer to. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/openapi_internal.h"

static struct openapi_def *add(struct openapi_doc *d, str name)
{
    struct openapi_def *def = arena_new(d->arena, struct openapi_def);
    def->name = name;
    map_put(&d->defs, name, def);
    return def;
}

struct openapi_def *openapi_def_add(struct openapi_doc *d, const struct schema_type *t)
{
    struct openapi_def *def = NULL;
    if (t->openapi.len) {
        def = map_get(&d->defs, t->openapi);
        if (def)
            return def;
        def = add(d, t->openapi);
        def->type = t;
    }
    if (t->elem)
        openapi_def_add(d, t->elem);
    for (size_t i = 0; i < t->nfields; i++)
        openapi_def_add(d, t->fields[i].type);
    return def;
}

/* stable.example.com -> com.example.stable */
static void add_reversed(struct strbuf *b, str group)
{
    for (ptrdiff_t dot = str_rfind_char(group, '.'); dot >= 0; dot = str_rfind_char(group, '.')) {
        strbuf_add_str(b, str_from(group, (size_t)dot + 1));
        strbuf_add_char(b, '.');
        group = str_sub(group, 0, (size_t)dot);
    }
    strbuf_add_str(b, group);
}

static str custom_name(struct openapi_doc *d, const struct api_resource *r, str kind)
{
    struct strbuf b = strbuf_on(d->arena);
    add_reversed(&b, r->group);
    strbuf_addf(&b, "." STR_FMT "." STR_FMT, STR_ARG(r->version), STR_ARG(kind));
    return strbuf_str(&b);
}

str openapi_name_of_object(struct openapi_doc *d, const struct api_resource *r)
{
    return r->flags & API_CUSTOM ? custom_name(d, r, r->kind) : r->type->openapi;
}

str openapi_name_of_list(struct openapi_doc *d, const struct api_resource *r)
{
    if (r->flags & API_CUSTOM)
        return custom_name(d, r, r->list_kind);
    str own = r->type->openapi;
    ptrdiff_t dot = str_rfind_char(own, '.');
    return dot < 0 ? S("") : arena_cat(d->arena, str_sub(own, 0, (size_t)dot + 1), r->list_kind);
}

struct openapi_def *openapi_def_add_custom(struct openapi_doc *d, const struct api_resource *r, bool is_list)
{
    str name = is_list ? openapi_name_of_list(d, r) : openapi_name_of_object(d, r);
    struct openapi_def *def = map_get(&d->defs, name);
    if (!def)
        def = add(d, name);
    def->custom = r;
    def->is_list = is_list;
    return def;
}

void openapi_def_add_gvk(struct openapi_doc *d, struct openapi_def *def, str group, str version, str kind)
{
    struct openapi_gvk **at = &def->gvks;
    for (; *at; at = &(*at)->next)
        if (str_eq((*at)->group, group) && str_eq((*at)->version, version) && str_eq((*at)->kind, kind))
            return;
    *at = arena_new(d->arena, struct openapi_gvk);
    **at = (struct openapi_gvk){.group = group, .version = version, .kind = kind};
}

static int compare_defs(const void *a, const void *b)
{
    const struct openapi_def *const *x = a, *const *y = b;
    return str_cmp((*x)->name, (*y)->name);
}

static void write_def(struct openapi_doc *d, const struct openapi_def *def)
{
    openapi_object(d->e, def->name);
    if (def->type)
        openapi_schema_write(d, def);
    else
        openapi_custom_write(d, def);
    if (def->gvks) {
        openapi_array(d->e, S("x-kubernetes-group-version-kind"));
        for (const struct openapi_gvk *g = def->gvks; g; g = g->next)
            openapi_gvk_write(d, STR_NONE, g);
        openapi_end(d->e);
    }
    openapi_end(d->e);
}

void openapi_defs_write(struct openapi_doc *d)
{
    const struct openapi_def **list = arena_array(d->arena, d->defs.len, const struct openapi_def *);
    size_t n = 0;
    map_foreach(entry, &d->defs)
        list[n++] = entry->value;
    qsort(list, n, sizeof *list, compare_defs);
    for (size_t i = 0; i < n; i++)
        write_def(d, list[i]);
}
