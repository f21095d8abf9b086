/* SPDX-License-Identifier: Apache-2.0 */
#include "rt/thread.h"

#include <signal.h>

static _Thread_local const char *own_name = "main";

static void *start(void *arg)
{
    struct thread *t = arg;
    own_name = t->name;
    pthread_setname_np(pthread_self(), t->name);
    t->run_(t->arg_);
    return NULL;
}

/* Signals are for the first thread: a new one starts with all of them blocked. */
static int create(pthread_t *ret, const pthread_attr_t *attr, void *(*run)(void *arg), void *arg)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int r = pthread_create(ret, attr, run, arg);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return r;
}

int thread_start(struct thread *t, const char *name, void (*run)(void *arg), void *arg, struct err *err)
{
    *t = (struct thread){.run_ = run, .arg_ = arg};
    snprintf(t->name, sizeof t->name, "%s", name);
    int r = create(&t->id_, NULL, start, t);
    if (r != 0)
        return err_sys(err, r, "cannot start thread \"%s\"", name);
    t->started_ = true;
    return 0;
}

void thread_join(struct thread *t)
{
    if (!t->started_)
        return;
    BUG_ON(pthread_join(t->id_, NULL) != 0);
    t->started_ = false;
}

static void *start_detached(void *arg)
{
    struct thread *t = arg;
    start(t);
    own_name = "main";
    free(t);
    return NULL;
}

int thread_detached(const char *name, void (*run)(void *arg), void *arg)
{
    pthread_t id;
    pthread_attr_t attr;
    struct thread *t = xnew(struct thread);
    *t = (struct thread){.run_ = run, .arg_ = arg};
    snprintf(t->name, sizeof t->name, "%s", name);
    pthread_attr_init(&attr);
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    int r = create(&id, &attr, start_detached, t);
    pthread_attr_destroy(&attr);
    if (r != 0)
        free(t);
    return r;
}

const char *thread_name(void)
{
    return own_name;
}

bool thread_is(const char *role)
{
    str name = str_of(own_name), want = str_of(role);
    return str_has_prefix(name, want) && (name.len == want.len || name.p[want.len] == '-');
}
