/* dispatcher_test.c - the line against a sorted array, the dispatcher against a naive list. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/dispatcher/dispatcher.h"

#include "base/test.h"
#include "sched/dispatcher/line.h"
#include "sched/engine/unit.h"

/* --- line ------------------------------------------------------------------------------------------------------------------------------ */
#define IDS 512u
struct owners {
    uint32_t stamp[IDS];
    bool in[IDS];
    struct line_entry entry[IDS];
};

static bool owner_alive(const void *arg, const struct line_entry *e)
{
    const struct owners *o = arg;
    return o->in[e->id] && o->stamp[e->id] == e->stamp;
}

static uint32_t naive_first(const struct owners *o)
{
    uint32_t best = IDS;
    for (uint32_t i = 0; i < IDS; i++)
        if (o->in[i] && (best == IDS || line_less(&o->entry[i], &o->entry[best])))
            best = i;
    return best;
}

static size_t naive_len(const struct owners *o)
{
    size_t n = 0;
    for (uint32_t i = 0; i < IDS; i++)
        n += o->in[i];
    return n;
}

/* spread 1: nearly in order, runs do all; large: random keys, the heap is used. */
static void line_model(uint64_t seed, uint64_t spread)
{
    struct rng r;
    rng_seed(&r, seed);
    struct line l = LINE_INIT;
    struct owners *o = xnew(struct owners);
    uint64_t seq = 0, time = 0;
    for (int step = 0; step < 20000; step++) {
        uint32_t id = (uint32_t)rng_below(&r, IDS);
        uint64_t what = rng_below(&r, 10);
        if (what < 5 && !o->in[id]) {
            o->stamp[id]++;
            o->entry[id] = (struct line_entry){{rng_below(&r, spread), time++}, seq++, id, o->stamp[id]};
            o->in[id] = true;
            line_push(&l, &o->entry[id]);
        } else if (what < 6) {
            o->in[id] = false; /* leaves from the middle */
        } else if (what < 9) {
            const struct line_entry *e = line_first(&l, owner_alive, o);
            uint32_t want = naive_first(o);
            T_EQ_INT(e ? e->id : IDS, want);
            if (!e || e->id != want)
                break;
            line_pop(&l);
            o->in[want] = false;
        } else if (o->in[id]) {
            size_t before = 0;
            for (uint32_t i = 0; i < IDS; i++)
                before += o->in[i] && line_less(&o->entry[i], &o->entry[id]);
            T_EQ_INT(line_before(&l, &o->entry[id], owner_alive, o), before);
        }
        line_sweep(&l, naive_len(o), owner_alive, o);
        if (test_failures_)
            break;
    }
    line_fini(&l);
    free(o);
}

TEST(line_is_a_priority_queue)
{
    line_model(1, 1);
    line_model(2, 3);
    line_model(3, 1000000);
}

TEST(line_throws_dead_entries_away)
{
    struct line l = LINE_INIT;
    struct owners *o = xnew(struct owners);
    o->in[1] = o->in[2] = true;
    /* descending keys: runs fill up, the heap takes the rest */
    for (uint32_t i = 0; i < 5000; i++) {
        o->stamp[1] = i;
        line_push(&l, &(struct line_entry){{0, 10000 - i}, i, 1, i});
        line_sweep(&l, 1, owner_alive, o);
        T_OK(l.len <= 1024 + 3);
    }
    line_push(&l, &(struct line_entry){{0, 1}, 6000, 2, 0});
    T_EQ_INT(line_first(&l, owner_alive, o)->id, 2);
    line_pop(&l);
    T_EQ_INT(line_first(&l, owner_alive, o)->key[1], 10000 - 4999);
    line_pop(&l);
    T_OK(!line_first(&l, owner_alive, o));
    T_EQ_INT(l.len, 0);
    line_fini(&l);
    free(o);
}

/* --- a small world ------------------------------------------------------------------------------------------------------------------------ */
struct world {
    struct sched *s;
    struct dispatcher *d;
    struct dispatcher_opts opts;
    nsec_t now;
    struct err err;
};

/* Where a test's rejections say what no engine would: each unit is one of its kind. */
static const struct dispatch_order *each_for_itself(void)
{
    static struct dispatch_order order;
    order = dispatch_order_priority;
    order.equals_by_arrival = false;
    return &order;
}

