/* SPDX-License-Identifier: Apache-2.0 */
#include "api/apply_managed.h"

/* --- reading --------------------------------------------------------------------------------------------- */

static int decode_entry(struct arena *a, const struct json *v, uint32_t i, struct managed_entry *ret, struct err *err)
{
    static const struct json none = {.type = JSON_OBJECT};
    str operation = json_get_str(v, S("operation")), type = json_get_str(v, S("fieldsType"));
    struct managed_entry e = {
        .manager = json_get_str(v, S("manager")),
        .api_version = json_get_str(v, S("apiVersion")),
        .subresource = json_get_str(v, S("subresource")),
        .time = json_get_str(v, S("time")),
        .applied = str_is(operation, "Apply"),
        .raw = json_get(v, S("fieldsV1")),
    };
    if (!e.applied && !str_is(operation, "Update"))
        return err_set(err, E_INVALID, "operation must be `Apply` or `Update`");
    if (!e.api_version.len)
        return err_set(err, E_INVALID, "apiVersion must not be empty");
    if (!type.len)
        return err_set(err, E_INVALID, "missing fieldsType in managed fields entry %u", i);
    if (!str_is(type, "FieldsV1"))
        return err_set(err, E_INVALID, "invalid fieldsType \"" STR_FMT "\" in managed fields entry %u", STR_ARG(type), i);
    if (!e.raw)
        e.raw = &none;
    int r = fieldset_from_json(a, e.raw, &e.set, err);
    if (r < 0)
        return err_wrap(err, "error decoding managed fields entry %u: ", i);
    *ret = e;
    return 0;
}

int managed_decode(struct arena *a, const struct json *list, struct managed *ret, struct err *err)
{
    struct managed m = {0};
    struct err own;
    if (!err)
        err = &own;
    if (list && list->type != JSON_ARRAY && list->type != JSON_NULL)
        return err_set(err, E_INVALID, "managed fields must be a list");
    for (uint32_t i = 0; json_is(list, JSON_ARRAY) && i < list->len; i++) {
        struct managed_entry e;
        int r = decode_entry(a, &list->items[i], i, &e, err);
        if (r < 0)
            return r;
        struct managed_entry *same = managed_find(&m, e.manager, e.applied, e.api_version, e.subresource);
        if (same)
            *same = e; /* the last one counts */
        else
            managed_add(a, &m, e);
    }
    *ret = m;
    return 0;
}

/* --- changing -------------------------------------------------------------------------------------------- */

struct managed_entry *managed_find(struct managed *m, str manager, bool applied, str api_version, str subresource)
{
    for (size_t i = 0; i < m->len; i++) {
        struct managed_entry *e = &m->items[i];
        if (e->applied == applied && str_eq(e->manager, manager) && str_eq(e->subresource, subresource) &&
            (applied || str_eq(e->api_version, api_version)))
            return e;
    }
    return NULL;
}

struct managed_entry *managed_add(struct arena *a, struct managed *m, struct managed_entry e)
{
    if (m->len == m->cap) {
        size_t cap = m->cap ? m->cap * 2 : 4;
        m->items = arena_grow(a, m->items, m->len * sizeof *m->items, cap * sizeof *m->items);
        m->cap = cap;
    }
    m->items[m->len] = e;
    return &m->items[m->len++];
}

void managed_set_fields(struct managed_entry *e, struct fieldset set)
{
    e->set = set;
    e->raw = NULL;
}

void managed_drop_empty(struct managed *m)
{
    size_t kept = 0;
    for (size_t i = 0; i < m->len; i++)
        if (!fieldset_is_empty(&m->items[i].set))
            m->items[kept++] = m->items[i];
    m->len = kept;
}

/* --- order ----------------------------------------------------------------------------------------------- */

/* Conformed times all have one form, UTC to the second, which sorts as text; none at all comes first. */
static int time_cmp(const struct managed_entry *a, const struct managed_entry *b)
{
    return str_cmp(a->time, b->time);
}

int managed_name_cmp(const struct managed_entry *a, const struct managed_entry *b)
{
    int c = str_cmp(a->manager, b->manager);
    if (!c)
        c = (int)b->applied - (int)a->applied; /* Apply before Update */
    if (!c)
        c = str_cmp(a->api_version, b->api_version);
    return c ? c : str_cmp(a->subresource, b->subresource);
}

