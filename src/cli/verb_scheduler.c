/* verb_scheduler.c - cox scheduler: the live scheduler (src/sched/live) as a program of its own (component.h), beside any Kubernetes API server.
 *
 * With --leader-elect it follows from the start and decides when it holds the Lease. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/component.h"
#include "cli/scheduler_profile.h"
#include "cli/verbs.h"
#include "sched/live/live.h"

struct scheduler {
    struct live *live;
};

/* --- whose pods ------------------------------------------------------------------------------------------------------------------------------------ */
/* --scheduler-name, or what the profile says. */
static const char *const *names_of(struct session *s, const struct sched_profile *profile)
{
    size_t n = 0;
    while (cli_list(s->args, "scheduler-name", n))
        n++;
    if (!n)
        return scheduler_profile_names(&s->arena, profile, false);
    const char **names = arena_array(&s->arena, n + 1, const char *);
    for (size_t i = 0; i < n; i++)
        names[i] = cli_list(s->args, "scheduler-name", i);
    return names;
}

/* Beside KAI, whose controllers write the status of queues, two would write over each other; who stands in for kai-scheduler is the one. */
static bool writes_queues(struct session *s, const char *const *names)
{
    if (cli_given(s->args, "queue-status"))
        return cli_flag(s->args, "queue-status");
    for (size_t i = 0; names[i]; i++)
        if (strcmp(names[i], "kai-scheduler") == 0)
            return true;
    return false;
}

/* --- the component -------------------------------------------------------------------------------------------------------------------------------------- */
static int read_profile(struct session *s, struct sched_profile **ret, struct err *err)
{
    const char *config = cli_str(s->args, "config"), *profile = cli_str(s->args, "profile");
    if (config && profile)
        return err_set(err, E_INVALID_ARG, "--config and --profile are the same; give one of them");
    int r = scheduler_profile_read(config ? config : profile, ret, err);
    if (r == 0 && (*ret)->next && cli_given(s->args, "scheduler-name")) {
        profile_free(*ret);
        return err_set(err, E_INVALID_ARG, "--scheduler-name does not go with several profiles: %s has the names", config ? config : profile);
    }
    return r;
}

static int start(void *self, const struct component_env *env, struct err *err)
{
    struct scheduler *x = self;
    struct session *s = env->session;
    struct sched_profile *profile;
    int r = read_profile(s, &profile, err);
    if (r < 0)
        return r;
    const char *const *names = names_of(s, profile);
    struct live_opts lo = {.transport = env->transport, .loop = env->loop, .clock = &clock_real, .profile = profile, .names = names, .standby = env->standby};
    lo.instance = arena_fmt(&s->arena, "%s-%s", names[0], env->host).p;
    lo.workers = (uint32_t)MAX(cli_int(s->args, "workers", 1), (int64_t)1);
    lo.binds = (uint32_t)cli_int(s->args, "bind-window", 0);
    lo.seed = (uint64_t)cli_int(s->args, "seed", 0);
    lo.no_queue_status = !writes_queues(s, names);
    lo.no_events = cli_given(s->args, "events") && !cli_flag(s->args, "events");
    lo.bind_requests = cli_flag(s->args, "bind-requests");
    x->live = live_new(&lo, err);
    return x->live ? 0 : -err->code;
}

static void lead(void *self)
{
    live_lead(((struct scheduler *)self)->live);
}

static void stop(void *self, void (*done)(void *arg), void *arg)
{
    live_stop(((struct scheduler *)self)->live, done, arg);
}

static void free_scheduler(void *self)
{
    live_free(((struct scheduler *)self)->live);
}

static void metrics(void *self, struct strbuf *b)
{
    live_metrics_write(((struct scheduler *)self)->live, b);
}

static bool is_ready(void *self)
{
    return live_is_synced(((struct scheduler *)self)->live);
}

static int run_program(struct session *s, struct failure *f)
{
    static const struct component_ops ops = {.name = "scheduler", .start = start, .lead = lead, .stop = stop, .free = free_scheduler, .metrics = metrics, .is_ready = is_ready};
    struct scheduler x = {0};
    return component_run(s, &ops, &x, f);
}

static int run_scheduler(struct cli_args *a)
{
    if (cli_int(a, "workers", 1) < 1 || cli_int(a, "workers", 1) > 64)
        return cli_usage(a, "--workers is a number from 1 to 64");
    if (cli_int(a, "bind-window", 1) < 1 || cli_int(a, "bind-window", 1) > 10000)
        return cli_usage(a, "--bind-window is a number from 1 to 10000");
    int r = component_setup(a);
    return r ? r : session_run(a, run_program);
}

static const struct cli_option scheduler_options[] = {
    {"profile", 'p', CLI_STRING, "NAME|FILE", "default", "default, binpack, spread, gpu-packing, or a file: ours or a KubeSchedulerConfiguration.", NULL},
    {"config", 0, CLI_STRING, "FILE", "", "The same as --profile, under kube-scheduler's name.", NULL},
    {"scheduler-name", 0, CLI_LIST, "NAME", "default-scheduler, and the name in the profile's file; of several profiles their names alone", "Pods with this schedulerName are placed; may be given several times.", NULL},
    {"workers", 'w', CLI_INT, "N", "1", "Threads that look for nodes.", NULL},
    {"seed", 0, CLI_INT, "N", "0", "How equal scores are decided; 0: by name.", NULL},
    {"bind-window", 0, CLI_INT, "N", "512", "Binds on their way to the server at a time.", NULL},
    {"bind-requests", 0, CLI_FLAG, NULL, "", "Write a BindRequest for each bind of a unit in a queue, as KAI has them.", NULL},
    {"events", 0, CLI_FLAG, NULL, "true", "Write Events.", NULL},
    {"queue-status", 0, CLI_FLAG, NULL, "true for kai-scheduler, else false", "Write the status of queues and shards; not beside KAI, which does.", NULL},
    COMPONENT_OPTIONS("cox-scheduler"),
    {0},
};

const struct cli_verb verb_scheduler = {
    .name = "scheduler",
    .summary = "Run only the scheduler, against any Kubernetes API server.",
    .usage = "[OPTIONS]",
    .help = "Follows nodes, pods and what concerns their placement, and binds pods that name it.  It keeps nothing of its own: it can be killed and started\n"
            "again at any moment.",
    .examples = "  cox scheduler --kubeconfig scheduler.kubeconfig --scheduler-name cox\n  cox scheduler --profile binpack --workers 4 --metrics-bind 127.0.0.1:10251",
    .options = scheduler_options,
    .run = run_scheduler,
    .is_client = true,
};
