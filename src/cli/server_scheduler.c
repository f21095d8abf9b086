/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/server_scheduler.h"

#include <unistd.h>

#include "apiserver/extension.h"
#include "cli/scheduler_profile.h"
#include "rt/thread.h"
#include "sched/live/live.h"

struct server_scheduler {
    bool bind_requests;
    struct apiserver *api;
    struct loop *loop;
    struct thread thread;
    struct sched_profile *profile; /* until live has it */
    struct live *live;             /* NULL: not started */
    struct arena arena;            /* of the names */
    const char *const *names;
    struct loop_msg stop_msg;
    void (*done)(void *arg);
    void *done_arg;
    bool stopped; /* the thread's */
};

/* --- questions: posted by io loops, answered on the thread ---------------------------------------------------------------------- */

static void post(struct server_scheduler *x, struct apiserver_question *q, void (*fn)(struct loop_msg *m))
{
    q->part = x;
    q->ask.fn = fn;
    loop_post(x->loop, &q->ask);
}

static bool is_open(struct server_scheduler *x, struct apiserver_question *q)
{
    if (x->stopped)
        err_set(&q->err, E_UNAVAILABLE, "the scheduler of this server has stopped");
    return !x->stopped;
}

static void metrics_run(struct loop_msg *m)
{
    struct apiserver_question *q = container_of(m, struct apiserver_question, ask);
    struct server_scheduler *x = q->part;
    if (is_open(x, q))
        live_metrics_write(x->live, &q->text);
    apiserver_answer(q);
}

static void ask_metrics(void *arg, struct apiserver_question *q)
{
    post(arg, q, metrics_run);
}

static bool is_ours(const struct server_scheduler *x, str name)
{
    for (size_t i = 0; x->names[i]; i++)
        if (str_is(name, x->names[i]))
            return true;
    return false;
}

/* The API has the pod, the engine has not. */
static void say_unknown(struct server_scheduler *x, struct apiserver_question *q)
{
    if (!is_ours(x, q->scheduler))
        err_set(&q->err, E_INVALID_ARG, "pod \"" STR_FMT "\" waits for the scheduler \"" STR_FMT "\", which does not run in this server", STR_ARG(q->name), STR_ARG(q->scheduler));
    else if (!live_is_synced(x->live))
        err_set(&q->err, E_UNAVAILABLE, "the scheduler is still reading the cluster; try again");
    else
        err_set(&q->err, E_UNAVAILABLE, "the scheduler has not seen pod \"" STR_FMT "\" yet, or cannot use it as it is; try again, and look at its condition PodScheduled",
                STR_ARG(q->name));
}

static void explain_run(struct loop_msg *m)
{
    struct apiserver_question *q = container_of(m, struct apiserver_question, ask);
    struct server_scheduler *x = q->part;
    ARENA_AUTO a = ARENA_INIT;
    struct json record;
    struct err err = ERR_NONE;
    if (is_open(x, q)) {
        bool is_task = !q->ns.len;
        if ((is_task ? live_explain_group(x->live, &a, q->name, &record, &err) : live_explain(x->live, &a, q->ns, q->name, &record, &err)) == 0)
            strbuf_add_str(&q->text, json_text(&a, &record));
        else if (is_task && live_is_synced(x->live))
            q->err = err;
        else
            say_unknown(x, q);
    }
    apiserver_answer(q);
}

static void ask_explain(void *arg, struct apiserver_question *q)
{
    post(arg, q, explain_run);
}

static void simulate_run(struct loop_msg *m)
{
    struct apiserver_question *q = container_of(m, struct apiserver_question, ask);
    struct server_scheduler *x = q->part;
    ARENA_AUTO a = ARENA_INIT;
    struct json question, answer;
    if (is_open(x, q) && json_parse(&a, q->body, NULL, &question, &q->err) >= 0 && live_simulate(x->live, &a, q->name, &question, &answer, &q->err) >= 0)
        strbuf_add_str(&q->text, json_text(&a, &answer));
    apiserver_answer(q);
}

static void ask_simulate(void *arg, struct apiserver_question *q)
{
    post(arg, q, simulate_run);
}

/* --- life --------------------------------------------------------------------------------------------------------------------------- */

int server_scheduler_new(struct apiserver *api, const char *profile, bool bind_requests, struct server_scheduler **ret, struct err *err)
{
    struct server_scheduler *x = xnew(struct server_scheduler);
    x->api = api;
    x->bind_requests = bind_requests;
    int r = scheduler_profile_read(profile, &x->profile, err);
    if (r == 0 && !(x->loop = loop_new("scheduler", &clock_real, err)))
        r = -err->code;
    if (r < 0) {
        server_scheduler_free(x);
        return r;
    }
    x->names = scheduler_profile_names(&x->arena, x->profile, true);
    apiserver_add_metrics(api, ask_metrics, x);
    apiserver_set_explain(api, ask_explain, x);
    apiserver_set_simulate(api, ask_simulate, x);
    *ret = x;
    return 0;
}

static void run_loop(void *arg)
{
    loop_run(arg);
}

int server_scheduler_start(struct server_scheduler *x, struct err *err)
{
    char host[256] = "localhost";
    gethostname(host, sizeof host - 1);
    struct live_opts lo = {.transport = apiserver_transport(x->api), .loop = x->loop, .clock = &clock_real, .profile = TAKE(x->profile), .names = x->names, .bind_requests = x->bind_requests};
    lo.instance = arena_fmt(&x->arena, "%s-%s", x->names[0], host).p;
    x->live = live_new(&lo, err);
    if (!x->live)
        return -err->code;
    return thread_start(&x->thread, "scheduler", run_loop, x->loop, err);
}

static void on_stopped(void *arg)
{
    struct server_scheduler *x = arg;
    x->done(x->done_arg);
}

static void stop_run(struct loop_msg *m)
{
    struct server_scheduler *x = container_of(m, struct server_scheduler, stop_msg);
    x->stopped = true;
    live_stop(x->live, on_stopped, x);
}

void server_scheduler_stop(struct server_scheduler *x, void (*done)(void *arg), void *arg)
{
    x->done = done;
    x->done_arg = arg;
    x->stop_msg.fn = stop_run;
    loop_post(x->loop, &x->stop_msg);
}

void server_scheduler_end(struct server_scheduler *x)
{
    if (!x)
        return;
    loop_stop(x->loop);
    thread_join(&x->thread);
}

void server_scheduler_free(struct server_scheduler *x)
{
    if (!x)
        return;
    live_free(x->live);
    profile_free(x->profile);
    loop_free(x->loop);
    arena_fini(&x->arena);
    free(x);
}
