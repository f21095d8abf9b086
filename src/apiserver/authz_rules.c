/* SPDX-License-Identifier: Apache-2.0 */
#include "apiserver/authz_rules.h"

static const str list_keys[AUTHZ_LISTS] = {
    [AUTHZ_VERBS] = STR_INIT("verbs"),          [AUTHZ_GROUPS] = STR_INIT("apiGroups"),
    [AUTHZ_RESOURCES] = STR_INIT("resources"),  [AUTHZ_NAMES] = STR_INIT("resourceNames"),
    [AUTHZ_URLS] = STR_INIT("nonResourceURLs"),
};

str authz_list_key(enum authz_list_id id)
{
    return list_keys[id];
}

bool authz_list_has(const struct authz_list *l, str value)
{
    for (size_t i = 0; i < l->len; i++)
        if (str_eq(l->items[i], value))
            return true;
    return false;
}

static bool has_or_star(const struct authz_list *l, str value)
{
    for (size_t i = 0; i < l->len; i++)
        if (str_eq(l->items[i], value) || str_is(l->items[i], "*"))
            return true;
    return false;
}

bool authz_rule_equal(const struct authz_rule *a, const struct authz_rule *b)
{
    for (size_t i = 0; i < AUTHZ_LISTS; i++) {
        if (a->lists[i].len != b->lists[i].len)
            return false;
        for (size_t k = 0; k < a->lists[i].len; k++)
            if (!str_eq(a->lists[i].items[k], b->lists[i].items[k]))
                return false;
    }
    return true;
}

/* --- allowing ------------------------------------------------------------------------------------ */

/* Is `rule` the text "resource/sub"? */
static bool is_combined(str rule, str resource, str sub)
{
    return rule.len == resource.len + 1 + sub.len && rule.p[resource.len] == '/' && str_has_prefix(rule, resource) &&
           str_has_suffix(rule, sub);
}

static bool resource_allowed(const struct authz_list *l, str resource, str sub)
{
    for (size_t i = 0; i < l->len; i++) {
        str rule = l->items[i];
        if (str_is(rule, "*") ||
            (sub.len ? is_combined(rule, resource, sub) || is_combined(rule, S("*"), sub) : str_eq(rule, resource)))
            return true;
    }
    return false;
}

/* "/healthz", "/api/" and a star (all that begins so), or a star alone. */
static bool url_covers(str rule, str path)
{
    if (str_eq(rule, path))
        return true;
    if (!str_has_suffix(rule, S("*")))
        return false;
    while (str_has_suffix(rule, S("*")))
        rule.len--;
    return str_has_prefix(path, rule);
}

static bool url_allowed(const struct authz_list *l, str path)
{
    for (size_t i = 0; i < l->len; i++)
        if (url_covers(l->items[i], path))
            return true;
    return false;
}

bool authz_rule_allows(const struct authz_rule *r, const struct authz_attrs *at)
{
    if (!has_or_star(&r->lists[AUTHZ_VERBS], at->verb))
        return false;
    if (!at->is_resource)
        return url_allowed(&r->lists[AUTHZ_URLS], at->path);
    return has_or_star(&r->lists[AUTHZ_GROUPS], at->group) &&
           resource_allowed(&r->lists[AUTHZ_RESOURCES], at->resource, at->subresource) &&
           (!r->lists[AUTHZ_NAMES].len || authz_list_has(&r->lists[AUTHZ_NAMES], at->name));
}

/* --- trees --------------------------------------------------------------------------------------- */

static struct authz_list list_parse(struct arena *a, const struct json *v)
{
    if (!json_is(v, JSON_ARRAY))
        return (struct authz_list){0};
    str *items = arena_array(a, v->len, str);
    for (uint32_t i = 0; i < v->len; i++)
        items[i] = json_str(&v->items[i]);
    return (struct authz_list){items, v->len};
}

struct authz_rule_set authz_rules_parse(struct arena *a, const struct json *rules)
{
    if (!json_is(rules, JSON_ARRAY))
        return (struct authz_rule_set){0};
    struct authz_rule *items = arena_array(a, rules->len, struct authz_rule);
    for (uint32_t i = 0; i < rules->len; i++)
        for (size_t k = 0; k < AUTHZ_LISTS; k++)
            items[i].lists[k] = list_parse(a, json_get(&rules->items[i], list_keys[k]));
    return (struct authz_rule_set){items, rules->len};
}

