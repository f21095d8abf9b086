/* terms.h - how many pods match what, where: the counters behind inter-pod affinity and topology spread.
 *
 * A term is an interned (selector, namespaces, namespace selector, topology key).  For each term tables by topology domain:
 *     matched[d]      pods on nodes of domain d whose namespace and labels match the term
 *     carried[k][d]   pods there that carry the term themselves as k: required anti-affinity, required affinity (counts),
 *                     preferred affinity, preferred anti-affinity (sums of weights)
 * A spread counter is (selector, namespace, topology key, eligibility of nodes): matching, not terminating pods by domain over eligible nodes.
 * Whether a pod's labels match a term is decided once for each (labels_id, term).
 * Tables that no class needs any more are freed with the class.
 * Threads: the engine's writer; readers (plugins/inter_pod_affinity.c, plugins/pod_topology_spread.c) while it stands still.
 * Limits: LIMIT_SCHED_TERMS terms and spread counters; beyond it a class is refused. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "sched/engine/model.h"

enum term_carrier { CARRY_ANTI, CARRY_AFFINITY, CARRY_PREFERRED, CARRY_PREFERRED_ANTI, CARRY_KINDS };

struct terms *terms_new(struct sched *s);
void terms_free(struct terms *t);
/* Compiling a class: resolves its terms and spread constraints (fills affinity.. and spread), gives labels_id.  ns, labels, node selector,
 * required node terms and tolerations of c are there already.  A refusal leaves nothing behind. */
int terms_class_compile(struct sched *s, struct pod_class *c, const struct pod_spec *spec, struct err *err) MUST_CHECK;
void terms_class_release(struct sched *s, struct pod_class *c);
/* A pod that counts (BOUND, ASSUMED, TERMINATING) came onto a node or left it; sign +1 or -1.  `terminating` pods count for affinity, not for spread. */
void terms_pod(struct sched *s, pod_id p, node_id n, int sign, bool terminating);
/* A node's labels changed, it came or went: called before (sign -1) and after (sign +1) with its pods still on it. */
void terms_node(struct sched *s, node_id n, int sign);
/* A namespace's labels have changed, it came or went. */
void terms_namespace(struct sched *s, sym_t ns);
void terms_nodes_grown(struct sched *s);
/* For model_check: recomputes all counters from the pods and compares. */
int terms_check(const struct sched *s, struct err *err) MUST_CHECK;
size_t terms_bytes(const struct sched *s); /* memory it holds, roughly */

/* Does placing pods elsewhere matter to this class through inter-pod affinity?  It does when the class has such terms itself, and also
 * when some other class carries a term that matches the labels of this one: then the answer can change while the class lives, by
 * classes that are compiled or freed and by labels of namespaces.  terms_epoch rises whenever it may have changed for any class;
 * who keeps the answer (uses_filter, uses_score, is_local) asks again when the epoch is not the one of last time.  Placing pods never
 * changes it.
 *     if (c->cache->terms_epoch != terms_epoch(s)) { ask the plugins' uses_filter and uses_score again; }
 * (Topology spread is fixed when the class is compiled.) */
bool terms_concern_filter(const struct sched *s, const struct pod_class *c); /* own or matching required terms that filter */
bool terms_concern_score(const struct sched *s, const struct pod_class *c);  /* own or matching terms that score */
static inline bool terms_concern_class(const struct sched *s, const struct pod_class *c)
{
    return terms_concern_filter(s, c) || terms_concern_score(s, c);
}
uint64_t terms_epoch(const struct sched *s);
