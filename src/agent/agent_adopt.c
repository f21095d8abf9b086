/* agent_adopt.c - what an agent leaves in files about its pods, and how the next one finds them.
 *
 *   pods/UID/pod.json      the pod as it was known when it was set up or changed last
 *   pods/UID/setup.json    {"ip":...,"bootID":...,"runtime":...}: set up whole; of another boot it means nothing
 *   pods/UID/status.json   the newest status, reported or not: how containers ended
 *   pods/UID/containers/NAME/ATTEMPT/node.json  {"gpus":"UUID,...","shared":false,"stopSignal":N}: what the node added to a run, if anything
 * A pod that ended leaves pod.json and status.json until it is deleted: a server that was away has not heard of its end.
 * The runtime says which containers there are.  Nothing is restarted: what runs is taken over as it is. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "agent/agent_internal.h"
#include "base/civil.h"
#include "base/log.h"
#include "rt/file.h"

#define FILE_BYTES (4u << 20)

/* Not synced to the disk: after a crash of the machine nothing runs, and the API knows the pods. */
static int write_quick(const char *dir, const char *name, str text, struct err *err)
{
    ARENA_AUTO a = ARENA_INIT;
    const char *path = arena_fmt(&a, "%s/%s", dir, name).p, *fresh = arena_fmt(&a, "%s.new", path).p;
    FD_AUTO fd = open(fresh, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0 || write(fd, text.p, text.len) != (ssize_t)text.len || rename(fresh, path) < 0)
        return err_sys(err, errno, "cannot write %s", path);
    return 0;
}

static int write_json(const char *dir, const char *name, const struct json *v, struct err *err)
{
    ARENA_AUTO a = ARENA_INIT;
    return write_quick(dir, name, json_text(&a, v), err);
}

int agent_checkpoint_pod(const char *pod_dir, const struct json *pod, struct err *err)
{
    return write_json(pod_dir, "pod.json", pod, err);
}

int agent_checkpoint_sandbox(const char *pod_dir, str ip, str boot_id, const char *runtime, struct err *err)
{
    ARENA_AUTO a = ARENA_INIT;
    struct json o = json_object();
    json_set(&a, &o, S("ip"), json_string(ip));
    json_set(&a, &o, S("bootID"), json_string(boot_id));
    json_set(&a, &o, S("runtime"), json_string(str_of(runtime)));
    return write_json(pod_dir, "setup.json", &o, err);
}

int agent_checkpoint_run(const char *container_dir, str gpus, bool shared, int stop_signal, struct err *err)
{
    ARENA_AUTO a = ARENA_INIT;
    struct json o = json_object();
    json_set(&a, &o, S("gpus"), json_string(gpus));
    json_set(&a, &o, S("shared"), json_bool(shared));
    json_set(&a, &o, S("stopSignal"), json_int(&a, stop_signal));
    return write_json(container_dir, "node.json", &o, err);
}

static bool read_json(struct arena *a, const char *dir, const char *name, struct json *ret)
{
    char *text;
    size_t len;
    if (file_read(arena_fmt(a, "%s/%s", dir, name).p, FILE_BYTES, &text, &len, NULL) < 0)
        return false;
    str copy = arena_str(a, str_n(text, len));
    free(text);
    return json_parse(a, copy, NULL, ret, NULL) == 0;
}

/* On the loop: a small file without a sync is a matter of microseconds, and the runtime may only forget a run when its end is here. */
void agent_checkpoint_status(struct agent_pod *p, str status)
{
    ARENA_AUTO a = ARENA_INIT;
    struct err err = ERR_NONE;
    if (write_quick(agent_pod_dir(p->agent, &a, p->uid), "status.json", status, &err) < 0)
        log_debug("no status file", KV("why", "%s", err.msg)); /* the pod is not set up yet, or is being removed */
}

void agent_checkpoint_changed(struct agent_pod *p)
{
    ARENA_AUTO a = ARENA_INIT;
    struct err err = ERR_NONE;
    if (agent_checkpoint_pod(agent_pod_dir(p->agent, &a, p->uid), &p->tree, &err) < 0)
        log_warn("a changed pod is not written down", KV("pod", STR_FMT "/" STR_FMT, STR_ARG(p->ns), STR_ARG(p->name)), KV("why", "%s", err.msg));
}

