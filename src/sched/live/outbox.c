/* outbox.c - see outbox.h.
 *
 * Why an item that failed takes its old place: binds leave in the order of decisions, so that what was decided first is also visible first; a connection that
 * breaks with 500 of them in flight must not turn that around. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/live/outbox.h"

#define PAUSE_MIN_NS (50 * NSEC_PER_MSEC)
#define PAUSE_MAX_NS (5 * NSEC_PER_SEC)

struct outbox {
    struct outbox_opts opts;
    struct list queue, flight;
    size_t nqueue, nflight;
    size_t cap; /* of flight now: 1 after a failure until something works */
    uint64_t seq;
    unsigned failures;
    bool paused, sending, stopping;
    struct loop_timer timer;
    void (*stopped)(void *arg);
    void *stopped_arg;
};

static void send_more(struct outbox *o);

static void fire(struct loop_timer *t)
{
    struct outbox *o = container_of(t, struct outbox, timer);
    o->paused = false;
    send_more(o);
}

struct outbox *outbox_new(const struct outbox_opts *opts)
{
    struct outbox *o = xnew(struct outbox);
    o->opts = *opts;
    o->cap = opts->window;
    o->timer.fire = fire;
    list_init(&o->queue);
    list_init(&o->flight);
    return o;
}

/* Is it the server that cannot now, rather than the request that is wrong? */
static bool is_away(int status)
{
    return status == 0 || status == 429 || status == 503 || status == 504;
}

static void leave(struct outbox *o, struct outbox_item *it)
{
    it->done(it);
    if (o->opts.room && !o->stopping)
        o->opts.room(o->opts.arg);
}

/* Those that fail together come back one after another: the place is near the front. */
static void back_in_line(struct outbox *o, struct outbox_item *it)
{
    struct list *before = o->queue.next;
    while (before != &o->queue && container_of(before, struct outbox_item, link_)->seq_ < it->seq_)
        before = before->next;
    list_add_tail(before, &it->link_);
    o->nqueue++;
}

static void pause_box(struct outbox *o)
{
    o->cap = 1;
    if (o->paused)
        return;
    nsec_t delay = PAUSE_MIN_NS;
    for (unsigned i = 0; i < o->failures && delay < PAUSE_MAX_NS; i++)
        delay *= 2;
    o->failures++;
    o->paused = true;
    loop_timer_set(o->opts.loop, &o->timer, loop_now(o->opts.loop) + MIN(delay, PAUSE_MAX_NS));
}

static void finish_stop(struct outbox *o)
{
    if (o->stopping && !o->nflight && o->stopped) {
        void (*stopped)(void *) = o->stopped;
        o->stopped = NULL;
        stopped(o->stopped_arg);
    }
}

static void call_done(struct client_call *c)
{
    struct outbox_item *it = container_of(c, struct outbox_item, call);
    struct outbox *o = it->box_;
    list_del(&it->link_);
    o->nflight--;
    bool away = is_away(c->status);
    if (!away) {
        o->failures = 0;
        o->cap = o->opts.window;
    } else if (!o->stopping) {
        pause_box(o);
    }
    if (away && !o->stopping && (it->max_tries == 0 || it->tries_ < it->max_tries))
        back_in_line(o, it);
    else
        leave(o, it);
    if (o->stopping)
        finish_stop(o);
    else
        send_more(o);
}

static bool must_wait(const struct outbox *o, const struct outbox_item *it)
{
    if (likely(!it->order.len))
        return false;
    list_foreach(other, &o->flight, struct outbox_item, link_)
        if (str_eq(other->order, it->order))
            return true;
    return false;
}

/* done() of a dropped item may add others: this is a loop and not a recursion. */
static void send_more(struct outbox *o)
{
    if (o->sending || o->paused || o->stopping)
        return;
    o->sending = true;
    while (!list_empty(&o->queue) && o->nflight < o->cap && !o->paused && !o->stopping) {
        struct outbox_item *it = list_first(&o->queue, struct outbox_item, link_);
        if (must_wait(o, it))
            break;
        list_del(&it->link_);
        o->nqueue--;
        if (it->wanted && !it->wanted(it)) {
            it->call.status = OUTBOX_DROPPED;
            it->call.response = S("");
            leave(o, it);
            continue;
        }
        it->tries_++;
        list_add_tail(&o->flight, &it->link_);
        o->nflight++;
        o->opts.transport->call(o->opts.transport, &it->call);
    }
    o->sending = false;
}

void outbox_add(struct outbox *o, struct outbox_item *it)
{
    it->box_ = o;
    it->seq_ = ++o->seq;
    it->tries_ = 0;
    it->call.loop = o->opts.loop;
    it->call.done = call_done;
    list_add_tail(&o->queue, &it->link_);
    o->nqueue++;
    send_more(o);
}

size_t outbox_len(const struct outbox *o)
{
    return o->nqueue + o->nflight;
}
size_t outbox_flying(const struct outbox *o)
{
    return o->nflight;
}
bool outbox_is_paused(const struct outbox *o)
{
    return o->paused;
}

static void drop_queue(struct outbox *o)
{
    while (!list_empty(&o->queue)) {
        struct outbox_item *it = list_first(&o->queue, struct outbox_item, link_);
        list_del(&it->link_);
        o->nqueue--;
        it->call.status = OUTBOX_DROPPED;
        it->call.response = S("");
        it->done(it);
    }
}

void outbox_stop(struct outbox *o, void (*stopped)(void *arg), void *arg)
{
    o->stopping = true;
    o->stopped = stopped;
    o->stopped_arg = arg;
    loop_timer_stop(o->opts.loop, &o->timer);
    drop_queue(o);
    finish_stop(o);
}

void outbox_free(struct outbox *o, void (*each)(struct outbox_item *it))
{
    if (!o)
        return;
    o->stopping = true;
    loop_timer_stop(o->opts.loop, &o->timer);
    drop_queue(o);
    list_foreach_safe(it, &o->flight, struct outbox_item, link_)
    {
        list_del(&it->link_);
        if (each)
            each(it);
    }
    free(o);
}
