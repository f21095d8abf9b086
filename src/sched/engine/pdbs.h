/* pdbs.h - disruption budgets: how many evictions each still allows, and which pods it covers.
 *
 * kube-scheduler's reading: a budget covers the pods of its namespace that its selector matches; one whose selector is empty covers nothing here,
 * nor does any budget cover a pod without labels or one whose eviction it has counted already.
 * Threads: the engine's writer.  Limits: LIMIT_SCHED_SPEC_ITEMS requirements and counted pods of one budget. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "sched/engine/model.h"

struct pdbs *pdbs_new(void);
void pdbs_free(struct pdbs *x);
int pdbs_put(struct sched *s, const struct pdb_spec *spec, struct err *err) MUST_CHECK;
void pdbs_delete(struct sched *s, str ns, str name);
bool pdbs_any(const struct sched *s);
/* Splits pods into those whose eviction would break a budget (counting the ones before them in the list) and the rest, keeping the order: violating
 * ones first; returns how many those are. */
size_t pdbs_split(const struct sched *s, pod_id *pods, size_t n);
uint64_t pdbs_version(const struct sched *s); /* rises with every change */
