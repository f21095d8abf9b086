/* probe_net.h - one try of a probe over the network, without blocking the loop: TCP, HTTP(S), gRPC health.
 *
 *   connect ─► (TLS) ─► nothing more: TCP
 *                   ├─► request ─► answer's head ─► redirect on the same host: again from the beginning
 *                   └─► HTTP/2: grpc.health.v1.Health/Check ─► SERVING?
 *
 * Messages are those that people know from Kubernetes, so that what they find about them holds here, too.
 * Threads: the loop's.  Ownership: the handler is borrowed until done() or the cancel.
 * Limits: the time-out bounds everything; PROBE_NET_HOPS redirects; 10 KiB of an answer are read, 4 KiB of a gRPC one. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "agent/probes/probe_handler.h"
#include "rt/loop.h"
#include "rt/tls.h"

#define PROBE_NET_HOPS 10
#define PROBE_NET_USER_AGENT "kube-probe/1.33"

struct probe_net;

/* Never inside probe_net_start. */
typedef void probe_done_fn(void *arg, bool ok, str message);

/* tls: verifies nothing; made by the first HTTPS try and the caller's to free.  timeout_ns 0: none. */
struct probe_net *probe_net_start(struct loop *l, struct tls_client **tls, const struct probe_handler *h, nsec_t timeout_ns, probe_done_fn *done, void *arg) MUST_CHECK;
void probe_net_cancel(struct probe_net *n); /* done() does not run */
