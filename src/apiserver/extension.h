/* extension.h - what other parts of the process say through the API server: their metrics, why a pod waits, what would become of work in a queue.
 *
 *   io loop: request ── ask(arg, question) ──► the part's loop: fills in ── apiserver_answer ──► io loop: the response
 * The API server knows no scheduler and no agent; they are handed in as functions by whoever puts the process together.
 * Threads: set before the loops run; the functions are called on io loops and must not block: they post to a loop of their own.  apiserver_answer from any thread.
 * Ownership: a question is the API server's; it belongs to the part from the call until apiserver_answer, which must come exactly once, or never when everything is
 * being freed.
 * Limits: APISERVER_METRICS_SOURCES. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/err.h"
#include "rt/loop.h"

struct apiserver;

#define APISERVER_METRICS_SOURCES 4

struct apiserver_question {
    /* of a pod: */
    str ns, name, scheduler; /* schedulerName; ns "": of a task and all its parties */
    str body;                /* of a queue (name): the question as JSON */
    struct loop_msg ask;     /* for the part's own use, to post the question to its loop */
    void *part;              /* the same */
    /* the answer: */
    struct err err;     /* code 0: there is one */
    struct strbuf text; /* on the heap: metrics in Prometheus' format; a JSON object */
    struct loop *loop_;
    struct loop_msg answered_;
    void *q_;
    size_t source_;
};
typedef void apiserver_ask_fn(void *arg, struct apiserver_question *x);

/* Asked by each scrape of /metrics, one after another; a source that fails is left out. */
void apiserver_add_metrics(struct apiserver *s, apiserver_ask_fn *ask, void *arg);
/* Asked by GET pods/NAME/explain, kusciatasks/NAME/explain and taskresourcegroups/NAME/explain, of what exists. */
void apiserver_set_explain(struct apiserver *s, apiserver_ask_fn *ask, void *arg);
/* Asked by POST queues/NAME/simulate (scheduling.run.ai), for a queue that exists. */
void apiserver_set_simulate(struct apiserver *s, apiserver_ask_fn *ask, void *arg);
void apiserver_answer(struct apiserver_question *x);
