/* The simulator against a server in memory: nodes, pods, their ends, deletions, lost answers. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/simulate/simulate_internal.h"
#include "base/test.h"

/* --- a server: keeps the texts of what was sent, answers at once at the end of the turn ------------------------------ */
struct answer {
    struct loop_defer defer;
    struct client_call *call;
    struct server *server;
};

struct server {
    struct client_transport transport;
    struct loop *loop;
    struct arena a;
    struct json pods; /* "ns/name": pod */
    str node_patch; /* of the first node: what its status is told last */
    struct client_watch *watch, *node_watch;
    VEC(str) events, node_events;
    struct loop_defer tell;
    unsigned nodes, leases, node_patches, reports, deletes, reads, fail_next;
    unsigned under_way, most;
};

static void tell(struct loop_defer *d)
{
    struct server *v = container_of(d, struct server, tell);
    for (size_t i = 0; v->watch && i < v->events.len; i++)
        v->watch->event(v->watch, v->events.p[i]);
    if (v->watch)
        vec_clear(&v->events);
    for (size_t i = 0; v->node_watch && i < v->node_events.len; i++)
        v->node_watch->event(v->node_watch, v->node_events.p[i]);
    if (v->node_watch)
        vec_clear(&v->node_events);
}

static void push_event(struct server *v, const char *type, const struct json *pod)
{
    str text = json_text(&v->a, pod);
    vec_push(&v->events, arena_fmt(&v->a, "{\"type\":\"%s\",\"object\":" STR_FMT "}", type, STR_ARG(text)));
    v->tell.fn = tell;
    loop_defer(v->loop, &v->tell);
}

/* "/api/v1/namespaces/NS/pods/NAME[/status]" -> the pod. */
static struct json *find_pod(struct server *v, str path, str *ret_key)
{
    str rest = str_from(path, strlen("/api/v1/namespaces/")), ns, word, name;
    str_cut(&rest, '/', &ns);
    str_cut(&rest, '/', &word);
    str_cut(&rest, '/', &name);
    *ret_key = arena_fmt(&v->a, STR_FMT "/" STR_FMT, STR_ARG(ns), STR_ARG(name));
    return json_get(&v->pods, *ret_key);
}

static int serve_pod(struct server *v, struct client_call *c, str *ret)
{
    str key;
    struct json *pod = find_pod(v, c->path, &key), body = json_null();
    if (!pod)
        return 404;
    if (c->body.len)
        BUG_ON(json_parse(&v->a, arena_str(&v->a, c->body), NULL, &body, NULL) < 0);
    str uid = json_get_str(json_get(pod, S("metadata")), S("uid"));
    if (str_is(c->method, "PATCH")) {
        if (!str_eq(json_get_str(json_get(&body, S("metadata")), S("uid")), uid))
            return 409;
        json_set(&v->a, pod, S("status"), json_copy(&v->a, json_get(&body, S("status"))));
        v->reports++;
        push_event(v, "MODIFIED", pod);
    } else if (str_is(c->method, "DELETE")) {
        T_EQ_INT(json_get_int(&body, S("gracePeriodSeconds"), -1), 0);
        T_OK(str_eq(json_get_str(json_get(&body, S("preconditions")), S("uid")), uid));
        push_event(v, "DELETED", pod);
        json_del(&v->pods, key);
        v->deletes++;
        return 200;
    } else {
        v->reads++;
    }
    *ret = json_text(&v->a, pod);
    return 200;
}

