/* runtime_shim.h - the runtimes whose containers hang on shims (process and OCI): one implementation, two tables.
 *
 *   runtime_shim.c     open, close, adoption, start, status, remove
 *   runtime_sandbox.c  what a pod's containers share: namespaces, shared memory, control group, pause
 *   runtime_session.c  exec, attach, signals over the shim's socket
 *   runtime_bundle.h   a container's config.json for an OCI runtime
 *   runtime_oci.c      which OCI runtime works here
 *
 * Threads: as runtime.h; the map of containers is guarded by a lock, watches belong to the loop. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <pthread.h>
#include <stdatomic.h>

#include "agent/runtime/runtime.h"
#include "agent/shim/shim_spec.h"
#include "base/list.h"
#include "base/map.h"

#define RUNTIME_SHIM_PATIENCE_NS (90 * NSEC_PER_SEC) /* for a shim to say how the start went, or to end after a kill */

struct shim_runtime {
    struct runtime base;
    struct runtime_opts o; /* texts are our own */
    struct cgroups cgroups;
    int exe_fd;      /* this program through a read-only mount: a container cannot write it through /proc/PID/exe.  -1: by its path */
    char *oci, *oci_root;
    char version[64];
    pthread_mutex_t lock; /* guards entries */
    struct map entries;   /* id -> struct shim_entry */
    struct list watches;  /* of the loop */
    bool is_closed;       /* on the loop */
    _Atomic size_t refs;  /* itself, and watches that are on their way to the loop */
};

/* A container that is known; copied out under the lock, for the arena. */
struct shim_entry {
    const char *id, *dir, *cgroup, *pod_uid, *name, *log_path;
    uint32_t attempt;
    bool is_oci;
    nsec_t disk_at; /* monotonic: when disk_bytes was counted */
    uint64_t disk_bytes;
};

int shim_runtime_open(const struct runtime_ops *ops, const struct runtime_opts *o, const char *oci, struct shim_runtime **ret, struct err *err) MUST_CHECK;
int shim_runtime_find(struct shim_runtime *r, str id, struct arena *a, struct shim_entry *ret, struct err *err) MUST_CHECK;
/* Starts `cox shim ARGS`; *ret_report is our end of its socket, *ret_pidfd is its process.  log_dir: where shim.log with its complaints goes. */
int shim_runtime_spawn(struct shim_runtime *r, const char *const *args, const char *log_dir, int *ret_report, int *ret_pidfd, struct err *err) MUST_CHECK;
/* Makes the container described by the spec; used by container_start and to probe OCI runtimes.  *ret_pidfd: the shim. */
int shim_runtime_launch(struct shim_runtime *r, const struct shim_spec *s, int *ret_pidfd, pid_t *ret_pid, nsec_t *ret_started_at, struct err *err) MUST_CHECK;
/* Waits for a process to end, reaps it if it is ours.  False: the time is over. */
bool shim_runtime_wait(int pidfd, nsec_t patience_ns);
/* Runs the OCI runtime to its end; its exit status. */
int shim_runtime_oci_delete(const char *oci, const char *oci_root, const char *id);

/* runtime_sandbox.c */
int shim_sandbox_start(struct runtime *r, const struct sandbox_spec *s, struct arena *a, struct sandbox_status *ret, struct err *err);
int shim_sandbox_remove(struct runtime *r, str uid, struct err *err);
int shim_sandbox_netns(struct runtime *r, str uid, struct arena *a, const char **ret, struct err *err);
/* Fills the paths of the sandbox's namespaces and /dev/shm. */
void shim_sandbox_paths(struct arena *a, const struct sandbox_spec *s, struct shim_spec *ret);
/* Is any sandbox left in this folder? */
bool shim_sandbox_any(const char *dir);

/* runtime_session.c */
int shim_session_signal(const char *dir, int signo, struct err *err) MUST_CHECK;
int shim_session_exec(struct runtime *r, str id, const struct exec_spec *x, struct exec_session *ret, struct err *err);
int shim_session_finish(struct runtime *r, struct exec_session *x, nsec_t timeout_ns, int *ret_exit_code, struct err *err);
int shim_session_resize(struct runtime *r, struct exec_session *x, unsigned columns, unsigned rows);
void shim_session_close(struct runtime *r, struct exec_session *x);

/* The operations that both tables have. */
void shim_runtime_close(struct runtime *r);
const char *shim_runtime_version(struct runtime *r);
int shim_container_start(struct runtime *r, const struct container_spec *c, struct arena *a, struct container_status *ret, struct err *err);
int shim_container_signal(struct runtime *r, str id, int signo, struct err *err);
int shim_container_status(struct runtime *r, str id, struct arena *a, struct container_status *ret, struct err *err);
int shim_container_remove(struct runtime *r, str id, struct err *err);
int shim_container_list(struct runtime *r, struct arena *a, struct container_status **ret, size_t *ret_n, struct err *err);
int shim_container_stats(struct runtime *r, str uid, struct arena *a, struct container_usage **ret, size_t *ret_n, struct err *err);

#define SHIM_RUNTIME_OPS                                                                                                            \
    .close = shim_runtime_close, .version = shim_runtime_version, .sandbox_start = shim_sandbox_start,                              \
    .sandbox_remove = shim_sandbox_remove, .container_start = shim_container_start, .container_signal = shim_container_signal,      \
    .container_status = shim_container_status, .container_remove = shim_container_remove, .list = shim_container_list,              \
    .exec = shim_session_exec, .exec_finish = shim_session_finish, .exec_resize = shim_session_resize,                              \
    .exec_close = shim_session_close, .stats = shim_container_stats, .netns = shim_sandbox_netns
