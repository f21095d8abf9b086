/* SPDX-License-Identifier: Apache-2.0 */
#include "apiserver/watch.h"

#include "api/selector.h"
#include "api/table.h"
#include "apiserver/internal.h"
#include "base/vec.h"

#define HUB_BATCH 256
#define BOOKMARK_NS (60 * NSEC_PER_SEC)
#define INITIAL_PIECE_BYTES (128u << 10)
#define INITIAL_UNSENT_BYTES (1u << 20) /* of the state a watch begins with, before it waits for the client */
#define INITIAL_STALL_NS (60 * NSEC_PER_SEC) /* that long it waits; it keeps a view of the past */
#define INITIAL_OBJECTS_PER_TURN 1000        /* looked at before others have their turn */
/* As Kubernetes: without timeoutSeconds a watch lives between half an hour and an hour, so that clients spread again over servers. */
#define WATCH_MIN_NS (1800 * NSEC_PER_SEC)

enum event_type { EVENT_ADDED, EVENT_MODIFIED, EVENT_DELETED, EVENT_BOOKMARK, EVENT_NONE };
static const char *const event_names[] = {"ADDED", "MODIFIED", "DELETED", "BOOKMARK"};

struct topic {
    struct list watchers;
    char *key; /* "group/plural" of the storage */
    size_t group_len, plural_len;
};

/* How a watcher wants its objects: watchers with the same form share bytes. */
struct form {
    const struct api_resource *res;
    enum api_output output;
    int include_object;
    bool v1beta1;
};

struct watcher {
    struct list link; /* in its topic */
    struct watch_hub *hub;
    struct api_req *q; /* sink of the events: a small copy, see watcher_new */
    struct api_req request;
    struct arena arena; /* selectors, strings; empty for most */
    struct form form;
    struct list_opts opts;
    str ns_prefix; /* "ns/" or "" : what key parts behind the plural must begin with */
    str exact;     /* "ns/name" or "name" when one object is watched, else "" */
    rev_t after;   /* events up to here are not for this watcher */
    nsec_t deadline, next_bookmark;
    nsec_t stalls_at; /* the client has no room for the state and is waited for until then; 0: it has */
    struct loop_timer timer;
    bool columns_sent;
    struct initial *initial; /* while the state it begins with is being sent, else NULL */
};

struct watch_hub {
    struct apiserver *srv;
    struct loop *loop;
    struct store_watch *watch;
    struct map topics;    /* they stay until the hub goes */
    struct topic *last_topic; /* found, or NULL */
    struct list starting; /* watchers whose first state is being sent */
    rev_t cursor; /* events up to here have been handed out */
    struct loop_msg wake;
    atomic_bool wake_posted;
    struct arena arena; /* per event */
    bool draining;
};

/* --- one event -------------------------------------------------------------------------------------------------- */

#define MAX_VARIANTS 8
#define MAX_TEXT_READS 8 /* of one event; then a tree is cheaper */
struct variant {
    struct form form;
    enum event_type type;
    bool with_columns;
    struct http_buf *buf;
};

/* An event on its way through a topic, with what was computed for it so far. */
struct event_run {
    struct watch_hub *hub;
    const struct store_event *ev;
    bool parsed_new, parsed_old;
    unsigned nread; /* times that watchers looked into its text */
    struct json obj_new, obj_old;
    struct variant variants[MAX_VARIANTS];
    size_t nvariants;
};

static const struct json *event_obj(struct event_run *r, bool old)
{
    bool *done = old ? &r->parsed_old : &r->parsed_new;
    struct json *obj = old ? &r->obj_old : &r->obj_new;
    if (!*done) {
        *obj = object_parse(&r->hub->arena, store_kv_value(old ? r->ev->prev : r->ev->kv));
        *done = true;
    }
    return obj;
}

/* The object of the event, or the one before it. */
static bool is_selected(struct event_run *r, const struct watcher *w, bool old)
{
    bool is_parsed = (old ? r->parsed_old : r->parsed_new) || r->nread++ > MAX_TEXT_READS;
    int is = is_parsed ? -1 : list_matches_text(&w->opts, w->form.res, store_kv_value(old ? r->ev->prev : r->ev->kv));
    return is < 0 ? list_matches(&w->opts, w->form.res, event_obj(r, old)) : is;
}

