/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/runtime/runtime_spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/runtime/runtime_shim.h"
#include "agent/shim/shim.h"
#include "rt/file.h"
#include "rt/net.h"

#define P_PIDFD_ 3 /* idtype of waitid; glibc has it as an enum that older headers lack */

static const char *const plain_env[] = {"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", NULL};

int pidfd_open_checked(pid_t pid, int64_t start)
{
    int fd = pidfd_open(pid, 0);
    if (fd >= 0 && (!start || shim_proc_start(pid) != start)) { /* a start of 0: it was dead when it was written down */
        close(fd);
        return -1;
    }
    return fd;
}

void pidfd_kill(int pidfd, int signo)
{
    if (signo)
        pidfd_send_signal(pidfd, signo, NULL, 0);
}

bool shim_runtime_wait(int pidfd, nsec_t patience_ns)
{
    if (!net_wait(pidfd, POLLIN, patience_ns))
        return false;
    siginfo_t info = {0};
    waitid((idtype_t)P_PIDFD_, (id_t)pidfd, &info, WEXITED | WNOHANG); /* not our child after a restart: somebody else reaps it */
    return true;
}

static void plain_signals(posix_spawnattr_t *attr, short flags)
{
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_init(attr);
    posix_spawnattr_setflags(attr, (short)(flags | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF));
    posix_spawnattr_setsigmask(attr, &none);
    posix_spawnattr_setsigdefault(attr, &all);
}

/* Numbers from 10 on: 3 and 4 are about to be filled. */
static int high_socketpair(int sv[2])
{
    int low[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, low) < 0)
        return -1;
    for (int i = 0; i < 2; i++) {
        sv[i] = fcntl(low[i], F_DUPFD_CLOEXEC, 10);
        close(low[i]);
    }
    return sv[0] < 0 || sv[1] < 0 ? -1 : 0;
}

static void shim_actions(posix_spawn_file_actions_t *fa, int report, int exe_fd, const char *log)
{
    posix_spawn_file_actions_init(fa);
    posix_spawn_file_actions_addopen(fa, 0, "/dev/null", O_RDWR, 0);
    posix_spawn_file_actions_adddup2(fa, 0, 1);
    posix_spawn_file_actions_addopen(fa, 2, log, O_WRONLY | O_CREAT | O_APPEND, 0600);
    posix_spawn_file_actions_adddup2(fa, report, SHIM_REPORT_FD);
    posix_spawn_file_actions_adddup2(fa, exe_fd >= 0 ? exe_fd : 0, SHIM_REPORT_FD + 1);
    posix_spawn_file_actions_addclosefrom_np(fa, SHIM_REPORT_FD + 2);
    posix_spawn_file_actions_addchdir_np(fa, "/");
}

int spawn_shim(int exe_fd, const char *program, const char *const *args, const char *log_dir, int *ret_report, int *ret_pidfd, struct err *err)
{
    const char *argv[8] = {"cox", "shim"};
    for (size_t i = 2; args[i - 2] && i < ARRAY_LEN(argv) - 1; i++)
        argv[i] = args[i - 2];
    int sv[2];
    if (high_socketpair(sv) < 0)
        return err_sys(err, errno, "cannot make a socket");
    char log[4096], path[32];
    snprintf(log, sizeof log, "%s/shim.log", log_dir);
    snprintf(path, sizeof path, "/proc/self/fd/%d", SHIM_REPORT_FD + 1);
    posix_spawn_file_actions_t fa;
    posix_spawnattr_t attr;
    shim_actions(&fa, sv[1], exe_fd, log);
    plain_signals(&attr, POSIX_SPAWN_SETSID);
    pid_t pid;
    int r = posix_spawn(&pid, exe_fd >= 0 ? path : program, &fa, &attr, (char *const *)(uintptr_t)argv, (char *const *)(uintptr_t)plain_env);
    posix_spawn_file_actions_destroy(&fa);
    posix_spawnattr_destroy(&attr);
    close(sv[1]);
    int pidfd = r ? -1 : pidfd_open(pid, 0);
    if (pidfd < 0) {
        close(sv[0]);
        return err_sys(err, r ? r : errno, "cannot start %s", program);
    }
    *ret_report = sv[0];
    *ret_pidfd = pidfd;
    return 0;
}

int spawn_and_wait(const char *const *argv, nsec_t patience_ns, char *ret_output, size_t cap)
{
    int out[2] = {-1, -1}, status = 0;
    if (ret_output && pipe2(out, O_CLOEXEC) < 0)
        return -1;
    posix_spawn_file_actions_t fa;
    posix_spawnattr_t attr;
    posix_spawn_file_actions_init(&fa);
    posix_spawn_file_actions_addopen(&fa, 0, "/dev/null", O_RDWR, 0);
    posix_spawn_file_actions_adddup2(&fa, ret_output ? out[1] : 0, 1);
    posix_spawn_file_actions_adddup2(&fa, 1, 2);
    posix_spawn_file_actions_addclosefrom_np(&fa, 3);
    plain_signals(&attr, 0);
    pid_t pid;
    int r = posix_spawn(&pid, argv[0], &fa, &attr, (char *const *)(uintptr_t)argv, (char *const *)(uintptr_t)plain_env);
    posix_spawn_file_actions_destroy(&fa);
    posix_spawnattr_destroy(&attr);
    if (ret_output)
        close(out[1]);
    bool ended = false;
    if (r == 0) {
        FD_AUTO pidfd = pidfd_open(pid, 0);
        ended = net_wait(pidfd, POLLIN, patience_ns);
        if (!ended)
            kill(pid, SIGKILL);
        waitpid(pid, &status, 0);
    }
    if (ret_output) {
        fcntl(out[0], F_SETFL, O_NONBLOCK);
        ssize_t n = read(out[0], ret_output, cap - 1);
        ret_output[MAX(n, 0)] = 0;
        close(out[0]);
    }
    return r ? -1 : !ended ? -2 : WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int shim_runtime_oci_delete(const char *oci, const char *oci_root, const char *id)
{
    return spawn_and_wait((const char *const[]){oci, "--root", oci_root, "delete", "--force", id, NULL}, 60 * NSEC_PER_SEC, NULL, 0);
}
