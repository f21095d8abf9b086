/* live_say.c - PodScheduled=False with the reason in a sentence, for pods that wait.
 *
 * A rejection only puts the pod in line to be told about; the sentence is made later, when there is time, and at most every LIVE_SAY_EVERY_NS for a pod: it
 * costs a look at every node.  Pods of one class that fail together share one sentence.  Nothing is written that the API has already.  A pod that waits on is looked at
 * again every SAY_AGAIN_NS: it need not be tried itself (of pods that are alike one is tried for all), and what it was told may be old.
 *   rejected ─► say line, by time ─► live_say_some: explain ─► the same as in the API? counted : PATCH pods/NAME/status, Event */
/* SPDX-License-Identifier: Apache-2.0 */
#include "base/civil.h"
#include "sched/engine/explain_nodes.h"
#include "sched/engine/links.h"
#include "sched/live/live_internal.h"

#define SAY_AGAIN_NS (300 * NSEC_PER_SEC)
#define LOOK_AGAIN_NS (30 * NSEC_PER_SEC) /* at units of queues: the reason changes without a try of their own */
#define SAY_PER_TURN 64u
#define SAY_TURN_NS (5 * NSEC_PER_MSEC)
#define WORDS_QUEUE 1024u
#define SENTENCES 64u
#define SENTENCE_NS NSEC_PER_SEC
#define MESSAGE_MAX 32768u /* bytes, by the API's rules for conditions */

struct live_sentence {
    class_id class_;
    uint64_t hash; /* of the class: ids are used again */
    nsec_t at;
    char *text;
    const char *reason; /* of the Event */
};

void live_say_free(struct live *l)
{
    for (size_t i = 0; l->sentences && i < SENTENCES; i++)
        free(l->sentences[i].text);
    free(l->sentences);
    line_fini(&l->say);
}

/* --- the line ---------------------------------------------------------------------------------------------------------------------------------- */
static nsec_t due_of(const struct line_entry *e)
{
    return (nsec_t)(e->key[1] ^ 1ull << 63);
}

static bool is_alive(const void *arg, const struct line_entry *e)
{
    struct live *l = (struct live *)arg;
    return live_is_same(l, e->id, e->stamp) && l->notes[e->id].wait && l->notes[e->id].wait->say_due == due_of(e);
}

static void put_in_line(struct live *l, pod_id p, struct live_wait *w, nsec_t due)
{
    l->nsaying += !w->say_due;
    w->say_due = due;
    line_push(&l->say, &(struct line_entry){{0, dispatch_key(due)}, ++l->say_seq, p, l->notes[p].stamp});
    line_sweep(&l->say, l->nsaying, is_alive, l);
}

void live_say_forget(struct live *l, struct live_wait *w)
{
    l->nsaying -= w->say_due != 0;
    w->say_due = 0;
}

static struct live_wait *wait_of(struct live *l, pod_id p)
{
    return p && p < l->nnotes ? l->notes[p].wait : NULL;
}

/* The pod that stands for the unit in the line. */
static pod_id anchor_of(struct live *l, unit_id u, pod_id failed)
{
    const struct unit *unit = &l->s->units[u];
    if (failed && l->s->pods[failed].unit == u && wait_of(l, failed))
        return failed;
    for (size_t i = 0; i < unit->pods.len; i++)
        if (wait_of(l, unit->pods.p[i]))
            return unit->pods.p[i];
    return POD_NONE;
}

void live_say_later(struct live *l, unit_id u, enum unit_result result, pod_id failed, uint32_t helped_by, nsec_t earliest)
{
    pod_id p = anchor_of(l, u, failed);
    struct live_wait *w = wait_of(l, p);
    if (!w)
        return;
    w->result = (uint8_t)result;
    w->failed_pod = failed;
    w->helped_by = helped_by;
    nsec_t due = w->said_at ? MAX(earliest, w->said_at + LIVE_SAY_EVERY_NS) : earliest;
    if (!w->say_due || w->say_due > due)
        put_in_line(l, p, w, due);
}

/* --- writing --------------------------------------------------------------------------------------------------------------------------------------- */
void live_say_read(struct live_wait *w, const struct json *obj)
{
    const struct json *status = json_get(obj, S("status")), *list = json_get(status, S("conditions"));
    w->is_nominated = json_get_str(status, S("nominatedNodeName")).len > 0;
    for (size_t i = 0; json_is(list, JSON_ARRAY) && i < list->len; i++) {
        if (!str_is(json_get_str(&list->items[i], S("type")), "PodScheduled"))
            continue;
        w->is_false = str_is(json_get_str(&list->items[i], S("status")), "False");
        if (!w->said && w->is_false) /* later ones are our own, and may be older than what is on its way */
            w->said = str_hash(json_get_str(&list->items[i], S("message")));
    }
}

