/* authz.c - checks against the current policy, and keeping it current.
 *
 *   store writer ── wake ─► changes++
 *   any io loop:    changes != built ─► c = changes, drain the watch, build, swap, built = c
 *
 * The store wakes us before it answers a commit, so whoever knows of a change sees changes != built and waits for a policy that
 * has it.  Changes that come while one is built make it stale again. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "apiserver/authz.h"

#include <pthread.h>

#include "apiserver/authz_policy.h"
#include "apiserver/domain_rights.h"
#include "apiserver/node_authz.h"
#include "apiserver/objects.h"

struct authz {
    struct store *store;
    _Atomic uint64_t changes, built;
    pthread_mutex_t build_lock; /* guards watch, and that one thread builds; taken before swap_lock */
    struct store_watch *watch;  /* NULL: could not be opened, every check builds */
    pthread_mutex_t swap_lock;  /* guards current */
    struct authz_policy *current;
    struct node_authz *nodes;
};

/* --- keeping current ----------------------------------------------------------------------------- */

static void on_change(void *arg)
{
    struct authz *z = arg;
    atomic_fetch_add(&z->changes, 1);
}

static void watch_reopen(struct authz *z)
{
    if (z->watch)
        store_watch_close(z->watch);
    z->watch = NULL;
    if (store_watch_open(z->store, S(AUTHZ_PREFIX), store_revision(z->store), on_change, z, &z->watch, NULL) < 0)
        z->watch = NULL;
}

/* Reads all events, so that the next change wakes again. */
static void watch_drain(struct authz *z)
{
    struct store_event events[64];
    rev_t rev;
    int n = -E_EXPIRED;
    while (z->watch && (n = store_watch_next(z->watch, events, ARRAY_LEN(events), &rev)) > 0)
        store_events_release(events, (size_t)n);
    if (n < 0) {
        watch_reopen(z);
        if (z->watch && (n = store_watch_next(z->watch, events, ARRAY_LEN(events), &rev)) > 0)
            store_events_release(events, (size_t)n);
    }
    if (!z->watch || n > 0)
        on_change(z);
}

static void rebuild(struct authz *z)
{
    pthread_mutex_lock(&z->build_lock);
    uint64_t changes = atomic_load(&z->changes);
    if (changes != atomic_load(&z->built)) {
        watch_drain(z);
        struct authz_policy *fresh = authz_policy_build(z->store, z->current);
        pthread_mutex_lock(&z->swap_lock);
        struct authz_policy *old = z->current;
        z->current = fresh;
        pthread_mutex_unlock(&z->swap_lock);
        atomic_store(&z->built, changes);
        authz_policy_unref(old);
    }
    pthread_mutex_unlock(&z->build_lock);
}

static struct authz_policy *policy_take(struct authz *z)
{
    if (unlikely(atomic_load(&z->changes) != atomic_load(&z->built)))
        rebuild(z);
    pthread_mutex_lock(&z->swap_lock);
    struct authz_policy *p = authz_policy_ref(z->current);
    pthread_mutex_unlock(&z->swap_lock);
    return p;
}

struct authz *authz_new(struct store *store)
{
    struct authz *z = xnew(struct authz);
    z->store = store;
    z->nodes = node_authz_new(store);
    pthread_mutex_init(&z->build_lock, NULL);
    pthread_mutex_init(&z->swap_lock, NULL);
    atomic_store(&z->changes, 1);
    return z;
}

void authz_free(struct authz *z)
{
    if (!z)
        return;
    if (z->watch)
        store_watch_close(z->watch);
    authz_policy_unref(z->current);
    node_authz_free(z->nodes);
    pthread_mutex_destroy(&z->build_lock);
    pthread_mutex_destroy(&z->swap_lock);
    free(z);
}

/* --- walking what a user was granted ------------------------------------------------------------- */