static void world_init(struct world *w, struct dispatcher_opts opts)
{
    *w = (struct world){.s = sched_new(profile_builtin(S("default")), 1), .opts = opts};
    w->d = dispatcher_new(w->s, &opts);
    struct res_amount amounts[] = {{RES_CPU, 1000000000}, {RES_MEMORY, 1ll << 50}, {RES_PODS, 1000000}};
    struct node_spec n = {.name = S("n"), .allocatable = {amounts, 3}};
    T_NO_ERR(sched_node_put(w->s, &n, NULL, &w->err), &w->err);
}

static void world_fini(struct world *w)
{
    T_NO_ERR(dispatcher_check(w->d, &w->err), &w->err);
    dispatcher_free(w->d);
    sched_free(w->s);
}

static pod_id put_pod(struct world *w, const char *name, int32_t priority, nsec_t created, const char *group, uint32_t gates)
{
    struct pod_spec p = {.ns = S("d"), .name = str_of(name), .priority = priority, .created_ns = created, .group = str_of(group), .gates = gates};
    pod_id id = POD_NONE;
    T_NO_ERR(sched_pod_put(w->s, &p, &id, &w->err), &w->err);
    return id;
}

static unit_id put_one(struct world *w, const char *name, int32_t priority, nsec_t created)
{
    unit_id u = sched_unit_of(w->s, put_pod(w, name, priority, created, "", 0));
    T_NO_ERR(dispatcher_add(w->d, u, w->now, &w->err), &w->err);
    return u;
}

static void put_group(struct world *w, const char *name, int32_t min)
{
    struct group_spec g = {.ns = S("d"), .name = str_of(name), .min_member = min};
    T_NO_ERR(sched_group_put(w->s, &g, NULL, &w->err), &w->err);
}

static void done(struct world *w, unit_id u, enum unit_result result, uint32_t helped_by)
{
    struct unit_decision d = {.result = result, .helped_by = helped_by};
    dispatcher_done(w->d, u, &d, w->now);
}

TEST(priority_then_arrival)
{
    struct world w;
    world_init(&w, DISPATCHER_OPTS_DEFAULT);
    unit_id low = put_one(&w, "low", 0, 1), late = put_one(&w, "late", 5, 9), early = put_one(&w, "early", 5, 3), twin = put_one(&w, "twin", 5, 9);
    T_EQ_INT(dispatcher_position(w.d, low), 4);
    T_EQ_INT(dispatcher_position(w.d, early), 1);
    T_EQ_INT(dispatcher_pop(w.d, 0), early);
    T_EQ_INT(dispatcher_pop(w.d, 0), late);
    T_EQ_INT(dispatcher_pop(w.d, 0), twin);
    T_EQ_INT(dispatcher_position(w.d, low), 1);
    T_EQ_INT(dispatcher_count(w.d).flying, 3);
    /* back in its old place, and as if never popped */
    dispatcher_unpop(w.d, late);
    T_EQ_INT(dispatcher_attempts(w.d, late), 0);
    T_OK(dispatcher_is_next(w.d, early, 0));
    T_OK(!dispatcher_is_next(w.d, twin, 0));
    T_EQ_INT(dispatcher_pop(w.d, 0), late);
    dispatcher_remove(w.d, low);
    T_EQ_INT(dispatcher_pop(w.d, 0), UNIT_NONE);
    done(&w, late, UNIT_NOTHING, 0);
    dispatcher_remove(w.d, early);
    done(&w, early, UNIT_REJECTED, 0); /* gone in flight */
    T_EQ_INT(dispatcher_where(w.d, early), DISPATCH_ABSENT);
    world_fini(&w);
}

TEST(fifo_ignores_priority)
{
    struct world w;
    struct dispatcher_opts opts = DISPATCHER_OPTS_DEFAULT;
    opts.order = &dispatch_order_fifo;
    world_init(&w, opts);
    unit_id a = put_one(&w, "a", 0, 1), b = put_one(&w, "b", 9, 2);
    T_EQ_INT(dispatcher_pop(w.d, 0), a);
    T_EQ_INT(dispatcher_pop(w.d, 0), b);
    world_fini(&w);
}

