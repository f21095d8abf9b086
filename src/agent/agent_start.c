/* agent_start.c - a container begins: its image, what the node adds, the runtime, the postStart hook.
 *
 *   agent_op_start ─► objects, unless they are fresh ─► pool: image on the node? ─┬─ yes ─────────────────────────────► build, start ─► running, postStart
 *                                                                                └─ no ─► pull_pool: pull ─► pool: ┘
 * GPUs are taken on the loop before, and written down beside the container: the next agent must not give them to somebody else. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/agent_internal.h"
#include "rt/file.h"

#define REFS_FRESH_NS (10 * NSEC_PER_SEC)
#define CONFIG_RETRY_NS (2 * NSEC_PER_SEC)

/* --- the image -------------------------------------------------------------------------------------------------------------------- */
/* A registry that cannot be reached is no reason not to run what is here. */
static bool is_out_of_reach(int result)
{
    return result == -E_UNAVAILABLE || result == -E_TIMEOUT || result == -E_IO;
}

/* What is on the node, or the wish to pull: registries are slow, and pulls have threads of their own. */
static int get_image(struct op *o, const struct json *container, struct image *ret)
{
    struct agent *g = o->agent;
    str ref = json_get_str(container, S("image"));
    str holder = arena_fmt(&o->arena, STR_FMT "/" STR_FMT, STR_ARG(o->pod->uid), STR_ARG(o->container->name));
    const char *policy = container_pull_policy(container);
    o->reason = "ErrImagePull";
    if (o->runtime->ops->has_images) {
        ret->id = o->image_id;
        o->wants_pull = !o->was_pulled;
        return 0;
    }
    int have = images_get(g->images, ref, holder, &o->arena, ret, &o->err);
    if (have == -E_INVALID_ARG)
        o->reason = "InvalidImageName";
    bool is_builtin = have == 0 && ret->root == ROOT_HOST;
    if (have == -E_INVALID_ARG || o->was_pulled || (have == 0 && (is_builtin || strcmp(policy, "Always") != 0)))
        return have;
    if (strcmp(policy, "Never") == 0) {
        o->reason = "ErrImageNeverPull";
        return err_set(&o->err, E_NOT_FOUND, "Container image \"" STR_FMT "\" is not present with pull policy of Never", STR_ARG(ref));
    }
    o->is_here = have == 0;
    o->wants_pull = true;
    return 0;
}

static void pull_by_runtime(struct op *o, str ref)
{
    const char *policy = container_pull_policy(pod_container_spec(&o->pod_tree, o->container->name));
    o->result = o->runtime->ops->pull_image(o->runtime, ref, policy, o->auths, o->nauths, &o->arena, &o->image_id, &o->err);
    if (o->result == -E_INVALID_ARG)
        o->reason = "InvalidImageName";
    else if (o->result == -E_NOT_FOUND && strcmp(policy, "Never") == 0)
        o->reason = "ErrImageNeverPull";
}

static void run_pull(struct work_item *w)
{
    struct op *o = container_of(w, struct op, item);
    struct agent *g = o->agent;
    str ref = json_get_str(pod_container_spec(&o->pod_tree, o->container->name), S("image"));
    struct image image = {0};
    nsec_t began = clock_mono(g->clock);
    if (o->runtime->ops->has_images)
        pull_by_runtime(o, ref);
    else
        o->result = images_pull(g->images, ref, o->auths, o->nauths, &o->arena, &image, &o->err);
    o->pull_ns = clock_mono(g->clock) - began;
    o->pulled = o->result == 0;
    if (o->result < 0 && o->is_here && is_out_of_reach(o->result))
        o->result = 0;
}

/* True: the start goes on, by way of the registry. */
bool agent_start_goes_on(struct op *o)
{
    struct agent *g = o->agent;
    if (o->wants_pull) {
        ARENA_AUTO a = ARENA_INIT;
        str ref = json_get_str(pod_container_spec(&o->pod_tree, o->container->name), S("image"));
        agent_event(g, o->pod, o->container, "Normal", "Pulling", arena_fmt(&a, "Pulling image \"" STR_FMT "\"", STR_ARG(ref)));
        o->wants_pull = false;
        o->was_pulled = true;
        o->item.run = run_pull;
        work_submit(g->pull_pool, &o->item);
        return true;
    }
    if (o->item.run != run_pull || o->result < 0)
        return false;
    agent_op_again(o);
    return true;
}

