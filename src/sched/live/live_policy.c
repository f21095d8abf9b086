/* live_policy.c - the batch policy as a part of the live scheduler.
 *
 *   Queue objects ─► policy ◄─ the engine's own changes         units that name a queue are the policy's, all others the dispatcher's
 *   a turn: policy_round ─► binds, evictions, nominations ─► status of the queues, at most once a second
 * The policy is at work once the server has Queue objects at all (discovery says so); before that a label that names a queue means nothing, and every unit is the dispatcher's.  Should the
 * kind go away again, work of queues waits: all of it at once, past every limit, is not what anybody wants of a server that answers badly for a moment. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "client/client.h"
#include "sched/engine/explain.h"
#include "sched/engine/unit.h"
#include "sched/live/live_internal.h"
#include "sched/policy/object_queue.h"

#define TRIES 128u
#define STATUS_EVERY_NS NSEC_PER_SEC
#define STATUS_SHARE 50 /* of the scheduler's time one part in so many goes into it at most */
#define STATUS_UNITS 100u
/* A unit is told why it waits after a moment: most start within it. */
#define SAY_AFTER_NS (500 * NSEC_PER_MSEC)

struct queue_note { /* of a queue, by id */
    uint64_t said;  /* hash of the status that was written last */
    uint64_t put;   /* hash of what was put last; 0: nothing */
};
struct live_policy {
    struct policy *p;
    struct policy_decisions d;
    bool is_on;
    bool has_units; /* there was one, ever: who does not use queues pays nothing for them */
    bool status_stale;
    nsec_t status_at, status_took;
    nsec_t again_ns;
    struct queue_note *notes;
    size_t nnotes;
    uint64_t taken[POLICY_ACTIONS]; /* decisions, by action */
    uint64_t evicted[POLICY_ACTIONS];
};

struct live_policy *live_policy_new(struct live *l)
{
    struct live_policy *x = xnew(struct live_policy);
    struct policy_opts opts = POLICY_OPTS_DEFAULT;
    opts.max_tries = TRIES; /* the loop has others to serve; what is left is done in the next turn */
    x->p = policy_new(l->s, &opts);
    policy_listen(x->p, false);
    x->d = POLICY_DECISIONS_INIT;
    x->again_ns = INT64_MAX;
    return x;
}

void live_policy_free(struct live_policy *x)
{
    if (!x)
        return;
    policy_decisions_fini(&x->d);
    policy_free(x->p);
    free(x->notes);
    free(x);
}

/* --- whose is it? ------------------------------------------------------------------------------------------------------------------------------- */
const struct policy *live_policy_get(const struct live *l)
{
    return l->policy->p;
}

bool live_policy_is_on(const struct live *l)
{
    return l->policy->is_on;
}

bool live_policy_takes(const struct live *l, unit_id u)
{
    return l->policy->is_on && l->s->units[u].queue;
}

void live_policy_wake(struct live *l)
{
    if (l->policy->has_units)
        return;
    l->policy->has_units = l->policy->status_stale = true;
    policy_listen(l->policy->p, true);
}

void live_policy_unit(struct live *l, unit_id u)
{
    live_policy_wake(l);
    l->policy->status_stale = true;
    live_say_later(l, u, UNIT_REJECTED, POD_NONE, 0, live_now(l) + SAY_AFTER_NS);
}

void live_policy_start(struct live *l)
{
    struct live_policy *x = l->policy;
    if (x->is_on)
        return;
    x->is_on = true;
    live_twins_clear(l);
    dispatcher_leave_batch(l->d);
    for (unit_id u = 1; u < l->s->nunits_slots; u++)
        if (l->s->units[u].used && l->s->units[u].queue)
            live_queue_unit(l, u);
    live_wake(l);
}

/* --- queues --------------------------------------------------------------------------------------------------------------------------------------- */
static void notes_grow(struct live_policy *x)
{
    size_t room = queues_capacity(policy_queues(x->p));
    if (room <= x->nnotes)
        return;
    x->notes = xrealloc(x->notes, room * sizeof *x->notes);
    memset(x->notes + x->nnotes, 0, (room - x->nnotes) * sizeof *x->notes);
    x->nnotes = room;
}

static void grew_stale(struct live *l)
{
    l->policy->status_stale = true;
    live_groups_stale(l);
}

