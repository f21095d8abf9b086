/* SPDX-License-Identifier: Apache-2.0 */
#include "client/https_pool.h"

#define BACKOFF_MIN_NS (100 * NSEC_PER_MSEC)
/* Exchanges on the emptiest HTTP/2 connection: another one lets a server of several threads share the work. */
#define CROWDED 64

enum protocol { PROTOCOL_UNKNOWN, PROTOCOL_H1, PROTOCOL_H2 };

struct slot {
    struct list link;
    struct https_pool *pool;
    struct https_conn *conn;
    bool dirty; /* has something to send */
    bool seen_open;
};

struct https_pool {
    struct https_pool_opts o;
    char *scratch;
    struct list slots;
    size_t nslots;
    enum protocol protocol; /* of the last connection that opened */
    unsigned failures;      /* in a row */
    nsec_t dial_at;         /* not before */
    struct rng rng;
    struct loop_timer timer;
    struct https_pool_stats stats;
};

/* --- one connection ------------------------------------------------------------------------------------- */

static void changed(struct https_conn *c)
{
    struct slot *s = https_conn_owner(c);
    s->pool->o.wake(s->pool->o.owner);
}

static void dial(struct https_pool *p)
{
    struct slot *s = xnew(struct slot);
    s->pool = p;
    list_add_tail(&p->slots, &s->link);
    p->nslots++;
    p->stats.dials++;
    s->conn = https_conn_new(&(struct https_conn_opts){.loop = p->o.loop,
                                                       .conf = p->o.conf,
                                                       .ops = &p->o.ops,
                                                       .owner = s,
                                                       .scratch = p->scratch,
                                                       .connect_timeout_ns = p->o.connect_timeout_ns,
                                                       .ping_after_ns = p->o.ping_after_ns,
                                                       .idle_ns = p->o.idle_ns,
                                                       .silence_ns = p->o.silence_ns});
}

static void slot_free(struct slot *s)
{
    list_del(&s->link);
    s->pool->nslots--;
    https_conn_free(s->conn);
    free(s);
}

static void back_off(struct https_pool *p)
{
    nsec_t delay = BACKOFF_MIN_NS;
    for (unsigned i = 0; i < p->failures && delay < p->o.backoff_max_ns; i++)
        delay *= 2;
    delay = MIN(delay, p->o.backoff_max_ns);
    p->failures++;
    p->stats.failures++;
    p->dial_at = loop_now(p->o.loop) + delay + (nsec_t)rng_below(&p->rng, (uint64_t)delay / 10 + 1);
}

/* --- all of them ---------------------------------------------------------------------------------------- */

static void reap(struct https_pool *p)
{
    list_foreach_safe (s, &p->slots, struct slot, link) {
        if (https_conn_state(s->conn) != HTTPS_CLOSED)
            continue;
        struct err err = *https_conn_err(s->conn);
        bool counts = err.code && !https_conn_has_answered(s->conn);
        slot_free(s);
        if (!counts)
            continue;
        back_off(p);
        bool nobody = true;
        list_foreach (other, &p->slots, struct slot, link)
            nobody = nobody && https_conn_state(other->conn) == HTTPS_CLOSED;
        p->o.failed(p->o.owner, &err, nobody);
    }
}

struct census {
    size_t opening, open, watching; /* watching: HTTP/1.1 connections that a watch has for itself */
    size_t least;                   /* exchanges on the emptiest open one */
};

static struct census count(struct https_pool *p)
{
    struct census n = {.least = SIZE_MAX};
    list_foreach (s, &p->slots, struct slot, link) {
        n.opening += https_conn_state(s->conn) == HTTPS_OPENING;
        if (https_conn_state(s->conn) != HTTPS_OPEN)
            continue;
        if (!s->seen_open)
            p->protocol = https_conn_is_h2(s->conn) ? PROTOCOL_H2 : PROTOCOL_H1;
        s->seen_open = true;
        n.open++;
        n.watching += !https_conn_is_h2(s->conn) && https_conn_watches(s->conn);
        n.least = MIN(n.least, https_conn_load(s->conn));
    }
    return n;
}