/* --- from a status back to what was seen ----------------------------------------------------------------------------------- */
static nsec_t time_of(const struct json *v, const char *key)
{
    nsec_t t;
    return civil_parse(json_get_str(v, str_of(key)), &t) ? t : 0;
}

static struct container_end read_end(struct arena *a, const struct json *t)
{
    return (struct container_end){.exit_code = (int)json_get_int(t, S("exitCode"), 0), .signal = (int)json_get_int(t, S("signal"), 0), .reason = arena_str(a, json_get_str(t, S("reason"))),
                                  .message = arena_str(a, json_get_str(t, S("message"))), .id = arena_str(a, json_get_str(t, S("containerID"))), .started_at = time_of(t, "startedAt"),
                                  .finished_at = time_of(t, "finishedAt")};
}

static void recall_container(struct agent_container *c, const struct json *s, bool stale)
{
    const struct json *state = json_get(s, S("state")), *running = json_get(state, S("running")), *ended = json_get(state, S("terminated"));
    const struct json *before = json_path(s, "lastState", "terminated", NULL);
    int64_t restarts = json_get_int(s, S("restartCount"), 0);
    if (!running && !ended && !before)
        return;
    c->seen.starts = (uint32_t)MIN(MAX(restarts, (int64_t)0), (int64_t)INT32_MAX) + 1;
    c->seen.phase = CONTAINER_PHASE_EXITED;
    c->seen.is_stale = stale;
    c->seen.id = arena_str(&c->texts, json_get_str(s, S("containerID")));
    c->seen.image = arena_str(&c->texts, json_get_str(s, S("image")));
    c->seen.image_id = arena_str(&c->texts, json_get_str(s, S("imageID")));
    if (before && (running || ended)) {
        c->seen.last = read_end(&c->texts, before);
        c->seen.has_last = true;
    }
    if (ended || before) /* waiting to be started again: the run before is the one that ended */
        c->seen.end = read_end(&c->texts, ended ? ended : before);
    if (running) /* it ended in a way that nobody saw */
        c->seen.end = (struct container_end){.exit_code = 137, .reason = S("ContainerStatusUnknown"), .message = S("The container could not be located when the pod was found again"),
                                             .id = c->seen.id, .started_at = time_of(running, "startedAt"), .finished_at = clock_wall(c->pod->agent->clock)};
}

void agent_recall(struct agent_pod *p, const struct json *status, bool stale)
{
    static const char *const lists[] = {"containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses"};
    for (size_t l = 0; l < ARRAY_LEN(lists); l++) {
        const struct json *list = json_get(status, str_of(lists[l]));
        for (uint32_t i = 0; json_is(list, JSON_ARRAY) && i < list->len; i++) {
            struct agent_container *c = agent_pod_container(p, json_get_str(&list->items[i], S("name")));
            if (c)
                recall_container(c, &list->items[i], stale);
        }
    }
}

/* False: it was not set up whole in this boot. */
static bool adopt_sandbox(struct agent_pod *p, const char *dir)
{
    ARENA_AUTO a = ARENA_INIT;
    struct json sandbox;
    if (!read_json(&a, dir, "setup.json", &sandbox) || !str_eq(json_get_str(&sandbox, S("bootID")), p->agent->info.boot_id))
        return false;
    struct err err = ERR_NONE;
    if (agent_runtime(p->agent, json_get_str(&sandbox, S("runtime")), &p->runtime, &err) < 0) {
        log_warn("a pod's runtime does not work any more", KV("pod", STR_FMT "/" STR_FMT, STR_ARG(p->ns), STR_ARG(p->name)), KV("why", "%s", err.msg));
        return false;
    }
    p->seen.has_sandbox = true;
    p->pod_ip_text = arena_str(&p->names, json_get_str(&sandbox, S("ip")));
    p->seen.pod_ip = p->pod_ip_text;
    agent_refresh_soon(p); /* its tokens grow old */
    return true;
}

