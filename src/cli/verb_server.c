/* verb_server.c - cox server, version, kubeconfig, completion, man. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <unistd.h>

#include "base/log.h"
#include "base/version.h"
#include "base/vec.h"
#include "cli/agent_run.h"
#include "cli/cli.h"
#include "cli/credentials.h"
#include "cli/server_run.h"
#include "cli/verbs.h"
#include "rt/file.h"

/* /var/lib/cox for root, ~/.local/share/cox for others. */
const char *verb_data_dir(const struct cli_args *a)
{
    static char path[4096];
    const char *given = cli_str(a, "data-dir"), *home = getenv("HOME");
    if (given)
        return given;
    if (geteuid() == 0 || !home)
        return "/var/lib/cox";
    snprintf(path, sizeof path, "%s/.local/share/cox", home);
    return path;
}

static const struct cli_option server_options[] = {
    {"data-dir", 'd', CLI_STRING, "DIR", "/var/lib/cox, or ~/.local/share/cox for other users than root", "Where the store, keys and the Unix socket live.", NULL},
    {"listen", 'l', CLI_STRING, "ADDR:PORT", "127.0.0.1:6443", "Address to serve on; port 0 picks a free one, an empty address means all.", NULL},
    {"advertise-address", 0, CLI_STRING, "HOST", "", "Name or address that clients use, when it is not the one listened on.", NULL},
    {"tls-san", 0, CLI_LIST, "NAME", "", "Further name or address in the server certificate.", NULL},
    {"write-kubeconfig", 0, CLI_STRING, "FILE", "~/.kube/config", "Where the admin's credentials are merged in; \"none\" for nowhere.", NULL},
    {"kubeconfig-name", 0, CLI_STRING, "NAME", "cox", "Name of the cluster and context there.", NULL},
    {"service-cidr", 0, CLI_STRING, "CIDR", "10.96.0.0/16", "Range of cluster addresses of services.", NULL},
    {"cluster-cidr", 0, CLI_STRING, "CIDR", "10.42.0.0/16", "Range of pod addresses, of which each node gets a /24; \"none\" for none.", NULL},
    {"node-grace", 0, CLI_DURATION, "TIME", "40s", "How long a node may be silent until it counts as lost.", NULL},
    {"cluster-domain", 0, CLI_STRING, "NAME", "cluster.local", "DNS domain of the cluster.", NULL},
    {"token-file", 0, CLI_STRING, "FILE", "", "Static tokens: token,user,uid,\"group1,group2\" a line.", NULL},
    {"audit-log", 0, CLI_STRING, "FILE", "", "Write an audit.k8s.io/v1 event a request to this file.", NULL},
    {"unix-socket", 0, CLI_STRING, "PATH", "DIR/cox.sock", "Plain-text socket for root and the server's own user; \"none\" for none.", NULL},
    {"event-ttl", 0, CLI_DURATION, "TIME", "1h", "How long events are kept.", NULL},
    {"kuscia-job-ttl", 0, CLI_DURATION, "TIME", "720h", "How long KusciaJobs are kept after they have ended.", NULL},
    {"pod-gc-quarantine", 0, CLI_DURATION, "TIME", "40s", "How long a node must be gone until its pods are removed.", NULL},
    {"horizontal-pod-autoscaler-sync-period", 0, CLI_DURATION, "TIME", "15s", "How often autoscalers look at metrics.", NULL},
    {"terminated-pod-gc-threshold", 0, CLI_INT, "N", "12500", "How many finished pods are kept before the oldest go.", NULL},
    {"io-threads", 0, CLI_INT, "N", "one a core, at most 8", "Threads that serve requests.", NULL},
    {"anonymous-auth", 0, CLI_FLAG, NULL, "true", "Let requests without credentials in as system:anonymous.", NULL},
    {"controllers", 0, CLI_FLAG, NULL, "true", "Run the controllers.", NULL},
    {"scheduler", 0, CLI_FLAG, NULL, "true", "Run the scheduler.", NULL},
    {"bind-requests", 0, CLI_FLAG, NULL, "", "Write a BindRequest for each bind of a unit in a queue, as KAI has them.", NULL},
    {"scheduler-profile", 0, CLI_STRING, "NAME|FILE", "default", "default, binpack, spread, gpu-packing, or a file: ours or a KubeSchedulerConfiguration.", NULL},
    {"agent", 0, CLI_FLAG, NULL, "true as root", "Run pods on this machine.", NULL},
    AGENT_RUN_OPTIONS,
    {"pid-file", 0, CLI_STRING, "FILE", "", "Write the process id here.", NULL},
    {"log-level", 'v', CLI_STRING, "LEVEL", "info", "error, warn, info or debug.", NULL},
    {"log-format", 0, CLI_STRING, "FORMAT", "text", "text or json.", NULL},
    {"quiet", 'q', CLI_FLAG, NULL, "", "Do not greet on standard output.", NULL},
    {0},
};

