/* verb_api.c - what the server is and has: api-resources, api-versions, version, cluster-info. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "base/version.h"
#include "wire/json_make.h"
#include "cli/print.h"
#include "cli/session.h"
#include "cli/verbs.h"
#include "wire/yaml.h"

/* --- api-resources ------------------------------------------------------------------------------------------------------------- */

static void join(struct strbuf *b, const str *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        strbuf_addf(b, "%s" STR_FMT, i ? "," : "", STR_ARG(list[i]));
}

/* Every word of a comma list. */
static bool has_all(const char *wanted, const str *list, size_t n)
{
    str rest = str_of(wanted), one;
    while (rest.len) {
        bool found = false;
        str_cut(&rest, ',', &one);
        for (size_t i = 0; i < n; i++)
            found = found || str_eq(list[i], one);
        if (!found)
            return false;
    }
    return true;
}

static bool is_listed(const struct cli_args *a, const struct discovery_resource *r)
{
    if (!r->is_preferred || !r->nverbs)
        return false;
    if (cli_given(a, "namespaced") && cli_flag(a, "namespaced") != r->is_namespaced)
        return false;
    if (cli_str(a, "api-group") && !str_is(r->group, cli_str(a, "api-group")))
        return false;
    return has_all(cli_str_or(a, "verbs", ""), r->verbs, r->nverbs) &&
           has_all(cli_str_or(a, "categories", ""), r->categories, r->ncategories);
}

static const char *sort_key; /* qsort has no argument of its own */

static int by_key(const void *x, const void *y)
{
    const struct discovery_resource *a = *(const struct discovery_resource *const *)x,
                                    *b = *(const struct discovery_resource *const *)y;
    int c = strcmp(sort_key, "name") == 0   ? 0
            : strcmp(sort_key, "kind") == 0 ? str_cmp(a->kind, b->kind)
                                            : str_cmp(a->group, b->group);
    return c ? c : str_cmp(a->plural, b->plural);
}

static void write_resource(struct arena *a, struct strbuf *b, const struct discovery_resource *r, const char *output)
{
    if (strcmp(output, "name") == 0) {
        strbuf_add_str(b, discovery_group_resource(a, r));
    } else {
        strbuf_addf(b, STR_FMT "\t", STR_ARG(r->plural));
        join(b, r->short_names, r->nshort_names);
        str gv = discovery_group_version(a, r);
        strbuf_addf(b, "\t" STR_FMT "\t%s\t" STR_FMT, STR_ARG(gv), r->is_namespaced ? "true" : "false", STR_ARG(r->kind));
    }
    if (strcmp(output, "wide") == 0) {
        strbuf_add_char(b, '\t');
        join(b, r->verbs, r->nverbs);
        strbuf_add_char(b, '\t');
        join(b, r->categories, r->ncategories);
    }
    strbuf_add_char(b, '\n');
}

static int check_api_resources(const struct cli_args *a, const char *output, struct failure *f)
{
    if (output[0] && strcmp(output, "wide") != 0 && strcmp(output, "name") != 0)
        return failure_set(f, E_INVALID_ARG, "--output %s is not available", output);
    if (sort_key[0] && strcmp(sort_key, "name") != 0 && strcmp(sort_key, "kind") != 0)
        return failure_set(f, E_INVALID_ARG, "--sort-by accepts only name or kind");
    if (a->npositional)
        return failure_set(f, E_INVALID_ARG, "unexpected arguments: [%s]\nSee 'cox api-resources -h' for help and examples",
                           a->positional[0]);
    return 0;
}

