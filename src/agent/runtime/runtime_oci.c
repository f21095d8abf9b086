/* runtime_oci.c - containers made by runc or crun, whichever works on this machine: it is tried with a real container, since some refuse layouts of control groups that others take. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/runtime/runtime_shim.h"
#include "agent/runtime/runtime_spawn.h"
#include "rt/file.h"

#define PROBE_PATIENCE_NS (30 * NSEC_PER_SEC)

static const char *const names[] = {"runc", "crun"};
static const char *const folders[] = {"/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"};

/* `true` with this machine's programs, in a folder and a control group that are gone afterwards. */
static int run_probe(struct shim_runtime *r, const char *dir, struct err *err)
{
    ARENA_AUTO a = ARENA_INIT;
    char cgroup[64], id[64];
    snprintf(cgroup, sizeof cgroup, "probe-%d", (int)getpid());
    snprintf(id, sizeof id, "cox-probe-%d", (int)getpid());
    const char *const argv[] = {"true", NULL}, *const env[] = {NULL};
    struct shim_spec s = {.id = id, .cgroups.layout = r->cgroups.layout, .oci = r->oci, .oci_root = r->oci_root, .program = r->o.program};
    snprintf(s.cgroups.root, sizeof s.cgroups.root, "%s", r->cgroups.root);
    s.sandbox = (struct sandbox_spec){.uid = S("probe"), .ns = S(""), .name = S("probe"), .dir = dir, .cgroup = cgroup, .host_network = true, .host_ipc = true};
    s.c = (struct container_spec){.sandbox = &s.sandbox, .name = S("probe"), .dir = dir, .log_path = arena_fmt(&a, "%s/log", dir).p, .argv = argv, .env = env, .root = ROOT_HOST, .cgroup = cgroup};
    int pidfd = -1;
    pid_t pid;
    nsec_t started;
    int code = shim_runtime_launch(r, &s, &pidfd, &pid, &started, err);
    struct shim_exit e = {0};
    if (code == 0 && !shim_runtime_wait(pidfd, PROBE_PATIENCE_NS)) {
        pidfd_kill(pidfd, 9);
        code = err_set(err, E_TIMEOUT, "a container with the command true did not end");
    } else if (code == 0 && (!shim_exit_read(&a, dir, &e) || e.exit_code)) {
        code = err_set(err, E_IO, "a container with the command true ended with status %d", (int)e.exit_code);
    }
    if (pidfd >= 0)
        close(pidfd);
    struct err ignored = ERR_NONE;
    cgroup_kill(&r->cgroups, cgroup, PROBE_PATIENCE_NS);
    err_ignore(cgroup_remove(&r->cgroups, cgroup, PROBE_PATIENCE_NS, &ignored), "an empty folder does not harm");
    return code;
}

static int try_one(const struct runtime_opts *o, const char *path, struct shim_runtime **ret, struct err *err)
{
    struct shim_runtime *r = NULL;
    char dir[] = "/tmp/cox-probe-XXXXXX", text[256] = "";
    int code = shim_runtime_open(&runtime_oci, o, path, &r, err);
    if (code < 0)
        return code;
    if (!mkdtemp(dir))
        code = err_sys(err, errno, "cannot make a folder");
    if (code == 0)
        code = run_probe(r, dir, err);
    struct err ignored = ERR_NONE;
    err_ignore(file_remove_all(dir, &ignored), "it lies in /tmp");
    if (code < 0) {
        shim_runtime_close(&r->base);
        err_wrap(err, "%s does not work here: ", path);
        if (err)
            err->code = E_UNAVAILABLE;
        return -E_UNAVAILABLE;
    }
    spawn_and_wait((const char *const[]){path, "--version", NULL}, PROBE_PATIENCE_NS, text, sizeof text);
    str first, left = str_of(text), version;
    str_cut(&left, '\n', &first);
    ptrdiff_t blank = str_rfind_char(first, ' ');
    version = blank > 0 ? str_from(first, (size_t)blank + 1) : S("unknown");
    const char *name = strrchr(path, '/');
    snprintf(r->version, sizeof r->version, "%s " STR_FMT, name ? name + 1 : path, STR_ARG(version));
    *ret = r;
    return 0;
}

static int oci_open(const struct runtime_opts *o, struct runtime **ret, struct err *err)
{
    struct shim_runtime *r = NULL;
    if (o->config) {
        int code = try_one(o, o->config, &r, err);
        if (code == 0)
            *ret = &r->base;
        return code;
    }
    int code = err_set(err, E_UNAVAILABLE, "neither runc nor crun is installed");
    for (size_t n = 0; n < ARRAY_LEN(names); n++) {
        for (size_t f = 0; f < ARRAY_LEN(folders); f++) {
            char path[64];
            snprintf(path, sizeof path, "%s/%s", folders[f], names[n]);
            if (access(path, X_OK) < 0)
                continue;
            code = try_one(o, path, &r, err);
            if (code == 0) {
                *ret = &r->base;
                return 0;
            }
            break;
        }
    }
    return code;
}

const struct runtime_ops runtime_oci = {.name = "oci", .open = oci_open, SHIM_RUNTIME_OPS};