static int serve(struct server *v, struct client_call *c, str *ret)
{
    if (str_has_prefix(c->path, S("/api/v1/pods?"))) {
        struct json list = json_object(), items = json_array();
        for (uint32_t i = 0; i < v->pods.len; i++)
            json_push(&v->a, &items, v->pods.members[i].value);
        json_set(&v->a, &list, S("metadata"), json_literal(&v->a, "{\"resourceVersion\":\"1\"}"));
        json_set(&v->a, &list, S("items"), items);
        *ret = json_text(&v->a, &list);
        return 200;
    }
    if (str_has_prefix(c->path, S("/api/v1/namespaces/")))
        return serve_pod(v, c, ret);
    if (str_has_prefix(c->path, S("/api/v1/nodes?"))) {
        *ret = S("{\"metadata\":{\"resourceVersion\":\"1\"},\"items\":[]}");
        return 200;
    }
    if (str_is(c->path, "/api/v1/nodes/sim-0/status"))
        v->node_patch = arena_str(&v->a, c->body);
    bool is_lease = str_find(c->path, S("/leases")) >= 0;
    if (str_is(c->method, "POST")) {
        struct json body;
        T_EQ_INT(json_parse(&v->a, arena_str(&v->a, c->body), NULL, &body, NULL), 0);
        *(is_lease ? &v->leases : &v->nodes) += 1;
        *ret = S("{\"metadata\":{\"uid\":\"n\"}}");
        return 201;
    }
    v->node_patches++;
    return 200;
}

static void answer(struct loop_defer *d)
{
    struct answer *x = container_of(d, struct answer, defer);
    struct client_call *c = x->call;
    struct server *v = x->server;
    c->response = S("");
    v->under_way--;
    if (v->fail_next && str_has_prefix(c->path, S("/api/v1/namespaces/"))) {
        v->fail_next--;
        c->status = 0;
    } else {
        c->status = serve(v, c, &c->response);
    }
    free(x);
    c->done(c);
}

static void call(struct client_transport *t, struct client_call *c)
{
    struct server *v = container_of(t, struct server, transport);
    struct answer *x = xnew(struct answer);
    *x = (struct answer){.call = c, .server = v, .defer.fn = answer};
    v->most = MAX(v->most, ++v->under_way);
    loop_defer(v->loop, &x->defer);
}

static void watch(struct client_transport *t, struct client_watch *w)
{
    struct server *v = container_of(t, struct server, transport);
    *(str_has_prefix(w->path, S("/api/v1/nodes?")) ? &v->node_watch : &v->watch) = w;
    v->tell.fn = tell;
    loop_defer(v->loop, &v->tell);
}

static void watch_stop(struct client_transport *t, struct client_watch *w)
{
    struct server *v = container_of(t, struct server, transport);
    *(w == v->node_watch ? &v->node_watch : &v->watch) = NULL;
    w->ended(w, 200);
}

static void server_open(struct server *v)
{
    struct err err = ERR_NONE;
    *v = (struct server){.transport = {call, watch, watch_stop}, .a = ARENA_INIT, .pods = json_object()};
    v->loop = loop_new("test", &clock_real, &err);
    BUG_ON(!v->loop);
}

static void add_pod(struct server *v, const char *name, const char *node, const char *more)
{
    struct json pod = json_literal(&v->a, arena_fmt(&v->a,
                                                    "{\"metadata\":{\"name\":\"%s\",\"namespace\":\"d\",\"uid\":\"uid-%s\"%s},\"spec\":{\"nodeName\":\"%s\",\"restartPolicy\":\"Never\","
                                                    "\"initContainers\":[{\"name\":\"i\"}],\"containers\":[{\"name\":\"m\",\"image\":\"x\"}]},\"status\":{\"phase\":\"Pending\"}}",
                                                    name, name, more, node)
                                              .p);
    str key = arena_fmt(&v->a, "d/%s", name);
    json_set(&v->a, &v->pods, key, pod);
    push_event(v, "ADDED", &pod);
}

struct until {
    struct server *v;
    bool (*is_done)(struct server *v);
    struct loop_timer timer;
    int left;
};

static void look(struct loop_timer *t)
{
    struct until *u = container_of(t, struct until, timer);
    if (u->is_done(u->v) || --u->left == 0)
        loop_stop(u->v->loop);
    else
        loop_timer_set(u->v->loop, t, loop_now(u->v->loop) + 5 * NSEC_PER_MSEC);
}

