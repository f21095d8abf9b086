/* SPDX-License-Identifier: Apache-2.0 */
/* What the HTTPS transport does with servers that behave; the others are in transport_https_fault_test.c. */
#include "client/informer.h"
#include "client/test_https.h"

/* Once with HTTP/2, once with HTTP/1.1 over TLS, once over a Unix socket. */
static void calls_and_watches(const char *server, bool http1, bool is_h2)
{
    begin(server, http1);
    struct asked a = CALL("/one?x=1"), b = CALL("/size", .method = STR_INIT("POST"), .body = STR_INIT("12345")), c = CALL("/big");
    struct asked d = CALL("/p", .method = STR_INIT("PATCH"), .content_type = STR_INIT("application/merge-patch+json"), .body = STR_INIT("{}"));
    struct asked e = CALL("/expired"), bad = CALL("no slash"), f = CALL("/d", .method = STR_INIT("DELETE"));
    struct asked w = WATCH("/watch"), x = WATCH("/short"), y = WATCH("/expired");
    w.stop_after = 2;
    struct asked *all[] = {&a, &b, &c, &d, &e, &bad, &f, &w, &x, &y};
    for (size_t i = 0; i < ARRAY_LEN(all); i++)
        ask(all[i]);
    run_until((int)ARRAY_LEN(all), 0);
    char want[300];
    snprintf(want, sizeof want, "GET /one?x=1 h2=%d user=nobody auth=Bearer tok as= type= agent=cox body=", is_h2);
    T_EQ_STR(strbuf_str(&a.got), want);
    T_EQ_INT(a.status, 200);
    T_EQ_INT(b.status, 201);
    T_EQ_STR(strbuf_str(&b.got), "5");
    T_EQ_INT(c.got.len, 400000 * 8);
    T_OK(str_has_suffix(strbuf_str(&c.got), S("0399999,")));
    T_OK(str_find(strbuf_str(&d.got), S("PATCH /p? ")) == 0 && str_find(strbuf_str(&d.got), S("type=application/merge-patch+json agent=cox body={}")) > 0);
    T_EQ_INT(e.status, 410);
    T_EQ_STR(strbuf_str(&e.got), "{\"kind\":\"Status\",\"code\":410}");
    T_EQ_INT(bad.status, 400);
    T_OK(str_find(strbuf_str(&bad.got), S("\"code\":400")) > 0);
    T_OK(str_find(strbuf_str(&f.got), S("DELETE /d? ")) == 0);
    T_EQ_STR(strbuf_str(&w.got), "{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"name\":\"a\",\"resourceVersion\":\"8\"}}}|"
                                 "{\"type\":\"MODIFIED\",\"object\":{\"metadata\":{\"name\":\"a\",\"resourceVersion\":\"9\"}}}|");
    T_EQ_INT(w.status, 200);
    T_EQ_STR(strbuf_str(&x.got), "{\"n\":1}|{\"n\":2}|");
    T_EQ_INT(x.status, 200);
    T_EQ_INT(y.status, 410);
    T_EQ_INT(y.events, 0);
    struct transport_https_stats s = stats();
    T_EQ_INT(s.calls, 7);
    T_EQ_INT(s.watches, 3);
    T_EQ_INT(s.running + s.waiting + s.unanswered, 0);
    T_EQ_INT(me.troubles, 0);
    if (is_h2)
        T_EQ_INT(s.dials, 1);
    WAIT_FOR(srv.gone == 1); /* the watch that was stopped */
    for (size_t i = 0; i < ARRAY_LEN(all); i++)
        fini(all[i]);
    finish();
}

TEST(http2)
{
    server_start(0);
    calls_and_watches(url, false, true);
    server_stop();
    cleanup();
}
TEST(http1_over_tls)
{
    server_start(0);
    calls_and_watches(url, true, false);
    server_stop();
    cleanup();
}
TEST(http1_over_a_unix_socket)
{
    server_start(0);
    calls_and_watches(unix_url, false, false);
    server_stop();
    cleanup();
}

