/* unit_state.h - what the files of unit.h share. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "sched/engine/preempt.h"
#include "sched/engine/unit.h"

#define UNIT_REJECTS 16
/* Which filter rejects a class where, kept current from the journal (unit_reject.c). */
struct class_rejects {
    class_id id; /* CLASS_NONE: free */
    uint64_t hash, uses_filter, seq, used;
    uint32_t nslots;
    uint8_t *by; /* index in the table of the first filter that says no; REJECT_NONE */
    uint32_t counts[PLUG_MAX];
};
#define REJECT_NONE 0xff

/* What a profile says about units. */
struct unit_rules {
    bool gangs;    /* it has Coscheduling: groups have minimums */
    bool pins;     /* ... DaemonSet: a pod pinned to a node looks at that node alone */
    uint64_t locators; /* entries of the table with locate */
    uint64_t groupers;
    int job_affinity, fit, bandwidth; /* indexes in the table, -1 */
};
struct unit_state {
    struct unit_rules rules[PROFILES_MAX];
    bool foreign;  /* another plugin of any profile locates or groups: no unit takes the short way */
    uint64_t *failed; /* by class: the try in which it failed last */
    uint64_t stamp;
    uint32_t nfailed;
    struct preempt_candidate candidate; /* scratch */
    struct class_rejects rejects[UNIT_REJECTS];
    uint64_t clock;
};

/* Mask of plugins (bits of the table) that reject nodes for this class now, over all nodes. */
uint64_t unit_rejections(struct sched *s, class_id c);
void class_rejects_fini(struct class_rejects *x);
static inline const struct unit_rules *unit_rules_of(const struct sched *s, unit_id u)
{
    return &s->unit_state->rules[unit_profile(s, u)];
}
/* Events that may help what these plugins rejected. */
uint32_t unit_helped_by(const struct sched *s, uint64_t rejected_by);
/* A group, with or without a minimum. */
void unit_place_group(struct sched *s, unit_id u, struct unit_decision *d);
/* The topology columns of all the unit's keys. */
void unit_topologies(struct sched *s, unit_id u);
