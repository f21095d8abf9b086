/* generate_rbac.c - roles and bindings. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/generate.h"

/* --- rules --------------------------------------------------------------------------------------------------------------------- */

static bool contains(const struct json *list, str text)
{
    for (size_t i = 0; i < list->len; i++) {
        if (str_eq(json_str(&list->items[i]), text))
            return true;
    }
    return false;
}

static struct json unique(struct session *s, const char *option, bool split)
{
    str *list;
    size_t n = generate_list(s, option, split, &list);
    struct json out = json_array();
    for (size_t i = 0; i < n; i++) {
        if (!contains(&out, list[i]))
            json_push(&s->arena, &out, json_string(list[i]));
    }
    return out;
}

static struct json verbs_of(struct session *s)
{
    struct json verbs = unique(s, "verb", true);
    return contains(&verbs, S("*")) ? json_make(&s->arena, "[\"*\"]") : verbs;
}

static void warn_about_verbs(const struct json *verbs)
{
    static const char known[] =
        " * get delete list create update patch watch proxy deletecollection use bind approve sign escalate impersonate ";
    for (size_t i = 0; i < verbs->len; i++) {
        char word[64];
        snprintf(word, sizeof word, " %.*s ", STR_ARG(json_str(&verbs->items[i])));
        if (!strstr(known, word))
            fprintf(stderr, "Warning: '" STR_FMT "' is not a standard resource verb\n", STR_ARG(json_str(&verbs->items[i])));
    }
}

/* "deploy.apps/scale" -> group "apps", "deployments/scale" */
static int resolve(struct session *s, str word, str *ret_group, str *ret_resource, struct failure *f)
{
    const struct discovery *d;
    str sub = word, type;
    bool has_sub = str_cut(&sub, '/', &type);
    str group = type, name;
    if (!str_cut(&group, '.', &name))
        group = S("");
    int r = session_discovery(s, &d, f);
    if (r < 0)
        return r;
    if (!name.len)
        return failure_set(f, E_INVALID_ARG, "resource must be specified if apiGroup/subresource specified");
    const struct discovery_resource *res = str_is(name, "*") ? NULL : discovery_find(d, type);
    if (!res && !str_is(name, "*"))
        return failure_set(f, E_NOT_FOUND, "the server doesn't have a resource type \"" STR_FMT "\"%s" STR_FMT "%s",
                           STR_ARG(name), group.len ? " in group \"" : "", STR_ARG(group), group.len ? "\"" : "");
    *ret_group = res ? res->group : group;
    *ret_resource = res ? res->plural : name;
    if (has_sub)
        *ret_resource = arena_fmt(&s->arena, STR_FMT "/" STR_FMT, STR_ARG(*ret_resource), STR_ARG(sub));
    return 0;
}

/* One rule for each API group, in order of their names. */
static int resource_rules(struct session *s, const struct json *verbs, struct json *rules, struct failure *f)
{
    struct arena *a = &s->arena;
    struct json groups = json_object(), names = unique(s, "resource-name", false);
    str *list;
    size_t n = generate_list(s, "resource", true, &list);
    for (size_t i = 0; i < n; i++) {
        str group, resource;
        int r = resolve(s, list[i], &group, &resource, f);
        if (r < 0)
            return r;
        struct json *members = json_get(&groups, group);
        if (!members)
            members = json_set(a, &groups, group, json_array());
        if (!contains(members, resource))
            json_push(a, members, json_string(resource));
    }
    const struct json_member **sorted = jsonpath_sorted_members(a, &groups);
    for (size_t i = 0; i < groups.len; i++) {
        struct json rule =
            json_make(a, "{\"apiGroups\":[%S],\"resources\":%j,\"verbs\":%j}", sorted[i]->key, &sorted[i]->value, verbs);
        if (names.len)
            json_set(a, &rule, S("resourceNames"), names);
        json_push(a, rules, rule);
    }
    return 0;
}

static int make_role(struct session *s, const char *name, struct json *ret, struct failure *f)
{
    struct json meta = generate_meta(s, name), verbs = verbs_of(s), rules = json_array();
    if (!verbs.len)
        return failure_set(f, E_INVALID_ARG, "at least one verb must be specified");
    if (!cli_list(s->args, "resource", 0))
        return failure_set(f, E_INVALID_ARG, "at least one resource must be specified");
    warn_about_verbs(&verbs);
    int r = resource_rules(s, &verbs, &rules, f);
    *ret =
        json_make(&s->arena, "{\"apiVersion\":\"rbac.authorization.k8s.io/v1\",\"kind\":\"Role\",\"metadata\":%j,\"rules\":%j}",
                  &meta, &rules);
    return r;
}

