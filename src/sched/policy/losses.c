/* losses.c - who was evicted how often of late, so that evictions do not go round in circles.
 *
 * Reclaim heeds shares, preemption heeds priorities; with units of different sizes the two can undo each other's work for ever:
 *     u0 (queue a) takes back its share from u10 (b, 4 GPUs); u16 (b) is below its share now and takes from u15 (a); u15 is more important than u0 and u10 than u16: as before
 * Each loss after the second doubles the time for which units of that queue and class may not evict others, up to ten minutes; ten minutes without a loss, and it is forgotten.  By class,
 * because the pods that come again are new ones. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/policy/policy_state.h"

#define LOSSES_FREE 2u
#define LOSSES_MAX 4096u
#define LOSSES_WAIT_MAX_NS (600 * NSEC_PER_SEC)

struct loss_key {
    queue_id leaf;
    class_id class_;
};
struct loss {
    struct loss_key key;
    uint32_t count;
    nsec_t last_ns;
};

static str key_text(const struct loss_key *k)
{
    return (str){(const char *)k, sizeof *k};
}

static void forget_all(struct policy *p)
{
    map_foreach(e, &p->losses)
        free(e->value);
    map_clear(&p->losses);
}

void losses_fini(struct policy *p)
{
    forget_all(p);
    map_fini(&p->losses);
}

void losses_note(struct policy *p, queue_id leaf, pod_id victim)
{
    if (p->trying)
        return;
    struct loss_key key = {leaf, p->s->pods[victim].class_};
    struct loss *l = map_get(&p->losses, key_text(&key));
    if (!l) {
        if (p->losses.len >= LOSSES_MAX)
            forget_all(p);
        l = xnew(struct loss);
        l->key = key;
        map_put(&p->losses, key_text(&l->key), l);
    }
    if (p->now - l->last_ns > LOSSES_WAIT_MAX_NS)
        l->count = 0;
    /* those that go in one round are one loss */
    l->count += l->last_ns != p->now;
    l->last_ns = p->now;
}

nsec_t losses_until(const struct policy *p, unit_id u)
{
    const struct unit *unit = &p->s->units[u];
    size_t i = 0;
    while (i + 1 < unit->pods.len && p->s->pods[unit->pods.p[i]].state != PS_PENDING)
        i++;
    struct loss_key key = {p->units[u].leaf, p->s->pods[unit->pods.p[i]].class_};
    const struct loss *l = map_get(&p->losses, key_text(&key));
    if (!l || l->count <= LOSSES_FREE || p->now - l->last_ns > LOSSES_WAIT_MAX_NS)
        return 0;
    uint32_t doublings = MIN(l->count - LOSSES_FREE, 20u);
    return l->last_ns + MIN((nsec_t)NSEC_PER_SEC << doublings, (nsec_t)LOSSES_WAIT_MAX_NS);
}