/* Calls each() for the grants of the user that hold in ns, those of ClusterRoleBindings first, until it returns false. */
static void grants_visit(const struct authz_policy *p, struct arena *a, const struct api_user *user, str ns,
                         bool (*each)(void *arg, const struct authz_grant *g), void *arg)
{
    bool is_node = node_authz_name(user).len > 0;
    for (int in_ns = 0; in_ns <= (ns.len > 0); in_ns++) {
        str where = in_ns ? ns : S("");
        for (size_t i = 0; i <= user->ngroups; i++) {
            if (i && is_node && domain_of_group(user->groups[i - 1]).len) /* it says whose the machine is: the rights are its people's */
                continue;
            const struct authz_grant *g =
                i ? authz_policy_find(p, a, 'g', where, user->groups[i - 1]) : authz_policy_find(p, a, 'u', where, user->name);
            for (; g; g = g->next)
                if (!each(arg, g))
                    return;
        }
    }
}

/* --- check --------------------------------------------------------------------------------------- */

struct check {
    struct arena *arena;
    const struct authz_attrs *attrs;
    const struct authz_grant *allowed_by;
    struct strbuf *problems; /* NULL: nobody wants to know */
    size_t nproblems;
};

static void note_missing_role(struct check *c, const struct authz_binding *b)
{
    if (!c->problems)
        return;
    str text = arena_fmt(c->arena, "%s." AUTHZ_GROUP " \"" STR_FMT "\" not found",
                         str_is(b->role_kind, "Role") ? "role" : "clusterrole", STR_ARG(b->role_name));
    if (str_find(strbuf_str(c->problems), text) >= 0)
        return;
    strbuf_addf(c->problems, "%s" STR_FMT, c->nproblems++ ? ", " : "", STR_ARG(text));
}

static bool check_grant(void *arg, const struct authz_grant *g)
{
    struct check *c = arg;
    if (!g->rules) {
        note_missing_role(c, g->binding);
        return true;
    }
    for (size_t i = 0; i < g->rules->len; i++) {
        if (authz_rule_allows(&g->rules->items[i], c->attrs)) {
            c->allowed_by = g;
            return false;
        }
    }
    return true;
}

/* ClusterRoleBinding "b" of ClusterRole "r" to Group "g"; RoleBinding "b/ns" of ... to ServiceAccount "name/ns" */
static str reason_of(struct arena *a, const struct authz_grant *g)
{
    const struct authz_binding *b = g->binding;
    const struct authz_subject *s = g->subject;
    str name = b->ns.len ? arena_fmt(a, STR_FMT "/" STR_FMT, STR_ARG(b->name), STR_ARG(b->ns)) : b->name;
    str who = s->name;
    if (str_is(s->kind, "ServiceAccount")) {
        str ns = s->ns.len ? s->ns : b->ns;
        who = arena_fmt(a, STR_FMT "/" STR_FMT, STR_ARG(s->name), STR_ARG(ns));
    }
    return arena_fmt(a, "RBAC: allowed by %s \"" STR_FMT "\" of " STR_FMT " \"" STR_FMT "\" to " STR_FMT " \"" STR_FMT "\"",
                     b->ns.len ? "RoleBinding" : "ClusterRoleBinding", STR_ARG(name), STR_ARG(b->role_kind),
                     STR_ARG(b->role_name), STR_ARG(s->kind), STR_ARG(who));
}

