/* runtime_cri.c - containers of a CRI runtime (containerd) over its socket.
 *
 * It keeps images and makes the pods' network itself; what is here are the calls.  Objects are found by labels, so an agent that comes back, or comes twice, finds its own and nobody else's. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <signal.h>
#include <unistd.h>

#include "agent/runtime/cri_config.h"
#include "agent/runtime/cri_runtime.h"
#include "agent/images/images.h"
#include "agent/images/images_ref.h"
#include "wire/json.h"
#include "wire/protobuf.h"

#define DEFAULT_SOCKET "/run/containerd/containerd.sock"
#define OPEN_NS (5 * NSEC_PER_SEC)
#define PULL_NS (3600 * NSEC_PER_SEC)
#define SIGNAL_NS (2 * NSEC_PER_SEC)
#define STOP_S 86400 /* nobody but we kills it: the agent counts the grace period itself */
#define CGROUP_NS (10 * NSEC_PER_SEC)
#define SANDBOX_READY 0

static struct cri *cri_of(struct runtime *r)
{
    return container_of(r, struct cri, base);
}

int cri_do(const struct cri *r, const char *method, str request, nsec_t timeout_ns, struct arena *a, str *ret, struct err *err)
{
    return cri_call(&(struct cri_call){r->socket, method, request, timeout_ns, -1}, a, ret, err);
}

/* A call whose request is one id and whose answer says nothing. */
static int do_with_id(const struct cri *r, const char *method, str id, struct err *err)
{
    ARENA_AUTO a = ARENA_INIT;
    struct strbuf b = strbuf_on(&a);
    str answer;
    protobuf_add_str(&b, 1, id);
    return cri_do(r, method, strbuf_str(&b), CRI_CALL_NS, &a, &answer, err);
}

/* A filter as field 1: label selectors stand in `field` of it. */
static void add_filter(const struct cri *r, struct strbuf *b, uint32_t field, str uid)
{
    size_t mark = protobuf_open(b, 1);
    cri_add_entry(b, field, S(CRI_LABEL_AGENT), str_of(r->agent));
    if (uid.len)
        cri_add_entry(b, field, S(CRI_LABEL_POD), uid);
    protobuf_close(b, mark);
}

/* --- open and close --------------------------------------------------------------------------------------------- */

static void cri_close(struct runtime *base)
{
    struct cri *r = cri_of(base);
    cri_watch_stop(r);
    pthread_mutex_destroy(&r->mutex);
    free(r->socket);
    free(r->cgroup_root);
    free(r);
}

static int cri_open(const struct runtime_opts *o, struct runtime **ret, struct err *err)
{
    extern const struct runtime_ops runtime_cri;
    ARENA_AUTO a = ARENA_INIT;
    str answer;
    struct cri *r = xnew(struct cri);
    *r = (struct cri){.base.ops = &runtime_cri, .o = *o, .stop_fd = -1, .news.fd = -1};
    r->socket = xstrdup(o->config && o->config[0] ? o->config : DEFAULT_SOCKET);
    r->cgroup_root = xstrdup(o->cgroup_root);
    snprintf(r->agent, sizeof r->agent, "%016llx", (unsigned long long)str_hash(str_of(o->dir)));
    pthread_mutex_init(&r->mutex, NULL);
    cgroups_open(&r->cgroups, r->cgroup_root);
    int code = cri_do(r, "RuntimeService/Version", S(""), OPEN_NS, &a, &answer, err);
    if (code == 0) {
        str name = cri_bytes(answer, 2), version = cri_bytes(answer, 3);
        snprintf(r->version, sizeof r->version, STR_FMT " " STR_FMT, STR_ARG(str_sub(name, 0, 50)), STR_ARG(str_sub(version, 0, 50)));
        code = cri_watch_start(r, err);
    }
    if (code < 0) {
        cri_close(&r->base);
        return code == -E_UNAVAILABLE ? code : err_set(err, E_UNAVAILABLE, "the container runtime does not work: %s", err ? err->msg : "");
    }
    *ret = &r->base;
    return 0;
}

