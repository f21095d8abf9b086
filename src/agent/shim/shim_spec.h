/* shim_spec.h - what the agent tells a shim: the container, its sandbox, this machine's control groups; as JSON in the container's folder.
 *
 *   DIR/spec.json    written before the shim starts, read by it and by an agent that starts again
 *   DIR/state.json   {"shim","shimStart","pid","pidStart","startedAt"}: it runs
 *   DIR/exit.json    {"exitCode","signal","oom","startedAt","finishedAt","reason","message"}: it has ended
 *   DIR/shim.sock    requests: exec, attach, signal
 *
 * Threads: any.  Ownership: parsed specs live on the arena and point into the text.
 * Limits: SHIM_SPEC_BYTES. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "agent/isolation/cgroup.h"
#include "agent/pod/container_spec.h"
#include "base/arena.h"
#include "base/clock.h"
#include "base/err.h"
#include "wire/json.h"

#define SHIM_SPEC_BYTES (8u << 20)

struct shim_spec {
    const char *id;
    struct container_spec c;
    struct sandbox_spec sandbox;
    /* Files of namespaces; NULL: the machine's.  c.sandbox->netns is the network's. */
    const char *ipc_ns, *uts_ns, *pid_ns;
    const char *shm; /* folder that is /dev/shm inside, NULL: one of its own */
    struct cgroups cgroups;
    const char *program;  /* this program */
    const char *oci;      /* path of the OCI runtime; NULL: the shim makes the container itself */
    const char *oci_root; /* its state */
};

str shim_spec_write(struct arena *a, const struct shim_spec *s);
int shim_spec_parse(struct arena *a, str text, struct shim_spec *ret, struct err *err) MUST_CHECK;

struct shim_state {
    int64_t shim, shim_start, pid, pid_start; /* starts in clock ticks since boot: a pid that is used again shows */
    nsec_t started_at;
};
struct shim_exit {
    int64_t exit_code, signal;
    bool oom;
    nsec_t started_at, finished_at;
    str reason, message;
};
/* Written by rename.  is_durable: synced, too. */
int shim_file_write(const char *dir, const char *name, str text, bool is_durable, struct err *err) MUST_CHECK;
int shim_state_write(const char *dir, const struct shim_state *s, struct err *err) MUST_CHECK;
int shim_exit_write(const char *dir, const struct shim_exit *e, struct err *err) MUST_CHECK;
bool shim_state_read(const char *dir, struct shim_state *ret);
bool shim_exit_read(struct arena *a, const char *dir, struct shim_exit *ret);
/* When a process started, in clock ticks since boot; 0: there is none, or only its corpse. */
int64_t shim_proc_start(pid_t pid);
