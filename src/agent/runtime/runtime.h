/* runtime.h - what runs containers: one table a runtime, the same contract for all.
 *
 *   sandbox_start ─► container_start ─► on_change (exited) ─► container_status ─► container_remove ─► sandbox_remove
 *
 * Containers outlive the agent: they hang on a shim process each (process, OCI) or on containerd (CRI).  A runtime that is opened again on the same folder
 * finds all of them with list().
 * Threads: open, close and the on_change callback on the agent's loop; everything else blocks and runs on pool threads, several at once for different pods, one at a time for one container
 * (exec, stats and signal excepted).
 * Ownership: specs are borrowed for the call; strings in results are on the arena that was given.
 * Limits: RUNTIME_OUTPUT_BYTES of an exec_sync's output are kept. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stdatomic.h>
#include <sys/types.h>

#include "agent/pod/container_spec.h"
#include "base/arena.h"
#include "base/clock.h"
#include "base/err.h"
#include "rt/loop.h"

#define RUNTIME_OUTPUT_BYTES (16u << 10)

struct runtime;
struct image_auth;

struct runtime_opts {
    struct loop *loop;
    const char *dir;         /* the agent's folder */
    const char *cgroup_root; /* below each hierarchy, "cox" or "cox/NODE" */
    const char *program;     /* of this program, for shims; "/proc/self/exe" resolved */
    const char *config;      /* of the runtime: path of runc, containerd's socket; NULL: the usual */
    /* A container of this id changed (exited, was lost): ask container_status.  On the loop. */
    void (*on_change)(void *arg, str id);
    void *arg;
};

enum container_life { CONTAINER_CREATED, CONTAINER_RUNNING, CONTAINER_EXITED, CONTAINER_UNKNOWN };

struct container_status {
    str id;                 /* of the runtime; with a runtime's name before it: "process://ID" in the API */
    str pod_uid, name;
    uint32_t attempt;
    enum container_life life;
    pid_t pid;              /* 0: none, or not known */
    nsec_t started_at, finished_at; /* wall time, 0: not yet */
    int exit_code, signal;
    bool oom_killed;
    str reason, message;    /* "" : by exit code; "ContainerCannotRun" and why when the program could not be started */
};

struct sandbox_status {
    str uid;
    str ip; /* of a runtime that has its own network; "" otherwise */
};

/* A running exec or attach.  tty: in and out are one descriptor (a pty's master), err is -1. */
struct exec_session {
    int in, out, err;  /* -1: not asked for.  Close `in` for the end of input. */
    int control;       /* readable when it has ended: exec_finish then tells how; its end without a message: lost */
    bool tty;
};

struct exec_spec {
    const char *const *argv; /* NULL at the end; NULL: attach to the container's own process */
    bool in, out, err, tty;
    bool to_its_end; /* of a command without input: nobody looks at its output before it has ended, and it must not outlive the session */
};

struct container_usage {
    str pod_uid, name;
    uint64_t cpu_ns;           /* since it started */
    uint64_t memory_bytes;     /* working set */
    uint64_t memory_limit_bytes;
    uint64_t disk_bytes;       /* its writable layer and logs; 0: not known */
};

struct runtime_ops {
    const char *name; /* "process", "oci", "cri" */
    bool has_network; /* it makes the pod's network itself */
    bool has_images;  /* it keeps images itself: pull_image is used instead of images.h */
    /* E_UNAVAILABLE and a sentence when it does not work on this machine. */
    int (*open)(const struct runtime_opts *o, struct runtime **ret, struct err *err);
    void (*close)(struct runtime *r); /* what runs goes on */
    const char *(*version)(struct runtime *r); /* "runc 1.1.5" */

    int (*sandbox_start)(struct runtime *r, const struct sandbox_spec *s, struct arena *a, struct sandbox_status *ret, struct err *err);
    int (*sandbox_remove)(struct runtime *r, str uid, struct err *err); /* fine when absent; kills what is left in it, removes its cgroup */
    /* Creates and starts; a program that cannot be started is an error with E_NOT_FOUND or E_INVALID_ARG and a sentence. */
    int (*container_start)(struct runtime *r, const struct container_spec *c, struct arena *a, struct container_status *ret, struct err *err);
    int (*container_signal)(struct runtime *r, str id, int signo, struct err *err); /* SIGKILL: everything in its cgroup */
    int (*container_status)(struct runtime *r, str id, struct arena *a, struct container_status *ret, struct err *err); /* E_NOT_FOUND */
    int (*container_remove)(struct runtime *r, str id, struct err *err); /* kills it, unmounts, keeps the log */
    int (*list)(struct runtime *r, struct arena *a, struct container_status **ret, size_t *ret_n, struct err *err);

    int (*exec)(struct runtime *r, str id, const struct exec_spec *x, struct exec_session *ret, struct err *err);
    /* After control became readable, or to wait for it at most timeout_ns (0: do not wait).  E_TIMEOUT. */
    int (*exec_finish)(struct runtime *r, struct exec_session *x, nsec_t timeout_ns, int *ret_exit_code, struct err *err);
    int (*exec_resize)(struct runtime *r, struct exec_session *x, unsigned columns, unsigned rows);
    /* Closes the descriptors that are not -1 and kills what still runs; of CRI only what was to run to its end, the rest finds its input closed. */
    void (*exec_close)(struct runtime *r, struct exec_session *x);

    /* Usage of the containers of one pod; *ret_n may be 0. */
    int (*stats)(struct runtime *r, str uid, struct arena *a, struct container_usage **ret, size_t *ret_n, struct err *err);
    /* The path of the pod's network namespace, for port-forward; NULL: the host's.  E_NOT_FOUND: the pod has no sandbox. */
    int (*netns)(struct runtime *r, str uid, struct arena *a, const char **ret, struct err *err);
    /* has_images only.  policy as Kubernetes names it; credentials are tried one after another.  E_NOT_FOUND with "Never": it is not there; E_INVALID_ARG: no name of an image. */
    int (*pull_image)(struct runtime *r, str ref, const char *policy, const struct image_auth *auths, size_t nauths, struct arena *a, str *ret_id, struct err *err);
};

struct runtime {
    const struct runtime_ops *ops;
};

/* Runs a command to its end.  Output (both streams, cut) is on the arena.  E_TIMEOUT: it was killed. */
int runtime_exec_sync(struct runtime *r, str id, const char *const *argv, nsec_t timeout_ns, struct arena *a, str *ret_output, int *ret_exit_code, struct err *err) MUST_CHECK;

/* The same; also ends, as if the time were over, soon after *stop has become true. */
int runtime_exec_until(struct runtime *r, str id, const char *const *argv, nsec_t timeout_ns, const atomic_bool *stop, struct arena *a, str *ret_output, int *ret_exit_code, struct err *err) MUST_CHECK;

extern const struct runtime_ops runtime_process, runtime_oci, runtime_cri;
/* Every runtime, in order of preference; NULL at the end. */
extern const struct runtime_ops *const runtimes[];
const struct runtime_ops *runtime_find(str name); /* NULL when unknown */
