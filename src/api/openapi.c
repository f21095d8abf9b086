/* SPDX-License-Identifier: Apache-2.0 */
#include "api/openapi.h"

#include "api/gen/gen.h"
#include "api/openapi_internal.h"
#include "base/version.h"

/* --- which definitions -------------------------------------------------------------------------------------------- */

static const struct schema_type *type_find(str name)
{
    for (size_t i = 0; i < api_builtin_type_count; i++)
        if (str_eq(api_builtin_types[i]->openapi, name))
            return api_builtin_types[i];
    return NULL;
}

static void collect_builtin(struct openapi_doc *d, const struct api_resource *r)
{
    openapi_def_add_gvk(d, openapi_def_add(d, r->type), r->group, r->version, r->kind);
    const struct schema_type *list = type_find(openapi_name_of_list(d, r));
    if (list)
        openapi_def_add_gvk(d, openapi_def_add(d, list), r->group, r->version, r->list_kind);
}

static void collect_custom(struct openapi_doc *d, const struct api_resource *r)
{
    openapi_def_add_gvk(d, openapi_def_add_custom(d, r, false), r->group, r->version, r->kind);
    openapi_def_add_gvk(d, openapi_def_add_custom(d, r, true), r->group, r->version, r->list_kind);
    openapi_def_add(d, &schema_meta_v1_ObjectMeta);
    openapi_def_add(d, &schema_meta_v1_ListMeta);
}

static void collect_subs(struct openapi_doc *d, const struct api_resource *r)
{
    for (size_t i = 0; i < r->nsubs; i++) {
        const struct api_subresource *sub = &r->subs[i];
        if (!sub->type || sub->type == r->type)
            continue;
        bool own = !sub->group.len && !sub->version.len;
        struct openapi_def *def = openapi_def_add(d, sub->type);
        if (def)
            openapi_def_add_gvk(d, def, own ? r->group : sub->group, own ? r->version : sub->version, sub->kind);
    }
}

static void collect(struct openapi_doc *d, const struct openapi_group *g)
{
    for (size_t i = 0; i < g->nresources; i++) {
        const struct api_resource *r = g->resources[i];
        if (r->flags & API_CUSTOM)
            collect_custom(d, r);
        else
            collect_builtin(d, r);
        collect_subs(d, r);
    }
    openapi_def_add(d, &schema_meta_v1_Patch);
    openapi_def_add_gvk(d, openapi_def_add(d, &schema_meta_v1_Status), S(""), S("v1"), S("Status"));
    openapi_def_add_gvk(d, openapi_def_add(d, &schema_meta_v1_DeleteOptions), g->group, g->version, S("DeleteOptions"));
    openapi_def_add_gvk(d, openapi_def_add(d, &schema_meta_v1_WatchEvent), g->group, g->version, S("WatchEvent"));
}

/* --- documents ---------------------------------------------------------------------------------------------------- */

static void write_info(struct openapi_doc *d)
{
    openapi_object(d->e, S("info"));
    openapi_text(d->e, S("title"), S("Kubernetes"));
    openapi_text(d->e, S("version"), arena_fmt(d->arena, "v%d.%d.0", COX_KUBE_MAJOR, COX_KUBE_MINOR));
    openapi_end(d->e);
}

static void write_document(struct strbuf *b, const struct openapi_group *groups, size_t n, bool v2, bool protobuf)
{
    ARENA_AUTO arena = ARENA_INIT;
    struct openapi_emit *e = arena_alloc(&arena, sizeof *e);
    struct openapi_doc d = {.arena = &arena, .e = e, .v2 = v2};
    openapi_emit_init(e, b, protobuf);
    openapi_text(e, v2 ? S("swagger") : S("openapi"), v2 ? S("2.0") : S("3.0.0"));
    write_info(&d);
    openapi_object(e, S("paths"));
    for (size_t i = 0; i < n; i++) {
        openapi_paths_write(&d, &groups[i]);
        collect(&d, &groups[i]);
    }
    openapi_end(e);
    if (!v2)
        openapi_object(e, S("components"));
    openapi_object(e, v2 ? S("definitions") : S("schemas"));
    openapi_defs_write(&d);
    openapi_end(e);
    if (!v2)
        openapi_end(e);
    openapi_end(e);
    map_fini(&d.defs);
}

void openapi_v3_write(struct strbuf *b, const struct openapi_group *g)
{
    write_document(b, g, 1, false, false);
}

void openapi_v2_write_json(struct strbuf *b, const struct openapi_group *groups, size_t ngroups)
{
    write_document(b, groups, ngroups, true, false);
}

void openapi_v2_write_protobuf(struct strbuf *b, const struct openapi_group *groups, size_t ngroups)
{
    write_document(b, groups, ngroups, true, true);
}
