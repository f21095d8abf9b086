/* events.h - Events about objects, for people: kubectl describe shows them.
 *
 * The same Event again (object, reason, message) is one whose count grows.  They may be lost: what comes faster than the buckets let through is dropped, and so is what the server refuses.  One object that has
 * much to say does not keep others from being heard: it has a bucket of its own.
 *     events_send(e, &(struct event){.kind = "Pod", .ns = ns, .name = name, .uid = uid, .type = "Normal", .reason = "Started", .message = S("Started container web")});
 * Threads: the loop's.
 * Ownership: everything is copied.
 * Limits: EVENTS_BURST at once and EVENTS_RATE a second; EVENTS_OBJECT_BURST about one object, then one every EVENTS_OBJECT_NS; EVENTS_KNOWN recent ones are remembered to be counted, and as many objects;
 * EVENTS_IN_FLIGHT calls at once, EVENTS_QUEUE waiting. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/clock.h"
#include "client/transport.h"

#define EVENTS_BURST 500u
#define EVENTS_RATE 50u
#define EVENTS_OBJECT_BURST 25u
#define EVENTS_OBJECT_NS (300 * NSEC_PER_SEC)
#define EVENTS_KNOWN 4096u
#define EVENTS_IN_FLIGHT 16u
#define EVENTS_QUEUE 1024u
#define EVENT_MESSAGE_MAX 1024u

struct events;

struct events_opts {
    struct client_transport *transport;
    struct loop *loop;
    const struct clock *clock;
    const char *component; /* "kubelet", "job-controller" ...; copied */
    const char *host;      /* may be NULL */
};

struct event {
    const char *api_version; /* NULL: "v1" */
    const char *kind;
    str ns, name, uid;       /* ns "": cluster scope, the Event goes to "default" */
    str field_path;          /* "spec.containers{web}", may be "" */
    const char *component;   /* NULL: that of events_opts */
    const char *type;        /* "Normal", "Warning" */
    const char *reason;
    str message;
};

struct events *events_new(const struct events_opts *o) MUST_CHECK;
void events_send(struct events *e, const struct event *ev);
/* Nothing more is sent; stopped() runs when the transport has let go, at once or later. */
void events_stop(struct events *e, void (*stopped)(void *arg), void *arg);
void events_free(struct events *e); /* after stopped(), or when loop and transport have stopped */
