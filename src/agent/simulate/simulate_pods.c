/* simulate_pods.c - pods of simulated nodes: events in, jobs out.
 *
 *   event: bound, Pending ─► (start delay) ─► STATUS Running ─► timer of run-seconds ─► READ ─► STATUS Succeeded
 *   event: deletionTimestamp ─► DELETE with grace 0 (STATUS before it when finalizers want to know how it ended)
 *
 * Most events are echoes of what was reported: they are told from others by a few members of the text, without a tree.  A pod has one job at a time; what an event
 * says meanwhile and matters is read again afterwards.  Jobs carry their text while SIMULATE_HELD_BYTES allow it. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/simulate/simulate_internal.h"
#include "client/raw.h"

#define AGAIN_NS NSEC_PER_SEC
#define KEY_MAX 320 /* namespace 63, name 253 */
#define MERGE_PATCH "application/merge-patch+json"

/* --- table -------------------------------------------------------------------------------------------------- */
static struct sim_pod *pod_add(struct simulate *s, str key, uint32_t *ret_place)
{
    uint32_t i;
    if (s->free_pods.len) {
        i = vec_pop(&s->free_pods);
    } else {
        i = s->npods++;
        if (i / SIM_CHUNK == s->chunks.len)
            vec_push(&s->chunks, xarray(SIM_CHUNK, struct sim_pod));
    }
    struct sim_pod *p = sim_pod(s, i);
    *p = (struct sim_pod){.key = str_dup(key), .gen = p->gen + 1};
    map_put(&s->by_key, str_n(p->key, key.len), (void *)(uintptr_t)(i + 1));
    *ret_place = i;
    return p;
}

static void text_drop(struct simulate *s, struct sim_pod *p)
{
    s->held_bytes -= p->text_len;
    free(TAKE(p->text));
    p->text_len = 0;
}

static void pod_drop(struct simulate *s, uint32_t place)
{
    struct sim_pod *p = sim_pod(s, place);
    map_del(&s->by_key, str_of(p->key));
    text_drop(s, p);
    free(TAKE(p->key));
    p->gen++;
    vec_push(&s->free_pods, place);
}

/* --- jobs --------------------------------------------------------------------------------------------------- */
static void job_push(struct simulate *s, uint32_t place, struct sim_job j)
{
    struct sim_pod *p = sim_pod(s, place);
    p->busy = true;
    j.pod = place;
    j.gen = p->gen;
    s->held_bytes += j.body_len;
    if (s->jobs_at > 4096 && s->jobs_at > s->jobs.len / 2) { /* the front of the ring is done with */
        memmove(s->jobs.p, s->jobs.p + s->jobs_at, (s->jobs.len - s->jobs_at) * sizeof *s->jobs.p);
        s->jobs.len -= s->jobs_at;
        s->jobs_at = 0;
    }
    vec_push(&s->jobs, j);
    sim_pump(s);
}

/* --- timers: a heap, stale ones are passed over -------------------------------------------------------------------- */
static void heap_up(struct simulate *s, size_t i)
{
    struct sim_timer t = s->heap.p[i];
    for (; i && t.at < s->heap.p[(i - 1) / 2].at; i = (i - 1) / 2)
        s->heap.p[i] = s->heap.p[(i - 1) / 2];
    s->heap.p[i] = t;
}

static struct sim_timer heap_pop(struct simulate *s)
{
    struct sim_timer top = s->heap.p[0], last = vec_pop(&s->heap);
    size_t n = s->heap.len, i = 0;
    for (size_t child; n && (child = 2 * i + 1) < n; i = child) {
        child += child + 1 < n && s->heap.p[child + 1].at < s->heap.p[child].at;
        if (last.at <= s->heap.p[child].at)
            break;
        s->heap.p[i] = s->heap.p[child];
    }
    if (n)
        s->heap.p[i] = last;
    return top;
}

static void timer_set(struct simulate *s, uint32_t place, nsec_t after)
{
    struct sim_pod *p = sim_pod(s, place);
    vec_push(&s->heap, (struct sim_timer){.at = loop_now(s->opts.loop) + after, .pod = place, .gen = p->gen, .number = ++p->timer});
    heap_up(s, s->heap.len - 1);
    loop_timer_set(s->opts.loop, &s->pod_timer, s->heap.p[0].at);
}

/* --- steps of a pod ------------------------------------------------------------------------------------------- */
static void report(struct simulate *s, uint32_t place, const struct json *pod, enum sim_step step)
{
    struct sim_pod *p = sim_pod(s, place);
    struct sim_paper paper;
    sim_paper(s, &s->arena, pod, place, p->node, step, &paper);
    if (step != SIM_STEP_DELETE)
        p->state = SIM_POD_STARTING;
    if (paper.next_ns)
        timer_set(s, place, paper.next_ns);
    job_push(s, place, (struct sim_job){.kind = SIM_JOB_STATUS, .is_final = step == SIM_STEP_DELETE, .is_end = paper.is_end, .body = str_dup(paper.body), .body_len = (uint32_t)paper.body.len});
}

