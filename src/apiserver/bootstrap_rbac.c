/* bootstrap_rbac.c - reads the policy text, and adds to stored objects what they miss of it. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "apiserver/authz_policy.h"
#include "apiserver/bootstrap_policy.h"
#include "apiserver/objects.h"

#define AUTOUPDATE "rbac.authorization.kubernetes.io/autoupdate"
#define AGGREGATE "rbac.authorization.k8s.io/aggregate-to-"
#define CONTROLLER "system:controller:"

/* --- reading ------------------------------------------------------------------------------------- */

struct reader {
    struct arena *arena;
    int (*each)(void *arg, str plural, struct json *obj);
    void *arg;
    struct json obj; /* the role whose rules follow */
    str plural;      /* "": none */
    str controller;  /* it is bound to this account, "": it is not */
};

static struct json str_json(struct arena *a, const char *text)
{
    return json_string(arena_str(a, str_of(text)));
}

static void set_pair(struct arena *a, struct json *obj, str map, str key, const char *value)
{
    json_set(a, json_ensure_object(a, obj, map), key, str_json(a, value));
}

/* place: "NS/NAME" or "NAME". */
static struct json object_new(struct arena *a, const char *kind, str place, bool namespaced)
{
    struct json obj = json_object(), meta = json_object();
    str ns = S("");
    if (namespaced)
        str_cut(&place, '/', &ns);
    json_set(a, &meta, S("name"), json_string(place));
    if (namespaced)
        json_set(a, &meta, S("namespace"), json_string(ns));
    set_pair(a, &meta, S("labels"), S("kubernetes.io/bootstrapping"), "rbac-defaults");
    set_pair(a, &meta, S("annotations"), S(AUTOUPDATE), "true");
    json_set(a, &obj, S("kind"), str_json(a, kind));
    json_set(a, &obj, S("metadata"), meta);
    return obj;
}

static void add_role_ref(struct arena *a, struct json *obj, const char *kind, str name)
{
    struct json *ref = json_ensure_object(a, obj, S("roleRef"));
    json_set(a, ref, S("apiGroup"), json_string(S(AUTHZ_GROUP)));
    json_set(a, ref, S("kind"), str_json(a, kind));
    json_set(a, ref, S("name"), json_string(name));
}

static void add_account(struct arena *a, struct json *subjects, str ns, str name)
{
    struct json s = json_object();
    json_set(a, &s, S("kind"), json_string(S("ServiceAccount")));
    json_set(a, &s, S("name"), json_string(name));
    json_set(a, &s, S("namespace"), json_string(ns));
    json_push(a, subjects, s);
}

static void add_subjects(struct arena *a, struct json *obj, str words)
{
    struct json subjects = json_array();
    while (words.len) {
        str word, ns;
        str_cut(&words, ' ', &word);
        str name = str_from(word, 2);
        if (word.p[0] == 's') {
            str_cut(&name, '/', &ns);
            add_account(a, &subjects, ns, name);
            continue;
        }
        BUG_ON(word.p[0] != 'u' && word.p[0] != 'g');
        struct json s = json_object();
        json_set(a, &s, S("apiGroup"), json_string(S(AUTHZ_GROUP)));
        json_set(a, &s, S("kind"), json_string(word.p[0] == 'u' ? S("User") : S("Group")));
        json_set(a, &s, S("name"), json_string(name));
        json_push(a, &subjects, s);
    }
    if (subjects.len)
        json_set(a, obj, S("subjects"), subjects);
}

/* Hands on the role that was being read, and the binding of a controller's. */
static int flush(struct reader *r)
{
    if (!r->plural.len)
        return 0;
    struct arena *a = r->arena;
    int res = r->each(r->arg, r->plural, &r->obj);
    r->plural = S("");
    if (res < 0 || !r->controller.len)
        return res;
    str role = object_name(&r->obj);
    struct json binding = object_new(a, "ClusterRoleBinding", role, false), subjects = json_array();
    add_role_ref(a, &binding, "ClusterRole", role);
    add_account(a, &subjects, S("kube-system"), r->controller);
    json_set(a, &binding, S("subjects"), subjects);
    r->controller = S("");
    return r->each(r->arg, S("clusterrolebindings"), &binding);
}

