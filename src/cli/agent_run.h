/* agent_run.h - the agent as a thread of a program: `cox server` has one for its own machine, `cox agent` and `cox join` are little else.
 *
 *   agent_run_new ─► agent_run_start (a thread: opens runtime and network, runs the loop) ... agent_run_stop ─► stopped() ─► agent_run_free
 *
 * An agent that cannot work on this machine says so once in the log; the program it is a part of goes on, unless it wants to know.
 * Threads: all calls by the program's main thread; stopped() on the agent's.
 * Ownership: opts' texts, the transport and the arguments outlive it. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "agent/agent.h"
#include "cli/cli.h"

struct agent_run;

struct agent_run_opts {
    struct agent_opts agent;   /* loop, network and program are filled in */
    const char *data_dir;
    const char *cluster_cidr;
    const char *network;       /* "bridge" or "host" */
    const char *network_mode, *bridge;
    const char *ca_cert, *ca_key; /* to make the node's server a certificate; NULL: agent.cert_pem is there */
    void (*failed)(void *arg, const struct err *err); /* it cannot work on this machine; on its thread; NULL: the program goes on without it */
    void *failed_arg;
};

/* Rows of the options that every program with an agent has. */
#define AGENT_RUN_OPTIONS                                                                                                                                                  \
    {"config", 0, CLI_CONFIG, "FILE", "", "YAML file with options of this command; capacity: {bandwidth: 10Gi} is --node-capacity bandwidth=10Gi.", NULL},                      \
    {"node-name", 0, CLI_STRING, "NAME", "this machine's name", "Name of the node.", NULL},                                                                               \
    {"node-ip", 0, CLI_STRING, "ADDR", "address of the default route", "Address that other nodes and the server reach it by.", NULL},                                     \
    {"agent-listen", 0, CLI_STRING, "ADDR:PORT", ":10250", "Where the node answers the server: logs, exec, port-forward.", NULL},                                         \
    {"runtime", 0, CLI_STRING, "NAME", "the first that works", "What runs containers: process, oci (runc or crun) or cri (containerd).", NULL},                            \
    {"runtime-config", 0, CLI_STRING, "PATH", "", "Program of oci, or socket of cri.", NULL},                                                                             \
    {"cgroup-root", 0, CLI_STRING, "PATH", "cox", "Where the cgroups of pods live, below each hierarchy.", NULL},                                                         \
    {"pod-network", 0, CLI_STRING, "KIND", "bridge", "bridge: pods have addresses of their own; host: they share the machine's.", NULL},                                  \
    {"pod-network-mode", 0, CLI_STRING, "MODE", "vxlan", "How pods of other nodes are reached: vxlan, routes or none.", NULL},                                            \
    {"pod-bridge", 0, CLI_STRING, "NAME", "cox0", "Name of the bridge.", NULL},                                                                                           \
    {"cluster-dns", 0, CLI_STRING, "ADDR", "", "Name server of pods.", NULL},                                                                                             \
    {"static-pods", 0, CLI_STRING, "DIR", "", "Folder with manifests of static pods.", NULL},                                                                             \
    {"domain", 0, CLI_STRING, "NAME", "", "Institution that the machine is of: a Domain, whose status shows the token to join with.", NULL},                                \
    {"node-label", 0, CLI_LIST, "KEY=VALUE", "", "Label of the node.", NULL},                                                                                             \
    {"node-taint", 0, CLI_LIST, "KEY=VALUE:EFFECT", "", "Taint of the node when it registers.", NULL},                                                                    \
    {"node-capacity", 0, CLI_LIST, "NAME=AMOUNT", "", "Resource that the machine has besides what is found: bandwidth=10Gi, egress=200Mbps.", NULL},                            \
    {"gpu-partition", 0, CLI_LIST, "NAME=ID", "", "Partition of a GPU, cut by others: nvidia.com/mig-1g.5gb=MIG-..., one each.", NULL},                                    \
    {"node-reserved", 0, CLI_LIST, "NAME=AMOUNT", "", "Part of the capacity that is not for pods: cpu=500m, bandwidth=50M.", NULL},                                                      \
    {"max-pods", 0, CLI_INT, "N", "110", "Pods that the node takes.", NULL},                                                                                              \
    {"node-lease", 0, CLI_DURATION, "TIME", "40s", "How long the node's Lease is good; it is renewed four times as often.", NULL},                                        \
    {"insecure-registry", 0, CLI_LIST, "HOST:PORT", "", "Registry without a certificate that can be checked.", NULL},                                                     \
    {"registry-mirror", 0, CLI_LIST, "FROM=TO", "", "Registry to ask instead of another.", NULL},                                                                         \
    {"eviction-hard", 0, CLI_STRING, "LIST", AGENT_EVICTION_HARD, "When the node gets rid of pods; \"none\" for never.", NULL}
/* Reads them.  Lists are on the arena.  The first says nothing in the log: for who only wants to know before it does something else. */
int agent_run_look(const struct cli_args *a, struct arena *arena, struct agent_run_opts *ret, struct err *err) MUST_CHECK;
int agent_run_read(const struct cli_args *a, struct arena *arena, struct agent_run_opts *ret, struct err *err) MUST_CHECK;

int agent_run_new(const struct agent_run_opts *o, struct agent_run **ret, struct err *err) MUST_CHECK;
struct loop *agent_run_loop(struct agent_run *r);
/* Before it is started, when it was not in the options: a transport that lives on the agent's loop. */
void agent_run_set_transport(struct agent_run *r, struct client_transport *t);
const char *agent_run_address(const struct agent_run *r); /* of the node */
int agent_run_set_cert(struct agent_run *r, const char *cert_pem, const char *key_pem, struct err *err) MUST_CHECK; /* on the loop */
int agent_run_start(struct agent_run *r, struct err *err) MUST_CHECK;
/* Pods run on. */
void agent_run_stop(struct agent_run *r, void (*stopped)(void *arg), void *arg);
void agent_run_join(struct agent_run *r); /* its thread ends; NULL is fine */
void agent_run_free(struct agent_run *r); /* after stopped(), or when it was never started; NULL is fine */
/* Ends every pod of the data folder and removes what agents left on the machine: for uninstall, and for make down. */
int agent_run_cleanup(const struct agent_run_opts *o, nsec_t grace_ns, struct err *err) MUST_CHECK;