bool authz_check(struct authz *z, struct arena *a, const struct authz_attrs *attrs, str *ret_reason)
{
    str node = node_authz_name(attrs->user), node_why = S("");
    bool is_node = node.len && node_authz_check(z->nodes, a, node, attrs, &node_why);
    if (is_node || api_user_in_group(attrs->user, S("system:masters"))) {
        if (ret_reason)
            *ret_reason = S("");
        return true;
    }
    CLEANUP(authz_policy_unref) struct authz_policy *p = policy_take(z);
    struct strbuf problems = strbuf_on(a);
    struct check c = {.arena = a, .attrs = attrs, .problems = ret_reason ? &problems : NULL};
    grants_visit(p, a, attrs->user, attrs->is_resource ? attrs->ns : S(""), check_grant, &c);
    if (!c.allowed_by && !attrs->by_role_only && domain_rights_allow(z->store, a, attrs)) {
        if (ret_reason)
            *ret_reason = S("the user's domain takes part in the job");
        return true;
    }
    if (ret_reason && c.allowed_by)
        *ret_reason = reason_of(a, c.allowed_by);
    else if (ret_reason && c.nproblems)
        *ret_reason = arena_fmt(a, c.nproblems > 1 ? "RBAC: [" STR_FMT "]" : "RBAC: " STR_FMT, STR_ARG(strbuf_str(&problems)));
    else if (ret_reason)
        *ret_reason = node_why;
    return c.allowed_by != NULL;
}

str authz_forbidden_message(struct arena *a, const struct authz_attrs *at, str reason)
{
    struct strbuf b = strbuf_on(a);
    if (!at->is_resource) {
        strbuf_addf(&b, "forbidden: User \"" STR_FMT "\" cannot " STR_FMT " path \"" STR_FMT "\"", STR_ARG(at->user->name),
                    STR_ARG(at->verb), STR_ARG(at->path));
    } else {
        strbuf_add_str(&b, at->resource);
        if (at->group.len)
            strbuf_addf(&b, "." STR_FMT, STR_ARG(at->group));
        if (at->name.len)
            strbuf_addf(&b, " \"" STR_FMT "\"", STR_ARG(at->name));
        strbuf_addf(&b,
                    " is forbidden: User \"" STR_FMT "\" cannot " STR_FMT " resource \"" STR_FMT "%s" STR_FMT
                    "\" in API group \"" STR_FMT "\" ",
                    STR_ARG(at->user->name), STR_ARG(at->verb), STR_ARG(at->resource), at->subresource.len ? "/" : "",
                    STR_ARG(at->subresource), STR_ARG(at->group));
        if (at->ns.len)
            strbuf_addf(&b, "in the namespace \"" STR_FMT "\"", STR_ARG(at->ns));
        else
            strbuf_add_str(&b, S("at the cluster scope"));
    }
    if (reason.len)
        strbuf_addf(&b, ": " STR_FMT, STR_ARG(reason));
    return strbuf_str(&b);
}

/* --- rules --------------------------------------------------------------------------------------- */

struct gather {
    struct arena *arena;
    const struct authz_binding **seen; /* a binding that names the user and one of its groups counts once */
    size_t nseen, room;
    struct authz_rule *rules;
    size_t len, cap;
};

static bool gather_grant(void *arg, const struct authz_grant *g)
{
    struct gather *t = arg;
    for (size_t i = 0; i < t->nseen; i++)
        if (t->seen[i] == g->binding)
            return true;
    if (t->nseen == t->room) {
        t->seen = arena_grow(t->arena, t->seen, t->room * sizeof *t->seen, (t->room * 2 + 16) * sizeof *t->seen);
        t->room = t->room * 2 + 16;
    }
    t->seen[t->nseen++] = g->binding;
    size_t more = g->rules ? g->rules->len : 0;
    if (t->len + more > t->cap) {
        size_t cap = (t->len + more) * 2;
        t->rules = arena_grow(t->arena, t->rules, t->cap * sizeof *t->rules, cap * sizeof *t->rules);
        t->cap = cap;
    }
    for (size_t i = 0; i < more; i++)
        t->rules[t->len++] = g->rules->items[i];
    return true;
}

/* The rules live as long as the policy. */
static struct authz_rule_set rules_held(const struct authz_policy *p, struct arena *a, const struct api_user *user, str ns)
{
    struct gather t = {.arena = a};
    grants_visit(p, a, user, ns, gather_grant, &t);
    return (struct authz_rule_set){t.rules, t.len};
}