static const char *none_is_empty(const char *v)
{
    return v && strcmp(v, "none") == 0 ? "" : v;
}

static int run_server(struct cli_args *a)
{
    enum log_level level = LOG_INFO;
    const char *format = cli_str_or(a, "log-format", "text");
    if (a->npositional)
        return cli_usage(a, "it takes no arguments, only options");
    if (cli_str(a, "log-level") && !log_level_parse(str_of(cli_str(a, "log-level")), &level))
        return cli_usage(a, "--log-level is one of error, warn, info, debug");
    if (strcmp(format, "text") != 0 && strcmp(format, "json") != 0)
        return cli_usage(a, "--log-format is text or json");
    log_setup(level, strcmp(format, "json") == 0, STDERR_FILENO);
    ARENA_AUTO arena = ARENA_INIT;
    struct agent_run_opts agent;
    struct err err = ERR_NONE;
    if (agent_run_read(a, &arena, &agent, &err) < 0)
        return cli_usage(a, "%s", err.msg);
    bool with_agent = cli_given(a, "agent") ? cli_flag(a, "agent") : geteuid() == 0;
    VEC(const char *) sans = {0};
    for (size_t i = 0; cli_list(a, "tls-san", i); i++)
        vec_push(&sans, cli_list(a, "tls-san", i));
    vec_push(&sans, NULL);
    struct server_opts o = {
        .data_dir = verb_data_dir(a),
        .listen = cli_str_or(a, "listen", "127.0.0.1:6443"),
        .advertise = cli_str(a, "advertise-address"),
        .tls_sans = sans.p,
        .write_kubeconfig = none_is_empty(cli_str(a, "write-kubeconfig")),
        .kubeconfig_name = cli_str(a, "kubeconfig-name"),
        .service_cidr = cli_str(a, "service-cidr"),
        .cluster_cidr = none_is_empty(cli_str(a, "cluster-cidr")),
        .node_grace_ns = cli_duration_ns(a, "node-grace", 0),
        .cluster_domain = cli_str(a, "cluster-domain"),
        .token_file = cli_str(a, "token-file"),
        .audit_log = cli_str(a, "audit-log"),
        .unix_socket = none_is_empty(cli_str(a, "unix-socket")),
        .pid_file = cli_str(a, "pid-file"),
        .event_ttl_ns = cli_duration_ns(a, "event-ttl", 0),
        .kuscia_job_ttl_ns = cli_duration_ns(a, "kuscia-job-ttl", 0),
        .pod_gc_quarantine_ns = cli_duration_ns(a, "pod-gc-quarantine", 0),
        .hpa_period_ns = cli_duration_ns(a, "horizontal-pod-autoscaler-sync-period", 0),
        .finished_pods = (size_t)MAX(cli_int(a, "terminated-pod-gc-threshold", 0), 0),
        .io_threads = (int)cli_int(a, "io-threads", 0),
        .no_controllers = cli_given(a, "controllers") && !cli_flag(a, "controllers"),
        .no_scheduler = cli_given(a, "scheduler") && !cli_flag(a, "scheduler"),
        .scheduler_profile = cli_str(a, "scheduler-profile"),
        .bind_requests = cli_flag(a, "bind-requests"),
        .no_anonymous = cli_given(a, "anonymous-auth") && !cli_flag(a, "anonymous-auth"),
        .quiet = cli_flag(a, "quiet"),
        .agent = with_agent ? &agent : NULL,
    };
    int r = server_run(&o, &err);
    vec_fini(&sans);
    return r < 0 ? cli_fail_err(&err) : 0;
}

const struct cli_verb verb_server = {
    .name = "server",
    .summary = "Run a cluster in one process: API server, store, controllers, scheduler and, as root, this machine as its first node.",
    .usage = "[OPTIONS]",
    .help = "The first start makes a certificate authority and an admin user under the data directory and merges the admin's credentials into a\n"
            "kubeconfig, without touching entries of other clusters.  SIGTERM ends it cleanly; killing it loses nothing that was acknowledged.",
    .examples = "  cox server\n  cox server --data-dir /tmp/cox --listen 127.0.0.1:0 --write-kubeconfig /tmp/cox/kubeconfig",
    .options = server_options,
    .run = run_server,
};

