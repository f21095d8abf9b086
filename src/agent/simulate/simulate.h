/* simulate.h - nodes on paper: registered, alive, and their pods start, end and go as on real ones, without a process behind them.
 *
 *   one informer of all bound pods ─► pod_plan on paper ─► PATCH pods/status, DELETE with grace 0: a bounded number of calls at a time
 *   one informer of simulated nodes ─► PATCH nodes/status with what the annotation cox.io/bandwidth-capacity says, as a real node reports it
 *   N nodes: POST once, a Lease each, renewed so seldom that the server gets SIMULATE_LEASES_PER_S writes at most (leaseDurationSeconds says so)
 *
 * For scale tests of everything else.  What a node knows of a pod stands in the pod's status, so the simulator keeps little and can be killed and started again at any moment.
 * A pod with the annotation coxswain.dev/run-seconds ends after that time, with coxswain.dev/exit-code if there is one; others run until they are deleted, but for run_ns.  A node that is deleted stays away until the next
 * start, as a machine that was switched off.
 * Threads: the loop's.
 * Ownership: transport, loop, clock and texts of the options outlive it.
 * Limits: SIMULATE_NODES_MAX nodes; about 200 bytes a pod, SIMULATE_HELD_BYTES of pods' texts that wait for their turn (others are read again). */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/clock.h"
#include "base/err.h"
#include "client/transport.h"

#define SIMULATE_NODES_MAX 100000u
#define SIMULATE_LEASES_PER_S 100
#define SIMULATE_HELD_BYTES ((size_t)128 << 20)

struct simulate;

struct simulate_opts {
    struct client_transport *transport;
    struct loop *loop;
    const struct clock *clock;
    uint32_t nodes;
    uint32_t first;              /* number of the first node: several simulators beside each other */
    const char *prefix;          /* of names, NULL: "sim-" */
    const char *const *capacity; /* of each node, "nvidia.com/gpu=8", over cpu=32, memory=256Gi, pods=110, ephemeral-storage=1Ti; NULL at the end, may be NULL */
    unsigned zones;              /* topology.kubernetes.io/zone=zone-0, zone-1 ... in turn; 0: none */
    const char *const *labels;   /* "key=value" of every node, {N} in a value: 0 to N-1 in turn; NULL at the end, may be NULL */
    const char *const *taints;   /* "key=value:NoSchedule"; NULL at the end, may be NULL */
    nsec_t lease_ns;             /* leaseDurationSeconds; 0: 40 s, or more with many nodes */
    nsec_t start_min_ns, start_max_ns; /* from bound to Running, by chance between; 0: at once */
    uint64_t seed;               /* of that chance */
    nsec_t run_ns;               /* pods that are not to run for ever (restartPolicy) and do not say for how long end after this; 0: they do not */
    unsigned parallel;           /* calls at a time, 0: 256 */
};

struct simulate_stats {
    uint32_t nodes;      /* registered */
    uint32_t gone;       /* of the simulated ones, deleted by others */
    uint64_t pods;       /* known now */
    uint64_t running;    /* reported so far */
    uint64_t ended;      /* reported as Succeeded or Failed so far */
    uint64_t deleted;    /* so far */
    uint64_t waiting;    /* calls that wait for their turn */
    uint64_t failures;   /* calls that had to be made again */
    uint64_t leases;     /* renewed so far */
};

int simulate_new(const struct simulate_opts *opts, struct simulate **ret, struct err *err) MUST_CHECK; /* starts at once */
/* Nothing is begun any more; what is under way ends with the transport. */
void simulate_stop(struct simulate *s);
void simulate_free(struct simulate *s); /* when loop and transport have stopped */
void simulate_stats(const struct simulate *s, struct simulate_stats *ret);
