/* internal.h - what the files of apiserver/ share; nobody else includes it. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "apiserver/apiserver.h"
#include "apiserver/authn.h"
#include "apiserver/authz.h"
#include "apiserver/extension.h"
#include "apiserver/metrics.h"
#include "apiserver/objects.h"
#include "apiserver/registry.h"
#include "apiserver/request.h"
#include "apiserver/watch.h"
#include "base/limits.h"

struct crds;
struct docs_cache;
struct audit;
struct local_transport;
struct node_proxy;
struct usage_store;

struct apiserver_source {
    apiserver_ask_fn *ask; /* NULL: none */
    void *arg;
};

struct apiserver {
    struct apiserver_opts opts;
    struct store *store;
    const struct clock *clock;
    struct registry registry;
    struct authn *authn;
    struct authz *authz;
    struct watch_hub **hubs; /* one per loop, same order */
    struct crds *crds;
    struct docs_cache *docs; /* discovery and OpenAPI documents of the current registry snapshot */
    struct metrics *metrics;
    struct audit *audit; /* NULL: none */
    struct local_transport *local;
    struct node_proxy *nodes;
    struct usage_store *usage; /* metrics.k8s.io and its like */
    atomic_bool ready;
    atomic_bool draining;
    atomic_int writes_in_flight;
    atomic_size_t writes_bytes;     /* their memory */
    atomic_int writes_by_user[256]; /* by hash of the name; two users may share a slot */
    atomic_int lists_in_flight;     /* long lists being sent */
    nsec_t started_wall;
    struct apiserver_source explain;
    struct apiserver_source simulate;
    struct apiserver_source sources[APISERVER_METRICS_SOURCES];
    size_t nsources;
};

/* The hub of the request's loop. */
struct watch_hub *apiserver_hub(struct apiserver *s, struct loop *loop);

/* --- the chain ------------------------------------------------------------------------------------------------ */
/* Runs a request whose inputs are filled: route, authn (unless local), authz, verb. */
void chain_run(struct api_req *q);
/* Fills q->target.  False: answered already. */
bool route_parse(struct api_req *q);
/* Finds the resource and subresource the target names.  False: answered already. */
bool route_resolve(struct api_req *q);
/* What the request asks, as a question to RBAC. */
struct authz_attrs chain_attrs(struct api_req *q);
void chain_finish_local(struct api_req *q); /* bookkeeping of a request that was answered in-process */
/* Accept, pretty, gzip, options of the query.  False: answered already. */
bool negotiate(struct api_req *q);
/* ?timeout= of any path must be a duration.  False: answered already. */
bool negotiate_timeout(struct api_req *q);
/* Media type of the request body; -E_MEDIA_TYPE. */
int negotiate_body(struct api_req *q, enum api_media *ret, struct err *err) MUST_CHECK;

/* Paths that are no resources: /version, /healthz, /openapi, discovery ...  False: not one of them. */
bool nonresource_serve(struct api_req *q);

/* extension.c: answered with what other parts of the process say. */
void extension_metrics(struct api_req *q);
void extension_explain(struct api_req *q);
void extension_explain_task(struct api_req *q);
void extension_simulate(struct api_req *q);

/* --- verbs ------------------------------------------------------------------------------------------------------ */
void rest_get(struct api_req *q);
void rest_list(struct api_req *q);
void rest_watch(struct api_req *q);
void rest_create(struct api_req *q);
void rest_update(struct api_req *q);
void rest_patch(struct api_req *q);
void rest_delete(struct api_req *q);
void rest_delete_collection(struct api_req *q);
/* Subresources with verbs of their own (scale, binding, eviction, token, finalize ...) and create-only kinds (the reviews).  False: nothing special. */
bool subresource_serve(struct api_req *q);

/* The request's body as an object of that type: parsed, checked, unknown fields judged by fieldValidation.  kind and apiVersion must match, absent ones are filled in. */
int rest_read_body(struct api_req *q, const struct schema_type *type, str kind, str version, struct json *ret, struct err *err) MUST_CHECK;

/* Write slots: false when answered with 429. */
bool writes_enter(struct api_req *q);
void api_answer_overloaded(struct api_req *q); /* 429 with Retry-After */

/* The options of a list, watch or deletecollection. */
struct list_opts {
    struct selector *labels; /* NULL: all */
    struct selector *fields; /* NULL: all */
    int64_t limit;           /* 0: none */
    str continue_token;
    bool has_rv;
    rev_t rv;
    str rv_match;            /* "", "Exact", "NotOlderThan" */
    bool bookmarks, send_initial_events, has_send_initial_events;
    nsec_t timeout_ns; /* 0: not given */
    str name_pin;      /* fieldSelector metadata.name=x, "" none */
    str ns;            /* of the path, or pinned by fieldSelector metadata.namespace */
};
bool list_opts_parse(struct api_req *q, struct list_opts *ret); /* false: answered */
bool list_matches(const struct list_opts *o, const struct api_resource *r, const struct json *obj);
/* The same for stored bytes that nobody has parsed: 0, 1, or -1 when it takes a tree to say. */
int list_matches_text(const struct list_opts *o, const struct api_resource *r, str stored);

/* Object bytes of the storage version as the request wants them in a list or watch: converted and reduced.  obj: parsed bytes or NULL (parsed when needed). */
str output_item(struct api_req *q, struct arena *a, str stored, bool with_type);