TEST(a_new_priority_is_a_new_place)
{
    struct world w;
    world_init(&w, DISPATCHER_OPTS_DEFAULT);
    unit_id a = put_one(&w, "a", 0, 1), b = put_one(&w, "b", 0, 2);
    w.s->units[b].priority = 7;
    T_NO_ERR(dispatcher_add(w.d, b, 0, &w.err), &w.err);
    T_EQ_INT(dispatcher_count(w.d).ready, 2);
    T_EQ_INT(dispatcher_pop(w.d, 0), b);
    T_EQ_INT(dispatcher_pop(w.d, 0), a);
    T_EQ_INT(dispatcher_pop(w.d, 0), UNIT_NONE);
    world_fini(&w);
}

TEST(events_wake_only_whom_they_help)
{
    struct world w;
    struct dispatcher_opts opts = DISPATCHER_OPTS_DEFAULT;
    opts.order = each_for_itself();
    opts.backoff_first_ns = 0;
    world_init(&w, opts);
    unit_id room = put_one(&w, "room", 0, 1), label = put_one(&w, "label", 0, 2), clock = put_one(&w, "clock", 0, 3);
    dispatcher_pop(w.d, 0);
    dispatcher_pop(w.d, 0);
    dispatcher_pop(w.d, 0);
    done(&w, room, UNIT_REJECTED, EVENT_POD_FREED | EVENT_NODE_ADD);
    done(&w, label, UNIT_REJECTED, EVENT_NODE_LABEL | EVENT_NODE_ADD);
    done(&w, clock, UNIT_REJECTED, 0);
    T_EQ_INT(dispatcher_count(w.d).parked, 3);
    dispatcher_events(w.d, EVENT_NODE_TAINT, 5);
    T_EQ_INT(dispatcher_count(w.d).parked, 3);
    dispatcher_events(w.d, EVENT_POD_FREED | EVENT_POD_ASSIGNED, 5);
    T_EQ_INT(dispatcher_where(w.d, room), DISPATCH_READY);
    T_EQ_INT(dispatcher_where(w.d, label), DISPATCH_PARKED);
    dispatcher_events(w.d, EVENT_NODE_ADD, 5);
    T_EQ_INT(dispatcher_where(w.d, label), DISPATCH_READY);
    dispatcher_events(w.d, EVENT_ALL, 5);
    T_EQ_INT(dispatcher_where(w.d, clock), DISPATCH_PARKED);
    T_EQ_INT(dispatcher_tick(w.d, opts.flush_ns - 1), opts.flush_ns);
    T_EQ_INT(dispatcher_where(w.d, clock), DISPATCH_PARKED);
    T_EQ_INT(dispatcher_tick(w.d, opts.flush_ns), INT64_MAX);
    T_EQ_INT(dispatcher_where(w.d, clock), DISPATCH_READY);
    T_EQ_INT(dispatcher_attempts(w.d, clock), 1);
    world_fini(&w);
}

TEST(backoff_doubles_up_to_its_maximum)
{
    struct world w;
    world_init(&w, DISPATCHER_OPTS_DEFAULT);
    unit_id u = put_one(&w, "a", 0, 0);
    const nsec_t want[] = {1, 2, 4, 8, 10, 10};
    for (size_t i = 0; i < ARRAY_LEN(want); i++) {
        T_EQ_INT(dispatcher_pop(w.d, w.now), u);
        done(&w, u, UNIT_REJECTED, EVENT_POD_FREED);
        dispatcher_events(w.d, EVENT_POD_FREED, w.now);
        T_EQ_INT(dispatcher_where(w.d, u), DISPATCH_BACKOFF);
        nsec_t due = dispatcher_tick(w.d, w.now);
        T_EQ_INT(due - w.now, want[i] * NSEC_PER_SEC);
        T_EQ_INT(dispatcher_pop(w.d, w.now), UNIT_NONE);
        w.now = due;
        dispatcher_tick(w.d, w.now);
    }
    /* an event after the back-off is over makes it ready at once */
    T_EQ_INT(dispatcher_pop(w.d, w.now), u);
    done(&w, u, UNIT_REJECTED, EVENT_POD_FREED);
    w.now += 20 * NSEC_PER_SEC;
    dispatcher_events(w.d, EVENT_POD_FREED, w.now);
    T_EQ_INT(dispatcher_where(w.d, u), DISPATCH_READY);
    /* a lost conflict costs nothing */
    uint32_t attempts = dispatcher_attempts(w.d, u);
    dispatcher_pop(w.d, w.now);
    dispatcher_retry(w.d, u, w.now);
    T_EQ_INT(dispatcher_where(w.d, u), DISPATCH_READY);
    T_EQ_INT(dispatcher_attempts(w.d, u), attempts);
    world_fini(&w);
}