struct json authz_rule_json(struct arena *a, const struct authz_rule *r)
{
    struct json out = json_object();
    for (size_t k = 0; k < AUTHZ_LISTS; k++) {
        if (!r->lists[k].len)
            continue;
        struct json list = json_array();
        for (size_t i = 0; i < r->lists[k].len; i++)
            json_push(a, &list, json_string(arena_str(a, r->lists[k].items[i])));
        json_set(a, &out, list_keys[k], list);
    }
    return out;
}

struct json authz_rules_json(struct arena *a, const struct authz_rule_set *rules)
{
    struct json out = json_array();
    for (size_t i = 0; i < rules->len; i++)
        json_push(a, &out, authz_rule_json(a, &rules->items[i]));
    return out;
}

/* --- covering ------------------------------------------------------------------------------------ */

static bool covers_all(const struct authz_list *held, const struct authz_list *wanted, bool (*covers)(str held, str wanted))
{
    for (size_t i = 0; i < wanted->len; i++) {
        bool found = false;
        for (size_t k = 0; k < held->len && !found; k++)
            found = covers(held->items[k], wanted->items[i]);
        if (!found)
            return false;
    }
    return true;
}

static bool star_covers(str held, str wanted)
{
    return str_is(held, "*") || str_eq(held, wanted);
}

static bool name_covers(str held, str wanted)
{
    return str_eq(held, wanted);
}

/* Here, unlike in a check, a held star covers the wanted "pods/log", and a held star for all logs does too. */
static bool resource_covers(str held, str wanted)
{
    ptrdiff_t slash = str_find_char(wanted, '/');
    return star_covers(held, wanted) || (slash >= 0 && is_combined(held, S("*"), str_from(wanted, (size_t)slash + 1)));
}

static bool rule_covers(const struct authz_rule *held, const struct authz_rule *wanted)
{
    const struct authz_list *h = held->lists, *w = wanted->lists;
    bool names = !h[AUTHZ_NAMES].len || (w[AUTHZ_NAMES].len && covers_all(&h[AUTHZ_NAMES], &w[AUTHZ_NAMES], name_covers));
    return names && covers_all(&h[AUTHZ_VERBS], &w[AUTHZ_VERBS], star_covers) &&
           covers_all(&h[AUTHZ_GROUPS], &w[AUTHZ_GROUPS], star_covers) &&
           covers_all(&h[AUTHZ_RESOURCES], &w[AUTHZ_RESOURCES], resource_covers) &&
           covers_all(&h[AUTHZ_URLS], &w[AUTHZ_URLS], url_covers);
}

static bool is_covered(const struct authz_rule_set *held, const struct authz_rule *wanted)
{
    for (size_t i = 0; i < held->len; i++)
        if (rule_covers(&held->items[i], wanted))
            return true;
    return false;
}

/* What is missing, rights on the same thing in one entry; more than fit into an error text are not kept. */
#define MISSING_MAX 64
#define MISSING_MAX_VERBS 32
struct missing {
    struct arena *arena;
    struct authz_rule rules[MISSING_MAX];
    bool is_whole[MISSING_MAX]; /* not taken apart: its lists are not ours */
    size_t len;
    size_t rights_left; /* that may still be looked at one by one */
};

static bool same_but_verbs(const struct authz_rule *a, const struct authz_rule *b)
{
    struct authz_rule x = *a, y = *b;
    x.lists[AUTHZ_VERBS] = y.lists[AUTHZ_VERBS] = (struct authz_list){0};
    return authz_rule_equal(&x, &y);
}

/* right has one item in each list that is not empty. */
static void missing_add(struct missing *m, const struct authz_rule *right)
{
    for (size_t i = 0; i < m->len; i++) {
        struct authz_list *verbs = &m->rules[i].lists[AUTHZ_VERBS];
        if (right->lists[AUTHZ_URLS].len || m->is_whole[i] || !same_but_verbs(&m->rules[i], right))
            continue;
        if (verbs->len < MISSING_MAX_VERBS)
            ((str *)verbs->items)[verbs->len++] = right->lists[AUTHZ_VERBS].items[0];
        return;
    }
    if (m->len == MISSING_MAX)
        return;
    struct authz_rule *r = &m->rules[m->len++];
    for (size_t k = 0; k < AUTHZ_LISTS; k++) {
        str *items = arena_array(m->arena, k == AUTHZ_VERBS ? MISSING_MAX_VERBS : 1, str);
        if (right->lists[k].len)
            items[0] = right->lists[k].items[0];
        r->lists[k] = (struct authz_list){items, right->lists[k].len};
    }
}

static void right_check(struct missing *m, const struct authz_rule_set *held, const struct authz_rule *right)
{
    if (!is_covered(held, right))
        missing_add(m, right);
}