/* The status that was written last stands for what the API has until it is asked: times of conditions and verdicts of probes go on from there. */
static void adopt_status(struct agent_pod *p, const struct json *status, bool was_set_up, bool is_there)
{
    agent_recall(p, status, !is_there);
    str phase = json_get_str(status, S("phase")), reason = json_get_str(status, S("reason"));
    bool is_over = str_is(phase, "Failed") || str_is(phase, "Succeeded");
    p->has_ended = is_over;
    p->seen.torn_down = is_over && !was_set_up;
    if (str_is(phase, "Failed") && reason.len) {
        p->seen.fail_reason = arena_str(&p->names, reason);
        p->seen.fail_message = arena_str(&p->names, json_get_str(status, S("message")));
    }
}

/* A static pod's uid is the hash that its annotation shows; an annotation alone can be anybody's. */
static bool is_static_pod(const struct json *pod, const char *uid)
{
    return str_is(json_str(json_path(pod, "metadata", "annotations", "kubernetes.io/config.hash", NULL)), uid);
}

static void adopt_pod(struct agent *g, const char *uid)
{
    ARENA_AUTO a = ARENA_INIT;
    struct json pod, status;
    const char *dir = agent_pod_dir(g, &a, str_of(uid));
    if (!read_json(&a, dir, "pod.json", &pod) || !str_is(json_get_str(json_get(&pod, S("metadata")), S("uid")), uid))
        return; /* collected with the others that nobody knows */
    bool has_status = read_json(&a, dir, "status.json", &status);
    if (has_status)
        json_set(&a, &pod, S("status"), status);
    struct agent_pod *p = agent_put(g, json_text(&a, &pod), is_static_pod(&pod, uid));
    if (!p)
        return;
    p->is_adopted = true;
    p->checked = true;
    p->seen.torn_down = false;
    bool is_there = adopt_sandbox(p, dir);
    if (has_status)
        adopt_status(p, &status, file_exists(arena_fmt(&a, "%s/setup.json", dir).p), is_there);
}

/* What the node added to the run. */
static void adopt_run(struct agent *g, struct agent_container *c)
{
    ARENA_AUTO a = ARENA_INIT;
    struct json o;
    if (!read_json(&a, arena_fmt(&a, "%s/containers/" STR_FMT "/%u", agent_pod_dir(g, &a, c->pod->uid), STR_ARG(c->name), c->seen.starts - 1).p, "node.json", &o))
        return;
    c->stop_signal = (int)json_get_int(&o, S("stopSignal"), 0);
    agent_gpus_adopt(c, json_get_str(&o, S("gpus")), json_get_bool(&o, S("shared"), false));
}

static void adopt_container(struct agent *g, struct runtime *rt, const struct container_status *s)
{
    struct agent_pod *p = agent_find(g, s->pod_uid);
    struct agent_container *c = p ? agent_pod_container(p, s->name) : NULL;
    struct err err = ERR_NONE;
    if (c && str_eq(c->runtime_id, s->id)) /* two runtimes know the same shims */
        return;
    if (c && p->runtime != rt && p->seen.has_sandbox)
        rt = p->runtime;
    bool counts = c && p->seen.has_sandbox && c->runtime_id.len == 0 && s->attempt + 1 >= c->seen.starts;
    if (!counts) { /* nobody's, or a run before the one that counts */
        if (rt->ops->container_remove(rt, s->id, &err) < 0)
            log_warn("cannot remove a container of nobody", KV("container", STR_FMT, STR_ARG(s->id)), KV("why", "%s", err.msg));
        return;
    }
    agent_container_running(c, s, true);
    adopt_run(g, c);
    if (s->life == CONTAINER_RUNNING)
        p->ran_on = true;
    else
        agent_op_status(c);
}

static int by_attempt(const void *a, const void *b)
{
    const struct container_status *x = a, *y = b;
    return x->attempt < y->attempt ? 1 : x->attempt > y->attempt ? -1 : 0;
}

