/* cgroup.h - control groups of version 1, 2 and both at once (hybrid): one path means a folder in each hierarchy that is there.
 *
 *     /sys/fs/cgroup/memory/ROOT/kubepods/podX/web-0      version 1, one tree a controller
 *     /sys/fs/cgroup/ROOT/kubepods/podX/web-0             version 2, one tree for all
 *
 * What a machine does not have is left out: a limit without its controller is skipped with one line in the log, and a machine without any control group still
 * runs containers.
 * A process enters by itself (cgroup_enter) or is born inside (cgroup_v2_open and CLONE_INTO_CGROUP): moving another process waits for all CPUs, 10 ms each time.
 * Threads: any, after cgroups_open; two threads do not work on the same path.
 * Ownership: plain values.
 * Limits: CGROUP_HIERS hierarchies, paths of CGROUP_PATH bytes. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stdatomic.h>
#include <sys/types.h>

#include "agent/pod/container_spec.h"
#include "base/clock.h"
#include "base/err.h"

#define CGROUP_HIERS 24
#define CGROUP_PATH 512

enum cgroup_controller {
    CGROUP_CPU,
    CGROUP_CPUACCT,
    CGROUP_CPUSET,
    CGROUP_MEMORY,
    CGROUP_PIDS,
    CGROUP_HUGETLB,
    CGROUP_DEVICES,
    CGROUP_FREEZER,
    CGROUP_CONTROLLERS,
};

struct cgroup_hier {
    char mount[CGROUP_PATH / 2];
    uint32_t controllers; /* bits 1 << enum cgroup_controller; 0: others, where an OCI runtime leaves folders that are removed here */
    bool is_v2;
};

struct cgroup_layout {
    struct cgroup_hier hiers[CGROUP_HIERS];
    size_t n;
};

/* Texts of /proc/self/mountinfo and /proc/self/cgroup.  Pure.  Controllers of version 2 are not in them: see cgroup_controllers_parse. */
void cgroup_layout_parse(str mountinfo, str self_cgroup, struct cgroup_layout *ret);
/* "cpu memory pids" of cgroup.controllers. */
uint32_t cgroup_controllers_parse(str text);

struct cgroups {
    struct cgroup_layout layout;
    char root[CGROUP_PATH / 4]; /* below each mount, "cox" */
    _Atomic uint32_t told_;     /* controllers whose absence was logged */
};
/* Reads the layout of this machine.  Never fails: without any hierarchy the layout is empty. */
void cgroups_open(struct cgroups *c, const char *root);
bool cgroups_has(const struct cgroups *c, enum cgroup_controller k);

/* The folder of a path in one hierarchy; false: the name is too long. */
bool cgroup_dir(const struct cgroups *c, size_t hier, const char *path, char ret[CGROUP_PATH]);
/* Makes the folders and sets the limits; fine when they exist.  A limit that the kernel refuses is an error; a controller that is missing is not. */
int cgroup_create(struct cgroups *c, const char *path, const struct cgroup_limits *limits, struct err *err) MUST_CHECK;
/* Moves the calling process, which must have one thread.  Folders that do not exist are left out. */
int cgroup_enter(const struct cgroups *c, const char *path, struct err *err) MUST_CHECK;
/* The version 2 folder for CLONE_INTO_CGROUP; -1: none. */
int cgroup_v2_open(const struct cgroups *c, const char *path);
/* Version 1: only these devices ("c 1:3 rwm", NULL at the end).  False: this machine cannot. */
bool cgroup_devices_allow(const struct cgroups *c, const char *path, const char *const *rules);

/* SIGKILL for everything inside and below, until nothing is left or the time is over.  False: something still lives, or there is no cgroup to ask. */
bool cgroup_kill(const struct cgroups *c, const char *path, nsec_t patience_ns);
/* Number of processes inside and below, -1: there is no such cgroup. */
int cgroup_count(const struct cgroups *c, const char *path);
/* A signal to each process inside and below; how many there were. */
int cgroup_signal(const struct cgroups *c, const char *path, int signo);
/* Removes the path and what is below it; waits patience_ns for processes that are just ending. */
int cgroup_remove(const struct cgroups *c, const char *path, nsec_t patience_ns, struct err *err) MUST_CHECK;

struct cgroup_usage {
    uint64_t cpu_ns;
    uint64_t memory_bytes;       /* usage without inactive_file */
    uint64_t memory_limit_bytes; /* 0: none */
    uint64_t pids;
};
bool cgroup_usage_get(const struct cgroups *c, const char *path, struct cgroup_usage *ret);
/* How often the kernel killed for memory inside it. */
uint64_t cgroup_oom_kills(const struct cgroups *c, const char *path);
/* Value of "key N" lines: memory.stat, memory.events, cpu.stat.  Pure. */
bool cgroup_keyed_value(str text, str key, uint64_t *ret);
/* cpu.weight of version 2 for the shares of version 1, as everybody computes it.  Pure. */
uint64_t cgroup_weight_of_shares(uint64_t shares);
