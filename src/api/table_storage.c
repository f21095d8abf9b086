/* Cells of volumes, claims, storage classes and storage drivers. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/table_cells.h"

static void put_modes(struct table_cell *c, const struct json *modes)
{
    static const struct {
        str mode, text;
    } names[] = {
        {STR_INIT("ReadWriteOnce"), STR_INIT("RWO")},
        {STR_INIT("ReadOnlyMany"), STR_INIT("ROX")},
        {STR_INIT("ReadWriteMany"), STR_INIT("RWX")},
        {STR_INIT("ReadWriteOncePod"), STR_INIT("RWOP")},
    };
    struct strbuf b = strbuf_on(c->arena);
    for (size_t n = 0; n < ARRAY_LEN(names); n++) {
        uint32_t i = 0;
        while (i < modes->len && !str_eq(json_str(&modes->items[i]), names[n].mode))
            i++;
        if (i < modes->len)
            table_add_item(&b, ",", names[n].text);
    }
    table_put_text(c, strbuf_str(&b));
}

void table_access_modes(struct table_cell *c)
{
    put_modes(c, table_list_at(c->obj, S("spec.accessModes")));
}

/* A claim shows what it got, once it is bound. */
static bool is_bound(const struct json *claim)
{
    return table_text_at(claim, S("spec.volumeName")).len > 0;
}

void table_claim_access_modes(struct table_cell *c)
{
    put_modes(c, table_list_at(is_bound(c->obj) ? c->obj : NULL, S("status.accessModes")));
}

void table_claim_capacity(struct table_cell *c)
{
    str capacity = table_text_at(c->obj, S("status.capacity.storage"));
    table_put_text(c, !is_bound(c->obj) ? S("") : capacity.len ? capacity : S("0"));
}

void table_volume_claim(struct table_cell *c)
{
    const struct json *ref = table_walk(c->obj, S("spec.claimRef"));
    str namespace = json_get_str(ref, S("namespace")), name = json_get_str(ref, S("name"));
    table_put_text(c, ref ? arena_fmt(c->arena, STR_FMT "/" STR_FMT, STR_ARG(namespace), STR_ARG(name)) : S(""));
}

void table_storage_class(struct table_cell *c)
{
    const struct json *annotations = table_walk(c->obj, S("metadata.annotations"));
    const struct json *beta = json_get(annotations, S("volume.beta.kubernetes.io/storage-class"));
    table_put_text(c, beta ? json_str(beta) : table_text_at(c->obj, S("spec.storageClassName")));
}

void table_storage_class_name(struct table_cell *c)
{
    static const str marks[] = {STR_INIT("storageclass.kubernetes.io/is-default-class"),
                                STR_INIT("storageclass.beta.kubernetes.io/is-default-class")};
    const struct json *annotations = table_walk(c->obj, S("metadata.annotations"));
    bool is_default = false;
    for (size_t i = 0; i < ARRAY_LEN(marks); i++)
        is_default = is_default || str_is(json_get_str(annotations, marks[i]), "true");
    str name = table_text_at(c->obj, S("metadata.name"));
    table_put_text(c, is_default ? arena_cat(c->arena, name, S(" (default)")) : name);
}

void table_token_requests(struct table_cell *c)
{
    const struct json *list = table_walk(c->obj, S("spec.tokenRequests"));
    struct strbuf b = strbuf_on(c->arena);
    for (uint32_t i = 0; json_is(list, JSON_ARRAY) && i < list->len; i++) {
        if (i)
            strbuf_add_char(&b, ',');
        strbuf_add_str(&b, json_get_str(&list->items[i], S("audience")));
    }
    table_put_text(c, list ? strbuf_str(&b) : S("<unset>"));
}
