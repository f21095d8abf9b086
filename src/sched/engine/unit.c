/* unit.c - the decision for a unit: the short way for a pod alone, and what all units share. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/engine/unit.h"

#include "sched/engine/place.h"
#include "sched/engine/statement.h"
#include "sched/engine/unit_state.h"
#include "sched/plugins/plugins.h"

/* True: it has plugins about units that are not ours. */
static bool read_rules(const struct profile_table *t, uint32_t profile, struct unit_rules *ret)
{
    bool foreign = false;
    ret->gangs = profile_table_index(t, profile, &plugin_coscheduling) >= 0;
    ret->pins = profile_table_index(t, profile, &plugin_daemon_set) >= 0;
    ret->job_affinity = profile_table_index(t, profile, &plugin_job_affinity);
    ret->fit = profile_table_index(t, profile, &plugin_node_resources_fit);
    ret->bandwidth = profile_table_index(t, profile, &plugin_node_bandwidth);
    for (uint64_t m = t->of[profile]; m; m &= m - 1) {
        uint32_t i = (uint32_t)__builtin_ctzll(m);
        const struct sched_plugin *p = t->plugins[i].plugin;
        ret->locators |= (uint64_t)(p->locate != NULL) << i;
        ret->groupers |= (uint64_t)(p->group != NULL) << i;
        foreign |= (p->locate || p->group) && p != &plugin_daemon_set && p != &plugin_job_affinity;
    }
    return foreign;
}

struct unit_state *unit_state_new(const struct sched *s)
{
    struct unit_state *x = xnew(struct unit_state);
    x->candidate = PREEMPT_CANDIDATE_INIT;
    for (uint32_t i = 0; i < s->table->nprofiles; i++)
        x->foreign |= read_rules(s->table, i, &x->rules[i]);
    return x;
}

void unit_state_free(struct unit_state *x)
{
    if (!x)
        return;
    preempt_candidate_fini(&x->candidate);
    for (uint32_t i = 0; i < UNIT_REJECTS; i++)
        class_rejects_fini(&x->rejects[i]);
    free(x->failed);
    free(x);
}

bool unit_is_single(const struct sched *s, unit_id u)
{
    return !s->units[u].is_group && !s->unit_state->foreign;
}

int unit_compare(const struct sched *s, unit_id a, unit_id b)
{
    const struct unit *x = &s->units[a], *y = &s->units[b];
    if (x->priority != y->priority)
        return x->priority > y->priority ? -1 : 1;
    if (x->created_ns != y->created_ns)
        return x->created_ns < y->created_ns ? -1 : 1;
    return a < b ? -1 : a > b;
}

struct unit_counts unit_count(const struct sched *s, unit_id u)
{
    const struct unit *unit = &s->units[u];
    struct unit_counts n = {0};
    for (size_t i = 0; i < unit->pods.len; i++) {
        const struct pod *p = &s->pods[unit->pods.p[i]];
        bool waits = p->state == PS_PENDING || p->state == PS_NOMINATED, gated = s->classes[p->class_]->gates > 0;
        n.created += p->state != PS_TERMINATING;
        n.placed += !waits && p->state != PS_TERMINATING;
        n.waiting += waits && !gated;
        n.gated += waits && gated;
    }
    return n;
}

uint32_t unit_profile(const struct sched *s, unit_id u)
{
    const struct unit *unit = &s->units[u];
    if (s->table->nprofiles == 1 || unit->pods.len == 0)
        return 0;
    uint32_t first = UINT32_MAX;
    for (size_t i = 0; i < unit->pods.len; i++)
        first = MIN(first, (uint32_t)class_of(s, unit->pods.p[i])->profile);
    return first;
}

#define WHOLE_SUBGROUPS 8u
bool unit_is_whole(const struct sched *s, unit_id u)
{
    const struct unit *unit = &s->units[u];
    int32_t n[WHOLE_SUBGROUPS] = {0};
    if (!unit->declared || unit->nsubgroups > WHOLE_SUBGROUPS || (int64_t)unit->pods.len < unit->min_member)
        return false;
    for (size_t i = 0; i < unit->pods.len; i++) {
        const struct pod *p = &s->pods[unit->pods.p[i]];
        if (p->state == PS_TERMINATING || s->classes[p->class_]->gates)
            return false;
        if (p->subgroup < unit->nsubgroups)
            n[p->subgroup]++;
    }
    for (uint32_t i = 0; i < unit->nsubgroups; i++)
        if (n[i] < unit->subgroups[i].min_member)
            return false;
    return true;
}

bool unit_heeds_links(const struct sched *s, unit_id u)
{
    return unit_rules_of(s, u)->bandwidth >= 0;
}

/* The pod looks at one node alone. */
static bool is_pinned(const struct sched *s, const struct pod_class *c)
{
    return c->pinned_node && s->unit_state->rules[c->profile].pins;
}

/* --- a pod alone --------------------------------------------------------------------------------------------------------------------- */
/* All nodes, but for those that the batch policy forbids. */
static struct place_opts anywhere(const struct sched *s)
{
    return (struct place_opts){.within = s->batch_within};
}

