/* container_build.c - a pod's spec and its objects put together for a runtime: the sandbox, a container, its mounts and arguments.
 *
 *   pods/UID/            hosts, resolv.conf, hostname, volumes/NAME, subpaths/CONTAINER/INDEX
 *   pods/UID/containers/NAME/ATTEMPT/termination-log
 *   logs/NS_NAME_UID/NAME/ATTEMPT.log
 */
/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/pod/container_build_internal.h"

#include "agent/pod/pod_plan.h"

const char *container_pull_policy(const struct json *container)
{
    static const char *const policies[] = {"Always", "IfNotPresent", "Never"};
    str policy = json_get_str(container, S("imagePullPolicy")), image = json_get_str(container, S("image"));
    for (size_t i = 0; i < ARRAY_LEN(policies); i++)
        if (str_is(policy, policies[i]))
            return policies[i];
    if (str_find_char(image, '@') >= 0)
        return "IfNotPresent";
    str last = str_from(image, (size_t)(str_rfind_char(image, '/') + 1)), tag = last, name;
    bool has_tag = str_cut(&tag, ':', &name);
    return !has_tag || str_is(tag, "latest") ? "Always" : "IfNotPresent";
}

/* --- the sandbox ---------------------------------------------------------------------------------------- */
static const char *pod_cgroup(struct arena *a, const struct json *pod)
{
    const char *qos = pod_qos(pod);
    str uid = json_get_str(json_get(pod, S("metadata")), S("uid"));
    const char *part = strcmp(qos, "Guaranteed") == 0 ? "" : strcmp(qos, "Burstable") == 0 ? "burstable/" : "besteffort/";
    return arena_fmt(a, "kubepods/%spod" STR_FMT, part, STR_ARG(uid)).p;
}

static bool has_privileged(const struct json *spec)
{
    static const char *const lists[] = {"containers", "initContainers", "ephemeralContainers"};
    for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
        const struct json *list = json_get(spec, str_of(lists[i]));
        for (uint32_t k = 0; json_is(list, JSON_ARRAY) && k < list->len; k++) {
            if (json_get_bool(json_get(&list->items[k], S("securityContext")), S("privileged"), false))
                return true;
        }
    }
    return false;
}

int sandbox_build(struct arena *a, const struct json *pod, const struct build_node *node, struct sandbox_spec *ret, struct err *err)
{
    const struct json *meta = json_get(pod, S("metadata")), *spec = json_get(pod, S("spec"));
    str hostname;
    struct sandbox_spec s = {
        .uid = json_get_str(meta, S("uid")),
        .ns = json_get_str(meta, S("namespace")),
        .name = json_get_str(meta, S("name")),
        .dir = node->pod_dir,
        .host_network = json_get_bool(spec, S("hostNetwork"), false),
        .host_ipc = json_get_bool(spec, S("hostIPC"), false),
        .host_pid = json_get_bool(spec, S("hostPID"), false),
        .share_pid = json_get_bool(spec, S("shareProcessNamespace"), false),
        .has_privileged = has_privileged(spec),
        .cgroup = pod_cgroup(a, pod),
        .labels = json_get(meta, S("labels")),
        .annotations = json_get(meta, S("annotations")),
    };
    int r = pod_hostname(a, pod, node, &hostname, err);
    if (r < 0 || (r = pod_sysctls(a, pod, &s.sysctls, err)) < 0)
        return r;
    s.hostname = arena_cstr(a, hostname);
    s.resolv_conf = arena_cstr(a, pod_resolv_text(a, pod, node));
    pod_limits(pod, node, &s.limits);
    *ret = s;
    return 0;
}

/* --- arguments ------------------------------------------------------------------------------------------- */
struct words {
    struct arena *a;
    const char **p;
    size_t n, cap;
};

static void word_add(struct words *w, const char *s)
{
    if (w->n + 1 >= w->cap) {
        size_t cap = w->cap ? w->cap * 2 : 8;
        const char **more = arena_array(w->a, cap, const char *);
        if (w->n)
            memcpy(more, w->p, w->n * sizeof *more);
        w->p = more;
        w->cap = cap;
    }
    w->p[w->n++] = s;
}

static void add_json_words(struct words *w, const struct json *list, const struct env *env)
{
    for (uint32_t i = 0; json_is(list, JSON_ARRAY) && i < list->len; i++)
        word_add(w, arena_cstr(w->a, env_expand(w->a, env, json_str(&list->items[i]), NULL)));
}

static void add_image_words(struct words *w, const char *const *list)
{
    for (size_t i = 0; list && list[i]; i++)
        word_add(w, list[i]);
}

static const char *const *json_words(struct arena *a, const struct json *list, const struct env *env)
{
    struct words w = {.a = a};
    add_json_words(&w, list, env);
    return w.p;
}