/* What the event means for this watcher: entering its selection is ADDED, leaving it DELETED. */
static enum event_type classify(struct event_run *r, const struct watcher *w)
{
    const struct store_event *ev = r->ev;
    bool selects = w->opts.labels || w->opts.fields;
    bool was = ev->type == STORE_DELETE || ev->prev;
    bool is = ev->type == STORE_PUT;
    if (selects) {
        if (is)
            is = is_selected(r, w, false);
        if (was)
            was = is_selected(r, w, ev->type == STORE_PUT);
    }
    return is ? (was ? EVENT_MODIFIED : EVENT_ADDED) : was ? EVENT_DELETED : EVENT_NONE;
}

static bool same_form(const struct form *a, const struct form *b)
{
    return a->res == b->res && a->output == b->output && a->include_object == b->include_object && a->v1beta1 == b->v1beta1;
}

/* {"type":T,"object":<item>}\n, copied once. */
static struct http_buf *wrap_item(enum event_type type, str item)
{
    str name = str_of(event_names[type]);
    const str parts[] = {S("{\"type\":\""), name, S("\",\"object\":"), item, S("}\n")};
    size_t len = 0;
    for (size_t i = 0; i < ARRAY_LEN(parts); i++)
        len += parts[i].len;
    struct http_buf *buf = http_buf_alloc(len);
    char *at = buf->data;
    for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
        memcpy(at, parts[i].p, parts[i].len);
        at += parts[i].len;
    }
    return buf;
}

/* {"type":T,"object":<bytes in the watcher's form>}\n */
static struct http_buf *render(struct watcher *w, struct arena *a, enum event_type type, str stored, bool with_columns)
{
    struct api_req *q = w->q;
    if (q->output != API_OUT_TABLE)
        return wrap_item(type, output_item(q, a, stored, true));
    struct strbuf b = strbuf_on(a);
    strbuf_grow(&b, stored.len + 64);
    strbuf_addf(&b, "{\"type\":\"%s\",\"object\":", event_names[type]);
    str bytes = output_item(q, a, stored, true);
    struct json v = object_parse(a, bytes);
    strbuf_addf(&b, "{\"kind\":\"Table\",\"apiVersion\":\"meta.k8s.io/" STR_FMT "\",\"metadata\":{\"resourceVersion\":", STR_ARG(q->table_version));
    json_write_string(&b, json_get_str(object_meta(&v), S("resourceVersion")));
    strbuf_add_str(&b, S("},"));
    if (with_columns)
        table_write_columns(&b, q->res);
    else
        strbuf_add_str(&b, S("\"columnDefinitions\":null"));
    strbuf_add_str(&b, S(",\"rows\":["));
    if (type != EVENT_BOOKMARK)
        table_write_row(a, &b, q->res, &v, bytes, (enum table_include)q->include_object, clock_wall(q->srv->clock));
    strbuf_add_str(&b, S("]}}\n"));
    return http_buf_new(strbuf_str(&b));
}

static struct http_buf *variant_for(struct event_run *r, struct watcher *w, enum event_type type)
{
    bool with_columns = w->form.output == API_OUT_TABLE && !w->columns_sent;
    for (size_t i = 0; i < r->nvariants; i++) {
        struct variant *v = &r->variants[i];
        if (v->type == type && v->with_columns == with_columns && same_form(&v->form, &w->form))
            return http_buf_ref(v->buf);
    }
    struct arena *a = &r->hub->arena;
    const struct store_event *ev = r->ev;
    str stored = store_kv_value(ev->kv);
    if (ev->type == STORE_DELETE)
        stored = object_with_revision(a, stored, ev->kv->rev_at, ev->rev);
    else if (type == EVENT_DELETED) /* left the selection: the state before, with the revision of now */
        stored = object_with_revision(a, store_kv_value(ev->prev), ev->prev->rev_at, ev->rev);
    struct http_buf *buf = render(w, a, type, stored, with_columns);
    if (r->nvariants < MAX_VARIANTS)
        r->variants[r->nvariants++] = (struct variant){w->form, type, with_columns, http_buf_ref(buf)};
    return buf;
}

static void variants_free(struct event_run *r)
{
    for (size_t i = 0; i < r->nvariants; i++)
        http_buf_unref(r->variants[i].buf);
    arena_reset(&r->hub->arena);
}

/* --- watchers ----------------------------------------------------------------------------------------------------- */

static void initial_free(struct initial *in);

