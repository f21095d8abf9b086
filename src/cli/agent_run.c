/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/agent_run.h"

#include <ctype.h>
#include <unistd.h>

#include "agent/node/node_bandwidth.h"
#include "api/validate.h"
#include "apiserver/bandwidth_words.h"
#include "base/log.h"
#include "cli/agent_net.h"
#include "rt/file.h"
#include "rt/thread.h"
#include "rt/tls.h"

#define CERT_YEARS 5 /* made anew at every start */
#define YEAR_NS (365ll * 24 * 3600 * NSEC_PER_SEC)

struct agent_run {
    struct agent_run_opts opts;
    struct arena arena;
    struct loop *loop;
    struct thread thread;
    bool started;
    struct agent_net *net;
    struct agent *agent;
    char *cert, *key;
    struct loop_msg stop;
    void (*stopped)(void *arg);
    void *stopped_arg;
};

/* --- options ---------------------------------------------------------------------------------------------------------------- */
/* What the option gives, and one more; more NULL: none. */
static const char *const *read_list_and(const struct cli_args *a, struct arena *arena, const char *name, const char *more)
{
    size_t n = 0;
    while (cli_list(a, name, n))
        n++;
    if (!n && !more)
        return NULL;
    const char **list = arena_array(arena, n + 2, const char *);
    for (size_t i = 0; i < n; i++)
        list[i] = cli_list(a, name, i);
    list[n] = more;
    return list;
}

static const char *const *read_list(const struct cli_args *a, struct arena *arena, const char *name)
{
    return read_list_and(a, arena, name, NULL);
}

static const char *machine_name(struct arena *arena)
{
    char name[256] = "node";
    gethostname(name, sizeof name - 1);
    for (char *c = name; *c; c++)
        *c = isalnum((unsigned char)*c) || *c == '.' ? (char)tolower((unsigned char)*c) : '-';
    str whole = str_of(name);
    while (whole.len && !isalnum((unsigned char)whole.p[0]))
        whole = str_from(whole, 1);
    while (whole.len && !isalnum((unsigned char)whole.p[whole.len - 1]))
        whole = str_sub(whole, 0, whole.len - 1);
    return arena_cstr(arena, whole.len ? whole : S("node"));
}

/* As the server warns of the annotation: nobody has a node of 1000 bit/s. */
static void warn_of_bits(const struct agent_opts *o)
{
    struct node_bandwidth b;
    char text[BANDWIDTH_TEXT];
    if (node_bandwidth(o->capacity, o->reserved, 0, &b, NULL) < 0)
        return;
    for (int e = 0; e < BANDWIDTH_ENDS; e++)
        if (b.total[e] < WORDS_NODE_BITS)
            log_warn("the node has next to no bandwidth: a number alone counts bits, say the unit as in 100M", KV("which", "%s", bandwidth_resource[e]), KV("has", "%s", bandwidth_print(b.total[e], text)));
}

static int check_node_name(const char *name, struct err *err)
{
    return validate_dns1123_subdomain(str_of(name)) ? err_set(err, E_INVALID_ARG, "--node-name \"%s\" is no name for a node: it has lower-case letters, digits, '-' and '.', and begins and ends with a letter or digit", name) : 0;
}