int live_policy_put(struct live *l, struct arena *a, const struct json *obj, struct err *err)
{
    struct queue_spec q;
    struct live_policy *x = l->policy;
    int r = object_queue(l->s, a, obj, &q, err);
    if (r < 0)
        return r;
    /* most changes are of a status, our own: a put makes all accounts anew */
    const struct json *spec = json_get(obj, S("spec"));
    uint64_t hash = (spec ? str_hash(json_text(a, spec)) : 0) ^ str_hash(q.uid) * 31 ^ 1;
    queue_id id = queues_find(policy_queues(x->p), q.name);
    if (id && id < x->nnotes && x->notes[id].put == hash)
        return 0;
    r = policy_queue_put(x->p, &q, err);
    id = queues_find(policy_queues(x->p), q.name);
    notes_grow(x);
    if (r == 0 && id)
        x->notes[id].put = hash;
    grew_stale(l);
    return r;
}

void live_policy_delete(struct live *l, str name)
{
    queue_id id = queues_find(policy_queues(l->policy->p), name);
    if (id && id < l->policy->nnotes)
        l->policy->notes[id] = (struct queue_note){0};
    policy_queue_delete(l->policy->p, name);
    grew_stale(l);
}

/* --- decisions -------------------------------------------------------------------------------------------------------------------------------------- */
void live_policy_events(struct live *l, uint64_t events)
{
    if (!l->policy->is_on)
        return;
    policy_events(l->policy->p, events);
    if (events && l->policy->has_units)
        grew_stale(l);
}

/* Decides and hands on to the binder; true: there is more to do at once. */
bool live_policy_decide(struct live *l, nsec_t now)
{
    struct live_policy *x = l->policy;
    if (!x->is_on || !x->has_units)
        return false;
    policy_round(x->p, now, &x->d);
    x->again_ns = x->d.again_ns;
    for (size_t i = 0; i < x->d.list.len; i++) {
        const struct policy_decision *d = &x->d.list.p[i];
        x->taken[d->action]++;
        x->evicted[d->action] += d->d.victims.len;
        live_groups_evicted(l, d);
        size_t first = l->actions.len;
        binder_carry_out(l->b, d->unit, &d->d, now);
        for (size_t k = first; k < l->actions.len; k++)
            l->actions.p[k].policy = (uint8_t)(d->action + 1);
    }
    if (x->d.list.len)
        grew_stale(l);
    return x->d.more;
}

/* It looks at every unit, so with many of them it is made less often. */
static nsec_t status_due(const struct live_policy *x)
{
    return x->status_at + MAX(STATUS_EVERY_NS, x->status_took * STATUS_SHARE);
}

nsec_t live_policy_due(const struct live *l)
{
    const struct live_policy *x = l->policy;
    return !x->is_on ? INT64_MAX : x->status_stale ? MIN(x->again_ns, status_due(x)) : x->again_ns;
}

/* --- status of queues ----------------------------------------------------------------------------------------------------------------------------------- */
struct unit_row {
    unit_id unit;
    uint32_t position;
    bool runs;
};
struct tally { /* of a queue */
    uint32_t running, pending;
    VEC(struct unit_row) rows;
};

/* Every unit once, to its leaf and those above. */
static void count_units(struct live *l, struct tally *t, size_t n)
{
    const struct queues *q = policy_queues(l->policy->p);
    struct sched *s = l->s;
    for (unit_id u = 1; u < s->nunits_slots; u++) {
        if (!s->units[u].used || !s->units[u].queue || !s->units[u].pods.len)
            continue;
        queue_id leaf = queues_find(q, symbol_text(&s->sym, s->units[u].queue));
        struct unit_counts c = unit_count(s, u);
        bool runs = c.placed > 0;
        if (!leaf || leaf >= n || (!runs && !c.waiting && !c.gated))
            continue;
        if (t[leaf].rows.len < STATUS_UNITS)
            vec_push(&t[leaf].rows, (struct unit_row){u, 0, runs});
        for (queue_id id = leaf; id; id = queues_get(q, id)->parent) {
            t[id].running += runs;
            t[id].pending += !runs;
        }
    }
}

static int by_place(const void *x, const void *y)
{
    const struct unit_row *a = x, *b = y;
    if (a->runs != b->runs)
        return a->runs ? -1 : 1;
    if (a->position != b->position)
        return a->position < b->position ? -1 : 1;
    return a->unit < b->unit ? -1 : a->unit > b->unit;
}

