/* kuscia_room.h - what domains have at all: nodes, quotas, links; and whether a task could ever have room there.
 *
 *   Domains, Nodes with a domain's label, ResourceQuotas, routes ── as they are seen ──► amounts ──► "party bob: a pod needs 64 cpu, and the largest node of the domain, bob-0, has 4"
 * The question is asked before anything is made for a task: of what can never be, it fails at once, with the numbers; what is only taken, or not there yet, is waited for.  Nodes count as if they
 * were empty and ready.  A domain without nodes has room for everything: they may be about to join.
 * One of another control plane has none for anything.
 * Threads: the controllers' loop.  Ownership: copies; texts live on the arena. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/map.h"
#include "controllers/kuscia_task_plan.h"

struct kuscia_room {
    struct map nodes_, domains_, quotas_, routes_, partners_; /* domains_: those that have nodes */
};
void kuscia_room_init(struct kuscia_room *r);
void kuscia_room_fini(struct kuscia_room *r);
/* obj NULL: it is gone.  forget: a list begins. */
void kuscia_room_node(struct kuscia_room *r, str name, const struct json *obj);
void kuscia_room_quota(struct kuscia_room *r, str ns, str name, const struct json *obj);
void kuscia_room_route(struct kuscia_room *r, str key, const struct json *obj);
void kuscia_room_domain(struct kuscia_room *r, str name, const struct json *obj);
void kuscia_room_forget_nodes(struct kuscia_room *r);
void kuscia_room_forget_domains(struct kuscia_room *r);
void kuscia_room_forget_quotas(struct kuscia_room *r);
void kuscia_room_forget_routes(struct kuscia_room *r, bool of_cluster); /* whose keys are "/NAME"; those of domains are "NS/NAME" */

/* "" : it may be; else why it can never be. */
str kuscia_room_never(const struct kuscia_room *r, struct arena *a, const struct layout *l);
/* "" : the domain has nodes that are ready; else what it lacks. */
str kuscia_room_lacks(const struct kuscia_room *r, struct arena *a, str domain);
/* "" : quotas have room for all pods of the task, as far as the watch has shown what is used; else which has not. */
str kuscia_room_full(const struct kuscia_room *r, struct arena *a, const struct layout *l);
/* A node of a domain that is not ready; one that is not there, or of no domain, is not known. */
bool kuscia_room_is_lost(const struct kuscia_room *r, str node);
/* Some quota limits what runs in the domain. */
bool kuscia_room_has_quota(const struct kuscia_room *r, str domain);
