/* generate_core.c - namespace, configmap, secret, serviceaccount, quota, priorityclass, poddisruptionbudget. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/quantity.h"
#include "api/selector.h"
#include "cli/generate.h"
#include "cli/generate_data.h"
#include "wire/base64.h"

static int make_namespace(struct session *s, const char *name, struct json *ret, struct failure *f)
{
    (void)f;
    *ret = json_make(
        &s->arena,
        "{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"creationTimestamp\":null,\"name\":%s},\"spec\":{},\"status\":{}}",
        name);
    return 0;
}

static int make_service_account(struct session *s, const char *name, struct json *ret, struct failure *f)
{
    struct json meta = generate_meta(s, name);
    (void)f;
    *ret = json_make(&s->arena, "{\"apiVersion\":\"v1\",\"kind\":\"ServiceAccount\",\"metadata\":%j}", &meta);
    return 0;
}

/* --- configmap, secret ---------------------------------------------------------------------------------------------------- */

static int make_config_map(struct session *s, const char *name, struct json *ret, struct failure *f)
{
    struct json meta = generate_meta(s, name);
    struct generate_data d = {.arena = &s->arena, .kind = "ConfigMap", .name = name};
    int r = generate_data_read(&d, s->args, f);
    if (r < 0)
        return r;
    *ret = json_make(&s->arena, "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":%j}", &meta);
    if (d.data.len)
        json_set(&s->arena, ret, S("data"), d.data);
    if (d.binary.len)
        json_set(&s->arena, ret, S("binaryData"), d.binary);
    return 0;
}

static struct json secret_of(struct session *s, const char *name, const struct generate_data *d, const char *type)
{
    struct json meta = generate_meta(s, name);
    struct json secret = json_make(&s->arena, "{\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"metadata\":%j}", &meta);
    if (d->data.len)
        json_set(&s->arena, &secret, S("data"), d->data);
    if (type[0])
        json_set(&s->arena, &secret, S("type"), json_string(str_of(type)));
    return secret;
}

static int make_secret_generic(struct session *s, const char *name, struct json *ret, struct failure *f)
{
    struct generate_data d = {.arena = &s->arena, .kind = "Secret", .name = name, .encodes = true};
    int r = generate_data_read(&d, s->args, f);
    if (r == 0)
        *ret = secret_of(s, name, &d, cli_str_or(s->args, "type", ""));
    return r;
}

static int make_secret_tls(struct session *s, const char *name, struct json *ret, struct failure *f)
{
    struct generate_data d = {
        .arena = &s->arena, .kind = "Secret", .name = name, .encodes = true, .data = json_object(), .binary = json_object()};
    const char *cert = cli_str(s->args, "cert"), *key = cli_str(s->args, "key");
    if (!cert || !key)
        return failure_set(f, E_INVALID_ARG, "key and cert must be specified");
    int r = generate_data_file(&d, S("tls.crt"), cert, f);
    if (r == 0)
        r = generate_data_file(&d, S("tls.key"), key, f);
    if (r == 0)
        *ret = secret_of(s, name, &d, "kubernetes.io/tls");
    return r;
}

static int make_secret_docker(struct session *s, const char *name, struct json *ret, struct failure *f)
{
    struct arena *a = &s->arena;
    struct generate_data d = {.arena = a, .kind = "Secret", .name = name, .encodes = true};
    const char *user = cli_str(s->args, "docker-username"), *password = cli_str(s->args, "docker-password");
    int r = generate_data_read(&d, s->args, f);
    if (r < 0)
        return r;
    if (!cli_list(s->args, "from-file", 0)) {
        if (!user || !password || !cli_str(s->args, "docker-server"))
            return failure_set(
                f, E_INVALID_ARG,
                "either --from-file or the combination of --docker-username, --docker-password and --docker-server is required");
        str auth = base64_encode(a, BASE64_STD, arena_fmt(a, "%s:%s", user, password));
        struct json entry = json_make(a, "{\"username\":%s,\"password\":%s}", user, password), config = json_object();
        if (cli_str(s->args, "docker-email"))
            json_set(a, &entry, S("email"), json_string(str_of(cli_str(s->args, "docker-email"))));
        json_set(a, &entry, S("auth"), json_string(auth));
        json_set(a, json_ensure_object(a, &config, S("auths")), str_of(cli_str(s->args, "docker-server")), entry);
        json_set(a, &d.data, S(".dockerconfigjson"), json_string(base64_encode(a, BASE64_STD, json_text(a, &config))));
    }
    *ret = secret_of(s, name, &d, "kubernetes.io/dockerconfigjson");
    return 0;
}

/* --- quota, priorityclass, poddisruptionbudget ------------------------------------------------------------------------------- */

