/* SPDX-License-Identifier: Apache-2.0 */
/* Leaders on one loop under a fake clock, and an API server of one Lease in memory whose answers may be slow or lost. */
#include "client/leader.h"

#include "base/test.h"
#include "base/vec.h"
#include "client/raw.h"

#define PATH "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/sched"
#define LIST "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases"
#define MS NSEC_PER_MSEC

/* --- the world ------------------------------------------------------------------------------------------ */

struct pending {
    struct client_call *call;
    nsec_t at;     /* handled by the server */
    nsec_t answer; /* delivered */
    bool handled, lost_before, lost_after;
    int status;
    struct strbuf body;
};

struct world {
    struct clock_fake clock;
    struct loop *loop;
    struct rng rng;
    /* the lease */
    bool exists;
    struct strbuf spec;
    uint64_t revision;
    /* calls */
    VEC(struct pending *) calls;
    unsigned lose_percent;
    nsec_t slow_ns;       /* the most an answer takes */
    int handled_calls;
    struct strbuf log;    /* "GET ", "PUT=200 " ... */
    struct loop_msg end;
};

struct member {
    struct client_transport t;
    struct world *w;
    struct leader *l;
    bool cut_off; /* its calls reach nobody */
    int acquired, lost;
    bool stopped, stop_in_acquired;
};

static void respond(struct pending *p, int status, struct world *w)
{
    p->status = status;
    if (status / 100 == 2)
        strbuf_addf(&p->body, "{\"kind\":\"Lease\",\"metadata\":{\"name\":\"sched\",\"labels\":{\"keep\":\"me\"},\"managedFields\":[],\"resourceVersion\":\"%llu\"},\"spec\":" STR_FMT "}",
                    (unsigned long long)w->revision, STR_ARG(strbuf_str(&w->spec)));
    else
        strbuf_addf(&p->body, "{\"kind\":\"Status\",\"code\":%d}", status);
}

static void store(struct world *w, str body)
{
    str spec;
    T_OK(raw_member(body, S("spec"), &spec));
    strbuf_clear(&w->spec);
    strbuf_add_str(&w->spec, spec);
    w->exists = true;
    w->revision++;
}

static void handle(struct world *w, struct pending *p)
{
    struct client_call *c = p->call;
    str meta, rv = S("");
    char revision[32];
    snprintf(revision, sizeof revision, "%llu", (unsigned long long)w->revision);
    if (c->body.len && raw_member(c->body, S("metadata"), &meta))
        raw_member_text(meta, S("resourceVersion"), &rv);
    if (str_is(c->method, "GET")) {
        T_EQ_STR(c->path, PATH);
        respond(p, w->exists ? 200 : 404, w);
    } else if (str_is(c->method, "POST")) {
        T_EQ_STR(c->path, LIST);
        T_EQ_INT(rv.len, 0);
        bool is_new = !w->exists;
        if (is_new)
            store(w, c->body);
        respond(p, is_new ? 201 : 409, w);
    } else {
        T_EQ_STR(c->method, "PUT");
        T_EQ_STR(c->path, PATH);
        bool ok = w->exists && str_is(rv, revision);
        if (ok) {
            T_OK(str_find(c->body, S("\"keep\":\"me\"")) > 0); /* what is not ours stays */
            T_OK(str_find(c->body, S("managedFields")) < 0);
            store(w, c->body);
        }
        respond(p, !w->exists ? 404 : ok ? 200 : 409, w);
    }
}

static bool chance(struct world *w, unsigned percent)
{
    return rng_below(&w->rng, 100) < percent;
}

static void fake_call(struct client_transport *t, struct client_call *c)
{
    struct member *m = container_of(t, struct member, t);
    struct world *w = m->w;
    struct pending *p = xnew(struct pending);
    nsec_t now = w->clock.mono;
    p->call = c;
    p->at = now + (w->slow_ns ? (nsec_t)rng_below(&w->rng, (uint64_t)w->slow_ns) : 0);
    p->answer = p->at + (w->slow_ns ? (nsec_t)rng_below(&w->rng, (uint64_t)w->slow_ns) : 0);
    p->lost_before = m->cut_off || chance(w, w->lose_percent);
    p->lost_after = chance(w, w->lose_percent);
    vec_push(&w->calls, p);
}

