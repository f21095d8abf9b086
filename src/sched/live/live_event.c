/* live_event.c - Events of the scheduler (events.k8s.io/v1): Scheduled, FailedScheduling, Preempted.
 *
 * They are for people and may be lost: a bucket lets LIVE_EVENTS_BURST through and then LIVE_EVENTS_RATE a second, what is beyond is counted and dropped.  A pod that
 * waits on and on for the same reason has one FailedScheduling, whose series counts up; another reason is another Event, as an Event's note may not change. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "base/civil.h"
#include "client/client.h"
#include "sched/live/live_internal.h"
#include "wire/json.h"

#define EVENTS_QUEUE 8192u
#define SERIES_EVERY_NS (300 * NSEC_PER_SEC)
#define NOTE_MAX 1024u /* bytes, by the API's rules */
#define NAME_MAX_ 230u /* of the pod's part of an event's name */

void live_pod_path(struct strbuf *b, str ns, str name, const char *more)
{
    strbuf_add_str(b, S("/api/v1/namespaces"));
    client_path_add(b, ns);
    strbuf_add_str(b, S("/pods"));
    client_path_add(b, name);
    strbuf_add_str(b, str_of(more));
}

/* --- requests nobody waits for ---------------------------------------------------------------------------------------------------------------- */
#define GROUPS_PATH "/apis/scheduling.run.ai/v2alpha2/namespaces/"

struct word {
    struct outbox_item item;
    struct live *l;
    char text[]; /* path, body */
};

void live_words_free_item(struct outbox_item *it)
{
    free(container_of(it, struct word, item));
}

/* A status that the server did not take (but for one of something that is gone) is to be written again: who wrote it takes it for said. */
static void word_done(struct outbox_item *it)
{
    struct word *w = container_of(it, struct word, item);
    str path = it->call.path, ns, name;
    int status = it->call.status;
    bool lost = status / 100 != 2 && status != 404 && status != OUTBOX_DROPPED;
    if (lost && str_has_prefix(path, S("/apis/scheduling.run.ai/v2/queues/"))) {
        live_policy_refused(w->l);
    } else if (lost && str_has_prefix(path, S(GROUPS_PATH)) && str_has_suffix(path, S("/status"))) {
        path = str_from(path, sizeof GROUPS_PATH - 1);
        if (str_cut(&path, '/', &ns) && str_cut(&path, '/', &name) && str_cut(&path, '/', &name))
            live_groups_refused(w->l, ns, name);
    }
    live_words_free_item(it);
}

/* What is said of one object arrives in the order it was said: "made" before its status, "waits" before "runs". */
static str object_of(str path)
{
    ptrdiff_t query = str_find_char(path, '?');
    if (query >= 0)
        path.len = (size_t)query;
    return str_has_suffix(path, S("/status")) ? str_n(path.p, path.len - 7) : path;
}

void live_words_send(struct live *l, const char *method, str path, const char *content_type, str body)
{
    struct word *w = xmalloc(sizeof *w + path.len + body.len);
    memset(w, 0, sizeof *w);
    memcpy(w->text, path.p, path.len);
    memcpy(w->text + path.len, body.p, body.len);
    w->item.call.method = str_of(method);
    w->item.call.path = str_n(w->text, path.len);
    w->item.call.content_type = str_of(content_type);
    w->item.call.body = str_n(w->text + path.len, body.len);
    if (str_eq(w->item.call.method, S("PATCH")))
        w->item.order = object_of(w->item.call.path);
    w->l = l;
    w->item.done = word_done;
    w->item.max_tries = 5;
    outbox_add(l->words, &w->item);
}

/* --- events ----------------------------------------------------------------------------------------------------------------------------------------- */
static bool may_send(struct live *l)
{
    nsec_t now = clock_mono(l->opts.clock);
    if (l->opts.no_events)
        return false;
    l->event_tokens = MIN((double)LIVE_EVENTS_BURST, l->event_tokens + (double)(now - l->event_tokens_at) / 1e9 * LIVE_EVENTS_RATE);
    l->event_tokens_at = now;
    if (l->event_tokens < 1 || outbox_len(l->words) >= EVENTS_QUEUE) {
        l->m.events_dropped++;
        return false;
    }
    l->event_tokens -= 1;
    l->m.events_sent++;
    return true;
}