static int entry_cmp(const void *x, const void *y)
{
    const struct managed_entry *a = x, *b = y;
    if (a->applied != b->applied)
        return a->applied ? -1 : 1;
    int c = time_cmp(a, b);
    return c ? c : managed_name_cmp(a, b);
}

static int age_cmp(const void *x, const void *y)
{
    const struct managed_entry *a = *(struct managed_entry *const *)x, *b = *(struct managed_entry *const *)y;
    int c = time_cmp(a, b);
    return c ? c : managed_name_cmp(a, b);
}

/* --- cap ------------------------------------------------------------------------------------------------- */

#define ANCIENT S("ancient-changes")

/* Merges the updater into the bucket of its version; the first of a version becomes the bucket. */
static bool merge_ancient(struct arena *a, struct managed *m, struct managed_entry **oldest, size_t i)
{
    struct managed_entry *e = oldest[i], *first = NULL;
    for (size_t k = 0; k < i && !first; k++)
        if (str_eq(oldest[k]->api_version, e->api_version))
            first = oldest[k];
    if (!first)
        return false;
    struct managed_entry *bucket = managed_find(m, ANCIENT, false, e->api_version, S(""));
    if (bucket == e)
        return false;
    if (!bucket) {
        bucket = first;
        bucket->manager = ANCIENT;
        bucket->subresource = S("");
    }
    managed_set_fields(bucket, fieldset_union(a, &e->set, &bucket->set));
    bucket->time = e->time; /* the more recent one */
    managed_set_fields(e, FIELDSET_EMPTY);
    return true;
}

void managed_cap(struct arena *a, struct managed *m)
{
    size_t n = 0;
    struct managed_entry **oldest = arena_array(a, m->len + 1, struct managed_entry *);
    for (size_t i = 0; i < m->len; i++)
        if (!m->items[i].applied)
            oldest[n++] = &m->items[i];
    if (n <= MANAGED_UPDATES_MAX)
        return;
    qsort(oldest, n, sizeof *oldest, age_cmp);
    for (size_t i = 0, left = n; i < n && left > MANAGED_UPDATES_MAX; i++)
        left -= merge_ancient(a, m, oldest, i);
    managed_drop_empty(m);
}

/* --- writing --------------------------------------------------------------------------------------------- */

static struct json encode_entry(struct arena *a, const struct managed_entry *e)
{
    struct json v = {.type = JSON_OBJECT, .cap = 7};
    v.members = arena_alloc(a, 7 * sizeof *v.members);
    v.members[v.len++] = (struct json_member){S("manager"), json_string(e->manager)};
    v.members[v.len++] = (struct json_member){S("operation"), json_string(e->applied ? S("Apply") : S("Update"))};
    v.members[v.len++] = (struct json_member){S("apiVersion"), json_string(e->api_version)};
    if (e->time.len)
        v.members[v.len++] = (struct json_member){S("time"), json_string(e->time)};
    v.members[v.len++] = (struct json_member){S("fieldsType"), json_string(S("FieldsV1"))};
    v.members[v.len++] = (struct json_member){S("fieldsV1"), e->raw ? *e->raw : fieldset_to_json(a, &e->set)};
    if (e->subresource.len)
        v.members[v.len++] = (struct json_member){S("subresource"), json_string(e->subresource)};
    return v;
}

struct json managed_encode(struct arena *a, struct managed *m)
{
    if (!m->len)
        return json_null();
    if (m->len > 1)
        qsort(m->items, m->len, sizeof *m->items, entry_cmp);
    struct json list = {.type = JSON_ARRAY, .len = (uint32_t)m->len, .cap = (uint32_t)m->len};
    list.items = arena_alloc(a, m->len * sizeof *list.items);
    for (size_t i = 0; i < m->len; i++)
        list.items[i] = encode_entry(a, &m->items[i]);
    return list;
}

str managed_name(struct arena *a, const struct managed_entry *e)
{
    struct strbuf b = strbuf_on(a);
    json_write_string(&b, e->manager);
    if (e->subresource.len) {
        strbuf_add_str(&b, S(" with subresource "));
        json_write_string(&b, e->subresource);
    }
    if (!e->applied)
        strbuf_addf(&b, " using " STR_FMT, STR_ARG(e->api_version));
    return strbuf_str(&b);
}