int agent_run_look(const struct cli_args *a, struct arena *arena, struct agent_run_opts *ret, struct err *err)
{
    const char *domain = cli_str(a, "domain");
    const char *network = cli_str_or(a, "pod-network", "bridge"), *eviction = cli_str(a, "eviction-hard"), *dns = cli_str(a, "cluster-dns");
    if (strcmp(network, "bridge") != 0 && strcmp(network, "host") != 0)
        return err_set(err, E_INVALID_ARG, "--pod-network is bridge or host, not \"%s\"", network);
    *ret = (struct agent_run_opts){
        .network = network,
        .network_mode = cli_str(a, "pod-network-mode"),
        .bridge = cli_str(a, "pod-bridge"),
        .agent = {
            .node_name = cli_str(a, "node-name") ? cli_str(a, "node-name") : machine_name(arena),
            .node_ip = cli_str(a, "node-ip"),
            .listen = cli_str_or(a, "agent-listen", ":10250"),
            .runtime = cli_str(a, "runtime"),
            .runtime_config = cli_str(a, "runtime-config"),
            .cgroup_root = cli_str(a, "cgroup-root"),
            .cluster_dns = dns,
            .static_dir = cli_str(a, "static-pods"),
            .labels = read_list_and(a, arena, "node-label", domain ? arena_fmt(arena, "kuscia.secretflow/namespace=%s", domain).p : NULL),
            .taints = read_list_and(a, arena, "node-taint", domain ? "kuscia.secretflow/agent=v1:NoSchedule" : NULL),
            .capacity = read_list(a, arena, "node-capacity"),
            .partitions = read_list(a, arena, "gpu-partition"),
            .reserved = read_list(a, arena, "node-reserved"),
            .max_pods = (unsigned)cli_int(a, "max-pods", 0),
            .lease_ns = cli_duration_ns(a, "node-lease", 0),
            .insecure_registries = read_list(a, arena, "insecure-registry"),
            .registry_mirrors = read_list(a, arena, "registry-mirror"),
            .no_eviction = eviction && strcmp(eviction, "none") == 0,
            .eviction_hard = eviction,
        },
    };
    int r = check_node_name(ret->agent.node_name, err);
    return r < 0 ? r : agent_opts_check(&ret->agent, err);
}

int agent_run_read(const struct cli_args *a, struct arena *arena, struct agent_run_opts *ret, struct err *err)
{
    int r = agent_run_look(a, arena, ret, err);
    if (r == 0)
        warn_of_bits(&ret->agent);
    return r;
}

/* --- running ------------------------------------------------------------------------------------------------------------------ */
static const char *data_path(struct arena *a, const struct agent_run_opts *o, const char *name)
{
    return arena_fmt(a, "%s/%s", o->data_dir, name).p;
}

static int own_program(struct arena *a, const char **ret, struct err *err)
{
    char path[4096];
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
    if (n < 0)
        return err_set(err, E_IO, "cannot find this program's own file: is /proc mounted?");
    *ret = arena_str(a, str_n(path, (size_t)n)).p;
    return 0;
}

/* Of the node's server, for the names and addresses that it is asked by. */
static int make_cert(struct agent_run *r, struct err *err)
{
    const struct agent_opts *o = &r->opts.agent;
    nsec_t now = clock_wall(o->clock);
    struct node_address {
        const char *names[3], *addresses[3];
    } at = {{o->node_name, "localhost", NULL}, {"127.0.0.1", o->node_ip, NULL}};
    ARENA_AUTO a = ARENA_INIT;
    const char *groups[] = {"system:nodes", NULL};
    struct tls_cert_request req = {.common_name = arena_fmt(&a, "system:node:%s", o->node_name).p, .organizations = groups, .dns_names = at.names, .ip_addresses = at.addresses,
                                   .for_server = true, .not_before = now - 3600 * NSEC_PER_SEC, .not_after = now + CERT_YEARS * YEAR_NS};
    int res = tls_cert_make(&req, r->opts.ca_cert, r->opts.ca_key, &r->cert, &r->key, err);
    r->opts.agent.cert_pem = r->cert;
    r->opts.agent.key_pem = r->key;
    r->opts.agent.ca_pem = r->opts.ca_cert;
    return res;
}

static struct agent_net_opts net_opts(struct arena *a, const struct agent_run_opts *o)
{
    return (struct agent_net_opts){.state_dir = data_path(a, o, "agent/net"), .cluster_cidr = o->cluster_cidr, .mode = o->network_mode, .bridge = o->bridge};
}

