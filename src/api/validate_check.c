/* validate_check.c - the small checks that the kinds' rules are made of. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/validate_internal.h"
#include "base/map.h"

bool v_check(struct vctx *c, const struct vpath *p, str value, v_rule *rule)
{
    const char *sentence = rule(value);
    if (sentence)
        v_invalid_str(c, p, value, "%s", sentence);
    return !sentence;
}

void v_check_member(struct vctx *c, const struct vpath *p, const struct json *v, str key, v_rule *rule)
{
    str value = json_get_str(v, key);
    if (value.len)
        v_check(c, V_MEMBER(p, key), value, rule);
}

void v_range(struct vctx *c, const struct vpath *p, int64_t value, int64_t lo, int64_t hi)
{
    if (value < lo || value > hi)
        v_invalid_int(c, p, value, "must be between %lld and %lld, inclusive", (long long)lo, (long long)hi);
}

void v_nonnegative(struct vctx *c, const struct vpath *p, const struct json *v, str key)
{
    int64_t n = json_get_int(v, key, 0);
    if (n < 0)
        v_invalid_int(c, V_MEMBER(p, key), n, V_NEGATIVE);
}

void v_positive(struct vctx *c, const struct vpath *p, const struct json *v, str key)
{
    int64_t n = json_get_int(v, key, 1);
    if (n <= 0)
        v_invalid_int(c, V_MEMBER(p, key), n, V_NOT_POSITIVE);
}

void v_port(struct vctx *c, const struct vpath *p, int64_t port)
{
    v_range(c, p, port, 1, 65535);
}

void v_port_or_name(struct vctx *c, const struct vpath *p, const struct json *v)
{
    int64_t port = 0;
    if (json_is(v, JSON_STRING))
        v_check(c, p, json_str(v), validate_port_name);
    else if (!v || json_to_i64(v, &port))
        v_port(c, p, port);
}

void v_labels(struct vctx *c, const struct vpath *p, const struct json *labels)
{
    v_foreach_member (m, labels) {
        v_check(c, p, m->key, validate_qualified_name);
        v_check(c, p, json_str(&m->value), validate_label_value);
    }
}

void v_annotations(struct vctx *c, const struct vpath *p, const struct json *annotations)
{
    size_t total = 0;
    v_foreach_member (m, annotations) {
        v_check(c, p, m->key, validate_annotation_key);
        total += m->key.len + json_str(&m->value).len;
    }
    if (total > ANNOTATIONS_MAX_BYTES)
        v_too_long(c, p, ANNOTATIONS_MAX_BYTES);
}

void v_ip(struct vctx *c, const struct vpath *p, str ip)
{
    struct v_address a;
    if (!v_parse_ip(ip, &a))
        v_invalid_str(c, p, ip, "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)");
}

void v_cidr(struct vctx *c, const struct vpath *p, str cidr)
{
    struct v_address a;
    unsigned bits;
    if (!v_parse_cidr(cidr, &a, &bits))
        v_invalid_str(c, p, cidr, "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)");
}

void v_endpoint_ip(struct vctx *c, const struct vpath *p, str ip)
{
    struct v_address a;
    if (!v_parse_ip(ip, &a)) {
        v_invalid_str(c, p, ip, "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)");
        return;
    }
    const uint8_t *b = a.bytes;
    static const uint8_t zero[16], loopback6[16] = {[15] = 1};
    if (!memcmp(b, zero, a.v6 ? 16 : 4))
        v_invalid_str(c, p, ip, "may not be unspecified (" STR_FMT ")", STR_ARG(ip));
    if (a.v6 ? !memcmp(b, loopback6, 16) : b[0] == 127)
        v_invalid_str(c, p, ip, "may not be in the loopback range (127.0.0.0/8, ::1/128)");
    if (a.v6 ? b[0] == 0xfe && (b[1] & 0xc0) == 0x80 : b[0] == 169 && b[1] == 254)
        v_invalid_str(c, p, ip, "may not be in the link-local range (169.254.0.0/16, fe80::/10)");
    if (a.v6 ? b[0] == 0xff && (b[1] & 0x0f) == 2 : b[0] == 224 && b[1] == 0 && b[2] == 0)
        v_invalid_str(c, p, ip, "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)");
}

bool v_in(str s, const char *list)
{
    str rest = str_of(list), one;
    for (bool more = true; more;) {
        more = str_cut(&rest, '|', &one);
        if (str_eq(one, s))
            return true;
    }
    return false;
}

bool v_str_list_has(const struct json *list, str s)
{
    v_foreach (item, i, list) {
        if (str_eq(json_str(item), s))
            return true;
    }
    return false;
}

static str text_at(const struct json *item, str key)
{
    return key.len ? json_get_str(item, key) : json_str(item);
}

bool v_seen_before(const struct json *list, size_t at, str key)
{
    str text = text_at(&list->items[at], key);
    for (size_t i = 0; i < at; i++) {
        if (str_eq(text_at(&list->items[i], key), text))
            return true;
    }
    return false;
}

bool v_quantity(const struct json *v, str key, struct quantity *ret)
{
    const struct json *q = v_get(v, key);
    return q && quantity_parse(json_str(q), ret);
}

int64_t v_int_or_percent(const struct json *v, bool *ret_percent)
{
    int64_t n = 0;
    str s = json_str(v);
    *ret_percent = json_is(v, JSON_STRING) && !validate_percent(s);
    if (*ret_percent)
        s.len--;
    return str_to_i64(s, &n) ? n : 0;
}

void v_check_int_or_percent(struct vctx *c, const struct vpath *p, const struct json *v)
{
    int64_t n;
    if (json_is(v, JSON_STRING))
        v_check(c, p, json_str(v), validate_percent);
    else if (v && json_to_i64(v, &n) && n < 0)
        v_invalid(c, p, v, V_NEGATIVE);
}

void v_at_most_100_percent(struct vctx *c, const struct vpath *p, const struct json *v)
{
    bool percent;
    if (v && v_int_or_percent(v, &percent) > 100 && percent)
        v_invalid(c, p, v, "must not be greater than 100%%");
}

/* --- texts seen so far ---------------------------------------------------------------------------------------------------- */

