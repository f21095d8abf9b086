/* SPDX-License-Identifier: Apache-2.0 */
/* What the HTTPS transport does when servers are away, silent, untrusted or out of their minds. */
#include "client/test_https.h"

TEST(an_untrusted_server_is_trouble)
{
    server_start(0);
    char *other_ca = TAKE(ca), *other_key = TAKE(ca_key);
    ca = cert_for("another", false, &ca_key);
    begin(url, false);
    struct asked a = CALL("/one"), w = WATCH("/watch");
    ask(&a);
    ask(&w);
    run_until(2, 0);
    T_EQ_INT(a.status, 0);
    T_EQ_STR(strbuf_str(&a.got), "");
    T_EQ_INT(w.status, 0);
    T_EQ_INT(me.troubles, 1);
    T_OK(str_find(str_of(me.trouble), S("the server's certificate is not valid")) > 0);
    T_EQ_INT(srv.handled, 0);
    finish();
    free(other_ca);
    free(other_key);
    fini(&a);
    server_stop();
    cleanup();
}

static void silence(bool http1)
{
    server_start(0);
    me.loop = loop_new("component", &clock_real, &err);
    struct transport_https_opts o = options(url);
    o.http1_only = http1;
    o.silence_timeout_ns = 300 * NSEC_PER_MSEC;
    begin_with(o);
    struct asked a = CALL("/hang"), w = WATCH("/hang"), ok = CALL("/one");
    ok.again_on_loss = true; /* 300 ms may be too little for a slow machine */
    ask(&ok);
    run_until(1, 0);
    ask(&a);
    run_until(1, 0);
    ask(&w);
    run_until(1, 0);
    T_EQ_INT(a.status, 0);
    T_EQ_INT(w.status, 0);
    if (!http1) /* the server was told; HTTP/1.1 has no word for it */
        WAIT_FOR(srv.gone == 2);
    ask(&ok);
    run_until(1, 0);
    T_EQ_INT(ok.status, 200);
    fini(&a);
    fini(&ok);
    finish();
    server_stop();
    cleanup();
}
TEST(silence_ends_calls_on_http2)
{
    silence(false);
}
TEST(silence_ends_calls_on_http1)
{
    silence(true);
}

static void lost(bool http1)
{
    server_start(0);
    begin(url, http1);
    struct asked a = CALL("/abort", .method = STR_INIT("POST"), .body = STR_INIT("x")), b = CALL("/one"), w = WATCH("/watch");
    ask(&b);
    ask(&w);
    run_until(1, 2);
    ask(&a);
    run_until(1, 0);
    T_EQ_INT(b.status, 200);
    T_EQ_INT(a.status, 0);
    T_EQ_INT(w.ends, 0);
    int before = srv.handled;
    struct asked g = CALL("/abort"); /* a GET is tried once more, and no more */
    ask(&g);
    run_until(1, 0);
    T_EQ_INT(g.status, 0);
    if (!http1)
        T_EQ_INT(srv.handled - before, 2);
    w.client->watch_stop(w.client, &w.watch);
    w.client->watch_stop(w.client, &w.watch); /* twice does no harm */
    run_until(1, 0);
    fini(&a);
    fini(&b);
    fini(&g);
    fini(&w);
    finish();
    server_stop();
    cleanup();
}
TEST(lost_answers_on_http2)
{
    lost(false);
}
TEST(lost_answers_on_http1)
{
    lost(true);
}

static void reconnects(bool over_unix)
{
    server_start(0);
    begin(over_unix ? unix_url : url, false);
    struct asked a = CALL("/one"), w = WATCH("/watch");
    ask(&a);
    ask(&w);
    run_until(1, 2);
    server_stop();
    run_until(1, 0);
    T_OK(w.ends == 1);
    struct asked b = CALL("/one"), c = CALL("/one");
    ask(&b);
    run_until(1, 0);
    T_EQ_INT(b.status, 0);
    T_EQ_INT(me.troubles, 1);
    T_EQ_INT(me.recoveries, 0);
    if (!over_unix) { /* the port may belong to somebody else by now: the way back is tested with the socket */
        fini(&a), fini(&b), fini(&w);
        finish();
        cleanup();
        return;
    }
    c.again_on_loss = true;
    ask(&c);
    srv = (struct server){0};
    server_start(0);
    run_until(1, 0);
    T_EQ_INT(c.status, 200);
    T_EQ_INT(me.recoveries, 1);
    T_OK(stats().dial_failures >= 1);
    fini(&a), fini(&b), fini(&c), fini(&w);
    finish();
    server_stop();
    cleanup();
}
TEST(reconnects_after_the_server_was_away)
{
    reconnects(true);
}
TEST(goaway_and_a_refused_dial)
{
    reconnects(false);
}

static void stop_loop(struct loop_msg *m UNUSED)
{
    loop_stop(me.loop);
}
static void advance(struct clock_fake *clock, nsec_t by)
{
    clock_fake_advance(clock, by);
    for (int i = 0; i < 5; i++) { /* turns: pump, dial, its end, the calls' ends */
        struct loop_msg m = {.fn = stop_loop};
        loop_post(me.loop, &m);
        loop_run(me.loop);
    }
}

