/* seccomp_names.c - names of system calls and their numbers on this machine.
 *
 * COMMON are those that 64-bit x86 and ARM both have in Debian 12's headers, X86 the older ones that only x86 has. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <sys/syscall.h>

#include "agent/isolation/seccomp.h"

#define COMMON(X) \
    X(accept) X(accept4) X(acct) X(add_key) X(adjtimex) X(bind) X(bpf) X(brk) X(capget) X(capset) X(chdir) X(chroot) \
    X(clock_adjtime) X(clock_getres) X(clock_gettime) X(clock_nanosleep) X(clock_settime) X(clone) X(clone3) X(close) \
    X(close_range) X(connect) X(copy_file_range) X(delete_module) X(dup) X(dup3) X(epoll_create1) X(epoll_ctl) X(epoll_pwait) \
    X(epoll_pwait2) X(eventfd2) X(execve) X(execveat) X(exit) X(exit_group) X(faccessat) X(faccessat2) X(fadvise64) \
    X(fallocate) X(fanotify_init) X(fanotify_mark) X(fchdir) X(fchmod) X(fchmodat) X(fchown) X(fchownat) X(fcntl) \
    X(fdatasync) X(fgetxattr) X(finit_module) X(flistxattr) X(flock) X(fremovexattr) X(fsconfig) X(fsetxattr) X(fsmount) \
    X(fsopen) X(fspick) X(fstat) X(fstatfs) X(fsync) X(ftruncate) X(futex) X(futex_waitv) X(get_mempolicy) X(get_robust_list) \
    X(getcpu) X(getcwd) X(getdents64) X(getegid) X(geteuid) X(getgid) X(getgroups) X(getitimer) X(getpeername) X(getpgid) \
    X(getpid) X(getppid) X(getpriority) X(getrandom) X(getresgid) X(getresuid) X(getrlimit) X(getrusage) X(getsid) \
    X(getsockname) X(getsockopt) X(gettid) X(gettimeofday) X(getuid) X(getxattr) X(init_module) X(inotify_add_watch) \
    X(inotify_init1) X(inotify_rm_watch) X(io_cancel) X(io_destroy) X(io_getevents) X(io_pgetevents) X(io_setup) X(io_submit) \
    X(io_uring_enter) X(io_uring_register) X(io_uring_setup) X(ioctl) X(ioprio_get) X(ioprio_set) X(kcmp) X(kexec_file_load) \
    X(kexec_load) X(keyctl) X(kill) X(landlock_add_rule) X(landlock_create_ruleset) X(landlock_restrict_self) X(lgetxattr) \
    X(linkat) X(listen) X(listxattr) X(llistxattr) X(lookup_dcookie) X(lremovexattr) X(lseek) X(lsetxattr) X(madvise) \
    X(mbind) X(membarrier) X(memfd_create) X(migrate_pages) X(mincore) X(mkdirat) X(mknodat) X(mlock) X(mlock2) X(mlockall) \
    X(mmap) X(mount) X(mount_setattr) X(move_mount) X(move_pages) X(mprotect) X(mq_getsetattr) X(mq_notify) X(mq_open) \
    X(mq_timedreceive) X(mq_timedsend) X(mq_unlink) X(mremap) X(msgctl) X(msgget) X(msgrcv) X(msgsnd) X(msync) X(munlock) \
    X(munlockall) X(munmap) X(name_to_handle_at) X(nanosleep) X(newfstatat) X(nfsservctl) X(open_by_handle_at) X(open_tree) \
    X(openat) X(openat2) X(perf_event_open) X(personality) X(pidfd_getfd) X(pidfd_open) X(pidfd_send_signal) X(pipe2) \
    X(pivot_root) X(pkey_alloc) X(pkey_free) X(pkey_mprotect) X(ppoll) X(prctl) X(pread64) X(preadv) X(preadv2) X(prlimit64) \
    X(process_madvise) X(process_mrelease) X(process_vm_readv) X(process_vm_writev) X(pselect6) X(ptrace) X(pwrite64) \
    X(pwritev) X(pwritev2) X(quotactl) X(quotactl_fd) X(read) X(readahead) X(readlinkat) X(readv) X(reboot) X(recvfrom) \
    X(recvmmsg) X(recvmsg) X(remap_file_pages) X(removexattr) X(renameat) X(renameat2) X(request_key) X(restart_syscall) \
    X(rseq) X(rt_sigaction) X(rt_sigpending) X(rt_sigprocmask) X(rt_sigqueueinfo) X(rt_sigreturn) X(rt_sigsuspend) \
    X(rt_sigtimedwait) X(rt_tgsigqueueinfo) X(sched_get_priority_max) X(sched_get_priority_min) X(sched_getaffinity) \
    X(sched_getattr) X(sched_getparam) X(sched_getscheduler) X(sched_rr_get_interval) X(sched_setaffinity) X(sched_setattr) \
    X(sched_setparam) X(sched_setscheduler) X(sched_yield) X(seccomp) X(semctl) X(semget) X(semop) X(semtimedop) X(sendfile) \
    X(sendmmsg) X(sendmsg) X(sendto) X(set_mempolicy) X(set_mempolicy_home_node) X(set_robust_list) X(set_tid_address) \
    X(setdomainname) X(setfsgid) X(setfsuid) X(setgid) X(setgroups) X(sethostname) X(setitimer) X(setns) X(setpgid) \
    X(setpriority) X(setregid) X(setresgid) X(setresuid) X(setreuid) X(setrlimit) X(setsid) X(setsockopt) X(settimeofday) \
    X(setuid) X(setxattr) X(shmat) X(shmctl) X(shmdt) X(shmget) X(shutdown) X(sigaltstack) X(signalfd4) X(socket) \
    X(socketpair) X(splice) X(statfs) X(statx) X(swapoff) X(swapon) X(symlinkat) X(sync) X(sync_file_range) X(syncfs) \
    X(sysinfo) X(syslog) X(tee) X(tgkill) X(timer_create) X(timer_delete) X(timer_getoverrun) X(timer_gettime) \
    X(timer_settime) X(timerfd_create) X(timerfd_gettime) X(timerfd_settime) X(times) X(tkill) X(truncate) X(umask) \
    X(umount2) X(uname) X(unlinkat) X(unshare) X(userfaultfd) X(utimensat) X(vhangup) X(vmsplice) X(wait4) X(waitid) X(write) \
    X(writev)

#define X86(X) \
    X(_sysctl) X(access) X(afs_syscall) X(alarm) X(arch_prctl) X(chmod) X(chown) X(creat) X(create_module) X(dup2) \
    X(epoll_create) X(epoll_ctl_old) X(epoll_wait) X(epoll_wait_old) X(eventfd) X(fork) X(futimesat) X(get_kernel_syms) \
    X(get_thread_area) X(getdents) X(getpgrp) X(getpmsg) X(inotify_init) X(ioperm) X(iopl) X(lchown) X(link) X(lstat) \
    X(memfd_secret) X(mkdir) X(mknod) X(modify_ldt) X(open) X(pause) X(pipe) X(poll) X(putpmsg) X(query_module) X(readlink) \
    X(rename) X(rmdir) X(security) X(select) X(set_thread_area) X(signalfd) X(stat) X(symlink) X(sysfs) X(time) X(tuxcall) \
    X(unlink) X(uselib) X(ustat) X(utime) X(utimes) X(vfork) X(vserver)

static const struct {
    const char *name;
    int number;
} calls[] = {
#define X(name) {#name, __NR_##name},
    COMMON(X)
#ifdef __x86_64__
    X86(X)
#endif
#undef X
};

/* Profiles are read once a container: 400 comparisons a name are fast enough. */
int seccomp_number(str name)
{
    for (size_t i = 0; i < ARRAY_LEN(calls); i++) {
        if (str_is(name, calls[i].name))
            return calls[i].number;
    }
    return -1;
}
