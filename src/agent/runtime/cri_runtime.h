/* cri_runtime.h - what the files of the CRI runtime share; private to runtime_cri.c, cri_watch.c, cri_exec.c and cri_stream.c. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <pthread.h>
#include <stdatomic.h>

#include "agent/isolation/cgroup.h"
#include "agent/runtime/cri_call.h"
#include "agent/runtime/runtime.h"
#include "base/map.h"
#include "base/vec.h"
#include "rt/thread.h"

#define CRI_CALL_NS (120 * NSEC_PER_SEC) /* of a call that should take moments: the runtime may be busy with a slow disk */
#define CRI_AGENT_LEN 16

struct cri {
    struct runtime base;
    struct runtime_opts o;
    char *socket, *cgroup_root;
    char version[128], agent[CRI_AGENT_LEN + 1];
    struct cgroups cgroups;
    /* cri_watch.c */
    struct thread watcher;
    int stop_fd;               /* the watcher ends when it is readable */
    struct loop_fd news;       /* an event: ids wait in changed */
    pthread_mutex_t mutex;     /* guards changed */
    VEC(char *) changed;
    struct map known;          /* the watcher's: id -> life + 1, keys on the heap */
};

int cri_do(const struct cri *r, const char *method, str request, nsec_t timeout_ns, struct arena *a, str *ret, struct err *err) MUST_CHECK;
/* The containers of this agent: a ListContainersResponse. */
int cri_list(const struct cri *r, struct arena *a, str *ret, struct err *err) MUST_CHECK;

/* --- cri_watch.c: tells the loop which containers have changed ----------------------------------------------------- */
int cri_watch_start(struct cri *r, struct err *err) MUST_CHECK;
void cri_watch_stop(struct cri *r);

/* --- cri_exec.c ------------------------------------------------------------------------------------------------------ */
int cri_exec(struct runtime *r, str id, const struct exec_spec *x, struct exec_session *ret, struct err *err);
int cri_exec_finish(struct runtime *r, struct exec_session *x, nsec_t timeout_ns, int *ret_exit_code, struct err *err);
int cri_exec_resize(struct runtime *r, struct exec_session *x, unsigned columns, unsigned rows);
void cri_exec_close(struct runtime *r, struct exec_session *x);
/* What exec_finish reads: how it ended. */
void cri_exec_tell(int control, int code, int exit_code, const struct err *err);
/* A socket pair; ours is non-blocking, as sessions' descriptors are.  Not wanted: -1 and -1. */
bool cri_exec_pair(bool wanted, int *ours, int *theirs);

/* --- cri_stream.c: through the runtime's streaming server -------------------------------------------------------- */
int cri_stream_open(struct cri *r, str id, const struct exec_spec *x, struct exec_session *ret, struct err *err) MUST_CHECK;
