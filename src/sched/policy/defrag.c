/* defrag.c - more whole GPUs and nodes, before anybody asks for them.
 *
 *     n1 [a . . .]  n2 [b c . .]  n3 [. . . .]     a goes to n2:  n1 is whole, and nobody waits for it yet
 *     g0 [half]  g1 [half]                         one half goes to the other's device
 * Consolidation (moving.c) makes room for a unit that waits; this is for those to come.  A source is a node, or a shared device, that few pods keep from being whole.  In a statement they leave it and
 * look for room where something runs already, the fullest node first; then is counted what is whole.  Only single pods move: units by themselves and those that an elastic gang can miss.  A gang as a
 * whole would lose the work of all its members for a few devices.
 * What is whole only grows by a plan, so plans that are carried out come to an end while nothing else changes; who has moved is safe for opts.defrag.min_runtime_ns like everybody who starts. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/policy/policy_state.h"

#include "sched/engine/devices.h"
#include "sched/engine/pdbs.h"
#include "sched/engine/place.h"
#include "sched/engine/statement.h"

#define SOURCES 32u      /* the cheapest, that are tried */
#define PODS_ON_NODE 16u /* a source has no more pods with GPUs than these */

struct source {
    node_id n;
    int device; /* -1: all of the node */
    uint32_t npods;
    nsec_t lost_ns; /* work since the start or a checkpoint, and what restarts cost */
    pod_id pods[PODS_ON_NODE];
};
struct defrag {
    struct policy *p;
    uint32_t max_pods;
    bool (*may_move)(void *arg, unit_id u);
    void *arg;
    VEC(struct source) sources;
    uint64_t *within, *fits;
    struct policy_moves *ret;
};

static bool is_counted(const struct policy *p, node_id n)
{
    return bit_get(p->s->alive, n) && p->s->nodes[n].ngpus && policy_has_node(p, n);
}

void policy_whole(const struct policy *p, struct policy_whole *ret)
{
    const struct sched *s = p->s;
    *ret = (struct policy_whole){0};
    for (node_id n = 0; n < s->view.nnodes; n++) {
        if (!is_counted(p, n))
            continue;
        uint32_t free = 0;
        for (uint32_t g = 0; g < s->nodes[n].ngpus; g++)
            free += s->view.gpu[n].used_milli[g] == 0;
        ret->gpus += free;
        ret->nodes += free == s->nodes[n].ngpus;
    }
}

/* --- who may move --------------------------------------------------------------------------------------------------------------------------- */
static bool is_bound_to_place(const struct unit *unit)
{
    for (uint32_t i = 0; i < unit->nsubgroups; i++)
        if (unit->subgroups[i].required_key)
            return true;
    return unit->nrequired_keys > 0;
}

static bool is_movable(struct defrag *x, pod_id v)
{
    struct policy *p = x->p;
    const struct sched *s = p->s;
    const struct pod *pod = &s->pods[v];
    unit_id u = pod->unit;
    if (u >= p->nunits || pod->state != PS_BOUND)
        return false;
    const struct batch_unit *b = &p->units[u];
    const struct unit *unit = &s->units[u];
    if (!b->known || !b->run_pos || class_of(s, v)->never_victim || is_bound_to_place(unit))
        return false;
    nsec_t least = MAX(p->opts.defrag.min_runtime_ns, queues_preempt_min_runtime(p->q, b->leaf));
    least = MAX(least, unit->protect_ns);
    if (p->now < b->start_ns + least || (x->may_move && !x->may_move(x->arg, u)))
        return false;
    if (b->nplaced == 1 && !b->semi)
        return true;
    pod_id *with = xarray(unit->pods.len + 1, pod_id);
    bool alone = victims_with(p, u, v, with) == 1;
    free(with);
    return alone;
}