/* Not longer than the API takes, and not within a character. */
static str short_note(str note)
{
    if (note.len <= NOTE_MAX)
        return note;
    size_t n = NOTE_MAX;
    while (n > 0 && ((unsigned char)note.p[n] & 0xc0) == 0x80)
        n--;
    return str_sub(note, 0, n);
}

static void add_text(struct strbuf *b, const char *before, str text)
{
    strbuf_add_str(b, str_of(before));
    json_write_string(b, text);
}

static void event_path(struct strbuf *b, str ns)
{
    strbuf_add_str(b, S("/apis/events.k8s.io/v1/namespaces"));
    client_path_add(b, ns);
    strbuf_add_str(b, S("/events"));
}

static str event_name(struct arena *a, str pod, uint64_t id)
{
    return arena_fmt(a, STR_FMT ".%016llx", STR_ARG(str_sub(pod, 0, NAME_MAX_)), (unsigned long long)id);
}

static void post(struct live *l, const struct live_event *e, uint64_t id)
{
    ARENA_AUTO a = ARENA_INIT;
    struct strbuf path = strbuf_on(&a), b = strbuf_on(&a);
    char now[CIVIL_MICRO_LEN + 1];
    civil_format_micro(clock_wall(l->opts.clock), now);
    event_path(&path, e->ns);
    add_text(&b, "{\"apiVersion\":\"events.k8s.io/v1\",\"kind\":\"Event\",\"metadata\":{\"name\":", event_name(&a, e->name, id));
    add_text(&b, ",\"namespace\":", e->ns);
    add_text(&b, "},\"eventTime\":", str_of(now));
    add_text(&b, ",\"reportingController\":", e->controller);
    add_text(&b, ",\"reportingInstance\":", str_of(l->instance));
    add_text(&b, ",\"action\":", str_of(e->action));
    add_text(&b, ",\"reason\":", str_of(e->reason));
    add_text(&b, ",\"type\":", str_of(e->type));
    strbuf_addf(&b, ",\"regarding\":{\"apiVersion\":\"%s\",\"kind\":\"%s\"", e->api_version ? e->api_version : "v1", e->kind ? e->kind : "Pod");
    add_text(&b, ",\"namespace\":", e->ns);
    add_text(&b, ",\"name\":", e->name);
    add_text(&b, ",\"uid\":", e->uid);
    add_text(&b, "},\"note\":", short_note(e->note));
    strbuf_add_char(&b, '}');
    live_words_send(l, "POST", strbuf_str(&path), "application/json", strbuf_str(&b));
}

static uint64_t new_id(struct live *l)
{
    return (uint64_t)clock_wall(l->opts.clock) + l->event_seq++;
}

void live_event_send(struct live *l, const struct live_event *e)
{
    if (may_send(l))
        post(l, e, new_id(l));
}

void live_event_failed(struct live *l, pod_id p, struct live_wait *w, const char *reason, str note)
{
    if (!may_send(l))
        return;
    w->event_id = new_id(l);
    w->event_count = 1;
    w->event_at = live_now(l);
    post(l,
         &(struct live_event){.type = "Warning", .reason = reason, .action = "Scheduling", .controller = str_of(l->names[w->name]), .note = note,
                              .ns = sched_pod_ns(l->s, p), .name = sched_pod_name(l->s, p), .uid = sched_pod_uid(l->s, p)},
         w->event_id);
}

void live_event_again(struct live *l, pod_id p, struct live_wait *w)
{
    ARENA_AUTO a = ARENA_INIT;
    struct strbuf path = strbuf_on(&a), b = strbuf_on(&a);
    char now[CIVIL_MICRO_LEN + 1];
    w->event_count++;
    if (w->event_count == 1 || live_now(l) - w->event_at < SERIES_EVERY_NS || !may_send(l))
        return;
    w->event_at = live_now(l);
    event_path(&path, sched_pod_ns(l->s, p));
    client_path_add(&path, event_name(&a, sched_pod_name(l->s, p), w->event_id));
    civil_format_micro(clock_wall(l->opts.clock), now);
    strbuf_addf(&b, "{\"series\":{\"count\":%u,\"lastObservedTime\":\"%s\"}}", w->event_count, now);
    live_words_send(l, "PATCH", strbuf_str(&path), "application/merge-patch+json", strbuf_str(&b));
}
