/* SPDX-License-Identifier: Apache-2.0 */
#include "client/events.h"

#include "base/test.h"
#include "base/vec.h"
#include "wire/json.h"

/* A transport that holds every call until the test answers it. */
struct fake {
    struct client_transport t;
    struct clock_fake clock;
    struct loop *loop;
    struct events *e;
    VEC(struct client_call *) calls;
    bool stopped;
};

static void fake_call(struct client_transport *t, struct client_call *c)
{
    vec_push(&container_of(t, struct fake, t)->calls, c);
}

static void begin(struct fake *f)
{
    struct err err = ERR_NONE;
    *f = (struct fake){.t.call = fake_call};
    clock_fake_init(&f->clock, 1700000000 * NSEC_PER_SEC);
    f->loop = loop_new("events", &f->clock.clock, &err);
    f->e = events_new(&(struct events_opts){.transport = &f->t, .loop = f->loop, .clock = &f->clock.clock, .component = "kubelet", .host = "node-1"});
}

static void on_stopped(void *arg)
{
    ((struct fake *)arg)->stopped = true;
}

/* Answers the oldest call. */
static void answer(struct fake *f, int status)
{
    struct client_call *c = f->calls.p[0];
    memmove(f->calls.p, f->calls.p + 1, --f->calls.len * sizeof *f->calls.p);
    c->status = status;
    c->done(c);
}

static void end(struct fake *f)
{
    events_stop(f->e, on_stopped, f);
    while (f->calls.len)
        answer(f, 0);
    T_OK(f->stopped);
    events_free(f->e);
    loop_free(f->loop);
    vec_fini(&f->calls);
}

static void say(struct fake *f, const char *name, const char *message)
{
    events_send(f->e, &(struct event){.kind = "Pod", .ns = S("default"), .name = str_of(name), .uid = S("u"), .field_path = S("spec.containers{c}"), .type = "Normal", .reason = "Started",
                                      .message = str_of(message)});
}

TEST(first_is_posted_with_everything_that_is_known)
{
    ARENA_AUTO a = ARENA_INIT;
    struct fake f;
    begin(&f);
    say(&f, "web", "Started container c");
    T_EQ_INT(f.calls.len, 1);
    T_EQ_STR(f.calls.p[0]->method, "POST");
    T_EQ_STR(f.calls.p[0]->path, "/api/v1/namespaces/default/events");
    struct json o;
    T_EQ_INT(json_parse(&a, f.calls.p[0]->body, NULL, &o, NULL), 0);
    T_EQ_STR(json_get_str(&o, S("reason")), "Started");
    T_EQ_STR(json_get_str(&o, S("message")), "Started container c");
    T_EQ_STR(json_get_str(&o, S("type")), "Normal");
    T_EQ_STR(json_get_str(json_get(&o, S("involvedObject")), S("name")), "web");
    T_EQ_STR(json_get_str(json_get(&o, S("involvedObject")), S("fieldPath")), "spec.containers{c}");
    T_EQ_STR(json_get_str(json_get(&o, S("source")), S("host")), "node-1");
    T_EQ_INT(json_get_int(&o, S("count"), 0), 1);
    T_OK(str_has_prefix(json_get_str(json_get(&o, S("metadata")), S("name")), S("web.")));
    end(&f);
}

TEST(again_is_counted)
{
    struct fake f;
    begin(&f);
    say(&f, "web", "same");
    answer(&f, 201);
    say(&f, "web", "same");
    T_EQ_STR(f.calls.p[0]->method, "PATCH");
    T_OK(str_has_prefix(f.calls.p[0]->path, S("/api/v1/namespaces/default/events/web.")));
    T_OK(str_find(f.calls.p[0]->body, S("\"count\":2")) >= 0);
    answer(&f, 200);
    say(&f, "web", "other");
    say(&f, "db", "same");
    T_EQ_INT(f.calls.len, 2);
    T_EQ_STR(f.calls.p[0]->method, "POST");
    T_EQ_STR(f.calls.p[1]->method, "POST");
    end(&f);
}

TEST(what_the_server_lost_is_told_anew)
{
    static const struct {
        int first, second;
        const char *third; /* method of the third time */
    } cases[] = {{201, 200, "PATCH"}, {201, 404, "POST"}, {0, 404, "POST"}, {503, 404, "POST"}};
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct fake f;
        begin(&f);
        say(&f, "web", "m");
        say(&f, "web", "m"); /* counted before the first was answered */
        answer(&f, cases[i].first);
        answer(&f, cases[i].second);
        say(&f, "web", "m");
        T_EQ_STR(f.calls.p[0]->method, cases[i].third);
        end(&f);
    }
}

