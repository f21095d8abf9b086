/* write.h - changing one object: the state machine behind create, update, patch, apply, delete and the subresources.
 *
 *   start ─► attempt: read live → build(live) = new → defaults → admit → prepare → track fields → validate → encode → store
 *              ▲                                                                                                │
 *              └──────── somebody else was faster: read again and try again, for WRITE_PATIENCE_NS at most ◄────┘
 *                                                                              done ─► answer
 * Threads: runs on the request's loop; the store's writer only posts the result.
 * Ownership: everything is on the request's arena and dies with the answer. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "api/validate.h"
#include "apiserver/admission.h"
#include "apiserver/internal.h"

#define WRITE_PATIENCE_NS (10 * NSEC_PER_SEC)
#define WRITE_AT_ONCE 4                /* attempts before the others wait a little, a random time each: many writers of one object must not all lose to one, again and again */
#define WRITE_RETRY_BYTES (64u << 20)  /* what attempts leave on the arena; then it is given up */
#define WRITE_MAX_OPS 65 /* of one transaction: the object and what comes with it */

enum write_outcome { WRITE_CREATED, WRITE_UPDATED, WRITE_UNCHANGED, WRITE_DELETED };

struct write_run {
    struct api_req *q;
    const struct api_resource *res;     /* version of the request */
    const struct api_resource *storage; /* version that is stored */
    str ns, name;
    str subresource;                    /* "", "status", ... as admission and validation see it */
    str key;

    /* Makes the new object from the live one (NULL: there is none).  Runs again on each attempt; must not change live.
     * Returns 0, -E_CODE with err, or WRITE_ANSWERED when it answered the request itself. */
    int (*build)(struct write_run *r, const struct json *live, struct json *ret_new, struct err *err);
    /* The same on the stored bytes of the live object, which are not parsed then: makes the new object's, without a revision.  False: build does it.  May be NULL; for raw writes. */
    bool (*splice)(struct write_run *r, const struct store_kv *live, str *ret_bytes, uint32_t *ret_rev_at);
    /* Gives the answer; NULL: the object itself, 201 or 200. */
    void (*answer)(struct write_run *r, enum write_outcome outcome, str stored);
    /* Takes a failure instead of the client (one write of several); NULL: the client gets it. */
    void (*failed)(struct write_run *r, const struct err *err);

    bool may_create;    /* live may be absent */
    bool must_create;   /* POST: live must be absent */
    bool raw;           /* no defaulting, admission, validation: the change is the server's own (deletion marks) */
    bool is_apply;      /* managedFields were already made by apply_merge */
    bool no_tracking;   /* managedFields stay as they are */
    bool conditional;   /* the client gave a resourceVersion: no retry */
    bool removes;       /* build asks to remove the object instead of writing it */
    bool goes_as_it_is; /* and its last state is what is there */
    bool overflowed;    /* an operation found no room */

    /* inputs of the verbs */
    struct json body;
    str patch_type;

    /* one attempt */
    int attempts;
    nsec_t started_ns;
    struct loop_timer backoff;
    struct store_kv *live_kv;
    struct json live; /* in the request's version */
    bool has_live;
    struct json obj;
    struct store_txn txn;
    struct field_errors *errors; /* of this attempt; strategies may add */
    struct loop_msg committed;
    size_t held_bytes; /* counted in apiserver.writes_bytes while the store has the transaction */
    void *extra; /* the verb's own */
    struct store_op ops[WRITE_MAX_OPS]; /* the last member: only txn.nops of them mean anything, the rest is not even cleared */
};
#define WRITE_ANSWERED 1

struct write_run *write_new(struct api_req *q, const struct api_resource *res, str ns, str name) MUST_CHECK;
void write_start(struct write_run *r);
/* Adds an operation to the transaction of this attempt; when there is no room for it the write fails with 413. */
void write_add_op(struct write_run *r, struct store_op op);
/* Admission attributes of this attempt; their operations go behind those that are there.  Count them in with write_take_ops. */
struct admission_attrs write_admission(struct write_run *r, enum admission_op op, struct json *obj, const struct json *old);
void write_take_ops(struct write_run *r, struct admission_attrs *attrs);
/* 422 with causes. */
void write_answer_invalid(struct write_run *r, struct field_errors *errors);

/* --- rest_write.c, rest_delete.c: parts that subresources use, too ----------------------------------------------------- */
/* The build step of a delete; r->extra is what rest_delete_opts_from gave. */
int rest_build_delete(struct write_run *r, const struct json *live, struct json *ret, struct err *err) MUST_CHECK;
void *rest_delete_opts_from(struct api_req *q, const struct json *delete_options);

/* --- strategy.c: what is particular to kinds when they are written --------------------------------------------------- */
/* On create: server-owned metadata, initial status, generated fields. */
void strategy_prepare_create(struct write_run *r, struct json *obj);
/* On update through `subresource`: what that way in must not change is taken from old; generation counts. */
void strategy_prepare_update(struct write_run *r, const struct json *old, struct json *obj);
/* Operations that must come with the removal of an object (its service address, node ports, quota usage). */
void strategy_on_remove(struct write_run *r, const struct json *obj);
