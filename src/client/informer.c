/* SPDX-License-Identifier: Apache-2.0 */
#include "client/informer.h"

#include "client/raw.h"

#define BACKOFF_MIN_NS (100 * NSEC_PER_MSEC)
#define BACKOFF_MAX_NS (30 * NSEC_PER_SEC)
#define REVISION_MAX 64
/* A watch that ends sooner than this without an event did not work. */
#define WATCH_MIN_NS NSEC_PER_SEC

enum state { STATE_LISTING, STATE_WATCHING, STATE_WAITING, STATE_STOPPED };

struct informer {
    struct informer_opts opts;
    char *path, *query;
    enum state state;
    bool synced;
    bool stopping;
    bool must_list;  /* what is next: a list, or a watch from `revision` */
    bool list_again; /* the list under way is not the last */
    bool heard;      /* this watch brought something */
    unsigned failures;
    nsec_t watch_began;
    char revision[REVISION_MAX];
    struct strbuf url;
    struct client_call call;
    struct client_watch watch;
    struct loop_timer timer;
    struct arena arena; /* per event */
    void (*stopped)(struct informer *inf);
};

static void go_on(struct informer *inf);

/* --- events --------------------------------------------------------------------------------------------------------------- */

const struct json *informer_event_object(struct informer_event *ev)
{
    struct strbuf room = strbuf_on(ev->arena_);
    if (!ev->has_tree_ && json_parse(ev->arena_, raw_without_managed_fields(ev->object, &room), NULL, &ev->tree_, NULL) < 0)
        return NULL;
    ev->has_tree_ = true;
    return &ev->tree_;
}

const struct json *informer_event_meta(struct informer_event *ev)
{
    if (ev->has_tree_)
        return json_get(&ev->tree_, S("metadata"));
    str text;
    struct strbuf room = strbuf_on(ev->arena_);
    struct json_parse_opts first = {.stop_at_end = true}; /* what follows metadata follows there, too */
    if (!ev->has_meta_ && (!raw_metadata_from(ev->object, &room, &text) || json_parse(ev->arena_, text, &first, &ev->meta_, NULL) < 0))
        return NULL;
    ev->has_meta_ = true;
    return &ev->meta_;
}

static str meta_text(str object, str key)
{
    str meta, v;
    return raw_member_from(object, S("metadata"), &meta) && raw_member_text(meta, key, &v) ? v : S("");
}

str informer_event_ns(const struct informer_event *ev)
{
    return meta_text(ev->object, S("namespace"));
}

str informer_event_name(const struct informer_event *ev)
{
    return meta_text(ev->object, S("name"));
}

static void revision_set(struct informer *inf, str rv)
{
    if (!rv.len || rv.len >= REVISION_MAX)
        return;
    memcpy(inf->revision, rv.p, rv.len); /* with every event: snprintf would cost ten times as much */
    inf->revision[rv.len] = 0;
}

static void deliver(struct informer *inf, enum informer_change change, str object)
{
    struct informer_event ev = {.change = change, .object = object, .arena_ = &inf->arena};
    inf->opts.event(inf, &ev);
    arena_reset(&inf->arena);
}

/* --- waiting ---------------------------------------------------------------------------------------------------------------- */

static void timer_fire(struct loop_timer *t)
{
    go_on(container_of(t, struct informer, timer));
}

static void wait_and_go_on(struct informer *inf)
{
    nsec_t delay = BACKOFF_MIN_NS;
    for (unsigned i = 0; i < inf->failures && delay < BACKOFF_MAX_NS; i++)
        delay *= 2;
    inf->failures++;
    inf->state = STATE_WAITING;
    loop_timer_set(inf->opts.loop, &inf->timer, loop_now(inf->opts.loop) + MIN(delay, BACKOFF_MAX_NS));
}

static void finish_stop(struct informer *inf)
{
    inf->state = STATE_STOPPED;
    inf->stopped(inf);
}

/* --- list ----------------------------------------------------------------------------------------------------------------------- */

static void list_page(struct informer *inf, str token)
{
    strbuf_clear(&inf->url);
    strbuf_addf(&inf->url, "%s?limit=%d", inf->path, INFORMER_PAGE);
    if (inf->query[0])
        strbuf_addf(&inf->url, "&%s", inf->query);
    if (token.len)
        strbuf_addf(&inf->url, "&continue=" STR_FMT, STR_ARG(token));
    inf->state = STATE_LISTING;
    inf->call.path = strbuf_str(&inf->url);
    inf->opts.transport->call(inf->opts.transport, &inf->call);
}

static void list_begin(struct informer *inf)
{
    if (inf->opts.begin)
        inf->opts.begin(inf);
    list_page(inf, S(""));
}

static void list_complete(struct informer *inf)
{
    inf->must_list = inf->list_again;
    inf->list_again = false;
    inf->synced = true;
    inf->failures = 0;
    if (inf->opts.synced)
        inf->opts.synced(inf);
    if (inf->stopping)
        finish_stop(inf);
    else
        go_on(inf);
}

/* False: not a list. */
static bool list_take(struct informer *inf, str body, str *ret_token)
{
    str meta, items, rv, object;
    struct raw_items it;
    if (!raw_member(body, S("metadata"), &meta) || !raw_member_text(meta, S("resourceVersion"), &rv))
        return false;
    *ret_token = S("");
    raw_member_text(meta, S("continue"), ret_token);
    revision_set(inf, rv);
    if (raw_member_from(body, S("items"), &items) && raw_items_begin(items, &it))
        while (!inf->stopping && raw_items_next(&it, &object))
            deliver(inf, INFORMER_LISTED, object);
    return true;
}

