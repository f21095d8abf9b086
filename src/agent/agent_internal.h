/* agent_internal.h - what the files of the agent share; nobody else includes it.
 *
 *   agent.c       start, stop, informers
 *   agent_table.c the pods by uid, calls to the API
 *   agent_adopt.c what runs when the agent starts
 *   agent_pod.c   one pod: seen ─► plan ─► operations
 *   agent_ops.c   the operations: set up, refresh, tear down, forget
 *   agent_start.c operations of a container that begins: image, devices, start, postStart
 *   agent_end.c   operations of a container that ends: preStop, signals, how it ended, removal; exec for probes
 *   agent_refs.c  objects that a pod names
 *   agent_report.c status of pods to the API, deletions
 *   agent_node.h  the Node and its Lease; agent_node_status.h what it says of itself; agent_nodes.h what the API says of nodes
 *   agent_static.c manifests of static pods
 *   agent_evict.c node pressure
 *   agent_volumes.c folders of local-path volumes that were deleted
 *   agent_usage.c usage and documents of the node's server
 *   agent_bandwidth.c shares of the network, and what is used of it
 *   agent_links.c what passes between domains */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stdatomic.h>

#include "agent/agent.h"
#include "agent/pod/container_build.h"
#include "agent/images/images.h"
#include "agent/node/node_amounts.h"
#include "agent/node/node_bandwidth.h"
#include "agent/node/node_info.h"
#include "agent/pod/pod_plan.h"
#include "agent/probes/probes.h"
#include "agent/runtime/runtime.h"
#include "agent/streams/streams.h"
#include "base/list.h"
#include "base/map.h"
#include "base/vec.h"
#include "client/events.h"
#include "client/informer.h"
#include "rt/work.h"

struct agent_pod;

/* A call to the API that owns its texts. */
struct agent_call {
    struct client_call call;
    struct agent *agent;
    void (*done)(struct agent_call *c); /* status and response are in call; the struct goes after it */
    void *owner;
    bool always; /* done also runs when the agent is stopping */
    struct list link;
    char text[];
};

struct agent_container {
    struct agent_pod *pod;
    str name;                   /* in the pod's names arena */
    struct container_seen seen; /* strings are in `texts` */
    struct arena texts;
    str runtime_id;             /* the runtime's own, without its name before it; "" none */
    struct probe_set *probes;
    struct hook_run *hook;
    struct loop_timer kill_timer;
    nsec_t kill_at;             /* SIGKILL then; 0: no kill is under way */
    struct op *op;              /* under way; NULL: none */
    bool exit_wanted;           /* it changed while an operation was under way */
    char *remove_id;            /* the runtime's id of a run that ended: removed when its end is in a file; heap, NULL: none */
    uint32_t start_failures;    /* in a row */
    bool image_failed;          /* the last failure was the image's */
    str tried;                  /* the image that failed; in `texts` */
    uint32_t backoff_told;      /* `starts` when an Event told of the back-off */
    int stop_signal;            /* of its image; 0: none */
    uint64_t gpus;              /* bits: devices it holds */
    bool gpus_shared;           /* with others */
    uint64_t partitions;        /* bits: of opts.partitions */
};

