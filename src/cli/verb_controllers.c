/* verb_controllers.c - cox controllers: the controllers (src/controllers) as a program of its own (component.h), beside any Kubernetes API server. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/component.h"
#include "cli/verbs.h"
#include "controllers/controllers.h"
#include "rt/file.h"

#define PEM_BYTES (64u << 10)

struct run {
    struct controllers_opts opts;
    struct controllers *controllers; /* NULL: in standby */
    char *signing_cert, *signing_key;
};

/* Who signs certificates gives both files; nobody else can. */
static int read_signing(struct run *x, const struct cli_args *a, struct err *err)
{
    const char *cert = cli_str(a, "cluster-signing-cert-file"), *key = cli_str(a, "cluster-signing-key-file");
    if (!cert && !key)
        return 0;
    if (!cert || !key)
        return err_set(err, E_INVALID_ARG, "--cluster-signing-cert-file and --cluster-signing-key-file belong together: give both or none");
    int r = file_read(cert, PEM_BYTES, &x->signing_cert, NULL, err);
    return r < 0 ? r : file_read(key, PEM_BYTES, &x->signing_key, NULL, err);
}

static void lead(void *self)
{
    struct run *x = self;
    x->controllers = controllers_new(&x->opts);
}

static int start(void *self, const struct component_env *env, struct err *err)
{
    struct run *x = self;
    const struct cli_args *a = env->session->args;
    int r = read_signing(x, a, err);
    if (r < 0)
        return r;
    x->opts = (struct controllers_opts){.transport = env->transport,
                                        .loop = env->loop,
                                        .clock = &clock_real,
                                        .root_ca_pem = x->signing_cert ? x->signing_cert : env->session->resolved.ca_pem,
                                        .root_ca_key_pem = x->signing_key,
                                        .cluster_cidr = cli_str(a, "cluster-cidr"),
                                        .event_ttl_ns = cli_duration_ns(a, "event-ttl", 0),
                                        .kuscia_job_ttl_ns = cli_duration_ns(a, "kuscia-job-ttl", 0),
                                        .pod_gc_quarantine_ns = cli_duration_ns(a, "pod-gc-quarantine", 0),
                                        .finished_pods = (size_t)cli_int(a, "terminated-pod-gc-threshold", 0),
                                        .hpa_period_ns = cli_duration_ns(a, "horizontal-pod-autoscaler-sync-period", 0),
                                        .node_grace_ns = cli_duration_ns(a, "node-grace", 0)};
    if (!env->standby)
        lead(self);
    return 0;
}

static void stop(void *self, void (*done)(void *arg), void *arg)
{
    struct run *x = self;
    if (x->controllers)
        controllers_stop(x->controllers, done, arg);
    else
        done(arg);
}

static void free_run(void *self)
{
    struct run *x = self;
    if (x->controllers)
        controllers_free(x->controllers);
    free(x->signing_cert);
    free(x->signing_key);
}

static void metrics(void *self, struct strbuf *b)
{
    const struct run *x = self;
    strbuf_addf(b, "# HELP cox_controllers_active Whether this one acts, or waits for the Lease.\n# TYPE cox_controllers_active gauge\ncox_controllers_active %d\n", x->controllers != NULL);
}

/* One in standby is as ready as it can be. */
static bool is_ready(void *self UNUSED)
{
    return true;
}

static int run_program(struct session *s, struct failure *f)
{
    static const struct component_ops ops = {.name = "controllers", .start = start, .lead = lead, .stop = stop, .free = free_run, .metrics = metrics, .is_ready = is_ready};
    struct run x = {0};
    return component_run(s, &ops, &x, f);
}

static int run_controllers(struct cli_args *a)
{
    int r = component_setup(a);
    return r ? r : session_run(a, run_program);
}

static const struct cli_option controllers_options[] = {
    {"cluster-cidr", 0, CLI_STRING, "CIDR", "", "Range of pod addresses, of which each node gets a /24; without it nodes get none.", NULL},
    {"cluster-signing-cert-file", 0, CLI_STRING, "FILE", "", "Certificate of the authority that signs nodes' certificates.", NULL},
    {"cluster-signing-key-file", 0, CLI_STRING, "FILE", "", "Its key; without both none are signed.", NULL},
    {"node-grace", 0, CLI_DURATION, "TIME", "40s", "How long a node may be silent until it counts as lost.", NULL},
    {"event-ttl", 0, CLI_DURATION, "TIME", "1h", "How long events are kept.", NULL},
    {"kuscia-job-ttl", 0, CLI_DURATION, "TIME", "720h", "How long KusciaJobs are kept after they have ended.", NULL},
    {"pod-gc-quarantine", 0, CLI_DURATION, "TIME", "40s", "How long a node must be gone until its pods are removed.", NULL},
    {"horizontal-pod-autoscaler-sync-period", 0, CLI_DURATION, "TIME", "15s", "How often autoscalers look at metrics.", NULL},
    {"terminated-pod-gc-threshold", 0, CLI_INT, "N", "12500", "How many finished pods are kept before the oldest go.", NULL},
    COMPONENT_OPTIONS("cox-controllers"),
    {0},
};

const struct cli_verb verb_controllers = {
    .name = "controllers",
    .summary = "Run only the controllers, against any Kubernetes API server.",
    .usage = "[OPTIONS]",
    .help = "Keeps the cluster as its objects say: workloads, nodes, services, volumes, garbage.  It keeps nothing of its own: it can be killed and started\n"
            "again at any moment.  It takes the place of kube-controller-manager, or of those in a `cox server --controllers=false`.",
    .examples = "  cox controllers --kubeconfig admin.kubeconfig\n  cox controllers --leader-elect --metrics-bind 127.0.0.1:10257",
    .options = controllers_options,
    .run = run_controllers,
    .is_client = true,
};