static void report_text(struct simulate *s, uint32_t place, str text, enum sim_step step)
{
    struct json pod;
    if (s->held_bytes > SIMULATE_HELD_BYTES)
        job_push(s, place, (struct sim_job){.kind = SIM_JOB_READ});
    else if (json_parse(&s->arena, text, NULL, &pod, NULL) == 0)
        report(s, place, &pod, step);
}

static void start_later(struct simulate *s, uint32_t place, str text, nsec_t delay)
{
    struct sim_pod *p = sim_pod(s, place);
    p->state = SIM_POD_STARTING;
    if (s->held_bytes <= SIMULATE_HELD_BYTES) {
        p->text = str_dup(text);
        p->text_len = (uint32_t)text.len;
        s->held_bytes += text.len;
    }
    timer_set(s, place, delay);
}

static void on_timer(struct simulate *s, uint32_t place)
{
    struct sim_pod *p = sim_pod(s, place);
    if (p->busy) {
        p->dirty = true;
        return;
    }
    if (p->state == SIM_POD_DELETING) {
        job_push(s, place, (struct sim_job){.kind = SIM_JOB_DELETE});
    } else if (p->text) {
        char *text = TAKE(p->text);
        uint32_t len = p->text_len;
        s->held_bytes -= len;
        p->text_len = 0;
        report_text(s, place, str_n(text, len), SIM_STEP_START);
        arena_reset(&s->arena); /* its tree points into the text */
        free(text);
    } else {
        job_push(s, place, (struct sim_job){.kind = SIM_JOB_READ});
    }
}

static void on_pod_timer(struct loop_timer *t)
{
    struct simulate *s = container_of(t, struct simulate, pod_timer);
    nsec_t now = loop_now(s->opts.loop);
    while (s->heap.len && s->heap.p[0].at <= now && !s->stopped) {
        struct sim_timer top = heap_pop(s);
        struct sim_pod *p = sim_pod(s, top.pod);
        if (p->gen == top.gen && p->timer == top.number)
            on_timer(s, top.pod);
    }
    if (s->heap.len)
        loop_timer_set(s->opts.loop, t, s->heap.p[0].at);
}

static void start_pod(struct simulate *s, uint32_t place, str text)
{
    nsec_t least = s->opts.start_min_ns, most = MAX(s->opts.start_max_ns, least);
    if (most)
        start_later(s, place, text, least + (most > least ? (nsec_t)rng_below(&s->rng, (uint64_t)(most - least)) : 0));
    else
        report_text(s, place, text, SIM_STEP_START);
}

static void delete_pod(struct simulate *s, uint32_t place, str text, bool tells_end)
{
    struct sim_pod *p = sim_pod(s, place);
    p->state = SIM_POD_DELETING;
    p->timer++; /* whatever was to come */
    text_drop(s, p);
    if (tells_end)
        report_text(s, place, text, SIM_STEP_DELETE);
    else
        job_push(s, place, (struct sim_job){.kind = SIM_JOB_DELETE});
}

/* --- answers ---------------------------------------------------------------------------------------------------- */
static bool is_good(int status)
{
    return status >= 200 && status < 300;
}

static bool is_passing(int status) /* a trouble that goes away */
{
    return status == 0 || status == 429 || status >= 500;
}

/* The pod that the call was for, if it is still the same. */
static struct sim_pod *pod_of(struct sim_call *c)
{
    struct sim_pod *p = sim_pod(c->sim, c->who);
    if (p->gen != c->gen || !p->key)
        return NULL;
    p->busy = false;
    return p;
}

static void settle(struct simulate *s, uint32_t place)
{
    struct sim_pod *p = sim_pod(s, place);
    if (p->busy || !p->dirty)
        return;
    p->dirty = false;
    job_push(s, place, (struct sim_job){.kind = SIM_JOB_READ});
}

static void on_deleted(struct sim_call *c, int status, str response UNUSED)
{
    struct simulate *s = c->sim;
    struct sim_pod *p = pod_of(c);
    s->stats.deleted += is_good(status);
    if (!p)
        return;
    p->dirty = false;
    if (is_passing(status)) {
        s->stats.failures++;
        timer_set(s, c->who, AGAIN_NS);
    }
}

