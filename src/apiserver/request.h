/* request.h - one API request on its way through the chain.
 *
 * Threads: belongs to one io loop.  Ownership: lives in its arena until the answer is given; watches move what they need into a watcher and let it go. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "api/codec.h"
#include "apiserver/apiserver.h"
#include "apiserver/registry.h"
#include "http/server.h"

/* Who asks. */
struct api_user {
    str name;
    str uid;
    const str *groups;
    size_t ngroups;
    const struct json *extra; /* object of string lists, or NULL */
};
bool api_user_in_group(const struct api_user *u, str group);

/* What is asked, from URL and method. */
struct api_target {
    bool is_resource;
    str verb; /* get list watch create update patch delete deletecollection, or the lower-case method for other paths */
    str path;
    str group, version, resource, subresource, ns, name;
};

enum api_output { API_OUT_OBJECT, API_OUT_TABLE, API_OUT_PARTIAL };
enum api_validation { API_VALIDATE_WARN, API_VALIDATE_STRICT, API_VALIDATE_IGNORE };

/* Where answers go: HTTP, or a call inside the process. */
struct api_req;
struct api_sink {
    void (*respond)(struct api_req *q, const struct http_response *res);
    void (*stream_start)(struct api_req *q, const struct http_response *head);
    bool (*stream_write)(struct api_req *q, struct http_buf *buf, size_t limit);
    void (*stream_end)(struct api_req *q);
    void (*abort)(struct api_req *q); /* instead of an answer, or in the middle of a stream */
};

struct api_req {
    struct apiserver *srv;
    struct arena *arena;
    struct loop *loop;
    struct http_request *http; /* NULL: in-process */
    void *local;               /* in-process: the call or watch */
    const struct api_sink *sink;
    struct registry_snapshot *reg;
    nsec_t received_ns;        /* monotonic */

    str method, path, query, content_type, accept, user_agent, body;

    struct api_user user;
    struct api_user impersonator; /* name "" when nobody impersonates */
    struct api_target target;
    const struct api_resource *res;
    const struct api_subresource *sub;

    /* options from the query, checked */
    enum api_output output;
    str table_version;       /* "v1" or "v1beta1" of meta.k8s.io */
    int include_object;      /* enum table_include */
    bool yaml;
    bool pretty;
    bool gzip;
    bool dry_run;
    bool force;
    bool is_watch;
    enum api_validation validation;
    str field_manager;

    str warnings[16];
    size_t nwarnings;
    bool counts_as_write; /* holds a write slot until it is answered */
    uint8_t user_slot;
    void *state; /* of the verb's own state machine */
    int answered_status;
    uint64_t answered_bytes;
    str audit_id;
};

/* Adds a Warning header to the answer; more than fit are dropped. */
void api_req_warn(struct api_req *q, str text);
bool api_query(struct api_req *q, str name, str *ret); /* false when absent */
str api_query_str(struct api_req *q, str name);        /* "" when absent */
/* Booleans as Go parses them; present without value counts as true. */
bool api_query_bool(struct api_req *q, str name);

/* --- answers: each finishes the request ------------------------------------------------------------------ */
void api_answer(struct api_req *q, int status, str content_type, str body);
/* JSON text of what is not stored (lists, reviews, Scale ...): as JSON or YAML, as the client wants it. */
void api_answer_text(struct api_req *q, int status, str json);
/* The same of a tree. */
void api_answer_json(struct api_req *q, int status, const struct json *body);
/* A stored object's bytes of the storage version: converted, as Table row or PartialObjectMetadata, YAML or pretty, as the client wants it. */
void api_answer_object(struct api_req *q, int status, str stored);
/* A failure Status; err's code gives HTTP status and reason. */
void api_answer_err(struct api_req *q, const struct err *err);
struct api_cause {
    str reason, message, field;
};
struct api_status_details {
    str name, group, kind, uid;
    const struct api_cause *causes;
    size_t ncauses;
    int retry_after_s;
};
void api_answer_status(struct api_req *q, int code, str reason, str message, const struct api_status_details *details);
/* Success Status of a delete. */
void api_answer_success(struct api_req *q, const struct api_status_details *details);

/* "pods \"x\" not found" and friends with details filled from the target. */
void api_answer_not_found(struct api_req *q);
void api_answer_unknown_resource(struct api_req *q); /* the server could not find the requested resource */
void api_answer_method_not_allowed(struct api_req *q);

/* "pods", "deployments.apps": how messages name the resource. */
str api_qualified_resource(struct arena *a, const struct api_resource *r);