static const char *cri_version(struct runtime *r)
{
    return cri_of(r)->version;
}

/* --- sandboxes ----------------------------------------------------------------------------------------------------- */

/* Calls each(item of the list) for the pod's sandboxes, old ones too. */
static int each_sandbox(const struct cri *r, str uid, int (*each)(const struct cri *r, str item, void *arg, struct err *err), void *arg, struct err *err)
{
    ARENA_AUTO a = ARENA_INIT;
    struct strbuf b = strbuf_on(&a);
    str answer;
    add_filter(r, &b, 3, uid);
    int code = cri_do(r, "RuntimeService/ListPodSandbox", strbuf_str(&b), CRI_CALL_NS, &a, &answer, err);
    if (code < 0)
        return code;
    struct protobuf_reader m = protobuf_reader(answer);
    while (code == 0 && protobuf_next(&m)) {
        if (m.number == 1 && m.type == PROTOBUF_BYTES)
            code = each(r, m.bytes, arg, err);
    }
    return code;
}

struct found {
    struct arena *a;
    str ready;
    uint32_t count;
};

static int note_sandbox(const struct cri *r UNUSED, str item, void *arg, struct err *err UNUSED)
{
    struct found *f = arg;
    f->count++;
    if (cri_number(item, 3) == SANDBOX_READY)
        f->ready = arena_str(f->a, cri_bytes(item, 1));
    return 0;
}

static int remove_sandbox(const struct cri *r, str item, void *arg UNUSED, struct err *err)
{
    ARENA_AUTO a = ARENA_INIT;
    str id = cri_bytes(item, 1), cgroup = cri_map_get(item, 6, S(CRI_NOTE_CGROUP));
    int code = do_with_id(r, "RuntimeService/StopPodSandbox", id, err);
    if (code == 0 || code == -E_NOT_FOUND)
        code = do_with_id(r, "RuntimeService/RemovePodSandbox", id, err);
    if (code < 0 && code != -E_NOT_FOUND)
        return code;
    if (cgroup.len) /* the runtime removes those of its containers, not the pod's around them */
        err_ignore(cgroup_remove(&r->cgroups, arena_cstr(&a, cgroup), CGROUP_NS, NULL), "an empty control group does not harm");
    return 0;
}

static int read_address(const struct cri *r, str id, struct arena *a, str *ret, struct err *err)
{
    struct strbuf b = strbuf_on(a);
    str answer;
    protobuf_add_str(&b, 1, id);
    int code = cri_do(r, "RuntimeService/PodSandboxStatus", strbuf_str(&b), CRI_CALL_NS, a, &answer, err);
    if (code == 0)
        *ret = cri_bytes(cri_bytes(cri_bytes(answer, 1), 5), 1);
    return code;
}

static int run_sandbox(const struct cri *r, const struct sandbox_spec *s, uint32_t attempt, struct arena *a, str *ret_id, struct err *err)
{
    struct strbuf b = strbuf_on(a);
    struct cri_place place = {str_of(r->agent), r->cgroup_root, attempt};
    str answer;
    cri_add_sandbox(&b, 1, s, &place);
    if (s->runtime_handler)
        protobuf_add_str(&b, 2, str_of(s->runtime_handler));
    int code = cri_do(r, "RuntimeService/RunPodSandbox", strbuf_str(&b), CRI_CALL_NS, a, &answer, err);
    if (code == 0)
        *ret_id = cri_bytes(answer, 1);
    return code;
}

static int cri_sandbox_start(struct runtime *base, const struct sandbox_spec *s, struct arena *a, struct sandbox_status *ret, struct err *err)
{
    struct cri *r = cri_of(base);
    struct found f = {.a = a, .ready = S("")};
    str ip = S("");
    int code = each_sandbox(r, s->uid, note_sandbox, &f, err);
    if (code == 0 && !f.ready.len && f.count)
        code = each_sandbox(r, s->uid, remove_sandbox, NULL, err); /* it died: its containers cannot be used again */
    if (code == 0 && !f.ready.len && s->cgroup)
        code = cgroup_create(&r->cgroups, s->cgroup, &s->limits, err);
    if (code == 0 && !f.ready.len)
        code = run_sandbox(r, s, f.count, a, &f.ready, err);
    if (code == 0 && !s->host_network)
        code = read_address(r, f.ready, a, &ip, err);
    if (code == 0)
        *ret = (struct sandbox_status){.uid = arena_str(a, s->uid), .ip = ip};
    return code;
}