void v_map_init(struct v_map *m, struct arena *a)
{
    m->arena_ = a;
    m->entries_ = NULL;
    m->slots_ = NULL;
    m->len = 0;
    m->cap_ = V_MAP_SMALL;
}

static uint32_t *slot_of(const struct v_map *m, str key)
{
    uint32_t mask = m->cap_ * 2 - 1;
    uint32_t at = (uint32_t)str_hash(key) & mask;
    while (m->slots_[at] && !str_eq(m->entries_[m->slots_[at] - 1].key, key))
        at = (at + 1) & mask;
    return &m->slots_[at];
}

static void map_grow(struct v_map *m)
{
    struct v_map_entry *bigger = arena_array(m->arena_, (size_t)m->cap_ * 4, struct v_map_entry);
    memcpy(bigger, m->entries_ ? m->entries_ : m->small_, m->len * sizeof *bigger);
    m->entries_ = bigger;
    m->cap_ *= 4;
    m->slots_ = arena_array(m->arena_, (size_t)m->cap_ * 2, uint32_t);
    for (uint32_t i = 0; i < m->len; i++)
        *slot_of(m, bigger[i].key) = i + 1;
}

static const struct v_map_entry *entry_find(const struct v_map *m, str key)
{
    if (m->entries_) {
        uint32_t at = *slot_of(m, key);
        return at ? &m->entries_[at - 1] : NULL;
    }
    for (uint32_t i = 0; i < m->len; i++) {
        if (str_eq(m->small_[i].key, key))
            return &m->small_[i];
    }
    return NULL;
}

bool v_map_put(struct v_map *m, str key, const void *value)
{
    if (entry_find(m, key))
        return false;
    if (m->len == m->cap_)
        map_grow(m);
    struct v_map_entry *entries = m->entries_ ? m->entries_ : m->small_;
    entries[m->len++] = (struct v_map_entry){key, value};
    if (m->entries_)
        *slot_of(m, key) = m->len;
    return true;
}

const void *v_map_get(const struct v_map *m, str key)
{
    const struct v_map_entry *e = entry_find(m, key);
    return e ? e->value : NULL;
}

void v_set_add_list(struct v_map *m, const struct json *list, str key)
{
    v_foreach (item, i, list)
        v_set_add(m, json_get_str(item, key));
}

/* --- sameness ---------------------------------------------------------------------------------------------------------- */