/* --- starting ------------------------------------------------------------------------------------------------------------------------ */
static void add_devices(struct op *o, struct container_spec *spec)
{
    size_t n = spec->ndevices, more = o->gpus.ndevices;
    if (!more)
        return;
    struct device_spec *all = arena_array(&o->arena, n + more, struct device_spec);
    if (n)
        memcpy(all, spec->devices, n * sizeof *all);
    memcpy(all + n, o->gpus.devices, more * sizeof *all);
    spec->devices = all;
    spec->ndevices = n + more;
}

/* An image that is this program itself finds it inside. */
static void add_program(struct op *o, const struct image *image, struct container_spec *spec)
{
    if (!image->program_target)
        return;
    struct mount_spec *all = arena_array(&o->arena, spec->nmounts + 1, struct mount_spec);
    if (spec->nmounts)
        memcpy(all, spec->mounts, spec->nmounts * sizeof *all);
    all[spec->nmounts] = (struct mount_spec){.kind = MOUNT_BIND, .source = o->agent->opts.program, .target = image->program_target, .read_only = true};
    spec->mounts = all;
    spec->nmounts++;
}

/* Whoever the container runs as may write it. */
static int make_termination_log(const char *path, struct err *err)
{
    FD_AUTO fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    return fd < 0 || fchmod(fd, 0666) < 0 ? err_sys(err, errno, "cannot make %s", path) : 0;
}

void agent_op_run_start(struct op *o)
{
    const struct json *container = pod_container_spec(&o->pod_tree, o->container->name);
    struct image image = {0};
    struct sandbox_spec sandbox;
    struct container_spec spec;
    if ((o->result = get_image(o, container, &image)) < 0 || o->wants_pull)
        return;
    o->image_id = image.id;
    o->image_ref = image.ref;
    o->reason = "CreateContainerConfigError";
    if ((o->result = sandbox_build(&o->arena, &o->pod_tree, &o->node, &sandbox, &o->err)) < 0)
        return;
    sandbox.netns = agent_op_uses_own_network(o) ? agent_op_netns(o) : NULL;
    if ((o->result = container_build(&o->arena, &o->pod_tree, container, o->attempt, &sandbox, &image, o->refs, o->nrefs, &o->node, &spec, &o->err)) < 0)
        return;
    spec.pids_of = o->pids_of;
    add_devices(o, &spec);
    agent_gpus_env(&o->gpus, &o->arena, &spec);
    add_program(o, &image, &spec);
    o->reason = "CreateContainerError";
    char *log_dir = file_dirname(spec.log_path);
    o->result = file_mkdir_all(log_dir, 0755, &o->err);
    free(log_dir);
    if (o->result < 0 || (o->result = file_mkdir_all(spec.dir, 0700, &o->err)) < 0)
        return;
    if (spec.termination_log && (o->result = make_termination_log(spec.termination_log, &o->err)) < 0)
        return;
    o->stop_signal = image.stop_signal;
    if ((o->gpus.ids.len || o->stop_signal) && (o->result = agent_checkpoint_run(spec.dir, o->gpus.ids, o->gpus.shared, o->stop_signal, &o->err)) < 0)
        return;
    o->result = o->runtime->ops->container_start(o->runtime, &spec, &o->arena, &o->status, &o->err);
    if (o->result == -E_NOT_FOUND || o->result == -E_INVALID_ARG)
        o->reason = "StartError";
}

/* --- postStart ------------------------------------------------------------------------------------------------------------------------ */
static void hook_done(void *arg, bool worked, str message)
{
    struct agent_container *c = arg;
    c->hook = NULL;
    c->seen.post_start_pending = !worked; /* a container whose hook failed is on its way out: it is never ready */
    if (!worked) {
        agent_event(c->pod->agent, c->pod, c, "Warning", "FailedPostStartHook", message);
        agent_op_kill(c, json_get_int(json_get(&c->pod->tree, S("spec")), S("terminationGracePeriodSeconds"), 30), "FailedPostStartHook", S("container lifecycle hook failed"));
    }
    agent_pod_kick(c->pod);
}

static void run_post_start(struct agent_container *c)
{
    struct agent_pod *p = c->pod;
    const struct json *spec = pod_container_spec(&p->tree, c->name), *handler = json_path(spec, "lifecycle", "postStart", NULL);
    if (!handler)
        return;
    c->seen.post_start_pending = true;
    c->hook = hook_start(p->agent->probes, &p->tree, spec, handler, c->runtime_id, p->seen.pod_ip.len ? p->seen.pod_ip : p->agent->node_ip, 0, hook_done, c);
}

