/* agent_end.c - a container ends: preStop, signals that grow stronger, how it ended, removal; and commands of probes and hooks.
 *
 *   KILL ─► preStop ─► stop signal ─► (grace period over) SIGKILL, again every few seconds ─► the runtime says that it ended ─► status ─► the end goes to a file ─► removed
 *
 * The runtime keeps a run that ended until its end is in status.json: an agent that dies in between finds it again. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/agent_internal.h"
#include "base/log.h"
#include "rt/file.h"

#define KILL_AGAIN_NS (10 * NSEC_PER_SEC)
#define KILL_MIN_NS (2 * NSEC_PER_SEC) /* between TERM and KILL, whatever a preStop hook took */
#define TERMINATION_BYTES 4096
#define LOG_FALLBACK_BYTES 2048

/* --- killing -------------------------------------------------------------------------------------------------------------------------------- */
void agent_op_run_signal(struct op *o)
{
    o->result = o->runtime->ops->container_signal(o->runtime, o->runtime_id, o->signo, &o->err);
}

void agent_op_end_signal(struct op *o)
{
    struct agent_container *c = o->container;
    if (o->result < 0 && o->result != -E_NOT_FOUND)
        log_warn("cannot signal a container", KV("container", STR_FMT, STR_ARG(c->name)), KV("why", "%s", o->err.msg));
    if (o->result == -E_NOT_FOUND && str_eq(c->runtime_id, o->runtime_id))
        agent_on_runtime_change(o->agent, o->runtime_id);
}

static void send_signal(struct agent_container *c, int signo)
{
    if (!c->runtime_id.len || c->pod->agent->stopping)
        return;
    struct op *o = agent_op_new(c->pod, c, OP_SIGNAL);
    o->runtime_id = arena_str(&o->arena, c->runtime_id);
    o->signo = signo;
    agent_op_submit(o);
}

static int stop_signal_of(const struct agent_container *c)
{
    str name = json_get_str(json_get(pod_container_spec(&c->pod->tree, c->name), S("lifecycle")), S("stopSignal"));
    static const struct {
        const char *name;
        int signo;
    } signals[] = {{"SIGTERM", SIGTERM}, {"SIGINT", SIGINT}, {"SIGQUIT", SIGQUIT}, {"SIGHUP", SIGHUP}, {"SIGUSR1", SIGUSR1}, {"SIGUSR2", SIGUSR2}, {"SIGKILL", SIGKILL}};
    for (size_t i = 0; i < ARRAY_LEN(signals); i++) {
        if (str_is(name, signals[i].name))
            return signals[i].signo;
    }
    return c->stop_signal > 0 ? c->stop_signal : SIGTERM;
}

static void pre_stop_done(void *arg, bool worked, str message)
{
    struct agent_container *c = arg;
    struct agent *g = c->pod->agent;
    c->hook = NULL;
    if (!worked)
        agent_event(g, c->pod, c, "Warning", "FailedPreStopHook", message);
    send_signal(c, stop_signal_of(c));
    if (c->seen.stop_grace_s > 1) /* not for one that is to go as fast as it can */
        c->kill_at = MAX(c->kill_at, loop_now(g->loop) + KILL_MIN_NS);
    loop_timer_set(g->loop, &c->kill_timer, c->kill_at);
}

