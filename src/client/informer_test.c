/* SPDX-License-Identifier: Apache-2.0 */
#include "base/test.h"
#include "client/informer.h"

/* A transport that does what the test says: the test answers the one call or plays the one watch that is open. */
struct fake {
    struct client_transport t;
    struct clock_fake clock;
    struct loop *loop;
    struct informer *inf;
    struct client_call *call;
    struct client_watch *watch;
    bool stop_asked;
    struct strbuf seen; /* "[ " begin, "L:a " listed, "+a" added, "~a", "-a", "] " synced */
    bool stopped;
    struct loop_msg end;
};

static void fake_call(struct client_transport *t, struct client_call *c)
{
    container_of(t, struct fake, t)->call = c;
}

static void fake_watch(struct client_transport *t, struct client_watch *w)
{
    container_of(t, struct fake, t)->watch = w;
}

static void fake_stop(struct client_transport *t, struct client_watch *w UNUSED)
{
    container_of(t, struct fake, t)->stop_asked = true;
}

static void on_begin(struct informer *inf)
{
    struct fake *f = informer_owner(inf);
    strbuf_add_str(&f->seen, S("[ "));
}

static void on_event(struct informer *inf, struct informer_event *ev)
{
    struct fake *f = informer_owner(inf);
    static const char marks[] = "L+~-";
    str name = json_get_str(informer_event_meta(ev), S("name"));
    T_OK(str_eq(name, informer_event_name(ev)));
    T_OK(str_eq(json_get_str(json_get(informer_event_object(ev), S("metadata")), S("name")), name));
    strbuf_addf(&f->seen, "%c" STR_FMT " ", marks[ev->change], STR_ARG(name));
}

static void on_synced(struct informer *inf)
{
    struct fake *f = informer_owner(inf);
    strbuf_add_str(&f->seen, S("] "));
}

static void on_stopped(struct informer *inf)
{
    struct fake *f = informer_owner(inf);
    f->stopped = true;
}

static void init(struct fake *f)
{
    struct err err = ERR_NONE;
    clock_fake_init(&f->clock, 0);
    f->loop = loop_new("test", &f->clock.clock, &err);
    f->t = (struct client_transport){fake_call, fake_watch, fake_stop};
    f->inf = informer_new(&(struct informer_opts){.transport = &f->t, .loop = f->loop, .path = S("/api/v1/pods"), .query = S(""), .begin = on_begin, .event = on_event,
                                                  .synced = on_synced, .owner = f});
}

static void fini(struct fake *f)
{
    informer_free(f->inf);
    loop_free(f->loop);
    strbuf_fini(&f->seen);
}

static void stop_loop(struct loop_msg *m)
{
    loop_stop(container_of(m, struct fake, end)->loop);
}

static void advance(struct fake *f, nsec_t by)
{
    clock_fake_advance(&f->clock, by);
    for (int i = 0; i < 2; i++) {
        f->end.fn = stop_loop;
        loop_post(f->loop, &f->end);
        loop_run(f->loop);
    }
}

static void answer(struct fake *f, const char *path, int status, const char *body)
{
    T_OK(f->call != NULL);
    if (!f->call)
        return;
    struct client_call *c = TAKE(f->call);
    T_EQ_STR(c->path, path);
    c->status = status;
    c->response = str_of(body);
    c->done(c);
}

static void end_watch(struct fake *f, int status)
{
    struct client_watch *w = TAKE(f->watch);
    T_OK(w != NULL);
    if (w)
        w->ended(w, status);
}

static void event(struct fake *f, const char *text)
{
    f->watch->event(f->watch, str_of(text));
}

#define LIST1 "/api/v1/pods?limit=500"
#define WATCH "/api/v1/pods?watch=true&allowWatchBookmarks=true&resourceVersion="

TEST(lists_pages_then_watches)
{
    struct fake f = {0};
    init(&f);
    answer(&f, LIST1, 200, "{\"kind\":\"PodList\",\"metadata\":{\"resourceVersion\":\"7\",\"continue\":\"tok\"},\"items\":[{\"metadata\":{\"name\":\"a\"}},{\"metadata\":{\"name\":\"b\"}}]}");
    T_OK(!informer_is_synced(f.inf));
    answer(&f, LIST1 "&continue=tok", 200, "{\"metadata\":{\"resourceVersion\":\"7\"},\"items\":[{\"metadata\":{\"name\":\"c\"}}]}");
    T_OK(informer_is_synced(f.inf));
    T_OK(f.watch != NULL);
    T_EQ_STR(f.watch->path, WATCH "7");
    event(&f, "{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"name\":\"d\",\"resourceVersion\":\"8\"}}}");
    event(&f, "{\"type\":\"MODIFIED\",\"object\":{\"metadata\":{\"name\":\"d\",\"resourceVersion\":\"9\"}}}");
    event(&f, "{ \"object\" : {\"metadata\":{\"name\":\"a\",\"resourceVersion\":\"10\"}}, \"type\" : \"DELETED\" }");
    event(&f, "{\"type\":\"BOOKMARK\",\"object\":{\"kind\":\"Pod\",\"metadata\":{\"resourceVersion\":\"20\"}}}");
    T_EQ_STR(strbuf_str(&f.seen), "[ La Lb Lc ] +d ~d -a ");
    end_watch(&f, 200);
    T_EQ_STR(f.watch->path, WATCH "20");
    fini(&f);
}