TEST(certificates_names_prefixes_and_users)
{
    server_start(0);
    me.loop = loop_new("component", &clock_real, &err);
    char text[160];
    snprintf(text, sizeof text, "%s/some/prefix/", url);
    struct kubeconfig_resolved kube = {.server = text, .ca_pem = ca, .cert_pem = client_cert, .key_pem = client_key, .username = "u", .password = "p:w", .as = "eve",
                                       .tls_server_name = "api.example"};
    struct transport_https_opts o = options(text);
    o.kube = &kube;
    o.user_agent = "agent/1";
    begin_with(o);
    struct asked a = CALL("/one");
    ask(&a);
    run_until(1, 0);
    T_EQ_STR(strbuf_str(&a.got), "GET /some/prefix/one? h2=1 user=alice auth=Basic dTpwOnc= as=eve type= agent=agent/1 body=");
    fini(&a);
    finish();
    server_stop();
    cleanup();
}

TEST(bad_configurations_are_errors_at_once)
{
    struct transport_https *t = NULL;
    struct loop *l = loop_new("x", &clock_real, &err);
    struct kubeconfig_resolved kube = {.server = "ftp://x"};
    struct transport_https_opts o = {.kube = &kube, .loop = l};
    T_ERR(transport_https_new(&o, &t, &err), E_INVALID_ARG);
    kube = (struct kubeconfig_resolved){.server = "https://x", .ca_pem = "rubbish"};
    T_ERR(transport_https_new(&o, &t, &err), E_PARSE);
    kube = (struct kubeconfig_resolved){.server = "https://x", .token = "a\nb"};
    T_ERR(transport_https_new(&o, &t, &err), E_INVALID_ARG);
    loop_free(l);
}

TEST(many_calls_share_few_connections)
{
    server_start(20);
    begin(url, false);
    enum { N = 1000, W = 40 };
    struct asked *calls = xarray(N, struct asked), *watches = xarray(W, struct asked);
    for (int i = 0; i < W; i++) { /* more than one connection has room for */
        watches[i].watch.path = S("/watch");
        ask(&watches[i]);
    }
    run_until(0, 2 * W);
    for (int i = 0; i < N; i++) {
        calls[i].call.path = S("/one");
        ask(&calls[i]);
    }
    run_until(N, 0);
    for (int i = 0; i < N; i++) {
        T_EQ_INT(calls[i].status, 200);
        fini(&calls[i]);
    }
    struct transport_https_stats s = stats();
    T_EQ_INT(s.running, W);
    T_OK(s.connections >= 3 && s.connections <= 5); /* 15 watches a connection */
    for (int i = 0; i < W; i++)
        watches[i].client->watch_stop(watches[i].client, &watches[i].watch);
    run_until(W, 0);
    for (int i = 0; i < W; i++) {
        T_EQ_INT(watches[i].status, 200);
        fini(&watches[i]);
    }
    T_EQ_INT(stats().running, 0);
    free(calls);
    free(watches);
    finish();
    server_stop();
    cleanup();
}

TEST(exchanges_are_bounded)
{
    server_start(0);
    me.loop = loop_new("component", &clock_real, &err);
    struct transport_https_opts o = options(url);
    o.max_exchanges = 3;
    begin_with(o);
    struct asked a[5] = {CALL("/1"), CALL("/2"), CALL("/3"), CALL("/4"), WATCH("/watch")};
    for (int i = 0; i < 5; i++)
        ask(&a[i]);
    run_until(5, 0);
    T_EQ_INT(a[2].status, 200);
    T_EQ_INT(a[3].status, 429);
    T_OK(str_find(strbuf_str(&a[3].got), S("TooManyRequests")) > 0);
    T_EQ_INT(a[4].status, 429);
    ask(&a[3]);
    run_until(1, 0);
    T_EQ_INT(a[3].status, 200);
    for (int i = 0; i < 5; i++)
        fini(&a[i]);
    finish();
    server_stop();
    cleanup();
}

