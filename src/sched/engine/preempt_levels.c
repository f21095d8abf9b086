/* preempt_levels.c - by priority and node, how much its pods hold: the cut that makes hopeless nodes cost a nanosecond or two.
 *
 *   level -10:  cpu  [node 0] 300  [node 1]   0 ...   each assigned pod adds its requests to its own level only;
 *   level   0:  cpu  [node 0] 100  [node 1] 900 ...   a question sums the levels below the preemptor's priority
 *   leaving:    cpu  [node 0]   0  [node 1]  50 ...   TERMINATING pods, whatever their priority: their room is to come
 * Pods that may never be victims are in no level; nominated pods are in theirs, since pods of higher priority may take their room. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/engine/preempt_state.h"

#include "sched/plugins/plugins.h"
#include "sched/plugins/resources.h"

struct preempt_state *preempt_state_new(const struct sched *s)
{
    struct preempt_state *x = xnew(struct preempt_state);
    x->nslots = (size_t)s->view.words * 64;
    x->nominated_on = xarray(x->nslots, uint32_t);
    return x;
}

static void level_fini(struct preempt_level *l)
{
    for (uint32_t r = 0; r < RES_MAX; r++)
        free(l->col[r]);
}

void preempt_state_free(struct preempt_state *x)
{
    if (!x)
        return;
    for (uint32_t i = 0; i < x->nlevels; i++)
        level_fini(&x->levels[i]);
    level_fini(&x->leaving);
    for (uint32_t i = 0; i < PREEMPT_CLASSES; i++)
        class_candidates_fini(&x->classes[i]);
    free(x->levels);
    free(x->nominated_on);
    vec_fini(&x->victims);
    vec_fini(&x->others);
    vec_fini(&x->ids);
    free(x);
}

static void level_grow(struct preempt_level *l, size_t old, size_t now)
{
    for (uint32_t r = 0; r < RES_MAX; r++)
        if (l->col[r]) {
            l->col[r] = xrealloc(l->col[r], now * sizeof(int64_t));
            memset(l->col[r] + old, 0, (now - old) * sizeof(int64_t));
        }
}

void preempt_nodes_grown(struct sched *s)
{
    struct preempt_state *x = s->preempt;
    size_t now = (size_t)s->view.words * 64;
    for (uint32_t i = 0; i < x->nlevels; i++)
        level_grow(&x->levels[i], x->nslots, now);
    level_grow(&x->leaving, x->nslots, now);
    x->nominated_on = xrealloc(x->nominated_on, now * sizeof *x->nominated_on);
    memset(x->nominated_on + x->nslots, 0, (now - x->nslots) * sizeof *x->nominated_on);
    x->nslots = now;
}

/* The first level that is not below the priority. */
static uint32_t level_at(const struct preempt_state *x, int32_t priority)
{
    uint32_t lo = 0, hi = x->nlevels;
    while (lo < hi) {
        uint32_t mid = (lo + hi) / 2;
        if (x->levels[mid].priority < priority)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

/* Room for one more: empty levels go first, since priorities come and go but their columns are long. */
static void levels_reserve(struct preempt_state *x)
{
    uint32_t n = 0;
    if (x->nlevels < x->caplevels)
        return;
    for (uint32_t i = 0; i < x->nlevels; i++)
        if (x->levels[i].npods)
            x->levels[n++] = x->levels[i];
        else
            level_fini(&x->levels[i]);
    x->nlevels = n;
    if (n * 2 >= x->caplevels) {
        x->caplevels = MAX(8u, x->caplevels * 2);
        x->levels = xrealloc(x->levels, x->caplevels * sizeof *x->levels);
    }
}

/* The level of a priority, made when it is new. */
static struct preempt_level *level_of(struct preempt_state *x, int32_t priority)
{
    if (likely(x->last < x->nlevels && x->levels[x->last].priority == priority))
        return &x->levels[x->last];
    x->last = level_at(x, priority);
    if (x->last < x->nlevels && x->levels[x->last].priority == priority)
        return &x->levels[x->last];
    levels_reserve(x);
    uint32_t lo = x->last = level_at(x, priority);
    memmove(&x->levels[lo + 1], &x->levels[lo], (x->nlevels - lo) * sizeof *x->levels);
    x->nlevels++;
    x->levels[lo] = (struct preempt_level){.priority = priority};
    return &x->levels[lo];
}

static void count_pod(const struct sched *s, struct preempt_state *x, pod_id p, node_id n, int sign)
{
    const struct pod *pod = &s->pods[p];
    const struct pod_class *c = s->classes[pod->class_];
    struct preempt_level *l;
    if (unlikely(pod->state == PS_TERMINATING))
        l = &x->leaving;
    else if (unlikely(c->never_victim && pod->state != PS_NOMINATED))
        return;
    else
        l = level_of(x, c->priority);
    l->npods += (uint32_t)sign;
    for (uint32_t i = 0; i < c->nreq; i++) {
        uint16_t r = c->req[i].id;
        if (unlikely(!l->col[r]))
            l->col[r] = xarray(x->nslots, int64_t);
        l->col[r][n] += sign * c->req[i].amount;
    }
    if (unlikely(pod->state == PS_NOMINATED)) {
        x->nominated_on[n] += (uint32_t)sign;
        x->nnominated += (uint32_t)sign;
    }
}

void preempt_assigned(struct sched *s, pod_id p, node_id n, int sign)
{
    count_pod(s, s->preempt, p, n, sign);
}

/* --- for tests -------------------------------------------------------------------------------------------------------------------------- */
static bool same_level(const struct preempt_level *a, const struct preempt_level *b, size_t nslots)
{
    bool same = a->npods == b->npods;
    for (uint32_t r = 0; r < RES_MAX; r++)
        for (size_t n = 0; (a->col[r] || b->col[r]) && n < nslots; n++)
            same &= (a->col[r] ? a->col[r][n] : 0) == (b->col[r] ? b->col[r][n] : 0);
    return same;
}

int preempt_check(const struct sched *s, struct err *err)
{
    struct preempt_state *kept = s->preempt, *made = preempt_state_new(s);
    static const struct preempt_level nobody;
    bits_foreach(n, s->alive, s->view.words)
        for (pod_id p = s->nodes[n].first_pod; p; p = s->pods[p].next_on_node)
            count_pod(s, made, p, n, 1);
    bool same = kept->nslots == made->nslots && kept->nnominated == made->nnominated && memcmp(kept->nominated_on, made->nominated_on, made->nslots * sizeof *made->nominated_on) == 0 &&
                same_level(&kept->leaving, &made->leaving, made->nslots);
    for (uint32_t i = 0, k = 0; same && i < kept->nlevels; i++) { /* an empty level may still stand there */
        bool there = k < made->nlevels && made->levels[k].priority == kept->levels[i].priority;
        same = same_level(&kept->levels[i], there ? &made->levels[k] : &nobody, made->nslots);
        k += there;
        same &= i + 1 < kept->nlevels || k == made->nlevels;
    }
    same &= kept->nlevels > 0 || made->nlevels == 0;
    preempt_state_free(made);
    return same ? 0 : err_set(err, E_INTERNAL, "the amounts by priority differ from the pods");
}

/* --- how a class is searched ----------------------------------------------------------------------------------------------------- */
/* Which amounts of the class the resource filters of its profile really look at. */
static void needs_of(const struct sched *s, const struct pod_class *c, const struct profile_plugin *fit, bool bandwidth, struct preempt_how *how)
{
    for (uint32_t i = 0; i < c->nreq; i++) {
        uint16_t r = c->req[i].id;
        if ((fit && fit_checks_resource(s, c, fit->args, r)) || (bandwidth && resource_is_bandwidth(r)))
            how->need[how->nneed++] = c->req[i];
    }
}

/* Does evicting pods from a node never make this filter reject the class there?  Fewer pods there mean fewer ports, devices, attachments and foes in use, and
 * a spread's skew there falls unless it is at most 1.  But one may have needed a friend.  Of filters that are not ours nothing is known. */
static bool is_monotone(const struct sched_plugin *p, const struct pod_class *c)
{
    static const struct sched_plugin *const monotone[] = {&plugin_node_ports, &plugin_volume_restrictions, &plugin_node_volume_limits, &plugin_volume_binding,
                                                          &plugin_volume_zone, &plugin_pod_topology_spread, &plugin_gpu_sharing, &plugin_numa_alignment};
    for (size_t i = 0; i < ARRAY_LEN(monotone); i++)
        if (p == monotone[i])
            return true;
    return p == &plugin_inter_pod_affinity && c->naffinity == 0;
}

void preempt_how_of(const struct sched *s, const struct pod_class *c, struct preempt_how *how)
{
    *how = (struct preempt_how){.simple = true, .monotone = true};
    const struct profile_plugin *fit = NULL;
    bool bandwidth = false;
    for (uint32_t i = 0; i < s->table->nplugins; i++) {
        const struct profile_plugin *pp = &s->table->plugins[i];
        if (!pp->filters || !pp->plugin->filter || !(c->uses_filter >> i & 1))
            continue;
        if (pp->plugin == &plugin_node_resources_fit) {
            fit = pp;
        } else if (pp->plugin == &plugin_node_bandwidth) {
            bandwidth = true;
        } else if (pp->plugin->filter_scope == PLUG_STATIC) {
            how->static_filters |= 1ull << i;
        } else {
            how->simple = false;
            how->other_filters |= 1ull << i;
            how->monotone &= is_monotone(pp->plugin, c);
            how->cross |= pp->plugin->filter_scope == PLUG_CROSS;
        }
    }
    needs_of(s, c, fit, bandwidth, how);
}

bool preempt_filters_fit(const struct sched *s, const struct pod_class *c, uint64_t filters, node_id n)
{
    for (uint64_t m = filters; m; m &= m - 1) {
        const struct profile_plugin *pp = &s->table->plugins[__builtin_ctzll(m)];
        if (!pp->plugin->fits_one(&s->view, c, pp->args, n))
            return false;
    }
    return true;
}

/* --- the cut --------------------------------------------------------------------------------------------------------------------- */
static void add_column(int64_t room[64], const int64_t *col, size_t at)
{
    if (col)
        for (uint32_t i = 0; i < 64; i++)
            room[i] += col[at + i];
}

void preempt_cut(const struct sched *s, const struct pod_class *c, const struct preempt_how *how, uint64_t *nodes)
{
    const struct preempt_state *x = s->preempt;
    for (uint32_t k = 0; k < how->nneed; k++) {
        uint16_t r = how->need[k].id;
        int64_t need = how->need[k].amount;
        for (uint32_t w = 0; w < s->view.words; w++) {
            if (!nodes[w])
                continue;
            size_t at = (size_t)w * 64;
            int64_t room[64];
            for (uint32_t i = 0; i < 64; i++)
                room[i] = s->alloc[r][at + i] - s->view.used[r][at + i];
            add_column(room, x->leaving.col[r], at);
            for (uint32_t l = 0; l < x->nlevels && x->levels[l].priority < c->priority; l++)
                add_column(room, x->levels[l].col[r], at);
            uint64_t ok = 0;
            for (uint32_t i = 0; i < 64; i++)
                ok |= (uint64_t)(room[i] >= need) << i;
            nodes[w] &= ok;
        }
    }
}

static bool add_level(const struct preempt_how *how, const struct preempt_level *l, node_id n, int64_t *room)
{
    bool fits = true;
    for (uint32_t k = 0; k < how->nneed; k++) {
        const int64_t *col = l->col[how->need[k].id];
        room[k] += col ? col[n] : 0;
        fits &= room[k] >= how->need[k].amount;
    }
    return fits;
}

bool preempt_bound(const struct sched *s, const struct pod_class *c, const struct preempt_how *how, node_id n, struct candidate_key *ret)
{
    const struct preempt_state *x = s->preempt;
    int64_t room[RES_MAX];
    for (uint32_t k = 0; k < how->nneed; k++)
        room[k] = view_free(&s->view, n, how->need[k].id);
    *ret = (struct candidate_key){.highest = INT64_MIN, .start = INT64_MAX};
    if (add_level(how, &x->leaving, n, room))
        return true;
    for (uint32_t l = 0; l < x->nlevels && x->levels[l].priority < c->priority; l++)
        if (x->levels[l].npods && add_level(how, &x->levels[l], n, room)) {
            /* somebody of this priority or above must go; unless it was room of nominated pods, which costs nothing */
            if (!x->nominated_on[n])
                *ret = (struct candidate_key){.count = 1, .highest = x->levels[l].priority, .sum = (int64_t)x->levels[l].priority + (1ll << 31), .start = INT64_MAX};
            return true;
        }
    return false;
}