/* A command of the pod replaces the image's entrypoint and command, arguments of the pod the image's command alone. */
static int set_argv(struct arena *a, const struct json *container, const struct image *image, const struct env *env, struct container_spec *ret, struct err *err)
{
    const struct json *command = json_get(container, S("command")), *args = json_get(container, S("args"));
    struct words w = {.a = a};
    ret->command = json_words(a, command, env);
    ret->args = json_words(a, args, env);
    add_image_words(&w, ret->command ? ret->command : image->entrypoint);
    add_image_words(&w, ret->args ? ret->args : ret->command ? NULL : image->command);
    if (!w.n && image_is_known(image))
        return err_set(err, E_INVALID_ARG, "no command specified: neither the container nor its image says what to run");
    ret->argv = w.n ? w.p : arena_array(a, 1, const char *);
    return 0;
}

/* --- mounts --------------------------------------------------------------------------------------------- */
struct building {
    struct arena *a;
    const struct json *pod, *container;
    const struct pod_ref *refs;
    size_t nrefs;
    const struct build_node *node;
    const struct env *env;
    struct container_spec *ret;
    struct mount_spec *mounts;
    size_t nmounts;
};

bool path_leads_out(str path)
{
    str part;
    if (path.len && path.p[0] == '/')
        return true;
    for (bool more = true; more;) {
        more = str_cut(&path, '/', &part);
        if (str_is(part, ".."))
            return true;
    }
    return false;
}

static int find_subpath(const struct building *b, const struct json *mount, str *ret, struct err *err)
{
    str expr = json_get_str(mount, S("subPathExpr")), missing = STR_NONE;
    *ret = json_get_str(mount, S("subPath"));
    if (expr.len)
        *ret = env_expand(b->a, b->env, expr, &missing);
    if (missing.len)
        return err_set(err, E_INVALID_ARG, "failed to prepare subPath for volumeMount \"" STR_FMT "\" of container \"" STR_FMT "\": missing value for \"" STR_FMT "\"",
                       STR_ARG(json_get_str(mount, S("name"))), STR_ARG(b->ret->name), STR_ARG(missing));
    if (path_leads_out(*ret))
        return err_set(err, E_INVALID_ARG, "error SubPath `" STR_FMT "` must not be an absolute path or contain `..`", STR_ARG(*ret));
    return 0;
}

static enum mount_propagation propagation_of(const struct json *mount)
{
    str p = json_get_str(mount, S("mountPropagation"));
    return str_is(p, "HostToContainer") ? MOUNT_FROM_HOST : str_is(p, "Bidirectional") ? MOUNT_BOTH_WAYS : MOUNT_PRIVATE;
}

static int find_place(const struct building *b, const struct json *mount, struct volume_place *ret, struct err *err)
{
    str name = json_get_str(mount, S("name"));
    const struct json *volume = pod_volume(b->pod, name);
    if (!volume)
        return err_set(err, E_NOT_FOUND, "volume \"" STR_FMT "\" of the container \"" STR_FMT "\" is not in the pod", STR_ARG(name), STR_ARG(b->ret->name));
    return volume_find(b->a, b->pod, volume, b->refs, b->nrefs, b->node, ret, err);
}

static int add_mount(struct building *b, const struct json *mount, uint32_t index, struct err *err)
{
    struct volume_place place;
    str target = json_get_str(mount, S("mountPath")), subpath;
    int r = find_place(b, mount, &place, err);
    if (r < 0 || (r = find_subpath(b, mount, &subpath, err)) < 0)
        return r;
    if (subpath.len) {
        const char *at = arena_fmt(b->a, "%s/subpaths/" STR_FMT "/%u", b->node->pod_dir, STR_ARG(b->ret->name), index).p;
        r = volume_bind_subpath(place.path, subpath, at, err);
        if (r < 0)
            return err_wrap(err, "failed to prepare subPath for volumeMount \"" STR_FMT "\" of container \"" STR_FMT "\": ", STR_ARG(json_get_str(mount, S("name"))), STR_ARG(b->ret->name));
        place.path = at;
    }
    b->mounts[b->nmounts++] = (struct mount_spec){
        .kind = MOUNT_BIND,
        .source = place.path,
        .target = target.len && target.p[0] == '/' ? arena_cstr(b->a, target) : arena_fmt(b->a, "/" STR_FMT, STR_ARG(target)).p,
        .read_only = place.read_only || json_get_bool(mount, S("readOnly"), false),
        .propagation = propagation_of(mount),
    };
    return 0;
}

/* hosts, resolv.conf and hostname, unless the pod has mounted something there itself. */
static void add_files(struct building *b, const struct json *mounts)
{
    static const char *const files[] = {"hosts", "resolv.conf", "hostname"};
    for (size_t i = 0; i < ARRAY_LEN(files); i++) {
        const char *target = arena_fmt(b->a, "/etc/%s", files[i]).p;
        bool is_taken = false;
        for (uint32_t k = 0; json_is(mounts, JSON_ARRAY) && k < mounts->len; k++)
            is_taken |= str_is(json_get_str(&mounts->items[k], S("mountPath")), target);
        if (!is_taken)
            b->mounts[b->nmounts++] =
                (struct mount_spec){.kind = MOUNT_BIND, .source = arena_fmt(b->a, "%s/%s", b->node->pod_dir, files[i]).p, .target = target, .read_only = b->ret->read_only_root};
    }
}

