/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/threeway.h"

#include "api/resource.h"

struct sides {
    const struct json *last, *wanted, *live; /* NULL: absent */
};

static struct json patch_object(struct arena *a, const struct schema_type *t, struct sides s);

const struct schema_type *threeway_type(str api_version, str kind)
{
    str version = api_version, group = S("");
    if (str_find_char(api_version, '/') >= 0)
        str_cut(&version, '/', &group);
    for (size_t i = 0; i < api_builtin_count; i++) {
        const struct api_resource *r = api_builtin_resources[i];
        if (str_eq(r->group, group) && str_eq(r->version, version) && str_eq(r->kind, kind))
            return r->type;
    }
    return NULL;
}

/* --- lists ------------------------------------------------------------------------------------------------------------- */

static bool is_list(const struct json *v)
{
    return json_is(v, JSON_ARRAY);
}

/* The element with this merge key; of a list of scalars, the equal element (key ""). */
static const struct json *find_element(const struct json *list, str key, const struct json *id)
{
    for (size_t i = 0; is_list(list) && id && i < list->len; i++) {
        const struct json *other = key.len ? json_get(&list->items[i], key) : &list->items[i];
        if (other && json_equal(other, id))
            return &list->items[i];
    }
    return NULL;
}

static const struct json *id_of(const struct json *element, str key)
{
    return key.len ? json_get(element, key) : element;
}

/* Do the elements that both lists have stand in the same order? */
static bool same_order(const struct json *wanted, const struct json *live, str key)
{
    size_t at = 0;
    for (size_t i = 0; is_list(live) && i < live->len; i++) {
        if (!find_element(wanted, key, id_of(&live->items[i], key)))
            continue;
        while (at < wanted->len && !find_element(live, key, id_of(&wanted->items[at], key)))
            at++;
        if (at == wanted->len || !json_equal(id_of(&wanted->items[at], key), id_of(&live->items[i], key)))
            return false;
        at++;
    }
    return true;
}

/* "$setElementOrder/containers": [{"name":"a"},{"name":"b"}] */
static struct json order_of(struct arena *a, const struct json *wanted, str key)
{
    struct json order = json_array();
    for (size_t i = 0; i < wanted->len; i++) {
        struct json one = json_object();
        if (key.len && json_get(&wanted->items[i], key))
            json_set(a, &one, key, *json_get(&wanted->items[i], key));
        json_push(a, &order, key.len ? one : wanted->items[i]);
    }
    return order;
}

/* Fields of a union keep only the members that are wanted: a changed volume source drops the old one. */
static void retain_keys(struct arena *a, const struct json *wanted, struct json *patch)
{
    struct json keys = json_array();
    for (size_t i = 0; i < wanted->len; i++)
        json_push(a, &keys, json_string(wanted->members[i].key));
    if (patch->len)
        json_set(a, patch, S("$retainKeys"), keys);
}

static void add_changed_element(struct arena *a, const struct schema_field *field, struct sides s, const struct json *element,
                                struct json *changes)
{
    str key = field->merge_key;
    const struct json *id = id_of(element, key), *live = find_element(s.live, key, id);
    if (!live || !key.len) {
        if (!live)
            json_push(a, changes, *element);
        return;
    }
    struct json sub = patch_object(a, field->type->elem, (struct sides){find_element(s.last, key, id), element, live});
    if (sub.len) {
        if (field->patch & SCHEMA_PATCH_RETAIN_KEYS)
            retain_keys(a, element, &sub);
        json_set(a, &sub, key, *id);
        json_push(a, changes, sub);
    }
}

static void patch_merge_list(struct arena *a, const struct schema_field *field, struct sides s, struct json *out)
{
    str key = field->merge_key;
    struct json changes = json_array(), gone = json_array();
    for (size_t i = 0; i < s.wanted->len; i++)
        add_changed_element(a, field, s, &s.wanted->items[i], &changes);
    for (size_t i = 0; is_list(s.last) && i < s.last->len; i++) {
        const struct json *id = id_of(&s.last->items[i], key);
        if (!id || find_element(s.wanted, key, id))
            continue;
        if (key.len) {
            struct json drop = json_object();
            json_set(a, &drop, S("$patch"), json_string(S("delete")));
            json_set(a, &drop, key, *id);
            json_push(a, &changes, drop);
        } else {
            json_push(a, &gone, *id);
        }
    }
    if (changes.len)
        json_set(a, out, field->name, changes);
    if (gone.len)
        json_set(a, out, arena_fmt(a, "$deleteFromPrimitiveList/" STR_FMT, STR_ARG(field->name)), gone);
    if (changes.len || gone.len || !same_order(s.wanted, s.live, key))
        json_set(a, out, arena_fmt(a, "$setElementOrder/" STR_FMT, STR_ARG(field->name)), order_of(a, s.wanted, key));
}

/* --- objects ------------------------------------------------------------------------------------------------------------- */

static const struct schema_type *type_of_member(const struct schema_type *t, const struct schema_field *field)
{
    return field ? field->type : t && t->kind == SCHEMA_MAP ? t->elem : NULL;
}

static void patch_member(struct arena *a, const struct schema_type *t, str key, struct sides s, struct json *out)
{
    const struct schema_field *field = t && t->kind == SCHEMA_OBJECT ? schema_field_find(t, key) : NULL;
    const struct schema_type *type = type_of_member(t, field);
    bool replaces = field && field->patch & SCHEMA_PATCH_REPLACE;
    if (!s.live || s.live->type != s.wanted->type) {
        json_set(a, out, key, *s.wanted);
    } else if (s.wanted->type == JSON_OBJECT && !replaces) {
        struct json sub = patch_object(a, type, s);
        if (field && field->patch & SCHEMA_PATCH_RETAIN_KEYS)
            retain_keys(a, s.wanted, &sub);
        if (sub.len)
            json_set(a, out, key, sub);
    } else if (s.wanted->type == JSON_ARRAY && field && field->patch & SCHEMA_PATCH_MERGE && !replaces) {
        patch_merge_list(a, field, s, out);
    } else if (!json_equal(s.wanted, s.live)) {
        json_set(a, out, key, *s.wanted);
    }
}

static struct json patch_object(struct arena *a, const struct schema_type *t, struct sides s)
{
    struct json out = json_object();
    for (size_t i = 0; i < s.wanted->len; i++) {
        const struct json_member *m = &s.wanted->members[i];
        if (m->value.type != JSON_NULL)
            patch_member(a, t, m->key, (struct sides){json_get(s.last, m->key), &m->value, json_get(s.live, m->key)}, &out);
        else if (json_get(s.live, m->key))
            json_set(a, &out, m->key, json_null());
    }
    for (size_t i = 0; json_is(s.last, JSON_OBJECT) && i < s.last->len; i++) {
        if (!json_get(s.wanted, s.last->members[i].key) && s.last->members[i].value.type != JSON_NULL)
            json_set(a, &out, s.last->members[i].key, json_null());
    }
    return out;
}

struct json threeway_patch(struct arena *a, const struct schema_type *type, const struct json *last, const struct json *wanted,
                           const struct json *live)
{
    return patch_object(a, type, (struct sides){last && last->type == JSON_OBJECT ? last : NULL, wanted, live});
}