void live_amounts_add(struct live *l, struct strbuf *b, const char *key, const struct policy_amounts *v, enum live_zeros zeros)
{
    ARENA_AUTO a = ARENA_INIT;
    const struct queues *q = policy_queues(l->policy->p);
    const char *comma = "";
    strbuf_addf(b, ",\"%s\":{", key);
    for (uint32_t i = 0; i < queues_nslots(q); i++) {
        uint16_t r = queues_slot_resource(q, i);
        if ((!v->v[i] && zeros == ZEROS_LEFT_OUT) || v->v[i] == POLICY_UNLIMITED)
            continue;
        strbuf_add_str(b, str_of(comma));
        json_write_string(b, sched_resource_name(l->s, r));
        if (v->v[i] || zeros == ZEROS_WRITTEN)
            strbuf_addf(b, ":\"" STR_FMT "\"", STR_ARG(queue_quantity(&a, r, v->v[i])));
        else
            strbuf_add_str(b, S(":null"));
        comma = ",";
    }
    strbuf_add_char(b, '}');
}

static void add_numbers(struct live *l, struct strbuf *b, const char *key, const double *v)
{
    const struct queues *q = policy_queues(l->policy->p);
    bool first = true;
    strbuf_addf(b, ",\"%s\":{", key);
    for (uint32_t i = 0; i < queues_nslots(q); i++) {
        if (v[i] == 0)
            continue;
        strbuf_addf(b, "%s", first ? "" : ",");
        json_write_string(b, sched_resource_name(l->s, queues_slot_resource(q, i)));
        strbuf_addf(b, ":%.4g", v[i]);
        first = false;
    }
    strbuf_add_char(b, '}');
}

static str unit_name(struct live *l, unit_id u, str *ret_ns)
{
    const struct unit *x = &l->s->units[u];
    if (x->is_group) {
        *ret_ns = symbol_text(&l->s->sym, x->ns);
        return symbol_text(&l->s->sym, x->name);
    }
    *ret_ns = sched_pod_ns(l->s, x->pods.p[0]);
    return sched_pod_name(l->s, x->pods.p[0]);
}

static void add_units(struct live *l, struct strbuf *b, struct tally *t)
{
    for (size_t i = 0; i < t->rows.len; i++) {
        struct policy_why why;
        policy_why(l->policy->p, t->rows.p[i].unit, &why);
        t->rows.p[i].position = why.position;
    }
    if (t->rows.len)
        qsort(t->rows.p, t->rows.len, sizeof *t->rows.p, by_place);
    strbuf_add_str(b, S(",\"units\":["));
    for (size_t i = 0; i < t->rows.len; i++) {
        str ns, name = unit_name(l, t->rows.p[i].unit, &ns);
        strbuf_addf(b, "%s{\"name\":", i ? "," : "");
        json_write_string(b, name);
        strbuf_add_str(b, S(",\"namespace\":"));
        json_write_string(b, ns);
        if (t->rows.p[i].position && !t->rows.p[i].runs)
            strbuf_addf(b, ",\"position\":%u", t->rows.p[i].position);
        strbuf_addf(b, ",\"state\":\"%s\"}", t->rows.p[i].runs ? "Running" : "Pending");
    }
    strbuf_add_char(b, ']');
}

static void add_children(struct live *l, struct strbuf *b, queue_id parent, const queue_id *all, size_t n)
{
    const struct queues *q = policy_queues(l->policy->p);
    bool first = true;
    strbuf_add_str(b, S("\"childQueues\":["));
    for (size_t i = 0; i < n; i++) {
        const struct queue_state *c = queues_get(q, all[i]);
        if (c->parent != parent || c->is_lost)
            continue;
        strbuf_addf(b, "%s", first ? "" : ",");
        json_write_string(b, c->name);
        first = false;
    }
    strbuf_add_char(b, ']');
}

