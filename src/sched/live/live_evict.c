/* live_evict.c - room by eviction: victims are marked and deleted, preemptors nominated.
 *
 *   PATCH status: DisruptionTarget ─► DELETE with the pod's uid ─► the watch shows it leaving, then gone
 *                                          │ refused
 *                                          └─► after a while the pod is read again and counts as staying
 * From the decision on the engine has the victim as leaving, whatever its object says meanwhile (live_note.evicting). */
/* SPDX-License-Identifier: Apache-2.0 */
#include "base/civil.h"
#include "sched/live/live_internal.h"
#include "wire/json.h"

#define REFUSED_WAIT_NS (10 * NSEC_PER_SEC)

struct live_eviction {
    struct outbox_item item;
    struct list link;
    struct live *l;
    enum { EVICT_MARK, EVICT_DELETE, EVICT_REFUSED, EVICT_READ } step;
    pod_id pod;
    uint32_t stamp;
    struct loop_timer timer;
    struct strbuf path, body, note;
    size_t pod_path_len;
    uint16_t name; /* of live.names, the preemptor's */
    const char *words; /* why */
};

static void eviction_free(struct live_eviction *e)
{
    loop_timer_stop(e->l->opts.loop, &e->timer);
    list_del(&e->link);
    strbuf_fini(&e->path);
    strbuf_fini(&e->body);
    strbuf_fini(&e->note);
    free(e);
}

void live_evictions_free(struct live *l)
{
    list_foreach_safe(e, &l->all_evictions, struct live_eviction, link)
        eviction_free(e);
}

static bool is_wanted(struct outbox_item *it)
{
    struct live_eviction *e = container_of(it, struct live_eviction, item);
    return live_is_same(e->l, e->pod, e->stamp);
}

static void send(struct live_eviction *e, const char *method, const char *content_type, size_t path_len)
{
    e->item.call.method = str_of(method);
    e->item.call.content_type = str_of(content_type);
    e->item.call.path = str_sub(strbuf_str(&e->path), 0, path_len);
    e->item.call.body = strbuf_str(&e->body);
    outbox_add(e->l->binds, &e->item);
}

static void mark(struct live_eviction *e)
{
    struct live *l = e->l;
    char now[CIVIL_TIME_LEN + 1];
    civil_format(clock_wall(l->opts.clock), now);
    strbuf_add_str(&e->body, S("{\"metadata\":{\"uid\":"));
    json_write_string(&e->body, sched_pod_uid(l->s, e->pod));
    strbuf_addf(&e->body,
                "},\"status\":{\"conditions\":[{\"type\":\"DisruptionTarget\",\"status\":\"True\",\"reason\":\"PreemptionByScheduler\",\"lastTransitionTime\":\"%s\",\"message\":", now);
    json_write_string(&e->body, str_of(l->names[e->name]));
    e->body.len--; /* within the quotes */
    strbuf_addf(&e->body, ": %s\"}]}}", e->words);
    e->step = EVICT_MARK;
    send(e, "PATCH", "application/strategic-merge-patch+json", e->path.len);
}

static void delete_pod(struct live_eviction *e)
{
    strbuf_clear(&e->body);
    strbuf_add_str(&e->body, S("{\"apiVersion\":\"v1\",\"kind\":\"DeleteOptions\",\"preconditions\":{\"uid\":"));
    json_write_string(&e->body, sched_pod_uid(e->l->s, e->pod));
    strbuf_add_str(&e->body, S("}}"));
    e->step = EVICT_DELETE;
    send(e, "DELETE", "application/json", e->pod_path_len);
}

static void tell(struct live_eviction *e)
{
    struct live *l = e->l;
    if (live_is_same(l, e->pod, e->stamp))
        live_event_send(l, &(struct live_event){.type = "Normal", .reason = "Preempted", .action = "Preempting", .controller = str_of(l->names[e->name]),
                                                .ns = sched_pod_ns(l->s, e->pod), .name = sched_pod_name(l->s, e->pod), .uid = sched_pod_uid(l->s, e->pod), .note = strbuf_str(&e->note)});
}

/* It stays after all. */
static void read_again(struct loop_timer *t)
{
    struct live_eviction *e = container_of(t, struct live_eviction, timer);
    if (!live_is_same(e->l, e->pod, e->stamp)) {
        eviction_free(e);
        return;
    }
    e->l->notes[e->pod].evicting = false;
    e->step = EVICT_READ;
    strbuf_clear(&e->body);
    send(e, "GET", "", e->pod_path_len);
}

