/* kuscia.h - what the controllers of Kuscia's kinds share: names, and objects that must be there.
 *
 *   Domain ─► domains.c           namespace, quota, rights, join token; nodes
 *   KusciaJob ─► kuscia_job.c     which tasks may start (kuscia_job_plan.h, pure) ─► KusciaTask
 *   KusciaTask ─► kuscia_task.c   parties ─► ports, files, pods, services (kuscia_task_plan.h, pure) ─► TaskResourceGroup; how far the pods are ─► how far the task is
 *   KusciaDeployment ─► kuscia_deployment.c   parties ─► ports, files, services, Deployments (kuscia_deployment_plan.h, pure); how far those are ─► how far the service is
 *   DomainData, DomainDataGrant ─► kuscia_data.c   copies of what is granted, whether it holds (kuscia_data_plan.h, pure)
 *   TaskResourceGroup ─► task_resources.c   TaskResource of each party; phases as the scheduler, which reads the group as one gang, places its pods
 *
 * Threads: the controllers' loop. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "controllers/controller.h"
#include "wire/json_make.h"

#define KUSCIA_API "kuscia.secretflow/v1alpha1"
#define KUSCIA_PATH "/apis/" KUSCIA_API
#define KUSCIA_NS "cross-domain" /* of jobs and tasks */
#define KUSCIA(name) "kuscia.secretflow/" name /* label or annotation */
#define KUSCIA_LIFE_SECONDS 300 /* how long a task waits for room that does not say it */
#define KUSCIA_ENDED "ended with the task" /* so begins the message of a party that had no end of its own: the task's was not its fault */
#define KUSCIA_STOPPED "Stopped" /* reason of a task that its job ended */
#define KUSCIA_TAINT KUSCIA("agent")
#define KUSCIA_NODE_LABEL KUSCIA("namespace")

str kuscia_cluster_path(struct arena *a, const char *plural, str name);                 /* name "": the collection */
str kuscia_path(struct arena *a, const char *plural, str ns, str name, const char *sub); /* sub "" or "/status" */
str core_path(struct arena *a, const char *plural, str ns, str name);                   /* ns "": cluster scope */
str kuscia_resource_name(struct arena *a, const struct json *group, str domain, str role); /* TaskResource of a party: the API server named it when the group was made, or the group is older than that */

/* --- a job's steps of one shape: objects that are to be there --------------------------------------------------------------------------- */
struct ensure {
    str collection, name;
    struct json obj;
    const char *owned; /* members that are brought back when they differ, "rules|data", and labels that are taken away, "labels|-a"; NULL: whatever is there stays */
};
/* Makes what is missing, one after the other; next finds job_ok, or the answer that was not: 409 when an object of that name has another owner.  The list lives as long as the job. */
void ensure_all(struct job *j, const struct ensure *list, size_t n, void (*next)(struct job *j));
/* The same all at once, of objects that stay as they are once they are there (owned NULL). */
void ensure_together(struct job *j, const struct ensure *list, size_t n, void (*next)(struct job *j));

/* --- and objects to look at ------------------------------------------------------------------------------------------------------------------- */
/* Does the pod's text name a node, or say why it has none?  One that was only created does neither. */
static inline bool kuscia_pod_is_told(str pod)
{
    return str_find(pod, S("\"nodeName\"")) >= 0 || str_find(pod, S("\"PodScheduled\"")) >= 0;
}

struct gather {
    str path;
    struct json obj;
    bool found;
};
/* Reads them all at once; what is not there is not found.  next finds job_ok, or the answer that was neither. */
void gather_all(struct job *j, struct gather *list, size_t n, void (*next)(struct job *j));

/* --- and calls to make -------------------------------------------------------------------------------------------------------------------------- */
struct step {
    str method, path;
    struct json body; /* null: none */
};
/* Makes them one after the other; what is gone already, and what is there already, counts as done.  next finds job_ok, or the answer that was not. */
void steps_all(struct job *j, const struct step *list, size_t n, void (*next)(struct job *j));
/* The same all at once, of steps that do not need each other. */
void steps_together(struct job *j, const struct step *list, size_t n, void (*next)(struct job *j));

/* Port numbers of tasks and services: no two of a domain have the same. */
struct kuscia_ports;
struct kuscia_ports *kuscia_task_ports(struct controllers *all);

extern const struct controller_type controller_domains, controller_kuscia_job, controller_kuscia_task, controller_task_resources, controller_kuscia_deployment, controller_kuscia_data;