static int cri_sandbox_remove(struct runtime *base, str uid, struct err *err)
{
    struct cri *r = cri_of(base);
    return each_sandbox(r, uid, remove_sandbox, NULL, err);
}

/* --- containers ------------------------------------------------------------------------------------------------------ */

int cri_list(const struct cri *r, struct arena *a, str *ret, struct err *err)
{
    struct strbuf b = strbuf_on(a);
    add_filter(r, &b, 4, S(""));
    return cri_do(r, "RuntimeService/ListContainers", strbuf_str(&b), CRI_CALL_NS, a, ret, err);
}

static int cri_container_remove(struct runtime *base, str id, struct err *err)
{
    int r = do_with_id(cri_of(base), "RuntimeService/RemoveContainer", id, err);
    return r == -E_NOT_FOUND ? 0 : r;
}

/* Left by an agent that was killed between making and starting it, or by a start that is repeated. */
static int remove_leftover(struct cri *r, const struct container_spec *c, struct err *err)
{
    ARENA_AUTO a = ARENA_INIT;
    str answer;
    int code = cri_list(r, &a, &answer, err);
    struct protobuf_reader m = protobuf_reader(code < 0 ? S("") : answer);
    while (code == 0 && protobuf_next(&m)) {
        uint64_t attempt;
        if (m.number == 1 && m.type == PROTOBUF_BYTES && str_eq(cri_map_get(m.bytes, 8, S(CRI_LABEL_POD)), c->sandbox->uid) && str_eq(cri_map_get(m.bytes, 8, S(CRI_LABEL_CONTAINER)), c->name) &&
            str_to_u64(cri_map_get(m.bytes, 8, S(CRI_LABEL_ATTEMPT)), &attempt) && attempt == c->attempt)
            code = cri_container_remove(&r->base, cri_bytes(m.bytes, 1), err);
    }
    return code;
}

/* The image's record, E_NOT_FOUND. */
static int read_image(const struct cri *r, str ref, struct arena *a, str *ret, struct err *err)
{
    struct strbuf b = strbuf_on(a);
    str answer;
    size_t mark = protobuf_open(&b, 1);
    protobuf_add_str(&b, 1, ref);
    protobuf_close(&b, mark);
    int code = cri_do(r, "ImageService/ImageStatus", strbuf_str(&b), CRI_CALL_NS, a, &answer, err);
    if (code < 0)
        return code;
    *ret = cri_bytes(answer, 1);
    return cri_bytes(*ret, 1).len ? 0 : err_set(err, E_NOT_FOUND, "image \"" STR_FMT "\" is not on this node", STR_ARG(ref));
}

static int find_image(const struct cri *r, str ref, struct arena *a, str *ret_id, struct err *err)
{
    str image;
    int code = read_image(r, ref, a, &image, err);
    if (code == 0)
        *ret_id = cri_bytes(image, 1);
    return code;
}

/* runAsNonRoot without a user of the pod's: only the runtime knows the image's. */
static int check_non_root(const struct cri *r, const struct container_spec *c, struct arena *a, struct err *err)
{
    str image;
    if (!c->must_be_non_root || c->has_uid)
        return 0;
    int code = read_image(r, c->image_id.len ? c->image_id : c->image_ref, a, &image, err);
    if (code < 0)
        return code;
    str user = cri_bytes(image, 6);
    if (user.len)
        return err_set(err, E_FORBIDDEN, "container has runAsNonRoot and image has non-numeric user (" STR_FMT "), cannot verify user is non-root", STR_ARG(user));
    return cri_number(cri_bytes(image, 5), 1) ? 0 : err_set(err, E_FORBIDDEN, "container has runAsNonRoot and image will run as root");
}

