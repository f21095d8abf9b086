/* grouping_owners.h - what the grouping controller remembers: pods that it looks after, the owners whose groups they are in, and owners that it has read lately.
 *
 *   pod "ns/web-0" ── group "pg-web-..." ── holder (by uid) ── text, for a while
 *
 * Built-in kinds are in the caches of workloads.h; texts here are those of other kinds.  A text goes when it is GROUPING_TEXT_NS old, when the watch shows that its object changed, or when
 * GROUPING_TEXTS younger ones are there.
 * Threads: one at a time.  Ownership: strings are copied; pointers are valid until the pod or owner is dropped.
 * Limits: some 250 bytes a pod. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/clock.h"
#include "base/list.h"
#include "base/map.h"

#define GROUPING_TEXTS 512
#define GROUPING_TEXT_NS (60 * NSEC_PER_SEC)

struct grouping_owner {
    str uid;
    struct list pods;  /* struct grouping_pod, of whose groups it is the holder */
    uint64_t seen;     /* what the watch showed last, 0: nothing yet */
    char *text;        /* NULL: none */
    size_t text_len;
    nsec_t read_ns;
    struct list text_link_;
};

struct grouping_pod {
    str key;
    str group; /* name, "" none yet */
    struct grouping_owner *holder; /* NULL: none yet */
    uint64_t looks; /* of what was seen when it was queued last */
    bool maybe;     /* only an owner can say whether it is ours */
    unsigned round;
    struct list link; /* of the holder */
    struct list group_link_;
};

struct grouping_owners {
    struct map pods, owners;
    struct map groups_; /* "ns/group" -> list, see groups.h */
    struct list texts_; /* oldest first */
    size_t ntexts_;
};

void grouping_owners_init(struct grouping_owners *o);
void grouping_owners_fini(struct grouping_owners *o);

struct grouping_pod *grouping_pod_find(const struct grouping_owners *o, str key);
struct grouping_pod *grouping_pod_get(struct grouping_owners *o, str key); /* makes one */
void grouping_pod_drop(struct grouping_owners *o, struct grouping_pod *p); /* p may be NULL */
/* Some pod that is in the group, NULL: none. */
struct grouping_pod *grouping_pod_in(const struct grouping_owners *o, str group_key);
void grouping_pod_hold(struct grouping_owners *o, struct grouping_pod *p, str holder_uid, str group);

bool grouping_owner_text(const struct grouping_owners *o, str uid, nsec_t now, str *ret);
void grouping_owner_keep(struct grouping_owners *o, str uid, str text, nsec_t now);
/* The watch shows an owner: hash is of what of it matters, 0 when it is gone.  The owner when that is news and pods depend on it, else NULL. */
struct grouping_owner *grouping_owner_saw(struct grouping_owners *o, str uid, uint64_t hash);