static int begin_cluster_role(struct reader *r, str words)
{
    struct arena *a = r->arena;
    str name, mark;
    str_cut(&words, ' ', &name);
    r->obj = object_new(a, "ClusterRole", name, false);
    r->plural = S("clusterroles");
    while (words.len) {
        str_cut(&words, ' ', &mark);
        str label = arena_cat(a, S(AGGREGATE), str_from(mark, 1));
        if (mark.p[0] == '+') {
            set_pair(a, json_get(&r->obj, S("metadata")), S("labels"), label, "true");
            continue;
        }
        BUG_ON(mark.p[0] != '=');
        struct json selector = json_object(), selectors = json_array();
        set_pair(a, &selector, S("matchLabels"), label, "true");
        json_push(a, &selectors, selector);
        json_set(a, json_ensure_object(a, &r->obj, S("aggregationRule")), S("clusterRoleSelectors"), selectors);
    }
    return 0;
}

static int begin_controller(struct reader *r, str name)
{
    r->controller = name;
    return begin_cluster_role(r, arena_cat(r->arena, S(CONTROLLER), name));
}

static int begin_role(struct reader *r, str place)
{
    r->obj = object_new(r->arena, "Role", place, true);
    r->plural = S("roles");
    return 0;
}

static int cluster_role_binding(struct reader *r, str words)
{
    str name;
    str_cut(&words, ' ', &name);
    struct json obj = object_new(r->arena, "ClusterRoleBinding", name, false);
    add_role_ref(r->arena, &obj, "ClusterRole", name);
    add_subjects(r->arena, &obj, words);
    return r->each(r->arg, S("clusterrolebindings"), &obj);
}

static int role_binding(struct reader *r, str words)
{
    str place, role;
    str_cut(&words, ' ', &place);
    str_cut(&words, ' ', &role);
    struct json obj = object_new(r->arena, "RoleBinding", place, true);
    add_role_ref(r->arena, &obj, "Role", role);
    add_subjects(r->arena, &obj, words);
    return r->each(r->arg, S("rolebindings"), &obj);
}

static const struct {
    const char *name, *verbs;
} verb_sets[] = {
    {"read", "get,list,watch"},
    {"write", "create,delete,deletecollection,patch,update"},
    {"readwrite", "create,delete,deletecollection,get,list,patch,update,watch"},
    {"readupdate", "get,list,patch,update,watch"},
    {"emit", "create,patch,update"},
};

static struct json list_of(struct arena *a, str words)
{
    struct json list = json_array();
    while (words.len) {
        str word;
        str_cut(&words, ',', &word);
        json_push(a, &list, json_string(str_is(word, "core") ? S("") : word));
    }
    return list;
}

static void add_rule(struct reader *r, str words)
{
    struct arena *a = r->arena;
    str verbs, group, what;
    str_cut(&words, ' ', &verbs);
    str_cut(&words, ' ', &group);
    str_cut(&words, ' ', &what);
    for (size_t i = 0; i < ARRAY_LEN(verb_sets); i++)
        if (str_is(verbs, verb_sets[i].name))
            verbs = str_of(verb_sets[i].verbs);
    struct json rule = json_object();
    json_set(a, &rule, S("verbs"), list_of(a, verbs));
    if (str_is(group, "url")) {
        json_set(a, &rule, S("nonResourceURLs"), list_of(a, what));
    } else {
        json_set(a, &rule, S("apiGroups"), list_of(a, group));
        json_set(a, &rule, S("resources"), list_of(a, what));
        if (words.len)
            json_set(a, &rule, S("resourceNames"), list_of(a, words));
    }
    struct json *rules = json_get(&r->obj, S("rules"));
    if (!rules)
        rules = json_set(a, &r->obj, S("rules"), json_array());
    json_push(a, rules, rule);
}