TEST(expired_revisions_are_listed_again)
{
    struct fake f = {0};
    init(&f);
    answer(&f, LIST1, 200, "{\"metadata\":{\"resourceVersion\":\"7\"},\"items\":[]}");
    event(&f, "{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\",\"code\":410}}");
    T_OK(f.stop_asked);
    event(&f, "{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"name\":\"late\",\"resourceVersion\":\"8\"}}}");
    end_watch(&f, 200);
    T_OK(!f.call);
    advance(&f, 150 * NSEC_PER_MSEC);
    answer(&f, LIST1, 200, "{\"metadata\":{\"resourceVersion\":\"9\"},\"items\":null}");
    T_EQ_STR(strbuf_str(&f.seen), "[ ] [ ] ");
    T_EQ_STR(f.watch->path, WATCH "9");
    end_watch(&f, 410);
    advance(&f, 150 * NSEC_PER_MSEC);
    T_OK(f.call != NULL);
    fini(&f);
}

TEST(lists_again_when_told_so)
{
    struct fake f = {0};
    init(&f);
    informer_list_again(f.inf); /* the list under way may be older than what it is for */
    answer(&f, LIST1, 200, "{\"metadata\":{\"resourceVersion\":\"7\"},\"items\":[{\"metadata\":{\"name\":\"a\"}}]}");
    answer(&f, LIST1, 200, "{\"metadata\":{\"resourceVersion\":\"8\"},\"items\":[{\"metadata\":{\"name\":\"a\"}}]}");
    T_EQ_STR(f.watch->path, WATCH "8");
    informer_list_again(f.inf);
    T_OK(f.stop_asked);
    event(&f, "{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"name\":\"b\",\"resourceVersion\":\"9\"}}}"); /* the list will have it */
    end_watch(&f, 200);
    advance(&f, 150 * NSEC_PER_MSEC);
    informer_list_again(f.inf);
    answer(&f, LIST1, 200, "{\"metadata\":{\"resourceVersion\":\"9\"},\"items\":[]}");
    answer(&f, LIST1, 200, "{\"metadata\":{\"resourceVersion\":\"9\"},\"items\":[]}");
    T_EQ_STR(strbuf_str(&f.seen), "[ La ] [ La ] [ ] [ ] ");
    T_EQ_STR(f.watch->path, WATCH "9");
    fini(&f);
}

TEST(failures_back_off)
{
    struct fake f = {0};
    init(&f);
    nsec_t waited = 0;
    static const int answers[] = {500, 0, 429, 200};
    for (size_t i = 0; i < ARRAY_LEN(answers); i++) {
        answer(&f, LIST1, answers[i], answers[i] == 200 ? "not a list" : "");
        for (waited = 0; !f.call && waited < 100 * NSEC_PER_SEC; waited += 50 * NSEC_PER_MSEC)
            advance(&f, 50 * NSEC_PER_MSEC);
        T_EQ_INT(waited / NSEC_PER_MSEC, 100 << i);
    }
    for (int i = 0; i < 10; i++) {
        answer(&f, LIST1, 500, "");
        advance(&f, 31 * NSEC_PER_SEC);
        T_OK(f.call != NULL);
    }
    answer(&f, LIST1, 200, "{\"metadata\":{\"resourceVersion\":\"1\"},\"items\":[]}");
    end_watch(&f, 503); /* the revision is kept: no list */
    T_OK(!f.watch && !f.call);
    advance(&f, 150 * NSEC_PER_MSEC);
    T_EQ_STR(f.watch->path, WATCH "1");
    fini(&f);
}

TEST(a_page_that_expired_starts_over)
{
    struct fake f = {0};
    init(&f);
    answer(&f, LIST1, 200, "{\"metadata\":{\"resourceVersion\":\"7\",\"continue\":\"tok\"},\"items\":[{\"metadata\":{\"name\":\"a\"}}]}");
    answer(&f, LIST1 "&continue=tok", 410, "{}");
    advance(&f, NSEC_PER_SEC);
    answer(&f, LIST1, 200, "{\"metadata\":{\"resourceVersion\":\"8\"},\"items\":[{\"metadata\":{\"name\":\"a\"}}]}");
    T_EQ_STR(strbuf_str(&f.seen), "[ La [ La ] ");
    fini(&f);
}

TEST(stops_from_each_state)
{
    struct fake f = {0};
    init(&f); /* listing */
    informer_stop(f.inf, on_stopped);
    T_OK(!f.stopped);
    answer(&f, LIST1, 200, "{\"metadata\":{\"resourceVersion\":\"7\"},\"items\":[{\"metadata\":{\"name\":\"a\"}}]}");
    T_OK(f.stopped);
    T_EQ_STR(strbuf_str(&f.seen), "[ ");
    fini(&f);

    f = (struct fake){0};
    init(&f); /* watching */
    answer(&f, LIST1, 200, "{\"metadata\":{\"resourceVersion\":\"7\"},\"items\":[]}");
    informer_stop(f.inf, on_stopped);
    T_OK(f.stop_asked && !f.stopped);
    event(&f, "{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"name\":\"d\",\"resourceVersion\":\"8\"}}}");
    end_watch(&f, 200);
    T_OK(f.stopped);
    T_EQ_STR(strbuf_str(&f.seen), "[ ] ");
    fini(&f);

    f = (struct fake){0};
    init(&f); /* waiting */
    answer(&f, LIST1, 500, "");
    informer_stop(f.inf, on_stopped);
    T_OK(f.stopped);
    fini(&f);
}

TEST_MAIN(lists_again_when_told_so, lists_pages_then_watches, expired_revisions_are_listed_again, failures_back_off, a_page_that_expired_starts_over, stops_from_each_state)
