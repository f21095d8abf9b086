/* SPDX-License-Identifier: Apache-2.0 */
#include "apiserver/authz_policy.h"

#include "api/selector.h"
#include "apiserver/objects.h"
#include "base/vec.h"

enum item_kind { ITEM_ROLE, ITEM_BINDING, ITEM_OTHER };

/* One parsed object.  Its strings and arrays lie behind the struct, in the same allocation: thousands of bindings must not cost
 * an arena each. */
struct authz_item {
    _Atomic uint32_t refs;
    rev_t mod_rev;
    enum item_kind kind;
    bool is_aggregated;
    str key;
    str ns, name;
    struct authz_rule_set rules; /* ITEM_ROLE */
    str labels,
        selectors; /* ITEM_ROLE of cluster scope: JSON texts of metadata.labels and aggregationRule.clusterRoleSelectors */
    struct authz_binding binding; /* ITEM_BINDING */
    _Alignas(16) char data[];
};

/* A role in a policy: aggregated ones get their rules after all roles are known. */
struct authz_role_entry {
    const struct authz_item *item;
    struct authz_rule_set rules;
    struct json labels;
    uint32_t seen; /* mark of the last walk that came here */
};

/* --- items --------------------------------------------------------------------------------------- */

static void item_unref(struct authz_item *it)
{
    if (it && atomic_fetch_sub(&it->refs, 1) == 1)
        free(it);
}

/* Lays out what an item holds: with base NULL it only counts, so that one pass measures and the next one fills. */
struct layout {
    char *base;
    size_t used;
};

static void *take(struct layout *l, size_t size)
{
    void *p = l->base ? l->base + l->used : NULL;
    l->used += (size + 15) & ~(size_t)15;
    return p;
}

static str take_str(struct layout *l, str s)
{
    char *p = take(l, s.len + 1);
    if (!p)
        return STR_NONE;
    if (s.len)
        memcpy(p, s.p, s.len);
    p[s.len] = 0;
    return str_n(p, s.len);
}

static struct authz_rule_set take_rules(struct layout *l, const struct authz_rule_set *from)
{
    struct authz_rule *rules = take(l, from->len * sizeof *rules);
    for (size_t i = 0; i < from->len; i++) {
        for (size_t k = 0; k < AUTHZ_LISTS; k++) {
            const struct authz_list *list = &from->items[i].lists[k];
            str *items = take(l, list->len * sizeof *items);
            for (size_t n = 0; n < list->len; n++) {
                str s = take_str(l, list->items[n]);
                if (items)
                    items[n] = s;
            }
            if (rules)
                rules[i].lists[k] = (struct authz_list){items, list->len};
        }
    }
    return (struct authz_rule_set){rules, from->len};
}

static struct authz_binding take_binding(struct layout *l, const struct authz_binding *from)
{
    struct authz_subject *subjects = take(l, from->nsubjects * sizeof *subjects);
    for (size_t i = 0; i < from->nsubjects; i++) {
        const struct authz_subject *s = &from->subjects[i];
        struct authz_subject copy = {take_str(l, s->kind), take_str(l, s->name), take_str(l, s->ns)};
        if (subjects)
            subjects[i] = copy;
    }
    return (struct authz_binding){
        take_str(l, from->name), take_str(l, from->ns), take_str(l, from->role_kind), take_str(l, from->role_name), subjects,
        from->nsubjects};
}

static void item_fill(struct authz_item *it, struct layout *l, const struct authz_item *from)
{
    it->refs = 1;
    it->mod_rev = from->mod_rev;
    it->kind = from->kind;
    it->is_aggregated = from->is_aggregated;
    it->key = take_str(l, from->key);
    it->ns = take_str(l, from->ns);
    it->name = take_str(l, from->name);
    it->rules = take_rules(l, &from->rules);
    it->labels = take_str(l, from->labels);
    it->selectors = take_str(l, from->selectors);
    it->binding = take_binding(l, &from->binding);
}

static struct authz_item *item_copy(const struct authz_item *from)
{
    struct authz_item scratch;
    struct layout l = {0};
    item_fill(&scratch, &l, from);
    struct authz_item *it = xcalloc(1, sizeof *it + l.used);
    l = (struct layout){.base = it->data};
    item_fill(it, &l, from);
    return it;
}

static void parse_binding(struct arena *a, const struct json *obj, struct authz_item *it)
{
    const struct json *subjects = json_get(obj, S("subjects")), *ref = json_get(obj, S("roleRef"));
    size_t n = json_is(subjects, JSON_ARRAY) ? subjects->len : 0;
    struct authz_subject *list = arena_array(a, n, struct authz_subject);
    for (size_t i = 0; i < n; i++) {
        const struct json *s = &subjects->items[i];
        list[i] = (struct authz_subject){json_get_str(s, S("kind")), json_get_str(s, S("name")), json_get_str(s, S("namespace"))};
    }
    it->binding = (struct authz_binding){it->name, it->ns, json_get_str(ref, S("kind")), json_get_str(ref, S("name")), list, n};
}