static void write_condition(struct live *l, str ns, str name, str uid, const char *reason, str message, bool is_false, bool clears_nomination)
{
    ARENA_AUTO a = ARENA_INIT;
    struct strbuf path = strbuf_on(&a), b = strbuf_on(&a);
    char now[CIVIL_TIME_LEN + 1];
    live_pod_path(&path, ns, name, "/status");
    strbuf_add_str(&b, S("{\"metadata\":{\"uid\":"));
    json_write_string(&b, uid);
    strbuf_addf(&b, "},\"status\":{\"conditions\":[{\"type\":\"PodScheduled\",\"status\":\"False\",\"reason\":\"%s\",\"message\":", reason);
    json_write_string(&b, str_sub(message, 0, MESSAGE_MAX));
    if (!is_false) {
        civil_format(clock_wall(l->opts.clock), now);
        strbuf_addf(&b, ",\"lastTransitionTime\":\"%s\"", now);
    }
    strbuf_addf(&b, "}]%s}}", clears_nomination ? ",\"nominatedNodeName\":null" : "");
    l->m.conditions++;
    live_words_send(l, "PATCH", strbuf_str(&path), "application/strategic-merge-patch+json", strbuf_str(&b));
}

static void say_to(struct live *l, pod_id p, const char *reason, str message, nsec_t now)
{
    struct live_wait *w = wait_of(l, p);
    struct sched *s = l->s;
    uint64_t hash = str_hash(message);
    bool clears = w->is_nominated && s->pods[p].state == PS_PENDING;
    w->said_at = now;
    if (!live_groups_marks(l, sched_unit_of(s, p))) {
        if (w->said != hash)
            live_event_failed(l, p, w, reason, message);
        w->said = hash;
        return;
    }
    if (w->is_false && w->said == hash && !clears) {
        live_event_again(l, p, w);
        return;
    }
    /* autoscalers look for this reason; the Event may be more particular, and so is what Kuscia's people look at */
    bool of_task = unit_crosses(&s->units[sched_unit_of(s, p)]) && strcmp(reason, "FailedScheduling") != 0;
    write_condition(l, sched_pod_ns(s, p), sched_pod_name(s, p), sched_pod_uid(s, p), of_task ? reason : "Unschedulable", message, w->is_false, clears);
    if (w->said != hash)
        live_event_failed(l, p, w, reason, message);
    w->said = hash;
    w->is_false = true;
    if (clears)
        w->is_nominated = false;
}

void live_say_claims(struct live *l, pod_id p, str message)
{
    struct live_wait *w = wait_of(l, p);
    struct sched *s = l->s;
    uint64_t hash = str_hash(message);
    if (!w || (w->is_false && w->said == hash))
        return;
    write_condition(l, sched_pod_ns(s, p), sched_pod_name(s, p), sched_pod_uid(s, p), "WaitingForClaims", message, w->is_false, false);
    w->said = hash;
    w->said_at = live_now(l);
    w->is_false = true;
}

void live_say_error(struct live *l, const struct json *obj, const char *why)
{
    const struct json *meta = json_get(obj, S("metadata"));
    struct live_wait w = {0};
    live_say_read(&w, obj);
    if (w.is_false && w.said == str_hash(str_of(why)))
        return;
    write_condition(l, json_get_str(meta, S("namespace")), json_get_str(meta, S("name")), json_get_str(meta, S("uid")), "SchedulerError", str_of(why), w.is_false, false);
}

/* --- the sentence ------------------------------------------------------------------------------------------------------------------------------------- */
static str explain(struct live *l, struct arena *a, unit_id u, const struct live_wait *w, const char **ret_reason, const struct explanation **ret_x)
{
    struct sched *s = l->s;
    if (live_policy_takes(l, u))
        return live_policy_sentence(l, a, u); /* places change all the time: cox why and the queue have them */
    struct unit_decision d = {.result = (enum unit_result)w->result, .failed_pod = w->failed_pod, .helped_by = w->helped_by};
    struct placement at;
    if (w->result == UNIT_PREEMPTING) {
        /* how many victims and where is all that the sentence wants of them; those of a group are on several nodes */
        d.victims.len = w->victims;
        at = (struct placement){.pod = w->failed_pod, .node = s->pods[w->failed_pod].node};
        if (at.node != NODE_NONE && s->units[u].pods.len == 1) {
            d.placements.p = &at;
            d.placements.len = 1;
        }
    }
    const struct explanation *x = explain_waiting(s, a, u, 0, &d);
    *ret_reason = x->reason ? x->reason : *ret_reason;
    *ret_x = x;
    return x->sentence;
}

