/* live_internal.h - what the files of live.h share.
 *
 *   live.c          birth, turns, end           live_bind.c     binds and what becomes of them
 *   live_sources.c  informers, discovery        live_claims.c   volumes of a pod before its bind
 *   live_feed.c     objects to the engine       live_evict.c    victims, nominations
 *   live_twin.c     pods known by their text    live_hold.c     pods that wait for their group
 *   live_say.c      conditions                  live_event.c    Events
 *   live_metrics.c  counters                    live_policy.c   queues, the batch policy
 *   live_reserve.c  Gödel's Reservations        live_move.c     Gödel's Movements
 *   live_phase.c    status of Gödel's groups    live_defrag.c   pods are moved: a rescheduler
 *   live_groups.c   status of PodGroups         live_backfill.c reservations, in words and numbers
 *   live_groups.c   status of PodGroups         live_workloads.c  Kubernetes' own gangs
 *   live_requests.c records of binds            live_ended.c    pods that have ended
 *   live_groups.c   status of PodGroups         live_shards.c   options and node pools: SchedulingShards
 *   live_usage.c    what queues used            live_pools.c    a policy for each node pool
 *
 * Pods are named by the engine's ids.  An id is used again after its pod has gone, so everything that outlives a turn carries the note's stamp along and
 * compares: note(l, p)->stamp == stamp. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/log.h"
#include "client/informer.h"
#include "sched/dispatcher/line.h"
#include "sched/live/live.h"
#include "sched/live/outbox.h"
#include "sched/policy/policy.h"

#define LIVE_CLASS_BIAS (1ll << 32) /* priorities as pointers that are never NULL */

struct live_bind;

/* A pod of ours that has no node in the API yet. */
struct live_wait {
    uint16_t name;      /* its schedulerName, of live.names */
    bool is_false;      /* the API has PodScheduled=False */
    bool is_nominated;  /* ... a nominatedNodeName */
    bool is_held;       /* see live_hold.c */
    uint8_t result;     /* enum unit_result: what there is to say */
    pod_id failed_pod;
    uint32_t helped_by;
    uint64_t said;      /* hash of the condition's message in the API; 0 none */
    nsec_t said_at;     /* when we wrote it; 0: never */
    uint64_t why;       /* of a unit of a queue: live_groups_why at that time */
    nsec_t say_due;     /* its entry in live.say; 0: none */
    nsec_t seen_at;     /* first */
    struct live_bind *bind;
    uint32_t bind_failures;
    uint32_t event_count; /* of the FailedScheduling event; 0: none yet */
    uint32_t victims;     /* that had to go for it */
    uint64_t event_id;
    nsec_t event_at;
};
struct live_note { /* of a pod in the engine */
    uint64_t rv;      /* of the object that was fed last */
    uint32_t stamp;   /* rises when the pod goes */
    uint32_t listing; /* the list that had it */
    struct live_wait *wait;
    bool evicting;    /* we delete it: it leaves, whatever its object says */
    uint64_t content;   /* hash of what its text says, see live_twin.c; 0: not known */
    uint64_t template_; /* ... of the template it may stand for; 0: none */
};

/* --- what the pipeline decided, done after it has returned ------------------------------------------------------------------------ */
enum live_action_kind { ACT_BIND, ACT_NOMINATE, ACT_EVICT, ACT_REJECTED };
struct live_action {
    enum live_action_kind kind;
    pod_id pod;
    node_id node;
    unit_id unit;
    enum unit_result result;
    uint32_t helped_by;
    uint8_t policy; /* ACT_EVICT: enum policy_action plus 1; 0: by the rules of Kubernetes */
};

/* --- metrics ------------------------------------------------------------------------------------------------------------------------ */
#define LIVE_BUCKETS 20
struct live_histogram {
    uint64_t count[LIVE_BUCKETS + 1];
    double sum;
};
enum live_result { LIVE_SCHEDULED, LIVE_UNSCHEDULABLE, LIVE_ERROR };
struct live_attempts { /* by enum live_result */
    uint64_t count[3];
    struct live_histogram duration[3]; /* s */
};
struct live_metrics {
    struct live_attempts attempts[PROFILES_MAX]; /* by profile */
    struct live_histogram sli;         /* from first seen to bound, s */
    struct live_histogram tries;       /* attempts until bound */
    struct live_histogram victims;     /* of a preemption */
    struct live_histogram binding;     /* s */
    uint64_t preemptions;
    uint64_t bind_ok, bind_refused, bind_failed;
    uint64_t incoming;                 /* pods that came */
    uint64_t lists;                    /* that began */
    uint64_t twins, echoes;            /* pods that were recognised by their text */
    uint64_t bad_objects;
    uint64_t events_sent, events_dropped, conditions;
};

