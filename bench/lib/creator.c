/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/lib/creator.h"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static nsec_t due(const struct creator *c, uint64_t n)
{
    return c->start + (nsec_t)n * c->interval;
}

static bool create_next(void *arg, struct load_conn *conn UNUSED, struct strbuf *out)
{
    struct creator *c = arg;
    if (!c->start || c->next >= c->end)
        return false;
    if (c->interval) {
        nsec_t at = due(c, c->next);
        if (clock_mono(&clock_real) < at) {
            loop_timer_set(load_loop(c->load), &c->timer, at);
            return false;
        }
    }
    STRBUF_AUTO body = STRBUF_HEAP;
    STRBUF_AUTO path = STRBUF_HEAP;
    c->body(&body, c->next);
    c->path(&path, c->next);
    c->next += c->step;
    load_request_as(out, c->method, strbuf_str(&path), str_is(str_of(c->method), "PATCH") ? S("application/merge-patch+json") : S("application/json"), strbuf_str(&body));
    return true;
}

static void create_answer(void *arg, struct load_conn *conn UNUSED, int status, str body, nsec_t took UNUSED)
{
    struct creator *c = arg;
    if (status / 100 != 2 && atomic_fetch_add(&c->shared->failed, 1) == 0)
        fprintf(stderr, "%s: %d " STR_FMT "\n", c->method, status, STR_ARG(str_sub(body, 0, 300)));
    if (--c->left == 0)
        load_stop(c->load);
}

static void kick_all(struct creator *c)
{
    for (size_t i = 0; i < load_opened(c->load); i++)
        load_kick(load_conn_at(c->load, i));
}

static void timer_fire(struct loop_timer *t)
{
    kick_all(container_of(t, struct creator, timer));
}

void creator_run(const struct target *t, struct creator *c)
{
    static const struct load_ops ops = {.next = create_next, .answer = create_answer};
    c->load = load_new(t, &ops, c);
    c->timer.fire = timer_fire;
    c->left = c->end > c->next ? (c->end - c->next + c->step - 1) / c->step : 0;
    load_open(c->load, c->connections, c->connections);
    while (load_opened(c->load) < c->connections && !load_errors(c->load))
        load_run(c->load, 10 * NSEC_PER_MSEC);
    atomic_fetch_add(&c->shared->connected, 1);
    while (!atomic_load(&c->shared->start))
        usleep(1000);
    c->start = atomic_load(&c->shared->start);
    kick_all(c);
    if (c->left)
        load_run(c->load, 0);
    load_free(c->load);
}

struct creator_shared *creator_shared_new(void)
{
    struct creator_shared *s = mmap(NULL, sizeof *s, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    BUG_ON(s == MAP_FAILED);
    return s;
}

void creators_start(const struct target *t, const struct creator *like, struct creator_shared *s, pid_t pids[CREATORS])
{
    fflush(stdout);
    for (uint64_t i = 0; i < CREATORS; i++) {
        pids[i] = fork();
        if (pids[i])
            continue;
        struct creator c = *like;
        c.shared = s;
        c.next += i;
        c.step = CREATORS;
        creator_run(t, &c);
        _exit(0);
    }
    while (atomic_load(&s->connected) < CREATORS)
        usleep(1000);
}

void creators_end(pid_t pids[CREATORS])
{
    for (int i = 0; i < CREATORS; i++)
        waitpid(pids[i], NULL, 0);
}
