/* live_groups.c - status and Events of PodGroups (scheduling.run.ai/v2alpha2) whose work is in queues.
 *
 *   PodGroup object ─► note: what was put, what its condition says          the same spec again (a status of our own) is no work
 *   something changed ─► once a second a walk over all notes, a part of it a turn ─► what is to be said ─► the same as was said? nothing : PATCH podgroups/NAME/status, Event
 * A sentence about nodes costs a look at each of them, so it is made when there is another reason, every CHANGED_NS at most when what was tried is new, and every AGAIN_NS at most
 * while all is the same.  Places in a queue are not in it: they change all the time, and the queue's own status has them.
 * The engine does not know of which API a group is; the note does, as only these have such a status. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "base/civil.h"
#include "client/client.h"
#include "sched/engine/unit.h"
#include "sched/live/live_internal.h"
#include "sched/policy/object_queue.h"

#define API "scheduling.run.ai/v2alpha2"
#define EVERY_NS NSEC_PER_SEC
#define CHANGED_NS (30 * NSEC_PER_SEC)
#define AGAIN_NS (300 * NSEC_PER_SEC)
#define REFUSED_NS (10 * NSEC_PER_SEC)
#define LOOKS_PER_TURN 512u
#define TURN_NS (5 * NSEC_PER_MSEC)
#define WORDS_QUEUE 1024u
#define NODE_POOL "default" /* of groups without a label */

enum told { TOLD_NOTHING, TOLD_FALSE, TOLD_TRUE }; /* of UnschedulableOnNodePool */
struct live_group {
    size_t at; /* in live_groups.list */
    str key;   /* "ns/name"; owned */
    char *uid;
    uint64_t looks; /* hash of what was put */
    bool has_status; /* it is of the API that has */
    bool unmarked;   /* markUnschedulable is false */
    enum told told;
    uint64_t transitions;
    char since[CIVIL_TIME_LEN + 1]; /* of told */
    char reason[32];
    char pool[64];    /* node pool, as its condition says it */
    char *condition;  /* JSON; NULL: none yet */
    uint64_t why;     /* hash of the reason that the condition gives */
    nsec_t why_at;
    nsec_t event_at;
    uint64_t said;    /* hash of the status that was written last; 0: none */
    nsec_t quiet_until; /* it was refused: not before then */
};
struct live_groups {
    struct map by_key; /* struct live_group */
    VEC(struct live_group *) list;
    size_t next; /* of the walk; list.len: none is under way */
    bool stale;
    nsec_t walk_at; /* when the last one began */
    nsec_t due;     /* when a walk finds something to say that had to wait; 0: nothing had */
};

struct live_groups *live_groups_new(void)
{
    struct live_groups *x = xnew(struct live_groups);
    x->by_key = MAP_INIT;
    return x;
}

static void group_free(struct live_group *g)
{
    free((char *)g->key.p);
    free(g->uid);
    free(g->condition);
    free(g);
}

void live_groups_free(struct live_groups *x)
{
    if (!x)
        return;
    for (size_t i = 0; i < x->list.len; i++)
        group_free(x->list.p[i]);
    vec_fini(&x->list);
    map_fini(&x->by_key);
    free(x);
}

void live_groups_stale(struct live *l)
{
    l->groups->stale = true;
}

/* --- notes ------------------------------------------------------------------------------------------------------------------------------------- */
static struct live_group *group_find(struct live *l, str ns, str name)
{
    STRBUF_AUTO b = STRBUF_HEAP;
    strbuf_addf(&b, STR_FMT "/" STR_FMT, STR_ARG(ns), STR_ARG(name));
    return map_get(&l->groups->by_key, strbuf_str(&b));
}

static struct live_group *group_new(struct live *l, str ns, str name)
{
    STRBUF_AUTO b = STRBUF_HEAP;
    struct live_groups *x = l->groups;
    struct live_group *g = xnew(struct live_group);
    strbuf_addf(&b, STR_FMT "/" STR_FMT, STR_ARG(ns), STR_ARG(name));
    g->key = str_n(str_dup(strbuf_str(&b)), b.len);
    g->at = x->list.len;
    if (x->next == x->list.len)
        x->next++; /* no walk is under way, and this begins none */
    vec_push(&x->list, g);
    map_put(&x->by_key, g->key, g);
    return g;
}