static bool run_until(struct server *v, bool (*is_done)(struct server *v))
{
    struct until u = {.v = v, .is_done = is_done, .timer.fire = look, .left = 24000}; /* two minutes */
    loop_timer_set(v->loop, &u.timer, 0);
    loop_run(v->loop);
    return is_done(v);
}

static str phase_of(struct server *v, const char *key)
{
    return json_get_str(json_get(json_get(&v->pods, str_of(key)), S("status")), S("phase"));
}

static void server_close(struct server *v, struct simulate *s)
{
    simulate_stop(s);
    simulate_free(s);
    loop_free(v->loop);
    vec_fini(&v->events);
    vec_fini(&v->node_events);
    arena_fini(&v->a);
}

static struct simulate *start(struct server *v, struct simulate_opts o)
{
    struct err err = ERR_NONE;
    struct simulate *s = NULL;
    o.transport = &v->transport;
    o.loop = v->loop;
    o.clock = &clock_real;
    T_NO_ERR(simulate_new(&o, &s, &err), &err);
    return s;
}

/* --- tests ------------------------------------------------------------------------------------------------------ */
static bool all_nodes(struct server *v)
{
    return v->nodes == 40 && v->leases == 40;
}

TEST(nodes_register)
{
    struct server v;
    server_open(&v);
    struct simulate *s = start(&v, (struct simulate_opts){.nodes = 40, .parallel = 4, .zones = 3, .capacity = (const char *const[]){"cpu=4", "nvidia.com/gpu=8", NULL}});
    T_OK(run_until(&v, all_nodes));
    T_OK(v.most <= 6); /* and the informers' lists */
    struct simulate_stats st;
    simulate_stats(s, &st);
    T_EQ_INT(st.nodes, 40);
    server_close(&v, s);
}

static void say_of_node(struct server *v, const char *annotations, const char *capacity)
{
    vec_push(&v->node_events, arena_fmt(&v->a, "{\"type\":\"MODIFIED\",\"object\":{\"metadata\":{\"name\":\"sim-0\",\"annotations\":{%s}},\"status\":{\"capacity\":{%s}}}}", annotations, capacity));
    v->node_patch = S("");
    v->tell.fn = tell;
    loop_defer(v->loop, &v->tell);
}

static bool is_said(struct server *v)
{
    return v->node_patch.len > 0;
}

#define EGRESS(bits) "\"cox.io/egress-bandwidth\":\"" bits "\""
#define INGRESS(bits) "\"cox.io/ingress-bandwidth\":\"" bits "\""

/* As a real node's agent: the annotation wins over --node-capacity, and is no more when it is taken away. */
TEST(networks_as_people_say)
{
    struct server v;
    server_open(&v);
    struct simulate *s = start(&v, (struct simulate_opts){.nodes = 1, .capacity = (const char *const[]){"bandwidth=100M", NULL}});
    say_of_node(&v, "\"cox.io/bandwidth-capacity\":\"egress=1Gbps\"", EGRESS("100M") "," INGRESS("100M"));
    T_OK(run_until(&v, is_said));
    T_EQ_STR(v.node_patch, "{\"status\":{\"capacity\":{" EGRESS("1000000000") "," INGRESS("100000000") ",\"kuscia.io/bandwidth\":\"100\"},"
                           "\"allocatable\":{" EGRESS("1000000000") "," INGRESS("100000000") ",\"kuscia.io/bandwidth\":\"100\"}}}");
    unsigned patches = v.node_patches;
    say_of_node(&v, "\"cox.io/bandwidth-capacity\":\"egress=1Gbps\"", EGRESS("1G") "," INGRESS("100M")); /* it says so already */
    say_of_node(&v, "\"cox.io/bandwidth-capacity\":\"much\"", EGRESS("1G") "," INGRESS("100M"));           /* no amount: what counted stays */
    say_of_node(&v, "", EGRESS("1G") "," INGRESS("100M"));
    T_OK(run_until(&v, is_said));
    T_EQ_STR(v.node_patch, "{\"status\":{\"capacity\":{" EGRESS("100000000") "," INGRESS("100000000") ",\"kuscia.io/bandwidth\":\"100\"},"
                           "\"allocatable\":{" EGRESS("100000000") "," INGRESS("100000000") ",\"kuscia.io/bandwidth\":\"100\"}}}");
    T_EQ_INT(v.node_patches, patches + 1);
    server_close(&v, s);
}

