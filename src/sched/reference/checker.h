/* checker.h - are these placements allowed?  Looks at the specs and at who is where, and at nothing of the engine.
 *
 *     struct checker *c = checker_new();
 *     checker_node(c, &node); ... checker_pod(c, &pod, node_name, gpu_mask); ...
 *     if (checker_verify(c, &err) < 0) puts(err.msg);   // "pod a/p-1 is on n-3, whose taint gpu=only:NoSchedule it does not tolerate"
 * Checks for the final state: capacity of every resource, devices, host ports, taints, cordons, node selectors and affinity,
 * required pod affinity and anti-affinity (both ways), hard spread, reach of bound volumes, attach limits, exclusive claims and disks.
 * Not checked: what only the order of placing decides (which free volume a claim took, a spread whose selector also matches pods
 * that do not carry it), NUMA zones.
 * Pods of one template (equal pointers in their specs) are looked at together, so that 100,000 replicas on 20,000 nodes take seconds.
 * Threads: one.  Ownership: specs are copied by value; what they point to must outlive the checker. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/err.h"
#include "sched/engine/spec.h"

struct checker;
struct checker *checker_new(void);
void checker_free(struct checker *c);
void checker_node(struct checker *c, const struct node_spec *n);
void checker_namespace(struct checker *c, str name, struct spec_labels labels);
void checker_pv(struct checker *c, const struct pv_spec *v);
void checker_pvc(struct checker *c, const struct pvc_spec *v);
/* A pod and its node ("": it waits; nothing is checked of it).  gpu_mask: the devices it was given; 0: not known. */
void checker_pod(struct checker *c, const struct pod_spec *p, str node, uint16_t gpu_mask);
int checker_verify(struct checker *c, struct err *err) MUST_CHECK;
