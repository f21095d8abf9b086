/* SPDX-License-Identifier: Apache-2.0 */
#include "wire/json_build.h"

#define DUP_PATH_MAX 1024 /* a reported path is cut here: keys may be megabytes long */
#define DUPS_LOOKED_AT (4 * JSON_MAX_DUPS) /* paths made at most: a text can repeat one key a million times */

void json_build_fini(struct json_build *b)
{
    for (unsigned i = 0; i < b->depth; i++) /* open frames are left only by an error */
        json_index_fini(&b->frames[i].index);
    if (b->scratch != b->first)
        free(b->scratch);
}

void json_build_grow(struct json_build *b)
{
    size_t room = b->room * 2;
    char *larger = xmalloc(room);
    memcpy(larger, b->scratch, b->used);
    if (b->scratch != b->first)
        free(b->scratch);
    b->scratch = larger;
    b->room = room;
}

/* Path of the item that each open frame is at, "spec.containers[0].name". */
void json_build_report_dup(struct json_build *b)
{
    struct json_parse_opts *o = b->opts;
    if (!o || !o->dups || o->ndups == JSON_MAX_DUPS || b->dups_seen++ >= DUPS_LOOKED_AT)
        return;
    struct strbuf path = strbuf_on(b->arena);
    for (unsigned i = 0; i < b->depth && path.len < DUP_PATH_MAX; i++) {
        const struct json_frame *f = &b->frames[i];
        if (!f->object) {
            strbuf_addf(&path, "[%u]", f->at);
            continue;
        }
        if (i)
            strbuf_add_char(&path, '.');
        if (f->at == f->count) /* inside a YAML merge, which has no place of its own */
            strbuf_add_str(&path, S("<<"));
        else
            strbuf_add_str(&path, str_sub(json_build_members(b, f)[f->at].key, 0, DUP_PATH_MAX));
    }
    for (size_t i = 0; i < o->ndups; i++)
        if (str_eq(o->dups[i], strbuf_str(&path)))
            return;
    o->dups[o->ndups++] = strbuf_str(&path);
}

bool json_build_find(struct json_build *b, struct json_frame *f, str key, uint32_t *ret_at)
{
    const struct json_member *members = json_build_members(b, f);
    if (f->count < JSON_INDEX_FROM) {
        for (uint32_t i = 0; i < f->count; i++) {
            if (str_eq(members[i].key, key)) {
                *ret_at = i;
                return true;
            }
        }
        return false;
    }
    if (!f->index.slots_) {
        json_index_init(&f->index, f->count * 2);
        for (uint32_t i = 0; i < f->count; i++)
            json_index_add(&f->index, members, i);
    }
    uint32_t at = json_index_find(&f->index, members, key);
    if (at == JSON_INDEX_NONE)
        return false;
    *ret_at = at;
    return true;
}