struct agent_pod {
    struct agent *agent;
    struct list link;
    str uid, ns, name;          /* in names */
    size_t nops;                /* of it and its containers, on pool threads */
    bool is_dead;               /* out of all tables; memory goes when the last operation has come back */
    struct arena names;
    char *text;                 /* the pod's JSON */
    struct arena tree_arena;
    struct json tree;
    struct runtime *runtime;    /* the node's, or that of its RuntimeClass */
    bool in_api;                /* the API has it, as far as known */
    bool gone;                  /* deleted from the API without our doing: ends as fast as it can */
    bool is_static;
    bool is_adopted;            /* from files, the API was not asked yet */
    bool ran_on;                /* when it was adopted, some container of it ran */
    bool checked;               /* admitted by the node's own checks */
    bool has_ended;             /* the API is told that it succeeded or failed: nothing of it runs, and the scheduler gives its share to others while it is torn down */
    bool is_changed;            /* its spec is another than in pod.json */
    uint32_t setup_failures, teardown_failures;
    nsec_t teardown_at;         /* monotonic: not before then, tearing down failed */
    bool is_forgotten;          /* nothing of it is left in files: logs, texts */
    struct pod_seen seen;       /* strings in `texts` or the containers' */
    struct arena texts;         /* seen.setup_message */
    str pod_ip_text;            /* in names */
    VEC(struct agent_container *) containers;
    struct op *op;              /* setup, teardown, refresh */
    struct loop_timer wake, refresh;
    struct loop_defer sync;
    /* objects */
    struct arena refs_arena;
    struct pod_ref *refs;
    size_t nrefs;
    nsec_t refs_at;             /* monotonic, 0: never */
    nsec_t token_until;         /* wall: when the first token must be renewed */
    /* report */
    char *checkpoint;           /* status text in status.json */
    char *reported;             /* status text that the API has or gets */
    char *unreported;           /* newer, waits for the call under way or for its turn; NULL: none */
    bool reporting, deleting_in_api, wants_delete;
    bool says_new;              /* checkpoint differs from the conditions in the tree */
    uint64_t reported_rv, event_rv; /* resourceVersions of the API's newest answer, and of the watch; 0: not known */
    char *mirror_uid;           /* of a static pod's mirror, when in_api; heap */
    bool mirror_busy;           /* it is being created */
    unsigned report_failures;
    struct loop_timer report_timer;
    uint64_t disk_bytes;        /* as last measured */
};

enum op_kind { OP_SETUP, OP_TEARDOWN, OP_FORGET, OP_REFRESH, OP_START, OP_SIGNAL, OP_STATUS, OP_REMOVE };

/* What a container gets of the node's GPUs; lives on the arena of its start. */
struct gpu_grant {
    const struct device_spec *devices;
    size_t ndevices;
    const char *const *env; /* NULL at the end; NULL: it asks for none */
    str ids;                /* UUIDs, or numbers where nobody knows them, with commas */
    bool shared;
};

/* One piece of blocking work about a pod or a container. */
struct op {
    struct work_item item;
    enum op_kind kind;
    struct agent *agent;
    struct agent_pod *pod;
    struct agent_container *container; /* NULL: of the pod */
    struct runtime *runtime;
    struct arena arena;
    struct json pod_tree;     /* a copy; SIGNAL, REMOVE, FORGET: none */
    struct pod_ref *refs;
    size_t nrefs;
    struct build_node node;
    uint32_t attempt;
    int signo;
    str runtime_id;
    str *containers;          /* TEARDOWN: ids that are left */
    size_t ncontainers;
    str *holders;             /* TEARDOWN: of images */
    size_t nholders;
    bool keep_files;          /* TEARDOWN: logs, and what tells how it ended */
    struct image_auth *auths;
    size_t nauths;
    struct gpu_grant gpus;
    struct agent_shape *shape; /* SETUP: NULL: none of its own */
    const char *unshaped;     /* SETUP, out: why its share is not in force; NULL: it is */
    str pids_of;              /* START: see container_spec.h */
    int stop_signal;
    /* results */
    int result;
    struct err err;
    const char *reason;       /* of a failure: "ErrImagePull", "CreateContainerConfigError" ... */
    struct container_status status;
    str ip;
    str image_id, image_ref;
    bool pulled;
    bool wants_pull, was_pulled, is_here; /* START: by way of the registry; is_here: an older copy would do */
    nsec_t pull_ns;
    str termination_message;
};