TEST(gangs_are_held_until_complete)
{
    struct world w;
    world_init(&w, DISPATCHER_OPTS_DEFAULT);
    unit_id u = sched_unit_of(w.s, put_pod(&w, "g-0", 0, 0, "g", 0));
    T_NO_ERR(dispatcher_add(w.d, u, 0, &w.err), &w.err);
    T_EQ_INT(dispatcher_where(w.d, u), DISPATCH_HELD); /* not declared */
    put_group(&w, "g", 3);
    T_NO_ERR(dispatcher_add(w.d, u, 0, &w.err), &w.err);
    T_EQ_INT(dispatcher_where(w.d, u), DISPATCH_HELD);
    put_pod(&w, "g-1", 0, 0, "g", 0);
    put_pod(&w, "g-2", 0, 0, "g", 1);
    T_NO_ERR(dispatcher_add(w.d, u, 0, &w.err), &w.err);
    T_EQ_INT(dispatcher_where(w.d, u), DISPATCH_HELD); /* one is gated */
    put_pod(&w, "g-2", 0, 0, "g", 0);
    T_NO_ERR(dispatcher_add(w.d, u, 0, &w.err), &w.err);
    T_EQ_INT(dispatcher_where(w.d, u), DISPATCH_READY);
    T_EQ_INT(dispatcher_pop(w.d, 0), u);
    /* two of three placed: the third waits and is tried again */
    for (int i = 0; i < 2; i++)
        model_assign(w.s, w.s->units[u].pods.p[i], 0, PS_ASSUMED, 0);
    done(&w, u, UNIT_PLACED, 0);
    T_EQ_INT(dispatcher_where(w.d, u), DISPATCH_READY);
    T_EQ_INT(dispatcher_pop(w.d, 0), u);
    model_assign(w.s, w.s->units[u].pods.p[2], 0, PS_ASSUMED, 0);
    done(&w, u, UNIT_PLACED, 0);
    T_EQ_INT(dispatcher_where(w.d, u), DISPATCH_ABSENT);
    /* a bind that failed */
    sched_forget(w.s, w.s->units[u].pods.p[1]);
    dispatcher_retry(w.d, u, 0);
    T_EQ_INT(dispatcher_pop(w.d, 0), u);
    done(&w, u, UNIT_INCOMPLETE, 0);
    T_EQ_INT(dispatcher_where(w.d, u), DISPATCH_HELD);
    world_fini(&w);
}

TEST(a_large_gang_may_back_off_longer)
{
    struct world w;
    world_init(&w, DISPATCHER_OPTS_DEFAULT);
    put_group(&w, "g", 2);
    unit_id u = UNIT_NONE;
    for (int i = 0; i < 16; i++) {
        char name[16];
        snprintf(name, sizeof name, "g-%d", i);
        u = sched_unit_of(w.s, put_pod(&w, name, 0, 0, "g", 0));
        T_NO_ERR(dispatcher_add(w.d, u, 0, &w.err), &w.err);
    }
    for (int i = 0; i < 10; i++) {
        T_EQ_INT(dispatcher_pop(w.d, w.now), u);
        done(&w, u, UNIT_REJECTED, EVENT_POD_FREED);
        dispatcher_events(w.d, EVENT_POD_FREED, w.now);
        nsec_t due = dispatcher_tick(w.d, w.now);
        if (i == 9)
            T_EQ_INT(due - w.now, 40 * NSEC_PER_SEC); /* 10 s * sqrt(16) */
        w.now = due;
        dispatcher_tick(w.d, w.now);
    }
    world_fini(&w);
}

TEST(gated_pods_are_held)
{
    struct world w;
    world_init(&w, DISPATCHER_OPTS_DEFAULT);
    unit_id u = sched_unit_of(w.s, put_pod(&w, "a", 0, 0, "", 2));
    T_NO_ERR(dispatcher_add(w.d, u, 0, &w.err), &w.err);
    T_EQ_INT(dispatcher_where(w.d, u), DISPATCH_HELD);
    T_EQ_INT(dispatcher_pop(w.d, 0), UNIT_NONE);
    put_pod(&w, "a", 0, 0, "", 0);
    T_NO_ERR(dispatcher_add(w.d, u, 0, &w.err), &w.err);
    T_EQ_INT(dispatcher_pop(w.d, 0), u);
    world_fini(&w);
}

