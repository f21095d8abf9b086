/* Strategic merge patch: a merge patch that knows the schema.  Objects merge member by member; what a list does stands
 * in the schema (patch_list.c); directives in the patch say what JSON cannot:
 *     $patch: replace | delete | merge        about the object it stands in
 *     $retainKeys: [a, b]                     other members of the object go (unions: volumes, strategies)
 *     $deleteFromPrimitiveList/f: [x]         elements that leave list f of scalars
 *     $setElementOrder/f: [...]               order of list f, see patch_list.c */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/patch.h"
#include "api/patch_edit.h"
#include "api/patch_strategic.h"
#include "base/limits.h"

/* --- wording ----------------------------------------------------------------------------------- */

const char *patch_go_type(const struct json *v)
{
    static const char *const names[] = {
        [JSON_NULL] = "%!s(<nil>)",
        [JSON_BOOL] = "bool",
        [JSON_NUMBER] = "int64",
        [JSON_STRING] = "string",
        [JSON_ARRAY] = "[]interface {}",
        [JSON_OBJECT] = "map[string]interface {}",
    };
    return names[v->type];
}

static int member_cmp(const void *a, const void *b)
{
    return str_cmp((*(const struct json_member *const *)a)->key, (*(const struct json_member *const *)b)->key);
}

/* Longer texts do not fit into a message anyway. */
#define PRINT_MAX 512

static void print_map(struct strbuf *b, const struct json *v)
{
    const struct json_member **sorted CLEANUP(free) = xmalloc((v->len + 1) * sizeof *sorted);
    for (uint32_t i = 0; i < v->len; i++)
        sorted[i] = &v->members[i];
    qsort(sorted, v->len, sizeof *sorted, member_cmp);
    strbuf_add_str(b, S("map["));
    for (uint32_t i = 0; i < v->len && b->len < PRINT_MAX; i++) {
        strbuf_addf(b, "%s" STR_FMT ":", i ? " " : "", STR_ARG(sorted[i]->key));
        patch_print_go(b, &sorted[i]->value);
    }
    strbuf_add_char(b, ']');
}

void patch_print_go(struct strbuf *b, const struct json *v)
{
    if (v->type == JSON_OBJECT) {
        print_map(b, v);
    } else if (v->type == JSON_ARRAY) {
        strbuf_add_char(b, '[');
        for (uint32_t i = 0; i < v->len && b->len < PRINT_MAX; i++) {
            if (i)
                strbuf_add_char(b, ' ');
            patch_print_go(b, &v->items[i]);
        }
        strbuf_add_char(b, ']');
    } else if (v->type == JSON_NULL) {
        strbuf_add_str(b, S("<nil>"));
    } else if (v->type == JSON_BOOL) {
        strbuf_add_str(b, v->b ? S("true") : S("false"));
    } else {
        strbuf_add_str(b, str_sub(json_str(v), 0, PRINT_MAX));
    }
}

static int bad_directive(struct patch_run *p, const struct json *directive, const struct json *in)
{
    struct strbuf b = strbuf_on(p->a);
    strbuf_add_str(&b, S("unknown patch type: "));
    patch_print_go(&b, directive);
    strbuf_add_str(&b, S(" in map: "));
    patch_print_go(&b, in);
    return err_set(p->err, E_INVALID_ARG, "%s", strbuf_cstr(&b));
}

/* --- directives -------------------------------------------------------------------------------- */

/* "$setElementOrder/ports" with prefix "$setElementOrder" is "ports"; false when the key is no such directive. */
static bool directive_field(str key, str prefix, str *ret_field)
{
    if (!str_has_prefix(key, prefix))
        return false;
    *ret_field = key.len > prefix.len && key.p[prefix.len] == '/' ? str_from(key, prefix.len + 1) : S("");
    return true;
}

static bool is_directive(str key)
{
    str f;
    return key.len && key.p[0] == '$' &&
           (str_eq(key, PATCH_DIRECTIVE) || str_eq(key, PATCH_RETAIN_KEYS) ||
            directive_field(key, PATCH_DELETE_FROM_LIST, &f) || directive_field(key, PATCH_SET_ORDER, &f));
}