struct agent {
    struct agent_opts opts;
    struct arena texts;        /* of opts */
    struct client_transport *transport;
    struct loop *loop;
    const struct clock *clock;
    struct work_pool *pool;      /* what ends soon */
    struct work_pool *pull_pool; /* images that are pulled */
    struct work_pool *exec_pool; /* commands of probes and hooks: as long as they like */
    atomic_bool exec_stop;       /* the agent ends: commands are not waited for any more */
    struct runtime *runtime;   /* of pods that do not choose */
    struct runtime *others[4]; /* opened when a RuntimeClass asked for them */
    struct images *images;
    struct probes *probes;
    struct streams *streams;
    struct events *events;
    uint16_t port;
    char *resolv_conf;
    /* pods */
    struct list pods;
    struct map by_uid;
    struct map by_container;   /* runtime's id -> agent_container */
    struct informer *pod_informer;
    bool pods_synced;
    size_t ops;                /* under way */
    size_t calls;
    struct list call_list;
    /* node */
    struct node_info info;
    struct arena info_arena;
    struct informer *node_informer, *volume_informer;
    str node_uid;
    struct arena node_arena;   /* node_uid, pod_cidr */
    bool registered, network_ready, network_busy, ready_reported;
    nsec_t cert_wanted_until;  /* monotonic: without a certificate of the cluster the node is not Ready before; 0: it has one */
    char network_error[200];
    str pod_cidr;
    str node_ip;
    struct loop_timer lease_timer, status_timer, register_timer, static_timer, usage_timer, evict_timer, network_timer;
    bool lease_busy, status_busy, status_again;
    bool status_void;          /* somebody else's word may have come after the one under way */
    nsec_t lease_acquired;
    char *status_reported;     /* node status text */
    char *images_text;         /* status.images, JSON text; NULL: not known yet */
    bool images_busy;
    nsec_t status_at;
    struct map peers;          /* node name -> struct peer */
    unsigned peers_round;      /* of the list that showed them */
    bool peers_changed, peers_busy;
    uint64_t gpus_whole;      /* bits: devices that one container has for itself */
    uint16_t gpu_parts[NODE_GPUS_MAX]; /* containers that share it */
    uint64_t partitions_held; /* bits: of opts.partitions, that a container has */
    struct agent_static *statics;
    struct agent_evict *evict;
    struct agent_usage *usage;
    struct agent_bandwidth *bandwidth; /* NULL: the network has no shares */
    struct loop_timer bandwidth_timer;
    struct node_bandwidth bandwidth_node;
    int64_t bandwidth_card;            /* Mbit/s, as info had it when that was made */
    char *bandwidth_note;              /* annotation of the Node that says what it has; NULL: none */
    double bandwidth_overcommit;       /* of the Node's annotation; 0: none */
    bool bandwidth_lending;            /* of the Node's annotation: what was measured decides how much is free, and how much is lent */
    char *domain;                      /* institution that the node is of; NULL: none */
    bool links_stale;                  /* the network is to be told which domains' traffic is counted */
    nsec_t links_not_before;
    bool links_counted, links_told;    /* some is; that it does not work was logged */
    bool bandwidth_lent_shown;         /* the Node's status says how much is lent, perhaps from before: 0 takes it back */
    bool stopping;
    void (*stopped)(void *arg);
    void *stopped_arg;
    size_t stop_waits;
};

/* --- agent.c ------------------------------------------------------------------------------------------------- */
/* The runtime of a RuntimeClass' handler, "" : the node's. */
int agent_runtime(struct agent *g, str handler, struct runtime **ret, struct err *err) MUST_CHECK;