TEST(the_starving_go_first_once)
{
    struct world w;
    struct dispatcher_opts opts = DISPATCHER_OPTS_DEFAULT;
    opts.starvation_ns = 100;
    opts.backoff_first_ns = 0;
    world_init(&w, opts);
    unit_id old = put_one(&w, "old", 0, 0);
    w.now = 90;
    unit_id a = put_one(&w, "a", 5, 1), b = put_one(&w, "b", 5, 2);
    T_EQ_INT(dispatcher_pop(w.d, w.now), a); /* 90 is not too long */
    w.now = 101;
    T_EQ_INT(dispatcher_pop(w.d, w.now), old);
    T_OK(dispatcher_is_next(w.d, old, w.now));
    done(&w, old, UNIT_REJECTED, EVENT_POD_FREED);
    dispatcher_events(w.d, EVENT_POD_FREED, w.now);
    w.now = 150; /* it was tried at 101: behind the others again */
    T_EQ_INT(dispatcher_pop(w.d, w.now), b);
    T_EQ_INT(dispatcher_pop(w.d, w.now), old);
    world_fini(&w);
}

TEST(told_in_flight)
{
    struct world w;
    struct dispatcher_opts opts = DISPATCHER_OPTS_DEFAULT;
    opts.backoff_first_ns = 0;
    world_init(&w, opts);
    unit_id u = put_one(&w, "a", 0, 0);
    dispatcher_pop(w.d, 0);
    T_NO_ERR(dispatcher_add(w.d, u, 0, &w.err), &w.err); /* its spec changed */
    done(&w, u, UNIT_REJECTED, EVENT_POD_FREED);
    T_EQ_INT(dispatcher_where(w.d, u), DISPATCH_READY);
    dispatcher_pop(w.d, 0);
    done(&w, u, UNIT_REJECTED, EVENT_POD_FREED);
    T_EQ_INT(dispatcher_where(w.d, u), DISPATCH_PARKED);
    T_NO_ERR(dispatcher_add(w.d, u, 0, &w.err), &w.err); /* changed while parked */
    T_EQ_INT(dispatcher_where(w.d, u), DISPATCH_READY);
    /* preempting is no end */
    dispatcher_pop(w.d, 0);
    done(&w, u, UNIT_PREEMPTING, 0);
    T_EQ_INT(dispatcher_where(w.d, u), DISPATCH_FLYING);
    dispatcher_retry(w.d, u, 0);
    T_EQ_INT(dispatcher_where(w.d, u), DISPATCH_READY);
    world_fini(&w);
}

/* --- against a naive model -------------------------------------------------------------------------------------------------------------------- */
#define UNITS 60
struct naive_unit {
    unit_id id;
    pod_id pod;
    enum dispatch_place place;
    int32_t priority;
    nsec_t since, ready, until, flush;
    uint64_t seq;
    uint32_t attempts, mask;
};
struct naive {
    struct naive_unit u[UNITS];
    uint64_t seq;
};

static int naive_pop(const struct naive *n, const struct dispatcher_opts *o, nsec_t now)
{
    int best = -1;
    for (int i = 0; i < UNITS; i++) {
        const struct naive_unit *a = &n->u[i];
        if (a->place != DISPATCH_READY)
            continue;
        if (best < 0) {
            best = i;
            continue;
        }
        const struct naive_unit *b = &n->u[best];
        bool sa = o->starvation_ns && now - a->ready > o->starvation_ns, sb = o->starvation_ns && now - b->ready > o->starvation_ns;
        bool first;
        if (sa != sb)
            first = sa;
        else if (sa)
            first = a->ready != b->ready ? a->ready < b->ready : a->seq < b->seq;
        else if (a->priority != b->priority)
            first = a->priority > b->priority;
        else
            first = a->since != b->since ? a->since < b->since : a->seq < b->seq;
        if (first)
            best = i;
    }
    return best;
}

static void naive_wake(struct naive_unit *x, nsec_t now)
{
    x->place = x->until > now ? DISPATCH_BACKOFF : DISPATCH_READY;
    if (x->place == DISPATCH_READY)
        x->ready = now;
}

static nsec_t naive_backoff(const struct dispatcher_opts *o, uint32_t attempts)
{
    nsec_t wait = o->backoff_first_ns;
    for (uint32_t i = 1; i < attempts && wait < o->backoff_max_ns; i++)
        wait *= 2;
    return MIN(wait, o->backoff_max_ns);
}

