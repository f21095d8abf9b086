/* SPDX-License-Identifier: Apache-2.0 */
#include "client/events.h"

#include "base/civil.h"
#include "base/list.h"
#include "base/map.h"
#include "client/client.h"
#include "wire/json.h"

#define SERIES_NS (2700 * NSEC_PER_SEC) /* the server forgets an Event after an hour: then it is told anew */
#define OBJECT_NAME_MAX 230u /* of an Event's name: the object's part */

/* One that was sent lately: found by what it says. */
struct known {
    struct list link; /* in use order, oldest first */
    uint64_t id;
    nsec_t born; /* monotonic */
    uint32_t count;
    str key; /* behind the struct */
};

/* What one object may still say. */
struct bucket {
    struct list link; /* in use order, oldest first */
    double tokens;
    nsec_t at; /* monotonic */
    str key; /* behind the struct */
};

struct sending {
    struct list link;
    struct client_call call;
    struct events *all;
    uint64_t id; /* of the known one */
    str key;
    char text[]; /* path, body, key */
};

struct events {
    struct events_opts opts;
    char *component, *host;
    struct map known, objects;
    struct list known_by_use, objects_by_use;
    struct list waiting, in_flight;
    size_t nwaiting, nin_flight;
    double tokens;
    nsec_t tokens_at;
    uint64_t seq;
    bool stopping;
    void (*stopped)(void *arg);
    void *stopped_arg;
};

struct events *events_new(const struct events_opts *o)
{
    struct events *e = xcalloc(1, sizeof *e);
    e->opts = *o;
    e->component = str_dup(str_of(o->component));
    e->host = str_dup(str_of(o->host ? o->host : ""));
    list_init(&e->known_by_use);
    list_init(&e->objects_by_use);
    list_init(&e->waiting);
    list_init(&e->in_flight);
    e->tokens = EVENTS_BURST;
    e->tokens_at = clock_mono(o->clock);
    return e;
}

/* --- sending ------------------------------------------------------------------------------------------------------------- */
static void send_some(struct events *e);
static void forget(struct events *e, struct known *k);

static void on_sent(struct client_call *c)
{
    struct sending *s = c->owner;
    struct events *e = s->all;
    list_del(&s->link);
    e->nin_flight--;
    bool worked = c->status >= 200 && c->status < 300;
    struct known *k = worked ? NULL : map_get(&e->known, s->key);
    if (k && k->id == s->id) /* the server has none that could be counted: the next one is told anew */
        forget(e, k);
    free(s);
    if (e->stopping && e->nin_flight == 0 && e->stopped)
        e->stopped(e->stopped_arg);
    else
        send_some(e);
}

static void send_some(struct events *e)
{
    while (!e->stopping && e->nwaiting && e->nin_flight < EVENTS_IN_FLIGHT) {
        struct sending *s = list_first(&e->waiting, struct sending, link);
        list_del(&s->link);
        e->nwaiting--;
        list_add_tail(&e->in_flight, &s->link);
        e->nin_flight++;
        e->opts.transport->call(e->opts.transport, &s->call);
    }
}

static void enqueue(struct events *e, struct known *k, const char *method, const char *content_type, str path, str body)
{
    if (e->nwaiting >= EVENTS_QUEUE) {
        if (k->count == 1)
            forget(e, k); /* what was never told cannot be counted */
        return;
    }
    struct sending *s = xcalloc(1, sizeof *s + path.len + body.len + k->key.len);
    memcpy(s->text, path.p, path.len);
    memcpy(s->text + path.len, body.p, body.len);
    memcpy(s->text + path.len + body.len, k->key.p, k->key.len);
    s->all = e;
    s->id = k->id;
    s->key = str_n(s->text + path.len + body.len, k->key.len);
    s->call = (struct client_call){.loop = e->opts.loop, .method = str_of(method), .path = str_n(s->text, path.len), .content_type = str_of(content_type),
                                   .body = str_n(s->text + path.len, body.len), .done = on_sent, .owner = s};
    list_add_tail(&e->waiting, &s->link);
    e->nwaiting++;
    send_some(e);
}

