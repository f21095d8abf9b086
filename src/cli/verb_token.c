/* verb_token.c - cox token: bootstrap tokens, with which machines join, as Secrets of kube-system. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "base/civil.h"
#include "wire/json_make.h"
#include "cli/session.h"
#include "cli/tabs.h"
#include "cli/verbs.h"
#include "rt/tls.h"
#include "wire/base64.h"
#include "wire/yaml.h"

#define ID_LEN 6
#define SECRET_LEN 16
#define TYPE "bootstrap.kubernetes.io/token"
#define SECRETS "/api/v1/namespaces/kube-system/secrets"
#define TTL_NS (24 * 3600 * NSEC_PER_SEC)

/* --- create ----------------------------------------------------------------------------------------------------------------- */

/* Letters and digits, each as likely as the others. */
static void random_text(char *out, size_t len)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789";
    for (size_t i = 0; i < len;) {
        unsigned char b;
        tls_random(&b, 1);
        if (b < 252) /* 7 * 36 */
            out[i++] = letters[b % 36];
    }
    out[len] = 0;
}

static bool is_token(str s, str *ret_id, str *ret_secret)
{
    *ret_secret = s;
    if (!str_cut(ret_secret, '.', ret_id) || ret_id->len != ID_LEN || ret_secret->len != SECRET_LEN)
        return false;
    for (size_t i = 0; i < s.len; i++)
        if (s.p[i] != '.' && !(s.p[i] >= 'a' && s.p[i] <= 'z') && !(s.p[i] >= '0' && s.p[i] <= '9'))
            return false;
    return true;
}

/* Where the cluster is and the hash of its authority, as cluster-info says; --server comes first. */
static int print_join(struct session *s, const char *token, struct failure *f)
{
    struct json map, config;
    str pem;
    char pin[TLS_PIN_LEN + 1];
    int r = session_get(s, S("/api/v1/namespaces/kube-public/configmaps/cluster-info"), S(""), &map, f);
    if (r < 0)
        return r;
    if ((r = yaml_parse(&s->arena, json_get_str(json_get(&map, S("data")), S("kubeconfig")), NULL, &config, &f->err)) < 0)
        return r;
    const struct json *clusters = json_get(&config, S("clusters"));
    const struct json *cluster = json_is(clusters, JSON_ARRAY) && clusters->len ? json_get(&clusters->items[0], S("cluster")) : NULL;
    if ((r = base64_decode(&s->arena, BASE64_STD, json_get_str(cluster, S("certificate-authority-data")), &pem, &f->err)) < 0 ||
        (r = tls_cert_pin(arena_cstr(&s->arena, pem), pin, &f->err)) < 0)
        return r;
    str server = json_get_str(cluster, S("server"));
    printf("cox join " STR_FMT " --token %s --ca-hash %s\n", STR_ARG(server), token, pin);
    if (str_has_prefix(server, S("https://127.")) || str_has_prefix(server, S("https://localhost")) || str_has_prefix(server, S("https://[::1]")))
        fprintf(stderr, "warning: other machines cannot reach " STR_FMT "; start the server with --listen :6443 --advertise-address HOST for them\n", STR_ARG(server));
    return 0;
}

static int create(struct session *s, struct failure *f)
{
    const struct cli_args *args = s->args;
    struct arena *a = &s->arena;
    char token[ID_LEN + 1 + SECRET_LEN + 1], expiration[CIVIL_TIME_LEN + 1] = "";
    str id, secret, given = str_of(args->npositional ? args->positional[0] : "");
    random_text(token, ID_LEN);
    random_text(token + ID_LEN + 1, SECRET_LEN);
    token[ID_LEN] = '.';
    if (given.len && (!is_token(given, &id, &secret) || given.len >= sizeof token))
        return failure_set(f, E_INVALID_ARG, "\"" STR_FMT "\" is no token: it is six letters or digits, a dot and sixteen more, in lower case", STR_ARG(given));
    if (given.len)
        snprintf(token, sizeof token, STR_FMT, STR_ARG(given));
    is_token(str_of(token), &id, &secret);
    int64_t ttl = cli_duration_ns(args, "ttl", TTL_NS);
    if (ttl < 0)
        return failure_set(f, E_INVALID_ARG, "--ttl is a duration such as 2h, or 0 for a token that never ends");
    struct json data = json_make(a, "{\"token-id\":%S,\"token-secret\":%S,\"usage-bootstrap-authentication\":\"true\",\"usage-bootstrap-signing\":\"true\"}", id, secret), made;
    if (ttl) {
        civil_format(clock_wall(&clock_real) + ttl, expiration);
        json_set(a, &data, S("expiration"), json_string(str_of(expiration)));
    }
    if (cli_str(args, "description"))
        json_set(a, &data, S("description"), json_string(str_of(cli_str(args, "description"))));
    struct strbuf groups = strbuf_on(a);
    for (size_t i = 0; cli_list(args, "groups", i); i++)
        strbuf_addf(&groups, "%s%s", i ? "," : "", cli_list(args, "groups", i));
    if (groups.len)
        json_set(a, &data, S("auth-extra-groups"), json_string(strbuf_str(&groups)));
    struct json obj = json_make(a, "{\"kind\":\"Secret\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":%S},\"type\":\"" TYPE "\",\"stringData\":%j}",
                                arena_fmt(a, "bootstrap-token-" STR_FMT, STR_ARG(id)), &data);
    int r = session_send(s, S("POST"), S(SECRETS), S(""), &obj, &made, f);
    if (r < 0)
        return r;
    if (cli_flag(args, "print-join-command"))
        return print_join(s, token, f);
    printf("%s\n", token);
    return 0;
}