static int make_quota(struct session *s, const char *name, struct json *ret, struct failure *f)
{
    struct arena *a = &s->arena;
    struct json meta = generate_meta(s, name), spec = json_object(), hard = json_object();
    str *list;
    size_t n = generate_list(s, "hard", true, &list);
    for (size_t i = 0; i < n; i++) {
        str value = list[i], key;
        struct quantity q;
        if (!str_cut(&value, '=', &key))
            return failure_set(f, E_INVALID_ARG, "Invalid argument syntax " STR_FMT ", expected <resource>=<value>",
                               STR_ARG(list[i]));
        if (!quantity_parse(value, &q))
            return failure_set(f, E_INVALID_ARG,
                               "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
        json_set(a, &hard, key, json_string(quantity_format(a, &q)));
    }
    if (n)
        json_set(a, &spec, S("hard"), hard);
    n = generate_list(s, "scopes", true, &list);
    if (n)
        json_set(a, &spec, S("scopes"), generate_strings(s, list, n));
    *ret = json_make(a, "{\"apiVersion\":\"v1\",\"kind\":\"ResourceQuota\",\"metadata\":%j,\"spec\":%j,\"status\":{}}", &meta,
                     &spec);
    return 0;
}

static int make_priority_class(struct session *s, const char *name, struct json *ret, struct failure *f)
{
    struct arena *a = &s->arena;
    (void)f;
    *ret = json_make(
        a,
        "{\"apiVersion\":\"scheduling.k8s.io/v1\",\"kind\":\"PriorityClass\",\"metadata\":{\"creationTimestamp\":null,\"name\":%s},\"value\":%d,\"preemptionPolicy\":%s}",
        name, cli_int(s->args, "value", 0), cli_str_or(s->args, "preemption-policy", "PreemptLowerPriority"));
    if (cli_flag(s->args, "global-default"))
        json_set(a, ret, S("globalDefault"), json_bool(true));
    if (cli_str(s->args, "description"))
        json_set(a, ret, S("description"), json_string(str_of(cli_str(s->args, "description"))));
    return 0;
}

static bool is_share(str s)
{
    int64_t n;
    return str_to_i64(str_has_suffix(s, S("%")) ? str_sub(s, 0, s.len - 1) : s, &n) && n >= 0;
}

/* A selector text as a LabelSelector object. */
static int label_selector(struct session *s, const char *text, struct json *ret, struct failure *f)
{
    static const char *const ops[] = {"In", "NotIn", "In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"};
    struct arena *a = &s->arena;
    struct selector sel;
    int r = selector_parse_labels(a, str_of(text), &sel, &f->err);
    *ret = json_object();
    for (size_t i = 0; r == 0 && i < sel.nterms; i++) {
        const struct selector_term *t = &sel.terms[i];
        if (t->op == SELECTOR_EQ) {
            json_set(a, json_ensure_object(a, ret, S("matchLabels")), t->key, json_string(t->values[0]));
            continue;
        }
        struct json values = generate_strings(s, t->values, t->nvalues), expression = json_object();
        json_set(a, &expression, S("key"), json_string(t->key));
        json_set(a, &expression, S("operator"), json_string(str_of(ops[t->op])));
        if (values.len)
            json_set(a, &expression, S("values"), values);
        if (!json_get(ret, S("matchExpressions")))
            json_set(a, ret, S("matchExpressions"), json_array());
        json_push(a, json_get(ret, S("matchExpressions")), expression);
    }
    return r;
}

static int make_pdb(struct session *s, const char *name, struct json *ret, struct failure *f)
{
    const char *least = cli_str(s->args, "min-available"), *most = cli_str(s->args, "max-unavailable"),
               *selector = cli_str(s->args, "selector");
    struct json meta = generate_meta(s, name), sel;
    if (!selector)
        return failure_set(f, E_INVALID_ARG, "a selector must be specified");
    if (!least && !most)
        return failure_set(f, E_INVALID_ARG, "one of min-available or max-unavailable must be specified");
    if (least && most)
        return failure_set(f, E_INVALID_ARG, "min-available and max-unavailable cannot be both specified");
    if (!is_share(str_of(least ? least : most)))
        return failure_set(f, E_INVALID_ARG, "invalid format specified for %s", least ? "min-available" : "max-unavailable");
    int r = label_selector(s, selector, &sel, f);
    if (r < 0)
        return r;
    struct json share = generate_int_or_string(&s->arena, str_of(least ? least : most));
    *ret = json_make(
        &s->arena,
        "{\"apiVersion\":\"policy/v1\",\"kind\":\"PodDisruptionBudget\",\"metadata\":%j,\"spec\":{\"selector\":%j,%s:%j},\"status\":{\"currentHealthy\":0,"
        "\"desiredHealthy\":0,\"disruptionsAllowed\":0,\"expectedPods\":0}}",
        &meta, &sel, least ? "minAvailable" : "maxUnavailable", &share);
    return 0;
}

/* --- verbs ------------------------------------------------------------------------------------------------------------------------ */

static const struct cli_option plain_options[] = {GENERATE_OPTIONS, {0}};
static const struct cli_option config_map_options[] = {GENERATE_DATA_OPTIONS, GENERATE_OPTIONS, {0}};
static const struct cli_option secret_options[] = {
    GENERATE_DATA_OPTIONS,
    {"type", 0, CLI_STRING, "TYPE", "", "The secret's type; Opaque when not given.", NULL},
    GENERATE_OPTIONS,
    {0},
};
static const struct cli_option tls_options[] = {
    {"cert", 0, CLI_STRING, "FILE", "", "Certificate, PEM.", NULL},
    {"key", 0, CLI_STRING, "FILE", "", "Its private key, PEM.", NULL},
    GENERATE_OPTIONS,
    {0},
};
static const struct cli_option docker_options[] = {
    {"docker-server", 0, CLI_STRING, "URL", "", "The registry.", NULL},
    {"docker-username", 0, CLI_STRING, "NAME", "", "User there.", NULL},
    {"docker-password", 0, CLI_STRING, "PASSWORD", "", "The user's password.", NULL},
    {"docker-email", 0, CLI_STRING, "ADDRESS", "", "The user's mail address.", NULL},
    {"from-file", 0, CLI_LIST, "[KEY=]PATH", "", "A file with the registry's credentials instead.", NULL},
    GENERATE_OPTIONS,
    {0},
};
static const struct cli_option quota_options[] = {
    {"hard", 0, CLI_LIST, "RESOURCE=VALUE,...", "", "Limits: cpu=1,memory=1Gi,pods=10.", NULL},
    {"scopes", 0, CLI_LIST, "SCOPE,...", "", "Which objects count.", NULL},
    GENERATE_OPTIONS,
    {0},
};
static const struct cli_option priority_options[] = {
    {"value", 0, CLI_INT, "N", "0", "The priority.", NULL},
    {"global-default", 0, CLI_FLAG, NULL, "", "Pods that name no class get this one.", NULL},
    {"description", 0, CLI_STRING, "TEXT", "", "When to use it.", NULL},
    {"preemption-policy", 0, CLI_STRING, "POLICY", "PreemptLowerPriority", "Or Never.", NULL},
    GENERATE_OPTIONS,
    {0},
};
static const struct cli_option pdb_options[] = {
    {"selector", 0, CLI_STRING, "LABELS", "", "The pods that are meant.", NULL},
    {"min-available", 0, CLI_STRING, "N|N%", "", "How many must stay.", NULL},
    {"max-unavailable", 0, CLI_STRING, "N|N%", "", "How many may be away.", NULL},
    GENERATE_OPTIONS,
    {0},
};

GENERATOR(create_namespace, "namespace", "ns", "Create a namespace.", "NAME", plain_options);
GENERATOR(create_service_account, "serviceaccount", "sa", "Create a service account.", "NAME", plain_options);
GENERATOR(create_config_map, "configmap", "cm", "Create a config map from files, folders or literals.",
          "NAME [--from-literal=KEY=VALUE] [--from-file=[KEY=]PATH]", config_map_options);
static GENERATOR(create_generic, "generic", NULL, "Create a secret from files, folders or literals.",
                 "NAME [--from-literal=KEY=VALUE] [--from-file=[KEY=]PATH]", secret_options);
static GENERATOR(create_tls, "tls", NULL, "Create a secret with a certificate and its key.", "NAME --cert=FILE --key=FILE",
                 tls_options);
static GENERATOR(create_docker, "docker-registry", NULL, "Create a secret with which images are pulled.",
                 "NAME --docker-server=URL --docker-username=NAME --docker-password=PASSWORD", docker_options);
GENERATOR(create_quota, "quota", "resourcequota", "Create a resource quota.",
          "NAME [--hard=RESOURCE=VALUE,...] [--scopes=SCOPE,...]", quota_options);
GENERATOR(create_priority, "priorityclass", "pc", "Create a priority class.", "NAME --value=N", priority_options);
GENERATOR(create_pdb, "poddisruptionbudget", "pdb", "Create a pod disruption budget.",
          "NAME --selector=LABELS (--min-available=N | --max-unavailable=N)", pdb_options);
static const struct cli_verb *const secret_subs[] = {&create_generic, &create_tls, &create_docker, NULL};
const struct cli_verb create_secret = {
    .name = "secret", .summary = "Create a secret.", .usage = "(generic | tls | docker-registry) NAME", .subs = secret_subs};

const struct generator generate_core[] = {
    {&create_namespace, make_namespace, NULL},
    {&create_service_account, make_service_account, "failed to create serviceaccount: "},
    {&create_config_map, make_config_map, "failed to create configmap: "},
    {&create_generic, make_secret_generic, "failed to create secret "},
    {&create_tls, make_secret_tls, "failed to create secret "},
    {&create_docker, make_secret_docker, "failed to create secret "},
    {&create_quota, make_quota, "failed to create quota: "},
    {&create_priority, make_priority_class, "failed to create priorityclass: "},
    {&create_pdb, make_pdb, "failed to create poddisruptionbudgets: "},
    {0},
};
