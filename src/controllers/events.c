/* SPDX-License-Identifier: Apache-2.0 */
#include "controllers/events.h"

#include "base/civil.h"

#define AGAIN_NS (5 * NSEC_PER_SEC)      /* between two writes of one Event */
#define SIMILAR_NS (600 * NSEC_PER_SEC)  /* after so much silence an object may speak one by one again */
#define TRIES 3

struct entry {
    struct list link; /* longest unused first */
    struct arena arena;
    str key, name; /* name of the Event, "" not written yet */
    str ns;
    struct json body; /* without times and count */
    str message;
    int64_t count, written;
    nsec_t first, last;
    uint64_t id; /* in its name: grows with time, so that Events of one second are in order */
};

/* How much an object has said for one reason. */
struct topic {
    struct list link;
    char *key;
    unsigned said;
    nsec_t last;
};

struct recorder {
    struct map entries; /* key -> entry */
    struct map topics;
    struct list used, topics_used;
    uint64_t seq; /* two of one moment have two names */
};

static void entry_free(struct recorder *r, struct entry *e)
{
    map_del(&r->entries, e->key);
    list_del(&e->link);
    struct arena own = e->arena;
    arena_fini(&own);
}

static void topic_free(struct recorder *r, struct topic *t)
{
    map_del(&r->topics, str_of(t->key));
    list_del(&t->link);
    free(t->key);
    free(t);
}

/* --- writing ------------------------------------------------------------------------------------------------------------------------- */

struct run {
    int64_t count;
    str name;
};

static void written(struct job *j)
{
    struct recorder *r = j->c->state;
    struct run *run = j->state;
    struct entry *e = map_get(&r->entries, j->key);
    if (!e) {
        job_end(j, WORK_OK);
        return;
    }
    if (job_ok(j)) {
        e->written = run->count;
        e->name = e->name.len ? e->name : arena_str(&e->arena, run->name);
        if (e->count > e->written)
            job_end_after(j, AGAIN_NS);
        else
            job_end(j, WORK_OK);
        return;
    }
    if (j->status == 404 && e->name.len) { /* it ran out: say it anew */
        e->name = S("");
        e->count = MAX(e->count - e->written, (int64_t)1);
        e->written = 0;
        e->first = e->last;
        e->id = (uint64_t)e->first + r->seq++;
        job_end(j, WORK_RETRY);
        return;
    }
    if (j->status == 409 && !e->name.len) /* somebody else had this moment */
        e->id += ++r->seq;
    /* a namespace that goes takes no Events */
    bool hopeless = j->status == 403 || j->status == 404 || j->status == 422 || j->work->failures >= TRIES;
    if (hopeless)
        entry_free(r, e);
    job_end(j, hopeless ? WORK_OK : WORK_RETRY);
}

static str time_text(struct arena *a, nsec_t at)
{
    char text[CIVIL_TIME_LEN + 1];
    civil_format(at, text);
    return arena_str(a, str_of(text));
}

static void reconcile(struct job *j)
{
    struct recorder *r = j->c->state;
    struct arena *a = &j->arena;
    struct entry *e = map_get(&r->entries, j->key);
    if (!e || e->written == e->count) {
        job_end(j, WORK_OK);
        return;
    }
    struct run *run = j->state = arena_new(a, struct run);
    struct json body = e->name.len ? json_object() : json_copy(a, &e->body);
    run->count = e->count;
    json_set(a, &body, S("count"), json_int(a, e->count));
    json_set(a, &body, S("lastTimestamp"), json_string(time_text(a, e->last)));
    json_set(a, &body, S("message"), json_string(arena_str(a, e->message)));
    str list = arena_fmt(a, "/api/v1/namespaces/" STR_FMT "/events", STR_ARG(e->ns));
    if (e->name.len) {
        job_call(j, S("PATCH"), arena_fmt(a, STR_FMT "/" STR_FMT, STR_ARG(list), STR_ARG(e->name)), &body, written);
        return;
    }
    const struct json *about = json_get(&body, S("involvedObject"));
    run->name = arena_fmt(a, STR_FMT ".%016llx", STR_ARG(str_sub(json_get_str(about, S("name")), 0, 230)), (unsigned long long)e->id); /* about whom, and when */
    struct json *meta = json_ensure_object(a, &body, S("metadata"));
    json_set(a, meta, S("name"), json_string(run->name));
    json_set(a, meta, S("namespace"), json_string(arena_str(a, e->ns)));
    json_set(a, &body, S("firstTimestamp"), json_string(time_text(a, e->first)));
    job_call(j, S("POST"), list, &body, written);
}

