/* explain_nodes.h - which nodes a pod could go to, and what they have free of bandwidth; links of a task; who holds what is lacking.
 *
 *   {"considered":[{"node":"bob-0","fits":false,"egressBits":..,"egressFreeBits":..,"ingressBits":..,"ingressFreeBits":..,"lacks":"bandwidth ..."}, ...],"excluded":40,"leftOff":0}
 * Considered are nodes that are excluded by nothing but amounts; those that fit come first, then by free bandwidth and name.  A pod that is in place is taken off for the asking.
 * A task is of several institutions: what one of them is told of another names no nodes (explain_for).
 * Threads: the engine's writer.  Ownership: everything lives on the arena.
 * Limits: EXPLAIN_NODES nodes, EXPLAIN_HOLDERS holders, EXPLAIN_PARTIES parties; the rest is counted. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "sched/engine/explain.h"

#define EXPLAIN_NODES 32u
#define EXPLAIN_HOLDERS 3u
#define EXPLAIN_PARTIES 32u

/* Adds "considered", "excluded", "leftOff", and of a task "links". */
void explain_add_nodes(struct sched *s, struct arena *a, pod_id p, struct json *record);
/* "held by t1-0 (60 Mbit/s) and 2 pods of others": pods of the namespace of who asks are named, of others counted; "": nobody but its own unit holds any. */
str explain_holders(const struct sched *s, struct arena *a, node_id n, uint16_t resource, pod_id asking);
/* The sentence for pods of that namespace.  Of a group of several, what its own pods lack; when only another one finds no room: "waits for party bob, which lacks bandwidth (needs 80 Mbit/s)". */
str explain_for(struct arena *a, struct sched *s, const struct explanation *x, unit_id u, sym_t ns);
/* A group that has pods: each namespace with its pods, where they are and what was considered; why is its explanation when it waits, NULL: it does not. */
struct json explain_group_json(struct sched *s, struct arena *a, unit_id u, const struct explanation *why);
