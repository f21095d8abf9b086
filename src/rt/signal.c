/* SPDX-License-Identifier: Apache-2.0 */
#include "rt/signal.h"

#include <errno.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <unistd.h>

static sigset_t watched(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGHUP);
    return set;
}

void signal_block(void)
{
    sigset_t set = watched();
    signal(SIGPIPE, SIG_IGN);
    BUG_ON(pthread_sigmask(SIG_BLOCK, &set, NULL) != 0);
}

static void ready(struct loop_fd *f, uint32_t events UNUSED)
{
    struct signal_watch *w = container_of(f, struct signal_watch, fd_);
    struct signalfd_siginfo info;
    if (read(f->fd, &info, sizeof info) == sizeof info)
        w->on_signal(w, (int)info.ssi_signo);
}

int signal_watch_start(struct signal_watch *w, struct loop *l, struct err *err)
{
    sigset_t set = watched();
    w->loop_ = l;
    w->fd_ = (struct loop_fd){.fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC), .ready = ready};
    if (w->fd_.fd < 0)
        return err_sys(err, errno, "cannot watch for signals");
    int r = loop_fd_add(l, &w->fd_, EPOLLIN, err);
    if (r < 0)
        close(w->fd_.fd);
    return r;
}

void signal_watch_stop(struct signal_watch *w)
{
    loop_fd_del(w->loop_, &w->fd_);
    close(w->fd_.fd);
}