static void watcher_end(struct watcher *w)
{
    if (w->initial)
        initial_free(w->initial);
    list_del(&w->link);
    loop_timer_stop(w->hub->loop, &w->timer);
    metrics_watch_started(w->hub->srv->metrics, -1);
    struct api_req *q = w->q;
    q->state = NULL;
    q->sink->stream_end(q); /* may free the HTTP request, not the watcher's own copy */
    arena_fini(&w->arena);
    free(w);
}

/* False: the watcher was too slow and is gone. */
static bool watcher_send(struct watcher *w, struct http_buf *buf)
{
    bool ok = w->q->sink->stream_write(w->q, buf, LIMIT_WATCH_BUFFER_BYTES);
    http_buf_unref(buf);
    if (!ok)
        watcher_end(w);
    return ok;
}

static bool in_scope(const struct watcher *w, str ns_name)
{
    if (w->exact.len)
        return str_eq(ns_name, w->exact);
    return str_has_prefix(ns_name, w->ns_prefix);
}

/* False: the watcher is gone. */
static bool watcher_event(struct watcher *w, struct event_run *r, str ns_name)
{
    if (r->ev->rev <= w->after || !in_scope(w, ns_name))
        return true;
    if (w->opts.name_pin.len && !w->exact.len && !str_has_suffix(ns_name, w->opts.name_pin))
        return true;
    enum event_type type = classify(r, w);
    if (type == EVENT_NONE)
        return true;
    struct http_buf *buf = variant_for(r, w, type);
    w->columns_sent = true;
    return watcher_send(w, buf);
}

static struct topic *topic_find(struct watch_hub *h, str group, str plural)
{
    char key[512];
    const struct topic *last = h->last_topic; /* events come in runs of one resource */
    if (last && last->group_len == group.len && last->plural_len == plural.len && memcmp(last->key, group.p, group.len) == 0 &&
        memcmp(last->key + group.len + 1, plural.p, plural.len) == 0)
        return h->last_topic;
    str path = str_path(key, sizeof key, (str[]){group, plural}, 2);
    struct topic *t = path.p ? map_get(&h->topics, path) : NULL;
    if (t)
        h->last_topic = t;
    return t;
}

static struct topic *topic_ensure(struct watch_hub *h, const struct api_resource *r)
{
    struct topic *t = topic_find(h, r->storage_group, r->plural);
    if (t)
        return t;
    STRBUF_AUTO key = STRBUF_HEAP;
    strbuf_addf(&key, STR_FMT "/" STR_FMT, STR_ARG(r->storage_group), STR_ARG(r->plural));
    t = xnew(struct topic);
    t->key = xstrdup(strbuf_cstr(&key));
    t->group_len = r->storage_group.len;
    t->plural_len = r->plural.len;
    list_init(&t->watchers);
    map_put(&h->topics, str_of(t->key), t);
    return t;
}

/* --- the hub -------------------------------------------------------------------------------------------------------- */

static void hub_event(struct watch_hub *h, const struct store_event *ev)
{
    str group, plural, ns_name;
    if (!object_key_parse(store_kv_key(ev->kv), &group, &plural, &ns_name))
        return;
    struct topic *t = topic_find(h, group, plural);
    if (!t || list_empty(&t->watchers))
        return;
    struct event_run run = {.hub = h, .ev = ev};
    uint64_t sent = 0;
    list_foreach_safe(w, &t->watchers, struct watcher, link)
    {
        watcher_event(w, &run, ns_name);
        sent++;
    }
    metrics_watch_events(h->srv->metrics, sent);
    variants_free(&run);
}

static void hub_end_all(struct watch_hub *h)
{
    list_foreach_safe(w, &h->starting, struct watcher, link) watcher_end(w);
    map_foreach(e, &h->topics)
    {
        struct topic *t = e->value;
        list_foreach_safe(w, &t->watchers, struct watcher, link) watcher_end(w);
    }
}

static void hub_wake(void *arg)
{
    struct watch_hub *h = arg;
    if (!atomic_exchange(&h->wake_posted, true))
        loop_post(h->loop, &h->wake);
}

static int hub_open(struct watch_hub *h, struct err *err)
{
    h->cursor = store_revision(h->srv->store);
    return store_watch_open(h->srv->store, S(OBJECT_ROOT), h->cursor, hub_wake, h, &h->watch, err);
}

