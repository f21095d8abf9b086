/* workloads.h - what the workload controllers share: one set of caches, which key an event concerns, and calls in batches.
 *
 *   watches ─► caches ─► changed ─► key of the controller that is concerned ─► reconcile:  workload_begin ─► plan (pure) ─► ops_run ─► workload_status ─► job_end
 *
 * A reconcile looks at the caches and makes its plan in one turn of the loop, so the picture is one; what it needs after a call is on the job's arena.
 * Threads: the controllers' loop.
 * Ownership: ops and their answers live on the job's arena.
 * Limits: OPS_PARALLEL calls of one job at once, and creates start slowly: 1, 2, 4, ... as long as they work. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "api/selector.h"
#include "controllers/controller.h"
#include "client/object_cache.h"
#include "controllers/pod_cache.h"

enum workload_kind {
    WORKLOAD_REPLICASET,
    WORKLOAD_RC,
    WORKLOAD_DEPLOYMENT,
    WORKLOAD_STATEFULSET,
    WORKLOAD_DAEMONSET,
    WORKLOAD_JOB,
    WORKLOAD_CRONJOB,
    WORKLOAD_REVISION,
    WORKLOAD_NODE,
    WORKLOAD_CLAIM, /* of a volume: name and owners */
    WORKLOAD_KINDS,
};

struct workload_type {
    const char *group, *version, *plural, *kind;
    bool owns_pods;
};
extern const struct workload_type workload_types[WORKLOAD_KINDS];

struct workloads {
    struct controller *c;
    struct pod_cache pods;
    struct object_cache objects[WORKLOAD_KINDS];
    bool pods_synced, synced;
    VEC(struct workload_member {
        struct controller *c;
        enum workload_kind kind;
    }) members;
    VEC(struct workload_waiter {
        struct controller *c;
        void (*synced)(struct controller *c);
    }) waiters;
};

struct workloads *workloads_of(struct controller *c);
/* In init(): keys of this kind are queued when the object, a pod of it or a pod that it selects changes. */
void workloads_join(struct controller *c, enum workload_kind kind);
/* In init(): runs once, when everything has been listed for the first time. */
void workloads_on_synced(struct controller *c, void (*synced)(struct controller *c));
/* Every object of the kind again. */
void workloads_queue_all(struct controller *c, enum workload_kind kind);

/* --- one reconcile --------------------------------------------------------------------------------------------------------- */
struct workload {
    struct workloads *all;
    enum workload_kind kind;
    struct json obj; /* as cached, a tree of the job's own */
    const struct json *meta, *spec;
    str ns, name, uid;
    struct selector selector;
    nsec_t now;
    bool seek;
    struct json notes; /* annotations that are written with the status; null: none */
    void (*next_)(struct job *j);
};
/* False: nothing to do, and the job has ended. */
bool workload_begin(struct job *j, struct workload *w, enum workload_kind kind) MUST_CHECK;
str workload_path(struct arena *a, const struct workload *w, const char *subresource); /* "" : the object */
str workload_child_path(struct arena *a, const struct workload *w, const char *plural, str name); /* core/v1 */
struct json workload_owner_ref(struct arena *a, const struct workload *w);
/* Takes pods without a controller that it selects, lets go of its own that it does not select; next runs in any case. */
void workload_claim(struct job *j, struct workload *w, void (*next)(struct job *j));
/* Writes status when it differs; next finds the answer, status 200 when there was nothing to write. */
void workload_status(struct job *j, struct workload *w, const struct json *status, void (*next)(struct job *j));
/* A pod of the template: labels, annotations, finalizers, spec; generate: the name is a beginning. */
struct json workload_pod(struct arena *a, const struct workload *w, const struct json *template, str name, bool generate);
/* 0 when absent */
nsec_t workload_seconds(const struct json *obj, str key);
void status_int(struct arena *a, struct json *status, const char *key, int64_t value); /* absent when 0 */
/* "25%" of total, or a number. */
int64_t int_or_percent(const struct json *v, int64_t total, bool round_up, int64_t otherwise);
/* Ten characters without vowels: what a text hashes to, for names. */
str hash_name(struct arena *a, str text, int64_t salt);

/* --- calls in batches --------------------------------------------------------------------------------------------------------- */
#define OPS_PARALLEL 64

enum op_type { OP_POD_CREATE, OP_POD_DELETE, OP_POD_PATCH, OP_DELETE, OP_OTHER };

struct op {
    enum op_type type;
    str method, path, content_type; /* "" : JSON, merge patch */
    struct json body;
    str key, uid; /* of a pod */
    bool unread;  /* nobody looks at what it answers when it works */
    /* after the run */
    int status; /* 0: no answer, or not sent because another create failed */
    struct json answer;
};
struct ops {
    struct op *p;
    size_t len, cap;
};
struct op *ops_add(struct arena *a, struct ops *o, struct op op);
void ops_add_create(struct arena *a, struct ops *o, const struct workload *w, struct json pod);
void ops_add_delete(struct arena *a, struct ops *o, const struct pod_record *p);
void ops_run(struct job *j, struct ops *o, void (*next)(struct job *j));
/* The first op that did not work, NULL: all did.  A pod that is gone already, and one that is there already, did. */
const struct op *ops_failure(const struct ops *o);
bool op_ok(const struct op *op);
str op_message(const struct op *op); /* what the server said */

extern const struct controller_type controller_workload_caches, controller_replicaset, controller_rc, controller_deployment, controller_statefulset, controller_daemonset,
    controller_batch_job, controller_cronjob, controller_ttl_after_finished, controller_disruption, controller_pod_gc, controller_resource_quota, controller_hpa;