static int make_aggregated(struct session *s, const char *name, struct json *ret, struct failure *f)
{
    struct arena *a = &s->arena;
    struct json labels = json_object();
    str *list;
    size_t n = generate_list(s, "aggregation-rule", true, &list);
    for (size_t i = 0; i < n; i++) {
        str value = list[i], key;
        if (!str_cut(&value, '=', &key))
            return failure_set(f, E_INVALID_ARG, "malformed pair, expect string=string");
        json_set(a, &labels, key, json_string(value));
    }
    *ret = json_make(
        a,
        "{\"aggregationRule\":{\"clusterRoleSelectors\":[{\"matchLabels\":%j}]},\"apiVersion\":\"rbac.authorization.k8s.io/v1\",\"kind\":\"ClusterRole\","
        "\"metadata\":{\"creationTimestamp\":null,\"name\":%s},\"rules\":null}",
        &labels, name);
    return 0;
}

static int make_cluster_role(struct session *s, const char *name, struct json *ret, struct failure *f)
{
    struct arena *a = &s->arena;
    struct json verbs = verbs_of(s), rules = json_array(), urls = unique(s, "non-resource-url", true);
    bool has_resources = cli_list(s->args, "resource", 0) != NULL;
    if (cli_list(s->args, "aggregation-rule", 0)) {
        if (verbs.len || has_resources || urls.len)
            return failure_set(f, E_INVALID_ARG,
                               "aggregation rule must be specified without nonResourceURLs, verbs, resources or resourceNames");
        return make_aggregated(s, name, ret, f);
    }
    if (!verbs.len)
        return failure_set(f, E_INVALID_ARG, "at least one verb must be specified");
    if (!has_resources && !urls.len)
        return failure_set(f, E_INVALID_ARG, "one of resource or nonResourceURL must be specified");
    if (has_resources)
        warn_about_verbs(&verbs);
    int r = resource_rules(s, &verbs, &rules, f);
    if (r < 0)
        return r;
    if (urls.len)
        json_push(a, &rules, json_make(a, "{\"nonResourceURLs\":%j,\"verbs\":%j}", &urls, &verbs));
    *ret = json_make(
        a,
        "{\"apiVersion\":\"rbac.authorization.k8s.io/v1\",\"kind\":\"ClusterRole\",\"metadata\":{\"creationTimestamp\":null,\"name\":%s},\"rules\":%j}",
        name, &rules);
    return 0;
}

/* --- bindings --------------------------------------------------------------------------------------------------------------------- */

static int subjects_of(struct session *s, struct json *ret, struct failure *f)
{
    static const struct {
        const char *option, *kind;
    } named[] = {{"user", "User"}, {"group", "Group"}};
    struct arena *a = &s->arena;
    str *list;
    *ret = json_array();
    for (size_t k = 0; k < ARRAY_LEN(named); k++) {
        size_t n = generate_list(s, named[k].option, false, &list);
        for (size_t i = 0; i < n; i++)
            json_push(
                a, ret,
                json_make(a, "{\"apiGroup\":\"rbac.authorization.k8s.io\",\"kind\":%s,\"name\":%S}", named[k].kind, list[i]));
    }
    size_t n = generate_list(s, "serviceaccount", false, &list);
    for (size_t i = 0; i < n; i++) {
        str account = list[i], ns;
        if (!str_cut(&account, ':', &ns) || !ns.len || !account.len || str_find_char(account, ':') >= 0)
            return failure_set(f, E_INVALID_ARG, "serviceaccount must be <namespace>:<name>");
        json_push(a, ret, json_make(a, "{\"kind\":\"ServiceAccount\",\"name\":%S,\"namespace\":%S}", account, ns));
    }
    return 0;
}

static int make_binding(struct session *s, const char *kind, const struct json *meta, const char *role_kind, const char *role,
                        struct json *ret, struct failure *f)
{
    struct json subjects;
    int r = subjects_of(s, &subjects, f);
    if (r < 0)
        return r;
    *ret = json_make(
        &s->arena,
        "{\"apiVersion\":\"rbac.authorization.k8s.io/v1\",\"kind\":%s,\"metadata\":%j,\"roleRef\":{\"apiGroup\":\"rbac.authorization.k8s.io\",\"kind\":%s,"
        "\"name\":%s}}",
        kind, meta, role_kind, role);
    if (subjects.len)
        json_set(&s->arena, ret, S("subjects"), subjects);
    return 0;
}