/* --- recording ------------------------------------------------------------------------------------------------------------------------ */

/* Has the object said enough for this reason to be summed up from now on? */
static bool is_talkative(struct recorder *r, str key, nsec_t now)
{
    struct topic *t = map_get(&r->topics, key);
    if (!t) {
        t = xnew(struct topic);
        t->key = str_dup(key);
        list_init(&t->link);
        map_put(&r->topics, str_n(t->key, key.len), t);
    }
    if (t->last + SIMILAR_NS < now)
        t->said = 0;
    t->last = now;
    list_del(&t->link);
    list_add_tail(&r->topics_used, &t->link);
    if (r->topics.len > EVENTS_MAX)
        topic_free(r, list_first(&r->topics_used, struct topic, link));
    return t->said++ >= EVENTS_SIMILAR;
}

static struct json body_of(struct arena *a, const char *component, const struct event_ref *ref, enum event_type type, const char *reason)
{
    struct json body = json_literal(a, "{\"apiVersion\":\"v1\",\"kind\":\"Event\"}"), about = json_object(), source = json_object();
    json_set(a, &about, S("kind"), json_string(arena_str(a, ref->kind)));
    if (ref->ns.len)
        json_set(a, &about, S("namespace"), json_string(arena_str(a, ref->ns)));
    json_set(a, &about, S("name"), json_string(arena_str(a, ref->name)));
    json_set(a, &about, S("uid"), json_string(arena_str(a, ref->uid)));
    json_set(a, &about, S("apiVersion"), json_string(arena_str(a, ref->api_version)));
    json_set(a, &source, S("component"), json_string(arena_str(a, str_of(component))));
    json_set(a, &body, S("involvedObject"), about);
    json_set(a, &body, S("reason"), json_string(arena_str(a, str_of(reason)))); /* of a plan that goes before the Event is written */
    json_set(a, &body, S("type"), json_string(type == EVENT_WARNING ? S("Warning") : S("Normal")));
    json_set(a, &body, S("source"), source);
    json_set(a, &body, S("reportingComponent"), json_string(arena_str(a, str_of(component))));
    return body;
}

static void record(struct controller *c, const char *component, const struct event_ref *ref, enum event_type type, const char *reason, str message)
{
    struct controller *own = controllers_find(c->all, &controller_event_recorder);
    struct recorder *r = own->state;
    ARENA_AUTO a = ARENA_INIT;
    nsec_t now = clock_wall(c->opts->clock);
    if (!ref->name.len)
        return;
    if (message.len > EVENT_MESSAGE_MAX) {
        size_t end = EVENT_MESSAGE_MAX;
        while (end && ((unsigned char)message.p[end] & 0xc0) == 0x80) /* no half characters: the server would not take it */
            end--;
        message = str_sub(message, 0, end);
    }
    str topic = arena_fmt(&a, "%s %s " STR_FMT " " STR_FMT " " STR_FMT, component, reason, STR_ARG(ref->kind), STR_ARG(ref->ns), STR_ARG(ref->uid));
    str key = arena_fmt(&a, STR_FMT " " STR_FMT, STR_ARG(topic), STR_ARG(message));
    struct entry *e = map_get(&r->entries, key);
    if (!e && is_talkative(r, topic, now)) {
        key = topic;
        message = arena_cat(&a, S("(combined from similar events): "), message);
        e = map_get(&r->entries, key);
    }
    if (!e) {
        struct arena own_arena = ARENA_SMALL(1024);
        e = arena_new(&own_arena, struct entry);
        e->arena = own_arena;
        e->key = arena_str(&e->arena, key);
        e->ns = ref->ns.len ? arena_str(&e->arena, ref->ns) : S("default"); /* where Events about nodes are */
        e->message = arena_str(&e->arena, message);
        e->body = body_of(&e->arena, component, ref, type, reason);
        e->first = now;
        e->id = (uint64_t)now + r->seq++;
        list_init(&e->link);
        map_put(&r->entries, e->key, e);
        workqueue_add(own->queue, e->key);
    } else {
        workqueue_add_after(own->queue, e->key, AGAIN_NS);
    }
    e->count++;
    e->last = now;
    list_del(&e->link);
    list_add_tail(&r->used, &e->link);
    if (r->entries.len > EVENTS_MAX)
        entry_free(r, list_first(&r->used, struct entry, link));
}

static str format(struct arena *a, const char *fmt, va_list ap)
{
    struct strbuf b = strbuf_on(a);
    strbuf_vaddf(&b, fmt, ap);
    return strbuf_str(&b);
}

