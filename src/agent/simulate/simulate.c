/* simulate.c - calls and their turn: leases first, then nodes, then pods, as many at a time as were asked for. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/node/node_amounts.h"
#include "agent/node/node_bandwidth.h"
#include "agent/simulate/simulate_internal.h"

#define DEFAULT_PARALLEL 256
#define PARALLEL_MAX 8192

/* The call is free before its answer is looked at: what follows from an answer always has one. */
static void on_answer(struct client_call *call)
{
    struct sim_call *c = container_of(call, struct sim_call, call), was = *c;
    struct simulate *s = c->sim;
    c->next = s->free_calls;
    s->free_calls = c;
    if (s->stopped)
        return;
    arena_reset(&s->arena);
    was.done(&was, was.call.status, was.call.response);
    sim_pump(s);
}

struct sim_call *sim_call_take(struct simulate *s)
{
    struct sim_call *c = s->free_calls;
    if (!c || s->stopped)
        return NULL;
    s->free_calls = c->next;
    strbuf_clear(&c->path);
    strbuf_clear(&c->body);
    c->is_final = c->is_end = false;
    return c;
}

void sim_call_start(struct sim_call *c, const char *method, const char *content_type, void (*done)(struct sim_call *c, int status, str response))
{
    struct simulate *s = c->sim;
    c->done = done;
    c->call = (struct client_call){.loop = s->opts.loop, .method = str_of(method), .path = strbuf_str(&c->path), .content_type = str_of(content_type), .body = strbuf_str(&c->body), .done = on_answer};
    s->opts.transport->call(s->opts.transport, &c->call);
}

static void on_pump(struct loop_defer *d)
{
    struct simulate *s = container_of(d, struct simulate, pump);
    while (s->free_calls && !s->stopped && (sim_leases_pump(s) || sim_nodes_pump(s) || sim_bandwidth_pump(s) || sim_pods_pump(s)))
        ;
}

void sim_pump(struct simulate *s)
{
    s->pump.fn = on_pump;
    loop_defer(s->opts.loop, &s->pump);
}

int simulate_new(const struct simulate_opts *opts, struct simulate **ret, struct err *err)
{
    unsigned parallel = opts->parallel ? opts->parallel : DEFAULT_PARALLEL;
    if (!opts->nodes || opts->nodes > SIMULATE_NODES_MAX || opts->first > SIMULATE_NODES_MAX)
        return err_set(err, E_INVALID_ARG, "from 1 to %u nodes can be simulated", SIMULATE_NODES_MAX);
    if (parallel > PARALLEL_MAX)
        return err_set(err, E_INVALID_ARG, "at most %d calls at a time", PARALLEL_MAX);
    struct node_bandwidth bandwidth;
    int r = node_amounts_check(opts->capacity, "node-capacity", err);
    if (r == 0)
        r = node_bandwidth(opts->capacity, NULL, 0, &bandwidth, err);
    if (r < 0)
        return r;
    struct simulate *s = xnew(struct simulate);
    s->opts = *opts;
    s->prefix = opts->prefix ? opts->prefix : "sim-";
    s->by_key = MAP_INIT;
    rng_seed(&s->rng, opts->seed + 1);
    s->calls = xarray(parallel, struct sim_call);
    for (unsigned i = 0; i < parallel; i++) {
        s->calls[i].sim = s;
        s->calls[i].next = s->free_calls;
        s->free_calls = &s->calls[i];
    }
    s->opts.parallel = parallel;
    s->nodes = xcalloc(opts->nodes, 1);
    s->noted = xcalloc(opts->nodes, 1);
    sim_nodes_start(s);
    r = sim_pods_start(s, err);
    if (r == 0)
        r = sim_bandwidth_start(s, err);
    if (r < 0) {
        simulate_free(s);
        return r;
    }
    *ret = s;
    return 0;
}

void simulate_stop(struct simulate *s)
{
    s->stopped = true;
}

void simulate_free(struct simulate *s)
{
    if (!s)
        return;
    loop_timer_stop(s->opts.loop, &s->node_timer);
    loop_timer_stop(s->opts.loop, &s->lease_timer);
    loop_timer_stop(s->opts.loop, &s->pod_timer);
    loop_timer_stop(s->opts.loop, &s->bandwidth_timer);
    loop_defer_cancel(s->opts.loop, &s->pump);
    sim_pods_free(s);
    sim_bandwidth_free(s);
    for (unsigned i = 0; i < s->opts.parallel; i++) {
        strbuf_fini(&s->calls[i].path);
        strbuf_fini(&s->calls[i].body);
    }
    vec_fini(&s->again);
    free(s->calls);
    free(s->nodes);
    free(s->noted);
    arena_fini(&s->arena);
    free(s);
}

void simulate_stats(const struct simulate *s, struct simulate_stats *ret)
{
    *ret = s->stats;
    ret->pods = s->by_key.len;
    ret->waiting = s->jobs.len - s->jobs_at;
}
