/* set_env.c - cox set env: environment variables of a pod template, as values or from a config map or secret. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "wire/json_make.h"
#include "cli/set.h"

struct env {
    struct session *s;
    struct json set;    /* array of EnvVar */
    struct json remove; /* array of names */
    bool overwrite;
    const char *containers;
};

static const struct json *find_var(const struct json *list, str name)
{
    for (size_t i = 0; json_is(list, JSON_ARRAY) && i < list->len; i++) {
        if (str_eq(json_get_str(&list->items[i], S("name")), name))
            return &list->items[i];
    }
    return NULL;
}

/* --- what is wanted -------------------------------------------------------------------------------------------------------------- */

static int read_words(struct env *e, size_t first, struct failure *f)
{
    struct arena *a = &e->s->arena;
    for (size_t i = first; i < e->s->args->npositional; i++) {
        str word = str_of(e->s->args->positional[i]), value = word, name;
        if (str_cut(&value, '=', &name)) {
            if (!name.len)
                return failure_set(f, E_INVALID_ARG, "environment variables must be of the form key=value and can not be unset: " STR_FMT, STR_ARG(word));
            json_push(a, &e->set, json_make(a, "{\"name\":%S,\"value\":%S}", name, value));
        } else {
            json_push(a, &e->remove, json_string(str_sub(word, 0, word.len - 1)));
        }
    }
    return 0;
}