static int create(struct cri *r, const struct container_spec *c, str sandbox, struct arena *a, str *ret_id, struct err *err)
{
    struct strbuf b = strbuf_on(a);
    struct cri_place place = {str_of(r->agent), r->cgroup_root, 0};
    str answer;
    protobuf_add_str(&b, 1, sandbox);
    cri_add_container(&b, 2, c, &place);
    cri_add_sandbox(&b, 3, c->sandbox, &place);
    int code = check_non_root(r, c, a, err);
    if (code == 0)
        code = remove_leftover(r, c, err);
    if (code == 0)
        code = cri_do(r, "RuntimeService/CreateContainer", strbuf_str(&b), CRI_CALL_NS, a, &answer, err);
    if (code == 0)
        *ret_id = cri_bytes(answer, 1);
    return code;
}

/* What the runtime says of a program that is not there, as the agent knows it. */
static int start_failed(int code, struct err *err)
{
    if (!err)
        return code;
    str text = str_of(err->msg);
    if (str_find(text, S("executable file not found")) >= 0 || str_find(text, S("no such file or directory")) >= 0)
        err->code = E_NOT_FOUND;
    else if (str_find(text, S("permission denied")) >= 0 || str_find(text, S("no command specified")) >= 0)
        err->code = E_INVALID_ARG;
    return -err->code;
}

static int cri_container_status(struct runtime *base, str id, struct arena *a, struct container_status *ret, struct err *err);

static int cri_container_start(struct runtime *base, const struct container_spec *c, struct arena *a, struct container_status *ret, struct err *err)
{
    struct cri *r = cri_of(base);
    struct found f = {.a = a, .ready = S("")};
    str id;
    int code = each_sandbox(r, c->sandbox->uid, note_sandbox, &f, err);
    if (code == 0 && !f.ready.len)
        code = err_set(err, E_NOT_FOUND, "the pod's sandbox does not run");
    if (code == 0)
        code = create(r, c, f.ready, a, &id, err);
    if (code < 0)
        return start_failed(code, err);
    code = do_with_id(r, "RuntimeService/StartContainer", id, err);
    if (code < 0) {
        code = start_failed(code, err);
        err_ignore(cri_container_remove(base, id, NULL), "the pod's end removes it at last");
        return code;
    }
    return cri_container_status(base, id, a, ret, err);
}

static int cri_container_signal(struct runtime *base, str id, int signo, struct err *err)
{
    struct cri *r = cri_of(base);
    ARENA_AUTO a = ARENA_INIT;
    struct strbuf b = strbuf_on(&a);
    str answer;
    protobuf_add_str(&b, 1, id);
    if (signo != SIGKILL)
        protobuf_add_varint(&b, 2, STOP_S);
    /* CRI only knows "stop": its signal is sent at once, then the call waits.  We do not: leaving it early changes nothing. */
    int code = cri_do(r, "RuntimeService/StopContainer", strbuf_str(&b), signo == SIGKILL ? CRI_CALL_NS : SIGNAL_NS, &a, &answer, err);
    return code == -E_TIMEOUT && signo != SIGKILL ? 0 : code;
}

static void fill_status(struct arena *a, str m, struct container_status *ret)
{
    static const enum container_life lives[] = {CONTAINER_CREATED, CONTAINER_RUNNING, CONTAINER_EXITED, CONTAINER_UNKNOWN};
    uint64_t life = cri_number(m, 3), attempt = 0;
    str reason = cri_bytes(m, 10);
    if (!str_to_u64(cri_map_get(m, 12, S(CRI_LABEL_ATTEMPT)), &attempt))
        attempt = 0;
    *ret = (struct container_status){
        .id = arena_str(a, cri_bytes(m, 1)),
        .pod_uid = arena_str(a, cri_map_get(m, 12, S(CRI_LABEL_POD))),
        .name = arena_str(a, cri_map_get(m, 12, S(CRI_LABEL_CONTAINER))),
        .attempt = (uint32_t)attempt,
        .life = life < ARRAY_LEN(lives) ? lives[life] : CONTAINER_UNKNOWN,
        .started_at = (nsec_t)cri_number(m, 5),
        .finished_at = (nsec_t)cri_number(m, 6),
        .exit_code = (int)(int32_t)cri_number(m, 7),
        .oom_killed = str_is(reason, "OOMKilled"),
        .reason = str_is(reason, "StartError") ? S("ContainerCannotRun") : S(""),
        .message = arena_str(a, cri_bytes(m, 11)),
    };
    /* A program that ends at once is seen to end before the runtime has noted that it began. */
    if (ret->finished_at && ret->finished_at < ret->started_at)
        ret->started_at = ret->finished_at;
    if (ret->life == CONTAINER_EXITED && ret->exit_code > 128 && ret->exit_code <= 128 + 64)
        ret->signal = ret->exit_code - 128;
}