TEST(one_call_from_the_end_of_another)
{
    server_start(0);
    begin(url, false);
    struct asked a[4] = {CALL("/1"), CALL("/2"), WATCH("/short"), CALL("bad path")};
    for (int i = 0; i < 3; i++)
        a[i].then = &a[i + 1];
    ask(&a[0]);
    run_until(4, 0);
    T_EQ_INT(a[1].status, 200);
    T_EQ_INT(a[2].events, 2);
    T_EQ_INT(a[3].status, 400);
    for (int i = 0; i < 4; i++)
        fini(&a[i]);
    finish();
    server_stop();
    cleanup();
}

static size_t server_open(void)
{
    struct http_server_stats s;
    http_server_stats(srv.http, &s);
    return s.open;
}

TEST(idle_connections_are_closed)
{
    server_start(0);
    me.loop = loop_new("component", &clock_real, &err);
    struct transport_https_opts o = options(url);
    o.idle_ns = 50 * NSEC_PER_MSEC;
    begin_with(o);
    struct asked a = CALL("/one");
    for (int i = 0; i < 2; i++) {
        ask(&a);
        run_until(1, 0);
        T_EQ_INT(a.status, 200);
        RUN_UNTIL(server_open() == 0);
    }
    T_EQ_INT(stats().dials, 2);
    T_EQ_INT(me.troubles, 0);
    fini(&a);
    finish();
    server_stop();
    cleanup();
}

static void renews(bool http1)
{
    server_start(0);
    begin(url, http1);
    struct asked a = CALL("/one"), w = WATCH("/watch"), hang = CALL("/hang");
    ask(&w);
    ask(&hang);
    run_until(0, 2);
    struct kubeconfig_resolved kube = {.server = url, .ca_pem = ca, .cert_pem = client_cert, .key_pem = client_key, .token = "new"};
    T_ERR(transport_https_renew(me.t, &(struct kubeconfig_resolved){.server = "?"}, &err), E_INVALID_ARG);
    RUN_UNTIL(srv.handled == 2);
    T_NO_ERR(transport_https_renew(me.t, &kube, &err), &err);
    ask(&a);
    run_until(2, 0);
    T_EQ_INT(w.ends, 1);
    T_OK(str_find(strbuf_str(&a.got), S("user=alice auth=Bearer new")) > 0);
    T_EQ_INT(hang.ends, 0); /* on its old connection */
    T_NO_ERR(transport_https_renew(me.t, &kube, &err), &err);
    me.left++; /* hang's */
    finish();
    T_EQ_INT(hang.ends, 1);
    T_EQ_INT(hang.status, 0);
    fini(&a);
    fini(&w);
    fini(&hang);
    server_stop();
    cleanup();
}
TEST(new_credentials_on_http2)
{
    renews(false);
}
TEST(new_credentials_on_http1)
{
    renews(true);
}

TEST(stop_ends_everything)
{
    server_start(0);
    begin(url, false);
    struct asked a = CALL("/hang"), w = WATCH("/watch"), late = CALL("/one"), after = CALL("/one");
    ask(&w);
    ask(&a);
    run_until(0, 2);
    a.then = &after; /* from done(), while stopping */
    ask(&late);
    transport_https_stop(me.t, on_stopped, NULL);
    run_until(5, 0);
    T_OK(me.stopped);
    T_EQ_INT(a.ends + w.ends + late.ends + after.ends, 4);
    T_EQ_INT(a.status + w.status + late.status + after.status, 0);
    transport_https_free(me.t);
    loop_free(me.loop);
    fini(&a), fini(&w), fini(&late), fini(&after);
    server_stop();
    cleanup();
}

