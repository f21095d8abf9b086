/* verb_config.c - cox config: look at and change kubeconfig files. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/print.h"
#include "cli/session.h"
#include "cli/verbs.h"
#include "rt/file.h"
#include "wire/base64.h"
#include "wire/yaml.h"

#define PEM_MAX (1u << 20)

/* Opens the files, lets the verb work, saves when it says so (a return of 1). */
struct config {
    const struct cli_args *args;
    struct kubeconfig *k;
    struct arena arena;
    struct err err;
};

static int with_config(const struct cli_args *a, int (*body)(struct config *c))
{
    struct config c = {.args = a};
    int r = session_kubeconfig(a, true, &c.k, &c.err);
    if (r == 0)
        r = body(&c);
    if (r == 1)
        r = kubeconfig_save(c.k, &c.err);
    kubeconfig_free(c.k);
    arena_fini(&c.arena);
    return r < 0 ? cli_fail_err(&c.err) : 0;
}

static int need_words(struct config *c, size_t n, const char *what)
{
    if (c->args->npositional == n)
        return 0;
    return err_set(&c->err, E_INVALID_ARG, "%s\nSee 'cox config %s -h' for help and examples", what, c->args->verb->name);
}

static str word(const struct config *c, size_t i)
{
    return str_of(c->args->positional[i]);
}

/* --- looking ------------------------------------------------------------------------------------------------------------------------ */

static int view(struct config *c)
{
    STRBUF_AUTO out = STRBUF_HEAP;
    struct json tree;
    struct kubeconfig_view v = {.raw = cli_flag(c->args, "raw"),
                                .flatten = cli_flag(c->args, "flatten"),
                                .minify = cli_flag(c->args, "minify"),
                                .context = cli_str(c->args, "context")};
    const char *output = cli_str_or(c->args, "output", "yaml");
    struct printer *p;
    struct failure f = FAILURE_NONE;
    if (v.flatten) /* a flattened file is to be used elsewhere: with its secrets */
        v.raw = true;
    int r = kubeconfig_view(c->k, &c->arena, &v, &tree, &c->err);
    if (r == 0 && strcmp(output, "yaml") != 0) {
        r = printer_new(&c->arena, c->args, PRINT_ALLOW_RESULT, &p, &f);
        if (r == 0)
            r = printer_object(p, &out, &tree, &f);
        c->err = r < 0 ? f.err : c->err;
    } else if (r == 0) {
        yaml_write(&out, &tree);
    }
    print_flush(&out);
    return r;
}

static void write_context(struct config *c, struct strbuf *b, str name)
{
    const struct json *x = kubeconfig_find(c->k, KUBECONFIG_CONTEXTS, name);
    strbuf_addf(b, "%s\t" STR_FMT "\t" STR_FMT "\t" STR_FMT "\t" STR_FMT "\n",
                str_eq(name, kubeconfig_current_context(c->k)) ? "*" : "", STR_ARG(name), STR_ARG(json_get_str(x, S("cluster"))),
                STR_ARG(json_get_str(x, S("user"))), STR_ARG(json_get_str(x, S("namespace"))));
}

static int get_contexts(struct config *c)
{
    TABS_AUTO tabs = TABS_TABLE;
    STRBUF_AUTO out = STRBUF_HEAP;
    const str *names;
    size_t n = kubeconfig_names(c->k, KUBECONFIG_CONTEXTS, &names);
    bool only_names = strcmp(cli_str_or(c->args, "output", ""), "name") == 0;
    if (!only_names && !cli_flag(c->args, "no-headers"))
        strbuf_add_str(&tabs.text, S("CURRENT\tNAME\tCLUSTER\tAUTHINFO\tNAMESPACE\n"));
    for (size_t i = 0; i < n; i++) {
        bool asked = !c->args->npositional;
        for (size_t k = 0; k < c->args->npositional; k++)
            asked = asked || str_eq(names[i], word(c, k));
        if (!asked)
            continue;
        if (only_names)
            strbuf_addf(&tabs.text, STR_FMT "\n", STR_ARG(names[i]));
        else
            write_context(c, &tabs.text, names[i]);
    }
    for (size_t k = 0; k < c->args->npositional; k++) {
        if (!kubeconfig_find(c->k, KUBECONFIG_CONTEXTS, word(c, k)))
            return err_set(&c->err, E_NOT_FOUND, "context " STR_FMT " not found", STR_ARG(word(c, k)));
    }
    tabs_flush(&tabs, &out);
    print_flush(&out);
    return 0;
}

static void list_names(struct config *c, enum kubeconfig_section section)
{
    const str *names;
    size_t n = kubeconfig_names(c->k, section, &names);
    printf("NAME\n");
    for (size_t i = 0; i < n; i++)
        printf(STR_FMT "\n", STR_ARG(names[i]));
}