static void on_reported(struct sim_call *c, int status, str response UNUSED)
{
    struct simulate *s = c->sim;
    struct sim_pod *p = pod_of(c);
    if (is_good(status)) {
        s->stats.ended += c->is_end;
        s->stats.running += !c->is_end;
    }
    if (!p)
        return;
    if (c->is_final && !is_passing(status)) {
        p->dirty = false;
        job_push(s, c->who, (struct sim_job){.kind = SIM_JOB_DELETE});
        return;
    }
    if (is_good(status) && p->state == SIM_POD_STARTING)
        p->state = c->is_end ? SIM_POD_ENDED : SIM_POD_RUNNING;
    if (!is_good(status) && status != 404) { /* 409: it is another one, or changed: the next read tells */
        s->stats.failures++;
        timer_set(s, c->who, AGAIN_NS);
    }
    settle(s, c->who);
}

static void see_pod(struct simulate *s, uint32_t place, const struct json *pod);

static void on_read(struct sim_call *c, int status, str response)
{
    struct simulate *s = c->sim;
    struct sim_pod *p = pod_of(c);
    struct json pod;
    if (!p)
        return;
    p->dirty = false;
    if (is_good(status) && json_parse(&s->arena, response, NULL, &pod, NULL) == 0 && str_is(json_get_str(json_get(&pod, S("metadata")), S("uid")), p->uid)) {
        see_pod(s, c->who, &pod);
    } else if (is_passing(status)) {
        s->stats.failures++;
        timer_set(s, c->who, AGAIN_NS);
    }
}

/* What the server has of it, when it was asked on purpose: something is due. */
static void see_pod(struct simulate *s, uint32_t place, const struct json *pod)
{
    const struct json *meta = json_get(pod, S("metadata"));
    struct sim_pod *p = sim_pod(s, place);
    str phase = json_get_str(json_get(pod, S("status")), S("phase"));
    bool is_end = str_is(phase, "Succeeded") || str_is(phase, "Failed");
    if (json_get(meta, S("deletionTimestamp"))) {
        p->state = SIM_POD_DELETING;
        p->timer++;
        if (json_get(meta, S("finalizers")) && !is_end)
            report(s, place, pod, SIM_STEP_DELETE);
        else
            job_push(s, place, (struct sim_job){.kind = SIM_JOB_DELETE});
    } else if (is_end) {
        p->state = SIM_POD_ENDED;
    } else if (str_is(phase, "Running") && !sim_run_time(s, pod)) {
        p->state = SIM_POD_RUNNING; /* an answer was lost, not what was asked for */
    } else {
        report(s, place, pod, str_is(phase, "Running") ? SIM_STEP_END : SIM_STEP_START);
    }
}

/* --- sending ------------------------------------------------------------------------------------------------------- */
static void send_job(struct simulate *s, struct sim_call *c, struct sim_job *j)
{
    struct sim_pod *p = sim_pod(s, j->pod);
    str name = str_of(p->key), ns;
    str_cut(&name, '/', &ns);
    c->who = j->pod;
    c->gen = j->gen;
    c->is_final = j->is_final;
    c->is_end = j->is_end;
    strbuf_addf(&c->path, "/api/v1/namespaces/" STR_FMT "/pods/" STR_FMT "%s", STR_ARG(ns), STR_ARG(name), j->kind == SIM_JOB_STATUS ? "/status" : "");
    if (j->kind == SIM_JOB_READ) {
        sim_call_start(c, "GET", "", on_read);
    } else if (j->kind == SIM_JOB_DELETE) {
        strbuf_addf(&c->body, "{\"gracePeriodSeconds\":0,\"preconditions\":{\"uid\":\"%s\"}}", p->uid);
        sim_call_start(c, "DELETE", "application/json", on_deleted);
    } else {
        strbuf_add(&c->body, j->body, j->body_len);
        sim_call_start(c, "PATCH", MERGE_PATCH, on_reported);
    }
}

bool sim_pods_pump(struct simulate *s)
{
    while (s->jobs_at < s->jobs.len) {
        struct sim_job *j = &s->jobs.p[s->jobs_at];
        struct sim_pod *p = sim_pod(s, j->pod);
        bool is_stale = p->gen != j->gen || !p->key;
        struct sim_call *c = is_stale ? NULL : sim_call_take(s);
        if (!is_stale && !c)
            return false;
        if (c)
            send_job(s, c, j);
        s->held_bytes -= j->body_len;
        free(TAKE(j->body));
        s->jobs_at++;
        if (c)
            return true;
    }
    vec_clear(&s->jobs);
    s->jobs_at = 0;
    return false;
}

/* --- events --------------------------------------------------------------------------------------------------------- */
struct glance {
    str uid, node, phase;
    bool deleting, has_finalizers;
};