/* --- sources ---------------------------------------------------------------------------------------------------------------------------------- */
static void offer(struct defrag *x, node_id n, int device)
{
    const struct policy *p = x->p;
    const struct sched *s = p->s;
    struct source one = {.n = n, .device = device};
    for (pod_id v = s->nodes[n].first_pod; v; v = s->pods[v].next_on_node) {
        uint16_t mask = s->pods[v].gpu_mask;
        if (!mask || (device >= 0 && !(mask >> device & 1)))
            continue;
        if (one.npods == MIN(x->max_pods, PODS_ON_NODE) || !is_movable(x, v) || (device >= 0 && mask != 1u << device))
            return;
        one.pods[one.npods++] = v;
        one.lost_ns += MAX(p->now - p->units[s->pods[v].unit].since_ns, (nsec_t)0);
    }
    if (one.npods)
        vec_push(&x->sources, one);
}

static int cheaper(const void *pa, const void *pb)
{
    const struct source *a = pa, *b = pb;
    if ((a->device < 0) != (b->device < 0))
        return a->device < 0 ? -1 : 1;
    if (a->npods != b->npods)
        return a->npods < b->npods ? -1 : 1;
    if (a->lost_ns != b->lost_ns)
        return a->lost_ns < b->lost_ns ? -1 : 1;
    return a->n != b->n ? (a->n < b->n ? -1 : 1) : a->device - b->device;
}

static void find_sources(struct defrag *x)
{
    const struct sched *s = x->p->s;
    for (node_id n = 0; n < s->view.nnodes; n++) {
        const struct gpu_state *g = &s->view.gpu[n];
        if (!is_counted(x->p, n))
            continue;
        uint32_t taken = 0;
        for (uint32_t i = 0; i < s->nodes[n].ngpus; i++)
            taken += g->used_milli[i] > 0;
        if (taken && taken < s->nodes[n].ngpus) /* a full node made whole fills others as far */
            offer(x, n, -1);
        for (uint32_t i = 0; i < s->nodes[n].ngpus; i++)
            if (g->used_milli[i] > 0 && g->used_milli[i] < GPU_MILLI)
                offer(x, n, (int)i);
    }
    if (x->sources.len)
        qsort(x->sources.p, x->sources.len, sizeof *x->sources.p, cheaper);
}

/* --- a try ---------------------------------------------------------------------------------------------------------------------------------------- */
static uint32_t free_devices(const struct sched *s, node_id n)
{
    uint32_t free = 0;
    for (uint32_t g = 0; g < s->nodes[n].ngpus; g++)
        free += s->view.gpu[n].used_milli[g] == 0;
    return free;
}

/* The fullest of the nodes where something runs, and not where it came from, unless it is a device that is to be freed; NODE_NONE: nowhere. */
static node_id target_of(struct defrag *x, const struct source *from, pod_id v)
{
    struct sched *s = x->p->s;
    node_id best = NODE_NONE;
    uint32_t least = UINT32_MAX;
    const uint64_t *allowed = gpus_within(x->p, s->pods[v].unit); /* it comes again as one that starts: where its queue lets it */
    for (node_id n = 0; n < s->view.nnodes; n++)
        bit_put(x->within, n, (!allowed || bit_get(allowed, n)) && is_counted(x->p, n) && (n != from->n || from->device >= 0) && free_devices(s, n) < s->nodes[n].ngpus);
    place_feasible(s, s->pods[v].class_, x->within, x->fits);
    bits_foreach(n, x->fits, s->view.words)
    {
        uint32_t free = free_devices(s, n);
        if (!bit_get(x->within, n) || free > least || (free == least && s->tie[n] >= s->tie[best]))
            continue;
        best = n;
        least = free;
    }
    return best;
}

static int larger(const void *pa, const void *pb, void *arg)
{
    const struct sched *s = arg;
    const struct pod_class *a = class_of(s, *(const pod_id *)pa), *b = class_of(s, *(const pod_id *)pb);
    if (a->gpu.count != b->gpu.count)
        return a->gpu.count > b->gpu.count ? -1 : 1;
    return *(const pod_id *)pa < *(const pod_id *)pb ? -1 : 1;
}