static int get_clusters(struct config *c)
{
    list_names(c, KUBECONFIG_CLUSTERS);
    return 0;
}
static int get_users(struct config *c)
{
    list_names(c, KUBECONFIG_USERS);
    return 0;
}

static int current_context(struct config *c)
{
    str name = kubeconfig_current_context(c->k);
    if (!name.len)
        return err_set(&c->err, E_NOT_FOUND, "current-context is not set");
    printf(STR_FMT "\n", STR_ARG(name));
    return 0;
}

/* --- changing ------------------------------------------------------------------------------------------------------------------------- */

static int use_context(struct config *c)
{
    int r = need_words(c, 1, "name the context to use");
    if (r == 0)
        r = kubeconfig_use_context(c->k, word(c, 0), &c->err);
    if (r < 0)
        return r;
    printf("Switched to context \"" STR_FMT "\".\n", STR_ARG(word(c, 0)));
    return 1;
}

struct field {
    const char *option, *field;
    bool is_file; /* --embed-certs puts its content in place */
};

/* Sets what options give; every entry exists afterwards. */
static int set_fields(struct config *c, enum kubeconfig_section section, str name, const struct field *fields, size_t n)
{
    bool embeds = cli_flag(c->args, "embed-certs"), any = false;
    for (size_t i = 0; i < n; i++) {
        const char *value = cli_str(c->args, fields[i].option);
        if (!value)
            continue;
        str field = str_of(fields[i].field);
        if (fields[i].is_file && embeds) {
            CLEANUP(free) char *pem = NULL;
            size_t len;
            int r = file_read(value, PEM_MAX, &pem, &len, &c->err);
            if (r < 0)
                return r;
            value = base64_encode(&c->arena, BASE64_STD, str_n(pem, len)).p;
            field = arena_fmt(&c->arena, STR_FMT "-data", STR_ARG(field));
        }
        int r = kubeconfig_set_field(c->k, section, name, field, value[0] ? value : NULL, &c->err);
        if (r < 0)
            return r;
        any = true;
    }
    if (any || kubeconfig_find(c->k, section, name))
        return 0;
    /* An entry without fields: set one and take it away again. */
    int r = kubeconfig_set_field(c->k, section, name, str_of(fields[0].field), "x", &c->err);
    return r < 0 ? r : kubeconfig_set_field(c->k, section, name, str_of(fields[0].field), NULL, &c->err);
}

static int set_context(struct config *c)
{
    static const struct field fields[] = {
        {"cluster", "cluster", false}, {"user", "user", false}, {"namespace", "namespace", false}};
    str name = cli_flag(c->args, "current") ? kubeconfig_current_context(c->k) : S("");
    if (!name.len) {
        int r =
            need_words(c, 1, cli_flag(c->args, "current") ? "no current context is set" : "name the context, or give --current");
        if (r < 0)
            return r;
        name = word(c, 0);
    }
    bool existed = kubeconfig_find(c->k, KUBECONFIG_CONTEXTS, name) != NULL;
    int r = set_fields(c, KUBECONFIG_CONTEXTS, name, fields, ARRAY_LEN(fields));
    if (r < 0)
        return r;
    printf("Context \"" STR_FMT "\" %s.\n", STR_ARG(name), existed ? "modified" : "created");
    return 1;
}

static int set_cluster(struct config *c)
{
    static const struct field fields[] = {{"server", "server", false},
                                          {"certificate-authority", "certificate-authority", true},
                                          {"insecure-skip-tls-verify", "insecure-skip-tls-verify", false},
                                          {"tls-server-name", "tls-server-name", false},
                                          {"proxy-url", "proxy-url", false}};
    int r = need_words(c, 1, "name the cluster");
    if (r == 0)
        r = set_fields(c, KUBECONFIG_CLUSTERS, word(c, 0), fields, ARRAY_LEN(fields));
    if (r < 0)
        return r;
    printf("Cluster \"" STR_FMT "\" set.\n", STR_ARG(word(c, 0)));
    return 1;
}

static int set_credentials(struct config *c)
{
    static const struct field fields[] = {{"token", "token", false},
                                          {"client-certificate", "client-certificate", true},
                                          {"client-key", "client-key", true},
                                          {"username", "username", false},
                                          {"password", "password", false}};
    int r = need_words(c, 1, "name the user");
    if (r == 0)
        r = set_fields(c, KUBECONFIG_USERS, word(c, 0), fields, ARRAY_LEN(fields));
    if (r < 0)
        return r;
    printf("User \"" STR_FMT "\" set.\n", STR_ARG(word(c, 0)));
    return 1;
}