static void fill_in(struct agent_run *r)
{
    struct agent_opts *o = &r->opts.agent;
    o->loop = r->loop;
    o->clock = &clock_real;
    o->dir = data_path(&r->arena, &r->opts, "agent");
    o->volumes_dir = data_path(&r->arena, &r->opts, "volumes");
    if (!o->node_ip)
        o->node_ip = agent_own_address(&r->arena);
}

int agent_run_new(const struct agent_run_opts *opts, struct agent_run **ret, struct err *err)
{
    struct agent_run *r = xcalloc(1, sizeof *r);
    r->opts = *opts;
    r->loop = loop_new("agent", &clock_real, err);
    int res = r->loop ? own_program(&r->arena, &r->opts.agent.program, err) : -err->code;
    if (res == 0) {
        fill_in(r);
        if (r->opts.ca_key)
            res = make_cert(r, err);
    }
    if (res == 0 && strcmp(r->opts.network, "bridge") == 0) {
        struct agent_net_opts no = net_opts(&r->arena, &r->opts);
        r->net = agent_net_new(&no);
        r->opts.agent.network = agent_net_network(r->net);
    }
    if (res < 0) {
        agent_run_free(r);
        return res;
    }
    *ret = r;
    return 0;
}

struct loop *agent_run_loop(struct agent_run *r)
{
    return r->loop;
}

void agent_run_set_transport(struct agent_run *r, struct client_transport *t)
{
    r->opts.agent.transport = t;
}

const char *agent_run_address(const struct agent_run *r)
{
    return r->opts.agent.node_ip;
}

int agent_run_set_cert(struct agent_run *r, const char *cert_pem, const char *key_pem, struct err *err)
{
    return r->agent ? agent_set_cert(r->agent, cert_pem, key_pem, err) : 0;
}

static void run(void *arg)
{
    struct agent_run *r = arg;
    struct err err = ERR_NONE;
    if (agent_new(&r->opts.agent, &r->agent, &err) < 0) {
        log_error("this machine runs no pods", KV("why", "%s", err.msg));
        if (r->opts.failed)
            r->opts.failed(r->opts.failed_arg, &err);
    }
    loop_run(r->loop);
}

int agent_run_start(struct agent_run *r, struct err *err)
{
    int res = thread_start(&r->thread, "agent", run, r, err);
    r->started = res == 0;
    return res;
}

static void on_stopped(void *arg)
{
    struct agent_run *r = arg;
    loop_stop(r->loop);
    r->stopped(r->stopped_arg);
}

static void on_stop(struct loop_msg *m)
{
    struct agent_run *r = container_of(m, struct agent_run, stop);
    if (r->agent)
        agent_stop(r->agent, on_stopped, r);
    else
        on_stopped(r);
}

void agent_run_stop(struct agent_run *r, void (*stopped)(void *arg), void *arg)
{
    r->stopped = stopped;
    r->stopped_arg = arg;
    r->stop.fn = on_stop;
    loop_post(r->loop, &r->stop);
}

void agent_run_join(struct agent_run *r)
{
    if (!r || !r->started)
        return;
    loop_stop(r->loop);
    thread_join(&r->thread);
    r->started = false;
}

void agent_run_free(struct agent_run *r)
{
    if (!r)
        return;
    agent_run_join(r);
    agent_free(r->agent);
    agent_net_free(r->net);
    if (r->loop)
        loop_free(r->loop);
    arena_fini(&r->arena);
    free(r->cert);
    free(r->key);
    free(r);
}

int agent_run_cleanup(const struct agent_run_opts *o, nsec_t grace_ns, struct err *err)
{
    ARENA_AUTO a = ARENA_INIT;
    const char *program;
    int r = own_program(&a, &program, err);
    if (r < 0)
        return r;
    struct agent_net_opts no = net_opts(&a, o);
    struct agent_net *net = agent_net_new(&no);
    r = agent_cleanup(data_path(&a, o, "agent"), program, o->agent.cgroup_root, agent_net_network(net), grace_ns, err);
    agent_net_free(net);
    return r < 0 ? r : agent_net_remove(&no, err);
}
