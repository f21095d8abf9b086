/* SPDX-License-Identifier: Apache-2.0 */
/* An exchange is in one place at a time, and only its transport's loop moves it:
 *
 *   (posted) ─► waiting calls or watches ─► a connection ─► ended ─► callback ─► freed
 *                                     └──────── doomed ───────┘      doomed: stopped, timed out or too large, still where it was
 *
 * Connections call back in the middle of their own work, and callbacks of components may do anything but wait, so neither acts at
 * once: they move exchanges and wake pump(), which runs at the end of the turn and is the only one to touch connections. 
 * Exchanges that may time out stand in `ages`, the one with the oldest sign of life first: one timer serves them all. */
#include "client/transport_https.h"

#include <stdatomic.h>

#include "base/limits.h"
#include "client/https_pool.h"

#define RESERVE_MAX (16u << 20) /* of an answer's announced length */

struct exchange {
    struct https_exchange h;
    struct transport_https *t;
    struct client_call *call; /* one of the two */
    struct client_watch *watch;
    struct loop *home; /* where its callbacks run */
    /* the transport's loop */
    struct list link; /* waiting, doomed or ended; of a running one: none */
    struct list age;
    nsec_t alive_at;
    bool accepted, waiting, doomed, ended, repeated;
    int status;
    struct strbuf bytes; /* a call's answer, a watch's unfinished line */
    /* between the loops */
    struct loop_msg msg; /* start, then end */
    struct loop_msg stop_msg;
    bool stop_asked; /* home's */
    _Atomic int refs;
    _Atomic size_t untaken;
};

struct transport_https {
    struct client_transport client;
    struct transport_https_opts o;
    struct loop *loop;
    struct https_pool *pool;
    struct https_conf *new_conf; /* renewed, not yet taken over by the pool */
    struct list calls, watches;  /* waiting */
    struct list doomed, ended, ages;
    size_t ncalls, nwatches; /* waiting */
    size_t nexchanges, nrunning;
    char *user_agent;
    bool stop_asked, stopping, in_trouble;
    struct loop_defer pump;
    struct loop_timer age_timer;
    struct transport_https_stats stats;
    _Atomic size_t live; /* exchanges whose last callback has not returned, and one for the transport itself */
    struct loop_msg stopped_msg;
    _Atomic bool stopped_posted;
    void (*stopped)(void *arg);
    void *stopped_arg;
};

static void wake(struct transport_https *t)
{
    loop_defer(t->loop, &t->pump);
}

/* --- moving exchanges ----------------------------------------------------------------------------------- */

static void ages_rearm(struct transport_https *t)
{
    if (list_empty(&t->ages))
        loop_timer_stop(t->loop, &t->age_timer);
    else if (!t->age_timer.slot_)
        loop_timer_set(t->loop, &t->age_timer, list_first(&t->ages, struct exchange, age)->alive_at + t->o.silence_timeout_ns);
}

static void touch(struct exchange *x)
{
    x->alive_at = loop_now(x->t->loop);
    list_del(&x->age);
    list_add_tail(&x->t->ages, &x->age);
    ages_rearm(x->t);
}

static void wait_in_line(struct exchange *x, bool first)
{
    struct transport_https *t = x->t;
    struct list *line = x->watch ? &t->watches : &t->calls;
    if (first)
        list_add_head(line, &x->link);
    else
        list_add_tail(line, &x->link);
    *(x->watch ? &t->nwatches : &t->ncalls) += 1;
    x->waiting = true;
    touch(x);
    wake(t);
}

static void leave_line(struct exchange *x)
{
    list_del(&x->link);
    if (!x->waiting)
        return;
    x->waiting = false;
    *(x->watch ? &x->t->nwatches : &x->t->ncalls) -= 1;
}

static void end(struct exchange *x, int status)
{
    struct transport_https *t = x->t;
    leave_line(x);
    list_del(&x->age);
    x->ended = true;
    x->doomed = false;
    x->status = status;
    t->nexchanges -= x->accepted;
    t->stats.unanswered += status == 0;
    *(x->watch ? &t->stats.watches : &t->stats.calls) += 1;
    list_add_tail(&t->ended, &x->link);
    wake(t);
}

/* To be taken off its connection and ended with this status, at the end of the turn. */
static void doom(struct exchange *x, int status)
{
    if (x->doomed || x->ended)
        return;
    leave_line(x);
    list_del(&x->age);
    x->doomed = true;
    x->status = status;
    list_add_tail(&x->t->doomed, &x->link);
    wake(x->t);
}

