/* unit_reject.c - who rejects a class, remembered: ten thousand pods that fit nowhere must not cost ten thousand scans.
 *
 * For each of the last few rejected classes the first filter that says no is kept by node, with counts by filter.  The next pod of the class looks
 * only at nodes that the journal names.  Classes that other nodes or claims concern are asked anew each time. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/engine/place_state.h"
#include "sched/engine/unit_state.h"

void class_rejects_fini(struct class_rejects *x)
{
    free(x->by);
    *x = (struct class_rejects){0};
}

static bool filters(const struct sched *s, const struct pod_class *c, uint32_t i)
{
    const struct profile_plugin *pp = &s->table->plugins[i];
    return pp->filters && pp->plugin->filter && (c->uses_filter >> i & 1);
}

/* Can an answer change without its node being touched? */
static bool is_volatile(const struct sched *s, const struct pod_class *c)
{
    for (uint32_t i = 0; i < s->table->nplugins; i++)
        if (filters(s, c, i) && s->table->plugins[i].plugin->filter_scope == PLUG_CROSS)
            return true;
    return c->nvolumes > 0;
}

static void build(const struct sched *s, const struct pod_class *c, struct class_rejects *x)
{
    uint32_t words = s->view.words;
    if (x->nslots != words * 64) {
        class_rejects_fini(x);
        x->nslots = words * 64;
        x->by = xarray(x->nslots, uint8_t);
    }
    memset(x->by, REJECT_NONE, x->nslots);
    memset(x->counts, 0, sizeof x->counts);
    uint64_t *left = xarray(words, uint64_t), *before = xarray(words, uint64_t);
    memcpy(left, s->alive, words * sizeof *left);
    for (uint32_t i = 0; i < s->table->nplugins; i++) {
        if (!filters(s, c, i))
            continue;
        memcpy(before, left, words * sizeof *left);
        s->table->plugins[i].plugin->filter(&s->view, c, s->table->plugins[i].args, left);
        for (uint32_t w = 0; w < words; w++)
            before[w] &= ~left[w];
        bits_foreach(n, before, words)
        {
            x->by[n] = (uint8_t)i;
            x->counts[i]++;
        }
    }
    free(left);
    free(before);
}

static void touched(const struct sched *s, const struct pod_class *c, struct class_rejects *x, node_id n)
{
    int by = node_is_alive(s, n) ? place_rejected_by(s, c->id, n) : -1;
    if (x->by[n] != REJECT_NONE)
        x->counts[x->by[n]]--;
    x->by[n] = by < 0 ? REJECT_NONE : (uint8_t)by;
    if (by >= 0)
        x->counts[by]++;
}

static struct class_rejects *slot_for(struct unit_state *st, class_id c)
{
    struct class_rejects *oldest = &st->rejects[0];
    for (uint32_t i = 0; i < UNIT_REJECTS; i++) {
        if (st->rejects[i].id == c)
            return &st->rejects[i];
        if (st->rejects[i].used < oldest->used)
            oldest = &st->rejects[i];
    }
    return oldest;
}

uint64_t unit_rejections(struct sched *s, class_id id)
{
    struct pod_class *c = s->classes[id];
    plan_refresh(s, c);
    struct class_rejects *x = slot_for(s->unit_state, id);
    uint64_t seq = s->view.seq;
    bool same = x->id == id && x->hash == c->hash && x->uses_filter == c->uses_filter && x->nslots == s->view.words * 64 && seq - x->seq <= JOURNAL_SIZE;
    if (!same || is_volatile(s, c))
        build(s, c, x);
    else
        for (uint64_t i = x->seq; i < seq; i++) {
            node_id n = s->view.journal[i % JOURNAL_SIZE].node;
            if (i + 1 == seq || s->view.journal[(i + 1) % JOURNAL_SIZE].node != n)
                touched(s, c, x, n);
        }
    x->id = id;
    x->hash = c->hash;
    x->uses_filter = c->uses_filter;
    x->seq = seq;
    x->used = ++s->unit_state->clock;
    uint64_t mask = 0;
    for (uint32_t i = 0; i < s->table->nplugins; i++)
        mask |= (uint64_t)(x->counts[i] > 0) << i;
    return mask;
}

uint32_t unit_helped_by(const struct sched *s, uint64_t rejected_by)
{
    /* a node more may help everybody */
    uint32_t events = EVENT_NODE_ADD;
    for (uint64_t m = rejected_by; m; m &= m - 1)
        events |= s->table->plugins[__builtin_ctzll(m)].plugin->helped_by;
    return events;
}