void controller_event(struct controller *c, const char *component, const struct event_ref *ref, enum event_type type, const char *reason, const char *fmt, ...)
{
    ARENA_AUTO a = ARENA_INIT;
    va_list ap;
    va_start(ap, fmt);
    str message = format(&a, fmt, ap);
    va_end(ap);
    record(c, component, ref, type, reason, message);
}

struct event_ref event_ref_of(const struct json *obj, const char *api_version, const char *kind)
{
    const struct json *meta = json_get(obj, S("metadata"));
    return (struct event_ref){.api_version = str_of(api_version), .kind = str_of(kind), .ns = json_get_str(meta, S("namespace")), .name = json_get_str(meta, S("name")),
                              .uid = json_get_str(meta, S("uid"))};
}

/* --- of workloads ------------------------------------------------------------------------------------------------------------------------- */

static const char *const components[WORKLOAD_KINDS] = {
    [WORKLOAD_REPLICASET] = "replicaset-controller",   [WORKLOAD_RC] = "replication-controller",     [WORKLOAD_DEPLOYMENT] = "deployment-controller",
    [WORKLOAD_STATEFULSET] = "statefulset-controller", [WORKLOAD_DAEMONSET] = "daemonset-controller", [WORKLOAD_JOB] = "job-controller",
    [WORKLOAD_CRONJOB] = "cronjob-controller",
};

void workload_event(struct job *j, const struct workload *w, enum event_type type, const char *reason, const char *fmt, ...)
{
    ARENA_AUTO a = ARENA_INIT;
    const struct workload_type *t = &workload_types[w->kind];
    struct event_ref ref = {.kind = str_of(t->kind), .ns = w->ns, .name = w->name, .uid = w->uid};
    ref.api_version = t->group[0] ? arena_fmt(&a, "%s/%s", t->group, t->version) : str_of(t->version);
    va_list ap;
    va_start(ap, fmt);
    str message = format(&a, fmt, ap);
    va_end(ap);
    record(j->c, components[w->kind] ? components[w->kind] : "controllers", &ref, type, reason, message);
}

void workload_pod_events(struct job *j, const struct workload *w, const struct ops *o)
{
    for (size_t i = 0; i < o->len; i++) {
        const struct op *op = &o->p[i];
        bool create = op->type == OP_POD_CREATE, ok = op->status >= 200 && op->status < 300;
        str ns, name;
        if ((!create && op->type != OP_POD_DELETE) || !op->status)
            continue;
        controller_key_split(op->key, &ns, &name);
        if (create)
            name = json_get_str(json_get(ok ? &op->answer : &op->body, S("metadata")), S("name"));
        if (w->kind == WORKLOAD_STATEFULSET && ok)
            workload_event(j, w, EVENT_NORMAL, create ? "SuccessfulCreate" : "SuccessfulDelete", "%s Pod " STR_FMT " in StatefulSet " STR_FMT " successful",
                           create ? "create" : "delete", STR_ARG(name), STR_ARG(w->name));
        else if (create && ok)
            workload_event(j, w, EVENT_NORMAL, "SuccessfulCreate", "Created pod: " STR_FMT, STR_ARG(name));
        else if (create && op->status != 409)
            workload_event(j, w, EVENT_WARNING, "FailedCreate", "Error creating: " STR_FMT, STR_ARG(op_message(op)));
        else if (!create && ok)
            workload_event(j, w, EVENT_NORMAL, "SuccessfulDelete", "Deleted pod: " STR_FMT, STR_ARG(name));
        else if (!create && op->status != 404 && op->status != 409)
            workload_event(j, w, EVENT_WARNING, "FailedDelete", "Error deleting: " STR_FMT, STR_ARG(op_message(op)));
    }
}

/* --- life ------------------------------------------------------------------------------------------------------------------------------------- */

static void init(struct controller *c)
{
    struct recorder *r = c->state = xnew(struct recorder);
    list_init(&r->used);
    list_init(&r->topics_used);
}

static void fini(struct controller *c)
{
    struct recorder *r = c->state;
    list_foreach_safe(e, &r->used, struct entry, link) entry_free(r, e);
    list_foreach_safe(t, &r->topics_used, struct topic, link) topic_free(r, t);
    map_fini(&r->entries);
    map_fini(&r->topics);
    free(r);
}

const struct controller_type controller_event_recorder = {.name = "event-recorder", .parallel = 8, .max_delay_ns = AGAIN_NS, .init = init, .fini = fini, .reconcile = reconcile};
