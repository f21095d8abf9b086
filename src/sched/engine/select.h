/* select.h - selectors and node terms over symbols: compiled from specs, matched against label sets.
 *
 * Threads: compiling interns (the engine's writer); matching only reads.  Ownership: compiled forms live on the arena given. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "sched/engine/model.h"

struct labelset labelset_make(struct sched *s, struct arena *a, struct spec_labels labels);
bool labelset_equal(struct labelset a, struct labelset b);
void sel_compile(struct sched *s, struct arena *a, const struct spec_selector *from, struct sel *ret);
bool sel_equal(const struct sel *a, const struct sel *b); /* same requirements in the same order */
void node_term_compile(struct sched *s, struct arena *a, const struct spec_node_term *from, struct node_term *ret);
/* A term without any requirement matches no node, as in Kubernetes. */
bool node_term_matches(const struct sched *s, const struct node_term *t, node_id n);
/* nodeSelector and required affinity of a class on one node. */
bool class_selects_node(const struct sched *s, const struct pod_class *c, node_id n);
/* Does one of the tolerations cover the taint? */
bool class_tolerates(const struct pod_class *c, const struct node_taint *t);
