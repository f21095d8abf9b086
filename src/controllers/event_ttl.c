/* event_ttl.c - Events are kept for a while after they were last written, then deleted.
 *
 * A heap of (time, name) holds each Event once, and one timer waits for the earliest.  An Event that is written again stays where it is in the heap: when its time comes it is
 * read, and goes back with its new time. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "base/civil.h"
#include "base/vec.h"
#include "controllers/controller.h"

#define BATCH 64            /* keys handed to the queue in one go */
#define LATER_NS NSEC_PER_SEC /* while the queue is full */

struct entry {
    nsec_t at; /* wall clock */
    char *key;
};

struct event_ttl {
    struct controller *c;
    VEC(struct entry) heap;
    struct loop_timer timer;
};

/* --- the heap --------------------------------------------------------------------------------------------------------------------- */

static void heap_push(struct event_ttl *t, struct entry e)
{
    vec_push(&t->heap, e);
    size_t i = t->heap.len - 1;
    for (; i && t->heap.p[(i - 1) / 2].at > e.at; i = (i - 1) / 2)
        t->heap.p[i] = t->heap.p[(i - 1) / 2];
    t->heap.p[i] = e;
}

static struct entry heap_pop(struct event_ttl *t)
{
    struct entry top = t->heap.p[0], last = vec_pop(&t->heap);
    size_t i = 0;
    for (size_t child; (child = 2 * i + 1) < t->heap.len; i = child) {
        child += child + 1 < t->heap.len && t->heap.p[child + 1].at < t->heap.p[child].at;
        if (t->heap.p[child].at >= last.at)
            break;
        t->heap.p[i] = t->heap.p[child];
    }
    if (t->heap.len)
        t->heap.p[i] = last;
    return top;
}

static void heap_clear(struct event_ttl *t)
{
    for (size_t i = 0; i < t->heap.len; i++)
        free(t->heap.p[i].key);
    vec_fini(&t->heap);
}

static void timer_set(struct event_ttl *t, nsec_t at_least)
{
    struct loop *loop = t->c->opts->loop;
    if (!t->heap.len || controllers_stopping(t->c->all)) {
        loop_timer_stop(loop, &t->timer);
        return;
    }
    nsec_t left = t->heap.p[0].at - clock_wall(t->c->opts->clock);
    loop_timer_set(loop, &t->timer, loop_now(loop) + MAX(left, at_least));
}

static void remember(struct event_ttl *t, str key, nsec_t at)
{
    bool earliest = !t->heap.len || at < t->heap.p[0].at;
    heap_push(t, (struct entry){at, str_dup(key)});
    if (earliest)
        timer_set(t, 0);
}

static void timer_fire(struct loop_timer *timer)
{
    struct event_ttl *t = container_of(timer, struct event_ttl, timer);
    nsec_t now = clock_wall(t->c->opts->clock);
    while (t->heap.len && t->heap.p[0].at <= now && workqueue_len(t->c->queue) < BATCH) {
        struct entry e = heap_pop(t);
        workqueue_add(t->c->queue, str_of(e.key));
        free(e.key);
    }
    timer_set(t, workqueue_len(t->c->queue) < BATCH ? 0 : LATER_NS);
}

/* --- times -------------------------------------------------------------------------------------------------------------------------- */

/* When it was last written, as far as it tells: a client may write any time into an Event, so the future does not count. */
static nsec_t written_at(const struct json *event, nsec_t now)
{
    const struct json *meta = json_get(event, S("metadata")), *series = json_get(event, S("series")), *managed = json_get(meta, S("managedFields"));
    str texts[] = {json_get_str(meta, S("creationTimestamp")), json_get_str(event, S("lastTimestamp")), json_get_str(event, S("eventTime")),
                   json_get_str(series, S("lastObservedTime"))};
    nsec_t latest = 0, at;
    for (size_t i = 0; i < ARRAY_LEN(texts); i++)
        if (texts[i].len && civil_parse(texts[i], &at) && at <= now)
            latest = MAX(latest, at);
    for (uint32_t i = 0; json_is(managed, JSON_ARRAY) && i < managed->len; i++)
        if (civil_parse(json_get_str(&managed->items[i], S("time")), &at) && at <= now)
            latest = MAX(latest, at);
    return latest;
}

static nsec_t expires_at(struct controller *c, const struct json *event)
{
    return written_at(event, clock_wall(c->opts->clock)) + c->opts->event_ttl_ns;
}

/* --- one event ------------------------------------------------------------------------------------------------------------------------ */

static str path_of(struct job *j)
{
    str ns, name;
    controller_key_split(j->key, &ns, &name);
    return resource_path(&j->arena, &(struct resource){.group = S(""), .version = S("v1"), .plural = S("events"), .namespaced = true}, ns, name);
}

static void deleted(struct job *j)
{
    struct event_ttl *t = j->c->state;
    if (j->status == 409) { /* written meanwhile */
        remember(t, j->key, clock_wall(j->c->opts->clock) + j->c->opts->event_ttl_ns);
        job_end(j, WORK_OK);
        return;
    }
    job_end_status(j);
}

static void looked(struct job *j)
{
    struct event_ttl *t = j->c->state;
    if (!job_ok(j)) {
        job_end_status(j);
        return;
    }
    nsec_t at = expires_at(j->c, &j->answer);
    if (at > clock_wall(j->c->opts->clock)) {
        remember(t, j->key, at);
        job_end(j, WORK_OK);
        return;
    }
    const struct json *meta = json_get(&j->answer, S("metadata"));
    struct json options = delete_options(&j->arena, json_get_str(meta, S("uid")), S("Background"));
    json_set(&j->arena, json_get(&options, S("preconditions")), S("resourceVersion"), json_string(json_get_str(meta, S("resourceVersion"))));
    job_call(j, S("DELETE"), path_of(j), &options, deleted);
}

static void reconcile(struct job *j)
{
    job_call(j, S("GET"), path_of(j), NULL, looked);
}

static void on_event(struct controller *c, const struct resource *r UNUSED, struct informer_event *ev)
{
    struct event_ttl *t = c->state;
    const struct json *obj = ev->change == INFORMER_LISTED || ev->change == INFORMER_ADDED ? informer_event_object(ev) : NULL;
    if (obj)
        remember(t, arena_fmt(ev->arena_, STR_FMT "/" STR_FMT, STR_ARG(informer_event_ns(ev)), STR_ARG(informer_event_name(ev))), expires_at(c, obj));
}

/* The list shows all of them again. */
static void on_begin(struct controller *c, const struct resource *r UNUSED)
{
    heap_clear(c->state);
}

static void init(struct controller *c)
{
    struct event_ttl *t = c->state = xnew(struct event_ttl);
    t->c = c;
    t->timer.fire = timer_fire;
}

static void fini(struct controller *c)
{
    struct event_ttl *t = c->state;
    loop_timer_stop(c->opts->loop, &t->timer);
    heap_clear(t);
    free(t);
}

const struct controller_type controller_event_ttl = {
    .name = "event-ttl",
    .parallel = 8,
    .reads_managed_fields = true, /* when it was last written */
    .watches = {{.group = "", .plural = "events", .event = on_event, .begin = on_begin}},
    .init = init,
    .fini = fini,
    .reconcile = reconcile,
};