static void refused(struct live_eviction *e)
{
    struct live *l = e->l;
    log_warn("cannot evict a pod", KV("path", STR_FMT, STR_ARG(e->item.call.path)), KV("status", "%d", e->item.call.status));
    e->step = EVICT_REFUSED;
    loop_timer_set(l->opts.loop, &e->timer, loop_now(l->opts.loop) + REFUSED_WAIT_NS);
}

static void on_done(struct outbox_item *it)
{
    struct live_eviction *e = container_of(it, struct live_eviction, item);
    int status = it->call.status;
    bool is_gone = status == 404 || status == 409; /* or another pod has its name: the watch will say */
    if (status == OUTBOX_DROPPED || e->l->stopping || (e->step == EVICT_MARK && is_gone)) {
        eviction_free(e);
    } else if (e->step == EVICT_MARK) {
        delete_pod(e); /* whether the mark is there or not */
    } else if (e->step == EVICT_READ) {
        if (status == 200)
            live_feed_answer(e->l, it->call.response);
        live_wake(e->l);
        eviction_free(e);
    } else if (status / 100 == 2 || is_gone) {
        tell(e);
        eviction_free(e);
    } else {
        refused(e);
    }
}

/* The pod for which it is done: the first of the unit. */
static pod_id preemptor_of(struct live *l, unit_id by)
{
    const struct unit *u = &l->s->units[by]; /* UNIT_NONE has no pods: for nobody's sake */
    for (size_t i = 0; i < u->pods.len; i++)
        if (live_note(l, u->pods.p[i])->wait)
            return u->pods.p[i];
    return POD_NONE;
}

void live_evictions_begin(struct live *l, unit_id by)
{
    pod_id p = preemptor_of(l, by);
    if (p)
        live_note(l, p)->wait->victims = 0;
}

void live_evict(struct live *l, pod_id victim, unit_id by, uint8_t policy)
{
    struct live_note *n = live_note(l, victim);
    pod_id p = preemptor_of(l, by);
    if (n->evicting)
        return;
    n->evicting = true;
    struct live_eviction *e = xnew(struct live_eviction);
    *e = (struct live_eviction){.l = l, .pod = victim, .stamp = n->stamp};
    e->words = live_groups_words(policy ? (enum policy_action)(policy - 1) : POLICY_PREEMPT);
    e->timer.fire = read_again;
    e->item.wanted = is_wanted;
    e->item.done = on_done;
    list_add_tail(&l->all_evictions, &e->link);
    live_pod_path(&e->path, sched_pod_ns(l->s, victim), sched_pod_name(l->s, victim), "");
    e->pod_path_len = e->path.len;
    strbuf_add_str(&e->path, S("/status"));
    if (p) {
        struct live_wait *w = live_note(l, p)->wait;
        e->name = w->name;
        w->victims++;
        node_id node = l->s->pods[victim].node;
        strbuf_addf(&e->note, "Preempted by pod " STR_FMT " on node " STR_FMT, STR_ARG(sched_pod_uid(l->s, p)), STR_ARG(node == NODE_NONE ? S("") : sched_node_name(l->s, node)));
    }
    if (policy && policy - 1 != POLICY_PREEMPT)
        strbuf_addf(&e->note, "%s%s", p ? ": " : "", e->words);
    mark(e);
}

void live_nominate(struct live *l, pod_id p, node_id n)
{
    ARENA_AUTO a = ARENA_INIT;
    struct strbuf path = strbuf_on(&a), b = strbuf_on(&a);
    struct live_wait *w = live_note(l, p)->wait;
    if (!w)
        return;
    w->is_nominated = true;
    live_pod_path(&path, sched_pod_ns(l->s, p), sched_pod_name(l->s, p), "/status");
    strbuf_add_str(&b, S("{\"metadata\":{\"uid\":"));
    json_write_string(&b, sched_pod_uid(l->s, p));
    strbuf_add_str(&b, S("},\"status\":{\"nominatedNodeName\":"));
    json_write_string(&b, sched_node_name(l->s, n));
    strbuf_add_str(&b, S("}}"));
    live_words_send(l, "PATCH", strbuf_str(&path), "application/merge-patch+json", strbuf_str(&b));
}