/* --- the whole ------------------------------------------------------------------------------------------------------------------------ */
struct live_sources;
struct live_twins;
struct live_policy;
struct live_groups;
struct live_reserves;
struct live_moves;
struct live_defrag;
struct live_phases;
struct live_shards;
struct live_usage;

/* A node pool: its own policy over its own nodes, queues and units.  The first is that of what has no label; without any SchedulingShard it is all there is, whatever labels say. */
#define LIVE_POOLS 64u
struct queue_note { /* of a queue, by id */
    uint64_t said;  /* hash of the status that was written last */
    uint64_t put;   /* hash of what was put last; 0: nothing */
};
struct live_pool {
    char *name; /* value of the label; "": none */
    struct policy *p;
    struct policy_decisions d;
    nsec_t again_ns;
    nsec_t defrag_ns; /* live_defrag.c's: when it is thought of next */
    struct queue_note *notes;
    size_t nnotes;
    struct live_usage *usage; /* live_usage.c's */
};

struct live_policy {
    struct live_pool **pools; /* [LIVE_POOLS]; [0]: what has no label */
    size_t npools;
    bool is_split; /* there are shards: labels count */
    bool is_on;
    bool has_units; /* there was one, ever: who does not use queues pays nothing for them */
    bool status_stale;
    nsec_t status_at, status_took;
    uint64_t taken[POLICY_ACTIONS]; /* decisions, by action */
    uint64_t evicted[POLICY_ACTIONS];
};

struct live {
    struct live_opts opts;
    char **names;
    uint16_t nnames;
    char *instance;
    nsec_t wall_base; /* wall time minus monotonic time, once */
    struct sched *s;
    struct pipeline *p;
    struct dispatcher *d;
    struct binder *b;
    struct live_sources *sources;
    struct live_twins *twins; /* NULL: none yet */
    struct live_policy *policy;
    struct live_groups *groups;
    struct live_reserves *reserves; /* Gödel's objects */
    struct live_moves *moves;
    struct live_defrag *defrag;
    struct live_phases *phases;
    struct live_shards *shards;
    uint32_t nprofiles; /* the operator's; those of queues follow */
    struct live_note *notes; /* by pod id */
    uint32_t nnotes;
    uint32_t pod_listing; /* lists of pods begun */
    struct map classes; /* PriorityClasses by name: (void *)(value + LIVE_CLASS_BIAS) */
    VEC(struct live_action) actions;

    struct outbox *binds;  /* binds, evictions, nominations */
    struct outbox *words;  /* conditions, Events */
    struct list all_binds; /* struct live_bind, whatever they wait for */
    struct list all_evictions;
    struct list all_holds;
    struct live_ended *ended_pods;
    struct map workloads; /* "ns/name" -> struct live_workload */
    struct map ended; /* "ns/group" of groups with members that succeeded; keys are ours */

    struct line say;       /* pods whose condition is to be looked at, by time */
    uint64_t say_seq;
    size_t nsaying; /* entries of it that are meant */
    struct live_sentence *sentences; /* what was said of a class lately */
    double event_tokens;
    nsec_t event_tokens_at;
    uint64_t event_seq;

    struct loop_defer defer;
    struct loop_timer timer;
    size_t batch; /* units of a turn */
    bool leading, synced, stopping, policy_more;
    unsigned stop_waits;
    void (*on_stopped)(void *arg);
    void *on_stopped_arg;
    struct live_metrics m;
    nsec_t complained_at; /* about objects that cannot be read */
};

/* Now on the engine's scale: wall time that never goes back. */
nsec_t live_now(const struct live *l);
struct live_note *live_note(struct live *l, pod_id p);
static inline bool live_is_same(struct live *l, pod_id p, uint32_t stamp)
{
    return p < l->nnotes && l->notes[p].stamp == stamp;
}
/* Something may be ready: a turn at the end of this one of the loop. */
void live_wake(struct live *l);
/* A step of stopping is over. */
void live_stop_step(struct live *l);

/* live_sources.c */
struct live_sources *live_sources_new(struct live *l);
void live_sources_stop(struct live_sources *x); /* live_stop_step when done */
void live_sources_free(struct live_sources *x);
void live_sources_synced(struct live *l);       /* live.c: all is there */