/* --- agent_table.c ---------------------------------------------------------------------------------------------- */
struct agent_pod *agent_find(struct agent *g, str uid);
struct agent_pod *agent_find_name(struct agent *g, str ns, str name);
/* A new pod, or a new version of one. */
struct agent_pod *agent_put(struct agent *g, str text, bool is_static);
void agent_pod_set_text(struct agent_pod *p, str text);
void agent_pod_gone(struct agent_pod *p);
/* Out of all tables at once; its memory goes when no operation is under way any more. */
void agent_pod_free(struct agent_pod *p);
void agent_pod_release(struct agent_pod *p);
/* Whether a name from outside can be a part of a path. */
bool agent_is_name(str name);
/* Sends a request; texts are copied.  done may be NULL.  NULL: the agent is stopping, and nothing was sent. */
struct agent_call *agent_call(struct agent *g, const char *method, str path, const char *content_type, str body, void (*done)(struct agent_call *c), void *owner);
str agent_pod_path(struct arena *a, const struct agent_pod *p, const char *more);
/* c: NULL: about the pod */
void agent_event(struct agent *g, const struct agent_pod *p, const struct agent_container *c, const char *type, const char *reason, str message);
void agent_waits_end(struct agent *g); /* one thing less is under way */
const char *agent_pod_dir(const struct agent *g, struct arena *a, str uid);
const char *agent_log_dir(const struct agent *g, struct arena *a, const struct agent_pod *p);

/* --- agent_adopt.c -------------------------------------------------------------------------------------------- */
/* Pods of the files and containers of the runtime; blocks. */
int agent_adopt(struct agent *g, struct err *err) MUST_CHECK;
/* What a status says of containers that are not seen any more: how they ended, how often they were started.  stale: the sandbox that they were in is gone. */
void agent_recall(struct agent_pod *p, const struct json *status, bool stale);
void agent_checkpoint_status(struct agent_pod *p, str status);
/* The pod's spec is another than in pod.json. */
void agent_checkpoint_changed(struct agent_pod *p);
/* pods/UID/pod.json and setup.json (sandbox.json is the runtime's); on pool threads. */
int agent_checkpoint_pod(const char *pod_dir, const struct json *pod, struct err *err) MUST_CHECK;
int agent_checkpoint_sandbox(const char *pod_dir, str ip, str boot_id, const char *runtime, struct err *err) MUST_CHECK;

/* Logs of pods that nobody knows any more. */
void agent_collect_logs(struct agent *g);
/* What the node added to a run of a container, for the next agent; on pool threads. */
int agent_checkpoint_run(const char *container_dir, str gpus, bool shared, int stop_signal, struct err *err) MUST_CHECK;

/* Every pod of the folder and what belongs to it. */
int agent_cleanup_pods(const char *dir, struct runtime *rt, const struct agent_network *network, nsec_t grace_ns, struct err *err) MUST_CHECK;

/* --- agent_admit.c --------------------------------------------------------------------------------------------- */
/* The node's own checks of a pod that is new: room for what it asks, host ports.  One that does not pass ends as Failed. */
void agent_admit(struct agent_pod *p);
/* It was admitted and has not ended: its share is nobody else's. */
bool agent_pod_holds(const struct agent_pod *p);
/* What the pod asks for of a resource, in milli-units, as the scheduler counts. */
int64_t agent_pod_request(const struct json *pod, str resource);

/* --- agent_pod.c -------------------------------------------------------------------------------------------- */
void agent_pod_kick(struct agent_pod *p); /* plan it again at the end of this turn */
void agent_pod_on_defer(struct loop_defer *d);
void agent_pod_on_wake(struct loop_timer *t);
void agent_pod_containers(struct agent_pod *p); /* those of the spec that are not there yet */
struct agent_container *agent_pod_container(struct agent_pod *p, str name);
void agent_container_running(struct agent_container *c, const struct container_status *s, bool adopted);
void agent_container_exited(struct agent_container *c, const struct container_status *s, str message);
void agent_on_runtime_change(void *arg, str id);
void agent_on_probe(void *arg, struct probe_set *set, enum probe_kind kind, enum probe_verdict verdict, bool failed, str message);
void agent_pod_fail(struct agent_pod *p, const char *reason, str message, bool disruption);
void agent_pod_probes_stop(struct agent_container *c);
void agent_container_keep_texts(struct agent_container *c); /* strings that were set from elsewhere become its own */