static uint64_t mix(uint64_t h, uint64_t v)
{
    return (h ^ v) * 0x9e3779b97f4a7c15u + (h >> 29);
}

static str pool_label(const struct json *obj)
{
    return json_get_str(json_path(obj, "metadata", "labels", NULL), S(POOL_LABEL));
}

static void set_pool(struct live_group *g, const struct json *obj)
{
    str label = pool_label(obj);
    snprintf(g->pool, sizeof g->pool, STR_FMT, STR_ARG(label.len ? label : S(NODE_POOL)));
}

static uint64_t looks_of(const struct json *obj, uint64_t meaning)
{
    STRBUF_AUTO b = STRBUF_HEAP;
    const struct json *spec = json_get(obj, S("spec"));
    if (spec)
        json_write(&b, spec);
    uint64_t h = mix(str_hash(strbuf_str(&b)), meaning);
    return mix(mix(h, str_hash(json_get_str(obj, S("apiVersion")))), str_hash(pool_label(obj)));
}

/* What a former run wrote: the time of the last change is kept, and no Event is sent again. */
static void read_condition(struct live_group *g, const struct json *obj)
{
    const struct json *list = json_path(obj, "status", "schedulingConditions", NULL);
    for (size_t i = 0; json_is(list, JSON_ARRAY) && i < list->len; i++) {
        const struct json *c = &list->items[i];
        if (!str_is(json_get_str(c, S("nodePool")), g->pool))
            continue;
        STRBUF_AUTO b = STRBUF_HEAP;
        json_write(&b, c);
        g->condition = str_dup(strbuf_str(&b));
        g->told = str_is(json_get_str(c, S("status")), "True") ? TOLD_TRUE : TOLD_FALSE;
        snprintf(g->since, sizeof g->since, STR_FMT, STR_ARG(json_get_str(c, S("lastTransitionTime"))));
        snprintf(g->reason, sizeof g->reason, STR_FMT, STR_ARG(json_get_str(c, S("reason"))));
        str_to_u64(json_get_str(c, S("transitionID")), &g->transitions);
        return;
    }
}

bool live_groups_put(struct live *l, const struct json *obj, uint64_t meaning)
{
    const struct json *meta = json_get(obj, S("metadata"));
    str ns = json_get_str(meta, S("namespace")), name = json_get_str(meta, S("name")), uid = json_get_str(meta, S("uid"));
    uint64_t looks = looks_of(obj, meaning);
    struct live_group *g = group_find(l, ns, name);
    if (g && g->looks == looks && str_is(uid, g->uid))
        return false;
    if (g && !str_is(uid, g->uid)) { /* another one of that name */
        live_groups_delete(l, ns, name);
        g = NULL;
    }
    if (!g) {
        g = group_new(l, ns, name);
        g->uid = str_dup(uid);
        set_pool(g, obj);
        read_condition(g, obj);
        g->event_at = live_now(l); /* what was told is not told again at once */
    }
    g->looks = looks;
    set_pool(g, obj);
    g->has_status = str_is(json_get_str(obj, S("apiVersion")), API);
    g->unmarked = g->has_status && !json_get_bool(json_get(obj, S("spec")), S("markUnschedulable"), true);
    return true;
}

void live_groups_delete(struct live *l, str ns, str name)
{
    struct live_groups *x = l->groups;
    struct live_group *g = group_find(l, ns, name);
    if (!g)
        return;
    map_del(&x->by_key, g->key);
    vec_remove_swap(&x->list, g->at);
    if (g->at < x->list.len)
        x->list.p[g->at]->at = g->at;
    x->next = MIN(x->next, x->list.len); /* the one that took its place may be passed over until the next walk */
    x->stale = true;
    group_free(g);
}

void live_groups_refused(struct live *l, str ns, str name)
{
    struct live_group *g = group_find(l, ns, name);
    if (!g)
        return;
    g->said = 0;
    g->quiet_until = live_now(l) + REFUSED_NS;
    l->groups->due = l->groups->due ? MIN(l->groups->due, g->quiet_until) : g->quiet_until;
}