static int set_path(struct config *c)
{
    int r = need_words(c, 2, "give PROPERTY and VALUE");
    if (r == 0)
        r = kubeconfig_set_path(c->k, word(c, 0), c->args->positional[1], &c->err);
    if (r < 0)
        return r;
    printf("Property \"" STR_FMT "\" set.\n", STR_ARG(word(c, 0)));
    return 1;
}

static int unset_path(struct config *c)
{
    int r = need_words(c, 1, "give the PROPERTY");
    if (r == 0)
        r = kubeconfig_set_path(c->k, word(c, 0), NULL, &c->err);
    if (r < 0)
        return r;
    printf("Property \"" STR_FMT "\" unset.\n", STR_ARG(word(c, 0)));
    return 1;
}

static int delete_entry(struct config *c, enum kubeconfig_section section, const char *noun)
{
    int r = need_words(c, 1, "name what to delete");
    bool is_current = r == 0 && section == KUBECONFIG_CONTEXTS && str_eq(word(c, 0), kubeconfig_current_context(c->k));
    if (r == 0)
        r = kubeconfig_delete(c->k, section, word(c, 0), &c->err);
    if (r < 0)
        return r;
    if (is_current)
        fprintf(stderr, "warning: this removed your active context, use \"cox config use-context\" to select a different one\n");
    printf("deleted %s " STR_FMT " from %s\n", noun, STR_ARG(word(c, 0)), kubeconfig_default_file(c->k));
    return 1;
}

static int delete_context(struct config *c)
{
    return delete_entry(c, KUBECONFIG_CONTEXTS, "context");
}
static int delete_cluster(struct config *c)
{
    return delete_entry(c, KUBECONFIG_CLUSTERS, "cluster");
}
static int delete_user(struct config *c)
{
    return delete_entry(c, KUBECONFIG_USERS, "user");
}

static int rename_context(struct config *c)
{
    int r = need_words(c, 2, "give the old and the new name");
    if (r == 0)
        r = kubeconfig_rename_context(c->k, word(c, 0), word(c, 1), &c->err);
    if (r < 0)
        return r;
    printf("Context \"" STR_FMT "\" renamed to \"" STR_FMT "\".\n", STR_ARG(word(c, 0)), STR_ARG(word(c, 1)));
    return 1;
}

/* --- verbs ------------------------------------------------------------------------------------------------------------------------------ */

#define FILE_OPTION                                                                                         \
    {                                                                                                       \
        "kubeconfig", 0, CLI_STRING, "FILE", "", "The file; otherwise $KUBECONFIG or ~/.kube/config.", NULL \
    }
#define EMBED_OPTION                                                                              \
    {                                                                                             \
        "embed-certs", 0, CLI_FLAG, NULL, "", "Put the files' content into the kubeconfig.", NULL \
    }

static const struct cli_option plain_options[] = {FILE_OPTION, {0}};
static const struct cli_option view_options[] = {
    {"raw", 0, CLI_FLAG, NULL, "", "Show certificates and secrets.", NULL},
    {"flatten", 0, CLI_FLAG, NULL, "", "Put files that are named in place of their names.", NULL},
    {"minify", 0, CLI_FLAG, NULL, "", "Only what the current context uses.", NULL},
    {"context", 0, CLI_STRING, "NAME", "", "With --minify: this context.", NULL},
    {"output", 'o', CLI_STRING, "FORMAT", "yaml", "yaml, json or jsonpath=TEMPLATE.", NULL},
    {"show-managed-fields", 0, CLI_FLAG, NULL, "", "Has no meaning here.", NULL},
    FILE_OPTION,
    {0},
};
static const struct cli_option contexts_options[] = {
    {"output", 'o', CLI_STRING, "name", "", "name: only the names.", NULL},
    {"no-headers", 0, CLI_FLAG, NULL, "", "Without the line of headers.", NULL},
    FILE_OPTION,
    {0},
};
static const struct cli_option set_context_options[] = {
    {"current", 0, CLI_FLAG, NULL, "", "The current context.", NULL},
    {"cluster", 0, CLI_STRING, "NAME", "", "Its cluster.", NULL},
    {"user", 0, CLI_STRING, "NAME", "", "Its user.", NULL},
    {"namespace", 'n', CLI_STRING, "NAME", "", "Its namespace.", NULL},
    FILE_OPTION,
    {0},
};
static const struct cli_option set_cluster_options[] = {
    {"server", 's', CLI_STRING, "URL", "", "Address of the API server.", NULL},
    {"certificate-authority", 0, CLI_STRING, "FILE", "", "Its certificate authority.", NULL},
    EMBED_OPTION,
    {"insecure-skip-tls-verify", 0, CLI_FLAG, NULL, "", "Do not check the server's certificate.", NULL},
    {"tls-server-name", 0, CLI_STRING, "NAME", "", "Name that the certificate must hold.", NULL},
    {"proxy-url", 0, CLI_STRING, "URL", "", "Proxy (for kubectl; cox uses none).", NULL},
    FILE_OPTION,
    {0},
};
static const struct cli_option set_credentials_options[] = {
    {"token", 0, CLI_STRING, "TOKEN", "", "Bearer token.", NULL},
    {"client-certificate", 0, CLI_STRING, "FILE", "", "Client certificate.", NULL},
    {"client-key", 0, CLI_STRING, "FILE", "", "Its key.", NULL},
    EMBED_OPTION,
    {"username", 0, CLI_STRING, "NAME", "", "User name.", NULL},
    {"password", 0, CLI_STRING, "PASSWORD", "", "Password.", NULL},
    FILE_OPTION,
    {0},
};