int bootstrap_rbac_each(struct arena *a, str text, int (*each)(void *arg, str plural, struct json *obj), void *arg)
{
    static const struct {
        const char *word;
        int (*begin)(struct reader *r, str words);
    } lines[] = {{"ClusterRole", begin_cluster_role},
                 {"Controller", begin_controller},
                 {"Role", begin_role},
                 {"RoleBinding", role_binding},
                 {"ClusterRoleBinding", cluster_role_binding}};
    struct reader r = {.arena = a, .each = each, .arg = arg, .plural = S(""), .controller = S("")};
    while (text.len) {
        str line, word;
        str_cut(&text, '\n', &line);
        if (str_has_prefix(line, S(" "))) {
            add_rule(&r, str_from(line, 1));
            continue;
        }
        int res = flush(&r);
        str_cut(&line, ' ', &word);
        size_t i = 0;
        while (i < ARRAY_LEN(lines) && !str_is(word, lines[i].word))
            i++;
        BUG_ON(i == ARRAY_LEN(lines));
        if (res == 0)
            res = lines[i].begin(&r, line);
        if (res < 0)
            return res;
    }
    return flush(&r);
}

/* --- reconciling --------------------------------------------------------------------------------- */

/* Adds pairs of metadata.labels or .annotations that are missing; values that somebody changed stay. */
static bool add_pairs(struct arena *a, struct json *live, const struct json *wanted, str map)
{
    const struct json *from = json_get(object_meta(wanted), map);
    bool changed = false;
    for (uint32_t i = 0; json_is(from, JSON_OBJECT) && i < from->len; i++) {
        struct json *to = json_ensure_object(a, json_ensure_object(a, live, S("metadata")), map);
        if (json_get(to, from->members[i].key))
            continue;
        json_set(a, to, from->members[i].key, from->members[i].value);
        changed = true;
    }
    return changed;
}

static struct json *ensure_list(struct arena *a, struct json *obj, str key)
{
    struct json *list = json_get(obj, key);
    return json_is(list, JSON_ARRAY) ? list : json_set(a, obj, key, json_array());
}

static bool add_rules(struct arena *a, struct json *live, const struct json *wanted)
{
    const struct json *from = json_get(wanted, S("rules"));
    struct authz_rule_set held = authz_rules_parse(a, json_get(live, S("rules"))), all = authz_rules_parse(a, from);
    bool changed = false;
    for (size_t i = 0; i < all.len; i++) {
        struct authz_rule_set one = {&all.items[i], 1};
        if (!authz_rules_missing(a, &held, &one).len)
            continue;
        json_push(a, ensure_list(a, live, S("rules")), from->items[i]);
        changed = true;
    }
    return changed;
}

static bool has_subject(const struct json *list, const struct json *subject)
{
    for (uint32_t i = 0; i < list->len; i++) {
        const struct json *s = &list->items[i];
        if (str_eq(json_get_str(s, S("kind")), json_get_str(subject, S("kind"))) &&
            str_eq(json_get_str(s, S("name")), json_get_str(subject, S("name"))) &&
            str_eq(json_get_str(s, S("namespace")), json_get_str(subject, S("namespace"))))
            return true;
    }
    return false;
}

static bool add_missing_subjects(struct arena *a, struct json *live, const struct json *wanted)
{
    const struct json *from = json_get(wanted, S("subjects"));
    bool changed = false;
    for (uint32_t i = 0; json_is(from, JSON_ARRAY) && i < from->len; i++) {
        struct json *list = ensure_list(a, live, S("subjects"));
        if (has_subject(list, &from->items[i]))
            continue;
        json_push(a, list, from->items[i]);
        changed = true;
    }
    return changed;
}

bool bootstrap_rbac_reconcile(struct arena *a, struct json *live, const struct json *wanted)
{
    if (str_is(json_get_str(json_get(object_meta(live), S("annotations")), S(AUTOUPDATE)), "false"))
        return false;
    bool changed = add_pairs(a, live, wanted, S("labels"));
    changed |= add_pairs(a, live, wanted, S("annotations"));
    changed |= add_missing_subjects(a, live, wanted);
    const struct json *aggregation = json_get(wanted, S("aggregationRule"));
    if (!aggregation) {
        changed |= add_rules(a, live, wanted);
    } else if (!json_get(live, S("aggregationRule"))) {
        json_set(a, live, S("aggregationRule"), *aggregation);
        changed = true;
    }
    return changed;
}