static int api_resources(struct session *s, struct failure *f)
{
    const char *output = cli_str_or(s->args, "output", "");
    const struct discovery *d;
    TABS_AUTO tabs = TABS_TABLE;
    STRBUF_AUTO out = STRBUF_HEAP;
    sort_key = cli_str_or(s->args, "sort-by", "");
    int r = check_api_resources(s->args, output, f);
    if (r == 0)
        r = session_discovery(s, &d, f);
    if (r < 0)
        return r;
    const struct discovery_resource **list = arena_array(&s->arena, d->len + 1, const struct discovery_resource *);
    size_t n = 0;
    for (size_t i = 0; i < d->len; i++) {
        if (is_listed(s->args, &d->list[i]))
            list[n++] = &d->list[i];
    }
    qsort(list, n, sizeof *list, by_key);
    if (!cli_flag(s->args, "no-headers") && strcmp(output, "name") != 0)
        strbuf_addf(&tabs.text, "NAME\tSHORTNAMES\tAPIVERSION\tNAMESPACED\tKIND%s\n", output[0] ? "\tVERBS\tCATEGORIES" : "");
    for (size_t i = 0; i < n; i++)
        write_resource(&s->arena, &tabs.text, list[i], output);
    tabs_flush(&tabs, &out);
    print_flush(&out);
    return 0;
}

static int run_api_resources(struct cli_args *a)
{
    return session_run(a, api_resources);
}

static const struct cli_option api_resources_options[] = {
    {"output", 'o', CLI_STRING, "wide|name", "", "More columns, or only names.", NULL},
    {"api-group", 0, CLI_STRING, "GROUP", "", "Only this group.", NULL},
    {"namespaced", 0, CLI_FLAG, NULL, "", "Only types with namespaces; =false: only those without.", NULL},
    {"verbs", 0, CLI_STRING, "VERB,...", "", "Only types with all these verbs.", NULL},
    {"categories", 0, CLI_STRING, "CATEGORY,...", "", "Only types in all these categories.", NULL},
    {"sort-by", 0, CLI_STRING, "name|kind", "", "Order.", NULL},
    {"no-headers", 0, CLI_FLAG, NULL, "", "Without the line of headers.", NULL},
    {0},
};
const struct cli_verb verb_api_resources = {
    .name = "api-resources",
    .summary = "List the types of objects that the server has.",
    .usage = "[OPTIONS]",
    .examples = "  cox api-resources\n  cox api-resources --namespaced=false -o name",
    .options = api_resources_options,
    .run = run_api_resources,
    .is_client = true,
};

/* --- api-versions ---------------------------------------------------------------------------------------------------------------- */

static int api_versions(struct session *s, struct failure *f)
{
    const struct discovery *d;
    int r = session_discovery(s, &d, f);
    if (r < 0)
        return r;
    str *list = arena_array(&s->arena, d->len + 1, str);
    for (size_t i = 0; i < d->len; i++)
        list[i] = discovery_group_version(&s->arena, &d->list[i]);
    qsort(list, d->len, sizeof *list, str_cmp_void);
    for (size_t i = 0; i < d->len; i++) {
        if (!i || !str_eq(list[i], list[i - 1]))
            printf(STR_FMT "\n", STR_ARG(list[i]));
    }
    return 0;
}

static int run_api_versions(struct cli_args *a)
{
    return session_run(a, api_versions);
}

const struct cli_verb verb_api_versions = {.name = "api-versions",
                                           .summary = "List the API groups and versions that the server has.",
                                           .usage = "",
                                           .run = run_api_versions,
                                           .is_client = true};

/* --- version ------------------------------------------------------------------------------------------------------------------------ */

static struct json client_version(struct arena *a)
{
    str number = arena_fmt(a, "v%d.%d.0+cox", COX_KUBE_MAJOR, COX_KUBE_MINOR);
    return json_make(
        a, "{\"major\":%S,\"minor\":%S,\"gitVersion\":%s,\"buildDate\":%s,\"compiler\":%s,\"platform\":%S,\"kubernetes\":%S}",
        arena_fmt(a, "%d", COX_KUBE_MAJOR), arena_fmt(a, "%d", COX_KUBE_MINOR), cox_version(), cox_build_time(), COX_COMPILER,
        arena_fmt(a, "linux/%s", COX_ARCH), number);
}