static void drop_bucket(struct events *e, struct bucket *b)
{
    map_del(&e->objects, b->key);
    list_del(&b->link);
    free(b);
}

/* Of the object that the Event is about. */
static struct bucket *bucket_of(struct events *e, const struct event *ev, nsec_t now)
{
    ARENA_AUTO a = ARENA_INIT;
    str key = arena_fmt(&a, "%s/" STR_FMT "/" STR_FMT "/" STR_FMT, ev->kind, STR_ARG(ev->ns), STR_ARG(ev->name), STR_ARG(ev->uid));
    struct bucket *b = map_get(&e->objects, key);
    if (b) {
        list_del(&b->link);
    } else {
        struct bucket *oldest = e->objects.len >= EVENTS_KNOWN ? list_first(&e->objects_by_use, struct bucket, link) : NULL;
        if (oldest)
            drop_bucket(e, oldest);
        b = xcalloc(1, sizeof *b + key.len + 1);
        memcpy(b + 1, key.p, key.len);
        *b = (struct bucket){.tokens = EVENTS_OBJECT_BURST, .at = now, .key = str_n((const char *)(b + 1), key.len)};
        map_put(&e->objects, b->key, b);
    }
    list_add_tail(&e->objects_by_use, &b->link);
    b->tokens = MIN((double)EVENTS_OBJECT_BURST, b->tokens + (double)(now - b->at) / (double)EVENTS_OBJECT_NS);
    b->at = now;
    return b;
}

static bool may_send(struct events *e, const struct event *ev)
{
    nsec_t now = clock_mono(e->opts.clock);
    e->tokens = MIN((double)EVENTS_BURST, e->tokens + (double)(now - e->tokens_at) / 1e9 * EVENTS_RATE);
    e->tokens_at = now;
    if (e->stopping || e->tokens < 1)
        return false;
    struct bucket *b = bucket_of(e, ev, now);
    if (b->tokens < 1)
        return false;
    b->tokens -= 1;
    e->tokens -= 1;
    return true;
}

/* --- what was said before ------------------------------------------------------------------------------------------------- */
static void forget(struct events *e, struct known *k)
{
    map_del(&e->known, k->key);
    list_del(&k->link);
    free(k);
}

static struct known *know(struct events *e, const struct event *ev, str message)
{
    ARENA_AUTO a = ARENA_INIT;
    str key = arena_fmt(&a, STR_FMT "/" STR_FMT "/" STR_FMT "/" STR_FMT "/%s/%s/" STR_FMT, STR_ARG(ev->ns), STR_ARG(ev->name), STR_ARG(ev->uid), STR_ARG(ev->field_path), ev->kind,
                        ev->reason, STR_ARG(message));
    struct known *k = map_get(&e->known, key);
    if (k && clock_mono(e->opts.clock) - k->born > SERIES_NS) {
        forget(e, k);
        k = NULL;
    }
    if (k) {
        list_del(&k->link);
    } else {
        if (e->known.len >= EVENTS_KNOWN)
            forget(e, list_first(&e->known_by_use, struct known, link));
        k = xcalloc(1, sizeof *k + key.len + 1);
        memcpy(k + 1, key.p, key.len);
        k->key = str_n((const char *)(k + 1), key.len);
        k->born = clock_mono(e->opts.clock);
        k->id = (uint64_t)clock_wall(e->opts.clock) + e->seq++;
        map_put(&e->known, k->key, k);
    }
    k->count++;
    list_add_tail(&e->known_by_use, &k->link);
    return k;
}

/* --- the Event ------------------------------------------------------------------------------------------------------------- */
/* Not longer than the API takes, and not within a character. */
static str short_message(str m)
{
    if (m.len <= EVENT_MESSAGE_MAX)
        return m;
    size_t n = EVENT_MESSAGE_MAX;
    while (n > 0 && ((unsigned char)m.p[n] & 0xc0) == 0x80)
        n--;
    return str_sub(m, 0, n);
}

