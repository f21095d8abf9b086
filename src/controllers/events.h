/* events.h - Events of controllers: what happened to an object, for people.
 *
 *   controller_event ─► entry (object, reason, message) ─┬─ new: POST at once
 *                                                         └─ again: count + 1, PATCH some seconds later, one for all that came meanwhile
 *
 * An object that has many things to say for one reason says the first EVENTS_SIMILAR of them one by one, the rest as one Event "(combined from similar events): ...".
 * Events are best effort: one that cannot be written is tried a few times, then forgotten.
 * Threads: the controllers' loop.  Ownership: everything is copied.
 * Limits: EVENTS_MAX entries remembered, the longest unused go first; messages are cut at EVENT_MESSAGE_MAX bytes. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "controllers/workloads.h"

#define EVENTS_MAX 4096
#define EVENTS_SIMILAR 10
#define EVENT_MESSAGE_MAX 1024

struct event_ref {
    str api_version, kind, ns, name, uid;
};
enum event_type { EVENT_NORMAL, EVENT_WARNING };

/* component: "replicaset-controller" */
void controller_event(struct controller *c, const char *component, const struct event_ref *ref, enum event_type type, const char *reason, const char *fmt, ...) PRINTF_LIKE(6, 7);
struct event_ref event_ref_of(const struct json *obj, const char *api_version, const char *kind);
/* About the workload that a reconcile is for. */
void workload_event(struct job *j, const struct workload *w, enum event_type type, const char *reason, const char *fmt, ...) PRINTF_LIKE(5, 6);
/* What came of the creates and deletes of pods. */
void workload_pod_events(struct job *j, const struct workload *w, const struct ops *o);

extern const struct controller_type controller_event_recorder;
