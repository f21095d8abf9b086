/* admission.h - the built-in admission chain: steps that change, then steps that check what is about to be written.
 *
 * Steps are entries of one table (admission.c), in Kubernetes' order.  A step sees the object of the request version, after defaulting, and may add operations that
 * must happen in the same transaction (quota usage, address allocation): if one of them conflicts, the whole write is tried again from its start.
 * Threads: on the request's io loop; steps read the store's newest state and never block.
 * Ownership: everything is on attrs->arena. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "apiserver/request.h"

enum admission_op { ADMIT_CREATE = 1, ADMIT_UPDATE = 2, ADMIT_DELETE = 4 };

struct admission_attrs {
    struct apiserver *srv;
    struct api_req *req; /* for user, warnings, dry run */
    struct arena *arena;
    struct store *store;
    enum admission_op op;
    const struct api_resource *res;
    str subresource;
    str ns, name;
    struct json *obj;       /* NULL on delete; may be changed in admit */
    const struct json *old; /* NULL on create */
    struct store_op *ops;   /* further operations of the same transaction; values on the arena */
    size_t nops, ops_room;
};

/* Mutating then validating steps; -E_FORBIDDEN and others with Kubernetes' sentences. */
int admission_admit(struct admission_attrs *attrs, struct err *err) MUST_CHECK;
int admission_validate(struct admission_attrs *attrs, struct err *err) MUST_CHECK;
/* Adds an operation to the transaction; false when there is no room. */
bool admission_add_op(struct admission_attrs *attrs, struct store_op op);
