/* SPDX-License-Identifier: Apache-2.0 */
#include "apiserver/extension.h"

#include "apiserver/authz_testing.h"

static struct loop *loop;
static int answer_status;
static str answer_text;
static struct arena *answer_arena;

static void keep_answer(struct api_req *q UNUSED, const struct http_response *res)
{
    answer_status = res->status;
    answer_text = arena_str(answer_arena, res->body);
    loop_stop(loop);
}

static const struct api_sink sink = {.respond = keep_answer};

/* A part of the process that answers at once, or only when it is told to. */
struct part {
    const char *text;
    int code;
    bool waits;
    struct apiserver_question *asked;
};

static void answer_of(struct part *p)
{
    if (p->code)
        err_set(&p->asked->err, p->code, "%s", p->text);
    else
        strbuf_addf(&p->asked->text, "%s", p->text);
    apiserver_answer(p->asked);
}

static void ask(void *arg, struct apiserver_question *x)
{
    struct part *p = arg;
    p->asked = x;
    if (!p->waits)
        answer_of(p);
}

static void start(struct testing *t)
{
    struct err err;
    testing_init(t);
    answer_arena = &t->arena;
    answer_status = 0;
    loop = loop_new("test", &clock_real, &err);
    T_OK(loop != NULL);
    testing_put(t, S(""), S("pods"), "{'metadata':{'name':'a','namespace':'default'},'spec':{'schedulerName':'mine'},'status':{'phase':'Pending'}}");
    testing_put(t, S(""), S("pods"), "{'metadata':{'name':'ended','namespace':'default'},'spec':{'schedulerName':'mine'},'status':{'phase':'Failed'}}");
}

static void finish(struct testing *t)
{
    loop_free(loop);
    testing_fini(t);
}

static struct api_req *request(struct testing *t, str name)
{
    struct api_req *q = arena_new(&t->arena, struct api_req);
    *q = (struct api_req){.srv = &t->srv, .arena = &t->arena, .loop = loop, .sink = &sink, .method = S("GET"), .accept = S("application/json")};
    q->target = (struct api_target){.is_resource = true, .verb = S("get"), .version = S("v1"), .resource = S("pods"), .subresource = S("explain"), .ns = S("default"), .name = name};
    q->res = object_builtin(S(""), S("pods"));
    return q;
}

static void explain(struct testing *t, str name)
{
    answer_status = 0;
    extension_explain(request(t, name));
    loop_run(loop);
}

TEST(explain_is_asked)
{
    struct testing t;
    struct part p = {.text = "{\"result\":\"Rejected\"}"};
    start(&t);
    apiserver_set_explain(&t.srv, ask, &p);
    explain(&t, S("a"));
    T_EQ_INT(answer_status, 200);
    T_EQ_STR(answer_text, "{\"result\":\"Rejected\"}");
    T_EQ_STR(p.asked->name, "a");
    T_EQ_STR(p.asked->scheduler, "mine");
    finish(&t);
}

TEST(explain_waits_for_the_answer)
{
    struct testing t;
    struct part p = {.text = "{}", .waits = true};
    start(&t);
    apiserver_set_explain(&t.srv, ask, &p);
    extension_explain(request(&t, S("a")));
    T_EQ_INT(answer_status, 0);
    answer_of(&p);
    loop_run(loop);
    T_EQ_INT(answer_status, 200);
    finish(&t);
}

TEST(explain_is_refused)
{
    static const struct {
        const char *name;
        int code, status;
        const char *message;
    } rows[] = {
        {"a", E_UNAVAILABLE, 503, "is closed"},
        {"a", E_INVALID_ARG, 400, "is closed"},
        {"none", 0, 404, "pods \\\"none\\\" not found"},
        {"ended", 0, 400, "has ended (Failed)"},
    };
    struct testing t;
    start(&t);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct part p = {.text = "is closed", .code = rows[i].code};
        apiserver_set_explain(&t.srv, ask, &p);
        explain(&t, str_of(rows[i].name));
        T_EQ_INT(answer_status, rows[i].status);
        T_OK(str_find(answer_text, str_of(rows[i].message)) >= 0);
    }
    apiserver_set_explain(&t.srv, NULL, NULL);
    explain(&t, S("a"));
    T_EQ_INT(answer_status, 503);
    T_OK(str_find(answer_text, S("no scheduler runs in this server")) >= 0);
    finish(&t);
}

TEST(metrics_of_all_parts)
{
    struct testing t;
    struct part first = {.text = "first 1\n"}, broken = {.text = "stopped", .code = E_UNAVAILABLE}, last = {.text = "last 1\n"};
    start(&t);
    t.srv.metrics = metrics_new();
    registry_init(&t.srv.registry);
    apiserver_add_metrics(&t.srv, ask, &first);
    apiserver_add_metrics(&t.srv, ask, &broken);
    apiserver_add_metrics(&t.srv, ask, &last);
    extension_metrics(request(&t, S("a")));
    loop_run(loop);
    T_EQ_INT(answer_status, 200);
    T_OK(str_find(answer_text, S("apiserver_current_inflight_requests")) >= 0);
    T_OK(str_find(answer_text, S("\nfirst 1\nlast 1\n")) >= 0);
    registry_fini(&t.srv.registry);
    metrics_free(t.srv.metrics);
    finish(&t);
}

TEST_MAIN(explain_is_asked, explain_waits_for_the_answer, explain_is_refused, metrics_of_all_parts)