static void parse_role(struct arena *a, const struct json *obj, struct authz_item *it)
{
    it->rules = authz_rules_parse(a, json_get(obj, S("rules")));
    if (it->ns.len)
        return;
    const struct json *labels = json_get(object_meta(obj), S("labels")),
                      *selectors = json_path(obj, "aggregationRule", "clusterRoleSelectors", NULL);
    it->is_aggregated = json_get(obj, S("aggregationRule")) != NULL;
    it->labels = labels ? json_text(a, labels) : S("");
    it->selectors = selectors ? json_text(a, selectors) : S("");
}

static struct authz_item *item_parse(const struct store_kv *kv)
{
    static const struct {
        const char *plural;
        enum item_kind kind;
    } kinds[] = {
        {"roles", ITEM_ROLE}, {"clusterroles", ITEM_ROLE}, {"rolebindings", ITEM_BINDING}, {"clusterrolebindings", ITEM_BINDING}};
    ARENA_AUTO a = ARENA_INIT;
    str group, plural, rest;
    struct authz_item it = {.mod_rev = kv->mod_rev, .kind = ITEM_OTHER, .key = store_kv_key(kv)};
    if (object_key_parse(it.key, &group, &plural, &rest))
        for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
            if (str_is(plural, kinds[i].plural))
                it.kind = kinds[i].kind;
    if (it.kind != ITEM_OTHER) {
        struct json obj = object_parse(&a, store_kv_value(kv));
        it.ns = object_ns(&obj);
        it.name = object_name(&obj);
        if (it.kind == ITEM_ROLE)
            parse_role(&a, &obj, &it);
        else
            parse_binding(&a, &obj, &it);
    }
    return item_copy(&it);
}

/* --- collecting ---------------------------------------------------------------------------------- */

static str role_key(struct arena *a, str ns, str name)
{
    return arena_fmt(a, STR_FMT "/" STR_FMT, STR_ARG(ns), STR_ARG(name));
}

struct collect {
    struct authz_policy *p;
    const struct authz_policy *old;
};

static bool collect_kv(void *arg, const struct store_kv *kv)
{
    struct collect *c = arg;
    struct authz_item *it = c->old ? map_get(&c->old->items, store_kv_key(kv)) : NULL;
    if (it && it->mod_rev == kv->mod_rev)
        atomic_fetch_add(&it->refs, 1);
    else
        it = item_parse(kv);
    map_put(&c->p->items, it->key, it);
    return true;
}

static void add_roles(struct authz_policy *p)
{
    map_foreach(e, &p->items) {
        const struct authz_item *it = e->value;
        if (it->kind != ITEM_ROLE)
            continue;
        struct authz_role_entry *role = arena_new(&p->arena, struct authz_role_entry);
        role->item = it;
        role->rules = it->rules;
        if (it->labels.len)
            role->labels = object_parse(&p->arena, it->labels);
        map_put(&p->roles, role_key(&p->arena, it->ns, it->name), role);
    }
}

/* --- aggregation --------------------------------------------------------------------------------- */

static int entry_cmp(const void *a, const void *b)
{
    return str_cmp((*(struct authz_role_entry *const *)a)->item->name, (*(struct authz_role_entry *const *)b)->item->name);
}

struct walk {
    struct authz_policy *p;
    struct authz_role_entry **cluster_roles; /* by name */
    size_t nroles;
    uint32_t mark;
    VEC(struct authz_rule) rules;
};

static void walk_add_rules(struct walk *w, const struct authz_rule_set *rules)
{
    for (size_t i = 0; i < rules->len; i++) {
        bool known = false;
        for (size_t k = 0; k < w->rules.len && !known; k++)
            known = authz_rule_equal(&w->rules.p[k], &rules->items[i]);
        if (!known)
            vec_push(&w->rules, rules->items[i]);
    }
}

/* Adds the rules of all roles that the selectors of `from` reach; a role counts once, so cycles end. */
static void walk_from(struct walk *w, const struct authz_role_entry *from)
{
    struct arena *a = &w->p->arena;
    struct json selectors = from->item->selectors.len ? object_parse(a, from->item->selectors) : json_array();
    for (uint32_t s = 0; selectors.type == JSON_ARRAY && s < selectors.len; s++) {
        struct selector sel;
        if (selector_from_label_selector(a, &selectors.items[s], &sel, NULL) < 0)
            continue;
        for (size_t i = 0; i < w->nroles; i++) {
            struct authz_role_entry *role = w->cluster_roles[i];
            if (role->seen == w->mark || !selector_match_labels(&sel, &role->labels))
                continue;
            role->seen = w->mark;
            if (role->item->is_aggregated)
                walk_from(w, role);
            else
                walk_add_rules(w, &role->rules);
        }
    }
}

