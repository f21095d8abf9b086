/* statement.h - hypothetical changes that can be taken back: all-or-nothing for a unit, what-if for people.
 *
 *     uint32_t mark = statement_begin(s);      // may be nested
 *     model_assign(...); model_unassign(...); model_set_state(...)
 *     if (enough) statement_commit(s, mark); else statement_rollback(s, mark);
 * A scenario is a statement that is always rolled back: add nodes, remove pods, ask, and throw it away.
 * After a rollback every column, counter and device is as it was (node versions and the journal rise: readers must look again).
 * Threads: the engine's writer.  Limits: the log grows with the changes of the outermost statement. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "sched/engine/model.h"

uint32_t statement_begin(struct sched *s); /* a checkpoint; the outermost opens the log */
void statement_rollback(struct sched *s, uint32_t mark); /* takes everything since mark back; the statement is closed */
void statement_commit(struct sched *s, uint32_t mark);   /* the outermost forgets the log; an inner one leaves it to its outer */
bool statement_is_open(const struct sched *s);
/* Scenario: adds `count` nodes like the spec, named PREFIX-0.. ; they go with the rollback.  An error leaves those before it there, until
 * then.  Names that nodes have, or that bound pods wait for, are left out. */
int statement_add_nodes(struct sched *s, const struct node_spec *like, uint32_t count, struct err *err) MUST_CHECK;
/* Takes a node out of play, as if it were deleted; its pods become pending. */
void statement_remove_node(struct sched *s, node_id n);

/* --- for the model: what it changed --------------------------------------------------------------------------------------------- */
enum undo_op { UNDO_ASSIGN, UNDO_UNASSIGN, UNDO_STATE, UNDO_NODE_ADD, UNDO_NODE_REMOVE };
void statement_log(struct sched *s, enum undo_op op, pod_id p, node_id n, enum pod_state state, uint16_t gpu_mask, uint8_t numa_zones, nsec_t started_ns);
/* Notes sched_event bits: at once, or with the commit when a statement is open. */
void statement_event(struct sched *s, uint64_t events);
/* While the model makes or undoes a logged change: is it a pod's departure (model_unassign)?  Its place in the log, the same for both. */
bool statement_departure(const struct sched *s, uint32_t *ret_place);
void statement_fini(struct sched *s);
