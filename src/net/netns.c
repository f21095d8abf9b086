/* Namespaces on files; see netns.h. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "net/netns.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "rt/file.h"
#include "rt/thread.h"

struct job {
    int netns_fd; /* -1: a new one */
    const char *path;
    int (*fn)(void *arg);
    void *arg;
    int result;
};

bool netns_exists(const char *path)
{
    struct statfs fs;
    return statfs(path, &fs) == 0 && fs.f_type == NSFS_MAGIC;
}

static void run_inside(void *arg)
{
    struct job *j = arg;
    j->result = setns(j->netns_fd, CLONE_NEWNET) < 0 ? -errno : j->fn(j->arg);
}

static void make_new(void *arg)
{
    struct job *j = arg;
    char self[64];
    snprintf(self, sizeof self, "/proc/self/task/%d/ns/net", (int)gettid());
    j->result = unshare(CLONE_NEWNET) < 0 || mount(self, j->path, NULL, MS_BIND, NULL) < 0 ? -errno : 0;
}

static int on_helper(struct job *j, void (*run)(void *))
{
    struct thread t;
    struct err err = ERR_NONE;
    j->result = -EAGAIN;
    if (thread_start(&t, "netns", run, j, &err) < 0)
        return -EAGAIN;
    thread_join(&t);
    return j->result;
}

int netns_run(int netns_fd, int (*fn)(void *arg), void *arg)
{
    struct job j = {.netns_fd = netns_fd, .fn = fn, .arg = arg};
    return on_helper(&j, run_inside);
}

int netns_create(const char *path, struct err *err)
{
    if (netns_exists(path))
        return err_set(err, E_EXISTS, "a network namespace is on %s already", path);
    FD_AUTO fd = open(path, O_RDONLY | O_CREAT | O_CLOEXEC, 0444);
    if (fd < 0)
        return err_sys(err, errno, "cannot create %s", path);
    struct job j = {.netns_fd = -1, .path = path};
    int r = on_helper(&j, make_new);
    if (r == 0)
        return 0;
    unlink(path);
    return err_sys(err, -r, "cannot make a network namespace on %s", path);
}

int netns_remove(const char *path, struct err *err)
{
    /* a crash between two calls may have left a mount on a mount */
    while (netns_exists(path)) {
        if (umount2(path, MNT_DETACH) < 0)
            return err_sys(err, errno, "cannot unmount the network namespace on %s", path);
    }
    if (unlink(path) < 0 && errno != ENOENT)
        return err_sys(err, errno, "cannot remove %s", path);
    return 0;
}
