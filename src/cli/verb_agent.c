/* verb_agent.c - cox agent: this machine as a node; cox uninstall: the machine as it was before. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <dirent.h>
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "cli/agent_program.h"
#include "cli/agent_simulate.h"
#include "cli/credentials.h"
#include "cli/verbs.h"
#include "client/join.h"
#include "rt/file.h"

static const struct cli_option agent_options[] = {
    {"kubeconfig", 0, CLI_STRING, "FILE", "DIR/agent/kubeconfig", "Credentials of the node; `cox join` makes them.", NULL},
    {"data-dir", 'd', CLI_STRING, "DIR", "/var/lib/cox", "Where the node's credentials, pods, images and logs live.", NULL},
    {"cluster-cidr", 0, CLI_STRING, "CIDR", "10.42.0.0/16", "Range of pod addresses of the cluster.", NULL},
    {"cluster-domain", 0, CLI_STRING, "NAME", "cluster.local", "DNS domain of the cluster.", NULL},
    AGENT_RUN_OPTIONS,
    AGENT_SIMULATE_OPTIONS,
    {"log-level", 'v', CLI_STRING, "LEVEL", "info", "error, warn, info or debug.", NULL},
    {"log-format", 0, CLI_STRING, "FORMAT", "text", "text or json.", NULL},
    {0},
};

/* Log options as every long-running verb has them; false: told. */
static bool setup_log(struct cli_args *a)
{
    enum log_level level = LOG_INFO;
    const char *format = cli_str_or(a, "log-format", "text");
    if (cli_str(a, "log-level") && !log_level_parse(str_of(cli_str(a, "log-level")), &level)) {
        cli_usage(a, "--log-level is one of error, warn, info, debug");
        return false;
    }
    if (strcmp(format, "text") != 0 && strcmp(format, "json") != 0) {
        cli_usage(a, "--log-format is text or json");
        return false;
    }
    log_setup(level, strcmp(format, "json") == 0, STDERR_FILENO);
    return true;
}

int verb_agent_run(struct cli_args *a)
{
    ARENA_AUTO arena = ARENA_INIT;
    struct err err = ERR_NONE;
    struct agent_program_opts o = {.args = a};
    char joined[4096];
    if (!setup_log(a))
        return 1;
    if (agent_run_read(a, &arena, &o.run, &err) < 0)
        return cli_usage(a, "%s", err.msg);
    o.run.data_dir = verb_data_dir(a);
    o.run.cluster_cidr = cli_str_or(a, "cluster-cidr", "10.42.0.0/16");
    o.run.agent.cluster_domain = cli_str_or(a, "cluster-domain", "cluster.local");
    join_path(o.run.data_dir, "kubeconfig", joined);
    o.kubeconfig = cli_str_or(a, "kubeconfig", joined);
    if (cli_given(a, "simulate")) { /* as whoever may write nodes, and needs no machine */
        if (!cli_str(a, "kubeconfig") || cli_int(a, "simulate", 0) < 1 || cli_int(a, "simulate", 0) > UINT32_MAX)
            return cli_usage(a, "--simulate is a number of nodes, and needs --kubeconfig");
        return agent_simulate_run(a, o.kubeconfig, (uint32_t)cli_int(a, "simulate", 0), &err) < 0 ? cli_fail_err(&err) : 0;
    }
    if (geteuid() != 0)
        return cli_fail("the agent makes namespaces, mounts and cgroups: run it as root");
    if (!file_exists(o.kubeconfig))
        return cli_fail("there is no %s: join the cluster first with `cox join`, or name a kubeconfig", o.kubeconfig);
    return agent_program_run(&o, &err) < 0 ? cli_fail_err(&err) : 0;
}

static int run_agent(struct cli_args *a)
{
    return a->npositional ? cli_usage(a, "it takes no arguments, only options") : verb_agent_run(a);
}

const struct cli_verb verb_agent = {
    .name = "agent",
    .summary = "Run pods on this machine, for a server elsewhere.",
    .usage = "[OPTIONS]",
    .help = "Needs credentials, which `cox join` gets with a token.  Pods go on when the agent ends, and the next one takes them over.\n"
            "`cox server` has an agent of its own for its machine.",
    .examples = "  cox agent\n  cox agent --kubeconfig node.kubeconfig --node-label disk=ssd --node-capacity bandwidth=10Gi",
    .options = agent_options,
    .run = run_agent,
};

#define GRACE_NS (10 * NSEC_PER_SEC)

/* --- uninstall ------------------------------------------------------------------------------------------------------------------- */
static const struct cli_option uninstall_options[] = {
    {"data-dir", 'd', CLI_STRING, "DIR", "/var/lib/cox, or ~/.local/share/cox for other users than root", "The data folder of the server or the agent.", NULL},
    {"keep-data", 0, CLI_FLAG, NULL, "", "Keep the data folder: store, keys, images, volumes.", NULL},
    {"cgroup-root", 0, CLI_STRING, "PATH", "cox", "As it was given to the agent.", NULL},
    {"pod-bridge", 0, CLI_STRING, "NAME", "cox0", "As it was given to the agent.", NULL},
    {"grace", 0, CLI_DURATION, "TIME", "10s", "How long containers have to end after SIGTERM; 0s: they are killed at once.", NULL},
    {"yes", 'y', CLI_FLAG, NULL, "", "Remove the data without asking.", NULL},
    {0},
};

static bool is_sure(const char *dir)
{
    char answer[16] = "";
    printf("This removes the cluster's data in %s for good. Type yes to go on: ", dir);
    fflush(stdout);
    if (!fgets(answer, sizeof answer, stdin))
        putchar('\n');
    return strcmp(answer, "yes\n") == 0;
}