/* Connections that should be opening now. */
static size_t wanted(const struct https_pool *p, const struct census *n, size_t calls, size_t watches)
{
    size_t most = p->o.max_connections;
    if (p->protocol == PROTOCOL_H1) {
        size_t room = most + n->watching > p->nslots - n->opening ? most + n->watching - (p->nslots - n->opening) : 0;
        return MIN(calls, room) + watches;
    }
    if (watches)
        return 1;
    bool crowded = n->open && n->least >= CROWDED;
    return (calls || crowded) && p->nslots - n->opening < most ? 1 : 0;
}

void https_pool_work(struct https_pool *p, size_t calls, size_t watches)
{
    reap(p);
    struct census n = count(p);
    size_t want = wanted(p, &n, calls, watches);
    if (want <= n.opening)
        return;
    if (loop_now(p->o.loop) < p->dial_at) {
        if (calls || watches)
            loop_timer_set(p->o.loop, &p->timer, p->dial_at);
        return;
    }
    if (p->failures)
        want = 1; /* one is enough to see whether the server is back */
    for (size_t i = n.opening; i < want && p->nslots < HTTPS_POOL_MAX; i++)
        dial(p);
}

static void timer_fire(struct loop_timer *t)
{
    struct https_pool *p = container_of(t, struct https_pool, timer);
    p->o.wake(p->o.owner);
}

struct https_conn *https_pool_pick(struct https_pool *p, bool for_watch)
{
    struct https_conn *best = NULL;
    list_foreach (s, &p->slots, struct slot, link) {
        if (https_conn_room(s->conn, for_watch) && (!best || https_conn_load(s->conn) < https_conn_load(best)))
            best = s->conn;
    }
    return best;
}

void https_pool_start(struct https_pool *p UNUSED, struct https_conn *c, struct https_exchange *x)
{
    struct slot *s = https_conn_owner(c);
    s->dirty = true;
    https_conn_start(c, x);
}

void https_pool_cancel(struct https_pool *p UNUSED, struct https_exchange *x)
{
    struct slot *s = https_conn_owner(x->conn);
    s->dirty = true;
    https_conn_cancel(x->conn, x);
}

void https_pool_flush(struct https_pool *p)
{
    list_foreach (s, &p->slots, struct slot, link) {
        if (!s->dirty)
            continue;
        s->dirty = false;
        https_conn_flush(s->conn);
    }
}

void https_pool_answered(struct https_pool *p)
{
    p->failures = 0;
}

void https_pool_leave(struct https_pool *p, struct https_conf *conf)
{
    https_conf_ref(conf);
    https_conf_unref(p->o.conf);
    p->o.conf = conf;
    p->failures = 0;
    p->dial_at = 0;
    p->protocol = PROTOCOL_UNKNOWN;
    list_foreach (s, &p->slots, struct slot, link)
        https_conn_leave(s->conn);
}

void https_pool_close(struct https_pool *p)
{
    while (!list_empty(&p->slots))
        slot_free(list_first(&p->slots, struct slot, link));
    loop_timer_stop(p->o.loop, &p->timer);
}

struct https_pool *https_pool_new(const struct https_pool_opts *opts)
{
    struct https_pool *p = xnew(struct https_pool);
    p->o = *opts;
    p->o.ops.changed = changed;
    https_conf_ref(p->o.conf);
    p->scratch = xmalloc(HTTPS_SCRATCH);
    list_init(&p->slots);
    p->timer.fire = timer_fire;
    uint64_t seed;
    tls_random(&seed, sizeof seed); /* spreads clients that lost the same server; nothing else depends on it */
    rng_seed(&p->rng, seed);
    return p;
}

void https_pool_free(struct https_pool *p)
{
    if (!p)
        return;
    https_pool_close(p);
    https_conf_unref(p->o.conf);
    free(p->scratch);
    free(p);
}

void https_pool_stats(const struct https_pool *p, struct https_pool_stats *ret)
{
    *ret = p->stats;
    ret->connections = p->nslots;
}