/* Where nothing was said of the network before, nothing is afterwards. */
TEST(networks_that_nobody_named)
{
    struct server v;
    server_open(&v);
    struct simulate *s = start(&v, (struct simulate_opts){.nodes = 1});
    say_of_node(&v, "\"cox.io/bandwidth-capacity\":\"50M\"", "");
    T_OK(run_until(&v, is_said));
    T_OK(str_find(v.node_patch, S(EGRESS("50000000") "," INGRESS("50000000"))) > 0);
    say_of_node(&v, "", EGRESS("50M") "," INGRESS("50M"));
    T_OK(run_until(&v, is_said));
    T_OK(str_find(v.node_patch, S("\"cox.io/egress-bandwidth\":null,\"cox.io/ingress-bandwidth\":null,\"kuscia.io/bandwidth\":null")) > 0);
    server_close(&v, s);
}

static bool is_running(struct server *v)
{
    return str_is(phase_of(v, "d/a"), "Running");
}

static bool is_gone(struct server *v)
{
    return !json_get(&v->pods, S("d/a"));
}

TEST(pods_run_and_go)
{
    struct server v;
    server_open(&v);
    add_pod(&v, "a", "sim-1", "");
    add_pod(&v, "other", "real-1", "");
    add_pod(&v, "far", "sim-7", ""); /* beyond ours */
    add_pod(&v, "odd", "sim-01", "");
    struct simulate *s = start(&v, (struct simulate_opts){.nodes = 3, .start_min_ns = NSEC_PER_MSEC, .start_max_ns = 3 * NSEC_PER_MSEC});
    T_OK(run_until(&v, is_running));
    const struct json *status = json_get(json_get(&v.pods, S("d/a")), S("status"));
    T_EQ_STR(json_get_str(status, S("hostIP")), "10.0.0.2");
    T_OK(str_has_prefix(json_get_str(status, S("podIP")), S("10.64.")));
    T_EQ_STR(json_get_str(json_path(&json_get(status, S("initContainerStatuses"))->items[0], "state", "terminated", NULL), S("reason")), "Completed");
    T_OK(json_get_bool(&json_get(status, S("containerStatuses"))->items[0], S("ready"), false));
    T_EQ_STR(phase_of(&v, "d/other"), "Pending");
    T_EQ_STR(phase_of(&v, "d/far"), "Pending");
    T_EQ_STR(phase_of(&v, "d/odd"), "Pending");
    struct json *pod = json_get(&v.pods, S("d/a"));
    json_set(&v.a, json_get(pod, S("metadata")), S("deletionTimestamp"), json_string(S("2024-01-01T00:00:00Z")));
    push_event(&v, "MODIFIED", pod);
    T_OK(run_until(&v, is_gone));
    T_EQ_INT(v.reports, 1); /* echoes are not answered */
    T_EQ_INT(v.deletes, 1);
    T_EQ_INT(v.reads, 0);
    server_close(&v, s);
}

static bool has_succeeded(struct server *v)
{
    return str_is(phase_of(v, "d/a"), "Succeeded") && str_is(phase_of(v, "d/b"), "Failed");
}

TEST(pods_that_end)
{
    struct server v;
    server_open(&v);
    add_pod(&v, "a", "sim-0", ",\"annotations\":{\"coxswain.dev/run-seconds\":\"0.01\"}");
    add_pod(&v, "b", "sim-0", ",\"annotations\":{\"coxswain.dev/run-seconds\":\"0.01\",\"coxswain.dev/exit-code\":\"3\"}");
    struct simulate *s = start(&v, (struct simulate_opts){.nodes = 1});
    T_OK(run_until(&v, has_succeeded));
    struct simulate_stats st;
    simulate_stats(s, &st);
    T_EQ_INT(st.ended, 2);
    T_EQ_INT(st.running, 2);
    server_close(&v, s);
}