/* --- Events ---------------------------------------------------------------------------------------------------------------------------------------- */
static void send_event(struct live *l, const struct live_group *g, const char *type, const char *reason, const char *action, str note)
{
    str name = g->key, ns;
    int kai = live_name_index(l, S("kai-scheduler"));
    str_cut(&name, '/', &ns);
    live_event_send(l, &(struct live_event){.type = type, .reason = reason, .action = action, .controller = str_of(l->names[MAX(kai, 0)]), .api_version = API, .kind = "PodGroup",
                                            .ns = ns, .name = name, .uid = str_of(g->uid), .note = note});
}

const char *live_groups_words(enum policy_action action)
{
    static const char *const words[POLICY_ACTIONS] = {
        [POLICY_CONSOLIDATE] = "moved by consolidation, so that room in one place comes together",
        [POLICY_RECLAIM] = "reclaimed, as its queue has more than its share and another one is owed it",
        [POLICY_PREEMPT] = "preempting to accommodate a higher priority pod",
        [POLICY_STALE] = "its group has had fewer pods than it needs for too long",
        [POLICY_TOO_LONG] = "it has run for longer than its queue allows",
    };
    return words[action] ? words[action] : words[POLICY_PREEMPT];
}

static struct live_group *group_of(struct live *l, unit_id u)
{
    const struct unit *x = &l->s->units[u];
    struct live_group *g = u && x->is_group ? map_get(&l->groups->by_key, x->key) : NULL;
    return g && g->has_status ? g : NULL;
}

bool live_groups_marks(struct live *l, unit_id u)
{
    const struct live_group *g = group_of(l, u);
    return !g || !g->unmarked;
}

/* "group default/pg-a of queue \"research\"" */
static str gainer_text(struct live *l, struct arena *a, unit_id u)
{
    const struct unit *x = &l->s->units[u];
    str queue = symbol_text(&l->s->sym, x->queue);
    if (x->is_group)
        return arena_fmt(a, "group " STR_FMT " of queue \"" STR_FMT "\"", STR_ARG(x->key), STR_ARG(queue));
    if (!x->pods.len)
        return S("");
    return arena_fmt(a, "pod " STR_FMT "/" STR_FMT " of queue \"" STR_FMT "\"", STR_ARG(sched_pod_ns(l->s, x->pods.p[0])), STR_ARG(sched_pod_name(l->s, x->pods.p[0])), STR_ARG(queue));
}

static void tell_evicted(struct live *l, const struct live_group *g, unit_id u, size_t n, const struct policy_decision *d)
{
    ARENA_AUTO a = ARENA_INIT;
    const struct unit *x = &l->s->units[u];
    str pods = arena_fmt(&a, "%zu pod%s", n, n == 1 ? "" : "s"), queue = symbol_text(&l->s->sym, x->queue), gainer = gainer_text(l, &a, d->unit), note;
    switch (d->action) {
    case POLICY_STALE:
        send_event(l, g, "Warning", "StaleJob", "Evicting",
                   arena_fmt(&a, "fewer than its minimum of %d %s have run for too long: the rest, " STR_FMT ", is evicted", x->min_subgroup > 0 ? x->min_subgroup : x->min_member,
                             x->min_subgroup > 0 ? "sub-groups" : "pods", STR_ARG(pods)));
        return;
    case POLICY_TOO_LONG:
        note = arena_fmt(&a, STR_FMT " evicted: it has run for longer than queue \"" STR_FMT "\" allows", STR_ARG(pods), STR_ARG(queue));
        break;
    case POLICY_RECLAIM:
        note = arena_fmt(&a, STR_FMT " of queue \"" STR_FMT "\" evicted by reclaim for " STR_FMT ", which is owed its share", STR_ARG(pods), STR_ARG(queue), STR_ARG(gainer));
        break;
    case POLICY_CONSOLIDATE:
        note = arena_fmt(&a, STR_FMT " evicted by consolidation, to start elsewhere, so that there is room for " STR_FMT, STR_ARG(pods), STR_ARG(gainer));
        break;
    default:
        note = arena_fmt(&a, STR_FMT " evicted by preemption for " STR_FMT ", whose priority is higher", STR_ARG(pods), STR_ARG(gainer));
    }
    send_event(l, g, "Normal", "Evict", "Evicting", note);
}

