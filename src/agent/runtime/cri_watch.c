/* cri_watch.c - which containers have changed, for runtimes without events (containerd has them since 1.7 only).
 *
 *   watcher thread: list ─► compare with what was known ─► ids ─► event ─► loop: on_change(id)
 *
 * The state is asked for again by who is told, so a change that is told twice or too early does no harm. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "agent/runtime/cri_runtime.h"
#include "rt/net.h"
#include "wire/protobuf.h"

#define PERIOD_NS (500 * NSEC_PER_MSEC)
#define CHANGED_MAX 100000 /* containers of one node, many times over */

static void tell(struct cri *r, str id)
{
    uint64_t one = 1;
    pthread_mutex_lock(&r->mutex);
    if (r->changed.len < CHANGED_MAX)
        vec_push(&r->changed, str_dup(id));
    pthread_mutex_unlock(&r->mutex);
    err_ignore(write(r->news.fd, &one, sizeof one), "the event is set already");
}

static void forget_missing(struct cri *r, const struct map *seen)
{
    VEC(char *) gone = {0};
    map_foreach(e, &r->known) {
        if (!map_has(seen, e->key))
            vec_push(&gone, (char *)(uintptr_t)e->key.p);
    }
    for (size_t i = 0; i < gone.len; i++) {
        map_del(&r->known, str_of(gone.p[i]));
        tell(r, str_of(gone.p[i]));
        free(gone.p[i]);
    }
    vec_fini(&gone);
}

static void look(struct cri *r, bool is_first)
{
    ARENA_AUTO a = ARENA_INIT;
    struct map seen = MAP_INIT;
    str answer;
    if (cri_list(r, &a, &answer, NULL) < 0)
        return; /* the runtime is restarting: what runs, runs */
    struct protobuf_reader m = protobuf_reader(answer);
    while (protobuf_next(&m)) {
        if (m.number != 1 || m.type != PROTOBUF_BYTES)
            continue;
        str id = cri_bytes(m.bytes, 1);
        uintptr_t life = cri_number(m.bytes, 6) + 1;
        map_put(&seen, id, r);
        struct map_entry *e = map_find(&r->known, id);
        bool is_news = e ? (uintptr_t)e->value != life : life == CONTAINER_EXITED + 1;
        if (e)
            e->value = (void *)life;
        else
            map_put(&r->known, str_of(str_dup(id)), (void *)life);
        if (is_news && !is_first)
            tell(r, id);
    }
    if (!m.bad)
        forget_missing(r, &seen);
    map_fini(&seen);
}

static void watch(void *arg)
{
    struct cri *r = arg;
    while (!net_wait(r->stop_fd, POLLIN, PERIOD_NS))
        look(r, false);
}

static void on_news(struct loop_fd *f, uint32_t events UNUSED)
{
    struct cri *r = container_of(f, struct cri, news);
    uint64_t count;
    err_ignore(read(f->fd, &count, sizeof count), "it only wakes");
    pthread_mutex_lock(&r->mutex);
    __auto_type changed = r->changed;
    memset(&r->changed, 0, sizeof r->changed);
    pthread_mutex_unlock(&r->mutex);
    for (size_t i = 0; i < changed.len; i++) {
        if (r->o.on_change)
            r->o.on_change(r->o.arg, str_of(changed.p[i]));
        free(changed.p[i]);
    }
    vec_fini(&changed);
}

int cri_watch_start(struct cri *r, struct err *err)
{
    r->stop_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    r->news = (struct loop_fd){.fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC), .ready = on_news};
    if (r->stop_fd < 0 || r->news.fd < 0)
        return err_sys(err, errno, "cannot watch the container runtime");
    look(r, true); /* what is there now is no news */
    int code = loop_fd_add(r->o.loop, &r->news, EPOLLIN, err);
    return code < 0 ? code : thread_start(&r->watcher, "cri-watch", watch, r, err);
}

void cri_watch_stop(struct cri *r)
{
    uint64_t one = 1;
    if (r->stop_fd >= 0) {
        err_ignore(write(r->stop_fd, &one, sizeof one), "it is set already");
        thread_join(&r->watcher);
        close(r->stop_fd);
    }
    if (r->news.fd >= 0) {
        if (r->news.events)
            loop_fd_del(r->o.loop, &r->news);
        close(r->news.fd);
    }
    for (size_t i = 0; i < r->changed.len; i++)
        free(r->changed.p[i]);
    vec_fini(&r->changed);
    map_foreach(e, &r->known)
        free((char *)(uintptr_t)e->key.p);
    map_fini(&r->known);
}
