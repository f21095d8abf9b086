/* SPDX-License-Identifier: Apache-2.0 */
#include "rt/work.h"

#include <pthread.h>

#include "rt/thread.h"

struct work_pool {
    char name[THREAD_NAME_MAX - 4]; /* a number comes behind */
    unsigned max;
    pthread_mutex_t lock; /* guards everything below */
    pthread_cond_t wake;
    struct work_item *head, **tail;
    struct thread *threads;
    unsigned nthreads, idle;
    bool stopping;
};

struct work_pool *work_pool_new(const char *name, unsigned threads)
{
    struct work_pool *p = xcalloc(1, sizeof *p);
    snprintf(p->name, sizeof p->name, "%s", name);
    p->max = MAX(threads, 1u);
    p->threads = xcalloc(p->max, sizeof *p->threads);
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->wake, NULL);
    p->tail = &p->head;
    return p;
}

static void on_done(struct loop_msg *m)
{
    struct work_item *w = container_of(m, struct work_item, msg_);
    w->done(w);
}

/* The next item, NULL: the pool ends.  With the lock held. */
static struct work_item *wait_for_item(struct work_pool *p)
{
    p->idle++;
    while (!p->head && !p->stopping)
        pthread_cond_wait(&p->wake, &p->lock);
    p->idle--;
    struct work_item *w = p->stopping ? NULL : p->head;
    if (w) {
        p->head = w->next_;
        if (!p->head)
            p->tail = &p->head;
    }
    return w;
}

static void run_items(void *arg)
{
    struct work_pool *p = arg;
    pthread_mutex_lock(&p->lock);
    for (struct work_item *w; (w = wait_for_item(p));) {
        pthread_mutex_unlock(&p->lock);
        w->run(w);
        w->msg_.fn = on_done;
        loop_post(w->loop, &w->msg_);
        pthread_mutex_lock(&p->lock);
    }
    pthread_mutex_unlock(&p->lock);
}

/* With the lock held.  A machine that has no thread left is no reason to stop while another one works; without any the item would wait for ever. */
static void start_thread(struct work_pool *p)
{
    struct err err = ERR_NONE;
    char name[THREAD_NAME_MAX + 8];
    snprintf(name, sizeof name, "%s-%u", p->name, p->nthreads);
    if (thread_start(&p->threads[p->nthreads], name, run_items, p, &err) == 0)
        p->nthreads++;
    BUG_ON(p->nthreads == 0);
}

void work_submit(struct work_pool *p, struct work_item *w)
{
    w->next_ = NULL;
    pthread_mutex_lock(&p->lock);
    bool waits = p->head != NULL; /* a thread that was woken may not have taken its item yet */
    *p->tail = w;
    p->tail = &w->next_;
    if ((p->idle == 0 || waits) && p->nthreads < p->max)
        start_thread(p);
    pthread_cond_signal(&p->wake);
    pthread_mutex_unlock(&p->lock);
}

void work_pool_free(struct work_pool *p)
{
    if (!p)
        return;
    pthread_mutex_lock(&p->lock);
    p->stopping = true;
    pthread_cond_broadcast(&p->wake);
    pthread_mutex_unlock(&p->lock);
    for (unsigned i = 0; i < p->nthreads; i++)
        thread_join(&p->threads[i]);
    pthread_cond_destroy(&p->wake);
    pthread_mutex_destroy(&p->lock);
    free(p->threads);
    free(p);
}
