/* container_spec.h - a container and its pod as a runtime needs them: everything is resolved, nothing is asked of the API any more.
 *
 *   pod, objects it names, image ─► container_build.h ─► struct container_spec ─► runtime.h
 *
 * Plain data; the strings and arrays live on one arena.  Paths are of the machine unless a comment says "inside". */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/str.h"

enum mount_kind { MOUNT_BIND, MOUNT_TMPFS };
enum mount_propagation { MOUNT_PRIVATE, MOUNT_FROM_HOST, MOUNT_BOTH_WAYS };

struct mount_spec {
    enum mount_kind kind;
    const char *source;  /* of a bind */
    const char *target;  /* inside */
    bool read_only;
    enum mount_propagation propagation;
    uint64_t size_bytes; /* of a tmpfs; 0: no bound of its own */
    unsigned mode;       /* of a tmpfs; 0: 01777 */
};

struct device_spec {
    const char *source; /* "/dev/nvidia0" */
    const char *target; /* inside */
    const char *access; /* "rwm" */
};

/* 0: not set, as Kubernetes does without requests and limits. */
struct cgroup_limits {
    uint64_t cpu_shares;      /* v1 shares, 2 ... 262144; v2 weight is computed from it */
    uint64_t cpu_quota_us;    /* per 100 ms */
    uint64_t memory_bytes;    /* memory.max, memory.limit_in_bytes */
    uint64_t pids;
    uint64_t hugepages_2mi, hugepages_1gi; /* bytes */
    const char *cpus;         /* cpuset, "" or NULL: all */
    bool oom_group;           /* v2: out of memory ends all of it, so that no half of a program is left; for a container, not for a pod around several */
};

/* What a pod's containers share. */
struct sandbox_spec {
    str uid, ns, name;
    const char *dir;          /* pods/UID, exists */
    const char *hostname;     /* inside */
    bool host_network, host_ipc, host_pid, share_pid;
    bool has_privileged;      /* one of its containers is: CRI must know before */
    const char *netns;        /* a network namespace with addresses, NULL: the host's */
    const char *cgroup;       /* "kubepods/burstable/podUID" */
    struct cgroup_limits limits;
    const char *const *sysctls; /* "net.core.somaxconn=1024", NULL at the end; may be NULL */
    const char *runtime_handler; /* of the RuntimeClass; NULL: the default */
    /* for CRI, which makes resolv.conf itself */
    const char *resolv_conf;
    const struct json *labels, *annotations; /* of the pod; may be NULL */
};

enum root_kind {
    ROOT_LAYERS, /* overlay of the image's layers */
    ROOT_HOST,   /* this machine's programs, none of its data: read-only binds of /usr and its like */
};
enum seccomp_kind { SECCOMP_UNCONFINED, SECCOMP_RUNTIME_DEFAULT, SECCOMP_LOCALHOST };

struct container_spec {
    const struct sandbox_spec *sandbox;
    str name;                  /* in the pod */
    uint32_t attempt;          /* 0, 1, ...: restarts */
    const char *dir;           /* pods/UID/containers/NAME/ATTEMPT, exists */
    const char *log_path;      /* CRI log file, its folder exists */
    str image_ref, image_id;   /* as the pod names it; of the store */
    str pids_of;               /* the runtime's id of a container of the pod whose processes it sees (an ephemeral container's target); "" none */

    const char *const *argv;   /* NULL at the end, at least one; with an image that only the runtime knows (CRI) what the pod says, perhaps nothing */
    const char *const *command, *const *args; /* as the pod says, expanded: for CRI, which knows the image's own.  NULL at the end; may be NULL */
    const char *const *env;    /* "NAME=value", NULL at the end */
    const char *cwd;           /* inside; made when absent; NULL: "/" */

    enum root_kind root;
    const char *const *layers; /* unpacked layers, lowest first, NULL at the end */
    bool read_only_root;
    const struct mount_spec *mounts;
    size_t nmounts;
    const struct device_spec *devices;
    size_t ndevices;

    const char *user;          /* "nginx", "1000:1000", "" of the image: resolved in its /etc/passwd; NULL: uid and gid count */
    uint32_t uid, gid;
    bool has_uid, has_gid;
    const uint32_t *groups;    /* supplementary, fsGroup among them */
    size_t ngroups;
    bool must_be_non_root;     /* runAsNonRoot: starting as uid 0 is an error */
    bool privileged, no_new_privs;
    uint64_t caps;             /* capabilities, bit CAP_x */
    enum seccomp_kind seccomp;
    const char *seccomp_profile; /* file of SECCOMP_LOCALHOST */
    bool unmasked_proc;        /* procMount: Unmasked */

    const char *cgroup;        /* "kubepods/burstable/podUID/NAME-ATTEMPT" */
    struct cgroup_limits limits;
    int oom_score_adj;
    bool tty, stdin_open, stdin_once;
    int stop_signal;           /* 0: SIGTERM */
    const char *termination_log; /* file on this machine that is bound to termination_path */
    const char *termination_path; /* inside, "/dev/termination-log" */
    uint64_t log_max_bytes;    /* of one file before it is rotated; 0: 10 MiB */
    uint32_t log_max_files;    /* 0: 5 */
};