/* --- kubeconfig ------------------------------------------------------------------------------------------------------------------ */

static const struct cli_option kubeconfig_options[] = {
    {"data-dir", 'd', CLI_STRING, "DIR", "/var/lib/cox, or ~/.local/share/cox for other users than root", "Data directory of the server.", NULL},
    {"server", 's', CLI_STRING, "URL", "https://127.0.0.1:6443", "Address clients shall use.", NULL},
    {"merge-into", 0, CLI_STRING, "FILE", "", "Merge into this kubeconfig instead of printing one.", NULL},
    {"name", 0, CLI_STRING, "NAME", "cox", "Name of the cluster and context.", NULL},
    {0},
};

static int read_pki(const char *dir, const char *name, char **ret, struct err *err)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/pki/%s", dir, name);
    int r = file_read(path, 64u << 10, ret, NULL, err);
    return r < 0 ? err_wrap(err, "no server has run on this data directory, or you may not read it: ") : 0;
}

static int run_kubeconfig(struct cli_args *a)
{
    const char *dir = verb_data_dir(a), *into = cli_str(a, "merge-into"), *name;
    char temporary[4096];
    CLEANUP(free) char *ca = NULL, *cert = NULL, *key = NULL;
    CLEANUP(kubeconfig_free) struct kubeconfig *k = NULL;
    struct err err = ERR_NONE;
    if (read_pki(dir, "ca.crt", &ca, &err) < 0 || read_pki(dir, "admin.crt", &cert, &err) < 0 || read_pki(dir, "admin.key", &key, &err) < 0)
        return cli_fail_err(&err);
    struct kubeconfig_cluster c = {.name = cli_str_or(a, "name", "cox"), .server = cli_str_or(a, "server", "https://127.0.0.1:6443"), .ca_pem = ca, .cert_pem = cert,
                                   .key_pem = key, .make_current = true};
    if (into) {
        ARENA_AUTO arena = ARENA_INIT;
        if (credentials_write(dir, into, &c, &arena, &name, &err) < 0)
            return cli_fail_err(&err);
        printf("Context \"%s\" is in %s.\n", name, into);
        return 0;
    }
    snprintf(temporary, sizeof temporary, "%s/.kubeconfig-%d", dir, (int)getpid());
    if (kubeconfig_load(&(struct kubeconfig_paths){.file = temporary, .may_be_new = true}, &k, &err) < 0 || kubeconfig_merge(k, &c, &name, &err) < 0 || kubeconfig_save(k, &err) < 0)
        return cli_fail_err(&err);
    CLEANUP(free) char *text = NULL;
    int r = file_read(temporary, KUBECONFIG_FILE_MAX, &text, NULL, &err);
    unlink(temporary);
    if (r < 0)
        return cli_fail_err(&err);
    fputs(text, stdout);
    return 0;
}

const struct cli_verb verb_kubeconfig = {
    .name = "kubeconfig",
    .summary = "Print or merge the admin's kubeconfig of a server on this machine.",
    .usage = "[OPTIONS]",
    .examples = "  cox kubeconfig > admin.kubeconfig\n  cox kubeconfig --merge-into ~/.kube/config --name home",
    .options = kubeconfig_options,
    .run = run_kubeconfig,
};

/* --- completion, man --------------------------------------------------------------------------------------------------------------- */

static int run_completion(struct cli_args *a)
{
    static const char *const shells[] = {"bash", "zsh", "fish"};
    for (size_t i = 0; a->npositional == 1 && i < ARRAY_LEN(shells); i++) {
        if (strcmp(a->positional[0], shells[i]) == 0) {
            cli_write_completion(shells[i]);
            return 0;
        }
    }
    return cli_usage(a, "name one shell: bash, zsh or fish");
}

const struct cli_verb verb_completion = {
    .name = "completion",
    .summary = "Print the completion script of a shell.",
    .usage = "(bash | zsh | fish)",
    .examples = "  cox completion bash > /etc/bash_completion.d/cox",
    .run = run_completion,
};

static int run_man(struct cli_args *a)
{
    if (a->npositional)
        return cli_usage(a, "it takes no arguments");
    cli_write_man();
    return 0;
}

const struct cli_verb verb_man = {.name = "man", .summary = "Print the manual page (roff).", .usage = "", .examples = "  cox man | man -l -", .run = run_man};