static void finish(struct world *w, size_t i)
{
    struct pending *p = w->calls.p[i];
    vec_remove(&w->calls, i);
    p->call->status = p->lost_before || p->lost_after ? 0 : p->status;
    p->call->response = p->call->status ? strbuf_str(&p->body) : S("");
    strbuf_addf(&w->log, STR_FMT "=%d ", STR_ARG(p->call->method), p->call->status);
    w->handled_calls++;
    p->call->done(p->call);
    strbuf_fini(&p->body);
    free(p);
}

static void stop_loop(struct loop_msg *m)
{
    loop_stop(container_of(m, struct world, end)->loop);
}

static void turn(struct world *w)
{
    w->end.fn = stop_loop;
    loop_post(w->loop, &w->end);
    loop_run(w->loop);
}

/* Serves what is due, at one moment of the clock. */
static void serve(struct world *w)
{
    for (bool again = true; again;) {
        again = false;
        turn(w);
        for (size_t i = 0; i < w->calls.len; i++) {
            struct pending *p = w->calls.p[i];
            if (!p->handled && w->clock.mono >= p->at) {
                p->handled = true;
                if (!p->lost_before)
                    handle(w, p);
            }
            if (w->clock.mono >= p->answer) {
                finish(w, i);
                again = true;
                break;
            }
        }
    }
}

static void advance(struct world *w, nsec_t by)
{
    for (; by > 0; by -= 50 * MS) {
        clock_fake_advance(&w->clock, MIN(by, 50 * MS));
        serve(w);
    }
}

static void init(struct world *w, uint64_t seed)
{
    struct err err = ERR_NONE;
    clock_fake_init(&w->clock, 1700000000 * NSEC_PER_SEC);
    rng_seed(&w->rng, seed);
    w->loop = loop_new("test", &w->clock.clock, &err);
}

static void fini(struct world *w)
{
    while (w->calls.len) {
        struct pending *p = vec_pop(&w->calls);
        strbuf_fini(&p->body);
        free(p);
    }
    vec_fini(&w->calls);
    strbuf_fini(&w->spec);
    strbuf_fini(&w->log);
    loop_free(w->loop);
}

/* --- members -------------------------------------------------------------------------------------------- */

static void on_stopped(struct leader *l)
{
    ((struct member *)leader_owner(l))->stopped = true;
}
static void on_acquired(struct leader *l)
{
    struct member *m = leader_owner(l);
    m->acquired++;
    T_OK(leader_is_leading(l));
    if (m->stop_in_acquired)
        leader_stop(l, on_stopped);
}
static void on_lost(struct leader *l)
{
    struct member *m = leader_owner(l);
    m->lost++;
    T_OK(!leader_is_leading(l));
}

static void join(struct world *w, struct member *m, const char *identity)
{
    m->w = w;
    m->t.call = fake_call;
    m->l = leader_new(&(struct leader_opts){.transport = &m->t, .loop = w->loop, .ns = S("kube-system"), .name = S("sched"), .identity = str_of(identity), .acquired = on_acquired,
                                            .lost = on_lost, .owner = m});
}

static str spec_of(struct world *w, const char *key)
{
    str v = S("");
    raw_member(strbuf_str(&w->spec), str_of(key), &v);
    return v;
}

/* --- tests ---------------------------------------------------------------------------------------------- */

TEST(creates_renews_and_releases)
{
    struct world w = {0};
    struct member a = {0};
    init(&w, 1);
    join(&w, &a, "a");
    T_EQ_INT(a.acquired, 0);
    serve(&w);
    T_EQ_STR(strbuf_str(&w.log), "GET=404 POST=201 ");
    T_OK(leader_is_leading(a.l) && a.acquired == 1);
    T_EQ_STR(strbuf_str(&w.spec), "{\"acquireTime\":\"2023-11-14T22:13:20.000000Z\",\"leaseTransitions\":0,\"renewTime\":\"2023-11-14T22:13:20.000000Z\",\"leaseDurationSeconds\":15,"
                                  "\"holderIdentity\":\"a\"}");
    strbuf_clear(&w.log);
    advance(&w, 2 * NSEC_PER_SEC);
    T_EQ_STR(strbuf_str(&w.log), "PUT=200 ");
    T_EQ_STR(spec_of(&w, "acquireTime"), "\"2023-11-14T22:13:20.000000Z\"");
    T_EQ_STR(spec_of(&w, "renewTime"), "\"2023-11-14T22:13:22.000000Z\"");
    advance(&w, 60 * NSEC_PER_SEC);
    T_OK(leader_is_leading(a.l) && a.acquired == 1 && a.lost == 0);
    T_EQ_STR(leader_holder(a.l), "a");
    leader_stop(a.l, on_stopped);
    T_OK(!leader_is_leading(a.l) && !a.stopped);
    serve(&w);
    T_OK(a.stopped && a.lost == 0);
    T_EQ_STR(spec_of(&w, "holderIdentity"), "");
    T_EQ_STR(spec_of(&w, "leaseDurationSeconds"), "1");
    leader_free(a.l);
    fini(&w);
}