/* Nil in Go's eyes; without a pointer in between, zero scalars are nil too. */
static bool is_nothing(const struct json *v, bool zero_counts)
{
    if (!v || v->type == JSON_NULL)
        return true;
    switch (v->type) {
    case JSON_ARRAY:
        return v->len == 0;
    case JSON_OBJECT:
        /* structs that are always written hold nothing but such members */
        v_foreach_member (m, v) {
            if (!is_nothing(&m->value, zero_counts))
                return false;
        }
        return true;
    case JSON_STRING:
        return zero_counts && v->len == 0;
    case JSON_NUMBER:
        return zero_counts && str_is(json_str(v), "0");
    default:
        return zero_counts && !v->b;
    }
}

static bool same_values(const struct schema_type *t, str key, const struct json *in_a, const struct json *in_b);

/* The member of v, which most often stands at the same place as in the other object. */
static const struct json *member_near(const struct json *v, const struct map *index, uint32_t place, str key)
{
    if (place < v_len(v) && str_eq(v->members[place].key, key))
        return &v->members[place].value;
    return index->len ? map_get(index, key) : json_get(v, key);
}

#define SAME_INDEX_FROM 64

static bool same_one_way(const struct schema_type *t, const struct json *a, const struct json *b, bool swapped, const char *except)
{
    struct map index = MAP_INIT;
    bool same = true;
    if (v_len(b) >= SAME_INDEX_FROM) {
        for (uint32_t i = 0; i < b->len; i++)
            map_put(&index, b->members[i].key, &b->members[i].value);
    }
    for (uint32_t i = 0; same && i < v_len(a); i++) {
        const struct json *other = member_near(b, &index, i, a->members[i].key);
        if (except && v_in(a->members[i].key, except))
            continue;
        if (!swapped || !other)
            same = same_values(t, a->members[i].key, &a->members[i].value, other);
    }
    map_fini(&index);
    return same;
}

static bool same_objects(const struct schema_type *t, const struct json *a, const struct json *b)
{
    return same_one_way(t, a, b, false, NULL) && same_one_way(t, b, a, true, NULL);
}

static bool same_numbers(const struct schema_type *t, const struct json *a, const struct json *b)
{
    struct quantity qa, qb;
    if (t && t->kind == SCHEMA_QUANTITY && quantity_parse(json_str(a), &qa) && quantity_parse(json_str(b), &qb))
        return quantity_cmp(&qa, &qb) == 0;
    return json_equal(a, b);
}

bool v_same(const struct schema_type *t, const struct json *a, const struct json *b)
{
    bool a_none = is_nothing(a, false), b_none = is_nothing(b, false);
    if (a_none || b_none)
        return a_none && b_none;
    if (a->type != b->type)
        return same_numbers(t, a, b);
    if (a->type == JSON_OBJECT)
        return same_objects(t, a, b);
    if (a->type != JSON_ARRAY)
        return same_numbers(t, a, b);
    if (a->len != b->len)
        return false;
    const struct schema_type *elem = t && t->kind == SCHEMA_LIST ? t->elem : NULL;
    for (uint32_t i = 0; i < a->len; i++) {
        if (!v_same(elem, &a->items[i], &b->items[i]))
            return false;
    }
    return true;
}

static bool same_values(const struct schema_type *t, str key, const struct json *in_a, const struct json *in_b)
{
    if (!t || t->kind == SCHEMA_MAP) /* a key of a map counts, whatever its value */
        return in_a && in_b ? v_same(t ? t->elem : NULL, in_a, in_b) || json_equal(in_a, in_b) : in_a == in_b;
    const struct schema_field *f = schema_field_find(t, key);
    bool zero_counts = f && !(f->flags & SCHEMA_POINTER);
    if (is_nothing(in_a, zero_counts) && is_nothing(in_b, zero_counts))
        return true;
    return v_same(f ? f->type : NULL, in_a, in_b);
}

bool v_same_except(const struct schema_type *t, const struct json *a, const struct json *b, const char *except)
{
    return same_one_way(t, a, b, false, except) && same_one_way(t, b, a, true, except);
}

bool v_same_member(const struct schema_type *t, const struct json *a, const struct json *b, str key)
{
    return same_values(t, key, json_get(a, key), json_get(b, key));
}

void v_immutable(struct vctx *c, const struct vpath *p, const struct schema_type *t, const struct json *v, const struct json *old, str key)
{
    static const struct json none = {.type = JSON_NULL};
    if (!v_same_member(t, v, old, key)) {
        const struct json *now = v_get(v, key);
        v_invalid(c, V_MEMBER(p, key), now ? now : &none, V_IMMUTABLE);
    }
}