static void write_status(struct live *l, queue_id id, struct tally *t, const queue_id *all, size_t n)
{
    ARENA_AUTO a = ARENA_INIT;
    struct live_policy *x = l->policy;
    const struct queue_state *q = queues_get(policy_queues(x->p), id);
    struct strbuf path = strbuf_on(&a), b = strbuf_on(&a);
    strbuf_add_str(&b, S("{\"status\":{"));
    add_children(l, &b, id, all, n);
    live_amounts_add(l, &b, "allocated", &q->allocated, ZEROS_WRITTEN);
    live_amounts_add(l, &b, "allocatedNonPreemptible", &q->allocated_fixed, ZEROS_WRITTEN);
    live_amounts_add(l, &b, "requested", &q->requested, ZEROS_WRITTEN);
    live_amounts_add(l, &b, "deserved", &q->quota, ZEROS_WRITTEN);
    live_amounts_add(l, &b, "fairShare", &q->fair, ZEROS_WRITTEN);
    add_numbers(l, &b, "overQuotaWeight", q->weight);
    add_numbers(l, &b, "usage", q->usage);
    strbuf_addf(&b, ",\"runningUnits\":%u,\"pendingUnits\":%u", t->running, t->pending);
    add_units(l, &b, t);
    strbuf_add_str(&b, S("}}"));
    uint64_t hash = str_hash(strbuf_str(&b));
    if (x->notes[id].said == hash)
        return;
    x->notes[id].said = hash;
    strbuf_add_str(&path, S("/apis/scheduling.run.ai/v2/queues"));
    client_path_add(&path, q->name);
    strbuf_add_str(&path, S("/status"));
    live_words_send(l, "PATCH", strbuf_str(&path), "application/merge-patch+json", strbuf_str(&b));
}

void live_policy_status(struct live *l, nsec_t now)
{
    struct live_policy *x = l->policy;
    if (!x->is_on || !x->status_stale || now < status_due(x))
        return;
    nsec_t start = clock_mono(l->opts.clock);
    x->status_stale = false;
    x->status_at = now;
    size_t room = queues_capacity(policy_queues(x->p));
    queue_id *all = xarray(room + 1, queue_id);
    struct tally *t = xarray(room + 1, struct tally);
    size_t n = queues_list(policy_queues(x->p), all, room);
    notes_grow(x);
    if (x->has_units)
        count_units(l, t, room);
    for (size_t i = 0; i < n; i++)
        write_status(l, all[i], &t[all[i]], all, n);
    for (size_t i = 0; i < room; i++)
        vec_fini(&t[i].rows);
    free(t);
    free(all);
    x->status_took = clock_mono(l->opts.clock) - start;
}

/* --- why -------------------------------------------------------------------------------------------------------------------------------------------------- */
static str amount_text(struct live *l, struct arena *a, uint16_t resource, int64_t n)
{
    if (n == POLICY_UNLIMITED)
        return S("no end");
    if (resource == RES_GPU)
        return arena_fmt(a, STR_FMT " GPU%s", STR_ARG(n % 1000 ? arena_fmt(a, "%.2f", (double)n / 1000) : arena_fmt(a, "%lld", (long long)(n / 1000))), n == 1000 ? "" : "s");
    return explain_amount(a, l->s, resource, n);
}

static str queue_sentence(struct live *l, struct arena *a, unit_id u, const struct policy_why *why)
{
    const struct queues *q = policy_queues(l->policy->p);
    str asked = symbol_text(&l->s->sym, l->s->units[u].queue);
    const struct queue_state *blamed = why->blame.queue ? queues_get(q, why->blame.queue) : NULL;
    str name = blamed ? blamed->name : asked;
    uint16_t r = blamed ? queues_slot_resource(q, why->blame.slot) : 0;
    switch (why->queue) {
    case QUEUE_MISSING:
        return arena_fmt(a, "queue \"" STR_FMT "\" does not exist", STR_ARG(asked));
    case QUEUE_NOT_LEAF:
        return arena_fmt(a, "queue \"" STR_FMT "\" is made of other queues; only those without any take work", STR_ARG(asked));
    case QUEUE_LOST:
        return arena_fmt(a, "queue \"" STR_FMT "\" is a part of one that does not exist", STR_ARG(asked));
    case QUEUE_OVER_LIMIT:
        return arena_fmt(a, "queue \"" STR_FMT "\" would pass its limit of " STR_FMT ": it has " STR_FMT ", and " STR_FMT " more are asked for", STR_ARG(name),
                         STR_ARG(amount_text(l, a, r, why->blame.may)), STR_ARG(amount_text(l, a, r, why->blame.have)), STR_ARG(amount_text(l, a, r, why->blame.ask)));
    case QUEUE_FIXED_OVER_QUOTA:
        return arena_fmt(a, "work that cannot be preempted has to stay within the quota of queue \"" STR_FMT "\", " STR_FMT ": " STR_FMT " are taken by such work, and " STR_FMT
                            " more are asked for", STR_ARG(name), STR_ARG(amount_text(l, a, r, why->blame.may)), STR_ARG(amount_text(l, a, r, why->blame.have)),
                         STR_ARG(amount_text(l, a, r, why->blame.ask)));
    case QUEUE_OK:
        break;
    }
    return S("");
}