static void age_fire(struct loop_timer *timer)
{
    struct transport_https *t = container_of(timer, struct transport_https, age_timer);
    nsec_t now = loop_now(t->loop);
    while (!list_empty(&t->ages)) {
        struct exchange *x = list_first(&t->ages, struct exchange, age);
        if (x->alive_at + t->o.silence_timeout_ns > now)
            break;
        doom(x, 0);
    }
    ages_rearm(t);
}

/* --- callbacks of components ---------------------------------------------------------------------------- */

static void exchange_unref(struct exchange *x)
{
    if (atomic_fetch_sub(&x->refs, 1) != 1)
        return;
    strbuf_fini(&x->bytes);
    free(x);
}

#define STATUS_TEXT(code, reason, message)                                                                                       \
    {                                                                                                                            \
        code, STR_INIT("{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Failure\",\"message\":\"" message                  \
                       "\",\"reason\":\"" reason "\",\"code\":" #code "}")                                                      \
    }

static str refusal_text(int status)
{
    static const struct {
        int status;
        str text;
    } texts[] = {
        STATUS_TEXT(400, "BadRequest", "the method or the path of the request is malformed"),
        STATUS_TEXT(429, "TooManyRequests", "too many requests are under way in this client"),
    };
    for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
        if (texts[i].status == status)
            return texts[i].text;
    }
    return S("");
}

static void let_go(struct transport_https *t)
{
    if (atomic_fetch_sub(&t->live, 1) == 1 && !atomic_exchange(&t->stopped_posted, true))
        loop_post(t->loop, &t->stopped_msg);
}

/* On the home loop: the last callback. */
static void deliver(struct exchange *x)
{
    struct transport_https *t = x->t;
    if (x->call) {
        x->call->status = x->status;
        x->call->response = !x->accepted ? refusal_text(x->status) : x->status ? strbuf_str(&x->bytes) : S("");
        x->call->done(x->call);
    } else {
        x->watch->transport_ = NULL;
        x->watch->ended(x->watch, x->status);
    }
    exchange_unref(x);
    let_go(t);
}

static void deliver_msg(struct loop_msg *m)
{
    deliver(container_of(m, struct exchange, msg));
}

/* Those that ended until now; what their callbacks cause comes with the next turn, so that nobody can hold the loop. */
static void deliver_ended(struct transport_https *t)
{
    struct list batch;
    list_init(&batch);
    if (list_empty(&t->ended))
        return;
    list_add_head(&t->ended, &batch);
    list_del(&t->ended);
    while (!list_empty(&batch)) {
        struct exchange *x = list_first(&batch, struct exchange, link);
        list_del(&x->link);
        if (x->home == t->loop) {
            deliver(x);
        } else {
            x->msg.fn = deliver_msg;
            loop_post(x->home, &x->msg);
        }
    }
}

/* --- watch events --------------------------------------------------------------------------------------- */

struct posted_lines {
    struct loop_msg msg;
    struct exchange *x;
    size_t len;
    char text[];
};

static void lines_to_events(struct exchange *x, str lines)
{
    str line;
    while (lines.len) {
        str_cut(&lines, '\n', &line);
        if (line.len && !x->stop_asked)
            x->watch->event(x->watch, line);
    }
}

static void lines_msg(struct loop_msg *m)
{
    struct posted_lines *p = container_of(m, struct posted_lines, msg);
    struct exchange *x = p->x;
    lines_to_events(x, str_n(p->text, p->len));
    atomic_fetch_sub(&x->untaken, p->len);
    free(p);
    exchange_unref(x);
}

/* Whole lines, ready for event(). */
static void lines_out(struct exchange *x, str lines)
{
    if (x->home == x->t->loop) {
        lines_to_events(x, lines);
        return;
    }
    if (atomic_fetch_add(&x->untaken, lines.len) + lines.len > HTTPS_UNTAKEN_MAX) {
        doom(x, 0);
        return;
    }
    struct posted_lines *p = xmalloc(sizeof *p + lines.len);
    *p = (struct posted_lines){.msg = {.fn = lines_msg}, .x = x, .len = lines.len};
    memcpy(p->text, lines.p, lines.len);
    atomic_fetch_add(&x->refs, 1);
    loop_post(x->home, &p->msg);
}