void live_groups_evicted(struct live *l, const struct policy_decision *d)
{
    const struct sched *s = l->s;
    for (size_t i = 0, n; i < d->d.victims.len; i += n) {
        unit_id u = s->pods[d->d.victims.p[i]].unit;
        for (n = 1; i + n < d->d.victims.len && s->pods[d->d.victims.p[i + n]].unit == u; n++) {
        }
        const struct live_group *g = group_of(l, u);
        if (g)
            tell_evicted(l, g, u, n, d);
    }
}

/* --- why it waits ------------------------------------------------------------------------------------------------------------------------------------ */
static bool is_not_ready(const struct policy_why *why)
{
    return why->verdict == POLICY_INCOMPLETE || why->verdict == POLICY_GATED;
}

static const char *reason_of(const struct policy_why *why)
{
    static const char *const words[] = {[QUEUE_OK] = "Unschedulable", [QUEUE_MISSING] = "QueueDoesNotExist", [QUEUE_NOT_LEAF] = "QueueDoesNotExist", [QUEUE_LOST] = "QueueDoesNotExist",
                                        [QUEUE_OVER_LIMIT] = "OverLimit", [QUEUE_FIXED_OVER_QUOTA] = "NonPreemptibleOverQuota"};
    return is_not_ready(why) ? "NotReady" : why->verdict == POLICY_QUEUE ? words[why->queue] : "Unschedulable";
}

/* What there is to say about it; TOLD_NOTHING: what was said stays. */
static enum told to_tell(const struct policy_why *why, const struct unit_counts *c)
{
    if (c->placed)
        return TOLD_FALSE;
    switch (why->verdict) {
    case POLICY_QUEUE:
    case POLICY_INCOMPLETE:
    case POLICY_GATED:
    case POLICY_NO_FIT:
        return TOLD_TRUE;
    case POLICY_KEPT:
        return TOLD_FALSE;
    default:
        return TOLD_NOTHING;
    }
}

/* Two sentences with the same hash differ in numbers of the cluster only. */
static uint64_t hash_why(const struct policy_why *why, const struct unit_counts *c)
{
    uint64_t h = mix((uint64_t)why->verdict << 1 | (why->delayed_ns != 0), why->verdict == POLICY_QUEUE ? why->queue : QUEUE_OK);
    if (why->reserved || why->kept_for || why->gave_up) /* by the minute: plans move a little all the time */
        h = mix(mix(mix(h, why->kept_for), why->gave_up), why->reserved ? (uint64_t)(why->start_ns / (60 * NSEC_PER_SEC)) : 1);
    if (why->verdict == POLICY_QUEUE)
        return mix(mix(mix(h, why->blame.queue), why->blame.slot), (uint64_t)why->blame.ask);
    h = mix(mix(h, why->bar.queue), is_not_ready(why) ? c->created : why->rejected_by);
    for (size_t i = 0; why->verdict == POLICY_NO_FIT && i < POLICY_ACTIONS; i++)
        h = mix(h, why->tried[i]);
    return h;
}

uint64_t live_groups_why(struct live *l, unit_id u)
{
    struct policy_why why;
    struct unit_counts c = unit_count(l->s, u);
    live_policy_why(l, u, &why);
    return hash_why(&why, &c) | 1;
}

static void add_details(struct live *l, unit_id u, struct strbuf *b, const struct policy_why *why)
{
    static const struct policy_amounts nothing;
    const struct queues *qs = policy_queues(live_policy_of(l, u));
    const struct queue_state *q = why->verdict == POLICY_QUEUE && why->blame.queue ? queues_get(qs, why->blame.queue) : NULL;
    if (!q)
        return;
    strbuf_add_str(b, S(",\"details\":{\"queueDetails\":{\"name\":"));
    json_write_string(b, q->name);
    live_amounts_add(l, qs, b, "queueRequestedResources", &q->requested, ZEROS_LEFT_OUT);
    live_amounts_add(l, qs, b, "queueDeservedResources", &q->quota, ZEROS_LEFT_OUT);
    live_amounts_add(l, qs, b, "queueAllocatedResources", &q->allocated, ZEROS_LEFT_OUT);
    live_amounts_add(l, qs, b, "queueAllocatedNonPreemptibleResources", &q->allocated_fixed, ZEROS_LEFT_OUT);
    live_amounts_add(l, qs, b, "queueResourceLimits", &q->limit, ZEROS_LEFT_OUT);
    live_amounts_add(l, qs, b, "podGroupRequestedResources", &why->ask, ZEROS_LEFT_OUT);
    live_amounts_add(l, qs, b, "podGroupRequestedNonPreemptibleResources", why->fixed ? &why->ask : &nothing, ZEROS_LEFT_OUT);
    strbuf_add_str(b, S("}}"));
}