TEST(free_without_a_loop_ends_everything)
{
    server_start(0);
    begin(url, false);
    struct asked a = CALL("/hang"), w = WATCH("/watch"), late = CALL("/one");
    ask(&w);
    ask(&a);
    run_until(0, 2);
    ask(&late);
    me.no_loop = true;
    transport_https_free(me.t);
    T_EQ_INT(a.ends + w.ends + late.ends, 3);
    loop_free(me.loop);
    fini(&a), fini(&w), fini(&late);
    server_stop();
    cleanup();
}

/* --- with an informer, and from other loops ------------------------------------------------------------- */

static struct strbuf seen;

static void inf_event(struct informer *inf UNUSED, struct informer_event *ev)
{
    strbuf_addf(&seen, "%d:" STR_FMT " ", ev->change, STR_ARG(informer_event_name(ev)));
    me.events_left--;
    check_over();
}
static void inf_stopped(struct informer *inf)
{
    informer_free(inf);
    me.left--;
    check_over();
}

TEST(an_informer_follows)
{
    server_start(0);
    begin(url, false);
    struct informer *inf = informer_new(&(struct informer_opts){.transport = transport_https_client(me.t), .loop = me.loop, .path = S("/api/v1/pods"), .query = S(""), .event = inf_event});
    run_until(0, 3);
    T_EQ_STR(strbuf_str(&seen), "0:z 1:a 2:a ");
    informer_stop(inf, inf_stopped);
    run_until(1, 0);
    strbuf_fini(&seen);
    finish();
    server_stop();
    cleanup();
}

#define OTHERS 3
#define ROUNDS 200

/* A component on a loop of its own: ROUNDS calls one after another, and a watch that it stops in the middle. */
struct other {
    struct loop *loop;
    struct thread thread;
    struct loop_msg start;
    struct client_call call;
    struct client_watch watch;
    int calls, events, watches, bad;
};

static void other_check(struct other *o)
{
    if (o->calls == ROUNDS && o->watches == 2)
        loop_stop(o->loop);
}
static void other_done(struct client_call *c)
{
    struct other *o = c->owner;
    o->bad += !loop_is_current(o->loop) || c->status != 200 || !str_has_prefix(c->response, S("GET /other"));
    if (++o->calls < ROUNDS)
        transport_https_client(me.t)->call(transport_https_client(me.t), c);
    other_check(o);
}
static void other_event(struct client_watch *w, str event)
{
    struct other *o = w->owner;
    o->bad += !loop_is_current(o->loop) || event.p[0] != '{' || event.p[event.len - 1] != '}';
    if (++o->events % 2 == 0)
        transport_https_client(me.t)->watch_stop(transport_https_client(me.t), w);
}
static void other_ended(struct client_watch *w, int status)
{
    struct other *o = w->owner;
    o->bad += !loop_is_current(o->loop) || status != 200;
    if (++o->watches < 2)
        transport_https_client(me.t)->watch(transport_https_client(me.t), w);
    other_check(o);
}
static void other_start(struct loop_msg *m)
{
    struct other *o = container_of(m, struct other, start);
    o->call = (struct client_call){.loop = o->loop, .method = S("GET"), .path = S("/other"), .done = other_done, .owner = o};
    o->watch = (struct client_watch){.loop = o->loop, .path = S("/watch"), .event = other_event, .ended = other_ended, .owner = o};
    transport_https_client(me.t)->call(transport_https_client(me.t), &o->call);
    transport_https_client(me.t)->watch(transport_https_client(me.t), &o->watch);
}

TEST(components_on_other_loops)
{
    server_start(0);
    begin(url, false);
    struct thread io;
    struct other others[OTHERS] = {0};
    T_NO_ERR(thread_start(&io, "component", run_loop, me.loop, &err), &err);
    for (int i = 0; i < OTHERS; i++) {
        struct other *o = &others[i];
        o->loop = loop_new("other", &clock_real, &err);
        o->start.fn = other_start;
        loop_post(o->loop, &o->start);
        T_NO_ERR(thread_start(&o->thread, "other", run_loop, o->loop, &err), &err);
    }
    for (int i = 0; i < OTHERS; i++) {
        thread_join(&others[i].thread);
        T_EQ_INT(others[i].bad, 0);
        T_EQ_INT(others[i].calls, ROUNDS);
        T_EQ_INT(others[i].events, 4);
        loop_free(others[i].loop);
    }
    loop_stop(me.loop);
    thread_join(&io);
    T_EQ_INT(stats().calls, OTHERS * ROUNDS);
    finish();
    server_stop();
    cleanup();
}