/* --- what came of it ----------------------------------------------------------------------------------------------------------------------- */
/* As a container that ran and ended: its program cannot be started, and trying at once will not help. */
static void start_error(struct agent_container *c, const struct op *o)
{
    nsec_t now = clock_wall(c->pod->agent->clock);
    c->seen.starts = o->attempt + 1;
    agent_container_exited(c, &(struct container_status){.exit_code = 128, .reason = S("StartError"), .started_at = now, .finished_at = now}, str_of(o->err.msg));
    agent_event(c->pod->agent, c->pod, c, "Warning", "Failed", str_of(o->err.msg));
}

static void start_failed(struct agent_container *c, const char *reason, const char *why, str image)
{
    struct agent *g = c->pod->agent;
    ARENA_AUTO a = ARENA_INIT;
    bool is_image = str_find(str_of(reason), S("Image")) >= 0, again = c->start_failures > 0 && c->image_failed, is_pull = strcmp(reason, "ErrImagePull") == 0;
    nsec_t wait = is_image ? pod_backoff_ns(c->start_failures + 1) : CONFIG_RETRY_NS << MIN(c->start_failures, 3u);
    c->start_failures++;
    c->image_failed = is_image;
    agent_event(g, c->pod, c, "Warning", "Failed", is_image ? arena_fmt(&a, "Failed to pull image \"" STR_FMT "\": %s", STR_ARG(image), why) : str_of(why));
    if (is_image)
        agent_event(g, c->pod, c, "Warning", "Failed", arena_fmt(&a, "Error: %s", reason));
    if (is_pull && again) {
        agent_event(g, c->pod, c, "Normal", "BackOff", arena_fmt(&a, "Back-off pulling image \"" STR_FMT "\"", STR_ARG(image)));
        agent_event(g, c->pod, c, "Warning", "Failed", S("Error: ImagePullBackOff"));
    }
    c->seen.phase = CONTAINER_PHASE_FAILED;
    c->seen.waiting_reason = is_pull && again ? S("ImagePullBackOff") : str_of(reason);
    c->seen.waiting_message = is_pull && again ? arena_fmt(&a, "Back-off pulling image \"" STR_FMT "\": %s", STR_ARG(image), why) : str_of(why);
    c->seen.retry_at = loop_now(g->loop) + wait;
    c->tried = image;
    c->pod->refs_at = 0;
    agent_container_keep_texts(c);
}

static void tell_image(struct agent_container *c, const struct op *o, str image)
{
    ARENA_AUTO a = ARENA_INIT;
    str text = o->pulled ? arena_fmt(&a, "Successfully pulled image \"" STR_FMT "\" in %lldms", STR_ARG(image), (long long)(o->pull_ns / NSEC_PER_MSEC))
                         : arena_fmt(&a, "Container image \"" STR_FMT "\" already present on machine", STR_ARG(image));
    agent_event(c->pod->agent, c->pod, c, "Normal", "Pulled", text);
    agent_event(c->pod->agent, c->pod, c, "Normal", "Created", arena_fmt(&a, "Created container: " STR_FMT, STR_ARG(c->name)));
}

void agent_op_end_start(struct op *o)
{
    struct agent_container *c = o->container;
    /* of the copy: the spec may name another by now, and then the container is replaced */
    str image = json_get_str(pod_container_spec(&o->pod_tree, c->name), S("image"));
    if (o->result < 0) {
        agent_gpus_release(c);
        if (strcmp(o->reason, "StartError") == 0)
            start_error(c, o);
        else
            start_failed(c, o->reason, o->err.msg, image);
        return;
    }
    c->seen.image = image;
    c->seen.image_id = o->image_id;
    c->stop_signal = o->stop_signal;
    tell_image(c, o, image);
    agent_container_running(c, &o->status, false);
    if (o->status.life == CONTAINER_EXITED) /* so quick that its end is here already */
        c->exit_wanted = true;
    else
        run_post_start(c);
}

