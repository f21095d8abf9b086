/* live_hold.c - pods of queues that no group has claimed yet.
 *
 * A pod with a queue belongs to a PodGroup, which the grouping controller makes a moment after the pod (controllers/grouping.c).  Placed before that it would be a unit of its own, and a gang
 * would start in pieces.  So it is gated here until it says its group, or until LIVE_HOLD_NS have passed: then there is no such controller, and the pod is read again and goes as it is.
 *   new, has a queue, names no group ─► put with one gate more ─► the watch shows its group: put as it says
 *                                                              └─ time ─► GET ─► put without the gate */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/live/live_internal.h"

#define LIVE_HOLD_NS (10 * NSEC_PER_SEC)

struct live_hold {
    struct outbox_item item;
    struct list link;
    struct live *l;
    pod_id pod;
    uint32_t stamp;
    struct loop_timer timer;
    struct strbuf path;
};

static void hold_free(struct live_hold *h)
{
    loop_timer_stop(h->l->opts.loop, &h->timer);
    list_del(&h->link);
    strbuf_fini(&h->path);
    free(h);
}

void live_holds_free(struct live *l)
{
    list_foreach_safe(h, &l->all_holds, struct live_hold, link)
        hold_free(h);
}

static bool is_wanted(struct outbox_item *it)
{
    struct live_hold *h = container_of(it, struct live_hold, item);
    return live_is_same(h->l, h->pod, h->stamp);
}

static void on_done(struct outbox_item *it)
{
    struct live_hold *h = container_of(it, struct live_hold, item);
    int status = it->call.status;
    if (status != 200 && status != 404 && status != OUTBOX_DROPPED && !h->l->stopping) {
        loop_timer_set(h->l->opts.loop, &h->timer, loop_now(h->l->opts.loop) + LIVE_HOLD_NS);
        return;
    }
    if (status == 200 && !h->l->stopping)
        live_feed_answer(h->l, it->call.response);
    live_wake(h->l);
    hold_free(h);
}

static void time_is_up(struct loop_timer *t)
{
    struct live_hold *h = container_of(t, struct live_hold, timer);
    if (!live_is_same(h->l, h->pod, h->stamp)) {
        hold_free(h);
        return;
    }
    h->item.call.method = S("GET");
    h->item.call.path = strbuf_str(&h->path);
    h->item.wanted = is_wanted;
    h->item.done = on_done;
    h->item.max_tries = 5;
    outbox_add(h->l->words, &h->item);
}

bool live_hold_is_due(struct live *l, pod_id known, const struct pod_spec *spec)
{
    if (!live_policy_is_on(l) || !spec->queue.len || spec->group.len || spec->node.len)
        return false;
    const struct live_wait *w = known ? live_note(l, known)->wait : NULL;
    return !w || live_now(l) - w->seen_at < LIVE_HOLD_NS;
}

void live_hold_start(struct live *l, pod_id p)
{
    struct live_note *n = live_note(l, p);
    if (!n->wait || n->wait->is_held)
        return;
    n->wait->is_held = true;
    struct live_hold *h = xnew(struct live_hold);
    *h = (struct live_hold){.l = l, .pod = p, .stamp = n->stamp};
    h->timer.fire = time_is_up;
    list_add_tail(&l->all_holds, &h->link);
    live_pod_path(&h->path, sched_pod_ns(l->s, p), sched_pod_name(l->s, p), "");
    loop_timer_set(l->opts.loop, &h->timer, loop_now(l->opts.loop) + LIVE_HOLD_NS + NSEC_PER_MSEC);
}