/* live_feed.c */
enum live_kind { KIND_NODE, KIND_POD, KIND_NAMESPACE, KIND_PV, KIND_PVC, KIND_STORAGE_CLASS, KIND_CSINODE, KIND_PDB, KIND_PRIORITY_CLASS, KIND_QUEUE, KIND_TOPOLOGY, KIND_GROUP, KIND_WORKLOAD, KIND_RESERVATION, KIND_MOVEMENT, KIND_SHARD, KIND_ROUTE };
void live_sources_again(struct live *l, enum live_kind kind); /* lists the kind once more: it is to be read differently (live_sources.c) */
bool live_feed_put(struct live *l, enum live_kind kind, struct arena *a, struct json *obj); /* false: it says nothing new */
void live_feed_delete(struct live *l, enum live_kind kind, str ns, str name);
void live_pod_remove(struct live *l, pod_id p);
/* Pods of the engine that the last list did not have are removed. */
void live_pods_sweep(struct live *l);
/* A pod as a GET has just answered it. */
void live_feed_answer(struct live *l, str text);
/* A twin that is new, and an assumed pod that is bound: what a put of their objects does around the engine's. */
void live_feed_twin(struct live *l, pod_id p, uint16_t name, uint64_t rv);
void live_feed_confirm(struct live *l, pod_id p, uint64_t rv);
int live_name_index(const struct live *l, str scheduler_name); /* -1: not ours */
void live_queue_unit(struct live *l, unit_id u); /* something about it is new: to the dispatcher, or to the policy */

/* live_twin.c */
/* True: the pod needs no reading, all is done.  Else it is to be put as usual, and live_twin_learn called while the text is there. */
bool live_twin_take(struct live *l, str text);
void live_twin_learn(struct live *l);
void live_twins_clear(struct live *l); /* pods may be read differently from now on */
void live_twins_free(struct live *l);

/* live_bind.c */
void live_bind_start(struct live *l, pod_id p, node_id n);
void live_binds_claims_changed(struct live *l, str ns, str name); /* a claim was fed */
void live_binds_free(struct live *l);

/* live_claims.c */
struct live_claims;
/* What the unbound claims of the pod were promised on its node; NULL: nothing has to be done before the bind. */
struct live_claims *live_claims_new(struct live *l, pod_id p);
void live_claims_start(struct live_claims *x, void (*done)(void *arg, bool ok), void *arg); /* writes; done: all of them are bound, or it failed */
void live_claims_look(struct live_claims *x); /* something about claims has changed */
str live_claims_text(const struct live_claims *x, struct arena *a); /* what it waits for */
bool live_claims_has(const struct live_claims *x, str ns, str name);
void live_claims_free(struct live_claims *x);

/* live_evict.c */
void live_evictions_begin(struct live *l, unit_id by); /* victims are counted from here */
void live_evict(struct live *l, pod_id victim, unit_id by, uint8_t policy /* see struct live_action */);
void live_nominate(struct live *l, pod_id p, node_id n);
void live_evictions_free(struct live *l);

/* live_say.c */
void live_say_later(struct live *l, unit_id u, enum unit_result result, pod_id failed, uint32_t helped_by, nsec_t earliest);
/* Says what is due, not much at once; returns when it wants to be called again. */
nsec_t live_say_some(struct live *l, nsec_t now);
/* A pod that has its place, and whose claims take their time. */
void live_say_claims(struct live *l, pod_id p, str message);
/* A pod that the engine would not take. */
void live_say_error(struct live *l, const struct json *obj, const char *why);
void live_say_read(struct live_wait *w, const struct json *obj); /* what the API has already */
void live_say_forget(struct live *l, struct live_wait *w);
void live_say_free(struct live *l);

/* live_event.c */
struct live_event {
    const char *type, *reason, *action;
    str controller;
    const char *api_version, *kind; /* NULL: a pod */
    str ns, name, uid;
    str note;
};
void live_event_send(struct live *l, const struct live_event *e);
void live_event_failed(struct live *l, pod_id p, struct live_wait *w, const char *reason, str note); /* reason: FailedScheduling, or more particular */
void live_event_again(struct live *l, pod_id p, struct live_wait *w);            /* the same once more: counted */
/* A request that nobody waits for, in live.words; the texts are copied. */
void live_words_send(struct live *l, const char *method, str path, const char *content_type, str body);
void live_words_free_item(struct outbox_item *it);
/* "/api/v1/namespaces/NS/pods/NAME" and what follows. */
void live_pod_path(struct strbuf *b, str ns, str name, const char *more);