static void hub_drain_store(struct loop_msg *m)
{
    struct watch_hub *h = container_of(m, struct watch_hub, wake);
    atomic_store(&h->wake_posted, false);
    struct store_event events[HUB_BATCH];
    for (;;) {
        rev_t seen;
        int n = store_watch_next(h->watch, events, HUB_BATCH, &seen);
        if (n < 0) {
            /* this loop was stopped for longer than the window: every watcher has a gap, so all must start again */
            hub_end_all(h);
            store_watch_close(h->watch);
            BUG_ON(hub_open(h, NULL) < 0);
            continue;
        }
        for (int i = 0; i < n; i++)
            hub_event(h, &events[i]);
        h->cursor = seen;
        store_events_release(events, (size_t)n);
        if (n < HUB_BATCH)
            return;
    }
}

int watch_hub_new(struct apiserver *s, struct loop *loop, struct watch_hub **ret, struct err *err)
{
    struct watch_hub *h = xnew(struct watch_hub);
    h->srv = s;
    h->loop = loop;
    h->wake.fn = hub_drain_store;
    list_init(&h->starting);
    int r = hub_open(h, err);
    if (r < 0) {
        free(h);
        return r;
    }
    hub_wake(h); /* the store wakes a watch that was read to its end: read it once */
    *ret = h;
    return 0;
}

void watch_hub_free(struct watch_hub *h)
{
    if (!h)
        return;
    store_watch_close(h->watch);
    hub_end_all(h);
    map_foreach(e, &h->topics)
    {
        struct topic *t = e->value;
        free(t->key);
        free(t);
    }
    map_fini(&h->topics);
    arena_fini(&h->arena);
    free(h);
}

struct loop *watch_hub_loop(const struct watch_hub *h)
{
    return h->loop;
}

void watch_hub_drain(struct watch_hub *h)
{
    h->draining = true;
    hub_end_all(h);
}

/* --- bookmarks and time-outs ------------------------------------------------------------------------------------------ */

static struct http_buf *bookmark(struct watcher *w, struct arena *a, rev_t rev, bool initial_end)
{
    struct api_req *q = w->q;
    struct strbuf b = strbuf_on(a);
    strbuf_addf(&b, "{\"kind\":\"" STR_FMT "\",\"apiVersion\":\"" STR_FMT "\",\"metadata\":{\"resourceVersion\":\"%llu\"", STR_ARG(q->res->kind),
                STR_ARG(api_group_version(a, q->res->group, q->res->version)), (unsigned long long)rev);
    strbuf_add_str(&b, S(",\"creationTimestamp\":null"));
    if (initial_end)
        strbuf_add_str(&b, S(",\"annotations\":{\"k8s.io/initial-events-end\":\"true\"}"));
    strbuf_add_str(&b, S("}}"));
    if (q->output == API_OUT_TABLE)
        return render(w, a, EVENT_BOOKMARK, strbuf_str(&b), !w->columns_sent);
    struct strbuf ev = strbuf_on(a);
    strbuf_addf(&ev, "{\"type\":\"BOOKMARK\",\"object\":" STR_FMT "}\n", STR_ARG(strbuf_str(&b)));
    return http_buf_new(strbuf_str(&ev));
}

static bool watcher_bookmark(struct watcher *w, rev_t rev, bool initial_end)
{
    ARENA_AUTO a = ARENA_INIT;
    return watcher_send(w, bookmark(w, &a, rev, initial_end));
}

static void timer_set(struct watcher *w)
{
    nsec_t at = w->opts.bookmarks ? MIN(w->deadline, w->next_bookmark) : w->deadline;
    if (w->stalls_at)
        at = MIN(at, w->stalls_at);
    loop_timer_set(w->hub->loop, &w->timer, at);
}

static void timer_fire(struct loop_timer *t)
{
    struct watcher *w = container_of(t, struct watcher, timer);
    nsec_t now = loop_now(w->hub->loop);
    rev_t rev = MAX(w->hub->cursor, w->after);
    if (w->opts.bookmarks && !w->initial && !watcher_bookmark(w, rev, false))
        return;
    if (now >= w->deadline || (w->stalls_at && now >= w->stalls_at)) {
        watcher_end(w);
        return;
    }
    w->next_bookmark = now + BOOKMARK_NS;
    timer_set(w);
}

/* --- starting -------------------------------------------------------------------------------------------------------- */

