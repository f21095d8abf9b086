/* SPDX-License-Identifier: Apache-2.0 */
/* A home: pools, the date header, counters, and the end of connections. */
#include "http/internal.h"

void *http_pool_take(struct http_pool *p, size_t size)
{
    return p->count ? p->items[--p->count] : xmalloc(size);
}

void http_pool_give(struct http_pool *p, void *item)
{
    if (p->count < HTTP_POOL)
        p->items[p->count++] = item;
    else
        free(item);
}

static void pool_fini(struct http_pool *p)
{
    while (p->count)
        free(p->items[--p->count]);
}

struct arena http_arena_take(struct http_home *h)
{
    return h->narenas ? h->arenas[--h->narenas] : ARENA_INIT;
}

void http_arena_give(struct http_home *h, struct arena *a)
{
    arena_reset(a);
    if (a->blocks_ && h->narenas < HTTP_POOL)
        h->arenas[h->narenas++] = *a;
    else
        arena_fini(a);
    *a = ARENA_INIT;
}

str http_home_date(struct http_home *h)
{
    nsec_t now = loop_now(h->loop);
    if (now >= h->date_until) {
        nsec_t wall = clock_wall(loop_clock(h->loop));
        http1_date_format(wall, h->date);
        h->date_until = now + NSEC_PER_SEC - wall % NSEC_PER_SEC;
    }
    return str_n(h->date, HTTP1_DATE_LEN);
}

bool http_home_body_add(struct http_home *h, size_t n)
{
    if (h->body_bytes + n > LIMIT_BODIES_BYTES)
        return false;
    h->body_bytes += n;
    return true;
}

static void reap(struct loop_defer *d)
{
    struct http_home *h = container_of(d, struct http_home, reap);
    while (!list_empty(&h->dead))
        conn_free_now(list_first(&h->dead, struct http_conn, dead_link));
    http_home_drain_check(h);
}

void http_home_reap(struct http_home *h, struct http_conn *c)
{
    list_add_tail(&h->dead, &c->dead_link);
    loop_defer(h->loop, &h->reap);
}

void http_home_drain_check(struct http_home *h)
{
    struct http_server *s = h->server;
    if (!h->draining || h->drained || !list_empty(&h->conns))
        return;
    h->drained = true;
    loop_timer_stop(h->loop, &h->deadline);
    if (atomic_fetch_sub(&s->homes_left, 1) == 1)
        loop_post(s->homes[0].loop, &s->done_msg);
}

static void force(struct loop_timer *t)
{
    struct http_home *h = container_of(t, struct http_home, deadline);
    list_foreach_safe(c, &h->conns, struct http_conn, link)
        conn_gone(c);
    /* requests that are still with a handler keep their connection's memory, but nobody waits for them any more */
    if (!h->drained) {
        h->drained = true;
        if (atomic_fetch_sub(&h->server->homes_left, 1) == 1)
            loop_post(h->server->homes[0].loop, &h->server->done_msg);
    }
}

void http_home_init(struct http_home *h, struct http_server *s, struct loop *loop)
{
    h->server = s;
    h->loop = loop;
    list_init(&h->conns);
    list_init(&h->dead);
    h->reap.fn = reap;
    h->deadline.fire = force;
}

void http_home_fini(struct http_home *h)
{
    while (!list_empty(&h->conns))
        conn_free_now(list_first(&h->conns, struct http_conn, link));
    pool_fini(&h->in_pool);
    pool_fini(&h->out_pool);
    pool_fini(&h->stream_pool);
    while (h->narenas)
        arena_fini(&h->arenas[--h->narenas]);
}

/* Whether bytes of body follow the head. */
bool http_has_body(const struct http_response *res, bool is_head)
{
    return !is_head && !res->no_body && res->status != 204 && res->status != 304;
}

uint64_t http_body_length(const struct http_response *res)
{
    uint64_t n = res->body.len;
    for (size_t i = 0; i < res->nbufs; i++)
        n += res->bufs[i]->len;
    return n;
}

struct http_response http_bad_request(struct http_home *h, struct arena *a, int status, const char *why)
{
    const struct http_server_opts *o = &h->server->opts;
    http_count(&h->counters.bad_requests, 1);
    str body = o->bad_request ? o->bad_request(o->arg, a, status, why) : arena_fmt(a, "%s\n", why);
    return (struct http_response){.status = status, .content_type = o->bad_request ? S("application/json") : S("text/plain"), .body = body, .close = true};
}
