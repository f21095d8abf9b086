/* object.h - API objects (JSON as the API server serves it) to the specs of spec.h: what kube-scheduler reads out of them.
 *
 * Effective requests (init containers, sidecars, overhead, pod-level resources), non-zero requests, normalised image names, affinity with
 * match and mismatch label keys merged, topology spread, host ports, claims and inline disks, GPU annotations and labels (KAI's gpu-fraction,
 * gpu-memory), group membership (labels and annotations of KAI, Gödel and co-scheduling), kuscia.io/bandwidth in Mbit/s and
 * cox.io/{ingress,egress}-bandwidth in bit/s.  The kubernetes.io bandwidth annotations are limits for the network plugin and ask for nothing.
 * What the API server would have filled in (requests from limits, host ports on the host's network) is filled in for files that never saw one.
 * Not modelled: amd.com/gpu and its like are counted as plain resources, without devices, so that makes are never mixed up; inline CSI volumes count
 * against no limit, as in kube-scheduler.
 * Threads: the engine's writer (new names of resources are given ids).
 * Ownership: specs point into the object and into the arena.
 * Limits: unknown fields are ignored; a malformed one is E_INVALID_ARG with its path. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "sched/engine/engine.h"
#include "wire/json.h"

int object_node(struct sched *s, struct arena *a, const struct json *obj, struct node_spec *ret, struct err *err) MUST_CHECK;
/* CSINode objects carry volume limits: merged into the node's spec by who has both; obj NULL: none.  object_put hands them to storage.h instead. */
int object_csinode_limits(struct arena *a, const struct json *obj, struct node_spec *into, struct err *err) MUST_CHECK;
/* ret_gone: it has finished (Succeeded, Failed) or is deleted before it had a node; the spec is filled all the same. */
int object_pod(struct sched *s, struct arena *a, const struct json *obj, struct pod_spec *ret, bool *ret_gone, struct err *err) MUST_CHECK;
int object_pv(struct arena *a, const struct json *obj, struct pv_spec *ret, struct err *err) MUST_CHECK;
int object_pvc(struct arena *a, const struct json *obj, struct pvc_spec *ret, struct err *err) MUST_CHECK;
int object_storage_class(struct arena *a, const struct json *obj, struct storage_class_spec *ret, struct err *err) MUST_CHECK;
int object_pdb(struct arena *a, const struct json *obj, struct pdb_spec *ret, struct err *err) MUST_CHECK;
/* PodGroups by their apiVersion: scheduling.run.ai, scheduling.godel.kubewharf.io, scheduling.x-k8s.io, scheduling.k8s.io. */
int object_group(struct sched *s, struct arena *a, const struct json *obj, struct group_spec *ret, struct err *err) MUST_CHECK;
/* Reads one object of any of these kinds (and Namespace, PriorityClass and Topology) and puts it; List objects item by item.  A kind that means
 * nothing to the engine is passed over; ret_known (may be NULL) says whether any was put.  Errors name the kind and the object before the path. */
int object_put(struct sched *s, const struct json *obj, bool *ret_known, struct err *err) MUST_CHECK;