/* --- agent_ops.c ---------------------------------------------------------------------------------------------- */
/* Holds the place while objects are fetched: nothing is copied yet, and it is dropped for agent_op_new. */
struct op *agent_op_placeholder(struct agent_pod *p, struct agent_container *c, enum op_kind kind);
struct op *agent_op_new(struct agent_pod *p, struct agent_container *c, enum op_kind kind);
void agent_op_submit(struct op *o); /* not while the agent is stopping */
void agent_op_again(struct op *o);  /* one that has come back goes to the pool once more */
void agent_op_drop(struct op *o);   /* one that was never submitted; NULL is fine */
bool agent_op_uses_own_network(const struct op *o);
const char *agent_op_netns(struct op *o);
void agent_op_setup(struct agent_pod *p);
void agent_op_teardown(struct agent_pod *p);
void agent_op_forget(struct agent_pod *p);
/* Objects that its volumes show are looked at in a while, or at once: something that they show changed. */
void agent_refresh_later(struct agent_pod *p);
void agent_refresh_soon(struct agent_pod *p);

/* --- agent_start.c -------------------------------------------------------------------------------------------- */
void agent_op_start(struct agent_container *c);
void agent_op_run_start(struct op *o);
void agent_op_end_start(struct op *o);
bool agent_start_goes_on(struct op *o); /* true: it is on its way again, to the registry or from there */

/* --- agent_gpus.c --------------------------------------------------------------------------------------------- */
/* Devices for what the container asks for, none is fine, and notes that it holds them.  Loop; the text of an error is for its status. */
int agent_gpus_take(struct agent_container *c, struct arena *a, struct gpu_grant *ret, struct err *err) MUST_CHECK;
/* Puts the variables of a grant in the place of the container's own.  Any thread. */
void agent_gpus_env(const struct gpu_grant *grant, struct arena *a, struct container_spec *spec);
/* A container that runs already, and what its start wrote down (gpu_grant.ids). */
void agent_gpus_adopt(struct agent_container *c, str ids, bool shared);
void agent_gpus_release(struct agent_container *c);

/* agent_partitions.c: masks are bits of opts.partitions */
int agent_partitions_check(const char *const *list, struct err *err) MUST_CHECK; /* of options */
void agent_partitions_capacity(const struct agent *g, struct arena *a, struct json *capacity);
int agent_partitions_choose(const struct agent *g, const struct json *container, uint64_t *ret, struct err *err) MUST_CHECK; /* free ones, as many as its limits say */
void agent_partitions_names(const struct agent *g, uint64_t mask, struct strbuf *out); /* with commas, after what is there */
uint64_t agent_partitions_find(const struct agent *g, str id); /* 0: none of ours */

/* --- agent_end.c ---------------------------------------------------------------------------------------------- */
void agent_op_kill(struct agent_container *c, int64_t grace_s, const char *reason, str message);
void agent_op_status(struct agent_container *c);
void agent_op_remove(struct agent_container *c); /* what remove_id names */
void agent_op_run_signal(struct op *o);
void agent_op_end_signal(struct op *o);
void agent_op_run_status(struct op *o);
void agent_op_end_status(struct op *o);
void agent_op_run_remove(struct op *o);
void agent_op_end_remove(struct op *o);
void agent_probe_exec(void *arg, str container_id, struct probe_exec *x, void (*done)(struct probe_exec *x));

/* --- agent_refs.c ---------------------------------------------------------------------------------------------- */
/* A value of a Secret's data, decoded on the arena. */
bool pod_secret_value(struct arena *a, const struct json *secret, str key, str *ret);
/* Fetches what the pod names; done runs on the loop with 0, or -E_... when the API did not answer.  It does not run when the agent is stopping. */
void agent_refs_fetch(struct agent_pod *p, void (*done)(struct agent_pod *p, int result, const struct err *err, void *arg), void *arg);