static struct selector *selector_copy(struct arena *a, const struct selector *s)
{
    if (!s)
        return NULL;
    struct selector *c = arena_new(a, struct selector);
    *c = *s;
    c->terms = arena_array(a, s->nterms, struct selector_term);
    for (size_t i = 0; i < s->nterms; i++) {
        const struct selector_term *t = &s->terms[i];
        str *values = arena_array(a, t->nvalues, str);
        for (size_t v = 0; v < t->nvalues; v++)
            values[v] = arena_str(a, t->values[v]);
        c->terms[i] = (struct selector_term){arena_str(a, t->key), t->op, values, t->nvalues};
    }
    return c;
}

static struct api_user user_copy(struct arena *a, const struct api_user *u)
{
    str *groups = arena_array(a, u->ngroups, str);
    for (size_t i = 0; i < u->ngroups; i++)
        groups[i] = arena_str(a, u->groups[i]);
    return (struct api_user){.name = arena_str(a, u->name), .groups = groups, .ngroups = u->ngroups};
}

/* Nothing of the copied request points to the old arena any more; what the audit log says in the end is copied, the rest is let go. */
static void request_keep(struct api_req *q, struct arena *a)
{
    struct api_req from = *q;
    q->target = (struct api_target){.is_resource = true, .verb = S("watch"), .group = q->res->group, .version = q->res->version, .resource = q->res->plural};
    q->user = q->impersonator = (struct api_user){0};
    q->method = S("GET");
    q->path = q->query = q->content_type = q->accept = q->user_agent = q->body = q->audit_id = q->field_manager = STR_NONE;
    q->arena = a;
    q->nwarnings = 0;
    if (!q->srv->audit)
        return;
    q->target.ns = arena_str(a, from.target.ns);
    q->target.name = arena_str(a, from.target.name);
    q->user = user_copy(a, &from.user);
    q->impersonator = user_copy(a, &from.impersonator);
    str *const texts[][2] = {{&q->path, &from.path}, {&q->query, &from.query}, {&q->user_agent, &from.user_agent}, {&q->audit_id, &from.audit_id}};
    for (size_t i = 0; i < ARRAY_LEN(texts); i++)
        *texts[i][0] = arena_str(a, *texts[i][1]);
}

/* The watcher keeps its own small copy of the request: the HTTP request lets its arena go (headers, query) while the watch runs. */
static struct watcher *watcher_new(struct watch_hub *h, struct api_req *q, const struct list_opts *o)
{
    struct watcher *w = xnew(struct watcher);
    w->hub = h;
    w->arena = ARENA_SMALL(256);
    w->request = *q;
    w->q = &w->request;
    w->q->state = w;
    w->q->table_version = str_is(q->table_version, "v1beta1") ? S("v1beta1") : S("v1");
    w->form = (struct form){q->res, q->output, q->include_object, str_is(q->table_version, "v1beta1")};
    w->opts = *o;
    struct arena *a = &w->arena;
    w->opts.labels = selector_copy(a, o->labels);
    w->opts.fields = selector_copy(a, o->fields);
    if (o->name_pin.len)
        w->opts.name_pin = arena_str(a, o->name_pin);
    if (o->ns.len)
        w->ns_prefix = arena_fmt(a, STR_FMT "/", STR_ARG(o->ns));
    if (o->name_pin.len && (o->ns.len || !api_is_namespaced(q->res)))
        w->exact = arena_cat(a, w->ns_prefix, o->name_pin);
    w->opts.continue_token = w->opts.rv_match = w->opts.ns = STR_NONE;
    request_keep(w->q, a);
    list_init(&w->link);
    nsec_t now = loop_now(h->loop);
    nsec_t life = o->timeout_ns ? o->timeout_ns : WATCH_MIN_NS + (nsec_t)((uint64_t)now * 2654435761u % (uint64_t)WATCH_MIN_NS);
    w->deadline = now + life;
    w->next_bookmark = now + BOOKMARK_NS;
    w->timer.fire = timer_fire;
    return w;
}

/* The state a watch begins with, sent as fast as the client reads: a watcher in this phase is in no topic, holds a view, and takes what happened meanwhile from the store's window when the state is
 * through (live). */
struct initial {
    struct store_view *view;
    struct arena keys;    /* prefix and end of the range */
    struct arena scratch; /* per object */
    str from, end;
    VEC(char) from_copy;  /* backing of `from` between pieces */
    struct strbuf piece;
    struct http_buf *held; /* a piece the client had no room for */
    uint32_t visited;      /* objects, in this turn */
    bool full, paused;
    struct watcher *watcher;
    struct loop_defer again; /* paused: goes on in the next turn */
};

