/* limits.h - every bound on what a client, a file or a peer can make us hold, in one place.
 *
 * Names say what is bounded; comments say what happens beyond it. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#define LIMIT_BODY_BYTES (3u << 20)         /* request body: 413, as Kubernetes */
#define LIMIT_OBJECT_BYTES (1536u << 10)    /* stored object: 413, as etcd's 1.5 MiB value limit */
#define LIMIT_JSON_DEPTH 128                /* nesting of JSON and YAML: 400 */
#define LIMIT_OBJECT_DEPTH (LIMIT_JSON_DEPTH - 8) /* nesting of a stored object, managedFields and all: 400; lists, events and tables go around it and are parsed again */
#define LIMIT_JSON_PATCH_OPS 10000          /* 413 */
#define LIMIT_YAML_EVENTS (1u << 20)        /* alias bombs: 400 */
#define LIMIT_HEADER_BYTES (64u << 10)      /* all request headers together: 431 */
#define LIMIT_HEADER_COUNT 128              /* 431 */
#define LIMIT_URL_BYTES (16u << 10)         /* 414 */
#define LIMIT_H2_STREAMS 256                /* concurrent streams a connection */
#define LIMIT_H2_RESETS_PER_SEC 200         /* rapid reset: connection closed */
#define LIMIT_H2_CONTROL_PER_SEC 1000       /* pings, settings, priorities, empty frames: connection closed */
#define LIMIT_BODIES_BYTES (256u << 20)     /* request bodies that one loop is holding: 503 */
#define LIMIT_WATCH_BUFFER_BYTES (4u << 20) /* unsent bytes of one watcher: it is dropped and can resume */
#define LIMIT_CONN_OUT_BYTES (8u << 20)     /* unsent bytes a connection buffers before a handler must wait */
#define LIMIT_READS_IN_FLIGHT 400           /* long lists being sent at once: 429 with Retry-After */
#define LIMIT_WRITES_IN_FLIGHT 4096         /* writes waiting for the store: 429 with Retry-After */
#define LIMIT_WRITES_PER_USER 200           /* of them by one user outside system:masters: 429, so that one client cannot starve the others */
#define LIMIT_WRITES_BYTES (512u << 20)     /* memory of the requests that wait for the store: 429; a disk that hangs must not let them pile up */
#define LIMIT_CONNECTIONS 16384             /* accepted at once; further ones wait in the backlog */
#define LIMIT_STORE_QUEUE 8192              /* transactions waiting for the writer: E_BUSY */
#define LIMIT_STORE_BATCH 1024              /* transactions that share one fsync */
#define LIMIT_STORE_HISTORY 100000          /* changes kept for watch and past lists; older: E_EXPIRED */
#define LIMIT_STORE_HISTORY_BYTES (64u << 20)
#define LIMIT_STORE_KEY_BYTES 1024
#define LIMIT_SELECTOR_TERMS 1024
#define LIMIT_QUEUE_DEPTH 32                /* queues above each other: 422 */
#define LIMIT_QUEUE_RESOURCES 16            /* resources that all queues together speak of, cpu, memory and GPUs included: 422 */
#define LIMIT_QUEUE_STATUS_UNITS 100u       /* units that the status of a queue lists: 422 */
#define LIMIT_CLIENT_EXCHANGES 65536u       /* calls and watches of one HTTPS transport: 429 from the transport itself */
#define LIMIT_NODE_SESSIONS 1024u           /* logs, execs, attaches and port-forwards of a node at once: 503 */
#define LIMIT_NODE_STREAMS 4096             /* of them, and proxied requests, that pass through the API server at once: 429 */
#define LIMIT_NODE_STREAMS_PER_USER 1024    /* of them by one user outside system:masters, as with writes */

/* The scheduling engine.  Beyond: the event is refused with a sentence and changes nothing. */
#define LIMIT_SCHED_NODES 1000000u
#define LIMIT_SCHED_PODS 20000000u
#define LIMIT_SCHED_QUEUE 10000000u    /* units that wait */
#define LIMIT_SCHED_TERMS 65536u       /* distinct terms of affinity and spread */
#define LIMIT_SCHED_PRIORITIES 1024u   /* distinct priorities in use */
#define LIMIT_SCHED_AMOUNT (1ll << 50) /* of one resource: a request beyond counts as this, and every node has less; so sums and percentages stay within 64 bits */
#define LIMIT_SCHED_DURATION_S (10ll * 366 * 24 * 3600) /* durations of pods, groups and queues count as that at most, of shards they are refused: sums with times stay in range */
#define LIMIT_SCHED_GROUP 100000u      /* members of a group */
#define LIMIT_SCHED_LOSSES 65535u      /* pods that say what a restart costs them; what others say is not heard */
#define LIMIT_SCHED_ROUTES 200000u /* ways between domains with a bandwidth; the next is refused */
#define LIMIT_BANDWIDTH_DESTS 14 /* destinations with a limit of their own that a pod has: 422, and the agent refuses the pod */
#define LIMIT_SERVICE_REPLICAS 1000 /* pods of a KusciaDeployment in one domain; more are refused */
#define LIMIT_SCHED_SUBGROUPS 1000u
#define LIMIT_SCHED_TOPOLOGY_KEYS 8u   /* required and preferred keys and sort rules of a group */
#define LIMIT_POLICY_QUEUES 10000u     /* queues of the batch policy */
#define LIMIT_POLICY_QUEUE_NAME 253u   /* bytes of a queue's name, as of any object's */
#define LIMIT_POLICY_USAGE_BYTES (64u << 20) /* of a text of queues' histories that is read back: what follows is left out */
#define LIMIT_SIM_TEMPLATES 10000u     /* templates, jobs and events each of a scenario file */
#define LIMIT_SIMULATE_PODS 1024u       /* pods of a question to queues/NAME/simulate: 400 */
#define LIMIT_SCHED_SPEC_ITEMS 4096u   /* labels, taints, terms, ports, volumes ... of one object */