struct json authz_rules_for(struct authz *z, struct arena *a, const struct api_user *user, str ns)
{
    CLEANUP(authz_policy_unref) struct authz_policy *p = policy_take(z);
    struct authz_rule_set held = rules_held(p, a, user, ns);
    struct json resources = json_array(), urls = json_array(), out = json_object();
    for (size_t i = 0; i < held.len; i++) {
        struct authz_rule as_resource = held.items[i], as_url = {0};
        as_url.lists[AUTHZ_VERBS] = as_resource.lists[AUTHZ_VERBS];
        as_url.lists[AUTHZ_URLS] = as_resource.lists[AUTHZ_URLS];
        as_resource.lists[AUTHZ_URLS].len = 0;
        if (as_resource.lists[AUTHZ_RESOURCES].len)
            json_push(a, &resources, authz_rule_json(a, &as_resource));
        if (as_url.lists[AUTHZ_URLS].len)
            json_push(a, &urls, authz_rule_json(a, &as_url));
    }
    json_set(a, &out, S("resourceRules"), resources);
    json_set(a, &out, S("nonResourceRules"), urls);
    json_set(a, &out, S("incomplete"), json_bool(false));
    return out;
}

bool authz_resolve_role(struct authz *z, struct arena *a, str ns, str role_kind, str role_name, struct json *ret_rules)
{
    CLEANUP(authz_policy_unref) struct authz_policy *p = policy_take(z);
    const struct authz_rule_set *rules = authz_policy_role(p, a, ns, role_kind, role_name);
    if (!rules)
        return false;
    *ret_rules = authz_rules_json(a, rules);
    return true;
}

/* --- escalation ---------------------------------------------------------------------------------- */

int authz_check_escalation(struct authz *z, struct arena *a, const struct api_user *user, str ns, const struct json *rules,
                           struct err *err)
{
    if (api_user_in_group(user, S("system:masters")))
        return 0;
    CLEANUP(authz_policy_unref) struct authz_policy *p = policy_take(z);
    struct authz_rule_set held = rules_held(p, a, user, ns), wanted = authz_rules_parse(a, rules);
    str missing = authz_rules_missing(a, &held, &wanted);
    if (!missing.len)
        return 0;
    struct strbuf groups = strbuf_on(a);
    for (size_t i = 0; i < user->ngroups; i++)
        strbuf_addf(&groups, "%s\"" STR_FMT "\"", i ? " " : "", STR_ARG(user->groups[i]));
    return err_set(err, E_FORBIDDEN,
                   "user \"" STR_FMT "\" (groups=[" STR_FMT
                   "]) is attempting to grant RBAC permissions not currently held:\n" STR_FMT,
                   STR_ARG(user->name), STR_ARG(strbuf_str(&groups)), STR_ARG(missing));
}

/* A verb that lifts the check: escalate on the role, bind on the role that is referred to. */
static bool may(struct authz *z, struct arena *a, const struct api_user *user, str verb, str resource, str ns, str name)
{
    struct authz_attrs attrs = {.user = user,
                                .is_resource = true,
                                .verb = verb,
                                .group = S(AUTHZ_GROUP),
                                .version = S("*"),
                                .resource = resource,
                                .ns = ns,
                                .name = name};
    return authz_check(z, a, &attrs, NULL);
}

static bool is_aggregated(const struct json *role)
{
    const struct json *selectors = json_path(role, "aggregationRule", "clusterRoleSelectors", NULL);
    return json_is(selectors, JSON_ARRAY) && selectors->len;
}