TEST(lost_answers)
{
    struct server v;
    server_open(&v);
    add_pod(&v, "a", "sim-0", "");
    v.fail_next = 1;
    struct simulate *s = start(&v, (struct simulate_opts){.nodes = 1});
    T_OK(run_until(&v, is_running));
    T_EQ_INT(v.reads, 1); /* it looked again before it said it again */
    struct json *pod = json_get(&v.pods, S("d/a"));
    json_set(&v.a, json_get(pod, S("metadata")), S("deletionTimestamp"), json_string(S("2024-01-01T00:00:00Z")));
    v.fail_next = 1;
    push_event(&v, "MODIFIED", pod);
    T_OK(run_until(&v, is_gone));
    server_close(&v, s);
}

/* Who holds a finalizer wants to know how it ended. */
TEST(finalizers_see_the_end)
{
    struct server v;
    server_open(&v);
    add_pod(&v, "a", "sim-0", ",\"finalizers\":[\"x/y\"]");
    struct simulate *s = start(&v, (struct simulate_opts){.nodes = 1});
    T_OK(run_until(&v, is_running));
    struct json *pod = json_get(&v.pods, S("d/a"));
    json_set(&v.a, json_get(pod, S("metadata")), S("deletionTimestamp"), json_string(S("2024-01-01T00:00:00Z")));
    push_event(&v, "MODIFIED", pod);
    T_OK(run_until(&v, is_gone));
    T_EQ_INT(v.reports, 2);
    server_close(&v, s);
}

/* A restartPolicy that starts again: the second run follows the first at once, the third after the back-off. */
TEST(restarts_on_paper)
{
    ARENA_AUTO a = ARENA_INIT;
    struct clock_fake clock;
    clock_fake_init(&clock, 1700000000ll * NSEC_PER_SEC);
    clock_fake_advance(&clock, 100000 * NSEC_PER_SEC);
    struct simulate s = {.opts = {.clock = &clock.clock}};
    struct json pod = json_literal(&a, "{\"metadata\":{\"name\":\"p\",\"namespace\":\"n\",\"uid\":\"u\",\"annotations\":{\"coxswain.dev/run-seconds\":\"5\"}},\"spec\":{\"containers\":[{\"name\":\"m\"}]},\"status\":{\"phase\":\"Pending\"}}");
    struct sim_paper p;
    const char *const expected[] = {"running 0", "running 1", "waiting 1", "running 2", "waiting 2"};
    const int next[] = {5, 5, 10, 5, 20};
    for (size_t i = 0; i < ARRAY_LEN(expected); i++) {
        sim_paper(&s, &a, &pod, 1, 1, i ? SIM_STEP_END : SIM_STEP_START, &p);
        struct json body;
        T_EQ_INT(json_parse(&a, p.body, NULL, &body, NULL), 0);
        json_set(&a, &pod, S("status"), *json_get(&body, S("status")));
        const struct json *c = &json_path(&pod, "status", "containerStatuses", NULL)->items[0], *state = json_get(c, S("state"));
        T_EQ_STR(arena_fmt(&a, STR_FMT " %lld", STR_ARG(state->members[0].key), (long long)json_get_int(c, S("restartCount"), -1)), expected[i]);
        T_EQ_STR(p.phase, "Running");
        T_EQ_INT(p.next_ns / NSEC_PER_SEC, next[i]);
        clock_fake_advance(&clock, p.next_ns);
    }
}

TEST_MAIN(nodes_register, networks_as_people_say, networks_that_nobody_named, pods_run_and_go, pods_that_end, lost_answers, finalizers_see_the_end, restarts_on_paper)