static int pick(struct rng *r, const struct naive *n, enum dispatch_place place)
{
    int from = (int)rng_below(r, UNITS);
    for (int i = 0; i < UNITS; i++)
        if (n->u[(from + i) % UNITS].place == place)
            return (from + i) % UNITS;
    return -1;
}

static void naive_step(struct world *w, struct naive *n, struct rng *r)
{
    uint64_t what = rng_below(r, 100);
    int i;
    if (what < 20 && (i = pick(r, n, DISPATCH_ABSENT)) >= 0) {
        struct naive_unit *x = &n->u[i];
        char name[16];
        snprintf(name, sizeof name, "p%d", i);
        x->priority = (int32_t)rng_below(r, rng_below(r, 2) ? 3 : 1000);
        /* not always in order */
        x->since = w->now - (nsec_t)rng_below(r, rng_below(r, 2) ? 1 : 5000);
        sched_pod_delete(w->s, S("d"), str_of(name));
        x->pod = put_pod(w, name, x->priority, x->since, "", 0);
        x->id = sched_unit_of(w->s, x->pod);
        T_NO_ERR(dispatcher_add(w->d, x->id, w->now, &w->err), &w->err);
        x->seq = ++n->seq;
        x->attempts = 0;
        x->until = INT64_MIN;
        x->ready = w->now;
        x->place = DISPATCH_READY;
    } else if (what < 50) {
        int want = naive_pop(n, &w->opts, w->now);
        unit_id u = dispatcher_pop(w->d, w->now);
        T_EQ_INT(u, want < 0 ? UNIT_NONE : n->u[want].id);
        if (want >= 0) {
            n->u[want].place = DISPATCH_FLYING;
            n->u[want].attempts++;
        }
    } else if (what < 70 && (i = pick(r, n, DISPATCH_FLYING)) >= 0) {
        struct naive_unit *x = &n->u[i];
        uint32_t mask = (uint32_t)rng_below(r, 8) << rng_below(r, 3);
        done(w, x->id, UNIT_REJECTED, mask);
        x->place = DISPATCH_PARKED;
        x->mask = mask;
        x->since = w->now;
        x->until = w->now + naive_backoff(&w->opts, x->attempts);
        x->flush = w->now + w->opts.flush_ns;
    } else if (what < 76 && (i = pick(r, n, DISPATCH_FLYING)) >= 0) {
        struct naive_unit *x = &n->u[i];
        model_assign(w->s, x->pod, 0, PS_ASSUMED, 0);
        done(w, x->id, UNIT_PLACED, 0);
        x->place = DISPATCH_ABSENT;
    } else if (what < 80 && (i = pick(r, n, DISPATCH_FLYING)) >= 0) {
        if (rng_below(r, 2))
            dispatcher_retry(w->d, n->u[i].id, w->now);
        else
            dispatcher_unpop(w->d, n->u[i].id);
        n->u[i].place = DISPATCH_READY;
        n->u[i].attempts--;
    } else if (what < 84) {
        i = (int)rng_below(r, UNITS);
        if (n->u[i].id)
            dispatcher_remove(w->d, n->u[i].id);
        n->u[i].place = DISPATCH_ABSENT;
    } else if (what < 92) {
        uint32_t events = (uint32_t)1 << rng_below(r, 5);
        dispatcher_events(w->d, events, w->now);
        for (int k = 0; k < UNITS; k++)
            if (n->u[k].place == DISPATCH_PARKED && n->u[k].mask & events)
                naive_wake(&n->u[k], w->now);
    } else {
        w->now += (nsec_t)rng_below(r, 400);
        nsec_t next = dispatcher_tick(w->d, w->now), want = INT64_MAX;
        for (int k = 0; k < UNITS; k++) {
            struct naive_unit *x = &n->u[k];
            if (x->place == DISPATCH_PARKED && x->flush <= w->now)
                naive_wake(x, w->now);
            if (x->place == DISPATCH_BACKOFF && x->until <= w->now)
                naive_wake(x, w->now);
            if (x->place == DISPATCH_PARKED)
                want = MIN(want, x->flush);
            if (x->place == DISPATCH_BACKOFF)
                want = MIN(want, x->until);
        }
        T_EQ_INT(next, want);
    }
}