static struct authz_list one(const struct authz_list *l, size_t i)
{
    return (struct authz_list){l->items + i, l->len ? 1 : 0};
}

/* Every single right of the rule: group x resource x verb x name, then url x verb. */
static void rule_check(struct missing *m, const struct authz_rule_set *held, const struct authz_rule *r)
{
    const struct authz_list *l = r->lists;
    for (size_t g = 0; g < l[AUTHZ_GROUPS].len; g++)
        for (size_t s = 0; s < l[AUTHZ_RESOURCES].len; s++)
            for (size_t v = 0; v < l[AUTHZ_VERBS].len; v++)
                for (size_t n = 0; n < MAX(l[AUTHZ_NAMES].len, (size_t)1); n++)
                    right_check(m, held,
                                &(struct authz_rule){{[AUTHZ_VERBS] = one(&l[AUTHZ_VERBS], v),
                                                      [AUTHZ_GROUPS] = one(&l[AUTHZ_GROUPS], g),
                                                      [AUTHZ_RESOURCES] = one(&l[AUTHZ_RESOURCES], s),
                                                      [AUTHZ_NAMES] = one(&l[AUTHZ_NAMES], n)}});
    for (size_t u = 0; u < l[AUTHZ_URLS].len; u++)
        for (size_t v = 0; v < l[AUTHZ_VERBS].len; v++)
            right_check(m, held,
                        &(struct authz_rule){{[AUTHZ_VERBS] = one(&l[AUTHZ_VERBS], v), [AUTHZ_URLS] = one(&l[AUTHZ_URLS], u)}});
}

/* Takes the rule's single rights from what may still be looked at; false when they are too many. */
static bool take_rights(struct missing *m, const struct authz_rule *r)
{
    size_t rights = 1;
    for (size_t k = 0; k < AUTHZ_LISTS; k++) {
        rights *= MAX(r->lists[k].len, (size_t)1);
        if (rights > m->rights_left)
            return false;
    }
    m->rights_left -= rights;
    return true;
}

/* --- showing ------------------------------------------------------------------------------------- */

static str describe(struct arena *a, const struct authz_rule *r)
{
    static const struct {
        enum authz_list_id id;
        const char *name;
    } parts[] = {{AUTHZ_GROUPS, "APIGroups"},
                 {AUTHZ_RESOURCES, "Resources"},
                 {AUTHZ_URLS, "NonResourceURLs"},
                 {AUTHZ_NAMES, "ResourceNames"},
                 {AUTHZ_VERBS, "Verbs"}};
    struct strbuf b = strbuf_on(a);
    strbuf_add_char(&b, '{');
    for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
        const struct authz_list *l = &r->lists[parts[i].id];
        if (!l->len)
            continue;
        strbuf_addf(&b, "%s%s:[", b.len > 1 ? ", " : "", parts[i].name);
        for (size_t k = 0; k < MIN(l->len, (size_t)MISSING_MAX_VERBS); k++)
            strbuf_addf(&b, "%s\"" STR_FMT "\"", k ? " " : "", STR_ARG(l->items[k]));
        strbuf_add_char(&b, ']');
    }
    strbuf_add_char(&b, '}');
    return strbuf_str(&b);
}

str authz_rules_missing(struct arena *a, const struct authz_rule_set *held, const struct authz_rule_set *wanted)
{
    struct missing *m = arena_new(a, struct missing);
    m->arena = a;
    m->rights_left = AUTHZ_MAX_RIGHTS;
    for (size_t i = 0; i < wanted->len; i++) {
        const struct authz_rule *r = &wanted->items[i];
        /* resources and urls in one rule are no right of both: only single rights tell then */
        bool mixed = r->lists[AUTHZ_URLS].len && r->lists[AUTHZ_RESOURCES].len;
        if (!mixed && is_covered(held, r))
            continue;
        if (take_rights(m, r)) {
            rule_check(m, held, r);
        } else if (m->len < MISSING_MAX) {
            m->is_whole[m->len] = true;
            m->rules[m->len++] = *r;
        }
    }
    str lines[MISSING_MAX];
    for (size_t i = 0; i < m->len; i++)
        lines[i] = describe(a, &m->rules[i]);
    qsort(lines, m->len, sizeof lines[0], str_cmp_void);
    struct strbuf b = strbuf_on(a);
    for (size_t i = 0; i < m->len; i++)
        if (!i || !str_eq(lines[i], lines[i - 1]))
            strbuf_addf(&b, "%s" STR_FMT, i ? "\n" : "", STR_ARG(lines[i]));
    return strbuf_str(&b);
}
