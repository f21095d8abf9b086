/* SPDX-License-Identifier: Apache-2.0 */
#include "controllers/daemonset_plan.h"

/* What matters of the pods of one node. */
struct place {
    struct pod_record *old, *new; /* active pods: of another template, of this one */
    bool old_available, new_available;
};

static bool has_hash(const struct pod_record *p, str hash)
{
    ARENA_AUTO a = ARENA_INIT;
    struct json labels = pod_labels(p, &a);
    return str_eq(json_get_str(&labels, S("controller-revision-hash")), hash);
}

static bool available(const struct pod_record *p, const struct daemon_opts *o, struct daemon_plan *plan)
{
    nsec_t left;
    bool yes = p && pod_is_available(p, o->min_ready, o->now, &left);
    if (p && !yes && left && (!plan->after || left < plan->after))
        plan->after = left;
    return yes;
}

static void remove_pod(struct daemon_plan *plan, struct pod_record *p)
{
    plan->deletes[plan->ndeletes++] = p;
}

/* Of several pods of a kind on a node the oldest that is ready stays. */
static void keep_one(struct daemon_plan *plan, struct pod_record **kept, struct pod_record *p)
{
    struct pod_record *loser = p;
    bool better = !*kept || (p->ready && !(*kept)->ready) || (p->ready == (*kept)->ready && p->created < (*kept)->created);
    if (better) {
        loser = *kept;
        *kept = p;
    }
    if (loser)
        remove_pod(plan, loser);
}

/* Failed pods are replaced; pods on their way out still hold their place unless surge allows two. */
static struct place look(struct daemon_node *n, const struct daemon_opts *o, struct daemon_plan *plan, bool *ret_blocked)
{
    struct place at = {0};
    *ret_blocked = false;
    for (size_t i = 0; i < n->npods; i++) {
        struct pod_record *p = n->pods[i];
        if (pod_is_gone(p))
            *ret_blocked |= !pod_is_finished(p) && !o->max_surge;
        else if (n->should_stay && pod_is_finished(p) && n->failed_waits)
            *ret_blocked = true;
        else if (!n->should_stay || pod_is_finished(p))
            remove_pod(plan, p);
        else
            keep_one(plan, has_hash(p, o->hash) ? &at.new : &at.old, p);
    }
    at.old_available = available(at.old, o, plan);
    at.new_available = available(at.new, o, plan);
    return at;
}

static void count(const struct daemon_node *n, const struct place *at, struct daemon_plan *plan)
{
    const struct pod_record *p = at->new ? at->new : at->old;
    if (!n->should_run) {
        plan->misscheduled += p != NULL;
        return;
    }
    plan->desired++;
    plan->current += p != NULL;
    plan->ready += (at->new && at->new->ready) || (at->old && at->old->ready);
    plan->available += at->new_available || at->old_available;
    plan->updated += at->new != NULL;
}

/* Old pods that do not serve go at once; others as far as maxUnavailable lets them. */
static void roll_in_place(struct place *places, size_t n, const struct daemon_opts *o, struct daemon_plan *plan)
{
    int64_t room = o->max_unavailable - (plan->desired - plan->available);
    for (size_t i = 0; i < n; i++)
        if (places[i].old && !places[i].new && !places[i].old_available)
            remove_pod(plan, places[i].old);
    for (size_t i = 0; i < n && room > 0; i++)
        if (places[i].old && !places[i].new && places[i].old_available) {
            remove_pod(plan, places[i].old);
            room--;
        }
}

/* A new pod beside the old one, which goes when the new one is available. */
static void roll_by_surge(const struct daemon_node *nodes, struct place *places, size_t n, const struct daemon_opts *o, struct daemon_plan *plan)
{
    int64_t room = o->max_surge;
    for (size_t i = 0; i < n; i++)
        room -= places[i].old && places[i].new;
    for (size_t i = 0; i < n; i++) {
        if (!places[i].old)
            continue;
        if (places[i].new ? places[i].new_available : !places[i].old_available)
            remove_pod(plan, places[i].old);
        else if (!places[i].new && nodes[i].should_run && room-- > 0)
            plan->creates[plan->ncreates++] = nodes[i].name;
    }
}

bool daemon_failure_is_over(const struct daemon_failure *f, nsec_t now)
{
    return now - f->at > 2 * DAEMON_DELAY_MAX_NS;
}

nsec_t daemon_failure_left(struct daemon_failure *f, nsec_t now)
{
    bool first = !f->delay || daemon_failure_is_over(f, now);
    nsec_t left = first ? 0 : MIN(f->at + f->delay - now, f->delay); /* never longer than the delay, should the clock be set back */
    if (left > 0)
        return left;
    *f = (struct daemon_failure){now, first ? (nsec_t)DAEMON_DELAY_NS : MIN(2 * f->delay, (nsec_t)DAEMON_DELAY_MAX_NS)};
    return 0;
}

void daemonset_plan(struct arena *a, struct daemon_node *nodes, size_t n, const struct daemon_opts *o, struct daemon_plan *ret)
{
    size_t all = 0;
    for (size_t i = 0; i < n; i++)
        all += nodes[i].npods;
    *ret = (struct daemon_plan){.creates = arena_array(a, n + 1, str), .deletes = arena_array(a, all + 1, struct pod_record *)};
    struct place *places = arena_array(a, n + 1, struct place);
    for (size_t i = 0; i < n; i++) {
        bool blocked;
        places[i] = look(&nodes[i], o, ret, &blocked);
        count(&nodes[i], &places[i], ret);
        if (nodes[i].should_run && !places[i].old && !places[i].new && !blocked)
            ret->creates[ret->ncreates++] = nodes[i].name;
    }
    if (o->on_delete)
        return;
    if (o->max_surge)
        roll_by_surge(nodes, places, n, o, ret);
    else
        roll_in_place(places, n, o, ret);
}
