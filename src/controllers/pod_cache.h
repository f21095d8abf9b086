/* pod_cache.h - what the workload controllers know of pods: a small record of each, found by name, by controller and, when it has none, by namespace.
 *
 *   informer ─► pod_cache_event ─┐
 *                                ├─► record ─► changed(old, new) to those who subscribed
 *   answer of our own write ─► pod_cache_wrote
 *
 * A controller sees its own writes at once: the answer of a create, patch or delete goes into the cache, so a watch that lags never makes it create a pod twice or count a deleted one.  An answer
 * that is older than what the watch has shown already is left out: the watch showed it, and perhaps its end.  Records that only an answer has brought are `unconfirmed` until the watch shows them.
 * Threads: the loop's.
 * Ownership: records belong to the cache and may change or go with every call and every turn of the loop; copy what is needed later.
 * Limits: about half a kilobyte a pod. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/clock.h"
#include "base/list.h"
#include "base/map.h"
#include "base/vec.h"
#include "wire/json.h"

enum pod_phase { POD_PENDING, POD_RUNNING, POD_SUCCEEDED, POD_FAILED, POD_UNKNOWN };

struct pod_record {
    str key, ns, name, uid; /* key "ns/name" */
    str owner_uid, owner_kind, owner_name; /* of the controller; "" none */
    str node;
    str pinned;  /* node that a daemon's affinity names */
    str labels;  /* JSON text of the object, "" none */
    str index;   /* annotation batch.kubernetes.io/job-completion-index */
    str failure; /* JSON text of the status of a failed pod that a Job controls */
    str addresses; /* "10.0.0.1,fd00::1": status.podIPs */
    str ports;     /* "http/TCP=8080,": named ports of its containers */
    str host;      /* "hostname.subdomain", "" unless both are set */
    uint64_t revision;
    enum pod_phase phase;
    bool ready, deleting;
    bool scheduling_gated;
    bool doomed;          /* a delete of ours was answered: it is going, whatever older events say */
    bool unconfirmed;
    bool tracked;         /* has the finalizer of Jobs */
    bool has_finalizers;
    nsec_t created, started, ready_since, deleted_at, finished_at; /* wall; 0 unknown */
    int64_t restarts;     /* the most of any container */
    int64_t deletion_cost;
    int64_t index_failures; /* annotation batch.kubernetes.io/job-index-failure-count */
    struct list link_;    /* of the owner, or of the namespace's orphans */
    struct list ns_link_, node_link_; /* the latter only with a node */
    struct list open_link_;           /* only of those that can be reached */
    unsigned round_;
};

static inline bool pod_is_finished(const struct pod_record *p)
{
    return p->phase == POD_SUCCEEDED || p->phase == POD_FAILED;
}
/* Has it an address that somebody may answer at? */
static inline bool pod_is_open(const struct pod_record *p)
{
    return p->addresses.len && !pod_is_finished(p);
}
/* Does it count as one that runs or will: not finished, not on its way out? */
static inline bool pod_is_gone(const struct pod_record *p)
{
    return p->deleting || p->doomed;
}
static inline bool pod_is_active(const struct pod_record *p)
{
    return !pod_is_gone(p) && !pod_is_finished(p);
}
/* Ready for min_ready; else *ret_left says how long until then (0: not ready at all). */
bool pod_is_available(const struct pod_record *p, nsec_t min_ready, nsec_t now, nsec_t *ret_left);
struct json pod_labels(const struct pod_record *p, struct arena *a);
/* Has the pod all of these labels (an object of strings)?  Without a tree. */
bool pod_has_labels(const struct pod_record *p, const struct json *wanted);
bool labels_include(str labels, const struct json *wanted); /* labels: JSON text, as a record has it */

/* A record from the object's JSON text, on the heap; NULL when it is no pod.  No tree is made: a pod is a few kilobytes of text, and a record is made of some dozen words of it.  Labels and the status of a
 * failed pod are taken as they stand. */
struct pod_record *pod_record_new(str object) MUST_CHECK;
void pod_record_free(struct pod_record *p);

/* was NULL: new; now NULL: gone. */
typedef void pod_changed_fn(void *arg, const struct pod_record *was, const struct pod_record *now);

struct pod_cache {
    struct map pods_;    /* key -> record */
    struct map owners_;  /* uid -> list, see groups.h */
    struct map orphans_; /* namespace -> list */
    struct map namespaces_; /* namespace -> list of all its pods */
    struct map nodes_;      /* node -> list of all its pods */
    struct map open_;       /* namespace -> list of its pods that can be reached: a namespace may have thousands that have ended */
    VEC(struct pod_subscriber {
        pod_changed_fn *changed;
        void *arg;
    }) subscribers_;
    uint64_t seen_; /* the youngest revision that the watch has shown */
    unsigned round_;
};

void pod_cache_init(struct pod_cache *c);
void pod_cache_fini(struct pod_cache *c);
void pod_cache_subscribe(struct pod_cache *c, pod_changed_fn *changed, void *arg);

/* From the watch. */
void pod_cache_list_begin(struct pod_cache *c);
void pod_cache_list_end(struct pod_cache *c);
void pod_cache_saw(struct pod_cache *c, str object, bool deleted);
/* From an answer: the object as written. */
void pod_cache_wrote(struct pod_cache *c, str object);
/* A delete with this uid as precondition was answered. */
void pod_cache_doom(struct pod_cache *c, str key, str uid);
/* The server has no such pod. */
void pod_cache_absent(struct pod_cache *c, str key, str uid);

struct pod_record *pod_cache_find(const struct pod_cache *c, str key);
/* pod_cache_foreach(p, list): list may be NULL. */
struct list *pod_cache_owned(const struct pod_cache *c, str owner_uid);
struct list *pod_cache_orphans(const struct pod_cache *c, str ns);
struct list *pod_cache_namespace(const struct pod_cache *c, str ns); /* for pod_cache_foreach_namespace */
struct list *pod_cache_open(const struct pod_cache *c, str ns); /* for pod_cache_foreach_open */
#define pod_cache_foreach(p, head) pod_cache_foreach_(p, head, link_)
#define pod_cache_foreach_open(p, head) pod_cache_foreach_(p, head, open_link_)
struct list *pod_cache_node(const struct pod_cache *c, str node); /* for pod_cache_foreach_node */
#define pod_cache_foreach_node(p, head) pod_cache_foreach_(p, head, node_link_)
#define pod_cache_foreach_namespace(p, head) pod_cache_foreach_(p, head, ns_link_)
#define pod_cache_foreach_(p, head, link)                                                                                                                       \
    for (struct list *p##_head_ = (head), *p##_at_ = p##_head_ ? p##_head_->next : NULL; p##_at_ && p##_at_ != p##_head_; p##_at_ = p##_at_->next)             \
        for (struct pod_record *p = container_of(p##_at_, struct pod_record, link), *p##_once_ = p; p##_once_; p##_once_ = NULL)