static void clean_map(struct patch_run *p, const struct json *v, struct json *ret)
{
    struct json out = json_object();
    for (uint32_t i = 0; i < v->len; i++) {
        struct json value;
        const struct json_member *m = &v->members[i];
        if (m->value.type == JSON_NULL || is_directive(m->key) || !patch_strategic_clean(p, &m->value, &value))
            continue;
        if (!out.members) {
            out.cap = v->len;
            out.members = arena_alloc(p->a, v->len * sizeof *out.members);
        }
        out.members[out.len++] = (struct json_member){.key = m->key, .value = value};
    }
    *ret = out;
}

bool patch_strategic_clean(struct patch_run *p, const struct json *v, struct json *ret)
{
    *ret = *v;
    if (v->type == JSON_OBJECT) {
        /* An object that replaces or deletes speaks about what was there before: nothing. */
        const struct json *directive = json_get(v, PATCH_DIRECTIVE);
        if (directive && !str_is(json_str(directive), "merge"))
            return false;
        clean_map(p, v, ret);
    } else if (v->type == JSON_ARRAY && v->len) {
        *ret = json_array();
        for (uint32_t i = 0; i < v->len; i++) {
            struct json value;
            if (patch_strategic_clean(p, &v->items[i], &value))
                json_push(p->a, ret, value);
        }
    }
    return true;
}

/* $patch: true when the whole of the object is decided by it. */
static int handle_directive(struct patch_run *p, const struct json *patch, struct json *ret, bool *ret_done)
{
    const struct json *directive = json_get(patch, PATCH_DIRECTIVE);
    *ret_done = false;
    if (!directive || str_is(json_str(directive), "merge"))
        return 0;
    if (str_is(json_str(directive), "replace"))
        clean_map(p, patch, ret);
    else if (str_is(json_str(directive), "delete"))
        *ret = json_object();
    else
        return bad_directive(p, directive, patch);
    *ret_done = true;
    return 0;
}

static int retain_keys(struct patch_run *p, const struct json *patch, const struct json *original, struct patch_edit *e)
{
    static const char bad[] = "invalid patch format of retainKeys";
    const struct json *list = json_get(patch, PATCH_RETAIN_KEYS);
    if (!list)
        return 0;
    if (list->type != JSON_ARRAY)
        return err_set(p->err, E_INVALID_ARG, bad);
    struct json keep = json_object(); /* used as a set */
    PATCH_EDIT_AUTO set = patch_edit_begin(p->a, &keep, list->len);
    for (uint32_t i = 0; i < list->len; i++)
        if (list->items[i].type == JSON_STRING)
            patch_edit_set(&set, json_str(&list->items[i]), json_null());
    for (uint32_t i = 0; i < patch->len; i++) {
        const struct json_member *m = &patch->members[i];
        if (m->value.type != JSON_NULL && !is_directive(m->key) && !patch_edit_get(&set, m->key))
            return err_set(p->err, E_INVALID_ARG, bad);
    }
    for (uint32_t i = 0; json_is(original, JSON_OBJECT) && i < original->len; i++)
        if (!patch_edit_get(&set, original->members[i].key))
            patch_edit_del(e, original->members[i].key);
    return 0;
}

/* --- objects ----------------------------------------------------------------------------------- */

static struct patch_list list_of(const struct schema_field *f)
{
    if (!f)
        return (struct patch_list){0};
    return (struct patch_list){
        .elem = f->type->kind == SCHEMA_LIST ? f->type->elem : NULL,
        .merge_key = f->merge_key,
        .merge = f->patch & SCHEMA_PATCH_MERGE,
    };
}

static int set_orders(struct patch_run *p, const struct schema_type *t, const struct json *patch, struct patch_edit *e)
{
    for (uint32_t i = 0; i < patch->len; i++) {
        str field;
        const struct json *order = &patch->members[i].value;
        if (!directive_field(patch->members[i].key, PATCH_SET_ORDER, &field))
            continue;
        if (!field.len || order->type != JSON_ARRAY)
            return err_set(p->err, E_INVALID_ARG, "invalid patch format of setElementOrder list");
        const struct json *original = patch_edit_get(e, field), *list = json_get(patch, field);
        if (list && list->type == JSON_NULL)
            continue; /* the list is deleted */
        if ((original && original->type != JSON_ARRAY) || (list && list->type != JSON_ARRAY))
            return err_set(p->err, E_INVALID_ARG, "expected a []interface {}, but received a %s",
                           patch_go_type(original && original->type != JSON_ARRAY ? original : list));
        if (!original && !list)
            continue;
        struct patch_list l = list_of(t ? schema_field_find(t, field) : NULL);
        struct json ordered;
        int r = patch_list_merge_ordered(p, &l, original, list, order, &ordered);
        if (r < 0)
            return r;
        patch_edit_set(e, field, ordered);
    }
    return 0;
}

