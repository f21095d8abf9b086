/* SPDX-License-Identifier: Apache-2.0 */
#include "client/workqueue.h"

#include "base/map.h"

enum item_state { ITEM_READY, ITEM_DELAYED, ITEM_RUNNING };

struct item {
    struct work work;
    struct workqueue *queue;
    enum item_state state;
    bool again;       /* added while running */
    nsec_t due;       /* what add_after asked for and no run has met yet; 0: nothing */
    struct list link; /* in ready */
    struct loop_timer timer;
    char key[];
};

struct workqueue {
    struct workqueue_opts opts;
    struct map items;
    struct list ready;
    unsigned running;
    struct loop_defer pump;
    bool stopping;
    void (*stopped)(struct workqueue *q);
};

static void pump(struct loop_defer *d);

struct workqueue *workqueue_new(const struct workqueue_opts *opts)
{
    struct workqueue *q = xnew(struct workqueue);
    q->opts = *opts;
    q->opts.parallel = MAX(opts->parallel, 1u);
    q->opts.max_delay_ns = opts->max_delay_ns ? opts->max_delay_ns : WORKQUEUE_MAX_NS;
    q->pump.fn = pump;
    list_init(&q->ready);
    return q;
}

static void item_free(struct item *it)
{
    map_del(&it->queue->items, it->work.key);
    free(it);
}

void workqueue_free(struct workqueue *q)
{
    if (!q)
        return;
    loop_defer_cancel(q->opts.loop, &q->pump);
    map_foreach(e, &q->items)
    {
        struct item *it = e->value;
        loop_timer_stop(q->opts.loop, &it->timer);
        free(it);
    }
    map_fini(&q->items);
    free(q);
}

void *workqueue_owner(const struct workqueue *q)
{
    return q->opts.owner;
}

size_t workqueue_len(const struct workqueue *q)
{
    return q->items.len;
}

/* --- waiting ------------------------------------------------------------------------------------------------------------- */

static void make_ready(struct item *it)
{
    struct workqueue *q = it->queue;
    loop_timer_stop(q->opts.loop, &it->timer);
    it->state = ITEM_READY;
    list_add_tail(&q->ready, &it->link);
    if (q->running < q->opts.parallel)
        loop_defer(q->opts.loop, &q->pump);
}

static void timer_fire(struct loop_timer *t)
{
    make_ready(container_of(t, struct item, timer));
}

static void make_delayed(struct item *it, nsec_t at)
{
    it->state = ITEM_DELAYED;
    loop_timer_set(it->queue->opts.loop, &it->timer, at);
}

static struct item *item_new(struct workqueue *q, str key)
{
    struct item *it = xcalloc(1, sizeof *it + key.len + 1);
    memcpy(it->key, key.p, key.len);
    it->work.key = str_n(it->key, key.len);
    it->queue = q;
    it->timer.fire = timer_fire;
    list_init(&it->link);
    map_put(&q->items, it->work.key, it);
    return it;
}

void workqueue_add(struct workqueue *q, str key)
{
    if (q->stopping)
        return;
    struct item *it = map_get(&q->items, key);
    if (!it)
        make_ready(item_new(q, key));
    else if (it->state == ITEM_DELAYED)
        make_ready(it);
    else if (it->state == ITEM_RUNNING)
        it->again = true;
}

void workqueue_add_after(struct workqueue *q, str key, nsec_t delay)
{
    if (q->stopping)
        return;
    nsec_t at = loop_now(q->opts.loop) + delay;
    struct item *it = map_get(&q->items, key);
    bool is_new = !it;
    it = it ? it : item_new(q, key);
    it->due = it->due ? MIN(it->due, at) : at;
    if (is_new || (it->state == ITEM_DELAYED && it->timer.at > at))
        make_delayed(it, at);
}

/* --- running --------------------------------------------------------------------------------------------------------------- */

static void pump(struct loop_defer *d)
{
    struct workqueue *q = container_of(d, struct workqueue, pump);
    while (q->running < q->opts.parallel && !list_empty(&q->ready)) {
        struct item *it = list_first(&q->ready, struct item, link);
        list_del(&it->link);
        it->state = ITEM_RUNNING;
        it->again = false;
        if (it->due <= loop_now(q->opts.loop))
            it->due = 0;
        q->running++;
        q->opts.run(q, &it->work);
    }
}

static nsec_t backoff(const struct workqueue *q, unsigned failures)
{
    nsec_t d = WORKQUEUE_MIN_NS;
    for (unsigned i = 1; i < failures && d < q->opts.max_delay_ns; i++)
        d *= 2;
    return MIN(d, q->opts.max_delay_ns);
}

static void finish(struct workqueue *q, struct item *it, nsec_t delay)
{
    BUG_ON(it->state != ITEM_RUNNING);
    q->running--;
    nsec_t at = delay ? loop_now(q->opts.loop) + delay : 0;
    if (it->due && (!at || it->due < at))
        at = it->due;
    if (q->stopping) {
        item_free(it);
        if (!q->running)
            q->stopped(q);
        return;
    }
    if (it->again)
        make_ready(it);
    else if (at)
        make_delayed(it, at);
    else
        item_free(it);
    if (!list_empty(&q->ready))
        loop_defer(q->opts.loop, &q->pump);
}

void workqueue_done(struct workqueue *q, struct work *w, enum work_result result)
{
    w->failures = result == WORK_RETRY ? w->failures + 1 : 0;
    finish(q, container_of(w, struct item, work), result == WORK_RETRY ? backoff(q, w->failures) : 0);
}

void workqueue_done_after(struct workqueue *q, struct work *w, nsec_t delay)
{
    w->failures = 0;
    finish(q, container_of(w, struct item, work), MAX(delay, (nsec_t)1));
}

/* --- stopping ---------------------------------------------------------------------------------------------------------------- */

/* What waits is forgotten; the rest goes to a map of its own. */
static void forget_waiting(struct workqueue *q)
{
    struct map running = MAP_INIT;
    map_foreach(e, &q->items)
    {
        struct item *it = e->value;
        if (it->state == ITEM_RUNNING) {
            map_put(&running, it->work.key, it);
            continue;
        }
        loop_timer_stop(q->opts.loop, &it->timer);
        free(it);
    }
    map_fini(&q->items);
    q->items = running;
    list_init(&q->ready);
}

void workqueue_stop(struct workqueue *q, void (*stopped)(struct workqueue *q))
{
    q->stopping = true;
    q->stopped = stopped;
    loop_defer_cancel(q->opts.loop, &q->pump);
    forget_waiting(q);
    if (!q->running)
        stopped(q);
}