/* --- agent_report.c ---------------------------------------------------------------------------------------------- */
void agent_report(struct agent_pod *p, const struct json *status);
/* What was said last stands in the tree, too, until the API shows something newer: otherwise times of conditions would be made up again. */
void agent_report_settle(struct agent_pod *p);
void agent_report_delete(struct agent_pod *p);
void agent_report_fire(struct loop_timer *t);

/* --- agent_static.c, agent_evict.c, agent_usage.c ------------------------------------------------------------------ */
void agent_static_start(struct agent *g);
void agent_static_synced(struct agent *g);
void agent_static_mirror(struct agent *g, str pod, bool deleted);
void agent_static_soon(struct agent *g); /* a pod whose name another one may wait for is gone */
void agent_static_free(struct agent *g);
void agent_volumes_start(struct agent *g);
/* E_INVALID_ARG with a sentence when a threshold cannot be read. */
int agent_evict_check(const char *hard, struct err *err) MUST_CHECK;
void agent_evict_start(struct agent *g);
void agent_evict_conditions(const struct agent *g, bool *ret_memory, bool *ret_disk, bool *ret_pids);
/* Why a pod is over its limits of ephemeral-storage, "" when it is not; all: its containers' usage, pod_bytes: with its volumes. */
str agent_storage_over(struct arena *a, const struct json *pod, const struct container_usage *all, size_t n, uint64_t pod_bytes);
void agent_evict_free(struct agent *g);
void agent_usage_start(struct agent *g);
void agent_usage_free(struct agent *g);
int agent_stream_find(void *arg, str ns, str pod, str container, struct arena *a, struct stream_target *ret, struct err *err);
bool agent_stream_document(void *arg, str name, struct arena *a, str *ret_type, str *ret_text);

/* --- agent_links.c ------------------------------------------------------------------------------------------------------------------- */
#define AGENT_LINK_READING "link/" /* and the domain: no pod's uid has a slash */
struct agent_links { /* of one round */
    bool set, read;
    struct agent_link *all;
    size_t n;
    struct agent_counter *counters; /* uid: AGENT_LINK_READING and the domain */
    size_t ncounters;
    struct err err;
};
void agent_links_begin(struct agent *g, struct agent_links *l, struct arena *a); /* on the loop */
void agent_links_run(const struct agent *g, struct agent_links *l, struct arena *a); /* on a pool thread */
void agent_links_end(struct agent *g, const struct agent_links *l);
/* used: of a reading, false: it has no rate. */
void agent_links_metrics(const struct agent *g, struct strbuf *out, bool (*used)(const struct agent *g, str reading, int64_t ret[BANDWIDTH_ENDS]), const struct map *readings);

/* --- agent_bandwidth.c --------------------------------------------------------------------------------------------------------------- */
void agent_bandwidth_start(struct agent *g);
void agent_bandwidth_free(struct agent *g);
/* What the pod's object asks for, on the arena; E_INVALID_ARG with a sentence. */
int agent_bandwidth_shape(const struct agent *g, const struct json *pod, struct arena *a, struct agent_shape **ret, struct err *err) MUST_CHECK;
/* The Node's annotation about what it has, "": none. */
void agent_bandwidth_noted(struct agent *g, str note);
/* Reads the card's speed, which may be another one; before the status is made. */
void agent_bandwidth_card(struct agent *g);
/* Is there room beside those who hold theirs? */
bool agent_bandwidth_fits(struct agent_pod *p, const struct agent_pod *const *holders, size_t n, struct arena *a, str *ret_message);
/* Adds "network" and "bandwidth" to what /stats/summary says of a pod, uid "": of the node. */
void agent_bandwidth_summary(struct agent *g, struct arena *a, str uid, str time, struct json *stats);
void agent_bandwidth_metrics(struct agent *g, struct arena *a, struct strbuf *out);
/* What new pods can be promised, and with lending what can be lent (0 as long as nothing is measured), bit/s. */
void agent_bandwidth_room(const struct agent *g, int64_t ret_free[BANDWIDTH_ENDS], int64_t ret_lend[BANDWIDTH_ENDS]);