/* Was the list already merged by set_orders? */
static bool has_order(struct patch_run *p, const struct json *patch, str field)
{
    return json_get(patch, arena_fmt(p->a, "$setElementOrder/" STR_FMT, STR_ARG(field))) != NULL;
}

static int delete_from_list(struct patch_run *p, str field, const struct json *doomed, struct patch_edit *e)
{
    if (!field.len)
        return err_set(p->err, E_INVALID_ARG, "invalid patch format of primitive list");
    const struct json *original = patch_edit_get(e, field);
    if (doomed->type == JSON_NULL) {
        patch_edit_del(e, field);
        return 0;
    }
    if (!json_is(original, JSON_ARRAY) || doomed->type != JSON_ARRAY)
        return 0;
    struct json kept;
    int r = patch_list_delete(p, original, doomed, &kept);
    if (r == 0)
        patch_edit_set(e, field, kept);
    return r;
}

static void set_clean(struct patch_run *p, str key, const struct json *v, struct patch_edit *e)
{
    struct json value;
    if (patch_strategic_clean(p, v, &value))
        patch_edit_set(e, key, value);
    else
        patch_edit_del(e, key);
}

static int merge_member(struct patch_run *p, const struct schema_type *t, str key, const struct json *v, struct patch_edit *e)
{
    const struct json *original = patch_edit_get(e, key);
    if (v->type == JSON_NULL) {
        patch_edit_del(e, key);
        return 0;
    }
    if (!original || original->type != v->type || (v->type != JSON_OBJECT && v->type != JSON_ARRAY)) {
        set_clean(p, key, v, e);
        return 0;
    }
    const struct schema_field *f = t && t->kind == SCHEMA_OBJECT ? schema_field_find(t, key) : NULL;
    struct json merged;
    int r;
    if (v->type == JSON_ARRAY) {
        struct patch_list l = list_of(f);
        r = patch_list_merge(p, &l, original, v, &merged);
    } else if (f && f->patch & SCHEMA_PATCH_REPLACE) {
        clean_map(p, v, &merged);
        r = 0;
    } else {
        const struct schema_type *below = f ? f->type : t && t->kind == SCHEMA_MAP ? t->elem : NULL;
        r = patch_strategic_map(p, below, original, v, &merged);
    }
    if (r == 0)
        patch_edit_set(e, key, merged);
    return r;
}

int patch_strategic_map(struct patch_run *p, const struct schema_type *t, const struct json *original,
                        const struct json *patch, struct json *ret)
{
    bool done;
    int r = handle_directive(p, patch, ret, &done);
    if (r < 0 || done)
        return r;
    PATCH_EDIT_AUTO e = patch_edit_begin(p->a, original, patch->len);
    r = retain_keys(p, patch, original, &e);
    if (r == 0)
        r = set_orders(p, t, patch, &e);
    for (uint32_t i = 0; r == 0 && i < patch->len; i++) {
        const struct json_member *m = &patch->members[i];
        str field;
        if (directive_field(m->key, PATCH_DELETE_FROM_LIST, &field))
            r = delete_from_list(p, field, &m->value, &e);
        else if (is_directive(m->key) || (m->value.type == JSON_ARRAY && has_order(p, patch, m->key)))
            continue;
        else
            r = merge_member(p, t, m->key, &m->value, &e);
    }
    if (r == 0)
        *ret = patch_edit_end(&e);
    return r;
}

int patch_strategic(struct arena *a, const struct schema_type *type, const struct json *target, const struct json *patch,
                    struct json *ret, struct err *err)
{
    if (target->type != JSON_OBJECT || patch->type != JSON_OBJECT)
        return err_set(err, E_PARSE, "invalid JSON document");
    struct patch_run p = {.a = a, .err = err};
    return patch_strategic_map(&p, type, target, patch, ret);
}