/* live_pools.c */
struct live_policy *live_policy_new(struct live *l);
void live_policy_free(struct live_policy *x); /* before the engine */
size_t live_policy_pools(const struct live *l, struct live_pool *const **ret);
struct live_pool *live_policy_pool(const struct live *l, str name); /* NULL: no shard is for it */
/* The pools there are from now on, by name, the first is ""; is_split: labels count. */
void live_policy_set_pools(struct live *l, const str *names, size_t n, bool is_split);
void live_policy_set_opts(struct live *l, struct live_pool *pool, const struct policy_opts *opts);
void live_policy_charge(struct live *l); /* something is about to change: what was held until now is counted */

/* live_policy.c */
void live_policy_start(struct live *l); /* the server has queues */
bool live_policy_is_on(const struct live *l);
/* Of the unit; one that says nothing about it when no shard is for its pool. */
const struct policy *live_policy_of(const struct live *l, unit_id u);
void live_policy_why(const struct live *l, unit_id u, struct policy_why *ret); /* without its place */
void live_policy_stale(struct live *l);
bool live_policy_takes(const struct live *l, unit_id u);
void live_policy_wake(struct live *l); /* there is a unit of a queue */
void live_policy_unit(struct live *l, unit_id u); /* it is the policy's, and new or changed */
int live_policy_put(struct live *l, struct arena *a, const struct json *obj, struct err *err) MUST_CHECK;
void live_policy_delete(struct live *l, str name);
void live_policy_events(struct live *l, uint64_t events);
bool live_policy_decide(struct live *l, nsec_t now);
nsec_t live_policy_due(const struct live *l); /* when it wants to be called again */
void live_policy_status(struct live *l, nsec_t now);
void live_policy_refused(struct live *l); /* a status of a queue did not get through */
str live_policy_sentence(struct live *l, struct arena *a, unit_id u); /* without its place */
bool live_policy_waits(struct live *l, unit_id u);
void live_policy_explain(struct live *l, struct arena *a, unit_id u, pod_id p, struct json *record);
void live_policy_metrics(const struct live *l, struct strbuf *out);
/* ,"key":{"nvidia.com/gpu":"4"}; what is null is removed by the rules of merge patches. */
enum live_zeros { ZEROS_LEFT_OUT, ZEROS_WRITTEN, ZEROS_NULL };
void live_amounts_add(struct live *l, const struct queues *q, struct strbuf *b, const char *key, const struct policy_amounts *v, enum live_zeros zeros);

/* live_backfill.c */
void live_backfill_metrics(const struct live *l, struct strbuf *out);

/* live_groups.c */
bool live_groups_marks(struct live *l, unit_id u); /* are its pods told that they find no place?  KAI's markUnschedulable */
uint64_t live_groups_why(struct live *l, unit_id u); /* changes when a unit of a queue waits for another reason; cheap, never 0 */
struct live_groups *live_groups_new(void);
void live_groups_free(struct live_groups *x);
bool live_groups_put(struct live *l, const struct json *obj, uint64_t meaning); /* meaning: of what other objects make of it; false: it was put before and says nothing new */
void live_groups_delete(struct live *l, str ns, str name);
void live_groups_refused(struct live *l, str ns, str name); /* its status did not get through */
void live_groups_stale(struct live *l); /* something changed that a status may speak of */
nsec_t live_groups_status(struct live *l, nsec_t now); /* writes, not much at once; returns when it wants to be called again */
void live_groups_evicted(struct live *l, const struct policy_decision *d);
const char *live_groups_words(enum policy_action action); /* why somebody is evicted */

/* live_ended.c */
struct live_ended_counts {
    uint32_t succeeded, failed;
};
struct live_ended *live_ended_new(void);
void live_ended_free(struct live *l);
void live_ended_pod(struct live *l, str ns, str name, str group, bool failed);
void live_ended_gone(struct live *l, str ns, str name); /* its object is */
void live_ended_sweep(struct live *l);                  /* those that the last list did not have */
struct live_ended_counts live_ended_of(const struct live *l, str group_key /* "ns/name" */);

/* live_requests.c */
void live_request_made(struct live *l, pod_id p, node_id n);
void live_request_done(struct live *l, pod_id p, const char *failure /* NULL: it is bound */, uint32_t failures);

/* live_workloads.c */
#define LIVE_WORKLOAD_GROUPS 64u /* of a Workload, beyond that they are as if not there; the server takes 8 */
void live_workloads_free(struct live *l);
void live_workload_put(struct live *l, const struct json *obj, nsec_t created_ns);
void live_workload_delete(struct live *l, str ns, str name);
bool live_workload_has(const struct live *l, unit_id u); /* its pods name a Workload */
void live_workload_unit(struct live *l, unit_id u);      /* a pod was put into it: it is told what its Workload says */
void live_workload_last(struct live *l, unit_id u);      /* its last pod is about to go */