/* --- what it needs ---------------------------------------------------------------------------------------------------------------------- */
/* Secrets of imagePullSecrets that came with the pod's objects. */
static void collect_auths(struct op *o, str ref)
{
    const struct json *list = json_path(&o->pod_tree, "spec", "imagePullSecrets", NULL);
    for (uint32_t i = 0; json_is(list, JSON_ARRAY) && i < list->len; i++) {
        const struct pod_ref *secret = pod_ref_find(o->refs, o->nrefs, REF_SECRET, json_get_str(&list->items[i], S("name")));
        if (!secret || !secret->object)
            continue;
        str config;
        struct image_auth *more;
        size_t n;
        if (!pod_secret_value(&o->arena, secret->object, S(".dockerconfigjson"), &config) && !pod_secret_value(&o->arena, secret->object, S(".dockercfg"), &config))
            continue;
        if (image_auth_from_config(&o->arena, config, ref, &more, &n, NULL) < 0 || n == 0)
            continue;
        struct image_auth *all = arena_array(&o->arena, o->nauths + n, struct image_auth);
        if (o->nauths)
            memcpy(all, o->auths, o->nauths * sizeof *all);
        memcpy(all + o->nauths, more, n * sizeof *all);
        o->auths = all;
        o->nauths += n;
    }
}

/* The container that an ephemeral one was put beside; false: it does not run. */
static bool find_target(struct agent_container *c, struct op *o)
{
    str target = json_get_str(pod_container_spec(&c->pod->tree, c->name), S("targetContainerName"));
    if (!target.len)
        return true;
    const struct agent_container *other = agent_pod_container(c->pod, target);
    if (!other || other->seen.phase != CONTAINER_PHASE_RUNNING || !other->runtime_id.len)
        return false;
    o->pids_of = arena_str(&o->arena, other->runtime_id);
    return true;
}

static void start_impossible(struct agent_container *c, struct op *o, const char *reason, const char *why, str image)
{
    agent_gpus_release(c);
    start_failed(c, reason, why, image);
    agent_op_drop(o);
    agent_pod_kick(c->pod);
}

/* The server did not answer, and nothing is known of the pod's objects since the agent started: later.  What was read before is good enough to start it again. */
static bool must_wait_for_refs(const struct agent_pod *p, int result)
{
    return result < 0 && !p->refs && !p->is_adopted;
}

static void start_with_refs(struct agent_pod *p, int result, const struct err *err, void *arg)
{
    struct agent_container *c = arg;
    agent_op_drop(TAKE(c->op));
    str image = json_get_str(pod_container_spec(&p->tree, c->name), S("image"));
    if (p->seen.deleting_since || p->gone || p->seen.fail_reason.len) {
        c->seen.phase = c->seen.starts ? CONTAINER_PHASE_EXITED : CONTAINER_PHASE_NONE;
        agent_pod_kick(p);
        return;
    }
    if (must_wait_for_refs(p, result)) {
        start_failed(c, "CreateContainerConfigError", err->msg, image);
        agent_pod_kick(p);
        return;
    }
    struct op *o = agent_op_new(p, c, OP_START);
    o->attempt = c->seen.starts;
    collect_auths(o, image);
    if (agent_gpus_take(c, &o->arena, &o->gpus, &o->err) < 0) {
        start_impossible(c, o, "CreateContainerError", o->err.msg, image);
        return;
    }
    if (!find_target(c, o)) {
        start_impossible(c, o, "CreateContainerConfigError", "the target container does not run", image);
        return;
    }
    c->op = o;
    agent_op_submit(o);
}

void agent_op_start(struct agent_container *c)
{
    struct agent_pod *p = c->pod;
    if (c->op || c->remove_id) /* the run before is still being removed: its end is followed by another plan */
        return;
    if (c->seen.phase == CONTAINER_PHASE_EXITED) {
        c->seen.last = c->seen.end;
        c->seen.has_last = true;
    }
    c->seen.phase = CONTAINER_PHASE_STARTING;
    c->seen.waiting_reason = c->seen.starts || c->seen.kind == KIND_MAIN ? S("ContainerCreating") : S("PodInitializing");
    c->seen.waiting_message = S("");
    c->seen.is_replaced = c->seen.is_stale = false;
    c->op = agent_op_placeholder(p, c, OP_START);
    bool fresh = p->refs_at && loop_now(p->agent->loop) - p->refs_at < REFS_FRESH_NS;
    if (fresh)
        start_with_refs(p, 0, NULL, c);
    else
        agent_refs_fetch(p, start_with_refs, c);
}