TEST(old_ones_begin_a_new_series)
{
    struct fake f;
    begin(&f);
    say(&f, "web", "m");
    answer(&f, 201);
    clock_fake_advance(&f.clock, 3000 * NSEC_PER_SEC); /* the server may have dropped it */
    say(&f, "web", "m");
    T_EQ_STR(f.calls.p[0]->method, "POST");
    end(&f);
}

TEST(one_that_says_much_is_cut_off_and_others_are_heard)
{
    struct fake f;
    begin(&f);
    size_t sent = 0;
    for (int i = 0; i < 100; i++) {
        say(&f, "noisy", "m");
        for (; f.calls.len; sent++)
            answer(&f, 200);
    }
    T_EQ_INT(sent, EVENTS_OBJECT_BURST);
    say(&f, "quiet", "m");
    T_EQ_INT(f.calls.len, 1);
    answer(&f, 201);
    clock_fake_advance(&f.clock, EVENTS_OBJECT_NS + NSEC_PER_SEC);
    say(&f, "noisy", "m");
    say(&f, "noisy", "m");
    T_EQ_INT(f.calls.len, 1);
    end(&f);
}

TEST(the_whole_is_bounded)
{
    struct fake f;
    begin(&f);
    char name[32];
    for (int i = 0; i < 3000; i++) {
        snprintf(name, sizeof name, "pod-%d", i);
        say(&f, name, "m");
        T_OK(f.calls.len <= EVENTS_IN_FLIGHT);
    }
    size_t sent = 0;
    for (; f.calls.len; sent++)
        answer(&f, 201);
    T_EQ_INT(sent, EVENTS_BURST); /* the clock stands still: nothing came back into the bucket */
    clock_fake_advance(&f.clock, 100 * NSEC_PER_SEC);
    for (int i = 0; i < 3 * (int)EVENTS_KNOWN; i++) { /* many objects: the longest unused are forgotten */
        clock_fake_advance(&f.clock, NSEC_PER_SEC);
        snprintf(name, sizeof name, "many-%d", i);
        say(&f, name, "m");
        while (f.calls.len)
            answer(&f, 201);
    }
    end(&f);
}

TEST(long_messages_are_cut_between_characters)
{
    ARENA_AUTO a = ARENA_INIT;
    struct fake f;
    begin(&f);
    struct strbuf b = strbuf_on(&a);
    strbuf_add_char(&b, 'x');
    while (b.len < 5000)
        strbuf_add_str(&b, S("\xc3\xa4"));
    say(&f, "web", strbuf_cstr(&b));
    struct json o;
    T_EQ_INT(json_parse(&a, f.calls.p[0]->body, NULL, &o, NULL), 0);
    str message = json_get_str(&o, S("message"));
    T_OK(message.len <= EVENT_MESSAGE_MAX && message.len > EVENT_MESSAGE_MAX - 2);
    T_OK(str_is_utf8(message));
    end(&f);
}

TEST(stopping_drops_what_waits)
{
    struct fake f;
    begin(&f);
    char name[32];
    for (unsigned i = 0; i < EVENTS_IN_FLIGHT + 5; i++) {
        snprintf(name, sizeof name, "pod-%u", i);
        say(&f, name, "m");
    }
    T_EQ_INT(f.calls.len, EVENTS_IN_FLIGHT);
    events_stop(f.e, on_stopped, &f);
    T_OK(!f.stopped);
    say(&f, "late", "m");
    for (unsigned i = 0; i < EVENTS_IN_FLIGHT; i++)
        answer(&f, 201);
    T_OK(f.stopped);
    T_EQ_INT(f.calls.len, 0);
    events_free(f.e);
    loop_free(f.loop);
    vec_fini(&f.calls);
}

TEST_MAIN(first_is_posted_with_everything_that_is_known, again_is_counted, what_the_server_lost_is_told_anew, old_ones_begin_a_new_series, one_that_says_much_is_cut_off_and_others_are_heard,
          the_whole_is_bounded, long_messages_are_cut_between_characters, stopping_drops_what_waits)