static int make_role_binding(struct session *s, const char *name, struct json *ret, struct failure *f)
{
    const char *role = cli_str(s->args, "role"), *cluster_role = cli_str(s->args, "clusterrole");
    struct json meta = generate_meta(s, name);
    if (!role == !cluster_role)
        return failure_set(f, E_INVALID_ARG, "exactly one of clusterrole or role must be specified");
    return make_binding(s, "RoleBinding", &meta, role ? "Role" : "ClusterRole", role ? role : cluster_role, ret, f);
}

static int make_cluster_role_binding(struct session *s, const char *name, struct json *ret, struct failure *f)
{
    struct json meta = json_make(&s->arena, "{\"creationTimestamp\":null,\"name\":%s}", name);
    if (!cli_str(s->args, "clusterrole"))
        return failure_set(f, E_INVALID_ARG, "required flag(s) \"clusterrole\" not set");
    return make_binding(s, "ClusterRoleBinding", &meta, "ClusterRole", cli_str(s->args, "clusterrole"), ret, f);
}

#define RULE_OPTIONS                                                                                                \
    {"verb", 0, CLI_LIST, "VERB,...", "", "What is allowed: get, list, watch, create ...", NULL},                   \
        {"resource", 0, CLI_LIST, "TYPE[.GROUP][/SUB],...", "", "On which types.", NULL},                           \
    {                                                                                                               \
        "resource-name", 0, CLI_LIST, "NAME", "", "Only on objects of this name; may be given several times.", NULL \
    }
#define SUBJECT_OPTIONS                                                                                             \
    {"user", 0, CLI_LIST, "NAME", "", "A user; may be given several times.", NULL},                                 \
        {"group", 0, CLI_LIST, "NAME", "", "A group; may be given several times.", NULL},                           \
    {                                                                                                               \
        "serviceaccount", 0, CLI_LIST, "NAMESPACE:NAME", "", "A service account; may be given several times.", NULL \
    }

static const struct cli_option role_options[] = {RULE_OPTIONS, GENERATE_OPTIONS, {0}};
static const struct cli_option cluster_role_options[] = {
    RULE_OPTIONS,
    {"non-resource-url", 0, CLI_LIST, "PATH,...", "", "Paths that are no resources: /metrics, /logs/*.", NULL},
    {"aggregation-rule", 0, CLI_LIST, "LABEL=VALUE,...", "", "Instead of rules: those of cluster roles with these labels.", NULL},
    GENERATE_OPTIONS,
    {0},
};
static const struct cli_option role_binding_options[] = {
    {"role", 0, CLI_STRING, "NAME", "", "The role.", NULL},
    {"clusterrole", 0, CLI_STRING, "NAME", "", "The cluster role.", NULL},
    SUBJECT_OPTIONS,
    GENERATE_OPTIONS,
    {0},
};
GENERATOR(create_role, "role", NULL, "Create a role with one rule.",
          "NAME --verb=VERB --resource=TYPE[.GROUP][/SUB] [--resource-name=NAME]", role_options);
GENERATOR(create_cluster_role, "clusterrole", NULL, "Create a cluster role.",
          "NAME --verb=VERB (--resource=TYPE | --non-resource-url=PATH)", cluster_role_options);
GENERATOR(create_role_binding, "rolebinding", NULL, "Give a role to users, groups and service accounts.",
          "NAME (--role=NAME | --clusterrole=NAME) [--user=NAME] [--group=NAME]", role_binding_options);
GENERATOR(create_cluster_role_binding, "clusterrolebinding", NULL, "Give a cluster role to users, groups and service accounts.",
          "NAME --clusterrole=NAME [--user=NAME] [--group=NAME]", role_binding_options);

const struct generator generate_rbac[] = {
    {&create_role, make_role, NULL},
    {&create_cluster_role, make_cluster_role, NULL},
    {&create_role_binding, make_role_binding, "failed to create rolebinding: "},
    {&create_cluster_role_binding, make_cluster_role_binding, "failed to create clusterrolebinding: "},
    {0},
};
