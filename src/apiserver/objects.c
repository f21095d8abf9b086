/* SPDX-License-Identifier: Apache-2.0 */
#include "apiserver/objects.h"

#include "rt/tls.h"

static str group_part(str group)
{
    return group.len ? group : S("core");
}

str object_key(struct arena *a, const struct api_resource *r, str ns, str name)
{
    struct strbuf b = strbuf_on(a);
    str group = group_part(r->storage_group);
    strbuf_grow(&b, sizeof OBJECT_ROOT + group.len + r->plural.len + ns.len + name.len + 4);
    strbuf_add_str(&b, S(OBJECT_ROOT));
    strbuf_add_str(&b, group);
    strbuf_add_char(&b, '/');
    strbuf_add_str(&b, r->plural);
    strbuf_add_char(&b, '/');
    if (api_is_namespaced(r) && ns.len) {
        strbuf_add_str(&b, ns);
        strbuf_add_char(&b, '/');
    }
    strbuf_add_str(&b, name);
    return strbuf_str(&b);
}

bool object_key_parse(str key, str *ret_group, str *ret_plural, str *ret_ns_name)
{
    if (!str_has_prefix(key, S(OBJECT_ROOT)))
        return false;
    str rest = str_from(key, sizeof OBJECT_ROOT - 1), group, plural;
    if (!str_cut(&rest, '/', &group) || !str_cut(&rest, '/', &plural))
        return false;
    *ret_group = str_is(group, "core") ? S("") : group;
    *ret_plural = plural;
    *ret_ns_name = rest;
    return true;
}

static void add_type_prefix(struct strbuf *b, const struct api_resource *r)
{
    strbuf_add_str(b, S("\"kind\":\""));
    strbuf_add_str(b, r->kind);
    strbuf_add_str(b, S("\",\"apiVersion\":\""));
    if (r->group.len) {
        strbuf_add_str(b, r->group);
        strbuf_add_char(b, '/');
    }
    strbuf_add_str(b, r->version);
    strbuf_add_str(b, S("\","));
}

size_t object_type_prefix_len(const struct api_resource *r)
{
    return sizeof "\"kind\":\"\",\"apiVersion\":\"\"," - 1 + r->kind.len + r->version.len + (r->group.len ? r->group.len + 1 : 0);
}

static void add_members(struct strbuf *b, const struct json *obj, const str *skip, size_t nskip)
{
    for (uint32_t i = 0; obj && i < obj->len; i++) {
        bool skipped = false;
        for (size_t k = 0; k < nskip; k++)
            skipped |= str_eq(obj->members[i].key, skip[k]);
        if (skipped)
            continue;
        strbuf_add_char(b, ',');
        json_write_string(b, obj->members[i].key);
        strbuf_add_char(b, ':');
        json_write(b, &obj->members[i].value);
    }
}

str object_encode(struct arena *a, const struct api_resource *r, const struct json *obj, uint32_t *ret_rev_at)
{
    static const str meta_skip[] = {STR_INIT("resourceVersion")};
    static const str obj_skip[] = {STR_INIT("kind"), STR_INIT("apiVersion"), STR_INIT("metadata")};
    struct strbuf b = strbuf_on(a);
    strbuf_grow(&b, 4096);
    strbuf_add_char(&b, '{');
    add_type_prefix(&b, r);
    strbuf_add_str(&b, S("\"metadata\":{\"resourceVersion\":\""));
    *ret_rev_at = (uint32_t)b.len;
    strbuf_add_char(&b, '"');
    add_members(&b, object_meta(obj), meta_skip, ARRAY_LEN(meta_skip));
    strbuf_add_char(&b, '}');
    add_members(&b, obj, obj_skip, ARRAY_LEN(obj_skip));
    strbuf_add_char(&b, '}');
    return strbuf_str(&b);
}

str object_with_revision(struct arena *a, str bytes, uint32_t rev_at, rev_t rev)
{
    size_t end = rev_at;
    while (end < bytes.len && bytes.p[end] != '"')
        end++;
    struct strbuf b = strbuf_on(a);
    strbuf_grow(&b, bytes.len + 20);
    strbuf_add_str(&b, str_sub(bytes, 0, rev_at));
    strbuf_add_u64(&b, rev);
    strbuf_add_str(&b, str_from(bytes, end));
    return strbuf_str(&b);
}

str object_without_revision(struct arena *a, str bytes, uint32_t rev_at)
{
    ptrdiff_t digits = str_find_char(str_from(bytes, rev_at), '"');
    return arena_cat(a, str_sub(bytes, 0, rev_at), str_from(bytes, rev_at + (size_t)MAX(digits, (ptrdiff_t)0)));
}

struct json object_parse(struct arena *a, str bytes)
{
    struct json v;
    struct err err;
    int r = json_parse(a, bytes, NULL, &v, &err);
    BUG_ON(r < 0);
    return v;
}