static void resolve_aggregated(struct authz_policy *p)
{
    struct walk w = {.p = p, .cluster_roles = arena_array(&p->arena, p->roles.len, struct authz_role_entry *)};
    map_foreach(e, &p->roles) {
        struct authz_role_entry *role = e->value;
        if (!role->item->ns.len)
            w.cluster_roles[w.nroles++] = role;
    }
    qsort(w.cluster_roles, w.nroles, sizeof *w.cluster_roles, entry_cmp);
    for (size_t i = 0; i < w.nroles; i++) {
        struct authz_role_entry *role = w.cluster_roles[i];
        if (!role->item->is_aggregated)
            continue;
        w.mark++;
        role->seen = w.mark;
        vec_clear(&w.rules);
        walk_from(&w, role);
        struct authz_rule *rules = arena_array(&p->arena, w.rules.len, struct authz_rule);
        if (w.rules.len)
            memcpy(rules, w.rules.p, w.rules.len * sizeof *rules);
        role->rules = (struct authz_rule_set){rules, w.rules.len};
    }
    vec_fini(&w.rules);
}

/* --- the index ----------------------------------------------------------------------------------- */

static size_t index_key_len(str ns, str name)
{
    return ns.len + name.len + 2;
}

static str index_key_write(char *buf, char type, str ns, str name)
{
    char *p = buf;
    *p++ = type;
    if (ns.len)
        p = mempcpy(p, ns.p, ns.len);
    *p++ = 0;
    if (name.len)
        p = mempcpy(p, name.p, name.len);
    return str_n(buf, (size_t)(p - buf));
}

static void index_subject(struct authz_policy *p, const struct authz_binding *b, const struct authz_subject *s,
                          const struct authz_rule_set *rules)
{
    str name = s->name;
    char type = 'u';
    if (str_is(s->kind, "Group")) {
        type = 'g';
    } else if (str_is(s->kind, "ServiceAccount")) {
        str ns = s->ns.len ? s->ns : b->ns;
        if (!ns.len)
            return;
        name = arena_fmt(&p->arena, "system:serviceaccount:" STR_FMT ":" STR_FMT, STR_ARG(ns), STR_ARG(s->name));
    } else if (!str_is(s->kind, "User")) {
        return;
    }
    str key = index_key_write(arena_alloc(&p->arena, index_key_len(b->ns, name)), type, b->ns, name);
    struct authz_grant *g = arena_new(&p->arena, struct authz_grant);
    *g = (struct authz_grant){.binding = b, .subject = s, .rules = rules, .next = map_get(&p->grants, key)};
    map_put(&p->grants, key, g);
}

static void index_bindings(struct authz_policy *p)
{
    map_foreach(e, &p->items) {
        const struct authz_item *it = e->value;
        if (it->kind != ITEM_BINDING)
            continue;
        const struct authz_binding *b = &it->binding;
        const struct authz_rule_set *rules = authz_policy_role(p, &p->arena, b->ns, b->role_kind, b->role_name);
        for (size_t i = 0; i < b->nsubjects; i++)
            index_subject(p, b, &b->subjects[i], rules);
    }
}

/* --- policies ------------------------------------------------------------------------------------ */

struct authz_policy *authz_policy_build(struct store *s, const struct authz_policy *old)
{
    struct authz_policy *p = xnew(struct authz_policy);
    p->refs = 1;
    CLEANUP(store_view_close) struct store_view *view = NULL;
    int r = store_view_open(s, 0, &view, NULL);
    BUG_ON(r < 0); /* the newest state can always be seen */
    struct collect c = {p, old};
    str prefix = S(AUTHZ_PREFIX);
    store_view_range(view, prefix, store_prefix_end(&p->arena, prefix), collect_kv, &c);
    add_roles(p);
    resolve_aggregated(p);
    index_bindings(p);
    return p;
}

struct authz_policy *authz_policy_ref(struct authz_policy *p)
{
    atomic_fetch_add(&p->refs, 1);
    return p;
}

void authz_policy_unref(struct authz_policy *p)
{
    if (!p || atomic_fetch_sub(&p->refs, 1) > 1)
        return;
    map_foreach(e, &p->items)
        item_unref(e->value);
    map_fini(&p->items);
    map_fini(&p->roles);
    map_fini(&p->grants);
    arena_fini(&p->arena);
    free(p);
}

const struct authz_grant *authz_policy_find(const struct authz_policy *p, struct arena *a, char type, str ns, str name)
{
    if (str_find_char(ns, 0) >= 0) /* from a URL; it must not reach into the name's part of the key */
        return NULL;
    char small[256];
    size_t len = index_key_len(ns, name);
    return map_get(&p->grants, index_key_write(len <= sizeof small ? small : arena_alloc(a, len), type, ns, name));
}

const struct authz_rule_set *authz_policy_role(const struct authz_policy *p, struct arena *a, str ns, str role_kind,
                                               str role_name)
{
    bool is_role = str_is(role_kind, "Role");
    if (!is_role && !str_is(role_kind, "ClusterRole"))
        return NULL;
    /* a Role has a namespace; "/name" would be a cluster role's key */
    const struct authz_role_entry *role =
        is_role && !ns.len ? NULL : map_get(&p->roles, role_key(a, is_role ? ns : S(""), role_name));
    return role ? &role->rules : NULL;
}