static void list_done(struct client_call *c)
{
    struct informer *inf = container_of(c, struct informer, call);
    str token;
    bool ok = !inf->stopping && c->status == 200 && list_take(inf, c->response, &token);
    if (inf->stopping)
        finish_stop(inf);
    else if (!ok)
        wait_and_go_on(inf); /* from the first page: a token that expired is of no use */
    else if (token.len)
        list_page(inf, token);
    else
        list_complete(inf);
}

/* --- watch ------------------------------------------------------------------------------------------------------------------------ */

static void watch_begin(struct informer *inf)
{
    strbuf_clear(&inf->url);
    strbuf_addf(&inf->url, "%s?watch=true&allowWatchBookmarks=true&resourceVersion=%s", inf->path, inf->revision);
    if (inf->query[0])
        strbuf_addf(&inf->url, "&%s", inf->query);
    inf->state = STATE_WATCHING;
    inf->heard = false;
    inf->watch_began = loop_now(inf->opts.loop);
    inf->watch.path = strbuf_str(&inf->url);
    inf->opts.transport->watch(inf->opts.transport, &inf->watch);
}

/* {"type":T,"object":O} as servers write it, without looking for O's end. */
static bool event_split(str event, str *ret_type, str *ret_object)
{
    str rest = event;
    if (str_has_prefix(rest, S("{\"type\":\"")) && rest.p[rest.len - 1] == '}') {
        rest = str_sub(rest, 9, rest.len - 1);
        ptrdiff_t quote = str_find_char(rest, '"');
        if (quote > 0 && str_has_prefix(str_from(rest, (size_t)quote), S("\",\"object\":"))) {
            *ret_type = str_sub(rest, 0, (size_t)quote);
            *ret_object = str_from(rest, (size_t)quote + 11);
            return true;
        }
    }
    return raw_member_text(event, S("type"), ret_type) && raw_member(event, S("object"), ret_object);
}

static void watch_event(struct client_watch *w, str event)
{
    static const struct {
        const char *type;
        enum informer_change change;
    } changes[] = {{"ADDED", INFORMER_ADDED}, {"MODIFIED", INFORMER_MODIFIED}, {"DELETED", INFORMER_DELETED}};
    struct informer *inf = container_of(w, struct informer, watch);
    str type, object;
    if (inf->stopping || inf->must_list)
        return;
    if (!event_split(event, &type, &object) || str_is(type, "ERROR")) {
        inf->must_list = true; /* whatever was wrong, a list puts it right */
        inf->opts.transport->watch_stop(inf->opts.transport, w);
        return;
    }
    inf->heard = true;
    inf->failures = 0;
    revision_set(inf, meta_text(object, S("resourceVersion")));
    for (size_t i = 0; i < ARRAY_LEN(changes); i++)
        if (str_is(type, changes[i].type))
            deliver(inf, changes[i].change, object);
}

static void watch_ended(struct client_watch *w, int status)
{
    struct informer *inf = container_of(w, struct informer, watch);
    if (inf->stopping) {
        finish_stop(inf);
        return;
    }
    if (status == 410 || status == 404)
        inf->must_list = true;
    bool worked = status == 200 && (inf->heard || loop_now(inf->opts.loop) - inf->watch_began >= WATCH_MIN_NS);
    if (worked && !inf->must_list)
        go_on(inf);
    else
        wait_and_go_on(inf);
}

/* --- life --------------------------------------------------------------------------------------------------------------------------- */

static void go_on(struct informer *inf)
{
    if (inf->must_list)
        list_begin(inf);
    else
        watch_begin(inf);
}

struct informer *informer_new(const struct informer_opts *opts)
{
    struct informer *inf = xnew(struct informer);
    inf->opts = *opts;
    inf->path = str_dup(opts->path);
    inf->query = str_dup(opts->query);
    inf->must_list = true;
    inf->timer.fire = timer_fire;
    inf->call = (struct client_call){.loop = opts->loop, .method = S("GET"), .done = list_done};
    inf->watch = (struct client_watch){.loop = opts->loop, .event = watch_event, .ended = watch_ended};
    go_on(inf);
    return inf;
}

void *informer_owner(const struct informer *inf)
{
    return inf->opts.owner;
}

bool informer_is_synced(const struct informer *inf)
{
    return inf->synced;
}

void informer_list_again(struct informer *inf)
{
    bool stops = inf->state == STATE_WATCHING && !inf->must_list;
    if (inf->stopping)
        return;
    if (inf->state == STATE_LISTING)
        inf->list_again = true;
    inf->must_list = true;
    if (stops) /* it may have ended when this returns */
        inf->opts.transport->watch_stop(inf->opts.transport, &inf->watch);
}

void informer_stop(struct informer *inf, void (*stopped)(struct informer *inf))
{
    inf->stopping = true;
    inf->stopped = stopped;
    if (inf->state == STATE_WATCHING) {
        inf->opts.transport->watch_stop(inf->opts.transport, &inf->watch);
    } else if (inf->state == STATE_WAITING) {
        loop_timer_stop(inf->opts.loop, &inf->timer);
        finish_stop(inf);
    }
}

void informer_free(struct informer *inf)
{
    if (!inf)
        return;
    loop_timer_stop(inf->opts.loop, &inf->timer);
    strbuf_fini(&inf->url);
    arena_fini(&inf->arena);
    free(inf->path);
    free(inf->query);
    free(inf);
}
