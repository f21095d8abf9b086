/* live.h - the scheduler as a part of a cluster: follows an API server, feeds the engine, writes what it decides.
 *
 *   API server ──informers──► engine ─► pipeline ─► binds, nominations, evictions, conditions, Events ──► API server
 *                                ▲                                                                            │
 *                                └──────────────────── the watch says what became of them ◄──────────────────┘
 *
 * Only pods whose spec.schedulerName is one of `names` are placed; every pod on a node counts.  It works on any client/transport.h: in the server's process or
 * over HTTPS on any Kubernetes API server.  It keeps nothing that the API does not have: killed at any moment, it starts again from a list.  Several may run at
 * once: the API server binds a pod once, and the loser hears of it.
 *     l = live_new(&(struct live_opts){.transport = t, .loop = loop, .clock = &clock_real, .profile = profile_builtin(S("default"))}, err);
 *     ... live_stop(l, stopped, arg);  then  live_free(l);
 * Threads: the loop's, which is also the pipeline's driver; workers are the pipeline's own.
 * Ownership: transport, loop and clock outlive it; the profile is taken, texts are copied.
 * Limits: LIVE_BINDS binds in flight and as many waiting, then no decisions are made; conditions of a pod at most every LIVE_SAY_EVERY_NS; LIVE_EVENTS_BURST Events and
 * LIVE_EVENTS_RATE a second, what is beyond is not told. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/clock.h"
#include "client/transport.h"
#include "sched/pipeline.h"

#define LIVE_BINDS 512u
#define LIVE_ENDED 100000u /* groups that are remembered as having members that succeeded */
#define LIVE_SAY_EVERY_NS (30 * NSEC_PER_SEC)
#define LIVE_EVENTS_BURST 5000u
#define LIVE_EVENTS_RATE 500u
#define LIVE_DISCOVER_NS (10 * NSEC_PER_SEC) /* how soon a kind of PodGroup that is new to the server is noticed */

struct live;

struct live_opts {
    struct client_transport *transport;
    struct loop *loop;
    const struct clock *clock;
    struct sched_profile *profile; /* taken, with those that follow it, also by a live_new that fails; pods choose by schedulerName, those of other `names` have the first */
    uint64_t seed;                 /* of ties; 0: by name */
    const char *const *names;      /* schedulerNames, NULL at the end; NULL: "default-scheduler" */
    const char *instance;          /* who writes Events; NULL: the first name */
    uint32_t workers;              /* 0: 1 */
    uint32_t binds;                /* in flight, 0: LIVE_BINDS */
    bool fast;                     /* decisions may depend on timing, see pipeline.h */
    bool no_events;
    bool bind_requests;            /* a BindRequest is written for each bind of a unit in a queue */
    bool standby;                  /* follows, and decides nothing until live_lead */
    bool no_queue_status;          /* somebody else writes the status of queues and shards (KAI, beside which it runs) */
    struct dispatcher_opts dispatch; /* all zero: DISPATCHER_OPTS_DEFAULT */
};

/* Starts at once. */
struct live *live_new(const struct live_opts *opts, struct err *err) MUST_CHECK;
/* Ends standing by. */
void live_lead(struct live *l);
/* No decision is made after this; stopped() runs when the transport has let go of everything, at once or later. */
void live_stop(struct live *l, void (*stopped)(void *arg), void *arg);
void live_free(struct live *l); /* after stopped(), or when loop and transport have stopped */

/* Everything has been listed once. */
bool live_is_synced(const struct live *l);
/* In Prometheus' text format, with kube-scheduler's names. */
void live_metrics_write(struct live *l, struct strbuf *out);
/* Why the pod waits, or why it is where it is, as the record of explain.h, with the nodes that were considered.  E_NOT_FOUND: no such pod here. */
int live_explain(struct live *l, struct arena *a, str ns, str name, struct json *ret, struct err *err) MUST_CHECK;
/* The same of all parties of a task, by the name of its TaskResourceGroup (explain_nodes.h). */
int live_explain_group(struct live *l, struct arena *a, str name, struct json *ret, struct err *err) MUST_CHECK;

/* Would this work start in the queue, when, and at whose cost: the question and the answer are those of policy/simulate.h; nothing is changed.  E_INVALID_ARG, E_UNAVAILABLE. */
int live_simulate(struct live *l, struct arena *a, str queue, const struct json *question, struct json *ret, struct err *err) MUST_CHECK;

/* For tests. */
struct sched *live_sched(struct live *l);
struct pipeline *live_pipeline(struct live *l);
