/* workload_ops.c - several calls of one job at once.
 *
 * Creates start slowly, so that a quota that is used up or a broken template costs one refused call, not a thousand. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "controllers/workloads.h"
#include "rt/failpoint.h"

struct batch {
    struct job *j;
    struct workloads *all;
    struct ops *ops;
    size_t at, in_flight, window;
    bool failed;
    void (*next)(struct job *j);
};

struct batch_call {
    struct client_call call;
    struct batch *b;
    struct op *op;
};

struct op *ops_add(struct arena *a, struct ops *o, struct op op)
{
    if (o->len == o->cap) {
        size_t cap = o->cap ? o->cap * 2 : 8;
        o->p = arena_grow(a, o->p, o->cap * sizeof *o->p, cap * sizeof *o->p);
        o->cap = cap;
    }
    o->p[o->len] = op;
    return &o->p[o->len++];
}

void ops_add_create(struct arena *a, struct ops *o, const struct workload *w, struct json pod)
{
    ops_add(a, o, (struct op){.type = OP_POD_CREATE, .method = S("POST"), .path = workload_child_path(a, w, "pods", S("")), .body = pod});
}

void ops_add_delete(struct arena *a, struct ops *o, const struct pod_record *p)
{
    str uid = arena_str(a, p->uid);
    ops_add(a, o, (struct op){.type = OP_POD_DELETE, .method = S("DELETE"), .body = delete_options(a, uid, S("")), .key = arena_str(a, p->key), .uid = uid,
                              .path = arena_fmt(a, "/api/v1/namespaces/" STR_FMT "/pods/" STR_FMT, STR_ARG(p->ns), STR_ARG(p->name))});
}

bool op_ok(const struct op *op)
{
    return (op->status >= 200 && op->status < 300) || (op->status == 404 && (op->type == OP_POD_DELETE || op->type == OP_POD_PATCH || op->type == OP_DELETE));
}

const struct op *ops_failure(const struct ops *o)
{
    for (size_t i = 0; i < o->len; i++)
        if (!op_ok(&o->p[i]) && o->p[i].status)
            return &o->p[i];
    for (size_t i = 0; i < o->len; i++)
        if (!op_ok(&o->p[i]))
            return &o->p[i];
    return NULL;
}

str op_message(const struct op *op)
{
    str text = json_get_str(&op->answer, S("message"));
    return text.len ? text : S("the API server did not answer");
}

/* The cache learns what the answer says. */
static void learn(struct batch *b, const struct op *op, str answer)
{
    struct pod_cache *pods = &b->all->pods;
    bool ok = op->status >= 200 && op->status < 300;
    if (ok && (op->type == OP_POD_CREATE || op->type == OP_POD_PATCH))
        pod_cache_wrote(pods, answer);
    else if (op_ok(op) && op->type == OP_POD_DELETE)
        pod_cache_doom(pods, op->key, op->uid);
}

static void pump(struct batch *b);

static void call_done(struct client_call *call)
{
    struct batch_call *c = container_of(call, struct batch_call, call);
    struct batch *b = c->b;
    struct op *op = c->op;
    op->status = call->status;
    bool ok = op->status >= 200 && op->status < 300;
    if (ok && !str_is(op->method, "GET"))
        FAILPOINT("controllers.write.after"); /* as of a job's single calls */
    op->answer = ok && op->unread ? json_null() : job_answer_tree(b->j, call->response);
    learn(b, op, call->response);
    b->in_flight--;
    if (op_ok(op))
        b->window = MIN(b->window + 1, (size_t)OPS_PARALLEL);
    else if (op->type == OP_POD_CREATE || !op->status)
        b->failed = true;
    pump(b);
}

static void send(struct batch *b, struct op *op)
{
    struct job *j = b->j;
    struct batch_call *c = arena_new(&j->arena, struct batch_call);
    c->b = b;
    c->op = op;
    c->call = (struct client_call){.loop = j->c->opts->loop, .method = op->method, .path = op->path, .done = call_done, .content_type = op->content_type};
    if (!json_is(&op->body, JSON_NULL)) {
        c->call.body = json_text(&j->arena, &op->body);
        if (!op->content_type.len)
            c->call.content_type = str_is(op->method, "PATCH") ? S("application/merge-patch+json") : S("application/json");
    }
    b->in_flight++;
    if (!str_is(op->method, "GET"))
        FAILPOINT("controllers.write.before");
    j->c->opts->transport->call(j->c->opts->transport, &c->call);
}

static void pump(struct batch *b)
{
    struct job *j = b->j;
    bool stopping = controllers_stopping(j->c->all);
    while (!stopping && !b->failed && b->at < b->ops->len && b->in_flight < b->window)
        send(b, &b->ops->p[b->at++]);
    if (b->in_flight)
        return;
    if (stopping)
        job_end(j, WORK_OK);
    else
        b->next(j);
}

void ops_run(struct job *j, struct ops *o, void (*next)(struct job *j))
{
    struct batch *b = arena_new(&j->arena, struct batch);
    *b = (struct batch){.j = j, .all = workloads_of(j->c), .ops = o, .window = 1, .next = next};
    for (size_t i = 0; i < o->len; i++)
        if (o->p[i].type != OP_POD_CREATE)
            b->window = OPS_PARALLEL; /* nothing to be careful about */
    pump(b);
}
