/* services.h - what the endpoint controllers share: services, Endpoints and EndpointSlices as the watch shows them, and which service an event concerns.
 *
 *   services, endpoints, endpointslices ─► caches ─┐
 *   pods, nodes (workloads.h) ─────────────────────┴─► keys "ns/service" of those who joined
 *
 * Threads: the controllers' loop.
 * Ownership: as object_cache.h says.  The answer of an own write goes into the cache (services_wrote), so that a watch that lags makes nobody write twice. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "controllers/endpoint_plan.h"
#include "controllers/workloads.h"

enum service_cache { CACHE_SERVICES, CACHE_ENDPOINTS, CACHE_SLICES, SERVICE_CACHES };

struct services {
    struct object_cache cache[SERVICE_CACHES];
    uint64_t seen[SERVICE_CACHES]; /* youngest revision that the watch has shown */
    struct map by_selector;        /* "ns/key=value", the first pair of a selector -> its services */
    struct map by_service;         /* "ns/service" -> its slices */
    const struct pod_cache *pods;  /* of the workload caches */
    bool synced, workloads_synced;
    nsec_t pass_ns; /* what looking for a service's pods took lately: in namespaces with very many of them services wait, so that this is a small part of the loop's time */
    VEC(struct service_member {
        struct controller *c;
        bool pods; /* also when pods or nodes change */
    }) members;
};

struct services *services_of(struct controller *c);
void services_join(struct controller *c, bool pods); /* in init() */
/* From answers. */
void services_wrote(struct services *all, enum service_cache which, const struct json *obj);
void services_absent(struct services *all, enum service_cache which, str key, str uid);
/* Pods that the service selects, with the zones of their nodes; they are valid until the loop's next turn. */
struct endpoint_pod *services_pods(struct job *j, const struct json *service, size_t *ret_n);
/* Slices of a service that a manager made, as trees on the job's arena. */
struct json *services_slices(struct job *j, str ns, str service, const char *manager, size_t *ret_n);

extern const struct controller_type controller_service_caches, controller_endpoints, controller_endpoint_slice, controller_endpoint_slice_mirror;