static uint32_t units_of(const struct sched *s, const struct source *from)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < from->npods; i++) {
        uint32_t k = 0;
        while (k < i && s->pods[from->pods[k]].unit != s->pods[from->pods[i]].unit)
            k++;
        n += k == i;
    }
    return n;
}

/* More than one surplus pod of a gang may be on the node: together it may not miss them.  With a minimum of one it is no gang. */
static bool can_be_missed(const struct defrag *x, const struct source *from)
{
    const struct sched *s = x->p->s;
    for (uint32_t i = 0; i < from->npods; i++) {
        const struct unit *unit = &s->units[s->pods[from->pods[i]].unit];
        uint32_t same = 0;
        for (uint32_t k = 0; k < from->npods; k++)
            same += s->pods[from->pods[k]].unit == s->pods[from->pods[i]].unit;
        if (same > 1 && (unit->nsubgroups || (unit->min_member > 1 && (int64_t)x->p->units[s->pods[from->pods[i]].unit].nplaced - same < unit->min_member)))
            return false;
    }
    return true;
}

static bool try_source(struct defrag *x, struct source *from)
{
    struct policy *p = x->p;
    struct sched *s = p->s;
    pod_id ids[PODS_ON_NODE];
    memcpy(ids, from->pods, sizeof ids);
    if (units_of(s, from) > p->opts.defrag.units || !can_be_missed(x, from) || (pdbs_any(s) && pdbs_split(s, ids, from->npods) > 0))
        return false;
    qsort_r(from->pods, from->npods, sizeof *from->pods, larger, s);
    vec_clear(&x->ret->list);
    uint32_t at = statement_begin(s);
    for (uint32_t i = 0; i < from->npods; i++)
        model_unassign(s, from->pods[i]);
    bool good = true;
    for (uint32_t i = 0; good && i < from->npods; i++) {
        node_id to = target_of(x, from, from->pods[i]);
        good = to != NODE_NONE;
        if (!good)
            break;
        model_assign(s, from->pods[i], to, PS_ASSUMED, 0);
        vec_push(&x->ret->list, (struct policy_move){from->pods[i], from->n, to});
    }
    policy_whole(p, &x->ret->after);
    statement_rollback(s, at);
    const struct policy_whole *before = &x->ret->before, *after = &x->ret->after;
    x->ret->units = units_of(s, from);
    return good && after->nodes >= before->nodes && after->gpus >= before->gpus && (after->nodes > before->nodes || after->gpus > before->gpus);
}

static bool somebody_leaves(const struct policy *p)
{
    for (size_t i = 0; i < p->leaving.len; i++)
        if (p->s->pods[p->leaving.p[i]].state == PS_TERMINATING)
            return true;
    return false;
}

bool policy_defragment(struct policy *p, nsec_t now, uint32_t pods, bool (*may_move)(void *arg, unit_id u), void *arg, struct policy_moves *ret)
{
    struct sched *s = p->s;
    struct defrag x = {.p = p, .max_pods = MIN(pods, p->opts.defrag.pods), .may_move = may_move, .arg = arg, .ret = ret};
    p->now = now;
    policy_catch_up(p);
    vec_clear(&ret->list);
    ret->units = 0;
    policy_whole(p, &ret->before);
    ret->after = ret->before;
    if (x.max_pods == 0 || p->kept.len || somebody_leaves(p)) /* what is whole then is about to change */
        return false;
    x.within = xarray(s->view.words + 1, uint64_t);
    x.fits = xarray(s->view.words + 1, uint64_t);
    model_tie_ranks(s);
    find_sources(&x);
    bool found = false;
    for (size_t i = 0; !found && i < x.sources.len && i < SOURCES; i++)
        found = try_source(&x, &x.sources.p[i]);
    if (!found) {
        vec_clear(&ret->list);
        ret->after = ret->before;
    }
    vec_fini(&x.sources);
    free(x.within);
    free(x.fits);
    policy_catch_up(p);
    return found;
}