static bool glance_at(str text, struct glance *g)
{
    struct raw_members it;
    str key, value, ignored;
    *g = (struct glance){0};
    if (!raw_members_begin(text, &it))
        return false;
    while (raw_members_next(&it, &key, &value)) {
        if (str_is(key, "metadata")) {
            raw_member_text(value, S("uid"), &g->uid);
            g->deleting = raw_member_from(value, S("deletionTimestamp"), &ignored);
            g->has_finalizers = g->deleting && raw_member_from(value, S("finalizers"), &ignored);
        } else if (str_is(key, "spec")) {
            raw_member_text(value, S("nodeName"), &g->node);
        } else if (str_is(key, "status")) {
            raw_member_text(value, S("phase"), &g->phase);
        }
    }
    return g->uid.len && g->uid.len <= SIM_UID_MAX;
}

static void see_event(struct simulate *s, uint32_t place, const struct glance *g, str text)
{
    struct sim_pod *p = sim_pod(s, place);
    bool is_end = str_is(g->phase, "Succeeded") || str_is(g->phase, "Failed");
    if (s->nodes[p->node] == SIM_NODE_GONE)
        return;
    if (g->deleting) {
        if (p->state == SIM_POD_DELETING)
            return;
        if (p->busy)
            p->dirty = true;
        else
            delete_pod(s, place, text, g->has_finalizers && !is_end);
    } else if (is_end) {
        p->state = SIM_POD_ENDED;
    } else if (p->state == SIM_POD_NEW && str_is(g->phase, "Running")) { /* of a simulator before us */
        struct json pod;
        p->state = SIM_POD_RUNNING;
        if ((s->opts.run_ns || str_find(text, S("coxswain.dev/run-seconds")) >= 0) && json_parse(&s->arena, text, NULL, &pod, NULL) == 0 && sim_run_time(s, &pod))
            timer_set(s, place, sim_run_time(s, &pod));
    } else if (p->state == SIM_POD_NEW) {
        start_pod(s, place, text);
    }
}

static void on_event(struct informer *inf, struct informer_event *ev)
{
    struct simulate *s = informer_owner(inf);
    str ns = informer_event_ns(ev), name = informer_event_name(ev);
    char text[KEY_MAX];
    if (s->stopped || ns.len + name.len + 2 > sizeof text)
        return;
    str key = str_n(text, (size_t)snprintf(text, sizeof text, STR_FMT "/" STR_FMT, STR_ARG(ns), STR_ARG(name)));
    uint32_t place = (uint32_t)(uintptr_t)map_get(&s->by_key, key);
    if (ev->change == INFORMER_DELETED) {
        if (place)
            pod_drop(s, place - 1);
        return;
    }
    struct glance g;
    uint32_t node;
    if (!glance_at(ev->object, &g) || !sim_find_node(s, g.node, &node))
        return;
    struct sim_pod *p = place ? sim_pod(s, --place) : NULL;
    if (p && !str_is(g.uid, p->uid)) { /* one of the same name */
        pod_drop(s, place);
        p = NULL;
    }
    if (!p) {
        p = pod_add(s, key, &place);
        p->node = node;
        memcpy(p->uid, g.uid.p, g.uid.len);
    }
    p->round = s->round;
    arena_reset(&s->arena);
    see_event(s, place, &g, ev->object);
}

static void on_begin(struct informer *inf)
{
    struct simulate *s = informer_owner(inf);
    s->round++;
}

/* What the list did not show is gone. */
static void on_synced(struct informer *inf)
{
    struct simulate *s = informer_owner(inf);
    for (uint32_t i = 0; i < s->npods; i++)
        if (sim_pod(s, i)->key && sim_pod(s, i)->round != s->round)
            pod_drop(s, i);
}

int sim_pods_start(struct simulate *s, struct err *err)
{
    s->pod_timer.fire = on_pod_timer;
    s->informer = informer_new(&(struct informer_opts){.transport = s->opts.transport, .loop = s->opts.loop, .path = S("/api/v1/pods"), .query = S("fieldSelector=spec.nodeName%21%3D"), .begin = on_begin,
                                                       .event = on_event, .synced = on_synced, .owner = s});
    return s->informer ? 0 : err_set(err, E_INTERNAL, "pods cannot be followed");
}

void sim_pods_free(struct simulate *s)
{
    if (s->informer)
        informer_free(s->informer);
    for (size_t i = s->jobs_at; i < s->jobs.len; i++)
        free(s->jobs.p[i].body);
    for (uint32_t i = 0; i < s->npods; i++) {
        free(sim_pod(s, i)->key);
        free(sim_pod(s, i)->text);
    }
    for (size_t i = 0; i < s->chunks.len; i++)
        free(s->chunks.p[i]);
    map_fini(&s->by_key);
    vec_fini(&s->chunks);
    vec_fini(&s->free_pods);
    vec_fini(&s->jobs);
    vec_fini(&s->heap);
}