bool object_get(struct store *s, struct arena *a, const struct api_resource *r, str ns, str name, struct json *ret, rev_t *ret_rev)
{
    struct store_kv *kv = store_get(s, object_key(a, r, ns, name));
    if (!kv)
        return false;
    *ret = object_parse(a, arena_str(a, store_kv_value(kv)));
    if (ret_rev)
        *ret_rev = kv->mod_rev;
    store_kv_unref(kv);
    return true;
}

const struct api_resource *object_builtin(str group, str plural)
{
    for (size_t i = 0; i < api_builtin_count; i++) {
        const struct api_resource *r = api_builtin_resources[i];
        if (str_eq(r->plural, plural) && str_eq(r->group, group) && str_eq(r->storage_group, group) && str_eq(r->storage_version, r->version))
            return r;
    }
    BUG_ON(true);
}

bool object_get_builtin(struct store *s, struct arena *a, str group, str plural, str ns, str name, struct json *ret, rev_t *ret_rev)
{
    return object_get(s, a, object_builtin(group, plural), ns, name, ret, ret_rev);
}

static bool has_word(str text, const char *word)
{
    return word && str_find(text, str_of(word)) >= 0;
}

bool object_get_having(struct store *s, struct arena *a, str group, str plural, str ns, str name, const char *word, const char *other, struct json *ret)
{
    struct store_kv *kv = store_get(s, object_key(a, object_builtin(group, plural), ns, name));
    if (!kv)
        return false;
    str text = store_kv_value(kv);
    *ret = has_word(text, word) || has_word(text, other) ? object_parse(a, arena_str(a, text)) : json_object();
    store_kv_unref(kv);
    return true;
}

struct each_arg {
    struct arena *arena;
    const char *word; /* NULL: all */
    bool (*each)(void *arg, struct json *obj, const struct store_kv *kv);
    void *arg;
};

static bool each_kv(void *arg, const struct store_kv *kv)
{
    struct each_arg *e = arg;
    str text = store_kv_value(kv);
    if (e->word && !has_word(text, e->word))
        return true;
    struct json obj = object_parse(e->arena, arena_str(e->arena, text));
    return e->each(e->arg, &obj, kv);
}

void object_each_having(struct store *s, struct arena *a, const struct api_resource *r, str ns, const char *word,
                        bool (*each)(void *arg, struct json *obj, const struct store_kv *kv), void *arg)
{
    CLEANUP(store_view_close) struct store_view *view = NULL;
    BUG_ON(store_view_open(s, 0, &view, NULL) < 0);
    str prefix = object_key(a, r, ns, S(""));
    struct each_arg e = {a, word, each, arg};
    store_view_range(view, prefix, store_prefix_end(a, prefix), each_kv, &e);
}

void object_each(struct store *s, struct arena *a, const struct api_resource *r, str ns,
                 bool (*each)(void *arg, struct json *obj, const struct store_kv *kv), void *arg)
{
    object_each_having(s, a, r, ns, NULL, each, arg);
}

bool object_list_has(const struct json *obj, str key, str value)
{
    const struct json *list = json_get(obj, key);
    for (uint32_t i = 0; json_is(list, JSON_ARRAY) && i < list->len; i++)
        if (str_eq(json_str(&list->items[i]), value))
            return true;
    return false;
}

/* 16 random bytes, from a pool of the thread: one call of the generator for 64 uids. */
static unsigned char *random_bytes(void)
{
    static _Thread_local unsigned char pool[1024];
    static _Thread_local size_t left;
    if (left < 16) {
        tls_random(pool, sizeof pool);
        left = sizeof pool;
    }
    left -= 16;
    return pool + left;
}

uint64_t object_random(void)
{
    uint64_t v;
    memcpy(&v, random_bytes(), sizeof v);
    return v;
}

void object_new_uid(char out[37])
{
    unsigned char *u = random_bytes();
    u[6] = (unsigned char)((u[6] & 0x0f) | 0x40);
    u[8] = (unsigned char)((u[8] & 0x3f) | 0x80);
    static const char hex[] = "0123456789abcdef";
    char *p = out;
    for (int i = 0; i < 16; i++) {
        if (i == 4 || i == 6 || i == 8 || i == 10)
            *p++ = '-';
        *p++ = hex[u[i] >> 4];
        *p++ = hex[u[i] & 15];
    }
    *p = 0;
}

void object_random_suffix(char out[6])
{
    static const char letters[] = "bcdfghjklmnpqrstvwxz2456789";
    uint64_t h = object_random();
    for (int i = 0; i < 5; i++, h /= sizeof letters - 1)
        out[i] = letters[h % (sizeof letters - 1)];
    out[5] = 0;
}