static int cri_container_status(struct runtime *base, str id, struct arena *a, struct container_status *ret, struct err *err)
{
    struct strbuf b = strbuf_on(a);
    str answer;
    protobuf_add_str(&b, 1, id);
    int code = cri_do(cri_of(base), "RuntimeService/ContainerStatus", strbuf_str(&b), CRI_CALL_NS, a, &answer, err);
    if (code == 0)
        fill_status(a, cri_bytes(answer, 1), ret);
    return code;
}

static int cri_list_all(struct runtime *base, struct arena *a, struct container_status **ret, size_t *ret_n, struct err *err)
{
    struct cri *r = cri_of(base);
    str answer;
    size_t n = 0;
    int code = cri_list(r, a, &answer, err);
    if (code < 0)
        return code;
    struct protobuf_reader m = protobuf_reader(answer), counter = m;
    while (protobuf_next(&counter))
        n += counter.number == 1;
    struct container_status *all = arena_array(a, n, struct container_status);
    n = 0;
    while (code == 0 && protobuf_next(&m)) {
        if (m.number != 1 || m.type != PROTOBUF_BYTES)
            continue;
        code = cri_container_status(base, cri_bytes(m.bytes, 1), a, &all[n], err);
        n += code == 0;
        code = code == -E_NOT_FOUND ? 0 : code; /* gone meanwhile */
    }
    *ret = all;
    *ret_n = n;
    return code;
}

/* --- usage, network, images ---------------------------------------------------------------------------------------------- */

static int cri_stats(struct runtime *base, str uid, struct arena *a, struct container_usage **ret, size_t *ret_n, struct err *err)
{
    struct cri *r = cri_of(base);
    struct strbuf b = strbuf_on(a);
    str answer;
    size_t n = 0;
    add_filter(r, &b, 3, uid);
    int code = cri_do(r, "RuntimeService/ListContainerStats", strbuf_str(&b), CRI_CALL_NS, a, &answer, err);
    if (code < 0)
        return code;
    struct protobuf_reader m = protobuf_reader(answer), counter = m;
    while (protobuf_next(&counter))
        n += counter.number == 1;
    struct container_usage *all = arena_array(a, n, struct container_usage);
    n = 0;
    while (protobuf_next(&m)) {
        if (m.number != 1 || m.type != PROTOBUF_BYTES)
            continue;
        str who = cri_bytes(m.bytes, 1);
        all[n++] = (struct container_usage){.pod_uid = arena_str(a, cri_map_get(who, 3, S(CRI_LABEL_POD))), .name = arena_str(a, cri_map_get(who, 3, S(CRI_LABEL_CONTAINER))),
                                            .cpu_ns = cri_number(cri_bytes(cri_bytes(m.bytes, 2), 2), 1), .memory_bytes = cri_number(cri_bytes(cri_bytes(m.bytes, 3), 2), 1),
                                            .disk_bytes = cri_number(cri_bytes(cri_bytes(m.bytes, 4), 3), 1)};
    }
    *ret = all;
    *ret_n = n;
    return 0;
}