static int set_mounts(struct building *b, struct err *err)
{
    const struct json *mounts = json_get(b->container, S("volumeMounts"));
    uint32_t n = json_is(mounts, JSON_ARRAY) ? mounts->len : 0;
    b->mounts = arena_array(b->a, n + 3, struct mount_spec);
    add_files(b, mounts);
    for (uint32_t i = 0; i < n; i++) {
        int r = add_mount(b, &mounts->items[i], i, err);
        if (r < 0)
            return r;
    }
    b->ret->mounts = b->mounts;
    b->ret->nmounts = b->nmounts;
    return 0;
}

static int set_devices(struct building *b, struct err *err)
{
    const struct json *list = json_get(b->container, S("volumeDevices"));
    uint32_t n = json_is(list, JSON_ARRAY) ? list->len : 0;
    struct device_spec *devices = arena_array(b->a, n ? n : 1, struct device_spec);
    for (uint32_t i = 0; i < n; i++) {
        struct volume_place place;
        int r = find_place(b, &list->items[i], &place, err);
        if (r < 0)
            return r;
        if (!place.is_block)
            return err_set(err, E_INVALID_ARG, "volume \"" STR_FMT "\" is used as a device but is not of volumeMode Block", STR_ARG(json_get_str(&list->items[i], S("name"))));
        devices[i] = (struct device_spec){.source = place.path, .target = arena_cstr(b->a, json_get_str(&list->items[i], S("devicePath"))), .access = place.read_only ? "r" : "rw"};
    }
    b->ret->devices = devices;
    b->ret->ndevices = n;
    return 0;
}

/* --- all of it ------------------------------------------------------------------------------------------- */
static void set_basics(struct building *b, const struct image *image, uint32_t attempt, const struct sandbox_spec *sandbox)
{
    struct arena *a = b->a;
    struct container_spec *c = b->ret;
    str cwd = json_get_str(b->container, S("workingDir")), path = json_get_str(b->container, S("terminationMessagePath"));
    c->sandbox = sandbox;
    c->attempt = attempt;
    c->dir = arena_fmt(a, "%s/containers/" STR_FMT "/%u", b->node->pod_dir, STR_ARG(c->name), attempt).p;
    c->log_path = arena_fmt(a, "%s/" STR_FMT "/%u.log", b->node->log_dir, STR_ARG(c->name), attempt).p;
    c->image_ref = json_get_str(b->container, S("image"));
    c->image_id = image->id;
    c->cwd = cwd.len ? arena_cstr(a, cwd) : image->cwd && image->cwd[0] ? image->cwd : NULL;
    c->root = image->root;
    c->layers = image->layers;
    c->cgroup = arena_fmt(a, "%s/" STR_FMT "-%u", sandbox->cgroup, STR_ARG(c->name), attempt).p;
    container_limits(b->container, &c->limits);
    c->oom_score_adj = container_oom_score(b->pod, b->container, b->node);
    c->tty = json_get_bool(b->container, S("tty"), false);
    c->stdin_open = json_get_bool(b->container, S("stdin"), false);
    c->stdin_once = json_get_bool(b->container, S("stdinOnce"), false);
    c->stop_signal = image->stop_signal;
    c->termination_log = arena_fmt(a, "%s/termination-log", c->dir).p;
    c->termination_path = path.len ? arena_cstr(a, path) : "/dev/termination-log";
}

int container_build(struct arena *a, const struct json *pod, const struct json *container, uint32_t attempt, const struct sandbox_spec *sandbox, const struct image *image, const struct pod_ref *refs, size_t nrefs,
                    const struct build_node *node, struct container_spec *ret, struct err *err)
{
    static const struct image none;
    struct container_spec c = {.name = json_get_str(container, S("name"))};
    struct env env;
    struct building b = {.a = a, .pod = pod, .container = container, .refs = refs, .nrefs = nrefs, .node = node, .env = &env, .ret = &c};
    image = image ? image : &none;
    int r = pod_env(a, pod, container, refs, nrefs, node, &env, err);
    if (r < 0 || (r = container_security(a, pod, container, image, node, &c, err)) < 0)
        return r;
    set_basics(&b, image, attempt, sandbox);
    c.env = env_strings(a, image, str_of(sandbox->hostname ? sandbox->hostname : ""), c.tty, &env);
    if ((r = set_argv(a, container, image, &env, &c, err)) < 0 || (r = set_devices(&b, err)) < 0 || (r = set_mounts(&b, err)) < 0)
        return r;
    *ret = c;
    return 0;
}
