/* grouping_rules.h - how the pods of a kind of owner become units: a table, pure.
 *
 *   apps Deployment          a group for each pod
 *   kubeflow.org PyTorchJob  one group; as many as the roles of spec.pytorchReplicaSpecs want; sub-groups master and worker
 *   argoproj.io Workflow     does not count: the owner below it, at last the pod, is asked
 *
 * A rule is found by API group and kind.  Rows of the cluster's own (grouping_config.h) come first; a kind that nobody knows is one group of at least one pod.
 * Threads: pure.  Ownership: rows of the built-in table are static, others live as long as their configuration. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "wire/json.h"

#define GROUPING_PATHS 3
#define GROUPING_MEMBERS_MAX 100000 /* LIMIT_SCHED_GROUP: what the scheduler takes; more counts as this */

/* A number, or places of the owner at which to look for it: the first place that has integers counts, several of them are added up. */
struct grouping_amount {
    int64_t fixed; /* 0: look at the paths */
    str paths[GROUPING_PATHS]; /* JSONPath, braces optional; up to the first that is "" */
};

struct grouping_part {
    str name;
    struct grouping_amount min; /* neither number nor path: 1 */
    str label, value; /* pods with this label belong to it */
};

/* For what a group is made, and so what it is called. */
enum grouping_by {
    GROUPING_BY_OWNER,     /* pg-OWNER-UID */
    GROUPING_BY_POD,       /* pg-POD-UID, owned by the pod */
    GROUPING_BY_OWNED_POD, /* pg-POD-UID with the owner's uid, as KAI names pods of Jobs; owned by the pod, so that a Job that tries often leaves nothing behind */
    GROUPING_BY_LABEL,     /* pg-OWNER-UID, the rule's tag, the value of a label of the pod */
};

/* How many at least, and which parts.  Most are an amount and parts by label; these have to be computed. */
enum grouping_formula {
    GROUPING_AMOUNT,
    GROUPING_ROLES,  /* the sum of replicas of each member of an object ("roles"), unless an amount is there; a part for each role that `parts` names */
    GROUPING_RAY,    /* a head, and workers in groups */
    GROUPING_LEADER, /* LeaderWorkerSet: a leader and its workers */
    GROUPING_JOBSET,
    GROUPING_GANG,   /* Grove's PodGang, which is the companion */
};

struct grouping_rule {
    str api; /* API group, or "group/version": that version only */
    str kind;
    bool skip;  /* does not count: the owner below is the top */
    bool leave; /* its pods are none of our business */
    str child;  /* of this kind is the owner below the top for which the group is made, if there is one */
    enum grouping_by by;
    str label, tag; /* GROUPING_BY_LABEL */
    enum grouping_formula formula;
    struct grouping_amount min; /* neither number nor path: 1, or what the annotation batch-min-member says */
    str roles; /* GROUPING_ROLES: "pytorchReplicaSpecs" of spec */
    const struct grouping_part *parts;
    size_t nparts;
    str priority; /* class when nobody names one; "": train */
};

struct grouping_rules {
    const struct grouping_rule *own; /* of the cluster, before the built-in ones */
    size_t len;
};

extern const struct grouping_rule grouping_table[];
extern const size_t grouping_table_len;

str grouping_api_group(str api_version); /* "apps" of "apps/v1", "" of "v1" */
const struct grouping_rule *grouping_rule_find(const struct grouping_rules *rules, str api_version, str kind); /* never NULL */
/* False: there is neither a number nor anything at the paths.  At most GROUPING_MEMBERS_MAX. */
bool grouping_amount_read(struct arena *a, const struct grouping_amount *amount, const struct json *obj, int64_t *ret);