/* Images of pods that are still here stay. */
static void keep_images(struct agent *g)
{
    ARENA_AUTO a = ARENA_INIT;
    size_t n = 0, max = 0;
    list_foreach(p, &g->pods, struct agent_pod, link)
        max += p->containers.len;
    str *holders = arena_array(&a, max + 1, str);
    list_foreach(p, &g->pods, struct agent_pod, link) {
        for (size_t i = 0; i < p->containers.len && !p->seen.torn_down; i++)
            holders[n++] = arena_fmt(&a, STR_FMT "/" STR_FMT, STR_ARG(p->uid), STR_ARG(p->containers.p[i]->name));
    }
    images_keep_holders(g->images, holders, n);
}

static int adopt_containers(struct agent *g, struct runtime *rt, struct err *err)
{
    ARENA_AUTO a = ARENA_INIT;
    struct container_status *all;
    size_t n;
    int r = rt->ops->list(rt, &a, &all, &n, err);
    if (r < 0)
        return r;
    if (n)
        qsort(all, n, sizeof *all, by_attempt); /* newest first */
    for (size_t i = 0; i < n; i++)
        adopt_container(g, rt, &all[i]);
    return 0;
}

static int clean_pod(const char *dir, const char *uid, struct runtime *rt, const struct agent_network *network, struct err *err);

/* Folders of pods that cannot be read, or whose removal was cut off. */
static void clean_orphans(struct agent *g, DIR *d)
{
    rewinddir(d);
    for (struct dirent *e; (e = readdir(d));) {
        struct err err = ERR_NONE;
        if (e->d_name[0] == '.' || agent_find(g, str_of(e->d_name)))
            continue;
        log_info("a pod's folder that belongs to nobody is removed", KV("uid", "%s", e->d_name));
        if (clean_pod(g->opts.dir, e->d_name, g->runtime, g->opts.network, &err) < 0)
            log_warn("it cannot be removed", KV("why", "%s", err.msg));
    }
}

int agent_adopt(struct agent *g, struct err *err)
{
    ARENA_AUTO a = ARENA_INIT;
    const char *path = arena_fmt(&a, "%s/pods", g->opts.dir).p;
    int r = file_mkdir_all(path, 0700, err);
    if (r < 0)
        return r;
    DIR *d = opendir(path);
    if (!d)
        return err_sys(err, errno, "cannot read %s", path);
    for (struct dirent *e; (e = readdir(d));) {
        if (e->d_name[0] != '.')
            adopt_pod(g, e->d_name);
    }
    r = adopt_containers(g, g->runtime, err);
    for (size_t i = 0; r == 0 && g->others[i]; i++)
        r = adopt_containers(g, g->others[i], err);
    if (r == 0)
        clean_orphans(g, d);
    closedir(d);
    if (r < 0)
        return r;
    keep_images(g);
    if (g->by_uid.len)
        log_info("adopted", KV("pods", "%zu", g->by_uid.len), KV("containers", "%zu", g->by_container.len));
    return 0;
}

/* --- logs of pods that nobody knows ------------------------------------------------------------------------------------------ */
struct log_sweep {
    struct work_item item;
    struct agent *agent;
    struct arena arena;
    VEC(const char *) names; /* NS_NAME_UID */
};

static void end_sweep(struct work_item *w)
{
    struct log_sweep *s = container_of(w, struct log_sweep, item);
    struct agent *g = s->agent;
    g->ops--;
    arena_fini(&s->arena);
    vec_fini(&s->names);
    free(s);
    agent_waits_end(g);
}

static void run_remove_logs(struct work_item *w)
{
    struct log_sweep *s = container_of(w, struct log_sweep, item);
    for (size_t i = 0; i < s->names.len; i++)
        err_ignore(file_remove_all(arena_fmt(&s->arena, "%s/logs/%s", s->agent->opts.dir, s->names.p[i]).p, NULL), "the next agent tries again");
}