static void add_delay(struct strbuf *b, const struct policy_why *why)
{
    char until[CIVIL_TIME_LEN + 1];
    if (!why->delayed_ns)
        return;
    civil_format(why->delayed_ns, until);
    strbuf_addf(b, ",{\"reason\":\"PreemptionDelayNotElapsed\",\"message\":\"nobody is evicted for it before %s, as it asked\"}", until);
}

static void write_condition(struct live *l, struct live_group *g, unit_id u, enum told told, const struct policy_why *why, str message)
{
    ARENA_AUTO a = ARENA_INIT;
    struct strbuf b = strbuf_on(&a);
    if (g->told != told) {
        g->told = told;
        g->transitions++;
        civil_format(clock_wall(l->opts.clock), g->since);
    }
    snprintf(g->reason, sizeof g->reason, "%s", told == TOLD_TRUE ? reason_of(why) : "Scheduled");
    strbuf_addf(&b, "{\"type\":\"UnschedulableOnNodePool\",\"nodePool\":\"%s\",\"status\":\"%s\",\"transitionID\":\"%llu\",\"lastTransitionTime\":\"%s\",\"reason\":\"%s\",\"message\":",
                g->pool, told == TOLD_TRUE ? "True" : "False", (unsigned long long)g->transitions, g->since, g->reason);
    json_write_string(&b, message);
    strbuf_add_str(&b, S(",\"reasons\":["));
    if (told == TOLD_TRUE) {
        strbuf_addf(&b, "{\"reason\":\"%s\",\"message\":", g->reason);
        json_write_string(&b, message);
        add_details(l, u, &b, why);
        strbuf_add_char(&b, '}');
        add_delay(&b, why);
    }
    strbuf_add_str(&b, S("]}"));
    free(g->condition);
    g->condition = str_dup(strbuf_str(&b));
}

/* The reason is the same; is the sentence to be made again? */
static bool is_due(struct live_groups *x, const struct live_group *g, uint64_t hash, bool is_cheap, nsec_t now)
{
    if (!g->why || (g->why != hash && is_cheap))
        return true;
    if (g->why == hash)
        return now - g->why_at >= AGAIN_NS;
    nsec_t due = g->why_at + CHANGED_NS;
    if (due > now)
        x->due = x->due ? MIN(x->due, due) : due;
    return due <= now;
}

static void look_at_condition(struct live *l, struct live_group *g, unit_id u, const struct policy_why *why, const struct unit_counts *c, nsec_t now)
{
    ARENA_AUTO a = ARENA_INIT;
    enum told told = to_tell(why, c);
    uint64_t hash = hash_why(why, c);
    if (told == TOLD_FALSE && g->told == TOLD_TRUE)
        write_condition(l, g, u, told, why, S(""));
    bool is_news = g->told != TOLD_TRUE || strcmp(reason_of(why), g->reason) != 0;
    if (told != TOLD_TRUE || (!is_news && !is_due(l->groups, g, hash, why->verdict != POLICY_NO_FIT, now)))
        return;
    str message = live_policy_sentence(l, &a, u);
    if (is_news || (g->why && g->why != hash && now - g->event_at >= CHANGED_NS)) {
        g->event_at = now;
        send_event(l, g, is_not_ready(why) ? "Normal" : "Warning", is_not_ready(why) ? "NotReady" : "Unschedulable", "Scheduling", message);
    }
    g->why = hash;
    g->why_at = now;
    write_condition(l, g, u, told, why, message);
}

