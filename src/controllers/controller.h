/* controller.h - what a controller is made of: a row that says what it watches, and a reconcile for one key as a chain of calls.
 *
 *   event of a watched resource ─► event() ─► workqueue_add(c->queue, key) ─► reconcile(job) ─► job_call ─► next(job) ─► ... ─► job_end
 *
 * Threads: all of it on the controllers' loop.
 * Ownership: a job and what is on its arena, the answers of all its calls among it, live until job_end. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "client/informer.h"
#include "client/workqueue.h"
#include "controllers/controllers.h"
#include "controllers/resources.h"

struct controller;
struct job;

struct controller_watch {
    const char *group, *plural; /* plural "*": everything that can be listed, watched and deleted, but events */
    void (*event)(struct controller *c, const struct resource *r, struct informer_event *ev);
    void (*begin)(struct controller *c, const struct resource *r);  /* a list begins; may be NULL */
    void (*synced)(struct controller *c, const struct resource *r); /* the list is complete; may be NULL */
    void (*gone)(struct controller *c, const struct resource *r);   /* the resource is not served any more; may be NULL */
};

#define CONTROLLER_MAX_WATCHES 12

struct controller_type {
    const char *name;
    unsigned parallel; /* keys at once */
    nsec_t max_delay_ns;
    bool reads_managed_fields; /* answers come with metadata.managedFields; whoever writes an object without them leaves them as they are */
    struct controller_watch watches[CONTROLLER_MAX_WATCHES]; /* up to the first without plural */
    void (*init)(struct controller *c);      /* may be NULL */
    void (*fini)(struct controller *c);      /* may be NULL */
    void (*reconcile)(struct job *j);
    void (*resources_changed)(struct controller *c, struct resource_set *set); /* may be NULL */
};

struct controller {
    const struct controller_type *type;
    struct controllers *all;
    const struct controllers_opts *opts;
    struct workqueue *queue;
    void *state; /* the controller's own */
};

/* --- jobs: one run of reconcile ------------------------------------------------------------------------------------------- */
struct job {
    struct controller *c;
    struct work *work;
    str key; /* of the work */
    struct arena arena;
    /* answer of the last call */
    int status;         /* 0: none came */
    struct json answer; /* null when the body is no JSON, and for a DELETE that worked */
    void *state;        /* the reconcile's own, on the arena */
    void *steps;        /* of a helper that makes several calls (kuscia.h), on the arena */
    /* private */
    struct list link_;
    struct client_call call_;
    struct resources_wait wait_;
    struct resource_set *set_;
    void (*next_)(struct job *j);
};

/* Sends a request; next runs with the answer.  A method with a body sends JSON, PATCH a merge patch. */
void job_call(struct job *j, str method, str path, const struct json *body, void (*next)(struct job *j));
/* An answer as the tree that jobs read; it stays as long as the job.  Null: it is no JSON. */
struct json job_answer_tree(struct job *j, str response);
/* Asks for a fresh set of resources; next finds it in job_resources (NULL: none). */
void job_discover(struct job *j, void (*next)(struct job *j));
struct resource_set *job_resources(struct job *j);
void job_end(struct job *j, enum work_result result);
void job_end_after(struct job *j, nsec_t delay);
/* Ends the job as the last answer asks: done or gone ends it well, the rest (conflicts too) is tried again. */
void job_end_status(struct job *j);
bool job_ok(const struct job *j); /* 2xx */
/* 404 that is about the object, not about an unknown resource. */
bool job_not_found(const struct job *j);

/* --- for the rest of the controllers ----------------------------------------------------------------------------------------- */
/* Every watched resource has been listed once. */
bool controllers_synced(const struct controllers *all);
bool controllers_stopping(const struct controllers *all);
struct resources *controllers_resources(struct controllers *all);
/* The row of a type that is in the registry. */
struct controller *controllers_find(struct controllers *all, const struct controller_type *type);
/* Asks for the resources again, a moment later. */
void controllers_rediscover(struct controllers *all);
/* Keys are "ns/name", or "name". */
void controller_key_split(str key, str *ret_ns, str *ret_name);
void controller_enqueue(struct controller *c, struct informer_event *ev);
bool object_deleting(const struct json *obj);
bool object_has_finalizer(const struct json *obj, str finalizer);
/* {"metadata":{"resourceVersion":RV,"finalizers":[...with it, without it]}} as a merge patch. */
struct json finalizer_addition(struct arena *a, const struct json *obj, str finalizer);
struct json finalizer_removal(struct arena *a, const struct json *obj, str finalizer);
/* {"metadata":{"resourceVersion":RV,"uid":UID}} to add a change to. */
struct json patch_of(struct arena *a, const struct json *obj);
/* DeleteOptions with the uid as precondition; policy "" : none. */
struct json delete_options(struct arena *a, str uid, str policy);
str now_text(struct arena *a, const struct clock *clock);
/* Sets the condition in obj.status.conditions; true when anything but the time changed. */
bool condition_set(struct arena *a, const struct clock *clock, struct json *obj, const char *type, bool status, str reason, str message);

extern const struct controller_type controller_namespace, controller_namespace_content, controller_gc, controller_crd_cleanup, controller_token_secret, controller_event_ttl,
    controller_role_aggregation, controller_volume_protection;
extern const struct controller_type controller_certificates, controller_token_cleaner, controller_grouping;