static int run_create(struct cli_args *a)
{
    if (a->npositional > 1)
        return cli_usage(a, "it takes one token at most");
    return session_run(a, create);
}

static const struct cli_option create_options[] = {
    {"ttl", 0, CLI_DURATION, "TIME", "24h", "How long the token is good; 0: for ever.", NULL},
    {"description", 0, CLI_STRING, "TEXT", "", "What it is for.", NULL},
    {"groups", 0, CLI_LIST, "GROUP", "", "Further group of who uses it, system:bootstrappers:NAME.", NULL},
    {"print-join-command", 0, CLI_FLAG, NULL, "", "Print the whole command for the new node instead of the token.", NULL},
    {0},
};

static const struct cli_verb sub_create = {
    .name = "create",
    .summary = "Make a token and print it.",
    .usage = "[TOKEN] [OPTIONS]",
    .examples = "  cox token create --print-join-command\n  cox token create --ttl 2h --description \"rack 7\"",
    .options = create_options,
    .run = run_create,
    .is_client = true,
};

/* --- list --------------------------------------------------------------------------------------------------------------------- */

static str data_of(struct arena *a, const struct json *secret, str key)
{
    str plain;
    return base64_decode(a, BASE64_STD, json_get_str(json_get(secret, S("data")), key), &plain, NULL) == 0 ? plain : S("");
}

static void add_row(struct arena *a, struct tabs *t, const struct json *secret)
{
    char left[24] = "<forever>";
    str until = data_of(a, secret, S("expiration")), text = data_of(a, secret, S("description")), groups = data_of(a, secret, S("auth-extra-groups"));
    nsec_t at;
    if (until.len && civil_parse(until, &at)) {
        nsec_t rest = at - clock_wall(&clock_real);
        if (rest > 0)
            civil_human_duration(rest, left);
        else
            snprintf(left, sizeof left, "<over>");
    }
    strbuf_addf(&t->text, STR_FMT "\t%s\t" STR_FMT "\t" STR_FMT "\t" STR_FMT "\n", STR_ARG(data_of(a, secret, S("token-id"))), left, STR_ARG(until.len ? until : S("<never>")),
                STR_ARG(text.len ? text : S("<none>")), STR_ARG(groups.len ? groups : S("<none>")));
}

static int list(struct session *s, struct failure *f)
{
    struct json secrets;
    int r = session_get(s, S(SECRETS), S("fieldSelector=type%3D" TYPE), &secrets, f);
    if (r < 0)
        return r;
    const struct json *items = json_get(&secrets, S("items"));
    if (!json_is(items, JSON_ARRAY) || !items->len) {
        fprintf(stderr, "There are no tokens; `cox token create` makes one.\n");
        return 0;
    }
    TABS_AUTO t = TABS_TABLE;
    STRBUF_AUTO out = STRBUF_HEAP;
    strbuf_add_str(&t.text, S("ID\tTTL\tEXPIRES\tDESCRIPTION\tEXTRA GROUPS\n"));
    for (uint32_t i = 0; i < items->len; i++)
        add_row(&s->arena, &t, &items->items[i]);
    tabs_flush(&t, &out);
    fputs(strbuf_cstr(&out), stdout);
    return 0;
}

static int run_list(struct cli_args *a)
{
    return a->npositional ? cli_usage(a, "it takes no arguments") : session_run(a, list);
}

static const struct cli_verb sub_list = {
    .name = "list",
    .summary = "Show the tokens, without their secrets.",
    .usage = "",
    .examples = "  cox token list",
    .run = run_list,
    .is_client = true,
};

/* --- delete ------------------------------------------------------------------------------------------------------------------ */

static int delete(struct session *s, struct failure *f)
{
    for (size_t i = 0; i < s->args->npositional; i++) {
        str id, rest = str_of(s->args->positional[i]);
        struct json gone;
        str_cut(&rest, '.', &id);
        int r = session_send(s, S("DELETE"), arena_fmt(&s->arena, SECRETS "/bootstrap-token-" STR_FMT, STR_ARG(id)), S(""), NULL, &gone, f);
        if (r < 0)
            return r;
        printf("token \"" STR_FMT "\" deleted\n", STR_ARG(id));
    }
    return 0;
}

static bool is_id(const char *text)
{
    size_t n = strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789");
    return n == ID_LEN && (!text[n] || text[n] == '.');
}

static int run_delete(struct cli_args *a)
{
    if (!a->npositional)
        return cli_usage(a, "name a token, or its ID: the part before the dot");
    for (size_t i = 0; i < a->npositional; i++)
        if (!is_id(a->positional[i]))
            return cli_usage(a, "\"%s\" is no token and no ID of one", a->positional[i]);
    return session_run(a, delete);
}

static const struct cli_verb sub_delete = {
    .name = "delete",
    .summary = "Remove tokens: nobody joins with them any more.",
    .usage = "(ID | TOKEN) ...",
    .examples = "  cox token delete abcdef",
    .run = run_delete,
    .is_client = true,
};

static const struct cli_verb *const subs[] = {&sub_create, &sub_list, &sub_delete, NULL};

const struct cli_verb verb_token = {
    .name = "token",
    .summary = "Tokens with which machines join the cluster.",
    .usage = "(create | list | delete)",
    .help = "A token is good for a while and lets a machine ask for its certificate, no more.  It is kept as a Secret bootstrap-token-ID in kube-system.",
    .examples = "  cox token create --print-join-command\n  cox token list",
    .subs = subs,
};
