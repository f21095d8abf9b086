/* transport.h - how controllers, the scheduler and the agent reach an API server: calls and watches, asynchronous.
 *
 * Two transports have the same meaning: in-process (the API server's own, no sockets) and HTTPS with a kubeconfig.  A component never knows which it has.
 * Threads: calls are started on the component's loop and answered there.
 * Ownership: the caller's structs stay with the caller until done() or ended() has run; response bytes are valid during the callback only.
 * Limits: LIMIT_BODY_BYTES a request body; an unread watch is ended by the server and can resume. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/str.h"
#include "rt/loop.h"

struct client_transport;

struct client_call {
    struct loop *loop;     /* where done() runs */
    str method;            /* "GET", "POST", ... borrowed until done() */
    str path;              /* "/api/v1/namespaces/x/pods?limit=500", percent-encoded */
    str content_type;      /* of body, "" for JSON */
    str body;
    void (*done)(struct client_call *c);
    /* answer */
    int status;            /* HTTP status; 0: no answer (shutting down, connection lost) */
    str response;
    void *owner;
    void *transport_;
};

struct client_watch {
    struct loop *loop;
    str path;              /* with watch=true; borrowed until ended() */
    /* One watch event: a JSON object {"type":...,"object":...} without the newline. */
    void (*event)(struct client_watch *w, str event);
    /* Always the last callback: the stream ended (status of the answer; 200 for a normal end). */
    void (*ended)(struct client_watch *w, int status);
    void *owner;
    void *transport_;
};

struct client_transport {
    void (*call)(struct client_transport *t, struct client_call *c);
    void (*watch)(struct client_transport *t, struct client_watch *w);
    /* Asks for the end; ended() still runs. */
    void (*watch_stop)(struct client_transport *t, struct client_watch *w);
};