void agent_op_kill(struct agent_container *c, int64_t grace_s, const char *reason, str message)
{
    struct agent_pod *p = c->pod;
    struct agent *g = p->agent;
    if (c->seen.phase != CONTAINER_PHASE_RUNNING && c->seen.phase != CONTAINER_PHASE_STOPPING)
        return;
    grace_s = MIN(grace_s, (int64_t)INT32_MAX); /* a spec may say anything */
    nsec_t now = loop_now(g->loop);
    bool first = c->seen.phase == CONTAINER_PHASE_RUNNING;
    if (first) {
        ARENA_AUTO a = ARENA_INIT;
        if (c->hook) /* postStart; it has not worked, so the container does not become ready in the time that is left */
            hook_cancel(TAKE(c->hook));
        c->seen.phase = CONTAINER_PHASE_STOPPING;
        agent_event(g, p, c, "Normal", "Killing", message.len ? message : arena_fmt(&a, "Stopping container " STR_FMT, STR_ARG(c->name)));
    }
    c->seen.stop_grace_s = first ? MAX(grace_s, (int64_t)0) : MIN(c->seen.stop_grace_s, MAX(grace_s, (int64_t)0));
    if (grace_s <= 0) {
        if (c->hook) /* preStop */
            hook_cancel(TAKE(c->hook));
        send_signal(c, SIGKILL);
        c->kill_at = now + KILL_AGAIN_NS;
        loop_timer_set(g->loop, &c->kill_timer, c->kill_at);
        return;
    }
    if (!first) { /* the plan may shorten what it asked for before */
        c->kill_at = MIN(c->kill_at, now + grace_s * NSEC_PER_SEC);
        loop_timer_set(g->loop, &c->kill_timer, c->kill_at);
        return;
    }
    c->kill_at = now + grace_s * NSEC_PER_SEC;
    loop_timer_set(g->loop, &c->kill_timer, c->kill_at);
    const struct json *spec = pod_container_spec(&p->tree, c->name), *handler = json_path(spec, "lifecycle", "preStop", NULL);
    bool is_broken = reason && strcmp(reason, "FailedPostStartHook") == 0;
    if (handler && !is_broken)
        c->hook = hook_start(g->probes, &p->tree, spec, handler, c->runtime_id, p->seen.pod_ip.len ? p->seen.pod_ip : g->node_ip, grace_s * NSEC_PER_SEC, pre_stop_done, c);
    else
        send_signal(c, stop_signal_of(c));
}

/* --- how it ended ---------------------------------------------------------------------------------------------------------------------------- */
/* The last bytes of a file, at most max.  The container may have put anything there. */
static str read_tail(struct arena *a, const char *path, size_t max, bool *ret_cut)
{
    FD_AUTO fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    struct stat st;
    *ret_cut = false;
    if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_size == 0)
        return S("");
    size_t len = MIN((size_t)st.st_size, max);
    char *text = arena_alloc(a, len + 1);
    ssize_t n = pread(fd, text, len, st.st_size - (off_t)len);
    *ret_cut = (size_t)st.st_size > len;
    str tail = str_n(text, n > 0 ? (size_t)n : 0);
    while (tail.len && *ret_cut && ((unsigned char)tail.p[0] & 0xc0) == 0x80) /* it begins within a character */
        tail = str_from(tail, 1);
    return str_is_utf8(tail) ? tail : S("");
}

/* Lines of a log in its stored form, without times and stream names. */
static str plain_log(struct arena *a, str log)
{
    struct strbuf b = strbuf_on(a);
    str line;
    while (log.len) {
        str_cut(&log, '\n', &line);
        for (int i = 0; i < 3; i++) {
            str word;
            str_cut(&line, ' ', &word);
        }
        strbuf_add_str(&b, line);
        strbuf_add_char(&b, '\n');
    }
    return strbuf_str(&b);
}

/* "" when it wrote none. */
static str termination_message(struct op *o)
{
    bool is_cut;
    const struct json *spec = pod_container_spec(&o->pod_tree, o->container->name);
    const char *own = arena_fmt(&o->arena, "%s/containers/" STR_FMT "/%u/termination-log", o->node.pod_dir, STR_ARG(o->container->name), o->attempt).p;
    const char *log = arena_fmt(&o->arena, "%s/" STR_FMT "/%u.log", o->node.log_dir, STR_ARG(o->container->name), o->attempt).p;
    str message = read_tail(&o->arena, own, TERMINATION_BYTES, &is_cut), first;
    bool fallback = str_is(json_get_str(spec, S("terminationMessagePolicy")), "FallbackToLogsOnError");
    if (message.len || !fallback || o->result < 0 || o->status.exit_code == 0)
        return message;
    str lines = read_tail(&o->arena, log, LOG_FALLBACK_BYTES, &is_cut);
    if (is_cut) /* the first one is not whole */
        str_cut(&lines, '\n', &first);
    return plain_log(&o->arena, lines);
}