static const char *const tried_words[] = {
    [TRIED_NOT] = "",
    [TRIED_NO_CLAIM] = "it would go beyond its queue's fair share",
    [TRIED_NOBODY] = "there is nobody who would have to give way",
    [TRIED_NO_ROOM] = "it would not fit even if all gave way who would have to",
    [TRIED_UNFAIR] = "others would be left with less of their share than it has",
    [TRIED_TOO_SOON] = "its like were evicted again and again, so it waits before it evicts others",
};
_Static_assert(ARRAY_LEN(tried_words) == TRIED_TOO_SOON + 1, "a word for each");
static const char *const action_names[POLICY_ACTIONS] = {"allocate", "consolidation", "reclaim", "preemption", "stale gangs", "run-time limits"};

static void add_tried(struct strbuf *b, const struct policy_why *why)
{
    for (size_t i = POLICY_CONSOLIDATE; i <= POLICY_PREEMPT; i++)
        if (why->tried[i] != TRIED_NOT)
            strbuf_addf(b, "; %s does not help: %s", action_names[i], tried_words[why->tried[i]]);
}

static str sentence(struct live *l, struct arena *a, unit_id u, const struct policy_why *why)
{
    struct strbuf b = strbuf_on(a);
    str queue = symbol_text(&l->s->sym, l->s->units[u].queue);
    switch (why->verdict) {
    case POLICY_QUEUE:
        return queue_sentence(l, a, u, why);
    case POLICY_INCOMPLETE:
        return explain_waiting(l->s, a, u, 0, &(struct unit_decision){.result = UNIT_INCOMPLETE})->sentence;
    case POLICY_GATED:
        return explain_waiting(l->s, a, u, 0, &(struct unit_decision){.result = UNIT_GATED})->sentence;
    case POLICY_KEPT:
        return arena_fmt(a, "room is kept for it in queue \"" STR_FMT "\"; it starts when those who give way have gone", STR_ARG(queue));
    case POLICY_NO_FIT:
        strbuf_add_str(&b, explain_waiting(l->s, a, u, 0, &(struct unit_decision){.result = UNIT_REJECTED, .rejected_by = why->rejected_by})->sentence);
        break;
    default:
        strbuf_add_str(&b, S("waits for its turn"));
    }
    add_tried(&b, why);
    return strbuf_str(&b);
}

str live_policy_sentence(struct live *l, struct arena *a, unit_id u)
{
    struct policy_why why;
    policy_why_brief(l->policy->p, u, &why);
    return sentence(l, a, u, &why);
}

bool live_policy_waits(struct live *l, unit_id u)
{
    struct policy_why why;
    policy_why_brief(l->policy->p, u, &why);
    return why.verdict != POLICY_RUNNING && why.verdict != POLICY_GATED;
}

static struct json amounts_json(struct live *l, struct arena *a, const struct policy_amounts *v)
{
    const struct queues *q = policy_queues(l->policy->p);
    struct json obj = json_object();
    for (uint32_t i = 0; i < queues_nslots(q); i++) {
        uint16_t r = queues_slot_resource(q, i);
        if (v->v[i] && v->v[i] != POLICY_UNLIMITED)
            json_set(a, &obj, sched_resource_name(l->s, r), json_string(queue_quantity(a, r, v->v[i])));
    }
    return obj;
}

