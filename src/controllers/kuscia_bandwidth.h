/* kuscia_bandwidth.h - what a party says of bandwidth, in the words that pods have (pure).
 *
 *   resources.requests.bandwidth: 500Mi              ─► cox.io/egress-bandwidth and cox.io/ingress-bandwidth, bit/s
 *   bandwidthRequest: egress=200Mbps,ingress=1G      ─► the same, of each pod, on its first container; what containers say themselves does not count then
 *   requests below limits                            ─► the request on the containers, the limit as annotation kubernetes.io/egress-bandwidth: Kubernetes wants both equal there
 *   annotation cox.io/bandwidth-lend of the job, task or deployment  ─► the same of its pods
 * What is written there was validated (api/validate_kuscia.c); what cannot be read is left out.
 * Threads: pure.  Ownership: the arena's, with parts of the input. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/bandwidth.h"
#include "wire/json.h"

/* Limits and requests of one container or party: "bandwidth" gets the names of pods. */
void kuscia_bandwidth_names(struct arena *a, struct json *resources);
/* The containers of a pod, named as above; request: the party's, or "".  notes: the pod's annotations. */
void kuscia_bandwidth_pod(struct arena *a, struct json *containers, str request, struct json *notes);
/* Whoever made it accepts what is lent: of: the object, notes: annotations of what is made for it. */
void kuscia_bandwidth_lend(struct arena *a, const struct json *of, struct json *notes);