/* Whether the folder that a process calls `name` is the same as ours: it may have another root, and it may have started elsewhere. */
static bool is_same_folder(struct arena *a, int64_t pid, str name, const struct stat *ours)
{
    struct stat theirs;
    str path = arena_fmt(a, name.len && name.p[0] == '/' ? "/proc/%lld/root" STR_FMT : "/proc/%lld/cwd/" STR_FMT, (long long)pid, STR_ARG(name));
    return stat(path.p, &theirs) == 0 && theirs.st_dev == ours->st_dev && theirs.st_ino == ours->st_ino;
}

/* The data folder as a process was told it: by option, by variable or not at all. */
static str folder_of(struct arena *a, int64_t pid, str words)
{
    str dir = STR_NONE, word, environment = STR_NONE;
    CLEANUP(free) char *text = NULL;
    size_t len;
    while (words.len) {
        str_cut(&words, 0, &word);
        if (str_is(word, "--data-dir") || str_is(word, "-d"))
            str_cut(&words, 0, &dir);
        else if (str_has_prefix(word, S("--data-dir=")))
            dir = str_from(word, 11);
    }
    if (!dir.len && file_read(arena_fmt(a, "/proc/%lld/environ", (long long)pid).p, 1u << 20, &text, &len, NULL) == 0)
        environment = arena_str(a, str_n(text, len));
    while (environment.len) {
        str_cut(&environment, 0, &word);
        if (str_has_prefix(word, S("COX_DATA_DIR=")))
            dir = str_from(word, 13);
    }
    return dir.len ? dir : S("/var/lib/cox");
}

/* A server or agent that still runs would put back what is removed. */
static bool is_in_use(const char *dir, struct err *err)
{
    ARENA_AUTO a = ARENA_INIT;
    DIR *proc = opendir("/proc");
    struct stat ours;
    bool found = false;
    if (stat(dir, &ours) < 0)
        ours = (struct stat){0};
    for (struct dirent *e; proc && !found && (e = readdir(proc));) {
        int64_t pid;
        char *text;
        size_t len;
        if (!str_to_i64(str_of(e->d_name), &pid) || pid == getpid() || file_read(arena_fmt(&a, "/proc/%lld/cmdline", (long long)pid).p, 1u << 16, &text, &len, NULL) < 0)
            continue;
        str rest = str_n(text, len), first, verb;
        bool on_paper = str_find(rest, S("--simulate")) >= 0; /* such nodes use no folder */
        str_cut(&rest, 0, &first);
        str_cut(&rest, 0, &verb);
        bool is_ours = str_has_suffix(first, S("cox")) && (str_is(verb, "server") || str_is(verb, "agent") || str_is(verb, "join")) && !on_paper;
        found = is_ours && is_same_folder(&a, pid, folder_of(&a, pid, rest), &ours);
        if (found)
            err_set(err, E_CONFLICT, "a cox " STR_FMT " runs on %s (process %lld): end it first", STR_ARG(verb), dir, (long long)pid);
        free(text);
    }
    if (proc)
        closedir(proc);
    return found;
}

/* A folder on a disk of its own is emptied; where the disk is mounted stays. */
static int remove_data(const char *dir, struct err *err)
{
    struct stat st;
    if (lstat(dir, &st) == 0 && S_ISLNK(st.st_mode)) /* the link goes, as ever */
        return file_remove_all(dir, err);
    int r = file_remove_inside(dir, err);
    if (r == 0 && rmdir(dir) < 0 && errno != EBUSY && errno != ENOENT)
        r = err_sys(err, errno, "cannot remove the folder %s", dir);
    return r;
}

static int run_uninstall(struct cli_args *a)
{
    struct err err = ERR_NONE;
    struct agent_run_opts o = {.data_dir = verb_data_dir(a), .bridge = cli_str(a, "pod-bridge"), .agent.cgroup_root = cli_str(a, "cgroup-root")};
    bool keep = cli_flag(a, "keep-data");
    log_setup(LOG_WARN, false, STDERR_FILENO);
    if (a->npositional)
        return cli_usage(a, "it takes no arguments");
    if (!file_exists(o.data_dir)) {
        printf("There is nothing in %s.\n", o.data_dir);
        return 0;
    }
    if (is_in_use(o.data_dir, &err))
        return cli_fail_err(&err);
    if (!keep && !cli_flag(a, "yes") && !is_sure(o.data_dir))
        return cli_fail("the answer was not \"yes\": nothing was removed");
    ARENA_AUTO arena = ARENA_INIT;
    bool had_agent = file_exists(arena_fmt(&arena, "%s/agent", o.data_dir).p); /* else the bridge is somebody else's */
    if (had_agent && geteuid() == 0 && agent_run_cleanup(&o, cli_duration_ns(a, "grace", GRACE_NS), &err) < 0)
        return cli_fail_err(&err);
    credentials_forget(o.data_dir);
    if (!keep && remove_data(o.data_dir, &err) < 0)
        return cli_fail_err(&err);
    printf(keep ? "Pods have ended and nothing of them is left; the data stays in %s.\n" : "Nothing of the cluster is left in %s or on this machine.\n", o.data_dir);
    return 0;
}

const struct cli_verb verb_uninstall = {
    .name = "uninstall",
    .summary = "Remove a server or a node from this machine, and everything that it made.",
    .usage = "[OPTIONS]",
    .help = "Ends every pod (SIGTERM, then SIGKILL; hooks are not run, as when a machine shuts down), and removes network devices, rules, mounts and cgroups, and the cluster's entries in kubeconfig files; then the data, unless\n"
            "--keep-data is given.  The server or agent must have been ended before.  The next start makes everything again but the data.",
    .examples = "  cox uninstall\n  cox uninstall --keep-data",
    .options = uninstall_options,
    .run = run_uninstall,
};