/* An event usually comes whole and is not copied; only what is left behind the last newline is kept. */
static void watch_data(struct exchange *x, str bytes)
{
    if (x->bytes.len) {
        ptrdiff_t first = str_find_char(bytes, '\n');
        str head = first < 0 ? bytes : str_sub(bytes, 0, (size_t)first + 1);
        strbuf_add_str(&x->bytes, head);
        bytes = str_from(bytes, head.len);
        if (first >= 0) {
            struct strbuf whole = x->bytes;
            x->bytes = STRBUF_HEAP;
            lines_out(x, strbuf_str(&whole));
            strbuf_fini(&whole);
        }
    }
    ptrdiff_t last = str_rfind_char(bytes, '\n');
    if (last >= 0)
        lines_out(x, str_sub(bytes, 0, (size_t)last + 1));
    bytes = str_from(bytes, (size_t)(last + 1));
    strbuf_add_str(&x->bytes, bytes);
    if (x->bytes.len > HTTPS_EVENT_MAX)
        doom(x, 0);
}

/* --- callbacks of connections --------------------------------------------------------------------------- */

static void conn_head(struct https_exchange *h, bool has_length, uint64_t length)
{
    struct exchange *x = container_of(h, struct exchange, h);
    struct transport_https *t = x->t;
    https_pool_answered(t->pool);
    if (t->in_trouble && t->o.recovered)
        t->o.recovered(t->o.owner);
    t->in_trouble = false;
    if (x->doomed)
        return;
    touch(x);
    if (x->watch && h->status == 200)
        list_del(&x->age); /* from here on it may be silent for as long as it likes */
    else if (x->call && has_length)
        strbuf_grow(&x->bytes, (size_t)MIN(length, (uint64_t)RESERVE_MAX));
}

static void conn_data(struct https_exchange *h, str bytes)
{
    struct exchange *x = container_of(h, struct exchange, h);
    if (x->doomed)
        return;
    if (x->watch && h->status == 200) {
        watch_data(x, bytes);
        return;
    }
    touch(x);
    if (x->watch)
        return;
    if (x->bytes.len + bytes.len > HTTPS_ANSWER_MAX)
        doom(x, 0);
    else
        strbuf_add_str(&x->bytes, bytes);
}

static void conn_end(struct https_exchange *h, enum https_end how)
{
    struct exchange *x = container_of(h, struct exchange, h);
    x->t->nrunning--;
    if (x->doomed)
        return; /* pump ends it, with the status it was given */
    if (how == HTTPS_AGAIN && !x->repeated && !x->t->stopping) {
        x->repeated = true;
        x->t->stats.repeated++;
        strbuf_clear(&x->bytes);
        wait_in_line(x, true);
        return;
    }
    if (how == HTTPS_DONE && x->watch && h->status == 200 && x->bytes.len) { /* a last line without its newline */
        struct strbuf whole = x->bytes;
        x->bytes = STRBUF_HEAP;
        lines_out(x, strbuf_str(&whole));
        strbuf_fini(&whole);
    }
    if (x->doomed) /* by event() */
        return;
    end(x, how == HTTPS_DONE ? h->status : 0);
}

/* --- the end of a turn ---------------------------------------------------------------------------------- */

static void pool_wake(void *owner)
{
    wake(owner);
}

static void pool_failed(void *owner, const struct err *err, bool nobody)
{
    struct transport_https *t = owner;
    t->in_trouble = true;
    if (t->o.trouble)
        t->o.trouble(t->o.owner, err);
    struct list *lines[] = {&t->calls, &t->watches};
    for (size_t i = 0; nobody && i < ARRAY_LEN(lines); i++) {
        while (!list_empty(lines[i]))
            end(list_first(lines[i], struct exchange, link), 0);
    }
}

static void end_doomed(struct transport_https *t)
{
    while (!list_empty(&t->doomed)) {
        struct exchange *x = list_first(&t->doomed, struct exchange, link);
        if (x->h.conn) {
            t->nrunning--;
            https_pool_cancel(t->pool, &x->h);
        }
        end(x, x->status);
    }
}

static void assign(struct transport_https *t, struct list *line)
{
    struct https_conn *c;
    while (!list_empty(line)) {
        struct exchange *x = list_first(line, struct exchange, link);
        if (!(c = https_pool_pick(t->pool, x->watch != NULL)))
            return;
        leave_line(x);
        t->nrunning++;
        touch(x);
        https_pool_start(t->pool, c, &x->h);
    }
}