static void print_versions(struct arena *a, const char *output, const struct json *client, const struct json *server)
{
    STRBUF_AUTO out = STRBUF_HEAP;
    struct json both = json_object();
    json_set(a, &both, S("clientVersion"), *client);
    if (server)
        json_set(a, &both, S("serverVersion"), *server);
    if (strcmp(output, "yaml") == 0) {
        yaml_write(&out, &both);
    } else if (strcmp(output, "json") == 0) {
        print_json(a, &out, &both, "  ");
    } else {
        strbuf_addf(&out, "Client Version: " STR_FMT "\n", STR_ARG(json_get_str(client, S("gitVersion"))));
        strbuf_addf(&out, "Kubernetes API: " STR_FMT "\n", STR_ARG(json_get_str(client, S("kubernetes"))));
        if (server)
            strbuf_addf(&out, "Server Version: " STR_FMT "\n", STR_ARG(json_get_str(server, S("gitVersion"))));
    }
    print_flush(&out);
}

/* Without a server the client's version is still the answer; the failure is told after it, and only when a server was named. */
static int version(struct session *s, struct failure *f)
{
    const char *output = cli_str_or(s->args, "output", "");
    struct json client = client_version(&s->arena), server;
    if (output[0] && strcmp(output, "yaml") != 0 && strcmp(output, "json") != 0)
        return failure_set(f, E_INVALID_ARG, "--output must be 'yaml' or 'json'");
    int r = -E_NONE;
    bool asks = !cli_flag(s->args, "client"), has_server = false;
    if (asks)
        r = session_connect(s, f);
    bool no_config = asks && r == -E_NOT_FOUND && !f->from_server;
    if (asks && r == 0) {
        r = session_get(s, S("/version"), S(""), &server, f);
        has_server = r == 0;
    }
    print_versions(&s->arena, output, &client, has_server ? &server : NULL);
    return no_config ? 0 : r;
}

static int run_version(struct cli_args *a)
{
    return session_run_local(a, version);
}

static const struct cli_option version_options[] = {
    {"client", 0, CLI_FLAG, NULL, "", "Do not ask a server.", NULL},
    {"output", 'o', CLI_STRING, "json|yaml", "", "All that is known.", NULL},
    {0},
};
const struct cli_verb verb_version = {
    .name = "version",
    .summary = "Show the versions of cox and of the server.",
    .usage = "[--client] [-o json|yaml]",
    .options = version_options,
    .run = run_version,
    .is_client = true,
};

/* --- cluster-info -------------------------------------------------------------------------------------------------------------------- */

static int cluster_info(struct session *s, struct failure *f)
{
    struct json services;
    int r = session_get(s, S("/api/v1/namespaces/kube-system/services"),
                        S("labelSelector=kubernetes.io%2Fcluster-service%3Dtrue"), &services, f);
    if (r < 0)
        return r;
    const char *url = s->resolved.server && s->resolved.server[0] ? s->resolved.server : client_server(s->client);
    printf("Kubernetes control plane is running at %s\n", url);
    const struct json *items = json_get(&services, S("items"));
    for (size_t i = 0; json_is(items, JSON_ARRAY) && i < items->len; i++) {
        const struct json *meta = json_get(&items->items[i], S("metadata"));
        str name = json_get_str(meta, S("name"));
        printf(STR_FMT " is running at %s/api/v1/namespaces/kube-system/services/" STR_FMT "/proxy\n", STR_ARG(name), url,
               STR_ARG(name));
    }
    return 0;
}

static int run_cluster_info(struct cli_args *a)
{
    return session_run(a, cluster_info);
}

const struct cli_verb verb_cluster_info = {.name = "cluster-info",
                                           .summary = "Show where the control plane runs.",
                                           .usage = "",
                                           .run = run_cluster_info,
                                           .is_client = true};