TEST(the_next_one_follows)
{
    struct world w = {0};
    struct member a = {0}, b = {0};
    init(&w, 2);
    join(&w, &a, "a");
    serve(&w);
    join(&w, &b, "b");
    advance(&w, 100 * NSEC_PER_SEC);
    T_OK(leader_is_leading(a.l) && !leader_is_leading(b.l));
    T_EQ_STR(leader_holder(b.l), "a");
    /* a dies: b waits for the whole lease, not longer than that and one attempt */
    a.cut_off = true;
    nsec_t waited = 0;
    for (; !leader_is_leading(b.l) && waited < 100 * NSEC_PER_SEC; waited += 50 * MS) {
        advance(&w, 50 * MS);
        T_OK(!leader_is_leading(a.l) || !leader_is_leading(b.l));
    }
    T_OK(waited >= 11 * NSEC_PER_SEC && waited <= 20 * NSEC_PER_SEC);
    T_OK(a.lost == 1 && b.acquired == 1);
    T_EQ_STR(spec_of(&w, "leaseTransitions"), "1");
    /* a comes back and follows */
    a.cut_off = false;
    advance(&w, 30 * NSEC_PER_SEC);
    T_OK(a.acquired == 1 && !leader_is_leading(a.l) && leader_is_leading(b.l));
    T_EQ_STR(leader_holder(a.l), "b");
    /* b lets go: a need not wait */
    leader_stop(b.l, on_stopped);
    advance(&w, 5 * NSEC_PER_SEC);
    T_OK(b.stopped && leader_is_leading(a.l));
    T_EQ_STR(spec_of(&w, "leaseTransitions"), "2");
    leader_free(a.l);
    leader_free(b.l);
    fini(&w);
}

TEST(a_leader_gives_up_before_its_lease_ends)
{
    struct world w = {0};
    struct member a = {0};
    init(&w, 3);
    join(&w, &a, "a");
    serve(&w);
    advance(&w, 2 * NSEC_PER_SEC); /* renewed now */
    a.cut_off = true;
    advance(&w, 9 * NSEC_PER_SEC + 900 * MS);
    T_OK(leader_is_leading(a.l));
    clock_fake_advance(&w.clock, 100 * MS);
    turn(&w);
    T_OK(!leader_is_leading(a.l) && a.lost == 1);
    a.cut_off = false;
    advance(&w, 10 * NSEC_PER_SEC);
    T_OK(leader_is_leading(a.l) && a.acquired == 2);
    T_EQ_STR(spec_of(&w, "leaseTransitions"), "0"); /* it was ours all the time */
    leader_free(a.l);
    fini(&w);
}

/* An answer that takes longer than the renewal lasts gives no leadership. */
TEST(late_answers_do_not_count)
{
    struct world w = {0};
    struct member a = {0};
    init(&w, 4);
    join(&w, &a, "a");
    turn(&w);
    T_EQ_INT(w.calls.len, 1);
    w.calls.p[0]->answer += 30 * NSEC_PER_SEC;
    w.slow_ns = 0;
    advance(&w, 29 * NSEC_PER_SEC);
    T_EQ_INT(a.acquired, 0);
    clock_fake_advance(&w.clock, NSEC_PER_SEC);
    turn(&w);
    w.calls.p[0]->handled = true;
    handle(&w, w.calls.p[0]);
    finish(&w, 0); /* GET: 404 */
    turn(&w);
    T_EQ_INT(w.calls.len, 1);
    handle(&w, w.calls.p[0]); /* POST, answered 11 s later */
    w.calls.p[0]->handled = true;
    w.calls.p[0]->answer += 11 * NSEC_PER_SEC;
    advance(&w, 11 * NSEC_PER_SEC);
    T_EQ_INT(a.acquired, 0);
    T_OK(!leader_is_leading(a.l));
    advance(&w, 5 * NSEC_PER_SEC);
    T_EQ_INT(a.acquired, 1);
    leader_free(a.l);
    fini(&w);
}