static void naive_run(uint64_t seed, nsec_t starvation)
{
    struct world w;
    world_init(&w, (struct dispatcher_opts){each_for_itself(), 100, 1000, 700, starvation});
    w.now = 10000;
    struct naive *n = xnew(struct naive);
    struct rng r;
    rng_seed(&r, seed);
    for (int step = 0; step < 4000 && !test_failures_; step++) {
        naive_step(&w, n, &r);
        for (int i = 0; i < UNITS; i++)
            if (n->u[i].id) {
                T_EQ_INT(dispatcher_where(w.d, n->u[i].id), n->u[i].place);
                if (n->u[i].place != DISPATCH_ABSENT)
                    T_EQ_INT(dispatcher_attempts(w.d, n->u[i].id), n->u[i].attempts);
            }
        T_NO_ERR(dispatcher_check(w.d, &w.err), &w.err);
        if (test_failures_)
            printf("# seed %llu step %d\n", (unsigned long long)seed, step);
    }
    free(n);
    world_fini(&w);
}

TEST(like_a_naive_list)
{
    for (uint64_t seed = 1; seed <= 6 && !test_failures_; seed++)
        naive_run(seed, 0);
}

TEST(like_a_naive_list_with_starvation)
{
    for (uint64_t seed = 1; seed <= 4 && !test_failures_; seed++)
        naive_run(seed, 600);
}

/* --- kin ------------------------------------------------------------------------------------------------------------------------------------ */
#define KIN 3
#define KIN_UNITS 400
struct crowd {
    struct world w;
    unit_id unit[KIN_UNITS]; /* by arrival; UNIT_NONE: gone or placed */
    uint32_t kin[KIN_UNITS], n;
    uint32_t room[KIN];
    uint32_t tries, placed, events;
    bool in_order; /* nothing happens that may upset arrival */
};

static void crowd_add(struct crowd *c, uint32_t kin)
{
    char name[16];
    snprintf(name, sizeof name, "k-%u", c->n);
    c->kin[c->n] = kin;
    c->unit[c->n++] = put_one(&c->w, name, (int32_t)kin, c->w.now);
}

static uint32_t crowd_find(const struct crowd *c, unit_id u)
{
    uint32_t i = 0;
    while (i < c->n && c->unit[i] != u)
        i++;
    BUG_ON(i == c->n);
    return i;
}

/* Decides as an engine would: equal units are equally lucky. */
static void crowd_decide(struct crowd *c, unit_id u)
{
    uint32_t i = crowd_find(c, u), kin = c->kin[i];
    c->tries++;
    if (!c->room[kin]) {
        done(&c->w, u, UNIT_REJECTED, EVENT_POD_FREED | (c->w.now & 1 ? EVENT_NODE_ADD : 0));
        return;
    }
    for (uint32_t k = 0; k < i && c->in_order; k++)
        T_OK(!c->unit[k] || c->kin[k] != kin);
    c->room[kin]--;
    c->placed++;
    c->unit[i] = UNIT_NONE;
    done(&c->w, u, UNIT_PLACED, 0);
}

static void crowd_settle(struct crowd *c, struct rng *r)
{
    unit_id u, ahead;
    dispatcher_tick(c->w.d, c->w.now);
    while ((u = dispatcher_pop(c->w.d, c->w.now)) && !test_failures_) {
        /* a driver that pops ahead and takes it back */
        if (rng_below(r, 4) == 0 && (ahead = dispatcher_pop(c->w.d, c->w.now)))
            dispatcher_unpop(c->w.d, ahead);
        if (!c->in_order && rng_below(r, 20) == 0)
            dispatcher_retry(c->w.d, u, c->w.now);
        else
            crowd_decide(c, u);
        T_NO_ERR(dispatcher_check(c->w.d, &c->w.err), &c->w.err);
    }
}

static void crowd_disturb(struct crowd *c, struct rng *r)
{
    uint32_t i = (uint32_t)rng_below(r, c->n);
    if (!c->unit[i])
        return;
    if (rng_below(r, 2)) {
        T_NO_ERR(dispatcher_add(c->w.d, c->unit[i], c->w.now, &c->w.err), &c->w.err); /* something about it changed */
    } else {
        dispatcher_remove(c->w.d, c->unit[i]);
        c->unit[i] = UNIT_NONE;
    }
}