/* Stopped in the middle of what others do: each call and each watch still has its last callback, on its own loop. */
struct busy {
    struct loop *loop;
    struct thread thread;
    struct loop_msg start;
    struct client_call calls[20];
    struct client_watch watch;
    int ends, wrong;
};
static _Atomic int busy_ready, busy_over;

static void busy_end(struct busy *b)
{
    b->wrong += !loop_is_current(b->loop);
    if (++b->ends == (int)ARRAY_LEN(b->calls) + 1)
        busy_over++;
}
static void busy_done(struct client_call *c)
{
    busy_end(c->owner);
}
static void busy_event(struct client_watch *w UNUSED, str event UNUSED)
{
    busy_ready++;
}
static void busy_ended(struct client_watch *w, int status)
{
    struct busy *b = w->owner;
    b->wrong += status != 0;
    busy_end(b);
}
static void busy_start(struct loop_msg *m)
{
    struct busy *b = container_of(m, struct busy, start);
    struct client_transport *t = transport_https_client(me.t);
    b->watch = (struct client_watch){.loop = b->loop, .path = S("/watch"), .event = busy_event, .ended = busy_ended, .owner = b};
    t->watch(t, &b->watch);
    for (size_t i = 0; i < ARRAY_LEN(b->calls); i++) {
        b->calls[i] = (struct client_call){.loop = b->loop, .method = S("GET"), .path = i % 2 ? S("/hang") : S("/one"), .done = busy_done, .owner = b};
        t->call(t, &b->calls[i]);
    }
}

static struct loop_msg stop_msg;
static void stop_transport(struct loop_msg *m UNUSED)
{
    me.left = 1;
    transport_https_stop(me.t, on_stopped, NULL);
}

TEST(stop_ends_what_other_loops_do)
{
    server_start(0);
    begin(url, false);
    struct thread io;
    struct busy others[OTHERS] = {0};
    T_NO_ERR(thread_start(&io, "component", run_loop, me.loop, &err), &err);
    for (int i = 0; i < OTHERS; i++) {
        others[i].loop = loop_new("other", &clock_real, &err);
        others[i].start.fn = busy_start;
        loop_post(others[i].loop, &others[i].start);
        T_NO_ERR(thread_start(&others[i].thread, "other", run_loop, others[i].loop, &err), &err);
    }
    WAIT_FOR(busy_ready == 2 * OTHERS);
    stop_msg.fn = stop_transport;
    loop_post(me.loop, &stop_msg);
    thread_join(&io);
    T_OK(me.stopped);
    T_EQ_INT(busy_over, OTHERS);
    transport_https_free(me.t);
    for (int i = 0; i < OTHERS; i++) {
        loop_stop(others[i].loop);
        thread_join(&others[i].thread);
        T_EQ_INT(others[i].ends, 21);
        T_EQ_INT(others[i].wrong, 0);
        loop_free(others[i].loop);
    }
    loop_free(me.loop);
    server_stop();
    cleanup();
}

TEST_MAIN(http2, http1_over_tls, http1_over_a_unix_socket, certificates_names_prefixes_and_users, bad_configurations_are_errors_at_once, many_calls_share_few_connections,
          exchanges_are_bounded, one_call_from_the_end_of_another, idle_connections_are_closed, new_credentials_on_http2, new_credentials_on_http1, stop_ends_everything,
          free_without_a_loop_ends_everything, an_informer_follows, components_on_other_loops, stop_ends_what_other_loops_do)