static void run_list_logs(struct work_item *w)
{
    struct log_sweep *s = container_of(w, struct log_sweep, item);
    DIR *d = opendir(arena_fmt(&s->arena, "%s/logs", s->agent->opts.dir).p);
    for (struct dirent *e; d && (e = readdir(d));) {
        if (e->d_name[0] != '.' && str_rfind_char(str_of(e->d_name), '_') > 0)
            vec_push(&s->names, arena_cstr(&s->arena, str_of(e->d_name)));
    }
    if (d)
        closedir(d);
}

/* Listed first, compared then: a folder that a new pod makes meanwhile is not among them. */
static void on_logs_listed(struct work_item *w)
{
    struct log_sweep *s = container_of(w, struct log_sweep, item);
    struct agent *g = s->agent;
    size_t n = 0;
    for (size_t i = 0; i < s->names.len; i++) {
        str name = str_of(s->names.p[i]);
        if (!agent_find(g, str_from(name, (size_t)str_rfind_char(name, '_') + 1)))
            s->names.p[n++] = s->names.p[i];
    }
    s->names.len = n;
    if (!n || g->stopping) {
        end_sweep(w);
        return;
    }
    s->item.run = run_remove_logs;
    s->item.done = end_sweep;
    work_submit(g->pool, &s->item);
}

void agent_collect_logs(struct agent *g)
{
    struct log_sweep *s = xcalloc(1, sizeof *s);
    s->agent = g;
    s->item = (struct work_item){.loop = g->loop, .run = run_list_logs, .done = on_logs_listed};
    g->ops++;
    work_submit(g->pool, &s->item);
}

/* --- cleaning up ------------------------------------------------------------------------------------------------------------- */
static int clean_pod(const char *dir, const char *uid, struct runtime *rt, const struct agent_network *network, struct err *err)
{
    ARENA_AUTO a = ARENA_INIT;
    const char *pod_dir = arena_fmt(&a, "%s/pods/%s", dir, uid).p, *netns = arena_fmt(&a, "%s/netns", pod_dir).p;
    int r = rt->ops->sandbox_remove(rt, str_of(uid), err);
    if (r == 0 && network)
        r = network->detach(network->arg, str_of(uid), netns, err);
    if (r == 0)
        r = volumes_remove(pod_dir, err);
    return r < 0 ? r : file_remove_all(pod_dir, err);
}

static size_t count_running(struct runtime *rt)
{
    ARENA_AUTO a = ARENA_INIT;
    struct container_status *all;
    size_t n, running = 0;
    if (rt->ops->list(rt, &a, &all, &n, NULL) < 0)
        return 0;
    for (size_t i = 0; i < n; i++)
        running += all[i].life == CONTAINER_RUNNING;
    return running;
}

/* Everybody is asked at once, and has the same while. */
static void ask_to_end(struct runtime *rt, const struct container_status *all, size_t n, nsec_t grace_ns)
{
    struct timespec pause = {0, 20 * NSEC_PER_MSEC};
    nsec_t end = clock_mono(&clock_real) + grace_ns;
    for (size_t i = 0; grace_ns && i < n; i++)
        if (all[i].life == CONTAINER_RUNNING)
            err_ignore(rt->ops->container_signal(rt, all[i].id, SIGTERM, NULL), "it may have ended just now, and is killed in the end");
    while (grace_ns && clock_mono(&clock_real) < end && count_running(rt))
        nanosleep(&pause, NULL);
}

int agent_cleanup_pods(const char *dir, struct runtime *rt, const struct agent_network *network, nsec_t grace_ns, struct err *err)
{
    ARENA_AUTO a = ARENA_INIT;
    struct container_status *all;
    size_t n;
    int r = rt->ops->list(rt, &a, &all, &n, err);
    if (r == 0)
        ask_to_end(rt, all, n, grace_ns);
    for (size_t i = 0; r == 0 && i < n; i++)
        r = rt->ops->container_remove(rt, all[i].id, err);
    DIR *d = r == 0 ? opendir(arena_fmt(&a, "%s/pods", dir).p) : NULL;
    for (struct dirent *e; r == 0 && d && (e = readdir(d));) {
        if (e->d_name[0] != '.')
            r = clean_pod(dir, e->d_name, rt, network, err);
    }
    if (d)
        closedir(d);
    return r;
}
