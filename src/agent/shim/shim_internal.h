/* shim_internal.h - what the parts of the shim share.
 *
 *   shim.c           start, loop, end
 *   shim_child.c     the container's first process, and those of exec: everything between clone and execve
 *   shim_requests.c  the socket: exec, attach, signal
 *   shim_oci.c       the same with an OCI runtime that makes the container
 *
 * Threads: one.  Ownership: struct shim is the process's. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <poll.h>

#include "agent/isolation/rootfs.h"
#include "agent/shim/shim_log.h"
#include "agent/shim/shim_spec.h"

#define SHIM_CLIENTS 64
#define SHIM_CLIENT_PENDING (1u << 20) /* output that an attached client has not read; beyond: it is dropped */
#define SHIM_CHILD_PATIENCE_NS (60 * NSEC_PER_SEC)

enum client_kind { CLIENT_NEW, CLIENT_EXEC, CLIENT_ATTACH };

struct shim_client {
    int fd; /* -1: free */
    enum client_kind kind;
    pid_t pid;   /* of an exec */
    int tty;     /* master of an exec with a terminal, for its size; -1 */
    int in;      /* attach: what the client types; -1 */
    int out[2];  /* attach: copies of stdout and stderr; -1.  A terminal: out[0] is a socket and `in`, too */
    struct strbuf pending[2];
};

struct shim {
    struct arena arena;
    struct shim_spec spec;
    int dir_fd, listen_fd, signal_fd, self_pid_ns;
    pid_t pid;       /* of the container's program; 0: not running */
    struct rootfs_user user; /* who it started as; has_user.  The container may change its /etc/passwd later: that makes nobody else of an exec */
    bool has_user;
    int pid_ns;      /* its pid namespace, -1: the machine's */
    int status;      /* of waitpid */
    bool has_ended;
    nsec_t started_at;
    int out[2];      /* read ends of stdout and stderr; a terminal: its master; -1 */
    int in;          /* write end of stdin, -1; a terminal: the same as out[0] */
    struct strbuf in_pending; /* bytes for stdin that do not fit its pipe */
    struct shim_log log;
    struct shim_client clients[SHIM_CLIENTS];
};

/* --- shim_child.c ---------------------------------------------------------------------------------------------- */
/* Which ends of the stdio a child gets; -1: /dev/null. */
struct shim_stdio {
    int fd[3];
    bool tty;
};
struct shim_child {
    const char *const *argv;
    struct shim_stdio io;
    pid_t enter; /* exec: namespaces of this process; 0: the first process of the container */
};
/* Starts it and waits until its program runs.  ret_master: of its terminal, -1: none.  E_NOT_FOUND and E_INVALID_ARG: the program cannot be started; *ret_exit_code is 126, 127 or 128 then. */
int shim_child_start(struct shim *s, const struct shim_child *c, pid_t *ret_pid, int *ret_master, int *ret_exit_code, struct err *err) MUST_CHECK;

/* --- shim_requests.c -------------------------------------------------------------------------------------------- */
int shim_requests_open(struct shim *s, struct err *err) MUST_CHECK;
/* Adds what it waits for; how many. */
size_t shim_requests_poll(struct shim *s, struct pollfd *fds);
#define SHIM_POLL_PER_CLIENT 4
void shim_requests_run(struct shim *s, const struct pollfd *fds, size_t n);
/* A child that is not the container's program has ended. */
void shim_requests_reaped(struct shim *s, pid_t pid, int status);
/* Output for those who are attached. */
void shim_requests_output(struct shim *s, unsigned stream, str bytes);
/* The container has ended: tells everybody; gives slow readers a moment. */
void shim_requests_close(struct shim *s, int exit_code);
bool shim_requests_are_idle(const struct shim *s); /* nothing is pending for a client */

/* --- shim_oci.c -------------------------------------------------------------------------------------------------- */
int shim_oci_start(struct shim *s, const struct shim_stdio *io, pid_t *ret_pid, int *ret_master, int *ret_exit_code, struct err *err) MUST_CHECK;
void shim_oci_delete(struct shim *s);

/* --- shim.c ------------------------------------------------------------------------------------------------------ */
/* Exit code as shells have it: 128 + signal. */
int shim_exit_code(int status);
/* Sends bytes and up to 3 descriptors in one message; 0 or -errno. */
int shim_send(int sock, str bytes, const int *fds, size_t nfds);
/* One message; its length, 0 at the end, -errno.  ret_fds: up to 3, *ret_nfds of them came. */
ssize_t shim_recv(int sock, void *buf, size_t cap, int *ret_fds, size_t *ret_nfds);
