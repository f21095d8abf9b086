/* kuscia_task_plan.h - what a KusciaTask is made of, and how far it is (pure); the layout and its objects are those of KusciaDeployments, too (kuscia_deployment_plan.h).
 *
 *   task + AppImage of each party ─► layout: parties ─► pods ─► ports          (by role: kuscia_template)
 *   layout + port numbers ─► TaskResourceGroup, and for each pod ConfigMap (files with their variables filled in), Pod, Services
 *   layout + pods as they are ─► partyTaskStatus, podStatuses, phase
 * Each pod has its own files: its number within the party and its ports are in them.
 * A party has failed when too few of its pods are left for minReservedPods, succeeded when that many succeeded; a task likewise with parties and minReservedMembers.
 * Threads: pure.  Ownership: the arena's, with parts of the input.
 * Limits: LAYOUT_PODS pods, LAYOUT_PORTS ports a pod; LIMIT_SERVICE_REPLICAS replicas of a service in a domain. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "controllers/kuscia_ports.h"

#define LAYOUT_PODS 256u
#define LAYOUT_PORTS 32u

struct layout_port {
    str name, scope, protocol;
    str service; /* "" : local */
    uint32_t number;
};
struct layout_pod {
    str name, identity;
    str config; /* ConfigMap with its files */
    struct layout_port *ports;
    size_t nports;
    uint32_t index; /* within the party */
};
struct layout_party {
    str domain, role, image; /* "name:tag" */
    const struct json *party, *app; /* of the task's spec; AppImage */
    struct json containers; /* the template's with what the task says instead */
    str restart_policy;
    const struct json *template_;
    struct layout_pod *pods;
    size_t npods, min_pods;
    int64_t replicas; /* of a service: its one pod here stands for so many that are alike, with the same files and ports */
};
struct layout {
    const struct json *task; /* KusciaTask, or KusciaDeployment */
    bool lasting;            /* a service, that runs until it is deleted */
    str name, uid, initiator;
    struct layout_party *parties;
    size_t nparties, npods, min_parties;
};

/* images: by party, NULL: there is none.  A sentence says what cannot be. */
int kuscia_layout(struct arena *a, const struct json *task, const struct json *const *images, struct layout *ret, struct err *err) MUST_CHECK;
/* The same of a KusciaDeployment. */
int kuscia_layout_service(struct arena *a, const struct json *deployment, const struct json *const *images, struct layout *ret, struct err *err) MUST_CHECK;
/* Once it is made the group is what counts, whatever becomes of the AppImage: parties, pods' names and minimums, enough for kuscia_task_status and no more. */
void kuscia_layout_group(struct arena *a, const struct json *task, const struct json *group, struct layout *ret);
/* Numbers as status.allocatedPorts has them; false: some are missing. */
bool kuscia_layout_ports(struct layout *l, const struct json *allocated);
/* Chooses those that are missing; the list for the status. */
int kuscia_layout_choose(struct arena *a, struct layout *l, const struct kuscia_ports *ports, struct json *ret_allocated, struct err *err) MUST_CHECK;

struct json kuscia_task_group(struct arena *a, const struct layout *l); /* TaskResourceGroup */
/* of pods and files: the group is their owner; of a service: NULL, labels say whose they are */
struct json kuscia_files(struct arena *a, const struct layout *l, const struct layout_party *p, const struct layout_pod *pod, const struct json *owner, struct err *err); /* null: error */
/* Name, labels and annotations of an object of the party. */
struct json kuscia_meta(struct arena *a, const struct layout *l, const struct layout_party *p, str name, const struct json *owner);
/* What is in the pod; labels and annotations that come with it are added to its metadata. */
struct json kuscia_pod_spec(struct arena *a, const struct layout *l, const struct layout_party *p, const struct layout_pod *pod, struct json *meta);
/* The containers of a pod of the party with nothing but their resources, as kuscia_task_pod writes them; notes get what annotations say of bandwidth. */
struct json kuscia_pod_amounts(struct arena *a, const struct layout *l, const struct layout_party *p, struct json *notes);
struct json kuscia_task_pod(struct arena *a, const struct layout *l, const struct layout_party *p, const struct layout_pod *pod, const struct json *owner);
struct json kuscia_service(struct arena *a, const struct layout *l, const struct layout_party *p, const struct layout_pod *pod, const struct layout_port *port, const struct json *owner);
bool kuscia_party_has_files(const struct layout_party *p);
str kuscia_config_name(struct arena *a, str pod); /* ConfigMap of a task's pod */

/* --- how far it is -------------------------------------------------------------------------------------------------------------------------- */
struct task_view {
    const struct layout *layout;
    const struct json *const *pods; /* in the order of the layout; NULL: there is none */
    const struct json *group;       /* TaskResourceGroup; NULL: there is none */
    const bool *lost;               /* by pod: its node is not ready; NULL: none is */
    const str *lacks; /* by party: why its domain can run nothing at all; "", or NULL: it can */
    str now;
};
/* The status from now on; phase Succeeded or Failed is an end. */
struct json kuscia_task_status(struct arena *a, const struct task_view *v);
/* Of a task that has ended, by itself or because somebody stopped it: parties and pods that had no end of their own have one with it.  Again is the same. */
void kuscia_task_end(struct arena *a, struct json *status, str now);
/* What a pod says of itself: why it waits, or what its containers said when they ended. */
str kuscia_pod_message(const struct json *pod, str *ret_reason, str *ret_log);
/* True: the condition changed. */
bool kuscia_condition(struct arena *a, struct json *status, const char *type, bool holds, str reason, str message, str now);
