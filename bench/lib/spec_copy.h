/* spec_copy.h - deep copies of specs, for whoever wants to look at them after the call they were handed to.
 *
 * Ownership: everything lives on the arena. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/arena.h"
#include "sched/engine/spec.h"

struct node_spec spec_copy_node(struct arena *a, const struct node_spec *n);
struct pod_spec spec_copy_pod(struct arena *a, const struct pod_spec *p);
struct pv_spec spec_copy_pv(struct arena *a, const struct pv_spec *v);
struct pvc_spec spec_copy_pvc(struct arena *a, const struct pvc_spec *v);
struct spec_labels spec_copy_labels(struct arena *a, struct spec_labels l);