/* "k-2" becomes "K_2". */
static str variable_name(struct arena *a, str prefix, str key)
{
    struct strbuf b = strbuf_on(a);
    strbuf_add_str(&b, prefix);
    for (size_t i = 0; i < key.len; i++) {
        char c = key.p[i];
        bool plain = (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
        strbuf_add_char(&b, c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : plain ? c : '_');
    }
    return strbuf_str(&b);
}

static bool key_is_wanted(const struct cli_args *a, str key)
{
    str rest = str_of(cli_str_or(a, "keys", "")), one;
    if (!rest.len)
        return true;
    while (rest.len) {
        str_cut(&rest, ',', &one);
        if (str_eq(one, key))
            return true;
    }
    return false;
}

/* --from=configmap/NAME or secret/NAME: a reference for each of its keys. */
static int read_from(struct env *e, const char *from, struct failure *f)
{
    struct session *s = e->s;
    str name = str_of(from), type, prefix = str_of(cli_str_or(s->args, "prefix", ""));
    const struct discovery_resource *res;
    struct json obj;
    if (!str_cut(&name, '/', &type) || !name.len)
        return failure_set(f, E_INVALID_ARG, "--from needs a config map or a secret, as configmap/NAME, not \"%s\"", from);
    int r = resource_type_find(s, type, &res, f);
    if (r == 0)
        r = session_get(s, discovery_path(&s->arena, res, s->namespace_, name, S("")), S(""), &obj, f);
    if (r < 0)
        return r;
    bool is_secret = str_is(res->kind, "Secret");
    if (!is_secret && !str_is(res->kind, "ConfigMap"))
        return failure_set(f, E_INVALID_ARG, "unsupported resource specified in --from: " STR_FMT, STR_ARG(res->kind));
    const struct json *data = json_get(&obj, S("data"));
    const struct json_member **sorted = json_is(data, JSON_OBJECT) ? jsonpath_sorted_members(&s->arena, data) : NULL;
    for (size_t i = 0; sorted && i < data->len; i++) {
        str key = sorted[i]->key, bare = variable_name(&s->arena, S(""), key), full = arena_cat(&s->arena, prefix, bare);
        if (!key_is_wanted(s->args, key))
            continue;
        if (!str_eq(bare, key))
            fprintf(stderr, "Warning: key " STR_FMT " transferred to " STR_FMT "\n", STR_ARG(key), STR_ARG(bare));
        json_push(&s->arena, &e->set,
                  json_make(&s->arena,
                            is_secret ? "{\"name\":%S,\"valueFrom\":{\"secretKeyRef\":{\"name\":%S,\"key\":%S}}}"
                                      : "{\"name\":%S,\"valueFrom\":{\"configMapKeyRef\":{\"name\":%S,\"key\":%S}}}",
                            full, name, key));
    }
    return 0;
}

/* --- one container ------------------------------------------------------------------------------------------------------------------ */

static bool is_removed(const struct env *e, str name)
{
    for (size_t i = 0; i < e->remove.len; i++) {
        if (str_eq(json_str(&e->remove.items[i]), name))
            return true;
    }
    return false;
}

/* Known names keep their place, new ones follow in the order given; of several for one name the last wins. */
static struct json merged(struct env *e, const struct json *before)
{
    struct arena *a = &e->s->arena;
    struct json out = json_array();
    for (size_t i = 0; json_is(before, JSON_ARRAY) && i < before->len; i++) {
        str name = json_get_str(&before->items[i], S("name"));
        const struct json *newer = find_var(&e->set, name);
        if (!is_removed(e, name))
            json_push(a, &out, newer ? *newer : before->items[i]);
    }
    for (size_t i = 0; i < e->set.len; i++) {
        if (!find_var(&out, json_get_str(&e->set.items[i], S("name"))))
            json_push(a, &out, e->set.items[i]);
    }
    return out;
}

static int check_overwrites(struct env *e, const struct target *t, const struct json *before, struct failure *f)
{
    for (size_t i = 0; !e->overwrite && i < e->set.len; i++) {
        str name = json_get_str(&e->set.items[i], S("name"));
        const struct json *now = find_var(before, name);
        if (now)
            return failure_set(f, E_CONFLICT, STR_FMT "/" STR_FMT " '" STR_FMT "' already has a value (" STR_FMT "), and --overwrite is false",
                               STR_ARG(t->res->plural), STR_ARG(t->name), STR_ARG(name), STR_ARG(json_get_str(now, S("value"))));
    }
    return 0;
}

static int edit(void *arg, struct session *s, const struct target *t, struct json *pod_spec, struct failure *f)
{
    struct env *e = arg;
    size_t n = 0;
    for (struct json *c; (c = set_container(pod_spec, e->containers, n)); n++) {
        const struct json *before = json_get(c, S("env"));
        int r = check_overwrites(e, t, before, f);
        if (r < 0)
            return r;
        struct json after = merged(e, before);
        if (after.len)
            json_set(&s->arena, c, S("env"), after);
        else
            json_del(c, S("env"));
    }
    if (!n)
        fprintf(stderr, "Warning: " STR_FMT "/" STR_FMT " does not have any containers matching \"%s\"\n", STR_ARG(t->res->kind), STR_ARG(t->name), e->containers);
    return 0;
}

/* --- --list ---------------------------------------------------------------------------------------------------------------------------- */

struct source {
    const char *field, *words, *path; /* path: of the collection, for --resolve */
};
static const struct source sources[] = {{"configMapKeyRef", "configmap", "configmaps"}, {"secretKeyRef", "secret", "secrets"}};

static int resolve(struct env *e, const struct source *from, const struct json *ref, str ns, str *ret, struct failure *f)
{
    struct session *s = e->s;
    const struct discovery_resource *res;
    struct json obj;
    int r = resource_type_find(s, str_of(from->path), &res, f);
    if (r == 0)
        r = session_get(s, discovery_path(&s->arena, res, ns, json_get_str(ref, S("name")), S("")), S(""), &obj, f);
    if (r < 0)
        return r;
    *ret = json_get_str(json_get(&obj, S("data")), json_get_str(ref, S("key")));
    return 0;
}

static int list_var(struct env *e, const struct target *t, const struct json *var, struct failure *f)
{
    str name = json_get_str(var, S("name"));
    const struct json *from = json_get(var, S("valueFrom")), *ref;
    for (size_t i = 0; from && i < ARRAY_LEN(sources); i++) {
        if (!(ref = json_get(from, str_of(sources[i].field))))
            continue;
        if (!cli_flag(e->s->args, "resolve")) {
            printf("# " STR_FMT " from %s " STR_FMT ", key " STR_FMT "\n", STR_ARG(name), sources[i].words, STR_ARG(json_get_str(ref, S("name"))),
                   STR_ARG(json_get_str(ref, S("key"))));
            return 0;
        }
        str value;
        int r = resolve(e, &sources[i], ref, t->ns, &value, f);
        if (r == 0)
            printf(STR_FMT "=" STR_FMT "\n", STR_ARG(name), STR_ARG(value));
        return r;
    }
    if ((ref = json_get(from, S("fieldRef"))))
        printf("# " STR_FMT " from field path " STR_FMT "\n", STR_ARG(name), STR_ARG(json_get_str(ref, S("fieldPath"))));
    else if ((ref = json_get(from, S("resourceFieldRef"))))
        printf("# " STR_FMT " from resource " STR_FMT "\n", STR_ARG(name), STR_ARG(json_get_str(ref, S("resource"))));
    else
        printf(STR_FMT "=" STR_FMT "\n", STR_ARG(name), STR_ARG(json_get_str(var, S("value"))));
    return 0;
}

static int list(struct env *e, const struct resource_query *q, struct failure *f)
{
    struct targets found;
    int r = resources_find(e->s, q, &found, f);
    for (size_t i = 0; r == 0 && i < found.len; i++) {
        const struct target *t = &found.p[i];
        struct json object = t->object, *pod_spec = set_pod_spec(t, &object);
        size_t n = 0;
        for (struct json *c; pod_spec && r == 0 && (c = set_container(pod_spec, e->containers, n)); n++) {
            printf("# " STR_FMT " " STR_FMT ", container " STR_FMT "\n", STR_ARG(t->res->kind), STR_ARG(t->name), STR_ARG(json_get_str(c, S("name"))));
            const struct json *vars = json_get(c, S("env"));
            for (size_t k = 0; r == 0 && json_is(vars, JSON_ARRAY) && k < vars->len; k++)
                r = list_var(e, t, &vars->items[k], f);
        }
    }
    return r;
}

/* --- the verb -------------------------------------------------------------------------------------------------------------------------------- */

static int env(struct session *s, struct failure *f)
{
    struct env e = {.s = s,
                    .set = json_array(),
                    .remove = json_array(),
                    .overwrite = !cli_given(s->args, "overwrite") || cli_flag(s->args, "overwrite"),
                    .containers = cli_str_or(s->args, "containers", "*")};
    struct resource_query q = resource_query_of(s->args, 0);
    int r = set_split_words(s->args, true, "environment", &q.nwords, f);
    if (r == 0 && !q.nwords && !cli_list(s->args, "filename", 0))
        r = failure_set(f, E_INVALID_ARG, "one or more resources must be specified as <resource> <name> or <resource>/<name>");
    if (r == 0 && cli_flag(s->args, "list"))
        return list(&e, &q, f);
    if (r == 0)
        r = read_words(&e, q.nwords, f);
    if (r == 0 && cli_str(s->args, "from"))
        r = read_from(&e, cli_str(s->args, "from"), f);
    struct set set = {.what = "env", .done = "env updated", .colon = ":", .edit = edit, .arg = &e};
    return r < 0 ? r : set_run(s, &set, &q, f);
}

static int run_env(struct cli_args *a)
{
    return session_run(a, env);
}

static const struct cli_option options[] = {
    {"containers", 'c', CLI_STRING, "PATTERN", "*", "Which containers.", NULL},
    {"from", 0, CLI_STRING, "TYPE/NAME", "", "Take the keys of a config map or secret.", NULL},
    {"keys", 0, CLI_STRING, "KEYS", "", "Only these keys of --from.", NULL},
    {"prefix", 0, CLI_STRING, "TEXT", "", "Put before the names of --from.", NULL},
    {"list", 0, CLI_FLAG, NULL, "", "Show the environment and change nothing.", NULL},
    {"resolve", 0, CLI_FLAG, NULL, "", "With --list: show values instead of references.", NULL},
    {"overwrite", 0, CLI_FLAG, NULL, "true", "Variables that are there may be replaced.", NULL},
    SET_OPTIONS,
    {0},
};
const struct cli_verb set_env = {.name = "env",
                                 .summary = "Change the environment of a pod template.",
                                 .usage = "(TYPE NAME | TYPE/NAME | -f FILE) NAME=VALUE ... NAME- ... [OPTIONS]",
                                 .examples = "  cox set env deploy/web LEVEL=debug OLD-\n  cox set env deploy/web --from=configmap/settings --prefix=APP_\n  cox set env deploy/web --list",
                                 .options = options,
                                 .run = run_env,
                                 .is_client = true};