static bool still_runs(const struct op *o)
{
    return o->result == 0 && (o->status.life == CONTAINER_RUNNING || o->status.life == CONTAINER_CREATED);
}

void agent_op_run_status(struct op *o)
{
    o->result = o->runtime->ops->container_status(o->runtime, o->runtime_id, &o->arena, &o->status, &o->err);
    if (!still_runs(o))
        o->termination_message = termination_message(o);
}

void agent_op_end_status(struct op *o)
{
    struct agent_container *c = o->container;
    if (still_runs(o) || !str_eq(c->runtime_id, o->runtime_id))
        return;
    if (o->result < 0 || o->status.life == CONTAINER_UNKNOWN) {
        nsec_t now = clock_wall(o->agent->clock);
        o->status = (struct container_status){.exit_code = 137, .reason = S("ContainerStatusUnknown"), .message = S("The container could not be located when it ended"),
                                              .started_at = c->seen.started_at, .finished_at = now};
    }
    free(c->remove_id);
    c->remove_id = str_dup(o->runtime_id);
    agent_container_exited(c, &o->status, o->termination_message);
}

void agent_op_status(struct agent_container *c)
{
    struct op *o = agent_op_new(c->pod, c, OP_STATUS);
    o->runtime_id = arena_str(&o->arena, c->runtime_id);
    o->attempt = c->seen.starts ? c->seen.starts - 1 : 0;
    c->op = o;
    agent_op_submit(o);
}

/* --- removal ------------------------------------------------------------------------------------------------------------------------------------ */
void agent_op_run_remove(struct op *o)
{
    o->result = o->runtime->ops->container_remove(o->runtime, o->runtime_id, &o->err);
}

void agent_op_end_remove(struct op *o)
{
    if (o->result < 0) /* tried again when the pod goes */
        log_warn("cannot remove a container", KV("container", STR_FMT, STR_ARG(o->runtime_id)), KV("why", "%s", o->err.msg));
    free(TAKE(o->container->remove_id));
}

void agent_op_remove(struct agent_container *c)
{
    struct op *o = agent_op_new(c->pod, c, OP_REMOVE);
    o->runtime_id = arena_str(&o->arena, str_of(c->remove_id));
    c->op = o;
    agent_op_submit(o);
}

/* --- exec of probes and hooks -------------------------------------------------------------------------------------------------------------------- */
struct probe_op {
    struct work_item item;
    struct agent *agent;
    struct runtime *runtime;
    struct arena arena;
    str id;
    struct probe_exec *x;
    void (*done)(struct probe_exec *x);
};

static void run_probe(struct work_item *w)
{
    struct probe_op *o = container_of(w, struct probe_op, item);
    struct err err = ERR_NONE;
    int r = runtime_exec_until(o->runtime, o->id, o->x->argv, o->x->timeout_ns, &o->agent->exec_stop, &o->arena, &o->x->output, &o->x->exit_code, &err);
    o->x->worked = r == 0;
    if (r < 0)
        o->x->output = arena_str(&o->arena, str_of(err.msg));
}

static void end_probe(struct work_item *w)
{
    struct probe_op *o = container_of(w, struct probe_op, item);
    struct agent *g = o->agent;
    g->ops--;
    o->done(o->x);
    arena_fini(&o->arena);
    free(o);
    agent_waits_end(g);
}

void agent_probe_exec(void *arg, str container_id, struct probe_exec *x, void (*done)(struct probe_exec *x))
{
    struct agent *g = arg;
    struct probe_op *o = xcalloc(1, sizeof *o);
    *o = (struct probe_op){.item = {.loop = g->loop, .run = run_probe, .done = end_probe}, .agent = g, .arena = ARENA_INIT, .x = x, .done = done};
    o->id = arena_str(&o->arena, container_id);
    const struct agent_container *c = map_get(&g->by_container, container_id);
    o->runtime = c ? c->pod->runtime : g->runtime;
    g->ops++;
    work_submit(g->exec_pool, &o->item);
}
