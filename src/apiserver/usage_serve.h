/* usage_serve.h - metrics.k8s.io, custom.metrics.k8s.io and external.metrics.k8s.io: served from memory (usage_store.h).
 *
 *   PUT  /apis/metrics.k8s.io/v1beta1/nodes/NAME                              report of a node and its pods
 *   GET  /apis/metrics.k8s.io/v1beta1/nodes[/NAME], .../namespaces/NS/pods[/NAME]
 *   PUT, GET  /apis/custom.metrics.k8s.io/v1beta2[/namespaces/NS]/RESOURCE/NAME/METRIC     NAME "*" : all; RESOURCE "metrics": of the namespace itself
 *   PUT, GET  /apis/external.metrics.k8s.io/v1beta1/namespaces/NS/METRIC
 * Reading is as in Kubernetes; the PUTs are ours.  RBAC decides about both.
 * Threads: on the request's io loop.  Ownership: everything is on the request's arena. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "apiserver/request.h"

/* metrics.k8s.io, whose resources the registry has.  False: another group. */
bool usage_serve(struct api_req *q);
/* The groups whose resources are what somebody measured; before the resource is looked up.  False: another group. */
bool usage_serve_values(struct api_req *q);
