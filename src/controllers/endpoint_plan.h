/* endpoint_plan.h - what stands behind a service, as Endpoints and EndpointSlices say it: pure.
 *
 *   service + pods ──► slice_wants_of_service ─┐                     ┌─► create
 *   custom Endpoints ─► slice_wants_of_endpoints ┴─► slice_plan_make ─┼─► update   (an endpoint stays in the slice where it is)
 *                              slices that are there ────────────────┘└─► delete
 *   service + pods ──► endpoints_make
 *
 * Threads: pure functions.
 * Ownership: results are on the arena and point into the trees and records they were made from.
 * Limits: SLICE_MAX endpoints a slice, ENDPOINTS_MAX addresses in an Endpoints object or of one mirrored subset. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "controllers/pod_cache.h"

#define SLICE_MAX 100
#define ENDPOINTS_MAX 1000

#define LABEL_SERVICE_NAME "kubernetes.io/service-name"
#define LABEL_SLICE_MANAGER "endpointslice.kubernetes.io/managed-by"
#define LABEL_ENDPOINTS_MANAGER "endpoints.kubernetes.io/managed-by"
#define LABEL_SKIP_MIRROR "endpointslice.kubernetes.io/skip-mirror"
#define LABEL_HEADLESS "service.kubernetes.io/headless"
#define NOTE_TRIGGER_TIME "endpoints.kubernetes.io/last-change-trigger-time"
#define NOTE_OVER_CAPACITY "endpoints.kubernetes.io/over-capacity"
#define SLICE_MANAGER "endpointslice-controller.k8s.io"
#define SLICE_MIRROR_MANAGER "endpointslicemirroring-controller.k8s.io"
#define ENDPOINTS_MANAGER "endpoint-controller"

/* Does it have a selector, and endpoints of its pods (ExternalName has none)? */
bool service_selects_pods(const struct json *service);
/* labels: JSON text of an object as pod_record has it. */
bool service_selects(const struct json *service, str labels);

struct endpoint_pod {
    const struct pod_record *pod;
    str zone; /* of its node, "" unknown */
};

/* --- slices -------------------------------------------------------------------------------------------------------------------- */
struct slice_want {
    const char *type; /* "IPv4" or "IPv6" */
    str ports;        /* JSON text of the list: what a slice has in common */
    str key;          /* of the endpoint: who it is, and where */
    struct json endpoint;
    nsec_t ready_since; /* 0: not known */
};
struct slice_wants {
    struct slice_want *p;
    size_t len, cap;
    const char *types[2]; /* that should have at least an empty slice */
    size_t ntypes;
};
struct slice_owner {
    const char *manager;
    struct json ref; /* owner reference */
    str ns, name;    /* of the service */
    struct json labels; /* that are copied */
    nsec_t created;  /* of the owner: what an older trigger time is measured from */
};
enum slice_change { SLICE_CREATE, SLICE_UPDATE, SLICE_DELETE };
struct slice_step {
    enum slice_change change;
    struct json obj; /* as to be written; of a delete: as it is */
};
struct slice_steps {
    struct slice_step *p;
    size_t len, cap;
};

void slice_wants_of_service(struct arena *a, const struct json *service, const struct endpoint_pod *pods, size_t npods, struct slice_wants *ret);
void slice_wants_of_endpoints(struct arena *a, const struct json *endpoints, struct slice_wants *ret);
struct slice_owner slice_owner_of(struct arena *a, const struct json *obj, const char *kind, const char *manager, bool headless);
/* slices: trees of those with the manager's label and the service's name. */
struct slice_steps slice_plan_make(struct arena *a, const struct slice_owner *owner, const struct slice_wants *wants, const struct json *slices, size_t nslices);

/* --- Endpoints ------------------------------------------------------------------------------------------------------------------- */
/* The object to write, null when `live` (NULL: none) is already right. */
struct json endpoints_make(struct arena *a, const struct json *service, const struct endpoint_pod *pods, size_t npods, const struct json *live);
bool endpoints_want_mirror(const struct json *endpoints);