/* --- the status ---------------------------------------------------------------------------------------------------------------------------------------- */
static void send_status(struct live *l, struct live_group *g, unit_id u, const struct policy_why *why, const struct unit_counts *c)
{
    const struct queues *q = policy_queues(live_policy_of(l, u));
    ARENA_AUTO a = ARENA_INIT;
    struct strbuf path = strbuf_on(&a), b = strbuf_on(&a);
    struct policy_amounts requested = why->held;
    uint32_t pending = c->waiting + c->gated;
    str name = g->key, ns;
    str_cut(&name, '/', &ns);
    for (uint32_t i = 0; i < POLICY_RES; i++)
        requested.v[i] += why->ask.v[i];
    strbuf_add_str(&b, S("{\"metadata\":{\"uid\":"));
    json_write_string(&b, str_of(g->uid));
    struct live_ended_counts ended = live_ended_of(l, g->key);
    const char *phase = c->placed ? "\"Running\"" : pending ? "\"Pending\"" : ended.failed ? "\"Failed\"" : ended.succeeded ? "\"Succeeded\"" : "null";
    strbuf_addf(&b, "},\"status\":{\"phase\":%s,\"running\":%u,\"pending\":%u,\"succeeded\":%u,\"failed\":%u", phase, c->placed, pending, ended.succeeded, ended.failed);
    strbuf_add_str(&b, S(",\"resourcesStatus\":{"));
    struct strbuf amounts = strbuf_on(&a);
    live_amounts_add(l, q, &amounts, "allocated", &why->held, ZEROS_NULL);
    live_amounts_add(l, q, &amounts, "allocatedNonPreemptible", &why->held_fixed, ZEROS_NULL);
    live_amounts_add(l, q, &amounts, "requested", &requested, ZEROS_NULL);
    strbuf_add_str(&b, str_from(strbuf_str(&amounts), 1)); /* without the first comma */
    strbuf_add_char(&b, '}');
    if (g->condition)
        strbuf_addf(&b, ",\"schedulingConditions\":[%s]", g->condition);
    strbuf_add_str(&b, S("}}"));
    uint64_t hash = str_hash(strbuf_str(&b)) | 1;
    if (g->said == hash)
        return;
    if (g->quiet_until > live_now(l)) {
        l->groups->due = l->groups->due ? MIN(l->groups->due, g->quiet_until) : g->quiet_until;
        return;
    }
    g->said = hash;
    strbuf_add_str(&path, S("/apis/" API "/namespaces"));
    client_path_add(&path, ns);
    strbuf_add_str(&path, S("/podgroups"));
    client_path_add(&path, name);
    strbuf_add_str(&path, S("/status"));
    live_words_send(l, "PATCH", strbuf_str(&path), "application/merge-patch+json", strbuf_str(&b));
}

static void look_at(struct live *l, struct live_group *g, nsec_t now)
{
    unit_id u = g->has_status ? (unit_id)(uintptr_t)map_get(&l->s->group_by_key, g->key) : UNIT_NONE;
    struct policy_why why;
    if (!u || !live_policy_takes(l, u))
        return;
    struct unit_counts c = unit_count(l->s, u);
    if (!c.created && !g->said)
        return; /* nothing has come yet */
    live_policy_why(l, u, &why);
    look_at_condition(l, g, u, &why, &c, now);
    send_status(l, g, u, &why, &c);
}

static nsec_t next_walk(const struct live_groups *x)
{
    return x->stale ? x->walk_at + EVERY_NS : x->due ? MAX(x->due, x->walk_at + EVERY_NS) : INT64_MAX;
}

nsec_t live_groups_status(struct live *l, nsec_t now)
{
    struct live_groups *x = l->groups;
    nsec_t start = clock_mono(l->opts.clock);
    if (!live_policy_is_on(l))
        return INT64_MAX;
    if (x->next >= x->list.len) {
        if (next_walk(x) > now)
            return next_walk(x);
        x->walk_at = now;
        x->stale = false;
        x->due = 0;
        x->next = 0;
    }
    for (unsigned n = 0; x->next < x->list.len; n++) {
        if (outbox_len(l->words) >= WORDS_QUEUE)
            return INT64_MAX; /* an answer wakes us */
        if (n == LOOKS_PER_TURN || clock_mono(l->opts.clock) - start > TURN_NS)
            return now;
        look_at(l, x->list.p[x->next++], now);
    }
    return next_walk(x);
}
