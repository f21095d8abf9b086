/* place_state.c - what an engine has for placing: its reading of the journal, ranks, scratch arrays, and who is nominated where. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/engine/devices.h"
#include "sched/engine/place_state.h"
#include "sched/engine/ports.h"
#include "sched/engine/storage.h"

static struct place_state *state_of(struct sched *s)
{
    if (likely(s->place != NULL))
        return s->place;
    struct place_state *x = xnew(struct place_state);
    x->tie_epoch = x->odd_seen = UINT64_MAX;
    s->place = x;
    return x;
}

void scratch_fit(struct place_scratch *x, uint32_t words)
{
    if (likely(x->words == words))
        return;
    scratch_fini(x);
    x->words = words;
    x->bits = xarray(words, uint64_t);
    x->score = xarray((size_t)words * 64, int32_t);
    x->raw = xarray((size_t)words * 64, int64_t);
}

void scratch_fini(struct place_scratch *x)
{
    free(x->bits);
    free(x->score);
    free(x->raw);
    *x = (struct place_scratch){0};
}

static void ranks(struct sched *s, struct place_state *x)
{
    model_tie_ranks(s);
    if (likely(x->tie_epoch == s->tie_epoch))
        return;
    if (x->nby_rank < s->nalive) {
        x->nby_rank = MAX(s->nalive, x->nby_rank * 2);
        x->by_rank = xrealloc(x->by_rank, x->nby_rank * sizeof *x->by_rank);
    }
    bits_foreach(n, s->alive, s->view.words)
        x->by_rank[s->tie[n]] = n;
    x->tie_epoch = s->tie_epoch;
}

void place_sync(struct sched *s)
{
    struct place_state *x = state_of(s);
    const struct view *v = &s->view;
    if (unlikely(v->seq - x->seq > JOURNAL_SIZE)) {
        x->static_seq += STATIC_LOG + 1;
    } else {
        for (uint64_t i = x->seq; i < v->seq; i++) {
            const struct journal_entry *e = &v->journal[i % JOURNAL_SIZE];
            if (e->is_static)
                x->static_log[x->static_seq++ % STATIC_LOG] = e->node;
        }
    }
    x->seq = v->seq;
    ranks(s, x);
    scratch_fit(&x->scratch, v->words);
}

void place_odd(struct sched *s)
{
    struct place_state *x = s->place;
    if (likely(x->odd_seen == x->static_seq))
        return;
    x->odd_seen = x->static_seq;
    vec_clear(&x->odd);
    bits_foreach(n, s->alive, s->view.words)
        if (s->f_inv[0][n] == 0 || s->f_inv[1][n] == 0)
            vec_push(&x->odd, n);
}

void place_free(struct sched *s)
{
    struct place_state *x = s->place;
    if (!x)
        return;
    BUG_ON(x->nparts || x->nwarm); /* classes go first */
    free(x->parts);
    strbuf_fini(&x->key);
    free(x->by_rank);
    vec_fini(&x->odd);
    vec_fini(&x->nominated);
    vec_fini(&x->nominated_levels);
    free(x->nominated_on);
    scratch_fini(&x->scratch);
    scratch_fini(&x->cross);
    free(x);
    s->place = NULL;
}

/* --- nominated pods -------------------------------------------------------------------------------------------------------------- */
static void level_add(struct place_state *x, int32_t priority, int sign)
{
    for (size_t i = 0; i < x->nominated_levels.len; i++) {
        struct nominated_level *l = &x->nominated_levels.p[i];
        if (l->priority != priority)
            continue;
        l->count += (uint32_t)sign;
        if (l->count == 0)
            vec_remove_swap(&x->nominated_levels, i);
        return;
    }
    vec_push(&x->nominated_levels, (struct nominated_level){priority, 1});
}

void place_nominated(struct sched *s, pod_id p, node_id n, int sign)
{
    struct place_state *x = state_of(s);
    level_add(x, class_of(s, p)->priority, sign);
    uint32_t all = s->view.words * 64;
    if (x->nnominated_on < all) {
        x->nominated_on = xrealloc(x->nominated_on, all * sizeof *x->nominated_on);
        memset(x->nominated_on + x->nnominated_on, 0, (all - x->nnominated_on) * sizeof *x->nominated_on);
        x->nnominated_on = all;
    }
    x->nominated_on[n] += (uint32_t)sign;
    if (sign > 0) {
        vec_push(&x->nominated, p);
        return;
    }
    size_t i = 0;
    while (i < x->nominated.len && x->nominated.p[i] != p)
        i++;
    BUG_ON(i == x->nominated.len);
    vec_remove_swap(&x->nominated, i);
}

bool nominated_below(const struct sched *s, int32_t priority, bool any)
{
    const struct place_state *x = s->place;
    for (size_t i = 0; x && i < x->nominated_levels.len; i++)
        if (any || (s->batch == BATCH_OFF && x->nominated_levels.p[i].priority < priority))
            return true;
    return false;
}

static bool gives_way(const struct sched *s, const struct pod_class *c, pod_id p, bool any)
{
    return s->pods[p].state == PS_NOMINATED && (any || (s->batch == BATCH_OFF && class_of(s, p)->priority < c->priority));
}

bool nominated_matter(const struct sched *s, const struct pod_class *c, node_id n, bool any)
{
    const struct place_state *x = s->place;
    if (likely(!x || x->nominated.len == 0) || n >= x->nnominated_on || !x->nominated_on[n])
        return false;
    for (pod_id p = s->nodes[n].first_pod; p; p = s->pods[p].next_on_node)
        if (gives_way(s, c, p, any))
            return true;
    return false;
}

/* Amounts, ports, devices and volumes leave and come back; counters of affinity and spread do not know nominated pods.  Nothing is told to the
 * journal: in the end nothing has changed. */
void nominated_out(struct sched *s, const struct pod_class *c, node_id n, bool any)
{
    for (pod_id id = s->nodes[n].first_pod; id; id = s->pods[id].next_on_node) {
        if (!gives_way(s, c, id, any))
            continue;
        const struct pod_class *k = class_of(s, id);
        if (k->nvolumes)
            storage_pod(s, id, n, -1);
        if (k->gpu.kind != GPU_NONE || s->nodes[n].nnuma) {
            /* what devices_give clears is what devices_take has to find again */
            struct pod *p = &s->pods[id];
            uint16_t mask = p->gpu_mask;
            uint8_t zones = p->numa_zones;
            devices_give(s, id, n);
            p->gpu_mask = mask;
            p->numa_zones = zones;
        }
        if (k->nports)
            ports_give(&s->view, k, n);
        view_use(&s->view, k, n, -1);
    }
}

void nominated_in(struct sched *s, const struct pod_class *c, node_id n, bool any)
{
    for (pod_id id = s->nodes[n].first_pod; id; id = s->pods[id].next_on_node) {
        if (!gives_way(s, c, id, any))
            continue;
        const struct pod_class *k = class_of(s, id);
        view_use(&s->view, k, n, 1);
        if (k->nports)
            ports_take(&s->view, k, n);
        if (k->gpu.kind != GPU_NONE || s->nodes[n].nnuma)
            devices_take(s, id, n, s->pods[id].gpu_mask);
        if (k->nvolumes)
            storage_pod(s, id, n, 1);
    }
}
