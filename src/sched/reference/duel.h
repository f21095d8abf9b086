/* duel.h - the engine and the naive scheduler side by side: told the same, asked the same, compared after each answer.
 *
 *     struct duel d; duel_init(&d, &(struct duel_opts){...});
 *     for (i..) p = duel_pod(&d, ...), if (!duel_decide(&d, p, &why)) report(why)
 * Threads: one.  Ownership: the duel owns both and the generator. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "sched/engine/engine.h"
#include "sched/reference/naive.h"
#include "sched/reference/worldgen.h"

struct duel_opts {
    uint64_t seed;      /* of the world */
    uint64_t tie_seed;  /* of ties; 0: by name */
    uint32_t features;  /* enum worldgen_feature */
    uint32_t nodes;
    struct naive_conf conf;
    const struct naive_conf *second; /* of a second profile, which half of the pods choose; NULL: there is one */
};
struct duel {
    struct worldgen gen;
    struct naive naive; /* its conf is that of the pod that is decided */
    struct naive_conf confs[2];
    uint32_t nconfs;
    struct sched *sched;
    uint32_t npods; /* made so far */
    nsec_t now;
    uint32_t placed, rejected, preempted;
    uint64_t digest; /* of all decisions */
};
/* Nodes, namespaces, storage and budgets are made and told to both. */
void duel_init(struct duel *d, const struct duel_opts *opts);
void duel_fini(struct duel *d);
/* The profile as YAML that says what the naive configuration says. */
void duel_profile_text(struct strbuf *b, const struct naive_conf *conf);
struct sched_profile *duel_profile(const struct naive_conf *conf);

size_t duel_pod_new(struct duel *d); /* the next random pod, told to both */
void duel_pod_delete(struct duel *d, size_t pod);
void duel_node_put(struct duel *d, const struct node_spec *n);
void duel_node_delete(struct duel *d, str name);
/* Both decide; the same answer is applied on both sides (victims go at once and the preemptor is bound where it was nominated).
 * false: they differ, why says how. */
bool duel_decide(struct duel *d, size_t pod, struct strbuf *why);
/* Confirms every assumed pod as bound, with its start time. */
void duel_confirm(struct duel *d, size_t pod);
/* Text of a pod for messages. */
void duel_describe_pod(struct strbuf *b, const struct pod_spec *p);