/* live_reserve.c; a pod's `ns` and `name`, or its object */
struct live_reserves *live_reserves_new(void);
void live_reserves_free(struct live_reserves *x);
bool live_reserves_any(const struct live *l);
void live_reserve_put(struct live *l, const struct json *obj);
void live_reserve_delete(struct live *l, str ns, str name);
bool live_reserve_is_placeholder(const struct live *l, pod_id p);
str live_reserve_for(struct live *l, const struct json *pod); /* a node with room for it that it has from now on; "": none */
void live_reserve_bound(struct live *l, str ns, str name);
void live_reserve_gone(struct live *l, str ns, str name);
void live_reserve_leaving(struct live *l, const struct json *pod); /* it is being deleted: its room is kept if it says so */
nsec_t live_reserves_tick(struct live *l, nsec_t now, uint64_t events); /* returns when it wants to be called again */

/* live_move.c */
struct live_moves *live_moves_new(void);
void live_moves_free(struct live_moves *x);
bool live_moves_any(const struct live *l);
void live_move_put(struct live *l, const struct json *obj);
void live_move_delete(struct live *l, str name);
str live_move_for(struct live *l, const struct json *pod, bool is_new); /* the node that it is to go to, one that is not new: was told to go to; "": none */
struct live_moves_spent { /* by our own rescheduler */
    uint32_t pods;          /* in the last hour */
    bool unsettled, seen_last;
};
/* Older ones of ours are deleted; one is unsettled until its pods have come again, or patience_ns have passed. */
void live_moves_spent(struct live *l, nsec_t now, nsec_t patience_ns, const char *last, struct live_moves_spent *ret);
void live_move_bound(struct live *l, const struct json *pod);
void live_move_gone(struct live *l, str uid);

bool live_moves_missed(const struct live *l, str owner_uid); /* pods of the owner went elsewhere than our rescheduler said */

/* live_defrag.c */
#define LIVE_DEFRAG_CREATOR "cox-rescheduler"
struct live_defrag *live_defrag_new(struct live *l);
void live_defrag_free(struct live_defrag *x);
nsec_t live_defrag_turn(struct live *l, nsec_t now); /* plans and begins; when it wants to be called again */
void live_defrag_metrics(const struct live *l, struct strbuf *out);

/* live_phase.c */
struct live_phases *live_phases_new(void);
void live_phases_free(struct live_phases *x);
void live_phase_put(struct live *l, const struct json *obj);
void live_phase_delete(struct live *l, str ns, str name);
nsec_t live_phases_tick(struct live *l, nsec_t now, uint64_t events);

/* live_shards.c */
struct live_shards *live_shards_new(void);
void live_shards_free(struct live_shards *x);
int live_shards_put(struct live *l, struct arena *a, const struct json *obj, struct err *err) MUST_CHECK;
void live_shards_delete(struct live *l, str name);
void live_shards_again(struct live *l); /* queues and pods are to be read once more */
void live_shards_topology(struct live *l); /* one has changed: groups are to be read once more */
void live_shards_dress(struct live *l, struct pod_spec *spec); /* a pod of a queue: which nodes, and how they are compared */
void live_shards_look(struct live *l, unit_id u); /* its group says something new: are its pods still dressed right? */
void live_shards_queue(struct live *l, str name, const struct json *obj); /* its annotation; obj NULL: it went */
bool live_shards_is_flat(const struct live *l, const struct live_pool *pool);
nsec_t live_shards_turn(struct live *l, nsec_t now); /* lists again what is to be read differently; when it wants to be called again */

/* live_usage.c */
struct live_usage *live_usage_new(struct live *l, struct live_pool *pool);
void live_usage_free(struct live_usage *x);
bool live_usage_is_ready(const struct live_usage *x); /* what there is has been read */
nsec_t live_usage_turn(struct live *l, nsec_t now);   /* reads, writes; when it wants to be called again */
void live_usage_stop(struct live *l); /* writes once more; live_stop_step when done */

/* live_hold.c */
bool live_hold_is_due(struct live *l, pod_id known, const struct pod_spec *spec); /* one gate more */
void live_hold_start(struct live *l, pod_id p); /* it was put with that gate; once a pod */
void live_holds_free(struct live *l);

/* live_metrics.c */
void live_observe_seconds(struct live_histogram *h, double seconds);
void live_observe_count(struct live_histogram *h, double n);