static void initial_free(struct initial *in)
{
    loop_defer_cancel(in->watcher->hub->loop, &in->again);
    store_view_close(in->view);
    arena_fini(&in->keys);
    arena_fini(&in->scratch);
    vec_fini(&in->from_copy);
    strbuf_fini(&in->piece);
    http_buf_unref(in->held);
    free(in);
}

static bool initial_visit(void *arg, const struct store_kv *kv)
{
    struct watcher *w = arg;
    struct initial *in = w->initial;
    str group, plural, ns_name, stored = store_kv_value(kv), key = store_kv_key(kv);
    if (in->full || in->paused) {
        vec_clear(&in->from_copy);
        vec_reserve(&in->from_copy, key.len);
        memcpy(in->from_copy.p, key.p, key.len);
        in->from = str_n(in->from_copy.p, key.len);
        return false;
    }
    BUG_ON(!object_key_parse(key, &group, &plural, &ns_name));
    if (!in_scope(w, ns_name) || (w->opts.name_pin.len && !w->exact.len && !str_has_suffix(ns_name, w->opts.name_pin)))
        return true;
    bool wanted = true;
    in->paused = ++in->visited >= INITIAL_OBJECTS_PER_TURN;
    if (w->opts.labels || w->opts.fields) {
        struct json obj = object_parse(&in->scratch, stored);
        wanted = list_matches(&w->opts, w->form.res, &obj);
    }
    if (wanted) {
        struct http_buf *buf = render(w, &in->scratch, EVENT_ADDED, stored, w->form.output == API_OUT_TABLE && !w->columns_sent);
        w->columns_sent = true;
        strbuf_add(&in->piece, buf->data, buf->len);
        http_buf_unref(buf);
        in->full = in->piece.len >= INITIAL_PIECE_BYTES;
    }
    arena_reset(&in->scratch);
    return true;
}

static void live(struct watcher *w);

/* Sends until the client has no room, the turn is over or the state is through. */
static void initial_pump(struct watcher *w)
{
    struct initial *in = w->initial;
    size_t limit = w->q->http ? INITIAL_UNSENT_BYTES : SIZE_MAX; /* a component of this process does not say when it has room */
    for (;;) {
        if (in->held) {
            bool sent = w->q->sink->stream_write(w->q, in->held, limit);
            w->stalls_at = sent ? 0 : loop_now(w->hub->loop) + INITIAL_STALL_NS;
            timer_set(w);
            if (!sent)
                return; /* on_writable comes back here */
            http_buf_unref(TAKE(in->held));
        }
        if (!in->from.p)
            break;
        if (in->paused) {
            in->paused = false;
            loop_defer(w->hub->loop, &in->again);
            return;
        }
        str from = in->from;
        in->from = STR_NONE;
        in->full = false;
        in->visited = 0;
        store_view_range(in->view, from, in->end, initial_visit, w);
        if (in->piece.len)
            in->held = http_buf_new(strbuf_str(&in->piece));
        strbuf_clear(&in->piece);
    }
    w->after = store_view_revision(in->view);
    w->initial = NULL;
    initial_free(in);
    if (!w->opts.send_initial_events || watcher_bookmark(w, w->after, true))
        live(w);
}

static void initial_again(struct loop_defer *d)
{
    initial_pump(container_of(d, struct initial, again)->watcher);
}

static void initial_begin(struct watcher *w, struct store_view *view)
{
    struct initial *in = w->initial = xnew(struct initial);
    str ns = w->ns_prefix.len ? str_sub(w->ns_prefix, 0, w->ns_prefix.len - 1) : S("");
    in->view = view;
    in->watcher = w;
    in->again.fn = initial_again;
    in->from = object_key(&in->keys, w->form.res, ns, w->exact.len ? w->opts.name_pin : S(""));
    in->end = w->exact.len ? arena_cat(&in->keys, in->from, str_n("\0", 1)) : store_prefix_end(&in->keys, in->from);
}