TEST(dials_back_off)
{
    struct clock_fake clock;
    clock_fake_init(&clock, 0);
    me.loop = loop_new("component", &clock.clock, &err);
    begin_with(options("unix:/nonexistent/cox.sock"));
    struct asked a = CALL("/one");
    nsec_t least = 0; /* before the next dial */
    for (int i = 0; i < 6; i++) {
        ask(&a);
        if (least)
            advance(&clock, least - NSEC_PER_MSEC);
        T_EQ_INT(a.ends, i ? i : 0);
        advance(&clock, least / 10 + 2 * NSEC_PER_MSEC);
        T_EQ_INT(a.ends, i + 1);
        T_EQ_INT(a.status, 0);
        least = least ? MIN(2 * least, NSEC_PER_SEC) : 100 * NSEC_PER_MSEC;
    }
    T_EQ_INT(stats().dials, 6);
    T_EQ_INT(me.troubles, 6);
    T_OK(str_find(str_of(me.trouble), S("cannot connect to /nonexistent/cox.sock")) >= 0);
    fini(&a);
    me.no_loop = true;
    transport_https_free(me.t);
    loop_free(me.loop);
}

/* Accepts in the kernel and never says a word. */
TEST(a_server_that_does_not_shake_hands)
{
    int fd;
    uint16_t port;
    T_NO_ERR(net_listen_tcp("127.0.0.1:0", &fd, &port, &err), &err);
    me.loop = loop_new("component", &clock_real, &err);
    snprintf(url, sizeof url, "https://127.0.0.1:%u", port);
    struct transport_https_opts o = options(url);
    o.connect_timeout_ns = 200 * NSEC_PER_MSEC;
    begin_with(o);
    struct asked a = CALL("/one");
    ask(&a);
    run_until(1, 0);
    T_EQ_INT(a.status, 0);
    T_OK(str_has_prefix(str_of(me.trouble), S("no answer from 127.0.0.1")));
    fini(&a);
    finish();
    close(fd);
}

static void freeze(struct server *s)
{
    WAIT_FOR(s->gone); /* the server's loop stands still until the test says so */
}

TEST(a_server_that_stops_answering_is_pinged)
{
    server_start(0);
    me.loop = loop_new("component", &clock_real, &err);
    struct transport_https_opts o = options(url);
    o.ping_after_ns = NSEC_PER_SEC;
    begin_with(o);
    struct asked w = WATCH("/watch");
    ask(&w);
    run_until(0, 2);
    srv.on_loop = freeze;
    srv.ran = false;
    srv.msg.fn = server_msg;
    loop_post(srv.loop, &srv.msg);
    run_until(1, 0);
    T_EQ_INT(w.ends, 1);
    T_EQ_INT(w.status, 0);
    srv.gone++;
    WAIT_FOR(srv.ran);
    fini(&w);
    finish();
    server_stop();
    cleanup();
}

TEST(odd_servers)
{
    static const struct test_reply script[] = {
        {.bytes = STR_INIT("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n1"), .close = true}, /* closes without saying so */
        {.bytes = STR_INIT("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n"), .split = 1},
        {.bytes = STR_INIT("SSH-2.0\r\n\r\n"), .close = true},
        {.bytes = STR_INIT("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"), .close = true},
        {.bytes = STR_INIT("HTTP/1.1 200 OK\r\n\r\n{\"n\":1}\n{\"n\":"), .close = true}, /* a watch until close, cut in an event */
        {.bytes = STR_INIT("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n8\r\n{\"n\":1}\n\r\n3\r\n{\"n\r\n"), .close = true},
        {.bytes = STR_INIT("HTTP/1.1 204 No Content\r\n\r\n")},
    };
    struct test_server s = {0};
    test_server_start(&s, script, ARRAY_LEN(script));
    me.loop = loop_new("component", &clock_real, &err);
    struct transport_https_opts o = options(s.url);
    o.max_connections = 1;
    begin_with(o);
    struct asked a[4] = {CALL("/1"), CALL("/2"), CALL("/3"), CALL("/4")}, w[2] = {WATCH("/5"), WATCH("/6")}, last = CALL("/7");
    static const int want[] = {200, 200, 0, 0};
    for (int i = 0; i < 4; i++) {
        ask(&a[i]);
        run_until(1, 0);
        T_EQ_INT(a[i].status, want[i]);
    }
    T_EQ_STR(strbuf_str(&a[0].got), "1");
    T_EQ_STR(strbuf_str(&a[1].got), "ab");
    for (int i = 0; i < 2; i++) {
        ask(&w[i]);
        run_until(1, 0);
    }
    T_EQ_STR(strbuf_str(&w[0].got), "{\"n\":1}|{\"n\":|");
    T_EQ_INT(w[0].status, 200);
    T_EQ_STR(strbuf_str(&w[1].got), "{\"n\":1}|"); /* what is cut off is no event */
    T_EQ_INT(w[1].status, 0);
    ask(&last);
    run_until(1, 0);
    T_EQ_INT(last.status, 204);
    for (int i = 0; i < 4; i++)
        fini(&a[i]);
    fini(&w[0]), fini(&w[1]), fini(&last);
    finish();
    test_server_stop(&s);
    T_OK(str_find(str_of(s.requests[0]), S("GET /1 HTTP/1.1\r\nhost: 127.0.0.1:")) == 0);
    test_server_fini(&s);
}

/* An event without an end. */
TEST(events_are_bounded)
{
    server_start(0);
    begin(url, false);
    struct asked w = WATCH("/endless"), a = CALL("/one");
    ask(&w);
    run_until(1, 0);
    T_EQ_INT(w.events, 0);
    T_EQ_INT(w.status, 0);
    ask(&a);
    run_until(1, 0);
    T_EQ_INT(a.status, 200);
    T_EQ_INT(stats().dials, 1);
    fini(&a);
    fini(&w);
    finish();
    server_stop();
    cleanup();
}

TEST_MAIN(an_untrusted_server_is_trouble, silence_ends_calls_on_http2, silence_ends_calls_on_http1, lost_answers_on_http2, lost_answers_on_http1,
          reconnects_after_the_server_was_away, goaway_and_a_refused_dial, dials_back_off, a_server_that_does_not_shake_hands, a_server_that_stops_answering_is_pinged, odd_servers,
          events_are_bounded)
