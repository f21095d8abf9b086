/* agent.h - the node agent: registers its machine, runs the pods that are bound to it, reports what became of them.
 *
 *   API server ──informers──► pods ─► pod_plan (pure) ─► actions on pool threads: volumes, network, runtime
 *        ▲                              ▲    │                            │
 *        └── status, Events, Lease ─────┼────┴──── seen ◄─────────────────┘
 *   files under DIR/pods ───────────────┘   (after a restart: what runs is adopted, nothing is restarted)
 *
 * It works on any client/transport.h: inside `cox server` or over HTTPS against any Kubernetes API server.  Without a server everything goes on as it was told last; what changed is reported
 * when the server is back.
 * Threads: the loop's; blocking work on a pool of its own.
 * Ownership: transport, loop, clock, network and the texts of the options outlive it.
 * Limits: AGENT_PODS_MAX pods; one operation at a time for each container. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/clock.h"
#include "base/err.h"
#include "client/transport.h"
#include "wire/json.h"

#define AGENT_PODS_MAX 4096

struct agent;

struct agent_peer {
    str name, ip, pod_cidr;
};

/* What a pod has of the network, bit/s; 0: nothing is asked for, nothing is limited. */
struct agent_shape_dest {
    int64_t limit;      /* each direction */
    const str *nets;    /* "10.42.3.0/24" */
    size_t nnets;
};
struct agent_shape {
    int64_t egress_request, ingress_request, egress_limit, ingress_limit;
    const struct agent_shape_dest *dests;
    size_t ndests;
};
struct agent_link { /* to the nodes of another domain */
    str domain;
    const str *nets;
    size_t nnets;
};
struct agent_counter {
    str uid;    /* "": the node; "*": its pods together, without what passes between them; of a link its domain */
    int device; /* another one whenever the counters began anew; 0: there is no link */
    uint64_t out_bytes, in_bytes;
};

/* The pod network, made by who starts the agent.  All calls block and come from pool threads, several at once. */
struct agent_network {
    void *arg;
    /* The node's pod CIDR is known, or changed. */
    int (*open)(void *arg, str pod_cidr, str node_ip, struct err *err);
    /* A network namespace on this path with an address in it; host ports of the pod's spec are forwarded.  Idempotent. */
    int (*attach)(void *arg, str uid, const char *netns, const struct json *pod, struct arena *a, str *ret_ip, struct err *err);
    int (*detach)(void *arg, str uid, const char *netns, struct err *err);
    /* Pods that are still there; what is left of others is removed. */
    int (*collect)(void *arg, const str *uids, size_t n, struct err *err);
    int (*peers)(void *arg, const struct agent_peer *peers, size_t n, struct err *err);
    /* May be NULL: makes again what other programs took of the network since, and says how many links; peers are told again then. */
    int (*mend)(void *arg, size_t *ret_mended, struct err *err);
    /* Shares of bandwidth, all three or none.  What all pods have together, bit/s, which also makes right what other programs did to the shaping since, and says so; one
     * pod's, idempotent, E_UNAVAILABLE where the kernel cannot; and bytes that passed, on the arena. */
    int (*capacity)(void *arg, int64_t egress, int64_t ingress, bool *ret_mended, struct err *err);
    int (*shape)(void *arg, str uid, const struct agent_shape *s, struct err *err);
    int (*counters)(void *arg, struct arena *a, struct agent_counter **ret, size_t *ret_len, struct err *err);
    /* Both or none: what passes between this node's pods and each of these domains is counted, n 0: nothing; E_NOT_FOUND of the other: somebody removed what counts. */
    int (*links)(void *arg, const struct agent_link *links, size_t n, struct err *err);
    int (*link_counters)(void *arg, struct arena *a, struct agent_counter **ret, size_t *ret_len, struct err *err);
};

struct agent_opts {
    struct client_transport *transport;
    struct loop *loop;
    const struct clock *clock;
    const char *dir;            /* DATA/agent */
    const char *program;        /* this program's file */
    const char *node_name;
    const char *node_ip;        /* NULL: the address of the default route's device */
    const char *listen;         /* of the node's server, ":10250"; NULL: none, then no logs and exec */
    const char *cert_pem, *key_pem, *ca_pem; /* of the node's server, and of those who may ask it */
    bool cert_is_stopgap;       /* the cluster has signed none yet: the node waits a little for agent_set_cert before it is Ready */
    const struct agent_network *network; /* NULL: pods share the machine's network */
    const char *pod_cidr;       /* NULL: what the node's spec says */
    const char *runtime;        /* name, NULL: the first that works */
    const char *runtime_config; /* of it, may be NULL */
    const char *cgroup_root;    /* NULL: "cox" */
    const char *cluster_dns, *cluster_domain; /* may be NULL */
    const char *api_host;       /* where pods reach the API server; may be NULL */
    uint16_t api_port;
    const char *static_dir;     /* manifests of static pods; NULL: none */
    const char *volumes_dir;    /* of local-path volumes; NULL: /var/lib/cox/volumes */
    const char *const *labels, *const *taints; /* "key=value", "key=value:NoSchedule"; NULL at the end, may be NULL */
    const char *const *capacity; /* "bandwidth=10Gi" (node_bandwidth.h), further or other resources; may be NULL */
    const char *const *partitions; /* "nvidia.com/mig-1g.5gb=MIG-7f0a...", one each, at most AGENT_PARTITIONS_MAX; may be NULL */
    const char *const *reserved; /* "cpu=500m", not for pods; may be NULL */
    const char *const *insecure_registries, *const *registry_mirrors; /* may be NULL */
    unsigned max_pods;          /* 0: 110 */
    nsec_t lease_ns;            /* 0: 40 s; renewed four times as often */
    nsec_t status_ns;           /* 0: 10 s */
    bool no_eviction;           /* by node pressure */
    const char *eviction_hard;  /* "memory.available<100Mi,nodefs.available<10%"; NULL: AGENT_EVICTION_HARD */
};

#define AGENT_PARTITIONS_MAX 64
#define AGENT_EVICTION_HARD "memory.available<100Mi,nodefs.available<10%,nodefs.inodesFree<5%,pid.available<5%"

/* Names and lists that a person wrote: the runtime is one that is known, thresholds can be read.  For programs, before anything is started. */
int agent_opts_check(const struct agent_opts *opts, struct err *err) MUST_CHECK;

int agent_new(const struct agent_opts *opts, struct agent **ret, struct err *err) MUST_CHECK;
/* Renewed credentials of the node's server. */
int agent_set_cert(struct agent *g, const char *cert_pem, const char *key_pem, struct err *err) MUST_CHECK;
/* Pods run on.  stopped() when nothing is under way any more. */
void agent_stop(struct agent *g, void (*stopped)(void *arg), void *arg);
void agent_free(struct agent *g); /* after stopped(), or when the loop has stopped */
bool agent_is_ready(const struct agent *g);
uint16_t agent_port(const struct agent *g); /* of the node's server; 0: none */

/* The address that the node registers without node_ip; on the arena. */
const char *agent_own_address(struct arena *a);

/* Ends every pod of a folder whose agent does not run any more, and removes what it left: mounts, cgroups, pod folders.  Containers get SIGTERM and have grace_ns for all of them
 * together; hooks are not run, as when a machine shuts down.  Blocks. */
int agent_cleanup(const char *dir, const char *program, const char *cgroup_root, const struct agent_network *network, nsec_t grace_ns, struct err *err) MUST_CHECK;