/* containerd tells it in a JSON text for people who debug: {"runtimeSpec":{"linux":{"namespaces":[{"type":"network","path":...}]}}} */
static int cri_netns(struct runtime *base, str uid, struct arena *a, const char **ret, struct err *err)
{
    struct cri *r = cri_of(base);
    struct found f = {.a = a, .ready = S("")};
    struct strbuf b = strbuf_on(a);
    struct json info;
    str answer;
    int code = each_sandbox(r, uid, note_sandbox, &f, err);
    if (code == 0 && !f.ready.len)
        code = err_set(err, E_NOT_FOUND, "the pod's sandbox does not run");
    if (code < 0)
        return code;
    protobuf_add_str(&b, 1, f.ready);
    protobuf_add_varint(&b, 2, 1);
    code = cri_do(r, "RuntimeService/PodSandboxStatus", strbuf_str(&b), CRI_CALL_NS, a, &answer, err);
    if (code < 0)
        return code;
    const struct json *list = json_parse(a, cri_map_get(answer, 2, S("info")), NULL, &info, NULL) < 0 ? NULL : json_path(&info, "runtimeSpec", "linux", "namespaces", NULL);
    if (!json_is(list, JSON_ARRAY)) /* not to be taken for a pod in the host's network */
        return err_set(err, E_UNAVAILABLE, "the container runtime does not tell the pod's network namespace");
    *ret = NULL;
    for (uint32_t i = 0; i < list->len; i++) {
        str path = json_get_str(&list->items[i], S("path"));
        if (str_eq(json_get_str(&list->items[i], S("type")), S("network")) && path.len)
            *ret = arena_cstr(a, path);
    }
    return 0;
}

static int pull_with(const struct cri *r, str name, const struct image_auth *auth, struct arena *a, str *ret_id, struct err *err)
{
    struct strbuf b = strbuf_on(a);
    str answer;
    size_t mark = protobuf_open(&b, 1);
    protobuf_add_str(&b, 1, name);
    protobuf_close(&b, mark);
    if (auth) {
        mark = protobuf_open(&b, 2);
        protobuf_add_str(&b, 1, auth->username);
        protobuf_add_str(&b, 2, auth->password);
        protobuf_add_str(&b, 6, auth->token);
        protobuf_close(&b, mark);
    }
    int code = cri_do(r, "ImageService/PullImage", strbuf_str(&b), PULL_NS, a, &answer, err);
    if (code == 0)
        *ret_id = cri_bytes(answer, 1);
    return code;
}

static int cri_pull_image(struct runtime *base, str ref, const char *policy, const struct image_auth *auths, size_t nauths, struct arena *a, str *ret_id, struct err *err)
{
    struct cri *r = cri_of(base);
    struct image_name name;
    str local = S("");
    int code = image_name_parse(a, ref, &name, err);
    if (code < 0)
        return code;
    int have = find_image(r, name.text, a, &local, NULL);
    if (strcmp(policy, "Never") == 0 && have < 0)
        return err_set(err, E_NOT_FOUND, "Container image \"" STR_FMT "\" is not present with pull policy of Never", STR_ARG(ref));
    if (have == 0 && strcmp(policy, "Always") != 0) {
        *ret_id = local;
        return 0;
    }
    code = -E_UNAUTHORIZED;
    for (size_t i = 0; code < 0 && i < MAX(nauths, (size_t)1); i++)
        code = pull_with(r, name.text, nauths ? &auths[i] : NULL, a, ret_id, err);
    if (code < 0 && have == 0) {
        *ret_id = local; /* better what is here than nothing */
        return 0;
    }
    return code;
}

const struct runtime_ops runtime_cri = {
    .name = "cri",
    .has_network = true,
    .has_images = true,
    .open = cri_open,
    .close = cri_close,
    .version = cri_version,
    .sandbox_start = cri_sandbox_start,
    .sandbox_remove = cri_sandbox_remove,
    .container_start = cri_container_start,
    .container_signal = cri_container_signal,
    .container_status = cri_container_status,
    .container_remove = cri_container_remove,
    .list = cri_list_all,
    .exec = cri_exec,
    .exec_finish = cri_exec_finish,
    .exec_resize = cri_exec_resize,
    .exec_close = cri_exec_close,
    .stats = cri_stats,
    .netns = cri_netns,
    .pull_image = cri_pull_image,
};