TEST(a_lease_that_others_change)
{
    struct world w = {0};
    struct member a = {0};
    init(&w, 5);
    join(&w, &a, "a");
    serve(&w);
    /* deleted: made again */
    w.exists = false;
    advance(&w, 3 * NSEC_PER_SEC);
    T_OK(w.exists && leader_is_leading(a.l) && a.lost == 0);
    /* touched without a change of holder: read again, kept */
    w.revision++;
    advance(&w, 3 * NSEC_PER_SEC);
    T_OK(leader_is_leading(a.l) && a.lost == 0);
    /* somebody wrote another name into it */
    strbuf_clear(&w.spec);
    strbuf_add_str(&w.spec, S("{\"holderIdentity\":\"x\",\"leaseDurationSeconds\":4,\"renewTime\":\"2000-01-01T00:00:00.000000Z\",\"leaseTransitions\":7}"));
    w.revision++;
    advance(&w, 2 * NSEC_PER_SEC + 50 * MS);
    T_OK(!leader_is_leading(a.l) && a.lost == 1);
    advance(&w, 3 * NSEC_PER_SEC);
    T_EQ_INT(a.acquired, 1); /* four seconds from when it was seen, whatever its time says */
    advance(&w, 8 * NSEC_PER_SEC);
    T_OK(leader_is_leading(a.l) && a.acquired == 2);
    T_EQ_STR(spec_of(&w, "leaseTransitions"), "8");
    leader_free(a.l);
    fini(&w);
}

TEST(stops_from_each_state)
{
    struct world w = {0};
    struct member m[4] = {0};
    init(&w, 6);
    join(&w, &m[0], "a"); /* before it began */
    leader_stop(m[0].l, on_stopped);
    T_OK(m[0].stopped);
    join(&w, &m[1], "b");
    turn(&w); /* reading */
    T_EQ_INT(w.calls.len, 1);
    leader_stop(m[1].l, on_stopped);
    T_OK(!m[1].stopped);
    serve(&w);
    T_OK(m[1].stopped && !w.exists);
    join(&w, &m[2], "c");
    turn(&w);
    handle(&w, w.calls.p[0]);
    finish(&w, 0);
    T_EQ_INT(w.calls.len, 1); /* writing */
    leader_stop(m[2].l, on_stopped);
    serve(&w);
    T_OK(m[2].stopped && m[2].acquired == 0);
    T_EQ_STR(spec_of(&w, "holderIdentity"), ""); /* and let go */
    m[3].stop_in_acquired = true;
    join(&w, &m[3], "d");
    advance(&w, 5 * NSEC_PER_SEC);
    T_OK(m[3].stopped && m[3].acquired == 1 && m[3].lost == 0);
    T_EQ_STR(spec_of(&w, "holderIdentity"), "");
    for (int i = 0; i < 4; i++)
        leader_free(m[i].l);
    fini(&w);
}

/* Slow and lost answers, members cut off and back, stopped and started again: at no moment do two lead, and in the end one does. */
TEST(never_two_at_once)
{
    for (uint64_t seed = 1; seed <= 30; seed++) {
        struct world w = {.lose_percent = 20, .slow_ns = 3 * NSEC_PER_SEC};
        struct member m[3] = {0};
        static const char *const names[] = {"a", "b", "c"};
        init(&w, seed);
        for (int i = 0; i < 3; i++)
            join(&w, &m[i], names[i]);
        int led = 0;
        for (int step = 0; step < 4000; step++) {
            advance(&w, 100 * MS);
            int leading = 0;
            for (int i = 0; i < 3; i++) {
                leading += leader_is_leading(m[i].l);
                T_OK(m[i].acquired - m[i].lost == 0 || m[i].acquired - m[i].lost == 1);
                if (rng_below(&w.rng, 600) == 0)
                    m[i].cut_off = !m[i].cut_off;
            }
            T_OK(leading <= 1);
            led += leading;
        }
        T_OK(led > 500);
        w.lose_percent = 0;
        w.slow_ns = 0;
        for (int i = 0; i < 3; i++)
            m[i].cut_off = false;
        advance(&w, 60 * NSEC_PER_SEC);
        T_EQ_INT(leader_is_leading(m[0].l) + leader_is_leading(m[1].l) + leader_is_leading(m[2].l), 1);
        for (int i = 0; i < 3; i++)
            leader_free(m[i].l);
        fini(&w);
    }
}

TEST_MAIN(creates_renews_and_releases, the_next_one_follows, a_leader_gives_up_before_its_lease_ends, late_answers_do_not_count, a_lease_that_others_change, stops_from_each_state,
          never_two_at_once)