/* A pod alone of this class was explained a moment ago? */
static str sentence_for(struct live *l, struct arena *a, pod_id p, const struct live_wait *w, nsec_t now, const char **ret_reason, const struct explanation **ret_x)
{
    unit_id u = sched_unit_of(l->s, p);
    const struct pod_class *c = class_of(l->s, p);
    if (l->s->units[u].is_group || w->result != UNIT_REJECTED || live_policy_takes(l, u))
        return explain(l, a, u, w, ret_reason, ret_x);
    if (!l->sentences)
        l->sentences = xarray(SENTENCES, struct live_sentence);
    struct live_sentence *x = &l->sentences[c->id % SENTENCES];
    if (!x->text || x->class_ != c->id || x->hash != c->hash || now - x->at > SENTENCE_NS) {
        free(x->text);
        *x = (struct live_sentence){.class_ = c->id, .hash = c->hash, .at = now, .reason = *ret_reason};
        x->text = str_dup(explain(l, a, u, w, &x->reason, ret_x));
    }
    *ret_reason = x->reason;
    return arena_str(a, str_of(x->text));
}

/* Does what was to be said still hold? */
static bool is_true_still(struct live *l, pod_id p, const struct live_wait *w)
{
    unit_id u = sched_unit_of(l->s, p);
    if (live_policy_takes(l, u))
        return live_policy_waits(l, u);
    enum dispatch_place place = dispatcher_where(l->d, u);
    switch ((enum unit_result)w->result) {
    case UNIT_INCOMPLETE:
        return place == DISPATCH_HELD;
    case UNIT_PREEMPTING:
        return l->s->pods[p].state == PS_NOMINATED;
    default:
        return place != DISPATCH_READY && l->s->pods[p].state != PS_ASSUMED;
    }
}

static void say_now(struct live *l, pod_id p, nsec_t now)
{
    ARENA_AUTO a = ARENA_INIT;
    struct live_wait *w = wait_of(l, p);
    const struct unit *unit = &l->s->units[sched_unit_of(l->s, p)];
    live_say_forget(l, w);
    if (!is_true_still(l, p, w))
        return; /* it is being tried again: that will say */
    bool batch = live_policy_takes(l, sched_unit_of(l->s, p));
    uint64_t why = batch ? live_groups_why(l, sched_unit_of(l->s, p)) : 0;
    if (batch && w->said && w->why == why && now - w->said_at < SAY_AGAIN_NS) {
        put_in_line(l, p, w, now + LOOK_AGAIN_NS); /* a sentence costs a look at every node */
        return;
    }
    w->why = why;
    const char *reason = "FailedScheduling";
    const struct explanation *x = NULL;
    str message = sentence_for(l, &a, p, w, now, &reason, &x);
    for (size_t i = 0; i < unit->pods.len; i++) {
        pod_id q = unit->pods.p[i];
        uint8_t state = l->s->pods[q].state;
        if (wait_of(l, q) && (state == PS_PENDING || state == PS_NOMINATED) && !class_of(l->s, q)->gates)
            say_to(l, q, reason, x ? explain_for(&a, l->s, x, sched_unit_of(l->s, p), l->s->pods[q].ns) : message, now);
    }
    put_in_line(l, p, w, now + (batch ? LOOK_AGAIN_NS : SAY_AGAIN_NS));
}

nsec_t live_say_some(struct live *l, nsec_t now)
{
    nsec_t start = clock_mono(l->opts.clock);
    const struct line_entry *e;
    for (unsigned n = 0; (e = line_first(&l->say, is_alive, l)); n++) {
        if (due_of(e) > now)
            return due_of(e);
        if (outbox_len(l->words) >= WORDS_QUEUE)
            return INT64_MAX; /* an answer wakes us */
        if (n == SAY_PER_TURN || clock_mono(l->opts.clock) - start > SAY_TURN_NS)
            return now;
        pod_id p = e->id;
        line_pop(&l->say);
        say_now(l, p, now);
    }
    return INT64_MAX;
}
