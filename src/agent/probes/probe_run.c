/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/probes/probe_run.h"

#define NO_TIMEOUT_NS (24 * 3600 * NSEC_PER_SEC) /* of an exec that may take its time: it must end at last, a pool thread waits for it */

/* What an exec needs while it is away; it may outlive the run. */
struct away {
    struct probe_exec x;
    struct arena arena;
    struct probe_run *run; /* NULL: cancelled */
};

struct probe_run {
    struct probes *p;
    const struct probe_handler *h;
    probe_done_fn *done;
    void *arg;
    struct probe_net *net;
    struct away *away;
    struct loop_timer timer;  /* a sleep, or the time-out of one */
    bool sleeps_whole;
    struct loop_defer broken; /* a handler with a problem fails at the end of the turn */
};

static void run_free(struct probe_run *r)
{
    probe_net_cancel(r->net);
    if (r->away)
        r->away->run = NULL;
    loop_timer_stop(r->p->o.loop, &r->timer);
    loop_defer_cancel(r->p->o.loop, &r->broken);
    free(r);
}

static void end(struct probe_run *r, bool ok, str message)
{
    probe_done_fn *done = r->done;
    void *arg = r->arg;
    run_free(r);
    done(arg, ok, message);
}

static void on_net(void *arg, bool ok, str message)
{
    struct probe_run *r = arg;
    r->net = NULL; /* it has ended itself */
    end(r, ok, message);
}

static void on_timer(struct loop_timer *t)
{
    struct probe_run *r = container_of(t, struct probe_run, timer);
    end(r, r->sleeps_whole, r->sleeps_whole ? S("") : S("the time for it is over"));
}

static void on_broken(struct loop_defer *d)
{
    struct probe_run *r = container_of(d, struct probe_run, broken);
    end(r, false, r->h->problem); /* of the owner's arena, which outlives this call */
}

/* --- exec ---------------------------------------------------------------------------------------------- */

static void on_exec(struct probe_exec *x)
{
    struct away *w = container_of(x, struct away, x);
    struct probe_run *r = w->run;
    if (r) {
        r->away = NULL;
        /* As the output says it, or what stopped it from running. */
        str text = arena_str(&w->arena, str_sub(str_trim(x->output), 0, PROBE_OUTPUT_BYTES));
        end(r, x->worked && x->exit_code == 0, text);
    }
    arena_fini(&w->arena);
    free(w);
}

static void start_exec(struct probe_run *r, str container_id, nsec_t timeout_ns)
{
    struct away *w = xnew(struct away);
    size_t n = 0;
    while (r->h->argv[n])
        n++;
    const char **argv = arena_array(&w->arena, n + 1, const char *);
    for (size_t i = 0; i < n; i++)
        argv[i] = arena_cstr(&w->arena, str_of(r->h->argv[i]));
    w->run = r;
    w->x = (struct probe_exec){.argv = argv, .timeout_ns = timeout_ns > 0 ? timeout_ns : NO_TIMEOUT_NS, .output = S("")};
    r->away = w;
    r->p->o.exec(r->p->o.arg, arena_str(&w->arena, container_id), &w->x, on_exec);
}

/* --- all of them ------------------------------------------------------------------------------------------ */

struct probe_run *probe_run_start(struct probes *p, const struct probe_handler *h, str container_id, nsec_t timeout_ns, probe_done_fn *done, void *arg)
{
    struct probe_run *r = xnew(struct probe_run);
    *r = (struct probe_run){.p = p, .h = h, .done = done, .arg = arg, .timer.fire = on_timer, .broken.fn = on_broken};
    if (h->problem.len) {
        loop_defer(p->o.loop, &r->broken);
    } else if (h->kind == HANDLER_SLEEP) {
        nsec_t sleep_ns = MIN(h->sleep_s, (int64_t)86400) * NSEC_PER_SEC;
        r->sleeps_whole = timeout_ns <= 0 || sleep_ns <= timeout_ns;
        loop_timer_set(p->o.loop, &r->timer, loop_now(p->o.loop) + (r->sleeps_whole ? sleep_ns : timeout_ns));
    } else if (h->kind == HANDLER_EXEC) {
        start_exec(r, container_id, timeout_ns);
    } else {
        r->net = probe_net_start(p->o.loop, &p->tls, h, timeout_ns, on_net, r);
    }
    return r;
}

void probe_run_cancel(struct probe_run *r)
{
    if (r)
        run_free(r);
}