static const struct {
    const char *name;
    int (*body)(struct config *c);
} bodies[] = {{"view", view},
              {"get-contexts", get_contexts},
              {"current-context", current_context},
              {"use-context", use_context},
              {"set-context", set_context},
              {"set-cluster", set_cluster},
              {"set-credentials", set_credentials},
              {"set", set_path},
              {"unset", unset_path},
              {"delete-context", delete_context},
              {"delete-cluster", delete_cluster},
              {"delete-user", delete_user},
              {"rename-context", rename_context},
              {"get-clusters", get_clusters},
              {"get-users", get_users}};

static int run_config(struct cli_args *a)
{
    for (size_t i = 0; i < ARRAY_LEN(bodies); i++) {
        if (strcmp(a->verb->name, bodies[i].name) == 0)
            return with_config(a, bodies[i].body);
    }
    return 1;
}

#define SUB(var, name_, aliases_, summary_, usage_, options_) \
    static const struct cli_verb var = {                      \
        .name = name_, .aliases = aliases_, .summary = summary_, .usage = usage_, .options = options_, .run = run_config}
SUB(verb_view, "view", NULL, "Show the merged kubeconfig.", "[--raw] [--flatten] [--minify]", view_options);
SUB(verb_get_contexts, "get-contexts", NULL, "List the contexts.", "[NAME ...] [-o name]", contexts_options);
SUB(verb_current_context, "current-context", NULL, "Print the current context.", "", plain_options);
SUB(verb_use_context, "use-context", "use", "Choose the current context.", "NAME", plain_options);
SUB(verb_set_context, "set-context", NULL, "Make or change a context.",
    "(NAME | --current) [--cluster=NAME] [--user=NAME] [--namespace=NAME]", set_context_options);
SUB(verb_set_cluster, "set-cluster", NULL, "Make or change a cluster.", "NAME [--server=URL] [--certificate-authority=FILE]",
    set_cluster_options);
SUB(verb_set_credentials, "set-credentials", NULL, "Make or change a user.",
    "NAME [--token=TOKEN] [--client-certificate=FILE --client-key=FILE]", set_credentials_options);
SUB(config_set, "set", NULL, "Set a field by its path.", "PROPERTY VALUE", plain_options);
SUB(verb_unset, "unset", NULL, "Remove a field by its path.", "PROPERTY", plain_options);
SUB(verb_delete_context, "delete-context", NULL, "Delete a context.", "NAME", plain_options);
SUB(verb_delete_cluster, "delete-cluster", NULL, "Delete a cluster.", "NAME", plain_options);
SUB(verb_delete_user, "delete-user", NULL, "Delete a user.", "NAME", plain_options);
SUB(verb_rename_context, "rename-context", NULL, "Rename a context.", "OLD NEW", plain_options);
SUB(verb_get_clusters, "get-clusters", NULL, "List the clusters.", "", plain_options);
SUB(verb_get_users, "get-users", NULL, "List the users.", "", plain_options);
static const struct cli_verb *const subs[] = {
    &verb_current_context,
    &verb_delete_cluster,
    &verb_delete_context,
    &verb_delete_user,
    &verb_get_clusters,
    &verb_get_contexts,
    &verb_get_users,
    &verb_rename_context,
    &config_set,
    &verb_set_cluster,
    &verb_set_context,
    &verb_set_credentials,
    &verb_unset,
    &verb_use_context,
    &verb_view,
    NULL,
};

const struct cli_verb verb_config = {
    .name = "config",
    .summary = "Look at and change kubeconfig files.",
    .usage = "(view | get-contexts | use-context NAME | ...)",
    .examples = "  cox config get-contexts\n  cox config use-context home\n  cox config set-context --current --namespace=web",
    .subs = subs,
};
