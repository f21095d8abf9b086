/* verb_join.c - cox join: this machine becomes a node of a cluster elsewhere. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "base/vec.h"
#include "cli/agent_run.h"
#include "cli/cli.h"
#include "cli/verbs.h"
#include "client/join.h"
#include "rt/file.h"

#define CA_BYTES (64u << 10)

static const struct cli_option join_options[] = {
    {"token", 0, CLI_STRING, "ID.SECRET", "", "The token, from `cox token create` on the server; of a domain the unused one in the status of its Domain.", NULL},
    {"ca-hash", 0, CLI_STRING, "sha256:HEX", "", "Hash of the public key of the cluster's certificate authority, printed with the token.", NULL},
    {"ca-file", 0, CLI_STRING, "FILE", "", "The certificate authority itself, instead of its hash.", NULL},
    {"data-dir", 'd', CLI_STRING, "DIR", "/var/lib/cox, or ~/.local/share/cox for other users than root", "Where the node's credentials and state live.", NULL},
    {"address", 0, CLI_LIST, "ADDR", "", "Address of this node; with --credentials-only, a serving certificate for it is got, too, once the Node has it.", NULL},
    {"renew", 0, CLI_FLAG, NULL, "", "Renew the certificates of a machine that has joined, now; needs no URL and no token.", NULL},
    {"timeout", 0, CLI_DURATION, "TIME", "10m", "How long to wait for the certificate.", NULL},
    {"credentials-only", 0, CLI_FLAG, NULL, "", "Get the credentials and end; start the node later with `cox agent`.", NULL},
    {"cluster-cidr", 0, CLI_STRING, "CIDR", "10.42.0.0/16", "Range of pod addresses of the cluster.", NULL},
    {"cluster-domain", 0, CLI_STRING, "NAME", "cluster.local", "DNS domain of the cluster.", NULL},
    AGENT_RUN_OPTIONS,
    {"log-level", 'v', CLI_STRING, "LEVEL", "info", "error, warn, info or debug.", NULL},
    {"log-format", 0, CLI_STRING, "FORMAT", "text", "text or json.", NULL},
    {0},
};

static void say_waits(const char *request)
{
    fprintf(stderr, "The certificate request %s waits for somebody's approval: the server approves what is as it should be by itself, and not a machine of a domain whose name a node\n"
                    "outside of the domain has (--node-name).  `kubectl get csr` on the server shows it, `kubectl certificate approve %s` lets the machine in.\n", request, request);
}

static int renew(const struct join_opts *o)
{
    struct err err = ERR_NONE;
    bool client, serving;
    if (join_renew(o, &client, &serving, &err) < 0)
        return cli_fail_err(&err);
    printf("Renewed: %s.\n", client && serving ? "the node's certificate and its serving certificate" : "the node's certificate");
    return 0;
}

static int print_where(const struct join_opts *o)
{
    char path[4096];
    struct err err = ERR_NONE;
    join_path(o->dir, "kubeconfig", path);
    if (o->addresses[0] && join_serving(o, &err) < 0)
        return cli_fail_err(&err);
    printf("The credentials of node %s are in %s.\n", o->node_name, path);
    return 0;
}

static int join(struct cli_args *a, const struct join_opts *o)
{
    struct err err = ERR_NONE;
    if (cli_flag(a, "renew"))
        return renew(o);
    if (join_is_done(o))
        printf("This machine has its credentials already.\n");
    if (join_node(o, &err) < 0)
        return cli_fail_err(&err);
    return cli_flag(a, "credentials-only") ? print_where(o) : verb_agent_run(a);
}

static int check_usage(struct cli_args *a)
{
    if (a->npositional != 1)
        return cli_usage(a, "name the server, as in https://10.0.0.1:6443");
    if (!cli_str(a, "token"))
        return cli_str(a, "domain") ? cli_usage(a, "--token is needed: the unused one in the status of the Domain, as `cox get domain %s -o yaml` shows it", cli_str(a, "domain"))
                                    : cli_usage(a, "--token is needed: make one with `cox token create` on the server");
    if (!cli_str(a, "ca-hash") && !cli_str(a, "ca-file"))
        return cli_usage(a, "--ca-hash is needed, so that this machine knows the right cluster: `cox token create --print-join-command` prints it");
    if (strncmp(a->positional[0], "https://", 8) != 0)
        return cli_usage(a, "the server is named by a URL that begins with https://");
    return 0;
}

static int run_join(struct cli_args *a)
{
    ARENA_AUTO arena = ARENA_INIT;
    CLEANUP(free) char *ca = NULL;
    struct agent_run_opts run;
    struct err err = ERR_NONE;
    bool renews = cli_flag(a, "renew");
    if (!renews && check_usage(a))
        return 1;
    if (cli_str(a, "ca-file") && file_read(cli_str(a, "ca-file"), CA_BYTES, &ca, NULL, &err) < 0)
        return cli_fail_err(&err);
    if (agent_run_look(a, &arena, &run, &err) < 0) /* before the token is used, and the node's name as the agent will have it */
        return cli_fail_err(&err);
    struct join_opts o = {.dir = verb_data_dir(a), .node_name = run.agent.node_name, .waits = say_waits, .clock = &clock_real, .timeout_ns = cli_duration_ns(a, "timeout", 0),
                          .url = renews ? NULL : a->positional[0], .token = cli_str(a, "token"), .domain = cli_str(a, "domain"), .ca_hash = cli_str(a, "ca-hash"), .ca_pem = ca, .renew_now = true};
    VEC(const char *) addresses = {0};
    const char *const names[] = {o.node_name, NULL};
    for (size_t i = 0; cli_list(a, "address", i); i++)
        vec_push(&addresses, cli_list(a, "address", i));
    vec_push(&addresses, NULL);
    o.addresses = addresses.p;
    o.dns_names = names;
    int status = join(a, &o);
    vec_fini(&addresses);
    return status;
}

const struct cli_verb verb_join = {
    .name = "join",
    .summary = "Make this machine a node of a cluster.",
    .usage = "URL --token ID.SECRET --ca-hash sha256:HEX [--domain NAME]",
    .help = "The server's certificate authority is checked against the hash before the token is sent, so that neither a mistyped address nor somebody in between\n"
            "learns it.  The token is needed once: the node then has a certificate of its own, which it renews by itself.\n"
            "With --domain the machine is of that institution, and the token has to be, too: docs/domains.md.",
    .examples = "  cox join https://10.0.0.1:6443 --token abcdef.0123456789abcdef --ca-hash sha256:9f1c...\n"
                "  cox join https://10.0.0.1:6443 --domain alice --token abcdef.0123456789abcdef --ca-hash sha256:9f1c...",
    .options = join_options,
    .run = run_join,
};
