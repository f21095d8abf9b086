/* SPDX-License-Identifier: Apache-2.0 */
#include "apiserver/extension.h"

#include "apiserver/internal.h"

void apiserver_add_metrics(struct apiserver *s, apiserver_ask_fn *ask, void *arg)
{
    BUG_ON(s->nsources == APISERVER_METRICS_SOURCES);
    s->sources[s->nsources++] = (struct apiserver_source){ask, arg};
}

void apiserver_set_explain(struct apiserver *s, apiserver_ask_fn *ask, void *arg)
{
    s->explain = (struct apiserver_source){ask, arg};
}

void apiserver_set_simulate(struct apiserver *s, apiserver_ask_fn *ask, void *arg)
{
    s->simulate = (struct apiserver_source){ask, arg};
}

static struct apiserver_question *question_new(struct api_req *q, void (*answered)(struct loop_msg *m))
{
    struct apiserver_question *x = arena_new(q->arena, struct apiserver_question);
    x->loop_ = q->loop;
    x->answered_.fn = answered;
    x->q_ = q;
    return x;
}

void apiserver_answer(struct apiserver_question *x)
{
    loop_post(x->loop_, &x->answered_);
}

/* --- metrics --------------------------------------------------------------------------------------------------------------- */

static void metrics_finish(struct apiserver_question *x)
{
    struct api_req *q = x->q_;
    struct strbuf b = strbuf_on(q->arena);
    metrics_write(q->srv->metrics, q->srv, &b);
    strbuf_add_str(&b, strbuf_str(&x->text));
    strbuf_fini(&x->text);
    api_answer(q, 200, S("text/plain; version=0.0.4; charset=utf-8"), strbuf_str(&b));
}

static void metrics_ask_next(struct apiserver_question *x)
{
    struct apiserver *s = ((struct api_req *)x->q_)->srv;
    if (x->source_ == s->nsources)
        metrics_finish(x);
    else
        s->sources[x->source_].ask(s->sources[x->source_].arg, x);
}

static void metrics_answered(struct loop_msg *m)
{
    struct apiserver_question *x = container_of(m, struct apiserver_question, answered_);
    x->source_++;
    x->err = ERR_NONE;
    metrics_ask_next(x);
}

void extension_metrics(struct api_req *q)
{
    metrics_ask_next(question_new(q, metrics_answered));
}

/* --- explain --------------------------------------------------------------------------------------------------------------- */

static void explain_answered(struct loop_msg *m)
{
    struct apiserver_question *x = container_of(m, struct apiserver_question, answered_);
    struct api_req *q = x->q_;
    str text = arena_str(q->arena, strbuf_str(&x->text));
    strbuf_fini(&x->text);
    if (x->err.code)
        api_answer_err(q, &x->err);
    else
        api_answer_text(q, 200, text);
}

/* The question is read here, so that what is no JSON or YAML never reaches the scheduler. */
void extension_simulate(struct api_req *q)
{
    struct json queue, body;
    struct err err;
    enum api_media media;
    const struct apiserver_source *to = &q->srv->simulate;
    if (!str_is(q->target.verb, "create")) {
        err_set(&err, E_METHOD, "ask with POST; the body says which pods are meant");
        api_answer_err(q, &err);
        return;
    }
    if (!object_get(q->srv->store, q->arena, q->res, q->target.ns, q->target.name, &queue, NULL)) {
        api_answer_not_found(q);
        return;
    }
    if (negotiate_body(q, &media, &err) < 0) {
        api_answer_err(q, &err);
        return;
    }
    if (media == API_MEDIA_PROTOBUF) {
        err_set(&err, E_MEDIA_TYPE, "a question to a queue is JSON or YAML");
        api_answer_err(q, &err);
        return;
    }
    if (api_parse_body(q->arena, media, q->body, NULL, &body, NULL, &err) < 0) {
        api_answer_err(q, &err);
        return;
    }
    if (!to->ask) {
        err_set(&err, E_UNAVAILABLE, "no scheduler runs in this server, so it cannot say; \"cox sim --what-if FILE\" can, from outside");
        api_answer_err(q, &err);
        return;
    }
    struct apiserver_question *x = question_new(q, explain_answered);
    x->name = q->target.name;
    x->body = json_text(q->arena, &body);
    to->ask(to->arg, x);
}

/* A task, or the group of its name that the scheduler knows.  Tasks are worked on in one namespace: one of another may have the name of somebody else's task. */
void extension_explain_task(struct api_req *q)
{
    struct json obj;
    struct err err;
    const struct apiserver_source *to = &q->srv->explain;
    if (!object_get(q->srv->store, q->arena, q->res, q->target.ns, q->target.name, &obj, NULL)) {
        api_answer_not_found(q);
        return;
    }
    if (q->target.ns.len && !str_is(q->target.ns, "cross-domain")) {
        err_set(&err, E_INVALID_ARG, "nothing is done for tasks outside of namespace cross-domain, so there is nothing to explain");
        api_answer_err(q, &err);
        return;
    }
    if (!to->ask) {
        err_set(&err, E_UNAVAILABLE, "no scheduler runs in this server, so it cannot say why");
        api_answer_err(q, &err);
        return;
    }
    struct apiserver_question *x = question_new(q, explain_answered);
    x->name = q->target.name;
    x->scheduler = S("kuscia-scheduler");
    to->ask(to->arg, x);
}

void extension_explain(struct api_req *q)
{
    struct json pod;
    struct err err;
    const struct apiserver_source *to = &q->srv->explain;
    if (!object_get(q->srv->store, q->arena, q->res, q->target.ns, q->target.name, &pod, NULL)) {
        api_answer_not_found(q);
        return;
    }
    str phase = json_get_str(json_get(&pod, S("status")), S("phase"));
    if (str_is(phase, "Succeeded") || str_is(phase, "Failed")) {
        err_set(&err, E_INVALID_ARG, "pod \"" STR_FMT "\" has ended (" STR_FMT "); there is nothing left to explain", STR_ARG(q->target.name), STR_ARG(phase));
        api_answer_err(q, &err);
        return;
    }
    if (!to->ask) {
        err_set(&err, E_UNAVAILABLE, "no scheduler runs in this server, so it cannot say why; \"cox why\" can, from outside");
        api_answer_err(q, &err);
        return;
    }
    struct apiserver_question *x = question_new(q, explain_answered);
    x->ns = q->target.ns;
    x->name = q->target.name;
    x->scheduler = json_get_str(json_get(&pod, S("spec")), S("schedulerName"));
    to->ask(to->arg, x);
}