static void placed(struct sched *s, pod_id p, node_id n, int32_t score, struct unit_decision *d)
{
    model_assign(s, p, n, PS_ASSUMED, 0);
    preempt_override(s, p);
    d->result = UNIT_PLACED;
    vec_push(&d->placements, (struct placement){p, n, s->pods[p].gpu_mask, score});
}

/* Which devices it will get when the victims have gone. */
static uint16_t devices_to_come(struct sched *s, pod_id p, const struct preempt_candidate *c)
{
    if (class_of(s, p)->gpu.kind == GPU_NONE)
        return 0;
    uint32_t mark = statement_begin(s);
    if (s->pods[p].state == PS_NOMINATED)
        model_unassign(s, p);
    preempt_imagine(s, p, c);
    uint16_t mask = s->pods[p].gpu_mask;
    statement_rollback(s, mark);
    return mask;
}

static void reject_or_preempt(struct sched *s, pod_id p, struct unit_decision *d)
{
    struct pod *pod = &s->pods[p];
    struct preempt_candidate *c = &s->unit_state->candidate;
    const struct pod_class *k = class_of(s, p);
    if (unlikely(s->batch)) {
        d->result = UNIT_REJECTED;
        d->failed_pod = p;
        if (s->batch == BATCH_PROBE)
            return;
        d->rejected_by = unit_rejections(s, k->id);
        d->helped_by = unit_helped_by(s, d->rejected_by);
        return;
    }
    bool may = profile_of(s, k)->preempt, eligible = may && preempt_is_eligible(s, p);
    if (eligible && preempt_find(s, p, NULL, c, NULL)) {
        preempt_apply(s, p, c, devices_to_come(s, p, c));
        d->result = UNIT_PREEMPTING;
        vec_push(&d->placements, (struct placement){p, c->node, pod->gpu_mask, 0});
        for (size_t i = 0; i < c->victims.len; i++)
            vec_push(&d->victims, c->victims.p[i]);
        return;
    }
    if (pod->state == PS_NOMINATED && (eligible || !may))
        model_unassign(s, p);
    node_id pinned = is_pinned(s, k) ? sched_node_find(s, symbol_text(&s->sym, k->pinned_node)) : NODE_NONE;
    int by = pinned == NODE_NONE ? -1 : place_rejected_by(s, k->id, pinned);
    d->result = UNIT_REJECTED;
    d->failed_pod = p;
    d->rejected_by = by >= 0 ? 1ull << by : unit_rejections(s, k->id);
    d->helped_by = unit_helped_by(s, d->rejected_by) | (pod->state == PS_NOMINATED ? EVENT_POD_FREED : 0);
}

/* Is the node that was kept for the pod, or the only one it wants, good? */
static node_id special_node(const struct sched *s, const struct pod_class *c, node_id kept)
{
    node_id n = kept;
    if (is_pinned(s, c))
        n = sched_node_find(s, symbol_text(&s->sym, c->pinned_node));
    return n != NODE_NONE && place_fits(s, c->id, n) ? n : NODE_NONE;
}

/* Gated, nominated or pinned pods. */
static void place_special(struct sched *s, pod_id p, struct unit_decision *d)
{
    struct pod *pod = &s->pods[p];
    const struct pod_class *c = s->classes[pod->class_];
    if (pod->state != PS_PENDING && pod->state != PS_NOMINATED) {
        d->result = UNIT_NOTHING;
        return;
    }
    if (c->gates) {
        d->result = UNIT_GATED;
        d->helped_by = EVENT_POD_UPDATED;
        d->failed_pod = p;
        return;
    }
    struct place_result r = {.node = NODE_NONE};
    const struct place_opts opts = anywhere(s);
    uint32_t mark = statement_begin(s);
    node_id kept = pod->node;
    if (pod->state == PS_NOMINATED)
        model_unassign(s, p);
    node_id n = special_node(s, c, kept);
    if (n == NODE_NONE && !is_pinned(s, c) && place_find(s, c->id, &opts, &r))
        n = r.node;
    if (n == NODE_NONE) {
        statement_rollback(s, mark);
        reject_or_preempt(s, p, d);
        return;
    }
    placed(s, p, n, r.score, d);
    statement_commit(s, mark);
}

void unit_place(struct sched *s, unit_id u, struct unit_decision *d)
{
    const struct unit *unit = &s->units[u];
    if (unlikely(unit->is_group || s->unit_state->foreign)) {
        unit_place_group(s, u, d);
        return;
    }
    pod_id p = unit->pods.p[0];
    const struct pod *pod = &s->pods[p];
    const struct pod_class *c = s->classes[pod->class_];
    const struct place_opts opts = anywhere(s);
    struct place_result r;
    if (unlikely(pod->state != PS_PENDING || c->gates || c->pinned_node))
        place_special(s, p, d);
    else if (likely(place_find(s, pod->class_, &opts, &r)))
        placed(s, p, r.node, r.score, d);
    else
        reject_or_preempt(s, p, d);
}