static void crowd_run(uint64_t seed, bool in_order)
{
    struct crowd c = {.in_order = in_order};
    struct dispatcher_opts opts = DISPATCHER_OPTS_DEFAULT;
    struct rng r;
    rng_seed(&r, seed);
    opts.backoff_first_ns = in_order ? 0 : 100;
    opts.backoff_max_ns = 1000;
    opts.flush_ns = 1ll << 60;
    world_init(&c.w, opts);
    while (c.n < KIN_UNITS && !test_failures_) {
        for (uint64_t k = rng_below(&r, 12); k > 0 && c.n < KIN_UNITS; k--)
            crowd_add(&c, (uint32_t)rng_below(&r, KIN));
        crowd_settle(&c, &r);
        c.w.now += 1 + (nsec_t)rng_below(&r, 300);
        c.room[rng_below(&r, KIN)] += (uint32_t)rng_below(&r, 3) ? 1 : 9;
        c.events++;
        dispatcher_events(c.w.d, EVENT_POD_FREED, c.w.now);
        if (!in_order)
            crowd_disturb(&c, &r);
    }
    /* nobody is left behind: after all back-offs there is room for no kind that still waits */
    for (int k = 0; k < 20; k++) {
        c.w.now += opts.backoff_max_ns + 1;
        crowd_settle(&c, &r);
    }
    for (uint32_t i = 0; i < c.n && !test_failures_; i++)
        if (c.unit[i]) {
            T_EQ_INT(dispatcher_where(c.w.d, c.unit[i]), DISPATCH_PARKED);
            T_EQ_INT(c.room[c.kin[i]], 0);
        }
    T_OK(c.placed > 50);
    /* the first try of each, one of each kind for an event, two for each that is helped */
    if (in_order)
        T_OK(c.tries <= c.n + c.events * KIN + 2 * c.placed);
    world_fini(&c.w);
}

TEST(one_is_tried_for_all)
{
    for (uint64_t seed = 1; seed <= 8 && !test_failures_; seed++) {
        crowd_run(seed, true);
        crowd_run(seed + 100, false);
    }
}

TEST(followers_wait_for_their_leader)
{
    struct crowd c = {.in_order = true};
    struct dispatcher_opts opts = DISPATCHER_OPTS_DEFAULT;
    struct rng r;
    rng_seed(&r, 1);
    opts.backoff_first_ns = 0;
    world_init(&c.w, opts);
    for (int i = 0; i < 100; i++)
        crowd_add(&c, 0);
    crowd_settle(&c, &r);
    T_EQ_INT(c.tries, 100);
    T_EQ_INT(dispatcher_count(c.w.d).parked, 100);
    for (int i = 0; i < 10; i++) { /* freed elsewhere: one try each */
        dispatcher_events(c.w.d, EVENT_POD_FREED, ++c.w.now);
        T_EQ_INT(dispatcher_count(c.w.d).ready, 1);
        crowd_settle(&c, &r);
    }
    T_EQ_INT(c.tries, 110);
    c.room[0] = 100;
    dispatcher_events(c.w.d, EVENT_POD_FREED, ++c.w.now);
    crowd_settle(&c, &r);
    T_EQ_INT(c.placed, 100);
    T_EQ_INT(c.tries, 210);
    /* a leader that goes hands over, parked or awake */
    for (int i = 0; i < 3; i++)
        crowd_add(&c, 0);
    c.room[0] = 0;
    crowd_settle(&c, &r);
    dispatcher_remove(c.w.d, c.unit[100]);
    T_EQ_INT(dispatcher_count(c.w.d).ready, 0);
    dispatcher_events(c.w.d, EVENT_POD_FREED, ++c.w.now);
    T_EQ_INT(dispatcher_where(c.w.d, c.unit[101]), DISPATCH_READY);
    dispatcher_remove(c.w.d, c.unit[101]);
    T_EQ_INT(dispatcher_where(c.w.d, c.unit[102]), DISPATCH_READY);
    world_fini(&c.w);
}

TEST_MAIN(line_is_a_priority_queue, line_throws_dead_entries_away, priority_then_arrival, fifo_ignores_priority,
          a_new_priority_is_a_new_place, events_wake_only_whom_they_help, backoff_doubles_up_to_its_maximum, gangs_are_held_until_complete,
          a_large_gang_may_back_off_longer, gated_pods_are_held, the_starving_go_first_once, told_in_flight,
          like_a_naive_list, like_a_naive_list_with_starvation, one_is_tried_for_all, followers_wait_for_their_leader)