static void set(struct arena *a, struct json *obj, const char *key, str value)
{
    if (value.len)
        json_set(a, obj, str_of(key), json_string(value));
}

static struct json describe(struct events *e, struct arena *a, const struct event *ev, str name, str ns, str message)
{
    char now[CIVIL_TIME_LEN + 1];
    civil_format(clock_wall(e->opts.clock), now);
    str time = arena_str(a, str_of(now)), component = str_of(ev->component ? ev->component : e->component);
    struct json o = json_object();
    set(a, &o, "apiVersion", S("v1"));
    set(a, &o, "kind", S("Event"));
    struct json *meta = json_ensure_object(a, &o, S("metadata"));
    set(a, meta, "name", name);
    set(a, meta, "namespace", ns);
    struct json *about = json_ensure_object(a, &o, S("involvedObject"));
    set(a, about, "apiVersion", str_of(ev->api_version ? ev->api_version : "v1"));
    set(a, about, "kind", str_of(ev->kind));
    set(a, about, "namespace", ev->ns);
    set(a, about, "name", ev->name);
    set(a, about, "uid", ev->uid);
    set(a, about, "fieldPath", ev->field_path);
    set(a, &o, "type", str_of(ev->type));
    set(a, &o, "reason", str_of(ev->reason));
    set(a, &o, "message", message);
    struct json *source = json_ensure_object(a, &o, S("source"));
    set(a, source, "component", component);
    set(a, source, "host", str_of(e->host));
    set(a, &o, "reportingComponent", component);
    set(a, &o, "reportingInstance", str_of(e->host));
    set(a, &o, "firstTimestamp", time);
    set(a, &o, "lastTimestamp", time);
    json_set(a, &o, S("count"), json_int(a, 1));
    return o;
}

void events_send(struct events *e, const struct event *ev)
{
    if (!may_send(e, ev))
        return;
    ARENA_AUTO a = ARENA_INIT;
    str message = short_message(ev->message), ns = ev->ns.len ? ev->ns : S("default");
    struct known *k = know(e, ev, message);
    str name = arena_fmt(&a, STR_FMT ".%016llx", STR_ARG(str_sub(ev->name, 0, OBJECT_NAME_MAX)), (unsigned long long)k->id);
    struct strbuf path = strbuf_on(&a);
    strbuf_add_str(&path, S("/api/v1/namespaces"));
    client_path_add(&path, ns);
    strbuf_add_str(&path, S("/events"));
    if (k->count == 1) {
        struct json o = describe(e, &a, ev, name, ns, message);
        enqueue(e, k, "POST", "application/json", strbuf_str(&path), json_text(&a, &o));
        return;
    }
    char now[CIVIL_TIME_LEN + 1];
    civil_format(clock_wall(e->opts.clock), now);
    client_path_add(&path, name);
    enqueue(e, k, "PATCH", "application/merge-patch+json", strbuf_str(&path), arena_fmt(&a, "{\"count\":%u,\"lastTimestamp\":\"%s\"}", k->count, now));
}

/* --- the end ----------------------------------------------------------------------------------------------------------------- */
static void drop_waiting(struct list *line)
{
    list_foreach_safe(s, line, struct sending, link) {
        list_del(&s->link);
        free(s);
    }
}

void events_stop(struct events *e, void (*stopped)(void *arg), void *arg)
{
    e->stopping = true;
    e->stopped = stopped;
    e->stopped_arg = arg;
    drop_waiting(&e->waiting);
    e->nwaiting = 0;
    if (e->nin_flight == 0)
        stopped(arg);
}

void events_free(struct events *e)
{
    if (!e)
        return;
    drop_waiting(&e->waiting);
    drop_waiting(&e->in_flight);
    while (!list_empty(&e->known_by_use))
        forget(e, list_first(&e->known_by_use, struct known, link));
    while (!list_empty(&e->objects_by_use))
        drop_bucket(e, list_first(&e->objects_by_use, struct bucket, link));
    map_fini(&e->known);
    map_fini(&e->objects);
    free(e->component);
    free(e->host);
    free(e);
}