/* Nothing waits and nothing runs afterwards. */
static void end_everything(struct transport_https *t)
{
    t->stopping = true;
    https_pool_close(t->pool); /* what ran has ended, or is doomed */
    struct list *lines[] = {&t->calls, &t->watches};
    for (size_t i = 0; i < ARRAY_LEN(lines); i++) {
        while (!list_empty(lines[i]))
            end(list_first(lines[i], struct exchange, link), 0);
    }
    end_doomed(t);
}

static void pump(struct loop_defer *d)
{
    struct transport_https *t = container_of(d, struct transport_https, pump);
    deliver_ended(t);
    if (t->stop_asked && !t->stopping) {
        end_everything(t);
        let_go(t);
    }
    if (t->stopping)
        return;
    end_doomed(t);
    if (t->new_conf) {
        https_pool_leave(t->pool, t->new_conf);
        https_conf_unref(TAKE(t->new_conf));
    }
    assign(t, &t->watches);
    assign(t, &t->calls);
    https_pool_flush(t->pool);
    https_pool_work(t->pool, t->ncalls, t->nwatches);
}

/* --- calls and watches ---------------------------------------------------------------------------------- */

static void accept(struct exchange *x)
{
    struct transport_https *t = x->t;
    if (t->stopping) {
        end(x, 0);
    } else if (!https_request_is_valid(x->h.method, x->h.path)) {
        end(x, 400);
    } else if (t->nexchanges >= t->o.max_exchanges) {
        end(x, 429);
    } else {
        x->accepted = true;
        t->nexchanges++;
        wait_in_line(x, false);
    }
}

static void accept_msg(struct loop_msg *m)
{
    accept(container_of(m, struct exchange, msg));
}

static struct exchange *exchange_new(struct transport_https *t, struct loop *home)
{
    struct exchange *x = xnew(struct exchange);
    x->t = t;
    x->home = home;
    x->refs = 1;
    list_init(&x->link);
    list_init(&x->age);
    atomic_fetch_add(&t->live, 1);
    return x;
}

static void begin(struct exchange *x)
{
    if (x->home == x->t->loop) {
        accept(x);
    } else {
        x->msg.fn = accept_msg;
        loop_post(x->t->loop, &x->msg);
    }
}

static void https_call(struct client_transport *ct, struct client_call *c)
{
    struct exchange *x = exchange_new(container_of(ct, struct transport_https, client), c->loop);
    x->call = c;
    x->h = (struct https_exchange){.method = c->method, .path = c->path, .content_type = c->content_type, .body = c->body};
    begin(x);
}

static void https_watch(struct client_transport *ct, struct client_watch *w)
{
    struct exchange *x = exchange_new(container_of(ct, struct transport_https, client), w->loop);
    x->watch = w;
    x->h = (struct https_exchange){.method = S("GET"), .path = w->path, .is_watch = true};
    w->transport_ = x;
    begin(x);
}

static void stop_msg(struct loop_msg *m)
{
    struct exchange *x = container_of(m, struct exchange, stop_msg);
    doom(x, 200);
    exchange_unref(x);
}

static void https_watch_stop(struct client_transport *ct UNUSED, struct client_watch *w)
{
    struct exchange *x = w->transport_;
    if (!x || x->stop_asked)
        return;
    x->stop_asked = true;
    if (x->home == x->t->loop) {
        doom(x, 200);
        return;
    }
    atomic_fetch_add(&x->refs, 1);
    x->stop_msg.fn = stop_msg;
    loop_post(x->t->loop, &x->stop_msg);
}

/* --- life ----------------------------------------------------------------------------------------------- */

static nsec_t or_default(nsec_t given, nsec_t otherwise)
{
    return given ? given : otherwise;
}

static void fill_in(struct transport_https_opts *o)
{
    o->max_connections = o->max_connections ? o->max_connections : 4;
    o->max_exchanges = o->max_exchanges ? o->max_exchanges : LIMIT_CLIENT_EXCHANGES;
    o->connect_timeout_ns = or_default(o->connect_timeout_ns, 10 * NSEC_PER_SEC);
    o->silence_timeout_ns = or_default(o->silence_timeout_ns, 60 * NSEC_PER_SEC);
    o->ping_after_ns = or_default(o->ping_after_ns, 30 * NSEC_PER_SEC);
    o->idle_ns = or_default(o->idle_ns, 90 * NSEC_PER_SEC);
    o->watch_silence_ns = or_default(o->watch_silence_ns, 600 * NSEC_PER_SEC);
    o->backoff_max_ns = or_default(o->backoff_max_ns, 10 * NSEC_PER_SEC);
    o->kube = NULL;
}