static int check_role(struct authz *z, struct arena *a, const struct api_user *user, str plural, str ns, str name,
                      const struct json *obj, const struct json *old, struct err *err)
{
    if (may(z, a, user, S("escalate"), plural, ns, name))
        return 0;
    int r = authz_check_escalation(z, a, user, ns, json_get(obj, S("rules")), err);
    if (r < 0 || (!is_aggregated(obj) && !is_aggregated(old)))
        return r;
    /* selectors can gather anything, so they ask for everything */
    struct json all = json_literal(
        a, "[{\"verbs\":[\"*\"],\"apiGroups\":[\"*\"],\"resources\":[\"*\"]},{\"verbs\":[\"*\"],\"nonResourceURLs\":[\"*\"]}]");
    if (authz_check_escalation(z, a, user, ns, &all, NULL) < 0)
        return err_set(err, E_FORBIDDEN, "must have cluster-admin privileges to use the aggregationRule");
    return 0;
}

/* *ret_missing: the role itself is missing, which is no question of rights. */
static int check_binding(struct authz *z, struct arena *a, const struct api_user *user, str ns, const struct json *obj,
                         bool *ret_missing, struct err *err)
{
    const struct json *ref = json_get(obj, S("roleRef"));
    str kind = json_get_str(ref, S("kind")), role = json_get_str(ref, S("name"));
    str plural = str_is(kind, "Role") ? S("roles") : S("clusterroles");
    if (may(z, a, user, S("bind"), plural, ns, role))
        return 0;
    struct json rules;
    if (authz_resolve_role(z, a, ns, kind, role, &rules))
        return authz_check_escalation(z, a, user, ns, &rules, err);
    *ret_missing = true;
    return err_set(err, E_NOT_FOUND, STR_FMT "." AUTHZ_GROUP " \"" STR_FMT "\" not found", STR_ARG(plural), STR_ARG(role));
}

static bool is_in(str key, const str *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (str_eq(key, list[i]))
            return true;
    return false;
}

/* Members of both are the same, except those left out. */
static bool same_but(const struct json *x, const struct json *y, const str *except, size_t n)
{
    const struct json *sides[] = {x, y};
    for (size_t s = 0; s < 2; s++) {
        for (uint32_t i = 0; json_is(sides[s], JSON_OBJECT) && i < sides[s]->len; i++) {
            const struct json_member *m = &sides[s]->members[i];
            const struct json *other = json_get(sides[1 - s], m->key);
            if (!is_in(m->key, except, n) && !(other && json_equal(&m->value, other)))
                return false;
        }
    }
    return true;
}

/* Garbage collection must be able to let go of objects whose rights it does not hold. */
static bool only_gc_fields(const struct json *old, const struct json *obj)
{
    static const str meta[] = {STR_INIT("ownerReferences"), STR_INIT("finalizers"), STR_INIT("managedFields"),
                               STR_INIT("resourceVersion")};
    static const str top[] = {STR_INIT("metadata"), STR_INIT("kind"), STR_INIT("apiVersion")};
    return same_but(old, obj, top, ARRAY_LEN(top)) && same_but(object_meta(old), object_meta(obj), meta, ARRAY_LEN(meta));
}

int authz_check_write(struct authz *z, struct arena *a, const struct api_user *user, str plural, str ns, const struct json *obj,
                      const struct json *old, struct err *err)
{
    bool is_role = str_is(plural, "roles") || str_is(plural, "clusterroles"), is_missing = false;
    if (api_user_in_group(user, S("system:masters")) ||
        (!is_role && !str_is(plural, "rolebindings") && !str_is(plural, "clusterrolebindings")))
        return 0;
    if (old && only_gc_fields(old, obj))
        return 0;
    str name = object_name(obj);
    /* on create a role has no name yet that a rule could have been made for, as Kubernetes sees it */
    int r = is_role ? check_role(z, a, user, plural, ns, old ? name : S(""), obj, old, err)
                    : check_binding(z, a, user, ns, obj, &is_missing, err);
    if (r < 0 && !is_missing)
        return err_wrap(err, STR_FMT "." AUTHZ_GROUP " \"" STR_FMT "\" is forbidden: ", STR_ARG(plural), STR_ARG(name));
    return r;
}
