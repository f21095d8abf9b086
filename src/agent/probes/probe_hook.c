/* probe_hook.c - postStart and preStop: a handler that runs once. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/probes/probe_run.h"

struct hook_run {
    struct probes *p;
    struct arena arena;
    struct probe_handler handler;
    struct probe_run *run;
    void (*done)(void *arg, bool worked, str message);
    void *arg;
};

static void hook_free(struct hook_run *h)
{
    probe_run_cancel(h->run);
    h->p->users--;
    arena_fini(&h->arena);
    free(h);
}

static void add_command(struct strbuf *b, const struct probe_handler *h)
{
    for (size_t i = 0; h->argv[i] && b->len < 300; i++)
        strbuf_addf(b, "%s%s", i ? " " : "", h->argv[i]);
}

static void on_done(void *arg, bool ok, str message)
{
    struct hook_run *h = arg;
    void (*done)(void *, bool, str) = h->done;
    void *owner = h->arg;
    STRBUF_AUTO text = STRBUF_HEAP;
    h->run = NULL;
    if (!ok && h->handler.kind == HANDLER_EXEC && h->handler.argv[0]) {
        strbuf_add_str(&text, S("command '"));
        add_command(&text, &h->handler);
        strbuf_add_str(&text, S("' failed: "));
    }
    if (!ok)
        strbuf_add_str(&text, message);
    hook_free(h);
    done(owner, ok, strbuf_str(&text));
}

struct hook_run *hook_start(struct probes *p, const struct json *pod UNUSED, const struct json *container, const struct json *handler, str container_id, str pod_ip, nsec_t timeout_ns,
                            void (*done)(void *arg, bool worked, str message), void *arg)
{
    struct hook_run *h = xnew(struct hook_run);
    *h = (struct hook_run){.p = p, .arena = ARENA_SMALL(1024), .done = done, .arg = arg};
    probe_handler_parse(&h->arena, container, handler, pod_ip, &h->handler);
    p->users++;
    h->run = probe_run_start(p, &h->handler, container_id, timeout_ns, on_done, h);
    return h;
}

void hook_cancel(struct hook_run *h)
{
    if (h)
        hook_free(h);
}