void live_policy_explain(struct live *l, struct arena *a, unit_id u, pod_id p, struct json *record)
{
    static const char *const of_nodes[] = {"nearest", "reasons"};
    struct policy_why why;
    policy_why(l->policy->p, u, &why);
    struct json obj = json_object();
    json_set(a, &obj, S("name"), json_string(symbol_text(&l->s->sym, l->s->units[u].queue)));
    if (why.position)
        json_set(a, &obj, S("position"), json_int(a, why.position));
    json_set(a, &obj, S("preemptible"), json_bool(!why.fixed));
    json_set(a, &obj, S("asks"), amounts_json(l, a, &why.ask));
    json_set(a, &obj, S("fairShare"), amounts_json(l, a, &why.fair));
    json_set(a, &obj, S("allocated"), amounts_json(l, a, &why.allocated));
    json_set(a, record, S("queue"), obj);
    if (l->s->pods[p].state < PS_ASSUMED) {
        json_set(a, record, S("message"), json_string(live_policy_sentence(l, a, u)));
        json_del(record, S("preemption")); /* those are the rules of Kubernetes, and do not count here */
        for (size_t i = 0; why.verdict != POLICY_NO_FIT && i < ARRAY_LEN(of_nodes); i++)
            json_del(record, str_of(of_nodes[i]));
    }
    if (why.position)
        json_set(a, record, S("queuePosition"), json_int(a, why.position));
}

void live_policy_metrics(const struct live *l, struct strbuf *out)
{
    static const char *const labels[POLICY_ACTIONS] = {"allocate", "consolidation", "reclaim", "preempt", "stalegangeviction", "runtimelimit"};
    const struct live_policy *x = l->policy;
    const struct queues *q = policy_queues(x->p);
    if (!x->is_on)
        return;
    strbuf_add_str(out, S("# HELP kai_podgroups_scheduled_by_action Units that an action of the batch policy started or made room for.\n# TYPE kai_podgroups_scheduled_by_action counter\n"));
    for (size_t i = 0; i < POLICY_ACTIONS; i++)
        strbuf_addf(out, "kai_podgroups_scheduled_by_action{action=\"%s\"} %llu\n", labels[i], (unsigned long long)x->taken[i]);
    strbuf_add_str(out, S("# HELP kai_pod_group_evicted_pods_total Pods that had to give way, by action.\n# TYPE kai_pod_group_evicted_pods_total counter\n"));
    for (size_t i = 0; i < POLICY_ACTIONS; i++)
        strbuf_addf(out, "kai_pod_group_evicted_pods_total{action=\"%s\"} %llu\n", labels[i], (unsigned long long)x->evicted[i]);
    static const struct {
        const char *name, *help;
        uint16_t resource;
        double unit;
        size_t at; /* in struct queue_state */
    } gauges[] = {
        {"kai_queue_fair_share_gpu", "GPUs that the queue comes to.", RES_GPU, 1000, offsetof(struct queue_state, fair)},
        {"kai_queue_fair_share_cpu_cores", "Cores that the queue comes to.", RES_CPU, 1000, offsetof(struct queue_state, fair)},
        {"kai_queue_fair_share_memory_gb", "Memory that the queue comes to, in 10^9 bytes.", RES_MEMORY, 1e9, offsetof(struct queue_state, fair)},
        {"kai_queue_deserved_gpus", "GPUs that the queue is owed.", RES_GPU, 1000, offsetof(struct queue_state, quota)},
        {"kai_queue_allocated_gpus", "GPUs that the queue has.", RES_GPU, 1000, offsetof(struct queue_state, allocated)},
        {"kai_queue_allocated_cpu_cores", "Cores that the queue has.", RES_CPU, 1000, offsetof(struct queue_state, allocated)},
        {"kai_queue_allocated_memory_bytes", "Bytes of memory that the queue has.", RES_MEMORY, 1, offsetof(struct queue_state, allocated)},
    };
    size_t room = queues_capacity(q);
    queue_id *all = xarray(room + 1, queue_id);
    size_t n = queues_list(q, all, room);
    for (size_t g = 0; g < ARRAY_LEN(gauges); g++) {
        int slot = queues_slot(q, gauges[g].resource);
        strbuf_addf(out, "# HELP %s %s\n# TYPE %s gauge\n", gauges[g].name, gauges[g].help, gauges[g].name);
        for (size_t i = 0; slot >= 0 && i < n; i++) {
            const struct queue_state *s = queues_get(q, all[i]);
            int64_t v = ((const struct policy_amounts *)((const char *)s + gauges[g].at))->v[slot];
            strbuf_addf(out, "%s{queue_name=\"" STR_FMT "\"} %.10g\n", gauges[g].name, STR_ARG(s->name), v == POLICY_UNLIMITED ? -1 : (double)v / gauges[g].unit);
        }
    }
    free(all);
}
