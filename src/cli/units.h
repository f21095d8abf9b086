/* units.h - what is placed as a whole, as users see it: a PodGroup with its owner, its pods and its place in the queue.
 *
 *   podgroups, pods, queues ── units_load ──► one struct unit_view a PodGroup ──► cox job, cox why podgroup/NAME
 * Everything comes from API objects; no scheduler is asked.  Who may not list queues does without positions.
 * Threads: main only.  Ownership: all of it is in the session's arena. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "cli/session.h"

struct unit_counts_view { /* pods */
    uint32_t total;
    uint32_t waiting;  /* without a node */
    uint32_t placed;   /* on one, and there to stay */
    uint32_t running;  /* of those: more than placed */
    uint32_t leaving, succeeded, failed;
};
struct unit_view {
    const struct json *group;
    str ns, name;        /* of the PodGroup */
    str kind, owner;     /* of who owns it; the PodGroup itself when nobody does */
    str queue;
    const struct json **pods; /* by name */
    size_t npods;
    struct unit_counts_view n;
    int64_t min;         /* pods that must run together */
    int64_t position;    /* in its queue, 1 is next; 0: unknown, or does not wait */
    const char *state;   /* see unit_state */
    str reason, why;     /* while it waits: a word, a sentence */
};
struct units_view {
    struct unit_view *p;
    size_t len;
    struct json list; /* the PodGroups, as read */
};

/* ns "": all namespaces. */
int units_load(struct session *s, str ns, struct units_view *ret, struct failure *f) MUST_CHECK;
/* Is that the owner of the PodGroup, or of one of its pods (a Job's, where each pod is placed by itself)?  kind "": any; in lower case or not. */
bool units_belongs_to(const struct unit_view *u, str kind, str name);
/* The pods with their nodes, as a table. */
void units_write_pods(struct session *s, const struct unit_view *u, struct strbuf *out);
/* "0 of 4 placed, 4 wait, 4 needed together" */
str units_members_text(struct arena *a, const struct unit_view *u);
/* Since when the first of those that wait does: a time of the API; NULL: nobody waits. */
const struct json *units_waits_since(const struct unit_view *u);

/* --- pure ------------------------------------------------------------------------------------------------------------------------------ */
/* Pods that must run together by the spec of a PodGroup: minMember, or what the leaves of its sub-groups say. */
int64_t unit_min(const struct json *spec);
void unit_count_pod(struct unit_counts_view *n, const struct json *pod);
/* Running, Starting, Pending, Incomplete (pods are missing), Leaving, Succeeded, Failed, Empty. */
const char *unit_state(const struct unit_counts_view *n, int64_t min);