static struct https_pool *pool_new(struct transport_https *t, struct https_conf *conf)
{
    return https_pool_new(&(struct https_pool_opts){.loop = t->loop,
                                                    .conf = conf,
                                                    .max_connections = t->o.max_connections,
                                                    .connect_timeout_ns = t->o.connect_timeout_ns,
                                                    .ping_after_ns = t->o.ping_after_ns,
                                                    .idle_ns = t->o.idle_ns,
                                                    .silence_ns = t->o.watch_silence_ns,
                                                    .backoff_max_ns = t->o.backoff_max_ns,
                                                    .ops = {.head = conn_head, .data = conn_data, .end = conn_end},
                                                    .wake = pool_wake,
                                                    .failed = pool_failed,
                                                    .owner = t});
}

static void stopped_msg(struct loop_msg *m)
{
    struct transport_https *t = container_of(m, struct transport_https, stopped_msg);
    if (atomic_load(&t->live)) { /* a call that came after the last one ended */
        atomic_store(&t->stopped_posted, false);
        if (atomic_load(&t->live) || atomic_exchange(&t->stopped_posted, true))
            return;
    }
    if (t->stopped)
        t->stopped(t->stopped_arg);
}

int transport_https_new(const struct transport_https_opts *opts, struct transport_https **ret, struct err *err)
{
    struct https_conf *conf;
    int r = https_conf_new(opts->kube, opts->user_agent, opts->http1_only, &conf, err);
    if (r < 0)
        return r;
    struct transport_https *t = xnew(struct transport_https);
    t->client = (struct client_transport){https_call, https_watch, https_watch_stop};
    t->o = *opts;
    t->loop = opts->loop;
    fill_in(&t->o);
    struct list *lists[] = {&t->calls, &t->watches, &t->doomed, &t->ended, &t->ages};
    for (size_t i = 0; i < ARRAY_LEN(lists); i++)
        list_init(lists[i]);
    t->pump.fn = pump;
    t->age_timer.fire = age_fire;
    t->stopped_msg.fn = stopped_msg;
    t->live = 1;
    t->user_agent = xstrdup(conf->user_agent);
    t->pool = pool_new(t, conf);
    https_conf_unref(conf);
    *ret = t;
    return 0;
}

struct client_transport *transport_https_client(struct transport_https *t)
{
    return &t->client;
}

int transport_https_renew(struct transport_https *t, const struct kubeconfig_resolved *kube, struct err *err)
{
    struct https_conf *conf;
    int r = https_conf_new(kube, t->user_agent, t->o.http1_only, &conf, err);
    if (r < 0)
        return r;
    https_conf_unref(t->new_conf);
    t->new_conf = conf;
    wake(t);
    return 0;
}

void transport_https_stop(struct transport_https *t, void (*stopped)(void *arg), void *arg)
{
    BUG_ON(t->stop_asked);
    t->stop_asked = true;
    t->stopped = stopped;
    t->stopped_arg = arg;
    wake(t);
}

void transport_https_free(struct transport_https *t)
{
    if (!t)
        return;
    atomic_store(&t->stopped_posted, true);
    if (!t->stopping) {
        end_everything(t);
        t->live--;
    }
    while (!list_empty(&t->ended))
        deliver_ended(t);
    BUG_ON(t->live); /* other loops still wait for answers */
    loop_defer_cancel(t->loop, &t->pump);
    loop_timer_stop(t->loop, &t->age_timer);
    https_pool_free(t->pool);
    https_conf_unref(t->new_conf);
    free(t->user_agent);
    free(t);
}

void transport_https_stats(const struct transport_https *t, struct transport_https_stats *ret)
{
    struct https_pool_stats pool;
    https_pool_stats(t->pool, &pool);
    *ret = t->stats;
    ret->dials = pool.dials;
    ret->dial_failures = pool.failures;
    ret->connections = pool.connections;
    ret->running = t->nrunning;
    ret->waiting = t->ncalls + t->nwatches;
}
