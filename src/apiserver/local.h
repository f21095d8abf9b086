/* local.h - the in-process transport: controllers of this process call the API server without sockets.
 *
 *   controllers' loop ── post ──► io loop: chain_run, sink = local ── post ──► controllers' loop: done(), event(), ended()
 * Threads: as client/transport.h says.  Limits: LOCAL_WATCH_BYTES events not yet taken by the component end its watch. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "client/transport.h"

struct apiserver;
struct local_transport;
struct local_transport *local_new(struct apiserver *s) MUST_CHECK;
void local_free(struct local_transport *t);
struct client_transport *local_client(struct local_transport *t);