/* Events between the watcher's revision and the hub's cursor, which the hub will not repeat.  False: the watcher is gone. */
static bool catch_up(struct watcher *w, struct store_watch *sw)
{
    struct watch_hub *h = w->hub;
    struct store_event events[HUB_BATCH];
    bool alive = true;
    for (bool more = true; more && alive;) {
        rev_t seen;
        int n = store_watch_next(sw, events, HUB_BATCH, &seen);
        if (n < 0) {
            watcher_end(w);
            return false;
        }
        for (int i = 0; i < n && alive; i++) {
            if (events[i].rev > h->cursor) {
                more = false;
                break;
            }
            str group, plural, ns_name;
            struct event_run run = {.hub = h, .ev = &events[i]};
            if (object_key_parse(store_kv_key(events[i].kv), &group, &plural, &ns_name))
                alive = watcher_event(w, &run, ns_name);
            variants_free(&run);
        }
        more = more && n > 0 && seen < h->cursor;
        store_events_release(events, (size_t)n);
    }
    if (alive)
        w->after = MAX(w->after, h->cursor);
    return alive;
}

static void wake_nothing(void *arg UNUSED)
{
}

static void answer_expired(struct api_req *q, rev_t rv)
{
    str message = arena_fmt(q->arena, "too old resource version: %llu (%llu)", (unsigned long long)rv,
                            (unsigned long long)store_compacted_revision(q->srv->store));
    str body = arena_fmt(q->arena,
                         "{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":\"Failure\",\"message\":\"" STR_FMT
                         "\",\"reason\":\"Expired\",\"code\":410}}\n",
                         STR_ARG(message));
    api_answer(q, 200, S("application/json"), body);
}

static void peer_gone(struct http_request *http)
{
    watch_gone(http->user);
}

void watch_gone(struct api_req *q)
{
    if (q->state)
        watcher_end(q->state);
}

static void peer_writable(struct http_request *http)
{
    struct api_req *q = http->user;
    struct watcher *w = q->state;
    if (w && w->initial)
        initial_pump(w);
}

static void stream_begin(struct watcher *w)
{
    struct api_req *q = w->q;
    struct http_header headers[] = {{S("cache-control"), S("no-cache, private")}};
    q->sink->stream_start(q, &(struct http_response){.status = 200, .content_type = S("application/json"), .headers = headers, .nheaders = 1});
    if (q->http) {
        q->http->user = q;
        q->http->on_gone = peer_gone;
        q->http->on_writable = peer_writable;
        http_request_shrink(q->http);
    }
}

/* Joins its topic, after what happened between its revision and the hub's cursor; or ends. */
static void live(struct watcher *w)
{
    struct watch_hub *h = w->hub;
    bool alive = true;
    if (w->after < h->cursor) {
        ARENA_AUTO a = ARENA_INIT;
        struct store_watch *sw;
        str ns = w->ns_prefix.len ? str_sub(w->ns_prefix, 0, w->ns_prefix.len - 1) : S("");
        if (store_watch_open(h->srv->store, object_key(&a, w->form.res, ns, S("")), w->after, wake_nothing, NULL, &sw, NULL) < 0) {
            watcher_end(w); /* it read its state so slowly that the window has moved on: it must list again */
            return;
        }
        alive = catch_up(w, sw);
        store_watch_close(sw);
    }
    if (alive) {
        list_del(&w->link);
        list_add_tail(&topic_ensure(h, w->form.res)->watchers, &w->link);
    }
}

void rest_watch(struct api_req *q)
{
    struct watch_hub *h = apiserver_hub(q->srv, q->loop);
    struct list_opts o;
    struct store_view *view = NULL;
    struct err err;
    q->is_watch = true;
    if (!list_opts_parse(q, &o))
        return;
    if (h->draining) {
        api_answer_status(q, 503, S("ServiceUnavailable"), S("the server is shutting down"), &(struct api_status_details){.retry_after_s = 1});
        return;
    }
    if (!o.has_rv || o.rv == 0 || o.send_initial_events) {
        if (store_view_open(q->srv->store, 0, &view, &err) < 0) {
            api_answer_err(q, &err);
            return;
        }
    } else if (o.rv < store_compacted_revision(q->srv->store)) {
        answer_expired(q, o.rv);
        return;
    }
    struct watcher *w = watcher_new(h, q, &o);
    w->after = o.rv;
    metrics_watch_started(q->srv->metrics, 1);
    stream_begin(w);
    timer_set(w);
    list_add_tail(&h->starting, &w->link);
    if (view) {
        initial_begin(w, view);
        initial_pump(w);
    } else {
        live(w);
    }
}
